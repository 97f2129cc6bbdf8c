"""Chance for measures of features: random labels of the points, and data without clusters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.errors import ClustervetError, ParameterError
from clustervet.geometry import Geometry
from clustervet.geometry.geometry import read_once
from clustervet.geometry.nulls import Nulls
from clustervet.labels import encode_one, read_labels
from clustervet.registry import Measure

# What random labels share with the given ones, and the model that clusters other data.
MODEL, STRUCTURELESS = "sizes", "structureless"
Floats = NDArray[np.float64]
# Labelings that are made at once.
BLOCK = 20


def shuffled_values(
    record: Measure,
    features: Any,
    labels: Any,
    model: str,
    samples: int,
    rng: np.random.Generator,
    **options: Any,
) -> tuple[float, NDArray[np.float64]]:
    """Return the value of a measure, and those of the same labels in random orders.

    A point that a policy drops keeps its label.
    """
    if model != MODEL:
        raise ParameterError(
            f"a measure of features has the models {MODEL!r}: labels of the same sizes in a random "
            f"order, and {STRUCTURELESS!r}: clusters of data without clusters; not {model!r}."
        )
    if labels is None:
        raise ParameterError(f"{record.key} needs features and labels.")
    value = record(features, labels, **options)
    policies = {
        name: options[name] for name in ("noise", "noise_policy", "missing") if name in options
    }
    side = read_labels(labels)
    kept = encode_one(labels, **policies)[1]
    names = np.empty(len(side), object)
    names[:] = list(side.restore(side.values))
    if side.missing is not None:
        names[side.missing] = None
    places = np.arange(len(side)) if kept is None else np.flatnonzero(kept)
    found = []
    features = read_once(features, options.get("metric"))
    with ticking(samples, "random labels") as tick:
        for first in range(0, samples, BLOCK):
            drawn = []
            for _ in range(min(BLOCK, samples - first)):
                other = names.copy()
                other[places] = names[rng.permutation(places)]
                drawn.append(other)
            found.append(record.many(features, drawn, **options))
            for _ in drawn:
                tick()
    return value, np.concatenate([np.empty(0), *found])


def structureless_values(
    record: Measure,
    features: Any,
    labels: Any,
    samples: int,
    rng: np.random.Generator,
    estimator: Any = None,
    **options: Any,
) -> tuple[float, dict[str, Floats]]:
    """Return the value of a measure, and those of clusters of data without clusters, by kind.

    The data have the number, scales, correlations and tails of the points that policies keep.
    """
    if labels is None:
        raise ParameterError(f"{record.key} needs features and labels.")
    value = record(features, labels, **options)
    reading = ("metric", "noise", "noise_policy", "missing")
    geometry = Geometry(features, labels, **{x: options[x] for x in reading if x in options})
    if geometry.is_precomputed or geometry.is_sparse or geometry.metric.columns:
        raise ParameterError(
            f"the model {STRUCTURELESS!r} draws points like the given ones, which must be dense "
            "features, and not a table for Gower's distance."
        )
    made = _clusterer(estimator, geometry.k)
    asked = {name: options[name] for name in options if name not in reading[1:]}
    points, power = np.asarray(geometry.dense, np.float64), geometry.exponent
    if power:  # very large or very small: drawn at a usual size
        own = math.frexp(float(np.abs(points).max()))[1]
        points, power = np.ldexp(points, -own), power + own
    nulls = Nulls(points)
    each = math.ceil(samples / len(nulls.kinds))
    found: dict[str, Floats] = {}
    with ticking(each * len(nulls.kinds), "sets without clusters") as tick:
        for kind in nulls.kinds:
            values = np.empty(each)
            for place in range(each):
                drawn = nulls.draw(kind, rng)
                labels = made(drawn, rng)
                values[place] = _value(record, np.ldexp(drawn, power), labels, asked)
                tick()
            found[kind] = values
    return value, found


def _value(record: Measure, points: Floats, labels: Any, options: dict[str, Any]) -> float:
    """The value of clusters that were made, nan where they have none."""
    try:
        return float(record(points, labels, **options))
    except ClustervetError:  # one cluster, such as DBSCAN may find
        return math.nan


def _clusterer(
    estimator: Any, clusters: int
) -> Callable[[Floats, np.random.Generator], NDArray[Any]]:
    """A function of points and a generator that returns labels."""
    from threadpoolctl import threadpool_limits

    if estimator is None:
        from sklearn.cluster import KMeans

        estimator = KMeans(clusters, n_init=3)
    if not hasattr(estimator, "fit_predict"):
        if not callable(estimator) or isinstance(estimator, type):
            raise ParameterError(
                "estimator must have fit_predict, as clusterers of scikit-learn do, or be a "
                "function of points that returns labels."
            )
        return lambda points, rng: np.asarray(estimator(points))
    from sklearn.base import clone

    def made(points: Floats, rng: np.random.Generator) -> NDArray[Any]:
        fresh = clone(estimator)
        names = [x for x in fresh.get_params() if x.rpartition("__")[2] == "random_state"]
        fresh.set_params(**{name: int(rng.integers(2**31)) for name in names})
        with threadpool_limits(1):  # threads within a fit of this size cost more than they save
            return np.asarray(fresh.fit_predict(points))

    return made
