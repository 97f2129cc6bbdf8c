from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import clustervet as cv
from clustervet.cli.options import numbers, whole_numbers
from clustervet.errors import ParameterError

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(c, 0.5, (30, 2)) for c in ((0, 0), (8, 0), (0, 8), (8, 8))])


@pytest.fixture
def points(file):
    """Four blobs with an index and a word."""
    rows = [f"{i},{x!r},{y!r},w" for i, (x, y) in enumerate(X.tolist())]
    return file("\n".join(["id,x,y,word", *rows]), "points.csv")


def test_the_number_of_clusters(run, points):
    ran = run("tune", points, "--k", "2..7", "-f", "json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data["values"] == [2, 3, 4, 5, 6, 7]
    assert data["suggestion"] == 4
    expected = cv.tune("kmeans", X, values=range(2, 8), random_state=0)
    assert data == expected.to_dict()
    assert "features are x, y; left out: id (an index), word (text)" in ran.err


def test_a_file_is_all_that_is_needed(run, points):
    ran = run("tune", points, "-f", "json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data == cv.tune("kmeans", X, random_state=0).to_dict()
    assert data["parameter"] == "n_clusters"
    assert data["values"][:3] == [2, 3, 4]
    assert data["suggestion"] == 4
    table = run("tune", points)
    assert table.code == 0, table.err
    assert "Suggestion: n_clusters = 4" in table.out


def test_without_references_there_is_no_suggestion(run, points):
    ran = run("tune", points, "--k", "2..6", "--references", "0", "-f", "json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert (data["voted"], data["suggestion"], data["p_value"]) == (4, None, None)
    assert "no references were asked for" in data["why"]


def test_another_parameter_of_another_clusterer(run, points):
    ran = run(
        "tune", points, "--features", "x,y", "-e", "dbscan", "--parameter", "eps",
        "--values", "0.2..1.4..0.3", "-m", "dbcv,silhouette", "-f", "csv",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert ran.err.count("\n") == 1
    assert "points are labelled -1, and measures leave them out, except dbcv" in ran.err
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [float(row["eps"]) for row in rows] == pytest.approx([0.2, 0.5, 0.8, 1.1, 1.4])
    assert {"dbcv", "silhouette"} <= set(rows[0])


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_text_says_what_is_chosen_and_warns(run, points, form):
    ran = run("tune", points, "--k", "2..6", "-f", form)
    assert ran.code == 0, ran.err
    assert "n_clusters" in ran.out
    assert "rule of thumb" in ran.out


def test_labels_are_written_at_the_suggestion(run, points, tmp_path):
    target = tmp_path / "labels.csv"
    ran = run("tune", points, "--k", "2..6", "--labels", target)
    assert ran.code == 0, ran.err
    name, *labels = target.read_text().split()
    assert name == "label"
    assert cv.adjusted_rand(np.repeat(range(4), 30), labels) == 1


def test_a_clusterer_of_the_users_own(run, points, tmp_path, monkeypatch):
    code = "from sklearn.cluster import AgglomerativeClustering as Mine\n"
    (tmp_path / "mine.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    ran = run("tune", points, "-e", "mine:Mine", "--k", "2..7", "-f", "json", "--standardize")
    assert json.loads(ran.out)["suggestion"] == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--k", "20..2"], "is empty"),
        (["--k", "two"], "neither a range"),
        (["--k", "2.5"], "whole numbers"),
        (["--k", "2..5", "--parameter", "eps"], "--k is short for"),
        (["--parameter", "eps"], "needs its --values"),
        (["--k", "2..5", "-e", "kmeens"], "did you mean kmeans"),
        (["--k", "2..500"], "more clusters than the 120 points"),
        (["--k", "2..5", "-m", "ari"], "needs a second labeling"),
        (["--k", "2..5", "--features", "word"], "column 'word'"),
        (["--k", "2..5", "-e", "nothing:There"], "cannot be loaded"),
        (["-e", "dbscan", "--parameter", "epps", "--values", "1,2"], "did you mean eps"),
        (["--k", "2..5", "--jobs", "0"], "--jobs must not be 0"),
        (["--k", "2..5", "--references", "7"], "--references must be 0 or at least 19, not 7"),
    ],
)
def test_refusals(refused, points, arguments, message):
    assert message in refused("tune", points, *arguments)


def test_no_suggestion_leaves_no_file(refused, file, tmp_path):
    cloud = RNG.uniform(size=(80, 2))
    path = file("x,y\n" + "\n".join(f"{a!r},{b!r}" for a, b in cloud.tolist()), "cloud.csv")
    target = tmp_path / "labels.csv"
    assert "no labels to write" in refused(
        "tune", path, "--k", "2..8", "--features", "x,y", "-m", "ssq", "--labels", target
    )
    assert not target.exists()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2..5", [2, 3, 4, 5]), ("2..10..4", [2, 6, 10]), ("3", [3]), ("2..3,7, 3", [2, 3, 7])],
)
def test_ranges_of_whole_numbers(text, expected):
    assert whole_numbers(text, "--k") == expected


def test_ranges_of_decimals_hit_their_ends():
    assert numbers("0.1..0.5..0.1", "--values") == [0.1, 0.2, 0.3, 0.4, 0.5]
    with pytest.raises(ParameterError, match="more than"):
        numbers("0..1..0.00001", "--values")
    with pytest.raises(ParameterError, match="neither"):
        numbers("1..nan", "--values")
