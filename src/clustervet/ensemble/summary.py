"""All that an ensemble tells, as one record."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.consensus import Consensus
from clustervet.ensemble.embedding import Embedding
from clustervet.ensemble.groups import Groups, Hierarchy
from clustervet.ensemble.members import Medoid
from clustervet.ensemble.record import Distances
from clustervet.ensemble.stability import positive_interval
from clustervet.registry import Estimate

SCHEMA = "clustervet/ensemble/1"
CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Summary:
    """Distances, centre, groups, tree, map and consensus of many labelings.

    `clusters` are how many each labeling has, `mean_distances` those of each labeling to the
    others. `kept` says which of the objects given are left, where some were dropped.
    """

    distances: Distances
    clusters: NDArray[np.int64] = field(repr=False)
    mean_distances: NDArray[np.float64] = field(repr=False)
    objects: int
    kept: NDArray[np.bool_] | None = field(repr=False)
    medoid: Medoid
    spread: Estimate
    groups: Groups
    hierarchy: Hierarchy
    embedding: Embedding
    consensus: Consensus

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the labelings."""
        return self.distances.names

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what is not finite is null."""
        low, high = positive_interval(self.spread, CONFIDENCE)
        spread = {"mean": float(self.spread), "low": low, "high": high}
        return {
            "schema": SCHEMA,
            "objects": self.objects,
            "distances": self.distances.to_dict(),
            "clusters": dict(zip(self.names, self.clusters.tolist(), strict=True)),
            "medoid": self.medoid.to_dict(),
            "spread": {
                **{key: x if math.isfinite(x) else None for key, x in spread.items()},
                "confidence": CONFIDENCE,
            },
            "groups": self.groups.to_dict(),
            "tree": self.hierarchy.to_dict(),
            "map": self.embedding.to_dict(),
            "consensus": self.consensus.to_dict(),
        }

    def to_json(self) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        from clustervet.ensemble import show

        return show.text(self)

    def _repr_html_(self) -> str:
        from clustervet.ensemble import show

        return show.html(self)
