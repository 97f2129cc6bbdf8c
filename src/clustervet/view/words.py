"""Names, numbers and phrases as people read them; the one place that turns facts into words."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from clustervet.errors import Setting
from clustervet.labels import plain_label, show_label

# Characters of a name in a sentence or a cell, and beside an axis.
LONG = 40
SHORT = 24
# Accents that may stand on one letter; more would run over the lines above and below.
MARKS = 2
# The marks between which a text keeps its own direction (Unicode Standard Annex 9, 2.6).
ISOLATE, RELEASE = "\u2068", "\u2069"
# Units whose values are counts.
COUNTED = frozenset({"groups", "objects", "ordered pairs"})
ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}
DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither high nor low is better",
}
# First words of titles of measures that are no names of people.
COMMON = (
    " adjusted average average-linkage class cluster complete-linkage completeness conditional "
    "density-based element-centric homogeneity inverse log-likelihood matching mean mutual "
    "normalized pairwise purity silhouette simplified single-linkage sum variation "
)
# Digits after the point of a number beside its interval, at most.
MOST_DIGITS = 6
# P-values below this one are not told apart.
LEAST_P = 1e-99
# Clusterings that a note on noise names.
NOISY = 4
# How parameters are spelled: as in Python, unless the command line says otherwise.
_SPELLED: ContextVar[Callable[[Setting], str]] = ContextVar("spelled", default=str)


def short(name: Any, width: int = LONG) -> str:
    """Return a name on one line, cut in the middle: names of many runs differ at their ends.

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


def spoken(name: Any, width: int = LONG) -> str:
    r"""Return a name for a sentence; one that runs from right to left is isolated.

    >>> spoken("x" * 10_000, 8)
    'xxxxx…xx'
    >>> spoken("\u05d0", 8)
    '\u2068א\u2069'
    """
    text = short(name, width)
    if not is_rightward(text):
        return text
    return f"{ISOLATE}{short(name, width - 2)}{RELEASE}"


def is_rightward(text: str) -> bool:
    """Return whether a text has letters that run from right to left."""
    return not text.isascii() and any(
        unicodedata.bidirectional(character) in ("R", "AL", "AN") for character in text
    )


def _calm(text: str) -> str:
    """Return the text without the accents of a letter that has too many."""
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


def distinct(names: Iterable[Any], width: int = SHORT) -> list[str]:
    """Return names cut short, with a number behind those that read alike.

    >>> distinct(["a" * 50, "a" * 60], 6)
    ['aaa…aa', 'aaa…aa (2)']
    """
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


def ident(kind: str, name: Any, scope: str = "") -> str:
    """Return the id of a cluster, class or clustering, the same in every figure and table.

    Parameters
    ----------
    kind : str
        "cluster", "class" or "pred".
    name : object
        The label of the cluster or class, or the name of the clustering. A long name is cut and
        followed by a digest of the whole name.
    scope : str, optional
        The id of the clustering that a cluster belongs to; other kinds have none.

    Returns
    -------
    str
        The id. It is data, not escaped text.

    Examples
    --------
    >>> ident("cluster", 3), ident("cluster", 3, "p1"), ident("class", "a", "p1")
    ('cluster:3', 'p1|cluster:3', 'class:a')
    >>> ident("class", "x" * 10_000)
    'class:xxxxxxxxxxxxxxxxxxxxxxxx~d5ee17e2'
    """
    whole = str(plain_label(name))
    text = show_label(whole, 48)
    if len(whole) > SHORT or text != whole:
        digest = hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=4)
        text = f"{text[:SHORT]}~{digest.hexdigest()}"
    return f"{scope}|{kind}:{text}" if scope and kind == "cluster" else f"{kind}:{text}"


def number(value: float, unit: str = "") -> str:
    """Return a value with four decimals, or with four digits where decimals would hide it.

    >>> number(0.73024), number(1.5e-5), number(12345.678), number(36, "objects")
    ('0.7302', '1.500e-05', '12,345.7', '36')
    """
    if math.isnan(value):
        return "undefined"
    value = float(value)
    if unit in COUNTED and value < 1e15 and value.is_integer():
        return f"{value:,.0f}"
    if math.isinf(value) or value == 0 or 1e-3 <= abs(value) < 1e6:
        text = f"{value:.4f}" if abs(value) < 1e4 else f"{value:,.1f}"
        return "0" if value == 0 else text
    return f"{value:.3e}"


def digits(value: Any) -> str:
    """Return a number with up to six digits, and a whole number with commas.

    >>> digits(12345), digits(0.12345678), digits(float("nan"))
    ('12,345', '0.123457', 'undefined')
    """
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    real = float(value)
    return f"{real:,.6g}" if not math.isnan(real) else "undefined"


def brief(value: Any) -> str:
    """Return a number with three digits, or all digits of a whole number.

    >>> brief(0.580203), brief(12345), brief(12345.6)
    ('0.58', '12,345', '12,346')
    """
    if isinstance(value, int | np.integer) or not abs(float(value)) >= 1_000:
        return digits(value) if isinstance(value, int | np.integer) else digits(f"{value:.3g}")
    return f"{float(value):,.0f}"


def known(value: float, form: str = "") -> str:
    """Return a number, or a dash where it is not finite.

    >>> known(0.5, ".1%"), known(float("nan"))
    ('50.0%', '-')
    """
    if not math.isfinite(value):
        return "-"
    return format(value, form) if form else number(value)


def rounded(value: float, digits: int) -> str:
    """Return a number with some digits after the point, and no sign before zero.

    >>> rounded(-0.0001, 2), rounded(1234.5678, 1)
    ('0.00', '1,234.6')
    """
    return f"{round(value, digits) + 0.0:,.{digits}f}"


def sure_digits(low: float, high: float, *values: float) -> list[str]:
    """Return numbers with the digits that an interval supports: two of those of its width.

    >>> sure_digits(0.7683, 0.8173, 0.79401), sure_digits(3.0, 3.0, 3.0), sure_digits(10, 90, 48.3)
    (['0.794'], ['3.0000'], ['48'])
    """
    width = high - low
    if not 0 < width < math.inf:
        return [number(value) for value in values]
    digits = min(max(1 - math.floor(math.log10(width)), 0), MOST_DIGITS)
    return [rounded(value, digits) for value in values]


def share(part: float) -> str:
    """Return a share as a percentage that is 0% or 100% only where it is exact.

    >>> share(1.0), share(0.99999), share(0.5), share(1e-6)
    ('100%', '>99.9%', '50.0%', '<0.1%')
    """
    if part in (0, 1):
        return f"{part:.0%}"
    if part < 0.001:
        return "<0.1%"
    return ">99.9%" if part > 0.999 else f"{part:.1%}"


def p_text(value: float, samples: int = 0) -> str:
    """Return a p-value; the least that a number of samples can give is an upper bound.

    >>> p_text(0.04), p_text(1 / 1001, 1000), p_text(0.0), p_text(float("nan"))
    ('0.04', '≤ 0.001', '< 1e-99', '-')
    """
    if math.isnan(value):
        return "-"
    if value < LEAST_P:
        return f"< {LEAST_P:.0e}"
    least = samples and value * (samples + 1) <= 1 + 1e-9
    return f"≤ {value:.2g}" if least else f"{value:.2g}"


def bounds(ends: tuple[float, float]) -> str:
    """Return a range of values.

    >>> import math
    >>> bounds((0, 1)), bounds((-math.inf, 1))
    ('0 … 1', '-∞ … 1')
    """
    low, high = ("∞" if math.isinf(end) else f"{end:g}" for end in ends)
    return f"{'-' if ends[0] == -math.inf else ''}{low} … {high}"


def counted(count: Any, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "cluster"), counted(2, "class", "classes")
    ('1 cluster', '2 classes')
    """
    return f"{digits(count)} {one if count == 1 else many or one + 's'}"


def listed(items: Sequence[str], most: int | None = None) -> str:
    """Return items as part of a sentence; beyond `most` the others are counted.

    >>> listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], 2)
    ('a, b and c', 'a, b and 2 more')
    """
    if most is not None and len(items) > most:
        items = [*items[:most], f"{len(items) - most:,} more"]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def names(items: Iterable[Any], most: int = 12) -> str:
    """Return names separated by commas; beyond `most` the others are counted.

    >>> names(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    shown = [show_label(item, LONG) for item in items]
    more = f" and {len(shown) - most:,} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def inner_title(title: str) -> str:
    """Return a measure's title within a sentence: names of people keep their capitals.

    >>> inner_title("Adjusted Rand index"), inner_title("Rand index")
    ('adjusted Rand index', 'Rand index')
    """
    plain = f" {title.split()[0].rstrip(',').lower()} " in COMMON
    return title[:1].lower() + title[1:] if plain else title


@contextmanager
def spelling(spell: Callable[[Setting], str]) -> Iterator[None]:
    """Spell the parameters in notes another way, as the command line does.

    >>> with spelling(lambda one: f"--{one.name} {one.value}"):
    ...     setting("noise", "drop")
    '--noise drop'
    """
    before = _SPELLED.set(spell)
    try:
        yield
    finally:
        _SPELLED.reset(before)


def setting(name: str, value: Any = None) -> str:
    """Return a parameter with its value as the reader writes it.

    >>> setting("noise", "drop")
    "noise='drop'"
    """
    return _SPELLED.get()(Setting(name, value))


def noise_note(
    clusters: Mapping[str, tuple[Any, Any]],
    classes: Mapping[str, tuple[Any, Any]] | None = None,
    *,
    aside: str = "",
    most: bool = False,
    droppable: bool = True,
) -> str:
    """Return that the label -1 is scored as a cluster, in which labelings; empty where in none.

    Labelings have their number of such objects and of all objects, or the largest number of
    several fits. `aside` names the measure that reads -1 as noise.

    >>> print(noise_note({"hdbscan": (9, 40)}))
    Label -1 is scored as one cluster of hdbscan (9 of 40 objects); noise='drop' leaves such objects
    out, noise='singletons' makes each a cluster of its own, noise='keep' says that this is meant.
    """
    parts = []
    for held, what in ((clusters, "cluster"), (classes or {}, "class")):
        said = [
            f"{spoken(name)} ({'up to ' if most else ''}{digits(count)} of {digits(total)} objects)"
            for name, (count, total) in held.items()
            if count
        ]
        parts += [f"as one {what} of {listed(said, NOISY)}"] if said else []
    if not parts:
        return ""
    drop = [f"{setting('noise', 'drop')} leaves such objects out"] if droppable else []
    ways = [
        *drop,
        f"{setting('noise', 'singletons')} makes each a cluster of its own",
        f"{setting('noise', 'keep')} says that this is meant",
    ]
    but = f", except by {aside}" if aside else ""
    return f"Label -1 is scored {' and '.join(parts)}{but}; {', '.join(ways)}."


def one_sided_note(alone: Mapping[str, Any], total: Any) -> str:
    """Return how many objects are in one of two labelings alone; empty where none is.

    >>> print(one_sided_note({"truth": 2, "pred": 1}, 9))
    Of 9 objects, truth alone has 2 and pred alone has 1; measures that need both have no value.
    """
    said = [f"{spoken(name)} alone has {digits(count)}" for name, count in alone.items() if count]
    if not said:
        return ""
    return (
        f"Of {digits(total)} objects, {' and '.join(said)}; measures that need both have no value."
    )


def dropped_note(count: int, total: int, aside: Sequence[str] = ()) -> str:
    """Return that measures leave out points labelled -1; those `aside` read them as noise.

    >>> print(dropped_note(62, 1797, ["dbcv"]))
    Up to 62 of 1,797 points are labelled -1, and measures leave them out, except dbcv;
    noise='keep' scores them as one cluster, noise='singletons' makes each a cluster of its own.
    """
    but = f", except {listed(aside)}" if aside else ""
    return (
        f"Up to {count:,} of {total:,} points are labelled -1, and measures leave them out{but}; "
        f"{setting('noise', 'keep')} scores them as one cluster, "
        f"{setting('noise', 'singletons')} makes each a cluster of its own."
    )


def class_note(count: int) -> str:
    """Return that the label -1 is taken as a class by a bound; empty where no object has it.

    >>> print(class_note(30))
    The label -1 of 30 objects is taken as a class; where it means that there is none, leave the
    label empty (None, NaN).
    """
    if not count:
        return ""
    return (
        f"The label -1 of {counted(count, 'object')} is taken as a class; where it means that "
        "there is none, leave the label empty (None, NaN)."
    )


def scale_note(ratio: float) -> str:
    """Return that features differ in scale; empty where no ratio of ranges is given.

    >>> print(scale_note(2645.3))
    Features differ in scale: the widest spans 2,645 times the range of the narrowest and governs
    distances; standardize=True gives every feature mean 0 and variance 1.
    """
    if not ratio:
        return ""
    cure = f"{setting('standardize', True)} gives every feature mean 0 and variance 1"
    return (
        f"Features differ in scale: the widest spans {brief(ratio)} times the range of the "
        f"narrowest and governs distances; {cure}."
    )
