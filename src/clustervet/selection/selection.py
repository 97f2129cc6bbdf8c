"""`Selection`: the clustering with the lowest bound, and all that it was chosen from."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from clustervet.contingency.frame import Backend, to_frame
from clustervet.pacmdl import Bound, Language, languages
from clustervet.pacmdl.description import CHOICES
from clustervet.selection import display
from clustervet.selection.candidates import Candidate, Study

SCHEMA = "clustervet/selection/1"


@dataclass(frozen=True, repr=False, eq=False)
class Selection:
    """The clustering of the lowest bound on its errors, and every candidate beside it.

    `best` is the candidate, `bound` its bound in full, `labels` its clusters and `predictions`
    the label each point gets from its cluster. `table` has all candidates in the order of
    algorithms, numbers of clusters and runs. `seconds` says how long the fits of each algorithm
    took; it is in none of the answers, which are the same whenever they are made.
    """

    study: Study
    table: tuple[Candidate, ...]
    best: Candidate
    bound: Bound
    labels: NDArray[Any]
    predictions: NDArray[Any]
    seconds: Mapping[str, float]

    @property
    def failed(self) -> tuple[Candidate, ...]:
        """The candidates whose fit failed, each with its reason."""
        return tuple(candidate for candidate in self.table if candidate.error is not None)

    @cached_property
    def curves(self) -> dict[str, dict[int, float]]:
        """By algorithm and number of clusters, the best bound over the runs.

        It pays for the labels and for choosing the run (Banerjee & Langford 2004, eq. 2 and
        fig. 2); nan where every run failed.
        """
        best: dict[str, dict[int, float]] = {
            name: dict.fromkeys(self.study.clusters, math.nan) for name in self.study.algorithms
        }
        for candidate in self._rated(("runs",)):
            held = best[candidate.algorithm]
            held[candidate.clusters] = _least(held[candidate.clusters], candidate.rate)
        return best

    @cached_property
    def by_algorithm(self) -> dict[str, Candidate]:
        """The best candidate of each algorithm, in the order of the algorithms.

        Its bound pays for the labels, the run and the number of clusters (eq. 3 and fig. 3).
        """
        best: dict[str, Candidate] = {}
        for candidate in sorted(self._rated(("runs", "number")), key=self.study.rank):
            best.setdefault(candidate.algorithm, candidate)
        return {name: best[name] for name in self.study.algorithms if name in best}

    def _rated(self, paid: tuple[str, ...]) -> list[Candidate]:
        """Candidates under the label code of the language, these choices paid where made."""
        own = self.study.language
        made = tuple(choice for choice in self.study.choices() if choice in paid)
        language = own if own.choices is None else replace(own, choices=made)
        rated = (self.study.rated(candidate, language, made) for candidate in self.table)
        return [candidate for candidate in rated if candidate is not None]

    def languages(self) -> dict[str, float]:
        """The bound as a rate under each language, as in fig. 6 of Banerjee & Langford 2004.

        A language's bound is the best over the choices that it pays for and the average over
        those that it does not: the best would not be a bound.
        """
        rates = {record.key: self._average(record) for record in languages.values()}
        return {key: rate for key, rate in rates.items() if rate is not None}

    def _average(self, language: Language) -> float | None:
        paid = tuple(CHOICES) if language.choices is None else language.choices
        made = tuple(choice for choice in self.study.choices() if choice in paid)
        groups: dict[tuple[Any, ...], float] = {}
        for candidate in self.table:
            rated = self.study.rated(candidate, language, made)
            if rated is not None:
                values = {
                    "runs": candidate.run,
                    "number": candidate.clusters,
                    "algorithms": candidate.algorithm,
                }
                group = tuple(value for choice, value in values.items() if choice not in paid)
                groups[group] = _least(groups.get(group, math.nan), rated.rate)
        return math.fsum(groups.values()) / len(groups) if groups else None

    @property
    def verdict(self) -> str:
        """What was chosen and what is known about it, in a sentence."""
        return display.verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without labels and times."""
        study = self.study
        return {
            "schema": SCHEMA,
            "points": study.points,
            "features": study.features,
            "train_size": study.train_size,
            "test_size": study.test_size,
            "labels": study.labels,
            "algorithms": list(study.algorithms),
            "clusters": list(study.clusters),
            "runs": study.runs,
            "language": study.language.key,
            "delta": study.delta,
            "weighting": study.weighting,
            "neighbours": study.neighbours,
            "random_state": study.seed,
            "remarks": list(study.remarks),
            "best": _plain(self.best),
            "bound": self.bound.to_dict(),
            "by_algorithm": [_plain(candidate) for candidate in self.by_algorithm.values()],
            "curves": [
                {
                    "algorithm": name,
                    "clusters": list(curve),
                    "rate": list(map(_known, curve.values())),
                }
                for name, curve in self.curves.items()
            ],
            "languages": self.languages(),
            "candidates": [_plain(candidate) for candidate in self.table],
            "verdict": self.verdict,
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A row a candidate, in pandas, polars or pyarrow (the first that is installed)."""
        return to_frame(display.columns(self), backend)

    def __repr__(self) -> str:
        return display.text(self)

    def __rich__(self) -> Any:
        return display.rich_table(self)

    def _repr_html_(self) -> str:
        return display.html(self)


def _least(held: float, rate: float | None) -> float:
    found = math.nan if rate is None else rate
    return found if math.isnan(held) else min(held, found)


def _known(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _plain(candidate: Candidate) -> dict[str, Any]:
    held = candidate.to_dict()
    if held["bits"] is not None:
        held["bits"] = _known(held["bits"])
    return held
