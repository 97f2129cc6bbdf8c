from __future__ import annotations

import json

import numpy as np
import pytest

import clustervet.lab
from clustervet.cli import main
from clustervet.errors import FileError, ParameterError
from clustervet.pacmdl import bmax


@pytest.fixture
def folder(tmp_path):
    """A corpus like classic3: three classes with words of their own and some shared."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 40)
    rows = [
        np.concatenate([rng.integers(20 * c, 20 * c + 20, 15), rng.integers(60, 80, 3)])
        for c in labels
    ]
    np.savez(
        tmp_path / "classic3.npz",
        data=np.ones(18 * 120),
        indices=np.concatenate(rows),
        indptr=np.arange(121) * 18,
        shape=np.array([120, 80]),
        labels=labels,
        class_names=np.array(["cisi", "cran", "med"]),
    )
    return tmp_path


OPTIONS = {"algorithms": ["spherical", "kmeans"], "clusters": [2, 3, 4], "runs": 2}


def test_bounds_beside_the_papers(folder):
    study = clustervet.lab.text_study(folder, ["classic3", "yahoo"], neighbours=10, **OPTIONS)
    (line,) = study.lines
    assert study.missing == ("yahoo",)
    assert (line.corpus, line.documents, line.classes) == ("classic3", 120, 3)
    assert line.paper == 0.02
    assert line.train_errors == 0
    bits = line.clusters * np.log2(3) + 1 + np.log2(line.clusters * (line.clusters - 1)) + 1
    assert line.bound == bmax(60, 60, 0, np.log2(0.1) - bits) / 60
    assert line.languages["algo"] == line.bound
    assert {"simple", "init", "cluster", "permutation", "adaptive", "mixture"} < set(line.languages)
    assert set(line.algorithms) == {"spherical", "kmeans"}
    assert "Not there, and left out: yahoo." in repr(study)
    assert "each document moved towards its 10 nearest." in repr(study)
    plain = clustervet.lab.text_study(folder, ["classic3"], **OPTIONS)
    assert "KL reads counts, the others tf-idf.\n" in repr(plain)
    assert (study.to_dict()["neighbours"], plain.to_dict()["neighbours"]) == (10, 0)
    assert json.loads(study.to_json())["lines"][0]["bound"] == line.bound
    assert list(study.to_frame("polars")["corpus"]) == ["classic3"]


def test_splits_share_their_fits(folder, tmp_path):
    journals = tmp_path / "journals"
    shares = clustervet.lab.text_bounds.SHARES
    study = clustervet.lab.text_study(
        folder, ["classic2"], shares=shares, journals=journals, **OPTIONS
    )
    assert [line.train for line in study.lines] == list(shares)
    assert [line.paper for line in study.lines] == [None, None, 0.0168, None, None]
    assert [path.name for path in journals.iterdir()] == ["classic2.db"]
    again = clustervet.lab.text_study(
        folder, ["classic2"], shares=shares, journals=journals, **OPTIONS
    )
    assert again.to_json() == study.to_json()


def test_refusals(folder):
    with pytest.raises(FileError, match="none of the corpora"):
        clustervet.lab.text_study(folder, ["yahoo"])
    with pytest.raises(ParameterError, match="did you mean"):
        clustervet.lab.text_study(folder, ["classic9"])
    with pytest.raises(ParameterError, match="random_state must be"):
        clustervet.lab.text_study(folder, ["classic3"], random_state=-1)
    with pytest.raises(FileError, match="cannot be written"):
        clustervet.lab.text_study(folder, ["classic3"], journals=folder / "classic3.npz")
    with pytest.raises(ParameterError, match="between 0 and 1"):
        clustervet.lab.text_study(folder, ["classic3"], shares=[1.5])


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_on_the_command_line(folder, form, monkeypatch, capsys):
    arguments = ["lab", "text", "--data", str(folder), "--sets", "classic3", "--k", "2..3"]
    more = ["--runs", "1", "--algorithms", "spherical", "--format", form]
    monkeypatch.setattr("sys.argv", ["clustervet", *arguments, *more])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert "classic3" in capsys.readouterr().out
