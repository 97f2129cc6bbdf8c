"""Measures and estimators of the user's own, by module:name."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

MEASURE = (
    "import clustervet as cv\n"
    "@cv.measure(title='Mine', family='mine', better='lower', bounds=(0, 1))\n"
    "def mine(table):\n    return {value}\n"
)
ESTIMATOR = "from sklearn.cluster import KMeans\nclass Mine(KMeans):\n    pass\n"


@pytest.fixture
def command(tmp_path):
    """Run a command in a folder with a table and a file per installed package, which is no use."""
    for name in ("sklearn", "numpy", "typer", "json", "decimal", "duckdb", "numba", "scipy"):
        (tmp_path / f"{name}.py").write_text(
            f"raise SystemExit('{name}.py of the folder was run')\n"
        )
    (tmp_path / "t.csv").write_text(
        "x,y,c\n" + "".join(f"{k % 9},{k % 2},{k % 3}\n" for k in range(60))
    )

    def run(*words):
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONSAFEPATH"}
        return subprocess.run(
            [sys.executable, "-m", "clustervet", *words],
            cwd=tmp_path,
            env={**environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def test_installed_packages_are_not_hidden(command, tmp_path):
    (tmp_path / "own.py").write_text(ESTIMATOR)
    ask = ["tune", "t.csv", "--features", "x,c", "--k", "2..4", "-m", "silhouette"]
    for name in ("sklearn.cluster:KMeans", "own:Mine"):
        ran = command(*ask, "-e", name)
        assert ran.returncode == 0, ran.stderr
        assert "was run" not in ran.stderr


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"own.py": MEASURE}, "own:mine"),
        ({"own.py": "from beside import mine\n", "beside.py": MEASURE}, "own:mine"),
        (
            {"pack/__init__.py": "from pack.deep import mine\n", "pack/deep.py": MEASURE},
            "pack:mine",
        ),
        (
            {
                "pack/__init__.py": "",
                "pack/deep.py": "from .more import *\n",
                "pack/more.py": MEASURE,
            },
            "pack.deep:mine",
        ),
        ({"statistics.py": MEASURE}, "statistics:mine"),
        ({"xml/dom.py": MEASURE}, "xml.dom:mine"),
    ],
    ids=["file", "sibling", "package", "submodule", "name of a module", "name of a submodule"],
)
def test_code_of_the_current_folder_is_found(command, tmp_path, files, name):
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text.replace("{value}", "0.25"))
    ran = command(
        "score", "t.csv", "-t", "y", "-p", "c", "-m", "rand", "--measure", name, "-f", "json"
    )
    assert ran.returncode == 0, ran.stderr
    assert "0.25" in json.dumps(json.loads(ran.stdout))


def test_a_measure_of_your_own_is_in_a_report(command, tmp_path):
    (tmp_path / "own.py").write_text(MEASURE.replace("{value}", "0.25"))
    words = ("-t", "y", "-p", "c", "-m", "rand", "--measure", "own:mine", "-o", "page.md")
    ran = command("report", "t.csv", *words)
    assert ran.returncode == 0, ran.stderr
    assert "| mine | ↓ | 0.2500" in (tmp_path / "page.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def mine(:\n", "SyntaxError"),
        ("1 / 0\n", "ZeroDivisionError"),
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("other = 1\n", "module 'own' has no attribute 'mine'"),
    ],
)
def test_code_that_fails_is_refused_in_one_line(command, tmp_path, text, words):
    (tmp_path / "own.py").write_text(text)
    ran = command("score", "t.csv", "-t", "y", "-p", "c", "--measure", "own:mine")
    assert (ran.returncode, ran.stdout) == (2, "")
    (line,) = ran.stderr.splitlines()
    assert "'own:mine' cannot be loaded: " in line
    assert words in line
