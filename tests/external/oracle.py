"""Every external measure once more, from its definition, in exact or sixty-digit arithmetic.

Nothing here comes from the package: a table is a list of lists of ints or `Fraction`s (rows are
classes, columns are clusters), or a mapping {(class, cluster): count}. A value is a `Fraction`
where the definition is rational and the table small, else an `mpf`; it is None where the
definition is 0/0 or asks for whole objects.

`MEASURES[key](table, **parameters)` is the value. Where floats must subtract terms much larger
than the value, `CANCELS[key](table, **parameters)` is the size of these terms, in the unit of
the value, so that a test can say how close a float can be expected to come.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache, cached_property, lru_cache, wraps
from typing import NamedTuple

from mpmath import mp, mpf

DIGITS = 60
# Sums of more terms than this go to `mpf`: a common denominator would grow without bound.
FEW_TERMS = 64
# Up to this many columns every one-to-one map is tried.
FEW_COLUMNS = 8
# Up to this many objects no measure may lose digits in a difference.
FEW_OBJECTS = 1_000
# From this mean on, the hypergeometric expectation is taken from its moments.
MANY = 10_000

Number = int | Fraction
Exact = Fraction | mpf | None


class Cell(NamedTuple):
    """x objects of a class of size a in a cluster of size b."""

    x: Fraction
    a: Fraction
    b: Fraction
    row: object
    column: object


class Table:
    """Counts without empty rows and columns, and what the definitions read off them."""

    def __init__(self, counts: list[list[Number]] | Mapping[tuple[int, int], Number]) -> None:
        if not isinstance(counts, Mapping):
            counts = {(c, k): x for c, row in enumerate(counts) for k, x in enumerate(row)}
        self.rows: dict[object, list[Cell]] = {}
        self.columns: dict[object, list[Cell]] = {}
        found = {key: Fraction(x) for key, x in counts.items() if x}
        sizes: list[Counter] = [Counter(), Counter()]
        for (c, k), x in found.items():
            sizes[0][c] += x
            sizes[1][k] += x
        self.cells = []
        for (c, k), x in found.items():
            cell = Cell(x, sizes[0][c], sizes[1][k], c, k)
            self.cells.append(cell)
            self.rows.setdefault(c, []).append(cell)
            self.columns.setdefault(k, []).append(cell)
        self.whole = all(x.denominator == 1 for x in found.values())
        self.classes, self.clusters = (list(side.values()) for side in sizes)
        self.n = sum(self.classes)
        self.shape = len(self.classes), len(self.clusters)
        self.matchings: dict[object, Fraction | mpf] = {}
        # Both clusterings are the same partition: every class is one cluster.
        self.identical = len(self.cells) == self.shape[0] == self.shape[1]

    @cached_property
    def digits(self) -> int:
        """So many that sixty are left after a difference as small as 1 / n^2 of its terms."""
        unit = math.lcm(*{x.denominator for x, *_ in self.cells})
        return DIGITS + 4 * len(str(math.ceil(self.n * unit)))

    @cached_property
    def pairs(self) -> tuple[Fraction, Fraction, Fraction, Fraction] | None:
        """Pairs together in both, in the classes, in the clusters, and all pairs (Dom 2001, §3).

        Real weights stand for objects only as long as no count of pairs is negative.
        """
        both = sum(_pairs(x) for x, *_ in self.cells)
        in_class, in_cluster = sum(map(_pairs, self.classes)), sum(map(_pairs, self.clusters))
        everything = _pairs(self.n)
        apart = everything - in_class - in_cluster + both
        if not self.whole and (everything <= 0 or both < 0 or apart < 0):
            return None
        return both, in_class, in_cluster, everything

    @cached_property
    def independent(self) -> bool:
        """Whether every cell is exactly the product of its margins."""
        n = self.n
        return len(self.cells) == self.shape[0] * self.shape[1] and all(
            x * n == a * b for x, a, b, *_ in self.cells
        )

    @cached_property
    def class_entropy(self) -> mpf:
        return _entropy(self.classes, self.n)

    @cached_property
    def cluster_entropy(self) -> mpf:
        return _entropy(self.clusters, self.n)

    @cached_property
    def joint_entropy(self) -> mpf:
        return _entropy([x for x, *_ in self.cells], self.n)

    @cached_property
    def classes_given_clusters(self) -> mpf:
        return mp.fsum(real(x) * (_log(b) - _log(x)) for x, _, b, *_ in self.cells) / real(self.n)

    @cached_property
    def clusters_given_classes(self) -> mpf:
        return mp.fsum(real(x) * (_log(a) - _log(x)) for x, a, *_ in self.cells) / real(self.n)

    @cached_property
    def mutual_information(self) -> mpf:
        """Meilă 2007, eq. 16."""
        if self.independent:
            return mpf(0)
        n = self.n
        return mp.fsum(
            real(x) * ((_log(n) - _log(a)) + (_log(x) - _log(b))) for x, a, b, *_ in self.cells
        ) / real(n)

    @cached_property
    def expected_mutual_information(self) -> mpf:
        """Vinh, Epps & Bailey 2010, eq. 24a: its mean over all tables with these margins."""
        n = int(self.n)
        return mp.fsum(
            count * other * expected_term(int(a), int(b), n)
            for a, count in Counter(self.classes).items()
            for b, other in Counter(self.clusters).items()
        )


def _pairs(x: Fraction) -> Fraction:
    return x * (x - 1) / 2


def real(x: Number | mpf) -> mpf:
    if isinstance(x, mpf):
        return x
    x = Fraction(x)
    return mpf(x.numerator) / x.denominator


def _log(x: Number) -> mpf:
    x = Fraction(x)
    return _log_int(x.numerator, mp.prec) - _log_int(x.denominator, mp.prec)


@lru_cache(maxsize=200_000)
def _log_int(x: int, precision: int) -> mpf:
    return mp.log(x)


def _add(terms: Iterable[Fraction]) -> Fraction | mpf:
    terms = list(terms)
    return sum(terms) if len(terms) <= FEW_TERMS else mp.fsum(map(real, terms))


def _entropy(sizes: Iterable[Fraction], n: Fraction) -> mpf:
    return mp.fsum(real(x) * (_log(n) - _log(x)) for x in sizes) / real(n)


def _root(x: Fraction) -> mpf:
    return mp.sqrt(real(x))


def _over(part: object, whole: object) -> Exact:
    return None if whole == 0 else part / whole


# Expected mutual information


def expected_term(a: int, b: int, n: int) -> mpf:
    """The mean of x/n log(n x / (a b)) for x common to random sets of a and b among n objects."""
    if n <= 2_000:
        return expected_by_definition(a, b, n)
    if a * b < MANY * n:
        return expected_by_summation(a, b, n)
    return expected_by_moments(a, b, n)


def _information(x: int, a: int, b: int, n: int) -> mpf:
    return x * ((_log(n) - _log(a)) + (_log(x) - _log(b))) / n


def expected_by_definition(a: int, b: int, n: int) -> mpf:
    """The sum as printed, its probabilities ratios of whole numbers."""
    ways = math.comb(n, b)
    return mp.fsum(
        _information(x, a, b, n) * (mpf(math.comb(a, x) * math.comb(n - a, b - x)) / ways)
        for x in range(max(1, a + b - n), min(a, b) + 1)
    )


def expected_by_summation(a: int, b: int, n: int) -> mpf:
    """The same sum from the likeliest overlap outwards, until nothing is left to add."""
    low, high = max(0, a + b - n), min(a, b)
    mode = min(max((a + 1) * (b + 1) // (n + 2), low), high)

    def log_ways(m: int, k: int) -> mpf:
        return mp.loggamma(m + 1) - mp.loggamma(k + 1) - mp.loggamma(m - k + 1)

    peak = mp.exp(log_ways(a, mode) + log_ways(n - a, b - mode) - log_ways(n, b))
    terms = []
    for step in (1, -1):
        x, chance = mode, peak
        while low <= x <= high and chance > mpf(10) ** -mp.dps:
            if x > 0 and (step == 1 or x != mode):
                terms.append(chance * _information(x, a, b, n))
            if step == 1:
                chance *= mpf((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1))
            else:
                chance *= mpf(x * (n - a - b + x)) / ((a - x + 1) * (b - x + 1))
            x += step
    return mp.fsum(terms)


def expected_by_moments(a: int, b: int, n: int) -> mpf:
    """The Taylor series of x log(x / mean) about the mean, from exact central moments.

    With a mean beyond `MANY` what lies outside its circle of convergence is below exp(-3000).
    The factorial moments of the hypergeometric distribution are a^(r) b^(r) / n^(r).
    """
    # The terms shrink by the root of the mean, from one to the next.
    order = 8 + 72 // (len(str(a * b // n)) - 1)
    with mp.workdps(mp.dps + order * len(str(n))):
        mean = mpf(a * b) / n
        factorial = [mpf(1)]
        for r in range(order):
            factorial.append(factorial[-1] * ((a - r) * (b - r)) / (n - r) if n > r else mpf(0))
        raw = [mp.fsum(_stirling(j, r) * factorial[r] for r in range(j + 1)) for j in range(order)]
        total, term = mpf(0), mpf("inf")
        for j in range(2, order):
            central = mp.fsum(math.comb(j, i) * raw[i] * (-mean) ** (j - i) for i in range(j + 1))
            before, term = term, (-1) ** j * central / (j * (j - 1) * mean ** (j - 1))
            total += term
            # Two terms, since every other one is zero for a symmetric distribution.
            if max(abs(before), abs(term)) < abs(total) * mpf(10) ** -(DIGITS // 2):
                break
        return total / n


@cache
def _stirling(j: int, r: int) -> int:
    """Ways to part j things into r heaps."""
    if j == r:
        return 1
    return 0 if r == 0 or r > j else r * _stirling(j - 1, r) + _stirling(j - 1, r - 1)


# Matching


def best_matching(table: Table, weigh: Callable[[Cell], Fraction]) -> Fraction | mpf:
    """The largest sum of weights over one-to-one maps of classes to clusters."""
    if weigh not in table.matchings:
        few = min(table.shape) <= FEW_COLUMNS
        table.matchings[weigh] = (exhaustive_matching if few else assigned_matching)(table, weigh)
    return table.matchings[weigh]


def exhaustive_matching(table: Table, weigh: Callable[[Cell], Fraction]) -> Fraction:
    """Line by line, the best sum for every set of counterparts in use."""
    tall = table.shape[0] >= table.shape[1]
    lines, others = (table.rows, table.columns) if tall else (table.columns, table.rows)
    bit = {other: 1 << k for k, other in enumerate(others)}
    unit = math.lcm(*(weigh(cell).denominator for cell in table.cells))
    best = {0: 0}
    for line in lines.values():
        choices = [(bit[c.column if tall else c.row], int(weigh(c) * unit)) for c in line]
        for used, total in list(best.items()):
            for choice, weight in choices:
                if not used & choice:
                    key = used | choice
                    best[key] = max(best.get(key, 0), total + weight)
    return Fraction(max(best.values()), unit)


def assigned_matching(table: Table, weigh: Callable[[Cell], Fraction]) -> Fraction | mpf:
    """The map from scipy, its weights summed exactly."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    row = {name: k for k, name in enumerate(table.rows)}
    column = {name: k for k, name in enumerate(table.columns)}
    cells = {(row[cell.row], column[cell.column]): weigh(cell) for cell in table.cells}
    matrix = np.zeros(table.shape)
    for place, weight in cells.items():
        matrix[place] = weight
    chosen = zip(*(side.tolist() for side in linear_sum_assignment(matrix, True)), strict=True)
    return _add(cells[place] for place in chosen if place in cells)


# The measures

MEASURES: dict[str, Callable[..., Exact]] = {}
CANCELS: dict[str, Callable[..., mpf]] = {}


def _with_digits(function: Callable[..., object]) -> Callable[..., object]:
    @wraps(function)
    def with_digits(table: Table, **parameters: object) -> object:
        with mp.workdps(table.digits):
            return function(table, **parameters)

    return with_digits


def _measure(function: Callable[..., Exact]) -> Callable[..., Exact]:
    MEASURES[function.__name__] = _with_digits(function)
    return function


def _cancels(function: Callable[..., mpf]) -> Callable[..., mpf]:
    CANCELS[function.__name__.removeprefix("terms_of_")] = _with_digits(function)
    return function


def _of_pairs(function: Callable[..., Exact]) -> Callable[..., Exact]:
    """A measure of the pairs together in both, in classes, in clusters, and of all pairs."""

    @wraps(function)
    def of_pairs(table: Table, **parameters: float) -> Exact:
        return None if table.pairs is None else function(*table.pairs, **parameters)

    _measure(of_pairs)
    return function


@_of_pairs
def rand(both, p, q, m):
    """Rand 1971: agreements are pairs together in both and pairs apart in both."""
    return _over(both + (m - p - q + both), m)


@_of_pairs
def adjusted_rand(both, p, q, m):
    """Hubert & Arabie 1985, eq. 5."""
    if m == 0:
        return None
    chance = p * q / m
    return _over(both - chance, (p + q) / 2 - chance)


@_of_pairs
def jaccard(both, p, q, m):
    return _over(both, p + q - both)


@_of_pairs
def fowlkes_mallows(both, p, q, m):
    """Meilă 2007, eq. 4."""
    return None if p == 0 or q == 0 else real(both) / _root(p * q)


@_of_pairs
def adjusted_fowlkes_mallows(both, p, q, m):
    """Hubert & Arabie 1985, eq. 4, with the index and its expectation of Fowlkes & Mallows."""
    if p == 0 or q == 0:
        return None
    index, chance = real(both) / _root(p * q), _root(p * q) / real(m)
    if both * m == p * q:
        return None if p * q == m * m else mpf(0)
    return (index - chance) / (1 - chance)


@_of_pairs
def pair_precision(both, p, q, m):
    return _over(both, q)


@_of_pairs
def pair_recall(both, p, q, m):
    return _over(both, p)


@_of_pairs
def pair_f1(both, p, q, m, beta=1.0):
    """van Rijsbergen 1979, in the form without 0/0 where precision and recall are both 0."""
    square = Fraction(beta) ** 2
    return _over((1 + square) * both, square * p + q)


@_of_pairs
def hubert_gamma(both, p, q, m):
    """The correlation of two indicators over all pairs, from their means."""
    if p == 0 or q == 0 or p == m or q == m:
        return None
    covariance = both / m - (p / m) * (q / m)
    return real(covariance) / _root((p / m) * (1 - p / m) * (q / m) * (1 - q / m))


def _unlike(both, p, q):
    """Pairs together in one of the clusterings alone."""
    return (p - both) + (q - both)


@_of_pairs
def rogers_tanimoto(both, p, q, m):
    """Rogers & Tanimoto 1960, from the share of agreements r: r / (2 - r)."""
    return None if m == 0 else _over(1 - _unlike(both, p, q) / m, 1 + _unlike(both, p, q) / m)


@_of_pairs
def sokal_sneath_1(both, p, q, m):
    """Sokal & Sneath 1963: j / (2 - j) of the Jaccard index j."""
    return _over(both, 2 * (p + q) - 3 * both)


@_of_pairs
def sokal_sneath_2(both, p, q, m):
    """Sokal & Sneath 1963: 2 r / (1 + r) of the share of agreements r."""
    return _over(2 * (m - _unlike(both, p, q)), 2 * m - _unlike(both, p, q))


@_of_pairs
def kulczynski(both, p, q, m):
    return None if p == 0 or q == 0 else (both / p + both / q) / 2


@_of_pairs
def russell_rao(both, p, q, m):
    return _over(both, m)


@_of_pairs
def mcnemar(both, p, q, m):
    """McNemar 1947, on pairs together in the classes alone and in the clusters alone."""
    return 0 if _unlike(both, p, q) == 0 else real(p - q) / _root(_unlike(both, p, q))


@_of_pairs
def yule_q(both, p, q, m):
    """Yule 1900."""
    alike, unlike = both * (m - p - q + both), (p - both) * (q - both)
    return _over(alike - unlike, alike + unlike)


@_measure
def mirkin(table):
    """Meilă 2007, eq. 8."""
    squares = [sum(s * s for s in sizes) for sizes in (table.classes, table.clusters)]
    return sum(squares) - 2 * sum(x * x for x, *_ in table.cells)


@_measure
def mirkin_invariant(table):
    return mirkin(table) / table.n**2


def _cluster_peaks(table):
    return sum(max(cell.x for cell in column) for column in table.columns.values())


def _class_peaks(table):
    return sum(max(cell.x for cell in row) for row in table.rows.values())


@_measure
def purity(table):
    return _cluster_peaks(table) / table.n


@_measure
def inverse_purity(table):
    return _class_peaks(table) / table.n


@_measure
def mean_purity(table):
    return (purity(table) + inverse_purity(table)) / 2


@_measure
def directional_hamming(table):
    """Dom 2001, eq. 21: objects outside the cluster's most frequent class."""
    return sum(sum(sorted(cell.x for cell in column)[:-1]) for column in table.columns.values())


@_measure
def inverse_directional_hamming(table):
    """Dom 2001, eq. 22."""
    return sum(sum(sorted(cell.x for cell in row)[:-1]) for row in table.rows.values())


@_measure
def hamming(table):
    """Dom 2001, eq. 23."""
    both = directional_hamming(table) + inverse_directional_hamming(table)
    return 1 - both / (2 * table.n)


@_measure
def van_dongen(table):
    """Meilă 2007, eq. 12."""
    return 2 * table.n - _class_peaks(table) - _cluster_peaks(table)


@_measure
def van_dongen_invariant(table):
    return van_dongen(table) / (2 * table.n)


def _objects(cell):
    return cell.x


@_measure
def matching_accuracy(table):
    return best_matching(table, _objects) / table.n


@_measure
def classification_error(table):
    """Meilă 2007, eq. 10."""
    return 1 - best_matching(table, _objects) / table.n


@_measure
def larsen_aone(table):
    """Meilă 2007, eq. 11, the first clustering being the classes."""
    best = (max(2 * x / (a + b) for x, a, b, *_ in row) for row in table.rows.values())
    return _add(best) / table.shape[0]


@_measure
def f_measure(table, beta=1.0):
    """Mottin: precision and recall of each cluster for its majority class, the smaller if tied."""
    square = Fraction(beta) ** 2
    scores = []
    for column in table.columns.values():
        x, a, b, *_ = max(column, key=lambda cell: (cell.x, -cell.a))
        precision, recall = x / b, x / a
        scores.append((1 + square) * precision * recall / (square * precision + recall))
    return _add(scores) / table.shape[1]


def _set_overlap(cell):
    return cell.x / max(cell.a, cell.b)


def _expected_overlap(table):
    """Rezaei & Fränti 2016, eq. 17: the largest class with the largest cluster, and so on."""
    ranked = zip(sorted(table.classes)[::-1], sorted(table.clusters)[::-1], strict=False)
    return _add((a * b / table.n) / max(a, b) for a, b in ranked)


@_measure
def pair_sets_index(table):
    """Rezaei & Fränti 2016, eq. 18; below the expectation it is 0."""
    found, expected = best_matching(table, _set_overlap), _expected_overlap(table)
    value = _over(found - expected, max(table.shape) - expected)
    return None if value is None else max(value, Fraction(0))


def _recall(cell):
    return cell.x / cell.a


@_measure
def normalized_clustering_accuracy(table):
    """Gagolewski 2025, for as many clusters as classes; at least 0 where there are more."""
    value = _over(best_matching(table, _recall) - 1, Fraction(table.shape[0] - 1))
    return None if value is None else max(value, Fraction(0))


@_measure
def class_entropy(table, base=2):
    return table.class_entropy / mp.log(base)


@_measure
def cluster_entropy(table, base=2):
    return table.cluster_entropy / mp.log(base)


@_measure
def joint_entropy(table, base=2):
    return table.joint_entropy / mp.log(base)


@_measure
def conditional_entropy(table, base=2):
    """Dom 2001, §4.1."""
    return table.classes_given_clusters / mp.log(base)


@_measure
def inverse_conditional_entropy(table, base=2):
    return table.clusters_given_classes / mp.log(base)


@_measure
def mutual_information(table, base=2):
    return table.mutual_information / mp.log(base)


@_measure
def variation_of_information(table, base=2):
    """Meilă 2007, eq. 22."""
    return (table.classes_given_clusters + table.clusters_given_classes) / mp.log(base)


@_measure
def normalized_variation_of_information(table, k_max=None):
    """Meilă 2007, §5.1."""
    if k_max is None and table.n <= 1:
        return None
    bound = _log(table.n) if k_max is None else 2 * mp.log(k_max)
    return (table.classes_given_clusters + table.clusters_given_classes) / bound


def _mean_entropy(table, average):
    h, g = table.class_entropy, table.cluster_entropy
    if average == "joint":
        return table.joint_entropy
    return {
        "geometric": mp.sqrt(h * g),
        "arithmetic": (h + g) / 2,
        "min": min(h, g),
        "max": max(h, g),
    }[average]


@_measure
def normalized_mutual_information(table, average="geometric"):
    """Strehl & Ghosh 2002; Vinh, Epps & Bailey 2010, table 2."""
    return _over(table.mutual_information, _mean_entropy(table, average))


@_measure
def adjusted_mutual_information(table, average="arithmetic"):
    """Vinh, Epps & Bailey 2010, table 2."""
    if not table.whole:
        return None
    mean, expected = _mean_entropy(table, average), table.expected_mutual_information
    excess, room = table.mutual_information - expected, mean - expected
    nothing = (mean + expected) * mpf(10) ** -(DIGITS // 2)
    if abs(room) <= nothing:
        return None
    return mpf(0) if abs(excess) <= nothing else excess / room


@_cancels
def terms_of_adjusted_mutual_information(table, average="arithmetic"):
    """Both differences, above and below the line, are of rounded sums; not with few objects."""
    if table.n <= FEW_OBJECTS:
        return mpf(0)
    mean, expected = _mean_entropy(table, average), table.expected_mutual_information
    value = MEASURES["adjusted_mutual_information"](table, average=average)
    above = table.mutual_information + expected
    return (above + abs(value) * (mean + expected)) / abs(mean - expected)


@_measure
def homogeneity(table):
    """Rosenberg & Hirschberg 2007."""
    if table.class_entropy == 0:
        return None
    if table.independent:
        return mpf(0)
    return 1 - table.classes_given_clusters / table.class_entropy


@_measure
def completeness(table):
    """Rosenberg & Hirschberg 2007."""
    if table.cluster_entropy == 0:
        return None
    if table.independent:
        return mpf(0)
    return 1 - table.clusters_given_classes / table.cluster_entropy


@_measure
def v_measure(table, beta=1.0):
    """Rosenberg & Hirschberg 2007; 0 where either of the two is 0, undefined where both are."""
    h, c = homogeneity(table), completeness(table)
    if h is None and c is None:
        return None
    if not h or not c:
        return mpf(0)
    return (1 + mpf(beta)) * h * c / (beta * h + c)


def _table_cost(sizes, kinds, n):
    """Dom 2001, eq. 10, per object; real sizes by the Gamma function."""
    choose = sum(
        count * (mp.loggamma(real(size) + kinds) - mp.loggamma(real(size) + 1) - mp.loggamma(kinds))
        for size, count in Counter(sizes).items()
    )
    return choose / real(n)


@_measure
def dom_q0(table, base=2):
    """Dom 2001, eq. 11."""
    model = _table_cost(table.clusters, table.shape[0], table.n)
    return (table.classes_given_clusters + model) / mp.log(base)


@_measure
def dom_q1(table, base=2):
    """Dom 2001, eq. 17, as the cost with a single cluster (eq. 15) less the cost (eq. 11)."""
    if table.shape[0] == 1:
        return mpf(0)
    alone = table.class_entropy + _table_cost([table.n], table.shape[0], table.n)
    alone, saved = alone / mp.log(base), alone / mp.log(base) - dom_q0(table, base)
    return mpf(0) if abs(saved) <= abs(alone) * mpf(10) ** -(DIGITS // 2) else saved


@_measure
def dom_q2(table):
    """Dom 2001, eq. 18."""
    if table.shape[0] == 1:
        return None
    return _table_cost(table.classes, table.shape[0], table.n) / dom_q0(table, base=mp.e)


@_measure
def gini(table):
    """Aggarwal 2015, eqs. 6.50 and 6.51."""
    return _add(
        column[0].b * (1 - sum((x / b) ** 2 for x, _, b, *_ in column)) / table.n
        for column in table.columns.values()
    )


@_measure
def goodman_kruskal_lambda(table):
    """Goodman & Kruskal 1954: errors of the best guess, without the cluster and with it."""
    without = table.n - max(row[0].a for row in table.rows.values())
    knowing = table.n - sum(max(cell.x for cell in column) for column in table.columns.values())
    return (without - knowing) / without if without else None


@_measure
def goodman_kruskal_tau(table):
    """Goodman & Kruskal 1954: errors of guesses at random, without the cluster and with it."""
    without = _add(row[0].a / table.n * (1 - row[0].a / table.n) for row in table.rows.values())
    knowing = _add(x / table.n * (1 - x / b) for x, _, b, *_ in table.cells)
    if isinstance(without, mpf) or isinstance(knowing, mpf):
        without, knowing = real(without), real(knowing)
    return (without - knowing) / without if without else None


@_measure
def inverse_gini(table):
    return _add(
        row[0].a * (1 - sum((x / a) ** 2 for x, a, *_ in row)) / table.n
        for row in table.rows.values()
    )


@_measure
def bcubed_precision(table):
    """Amigó et al. 2009: every one of the x objects of a cell sees a share x/b of its cluster."""
    return _add(x * (x / b) for x, _, b, *_ in table.cells) / table.n


@_measure
def bcubed_recall(table):
    return _add(x * (x / a) for x, a, *_ in table.cells) / table.n


@_measure
def bcubed_f1(table, beta=1.0):
    square = Fraction(beta) ** 2
    precision, recall = bcubed_precision(table), bcubed_recall(table)
    if isinstance(precision, mpf):
        square = real(square)
    return (1 + square) * precision * recall / (square * precision + recall)


@_measure
def element_centric_similarity(table):
    """Gates et al. 2019, eq. 5: one less half the distance between two flat distributions.

    From an object a walk is spread evenly over its class, or over its cluster: x members are in
    both, a - x in the class alone, b - x in the cluster alone.
    """
    return (
        _add(
            x * (1 - (x * abs(1 / a - 1 / b) + (a - x) / a + (b - x) / b) / 2)
            for x, a, b, *_ in table.cells
        )
        / table.n
    )


# The measures of fields. Sets of objects are rows and columns; a set of s objects is held together
# by s - 1 links, and has s (s - 1) / 2 pairs.


def _f(precision, recall):
    if precision is None or recall is None:
        return None
    both = precision + recall
    return 2 * precision * recall / both if both else Fraction(0)


def _links_kept(lines):
    """Vilain et al. 1995, eq. 2: links of each set less those cut by the other partition."""
    return sum(sum(cell.x for cell in line) - len(line) for line in lines.values())


@_measure
def muc_recall(table):
    if not table.whole:
        return None
    return _over(_links_kept(table.rows), sum(size - 1 for size in table.classes))


@_measure
def muc_precision(table):
    if not table.whole:
        return None
    return _over(_links_kept(table.columns), sum(size - 1 for size in table.clusters))


@_measure
def muc_f1(table):
    """One side without links has neither a right link nor any other: the F is 0."""
    precision, recall = muc_precision(table), muc_recall(table)
    if (precision is None) != (recall is None):
        return Fraction(0)
    return _f(precision, recall)


@_measure
def ceaf_m_precision(table):
    """Luo 2005: both sides have the same objects, so precision and recall are the same."""
    return best_matching(table, _objects) / table.n


MEASURES["ceaf_m_recall"] = MEASURES["ceaf_m_f1"] = MEASURES["ceaf_m_precision"]


def _dice(cell):
    """Luo 2005, eq. 9."""
    return 2 * cell.x / (cell.a + cell.b)


@_measure
def ceaf_e_precision(table):
    return best_matching(table, _dice) / table.shape[1]


@_measure
def ceaf_e_recall(table):
    return best_matching(table, _dice) / table.shape[0]


@_measure
def ceaf_e_f1(table):
    return _f(ceaf_e_precision(table), ceaf_e_recall(table))


def _blanc(table):
    """Luo et al. 2014: (right, of truth, of prediction) for pairs together and pairs apart."""
    if table.pairs is None:
        return []
    both, p, q, m = table.pairs
    kinds = [(both, p, q), (m - p - q + both, m - p, m - q)]
    return [kind for kind in kinds if kind[1]]


def _mean(values):
    return sum(values) / len(values) if values else None


@_measure
def blanc_precision(table):
    return _mean([right / found if found else Fraction(0) for right, _, found in _blanc(table)])


@_measure
def blanc_recall(table):
    return _mean([right / true for right, true, _ in _blanc(table)])


@_measure
def blanc_f1(table):
    return _mean([2 * right / (true + found) for right, true, found in _blanc(table)])


def _lea(table, lines, other):
    """Moosavi & Strube 2016, eq. 1: importance times resolution of every set."""
    if not table.whole:
        return None
    terms = []
    for line in lines.values():
        size = sum(cell.x for cell in line)
        if size == 1:
            terms.append(Fraction(other(line[0]) == 1))
        else:
            terms.append(size * sum(_pairs(cell.x) for cell in line) / _pairs(size))
    return _add(terms) / table.n


@_measure
def lea_precision(table):
    return _lea(table, table.columns, lambda cell: cell.a)


@_measure
def lea_recall(table):
    return _lea(table, table.rows, lambda cell: cell.b)


@_measure
def lea_f1(table):
    return _f(lea_precision(table), lea_recall(table))


@_measure
def conll_f1(table):
    parts = [muc_f1(table), bcubed_f1(table), ceaf_e_f1(table)]
    if None in parts:
        return None
    return sum(map(real, parts)) / 3


def _found_whole(table):
    """Sizes of the classes whose only cell is a whole cluster."""
    return [row[0].x for row in table.rows.values() if len(row) == 1 and row[0].x == row[0].b]


@_measure
def cluster_precision(table):
    return Fraction(len(_found_whole(table)), table.shape[1])


@_measure
def cluster_recall(table):
    return Fraction(len(_found_whole(table)), table.shape[0])


@_measure
def cluster_f1(table):
    return _f(cluster_precision(table), cluster_recall(table))


@_measure
def grouping_accuracy(table):
    return sum(_found_whole(table)) / table.n


def _jaccard_of_sets(cell):
    return cell.x / (cell.a + cell.b - cell.x)


@_measure
def closest_cluster_precision(table):
    return _add(max(map(_jaccard_of_sets, c)) for c in table.columns.values()) / table.shape[1]


@_measure
def closest_cluster_recall(table):
    return _add(max(map(_jaccard_of_sets, row)) for row in table.rows.values()) / table.shape[0]


@_measure
def closest_cluster_f1(table):
    return _f(closest_cluster_precision(table), closest_cluster_recall(table))


@_measure
def generalized_merge_distance(table):
    """Menestrina et al. 2010, with a cost of 1 for every split and every merge."""
    splits = sum(len(column) - 1 for column in table.columns.values())
    return Fraction(splits + sum(len(row) - 1 for row in table.rows.values()))


@_of_pairs
def adapted_rand_error(both, p, q, m, alpha=0.5):
    """Arganda-Carreras et al. 2015: the pairs of the proposed segmentation have weight alpha."""
    weight = Fraction(alpha)
    score = _over(both, weight * q + (1 - weight) * p)
    return None if score is None else 1 - score


@_measure
def segmentation_covering(table):
    """Arbeláez et al. 2011, eq. 8: the truth covered by the prediction."""
    return _add(row[0].a * max(map(_jaccard_of_sets, row)) for row in table.rows.values()) / table.n


def _matched_segments(table, iou):
    found = (_jaccard_of_sets(cell) for cell in table.cells)
    return [overlap for overlap in found if overlap > Fraction(iou)]


@_measure
def panoptic_quality(table, iou=0.5):
    """Kirillov et al. 2019, eq. 1."""
    right = _matched_segments(table, iou)
    missed, wrong = (side - len(right) for side in table.shape)
    return _add(right) / (len(right) + Fraction(missed, 2) + Fraction(wrong, 2))


@_measure
def recognition_quality(table, iou=0.5):
    right = len(_matched_segments(table, iou))
    missed, wrong = (side - right for side in table.shape)
    return Fraction(right) / (right + Fraction(missed, 2) + Fraction(wrong, 2))


@_measure
def purity_f1(table):
    return _f(purity(table), inverse_purity(table))


@_measure
def isolated_label_f1(table, isolated=None):
    """Luecken et al. 2022; the rows of these tables are named by their positions."""
    lines = table.rows.values() if isolated is None else [table.rows[name] for name in isolated]
    return _add(max(map(_dice, line)) for line in lines) / len(lines)


@_measure
def normalized_f1(table):
    """Rossetti et al. 2016: quality, coverage and redundancy of the majority classes."""
    scores, matched = [], set()
    for column in table.columns.values():
        most = max(cell.x for cell in column)
        for cell in column:
            if cell.x == most:
                scores.append(_f(cell.x / cell.b, cell.x / cell.a))
                matched.add(cell.row)
    coverage = Fraction(len(matched), table.shape[0])
    redundancy = max(Fraction(1), Fraction(table.shape[1], len(matched)))
    return _add(scores) / len(scores) * coverage / redundancy
