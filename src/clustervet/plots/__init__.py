"""Figures.

Law: finished numbers in, figures out; nothing here computes a measure.

Functions return a plotly `Figure`, which has `write_html` and `write_image`. Its title says what
is seen; `layout.meta` holds title and note as plain text, and the marks carry in `customdata`
the ids that `ident` gives ("cluster:3", "class:a", "measure:rand"), so that a page can link
figures. All take `theme="light"` or `"dark"`, and `template(theme)` is what a page gives a
finished figure to change it.

`...Display` classes draw the same with matplotlib, as scikit-learn's displays do (the extra
`matplotlib`).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clustervet.plots.bounds import bound_plot
    from clustervet.plots.curves import elbow_plot
    from clustervet.plots.display_curves import BoundDisplay, ElbowDisplay, ScoreDisplay
    from clustervet.plots.displays import (
        ContingencyDisplay,
        DistanceDisplay,
        SilhouetteDisplay,
    )
    from clustervet.plots.ensembles import distance_heatmap, map_plot
    from clustervet.plots.flows import alluvial
    from clustervet.plots.frame import without_title
    from clustervet.plots.lattice import lattice_plot
    from clustervet.plots.parts import diagnosis_bars
    from clustervet.plots.properties import property_matrix_plot
    from clustervet.plots.rankings import ranking_plot
    from clustervet.plots.scores import score_plot
    from clustervet.plots.studies import dom_figures
    from clustervet.plots.tables import contingency_heatmap
    from clustervet.plots.text import ident
    from clustervet.plots.theme import template
    from clustervet.plots.trees import dendrogram
    from clustervet.plots.widths import silhouette_plot

__all__ = [
    "BoundDisplay",
    "ContingencyDisplay",
    "DistanceDisplay",
    "ElbowDisplay",
    "ScoreDisplay",
    "SilhouetteDisplay",
    "alluvial",
    "bound_plot",
    "contingency_heatmap",
    "dendrogram",
    "diagnosis_bars",
    "distance_heatmap",
    "dom_figures",
    "elbow_plot",
    "ident",
    "lattice_plot",
    "map_plot",
    "property_matrix_plot",
    "ranking_plot",
    "score_plot",
    "silhouette_plot",
    "template",
    "without_title",
]

_MODULES = {
    "bounds": ("bound_plot",),
    "curves": ("elbow_plot",),
    "display_curves": ("BoundDisplay", "ElbowDisplay", "ScoreDisplay"),
    "displays": ("ContingencyDisplay", "DistanceDisplay", "SilhouetteDisplay"),
    "ensembles": ("distance_heatmap", "map_plot"),
    "flows": ("alluvial",),
    "frame": ("without_title",),
    "lattice": ("lattice_plot",),
    "parts": ("diagnosis_bars",),
    "properties": ("property_matrix_plot",),
    "rankings": ("ranking_plot",),
    "scores": ("score_plot",),
    "studies": ("dom_figures",),
    "tables": ("contingency_heatmap",),
    "text": ("ident",),
    "theme": ("template",),
    "trees": ("dendrogram",),
    "widths": ("silhouette_plot",),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A figure's function, its module loaded when first asked for."""
    if name in _HOMES:
        return getattr(importlib.import_module(f"clustervet.plots.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'clustervet.plots' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
