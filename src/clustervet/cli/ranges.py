"""Ranges and lists of numbers as people type them."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation

from clustervet.errors import ParameterError
from clustervet.labels import show_label

MOST = 10_000


def whole_numbers(text: str, option: str) -> list[int]:
    """`2..20`, `2..20..2`, `2,3,5` or `2..5,10` as whole numbers."""
    values = numbers(text, option)
    for value in values:
        if not float(value).is_integer():
            raise ParameterError(f"{option} takes whole numbers, not {value:g}.")
    return [int(value) for value in values]


def numbers(text: str, option: str) -> list[float]:
    """`0.1..1..0.1`, `0.5,1,2` and mixtures of both as numbers; ends are included."""
    found: list[float] = []
    for part in text.split(","):
        ends = [_number(end, text, option) for end in part.split("..")]
        if len(ends) == 1:
            found.append(float(ends[0]))
            continue
        if len(ends) > 3:
            raise _unreadable(text, option)
        low, high, step = (*ends, Decimal(1))[:3]
        if step <= 0 or high < low:
            raise ParameterError(
                f"{option} {show_label(text)} is empty; a range is low..high or low..high..step."
            )
        count = math.floor((high - low) / step) + 1
        if count > MOST:
            raise ParameterError(f"{option} {show_label(text)} has more than {MOST:,} values.")
        found += [float(low + k * step) for k in range(count)]
    return list(dict.fromkeys(found))


def _number(text: str, whole: str, option: str) -> Decimal:
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise _unreadable(whole, option) from None
    if not value.is_finite():
        raise _unreadable(whole, option)
    return value


def _unreadable(text: str, option: str) -> ParameterError:
    return ParameterError(
        f"{option} {show_label(text)!r} is neither a range such as 2..20 or 0.1..1..0.1 nor a "
        "list such as 2,3,5."
    )
