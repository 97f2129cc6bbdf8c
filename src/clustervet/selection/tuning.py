"""`Tuning`: curves over the values of a parameter, what each measure chooses, and agreement."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.frame import Backend, to_frame
from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.selection import show
from clustervet.selection.choice import AT_THE_END, Choice, Floats, is_number
from clustervet.selection.stability import Stability, plain

SCHEMA = "clustervet/tuning/1"
# So many measures that agree without being sure are sure together.
UNANIMOUS = 4


class Vote(NamedTuple):
    """A value, the measures that clearly choose it, and those that lean to it."""

    value: Any
    clear: list[str]
    unclear: list[str]

    @property
    def weight(self) -> float:
        """Clear choices, and half of the others."""
        return len(self.clear) + len(self.unclear) / 2


@dataclass(frozen=True, eq=False)
class Tuning:
    """Measures at each value of a parameter, and what they choose.

    `curves` and `choices` are by measure, `counts` (clusters found), `noise` (share of points)
    and `labels` by value; `reasons` says why values of a curve are undefined.
    """

    estimator: str
    parameter: str
    values: list[Any]
    measures: tuple[Measure, ...]
    curves: dict[str, Floats]
    choices: dict[str, Choice]
    counts: NDArray[np.int64]
    noise: Floats
    points: int
    labels: dict[Any, NDArray[Any]] = field(repr=False)
    reasons: dict[str, list[str | None]] = field(repr=False)
    stability: Stability | None = None
    drawn: int | None = None

    @cached_property
    def agreement(self) -> dict[Any, list[str]]:
        """The measures that clearly choose each value, most first.

        Values in a row that give as many clusters are one answer, under the value that most
        of these measures chose.
        """
        return {vote.value: vote.clear for vote in self._votes if vote.clear}

    @cached_property
    def leanings(self) -> dict[Any, list[str]]:
        """The measures whose best value it is, but not clearly."""
        return {vote.value: vote.unclear for vote in self._votes if vote.unclear}

    @cached_property
    def _votes(self) -> list[Vote]:
        """Who chooses what, the value with most weight first."""
        runs: dict[int, list[str]] = {}
        for key, choice in self.choices.items():
            if choice.index is not None and choice.why != AT_THE_END:
                runs.setdefault(self._run(choice.index), []).append(key)
        votes = []
        for keys in runs.values():
            clear = [key for key in keys if self.choices[key].clear]
            unclear = [key for key in keys if key not in clear]
            votes.append(Vote(self._speaker(clear or unclear), clear, unclear))
        return sorted(votes, key=lambda vote: (-vote.weight, -len(vote.clear)))

    def _run(self, index: int) -> int:
        """The first place of the row of values that give as many clusters as this one."""
        while index and self._is_ordered and self.counts[index - 1] == self.counts[index]:
            index -= 1
        return index

    @cached_property
    def _is_ordered(self) -> bool:
        return all(is_number(value) for value in self.values)

    def _speaker(self, keys: list[str]) -> Any:
        """The value that most of these measures chose, the middle one of several."""
        chosen = sorted(self.choices[key].index or 0 for key in keys)
        most = max(chosen.count(index) for index in chosen)
        tied = [index for index in dict.fromkeys(chosen) if chosen.count(index) == most]
        return self.values[tied[(len(tied) - 1) // 2]]

    @property
    def suggestion(self) -> Any:
        """The value with most support, if that is half of the measures and one of them clear.

        A clear choice counts one and an unclear one half: measures that agree without being
        sure say more together than each of them alone. Where four measures or more all lean
        to one value none needs to be clear: that did not happen in structureless data.
        """
        if self.why is not None:
            return None
        return self._votes[0].value

    @property
    def _unanimous(self) -> bool:
        """Whether all measures, four at least, have one best value."""
        if len(self._votes) != 1 or len(self.measures) < UNANIMOUS:
            return False
        vote = self._votes[0]
        return len(vote.clear) + len(vote.unclear) == len(self.measures)

    @cached_property
    def why(self) -> str | None:
        """Why there is no suggestion, where there is none."""
        if self._unanimous:
            return None
        if not self.agreement:
            return "no measure makes a clear choice"
        first, *others = self._votes
        tied = bool(others) and others[0].weight == first.weight
        if tied or not first.clear or 2 * first.weight < len(self.measures):
            return "the measures do not agree on a value"
        return None

    @property
    def verdict(self) -> str:
        """What the measures choose, in one sentence."""
        return show.verdict(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the labels."""
        return {
            "schema": SCHEMA,
            "estimator": self.estimator,
            "parameter": self.parameter,
            "values": [_plain(value) for value in self.values],
            "points": self.points,
            "clusters": self.counts.tolist(),
            "noise": plain(self.noise),
            "measures": [
                {
                    "measure": record.key,
                    "title": record.title,
                    "better": record.better,
                    "curve": plain(self.curves[record.key]),
                    "why_undefined": self.reasons[record.key],
                    "choice": _plain_choice(self.choices[record.key]),
                }
                for record in self.measures
            ],
            "agreement": [
                {"value": _plain(value), "measures": keys} for value, keys in self.agreement.items()
            ],
            "leanings": [
                {"value": _plain(value), "measures": keys} for value, keys in self.leanings.items()
            ],
            "suggestion": _plain(self.suggestion),
            "verdict": self.verdict,
            "caution": show.CAUTION,
            "stability": None if self.stability is None else self.stability.to_dict(),
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A row a value, in pandas, polars or pyarrow (the first that is installed)."""
        return to_frame(show.columns(self), backend)

    def __repr__(self) -> str:
        return show.text(self)

    def __rich__(self) -> Any:
        return show.rich_table(self)

    def _repr_html_(self) -> str:
        return show.html(self)


def _plain(value: Any) -> Any:
    """A parameter value as JSON holds it."""
    return (
        value if value is None or isinstance(value, bool | int | float | str) else show_label(value)
    )


def _plain_choice(choice: Choice) -> dict[str, Any]:
    return {**choice.to_dict(), "value": _plain(choice.value)}
