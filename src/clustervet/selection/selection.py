"""`Selection`: the clustering with the lowest bound, and all candidates it was chosen from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, ClassVar

from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.errors import ParameterError
from clustervet.geometry.picture import ClusteredPoints
from clustervet.labels import show_label
from clustervet.pacmdl import Bound, Language, languages
from clustervet.pacmdl.coding import CHOICES
from clustervet.selection.candidates import Candidate, SelectionStudy
from clustervet.selection.predictors import PAC_MDL, PREDICTORS, Predictor
from clustervet.view import Cell, Column, Result, Row, Section, Table, plain
from clustervet.view.cells import name_cell, number_cell, plain_table
from clustervet.view.words import counted, noise_note, scale_note

# The facts of a candidate that are columns, and those of a study that come first in its JSON.
COLUMNS = [one.name for one in fields(Candidate) if one.name != "assignment"]
KEYS = ("points", "features", "train_size", "test_size", "labels", "algorithms", "clusters", "runs")
# Failed fits that are described in words.
TOLD = 3


@dataclass(frozen=True, repr=False, eq=False)
class Selection(Result):
    """The clustering with the lowest bound on its errors, and every candidate beside it.

    Parameters
    ----------
    study : SelectionStudy
        What was tried, on what data, and which choices the bound pays for.
    table : tuple of Candidate
        All candidates in the order of algorithms, numbers of clusters and runs.
    best : Candidate
        The chosen one.
    bound : Bound
        Its bound in full.
    labels : ndarray
        Its cluster of each point.
    predictions : ndarray
        The label that each point gets from its cluster.
    seconds : mapping
        How long the fits of each algorithm took. It is in none of the displays, which are the
        same whenever they are made.
    noise_as_cluster : mapping, optional
        The most points that a clustering of each algorithm labels -1, where no policy said what
        that means and some are.
    predictors : mapping, optional
        The ways to predict by name: "pac_mdl" (the chosen clustering), "held_out" (the clustering
        that errs least on one part of the labelled points, bounded by the other part) and
        "baseline" (a classifier, bounded in the same way).
    picture : ClusteredPoints, optional
        The points in two dimensions, and the profiles of the clusters of the chosen clustering.

    Examples
    --------
    >>> import clustervet as cv
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> y = ["a", "a", "a", None, "b", "b", "b", None]
    >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2, 3], runs=1)
    >>> found.best.clusters, found.predictions.tolist()
    (2, ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b'])
    """

    SCHEMA: ClassVar[str] = "clustervet/selection/1"

    study: SelectionStudy
    table: tuple[Candidate, ...]
    best: Candidate
    bound: Bound
    labels: NDArray[Any]
    predictions: NDArray[Any]
    seconds: Mapping[str, float]
    noise_as_cluster: Mapping[str, int] = field(default_factory=dict)
    predictors: Mapping[str, Predictor] = field(default_factory=dict)
    picture: ClusteredPoints | None = None

    @property
    def trusted(self) -> str:
        """The predictor with the smallest joint bound; of equal ones the first."""
        held = self.predictors
        return min(held, key=lambda name: held[name].joint_max_errors, default=PAC_MDL)

    @property
    def advice(self) -> str:
        """Which predictor to trust, in a sentence; empty if there is one only."""
        if len(self.predictors) < 2:
            return ""
        one, many = self.predictors[self.trusted], len(self.predictors)
        return (
            f"Of {many} ways to predict, trust {self.trusted} ({one.method}): at most "
            f"{one.joint_max_errors:,} of {self.study.test_size:,} wrong ({one.joint_rate:.2%}). "
            f"With probability at least {1 - self.study.delta:.10g}, the joint bounds of all "
            f"{many} hold at once."
        )

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
        """Return candidates under the label code of the language, with these choices paid."""
        own = self.study.language
        made = tuple(choice for choice in self.study.choices() if choice in paid)
        language = own if own.choices is None else replace(own, choices=made)
        rated = (self.study.rated(candidate, language, made) for candidate in self.table)
        return [candidate for candidate in rated if candidate is not None]

    def languages(self) -> dict[str, float]:
        """Return the bound as a rate under each language.

        Returns
        -------
        dict
            Rates by the key of the language, without those that cannot describe the candidates.

        Notes
        -----
        As in fig. 6 of Banerjee & Langford 2004, a language's bound is the best over the choices
        that it pays for and the average over those that it does not pay for: the best would not
        be a bound.

        Examples
        --------
        >>> import numpy as np
        >>> import clustervet as cv
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(c, 1, (100, 2)) for c in ((0, 0), (9, 0))])
        >>> y = np.repeat(["ham", "spam"], 100)
        >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2, 3], runs=1)
        >>> rates = found.languages()
        >>> {key: round(rates[key], 3) for key in ("simple", "cluster", "adaptive")}
        {'simple': 0.055, 'cluster': 0.06, 'adaptive': 0.07}
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
        study, best = self.study, self.best
        run = f" (run {best.run})" if study.runs > 1 else ""
        return (
            f"With probability at least {1 - study.delta:.10g}, {show_label(best.algorithm)} with "
            f"{counted(best.clusters, 'cluster')}{run} predicts at most {best.max_errors:,} of "
            f"{study.test_size:,} unlabelled points wrongly ({best.rate:.2%})."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the selection as plain data, without labels and times.

        Returns
        -------
        dict
            Numbers, texts, lists and dicts, as JSON holds them.
        """
        study = self.study
        return {
            "schema": self.SCHEMA,
            **{name: plain(getattr(study, name)) for name in KEYS},
            "language": study.language.key,
            "delta": study.delta,
            **({"standardized": True} if study.standardized else {}),
            "weighting": study.weighting,
            "neighbours": study.neighbours,
            "random_state": study.seed,
            "remarks": list(study.remarks),
            "best": self.best.to_dict(),
            "bound": self.bound.to_dict(),
            "by_algorithm": plain(list(self.by_algorithm.values())),
            "curves": [
                {"algorithm": name, "clusters": list(curve), "rate": plain(list(curve.values()))}
                for name, curve in self.curves.items()
            ],
            "languages": self.languages(),
            "candidates": plain(self.table),
            "predictors": {name: one.to_dict() for name, one in self.predictors.items()},
            "trusted": self.trusted,
            "verdict": self.verdict,
            "advice": self.advice,
            **({"noise_as_cluster": noise} if (noise := dict(self.noise_as_cluster)) else {}),
            **({"scale_ratio": study.scale_ratio} if study.scale_ratio else {}),
        }

    def cautions(self) -> list[str]:
        """Return what a reader of the candidates alone must know.

        Returns
        -------
        list of str
            That noise counts as a cluster, or that features differ in scale.
        """
        total, noise = self.study.points, self.noise_as_cluster
        held = {name: (count, total) for name, count in noise.items()}
        said = noise_note(held, most=True, droppable=False), scale_note(self.study.scale_ratio)
        return [line for line in said if line]

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per candidate.

        Returns
        -------
        dict
            Algorithm, clusters, run, seed, errors, bits and bound of each, and why it failed.
        """
        return {name: [getattr(one, name) for one in self.table] for name in COLUMNS}

    def predictions_columns(
        self, names: Sequence[str] | None = None, by: str = PAC_MDL
    ) -> dict[str, Sequence[Any]]:
        """Return the cluster and the predicted label of each point.

        Parameters
        ----------
        names : sequence of str, optional
            The names of the points, such as the files of documents.
        by : {"pac_mdl", "held_out", "baseline", "trusted"}, optional
            The predictor that the labels come from. Clusters are those of the chosen clustering,
            and are left out for other predictors.

        Returns
        -------
        dict
            The columns "document" (where there are names), "cluster" and "label".

        Raises
        ------
        ParameterError
            If there is no such predictor.

        Examples
        --------
        >>> import clustervet as cv
        >>> X, y = [[0.0], [0.1], [9.0], [9.1]], ["a", None, "b", "b"]
        >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2], runs=1)
        >>> columns = found.predictions_columns(["1.txt", "2.txt", "3.txt", "4.txt"])
        >>> columns["document"], columns["label"]
        (['1.txt', '2.txt', '3.txt', '4.txt'], ['a', 'a', 'b', 'b'])
        """
        columns: dict[str, Sequence[Any]] = {} if names is None else {"document": names}
        one_of(by, "by", (*PREDICTORS, "trusted"))
        name = self.trusted if by == "trusted" else by
        if name == PAC_MDL:
            return columns | {"cluster": self.labels.tolist(), "label": self.predictions.tolist()}
        if name not in self.predictors:
            held = " and ".join(self.predictors)
            raise ParameterError(f"this selection has no predictor {name!r}, but {held}.")
        return columns | {"label": self.predictors[name].predictions.tolist()}

    def document(self) -> Section:
        """Return the best of each algorithm, and every candidate for pages.

        Returns
        -------
        Section
            The verdict, what was tried, the tables, and what else there is to know.
        """
        heads = (
            Column("algorithm", "text"),
            Column("clusters"),
            Column("run"),
            Column("train errors", hint="Labelled points that are predicted wrongly"),
            Column("bits", hint="Length of the description"),
            Column("bound", scale=(0, 1), hint="Unlabelled points that may be predicted wrongly"),
            Column("test errors", scale=(0, 1), hint="Those that are, where the truth is known"),
        )
        best = Table(
            "selection-best",
            "The best of each algorithm",
            heads,
            tuple(self._row(candidate) for candidate in self.by_algorithm.values()),
        )
        ways = (self._ways(),) if self.advice else ()
        every = plain_table("selection-all", "Every candidate", self.columns(), detail=True)
        return Section(
            "selection",
            "The choice and its bound",
            (self.verdict, *((self.advice,) if self.advice else ()), self._caption()),
            (best, *ways, every),
            notes=tuple(self._notes()),
            lead=(self.verdict, *((self.advice,) if self.advice else ())),
            subject=self,
            before=() if self.picture is None else (self.picture.section("points", "p0"),),
        )

    def _ways(self) -> Table:
        """Return the ways to predict with their bounds."""
        heads = (
            Column("predictor", "text"),
            Column("method", "text"),
            Column("learns from", hint="Labelled points that it learns from"),
            Column("checked on", hint="Labelled points that its bound is computed from"),
            Column("errors", hint="Those of them that are predicted wrongly"),
            Column("bound", scale=(0, 1), hint="Holds alone with probability 1 - delta"),
            Column("joint bound", scale=(0, 1), hint="All hold at once with probability 1 - delta"),
            Column("test errors", scale=(0, 1), hint="Those that are, where the truth is known"),
        )
        rows = []
        for name, one in self.predictors.items():
            chosen = name == self.trusted
            cells = (
                replace(Cell(name), best=chosen),
                Cell(one.method),
                number_cell(one.learn_size),
                number_cell(one.check_size),
                number_cell(one.check_errors),
                _share(one.max_errors, one.rate),
                replace(_share(one.joint_max_errors, one.joint_rate), best=chosen),
                _share(one.test_errors, one.test_rate),
            )
            rows.append(Row(cells))
        return Table("selection-predictors", "Ways to predict", heads, tuple(rows))

    def _row(self, candidate: Candidate) -> Row:
        name = name_cell("algorithm", candidate.algorithm)
        chosen = candidate.algorithm == self.best.algorithm
        bits = math.inf if candidate.bits is None else candidate.bits
        cells = (
            replace(name, best=chosen),
            number_cell(candidate.clusters),
            number_cell(candidate.run),
            number_cell(candidate.train_errors),
            number_cell(bits, text=f"{bits:.2f}"),
            replace(_share(candidate.max_errors, candidate.rate), best=chosen),
            _share(candidate.test_errors, candidate.test_rate),
        )
        return Row(cells, name.link)

    def _caption(self) -> str:
        """Return what it was chosen from."""
        study = self.study
        span = study.clusters
        steps = counted(span[0], "cluster")
        if len(span) > 1:
            whole = len(span) == span[-1] - span[0] + 1
            every = "" if whole else f"{len(span)} numbers from "
            steps = f"{every}{span[0]} to {span[-1]} clusters"
        read = ["standardized"] if study.standardized else []
        if study.weighting != "none":
            smoothed = f" smoothed by {study.neighbours} neighbours" if study.neighbours else ""
            read.append({"tfidf": "tf-idf"}.get(study.weighting, study.weighting) + smoothed)
        parts = [
            f"{counted(len(study.algorithms), 'algorithm')}, {steps}, {counted(study.runs, 'run')}",
            f"{study.train_size:,} of {study.points:,} points labelled, {study.labels} labels",
            f"language {study.language.key}, delta {study.delta:g}",
        ]
        return "; ".join([*parts, *read])

    def _notes(self) -> list[str]:
        """Return what the table does not say: its language, the constant answer, failures."""
        bound, lines = self.bound, []
        if len(self.study.algorithms) > 1:
            lines.append(
                "In the table of algorithms, no bound pays for having chosen between them."
            )
        label, constant = show_label(bound.constant.label), bound.constant
        than = "" if bound.beats_constant else ", which is no worse"
        lines.append(
            f"Always answering {label!r} is wrong at most {constant.max_errors:,} times "
            f"({constant.rate:.2%}){than}."
        )
        if bound.test_errors is not None:
            lines.append(
                f"In truth {bound.test_errors:,} of {bound.test_known:,} predictions are wrong "
                f"({bound.test_rate:.2%})."
            )
        failed = self.failed
        lines += [
            *self.study.remarks,
            *(
                f"Failed: {show_label(one.algorithm)}, {one.clusters} clusters, run {one.run}: "
                f"{show_label(one.error, 200)}"
                for one in failed[:TOLD]
            ),
        ]
        if len(failed) > TOLD:
            lines.append(f"Failed: {len(failed) - TOLD:,} more of {len(self.table):,} fits")
        return [*lines, *self.cautions()]


def _share(errors: int | None, rate: float | None) -> Cell:
    if errors is None or rate is None:
        return Cell("unknown")
    return number_cell(rate, text=f"{errors:,} ({rate:.2%})")


def _least(held: float, rate: float | None) -> float:
    found = math.nan if rate is None else rate
    return found if math.isnan(held) else min(held, found)
