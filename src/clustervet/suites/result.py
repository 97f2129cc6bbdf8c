"""`Benchmark`: scores of algorithms on data sets, their ranks, and which of them differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.suites.ranking import PairOfAlgorithms, RankedScores
from clustervet.view import Cell, Column, Result, Row, Section, Table, plain
from clustervet.view.cells import best_places, name_cell, number_cell, plain_table
from clustervet.view.words import counted, listed, noise_note, number, p_text, spoken

# Failures and differences that are described in words.
TOLD = 4
# With fewer sets no exact signed-rank test reaches 5%, whatever the probabilities say.
FEWEST = 6
CITED = ("Meilă 2007", "Demšar 2006", "Benavoli et al. 2014")
TESTS = {"nemenyi": "Nemenyi's test", "wilcoxon": "signed-rank tests"}


@dataclass(frozen=True, slots=True)
class BenchmarkSet:
    """A data set of a benchmark: its size, and how many classes each of its truths has.

    `noise` is the number of objects that the truth calls noise, which no score counts.
    """

    name: str
    points: int
    features: int | None
    classes: tuple[int, ...]
    noise: int = 0


@dataclass(frozen=True, slots=True)
class BenchmarkScore:
    """What an algorithm reached on a data set.

    `values` has one score per run and `mean` their mean, with the ends `low` and `high` of its
    interval over runs. `clusters` is the number of clusters where it was chosen from several.
    `failed` counts runs without a score, of which `error` gives the first reason.
    """

    set: str
    algorithm: str
    clusters: int | None
    values: tuple[float, ...]
    mean: float
    low: float | None
    high: float | None
    failed: int = 0
    error: str | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Benchmark(Result):
    """Scores of algorithms over runs and data sets, and their ranks.

    Parameters
    ----------
    measure : Measure
        What clusterings are scored by.
    sets : tuple of BenchmarkSet
        The data sets.
    algorithms : tuple of str
        The algorithms.
    scores : tuple of BenchmarkScore
        One per data set and algorithm, in their order.
    runs : int
        Runs of each algorithm that has a seed.
    clusters : str
        What number of clusters algorithms were asked for.
    truths : {"best", "mean"}
        How the scores by several truths of a set become one.
    posthoc : {"nemenyi", "wilcoxon"}
        The test of pairs of algorithms; two algorithms alone are compared by signed ranks.
    alpha : float
        Largest probability of finding any difference where there is none.
    rope : float
        Differences of scores up to which two algorithms are equal in practice.
    confidence : float
        Level of the intervals over runs.
    seed : int
        What runs and draws depend on.
    remarks : tuple of str, optional
        What else there is to know.
    noise_as_cluster : mapping, optional
        The most objects that a clustering of each algorithm labels -1, where no policy said what
        that means, and the objects of that set.
    seconds : mapping, optional
        How long the fits of each algorithm took. It is in none of the displays, which are the
        same whenever they are made.

    Examples
    --------
    >>> import clustervet as cv
    >>> X, y = [[0.0], [0.1], [9.0], [9.1]], [0, 0, 1, 1]
    >>> found = cv.benchmark({"far": (X, y), "near": (X, [0, 1, 0, 1])}, ["kmeans", "ward"])
    >>> found.ranks
    {'kmeans': 1.5, 'ward': 1.5}
    """

    SCHEMA: ClassVar[str] = "clustervet/benchmark/1"

    measure: Measure
    sets: tuple[BenchmarkSet, ...]
    algorithms: tuple[str, ...]
    scores: tuple[BenchmarkScore, ...]
    runs: int
    clusters: str
    truths: str
    posthoc: str
    alpha: float
    rope: float
    confidence: float
    seed: int
    remarks: tuple[str, ...] = ()
    noise_as_cluster: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def means(self) -> Any:
        """Mean scores as an array, one row per data set and one column per algorithm."""
        means = [score.mean for score in self.scores]
        return np.array(means, float).reshape(len(self.sets), len(self.algorithms))

    @cached_property
    def ranked(self) -> RankedScores:
        """The ranks, over the sets that every ranked algorithm has a score for.

        An algorithm without any score is not ranked.
        """
        means = self.means
        columns = np.flatnonzero(~np.isnan(means).all(axis=0))
        rows = np.flatnonzero(~np.isnan(means[:, columns]).any(axis=1))
        sign = -1.0 if self.measure.better == "lower" else 1.0
        return RankedScores(
            names=tuple(self.algorithms[k] for k in columns),
            scores=sign * means[np.ix_(rows, columns)],
            posthoc=self.posthoc,
            alpha=self.alpha,
            rope=self.rope,
            seed=self.seed,
        )

    @property
    def ranked_sets(self) -> int:
        """The number of data sets that ranks are computed over."""
        return len(self.ranked.scores)

    @property
    def ranks(self) -> dict[str, float]:
        """Mean rank of each algorithm over the data sets, 1 for the best, from the best on."""
        if not self.ranked_sets:
            return {}
        pairs = zip(self.ranked.names, self.ranked.mean_ranks.tolist(), strict=True)
        return dict(sorted(pairs, key=lambda pair: pair[1]))

    @property
    def pairs(self) -> tuple[PairOfAlgorithms, ...]:
        """Every pair of ranked algorithms: wins, ties, losses, p-value and probabilities."""
        return self.ranked.pairs if self.ranked_sets else ()

    def score(self, set: str, algorithm: str) -> BenchmarkScore:
        """Return what an algorithm reached on a data set.

        Parameters
        ----------
        set : str
            The name of the data set.
        algorithm : str
            The name of the algorithm.

        Returns
        -------
        BenchmarkScore
            Its scores over the runs.

        Raises
        ------
        KeyError
            If there is no such data set or algorithm.

        Examples
        --------
        >>> import clustervet as cv
        >>> X, y = [[0.0], [0.1], [9.0], [9.1]], [0, 0, 1, 1]
        >>> cv.benchmark({"far": (X, y)}, ["kmeans"], runs=2).score("far", "kmeans").values
        (0.0, 0.0)
        """
        for one in self.scores:
            if (one.set, one.algorithm) == (set, algorithm):
                return one
        raise KeyError(f"no score of {show_label(algorithm)!r} on {show_label(set)!r}")

    @property
    def verdict(self) -> str:
        """Which algorithm is best, and whether that is more than chance, in sentences."""
        return " ".join(self.facts())

    def facts(self) -> tuple[str, ...]:
        """Return what the ranks say.

        Returns
        -------
        tuple of str
            Which algorithm has the best mean rank, and what the tests say.

        Examples
        --------
        >>> import clustervet as cv
        >>> X, y = [[0.0], [0.1], [9.0], [9.1]], [0, 0, 1, 1]
        >>> cv.benchmark({"far": (X, y)}, ["kmeans"]).facts()
        ('kmeans is the only algorithm with scores; there is nothing to rank.',)
        """
        ranks, sets = self.ranks, self.ranked_sets
        if not ranks:
            return ("No data set has a score of every algorithm, so there are no ranks.",)
        best, rank = next(iter(ranks.items()))
        shown = show_label(best)
        if len(ranks) == 1:
            return (f"{shown} is the only algorithm with scores; there is nothing to rank.",)
        tied = [name for name, other in ranks.items() if math.isclose(other, rank)]
        if len(tied) > 1:
            shown = listed([show_label(name) for name in tied], TOLD)
        have = "have" if len(tied) > 1 else "has"
        first = (
            f"{shown} {have} the best mean rank: {number(rank)} of {len(ranks)} over "
            f"{counted(sets, 'data set')}."
        )
        return first, self._tested()

    def _tested(self) -> str:
        """Return what the tests say."""
        ranked, sets = self.ranked, self.ranked_sets
        if sets < 2:
            return "One data set cannot tell chance from a difference between algorithms."
        level = f"{self.alpha:.3g}"
        overall = ""
        if ranked.friedman is not None:
            p_value = ranked.friedman[1]
            overall = f"Friedman's test: p = {p_text(p_value)}. "
            if p_value > self.alpha:
                return f"{overall}At the level {level} no difference between algorithms is shown."
        order = list(self.ranks)
        place = {name: k for k, name in enumerate(ranked.names)}
        better = [
            f"{show_label(a)} is better than {show_label(b)}"
            for k, a in enumerate(order)
            for b in order[k + 1 :]
            if ranked.differ(place[a], place[b])
        ]
        said = f"By {TESTS[ranked.test]} at the level {level}"
        if not better:
            return f"{overall}{said} no two algorithms differ."
        return f"{overall}{said} {listed(better, TOLD)}."

    def to_dict(self) -> dict[str, Any]:
        """Return the benchmark as plain data, without times.

        Returns
        -------
        dict
            Numbers, texts, lists and dicts, as JSON holds them.
        """
        ranked = self.ranked
        friedman = ranked.friedman if self.ranked_sets else None
        return {
            "schema": self.SCHEMA,
            "measure": self.measure.key,
            "runs": self.runs,
            "clusters": self.clusters,
            "truths": self.truths,
            "random_state": self.seed,
            "sets": plain(self.sets),
            "algorithms": list(self.algorithms),
            "scores": plain(self.scores),
            "ranks": self.ranks,
            "ranked_sets": self.ranked_sets,
            "friedman": friedman and {"statistic": friedman[0], "p_value": friedman[1]},
            "posthoc": ranked.test,
            "alpha": self.alpha,
            "critical_difference": ranked.critical_difference if self.ranked_sets else None,
            "groups": plain(ranked.groups) if self.ranked_sets else [],
            "rope": self.rope,
            "pairs": plain(self.pairs),
            "confidence": self.confidence,
            "verdict": self.verdict,
            "remarks": list(self.remarks),
            **({"noise_as_cluster": plain(held)} if (held := dict(self.noise_as_cluster)) else {}),
        }

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per data set and algorithm.

        Returns
        -------
        dict
            Names, number of runs and of those that failed, mean score with its interval, the best
            and the worst run, and the rank on the set.
        """
        means = self.means
        signed = means if self.measure.better == "lower" else -means
        ranks = np.full(means.shape, math.nan)
        from scipy.stats import rankdata

        for k, row in enumerate(signed):
            held = ~np.isnan(row)
            ranks[k, held] = rankdata(np.round(row[held], 12))
        ends = (min, max) if self.measure.better == "lower" else (max, min)
        best, worst = ([f(one.values, default=None) for one in self.scores] for f in ends)
        return {
            "set": [one.set for one in self.scores],
            "algorithm": [one.algorithm for one in self.scores],
            "clusters": [one.clusters for one in self.scores],
            "runs": [len(one.values) for one in self.scores],
            "failed": [one.failed for one in self.scores],
            "mean": [_known(one.mean) for one in self.scores],
            "low": [one.low for one in self.scores],
            "high": [one.high for one in self.scores],
            "best": best,
            "worst": worst,
            "rank": [_known(float(rank)) for rank in ranks.ravel()],
            "error": [one.error for one in self.scores],
        }

    def cautions(self) -> list[str]:
        """Return what a reader of the numbers alone must know.

        Returns
        -------
        list of str
            That noise counts as a cluster.
        """
        said = noise_note(dict(self.noise_as_cluster), most=True, droppable=False)
        return [said] if said else []

    def document(self) -> Section:
        """Return ranks, pairs of algorithms and all scores.

        Returns
        -------
        Section
            The verdict, what was run, the tables, and what else there is to know.
        """
        tables = [self._ranking(), self._pairs(), self._grid()]
        every = plain_table("benchmark-all", "Every score", self.columns(), detail=True)
        return Section(
            "benchmark",
            "Algorithms over data sets",
            (self.verdict, self._caption()),
            (*(table for table in tables if table is not None), every),
            notes=tuple(self._notes()),
            lead=(self.verdict,),
            subject=self,
            measures=(self.measure,),
            citations=CITED,
        )

    def _ranking(self) -> Table | None:
        if not self.ranked_sets or len(self.ranks) < 2:
            return None
        heads = (
            Column("algorithm", "text"),
            Column("mean rank", hint="Over the data sets; 1 is the best"),
            Column("first", hint="Data sets on which no other algorithm is better"),
            Column("wins", hint="Comparisons with other algorithms, over all data sets"),
            Column("ties"),
            Column("losses"),
        )
        ranked = self.ranked
        firsts = (ranked.ranks == ranked.ranks.min(axis=1, keepdims=True)).sum(axis=0)
        totals = {name: [0, 0, 0] for name in ranked.names}
        for pair in self.pairs:
            counts = (pair.wins, pair.ties, pair.losses)
            for name, held in ((pair.first, counts), (pair.second, counts[::-1])):
                totals[name] = [a + b for a, b in zip(totals[name], held, strict=True)]
        rows = []
        for name, rank in self.ranks.items():
            first = int(firsts[ranked.names.index(name)])
            cells = [number_cell(rank), *map(number_cell, (first, *totals[name]))]
            link = name_cell("algorithm", name)
            rows.append(Row((link, *cells), link.link))
        return Table("benchmark-ranks", "Ranks", heads, tuple(rows))

    def _pairs(self) -> Table | None:
        if self.ranked_sets < 2 or len(self.ranks) < 2:
            return None
        equal = (Column("equal", hint="Probability that they are equal within the rope"),)
        heads = (
            Column("first", "text"),
            Column("second", "text"),
            Column("wins", hint="Data sets on which the first is better"),
            Column("ties"),
            Column("losses"),
            Column("p-value", hint=f"By {TESTS[self.ranked.test]}, for all pairs together"),
            Column(
                "first better", scale=(0, 1), hint="Probability, by a Bayesian signed-rank test"
            ),
            *(equal if self.rope else ()),
            Column("second better", scale=(0, 1)),
        )
        place = {name: k for k, name in enumerate(self.ranked.names)}
        rows = []
        for pair in self.pairs:
            p_value = math.nan if pair.p_value is None else pair.p_value
            apart = self.ranked.differ(place[pair.first], place[pair.second])
            first, middle, second = pair.probabilities or (math.nan,) * 3
            shares = (first, middle, second) if self.rope else (first, second)
            tested = number_cell(p_value, text=p_text(p_value))
            cells = (
                Cell(spoken(pair.first)),
                Cell(spoken(pair.second)),
                *map(number_cell, (pair.wins, pair.ties, pair.losses)),
                Cell(tested.text, value=tested.value, best=apart),
                *(number_cell(share, text=f"{share:.3f}") for share in shares),
            )
            rows.append(Row(cells))
        return Table("benchmark-pairs", "Pairs of algorithms", heads, tuple(rows))

    def _grid(self) -> Table:
        """Return mean scores with their intervals, one row per data set."""
        heads = (
            Column("set", "text"),
            Column("points"),
            *(Column(spoken(name)) for name in self.algorithms),
        )
        rows = []
        width = len(self.algorithms)
        for k, one in enumerate(self.sets):
            held = self.scores[k * width : (k + 1) * width]
            best = best_places([score.mean for score in held], self.measure.better)
            cells = [_score_cell(score, place in best) for place, score in enumerate(held)]
            rows.append(Row((Cell(spoken(one.name)), number_cell(one.points), *cells)))
        title = f"{self.measure.title}: mean over runs"
        return Table("benchmark-sets", title, heads, tuple(rows))

    def _caption(self) -> str:
        """Return what was run, in a line."""
        several = any(len(one.classes) > 1 for one in self.sets)
        parts = [
            f"{counted(len(self.sets), 'data set')}, {counted(len(self.algorithms), 'algorithm')}, "
            f"{counted(self.runs, 'run')}",
            f"scored by the truth: {self.measure.title} ({self.measure.better} is better)",
            *([f"{self.truths} of several truths"] if several else []),
            f"number of clusters: {self.clusters}",
        ]
        return "; ".join(parts)

    def _notes(self) -> list[str]:
        """Return what the tables do not say."""
        lines = []
        if any(None is not one.low != one.high for one in self.scores):
            lines.append(
                f"Brackets hold {self.confidence:.3g} intervals of the mean over runs, by "
                "Student's t; runs that all agree have none."
            )
        critical = self.ranked.critical_difference if self.ranked_sets else None
        if critical is not None:
            lines.append(
                f"Mean ranks that differ by {number(critical)} or more differ by Nemenyi's test."
            )
        if 1 < self.ranked_sets < FEWEST and len(self.ranks) > 1:
            lines.append(
                f"With fewer than {FEWEST} data sets, the probabilities of pairs describe these "
                "sets only."
            )
        left_out = len(self.sets) - self.ranked_sets
        if left_out and len(self.algorithms) > 1:
            lines.append(
                f"Ranks leave out {counted(left_out, 'data set')} that some algorithm has no score "
                "for."
            )
        missing = [name for name in self.algorithms if name not in self.ranked.names]
        if missing:
            lines.append(f"Without any score: {listed([show_label(m) for m in missing], TOLD)}.")
        failed = [one for one in self.scores if one.failed]
        lines += [
            f"Failed: {show_label(one.algorithm)} on {show_label(one.set)} "
            f"({counted(one.failed, 'run')}): {show_label(one.error, 200)}"
            for one in failed[:TOLD]
        ]
        if len(failed) > TOLD:
            lines.append(f"Failed: runs of {len(failed) - TOLD:,} more scores.")
        return [*lines, *self.remarks, *self.cautions()]


def _score_cell(score: BenchmarkScore, best: bool) -> Cell:
    if math.isnan(score.mean):
        return Cell("failed" if score.error else "undefined", hint=score.error or "")
    text = number(score.mean)
    if score.low is not None and score.high is not None and score.low < score.high:
        text = f"{text} [{number(score.low)}, {number(score.high)}]"
    held = number_cell(score.mean, text=text)
    return Cell(held.text, value=held.value, best=best)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
