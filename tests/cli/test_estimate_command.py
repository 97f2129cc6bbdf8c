"""`estimate`: scores by a sample of the truth, from files."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import clustervet as cv

FRAME = pd.DataFrame({
    "id": list("abcdefgh"),
    "person": ["x", "x", "y", None, None, "z", None, None],
    "c": [0, 0, 1, 1, 2, 3, 3, -1],
    "p": [0.5, 0.5, 0.2, 1.0, 1.0, 0.1, 1.0, 1.0],
})  # fmt: skip
PAIRS = pd.DataFrame({
    "one": ["a", "c", "f"], "other": ["b", "d", "g"], "same": ["yes", "no", "yes"],
    "p": [1, 0.5, 0.5],
})  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    FRAME.to_csv(tmp_path / "records.csv", index=False)
    FRAME.to_parquet(tmp_path / "records.parquet", index=False)
    PAIRS.to_csv(tmp_path / "pairs.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["records.csv", "records.parquet"])
@pytest.mark.parametrize("sampling", ["uniform", "size", "p"])
def test_is_that_of_the_function(run, folder, name, sampling):
    ask = ["estimate", name, "-p", "c", "-t", "person", "--sample", "clusters"]
    ran = run(*ask, "--sampling", sampling, "--width", "0.1", "-f", "json")
    given = list(FRAME["p"]) if sampling == "p" else sampling
    truth = [None if x is None or x != x else x for x in FRAME["person"]]
    wanted = cv.sampled_scores(
        truth, list(FRAME["c"]), sample="clusters", sampling=given, width=0.1
    )
    found = json.loads(ran.out)
    assert found["scores"] == json.loads(wanted.to_json())["scores"]
    assert ran.code == 0


def test_pairs_from_a_file_of_their_own(run, folder):
    ask = ["estimate", "records.csv", "-p", "c", "--sample", "pairs", "--pairs", "pairs.csv"]
    found = json.loads(run(*ask, "--id", "id", "--sampling", "predicted", "-f", "json").out)
    assert found["scores"][0]["value"] == pytest.approx(2 / 3)
    weighed = json.loads(run(*ask, "--id", "id", "--sampling", "p", "-f", "json").out)
    assert weighed["scores"][0]["value"] == pytest.approx(3 / 5)


def test_noise_is_told(run, folder):
    ask = ["estimate", "records.csv", "-p", "c", "-t", "person", "--sample", "clusters"]
    assert "Label -1 is scored as one cluster of pred (1 of 8 objects); --noise" in run(*ask).out
    assert "Label -1" in run(*ask, "-f", "csv").err
    ran = run(*ask, "--noise", "singletons")
    assert "Label -1" not in ran.out + ran.err


def test_in_every_format_and_as_a_report(run, folder):
    ask = ["estimate", "records.csv", "-p", "c", "-t", "person", "--sample", "objects"]
    for form in ("table", "csv", "markdown", "latex"):
        assert "airwise" in run(*ask, "-f", form).out
    assert run(*ask, "--report", "page.html").code == 0
    assert "Scores by a sample of the truth" in (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("-p c --sample clusters", "needs --truth for the column of true labels"),
        ("-p c -t person --sample clusters --id id", "neither --pairs nor --id"),
        ("-p c --sample pairs", "needs --pairs for their file and --id"),
        ("-p c --sample pairs --pairs pairs.csv --id c", "column 'c' has '0' twice"),
        ("-p c --sample pairs --pairs no.csv --id id", "no.csv"),
        ("-p c --sample pairs --pairs records.csv --id id", "has no value in row"),
        ("-p c -t person --sample clusters --sampling sizes", "no column 'sizes'"),
        ("-p c -t person --sample clusters --sampling id", "'id'"),
        ("-p c -t person --sample half", "must be 'clusters', 'objects' or 'pairs'"),
        ("-p c -t person --sample objects --width 2", "--width must lie between 0 and 1"),
        ("-p c -t person --sample objects -m ari", "cannot estimate adjusted_rand"),
        ("-p c -t person --sample objects --noise drop", "use --noise singletons or --noise keep"),
    ],
)
def test_refuses_in_one_line(refused, folder, arguments, said):
    assert said in refused("estimate", "records.csv", *arguments.split())


def test_ids_are_text_in_one_file_and_numbers_in_the_other(run, folder):
    numbers = FRAME.assign(id=range(8))
    numbers.to_csv("numbers.csv", index=False)
    numbers.to_parquet("numbers.parquet", index=False)
    pairs = pd.DataFrame({"one": [0, 2], "other": [1, 3], "same": [True, False]})
    pairs.to_parquet("pairs.parquet", index=False)
    pairs.to_csv("number_pairs.csv", index=False)
    for table in ("numbers.csv", "numbers.parquet"):
        for name in ("pairs.parquet", "number_pairs.csv"):
            ask = ["estimate", table, "-p", "c", "--id", "id", "--sample", "pairs", "--pairs", name]
            ran = run(*ask, "--sampling", "predicted", "-f", "json")
            assert ran.code == 0, ran.err
            assert json.loads(ran.out)["scores"][0]["value"] == 0.5


def test_probabilities_of_the_sample_only(run, folder):
    known = FRAME["person"].notna()
    FRAME.assign(p=FRAME["p"].where(known)).to_csv("gaps.csv", index=False)
    ask = ["-p", "c", "-t", "person", "--sample", "clusters", "--sampling", "p", "-f", "json"]
    assert run("estimate", "gaps.csv", *ask).out == run("estimate", "records.csv", *ask).out
