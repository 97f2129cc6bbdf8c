"""`compare --centres consensus`: a consensus for each group (Meilă 2007, §1)."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "runs.csv"
    rows = ("0,0,0,0", "0,0,0,1", "0,1,0,2", "1,1,0,0", "1,1,1,1", "1,1,1,2")
    file.write_text("\n".join(["a,b,c,d", *rows, ""]), encoding="utf-8")
    return file


def test_the_consensus_of_each_group_is_written_beside_that_of_all(run, path, tmp_path):
    file, page = tmp_path / "together.csv", tmp_path / "page.html"
    asked = ("--groups", "2", "--centres", "consensus", "--consensus", file, "--report", page)
    ran = run("compare", path, *asked)
    assert ran.code == 0, ran.err
    said = "2 groups (labelings) around consensus centres near a (3), d (1)"
    assert said in " ".join(ran.out.split())
    assert said in page.read_text(encoding="utf-8")
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "consensus,group 1,group 2"
    assert [line.split(",")[1] for line in lines[1:]] == list("000111")
    assert [line.split(",")[2] for line in lines[1:]] == list("012012")


def test_around_medoids_the_file_has_one_column(run, path, tmp_path):
    file = tmp_path / "together.csv"
    ran = run("compare", path, "--groups", "2", "--consensus", file, "-f", "json")
    assert file.read_text(encoding="utf-8").splitlines()[0] == "consensus"
    assert "centres" not in json.loads(ran.out)["groups"]


def test_objects_that_were_dropped_have_no_label_in_any_consensus(run, path, tmp_path):
    text = path.read_text(encoding="utf-8").replace("0,1,0,2", ",1,0,2")
    path.write_text(text, encoding="utf-8")
    file = tmp_path / "together.csv"
    asked = ("--groups", "2", "--centres", "consensus", "--missing", "drop", "--consensus", file)
    ran = run("compare", path, *asked)
    assert ran.code == 0, ran.err
    assert file.read_text(encoding="utf-8").splitlines()[3] == "NA,NA,NA"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--centres", "means"], "means"),
        (["--trajectory", "--centres", "consensus"], "--trajectory goes without"),
        (["-m", "van_dongen", "--centres", "consensus"], "a consensus is by"),
    ],
)
def test_what_does_not_go_together_is_refused(run, path, options, words):
    ran = run("compare", path, *options)
    assert ran.code == 2
    assert words in ran.err


def test_labelings_of_some_objects_only_are_told_what_to_do(run, path):
    text = path.read_text(encoding="utf-8").replace("0,1,0,2", ",1,0,2")
    path.write_text(text, encoding="utf-8")
    ran = run("compare", path, "--shared", "--groups", "2", "--centres", "consensus")
    assert ran.code == 2
    assert "use --centres medoids instead" in " ".join(ran.err.split())
