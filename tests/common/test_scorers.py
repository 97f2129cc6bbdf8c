"""Measures as scorers of scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.errors import ParameterError

TRUTH = np.repeat([0, 1, 2], 20)
X = np.random.default_rng(0).normal(size=(60, 2)) + 8 * TRUTH[:, None]
ORDER = np.random.default_rng(1).permutation(60)
ALL = [(range(60), range(60))]


@pytest.mark.parametrize("key", ["vi", "ari", "mirkin", "adapted_rand_error"])
def test_external_measures_find_the_number_of_classes(key: str) -> None:
    search = GridSearchCV(
        KMeans(random_state=0, n_init=3),
        {"n_clusters": [2, 3, 5]},
        scoring=cv.measures[key].scorer(),
        cv=3,
    ).fit(X[ORDER], TRUTH[ORDER])
    assert search.best_params_ == {"n_clusters": 3}


@pytest.mark.parametrize("key", ["silhouette", "davies_bouldin", "calinski_harabasz"])
@pytest.mark.parametrize("estimator", [KMeans(random_state=0), AgglomerativeClustering()])
def test_internal_measures_need_no_classes(key: str, estimator: object) -> None:
    scorer = cv.measures[key].scorer()
    search = GridSearchCV(estimator, {"n_clusters": [2, 3, 5]}, scoring=scorer, cv=ALL).fit(X)
    assert search.best_params_ == {"n_clusters": 3}


def test_a_score_is_the_measure_with_its_sign() -> None:
    fitted = KMeans(2, random_state=0).fit(X)
    labels = fitted.predict(X)
    vi = cv.variation_of_information(TRUTH, labels)
    assert cv.measures["vi"].scorer()(fitted, X, TRUTH) == -vi
    assert cv.measures["vi"].scorer(base=4)(fitted, X, TRUTH) == pytest.approx(-vi / 2)
    assert cv.measures["ari"].scorer()(fitted, X, TRUTH) == cv.adjusted_rand(TRUTH, labels)


def test_scorers_in_pipelines_and_across_processes() -> None:
    scorer = pickle.loads(pickle.dumps(cv.measures["ami"].scorer(average="max")))
    assert scorer.options == {"average": "max"}
    pipeline = make_pipeline(StandardScaler(), KMeans(3, random_state=0))
    order = np.random.default_rng(2).permutation(60)
    scores = cross_val_score(pipeline, X[order], TRUTH[order], scoring=scorer, cv=3)
    assert scores == pytest.approx([1, 1, 1])
    whole = make_pipeline(StandardScaler(), AgglomerativeClustering(3)).fit(X)
    assert cv.measures["rand"].scorer()(whole, X, TRUTH) == 1


def test_what_cannot_be_scored() -> None:
    with pytest.raises(ParameterError, match="class_entropy has no better direction"):
        cv.measures["class_entropy"].scorer()
    with pytest.raises(ParameterError, match="rand knows no option 'base'"):
        cv.measures["rand"].scorer(base=2)
    fitted = KMeans(2, random_state=0).fit(X)
    with pytest.raises(ParameterError, match="rand compares clusters with classes; give y"):
        cv.measures["rand"].scorer()(fitted, X)
    tree = AgglomerativeClustering(2).fit(X)
    with pytest.raises(ParameterError, match="AgglomerativeClustering has no labels of these 10"):
        cv.measures["rand"].scorer()(tree, X[:10], TRUTH[:10])


WEIGHTS = np.random.default_rng(3).integers(1, 6, 60)
TAKES_WEIGHTS = ["vi", "ari", "adapted_rand_error", "silhouette", "davies_bouldin"]


@pytest.fixture
def _routing():
    with config_context(enable_metadata_routing=True):
        yield


def by_hand(key: str, fitted: KMeans, rows: np.ndarray) -> float:
    """The score of a fitted estimator, from a table or points that repeat by their weights."""
    record, copies = cv.measures[key], np.repeat(rows, WEIGHTS[rows])
    known = TRUTH[copies] if record.kind == "external" else X[copies]
    value = record(known, fitted.predict(X[copies]))
    return -value if record.better == "lower" else value


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("key", TAKES_WEIGHTS)
def test_weights_reach_the_score_of_a_search(key: str) -> None:
    folds = [(ORDER[20:], ORDER[:20]), (ORDER[:40], ORDER[40:])]
    scorer = cv.measures[key].scorer().set_score_request(sample_weight=True)
    model = KMeans(random_state=0, n_init=3).set_fit_request(sample_weight=False)
    search = GridSearchCV(model, {"n_clusters": [2, 4]}, scoring=scorer, cv=folds)
    search.fit(X, TRUTH, sample_weight=WEIGHTS)
    for k, (train, test) in enumerate(folds):
        for row, clusters in enumerate((2, 4)):
            fitted = clone(model).set_params(n_clusters=clusters).fit(X[train])
            found = search.cv_results_[f"split{k}_test_score"][row]
            assert found == pytest.approx(by_hand(key, fitted, test), rel=1e-12)
            assert found != pytest.approx(scorer(fitted, X[test], TRUTH[test]), rel=1e-3)


@pytest.mark.usefixtures("_routing")
def test_weights_have_the_name_that_is_asked_for() -> None:
    model = KMeans(2, random_state=0).set_fit_request(sample_weight=False)
    scorer = cv.measures["vi"].scorer()
    assert scorer.set_score_request(sample_weight="copies") is scorer
    scores = cross_val_score(model, X, TRUTH, scoring=scorer, cv=ALL, params={"copies": WEIGHTS})
    expected = by_hand("vi", clone(model).fit(X), np.arange(60))
    assert scores == pytest.approx([expected])
    several = {"vi": scorer, "rand": cv.measures["rand"].scorer()}
    search = GridSearchCV(model, {"n_clusters": [2]}, scoring=several, cv=ALL, refit=False)
    search.fit(X, TRUTH, copies=WEIGHTS)
    assert search.cv_results_["mean_test_vi"] == pytest.approx([expected])
    assert search.cv_results_["mean_test_rand"] == several["rand"](clone(model).fit(X), X, TRUTH)


@pytest.mark.usefixtures("_routing")
def test_weights_that_nobody_asked_for_are_not_passed_on() -> None:
    model = KMeans(2, random_state=0).set_fit_request(sample_weight=True)
    scorer = cv.measures["vi"].scorer()
    options = {"cv": ALL, "params": {"sample_weight": WEIGHTS}}
    with pytest.raises(ValueError, match=r"not requested for measures\[.*\]\.scorer\(\)\.score"):
        cross_val_score(model, X, TRUTH, scoring=scorer, **options)
    scorer.set_score_request(sample_weight=False)
    fitted = clone(model).fit(X, sample_weight=WEIGHTS)
    scores = cross_val_score(model, X, TRUTH, scoring=scorer, **options)
    assert scores == pytest.approx([scorer(fitted, X, TRUTH)])
    assert str(cv.measures["c_index"].scorer().get_metadata_routing()) == "{}"


def test_without_routing_a_search_gives_the_weights_of_its_fit() -> None:
    model = KMeans(2, random_state=0)
    fitted = clone(model).fit(X, sample_weight=WEIGHTS)
    search = GridSearchCV(model, {"n_clusters": [2]}, scoring=cv.measures["vi"].scorer(), cv=ALL)
    search.fit(X, TRUTH, sample_weight=WEIGHTS)
    assert search.best_score_ == pytest.approx(by_hand("vi", fitted, np.arange(60)))
    search.set_params(scoring=cv.measures["c_index"].scorer())
    with pytest.warns(UserWarning, match=r"measures\['c_index'\]\.scorer\(\) does not support"):
        search.fit(X, TRUTH, sample_weight=WEIGHTS)
    assert search.best_score_ == -cv.c_index(X, fitted.predict(X))


@pytest.mark.usefixtures("_routing")
def test_a_scorer_keeps_its_request_in_copies() -> None:
    scorer = cv.measures["vi"].scorer(base=4).set_score_request(sample_weight=True)
    for copy in (pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
        assert str(copy.get_metadata_routing()) == "{'score': {'sample_weight': True}}"
    assert repr(scorer) == "measures['variation_of_information'].scorer(base=4)"


def test_weights_that_cannot_be_used_get_one_sentence() -> None:
    with pytest.raises(ParameterError, match=r"call sklearn\.set_config"):
        cv.measures["vi"].scorer().set_score_request(sample_weight=True)
    with config_context(enable_metadata_routing=True):
        with pytest.raises(ParameterError, match="c_index takes no weights; leave"):
            cv.measures["c_index"].scorer().set_score_request(sample_weight=True)
        for bad in (3, "two words"):
            with pytest.raises(ParameterError, match="must be True, False, None or a name, not"):
                cv.measures["vi"].scorer().set_score_request(sample_weight=bad)
        given = cv.measures["vi"].scorer(weights=WEIGHTS)
        with pytest.raises(ParameterError, match="the scorer has weights already"):
            given.set_score_request(sample_weight=True)
    fitted = KMeans(2, random_state=0).fit(X)
    with pytest.raises(ParameterError, match="c_index takes no weights"):
        cv.measures["c_index"].scorer()(fitted, X, TRUTH, sample_weight=WEIGHTS)
