from __future__ import annotations

import json

import jsonschema
import numpy as np
import polars as pl
import pytest

import clustervet as cv
from clustervet.datasets import iris_path

SCHEMA = json.loads(
    (iris_path().parents[3] / "docs" / "scorecard.schema.json").read_text(encoding="utf-8")
)
RNG = np.random.default_rng(3)
NAMES = np.array(["a|b", "<i>", "c,\n", "-1"])
CODES = RNG.integers(0, 4, 600)
X = RNG.normal(size=(600, 3)) + 4 * np.eye(4)[CODES][:, :3]
OTHER = np.where(RNG.random(600) < 0.1, (CODES + 1) % 4, CODES)
FRAME = pl.DataFrame(
    {
        "id": np.arange(600),
        **{f"x{j}": X[:, j] for j in range(3)},
        "kind": NAMES[CODES],
        "mine": NAMES[OTHER],
    }
)


@pytest.fixture(params=["parquet", "csv", "jsonl"])
def lake(request, tmp_path):
    """The points in three files."""
    write = {"parquet": "write_parquet", "csv": "write_csv", "jsonl": "write_ndjson"}
    for part in range(3):
        path = tmp_path / f"part{part}.{request.param}"
        getattr(FRAME[200 * part : 200 * part + 200], write[request.param])(path)
    return str(tmp_path / f"*.{request.param}")


def values(ran):
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    jsonschema.validate(data, SCHEMA)
    return {score["measure"]: score["value"] for score in data["scores"]}


def test_many_files_are_scored_where_they_are(run, lake):
    ran = run("score", lake, "--pred", "mine", "--features", "x*", "--sample", "4000", "-f", "json")
    found = values(ran)
    expected = cv.internal_scores(X, NAMES[OTHER])
    exact = {
        *("ssq", "calinski_harabasz", "hartigan", "davies_bouldin", "xie_beni", "silhouette"),
        *("simplified_silhouette", "log_likelihood", "bic", "aic", "ward_linkage"),
    }
    # So large a sample holds every point.
    assert {key: found[key] for key in exact} == {
        key: pytest.approx(expected[key], rel=1e-9) for key in exact
    }
    assert {key for key, value in found.items() if value is None} == {
        *("intra_inter_ratio", "dunn", "generalized_dunn", "validated_likelihood", "dbcv"),
        *("intra_distance", "inter_distance", "medoid_distance", "median_distance"),
        *("single_linkage", "complete_linkage", "average_linkage", "macro_silhouette"),
    }


def test_features_and_classes_of_many_files(run, lake):
    ran = run("score", lake, "-t", "kind", "-p", "mine", "--features", "x*", "-m", "ari,ssq")
    assert ran.code == 0, ran.err
    shown = {line.split()[0]: line.split()[1:3] for line in ran.out.splitlines() if line.strip()}
    assert shown["adjusted_rand"] == ["↑", f"{cv.adjusted_rand(CODES, OTHER):.4f}"]
    assert shown["ssq"] == ["↓", f"{cv.ssq(X, OTHER):.4f}"]


def test_noise_is_dropped_and_a_smaller_sample_says_how_far_off_it_may_be(run, lake):
    ask = ("score", lake, "--pred", "mine", "--features", "x*")
    data = json.loads(run(*ask, "--noise", "drop", "-m", "ssq", "-f", "json").out)
    kept = NAMES[OTHER] != "-1"
    assert (data["objects"], data["noise"]) == (kept.sum(), 600 - kept.sum())
    assert data["scores"][0]["value"] == pytest.approx(cv.ssq(X[kept], OTHER[kept]), rel=1e-9)
    drawn = run(*ask, "-m", "silhouette", "--sample", "120", "--seed", "1")
    assert "0.95 confidence interval of a value that was sampled" in drawn.out
    assert drawn.out == run(*ask, "-m", "silhouette", "--sample", "120", "--seed", "1").out


def test_columns_are_found_in_the_first_file(run, tmp_path):
    for part in range(2):
        FRAME[300 * part : 300 * part + 300].write_parquet(tmp_path / f"p{part}.parquet")
    paths = [str(tmp_path / f"p{part}.parquet") for part in range(2)]
    whole = run("score", str(tmp_path), "--pred", "mine", "-m", "ssq", "-f", "json")
    assert "features are x0, x1, x2; left out: id (an index), kind (text)" in whole.err
    # A pattern that the shell has spelled out is the same.
    for given in (paths, [str(tmp_path / "p?.parquet")]):
        ask = ("--pred", "mine", "--features", "x*", "-m", "ssq", "-f", "json")
        listed = run("score", *given, *ask)
        assert values(listed) == {"ssq": pytest.approx(values(whole)["ssq"], rel=1e-12)}
    limited = run(
        "score", paths[0], "-p", "mine", "-m", "ssq", "--memory-limit", "1GB", "-f", "json"
    )
    assert values(limited)["ssq"] == pytest.approx(cv.ssq(X[:300], OTHER[:300]), rel=1e-9)


def halves(folder, first, second):
    """Two files of delimited text, the columns of each as asked for."""
    paths = [str(folder / "0.csv"), str(folder / "1.csv")]
    for path, part, (columns, separator) in zip(
        paths, (FRAME[:300], FRAME[300:]), (first, second), strict=True
    ):
        part.select(columns).write_csv(path, separator=separator)
    return paths


def test_parts_may_have_their_columns_in_another_order(run, tmp_path):
    order = ["x0", "x1", "x2", "mine"]
    paths = halves(tmp_path, (order, ","), (order[::-1], ","))
    ask = ("--pred", "mine", "--features", "x*", "-m", "ssq", "-f", "json")
    expected = {"ssq": pytest.approx(cv.ssq(X, OTHER), rel=1e-9)}
    for given in (paths, [str(tmp_path / "?.csv")], [str(tmp_path)]):
        assert values(run("score", *given, *ask)) == expected


def test_the_separator_is_that_of_the_first_file(run, tmp_path):
    order = ["x0", "x1", "x2", "mine"]
    halves(tmp_path, (order, ";"), (order, ";"))
    ask = ("--pred", "mine", "--features", "x*", "-m", "ssq", "-f", "json")
    expected = {"ssq": pytest.approx(cv.ssq(X, OTHER), rel=1e-9)}
    for engine in ("duckdb", "polars", "dask"):
        assert values(run("score", str(tmp_path), *ask, "--engine", engine)) == expected


def test_points_and_labels_in_two_files_of_any_format(run, tmp_path):
    FRAME.select("x0", "x1", "x2").write_parquet(tmp_path / "points.parquet")
    FRAME.select("mine").write_parquet(tmp_path / "labels.parquet")
    FRAME.select("mine").write_csv(tmp_path / "labels.csv")
    for labels in ("labels.parquet", "labels.csv"):
        ask = ("--features", "*", "-p", "mine", "-m", "ssq", "-f", "json")
        ran = run("score", tmp_path / "points.parquet", tmp_path / labels, *ask)
        assert values(ran) == {"ssq": pytest.approx(cv.ssq(X, OTHER), rel=1e-9)}


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_what_an_engine_cannot_read_is_one_sentence(refused, tmp_path, engine):
    (tmp_path / "a.csv").write_text("x,y,c\n" + "1,2,0\n" * 3000 + "3,word,1\n")
    ask = ("--features", "x,y", "--pred", "c", "-m", "ssq", "--engine", engine)
    assert f"{engine} cannot" in refused("score", tmp_path / "a.csv", *ask)


def test_words_of_delimited_text_are_no_numbers_for_an_engine(run, refused, tmp_path):
    text = "x,yes,c\n" + "1,True,0\n2,False,1\n3,True,1\n" * 5
    (tmp_path / "a.csv").write_text(text)
    ask = ("score", tmp_path, "--pred", "c", "-m", "ssq")
    assert "left out: yes (true and false)" in run(*ask).err
    assert "is true and false, not numbers." in refused(*ask, "--features", "yes")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--pred", "mine", "--features", "x*", "--sample", "0"], "sample must be a whole number"),
        (["--pred", "mine", "--features", "x*", "--seed", "-1"], "'--seed'"),
        (
            ["-t", "kind", "-p", "mine", "--features", "x*", "-m", "ssq", "--chance", "all"],
            "classes",
        ),
        (
            ["-t", "kind", "-p", "mine", "--features", "x*", "--id", "id"],
            "--id brings files together",
        ),
        (["--pred", "nix"], "no column 'nix'"),
        (["--pred", "mine", "--features", "y*"], "matches 'y*'"),
        (["--pred", "mine", "--features", "x0,kind"], "column 'kind' of "),
        (["--features", "x0"], "name a column of clusters with --pred."),
        (["--pred", "mine", "--metric", "cosine"], "moments know the metrics euclidean"),
        (["--pred", "mine", "--header"], "--header goes with one file"),
        (["--pred", "mine", "--noise", "singletons"], "noise"),
        (["--pred", "mine", "--engine", "duck"], "an engine is one of"),
        (["--pred", "mine", "--memory-limit", "much"], "much"),
        (["--pred", "mine", "-m", "ari"], "adjusted_rand needs --truth."),
    ],
)
def test_refusals(refused, lake, arguments, message):
    assert message in refused("score", lake, *arguments)


def test_no_file(refused, tmp_path):
    nothing = str(tmp_path / "*.parquet")
    assert "no file matches" in refused("score", nothing, "--pred", "mine", "--features", "x0")
