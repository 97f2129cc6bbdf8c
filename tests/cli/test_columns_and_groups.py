"""Names of columns with commas and patterns, and scores by groups of rows."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

import clustervet as cv

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 3, 90)
RUNS = {f"run_{k}": np.where(RNG.random(90) < 0.1 * k, RNG.integers(0, 3, 90), Y) for k in (1, 5)}
FRAME = pd.DataFrame({
    "id": np.arange(90), "y": Y, **RUNS, "a,b": Y, "batch": ["u", "v", "v"] * 30,
})  # fmt: skip
LONG = FRAME.melt(["id", "y", "batch"], list(RUNS), var_name="run", value_name="c")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    FRAME.to_csv(tmp_path / "wide.csv", index=False)
    FRAME.to_parquet(tmp_path / "wide.parquet", index=False)
    FRAME[["id", "y"]].to_csv(tmp_path / "truth.csv", index=False)
    FRAME[["id", *RUNS]].to_csv(tmp_path / "runs.csv", index=False)
    LONG.sample(frac=1, random_state=0).to_csv(tmp_path / "long.csv", index=False)
    LONG.iloc[1:].to_csv(tmp_path / "short.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(ran):
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    cards = data.get("cards", [{"name": data.get("pred"), **data}])
    return {card["name"]: card["scores"][0]["value"] for card in cards}


WANTED = {name: cv.adjusted_rand(Y, run) for name, run in RUNS.items()}


@pytest.mark.parametrize("name", ["wide.csv", "wide.parquet"])
@pytest.mark.parametrize(
    "asked", [["run_1,run_5"], ["run_*"], ["run_[15]"], ["run_1", "run_?"], ["run_1, run_5,"]]
)
def test_columns_of_clusters_by_commas_and_patterns(run, folder, name, asked):
    words = [word for each in asked for word in ("-p", each)]
    assert found(run("score", name, "-t", "y", *words, "-m", "ari", "-f", "json")) == WANTED


def test_a_column_that_has_such_a_name_comes_first(run, folder):
    assert found(run("score", "wide.csv", "-t", "y", "-p", "a,b", "-m", "ari", "-f", "json")) == {
        "a,b": 1.0
    }


def test_patterns_over_joined_files_and_in_reports(run, folder):
    ask = ["truth.csv", "runs.csv", "--id", "id", "-t", "y", "-p", "run*"]
    assert found(run("score", *ask, "-m", "ari", "-f", "json")) == WANTED
    assert run("report", *ask, "-m", "ari", "-o", "page.md").code == 0
    text = (folder / "page.md").read_text(encoding="utf-8")
    assert "run_1" in text
    assert "run_5" in text
    everything = found(run("score", "wide.csv", "-t", "y", "-p", "*", "-m", "ari", "-f", "json"))
    assert list(everything) == ["run_1", "run_5", "a,b", "batch"]  # no truth, no index


def test_commas_in_standard_input(run, folder):
    piped = FRAME.to_csv(index=False).encode()
    ask = ["score", "-", "-t", "y", "-m", "ari", "-f", "json"]
    assert found(run(*ask, "-p", "run_1,run_5", stdin=piped)) == WANTED


def test_each_batch_by_itself(run, folder):
    ask = ["score", "wide.csv", "-t", "y", "--by", "batch", "-m", "ari", "-f", "json"]
    one = found(run(*ask, "-p", "run_5"))
    for batch in ("u", "v"):
        kept = FRAME["batch"] == batch
        assert one[batch] == cv.adjusted_rand(Y[kept], RUNS["run_5"][kept])
    assert list(found(run(*ask, "-p", "run_*"))) == ["run_1, u", "run_1, v", "run_5, u", "run_5, v"]


def test_groups_have_columns_of_their_own_and_follow_their_numbers(run, folder):
    FRAME.assign(batch=["b10", "b2", "b1"] * 30).to_csv("numbered.csv", index=False)
    ask = ["score", "numbered.csv", "-t", "y", "-p", "run_1,run_5", "--by", "batch", "-m", "ari"]
    table = pd.read_csv(io.StringIO(run(*ask, "-f", "csv", "--chance", "permutation").out))
    assert table["pred"].tolist() == ["run_1"] * 3 + ["run_5"] * 3
    assert table["by"].tolist() == ["batch"] * 6
    assert table["group"].tolist() == ["b1", "b2", "b10"] * 2
    assert table["p_value"].notna().all()
    cards = json.loads(run(*ask, "-f", "json").out)["cards"]
    assert [(card["pred"], card["by"], card["group"]) for card in cards][2] == (
        "run_1",
        "batch",
        "b10",
    )


def test_the_best_is_marked_among_scores_that_compare(run, folder):
    ask = ["score", "wide.csv", "-t", "y", "-m", "ari", "-f", "latex"]
    by_batch = run(*ask, "-p", "run_1,run_5", "--by", "batch").out
    assert "textbf" not in run(*ask, "-p", "run_5", "--by", "batch").out
    assert by_batch.count("textbf") == 2  # the better run of each batch
    assert "textbf" in run(*ask, "-p", "run_1,run_5").out
    assert "textbf" not in run(*ask[:4], "-t", "batch", *ask[4:], "-p", "run_1").out
    assert run(*ask[:-2], "-p", "run_5", "--by", "batch", "--report", "page.md").code == 0
    page = (folder / "page.md").read_text(encoding="utf-8")
    assert "Over 2 score cards of different groups, the adjusted Rand index goes from" in page


def test_a_long_table_of_runs(run, folder):
    ask = ["score", "long.csv", "-t", "y", "-p", "c", "--by", "run", "-m", "ari"]
    assert found(run(*ask, "-f", "json")) == pytest.approx(WANTED)
    assert found(run(*ask, "--id", "id", "-f", "json")) == pytest.approx(WANTED)
    said = run(*ask, "--id", "id", "--confidence", "0.95").out
    assert "By adjusted_rand, at 0.95 confidence: run_1 > run_5" in said
    assert "By adjusted_rand" not in run(*ask, "--confidence", "0.95").out


def test_runs_of_a_long_table_are_compared_as_columns_are(run, folder):
    ask = ["compare", "-f", "json"]
    long = ["long.csv", "--by", "run", "--id", "id", "-l", "c"]
    short = ["short.csv", *long[1:], "--shared"]
    runs = [*RUNS.values()]
    for given, first in ((long, 0), (short, 1)):
        found = json.loads(run(*ask, *given).out)["distances"]
        distance = cv.variation_of_information(runs[0][first:], runs[1][first:])
        assert found["names"] == ["run_1", "run_5"]
        assert found["matrix"][0][1] == pytest.approx(distance)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("long.csv --by run -l c", "--by goes with --id"),
        ("long.csv --id id -l c,y", "has '0' twice in column 'id'"),
        ("long.csv --by run --id id", "--by goes with one table and one column of --labels"),
        ("long.csv --by run --id id -l c,y", "one column of --labels"),
        ("long.csv --by batch --id id -l c", "has '0' twice in column 'id' where the group is 'u'"),
        ("short.csv --by run --id id -l c", "labeling 'run_1' has no label for 1 of 90 objects"),
    ],
)
def test_runs_that_cannot_be_compared(refused, folder, arguments, said):
    assert said in refused("compare", *arguments.split())


def test_clusters_by_the_names_of_their_classes(run, refused, folder):
    named = FRAME.assign(run_1=FRAME["run_1"] + 7, run_5=FRAME["run_5"].map(str) + "x")
    named.to_csv("named.csv", index=False)
    ask = ["score", "named.csv", "-t", "y", "-p", "run_1,run_5", "-m", "ari"]
    assert run(*ask, "--aligned", "aligned.csv").code == 0
    found = pd.read_csv("aligned.csv")
    for name in RUNS:
        assert found[name].tolist() == cv.align(RUNS[name], to=Y).tolist()
    joined = ["score", "truth.csv", "runs.csv", "--id", "id", "-t", "y", "-p", "run_1"]
    assert run(*joined, "-m", "ari", "--aligned", "joined.csv").code == 0
    table = pd.read_csv("joined.csv").set_index("id").loc[FRAME["id"]]
    assert table["run_1"].tolist() == found["run_1"].tolist()
    for more in (["--by", "batch"], ["-t", "batch"]):
        assert "only labels with one truth are aligned" in refused(
            *ask, *more, "--aligned", "none.csv"
        )
    assert not (folder / "none.csv").exists()
    assert "would overwrite named.csv" in refused(*ask, "--aligned", "named.csv")


def test_labelings_with_the_same_numbers(run, refused, folder):
    long = ["compare", "short.csv", "--by", "run", "--id", "id", "-l", "c", "--shared"]
    assert run(*long, "--aligned", "aligned.csv", "--consensus", "consensus.csv").code == 0
    table = pd.read_csv("aligned.csv").set_index("id")
    assert sorted(table.index) == sorted(FRAME["id"])
    assert table["run_1"].isna().sum() == 1
    assert pd.read_csv("consensus.csv").columns.tolist() == ["id", "consensus"]
    wide = ["compare", "wide.csv", "-l", "run_1,run_5"]
    assert run(*wide, "--aligned", "wide_aligned.csv", "--align-to", "run_5").code == 0
    found = pd.read_csv("wide_aligned.csv")
    wanted = cv.Ensemble(RUNS).aligned("run_5")
    assert {name: found[name].tolist() for name in RUNS} == {
        name: numbers.tolist() for name, numbers in wanted.items()
    }
    assert "add --aligned FILE" in refused(*wide, "--align-to", "run_5")
    assert "no labeling 'x'" in refused(*wide, "--align-to", "x", "--aligned", "none.csv")
    assert not (folder / "none.csv").exists()


def test_a_class_that_some_runs_lack(refused, folder):
    holes = LONG.assign(y=LONG["y"].where(LONG.index != 3).astype("Int64"))
    holes.to_csv("holes.csv", index=False)
    ask = ["score", "holes.csv", "-t", "y", "-p", "c", "--by", "run", "--id", "id"]
    assert "has a class in 'run_1' or 'run_5' alone" in refused(*ask, "--missing", "drop")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("wide.csv -t y -p x*", "no column of wide.csv matches 'x*'"),
        ("truth.csv runs.csv --id id -t y -p x*", "no column of the files matches 'x*'"),
        ("wide.csv -t y -p run_1,nope", "no column 'nope'"),
        ("wide.csv -t y -p run_1 --by nope", "no column 'nope'"),
        ("wide.csv -p run_1 --by batch", "--by goes with one table, one --truth and a --pred"),
        ("wide.csv -t y -p run_1 --by batch --weights id", "--weights does not go with --by"),
        ("wide.csv -t y -p run_1 --by batch --id id", "'u' and 'v' of wide.csv have different"),
        (
            "long.csv -t y -p c --by batch --id id",
            "has '0' twice in column 'id' where the group is 'u'",
        ),
        ("long.csv -t c -p y --by run --id id", "has another class in 'run_5'"),
        ("long.csv -t y -p c,y --by run --id id", "--by with --id goes with one --pred"),
        (
            "wide.csv -t y -p run_1 --measure ari",
            "measures of clustervet are named by --measures ari",
        ),
        ("short.csv -t y -p c --by run --id id", "have different objects; leave out --id"),
    ],
)
def test_refuses_in_one_line(refused, folder, arguments, said):
    assert said in refused("score", *arguments.split(), "-m", "ari")


def test_a_row_without_a_group(refused, folder):
    FRAME.assign(batch=["u", None, "v"] * 30).to_csv("holes.csv", index=False)
    ask = ["score", "holes.csv", "-t", "y", "-p", "run_1", "--by", "batch"]
    assert "column 'batch' of holes.csv has no value in 30 rows" in refused(*ask)


def test_patterns_need_a_file(refused, folder):
    ask = ["score", "-", "-t", "y", "-p", "run*"]
    assert "named in full" in refused(*ask)


def test_a_pattern_leaves_the_groups_out(run, folder):
    ask = [
        "score",
        "wide.csv",
        "-t",
        "y",
        "-p",
        "[br]*",
        "--by",
        "batch",
        "-m",
        "ari",
        "-f",
        "json",
    ]
    assert not any(name.startswith("batch") for name in found(run(*ask)))


def test_an_object_without_a_name(refused, folder):
    LONG.assign(id=LONG["id"].where(LONG["id"] != 3)).to_csv("unnamed.csv", index=False)
    ask = ["score", "unnamed.csv", "-t", "y", "-p", "c", "--by", "run", "--id", "id"]
    assert "column 'id' of unnamed.csv has no value in row 4" in refused(*ask)
