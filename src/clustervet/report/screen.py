"""The first screen of a page, for a notebook: no script, nothing that reaches outside."""

from __future__ import annotations

import importlib
from html import escape

from clustervet.view import Result, Section
from clustervet.view.html import to_html

STYLE = (
    ".clustervet{max-width:70rem}.clustervet dl{display:flex;flex-wrap:wrap;gap:.3rem 1.6rem;"
    "margin:0 0 .6rem}.clustervet dt{font-size:.85em;opacity:.75;font-weight:normal}"
    ".clustervet dd{margin:0;font-weight:600}.clustervet .lead{font-size:1.15em}"
    ".clustervet svg{max-width:100%;height:auto}.clustervet table{font-size:.9em}"
    ".clustervet td{padding:.15em .6em;white-space:nowrap}"
)
# Width of the figure, and sentences of the verdict.
WIDTH, SAID = 640, 4


def first_screen(result: Result) -> str:
    """Return the facts, the verdict, the first figure and the first table of a result as HTML.

    Parameters
    ----------
    result : Result
        A result that has a verdict, such as `Evidence`.

    Returns
    -------
    str
        One element with its style; all text is escaped.

    Examples
    --------
    >>> import clustervet as cv
    >>> first_screen(cv.examine(["a", "a", "b"], {"first": [0, 0, 1]}))[:24]
    '<div class="clustervet">'
    """
    document = result.document()
    parts = [*document.before, *document.sections]
    facts = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
        for name, value in document.facts
    )
    said = [f"<p>{escape(line)}</p>" for line in document.lead[:SAID]]
    said[:1] = [line.replace("<p>", '<p class="lead">') for line in said[:1]]
    html = [f'<div class="clustervet"><style>{STYLE}</style>', f"<dl>{facts}</dl>", *said]
    plots = importlib.import_module("clustervet.plots")
    about = [part for part in parts if part.subject is not None]
    drawn = next(((part, made) for part in about for made in plots.figures(part.subject)[:1]), None)
    if drawn:
        html.append(plots.svg(drawn[1], width=WIDTH))
    # The table of another part says more than the numbers of the figure.
    others = [part for part in parts if not drawn or part is not drawn[0]]
    table = next((table for part in [*others, *parts] for table in part.tables), None)
    if table:
        html.append(to_html(Section("first", table.title, blocks=(table,))))
    return "".join([*html, "</div>"])
