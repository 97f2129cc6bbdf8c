"""Colours, fonts and templates that colour-blind readers can use, for light and dark pages."""

from __future__ import annotations

from typing import Any, Literal

from clustervet._checks import one_of

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

# Fonts that the reader's machine has; nothing is fetched.
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'

# Hues of Okabe & Ito (2008), in an order in which neighbours also differ in lightness. On a dark
# background the same hues are lighter.
CATEGORICAL: dict[Theme, tuple[str, ...]] = {
    "light": ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"),
    "dark": ("#5AAEE0", "#FF8A3D", "#2FC795", "#E8A5CB", "#F5C04A", "#A5DBFA"),
}
# Middle tones that stand out on both backgrounds, for colours that a template cannot change.
EITHER = ("#2A86C4", "#DD6B1F", "#12A57C", "#C877A6", "#D6952B", "#5AAEDB")
QUIET = "#8A8F98"
SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "x", "star", "triangle-down")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")

# Lightness changes evenly, away from that of the background, so the order is seen in grey print and
# with any colour vision: blues on light, and on dark from blue to yellow as in cividis (Nuñez,
# Anderton & Renslow 2018). The first colour still differs from the background: a cell may be small.
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


def _scale(colours: tuple[str, ...]) -> list[list[Any]]:
    """Return colours at equal steps from 0 to 1."""
    return [[k / (len(colours) - 1), colour] for k, colour in enumerate(colours)]


def template(theme: str = "light") -> dict[str, Any]:
    """Return plotly's template of a theme, as plain data.

    Parameters
    ----------
    theme : {"light", "dark"}, default "light"
        The colours.

    Returns
    -------
    dict
        The template. It holds everything that differs between themes, so a page changes the theme
        of a finished figure by giving it another template.

    Raises
    ------
    ParameterError
        If there is no such theme.

    Examples
    --------
    >>> template("dark")["layout"]["paper_bgcolor"]
    '#14171C'
    """
    name: Theme = one_of(theme, "theme", THEMES)
    ink, ramp = INK[name], _scale(SEQUENTIAL[name])
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
        "coloraxis": {"colorscale": ramp, "colorbar": bar},
        "colorscale": {
            "sequential": ramp,
            "sequentialminus": ramp,
            "diverging": _scale(DIVERGING[name]),
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
