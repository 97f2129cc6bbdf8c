"""Features for a clusterer; a refusal recommends only what that clusterer can read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustervet.errors import FeatureError, ParameterError, Setting
from clustervet.fitting.algorithms import of_any_metric, read_algorithm
from clustervet.fitting.given import is_function
from clustervet.geometry.metrics import GOWER
from clustervet.geometry.points import read_points
from clustervet.labels.several import is_frame


def read_features(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    estimator: Any,
) -> Any:
    """Return features, or refuse them and recommend what the estimator can read."""
    try:
        return read_points(X)
    except FeatureError as error:
        if error.parameter != "metric" or _takes_gower(estimator):
            raise
        refusal = str(error.parts[0]).rpartition(". ")[0]  # without the recommendation
        raise FeatureError(
            f"{refusal}, or with ",
            Setting("metric", GOWER),
            f" take a clusterer that knows the distance: {', '.join(of_any_metric())}.",
        ) from None


def _takes_gower(estimator: Any) -> bool:
    """Return whether Gower's distance may be asked for, which functions and labels never see."""
    several = estimator if isinstance(estimator, list | tuple) else [estimator]
    try:
        for one in several:
            if not (is_function(one) or isinstance(one, Mapping) or is_frame(one)):
                read_algorithm(one, None, GOWER)
    except ParameterError:
        return False
    return True
