"""Validated likelihood (Dom 2001, App. C.1) of points that the clusterer has not seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, whole
from clustervet.errors import UndefinedError
from clustervet.geometry import Geometry
from clustervet.registry import Estimate, Measure, Outcome
from clustervet.tuning.resampled import RESAMPLED, Cluster

VALIDATED, GAP = "validated_likelihood", "gap_statistic"
FOLDS = 10


def needs_refits(record: Measure, options: Mapping[str, Any]) -> bool:
    """Return whether a measure has other points clustered: samples of X, or references."""
    if record.key == VALIDATED:
        return options.get("validation") is None
    return record.key in RESAMPLED or (record.key == GAP and options.get("cluster") is None)


def cross_validated(
    points: Any,
    cluster: Cluster,
    view: Callable[[Any, NDArray[Any]], Geometry | str],
    record: Measure,
    options: Mapping[str, Any],
) -> Outcome:
    """Cluster the points without each fold in turn, and judge the points of the fold.

    `cluster` gives the labels of other points, or why there are none, and `view` the clustering as
    measures see it. The folds are the same for every clusterer, so that values can be compared.
    """
    own = dict(options)
    n = points.shape[0]
    folds = min(whole(own.pop("folds", FOLDS), "folds", 2), n)
    fold = generator(own.pop("random_state", 0)).permutation(n) % folds
    found = []
    for k in range(folds):
        rest = points[fold != k]
        made = cluster(rest)
        seen = made if isinstance(made, str) else view(rest, made)
        one = (
            Outcome(math.nan, seen)
            if isinstance(seen, str)
            else record.evaluate(seen, **own, validation=points[fold == k])
        )
        if one.why is not None:
            return Outcome(math.nan, f"without fold {k + 1} of {folds}: {one.why}")
        found.append(one.value)
    return Outcome(_pooled(found))


def gap_beside_its_own(
    seen: Geometry, cluster: Cluster, record: Measure, options: Mapping[str, Any]
) -> Outcome:
    """Return the gap statistic, with references that the clusterer itself clusters."""

    def labels_of(points: NDArray[Any]) -> NDArray[Any]:
        made = cluster(points)
        if isinstance(made, str):
            raise UndefinedError(f"a set without clusters has none: {made}")
        return made

    return record.evaluate(seen, **{**options, "cluster": labels_of})


def _pooled(folds: list[Any]) -> Estimate:
    """Return the mean over the points of all folds, and its standard error."""
    sizes = np.array([fold.sample for fold in folds], float)
    means = np.array([float(fold) for fold in folds])
    errors = np.array([fold.standard_error for fold in folds])
    n = float(sizes.sum())
    mean = float(sizes @ means) / n
    # A standard error squared, times m (m - 1), is the sum of squares within a fold of m points.
    within = np.where(sizes > 1, sizes * (sizes - 1) * errors**2, 0.0).sum()
    squares = float(within + sizes @ (means - mean) ** 2)
    return Estimate(mean, standard_error=math.sqrt(squares / (n - 1) / n), sample=int(n))
