"""Measures as scorers of scikit-learn: higher is better, whatever the measure's own direction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clustervet._checks import shown
from clustervet.errors import ParameterError

if TYPE_CHECKING:
    from clustervet.registry.record import Measure


@dataclass(frozen=True, repr=False)
class Scorer:
    """What scikit-learn calls with a fitted estimator, points, and labels if there are any.

    `Measure.scorer` makes it.

    Parameters
    ----------
    measure : Measure
        The measure.
    options : dict, optional
        Parameters of the measure, and options of reading labels.
    requests : dict, optional
        What `set_score_request` was asked for.

    Notes
    -----
    Weights of the points reach the score as they reach those of scikit-learn: with
    ``sklearn.set_config(enable_metadata_routing=True)`` if they are requested by
    `set_score_request`; without it, newer versions of scikit-learn pass on the ``sample_weight``
    that is given to the ``fit`` of a search.

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
    requests: dict[str, bool | str | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the call that makes it."""
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"measures[{self.measure.key!r}].scorer({options})"

    def __call__(
        self,
        estimator: Any,
        X: Any,  # noqa: N803  # scikit-learn's name
        y: Any = None,
        sample_weight: Any = None,
    ) -> float:
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
        sample_weight : array-like, optional
            Their weights, for a measure that takes them.

        Returns
        -------
        float
            The score.

        Raises
        ------
        ParameterError
            If an external measure has no classes, if the estimator has no labels of these
            points, or if the measure takes no weights.
        """
        options = self.options
        if sample_weight is not None:
            self._check_weights()
            options = {**options, "weights": sample_weight}
        labels = estimator.predict(X) if hasattr(estimator, "predict") else _fitted(estimator, X)
        if self.measure.kind == "internal":
            value = self.measure(X, labels, **options)
        elif y is None:
            raise ParameterError(
                f"{self.measure.key} compares clusters with classes; give y, or score by an "
                "internal measure such as silhouette."
            )
        else:
            value = self.measure(y, labels, **options)
        return -float(value) if self.measure.better == "lower" else float(value)

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Scorer:
        """Say whether weights of the points are passed on to the score.

        Parameters
        ----------
        sample_weight : bool or str, optional
            True to be given the weights, False to go without, the name under which they are
            passed, or None to refuse them.

        Returns
        -------
        Scorer
            The scorer itself, changed.

        Raises
        ------
        ParameterError
            If scikit-learn's metadata routing is off, the measure takes no weights, or the request
            is neither True, False, None nor a name.

        Examples
        --------
        >>> import clustervet as cv
        >>> import sklearn
        >>> with sklearn.config_context(enable_metadata_routing=True):
        ...     scorer = cv.measures["vi"].scorer().set_score_request(sample_weight=True)
        ...     scorer.get_metadata_routing()
        {'score': {'sample_weight': True}}
        """
        from sklearn import get_config

        if not get_config()["enable_metadata_routing"]:
            raise ParameterError(
                "weights are passed on to a scorer only with metadata routing; call "
                "sklearn.set_config(enable_metadata_routing=True) first."
            )
        named = isinstance(sample_weight, str) and sample_weight.isidentifier()
        if not (named or isinstance(sample_weight, bool | None)):
            raise ParameterError(
                f"sample_weight must be True, False, None or a name, not {shown(sample_weight)}."
            )
        if sample_weight:
            self._check_weights()
        self.requests.update(sample_weight=sample_weight)
        return self

    def get_metadata_routing(self) -> Any:
        """Return what the score is to be given, as scikit-learn asks for it.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            The request of weights, if the measure takes them.
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        found = MetadataRequest(owner=repr(self))
        known = {"sample_weight": None} if self._accept_sample_weight() else {}
        for name, alias in (known | self.requests).items():
            found.score.add_request(param=name, alias=alias)
        return found

    def _accept_sample_weight(self) -> bool:
        """Return whether weights can be given; scikit-learn asks without metadata routing."""
        return self.measure.kind == "external" or self.measure.weighted

    def _check_weights(self) -> None:
        """Refuse weights that the measure does not take, or has already."""
        if not self._accept_sample_weight():
            raise ParameterError(f"{self.measure.key} takes no weights; leave sample_weight out.")
        if "weights" in self.options:
            raise ParameterError(
                "the scorer has weights already; leave out either weights or sample_weight."
            )


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
