"""Points, lines, bars, heat maps and flows."""

from __future__ import annotations

import base64
import itertools
import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clustervet.plots.still.axes import Axis, array_of, list_of, one_of_many
from clustervet.plots.still.pen import TEXT_SIZE, Colours, Pen, paint, rgb, text_on

Trace = Mapping[str, Any]
Places = Sequence[tuple[float, float]]
# Marks of a trace from which on they are one path of dots, and cells from which on they are an
# image.
MANY_MARKS, MANY_CELLS = 400, 1_600
DASHES = {
    "dash": "9 6",
    "dot": "2 4",
    "dashdot": "9 4 2 4",
    "longdash": "14 6",
    "longdashdot": "14 5 2 5",
}
# The corners of marks of radius 1, and the ends of the strokes of those that are lines.
_CROSS = [(-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4)]
_CROSS += [(-x, -y) for x, y in _CROSS]
_TURNS = [(math.pi * (k / 5 - 0.5), 0.55 if k % 2 else 1.3) for k in range(10)]
SHAPES: dict[str, Places] = {
    "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    "diamond": [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
    "triangle-up": [(0, -1.2), (1.1, 0.75), (-1.1, 0.75)],
    "triangle-down": [(0, 1.2), (1.1, -0.75), (-1.1, -0.75)],
    "cross": _CROSS,
    "x": [((x - y) * math.sqrt(0.5), (x + y) * math.sqrt(0.5)) for x, y in _CROSS],
    "star": [(far * math.cos(turn), far * math.sin(turn)) for turn, far in _TURNS],
}
STROKES: dict[str, Places] = {
    "line-ns": [(0, -1.4), (0, 1.4)],
    "x-thin": [(-1, -1), (1, 1), (-1, 1), (1, -1)],
}


class Scale(NamedTuple):
    """The values at the ends of the colours, and whether they run the other way."""

    low: float
    high: float
    reverse: bool

    def share(self, value: Any) -> Any:
        """Return where values lie between the ends, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)


def colour_of(pen: Pen, trace: Trace, index: int, *keys: str) -> Colours:
    """Return the first colour that a trace has at these keys, or else that of its place."""
    for key in keys:
        given = (trace.get(key) or {}).get("color")
        if isinstance(given, str):
            return (given,)
    return pen.colours("colorway", index % len(pen.layouts[0]["colorway"]))


def dash_of(line: Mapping[str, Any]) -> str:
    """Return the attribute of a dashed line."""
    dash = DASHES.get(str(line.get("dash")))
    return f' stroke-dasharray="{dash}"' if dash else ""


def draw_scatter(pen: Pen, trace: Trace, x: Axis, y: Axis, index: int) -> None:
    """Draw points, lines and areas with their texts."""
    xs = [x.place(number) for number in x.numbers(trace.get("x"))]
    ys = [y.place(number) for number in y.numbers(trace.get("y"))]
    mode, opacity = str(trace.get("mode") or "lines"), trace.get("opacity", 1)
    left, top = min(x.start, x.end), min(y.start, y.end)
    wide, tall = abs(x.end - x.start), abs(y.end - y.start)
    pen.parts.append(f'<g opacity="{opacity:g}">' if opacity != 1 else "<g>")
    if "lines" in mode or trace.get("error_x"):
        # A drawing within the drawing cuts off what lies outside the axes.
        box = f"{left:.1f} {top:.1f} {wide:.1f} {tall:.1f}"
        places = zip(("x", "y", "width", "height"), box.split(), strict=True)
        given = " ".join(f'{name}="{value}"' for name, value in places)
        pen.parts.append(f'<svg {given} viewBox="{box}">')
        if "lines" in mode:
            draw_line(pen, trace, xs, ys, index, x.place(0.0))
        if trace.get("error_x"):
            _draw_errors(pen, trace, xs, ys, x, index)
        pen.parts.append("</svg>")
    if "markers" in mode:
        inside = [
            (k, a, b)
            for k, (a, b) in enumerate(zip(xs, ys, strict=True))
            if left - 1 <= a <= left + wide + 1 and top - 1 <= b <= top + tall + 1
        ]
        draw_marks(pen, trace, inside, index)
    pen.parts.append("</g>")
    if "text" in mode:
        _draw_texts(pen, trace, xs, ys)


def draw_line(
    pen: Pen, trace: Trace, xs: Sequence[float], ys: Sequence[float], index: int, zero: float
) -> None:
    """Draw a line with gaps, and the area that it bounds; `zero` is where that area ends."""
    line = trace.get("line") or {}
    colours = colour_of(pen, trace, index, "line", "marker")
    runs = _runs(xs, ys)
    if trace.get("fill"):
        ends = trace["fill"] == "tozerox"
        areas = ([(zero, run[0][1]), *run, (zero, run[-1][1])] if ends else run for run in runs)
        given = trace.get("fillcolor")
        ink = paint((str(given),)) if given else paint(colours) + ' fill-opacity="0.5"'
        pen.path("".join(f"{_path(area)}Z" for area in areas), ink)
    width = line.get("width", 2)
    if width:
        ink = f'{paint(colours, "stroke")}{dash_of(line)} stroke-linejoin="round"'
        pen.path("".join(map(_path, runs)), f' fill="none" stroke-width="{width:g}"{ink}')


def _runs(xs: Sequence[float], ys: Sequence[float]) -> list[list[tuple[float, float]]]:
    """Places in runs without gaps."""
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in zip(xs, ys, strict=True):
        if math.isfinite(x) and math.isfinite(y):
            runs[-1].append((x, y))
        else:
            runs.append([])
    return [run for run in runs if run]


def _path(places: Places) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def _draw_errors(
    pen: Pen, trace: Trace, xs: Sequence[float], ys: Sequence[float], x: Axis, index: int
) -> None:
    error = trace["error_x"]
    up = [value or 0.0 for value in list_of(error.get("array"))]
    down = [value or 0.0 for value in list_of(error.get("arrayminus"))] or up
    cap = float(error.get("width") or 0)
    lines = []
    for at, height, plus, minus in zip(xs, ys, up, down, strict=False):
        if math.isfinite(at) and plus + minus > 0:
            ends = at - minus * x.unit, at + plus * x.unit
            lines.append(f"M{ends[0]:.1f} {height:.1f}H{ends[1]:.1f}")
            lines += [f"M{end:.1f} {height - cap:.1f}v{2 * cap:g}" for end in ends if cap]
    ink = paint(colour_of(pen, trace, index, "error_x", "marker"), "stroke")
    pen.path("".join(lines), f' stroke-width="{error.get("thickness", 2):g}"{ink}')


def draw_marks(
    pen: Pen, trace: Trace, places: Sequence[tuple[int, float, float]], index: int
) -> None:
    """Draw marks at numbered places; very many are drawn as dots."""
    marker = trace.get("marker") or {}
    colours = colour_of(pen, trace, index, "marker", "line")
    sizes, symbols = marker.get("size", 6), marker.get("symbol") or "circle"
    edge, clear = marker.get("line") or {}, marker.get("opacity", 1)
    faint = "" if clear == 1 else f' opacity="{clear:g}"'
    groups: dict[tuple[str, float], list[tuple[float, float]]] = {}
    for k, x, y in places:
        kind = str(one_of_many(symbols, k)), float(one_of_many(sizes, k))
        groups.setdefault(kind, []).append((x, y))
    for (symbol, size), spots in groups.items():
        shape, width = symbol.removesuffix("-open"), edge.get("width", 0)
        is_open, is_plain = shape != symbol, not edge.get("color")
        if not is_open and ((shape == "circle" and is_plain) or len(spots) > MANY_MARKS):
            cap = "square" if shape == "square" else "round"
            ink = f' stroke-width="{size:g}" stroke-linecap="{cap}"{paint(colours, "stroke")}'
            pen.path("".join(f"M{x:.1f} {y:.1f}h0" for x, y in spots), ink + faint)
            continue
        if is_open:
            ink = f' fill="none"{paint(colours, "stroke")} stroke-width="{width or 1:g}"'
        else:
            around = "" if is_plain else paint((str(edge["color"]),), "stroke")
            ink = paint(colours) + (f'{around} stroke-width="{width:g}"' if around else "")
        pen.path("".join(_mark(shape, x, y, size / 2) for x, y in spots), ink + faint)


def _mark(shape: str, x: float, y: float, radius: float) -> str:
    """The outline of one mark."""
    if shape in SHAPES:
        return _path([(x + radius * a, y + radius * b) for a, b in SHAPES[shape]]) + "Z"
    if shape in STROKES:
        ends = ((x + radius * a, y + radius * b) for a, b in STROKES[shape])
        return "".join(_path(pair) for pair in zip(ends, ends, strict=True))
    arc = f"a{radius:g} {radius:g} 0 1 0"
    return f"M{x - radius:.1f} {y:.1f}{arc} {2 * radius:g} 0{arc} {-2 * radius:g} 0Z"


def _draw_texts(pen: Pen, trace: Trace, xs: Sequence[float], ys: Sequence[float]) -> None:
    sides = trace.get("textposition") or "middle center"
    size = float((trace.get("textfont") or {}).get("size") or TEXT_SIZE)
    colours = pen.colours("font", "color")
    for k, (x, y, text) in enumerate(zip(xs, ys, list_of(trace.get("text")), strict=False)):
        if not (text and math.isfinite(x) and math.isfinite(y)):
            continue
        height, _, side = str(one_of_many(sides, k)).partition(" ")
        rise = {"top": -8.0, "bottom": size + 6}.get(height, size * 0.35)
        anchor = {"right": "start", "left": "end"}.get(side, "middle")
        shift = {"start": 6.0, "end": -6.0}.get(anchor, 0.0) / (1 if height == "middle" else 2)
        pen.write(x + shift, y + rise, str(text), colours, size=size, anchor=anchor)


def draw_bars(pen: Pen, trace: Trace, x: Axis, y: Axis, index: int) -> None:
    """Draw bars from zero on, with the texts at the ends of those that lie."""
    lies = trace.get("orientation") == "h"
    along, across = (x, y) if lies else (y, x)
    thick, zero = 0.8 * across.unit, along.place(0.0)
    ink = paint(colour_of(pen, trace, index, "marker"))
    ends = along.numbers(trace[along.letter])
    places = across.numbers(trace[across.letter])
    texts = list_of(trace.get("text")) or [""] * len(ends)
    for value, at, text in zip(ends, places, texts, strict=True):
        end, middle = along.place(value), across.place(at)
        low, long = min(zero, end), abs(end - zero)
        if not lies:
            pen.box(middle - thick / 2, low, thick, long, ink)
            continue
        pen.box(low, middle - thick / 2, long, thick, ink)
        anchor, shift = ("end", -4) if end < zero else ("start", 4)
        pen.write(end + shift, middle + 4, str(text), pen.colours("font", "color"), anchor=anchor)


def draw_heat(pen: Pen, trace: Trace, x: Axis, y: Axis, scale: Scale) -> None:
    """Draw a heat map: cells with their texts, or an image where there are very many."""
    cells = np.asarray(array_of(trace["z"]), float)
    columns = [x.place(at) for at in x.numbers(trace.get("x"))]
    rows = [y.place(at) for at in y.numbers(trace.get("y"))]
    if cells.size > MANY_CELLS:
        shares = scale.share(cells)[np.argsort(rows)]
        corner = f'x="{columns[0] - x.unit / 2:.1f}" y="{min(rows) - y.unit / 2:.1f}"'
        sides = f'width="{x.unit * len(columns):.1f}" height="{y.unit * len(rows):.1f}"'
        pen.parts.append(
            f'<image {corner} {sides} preserveAspectRatio="none" image-rendering="pixelated" '
            f'href="{_image(pen, shares, scale.reverse)}"/>'
        )
        return
    wide, tall = x.unit - float(trace.get("xgap") or 0), y.unit - float(trace.get("ygap") or 0)
    texts = list_of(trace.get("text")) if trace.get("texttemplate") else []
    size = float((trace.get("textfont") or {}).get("size") or TEXT_SIZE)
    for r, c in itertools.product(range(len(rows)), range(len(columns))):
        if not math.isfinite(cells[r, c]):
            continue
        colours = pen.shade(scale.share(cells[r, c]), scale.reverse)
        pen.box(columns[c] - wide / 2, rows[r] - tall / 2, wide, tall, paint(colours))
        if texts:
            said, ink = str(texts[r][c]), text_on(colours)
            pen.write(columns[c], rows[r] + 4, said, ink, size=size, anchor="middle")


def _image(pen: Pen, shares: Any, reverse: bool) -> str:
    """Cells as a PNG in the colours of the first theme; missing ones are clear."""
    steps = [[*rgb(pen.shade(k / 255, reverse)[0]), 255] for k in range(256)]
    known = np.isfinite(shares)
    places = np.where(known, np.clip(np.where(known, shares, 0) * 255, 0, 255).round(), 256)
    pixels = np.array([*steps, [0, 0, 0, 0]], np.uint8)[places.astype(int)]
    rows = np.insert(pixels.reshape(len(pixels), -1), 0, 0, axis=1)  # 0: the row is as it is

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 6, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
    packed = base64.b64encode(b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b""))
    return f"data:image/png;base64,{packed.decode()}"


def draw_flows(pen: Pen, trace: Trace, area: tuple[float, float, float, float]) -> None:
    """Draw flows between columns of nodes, in the order in which they are given."""
    node, link = trace["node"], trace["link"]
    ends = list(zip(list_of(link["source"]), list_of(link["target"]), strict=True))
    values = [float(value) for value in list_of(link["value"])]
    labels = list_of(node["label"])
    column = [0] * len(labels)
    sums = np.zeros((2, len(labels)))
    for (source, target), value in sorted(zip(ends, values, strict=True)):
        column[target] = max(column[target], column[source] + 1)
        sums[0, source] += value
        sums[1, target] += value
    size, thick = sums.max(axis=0), float(node.get("thickness") or 20)
    x, y, unit = _node_places(column, size, thick, float(node.get("pad") or 10), area)
    out, into = y.copy(), y.copy()
    for k in sorted(range(len(ends)), key=lambda k: (ends[k][0], y[ends[k][1]])):
        source, target = ends[k]
        start, stop, tall = x[source] + thick, x[target], unit * values[k]
        a, b, bend = out[source], into[target], (start + stop) / 2
        out[source] += tall
        into[target] += tall
        there = f"M{start:.1f} {a:.1f}C{bend:.1f} {a:.1f} {bend:.1f} {b:.1f} {stop:.1f} {b:.1f}"
        back = f"C{bend:.1f} {b + tall:.1f} {bend:.1f} {a + tall:.1f} {start:.1f} {a + tall:.1f}Z"
        pen.path(f"{there}v{tall:.2f}{back}", paint((str(one_of_many(link["color"], k)),)))
    for k, label in enumerate(labels):
        tall = max(unit * size[k], 0.5)
        pen.box(x[k], y[k], thick, tall, paint((str(one_of_many(node["color"], k)),)))
        is_last = column[k] == max(column)
        at, anchor = (x[k] - 5, "end") if is_last else (x[k] + thick + 5, "start")
        ink = pen.colours("font", "color")
        pen.write(at, y[k] + tall / 2 + 4, str(label), ink, anchor=anchor)


def _node_places(
    column: Sequence[int],
    size: Any,
    thick: float,
    pad: float,
    area: tuple[float, float, float, float],
) -> tuple[Any, Any, float]:
    """Left and upper corners of nodes, and the height of one object."""
    left, top, wide, tall = area
    columns = [[k for k, at in enumerate(column) if at == c] for c in range(max(column) + 1)]
    unit = min((tall - pad * (len(c) - 1)) / max(size[c].sum(), 1e-300) for c in columns)
    x, y = np.zeros(len(column)), np.zeros(len(column))
    for c, nodes in enumerate(columns):
        x[nodes] = left + (wide - thick) * c / max(len(columns) - 1, 1)
        heights = unit * size[nodes] + pad
        y[nodes] = top + (tall - heights.sum() + pad) / 2 + np.cumsum(heights) - heights
    return x, y, float(unit)
