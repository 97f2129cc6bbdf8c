"""Names of metrics, and the records they become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from clustervet._checks import suggestion
from clustervet.errors import ParameterError, Setting

ALIASES = {
    "l2": "euclidean",
    "l1": "manhattan",
    "cityblock": "manhattan",
    "squared_euclidean": "sqeuclidean",
}
# Computed here; the rest is scikit-learn's and scipy's.
GOWER = "gower"
OWN = ("euclidean", "sqeuclidean", "cosine", "manhattan", "chebyshev", GOWER, "precomputed")
# The power of a factor of all features by which distances grow; other metrics ignore a factor.
DEGREES = {
    **dict.fromkeys(("euclidean", "manhattan", "chebyshev", "precomputed"), 1),
    **dict.fromkeys(("minkowski", "nan_euclidean"), 1),
    "sqeuclidean": 2,
}


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric by name, or a user's function of two points.

    `columns` is the number of columns of a table whose rows have become points by `gower_table`.
    """

    name: str
    function: Callable[..., float] | None = None
    columns: int = 0

    @property
    def is_own(self) -> bool:
        """Whether distances are computed here rather than by another library."""
        return self.function is None and self.name in OWN

    @property
    def reads_table(self) -> bool:
        """Whether it is Gower's distance, of a table that is not read yet."""
        return self.name == GOWER and self.function is None and not self.columns

    @property
    def of_points(self) -> Any:
        """The function or the name by which other libraries know the distance of two points."""
        return self.function or ("manhattan" if self.columns else self.name)

    @property
    def squares(self) -> float:
        """Factor that turns a squared Euclidean distance into this metric; 0 if there is none."""
        return {"sqeuclidean": 1.0, "cosine": 0.5}.get(self.name, 0.0) if self.is_own else 0.0

    @property
    def scales(self) -> bool:
        """Whether a factor of all features becomes a factor of all distances, or changes nothing.

        A user's function may read features in their unit, and angles have one.
        """
        return self.function is None and self.name != "haversine"

    @property
    def degree(self) -> int:
        """The power of a factor of all features that a distance is multiplied by."""
        return DEGREES.get(self.name, 0) if self.scales else 0


def read_metric(metric: Any) -> Metric:
    """A metric from its name or from a function of two points."""
    if isinstance(metric, Metric):
        return metric
    if callable(metric):
        return Metric(getattr(metric, "__name__", "callable"), metric)
    if not isinstance(metric, str):
        raise ParameterError(f"metric must be a name or a function of two points, not {metric!r}.")
    name = ALIASES.get(metric.strip().lower(), metric.strip().lower())
    if name in OWN:
        return Metric(name)
    known = _foreign()
    if name in known:
        return Metric(name)
    hint = suggestion(name, [*OWN, *known], f"try {', '.join(OWN)}.")
    raise ParameterError(f"there is no metric {metric!r}; {hint}")


def check_standardize(metric: Metric, standardize: bool) -> None:
    """Refuse to standardize where there is nothing that could be."""
    if standardize and metric.function is None and metric.name in (GOWER, "precomputed"):
        if metric.name == GOWER:
            what, why = Setting("metric", GOWER), ", which divides each column by its range."
            raise ParameterError(Setting("standardize"), " does not go with ", what, why)
        raise ParameterError("standardize is for features; with distances there are none.")


def _foreign() -> list[str]:
    """Names of the metrics that scikit-learn computes from two points alone."""
    from sklearn.metrics import pairwise
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS, distance_metrics

    names = {*distance_metrics(), *PAIRWISE_DISTANCE_FUNCTIONS, *pairwise._VALID_METRICS}
    return sorted(names - {"precomputed", "wminkowski"})
