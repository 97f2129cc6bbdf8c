"""What a test of one property says about one measure, as data and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from clustervet.lab.cases import Labeling

Status = Literal["holds", "fails", "does not apply", "broken"]
MARKS: dict[Status, str] = {"holds": "✓", "fails": "✗", "does not apply": "–", "broken": "!"}
WANTED = {
    "=": "should equal",
    "<=": "should be at most",
    ">=": "should be at least",
    ">": "should exceed",
    "better": "should be better than",
    "as good": "should be as good as",
}
# Digits that are the same on every machine.
DIGITS = 12


@dataclass(frozen=True)
class Counterexample:
    """Labelings, and the two numbers that stand otherwise than the property wants them."""

    labelings: tuple[tuple[str, Labeling], ...]
    left: str
    left_value: float
    relation: str
    right: str
    right_value: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "labelings": {name: list(labels) for name, labels in self.labelings},
            "left": self.left,
            "left_value": _plain(self.left_value),
            "relation": self.relation,
            "right": self.right,
            "right_value": _plain(self.right_value),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Counterexample:
        """From plain data."""
        labelings = tuple((name, tuple(labels)) for name, labels in data["labelings"].items())
        return cls(labelings, **{name: data[name] for name in data if name != "labelings"})

    @property
    def points(self) -> int:
        """How many points it needs."""
        return max(len(labels) for _, labels in self.labelings)

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {list(labels)}" for name, labels in self.labelings)
        return (
            f"{shown}: {self.left} = {self.left_value:.6g} {WANTED[self.relation]} "
            f"{_side(self.right, self.right_value)}"
        )


def _plain(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _side(text: str, value: float) -> str:
    number = f"{value:.6g}"
    return number if text == number else f"{text} = {number}"


@dataclass(frozen=True)
class Verdict:
    """The answer: holds on all cases tried, fails, does not apply, or the measure is broken.

    >>> str(Verdict("holds", cases=12, undefined=2))
    'holds in all 12 cases tried; undefined in 2 more'
    """

    status: Status
    cases: int = 0
    undefined: int = 0
    why: str = ""
    counterexample: Counterexample | None = None

    @property
    def mark(self) -> str:
        """One letter for it."""
        return MARKS[self.status]

    def to_dict(self) -> dict[str, Any]:
        """As plain data, what is empty left out."""
        found: dict[str, Any] = {"status": self.status}
        found |= {"cases": self.cases} if self.cases else {}
        found |= {"undefined": self.undefined} if self.undefined else {}
        found |= {"why": self.why} if self.why else {}
        if self.counterexample is not None:
            found["counterexample"] = self.counterexample.to_dict()
        return found

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Verdict:
        """From plain data."""
        example = data.get("counterexample")
        return cls(
            data["status"],
            data.get("cases", 0),
            data.get("undefined", 0),
            data.get("why", ""),
            None if example is None else Counterexample.from_dict(example),
        )

    def __str__(self) -> str:
        if self.status == "holds":
            more = f"; undefined in {self.undefined:,} more" if self.undefined else ""
            return f"holds in all {self.cases:,} cases tried{more}"
        if self.status == "fails":
            return f"fails for {self.counterexample}"
        return f"{self.status}: {self.why}"
