"""Several clusterers, and several parameters of them, tried together."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
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
    grid = {"eps": [0.5, 1, 2, 4], "min_samples": [3, 5]}
    found = cv.tune(DBSCAN(), X, grid=grid, **FEW)
    assert list(found.curves) == ["dbcv"]
    assert found.choices["dbcv"].clear
    assert found.counts[found.values.index(found.voted)] == 3
    assert found.settings[found.voted]["eps"] in (1, 2)
    both = cv.tune([DBSCAN(), "kmeans"], X, grid={**grid, "n_clusters": [2, 3]}, **FEW)
    assert len(both.values) == 8 + 2
    assert "silhouette" in both.curves
    ends = cv.tune(DBSCAN(), X, grid={"eps": [0.3, 0.5, 1], "min_samples": [3, 5]}, **FEW)
    assert "eps=1" in str(ends.values[ends.choices["dbcv"].index])
    assert ends.choices["dbcv"].why == "the best value lies at the end of the range"


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


def dense(eps, m):
    return DBSCAN(eps=eps, min_samples=m).fit_predict(X)


def cut(n_clusters, linkage="ward"):
    return AgglomerativeClustering(n_clusters, linkage=linkage).fit(X)


FOUR = {"n_clusters": [2, 3, 4, 5]}
THREE = {"measures": ["ssq", "silhouette", "davies_bouldin"], "random_state": 0}


def test_a_function_of_several_parameters_is_tuned_as_an_estimator_is():
    values = {"eps": [0.5, 1, 2], "m": [3, 5]}
    found = cv.tune(lambda eps, m: dense(eps, m), X, grid=values, **THREE)
    alike = cv.tune(DBSCAN(), X, grid={"eps": [0.5, 1, 2], "min_samples": [3, 5]}, **THREE)
    assert (found.estimator, found.parameter) == ("lambda", "settings")
    assert found.values[0] == "eps=0.5, m=3"
    assert found.settings[found.suggestion]["eps"] == alike.settings[alike.suggestion]["eps"]
    for key, curve in alike.curves.items():
        assert found.curves[key].tolist() == curve.tolist()
        assert found.choices[key].index == alike.choices[key].index
    assert found.reference.clusterer == "kmeans"
    assert "a function of its parameters alone cannot cluster other points" in repr(found)
    assert pickle.loads(pickle.dumps(found)).to_json() == found.to_json()
    for jobs in (2, 1):
        again = cv.tune(dense, X, grid=values, n_jobs=jobs, **THREE)
        assert again.to_dict() == found.to_dict() | {
            "estimator": "dense",
            "settings": [one | {"estimator": "dense"} for one in found.to_dict()["settings"]],
        }


def test_one_parameter_of_a_function_is_tuned_by_its_name():
    one = cv.tune(cut, X, grid=FOUR, **THREE)
    two = cv.tune(cut, X, "n_clusters", [2, 3, 4, 5], **THREE)
    assert (one.parameter, one.suggestion, one.settings) == ("n_clusters", 3, {})
    assert two.to_dict() == one.to_dict() == cv.tune([cut], X, grid=FOUR, **THREE).to_dict()
    linkage = cv.tune(
        lambda k=3, linkage="ward": cut(k, linkage), X, grid={"linkage": ["single", "ward"]}, **FEW
    )
    assert (linkage.parameter, linkage.values) == ("linkage", ["single", "ward"])
    assert linkage.counts.tolist() == [3, 3]
    options = cv.tune(lambda **given: cut(**given), X, grid={"n_clusters": [2, 3]}, **FEW)
    assert options.counts.tolist() == [2, 3]


def test_functions_stand_beside_clusterers_and_pipelines():
    pipe = make_pipeline(StandardScaler(), KMeans(n_init=2))
    given = []

    def noted(k, seed, **others):
        given.append((k, seed, others))
        return cut(k)

    several = [cut, lambda k: cut(k), pipe, noted, "kmeans", lambda k=3: cut(k)]
    grid = {"n_clusters": [2, 3], "k": [3, 4], "kmeans__n_clusters": [3]}
    found = cv.tune(several, X, grid=grid, measures=["silhouette"], **(FEW | {"random_state": 5}))
    assert found.values == [
        *("cut n_clusters=2", "cut n_clusters=3", "lambda 1 k=3", "lambda 1 k=4"),
        "Pipeline kmeans__n_clusters=3",
        *(
            f"noted n_clusters={n}, k={k}, kmeans__n_clusters=3"
            for n, k in ((2, 3), (2, 4), (3, 3), (3, 4))
        ),
        *("kmeans n_clusters=2", "kmeans n_clusters=3", "lambda 2 k=3", "lambda 2 k=4"),
    ]
    assert found.settings["lambda 2 k=4"] == {"estimator": "lambda 2", "k": 4}
    assert given[0] == (3, 5, {"n_clusters": 2, "kmeans__n_clusters": 3})
    for value in found.values:
        if found.counts[found.values.index(value)] == 3:
            assert cv.adjusted_rand(np.repeat([0, 1, 2], 40), found.labels[value]) == 1
    assert found.counts[found.choices["silhouette"].index] == 3
    assert cv.plots.figures(found)


def test_what_needs_further_fits_is_made_for_clusterers_alone():
    measures = {"prediction_strength": {"splits": 2}, "validated_likelihood": {}, "silhouette": {}}
    grid = {"n_clusters": [2, 3]}
    found = cv.tune([cut, "kmeans"], X, grid=grid, measures=measures, bootstrap=3, **FEW)
    alone = cv.tune([KMeans(n_init=10)], X, grid=grid, measures=measures, **FEW)
    why = "a function of its parameters alone cannot cluster other points"
    for key in ("prediction_strength", "validated_likelihood"):
        assert found.reasons[key] == [why, why, None, None]
        assert found.curves[key][2:].tolist() == alone.curves[key].tolist()
    assert np.isfinite(found.curves["silhouette"]).all()
    assert found.stability is None
    assert f"No stability over samples: {why}." in repr(found)
    assert (found.folds, found.samples) == (alone.folds, alone.samples)


def test_seeds_of_the_user_stand_beside_functions():
    seeded = KMeans(3, n_init=1, init="random", random_state=7)
    found = cv.tune([seeded, cut], X, grid={"linkage": ["ward"], "n_clusters": [5]}, references=0)
    expected = KMeans(5, n_init=1, init="random", random_state=7).fit_predict(X)
    assert found.labels["KMeans n_clusters=5"].tolist() == expected.tolist()


def test_settings_at_which_a_function_fails_are_undefined_with_the_reason():
    def moody(k):
        if k == 1:
            raise RuntimeError("not today")
        return [0, 1] if k == 2 else cut(k)

    found = cv.tune([moody, "ward"], X, grid={"k": [1, 2, 3], "n_clusters": [3]}, **FEW)
    assert found.reasons["silhouette"] == [
        "moody(k=1) fails: RuntimeError, not today",
        "there are 2 labels at moody(k=2), and X has 120 points",
        *(None, None),
    ]


def test_labels_of_functions_follow_the_index_of_the_points():
    frame = pd.DataFrame(X, index=[f"row {i}" for i in range(120)])
    labels = dict(zip(reversed(frame.index), reversed(cut(3).labels_.tolist()), strict=True))
    found = cv.tune([lambda k: labels, "ward"], frame, grid={"k": [3], "n_clusters": [3]}, **FEW)
    assert cv.adjusted_rand(found.labels["lambda k=3"], found.labels["ward n_clusters=3"]) == 1


BAD = {
    "unknown to the function": (cut, {"grid": {"n_cluster": [2]}}, "mean n_clusters"),
    "unknown to all": ([cut, dense], {"grid": {"epps": [2]}}, "has the parameter 'epps'; .* eps"),
    "no default": (dense, {"grid": {"eps": [1]}}, "dense has no default for m; give values in"),
    "no default beside": ([dense, cut], {"grid": {"n_clusters": [2]}}, "no default for eps, m"),
    "by position": (lambda k, /: cut(k), {"grid": {"k": [2]}}, "lambda has no parameter 'k'"),
    "labels in a list": ([cut, {2: [0, 1]}], {"grid": {"n_clusters": [2]}}, "dict is not"),
    "all fail": ([lambda k: 1 / 0, lambda k: k], {"grid": {"k": [2]}}, r"lambda 1\(k=2\) fails"),
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
