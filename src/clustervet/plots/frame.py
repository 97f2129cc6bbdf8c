"""What all figures share: how plotly is loaded, and how a figure gets its title and size."""

from __future__ import annotations

import functools
import importlib
from typing import Any, TypeAlias

from clustervet.plots.text import wrapped
from clustervet.plots.theme import check_theme, template

# plotly ships no types.
Figure: TypeAlias = Any

# Characters that fit a line of the title and of the note at 700 pixels.
TITLE = 72
NOTE = 98
# So many cells or marks get a hover box of their own.
HOVERED = 3_000
# Pixels above a figure without a title.
BARE = 16


def graph_objects() -> Any:
    """Classes of plotly, loaded when the first figure is made."""
    return importlib.import_module("plotly.graph_objects")


@functools.cache
def _template(theme: str) -> Any:
    """The template as plotly has checked it, which takes a while."""
    return graph_objects().layout.Template(template(theme))


def finish(
    figure: Figure,
    *,
    kind: str,
    title: str,
    note: str = "",
    theme: str = "light",
    height: int = 460,
    legend: bool = False,
    **meta: Any,
) -> Figure:
    """The figure with its title, note, template and size.

    `title` says what is seen and `note` how it was drawn, as plain text: both are escaped and
    broken into lines here, and kept whole in `layout.meta`, for a page that sets them itself;
    other keywords are kept there too.
    """
    heads, notes = wrapped(title, TITLE), wrapped(note, NOTE)
    top = 42 + 20 * len(heads) + 16 * len(notes)
    figure.update_layout(
        template=_template(check_theme(theme)),
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
        margin={"l": 16, "r": 16, "t": top, "b": 16},
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
    """A copy of the figure without title and note, for a page that sets both as text."""
    copy = graph_objects().Figure(figure)
    layout = copy.layout
    saved = layout.meta["top"] - BARE
    copy.update_layout(
        title={"text": "", "subtitle": {"text": ""}},
        margin={"t": layout.margin.t - saved},
        height=layout.height - saved,
        meta={**layout.meta, "top": BARE},
    )
    return copy
