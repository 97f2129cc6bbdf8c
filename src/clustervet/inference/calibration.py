"""How often intervals were right in a study, for tables or points like those at hand."""

from __future__ import annotations

import json
from bisect import bisect_right
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Coverage of 95% intervals below which an interval is called a rough guide.
LEAST = 0.90
# Lower ends of the groups of tables: by objects, and by the share of objects that are alone in
# their cell. That share estimates what the sample has not seen of its population (Good 1953).
OBJECTS = (20, 40, 80, 150, 500, 2_000)
ALONE = (0.0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4)
# Lower ends of the groups of clusterings with features: by points, by the points of the smallest
# cluster, which leaving points out may empty, and by whether centroids can be told apart.
POINTS = (20, 40, 75, 200, 600)
SMALLEST = (1, 5)


class Coverage(NamedTuple):
    """How often 95% intervals held the population's value, over the populations of the study.

    Parameters
    ----------
    mean, least : float
        The mean share over populations, and that of the worst one.
    populations : int
        How many populations gave such tables or points.

    Examples
    --------
    >>> Coverage(0.95, 0.93, 4).mean
    0.95
    """

    mean: float
    least: float
    populations: int


def group_of(counts: NDArray[Any]) -> tuple[int, int]:
    """The group of a table with these counts: by objects, and by the share of them alone.

    >>> group_of(np.array([12, 7, 1]))
    (1, 4)
    """
    n = int(counts.sum())
    alone = np.count_nonzero(counts == 1) / max(1, n)
    return bisect_right(OBJECTS, n), bisect_right(ALONE, alone)


@cache
def _study(name: str = "calibration") -> dict[str, dict[str, list[Any]]]:
    """The coverage of each measure by groups of tables or of points.

    studies/interval_coverage.py and studies/internal_intervals.py write it.
    """
    text = files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, list[Any]]] = json.loads(text)
    return found


def coverage_of(measure: str, counts: NDArray[Any]) -> Coverage | None:
    """How often intervals of a measure were right in tables of this kind; None if none was tried.

    Where no table of the group was tried, those of the next group with more objects alone tell:
    they are no easier.

    >>> coverage_of("no_such_measure", np.array([30, 70])) is None
    True
    """
    size, alone = group_of(counts)
    groups = _study().get(measure, {})
    for more in range(alone, len(ALONE) + 1):
        if held := groups.get(f"{size}/{more}"):
            return Coverage(*held)
    return None


def inner_group_of(sizes: NDArray[Any], apart: bool) -> str:
    """The group of clusters of these sizes, whose centroids can be told apart or not.

    >>> inner_group_of(np.array([70, 26, 4]), True)
    '3/1/1'
    """
    points = bisect_right(POINTS, int(sizes.sum()))
    return f"{points}/{bisect_right(SMALLEST, int(sizes.min()))}/{int(apart)}"


def inner_coverage(measure: str, sizes: NDArray[Any], apart: bool) -> Coverage | None:
    """How often intervals of a measure were right for points of this kind; None if none was tried.

    >>> inner_coverage("no_such_measure", np.array([30, 70]), True) is None
    True
    """
    held = _study("inner_calibration").get(measure, {}).get(inner_group_of(sizes, apart))
    return Coverage(*held) if held else None


def pair_group_of(objects: int, smallest: int) -> str:
    """The group of two clusterings that are more than labels: by objects, and by the fewest of one.

    >>> pair_group_of(100, 3), pair_group_of(100, 40)
    ('3/1', '3/2')
    """
    return f"{bisect_right(POINTS, objects)}/{bisect_right(SMALLEST, smallest)}"


def pair_coverage(measure: str, objects: int, smallest: int) -> Coverage | None:
    """How often intervals of two clusterings that are more than labels were right in a study.

    studies/pair_intervals.py writes it, by the number of objects and by those of the smallest
    cluster, which leaving objects out may empty.

    >>> pair_coverage("no_such_measure", 100, 20) is None
    True
    """
    held = _study("pair_calibration").get(measure, {}).get(pair_group_of(objects, smallest))
    return Coverage(*held) if held else None
