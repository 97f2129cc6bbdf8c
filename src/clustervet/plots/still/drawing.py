"""One figure: where its axes lie, and everything around the traces."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clustervet.plots.still import traces
from clustervet.plots.still.axes import Axis, array_of, list_of
from clustervet.plots.still.pen import TEXT_SIZE, Pen, lines_of, paint, width_of
from clustervet.plots.theme import FONT

Area = tuple[float, float, float, float]
TICK, GAP, LINE, TITLE_SIZE, HEAD_SIZE = 4, 3, 15, 13, 15.5
ROW, SAMPLE, EDGE = 20, 30, 16
# The scale of a heat map: room for it, its width, and its steps.
SCALE_ROOM, SCALE_WIDTH, SCALE_STEPS = 92, 14, 24


class Entry(NamedTuple):
    """A trace in the legend, and how far from the left it stands."""

    at: int
    trace: Mapping[str, Any]
    x: float


class Drawing:
    """A figure being drawn."""

    def __init__(self, figure: Any, width: int, templates: Sequence[Any]) -> None:
        self.layout: Mapping[str, Any] = figure["layout"]
        self.traces = [_whole(trace) for trace in figure["data"]]
        self.width, self.height = width, int(self.layout.get("height") or 450)
        self.pen = Pen(templates)
        names = sorted({name for trace in self.traces for name in _axes_of(trace)})
        base = templates[0]["layout"]
        self.axes = {name: Axis(name, _options(base, self.layout, name)) for name in names}
        self.scale = self._scale()

    def text(self) -> str:
        """Return the whole drawing."""
        self._collect()
        rows = self._legend_rows()
        area = self._lay_out(ROW * len(rows) + 6 if rows else 0)
        pen = self.pen
        pen.box(0, 0, self.width, self.height, paint(pen.colours("paper_bgcolor")))
        self._draw_title()
        self._draw_grids()
        for shape in self.layout.get("shapes") or ():
            self._draw_shape(shape, area)
        for index, trace in enumerate(self.traces):
            self._draw_trace(trace, index, area)
        for axis in self.axes.values():
            if axis.is_visible:
                self._draw_axis(axis)
        if self.scale:
            self._draw_scale(self.scale, area)
        for note in self.layout.get("annotations") or ():
            self._draw_note(note, area)
        self._draw_legend(rows)
        said = html.escape((self.layout.get("meta") or {}).get("title", "figure"))
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img" aria-label="{said}" '
            f'font-family="{html.escape(FONT)}" font-size="{TEXT_SIZE}">'
        )
        return "".join([head, *pen.parts, "</svg>"])

    # What is shown, and where.

    def _scale(self) -> traces.Scale | None:
        cells = [np.asarray(array_of(t["z"]), float) for t in self.traces if t["type"] == "heatmap"]
        if not cells:
            return None
        known = np.concatenate([part[np.isfinite(part)] for part in cells])
        axis = self.layout.get("coloraxis") or {}
        low = float(axis.get("cmin", known.min() if known.size else 0.0))
        high = float(axis.get("cmax", known.max() if known.size else 1.0))
        return traces.Scale(low, high if high > low else low + 1, bool(axis.get("reversescale")))

    def _collect(self) -> None:
        """Give each axis its values and its range."""
        from_zero = set()
        for trace in self.traces:
            pair = [self.axes[name] for name in _axes_of(trace)]
            for axis in pair:
                axis.values += axis.numbers(trace.get(axis.letter))
            if not pair:
                continue
            if trace["type"] == "bar":
                from_zero.add(pair[0 if trace.get("orientation") == "h" else 1].name)
            if trace.get("fill") == "tozerox":
                pair[0].values.append(0.0)
            error = trace.get("error_x") or {}
            for sign, key in ((1, "array"), (-1, "arrayminus")):
                far = zip(pair[0].numbers(trace.get("x")), list_of(error.get(key)), strict=False)
                pair[0].values += [at + sign * (reach or 0.0) for at, reach in far]
        for axis in self.axes.values():
            axis.settle(cells=self.scale is not None, from_zero=axis.name in from_zero)

    def _lay_out(self, below: float) -> Area:
        """Place all axes, with room around them for what is written there."""
        margin = self.layout.get("margin") or {}
        left, right, top, bottom = (float(margin.get(key, EDGE)) for key in "lrtb")
        right += SCALE_ROOM if self.scale else 0
        # The number of ticks depends on the room, so room is made for what a first guess needs.
        room, beside = {"x": 0.0, "y": 0.0}, [right]
        for axis in self.axes.values():
            full = self.width - 90 if axis.letter == "x" else self.height - top - 60
            axis.end = max(full * (axis.domain[1] - axis.domain[0]), 40.0)
            # A figure has left room for what stands above it.
            if self._across(axis).domain[0] == 0 and axis.options.get("side") != "top":
                room[axis.letter] = max(room[axis.letter], self._room(axis))
            if axis.letter == "x" and axis.ticks() and not self._is_turned(axis):
                beside.append(width_of(axis.ticks()[-1][1]) / 2)
        left, right = left + room["y"], max(beside)
        bottom = max(bottom + room["x"] + below - (10 if below else 0), below + 4)
        wide, tall = max(self.width - left - right, 40), max(self.height - top - bottom, 40)
        for axis in self.axes.values():
            ends = (
                left + share * wide if axis.letter == "x" else top + (1 - share) * tall
                for share in axis.domain
            )
            axis.start, axis.end = ends
        self._keep_ratio()
        return left, top, wide, tall

    def _room(self, axis: Axis) -> float:
        """Return the room of labels and title beside an axis."""
        if not axis.is_visible:
            return 0.0
        texts = [text for _, text in axis.ticks()]
        if axis.letter == "y" or self._is_turned(axis):
            labels = max(map(width_of, texts), default=0.0)
        else:
            labels = LINE * max((len(lines_of(text)) for text in texts), default=0)
        title = axis.options["title"]
        above = TITLE_SIZE + float(title.get("standoff", 10)) if title.get("text") else 0
        return TICK + GAP + labels + above

    def _is_turned(self, axis: Axis) -> bool:
        """Whether labels below an axis are written upwards."""
        if axis.letter == "y":
            return False
        if axis.options.get("tickangle") is not None:
            return abs(float(axis.options["tickangle"])) > 45
        ticks = axis.ticks()
        room = abs(axis.end - axis.start) / max(len(ticks), 1)
        return bool(axis.names) and any(width_of(text) > room for _, text in ticks)

    def _across(self, axis: Axis) -> Axis:
        """Return the axis at which an axis stands."""
        other = "y" if axis.letter == "x" else "x"
        return self.axes.get(str(axis.options.get("anchor"))) or self.axes[other]

    def _keep_ratio(self) -> None:
        """Widen ranges until axes that belong together have the same unit."""
        for axis in self.axes.values():
            other = self.axes.get(str(axis.options.get("scaleanchor")))
            if other:
                least = min(axis.unit, other.unit)
                for one in (axis, other):
                    extra = (one.unit / least - 1) * (one.high - one.low) / 2
                    one.low, one.high = one.low - extra, one.high + extra

    def _spot(self, item: Mapping[str, Any], key: str, area: Area) -> float:
        """Return where a shape or a text stands: on an axis, along one, or on the area."""
        reference, value = str(item.get(f"{key[0]}ref") or key[0]), item[key]
        if reference == "paper":
            if key[0] == "x":
                return area[0] + float(value) * area[2]
            return area[1] + (1 - float(value)) * area[3]
        axis = self.axes[reference.split()[0]]
        if reference.endswith("domain"):
            return axis.start + float(value) * (axis.end - axis.start)
        return axis.place(axis.number(value))

    # What is around the traces.

    def _draw_title(self) -> None:
        title = self.layout.get("title") or {}
        pad, head = title.get("pad") or {}, str(title.get("text") or "")
        left, top = float(pad.get("l", 0)), float(pad.get("t", 0)) + 10
        colours = self.pen.colours("title", "font", "color")
        self.pen.write(left, top, head, colours, size=HEAD_SIZE, weight=500)
        soft = self.pen.colours("title", "subtitle", "font", "color")
        note = str((title.get("subtitle") or {}).get("text") or "")
        self.pen.write(left, top + 20 * len(lines_of(head)), note, soft)

    def _draw_note(self, note: Mapping[str, Any], area: Area) -> None:
        font = note.get("font") or {}
        size = float(font.get("size") or TEXT_SIZE)
        tall = 1.3 * size * len(lines_of(note["text"]))
        drops = {"bottom": size - tall, "top": size + 2}
        drop = drops.get(str(note.get("yanchor")), size * 0.85 - tall / 2)
        x = self._spot(note, "x", area) + float(note.get("xshift") or 0)
        y = self._spot(note, "y", area) - float(note.get("yshift") or 0) + drop
        anchor = {"left": "start", "right": "end"}.get(str(note.get("xanchor")), "middle")
        own = (str(font["color"]),) if font.get("color") else None
        colours = own or self.pen.colours("annotationdefaults", "font", "color")
        self.pen.write(x, y, note["text"], colours, size=size, anchor=anchor)

    def _draw_shape(self, shape: Mapping[str, Any], area: Area) -> None:
        x0, x1, y0, y1 = (self._spot(shape, key, area) for key in ("x0", "x1", "y0", "y1"))
        line = shape.get("line") or {}
        own = (str(line["color"]),) if line.get("color") else None
        colours = own or self.pen.colours("shapedefaults", "line", "color")
        width = f' stroke-width="{line.get("width", 2):g}"'
        style = paint(colours, "stroke") + width + traces.dash_of(line) + ' fill="none"'
        if shape.get("type") == "line":
            self.pen.path(f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}", style)
        else:
            self.pen.box(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0), style)

    def _draw_trace(self, trace: Mapping[str, Any], index: int, area: Area) -> None:
        if trace["type"] == "sankey":
            traces.draw_flows(self.pen, trace, area)
            return
        x, y = (self.axes[name] for name in _axes_of(trace))
        if trace["type"] == "scatter":
            traces.draw_scatter(self.pen, trace, x, y, index)
        elif trace["type"] == "bar":
            traces.draw_bars(self.pen, trace, x, y, index)
        elif self.scale:
            traces.draw_heat(self.pen, trace, x, y, self.scale)

    def _draw_grids(self) -> None:
        for axis in self.axes.values():
            if axis.is_visible and axis.options.get("showgrid") is not False:
                across = self._across(axis)
                places = (axis.place(at) for at, _ in axis.ticks())
                lines = [_rule(axis.letter, at, across.start, across.end) for at in places]
                ink = paint(self.pen.colours(f"{axis.letter}axis", "gridcolor"), "stroke")
                self.pen.path("".join(lines), ink)

    def _draw_axis(self, axis: Axis) -> None:
        options, across = axis.options, self._across(axis)
        is_above = options.get("side") == "top"
        edge = across.end if is_above else across.start
        outward = -1 if is_above or axis.letter == "y" else 1
        places = [axis.place(at) for at, _ in axis.ticks()]
        lines = [_rule(axis.letter, at, edge, edge + outward * TICK) for at in places]
        if options.get("showline"):
            lines.append(_rule("y" if axis.letter == "x" else "x", edge, axis.start, axis.end))
        if options.get("zeroline") and min(axis.low, axis.high) < 0 < max(axis.low, axis.high):
            lines.append(_rule(axis.letter, axis.place(0.0), across.start, across.end))
        ink = paint(self.pen.colours(f"{axis.letter}axis", "linecolor"), "stroke")
        self.pen.path("".join(lines), ink)
        self._draw_labels(axis, edge + outward * (TICK + GAP), outward)
        colours = self.pen.colours(f"{axis.letter}axis", "title", "font", "color")
        middle, room = (axis.start + axis.end) / 2, self._room(axis)
        x, y = middle, edge + (room - 2 if outward > 0 else 10 - room)
        if axis.letter == "y":
            x, y = edge - room + 10, middle
        turn, title = (-90 if axis.letter == "y" else 0), str(options["title"].get("text") or "")
        self.pen.write(x, y, title, colours, size=TITLE_SIZE, anchor="middle", turn=turn)

    def _draw_labels(self, axis: Axis, edge: float, outward: int) -> None:
        colours = self.pen.colours(f"{axis.letter}axis", "tickfont", "color")
        turned = self._is_turned(axis)
        for number, text in axis.ticks():
            at = axis.place(number)
            if axis.letter == "y":
                rise = 4 - 0.65 * TEXT_SIZE * (len(lines_of(text)) - 1)
                self.pen.write(edge, at + rise, text, colours, anchor="end")
            elif turned:
                anchor = "end" if outward > 0 else "start"
                self.pen.write(at + 4, edge, text, colours, anchor=anchor, turn=-90)
            else:
                drop = 10 if outward > 0 else -3
                self.pen.write(at, edge + drop, text, colours, anchor="middle")

    def _draw_scale(self, scale: traces.Scale, area: Area) -> None:
        left, top, tall = area[0] + area[2] + EDGE, area[1], area[3]
        step = tall / SCALE_STEPS
        for k in range(SCALE_STEPS):
            ink = paint(self.pen.shade(k / (SCALE_STEPS - 1), scale.reverse))
            self.pen.box(left, top + tall - step * (k + 1), SCALE_WIDTH, step + 0.5, ink)
        bar = (self.layout.get("coloraxis") or {}).get("colorbar") or {}
        axis = Axis("y", bar, low=scale.low, high=scale.high, start=top + tall, end=top)
        colours = self.pen.colours("font", "color")
        for value, text in axis.ticks():
            self.pen.write(left + SCALE_WIDTH + 5, axis.place(value) + 4, text, colours)
        title = str((bar.get("title") or {}).get("text") or "")
        x, y = left + SCALE_ROOM - 24, top + tall / 2
        self.pen.write(x, y, title, colours, size=TITLE_SIZE, anchor="middle", turn=90)

    # The legend.

    def _legend_rows(self) -> list[list[Entry]]:
        rows: list[list[Entry]] = []
        x = float(EDGE)
        for index, trace in enumerate(self.traces if self.layout.get("showlegend") else ()):
            if not trace.get("name") or trace.get("showlegend") is False:
                continue
            need = SAMPLE + 24 + width_of(str(trace["name"]))
            if not rows or x + need > self.width - EDGE:
                rows.append([])
                x = float(EDGE)
            rows[-1].append(Entry(index, trace, x))
            x += need
        return rows

    def _draw_legend(self, rows: Sequence[Sequence[Entry]]) -> None:
        for k, row in enumerate(rows):
            y = self.height - ROW * (len(rows) - k) + 6.0
            for index, trace, x in row:
                mode = str(trace.get("mode") or "lines")
                if "lines" in mode:
                    plain = {**trace, "fill": None}
                    traces.draw_line(self.pen, plain, [x, x + SAMPLE], [y, y], index, 0.0)
                if "markers" in mode:
                    marker = trace.get("marker") or {}
                    sizes = marker.get("size", 6)
                    size = sizes if isinstance(sizes, int | float) else max(list_of(sizes))
                    shown = {**trace, "marker": {**marker, "size": min(float(size), 14.0)}}
                    traces.draw_marks(self.pen, shown, [(0, x + SAMPLE / 2, y)], index)
                colours = self.pen.colours("font", "color")
                self.pen.write(x + SAMPLE + 6, y + 4, str(trace["name"]), colours)


def _axes_of(trace: Mapping[str, Any]) -> Iterator[str]:
    if trace["type"] != "sankey":
        yield str(trace.get("xaxis") or "x")
        yield str(trace.get("yaxis") or "y")


def _whole(trace: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a trace with the places that plotly gives where none are given: 0, 1, 2, ..."""
    if trace["type"] == "sankey":
        return trace
    sizes: dict[str, Any] = {key: trace[key] for key in "xy" if trace.get(key) is not None}
    if trace["type"] == "heatmap":
        tall, wide = np.shape(array_of(trace["z"]))
        return {"x": list(range(wide)), "y": list(range(tall)), **trace}
    count = max((len(list_of(values)) for values in sizes.values()), default=0)
    return {**trace, **{key: list(range(count)) for key in "xy" if key not in sizes}}


def _options(base: Mapping[str, Any], layout: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what the template and the figure say about an axis."""
    general = base[f"{name[0]}axis"]
    given = layout.get(f"{name[0]}axis{name[1:]}") or {}
    return {**general, **given, "title": {**general["title"], **(given.get("title") or {})}}


def _rule(letter: str, at: float, start: float, end: float) -> str:
    """Return a line that crosses an axis at a place."""
    if letter == "x":
        return f"M{at:.1f} {start:.1f}V{end:.1f}"
    return f"M{start:.1f} {at:.1f}H{end:.1f}"
