"""Tables of a document as LaTeX, for the package booktabs."""

from __future__ import annotations

from collections.abc import Iterator

from clustervet.view.model import Cell, Section, Table
from clustervet.view.plain_text import cell_text

TIED = "Values of a row that share a letter are not told apart by the data."
SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "…": r"\ldots{}",
    "<": r"$<$",
    ">": r"$>$",
    **{sign: f"\\{sign}" for sign in "&%$#_"},
}


def to_latex(section: Section) -> str:
    r"""Return the tables of a document as LaTeX tables; details are left to pages.

    The preamble needs ``\usepackage{booktabs}``.
    """
    return "\n\n".join(_tables(section))


def _tables(section: Section) -> Iterator[str]:
    tables = section.shown_tables
    for k, table in enumerate(tables):
        notes = section.notes if k + 1 == len(tables) else ()
        said = "; ".join(line.removesuffix(".") for line in section.opening)
        yield _table(table, (said if len(tables) == 1 else "") or table.title, notes)
    for part in section.sections:
        if not part.detail:
            yield from _tables(part)


def _table(table: Table, caption: str, notes: tuple[str, ...]) -> str:
    columns = "".join("r" if column.kind == "number" else "l" for column in table.columns)
    heads = [_line(column.title for column in table.columns), r"\midrule"]
    lines = [
        r"\begin{table}",
        r"\centering",
        f"\\caption{{{safe(caption)}}}",
        f"\\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        *(heads if table.has_heads else []),
    ]
    lines += [" & ".join(map(_cell, row.cells)) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if any(cell.mark for row in table.rows for cell in row.cells):
        notes = (*notes, TIED)
    lines += [f"\\par\\smallskip\\footnotesize {safe(note)}" for note in notes]
    return "\n".join([*lines, r"\end{table}"])


def _cell(cell: Cell) -> str:
    text = safe(cell.long or cell_text(cell))
    shown = f"\\textbf{{{text}}}" if cell.best else text
    return f"{shown}$^{{{safe(cell.mark)}}}$" if cell.mark else shown


def _line(cells: Iterator[str]) -> str:
    return " & ".join(map(safe, cells)) + r" \\"


def safe(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> print(safe("50% of a_b & {c}"))
    50\% of a\_b \& \{c\}
    """
    return "".join(SIGNS.get(character, character) for character in text)
