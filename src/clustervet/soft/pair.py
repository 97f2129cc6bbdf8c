"""`SoftPair`: two soft clusterings of the same objects, which soft measures read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.errors import LabelError, ParameterError
from clustervet.labels import check_index
from clustervet.labels.index import names_of
from clustervet.labels.keyed import differing, show_object
from clustervet.labels.pair import noise_places
from clustervet.registry import register_door, register_subject
from clustervet.soft.chance import expected_gap
from clustervet.soft.memberships import Memberships, memberships_of
from clustervet.soft.pair_sums import Joint, Overlaps, Sums, add_concordances, add_overlaps
from clustervet.soft.reading import NOISE
from clustervet.soft.rows import column_marks, distinct_rows
from clustervet.view.words import counted

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class SoftPair:
    """Two soft clusterings of the same objects.

    Parameters
    ----------
    truth, pred : Memberships
        The clusterings, with one row per object in the same order.

    Raises
    ------
    LabelError
        If they differ in the number or in the names of their objects.

    Examples
    --------
    >>> import clustervet as cv
    >>> pair = SoftPair(cv.Memberships(["a", "a", "b"]), cv.Memberships([[1, 0], [1, 0], [0, 1]]))
    >>> pair, pair.identical
    (SoftPair of 3 objects: 2 classes x 2 clusters, True)
    """

    truth: Memberships
    pred: Memberships
    # The pair of which this is one order; a mean over all orders is the same.
    _unordered: ClassVar[SoftPair | None] = None

    def __post_init__(self) -> None:
        """Refuse memberships of different objects."""
        if self.truth.n != self.pred.n:
            raise LabelError(
                f"truth has {counted(self.truth.n, 'object')} and pred has {self.pred.n:,}; they "
                "must describe the same objects."
            )
        check_index({"truth": self.truth, "pred": self.pred})
        _check_objects(*(side.objects or names_of(side) for side in (self.truth, self.pred)))

    def __repr__(self) -> str:
        return (
            f"SoftPair of {counted(self.n, 'object')}: {counted(self.truth.k, 'class', 'classes')} "
            f"x {counted(self.pred.k, 'cluster')}"
        )

    @property
    def n(self) -> int:
        """The number of objects."""
        return self.truth.n

    @property
    def pairs(self) -> int:
        """The number of pairs of objects."""
        return self.n * (self.n - 1) // 2

    @cached_property
    def identical(self) -> bool:
        """Whether both have the same degrees, whatever their clusters are called."""
        return column_marks(self.truth.shares) == column_marks(self.pred.shares)

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of objects, classes and clusters."""
        return {"objects": self.n, "classes": self.truth.k, "clusters": self.pred.k}

    @cached_property
    def smallest(self) -> int:
        """The fewest objects that a cluster of either side is the main cluster of."""
        return min(
            int(np.bincount(side.tops[2], minlength=side.k).min())
            for side in (self.truth, self.pred)
        )

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Which side has noise as a cluster, or empty clusters, and whether both are hard."""
        found = []
        for name, side in (("truth", self.truth), ("pred", self.pred)):
            for place in noise_places(side.names, NOISE):
                size = counted(int((side.tops[2] == place).sum()), "object")
                found.append(f"Label {NOISE} is scored as one cluster of {name} ({size}).")
            empty = int((side.sums == 0).sum())
            if empty:
                found.append(f"{counted(empty, 'cluster')} of {name} without any degree.")
        if self.truth.is_hard and self.pred.is_hard:
            found.append("Every degree is 0 or 1: measures of labels give the same values faster.")
        return tuple(found)

    def take(self, places: Places) -> SoftPair:
        """Return the pair on some of the objects.

        Parameters
        ----------
        places : ndarray of int
            Rows of the objects; a row may be taken several times.

        Returns
        -------
        SoftPair
            Their degrees on both sides.

        Examples
        --------
        >>> import numpy as np
        >>> import clustervet as cv
        >>> pair = SoftPair(cv.Memberships([0, 0, 1]), cv.Memberships([0, 1, 1]))
        >>> pair.take(np.array([0, 2])).n
        2
        """
        return SoftPair(self.truth.take(places), self.pred.take(places))

    def shuffled(self, order: Places) -> SoftPair:
        """Return the pair with the objects of the prediction in another order.

        Parameters
        ----------
        order : ndarray of int
            For each object of the truth the row of the prediction that it gets.

        Returns
        -------
        SoftPair
            The pair; objects have no names in it.

        Examples
        --------
        >>> import numpy as np
        >>> import clustervet as cv
        >>> pair = SoftPair(cv.Memberships([0, 0, 1]), cv.Memberships([0, 1, 1]))
        >>> pair.shuffled(np.array([2, 1, 0])).pred.harden().tolist()
        [1, 1, 0]
        """
        made = SoftPair(_nameless(self.truth), _nameless(self.pred.take(order)))
        made.__dict__["_unordered"] = self
        return made

    @cached_property
    def table(self) -> Contingency:
        """The table of shares: the sum over objects of the products of their degrees."""
        return Contingency.from_memberships(self.truth, self.pred)

    @cached_property
    def joint(self) -> Joint:
        """The distinct objects: rows of both sides, and how many objects each stands for."""
        left, right = distinct_rows(self.truth.shares)[0], distinct_rows(self.pred.shares)[0]
        keys = left * (int(right.max()) + 1) + right
        _, first, sizes = np.unique(keys, return_index=True, return_counts=True)
        order = np.argsort(first)
        return Joint(first[order], sizes[order].astype(np.float64))

    @cached_property
    def sums(self) -> Sums:
        """Sums over pairs of objects of how equivalent they are on both sides."""
        return add_concordances(self.truth, self.pred, self.joint)

    @cached_property
    def expected_gap(self) -> float:
        """The mean difference of equivalences over all orders of the objects of one side."""
        if self._unordered is not None:
            return self._unordered.expected_gap
        if self.truth.is_hard or self.pred.is_hard:  # of a value with 0 or 1
            e, f = self.sums.left / self.pairs, self.sums.right / self.pairs
            return e * (1 - f) + f * (1 - e)
        return expected_gap(self.truth, self.pred)

    @cached_property
    def _overlaps(self) -> dict[str, Overlaps]:
        return {}

    def overlaps(self, norm: str) -> Overlaps:
        """Return sums over pairs of how far they are together or apart, by a t-norm.

        Parameters
        ----------
        norm : {'minimum', 'product'}
            The t-norm.

        Returns
        -------
        Overlaps
            The four sums.

        Examples
        --------
        >>> import clustervet as cv
        >>> SoftPair(cv.Memberships([0, 0, 1]), cv.Memberships([0, 1, 1])).overlaps("minimum")
        Overlaps(a=0.0, b=1.0, c=1.0, d=1.0)
        """
        held = self._overlaps
        if norm not in held:
            held[norm] = add_overlaps(self.truth, self.pred, self.joint, norm)
        return held[norm]


def _check_objects(one: Sequence[Any] | None, other: Sequence[Any] | None) -> None:
    """Refuse names of objects that differ; a side without names goes by position."""
    if one is None or other is None or list(one) == list(other):
        return
    if said := differing(("truth", dict.fromkeys(one)), ("pred", dict.fromkeys(other))):
        raise LabelError(said)
    row = next(k for k, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
    raise LabelError(
        f"truth and pred have the same objects in different orders: row {row} is "
        f"{show_object(one[row])} in truth and {show_object(other[row])} in pred."
    )


def _nameless(side: Memberships) -> Memberships:
    return side.take(np.arange(side.n)) if side.objects is None else Memberships(side.shares)


def _soft_door(who: str, truth: Any, pred: Any = None, *, normalize: bool = False) -> SoftPair:
    """What a measure of two soft clusterings takes.

    Parameters
    ----------
    truth : Memberships or SoftPair
        The first clustering: memberships, a matrix of degrees with one row per object, labels, or
        whatever else `clustervet.Memberships` takes. Or one finished pair.
    pred : Memberships, optional
        The second clustering, likewise, with its objects in the same order.
    normalize : bool, default False
        Whether every row of degrees is divided by its sum, whatever that is.
    """
    if isinstance(truth, SoftPair):
        if pred is not None:
            raise ParameterError(f"{who} takes either one pair or two clusterings, not both.")
        return truth
    if pred is None:
        raise ParameterError(f"{who} needs two soft clusterings, or one SoftPair.")
    return SoftPair(
        memberships_of(truth, "truth", normalize), memberships_of(pred, "pred", normalize)
    )


register_door("soft", _soft_door)
register_subject("soft", Memberships)
register_subject("soft", SoftPair)
