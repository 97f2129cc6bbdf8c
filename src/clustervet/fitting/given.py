"""Clusterings that are made elsewhere, by values of parameters: by a function, or made already."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number, suggestion
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
    """A function of parameters that gives labels, in the place of an algorithm.

    Its parameter that varies is its first argument, or one that it is given `by_name`. `X` names
    the points, if it is a data frame of pandas. `held` has the labels by value if they were made
    before; the function then looks them up.
    """

    X: Any = None
    held: Mapping[Any, Any] | None = None
    by_name: bool = False

    def made(self, value: Any, seed: int | None) -> GivenClustering:
        """Return the clustering at a value, which is made when it is asked for."""
        at = _at({self.parameter: value})
        named = {self.parameter: value} if self.by_name else {}
        first = () if self.by_name else (value,)
        make = partial(self.template, *first, **self._seeded(seed), **named)
        return GivenClustering(make, f"{self.name}({at})", at, self.X)

    def with_settings(self, settings: Mapping[str, Any], seed: int | None) -> GivenClustering:
        """Return the clustering of some settings, which is made when it is asked for."""
        make = partial(self.template, **{**self._seeded(seed), **settings})
        at = f"{self.name}({_at(settings)})"
        return GivenClustering(make, at, at, self.X)

    def _seeded(self, seed: int | None) -> dict[str, int]:
        return {} if seed is None else dict.fromkeys(self.seeds, seed)

    @cached_property
    def known(self) -> list[str]:
        """The arguments that it can be given by name."""
        arguments = _signature(self.template).parameters.values()
        kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
        return [one.name for one in arguments if one.kind in kinds]

    def own(self, parameter: str) -> str:
        """Return how it calls a parameter; with ``**`` it takes one of any name."""
        arguments = _signature(self.template).parameters.values()
        takes_all = any(one.kind == one.VAR_KEYWORD for one in arguments)
        return super().own(parameter) or parameter * takes_all

    def check_settings(self, names: Iterable[str]) -> None:
        """Refuse settings that leave out an argument without a default."""
        given = {*names, *self.seeds}
        missing = [
            one.name
            for one in _signature(self.template).parameters.values()
            if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
            if one.name not in given
        ]
        if missing:
            raise ParameterError(
                f"{self.name} has no default for {', '.join(missing)}; give values in the grid.",
                parameter="grid",
            )

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
        """The arguments of the function beside the one that varies, with their defaults."""
        arguments = list(_signature(self.template).parameters.values())
        others = arguments if self.by_name else arguments[1:]
        return {one.name: one.default for one in others if one.name != self.parameter}

    @property
    def fixed(self) -> str:
        """Why it clusters no other points."""
        if self.held is not None:
            return "labels are given for these points alone"
        parameter = show_label(self.parameter) or "its parameters"
        return f"a function of {parameter} alone cannot cluster other points"

    def refusal(self, value: Any, why: str) -> str:
        """Return why there is no clustering at a value; the reason names the value already."""
        return why

    def check_size(self, points: int) -> None:
        """Refuse labels that were made before, if they are not of these points."""
        for value in self.held or ():
            self.made(value, None).labels_of(points)


@dataclass(frozen=True)
class GivenClustering:
    """One clustering that is made elsewhere, in the place of an estimator.

    Messages name it by the `call` that makes it, and `at` what it was made for. `named` are the
    points, if they have names.
    """

    make: Callable[[], Any]
    call: str
    at: str
    named: Any

    def fit_predict(self, X: Any) -> NDArray[Any]:  # noqa: N803  # scikit-learn's name
        """Return the labels of the points."""
        return self.labels_of(X.shape[0])

    def labels_of(self, points: int) -> NDArray[Any]:
        """Return the labels, in the order of the points."""
        try:
            labels = self.make()
        except Exception as raised:  # a function may raise anything
            said = (str(raised).strip().splitlines() or [""])[0]
            kind = type(raised).__name__
            why = f"{kind}, {said}" if said else kind
            raise ParameterError(f"{self.call} fails: {why.rstrip('.')}.") from raised
        what = f"the labels at {self.at}"
        check_index({"X": self.named, what: labels})
        codes = read_labels(self._in_rows(labels, points, what), what)
        if len(codes) != points:
            raise LabelError(
                f"there are {len(codes):,} labels at {self.at}, and X has {points:,} points."
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
        index = index_of(self.named)
        rows = list(range(points) if index is None else index)
        if len(found) != points or set(found) != set(rows):
            raise LabelError(
                f"{what} name objects that are not the rows of X, so their order is unknown; give "
                "a sequence in the order of X, or X as a data frame with these names as its index."
            )
        return [found[row] for row in rows]


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


def read_function_of_points(function: Callable[..., Any]) -> FunctionOfPoints:
    """Return a function from points to labels as a clusterer."""
    return FunctionOfPoints(_name(function), function, "")


def is_function(estimator: Any) -> bool:
    """Return whether something is called for labels, rather than fitted."""
    is_clusterer = inspect.isclass(estimator) or hasattr(estimator, "fit_predict")
    return callable(estimator) and not is_clusterer


def read_function(
    function: Any,
    X: Any,  # noqa: N803  # the name that everyone gives to features
) -> GivenClusterings | None:
    """Return a function as what gives clusterings by settings; None for anything else."""
    if not is_function(function):
        return None
    return GivenClusterings(_name(function), function, "", X=_named(X), by_name=True)


def read_function_at(
    function: Any,
    parameter: Any,
    X: Any,  # noqa: N803  # the name that everyone gives to features
) -> GivenClusterings | None:
    """Return a function as what gives clusterings by one named parameter; None for anything else.

    Other than for `read_given`, the function must have a parameter of that name.
    """
    found = read_function(function, X)
    if found is None:
        return None
    check_parameter(parameter)
    own = found.own(parameter)
    if not own:
        hint = suggestion(parameter, found.known, f"it takes {', '.join(found.known) or 'none'}.")
        raise ParameterError(f"{found.name} has no parameter {show_label(parameter)!r}; {hint}")
    found.check_settings([own])
    return replace(found, parameter=own)


def read_given(
    estimator: Any,
    parameter: str | None,
    X: Any,  # noqa: N803  # the name that everyone gives to features
) -> GivenClusterings | None:
    """Return a function, or labels by value, as what gives clusterings; None for anything else."""
    check_parameter(parameter)
    if isinstance(estimator, Mapping) or is_frame(estimator):
        held = _by_value(estimator)
        given = parameter or VALUE
        return GivenClusterings("given labels", held.__getitem__, given, X=_named(X), held=held)
    function = read_function(estimator, X)
    if function is None:
        return None
    if parameter in function.known:
        return read_function_at(estimator, parameter, X)
    found = replace(function, parameter=parameter or _first_argument(estimator), by_name=False)
    try:
        _signature(estimator).bind(None, **dict.fromkeys(found.seeds))
    except TypeError:
        raise ParameterError(
            f"a function must take one value, and beside it at most {' or '.join(SEEDS)}, or get "
            "all its parameters from a grid; "
            f"{found.name} takes {show_label(_signature(estimator), 80)}.",
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
    return "lambda" if name == "<lambda>" else show_label(name)


def _named(points: Any) -> Any:
    """Return the points if they have names."""
    return points if index_of(points) is not None else None


def _at(settings: Mapping[str, Any]) -> str:
    """Return settings as a call shows them."""
    return ", ".join(
        f"{show_label(name)}={show_label(repr(value), 40)}" for name, value in settings.items()
    )
