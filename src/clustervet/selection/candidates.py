"""What a fit is worth: its clusters as predictors of labels, and the bound on their errors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number, is_whole
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.fitting.fits import Fit, seeds_of, stream_of
from clustervet.labels import (
    Codes,
    check_index,
    noise_count,
    plain_label,
    read_labels,
    show_label,
)
from clustervet.labels.codes import Mask
from clustervet.pacmdl import Bound, Description, Language, bmax, pac_mdl_bound
from clustervet.pacmdl.coding import CHOICES
from clustervet.pacmdl.transduction import Transduction, read_sample, transduce
from clustervet.selection.predictors import Answer, Halves
from clustervet.view.data import plain
from clustervet.view.words import class_note, counted

Labels = NDArray[Any]
NOISE = -1
NOISES = ("keep", "singletons")
# What the run of an algorithm is chosen by: the bound, which pays for that, or what the algorithm
# itself optimizes, which needs no labels and no bits (Banerjee & Langford 2004, footnote 2).
BOUND, OBJECTIVE = "bound", "objective"
RUN_CHOICES = (BOUND, OBJECTIVE)
OWN = "The bound holds if the labelled points, which were given, are a random sample of all points."


@dataclass(frozen=True)
class Split:
    """Labels of all points, and the mask of those that a selection may look at."""

    truth: Codes
    labelled: Mask
    remarks: tuple[str, ...] = ()


def read_split(
    y: Any,
    labelled: Any,
    train: Any,
    points: int,
    seed: int,
    X: Any = None,  # noqa: N803  # the name that everyone gives to features
) -> Split:
    """Return the labelled points: as given, or where y is not missing, or drawn by the seed.

    A drawn sample is not stratified: the bound's proof needs every sample of that size to be
    equally likely (Banerjee & Langford 2004, theorem 1).
    """
    truth = read_labels(y, "y")
    check_index({"X": X, "y": y, "labelled": labelled})
    if len(truth) != points:
        raise LabelError(
            f"y must have one label per point; X has {points:,} points and y has {len(truth):,} "
            "labels."
        )
    size = _train_size(train, points)
    remarks = [OWN]
    if labelled is None:
        if truth.missing is not None and truth.missing.any():
            labelled = ~truth.missing
        else:
            labelled, remarks = _drawn(size, points, seed), []
    alike = np.zeros(points, np.int8)
    sample = read_sample(truth, alike, labelled, noise=None, noise_policy=None, missing="raise")
    if len(truth.values) and _has_minus_one(truth):
        remarks.append(class_note(noise_count(truth)))
    return Split(truth, sample.labelled, tuple(remarks))


def _has_minus_one(truth: Codes) -> bool:
    """Whether -1 stands beside two or more other numbers, as scikit-learn marks what is unknown."""
    kinds = np.unique(truth.values if truth.missing is None else truth.values[~truth.missing])
    if len(kinds) < 3:
        return False
    names = [plain_label(name) for name in truth.restore(kinds)]
    numbers = [name for name in names if isinstance(name, int) and not isinstance(name, bool)]
    return len(numbers) == len(names) and min(numbers) == -1


def check_train(train: Any) -> None:
    """Refuse what is neither a share of the points nor a number of them."""
    if not is_number(train) or not (train >= 1 if is_whole(train) else 0 < train < 1):
        raise ParameterError(
            "train must be a share of the points between 0 and 1, or a whole number of them, not "
            f"{train!r}."
        )


def _train_size(train: Any, points: int) -> int:
    check_train(train)
    return int(train) if is_whole(train) else min(max(round(train * points), 1), points - 1)


def _drawn(size: int, points: int, seed: int) -> Mask:
    if size >= points:
        raise ParameterError(
            f"train={size} of {points:,} points leaves nothing to predict; at most "
            f"{points - 1:,} can be labelled."
        )
    rng = np.random.default_rng(stream_of(seed, "split"))
    mask = np.zeros(points, bool)
    mask[rng.permutation(points)[:size]] = True
    return mask


@dataclass(frozen=True, slots=True)
class Candidate:
    """One fit of a selection, and the bound on its errors.

    `clusters` were asked for and `found` came out. `rate` is the bound `max_errors` as a share
    of the unlabelled points; `test_errors` and `test_rate` are the true ones, where they are
    known. All of these are None for a fit that failed, whose reason is `error`.

    `objective` is the value of what the algorithm optimizes, greater is better, where it tells it.
    A candidate that does not compete is a run that its own algorithm rates below another one, if
    runs are chosen by that. `representation` names the features that were clustered, if there are
    several kinds.
    """

    algorithm: str
    clusters: int
    run: int
    seed: int
    found: int | None = None
    train_errors: int | None = None
    bits: float | None = None
    max_errors: int | None = None
    rate: float | None = None
    test_errors: int | None = None
    test_rate: float | None = None
    error: str | None = None
    objective: float | None = field(default=None, repr=False)
    competes: bool = field(default=True, repr=False)
    representation: str = field(default="", repr=False)
    assignment: tuple[int, ...] = field(default=(), repr=False)

    def to_dict(self, facts: Collection[str] | None = None) -> dict[str, Any]:
        """Return facts of the candidate as plain data; by default those that every one has."""
        return {name: plain(getattr(self, name)) for name in (FACTS if facts is None else facts)}


# The facts of every candidate. Where runs or representations are chosen there are more.
FACTS = [
    one.name
    for one in fields(Candidate)
    if one.name not in ("assignment", "objective", "competes", "representation")
]


@dataclass(frozen=True)
class SelectionStudy:
    """What was tried, on what data, and which choices the bound pays for."""

    points: int
    features: int
    train_size: int
    test_size: int
    labels: int
    algorithms: tuple[str, ...]
    clusters: tuple[int, ...]
    runs: int
    delta: float
    language: Language
    weighting: str
    neighbours: int
    seed: int
    remarks: tuple[str, ...] = ()
    standardized: bool = False
    # Widest range of a feature by the narrowest, where they differ by orders of magnitude.
    scale_ratio: float = 0.0
    run_choice: str = BOUND
    # The representation that each of the algorithms reads, if there are several.
    representations: tuple[str, ...] = ()

    def choices(self) -> tuple[str, ...]:
        """Return the choices that are made by the labels."""
        runs = self.runs if self.run_choice == BOUND else 1
        made = {"runs": runs, "number": len(self.clusters), "algorithms": len(self.algorithms)}
        return tuple(choice for choice in CHOICES if made[choice] > 1)

    def facts(self) -> list[str]:
        """Return the facts of a candidate that are columns of a table."""
        more = ["representation"] if self.representations else []
        return [*FACTS, *more, *(["objective", "competes"] if self.run_choice != BOUND else [])]

    def representation(self, algorithm: str) -> str:
        """Return the representation that an algorithm reads; empty if there is one only."""
        if not self.representations:
            return ""
        return self.representations[self.algorithms.index(algorithm)]

    def own_name(self, algorithm: str) -> str:
        """Return the name of an algorithm without that of the representation that it reads."""
        read = self.representation(algorithm)
        return algorithm.removesuffix(f" ({read})") if read else algorithm

    def bits(
        self, clusters: int, assignment: tuple[int, ...], language: Language, made: Collection[str]
    ) -> float:
        """Return the length of a description that pays for the choices `made`.

        If more clusters came out than were asked for, as noise makes them, their number is coded.
        """
        return language.bits(
            Description(
                clusters=len(assignment),
                labels=self.labels,
                assignment=assignment,
                number=max(clusters, len(assignment)),
                runs=self.runs if "runs" in made else 1,
                algorithms=len(self.algorithms) if "algorithms" in made else 1,
                searched="number" in made,
            )
        )

    def check(self) -> None:
        """Refuse a language that cannot describe what is tried, before anything is fitted."""
        for number in self.clusters:
            self.bits(number, (0,) * number, self.language, self.choices())

    def rated(
        self, candidate: Candidate, language: Language, made: Collection[str]
    ) -> Candidate | None:
        """Return a candidate with its bound; None where the language cannot describe it."""
        if candidate.error is not None or candidate.train_errors is None:
            return None
        try:
            bits = self.bits(candidate.clusters, candidate.assignment, language, made)
        except ParameterError:
            return None
        level = math.log2(self.delta) - bits
        most = bmax(self.train_size, self.test_size, candidate.train_errors, level)
        return replace(candidate, bits=bits, max_errors=most, rate=most / self.test_size)

    def rank(self, candidate: Candidate) -> tuple[float, int, int, int]:
        """Return the order of a candidate: by bound, then fewer clusters, algorithm and run."""
        place = self.algorithms.index(candidate.algorithm)
        bound = math.inf if candidate.max_errors is None else candidate.max_errors
        return bound, candidate.clusters, place, candidate.run


@dataclass
class Contest:
    """From fits to candidates by the labelled points, with the labels of the best so far."""

    study: SelectionStudy
    split: Split
    names: Any
    noise: str | None
    candidates: dict[Any, Candidate] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    leader: tuple[Candidate, Fit] | None = None
    # The labelled points in two parts, and the best by the first: its rank, itself and its fit.
    halves: Halves | None = None
    learner: tuple[tuple[float, ...], Candidate, Fit] | None = None
    noise_as_cluster: dict[str, int] = field(default_factory=dict)
    # By algorithm and number of clusters the run that the algorithm itself rates best so far.
    kept: dict[tuple[str, int], tuple[Candidate, Fit]] = field(default_factory=dict)

    def add(self, fit: Fit) -> None:
        """Judge a fit; its labels are forgotten unless it leads, or may yet be its best run."""
        candidate = self._judged(fit)
        self.candidates[fit.key] = candidate
        self.seconds[candidate.algorithm] += fit.seconds
        if fit.labels is None:
            return
        if self.study.run_choice == BOUND:
            self._enter(candidate, fit)
        else:
            self._keep_better(candidate, fit)
        if self.noise is None:
            noisy, held = int((fit.labels == NOISE).sum()), self.noise_as_cluster
            if noisy:
                held[candidate.algorithm] = max(noisy, held.get(candidate.algorithm, 0))

    def _keep_better(self, candidate: Candidate, fit: Fit) -> None:
        """Keep the run that the algorithm itself rates best; of equal ones the first."""
        key = candidate.algorithm, candidate.clusters
        held = self.kept.get(key)
        if held is None:
            self.kept[key] = candidate, fit
            return
        if fit.objective is None or held[1].objective is None:
            raise ParameterError(
                Setting("run_choice", OBJECTIVE),
                f" needs the value that each run optimizes, and {show_label(candidate.algorithm)!r}"
                " does not tell it: a fitted clusterer has it as objective_, lower_bound_, "
                "inertia_ or cost_.",
            )
        if (-fit.objective, candidate.run) < (-held[1].objective, held[0].run):
            self.kept[key] = candidate, fit

    def settle(self) -> None:
        """Compare the runs that their algorithms rate best, once all fits are there."""
        if self.study.run_choice == BOUND:
            return
        for candidate, fit in self.kept.values():
            self._enter(candidate, fit)
        best = {fit.key for _, fit in self.kept.values()}
        for key, candidate in self.candidates.items():
            if candidate.error is None and key not in best:
                self.candidates[key] = replace(candidate, competes=False)
        self.kept.clear()

    def _enter(self, candidate: Candidate, fit: Fit) -> None:
        """Compare a candidate with the best so far."""
        rank = self.study.rank
        if self.leader is None or rank(candidate) < rank(self.leader[0]):
            self.leader = candidate, fit
        if self.halves:
            self._compare(candidate, fit, self.halves.learnt)

    def _compare(self, candidate: Candidate, fit: Fit, learnt: Mask) -> None:
        """Keep the fit that errs least on the points that are learnt from, each left out in turn.

        Nothing here looks at the points held out, so their bound need not pay for this choice.
        """
        errors = self._transduced(fit, learnt).left_out_errors
        rank = (errors, *self.study.rank(candidate)[1:])
        if self.learner is None or rank < self.learner[0]:
            self.learner = rank, candidate, fit

    def _judged(self, fit: Fit) -> Candidate:
        """Return what a fit is worth under the language of the study."""
        name, clusters, run = fit.key
        read = self.study.representation(name)
        plain = Candidate(
            name,
            clusters,
            run,
            fit.seed or 0,
            error=fit.error,
            objective=fit.objective,
            representation=read,
        )
        if fit.labels is None:
            return plain
        found = self._transduced(fit)
        known = found.test_errors is not None and found.test_known > 0
        tried = replace(
            plain,
            found=len(found.clusters),
            train_errors=found.train_errors,
            test_errors=found.test_errors,
            test_rate=(found.test_errors or 0) / found.test_known if known else None,
            assignment=found.assignment,
        )
        return self.study.rated(tried, self.study.language, self.study.choices()) or tried

    def _transduced(self, fit: Fit, labelled: Mask | None = None) -> Transduction:
        return transduce(
            self.split.truth,
            self._told_apart(fit),
            self.split.labelled if labelled is None else labelled,
            labels=self.names,
            random_state=self._tie_seed(fit),
        )

    def _tie_seed(self, fit: Fit) -> int:
        name, clusters, run = fit.key
        return seeds_of(self.study.seed, self.study.own_name(name), clusters, run)[1]

    def _told_apart(self, fit: Fit) -> Labels:
        """Return noise as one more cluster, or each noise point as a cluster of its own."""
        labels = np.asarray(fit.labels)
        if self.noise != "singletons" or not (labels == NOISE).any():
            return labels
        apart = labels.astype(np.int64)
        lone = np.flatnonzero(labels == NOISE)
        apart[lone] = apart.max() + 1 + np.arange(len(lone))
        return apart

    def bound(self, candidate: Candidate, fit: Fit) -> Bound:
        """Return the full record of a candidate's bound."""
        return pac_mdl_bound(
            self.split.truth,
            self._told_apart(fit),
            self.split.labelled,
            language=self.study.language,
            runs=self.study.runs if "runs" in self.study.choices() else 1,
            algorithms=len(self.study.algorithms),
            searched="number" in self.study.choices(),
            clusters=max(candidate.clusters, candidate.found or 0),
            delta=self.study.delta,
            labels=self.names,
            noise="keep",  # what it means is said of all candidates together
            random_state=self._tie_seed(fit),
        )

    def answer(self, candidate: Candidate, fit: Fit, labelled: Mask | None = None) -> Answer:
        """Return the label that each point gets from its cluster."""
        found = self._transduced(fit, labelled)
        clusters = np.asarray(found.clusters, np.int64)
        codes = np.asarray(found.assignment, np.int64)
        places = np.searchsorted(clusters, self._told_apart(fit))
        run = f", run {candidate.run}" if self.study.runs > 1 else ""
        count = counted(candidate.clusters, "cluster")
        method = f"{show_label(candidate.algorithm)}, {count}{run}"
        return Answer(method, found.labels, codes[places])
