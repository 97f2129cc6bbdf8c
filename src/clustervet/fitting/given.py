"""Clusterings that are made elsewhere, by value of a parameter: by a function, or made already."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet.errors import LabelError, ParameterError
from clustervet.fitting.algorithms import Algorithm, check_parameter
from clustervet.labels import check_index, consecutive, plain_label, read_labels, show_label
from clustervet.labels.index import index_of
from clustervet.labels.keyed import as_mapping, is_keyed
from clustervet.labels.several import columns_of, is_frame

# Arguments of a function that are seeds, if it has them.
SEEDS = ("random_state", "seed")
NOISE = -1
VALUE = "value"


@dataclass(frozen=True)
class GivenClusterings(Algorithm):
    """A function from a value to labels, in the place of an algorithm.

    `X` names the points, if it is a data frame of pandas. `held` has the labels by value if they
    were made before; the function then looks them up.
    """

    X: Any = None
    held: Mapping[Any, Any] | None = None

    def made(self, value: Any, seed: int | None) -> GivenClustering:
        """Return the clustering at a value, which is made when it is asked for."""
        return GivenClustering(self, value, seed)

    @cached_property
    def seeds(self) -> list[str]:
        """The arguments of the function that are seeds."""
        return [name for name in SEEDS if name in self._defaults]

    @property
    def has_own_seed(self) -> bool:
        """Whether its seeds have values of their own."""
        return bool(self.seeds) and all(
            self._defaults[name] not in (None, inspect.Parameter.empty) for name in self.seeds
        )

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        """The arguments of the function after the first, with their defaults."""
        arguments = list(_signature(self.template).parameters.values())
        return {one.name: one.default for one in arguments[1:]}

    @property
    def fixed(self) -> str:
        """Why it clusters no other points."""
        if self.held is not None:
            return "labels are given for these points alone"
        return f"a function of {show_label(self.parameter)} alone cannot cluster other points"

    def refusal(self, value: Any, why: str) -> str:
        """Return why there is no clustering at a value; the reason names the value already."""
        return why

    def check_size(self, points: int) -> None:
        """Refuse labels that were made before, if they are not of these points."""
        for value in self.held or ():
            self.labels_at(value, None, points)

    def labels_at(self, value: Any, seed: int | None, points: int) -> NDArray[Any]:
        """Return the labels of the points at a value, in the order of the points."""
        at = f"{show_label(self.parameter)}={show_label(repr(value), 40)}"
        seeds = {} if seed is None else dict.fromkeys(self.seeds, seed)
        try:
            labels = self.template(value, **seeds)
        except Exception as raised:  # a function may raise anything
            said = (str(raised).strip().splitlines() or [""])[0]
            kind = type(raised).__name__
            why = f"{kind}, {said}" if said else kind
            raise ParameterError(f"{self.name}({at}) fails: {why.rstrip('.')}.") from raised
        what = f"the labels at {at}"
        check_index({"X": self.X, what: labels})
        codes = read_labels(self._in_rows(labels, points, what), what)
        if len(codes) != points:
            raise LabelError(
                f"there are {len(codes):,} labels at {at}, and X has {points:,} points."
            )
        if codes.missing is not None and codes.missing.any():
            raise LabelError(f"{what} are missing for {int(codes.missing.sum()):,} points.")
        names = codes.restore(codes.values)
        if isinstance(names, np.ndarray):
            return names
        noise = codes.values == codes.find(NOISE)
        if not noise.any() and all(isinstance(name, str) for name in names):
            return np.array(names)
        # Names of other kinds may have no order, and noise must be -1: both are numbered.
        return np.where(noise, NOISE, consecutive(codes)[0])

    def _in_rows(self, labels: Any, points: int, what: str) -> Any:
        """Return labels in the order of the points, if they name their objects."""
        if not isinstance(labels, Mapping) and not is_keyed(labels):
            return labels
        found = as_mapping(labels, what)
        index = index_of(self.X)
        rows = list(range(points) if index is None else index)
        if len(found) != points or set(found) != set(rows):
            raise LabelError(
                f"{what} name objects that are not the rows of X, so their order is unknown; give "
                "a sequence in the order of X, or X as a data frame with these names as its index."
            )
        return [found[row] for row in rows]


@dataclass(frozen=True)
class GivenClustering:
    """The clustering at one value, in the place of an estimator."""

    source: GivenClusterings
    value: Any
    seed: int | None

    def fit_predict(self, X: Any) -> NDArray[Any]:  # noqa: N803  # scikit-learn's name
        """Return the labels of the points."""
        return self.source.labels_at(self.value, self.seed, X.shape[0])


@dataclass(frozen=True)
class FunctionOfPoints(Algorithm):
    """A function from points to labels, in the place of an algorithm."""

    def made(self, value: Any, seed: int | None) -> FunctionClustering:
        """Return the function with its seeds."""
        return FunctionClustering(self, {} if seed is None else dict.fromkeys(self.seeds, seed))

    @cached_property
    def seeds(self) -> list[str]:
        """The arguments of the function that are seeds."""
        return [name for name in SEEDS if name in _signature(self.template).parameters]

    @property
    def has_own_seed(self) -> bool:
        """Whether its seeds have values of their own; they are set all the same."""
        return False

    def check_size(self, points: int) -> None:
        """What a function needs is not known."""


@dataclass(frozen=True)
class FunctionClustering:
    """A function of points and its seeds, in the place of an estimator."""

    source: FunctionOfPoints
    seeds: dict[str, int]

    def fit_predict(self, X: Any) -> NDArray[Any]:  # noqa: N803  # scikit-learn's name
        """Return the labels of the points."""
        codes = read_labels(self.source.template(X, **self.seeds), "the labels")
        if codes.missing is not None and codes.missing.any():
            raise LabelError(f"labels are missing for {int(codes.missing.sum()):,} points")
        names = codes.restore(codes.values)
        return names if isinstance(names, np.ndarray) else np.array(names)


def read_function(function: Callable[..., Any]) -> FunctionOfPoints:
    """Return a function from points to labels as a clusterer."""
    return FunctionOfPoints(_name(function), function, "")


def read_given(
    estimator: Any,
    parameter: str | None,
    X: Any,  # noqa: N803  # the name that everyone gives to features
) -> GivenClusterings | None:
    """Return a function, or labels by value, as what gives clusterings; None for anything else."""
    is_clusterer = inspect.isclass(estimator) or hasattr(estimator, "fit_predict")
    held = None
    if isinstance(estimator, Mapping) or is_frame(estimator):
        held = _by_value(estimator)
        name, function, own = "given labels", held.__getitem__, VALUE
    elif callable(estimator) and not is_clusterer:
        name, function, own = _name(estimator), estimator, _first_argument(estimator)
    else:
        return None
    check_parameter(parameter)
    named = X if index_of(X) is not None else None
    found = GivenClusterings(name, function, parameter or own, X=named, held=held)
    try:
        _signature(function).bind(None, **dict.fromkeys(found.seeds))
    except TypeError:
        raise ParameterError(
            f"a function must take one value, and beside it at most {' or '.join(SEEDS)}; "
            f"{name} takes {show_label(_signature(function), 80)}.",
            parameter="estimator",
        ) from None
    return found


def check_values(values: list[Any], parameter: str) -> None:
    """Refuse values that are neither all numbers nor all of them names."""
    others = [value for value in values if not is_number(value)]
    odd = next((value for value in others if isinstance(value, float)), None)  # NaN
    if others and (odd is not None or len(others) < len(values)):
        raise ParameterError(
            f"the values of {show_label(parameter)} have no order: "
            f"{others[0] if odd is None else odd!r} stands among numbers.",
            parameter="values",
        )


def _by_value(labelings: Any) -> dict[Any, Any]:
    """Return labels by value, from a mapping or from the columns of a frame."""
    is_mapping = isinstance(labelings, Mapping)
    pairs = list(labelings.items()) if is_mapping else columns_of(labelings)
    values = [plain_label(value) for value, _ in pairs]
    if not is_mapping:
        values = _numbers(values) or values
    if not values:
        raise LabelError("there are no labels; give at least one value with its labels.")
    for value in values:
        if values.count(value) > 1:
            raise LabelError(f"two columns of labels have the value {show_label(value)!r}.")
    return {value: labels for value, (_, labels) in zip(values, pairs, strict=True)}


def _numbers(names: list[Any]) -> list[Any] | None:
    """Return the names of columns as numbers, if all of them are; many frames have only text."""
    try:
        return [int(name) if str(name).isdecimal() else float(name) for name in names]
    except (TypeError, ValueError):
        return None


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """Return the signature of a function; that of one value if it does not tell."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # some functions of compiled modules
        return inspect.signature(lambda value: value)


def _first_argument(function: Callable[..., Any]) -> str:
    """Return the name of the first argument, or a plain one if there is none."""
    first = next(iter(_signature(function).parameters.values()), None)
    single = first is not None and first.kind != first.VAR_POSITIONAL
    return first.name if first is not None and single else VALUE


def _name(function: Any) -> str:
    """Return the name of a function, of what a partial one calls, or of an object's class."""
    named = getattr(function, "func", function)
    name = str(getattr(named, "__name__", type(named).__name__))
    return "function" if name == "<lambda>" else show_label(name)
