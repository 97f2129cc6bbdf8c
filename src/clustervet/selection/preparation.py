"""What becomes of features before an algorithm reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustervet.errors import FeatureError, ParameterError
from clustervet.geometry.points import is_sparse
from clustervet.labels import show_label
from clustervet.pacmdl.description import whole
from clustervet.selection.algorithms import Algorithm

WEIGHTINGS = ("none", "counts", "tfidf")
# Values that a smoothed row keeps: fits take half the time, and the bound moves no more than it
# does with other starts (studies/neighbour_smoothing.py).
TERMS = 200
# Values up to which sparse rows are made dense for an algorithm that reads no others.
DENSE = 2**27


@dataclass(frozen=True)
class Preparation:
    """Counts weighted or not, and smoothed by so many neighbours or not at all."""

    weighting: str
    neighbours: int

    @classmethod
    def read(cls, weighting: Any, neighbours: Any) -> Preparation:
        """What was asked for, if it can be."""
        if weighting not in WEIGHTINGS:
            raise ParameterError(
                f"weighting must be one of {', '.join(WEIGHTINGS)}, not {show_label(weighting)!r}."
            )
        number = whole(neighbours, "neighbours", 0)
        if number and weighting == "none":
            raise ParameterError(
                "neighbours smooth counts of words; they go with weighting='tfidf' or "
                "weighting='counts'."
            )
        return cls(weighting, number)

    def check(self, points: Any, algorithms: Sequence[Algorithm]) -> None:
        """Refuse features that cannot be prepared so, or that an algorithm cannot read."""
        negative = first_negative(points)
        for algorithm in algorithms:
            if algorithm.counts and negative is not None:
                raise FeatureError(
                    f"the algorithm {show_label(algorithm.name)!r} reads counts, from zero on; "
                    f"{negative}. Leave it out of algorithms, or give it counts."
                )
        if self.weighting == "none":
            return
        if negative is not None:
            raise FeatureError(
                f"weighting='{self.weighting}' is for counts, from zero on; {negative}."
            )
        part = _first(points, lambda values: (values > 0) & (values < 1))
        if self.weighting == "tfidf" and part is not None:
            raise FeatureError(
                f"weighting='tfidf' is for counts, and {part}; weighting='counts' takes weights as "
                "they are."
            )

    def inputs(self, points: Any, algorithms: Sequence[Algorithm]) -> Mapping[str, Any]:
        """The features for each algorithm, by name; those that read counts are never weighted."""
        points = _narrow(points)
        made: dict[tuple[bool, bool], Any] = {}
        for algorithm in algorithms:
            kind = algorithm.counts, algorithm.dense
            if kind not in made:
                made[kind] = points
                for step in self.steps(algorithm, points):
                    made[kind] = step.fit_transform(made[kind])
        return {a.name: made[a.counts, a.dense] for a in algorithms}

    def steps(self, algorithm: Algorithm, points: Any) -> list[Any]:
        """The same as estimators, in the order in which features pass through them."""
        by_words = self.weighting == "tfidf"
        found: list[Any] = [_weighter()] if by_words and not algorithm.counts else []
        if self.neighbours:
            by = _weighter() if by_words and algorithm.counts else None
            found.append(_smoother(self.neighbours, by))
        sparse = is_sparse(points) or (by_words and not algorithm.counts)
        if algorithm.dense and sparse and points.shape[0] * points.shape[1] <= DENSE:
            found.append(_unpacker())
        return found

    def described(self, algorithm: Algorithm) -> str:
        """The same in words, by which a journal knows it again."""
        read = "none" if algorithm.counts else self.weighting
        if not self.neighbours:
            return read
        made = _smoother(self.neighbours, None)
        kept = f"share {made.share:g}, {made.terms} terms"
        return f"{read}, smoothed by {self.neighbours} neighbours of {self.weighting}, {kept}"


def _weighter() -> Any:
    from clustervet.selection.weighting import TfIdf

    return TfIdf().set_output(transform="default")


def _smoother(neighbours: int, by: Any) -> Any:
    from clustervet.clusterers import NeighbourSmoothing

    made = NeighbourSmoothing(neighbours, terms=TERMS, by=by)
    return made.set_output(transform="default")


def _unpacker() -> Any:
    from clustervet.selection.weighting import Dense

    return Dense()


def first_negative(points: Any) -> str | None:
    """Where the first value below zero stands, if there is one."""
    return _first(points, lambda values: values < 0)


def _first(points: Any, fault: Callable[[Any], Any]) -> str | None:
    """Where the first value of a kind stands, if there is one."""
    values = points.data if is_sparse(points) else points
    found = fault(values)
    if not found.any():
        return None
    if is_sparse(points):
        at = int(np.flatnonzero(found)[0])
        row = int(np.searchsorted(points.indptr, at, side="right")) - 1
        return f"row {row}, column {points.indices[at]} of X is {values[at]:g}"
    row, column = np.argwhere(found)[0].tolist()
    return f"row {row}, column {column} of X is {values[row, column]:g}"


def _narrow(points: Any) -> Any:
    """Indices of 32 bits where they suffice: some of scikit-learn's loops take no others."""
    if not is_sparse(points):
        return points
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(points)
    matrix.sort_indices()
    if max(matrix.nnz, *matrix.shape) < 2**31:
        matrix.indices = matrix.indices.astype(np.int32, copy=False)
        matrix.indptr = matrix.indptr.astype(np.int32, copy=False)
    return matrix
