"""`Questions`: what is asked about clusterings, checked before anything is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clustervet._checks import share
from clustervet.errors import ParameterError, Setting
from clustervet.inference.compare import why_no_test
from clustervet.inference.nulls import resolve_model
from clustervet.labels.keyed import is_keyed
from clustervet.labels.several import is_frame, named_labels
from clustervet.registry import (
    PAIRED,
    Kind,
    Measure,
    MeasureFunction,
    measures,
    subject_kind,
)

Chosen = Iterable[str | Measure | MeasureFunction] | str | None
# Measures that are held against chance where none are named.
USUAL: dict[Kind, tuple[str, ...]] = {
    "external": ("rand", "purity", "normalized_mutual_information", "variation_of_information"),
    "soft": ("ndc", "adjusted_concordance", "soft_normalized_mutual_information"),
    "overlapping": ("omega_index", "overlapping_nmi_max", "extended_bcubed_f1", "best_match_f1"),
    "hierarchical": ("cophenetic_correlation", "bakers_gamma", "normalized_robinson_foulds"),
}
# The measures that rank where none are named.
LEADERS: dict[Kind, str] = {
    "external": "adjusted_rand",
    "soft": "ndc",
    "overlapping": "omega_index",
    "hierarchical": "cophenetic_correlation",
}
# What measures of each kind need, and what measures of another kind were given.
NEEDS: dict[Kind, str] = {
    "external": "needs labels",
    "internal": "needs features",
    "soft": "needs memberships",
    "soft_internal": "needs memberships, with or without features",
    "overlapping": "needs covers",
    "hierarchical": "needs hierarchies",
}
GIVEN: dict[Kind, str] = {
    "external": "a second labeling",
    "soft": "two soft clusterings",
    "soft_internal": "labels",
    "overlapping": "two covers",
    "hierarchical": "two hierarchies",
}


@dataclass(frozen=True, kw_only=True)
class Questions:
    """What is asked about tables of classes and clusters; checked before anything is read.

    `sure` are the keys of the measures that get intervals, None for all; `ranked_by` is the
    measure that ranks several predictions; `chance` the null model, `beside_chance` the measures
    that are held against it, with `samples` random tables.
    """

    measures: Chosen = None
    family: str | Iterable[str] | None = None
    confidence: float | None = None
    resamples: int = 2_000
    sure: frozenset[str] | None = None
    ranked_by: str | None = None
    rank_resamples: int | None = None
    chance: str | None = None
    beside_chance: Chosen = None
    samples: int = 1_000
    diagnose: bool = False
    random_state: Any = None
    n_jobs: int | None = None
    kind: Kind = "external"

    @classmethod
    def of(
        cls, chosen: Chosen, family: str | Iterable[str] | None = None, **asked: Any
    ) -> Questions:
        """Return what is asked with the usual measures for chance, and one that ranks."""
        chosen = tuple(chosen) if isinstance(chosen, Iterator) else chosen
        kind = asked.get("kind", "external")
        usual = USUAL.get(kind) if chosen is None and family is None else chosen
        asked["beside_chance"] = asked.get("beside_chance") or usual
        ranks = asked.get("confidence") is not None
        ranked_by = ranking_measure(chosen, kind) if ranks else None
        return cls(measures=chosen, family=family, ranked_by=ranked_by, **asked)

    def __post_init__(self) -> None:
        """Refuse what no table can answer."""
        if isinstance(self.measures, Iterator):  # which can be read but once
            object.__setattr__(self, "measures", tuple(self.measures))
        self.records()
        if self.confidence is not None:
            share(self.confidence, "confidence")
        if self.chance is not None and self.kind == "external":
            resolve_model(self.chance)

    def records(self) -> list[Measure]:
        """Return the measures asked for, which are of the kind of what is scored."""
        found = measures.select(self.measures, kind=self.kind, family=self.family, general=True)
        for record in found:
            if record.kind != self.kind:
                raise ParameterError(f"{record.key} {NEEDS[record.kind]}, not {GIVEN[self.kind]}.")
        if not found and self.kind in PAIRED:
            raise ParameterError("no measure of ", Setting("family"), " is among those asked for.")
        if not found and self.family is not None:
            others = measures.select(family=self.family)
            if others and all(record.kind not in ("external", "internal") for record in others):
                first = others[0]
                raise ParameterError(f"{first.key} {NEEDS[first.kind]}, not {GIVEN[self.kind]}.")
        return found

    def check(self, truths: int) -> None:
        """Refuse what several truths cannot answer."""
        for name, asked in (("chance", self.chance is not None), ("diagnose", self.diagnose)):
            if asked and truths > 1:
                raise ParameterError(Setting(name), " goes with one truth.")


def ranking_measure(chosen: Chosen, kind: Kind = "external") -> str | None:
    """Return the measure that ranks: the first of those named that can tell predictions apart."""
    if chosen is None:
        return LEADERS.get(kind)
    records = [record for record in measures.select(chosen) if record.kind == kind]
    return next((record.key for record in records if not why_no_test(record)), None)


def kind_of(truth: Any, pred: Any) -> Kind:
    """Return the kind of measures that read truth and prediction, or several predictions."""
    preds = list(pred.values()) if isinstance(pred, Mapping) and not is_keyed(pred) else [pred]
    return subject_kind(truth, *preds) or "external"


def several_predictions(pred: Any, what: str = "pred") -> dict[str, Any]:
    """Labelings by name: those of a mapping, the columns of a frame, or one."""
    if is_frame(pred):
        return {name: labels for name, _, labels in named_labels(pred)}
    return named_labelings(pred, what) if is_several(pred) else {"pred": pred}


def is_several(labels: Any) -> bool:
    """Whether labels are several labelings by name: a mapping of them, or a frame."""
    return is_frame(labels) or (isinstance(labels, Mapping) and not is_keyed(labels))


def named_labelings(labelings: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """Labelings by name as text; two names that read alike are refused."""
    if not labelings:
        raise ParameterError(f"{what} is an empty mapping; name at least one labeling.")
    named = {str(name): labels for name, labels in labelings.items()}
    if len(named) < len(labelings):
        texts = [str(name) for name in labelings]
        twice = next(text for text in texts if texts.count(text) > 1)
        raise ParameterError(f"two labelings in {what} are called {twice!r}; names must differ.")
    return named
