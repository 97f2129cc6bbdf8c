"""What a formula gives: a value, perhaps with a standard error, or a reason for none."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, NamedTuple, Self

from clustervet._checks import share


class Outcome(NamedTuple):
    """The value of a measure, and the reason where the value is undefined (nan)."""

    value: float
    why: str | None = None


class Estimate(float):
    """A value that was estimated from a sample: a float with its standard error.

    Parameters
    ----------
    value : float
        The estimate.
    standard_error : float
        Its standard error.
    sample : int
        Size of the sample.
    degrees : float, optional
        Degrees of freedom of the standard error.

    Examples
    --------
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
        """Return a float that knows how it was sampled."""
        made = super().__new__(cls, value)
        made.standard_error = float(standard_error)
        made.sample = int(sample)
        made.degrees = float(degrees)
        return made

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval of the exact value, by Student's t distribution.

        Parameters
        ----------
        confidence : float, optional
            The confidence, between 0 and 1.

        Returns
        -------
        tuple of float
            The ends of the interval.

        Raises
        ------
        ParameterError
            If `confidence` is out of range.

        Examples
        --------
        >>> low, high = Estimate(0.5, standard_error=0.01, sample=1_000).interval(0.99)
        >>> round(low, 4), round(high, 4)
        (0.4742, 0.5258)
        """
        reach = self._quantile((1 + share(confidence, "confidence")) / 2) * self.standard_error
        return float(self) - reach, float(self) + reach

    def _quantile(self, level: float) -> float:
        if self.degrees > 1_000:
            return NormalDist().inv_cdf(level)
        from scipy.special import stdtrit

        return float(stdtrit(max(self.degrees, 1.0), level))

    def __repr__(self) -> str:
        return f"{float(self)!r} ± {self.standard_error:.2g}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _estimate, (float(self), self.standard_error, self.sample, self.degrees)


def _estimate(value: float, standard_error: float, sample: int, degrees: float) -> Estimate:
    return Estimate(value, standard_error=standard_error, sample=sample, degrees=degrees)
