"""Intra and Inter of Aggarwal 2015, eqs. 6.43 and 6.44, and pairs drawn as the book draws them."""

from __future__ import annotations

import math

import internal_data as data
import numpy as np
import polars as pl
import pytest
from scipy.spatial.distance import pdist

import clustervet as cv
from clustervet.errors import LabelError, ParameterError

X, Y = data.gaussians([40, 90, 170], 3, seed=30, apart=1.2)
SAME = (Y[:, None] == Y)[np.triu_indices(len(Y), 1)]
METRICS = ["euclidean", "cityblock", "cosine", "sqeuclidean", "canberra"]
BOTH = (cv.intra_distance, cv.inter_distance)


@pytest.mark.parametrize("metric", METRICS)
def test_means_over_all_pairs(metric: str) -> None:
    distances = pdist(X, metric)
    assert math.isclose(cv.intra_distance(X, Y, metric), distances[SAME].mean(), rel_tol=1e-10)
    assert math.isclose(cv.inter_distance(X, Y, metric), distances[~SAME].mean(), rel_tol=1e-10)


@pytest.mark.parametrize("options", [{}, {"pairs": 500}, {"pairs": 500, "draw": "simple"}])
def test_their_quotient_is_the_ratio(options: dict[str, object]) -> None:
    """The same seed draws the same pairs."""
    intra, inter = (measure(X, Y, **options) for measure in BOTH)
    assert math.isclose(intra / inter, cv.intra_inter_ratio(X, Y, **options), rel_tol=1e-12)


@pytest.mark.parametrize("draw", ["halves", "simple"])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine"])
def test_intervals_of_drawn_pairs_cover(draw: str, metric: str) -> None:
    g = cv.Geometry(X, Y, metric)
    for measure in (*BOTH, cv.intra_inter_ratio):
        exact = measure(g, pairs="all")
        found = [measure(g, pairs=400, draw=draw, random_state=seed) for seed in range(150)]
        ends = [estimate.interval() for estimate in found]
        assert np.mean([low <= exact <= high for low, high in ends]) >= 0.88
        errors = np.mean([estimate.standard_error for estimate in found])
        assert math.isclose(np.std(found), errors, rel_tol=0.25)


def test_pairs_of_the_book_are_drawn_from_all_pairs_alike() -> None:
    """r pairs are drawn, and as many as chance wants lie in P; the rest is Q."""
    shares = []
    for seed in range(60):
        options = {"pairs": 1_000, "draw": "simple", "random_state": seed}
        intra, inter = (measure(X, Y, **options) for measure in BOTH)
        assert intra.sample + inter.sample == 1_000
        shares.append(intra.sample / 1_000)
    wanted = SAME.mean()
    spread = math.sqrt(wanted * (1 - wanted) / 1_000)
    assert abs(np.mean(shares) - wanted) < 4 * spread / math.sqrt(60)
    assert math.isclose(np.std(shares), spread, rel_tol=0.3)


def test_every_pair_is_equally_likely_to_be_drawn() -> None:
    from clustervet.internal.pairs import drawn_pairs

    g = cv.Geometry([[0.0], [1.0], [3.0], [7.0]], [0, 0, 1, 1])
    within, between = drawn_pairs(g, 60_000, "simple", np.random.default_rng(0))
    counts = np.zeros((4, 4), int)
    for one, other in (within, between):
        np.add.at(counts, (one, other), 1)
    assert np.diag(counts).sum() == 0
    off = counts[~np.eye(4, dtype=bool)]
    assert (abs(off - 5_000) < 5 * math.sqrt(5_000)).all()


def test_halves_draw_half_within_and_half_between() -> None:
    intra, inter = (measure(X, Y, pairs=401) for measure in BOTH)
    assert (intra.sample, inter.sample) == (200, 201)


def test_no_pair_within_clusters_is_said() -> None:
    points = np.arange(2_000.0)[:, None]
    labels = np.r_[np.zeros(2, int), np.arange(1, 1_999)]  # one pair in two million
    found = cv.internal_scores(points, labels, measures=["intra_distance"])
    assert found["intra_distance"] == 1.0
    options = {"pairs": 100, "draw": "simple"}
    assert math.isnan(cv.intra_distance(points, labels, **options))
    outcome = cv.measures["intra_distance"].evaluate(cv.Geometry(points, labels), **options)
    assert outcome.why == "0 of the pairs drawn are of points in the same cluster; draw more pairs"


def test_one_cluster_has_pairs_within_and_none_between() -> None:
    one = np.zeros(len(Y))
    assert math.isclose(cv.intra_distance(X, one), pdist(X).mean(), rel_tol=1e-10)
    for draw in ("halves", "simple"):
        found = cv.intra_distance(X, one, pairs=2_000, draw=draw)
        assert abs(found - pdist(X).mean()) < 5 * found.standard_error
    with pytest.raises(LabelError, match="2 clusters"):
        cv.inter_distance(X, one)


def test_points_alone_have_pairs_between_and_none_within() -> None:
    alone = np.arange(len(Y))
    assert math.isclose(cv.inter_distance(X, alone), pdist(X).mean(), rel_tol=1e-10)
    for draw in ("halves", "simple"):
        found = cv.inter_distance(X, alone, pairs=2_000, draw=draw)
        assert abs(found - pdist(X).mean()) < 5 * found.standard_error
    with pytest.raises(LabelError, match="a cluster of at least 2 points"):
        cv.intra_distance(X, alone)


def test_another_way_to_draw_is_refused() -> None:
    for measure in (*BOTH, cv.intra_inter_ratio):
        with pytest.raises(ParameterError, match="draw must be 'halves' or 'simple', not 'book'"):
            measure(X, Y, draw="book")


def test_squared_distances_are_exact_however_many_pairs_there_are() -> None:
    """They follow from centroids; only moments are known here, so no pair could be drawn."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, 12_000)  # 72 million pairs
    points = rng.normal(size=(12_000, 2)) + codes[:, None]
    frame = pl.DataFrame({"c": codes, "x": points[:, 0], "y": points[:, 1]})
    moments = cv.cluster_moments(frame, label="c", features=["x", "y"])
    for measure in (*BOTH, cv.intra_inter_ratio):
        found = measure(moments, metric="sqeuclidean")
        assert type(found) is float
        drawn = measure(points, codes, "sqeuclidean", pairs=200_000)
        assert abs(found - drawn) < 5 * drawn.standard_error


def test_tuning_reads_the_same_elbow_from_intra_as_from_the_ratio() -> None:
    points = np.concatenate(
        [np.random.default_rng(k).normal(c, 1, (40, 2)) for k, c in enumerate((0, 8, 16))]
    )
    found = cv.tune(
        "kmeans",
        points,
        values=range(2, 8),
        measures=["intra_distance", "intra_inter_ratio", "td", "median_distance"],
        random_state=0,
        references=0,
    )
    ours, ratio = found.choices["intra_distance"], found.choices["intra_inter_ratio"]
    assert ours.value == ratio.value == 3
    assert math.isclose(ours.strength, ratio.strength, rel_tol=1e-9)
    assert found.choices["medoid_distance"].value == found.choices["median_distance"].value == 3
