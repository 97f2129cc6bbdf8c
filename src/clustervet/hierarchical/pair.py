"""`TreePair`: two trees over the same objects, and the door of the measures that read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from clustervet._checks import one_of
from clustervet._checks import places as checked_places
from clustervet.errors import LabelError, ParameterError
from clustervet.hierarchical.hierarchy import Hierarchy, is_flat, refuse_other
from clustervet.hierarchical.shape import Shape, same
from clustervet.hierarchical.tree import Places
from clustervet.labels import check_index
from clustervet.labels.index import names_of
from clustervet.labels.pair import Missing
from clustervet.registry import register_door
from clustervet.registry.subjects import register_subject
from clustervet.view.words import counted


@dataclass(frozen=True, eq=False)
class TreePair:
    """Two trees over the same objects, as the measures of hierarchies read them.

    Parameters
    ----------
    truth, pred : Shape
        The trees, whose leaves are the objects 0, 1, ... of both. `TreePair.of` makes the pair of
        two hierarchies.
    names : tuple of str or None
        The names of the objects.
    remarks : tuple of str
        What to know when reading values, such as ties and how leaves were matched.

    Examples
    --------
    >>> import clustervet as cv
    >>> pair = cv.TreePair.of("((a,b),c);", "((c,b),a);")
    >>> pair.n, pair.identical, pair.names
    (3, False, ('a', 'b', 'c'))
    """

    truth: Shape
    pred: Shape
    names: tuple[str, ...] | None = None
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, truth: Any, pred: Any, *, missing: Missing = "raise") -> TreePair:
        """Bring two trees, or a tree and labels, to the same objects.

        Parameters
        ----------
        truth, pred : Hierarchy, or what it reads
            The trees. Leaves are matched by their names where both sides have names, and by their
            positions otherwise.
        missing : {"raise", "drop", "class"}, default "raise"
            What missing labels do, as for `Hierarchy`; objects that are not in both trees are left
            out.

        Returns
        -------
        TreePair
            The pair, with the objects in the order of the truth.

        Raises
        ------
        LabelError
            If the trees have different leaves; the message names some of those on one side alone.
        ParameterError
            If something is no tree.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.TreePair.of(["x", "x", "y"], "((a,b),c);").sizes
        {'objects': 3, 'groups of truth': 2, 'groups of pred': 2}
        """
        one_of(missing, "missing", ("raise", "drop", "class"))
        check_index({"truth": truth, "pred": pred})
        one, two = (_side(side, name, missing) for side, name in ((truth, "truth"), (pred, "pred")))
        remarks = []
        names = one.names if one.names is not None else two.names
        if one.names is not None and two.names is not None:
            refuse_other(one.names, two.names, "truth", "pred")
            places = {name: place for place, name in enumerate(two.names)}
            across = np.array([places[name] for name in one.names], np.int64)
        else:
            count = len(one.tree.leaf)
            if count != len(two.tree.leaf):
                raise LabelError(
                    f"truth and pred must have the same leaves; truth has {count:,} and pred has "
                    f"{len(two.tree.leaf):,}."
                )
            across = np.arange(count)
            if names is not None:
                remarks.append(_by_position(one, two))
        inside = (one.tree.leaf >= 0) & (two.tree.leaf[across] >= 0)
        if not inside.any():
            raise LabelError("no object is in both trees.")
        kept = np.flatnonzero(inside)
        if len(kept) < len(inside):
            left = counted(len(inside) - len(kept), "object")
            remarks.append(f"{left} with a missing label left out.")
        for side, name in ((one, "truth"), (two, "pred")):
            if side.tied:
                ties = counted(side.tied, "merge")
                are = "has" if side.tied == 1 else "have"
                remarks.append(f"{name} has ties: {ties} {are} the same height as another merge.")
        return cls(
            _restricted(one, kept),
            _restricted(two, across[kept]),
            None if names is None else tuple(names[k] for k in kept.tolist()),
            tuple(remarks),
        )

    @property
    def n(self) -> int:
        """The number of objects."""
        return self.truth.leaves

    @property
    def smallest(self) -> int:
        """All objects: a tree has no clusters of which one could be small."""
        return self.n

    @cached_property
    def identical(self) -> bool:
        """Whether both trees have the same groups at the same heights."""
        return same(self.truth, self.pred)

    @property
    def sizes(self) -> dict[str, int]:
        """The number of objects, and of the groups of several objects that each tree has."""
        groups = {f"groups of {side}": shape.inner for side, shape in self._sides}
        return {"objects": self.n, **groups}

    @property
    def _sides(self) -> tuple[tuple[str, Shape], tuple[str, Shape]]:
        return ("truth", self.truth), ("pred", self.pred)

    def take(self, places: Places) -> Self:
        """Return both trees on some of the objects.

        Parameters
        ----------
        places : ndarray of int
            Places of objects, each once. An inner node that is left with one child is left out.

        Returns
        -------
        TreePair
            The pair, with the objects in the order of `places`.

        Raises
        ------
        ParameterError
            If a place is there twice, or is none.

        Examples
        --------
        >>> import clustervet as cv
        >>> pair = cv.TreePair.of("((a,b),(c,d));", "((a,c),(b,d));").take([0, 2, 3])
        >>> pair.n, pair.names
        (3, ('a', 'c', 'd'))
        """
        kept = self._checked(places)
        names = None if self.names is None else tuple(self.names[k] for k in kept.tolist())
        return type(self)(self.truth.take(kept), self.pred.take(kept), names, self.remarks)

    def shuffled(self, order: Places) -> Self:
        """Return the pair with the leaves of the prediction exchanged.

        Parameters
        ----------
        order : ndarray of int
            All places in another order: the object i gets the leaf of the object ``order[i]``.

        Returns
        -------
        TreePair
            The pair; the truth is the same.

        Raises
        ------
        ParameterError
            If `order` does not hold every place once.

        Examples
        --------
        >>> import clustervet as cv
        >>> pair = cv.TreePair.of("((a,b),c);", "((c,b),a);")
        >>> pair.shuffled([2, 1, 0]).identical
        True
        """
        moved = self._checked(order)
        if len(moved) != self.n:
            raise ParameterError(f"order must hold all {self.n:,} places, not {len(moved):,}.")
        return type(self)(self.truth, self.pred.take(moved), self.names, self.remarks)

    def _checked(self, places: Any) -> Places:
        """Return places of objects; each must be there at most once."""
        found: Places = checked_places(places, self.n)
        if len(np.unique(found)) < len(found):
            raise ParameterError("places of objects must be there at most once each.")
        return found


def _side(given: Any, name: str, missing: Missing) -> Hierarchy:
    """Read one side; labels are named as the side is."""
    if isinstance(given, Hierarchy):
        return given
    if is_flat(given) and not isinstance(given, dict) and not isinstance(given, list | tuple):
        return Hierarchy({name: given}, names_of(given), missing=missing)
    return Hierarchy(given, missing=missing)


def _by_position(one: Hierarchy, two: Hierarchy) -> str:
    """Say how leaves with names are paired with labels; refuse merges, whose order is another."""
    known, other, side = (one, "pred", two) if one.names is not None else (two, "truth", one)
    named = "truth" if known is one else "pred"
    if side.tree.level_names is None:
        raise LabelError(
            f"the leaves of {named} have names and those of {other} have none, so they cannot be "
            "matched; cv.Hierarchy(..., leaves=...) names them."
        )
    return f"The labels of {other} go by position: the first is that of leaf {known.names[0]!r}."  # type: ignore[index]


def _restricted(side: Hierarchy, places: Places) -> Shape:
    """Return the tree on objects, given by their places among all that the tree was made of."""
    number = np.full(len(side.tree.leaf), -1, np.int64)
    number[side.objects] = np.arange(side.n)
    kept = number[places]
    if len(kept) == side.n and np.array_equal(kept, np.arange(side.n)):
        return side.shape
    return side.shape.take(kept)


def _tree_door(who: str, truth: Any, pred: Any = None, *, missing: Missing = "raise") -> TreePair:
    """Read what a measure of hierarchies takes: one finished pair, or two trees.

    Parameters
    ----------
    truth : Hierarchy, or what it reads, or TreePair
        A hierarchy, a linkage matrix, a fitted estimator, nested labelings, Newick text, or labels
        alone, which are a tree of one level; or one finished pair instead of two trees.
    pred : Hierarchy, or what it reads, optional
        The other tree, over the same leaves: by their names where both sides have names, and by
        their positions otherwise.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        Refuse missing labels, leave their objects out, or make them a group of their own.
    """
    if isinstance(truth, TreePair):
        if pred is not None or missing != "raise":
            raise ParameterError(f"{who} takes either one TreePair or two trees, not both.")
        return truth
    if pred is None:
        raise ParameterError(f"{who} needs two trees, or one TreePair.")
    return TreePair.of(truth, pred, missing=missing)


register_door("hierarchical", _tree_door)
register_subject("hierarchical", TreePair)
register_subject("hierarchical", Hierarchy)
