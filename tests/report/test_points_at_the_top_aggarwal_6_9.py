"""The points, and what sets clusters apart, at the top of reports (Aggarwal 2015, §6.9.1.1)."""

from __future__ import annotations

import pickle
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from report_cases import FEW, drawn, opened, unfold
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise_distances

import clustervet as cv
from clustervet.report import build_report, write_report

IRIS = load_iris(as_frame=True)
KINDS = IRIS.target_names[IRIS.target]
NAMES = list(IRIS.data.columns)


def top(found):
    """The first section, its figure and its table."""
    section = build_report(found).sections[0]
    return section, section.blocks[0], section.blocks[-1]


def check_profiles(table, values, labels):
    """Each row of the table is what `cluster_profiles` says about all of the points."""
    right = cv.cluster_profiles(values, labels)
    assert [row.cells[0].text for row in table.rows] == [one.shown for one in right.profiles]
    for row, one in zip(table.rows, right.profiles, strict=True):
        assert (row.cells[1].value, row.cells[2].value) == (one.size, one.share)
        assert [c.text.rsplit(" ", 1)[0] for c in row.cells[3:]] == [
            f.feature for f in one.features
        ]


def test_examine():
    preds = {"good": IRIS.target.to_numpy(), "bad": np.arange(150) % 2}
    found = cv.examine({"kind": KINDS}, preds, features=IRIS.data, measures=FEW)
    section, picture, table = top(found)
    assert (section.title, section.paragraphs) == ("The points", ("Clusters of good.",))
    assert picture.title == "3 clusters of 150 points; every cluster holds one class."
    assert "hold 97.8% of their variance" in picture.note
    assert picture.scopes == {"cluster": "p0"}
    assert picture.table == table.key == "points-profiles"
    check_profiles(table, IRIS.data, preds["good"])
    assert any("Cohen, J. (1988)" in work for work in build_report(found).references)
    # A terminal and a notebook are as they were.
    assert "The points" not in repr(found)


def test_standardized_features_are_drawn_but_profiles_have_their_own_units():
    found = cv.examine(KINDS, KINDS, features=IRIS.data, standardize=True, measures=FEW)
    # Two components of the standardized irises hold 95.8% of the variance.
    assert "hold 95.8% of their variance" in top(found)[1].note
    first = found.points.profiles["setosa"].features[0]
    assert first.mean == pytest.approx(IRIS.data[first.feature][KINDS == "setosa"].mean())


def test_tune_shows_the_clusters_of_the_suggested_value():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(c, 1, (50, 3)) for c in (0, 9, 18)])
    frame = pd.DataFrame(points, columns=["u", "v", "w"])
    found = cv.tune("kmeans", frame, values=range(2, 7), random_state=0)
    section, picture, table = top(found)
    assert section.paragraphs == ("Clusters at n_clusters = 3, which is suggested.",)
    assert picture.title == "3 clusters of 150 points."
    check_profiles(table, frame, found.labels[3])
    assert [part.key for part in build_report(found).sections[:2]] == ["points", "tuning"]
    plain = cv.tune("kmeans", frame, values=range(2, 7), random_state=0, references=0)
    assert "which has the votes, but no more." in top(plain)[0].paragraphs[0]
    cloud = rng.normal(size=(60, 3))
    lost = cv.tune("kmeans", cloud, values=range(2, 7), random_state=0, measures="ssq")
    section, picture, _ = top(lost)
    assert lost.voted is None
    assert section.paragraphs[0].startswith("There are no clusters to show")
    assert picture.title == "60 points, without clusters."


def test_select_shows_the_chosen_clusters_and_the_labels_that_are_known():
    labels = pd.Series(KINDS).mask(np.arange(150) % 3 == 0)
    found = cv.select(IRIS.data, labels, ["kmeans", "ward"], [3, 4], runs=1, standardize=True)
    section, picture, table = top(found)
    assert section.paragraphs == (f"Clusters of {found.best.algorithm}, which is chosen.",)
    check_profiles(table, IRIS.data, found.labels)
    # Only points with a label can be of another class than their cluster's.
    known = labels.notna().to_numpy()
    counts = pd.crosstab(found.labels[known], labels[known].to_numpy()).to_numpy()
    off = int((counts.sum(axis=1) - counts.max(axis=1)).sum())
    assert f"; {off} points are not of the class that leads their cluster." in picture.title
    keys = [trace["name"] for trace in picture.figure["data"] if trace["x"] == [None]]
    assert "class not known" in keys


def test_text_is_drawn_by_truncated_svd_and_told_apart_by_words():
    rng = np.random.default_rng(1)
    topics = np.repeat([0, 1], 40)
    counts = rng.poisson(0.2, (80, 30))
    counts[topics == 0, :5] += 3
    counts[topics == 1, 5:10] += 3
    names = [f"word{k}" for k in range(30)]
    found = cv.select(
        sp.csr_array(counts.astype(float)),
        topics,
        ["spherical"],
        [2],
        runs=1,
        weighting="tfidf",
        feature_names=names,
    )
    _, picture, table = top(found)
    assert "Two components of a truncated SVD of 30 features hold" in picture.note
    said = [cell.text.split(" ")[0] for row in table.rows for cell in row.cells[3:]]
    assert len(said) == 6
    assert set(said) <= set(names[:10])


def test_score_of_files(tmp_path):
    path = tmp_path / "iris.csv"
    IRIS.data.assign(kind=KINDS, good=IRIS.target, bad=np.arange(150) % 2).to_csv(path, index=False)
    asked = {"features": NAMES, "measures": ["ari", "silhouette"]}
    found = cv.score_files(str(path), "kind", ["bad", "good"], picture=True, **asked)
    section, picture, table = top(found)
    assert section.paragraphs == ("Clusters of good.",)
    assert "every cluster holds one class" in picture.title
    check_profiles(table, IRIS.data, IRIS.target.to_numpy())
    assert cv.score_files(str(path), "kind", "good", **asked).points is None


def test_distances_are_scaled_to_a_plane():
    points = np.random.default_rng(2).normal(size=(40, 2)) * [5, 1]
    labels = (points[:, 0] > 0).astype(int)
    distances = pairwise_distances(points)
    distances = (distances + distances.T) / 2
    found = cv.examine(None, {"a": labels}, features=distances, metric="precomputed")
    section, picture, _ = top(found)
    assert len(section.blocks) == 1
    assert "the plane holds 100.0% of their squares" in picture.note
    places = np.empty((40, 2))
    for trace in picture.figure["data"]:
        if trace.get("customdata"):
            places[trace["customdata"]] = np.column_stack([trace["x"], trace["y"]])
    np.testing.assert_allclose(pairwise_distances(places), distances, atol=1e-3)


def test_no_features_no_picture():
    found = cv.examine(KINDS, IRIS.target, measures=FEW)
    assert found.points is None
    assert build_report(found).sections[0].title == "How good it is"


def test_a_result_holds_no_copy_of_the_data(monkeypatch):
    # Measures of features are taken of a sample.
    monkeypatch.setattr(import_module("clustervet.evidence.examine"), "MEASURED", 20_000)
    rng = np.random.default_rng(3)
    points = rng.normal(size=(30_000, 40))
    found = cv.examine(None, {"a": rng.integers(0, 4, 30_000)}, features=points, sample=2_000)
    assert len(pickle.dumps(found.points)) < 500_000 < points.nbytes // 10
    _, picture, table = top(found)
    assert "by 20,000 points drawn at random" in picture.note
    assert sum(row.cells[1].value for row in table.rows) == 30_000


def test_custom_noise_is_drawn_as_noise():
    labels = np.where(np.arange(150) < 10, "out", KINDS.astype("U10"))
    found = cv.examine(
        KINDS, {"a": labels}, features=IRIS.data, noise={"out": "drop"}, measures=FEW
    )
    assert "6.7% of them noise" in top(found)[1].title


def test_names_must_be_one_for_each_feature():
    for call in (
        lambda: cv.tune("kmeans", IRIS.data.to_numpy(), values=[2, 3], feature_names=["a"]),
        lambda: cv.select(IRIS.data.to_numpy(), KINDS, ["kmeans"], [3], feature_names=["a"]),
    ):
        with pytest.raises(cv.ClustervetError, match="one name for each of the 4 features"):
            call()


def test_several_results_name_their_points():
    found = cv.tune("kmeans", IRIS.data, values=[2, 3], random_state=0, references=0)
    titles = [part.title for part in build_report({"x": found, "y": found}).sections]
    assert titles[:4] == ["x: The points", "x", "y: The points", "y"]


def test_a_cluster_lights_up_in_the_picture_and_by_a_click_on_it(browser, tmp_path):
    found = cv.examine(KINDS, IRIS.target.to_numpy(), features=IRIS.data, measures=FEW)
    path = write_report(found, tmp_path / "page.html")
    assert path.stat().st_size < 2_500_000
    with opened(browser, path) as page:
        drawn(page, "points-points")
        unfold(page)
        page.click("#points-profiles tbody tr:first-child button.link")
        faint = page.evaluate(
            "key => document.getElementById(key).data.filter(t => t.meta).map(t => t.opacity)",
            "points-points-plot",
        )
        assert sorted(faint) == [0.18, 0.18, 1]
        page.keyboard.press("Escape")
        mark = page.query_selector("#points-points-plot .scatterlayer .point")
        box = mark.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert page.text_content("#chosen-text").startswith("Cluster ")
