"""`CoverPair`: two covers of the same objects, and what the measures read off them."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, ParameterError
from clustervet.labels.keyed import show_object
from clustervet.labels.pair import noise_places
from clustervet.overlapping.cover import Cover
from clustervet.overlapping.meetings import (
    Meetings,
    Sides,
    count_meetings,
    mean_share,
    object_shares,
    sides_of,
)
from clustervet.overlapping.overlaps import Entropies, best_matches, entropies, f_scores
from clustervet.overlapping.reading import Names, Places
from clustervet.overlapping.rows import atoms_of, mixed, rows_at
from clustervet.registry.record import register_door
from clustervet.registry.subjects import register_subject
from clustervet.view.words import counted

Floats = NDArray[np.float64]


class CoverPair:
    """Two covers of the same objects.

    Parameters
    ----------
    truth, pred : Cover or what `Cover` reads
        The known groups and those that were found.
    objects : int or sequence, optional
        All objects, or their number. By default they are the objects of both sides: one that a
        side does not have is in no group there, and `remarks` counts them. Labels and matrices
        without names must have the same length.

    Raises
    ------
    LabelError
        If a side cannot be read, the sides have no object in common, or rows without names differ
        in number.

    Notes
    -----
    Objects are paired by their names; those of labels and matrices without names are 0, 1, ....
    What several measures need is counted once.

    Examples
    --------
    >>> import clustervet as cv
    >>> pair = cv.CoverPair([{0, 1, 2}, {2, 3}], [{0, 1}, {2, 3, 4}])
    >>> pair
    CoverPair(5 objects, 2 true groups, 2 groups)
    >>> pair.remarks
    ('1 object is in pred alone', '1 object is in no group of truth')
    >>> cv.best_match_f1(pair)
    0.8
    """

    truth: Cover
    pred: Cover
    _alone: tuple[int, int]

    def __init__(self, truth: Any, pred: Any, objects: Any = None) -> None:
        one, two = Cover(truth, objects), Cover(pred, objects)
        names, places = _union(one.names, two.names)
        if places is None:
            self._set(one, two, (0, 0))
            return
        alone = int((places[1] < 0).sum()), int((places[0] < 0).sum())
        if alone[0] == one.n:
            raise LabelError(
                f"truth and pred have no object in common: truth has {_shown(one)}, and pred has "
                f"{_shown(two)}. Objects are paired by name; those of labels and matrices are 0, "
                "1, ... unless objects= names them."
            )
        self._set(one._placed(places[0], names), two._placed(places[1], names), alone)

    def _set(self, truth: Cover, pred: Cover, alone: tuple[int, int]) -> None:
        self.__dict__.update(truth=truth, pred=pred, _alone=alone)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a pair of covers never changes; {name} cannot be set")

    @classmethod
    def _of(cls, truth: Cover, pred: Cover) -> Self:
        made = object.__new__(cls)
        made._set(truth, pred, (0, 0))
        return made

    def __repr__(self) -> str:
        sizes = ", ".join(f"{count:,} {what}" for what, count in self.sizes.items())
        return f"CoverPair({counted(self.n, 'object')}, {sizes})"

    @property
    def n(self) -> int:
        """The number of objects."""
        return self.truth.n

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of groups."""
        return {"true groups": self.truth.k, "groups": self.pred.k}

    @cached_property
    def smallest(self) -> int:
        """The fewest objects of a group of either side."""
        return min(int(side.sizes.min()) if side.k else 0 for side in (self.truth, self.pred))

    @cached_property
    def identical(self) -> bool:
        """Whether both have the same groups, whatever these are called."""
        one, two = _canonical(self.truth), _canonical(self.pred)
        return np.array_equal(one[0], two[0]) and np.array_equal(one[1], two[1])

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """What to know when reading the scores, such as objects in no group."""
        said = []
        for alone, name in zip(self._alone, ("truth", "pred"), strict=True):
            if alone:
                said.append(f"{_objects(alone)} in {name} alone")
        for cover, name in ((self.truth, "truth"), (self.pred, "pred")):
            if cover.ungrouped:
                said.append(f"{_objects(cover.ungrouped)} in no group of {name}")
            if cover.empty:
                said.append(f"{counted(cover.empty, 'empty group')} of {name} left out")
            for place in noise_places(list(cover.group_names), -1):
                size = counted(int(cover.sizes[place]), "object")
                said.append(f"label -1 is scored as one group of {name} ({size})")
        return tuple(said)

    def take(self, places: NDArray[np.int64]) -> Self:
        """Return the pair on some of the objects.

        Parameters
        ----------
        places : ndarray of int
            Places of objects; one that is there twice becomes two objects.

        Returns
        -------
        CoverPair
            Both covers on these objects.

        Examples
        --------
        >>> import numpy as np
        >>> CoverPair([[0, 1, 2]], [[0, 1], [2]]).take(np.array([0, 1]))
        CoverPair(2 objects, 1 true groups, 1 groups)
        """
        return self._of(self.truth.take(places), self.pred.take(places))

    def shuffled(self, order: NDArray[np.int64]) -> Self:
        """Return the pair with the objects of the prediction in another order.

        Parameters
        ----------
        order : ndarray of int
            For each object the place of the one whose predicted groups it gets.

        Returns
        -------
        CoverPair
            The pair with the same truth.

        Examples
        --------
        >>> import numpy as np
        >>> CoverPair([[0, 1], [2]], [[0, 1], [2]]).shuffled(np.array([0, 2, 1])).pred.groups
        {0: [0, 2], 1: [1]}
        """
        return self._of(self.truth, self.pred._placed(np.asarray(order), self.pred.names))

    @cached_property
    def atoms(self) -> Sides:
        """The covers of objects that no group of either tells apart."""
        own = ((self.truth.indptr, self.truth.indices), (self.pred.indptr, self.pred.indices))
        return sides_of(atoms_of(own), own, (self.truth.k, self.pred.k))

    @cached_property
    def meetings(self) -> Meetings:
        """Pairs of objects by the number of groups that they share."""
        return count_meetings(self.atoms, self.n)

    @cached_property
    def object_means(self) -> tuple[float, float]:
        """Extended B-cubed precision and recall; nan where no object has a group."""
        weights = self.atoms.atoms.weights
        precision, recall = object_shares(self.atoms)
        return mean_share(weights, precision), mean_share(weights, recall)

    @cached_property
    def matches(self) -> tuple[Floats, Floats]:
        """The best F of each true group, and of each group."""
        return best_matches(self.truth, self.pred)

    def f_scores(self, true_groups: Places, groups: Places) -> Floats:
        """Return the F of some true groups with some groups.

        Parameters
        ----------
        true_groups, groups : ndarray of int
            Places of groups of the truth, and of the prediction.

        Returns
        -------
        ndarray of float
            One row per true group.

        Examples
        --------
        >>> import numpy as np
        >>> CoverPair([{0, 1, 2}, {2, 3}], [{0, 1}, {2, 3}]).f_scores(np.arange(2), np.arange(2))
        array([[0.8, 0.4],
               [0. , 1. ]])
        """
        return f_scores(self.truth, self.pred, np.asarray(true_groups), np.asarray(groups))

    @cached_property
    def entropies(self) -> tuple[Entropies, Entropies]:
        """The information in each group, and what is left of it given the other cover."""
        return entropies(self.truth, self.pred)


def _shown(cover: Cover) -> str:
    return show_object(cover.objects[0])


def _objects(count: int) -> str:
    return f"{counted(count, 'object')} {'is' if count == 1 else 'are'}"


def _union(one: Names, two: Names) -> tuple[Names, tuple[Places, Places] | None]:
    """All names, and for each its place on either side or -1; None where both are the same."""
    if isinstance(one, range) and isinstance(two, range):
        if len(one) == len(two):
            return one, None
        raise LabelError(
            f"truth has {len(one):,} objects and pred has {len(two):,}; rows without names must be "
            "of the same objects. Name the objects of both sides with objects=."
        )
    whole = [isinstance(side, range) or _is_int(side) for side in (one, two)]
    if all(whole):
        a, b = np.asarray(one, np.int64), np.asarray(two, np.int64)
        if np.array_equal(a, b):
            return one, None
        found = np.concatenate([a, np.setdiff1d(b, a)])
        return found, (_places(a, found), _places(b, found))
    left, right = _listed(one), _listed(two)
    if left == right:
        return one, None
    both = list(dict.fromkeys([*left, *right]))
    return both, (_looked_up(left, both), _looked_up(right, both))


def _is_int(names: Names) -> bool:
    """Whether names are whole numbers that fit the type of places."""
    return isinstance(names, np.ndarray) and np.can_cast(names.dtype, np.int64, "safe")


def _listed(names: Names) -> list[Any]:
    return names.tolist() if isinstance(names, np.ndarray) else list(names)


def _places(names: NDArray[Any], wanted: NDArray[Any]) -> Places:
    order = np.argsort(names, kind="stable")
    near = np.minimum(np.searchsorted(names, wanted, sorter=order), len(names) - 1)
    return np.where(names[order[near]] == wanted, order[near], -1).astype(np.int64)


def _looked_up(names: list[Any], wanted: list[Any]) -> Places:
    place = {name: k for k, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in wanted], np.int64)


def _canonical(cover: Cover) -> tuple[Places, Places]:
    """The groups in an order that does not depend on their names."""
    starts, members = cover.by_group
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed(members, 0))])
    order = np.argsort(sums[starts[1:]] - sums[starts[:-1]], kind="stable")
    return rows_at(starts, members, order)


def _cover_door(who: str, truth: Any, pred: Any = None, *, objects: Any = None) -> CoverPair:
    """What a measure of covers takes: one finished pair, or truth and prediction.

    Parameters
    ----------
    truth : Cover, CoverPair or what Cover reads
        The known groups, such as a list of sets; or one finished pair.
    pred : Cover or what Cover reads, optional
        The groups that were found. Objects are paired by name.
    objects : int or sequence, optional
        All objects, or their number; by default those of both sides.
    """
    if isinstance(truth, CoverPair):
        if pred is not None or objects is not None:
            raise ParameterError(f"{who} takes either one CoverPair or two covers, not both.")
        return truth
    if pred is None:
        raise ParameterError(f"{who} needs truth and prediction, or one CoverPair.")
    return CoverPair(truth, pred, objects)


register_door("overlapping", _cover_door)
register_subject("overlapping", Cover)
register_subject("overlapping", CoverPair)
