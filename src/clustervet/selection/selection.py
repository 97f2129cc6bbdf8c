"""`Selection`: the clustering with the lowest bound, and all candidates it was chosen from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.errors import ParameterError
from clustervet.geometry.picture import ClusteredPoints
from clustervet.labels import show_label
from clustervet.pacmdl import Bound
from clustervet.selection.candidates import BOUND, Candidate
from clustervet.selection.predictors import PAC_MDL, PREDICTORS, Predictor
from clustervet.selection.standings import Standings
from clustervet.view import Cell, Column, Result, Row, Section, Table, plain
from clustervet.view.cells import name_cell, number_cell, plain_table
from clustervet.view.words import counted, noise_note, scale_note, spoken

# The facts of a study that come first in its JSON.
KEYS = ("points", "features", "train_size", "test_size", "labels", "algorithms", "clusters", "runs")
# Failed fits that are described in words.
TOLD = 3


@dataclass(frozen=True, repr=False, eq=False)
class Selection(Standings, Result):
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
        study, facts = self.study, self.study.facts()
        return {
            "schema": self.SCHEMA,
            **{name: plain(getattr(study, name)) for name in KEYS},
            "language": study.language.key,
            "delta": study.delta,
            **({"standardized": True} if study.standardized else {}),
            **({"run_choice": study.run_choice} if study.run_choice != BOUND else {}),
            "weighting": study.weighting,
            "neighbours": study.neighbours,
            "random_state": study.seed,
            "remarks": list(study.remarks),
            "best": self.best.to_dict(facts),
            "bound": self.bound.to_dict(),
            "by_algorithm": [one.to_dict(facts) for one in self.by_algorithm.values()],
            "curves": [
                {"algorithm": name, "clusters": list(curve), "rate": plain(list(curve.values()))}
                for name, curve in self.curves.items()
            ],
            "languages": self.languages(),
            "candidates": [one.to_dict(facts) for one in self.table],
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
            Algorithm, clusters, run, seed, errors, bits and bound of each, and why it failed. With
            several representations that of each, and if runs are chosen by what their algorithms
            optimize, its value and whether the run competes.
        """
        return {name: [getattr(one, name) for one in self.table] for name in self.study.facts()}

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
        check_predictor(by)
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
            facts=(
                ("points", f"{self.study.points:,}"),
                ("labelled", f"{self.study.train_size:,}"),
                ("labels", f"{self.study.labels:,}"),
                ("algorithms", f"{len(self.study.algorithms):,}"),
                ("clusterings tried", f"{len(self.table):,}"),
            ),
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
                errors_cell(one.max_errors, one.rate),
                errors_cell(one.joint_max_errors, one.joint_rate, best=chosen),
                errors_cell(one.test_errors, one.test_rate),
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
            errors_cell(candidate.max_errors, candidate.rate, best=chosen),
            errors_cell(candidate.test_errors, candidate.test_rate),
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
        runs = counted(study.runs, "run")
        if study.run_choice != BOUND and study.runs > 1:
            runs += ", of which the algorithm's own objective chooses"
        tried = counted(len(study.algorithms), "algorithm")
        if kinds := [spoken(kind) for kind in dict.fromkeys(study.representations)]:
            tried = f"{len(study.algorithms)} pairs of algorithm and representation"
            tried += f" ({', '.join(kinds)})"
        parts = [
            f"{tried}, {steps}, {runs}",
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


def check_predictor(by: Any, name: str = "by") -> None:
    """Refuse what is the name of no predictor."""
    one_of(by, name, (*PREDICTORS, "trusted"))


def errors_cell(errors: int | None, rate: float | None, *, best: bool = False) -> Cell:
    """Return a number of errors with their share."""
    if errors is None or rate is None:
        return Cell("unknown")
    return replace(number_cell(rate, text=f"{errors:,} ({rate:.2%})"), best=best)
