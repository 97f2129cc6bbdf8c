"""Axes: where their values lie, and which ticks they have."""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Room of a tick in pixels, across and upwards, and the share of a range beyond its values.
ROOM = {"x": 75, "y": 45}
BEYOND = 0.07
# Room of a name; of more names some are left out.
NARROW = 12


@dataclass
class Axis:
    """An axis; `low` and `high` are the ends of its range, `start` and `end` their places."""

    name: str
    options: Mapping[str, Any]
    names: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    low: float = 0.0
    high: float = 1.0
    start: float = 0.0
    end: float = 1.0

    @property
    def letter(self) -> str:
        """Return "x" or "y"."""
        return self.name[0]

    @property
    def is_log(self) -> bool:
        """Whether its numbers are powers of 10."""
        return self.options.get("type") == "log"

    @property
    def is_visible(self) -> bool:
        """Whether it is drawn."""
        return self.options.get("visible") is not False

    @property
    def domain(self) -> tuple[float, float]:
        """Return the part of the area that it takes."""
        first, last = self.options.get("domain") or (0.0, 1.0)
        return float(first), float(last)

    @property
    def unit(self) -> float:
        """Return the length of one unit in pixels."""
        return abs((self.end - self.start) / (self.high - self.low))

    def number(self, value: Any) -> float:
        """Return a value as a number on this axis; NaN for none."""
        if value is None:
            return math.nan
        if isinstance(value, str):
            if value not in self.names:
                self.names.append(value)
            return float(self.names.index(value))
        if self.is_log:
            return math.log10(value) if value > 0 else math.nan
        return float(value)

    def numbers(self, values: Any) -> list[float]:
        """Return all values as numbers."""
        return [self.number(value) for value in list_of(values)]

    def place(self, number: float) -> float:
        """Return where a number lies, in pixels."""
        return self.start + (number - self.low) / (self.high - self.low) * (self.end - self.start)

    def settle(self, *, cells: bool, from_zero: bool) -> None:
        """Choose the range, once all values are known."""
        known = [value for value in self.values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(known), max(known)
        if self.names or cells:
            low, high = low - 0.5, high + 0.5
        else:
            pad = (high - low or 1.0) * BEYOND
            low, high = low - pad, high + pad
        if (from_zero or self.options.get("rangemode") == "tozero") and not self.is_log:
            low, high = (low if min(known) < 0 else 0.0), max(high, 0.0)
        self.low, self.high = map(float, self.options.get("range") or (low, high))
        if self.low == self.high:
            self.low, self.high = self.low - 0.5, self.high + 0.5
        if self.options.get("autorange") == "reversed":
            self.low, self.high = self.high, self.low

    def ticks(self) -> list[tuple[float, str]]:
        """Return where ticks stand, and what is written there."""
        if not self.is_visible or self.options.get("showticklabels") is False:
            return []
        low, high = sorted((self.low, self.high))
        given, texts = self.options.get("tickvals"), self.options.get("ticktext")
        if given is not None:
            places = self.numbers(given)
            shown = [str(x) for x in list_of(texts)] or [self._text(at, 1) for at in places]
        elif self.names:
            step = math.ceil(len(self.names) * NARROW / max(abs(self.end - self.start), 1.0))
            places = [float(k) for k in range(0, len(self.names), step)]
            shown = self.names[::step]
        elif self.is_log:
            parts = (1, 2, 5) if high - low < 3 else (1,)
            powers = range(math.floor(low), math.ceil(high) + 1)
            values = [part * 10.0**power for power in powers for part in parts]
            places, shown = list(map(math.log10, values)), [self._text(v, v) for v in values]
        else:
            width = float(self.options.get("dtick") or self._step(high - low))
            first, last = math.ceil(low / width - 1e-9), math.floor(high / width + 1e-9)
            places = [k * width for k in range(first, last + 1)]
            shown = [self._text(place, width) for place in places]
        slack = 1e-9 * (high - low)
        pairs = zip(places, shown, strict=True)
        return [(at, text) for at, text in pairs if low - slack <= at <= high + slack]

    def _step(self, span: float) -> float:
        """Return the smallest round step with room for its ticks."""
        room = abs(self.end - self.start) / ROOM[self.letter]
        most = float(self.options.get("nticks") or max(2.0, room))
        size = 10.0 ** math.floor(math.log10(span / most))
        step = next(f * size for f in (1, 2, 5, 10, 20) if span / (f * size) <= most)
        shares = str(self.options.get("tickformat") or "").endswith("%")
        whole = self.values and not shares and all(v % 1 == 0 for v in self.values)
        return max(step, 1.0) if whole else step

    def _text(self, value: float, step: float) -> str:
        form = str(self.options.get("tickformat") or "")
        if form.endswith("%"):
            return f"{value:{form}}"
        if form == "~s" and abs(value) >= 1_000:
            power = min(int(math.log10(abs(value)) // 3), 4)
            return f"{value / 1_000**power:.4g}{' kMGT'[power]}"
        digits = max(0, -math.floor(math.log10(abs(step)) + 1e-9))
        text = f"{value:,.{min(digits, 9)}f}"
        return "0" if float(text.replace(",", "")) == 0 else text


def array_of(values: Any) -> Any:
    """Return values as they are; plotly packs some of them."""
    if not isinstance(values, Mapping):
        return values
    found = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    shape = str(values.get("shape") or len(found))
    return found.reshape([int(side) for side in shape.split(",")])


def list_of(values: Any) -> list[Any]:
    """Return values as a list of plain ones."""
    values = array_of(values)
    if isinstance(values, np.ndarray):
        return list(values.tolist())
    return list(values) if values is not None else []


def one_of_many(given: Any, k: int) -> Any:
    """Return the value of the `k`-th mark where all share one, or each has its own."""
    return given if isinstance(given, str | int | float) else list_of(given)[k]
