"""Is one clustering better than another? Paired, from the three-way table."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import share
from clustervet.contingency import Contingency
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.inference.batch import scores
from clustervet.inference.interval import Choice, Interval, make_interval, resolve_method
from clustervet.inference.jackknife import Spread, is_quick, jackknife, left_out, spread_of
from clustervet.inference.paired import pair_changes
from clustervet.inference.resample import (
    Draws,
    check_draws,
    check_whole,
    draw,
    evaluate,
    subsample_size,
)
from clustervet.labels import Codes, encode_all
from clustervet.registry import PAIRED, Measure, MeasureFunction, check_options, measures
from clustervet.view import Cell, Column, Result, Row, Section, Table, name_cell, number_cell
from clustervet.view import scale_of as range_of
from clustervet.view.words import listed, spoken

# Names in a sentence before the others are only counted.
NAMED = 4
# Pairs of predictions that are all shown; of more only those with the leader.
PAIRS = 30
# Objects below which differences of equally good predictions look significant too often.
FEW = 20
# Measures that jump: where clusters tie for a class, where another cluster becomes the closest or
# the matched one, or where an overlap passes half. By these, equally good predictions were told
# apart in more than 6% of the samples of the populations that choose (studies/paired_tests.py), or
# intervals fail in the same way; precision and recall are each other's with the sides exchanged.
UNTESTED = frozenset(
    {
        *("f_measure", "normalized_clustering_accuracy", "pair_sets_index"),
        *("ceaf_e_precision", "ceaf_e_recall", "ceaf_e_f1"),
        *("closest_cluster_precision", "closest_cluster_recall", "closest_cluster_f1"),
        *("generalized_merge_distance", "normalized_f1", "panoptic_quality", "recognition_quality"),
    }
)
# Signs of groups of predictions; more groups than these are numbered.
LETTERS = string.ascii_letters


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
    """Predictions from best to worst, and groups whose members the data cannot tell apart.

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
        Names from best to worst. No two in one group are told apart by the data, and two that are
        in no common group are. A prediction may be in several groups.
    comparisons : list of Comparison
        Every pair of predictions.

    Examples
    --------
    >>> import clustervet as cv
    >>> truth = [0] * 50 + [1] * 50
    >>> preds = {"good": [0] * 45 + [1] * 55, "fair": [0] * 44 + [1] * 56, "poor": [0, 1] * 50}
    >>> found = cv.rank_predictions(truth, preds, random_state=0)
    >>> print(found)
    good = fair > poor (= where the data cannot tell)
    >>> found.places
    {'good': 1, 'fair': 1, 'poor': 3}
    >>> found.letters
    {'good': 'a', 'fair': 'a', 'poor': 'b'}
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

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        return {**Result.to_dict(self), "letters": self.letters, "verdict": self.verdict}

    @property
    def letters(self) -> dict[str, str]:
        """The groups of each prediction, from best to worst: one letter per group.

        The data cannot tell predictions apart that share a letter (Piepho 2004).
        """
        many = len(self.groups) > len(LETTERS)
        signs = [str(k + 1) if many else LETTERS[k] for k in range(len(self.groups))]
        names = dict.fromkeys(name for group in self.groups for name in group)
        return {
            name: (" " if many else "").join(
                sign for sign, group in zip(signs, self.groups, strict=True) if name in group
            )
            for name in names
        }

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
            (said, f"{self.line(spoken)}."),
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
        how = f"resampled {times:,} times" if times else "left out one by one"
        if groups := max((c.interval.groups for c in found), default=0):
            how = f"left out in {groups} groups"
        note = (
            f"{measures.select([self.measure])[0].title}, {self.objects:,} objects {how} with all "
            f"their labels together. An interval, of {self.confidence:.4g} confidence, is for its "
            "pair alone; p-values are corrected for the number of pairs (Holm 1979), so that an "
            "interval without 0 need not mean that the data can tell."
        )
        if len(found) > PAIRS:
            found = [c for c in found if leader in (c.first, c.second)]
            note += f" Of {len(self.comparisons):,} pairs those with {spoken(leader)} are shown."
        return replace(_pairs_table(key, found), note=note)

    def line(self, shown: Callable[[str], str] = str) -> str:
        """Return all predictions in one line, with `=` or letters where the data cannot tell.

        Parameters
        ----------
        shown : callable, optional
            How a name is shown.

        Returns
        -------
        str
            The line; letters are needed where groups overlap.

        Examples
        --------
        >>> import clustervet as cv
        >>> truth = [0] * 50 + [1] * 50
        >>> preds = {"good": [0] * 45 + [1] * 55, "poor": [0, 1] * 50}
        >>> cv.rank_predictions(truth, preds).line()
        'good > poor'
        """
        if sum(map(len, self.groups)) == len(self.values):
            line = " > ".join(" = ".join(map(shown, group)) for group in self.groups)
            tied = any(len(group) > 1 for group in self.groups)
            return f"{line} (= where the data cannot tell)" if tied else line
        line = ", ".join(f"{shown(name)} ({letters})" for name, letters in self.letters.items())
        sign = "number" if len(self.groups) > len(LETTERS) else "letter"
        return f"{line}; the data cannot tell apart those that share a {sign}"

    def __str__(self) -> str:
        return self.line()


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
        self.pairs = [self._pair(k) for k in range(1, len(columns))]

    def _pair(self, k: int) -> tuple[Contingency, NDArray[np.int64]]:
        """The table of truth and prediction k, and its cell for each combination."""
        rows, cols = self.labels[0], self.labels[k]
        table = Contingency.from_labels(rows, cols, weights=self.counts)
        width = int(cols.max()) + 1
        keys = table.cells.rows * width + table.cells.cols
        return table, np.searchsorted(keys, rows * width + cols)

    def tables(self) -> list[Contingency]:
        """The table of each prediction."""
        return [table for table, _ in self.pairs]

    def scores(
        self,
        record: Measure,
        parameters: dict[str, Any],
        counts: Draws,
        tick: Callable[[], None],
    ) -> NDArray[np.float64]:
        """Values of all predictions from the counts of combinations: one row per resample."""
        columns: list[NDArray[np.float64]] = []
        for table, cells in self.pairs:
            order = np.argsort(cells, kind="stable")
            firsts = np.searchsorted(cells[order], np.arange(len(table)))
            drawn = np.add.reduceat(counts[:, order], firsts, axis=1)
            after = (lambda: None) if columns else tick  # one step per resample
            columns.append(scores(table, [(record, parameters)], drawn, after))
        return np.hstack(columns)


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
    truth : array-like, Memberships, Cover or Hierarchy
        The classes.
    first, second : array-like, Memberships, Cover or Hierarchy
        The two predictions.
    measure : str, Measure or function, default "adjusted_rand"
        The measure: its name, its record, or your own measure.
    names : tuple of str, default ("first", "second")
        The names of the predictions.
    confidence : float, default 0.95
        The confidence, between 0 and 1.
    method : {"auto", "jackknife", "basic", "bca", "percentile", "subsample"}, default "auto"
        How the interval is made, as in `confidence_interval`.
    resamples : int, default 2000
        The number of resamples, at least 20, where tables are resampled.
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
        If the measure needs features or cannot tell predictions apart, the names are equal, or a
        parameter is unknown or out of range.
    TableError
        If there are fewer than two objects, or all objects are alike.

    Notes
    -----
    Every object is left out in turn, with its class and both its clusters, so that what both
    predictions find easy or hard cancels out of the difference. The p-value is that of Student's
    test of the difference, as it is or without its bias, whichever is closer to 0. Bias, standard
    error and degrees of freedom are those of `confidence_interval`, and nothing is random. Only
    tables of more than 2,000 non-empty cells are resampled instead, by measures that cannot be
    taken of all tables at once. Fewer than twenty objects are too few to tell, and the p-value is
    nan.

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
    """Rank predictions, and tell which of them the data can tell apart.

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
    method : {"auto", "jackknife", "basic", "bca", "percentile", "subsample"}, default "auto"
        How intervals are made, as in `confidence_interval`.
    resamples : int, default 2000
        The number of resamples, at least 20, where tables are resampled.
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
        The order, the groups, and the comparison of every pair.

    Raises
    ------
    LabelError
        If the labels cannot be read.
    ParameterError
        If there are fewer than two predictions, the measure needs features or cannot tell
        predictions apart, or a parameter is unknown or out of range.
    TableError
        If there are fewer than two objects, or all objects are alike.

    Notes
    -----
    Every pair is compared as by `compare_predictions`. P-values are corrected by Holm's method
    (1979), so that the chance of any false separation is at most 1 - confidence. Two predictions
    share a group exactly if the data cannot tell them apart; groups may overlap.

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


def why_no_test(record: Measure) -> str:
    """Why a measure cannot tell predictions apart; empty where it can."""
    if record.better == "neither":
        return "has no direction, so it ranks nothing"
    if record.kind in PAIRED and record.no_interval:
        return f"has no test: {record.no_interval}"
    if record.key in UNTESTED:
        return (
            "jumps where clusters tie or nearly match, so that it would tell equally good "
            "predictions apart too often; compare by another measure, such as purity or bcubed_f1"
        )
    return ""


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
    if record.kind not in ("external", *PAIRED):
        raise ParameterError(f"{record.key} needs features, not a second labeling.")
    if why := why_no_test(record):
        raise ParameterError(f"{record.key} {why}.")
    if record.kind in PAIRED:
        return _compare_pairs(record, truth, preds, confidence, method, random_state, options)
    parameters = {name: options.pop(name) for name in record.parameters if name in options}
    check_options(options, ["missing", "noise", "noise_policy", *record.parameters], record.key)
    if options.get("missing") == "absent":
        raise ParameterError(
            "predictions are compared on the objects that all of them have; ",
            Setting("missing", "absent"),
            " is for one prediction.",
        )
    sides, _ = encode_all({"truth": truth, **preds}, **options)
    joint = Joint(list(preds), sides)
    tables = joint.tables()
    n = check_whole(tables[0], "a comparison")
    check_draws(resamples, random_state, n_jobs)
    kind = resolve_method(method)
    size = subsample_size(n) if kind == "subsample" else n
    pairs = list(combinations(range(len(tables)), 2))
    values = [record.evaluate(table, **parameters).value for table in tables]
    few = all(is_quick(table, record) for table in tables)
    draws, centers = np.empty((0, len(tables))), np.zeros(len(tables))
    if kind != "jackknife" or not few:
        blocks = draw(joint.counts, resamples, random_state, size)
        scored = partial(joint.scores, record, parameters)
        draws = evaluate(blocks, scored, resamples, len(tables), n_jobs)
        centers = np.array(
            [record.evaluate(table.as_population(size), **parameters).value for table in tables]
        )
    if few:
        spreads = _spreads(joint, pairs, record, parameters)
    else:
        gaps = [(draws[:, i] - draws[:, j], centers[i] - centers[j]) for i, j in pairs]
        spreads = [spread_of(gap, float(center), n) for gap, center in gaps]
    span, drawn = record.bounds[1] - record.bounds[0], len(draws)
    found = []
    for (i, j), spread, p in zip(pairs, spreads, _p_values(values, pairs, spreads, n), strict=True):
        if kind == "jackknife":
            interval = _difference_interval(values[i] - values[j], spread, confidence, span, drawn)
        else:
            interval = make_interval(
                values[i] - values[j],
                draws[:, i] - draws[:, j],
                confidence,
                kind,
                center=float(centers[i] - centers[j]),
                scale=math.sqrt(size / n),
                bounds=(-span, span),
            )
        found.append(_verdict(record, joint.names, values, (i, j), interval, p))
    return record, dict(zip(joint.names, values, strict=True)), found, n


def _p_values(
    values: Sequence[float],
    pairs: Sequence[tuple[int, int]],
    spreads: Sequence[Spread],
    n: int,
) -> list[float]:
    """P-values of the differences of all pairs, corrected for their number."""
    raw = [
        math.nan if n < FEW else spread.p_value(values[i] - values[j])
        for (i, j), spread in zip(pairs, spreads, strict=True)
    ]
    return holm(raw)


def _verdict(
    record: Measure,
    names: Sequence[str],
    values: Sequence[float],
    pair: tuple[int, int],
    interval: Interval,
    p: float,
) -> Comparison:
    """Two predictions, and which of them the data show to be better."""
    i, j = pair
    difference = values[i] - values[j]
    better = None
    if p < 1 - interval.confidence and difference != 0:
        better = names[i if (difference > 0) == (record.better == "higher") else j]
    both = (values[i], values[j])
    return Comparison(record.key, names[i], names[j], both, difference, interval, p, better)


def _compare_pairs(
    record: Measure,
    truth: Any,
    preds: Mapping[str, Any],
    confidence: float,
    method: Choice,
    random_state: Any,
    options: dict[str, Any],
) -> tuple[Measure, dict[str, float], list[Comparison], int]:
    """The same for clusterings that are more than labels, by groups of objects left out."""
    if resolve_method(method) != "jackknife":
        raise ParameterError(f"{record.key} has no method {method!r}; leave it out.")
    own = {name: options.pop(name) for name in record.parameters if name in options}
    n = record.subject(truth, truth, **options).n
    subjects = [record.subject(truth, pred, **options) for pred in preds.values()]
    for name, one in zip(preds, subjects, strict=True):
        if one.n != n:
            raise LabelError(
                f"{name} has objects that the truth does not have; predictions are compared on "
                "the same objects, so name all of them in the truth."
            )
    values = [float(record.evaluate(one, **own).value) for one in subjects]
    pairs = list(combinations(range(len(subjects)), 2))
    spreads, groups = [Spread(math.nan, math.nan, math.nan)] * len(pairs), 0
    if n >= FEW:  # of fewer objects nothing is known but the values
        changes, shrink = pair_changes(subjects, [(record, own)], random_state)
        spreads, groups = [changes.spread_between(i, j, shrink) for i, j in pairs], changes.groups
    span, names = record.bounds[1] - record.bounds[0], list(preds)
    found = []
    for (i, j), spread, p in zip(pairs, spreads, _p_values(values, pairs, spreads, n), strict=True):
        interval = _difference_interval(values[i] - values[j], spread, confidence, span, 0)
        interval = replace(interval, groups=groups, of="objects")
        found.append(_verdict(record, names, values, (i, j), interval, p))
    return record, dict(zip(names, values, strict=True)), found, n


def _spreads(
    joint: Joint,
    pairs: Sequence[tuple[int, int]],
    record: Measure,
    parameters: dict[str, Any],
) -> list[Spread]:
    """The spread of each difference. An object counts in a table only by the cell that it is in."""
    changes = [left_out(table, [record], parameters)[cells, 0] for table, cells in joint.pairs]
    return [jackknife(changes[i] - changes[j], joint.counts) for i, j in pairs]


def _difference_interval(
    difference: float, spread: Spread, confidence: float, span: float, drawn: int
) -> Interval:
    """An interval that holds 0 exactly if the p-value of the pair says that it may be 0."""
    low = high = math.nan
    if math.isfinite(difference) and math.isfinite(spread.error):
        reach = spread.reach(confidence) * spread.doubt
        ends = sorted((difference, difference - spread.bias))
        low, high = max(ends[0] - reach, -span), min(ends[1] + reach, span)
    return Interval(
        low, high, confidence, "jackknife", spread.error, spread.bias, drawn, spread.undefined
    )


def _groups(
    record: Measure, values: dict[str, float], comparisons: list[Comparison]
) -> list[list[str]]:
    """Names from best to worst in the largest groups without a pair that is told apart.

    The groups of all names are split by one pair after another, and those within others are
    dropped: "insert and absorb" (Piepho 2004).
    """
    worst = -math.inf if record.better == "higher" else math.inf
    sign = -1 if record.better == "higher" else 1
    order = sorted(
        values, key=lambda name: sign * (worst if math.isnan(values[name]) else values[name])
    )
    groups = [frozenset(order)]
    for pair in comparisons:
        if pair.better is None:
            continue
        both = {pair.first, pair.second}
        split = [
            part for group in groups if both <= group for part in (group - {name} for name in both)
        ]
        kept = [group for group in groups if not both <= group]
        for part in sorted(split, key=len, reverse=True):
            if not any(part <= group for group in kept):
                kept.append(part)
        groups = kept
    ranked = [[name for name in order if name in group] for group in groups]
    places = {name: place for place, name in enumerate(order)}
    return sorted(ranked, key=lambda group: [places[name] for name in group])


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
