"""Noise that is scored as a cluster, and features of unlike scale, are told by every verb."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, HDBSCAN
from sklearn.datasets import load_digits

import clustervet as cv
from clustervet.geometry.points import scale_ratio
from clustervet.view.words import setting

N = 60
RNG = np.random.default_rng(2)
TRUTH = np.repeat([0, 1, 2], N // 3)
NOISY = np.where(np.arange(N) % 5 == 0, -1, TRUTH)
PLAIN = np.where(np.arange(N) % 7 == 0, 1, TRUTH)
POINTS = RNG.normal(size=(N, 2)) + 9 * TRUTH[:, None]
WIDE = POINTS * [1, 1e4]
SAID = "Label -1 is scored as one cluster of noisy (12 of 60 objects)"
SCALE = "Features differ in scale: the widest spans"
VERBS = {
    "score": ["score", "table.csv", "-t", "y", "-p", "noisy", "-p", "plain", "-m", "ari,vi"],
    "alone": ["score", "table.csv", "-t", "y", "-p", "noisy", "-m", "ari"],
    "engine": ["score", "table.csv", "-t", "y", "-p", "noisy", "-m", "ari", "--engine", "duckdb"],
    "lake": ["score", "table.parquet", "-t", "y", "-p", "noisy", "-m", "ari"],
    "features": ["score", "table.csv", "--features", "x*", "-p", "noisy", "-m", "ssq"],
    "files": ["score", "table.parquet", "--features", "x*", "-p", "noisy", "-m", "ssq",
              "--engine", "duckdb"],
    "compare": ["compare", "table.csv", "-l", "noisy,plain,y"],
    "bound": ["bound", "table.csv", "-t", "y", "-p", "noisy", "--labelled", "seen"],
}  # fmt: skip
KEPT = {
    "compare": SAID,
    "bound": SAID.replace("noisy", "pred"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    columns = {"y": TRUTH, "noisy": NOISY, "plain": PLAIN, "seen": np.arange(N) % 2}
    frame = pd.DataFrame({**columns, "x1": POINTS[:, 0], "x2": POINTS[:, 1]})
    frame.to_csv(tmp_path / "table.csv", index=False)
    frame.to_parquet(tmp_path / "table.parquet", index=False)
    frame.assign(x2=WIDE[:, 1]).to_csv(tmp_path / "wide.csv", index=False)
    frame.assign(x2=WIDE[:, 1]).to_parquet(tmp_path / "wide.parquet", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_noise_is_told_with_its_count_and_the_option(run, folder, verb, form):
    ran = run(*VERBS[verb], "-f", form)
    assert ran.code == 0, ran.err
    assert KEPT.get(verb, SAID) in ran.out
    assert "--noise drop leaves such objects out" in ran.out
    assert "noise='drop'" not in ran.out
    assert "Label -1" not in ran.err


@pytest.mark.parametrize("verb", VERBS)
def test_json_has_it_as_a_field_and_csv_has_data_alone(run, folder, verb):
    found = json.loads(run(*VERBS[verb], "-f", "json").out)
    held = found["cards"][0] if "cards" in found else found.get("distances", found)
    noise = held["noise_as_cluster"]
    assert noise.get("pred", noise.get("noisy")) == 12
    ran = run(*VERBS[verb], "-f", "csv")
    assert "Label -1" not in ran.out
    assert KEPT.get(verb, SAID) in ran.err
    to_file = run(*VERBS[verb], "-o", "answer.csv")
    assert KEPT.get(verb, SAID) in to_file.err
    assert "Label -1" not in (folder / "answer.csv").read_text()


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("policy", ["keep", "drop"])
def test_a_policy_that_was_chosen_is_not_spoken_of(run, folder, verb, policy):
    for form in ("table", "json", "csv"):
        ran = run(*VERBS[verb], "--noise", policy, "-f", form)
        assert ran.code == 0, ran.err
        assert "Label -1" not in ran.out + ran.err
        assert "noise_as_cluster" not in ran.out


def test_a_report_tells_it(run, folder):
    ask = ["report", "table.csv", "-t", "y", "-p", "noisy", "-m", "ari"]
    assert run(*ask, "-o", "page.html").code == 0
    assert SAID in (folder / "page.html").read_text(encoding="utf-8")
    assert run(*ask, "--noise", "keep", "-o", "page.md").code == 0
    assert "Label -1" not in (folder / "page.md").read_text(encoding="utf-8")


def test_a_table_that_is_built_tells_it(run, folder):
    ask = ["table", "build", "table.csv", "-t", "y", "-p", "noisy", "-o", "counts.json"]
    assert SAID.replace("noisy", "pred") in run(*ask).err
    assert SAID.replace("noisy", "pred") in run("score", "counts.json", "-m", "ari").out
    assert run(*ask, "--noise", "keep").err == ""


def test_classes_are_told_apart_from_clusters(run, folder):
    ran = run("score", "table.csv", "-t", "noisy", "-p", "plain", "-m", "ari")
    assert "Label -1 is scored as one class of noisy (12 of 60 objects); --noise" in ran.out
    both = run("score", "table.csv", "-t", "noisy", "-p", "noisy", "-m", "ari").out
    assert "as one cluster of noisy (12 of 60 objects) and as one class of noisy (12 of" in both
    bound = run("bound", "table.csv", "-t", "noisy", "-p", "plain", "--labelled", "seen").out
    assert "The label -1 of 12 objects is taken as a class" in bound


def test_python_results_tell_it_in_their_own_words():
    preds = {"noisy": NOISY, "plain": PLAIN}
    results = [
        cv.external_scores(TRUTH, preds, measures=["rand"]),
        cv.judge(TRUTH, preds, measures=["rand"]),
        cv.internal_scores(POINTS, preds, measures=["ssq"]),
        cv.examine(TRUTH, preds, measures=["rand"]),
        cv.examine(None, preds, features=POINTS),
        cv.distance_matrix(preds),
        cv.Ensemble(preds).summary(),
    ]
    for found in results:
        assert SAID in repr(found), type(found)
        assert SAID in found._repr_html_(), type(found)
        (line,) = found.cautions()
        assert "noise='drop' leaves such objects out, noise='singletons'" in line
    assert SAID.replace("noisy", "pred") in repr(cv.external_scores(TRUTH, NOISY))
    assert setting("noise", "drop") == "noise='drop'"


def test_many_noisy_clusterings_are_one_line():
    cards = cv.external_scores(TRUTH, {f"run {k}": NOISY for k in range(40)}, measures=["rand"])
    (line,) = cards.cautions()
    assert "run 3 (12 of 60 objects) and 36 more;" in line
    assert line in repr(cards)


@pytest.mark.parametrize(
    "labels",
    [np.where(TRUTH == 0, -1, 1), ["-1", "1"] * 30, ["-1.0", "1.0"] * 30, TRUTH, ["x", "y"] * 30],
    ids=["signs", "signs as text", "signs as floats", "no noise", "text"],
)
def test_labels_that_are_no_noise(labels):
    assert cv.external_scores(TRUTH, labels, measures=["rand"]).cautions() == []
    assert cv.distance_matrix([TRUTH, labels]).cautions() == []


@pytest.mark.parametrize("spell", [int, str, float, lambda label: f"{label}.0"])
def test_however_minus_one_is_spelled(spell):
    labels = [spell(int(label)) for label in NOISY]
    assert len(cv.external_scores(TRUTH, labels, measures=["rand"]).cautions()) == 1
    assert len(cv.distance_matrix([TRUTH, labels]).cautions()) == 1


def test_the_handwritten_digits_tell_it():
    pixels, digit = load_digits(return_X_y=True)
    labels = HDBSCAN(min_cluster_size=15, copy=True).fit_predict(pixels)
    found = cv.judge({"digit": digit}, {"hdbscan": labels}, measures=["adjusted_rand"])
    assert f"one cluster of hdbscan ({(labels == -1).sum()} of 1,797 objects)" in repr(found)
    values = [cv.adjusted_rand(digit, labels, noise=p) for p in ("keep", "drop", "singletons")]
    assert values == pytest.approx([0.217, 0.968, 0.447], abs=0.005)
    assert scale_ratio(pixels) == 0


class Noisy(DBSCAN):
    """A clusterer that leaves some points out, whatever it is asked for."""

    def __init__(self, n_clusters=2):
        super().__init__()
        self.n_clusters = n_clusters

    def fit_predict(self, X, y=None):  # noqa: N803  # scikit-learn's name
        return NOISY % self.n_clusters - (NOISY == -1) * self.n_clusters


def test_a_selection_tells_which_algorithms_leave_points_out():
    found = cv.select(POINTS, TRUTH, {"noisy": Noisy(), "km": "kmeans"}, [2, 3], 1, noise=None)
    said = "Label -1 is scored as one cluster of noisy (up to 12 of 60 objects); noise='singletons'"
    assert said in repr(found)
    assert "noise='drop'" not in repr(found)
    assert found.to_dict()["noise_as_cluster"] == {"noisy": 12}
    for policy in ("keep", "singletons"):
        other = cv.select(POINTS, TRUTH, {"noisy": Noisy()}, [2, 3], 1, noise=policy)
        assert other.cautions() == []
        assert "noise_as_cluster" not in other.to_json()


def test_tuning_tells_what_measures_leave_out(run, folder):
    ask = ["tune", "table.csv", "--features", "x*", "-e", "dbscan", "--parameter", "eps",
           "--values", "0.3,0.6,0.9", "-m", "silhouette,dbcv"]  # fmt: skip
    ran = run(*ask)
    assert (
        "points are labelled -1, and measures leave them out, except dbcv; --noise keep" in ran.out
    )
    assert "are labelled -1" in run(*ask, "-f", "csv").err
    for policy in ("keep", "singletons"):
        assert "are labelled -1" not in run(*ask, "--noise", policy).out
    assert "noise must be one of" in run(*ask, "--noise", "lose").err


FEATURED = {
    "score": ["score", "wide.csv", "--features", "x*", "-p", "plain", "-m", "ssq"],
    "tune": ["tune", "wide.csv", "--features", "x*", "--k", "2..4"],
    "select": ["select", "wide.csv", "--features", "x*", "-l", "y", "-a", "kmeans", "--k", "3",
               "--runs", "1"],
}  # fmt: skip


@pytest.mark.parametrize("verb", FEATURED)
def test_features_of_unlike_scale_are_told(run, folder, verb):
    ran = run(*FEATURED[verb])
    assert ran.code == 0, ran.err
    assert SCALE in ran.out
    assert "--standardize gives every feature mean 0 and variance 1" in ran.out
    found = json.loads(run(*FEATURED[verb], "-f", "json").out)
    assert found["scale_ratio"] == pytest.approx(np.ptp(WIDE[:, 1]) / np.ptp(WIDE[:, 0]))
    csv = run(*FEATURED[verb], "-f", "csv")
    assert SCALE in csv.err
    assert SCALE not in csv.out
    even = ["table.csv" if word == "wide.csv" else word for word in FEATURED[verb]]
    for silent in ([*FEATURED[verb], "--standardize"], even):
        other = run(*silent)
        assert other.code == 0, other.err
        assert SCALE not in other.out + other.err


def test_files_that_an_engine_scores_and_reports_tell_it(run, folder):
    ask = ["score", "wide.parquet", "--features", "x*", "-p", "plain", "-m", "silhouette"]
    assert SCALE in run(*ask, "--engine", "duckdb").out
    page = ["report", "wide.csv", "--features", "x*", "-p", "plain", "-o", "page.md"]
    assert run(*page).code == 0
    assert SCALE in (folder / "page.md").read_text(encoding="utf-8")
    assert run(*page, "--standardize").code == 0
    assert SCALE not in (folder / "page.md").read_text(encoding="utf-8")


def test_python_names_its_parameter():
    found = cv.internal_scores(WIDE, PLAIN, measures=["ssq"])
    assert "standardize=True gives every feature" in repr(found)
    flat = cv.internal_scores(WIDE, PLAIN, measures=["ssq"], standardize=True)
    scaled = (WIDE - WIDE.mean(axis=0)) / WIDE.std(axis=0)
    assert flat["ssq"] == pytest.approx(cv.ssq(scaled, PLAIN))
    assert flat.cautions() == []
    assert SCALE in repr(cv.examine(None, {"plain": PLAIN}, features=WIDE))
    assert cv.examine(None, {"a": PLAIN}, features=WIDE, standardize=True).cautions() == []
    with pytest.raises(cv.ClustervetError, match="standardize is for features"):
        cv.internal_scores(cv.Geometry(WIDE, PLAIN), standardize=True)


@pytest.mark.parametrize(
    "features",
    [
        np.column_stack([POINTS, np.full(N, 0.1)]),
        np.column_stack([POINTS, np.full(N, 1e9) + 1e-7 * POINTS[:, 0]]),
        np.column_stack([np.eye(N)[:, 0], POINTS[:, 0]]),
        POINTS[:, :1] * 1e-200,
    ],
    ids=["constant", "constant but for rounding", "rare", "one feature"],
)
def test_features_of_like_scale(features):
    assert cv.internal_scores(features, PLAIN, measures=["dunn"]).cautions() == []


def test_metrics_that_weigh_features_are_left_alone():
    for metric, told in (("manhattan", True), ("cosine", True), ("canberra", False)):
        card = cv.internal_scores(WIDE, PLAIN, metric, measures=["dunn"])
        assert bool(card.cautions()) is told, metric
