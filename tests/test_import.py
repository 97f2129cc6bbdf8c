from __future__ import annotations

import ast
import json
import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import clustervet

# Libraries that a user who only imports, or scores a few labels, should not wait for.
HEAVY = [
    *("scipy", "numba", "pandas", "polars", "pyarrow", "sklearn", "duckdb"),
    *("typer", "rich", "plotly", "narwhals", "jinja2", "click", "llvmlite"),
]


def loaded_by(code):
    """The heavy libraries that a fresh interpreter has loaded after some code."""
    report = f"import sys, json; print(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{code}\n{report}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    return json.loads(ran.stdout.splitlines()[-1])


def test_importing_loads_nothing_heavy():
    assert loaded_by("import clustervet") == []


def test_scoring_a_few_labels_loads_nothing_heavy():
    code = """
import clustervet as cv
truth, pred = ["a", "a", "b", "c"] * 50, [0, 1, 1, 2] * 50
card = cv.external_scores(truth, pred)
repr(card), card.to_json(), card._repr_html_()
table = cv.Contingency.from_labels(truth, pred, noise="singletons", missing="drop")
repr(table), table._repr_html_(), table.to_dict(), table + table, table.T, table.pairs
cv.Contingency.from_counts([[1, 2], [3, 10**30]]).n
"""
    assert loaded_by(code) == []


def test_the_command_line_loads_no_compiler_for_a_small_file():
    code = """
import contextlib, io, sys
from clustervet.cli import main
sys.argv = ["clustervet", "demo", "--format", "json"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main()
"""
    assert set(loaded_by(code)).isdisjoint(
        {"scipy", "numba", "pandas", "polars", "pyarrow", "sklearn", "duckdb", "plotly"}
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_an_engines_series_brings_no_other_engine(library):
    build = {
        "pandas": "import pandas; s = pandas.Series(['a', 'b'])",
        "polars": "import polars; s = polars.Series(['a', 'b'])",
        "pyarrow": "import pyarrow; s = pyarrow.array(['a', 'b'])",
    }[library]
    before = loaded_by(build)
    after = loaded_by(f"{build}\nimport clustervet; clustervet.rand(s, [0, 1])")
    assert set(after) == set(before)


def test_every_public_name_exists():
    for name in clustervet.__all__:
        assert getattr(clustervet, name) is not None
    assert len(set(clustervet.__all__)) == len(clustervet.__all__)


def test_every_measure_of_the_registry_is_a_public_function():
    for key in clustervet.measures:
        assert key in clustervet.__all__
        assert getattr(clustervet, key).record is clustervet.measures[key]


def test_no_public_function_shares_its_name_with_a_room():
    rooms = {module.name for module in pkgutil.iter_modules(clustervet.__path__)}
    assert rooms.isdisjoint({*clustervet.__all__} - {*clustervet.ROOMS})


def test_the_package_says_its_version_and_is_typed():
    assert clustervet.__version__.count(".") == 2
    package = clustervet.__path__[0]
    assert (pkgutil.importlib.util.find_spec("clustervet").origin).startswith(package)


def test_the_public_names_are_all_that_is_listed():
    assert dir(clustervet) == sorted(clustervet.__all__)
    assert {"examine", "write_report", "PacMdlSearch", "plots", "__version__"} <= set(
        dir(clustervet)
    )
    assert {*clustervet.LAZY, *clustervet.ROOMS} <= set(dir(clustervet))


def test_completion_finds_what_is_not_loaded_yet():
    code = """
import rlcompleter, clustervet as cv
finder = rlcompleter.Completer({"cv": cv})
found = set()
while (text := finder.complete("cv.", len(found))) is not None:
    found.add(text)
assert {name.removeprefix("cv.").rstrip("()") for name in found} == {*cv.__all__} - {"__version__"}
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


def test_type_checkers_see_the_names_that_are_loaded_late():
    tree = ast.parse(Path(clustervet.__file__).read_text(encoding="utf-8"))
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    (block,) = (node for node in blocks if isinstance(node.test, ast.Name))
    seen = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom)
        seen |= {alias.name: node.module for alias in node.names}
    assert set(seen) == {*clustervet.LAZY, *clustervet.ROOMS}
    for name in clustervet.LAZY:
        assert getattr(import_module(seen[name]), name) is getattr(clustervet, name)


def test_star_gives_the_public_names():
    code = (
        "from clustervet import *; import clustervet; assert {*clustervet.__all__} <= {*globals()}"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
