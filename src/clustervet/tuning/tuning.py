"""`Tuning`: curves over the values of a parameter, what each measure chooses, and agreement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import multimode
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet.ensemble.cluster_stability import Stability
from clustervet.errors import ParameterError
from clustervet.fitting.algorithms import NUMBERS
from clustervet.geometry.picture import ClusteredPoints
from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.tuning.curves import STARTS, TuningStability
from clustervet.tuning.references import LEVEL, TuningReference
from clustervet.tuning.rules import AT_THE_END, Choice, Floats, value_text
from clustervet.view import Cell, Column, Result, Row, Section, Table, plain
from clustervet.view.cells import form_cell, number_cell, plain_table, with_ends
from clustervet.view.words import ARROWS, counted, dropped_note, scale_note

# This many measures that agree without being sure are sure together.
UNANIMOUS = 4
CAUTION = (
    "A rule of thumb, not a proof: internal measures favour algorithms of their own kind, and "
    "their elbows may mislead or be missing (Aggarwal 2015, §6.9.1.1)."
)


class Vote(NamedTuple):
    """A value, the measures that clearly choose it, and those that lean to it."""

    value: Any
    clear: list[str]
    unclear: list[str]

    @property
    def weight(self) -> float:
        """Clear choices, and half of the others."""
        return len(self.clear) + len(self.unclear) / 2


@dataclass(frozen=True, eq=False, repr=False)
class Tuning(Result):
    """Measures at each value of a parameter, and what they choose.

    Parameters
    ----------
    estimator : str
        The name of the clusterer.
    parameter : str
        The parameter that varies.
    values : list
        The values that were tried.
    measures : tuple of Measure
        The measures.
    curves : dict
        By measure, its value at each value of the parameter.
    choices : dict
        By measure, its `Choice`.
    counts : ndarray
        The number of clusters found at each value.
    noise : ndarray
        The share of points that are noise at each value.
    points : int
        The number of points.
    labels : dict
        By value, the labels of the points.
    reasons : dict
        By measure, why its curve is undefined at a value, or None.
    stability : TuningStability, optional
        What samples of the points say, where they were asked for.
    drawn : int, optional
        The points or pairs that measures look at, where they are sampled.
    standardized : bool, optional
        Whether the features were given mean 0 and variance 1.
    warned : dict, optional
        By value, what the clusterer warned of: that it did not converge, or that it found fewer
        clusters than it was asked for.
    dropped : bool, optional
        Whether measures leave out the points that are noise.
    scale_ratio : float, optional
        The widest range of a feature by the narrowest, where they differ by orders of magnitude.
    reference : TuningReference, optional
        How the curves compare with those of data without clusters, where a value has the votes.
    unreferenced : str, optional
        Why there is no such comparison, where there could be one.
    fixed : str, optional
        Why other points cannot be clustered by all that is tried, so that samples are left out.
    folds : int, optional
        In how many folds points were left out, each time with a new fit, for their likelihood.
    validation : int, optional
        The points of a validation set.
    settings : dict, optional
        By value, the clusterer and its parameters, where several were tried together.
    samples : dict, optional
        By measure that clusters samples again, how many samples, in words.
    tendency : str, optional
        What `tendency` says of the points, where nothing is suggested and there is no sign of
        clusters.
    outlying : tuple of int, optional
        At the value with the votes, how many points are outlying, and how many clusters they make.
    picture : ClusteredPoints, optional
        The points in two dimensions and the profiles of the clusters, at the value that is
        suggested or has the votes.

    Examples
    --------
    >>> import clustervet as cv
    >>> X = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2], [20.0], [20.1], [20.2]]
    >>> found = cv.tune("kmeans", X, values=range(2, 6), measures=["silhouette"], random_state=0)
    >>> found.parameter, found.voted, found.curves["silhouette"].round(2).tolist()
    ('n_clusters', 3, [0.74, 0.99, 0.71, 0.44])
    """

    SCHEMA: ClassVar[str] = "clustervet/tuning/1"

    estimator: str
    parameter: str
    values: list[Any]
    measures: tuple[Measure, ...]
    curves: dict[str, Floats]
    choices: dict[str, Choice]
    counts: NDArray[np.int64]
    noise: Floats
    points: int
    labels: dict[Any, NDArray[Any]]
    reasons: dict[str, list[str | None]]
    stability: TuningStability | None = None
    drawn: int | None = None
    standardized: bool = False
    warned: dict[Any, str] = field(default_factory=dict)
    dropped: bool = False
    scale_ratio: float = 0.0
    reference: TuningReference | None = None
    unreferenced: str | None = None
    fixed: str = ""
    folds: int = 0
    validation: int = 0
    settings: dict[Any, dict[str, Any]] = field(default_factory=dict)
    samples: dict[str, str] = field(default_factory=dict)
    tendency: str = ""
    outlying: tuple[int, int] = (0, 0)
    picture: ClusteredPoints | None = None

    @cached_property
    def agreement(self) -> dict[Any, list[str]]:
        """The measures that clearly choose each value, most first.

        Values in a row that give the same number of clusters are one answer, under the value that
        most of these measures chose.
        """
        return {vote.value: vote.clear for vote in self._votes if vote.clear}

    @cached_property
    def leanings(self) -> dict[Any, list[str]]:
        """The measures that have their best value there, but not clearly."""
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
        """Return the first of the values in a row that give as many clusters as this one.

        Settings have no order: then it is the first of all with as many clusters.
        """
        if self.settings:
            return int(np.flatnonzero(self.counts == self.counts[index])[0])
        while index and self._is_ordered and self.counts[index - 1] == self.counts[index]:
            index -= 1
        return index

    @cached_property
    def _is_ordered(self) -> bool:
        return all(is_number(value) for value in self.values)

    def _speaker(self, keys: list[str]) -> Any:
        """Return the value that most of these measures chose, the middle one of several."""
        tied = multimode(sorted(self.choices[key].index or 0 for key in keys))
        return self.values[tied[(len(tied) - 1) // 2]]

    @property
    def suggestion(self) -> Any:
        """The value that has the votes, if one of its measures is clear against references.

        A value has the votes if half of the measures choose it and one of them clearly: a clear
        choice counts one and an unclear one half. Four measures or more that all lean to one value
        are votes too. Votes alone are no reason: data without clusters get them as well. So the
        curve of at least one of these measures must show more than those of data without clusters
        do (see `reference`), and the value must do more than separate outlying points.
        """
        return self.voted if self.why is None else None

    @property
    def voted(self) -> Any:
        """The value that has the votes, whether or not there is anything to suggest."""
        return None if self._undecided else self._votes[0].value

    def _setting_text(self, value: Any) -> str:
        """Return the parameter with a value; several settings name their parameters themselves."""
        text = value_text(value)
        return text if "=" in text else f"{show_label(self.parameter)} = {text}"

    @cached_property
    def why(self) -> str | None:
        """Why there is no suggestion, where there is none."""
        if self._undecided is not None:
            return self._undecided
        if self.outlying[1] and self.counts[self.values.index(self.voted)] == self.outlying[1] + 1:
            many = counted(self.outlying[0], "outlying point")
            return f"{self._setting_text(self.voted)} separates {many} from the rest"
        if self.reference is None:
            why = self.unreferenced or "no references were asked for"
            return f"the curves were not compared with those of data without clusters: {why}"
        if self.p_value is None or self.p_value > LEVEL:
            if self.reference.clusterer:
                who = f"the points, clustered by {self.reference.clusterer},"
                return f"{who} look like data without clusters ({self._p_text})"
            return f"the curves look like those of data without clusters ({self._p_text})"
        return None

    @property
    def p_value(self) -> float | None:
        """The least p-value of the measures that vote for the value, None without references."""
        if self.reference is None or self._undecided:
            return None
        held = self.reference.p_values
        first = self._votes[0]
        mine = [held[key] for key in (*first.clear, *first.unclear) if key in held]
        return min(mine, default=self.reference.p_value)

    @property
    def _p_text(self) -> str:
        """The p-value in words."""
        held = self.reference
        if held is None or self.p_value is None:
            return ""
        less = held.is_bound and self.p_value == held.p_value
        return f"p {'<' if less else '='} {self.p_value:.2g}"

    @cached_property
    def _undecided(self) -> str | None:
        """Why no value has the votes, where none has."""
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
    def _unanimous(self) -> bool:
        """Whether all measures, four at least, have one best value."""
        if len(self._votes) != 1 or len(self.measures) < UNANIMOUS:
            return False
        vote = self._votes[0]
        return len(vote.clear) + len(vote.unclear) == len(self.measures)

    def best_labels(self) -> NDArray[Any]:
        """Return the labels of the points at the suggested value.

        Returns
        -------
        ndarray
            One label per point.

        Raises
        ------
        ParameterError
            If there is no suggestion; the message says why.

        Examples
        --------
        >>> import clustervet as cv
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(c, 1, (50, 2)) for c in ((0, 0), (9, 0), (0, 9))])
        >>> found = cv.tune("kmeans", X, values=range(2, 9), random_state=0)
        >>> len(set(found.best_labels().tolist()))
        3
        """
        if self.suggestion is None:
            raise ParameterError(f"there are no labels to write: {self.why}.")
        return self.labels[self.suggestion]

    @property
    def verdict(self) -> str:
        """What the measures choose, in one sentence."""
        total = len(self.measures)
        parts: list[str] = []
        for value, keys in self.agreement.items():
            verb = "chooses" if len(keys) == 1 else "choose"
            alone = len(keys) == 1 and (parts or total == 1)
            who = keys[0] if alone else f"{len(keys)} of {total} measures"
            more = len(self.leanings.get(value, []))
            leaning = f" and {more} more {'leans' if more == 1 else 'lean'} to it" if more else ""
            parts.append(f"{who} {verb} {value_text(value)}{leaning}")
        if not parts:
            parts.append(
                "The measure makes no clear choice"
                if total == 1
                else f"None of the {total} measures makes a clear choice{self._common_leaning()}"
            )
        unclear: dict[str, list[str]] = {}
        for key, choice in self.choices.items():
            if not choice.clear:
                unclear.setdefault(str(choice.why), []).append(key)
        parts += [f"{', '.join(keys)}: {why}" for why, keys in unclear.items()]
        return "; ".join(parts) + "."

    def _common_leaning(self) -> str:
        """Return the value that most of the unsure measures lean to, if several do."""
        value, keys = max(self.leanings.items(), key=lambda item: len(item[1]), default=(None, []))
        if len(keys) < 2:
            return ""
        who = f"{len(keys)} of them"
        if len(keys) == len(self.measures):
            who = "both" if len(keys) == 2 else f"all {len(keys)}"
        return f", but {who} lean to {value_text(value)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the tuning as plain data, without the labels.

        Returns
        -------
        dict
            Numbers, texts, lists and dicts, as JSON holds them.
        """
        return {
            "schema": self.SCHEMA,
            "estimator": self.estimator,
            "parameter": self.parameter,
            "values": plain(self.values),
            "points": self.points,
            "clusters": plain(self.counts),
            "noise": plain(self.noise),
            **({"standardized": True} if self.standardized else {}),
            **({"warnings": _texts(self.warned)} if self.warned else {}),
            **({"scale_ratio": self.scale_ratio} if self.scale_ratio else {}),
            **({"fixed": self.fixed} if self.fixed else {}),
            **({"settings": plain(list(self.settings.values()))} if self.settings else {}),
            "measures": [
                {
                    "measure": record.key,
                    "title": record.title,
                    "better": record.better,
                    "curve": plain(self.curves[record.key]),
                    "why_undefined": self.reasons[record.key],
                    "choice": self.choices[record.key].to_dict(),
                }
                for record in self.measures
            ],
            "agreement": _listed(self.agreement),
            "leanings": _listed(self.leanings),
            "suggestion": plain(self.suggestion),
            "why": self.why,
            "voted": plain(self.voted),
            "p_value": self.p_value,
            "reference": plain(self.reference),
            **({"tendency": self.tendency} if self.tendency else {}),
            **({"outlying": list(self.outlying)} if self.outlying[1] else {}),
            "verdict": self.verdict,
            "caution": CAUTION,
            "stability": plain(self.stability),
        }

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per value of the parameter.

        Returns
        -------
        dict
            The parameter, clusters and noise; each measure, with the ends of its interval and the
            share of samples that chose the value, where there are samples; and `chosen_by`.
        """
        # The name of an argument may be that of a column.
        taken = {"clusters", "noise", "stability", "chosen_by", *self.curves}
        name = f"{self.parameter}_value" if self.parameter in taken else self.parameter
        table: dict[str, Sequence[Any]] = {
            name: plain(self.values),
            "clusters": self.counts.tolist(),
            "noise": self.noise.tolist(),
        }
        held = self.stability
        for key in (record.key for record in self.measures):
            table[key] = self.curves[key].tolist()
            if held is not None:
                table[f"{key}_low"] = held.low[key].tolist()
                table[f"{key}_high"] = held.high[key].tolist()
                table[f"{key}_share"] = held.shares[key].tolist()
        if held is not None:
            table["stability"] = held.labels.tolist()
        chosen = [(choice.index, key) for key, choice in self.choices.items() if choice.clear]
        table["chosen_by"] = [
            ", ".join(key for index, key in chosen if index == row)
            for row in range(len(self.values))
        ]
        return table

    def cautions(self) -> list[str]:
        """Return what a reader of the curves alone must know.

        Returns
        -------
        list of str
            That measures leave out points as noise, or that features differ in scale.
        """
        held = self.noise[self.noise > 0]
        aside = [record.key for record in self.measures if record.family == "density"]
        said = [scale_note(self.scale_ratio)]
        if self.dropped and len(held) and len(aside) < len(self.measures):
            said.insert(0, dropped_note(round(float(held.max()) * self.points), self.points, aside))
        return [line for line in said if line]

    @property
    def _title(self) -> str:
        name = self.parameter.rpartition("__")[2]
        number = "The number of clusters"
        return number if name in NUMBERS else f"The choice of {show_label(name)}"

    def document(self) -> Section:
        """Return the table of the curves, with what each measure chooses.

        Returns
        -------
        Section
            A star marks a clear choice; the notes say what is chosen, and why or why not.
        """
        held = self.stability
        heads = [Column(show_label(self.parameter), "number" if self._is_ordered else "text")]
        cells = [[Cell(self._shown(value)) for value in self.values]]
        if any(count != value for count, value in zip(self.counts, self.values, strict=True)):
            heads.append(Column("clusters"))
            cells.append([number_cell(int(count)) for count in self.counts])
        if (self.noise > 0).any():
            heads.append(Column("noise"))
            cells.append([form_cell(float(share), ".1%") for share in self.noise])
        for record in self.measures:
            heads.append(Column(f"{record.key} {ARROWS[record.better]}".strip(), hint=record.title))
            cells.append([self._cell(record, row) for row in range(len(self.values))])
        if held is not None:
            heads.append(Column("stability"))
            cells.append([_known(value) for value in held.labels.tolist()])
        rows = tuple(Row(row) for row in zip(*cells, strict=True))
        blocks = [Table("tuning-values", "Every value", tuple(heads), rows, mark="*")]
        if held is not None:
            first: dict[str, Any] = {self.parameter: [value_text(value) for value in self.values]}
            title = "Share of the samples in which each value is chosen"
            blocks.append(plain_table("tuning-shares", title, first | held.shares, detail=True))
            stable = self._stable_clusters
            if stable is not None:
                title = f"Clusters at {value_text(self.voted)}, the least stable first"
                blocks.append(stable.table("tuning-clusters", title))
        if self.suggestion is None:
            last = f"No suggestion: {self.why}."
        else:
            last = f"Suggestion: {self._setting_text(self.suggestion)}."
        return Section(
            "tuning",
            self._title,
            (self._caption(),),
            tuple(blocks),
            notes=(
                *self._choice_lines(),
                *self._remarks(),
                *self.cautions(),
                self.verdict,
                *self._reference_lines(),
                *([self.tendency] if self.tendency else []),
                last,
                CAUTION,
            ),
            lead=(self.verdict, *self._reference_lines(), last),
            subject=self,
            measures=self.measures,
            citations=("Aggarwal 2015",),
            before=() if self.picture is None else (self.picture.section("points", "p0"),),
            facts=(
                ("points", f"{self.points:,}"),
                ("clusterer", show_label(self.estimator, 24)),
                (show_label(self.parameter, 24), self._span),
                ("suggestion", "none" if self.suggestion is None else value_text(self.suggestion)),
            ),
        )

    def _shown(self, value: Any) -> str:
        """Return a value as the table shows it; settings in full, which tell them apart."""
        return show_label(value, 200) if self.settings else value_text(value)

    @property
    def _stable_clusters(self) -> Stability | None:
        """How well the clusters come back in samples, at the value that has the votes."""
        if self.stability is None or self.voted is None:
            return None
        return self.stability.clusters[self.values.index(self.voted)]

    @property
    def _span(self) -> str:
        if self.settings:
            return counted(len(self.values), "combination")
        values = [value_text(value) for value in self.values]
        return values[0] if len(values) == 1 else f"{values[0]} to {values[-1]}"

    def _caption(self) -> str:
        end = ", standardized" if self.standardized else ""
        name = show_label(self.estimator)
        tried = self._span if self.settings else f"{show_label(self.parameter)} {self._span}"
        return f"{name}, {tried}, {self.points:,} points{end}"

    def _cell(self, record: Measure, row: int) -> Cell:
        choice, held = self.choices[record.key], self.stability
        best = choice.clear and choice.index == row
        cell = _known(float(self.curves[record.key][row]), record.unit, best=best)
        if held is None or not math.isfinite(held.low[record.key][row]):
            return cell
        return with_ends(
            cell, (float(held.low[record.key][row]), float(held.high[record.key][row]))
        )

    def _choice_lines(self) -> list[str]:
        """Return what each measure chooses, and how strongly."""
        lines = []
        for key, choice in self.choices.items():
            text = f"{key}: {choice.words}"
            if self.stability is not None and choice.index is not None:
                text += f", chosen in {self.stability.shares[key][choice.index]:.0%} of samples"
            lines.append(f"{text}, {choice.skipped} undefined" if choice.skipped else text)
        return lines

    def _reference_lines(self) -> list[str]:
        """Return how the curves compare with those of data without clusters."""
        held = self.reference
        if held is None or self.p_value is None:
            return []
        first = self._votes[0]
        keys = [key for key in (*first.clear, *first.unclear) if key in held.p_values]
        best = min(keys or held.p_values, key=lambda key: held.p_values[key])
        end = f" of {held.points:,} points" if held.points < self.points else ""
        by = f", all clustered by {held.clusterer} like the points" if held.clusterer else ""
        return [
            f"Against {held.total} sets{end} without clusters{by}: {self._p_text} "
            f"(hardest to tell apart: {held.kind}; {self._reach(best)})."
        ]

    def _reach(self, key: str) -> str:
        """Return how far a measure goes, and how far at most without clusters."""
        held = self.reference
        if held is None:
            return ""
        mine, most = held.statistics[key], held.expected[key][1]
        # The silhouette is compared where the measures themselves are not.
        lower = any(record.key == key and record.better == "lower" for record in self.measures)
        if key in self.choices and self.choices[key].rule in ("elbow", "hartigan"):
            return f"elbow of {key} {mine:.2f}, there at most {most:.2f}"
        if key in STARTS:
            return f"gain of {key} over one cluster {mine:.4g}, there at most {most:.4g}"
        if lower:
            return f"best {key} {-mine:.4g}, there at least {-most:.4g}"
        return f"best {key} {mine:.4g}, there at most {most:.4g}"

    def _remarks(self) -> list[str]:
        """Return why values are undefined, and what else there is to know."""
        reasons: dict[tuple[str, tuple[str, ...]], list[str]] = {}
        for key, whys in self.reasons.items():
            for why in dict.fromkeys(why for why in whys if why is not None):
                at = [value_text(v) for v, w in zip(self.values, whys, strict=True) if w == why]
                reasons.setdefault((why, tuple(at)), []).append(key)
        lines = [
            f"{', '.join(keys)}: {show_label(why, 200)} (at {', '.join(at)})"
            for (why, at), keys in reasons.items()
        ]
        if self.warned:
            first, text = next(iter(self.warned.items()))
            many = f"{len(self.warned)} of {len(self.values)} values"
            said = show_label(" ".join(text.split()), 200).rstrip(".")
            lines.append(f"The clusterer warned at {many}, first at {value_text(first)}: {said}.")
        if self.fixed:
            none = "" if self.folds else " and no validation by folds"
            lines.append(f"No stability over samples{none}: {self.fixed}.")
        if self.drawn is not None:
            lines.append(f"Measures that can be sampled look at {self.drawn:,} points or pairs.")
        if self.folds:
            lines.append(
                "validated_likelihood: of points left out, with a new fit without each of "
                f"{self.folds} folds"
            )
        elif self.validation:
            lines.append(f"validated_likelihood: of {self.validation:,} other points")
        for key, samples in self.samples.items():
            lines.append(f"{key}: {samples}, clustered again")
        if self.stability is not None:
            noisy = bool((self.noise > 0).any())
            lines.append(
                f"stability: mean adjusted Rand index of clusterings of {self.stability.samples} "
                f"samples of {self.stability.size:,} points{', noise as one cluster' * noisy}; "
                "[low, high]: 0.95 intervals from these"
            )
        if self._stable_clusters is not None:
            clusters = f"Clusters at {value_text(self.voted)}, by their Jaccard index in samples"
            lines.append(f"{clusters}: {self._stable_clusters.verdict}")
        if self.suggestion is not None and self.outlying[1]:
            many = counted(self.outlying[0], "outlying point")
            apart = counted(self.outlying[1], "cluster")
            lines.append(f"At {value_text(self.suggestion)}, {apart} of {many} lie apart.")
        if self.suggestion is not None:
            share = float(self.noise[self.values.index(self.suggestion)])
            if share > 0:
                where = f"At {value_text(self.suggestion)}"
                count = round(share * self.points)
                lines.append(
                    f"{where}, {count:,} of {self.points:,} points ({share:.1%}) are noise."
                )
        return lines


def _listed(votes: dict[Any, list[str]]) -> list[dict[str, Any]]:
    return [{"value": plain(value), "measures": keys} for value, keys in votes.items()]


def _texts(warned: dict[Any, str]) -> list[dict[str, Any]]:
    return [{"value": plain(value), "warning": text} for value, text in warned.items()]


def _known(value: float, unit: str = "", *, best: bool = False) -> Cell:
    """Return a number, or a dash where it is undefined."""
    return number_cell(None if math.isnan(value) else value, unit, best=best)
