"""Rows of one table in groups: the batches of a table, or the runs of a long one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.labels import Codes, consecutive, show_label

# Groups that are looked at one by one.
MOST = 10_000
Rows = NDArray[np.int64]


def row_groups(codes: Codes, by: str, where: str) -> dict[str, Rows]:
    """Return the rows of each group by its name, in the order of the numbers in the names.

    `codes` are the values of the column `by` of the table `where`.
    """
    shown = show_label(by)
    if codes.missing is not None and codes.missing.any():
        rows = int(codes.missing.sum())
        told = f"{rows:,} rows" if rows > 1 else "1 row"
        raise FileError(f"column {shown!r} of {where} has no value in {told}.")
    numbers, firsts = consecutive(codes)
    names = [show_label(name) for name in codes.restore(firsts)]
    if len(names) > MOST:
        raise FileError(
            f"column {shown!r} of {where} has {len(names):,} values; groups may be {MOST:,} at "
            "most."
        )
    if len(set(names)) < len(names):
        raise FileError(f"two values of column {shown!r} of {where} read alike.")
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers))
    held = dict(zip(names, np.split(order, ends[:-1]), strict=True))
    return {name: held[name] for name in sorted(names, key=_natural)}


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return what sorts the numbers within names by their size: 2 before 10."""
    parts = [part for part in re.split(r"(\d+)", name) if part]
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts]


def rows_of_objects(
    ids: Codes, groups: Mapping[str, Rows], id: str, where: str
) -> tuple[list[Any], dict[str, Rows]]:
    """Return the objects of the table, and for each group the row of each; -1 where it has none.

    `ids` are the values of the column `id` of the table `where`.
    """
    if ids.missing is not None and ids.missing.any():
        row = int(np.flatnonzero(ids.missing)[0]) + 1
        raise FileError(f"column {show_label(id)!r} of {where} has no value in row {row:,}.")
    objects, firsts = consecutive(ids)
    found = {}
    for name, kept in groups.items():
        rows = np.full(len(firsts), -1)
        rows[objects[kept]] = kept
        if np.count_nonzero(rows >= 0) < len(kept):
            twice = np.bincount(objects[kept]).argmax()
            said = f"{where} has {show_label(ids.restore(firsts[[twice]])[0])!r} twice in column "
            inside = f" where the group is {show_label(name)!r}" if name else ""
            raise FileError(f"{said}{show_label(id)!r}{inside}.")
        found[name] = rows
    return list(ids.restore(firsts)), found


def in_rows(codes: Codes, rows: Rows) -> Codes:
    """Return the labels of some rows; that of row -1 is missing."""
    absent = rows < 0
    kept = codes.keep(rows)
    if not absent.any():
        return kept
    return replace(kept, missing=absent if kept.missing is None else kept.missing | absent)
