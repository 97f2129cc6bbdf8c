from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import clustervet.lab
from clustervet import plots
from clustervet.cli import main
from clustervet.datasets.corpora import load_corpus
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
    study = clustervet.lab.text_study(folder, ["classic3", "yahoo"], **OPTIONS)
    (line,) = study.lines
    assert study.missing == ("yahoo",)
    assert (line.corpus, line.documents, line.classes) == ("classic3", 120, 3)
    assert line.paper == 0.02
    assert line.train_errors == 0
    bits = line.clusters * np.log2(3) + 1 + np.log2(line.clusters * (line.clusters - 1)) + 1
    assert line.bound == bmax(60, 60, 0, np.log2(0.1) - bits) / 60
    assert line.languages["algo"] == line.bound
    assert {"simple", "init", "cluster", "permutation", "adaptive", "mixture"} < set(line.languages)
    assert set(line.algorithms) == set(line.runs) == {"spherical", "kmeans"}
    assert "Not there, and left out: yahoo." in repr(study)
    assert "As in the paper, nothing else is done to the documents" in repr(study)
    assert "smooth" not in repr(study)
    assert study.to_dict()["neighbours"] == 0
    assert json.loads(study.to_json())["lines"][0]["bound"] == line.bound
    assert list(study.to_frame("polars")["corpus"]) == ["classic3"]


def test_smoothing_has_a_column_of_its_own_and_is_paid_for(folder):
    """The column of the paper's protocol is the same with and without it."""
    plain = clustervet.lab.text_study(folder, ["classic3"], **OPTIONS)
    study = clustervet.lab.text_study(folder, ["classic3"], neighbours=10, **OPTIONS)
    (line,), (alone,) = study.lines, plain.lines
    assert replace(line, smoothed=None) == alone
    both = line.smoothed
    # One bit more than the paper's protocol: two representations.
    bits = both.clusters * np.log2(3) + 1 + np.log2(both.clusters * (both.clusters - 1)) + 2
    assert both.bound == bmax(60, 60, 0, np.log2(0.1) - bits) / 60
    assert both.bound >= line.bound
    assert "The paper has no smoothing. The bound pays for the choice between both." in repr(study)
    assert study.columns()["smoothed bound"] == [both.bound]
    assert "smoothed bound" not in plain.columns()


def test_single_runs_are_under_equation_1(folder):
    study = clustervet.lab.text_study(folder, ["classic3"], **OPTIONS)
    runs = study.lines[0].runs
    assert {name: len(rates) for name, rates in runs.items()} == {"spherical": 2, "kmeans": 2}
    least = bmax(60, 60, 0, np.log2(0.1) - 3 * np.log2(3)) / 60
    assert min(min(rates) for rates in runs.values()) == least


def test_figures_1_and_3_to_6_are_drawn(folder):
    shares = [0.3, 0.5, 0.7]
    study = clustervet.lab.text_study(folder, ["classic2", "classic3"], shares=shares, **OPTIONS)
    runs, algorithms, splits, languages = plots.figures(study)
    half = {line.corpus: line for line in study.lines if line.train == 0.5}
    drawn = [list(trace.y) for trace in runs.data]
    assert drawn == [line.runs[name] for line in half.values() for name in ("spherical", "kmeans")]
    by_name = {trace.name: list(trace.x) for trace in algorithms.data}
    assert by_name["kmeans"] == [line.algorithms["kmeans"] for line in half.values()]
    assert by_name["largest class always"] == [line.constant for line in half.values()]
    by_set = {trace.name: (list(trace.x), list(trace.y)) for trace in splits.data}
    for name, (x, y) in by_set.items():
        assert x == shares
        assert y == [line.bound for line in study.lines if line.corpus == name]
    by_language = {trace.name: list(trace.x) for trace in languages.data}
    assert by_language["init"] == [line.languages["init"] for line in half.values()]
    assert [figure.layout.meta["figure"] for figure in (runs, algorithms, splits, languages)] == [
        "text-runs", "text-algorithms", "text-shares", "text-languages",
    ]  # fmt: skip
    one = clustervet.lab.text_study(folder, ["classic3"], **OPTIONS)
    assert len(plots.text_figures(one)) == 3
    empty = clustervet.lab.TextStudy(0, (), ())
    assert plots.figures(empty) == []
    with pytest.raises(ParameterError, match="no corpora"):
        plots.text_figures(empty)


def test_runs_by_their_objective(folder):
    study = clustervet.lab.text_study(folder, ["classic3"], run_choice="objective", **OPTIONS)
    (line,) = study.lines
    bits = line.clusters * np.log2(3) + np.log2(line.clusters * (line.clusters - 1)) + 1
    assert line.bound == bmax(60, 60, line.train_errors, np.log2(0.1) - bits) / 60
    assert "chosen by its own objective, which costs no bits" in repr(study)


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


def test_a_share_that_the_paper_has_not_leads_with_nothing(folder):
    study = clustervet.lab.text_study(
        folder, ["classic3"], algorithms=["kmeans"], clusters=[3], runs=1, shares=[0.3]
    )
    assert [line.paper for line in study.lines] == [None]
    assert study.document().lead == ()


def test_newsgroups_that_are_not_there_are_fetched_where_that_is_allowed(folder, monkeypatch):
    asked = []

    def load(name, place, *, fetch=False):
        asked.append((name, fetch))
        return replace(load_corpus("classic3", place), name=name)

    monkeypatch.setattr("clustervet.lab.text_bounds.load_corpus", load)
    options = {"algorithms": ["kmeans"], "clusters": [3], "runs": 1}
    wanted = ["cmu-same-100", "yahoo"]
    study = clustervet.lab.text_study(folder, wanted, fetch=True, **options)
    assert asked == [("cmu-same-100", True)]
    assert [line.corpus for line in study.lines] == ["cmu-same-100"]
    assert study.missing == ("yahoo",)
    with pytest.raises(FileError, match="none of the corpora"):
        clustervet.lab.text_study(folder, wanted, **options)


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_on_the_command_line(folder, form, monkeypatch, capsys):
    arguments = ["lab", "text", "--data", str(folder), "--sets", "classic3", "--k", "2..3"]
    more = ["--runs", "1", "--algorithms", "spherical", "--format", form]
    monkeypatch.setattr("sys.argv", ["clustervet", *arguments, *more])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    assert "classic3" in capsys.readouterr().out
