"""`tendency`: whether points have any structure that is worth clustering."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import entropy
from clustervet.errors import FeatureError
from clustervet.geometry.dip import LEAST_P, dip_p_value
from clustervet.geometry.gower import GowerTable, gower_table
from clustervet.geometry.metrics import Metric, check_standardize, read_metric
from clustervet.geometry.points import is_sparse, read_distances, read_points, standardized
from clustervet.view import Result, Section, number_cell, plain, plain_table
from clustervet.view.words import counted, p_text

Floats = NDArray[np.float64]
LEVEL = 0.05
# Points that the Hopkins statistic looks at, of which a tenth are drawn.
POINTS, PART = 1_000, 10
# Sets of uniform points that it is compared with: as many as p = 0.005 needs.
SETS = 199
# Points whose distances are looked at, all pairs of them, and drawn as an image.
PAIRS = 200
# Principal components that are looked at.
COMPONENTS = 3
# Features up to which a tree finds nearest points quicker than all distances do.
FEW_FEATURES = 8
# Features from which powers of distances are those of a few points, and beyond which the Hopkins
# statistic is left out.
MANY_FEATURES, MOST_FEATURES = 20, 200
# Numbers in the points that are looked at: wide tables are looked at by fewer points.
NUMBERS = 50_000


@dataclass(frozen=True, slots=True)
class DipTest:
    """The dip test of one sample of numbers.

    Parameters
    ----------
    of : str
        What the numbers are.
    dip : float
        How far they are from any distribution with one mode.
    p_value : float
        How likely a dip as large is if there is one mode; 0.001 is the least.
    """

    of: str
    dip: float
    p_value: float


@dataclass(frozen=True, eq=False, repr=False)
class Tendency(Result):
    """Whether points have structure that is worth clustering.

    Made by `tendency`.

    Parameters
    ----------
    points, features : int
        The size of the data; 0 features where only distances are known.
    hopkins : float
        The Hopkins statistic; nan where only distances are known.
    p_value : float
        How likely a Hopkins statistic as large is for uniform points: the share of 199 uniform
        sets in the box of the data.
    beta_p_value : float
        The same by the Beta law, which holds for points without an edge.
    dips : list of DipTest
        The dip tests: of the distances, and of the first principal components.
    image : ndarray of float
        Distances of some points in an order that puts near ones together, each replaced by the
        longest step of the path that joins both with the shortest steps (iVAT). Blocks of small
        distances on the diagonal are clusters.
    order : ndarray of int
        The rows of these points.
    metric : str
        The distance.

    Examples
    --------
    >>> import numpy as np
    >>> import clustervet as cv
    >>> rng = np.random.default_rng(0)
    >>> cv.tendency(rng.uniform(size=(200, 2))).verdict
    'No sign of clusters: the points look uniform (Hopkins statistic 0.55, p = 0.25).'
    """

    SCHEMA: ClassVar[str] = "clustervet/tendency/1"

    points: int
    features: int
    hopkins: float
    p_value: float
    beta_p_value: float
    dips: list[DipTest]
    image: Floats
    order: NDArray[np.int64]
    metric: str

    @cached_property
    def dip_p_value(self) -> float:
        """The least p-value of the dip tests, times their number (Bonferroni)."""
        return min(1.0, len(self.dips) * min(test.p_value for test in self.dips))

    @property
    def answer(self) -> str:
        """One of "clusters", "uneven" (not uniform, but in one group) and "none"."""
        if self.dip_p_value <= LEVEL:
            return "clusters"
        return "uneven" if self.p_value <= LEVEL else "none"

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        known = f"Hopkins statistic {self.hopkins:.2f}, {_p(self.p_value, SETS)}"
        best = min(self.dips, key=lambda test: test.p_value)
        modes = f"dip test, {_p(self.dip_p_value, round(1 / LEAST_P / len(self.dips)) - 1)}"
        if self.answer == "clusters":
            return f"There are separate groups: {best.of} have more than one mode ({modes})."
        if self.answer == "uneven":
            return (
                f"The points are not uniform ({known}), but nothing shows more than one group: a "
                "single Gaussian cloud looks like this too."
            )
        if math.isnan(self.hopkins):
            return f"No sign of clusters: the points show one mode ({modes})."
        return f"No sign of clusters: the points look uniform ({known})."

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per test.

        Returns
        -------
        dict
            Test, statistic and p-value.
        """
        rows = [] if math.isnan(self.hopkins) else [("hopkins", self.hopkins, self.p_value)]
        rows += [(f"dip of {test.of}", test.dip, test.p_value) for test in self.dips]
        names = ("test", "statistic", "p_value")
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    def to_dict(self) -> dict[str, Any]:
        """Return the tests and the answer as plain data, without the image.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        return {
            "schema": self.SCHEMA,
            "points": self.points,
            "features": self.features,
            "metric": self.metric,
            "hopkins": plain(self.hopkins),
            "p_value": plain(self.p_value),
            "beta_p_value": plain(self.beta_p_value),
            "dips": [{"of": d.of, "dip": d.dip, "p_value": d.p_value} for d in self.dips],
            "dip_p_value": self.dip_p_value,
            "answer": self.answer,
            "verdict": self.verdict,
        }

    def document(self) -> Section:
        """Return one row per test, and the verdict.

        Returns
        -------
        Section
            The sentences and the table.
        """
        columns = self.columns()
        table = {
            "test": columns["test"],
            "statistic": [number_cell(value) for value in columns["statistic"]],
            "p": [
                p_text(value, SETS if name == "hopkins" else round(1 / LEAST_P) - 1)
                for name, value in zip(columns["test"], columns["p_value"], strict=True)
            ],
        }
        size = f", {counted(self.features, 'feature')}" * bool(self.features)
        return Section(
            "tendency",
            "Is there structure at all",
            (f"{counted(self.points, 'point')}{size}, {self.metric} distances",),
            (plain_table("tendency-tests", "Tests", table),),
            notes=(*self._notes(), self.verdict),
            lead=(self.verdict,),
            subject=self,
            citations=("Hopkins & Skellam 1954", "Hartigan & Hartigan 1985"),
        )

    def _notes(self) -> list[str]:
        said = []
        if self.features > MOST_FEATURES:
            many = f"{self.features:,} features"
            said.append(f"The Hopkins statistic is left out; with {many} it says little.")
        elif self.features:
            said.append(
                "hopkins: about 0.5 for uniform points, up to 1 for points in dense regions; one "
                "Gaussian cloud scores above 0.5 as well. Its p-value compares with 199 sets of "
                "uniform points in the box of the data. By the Beta law, which ignores the edges, "
                f"{_p(self.beta_p_value)}."
            )
            if self.features > MANY_FEATURES:
                said.append(
                    f"With {self.features:,} features the Hopkins statistic rests on a few points."
                )
        said.append(
            "dip: distance to the nearest distribution with one mode; its p-value is that of data "
            "with one mode. The sentence below has the least p-value times the number of dip "
            f"tests, {len(self.dips)}. Groups that overlap, or that no test direction separates, "
            "may be missed."
        )
        looked = _looked(self.features) if self.features else PAIRS
        if self.points > looked:
            said.append(f"The tests look at {looked:,} of the points, and at distances of {PAIRS}.")
        return said


def _p(value: float, samples: int = 0) -> str:
    text = p_text(value, samples)
    return f"p {text}" if text[0] in "<≤" else f"p = {text}"


def tendency(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    *,
    metric: Any = "euclidean",
    standardize: bool = False,
    random_state: Any = 0,
) -> Tendency:
    """Say whether points have any structure that is worth clustering.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame
        Points by features; with ``metric="precomputed"``, the distances of all pairs of points.
    metric : str or callable, optional
        The distance of two points, for the dip test of distances and for the image. The Hopkins
        statistic and the principal components are Euclidean; they are left out for "gower", the
        distance of data frames with columns of any kind, and for "precomputed".
    standardize : bool, optional
        Whether every feature gets mean 0 and variance 1 first.
    random_state : int or numpy.random.Generator, optional
        The seed of the points that are drawn.

    Returns
    -------
    Tendency
        The Hopkins statistic and the dip tests with their p-values, an image of ordered distances,
        and the verdict in a sentence.

    Raises
    ------
    FeatureError
        If the points cannot be read, are fewer than 10, or are all equal.
    ParameterError
        If an option is unknown.

    Notes
    -----
    The Hopkins statistic is H = Σ u^d / (Σ u^d + Σ w^d): u are the distances of uniform places in
    the box of the data to their nearest points, w those of as many points to their nearest
    neighbours, and d is the number of features that vary (Cross and Jain 1982). Implementations
    that leave out the exponent, or return 1 - H, are common (Wright 2022). H has the law
    Beta(m, m) for m places among uniform points without an edge. Points have edges, the more so
    the more features there are, and by that law up to 20% of uniform sets in 20 dimensions are
    called uneven; so H is compared with that of 199 uniform sets in the same box. With more than
    200 features it is left out: powers of distances then are those of a few points.

    H says that points are not uniform, and not that they form groups. The dip test (Hartigan and
    Hartigan 1985) asks for more than one mode: of the distances between points, and of each of the
    first three principal components (Adolfsson, Ackerman and Brownstein 2019). "clusters" is the
    answer if the least p-value times the number of dip tests is at most 0.05.

    Gower's distances of columns of categories have gaps: they grow by whole steps of 1/p where p
    columns differ or not. Each distance is moved at random by up to half a step, so that those of
    independent columns with one mode have one mode as well.

    The image is that of Bezdek and Hathaway (2002), with the path distances of Havens and Bezdek
    (2012).

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1, (60, 2)) for c in ((0, 0), (9, 0))])
    >>> found = tendency(X)
    >>> found.answer, found.hopkins > 0.8
    ('clusters', True)
    >>> tendency(rng.normal(size=(200, 2))).answer
    'uneven'
    """
    read = read_metric(metric)
    check_standardize(read, standardize)
    table = gower_table(X) if read.reads_table else None
    square = table is not None or read.name == "precomputed"
    # A stream of its own: X may have been drawn with the same seed, and would be drawn again.
    stream = np.random.SeedSequence(entropy(random_state), spawn_key=(PAIRS,))
    rng = np.random.default_rng(stream)
    points: Any = table or (read_distances(X) if square else read_points(X))
    n = int(points.shape[0])
    if n < 10:
        raise FeatureError(f"at least 10 points are needed; X has {n}.")
    points = standardized(points) if standardize else points
    features = 0 if square else int(points.shape[1])
    rows = _chosen(n, PAIRS, rng)
    distances = _distances(points, rows, read)
    pairs = distances[np.triu_indices(len(rows), 1)]
    if not pairs.any():
        raise FeatureError("all points are equal.")
    if table is not None:
        pairs += rng.uniform(-0.5, 0.5, len(pairs)) / len(table.columns)
    dips = [DipTest("distances", *dip_p_value(pairs))]
    hopkins = p_value = beta = math.nan
    if features:
        drawn = points[_chosen(n, _looked(features), rng)]
        dense = np.asarray(drawn.toarray() if is_sparse(drawn) else drawn, np.float64)
        if features <= MOST_FEATURES:
            hopkins, p_value, beta = _hopkins(dense[:, np.ptp(dense, axis=0) > 0], rng)
        for k, values in enumerate(_components(dense), 1):
            dips.append(DipTest(f"values of component {k}", *dip_p_value(values)))
    image, order = ordered_distances(distances)
    return Tendency(n, features, hopkins, p_value, beta, dips, image, rows[order], read.name)


def _looked(features: int) -> int:
    """Return how many points are looked at: fewer of a wide table, which takes longer."""
    return max(PAIRS, min(POINTS, NUMBERS // max(1, features)))


def _chosen(n: int, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _distances(points: Any, rows: NDArray[np.int64], metric: Metric) -> Floats:
    """Return the distances of some points."""
    if isinstance(points, GowerTable):
        return points.distances(rows)
    if metric.name == "precomputed":
        return np.asarray(points[np.ix_(rows, rows)], np.float64)
    from sklearn.metrics import pairwise_distances

    found = np.asarray(pairwise_distances(points[rows], metric=metric.of_points), np.float64)
    np.fill_diagonal(found, 0.0)
    return (found + found.T) / 2


def _hopkins(points: Floats, rng: np.random.Generator) -> tuple[float, float, float]:
    """Return the Hopkins statistic, its p-value by uniform sets, and that by the Beta law."""
    from scipy.stats import beta

    n, d = points.shape
    drawn = max(1, n // PART)
    low, high = points.min(axis=0), points.max(axis=0)
    found = _one_hopkins(points, low, high, drawn, rng)
    more = 0
    for _ in range(SETS):
        uniform = rng.uniform(low, high, (n, d))
        more += _one_hopkins(uniform, uniform.min(axis=0), uniform.max(axis=0), drawn, rng) >= found
    return found, (1 + more) / (1 + SETS), float(beta.sf(found, drawn, drawn))


def _one_hopkins(
    points: Floats, low: Floats, high: Floats, drawn: int, rng: np.random.Generator
) -> float:
    n, d = points.shape
    places = rng.uniform(low, high, (drawn, d))
    rows = rng.choice(n, drawn, replace=False)
    u, w = nearest_two(points, places)[:, 0], nearest_two(points, points[rows])[:, 1]
    top = max(u.max(), w.max())
    u, w = (u / top) ** d, (w / top) ** d
    return float(u.sum() / (u.sum() + w.sum()))


def nearest_two(points: Floats, places: Floats) -> Floats:
    """Return the distances of places to their two nearest points."""
    if points.shape[1] <= FEW_FEATURES:
        from scipy.spatial import cKDTree

        return np.asarray(cKDTree(points).query(places, k=2)[0])
    from scipy.spatial.distance import cdist

    return np.partition(cdist(places, points), 1, axis=1)[:, :2]


def _components(points: Floats) -> list[Floats]:
    """Return the values of the first principal components that vary."""
    centred = points - points.mean(axis=0)
    _, lengths, axes = np.linalg.svd(centred, full_matrices=False)
    kept = lengths[:COMPONENTS] > 1e-9 * max(lengths[0], np.finfo(float).tiny)
    return [centred @ axis for axis, held in zip(axes, kept, strict=False) if held]


def ordered_distances(distances: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return path distances in an order that puts near points together, and the order.

    Points join in the order in which the shortest tree grows; a path distance is the longest step
    of the path in that tree.

    >>> x = np.array([0.0, 5.0, 1.0])
    >>> image, order = ordered_distances(np.abs(np.subtract.outer(x, x)))
    >>> order.tolist(), image.tolist()
    ([0, 2, 1], [[0.0, 1.0, 4.0], [1.0, 0.0, 4.0], [4.0, 4.0, 0.0]])
    """
    n = len(distances)
    first = int(np.unravel_index(distances.argmax(), distances.shape)[0])
    order, near = [first], distances[first].copy()
    joined = np.full(n, first)
    image = np.zeros((n, n))
    place = np.full(n, -1)
    place[first] = 0
    for row in range(1, n):
        near[order[-1]] = math.inf
        new = int(near.argmin())
        step, partner = near[new], int(place[joined[new]])
        path = np.maximum(step, image[partner, :row])
        image[row, :row] = image[:row, row] = path
        place[new] = row
        order.append(new)
        closer = (distances[new] < near) & (place < 0)
        near[closer], joined[closer] = distances[new][closer], new
    return image, np.array(order, np.int64)
