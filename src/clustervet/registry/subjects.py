"""Clusterings that are more than labels, and which kind of measures reads them."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ParameterError
from clustervet.registry.record import Kind


class Pair(Protocol):
    """Two clusterings of the same objects, as the formulas of one kind read them."""

    @property
    def n(self) -> int:
        """The number of objects."""

    @property
    def identical(self) -> bool:
        """Whether both are the same clustering, whatever its groups are called."""

    @property
    def smallest(self) -> int:
        """The fewest objects of a cluster; all objects where there are no clusters."""

    @property
    def sizes(self) -> dict[str, int]:
        """What a score card says of the pair, such as {"classes": 3, "clusters": 4}."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know when reading the scores, such as objects in no group."""

    def take(self, places: NDArray[np.int64]) -> Self:
        """Return the pair on some of the objects."""

    def shuffled(self, order: NDArray[np.int64]) -> Self:
        """Return the pair with the objects of the prediction in another order."""


# What measures of a kind read, in words.
READ: dict[Kind, str] = {
    "soft": "memberships or labels",
    "overlapping": "groups or labels",
    "hierarchical": "a tree or labels",
}
# The kinds of which a formula reads a pair.
PAIRED: frozenset[Kind] = frozenset({"soft", "overlapping", "hierarchical"})
_KINDS: dict[type, Kind] = {}


def register_subject(kind: Kind, given: type) -> None:
    """Say that measures of a kind read clusterings of a class."""
    _KINDS[given] = kind


def refuse_others(kind: Kind, given: Any, what: str) -> None:
    """Refuse a clustering of another kind, which would be taken for something else."""
    for cls, other in _KINDS.items():
        if isinstance(given, cls) and other != kind:
            raise ParameterError(f"{what} must be {READ[kind]}, not a {cls.__name__}.")


def subject_kind(*given: Any) -> Kind | None:
    """Return the kind of measures that read some clusterings; None for labels and tables."""
    found = {kind: one for one in given for cls, kind in _KINDS.items() if isinstance(one, cls)}
    if len(found) > 1:
        one, other = (type(value).__name__ for value in list(found.values())[:2])
        raise ParameterError(f"no measure compares a {one} with a {other}.")
    return next(iter(found), None)
