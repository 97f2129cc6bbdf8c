"""Estimates from samples: their intervals hold what they promise."""

from __future__ import annotations

import math

import internal_data as data
import numpy as np
import pytest
from scipy import sparse

import clustervet as cv
from clustervet.errors import ParameterError

X, Y = data.gaussians([40, 90, 170], 3, seed=30, apart=1.2)
SEEDS = range(200)


def covered(estimates: list[cv.Estimate], exact: float, confidence: float = 0.95) -> float:
    """The share of intervals that hold the exact value."""
    ends = [estimate.interval(confidence) for estimate in estimates]
    return float(np.mean([low <= exact <= high for low, high in ends]))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_intervals_of_sampled_silhouettes_cover(metric: str) -> None:
    g = cv.Geometry(X, Y, metric=metric)
    exact = cv.silhouette(g)
    found = [cv.silhouette(g, sample=60, random_state=seed) for seed in SEEDS]
    assert covered(found, exact) >= 0.9
    assert covered(found, exact, 0.5) < 0.7
    assert abs(np.mean(found) - exact) < 3 * np.std(found) / math.sqrt(len(found))
    assert math.isclose(np.std(found), np.mean([e.standard_error for e in found]), rel_tol=0.25)


def test_intervals_of_sampled_ratios_cover() -> None:
    g = cv.Geometry(X, Y)
    exact = cv.intra_inter_ratio(g, pairs="all")
    found = [cv.intra_inter_ratio(g, pairs=400, random_state=seed) for seed in SEEDS]
    assert covered(found, exact) >= 0.9
    assert covered(found, exact, 0.5) < 0.65
    assert math.isclose(np.std(found), np.mean([e.standard_error for e in found]), rel_tol=0.25)


def test_strata_make_the_sampled_silhouette_steadier() -> None:
    """Draws by cluster vary less than draws from all points, whose error is sd / sqrt(m)."""
    points = cv.silhouettes(X, Y).points
    found = [cv.silhouette(X, Y, sample=60, random_state=seed) for seed in SEEDS]
    assert np.std(found) < points.std() / math.sqrt(60)


def test_larger_samples_come_closer() -> None:
    small = cv.silhouette(X, Y, sample=30)
    large = cv.silhouette(X, Y, sample=240)
    assert large.standard_error < small.standard_error / 2
    assert large.sample == 240
    assert small.sample == 30


def test_sample_of_all_points_is_exact() -> None:
    exact = cv.silhouette(X, Y)
    for size in (len(Y), len(Y) + 50):
        found = cv.silhouette(X, Y, sample=size)
        assert math.isclose(found, exact, rel_tol=1e-12)
        low, high = cv.Estimate.interval(found) if isinstance(found, cv.Estimate) else (found,) * 2
        assert low <= exact <= high


def test_small_clusters_are_in_every_sample() -> None:
    labels = np.where(np.arange(len(Y)) < 2, 9, Y)
    g = cv.Geometry(X, labels)
    found = [cv.silhouette(g, sample=40, random_state=seed) for seed in SEEDS]
    assert covered(found, cv.silhouette(g)) >= 0.88


def test_exact_ratio_is_no_estimate_and_equals_all_pairs() -> None:
    plain = cv.intra_inter_ratio(X, Y)
    assert type(plain) is float
    assert plain == cv.intra_inter_ratio(X, Y, pairs="all")
    assert isinstance(cv.intra_inter_ratio(X, Y, pairs=100), cv.Estimate)


def test_estimates_are_floats_with_errors() -> None:
    for found in (
        cv.silhouette(X, Y, sample=50),
        cv.intra_inter_ratio(X, Y, pairs=100),
        cv.gap_statistic(X[:60], Y[:60], references=3),
        cv.validated_likelihood(X, Y, folds=5),
    ):
        assert isinstance(found, cv.Estimate)
        assert isinstance(found, float)
        assert found.standard_error > 0
        assert found.sample > 0
        low, high = found.interval()
        assert low < found < high
        wide = found.interval(0.999)
        assert wide[0] < low
        assert high < wide[1]
        assert math.isclose(found + 0.0, float(found))
        with pytest.raises(ParameterError, match="confidence"):
            found.interval(1.5)


@pytest.mark.parametrize(
    ("key", "options"),
    [
        ("silhouette", {"sample": 40}),
        ("intra_inter_ratio", {"pairs": 60}),
        ("gap_statistic", {"references": 2}),
        ("validated_likelihood", {"folds": 5}),
    ],
)
def test_seeds_decide_the_draw(key: str, options: dict[str, int]) -> None:
    def draw(state: object) -> float:
        return getattr(cv, key)(X[:80], Y[:80], random_state=state, **options)

    first = draw(1)
    assert first == draw(1)
    assert first == draw(np.random.default_rng(1))
    assert first != draw(2)
    assert math.isfinite(draw(None))


def test_intervals_of_validated_likelihood_cover_that_of_new_points() -> None:
    """The mean log density of points that no fold has seen, for labels of the same kind."""
    hits = []
    for seed in range(25):
        cloud, y = data.gaussians([100, 150], 2, seed=seed, apart=4.0)
        found = cv.validated_likelihood(cloud, y, random_state=seed)
        fresh = np.random.default_rng(1000 + seed)
        centres = np.random.default_rng(seed).normal(0, 4.0, (2, 2))
        new = centres[fresh.choice(2, 4000, p=[0.4, 0.6])] + fresh.normal(size=(4000, 2))
        density = sum(
            w * np.exp(-((new - c) ** 2).sum(axis=1) / 2) / (2 * np.pi)
            for w, c in zip((0.4, 0.6), centres, strict=True)
        )
        low, high = found.interval(0.99)
        hits.append(low <= np.log(density).mean() <= high)
    assert np.mean(hits) >= 0.88


WIDE, WIDE_Y = data.gaussians([30, 50], 40, seed=31, apart=0.5)
COUNTS = np.random.default_rng(32).poisson(0.7, (80, 12)) + np.eye(80, 12)
BLANK = np.where(np.arange(80)[:, None] < 5, 0.0, COUNTS)
GAPS = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
# Every source of distances: features, labels, metric.
SOURCES = {
    "few features": (X, Y, "euclidean"),
    "manhattan": (X, Y, "manhattan"),
    "chebyshev": (X, Y, "chebyshev"),
    "squared": (X, Y, "sqeuclidean"),
    "cosine": (X, Y, "cosine"),
    "cosine with rows of zeros": (BLANK, WIDE_Y, "cosine"),
    "foreign": (np.abs(X), Y, "canberra"),
    "function": (X, Y, lambda a, b: float(np.abs(a - b).max())),
    "wide": (WIDE, WIDE_Y, "euclidean"),
    "wide squared": (WIDE, WIDE_Y, "sqeuclidean"),
    "sparse": (sparse.csr_array(COUNTS), WIDE_Y, "euclidean"),
    "sparse squared": (sparse.csr_array(COUNTS), WIDE_Y, "sqeuclidean"),
    "sparse cosine": (sparse.csr_array(COUNTS), WIDE_Y, "cosine"),
    "sparse manhattan": (sparse.csr_array(COUNTS), WIDE_Y, "manhattan"),
    "precomputed": (GAPS, Y, "precomputed"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sampled_pairs_are_near_all_pairs(name: str) -> None:
    points, labels, metric = SOURCES[name]
    g = cv.Geometry(points, labels, metric)
    slow = name in ("foreign", "function", "sparse manhattan", "cosine with rows of zeros")
    found = cv.intra_inter_ratio(g, pairs=600 if slow else 40_000, random_state=0)
    exact = cv.intra_inter_ratio(g, pairs="all")
    assert abs(found - exact) < 5 * found.standard_error
    assert found.standard_error < 0.2 * exact


@pytest.mark.parametrize("name", SOURCES)
def test_a_distance_of_a_pair_is_that_of_the_whole_block(name: str) -> None:
    points, labels, metric = SOURCES[name]
    g = cv.Geometry(points, labels, metric)
    rng = np.random.default_rng(0)
    rows, others = rng.integers(0, g.n, 40), rng.integers(0, g.n, 40)
    block = g.tile(np.arange(g.n), 0, g.n)
    assert g.paired(rows, others) == pytest.approx(block[rows, others], rel=1e-6, abs=1e-7)
