"""`internal_scores`: a clustering judged when only the data is known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from clustervet._checks import share
from clustervet.errors import FeatureError, ParameterError, Setting
from clustervet.frames.moments import Moments
from clustervet.geometry import Geometry
from clustervet.geometry.geometry import as_geometry, read_once
from clustervet.geometry.metrics import check_standardize, read_metric
from clustervet.geometry.points import read_points, standardized
from clustervet.inference.inner_interval import LABELS_GIVEN, check_points
from clustervet.inference.interval import inner_intervals
from clustervet.labels import check_index
from clustervet.labels.pair import Missing, NoisePolicy, noise_place
from clustervet.registry import Measure, measures, subject_kind
from clustervet.scorecard.card import GeometrySubject, Score, ScoreCard, ScoreCards
from clustervet.scorecard.card_document import without_interval
from clustervet.scorecard.pairs import refuse_for_memberships, score_memberships
from clustervet.scorecard.questions import Chosen, named_labelings

# Points up to which everything that takes time points × points is shown unasked, and how
# many points and pairs are drawn beyond.
MANY_POINTS = 50_000
DRAWN_POINTS = 5_000
CAUTION = (
    "Internal measures favour clusterings made the way they measure: compare like with like "
    "(Aggarwal 2015, §6.9.1)."
)


def score_geometry(
    geometry: Geometry,
    measures_: Chosen = None,
    *,
    family: str | Iterable[str] | None = None,
    sample: int | None = None,
    random_state: Any = 0,
    confidence: float | None = None,
    pred: str = "pred",
) -> ScoreCard:
    """Return the score card of one finished geometry."""
    records = measures.select(measures_, kind="internal", family=family, general=True)
    for record in records:
        if record.kind != "internal":
            raise ParameterError(f"{record.key} needs a second labeling, not features.")
    remarks = [CAUTION, *([geometry.reading] if geometry.reading else [])]
    if confidence is not None:
        share(confidence, "confidence")
        try:
            check_points(geometry)
        except FeatureError as few:
            remarks.append(f"No intervals: {few}")
            confidence = None
    if measures_ is None:
        records, left_out = _affordable(records, geometry, sample)
        if left_out:
            remarks.append(f"Left out, for the time it takes: {', '.join(left_out)}; ask by name.")
    place = None if geometry.noise_cluster is None else noise_place(geometry.names)
    noisy = 0 if place is None else geometry.sizes[place].item()
    drawn = sample if sample is not None else _default_sample(geometry, measures_)
    scores = [_score(record, geometry, drawn, random_state) for record in records]
    if confidence is not None:
        scores = _with_intervals(scores, geometry, confidence, random_state)
        remarks += [*without_interval(records), LABELS_GIVEN]
    subject = GeometrySubject(
        geometry.n,
        geometry.d or None,
        geometry.k,
        geometry.metric.name,
        geometry.dropped,
        pred,
        tuple(remarks),
        noise_as_cluster=(0, noisy),
        scale_ratio=geometry.scale_ratio,
    )
    return ScoreCard(subject, scores)


def _default_sample(geometry: Geometry, chosen: Chosen) -> int | None:
    """Return how many points to draw where the user has not said and all would take long."""
    return DRAWN_POINTS if geometry.rows > MANY_POINTS and chosen is None else None


def _affordable(
    records: list[Measure], geometry: Geometry, sample: int | None
) -> tuple[list[Measure], list[str]]:
    """Return what a card shows by default, and the keys of what it leaves out."""
    many = geometry.rows > MANY_POINTS or sample is not None
    drawn = geometry.weights is None
    kept = [
        record
        for record in records
        if record.cost != "refits"
        and not (many and record.cost == "pairs" and not (drawn and _drawable(record)))
    ]
    return kept, [record.key for record in records if record not in kept]


def _drawable(record: Measure) -> bool:
    """Return whether the measure can be estimated from a sample."""
    return not {"sample", "pairs"}.isdisjoint(record.parameters)


def _score(record: Measure, geometry: Geometry, sample: int | None, random_state: Any) -> Score:
    parameters: dict[str, Any] = {}
    if "random_state" in record.parameters:
        parameters["random_state"] = random_state
    if sample is not None and "sample" in record.parameters and sample < geometry.rows:
        parameters["sample"] = sample
    return Score(record, *record.evaluate(geometry, **parameters))


def _with_intervals(
    scores: list[Score], geometry: Geometry, confidence: float, random_state: Any
) -> list[Score]:
    """Return the scores with intervals, where these can be made."""
    able = [x for x in scores if not x.measure.no_interval and math.isfinite(x.value)]
    made = inner_intervals(
        geometry,
        [score.measure for score in able],
        [score.value for score in able],
        confidence=confidence,
        random_state=random_state,
    )
    found = {score.measure.key: each for score, each in zip(able, made, strict=True)}
    return [replace(score, interval=found.get(score.measure.key)) for score in scores]


def internal_scores(
    X: Any,  # noqa: N803  # the name that everyone gives to features
    labels: Any = None,
    metric: Any = None,
    *,
    weights: Any = None,
    measures: Chosen = None,
    family: str | Iterable[str] | None = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    standardize: bool = False,
    sample: int | None = None,
    confidence: float | None = None,
    random_state: Any = 0,
) -> Any:
    """Score a clustering of features with every internal measure, or with the ones named.

    Parameters
    ----------
    X : array-like, sparse matrix, frame, Geometry or Moments
        One row per point; or a finished geometry, or the moments of the clusters.
    labels : array-like, mapping or Memberships, optional
        One label per point. Several clusterings, as {name: labels}, are scored side by side. A
        data frame and series of pandas must have equal indexes. `Memberships` are scored by how
        sharp they are and how they fit the features, and may stand alone, without features.
    metric : str or callable, optional
        The distance between points; "gower" for data frames with columns of any kind,
        "precomputed" if X holds distances.
    weights : array-like, optional
        How many points each row of X stands for; by default one.
    measures : str, Measure or list, optional
        The measures to compute; by default all except those that take very long.
    family : str or list of str, optional
        Only measures of this family.
    noise, noise_policy, missing : optional
        What noise labels and missing labels mean, as in `Contingency.from_labels`.
    standardize : bool, optional
        Give every feature mean 0 and variance 1. Without it, a note says so where one feature has
        100 times the range and the standard deviation of another.
    sample : int, optional
        How many points are drawn. With it, or with more than 50,000 points, the silhouette is
        estimated from points drawn by cluster, and measures whose time grows with the square of
        the points are left out unless they are named.
    confidence : float, optional
        Give scores an interval of this confidence, such as 0.95, where one can be made: it says
        where the value lies for all data of the source, with the labels taken as given. It does not
        say how much the clusters would change with other points; `stability` does. Fewer than 20
        points have no intervals.
    random_state : int, Generator or None, optional
        The seed of the drawing, and of the groups of points that intervals leave out.

    Returns
    -------
    ScoreCard or ScoreCards
        One card, or several by name where several clusterings were given.

    Raises
    ------
    FeatureError
        If the features are no finite numbers.
    LabelError
        If labels are missing, are no labels, or differ in number from the points, or if weights
        are none.

    Notes
    -----
    With weights each value is that of the rows repeated so many times. Measures of the order of
    distances and those that draw points take no weights; their score says so.

    Examples
    --------
    >>> card = internal_scores([[0], [1], [10], [11]], [0, 0, 1, 1], measures=["ssq", "dunn"])
    >>> card["ssq"], card["dunn"]
    (1.0, 9.0)
    >>> card = internal_scores([[0], [1], [10], [11]], [0, 0, 1, 1], weights=[1, 3, 2, 2])
    >>> card["ssq"]
    1.75

    Columns of any kind:

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20, 24, 60, 58], "city": ["Oslo", "Oslo", "Rome", "Rome"]})
    >>> card = internal_scores(people, [0, 0, 1, 1], "gower", measures=["silhouette", "ssq"])
    >>> round(card["silhouette"], 4), card["ssq"]
    (0.961, nan)
    """
    if subject_kind(X, labels) == "soft":
        beside = {"weights": weights, "noise": noise, "noise_policy": noise_policy}
        beside |= {"sample": sample, "confidence": confidence}
        refuse_for_memberships(beside)
        points = _standardized(X, metric, None) if standardize else X
        return score_memberships(points, labels, metric, measures, family)
    options: dict[str, Any] = {"family": family, "sample": sample, "random_state": random_state}
    options["confidence"] = confidence
    policies: dict[str, Any] = {"noise": noise, "noise_policy": noise_policy, "missing": missing}
    given = named_labelings(labels, "labels") if isinstance(labels, Mapping) else {"pred": labels}
    check_index({"X": X, **given, "the weights": weights})
    points = _standardized(X, metric, weights) if standardize else read_once(X, metric)
    cards = {}
    for name, each in given.items():
        read = {"weights": weights, **policies}
        geometry = as_geometry("internal_scores", points, each, metric, **read)
        cards[name] = score_geometry(geometry, measures, pred=name, **options)
    return ScoreCards(cards) if isinstance(labels, Mapping) else cards["pred"]


def _standardized(features: Any, metric: Any, weights: Any) -> Any:
    """Return features with mean 0 and variance 1."""
    if isinstance(features, Geometry | Moments):
        raise ParameterError(Setting("standardize"), " is for features, and there are none.")
    if metric is not None:
        check_standardize(read_metric(metric), standardize=True)
    return standardized(read_points(features), weights=weights)
