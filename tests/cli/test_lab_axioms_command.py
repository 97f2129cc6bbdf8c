"""`clustervet lab axioms` and `clustervet lab advise`."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

import clustervet as cv
from clustervet.lab import known_properties

EXTERNAL = [record.key for record in cv.measures.select(kind="external")]


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of a user's own in the current folder."""
    (tmp_path / "my_axiom_measures.py").write_text(
        "import math\n"
        "import clustervet as cv\n"
        "def never(table):\n    return math.nan\n"
        "def wild(table):\n    raise RuntimeError('no idea')\n"
        "def first(table):\n    return float(table.cluster_sizes[0] / table.n)\n"
        "@cv.measure(title='Apart', family='mine', better='lower', bounds=(0, 1), perfect=0.0)\n"
        "def apart(table):\n    return 0.0 if table.identical else 1.0\n"
        "number = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    yield "my_axiom_measures"
    sys.modules.pop("my_axiom_measures", None)
    if "apart" in cv.measures:
        cv.measures.remove("apart")


def test_the_whole_matrix(run):
    ran = run("lab", "axioms")
    assert (ran.code, ran.err) == (0, "")
    first = [line.split()[0] for line in ran.out.splitlines() if line.split()]
    # The properties stand in two tables, one below the other.
    assert [name for name in first if name in EXTERNAL] == EXTERNAL * 2
    assert "holds in all cases tried" in ran.out


def test_the_matrix_in_every_format(run, tmp_path):
    data = json.loads(run("lab", "axioms", "-f", "json").out)
    assert list(data["measures"]) == EXTERNAL
    assert list(data["properties"]) == list(known_properties())
    rows = list(csv.DictReader(io.StringIO(run("lab", "axioms", "-f", "csv").out)))
    assert len(rows) == len(EXTERNAL) * len(known_properties())
    assert {row["answer"] for row in rows} == {"holds", "fails", "does not apply"}
    page = tmp_path / "matrix.md"
    assert run("lab", "axioms", "-o", page).code == 0
    lines = page.read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 2 * (2 + len(EXTERNAL))
    assert {line.count("|") for line in table} == {14, 15}


def test_one_measure_and_its_counterexamples(run):
    ran = run("lab", "axioms", "-m", "ari", "-p", "locality", "--property", "symmetry", "--fresh")
    assert ran.out.splitlines()[0] == "adjusted_rand"
    assert "✗ locality  fails for a = [0, 0, 1, 2], a split = [0, 1, 2, 3]" in ran.out
    assert "✓ symmetry  holds in all 642 cases tried" in ran.out


def test_measures_of_ones_own_wrong_ones_included(run, module):
    names = [f"--measure={module}:{name}" for name in ("never", "wild", "first", "apart")]
    ran = run("lab", "axioms", *names, "-m", "vi", "-p", "symmetry", "-f", "json")
    assert ran.code == 0, ran.err
    found = {
        key: row["verdicts"]["symmetry"] for key, row in json.loads(ran.out)["measures"].items()
    }
    assert [found[key]["status"] for key in found] == ["broken"] * 3 + ["holds"] * 2
    assert found["never"]["why"] == "never returns nan for [0] and [0]"
    assert found["wild"]["why"] == "wild raises RuntimeError: no idea for [0] and [0]"
    assert found["first"]["why"] == "first depends on the names or the order of labels"
    text = run("lab", "axioms", *names, "-p", "identity").out
    assert "never returns nan for [0] and [0]." in text
    assert "first depends on the names or the order of labels." in text


def test_advice(run):
    ran = run("lab", "advise", "--need", "metric", "--need", "different n", "--need", "additive")
    assert ran.code == 0, ran.err
    keys = [line.split()[0] for line in ran.out.partition("\n\n")[0].splitlines()]
    assert "variation_of_information" in keys
    assert "mirkin" not in keys


def test_advice_where_no_measure_has_all(run):
    asked = ["--need", "metric", "--need", "chance-adjusted", "--need", "different k"]
    ran = run("lab", "advise", *asked)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("No measure has all of that; these lack least.")
    assert "adjusted_rand\ntriangle  fails for" in ran.out
    data = json.loads(run("lab", "advise", *asked, "-f", "json").out)
    assert data["measures"] == []
    assert list(data["nearest"]["variation_of_information"]) == ["constant_baseline"]
    markdown = run("lab", "advise", *asked, "-f", "markdown").out
    assert "### adjusted_rand" in markdown
    assert "| triangle | fails for" in markdown


def test_advice_among_measures_of_ones_own(run, module):
    ran = run("lab", "advise", "-n", "metric", "-m", f"{module}:apart,rand", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [row["measure"] for row in rows] == ["apart", "rand"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["advise"], "--need"),
        (["advise", "--need", "magic"], "no need is called 'magic'; needs are metric, "),
        (["advise", "--need", "metrik"], "did you mean 'metric'?"),
        (["axioms", "-m", "rnad"], "there is no measure 'rnad'; did you mean rand"),
        (["axioms", "-p", "triangel"], "did you mean triangle?"),
        (["axioms", "-m", "silhouette"], "silhouette reads features"),
        (["axioms", "-m", "no_such_module:f"], "'no_such_module:f' cannot be loaded"),
        (["axioms", "--jobs", "0", "-m", "rand"], "--jobs must"),
    ],
)
def test_what_is_wrong_is_refused_in_one_line(refused, arguments, said):
    assert said in refused("lab", *arguments)


def test_the_card_of_a_measure_shows_what_the_matrix_says(run):
    card = " ".join(run("measures", "vi").out.split())
    assert "has names of labels do not matter; identity of indiscernibles; symmetry;" in card
    assert "lacks quadratic additivity (A3.M);" in card
    assert "constant baseline under chance;" in card
    data = json.loads(run("measures", "ari", "-f", "json").out)
    assert data["tested"]["locality"] == "fails"
    assert data["tested"]["constant_baseline"] == "holds"
    assert json.loads(run("measures", "silhouette", "-f", "json").out)["tested"] == {}
