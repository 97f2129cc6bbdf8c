from __future__ import annotations

import gzip
import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import clustervet as cv

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 4, 600)
A = np.where(RNG.random(600) < 0.8, Y, RNG.integers(0, 4, 600))
B = RNG.integers(-1, 6, 600)
SCORE = ("-t", "y", "-p", "a", "-p", "b")


@pytest.fixture(autouse=True)
def scratch(tmp_path_factory, monkeypatch):
    """Temporary files have a place of their own, and none is left in it."""
    folder = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def lake(tmp_path):
    folder = tmp_path / "lake"
    folder.mkdir()
    frame = pl.DataFrame({"id": range(600), "y": Y, "a": A, "b": B, "w": Y + 1})
    for k in range(3):
        frame[k * 200 : (k + 1) * 200].write_parquet(folder / f"part-{k}.parquet")
    return folder


def values(ran):
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    read = lambda card: {score["measure"]: score["value"] for score in card["scores"]}  # noqa: E731  # as short as it gets
    return {c["name"]: read(c) for c in data["cards"]} if "cards" in data else read(data)


def same(card):
    return pytest.approx(dict(card), rel=1e-12, nan_ok=True)


def test_a_folder_a_pattern_and_parts_give_the_same_cards(run, lake):
    expected = {"a": same(cv.external_scores(Y, A)), "b": same(cv.external_scores(Y, B))}
    parts = sorted(lake.iterdir())
    for files in ([lake], [lake / "*.parquet"], parts, [parts[0], lake / "part-[12].parquet"]):
        ran = run("score", *files, *SCORE, "-f", "json", "--memory-limit", "500MB")
        assert values(ran) == expected
        assert ran.err == ""


def test_every_option_means_the_same_as_for_labels(run, lake):
    call = ("score", lake, "-t", "y", "-f", "json", "-m", "rand,vi")
    measures = ["rand", "vi"]
    for policy in ("drop", "singletons", "keep"):
        ran = run(*call, "-p", "b", "--noise", policy)
        assert values(ran) == same(cv.external_scores(Y, B, noise=policy, measures=measures))
    ran = run(*call, "-p", "b", "--noise", "2=drop")
    assert values(ran) == same(cv.external_scores(Y, B, noise={2: "drop"}, measures=measures))
    ran = run(*call, "-p", "a", "--weights", "w")
    assert values(ran) == same(cv.external_scores(Y, A, weights=Y + 1, measures=measures))
    ran = run(*call, "-t", "a", "-p", "b")
    several = cv.external_scores({"y": Y, "a": A}, B, measures=measures)
    assert values(ran) == {name: same(card) for name, card in several.items()}


def test_intervals_ranking_and_diagnosis(run, lake):
    sure = ("--confidence", "0.9", "--resamples", "200", "--seed", "1", "-m", "ari", "--diagnose")
    data = json.loads(run("score", lake, *SCORE, *sure, "-f", "json").out)
    assert data["ranking"]["groups"] == [["a"], ["b"]]
    assert data["ranking"]["objects"] == 600
    assert set(data["diagnoses"]) == {"a", "b"}
    assert all(card["scores"][0]["interval"] for card in data["cards"])


def test_what_is_too_large_for_a_ranking_is_said(run, lake, monkeypatch):
    monkeypatch.setattr("clustervet.contingency.files.COMBINATIONS", 3)
    ran = run("score", lake, *SCORE, "--confidence", "0.9", "--resamples", "100", "-m", "ari")
    assert ran.code == 0
    assert "no ranking" in ran.err
    assert "By adjusted_rand" not in ran.out


@pytest.mark.parametrize("form", ["jsonl", "arrow", "npz", "csv.gz"])
def test_one_file_of_any_format(run, tmp_path, form):
    frame = pl.DataFrame({"y": Y, "c": A})
    path = tmp_path / f"t.{form}"
    if form == "jsonl":
        frame.write_ndjson(path)
    elif form == "arrow":
        frame.write_ipc(path)
    elif form == "npz":
        np.savez(path, y=Y, c=A)
    else:
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    expected = same(cv.external_scores(Y, A))
    assert values(run("score", path, "-t", "y", "-p", "c", "-f", "json")) == expected
    assert values(run("score", path, "-f", "json")) == expected


def test_two_arrays_row_by_row(run, tmp_path):
    np.save(tmp_path / "y.npy", Y)
    np.save(tmp_path / "c.npy", A)
    ran = run("score", tmp_path / "y.npy", tmp_path / "c.npy", "-f", "json", "-m", "rand")
    assert values(ran) == {"rand": cv.rand(Y, A)}


def test_two_tables_row_by_row_are_said_to_be(run, lake):
    parts = sorted(lake.iterdir())[:2]
    ask = ["score", *parts, "-t", "y", "-p", "a", "-f", "json", "-m", "rand"]
    ran = run(*ask)
    assert ran.code == 2
    assert "column 'id'" in ran.err
    assert "for two parts of one table give a pattern or their folder" in ran.err
    assert "--by-row" in ran.err
    ran = run(*ask, "--by-row")
    assert values(ran) == {"rand": cv.rand(Y[:200], A[200:400])}
    assert "row by row" in ran.err


class TestJoining:
    """Truth and predictions in files of their own."""

    @pytest.fixture
    def files(self, tmp_path):
        truth, pred = tmp_path / "truth.parquet", tmp_path / "pred.csv"
        pl.DataFrame({"id": range(600), "y": Y}).write_parquet(truth)
        pl.DataFrame({"id": range(10, 605), "c": [*A[10:], *[0] * 5]}).write_csv(pred)
        return truth, pred

    def test_columns_that_need_no_name(self, run, files):
        ran = run("score", *files, "--id", "id", "-f", "json", "-m", "rand")
        assert values(ran) == {"rand": cv.rand(Y[10:], A[10:])}
        (unmatched,) = json.loads(ran.out)["unmatched"]
        assert (unmatched["only_truth"], unmatched["only_prediction"]) == (10, 5)
        (line,) = ran.err.splitlines()
        assert "10 of" in line
        assert "5 of" in line

    def test_several_files_of_predictions(self, run, files, tmp_path):
        third = tmp_path / "third.jsonl"
        pl.DataFrame({"id": range(600), "b": B}).write_ndjson(third)
        ran = run(
            "score", *files, third, "--id", "id", "-t", "y", "-p", "c", "-p", "b", "-f", "json",
            "-m", "rand",
        )  # fmt: skip
        assert values(ran) == {
            "c": {"rand": cv.rand(Y[10:], A[10:])},
            "b": {"rand": cv.rand(Y, B)},
        }

    def test_refusals(self, refused, files, tmp_path):
        truth, pred = files
        call = ("score", truth, pred, "--id", "id")
        assert "has no column 'z'" in refused(*call, "-p", "z")
        assert "has no column 'z'" in refused(*call, "-t", "z")
        assert "has no column 'key'" in refused("score", truth, pred, "--id", "key")
        assert "name the file of the truth" in refused("score", truth, "--id", "id")
        pl.DataFrame({"id": [1, 1], "c": [1, 2]}).write_csv(pred)
        assert "id '1' stands 2 times" in refused(*call)
        pl.DataFrame({"id": [-1], "c": [1]}).write_csv(pred)
        assert "no id of" in refused(*call)


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_engines_by_name(run, lake, engine):
    ran = run("score", lake / "*.parquet", *SCORE, "--engine", engine, "-f", "json", "-m", "rand")
    assert values(ran) == {"a": {"rand": cv.rand(Y, A)}, "b": {"rand": cv.rand(Y, B)}}


def test_what_is_no_engine(refused, lake):
    assert "an engine is one of" in refused("score", lake, *SCORE, "--engine", "oracle")
    assert "--id goes with the engine duckdb" in refused(
        "score", lake, lake, *SCORE, "--engine", "polars", "--id", "id"
    )


class TestRefusals:
    """One sentence, exit code 2."""

    def test_columns(self, refused, lake, tmp_path):
        assert "did you mean y?" in refused("score", lake, "-t", "yy", "-p", "a")
        assert "name a column with --truth and --pred" in refused("score", lake)
        nested = tmp_path / "n.parquet"
        pl.DataFrame({"y": [[1]], "c": [1]}).write_parquet(nested)
        assert "nested values" in refused("score", nested)

    def test_files(self, refused, lake, tmp_path):
        part = lake / "part-0.parquet"
        part.write_bytes(part.read_bytes()[:-30])
        assert "part-0.parquet is not a whole Parquet file" in refused("score", lake, *SCORE)
        part.write_bytes(b"")
        assert "part-0.parquet is empty" in refused("score", lake, *SCORE)
        assert "no file matches" in refused("score", lake / "*.csv", *SCORE)
        text = tmp_path / "t.csv"
        text.write_text("y,a,b\n" + "1,2,3\n" * 9 + "1,2\n")
        assert "line 11 of" in refused("score", text, *SCORE, "--memory-limit", "1GB")
        assert "a memory limit is a size" in refused("score", text, *SCORE, "--memory-limit", "x")

    def test_mixed_schemas(self, refused, lake):
        pl.DataFrame({"y": ["x"], "a": [1], "b": [1]}).write_parquet(lake / "part-9.parquet")
        line = refused("score", lake, *SCORE)
        assert "column 'y' is whole numbers in" in line
        assert "text in" in line

    def test_missing_labels(self, refused, tmp_path):
        path = tmp_path / "t.parquet"
        pl.DataFrame({"y": [1, None], "c": [1, 2]}).write_parquet(path)
        assert "truth has 1 missing label; drop such objects with --missing" in refused(
            "score", path
        )


def test_a_path_with_quotes_and_semicolons(run, tmp_path):
    folder = tmp_path / "a'b\"; DROP TABLE x; --"
    folder.mkdir()
    pl.DataFrame({"y": Y, "c": A}).write_parquet(folder / "t;'.parquet")
    for path in (folder, folder / "t;'.parquet", folder / "*"):
        ran = run("score", path, "-f", "json", "-m", "rand")
        assert values(ran) == {"rand": cv.rand(Y, A)}


def test_a_small_text_file_loads_no_engine(tmp_path):
    path = tmp_path / "t.csv"
    pl.DataFrame({"y": Y[:150], "c": A[:150]}).write_csv(path)
    code = (
        "import sys\nfrom clustervet.cli import main\n"
        f"sys.argv = ['clustervet', 'score', {str(path)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert 'duckdb' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)
