"""What a fit is worth: its clusters as predictors of labels, and the bound on their errors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet.errors import LabelError, ParameterError
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
from clustervet.view.data import record
from clustervet.view.words import class_note, counted

Labels = NDArray[Any]
NOISE = -1
NOISES = ("keep", "singletons")
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


def _train_size(train: Any, points: int) -> int:
    is_whole = isinstance(train, int | np.integer)
    if not is_number(train) or not (train >= 1 if is_whole else 0 < train < 1):
        raise ParameterError(
            "train must be a share of the points between 0 and 1, or a whole number of them, not "
            f"{train!r}."
        )
    return int(train) if is_whole else min(max(round(train * points), 1), points - 1)


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
    assignment: tuple[int, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the candidate as plain data, without the labels of the clusters."""
        held = record(self)
        del held["assignment"]
        return held


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

    def choices(self) -> tuple[str, ...]:
        """Return the choices that are made by the labels."""
        made = {"runs": self.runs, "number": len(self.clusters), "algorithms": len(self.algorithms)}
        return tuple(choice for choice in CHOICES if made[choice] > 1)

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

    def add(self, fit: Fit) -> None:
        """Judge a fit; its labels are forgotten unless it leads."""
        candidate, rank = self._judged(fit), self.study.rank
        self.candidates[fit.key] = candidate
        self.seconds[candidate.algorithm] += fit.seconds
        leads = self.leader is None or rank(candidate) < rank(self.leader[0])
        if fit.labels is not None and leads:
            self.leader = candidate, fit
        if fit.labels is not None and self.halves:
            self._compare(candidate, fit, self.halves.learnt)
        if fit.labels is not None and self.noise is None:
            noisy, held = int((fit.labels == NOISE).sum()), self.noise_as_cluster
            if noisy:
                held[candidate.algorithm] = max(noisy, held.get(candidate.algorithm, 0))

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
        plain = Candidate(name, clusters, run, fit.seed or 0, error=fit.error)
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
            random_state=seeds_of(self.study.seed, *fit.key)[1],
        )

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
            runs=self.study.runs,
            algorithms=len(self.study.algorithms),
            searched="number" in self.study.choices(),
            clusters=max(candidate.clusters, candidate.found or 0),
            delta=self.study.delta,
            labels=self.names,
            noise="keep",  # what it means is said of all candidates together
            random_state=seeds_of(self.study.seed, *fit.key)[1],
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
