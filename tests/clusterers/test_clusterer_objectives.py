from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from planted_text import MODELS, text
from scipy import stats
from scipy.sparse import csr_array
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from clustervet.clusterers import (
    FrequencySensitiveKMeans,
    HardMovMF,
    KLKMeans,
    SoftMovMF,
    SphericalKMeans,
)
from clustervet.clusterers.divergence import SmoothedModel
from clustervet.clusterers.lloyd import alternate
from clustervet.clusterers.rows import read_rows

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"  # random rows are often equal
)
COUNTS = arrays.arrays(
    np.int64,
    st.tuples(st.integers(4, 14), st.integers(1, 6)),
    elements=st.integers(0, 4),
).filter(lambda counts: counts.any(axis=1).sum() >= 4)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@settings(max_examples=40)
@given(COUNTS, st.integers(1, 4), st.sampled_from(sorted(MODELS)), st.integers(0, 9))
def test_the_objective_never_gets_worse(counts, clusters, name, seed):
    model = clone(MODELS[name]).set_params(n_clusters=clusters, random_state=seed, tol=0)
    model.fit(counts)
    path = model.objective_path_
    assert len(path) == model.n_iter_
    assert np.isfinite(path).all()
    # κ of up to 1e8 times the last digit of a cosine
    assert (np.diff(path) >= -1e-9 * (1 + np.abs(path[1:])) - 1e-6).all()
    assert model.objective_ == path[-1]
    assert set(model.labels_) <= set(range(clusters))


@pytest.mark.parametrize("name", sorted(MODELS))
@pytest.mark.parametrize("seed", range(3))
def test_the_objective_never_gets_worse_on_text(name, seed):
    counts, _ = text(documents=600, words=300, length=30, seed=seed)
    model = clone(MODELS[name]).set_params(n_clusters=5, random_state=seed, tol=0)
    path = model.fit(counts).objective_path_
    assert (np.diff(path) >= -1e-13 * np.abs(path[1:])).all()
    assert len(path) > 2


@pytest.mark.parametrize(
    "name", [name for name in sorted(MODELS) if name not in ("batch", "incremental")]
)
def test_the_score_of_the_training_rows_is_the_objective(name):
    counts, _ = text()
    weights = np.random.default_rng(1).uniform(0.5, 2, counts.shape[0])
    model = clone(MODELS[name]).set_params(n_clusters=3, random_state=0).fit(counts, None, weights)
    assert model.score(counts, None, weights) == pytest.approx(model.objective_, rel=1e-12)


def test_cosines_add_up_to_the_objective_of_spherical_clusters():
    counts, _ = text()
    model = SphericalKMeans(4, random_state=0, tol=0).fit(counts)
    rows = unit(counts.toarray())
    cosines = rows @ model.cluster_centers_.T
    assert np.array_equal(model.labels_, cosines.argmax(axis=1))
    assert model.objective_ == pytest.approx(cosines.max(axis=1).sum(), rel=1e-12)
    squares = ((rows - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.inertia_ == pytest.approx(squares, rel=1e-10)
    sums = np.array([rows[model.labels_ == h].sum(axis=0) for h in range(4)])
    np.testing.assert_allclose(model.cluster_centers_, unit(sums), atol=1e-14)
    np.testing.assert_allclose(model.transform(counts), 1 - cosines, atol=1e-13)


@pytest.mark.parametrize("seed", range(12))
def test_spherical_clusters_from_many_starts_are_the_best_there_are(seed):
    rows = np.random.default_rng(seed).poisson(1.0, (7, 4)) + np.eye(7, 4) + 0.01
    best = max(
        sum(np.linalg.norm(unit(rows)[np.array(labels) == h].sum(axis=0)) for h in (0, 1))
        for labels in itertools.product((0, 1), repeat=7)
    )
    model = SphericalKMeans(2, n_init=80, tol=0, init="random", random_state=seed).fit(rows)
    assert model.objective_ == pytest.approx(best, rel=1e-12)


def densities(model, rows):
    """Log-densities by scipy, rows by components, with the weights of the components."""
    return np.column_stack(
        [
            math.log(weight) + stats.vonmises_fisher(mu, kappa).logpdf(rows)
            for mu, kappa, weight in zip(
                model.cluster_centers_, model.concentrations_, model.weights_, strict=True
            )
        ]
    )


def directions(seed=0):
    """Three clouds of directions in four dimensions."""
    means = [[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0.6, 0.8]]
    draws = [stats.vonmises_fisher(mu, 20).rvs(40, random_state=seed) for mu in means]
    return np.concatenate(draws)


@pytest.mark.parametrize("concentration", ["free", "shared"])
def test_mixtures_have_the_likelihood_that_scipy_gives_them(concentration):
    rows = directions()
    hard = HardMovMF(3, concentration=concentration, random_state=0).fit(3 * rows)
    logs = densities(hard, rows)
    assert hard.objective_ == pytest.approx(logs.max(axis=1).sum(), rel=1e-10)
    assert np.array_equal(hard.labels_, logs.argmax(axis=1))
    soft = SoftMovMF(3, concentration=concentration, random_state=0).fit(5 * rows)
    logs = densities(soft, rows)
    whole = logsumexp(logs, axis=1)
    assert soft.objective_ == pytest.approx(whole.sum(), rel=1e-10)
    np.testing.assert_allclose(soft.posteriors(rows), np.exp(logs - whole[:, None]), atol=1e-12)
    assert (len(set(soft.concentrations_)) == 1) is (concentration == "shared")


def test_one_component_is_scipys_fit():
    rows = stats.vonmises_fisher([0, 0, 1, 0], 7.0).rvs(300, random_state=1)
    mu, kappa = stats.vonmises_fisher.fit(rows)
    for kind in (HardMovMF, SoftMovMF):
        model = kind(1, random_state=0).fit(rows)
        np.testing.assert_allclose(model.cluster_centers_[0], mu, atol=1e-12)
        assert model.concentrations_[0] == pytest.approx(kappa, rel=1e-6)


@pytest.mark.parametrize("update", ["incremental", "batch"])
def test_the_objective_of_balanced_clusters_is_its_formula(update):
    counts, _ = text()
    model = FrequencySensitiveKMeans(4, update=update, random_state=0).fit(counts)
    rows, width = unit(counts.toarray()), counts.shape[1]
    sizes = np.bincount(model.labels_)
    expected = sum(
        model.strength_ / sizes[h] * (x @ model.cluster_centers_[h] - 1)
        - (width - 1) / 2 * math.log(sizes[h])
        for x, h in zip(rows, model.labels_, strict=True)
    )
    assert model.objective_ == pytest.approx(expected, rel=1e-12)
    assert np.array_equal(model.sizes_, sizes)
    assert model.balance_ == sizes.min() / sizes.mean()


def divergences(rows, centres):
    return np.array([[stats.entropy(p, q, base=2) for q in centres] for p in rows])


@pytest.mark.parametrize("weighting", ["uniform", "length"])
def test_the_loss_of_divergences_is_what_scipy_says(weighting):
    counts, _ = text(documents=40, words=30)
    model = KLKMeans(3, weighting=weighting, random_state=0).fit(counts)
    lengths = counts.sum(axis=1)
    rows = counts.toarray() / lengths[:, None]
    weights = np.ones(len(rows)) if weighting == "uniform" else lengths
    gaps = divergences(rows, model.cluster_centers_)
    np.testing.assert_allclose(model.transform(counts), gaps, atol=1e-12)
    assert np.array_equal(model.labels_, gaps.argmin(axis=1))
    loss = weights @ gaps.min(axis=1)
    assert model.information_loss_ == pytest.approx(loss / weights.sum(), rel=1e-10)
    unit_weight = weights.mean()
    prior = (weights @ rows + unit_weight / 30) / (weights.sum() + unit_weight)
    penalty = sum(stats.entropy(prior, q, base=2) for q in model.cluster_centers_)
    expected = -loss - model.smoothing_ * unit_weight * penalty
    assert model.objective_ == pytest.approx(expected, rel=1e-10)


def information(table):
    """Mutual information of a table of probabilities, in bits."""
    return stats.entropy(table.ravel(), np.outer(table.sum(1), table.sum(0)).ravel(), base=2)


def test_without_smoothing_the_loss_is_mutual_information():
    counts, _ = text(documents=40, words=30, length=200)
    model = KLKMeans(3, weighting="length", smoothing=1e-9, shrink=0.1, random_state=0).fit(counts)
    table = counts.toarray() / counts.sum()
    merged = np.array([table[model.labels_ == h].sum(axis=0) for h in range(3)])
    lost = information(table) - information(merged)
    assert model.information_loss_ == pytest.approx(lost, rel=1e-6)


def test_gains_count_from_the_last_change_of_the_objective():
    """While the prior shrinks, values of the objective are those of different functions."""
    counts = csr_array(
        np.random.default_rng(0).poisson(0.3, (300, 80)) + np.eye(300, 80, dtype=int)
    )
    rows = read_rows(counts, np.ones(300), squared=False, merge=True)
    model = SmoothedModel(rows, 3, KLKMeans(3, shrink=0.05))
    start = np.arange(len(rows), dtype=np.int32) % 3
    rested = []
    fit = model.fit

    def watched(sums, changed):
        fit(sums, changed)
        rested.append(model.at_rest)

    model.fit = watched
    run = alternate(rows, model, start, 500, 1.0)
    first = rested.index(True)
    # With this tolerance the first step after the change is the last.
    assert run.iterations == first + 2
