"""`benchmark`: algorithms over runs and data sets (Meilă 2007, §1)."""

from __future__ import annotations

import json
import math

import joblib
import numpy as np
import pytest
from scipy import stats
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import clustervet as cv
from clustervet.errors import FeatureError, FileError, LabelError, ParameterError

IRIS = load_iris(return_X_y=True)
DATA = {
    "iris": IRIS,
    "wine": load_wine(return_X_y=True),
    "moons": make_moons(120, noise=0.05, random_state=0),
    "blobs": make_blobs(90, random_state=1),
}


class Shuffled(KMeans):
    """Labels at random: all of them are equally good."""

    def fit_predict(self, points, y=None):
        return np.random.default_rng(self.random_state).integers(0, self.n_clusters, len(points))


class Broken(KMeans):
    def fit_predict(self, points, y=None):
        if len(points) == 120:
            raise RuntimeError("does not like moons")
        return super().fit_predict(points)


def test_scores_are_those_of_the_fits():
    found = cv.benchmark(DATA, {"ward": "ward", "km": KMeans(n_init=1)}, 3, measure="ari")
    for name, (points, y) in DATA.items():
        labels = AgglomerativeClustering(len(set(y.tolist()))).fit_predict(points)
        assert found.score(name, "ward").values == pytest.approx((adjusted_rand_score(y, labels),))
        assert len(found.score(name, "km").values) == 3
    assert found.algorithms == ("ward", "km")
    assert found.means.shape == (4, 2)


def test_the_interval_over_runs_is_students():
    score = cv.benchmark({"wine": DATA["wine"]}, ["kmeans"], 8, random_state=3).score(
        "wine", "kmeans"
    )
    low, high = stats.t.interval(0.95, 7, loc=np.mean(score.values), scale=stats.sem(score.values))
    assert (score.mean, score.low, score.high) == pytest.approx((np.mean(score.values), low, high))


def test_the_design_s_own_call():
    found = cv.benchmark({"set": IRIS}, {"kmeans": KMeans(3)}, runs=10)
    assert found.ranks == {"kmeans": 1.0}
    frame = found.to_frame()
    assert frame.shape[0] == 1
    assert 0.4 < frame["mean"][0] < 1.2


def test_the_answer_is_the_same_for_any_number_of_jobs_and_after_an_interruption(tmp_path):
    asked = DATA, ["kmeans", "ward", "gmm"], 3
    alone = cv.benchmark(*asked)
    assert cv.benchmark(*asked, n_jobs=2).to_json() == alone.to_json()
    folder = tmp_path / "fits"
    cv.benchmark({"iris": IRIS}, ["kmeans"], 2, journal=folder)
    assert cv.benchmark(*asked, journal=folder).to_json() == alone.to_json()
    assert sorted(path.name for path in folder.iterdir()) == [
        "blobs.db",
        "iris.db",
        "moons.db",
        "wine.db",
    ]


def test_a_journal_is_not_fitted_again_and_serves_another_measure(tmp_path, monkeypatch):
    first = cv.benchmark(DATA, {"km": KMeans(n_init=1)}, 2, journal=tmp_path / "fits")

    def refuse(*_):
        raise AssertionError("fitted again")

    monkeypatch.setattr(KMeans, "fit_predict", refuse)
    again = cv.benchmark(DATA, {"km": KMeans(n_init=1)}, 2, journal=tmp_path / "fits")
    assert again.to_json() == first.to_json()
    other = cv.benchmark(
        DATA, {"km": KMeans(n_init=1)}, 2, journal=tmp_path / "fits", measure="nmi"
    )
    assert other.score("iris", "km").mean > 0.5


def test_names_of_sets_that_no_file_system_takes_have_journals(tmp_path):
    data = dict.fromkeys(["a/../../b", "..", "\x00", "é:*?", "\ud800", "x" * 300, "x" * 301], IRIS)
    found = cv.benchmark(data, ["ward"], 1, journal=tmp_path / "fits")
    assert len(list((tmp_path / "fits").iterdir())) == 7
    assert len({score.mean for score in found.scores}) == 1


def test_several_truths_the_best_or_the_mean():
    points, y = DATA["blobs"]
    coarse = (y > 0).astype(int)
    one, other = ({"b": (points, truth)} for truth in (y, coarse))
    both = {"b": (points, y, coarse)}
    values = [
        cv.benchmark(data, ["ward"], measure="ari").score("b", "ward").mean for data in (one, other)
    ]
    best = cv.benchmark(both, ["ward"], measure="ari").score("b", "ward").mean
    mean = cv.benchmark(both, ["ward"], measure="ari", truths="mean").score("b", "ward").mean
    assert best == max(values)
    assert mean == pytest.approx(sum(values) / 2)


def test_noise_of_the_truth_counts_in_no_score():
    points, y = DATA["blobs"]
    noisy = y.copy()
    noisy[:10] = -1
    found = cv.benchmark({"b": (points, noisy)}, ["ward"], truth_noise=-1, measure="ari")
    labels = AgglomerativeClustering(len(set(y.tolist()))).fit_predict(points)
    assert found.score("b", "ward").mean == pytest.approx(adjusted_rand_score(y[10:], labels[10:]))
    assert found.sets[0].noise == 10
    assert any("noise" in line for line in found.remarks)


def test_numbers_of_clusters_that_of_the_truth_their_own_or_the_best_of_a_range():
    data = {"blobs": DATA["blobs"]}
    own = cv.benchmark(data, {"km": KMeans(5, n_init=1)}, 1, clusters="own", measure="ari")
    five = cv.benchmark(data, {"km": KMeans(n_init=1)}, 1, clusters=5, measure="ari")
    assert own.score("blobs", "km").mean != 1
    assert five.score("blobs", "km").clusters == 5
    found = cv.benchmark(data, ["ward", "dbscan"], 1, clusters=range(2, 6), measure="ari")
    assert found.score("blobs", "ward").clusters == 3
    assert found.score("blobs", "dbscan").clusters is None
    assert any("chosen by the truth" in line for line in found.remarks)


def test_points_without_a_cluster_are_mentioned_and_have_a_policy():
    data = {"moons": DATA["moons"]}
    found = cv.benchmark(data, {"db": DBSCAN(0.05)}, 1)
    (caution,) = found.cautions()
    assert caution.startswith("Label -1 is scored as one cluster of db (up to")
    alone = cv.benchmark(data, {"db": DBSCAN(0.05)}, 1, noise="singletons")
    assert alone.cautions() == []
    labels = DBSCAN(0.05).fit_predict(DATA["moons"][0])
    wanted = cv.variation_of_information(DATA["moons"][1], labels, noise={-1: "singletons"})
    assert alone.score("moons", "db").mean == wanted != found.score("moons", "db").mean


def test_a_fit_that_fails_is_told_and_its_set_is_not_ranked():
    found = cv.benchmark(DATA, {"broken": Broken(n_init=1), "ward": "ward"}, 2)
    lost = found.score("moons", "broken")
    assert math.isnan(lost.mean)
    assert (lost.failed, lost.error) == (2, "does not like moons")
    assert found.ranked_sets == 3
    text = repr(found)
    assert "Ranks leave out 1 data set" in text
    assert "Failed: broken on moons (2 runs): does not like moons" in text
    assert json.loads(found.to_json())["scores"][4]["mean"] is None


def test_an_algorithm_that_always_fails_is_not_ranked():
    found = cv.benchmark({"moons": DATA["moons"]}, {"broken": Broken(), "ward": "ward"}, 1)
    assert found.ranks == {"ward": 1.0}
    assert "Without any score: broken." in repr(found)


def test_of_many_failures_the_first_are_told_and_the_others_counted():
    data = {f"s{k}": DATA["moons"] for k in range(7)}
    notes = cv.benchmark(data, {"broken": Broken()}, 1).document().notes
    failed = [note for note in notes if note.startswith("Failed: ")]
    assert len(failed) == 5
    assert failed[3] == "Failed: broken on s3 (1 run): does not like moons"
    assert failed[4] == "Failed: runs of 3 more scores."


def test_a_fit_that_needs_more_memory_than_there_is_fails_alone():
    with cv.memory_limit("100KB"):
        found = cv.benchmark({"iris": IRIS}, {"km": KMeans(n_init=1), "ward": "ward"}, 1)
    assert found.score("iris", "km").failed == 0
    lost = found.score("iris", "ward")
    assert lost.failed == 1
    assert lost.error.startswith("a fit of 'ward' to 150 points would take ")


def test_sets_that_no_two_algorithms_share_give_no_ranks():
    made = {"mine": {"a": [0, 0, 1]}, "other": {"b": [0, 0, 1]}}
    found = cv.benchmark({"a": (None, [0, 0, 1]), "b": (None, [0, 1, 1])}, labels=made)
    assert found.ranks == {}
    assert found.pairs == ()
    assert found.verdict == "No data set has a score of every algorithm, so there are no ranks."
    with pytest.raises(KeyError, match="no score of 'mine' on 'c'"):
        found.score("c", "mine")


def test_labels_that_somebody_has_are_scored_beside_fits_or_alone():
    points, y = IRIS
    made = {"mine": {"iris": [y, np.zeros(150, int)]}, "other": {"iris": y.tolist()}}
    alone = cv.benchmark({"iris": (None, y)}, labels=made, measure="ari")
    assert alone.score("iris", "mine").values == (1.0, 0.0)
    assert alone.score("iris", "other").values == (1.0,)
    both = cv.benchmark({"iris": (points, y)}, ["ward"], labels=made, measure="ari")
    assert both.algorithms == ("ward", "mine", "other")
    named = np.array(["setosa", "versicolor", "virginica"])[y]
    words = cv.benchmark({"iris": (None, named)}, labels={"words": {"iris": named}})
    assert words.score("iris", "words").mean == 0


def test_noise_in_labels_that_somebody_has_is_noise():
    made = {"mine": {"a": [7, 7, -1, 8]}}
    data = {"a": (None, [0, 0, 1, 1])}
    assert cv.benchmark(data, labels=made).noise_as_cluster == {"mine": (1, 4)}
    assert cv.benchmark(data, labels=made, noise="singletons").noise_as_cluster == {}


def test_a_bundle_of_scikit_learn_is_a_data_set():
    assert cv.benchmark({"iris": load_iris()}, ["ward"]).sets[0].classes == (3,)


def test_words_of_the_verdict():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    data = {f"s{k}": (rng.normal(size=(90, 2)) * 0.1 + 5 * y[:, None], y) for k in range(8)}
    found = cv.benchmark(data, {"km": "kmeans", "ward": "ward", "random": Shuffled()}, 2)
    assert found.ranks["random"] == 3
    assert "By Nemenyi's test at the level 0.05" in found.verdict
    assert "ward is better than random" in found.verdict
    one = cv.benchmark({"s": data["s0"]}, ["kmeans", "ward"])
    assert "One data set cannot tell" in one.verdict


@pytest.mark.parametrize(
    ("sets", "algorithms", "options", "error", "words"),
    [
        ({}, None, {}, ParameterError, "sets is empty"),
        ([IRIS], None, {}, ParameterError, "sets must be a mapping"),
        ({"a": IRIS[0]}, None, {}, ParameterError, "must be .X, y."),
        ({3: IRIS}, None, {}, ParameterError, "must be a word"),
        ({"a": (IRIS[0], IRIS[1][:9])}, None, {}, LabelError, "set 'a': 150 points have 9 labels"),
        ({"a": (IRIS[0], [None, *IRIS[1][1:]])}, None, {}, LabelError, "set 'a': 1 labels are mis"),
        ({"a": ([[math.nan]], [0])}, None, {}, FeatureError, "set 'a': "),
        ({"a": IRIS}, ["kmeanz"], {}, ParameterError, "did you mean kmeans"),
        ({"a": IRIS}, None, {"measure": "silhouette"}, ParameterError, "an external measure"),
        ({"a": IRIS}, None, {"measure": "class_entropy"}, ParameterError, "with a direction"),
        ({"a": IRIS}, None, {"clusters": "mine"}, ParameterError, "clusters"),
        ({"a": IRIS}, None, {"clusters": [151]}, ParameterError, "more than the 150 points"),
        ({"a": IRIS}, None, {"clusters": []}, ParameterError, "clusters is empty"),
        ({"a": IRIS}, None, {"truths": "worst"}, ParameterError, "truths"),
        ({"a": IRIS}, None, {"posthoc": "tukey"}, ParameterError, "posthoc"),
        ({"a": IRIS}, None, {"alpha": 2}, ParameterError, "alpha"),
        ({"a": IRIS}, None, {"rope": -1}, ParameterError, "rope must be"),
        ({"a": IRIS}, None, {"noise": "drop"}, ParameterError, "noise"),
        ({"a": IRIS}, None, {"runs": 0}, ParameterError, "runs"),
        ({"a": IRIS}, None, {"label": "y"}, ParameterError, "label names columns"),
        ({"a": (None, IRIS[1])}, ["ward"], {}, FeatureError, "'a' has no points"),
        ({"a": IRIS}, None, {"truth_noise": [0, 1, 2]}, LabelError, "all objects as noise"),
        ({"a": IRIS}, None, {"labels": {"m": {"b": IRIS[1]}}}, ParameterError, "no data set"),
        ({"a": IRIS}, None, {"labels": {"m": {"a": [0, 1]}}}, LabelError, "2 labels for 150"),
        ({"a": IRIS}, None, {"labels": {"m": {"a": [None, 1]}}}, LabelError, "1 missing label"),
        ({"a": IRIS}, None, {"labels": {}}, ParameterError, "there is no algorithm; name one"),
        ({"a": IRIS}, None, {"labels": [1]}, ParameterError, "labels must be a mapping"),
        ({"a": IRIS}, ["ward"], {"labels": {"ward": {"a": IRIS[1]}}}, ParameterError, "too"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(sets, algorithms, options, error, words):
    with pytest.raises(error, match=words) as raised:
        cv.benchmark(sets, algorithms, **options)
    assert "\n" not in str(raised.value)


def test_a_journal_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(FileError, match="of journals cannot be made"):
        cv.benchmark({"a": IRIS}, ["ward"], journal=tmp_path / "file" / "fits")


def test_the_backend_of_joblib_is_used():
    with joblib.parallel_config(backend="loky", n_jobs=2):
        found = cv.benchmark({"iris": IRIS}, ["kmeans"], 3)
    assert found.to_json() == cv.benchmark({"iris": IRIS}, ["kmeans"], 3).to_json()
