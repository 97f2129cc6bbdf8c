"""What chance would give, beside the values, as an answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clustervet.cli.plugins import load_measure
from clustervet.cli.request import Request
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError
from clustervet.inference import Chance
from clustervet.inference.chance import MOST_OBJECTS, chance_levels
from clustervet.inference.nulls import resolve_model
from clustervet.labels import show_label
from clustervet.registry import measures
from clustervet.scorecard.render import number, safe_cell

Levels = Mapping[str, Mapping[str, Chance]]

# Measures that are held against chance where none are named.
USUAL = ("rand", "purity", "normalized_mutual_information", "variation_of_information")
# P-values below it are told apart by nobody.
LEAST = 1e-99
HEADS = ("measure", "value", "by chance", "spread", "z", "p-value", "adjusted")
MEANING = {
    "sizes": "clusterings of the same sizes",
    "number": "clusterings into the same numbers of clusters",
    "all": "any clusterings",
    "number_one_sided": "predictions with the same number of clusters",
    "all_one_sided": "any predictions",
}


def check_chance(request: Request, truths: int) -> None:
    """Refuse what cannot be answered before anything is computed."""
    if request.chance is None:
        return
    resolve_model(request.chance)
    if truths > 1:
        raise ParameterError("--chance goes with one --truth.")


def levels(
    request: Request, tables: Iterable[tuple[str, Contingency]], chosen: Sequence[str] | None
) -> Levels:
    """Chance levels of each prediction, by measure, if asked for."""
    if request.chance is None:
        return {}
    if chosen is None and request.families is None:
        chosen = [*USUAL, *map(load_measure, request.own_measures)]
    wanted = measures.select(chosen, kind="external", family=request.families)
    found = {}
    for name, table in tables:
        samples = 1_000 if table.n <= MOST_OBJECTS else 0
        levels = chance_levels(
            wanted, table, model=request.chance, samples=samples, random_state=request.seed
        )
        found[name] = {level.measure: level for level in levels}
    return found


def lines(found: Levels) -> list[str]:
    """The levels as aligned text, a table a prediction."""
    told = []
    for name, levels in found.items():
        grid = [list(HEADS), *map(_row, levels.values())]
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        told += ["", _caption(name if len(found) > 1 else None, levels)]
        for row in grid:
            cells = [row[0].ljust(widths[0])]
            cells += [item.rjust(w) for item, w in zip(row[1:], widths[1:], strict=True)]
            told.append("  ".join(cells).rstrip())
    return told


def markdown(found: Levels) -> list[str]:
    """The levels as tables of Markdown."""
    told = []
    for name, levels in found.items():
        rows = [list(HEADS), ["---", *["---:"] * (len(HEADS) - 1)], *map(_row, levels.values())]
        told += ["", safe_cell(_caption(name if len(found) > 1 else None, levels)), ""]
        told += ["| " + " | ".join(row) + " |" for row in rows]
    return told


def columns(found: Levels, table: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The levels beside the rows of a table of scores."""
    if not found:
        return {}
    rows = zip(table["pred"], table["measure"], strict=True)
    only = next(iter(found.values())) if len(found) == 1 else {}
    levels = [found.get(pred, only).get(key) for pred, key in rows]
    fields = ("expected", "spread", "z", "p_value", "adjusted")
    return {
        name: [math.nan if level is None else getattr(level, name) for level in levels]
        for name in fields
    }


def as_data(found: Levels) -> dict[str, Any]:
    """The levels as plain data."""
    return {
        name: {key: level.to_dict() for key, level in levels.items()}
        for name, levels in found.items()
    }


def _caption(name: str | None, levels: Mapping[str, Chance]) -> str:
    first = next(iter(levels.values()))
    head = "" if name is None else f"{show_label(name, 40)}: "
    drawn = f"{first.samples:,} random tables of " if first.samples else ""
    return f"{head}beside {drawn}{MEANING[first.model]}"


def _row(level: Chance) -> list[str]:
    record = measures.select([level.measure])[0]
    return [
        level.measure,
        number(level.value, record.unit),
        _known(level.expected, record.unit),
        _known(level.spread, record.unit),
        _short(level.z, ".1f" if abs(level.z) < 1e4 else ".1e"),
        _p(level.p_value, level.samples),
        _short(level.adjusted, ".4f"),
    ]


def _p(value: float, samples: int) -> str:
    """A p-value; the least that so many samples can show is a bound."""
    if math.isnan(value):
        return "-"
    if value < LEAST:
        return f"< {LEAST:.0e}"
    least = samples and value * (samples + 1) <= 1 + 1e-9
    return f"≤ {value:.2g}" if least else f"{value:.2g}"


def _known(value: float, unit: str) -> str:
    return "-" if math.isnan(value) else number(value, unit)


def _short(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "-"
