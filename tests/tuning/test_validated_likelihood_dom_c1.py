"""Validated likelihood as Dom 2001, Appendix C.1, has it: the points judged took no part."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal
from sklearn.cluster import DBSCAN, KMeans
from typer.testing import CliRunner

import clustervet as cv
from clustervet.cli.app import app
from clustervet.errors import FeatureError, ParameterError

RNG = np.random.default_rng(5)
CENTRES = ((0, 0), (4, 0), (0, 4))
X = np.concatenate([RNG.normal(c, 1, (40, 2)) for c in CENTRES])
NEW = np.concatenate([RNG.normal(c, 1, (30, 2)) for c in CENTRES])


def densities(points, labels, new, covariance="full"):
    """Log densities of new points by scipy, under one Gaussian per cluster of other points."""
    parts = []
    for k in np.unique(labels):
        own = points[labels == k]
        spread = np.cov(own.T, bias=True)
        if covariance == "spherical":
            spread = np.eye(points.shape[1]) * own.var(axis=0).mean()
        parts.append(
            math.log(len(own) / len(points)) + multivariate_normal(own.mean(0), spread).logpdf(new)
        )
    return logsumexp(parts, axis=0)


def tuned(points=X, estimator="kmeans", values=(2, 3, 5), options=None, **more):
    asked = {"validated_likelihood": {"covariance": "spherical", "folds": 4} | (options or {})}
    return cv.tune(
        estimator, points, values=values, measures=asked, random_state=0, references=0, **more
    )


def test_a_validation_set_is_judged_by_the_mixture_of_all_of_x():
    labels = KMeans(3, n_init=3, random_state=0).fit_predict(X)
    for covariance in ("full", "spherical"):
        found = cv.validated_likelihood(X, labels, covariance=covariance, validation=NEW)
        right = densities(X, labels, NEW, covariance)
        assert found == pytest.approx(right.mean(), rel=1e-12)
        assert found.standard_error == pytest.approx(right.std(ddof=1) / math.sqrt(len(NEW)))
        assert found.sample == len(NEW)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_units_change_the_density_and_nothing_else(scale):
    labels = np.repeat([0, 1, 2], 40)
    usual = cv.validated_likelihood(X, labels, validation=NEW)
    found = cv.validated_likelihood(X * scale, labels, validation=NEW * scale)
    assert found + 2 * math.log(scale) == pytest.approx(usual, rel=1e-9)


def test_tune_fits_the_clusterer_again_without_each_fold():
    fold = np.random.default_rng(0).permutation(len(X)) % 4
    found = tuned()
    for place, k in enumerate((2, 3, 5)):
        held = np.empty(len(X))
        for one in range(4):
            rest, out = X[fold != one], X[fold == one]
            model = cv.fitting.algorithms.read_algorithm("kmeans", "n_clusters", "euclidean")
            labels = model.made(k, 0).fit_predict(rest)
            held[fold == one] = densities(rest, labels, out, "spherical")
        assert found.curves["validated_likelihood"][place] == pytest.approx(held.mean(), rel=1e-10)
    assert found.folds == 4
    assert "with a new fit without each of 4 folds" in str(found)


def test_tune_judges_by_a_validation_set():
    found = cv.tune("kmeans", X, values=(2, 3), validation=NEW, random_state=0, references=0)
    assert [record.key for record in found.measures][-1] == "validated_likelihood"
    right = [densities(X, found.labels[k], NEW).mean() for k in (2, 3)]
    np.testing.assert_allclose(found.curves["validated_likelihood"], right, rtol=1e-10)
    assert found.validation == len(NEW)
    assert found.folds == 0
    assert "of 90 other points" in str(found)


def test_a_validation_set_is_standardized_as_x_is():
    wide = [1.0, 1000.0]
    found = tuned(X * wide, options={"folds": 2}, validation=NEW * wide, standardize=True)
    centred = (X - X.mean(0)) / X.std(0)
    new = (NEW - X.mean(0)) / X.std(0)
    right = [densities(centred, found.labels[k], new, "spherical").mean() for k in (2, 3, 5)]
    np.testing.assert_allclose(found.curves["validated_likelihood"], right, rtol=1e-9)


def test_kept_labels_are_optimistic_and_the_more_so_the_more_clusters():
    excess = []
    for seed in range(4):
        draw = np.random.default_rng(100 + seed)
        points = np.concatenate([draw.normal(c, 1, (40, 2)) for c in CENTRES])
        found = tuned(points, values=(2, 10))
        kept = [
            cv.validated_likelihood(points, found.labels[k], covariance="spherical", folds=4)
            for k in (2, 10)
        ]
        excess.append(kept - found.curves["validated_likelihood"])
    few, many = np.mean(excess, axis=0)
    assert many > few + 0.05


def test_noise_of_a_refit_takes_no_part_in_its_mixture():
    fold = np.random.default_rng(0).permutation(len(X)) % 4
    found = tuned(estimator=DBSCAN(min_samples=4), parameter="eps", values=[0.9])
    held = np.empty(len(X))
    for one in range(4):
        rest = X[fold != one]
        labels = DBSCAN(eps=0.9, min_samples=4).fit_predict(rest)
        kept = labels >= 0
        held[fold == one] = densities(rest[kept], labels[kept], X[fold == one], "spherical")
    assert found.curves["validated_likelihood"][0] == pytest.approx(held.mean(), rel=1e-10)


def test_a_fold_without_a_value_says_which_and_why():
    found = tuned(options={"covariance": "full", "folds": 2}, values=[2, 50])
    (why,) = {why for why in found.reasons["validated_likelihood"] if why}
    assert why.startswith("without fold ")
    assert "is singular" in why


def test_a_fold_that_the_clusterer_refuses_says_so():
    class Large(KMeans):
        def fit_predict(self, points, y=None):
            if len(points) < len(X):
                raise ValueError("too few points.")
            return super().fit_predict(points)

    found = tuned(estimator=Large(n_init=1), values=[2, 3])
    assert found.reasons["validated_likelihood"] == ["without fold 1 of 4: too few points"] * 2


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (np.zeros((4, 3)), FeatureError, "validation has 3 features, and X has 2"),
        ([[0.0, math.nan]], FeatureError, "validation"),
        ([1.0, 2.0], FeatureError, "validation"),
        (np.zeros((0, 2)), FeatureError, "validation"),
    ],
)
def test_bad_validation_sets_are_refused(given, error, words):
    with pytest.raises(error, match=words):
        tuned(validation=given)
    with pytest.raises(error, match=words):
        cv.validated_likelihood(X, np.repeat([0, 1, 2], 40), validation=given)


def test_a_validation_set_that_nothing_reads_is_refused():
    with pytest.raises(ParameterError, match="is for validated_likelihood, which is not asked"):
        cv.tune("kmeans", X, values=[2, 3], measures=["silhouette"], validation=NEW)
    apart = np.linalg.norm(X[:, None] - X[None], axis=-1)
    with pytest.raises(ParameterError, match="with distances there are none"):
        cv.tune("average", apart, values=[2, 3], metric="precomputed", validation=NEW)


def test_the_command_reads_a_validation_set(tmp_path):
    for name, points in (("x.csv", X), ("new.csv", NEW)):
        np.savetxt(tmp_path / name, points, "%.17g", ",", header="a,b", comments="")
    options = ["--k", "2,3", "--references", "0", "-f", "csv", "--validation"]
    ran = CliRunner().invoke(
        app, ["tune", str(tmp_path / "x.csv"), *options, str(tmp_path / "new.csv")]
    )
    assert ran.exit_code == 0, ran.output
    shown = [line.split(",") for line in ran.stdout.splitlines()]
    place = shown[0].index("validated_likelihood")
    found = cv.tune("kmeans", X, values=(2, 3), validation=NEW, random_state=0, references=0)
    np.testing.assert_allclose(
        [float(row[place]) for row in shown[1:]], found.curves["validated_likelihood"], rtol=1e-12
    )
