"""`Cover`: groups of objects that may overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import places as checked_places
from clustervet.errors import LabelError
from clustervet.labels import plain_label, show_label
from clustervet.overlapping.reading import (
    Edges,
    Names,
    Places,
    edges_of_columns,
    edges_of_objects,
    read_edges,
    renamed,
)
from clustervet.overlapping.rows import Atoms, atoms_of, rows_at
from clustervet.view import Result, Section, plain, plain_table
from clustervet.view.cells import MOST_ROWS
from clustervet.view.words import counted


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Cover(Result):
    """Groups of objects that may overlap; an object may be in several groups, or in none.

    Parameters
    ----------
    groups : list of collections, mapping, matrix, frame, labels or community object
        The objects of each group as a list of sets or lists, or as ``{group: objects}``; a matrix
        of 0 and 1, dense or sparse, with one row per object and one column per group; a frame with
        two columns, object and group, or with one column of booleans per group; labels, which put
        each object into one group, or into none where they are missing; a `Partition`; a
        ``VertexCover`` of igraph or a ``NodeClustering`` of cdlib.
    objects : int or sequence, optional
        All objects, or their number if they are 0, 1, ...; for labels and matrices the name of
        each row. A text stands for its letters. By default they are the objects in groups, the
        nodes of a graph, or the rows.

    Raises
    ------
    LabelError
        If something cannot be read, an object is in the same group twice, or `objects` lacks one.

    Notes
    -----
    A list of tuples is a list of groups; memberships one by one are for `from_edges`. A group
    without objects is left out and counted in `empty`. Two groups with the same objects are two
    groups. A column or frame of pandas with an index of its own names its objects by it.

    Examples
    --------
    >>> import clustervet as cv
    >>> cover = cv.Cover({"red": ["a", "b", "c"], "blue": ["c", "d"]}, objects="abcde")
    >>> cover.n, cover.k, cover.sizes.tolist(), cover.ungrouped
    (5, 2, [3, 2], 1)
    >>> cover.memberships.tolist()
    [1, 1, 2, 1, 0]
    >>> cover.groups
    {'red': ['a', 'b', 'c'], 'blue': ['c', 'd']}
    """

    SCHEMA: ClassVar[str] = "clustervet/cover/1"

    indptr: Places
    indices: Places
    names: Names
    group_names: Names
    empty: int

    def __init__(self, groups: Any, objects: Any = None) -> None:
        if isinstance(groups, Cover):
            if objects is None:
                self._set(**{name: getattr(groups, name) for name in _FIELDS})
                return
            groups = groups._edges(objects)
        self._hold(groups if isinstance(groups, Edges) else read_edges(groups, _listed(objects)))

    @classmethod
    def from_objects(cls, groups: Mapping[Any, Any], objects: Any = None) -> Self:
        """Read the groups of each object.

        Parameters
        ----------
        groups : mapping
            For each object a collection of groups, or one group, or None.
        objects : int or sequence, optional
            All objects, or their number; by default the keys.

        Returns
        -------
        Cover
            The groups.

        Raises
        ------
        LabelError
            If it is no mapping, or something in it cannot be read.

        Examples
        --------
        >>> Cover.from_objects({"a": ["x"], "b": ["x", "y"], "c": None}).groups
        {'x': ['a', 'b'], 'y': ['b']}
        """
        return cls(edges_of_objects(groups, _listed(objects)))

    @classmethod
    def from_edges(cls, objects: Any, groups: Any, all_objects: Any = None) -> Self:
        """Read memberships one by one: an object and one of its groups.

        Parameters
        ----------
        objects : array_like
            The object of each membership.
        groups : array_like
            The group of each membership; where it is missing, the object is in no group by it.
        all_objects : int or sequence, optional
            All objects, or their number; by default those in `objects`.

        Returns
        -------
        Cover
            The groups.

        Raises
        ------
        LabelError
            If the columns have different lengths, an object is missing, or a pair is there twice.

        Examples
        --------
        >>> cover = Cover.from_edges(["a", "b", "b", "c"], ["x", "x", "y", None])
        >>> cover.groups, cover.ungrouped
        ({'x': ['a', 'b'], 'y': ['b']}, 1)
        """
        return cls(edges_of_columns(objects, groups, _listed(all_objects)))

    def _set(self, **held: Any) -> None:
        for name, value in held.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def _hold(self, edges: Edges) -> None:
        """Sort memberships by object, and leave out empty groups."""
        if not len(edges.names):
            raise LabelError(
                "a cover needs at least one object; say with objects= which there are."
            )
        sizes = np.bincount(edges.groups, minlength=len(edges.group_names))
        used = np.flatnonzero(sizes)
        groups, titles = edges.groups, edges.group_names
        if len(used) < len(sizes):
            rank = np.cumsum(sizes > 0) - 1
            groups, titles = rank[groups], [titles[k] for k in used.tolist()]
        indptr, indices = _sorted_rows(edges.objects, groups, len(edges.names), len(used))
        if len(indices) < len(groups):
            keys, times = np.unique(edges.objects * len(used) + groups, return_counts=True)
            where, group = divmod(int(keys[times > 1][0]), len(used))
            name = edges.names[where]
            hint = " A matrix of 0 and 1 is given as an array." if name in (0, 1) else ""
            raise LabelError(
                f"object {show_label(name)!r} is more than once in group "
                f"{show_label(titles[group])!r}.{hint}"
            )
        self._set(
            indptr=indptr,
            indices=indices,
            names=edges.names,
            group_names=titles,
            empty=len(sizes) - len(used),
        )

    def _edges(self, objects: Any) -> Edges:
        """The memberships again, for another set of all objects."""
        rows = np.repeat(np.arange(self.n), self.memberships)
        places, names = renamed(self.names, _listed(objects))
        return Edges(places[rows], self.indices, names, self.group_names)

    @property
    def n(self) -> int:
        """The number of objects."""
        return len(self.indptr) - 1

    @property
    def k(self) -> int:
        """The number of groups."""
        return len(self.group_names)

    @cached_property
    def sizes(self) -> Places:
        """The number of objects in each group."""
        return _frozen(np.bincount(self.indices, minlength=self.k))

    @cached_property
    def memberships(self) -> Places:
        """The number of groups of each object."""
        return _frozen(np.diff(self.indptr))

    @cached_property
    def ungrouped(self) -> int:
        """The number of objects in no group."""
        return int((self.memberships == 0).sum())

    @cached_property
    def by_group(self) -> tuple[Places, Places]:
        """Where the objects of each group begin, and the places of these objects."""
        objects = np.repeat(np.arange(self.n), self.memberships)
        starts, members = _sorted_rows(self.indices, objects, self.k, self.n)
        return _frozen(starts), _frozen(members)

    @property
    def objects(self) -> list[Any]:
        """The names of all objects."""
        return [plain_label(name) for name in self.names]

    @property
    def groups(self) -> dict[Any, list[Any]]:
        """The objects of each group."""
        starts, members = self.by_group
        names = self.objects
        return {
            plain_label(title): [names[k] for k in members[starts[g] : starts[g + 1]].tolist()]
            for g, title in enumerate(self.group_names)
        }

    @cached_property
    def _atoms(self) -> Atoms:
        return atoms_of([(self.indptr, self.indices)])

    def combinations(self, most: int | None = None) -> list[tuple[list[Any], int]]:
        """Return the sets of groups that objects are in, and how many objects are in exactly these.

        Parameters
        ----------
        most : int, optional
            The most combinations; all by default.

        Returns
        -------
        list of tuple
            Groups and number of objects, the largest number first. Objects in no group have an
            empty list.

        Examples
        --------
        >>> Cover({"red": [0, 1, 2, 3], "blue": [3, 4]}, objects=6).combinations()
        [(['red'], 3), (['red', 'blue'], 1), (['blue'], 1), ([], 1)]
        """
        atoms = self._atoms
        order = np.argsort(-atoms.weights, kind="stable")[:most]
        titles = [plain_label(title) for title in self.group_names]
        found = []
        for k in order.tolist():
            row = int(atoms.first[k])
            held = self.indices[self.indptr[row] : self.indptr[row + 1]]
            found.append(([titles[g] for g in held.tolist()], int(atoms.weights[k])))
        return found

    def take(self, places: NDArray[np.int64]) -> Self:
        """Return the cover on some of the objects, which are then called 0, 1, ....

        Parameters
        ----------
        places : ndarray of int
            Places of objects, in any order; an object that is there twice becomes two objects.

        Returns
        -------
        Cover
            The same groups with these objects; groups that have none are left out.

        Examples
        --------
        >>> Cover([[0, 1], [1, 2]]).take(np.array([2, 1])).groups
        {0: [1], 1: [0, 1]}
        """
        return self._placed(checked_places(places, self.n), range(len(places)))

    def _placed(self, places: Places, names: Names) -> Self:
        """The cover on other objects: for each its place here, or -1 for one in no group."""
        starts = np.append(self.indptr, self.indptr[-1])  # the place -1 is an empty row
        lengths, indices = rows_at(starts, self.indices, places)
        made = object.__new__(type(self))
        titles = self.group_names
        objects = np.repeat(np.arange(len(places)), np.diff(lengths))
        made._hold(Edges(objects, indices, names, titles))
        made._set(empty=made.empty + self.empty)
        return made

    def columns(self) -> dict[str, Any]:
        """Return one row per membership, by object; an object in no group has a row without one.

        Returns
        -------
        dict of str to list
            Objects and groups.
        """
        alone = self.memberships == 0
        names, titles = self.objects, [*map(plain_label, self.group_names), None]
        groups = np.full(len(self.indices) + int(alone.sum()), self.k)
        rows = np.repeat(np.arange(self.n), np.maximum(self.memberships, 1))
        groups[~alone[rows]] = self.indices
        return {
            "object": [names[k] for k in rows.tolist()],
            "group": [titles[k] for k in groups.tolist()],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the sizes and the memberships as plain data.

        Returns
        -------
        dict
            Numbers of objects and groups, and one object and one group per membership.
        """
        facts = {"objects": self.n, "groups": self.k, "ungrouped": self.ungrouped}
        return {"schema": self.SCHEMA, **facts, "memberships": plain(self.columns())}

    def document(self) -> Section:
        """Return the groups, the largest first, and how they overlap.

        Returns
        -------
        Section
            Sentences and three tables.
        """
        several = np.bincount(self.indices, self._shared, minlength=self.k).astype(np.int64)
        order = np.argsort(-self.sizes, kind="stable").tolist()
        many, objects = np.unique(self.memberships, return_counts=True)
        said = f"{counted(self.n, 'object')} in {counted(self.k, 'group')}: "
        said += f"{int((self.memberships > 1).sum()):,} in several, {self.ungrouped:,} in none."
        if self.empty:
            said += f" {counted(self.empty, 'empty group')} left out."
        groups = {
            "group": [show_label(self.group_names[k]) for k in order],
            "objects": self.sizes[order].tolist(),
            "also in other groups": several[order].tolist(),
        }
        counts = {"groups of an object": many.tolist(), "objects": objects.tolist()}
        sets = self.combinations(MOST_ROWS)
        exact: dict[str, list[Any]] = {
            "groups": [", ".join(map(show_label, held)) or "none" for held, _ in sets],
            "objects": [count for _, count in sets],
        }
        total = len(self._atoms.weights)
        return Section(
            "cover",
            "Groups that may overlap",
            paragraphs=(said,),
            blocks=(
                plain_table("cover-groups", "Groups", groups, shown=12),
                plain_table("cover-counts", "How many groups objects are in", counts, shown=12),
                plain_table(
                    "cover-combinations",
                    "Objects in exactly these groups",
                    exact,
                    shown=12,
                    total=total,
                ),
            ),
            subject=self,
        )

    @property
    def _shared(self) -> Places:
        """For each membership whether its object is in other groups too."""
        return np.repeat(self.memberships > 1, self.memberships).astype(np.int64)


_FIELDS = ("indptr", "indices", "names", "group_names", "empty")


def _listed(objects: Any) -> Any:
    """All objects, where a text stands for its characters."""
    return list(objects) if isinstance(objects, str) and len(objects) > 0 else objects


def _frozen(array: NDArray[Any]) -> Places:
    found = array.astype(np.int64, copy=False)
    found.flags.writeable = False
    return found


def _sorted_rows(rows: Places, columns: Places, height: int, width: int) -> tuple[Places, Places]:
    """Where the entries of each row begin, and their columns in ascending order, each once."""
    from scipy.sparse import coo_array

    ones = np.ones(len(rows), np.int8)
    held = coo_array((ones, (rows, columns)), shape=(height, width)).tocsr()
    held.sort_indices()
    return held.indptr.astype(np.int64), held.indices.astype(np.int64)
