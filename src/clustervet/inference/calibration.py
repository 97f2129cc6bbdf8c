"""How often intervals were right in a study, for tables like the one at hand."""

from __future__ import annotations

import json
from bisect import bisect_right
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

# Coverage of 95% intervals below which an interval is called a rough guide.
LEAST = 0.90
# Lower ends of the groups of tables, by objects and by objects per non-empty cell.
OBJECTS = (20, 40, 80, 150, 500, 2_000)
PER_CELL = (1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0)


class Coverage(NamedTuple):
    """How often 95% intervals held the population's value, over the populations of the study.

    Parameters
    ----------
    mean, least : float
        The mean share over populations, and that of the worst one.
    populations : int
        How many populations gave such tables.

    Examples
    --------
    >>> Coverage(0.95, 0.93, 4).mean
    0.95
    """

    mean: float
    least: float
    populations: int


def group_of(n: int, cells: int) -> str | None:
    """The name of the group of tables with so many objects and non-empty cells."""
    size, per_cell = bisect_right(OBJECTS, n), bisect_right(PER_CELL, n / max(1, cells))
    return f"{size}/{per_cell}" if size and per_cell else None


@cache
def _study() -> dict[str, dict[str, list[Any]]]:
    """The coverage of each measure by groups of tables; studies/interval_coverage.py writes it."""
    text = files(__package__).joinpath("calibration.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[Any]]] = json.loads(text)
    return found


def coverage_of(measure: str, n: int, cells: int) -> Coverage | None:
    """How often intervals of a measure were right in tables of this kind; None if none was tried.

    >>> coverage_of("no_such_measure", 100, 4) is None
    True
    """
    held = _study().get(measure, {}).get(group_of(n, cells) or "")
    return None if held is None else Coverage(*held)
