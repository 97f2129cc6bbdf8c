"""What is done to features before an algorithm reads them; importing it loads scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from clustervet._checks import one_of, suggestion, whole
from clustervet._memory import need
from clustervet.clusterers import NeighbourSmoothing
from clustervet.errors import FeatureError, ParameterError, Setting
from clustervet.fitting.algorithms import Algorithm
from clustervet.fitting.journal import digest
from clustervet.geometry.points import read_points, standardized
from clustervet.labels import show_label

WEIGHTINGS = ("none", "counts", "tfidf")
# Values that a smoothed row keeps: fits take half the time, and the bound moves no more than it
# does with other starts (studies/neighbour_smoothing.py).
TERMS = 200
# Values up to which sparse rows are made dense for an algorithm that reads no sparse rows.
DENSE = 2**27


class TfIdf(TfidfTransformer):  # type: ignore[misc]  # scikit-learn ships no types
    """(1 + log tf) log(n / df), rows of length one: "ltc" of Salton & Buckley 1988.

    A word in every row weighs nothing, where scikit-learn's own weight keeps it. A stored zero is
    no word, and a word that is in no row has no weight.
    """

    def __init__(self) -> None:
        super().__init__(sublinear_tf=True, smooth_idf=False)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  # scikit-learn's name
        """Count the rows that each word is in."""
        with np.errstate(divide="ignore"):
            super().fit(_without_zeros(X), y)
        rarity = np.asarray(self.idf_) - 1  # scikit-learn adds 1
        self.idf_: Any = np.where(np.isfinite(rarity), rarity, 0.0)  # words that are in no row
        return self

    def transform(self, X: Any, copy: bool = True) -> Any:  # noqa: N803  # scikit-learn's name
        """Return the weights of the words of each row."""
        return super().transform(_without_zeros(X), copy=copy)


class Dense(FunctionTransformer):  # type: ignore[misc]  # scikit-learn ships no types
    """Rows as an array, for algorithms that read no sparse rows."""

    def __init__(self) -> None:
        super().__init__(_as_array, accept_sparse=True)


def _as_array(matrix: Any) -> Any:
    if not issparse(matrix):
        return matrix
    shown = " x ".join(f"{side:,}" for side in matrix.shape)
    need(8 * math.prod(matrix.shape), f"a sparse matrix of {shown} as an array")
    return matrix.toarray()


def _without_zeros(matrix: Any) -> Any:
    """Return the same without stored zeros, which have no logarithm."""
    if not issparse(matrix) or matrix.format != "csr" or matrix.data.all():
        return matrix
    found = matrix.copy()
    found.eliminate_zeros()
    return found


@dataclass(frozen=True)
class Preparation:
    """Features standardized or not, counts weighted or not, and rows smoothed by neighbours."""

    weighting: str = "none"
    neighbours: int = 0
    standardize: bool = False

    @classmethod
    def read(cls, weighting: Any, neighbours: Any, standardize: Any) -> Preparation:
        """Return what was asked for, or refuse it."""
        one_of(weighting, "weighting", WEIGHTINGS)
        number = whole(neighbours, "neighbours", 0)
        if isinstance(standardize, str):
            raise ParameterError(
                Setting("standardize"), f" must be yes or no, not {show_label(standardize)!r}."
            )
        if number and weighting == "none":
            either = Setting("weighting", "tfidf"), " or ", Setting("weighting", "counts")
            raise ParameterError("neighbours smooth counts of words; they go with ", *either, ".")
        if standardize and weighting != "none":
            raise ParameterError("standardize is for measurements, not for counts of words.")
        return cls(weighting, number, bool(standardize))

    def scaler(self, points: Any) -> StandardScaler:
        """Return what gives features mean 0 and variance 1; sparse ones keep their zeros."""
        return StandardScaler(with_mean=not issparse(points)).set_output(transform="default")

    def scaled(self, points: Any) -> Any:
        """Return the features, standardized if that was asked for."""
        return standardized(points) if self.standardize else points

    def negative(self, scaled: Any) -> str | None:
        """Return where the first value below zero stands, if there is one."""
        found = _first(scaled, lambda values: values < 0)
        return f"{found} once standardized" if found and self.standardize else found

    def check(self, scaled: Any, algorithms: Sequence[Algorithm]) -> None:
        """Refuse features that cannot be prepared so, or that an algorithm cannot read."""
        negative = self.negative(scaled)
        for algorithm in algorithms:
            algorithm.check_size(scaled.shape[0])
            if algorithm.reads_counts and negative is not None:
                raise FeatureError(
                    f"the algorithm {show_label(algorithm.name)!r} reads counts, from zero on; "
                    f"{negative}. Leave it out of algorithms, or give it counts."
                )
        if self.weighting == "none":
            return
        asked = Setting("weighting", self.weighting)
        if negative is not None:
            raise FeatureError(asked, f" is for counts, from zero on; {negative}.")
        part = _first(scaled, lambda values: (values > 0) & (values < 1))
        if self.weighting == "tfidf" and part is not None:
            other = Setting("weighting", "counts")
            raise FeatureError(
                asked, f" is for counts, and {part}; ", other, " takes weights as they are."
            )

    def inputs(self, scaled: Any, algorithms: Sequence[Algorithm]) -> Mapping[str, Any]:
        """Return the features for each algorithm; those that read counts are never weighted."""
        points = _narrow(scaled)
        made: dict[tuple[bool, bool], Any] = {}
        for algorithm in algorithms:
            kind = algorithm.reads_counts, algorithm.reads_sparse
            if kind not in made:
                made[kind] = points
                for step in self._steps(algorithm, points):
                    made[kind] = step.fit_transform(made[kind])
        return {a.name: made[a.reads_counts, a.reads_sparse] for a in algorithms}

    def steps(self, algorithm: Algorithm, points: Any) -> list[Any]:
        """Return the same as estimators, in the order in which features pass through them."""
        first = [self.scaler(points)] if self.standardize else []
        return [*first, *self._steps(algorithm, points)]

    def _steps(self, algorithm: Algorithm, points: Any) -> list[Any]:
        by_words = self.weighting == "tfidf"
        found: list[Any] = [_weighter()] if by_words and not algorithm.reads_counts else []
        if self.neighbours:
            by = _weighter() if by_words and algorithm.reads_counts else None
            found.append(_smoother(self.neighbours, by))
        sparse = issparse(points) or (by_words and not algorithm.reads_counts)
        small = points.shape[0] * points.shape[1] <= DENSE
        if sparse and small and not algorithm.reads_sparse:
            found.append(Dense().set_output(transform="default"))
        return found

    def described(self, algorithm: Algorithm) -> str:
        """Return the same in words, by which a journal recognizes it."""
        read = "none" if algorithm.reads_counts else self.weighting
        if self.standardize:
            return "standardized"
        if not self.neighbours:
            return read
        made = _smoother(self.neighbours, None)
        kept = f"share {made.share:g}, {made.terms} terms"
        return f"{read}, smoothed by {self.neighbours} neighbours of {self.weighting}, {kept}"


@dataclass(frozen=True, eq=False)
class Representation:
    """Features of some kind: the points that are read, and what is done to them.

    The name is empty if there is one representation only. Points of its own have a fingerprint.
    """

    name: str
    preparation: Preparation
    points: Any
    fingerprint: str = ""

    @cached_property
    def scaled(self) -> Any:
        """The features, standardized if that was asked for."""
        return self.preparation.scaled(self.points)

    def reader(self, algorithm: Algorithm) -> Algorithm:
        """Return the algorithm under a name that says what it reads."""
        if not self.name:
            return algorithm
        return replace(algorithm, name=f"{algorithm.name} ({self.name})", own_name=algorithm.name)

    def described(self, algorithm: Algorithm) -> str:
        """Return what is read in words, by which a journal recognizes it."""
        read = self.preparation.described(algorithm)
        return f"{read} of {self.fingerprint}" if self.fingerprint else read


def read_representations(
    given: Any, points: Any, weighting: Any, neighbours: Any, standardize: Any
) -> tuple[Representation, ...]:
    """Return the representations that were asked for; one without a name if there are none.

    Each is a mapping of settings, of which those left out are the ones given here, or other
    features of the same points, which are read as they are.
    """
    usual = {"weighting": weighting, "neighbours": neighbours, "standardize": standardize}
    if given is None:
        return (Representation("", Preparation.read(**usual), points),)
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(
            "representations must be a mapping such as {'plain': {}, 'smoothed': {'neighbours': "
            "10}}, from names to settings or to other features of the same points."
        )
    found = []
    for name, held in given.items():
        if not isinstance(name, str) or not name.strip():
            raise ParameterError(
                f"a representation's name must be a word, not {show_label(name)!r}."
            )
        if isinstance(held, Mapping):
            for key in held:
                if key not in usual:
                    hint = suggestion(str(key), usual, f"there are {', '.join(usual)}.")
                    raise ParameterError(
                        f"the representation {show_label(name)!r} has no setting "
                        f"{show_label(key)!r}; {hint}"
                    )
            made = Preparation.read(**usual | dict(held))
            found.append(Representation(name, made, points))
            continue
        own = read_points(held, f"representations[{show_label(name)!r}]")
        if own.shape[0] != points.shape[0]:
            raise FeatureError(
                f"the representation {show_label(name)!r} has {own.shape[0]:,} points and X has "
                f"{points.shape[0]:,}; it must be the same points in the same order."
            )
        found.append(Representation(name, Preparation(), own, digest(own)))
    return tuple(found)


def _weighter() -> Any:
    return TfIdf().set_output(transform="default")


def _smoother(neighbours: int, by: Any) -> Any:
    made = NeighbourSmoothing(neighbours, terms=TERMS, by=by)
    return made.set_output(transform="default")


def _first(points: Any, fault: Callable[[Any], Any]) -> str | None:
    """Return where the first value of a kind stands, if there is one."""
    values = points.data if issparse(points) else points
    found = fault(values)
    if not found.any():
        return None
    if issparse(points):
        at = int(np.flatnonzero(found)[0])
        row = int(np.searchsorted(points.indptr, at, side="right")) - 1
        return f"row {row}, column {points.indices[at]} of X is {values[at]:g}"
    row, column = np.argwhere(found)[0].tolist()
    return f"row {row}, column {column} of X is {values[row, column]:g}"


def _narrow(points: Any) -> Any:
    """Return indices of 32 bits where they suffice: some of scikit-learn's loops need them."""
    if not issparse(points):
        return points
    matrix = csr_matrix(points)
    matrix.sort_indices()
    if max(matrix.nnz, *matrix.shape) < 2**31:
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix
