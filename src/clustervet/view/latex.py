"""Tables of a document as LaTeX, for the package booktabs."""

from __future__ import annotations

from collections.abc import Iterator

from clustervet.view.model import Section, Table
from clustervet.view.plain_text import cell_text

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
        caption = "; ".join(section.opening) if len(tables) == 1 else table.title
        yield _table(table, caption or table.title, notes)
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
    for row in table.rows:
        texts = [(safe(cell_text(cell)), cell.best) for cell in row.cells]
        lines.append(
            " & ".join(f"\\textbf{{{text}}}" if best else text for text, best in texts) + r" \\"
        )
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"\\par\\smallskip\\footnotesize {safe(note)}" for note in notes]
    return "\n".join([*lines, r"\end{table}"])


def _line(cells: Iterator[str]) -> str:
    return " & ".join(map(safe, cells)) + r" \\"


def safe(text: str) -> str:
    r"""Return text that LaTeX prints as it is.

    >>> print(safe("50% of a_b & {c}"))
    50\% of a\_b \& \{c\}
    """
    return "".join(SIGNS.get(character, character) for character in text)
