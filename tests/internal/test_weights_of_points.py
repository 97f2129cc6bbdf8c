"""A row of weight w counts as w points at the same place, for every measure that takes weights."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import internal_data as data
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn import metrics as peer

import clustervet as cv
from clustervet.errors import LabelError, ParameterError
from clustervet.geometry import sweep
from clustervet.internal import pairs

INTERNAL = cv.measures.select(kind="internal")
LITTLE = {"references": 2, "folds": 2}


def case(seed: int = 0, d: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Four groups of points, and whole weights of which some are 0."""
    points, y = data.gaussians([10, 12, 15, 11], d, seed=seed, apart=2.0)
    weights = np.random.default_rng(seed).integers(0, 5, len(y))
    weights[:2] = [3, 0]
    return points, y, weights


def agree(one: cv.Geometry, other: cv.Geometry, record: cv.Measure, **asked: Any) -> None:
    """Both have the value, or have none for the same reason."""
    a, b = record.evaluate(one, **asked), record.evaluate(other, **asked)
    assert a.why == b.why
    assert math.isnan(b.value) or math.isclose(a.value, b.value, rel_tol=1e-8, abs_tol=1e-9), asked


@pytest.mark.parametrize("record", INTERNAL, ids=lambda record: record.key)
@settings(max_examples=8)
@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 4),
    metric=st.sampled_from(["euclidean", "sqeuclidean", "cosine", "manhattan"]),
    heaviest=st.integers(1, 6),
)
def test_whole_weights_repeat_points_or_are_refused(
    record: cv.Measure, seed: int, d: int, metric: str, heaviest: int
) -> None:
    rng = np.random.default_rng(seed)
    points, y = data.gaussians(rng.integers(1, 9, 3).tolist(), d, seed=seed, apart=1.0)
    weights = rng.integers(0, heaviest + 1, len(y))
    weights[rng.integers(len(y))] = 2
    geometry = cv.Geometry(points, y, metric, weights=weights)
    rows = np.repeat(np.arange(len(y)), weights)
    if record.weighted:
        agree(geometry, cv.Geometry(points[rows], y[rows], metric), record)
        return
    little = {name: few for name, few in LITTLE.items() if name in record.parameters}
    assert record.evaluate(geometry, **little).why == "it takes no weights"
    with pytest.raises(ParameterError, match=f"^{record.key} has no value here: it takes no weig"):
        record(geometry, **little)


def furthest(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max())


def matrix(points: Any) -> np.ndarray:
    distances = cdist(points, points, "cityblock")
    return (distances + distances.T) / 2


KINDS = {
    "float32": (lambda x: x.astype(np.float32), "euclidean", 3),
    "sparse": (lambda x: sparse.csr_array(np.round(np.maximum(x, 0), 1)), "euclidean", 6),
    "sparse cosine": (lambda x: sparse.csr_array(np.abs(x) + 0.1), "cosine", 6),
    "wide": (lambda x: x, "euclidean", 50),
    "correlation": (lambda x: x, "correlation", 5),
    "chebyshev": (lambda x: x, "chebyshev", 3),
    "own": (lambda x: x, furthest, 2),
    "precomputed": (matrix, "precomputed", 3),
    "precomputed float32": (lambda x: matrix(x).astype(np.float32), "precomputed", 3),
    "tiny": (lambda x: x * 1e-150, "euclidean", 3),
    "huge": (lambda x: x * 1e150, "manhattan", 2),
    "far": (lambda x: x + 1e8, "euclidean", 3),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_features(kind: str) -> None:
    make, metric, d = KINDS[kind]
    points, y, weights = case(1, d)
    points = make(points)
    rows = np.repeat(np.arange(len(y)), weights)
    other = points[np.ix_(rows, rows)] if metric == "precomputed" else points[rows]
    one = cv.Geometry(points, y, metric, weights=weights)
    two = cv.Geometry(other, y[rows], metric)
    assert (one.n, one.sizes.tolist(), one.exponent) == (two.n, two.sizes.tolist(), two.exponent)
    for record in INTERNAL:
        if record.weighted:
            agree(one, two, record)


def test_every_parameter() -> None:
    points, y, weights = case(2)
    rows = np.repeat(np.arange(len(y)), weights)
    one, two = cv.Geometry(points, y, weights=weights), cv.Geometry(points[rows], y[rows])
    dunn = cv.measures["generalized_dunn"]
    between = ("single", "complete", "average", "centroid", "to_centroids", "hausdorff")
    for pair in itertools.product(between, ("diameter", "average", "centroid")):
        agree(one, two, dunn, between=pair[0], within=pair[1])
    for shape in ("spherical", "diagonal", "tied", "full"):
        for key in ("log_likelihood", "bic", "aic"):
            agree(one, two, cv.measures[key], covariance=shape, regularization=0.1)
    for shape in ("tied", "full"):
        agree(one, two, cv.measures["scott_symons"], covariance=shape)
    agree(one, two, cv.measures["intra_inter_ratio"], pairs="all")
    agree(one, two, cv.measures["sd_index"], alpha=0.5)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_repeated_points_of_scikit_learn(metric: str) -> None:
    points, y, weights = case(3)
    points, rows = points + 5, np.repeat(np.arange(len(y)), weights)
    assert cv.silhouette(points, y, metric, weights=weights) == pytest.approx(
        peer.silhouette_score(points[rows], y[rows], metric=metric), rel=1e-8
    )
    for ours, theirs in (
        (cv.calinski_harabasz, peer.calinski_harabasz_score),
        (cv.davies_bouldin, peer.davies_bouldin_score),
    ):
        assert ours(points, y, metric, weights=weights) == pytest.approx(
            theirs(points[rows], y[rows])
        )


REAL = st.integers(1, 40).map(lambda eighths: Fraction(eighths, 8))


@settings(max_examples=60)
@given(rows=st.lists(st.tuples(st.integers(-9, 9), st.booleans(), REAL), min_size=3, max_size=9))
def test_real_weights_by_exact_fractions(rows: list[tuple[int, bool, Fraction]]) -> None:
    x, labels, w = zip(*rows, strict=True)
    geometry = cv.Geometry(np.array(x)[:, None], labels, weights=[float(each) for each in w])
    ssq = within = inside = Fraction(0)
    for label in set(labels):
        held = [k for k in range(len(x)) if labels[k] == label]
        total = sum(w[k] for k in held)
        mean = sum(w[k] * x[k] for k in held) / total
        ssq += sum(w[k] * (x[k] - mean) ** 2 for k in held)
        within += sum(w[i] * w[j] * abs(x[i] - x[j]) for i, j in itertools.combinations(held, 2))
        inside += total * (total - 1) / 2
    assert cv.ssq(geometry) == pytest.approx(float(ssq), rel=1e-12, abs=1e-12)
    apart = [(i, j) for i in range(len(x)) for j in range(i) if labels[i] != labels[j]]
    if apart:
        between = sum(w[i] * w[j] * abs(x[i] - x[j]) for i, j in apart)
        between /= sum(w[i] * w[j] for i, j in apart)
        assert cv.inter_distance(geometry) == pytest.approx(float(between), rel=1e-12)
    found = cv.measures["intra_distance"].evaluate(geometry)
    if inside > 0:
        assert found.value == pytest.approx(float(within / inside), rel=1e-12)
    elif inside < 0:
        assert found.why == "the weights are too small to count pairs of points"


def test_weights_of_one_change_no_bit() -> None:
    points, y, _ = case(4)
    geometry = cv.Geometry(points, y, weights=np.ones(len(y)))
    assert geometry.weights is None  # so nothing can tell it from one without
    assert geometry.sizes.dtype == np.int64
    assert cv.dbcv(points, y, weights=[1] * len(y)) == pytest.approx(cv.dbcv(points, y), rel=1e-12)


def test_rows_without_weight_are_not_there() -> None:
    points, y, _ = case(5)
    labels = np.where(y == 3, -1, y)  # noise, which dbcv counts
    weights = np.ones(len(y))
    weights[[0, 7, 20]] = 0
    kept = weights > 0
    for key in ("dbcv", "c_index", "silhouette"):
        ours = cv.measures[key](points, labels, weights=weights)
        assert ours == pytest.approx(cv.measures[key](points[kept], labels[kept]), rel=1e-12)
    gone = cv.Geometry(points, y, weights=np.where(y == 2, 0, 2))
    assert gone.names == [0, 1, 3]
    blank = gone.as_given(np.ones(gone.rows), 0.0)
    assert blank.tolist() == (y != 2).tolist()


@pytest.mark.parametrize("policy", [{"noise": "drop"}, {"missing": "drop"}, {"missing": "class"}])
@pytest.mark.parametrize("precomputed", [False, True])
def test_policies_drop_weights_alike(policy: dict[str, Any], precomputed: bool) -> None:
    points, y, weights = case(6)
    labels = [None if "missing" in policy and c == 3 else -1 if c == 3 else int(c) for c in y]
    rows = np.repeat(np.arange(len(y)), weights)
    repeated = [labels[row] for row in rows]
    apart = cdist(points, points)
    pair = (apart, apart[np.ix_(rows, rows)]) if precomputed else (points, points[rows])
    metric = "precomputed" if precomputed else "euclidean"
    one = cv.Geometry(pair[0], labels, metric, weights=weights, **policy)
    two = cv.Geometry(pair[1], repeated, metric, **policy)
    assert (one.n, one.dropped) == (two.n, two.dropped)
    for key in ("silhouette", "medoid_distance", "intra_inter_ratio", "dunn"):
        agree(one, two, cv.measures[key])


def test_singletons_take_no_weights() -> None:
    points, labels = [[0], [1], [9], [8]], [0, 0, -1, -1]
    with pytest.raises(ParameterError, match=r"^noise='singletons' takes no weights: "):
        cv.Geometry(points, labels, weights=[1, 2, 1, 1], noise="singletons")
    assert cv.Geometry(points, labels, weights=[1, 1, 1, 0], noise_policy="singletons").k == 2


def test_blocks_of_rows_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    points, y, weights = case(7)
    whole = cv.Geometry(points, y, weights=weights)
    expected = [record.evaluate(whole) for record in INTERNAL if record.weighted]
    monkeypatch.setattr(sweep, "BLOCK", 4 * 5)
    monkeypatch.setattr("clustervet.geometry.moments.FEW_VALUES", 21)
    parts = cv.Geometry(points, y, weights=weights)
    found = [record.evaluate(parts) for record in INTERNAL if record.weighted]
    assert [one.value for one in found] == pytest.approx(
        [one.value for one in expected], rel=1e-12, nan_ok=True
    )


def test_a_weight_of_less_than_two_points() -> None:
    """A cluster that weighs one point or less has silhouette 0, as a point alone."""
    points, y = [[0], [1], [10], [11]], [0, 0, 1, 1]
    light = cv.Geometry(points, y, weights=[0.5, 0.5, 4, 4])
    apart = (1 - 4 / 7 / 9.5) + (1 - 4 / 7 / 10.5)
    assert cv.silhouette(light) == pytest.approx(4 * apart / 9)
    assert cv.macro_silhouette(light) == pytest.approx(apart / 4)
    found = cv.measures["calinski_harabasz"].evaluate(cv.Geometry(points, y, weights=[0.25] * 4))
    assert found.why.endswith("than points, and the weights of 2 clusters sum to 1")


BAD = {
    "too few": [1, 2],
    "two dimensions": [[1, 2, 3, 4]],
    "negative": [1, -2, 1, 1],
    "NaN": [1, np.nan, 1, 1],
    "infinite": [1, np.inf, 1, 1],
    "text": ["1", "2", "3", "4"],
    "none positive": [0, 0, 0, 0],
    "masked": np.ma.masked_greater([1, 2, 3, 9], 5),
    "complex": [1j, 1, 1, 1],
}
SQUARE = [[0], [1], [5], [6]]


@pytest.mark.parametrize("bad", BAD)
def test_bad_weights_get_the_sentence_of_tables(bad: str) -> None:
    labels = [0, 0, 1, 1]
    with pytest.raises(LabelError) as known:
        cv.Contingency.from_labels(labels, labels, weights=BAD[bad])
    for door in (cv.Geometry, cv.silhouette, cv.ssq, cv.internal_scores):
        with pytest.raises(LabelError) as caught:
            door(SQUARE, labels, weights=BAD[bad])
        assert str(caught.value) == str(known.value)


def test_weights_that_only_points_refuse() -> None:
    for heavy in ([2**53, 1, 1, 1], [1e300, 1, 1, 1], [10**400, 1, 1, 1]):
        with pytest.raises(LabelError, match="must sum to less than"):
            cv.Geometry(SQUARE, [0, 0, 1, 1], weights=heavy)
    with pytest.raises(LabelError, match="weights of a cluster must sum to at least 1e-50"):
        cv.Geometry(SQUARE, [0, 0, 1, 1], weights=[1, 1, 1e-60, 1e-60])
    with pytest.raises(LabelError, match="no object that is left has a weight above 0"):
        cv.Geometry(SQUARE, [0, 0, None, None], weights=[0, 0, 1, 1], missing="drop")
    frame, series = pd.DataFrame(SQUARE, [3, 4, 5, 6]), pd.Series([1, 2, 3, 4], [6, 5, 4, 3])
    with pytest.raises(LabelError, match="the weights have the same index values in another"):
        cv.Geometry(frame, [0, 0, 1, 1], weights=series)
    given = cv.Geometry(SQUARE, [0, 0, 1, 1])
    with pytest.raises(ParameterError, match="either one Geometry or features and labels"):
        cv.silhouette(given, weights=[1, 2, 3, 4])
    rows = cv.Geometry([[0, 0], [1, 0], [0, 1]], [0, 0, 1], "cosine", weights=[1, 2, 1])
    assert cv.measures["silhouette"].evaluate(rows).why == (
        "cosine distances of rows of zeros take no weights"
    )


def test_drawing_takes_no_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    points, y, weights = case(8)
    for key, asked in {
        "silhouette": {"sample": 9},
        "medoid_distance": {"sample": 9},
        "intra_inter_ratio": {"pairs": 50},
        "intra_distance": {"pairs": 50, "draw": "simple"},
        "inter_distance": {"pairs": 50},
    }.items():
        with pytest.raises(ParameterError, match=r"a sample of (points|pairs) takes no weights\.$"):
            cv.measures[key](points, y, weights=weights, **asked)
    monkeypatch.setattr(pairs, "EXACT_PAIRS", 20)
    found = cv.measures["intra_distance"].evaluate(cv.Geometry(points, y, weights=weights))
    assert found.why == "a sample of pairs takes no weights"
    assert cv.intra_distance(points, y, weights=weights, pairs="all") > 0


def test_what_is_no_measure_refuses_weights() -> None:
    points, y, weights = case(9)
    geometry = cv.Geometry(points, y, weights=weights)
    for name, ask in {
        "silhouettes": lambda: cv.silhouettes(geometry),
        "Geometry.clusters": geometry.clusters,
        "noise_features": lambda: cv.noise_features(geometry, None),
    }.items():
        with pytest.raises(ParameterError, match=rf"^{name} takes no weights\.$"):
            ask()
    with pytest.raises(ParameterError, match=r"^chance takes no weights for measures of features"):
        cv.chance("silhouette", points, y, weights=weights, samples=2)


def test_a_measure_of_ones_own_takes_weights_only_if_it_says_so() -> None:
    points, y, weights = case(10)
    about = {"title": "n", "family": "mine", "kind": "internal", "better": "lower"}

    @cv.measure(key="points_of_mine", bounds=(0, math.inf), **about)
    def size(geometry: cv.Geometry) -> float:
        return geometry.n

    @cv.measure(key="weights_of_mine", bounds=(0, math.inf), weighted=True, **about)
    def weighed(geometry: cv.Geometry) -> float:
        return geometry.n

    try:
        with pytest.raises(ParameterError, match="takes no weights"):
            size(points, y, weights=weights)
        assert weighed(points, y, weights=weights) == weights.sum()
    finally:
        cv.measures.remove("points_of_mine")
        cv.measures.remove("weights_of_mine")


def test_a_geometry_says_what_it_counts() -> None:
    geometry = cv.Geometry(SQUARE, [0, 0, 1, 1], weights=[0.5, 1, 2, 4])
    assert repr(geometry) == ("Geometry of 7.5 points in 4 rows: 1 features, 2 clusters, euclidean")
    assert (geometry.n, geometry.rows, geometry.sizes.tolist()) == (7.5, 4, [1.5, 6.0])


def test_score_cards() -> None:
    points, y, weights = case(11)
    rows = np.repeat(np.arange(len(y)), weights)
    for standardize in (False, True):
        asked = {"measures": ["ssq", "silhouette", "bic"], "standardize": standardize}
        cards = cv.internal_scores(points, {"a": y, "b": y % 2}, weights=weights, **asked)
        known = cv.internal_scores(points[rows], {"a": y[rows], "b": y[rows] % 2}, **asked)
        for name in ("a", "b"):
            assert dict(cards[name]) == pytest.approx(dict(known[name]), rel=1e-9)
        assert str(cards["a"].subject) == str(known["a"].subject)
    whole = cv.internal_scores(points, y, weights=weights)
    assert whole.score("dbcv").why == "it takes no weights"
    heavy = cv.internal_scores(points, y, weights=weights * 10**4)  # few rows, however many points
    assert heavy["silhouette"] == pytest.approx(whole["silhouette"], rel=0.1)
    many = cv.internal_scores(points, y, weights=weights, sample=5)
    assert "silhouette" not in many.scores  # left out, as it cannot be drawn
    assert cv.measures["ssq"].many(points, [y, y % 2], weights=weights).tolist() == pytest.approx(
        [cv.ssq(points[rows], y[rows]), cv.ssq(points[rows], y[rows] % 2)]
    )
