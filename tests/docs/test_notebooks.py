"""The notebooks of the fields: every cell runs, and what it shows has a form for Jupyter."""

from __future__ import annotations

import ast
import json
import warnings
from pathlib import Path

import pytest

from clustervet.registry import FIELDS

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def test_every_field_has_one():
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(FIELDS)


@pytest.mark.parametrize("field", FIELDS)
def test_every_cell_runs(field, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    book = json.loads((FOLDER / f"{field}.ipynb").read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    cells = book["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert cells[0]["cell_type"] == "markdown"
    assert cells[0]["source"][0].startswith("# ")
    names: dict = {}
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            shown = run("".join(cell["source"]), names, cell["id"])
        if hasattr(shown, "document"):
            assert shown._repr_html_()


def run(source, names, where):
    """Run a cell; return the value of its last line, which Jupyter shows."""
    tree = ast.parse(source, where)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, where, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), where, "eval"), names)
