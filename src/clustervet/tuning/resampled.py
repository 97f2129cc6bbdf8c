"""How well clusterings of different samples agree: prediction strength, instability, ambiguity.

They judge a clusterer rather than one clustering: samples of the points are clustered again. For
the first two, points that a sample does not hold are given its clusters by `assign`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, one_of, whole
from clustervet._checks import share as read_share
from clustervet.ensemble import Ensemble
from clustervet.errors import ClustervetError, ParameterError
from clustervet.fitting.algorithms import Algorithm
from clustervet.geometry.assign import HOW, How, assign
from clustervet.geometry.metrics import Metric
from clustervet.registry import Estimate, Measure, Outcome, check_options

Places = NDArray[np.int64]
# Labels of points, or why there are none.
Cluster = Callable[[Any], NDArray[Any] | str]
# Pairs of samples. Each takes two fits per value.
SPLITS = 20
# Samples whose consensus is taken, and the share of the points in each (Monti et al. 2003).
SAMPLES, SHARE = 100, 0.8
# Clusterers whose clusters lie around centroids, by the ends of their names.
CENTRAL = ("KMeans", "GaussianMixture", "Birch")
NOISE = -1
AMBIGUOUS = "ambiguous_pairs"


class Resampled(Measure):
    """The record of a measure that clusters samples again; it is known to `tune` alone."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by key."""
        return _recall, (self.key,)


def _recall(key: str) -> Measure:
    return RESAMPLED[key]


def prediction_strength(own: Places, predicted: Places) -> float:
    """Return the least share, over the clusters, of pairs that a prediction keeps together.

    `own` are the clusters of a sample, and `predicted` those that its points are given by the
    clusters of another one (Tibshirani and Walther 2005, eq. 2). A cluster of one point counts 1.

    >>> prediction_strength(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]))
    0.3333333333333333
    """
    shares = []
    for k in np.unique(own):
        counts = np.bincount(predicted[own == k])
        size = int(counts.sum())
        shares.append(float((counts * (counts - 1)).sum()) / (size * (size - 1)) if size > 1 else 1)
    return min(shares)


def disagreement(one: Places, other: Places) -> float:
    """Return the share of pairs of points that are together in one clustering alone.

    Pairs are drawn with replacement, so that there are n² (Fang and Wang 2012, eq. 1).

    >>> disagreement(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1]))
    0.375
    """
    width = int(other.max()) + 1
    both = np.bincount(one * width + other).astype(float)
    sums = [np.bincount(labels).astype(float) for labels in (one, other)]
    squares = float(sums[0] @ sums[0] + sums[1] @ sums[1] - 2 * both @ both)
    return squares / len(one) ** 2


def resampled(
    points: Any,
    cluster: Cluster,
    algorithm: Algorithm,
    metric: Metric,
    record: Measure,
    options: Mapping[str, Any],
) -> Outcome:
    """Return a measure of how well clusterings of samples agree."""
    if record.key == AMBIGUOUS:
        return _ambiguity(points, cluster, metric, options)
    return _over_pairs(points, cluster, algorithm, metric, record, options)


def _over_pairs(
    points: Any,
    cluster: Cluster,
    algorithm: Algorithm,
    metric: Metric,
    record: Measure,
    options: Mapping[str, Any],
) -> Outcome:
    """Return the mean over pairs of samples, with its standard error."""
    splits = whole(options.get("splits", SPLITS), "splits", 2)
    how: How = options.get("how") or usual_rule(algorithm, metric)
    draw = _halves if record.key == "prediction_strength" else _bootstraps
    compare = _strength if record.key == "prediction_strength" else _instability
    rng = generator(options.get("random_state", 0))
    found = []
    for _ in range(splits):
        rows = draw(points.shape[0], rng)
        labels = []
        for each in rows:
            made = _clustered(points, each, cluster, metric)
            if isinstance(made, str):
                return Outcome(math.nan, made)
            labels.append(made)

        def given(one: int, new: Places, rows: Any = rows, labels: Any = labels) -> Places:
            old = _drawn(points, rows[one], rows[one], metric)
            square = metric.name == "precomputed"
            found = assign(
                None if square else old,
                labels[one],
                _drawn(points, new, rows[one], metric),
                how,
                metric=metric,
            )
            return np.asarray(np.unique(found, return_inverse=True)[1], np.int64)

        try:
            found.append(compare(points.shape[0], rows, labels, given))
        except ClustervetError as error:
            return Outcome(math.nan, str(error).rstrip("."))
    spread = float(np.std(found, ddof=1)) / math.sqrt(splits)
    return Outcome(Estimate(float(np.mean(found)), standard_error=spread, sample=splits))


def _clustered(points: Any, rows: Places, cluster: Cluster, metric: Metric) -> NDArray[Any] | str:
    """Return the clusters of a sample, or why it has none."""
    made = cluster(_drawn(points, rows, rows, metric))
    if isinstance(made, str):
        return f"a sample of the points: {made}"
    return made if (made != NOISE).any() else "a sample of the points has no cluster"


def _ambiguity(
    points: Any, cluster: Cluster, metric: Metric, options: Mapping[str, Any]
) -> Outcome:
    """Return the share of pairs of points that are neither mostly together nor mostly apart."""
    samples = whole(options.get("samples", SAMPLES), "samples", 2)
    n = points.shape[0]
    size = max(2, round(read_share(options.get("share", SHARE), "share") * n))
    rng = generator(options.get("random_state", 0))
    many = np.full((samples, n), np.nan)  # nan: not in the sample, or noise there
    for labels in many:
        rows = np.sort(rng.choice(n, size, replace=False))
        made = _clustered(points, rows, cluster, metric)
        if isinstance(made, str):
            return Outcome(math.nan, made)
        labels[rows[made != NOISE]] = made[made != NOISE]
    return Outcome(Ensemble(list(many), shared=True).coassociation().pac)


def usual_rule(algorithm: Algorithm, metric: Metric) -> How:
    """Return how points are given the clusters of a clusterer, if nothing else was said."""
    last = algorithm.template
    last = last.steps[-1][1] if hasattr(last, "steps") else last
    name = type(last).__name__
    central = name.endswith(CENTRAL) or getattr(last, "linkage", "") == "ward"
    return "centroid" if central and metric.name in ("euclidean", "sqeuclidean") else "knn"


def _drawn(points: Any, rows: Places, columns: Places, metric: Metric) -> Any:
    return points[np.ix_(rows, columns)] if metric.name == "precomputed" else points[rows]


def _halves(n: int, rng: np.random.Generator) -> list[Places]:
    order = rng.permutation(n)
    return [order[: n // 2], order[n // 2 :]]


def _bootstraps(n: int, rng: np.random.Generator) -> list[Places]:
    """Return two bootstrap samples, each point once.

    Copies of a point would be taken for a dense place, as in samples of `stability`.
    """
    return [np.unique(rng.integers(n, size=n)) for _ in range(2)]


def _strength(n: int, rows: list[Places], labels: list[Any], given: Any) -> float:
    found = []
    for mine, other in ((0, 1), (1, 0)):
        held = labels[mine] != NOISE
        own = np.unique(labels[mine][held], return_inverse=True)[1]
        found.append(prediction_strength(own, given(other, rows[mine][held])))
    return sum(found) / 2


def _instability(n: int, rows: list[Places], labels: list[Any], given: Any) -> float:
    return disagreement(*(given(k, np.arange(n)) for k in range(2)))


def _not_alone(points: Any, splits: int = SPLITS, how: str = "", random_state: int = 0) -> float:
    """Refuse to be computed without a clusterer."""
    raise ParameterError("it judges a clusterer, not one clustering; ask tune for it.")


def _not_one(
    points: Any, samples: int = SAMPLES, share: float = SHARE, random_state: int = 0
) -> float:
    return _not_alone(points)


RESAMPLED: dict[str, Measure] = {
    "prediction_strength": Resampled(
        key="prediction_strength",
        title="Prediction strength",
        symbol="ps",
        family="stability",
        kind="internal",
        better="higher",
        bounds=(0.0, 1.0),
        reference="Tibshirani & Walther 2005",
        meaning="The share of pairs of a cluster that the clusters of another half of the points "
        "keep together, for the worst cluster.",
        use="The number of clusters is wanted that new data would show again.",
        avoid="Clusters are small: half of the points may not show them.",
        formula=_not_alone,
        cost="refits",
    ),
    "instability": Resampled(
        key="instability",
        title="Bootstrap instability",
        symbol="s",
        family="stability",
        kind="internal",
        better="lower",
        bounds=(0.0, 1.0),
        reference="Fang & Wang 2012",
        meaning="The share of pairs of points on which the clusters of two samples disagree.",
        use="Clusterings with different numbers of clusters are to be compared by how much they "
        "depend on the sample.",
        avoid="Numbers of clusters differ much: with many small clusters most pairs are apart "
        "whatever the sample is.",
        formula=_not_alone,
        cost="refits",
    ),
    AMBIGUOUS: Resampled(
        key=AMBIGUOUS,
        title="Ambiguous pairs",
        symbol="pac",
        family="stability",
        kind="internal",
        better="lower",
        bounds=(0.0, 1.0),
        reference="Şenbabaoğlu, Michailidis & Li 2014",
        meaning="The share of pairs of points that samples put together more than one time in ten "
        "and at most nine times in ten.",
        use="It is to be seen which number of clusters gives the same groups in every sample.",
        avoid="Few clusters are compared with many: with many clusters most pairs are apart in "
        "every sample.",
        formula=_not_one,
        cost="refits",
    ),
}


def repeats(record: Measure, options: Mapping[str, Any]) -> str:
    """Return how many samples a measure clusters, in words."""
    if record.key == AMBIGUOUS:
        share = options.get("share", SHARE)
        return f"{options.get('samples', SAMPLES)} samples of {share:.0%} of the points"
    return f"mean over {options.get('splits', SPLITS)} pairs of samples"


def check_resampled(record: Measure, options: Mapping[str, Any]) -> None:
    """Refuse options that these measures do not have."""
    check_options(options, list(record.parameters), record.key)
    if options.get("how"):
        one_of(options["how"], "how", HOW)
