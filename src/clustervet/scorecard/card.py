"""`ScoreCard`: the scores of one clustering, and `ScoreCards`: several side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from clustervet.inference import Interval
from clustervet.registry import Estimate, Kind, Measure, measures
from clustervet.scorecard.card_document import card_cautions, cards_document
from clustervet.view import Backend, Result, Section, flat_numbers, plain, to_frame
from clustervet.view.words import counted, digits

SCHEMA = "clustervet/scorecard/1"
# What the column that makes groups, and the group, are called in data.
GROUP = ("by", "group")
# The confidence of intervals of values that were sampled.
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Score:
    """The value of one measure on one table or geometry.

    Attributes
    ----------
    measure : Measure
        The record of the measure.
    value : float
        The value; nan where it is undefined.
    why : str or None
        Why the value is undefined.
    interval : Interval or None
        The interval, where one was asked for.
    """

    measure: Measure
    value: float
    why: str | None = None
    interval: Interval | None = None

    @property
    def ends(self) -> tuple[float, float, float] | None:
        """Low end, high end and confidence of the interval, where the score has one."""
        if self.interval is not None and self.interval.low == self.interval.low:
            return self.interval.low, self.interval.high, self.interval.confidence
        if self.is_sampled:
            return (*self.value.interval(CONFIDENCE), CONFIDENCE)  # type: ignore[attr-defined]  # an Estimate
        return None

    @property
    def is_sampled(self) -> bool:
        """Whether the value was estimated from a sample of the points."""
        return isinstance(self.value, Estimate) and self.value.standard_error > 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and text; an undefined or infinite value is None."""
        record = self.measure
        data = {
            "measure": record.key,
            "title": record.title,
            "family": record.family,
            "value": plain(float(self.value)),
            "unit": record.unit,
            "better": record.better,
            "bounds": plain(record.bounds),
            "adjusted": record.adjusted,
            "why_undefined": self.why,
            "interval": plain(self.interval),
        }
        if isinstance(self.value, Estimate):
            error = plain(self.value.standard_error)
            data |= {"standard_error": error, "sample": self.value.sample}
        return data


class Subject(Protocol):
    """What was scored: its sizes, and the names of its parts."""

    @property
    def pred(self) -> str:
        """Name of the clustering."""

    @property
    def truth(self) -> str:
        """Name of the classes that it was scored against; empty where there are none."""

    @property
    def group(self) -> tuple[str, str] | None:
        """The column that makes groups of rows, and the group that was scored by itself."""

    @property
    def objects(self) -> int | float:
        """Number of objects."""

    @property
    def clusters(self) -> int:
        """Number of clusters."""

    @property
    def remarks(self) -> Sequence[str]:
        """What to know when reading the scores."""

    @property
    def noise_as_cluster(self) -> tuple[int | float, int | float]:
        """Objects labelled -1 in truth and prediction, where no policy said what that means."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""


@dataclass(frozen=True)
class TableSubject:
    """A table that was scored: its sizes, and the names of truth and prediction."""

    objects: int | float
    classes: int
    clusters: int
    truth: str = "truth"
    pred: str = "pred"
    remarks: tuple[str, ...] = ()
    # Objects labelled -1 in truth and prediction, where no policy said what that means.
    noise_as_cluster: tuple[int | float, int | float] = (0, 0)
    group: tuple[str, str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("truth", "pred", "objects", "classes", "clusters")
        data: dict[str, Any] = {name: getattr(self, name) for name in names}
        truth, pred = map(plain, self.noise_as_cluster)
        if truth or pred:
            data["noise_as_cluster"] = {"truth": truth, "pred": pred}
        return data if self.group is None else data | dict(zip(GROUP, self.group, strict=True))

    def __str__(self) -> str:
        objects = counted(self.objects, "object")
        classes = counted(self.classes, "class", "classes")
        return f"{objects}, {classes}, {counted(self.clusters, 'cluster')}"


@dataclass(frozen=True)
class GeometrySubject:
    """A geometry that was scored: its sizes, its metric, and the name of the clustering."""

    objects: int | float
    features: int | None
    clusters: int
    metric: str
    noise: int | float = 0
    pred: str = "pred"
    remarks: tuple[str, ...] = ()
    truth: str = ""
    # Points labelled -1, where no policy said what that means, and the ratio of the widest range
    # of a feature to the narrowest, where they differ by orders of magnitude.
    noise_as_cluster: tuple[int | float, int | float] = (0, 0)
    scale_ratio: float = 0.0
    group: tuple[str, str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        names = ("pred", "objects", "features", "clusters", "metric", "noise", "remarks")
        data = {name: plain(getattr(self, name)) for name in names}
        if self.noise_as_cluster[1]:
            data["noise_as_cluster"] = {"pred": self.noise_as_cluster[1]}
        return data | ({"scale_ratio": self.scale_ratio} if self.scale_ratio else {})

    def __str__(self) -> str:
        parts = [counted(self.objects, "point")]
        if self.noise:
            parts.append(f"{digits(self.noise)} more dropped")
        if self.features is not None:
            parts.append(counted(self.features, "feature"))
        parts.append(counted(self.clusters, "cluster"))
        return ", ".join([*parts, f"{self.metric} distances"])


@dataclass(frozen=True)
class PairSubject:
    """Two soft, overlapping or hierarchical clusterings, of which one was scored: their sizes."""

    kind: Kind
    objects: int
    sizes: Mapping[str, int]
    truth: str = "truth"
    pred: str = "pred"
    remarks: tuple[str, ...] = ()
    noise_as_cluster: tuple[int | float, int | float] = (0, 0)
    group: tuple[str, str] | None = None

    @property
    def clusters(self) -> int:
        """Number of clusters, groups or nodes of the prediction: the last of the sizes."""
        return list(self.sizes.values())[-1]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        data = {"truth": self.truth, "pred": self.pred, "kind": self.kind, "objects": self.objects}
        return {**data, **self.sizes, "remarks": list(self.remarks)}

    def __str__(self) -> str:
        sizes = [
            f"{size:,} {_one(name) if size == 1 else name}" for name, size in self.sizes.items()
        ]
        return ", ".join([counted(self.objects, "object"), *sizes])


def _one(names: str) -> str:
    """The word for one of several parts of a clustering.

    >>> _one("true groups"), _one("classes")
    ('true group', 'class')
    """
    return (
        names.replace("classes", "class").replace("clusters", "cluster").replace("groups", "group")
    )


class ScoreCard(Result, Mapping[str, float]):
    """The scores of one clustering, by measure: ``card["rand"]`` is a float.

    Parameters
    ----------
    subject : TableSubject, GeometrySubject or PairSubject
        What was scored.
    scores : list of Score
        The scores.

    Examples
    --------
    >>> import clustervet as cv
    >>> card = cv.external_scores(["a", "a", "b"], [0, 0, 1], measures=["rand", "vi"])
    >>> card["rand"], card["vi"]
    (1.0, 0.0)
    """

    SCHEMA: ClassVar[str] = SCHEMA

    def __init__(self, subject: Subject, scores: Sequence[Score]) -> None:
        self.subject = subject
        self.scores = {score.measure.key: score for score in scores}

    def __getitem__(self, name: str) -> float:
        return self.score(name).value

    def score(self, name: str) -> Score:
        """Return the whole entry of a measure.

        Parameters
        ----------
        name : str
            The key or an alias of the measure.

        Returns
        -------
        Score
            Its record, value and interval, and the reason if it is undefined.

        Examples
        --------
        >>> import clustervet as cv
        >>> card = cv.external_scores(["a", "a", "b"], [0, 0, 1], measures=["rand", "vi"])
        >>> card.score("vi").measure.key, card.score("vi").value
        ('variation_of_information', 0.0)
        """
        key = name if name in self.scores else measures[name].key
        return self.scores[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Return plain data; `docs/scorecard.schema.json` describes it.

        Parameters
        ----------
        flat : bool, default False
            Return numbers by dotted name instead, as trackers of experiments take them: the value
            of each measure, and the ends of its interval. Undefined values are left out.

        Returns
        -------
        dict
            Plain data, as JSON holds it.

        Examples
        --------
        >>> import clustervet as cv
        >>> card = cv.external_scores(["a", "a", "b"], [0, 0, 1], measures=["rand", "vi"])
        >>> card.to_dict(flat=True)
        {'rand': 1.0, 'variation_of_information': 0.0}
        """
        if flat:
            return flat_numbers(
                (key, {"": float(score.value), **_named_ends(score)})
                for key, score in self.scores.items()
            )
        scores = [score.to_dict() for score in self.scores.values()]
        subject = self.subject.to_dict()
        if "remarks" in subject:
            subject["remarks"] += self.cautions()
        return {"schema": SCHEMA, **subject, "scores": scores}

    def columns(self) -> dict[str, Any]:
        """Return one row per measure.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return card_columns([self])

    def cautions(self) -> list[str]:
        """Return what a reader of the scores alone must know.

        Returns
        -------
        list of str
            That noise is scored as a cluster, or that features differ in scale.
        """
        return card_cautions({self.subject.pred: self})

    def document(self) -> Section:
        """Return what was scored, one row per measure, and why values are undefined.

        Returns
        -------
        Section
            The sentences and tables.
        """
        return cards_document({self.subject.pred: self}, named=False, subject=self)

    __repr__ = Result.__repr__


class ScoreCards(Result, Mapping[str, ScoreCard]):
    """Several score cards side by side: several predictions, or several truths.

    Parameters
    ----------
    cards : mapping
        Score cards by name.

    Examples
    --------
    >>> import clustervet as cv
    >>> preds = {"a": [0, 0, 1, 1], "b": [0, 0, 0, 1]}
    >>> cards = cv.external_scores([1, 1, 2, 2], preds, measures=["rand", "purity"])
    >>> list(cards), cards["b"]["purity"]
    (['a', 'b'], 0.75)
    >>> cards["purity"]
    {'a': 1.0, 'b': 0.75}
    """

    SCHEMA: ClassVar[str] = SCHEMA

    def __init__(self, cards: Mapping[str, ScoreCard]) -> None:
        self._cards = dict(cards)

    def __getitem__(self, name: str) -> Any:
        """Return a card by its name, or by the name of a measure its value on every card."""
        if name in self._cards:
            return self._cards[name]
        key = measures[name].key
        found = {held: card[key] for held, card in self._cards.items() if key in card.scores}
        if not found:
            raise KeyError(f"{key} is not among the measures of these cards")
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._cards

    def __iter__(self) -> Iterator[str]:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self._cards)

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Return plain data: the data of one card for each name.

        Parameters
        ----------
        flat : bool, default False
            Return numbers by dotted name instead, such as ``kmeans.adjusted_rand``.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        if flat:
            return flat_numbers((name, card.to_dict(flat=True)) for name, card in self.items())
        cards = [{"name": name, **card.to_dict()} for name, card in self.items()]
        return {"schema": SCHEMA, "cards": cards}

    def columns(self) -> dict[str, Any]:
        """Return one row per measure and card.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return card_columns(list(self.values()))

    def to_frame(self, backend: Backend | None = None, *, wide: bool = False) -> Any:
        """Return the scores as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library; by default the first one that is installed.
        wide : bool, default False
            Whether there is one row per measure and one column per card, with the values alone,
            instead of one row per measure and card.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The scores.

        Examples
        --------
        >>> import clustervet as cv
        >>> preds = {"a": [0, 0, 1, 1], "b": [0, 0, 0, 1]}
        >>> cards = cv.external_scores([1, 1, 2, 2], preds, measures=["rand", "purity"])
        >>> cards.to_frame("pandas", wide=True)
          measure    a     b
        0    rand  1.0  0.50
        1  purity  1.0  0.75
        """
        return to_frame(wide_columns(self) if wide else self.columns(), backend)

    def cautions(self) -> list[str]:
        """Return what a reader of the scores alone must know.

        Returns
        -------
        list of str
            That noise is scored as a cluster, or that features differ in scale.
        """
        return card_cautions(self)

    def document(self) -> Section:
        """Return the cards side by side.

        Returns
        -------
        Section
            The sentences and tables.
        """
        return cards_document(self, named=True, subject=self)

    __repr__ = Result.__repr__


def wide_columns(cards: Mapping[str, ScoreCard]) -> dict[str, list[Any]]:
    """Return one row per measure and one column per card; nan where a card lacks the measure."""
    keys = list(dict.fromkeys(key for card in cards.values() for key in card.scores))
    # A card that is called "measure" would hide the names.
    columns: dict[str, list[Any]] = {"measure " if "measure" in cards else "measure": keys}
    for name, card in cards.items():
        columns[name] = [
            float(card.scores[key].value) if key in card.scores else math.nan for key in keys
        ]
    return columns


def _named_ends(score: Score) -> dict[str, float]:
    ends = score.ends
    return {} if ends is None else {"low": ends[0], "high": ends[1]}


def card_columns(cards: Sequence[ScoreCard]) -> dict[str, list[Any]]:
    """Return one row per measure and card, with the ends of intervals where there are any."""
    found = [(card.subject, score) for card in cards for score in card.scores.values()]
    truths = [subject.truth for subject, _ in found]
    grouped = [subject.group for subject, _ in found if subject.group is not None]
    scores = [score for _, score in found]
    columns: dict[str, list[Any]] = {
        **({"truth": truths} if any(truths) else {}),
        "pred": [subject.pred for subject, _ in found],
        **{name: [group[k] for group in grouped] for k, name in enumerate(GROUP) if grouped},
        "measure": [score.measure.key for score in scores],
        "family": [score.measure.family for score in scores],
        "value": [score.value for score in scores],
        "better": [score.measure.better for score in scores],
        "unit": [score.measure.unit for score in scores],
        "why_undefined": [score.why or "" for score in scores],
    }
    ends = [score.ends for score in scores]
    if any(ends):
        columns["low"] = [float("nan") if pair is None else pair[0] for pair in ends]
        columns["high"] = [float("nan") if pair is None else pair[1] for pair in ends]
    intervals = [score.interval for score in scores]
    if any(intervals):
        columns["rough"] = [each is not None and each.is_rough for each in intervals]
    return columns
