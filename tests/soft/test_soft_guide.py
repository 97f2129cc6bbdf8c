"""The values that the guide's page on degrees writes behind its calls."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from sklearn.datasets import load_wine
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import clustervet as cv

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "soft.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
CLAIM = re.compile(r"^(\S.*?)  # (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """The names that the first page of the guide leaves, as far as this one needs them."""
    wine = load_wine()
    mixture = GaussianMixture(3, covariance_type="diag", n_init=5, random_state=0)
    found: dict[str, Any] = {"cv": cv, "GaussianMixture": GaussianMixture, "mixture": mixture}
    found["X"] = StandardScaler().fit_transform(wine.data).round(4)
    found["labels"] = {"cultivar": wine.target_names[wine.target]}
    for block in BLOCKS:
        if "plots." not in block:
            exec(compile(block, PAGE.name, "exec"), found)
    return found


@pytest.mark.parametrize(
    ("call", "value"), [claim for block in BLOCKS for claim in CLAIM.findall(block)]
)
def test_a_call_has_the_value_behind_it(names: dict[str, Any], call: str, value: str) -> None:
    assert repr(eval(call, names)) == value
