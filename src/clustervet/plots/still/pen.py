"""Colours of one theme or of two, and texts and marks in them."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

Colours = tuple[str, ...]

TEXT_SIZE = 12
# Width of a letter as a share of its size; narrower and wider ones even out.
LETTER = 0.6
# The texts on light cells and on dark ones, and the brightness between the two.
DARK, LIGHT, MIDDLE = "#1B1F24", "#FFFFFF", 135


class Pen:
    """What has been drawn so far, and the colours to go on with."""

    def __init__(self, templates: Sequence[Mapping[str, Any]]) -> None:
        self.layouts = [template["layout"] for template in templates]
        self.parts: list[str] = []

    def colours(self, *path: str | int) -> Colours:
        """Return the colour at one place of each template."""
        found = []
        for layout in self.layouts:
            for step in path:
                layout = layout[step]
            found.append(str(layout))
        return tuple(found)

    def shade(self, share: float, reverse: bool) -> Colours:
        """Return the colours of a share from 0 to 1 on the scale of heat maps."""
        found = []
        for layout in self.layouts:
            scale = layout["coloraxis"]["colorscale"]
            at = min(max(1 - share if reverse else share, 0.0), 1.0) * (len(scale) - 1)
            k = min(int(at), len(scale) - 2)
            low, high = (rgb(scale[k + j][1]) for j in (0, 1))
            mixed = (round(a + (b - a) * (at - k)) for a, b in zip(low, high, strict=True))
            found.append("#" + "".join(f"{part:02x}" for part in mixed))
        return tuple(found)

    def path(self, data: str, attributes: str) -> None:
        """Draw a path, unless it is empty."""
        if data:
            self.parts.append(f'<path d="{data}"{attributes}/>')

    def box(self, x: float, y: float, wide: float, tall: float, attributes: str) -> None:
        """Draw a rectangle."""
        size = f'width="{wide:.1f}" height="{tall:.1f}"'
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" {size}{attributes}/>')

    def write(
        self,
        x: float,
        y: float,
        text: str,
        colours: Colours,
        *,
        size: float = TEXT_SIZE,
        anchor: str = "start",
        turn: int = 0,
        weight: int = 400,
    ) -> None:
        """Write lines of text, the first one on the height `y`."""
        lines = [html.escape(line, quote=False) for line in lines_of(text)]
        if not any(lines):
            return
        rest = (f'<tspan x="{x:.1f}" dy="{1.3 * size:.1f}">{line}</tspan>' for line in lines[1:])
        options = {
            "font-size": f"{size:g}" if size != TEXT_SIZE else "",
            "text-anchor": anchor if anchor != "start" else "",
            "font-weight": str(weight) if weight != 400 else "",
            "transform": f"rotate({turn} {x:.1f} {y:.1f})" if turn else "",
        }
        given = "".join(f' {name}="{value}"' for name, value in options.items() if value)
        head = f'<text x="{x:.1f}" y="{y:.1f}"{given}{paint(colours)}>'
        self.parts.append("".join([head, lines[0], *rest, "</text>"]))


def rgb(colour: str) -> tuple[int, ...]:
    """Return the three parts of a colour like "#0072B2"."""
    return tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5))


def paint(colours: Colours, what: str = "fill") -> str:
    """Return one attribute; where light and dark differ, also a style that follows the page."""
    plain = f' {what}="{html.escape(colours[0])}"'
    if len(set(colours)) == 1:
        return plain
    return f'{plain} style="{what}:light-dark({",".join(colours)})"'


def text_on(colours: Colours) -> Colours:
    """Return the colours of a text on a cell: dark on light cells, light on dark ones."""
    bright = (sum(w * c for w, c in zip((3, 6, 1), rgb(x), strict=True)) / 10 for x in colours)
    return tuple(DARK if value > MIDDLE else LIGHT for value in bright)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text of plotly, without its tags."""
    parts = str(text).split("<br>")
    return [html.unescape(re.sub(r"</?(?:b|i|sub|sup|span)[^>]*>", "", part)) for part in parts]


def width_of(text: str, size: float = TEXT_SIZE) -> float:
    """Return about how many pixels the longest line of a text takes."""
    return max(
        size * LETTER * sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
        for line in lines_of(text)
    )
