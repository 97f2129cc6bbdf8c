"""Keys of a section told apart from those of another result's sections."""

from __future__ import annotations

from dataclasses import replace

from clustervet.report.record import Block, Cell, Picture, Row, Section


def prefixed(section: Section, prefix: str) -> Section:
    """The section with a prefix before its keys, those of its parts, and its clusterings' scopes.

    >>> prefixed(Section("ahead", "Who is ahead"), "r1-").key
    'r1-ahead'
    """
    return replace(
        section,
        key=prefix + section.key,
        blocks=tuple(_block(block, prefix) for block in section.blocks),
        sections=tuple(prefixed(inner, prefix) for inner in section.sections),
    )


def _block(block: Block, prefix: str) -> Block:
    if isinstance(block, Picture):
        scopes = {kind: prefix + scope for kind, scope in block.scopes.items()}
        table = prefix + block.table if block.table else ""
        return replace(block, key=prefix + block.key, scopes=scopes, table=table)
    rows = tuple(
        Row(tuple(_cell(cell, prefix) for cell in row.cells), _link(row.link, prefix))
        for row in block.rows
    )
    return replace(block, key=prefix + block.key, rows=rows)


def _cell(cell: Cell, prefix: str) -> Cell:
    return replace(cell, link=_link(cell.link, prefix)) if "|" in cell.link else cell


def _link(link: str, prefix: str) -> str:
    """Only clusters belong to a clustering; classes and clusterings are lit up everywhere."""
    scope, bar, rest = link.partition("|")
    return f"{prefix}{scope}|{rest}" if bar and ":" not in scope else link
