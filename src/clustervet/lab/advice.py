"""Advice: needs in plain words, and the measures that have what is needed."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from clustervet.contingency.frame import Backend, to_frame
from clustervet.errors import ParameterError
from clustervet.lab.axioms import axioms
from clustervet.lab.matrix import PropertyMatrix
from clustervet.lab.properties import known_properties
from clustervet.lab.property_show import html_table, indented, text_table
from clustervet.labels import show_label
from clustervet.registry import Measure

SCHEMA = "clustervet/advice/1"
# Measures that lack something, of which people are shown as many.
NEAREST = 8


@dataclass(frozen=True)
class Need:
    """What people may ask for: its words, and the properties that it stands for."""

    name: str
    properties: tuple[str, ...]
    meaning: str
    also: tuple[str, ...] = ()
    bounded: bool = False


NEEDS = (
    Need(
        "metric", ("identity", "symmetry", "triangle"), "a distance in every sense", ("distance",)
    ),
    Need(
        "chance-adjusted",
        ("constant_baseline",),
        "random clusterings score alike, however many clusters they have",
        ("adjusted", "chance", "corrected for chance", "baseline", "random"),
    ),
    Need(
        "different k",
        ("homogeneity", "completeness"),
        "numbers of clusters differ: neither more clusters nor fewer pay by themselves",
        ("different numbers of clusters", "number of clusters"),
    ),
    Need(
        "different n",
        ("n_invariance",),
        "data sets of different sizes are compared",
        ("different sizes", "across data sets"),
    ),
    Need("additive", ("convex_additivity",), "parts of the data add up", ("parts",)),
    Need("local", ("locality",), "what is the same in both clusterings does not count"),
    Need(
        "aligned",
        ("vertical_collinearity", "horizontal_collinearity"),
        "splits and merges are straight lines",
        ("lattice",),
    ),
    Need("bounded", ("bounds",), "a fixed best and worst value", ("normalized",), bounded=True),
    Need("symmetric", ("symmetry",), "no clustering is the truth", ("no truth",)),
    Need(
        "small classes",
        ("size_balance",),
        "a small class counts as much as a large one",
        ("imbalance", "imbalanced", "unequal sizes"),
    ),
    Need("purity", ("homogeneity",), "clusters that mix classes are punished", ("no mixing",)),
    Need("unity", ("completeness",), "classes that fall apart are punished", ("no splitting",)),
    Need("noise", ("rag_bag",), "a cluster for all that is left over is right", ("leftovers",)),
)


def vocabulary() -> dict[str, Need]:
    """Every need by each of its names; a property's own key is one too.

    >>> vocabulary()["different k"].properties
    ('homogeneity', 'completeness')
    """
    found: dict[str, Need] = {}
    for need in NEEDS:
        found |= {_normal(name): need for name in (need.name, *need.also)}
    for kind in known_properties().values():
        found.setdefault(_normal(kind.key), Need(kind.key, (kind.key,), kind.claim))
    return found


def _normal(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").replace("_", " ").split())


def read_needs(names: Iterable[str] | str) -> list[Need]:
    """Needs from words; words that nothing knows give the list of those that are known."""
    known = vocabulary()
    chosen = []
    for name in [names] if isinstance(names, str) else names:
        need = known.get(_normal(str(name)))
        if need is None:
            near = difflib.get_close_matches(_normal(str(name)), known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ParameterError(
                f"no need is called {show_label(name)!r}; {hint}needs are "
                f"{', '.join(dict.fromkeys(need.name for need in known.values()))}."
            )
        chosen.append(need)
    if not chosen:
        raise ParameterError(
            f"say what is needed: {', '.join(need.name for need in NEEDS)}, or a property."
        )
    return list(dict.fromkeys(chosen))


@dataclass(frozen=True)
class Candidate:
    """A measure, and what it lacks of what is needed."""

    record: Measure
    missing: tuple[str, ...]
    why: tuple[str, ...]

    @property
    def read_as(self) -> str:
        """How the measure is read as a distance."""
        if self.record.better == "higher" and self.record.perfect is not None:
            return f"{self.record.perfect:g} - {self.record.key}"
        return self.record.key


@dataclass(frozen=True)
class Advice:
    """The measures that have all that is needed, or those that lack least."""

    needs: tuple[Need, ...]
    found: tuple[Candidate, ...]
    nearest: tuple[Candidate, ...]

    @property
    def measures(self) -> list[str]:
        """The keys of the measures that have all that is needed."""
        return [candidate.record.key for candidate in self.found]

    def _listed(self) -> tuple[Candidate, ...]:
        return self.found or self.nearest

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "schema": SCHEMA,
            "needs": {need.name: list(need.properties) for need in self.needs},
            "measures": self.measures,
            "nearest": {
                candidate.record.key: dict(zip(candidate.missing, candidate.why, strict=True))
                for candidate in self.nearest
            },
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A row a measure."""
        return to_frame(self.columns(), backend)

    def columns(self) -> dict[str, list[Any]]:
        """A row a measure, as columns."""
        listed = self._listed()
        return {
            "measure": [candidate.record.key for candidate in listed],
            "title": [candidate.record.title for candidate in listed],
            "lacks": [", ".join(candidate.missing) for candidate in listed],
            "use": [candidate.record.use for candidate in listed],
            "why": ["; ".join(candidate.why) for candidate in listed],
        }

    def grid(self) -> list[list[str]]:
        """The table that people read."""
        if self.found:
            rows = [[c.record.key, c.record.title, c.record.use] for c in self.found]
            return [["measure", "title", "use when"], *rows]
        rows = [[c.record.key, ", ".join(c.missing), "; ".join(c.why)] for c in self.nearest]
        return [["measure", "lacks", "because"], *rows]

    def notes(self) -> list[str]:
        """What was asked, and how it was read."""
        notes = [
            f"{need.name}: {need.meaning} ({', '.join(need.properties)})." for need in self.needs
        ]
        if not self.found:
            notes.insert(0, "No measure has all of that; these lack least.")
        if any(need.name == "metric" for need in self.needs):
            turned = [c for c in self.found if c.read_as != c.record.key]
            if turned:
                notes.append(f"As a distance, read {', '.join(c.read_as for c in turned)}.")
        return notes

    def __repr__(self) -> str:
        if self.found:
            return "\n".join([text_table(self.grid()), "", *self.notes()])
        first, *notes = self.notes()
        lines = [first]
        for candidate in self.nearest:
            lines += ["", candidate.record.key]
            for name, why in zip(candidate.missing, candidate.why, strict=True):
                lines += indented(f"{name}: {why}")
        return "\n".join([*lines, "", *notes])

    def _repr_html_(self) -> str:
        return html_table(self.grid(), self.notes())


def advise(needs: Iterable[str] | str, matrix: PropertyMatrix | None = None) -> Advice:
    """The measures that have what is needed, from the property matrix.

    >>> advise(["metric", "different n", "aligned"]).measures
    ['mirkin_invariant', 'variation_of_information']
    >>> advise(["metric", "chance-adjusted"]).measures
    []
    """
    asked = read_needs(needs)
    matrix = axioms() if matrix is None else matrix
    wanted = list(dict.fromkeys(key for need in asked for key in need.properties))
    tested = {kind.key for kind in matrix.properties}
    untested = [key for key in wanted if key not in tested]
    if untested:
        raise ParameterError(f"the matrix given was not made for {', '.join(untested)}.")
    everyone = [
        _candidate(record, wanted, matrix, bounded=any(need.bounded for need in asked))
        for record in matrix.records
        if record.better != "neither"
    ]
    found = [candidate for candidate in everyone if not candidate.missing]
    near = sorted(everyone, key=lambda candidate: len(candidate.missing))[:NEAREST]
    return Advice(tuple(asked), tuple(found), () if found else tuple(near))


def _candidate(
    record: Measure, wanted: list[str], matrix: PropertyMatrix, *, bounded: bool
) -> Candidate:
    row = matrix[record.key]
    lacks = [(key, str(row[key])) for key in wanted if row[key].status != "holds"]
    if bounded and not all(map(math.isfinite, record.bounds)):
        lacks.append(("bounds", "it declares no bound on one side at least"))
    return Candidate(record, tuple(key for key, _ in lacks), tuple(why for _, why in lacks))
