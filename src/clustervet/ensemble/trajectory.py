"""A sequence of clusterings: how far each is from the first, the last and the one before."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.view import Result, Section, plain_table
from clustervet.view.words import number

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory(Result):
    """Distances along a sequence of clusterings of the same objects.

    Parameters
    ----------
    names : tuple of str
        Names of the clusterings, in the order of the sequence.
    clusters : ndarray of int
        Their numbers of clusters.
    steps : ndarray of float
        Distance of each clustering to the one before; the first has none, which is nan.
    from_start : ndarray of float
        Distance of each to the first.
    to_end : ndarray of float
        Distance of each to the last.
    measure : Measure
        The distance.
    objects : int
        The number of objects.

    Notes
    -----
    A metric tells "the speed at which a search algorithm moves away from its initial point" (Meilă
    2007, §4.1). By the triangle inequality the way is at least as long as the distance from start
    to end; `straightness` is that distance divided by the length of the way. Where each clustering
    refines the one before, as cuts of a dendrogram do, variation of information adds up along
    the way (Meilă 2007, §4.3), and the way is straight.
    """

    names: tuple[str, ...]
    clusters: NDArray[np.int64]
    steps: Floats
    from_start: Floats
    to_end: Floats
    measure: Measure
    objects: int

    @cached_property
    def length(self) -> float:
        """Length of the way: the sum of its steps."""
        return math.fsum(self.steps[1:].tolist())

    @cached_property
    def straightness(self) -> float:
        """Distance from start to end as a share of the way; nan if nothing moves."""
        return float(self.to_end[0]) / self.length if self.length else math.nan

    @cached_property
    def settled(self) -> str | None:
        """The first clustering from which on all are the same, or None if the last still moves."""
        place = len(self.names) - 1
        while place and self.steps[place] == 0:
            place -= 1
        return None if place == len(self.names) - 1 else self.names[place]

    def columns(self) -> dict[str, Any]:
        """Return one row per clustering.

        Returns
        -------
        dict
            The columns ``labeling``, ``clusters``, ``step``, ``from_start`` and ``to_end``.
        """
        return {
            "labeling": list(self.names),
            "clusters": self.clusters.tolist(),
            "step": [None, *self.steps[1:].tolist()],
            "from_start": self.from_start.tolist(),
            "to_end": self.to_end.tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the distances as plain data, with length and straightness.

        Returns
        -------
        dict
            The fields, and what follows from them.
        """
        found = super().to_dict() | {"measure": self.measure.key}
        more = {"length": self.length, "settled": self.settled}
        straight = None if math.isnan(self.straightness) else self.straightness
        return found | more | {"straightness": straight}

    def document(self) -> Section:
        """Return the table of the steps, and how straight the way is.

        Returns
        -------
        Section
            One row per clustering.
        """
        table = plain_table("trajectory-steps", "Step by step", self.columns())
        caption = (
            f"{self.measure.title} between {len(self.names):,} clusterings of "
            f"{self.objects:,} objects, in their order"
        )
        return Section(
            "trajectory",
            "From the first to the last",
            (caption,),
            (table,),
            notes=self.facts(),
            lead=self.facts(),
            subject=self,
            measures=(self.measure,),
            citations=("Meilă 2007",),
        )

    def facts(self) -> tuple[str, ...]:
        """Return what the distances say, in sentences.

        Returns
        -------
        tuple of str
            The length of the way, and from where on nothing moves.
        """
        if not self.length:
            return ("Nothing moves: all clusterings are the same.",)
        unit = f" {self.measure.unit}" if self.measure.unit else ""
        way = (
            f"The steps add up to {number(self.length)}{unit}, and the first and the last are "
            f"{number(self.to_end[0])} apart ({self.straightness:.0%} of that)."
        )
        if self.settled is None:
            return (way,)
        return (way, f"Nothing moves after {show_label(self.settled)!r}.")
