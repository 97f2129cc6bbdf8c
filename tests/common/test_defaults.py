"""What a function does where nothing is said is what its documentation says."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).parent / "defaults.json"


def _documented() -> dict[str, Any]:
    """Every public function, class and method, as the check of the docstrings finds them."""
    spec = importlib.util.spec_from_file_location(
        "check_docstrings", ROOT / "docs" / "check_docstrings.py"
    )
    assert spec is not None
    assert spec.loader is not None
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    found: dict[str, Any] = {}
    for item in check.public_objects():
        found[item.__qualname__] = item
        for owner in inspect.getmro(item) if inspect.isclass(item) else ():
            if not owner.__module__.startswith("clustervet"):
                continue
            for name, member in vars(owner).items():
                plain = getattr(member, "__func__", member)
                if inspect.isfunction(plain) and not name.startswith("_"):
                    found[f"{owner.__qualname__}.{name}"] = plain
    return found


def _told(item: Any) -> dict[str, str]:
    """The parameters of a docstring with what it says about them."""
    sections = NumpyDocString(inspect.getdoc(item) or "")
    lines = [*sections["Parameters"], *sections["Attributes"]]
    return {name.strip(): line.type for line in lines for name in line.name.split(",")}


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


DOCUMENTED = _documented()


def _defaults(item: Any) -> dict[str, str]:
    """The defaults of a function, as Python writes them."""
    try:
        parameters = inspect.signature(item).parameters.values()
    except ValueError:  # a class of numbers has no signature
        return {}
    return {
        p.name: re.sub(r" at 0x\w+", "", repr(p.default))
        for p in parameters
        if p.default is not inspect.Parameter.empty
    }


@pytest.mark.parametrize("name", [name for name, item in DOCUMENTED.items() if _told(item)])
def test_a_default_that_is_told_is_the_one_that_is_taken(name: str) -> None:
    told = _told(DOCUMENTED[name])
    for parameter in inspect.signature(DOCUMENTED[name]).parameters.values():
        said = re.search(r"default:? (.+)$", told.get(parameter.name, ""))
        if said is not None:
            assert _value(said[1].strip("`")) == parameter.default, f"{name}: {parameter.name}"


def test_no_default_changes_unnoticed() -> None:
    """Users rely on them; `CLUSTERVET_RECORD=1 pytest tests/common/test_defaults.py` records."""
    now = {name: _defaults(item) for name, item in sorted(DOCUMENTED.items())}
    now = {name: found for name, found in now.items() if found}
    assert len(now) > 100
    if os.environ.get("CLUSTERVET_RECORD"):
        RECORDED.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
    before = json.loads(RECORDED.read_text(encoding="utf-8"))
    assert now.keys() == before.keys()
    for name, found in now.items():
        assert found == before[name], name
