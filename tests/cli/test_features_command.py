from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest

import clustervet as cv
from clustervet.view.words import number

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "scorecard.schema.json").read_text())
RNG = np.random.default_rng(0)
CODES = np.repeat([0, 1, 2], 10)
X = RNG.normal(size=(30, 3)) + 6 * np.eye(3)[CODES]
OTHER = np.where(np.arange(30) % 7 == 0, -1, CODES)


@pytest.fixture
def points(file):
    """Thirty points with an index, a word, a class and two clusterings."""
    rows = [
        f"{i},{','.join(map(repr, row.tolist()))},w{i},{'abc'[c]},{c},{o}"
        for i, (row, c, o) in enumerate(zip(X, CODES, OTHER, strict=True))
    ]
    return file("\n".join(["id,x1,x2,x3,word,kind,good,noisy", *rows]), "points.csv")


def card(ran):
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    jsonschema.validate(data, SCHEMA)
    return data


def values(data):
    return {score["measure"]: score["value"] for score in data["scores"]}


def expected(labels, **options):
    found = cv.internal_scores(X, labels, **options)
    return {key: pytest.approx(value, rel=1e-12, nan_ok=True) for key, value in found.items()}


def test_a_clustering_without_a_truth_is_held_against_all_numeric_columns(run, points):
    ran = run(
        "score", points, "--pred", "good", "--features", "x1,x2", "--features", "x3", "-f", "json"
    )
    assert values(card(ran)) == expected(CODES)
    assert ran.err == ""
    ran = run("score", points, "-p", "good", "-m", "ssq", "-f", "json")
    data = card(ran)
    assert data["features"] == 4  # x1, x2, x3 and the other clustering, which is numeric too
    assert "left out: id (an index), word (text), kind (text)" in ran.err


def test_features_by_pattern(run, points):
    data = card(run("score", points, "-p", "good", "--features", "x*", "-f", "json"))
    assert values(data) == expected(CODES)


@pytest.mark.parametrize("form", ["parquet", "npz", "arrow", "jsonl", "tsv"])
def test_every_format_gives_the_same_card(run, tmp_path, form):
    path = tmp_path / f"points.{form}"
    columns = {f"x{k + 1}": X[:, k] for k in range(3)} | {"good": CODES}
    frame = pl.DataFrame(columns)
    if form == "npz":
        np.savez(path, X=X, good=CODES)
    elif form == "tsv":
        frame.write_csv(path, separator="\t")
    elif form == "jsonl":
        frame.write_ndjson(path)
    elif form == "arrow":
        frame.write_ipc(path)
    else:
        frame.write_parquet(path)
    assert values(card(run("score", path, "-p", "good", "-f", "json"))) == expected(CODES)


def test_points_and_labels_in_two_files(run, file, tmp_path):
    np.save(tmp_path / "points.npy", X)
    labels = file("\n".join(map(str, CODES)), "labels.txt")
    ran = run("score", tmp_path / "points.npy", labels, "--features", "*", "-f", "json")
    assert values(card(ran)) == expected(CODES)


def test_several_clusterings_side_by_side(run, points):
    ran = run("score", points, "-p", "good", "-p", "noisy", "--features", "x*", "-f", "json")
    data = card(ran)
    assert [one["name"] for one in data["cards"]] == ["good", "noisy"]
    assert values(data["cards"][1]) == expected(OTHER)
    assert any("--noise drop" in remark for remark in data["cards"][1]["remarks"])
    assert data["cards"][1]["noise_as_cluster"] == {"pred": 5}


def test_noise_metric_and_measures(run, points):
    ran = run(
        "score", points, "-p", "noisy", "--features", "x*", "--noise", "drop",
        "--metric", "manhattan", "-m", "silhouette,dbcv", "-f", "json",
    )  # fmt: skip
    data = card(ran)
    assert data["noise"] == 5
    wanted = expected(OTHER, noise="drop", metric="manhattan", measures=["silhouette", "dbcv"])
    assert values(data) == wanted


def test_truth_and_features_together(run, points):
    ran = run("score", points, "-t", "kind", "-p", "good", "--features", "x*", "-f", "json")
    outer, inner = card(ran)["cards"]
    assert values(inner) == expected(CODES)
    assert values(outer)["adjusted_rand"] == 1
    ran = run("score", points, "-t", "kind", "-p", "good", "--features", "x*", "-m", "ari,ssq")
    shown = {line.split()[0]: line.split()[1:3] for line in ran.out.splitlines() if line.strip()}
    assert shown["adjusted_rand"] == ["↑", "1.0000"]
    assert shown["ssq"] == ["↓", number(cv.ssq(X, CODES))]
    ran = run("score", points, "-t", "kind", "-p", "good", "--features", "x*", "-f", "csv")
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(ran.out))}
    assert {key: float(rows[key]["value"] or "nan") for key in values(inner)} == expected(CODES)
    ran = run("score", points, "-t", "kind", "-p", "good", "--features", "x*", "-f", "markdown")
    assert f"| {number(cv.silhouette(X, CODES))} |" in ran.out


def test_intervals_by_features(run, points):
    ask = ("score", points, "-p", "good", "--features", "x*", "--confidence", "0.9")
    scores = {one["measure"]: one for one in card(run(*ask, "-f", "json"))["scores"]}
    held = cv.internal_scores(X, CODES, confidence=0.9).score("silhouette").interval
    assert scores["silhouette"]["interval"] == held.to_dict()
    assert scores["dunn"]["interval"] is None
    said = run(*ask).out
    assert f"[low, high]: 0.9 confidence intervals, {held.groups} groups of points" in said
    assert "Intervals take the labels as given" in said
    # With classes too, both cards have intervals; an engine has those of the classes alone.
    outer, inner = card(run(*ask, "-t", "kind", "-f", "json"))["cards"]
    assert outer["scores"][0]["interval"]["method"] == "jackknife"
    assert {s["measure"]: s for s in inner["scores"]}["silhouette"]["interval"] == held.to_dict()
    ran = run(*ask, "-t", "kind", "--engine", "duckdb", "-f", "json")
    assert all(score["interval"] is None for score in card(ran)["cards"][1]["scores"])
    assert "no intervals of measures of features" in ran.err


def test_a_sampled_silhouette_says_so(run, points):
    ran = run("score", points, "-p", "good", "--features", "x*", "--sample", "12", "-f", "json")
    (score,) = [s for s in card(ran)["scores"] if s["measure"] == "silhouette"]
    assert score["sample"] == 12
    assert score["standard_error"] > 0
    ran = run("score", points, "-p", "good", "--features", "x*", "--sample", "12")
    assert "0.95 confidence interval of a value that was sampled" in ran.out
    assert "dunn" in ran.out.splitlines()[-1]  # left out, and said so


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-p", "good", "-m", "ari"], "adjusted_rand needs --truth"),
        (["-p", "good", "--confidence", "9"], "--confidence must lie between 0 and 1, not 9.0"),
        (
            ["-p", "good", "--confidence", "0.9", "--engine", "duckdb"],
            "--confidence needs all points in memory, and an engine leaves them in files",
        ),
        (["-p", "good", "--diagnose"], "--diagnose goes with --truth"),
        (["-p", "good", "--features", "word"], "column 'word'"),
        (["-p", "good", "--features", "x9"], "no column 'x9'"),
        (["-p", "god"], "did you mean good"),
        (["--features", "x*"], "name a column of clusters with --pred"),
        (["-p", "good", "--metric", "euclid"], "did you mean euclidean"),
        (["-p", "good", "--array", "X"], "NPZ"),
        (["-t", "kind", "-p", "good", "-m", "ssq"], "ssq needs features"),
    ],
)
def test_refusals(refused, points, arguments, message):
    assert message in refused("score", points, *arguments)


@pytest.fixture
def weighted(file):
    """Thirty points with whole and real weights; the first one has none."""
    weights = [0, *(1 + np.arange(29) % 3).tolist()]
    rows = [
        f"{','.join(map(repr, row.tolist()))},{c},{w},{w / 2},{'abc'[c]}"
        for row, c, w in zip(X, CODES, weights, strict=True)
    ]
    return file("\n".join(["x1,x2,x3,c,w,half,kind", *rows]), "weighted.csv"), weights


@pytest.mark.parametrize("more", [[], ["--standardize"], ["--metric", "manhattan"]])
def test_weights_count_points_as_often(run, weighted, more):
    path, weights = weighted
    call = ["score", path, "-p", "c", "--features", "x*", "--weights", "w", "-f", "json", *more]
    data = card(run(*call, "-m", "ssq,silhouette,davies_bouldin,ward_linkage,dbcv"))
    rows = np.repeat(np.arange(30), weights)
    known = cv.internal_scores(
        X[rows],
        CODES[rows],
        measures=["ssq", "silhouette", "davies_bouldin", "ward_linkage"],
        standardize="--standardize" in more,
        metric="manhattan" if "manhattan" in more else None,
    )
    assert data["objects"] == sum(weights)
    found = values(data)
    assert found.pop("dbcv") is None
    assert found == pytest.approx(dict(known))
    assert data["scores"][-1]["why_undefined"] == "it takes no weights"


def test_a_column_of_weights_is_no_feature(run, weighted):
    path, _ = weighted
    ran = run("score", path, "-p", "c", "--exclude", "w", "--weights", "half", "-f", "json")
    data = card(ran)
    assert (data["features"], data["objects"]) == (3, 28.5)
    assert "The clusters" not in run("score", path, "-p", "c", "--weights", "w").out


def test_weights_beside_classes_count_on_both_sides(run, weighted, tmp_path):
    path, weights = weighted
    call = ["score", path, "-t", "kind", "-p", "c", "--features", "x*", "--weights", "w"]
    ran = run(*call, "--report", tmp_path / "page.md")
    assert f"{sum(weights)} objects, 3 classes, 3 clusters" in ran.out
    assert f"{sum(weights)} points, 3 features, 3 clusters" in ran.out
    assert "what sets clusters apart count every row once" in ran.err


def test_weights_that_are_refused(refused, weighted, file):
    path, _ = weighted
    call = ["score", path, "-p", "c", "--features", "x*"]
    assert "no column 'v'" in refused(*call, "--weights", "v")
    assert "column 'kind'" in refused(*call, "--weights", "kind")
    assert "--weights goes with one file" in refused(*call, "--weights", "w", "--engine", "duckdb")
    assert "must not be negative" in refused(*call[:-1], "x1,x2", "--weights", "x3")
    points = file("1,2\n3,4\n", "points.csv")
    labels = file("c\n0\n1\n", "labels.csv")
    said = refused("score", points, labels, "--features", "*", "--weights", "w")
    assert "--weights names a column of one table" in said
    noisy = file("x,c,w\n1,0,1\n2,0,2\n9,-1,2\n8,-1,1\n", "noisy.csv")
    said = refused("score", noisy, "-p", "c", "--weights", "w", "--noise", "singletons")
    assert "--noise singletons takes no weights" in said


def test_a_missing_value_is_named_with_its_line(refused, file):
    path = file("x,y,c\n1,2,0\n3,,1\n", "gap.csv")
    assert "line 3" in refused("score", path, "-p", "c")


def test_each_cluster_is_described_unless_measures_are_named(run, points):
    ask = ["score", points, "--features", "x*", "--pred", "good"]
    assert "widest gap" in run(*ask).out
    for more in (["-m", "silhouette"], ["--engine", "duckdb"]):
        assert "widest gap" not in run(*ask, *more).out
