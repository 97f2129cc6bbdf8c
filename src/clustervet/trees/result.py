"""`TreeScores`: the best cut of a tree, and the code length and the scores of its levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ParameterError
from clustervet.hierarchical.tree import Floats, Places, Tree, level_place
from clustervet.registry import Measure
from clustervet.registry import measures as registry
from clustervet.view import Cell, Result, Section, Table, best_places, plain, plain_table
from clustervet.view.cells import number_cell
from clustervet.view.words import counted, noise_note, number, spoken

# Rows of a table that a terminal shows.
SHOWN = 12
CITED = ("Dom 2001", "Willems et al. 1995")
Chosen = str | Measure


@dataclass(frozen=True, slots=True)
class TreeCluster:
    """A cluster of the best cut.

    `cluster` is its number in `TreeScores.labels`, `name` its label in a taxonomy and `height` that
    of its node. `objects` have a class; sending the classes takes `bits`. `share` of the objects
    are of the `main_class`.
    """

    cluster: int
    name: str | None
    height: float | None
    objects: int
    bits: float
    main_class: Any
    share: float


@dataclass(frozen=True, slots=True)
class TreeCut:
    """A cut of a tree: its clusters, the bits that name it and those that send the classes.

    `scores` are its values by measures, and `parts` its clusters, where these are known.
    """

    clusters: int
    cut_bits: int
    class_bits: float
    scores: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[TreeCluster, ...] = ()

    @property
    def bits(self) -> float:
        """The whole code length: the cut, then the classes."""
        return self.cut_bits + self.class_bits


@dataclass(frozen=True, repr=False, eq=False)
class TreeScores(Result):
    """The best cut of a tree as a code for the classes, and all levels of the tree.

    Parameters
    ----------
    objects : int
        Objects that have a class and are in the tree.
    classes : int
        The number of classes.
    alone_bits : float
        Bits to send the classes without the tree (Dom 2001, eq. 15).
    perfect_bits : float
        Bits to send them if the clusters are known to be the classes (eq. 12).
    cut : TreeCut
        The cut with the shortest code.
    clusters : ndarray of int
        The number of clusters of each level, from coarse to fine.
    cut_bits : ndarray of int
        Bits that name the level as a cut.
    class_bits : ndarray of float
        Bits that send the classes given the clusters of the level: n Q0.
    names : tuple of str or None
        Names of the levels of a taxonomy.
    heights : ndarray of float or None
        The height of the last merge of each level, where it is known.
    tied : ndarray of bool
        Whether the next merge is not higher, so that only the order of the merges makes the level.
    measures : tuple of Measure
        Measures that scored levels.
    scores : mapping
        Scores of the levels by the key of the measure; nan at levels that were not scored.
    left_out : int
        Objects without a class, or outside the tree.
    noise_as_class : int
        Objects of the class -1, where no policy said what that means.
    tree : Tree
        The tree.
    nodes : tuple of int
        The nodes of the best cut.
    steps : ndarray of int
        How many merges are made at each level.
    remarks : tuple of str, optional
        How files were read.

    Examples
    --------
    >>> import clustervet as cv
    >>> levels = [[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 1, 2]]
    >>> found = cv.score_tree(list("aaaabb"), levels)
    >>> round(found.q0, 4), round(found.q1, 4), round(found.q2, 4)
    (0.9845, 0.4017, 0.6614)
    """

    SCHEMA: ClassVar[str] = "clustervet/tree/1"

    objects: int
    classes: int
    alone_bits: float
    perfect_bits: float
    cut: TreeCut
    clusters: Places
    cut_bits: Places
    class_bits: Floats
    names: tuple[str, ...] | None
    heights: Floats | None
    tied: NDArray[np.bool_]
    measures: tuple[Measure, ...]
    scores: Mapping[str, Floats]
    left_out: int
    noise_as_class: int
    tree: Tree
    nodes: tuple[int, ...]
    steps: Places
    remarks: tuple[str, ...] = ()

    @property
    def bits(self) -> Floats:
        """The code length of each level: the cut, then the classes."""
        return self.cut_bits + self.class_bits

    @cached_property
    def best_place(self) -> int:
        """The place of the level with the shortest code; of equal ones, the coarser one."""
        return int(self.bits.argmin())

    @property
    def best_level(self) -> TreeCut:
        """The level with the shortest code."""
        return self._level(self.best_place)

    def _level(self, place: int) -> TreeCut:
        scores = {key: float(values[place]) for key, values in self.scores.items()}
        return TreeCut(
            int(self.clusters[place]),
            int(self.cut_bits[place]),
            float(self.class_bits[place]),
            scores,
        )

    @property
    def q0(self) -> float:
        """Bits per object of the best cut and the classes: Q0 of the tree."""
        return self.cut.bits / self.objects

    @property
    def q1(self) -> float:
        """Bits per object that the tree saves: Q1 of the tree."""
        return (self.alone_bits - self.cut.bits) / self.objects

    @property
    def q2(self) -> float:
        """Q0 of the perfect clustering as a share of that of the tree; nan for one class."""
        return _share(self.perfect_bits, self.cut.bits)

    def best(self, measure: Chosen) -> tuple[float, int | str]:
        """Return the best score of a level by a measure, and the level.

        Parameters
        ----------
        measure : str or Measure
            One of the measures that levels were scored by.

        Returns
        -------
        value : float
            The best score of all levels that were scored; nan if none has one.
        level : int or str
            The number of clusters, or the name of the level of a taxonomy; the coarser one of
            equally good levels.

        Raises
        ------
        ParameterError
            If levels were not scored by the measure, or if it has no direction.

        Examples
        --------
        >>> import clustervet as cv
        >>> levels = [[0, 0, 0, 1, 1], [0, 0, 1, 2, 2]]
        >>> cv.score_tree(list("aaabb"), levels, ["ari"]).best("ari")
        (1.0, 'level 1')
        """
        record = registry.select([measure])[0]
        if record.key not in self.scores:
            asked = ", ".join(self.scores) or "no measure"
            raise ParameterError(f"levels are scored by {asked}, not by {record.key}.")
        if record.better == "neither":
            raise ParameterError(f"{record.key} has no direction, so no level is best.")
        values = self.scores[record.key]
        known = np.flatnonzero(~np.isnan(values))
        if not len(known):
            return math.nan, self.level_name(0)
        signed = values[known] if record.better == "higher" else -values[known]
        place = int(known[signed.argmax()])
        return float(values[place]), self.level_name(place)

    def level_name(self, place: int) -> int | str:
        """Return the number of clusters of a level, or its name in a taxonomy.

        Parameters
        ----------
        place : int
            The place of the level, from the coarsest on.

        Returns
        -------
        int or str
            What `labels` takes.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.score_tree([0, 0, 1], {"genus": [5, 5, 6]}).level_name(1)
        'genus'
        """
        return int(self.clusters[place]) if self.names is None else self.names[place]

    def labels(self, clusters: int | str | None = None) -> Places:
        """Return the cluster of each object, also of objects without a class.

        Parameters
        ----------
        clusters : int or str, optional
            The level: its number of clusters, or its name in a taxonomy; by default the best cut.

        Returns
        -------
        ndarray of int
            Clusters 0, 1, ... in the order in which they first occur; -1 for objects that are not
            in the tree.

        Raises
        ------
        ParameterError
            If the tree has no such level.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.score_tree([0, 0, 1], {"genus": ["a", "a", "b"], "kind": ["x", "y", "z"]})
        >>> found.labels("genus").tolist(), found.labels("kind").tolist()
        ([0, 0, 1], [0, 1, 2])
        """
        nodes: Sequence[int] = self.nodes
        if clusters is not None:
            made = int(self.steps[level_place(self.tree, self.clusters.tolist(), clusters)])
            end = self.tree.leaves + made
            nodes = np.flatnonzero(self.tree.parents[:end] >= end).tolist()
        held = self.tree.members(nodes)
        inside = held >= 0
        distinct, first, codes = np.unique(held[inside], return_index=True, return_inverse=True)
        rank = np.empty(len(distinct), np.int64)
        rank[np.argsort(first)] = np.arange(len(distinct))
        found = np.full(len(held), -1, np.int64)
        found[inside] = rank[codes]
        return found

    def columns(self) -> dict[str, Any]:
        """Return one row per level, from coarse to fine.

        Returns
        -------
        dict
            The level of a taxonomy or the height of a dendrogram, clusters, bits for the cut, for
            the classes and for both, Q0, Q1 and Q2 with the cut paid for, and one column
            per measure.
        """
        bits = self.bits
        found: dict[str, Any] = {} if self.names is None else {"level": list(self.names)}
        found["clusters"] = self.clusters.tolist()
        if self.heights is not None:
            found["height"] = self.heights.tolist()
            found["tied"] = self.tied.tolist()
        found |= {
            "cut_bits": self.cut_bits.tolist(),
            "class_bits": self.class_bits.tolist(),
            "bits": bits.tolist(),
            "q0": (bits / self.objects).tolist(),
            "q1": ((self.alone_bits - bits) / self.objects).tolist(),
            "q2": [_known(_share(self.perfect_bits, one)) for one in bits.tolist()],
        }
        for key, values in self.scores.items():
            found[key] = [_known(value) for value in values.tolist()]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the best cut, the best levels and all levels as plain data.

        Returns
        -------
        dict
            Numbers, texts, lists and dicts, as JSON holds them.
        """
        level = {"level": self.level_name(self.best_place)}
        best = {
            record.key: dict(zip(("value", "level"), self.best(record), strict=True))
            for record in self.measures
            if record.better != "neither"
        }
        return {
            "schema": self.SCHEMA,
            "objects": self.objects,
            "classes": self.classes,
            "left_out": self.left_out,
            "alone_bits": self.alone_bits,
            "perfect_bits": self.perfect_bits,
            "q0": self.q0,
            "q1": self.q1,
            "q2": plain(self.q2),
            "cut": {**plain(self.cut), "bits": self.cut.bits},
            "best_level": {**level, "bits": self.best_level.bits},
            "best": plain(best),
            "levels": plain(self.columns()),
            "verdict": " ".join(self.facts()),
        }

    def facts(self) -> tuple[str, ...]:
        """Return what the code lengths say, in sentences.

        Returns
        -------
        tuple of str
            The best cut beside no tree at all, and the best level.

        Examples
        --------
        >>> import clustervet as cv
        >>> print(cv.score_tree(list("abab"), [[0, 0, 1, 1]]).facts()[0])
        The tree does not help: the classes take 7.3219 bits with its best cut, and 6.3219 without
        it.
        """
        if self.classes == 1:
            return ("There is one class, so there is nothing to send.",)
        took, alone = number(self.cut.bits), number(self.alone_bits)
        if self.cut.bits >= self.alone_bits:
            return (
                f"The tree does not help: the classes take {took} bits with its best cut, and "
                f"{alone} without it.",
            )
        first = (
            f"The best cut has {counted(self.cut.clusters, 'cluster')}: the classes of "
            f"{counted(self.objects, 'object')} take {took} bits ({self.cut.cut_bits:,} for the "
            f"cut), and {alone} bits without the tree."
        )
        level = self.best_level
        groups = counted(level.clusters, "cluster")
        which = f"has {groups}"
        if self.names is not None:
            which = f"is {spoken(self.names[self.best_place])} ({groups})"
        if math.isclose(level.bits, self.cut.bits, rel_tol=1e-12):
            return first, f"The best level {which} and is the same cut."
        return first, f"The best level {which} and takes {number(level.bits)} bits."

    def cautions(self) -> list[str]:
        """Return what a reader of the numbers alone must know.

        Returns
        -------
        list of str
            Sentences about class -1, objects that are left out, ties and levels without scores.
        """
        said = []
        if self.noise_as_class:
            said.append(noise_note({}, {"truth": (self.noise_as_class, self.objects)}))
        if self.left_out:
            said.append(
                f"{counted(self.left_out, 'object')} without a class or without a place in the "
                "tree: no score counts them."
            )
        if self.tied[self.best_place]:
            said.append(
                "The best level lies between merges of the same height: another order of these "
                "merges would give another clustering."
            )
        missed = [int(np.isnan(values).sum()) for values in self.scores.values()]
        if self.names is None and missed and min(missed):
            scored = len(self.clusters) - min(missed)
            said.append(
                f"Measures have scored {scored:,} of {len(self.clusters):,} levels; the code "
                "length is known for all of them."
            )
        return said

    def document(self) -> Section:
        """Return the best cut, the best levels, the clusters of the cut, and all levels.

        Returns
        -------
        Section
            Sentences and tables.
        """
        kind = "dendrogram" if self.names is None else "taxonomy"
        caption = (
            f"A {kind} with {counted(len(self.clusters), 'level')} over "
            f"{counted(self.objects, 'object')} of {counted(self.classes, 'class', 'classes')}."
        )
        blocks = [self._codes()]
        if self.measures:
            blocks.append(self._best_scores())
        blocks += [self._parts(), self._all_levels()]
        return Section(
            "tree",
            "The tree as a code for the classes",
            (caption,),
            tuple(blocks),
            notes=(*self.facts(), *self.cautions()),
            lead=self.facts(),
            subject=self,
            measures=(*self.measures, *registry.select(["dom_q0"])),
            citations=CITED,
        )

    def _codes(self) -> Table:
        """Return the code lengths of the best cut and of the levels to hold it against."""
        rows = {"best cut": self.cut, "best level": self.best_level}
        same = np.flatnonzero(self.clusters == self.classes)
        if len(same) and self.classes > 1:
            rows["as many clusters as classes"] = self._level(int(same[0]))
        bits = [one.bits for one in rows.values()]
        columns: dict[str, list[Any]] = {
            "code": [*rows, "without the tree"],
            "clusters": [*(one.clusters for one in rows.values()), None],
            "bits for the cut": [*(one.cut_bits for one in rows.values()), None],
            "bits for the classes": [*(one.class_bits for one in rows.values()), self.alone_bits],
            "bits": [*bits, self.alone_bits],
            "Q0": [one / self.objects for one in (*bits, self.alone_bits)],
            "Q1": [(self.alone_bits - one) / self.objects for one in (*bits, self.alone_bits)],
            "Q2": [_known(_share(self.perfect_bits, one)) for one in (*bits, self.alone_bits)],
        }
        note = "Q0, Q1 and Q2 pay for naming the cut; Q0 and Q1 are bits per object."
        return plain_table("tree-codes", "Code lengths", columns, note)

    def _best_scores(self) -> Table:
        """Return the best level by each measure, and what the best cut has."""
        best = [
            (None, None) if record.better == "neither" else self.best(record)
            for record in self.measures
        ]
        columns: dict[str, list[Any]] = {
            "measure": [record.key for record in self.measures],
            "best": [None if value is None else _known(value) for value, _ in best],
            "at level": [level for _, level in best],
            "best cut": [_known(self.cut.scores[record.key]) for record in self.measures],
            "best level by bits": [
                _known(float(self.scores[record.key][self.best_place])) for record in self.measures
            ],
        }
        return plain_table("tree-best", "Best levels by measures", columns)

    def _parts(self) -> Table:
        """Return the clusters of the best cut."""
        parts = self.cut.parts
        columns: dict[str, list[Any]] = {"cluster": [part.cluster for part in parts]}
        if self.names is not None:
            columns["name"] = [part.name for part in parts]
        if self.heights is not None:
            columns["height"] = [part.height for part in parts]
        columns |= {
            "objects": [part.objects for part in parts],
            "main class": [Cell(spoken(part.main_class)) for part in parts],
            "share": [part.share for part in parts],
            "bits": [part.bits for part in parts],
        }
        return plain_table("tree-clusters", "Clusters of the best cut", columns, shown=SHOWN)

    def _all_levels(self) -> Table:
        """Return the levels, with the best of each column marked."""
        found = self.columns()
        if not self.tied.any():
            found.pop("tied", None)
        marked = {"bits": "lower"} | {record.key: record.better for record in self.measures}
        for name, better in marked.items():
            values = [math.nan if value is None else value for value in found[name]]
            places = best_places(values, better)
            found[name] = [
                number_cell(_known(value), best=k in places) for k, value in enumerate(values)
            ]
        return plain_table(
            "tree-levels", "Levels from coarse to fine", found, shown=SHOWN, mark="*"
        )


def _share(best: float, actual: float) -> float:
    """Return the shortest code as a share of the actual one; nan where there is nothing to send."""
    return min(1.0, best / actual) if best and actual else math.nan


def _known(value: float) -> float | None:
    """Return a number, or None where it is not finite."""
    return value if math.isfinite(value) else None
