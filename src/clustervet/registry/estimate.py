"""What a formula gives: a value, perhaps with its standard error, or a reason for none."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, NamedTuple, Self

from clustervet.errors import ParameterError


class Outcome(NamedTuple):
    """A measure's value, and the reason where the value is undefined (`nan`)."""

    value: float
    why: str | None = None


class Estimate(float):
    """A value known up to a sampling error: a float with its standard error.

    >>> guess = Estimate(0.5, standard_error=0.01, sample=1_000)
    >>> guess + 1
    1.5
    >>> low, high = guess.interval(0.95)
    >>> round(low, 4), round(high, 4)
    (0.4804, 0.5196)
    """

    standard_error: float
    sample: int
    degrees: float

    def __new__(
        cls, value: float, *, standard_error: float, sample: int, degrees: float = math.inf
    ) -> Self:
        """A float that remembers how it was sampled."""
        made = super().__new__(cls, value)
        made.standard_error = float(standard_error)
        made.sample = int(sample)
        made.degrees = float(degrees)
        return made

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Where the exact value lies: by Student's law with so many degrees of freedom."""
        if not 0 < confidence < 1:
            raise ParameterError(f"confidence must lie between 0 and 1, not {confidence!r}.")
        reach = self._quantile((1 + confidence) / 2) * self.standard_error
        return float(self) - reach, float(self) + reach

    def _quantile(self, share: float) -> float:
        if self.degrees > 1_000:
            return NormalDist().inv_cdf(share)
        from scipy.special import stdtrit

        return float(stdtrit(max(self.degrees, 1.0), share))

    def __repr__(self) -> str:
        return f"{float(self)!r} ± {self.standard_error:.2g}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _estimate, (float(self), self.standard_error, self.sample, self.degrees)


def _estimate(value: float, standard_error: float, sample: int, degrees: float) -> Estimate:
    return Estimate(value, standard_error=standard_error, sample=sample, degrees=degrees)
