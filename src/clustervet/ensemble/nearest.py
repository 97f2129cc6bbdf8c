"""The labelings nearest to one more."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.ensemble.distances import with_query
from clustervet.ensemble.filling import PairValues
from clustervet.ensemble.labelings import Labelings
from clustervet.ensemble.scoring import Scoring
from clustervet.ensemble.tree import MetricTree
from clustervet.errors import ParameterError
from clustervet.registry import Measure

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Nearest:
    """Labelings in order of their distance, and of their place where that is the same.

    `computed` of the `total` distances to the query were computed.
    """

    names: tuple[str, ...]
    indices: tuple[int, ...]
    distances: Floats
    computed: int
    total: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "names": list(self.names),
            "distances": self.distances.tolist(),
            "computed": self.computed,
            "total": self.total,
        }


@dataclass(frozen=True, eq=False)
class Space:
    """Labelings under a metric, with a tree that finds the nearest."""

    labelings: Labelings = field(repr=False)
    measure: Measure
    tree: MetricTree

    @classmethod
    def of(cls, many: Labelings, measure: Measure, matrix: Floats | None) -> Space:
        """A space from labelings, and from their distances where these are known."""
        if not measure.metric:
            kind = {"higher": "a similarity", "lower": "not one"}.get(measure.better, "no distance")
            raise ParameterError(
                f"the nearest labelings are found by a metric, and {measure.key} is {kind}; use "
                "one such as variation_of_information."
            )
        if not many.complete:
            raise ParameterError(
                "the nearest labelings are found by a metric, and distances on different objects "
                "are none; read the labelings without shared."
            )
        if matrix is not None:
            return cls(many, measure, MetricTree.from_matrix(matrix))
        pair = PairValues(many, Scoring(measure, {}), len(many) ** 2)

        def distances(one: int, others: NDArray[np.int64]) -> Floats:
            return np.array([pair(one, other)[0] for other in others.tolist()])

        with ticking(len(many), "tree") as tick:
            return cls(many, measure, MetricTree.build(len(many), distances, tick))

    def nearest(self, query: Any, wanted: int) -> Nearest:
        """The nearest labelings to a query, by distances as `distances_to` gives them."""
        last = len(self.labelings)
        pair = PairValues(with_query(self.labelings, query), Scoring(self.measure, {}), last)
        places, gaps, computed = self.tree.search(lambda place: pair(place, last)[0], wanted)
        names = tuple(self.labelings.names[i] for i in places)
        return Nearest(names, tuple(places.tolist()), gaps, computed, len(self.labelings))
