"""A report as Markdown."""

from __future__ import annotations

from clustervet.report.record import Block, Cell, Picture, Report, Section, Table
from clustervet.scorecard.render import number, safe_cell

# Rows of a table that Markdown shows; JSON and the page have all.
ROWS = 50


def to_markdown(report: Report) -> str:
    """The report as Markdown; figures are the sentences that say what they show."""
    lines = [f"# {_safe(report.title)}", ""]
    if report.subject:
        lines += [_safe(report.subject), ""]
    lines += [f"**{_safe(line)}**" if k == 0 else _safe(line) for k, line in _spaced(report)]
    for section in report.sections:
        lines += _section(section, 2)
    if report.references:
        lines += ["## References", "", *(f"- {_safe(work)}" for work in report.references), ""]
    return "\n".join([*lines, *_reproduction(report)]).rstrip("\n") + "\n"


def _spaced(report: Report) -> list[tuple[int, str]]:
    """Sentences of the verdict with empty lines between them."""
    found: list[tuple[int, str]] = []
    for k, line in enumerate(report.verdict):
        found += [(k, line), (-1, "")]
    return found


def _section(section: Section, level: int) -> list[str]:
    lines = [f"{'#' * level} {_safe(section.title)}", ""]
    for paragraph in section.paragraphs:
        lines += [_safe(paragraph), ""]
    for block in section.blocks:
        lines += _block(block)
    for inner in section.sections:
        lines += _section(inner, level + 1)
    if section.notes:
        lines += [*(f"- {_safe(note)}" for note in section.notes), ""]
    return lines


def _block(block: Block) -> list[str]:
    if isinstance(block, Picture):
        note = f" {_safe(block.note)}" if block.note else ""
        return [f"> Figure: {_safe(block.title)}{note}", ""]
    return _table(block)


def _table(table: Table) -> list[str]:
    heads = [_safe(column.title) or " " for column in table.columns]
    rule = ["---:" if column.kind == "number" else "---" for column in table.columns]
    lines = [f"**{_safe(table.title)}**", "", _line(heads), _line(rule)]
    lines += [_line([_cell(cell) for cell in row.cells]) for row in table.rows[:ROWS]]
    if len(table.rows) > ROWS:
        lines += ["", f"{len(table.rows) - ROWS:,} more rows are in the page and in the JSON."]
    if table.note:
        lines += ["", _safe(table.note)]
    return [*lines, ""]


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    text = _safe(cell.text)
    if cell.low is not None and cell.high is not None:
        text += f" [{number(cell.low)}, {number(cell.high)}]"
    return f"**{text}**" if cell.best else text


def _reproduction(report: Report) -> list[str]:
    made = report.reproduction
    lines = ["## How to make it again", ""]
    if made.command:
        lines += ["```", _fenced(made.command), "```", ""]
    versions = ", ".join(f"{name} {_safe(number)}" for name, number in made.versions.items())
    seed = f" Seed {_safe(made.seed)}." if made.seed else ""
    return [*lines, f"{versions}.{seed} Made {made.time}."]


def _fenced(text: str) -> str:
    return " ".join(text.split()).replace("```", "'''")


def _safe(text: str) -> str:
    """Text that no Markdown reader takes for markup."""
    safe = safe_cell(text)
    for sign in "*[]":
        safe = safe.replace(sign, f"\\{sign}")
    return safe
