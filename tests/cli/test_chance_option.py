from __future__ import annotations

import json

import jsonschema
import pytest
from sklearn.metrics import adjusted_rand_score, rand_score

from clustervet import Contingency, measures
from clustervet.datasets import iris_path
from clustervet.frames import open_table

IRIS = str(iris_path())
SCHEMA = json.loads(
    (iris_path().parents[3] / "docs" / "scorecard.schema.json").read_text(encoding="utf-8")
)
ASK = ("score", IRIS, "-t", "species", "-p", "ward", "--seed", "1")


def levels(done):
    assert done.code == 0, done.err
    data = json.loads(done.out)
    jsonschema.validate(data, SCHEMA)
    return data["chance"]


def test_values_stand_beside_what_chance_gives(run):
    found = levels(run(*ASK, "-m", "rand", "--chance", "sizes", "-f", "json"))["ward"]["rand"]
    columns = open_table(IRIS).labels(["species", "ward"])
    truth, pred = (list(codes.restore(codes.values)) for codes in columns.values())
    assert found["value"] == pytest.approx(rand_score(truth, pred), rel=1e-12)
    # Hubert & Arabie's adjustment is the one under fixed sizes.
    assert found["adjusted"] == pytest.approx(adjusted_rand_score(truth, pred), rel=1e-9)
    assert found["exact"]
    assert found["p_value"] == pytest.approx(1 / 1001)


def test_without_names_some_usual_measures_are_held_against_it(run):
    done = run(*ASK, "-p", "dbscan", "--chance", "sizes")
    heads = [line for line in done.out.splitlines() if line.startswith(("ward: b", "dbscan: b"))]
    assert [head.partition(":")[0] for head in heads] == ["ward", "dbscan"]
    assert heads[0].endswith("beside 1,000 random tables of clusterings of the same sizes")
    assert "measure                         value  by chance" in done.out
    shown = done.out[done.out.index(heads[0]) : done.out.index(heads[1])]
    assert [line.split()[0] for line in shown.splitlines()[2:] if line] == [
        "rand",
        "purity",
        "normalized_mutual_information",
        "variation_of_information",
    ]
    assert "≤ 0.001" in shown


def test_a_family_and_measures_of_ones_own(run, tmp_path, monkeypatch):
    some = levels(run(*ASK, "--family", "impurity", "--chance", "number", "-f", "json"))["ward"]
    assert {level["model"] for level in some.values()} == {"number"}
    assert "gini" in some
    (tmp_path / "mine_by_chance.py").write_text(
        "import clustervet as cv\n"
        "@cv.measure(title='Top', family='mine', better='higher', bounds=(0, 1))\n"
        "def top_cell(table):\n"
        "    return float(table.counts.max() / table.n)\n",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    own = ("--measure", "mine_by_chance:top_cell")
    try:
        found = levels(run(*ASK, *own, "--chance", "sizes", "-f", "json"))["ward"]
        assert list(found)[-1] == "top_cell"
        assert len(found) == 5
    finally:
        measures.remove("top_cell")


def test_engines_and_saved_tables_give_the_same(run, tmp_path):
    plain = levels(run(*ASK, "--chance", "sizes", "-f", "json"))["ward"]
    grouped = levels(run(*ASK, "--chance", "sizes", "--engine", "duckdb", "-f", "json"))["ward"]
    path = tmp_path / "saved.json"
    assert run("table", "build", IRIS, "-t", "species", "-p", "ward", "-o", path).code == 0
    assert Contingency.load(path).n == 150
    kept = levels(run("score", path, "--seed", "1", "--chance", "sizes", "-f", "json"))["pred"]
    for found in (grouped, kept):
        assert list(found) == list(plain)
        for key, level in found.items():
            assert level["value"] == plain[key]["value"]
            assert level["expected"] == pytest.approx(plain[key]["expected"], abs=0.01)


def test_markdown(run):
    done = run(*ASK, "--chance", "sizes", "-f", "markdown")
    assert "| measure | value | by chance | spread | z | p-value | adjusted |" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "species", "-p", "ward", "--chance", "size"], "there is no null model 'size'"),
        (
            ["-t", "species", "-p", "ward", "--family", "silhouette", "--chance", "all"],
            "no measure of classes is asked for",
        ),
        (
            ["-t", "species", "-t", "kmeans", "-p", "ward", "--chance", "all"],
            "--chance goes with one truth.",
        ),
        (
            ["-p", "ward", "--features", "sepal*", "--chance", "all"],
            "--chance goes with --truth.",
        ),
    ],
)
def test_refusals(run, arguments, message):
    done = run("score", IRIS, *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_csv_has_the_levels_beside_the_values(run):
    done = run(*ASK, "-p", "dbscan", "-m", "ari,purity", "--chance", "sizes", "-f", "csv")
    head, *rows = [line.split(",") for line in done.out.splitlines()]
    assert head[-5:] == ["expected", "spread", "z", "p_value", "adjusted"]
    assert len(rows) == 4
    assert all(0 < float(row[-2]) < 1 for row in rows)


def test_more_objects_than_can_be_drawn(run, tmp_path):
    table = Contingency.from_counts({("cat", 0): 10**11, ("dog", 1): 10**11, ("dog", 0): 10**8})
    table.save(tmp_path / "huge.json")
    done = run("score", tmp_path / "huge.json", "-m", "rand,purity", "--chance", "sizes")
    lines = done.out.splitlines()
    assert "Beside clusterings of the same sizes" in lines
    row = next(line for line in lines if line.startswith("purity") and line.endswith("-"))
    assert row.split() == ["purity", "0.9995", "-", "-", "-", "-", "-"]
