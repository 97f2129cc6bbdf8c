"""What each algorithm is handed: features as they are, or weighted; and what may be handed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from clustervet.errors import FeatureError, ParameterError
from clustervet.geometry.points import is_sparse
from clustervet.labels import show_label
from clustervet.pacmdl.description import whole
from clustervet.selection.algorithms import Algorithm

WEIGHTINGS = ("none", "counts", "tfidf")
DEFAULT_CLUSTERS = range(2, 21)
# Values that a smoothed row keeps. On cmu-different-1000, where it was chosen, the bound is no
# worse than with all of them, and fits take half the time.
TERMS = 200
# Bytes that are digested at a time.
BLOCK = 2**24


def weighter() -> Any:
    """Tf-idf, as an estimator."""
    from clustervet.selection.weighting import TfIdf

    return TfIdf().set_output(transform="default")


def smoother(neighbours: int, by: Any = None) -> Any:
    """Smoothing by neighbours, as an estimator."""
    from clustervet.clusterers import NeighbourSmoothing

    made = NeighbourSmoothing(neighbours, terms=TERMS, by=by)
    return made.set_output(transform="default")


def steps(counts: bool, weighting: str, neighbours: int) -> list[Any]:
    """What happens to features before an algorithm reads them; `counts` if that reads counts."""
    weighted = weighting == "tfidf"
    found: list[Any] = [weighter()] if weighted and not counts else []
    if neighbours:
        found.append(smoother(neighbours, weighter() if weighted and counts else None))
    return found


def described(counts: bool, weighting: str, neighbours: int) -> str:
    """The same in words, by which a journal knows it again."""
    read = "none" if counts else weighting
    if not neighbours:
        return read
    made = smoother(neighbours)
    kept = f"share {made.share:g}, {made.terms} terms"
    return f"{read}, smoothed by {neighbours} neighbours of {weighting}, {kept}"


def read_neighbours(neighbours: Any, weighting: Any) -> int:
    """How many neighbours smooth a row; 0 where none do."""
    found = whole(neighbours, "neighbours", 0)
    if found and weighting == "none":
        raise ParameterError(
            "neighbours smooth counts of words; they go with weighting='tfidf' or 'counts'."
        )
    return found


def read_inputs(
    points: Any, algorithms: Sequence[Algorithm], weighting: Any, neighbours: int
) -> Mapping[str, Any]:
    """The features for each algorithm, by name; those that read counts are never weighted."""
    if weighting not in WEIGHTINGS:
        raise ParameterError(
            f"weighting must be one of {', '.join(WEIGHTINGS)}, not {show_label(weighting)!r}."
        )
    points = _narrow(points)
    negative = _negative(points)
    for algorithm in algorithms:
        if algorithm.counts and negative is not None:
            raise FeatureError(
                f"the algorithm {show_label(algorithm.name)!r} reads counts, from zero on; "
                f"{negative}. Leave it out of algorithms, or give it counts."
            )
    if weighting == "none":
        return {algorithm.name: points for algorithm in algorithms}
    if negative is not None:
        raise FeatureError(f"weighting={weighting!r} is for counts, from zero on; {negative}.")
    part = _first(points, lambda values: (values > 0) & (values < 1))
    if weighting == "tfidf" and part is not None:
        raise FeatureError(
            f"weighting='tfidf' is for counts, and {part}; 'counts' takes weights as they are."
        )
    made: dict[bool, Any] = {}
    for counts in {algorithm.counts for algorithm in algorithms}:
        made[counts] = points
        for step in steps(counts, weighting, neighbours):
            made[counts] = step.fit_transform(made[counts])
    return {algorithm.name: made[algorithm.counts] for algorithm in algorithms}


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


def _negative(points: Any) -> str | None:
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


def digest(points: Any) -> str:
    """A fingerprint of the features, by which a journal knows them again."""
    found = hashlib.sha256()
    parts = [points.data, points.indices, points.indptr] if is_sparse(points) else [points]
    for part in parts:
        wide = part.astype(np.int64, copy=False) if part.dtype.kind == "i" else part
        found.update(f"{wide.dtype.str} {wide.shape} ".encode())
        flat = np.ascontiguousarray(wide).reshape(-1).view(np.uint8)
        for first in range(0, len(flat), BLOCK):
            found.update(flat[first : first + BLOCK].data)
    return found.hexdigest()


def read_clusters(clusters: Any, points: int) -> tuple[int, ...]:
    """Numbers of clusters in rising order, each once; the usual ones end before the points do."""
    if clusters is DEFAULT_CLUSTERS or clusters == DEFAULT_CLUSTERS:
        clusters = range(2, min(DEFAULT_CLUSTERS.stop, max(points, 3)))
    if isinstance(clusters, str | bytes) or not isinstance(clusters, Iterable):
        clusters = [clusters]
    numbers = sorted({whole(number, "clusters", 1) for number in clusters})
    if not numbers:
        raise ParameterError("clusters is empty; give at least one number of clusters.")
    if numbers[-1] > points:
        raise ParameterError(
            f"clusters asks for {numbers[-1]:,} clusters, which is more than the {points:,} points."
        )
    return tuple(numbers)
