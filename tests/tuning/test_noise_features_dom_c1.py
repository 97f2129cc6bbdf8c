"""Features that "follow the same distribution in all clusters" (Dom 2001, App. C.1) are noise."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.special import logsumexp
from scipy.stats import multivariate_normal, norm
from sklearn.cluster import DBSCAN, KMeans
from sklearn.mixture import GaussianMixture

import clustervet as cv
from clustervet.errors import FeatureError, LabelError, ParameterError

COVARIANCES = ["spherical", "diagonal", "tied", "full"]


def planted(
    seed: int, n: int = 240, noise: int = 3, apart: float = 4.0
) -> tuple[np.ndarray, np.ndarray]:
    """Two features that differ between three clusters, and others that do not."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    centres = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]]) * apart
    useful = centres[labels] + rng.normal(size=(n, 2))
    kinds = [rng.normal(3, 5, n), rng.uniform(size=n), rng.exponential(size=n)]
    return np.column_stack([useful, *(kinds[k % 3] for k in range(noise))]), labels


X, Y = planted(0)
NEW, _ = planted(1)


def covariance_of(own: np.ndarray, shape: str) -> np.ndarray:
    spread = np.cov(own.T, bias=True)
    if shape == "full":
        return spread
    variances = np.diag(spread)
    return np.diag(np.full(len(variances), variances.mean()) if shape == "spherical" else variances)


def log_mixture(
    points: np.ndarray, labels: np.ndarray, new: np.ndarray, shape: str, kept: list[int]
) -> np.ndarray:
    """Log densities of some features of new points, by scipy and by marginals of Gaussians."""
    parts, groups = [], [points[labels == k] for k in np.unique(labels)]
    tied = sum(len(own) * np.cov(own.T, bias=True) for own in groups) / len(points)
    for own in groups:
        spread = tied if shape == "tied" else covariance_of(own, shape)
        model = multivariate_normal(own.mean(axis=0)[kept], spread[np.ix_(kept, kept)])
        parts.append(math.log(len(own) / len(points)) + model.logpdf(new[:, kept]))
    return logsumexp(parts, axis=0)


def by_scipy(points: Any, labels: Any, new: Any, shape: str = "diagonal") -> np.ndarray:
    """Log density of the mixture, minus that of the model in which each feature is noise.

    Below it the part that other features confirm: 2 × points × features.
    """
    every = list(range(points.shape[1]))
    gains, shared = [], []
    for f in every:
        rest = [g for g in every if g != f]
        own = norm(points[:, f].mean(), points[:, f].std()).logpdf(new[:, f])
        told = log_mixture(points, labels, new, shape, every)
        told = told - log_mixture(points, labels, new, shape, rest)
        gains.append(told - own)
        shared.append(told - log_mixture(points, labels, new, shape, [f]))
    return np.stack([np.column_stack(gains), np.column_stack(shared)])


def assert_gains(found: cv.NoiseFeatures, wanted: np.ndarray) -> None:
    for ours, right in zip((found.gains, found.shared), wanted, strict=True):
        np.testing.assert_allclose([float(g) for g in ours], right.mean(axis=0), atol=1e-10)
        errors = right.std(axis=0, ddof=1) / math.sqrt(len(right))
        np.testing.assert_allclose([g.standard_error for g in ours], errors, rtol=1e-8)
    assert found.points == wanted.shape[1]


@pytest.mark.parametrize("shape", COVARIANCES)
def test_gains_of_a_validation_set_by_scipy(shape: str) -> None:
    found = cv.noise_features(X, Y, validation=NEW, covariance=shape)
    assert_gains(found, by_scipy(X, Y, NEW, shape))
    assert found.folds == 0


def test_gains_by_the_mixture_of_scikit_learn() -> None:
    labels = Y
    sizes = np.bincount(labels)

    def density(kept: list[int]) -> np.ndarray:
        model = GaussianMixture(3, covariance_type="diag")
        model.weights_ = sizes / len(labels)
        model.means_ = np.array([X[labels == k][:, kept].mean(axis=0) for k in range(3)])
        model.covariances_ = np.array([X[labels == k][:, kept].var(axis=0) for k in range(3)])
        model.precisions_cholesky_ = 1 / np.sqrt(model.covariances_)
        return model.score_samples(NEW[:, kept])

    found = cv.noise_features(X, Y, validation=NEW)
    for f in range(5):
        alone = norm(X[:, f].mean(), X[:, f].std()).logpdf(NEW[:, f])
        rest = [g for g in range(5) if g != f]
        wanted = (density(list(range(5))) - density(rest) - alone).mean()
        assert math.isclose(found.gains[f], wanted, abs_tol=1e-10)


@pytest.mark.parametrize("shape", ["diagonal", "full"])
def test_gains_of_folds_by_scipy(shape: str) -> None:
    """Every point is left out once; points of each cluster are dealt to the folds in turn."""
    shuffled = np.random.default_rng(7).permutation(len(Y))
    dealt = shuffled[np.argsort(Y[shuffled], kind="stable")]
    fold = np.empty(len(Y), int)
    fold[dealt] = np.arange(len(Y)) % 4
    wanted = [by_scipy(X[fold != k], Y[fold != k], X[fold == k], shape) for k in range(4)]
    found = cv.noise_features(X, Y, folds=4, covariance=shape, random_state=7)
    assert_gains(found, np.concatenate(wanted, axis=1))
    assert found.folds == 4


def test_a_clusterer_is_fitted_again_without_each_fold() -> None:
    fold = np.random.default_rng(0).permutation(len(X)) % 4
    wanted = []
    for k in range(4):
        rest = X[fold != k]
        labels = KMeans(3, n_init=2, random_state=5).fit_predict(rest)
        wanted.append(by_scipy(rest, labels, X[fold == k]))
    found = cv.noise_features(X, KMeans(3, n_init=2, random_state=5), folds=4)
    assert_gains(found, np.concatenate(wanted, axis=1))
    assert found.algorithm == "KMeans"
    assert "KMeans was fitted again without each of 4 folds" in str(found)


def test_what_a_clusterer_did_not_look_at_is_not_useful() -> None:
    """A wide feature of noise decides k-means, whose clusters say nothing about the others."""
    wide = np.asarray(X * [1, 1, 100, 1, 1])
    assert cv.noise_features(wide, KMeans(3, random_state=0)).useful == []
    assert cv.noise_features(wide, Y).useful == [0, 1]


def test_a_clusterer_and_a_validation_set() -> None:
    labels = KMeans(3, n_init=2, random_state=5).fit_predict(X)
    found = cv.noise_features(X, KMeans(3, n_init=2, random_state=5), validation=NEW)
    assert_gains(found, by_scipy(X, labels, NEW))
    assert "240 points of a validation set" in str(found)


def test_names_classes_and_objects_are_clusterers() -> None:
    points, new = (np.delete(given_points, 2, axis=1) for given_points in (X, NEW))
    for clusterer in ("kmeans", KMeans, KMeans(8)):
        found = cv.noise_features(points, clusterer, n_clusters=3, validation=new)
        assert found.useful == [0, 1]
    with pytest.raises(ParameterError, match="n_clusters must be given for kmeans"):
        cv.noise_features(X, "kmeans")
    apart = planted(2, apart=12.0)[0][:, :2]
    dense = cv.noise_features(apart, DBSCAN(eps=1.0), noise="drop")
    assert dense.useful == [0, 1]


def test_planted_noise_is_found_and_planted_features_are_kept() -> None:
    """30 sets: a feature that tells clusters apart is useful, noise nearly never is."""
    verdicts: dict[str, list[str]] = {"useful": [], "noise": []}
    for seed in range(30):
        points, labels = planted(100 + seed)
        found = cv.noise_features(points, labels).verdicts
        verdicts["useful"] += found[:2]
        verdicts["noise"] += found[2:]
    assert set(verdicts["useful"]) == {"useful"}
    assert verdicts["noise"].count("noise") >= 0.8 * 90
    assert verdicts["noise"].count("useful") <= 0.025 * 90


def test_noise_costs_what_its_parameters_cost() -> None:
    """Akaike 1974: each of the 2 (k - 1) parameters that are too many costs 1 / (2 n) nats."""
    n = 300
    gains = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        labels = np.arange(n) % 3
        points = np.column_stack([rng.normal(6 * labels, 1), rng.normal(size=(n, 4))])
        gains += [n * float(gain) for gain in cv.noise_features(points, labels).gains[1:]]
    error = np.std(gains) / math.sqrt(len(gains))
    # Folds of nine tenths of the points raise the price by a ninth.
    assert abs(np.mean(gains) + 2 * 10 / 9) < 4 * error + 0.2


def test_a_feature_that_only_the_clusters_show() -> None:
    """Its distribution over all points is one Gaussian; by cluster it is not."""
    rng = np.random.default_rng(4)
    labels = np.arange(400) % 2
    mixed = norm.ppf((rng.random(400) + labels) / 2)  # lower and upper half of a Gaussian
    points = np.column_stack([rng.normal(8 * labels, 1), mixed, rng.normal(size=400)])
    found = cv.noise_features(points, labels)
    assert found.useful == [0, 1]
    assert found.noise == [2]


@pytest.mark.parametrize("apart", [1.5, 4.0])
def test_heavy_tails_are_not_taken_for_clusters(apart: float) -> None:
    """A mixture describes them better than one Gaussian, but no other feature confirms that."""
    verdicts = []
    for seed in range(25):
        rng = np.random.default_rng([77, seed])
        labels = rng.integers(0, 3, 400)
        points = np.column_stack([
            rng.normal(apart * labels, 1), rng.normal(-apart * labels, 1),
            rng.lognormal(sigma=1.3, size=400), rng.standard_cauchy(400).clip(-40, 40),
        ])  # fmt: skip
        found = cv.noise_features(points, labels)
        verdicts += found.verdicts[2:]
        assert found.verdicts[:2] == ["useful", "useful"]
    assert verdicts.count("useful") <= 0.05 * len(verdicts)


def test_a_feature_that_makes_the_clusters_alone_is_unclear() -> None:
    rng = np.random.default_rng(8)
    labels = np.arange(300) % 2
    points = np.column_stack([rng.normal(9 * labels, 1), rng.normal(size=(300, 2))])
    found = cv.noise_features(points, labels)
    assert found.verdicts[0] == "unclear"
    assert found.gains[0] > 0.5 > abs(found.shared[0])


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_what_is_shared_by_a_feature_that_is_alone_is_0(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(60, 1))
    found = cv.noise_features(points, np.arange(60) % 2)
    assert abs(found.shared[0]) < 1e-12


def test_features_that_say_the_same_are_both_useful() -> None:
    rng = np.random.default_rng(5)
    labels = np.arange(300) % 3
    one = rng.normal(5 * labels, 1)
    points = np.column_stack([one, one + 0.1 * rng.normal(size=300), rng.normal(size=300)])
    assert cv.noise_features(points, labels).useful == [0, 1]


def test_full_covariances_count_what_depends_on_other_features() -> None:
    """Two features that depend on each other, alike in all clusters."""
    rng = np.random.default_rng(6)
    labels = np.arange(300) % 2
    one = rng.normal(size=300)
    apart = 6.0 * labels[:, None] + rng.normal(size=(300, 2))
    points = np.column_stack([apart, one, one + rng.normal(size=300)])
    assert cv.noise_features(points, labels).useful == [0, 1]
    assert cv.noise_features(points, labels, covariance="full").useful == [0, 1, 2, 3]


@settings(max_examples=15)
@given(
    factors=st.lists(st.sampled_from([1e-80, 1e-5, 0.3, 1.0, 40.0, 1e90]), min_size=5, max_size=5),
    shift=st.sampled_from([0.0, -7.0, 1e4]),
    seed=st.integers(0, 99),
)
def test_units_origins_and_orders_do_not_matter(
    factors: list[float], shift: float, seed: int
) -> None:
    common = min(factors)  # units of features far apart would not fit into one geometry
    scales = np.array([min(factor / common, 1e6) for factor in factors]) * common
    usual = cv.noise_features(X, Y, validation=NEW)
    order = np.random.default_rng(seed).permutation(len(X))
    columns = np.random.default_rng(seed).permutation(5)
    moved, new = (np.asarray((points + shift) * scales) for points in (X, NEW))
    names = np.array(["one", "two", "three"])[Y]
    found = cv.noise_features(moved[order][:, columns], names[order], validation=new[:, columns])
    wanted = [float(usual.gains[f]) for f in columns]
    np.testing.assert_allclose([float(gain) for gain in found.gains], wanted, atol=1e-6)


def test_names_of_features() -> None:
    columns = {name: X[:, k] for k, name in enumerate(["a", "b", "c", "d", "e"])}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        assert cv.noise_features(frame, Y).features == ("a", "b", "c", "d", "e")
    assert cv.noise_features(X, Y).features == (0, 1, 2, 3, 4)
    named = cv.noise_features(pd.DataFrame(columns), Y, feature_names=list("vwxyz"))
    assert named.features == ("v", "w", "x", "y", "z")
    with pytest.raises(ParameterError, match="feature_names has 2 names, and X has 5 features"):
        cv.noise_features(X, Y, feature_names=["a", "b"])


def test_what_the_result_says() -> None:
    found = cv.noise_features(X, Y, feature_names=list("abcde"))
    columns = found.columns()
    assert columns["feature"] == list("abcde")
    for name in ("gain", "shared"):
        for value, low, high in zip(
            columns[name], columns[f"{name}_low"], columns[f"{name}_high"], strict=True
        ):
            assert low < value < high
    assert sorted(found.noise + found.useful + found.unclear) == list("abcde")
    text = str(found)
    assert f"{len(found.noise)} of 5 features would raise the validated likelihood" in text
    assert "the labels come from all points, which flatters" in text
    rows = [line.split() for line in text.splitlines()[3:8]]
    assert [float(row[1]) for row in rows] == sorted(float(row[1]) for row in rows)
    held = json.loads(found.to_json())
    assert [row["verdict"] for row in held["features"]] == found.verdicts
    assert held["algorithm"] is None
    only = cv.noise_features(X[:, :2], Y)
    assert "None of 2 features would raise the validated likelihood if left out." in str(only)


def test_confidence_moves_verdicts_from_useful_to_unclear() -> None:
    points, labels = planted(9, n=90, apart=0.6)
    sure, unsure = (
        cv.noise_features(points, labels, confidence=level) for level in (0.999999, 0.01)
    )
    assert sure.noise == unsure.noise
    assert len(sure.useful) < len(unsure.useful)


def test_one_judged_point_has_no_interval() -> None:
    found = cv.noise_features(X, Y, validation=NEW[:1])
    assert all(math.isnan(gain.standard_error) for gain in found.gains)
    assert "useful" not in found.verdicts


BAD: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "labels of another length": ((X, Y[:-1]), {}, LabelError, "240 rows and there are 239 labels"),
    "NaN": ((np.where(X > 5, np.nan, X), Y), {}, FeatureError, "must be finite"),
    "sparse with labels": ((sparse.csr_matrix(X), Y), {}, FeatureError, "dense.*sparse"),
    "sparse with a clusterer": (
        (sparse.csr_matrix(X), KMeans(3)), {}, FeatureError, "dense.*sparse"),
    "constant feature": (
        (np.column_stack([X, np.ones(240)]), Y), {}, FeatureError, "in feature 5.*regularization"),
    "folds": ((X, Y), {"folds": 1}, ParameterError, "folds .*at least 2"),
    "confidence": ((X, Y), {"confidence": 2}, ParameterError, "confidence"),
    "covariance": ((X, Y), {"covariance": "diag"}, ParameterError, "covariance.*'diagonal'"),
    "regularization": ((X, Y), {"regularization": -1}, ParameterError, "regularization"),
    "features of the validation set": (
        (X, Y), {"validation": NEW[:, :2]}, FeatureError, "has 2 features, and X has 5"),
    "number of clusters beside labels": (
        (X, Y), {"n_clusters": 3}, ParameterError, "labels were given"),
    "no clusters": ((X, "kmeans"), {"n_clusters": 0}, ParameterError, "n_clusters .*at least 1"),
    "unknown algorithm": ((X, "kmens"), {"n_clusters": 3}, ParameterError, "did you mean kmeans"),
    "too many clusters": ((X[:6], KMeans(9)), {}, ParameterError, "KMeans refuses the points"),
    "one point": ((X[:1], [0]), {}, FeatureError, "at least 2 points"),
    "one point and a clusterer": ((X[:1], KMeans(1)), {}, FeatureError, "at least 2 points"),
    "random_state": ((X, Y), {"random_state": "x"}, ParameterError, "random_state"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_one_sentence(name: str) -> None:
    given_data, options, kind, pattern = BAD[name]
    with pytest.raises(kind, match=pattern) as caught:
        cv.noise_features(*given_data, **options)
    assert str(caught.value).endswith((".", "?"))
    assert "\n" not in str(caught.value)


def test_a_constant_feature_is_judged_with_regularization() -> None:
    points = np.column_stack([X, np.ones(len(Y))])
    found = cv.noise_features(points, Y, regularization=1e-3)
    assert 5 in found.noise or 5 in found.unclear


def test_large_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from clustervet.internal import likelihood

    wanted = cv.noise_features(X, Y).gains
    monkeypatch.setattr(likelihood, "BLOCK", 40)
    np.testing.assert_allclose(cv.noise_features(X, Y).gains, wanted, rtol=1e-12)
