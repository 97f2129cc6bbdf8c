"""How much of a value is chance: expectation, spread and p-value under a null model."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency, Pairs
from clustervet.contingency.sums import expected_deviances
from clustervet.errors import ParameterError
from clustervet.inference.nulls import Side, resolve_model, sides
from clustervet.inference.resample import check_whole
from clustervet.registry import Measure, MeasureFunction, measures

Ties = Literal["conservative", "random"]


@dataclass(frozen=True, slots=True)
class Chance:
    """A value beside what chance gives.

    `adjusted` is (value - expected) / (best - expected): 0 is chance, 1 is perfect. `p_value`
    is the share of random clusterings that do at least as well. `exact` says whether the
    expectation is a closed form rather than a mean over samples.
    """

    measure: str
    model: str
    value: float
    expected: float
    spread: float
    z: float
    p_value: float
    adjusted: float
    exact: bool
    samples: int
    undefined: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what is not finite is null."""
        return {
            key: None if isinstance(item, float) and not math.isfinite(item) else item
            for key, item in asdict(self).items()
        }


def chance(
    measure: str | Measure | MeasureFunction,
    truth: Any,
    pred: Any = None,
    *,
    model: str = "sizes",
    samples: int = 1_000,
    ties: Ties = "conservative",
    random_state: Any = None,
    **options: Any,
) -> Chance:
    """What a measure's value would be by chance, and how unlikely the actual one is.

    `model` is "sizes" (both sets of sizes fixed), "number", "all", "number_one_sided" or
    "all_one_sided" (Gates & Ahn 2017). The expectation is exact for the pair family and for
    mutual information and its adjusted form; elsewhere it is the mean over sampled tables.
    With `samples=0` nothing is sampled, and the p-value comes from the normal approximation
    where the spread is known.

    >>> found = chance("rand", [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], random_state=0)
    >>> found.expected, found.exact
    (0.68, True)
    >>> found.adjusted
    1.0
    """
    if samples < 0:
        raise ParameterError(f"samples must not be negative, not {samples!r}.")
    if ties not in ("conservative", "random"):
        raise ParameterError(f"ties must be 'conservative' or 'random', not {ties!r}.")
    record = measures.select([measure])[0]
    name = resolve_model(model)
    parameters = {key: options.pop(key) for key in record.parameters if key in options}
    table = record.subject(truth, pred, **options)
    check_whole(table, "a null model")
    both = sides(table, name)
    value = record.evaluate(table, **parameters).value
    rng = np.random.default_rng(random_state)
    drawn = _sample(record, parameters, table, both, name, samples, rng)
    defined = drawn[np.isfinite(drawn)]
    expected = closed_form(record, parameters, table, both, name)
    exact = expected is not None
    if expected is None:
        expected = float(defined.mean()) if len(defined) else math.nan
    spread = _spread(PairView(record, parameters, table, both), table, name, defined)
    gap = value - expected
    best = _best(record, parameters, table)
    return Chance(
        measure=record.key,
        model=name,
        value=value,
        expected=expected,
        spread=spread,
        z=gap / spread if spread > 0 else math.nan,
        p_value=_p_value(record, value, defined, gap, spread, ties, rng),
        adjusted=gap / (best - expected) if best != expected else math.nan,
        exact=exact,
        samples=len(drawn),
        undefined=len(drawn) - len(defined),
    )


def _best(record: Measure, parameters: dict[str, Any], table: Contingency) -> float:
    """The value of a perfect prediction: fixed, or that of the truth against itself."""
    if record.perfect is not None:
        return record.perfect
    itself = Contingency.from_counts(np.diag(table.class_sizes.astype(object)))
    return record.evaluate(itself, **parameters).value


def _p_value(
    record: Measure,
    value: float,
    drawn: NDArray[np.float64],
    gap: float,
    spread: float,
    ties: Ties,
    rng: np.random.Generator,
) -> float:
    if record.better == "neither" or math.isnan(value):
        return math.nan
    sign = 1.0 if record.better == "higher" else -1.0
    if len(drawn) == 0:
        return 0.5 * math.erfc(sign * gap / spread / math.sqrt(2)) if spread > 0 else math.nan
    # Values that differ by rounding alone are equal.
    slack = 1e-12 * max(1.0, abs(value))
    above = int(np.count_nonzero(sign * (drawn - value) > slack))
    equal = int(np.count_nonzero(np.abs(drawn - value) <= slack))
    share = rng.random() if ties == "random" else 1.0
    return (above + share * (equal + 1)) / (len(drawn) + 1)


def _sample(
    record: Measure,
    parameters: dict[str, Any],
    table: Contingency,
    both: tuple[Side, Side],
    model: str,
    samples: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """The measure on random tables."""
    values = np.empty(samples)
    for k, drawn in enumerate(_random_tables(table, both, model, samples, rng)):
        values[k] = record.evaluate(drawn, **parameters).value
    return values


# Up to this many entries random tables are drawn whole rather than object by object.
TABLE_ENTRIES = 1_000_000


def _random_tables(
    table: Contingency,
    both: tuple[Side, Side],
    model: str,
    samples: int,
    rng: np.random.Generator,
) -> Any:
    height, width = table.shape
    if model == "sizes" and height * width <= TABLE_ENTRIES:
        from scipy.stats import random_table

        law = random_table(table.class_sizes, table.cluster_sizes)
        full = Contingency.from_counts(np.ones(table.shape, np.int64))
        block = max(1, TABLE_ENTRIES // (height * width))
        for start in range(0, samples, block):
            drawn = law.rvs(size=min(block, samples - start), random_state=rng)
            for counts in np.asarray(drawn).reshape(-1, height * width):
                yield full.with_values(counts.astype(np.int64))
        return
    for _ in range(samples):
        yield Contingency.from_labels(both[0].draw(rng), both[1].draw(rng))


def closed_form(
    record: Measure,
    parameters: dict[str, Any],
    table: Contingency,
    both: tuple[Side, Side],
    model: str,
) -> float | None:
    """The exact expectation, where there is one.

    Given its sizes, a random clustering puts each pair together independently of the other
    clustering, so N11 has expectation P Q / M (Hubert & Arabie 1985). A measure that is
    affine in N11 once sizes are fixed takes its value there; one that is affine in N11, P
    and Q together does so in every model. Mutual information is a sum over pairs of
    clusters that depends on their sizes alone.
    """
    if record.key == "mutual_information":
        return _expected_information(record, parameters, table, both)
    if model == "sizes" and record.key == "adjusted_mutual_information":
        return 0.0
    return PairView(record, parameters, table, both).expectation(sizes_fixed=model == "sizes")


class _PairsOnly:
    """Stands for a table of which nothing but the pair counts is known."""

    identical = False
    is_whole = False

    def __init__(self, total: Fraction, n11: Fraction, p: Fraction, q: Fraction, n: int) -> None:
        self.exact_pairs = Pairs(n11, p - n11, q - n11, total - p - q + n11)
        self.exact_n = n
        self.n = n


class PairView:
    """A measure as a function of N11, P and Q, if it is one."""

    def __init__(
        self,
        record: Measure,
        parameters: dict[str, Any],
        table: Contingency,
        both: tuple[Side, Side],
    ) -> None:
        self.record, self.parameters, self.n = record, parameters, int(table.n)
        self.total = Fraction(self.n * (self.n - 1), 2)
        self.p, self.q = (side.expected_pairs() for side in both)
        self.n11 = self.p * self.q / self.total

    def at(self, n11: Fraction, p: Fraction, q: Fraction) -> float:
        """The measure's value for these pair counts; nan if it needs more than pairs."""
        try:
            subject = _PairsOnly(self.total, n11, p, q, self.n)
            return self.record.evaluate(subject, **self.parameters).value
        except AttributeError:
            return math.nan

    def expectation(self, *, sizes_fixed: bool) -> float | None:
        """The value at the expected pair counts, if the measure is affine in what varies."""
        here = (self.n11, self.p, self.q)
        moves = [(Fraction(1), Fraction(0), Fraction(0))]
        if not sizes_fixed:
            moves += [
                (Fraction(1), Fraction(2), Fraction(0)),
                (Fraction(0), Fraction(1), Fraction(3)),
            ]
        value = self.at(*here)
        for move in moves:
            near, far = (
                self.at(*(x + times * d / 4 for x, d in zip(here, move, strict=True)))
                for times in (1, 2)
            )
            if not abs((near - value) * 2 - (far - value)) <= 1e-9 * abs(near - value):
                return None
        return value

    def slope(self) -> float:
        """Change of the value a pair in common."""
        return self.at(self.n11 + 1, self.p, self.q) - self.at(self.n11, self.p, self.q)


def _expected_information(
    record: Measure, parameters: dict[str, Any], table: Contingency, both: tuple[Side, Side]
) -> float:
    nats = expected_deviances(both[0].spectrum(), both[1].spectrum(), int(table.n))
    base = parameters.get("base", record.parameters["base"])
    return nats if base == math.e else nats / math.log(base)


def _spread(view: PairView, table: Contingency, model: str, drawn: NDArray[np.float64]) -> float:
    """The standard deviation: exact for affine pair measures, else that of the samples."""
    if model == "sizes" and table.n > 3 and view.expectation(sizes_fixed=True) is not None:
        return abs(view.slope()) * math.sqrt(max(0.0, pair_variance(table)))
    return float(drawn.std(ddof=1)) if len(drawn) > 1 else math.nan


def pair_variance(table: Contingency) -> float:
    """Variance of N11 over all tables with these sizes (Fowlkes & Mallows 1983, eq. A.2)."""
    n = int(table.n)

    def moments(sizes: list[int]) -> tuple[Fraction, Fraction]:
        second = sum(size * (size - 1) for size in sizes)
        third = sum(size * (size - 1) * (size - 2) for size in sizes)
        return Fraction(second), Fraction(third)

    p, p3 = moments([int(size) for size in table.class_sizes])
    q, q3 = moments([int(size) for size in table.cluster_sizes])
    if p == 0 or q == 0:
        return 0.0
    two = Fraction(n * (n - 1))
    three = two * (n - 2)
    four = three * (n - 3)
    variance = 2 * p * q / two + 4 * p3 * q3 / three - (p * q / two) ** 2
    variance += (p * p - 2 * p - 4 * p3) * (q * q - 2 * q - 4 * q3) / four
    return float(variance / 4)
