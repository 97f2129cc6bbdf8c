"""What is wrong whatever the data are is said before they are read, which may take long."""

from __future__ import annotations

import numpy as np
import pytest

from clustervet.frames import source


def never(*_, **__):
    raise AssertionError("data was read")


@pytest.fixture
def unreadable(tmp_path, monkeypatch):
    """A table whose rows nobody may read; its header may be looked at."""
    path = tmp_path / "table.csv"
    path.write_text("y,a,b,x1,x2\n" + "u,0,0,0.5,1\nv,1,1,1.5,2\n" * 20)
    matrix = tmp_path / "tree.npy"
    np.save(matrix, np.zeros((3, 4)))

    readers = {source.Source, *source.Source.__subclasses__()}
    readers |= {kind for reader in readers for kind in reader.__subclasses__()}
    for kind in readers:
        for name in ("read", "labels", "groups"):
            if name in vars(kind):
                monkeypatch.setattr(kind, name, never)
    return str(path)


SCORE = ["score", "-t", "y", "-p", "a"]
TUNE = ["tune", "--features", "x1,x2", "--k", "2..3"]
SELECT = ["select", "--label", "y", "--features", "x1,x2"]
BOUND = ["bound", "-t", "y", "-p", "a"]
REPORT = ["report", "-t", "y", "-p", "a", "-o", "page.html"]
TREE = ["tree", "-t", "y", "--labels", "a,b"]
COMPARE = ["compare", "--labels", "a,b"]
DRIFT = ["drift", "--labels", "a,b"]
ESTIMATE = ["estimate", "-t", "y", "-p", "a", "--sample", "clusters"]
BUILD = ["table build", "-t", "y", "-p", "a", "-o"]
STABILITY = ["stability", "--features", "x1,x2", "--k", "2"]
TENDENCY = ["tendency", "--features", "x1,x2"]
INNER = [*SCORE, "--features", "x1,x2"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ([*SCORE, "-m", "nonsense"], "nonsense"),
        ([*SCORE, "--confidence", "2"], "confidence"),
        ([*SCORE, "-p", "c"], "has no column 'c'"),
        ([*SCORE, "--resamples", "-5"], "resamples"),
        ([*SCORE, "--resamples", "0"], "resamples"),
        ([*SCORE, "--jobs", "0"], "--jobs"),
        ([*SCORE, "--sample", "-1"], "--sample"),
        ([*INNER, "--sample", "1"], "--sample"),
        ([*INNER, "--metric", "nope"], "nope"),
        ([*INNER, "--metric", "precomputed", "--standardize"], "standardize"),
        ([*SCORE, "--standardize"], "--standardize goes with --features"),
        ([*SCORE, "--normalize"], "--normalize goes with --memberships"),
        ([*TUNE, "-m", "nonsense"], "nonsense"),
        ([*TUNE, "-m", "ari"], "second labeling"),
        ([*TUNE, "-e", "nonsense"], "nonsense"),
        ([*TUNE, "--metric", "nonsense"], "nonsense"),
        ([*TUNE, "--noise", "nonsense"], "noise"),
        ([*TUNE, "--references", "3"], "--references"),
        ([*TUNE, "--bootstrap", "1"], "--bootstrap"),
        ([*TUNE, "--sample", "1"], "sample"),
        ([*TUNE[:2], "x1,x9", "--k", "2..3"], "x9"),
        ([*TUNE[:3], "--parameter", "nonsense", "--values", "1,2"], "nonsense"),
        ([*TUNE, "--grid", "nonsense=1,2"], "nonsense"),
        ([*TUNE, "--grid", "nonsense="], "--grid nonsense"),
        ([*TUNE, "--bootstrap", "-1"], "--bootstrap"),
        ([*SELECT, "--algorithms", "nonsense"], "nonsense"),
        ([*SELECT, "--k", "x"], "--k"),
        ([*SELECT, "--language", "nonsense"], "nonsense"),
        ([*SELECT, "--delta", "2"], "delta"),
        ([*SELECT, "--runs", "0"], "runs"),
        ([*SELECT, "--noise", "nonsense"], "noise"),
        ([*SELECT, "--run-choice", "nonsense"], "run"),
        ([*SELECT, "--representation", "a,b"], "--representation"),
        ([*SELECT, "--representation", "a,nonsense=1"], "nonsense"),
        ([*SELECT, "--weighting", "nonsense"], "--weighting"),
        ([*SELECT, "--neighbours", "5"], "--weighting tfidf"),
        ([*SELECT, "--k", "0..3"], "--k must"),
        ([*SELECT, "--train", "1.5"], "train must"),
        ([*SELECT, "--train", "0.5,0"], "train must"),
        ([*SELECT, "--predict-by", "nonsense"], "--predict-by must"),
        ([*SELECT, "--journal", "no/folder/x.db"], "x.db cannot be written"),
        ([*BOUND, "--language", "nonsense"], "nonsense"),
        ([*BOUND, "--delta", "0"], "delta"),
        ([*BOUND, "--runs", "0"], "runs"),
        ([*BOUND, "--k", "0"], "--k must"),
        ([*BOUND, "--noise", "x=nonsense"], "nonsense"),
        ([*REPORT, "-m", "nonsense"], "nonsense"),
        ([*REPORT, "--confidence", "1"], "confidence"),
        ([*REPORT, "--metric", "nonsense"], "nonsense"),
        ([*REPORT, "--sample", "0"], "--sample"),
        ([*TREE, "-m", "nonsense"], "nonsense"),
        ([*TREE, "--k", "2"], "--measures"),
        (["tree"], "--truth"),
        ([*COMPARE, "-m", "silhouette"], "silhouette needs features"),
        ([*COMPARE, "-m", "purity"], "purity is a similarity"),
        ([*COMPARE, "--trajectory", "-m", "purity"], "purity is none"),
        ([*COMPARE, "--groups", "0"], "groups"),
        ([*COMPARE, "--groups", "3"], "groups"),
        ([*COMPARE, "--weight", "nonsense"], "--weight"),
        ([*COMPARE, "--weight", "nonsense=1"], "nonsense"),
        ([*COMPARE, "--weight", "a=x"], "'x'"),
        ([*COMPARE, "--weight", "a=-1"], "weights"),
        ([*COMPARE, "--query", "missing.csv"], "missing.csv"),
        ([*COMPARE, "--starts", "0"], "--starts"),
        ([*COMPARE, "--centres", "consensus", "-m", "van_dongen"], "van_dongen"),
        (["compare", "--by", "y", "--id", "a", "-l", "b", "--starts", "0"], "--starts"),
        ([*DRIFT, "--confidence", "3"], "--confidence"),
        ([*DRIFT, "--objects", "nonsense"], "--objects"),
        ([*ESTIMATE, "-m", "nonsense"], "nonsense"),
        ([*ESTIMATE, "--confidence", "7"], "--confidence"),
        ([*ESTIMATE[:-1], "nonsense"], "--sample"),
        ([*BUILD, "x.txt"], "not to x.txt"),
        ([*BUILD, "no/folder/x.json"], "x.json cannot be written"),
        (["table merge", "-o", "x.txt"], "not to x.txt"),
        ([*STABILITY, "-e", "nonsense"], "nonsense"),
        ([*STABILITY, "--metric", "nonsense"], "nonsense"),
        ([*STABILITY, "--samples", "1"], "--samples"),
        ([*TENDENCY, "--metric", "nonsense"], "nonsense"),
    ],
)
def test_no_data_is_read_first(unreadable, refused, tmp_path, monkeypatch, line, said):
    monkeypatch.chdir(tmp_path)
    command, *options = line
    assert said in refused(*command.split(), unreadable, *options)


@pytest.mark.parametrize(
    "line",
    [
        [*TUNE, "-e", "nonsense"],
        [*TUNE, "-m", "nonsense"],
        [*TUNE[:3], "--grid", "nonsense=1,2"],
        [*TUNE, "--references", "5"],
        [*TUNE, "--bootstrap", "-1"],
        [*STABILITY, "-e", "nonsense"],
        [*STABILITY, "--metric", "nonsense"],
        [*TENDENCY, "--metric", "nonsense"],
        ["table merge", "-o", "x.txt"],
        [*BUILD, "x.txt"],
        [*SCORE, "--resamples", "0"],
        [*DRIFT, "--confidence", "3"],
        [*ESTIMATE, "-m", "nonsense"],
    ],
)
def test_no_pipe_is_opened_first(refused, tmp_path, monkeypatch, line):
    """Of a pipe all is read as soon as it is opened."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(source.FileSet, "_open", never)
    command, *options = line
    refused(*command.split(), "-", *options)


@pytest.mark.parametrize(
    "line", ["tune --k", "score t.csv --weights", "select x --delta", "table build --truth",
             "lab text --k", "score t.csv -f"]
)  # fmt: skip
def test_an_option_without_its_value_names_its_command(refused, line):
    name = " ".join(word for word in line.split()[:2] if word.isalpha())
    name = name if name.startswith(("table", "lab")) else name.split()[0]
    assert refused(*line.split()).endswith(f"See `clustervet {name} --help`.")


def test_a_choice_is_refused_in_our_own_words(refused):
    line = refused("score", "t.csv", "-t", "y", "-p", "a", "--format", "md")
    assert "Value error" not in line
    assert "'--format' / '-f': 'md' is not one of 'table'" in line


def test_data_is_read_otherwise(unreadable, run):
    with pytest.raises(AssertionError, match="data was read"):
        run("tune", unreadable, "--features", "x1,x2", "--k", "2..3")
