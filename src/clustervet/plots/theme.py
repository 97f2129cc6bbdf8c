"""Colours, fonts and templates: safe for colour-blind readers, on light and on dark ground."""

from __future__ import annotations

from typing import Any, Literal

from clustervet.errors import ParameterError

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

# Fonts that the reader's machine has; nothing is fetched.
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'

# Hues of Okabe & Ito (2008), in an order in which neighbours differ in lightness too. On dark
# ground the same hues are lighter.
CATEGORICAL: dict[Theme, tuple[str, ...]] = {
    "light": ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"),
    "dark": ("#5AAEE0", "#FF8A3D", "#2FC795", "#E8A5CB", "#F5C04A", "#A5DBFA"),
}
# Middle tones that stand out on either ground, for colours that a template cannot change.
EITHER = ("#2A86C4", "#DD6B1F", "#12A57C", "#C877A6", "#D6952B", "#5AAEDB")
QUIET = "#8A8F98"
SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "x", "star", "triangle-down")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")

# Lightness runs evenly from near the ground to far from it, so the order survives grey print and
# any colour vision: blues on light, and on dark the way of cividis (Nuñez, Anderton & Renslow
# 2018) from blue to yellow. The least colour still differs from the ground: a cell may be small.
SEQUENTIAL: dict[Theme, tuple[str, ...]] = {
    "light": ("#CFE1F2", "#A8CAE6", "#7DAFD7", "#5391C5", "#2F72AE", "#12528D", "#00224E"),
    "dark": ("#27476F", "#4A6079", "#6B7480", "#8F8C7C", "#B7A96F", "#DCC95C", "#FDE737"),
}
DIVERGING: dict[Theme, tuple[str, ...]] = {
    "light": ("#0B4F7D", "#3E8CC0", "#A6CDE6", "#F7F7F5", "#F6C79B", "#D9772B", "#8A3D00"),
    "dark": ("#9BD2F7", "#4A9BD1", "#1F567C", "#23272E", "#7A4312", "#D9772B", "#FFC08A"),
}

INK: dict[Theme, dict[str, str]] = {
    "light": {
        "paper": "#FFFFFF",
        "text": "#1B1F24",
        "soft": "#57606A",
        "grid": "#E3E6EA",
        "line": "#8C959F",
    },
    "dark": {
        "paper": "#14171C",
        "text": "#E8EBEF",
        "soft": "#A9B1BB",
        "grid": "#2C323A",
        "line": "#6B7480",
    },
}


def check_theme(theme: str) -> Theme:
    """One of the two themes."""
    for known in THEMES:
        if theme == known:
            return known
    raise ParameterError(f"theme must be 'light' or 'dark', not {theme!r}.")


def sequential(theme: Theme) -> list[list[Any]]:
    """Little near the ground's lightness, much far from it.

    >>> sequential("light")[-1]
    [1.0, '#00224E']
    """
    return _scale(SEQUENTIAL[theme])


def diverging(theme: Theme) -> list[list[Any]]:
    """Blue below, orange above, the ground's own colour between."""
    return _scale(DIVERGING[theme])


def _scale(colours: tuple[str, ...]) -> list[list[Any]]:
    last = len(colours) - 1
    return [[k / last, colour] for k, colour in enumerate(colours)]


def template(theme: str = "light") -> dict[str, Any]:
    """Plotly's template of a theme, as plain data.

    Figures leave to the template whatever differs between themes, so a page changes theme by
    giving its figures another template.

    >>> template("dark")["layout"]["paper_bgcolor"]
    '#14171C'
    """
    name = check_theme(theme)
    ink = INK[name]
    axis = {
        "gridcolor": ink["grid"],
        "linecolor": ink["line"],
        "zerolinecolor": ink["line"],
        "tickcolor": ink["line"],
        "tickfont": {"color": ink["text"], "size": 12},
        "title": {"font": {"color": ink["soft"], "size": 13}, "standoff": 10},
        "zeroline": False,
        "showline": True,
        "ticks": "outside",
        "ticklen": 4,
        "automargin": True,
    }
    bar = {"outlinewidth": 0, "thickness": 14, "tickfont": {"size": 12}, "title": {"side": "right"}}
    layout = {
        "font": {"family": FONT, "size": 13, "color": ink["text"]},
        "title": {
            "font": {"size": 15.5, "color": ink["text"], "weight": 500},
            "subtitle": {"font": {"size": 12, "color": ink["soft"]}},
        },
        "paper_bgcolor": ink["paper"],
        "plot_bgcolor": ink["paper"],
        "colorway": list(CATEGORICAL[name]),
        "coloraxis": {"colorscale": sequential(name), "colorbar": bar},
        "colorscale": {
            "sequential": sequential(name),
            "sequentialminus": sequential(name),
            "diverging": diverging(name),
        },
        "hoverlabel": {
            "bgcolor": ink["paper"],
            "bordercolor": ink["line"],
            "font": {"family": FONT, "size": 13, "color": ink["text"]},
            "align": "left",
            "namelength": -1,
        },
        "legend": {"font": {"size": 12}, "title": {"font": {"size": 12}}},
        "annotationdefaults": {"font": {"size": 12, "color": ink["soft"]}, "showarrow": False},
        "shapedefaults": {"line": {"color": ink["line"]}},
        "xaxis": axis,
        "yaxis": axis,
    }
    return {"layout": layout}
