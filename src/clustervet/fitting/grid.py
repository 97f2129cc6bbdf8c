"""Several clusterers or functions, with several settings, as one whose parameter names both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

from clustervet._checks import is_number, suggestion
from clustervet.errors import ParameterError
from clustervet.fitting.algorithms import NUMBERS, Algorithm, read_algorithm
from clustervet.fitting.given import read_function
from clustervet.labels import plain_label, show_label

# Settings that are tried at most.
MOST = 10_000


@dataclass(frozen=True)
class GridAlgorithm(Algorithm):
    """All combinations of clusterers and settings, by the text that names each."""

    combinations: dict[str, tuple[Algorithm, dict[str, Any]]] = field(default_factory=dict)

    @property
    def members(self) -> list[Algorithm]:
        """The clusterers, each once."""
        return list({id(one): one for one, _ in self.combinations.values()}.values())

    def made(self, value: Any, seed: int | None) -> Any:
        """Return a fresh copy of one clusterer with its settings."""
        algorithm, settings = self.combinations[value]
        return algorithm.with_settings(settings, seed)

    def at(self, value: Any) -> Algorithm:
        """Return the clusterer of one combination."""
        return self.combinations[value][0]

    def ends(self, values: Sequence[Any]) -> list[int] | None:
        """Return the places of settings of which a number is the least or the largest one tried.

        Numbers of clusters are compared over all clusterers, other numbers among those of one.
        Two values of another parameter have none between them that could be the best.
        """
        places: dict[Any, list[tuple[int, float]]] = defaultdict(list)
        for place, value in enumerate(values):
            algorithm, settings = self.combinations[value]
            for name, number in settings.items():
                if is_number(number):
                    whose = "" if name in NUMBERS else (id(algorithm), name)
                    places[whose].append((place, float(number)))
        found: set[int] = set()
        for whose, held in places.items():
            numbers = {number for _, number in held}
            if len(numbers) >= (3 if whose else 2):
                found.update(p for p, number in held if number in (min(numbers), max(numbers)))
        return sorted(found)

    def settings_of(self, value: Any) -> dict[str, Any]:
        """Return the name and the settings of one combination."""
        algorithm, settings = self.combinations[value]
        return {"estimator": algorithm.name, **settings}

    def refusal(self, value: Any, why: str) -> str:
        """Return why there is no clustering with some settings; functions name them already."""
        return why if self.at(value).fixed else f"{value}: {why}"

    @property
    def varies_number(self) -> bool:
        """The parameter that varies is a name."""
        return False

    @cached_property
    def seeds(self) -> list[str]:
        """The seeds of all clusterers."""
        return [name for one in self.members for name in one.seeds]

    @property
    def has_own_seed(self) -> bool:
        """Whether the user set the seeds of all clusterers that have them."""
        seeded = [one for one in self.members if one.seeds]
        return bool(seeded) and all(one.has_own_seed for one in seeded)

    @property
    def fixed(self) -> str:
        """Why some of them cluster no other points; empty if all do."""
        return next((one.fixed for one in self.members if one.fixed), "")

    @property
    def is_density_based(self) -> bool:
        """Whether all of them look for dense regions."""
        return all(one.is_density_based for one in self.members)

    @cached_property
    def reads_counts(self) -> bool:
        """Whether one of them reads features from zero on."""
        return any(one.reads_counts for one in self.members)

    def quick(self, starts: int) -> GridAlgorithm:
        """Return the same with fewer starts, where they have a number of them."""
        held = {id(one): one.quick(starts) for one in self.members}
        combinations = {
            name: (held[id(one)], settings) for name, (one, settings) in self.combinations.items()
        }
        return GridAlgorithm(self.name, None, self.parameter, combinations=combinations)

    def check_size(self, points: int) -> None:
        """Refuse more points than fit into memory."""
        for one in self.members:
            one.check_size(points)


def read_grid(
    estimators: Any,
    grid: Any,
    metric: Any,
    X: Any = None,  # noqa: N803  # the name that everyone gives to features
) -> GridAlgorithm:
    """Return the combinations of clusterers or functions and settings, or refuse them.

    A setting is for those that have it; one that none has is refused. `X` names the points, for
    labels that functions give.
    """
    listed = list(estimators) if isinstance(estimators, list | tuple) else [estimators]
    if not listed:
        raise ParameterError("there is no estimator; give at least one.", parameter="estimator")
    read = _numbered([read_function(one, X) or read_algorithm(one, None, metric) for one in listed])
    asked = _read_values(grid)
    for name in asked:
        if not any(one.own(name) for one in read):
            every = sorted({known for one in read for known in one.known})
            hint = suggestion(name, every, f"they take {', '.join(every) or 'none'}.")
            raise ParameterError(
                f"no estimator has the parameter {show_label(name)!r}; {hint}", parameter="grid"
            )
    combinations: dict[str, tuple[Algorithm, dict[str, Any]]] = {}
    for algorithm in read:
        own = {algorithm.own(key): values for key, values in asked.items() if algorithm.own(key)}
        algorithm.check_settings(own)
        for values in product(*own.values()):
            settings = dict(zip(own, values, strict=True))
            shown = ", ".join(f"{key}={show_label(value)}" for key, value in settings.items())
            text = shown if len(read) == 1 and shown else f"{algorithm.name} {shown}".strip()
            if text in combinations:
                raise ParameterError(f"the setting {show_label(text)} is given twice.")
            combinations[text] = algorithm, settings
            if len(combinations) > MOST:
                raise ParameterError(f"the grid has more than {MOST:,} settings.")
    name = read[0].name if len(read) == 1 else f"{len(read)} clusterers"
    return GridAlgorithm(
        name, None, "settings" if len(read) == 1 else "clusterer", combinations=combinations
    )


def _numbered(read: list[Algorithm]) -> list[Algorithm]:
    """Return clusterers with numbers in the names that several of them have."""
    names = [one.name for one in read]
    return [
        replace(one, name=f"{one.name} {names[: k + 1].count(one.name)}")
        if names.count(one.name) > 1
        else one
        for k, one in enumerate(read)
    ]


def _read_values(grid: Any) -> dict[str, list[Any]]:
    """Return the values of each parameter."""
    if grid is None:
        return {}
    if not isinstance(grid, Mapping):
        raise ParameterError("grid must be {parameter: values}.")
    found = {}
    for name, values in grid.items():
        if not isinstance(name, str):
            raise ParameterError(f"grid has a parameter that is no name: {show_label(name)}.")
        try:
            held = None if isinstance(values, str | bytes) else list(values)
        except TypeError:
            held = None
        if held is None:
            raise ParameterError(f"grid must have several values of {show_label(name)}.")
        found[name] = [plain_label(value) for value in held]
        if not found[name]:
            raise ParameterError(f"grid has no value of {show_label(name)}.")
    return found
