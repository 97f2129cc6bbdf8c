"""What matplotlib displays share: how it is loaded, names that it shows, colours."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from clustervet.errors import MissingPackageError
from clustervet.plots.text import SHORT, distinct_texts
from clustervet.plots.theme import SEQUENTIAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def new_axes(ax: Axes | None, size: tuple[float, float] | None = None) -> Axes:
    """The axes given, or those of a new figure.

    The figure belongs to pyplot, as those of scikit-learn's displays do.
    """
    if ax is not None:
        return ax
    try:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise MissingPackageError(
            "displays need matplotlib; install it with clustervet's extra 'matplotlib'."
        ) from None
    made: Axes = pyplot.subplots(figsize=size, layout="constrained")[1]
    return made


def plain_texts(names: Sequence[Any], width: int = SHORT) -> list[str]:
    """Names for matplotlib: short, told apart, and without its mathematics."""
    return [plain(text) for text in distinct_texts(names, width)]


def plain(text: str) -> str:
    """A sentence in which no dollar opens mathematics."""
    return text.replace("$", r"\$")


def colour_map() -> Any:
    """The light theme's sequential colours."""
    colors: Any = importlib.import_module("matplotlib.colors")
    return colors.LinearSegmentedColormap.from_list("clustervet", SEQUENTIAL["light"])


def set_title(ax: Axes, title: str) -> None:
    """A left-aligned title that is broken into lines."""
    ax.set_title(plain(title), loc="left", wrap=True, fontsize="medium")
