"""The algorithms by name, and any clusterer as something to copy, seed and fit."""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clustervet._checks import is_number, nearest, shown, suggestion
from clustervet._memory import need
from clustervet.errors import ParameterError, Setting
from clustervet.geometry.metrics import GOWER
from clustervet.labels import show_label

# Module, class and settings of each name. An algorithm that may be caught in a poor local optimum
# starts ten times, since one bad fit bends every curve. The soft mixture's concentration grows
# slowly, without which it seldom leaves its start.
ALGORITHMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "kmeans": ("sklearn.cluster", "KMeans", {"n_init": 10}),
    "spherical": ("clustervet.clusterers", "SphericalKMeans", {"n_init": 10}),
    "frequency_sensitive": ("clustervet.clusterers", "FrequencySensitiveKMeans", {"n_init": 10}),
    "hard_movmf": ("clustervet.clusterers", "HardMovMF", {"n_init": 10}),
    "soft_movmf": (
        "clustervet.clusterers",
        "SoftMovMF",
        {"concentration": "shared", "annealing": 1.2, "n_init": 10},
    ),
    "kl": ("clustervet.clusterers", "KLKMeans", {"weighting": "length", "n_init": 10}),
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
ALIASES = {
    "spkmeans": "spherical",
    "sphericalkmeans": "spherical",
    "fskmeans": "frequency_sensitive",
    "frequencysensitivekmeans": "frequency_sensitive",
    "movmf": "soft_movmf",
    "klkmeans": "kl",
}
# The six of Banerjee & Langford 2004, §4.2.
PAPER = ("kmeans", "spherical", "frequency_sensitive", "hard_movmf", "soft_movmf", "kl")
# Those that find the number of clusters themselves: they look for dense regions and leave noise.
DENSITY = ("dbscan", "hdbscan", "optics")
# The others.
NUMBERED = tuple(name for name in ALGORITHMS if name not in DENSITY)
# Those that have a metric but take only the Euclidean one.
EUCLIDEAN = ("ward",)
# Matrices of points by points that a fit holds, by the name of the class.
SQUARES = {"AgglomerativeClustering": 1, "SpectralClustering": 3, "AffinityPropagation": 4}
# Settings under which it holds none.
SPARE = {"linkage": "single", "affinity": "nearest_neighbors"}
# Parameters that are a number of clusters; users may always say the first.
NUMBERS = ("n_clusters", "n_components")
# Parameters that change how a fit is made, but not what it finds.
IDLE = frozenset({"random_state", "n_jobs", "verbose", "memory", *NUMBERS})
PRECOMPUTED = "precomputed"
USUAL_NUMBERS = range(2, 21)


def usual_numbers(points: int) -> range:
    """Return the numbers of clusters that are tried by default: 2 to 20, but fewer than points."""
    return range(2, min(USUAL_NUMBERS.stop, max(points, 3)))


@dataclass(frozen=True)
class Algorithm:
    """A clusterer to copy and fit, the name it is shown by, and its parameter that varies.

    The parameter is "" for a clusterer that is fitted as it is. Its seeds come from its name, or
    from `own_name` where the name says more than which algorithm it is.
    """

    name: str
    template: Any
    parameter: str
    own_name: str = ""

    def made(self, value: Any, seed: int | None) -> Any:
        """Return a fresh copy with the parameter set, and with its seeds where one is given."""
        from sklearn.base import clone

        copy = clone(self.template, safe=False)
        if self.parameter:
            copy.set_params(**{self.parameter: value})
        if seed is not None and self.seeds:
            copy.set_params(**dict.fromkeys(self.seeds, seed))
        return copy

    def with_settings(self, settings: Mapping[str, Any], seed: int | None) -> Any:
        """Return a fresh copy of a clusterer that is fitted as it is, with other settings."""
        copy = self.made(None, seed)
        return copy.set_params(**settings) if settings else copy

    @cached_property
    def known(self) -> list[str]:
        """The parameters that it has."""
        return list(self.template.get_params())

    def own(self, parameter: str) -> str:
        """Return how it calls a parameter; empty if it has none of that name."""
        if parameter in self.known:
            return parameter
        return NUMBERS[1] if parameter == NUMBERS[0] and NUMBERS[1] in self.known else ""

    def check_settings(self, names: Iterable[str]) -> None:
        """Refuse settings without which it cannot cluster; an estimator has defaults for all."""

    @property
    def varies_number(self) -> bool:
        """Whether the parameter that varies is a number of clusters."""
        return _last(self.parameter) in NUMBERS

    @cached_property
    def seeds(self) -> list[str]:
        """The parameters that are seeds; without any, all runs of it are the same."""
        return [name for name in self.template.get_params() if _last(name) == "random_state"]

    @property
    def has_own_seed(self) -> bool:
        """Whether it has seeds and the user set them all."""
        held = self.template.get_params()
        return bool(self.seeds) and all(held[name] is not None for name in self.seeds)

    @property
    def is_density_based(self) -> bool:
        """Whether it is one of scikit-learn's that look for dense regions and leave noise."""
        return type(self.template).__name__ in {ALGORITHMS[name][1] for name in DENSITY}

    def quick(self, starts: int) -> Algorithm:
        """Return the same with fewer starts, where it has a number of them."""
        from sklearn.base import clone

        many = [
            name
            for name, value in self.template.get_params().items()
            if _last(name) == "n_init"
            and (value == "auto" or (is_number(value) and value > starts))
        ]
        if not many:
            return self
        template = clone(self.template, safe=False)
        template.set_params(**dict.fromkeys(many, starts))
        return replace(self, template=template)

    def ends(self, values: Sequence[Any]) -> list[int] | None:
        """Return the places of values at the end of a range, where values have no order."""
        return None

    def at(self, value: Any) -> Algorithm:
        """Return the algorithm that clusters at a value of the parameter."""
        return self

    @property
    def fixed(self) -> str:
        """Why it clusters no other points than those of the user; empty if it does."""
        return ""

    def refusal(self, value: Any, why: str) -> str:
        """Return why there is no clustering at a value of the parameter."""
        return f"{self.name} refuses {self.parameter}={value}: {why}"

    def check_size(self, points: int) -> None:
        """Refuse more points than fit into memory, where all distances are held."""
        held = {name: getattr(self.template, name, None) for name in (*SPARE, "connectivity")}
        if held.pop("connectivity") is None and held.items().isdisjoint(SPARE.items()):
            size = 8 * points**2 * SQUARES.get(type(self.template).__name__, 0)
            what = f"a fit of {show_label(self.name)!r} to {points:,} points"
            need(size, what, "take fewer points, or another algorithm")

    @cached_property
    def reads_counts(self) -> bool:
        """Whether it reads features from zero on, as scikit-learn's tag `positive_only` says."""
        return bool(_tags(self.template).positive_only)

    @cached_property
    def reads_sparse(self) -> bool:
        """Whether it reads sparse rows; of a pipeline only the first step must."""
        first = self.template.steps[0][1] if hasattr(self.template, "steps") else self.template
        return bool(_tags(first).sparse)

    def settings(self, read: str) -> dict[str, str]:
        """Return what a fit depends on besides data, number of clusters and seed, as text.

        `read` says what is done to the data before the algorithm reads it.
        """
        kind = type(self.template)
        held = {
            key: _text(value)
            for key, value in sorted(self.template.get_params(deep=True).items())
            if _last(key) not in IDLE
        }
        return {"class": f"{kind.__module__}.{kind.__qualname__}", "input": read, **held}


def _tags(estimator: Any) -> Any:
    from sklearn.utils import get_tags

    return get_tags(estimator).input_tags


def _last(parameter: str) -> str:
    """Return the name of a parameter within its own step of a pipeline."""
    return parameter.rpartition("__")[2]


def _text(value: Any) -> str:
    """Return a parameter as text that is the same in every process."""
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return repr(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {_text(item)}' for key, item in value.items())}}}"
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
        return f"array {value.dtype} {value.shape} {digest}"
    kind = value if callable(value) and hasattr(value, "__qualname__") else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def read_algorithm(
    estimator: Any, parameter: str | None = NUMBERS[0], metric: Any = "euclidean"
) -> Algorithm:
    """Return what the user gave as an algorithm, or refuse it.

    `metric` is a name or a function; an algorithm that is given by name gets it, where it takes
    one. Without a parameter the algorithm is fitted as it is.
    """
    check_parameter(parameter)
    name, template = type(estimator).__name__, estimator
    if isinstance(estimator, str):
        name, template = estimator, _made(known_name(estimator, ALGORITHMS), metric)
    elif inspect.isclass(estimator):
        name = estimator.__name__
        template = estimator() if _can_cluster(estimator) else estimator
    if inspect.isclass(template) or not _can_cluster(template):
        raise ParameterError(
            "estimator must be a clusterer with fit_predict, get_params and set_params, or one "
            f"of {', '.join(ALGORITHMS)}; {name} is not."
        )
    from sklearn.base import is_outlier_detector

    if is_outlier_detector(template):
        raise ParameterError(f"{name} detects outliers; estimator must be a clusterer.")
    if metric == GOWER:
        template = _by_gower(template, name)
    else:
        _check_distances(template, name, metric)
    varied = "" if parameter is None else _parameter(template, name, parameter)
    return Algorithm(name, template, varied)


def check_parameter(parameter: Any) -> None:
    """Refuse a parameter that is no name."""
    if not isinstance(parameter, str | None):
        raise ParameterError(f"parameter must be a name, not {shown(parameter)}.")


def _can_cluster(estimator: Any) -> bool:
    wanted = ("fit_predict", "get_params", "set_params")
    return all(callable(getattr(estimator, name, None)) for name in wanted)


def known_name(given: str, names: Iterable[str]) -> str:
    """Return the name in the list that is meant, whatever its capitals, hyphens and spaces."""
    plain = _plain(given)
    known = {_plain(name): name for name in names} | ALIASES
    if plain in known:
        return known[plain]
    near = nearest(plain, known)
    hint = f"did you mean {known[near[0]]}?" if near else f"the names are {', '.join(names)}."
    raise ParameterError(f"there is no algorithm {show_label(given)!r}; {hint}")


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _made(name: str, metric: Any = "euclidean") -> Any:
    module, attribute, options = ALGORITHMS[name]
    made = getattr(importlib.import_module(module), attribute)(**options)
    if metric != "euclidean" and "metric" in made.get_params() and name not in EUCLIDEAN:
        made.set_params(metric=PRECOMPUTED if metric == GOWER else metric)
    return made


def _by_gower(template: Any, name: str) -> Any:
    """Return a clusterer of distances as one of points whose Manhattan distances these are."""
    from sklearn.base import clone

    if template.get_params(deep=False).get("metric") != PRECOMPUTED:
        raise ParameterError(
            f"{show_label(name)} knows no Gower distances; with ",
            Setting("metric", GOWER),
            f" take one of {', '.join(of_any_metric())}, or a clusterer with metric='precomputed'.",
        )
    return clone(template, safe=False).set_params(metric="manhattan")


def of_any_metric() -> list[str]:
    """Return the names of the algorithms that can be asked for another distance."""
    others = (name for name in ALGORITHMS if name not in EUCLIDEAN)
    return [name for name in others if "metric" in _made(name).get_params()]


def _check_distances(template: Any, name: str, metric: Any) -> None:
    """Refuse distances that would be read as features, and features read as distances."""
    held = template.get_params().values()
    takes = any(isinstance(value, str) and value == PRECOMPUTED for value in held)
    if metric == PRECOMPUTED and not takes:
        raise ParameterError(
            f"{name} would read distances as features; with metric='precomputed' the clusterer "
            "must be set to 'precomputed' too."
        )
    if takes and metric != PRECOMPUTED:
        raise ParameterError(f"{name} takes precomputed distances; so pass metric='precomputed'.")


def _parameter(template: Any, name: str, parameter: str) -> str:
    known = list(template.get_params())
    if parameter in known:
        return parameter
    if parameter == NUMBERS[0] and NUMBERS[1] in known:
        return NUMBERS[1]
    hint = suggestion(parameter, known, f"it takes {', '.join(known)}.")
    raise ParameterError(f"{name} has no parameter {show_label(parameter)!r}; {hint}")


def read_algorithms(given: Any, *, numbered: bool = True) -> tuple[Algorithm, ...]:
    """Return algorithms by name, or estimators by the name that a mapping gives them.

    Those given by name start once. Each of them can be asked for a number of clusters; if not
    `numbered`, those that find the number themselves are taken too, and have no parameter.
    """
    usable = NUMBERED if numbered else tuple(ALGORITHMS)
    if given is None:
        given = PAPER
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    named = isinstance(given, Mapping)
    pairs = list(given.items()) if named else [(_own_name(item, usable), item) for item in given]
    if not pairs:
        raise ParameterError("algorithms is empty; name at least one.")
    names = [name for name, _ in pairs]
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise ParameterError(f"an algorithm's name must be a word, not {show_label(name)!r}.")
        if names.count(name) > 1:
            raise ParameterError(
                f"algorithms has {show_label(name)!r} twice; a mapping such as "
                "{'first': ..., 'second': ...} tells them apart."
            )
    return tuple(_taken(name, item, usable) for name, item in pairs)


def _own_name(item: Any, usable: tuple[str, ...]) -> str:
    if isinstance(item, str):
        return _usable_name(item, usable)
    return str(getattr(item, "__name__", type(item).__name__))


def _usable_name(given: str, usable: tuple[str, ...]) -> str:
    if _plain(given) in DENSITY and _plain(given) not in usable:
        raise ParameterError(
            f"{_plain(given)} finds its number of clusters itself and cannot be asked for one."
        )
    return known_name(given, usable)


def _taken(name: str, item: Any, usable: tuple[str, ...]) -> Algorithm:
    if isinstance(item, str):
        item = _made(_usable_name(item, usable))
        if "n_init" in item.get_params():
            item.set_params(n_init=1)
    elif isinstance(item, type) and _can_cluster(item):
        item = item()
    parameter: str | None = _number_parameter(item)
    # A number that is None is found by the algorithm.
    if usable != NUMBERED and _can_cluster(item) and item.get_params().get(parameter) is None:
        parameter = None
    return replace(read_algorithm(item, parameter), name=name)


def _number_parameter(estimator: Any) -> str:
    """Return the parameter that is a number of clusters; in a pipeline, that of its last step."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        return NUMBERS[0]
    known = list(estimator.get_params(deep=True))
    direct = [name for name in NUMBERS if name in known]
    nested = [name for name in known if _last(name) in NUMBERS]
    steps = getattr(estimator, "steps", None)
    if not direct and steps:
        nested = [name for name in nested if name.startswith(f"{steps[-1][0]}__")]
    return (direct or nested or NUMBERS)[0]


def read_seed(random_state: Any) -> int | None:
    """Return a seed that scikit-learn takes, from an int, a Generator or None."""
    if random_state is None:
        return None
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    is_whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if is_whole and 0 <= random_state < 2**32:
        return int(random_state)
    wanted = "None, a whole number from 0 to 2^32 - 1 or a numpy Generator"
    raise ParameterError(Setting("random_state"), f" must be {wanted}, not {shown(random_state)}.")
