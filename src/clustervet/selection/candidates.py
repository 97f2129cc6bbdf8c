"""What a fit is worth: its clusters as predictors, and the bound on their errors."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ParameterError
from clustervet.pacmdl import (
    Bound,
    Description,
    Language,
    bmax,
    languages,
    pac_mdl_bound,
    transduce,
)
from clustervet.pacmdl.description import CHOICES
from clustervet.selection.fits import Fit, Labels
from clustervet.selection.splits import Split

NOISE = -1
NOISES = ("keep", "singletons")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One fit of a selection, and the bound on its errors.

    `clusters` were asked for and `found` came out. `rate` is the bound `max_errors` as a share
    of the unlabelled points; `test_errors` and `test_rate` are what came true, where that is
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
        """As plain data, without the labels of the clusters."""
        held = asdict(self)
        del held["assignment"]
        return held


@dataclass(frozen=True)
class Study:
    """What was tried, on what, and how it is paid for."""

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

    def choices(self) -> tuple[str, ...]:
        """The choices that are made by the labels."""
        made = {"runs": self.runs, "number": len(self.clusters), "algorithms": len(self.algorithms)}
        return tuple(choice for choice in CHOICES if made[choice] > 1)

    def bits(
        self, clusters: int, assignment: tuple[int, ...], language: Language, made: Collection[str]
    ) -> float:
        """The length of a description, if of all choices only those `made` by the labels count.

        More clusters than were asked for, as noise makes them, are coded as if they had been.
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
        """A candidate with its bound under a language; None where that cannot describe it."""
        if candidate.error is not None or candidate.train_errors is None:
            return None
        try:
            bits = self.bits(candidate.clusters, candidate.assignment, language, made)
        except ParameterError:
            return None
        most = self.most(candidate.train_errors, bits)
        return replace(candidate, bits=bits, max_errors=most, rate=most / self.test_size)

    def most(self, train_errors: int, bits: float) -> int:
        """The bound on the errors among unlabelled points."""
        level = math.log2(self.delta) - bits
        return bmax(self.train_size, self.test_size, train_errors, level)

    def rank(self, candidate: Candidate) -> tuple[float, int, int, int]:
        """The order of candidates: by bound, then fewer clusters, algorithm and run."""
        place = self.algorithms.index(candidate.algorithm)
        bound = math.inf if candidate.max_errors is None else candidate.max_errors
        return bound, candidate.clusters, place, candidate.run


@dataclass(frozen=True)
class Judge:
    """From fits to candidates, by the labelled points."""

    study: Study
    split: Split
    names: Any
    noise: str

    def judged(self, fit: Fit, ties: int) -> Candidate:
        """What a fit is worth under the language of the study."""
        name, clusters, run = fit.key
        if fit.labels is None:
            return Candidate(name, clusters, run, fit.seed, error=fit.error)
        found = self._transduced(fit.labels, ties)
        bits = self.study.bits(
            clusters, found.assignment, self.study.language, self.study.choices()
        )
        most = self.study.most(found.train_errors, bits)
        known = found.test_errors is not None and found.test_known > 0
        return Candidate(
            algorithm=name,
            clusters=clusters,
            run=run,
            seed=fit.seed,
            found=len(found.clusters),
            train_errors=found.train_errors,
            bits=bits,
            max_errors=most,
            rate=most / self.study.test_size,
            test_errors=found.test_errors,
            test_rate=found.test_errors / found.test_known if known else None,
            assignment=found.assignment,
        )

    def _transduced(self, labels: Labels, ties: int) -> Any:
        return transduce(
            self.split.truth,
            self._told_apart(labels),
            self.split.labelled,
            labels=self.names,
            random_state=ties,
        )

    def _told_apart(self, labels: Labels) -> Labels:
        """Noise as one more cluster, or each noise point as a cluster of its own."""
        if self.noise == "keep" or not (labels == NOISE).any():
            return labels
        apart = labels.astype(np.int64)
        lone = np.flatnonzero(labels == NOISE)
        apart[lone] = apart.max() + 1 + np.arange(len(lone))
        return apart

    def bound(self, candidate: Candidate, labels: Labels, ties: int) -> Bound:
        """The full record of a candidate's bound."""
        made = self.study.choices()
        return pac_mdl_bound(
            self.split.truth,
            self._told_apart(labels),
            self.split.labelled,
            language=self.study.language,
            runs=self.study.runs,
            algorithms=len(self.study.algorithms),
            searched="number" in made,
            clusters=max(candidate.clusters, candidate.found or 0),
            delta=self.study.delta,
            labels=self.names,
            random_state=ties,
        )

    def predictions(self, labels: Labels, ties: int) -> NDArray[Any]:
        """The label that each point gets from its cluster."""
        found = self._transduced(labels, ties)
        clusters = np.asarray(found.clusters, np.int64)
        codes = np.asarray(found.assignment, np.int64)
        places = np.searchsorted(clusters, self._told_apart(labels))
        predicted: NDArray[Any] = _names_array(found.labels)[codes[places]]
        return predicted


def _names_array(names: Any) -> NDArray[Any]:
    """Labels as an array of their own type, or of objects where they have several."""
    kinds = {type(name) for name in names}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.array(list(names))
    array = np.empty(len(names), object)
    array[:] = list(names)
    return array


def read_language(language: Any, algorithms: int, clusters: int, runs: int) -> Language:
    """A language by key or as a record; "auto" is the paper's that pays for the choices made."""
    made = {"algorithms": algorithms, "number": clusters, "runs": runs}
    return languages.resolve(language, [choice for choice, many in made.items() if many > 1])


def read_noise(noise: Any) -> str:
    """What becomes of points labelled -1; they are never dropped.

    Candidates must predict the same points, or the one that dares least would win.
    """
    if noise is None:
        return "keep"
    if noise not in NOISES:
        raise ParameterError(
            f"noise must be {' or '.join(map(repr, NOISES))}, so that every candidate predicts "
            f"all points, not {noise!r}."
        )
    return str(noise)
