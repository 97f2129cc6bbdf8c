"""What all figures share: escaped text, marks with hover boxes, title and size."""

from __future__ import annotations

import functools
import importlib
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from clustervet.plots import figures
from clustervet.plots.theme import template
from clustervet.view.words import LONG, SHORT, distinct, spoken

# plotly ships no types.
Figure: TypeAlias = Any

# Characters that fit a line of the title and of the note at 700 pixels.
TITLE = 72
NOTE = 98
# Cells or marks up to which each gets a hover box of its own.
HOVERED = 3_000
# Rows or columns of a heat map that have room for their names.
NAMED = 44
# Pixels above a figure without a title.
BARE = 16
# Shows the hover text of a mark, and nothing beside it.
BOX = "%{hovertext}<extra></extra>"


def escape(text: str) -> str:
    """Return text that plotly shows as it is: no tag, no entity, no formula, no template.

    >>> escape("<b>$x$</b> & %{x}")
    '&lt;b&gt;&#36;x&#36;&lt;/b&gt; &amp; &#37;{x}'
    """
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, entity)
    return text.replace("$", "&#36;").replace("%{", "&#37;{")


def plot_text(name: Any, width: int = LONG) -> str:
    """Return a name for plotly: short and escaped.

    >>> plot_text("<script>alert(1)</script>", 12)
    '&lt;script…ipt&gt;'
    """
    return escape(spoken(name, width))


def axis_texts(names: Sequence[Any], width: int = SHORT) -> list[str]:
    """Return names for an axis, escaped, with a number behind those that read alike.

    >>> axis_texts(["a" * 50, "a" * 60], 6)
    ['aaa…aa', 'aaa…aa (2)']
    """
    return [escape(text) for text in distinct(names, width)]


def named(name: str) -> str:
    """Return the name of a clustering before a sentence about it; nothing without a name.

    >>> named("kmeans"), named("")
    ('kmeans: ', '')
    """
    return f"{spoken(name)}: " if name else ""


def natural(name: Any) -> list[tuple[int, int, str]]:
    """Return what sorts the numbers within names by their size.

    >>> sorted(["cave 10", "cave 2"], key=natural)
    ['cave 2', 'cave 10']
    """
    parts = [part for part in re.split(r"([0-9]+)", str(name)) if part]
    return [(0, int(part), part) if part.isdecimal() else (1, 0, part) for part in parts]


def hover(*lines: str) -> str:
    """Return the lines of a hover box, escaped; empty lines are left out."""
    return "<br>".join(escape(line) for line in lines if line)


def wrapped(text: str, width: int) -> list[str]:
    """Return the lines of a plain text, escaped, none much longer than `width`."""
    return [escape(line) for line in textwrap.wrap(text, width, break_on_hyphens=False)]


def draws(kind: type, *plots: Callable[..., Figure]) -> None:
    """Let `figures` draw a type of result by these functions, one figure each."""

    def drawn(result: Any, *, theme: str = "light") -> list[Figure]:
        return [plot(result, theme=theme) for plot in plots]

    figures.register(kind, drawn)


def new_figure() -> Figure:
    """Return an empty figure; plotly is loaded when the first figure is made."""
    return importlib.import_module("plotly.graph_objects").Figure()


def add_marks(
    figure: Figure,
    x: Any,
    y: Any,
    *,
    ids: Sequence[Any] | None = None,
    boxes: Sequence[str] | None = None,
    **options: Any,
) -> None:
    """Add points or lines, with their ids and hover boxes; without boxes hovering shows nothing."""
    if boxes is not None:
        options |= {"hovertext": boxes, "hovertemplate": BOX}
    elif "hovertemplate" not in options:
        options["hoverinfo"] = "skip"
    figure.add_scatter(x=x, y=y, customdata=ids, **{"mode": "markers", **options})


def add_lines(
    figure: Figure, lines: Sequence[Sequence[tuple[float, float]]], **options: Any
) -> None:
    """Add lines through places as one trace, with a gap after each line."""
    places = [place for line in lines for place in (*line, (None, None))]
    x, y = ([place[side] for place in places] for side in (0, 1))
    add_marks(figure, x, y, mode="lines", **options)


def axis(letter: str, k: int) -> str:
    """Return how plotly calls the axis at a place: "x", "x2", "x3" and so on."""
    return f"{letter}{k + 1 if k else ''}"


def name_rows(figure: Figure, texts: list[str], step: int = 1, **options: Any) -> None:
    """Write texts beside the rows 0, 1, ... from top to bottom, or beside every `step`-th row."""
    figure.update_yaxes(
        tickvals=list(range(0, len(texts), step)),
        ticktext=texts[::step],
        range=[len(texts) - 0.4, -0.6],
        **options,
    )


def name_cells(figure: Figure, rows: int, columns: int, what: tuple[str, str]) -> str:
    """Name the rows and columns of a heat map by its data, or not at all where there are too many.

    `what` says what rows and columns are. The answer is a sentence for the note, or empty.
    """
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(type="category", showgrid=False, autorange="reversed")
    unnamed = []
    axes = ((rows, figure.update_yaxes), (columns, figure.update_xaxes))
    for (count, update), kind in zip(axes, what, strict=True):
        if count > NAMED:
            update(showticklabels=False, ticks="", title=f"{count:,} {kind}")
            unnamed.append(kind)
    names = " and ".join(dict.fromkeys(unnamed))
    return f"Point at a cell to see the names of its {names}." if names else ""


@functools.cache
def _template(theme: str) -> Any:
    """Return the template as plotly has checked it, which takes a while."""
    return importlib.import_module("plotly.graph_objects").layout.Template(template(theme))


def finish(
    figure: Figure,
    kind: str,
    theme: str,
    title: str,
    note: str,
    *,
    height: int,
    room: int = 0,
    legend: bool = False,
    **meta: Any,
) -> Figure:
    """Return the figure with its title, note, template and size.

    `title` says what is seen and `note` how it was drawn, as plain text. Both are escaped and
    broken into lines here, and kept whole in `layout.meta` for a page that shows them itself.
    `room` is the height in pixels of what stands between the note and the axes. Other keywords are
    kept in `layout.meta` too.
    """
    heads, notes = wrapped(title, TITLE), wrapped(note, NOTE)
    top = 42 + 20 * len(heads) + 16 * len(notes)
    figure.update_layout(
        template=_template(theme),
        title={
            "text": "<br>".join(heads),
            "subtitle": {"text": "<br>".join(notes)},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": 16, "t": 24},
        },
        margin={"l": 16, "r": 16, "t": top + room, "b": 16},
        height=height + top,
        showlegend=legend,
        meta={"figure": kind, "title": title, "note": note, "top": top, **meta},
    )
    if legend:
        figure.update_layout(
            legend={"orientation": "h", "x": 0, "y": 0, "yref": "container", "yanchor": "bottom"}
        )
    return figure


def without_title(figure: Figure) -> Figure:
    """Return a copy of a figure without title and note, for a page that shows both as text.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        A figure of this room.

    Returns
    -------
    plotly.graph_objects.Figure
        The copy. Its `layout.meta` still holds the title and the note.

    Examples
    --------
    >>> import clustervet as cv
    >>> bare = without_title(cv.plots.lattice_plot(3))
    >>> bare.layout.title.text, bare.layout.meta["title"]
    ('', 'The 5 partitions of 3 objects; each line upwards merges two clusters.')
    """
    copy = type(figure)(figure)
    layout = copy.layout
    saved = layout.meta["top"] - BARE
    copy.update_layout(
        title={"text": "", "subtitle": {"text": ""}},
        margin={"t": layout.margin.t - saved},
        height=layout.height - saved,
        meta={**layout.meta, "top": BARE},
    )
    return copy
