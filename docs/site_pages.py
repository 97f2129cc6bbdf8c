"""The pages of the site that come from the registry and from the public names."""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import curves

import clustervet as cv
from clustervet.lab import axioms, known_properties
from clustervet.lab.matrix import PropertyVerdict
from clustervet.registry import FAMILIES, FIELDS, Measure
from clustervet.view.words import ARROWS, DIRECTIONS, bounds

HERE = Path(__file__).parent
FORMULAS = tomllib.loads((HERE / "formulas.toml").read_text(encoding="utf-8"))
LIBRARIES: list[dict[str, Any]] = tomllib.loads(
    (HERE / "elsewhere.toml").read_text(encoding="utf-8")
)["library"]
# Which letters the formulas of a family use; those of points where nothing is said.
LETTERS = {
    "pairs": "pairs",
    "coefficients": "pairs",
    "matching": "table",
    "impurity": "table",
    "objects": "table",
    "information": "shares",
    "coding": "shares",
    **dict.fromkeys(FIELDS, "table"),
    **{family: family for family in ("soft", "fuzziness", "covers", "hierarchies")},
}


def write_all(docs: Path) -> None:
    """Write one page per measure with their index, and the reference."""
    for name, text in pages():
        target = docs / "generated" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    yield "measures/index.md", "\n".join(_index())
    matrix = axioms()
    for record in cv.measures.values():
        yield f"measures/{record.key}.md", "\n".join(_measure(record, matrix.get(record.key, {})))
    yield "reference.md", "\n".join(_reference())
    yield "coming_from/index.md", "\n".join(_libraries())
    for library in LIBRARIES:
        yield f"coming_from/{library['key']}.md", "\n".join(_library(library))


def _index() -> Iterator[str]:
    yield "# The measures\n"
    yield "One page per measure: what it says, when to use it, and which published tests it passes."
    yield "[All of them on one page](../../measures.md), with the matrix of tests.\n"
    for family, looks_at in FAMILIES.items():
        yield f"## {family.capitalize()}: {looks_at}\n"
        yield "| measure | | range | what it says |\n|---|---|---|---|"
        for record in cv.measures.select(family=family):
            link = f"[{record.title}]({record.key}.md)"
            cells = (link, ARROWS[record.better], bounds(record.bounds), record.meaning)
            yield _row(*cells)
        yield ""
    yield "```{toctree}\n:hidden:\n"
    yield from cv.measures
    yield "```\n"


def _quiet(text: str) -> str:
    return f'<span class="quiet">{escape(text, quote=False)}</span>'


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _measure(record: Measure, verdicts: Mapping[str, PropertyVerdict]) -> Iterator[str]:
    yield f"# {record.title}\n"
    yield f"{record.meaning}\n"
    yield f"```{{math}}\n{FORMULAS['formulas'][record.key]}\n```\n"
    yield f"{FORMULAS['notation'][LETTERS.get(record.family, 'points')]}\n"
    claims = {
        "symmetric": record.symmetric,
        "a metric": record.metric,
        "adjusted for chance": record.adjusted,
    }
    facts = {
        "in Python": f"`cv.{record.key}`",
        "also called": ", ".join(f"`{name}`" for name in record.aliases),
        "direction": DIRECTIONS.get(record.better, ""),
        "range": bounds(record.bounds),
        "unit": record.unit,
        "properties": ", ".join(claim for claim, holds in claims.items() if holds),
        "reference": record.reference,
    }
    yield "| | |\n|---|---|"
    yield from (_row(name, fact) for name, fact in facts.items() if fact)
    yield f"\n**Use it when:** {record.use}\n"
    if record.avoid:
        yield f"**Beware:** {record.avoid}\n"
    yield f"## As noise grows\n\n{curves.sentence(record)}\n"
    yield f"```{{raw}} html\n{curves.picture(record)}\n```\n"
    if verdicts:
        yield "## Published tests\n"
        yield "| | test | what it asks, and the smallest case in which it fails |\n|---|---|---|"
        for key, kind in known_properties().items():
            found = verdicts[key]
            shown = f"<br>{_quiet(str(found).capitalize())}" if found.mark == "✗" else ""
            source = f"{kind.title}<br>{_quiet(kind.reference)}"
            yield _row(found.mark, source, kind.claim + shown)
        yield "\n✓ holds in all cases tried, ✗ fails, – does not apply.\n"
    calls = [(lib, name) for lib in LIBRARIES for name in lib["name"] if name["ours"] == record.key]
    if calls:
        yield "## In other libraries\n"
        yield "| library | name there | what differs |\n|---|---|---|"
        for library, name in calls:
            page = f"[{library['title']}](../coming_from/{library['key']}.md)"
            yield _row(page, f"`{name['theirs']}`", name["differs"])
        yield ""
    related = [r for r in cv.measures.select(family=record.family) if r.key != record.key]
    if related:
        yield "## Measures of the same kind\n"
        yield " · ".join(f"[{other.title}]({other.key}.md)" for other in related) + "\n"


def _libraries() -> Iterator[str]:
    yield "# Coming from another library\n"
    yield "Which name there is which name here, and what differs.\n"
    yield "```{toctree}\n:maxdepth: 1\n"
    yield from (library["key"] for library in LIBRARIES)
    yield "```\n"


def _library(library: Mapping[str, Any]) -> Iterator[str]:
    yield f"# Coming from {library['title']}\n"
    yield f"{library['intro']}\n"
    yield f"Names of version {library['version']}.\n"
    yield "| there | here | what differs |\n|---|---|---|"
    for name in library["name"]:
        ours, call = name["ours"], name.get("call", "")
        if ours in cv.measures:
            here = f"[`{ours}`](../measures/{ours}.md)"
        else:
            here = f"`{ours}`" if ours else "–"
        is_plain = re.fullmatch(r"cv\.\w+\((truth, pred|X, labels)\)", call)
        same = f"The value there: `{call}`" if call and not is_plain else ""
        yield _row(f"`{name['theirs']}`", here, "<br>".join(filter(None, (name["differs"], same))))
    yield ""


def _reference() -> Iterator[str]:
    yield "# Reference\n"
    yield "Everything that `import clustervet as cv` gives. The measures have"
    yield "[pages of their own](measures/index.md).\n"
    seen: set[int] = set()
    own = [name for name in cv.__all__ if name not in cv.measures and name not in cv.ROOMS]
    listed = {"clustervet": own}
    for room in cv.ROOMS:
        listed[f"clustervet.{room}"] = importlib.import_module(f"clustervet.{room}").__all__
    for room, names in listed.items():
        module = importlib.import_module(room)
        items = {name: getattr(module, name) for name in sorted(names)}
        kept = [
            name
            for name, item in items.items()
            if id(item) not in seen and (inspect.isclass(item) or inspect.isroutine(item))
        ]
        seen |= {id(item) for item in items.values()}
        yield f"## {room}\n"
        yield f"```{{eval-rst}}\n.. currentmodule:: {room}\n\n.. autosummary::\n   :toctree: api\n"
        yield from (f"   {name}" for name in kept)
        yield "```\n"
