"""Sections about single results: what `tune`, `select`, `compare` and the laboratory return."""

from __future__ import annotations

import importlib
from typing import Any

from clustervet.ensemble import Distances, Summary
from clustervet.ensemble import show as ensembles
from clustervet.pacmdl import Bound
from clustervet.report.cells import (
    grid_table,
    link_of,
    name_cell,
    name_text,
    number_cell,
    plain_table,
    share_cell,
    text_cell,
)
from clustervet.report.pictures import draw, picture
from clustervet.report.record import Block, Cell, Column, Picture, Row, Section, Table
from clustervet.selection import Selection, Tuning
from clustervet.selection import display as selections
from clustervet.selection import show as tunings

# Labelings up to which the matrix of distances is a table too.
MATRIX = 12


def tuning_section(key: str, title: str, tuning: Tuning) -> Section:
    """Curves over a parameter, and what each measure chooses."""
    table = plain_table(f"{key}-values", "Every value", tunings.columns(tuning))
    return Section(
        key,
        title,
        tuple(tunings.summary(tuning)),
        (draw(f"{key}-curves", "elbow_plot", tuning, table=table.key), table),
        notes=tuple(tunings.notes(tuning)),
    )


def tuning_words(tuning: Tuning) -> list[str]:
    """What the measures choose, and the suggestion."""
    return tunings.summary(tuning)[:2]


def selection_section(key: str, title: str, selection: Selection) -> Section:
    """The choice with its bound, and every candidate."""
    best = Table(
        f"{key}-best",
        "The best of each algorithm",
        (
            Column("algorithm", "text"),
            Column("clusters"),
            Column("run"),
            Column("wrong among labelled"),
            Column("description, bits"),
            Column("bound", scale=(0, 1), hint="Share of unlabelled points that may be wrong"),
            Column("true error rate", scale=(0, 1), hint="Where the truth is known"),
        ),
        tuple(
            Row(
                (
                    name_cell("algorithm", one.algorithm),
                    number_cell(one.clusters),
                    number_cell(one.run),
                    number_cell(one.train_errors),
                    number_cell(one.bits),
                    Cell("–") if one.rate is None else share_cell(one.rate),
                    Cell("–") if one.test_rate is None else share_cell(one.test_rate),
                ),
                link_of("algorithm", one.algorithm),
            )
            for one in selection.by_algorithm.values()
        ),
    )
    every = plain_table(f"{key}-all", "Every candidate", selections.columns(selection))
    return Section(
        key,
        title,
        (selection.verdict, f"Chosen from {selections.caption(selection)}."),
        (draw(f"{key}-bounds", "bound_plot", selection, table=every.key), best, every),
        notes=tuple(selections.notes(selection)),
    )


def bound_section(key: str, title: str, bound: Bound) -> Section:
    """A bound, and the label that each cluster predicts."""
    numbers = bound.to_dict()
    facts = Table(
        f"{key}-numbers",
        "The bound in numbers",
        (Column("what", "text"), Column("value")),
        tuple(
            Row((text_cell(name.replace("_", " ")), number_cell(value)))
            for name, value in numbers.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        ),
    )
    clusters = plain_table(
        f"{key}-labels",
        "The label that each cluster predicts",
        {
            "cluster": [item["cluster"] for item in numbers["assignment"]],
            "label": [item["label"] for item in numbers["assignment"]],
        },
    )
    condition = "This holds if the labelled objects are a random sample of all."
    return Section(key, title, (bound.verdict, condition), (facts, clusters))


def summary_section(
    key: str, title: str, summary: Summary, marked: tuple[str, ...] = ()
) -> Section:
    """Many clusterings as points of a space: map, tree, distances and consensus."""
    unit = summary.distances.measure.unit
    heads = (
        Column("labeling", "text"),
        Column("clusters"),
        Column("group"),
        Column(f"mean distance{f', {unit}' if unit else ''}"),
        Column("to the consensus"),
    )
    rows = tuple(
        Row(
            (
                name_cell("pred", name),
                number_cell(int(summary.clusters[k])),
                number_cell(int(summary.groups.labels[k]) + 1),
                number_cell(float(summary.mean_distances[k]), unit),
                number_cell(float(summary.consensus.distances[k]), unit),
            ),
            link_of("pred", name),
        )
        for k, name in enumerate(summary.names)
    )
    table = Table(f"{key}-labelings", "The labelings", heads, rows)
    blocks: list[Block] = [
        draw(
            f"{key}-map",
            "map_plot",
            summary.embedding,
            groups=summary.groups,
            marked=marked,
            table=table.key,
        )
    ]
    if len(summary.names) > 2:
        blocks.append(draw(f"{key}-tree", "dendrogram", summary.hierarchy, table=table.key))
    blocks += [table, *_distance_blocks(key, summary.distances, summary.hierarchy)]
    lines = [line for line in ensembles.findings(summary) if "JSON and CSV" not in line]
    return Section(key, title, (f"{ensembles.caption(summary)}.", *lines), tuple(blocks))


def _distance_blocks(key: str, distances: Distances, tree: Any = None) -> list[Block]:
    """The matrix as a figure, and as a table where it is small."""
    small = len(distances) <= MATRIX
    held = f"{key}-matrix" if small else ""
    blocks: list[Block] = [
        draw(f"{key}-distances", "distance_heatmap", distances, hierarchy=tree, table=held)
    ]
    if small:
        unit = distances.measure.unit
        heads = (Column("", "text"), *(Column(name_text(name, 24)) for name in distances.names))
        rows = tuple(
            Row(
                (
                    name_cell("pred", name),
                    *(number_cell(float(value), unit) for value in distances.matrix[k]),
                ),
                link_of("pred", name),
            )
            for k, name in enumerate(distances.names)
        )
        blocks.append(Table(held, f"{distances.measure.title} of each pair", heads, rows))
    return blocks


def distances_section(key: str, title: str, distances: Distances) -> Section:
    """The matrix of distances alone."""
    said = f"{distances.measure.title} of {len(distances):,} labelings."
    return Section(key, title, (said,), tuple(_distance_blocks(key, distances)))


def is_plain(result: Any) -> bool:
    """Whether a result gives titled tables, a grid, or columns."""
    return any(callable(getattr(result, name, None)) for name in ("sections", "grid", "columns"))


def plain_section(key: str, title: str, result: Any) -> Section:
    """Any result that gives titled tables, a grid, or columns, with its figures where known."""
    verdict = getattr(result, "verdict", None)
    said = (verdict,) if isinstance(verdict, str) else ()
    remarks = getattr(result, "notes", None)
    notes = tuple(map(str, remarks())) if callable(remarks) else ()
    if callable(getattr(result, "sections", None)):
        tables = [
            grid_table(f"{key}-{k}", name, grid) for k, (name, grid) in enumerate(result.sections())
        ]
    elif callable(getattr(result, "grid", None)):
        tables = [grid_table(f"{key}-grid", title, result.grid())]
    else:
        tables = [plain_table(f"{key}-columns", title, result.columns())]
    pictures = _plain_pictures(key, result, tables[0].key)
    return Section(key, title, said, (*pictures, *tables), notes=notes)


def _plain_pictures(key: str, result: Any, table: str) -> list[Picture]:
    """The figures of the laboratory's studies."""
    if hasattr(result, "sweeps") and hasattr(result, "scatters"):
        made = importlib.import_module("clustervet.plots").dom_figures(result)
        return [picture(f"{key}-figure{k}", one, {}) for k, one in enumerate(made.values())]
    if hasattr(result, "having"):
        return [draw(f"{key}-matrix", "property_matrix_plot", result, table=table)]
    return []
