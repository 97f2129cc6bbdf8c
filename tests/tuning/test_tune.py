from __future__ import annotations

import io
import json
import math
import re
import sys
import warnings
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from rich.console import Console
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_moons
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    pairwise_distances,
    silhouette_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.errors import ClustervetError, FeatureError, ParameterError
from clustervet.tuning import Tuning, find_elbow, tune

RNG = np.random.default_rng(7)
X = np.concatenate([RNG.normal(c, 1, (30, 2)) for c in ((0, 0), (10, 0), (0, 10), (10, 10))])
CLOUD = RNG.uniform(size=(120, 3))
MOONS = make_moons(160, noise=0.05, random_state=0)[0]
SHORT = range(2, 9)


@pytest.fixture(scope="module")
def four() -> Tuning:
    return tune("kmeans", X, values=SHORT, random_state=0)


def test_separated_clusters_are_counted_by_every_usual_measure(four):
    assert four.suggestion == 4
    assert four.why is None
    assert four.verdict == "5 of 5 measures choose 4."
    assert list(four.agreement) == [4]
    assert all(choice.clear and choice.value == 4 for choice in four.choices.values())


def test_values_are_those_of_scikit_learn_on_the_labels_it_gives_with_that_seed(four):
    for k in SHORT:
        labels = KMeans(k, n_init=10, random_state=0).fit_predict(X)
        assert (four.labels[k] == labels).all()
        at = four.values.index(k)
        expected = {
            "silhouette": silhouette_score(X, labels),
            "calinski_harabasz": calinski_harabasz_score(X, labels),
            "davies_bouldin": davies_bouldin_score(X, labels),
            "ssq": cv.ssq(X, labels),
        }
        for key, value in expected.items():
            assert four.curves[key][at] == pytest.approx(value, rel=1e-9)
    assert four.counts.tolist() == list(SHORT)
    assert not four.noise.any()


def test_data_without_clusters_gives_no_suggestion():
    found = tune("kmeans", CLOUD, values=range(2, 13), random_state=0)
    assert found.suggestion is None
    assert not found.choices["ssq"].clear
    assert "no clear elbow" in found.verdict


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_answers_do_not_depend_on_the_number_of_jobs(four, n_jobs):
    again = tune("kmeans", X, values=SHORT, random_state=0, n_jobs=n_jobs)
    assert again.to_json() == four.to_json()
    assert all((again.labels[k] == four.labels[k]).all() for k in SHORT)


def test_the_active_backend_of_joblib_is_used(four):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert tune("kmeans", X, values=SHORT, random_state=0).to_json() == four.to_json()


@pytest.mark.parametrize(
    "name", ["minibatch", "bisecting", "ward", "average", "complete", "gmm", "birch", "Ward"]
)
def test_clusterers_have_names(name):
    found = tune(name, X, values=range(2, 8), random_state=0)
    assert found.suggestion == 4
    assert found.parameter == ("n_components" if name == "gmm" else "n_clusters")


def test_classes_and_objects_are_taken_and_not_changed():
    model = AgglomerativeClustering(n_clusters=7)
    first = tune(model, X, values=SHORT)
    assert model.n_clusters == 7
    assert not hasattr(model, "labels_")
    assert first.to_json() == tune(AgglomerativeClustering, X, values=SHORT).to_json()
    assert first.estimator == "AgglomerativeClustering"


def test_a_pipeline_is_tuned_by_the_parameter_of_a_step():
    pipeline = make_pipeline(StandardScaler(), KMeans(n_init=3))
    found = tune(pipeline, X, "kmeans__n_clusters", SHORT, random_state=3)
    assert found.suggestion == 4
    alone = make_pipeline(StandardScaler(), KMeans(4, n_init=3, random_state=3)).fit_predict(X)
    assert (found.labels[4] == alone).all()


class Halves(ClusterMixin, BaseEstimator):
    """A clusterer of one's own: cuts the first feature into equal parts, named by text."""

    def __init__(self, parts=2):
        self.parts = parts

    def fit_predict(self, points, y=None):
        ranks = np.argsort(np.argsort(points[:, 0]))
        return np.array([f"part {r * self.parts // len(points)}" for r in ranks])


def test_a_clusterer_of_ones_own_may_name_its_clusters():
    found = tune(Halves(), X, "parts", [2, 3, 4, 5], measures=["silhouette"])
    assert found.counts.tolist() == [2, 3, 4, 5]
    assert found.labels[2][0] == "part 0"


def test_seeds_of_the_clusterer_stay_unless_one_is_given():
    own = tune(KMeans(n_init=1, random_state=5), X, values=[3, 7, 8])
    for k in (3, 7, 8):
        assert (own.labels[k] == KMeans(k, n_init=1, random_state=5).fit_predict(X)).all()
    other = tune(KMeans(n_init=1, random_state=5), X, values=[3, 7, 8], random_state=11)
    for k in (3, 7, 8):
        assert (other.labels[k] == KMeans(k, n_init=1, random_state=11).fit_predict(X)).all()


def test_a_generator_is_a_seed_too():
    one, two = (
        tune("kmeans", X, values=SHORT, random_state=np.random.default_rng(1)) for _ in range(2)
    )
    assert one.to_json() == two.to_json()


def test_eps_of_dbscan_is_tuned_by_a_measure_of_its_own_kind():
    eps = [0.02, 0.1, 0.15, 0.2, 0.25, 0.6, 2.0]
    found = tune("dbscan", MOONS, "eps", eps)
    assert found.suggestion in (0.2, 0.25)  # two moons at each of them
    assert found.counts[found.values.index(found.suggestion)] == 2
    assert found.verdict == "dbcv chooses 0.2."
    expected = DBSCAN(eps=0.15).fit_predict(MOONS)
    assert (found.labels[0.15] == expected).all()
    assert found.noise[found.values.index(0.15)] == pytest.approx(np.mean(expected == -1))


@pytest.mark.parametrize(
    ("name", "parameter"), [("hdbscan", "min_cluster_size"), ("optics", "min_samples")]
)
def test_density_based_clusterers_have_names_too(name, parameter):
    found = tune(name, MOONS, parameter, [5, 10, 20], measures=["dbcv", "intra_inter_ratio"])
    assert found.values == [5, 10, 20]
    assert np.isfinite(found.curves["dbcv"]).any()


def test_a_clusterer_may_take_distances_and_must_then_be_given_them():
    distances = pairwise_distances(X)
    model = DBSCAN(metric="precomputed")
    found = tune(model, distances, "eps", [1.0, 2.0], metric="precomputed")
    assert (found.labels[2.0] == DBSCAN(eps=2.0).fit_predict(X)).all()
    with pytest.raises(ParameterError, match="pass metric='precomputed'"):
        tune(model, distances, "eps", [1.0, 2.0])
    with pytest.raises(ParameterError, match="would read distances as features"):
        tune("kmeans", distances, metric="precomputed")


def test_one_cluster_or_noise_alone_is_undefined_with_its_reason():
    found = tune("dbscan", MOONS, "eps", [1e-6, 0.2, 50.0], measures=["silhouette", "ssq"])
    assert np.isnan(found.curves["silhouette"]).tolist() == [True, False, True]
    assert "noise" in found.reasons["silhouette"][0]
    assert found.reasons["silhouette"][1] is None
    assert "2 clusters" in found.reasons["silhouette"][2]
    assert found.counts.tolist() == [0, 2, 1]
    assert found.noise[0] == 1.0
    assert not found.choices["silhouette"].clear
    assert "do not compare" in found.choices["ssq"].why


def test_clusterings_that_leave_points_out_do_not_win_for_it():
    eps = [0.08, 0.1, 0.2, 0.3]
    found = tune("dbscan", MOONS, "eps", eps, measures=["davies_bouldin", "dbcv"])
    assert found.noise[0] > 0.5 > found.noise[1] > 0.1
    assert np.argmin(found.curves["davies_bouldin"]) == 0
    choice = found.choices["davies_bouldin"]
    assert (choice.value, choice.clear) == (0.1, False)  # not the one that drops most points
    assert "leaves more points out" in choice.why
    assert found.choices["dbcv"].value == 0.2


def test_values_without_an_order_are_compared_as_they_are():
    stretched = X * [1, 0.2]
    found = tune(AgglomerativeClustering(4), stretched, "linkage", ["single", "ward", "complete"])
    assert found.values == ["single", "ward", "complete"]
    assert found.choices["silhouette"].value in found.values


def test_what_a_clusterer_refuses_is_undefined_at_that_value_alone():
    found = tune("dbscan", MOONS, "eps", [-1.0, 0.1, 0.2, 0.3], measures="silhouette")
    assert -1.0 not in found.labels
    assert "dbscan refuses eps=-1.0" in found.reasons["silhouette"][0]
    assert math.isnan(found.curves["silhouette"][0])
    with pytest.raises(ParameterError, match="dbscan refuses eps=-2"):
        tune("dbscan", MOONS, "eps", [-2.0, -1.0], bootstrap=3, n_jobs=2)


@pytest.mark.parametrize("kind", ["list", "pandas", "csr", "float32"])
def test_features_come_in_many_kinds(four, kind):
    given = {
        "list": X.tolist(),
        "pandas": pd.DataFrame(X, columns=["a", "b"]),
        "csr": sp.csr_array(X),
        "float32": X.astype(np.float32),
    }[kind]
    found = tune("kmeans", given, values=SHORT, random_state=0)
    assert found.suggestion == 4
    for key, curve in found.curves.items():
        assert curve == pytest.approx(four.curves[key], rel=1e-3)


def test_distances_alone_will_do():
    found = tune("average", pairwise_distances(X), values=SHORT, metric="precomputed", bootstrap=3)
    assert found.suggestion == 4
    assert [record.key for record in found.measures] == ["intra_inter_ratio", "silhouette"]
    direct = tune("average", X, values=SHORT, measures=["intra_inter_ratio", "silhouette"])
    for key in found.curves:
        assert found.curves[key] == pytest.approx(direct.curves[key], rel=1e-7)
    assert found.stability.size == 96


def test_other_metrics_reach_the_measures():
    found = tune("average", X, values=SHORT, metric="manhattan", measures="silhouette")
    labels = AgglomerativeClustering(5, metric="manhattan", linkage="average").fit_predict(X)
    assert (found.labels[5] == labels).all()
    expected = silhouette_score(X, labels, metric="manhattan")
    assert found.curves["silhouette"][3] == pytest.approx(expected, rel=1e-9)


def test_measures_take_parameters_and_rules():
    found = tune(
        "kmeans",
        X,
        values=SHORT,
        measures={"bic": {"covariance": "spherical"}, "ssq": {}, "log_likelihood": {}},
        rules={"ssq": "hartigan"},
        random_state=0,
    )
    labels = found.labels[5]
    assert found.curves["bic"][3] == pytest.approx(cv.bic(X, labels, covariance="spherical"))
    assert found.choices["bic"].value == 4
    assert found.choices["ssq"].rule == "hartigan"
    assert (found.choices["log_likelihood"].value, found.choices["log_likelihood"].clear) == (
        4,
        True,
    )


def test_references_of_the_gap_statistic_are_clustered_by_the_clusterer_that_is_tuned():
    """k-means makes tighter clusters of structureless points than single linkage does."""
    options = {"values": range(2, 5), "measures": {"gap_statistic": {"references": 3}}}
    single = AgglomerativeClustering(linkage="single")
    found = tune(single, X, references=0, **options)
    for place, k in enumerate(range(2, 5)):
        made = clone(single).set_params(n_clusters=k).fit_predict
        wanted = cv.gap_statistic(X, made(X), references=3, cluster=made)
        assert found.curves["gap_statistic"][place] == wanted
        assert wanted > cv.gap_statistic(X, made(X), references=3)
    with pytest.raises(cv.ClustervetError, match="cluster must be a function"):
        cv.gap_statistic(X, made(X), cluster=3)


def test_the_gap_statistic_has_its_own_rule():
    options = {"values": range(2, 6), "measures": {"gap_statistic": {"references": 2}}}
    assert tune("kmeans", X, random_state=0, **options).choices["gap_statistic"].value == 4
    cloud = tune("kmeans", CLOUD, random_state=0, **options)
    assert cloud.choices["gap_statistic"].why == "the gap statistic prefers one cluster"


def test_hartigans_index_and_ssq_have_one_elbow():
    found = tune("kmeans", X, values=SHORT, measures=["ssq", "hartigan"], random_state=0)
    first, second = found.choices.values()
    assert first.strength == pytest.approx(second.strength, rel=1e-9)
    assert first.value == second.value == 4


def test_the_elbow_of_a_measure_that_may_be_negative_takes_no_logarithm():
    asked = {"bic": {"covariance": "spherical"}}
    found = tune("ward", X, values=SHORT, measures=asked, rules={"bic": "elbow"}, references=0)
    start = cv.bic(X, np.zeros(len(X), int), covariance="spherical")
    straight, curved = (
        find_elbow(SHORT, found.curves["bic"], start=start, logarithm=logarithm)
        for logarithm in (False, True)
    )
    assert found.choices["bic"].strength == straight.strength != curved.strength
    assert found.choices["bic"].value == 4


def test_a_measure_without_a_direction_has_no_optimum():
    @cv.measure(title="Points", family="mine", better="neither", bounds=(1, 9), kind="internal")
    def number_of_points(geometry):
        """How many points there are."""
        return float(geometry.n)

    try:
        with pytest.raises(ParameterError) as caught:
            tune("kmeans", X, values=[2, 3], measures=["number_of_points"])
    finally:
        cv.measures.remove("number_of_points")
    assert str(caught.value) == (
        "number_of_points is better neither high nor low; it has no optimum to choose by."
    )


def test_samples_make_large_sets_cheap():
    found = tune("kmeans", X, values=SHORT, sample=40, random_state=0)
    assert found.suggestion == 4
    assert found.drawn == 40
    assert "40 points or pairs" in repr(found)
    exact = cv.silhouette(X, found.labels[4])
    assert found.curves["silhouette"][2] == pytest.approx(exact, abs=0.05)
    assert found.curves["silhouette"][2] != exact


def test_very_many_points_are_sampled_unasked(monkeypatch):
    options = {"values": [3, 4], "measures": ["silhouette"], "references": 0, "random_state": 0}
    module = sys.modules[tune.__module__]
    monkeypatch.setattr(module, "DRAWN_POINTS", 40)
    monkeypatch.setattr(module, "MANY_POINTS", len(X))
    assert tune("ward", X, **options).drawn is None
    monkeypatch.setattr(module, "MANY_POINTS", len(X) - 1)
    found = tune("ward", X, **options)
    assert found.drawn == 40
    assert found.to_json() == tune("ward", X, sample=40, **options).to_json()


def test_few_points_shorten_the_usual_range():
    assert tune("kmeans", X[::12], random_state=0).values == [2, 3, 4, 5, 6, 7, 8, 9]


def test_one_value_gives_its_curve_and_no_choice():
    found = tune("kmeans", X, values=[3], random_state=0)
    assert found.suggestion is None
    assert found.why == "no measure makes a clear choice"


def test_points_in_three_places_are_three_clusters():
    places = np.repeat([[0.0, 0], [1, 5], [7, 7]], 20, axis=0)
    found = tune("ward", places, values=range(2, 10))
    assert found.suggestion == 3
    assert found.choices["intra_inter_ratio"].value == 3


# Stability


@pytest.fixture(scope="module")
def sampled() -> Tuning:
    return tune("kmeans", X, values=SHORT, bootstrap=6, random_state=0, n_jobs=2)


def test_samples_say_how_stable_choices_and_clusters_are(sampled):
    held = sampled.stability
    assert (held.samples, held.size) == (6, 96)
    at = sampled.values.index(4)
    for key in sampled.curves:
        assert held.shares[key].sum() <= 1 + 1e-12
        assert held.shares[key][at] == 1.0
        assert held.clear[key] == 1.0
        assert (held.low[key] < sampled.curves[key]).all()
        assert (sampled.curves[key] < held.high[key]).all()
    assert held.labels[at] == 1.0
    assert held.labels[sampled.values.index(8)] < 0.95
    assert "chosen in 100% of samples" in repr(sampled)


def test_samples_are_the_same_for_one_seed_and_any_number_of_jobs(sampled):
    again = tune("kmeans", X, values=SHORT, bootstrap=6, random_state=0)
    assert again.to_json() == sampled.to_json()
    other = tune("kmeans", X, values=SHORT, bootstrap=6, random_state=1)
    assert other.stability.labels.tolist() != sampled.stability.labels.tolist()


def test_samples_that_share_one_point_say_nothing_about_stability():
    options = {"values": [2], "measures": ["ssq"], "bootstrap": 2, "progress": False}
    shared = [
        tune("ward", [[0.0], [1.0], [5.0]], random_state=seed, **options).stability.labels.tolist()
        for seed in (0, 1)
    ]
    assert shared[0] == [1.0]
    assert shared[1] == pytest.approx([math.nan], nan_ok=True)


def test_intervals_are_as_wide_as_new_data_varies():
    # Sets of one law: the spread of their silhouettes beside what some of them say of it.
    rng = np.random.default_rng(3)
    model = KMeans(n_init=1, random_state=0)
    options = {"values": [2], "measures": "silhouette", "random_state": 0}
    values, widths = [], []
    for k in range(60):
        points = np.concatenate([rng.normal(c, 1, (60, 2)) for c in (0, 4)])
        found = tune(model, points, bootstrap=0 if k % 10 else 20, **options)
        values.append(found.curves["silhouette"][0])
        if found.stability is not None:
            widths.append(found.stability.high["silhouette"][0] - values[-1])
    assert np.mean(widths) / 1.96 == pytest.approx(np.std(values, ddof=1), rel=0.3)


# What is shown


def test_text_names_the_choices_the_verdict_and_the_caution(four):
    text = repr(four)
    assert text.startswith("kmeans, n_clusters 2 to 8, 120 points\n")
    assert "silhouette: 4 (optimum, strength" in text
    assert "Suggestion: n_clusters = 4." in text
    assert "favour algorithms of their own kind" in text
    row = next(line for line in text.splitlines() if line.split()[0] == "4")
    assert row.count("*") == 5


def test_agreement_names_measures_that_lean_and_those_that_differ(four):
    choices = dict(four.choices)
    choices["ssq"] = replace(choices["ssq"], clear=False, why="no clear elbow")
    choices["silhouette"] = replace(choices["silhouette"], value=2, index=0)
    found = replace(four, choices=choices)
    assert found.verdict == (
        "3 of 5 measures choose 4 and 1 more leans to it; silhouette chooses 2; "
        "ssq: no clear elbow."
    )
    assert found.suggestion == 4
    assert found.leanings == {4: ["ssq"]}
    nobody = {key: replace(c, clear=False, why="no value stands out") for key, c in choices.items()}
    assert replace(four, choices=nobody).suggestion is None


def test_clusters_of_outlying_points_beside_others_are_a_remark(four):
    assert not any("lie apart" in note for note in four.document().notes)
    found = replace(four, outlying=(3, 1))
    assert found.suggestion == 4
    assert "At 4, 1 cluster of 3 outlying points lie apart." in found.document().notes


def test_measures_that_disagree_suggest_nothing(four):
    pair = {
        "ssq": replace(four.choices["ssq"], value=3, index=1),
        "silhouette": four.choices["silhouette"],
    }
    records = tuple(record for record in four.measures if record.key in pair)
    found = replace(four, choices=pair, measures=records)
    assert found.suggestion is None
    assert found.why == "the measures do not agree on a value"


def test_json_holds_everything_but_the_labels(sampled):
    plain = json.loads(sampled.to_json())
    assert plain["schema"] == "clustervet/tuning/1"
    assert plain["values"] == list(SHORT)
    assert plain["suggestion"] == 4
    assert plain["measures"][0]["choice"]["value"] == 4
    assert plain["stability"]["samples"] == 6
    assert "labels" not in plain


def test_undefined_values_are_null_in_json_and_said_in_text():
    found = tune("dbscan", MOONS, "eps", [0.2, 50.0], measures=["silhouette"])
    assert json.loads(found.to_json())["measures"][0]["curve"][1] is None
    assert "needs at least 2 clusters" in repr(found)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_have_a_row_a_value(sampled, backend):
    frame = sampled.to_frame(backend)
    names = list(frame.column_names if backend == "pyarrow" else frame.columns)
    assert names[:4] == ["n_clusters", "clusters", "noise", "ssq"]
    assert {"ssq_low", "ssq_high", "ssq_share", "stability", "chosen_by"} <= set(names)
    assert len(frame) == 7


class Hostile(Halves):
    """A clusterer whose parameter takes text."""

    def fit_predict(self, points, y=None):
        return (points[:, 0] > len(str(self.parts))).astype(int)


def test_html_and_rich_show_hostile_values_as_text():
    values = ["<script>alert(1)</script>", "[bold]x[/bold]", "a\nb"]
    found = tune(Hostile("a"), X, "parts", values, measures=["silhouette"])
    page = found._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    console = Console(width=120, file=io.StringIO())
    console.print(found)
    shown = console.file.getvalue()
    assert "[bold]x[/bold]" in shown
    assert "a\\nb" in shown
    assert "a\nb" not in repr(found)


# What is refused


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tune("kmean", X), "did you mean kmeans?"),
        (lambda: tune("nonsense", X), "the names are kmeans"),
        (lambda: tune("kmeans", X, "n_cluster"), "did you mean n_clusters?"),
        (lambda: tune("dbscan", X), "dbscan has no parameter 'n_clusters'"),
        (lambda: tune("dbscan", X, "eps"), "values of eps must be given"),
        (lambda: tune("kmeans", X, 3), "parameter must be a name"),
        (lambda: tune("kmeans", X, values=[]), "values is empty"),
        (lambda: tune("kmeans", X, values=5), "values must be several"),
        (lambda: tune("kmeans", X, values="2..9"), "values must be several"),
        (lambda: tune("kmeans", X, values=[[2], [3]]), "values must be single values"),
        (lambda: tune("kmeans", X, values=[2, 500]), "more clusters than the 120 points"),
        (lambda: tune(LogisticRegression(), X), "LogisticRegression is not"),
        (lambda: tune(LogisticRegression, X), "LogisticRegression is not"),
        (lambda: tune(IsolationForest(), X, "n_estimators", [5, 9]), "detects outliers"),
        (lambda: tune(lambda x: x, X), "values of x must be given"),
        (lambda: tune(5, X), "estimator must be a clusterer"),
        (lambda: tune("kmeans", X, measures=[]), "measures is empty"),
        (lambda: tune("kmeans", X, measures=["rand"]), "needs a second labeling"),
        (lambda: tune("kmeans", X, measures=["silhouettte"]), "did you mean silhouette"),
        (lambda: tune("kmeans", X, measures={"bic": {"shape": 1}}), "bic knows no option 'shape'"),
        (lambda: tune("kmeans", X, measures={"ssq": {}, "SSQ": {}}), "names a measure twice"),
        (lambda: tune("kmeans", X, rules={"ssq": "knee"}), "there is no rule 'knee'"),
        (lambda: tune("kmeans", X, rules={"bic": "optimum"}), "not among the measures"),
        (lambda: tune("kmeans", X, rules={"silhouette": "gap"}), "reads gap_statistic"),
        (lambda: tune("kmeans", X, bootstrap=-1), "bootstrap must be"),
        (lambda: tune("kmeans", X, bootstrap=1), "bootstrap must be"),
        (lambda: tune("kmeans", X, sample=1), "sample must be"),
        (lambda: tune("kmeans", X, n_jobs=0), "n_jobs must not be 0"),
        (lambda: tune("kmeans", X, random_state="a"), "random_state must be"),
        (lambda: tune("kmeans", X, random_state=-1), "random_state must be"),
        (lambda: tune("kmeans", X, metric="nonsense"), "there is no metric"),
        (lambda: tune("kmeans", X, values=[2, 3], noise="ignore"), "noise must be one of"),
    ],
)
def test_bad_calls_get_one_clear_sentence(call, message):
    with pytest.raises(ClustervetError, match=re.escape(message)) as caught:
        call()
    text = str(caught.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))


@pytest.mark.parametrize(
    "bad", [[1.0, 2.0, 3.0], [[1.0, math.nan]] * 9, [["a"]] * 9, [[1.0], [2.0]]]
)
def test_bad_features_are_refused(bad):
    with pytest.raises(FeatureError):
        tune("kmeans", bad)


def test_labels_of_another_length_are_the_clusterers_fault():
    class Broken(Halves):
        def fit_predict(self, points, y=None):
            return np.zeros(3, int)

    with pytest.raises(
        ParameterError,
        match=r"refuses parts=2: fit_predict gave shape \(3,\) for",
    ):
        tune(Broken(), X, "parts", [2, 3])


def test_measures_that_lean_to_one_value_suggest_it_if_there_are_clusters_at_all():
    from sklearn.datasets import load_wine
    from sklearn.preprocessing import StandardScaler

    wine = StandardScaler().fit_transform(load_wine().data)
    found = cv.tune("kmeans", wine, values=range(2, 9), random_state=0)
    assert not any(choice.clear for choice in found.choices.values())
    assert found.suggestion == 3
    assert found.p_value <= 0.05
    assert "all 5 lean to 3" in found.verdict


def test_features_can_be_standardized_and_that_is_said():
    wide = X * [1, 1000]
    scaled = StandardScaler().fit_transform(wide)
    found = tune("kmeans", wide, values=SHORT, standardize=True, random_state=0)
    plain = tune("kmeans", scaled, values=SHORT, random_state=0)
    assert repr(found).startswith("kmeans, n_clusters 2 to 8, 120 points, standardized\n")
    assert found.to_dict() == plain.to_dict() | {"standardized": True}
    assert "standardized" not in plain.to_dict()
    rows = tune("kmeans", sp.csr_array(wide), values=[3, 4], standardize=True, random_state=0)
    kept = StandardScaler(with_mean=False).fit_transform(sp.csr_array(wide))
    again = tune("kmeans", kept, values=[3, 4], random_state=0)
    assert rows.curves["ssq"].tolist() == again.curves["ssq"].tolist()
    with pytest.raises(ParameterError, match="standardize is for features"):
        tune("average", pairwise_distances(X), metric="precomputed", standardize=True)


def test_the_labels_at_the_suggestion_or_why_there_are_none(four):
    assert (four.best_labels() == four.labels[4]).all()
    with pytest.raises(ParameterError, match="there are no labels to write: no measure makes"):
        tune("kmeans", X, values=[3], random_state=0).best_labels()


def test_algorithms_of_the_paper_have_names_here_too():
    found = tune("K-Means", X, values=[3, 4], random_state=0)
    assert (
        found.labels[4].tolist()
        == tune("kmeans", X, values=[3, 4], random_state=0).labels[4].tolist()
    )
    spherical = tune("spkmeans", np.abs(X), values=[2, 3], measures="silhouette", random_state=0)
    assert spherical.parameter == "n_clusters"
    assert spherical.counts.tolist() == [2, 3]


def test_anything_a_clusterer_raises_is_the_reason_at_that_value():
    class Moody(Halves):
        def fit_predict(self, points, y=None):
            if self.parts == 3:
                raise RuntimeError("not three\nof all numbers")
            return super().fit_predict(points)

    found = tune(Moody(), X, "parts", [2, 3, 4], measures=["silhouette"])
    assert found.reasons["silhouette"][1] == "Moody refuses parts=3: not three"


def test_the_document_marks_choices_and_has_intervals_over_samples(sampled):
    section = sampled.document()
    table, shares, _ = section.tables
    heads = [column.title for column in table.columns]
    assert heads[0] == "n_clusters"
    assert heads[-1] == "stability"
    row = table.rows[sampled.values.index(4)]
    assert all(cell.best for cell in row.cells[1:-1])
    cell = row.cells[heads.index("ssq ↓")]
    held = sampled.stability
    assert (cell.low, cell.high) == (held.low["ssq"][2], held.high["ssq"][2])
    assert shares.detail
    verdict, against, last = section.lead
    assert (verdict, last) == (sampled.verdict, "Suggestion: n_clusters = 4.")
    assert "without clusters: p < 0.001" in against
    assert section.measures == sampled.measures
    assert section.subject is sampled


def test_a_choice_is_a_result(four):
    choice = four.choices["ssq"]
    assert repr(choice) == f"4 (elbow, strength {choice.strength:.2f})"
    assert json.loads(choice.to_json())["value"] == 4
    assert choice.columns()["rule"] == ["elbow"]
    assert repr(replace(choice, clear=False, why="no clear elbow")).startswith("no clear elbow (")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_warnings_about_convergence_are_one_counted_remark(n_jobs):
    places = np.repeat([[0.0, 0], [1, 5], [7, 7]], 20, axis=0)
    found = tune("kmeans", places, values=range(2, 7), random_state=0, n_jobs=n_jobs)
    assert list(found.warned) == [4, 5, 6]
    assert found.to_dict()["warnings"][0]["value"] == 4
    remarks = [note for note in found.document().notes if "warned" in note]
    assert remarks == [
        "The clusterer warned at 3 of 5 values, first at 4: Number of distinct clusters (3) found "
        "smaller than n_clusters (4). Possibly due to duplicate points in X."
    ]


def test_warnings_of_worker_processes_are_kept_too():
    places = np.repeat([[0.0, 0], [1, 5], [7, 7]], 20, axis=0)
    with joblib.parallel_config("loky", n_jobs=2):
        found = tune("kmeans", places, values=[3, 4], random_state=0)
    assert list(found.warned) == [4]


def test_other_warnings_reach_the_user():
    class Warner(KMeans):
        def fit_predict(self, X, y=None, sample_weight=None):  # noqa: N803
            warnings.warn("something else", RuntimeWarning, stacklevel=1)
            return super().fit_predict(X)

    with pytest.warns(RuntimeWarning, match="something else"):
        found = tune(Warner(n_init=1), X, values=[4], random_state=0)
    assert found.warned == {}
    assert "warnings" not in found.to_dict()


MIXED = pd.DataFrame({"size": np.arange(30.0), "kind": list("ab") * 15})
BESIDE = "take a clusterer that knows the distance: average, complete, single, dbscan,"


@pytest.mark.parametrize("clusterer", ["kmeans", KMeans(), DBSCAN(), ["average", "ward"]])
def test_gower_is_recommended_to_clusterers_that_take_it_alone(clusterer):
    grid = {"algorithm": ["auto"]} if isinstance(clusterer, DBSCAN) else {"n_clusters": [2]}
    with pytest.raises(FeatureError, match=f"column 'kind' .* or with metric='gower' {BESIDE}"):
        tune(clusterer, MIXED, grid=grid)


@pytest.mark.parametrize(
    "clusterer", ["average", ["single", "complete"], lambda n_clusters: [0, 1] * 15]
)
def test_what_a_refusal_recommends_is_taken(clusterer):
    ask = {"grid": {"n_clusters": [2, 3]}, "references": 0}
    with pytest.raises(FeatureError, match="metric='gower' reads it as it is"):
        tune(clusterer, MIXED, **ask)
    assert tune(clusterer, MIXED, metric="gower", **ask).counts[0] == 2


def test_samples_of_mixed_columns_get_the_same_recommendation():
    with pytest.raises(FeatureError, match=BESIDE):
        cv.stability("kmeans", MIXED, clusters=2)
    with pytest.raises(FeatureError, match="metric='gower' reads it as it is"):
        cv.stability("average", MIXED, clusters=2)
