"""`Coassociation`: how often pairs of objects are together in many labelings.

Nothing here holds a number for every pair. Objects that no labeling separates form an atom, pairs
of atoms are compared in tiles, and what is said about single objects and clusters is a sum over
tables of two labelings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet import _kernels
from clustervet._checks import is_number, shown
from clustervet._kernels.patience import is_little
from clustervet._progress import ticking
from clustervet.ensemble.labelings import Labelings
from clustervet.ensemble.local_search import Atoms, find_atoms
from clustervet.errors import ParameterError
from clustervet.view import Result, Section, facts_table, number_cell, plain, plain_table
from clustervet.view.words import counted

Floats = NDArray[np.float64]
# Values of the consensus between which a pair of objects is ambiguous.
AMBIGUOUS = (0.1, 0.9)
# Comparisons of labels up to which numpy is quicker than loading compiled loops.
FEW = 20_000_000
# Rows of pairs that one step compares, so that progress is seen.
STEP = 2_000


@dataclass(frozen=True, eq=False, repr=False)
class Coassociation(Result):
    """How often objects are together: over all pairs, by object and by cluster.

    The consensus of two objects is the share of the labelings that put them together, among those
    that label both (Monti, Tamayo, Mesirov and Golub 2003; the co-association of Fred and Jain
    2005). Made by `Ensemble.coassociation`.

    Parameters
    ----------
    labelings : Labelings
        The labelings.
    reference : str
        The labeling whose clusters are described.
    values : ndarray of float
        The values that the consensus of two objects takes, in ascending order.
    pairs : ndarray of int
        The number of pairs of objects with each of them.
    alone : int
        The number of pairs that no labeling labels both.

    Examples
    --------
    >>> import clustervet as cv
    >>> runs = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
    >>> found = cv.Ensemble(runs).coassociation()
    >>> found.values.round(2).tolist(), found.pairs.tolist()
    ([0.0, 0.33, 0.67, 1.0], [2, 2, 1, 1])
    >>> found.pac, found.clusters
    (0.5, {0: 1.0, 1: 0.6666666666666666})
    """

    SCHEMA: ClassVar[str] = "clustervet/coassociation/1"

    labelings: Labelings
    reference: str
    values: Floats
    pairs: NDArray[np.int64]
    alone: int = 0

    def cdf(self, value: float) -> float:
        """Return the share of pairs whose consensus is at most a value.

        Parameters
        ----------
        value : float
            The value.

        Returns
        -------
        float
            The share; nan where no pair has a consensus.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.Ensemble([[0, 0, 1, 1], [0, 0, 0, 1]]).coassociation().cdf(0.5)
        0.8333333333333334
        """
        total = int(self.pairs.sum())
        held = int(self.pairs[self.values <= value].sum())
        return held / total if total else math.nan

    @property
    def area(self) -> float:
        """The area under the distribution function of the consensus, from 0 to 1.

        It is 1 less the mean consensus. Monti et al. (2003, §3.3) take the upper sum over the
        values that occur, and ConsensusClusterPlus that over bins of 0.01. Their Δ(k), the change
        from k - 1 to k clusters, is ``area[k] / area[k - 1] - 1``. Without missing labels the area
        depends on the sizes of clusters alone; what samples agree on is in `pac`.
        """
        total = int(self.pairs.sum())
        weighted = math.fsum(
            value * pairs
            for value, pairs in zip(self.values.tolist(), self.pairs.tolist(), strict=True)
        )
        return 1 - weighted / total if total else math.nan

    @property
    def pac(self) -> float:
        """The proportion of ambiguous pairs: with a consensus above 0.1 and at most 0.9."""
        return self.ambiguous(*AMBIGUOUS)

    def ambiguous(self, low: float = 0.1, high: float = 0.9) -> float:
        """Return the share of pairs with a consensus above `low` and at most `high`.

        Parameters
        ----------
        low, high : float
            The ends, between 0 and 1.

        Returns
        -------
        float
            The share (Şenbabaoğlu, Michailidis and Li 2014, who take 0.1 and 0.9).

        Raises
        ------
        ParameterError
            If the ends are not in order, or not between 0 and 1.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.Ensemble([[0, 0, 1, 1], [0, 0, 0, 1]]).coassociation()
        >>> found.ambiguous(0.4, 0.6)
        0.5
        """
        if not (is_number(low) and is_number(high) and 0 <= low <= high <= 1):
            raise ParameterError(
                f"low and high must be from 0 to 1, in their order, not {shown(low)} and "
                f"{shown(high)}."
            )
        total = int(self.pairs.sum())
        between = (self.values > low) & (self.values <= high)
        return int(self.pairs[between].sum()) / total if total else math.nan

    @cached_property
    def _beside(self) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Clusters of the reference, and for each object how often it meets and could meet them."""
        many = self.labelings
        place = many.names.index(self.reference)
        own, clusters = many.codes[place].astype(np.int64), int(many.clusters[place])
        here = own < clusters
        met, could = np.zeros(many.n), np.zeros(many.n)
        sizes = np.bincount(own, minlength=clusters + 1)
        for k, codes in enumerate(many.codes):
            width = int(many.clusters[k]) + 1
            both = here & (codes < many.clusters[k])
            keys = own * width + codes
            cells = np.bincount(keys[both], minlength=(clusters + 1) * width)
            labelled = sizes if both.all() else np.bincount(own[both], minlength=clusters + 1)
            met[both] += cells[keys[both]] - 1
            could[both] += labelled[own[both]] - 1
        return own, met, could

    @cached_property
    def objects(self) -> Floats:
        """For each object the mean consensus with the others of its cluster (item consensus).

        In the order given, which is that of `Ensemble.objects` if these have names; nan where an
        object has no such others. Where labels are missing it is the sum of all meetings divided
        by the sum of all that could be.
        """
        _, met, could = self._beside
        with np.errstate(invalid="ignore"):
            found = met / could
        if self.labelings.kept is None:
            return found
        every = np.full(len(self.labelings.kept), np.nan)
        every[self.labelings.kept] = found
        return every

    @cached_property
    def clusters(self) -> Mapping[int, float]:
        """For each cluster of the reference, by its number, the mean consensus of its pairs."""
        own, met, could = self._beside
        count = int(self.labelings.clusters[self.labelings.names.index(self.reference)])
        sums = [np.bincount(own, weight, minlength=count + 1)[:count] for weight in (met, could)]
        return {
            k: a / b if b else math.nan
            for k, (a, b) in enumerate(zip(*(each.tolist() for each in sums), strict=True))
        }

    @cached_property
    def consistency(self) -> Floats:
        """For each object its mean element-centric similarity over all pairs of labelings.

        1 where all labelings have the same objects beside it (Gates, Wood, Hetrick and Ahn 2019).
        In the order given, which is that of `Ensemble.objects` if these have names; nan where
        fewer than two labelings label an object.
        """
        many = self.labelings
        total, times = np.zeros(many.n), np.zeros(many.n, np.int64)
        pairs = len(many) * (len(many) - 1) // 2
        with ticking(pairs, "pairs of labelings") as tick:
            for one, two in combinations(range(len(many)), 2):
                a, b = many.codes[one].astype(np.int64), many.codes[two].astype(np.int64)
                both = (a < many.clusters[one]) & (b < many.clusters[two])
                a, b = a[both], b[both]
                if len(a):
                    width = int(many.clusters[two])
                    keys = a * width + b
                    larger = np.maximum(np.bincount(a)[a], np.bincount(b)[b])
                    total[both] += np.bincount(keys)[keys] / larger
                    times += both
                tick()
        with np.errstate(invalid="ignore"):
            found = total / times
        if many.kept is None:
            return found
        every = np.full(len(many.kept), np.nan)
        every[many.kept] = found
        return every

    def block(self, rows: Any, columns: Any) -> Floats:
        """Return the consensus of some objects with others.

        Parameters
        ----------
        rows, columns : sequence of int
            Places of objects among those that are left.

        Returns
        -------
        ndarray of float
            Rows × columns; nan where no labeling labels both. An object has 1 with itself.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.Ensemble([[0, 0, 1], [0, 1, 1]]).coassociation().block([0, 1], [1, 2])
        array([[0.5, 0. ],
               [1. , 0.5]])
        """
        a, b = np.asarray(rows, np.int64), np.asarray(columns, np.int64)
        met, could = np.zeros((len(a), len(b))), np.zeros((len(a), len(b)))
        for codes, clusters in zip(self.labelings.codes, self.labelings.clusters, strict=True):
            one, two = codes[a][:, None], codes[b][None, :]
            both = (one < clusters) & (two < clusters)
            met += (one == two) & both
            could += both
        with np.errstate(invalid="ignore"):
            return np.asarray(met / could)

    def columns(self) -> dict[str, Any]:
        """Return the distribution of the consensus: one row per value.

        Returns
        -------
        dict
            The values, the number of pairs, and the share of pairs up to each value.
        """
        return {
            "consensus": self.values.tolist(),
            "pairs": self.pairs.tolist(),
            "cdf": [self.cdf(value) for value in self.values.tolist()],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the distribution, what is made of it, and the consensus of each cluster.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        held = {
            "labelings": len(self.labelings),
            "objects": self.labelings.n,
            "pac": self.pac,
            "area": self.area,
            "reference": self.reference,
            "clusters": {str(name): value for name, value in self.clusters.items()},
            "distribution": self.columns(),
        }
        return {"schema": self.SCHEMA} | {name: plain(value) for name, value in held.items()}

    def document(self) -> Section:
        """Return how many pairs are ambiguous, and the consensus of each cluster.

        Returns
        -------
        Section
            The sentences and tables.
        """
        facts = {
            "ambiguous pairs (consensus from 0.1 to 0.9)": number_cell(self.pac),
            "area under the distribution": number_cell(self.area),
            "pairs that are always together": number_cell(1 - self.cdf(1 - 1e-12)),
            "pairs that are never together": number_cell(self.cdf(0)),
        }
        sizes = self.labelings.sizes(self.labelings.names.index(self.reference))
        clusters = {
            "cluster": list(self.clusters),
            "objects": sizes.tolist(),
            "consensus": [None if x != x else x for x in self.clusters.values()],
        }
        said = (
            f"Consensus of {counted(len(self.labelings), 'labeling')} of "
            f"{counted(self.labelings.n, 'object')}"
        )
        return Section(
            "coassociation",
            "How often objects are together",
            (said,),
            (
                facts_table("coassociation-facts", "Over all pairs of objects", facts),
                plain_table(
                    "coassociation-clusters", f"Clusters of {self.reference}, numbered", clusters
                ),
            ),
            subject=self,
        )


def coassociation(many: Labelings, reference: int) -> Coassociation:
    """Count how often pairs of objects are together in labelings."""
    codes = [
        np.where(codes < clusters, codes.astype(np.int32), -1)
        for codes, clusters in zip(many.codes, many.clusters, strict=True)
    ]
    atoms = find_atoms(codes)
    rows = len(many)
    table = _shared_pairs(atoms, rows) if many.gaps.any() else _pairs(atoms, rows)
    inside = atoms.sizes * (atoms.sizes - 1) // 2
    labelled = (atoms.labels >= 0).sum(axis=1)
    np.add.at(table, (labelled, labelled), inside)
    both, met = np.nonzero(table)
    found: dict[Any, int] = {}
    for b, k in zip(both.tolist(), met.tolist(), strict=True):
        if b:
            found[k / b] = found.get(k / b, 0) + int(table[b, k])
    values = sorted(found)
    return Coassociation(
        many,
        many.names[reference],
        np.array(values, np.float64),
        np.array([found[value] for value in values], np.int64),
        int(table[0, 0]),
    )


def _codes(atoms: Atoms) -> tuple[NDArray[Any], int]:
    """Return the labels of atoms in one row per labeling, as narrow as can be, and the blank."""
    most = int(atoms.labels.max(initial=0)) + 1
    kind = np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.int32
    codes = np.where(atoms.labels < 0, most, atoms.labels).T
    return np.ascontiguousarray(codes.astype(kind)), most


def _pairs(atoms: Atoms, rows: int) -> NDArray[np.int64]:
    """Return the pairs of objects in two atoms, by how many labelings put them together."""
    table = np.zeros((rows + 1, rows + 1), np.int64)
    codes, _ = _codes(atoms)
    if is_little(rows * atoms.count**2 / 2, FEW):
        for i in range(atoms.count - 1):
            met = (codes[:, i + 1 :] == codes[:, i : i + 1]).sum(axis=0)
            np.add.at(table[rows], met, atoms.sizes[i] * atoms.sizes[i + 1 :])
        return table
    kind = np.uint8 if rows < 2**8 else np.uint16

    def part(first: int, last: int) -> NDArray[np.int64]:
        found = np.zeros(rows + 1, np.int64)
        room = np.empty(_kernels.TILE, kind)
        _kernels.together(codes, atoms.sizes, first, last, room, found)
        return found

    for found in _in_parts(part, atoms.count):
        table[rows] += found
    return table


def _shared_pairs(atoms: Atoms, rows: int) -> NDArray[np.int64]:
    """Return the same by how many labelings label both, and how many put them together."""
    table = np.zeros((rows + 1, rows + 1), np.int64)
    codes, blank = _codes(atoms)
    if is_little(rows * atoms.count**2 / 2, FEW):
        known = codes != blank
        for i in range(atoms.count - 1):
            both = known[:, i + 1 :] & known[:, i : i + 1]
            met = ((codes[:, i + 1 :] == codes[:, i : i + 1]) & both).sum(axis=0)
            np.add.at(table, (both.sum(axis=0), met), atoms.sizes[i] * atoms.sizes[i + 1 :])
        return table
    kind = np.uint8 if rows < 2**8 else np.uint16

    def part(first: int, last: int) -> NDArray[np.int64]:
        found = np.zeros((rows + 1, rows + 1), np.int64)
        met, both = np.empty(_kernels.TILE, kind), np.empty(_kernels.TILE, kind)
        _kernels.together_shared(codes, blank, atoms.sizes, first, last, met, both, found)
        return found

    for found in _in_parts(part, atoms.count):
        table += found
    return table


def _in_parts(part: Any, count: int) -> Any:
    """Yield what parts of all pairs give, several at once; pairs are those with later columns."""
    starts = range(0, count, STEP)
    with ticking(len(starts), "pairs of objects") as tick, _kernels.Pool(_kernels.cores()) as pool:
        for found in pool.map(lambda first: part(first, min(first + STEP, count)), starts):
            tick()
            yield found
