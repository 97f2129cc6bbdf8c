"""The values in the guide's page on groups that overlap are those that its code gives."""

from __future__ import annotations

import re
from pathlib import Path

import clustervet as cv

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "overlapping.md"


def test_values_in_the_guide() -> None:
    names = {"cv": cv}
    checked = 0
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S):
        for line in block.splitlines():
            code, _, said = line.partition("  # ")
            if said:
                assert eval(code, names) == eval(said), line
                checked += 1
            elif code and "plots." not in code:
                exec(code, names)
    assert checked == 16
