"""Names and numbers as text that a figure can show: short, on one line, and inert."""

from __future__ import annotations

import hashlib
import math
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clustervet.labels import plain_label, show_label

# Characters of a name in a sentence or a hover, and beside an axis.
LONG = 40
SHORT = 24
# Accents that may stand on one letter; more would run over the lines above and below.
MARKS = 2
# The marks between which a text keeps its own direction (Unicode Standard Annex 9, 2.6).
ISOLATE, RELEASE = "\u2068", "\u2069"


def shown(name: Any, width: int = LONG) -> str:
    r"""A name within a sentence: on one short line, not yet escaped.

    A name that runs from right to left is isolated, so that the words around it stay in order.

    >>> shown("x" * 10_000, 8)
    'xxxxx…xx'
    >>> shown("\u05d0", 8)
    '\u2068א\u2069'
    """
    text = short(name, width)
    if not is_rightward(text):
        return text
    return f"{ISOLATE}{short(name, width - 2)}{RELEASE}"


def short(name: Any, width: int = LONG) -> str:
    """A name on one line, cut in the middle: names of many runs differ in their ends.

    >>> short("a clustering with a rather long name, run 13", 35)
    'a clustering with a r… name, run 13'
    """
    plain = plain_label(name)
    text = plain if isinstance(plain, str) else str(plain)
    # Only the ends of a huge name are looked at; a spelled-out character takes ten at most.
    head = show_label(text[:width], 10 * width)
    if len(text) <= width and len(head) <= width:
        return _calm(head)
    last = (width - 1) * 2 // 5
    tail = show_label(text[-width:], 10 * width)[-last:] if last else ""
    while tail and _is_mark(tail[0]):
        tail = tail[1:]
    return _calm(f"{head[: width - 1 - last]}…{tail}")


def is_rightward(text: str) -> bool:
    """Whether a text has letters that run from right to left."""
    return not text.isascii() and any(
        unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text
    )


def _calm(text: str) -> str:
    """The text without the accents of a letter that has too many."""
    if text.isascii():
        return text
    kept: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if _is_mark(character) else 0
        if marks <= MARKS:
            kept.append(character)
    return "".join(kept)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me")


def escape(text: str) -> str:
    """Text that plotly shows as it is: no tag, no entity, no formula, no template.

    >>> escape("<b>$x$</b> & %{x}")
    '&lt;b&gt;&#36;x&#36;&lt;/b&gt; &amp; &#37;{x}'
    """
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, entity)
    return text.replace("$", "&#36;").replace("%{", "&#37;{")


def plot_text(name: Any, width: int = LONG) -> str:
    """A name for plotly: short and escaped.

    >>> plot_text("<script>alert(1)</script>", 12)
    '&lt;script…ipt&gt;'
    """
    return escape(shown(name, width))


def axis_texts(names: Sequence[Any], width: int = SHORT) -> list[str]:
    """Names for an axis, escaped; those that read alike when cut are told apart.

    >>> axis_texts(["a" * 50, "a" * 60], 6)
    ['aaa…aa', 'aaa…aa (2)']
    """
    return [escape(text) for text in distinct_texts(names, width)]


def distinct_texts(names: Iterable[Any], width: int = SHORT) -> list[str]:
    """Names cut short, a number behind those that read alike; not escaped."""
    seen: dict[str, int] = {}
    used: set[str] = set()
    found = []
    for name in names:
        text = short(name, width)
        tried = text
        while tried in used:
            seen[text] = seen.get(text, 1) + 1
            tried = f"{text} ({seen[text]})"
        used.add(tried)
        found.append(tried)
    return found


def ident(kind: str, name: Any) -> str:
    """What a figure's marks carry in `customdata`, the same in every figure: kind and name.

    A long name is cut, with a digest of the whole of it. It is data, not escaped text.

    >>> ident("cluster", 3)
    'cluster:3'
    >>> ident("class", "x" * 10_000)
    'class:xxxxxxxxxxxxxxxxxxxxxxxx~d5ee17e2'
    """
    whole = str(plain_label(name))
    text = show_label(whole, 48)
    if len(whole) > SHORT or text != whole:
        digest = hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=4)
        text = f"{text[:SHORT]}~{digest.hexdigest()}"
    return f"{kind}:{text}"


def hover(*lines: str) -> str:
    """Lines of a hover box, escaped; empty ones are left out."""
    return "<br>".join(escape(line) for line in lines if line)


def wrapped(text: str, width: int) -> list[str]:
    """Lines of a plain text, escaped, none much longer than `width`."""
    return [escape(line) for line in textwrap.wrap(text, width, break_on_hyphens=False)]


def number(value: Any) -> str:
    """A number as people read it: whole numbers with commas, others to six digits.

    >>> number(12345), number(0.12345678), number(float("nan"))
    ('12,345', '0.123457', 'undefined')
    """
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    real = float(value)
    return f"{real:,.6g}" if not math.isnan(real) else "undefined"


def brief(value: Any) -> str:
    """A number in a sentence: three digits, or all of a whole number.

    >>> brief(0.580203), brief(12345), brief(12345.6)
    ('0.58', '12,345', '12,346')
    """
    if isinstance(value, int | np.integer) or not abs(float(value)) >= 1_000:
        return number(value) if isinstance(value, int | np.integer) else number(f"{value:.3g}")
    return f"{float(value):,.0f}"


def share(part: float) -> str:
    """A share as a percentage that is 0% or 100% only where it is exact.

    >>> share(1.0), share(0.99999), share(0.5), share(1e-6)
    ('100%', '>99.9%', '50.0%', '<0.1%')
    """
    if part in (0, 1):
        return f"{part:.0%}"
    if part < 0.001:
        return "<0.1%"
    return ">99.9%" if part > 0.999 else f"{part:.1%}"


def counted(count: Any, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> counted(1, "cluster"), counted(2, "class", "classes")
    ('1 cluster', '2 classes')
    """
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def listed(items: Sequence[str]) -> str:
    """Items in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
