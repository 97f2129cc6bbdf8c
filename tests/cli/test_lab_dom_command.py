"""`clustervet lab desiderata` and `clustervet lab dom`."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

import clustervet.lab.dom

SMALL = ("--classes", "3", "--useful", "2..4", "--noise", "0..2", "--error-useful", "0,0.1")


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of a user's own in the current folder."""
    (tmp_path / "my_lab_measures.py").write_text(
        "import math\n"
        "def clusters(table):\n    return -float(table.shape[1])\n"
        "def never(table):\n    return math.nan\n"
        "def broken(table):\n    raise RuntimeError('no idea')\n"
        "def first(table):\n    return float(table.cluster_sizes[0] / table.n)\n"
        "number = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    yield "my_lab_measures"
    sys.modules.pop("my_lab_measures", None)


def test_table_5(run):
    ran = run("lab", "desiderata")
    assert ran.code == 0, ran.err
    assert ran.err == ""
    rows = {line.split()[0]: line.split()[1:] for line in ran.out.splitlines()[1:8]}
    assert rows == {
        "rand": ["0", "12", "120", "0", "28"],
        "fowlkes_mallows": ["0", "0", "103", "0", "0"],
        "hubert_gamma": ["0", "0", "120", "0", "0"],
        "jaccard": ["0", "0", "80", "0", "0"],
        "hamming": ["0", "2", "120", "0", "0"],
        "dom_q0": ["0", "0", "0", "0", "0"],
        "dom_q2": ["0", "0", "0", "0", "0"],
    }
    assert "the paper prints 29 for rand; its rule gives 28" in ran.out


def test_another_grid_as_json(run):
    ran = run("lab", "desiderata", "-m", "vi,rand", "-m", "nmi", *SMALL, "-n", "60", "-f", "json")
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    assert data["measures"] == ["variation_of_information", "rand", "normalized_mutual_information"]
    assert data["grid"]["useful"] == [2, 3, 4]
    assert data["grid"]["error_useful"] == [0, 0.1]
    assert (data["combinations"], data["n"]) == (42, 60)


def test_failures_one_by_one(run):
    ran = run("lab", "desiderata", "-m", "rand", *SMALL, "--failures", "-f", "csv")
    assert ran.code == 0, ran.err
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert {row["measure"] for row in rows} == {"rand"}
    assert {"useful", "noise", "varied", "start", "end"} < set(rows[0])
    text = run("lab", "desiderata", "-m", "rand", *SMALL, "--failures").out
    assert len(text.splitlines()) > len(rows)


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown"])
def test_forms(run, form):
    ran = run("lab", "desiderata", *SMALL, "--error-noise", "0..0.2..0.1", "-f", form)
    assert ran.code == 0, ran.err
    assert "dom_q2" in ran.out


def test_all_measures(run):
    ran = run("lab", "desiderata", "-m", "all", *SMALL)
    assert ran.code == 0, ran.err
    assert "bcubed_f1" in ran.out
    assert "joint_entropy" not in ran.out


def test_measures_of_a_users_own(run, module):
    names = ("clusters", "never", "broken", "first")
    own = [argument for name in names for argument in ("-m", f"{module}:{name}")]
    ran = run("lab", "desiderata", *own, "-m", "dom_q2", *SMALL)
    assert ran.code == 0, ran.err
    assert "never is nan" in ran.out
    assert "broken raises RuntimeError: no idea" in ran.out
    assert "first depends on the order of labels" in ran.out
    assert ran.out.splitlines()[5].split() == ["dom_q2", "0", "0", "0", "0", "0"]


@pytest.fixture(scope="module")
def whole():
    """The paper's study, which several tests print."""
    return clustervet.lab.dom.dom_study()


@pytest.fixture
def asked(whole, monkeypatch):
    """What the command asks for, while the answer is at hand already."""
    calls = []

    def study(measures, *, n):
        calls.append((measures, n))
        return whole

    monkeypatch.setattr(clustervet.lab, "dom_study", study)
    return calls


def test_the_whole_study(run, asked, tmp_path):
    target = tmp_path / "dom.md"
    assert run("lab", "dom", "-o", target).code == 0
    assert asked == [(None, 500)]
    text = target.read_text()
    for part in ("**Table 1", "**Table 3", "**Figure 2", "0.9261", "| 120 |", "eq. 13"):
        assert part in text
    assert "| 1 | 0.10 | 0.01 | 0.01 | 0.01 | 0.01 | 0.02 | 0.02 | 0.02 |" in text
    assert "its rule gives 28" in text


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_forms_of_the_study(run, asked, whole, form):
    ran = run("lab", "dom", "-m", "rand,vi", "-n", "100", "-f", form)
    assert ran.code == 0, ran.err
    assert asked == [(["rand", "vi"], 100)]
    if form == "csv":
        assert len(list(csv.DictReader(io.StringIO(ran.out)))) == 760
    elif form == "json":
        assert json.loads(ran.out) == whole.to_dict()
    else:
        assert ran.out == repr(whole) + "\n"


def test_refusals(refused, module):
    assert "did you mean rand" in refused("lab", "desiderata", "-m", "rnd")
    assert "reads features" in refused("lab", "dom", "-m", "silhouette")
    assert "cannot be loaded" in refused("lab", "desiderata", "-m", f"{module}:nowhere")
    assert "named by a string" in refused("lab", "desiderata", "-m", f"{module}:number")
    assert "--useful takes whole numbers" in refused("lab", "desiderata", "--useful", "2.5")
    assert "--error-noise" in refused("lab", "desiderata", "--error-noise", "much")
    assert "useful must be a whole number of at least 1" in refused(
        "lab", "desiderata", "--useful", "0..3"
    )
    assert "between 0 and 1" in refused("lab", "desiderata", "--error-useful", "2")
    assert "holds no combination" in refused(
        "lab", "desiderata", "--noise", "0", "--error-noise", "0.1"
    )
    assert "above 0" in refused("lab", "dom", "-n", "0")
    assert "tolerance" in refused("lab", "desiderata", "--tolerance", "2")
    assert "--measure" in refused("lab", "desiderata", "-m", "")
