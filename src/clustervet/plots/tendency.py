"""Whether there is structure: the image of ordered distances."""

from __future__ import annotations

import numpy as np

from clustervet.geometry.tendency import Tendency
from clustervet.plots import canvas
from clustervet.plots.canvas import Figure


def tendency_plot(tendency: Tendency, *, theme: str = "light") -> Figure:
    """Draw the distances between points in an order that puts near ones together.

    Parameters
    ----------
    tendency : Tendency
        What `clustervet.tendency` found.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A square with one row and one column per point. Blocks of small distances on the diagonal
        are clusters.

    Examples
    --------
    >>> import clustervet as cv
    >>> X = [[x + (20 if x > 9 else 0)] for x in range(20)]
    >>> tendency_plot(cv.tendency(X)).layout.meta["figure"]
    'tendency'
    """
    figure = canvas.new_figure()
    image = np.asarray(tendency.image, np.float64)
    top = float(image.max())
    figure.add_heatmap(
        z=(image / top).round(3) if top else image,
        coloraxis="coloraxis",
        hoverinfo="skip",
    )
    figure.update_layout(
        coloraxis={"reversescale": True, "colorbar": {"title": {"text": "share of the largest"}}}
    )
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, autorange="reversed", scaleanchor="x", constrain="domain")
    figure.update_xaxes(constrain="domain")
    note = (
        f"Path distances of {len(image):,} points, near ones side by side (iVAT): blocks of "
        "small distances on the diagonal are groups that lie apart."
    )
    return canvas.finish(figure, "tendency", theme, tendency.verdict, note, height=460)


canvas.draws(Tendency, tendency_plot)
