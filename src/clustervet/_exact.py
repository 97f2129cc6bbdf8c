"""The sums of a table in plain Python: whole numbers of any size, without loading a compiler.

Rule: lists of Python ints in, numbers out. Used for small tables, and for tables with counts above
2^53; `_kernels` does the same for large tables. A real weight is a whole number of units of 2^-k,
so real tables are exact here too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Context, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from clustervet._numeric import deviance, expected_deviance

# Significant digits of logarithms, beside twice those of the number of objects.
DIGITS = 40
# Factors up to which numbers of choices are multiplied out, and terms up to which expectations are
# summed, in these digits.
MANY_FACTORS = 10_000
MANY_TERMS = 50_000
# Binary digits behind the point of a quotient of whole numbers.
BINARY_DIGITS = 200


class Plain(NamedTuple):
    """A table as Python ints: cells, margins and total, each in multiples of `unit`."""

    rows: list[int]
    cols: list[int]
    values: list[int]
    class_sizes: list[int]
    cluster_sizes: list[int]
    n: int
    unit: Fraction


class CellSums(NamedTuple):
    """Sums over the cells x of a table with class size a and cluster size b, as shares of n."""

    classes_given_clusters: float  # H(class | cluster) in nats
    clusters_given_classes: float  # H(cluster | class) in nats
    mutual: float  # mutual information in nats
    cluster_agreement: float  # sum of x^2 / b
    class_agreement: float  # sum of x^2 / a
    element_agreement: float  # sum of x^2 / max(a, b)
    cluster_confusion: float  # sum of x (b - x) / b
    class_confusion: float  # sum of x (a - x) / a


class Peaks(NamedTuple):
    """The largest cells of each class and cluster, and the majority classes of the clusters."""

    class_peaks: Sequence[int]
    cluster_peaks: Sequence[int]
    majority_sizes: Sequence[int]  # size of the cluster's majority class; ties: the smaller class
    class_overlaps: Sequence[float]  # for each class the largest 2x / (a + b)


def whole(values: Iterable[float]) -> tuple[list[int], Fraction]:
    """Write finite floats as whole multiples of one power of two, exactly."""
    ratios = [value.as_integer_ratio() for value in values]
    denominator = max((d for _, d in ratios), default=1)
    return [p * (denominator // d) for p, d in ratios], Fraction(1, denominator)


def plain(rows: list[int], cols: list[int], values: list[int], unit: Fraction) -> Plain:
    """Make a table with its margins."""
    class_sizes = [0] * (max(rows) + 1)
    cluster_sizes = [0] * (max(cols) + 1)
    for row, col, value in zip(rows, cols, values, strict=True):
        class_sizes[row] += value
        cluster_sizes[col] += value
    return Plain(rows, cols, values, class_sizes, cluster_sizes, sum(values), unit)


def sum_squares(values: Iterable[int]) -> int:
    """The exact sum of squares."""
    return sum([value * value for value in values])


def entropy(sizes: Iterable[int], n: int) -> float:
    """-sum p log p in nats, with p = size / n."""
    return math.fsum(size / n * _surprise(size, n) for size in sizes)


def total_entropy(sizes: Mapping[int, int], n: int) -> float:
    """The entropy of n objects in nats, n times that of one, from the numbers of equal parts."""
    return math.fsum(count * size * _surprise(size, n) for size, count in sizes.items())


def _surprise(part: int, size: int) -> float:
    """-log(part / size), with full relative precision also where part is nearly all of size."""
    if 2 * part > size:
        return -math.log1p(-((size - part) / size))
    try:
        return math.log(size / part)
    except OverflowError:
        return math.log(size) - math.log(part)


def cell_sums(table: Plain) -> CellSums:
    """All sums over cells in one pass; every term is positive, so nothing cancels."""
    n = table.n
    square = n * n
    occupied = 0
    terms: list[tuple[float, ...]] = []
    for row, col, x in zip(table.rows, table.cols, table.values, strict=True):
        a = table.class_sizes[row]
        b = table.cluster_sizes[col]
        product = a * b
        occupied += product
        share = x / n
        terms.append(
            (
                share * _surprise(x, b),
                share * _surprise(x, a),
                deviance(share, product / square, (x * n - product) / square),
                share * (x / b),
                share * (x / a),
                share * (x / max(a, b)),
                share * ((b - x) / b),
                share * ((a - x) / a),
            )
        )
    sums = [math.fsum(column) for column in zip(*terms, strict=True)]
    # The deviance of an empty cell is its expectation; all of them together, exactly.
    sums[2] += (square - occupied) / square
    return CellSums(*sums)


def peaks(table: Plain) -> Peaks:
    """Largest cells of every class and cluster."""
    class_peaks = [0] * len(table.class_sizes)
    overlaps = [0.0] * len(table.class_sizes)
    best = [(0, 0)] * len(table.cluster_sizes)
    for row, col, x in zip(table.rows, table.cols, table.values, strict=True):
        a = table.class_sizes[row]
        class_peaks[row] = max(class_peaks[row], x)
        overlaps[row] = max(overlaps[row], 2 * x / (a + table.cluster_sizes[col]))
        best[col] = max(best[col], (x, -a))
    return Peaks(class_peaks, [x for x, _ in best], [-a for _, a in best], overlaps)


def explained_impurity(table: Plain) -> float:
    """The Gini impurity of the classes less that within clusters, also where they nearly agree.

    With n^2 as the unit it is the sum of n x^2 / b over cells less that of a^2 over classes.
    """
    squares = [0] * len(table.cluster_sizes)
    for col, x in zip(table.cols, table.values, strict=True):
        squares[col] += x * x
    found = -sum_squares(table.class_sizes) << BINARY_DIGITS
    for square, b in zip(squares, table.cluster_sizes, strict=True):
        found += (table.n * square << BINARY_DIGITS) // b
    # Each quotient lost less than one unit.
    return found / (table.n**2 << BINARY_DIGITS) if found > 0 else 0.0


def expected_information(
    classes: Mapping[int, float], clusters: Mapping[int, float], n: int
) -> float:
    """Expected mutual information in nats from distinct sizes with their multiplicities."""
    if n >= 2**1000:
        return 0.0  # about |C| |K| / 2n: too small to change any float
    total = float(n)
    return math.fsum(
        count
        * other
        * expected_deviance(float(size), float(width), total, float(n - size), float(n - width))
        / total
        for size, count in classes.items()
        for width, other in clusters.items()
    )


def best_quotients(table: Plain, wholes: Sequence[int]) -> Fraction:
    """The largest sum of cell / whole over one-to-one maps of classes to clusters."""
    unit = math.lcm(*set(wholes))
    weights = [x * (unit // whole) for x, whole in zip(table.values, wholes, strict=True)]
    chosen = assignment(table.rows, table.cols, weights)
    return Fraction(sum(weights[k] for k in chosen), unit)


def nats_saved(table: Plain) -> float | None:
    """Dom's Q1 in nats, with all digits where its terms cancel; None where it takes too long.

    n Q1 is the sum of x log x over cells and n, less that over both margins, plus the logarithm of
    (n + m choose m), less those of (b + m choose m) for clusters b, where there are m + 1 classes.
    """
    m = len(table.class_sizes) - 1
    sizes = Counter({table.n: 1})
    sizes.subtract(Counter(table.cluster_sizes))
    if m * len(sizes) > MANY_FACTORS:
        return None
    logs = Counter({table.n: table.n})
    for side, sign in ((table.values, 1), (table.class_sizes, -1), (table.cluster_sizes, -1)):
        for size in side:
            logs[size] += sign * size
    p, q = table.unit.as_integer_ratio()
    with _many_digits(table.n):
        shared = sum((count * _log(size) for size, count in logs.items()), Decimal(0))
        # (h + m choose m) is the product of (h + i) / i, also for a real h.
        models = (
            count * _log(math.prod(range(size * p + q, size * p + m * q + 1, q)))
            for size, count in sizes.items()
        )
        clusters = len(table.cluster_sizes)
        model = sum(models, Decimal(0)) + (clusters - 1) * _log(math.factorial(m) * q**m)
        return float((shared * p + model * q) / (table.n * p))


class Information(NamedTuple):
    """Entropies, mutual information and its expectation in nats, with forty digits or more."""

    classes: Decimal
    clusters: Decimal
    joint: Decimal
    mutual: Decimal
    expected: Decimal


def information(table: Plain) -> Information | None:
    """The information of a table of whole counts, where it cancels; None where it takes too long.

    The expectation is that of Vinh, Epps & Bailey 2010, eq. 24a, its probabilities computed from
    their ratios.
    """
    n = table.n
    sides = Counter(table.class_sizes), Counter(table.cluster_sizes)
    pairs = [(a, b) for a in sides[0] for b in sides[1]]
    if sum(min(a, b, n - a, n - b) + 1 for a, b in pairs) > MANY_TERMS:
        return None
    with _many_digits(n):
        classes, clusters, joint = (
            sum(
                (count * size * (_log(n) - _log(size)) for size, count in sizes.items()), Decimal(0)
            )
            / n
            for sizes in (*sides, Counter(table.values))
        )
        expected = sum(
            (sides[0][a] * sides[1][b] * _expected_term(a, b, n) for a, b in pairs), Decimal(0)
        )
        return Information(classes, clusters, joint, classes + clusters - joint, expected / n)


def _expected_term(a: int, b: int, n: int) -> Decimal:
    """The mean of x log(n x / (a b)) for the overlap x of random sets of sizes a and b among n."""
    low, high = max(0, a + b - n), min(a, b)
    weight, mass, total = Decimal(1), Decimal(0), Decimal(0)
    for x in range(low, high + 1):
        mass += weight
        if x:
            total += weight * x * ((_log(n) - _log(a)) + (_log(x) - _log(b)))
        weight = weight * ((a - x) * (b - x)) / ((x + 1) * (n - a - b + x + 1))
    return total / mass


def _many_digits(n: int) -> AbstractContextManager[Context]:
    """Decimal arithmetic in which differences of logarithms about n objects keep their digits."""
    return localcontext(prec=DIGITS + 2 * len(str(n)))


def _log(x: int) -> Decimal:
    """The natural logarithm, in the digits of the context."""
    precision = getcontext().prec
    extra = x.bit_length() - 4 * precision
    if extra <= 0:
        return _short_log(x, precision)
    return _short_log(x >> extra, precision) + extra * _short_log(2, precision)


@lru_cache(maxsize=10_000)
def _short_log(x: int, precision: int) -> Decimal:
    """The logarithm in the digits of the context, which are a parameter of the cache."""
    return Decimal(x).ln()


def assignment(rows: list[int], cols: list[int], weights: Sequence[float]) -> list[int]:
    """The cells of a maximum-weight matching, as positions in the given lists.

    The Hungarian method with potentials, with one shortest augmenting path per row (Kuhn 1955;
    Munkres 1957); exact for Python ints of any size.
    """
    if max(rows) > max(cols):
        rows, cols = cols, rows
    height, width = max(rows) + 1, max(cols) + 1
    where = {(row, col): k for k, (row, col) in enumerate(zip(rows, cols, strict=True))}
    cost: list[list[float]] = [[0] * width for _ in range(height)]
    for (row, col), k in where.items():
        cost[row][col] = -weights[k]
    of_row: list[float] = [0] * height
    of_col: list[float] = [0] * (width + 1)
    owner = [-1] * (width + 1)
    for start in range(height):
        owner[width] = start
        slack: list[float] = [math.inf] * width
        back = [width] * width
        seen = [False] * (width + 1)
        at = width
        while owner[at] != -1:
            seen[at] = True
            row = owner[at]
            line, base = cost[row], of_row[row]
            nearest, step = width, float("inf")
            for col in range(width):
                if not seen[col]:
                    reduced = line[col] - base - of_col[col]
                    if reduced < slack[col]:
                        slack[col], back[col] = reduced, at
                    if slack[col] < step:
                        nearest, step = col, slack[col]
            for col in range(width + 1):
                if seen[col]:
                    of_row[owner[col]] += step
                    of_col[col] -= step
                elif col < width:
                    slack[col] -= step
            at = nearest
        while at != width:
            owner[at] = owner[back[at]]
            at = back[at]
    pairs = ((owner[col], col) for col in range(width) if owner[col] != -1)
    return sorted(where[pair] for pair in pairs if pair in where)
