"""What a benchmark runs over: data sets with their true labelings, and clusterings made before."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.frames.suite_files import SuiteSet, find_results, find_suite
from clustervet.geometry.points import read_points
from clustervet.labels import Codes, check_index, consecutive, read_labels, show_label

# The label of noise in files NAME.labels0.gz (Gagolewski 2022).
SUITE_NOISE = 0


@dataclass(frozen=True, eq=False)
class Truth:
    """A true labeling: consecutive codes of the objects that count, and which these are."""

    codes: NDArray[Any]
    kept: NDArray[np.bool_] | None
    classes: int


@dataclass(frozen=True, eq=False)
class LoadedSet:
    """A data set in memory; `points` is None where only finished clusterings are judged."""

    points: Any
    truths: tuple[Truth, ...]
    objects: int

    @property
    def noise(self) -> int:
        """The most objects that a truth leaves out."""
        return max(self.objects - len(truth.codes) for truth in self.truths)


@dataclass(frozen=True, eq=False)
class SetSource:
    """A data set that is loaded when its turn comes."""

    name: str
    load: Callable[[], LoadedSet]


def read_sets(given: Any, label: Any, truth_noise: Any) -> list[SetSource]:
    """Return the data sets that the user gave: a mapping, or the path of a folder."""
    if isinstance(given, str | os.PathLike):
        columns = [label] if isinstance(label, str) else list(label or ())
        return [_from_files(one, truth_noise) for one in find_suite(given, columns)]
    if label is not None:
        raise ParameterError("label names columns of tables; it goes with the path of a folder.")
    if not isinstance(given, Mapping):
        raise ParameterError(
            "sets must be a mapping such as {'iris': (X, y)}, or the path of a folder, not "
            f"{show_label(type(given).__name__)}."
        )
    if not given:
        raise ParameterError("sets is empty; give at least one data set.")
    noise = [] if truth_noise == "auto" else _listed(truth_noise)
    return [_from_arrays(name, item, noise) for name, item in given.items()]


def _listed(noise: Any) -> list[Any]:
    if noise is None:
        return []
    return list(noise) if isinstance(noise, list | tuple | set) else [noise]


def _from_files(files: SuiteSet, truth_noise: Any) -> SetSource:
    usual = [] if files.is_table else [SUITE_NOISE]
    noise = usual if truth_noise == "auto" else _listed(truth_noise)

    def load() -> LoadedSet:
        points, truths = files.read()
        with _naming(files.name):
            return _loaded(points, truths, noise)

    return SetSource(files.name, load)


def _from_arrays(name: Any, item: Any, noise: list[Any]) -> SetSource:
    if not isinstance(name, str) or not name.strip():
        raise ParameterError(f"the name of a data set must be a word, not {show_label(name)!r}.")
    if hasattr(item, "data") and hasattr(item, "target"):  # as scikit-learn bundles data sets
        item = item.data, item.target
    if not isinstance(item, tuple | list) or len(item) < 2:
        raise ParameterError(
            f"the set {show_label(name)!r} must be (X, y): points with a true labeling, or several."
        )
    points, *truths = item
    with _naming(name):
        check_index({"X": points, **{f"y{k or ''}": y for k, y in enumerate(truths)}})
        loaded = _loaded(points, [read_labels(y, "y") for y in truths], noise)
    return SetSource(name, lambda: loaded)


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Say in which data set something is wrong."""
    try:
        yield
    except (LabelError, FeatureError) as error:
        raise type(error)(f"set {show_label(name)!r}: {error}") from None


def _loaded(points: Any, truths: Sequence[Codes], noise: list[Any]) -> LoadedSet:
    matrix = None if points is None else read_points(points)
    objects = len(truths[0]) if matrix is None else int(matrix.shape[0])
    for number, truth in enumerate(truths):
        which = "" if len(truths) == 1 else f" of truth {number + 1}"
        if len(truth) != objects:
            raise LabelError(f"{objects:,} points have {len(truth):,} labels{which}.")
        if truth.missing is not None and truth.missing.any():
            raise LabelError(
                f"{int(truth.missing.sum()):,} labels{which} are missing; leave these objects out, "
                "or label them as noise."
            )
    return LoadedSet(matrix, tuple(_truth(truth, noise) for truth in truths), objects)


def _truth(truth: Codes, noise: list[Any]) -> Truth:
    left_out = [code for label in noise if (code := truth.find(label)) is not None]
    kept = ~np.isin(truth.values, left_out)
    if not kept.any():
        raise LabelError("the truth labels all objects as noise.")
    codes, names = consecutive(truth if kept.all() else truth.keep(kept))
    return Truth(codes, None if kept.all() else kept, len(names))


# Clusterings made before, by algorithm, data set and number of clusters (None if it is not said).
Made = dict[str, dict[str, dict[int | None, list[NDArray[Any]]]]]


def read_made(given: Any, sets: Sequence[str]) -> Made:
    """Return the clusterings that the user has: a mapping, or the path of a folder."""
    if given is None:
        return {}
    found: Made = {}
    if isinstance(given, str | os.PathLike):
        for file in find_results(given):
            if file.name in sets:
                for algorithm, columns in file.read().items():
                    held = found.setdefault(algorithm, {}).setdefault(file.name, {})
                    held.setdefault(file.clusters, []).extend(_plain(codes) for codes in columns)
        if not found:
            raise ParameterError(
                "labels has no clustering of any of the data sets; its files must have their "
                f"names, such as {show_label(sets[0], 80)}.csv."
            )
        return found
    if not isinstance(given, Mapping) or not all(
        isinstance(one, Mapping) for one in given.values()
    ):
        raise ParameterError(
            "labels must be a mapping such as {'kmeans': {'iris': labels}}, or the path of a "
            "folder."
        )
    for algorithm, by_set in given.items():
        for name, labelings in by_set.items():
            if name not in sets:
                raise ParameterError(
                    f"labels has clusterings of {show_label(name)!r}, which is no data set."
                )
            several = labelings if _are_several(labelings) else [labelings]
            with _naming(name):
                runs = [_plain(read_labels(one, "labels")) for one in several]
            found.setdefault(str(algorithm), {})[name] = {None: runs}
    return found


def _are_several(labelings: Any) -> bool:
    """Return whether they are several labelings; a matrix has one row per labeling."""
    if isinstance(labelings, np.ndarray):
        return labelings.ndim == 2
    plain = isinstance(labelings, list | tuple) and len(labelings) > 0
    return plain and not isinstance(labelings[0], str) and np.ndim(labelings[0]) == 1


def _plain(codes: Codes) -> NDArray[Any]:
    """Return labels as integers; noise stays -1."""
    if codes.missing is not None and codes.missing.any():
        raise LabelError(f"labels has {int(codes.missing.sum()):,} missing labels.")
    values, names = consecutive(codes)
    plain = np.asarray(values, np.int64)
    noise = codes.find(-1)
    if noise is not None and noise in names:
        plain[codes.values == noise] = -1
    return plain
