from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from clustervet.ensemble.ensemble import Ensemble

RNG = np.random.default_rng(0)
BASE = RNG.integers(0, 3, 40)
RUNS = {}
for name in "abcde":
    labels = BASE.copy()
    labels[RNG.integers(0, 40, 4)] = RNG.integers(0, 3)
    RUNS[name] = labels.tolist()


@pytest.fixture
def runs(file):
    """Five labelings of forty objects in one table, with an index."""
    rows = [",".join(map(str, row)) for row in zip(range(40), *RUNS.values(), strict=True)]
    return file("\n".join([",".join(["id", *RUNS]), *rows]), "runs.csv")


@pytest.fixture
def folder(file):
    """The same, a file each."""
    return [
        file("\n".join(["label", *map(str, labels)]), f"{name}.csv")
        for name, labels in RUNS.items()
    ]


def test_columns_of_a_table(run, runs):
    ran = run("compare", runs, "--labels", "a,b", "-l", "c", "-f", "json")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    data = json.loads(ran.out)
    expected = Ensemble({name: RUNS[name] for name in "abc"}).summary()
    assert data == json.loads(expected.to_json())
    assert data["distances"]["names"] == ["a", "b", "c"]
    assert len(data["tree"]["merges"]) == 2
    assert len(data["map"]["points"]["a"]) == 2


def test_all_columns_but_an_index(run, runs):
    ran = run("compare", runs, "-f", "json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["distances"]["names"] == list(RUNS)
    assert ran.err == "clustervet: labelings are a, b, c, d, e; left out: id (an index).\n"


def test_a_labeling_a_file(run, folder):
    ran = run("compare", *folder, "--groups", 2, "-f", "json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data == json.loads(Ensemble(RUNS).summary(2).to_json())
    (line,) = ran.err.splitlines()
    assert "a.csv, label, is taken as a name, as are those of 4 more files; with" in line


def test_a_named_column_of_every_file(run, file):
    paths = [file(f"id,cluster\n1,x\n2,{label}\n", f"run{label}.tsv.csv") for label in "xy"]
    ran = run("compare", *paths, "--labels", "cluster", "-f", "json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data["distances"]["names"] == ["runx", "runy"]
    assert data["distances"]["matrix"] == [[0, 1], [1, 0]]


def test_files_of_one_name_are_told_apart_by_their_folders(run, tmp_path):
    paths = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        paths.append(tmp_path / place / "labels.csv")
        paths[-1].write_text(f"0\n1\n{len(paths)}\n")
    ran = run("compare", *paths, "-f", "json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["distances"]["names"] == [str(path) for path in paths]


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_text_names_centre_groups_and_consensus(run, runs, form):
    ran = run("compare", runs, "-f", form)
    assert ran.code == 0, ran.err
    for word in ("Medoid: ", "Mean distance", "stress", "Consensus by variation", "to consensus"):
        assert word in ran.out


def test_rows_of_csv_hold_the_matrix(run, runs):
    ran = run("compare", runs, "-f", "csv", "--measure", "mirkin")
    assert ran.code == 0, ran.err
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    matrix = Ensemble(RUNS, measure="mirkin").distances.matrix
    found = [[float(row[f"distance to {name}"]) for name in RUNS] for row in rows]
    assert found == matrix.tolist()
    assert {"clusters", "group", "total", "to_consensus", "x", "y"} <= set(rows[0])


def test_formulas_in_names_are_defused(run, file):
    path = file("=1+1,b\n0,0\n0,1\n1,1\n")
    ran = run("compare", path, "-f", "csv")
    assert ran.code == 0, ran.err
    assert [row["labeling"] for row in csv.DictReader(io.StringIO(ran.out))] == ["'=1+1", "b"]


def test_the_consensus_is_written(run, runs, tmp_path):
    target = tmp_path / "consensus.csv"
    ran = run("compare", runs, "--consensus", target)
    assert ran.code == 0, ran.err
    head, *labels = target.read_text().split()
    assert head == "consensus"
    assert [int(x) for x in labels] == Ensemble(RUNS).consensus().labels.tolist()


def test_objects_that_are_dropped_have_no_consensus(run, file, tmp_path):
    path = file("a,b\n0,0\n,0\n1,1\n1,\n")
    target = tmp_path / "out.csv"
    ran = run("compare", path, "--missing", "drop", "--consensus", target)
    assert ran.code == 0, ran.err
    assert target.read_text() == "consensus\n0\nNA\n1\nNA\n"
    as_class = run("compare", path, "--missing", "class", "-f", "json")
    assert json.loads(as_class.out)["clusters"] == {"a": 3, "b": 3}


def test_pairs_on_the_objects_that_both_label(run, file):
    path = file("a,b,c\n0,0,0\n,0,0\n1,1,1\n1,,1\n1,0,\n")
    ran = run("compare", path, "--shared", "-f", "json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["distances"]["objects"] == [[4, 3, 3], [3, 4, 3], [3, 3, 4]]
    text = run("compare", path, "--shared")
    assert "5 (3 to 4 shared) objects" in text.out


def test_nearest_to_a_query(run, runs, file):
    query = file("\n".join(map(str, RUNS["d"])), "query.csv")
    ran = run("compare", runs, "--query", query, "--nearest", 2, "-f", "json")
    assert ran.code == 0, ran.err
    near = json.loads(ran.out)["nearest"]
    assert near["names"][0] == "d"
    assert near["distances"][0] == 0
    assert len(near["names"]) == 2
    assert near["total"] == 5
    for form in ("table", "markdown"):
        assert (
            "Nearest to the query: d (0)" in run("compare", runs, "--query", query, "-f", form).out
        )


def test_an_answer_in_a_file(run, runs, tmp_path):
    target = tmp_path / "answer.json"
    ran = run("compare", runs, "--output", target)
    assert ran.code == 0, ran.err
    assert ran.out == ""
    assert json.loads(target.read_text())["schema"] == "clustervet/ensemble/1"


def test_standard_input(run):
    ran = run("compare", "-", "-f", "json", stdin=b"a,b\n0,0\n0,1\n1,1\n")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["objects"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--labels", "a"], "one labeling has nothing to be compared with"),
        (["--measure", "rand"], "needs a distance, and rand is a similarity"),
        (["--measure", "nix"], "there is no measure 'nix'"),
        (["--measure", "silhouette"], "needs features"),
        (["--labels", "a,zz"], "has no column 'zz'"),
        (["--groups", "9"], "between 1 and 5, not 9"),
        (["--nearest", "2"], "--nearest goes with --query"),
        (["--starts", "0"], "starts must be a whole number"),
        (["--shared", "--missing", "drop"], "shared"),
    ],
)
def test_refusals(refused, runs, arguments, message):
    assert message in refused("compare", runs, *arguments)


def test_refused_files(refused, runs, folder, file):
    short = file("1\n2\n", "short.csv")
    assert "must label the same objects" in refused("compare", folder[0], short)
    assert "the query has 2" in refused("compare", runs, "--query", short)
    assert "several columns (a, b, c, d, e) where one labeling is wanted." in refused(
        "compare", runs, "-l", "a,b", "--query", runs
    )
    assert "is given twice" in refused("compare", short, short)
    assert "name one with --labels" in refused("compare", runs, folder[0])
    assert "one labeling" in refused("compare", short)
    apart = file("a,b\n0,\n,1\n", "apart.csv")
    assert "no object has a label in every" in refused("compare", apart, "--missing", "drop")
    assert "common" in refused("compare", apart, "--shared")
    assert "similarity" in refused(
        "compare", runs, "-m", "nmi", "--query", folder[0], "-l", "a,b,c"
    )
    assert "standard input" in refused("compare", "-", "-")


def test_nothing_is_written_where_the_call_is_refused(refused, runs, tmp_path):
    target = tmp_path / "out.csv"
    refused("compare", runs, "--measure", "purity", "--consensus", target)
    assert not target.exists()


def test_weights_count_in_the_consensus_and_the_medoid(run, runs):
    ran = run("compare", runs, "--weight", "b=1000", "-f", "json")
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)
    assert found["medoid"]["name"] == "b"
    assert found["consensus"]["weights"] == {"a": 1, "b": 1000, "c": 1, "d": 1, "e": 1}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("b", "takes NAME=X"),
        ("bb=2", "did you mean b?"),
        ("b=heavy", "must be a number"),
        ("b=-1", "not negative"),
    ],
)
def test_weights_that_are_none(run, runs, given, said):
    ran = run("compare", runs, "--weight", given)
    assert ran.code == 2
    assert said in ran.err
