"""Sections about one clustering, cluster by cluster: diagnosis and silhouettes."""

from __future__ import annotations

from typing import Any

from clustervet.contingency import Contingency
from clustervet.inference import Diagnosis
from clustervet.internal.silhouette import Silhouettes
from clustervet.report.cells import (
    link_of,
    name_cell,
    name_text,
    number_cell,
    share_cell,
    text_cell,
)
from clustervet.report.pictures import draw
from clustervet.report.record import Block, Cell, Column, Row, Section, Table


def clustering_section(
    key: str,
    title: str,
    *,
    scope: str,
    diagnosis: Diagnosis | None = None,
    table: Contingency | None = None,
    widths: Silhouettes | None = None,
    truth: str = "truth",
    pred: str = "clusters",
    folded: bool = False,
) -> Section:
    """Where one clustering goes wrong, and how its clusters keep apart."""
    blocks: list[Block] = []
    said: list[str] = []
    held = f"{key}-clusters"
    if diagnosis is not None:
        said.append(diagnosis.verdict)
    if table is not None:
        blocks.append(draw(f"{key}-table", "contingency_heatmap", table, scope=scope, table=held))
        blocks.append(
            draw(
                f"{key}-flows",
                "alluvial",
                table,
                names=[name_text(truth, 24), name_text(pred, 24)],
                scope=scope,
                table=held,
            )
        )
    if diagnosis is not None:
        blocks.append(draw(f"{key}-bars", "diagnosis_bars", diagnosis, scope=scope, table=held))
    if widths is not None:
        blocks.append(draw(f"{key}-widths", "silhouette_plot", widths, scope=scope, table=held))
    if diagnosis is not None or widths is not None:
        blocks.append(_clusters_table(held, diagnosis, widths, scope))
    if diagnosis is not None:
        blocks.append(_classes_table(f"{key}-classes", diagnosis, scope))
        if diagnosis.repairs:
            blocks.append(_repairs_table(f"{key}-repairs", diagnosis, scope))
    return Section(key, title, tuple(said), tuple(blocks), folded=folded)


def _clusters_table(
    key: str, diagnosis: Diagnosis | None, widths: Silhouettes | None, scope: str
) -> Table:
    """A row a cluster."""
    columns = [Column("cluster", "text"), Column("objects")]
    if diagnosis is not None:
        columns += [
            Column("main class", "text", "The class most of its objects are in"),
            Column("purity", hint="Share of the cluster in its main class", scale=(0, 1)),
            Column("recall", hint="Share of its main class in the cluster", scale=(0, 1)),
            Column("matched to", "text", "Its class in the best one-to-one matching"),
            Column("bits of VI", hint="Its exact share of the variation of information"),
            Column("bits of Q0", hint="Its exact share of Dom's Q0"),
        ]
    if widths is not None:
        columns.append(Column("silhouette", hint="Mean over its points", scale=(-1, 1)))
    shown = {} if widths is None else {_text(k): width for k, width in widths.clusters.items()}
    rows = []
    if diagnosis is None and widths is not None:
        for name, width in sorted(widths.clusters.items(), key=lambda item: item[1]):
            cells = [name_cell("cluster", name, scope), number_cell(widths.sizes[name])]
            rows.append(Row((*cells, number_cell(width)), link_of("cluster", name, scope)))
    for part in sorted(diagnosis.clusters if diagnosis else [], key=lambda part: -part.vi):
        cells = [
            name_cell("cluster", part.name, scope),
            number_cell(part.size),
            name_cell("class", part.majority, scope),
            share_cell(part.purity),
            share_cell(part.recall),
            Cell("none") if part.match is None else name_cell("class", part.match, scope),
            number_cell(part.vi),
            number_cell(part.q0),
        ]
        if widths is not None:
            cells.append(number_cell(shown.get(_text(part.name))))
        rows.append(Row(tuple(cells), link_of("cluster", part.name, scope)))
    worst = "the costliest first" if diagnosis is not None else "the least apart first"
    return Table(key, f"Clusters, {worst}", tuple(columns), tuple(rows), scope=scope)


def _text(name: Any) -> str:
    return str(name)


def _classes_table(key: str, diagnosis: Diagnosis, scope: str) -> Table:
    """A row a class."""
    columns = (
        Column("class", "text"),
        Column("objects"),
        Column("main cluster", "text", "The cluster most of its objects are in"),
        Column("share there", hint="Share of the class in its main cluster", scale=(0, 1)),
        Column("matched to", "text", "Its cluster in the best one-to-one matching"),
        Column("bits of VI", hint="Its exact share of the variation of information"),
    )
    rows = tuple(
        Row(
            (
                name_cell("class", part.name, scope),
                number_cell(part.size),
                name_cell("cluster", part.majority, scope),
                share_cell(part.purity),
                Cell("none") if part.match is None else name_cell("cluster", part.match, scope),
                number_cell(part.vi),
            ),
            link_of("class", part.name, scope),
        )
        for part in sorted(diagnosis.classes, key=lambda part: -part.vi)
    )
    return Table(key, "Classes, the costliest first", columns, rows, scope=scope)


def _repairs_table(key: str, diagnosis: Diagnosis, scope: str) -> Table:
    """What single changes of the clustering would gain."""
    columns = (
        Column("repair", "text"),
        Column("gain in VI, bits"),
        Column("gain in Q0, bits"),
        Column("gain in adjusted Rand"),
    )
    rows = tuple(
        Row(
            (
                text_cell(str(repair).rpartition(" (")[0]),
                number_cell(repair.vi_gain),
                number_cell(repair.q0_gain),
                number_cell(repair.adjusted_rand_gain),
            ),
            link_of("cluster", repair.clusters[0], scope),
        )
        for repair in diagnosis.repairs
    )
    note = "What one change by itself would gain; positive numbers are improvements."
    return Table(key, "What would mend it most", columns, rows, note, scope)
