"""`score --diagnose --objects FILE`: the rows of every split, merge and repair."""

from __future__ import annotations

import csv

import polars as pl
import pytest

TRUTH = ["a"] * 12 + ["b"] * 12
PRED = [0] * 16 + [1] * 8
OTHER = [0] * 11 + [1] * 13


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "labels.csv"
    pl.DataFrame({"y": TRUTH, "=c": PRED, "d": OTHER}).write_csv(file)
    return file


def test_rows_are_written(run, path, tmp_path):
    out = tmp_path / "objects.csv"
    ran = run("score", path, "-t", "y", "-p", "=c", "-p", "d", "--diagnose", "--objects", out)
    assert ran.code == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["prediction", "part", "name", "rank", "object"]
    found = {}
    for row in rows:
        found.setdefault((row["prediction"], row["part"], row["rank"]), []).append(row["object"])
    wrong = [str(k) for k in range(12, 16)]
    # A name that a spreadsheet would run is made harmless.
    assert found["'=c", "split", "1"] == found["'=c", "merge", "1"] == wrong
    assert found["'=c", "repair", "1"] == wrong
    assert found["d", "split", "1"] == found["d", "merge", "1"] == ["11"]


def test_two_files_of_labels_have_rows(run, tmp_path):
    for name, labels in (("truth.csv", TRUTH), ("pred.csv", PRED)):
        (tmp_path / name).write_text("\n".join(map(str, labels)), encoding="utf-8")
    out = tmp_path / "objects.csv"
    files = tmp_path / "truth.csv", tmp_path / "pred.csv"
    ran = run("score", *files, "--no-header", "--diagnose", "--objects", out)
    assert ran.code == 0, ran.err
    assert "split,b,1,12" in out.read_text(encoding="utf-8")


def test_files_that_are_counted_elsewhere_are_read_again(run, tmp_path):
    frame = pl.DataFrame({"y": TRUTH, "c": PRED})
    frame.write_parquet(tmp_path / "labels.parquet")
    (tmp_path / "parts").mkdir()
    frame[:14].write_parquet(tmp_path / "parts" / "a.parquet")
    frame[14:].write_parquet(tmp_path / "parts" / "b.parquet")
    frame.write_csv(tmp_path / "labels.csv")
    out = tmp_path / "objects.csv"
    for asked in (
        ["labels.parquet"],
        ["parts"],
        ["labels.csv", "--memory-limit", "1GB"],
        ["labels.csv", "--engine", "duckdb"],
    ):
        name, *options = asked
        ran = run("score", tmp_path / name, "-t", "y", "-p", "c", "--diagnose", "--objects", out,
                  *options)  # fmt: skip
        assert ran.code == 0, ran.err
        rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
        merged = [row["object"] for row in rows if row["part"] == "merge"]
        assert merged == ["12", "13", "14", "15"], asked


def test_joined_files_have_the_ids_that_the_two_share(run, tmp_path):
    ids = [f"d{k:02}" for k in range(24)]
    pl.DataFrame({"id": ids, "label": TRUTH}).write_parquet(tmp_path / "truth.parquet")
    back = list(reversed(range(24)))
    columns = {"id": [ids[k] for k in back], "label": [PRED[k] for k in back]}
    pl.DataFrame(columns).write_csv(tmp_path / "pred.csv")
    # The third file lacks some objects, which are still objects of the other two.
    columns = {"id": ids[:14], "e": PRED[:14]}
    pl.DataFrame(columns).write_csv(tmp_path / "part.csv")
    out = tmp_path / "objects.csv"
    files = [tmp_path / name for name in ("truth.parquet", "pred.csv", "part.csv")]
    asked = ["--id", "id", "-t", "label", "-p", "label", "-p", "e", "--diagnose", "--objects", out]
    ran = run("score", *files, *asked)
    assert ran.code == 0, ran.err
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    merged = {
        name: [r["object"] for r in rows if (r["prediction"], r["part"]) == (name, "merge")]
        for name in ("label", "e")
    }
    assert merged == {"label": ids[12:16], "e": ids[12:14]}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--objects goes with --diagnose"),
        (["--diagnose", "--engine", "polars"], "a table does not know its objects"),
    ],
)
def test_what_does_not_fit_is_refused_and_writes_nothing(refused, path, tmp_path, options, words):
    out = tmp_path / "objects.csv"
    asked = ["score", path, "-t", "y", "-p", "d", "--objects", out]
    assert words in refused(*asked, *options)
    assert not out.exists()


def test_an_input_is_not_overwritten(refused, path):
    assert "would overwrite" in refused(
        "score", path, "-t", "y", "-p", "d", "--diagnose", "--objects", path
    )
