"""Is one clustering better than another? Paired, from the three-way table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import share
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.inference.interval import Choice, Interval, make_interval, resolve_method
from clustervet.inference.resample import (
    Draws,
    another,
    check_resamples,
    check_whole,
    draw,
    evaluate,
    subsample_size,
)
from clustervet.labels import Codes, encode_all
from clustervet.registry import Measure, MeasureFunction, check_options, measures
from clustervet.view import Cell, Column, Result, Row, Section, Table, name_cell, number_cell
from clustervet.view import scale_of as range_of
from clustervet.view.words import listed, spoken

# Tables that may be evaluated to call it.
EVALUATED = 64_000
# Names in a sentence before the others are only counted.
NAMED = 4
# Pairs of predictions that are all shown; of more only those with the leader.
PAIRS = 30
# Resamples in the tail below which their share says little.
COUNTABLE = 10
# Objects below which differences of equally good predictions look significant too often.
FEW = 20
# A p-value that lies within so many of its standard errors of the limit is too close to call.
CLOSE = 3.0


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Result):
    """Two predictions compared by one measure.

    Parameters
    ----------
    measure, first, second : str
        The measure, and the names of the two predictions.
    values : tuple of float
        The values of both.
    difference : float
        The value of the first minus that of the second.
    interval : Interval
        The interval of the difference.
    p_value : float
        The two-sided p-value; nan where there are too few objects to tell.
    better : str or None
        The prediction that the data show to be better, or None where they cannot tell.

    Examples
    --------
    >>> import clustervet as cv
    >>> truth, good, poor = [0] * 50 + [1] * 50, [0] * 45 + [1] * 55, [0, 1] * 50
    >>> found = cv.compare_predictions(truth, good, poor, names=("good", "poor"), random_state=0)
    >>> found.better, round(found.difference, 2)
    ('good', 0.82)
    """

    measure: str
    first: str
    second: str
    values: tuple[float, float]
    difference: float
    interval: Interval
    p_value: float
    better: str | None

    def columns(self) -> dict[str, list[Any]]:
        """Return the comparison as columns of one row.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return _pair_columns([self])

    def document(self) -> Section:
        """Return the difference, its interval, and whether the data can tell.

        Returns
        -------
        Section
            The sentences and tables.
        """
        table = _pairs_table("comparison-pairs", [self])
        said = f"{self.better} is better" if self.better else "the data cannot tell"
        record = measures.select([self.measure])[0]
        return Section(
            "comparison",
            "Comparison",
            (f"{record.title}, at {self.interval.confidence:.4g} confidence: {spoken(said)}.",),
            (table,),
            subject=self,
            measures=(record,),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Ranking(Result):
    """Predictions from best to worst, in groups that the data cannot separate.

    Parameters
    ----------
    measure : str
        The measure that ranks.
    confidence : float
        The confidence of the ranking as a whole.
    values : dict
        Its value for each prediction.
    objects : int
        How many objects all predictions label.
    groups : list of list of str
        Names from best to worst; the data cannot separate those in one group.
    comparisons : list of Comparison
        Every pair of predictions.

    Examples
    --------
    >>> import clustervet as cv
    >>> truth = [0] * 50 + [1] * 50
    >>> preds = {"good": [0] * 45 + [1] * 55, "fair": [0] * 44 + [1] * 56, "poor": [0, 1] * 50}
    >>> found = cv.rank_predictions(truth, preds, random_state=0)
    >>> print(found)
    good = fair > poor
    >>> found.places
    {'good': 1, 'fair': 1, 'poor': 3}
    """

    measure: str
    confidence: float
    values: dict[str, float]
    objects: int
    groups: list[list[str]]
    comparisons: list[Comparison]

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per pair of predictions.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return _pair_columns(self.comparisons)

    @property
    def places(self) -> dict[str, int]:
        """One more than the number of predictions that the data show to be better."""
        found = dict.fromkeys(self.values, 1)
        for pair in self.comparisons:
            if pair.better is not None:
                found[pair.second if pair.better == pair.first else pair.first] += 1
        return found

    @property
    def verdict(self) -> str:
        """Whether the data can tell the leader from the others, in a sentence."""
        return self.verdict_on(self.groups[0][0])

    def verdict_on(self, best: str) -> str:
        """Return whether the data can tell one prediction from the others.

        Parameters
        ----------
        best : str
            The name of the prediction.

        Returns
        -------
        str
            One sentence.

        Examples
        --------
        >>> import clustervet as cv
        >>> truth = [0] * 50 + [1] * 50
        >>> preds = {"good": [0] * 45 + [1] * 55, "poor": [0, 1] * 50}
        >>> cv.rank_predictions(truth, preds, random_state=0).verdict_on("good")
        'The data can tell: good is better than the other, at 0.95 confidence.'
        """
        pairs = [c for c in self.comparisons if best in (c.first, c.second)]
        others = [c.second if c.first == best else c.first for c in pairs]
        tied = [name for name, c in zip(others, pairs, strict=True) if c.better is None]
        worse = sum(c.better == best for c in pairs)
        shown, sure = spoken(best), f"at {self.confidence:.4g} confidence"
        if not tied and worse == len(others):
            rest = "the other" if worse == 1 else f"all {worse:,} others"
            return f"The data can tell: {shown} is better than {rest}, {sure}."
        if not tied:
            return f"The data show {shown} to be better than {worse:,} of {len(others):,}, {sure}."
        names = [spoken(name) for name in tied]
        said = listed(names) if len(names) <= NAMED else f"{len(names):,} others"
        end = f"; {worse:,} {'is' if worse == 1 else 'are'} worse" if worse else ""
        return f"The data cannot tell {shown} from {said} {sure}{end}."

    def document(self) -> Section:
        """Return the verdict, and every pair of predictions.

        Returns
        -------
        Section
            The sentences and tables.
        """
        said = self.verdict
        return Section(
            "ranking",
            "Ranking",
            (said,),
            (self.table("ranking-pairs"),),
            lead=(said,),
            subject=self,
            measures=(measures.select([self.measure])[0],),
            citations=("Holm 1979",),
        )

    def table(self, key: str) -> Table:
        """Return every pair of predictions, or every pair with the leader where they are many.

        Parameters
        ----------
        key : str
            The key of the table, unique in its document.

        Returns
        -------
        Table
            One row per pair; of more than 30 pairs only those with the leader.

        Examples
        --------
        >>> import clustervet as cv
        >>> truth = [0] * 50 + [1] * 50
        >>> preds = {"good": [0] * 45 + [1] * 55, "poor": [0, 1] * 50}
        >>> table = cv.rank_predictions(truth, preds, random_state=0).table("pairs")
        >>> [cell.text for cell in table.rows[0].cells]
        ['good', 'poor', '0.8183', '<0.001', 'good']
        """
        leader, found = self.groups[0][0], list(self.comparisons)
        times = max((c.interval.resamples for c in found), default=0)
        note = (
            f"{measures.select([self.measure])[0].title}, {self.objects:,} objects resampled "
            f"{times:,} times with all their labels together. An interval, of "
            f"{self.confidence:.4g} confidence, is for its pair alone; p-values are corrected for "
            "the number of pairs (Holm 1979), so that an interval without 0 need not mean that "
            "the data can tell."
        )
        if len(found) > PAIRS:
            found = [c for c in found if leader in (c.first, c.second)]
            note += f" Of {len(self.comparisons):,} pairs those with {spoken(leader)} are shown."
        return replace(_pairs_table(key, found), note=note)

    def __str__(self) -> str:
        return " > ".join(" = ".join(group) for group in self.groups)


def _pair_columns(pairs: Sequence[Comparison]) -> dict[str, list[Any]]:
    return {
        "measure": [c.measure for c in pairs],
        "first": [c.first for c in pairs],
        "second": [c.second for c in pairs],
        "first_value": [c.values[0] for c in pairs],
        "second_value": [c.values[1] for c in pairs],
        "difference": [c.difference for c in pairs],
        "low": [c.interval.low for c in pairs],
        "high": [c.interval.high for c in pairs],
        "p_value": [c.p_value for c in pairs],
        "better": [c.better or "" for c in pairs],
    }


def _pairs_table(key: str, pairs: Sequence[Comparison]) -> Table:
    ends = [x for c in pairs for x in (c.interval.low, c.interval.high, 0.0)]
    columns = (
        Column("first", "text"),
        Column("second", "text"),
        Column("difference", hint="The first minus the second", scale=range_of(ends)),
        Column("p-value"),
        Column("better", "text"),
    )
    rows = []
    for c in pairs:
        low, high = (None if math.isnan(x) else x for x in (c.interval.low, c.interval.high))
        shown = f"{c.p_value:.3f}" if c.p_value >= 0.001 else "<0.001"
        rows.append(
            Row(
                (
                    name_cell("pred", c.first),
                    name_cell("pred", c.second),
                    number_cell(c.difference, low=low, high=high),
                    Cell("-") if math.isnan(c.p_value) else Cell(shown, c.p_value),
                    name_cell("pred", c.better) if c.better else Cell("cannot tell"),
                )
            )
        )
    return Table(key, "Can the data tell them apart?", columns, tuple(rows))


class Joint:
    """Truth and several predictions as one table of all label combinations that occur."""

    def __init__(self, names: list[str], sides: list[Codes]) -> None:
        self.names = names
        columns = [np.unique(side.values, return_inverse=True)[1] for side in sides]
        combined = columns[0].astype(np.int64)
        for column in columns[1:]:
            combined = combined * (int(column.max()) + 1) + column
            combined = np.unique(combined, return_inverse=True)[1]
        _, first, self.counts = np.unique(combined, return_index=True, return_counts=True)
        self.labels = [column[first] for column in columns]
        self._pairs = [self._pair(k) for k in range(1, len(columns))]

    def _pair(self, k: int) -> tuple[Contingency, NDArray[np.int64]]:
        """The table of truth and prediction k, and its cell for each combination."""
        rows, cols = self.labels[0], self.labels[k]
        table = Contingency.from_labels(rows, cols, weights=self.counts)
        width = int(cols.max()) + 1
        keys = table.cells.rows * width + table.cells.cols
        return table, np.searchsorted(keys, rows * width + cols)

    def tables(self) -> list[Contingency]:
        """The table of each prediction."""
        return [table for table, _ in self._pairs]

    def resampled(self, counts: Draws) -> list[Contingency]:
        """The table of each prediction when combinations occur so often."""
        return [
            table.with_values(
                np.bincount(cells, weights=counts, minlength=len(table)).astype(np.int64)
            )
            for table, cells in self._pairs
        ]


def compare_predictions(
    truth: Any,
    first: Any,
    second: Any,
    measure: str | Measure | MeasureFunction = "adjusted_rand",
    *,
    names: tuple[str, str] = ("first", "second"),
    confidence: float = 0.95,
    method: Choice = "auto",
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Comparison:
    """Compare two predictions of the same objects, and tell whether one is better.

    Parameters
    ----------
    truth : array-like
        The classes.
    first, second : array-like
        The two predictions.
    measure : str, Measure or function, default "adjusted_rand"
        The measure: its name, its record, or your own measure.
    names : tuple of str, default ("first", "second")
        The names of the predictions.
    confidence : float, default 0.95
        The confidence, between 0 and 1.
    method : {"auto", "basic", "bca", "percentile", "subsample"}, default "auto"
        How the interval is made, as in `confidence_interval`.
    resamples : int, default 2000
        The number of resamples, at least 20.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed.
    n_jobs : int, optional
        The number of threads; -1 uses all cores.
    **options
        Parameters of the measure and of reading labels (`missing`, `noise`, ...). An object that is
        dropped from one labeling is dropped from all.

    Returns
    -------
    Comparison
        The difference, its interval and p-value, and which prediction is better.

    Raises
    ------
    LabelError
        If the labels cannot be read.
    ParameterError
        If the measure needs features or has no direction, the names are equal, or a parameter is
        unknown or out of range.
    TableError
        If there are fewer than two objects, or all objects are alike.

    Notes
    -----
    Objects are resampled with their class and both clusters together, so that what both
    predictions find easy or hard cancels out of the difference. Where the p-value is so close to
    1 - confidence that other resamples might tell otherwise, more of them are drawn. Fewer than
    twenty objects are too few to tell, and the p-value is nan.

    Examples
    --------
    >>> import clustervet as cv
    >>> truth = [0] * 50 + [1] * 50
    >>> good = [0] * 45 + [1] * 55
    >>> poor = [0, 1] * 50
    >>> cv.compare_predictions(truth, good, poor, "rand", random_state=0).better
    'first'
    """
    if len(set(names)) != 2 or "truth" in names:
        raise ParameterError("names must be two different ones, neither of them 'truth'.")
    found = _compare(
        truth,
        {names[0]: first, names[1]: second},
        measure,
        confidence,
        method,
        resamples,
        random_state,
        n_jobs,
        options,
    )
    return found[2][0]


def rank_predictions(
    truth: Any,
    preds: Mapping[str, Any],
    measure: str | Measure | MeasureFunction = "adjusted_rand",
    *,
    confidence: float = 0.95,
    method: Choice = "auto",
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
    **options: Any,
) -> Ranking:
    """Rank predictions; those that the data cannot separate share a group.

    Parameters
    ----------
    truth : array-like
        The classes.
    preds : mapping of str to array-like
        At least two predictions by name.
    measure : str, Measure or function, default "adjusted_rand"
        The measure: its name, its record, or your own measure.
    confidence : float, default 0.95
        The confidence of the ranking as a whole, between 0 and 1.
    method : {"auto", "basic", "bca", "percentile", "subsample"}, default "auto"
        How intervals are made, as in `confidence_interval`.
    resamples : int, default 2000
        The number of resamples, at least 20.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed.
    n_jobs : int, optional
        The number of threads; -1 uses all cores.
    **options
        Parameters of the measure and of reading labels (`missing`, `noise`, ...). An object that is
        dropped from one labeling is dropped from all.

    Returns
    -------
    Ranking
        The groups from best to worst, and the comparison of every pair.

    Raises
    ------
    LabelError
        If the labels cannot be read.
    ParameterError
        If there are fewer than two predictions, the measure needs features or has no direction, or
        a parameter is unknown or out of range.
    TableError
        If there are fewer than two objects, or all objects are alike.

    Notes
    -----
    Every pair is compared as by `compare_predictions`. P-values are corrected by Holm's method
    (1979), so that the chance of any false separation is at most 1 - confidence.

    Examples
    --------
    >>> import clustervet as cv
    >>> truth = [0] * 50 + [1] * 50
    >>> preds = {"good": [0] * 45 + [1] * 55, "poor": [0, 1] * 50}
    >>> print(cv.rank_predictions(truth, preds, "rand", random_state=0))
    good > poor
    """
    if len(preds) < 2:
        raise ParameterError("a ranking needs at least two predictions.")
    if "truth" in preds:
        raise ParameterError("no prediction may be called 'truth' in a ranking.")
    record, values, comparisons, objects = _compare(
        truth, preds, measure, confidence, method, resamples, random_state, n_jobs, options
    )
    groups = _groups(record, values, comparisons)
    return Ranking(record.key, confidence, values, objects, groups, comparisons)


def _compare(
    truth: Any,
    preds: Mapping[str, Any],
    measure: str | Measure | MeasureFunction,
    confidence: float,
    method: Choice,
    resamples: int,
    random_state: Any,
    n_jobs: int | None,
    options: dict[str, Any],
) -> tuple[Measure, dict[str, float], list[Comparison], int]:
    share(confidence, "confidence")
    record = measures.select([measure])[0]
    if record.kind != "external":
        raise ParameterError(f"{record.key} needs features, not a second labeling.")
    if record.better == "neither":
        raise ParameterError(f"{record.key} has no direction, so it ranks nothing.")
    parameters = {name: options.pop(name) for name in record.parameters if name in options}
    check_options(options, ["missing", "noise", "noise_policy", *record.parameters], record.key)
    sides, _ = encode_all({"truth": truth, **preds}, **options)
    joint = Joint(list(preds), sides)
    tables = joint.tables()
    n = check_whole(tables[0], "a comparison")
    kind = resolve_method(record, method)
    size = subsample_size(n) if kind == "subsample" else n

    def scored(each: list[Contingency]) -> NDArray[np.float64]:
        return np.array([record.evaluate(table, **parameters).value for table in each])

    def scored_draw(counts: Draws) -> list[float]:
        found: list[float] = scored(joint.resampled(counts)).tolist()
        return found

    def series(state: Any, number: int) -> NDArray[np.float64]:
        blocks = draw(joint.counts, number, state, size)
        return evaluate(blocks, scored_draw, number, len(tables), n_jobs)

    values = scored(tables)
    centers = scored([table.as_population(size) for table in tables])
    scale = math.sqrt(size / n)
    pairs = [(i, j) for i in range(len(tables)) for j in range(i + 1, len(tables))]
    shifts = [float(centers[i] - centers[j]) for i, j in pairs]
    drawn = series(random_state, check_resamples(resamples))
    for turn in count(1):
        gaps = [drawn[:, i] - drawn[:, j] for i, j in pairs]
        raw = [
            _p_value(float(values[i] - values[j]), scale * (gap - shift), n)
            for (i, j), gap, shift in zip(pairs, gaps, shifts, strict=True)
        ]
        corrected = holm(raw)
        more = min(len(drawn), EVALUATED // len(tables) - len(drawn))
        if more <= 0 or not _too_close(raw, corrected, 1 - confidence, len(drawn)):
            break
        drawn = np.concatenate([drawn, series(another(random_state, turn), more)])
    comparisons = []
    for (i, j), gap, shift, p in zip(pairs, gaps, shifts, corrected, strict=True):
        difference = float(values[i] - values[j])
        span = record.bounds[1] - record.bounds[0]
        interval = make_interval(
            difference, gap, confidence, kind, center=shift, scale=scale, bounds=(-span, span)
        )
        better = None
        if p < 1 - confidence and difference != 0:
            better = joint.names[i if (difference > 0) == (record.better == "higher") else j]
        both = (float(values[i]), float(values[j]))
        comparisons.append(
            Comparison(
                record.key, joint.names[i], joint.names[j], both, difference, interval, p, better
            )
        )
    return record, dict(zip(joint.names, values.tolist(), strict=True)), comparisons, n


def _groups(
    record: Measure, values: dict[str, float], comparisons: list[Comparison]
) -> list[list[str]]:
    """Names from best to worst; a name joins a group unless it is worse than all of it."""
    worst = -math.inf if record.better == "higher" else math.inf
    sign = -1 if record.better == "higher" else 1
    order = sorted(
        values, key=lambda name: sign * (worst if math.isnan(values[name]) else values[name])
    )
    separated = {frozenset((c.first, c.second)) for c in comparisons if c.better is not None}
    groups: list[list[str]] = []
    for name in order:
        if groups and not all(frozenset((name, other)) in separated for other in groups[-1]):
            groups[-1].append(name)
        else:
            groups.append([name])
    return groups


def _too_close(raw: list[float], corrected: list[float], limit: float, resamples: int) -> bool:
    """Whether other resamples might put any p-value on the other side of the limit."""
    for p, adjusted in zip(raw, corrected, strict=True):
        if math.isnan(p) or p <= 0:
            continue
        error = 2 * math.sqrt(p / 2 * (1 - p / 2) / resamples)
        if abs(adjusted - limit) < CLOSE * error * adjusted / p:
            return True
    return False


def _p_value(difference: float, noise: NDArray[np.float64], objects: int) -> float:
    """Two-sided: how often noise alone is as large as the difference, on the side it is on.

    Where so little noise reaches it that there is nothing to count, the normal tail tells:
    else many predictions could never be separated, since Holm's method multiplies p-values.
    Of fewer than `FEW` objects resampling knows too little, and says nothing.
    """
    defined = noise[np.isfinite(noise)]
    if objects < FEW or len(defined) < 20 or math.isnan(difference):
        return math.nan
    tail = min(np.count_nonzero(defined >= difference), np.count_nonzero(defined <= difference))
    counted = 2 * (tail + 1) / (len(defined) + 1)
    spread = float(defined.std(ddof=1))
    if tail < COUNTABLE and spread > 0:
        z = abs(difference - float(defined.mean())) / spread
        return min(float(counted), math.erfc(z / math.sqrt(2)))
    return float(min(1.0, counted))


def holm(p_values: list[float]) -> list[float]:
    """Holm's (1979) step-down correction for many comparisons.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda k: (math.isnan(p_values[k]), p_values[k]))
    corrected = [math.nan] * len(p_values)
    running = 0.0
    for rank, k in enumerate(order):
        if not math.isnan(p_values[k]):
            running = max(running, min(1.0, (len(p_values) - rank) * p_values[k]))
            corrected[k] = running
    return corrected
