"""`Evidence`: finished results about clusterings of the same objects."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clustervet.contingency import Contingency
from clustervet.ensemble import Summary
from clustervet.evidence.dropped import Dropped
from clustervet.inference import Chance, Diagnosis, Ranking
from clustervet.internal.silhouette import Silhouettes
from clustervet.labels import show_label
from clustervet.scorecard import ScoreCards

SCHEMA = "clustervet/evidence/1"


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is known about some clusterings, each part as its own room gave it.

    `tables`, `chances`, `diagnoses` and `silhouettes` are by clustering; `scores` hold the
    clusterings against the classes, `inner` against their features. What could not be had is
    None or empty, and `notes` say why, as they say what was sampled. `dropped` are the
    clusterings that leave out objects whose labels are missing or noise: each is scored on those
    that it keeps, the ranking and the ensemble on those that all keep.
    """

    names: tuple[str, ...]
    truth: str | None
    objects: int | float
    tables: Mapping[str, Contingency] = field(repr=False)
    scores: ScoreCards | None = field(repr=False)
    chances: Mapping[str, Mapping[str, Chance]] = field(repr=False)
    ranking: Ranking | None
    diagnoses: Mapping[str, Diagnosis] = field(repr=False)
    inner: ScoreCards | None = field(repr=False)
    silhouettes: Mapping[str, Silhouettes] = field(repr=False)
    summary: Summary | None = field(repr=False)
    confidence: float
    random_state: Any
    notes: tuple[str, ...] = ()
    dropped: Mapping[str, Dropped] = field(default_factory=dict)
    feature_names: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what is not finite is null."""
        ranking, summary = self.ranking, self.summary
        return {
            "schema": SCHEMA,
            "predictions": list(self.names),
            "truth": self.truth,
            "objects": self.objects,
            "confidence": self.confidence,
            "random_state": self.random_state if isinstance(self.random_state, int) else None,
            "scores": None if self.scores is None else self.scores.to_dict(),
            "chance": {
                name: {key: found.to_dict() for key, found in levels.items()}
                for name, levels in self.chances.items()
            },
            "ranking": None if ranking is None else ranking.to_dict(),
            "diagnoses": {name: found.to_dict() for name, found in self.diagnoses.items()},
            "internal": None if self.inner is None else self.inner.to_dict(),
            "silhouettes": {name: _plain(found) for name, found in self.silhouettes.items()},
            "ensemble": None if summary is None else summary.to_dict(),
            "dropped": {name: found.to_dict() for name, found in self.dropped.items()},
            "features": list(self.feature_names),
            "notes": list(self.notes),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        parts = {
            "scores": self.scores,
            "ranking": self.ranking,
            "diagnoses": self.diagnoses,
            "internal scores": self.inner,
            "silhouettes": self.silhouettes,
            "ensemble": self.summary,
        }
        held = ", ".join(name for name, part in parts.items() if part)
        many = "1 clustering" if len(self.names) == 1 else f"{len(self.names):,} clusterings"
        return f"<Evidence on {many} of {self.objects:,} objects: {held}>"


def _plain(found: Silhouettes) -> dict[str, Any]:
    return {
        "overall": found.overall if math.isfinite(found.overall) else None,
        "points": len(found.points),
        "clusters": [
            {"cluster": show_label(name), "size": found.sizes[name], "silhouette": width}
            for name, width in found.clusters.items()
        ],
    }
