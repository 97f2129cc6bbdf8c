"""`Memberships`: one soft clustering, the degrees to which objects belong to clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import places as checked_places
from clustervet._memory import need
from clustervet.errors import LabelError
from clustervet.labels import plain_label, show_label
from clustervet.labels.arrays import is_missing, kind_of
from clustervet.soft.reading import Parts, read_labelled, read_parts
from clustervet.view import Result, Section, facts_table, name_cell, number_cell, plain, plain_table
from clustervet.view.words import counted

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Memberships(Result):
    """A soft clustering: every object belongs to every cluster by a degree, and these sum to 1.

    Parameters
    ----------
    degrees : array_like, sparse matrix, dataframe, list, mapping, labels or fitted clusterer
        One row per object and one column per cluster, as `predict_proba` returns it. Or one dict
        {cluster: degree} per object; a mapping from objects to such dicts; labels, which are
        degrees of 1; or a fitted clusterer that has `labels_` and `probabilities_`, as HDBSCAN has.
    names : iterable, optional
        Names of the clusters. By default the names of the columns, or their numbers.
    objects : iterable, optional
        Names of the objects. By default those of a mapping.
    normalize : bool, default False
        Whether every row is divided by its sum, whatever that is. Sums that differ from 1 by up to
        0.001 are taken for rounded ones and always divided.

    Attributes
    ----------
    shares : ndarray or csr_array
        The degrees.
    names : tuple
        The names of the clusters.
    objects : tuple or None
        The names of the objects, where they have any.
    index : pandas.Index or None
        The index of the pandas object that was given.

    Raises
    ------
    LabelError
        If degrees are negative or not finite, or a row does not sum to 1.

    Notes
    -----
    Two soft clusterings are compared row by row. Where both have a pandas index, or names of
    objects, these must be equal.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.Memberships([[0.9, 0.1], [0.6, 0.4], [0, 1]], names=["left", "right"])
    3 objects with degrees of membership in 2 clusters
    <BLANKLINE>
    Clusters
    cluster  sum of degrees  main cluster of  their mean degree
    left             1.5000                2             0.7500
    right            1.5000                1             1.0000
    <BLANKLINE>
    How sharp they are
    mean of the largest degrees                      0.8333
    objects with all of their degree in one cluster  1
    objects with no degree above 0.5                 0
    """

    SCHEMA: ClassVar[str] = "clustervet/memberships/1"

    shares: Any
    names: tuple[Any, ...]
    objects: tuple[Any, ...] | None
    index: Any

    def __init__(
        self,
        degrees: Any,
        *,
        names: Iterable[Any] | None = None,
        objects: Iterable[Any] | None = None,
        normalize: bool = False,
    ) -> None:
        if isinstance(degrees, Memberships):
            parts = Parts(degrees.shares, degrees.names, degrees.objects, degrees.index)
        else:
            parts = read_parts(degrees, "memberships", normalize)
        if names is not None:
            parts = parts._replace(names=names)
        if objects is not None:
            parts = parts._replace(objects=objects)
        self._hold(parts)

    def _hold(self, parts: Parts) -> None:
        """Keep the parts, and refuse names that do not fit the degrees."""
        shares = _locked(parts.shares)
        rows, columns = shares.shape
        names = range(columns) if parts.names is None else parts.names
        held = _fitting(names, columns, "names", "cluster")
        known = None
        if parts.objects is not None:
            known = _fitting(parts.objects, rows, "objects", "object")
        for name, value in (("shares", shares), ("names", held), ("objects", known)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "index", parts.index)

    @classmethod
    def of_parts(cls, parts: Parts) -> Memberships:
        """Return the memberships of a matrix that is read, with its names.

        Parameters
        ----------
        parts : Parts
            Degrees, names, and the names or the index of the objects.

        Returns
        -------
        Memberships
            The record.

        Examples
        --------
        >>> import numpy as np
        >>> from clustervet.soft.reading import Parts
        >>> Memberships.of_parts(Parts(np.array([[0.25, 0.75]]), ["a", "b"])).names
        ('a', 'b')
        """
        made = cls.__new__(cls)
        made._hold(parts)
        return made

    @classmethod
    def from_labels(cls, labels: Any, probabilities: Any = None) -> Memberships:
        """Return the memberships of labels.

        Parameters
        ----------
        labels : array_like
            Cluster of each object.
        probabilities : array_like, optional
            The degree to which each object belongs to its cluster, from 0 to 1. The rest, and
            every object labelled -1, goes to a cluster called "noise", which is left out where it
            would be empty. By default every degree is 1, and -1 is a cluster like the others.

        Returns
        -------
        Memberships
            The degrees, as a sparse matrix.

        Raises
        ------
        LabelError
            If the labels cannot be read, or a probability is not between 0 and 1.

        Examples
        --------
        >>> found = Memberships.from_labels(["a", "b", -1], [0.75, 1, 0])
        >>> found.names, found.shares.toarray().tolist()
        (('a', 'b', 'noise'), [[0.75, 0.0, 0.25], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        """
        return cls.of_parts(read_labelled(labels, probabilities, "labels"))

    @property
    def n(self) -> int:
        """The number of objects."""
        return int(self.shares.shape[0])

    @property
    def k(self) -> int:
        """The number of clusters, empty ones too."""
        return int(self.shares.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of objects and of clusters."""
        return self.n, self.k

    def __len__(self) -> int:
        """The number of objects."""
        return self.n

    @property
    def is_sparse(self) -> bool:
        """Whether only degrees above 0 are kept."""
        return hasattr(self.shares, "tocsr")

    @cached_property
    def sums(self) -> Floats:
        """The sum of the degrees of each cluster."""
        return np.asarray(self.shares.sum(axis=0), np.float64).ravel()

    @cached_property
    def tops(self) -> tuple[Floats, Floats, Places]:
        """For each object its largest and second largest degree, and the cluster of the largest.

        Of equal degrees the first cluster is taken.
        """
        return _sparse_tops(self.shares) if self.is_sparse else _dense_tops(self.shares)

    @cached_property
    def is_hard(self) -> bool:
        """Whether every degree is 0 or 1."""
        return bool((self.tops[0] == 1).all() and (self.tops[1] == 0).all())

    def harden(self) -> NDArray[Any]:
        """Return the main cluster of each object.

        Returns
        -------
        ndarray
            The name of the cluster of the largest degree; of equal degrees the first cluster.

        Examples
        --------
        >>> Memberships([[0.9, 0.1], [0.5, 0.5], [0, 1]], names=["left", "right"]).harden().tolist()
        ['left', 'left', 'right']
        """
        kinds = {type(name) for name in self.names}
        names = np.empty(self.k, object)
        names[:] = self.names
        if len(kinds) == 1 and kinds <= {int, str, bool}:
            names = np.array(list(self.names))
        return names[self.tops[2]]

    def take(self, places: NDArray[np.int64]) -> Memberships:
        """Return the memberships of some of the objects, with all clusters.

        Parameters
        ----------
        places : ndarray of int
            Rows of the objects; a row may be taken several times.

        Returns
        -------
        Memberships
            Their degrees. Names of objects are kept, a pandas index is not.

        Examples
        --------
        >>> import numpy as np
        >>> Memberships([[1, 0], [0.5, 0.5]]).take(np.array([1, 1])).shares.tolist()
        [[0.5, 0.5], [0.5, 0.5]]
        """
        places = checked_places(places, self.n)
        made = Memberships.__new__(Memberships)
        objects = None if self.objects is None else tuple(self.objects[k] for k in places.tolist())
        held = {"shares": _locked(self.shares[places]), "names": self.names, "objects": objects}
        for name, value in (held | {"index": None}).items():
            object.__setattr__(made, name, value)
        return made

    def columns(self) -> dict[str, Any]:
        """Return the degrees: one row per object and one column per cluster.

        Returns
        -------
        dict
            Degrees by the name of the cluster; before them the names of the objects, if any.
        """
        need(8.0 * self.n * self.k, "the degrees of all objects in all clusters")
        dense = self.shares.toarray() if self.is_sparse else self.shares
        named = {} if self.objects is None else {"object": list(self.objects)}
        return named | {str(name): dense[:, k] for k, name in enumerate(self.names)}

    def to_dict(self) -> dict[str, Any]:
        """Return what is known about each cluster as plain data; the degrees are in `columns`.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        names, sums, sizes, means = self._clusters
        clusters = [
            {"cluster": show_label(name), "sum": a, "objects": b, "mean": plain(c)}
            for name, a, b, c in zip(names, sums, sizes, means, strict=True)
        ]
        held = {"objects": self.n, "mean": float(self.tops[0].mean()), "clusters": clusters}
        return {"schema": self.SCHEMA} | held

    @property
    def _clusters(self) -> tuple[tuple[Any, ...], list[float], list[int], list[float | None]]:
        """Names, sums of degrees, objects whose main cluster it is, and their mean degree."""
        high, _, place = self.tops
        sizes = np.bincount(place, minlength=self.k)
        totals = np.bincount(place, high, self.k)
        pairs = zip(totals.tolist(), sizes.tolist(), strict=True)
        means = [total / size if size else None for total, size in pairs]
        return self.names, self.sums.tolist(), sizes.tolist(), means

    def document(self) -> Section:
        """Return the clusters and how sharp the memberships are.

        Returns
        -------
        Section
            The sentences and tables.
        """
        high = self.tops[0]
        names, sums, sizes, means = self._clusters
        columns: dict[str, Any] = {
            "cluster": [name_cell("cluster", name, "p0") for name in names],
            "sum of degrees": sums,
            "main cluster of": sizes,
            "their mean degree": means,
        }
        facts = {
            "mean of the largest degrees": number_cell(float(high.mean())),
            "objects with all of their degree in one cluster": number_cell(int((high == 1).sum())),
            "objects with no degree above 0.5": number_cell(int((high <= 0.5).sum())),
        }
        objects, clusters = counted(self.n, "object"), counted(self.k, "cluster")
        said = f"{objects} with degrees of membership in {clusters}"
        return Section(
            "memberships",
            "Memberships",
            (said,),
            (
                plain_table("memberships-clusters", "Clusters", columns),
                facts_table("memberships-facts", "How sharp they are", facts),
            ),
            subject=self,
            scope="p0",
        )


def memberships_of(given: Any, what: str, normalize: bool) -> Memberships:
    """Return memberships, or read them; messages call them `what`."""
    if isinstance(given, Memberships):
        return given
    return Memberships.of_parts(read_parts(given, what, normalize))


def _locked(shares: Any) -> Any:
    """The degrees as a copy that cannot be written."""
    if hasattr(shares, "tocsr"):
        found = shares.copy()
        found.sum_duplicates()
        found.eliminate_zeros()
        found.sort_indices()
        for held in (found.data, found.indices, found.indptr):
            held.flags.writeable = False
        return found
    dense = np.array(shares, np.float64, order="C") + 0.0  # -0.0 is 0
    dense.flags.writeable = False
    return dense


def _fitting(names: Iterable[Any], count: int, what: str, kind: str) -> tuple[Any, ...]:
    """Names, as many as there are rows or columns, and all different."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise LabelError(f"{what} must be one name per {kind}, not {kind_of(names)}.")
    held = tuple(map(plain_label, names))
    if len(held) != count:
        raise LabelError(
            f"{what} must be one name per {kind}; there are {counted(len(held), 'name')} and "
            f"{counted(count, kind)}."
        )
    if any(map(is_missing, held)):
        raise LabelError(f"{what} must be one name per {kind}; some are missing.")
    try:
        if len(set(held)) == count:
            return held
        twice = next(name for place, name in enumerate(held) if name in held[:place])
    except TypeError:
        raise LabelError(f"{what} must be names that can be told apart.") from None
    raise LabelError(f"two {kind}s are called {show_label(twice)!r}; their names must differ.")


def _dense_tops(shares: Floats) -> tuple[Floats, Floats, Places]:
    place = shares.argmax(axis=1)
    high = shares[np.arange(len(shares)), place]
    if shares.shape[1] == 1:
        return high, np.zeros(len(shares)), place
    second = np.partition(shares, shares.shape[1] - 2, axis=1)[:, -2]
    return high, second, place


def _sparse_tops(shares: Any) -> tuple[Floats, Floats, Places]:
    """The same of CSR rows, each of which has a degree above 0."""
    starts, data = shares.indptr[:-1], shares.data
    high = np.maximum.reduceat(data, starts)
    rows = np.repeat(np.arange(len(starts)), np.diff(shares.indptr))
    firsts = np.flatnonzero(data == high[rows])
    _, own = np.unique(rows[firsts], return_index=True)
    rest = data.copy()
    rest[firsts[own]] = 0.0
    return high, np.maximum.reduceat(rest, starts), shares.indices[firsts[own]].astype(np.int64)
