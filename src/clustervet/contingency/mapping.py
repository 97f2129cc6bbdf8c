"""Whose cluster is whose: the class of each cluster, and labels by the names of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.errors import ClustervetError
from clustervet.labels import Codes, consecutive, plain_label, read_labels
from clustervet.labels.index import index_of
from clustervet.labels.keyed import aligned, as_mapping, is_keyed
from clustervet.labels.pair import noise_places
from clustervet.view import Result, Section, plain, plain_table
from clustervet.view.words import counted, names

if TYPE_CHECKING:
    from clustervet.contingency.table import Contingency

How = Literal["matching", "majority", "jaccard"]
RULES = {
    "matching": "one class per cluster and one cluster per class, with the most objects in common",
    "majority": "the class that most objects of the cluster have",
    "jaccard": "the class with the largest Jaccard index",
}
# A whole number as files have it.
WHOLE = re.compile(r"-?[0-9]{1,18}")
# What clusters without a class are called where the others have names of text.
NEW = "new"


@dataclass(frozen=True, repr=False, eq=False)
class ClusterMap(Result, Mapping[Any, Any]):
    """The class of each cluster: ``found[cluster]`` is a class.

    Parameters
    ----------
    how : str
        The rule.
    clusters, classes : list
        The names of both sides.
    places : ndarray of int
        For each cluster the place of its class; -1 where it has none.
    shared : ndarray
        For each cluster the objects that it has in common with its class.
    cluster_sizes, class_sizes : ndarray
        Objects of each cluster and of each class.

    Examples
    --------
    >>> import clustervet as cv
    >>> table = cv.Contingency.from_labels(["a", "a", "a", "b"], [7, 7, 8, 9])
    >>> found = table.mapping()
    >>> dict(found), found.unmatched, found.unfound
    ({7: 'a', 9: 'b'}, [8], [])
    """

    SCHEMA: ClassVar[str] = "clustervet/mapping/1"

    how: str
    clusters: Sequence[Any]
    classes: Sequence[Any]
    places: NDArray[np.int64]
    shared: NDArray[Any]
    cluster_sizes: NDArray[Any]
    class_sizes: NDArray[Any]

    @cached_property
    def _held(self) -> dict[Any, Any]:
        pairs = zip(self.clusters, self.places.tolist(), strict=True)
        return {cluster: self.classes[place] for cluster, place in pairs if place >= 0}

    def __getitem__(self, cluster: Any) -> Any:
        return self._held[cluster]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    @property
    def unmatched(self) -> list[Any]:
        """The clusters that have no class."""
        return [self.clusters[k] for k in np.flatnonzero(self.places < 0).tolist()]

    @property
    def unfound(self) -> list[Any]:
        """The classes that no cluster has."""
        found = set(self.places.tolist())
        return [name for k, name in enumerate(self.classes) if k not in found]

    @cached_property
    def jaccard(self) -> NDArray[np.float64]:
        """For each cluster the Jaccard index with its class; nan where it has none."""
        known = self.places >= 0
        shared = self.shared[known].astype(np.float64)
        sizes = self.cluster_sizes[known] + self.class_sizes[self.places[known]]
        found = np.full(len(known), np.nan)
        found[known] = shared / (sizes.astype(np.float64) - shared)
        return found

    def columns(self) -> dict[str, Any]:
        """Return one row per cluster, with its class where it has one.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        known = self.places >= 0
        sizes = [self.class_sizes[place] if place >= 0 else None for place in self.places]
        return {
            "cluster": list(self.clusters),
            "class": [self._held.get(cluster) for cluster in self.clusters],
            "shared": [
                plain_label(value) if held else None
                for value, held in zip(self.shared, known, strict=True)
            ],
            "cluster_size": [plain_label(size) for size in self.cluster_sizes],
            "class_size": [plain_label(size) for size in sizes],
            "jaccard": self.jaccard.tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the pairs of cluster and class, and what has no partner, as plain data.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        columns = self.columns()
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        data: dict[str, Any] = {"schema": self.SCHEMA, "how": self.how}
        beside = {"clusters": rows, "unmatched": self.unmatched, "unfound": self.unfound}
        return data | {name: plain(value) for name, value in beside.items()}

    def document(self) -> Section:
        """Return one row per cluster, and what has no partner.

        Returns
        -------
        Section
            The sentences and tables.
        """
        said = [f"The class of each cluster: {RULES[self.how]}."]
        for left, what in ((self.unmatched, "cluster"), (self.unfound, "class")):
            if left:
                many = counted(len(left), what, "classes" if what == "class" else None)
                other = "class" if what == "cluster" else "cluster"
                said.append(f"{many} without a {other}: {names(list(map(str, left)))}.")
        columns = self.columns()
        columns["jaccard"] = [None if value != value else value for value in columns["jaccard"]]
        table = plain_table("mapping-clusters", "Clusters and their classes", columns)
        return Section("mapping", "Whose cluster is whose", tuple(said), (table,), subject=self)

    def names_of(self, labels: Any, *, noise: Any = -1) -> Any:
        """Return labels of clusters by the names of their classes.

        Parameters
        ----------
        labels : array_like or mapping
            The cluster of each object.
        noise : label, optional
            The label of noise, which keeps its name; None if no label means noise.

        Returns
        -------
        ndarray, Series or dict
            One name per object: a series for a pandas series and a dict for a mapping, with the
            same index or objects; else an array. Clusters without a class get names of their own:
            the whole numbers above those of the classes, or ``new 1``, ``new 2`` and so on where
            classes are no whole numbers, largest cluster first. Missing labels stay missing.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.Contingency.from_labels(["a", "a", "a", "b"], [7, 7, 8, 9]).mapping()
        >>> found.names_of([9, 8, 7]).tolist()
        ['b', 'new 1', 'a']
        """
        if is_keyed(labels):
            held = as_mapping(labels, "labels")
            found = self._renamed(read_labels(list(held.values())), noise)
            return dict(zip(held, found.tolist(), strict=True))
        found = self._renamed(read_labels(labels), noise)
        index = index_of(labels)
        return found if index is None else type(labels)(found, index=index, name=labels.name)

    def _renamed(self, codes: Codes, noise: Any) -> NDArray[Any]:
        numbers, distinct = consecutive(codes)
        old = [plain_label(label) for label in codes.restore(distinct)]
        used = np.ones(len(old), bool)
        if codes.missing is not None:  # the code of a missing label has no meaning
            used = np.bincount(numbers[~codes.missing], minlength=len(old)) > 0
        new = [self._held.get(label, _UNNAMED) for label in old]
        for k in noise_places(old, noise):
            new[k] = old[k] if isinstance(old[k], str) else noise
        sizes = dict(zip(self.clusters, self.cluster_sizes.tolist(), strict=True))
        lone = [k for k, name in enumerate(new) if name is _UNNAMED and used[k]]
        lone.sort(key=lambda k: -sizes.get(old[k], 0))
        for k, name in zip(lone, _fresh(self.classes, len(lone)), strict=True):
            new[k] = name
        found = _array([name if held else None for name, held in zip(new, used, strict=True)])
        named = found[numbers]
        if codes.missing is None or not codes.missing.any():
            return named
        named = named.astype(object)
        named[codes.missing] = None
        return named


_UNNAMED = object()


def _array(labels: Sequence[Any]) -> NDArray[Any]:
    """Return an array of whole numbers or of text where all labels are; else of objects."""
    kinds = {type(label) for label in labels}
    if kinds in ({int}, {str}):
        return np.array(labels)
    found = np.empty(len(labels), object)
    found[:] = labels
    return found


def _fresh(classes: Sequence[Any], wanted: int) -> list[Any]:
    """Return names that no class has."""
    if all(isinstance(name, int) and not isinstance(name, bool) for name in classes):
        first = max([-1, *classes]) + 1
        return list(range(first, first + wanted))
    if all(isinstance(name, str) and WHOLE.fullmatch(name) for name in classes):
        first = max([-1, *map(int, classes)]) + 1
        return list(map(str, range(first, first + wanted)))
    used = {*map(str, classes)}
    free = (f"{NEW} {k}" for k in count(1))
    return list(islice((name for name in free if name not in used), wanted))


def map_clusters(table: Contingency, how: How, noise: Any = None) -> ClusterMap:
    """Return the class of each cluster of a table; noise is no class and has none."""
    one_of(how, "how", tuple(RULES))
    cells, (row, col) = table.cells, table.absent
    x, a, b, class_sizes, cluster_sizes = table.sides
    classes, clusters = list(table.class_names), list(table.cluster_names)
    for held, of_cells in ((classes, cells.rows), (clusters, cells.cols)):
        aside = noise_places(held, noise)
        x = np.where(np.isin(of_cells, aside), 0, x) if aside else x
    if how == "matching":
        chosen = table.match() if x is table.sides.x else table.match(x)
        chosen = chosen[np.asarray(x[chosen] > 0, bool)]
    else:
        chosen = np.flatnonzero(np.asarray(x > 0, bool))
        value = x if how == "majority" else np.asarray(x / (a + b - x), np.float64)
        chosen = chosen[_first_of_each(cells.cols[chosen], value[chosen], a[chosen])]
    rows, cols = cells.rows[chosen], cells.cols[chosen]
    places, shared = np.full(table.shape[1], -1), np.zeros(table.shape[1], x.dtype)
    places[cols], shared[cols] = rows, x[chosen]
    if row is not None:
        places = np.where(places > row, places - 1, places)
        del classes[row]
    if col is not None:
        places, shared = np.delete(places, col), np.delete(shared, col)
        del clusters[col]
    return ClusterMap(how, clusters, classes, places, shared, cluster_sizes, class_sizes)


def _first_of_each(
    cols: NDArray[Any], value: NDArray[Any], size: NDArray[Any]
) -> NDArray[np.int64]:
    """Return for each column the place of the largest value; of equal ones the smaller class."""
    if value.dtype == object or size.dtype == object:
        keys = [*zip((-value).tolist(), size.tolist(), strict=True)]
        rank = {key: k for k, key in enumerate(sorted({*keys}))}
        order = np.lexsort((np.array([rank[key] for key in keys]), cols))
    else:
        order = np.lexsort((size, -value, cols))
    ordered = cols[order]
    return order[np.r_[True, ordered[1:] != ordered[:-1]]]


def colour_places(table: Contingency, noise: Any = -1) -> dict[Any, int]:
    """Return for each cluster the place of its colour.

    Classes have the places 0, 1, ... by size, a cluster that of the class that it is matched with,
    and other clusters the next places, so that a group has one colour in all pictures of it.

    >>> from clustervet.contingency.table import Contingency
    >>> colour_places(Contingency.from_labels(["a", "b", "b", "b"], [7, 8, 8, 9]))
    {7: 1, 8: 0, 9: 2}
    """
    found = map_clusters(table, "matching", noise)
    order = np.argsort(-np.asarray(found.class_sizes, np.float64), kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    by_size = np.argsort(-np.asarray(found.cluster_sizes, np.float64), kind="stable")
    following = count(len(order))
    places = [int(rank[place]) if place >= 0 else -1 for place in found.places]
    aside = noise_places(found.clusters, noise)
    for k in by_size.tolist():
        if places[k] < 0 and k not in aside:
            places[k] = next(following)
    pairs = zip(found.clusters, places, strict=True)
    return {name: place for name, place in pairs if place >= 0}


def places_beside(reference: Any, labels: Any) -> dict[Any, int]:
    """Return the same for two labelings; nothing where they share no object, or there is one."""
    from clustervet.contingency.table import Contingency

    if reference is None:
        return {}
    try:
        return colour_places(Contingency.from_labels(reference, labels, missing="drop"))
    except ClustervetError:
        return {}


def align(
    labels: Any,
    to: Any,
    *,
    how: How = "matching",
    noise: Any = -1,
    missing: Literal["raise", "drop"] = "raise",
) -> Any:
    """Name clusters as those of another clustering of the same objects are named.

    Parameters
    ----------
    labels : array_like or mapping
        The cluster of each object.
    to : array_like or mapping
        The clusters of the same objects whose names are wanted, such as another run or the truth.
    how : {'matching', 'majority', 'jaccard'}, default 'matching'
        Which cluster has which name. A matching gives each name to one cluster, so that the
        clustering stays the same; it is the one with the most objects in common. 'majority' gives
        a cluster the name that most of its objects have there, and 'jaccard' that with the
        largest Jaccard index; several clusters may then become one.
    noise : label, optional
        The label of noise, which keeps its name and is no cluster on either side; None if no
        label means noise.
    missing : {'raise', 'drop'}, default 'raise'
        What to do about an object that only one of two mappings has: refuse it, or name clusters
        by the other objects.

    Returns
    -------
    ndarray, Series or dict
        One name per object: a series for a pandas series and a dict for a mapping, with the same
        index or objects; else an array. A cluster without a partner gets a name that `to` does
        not have: the next whole numbers, or ``new 1``, ``new 2`` and so on, largest cluster first.
        Missing labels stay missing.

    Raises
    ------
    LabelError
        If labels cannot be read, or are not of the same objects.

    See Also
    --------
    Contingency.mapping : The pairs of clusters, with the objects that they share.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.align([2, 2, 0, 0, 1], to=[0, 0, 1, 1, 1]).tolist()
    [0, 0, 1, 1, 2]
    >>> cv.align([2, 2, 0, 0, 1], to=["a", "a", "b", "b", "b"], how="majority").tolist()
    ['a', 'a', 'b', 'b', 'b']
    """
    from clustervet.contingency.table import Contingency

    one_of(missing, "missing", ("raise", "drop"))
    given = aligned({"to": to, "labels": labels}, missing)
    table = Contingency.from_labels(*given.values(), missing="drop", names=("to", "labels"))
    return map_clusters(table, how, noise).names_of(labels, noise=noise)
