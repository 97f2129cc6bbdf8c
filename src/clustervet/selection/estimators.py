"""The door for clusterers: a name, a class or an object becomes something to copy and fit."""

from __future__ import annotations

import difflib
import importlib
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustervet.errors import ParameterError
from clustervet.labels import plain_label, show_label
from clustervet.selection.choice import is_number

# Names that people type, and what they mean in scikit-learn. k-means starts ten times, since
# a run caught in a poor local optimum bends every curve.
NAMES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "kmeans": ("sklearn.cluster", "KMeans", {"n_init": 10}),
    "minibatch": ("sklearn.cluster", "MiniBatchKMeans", {"n_init": 10}),
    "bisecting": ("sklearn.cluster", "BisectingKMeans", {"n_init": 10}),
    "ward": ("sklearn.cluster", "AgglomerativeClustering", {"linkage": "ward"}),
    "average": ("sklearn.cluster", "AgglomerativeClustering", {"linkage": "average"}),
    "complete": ("sklearn.cluster", "AgglomerativeClustering", {"linkage": "complete"}),
    "single": ("sklearn.cluster", "AgglomerativeClustering", {"linkage": "single"}),
    "gmm": ("sklearn.mixture", "GaussianMixture", {}),
    "dbscan": ("sklearn.cluster", "DBSCAN", {}),
    "hdbscan": ("sklearn.cluster", "HDBSCAN", {"copy": True}),
    "spectral": ("sklearn.cluster", "SpectralClustering", {}),
    "birch": ("sklearn.cluster", "Birch", {}),
    "optics": ("sklearn.cluster", "OPTICS", {}),
}
# Those of them that have a metric but take no other than the Euclidean one.
FEATURES = ("ward",)
# Parameters that are a number of clusters, the first of which a clusterer may call otherwise.
COUNTS = ("n_clusters", "n_components")
PRECOMPUTED = "precomputed"
DENSE = frozenset({"DBSCAN", "HDBSCAN", "OPTICS"})
DEFAULT_VALUES = range(2, 21)


@dataclass(frozen=True)
class Clusterer:
    """Something with `fit_predict`, and the parameter of it that is tuned."""

    template: Any
    name: str
    parameter: str

    @property
    def counts(self) -> bool:
        """Whether the parameter is a number of clusters."""
        return self.parameter.rpartition("__")[2] in COUNTS

    def made(self, value: Any, seed: int | None) -> Any:
        """A fresh copy with the parameter set, and with its seeds where one is given."""
        from sklearn.base import clone

        copy = clone(self.template, safe=False)
        copy.set_params(**{self.parameter: value})
        seeds = [name for name in copy.get_params() if name.rpartition("__")[2] == "random_state"]
        if seed is not None and seeds:
            copy.set_params(**dict.fromkeys(seeds, seed))
        return copy

    @property
    def is_dense(self) -> bool:
        """Whether it is one of scikit-learn's that look for dense regions and leave noise."""
        return type(self.template).__name__ in DENSE

    @property
    def is_seeded(self) -> bool:
        """Whether it has seeds and the user set them all."""
        held = self.template.get_params()
        seeds = [held[name] for name in held if name.rpartition("__")[2] == "random_state"]
        return bool(seeds) and all(seed is not None for seed in seeds)


def read_clusterer(estimator: Any, parameter: str, metric: Any) -> Clusterer:
    """What the user gave as something to fit, or a sentence that says why it is none.

    `metric` is a name or a function; clusterers made here by name get it, where they take one.
    """
    if not isinstance(parameter, str):
        raise ParameterError(f"parameter must be a name, not {parameter!r}.")
    if isinstance(estimator, str):
        name, template = estimator, _named(estimator, metric)
    else:
        template = estimator() if inspect.isclass(estimator) and _can_cluster(estimator) else None
        template = estimator if template is None else template
        name = type(template).__name__
    if inspect.isclass(template) or not _can_cluster(template):
        kind = template.__name__ if inspect.isclass(template) else type(template).__name__
        raise ParameterError(
            f"estimator must be a clusterer with fit_predict, get_params and set_params, or one "
            f"of {', '.join(NAMES)}; {kind} is not."
        )
    from sklearn.base import is_outlier_detector

    if is_outlier_detector(template):
        raise ParameterError(f"{name} detects outliers; estimator must be a clusterer.")
    _check_distances(template, name, metric)
    return Clusterer(template, name, _parameter(template, name, parameter))


def _check_distances(template: Any, name: str, metric: Any) -> None:
    """Refuse distances that would be read as features, and the other way round."""
    takes = any(isinstance(held, str) and held == PRECOMPUTED for held in _held(template))
    if metric == PRECOMPUTED and not takes:
        raise ParameterError(
            f"{name} would read distances as features; with metric='precomputed' the clusterer "
            "must be set to 'precomputed' too."
        )
    if takes and metric != PRECOMPUTED:
        raise ParameterError(f"{name} takes precomputed distances; so pass metric='precomputed'.")


def _held(template: Any) -> list[Any]:
    return list(template.get_params().values())


def _can_cluster(estimator: Any) -> bool:
    wanted = ("fit_predict", "get_params", "set_params")
    return all(callable(getattr(estimator, name, None)) for name in wanted)


def _named(name: str, metric: Any) -> Any:
    plain = name.strip().lower().replace("-", "").replace("_", "")
    if plain not in NAMES:
        near = difflib.get_close_matches(plain, NAMES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the names are {', '.join(NAMES)}."
        raise ParameterError(f"there is no clusterer {show_label(name)!r}; {hint}")
    module, attribute, options = NAMES[plain]
    template = getattr(importlib.import_module(module), attribute)(**options)
    if metric != "euclidean" and "metric" in template.get_params() and plain not in FEATURES:
        template.set_params(metric=metric)
    return template


def _parameter(template: Any, name: str, parameter: str) -> str:
    known = list(template.get_params())
    if parameter in known:
        return parameter
    if parameter == COUNTS[0] and COUNTS[1] in known:
        return COUNTS[1]
    near = difflib.get_close_matches(parameter, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known)}."
    raise ParameterError(f"{name} has no parameter {show_label(parameter)!r}; {hint}")


def read_values(values: Any, clusterer: Clusterer, points: int) -> list[Any]:
    """Values to try: numbers in rising order, anything else as given; each one once."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ParameterError(
            f"values must be several values of {clusterer.parameter}, such as range(2, 21), not "
            f"{values!r}."
        )
    if values is DEFAULT_VALUES:
        if not clusterer.counts:
            raise ParameterError(f"values of {clusterer.parameter} must be given.")
        values = range(2, min(DEFAULT_VALUES.stop, points))
    try:
        listed = list(dict.fromkeys(plain_label(value) for value in values))
    except TypeError:
        raise ParameterError("values must be single values, not lists or arrays.") from None
    if not listed:
        raise ParameterError(f"values is empty; give at least one value of {clusterer.parameter}.")
    if all(is_number(value) for value in listed):
        listed.sort()
        if clusterer.counts and listed[-1] > points:
            raise ParameterError(
                f"{clusterer.parameter}={listed[-1]:g} asks for more clusters than the {points:,} "
                "points."
            )
    return listed


def read_seed(random_state: Any) -> int | None:
    """A seed that scikit-learn takes, from an int, a Generator or None."""
    if random_state is None:
        return None
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if whole and 0 <= random_state < 2**32:
        return int(random_state)
    raise ParameterError(
        f"random_state must be None, a whole number from 0 to 2^32 - 1 or a numpy Generator, not "
        f"{random_state!r}."
    )
