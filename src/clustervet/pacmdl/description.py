"""What a language describes: the labels of the clusters, and how the clustering was chosen."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from clustervet._checks import whole
from clustervet.errors import ParameterError

# The choices that a language may pay for, and how a sentence names each.
CHOICES = {
    "runs": "the run",
    "number": "the number of clusters",
    "algorithms": "the algorithm",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One classifier made from clusters.

    `assignment` has a label's code 0..labels-1 for each cluster, in an order that the
    clustering alone fixes. `number` is how many clusters the algorithm was asked for, where
    some came out empty; `searched` says that this number was chosen by looking at labels, as
    the best of so many `runs` or `algorithms` was.

    >>> Description(clusters=3, labels=3, runs=10).choices
    ('runs',)
    """

    clusters: int
    labels: int
    assignment: tuple[int, ...] | None = None
    number: int | None = None
    runs: int = 1
    algorithms: int = 1
    searched: bool = False

    def __post_init__(self) -> None:
        for name, least in (("clusters", 1), ("labels", 2), ("runs", 1), ("algorithms", 1)):
            object.__setattr__(self, name, whole(getattr(self, name), name, least))
        if self.number is not None:
            object.__setattr__(self, "number", whole(self.number, "number", self.clusters))
        if self.assignment is None:
            return
        if len(self.assignment) != self.clusters:
            raise ParameterError(
                f"assignment must have one label per cluster; there are {self.clusters} clusters "
                f"and {len(self.assignment)} labels."
            )
        if not (min(self.assignment) >= 0 and max(self.assignment) < self.labels):
            raise ParameterError(f"assignment must hold codes from 0 to {self.labels - 1}.")

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices that were made with a look at the labels."""
        made = {"runs": self.runs > 1, "number": self.searched, "algorithms": self.algorithms > 1}
        return tuple(choice for choice, was_made in made.items() if was_made)

    @property
    def known_assignment(self) -> tuple[int, ...]:
        """The assignment, which a code that depends on it cannot do without."""
        if self.assignment is None:
            raise ParameterError("this language needs the assignment of labels to clusters.")
        return self.assignment

    @property
    def uses(self) -> list[int]:
        """How often each label that is used at all stands on a cluster."""
        return sorted(Counter(self.known_assignment).values())

    def choice_bits(self, choice: str) -> float:
        """What a choice costs: log r, log c(c - 1), log s (Banerjee & Langford 2004, eqs. 2-4)."""
        if choice == "runs":
            return math.log2(self.runs)
        if choice == "algorithms":
            return math.log2(self.algorithms)
        number = self.number or self.clusters
        if number < 2:
            raise ParameterError(
                "the number of clusters is coded by log c(c - 1) bits, which needs two clusters "
                "or more; there is one."
            )
        return math.log2(number) + math.log2(number - 1)
