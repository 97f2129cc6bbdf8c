"""The property matrix: measures and properties, and what the tests said of each."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from clustervet.contingency.frame import Backend, to_frame
from clustervet.lab.properties import Property, known_properties
from clustervet.lab.property_show import LEGEND, answers, html_table, marks
from clustervet.lab.property_verdict import Verdict
from clustervet.registry import Measure, measures

SCHEMA = "clustervet/property-matrix/1"
PACKAGED = "matrix.json"
# Measures up to which each answer has a line of its own; more are a table of marks.
FEW = 3


@dataclass(frozen=True)
class PropertyMatrix(Mapping[str, Mapping[str, Verdict]]):
    """What measures have: `matrix[measure][property]` is a verdict.

    >>> from clustervet.lab.axioms import axioms
    >>> matrix = axioms(["mirkin", "van_dongen"], ["n_invariance", "locality"])
    >>> matrix.having("locality")
    ['mirkin', 'van_dongen']
    >>> matrix.having("locality", "n_invariance")
    []
    """

    records: tuple[Measure, ...]
    rows: Mapping[str, Mapping[str, Verdict]]

    def __getitem__(self, name: str) -> Mapping[str, Verdict]:
        return self.rows[name if name in self.rows else measures[name].key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def properties(self) -> list[Property]:
        """The properties that were tested."""
        known = known_properties()
        first = next(iter(self.rows.values()), {})
        return [known[key] for key in first]

    def having(self, *properties: str) -> list[str]:
        """The measures for which all of these properties hold."""
        return [
            key
            for key, row in self.rows.items()
            if all(row[name].status == "holds" for name in properties)
        ]

    def broken(self) -> dict[str, str]:
        """The measures that could not be tested throughout, and why."""
        found: dict[str, str] = {}
        for key, row in self.rows.items():
            names = row.get("relabelling")
            faults = [verdict.why for verdict in row.values() if verdict.status == "broken"]
            if faults:
                found[key] = faults[0]
            if names is not None and names.status == "fails":
                found[key] = f"{key} depends on the names or the order of labels"
        return found

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "schema": SCHEMA,
            "properties": {
                kind.key: {
                    "title": kind.title,
                    "claim": kind.claim,
                    "reference": kind.reference,
                    "tested": kind.tested,
                }
                for kind in self.properties
            },
            "measures": {
                record.key: {
                    "declared": declared(record),
                    "verdicts": {
                        name: verdict.to_dict() for name, verdict in self.rows[record.key].items()
                    },
                }
                for record in self.records
            },
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A row a measure and property."""
        return to_frame(self.columns(), backend)

    def columns(self) -> dict[str, list[Any]]:
        """A row a measure and property, as columns."""
        found = [
            (key, name, verdict) for key, row in self.rows.items() for name, verdict in row.items()
        ]
        examples = [verdict.counterexample for _, _, verdict in found]
        return {
            "measure": [key for key, _, _ in found],
            "property": [name for _, name, _ in found],
            "answer": [verdict.status for _, _, verdict in found],
            "cases": [verdict.cases for _, _, verdict in found],
            "undefined": [verdict.undefined for _, _, verdict in found],
            "points": [0 if example is None else example.points for example in examples],
            "counterexample": ["" if example is None else str(example) for example in examples],
            "why": [verdict.why for _, _, verdict in found],
        }

    def grid(self) -> list[list[str]]:
        """The table that people read: marks, or answers in words where measures are few."""
        if len(self.rows) > FEW:
            head = ["measure", *(kind.short for kind in self.properties)]
            return [
                head,
                *([key, *(v.mark for v in row.values())] for key, row in self.rows.items()),
            ]
        head = ["measure", "property", "", "answer"]
        return [
            head,
            *(
                [key, name, verdict.mark, str(verdict)]
                for key, row in self.rows.items()
                for name, verdict in row.items()
            ),
        ]

    def notes(self) -> list[str]:
        """What to know when reading the table."""
        broken = [f"{why}." for why in self.broken().values()]
        return [LEGEND, *(f"{kind.short}: {kind.title}." for kind in self.properties), *broken]

    def __repr__(self) -> str:
        if len(self.rows) <= FEW:
            return answers(self.rows)
        broken = [f"{why}." for why in self.broken().values()]
        return "\n".join([marks(self.rows, self.properties), *broken])

    def _repr_html_(self) -> str:
        return html_table(self.grid(), self.notes())


def declared(record: Measure) -> dict[str, Any]:
    """What a record says that the tests read."""
    return {
        "better": record.better,
        "bounds": [bound if math.isfinite(bound) else None for bound in record.bounds],
        "perfect": record.perfect,
        "symmetric": record.symmetric,
        "metric": record.metric,
        "adjusted": record.adjusted,
    }


@functools.cache
def _packaged() -> dict[str, Any]:
    found = files("clustervet.lab").joinpath(PACKAGED)
    if not found.is_file():
        return {}
    read: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
    fits = read.get("schema") == SCHEMA and list(read["properties"]) == list(known_properties())
    return read["measures"] if fits else {}


def packaged_row(record: Measure) -> dict[str, Verdict] | None:
    """What the package knows of one of its own measures, or nothing where that has changed."""
    row = _packaged().get(record.key)
    own = record.formula.__module__.startswith("clustervet.external.")
    if row is None or not own or row["declared"] != declared(record):
        return None
    return {name: Verdict.from_dict(data) for name, data in row["verdicts"].items()}


def write_packaged(matrix: PropertyMatrix, path: Any) -> None:
    """Write the matrix that comes with the package, a line a verdict."""
    data = matrix.to_dict()
    lines = ["{", f'"schema": {_line(data["schema"])},', '"properties": {']
    lines += _entries(data["properties"])
    lines += ["},", '"measures": {']
    last = list(data["measures"])[-1]
    for key, row in data["measures"].items():
        lines += [f"{_line(key)}: {{", f'"declared": {_line(row["declared"])},', '"verdicts": {']
        lines += [*_entries(row["verdicts"]), "}", "}" if key == last else "},"]
    lines += ["}", "}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _entries(items: dict[str, Any]) -> list[str]:
    found = [f"{_line(key)}: {_line(item)}" for key, item in items.items()]
    return [f"{line}," for line in found[:-1]] + found[-1:]


def _line(item: Any) -> str:
    return json.dumps(item, ensure_ascii=False, allow_nan=False)
