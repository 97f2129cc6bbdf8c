"""What is said of the labelings of an ensemble: names, weights, and which is at the centre."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.labelings import Labelings
from clustervet.errors import ParameterError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Medoid:
    """The labeling nearest to the others, and its mean distance to them."""

    index: int
    name: str
    mean_distance: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"name": self.name, "mean_distance": self.mean_distance}


def mean_to_others(matrix: Floats, weights: Floats) -> Floats:
    """Weighted mean distance of each labeling to the others; 0 where these weigh nothing."""
    others = weights.sum() - weights
    means: Floats = np.divide(matrix @ weights, others, out=np.zeros(len(matrix)), where=others > 0)
    return means


def some_labelings(many: Labelings, places: Sequence[int]) -> Labelings:
    """Some of the labelings."""
    return replace(
        many,
        names=tuple(many.names[i] for i in places),
        codes=tuple(many.codes[i] for i in places),
        clusters=many.clusters[list(places)],
        gaps=many.gaps[list(places)],
    )


def read_names(names: Sequence[str], many: Labelings) -> Labelings:
    """The labelings under other names, all different."""
    given = tuple(str(name) for name in names)
    if len(given) != len(many) or len(set(given)) < len(given):
        raise ParameterError(
            f"names must be {len(many):,} different names, one a labeling; {len(given):,} were "
            f"given, {len(set(given)):,} of them different."
        )
    return replace(many, names=given)


def read_weights(weights: Any, count: int) -> Floats:
    """Weights of the labelings: numbers, none negative, not all zero."""
    if weights is None:
        return np.ones(count)
    try:
        given = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("weights must be numbers, one a labeling.") from None
    if given.shape != (count,):
        raise ParameterError(
            f"weights must be one number a labeling; there are {count:,} labelings and the "
            f"weights have shape {given.shape}."
        )
    if not np.isfinite(given).all() or given.min() < 0 or not given.any():
        raise ParameterError("weights must be finite, not negative and not all zero.")
    return given
