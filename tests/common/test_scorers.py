"""Measures as scorers of scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
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
