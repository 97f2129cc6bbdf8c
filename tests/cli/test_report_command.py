"""The command `report`, from a file to a page."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
import typer

import clustervet as cv
from clustervet.cli.report import report as report_command
from clustervet.errors import FileError, ParameterError


@pytest.fixture
def report(monkeypatch, capsys):
    """Run the command by itself."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command("report")(report_command)
    app.command("other")(lambda: None)

    def command(*arguments):
        given = ["report", *map(str, arguments)]
        monkeypatch.setattr("sys.argv", ["clustervet", *given])
        app(given, standalone_mode=False)
        return capsys.readouterr()

    return command


@pytest.fixture
def points(file):
    lines = ["kind,x,y,near,far"]
    for k in range(40):
        kind = k % 2
        near = kind if k % 10 else 1 - kind
        lines.append(f"{'ash' if kind else 'oak'},{9 * kind + k % 3},{k % 5},{near},{k % 3}")
    return file("\n".join(lines) + "\n")


def test_a_page_a_text_and_numbers(report, points, tmp_path):
    options = ["--truth", "kind", "--pred", "near", "--pred", "far", "--features", "x,y"]
    few = ["-m", "adjusted_rand,purity", "--title", "Trees"]
    for name in ("page.html", "page.md", "page.json"):
        ran = report(points, *options, *few, "-o", tmp_path / name)
        assert ran.out == ""
        assert ran.err == f"clustervet: wrote {tmp_path / name}.\n"
    plain = json.loads((tmp_path / "page.json").read_text("utf-8"))
    assert plain["title"] == "Trees"
    assert plain["verdict"][0].startswith("Of 2 clusterings near agrees best with kind")
    command = plain["reproduction"]["command"]
    assert command.startswith(f"clustervet report {points} --truth kind --pred near")
    assert "<title>Trees</title>" in (tmp_path / "page.html").read_text("utf-8")
    assert (tmp_path / "page.md").read_text("utf-8").startswith("# Trees\n")


def test_features_alone(report, points, tmp_path):
    report(points, "--pred", "near", "--features", "x", "-o", tmp_path / "a.json")
    plain = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert plain["verdict"][0].startswith("By its features: silhouette coefficient")


def test_features_taken_unasked_are_told(report, points, tmp_path):
    ran = report(points, "--pred", "near", "-o", tmp_path / "a.json")
    assert "clustervet: features are x, y, far" in ran.err
    plain = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert plain["sections"][1]["paragraphs"] == ["3 features: x, y and far."]


def test_parquet(report, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"y": ["a", "a", "b", "b"] * 5, "p": [0, 0, 1, 1] * 5}), path)
    report(path, "-t", "y", "-p", "p", "-m", "purity", "-o", tmp_path / "a.json")
    plain = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert plain["subject"] == "p against y; 20 objects"


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (["-t", "kind", "-o", "a.json"], ParameterError, "name a column of clusters with pred"),
        (["-t", "kind", "-p", "none", "-o", "a.json"], FileError, "no column 'none'"),
        (["-t", "kind", "-p", "near", "-o", "a.pdf"], ParameterError, "must end in .html"),
        (["-t", "kind", "-p", "near", "-o", "no/a.json"], FileError, "is no folder"),
        (["-t", "kind", "-p", "x", "-m", "silly", "-o", "a.md"], KeyError, "silly"),
    ],
)
def test_refusals(report, points, tmp_path, monkeypatch, arguments, error, said):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        report(points, *arguments)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv"]


@pytest.mark.parametrize("truth", [("-t", "y"), ()])
def test_weights_in_no_column(report, tmp_path, truth):
    path = tmp_path / "table.csv"
    path.write_text("y,c,w\na,1,2\na,1,1\nb,2,1\n")
    with pytest.raises(FileError, match=r"table.csv has no column 'nope'; its columns are y, c, w"):
        report(path, *truth, "-p", "c", "--weights", "nope", "-o", tmp_path / "page.md")


def test_joined_files_keep_the_policies(report, tmp_path):
    truth, pred, page = tmp_path / "t.csv", tmp_path / "p.csv", tmp_path / "page.md"
    truth.write_text("id,y\n1,u\n2,u\n3,v\n4,v\n5,\n")
    pred.write_text("id,c\n1,0\n2,0\n3,1\n4,0\n5,1\n")
    asked = [truth, pred, "--id", "id", "-t", "y", "-p", "c", "-m", "ari", "-o", page]
    report(*asked, "--missing", "drop")
    assert "of 5 objects 4 are scored for c" in page.read_text("utf-8")


@pytest.fixture
def apart(tmp_path):
    """Points with classes, and clusters of most of them in another order; then all in one file."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 80)
    points = pd.DataFrame(rng.normal(size=(80, 2)) + 5 * y[:, None], columns=["x1", "x2"])
    points = points.assign(y=y, key=rng.permutation(80) + 1_000, w=rng.integers(1, 5, 80))
    clusters = pd.DataFrame({"key": points["key"], "c": np.where(rng.random(80) < 0.2, 0, y)})
    clusters = clusters.sample(70, random_state=0)
    points.to_csv(tmp_path / "points.csv", index=False)
    clusters.to_parquet(tmp_path / "clusters.parquet", index=False)
    both = points.merge(clusters, on="key").sort_values("key").drop(columns="key")
    both.to_csv(tmp_path / "one.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("truth", "asked"),
    [
        ("y", {"features": ["x1", "x2"]}),
        ("y", {"weights": "w"}),
        (None, {"features": ["x*"], "standardize": True}),
    ],
)
def test_joined_files_are_judged_as_one_table_would_be(report, apart, truth, asked):
    files = [str(apart / name) for name in ("points.csv", "clusters.parquet")]
    two, remarks = cv.examine_files(files, truth, "c", id="key", **asked)
    one, _ = cv.examine_files(str(apart / "one.csv"), truth, "c", **asked)
    assert remarks[0].startswith("ids without a partner are left out: 10 of ")
    parts = [
        [*(found.scores or {}).values(), *(found.inner or {}).values()] for found in (two, one)
    ]
    values = [[value for card in cards for value in card.values()] for cards in parts]
    assert len(values[0]) > 5
    assert values[0] == pytest.approx(values[1], nan_ok=True)
    options = ["--features", "x1,x2"] if "features" in asked else ["--weights", "w"]
    named = [] if truth is None else ["-t", truth]
    report(*files, "--id", "key", *named, "-p", "c", *options, "-o", apart / "page.html")


def test_scores_of_joined_files_by_classes_and_features(run, apart, monkeypatch):
    monkeypatch.chdir(apart)
    asked = ["-t", "y", "-p", "c", "--features", "x1,x2", "-m", "ari,silhouette", "-f", "csv"]
    two = run("score", "points.csv", "clusters.parquet", "--id", "key", *asked)
    one = run("score", "one.csv", *asked)
    tables = [pd.read_csv(io.StringIO(ran.out)) for ran in (two, one)]
    assert tables[0]["value"].tolist() == pytest.approx(tables[1]["value"].tolist())
    assert two.err.count("ids without a partner") == 1
    assert "10 of points.csv are not in clusters.parquet" in two.err


def test_points_and_labels_in_another_order_are_to_be_joined(refused, apart, monkeypatch):
    monkeypatch.chdir(apart)
    said = refused("score", "points.csv", "clusters.parquet", "-p", "c", "--features", "x1,x2")
    assert "join the files on it with --id key" in said
    asked = ["score", "points.csv", "clusters.parquet", "--id", "key", "-p", "c"]
    asked += ["--features", "x1,x2", "--engine", "duckdb"]
    assert "--features with --id does not go with --engine" in refused(*asked)


@pytest.fixture
def mentions(tmp_path):
    """Mentions of a text with their entities; each side lacks one."""
    path = tmp_path / "mentions.csv"
    path.write_text("m,key,near,far\n1,a,1,1\n2,a,1,2\n3,b,,1\n4,b,2,\n5,,2,2\n6,c,3,3\n")
    return path


@pytest.mark.parametrize("name", ["page.html", "page.md", "page.json"])
def test_mentions_that_one_side_lacks(report, mentions, tmp_path, name):
    words = ["-t", "key", "-p", "near", "--field", "coreference", "--missing", "absent"]
    report(mentions, *words, "-o", tmp_path / name)
    text = (tmp_path / name).read_text("utf-8")
    assert "CoNLL" in text
    assert "truth alone has 1 and pred alone has 1" in text
    key, near = ["a", "a", "b", "b", None, "c"], ["1", "1", None, "2", "2", "3"]
    value = cv.conll_f1(key, near, missing="absent")
    assert str(value)[:10] in text or f"{value:.4f}" in text  # the page keeps all digits


def test_several_predictions_with_mentions_of_their_own(run, mentions, tmp_path):
    words = ["report", mentions, "-t", "key", "-p", "near,far", "--missing", "absent"]
    run(*words, "-m", "conll_f1", "-o", tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text("utf-8")
    assert "With --missing absent clusterings have objects of their own" in text
    assert "Left out" not in text
    run(*words, "-o", tmp_path / "page.md")
    assert "undefined" not in (tmp_path / "page.md").read_text("utf-8")


def test_families_and_other_models_of_chance(run, points, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["report", points, "-t", "kind", "-p", "near", "-o", "page.md"]
    assert run(*words, "--family", "impurity", "--chance", "number").code == 0
    text = (tmp_path / "page.md").read_text("utf-8")
    assert "Gini" in text
    assert "Rand" not in text.partition("## Every score")[2].partition("##")[0]
    assert "both sides are any partitions with their numbers of clusters" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-t kind --by near", "takes them, and writes such a page with --report FILE"),
        ("-t kind --memberships x*", "report takes no --by"),
        ("-t kind --cover", "report takes no --by"),
        ("-t kind --engine spark", "report takes no --by"),
        ("-t kind --chance often", "there is no null model 'often'"),
        ("-t kind --family compactness", "--family names no measure that compares labels"),
        ("-t kind --family nothing", "no family or field 'nothing'"),
        ("--features x --family pairs", "--family goes with --truth"),
        ("--features x --chance sizes", "--chance goes with --truth"),
    ],
)
def test_what_does_not_go_with_a_report(refused, points, tmp_path, words, said):
    page = tmp_path / "page.md"
    assert said in refused("report", points, "-p", "near", "-o", page, *words.split())
    assert not page.exists()
