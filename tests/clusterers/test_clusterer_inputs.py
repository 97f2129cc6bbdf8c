from __future__ import annotations

import pickle

import numpy as np
import pytest
from planted_text import MODELS, text
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from clustervet.clusterers import (
    FrequencySensitiveKMeans,
    HardMovMF,
    KLKMeans,
    SoftMovMF,
    SphericalKMeans,
)
from clustervet.clusterers.components import SoftModel
from clustervet.clusterers.lloyd import fill_empty
from clustervet.clusterers.rows import read_rows
from clustervet.errors import ClustervetError, FeatureError, ParameterError

NAMES = pytest.mark.parametrize("name", sorted(MODELS))


@NAMES
def test_parameters_where_nothing_is_said(name):
    params = type(MODELS[name])().get_params()
    shared = {"n_clusters": 8, "init": "k-means++", "n_init": 1, "max_iter": 100, "tol": 1e-4}
    assert {key: params[key] for key in shared} == shared
    assert params["random_state"] is None


@NAMES
def test_documents_without_words_go_to_the_largest_cluster(name):
    counts, _ = text(documents=60)
    empty = csr_array((3, counts.shape[1]))
    mixed = csr_array(np.concatenate([empty.toarray(), counts.toarray(), empty.toarray()]))
    model = clone(MODELS[name]).set_params(n_clusters=3, random_state=0)
    with_empty, without = clone(model).fit(mixed), clone(model).fit(counts)
    assert np.array_equal(with_empty.labels_[3:-3], without.labels_)
    largest = np.bincount(without.labels_).argmax()
    assert set(with_empty.labels_[:3]) == set(with_empty.labels_[-3:]) == {largest}
    assert with_empty.blank_label_ == largest
    assert set(with_empty.predict(empty)) == {largest}
    assert np.array_equal(with_empty.cluster_centers_, without.cluster_centers_)
    assert with_empty.score(mixed) == without.score(counts)
    assert with_empty.score(empty) == 0
    assert np.isfinite(with_empty.transform(mixed)).all()


def test_a_document_without_words_has_the_weights_of_the_components():
    counts, _ = text(documents=60)
    model = SoftMovMF(3, random_state=0).fit(counts)
    np.testing.assert_array_equal(model.posteriors(np.zeros((1, 80)))[0], model.weights_)


@NAMES
def test_rows_without_weight_are_labelled_but_do_not_count(name):
    counts, _ = text(documents=60)
    weights = np.ones(60)
    weights[::5] = 0
    model = clone(MODELS[name]).set_params(n_clusters=3, random_state=0)
    weighted, part = clone(model).fit(counts, None, weights), clone(model).fit(counts[weights > 0])
    assert np.array_equal(weighted.cluster_centers_, part.cluster_centers_)
    assert np.array_equal(weighted.labels_[weights > 0], part.labels_)
    assert np.array_equal(weighted.labels_[weights == 0], part.predict(counts[weights == 0]))


@NAMES
def test_a_weight_of_two_is_a_row_given_twice(name):
    counts, _ = text(documents=60)
    weights = np.random.default_rng(0).integers(1, 4, 60)
    twice = csr_array(np.repeat(counts.toarray(), weights, axis=0))
    model = clone(MODELS[name]).set_params(n_clusters=3, random_state=0)
    weighted, repeated = clone(model).fit(counts, None, weights), clone(model).fit(twice)
    assert np.array_equal(weighted.objective_path_, repeated.objective_path_)
    assert np.array_equal(np.repeat(weighted.labels_, weights), repeated.labels_)


@NAMES
def test_fewer_different_rows_than_clusters_are_said_and_fitted(name):
    rows = np.array([[1, 0, 2], [0, 3, 1], [1, 0, 2], [0, 3, 1], [0, 3, 1]])
    model = clone(MODELS[name]).set_params(n_clusters=4, random_state=0)
    with pytest.warns(ConvergenceWarning, match="only 2 of 4 clusters have rows; there are 2"):
        model.fit(rows)
    assert model.labels_[0] == model.labels_[2] != model.labels_[1]
    assert len(set(model.labels_)) == 2
    assert np.isfinite(model.cluster_centers_).all()


@NAMES
def test_one_cluster_holds_everything(name):
    counts, _ = text(documents=20)
    model = clone(MODELS[name]).set_params(n_clusters=1, random_state=0).fit(counts)
    assert set(model.labels_) == {0}
    assert model.transform(counts).shape == (20, 1)


@NAMES
def test_a_single_feature_is_no_obstacle(name):
    rows = np.array([[1.0], [2.0], [5.0], [3.0]])
    model = clone(MODELS[name]).set_params(n_clusters=1, random_state=0).fit(rows)
    assert np.isfinite(model.objective_)
    assert model.predict([[7.0], [0.0]]).tolist() == [0, 0]


@NAMES
def test_the_same_seed_gives_the_same_clusters(name):
    counts, _ = text(documents=60)
    model = clone(MODELS[name]).set_params(n_clusters=4)
    for seed in (7, lambda: np.random.default_rng(7), lambda: np.random.RandomState(7)):
        make = seed if callable(seed) else lambda fixed=seed: fixed
        runs = [clone(model).set_params(random_state=make()).fit(counts) for _ in range(2)]
        assert np.array_equal(runs[0].labels_, runs[1].labels_)


@NAMES
def test_the_best_of_several_starts_is_kept(name):
    counts, _ = text(documents=60)
    model = clone(MODELS[name]).set_params(n_clusters=5, random_state=0)
    one, many = clone(model).fit(counts), clone(model).set_params(n_init=6).fit(counts)
    assert many.objective_ >= one.objective_


@NAMES
def test_centres_may_be_given(name):
    counts, topics = text(documents=90)
    means = np.array([counts.toarray()[topics == t].sum(axis=0) for t in range(3)])
    model = clone(MODELS[name]).set_params(n_clusters=3, init=1e200 * means).fit(counts)
    if name != "hard":
        assert np.array_equal(model.labels_, topics) or (model.labels_ == topics).mean() > 0.95
    again = clone(model).fit(counts)
    assert np.array_equal(again.labels_, model.labels_)


@NAMES
def test_a_fitted_model_can_be_stored(name):
    counts, _ = text(documents=30)
    model = clone(MODELS[name]).set_params(n_clusters=3, random_state=0).fit(counts)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.transform(counts), model.transform(counts))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1, not 0."),
        ({"n_clusters": 2.5}, "n_clusters must be a whole number of at least 1, not 2.5."),
        ({"n_init": True}, "n_init must be a whole number of at least 1, not True."),
        ({"max_iter": -1}, "max_iter must be a whole number of at least 1, not -1."),
        ({"tol": -0.1}, "tol must be a number at least 0, not -0.1."),
        ({"tol": float("nan")}, "tol must be a number at least 0, not nan."),
        ({"init": "best"}, r"init must be 'k-means\+\+', 'random' or an array of centres"),
        ({"init": np.ones((2, 3))}, r"init must have the shape \(3, 80\), not \(2, 3\)."),
        ({"init": [[1], [2, 3], [4]]}, r"init must be an array of shape \(3, 80\)."),
        ({"init": np.zeros((3, 80))}, "init must hold finite centres, none of them all zero."),
        ({"random_state": "seed"}, "random_state must be None, a whole number from 0 on"),
    ],
)
@NAMES
def test_parameters_that_cannot_be_are_refused(name, options, sentence):
    counts, _ = text(documents=20)
    model = clone(MODELS[name]).set_params(n_clusters=3).set_params(**options)
    with pytest.raises(ParameterError, match=sentence):
        model.fit(counts)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (HardMovMF(concentration="own"), "concentration must be 'free' or 'shared', not 'own'."),
        (SoftMovMF(annealing=1), "annealing must be a number above 1 or None, not 1."),
        (SoftMovMF(annealing="slow"), "annealing must be a number at least 1, not 'slow'."),
        (FrequencySensitiveKMeans(update="x"), "update must be 'incremental' or 'batch', not 'x'."),
        (KLKMeans(weighting="none"), "weighting must be 'uniform' or 'length', not 'none'."),
        (KLKMeans(smoothing=0), "smoothing must be above 0, not 0."),
        (KLKMeans(shrink=1.0), "shrink must be below 1, not 1.0."),
        (KLKMeans(initial_smoothing=-1), "initial_smoothing must be a number at least 0, not -1."),
    ],
)
def test_options_of_one_algorithm_that_cannot_be_are_refused(model, sentence):
    with pytest.raises(ParameterError, match=sentence):
        model.fit(text(documents=20)[0])


@NAMES
def test_rows_that_cannot_be_are_refused(name):
    model = clone(MODELS[name]).set_params(n_clusters=3)
    with pytest.raises(FeatureError, match="every row with a weight is zero"):
        model.fit(np.zeros((5, 4)))
    with pytest.raises(ParameterError, match="n_samples=2 rows cannot fill n_clusters=3 clusters"):
        model.fit(np.ones((2, 4)))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((5, 4), np.nan))


@pytest.mark.parametrize("rows", [np.array([[1, -2], [3, 1]]), csr_array([[1, -2], [3, 1]])])
def test_negative_counts_have_no_divergence(rows):
    with pytest.raises(FeatureError, match=r"Negative values in data: .* smallest given is -2\."):
        KLKMeans(2).fit(rows)
    model = KLKMeans(2, random_state=0).fit(abs(rows))
    for use in (model.predict, model.transform, model.score):
        with pytest.raises(FeatureError, match="Negative values in data"):
            use(rows)
    with pytest.raises(FeatureError, match="Negative values in data"):
        KLKMeans(2, init=np.array([[1, -1], [1, 1]])).fit(abs(rows))


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 2], "5 weights are needed"),
        ([[1], [1], [1], [1], [1]], r"has shape \(5, 1\)"),
        (["a", "b", "c", "d", "e"], "must hold one number per row"),
        ([1, 1, -1, 1, 1], "finite numbers, none of them negative"),
        ([1, 1, np.inf, 1, 1], "finite numbers, none of them negative"),
        ([1e308] * 5, "its sum is not finite"),
        ([0] * 5, "zero for every row"),
    ],
)
def test_weights_that_cannot_be_are_refused(weights, sentence):
    with pytest.raises(ClustervetError, match=sentence):
        SphericalKMeans(2).fit(np.eye(5), None, weights)


def test_lengths_too_large_to_weigh_by_are_refused():
    rows = np.array([[1.7e308, 1.7e308], [1, 2], [2, 1]])
    with pytest.raises(FeatureError, match="rows are too long to weigh by length"):
        KLKMeans(2, weighting="length").fit(rows)
    assert KLKMeans(2, random_state=0).fit(rows).labels_.shape == (3,)


def test_empty_clusters_get_the_rows_that_fit_worst():
    labels = np.array([0, 0, 1, 0, 0], np.int32)
    best = np.array([0.9, 0.2, 0.1, 0.5, 0.3])
    assert fill_empty(labels, best, 2) is labels
    # row 2 fits worst but is the last of its cluster
    assert fill_empty(labels, best, 4).tolist() == [0, 2, 1, 0, 3]
    assert fill_empty(labels, best, 9).tolist().count(0) == 1


@pytest.mark.parametrize(
    "name", [name for name in sorted(MODELS) if not isinstance(MODELS[name], SoftMovMF)]
)
def test_a_start_that_leaves_clusters_empty_is_mended(name):
    counts, _ = text(documents=60)
    one = counts.toarray()[:1] + 0.01
    model = clone(MODELS[name]).set_params(n_clusters=4, init=np.repeat(one, 4, axis=0), tol=0)
    model.fit(counts)
    assert len(set(model.labels_)) == 4
    path = model.objective_path_
    assert (np.diff(path) >= -1e-12 * np.abs(path[1:])).all()


def test_components_that_start_as_twins_stay_twins_and_that_is_said():
    counts, _ = text(documents=60)
    twins = np.repeat(counts.toarray()[:1], 4, axis=0)
    with pytest.warns(ConvergenceWarning, match="only 1 of 4 clusters have rows"):
        model = SoftMovMF(4, init=twins).fit(counts)
    np.testing.assert_allclose(model.posteriors(counts), 0.25)


def test_a_component_that_explains_nothing_gets_a_row():
    rng = np.random.default_rng(0)
    rows = np.abs(rng.normal([5, 5, 0.5, 0.5], 0.3, (50, 4)))
    far = np.array([[5.0, 5, 0, 0], [0, 0, -1, -1]])
    model = SoftMovMF(2, init=far, random_state=0).fit(rows)
    assert len(set(model.labels_)) == 2
    assert (model.weights_ > 0).all()


def test_a_component_stays_out_where_a_row_would_not_help():
    counts, _ = text(documents=30)
    rows = read_rows(counts, np.ones(30), squared=True, merge=True)
    model = SoftModel(rows, 2, shared=True)
    shares = np.tile([1.0, 0.0], (len(rows), 1))
    after, labels, _ = model._step(shares, np.zeros(len(rows)), 1e8, before=np.inf)
    assert model.weights.tolist() == [1.0, 0.0]
    assert np.array_equal(after[:, 0], np.ones(len(rows)))
    assert not labels.any()


def test_one_weight_is_that_of_every_row():
    rows = text()[0]
    weighted = SphericalKMeans(3, random_state=0).fit(rows, sample_weight=2.0)
    plain = SphericalKMeans(3, random_state=0).fit(rows)
    assert np.array_equal(weighted.labels_, plain.labels_)
    assert weighted.objective_ == pytest.approx(2 * plain.objective_)
