"""A report as one web page that needs no network."""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib
import json
import math
import re
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from clustervet.errors import ParameterError
from clustervet.plots import svg
from clustervet.plots.theme import THEMES, template
from clustervet.report.report import REPRODUCED, Report
from clustervet.view import Cell, Column, Picture, Section, Table
from clustervet.view.words import ISOLATE, RELEASE, rounded, sure_digits

# Rows that a table shows at first, and those from which on it can be searched.
SHOWN, SEARCHED = 20, 8
# Letters of a figure's data from which on it is packed.
PACKED = 50_000
# Width of still figures, and of the one beside the verdict, on a wide screen.
WIDTHS = (1_110, 560)
# Parts of a hundred in which intervals are drawn.
BAR = 100
# Letters of the longest word that is not broken.
WORD = 28
# Sentences of the verdict in large letters.
SAID = 4
# How a number without an interval is written elsewhere; a page has room for fewer digits.
FOUR_DIGITS = re.compile(r"-?\d+\.\d{4}")
# What is isolated already, and runs of Hebrew, Arabic and other letters from right to left.
ISOLATED = re.compile(f"({ISOLATE}[^{RELEASE}]*{RELEASE})")
_LETTERS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+"
RIGHTWARD = re.compile(rf"{_LETTERS}(?:[ _.0-9-]*{_LETTERS})*")


def to_html(report: Report, theme: str = "auto") -> str:
    """Return the page; every text is escaped, and only its own scripts may run."""
    if theme not in ("auto", *THEMES):
        raise ParameterError(f"theme must be 'auto', 'light' or 'dark', not {theme!r}.")
    drawing = bool(report.pictures)
    style, script = _static("report.css"), _static("report.js")
    plotly = _plotly() if drawing else ("", "")
    page = _environment().get_template("report.html.j2")
    return str(
        page.render(
            report=report,
            first=report.first_picture,
            sections=[s for s in report.sections if s.blocks != (report.first_picture,)],
            theme=theme,
            style=style,
            script=script,
            policy=_policy(style, [script], plotly[1]),
            plotly=plotly[0],
            templates=_json({name: template(name) for name in THEMES}) if drawing else "",
            shown=SHOWN,
            searched=SEARCHED,
            said=SAID,
            again=REPRODUCED,
        )
    )


def _policy(style: str, scripts: list[str], plotly_hash: str) -> str:
    """What the page may do: run these scripts and show images that it makes itself.

    plotly sets style attributes, for which there is no hash; without figures the style sheet
    is the only style.
    """
    hashes = [f"'sha256-{_digest(script)}'" for script in scripts]
    hashes += [f"'sha256-{plotly_hash}'"] if plotly_hash else []
    styles = "'unsafe-inline'" if plotly_hash else f"'sha256-{_digest(style)}'"
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(hashes)}",
            f"style-src {styles}",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@lru_cache(maxsize=1)
def _plotly() -> tuple[str, str]:
    """The drawing library, packed so that a page can be sent, and the digest of its text."""
    package = importlib.import_module("plotly")
    path = Path(str(package.__file__)).parent / "package_data" / "plotly.min.js"
    text = path.read_text(encoding="utf-8")
    return _packed(text), _digest(text)


def _static(name: str) -> str:
    return resources.files("clustervet.report").joinpath("static", name).read_text("utf-8")


def _environment() -> Any:
    """Templates in which every text is escaped."""
    jinja = importlib.import_module("jinja2")
    made = jinja.Environment(
        loader=jinja.PackageLoader("clustervet.report", "templates"),
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"drawing": _drawing, "held": _held, "json": _json, "prose": _prose}
    made.filters["still"] = _still
    made.globals |= {"bar": _bar, "sort_value": _sort_value, "ends": _ends, "is_solid": _is_solid}
    made.globals |= {"open_blocks": _open_blocks, "shown_number": _shown_number}
    made.globals |= {"is_outside": _is_outside, "gist_of": _gist_of}
    made.tests |= {"table": lambda block: isinstance(block, Table)}
    return made


def _prose(text: str) -> str:
    """A sentence in which words from right to left do not reorder those around them."""
    if text.isascii():
        return text
    parts = ISOLATED.split(text)
    parts[::2] = [RIGHTWARD.sub(rf"{ISOLATE}\g<0>{RELEASE}", part) for part in parts[::2]]
    return "".join(parts)


def _is_solid(text: str) -> bool:
    """Whether a text has a word so long that it must be broken somewhere."""
    return max(map(len, text.split()), default=0) > WORD


def _json(data: Any) -> str:
    """JSON that is safe between script tags."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign, escaped in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        text = text.replace(sign, escaped)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _drawing(picture: Picture) -> dict[str, Any]:
    """A figure's data for the page's script."""
    return _held({"figure": picture.figure, "scopes": dict(picture.scopes)})


def _still(picture: Picture, theme: str, is_first: bool) -> str:
    """The figure without scripts, which is seen until the page's script draws it again.

    Empty for a figure of somebody else's making that only plotly can draw.
    """
    try:
        return svg(picture.figure, width=WIDTHS[is_first], theme=theme)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return ""


def _held(data: Any) -> dict[str, Any]:
    """Data for the page's script; large ones are packed."""
    text = _json(data)
    packed = len(text) > PACKED
    return {"text": _packed(text) if packed else text, "packed": packed}


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _sort_value(cell: Cell) -> str:
    """The number behind a cell with all its digits, as the page sorts by it."""
    if isinstance(cell.value, bool) or not isinstance(cell.value, int | float):
        return ""
    return repr(cell.value)


def _open_blocks(section: Section) -> list[str]:
    """The keys of the first figure and the first table of a section, and of figures that say so.

    The others are folded.
    """
    pictures = [block for block in section.blocks if isinstance(block, Picture)]
    said = [picture for picture in pictures if picture.figure["layout"]["meta"].get("open")]
    keys = [picture.key for picture in (*pictures[:1], *said)]
    return [*keys, *(table.key for table in section.tables[:1])]


def _gist_of(section: Section, first: Picture | None) -> str:
    """What the first figure of a folded section shows; else its first sentence."""
    if first is not None and first in section.blocks:
        return section.blocks[1].title
    titles = [block.title for block in section.blocks if isinstance(block, Picture)]
    return next(iter([*titles, *section.paragraphs]), "")


def _shown_number(cell: Cell) -> str:
    """A number with as many digits as its interval, or a reader in a hurry, can use.

    >>> _shown_number(Cell("0.7940", 0.79401, 0.7683, 0.8173))
    '0.794'
    >>> _shown_number(Cell("168.1402", 168.1402)), _shown_number(Cell("0.0012", 0.0012))
    ('168.1', '0.0012')
    >>> _shown_number(Cell("12345.6789", 12345.6789))
    '12,346'
    """
    shown, value = cell.long or cell.text, cell.value
    if not isinstance(value, float):
        return shown
    if cell.low is not None and cell.high is not None:
        return sure_digits(cell.low, cell.high, value)[0]
    if not FOUR_DIGITS.fullmatch(shown) or abs(value) < 0.1:
        return shown
    return rounded(value, max(3 - max(math.floor(math.log10(abs(value))), 0), 0))


def _ends(cell: Cell) -> str:
    """The interval of a cell, with the digits of its value.

    >>> _ends(Cell("0.7940", 0.79401, 0.7683, 0.8173))
    '[0.768, 0.817]'
    """
    if cell.low is None or cell.high is None:
        return ""
    low, high = sure_digits(cell.low, cell.high, cell.low, cell.high)
    return f"[{low}, {high}]"


def _is_outside(cell: Cell) -> bool:
    """Whether a value lies outside its own interval, as a strongly biased one can."""
    if cell.low is None or cell.high is None or not isinstance(cell.value, int | float):
        return False
    return not cell.low <= cell.value <= cell.high


def _bar(cell: Cell, column: Column) -> dict[str, float] | None:
    """Where a cell's interval, or its share, lies on its column's scale, from 0 to 100."""
    if column.scale is None or not isinstance(cell.value, int | float):
        return None
    low, high = column.scale

    def place(x: float) -> float:
        return round(BAR * min(max((x - low) / (high - low), 0.0), 1.0), 2)

    at, zero = place(cell.value), place(0.0)
    if cell.low is None or cell.high is None:
        if not math.isfinite(cell.value):
            return None
        return {"from": min(zero, at), "width": abs(at - zero), "at": at, "interval": 0}
    start, end = place(cell.low), place(cell.high)
    return {"from": start, "width": max(end - start, 0.8), "at": at, "interval": 1}
