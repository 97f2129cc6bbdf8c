"""What the desiderata found: failures with their parameters, counts, and the table of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from clustervet.contingency.frame import Backend, to_frame
from clustervet.lab.desiderata_trial import PLAIN, Fault
from clustervet.lab.family import Grid, describe
from clustervet.registry import Measure

SCHEMA = "clustervet/desiderata/1"
# Dom 2001, §7.2.2 and Table 5: sequences that fail, with 5 classes and 500 objects. What the
# paper counts under P1 and P2 together is all P2 by its description.
PRINTED = {
    "P1": dict.fromkeys(("rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming"), 0),
    "P2": {"rand": 12, "fowlkes_mallows": 0, "hubert_gamma": 0, "jaccard": 0, "hamming": 2},
    "P3": {"rand": 120, "fowlkes_mallows": 103, "hubert_gamma": 120, "jaccard": 80, "hamming": 120},
    "P4": dict.fromkeys(("rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming"), 0),
    "P5": {"rand": 29, "fowlkes_mallows": 0, "hubert_gamma": 0, "jaccard": 0, "hamming": 0},
}
PRINTED_FOR = ("dom_q2", "dom_q0")
PAPER_OBJECTS = 500.0


class Step(NamedTuple):
    """Two neighbours of a sequence that break its rule: the parameter and the values."""

    start: float
    end: float
    before: float
    after: float
    tie: bool


@dataclass(frozen=True)
class Failure:
    """A sequence that breaks a rule: what was held fixed, what was varied, and where it broke."""

    measure: str
    desideratum: str
    held: dict[str, Any]
    varied: str
    steps: tuple[Step, ...]

    @property
    def parameters(self) -> dict[str, Any]:
        """What was held fixed, and the parameter varied where it first broke."""
        return {**self.held, self.varied: (self.steps[0].start, self.steps[0].end)}

    def __str__(self) -> str:
        first = self.steps[0]
        said = "stays" if first.tie else f"becomes {first.after:.6g}"
        return (
            f"{self.desideratum} {self.measure} at {describe(self.held)}: {first.before:.6g} {said}"
            f" as {self.varied} goes from {first.start:.4g} to {first.end:.4g}"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        steps = [step._asdict() for step in self.steps]
        return {"held": self.held, "varied": self.varied, "steps": steps}


@dataclass(frozen=True)
class Verdict:
    """Counts of one rule on one measure: sequences and their steps, and how many break it."""

    measure: str
    desideratum: str
    sequences: int
    failed: int
    steps: int
    failed_steps: int
    tied_steps: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Difference(NamedTuple):
    """A count of the paper that its own rule does not give."""

    desideratum: str
    measure: str
    printed: int
    found: int


@dataclass(frozen=True)
class Desiderata:
    """Dom's rules P1 to P5 on several measures.

    `failures["P3"]["rand"]` is the sequence of failures; `tried["P3"]` how many sequences the
    grid has. A measure that is faulty is in `faults`; where its values mean nothing it is not
    judged and has no entry in `failures`.
    """

    over: Grid
    n: float
    tolerance: float
    records: tuple[Measure, ...]
    tried: dict[str, int]
    verdicts: dict[str, dict[str, Verdict]]
    failures: dict[str, dict[str, tuple[Failure, ...]]]
    faults: dict[str, tuple[Fault, ...]]

    @property
    def measures(self) -> tuple[str, ...]:
        """Keys of the measures, in the order asked for."""
        return tuple(record.key for record in self.records)

    @property
    def is_papers(self) -> bool:
        """Whether the grid and the number of objects are those of the paper."""
        return self.over == Grid() and self.n == PAPER_OBJECTS

    def differences(self) -> list[Difference]:
        """Where the paper prints another count than its rule gives."""
        if not self.is_papers:
            return []
        return [
            Difference(rule, key, count, verdict.failed)
            for rule, verdicts in self.verdicts.items()
            for key, verdict in verdicts.items()
            if (count := printed(rule, key)) is not None and count != verdict.failed
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "schema": SCHEMA,
            "grid": self.over.to_dict(),
            "combinations": len(self.over),
            "n": self.n,
            "tolerance": self.tolerance,
            "measures": list(self.measures),
            "tried": self.tried,
            "verdicts": [v.to_dict() for row in self.verdicts.values() for v in row.values()],
            "failures": {
                rule: {key: [f.to_dict() for f in found] for key, found in row.items()}
                for rule, row in self.failures.items()
            },
            "faults": [fault.to_dict() for found in self.faults.values() for fault in found],
            "differences": [difference._asdict() for difference in self.differences()],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A row a measure and rule."""
        return to_frame(self.columns(), backend)

    def columns(self) -> dict[str, list[Any]]:
        """A row a measure and rule: sequences and steps tried, and how many break it."""
        rows = [
            self.verdicts[rule][key].to_dict()
            for key in self.measures
            for rule in self.tried
            if key in self.verdicts[rule]
        ]
        return {name: [row[name] for row in rows] for name in Verdict.__dataclass_fields__}

    def failure_columns(self) -> dict[str, list[Any]]:
        """A row a broken step, with all parameters."""
        rows = [
            {"measure": key, "desideratum": rule, **failure.held, "varied": failure.varied,
             **step._asdict()}
            for rule, found in self.failures.items()
            for key, failures in found.items()
            for failure in failures
            for step in failure.steps
        ]  # fmt: skip
        names = ["measure", "desideratum", *Grid.__dataclass_fields__, "varied", *Step._fields]
        return {name: [row.get(name) for row in rows] for name in names}

    def failures_frame(self, backend: Backend | None = None) -> Any:
        """A row a broken step; the varied parameter itself is in `start` and `end`."""
        return to_frame(self.failure_columns(), backend)

    def grid(self) -> list[list[str]]:
        """The table that people read: failed sequences, a row a measure."""
        head = ["measure", *(f"{rule} of {count}" for rule, count in self.tried.items())]
        rows = [[key, *(self._cell(rule, key) for rule in self.tried)] for key in self.measures]
        return [head, *rows]

    def _cell(self, rule: str, key: str) -> str:
        verdict = self.verdicts[rule].get(key)
        if verdict is None or verdict.sequences == 0:
            return "-"
        if verdict.sequences == self.tried[rule]:
            return str(verdict.failed)
        return f"{verdict.failed} of {verdict.sequences}"

    def notes(self) -> list[str]:
        """What to know when reading the table."""
        notes = [
            "Sequences of neighbouring members of Dom's family in which at least one step breaks "
            f"the rule, over {len(self.over)} combinations with {self.n:.6g} objects. P1 to P5: a "
            "clustering is better with more useful clusters up to the number of classes, worse "
            "with more beyond it, with more noise clusters, and with either error (Dom 2001, "
            f"Table 4). No change, or one within {self.tolerance:g} of the value, breaks a rule."
        ]
        notes += self._beside_the_print()
        notes += [str(fault) for found in self.faults.values() for fault in found]
        plain = [record.key for record in self.records if record.family == PLAIN]
        if plain:
            notes.append(
                f"Higher is taken as better for {', '.join(plain)}; decorate it with "
                "@clustervet.measure(better=...) to say so or otherwise."
            )
        return notes

    def _beside_the_print(self) -> list[str]:
        """How many of the paper's counts come out, and what is known of those that do not."""
        if not self.is_papers:
            return []
        stated = sum(
            printed(rule, key) is not None for rule, row in self.verdicts.items() for key in row
        )
        if not stated:
            return []
        unlike = self.differences()
        same = f"The paper states {stated} of these counts, and {stated - len(unlike)} come out."
        return [same, *(self._explain(difference) for difference in unlike)]

    def _explain(self, difference: Difference) -> str:
        rule, key, count, found = difference
        text = f"{rule}: the paper prints {count} for {key}; its rule gives {found}."
        if (rule, key) == ("P5", "rand"):
            places = [failure.held["useful"] for failure in self.failures[rule][key]]
            text += (
                f" Of the paper's, 4 are at 3 useful clusters (here {places.count(3)}) and so 25 "
                f"at 2, where there are only {places.count(2)} sequences; all of them fail."
            )
        return text

    def __repr__(self) -> str:
        return "\n".join([aligned(self.grid()), *self.notes()])


@dataclass(frozen=True)
class FailureList:
    """The broken steps one by one, in the forms that a study has."""

    found: Desiderata

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return self.found.to_json(indent)

    def columns(self) -> dict[str, list[Any]]:
        """A row a broken step."""
        return self.found.failure_columns()

    def grid(self) -> list[list[str]]:
        """A row a broken step, as people read it."""
        columns = self.columns()
        rows = zip(*columns.values(), strict=True)
        return [list(columns), *([_shown(item) for item in row] for row in rows)]

    def notes(self) -> list[str]:
        """What to know when reading the table."""
        return self.found.notes()

    def __repr__(self) -> str:
        return "\n".join([aligned(self.grid()), *self.notes()])


def _shown(item: Any) -> str:
    if isinstance(item, bool):
        return "yes" if item else "no"
    if item is None:
        return "-"
    return f"{item:.6g}" if isinstance(item, int | float) else str(item)


def printed(rule: str, key: str) -> int | None:
    """How many failures the paper prints, if it speaks of the measure."""
    return 0 if key in PRINTED_FOR else PRINTED[rule].get(key)


def aligned(grid: Sequence[Sequence[str]]) -> str:
    """Rows of cells in columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return "\n".join(
        "  ".join(item.ljust(w) for item, w in zip(row, widths, strict=True)).rstrip()
        for row in grid
    )
