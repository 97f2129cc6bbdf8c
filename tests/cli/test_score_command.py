from __future__ import annotations

import csv
import gzip
import io
import json
import os
import stat
from pathlib import Path

import jsonschema
import pytest

import clustervet as cv

KIND = ["cat"] * 3 + ["dog"] * 3
SIZE = ["s", "s", "l", "l", "l", "s"]
KMEANS = [0, 0, 1, 1, 2, 2]
HDBSCAN = [0, 0, -1, -1, 1, -1]
WEIGHTS = [1, 2, 1, 1, 3, 1]
SCHEMA = Path(__file__).parents[2] / "docs" / "scorecard.schema.json"


def values(ran):
    """The numbers of a JSON answer by measure, or by card and measure."""
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    read = lambda card: {score["measure"]: score["value"] for score in card["scores"]}  # noqa: E731  # a formula, not a function to call elsewhere
    return {c["name"]: read(c) for c in data["cards"]} if "cards" in data else read(data)


def test_two_files_with_a_label_a_line(run, file):
    truth = file("\n".join(KIND), "truth.txt")
    pred = file("\n".join(map(str, KMEANS)), "pred.txt")
    ran = run("score", truth, pred, "-f", "json")
    assert ran.err == ""
    expected = cv.external_scores(KIND, KMEANS)
    assert values(ran) == pytest.approx(dict(expected), nan_ok=True)


def test_a_name_above_one_column_is_taken_as_such_and_said(run, file):
    truth = file("species\n" + "\n".join(KIND), "truth.txt")
    pred = file("\n".join(map(str, KMEANS)), "pred.txt")
    ran = run("score", truth, pred, "-f", "json", "-m", "rand")
    assert values(ran) == {"rand": cv.rand(KIND, KMEANS)}
    assert ran.err.count("\n") == 1
    assert "species" in ran.err
    assert "--no-header" in ran.err


def test_no_header_makes_the_first_line_a_label(run, file):
    truth = file("species\n" + "\n".join(KIND[1:]), "truth.txt")
    pred = file("\n".join(map(str, KMEANS)), "pred.txt")
    ran = run("score", truth, pred, "-f", "json", "-m", "rand", "--no-header")
    assert values(ran) == {"rand": cv.rand(["species", *KIND[1:]], KMEANS)}
    assert ran.err == ""


def test_columns_of_two_files(run, table, file):
    pred = file(table.read_text(), "other.csv")
    ran = run("score", table, pred, "-t", "kind", "-p", "kmeans", "-f", "json", "-m", "vi")
    assert values(ran)["variation_of_information"] == cv.variation_of_information(KIND, KMEANS)


def test_a_table_of_two_columns_needs_no_names(run, file):
    path = file("y,c\n" + "\n".join(f"{a},{b}" for a, b in zip(KIND, KMEANS, strict=True)))
    assert values(run("score", path, "-f", "json", "-m", "rand")) == {"rand": cv.rand(KIND, KMEANS)}


def test_one_table_with_named_columns(run, table):
    ran = run("score", table, "--truth", "kind", "--pred", "kmeans", "--format", "json")
    assert values(ran) == pytest.approx(dict(cv.external_scores(KIND, KMEANS)), nan_ok=True)


def test_several_predictions_stand_side_by_side(run, table):
    arguments = ("score", table, "-t", "kind", "-p", "kmeans", "-p", "hdbscan", "-m", "rand,vi")
    assert values(run(*arguments, "-f", "json")) == {
        "kmeans": dict(cv.external_scores(KIND, KMEANS, measures=["rand", "vi"])),
        "hdbscan": dict(cv.external_scores(KIND, HDBSCAN, measures=["rand", "vi"])),
    }
    head = run(*arguments).out.splitlines()[2]
    assert head.split() == ["measure", "kmeans", "hdbscan", "range", "unit"]


def test_several_truths_come_with_their_product(run, table):
    ran = run(
        "score", table, "-t", "kind", "-t", "size", "-p", "kmeans", "-m", "rand", "-f", "json"
    )
    product = [f"{a} {b}" for a, b in zip(KIND, SIZE, strict=True)]
    assert values(ran) == {
        "kind": {"rand": cv.rand(KIND, KMEANS)},
        "size": {"rand": cv.rand(SIZE, KMEANS)},
        "product": {"rand": cv.rand(product, KMEANS)},
    }


def test_a_table_from_standard_input(run, table):
    ran = run(
        *("score", "-", "-t", "kind", "-p", "kmeans", "-m", "rand", "-f", "json"),
        stdin=table.read_bytes(),
    )
    assert values(ran) == {"rand": cv.rand(KIND, KMEANS)}


def test_one_of_two_files_from_standard_input(run, file):
    truth = file("\n".join(KIND), "truth.txt")
    pred = "\n".join(map(str, KMEANS)).encode()
    expected = {"rand": cv.rand(KIND, KMEANS)}
    assert values(run("score", truth, "-", "-m", "rand", "-f", "json", stdin=pred)) == expected
    assert values(run("score", "-", truth, "-m", "rand", "-f", "json", stdin=pred)) == expected


def test_a_gzipped_table(run, file, table):
    path = file(gzip.compress(table.read_bytes()), "table.csv.gz")
    ran = run("score", path, "-t", "kind", "-p", "kmeans", "-m", "rand", "-f", "json")
    assert values(ran) == {"rand": cv.rand(KIND, KMEANS)}


@pytest.mark.parametrize("delimiter", [";", ":", "tab"])
def test_another_delimiter(run, file, table, delimiter):
    character = "\t" if delimiter == "tab" else delimiter
    path = file(table.read_text().replace(",", character), "other.txt")
    ran = run(
        *("score", path, "-t", "kind", "-p", "kmeans", "-m", "rand", "-f", "json"),
        *("--delimiter", delimiter),
    )
    assert values(ran) == {"rand": cv.rand(KIND, KMEANS)}


def test_measures_by_alias_with_spaces_and_capitals(run, table):
    ran = run("score", table, "-t", "kind", "-p", "kmeans", "-m", "vi, ARI,nmi", "-f", "json")
    assert list(values(ran)) == [
        "variation_of_information",
        "adjusted_rand",
        "normalized_mutual_information",
    ]


def test_families(run, table):
    ran = run(
        *("score", table, "-t", "kind", "-p", "kmeans", "-f", "json"),
        *("--family", "coding", "--family", "impurity"),
    )
    assert {cv.measures[key].family for key in values(ran)} == {"coding", "impurity"}


@pytest.mark.parametrize(
    ("noise", "options"),
    [
        (["--noise", "drop"], {"noise": "drop"}),
        (["--noise", "keep"], {}),
        (["--noise", "singletons"], {"noise": "singletons"}),
        (["--noise", "-1=drop"], {"noise": "drop"}),
        (
            ["--noise", "1=drop", "--noise", "-1=singletons"],
            {"noise": {1: "drop", -1: "singletons"}},
        ),
    ],
)
def test_noise(run, table, noise, options):
    ran = run("score", table, "-t", "kind", "-p", "hdbscan", "-f", "json", "-m", "vi,ari", *noise)
    expected = cv.external_scores(KIND, HDBSCAN, measures=["vi", "ari"], **options)
    assert values(ran) == dict(expected)


def test_noise_written_as_a_float(run, file):
    path = file("y,c\na,-1.0\na,-1.0\nb,0.0\nb,0.0\n")
    data = json.loads(run("score", path, "--noise", "singletons", "-f", "json").out)
    assert data["clusters"] == 3


def test_noise_may_be_a_word_with_an_equals_sign(run, file):
    path = file("y,c\na,x=1\na,x=1\nb,0\nb,0\n")
    data = json.loads(run("score", path, "--noise", "x=1=drop", "-f", "json").out)
    assert data["objects"] == 2


def test_missing_labels(run, refused, file):
    path = file("y,c\na,0\n,0\nb,NA\nb,1\n")
    assert "y has 1 missing label" in refused("score", path)
    objects = lambda *more: json.loads(run("score", path, "-f", "json", *more).out)["objects"]  # noqa: E731  # a formula, not a function to call elsewhere
    assert objects("--missing", "drop") == 2
    assert objects("--missing", "class") == 4


def test_weights(run, table):
    ran = run(
        *("score", table, "-t", "kind", "-p", "kmeans", "-m", "rand,vi", "-f", "json"),
        *("--weights", "weight"),
    )
    expected = cv.external_scores(KIND, KMEANS, weights=WEIGHTS, measures=["rand", "vi"])
    assert values(ran) == dict(expected)


def test_real_weights(run, file):
    path = file("y,c,w\na,0,0.5\na,0,1e-1\nb,0,2\n")
    ran = run("score", path, "-t", "y", "-p", "c", "--weights", "w", "-f", "json", "-m", "purity")
    assert json.loads(ran.out)["objects"] == 2.6


class TestFormats:
    """Each way to print an answer."""

    def test_a_table_for_people(self, run, table):
        ran = run("score", table, "-t", "kind", "-p", "same", "-m", "rand,vi")
        assert ran.out.splitlines() == [
            "6 objects, 2 classes, 2 clusters",
            "measure                       value  range  unit",
            "rand                      ↑  1.0000  0 … 1",
            "variation_of_information  ↓       0  0 … ∞  bits",
        ]

    @pytest.mark.parametrize("preds", [["kmeans"], ["kmeans", "same"]])
    def test_json_is_valid_against_the_schema(self, run, table, preds):
        names = [item for pred in preds for item in ("-p", pred)]
        ran = run("score", table, "-t", "kind", *names, "-f", "json")
        jsonschema.validate(json.loads(ran.out), json.loads(SCHEMA.read_text()))

    def test_csv(self, run, table):
        ran = run(
            "score", table, "-t", "kind", "-p", "kmeans", "-p", "same", "-m", "vi", "-f", "csv"
        )
        rows = list(csv.DictReader(io.StringIO(ran.out)))
        assert [row["pred"] for row in rows] == ["kmeans", "same"]
        assert float(rows[0]["value"]) == cv.variation_of_information(KIND, KMEANS)

    def test_markdown(self, run, table):
        out = run("score", table, "-t", "kind", "-p", "same", "-m", "rand", "-f", "markdown").out
        assert "| rand | ↑ | 1.0000 |" in out

    def test_capitals_do_not_matter(self, run, table):
        ran = run("score", table, "-t", "kind", "-p", "same", "-m", "rand", "-f", "JSON")
        assert values(ran) == {"rand": 1.0}

    def test_every_format_ends_with_one_line_end(self, run, table):
        for way in ("table", "json", "csv", "markdown"):
            out = run("score", table, "-t", "kind", "-p", "kmeans", "-f", way).out
            assert out.endswith("\n")
            assert not out.endswith("\n\n")


class TestOutput:
    """Writing to a file, whole or not at all."""

    ARGUMENTS = ("-t", "kind", "-p", "kmeans", "-m", "rand")

    @pytest.mark.parametrize("format", ["table", "json", "csv", "markdown"])
    def test_a_file_holds_what_would_be_printed(self, run, table, tmp_path, format):
        target = tmp_path / "answer"
        printed = run("score", table, *self.ARGUMENTS, "-f", format).out
        ran = run("score", table, *self.ARGUMENTS, "-f", format, "-o", target)
        assert (ran.code, ran.out, ran.err) == (0, "", "")
        assert target.read_text(encoding="utf-8") == printed
        assert sorted(path.name for path in tmp_path.iterdir()) == ["answer", "table.csv"]

    def test_an_old_file_is_replaced(self, run, table, tmp_path):
        target = tmp_path / "answer.json"
        target.write_text("old" * 10_000)
        run("score", table, *self.ARGUMENTS, "-f", "json", "-o", target)
        assert json.loads(target.read_text())["objects"] == 6

    def test_the_file_has_the_usual_permissions(self, run, table, tmp_path):
        target = tmp_path / "answer"
        mask = os.umask(0o022)
        try:
            run("score", table, *self.ARGUMENTS, "-o", target)
        finally:
            os.umask(mask)
        assert stat.S_IMODE(target.stat().st_mode) == 0o644

    def test_a_link_stays_a_link(self, run, table, tmp_path):
        target, link = tmp_path / "answer", tmp_path / "link"
        target.write_text("old")
        link.symlink_to(target)
        run("score", table, *self.ARGUMENTS, "-o", link)
        assert link.is_symlink()
        assert "rand" in target.read_text()

    def test_what_is_no_plain_file_is_not_replaced_by_one(self, run, table, tmp_path):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            run("score", table, *self.ARGUMENTS, "-o", pipe)
        finally:
            os.close(reader)
        assert stat.S_ISFIFO(pipe.stat().st_mode)

    def test_no_such_directory(self, refused, table, tmp_path):
        line = refused("score", table, *self.ARGUMENTS, "-o", tmp_path / "nowhere" / "answer")
        assert "nowhere/answer cannot be written: No such file or directory." in line

    def test_a_directory_is_no_file(self, refused, table, tmp_path):
        line = refused("score", table, *self.ARGUMENTS, "-o", tmp_path)
        assert f"{tmp_path} cannot be written: Is a directory." in line
        assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]

    def test_a_directory_without_the_right_to_write(self, refused, table, tmp_path, monkeypatch):
        def denied(*_arguments, **_options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("os.open", denied)
        line = refused("score", table, *self.ARGUMENTS, "-o", tmp_path / "answer")
        assert "answer cannot be written: Permission denied." in line

    def test_a_full_disk_leaves_the_old_file_whole(self, refused, table, tmp_path, monkeypatch):
        target = tmp_path / "answer"
        target.write_text("old")

        def full(*_arguments):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("os.replace", full)
        line = refused("score", table, *self.ARGUMENTS, "-o", target)
        assert "No space left on device" in line
        assert target.read_text() == "old"
        assert sorted(path.name for path in tmp_path.iterdir()) == ["answer", "table.csv"]

    def test_nothing_is_written_when_the_input_is_at_fault(self, refused, table, tmp_path):
        target = tmp_path / "answer"
        refused("score", table, "-t", "kind", "-p", "nothing", "-o", target)
        assert not target.exists()

    def test_an_empty_name_is_refused(self, refused, table):
        assert "cannot be written" in refused("score", table, *self.ARGUMENTS, "-o", "")
