from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import clustervet as cv

RNG = np.random.default_rng(4)
Y = RNG.integers(0, 3, 90)
C = RNG.choice(["x", "y", "z"], 90)


@pytest.fixture
def shards(tmp_path):
    frame = pl.DataFrame({"y": Y, "c": C})
    paths = [tmp_path / f"shard-{k}.parquet" for k in range(3)]
    for k, path in enumerate(paths):
        frame[k * 30 : (k + 1) * 30].write_parquet(path)
    return paths


@pytest.mark.parametrize("form", ["parquet", "json"])
def test_shards_become_the_table_of_the_whole(run, shards, tmp_path, form):
    tables = []
    for k, shard in enumerate(shards):
        tables.append(tmp_path / f"{k}.{form}")
        ran = run("table", "build", shard, "--truth", "y", "--pred", "c", "-o", tables[-1])
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.startswith("Contingency of 30 objects: 3 classes x 3 clusters")
    whole = tmp_path / f"whole.{form}"
    assert run("table", "merge", *tables, "-o", whole).code == 0
    assert cv.Contingency.load(whole) == cv.Contingency.from_labels(Y, C)
    ran = run("score", whole, "-f", "json", "-m", "vi", "--confidence", "0.9", "--diagnose")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data["scores"][0]["value"] == cv.variation_of_information(Y, C)
    assert data["objects"] == 90


def test_a_table_of_a_small_text_file(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y,c\na,0\na,-1\n,1\n")
    target = tmp_path / "t.json"
    ran = run("table", "build", path, "--noise", "drop", "--missing", "drop", "-o", target)
    assert ran.code == 0, ran.err
    assert cv.Contingency.load(target).to_dict() == {("a", "0"): 1}


def test_refusals(run, refused, shards, tmp_path):
    target = tmp_path / "t.json"
    build = ("table", "build", shards[0])
    assert "has no column 'q'" in refused(*build, "-t", "q", "-p", "c", "-o", target)
    assert not target.exists()
    assert ".parquet or .json" in refused(*build, "-o", tmp_path / "t.xlsx")
    assert "is not a saved table" in refused("table", "merge", shards[0], "-o", target)
    assert "cannot be read" in refused("table", "merge", tmp_path / "no.json", "-o", target)
    run(*build, "-o", target)
    other = tmp_path / "whole.json"
    assert "is named twice" in refused("table", "merge", target, target, "-o", other)
    for option in (("-t", "y"), ("--noise", "drop"), ("--missing", "drop"), ("--weights", "w")):
        line = refused("score", target, *option)
        assert f"is a saved table, which {'--truth' if option[0] == '-t' else option[0]}" in line
    data = json.loads(target.read_text())
    data["cells"][0][2] += 1
    target.write_text(json.dumps(data))
    assert "its checksum does not fit its counts" in refused("score", target)
    target.write_text(json.dumps(data | {"version": 3}))
    assert "version 3; this clustervet reads version 1" in refused("score", target)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (", 1]]", ", -1]]"),
        (", 1]]", ", NaN]]"),
        (", 1]]", ", 1.5]]"),
        (", 1]]", ", 1e308]]"),
        (", 1]]", ", 1], [1, 1, 1]]"),
        (", 1]]", ", 1], [9, 9, 1]]"),
        ('["a", "b"]', '["a", "a"]'),
        ('"version": 1', '"version": 2'),
        ('["a", "b"]', "[" * 100_000),
        ('"whole"', '"more": 1, "whole"'),
    ],
)
def test_a_forged_table_is_refused_by_every_command(refused, tmp_path, old, new):
    path = tmp_path / "t.json"
    cv.Contingency.from_labels(["a", "b", "b"], [0, 0, 1]).save(path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    for command in (["score", path], ["table", "merge", path, "-o", tmp_path / "whole.json"]):
        assert str(path) in refused(*command)
    assert not (tmp_path / "whole.json").exists()


def test_a_saved_table_has_one_clustering(run, tmp_path):
    ran = run(
        "table", "build", "x.csv", "-t", "y", "-p", "a", "-p", "b", "-o", str(tmp_path / "t.json")
    )
    assert ran.code == 2
    assert "--pred names one column" in ran.err
