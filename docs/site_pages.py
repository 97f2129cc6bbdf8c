"""The pages of the site that come from the registry and from the public names."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path

import clustervet as cv
from clustervet.lab import axioms, known_properties
from clustervet.lab.matrix import PropertyVerdict
from clustervet.registry import FAMILIES, Measure
from clustervet.view.words import ARROWS, DIRECTIONS, bounds


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


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _measure(record: Measure, verdicts: Mapping[str, PropertyVerdict]) -> Iterator[str]:
    yield f"# {record.title}\n"
    yield f"{record.meaning}\n"
    yield f"```text\n{record.equation}\n```\n"
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
    if verdicts:
        yield "## Published tests\n"
        yield "| | test | what it asks | smallest counterexample | source |\n|---|---|---|---|---|"
        for key, kind in known_properties().items():
            found = verdicts[key]
            shown = str(found) if found.mark == "✗" else ""
            yield _row(found.mark, kind.title, kind.claim, shown, kind.reference)
        yield "\n✓ holds in all cases tried, ✗ fails, – does not apply.\n"
    related = [r for r in cv.measures.select(family=record.family) if r.key != record.key]
    if related:
        yield "## Measures of the same kind\n"
        yield " · ".join(f"[{other.title}]({other.key}.md)" for other in related) + "\n"


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
