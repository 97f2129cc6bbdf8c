"""Figures.

Law: finished numbers in, figures out; nothing here computes a measure.

`figures(result)` draws all figures of a result. The other functions draw one figure each and return
a plotly `Figure`, which has `write_html` and `write_image`. Its title says what is seen.
`layout.meta` holds title and note as plain text, and the marks carry in `customdata` the ids that
`ident` gives ("cluster:3", "class:a", "measure:rand"), so that a page can link figures. All
functions take `theme="light"` or `"dark"`; `template(theme)` is what a page gives a finished figure
to change its theme.

The `...Display` classes draw the same with matplotlib, as scikit-learn's displays do (the extra
`matplotlib`).
"""

from __future__ import annotations

import importlib
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from clustervet.view.words import ident

if TYPE_CHECKING:
    from clustervet.plots.benchmarks import benchmark_heatmap, critical_difference_plot
    from clustervet.plots.canvas import without_title
    from clustervet.plots.clusterwise import diagnosis_bars, silhouette_plot, stability_plot
    from clustervet.plots.covers import match_heatmap, overlap_plot
    from clustervet.plots.curves import bound_plot, elbow_plot
    from clustervet.plots.displays import (
        BoundDisplay,
        ContingencyDisplay,
        DistanceDisplay,
        ElbowDisplay,
        ScoreDisplay,
        SilhouetteDisplay,
    )
    from clustervet.plots.dots import ranking_plot, score_plot
    from clustervet.plots.hierarchies import b_k_plot, tanglegram
    from clustervet.plots.laboratory import dom_figures, lattice_plot, property_matrix_plot
    from clustervet.plots.maps import dendrogram, distance_heatmap, map_plot, trajectory_plot
    from clustervet.plots.memberships import membership_heatmap
    from clustervet.plots.points import points_plot
    from clustervet.plots.resolution import cluster_tree
    from clustervet.plots.still import svg
    from clustervet.plots.tables import alluvial, contingency_heatmap, information_diagram
    from clustervet.plots.tendency import tendency_plot
    from clustervet.plots.text_bounds import share_plot, text_figures
    from clustervet.plots.theme import template
    from clustervet.plots.trees import tree_plot

__all__ = [
    "BoundDisplay",
    "ContingencyDisplay",
    "DistanceDisplay",
    "ElbowDisplay",
    "ScoreDisplay",
    "SilhouetteDisplay",
    "alluvial",
    "b_k_plot",
    "benchmark_heatmap",
    "bound_plot",
    "cluster_tree",
    "contingency_heatmap",
    "critical_difference_plot",
    "dendrogram",
    "diagnosis_bars",
    "distance_heatmap",
    "dom_figures",
    "elbow_plot",
    "figures",
    "ident",
    "information_diagram",
    "lattice_plot",
    "map_plot",
    "match_heatmap",
    "membership_heatmap",
    "overlap_plot",
    "points_plot",
    "property_matrix_plot",
    "ranking_plot",
    "score_plot",
    "share_plot",
    "silhouette_plot",
    "stability_plot",
    "svg",
    "tanglegram",
    "template",
    "tendency_plot",
    "text_figures",
    "trajectory_plot",
    "tree_plot",
    "without_title",
]

_MODULES = {
    "benchmarks": ("benchmark_heatmap", "critical_difference_plot"),
    "canvas": ("without_title",),
    "clusterwise": ("diagnosis_bars", "silhouette_plot", "stability_plot"),
    "covers": ("match_heatmap", "overlap_plot"),
    "curves": ("bound_plot", "elbow_plot"),
    "displays": tuple(name for name in __all__ if name.endswith("Display")),
    "dots": ("ranking_plot", "score_plot"),
    "hierarchies": ("b_k_plot", "tanglegram"),
    "judgements": (),
    "laboratory": ("dom_figures", "lattice_plot", "property_matrix_plot"),
    "maps": ("dendrogram", "distance_heatmap", "map_plot", "trajectory_plot"),
    "memberships": ("membership_heatmap",),
    "points": ("points_plot",),
    "resolution": ("cluster_tree",),
    "still": ("svg",),
    "tables": ("alluvial", "contingency_heatmap", "information_diagram"),
    "tendency": ("tendency_plot",),
    "text_bounds": ("share_plot", "text_figures"),
    "theme": ("template",),
    "trees": ("tree_plot",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


@singledispatch
def figures(result: Any, *, theme: str = "light") -> list[Any]:
    """Draw all figures of a result.

    Parameters
    ----------
    result : object
        A finished result, such as a `ScoreCard`, a `Tuning` or a `Contingency`.
    theme : {"light", "dark"}, default "light"
        The colours of the figures.

    Returns
    -------
    list of plotly.graph_objects.Figure
        The figures, in the order of a page; none for a type that has no figures. A figure may say
        in ``layout.meta["table"]`` how the key of the table ends that holds the same numbers, which
        is empty where there is none, and in ``layout.meta["open"]`` whether a page shows it
        unfolded, as it does with the first one.

    Notes
    -----
    This is a `functools.singledispatch` function. ``figures.register`` adds the figures of another
    type of result, which a report then draws too.

    Examples
    --------
    >>> import clustervet as cv
    >>> table = cv.Contingency.from_labels(["a", "a", "b"], [0, 0, 0])
    >>> [figure.layout.meta["figure"] for figure in figures(table)]
    ['contingency', 'alluvial']
    >>> figures("a text")
    []
    """
    # The modules register what they draw; they are loaded when a type is not known yet.
    for module in _MODULES:
        importlib.import_module(f"clustervet.plots.{module}")
    found = figures.dispatch(type(result))
    return [] if found is figures.dispatch(object) else found(result, theme=theme)


def __getattr__(name: str) -> Any:
    """Return a figure's function; its module is loaded when first asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"clustervet.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'clustervet.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
