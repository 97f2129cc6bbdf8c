"""The description that a language codes: labels of the clusters, and choices that were made."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from clustervet._checks import whole
from clustervet.errors import ParameterError

# The choices that a language may pay for, and their names in messages.
CHOICES = {
    "runs": "the run",
    "number": "the number of clusters",
    "algorithms": "the algorithm",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One classifier made from clusters.

    Parameters
    ----------
    clusters : int
        Number of clusters.
    labels : int
        Number of possible labels, at least 2.
    assignment : tuple of int, optional
        Code of the label of each cluster, from 0 to labels - 1, in an order that depends on the
        clustering alone.
    number : int, optional
        Number of clusters that the algorithm was asked for, if some are empty.
    runs : int, default 1
        Number of runs of which the best was chosen by looking at the labels.
    algorithms : int, default 1
        Number of algorithms of which the best was chosen by looking at the labels.
    searched : bool, default False
        Whether the number of clusters was chosen by looking at the labels.

    Raises
    ------
    ParameterError
        If a number is out of range, or the assignment does not fit the clusters and labels.

    Examples
    --------
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
        """Choices that were made by looking at the labels."""
        made = {"runs": self.runs > 1, "number": self.searched, "algorithms": self.algorithms > 1}
        return tuple(choice for choice, was_made in made.items() if was_made)

    @property
    def known_assignment(self) -> tuple[int, ...]:
        """The assignment; raises an error if there is none, for codes that depend on it."""
        if self.assignment is None:
            raise ParameterError("this language needs the assignment of labels to clusters.")
        return self.assignment

    @property
    def uses(self) -> list[int]:
        """How often each label is used, in rising order; labels that are not used are left out."""
        return sorted(Counter(self.known_assignment).values())

    def choice_bits(self, choice: str) -> float:
        """Return the bits that a choice costs.

        Parameters
        ----------
        choice : {'runs', 'number', 'algorithms'}
            Name of the choice.

        Returns
        -------
        float
            Bits: log2 r for runs, log2 c(c - 1) for the number of clusters, log2 s for algorithms.

        Raises
        ------
        ParameterError
            If the number of clusters is coded and there is one cluster.

        Notes
        -----
        See Banerjee & Langford 2004, eqs. 2-4.

        Examples
        --------
        >>> Description(clusters=3, labels=3, runs=8).choice_bits("runs")
        3.0
        """
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
