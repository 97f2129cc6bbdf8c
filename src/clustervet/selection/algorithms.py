"""The algorithms of a selection: names and estimators become templates to copy, seed and fit."""

from __future__ import annotations

import difflib
import hashlib
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustervet.errors import ParameterError
from clustervet.labels import show_label
from clustervet.selection.estimators import COUNTS, NAMES, Clusterer, read_clusterer

# The six of Banerjee & Langford 2004, §4.2. A fit starts once, since runs are paid for. The soft
# mixture's concentration grows slowly, without which it seldom leaves its start.
PAPER: dict[str, tuple[str, str, dict[str, Any]]] = {
    "kmeans": ("sklearn.cluster", "KMeans", {}),
    "spherical": ("clustervet.clusterers", "SphericalKMeans", {}),
    "frequency_sensitive": ("clustervet.clusterers", "FrequencySensitiveKMeans", {}),
    "hard_movmf": ("clustervet.clusterers", "HardMovMF", {}),
    "soft_movmf": (
        "clustervet.clusterers",
        "SoftMovMF",
        {"concentration": "shared", "annealing": 1.2},
    ),
    "kl": ("clustervet.clusterers", "KLKMeans", {"weighting": "length"}),
}
ALIASES = {
    "spkmeans": "spherical",
    "sphericalkmeans": "spherical",
    "fskmeans": "frequency_sensitive",
    "frequencysensitivekmeans": "frequency_sensitive",
    "movmf": "soft_movmf",
    "klkmeans": "kl",
}
# Scikit-learn's own, where the number of clusters can be asked for.
OTHERS = tuple(name for name in NAMES if name not in {*PAPER, "dbscan", "hdbscan", "optics"})
# Parameters that change how a fit is made, but not what comes out.
IDLE = frozenset({"random_state", "n_jobs", "verbose", "memory", *COUNTS})


@dataclass(frozen=True)
class Algorithm:
    """One algorithm under the name it has in a selection.

    `counts` says that it reads features from zero on, as scikit-learn's tag `positive_only`
    tells, and so is handed counts as they are; `seeded`, that runs of it can differ; `dense`, that
    it cannot read sparse rows.
    """

    name: str
    clusterer: Clusterer
    counts: bool
    seeded: bool
    dense: bool

    def settings(self, read: str) -> dict[str, str]:
        """What a fit depends on besides data, number of clusters and seed, as text.

        `read` says what becomes of the data before it is read.
        """
        template = self.clusterer.template
        kind = type(template)
        held = {
            key: _text(value)
            for key, value in sorted(template.get_params(deep=True).items())
            if key.rpartition("__")[2] not in IDLE
        }
        return {"class": f"{kind.__module__}.{kind.__qualname__}", "input": read, **held}


def read_algorithms(given: Any) -> tuple[Algorithm, ...]:
    """Algorithms by name, or estimators by the name that a mapping gives them."""
    if given is None:
        given = tuple(PAPER)
    if isinstance(given, str) or not isinstance(given, Iterable):
        given = [given]
    if isinstance(given, Mapping):
        named = [_named(name, estimator) for name, estimator in given.items()]
    else:
        named = [_unnamed(item) for item in given]
    if not named:
        raise ParameterError("algorithms is empty; name at least one.")
    names = [algorithm.name for algorithm in named]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(
                f"algorithms has {show_label(name)!r} twice; a mapping such as "
                "{'first': ..., 'second': ...} tells them apart."
            )
    return tuple(named)


def _named(name: Any, estimator: Any) -> Algorithm:
    if not isinstance(name, str) or not name.strip():
        raise ParameterError(f"an algorithm's name must be a word, not {show_label(name)!r}.")
    return _algorithm(name, _by_name(estimator)[1] if isinstance(estimator, str) else estimator)


def _unnamed(item: Any) -> Algorithm:
    if isinstance(item, str):
        return _algorithm(*_by_name(item))
    return _algorithm(getattr(item, "__name__", type(item).__name__), item)


def _by_name(given: str) -> tuple[str, Any]:
    """The name as it is shown, and the estimator it means."""
    plain = _plain(given)
    known = {_plain(name): name for name in (*PAPER, *OTHERS)} | ALIASES
    if plain not in known:
        if plain in NAMES:
            raise ParameterError(
                f"{plain} finds its number of clusters itself and cannot be asked for one."
            )
        near = difflib.get_close_matches(plain, known, n=1)
        every = ", ".join((*PAPER, *OTHERS))
        hint = f"did you mean {known[near[0]]}?" if near else f"there are {every}."
        raise ParameterError(f"there is no algorithm {show_label(given)!r}; {hint}")
    name = known[plain]
    module, attribute, options = PAPER[name] if name in PAPER else NAMES[name]
    kind = getattr(importlib.import_module(module), attribute)
    once = {"n_init": 1} if "n_init" in kind().get_params() else {}
    return name, kind(**{**options, **once})


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def _algorithm(name: str, estimator: Any) -> Algorithm:
    from sklearn.utils import get_tags

    clusterer = read_clusterer(estimator, _count_parameter(estimator), "euclidean")
    template = clusterer.template
    seeds = [key for key in template.get_params() if key.rpartition("__")[2] == "random_state"]
    reads = get_tags(template).input_tags
    # Of a pipeline only the first step reads the rows as they are.
    first = get_tags(template.steps[0][1]).input_tags if hasattr(template, "steps") else reads
    return Algorithm(name, clusterer, bool(reads.positive_only), bool(seeds), not first.sparse)


def _count_parameter(estimator: Any) -> str:
    """The parameter that is a number of clusters; in a pipeline, that of its last step."""
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        return COUNTS[0]
    known = list(estimator.get_params(deep=True))
    direct = [name for name in COUNTS if name in known]
    nested = [name for name in known if name.rpartition("__")[2] in COUNTS]
    steps = getattr(estimator, "steps", None)
    if not direct and steps:
        nested = [name for name in nested if name.startswith(f"{steps[-1][0]}__")]
    return (direct or nested or list(COUNTS))[0]


def _text(value: Any) -> str:
    """A parameter as text that says the same in every process."""
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


def seeds_of(seed: int, name: str, clusters: int, run: int) -> tuple[int, int]:
    """Seeds of one fit and of the ties in its clusters, whatever else is fitted beside it.

    >>> seeds_of(0, "kmeans", 3, 1) == seeds_of(0, "kmeans", 3, 1)
    True
    >>> seeds_of(0, "kmeans", 3, 1)[0] == seeds_of(0, "spherical", 3, 1)[0]
    False
    """
    fit, ties = sequence_of(seed, name, clusters, run).generate_state(2).tolist()
    return fit, ties


def sequence_of(seed: int, name: str, *numbers: int) -> np.random.SeedSequence:
    """A stream of random numbers for one purpose of one selection."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:16]
    return np.random.SeedSequence([seed, *np.frombuffer(digest, "<u4").tolist(), *numbers])
