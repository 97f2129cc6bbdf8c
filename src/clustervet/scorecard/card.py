"""`ScoreCard`: finished scores of one clustering, and `ScoreCards`: several side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clustervet.contingency.frame import Backend, to_frame
from clustervet.inference import Interval
from clustervet.registry import Estimate, Measure, measures
from clustervet.scorecard import render

SCHEMA = "clustervet/scorecard/1"


@dataclass(frozen=True, slots=True)
class Score:
    """One measure's value on one table."""

    measure: Measure
    value: float
    why: str | None = None
    interval: Interval | None = None

    @classmethod
    def of(cls, record: Measure, subject: Any, interval: Interval | None = None) -> Score:
        """A measure applied to a finished table or geometry."""
        return cls(record, *record.evaluate(subject), interval)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text; an undefined or infinite value is null."""
        record = self.measure
        return {
            "measure": record.key,
            "title": record.title,
            "family": record.family,
            "value": _finite(self.value),
            "unit": record.unit,
            "better": record.better,
            "bounds": [_finite(bound) for bound in record.bounds],
            "adjusted": record.adjusted,
            "why_undefined": self.why,
            "interval": None if self.interval is None else self.interval.to_dict(),
            **self._sampled(),
        }

    def _sampled(self) -> dict[str, Any]:
        """How the value was sampled, where it was."""
        if not isinstance(self.value, Estimate):
            return {}
        error = self.value.standard_error
        return {"standard_error": _finite(error), "sample": self.value.sample}


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


class Subject(Protocol):
    """What was scored: its sizes, and the names of its parts."""

    @property
    def pred(self) -> str:
        """Name of the clustering."""

    @property
    def truth(self) -> str:
        """Name of what it was held against."""

    @property
    def objects(self) -> int | float:
        """Number of objects."""

    @property
    def remarks(self) -> Sequence[str]:
        """What to know when reading the scores."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""


@dataclass(frozen=True)
class TableSubject:
    """A table that was scored: its sizes, and the names of truth and prediction."""

    objects: int | float
    classes: int
    clusters: int
    truth: str = "truth"
    pred: str = "pred"
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "truth": self.truth,
            "pred": self.pred,
            "objects": self.objects,
            "classes": self.classes,
            "clusters": self.clusters,
        }

    def __str__(self) -> str:
        objects = f"{self.objects:,}" if isinstance(self.objects, int) else f"{self.objects:,.6g}"
        parts = (
            f"{objects} {'object' if self.objects == 1 else 'objects'}",
            f"{self.classes:,} {'class' if self.classes == 1 else 'classes'}",
            f"{self.clusters:,} {'cluster' if self.clusters == 1 else 'clusters'}",
        )
        return ", ".join(parts)


@dataclass(frozen=True)
class GeometrySubject:
    """A geometry that was scored: its sizes, its metric, and the name of the clustering."""

    objects: int
    features: int | None
    clusters: int
    metric: str
    noise: int = 0
    pred: str = "pred"
    remarks: tuple[str, ...] = ()
    truth: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "pred": self.pred,
            "objects": self.objects,
            "features": self.features,
            "clusters": self.clusters,
            "metric": self.metric,
            "noise": self.noise,
            "remarks": list(self.remarks),
        }

    def __str__(self) -> str:
        parts = [f"{self.objects:,} {'point' if self.objects == 1 else 'points'}"]
        if self.noise:
            parts.append(f"{self.noise:,} more dropped")
        if self.features is not None:
            parts.append(f"{self.features:,} {'feature' if self.features == 1 else 'features'}")
        parts.append(f"{self.clusters:,} {'cluster' if self.clusters == 1 else 'clusters'}")
        return ", ".join([*parts, f"{self.metric} distances"])


class ScoreCard(Mapping[str, float]):
    """The scores of one clustering, by measure: `card["rand"]` is a float.

    >>> import clustervet as cv
    >>> card = cv.external_scores(["a", "a", "b"], [0, 0, 1], measures=["rand", "vi"])
    >>> card["rand"], card["vi"]
    (1.0, 0.0)
    """

    def __init__(self, subject: Subject, scores: list[Score]) -> None:
        self.subject = subject
        self.scores = {score.measure.key: score for score in scores}

    def __getitem__(self, name: str) -> float:
        return self.score(name).value

    def score(self, name: str) -> Score:
        """The whole entry of a measure: its record, value, and reason if undefined."""
        key = name if name in self.scores else measures[name].key
        return self.scores[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """As plain data; `docs/scorecard.schema.json` describes it."""
        return {
            "schema": SCHEMA,
            **self.subject.to_dict(),
            "scores": [score.to_dict() for score in self.scores.values()],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON, valid against `docs/scorecard.schema.json`."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A row a measure, in pandas, polars or pyarrow (the first that is installed)."""
        return to_frame(render.columns([self]), backend)

    def __repr__(self) -> str:
        return render.text([self])

    def __rich__(self) -> Any:
        return render.rich_table([self])

    def _repr_html_(self) -> str:
        return render.html([self])


class ScoreCards(Mapping[str, ScoreCard]):
    """Several score cards side by side: several predictions, or several truths."""

    def __init__(self, cards: Mapping[str, ScoreCard]) -> None:
        self._cards = dict(cards)

    def __getitem__(self, name: str) -> ScoreCard:
        return self._cards[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self._cards)

    def to_dict(self) -> dict[str, Any]:
        """As plain data: one card's data for each name."""
        return {
            "schema": SCHEMA,
            "cards": [{"name": name, **card.to_dict()} for name, card in self.items()],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON, valid against `docs/scorecard.schema.json`."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A row a measure and card, in pandas, polars or pyarrow."""
        return to_frame(render.columns(list(self.values())), backend)

    def __repr__(self) -> str:
        return render.text(list(self.values()), list(self))

    def __rich__(self) -> Any:
        return render.rich_table(list(self.values()), list(self))

    def _repr_html_(self) -> str:
        return render.html(list(self.values()), list(self))
