"""Several clusterers, and several parameters of them, tried together."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.errors import ParameterError

RNG = np.random.default_rng(4)
X = np.concatenate([RNG.normal(c, 1, (40, 2)) for c in ((0, 0), (12, 0), (0, 12))])
FEW = {"references": 0, "random_state": 0}


def test_one_clusterer_with_one_parameter_is_tuned_as_before():
    one = cv.tune([KMeans(n_init=3)], X, grid={"n_clusters": [2, 3, 4, 5]}, random_state=0)
    two = cv.tune(KMeans(n_init=3), X, "n_clusters", [2, 3, 4, 5], random_state=0)
    assert one.to_dict() == two.to_dict()
    assert one.suggestion == 3


def test_the_best_of_several_clusterers_is_that_of_each_alone():
    estimators = [KMeans(n_init=3), AgglomerativeClustering()]
    grid = {"n_clusters": [2, 3, 4, 5], "linkage": ["ward", "single"]}
    found = cv.tune(estimators, X, grid=grid, random_state=0)
    assert len(found.values) == 4 + 8
    assert found.settings[found.suggestion]["n_clusters"] == 3
    assert found.p_value < 0.05
    for value, settings in found.settings.items():
        own = dict(settings)
        cls = {"KMeans": estimators[0], "AgglomerativeClustering": estimators[1]}
        made = cls[own.pop("estimator")].set_params(**own)
        if isinstance(made, KMeans):
            made.set_params(random_state=0)
        assert cv.adjusted_rand(made.fit_predict(X), found.labels[value]) == 1
    assert len(found.best_labels()) == 120
    assert "2 clusterers, 12 combinations, 120 points" in repr(found)
    assert pickle.loads(pickle.dumps(found)).suggestion == found.suggestion
    assert found.to_dict()["settings"][0] == {"estimator": "KMeans", "n_clusters": 2}
    assert found.to_frame().shape[0] == 12
    assert cv.plots.figures(found)


def test_settings_with_as_many_clusters_are_one_answer():
    found = cv.tune(["kmeans", "ward"], X, grid={"n_clusters": [2, 3, 4, 5, 6]}, **FEW)
    choice = found.choices["silhouette"]
    assert choice.clear
    assert choice.value == "kmeans n_clusters=3"
    assert found.settings[found.voted]["n_clusters"] == 3
    ends = cv.tune(["kmeans", "ward"], X, grid={"n_clusters": [3, 4, 5]}, **FEW)
    assert ends.choices["silhouette"].why == "the best value lies at the end of the range"


def test_parameters_of_clusterers_that_look_for_dense_regions():
    grid = {"eps": [0.5, 1, 2], "min_samples": [3, 5]}
    found = cv.tune(DBSCAN(), X, grid=grid, **FEW)
    assert list(found.curves) == ["dbcv"]
    assert found.choices["dbcv"].clear
    assert found.counts[found.values.index(found.voted)] == 3
    assert found.settings[found.voted]["eps"] in (1, 2)
    both = cv.tune([DBSCAN(), "kmeans"], X, grid={**grid, "n_clusters": [2, 3]}, **FEW)
    assert len(both.values) == 6 + 2
    assert "silhouette" in both.curves


def test_pipelines_and_two_of_a_kind():
    pipe = make_pipeline(StandardScaler(), KMeans(n_init=2))
    grid = {"kmeans__n_clusters": [2, 3], "n_clusters": [3]}
    found = cv.tune([pipe, KMeans(n_init=2), KMeans(n_init=1)], X, grid=grid, **FEW)
    assert found.values == [
        *("Pipeline kmeans__n_clusters=2", "Pipeline kmeans__n_clusters=3"),
        *("KMeans 1 n_clusters=3", "KMeans 2 n_clusters=3"),
    ]
    mixture = cv.tune(["gmm", "kmeans"], X, grid={"n_clusters": [2, 3]}, **FEW)
    assert "gmm n_components=3" in mixture.values


def test_samples_and_samples_again():
    found = cv.tune(
        ["kmeans", "single"],
        X,
        grid={"n_clusters": [2, 3, 4]},
        measures={"prediction_strength": {"splits": 2}, "silhouette": {}},
        bootstrap=2,
        **FEW,
    )
    assert np.isfinite(found.curves["prediction_strength"]).all()
    assert found.stability.samples == 2


BAD = {
    "no estimator": ([], {}, "at least one"),
    "unknown parameter": ("kmeans", {"grid": {"eps": [1], "k": [2]}}, "no estimator has"),
    "a near one": ("kmeans", {"grid": {"n_cluster": [2], "n_init": [1]}}, "n_clusters"),
    "no values": ("kmeans", {"grid": {"n_clusters": [], "n_init": [1]}}, "no value"),
    "one value": ("kmeans", {"grid": {"n_clusters": 3, "n_init": [1]}}, "several values"),
    "no mapping": ("kmeans", {"grid": [2, 3]}, "{parameter: values}"),
    "both": ("kmeans", {"values": [2], "grid": {"n_clusters": [2]}}, "leave"),
    "twice": ("kmeans", {"grid": {"n_clusters": [2, 2], "n_init": [1]}}, "given twice"),
}


@pytest.mark.parametrize(("estimator", "options", "words"), BAD.values(), ids=BAD)
def test_bad_grids_get_one_sentence(estimator, options, words):
    with pytest.raises(ParameterError, match=words) as raised:
        cv.tune(estimator, X, **options)
    assert "\n" not in str(raised.value)
