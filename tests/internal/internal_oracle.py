"""Every internal measure once more, from its definition, in exact and forty-digit arithmetic.

Nothing here comes from the package. Floats are read as the binary fractions that they are, so
differences and squares of features are exact whole numbers however far the points lie from the
origin; roots, means and logarithms have forty digits.

`MEASURES[key](points, **parameters)` is the value, or None where the definition is 0/0 or needs
another number of clusters. `points` is `Points(features, labels, metric)`.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from mpmath import MPContext

ctx = MPContext()  # a context of its own: the precision of other oracles stays what it is
ctx.dps = 40
Real = Any  # an mpf of the context above
Vector = list[Real]
# Values that differ by less are equal: they come from the same numbers in another order.
SAME = ctx.mpf(10) ** -30
# A variance that is this share of its feature's comes from the rounding of the features alone.
FLAT = ctx.mpf(10) ** -24


def _whole(features: Any) -> tuple[list[list[int]], int]:
    """Features as whole numbers of 2 ** -shift."""
    dense = features.toarray() if hasattr(features, "toarray") else np.asarray(features)
    ratios = [[float(x).as_integer_ratio() for x in row] for row in dense]
    shift = max(den.bit_length() - 1 for row in ratios for _, den in row)
    return [[num << (shift - den.bit_length() + 1) for num, den in row] for row in ratios], shift


class Points:
    """Points in clusters, their distances and centroids."""

    def __init__(self, features: Any, labels: Sequence[Any], metric: Any = "euclidean") -> None:
        self.metric = metric
        self.labels = [label.item() if hasattr(label, "item") else label for label in labels]
        self.names = sorted(set(self.labels), key=lambda label: (str(type(label)), label))
        self.groups = [[i for i, x in enumerate(self.labels) if x == c] for c in self.names]
        self.own = [self.names.index(label) for label in self.labels]
        self.n, self.k = len(self.labels), len(self.names)
        if metric == "precomputed":
            self.given = [[ctx.mpf(float(x)) for x in row] for row in np.asarray(features)]
            return
        self.X = features
        self.rows, self.shift = _whole(features)
        self.d = len(self.rows[0])
        self.unit = ctx.ldexp(1, -self.shift)

    # Squares are counted in units of 4 ** -shift.

    def _square(self, i: int, j: int) -> int:
        return sum((x - y) ** 2 for x, y in zip(self.rows[i], self.rows[j], strict=True))

    def distance(self, i: int, j: int) -> Real:
        a, b = self.rows[i], self.rows[j]
        if callable(self.metric):
            return ctx.mpf(float(self.metric(np.asarray(self.X)[i], np.asarray(self.X)[j])))
        if self.metric == "euclidean":
            return ctx.sqrt(self._square(i, j)) * self.unit
        if self.metric == "sqeuclidean":
            return self._square(i, j) * self.unit**2
        if self.metric in ("manhattan", "cityblock"):
            return sum(abs(x - y) for x, y in zip(a, b, strict=True)) * self.unit
        if self.metric == "chebyshev":
            return max(abs(x - y) for x, y in zip(a, b, strict=True)) * self.unit
        assert self.metric == "cosine"
        norms = ctx.sqrt(sum(x * x for x in a)) * ctx.sqrt(sum(x * x for x in b))
        dot = sum(x * y for x, y in zip(a, b, strict=True))
        # A row of zeros has no direction: its similarity to every other row is 0.
        return 1 - dot / norms if norms else ctx.one

    @cached_property
    def D(self) -> list[Vector]:
        """All distances."""
        if self.metric == "precomputed":
            return self.given
        found = [[ctx.zero] * self.n for _ in range(self.n)]
        for i, j in itertools.combinations(range(self.n), 2):
            found[i][j] = found[j][i] = self.distance(i, j)
        return found

    def mean(self, members: Sequence[int]) -> Vector:
        """The centroid of these points, in feature units."""
        return [
            ctx.mpf(sum(self.rows[i][f] for i in members)) / len(members) * self.unit
            for f in range(self.d)
        ]

    def feature(self, i: int) -> Vector:
        return [x * self.unit for x in self.rows[i]]

    @cached_property
    def centroids(self) -> list[Vector]:
        return [self.mean(group) for group in self.groups]

    @cached_property
    def to_centroids(self) -> list[Vector]:
        """Euclidean distance of every point to every centroid.

        |n_c x - sum of c| is a whole number, so no digits are lost however far c is.
        """
        sums = [[sum(self.rows[i][f] for i in g) for f in range(self.d)] for g in self.groups]
        return [
            [
                ctx.sqrt(sum((len(g) * x - s) ** 2 for x, s in zip(row, total, strict=True)))
                * self.unit
                / len(g)
                for g, total in zip(self.groups, sums, strict=True)
            ]
            for row in self.rows
        ]

    def between_centroids(self, a: int, b: int) -> Real:
        pairs = zip(self.centroids[a], self.centroids[b], strict=True)
        return ctx.sqrt(sum((x - y) ** 2 for x, y in pairs))


def mean(values: Sequence[Real]) -> Real:
    return ctx.fsum(values) / len(values)


def cluster_pairs(p: Points) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(p.k), 2))


# Sums of squares


def ssq(p: Points) -> Real:
    """Aggarwal 2015, section 6.9.1: squared distances to the centroids."""
    return ctx.fsum(p.to_centroids[i][p.own[i]] ** 2 for i in range(p.n))


def total_squares(p: Points) -> Real:
    """Squared distances to the centroid of all points: all pairs' squares over n."""
    squares = (p._square(i, j) for i, j in itertools.combinations(range(p.n), 2))
    return ctx.mpf(sum(squares)) / p.n * p.unit**2


def between_squares(p: Points) -> Real:
    """Squared distances of the centroids from the centroid of all, each point counting."""
    centre = p.mean(range(p.n))
    return ctx.fsum(
        len(g) * ctx.fsum((x - y) ** 2 for x, y in zip(c, centre, strict=True))
        for g, c in zip(p.groups, p.centroids, strict=True)
    )


def calinski_harabasz(p: Points) -> Real | None:
    """Calinski & Harabasz 1974: (B / (k - 1)) / (W / (n - k))."""
    if not 2 <= p.k < p.n or not ssq(p):
        return None
    return between_squares(p) / (p.k - 1) / (ssq(p) / (p.n - p.k))


def hartigan(p: Points) -> Real | None:
    """Hartigan 1975: log(B / W)."""
    if p.k < 2 or not ssq(p) or not between_squares(p):
        return None
    return ctx.log(between_squares(p) / ssq(p))


def davies_bouldin(p: Points) -> Real | None:
    """Davies & Bouldin 1979 with p = 2, q = 1: mean over i of max over j of (S_i + S_j) / M_ij."""
    spread = [mean([p.to_centroids[i][c] for i in g]) for c, g in enumerate(p.groups)]
    if p.k < 2 or any(not p.between_centroids(a, b) for a, b in cluster_pairs(p)):
        return None
    worst = [
        max((spread[a] + spread[b]) / p.between_centroids(a, b) for b in range(p.k) if b != a)
        for a in range(p.k)
    ]
    return mean(worst)


def xie_beni(p: Points) -> Real | None:
    """Xie & Beni 1991 with memberships 0 and 1: ssq / (n min |v_a - v_b|^2)."""
    if p.k < 2:
        return None
    least = min(p.between_centroids(a, b) for a, b in cluster_pairs(p))
    return ssq(p) / (p.n * least**2) if least else None


# Pairs of points


@cache
def _pairs_by_side(p: Points) -> tuple[list[Real], list[Real]]:
    """The distances of pairs in one cluster, and of pairs in two."""
    together, apart = [], []
    for i, j in itertools.combinations(range(p.n), 2):
        (together if p.own[i] == p.own[j] else apart).append(p.D[i][j])
    return together, apart


def intra_distance(p: Points) -> Real | None:
    """Aggarwal 2015, eq. 6.43, over all pairs."""
    together = _pairs_by_side(p)[0]
    return mean(together) if together else None


def inter_distance(p: Points) -> Real | None:
    """Aggarwal 2015, eq. 6.44, over all pairs."""
    apart = _pairs_by_side(p)[1]
    return mean(apart) if apart else None


def intra_inter_ratio(p: Points) -> Real | None:
    """Aggarwal 2015, section 6.9.1: eq. 6.43 over eq. 6.44, over all pairs."""
    together, apart = _pairs_by_side(p)
    if not together or not apart or not any(apart):
        return None
    return mean(together) / mean(apart)


def medoid_distance(p: Points) -> Real:
    """Kaufman & Rousseeuw 1990: every point of a cluster is tried as its medoid."""
    return ctx.fsum(
        min(ctx.fsum(p.D[medoid][j] for j in group) for medoid in group) for group in p.groups
    )


def median_distance(p: Points) -> Real:
    """Bradley, Mangasarian & Street 1997: |x - median|_1, the mean of two middle values."""
    total = 0
    for group in p.groups:
        for f in range(p.d):
            values = sorted(p.rows[i][f] for i in group)
            twice = values[(len(values) - 1) // 2] + values[len(values) // 2]
            total += sum(abs(2 * x - twice) for x in values)
    return ctx.mpf(total) / 2 * p.unit


def single_linkage(p: Points) -> Real | None:
    """The least distance of points of two clusters."""
    return min((_between(p, "single", a, b) for a, b in cluster_pairs(p)), default=None)


def complete_linkage(p: Points) -> Real | None:
    """The two clusters whose farthest points are nearest."""
    return min((_between(p, "complete", a, b) for a, b in cluster_pairs(p)), default=None)


def average_linkage(p: Points) -> Real | None:
    """The two clusters of least mean distance."""
    return min((_between(p, "average", a, b) for a, b in cluster_pairs(p)), default=None)


def ward_linkage(p: Points) -> Real | None:
    """Ward 1963: the square root of twice the least rise of the sum of squares by a merge."""

    def squares(members: Sequence[int]) -> Real:
        pairs = itertools.combinations(members, 2)
        return ctx.mpf(sum(p._square(i, j) for i, j in pairs)) / len(members) * p.unit**2

    own = [squares(group) for group in p.groups]
    rises = (squares(p.groups[a] + p.groups[b]) - own[a] - own[b] for a, b in cluster_pairs(p))
    least = min(rises, default=None)
    return None if least is None else ctx.sqrt(2 * least)


def _between(p: Points, kind: str, a: int, b: int) -> Real:
    """Bezdek & Pal 1998, delta 1 to 6."""
    here, there = p.groups[a], p.groups[b]
    pairs = [p.D[x][y] for x in here for y in there]
    if kind == "single":
        return min(pairs)
    if kind == "complete":
        return max(pairs)
    if kind == "average":
        return mean(pairs)
    if kind == "centroid":
        return p.between_centroids(a, b)
    if kind == "to_centroids":
        far = [p.to_centroids[x][b] for x in here] + [p.to_centroids[y][a] for y in there]
        return mean(far)
    assert kind == "hausdorff"
    return max(
        max(min(p.D[x][y] for y in there) for x in here),
        max(min(p.D[x][y] for x in here) for y in there),
    )


def _within(p: Points, kind: str, a: int) -> Real:
    """Bezdek & Pal 1998, Delta 1 to 3; a point alone has no width."""
    here = p.groups[a]
    if len(here) == 1:
        return ctx.zero
    if kind == "diameter":
        return max(p.D[x][y] for x, y in itertools.combinations(here, 2))
    if kind == "average":
        return mean([p.D[x][y] for x in here for y in here if x != y])
    assert kind == "centroid"
    return 2 * mean([p.to_centroids[x][a] for x in here])


def generalized_dunn(p: Points, between: str = "average", within: str = "centroid") -> Real | None:
    """Bezdek & Pal 1998: least delta over largest Delta."""
    widest = max(_within(p, within, a) for a in range(p.k))
    if p.k < 2 or not widest:
        return None
    return min(_between(p, between, a, b) for a, b in cluster_pairs(p)) / widest


def dunn(p: Points) -> Real | None:
    """Dunn 1974: least distance between clusters over largest diameter."""
    return generalized_dunn(p, "single", "diameter")


# Silhouettes


@cache
def silhouette_points(p: Points) -> list[Real]:
    """Aggarwal 2015, eq. 6.45; a point alone in its cluster has 0 (Rousseeuw 1987)."""
    found = []
    for i in range(p.n):
        mine = p.groups[p.own[i]]
        if len(mine) == 1:
            found.append(ctx.zero)
            continue
        a = ctx.fsum(p.D[i][j] for j in mine) / (len(mine) - 1)
        b = min(mean([p.D[i][j] for j in g]) for c, g in enumerate(p.groups) if c != p.own[i])
        found.append((b - a) / max(a, b) if max(a, b) else ctx.zero)
    return found


def silhouette(p: Points) -> Real | None:
    return mean(silhouette_points(p)) if 2 <= p.k < p.n else None


def simplified_silhouette(p: Points) -> Real | None:
    """Hruschka, de Castro & Campello 2004: centroids in the place of clusters."""
    if not 2 <= p.k < p.n:
        return None
    found = []
    for i in range(p.n):
        a = p.to_centroids[i][p.own[i]]
        b = min(x for c, x in enumerate(p.to_centroids[i]) if c != p.own[i])
        alone = len(p.groups[p.own[i]]) == 1
        found.append(ctx.zero if alone or not max(a, b) else (b - a) / max(a, b))
    return mean(found)


def macro_silhouette(p: Points) -> Real | None:
    """The mean of the means of the clusters."""
    if not 2 <= p.k < p.n:
        return None
    widths = silhouette_points(p)
    return mean([mean([widths[i] for i in group]) for group in p.groups])


# Distances in order


def c_index(p: Points) -> Real | None:
    """Hubert & Levin 1976: the sum within, between the least and the greatest possible."""
    together, apart = _pairs_by_side(p)
    if not 2 <= p.k < p.n:
        return None
    every = sorted(together + apart)
    least, most = ctx.fsum(every[: len(together)]), ctx.fsum(every[-len(together) :])
    if most - least <= abs(most) * SAME:
        return None
    return (ctx.fsum(together) - least) / (most - least)


@cache
def _comparisons(p: Points) -> tuple[int, int]:
    """How many distances within are below one between, and how many are above.

    Distances that agree to ten digits are equal, in single precision to six.
    """
    together, apart = ([float(x) for x in side] for side in _pairs_by_side(p))
    single = p.metric != "precomputed" and getattr(p.X, "dtype", None) == np.float32
    tie = 1e-6 if single else 1e-10
    apart.sort()
    below = sum(len(apart) - bisect_right(apart, x * (1 + tie)) for x in together)
    return below, sum(bisect_left(apart, x * (1 - tie)) for x in together)


def baker_hubert_gamma(p: Points) -> Real | None:
    """Baker & Hubert 1975: (s+ - s-) / (s+ + s-)."""
    if not 2 <= p.k < p.n:
        return None
    below, above = _comparisons(p)
    return ctx.mpf(below - above) / (below + above) if below + above else None


def kendall_tau(p: Points) -> Real | None:
    """Rohlf 1974: every two pairs are compared, but not two of the same side."""
    if not 2 <= p.k < p.n:
        return None
    below, above = _comparisons(p)
    sides = [len(side) for side in _pairs_by_side(p)]
    comparisons = sum(sides) * (sum(sides) - 1) // 2
    tied = sum(side * (side - 1) // 2 for side in sides)
    return (below - above) / ctx.sqrt(ctx.mpf(comparisons - tied) * comparisons)


def point_biserial(p: Points) -> Real | None:
    """Pearson's correlation of the distances with 0 for one cluster and 1 for two."""
    if not 2 <= p.k < p.n:
        return None
    together, apart = _pairs_by_side(p)
    x = together + apart
    y = [ctx.zero] * len(together) + [ctx.one] * len(apart)
    middles = mean(x), mean(y)
    dx, dy = ([v - middle for v in values] for values, middle in zip((x, y), middles, strict=True))
    square = ctx.fdot(dx, dx)
    if square <= SAME * ctx.fdot(x, x):
        return None
    return ctx.fdot(dx, dy) / ctx.sqrt(square * ctx.fdot(dy, dy))


# Centroids and variances


def ball_hall(p: Points) -> Real:
    """Ball & Hall 1965, as clusterCrit has it."""
    return mean([mean([p.to_centroids[i][c] ** 2 for i in g]) for c, g in enumerate(p.groups)])


def pbm(p: Points) -> Real | None:
    """Pakhira, Bandyopadhyay & Maulik 2004."""
    if not 2 <= p.k < p.n:
        return None
    centre = p.mean(range(p.n))
    far = ctx.fsum(
        ctx.sqrt(sum((x - y) ** 2 for x, y in zip(p.feature(i), centre, strict=True)))
        for i in range(p.n)
    )
    near = ctx.fsum(p.to_centroids[i][p.own[i]] for i in range(p.n))
    widest = max(p.between_centroids(a, b) for a, b in cluster_pairs(p))
    return (far / near * widest / p.k) ** 2 if near else None


def duda_hart(p: Points) -> Real | None:
    """Duda & Hart 1973: squares of pairs, over the number of points, are those about the mean."""
    if not 2 <= p.k < p.n:
        return None

    def squares(members: Sequence[int]) -> Real:
        pairs = itertools.combinations(members, 2)
        return ctx.mpf(sum(p._square(i, j) for i, j in pairs)) / len(members)

    own = [squares(group) for group in p.groups]
    both = {(a, b): squares(p.groups[a] + p.groups[b]) for a, b in cluster_pairs(p)}
    return max((own[a] + own[b]) / x for (a, b), x in both.items()) if all(both.values()) else None


def _lengths_of_variances(p: Points) -> tuple[list[Real], Real]:
    """|var_k| of each cluster, and |var| of all points."""
    found = [_variances(p, group) for group in [*p.groups, list(range(p.n))]]
    lengths = [ctx.sqrt(ctx.fsum(x * x for x in values)) for values in found]
    return lengths[:-1], lengths[-1]


def sd_index(p: Points, alpha: float | None = None) -> Real | None:
    """Halkidi, Vazirgiannis & Batistakis 2000."""
    if not 2 <= p.k < p.n:
        return None
    apart = {pair: p.between_centroids(*pair) for pair in cluster_pairs(p)}
    inside, whole = _lengths_of_variances(p)
    if not min(apart.values()) or not whole:
        return None
    sums = [ctx.fsum(x for pair, x in apart.items() if a in pair) for a in range(p.k)]
    dis = max(apart.values()) / min(apart.values()) * ctx.fsum(1 / x for x in sums)
    return (dis if alpha is None else alpha) * mean(inside) / whole + dis


def s_dbw(p: Points) -> Real | None:
    """Halkidi & Vazirgiannis 2001."""
    if not 2 <= p.k < p.n:
        return None
    inside, whole = _lengths_of_variances(p)
    if not whole:
        return None
    radius = ctx.sqrt(ctx.fsum(inside)) / p.k

    def density(place: Vector, a: int, b: int) -> int:
        members = p.groups[a] + p.groups[b]
        steps = [[x - y for x, y in zip(p.feature(i), place, strict=True)] for i in members]
        return sum(ctx.sqrt(ctx.fdot(step, step)) <= radius * (1 + SAME) for step in steps)

    terms = []
    for a, b in cluster_pairs(p):
        one, other = p.centroids[a], p.centroids[b]
        middle = [(x + y) / 2 for x, y in zip(one, other, strict=True)]
        densest = max(density(one, a, b), density(other, a, b))
        if not densest:
            return None
        terms.append(ctx.mpf(density(middle, a, b)) / densest)
    return mean(inside) / whole + mean(terms)


# Determinants


def _log_determinant(square: list[Vector]) -> Real | None:
    root = _cholesky(square)
    return None if root is None else 2 * ctx.fsum(ctx.log(root[f][f]) for f in range(len(root)))


def _pooled(p: Points) -> list[Vector]:
    """W / n."""
    found = [_covariance(p, g) for g in p.groups]
    return [
        [
            ctx.fsum(len(g) * x[f][h] for g, x in zip(p.groups, found, strict=True)) / p.n
            for h in range(p.d)
        ]
        for f in range(p.d)
    ]


def rubin(p: Points) -> Real | None:
    """Friedman & Rubin 1967: |T| / |W|."""
    found = scott_symons(p)
    return None if found is None else _float(ctx.exp(found / p.n))


def scott_symons(p: Points, covariance: str = "tied") -> Real | None:
    """Scott & Symons 1971: n ln|T/n| - n ln|W/n|, or - sum_k n_k ln|W_k / n_k|."""
    if getattr(p.X, "toarray", None):
        return None  # dense features alone
    total, within = _log_determinant(_covariance(p, range(p.n))), _log_determinant(_pooled(p))
    if total is None or within is None:
        return None
    if covariance == "tied":
        return p.n * (total - within)
    own = [_log_determinant(_covariance(p, g)) for g in p.groups]
    if any(x is None for x in own):
        return None
    return p.n * total - ctx.fsum(len(g) * x for g, x in zip(p.groups, own, strict=True))


def marriott(p: Points) -> Real | None:
    """Marriott 1971: k^2 |W|."""
    if getattr(p.X, "toarray", None):
        return None
    within = _log_determinant(_pooled(p))
    return None if within is None else _float(p.k**2 * ctx.exp(within) * ctx.mpf(p.n) ** p.d)


def _float(value: Real) -> Real | None:
    """The value, if a float can hold it."""
    return value if ctx.mpf("3e-308") < value < ctx.mpf("8e307") else None


# Likelihoods


class Mixture(NamedTuple):
    """Log weights, centroids, and a root of each component's covariance.

    A root is the lower triangle L with L L' = covariance, or only its diagonal where the rest
    is zero.
    """

    log_weights: Vector
    means: list[Vector]
    roots: list[Any]


def _cholesky(square: list[Vector]) -> list[Vector] | None:
    """The lower triangle L with L L' = square, or None where that has no inverse."""
    d = len(square)
    root = [[ctx.zero] * d for _ in range(d)]
    for j in range(d):
        left = square[j][j] - ctx.fsum(x * x for x in root[j][:j])
        if left <= square[j][j] * FLAT:
            return None
        root[j][j] = ctx.sqrt(left)
        for i in range(j + 1, d):
            root[i][j] = (square[i][j] - ctx.fdot(root[i][:j], root[j][:j])) / root[j][j]
    return root


def _deviations(p: Points, members: Sequence[int]) -> list[list[int]]:
    """How far the members are from their mean, in whole numbers of unit / number of members."""
    m = len(members)
    totals = [sum(p.rows[i][f] for i in members) for f in range(p.d)]
    return [[m * p.rows[i][f] - totals[f] for f in range(p.d)] for i in members]


def _variances(p: Points, members: Sequence[int]) -> Vector:
    """Maximum-likelihood variance of each feature."""
    m, steps = len(members), _deviations(p, members)
    return [ctx.mpf(sum(row[f] ** 2 for row in steps)) / m**3 * p.unit**2 for f in range(p.d)]


def _covariance(p: Points, members: Sequence[int]) -> list[Vector]:
    """Maximum-likelihood covariance."""
    m, steps = len(members), _deviations(p, members)
    found = [[ctx.zero] * p.d for _ in range(p.d)]
    for f in range(p.d):
        for g in range(f + 1):
            product = ctx.mpf(sum(row[f] * row[g] for row in steps)) / m**3 * p.unit**2
            found[f][g] = found[g][f] = product
    return found


def mixture(
    p: Points, covariance: str, regularization: float, members: Sequence[int] | None = None
) -> Mixture | None:
    """One M-step from the labels of these members (all, if not said): Aggarwal 2015, 6.9.1."""
    chosen = set(range(p.n) if members is None else members)
    groups = [[i for i in g if i in chosen] for g in p.groups]
    groups = [g for g in groups if g]
    ridge = ctx.mpf(regularization) * mean(_variances(p, sorted(chosen)))
    weights = [ctx.mpf(len(g)) / len(chosen) for g in groups]
    if covariance in ("spherical", "diagonal"):
        spreads = [_variances(p, g) for g in groups]
        if covariance == "spherical":
            spreads = [[mean(variances)] * p.d for variances in spreads]
        roots: list[Any] = [[ctx.sqrt(x + ridge) for x in variances] for variances in spreads]
        singular = any(not x for root in roots for x in root)
    else:
        squares = [_covariance(p, g) for g in groups]
        if covariance == "tied":
            columns = range(p.d)
            squares = [
                [[ctx.fdot(weights, [s[f][g] for s in squares]) for g in columns] for f in columns]
            ]
        for square in squares:
            for f in range(p.d):
                square[f][f] += ridge
        roots = [_cholesky(square) for square in squares]
        singular = any(root is None for root in roots)
        roots = roots * len(groups) if covariance == "tied" else roots
    if singular:
        return None
    return Mixture([ctx.log(w) for w in weights], [p.mean(g) for g in groups], roots)


def log_density(p: Points, model: Mixture, i: int) -> Real:
    """log of the sum over components of weight times Gaussian density."""
    steps = [[x - c for x, c in zip(p.feature(i), centre, strict=True)] for centre in model.means]
    terms = []
    for log_weight, step, root in zip(model.log_weights, steps, model.roots, strict=True):
        z: Vector = []
        if isinstance(root[0], list):
            for f in range(p.d):
                z.append((step[f] - ctx.fdot(root[f][:f], z)) / root[f][f])
            diagonal = [root[f][f] for f in range(p.d)]
        else:
            z, diagonal = [x / s for x, s in zip(step, root, strict=True)], root
        log_root = ctx.log(ctx.fprod(diagonal))
        squares = ctx.fsum(t * t for t in z)
        terms.append(log_weight - log_root - squares / 2 - p.d * ctx.log(2 * ctx.pi) / 2)
    top = max(terms)
    return top + ctx.log(ctx.fsum(ctx.exp(t - top) for t in terms))


@cache
def log_likelihood(p: Points, covariance: str = "full", regularization: float = 0.0) -> Real | None:
    model = mixture(p, covariance, regularization)
    return None if model is None else ctx.fsum(log_density(p, model, i) for i in range(p.n))


def free_parameters(p: Points, covariance: str) -> int:
    """Weights, centroids and covariances that can be chosen."""
    own = {
        "spherical": p.k,
        "diagonal": p.k * p.d,
        "tied": p.d * (p.d + 1) // 2,
        "full": p.k * p.d * (p.d + 1) // 2,
    }
    return p.k - 1 + p.k * p.d + own[covariance]


def bic(p: Points, covariance: str = "full", regularization: float = 0.0) -> Real | None:
    """Schwarz 1978, as a cost."""
    found = log_likelihood(p, covariance, regularization)
    return None if found is None else -2 * found + free_parameters(p, covariance) * ctx.log(p.n)


def aic(p: Points, covariance: str = "full", regularization: float = 0.0) -> Real | None:
    """Akaike 1974."""
    found = log_likelihood(p, covariance, regularization)
    return None if found is None else -2 * found + 2 * free_parameters(p, covariance)


def leave_one_out_likelihood(
    p: Points, covariance: str = "full", regularization: float = 0.0
) -> Real | None:
    """Dom 2001, appendix C.1, every point its own fold: mean log density of the one left out."""
    found = []
    for i in range(p.n):
        model = mixture(p, covariance, regularization, [j for j in range(p.n) if j != i])
        if model is None:
            return None
        found.append(log_density(p, model, i))
    return mean(found)


# Density


class Tree(NamedTuple):
    """A cluster's minimum spanning tree: its sparseness, internal nodes and core distances."""

    sparseness: Real
    inner: list[int]
    core: dict[int, Real]


def _tree(p: Points, members: Sequence[int], d: int) -> Tree:
    """Moulavi et al. 2014, definitions 1 to 5.

    Equal points have no distance that could be inverted and add nothing to a core distance, as
    in the authors' own program. Mutual reachability is full of ties, so the tree is not unique:
    it grows from the first point, the first of the nearest points joins next, and hangs from the
    first point of the tree that is that near. Without inner edges all edges count, and without
    inner nodes the first point does.
    """
    core = {}
    for i in members:
        inverse = ctx.fsum(p.D[i][j] ** -d for j in members if p.D[i][j])
        core[i] = (inverse / (len(members) - 1)) ** (-ctx.one / d) if inverse else ctx.zero

    def reach(i: int, j: int) -> Real:
        return max(core[i], core[j], p.D[i][j])

    grown, left, edges = [members[0]], list(members[1:]), []
    near = {j: reach(members[0], j) for j in left}
    while left:
        least = min(near[j] for j in left)
        new = next(j for j in left if near[j] - least <= SAME * least)
        source = min(i for i in grown if reach(i, new) - least <= SAME * least)
        edges.append((source, new, least))
        grown.append(new)
        left.remove(new)
        for j in left:
            near[j] = min(near[j], reach(new, j))
    degree = {i: sum(i in edge[:2] for edge in edges) for i in members}
    inner = [i for i in members if degree[i] > 1] or [members[0]]
    weights = [w for i, j, w in edges if i in inner and j in inner] or [w for *_, w in edges]
    return Tree(max(weights), inner, core)


def dbcv(p: Points, d: int | None = None, noise: Any = -1) -> Real | None:
    """Moulavi et al. 2014, definitions 6 to 8; noise counts in the weights only.

    A point alone has no density and is noise, as in the authors' own program.
    """
    d = p.d if d is None else d
    groups = [g for g, name in zip(p.groups, p.names, strict=True) if name != noise]
    groups = [g for g in groups if len(g) > 1]
    if len(groups) < 2:
        return None
    trees = [_tree(p, g, d) for g in groups]
    total = ctx.zero
    for a, g in enumerate(groups):
        apart = min(
            max(trees[a].core[i], trees[b].core[j], p.D[i][j])
            for b in range(len(groups))
            if b != a
            for i in trees[a].inner
            for j in trees[b].inner
        )
        top = max(apart, trees[a].sparseness)
        total += ctx.zero if not top else len(g) * (apart - trees[a].sparseness) / top
    return total / p.n


# All that have one value; gap_statistic, validated_likelihood and samples are random.
MEASURES: dict[str, Callable[..., Real | None]] = {
    "ssq": ssq,
    "calinski_harabasz": calinski_harabasz,
    "hartigan": hartigan,
    "davies_bouldin": davies_bouldin,
    "xie_beni": xie_beni,
    "intra_inter_ratio": intra_inter_ratio,
    "intra_distance": intra_distance,
    "inter_distance": inter_distance,
    "medoid_distance": medoid_distance,
    "median_distance": median_distance,
    "single_linkage": single_linkage,
    "complete_linkage": complete_linkage,
    "average_linkage": average_linkage,
    "ward_linkage": ward_linkage,
    "dunn": dunn,
    "generalized_dunn": generalized_dunn,
    "silhouette": silhouette,
    "simplified_silhouette": simplified_silhouette,
    "log_likelihood": log_likelihood,
    "bic": bic,
    "aic": aic,
    "dbcv": dbcv,
    "macro_silhouette": macro_silhouette,
    "c_index": c_index,
    "baker_hubert_gamma": baker_hubert_gamma,
    "kendall_tau": kendall_tau,
    "point_biserial": point_biserial,
    "ball_hall": ball_hall,
    "pbm": pbm,
    "duda_hart": duda_hart,
    "sd_index": sd_index,
    "s_dbw": s_dbw,
    "rubin": rubin,
    "scott_symons": scott_symons,
    "marriott": marriott,
}


def reference_dispersions(features: np.ndarray, k: int, references: int, seed: int) -> np.ndarray:
    """log W of sets drawn evenly from the box along the principal axes of features.

    Tibshirani, Walther & Hastie 2001, section 3 (b) and step 2; Lloyd's iterations from points of
    the set, the best of several starts.
    """
    rng = np.random.default_rng(seed)
    centre = features.mean(axis=0)
    axes = np.linalg.svd(features - centre, full_matrices=False)[2]
    turned = (features - centre) @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    found = []
    for _ in range(references):
        drawn = rng.uniform(low, high, turned.shape)
        found.append(np.log(min(_lloyd(drawn, k, rng) for _ in range(10 if k > 1 else 1))))
    return np.array(found)


def _lloyd(drawn: np.ndarray, k: int, rng: np.random.Generator) -> float:
    centres = drawn[rng.choice(len(drawn), k, replace=False)]
    labels = np.full(len(drawn), -1)
    while True:
        squares = ((drawn[:, None, :] - centres[None]) ** 2).sum(axis=2)
        new = squares.argmin(axis=1)
        if (new == labels).all():
            return float(squares.min(axis=1).sum())
        labels = new
        centres = np.array(
            [
                drawn[labels == c].mean(axis=0) if (labels == c).any() else centres[c]
                for c in range(k)
            ]
        )
