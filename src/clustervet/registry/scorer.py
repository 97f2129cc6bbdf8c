"""Measures as scorers of scikit-learn: higher is better, whatever the measure's own direction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clustervet.errors import ParameterError

if TYPE_CHECKING:
    from clustervet.registry.record import Measure


@dataclass(frozen=True)
class Scorer:
    """What scikit-learn calls with a fitted estimator, points, and labels if there are any.

    `Measure.scorer` makes it.

    Parameters
    ----------
    measure : Measure
        The measure.
    options : dict, optional
        Parameters of the measure, and options of reading labels.

    Examples
    --------
    >>> import clustervet as cv
    >>> from sklearn.cluster import KMeans
    >>> X, y = [[0.0], [0.1], [5.0], [5.1]], ["a", "a", "b", "b"]
    >>> cv.measures["vi"].scorer()(KMeans(2, random_state=0).fit(X), X, y)
    -0.0
    """

    measure: Measure
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:  # noqa: N803 - scikit-learn's name
        """Return the score of a fitted estimator: the measure, negated where lower is better.

        Parameters
        ----------
        estimator : object
            A fitted clusterer. It labels the points by `predict`; one without it, such as
            AgglomerativeClustering, has labels of the points it was fitted to.
        X : array-like
            Points.
        y : array-like, optional
            Their classes, which external measures need.

        Returns
        -------
        float
            The score.

        Raises
        ------
        ParameterError
            If an external measure has no classes, or if the estimator has no labels of these
            points.
        """
        labels = estimator.predict(X) if hasattr(estimator, "predict") else _fitted(estimator, X)
        if self.measure.kind == "internal":
            value = self.measure(X, labels, **self.options)
        elif y is None:
            raise ParameterError(
                f"{self.measure.key} compares clusters with classes; give y, or score by an "
                "internal measure such as silhouette."
            )
        else:
            value = self.measure(y, labels, **self.options)
        return -float(value) if self.measure.better == "lower" else float(value)


def _fitted(estimator: Any, points: Any) -> Any:
    last = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
    labels = getattr(last, "labels_", None)
    count = points.shape[0] if hasattr(points, "shape") else len(points)
    if labels is None or len(labels) != count:
        raise ParameterError(
            f"{type(last).__name__} has no labels of these {count:,} points: it cannot predict, "
            "and was not fitted to them. GridSearchCV fits and scores all n points with "
            "cv=[(range(n), range(n))]."
        )
    return labels
