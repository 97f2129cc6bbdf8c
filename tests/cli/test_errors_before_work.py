"""What is wrong whatever the data are is said before they are read, which may take long."""

from __future__ import annotations

import numpy as np
import pytest

from clustervet.frames import source


@pytest.fixture
def unreadable(tmp_path, monkeypatch):
    """A table whose rows nobody may read; its header may be looked at."""
    path = tmp_path / "table.csv"
    path.write_text("y,a,b,x1,x2\n" + "u,0,0,0.5,1\nv,1,1,1.5,2\n" * 20)
    matrix = tmp_path / "tree.npy"
    np.save(matrix, np.zeros((3, 4)))

    def never(*_, **__):
        raise AssertionError("data was read")

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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ([*SCORE, "-m", "nonsense"], "nonsense"),
        ([*SCORE, "--confidence", "2"], "confidence"),
        ([*SCORE, "-p", "c"], "has no column 'c'"),
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
        ([*SELECT, "--algorithms", "nonsense"], "nonsense"),
        ([*SELECT, "--k", "x"], "--k"),
        ([*SELECT, "--language", "nonsense"], "nonsense"),
        ([*SELECT, "--delta", "2"], "delta"),
        ([*SELECT, "--runs", "0"], "runs"),
        ([*SELECT, "--noise", "nonsense"], "noise"),
        ([*SELECT, "--run-choice", "nonsense"], "run"),
        ([*SELECT, "--representation", "a,b"], "--representation"),
        ([*BOUND, "--language", "nonsense"], "nonsense"),
        ([*BOUND, "--delta", "0"], "delta"),
        ([*BOUND, "--runs", "0"], "runs"),
        ([*BOUND, "--k", "0"], "--k must"),
        ([*BOUND, "--noise", "x=nonsense"], "nonsense"),
        ([*REPORT, "-m", "nonsense"], "nonsense"),
        ([*REPORT, "--confidence", "1"], "confidence"),
        ([*REPORT, "--metric", "nonsense"], "nonsense"),
        ([*TREE, "-m", "nonsense"], "nonsense"),
        ([*TREE, "--k", "2"], "--measures"),
    ],
)
def test_no_data_is_read_first(unreadable, refused, tmp_path, monkeypatch, line, said):
    monkeypatch.chdir(tmp_path)
    command, *options = line
    assert said in refused(command, unreadable, *options)


def test_data_is_read_otherwise(unreadable, run):
    with pytest.raises(AssertionError, match="data was read"):
        run("tune", unreadable, "--features", "x1,x2", "--k", "2..3")
