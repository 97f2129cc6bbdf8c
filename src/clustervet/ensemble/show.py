"""Summaries as text, rich tables, HTML, Markdown and columns; nothing is computed here."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from clustervet.ensemble.stability import positive_interval
from clustervet.labels import show_label
from clustervet.scorecard.render import number, safe_cell

if TYPE_CHECKING:
    from clustervet.ensemble.summary import Summary

# Labelings whose distances are shown as a matrix; more are left to JSON and CSV.
MATRIX = 7
# Letters of a name that are shown.
WIDTH = 24
HEADS = ("labeling", "clusters", "group", "mean distance", "total", "to consensus", "x", "y")


def caption(summary: Summary) -> str:
    """What was compared."""
    record = summary.distances.measure
    unit = f", in {record.unit}" if record.unit else ""
    return (
        f"{len(summary.names):,} labelings of {_objects(summary)} objects by "
        f"{record.title.lower()} ({record.key}){unit}"
    )


def _objects(summary: Summary) -> str:
    counts = summary.distances.counts
    least, most = int(counts.min()), int(counts.max())
    return f"{most:,}" if least == most else f"{summary.objects:,} ({least:,} to {most:,} shared)"


def rows(summary: Summary) -> list[list[str]]:
    """A line a labeling: its clusters, its group, how near it is, and where on the map."""
    distance, total = summary.distances.measure.unit, summary.consensus.measure.unit
    points = summary.embedding.points
    grid = []
    for k, name in enumerate(summary.names):
        grid.append(
            [
                show_label(name, WIDTH),
                f"{summary.clusters[k]:,}",
                str(summary.groups.labels[k] + 1),
                number(float(summary.mean_distances[k]), distance),
                number(float(summary.consensus.objectives[k]), total),
                number(float(summary.consensus.distances[k]), total),
                *(f"{x:.3f}" for x in points[k, :2]),
            ]
        )
    return grid


def matrix(summary: Summary) -> list[list[str]]:
    """The distances with their names, if they are few."""
    if len(summary.names) > MATRIX:
        return []
    names = [show_label(name, WIDTH) for name in summary.names]
    unit = summary.distances.measure.unit
    lines = [
        [name, *(number(float(value), unit) for value in line)]
        for name, line in zip(names, summary.distances.matrix, strict=True)
    ]
    return [["distance", *names], *lines]


def findings(summary: Summary) -> list[str]:
    """Centre, spread, groups, map and consensus, a line each."""
    unit = summary.distances.measure.unit
    said = f" {unit}" if unit else ""
    medoid, groups = summary.medoid, summary.groups
    lines = [
        f"Medoid: {show_label(medoid.name, WIDTH)}, on average "
        f"{number(medoid.mean_distance, unit)}{said} from the others.",
        f"Mean distance of two labelings: {number(float(summary.spread), unit)}{said}"
        f"{_interval(summary)}.",
    ]
    if groups.k > 1:
        centres = ", ".join(
            f"{show_label(groups.names[i], WIDTH)} ({size:,})"
            for i, size in zip(groups.medoids, groups.sizes, strict=True)
        )
        lines.append(
            f"{groups.k} groups (labelings) around {centres}; mean silhouette "
            f"{groups.silhouette:.2f}."
        )
    lines.append(f"The map in two dimensions has stress {summary.embedding.stress:.3f}.")
    if len(summary.names) > MATRIX:
        lines.append("All distances are in the JSON and CSV of this answer.")
    return [*lines, *consensus_lines(summary)]


def _interval(summary: Summary) -> str:
    from clustervet.ensemble.summary import CONFIDENCE

    low, high = positive_interval(summary.spread, CONFIDENCE)
    if not math.isfinite(low):
        return ""
    unit = summary.distances.measure.unit
    ends = f"{number(low, unit)}, {number(high, unit)}"
    return f" [{ends}] at {CONFIDENCE:g} confidence"


def consensus_lines(summary: Summary) -> list[str]:
    """What was found, beside the best labeling and beside one cluster."""
    found = summary.consensus
    unit = found.measure.unit
    best = float(found.objectives.min())
    many = f"{found.partition.k:,} cluster{'s' if found.partition.k > 1 else ''}"
    lines = [
        f"Consensus by {found.measure.key}: {many}, total {number(found.objective, unit)}; best "
        f"labeling: {show_label(found.best_input, WIDTH)}, {number(best, unit)}; one cluster: "
        f"{number(found.one_cluster, unit)}."
    ]
    if found.collapsed:
        lines.append(
            "The labelings agree so little that one cluster is nearer to them than any other "
            "partition found: take the consensus with care."
        )
    return lines


def text(summary: Summary) -> str:
    """Aligned plain text."""
    parts = [caption(summary), *_aligned([list(HEADS), *rows(summary)])]
    grid = matrix(summary)
    return "\n".join([*parts, *_aligned(grid), *findings(summary)])


def _aligned(grid: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = []
    for line in grid:
        cells = [item.rjust(width) for item, width in zip(line, widths, strict=True)]
        cells[0] = line[0].ljust(widths[0])
        lines.append("  ".join(cells).rstrip())
    return lines


def markdown(summary: Summary) -> str:
    """Markdown tables, then the findings as a list."""
    lines = [safe_cell(caption(summary)), ""]
    for grid in ([list(HEADS), *rows(summary)], matrix(summary)):
        if grid:
            cells = [[safe_cell(item) for item in line] for line in grid]
            rule = ["---", *(["---:"] * (len(grid[0]) - 1))]
            lines += ["| " + " | ".join(line) + " |" for line in [cells[0], rule, *cells[1:]]]
            lines.append("")
    return "\n".join([*lines, *(f"- {safe_cell(line)}" for line in findings(summary))])


def rich_table(summary: Summary) -> Any:
    """For a terminal: medoids of groups in bold, the medoid of all in green."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for k, head in enumerate(HEADS):
        table.add_column(head, justify="right" if k else "left", overflow="fold")
    for k, line in enumerate(rows(summary)):
        style = "bold" if k in summary.groups.medoids else ""
        style = "bold green" if k == summary.medoid.index else style
        table.add_row(*(Text(item, style=style if i == 0 else "") for i, item in enumerate(line)))
    parts: list[Any] = [Text(caption(summary), style="bold"), table]
    grid = matrix(summary)
    if grid:
        square = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for k, head in enumerate(grid[0]):
            square.add_column(
                Text(head), justify="right" if k else "left", min_width=6, overflow="fold"
            )
        for line in grid[1:]:
            square.add_row(*map(Text, line))
        parts.append(square)
    return Group(*parts, *(Text(line) for line in findings(summary)))


def html(summary: Summary) -> str:
    """For a notebook; all text is escaped."""
    parts = []
    for grid in ([list(HEADS), *rows(summary)], matrix(summary)):
        if grid:
            head = "".join(f"<th>{escape(item)}</th>" for item in grid[0])
            body = "".join(
                f"<tr><th>{escape(line[0])}</th>"
                + "".join(f"<td>{escape(item)}</td>" for item in line[1:])
                + "</tr>"
                for line in grid[1:]
            )
            parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    said = "".join(f"<li>{escape(line)}</li>" for line in findings(summary))
    return f"<p>{escape(caption(summary))}</p>{''.join(parts)}<ul>{said}</ul>"


def columns(summary: Summary) -> dict[str, list[Any]]:
    """A row a labeling, as columns: what is known of it, then its distances to all."""
    points = summary.embedding.points
    table: dict[str, list[Any]] = {
        "labeling": list(summary.names),
        "clusters": summary.clusters.tolist(),
        "group": (summary.groups.labels + 1).tolist(),
        "mean_distance": summary.mean_distances.tolist(),
        "total": summary.consensus.objectives.tolist(),
        "to_consensus": summary.consensus.distances.tolist(),
        "x": points[:, 0].tolist(),
        "y": points[:, 1].tolist(),
    }
    for k, name in enumerate(summary.names):
        table[f"distance to {name}"] = summary.distances.matrix[:, k].tolist()
    return table
