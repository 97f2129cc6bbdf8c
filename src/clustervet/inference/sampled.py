"""Scores of a whole prediction where the truth is known for a sample only.

The sample is one of whole true clusters, of objects, or of pairs of objects.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from clustervet._checks import is_number, one_of, share
from clustervet.errors import ParameterError, Setting
from clustervet.inference.sample_sums import FORMULAS, READERS, estimated
from clustervet.labels.sampled import Predicted
from clustervet.registry import Measure
from clustervet.registry import measures as registry
from clustervet.view import (
    Cell,
    Column,
    Result,
    Row,
    Section,
    Table,
    flat_numbers,
    number_cell,
    plain,
    text_cell,
)
from clustervet.view.words import counted, inner_title, listed, noise_note, number, sure_digits

Unit = Literal["clusters", "objects", "pairs"]
UNITS: tuple[Unit, ...] = ("clusters", "objects", "pairs")
WAYS = {
    "uniform": "all with equal probability",
    "size": "by size",
    "predicted": "from the pairs within predicted clusters",
}
# What people read first.
HEADLINES = ("pair_f1", "bcubed_f1", "pair_precision")
GIVEN = "with the probabilities given"
ONE = {"clusters": "true cluster", "objects": "object", "pairs": "pair"}
# Units of equal weight that a sample must be worth; below, a few units decide the value, and
# intervals hold it too rarely. Chosen by samples from the first years of a register of inventors;
# `studies/sampled_truth.py` reports on other years and other data.
FEW = 30


@dataclass(frozen=True, slots=True)
class SampledScore:
    """The estimate of one score.

    Attributes
    ----------
    measure : Measure
        The record of the measure.
    value : float
        The estimate; nan where the sample has nothing that it rests on.
    low, high : float
        The ends of the interval.
    standard_error : float
        How much the estimate varies from sample to sample.
    effective : float
        How many units of equal weight the sample is worth for this score; few where a few large
        true clusters decide it.
    why : str
        Why there is no value; empty where there is one.
    needed : int or None
        How many units an interval of the wanted width needs, if a width was given.
    """

    measure: Measure
    value: float
    low: float
    high: float
    standard_error: float
    effective: float
    why: str = ""
    needed: int | None = None

    @property
    def is_rough(self) -> bool:
        """Whether a few units decide the value, so that the interval is only a rough guide."""
        return self.high > self.low and self.effective < FEW


@dataclass(frozen=True, slots=True, repr=False)
class SampledScores(Result, Mapping[str, float]):
    """Scores of a whole prediction, estimated from the truth of a sample.

    ``scores["pair_f1"]`` is a float; ``scores.score("pair_f1")`` has its interval.

    Parameters
    ----------
    scores : tuple of SampledScore
        One entry per measure.
    sample : {"clusters", "objects", "pairs"}
        What the sample is one of.
    sampling : str
        How it was drawn: "uniform", "size", "predicted" or "given".
    units : int
        How many true clusters, objects or pairs the sample has.
    sampled : int
        How many objects it has.
    objects, clusters : int
        How many objects and clusters the prediction has.
    confidence : float
        The confidence of the intervals.
    width : float or None
        The width for which the number of units needed was asked.
    noise : int
        How many objects of the prediction are labelled -1, where nothing says what that means.
    noise_as_class : int
        How many objects of the sample are labelled -1.

    Examples
    --------
    >>> import clustervet as cv
    >>> pred = [0, 0, 1, 1, 1, 2, 3, 3]
    >>> found = cv.sampled_scores([{0, 1}, {2, 3}, {5}], pred, sample="clusters")
    >>> round(found["pair_recall"], 3), round(found["cluster_recall"], 3)
    (1.0, 0.667)
    """

    scores: tuple[SampledScore, ...]
    sample: Unit
    sampling: str
    units: int
    sampled: int
    objects: int
    clusters: int
    confidence: float
    width: float | None = None
    noise: int = 0
    noise_as_class: int = 0

    def __getitem__(self, name: str) -> float:
        return self.score(name).value

    def __iter__(self) -> Iterator[str]:
        return (score.measure.key for score in self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def score(self, name: str) -> SampledScore:
        """Return the whole entry of a measure.

        Parameters
        ----------
        name : str
            The key or an alias of the measure.

        Returns
        -------
        SampledScore
            Its estimate, interval and standard error.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.sampled_scores([{0, 1}, {2}], [0, 0, 1, 1], sample="clusters")
        >>> found.score("pair_recall").value
        1.0
        """
        key = registry[name].key
        for score in self.scores:
            if score.measure.key == key:
                return score
        raise KeyError(name)

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Return plain data: what the sample is, and one entry per measure.

        Parameters
        ----------
        flat : bool, default False
            Return numbers by dotted name instead: each estimate, and the ends of its interval.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        if flat:
            return flat_numbers(
                (score.measure.key, {"": score.value, "low": score.low, "high": score.high})
                for score in self.scores
            )
        names = ("sample", "sampling", "units", "sampled", "objects", "clusters", "confidence")
        columns = self.columns()
        return {
            **{name: getattr(self, name) for name in (*names, "width")},
            "remarks": self.remarks,
            "scores": [
                {name: plain(values[k]) for name, values in columns.items()}
                for k in range(len(self))
            ],
        }

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per measure.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        found: dict[str, list[Any]] = {
            "measure": [score.measure.key for score in self.scores],
            "title": [score.measure.title for score in self.scores],
        }
        for name in ("value", "low", "high", "standard_error", "effective"):
            found[name] = [getattr(score, name) for score in self.scores]
        found["rough"] = [score.is_rough for score in self.scores]
        found["why_undefined"] = [score.why or None for score in self.scores]
        if self.width is not None:
            found["needed"] = [score.needed for score in self.scores]
        return found

    @property
    def remarks(self) -> list[str]:
        """What a reader of the scores must know."""
        found = []
        rough = [inner_title(score.measure.title) for score in self.scores if score.is_rough]
        if rough:
            which = "every score" if len(rough) == len(self.scores) > 1 else f"the {listed(rough)}"
            better = self.sample == "clusters" and self.sampling == "uniform"
            found.append(
                f"A few {ONE[self.sample]}s decide {which}: take "
                f"{'the interval' if len(rough) == 1 else 'these intervals'} for a rough guide"
                f"{', and draw true clusters by size if you can' if better else ''}."
            )
        found += [
            f"{score.measure.title} has no value: {score.why}."
            for score in self.scores
            if score.why
        ]
        note = noise_note({"pred": (self.noise, self.objects)}, droppable=False)
        if self.noise_as_class:
            found.append(
                f"The label -1 of {counted(self.noise_as_class, 'object')} is taken as a true "
                "cluster; leave the labels outside the sample empty."
            )
        return [*found, note] if note else found

    def cautions(self) -> list[str]:
        """Return what a reader of the numbers alone must know.

        Returns
        -------
        list of str
            Which intervals are rough, which scores have no value, and that noise is a cluster.
        """
        return self.remarks

    def document(self) -> Section:
        """Return what the sample is, one row per measure, and what to know.

        Returns
        -------
        Section
            The sentences and tables.
        """
        of = f"{self.sampled:,} of {counted(self.objects, 'object')}"
        units = (
            of if self.sample == "objects" else f"{counted(self.units, ONE[self.sample])} ({of})"
        )
        lead = f"Estimated from {units}, drawn {WAYS.get(self.sampling, GIVEN)}."
        one = ONE[self.sample]
        columns = [
            Column("measure", "text"),
            Column(
                "estimate",
                hint=f"With an interval at {self.confidence:.4g} confidence",
                scale=(0.0, 1.0),
            ),
            Column("standard error", hint="How much the estimate varies from sample to sample"),
            Column("effective", hint=f"How many {one}s of equal weight the sample is worth"),
        ]
        if self.width is not None:
            wide = f"For an interval no wider than {number(self.width)}"
            columns.append(Column(f"{one}s needed", hint=wide))
        rows = tuple(self._row(score) for score in self.scores)
        table = Table("sampled-scores", "Estimates", tuple(columns), rows)
        records = tuple(score.measure for score in self.scores)
        return Section(
            "sampled-scores",
            "Scores by a sample of the truth",
            (lead, *self.remarks),
            (table,),
            lead=(*self._headline(), lead),
            subject=self,
            measures=records,
        )

    def _headline(self) -> list[str]:
        """Return the score that is read first, in a sentence; none where it has no value."""
        held = {score.measure.key: score for score in self.scores}
        score = next((held[key] for key in HEADLINES if key in held), self.scores[0])
        if math.isnan(score.value):
            return []
        value, low, high = sure_digits(score.low, score.high, score.value, score.low, score.high)
        sure = f"{self.confidence:.4g} confidence"
        return [f"{score.measure.title}: {value}, between {low} and {high} at {sure}."]

    def _row(self, score: SampledScore) -> Row:
        ends = (None, None) if math.isnan(score.low) else (score.low, score.high)
        error, effective = score.standard_error, score.effective
        worth = f"{effective:,.0f}" if effective >= 1 else "less than 1"
        cells = [
            text_cell(score.measure.title),
            number_cell(score.value, low=ends[0], high=ends[1]),
            Cell("-") if math.isnan(error) else number_cell(error),
            number_cell(effective, text=f"{worth}{' (rough)' if score.is_rough else ''}"),
        ]
        if self.width is not None:
            cells.append(number_cell(score.needed))
        return Row(tuple(cells))

    __repr__ = Result.__repr__


def sampled_scores(
    truth: Any,
    pred: Any,
    *,
    sample: Unit,
    sampling: Any = "uniform",
    measures: Sequence[str | Measure] | None = None,
    confidence: float = 0.95,
    width: float | None = None,
    noise: Any = None,
) -> SampledScores:
    """Estimate scores of a whole prediction from the truth of a sample.

    Parameters
    ----------
    truth : array_like, mapping, list of sets, or pairs
        What is known of the sample. For clusters and objects: one label per object of `pred`,
        missing outside the sample, or the labels of the sample by the names of its objects, or
        groups of objects. For pairs: triples of two objects and whether they belong together, a
        frame with these three columns, or a mapping from pairs.
    pred : array_like, mapping or list of sets
        The predicted clusters of all objects. Objects go by their keys in a mapping or in groups,
        by the index of a pandas series, and by position from 0 on otherwise.
    sample : {"clusters", "objects", "pairs"}
        What was drawn: whole true clusters, of which every object is labelled; single objects,
        whatever else is in their true clusters; or pairs of objects.
    sampling : {"uniform", "size", "predicted"}, mapping or array_like, default "uniform"
        How it was drawn: with the same chance for all; true clusters by their size ("size"), as
        where objects are drawn and their true clusters looked up, each cluster once; pairs from
        those within predicted clusters ("predicted"); or the probability of each unit to be in
        the sample: of true clusters by their name or as one number per object of `pred`, of
        objects by their name or as one number per object of `pred`, or one number per pair. A
        common factor does not matter.
    measures : list of str or Measure, optional
        The measures; by default all that such a sample can estimate.
    confidence : float, default 0.95
        The confidence of the intervals, between 0 and 1.
    width : float, optional
        Say also how many units an interval no wider than this needs.
    noise : label, str or dict, optional
        Label of `pred` that means noise, or a policy ("keep" or "singletons") for it.

    Returns
    -------
    SampledScores
        The estimates with their intervals, by measure.

    Raises
    ------
    LabelError
        If labels, pairs or chances cannot be read, or `pred` lacks objects of the sample.
    ParameterError
        If an option is unknown, or such a sample cannot estimate a measure.

    See Also
    --------
    sample_size : How many labelled objects an interval of a score card needs.

    Notes
    -----
    Whole true clusters estimate all nine scores: precision, recall and F of pairs, B-cubed, and
    of clusters found exactly. Objects and pairs estimate the scores of pairs and B-cubed precision;
    for the others they would have to say how large true clusters are. Pairs from predicted
    clusters say nothing of recall.

    The ratio of two estimated totals is that of Binette et al. (2022, "Estimating the Performance
    of Entity Resolution Algorithms", section 3), here without their correction of its bias: the
    bias is in the interval. Its standard error is a jackknife over the units drawn, less what a
    finite population takes from it, with degrees of freedom by the kurtosis of what single units
    contribute; the interval is Wilson's. Where a few units decide, the entry says so.

    Examples
    --------
    >>> import clustervet as cv
    >>> pred = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3, "f": 4}
    >>> known = {"a": "x", "b": "x", "c": "y", "e": "y"}
    >>> found = cv.sampled_scores(known, pred, sample="clusters", sampling="size")
    >>> found["pair_recall"]
    0.5
    >>> pairs = [("a", "b", True), ("c", "d", False)]
    >>> cv.sampled_scores(pairs, pred, sample="pairs", sampling="predicted")["pair_precision"]
    0.5
    """
    one_of(sample, "sample", UNITS)
    share(confidence, "confidence")
    if width is not None and (not is_number(width) or not 0 < width <= 1):
        raise ParameterError(Setting("width"), f" must lie between 0 and 1, not {width!r}.")
    predicted = pred if isinstance(pred, Predicted) else Predicted(pred, noise)
    way = sampling if isinstance(sampling, str) else "given"
    ways = {"clusters": ("uniform", "size"), "objects": ("uniform",)}
    named = ways.get(sample, ("uniform", "predicted"))
    if isinstance(sampling, str) and sampling not in named:
        raise ParameterError(
            Setting("sampling"),
            f" must be {' or '.join(map(repr, named))} for a sample of {sample}, or numbers, not "
            f"{sampling!r}.",
        )
    formulas = FORMULAS["predicted" if way == "predicted" else sample]
    chosen = _records(measures, formulas, sample, way)
    drawn = READERS[sample](truth, predicted, sampling)
    scores = []
    for record in chosen:
        found = estimated(drawn, formulas[record.key])
        low, high = found.ends(confidence)
        error = 0.0 if found.drawn >= 1 else found.spread.error
        score = SampledScore(record, found.value, low, high, error, found.effective, found.why)
        if width is not None:
            score = replace(score, needed=found.needed(width, confidence))
        scores.append(score)
    return SampledScores(
        tuple(scores),
        sample,
        way,
        len(drawn),
        drawn.objects,
        len(predicted),
        len(predicted.sizes),
        confidence,
        width,
        predicted.noise,
        drawn.noise,
    )


def _records(
    wanted: Sequence[str | Measure] | None, formulas: Mapping[str, Any], sample: str, way: str
) -> list[Measure]:
    if wanted is None:
        return registry.select(list(formulas))
    if isinstance(wanted, str | Measure):
        wanted = [wanted]
    records = registry.select(list(wanted))
    for record in records:
        if record.key not in formulas:
            which = "pairs from predicted clusters" if way == "predicted" else sample
            raise ParameterError(
                f"a sample of {which} cannot estimate {record.key}; it can estimate "
                f"{listed(list(formulas))}.",
                parameter="measures",
            )
    return records
