"""The command `report`, from a file to a page."""

from __future__ import annotations

import json

import pytest
import typer

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


def test_joined_files_keep_the_policies_and_refuse_weights(report, tmp_path):
    truth, pred, page = tmp_path / "t.csv", tmp_path / "p.csv", tmp_path / "page.md"
    truth.write_text("id,y\n1,u\n2,u\n3,v\n4,v\n5,\n")
    pred.write_text("id,c\n1,0\n2,0\n3,1\n4,0\n5,1\n")
    asked = [truth, pred, "--id", "id", "-t", "y", "-p", "c", "-m", "ari", "-o", page]
    report(*asked, "--missing", "drop")
    assert "of 5 objects 4 are scored for c" in page.read_text("utf-8")
    with pytest.raises(ParameterError, match="weights goes with one table, not with id"):
        report(*asked, "--weights", "id")
