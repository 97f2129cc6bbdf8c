"""Write the package's property matrix, and write docs/measures.md from it and the registry.

`make docs` runs this script. Tests compare both files with freshly computed results.
"""

from __future__ import annotations

import re
from pathlib import Path

import clustervet as cv
from clustervet.lab import axioms, card, known_properties
from clustervet.lab.cases import TOLERANCE
from clustervet.lab.matrix import LEGEND, PACKAGED, write_packaged
from clustervet.registry import FAMILIES, Kind, Measure
from clustervet.view.words import ARROWS, bounds

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "measures.md"
MATRIX = ROOT / "src" / "clustervet" / "lab" / PACKAGED
# The kinds of measures in the order of the page, and how their tables are headed.
KINDS: dict[Kind, str] = {
    "external": "external",
    "internal": "internal",
    "soft": "soft, two clusterings",
    "soft_internal": "soft, one clustering",
    "overlapping": "overlapping",
    "hierarchical": "hierarchical",
}
INNER = ("internal", "soft_internal")


def anchor(record: Measure) -> str:
    """The address of a measure's heading, as GitHub and the site make it."""
    words = re.sub(r"[^\w\- ]", "", record.title.lower()).replace(" ", "-")
    return f"{words}-{record.key}"


def measures_page() -> str:
    """Return a table of all measures, then one card per measure, by family."""
    lines = [
        "# The measures",
        "",
        "`make docs` writes this page from the registry. ↑ means that higher is better, ↓ that "
        "lower is better.",
        "",
        "External measures compare a clustering with known classes. Internal measures compare it "
        "with its data. The others read clusterings that are more than labels: degrees of "
        "membership, groups that overlap, and trees.",
        "",
    ]
    for kind, name in KINDS.items():
        lines += _kind_table(name, cv.measures.select(kind=kind), inner=kind in INNER)
    lines.pop()  # the properties begin with an empty line
    lines += properties_section()
    for family, looks_at in FAMILIES.items():
        lines += ["", f"## {family}: {looks_at}"]
        for record in cv.measures.select(family=family):
            lines += ["", f"### {record.title} `{record.key}`"]
            lines += ["", record.meaning, ""]
            lines += [f"- **{name}**: {fact}" for name, fact in card(record).facts().items()]
    return "\n".join(lines) + "\n"


def _kind_table(name: str, records: list[Measure], *, inner: bool) -> list[str]:
    """Return one row per measure; what is symmetric, a metric or adjusted is for comparisons."""
    heads = ["time"] if inner else ["symmetric", "metric", "chance-adjusted"]
    heads = [name, "", "range", "unit", *heads, "also called"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for record in records:
        claims = (record.symmetric, record.metric, record.adjusted)
        cells = [
            f"[{record.key}](#{anchor(record)})",
            ARROWS[record.better],
            bounds(record.bounds),
            record.unit,
            *([record.cost] if inner else ["yes" if claim else "" for claim in claims]),
            ", ".join(record.aliases),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return [*lines, ""]


def properties_section() -> list[str]:
    """Return what each property says, then the matrix of measures and properties."""
    lines = [
        "",
        "## Properties, tested",
        "",
        "Every external measure goes through the same tests: on all clusterings of a few points, "
        "and on larger random clusterings. A property about distances needs the measure as a "
        "distance. This distance is the value itself, or, where higher is better, the best value "
        f"minus the value. Two numbers count as equal if they differ by at most {TOLERANCE:g} of "
        "the larger. `clustervet lab axioms -m KEY` shows the smallest counterexamples and also "
        "tests your own measures. `clustervet lab advise` finds the measures that have the "
        "properties you need.",
        "",
        "| | property | claim | tested on | reference |",
        "|---|---|---|---|---|",
    ]
    for kind in known_properties().values():
        cells = [kind.short, f"`{kind.key}`", kind.claim, kind.tested, kind.reference]
        lines.append("| " + " | ".join(cells) + " |")
    head = ["measure", *(kind.short for kind in known_properties().values())]
    lines += ["", LEGEND, "", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for key, row in axioms().items():
        link = f"[{key}](#{anchor(cv.measures[key])})"
        cells = [link, *(verdict.mark for verdict in row.values())]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


if __name__ == "__main__":
    write_packaged(axioms(fresh=True), MATRIX)
    TARGET.write_text(measures_page(), encoding="utf-8")
