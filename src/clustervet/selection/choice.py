"""`Choice`: what one rule reads off one curve, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustervet.errors import ParameterError

Floats = NDArray[np.float64]
AT_THE_END = "the best value lies at the end of the range"


@dataclass(frozen=True, slots=True)
class Choice:
    """What one rule reads off one curve.

    `strength` runs from 0 (nothing to see) to 1; `clear` says whether it is enough, and `why`
    what is missing where it is not. An unclear choice still names the best candidate, where
    there is one. `skipped` counts the undefined values of the curve.
    """

    value: Any
    index: int | None
    strength: float
    clear: bool
    rule: str
    why: str | None = None
    skipped: int = 0

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.value}" if self.clear else f"{self.why}"


def nothing(rule: str, why: str, skipped: int = 0) -> Choice:
    """No choice at all, and the reason."""
    return Choice(None, None, 0.0, False, rule, why, skipped)


def read_curve(values: Sequence[Any], curve: ArrayLike) -> Floats:
    """A curve as floats, one a parameter value."""
    heights = np.asarray(curve, np.float64)
    if heights.shape != (len(values),):
        raise ParameterError(
            f"a curve has a number for each parameter value; there are {len(values)} values and "
            f"the curve has shape {heights.shape}."
        )
    return heights


def read_clusters(values: Sequence[Any]) -> Floats:
    """Numbers of clusters: positive and rising."""
    wanted = "this rule reads numbers of clusters, positive and rising"
    if not all(is_number(value) for value in values):
        raise ParameterError(f"{wanted}; not all values are numbers.")
    numbers = np.asarray(values, np.float64)
    if len(numbers) and not (numbers[0] > 0 and (np.diff(numbers) > 0).all()):
        raise ParameterError(f"{wanted}, not {', '.join(f'{x:g}' for x in numbers[:5])}, ...")
    return numbers


def is_number(value: Any) -> bool:
    """Whether a parameter value has a place in an order."""
    return isinstance(value, int | float | np.number) and not (
        isinstance(value, bool) or math.isnan(value)
    )
