"""The document model: what a result says, as frozen records that every renderer reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Kind = Literal["text", "number", "code", "chip"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table.

    Parameters
    ----------
    text : str
        What is shown.
    value : float, int, str or None, optional
        The number behind the text, with all its digits.
    low, high : float or None, optional
        The ends of the interval of the value.
    best : bool, optional
        Whether the entry is marked as the best of its row or column.
    mark : str, optional
        A letter per group of entries that the data cannot tell apart; LaTeX shows it.
    link : str, optional
        The id of the cluster, class or clustering that the entry is about.
    long : str, optional
        What a page shows instead of the text, where there is more room.
    hint : str, optional
        An explanation that a page or a notebook shows on hovering.
    """

    text: str
    value: float | int | str | None = None
    low: float | None = None
    high: float | None = None
    best: bool = False
    mark: str = ""
    link: str = ""
    long: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; `scale` is the range over which intervals or shares are drawn."""

    title: str
    kind: Kind = "number"
    hint: str = ""
    scale: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    `link` is the id of what the row is about. `last` says that a group of rows ends here.
    """

    cells: tuple[Cell, ...]
    link: str = ""
    last: bool = False


@dataclass(frozen=True)
class Table:
    """Rows below titled columns.

    `note` explains the table; `screen` does so too, but only on a page, where it may speak of
    colours and clicks. `mark` is what plain text puts behind a cell that is the best. A table of
    `detail` is for pages alone: a terminal and a notebook leave it out. `shown` is how many rows
    they show, all of them by default. `total` is the number of rows that there are, where the
    table holds only the first ones.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    screen: str = ""
    mark: str = ""
    detail: bool = False
    shown: int | None = None
    total: int | None = None

    @property
    def has_heads(self) -> bool:
        """Whether any column has a title; a list of facts has none."""
        return any(column.title for column in self.columns)

    @property
    def first_rows(self) -> tuple[Row, ...]:
        """The rows that a terminal and a notebook show."""
        return self.rows[: self.shown]

    @property
    def more(self) -> str:
        """How many rows a terminal and a notebook leave out, as a sentence; empty if none."""
        left = (self.total or len(self.rows)) - len(self.first_rows)
        return f"({left:,} more {'row' if left == 1 else 'rows'})" if left else ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A finished figure: what it shows in words, and plotly's data.

    `scopes` says to which clustering the clusters in the figure belong; `table` is the key of the
    table that holds the same numbers. `objects` has the objects behind the cells of a heatmap.
    """

    key: str
    title: str
    note: str
    figure: Mapping[str, Any] = field(repr=False)
    scopes: Mapping[str, str] = field(default_factory=dict)
    table: str = ""
    objects: Mapping[str, Any] = field(default_factory=dict, repr=False)


Block = Table | Picture


@dataclass(frozen=True, eq=False)
class Section:
    """A heading with paragraphs, tables, notes and sections of its own.

    A result's `document()` is a section.

    Parameters
    ----------
    key : str
        A short name, from which a page makes the addresses of its parts.
    title : str
        The heading.
    subtitle : str, optional
        What the document is about; shown below its title.
    paragraphs : tuple of str, optional
        Sentences before the tables.
    blocks : tuple of Table or Picture, optional
        The tables; a page adds the figures.
    sections : tuple of Section, optional
        Sections below this one.
    before : tuple of Section, optional
        Sections that a page shows before this one, and only a page.
    notes : tuple of str, optional
        Sentences after the tables.
    lead : tuple of str, optional
        The verdict of the result. A page puts it below its title; the other forms show it where
        there are no paragraphs.
    screen : str, optional
        How to use the section on a page, and shown only there.
    folded : bool, optional
        Whether a page shows the section closed at first.
    detail : bool, optional
        Whether only a page shows the section: a terminal and a notebook leave it out.
    subject : object, optional
        The result that the section is about; a page draws the figures of it.
    scope : str, optional
        The id of the clustering that the clusters in this section belong to.
    measures : tuple of Measure, optional
        The measures in this section; a page explains their formulas.
    citations : tuple of str, optional
        Works cited beside those of the measures, as "Holm 1979".
    facts : tuple of pairs of str, optional
        What was judged: names and values that a page shows below its title.
    """

    key: str
    title: str
    paragraphs: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()
    screen: str = ""
    folded: bool = False
    detail: bool = False
    subject: Any = field(default=None, repr=False)
    scope: str = ""
    measures: tuple[Any, ...] = field(default=(), repr=False)
    citations: tuple[str, ...] = ()
    subtitle: str = ""
    before: tuple[Section, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()

    def walk(self) -> Iterator[Section]:
        """Yield this section and all sections below it, in the order of a page."""
        yield self
        for section in self.sections:
            yield from section.walk()

    @property
    def opening(self) -> tuple[str, ...]:
        """The sentences before the tables, where no page shows title and verdict."""
        return (*filter(None, [self.subtitle]), *(self.paragraphs or self.lead))

    @property
    def tables(self) -> list[Table]:
        """The tables of this section alone."""
        return [block for block in self.blocks if isinstance(block, Table)]

    @property
    def shown_tables(self) -> list[Table]:
        """The tables that a terminal and a notebook show."""
        return [table for table in self.tables if not table.detail and table.rows]

    def prefixed(self, prefix: str) -> Section:
        """Return the section with a prefix before all its keys and scopes.

        >>> Section("ahead", "Who is ahead").prefixed("r1-").key
        'r1-ahead'
        """
        return replace(
            self,
            key=prefix + self.key,
            scope=prefix + self.scope if self.scope else "",
            blocks=tuple(_prefixed(block, prefix) for block in self.blocks),
            sections=tuple(section.prefixed(prefix) for section in self.sections),
            before=tuple(section.prefixed(prefix) for section in self.before),
        )


def _prefixed(block: Block, prefix: str) -> Block:
    if isinstance(block, Picture):
        scopes = {kind: prefix + scope for kind, scope in block.scopes.items()}
        table = prefix + block.table if block.table else ""
        return replace(block, key=prefix + block.key, scopes=scopes, table=table)
    rows = tuple(
        Row(
            tuple(replace(cell, link=_link(cell.link, prefix)) for cell in row.cells),
            _link(row.link, prefix),
            row.last,
        )
        for row in block.rows
    )
    return replace(block, key=prefix + block.key, rows=rows)


def _link(link: str, prefix: str) -> str:
    """Return the id with the prefix if it names a clustering, as only the id of a cluster does."""
    scope, bar, rest = link.partition("|")
    return f"{prefix}{scope}|{rest}" if bar and ":" not in scope else link
