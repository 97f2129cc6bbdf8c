"""Selections as text, rich tables, HTML, Markdown, CSV and columns; nothing is computed here."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from clustervet.labels import show_label
from clustervet.scorecard.render import csv_columns, safe_cell

if TYPE_CHECKING:
    from clustervet.selection.candidates import Candidate, Study
    from clustervet.selection.selection import Selection

COLUMNS = (
    *("algorithm", "clusters", "run", "seed", "found", "train_errors", "bits"),
    *("max_errors", "rate", "test_errors", "test_rate", "error"),
)
HEADS = ("algorithm", "clusters", "run", "train errors", "bits", "bound", "test errors")
# Failed fits that are told apart in words.
TOLD = 3


def verdict(selection: Selection) -> str:
    """What was chosen and what is known about it."""
    study, best = selection.study, selection.best
    run = f" (run {best.run})" if study.runs > 1 else ""
    return (
        f"With probability at least {1 - study.delta:.10g}, {show_label(best.algorithm)} with "
        f"{best.clusters} {'cluster' if best.clusters == 1 else 'clusters'}{run} predicts at most "
        f"{best.max_errors:,} of {study.test_size:,} unlabelled points wrongly ({best.rate:.2%})."
    )


def caption(selection: Selection) -> str:
    """What it was chosen from."""
    study = selection.study
    span = study.clusters
    steps = f"{span[0]} {_plural('cluster', span[0])}"
    if len(span) > 1:
        whole = len(span) == span[-1] - span[0] + 1
        every = "" if whole else f"{len(span)} numbers from "
        steps = f"{every}{span[0]} to {span[-1]} clusters"
    return (
        f"{len(study.algorithms)} {_plural('algorithm', len(study.algorithms))}, {steps}, "
        f"{study.runs} {_plural('run', study.runs)}; {study.train_size:,} of {study.points:,} "
        f"points labelled, {study.labels} labels; language {study.language.key}, delta "
        f"{study.delta:g}{_inputs(study)}"
    )


def _inputs(study: Study) -> str:
    """What became of the features, where anything did."""
    if study.weighting == "none":
        return ""
    read = "tf-idf" if study.weighting == "tfidf" else study.weighting
    return (
        f"; {read} smoothed by {study.neighbours} neighbours" if study.neighbours else f"; {read}"
    )


def _plural(word: str, number: int) -> str:
    return word if number == 1 else f"{word}s"


def _grid(selection: Selection) -> list[list[str]]:
    """The best of each algorithm."""
    return [list(HEADS), *(_line(candidate) for candidate in selection.by_algorithm.values())]


def _line(candidate: Candidate) -> list[str]:
    known = candidate.test_errors is not None
    bits = math.inf if candidate.bits is None else candidate.bits
    return [
        show_label(candidate.algorithm),
        str(candidate.clusters),
        str(candidate.run),
        f"{candidate.train_errors:,}",
        f"{bits:.2f}",
        f"{candidate.max_errors:,} ({candidate.rate:.2%})",
        f"{candidate.test_errors:,} ({candidate.test_rate:.2%})" if known else "unknown",
    ]


def notes(selection: Selection) -> list[str]:
    """What stands beside the table: its language, the constant answer, the truth, failures."""
    bound, lines = selection.bound, []
    if len(selection.study.algorithms) > 1:
        lines.append("In the table, no bound pays for having chosen between the algorithms.")
    label, most = show_label(bound.constant.label), bound.constant.max_errors
    than = "" if bound.beats_constant else ", which is no worse"
    lines.append(
        f"Always answering {label!r} is wrong at most {most:,} times ({bound.constant.rate:.2%})"
        f"{than}."
    )
    if bound.test_errors is not None:
        lines.append(
            f"In truth {bound.test_errors:,} of {bound.test_known:,} predictions are wrong "
            f"({bound.test_rate:.2%})."
        )
    lines += selection.study.remarks
    failed = selection.failed
    lines += [
        f"Failed: {show_label(candidate.algorithm)}, {candidate.clusters} clusters, run "
        f"{candidate.run}: {show_label(candidate.error, 200)}"
        for candidate in failed[:TOLD]
    ]
    if len(failed) > TOLD:
        lines.append(f"Failed: {len(failed) - TOLD:,} more of {len(selection.table):,} fits")
    return lines


def text(selection: Selection) -> str:
    """Aligned plain text."""
    grid = _grid(selection)
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = []
    for line in grid:
        cells = [
            item.rjust(width) if k else item.ljust(width)
            for k, (item, width) in enumerate(zip(line, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join([selection.verdict, caption(selection), *lines, *notes(selection)])


def rich_table(selection: Selection) -> Any:
    """For a terminal: the chosen algorithm in green."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for k, head in enumerate(HEADS):
        table.add_column(head, justify="right" if k else "left", overflow="fold")
    for name, candidate in selection.by_algorithm.items():
        style = "bold green" if name == selection.best.algorithm else ""
        table.add_row(*(Text(item, style=style) for item in _line(candidate)))
    return Group(
        Text(selection.verdict, style="bold"),
        Text(caption(selection)),
        table,
        *(Text(line, style="dim") for line in notes(selection)),
    )


def html(selection: Selection) -> str:
    """For a notebook; all text is escaped."""
    head, *body = _grid(selection)
    heads = "".join(f"<th>{escape(item)}</th>" for item in head)
    rows = "".join(
        f"<tr><th>{escape(line[0])}</th>"
        + "".join(f"<td>{escape(item)}</td>" for item in line[1:])
        + "</tr>"
        for line in body
    )
    said = "".join(f"<li>{escape(line)}</li>" for line in notes(selection))
    return (
        f"<p><b>{escape(selection.verdict)}</b></p>"
        f"<table><caption>{escape(caption(selection))}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{rows}</tbody></table><ul>{said}</ul>"
    )


def markdown(selection: Selection) -> str:
    """A Markdown table between its verdict and its notes."""
    grid = [[safe_cell(item) for item in line] for line in _grid(selection)]
    rule = ["---", *(["---:"] * (len(HEADS) - 1))]
    lines = ["| " + " | ".join(line) + " |" for line in [grid[0], rule, *grid[1:]]]
    said = [f"- {safe_cell(line)}" for line in notes(selection)]
    return "\n".join(
        [safe_cell(selection.verdict) + "  ", safe_cell(caption(selection)), "", *lines, "", *said]
    )


def columns(selection: Selection) -> dict[str, list[Any]]:
    """A row a candidate, as columns."""
    rows = [candidate.to_dict() for candidate in selection.table]
    return {name: [row[name] for row in rows] for name in COLUMNS}


def csv_text(selection: Selection) -> str:
    """Every candidate as CSV."""
    return csv_columns(columns(selection))
