"""How much of a value is chance: expectation, spread and p-value under a null model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, one_of, whole
from clustervet._memory import need
from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.contingency.engine_table import with_cells
from clustervet.errors import ParameterError, TableError
from clustervet.inference.batch import scores
from clustervet.inference.expectation import ClosedForm
from clustervet.inference.inner_chance import (
    STRUCTURELESS,
    shuffled_values,
    structureless_values,
)
from clustervet.inference.nulls import Side, resolve_model, sides
from clustervet.inference.pair_null import ALL_TABLES, LOST, NORMAL, PEARSON, TRUSTED
from clustervet.inference.paired import OBJECTS, Measured, shuffled_pairs
from clustervet.inference.resample import check_whole
from clustervet.registry import PAIRED, Measure, MeasureFunction, Pair, measures
from clustervet.view import Cell, Column, Result, Row, Section, Table, number_cell, text_cell
from clustervet.view.words import known, listed, number, p_text

Ties = Literal["conservative", "random"]
# Sampled values, and their distance from what is expected, that differ by less differ by rounding.
ROUNDING = 1e-12
# Objects of which scipy still draws random tables in reasonable time.
MOST_OBJECTS = 2**31
# The model of measures of features: the same labels in a random order.
LABELS = "labels"
RANDOM = {
    "sizes": "clusterings of the same sizes",
    "number": "clusterings into the same numbers of clusters",
    "all": "any clusterings",
    "number_one_sided": "predictions with the same number of clusters",
    "all_one_sided": "any predictions",
    LABELS: "the same points",
    OBJECTS: "the prediction's objects",
    STRUCTURELESS: "data without clusters",
}
# What is drawn under a model; tables under all others.
DRAWN = {LABELS: "random labels", STRUCTURELESS: "clusterings", OBJECTS: "random orders"}
# How a p-value was found that is neither counted nor approximated.
RANDOM_TABLES = "random tables"
NOTES = {
    ALL_TABLES: "p-values are exact: all tables of these sizes were counted.",
    PEARSON: "p-values are approximate: the tail is that of a Pearson type III distribution with "
    "the exact mean, spread and skewness.",
    NORMAL: "p-values are approximate and rather too large: the tail is that of a normal "
    "distribution, because the exact skewness is negative.",
}
TAIL_WORK = "Mielke & Berry 2007"
# What a p-value below a limit says of a value.
BEYOND = ((0.01, "is beyond chance"), (0.05, "is hardly chance"), (2.0, "may be chance alone"))


@dataclass(frozen=True, slots=True, repr=False)
class Chance(Result):
    """A value beside what chance gives.

    Parameters
    ----------
    measure, model : str
        The measure, and the null model that random clusterings follow.
    value, expected, spread : float
        The value, and the mean and standard deviation of random clusterings.
    z : float
        (value - expected) / spread.
    p_value : float
        The share of random clusterings that do at least as well.
    adjusted : float
        (value - expected) / (best - expected): 0 is chance, 1 is perfect.
    exact : bool
        Whether the expectation is a closed form rather than a mean over samples.
    samples, undefined : int
        How many random tables were drawn, and how many of them have no value.
    skewness : float
        The skewness of random clusterings, where it is known exactly; nan elsewhere.
    tail : str
        How the p-value was found: "random tables", "all tables of these sizes", "Pearson III from
        the exact third moment", "normal, because the exact skewness is negative", or "" where there
        is no p-value.
    reference : str, optional
        With the model "structureless" the kind of data in which such a value is least unusual.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.chance("rand", [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 0], random_state=0)
    >>> round(found.value, 2), found.expected, round(found.adjusted, 2)
    (0.8, 0.64, 0.44)
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
    undefined: int
    skewness: float
    tail: str
    reference: str = ""

    @property
    def is_least(self) -> bool:
        """Whether no random table does as well, so that the p-value is the least it can be."""
        return self.tail == RANDOM_TABLES and self.p_value * (self.samples + 1) <= 1 + 1e-9

    @property
    def verdict(self) -> str:
        """Whether the value may be chance, in a sentence; empty where there is no p-value."""
        if math.isnan(self.p_value):
            return ""
        word = next(word for limit, word in BEYOND if self.p_value < limit)
        shown = f"= {self.p_value:.2g}" if self.p_value >= 1e-4 else "< 0.0001"
        how = f"of {ALL_TABLES}" if self.tail == ALL_TABLES else "approximate"
        if self.is_least:
            shown = f"≤ {self.p_value:.2g}"
            how = f"none of {self.samples:,} {self._drawn} does as well"
        elif self.tail == RANDOM_TABLES:
            how = f"of {self.samples:,} {self._drawn}"
        return f"That {word}: p {shown} ({how})."

    @property
    def _drawn(self) -> str:
        if not self.reference:
            return "random clusterings"
        return f"clusterings of data without clusters ({self.reference})"

    def document(self) -> Section:
        """Return the value beside what chance gives.

        Returns
        -------
        Section
            The sentences and tables.
        """
        table = chance_table("chance-levels", [self])
        record = measures.select([self.measure])[0]
        return Section(
            "chance",
            "Chance",
            (f"{record.title} {_beside(self)}",),
            (table,),
            notes=tuple(filter(None, [tail_note([self])])),
            lead=tuple(filter(None, [self.verdict])),
            subject=self,
            measures=(record,),
            citations=("Gates & Ahn 2017", *([TAIL_WORK] if self.tail == PEARSON else [])),
        )


def chance_table(key: str, levels: Iterable[Chance], name: str = "") -> Table:
    """Return one row per measure: its value beside what random clusterings give."""
    found = list(levels)
    beside = _beside(found[0])
    return Table(
        key,
        f"{name}: {beside}" if name else f"{beside[:1].upper()}{beside[1:]}",
        (
            Column("measure", "text"),
            Column("value"),
            Column("by chance", hint="What random clusterings give on average"),
            Column("spread", hint="Their standard deviation"),
            Column("z"),
            Column("p-value", hint="The share of random clusterings that do at least as well"),
            Column("adjusted", hint="0 is chance, 1 is perfect"),
        ),
        tuple(Row(_cells(level)) for level in found),
    )


def _beside(level: Chance) -> str:
    """Return what a value stands beside, within a sentence."""
    what = DRAWN.get(level.model, "random tables")
    drawn = f"{level.samples:,} {what} of " if level.samples else ""
    which = f" ({level.reference})" if level.reference else ""
    return f"beside {drawn}{RANDOM[level.model]}{which}"


def tail_note(levels: Iterable[Chance]) -> str:
    """Return how p-values were found where no random tables were drawn, in sentences."""
    found = [level for level in levels if not level.samples]
    said = [NOTES[tail] for tail in NOTES if any(level.tail == tail for level in found)]
    lacking = [level.measure for level in found if not level.tail and _has_p_value(level)]
    if lacking:
        said.append(f"Without random tables there is no p-value for {listed(lacking)}.")
    return " ".join(said)


def _has_p_value(level: Chance) -> bool:
    better = measures.select([level.measure])[0].better
    return better != "neither" and not math.isnan(level.value)


def _cells(level: Chance) -> tuple[Cell, ...]:
    record = measures.select([level.measure])[0]
    expected, spread = (
        number_cell(None if math.isnan(x) else x, record.unit)
        for x in (level.expected, level.spread)
    )
    z = known(level.z, ".1f" if abs(level.z) < 1e4 else ".1e")
    return (
        text_cell(level.measure, long=record.title),
        number_cell(level.value, text=number(level.value, record.unit)),
        expected,
        spread,
        number_cell(level.z, text=z),
        number_cell(level.p_value, text=_p_words(level)),
        number_cell(level.adjusted, text=known(level.adjusted, ".4f")),
    )


def _p_words(level: Chance) -> str:
    """The p-value, or the least one that is known well."""
    least = {PEARSON: TRUSTED, NORMAL: TRUSTED, ALL_TABLES: LOST}.get(level.tail, 0.0)
    if level.p_value <= least and least:
        return f"≤ {least:g}"
    return p_text(level.p_value, level.samples)


def chance(
    measure: str | Measure | MeasureFunction,
    truth: Any,
    pred: Any = None,
    *,
    model: str = "sizes",
    samples: int = 1_000,
    ties: Ties = "conservative",
    estimator: Any = None,
    random_state: Any = None,
    **options: Any,
) -> Chance:
    """Return what a measure's value would be by chance, and how unlikely the actual value is.

    Parameters
    ----------
    measure : str, Measure or function
        The measure: its name, its record, or your own measure.
    truth : array-like or Contingency
        The classes, or one finished table. For a measure of features, the points. For a measure
        of soft, overlapping or hierarchical clusterings, one of these.
    pred : array-like, optional
        The clusters, unless `truth` is a table.
    model : str, default "sizes"
        What random clusterings share with the given ones: "sizes" (both sets of sizes), "number"
        (the numbers of clusters), "all" (nothing), or "number_one_sided" and "all_one_sided" (only
        the prediction is random). A measure of features has "sizes" and "structureless"; see the
        notes. Clusterings that are more than labels have "sizes" alone: the objects of the
        prediction, such as the leaves of a tree, are exchanged at random.
    samples : int, default 1000
        The number of random tables. With 0 nothing is sampled. The p-value is then exact for small
        tables and approximate for others, and only measures of pairs have one; see the notes.
    ties : {"conservative", "random"}, default "conservative"
        How random tables with exactly the same value count in the p-value: all of them, or a random
        share of them.
    estimator : estimator or function, optional
        With the model "structureless" what clusters data: an estimator with ``fit_predict``, or a
        function of points. By default k-means with as many clusters as there are labels; give
        the clusterer that made the labels.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed.
    **options
        Parameters of the measure, and of reading labels and features (`missing`, `noise`,
        `metric`, ...).

    Returns
    -------
    Chance
        The value beside the mean and the spread of random clusterings, and the p-value.

    Raises
    ------
    LabelError
        If the labels cannot be read.
    ParameterError
        If a parameter is unknown or out of range.
    TableError
        If the table has real weights, fewer than two objects or only one non-empty cell.

    Notes
    -----
    The models are those of Gates & Ahn 2017. The expectation is exact for measures of pairs
    (Hubert & Arabie 1985) and of information (Vinh et al. 2010) that are affine in what varies;
    for all others it is the mean over the random tables. If a random tables are better than the
    given one and e are equal to it, the conservative p-value is (a + e + 1) / (samples + 1).

    With ``samples=0`` a measure has a p-value if it rises or falls with the number N11 of pairs
    that both clusterings put together (fixed sizes), or is affine in pair counts (other models).
    With fixed sizes, few tables are counted one by one, and the p-value is exact. Else it is the
    tail Q(k, k + z sqrt(k)) of a Pearson type III distribution, with k = 4/g^2 and z = (N11 - 1/2 -
    E N11) / sd. Q is the regularised upper incomplete gamma function; mean, standard deviation and
    skewness g of N11 are exact (third moment: Mantel 1967; Siemiatycki 1978; this tail: Mielke &
    Berry 2007). Where g < 0 the normal tail is taken, which is longer. How well such p-values hold
    is in docs/theory.md.

    A measure of features is held against the same labels in random orders. That is a low bar: what
    a clusterer finds in data without any clusters is far better than random labels too. With
    ``model="structureless"`` data without clusters are drawn and clustered: uniform in the box of
    the points and of their principal axes, one Gaussian, elliptical with the tails of the points,
    and with one mode in each feature. The samples are shared out among these kinds, and the kind
    that does best counts, so the p-value is the largest of theirs. The points must be dense
    features. `tune` does the same for many numbers of clusters.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.chance("rand", [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], random_state=0)
    >>> found.expected, found.exact
    (0.68, True)
    >>> found.adjusted
    1.0
    >>> found = cv.chance("rand", [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], samples=0)
    >>> round(found.p_value * 15, 12), found.tail
    (1.0, 'all tables of these sizes')
    """
    (record,) = measures.select([measure])
    if record.kind == "soft_internal":
        raise ParameterError(
            f"there is no chance level for {record.key}: random memberships have no agreed model."
        )
    if record.kind == "internal":
        if options.get("weights") is not None:
            raise ParameterError("chance takes no weights for measures of features.")
        whole(samples, "samples", 1)
        one_of(ties, "ties", ("conservative", "random"))
        rng = generator(random_state)
        if model == STRUCTURELESS:
            one = (record, truth, pred, samples, rng, estimator)
            value, kinds = structureless_values(*one, **options)
            levels = [
                replace(_inner_level(record, value, drawn, ties, rng), model=model, reference=kind)
                for kind, drawn in kinds.items()
            ]
            return max(levels, key=_least_unusual)
        _no_estimator(estimator)
        given = shuffled_values(record, truth, pred, model, samples, rng, **options)
        return _inner_level(record, *given, ties, rng)
    _no_estimator(estimator)
    return chance_levels(
        [record],
        truth,
        pred,
        model=model,
        samples=samples,
        ties=ties,
        random_state=random_state,
        **options,
    )[0]


def _no_estimator(estimator: Any) -> None:
    if estimator is not None:
        raise ParameterError(
            f"estimator is for measures of features with model={STRUCTURELESS!r} alone."
        )


def _least_unusual(level: Chance) -> tuple[float, float]:
    """The order of references: by the p-value, then by the distance from what is expected."""
    p_value = -1.0 if math.isnan(level.p_value) else level.p_value
    return p_value, 0.0 if math.isnan(level.z) else -abs(level.z)


def _inner_level(
    record: Measure, value: float, drawn: NDArray[np.float64], ties: Ties, rng: np.random.Generator
) -> Chance:
    """Return the level of a measure of features, which is 0 at the mean of random labels."""
    defined = drawn[np.isfinite(drawn)]
    expected = float(defined.mean()) if len(defined) else math.nan
    spread = _spread(record, defined)
    gap = _rounded(value - expected, _slack(record, abs(value)))
    best = record.bounds[record.better == "higher"]
    finite = math.isfinite(best) and record.better != "neither" and best != expected
    tail, p_value = "", math.nan
    if len(defined) and record.better != "neither":
        tail, p_value = (
            RANDOM_TABLES,
            _share_reached(record, value, defined, rng.random() if ties == "random" else 1.0),
        )
    return Chance(
        measure=record.key,
        model=LABELS,
        value=float(value),
        expected=expected,
        spread=spread,
        z=gap / spread if spread > 0 else math.nan,
        p_value=p_value,
        adjusted=gap / (best - expected) if finite else math.nan,
        exact=False,
        samples=len(drawn),
        undefined=len(drawn) - len(defined),
        skewness=math.nan,
        tail=tail,
    )


def chance_levels(
    wanted: Sequence[str | Measure | MeasureFunction],
    truth: Any,
    pred: Any = None,
    *,
    model: str = "sizes",
    samples: int = 1_000,
    ties: Ties = "conservative",
    random_state: Any = None,
    **options: Any,
) -> list[Chance]:
    """The same for several measures, all on the same random tables."""
    whole(samples, "samples")
    one_of(ties, "ties", ("conservative", "random"))
    records = measures.select(wanted)
    if not records:
        raise ParameterError("no measure of classes is asked for, so there is no chance level.")
    kinds = {record.kind for record in records}
    given = dict(options)
    own = [{key: given[key] for key in record.parameters if key in given} for record in records]
    for key in {key for parameters in own for key in parameters}:
        del given[key]
    if len(kinds) == 1 and kinds <= PAIRED:
        pair = records[0].subject(truth, pred, **given)
        measured = list(zip(records, own, strict=True))
        return pair_levels(pair, measured, model, samples, ties, generator(random_state))
    for record in records:
        if record.kind != "external":
            raise ParameterError(f"{record.key} needs features, not a second labeling.")
    name = resolve_model(model)
    table = with_cells(records[0].subject(truth, pred, **given), "a chance level")
    if table.partial:
        raise TableError(
            "a chance level is of clusterings of the same objects, and some of these are in one of "
            "the clusterings alone."
        )
    n = check_whole(table, "a null model")
    if samples and n > MOST_OBJECTS:
        raise ParameterError(
            f"random tables are drawn of up to {MOST_OBJECTS:,} objects, and there are {n:,}; "
            "samples=0 gives what is known without them."
        )
    both = sides(table, name)
    rng = generator(random_state)
    measured = list(zip(records, own, strict=True))
    drawn = _sample(measured, table, both, name, samples, rng)
    return [
        _level(record, parameters, table, both, name, drawn[:, k], ties, rng)
        for k, (record, parameters) in enumerate(measured)
    ]


def pair_levels(
    pair: Pair,
    measured: Measured,
    model: str,
    samples: int,
    ties: Ties,
    rng: np.random.Generator,
) -> list[Chance]:
    """The chance levels of two clusterings that are more than labels."""
    whole(samples, "samples", 1)
    drawn = shuffled_pairs(pair, measured, model, samples, rng)
    levels = []
    for (record, parameters), column in zip(measured, drawn.T, strict=True):
        value = record.evaluate(pair, **parameters).value
        levels.append(replace(_inner_level(record, value, column, ties, rng), model=OBJECTS))
    return levels


def _level(
    record: Measure,
    parameters: dict[str, Any],
    table: Contingency,
    both: tuple[Side, Side],
    model: str,
    drawn: NDArray[np.float64],
    ties: Ties,
    rng: np.random.Generator,
) -> Chance:
    value = record.evaluate(table, **parameters).value
    defined = drawn[np.isfinite(drawn)]
    form = ClosedForm(record, parameters, table, both, model)
    expected = form.expectation()
    exact = expected is not None
    if expected is None:
        expected = float(defined.mean()) if len(defined) else math.nan
    slack = ROUNDING * max(1.0, abs(value))
    gap = _rounded(value - expected, slack)
    spread, z = form.spread(), form.z()
    if spread is None or z is None:
        spread = _spread(record, defined)
        z = gap / spread if spread > 0 else math.nan
    reach = _rounded(_best(record, parameters, table) - expected, slack)
    tail, p_value = _p_value(record, value, defined, form, ties, rng)
    return Chance(
        measure=record.key,
        model=model,
        value=value,
        expected=expected,
        spread=spread,
        z=z,
        p_value=p_value,
        adjusted=gap / reach if reach != 0 and record.better != "neither" else math.nan,
        exact=exact,
        samples=len(drawn),
        undefined=len(drawn) - len(defined),
        skewness=form.skewness(),
        tail=tail,
    )


def _slack(record: Measure, size: float) -> float:
    """How much values of this size may differ by rounding; those in a unit may be tiny."""
    return ROUNDING * (size if record.kind == "internal" and record.unit else max(1.0, size))


def _rounded(number: float, slack: float) -> float:
    return 0.0 if abs(number) <= slack else number


def _best(record: Measure, parameters: dict[str, Any], table: Contingency) -> float:
    """The value of a perfect prediction: fixed, or that of the truth against itself."""
    if record.perfect is not None:
        return record.perfect
    sizes = table.class_sizes.tolist()
    itself = Contingency.from_counts({(k, k): size for k, size in enumerate(sizes)})
    return record.evaluate(itself, **parameters).value


def _p_value(
    record: Measure,
    value: float,
    drawn: NDArray[np.float64],
    form: ClosedForm,
    ties: Ties,
    rng: np.random.Generator,
) -> tuple[str, float]:
    """How the p-value was found, and the p-value."""
    if record.better == "neither" or math.isnan(value):
        return "", math.nan
    higher = record.better == "higher"
    share = rng.random() if ties == "random" else 1.0
    if len(drawn) == 0:
        found = form.tail(higher)
        if found is None:
            return "", math.nan
        tail, reached, passed = found
        return tail, passed + share * (reached - passed)
    return RANDOM_TABLES, _share_reached(record, value, drawn, share)


def _share_reached(
    record: Measure, value: float, drawn: NDArray[np.float64], share: float
) -> float:
    """The share of random values that are at least as good; of equal ones a share counts."""
    sign = 1.0 if record.better == "higher" else -1.0
    slack = _slack(record, abs(value))
    above = int(np.count_nonzero(sign * (drawn - value) > slack))
    equal = int(np.count_nonzero(np.abs(drawn - value) <= slack))
    return (above + share * (equal + 1)) / (len(drawn) + 1)


# Up to this many entries random tables are drawn whole rather than object by object.
TABLE_ENTRIES = 1_000_000


def _sample(
    measured: Sequence[tuple[Measure, dict[str, Any]]],
    table: Contingency,
    both: tuple[Side, Side],
    model: str,
    samples: int,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """The measures on random tables: one row per table."""
    need(8 * samples * len(measured), f"the values of {samples:,} random tables")
    height, width = table.shape
    if model == "sizes" and min(height, width) == 1:  # sizes that leave no choice
        return np.tile(np.array(_values(measured, table), np.float64), (samples, 1))
    values = np.empty((samples, len(measured)))
    with ticking(samples, "random tables") as tick:
        if model == "sizes" and height * width <= TABLE_ENTRIES:
            from scipy.stats import random_table

            law = random_table(table.class_sizes, table.cluster_sizes)
            full = Contingency.from_counts(np.ones(table.shape, np.int64))
            block = max(1, TABLE_ENTRIES // (height * width))
            for start in range(0, samples, block):
                drawn = law.rvs(size=min(block, samples - start), random_state=rng)
                counts = np.asarray(drawn, np.int64).reshape(-1, height * width)
                values[start : start + block] = scores(full, measured, counts, tick)
        else:
            for row in values:
                row[:] = _values(measured, Contingency.from_labels(*(s.draw(rng) for s in both)))
                tick()
    return values


def _values(measured: Sequence[tuple[Measure, dict[str, Any]]], table: Contingency) -> list[float]:
    """The measures on one table."""
    return [record.evaluate(table, **own).value for record, own in measured]


def _spread(record: Measure, drawn: NDArray[np.float64]) -> float:
    """The standard deviation of the samples."""
    if len(drawn) < 2:
        return math.nan
    size = float(np.abs(drawn).max())
    scale = size if size > 1e100 or 0 < size < 1e-100 else 1.0  # whose square a float cannot hold
    return _rounded(float((drawn / scale).std(ddof=1)) * scale, _slack(record, size))
