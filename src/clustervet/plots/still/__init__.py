"""Figures as SVG, drawn without a browser and without scripts.

This draws what the figures of the package are made of: points, lines, bars, heat maps and flows
with their axes, legends, shapes and texts. Whatever differs between light and dark comes from the
templates, so one drawing can hold the colours of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustervet._checks import one_of, whole
from clustervet.errors import ParameterError
from clustervet.plots.still.drawing import Drawing
from clustervet.plots.theme import INK, THEMES, template

KINDS = ("scatter", "bar", "heatmap", "sankey")


def svg(figure: Any, *, width: int = 760, theme: str | None = None) -> str:
    """Draw a figure of this package as SVG, without a browser.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
        A figure of points, lines, bars, heat maps or flows, as the functions of this room return.
    width : int, default 760
        Width in pixels, at least 200. The figure knows its height.
    theme : {"light", "dark", "auto"}, optional
        The colours. With "auto" the drawing has those of both and follows the page around it. By
        default the colours of the figure.

    Returns
    -------
    str
        The drawing, a text that begins with ``<svg``. It holds no script.

    Raises
    ------
    ParameterError
        If the figure holds other kinds of traces, or there is no such theme.

    Examples
    --------
    >>> import clustervet as cv
    >>> table = cv.Contingency.from_labels(["a", "a", "b"], [0, 1, 1])
    >>> cv.plots.svg(cv.plots.contingency_heatmap(table))[:4]
    '<svg'
    """
    plain = figure.to_dict() if hasattr(figure, "to_dict") else figure
    if not isinstance(plain, Mapping) or not {"data", "layout"} <= plain.keys():
        raise ParameterError(f"svg draws a figure of plotly, not {type(figure).__name__}.")
    for trace in plain["data"]:
        if trace["type"] not in KINDS:
            raise ParameterError(
                f"only points, lines, bars, heat maps and flows are drawn, not {trace['type']!r}."
            )
    chosen = _theme_of(plain["layout"]) if theme is None else theme
    one_of(chosen, "theme", (*THEMES, "auto"))
    templates = [template(name) for name in (THEMES if chosen == "auto" else (chosen,))]
    return Drawing(plain, whole(width, "width", 200), templates).text()


def _theme_of(layout: Mapping[str, Any]) -> str:
    """Return the theme whose paper a figure has; figures made elsewhere are drawn as light ones."""
    own = (layout.get("template") or {}).get("layout", {}).get("paper_bgcolor")
    return next((name for name in THEMES if INK[name]["paper"] == own), "light")
