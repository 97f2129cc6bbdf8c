"""`b_k`: the index of Fowlkes and Mallows for every number of clusters that two trees have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from clustervet._checks import is_whole, shown
from clustervet.errors import ParameterError
from clustervet.hierarchical.joint import joint_squares
from clustervet.hierarchical.pair import TreePair
from clustervet.hierarchical.shape import Shape
from clustervet.hierarchical.tree import Floats, Places
from clustervet.registry import doors
from clustervet.view import Result, Section, number_cell, plain_table
from clustervet.view.words import brief, counted, listed, spoken

# The heads of the table.
HEADS = ("k", "B_k", "expected", "variance", "upper", "z")
# Numbers of clusters where none are named.
MOST_CUTS = 2_000
# A value above this many standard deviations over the expected one has a chance of 5% or less.
LIMIT = 1.6448536269514722


@dataclass(frozen=True, eq=False, repr=False)
class BkCurve(Result):
    """How well the cuts of two trees into k clusters agree, for many k; made by `b_k`.

    Parameters
    ----------
    objects : int
        The number of objects.
    ks : ndarray of int
        The numbers of clusters, in ascending order.
    values : ndarray of float
        B_k for each of them; nan where a cut joins no pair.
    expected, variance : ndarray of float
        Mean and variance of B_k if the objects of one tree are exchanged at random.
    cuts : tuple of frozenset of int
        The numbers of clusters that each tree has.
    name : str, optional
        What the prediction is called in the sentence about the curve.

    Examples
    --------
    >>> import clustervet as cv
    >>> curve = cv.b_k("(((a,b),c),(d,e));", "(((a,c),b),(d,e));")
    >>> curve.ks.tolist(), curve[2], curve[3]
    ([2, 3], 1.0, 0.5)
    """

    SCHEMA: ClassVar[str] = "clustervet/b_k/1"

    objects: int
    ks: Places
    values: Floats
    expected: Floats
    variance: Floats
    cuts: tuple[frozenset[int], frozenset[int]] = field(repr=False)
    name: str = ""

    def __post_init__(self) -> None:
        for held in (self.ks, self.values, self.expected, self.variance):
            held.flags.writeable = False

    def __len__(self) -> int:
        return len(self.ks)

    def __getitem__(self, k: int) -> float:
        """Return B_k for a number of clusters.

        Parameters
        ----------
        k : int
            The number of clusters.

        Returns
        -------
        float
            The value.

        Raises
        ------
        ParameterError
            If a tree has no cut into k clusters, or k is not among those asked for.
        """
        if is_whole(k) and (self.ks == k).any():
            return float(self.values[self.ks == k][0])
        _refuse_cut(k, self.objects, self.cuts)
        raise ParameterError(
            f"the curve has no value for {counted(k, 'cluster')}; name the number with ks=."
        )

    @property
    def z(self) -> Floats:
        """How many standard deviations each value is above the expected one."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(
                self.variance > 0, (self.values - self.expected) / np.sqrt(self.variance), np.nan
            )

    @property
    def upper(self) -> Floats:
        """What each value exceeds in 5% of random orders, by the normal distribution."""
        return np.minimum(1.0, self.expected + LIMIT * np.sqrt(self.variance))

    @property
    def lower(self) -> Floats:
        """What each value falls below in 5% of random orders, by the normal distribution."""
        return np.maximum(0.0, self.expected - LIMIT * np.sqrt(self.variance))

    def columns(self) -> dict[str, Any]:
        """Return one row per number of clusters.

        Returns
        -------
        dict
            Number of clusters, value, expected value, variance, upper limit and z.
        """
        return {
            "clusters": self.ks.tolist(),
            "b_k": self.values.tolist(),
            "expected": self.expected.tolist(),
            "variance": self.variance.tolist(),
            "upper": self.upper.tolist(),
            "z": self.z.tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data.

        Returns
        -------
        dict
            The number of objects, and the columns; a number that is not finite is None.
        """
        held = {
            name: [None if value != value else value for value in column]
            for name, column in self.columns().items()
        }
        return {"schema": self.SCHEMA, "objects": self.objects, **held}

    @property
    def headline(self) -> str:
        """What the curve says, in one sentence."""
        trees = f"Two trees of {counted(self.objects, 'object')}"
        said = f"{spoken(self.name)} and the truth" if self.name else trees
        told = np.flatnonzero(np.isfinite(self.values))
        if not len(told):
            return f"{said} have no cut that joins a pair."
        above = int((self.values > self.upper).sum())
        if len(self) == 1:
            found = "agree" if above else "do not agree"
            cut = f"cut into {counted(int(self.ks[0]), 'cluster')}"
            return f"{said}, {cut}, {found} beyond chance (B_k = {brief(self.values[0])})."
        said += f" agree beyond chance at {above:,} of {len(self):,} numbers of clusters"
        if len(told) == 1:
            return f"{said} (B_k = {brief(self.values[told[0]])})."
        ends = (int(told[find(self.values[told])]) for find in (np.argmin, np.argmax))
        low, high = (f"{brief(self.values[at])} (k = {self.ks[at]:,})" for at in ends)
        return f"{said}; B_k is from {low} to {high}."

    def document(self) -> Section:
        """Return what the curve says, and its values.

        Returns
        -------
        Section
            The sentences and the table.
        """
        columns = self.columns()
        shown_columns = {"k": columns.pop("clusters")} | {
            name: [number_cell(None if value != value else value) for value in values]
            for name, values in columns.items()
        }
        note = (
            "Expected value, variance and upper limit (5%) are those for leaves of one tree in a "
            "random order."
        )
        table = plain_table("b-k-values", "B_k by the number of clusters", shown_columns, note)
        # Heads of plain tables have spaces where names of columns have underscores.
        heads = (replace(head, title=name) for head, name in zip(table.columns, HEADS, strict=True))
        table = replace(table, columns=tuple(heads))
        return Section("b-k", "Cuts of two trees", (self.headline,), (table,), subject=self)


def b_k(h1: Any, h2: Any = None, ks: Iterable[int] | None = None) -> BkCurve:
    """Compare the cuts of two trees into k clusters, for many k at once.

    Parameters
    ----------
    h1, h2 : Hierarchy, or what it reads, or TreePair
        Truth and prediction, two trees over the same leaves; labels are a tree with one cut. Or
        one finished pair.
    ks : int or iterable of int, optional
        The numbers of clusters. By default all from 2 to n - 1 that both trees have, or 2,000 of
        them where there are more: all small numbers, and then less and less dense.

    Returns
    -------
    BkCurve
        The values, with their mean and variance under random orders; ``curve[k]`` is a float.

    Raises
    ------
    ParameterError
        If a tree has no cut into a number of clusters, or the trees have none in common.

    Notes
    -----
    With the table m of the clusters of both cuts, ``B_k = T / sqrt(P Q)``, where T, P and Q are
    the sums of m², of squared row sums and of squared column sums, each less n (Fowlkes & Mallows
    1983, eq. 2.1). Mean and variance are those of their section 2, where both cuts keep the sizes
    of their clusters.

    A cut is a height: merges of equal height are one step, so a tree with ties has no cut into
    some numbers of clusters. ``cutree`` of R and ``fcluster`` of scipy with ``maxclust`` then give
    fewer clusters or cut between merges by their order.

    Neighbouring tables differ by merged rows and columns. Those with fewer cells are moved into
    the others, so that all tables of two trees of n leaves take O(n log n) moves together.

    References
    ----------
    .. [1] Fowlkes & Mallows 1983, A method for comparing two hierarchical clusterings, J. Am. Stat.
       Assoc. 78, 553-569.

    Examples
    --------
    >>> import clustervet as cv
    >>> curve = b_k("(((a,b),c),(d,e));", "(((a,c),b),(d,e));", ks=[2, 3])
    >>> curve[2], curve[3]
    (1.0, 0.5)
    >>> curve.expected.round(3).tolist()
    [0.4, 0.2]
    """
    pair: TreePair = doors["hierarchical"]("b_k", h1, h2)
    one, two = pair.truth, pair.pred
    cuts = frozenset(one.cuts), frozenset(two.cuts)
    chosen = _chosen(ks, pair.n, cuts)
    stops = [(one.cuts[k], two.cuts[k]) for k in reversed(chosen)]
    squares = joint_squares(one, two, stops)[::-1]
    first, second = _power_sums(one), _power_sums(two)
    values, means, variances = [], [], []
    for k, square in zip(chosen, squares, strict=True):
        a, b = first[one.cuts[k]], second[two.cuts[k]]
        values.append(_value(square - pair.n, a[0] * b[0]))
        means.append(_mean(pair.n, a[0] * b[0]))
        variances.append(_variance(pair.n, a, b))
    return BkCurve(
        objects=pair.n,
        ks=np.array(chosen, np.int64),
        values=np.array(values, np.float64),
        expected=np.array(means, np.float64),
        variance=np.array(variances, np.float64),
        cuts=cuts,
    )


def _chosen(ks: Any, n: int, cuts: tuple[frozenset[int], frozenset[int]]) -> list[int]:
    """Return the numbers of clusters to compare, in ascending order."""
    if ks is None:
        common = sorted(k for k in cuts[0] & cuts[1] if 1 < k < n)
        if not common:
            raise ParameterError(
                "no number of clusters between 2 and n - 1 is a cut of both trees; truth has "
                f"{_some(cuts[0])}, and pred has {_some(cuts[1])}."
            )
        if len(common) <= MOST_CUTS:
            return common
        half = MOST_CUTS // 2
        sparse = np.geomspace(half, len(common) - 1, half).round().astype(np.int64)
        return [common[place] for place in sorted({*range(half), *sparse.tolist()})]
    given = [ks] if is_whole(ks) else ks
    single = isinstance(given, str) or getattr(given, "shape", None) == ()
    if single or not isinstance(given, Iterable):
        raise ParameterError(f"ks must be whole numbers, not {shown(ks)}.")
    asked = list(given)
    for k in asked:
        if not is_whole(k):
            raise ParameterError(f"ks must be whole numbers, not {shown(k)}.")
        _refuse_cut(k, n, cuts)
    if not asked:
        raise ParameterError("ks names no number of clusters.")
    return sorted({int(k) for k in asked})


def _refuse_cut(k: Any, n: int, cuts: Sequence[frozenset[int]]) -> None:
    """Refuse a number of clusters that a tree does not have."""
    if not is_whole(k) or not 1 <= k <= n:
        raise ParameterError(
            f"numbers of clusters must be between 1 and {n:,}, the number of objects, not "
            f"{shown(k)}."
        )
    lacking = [name for name, held in zip(("truth", "pred"), cuts, strict=True) if k not in held]
    if lacking:
        near = [j for j in sorted(cuts[0] & cuts[1], key=lambda j: (abs(j - k), j))[:2] if j > 1]
        hint = f"; the nearest number that both have is {near[0]:,}" if near else ""
        verb = "have" if lacking[1:] else "has"
        raise ParameterError(
            f"{listed(lacking)} {verb} no cut into {counted(k, 'cluster')}: merges of equal height "
            f"are one step, and labels have one level{hint}.",
            parameter="ks",
        )


def _some(cuts: frozenset[int]) -> str:
    return f"cuts into {listed([f'{k:,}' for k in sorted(cuts)], 6)}"


def _power_sums(shape: Shape) -> list[tuple[int, int]]:
    """For each number of made nodes the sums of m (m - 1) and of m (m - 1) (m - 2)."""
    twos, threes = [0] * shape.nodes, [0] * shape.nodes
    for node, m in enumerate(shape.sizes.tolist()):
        twos[node] = m * (m - 1)
        threes[node] = m * (m - 1) * (m - 2)
    first, below = (side.tolist() for side in shape.children)
    two, three = 0, 0
    found = [(0, 0)]
    for k in range(shape.inner):
        children = below[first[k] : first[k + 1]]
        two += twos[shape.leaves + k] - sum(twos[child] for child in children)
        three += threes[shape.leaves + k] - sum(threes[child] for child in children)
        found.append((two, three))
    return found


def _value(shared: int, product: int) -> float:
    return shared / math.sqrt(product) if product else math.nan


def _mean(n: int, product: int) -> float:
    return math.sqrt(product) / (n * (n - 1)) if product else math.nan


def _variance(n: int, one: tuple[int, int], two: tuple[int, int]) -> float:
    """Variance of B_k for random orders with fixed sizes of clusters, exactly."""
    (p, p3), (q, q3) = one, two
    if not p * q:
        return math.nan
    pairs = n * (n - 1)
    found = Fraction(2, pairs) - Fraction(p * q, pairs * pairs)
    if n > 2:
        found += Fraction(4 * p3 * q3, pairs * (n - 2) * p * q)
    if n > 3:
        rest = (p * p - 2 * p - 4 * p3) * (q * q - 2 * q - 4 * q3)
        found += Fraction(rest, pairs * (n - 2) * (n - 3) * p * q)
    return float(found)
