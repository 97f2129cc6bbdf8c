"""Many clusterings of the same objects: their distances, and what these tell.

Law: labels are read once, into small codes; every distance comes from a table of two of them.

`Ensemble` is the way in. `read_labelings` reads labelings, `distance_matrix` compares every two
of them, and `distances_to` compares them with one more.
"""

from __future__ import annotations

from clustervet.ensemble.consensus import Consensus, SearchTrial
from clustervet.ensemble.distances import Distances, distance_matrix, distances_to
from clustervet.ensemble.embedding import Embedding, RunStability
from clustervet.ensemble.ensemble import Ensemble
from clustervet.ensemble.groups import Diverse, Groups, Hierarchy, Medoid
from clustervet.ensemble.labelings import Labelings, read_labelings
from clustervet.ensemble.nearest import Nearest
from clustervet.ensemble.summary import Summary
from clustervet.ensemble.trajectory import Trajectory

__all__ = [
    "Consensus",
    "Distances",
    "Diverse",
    "Embedding",
    "Ensemble",
    "Groups",
    "Hierarchy",
    "Labelings",
    "Medoid",
    "Nearest",
    "RunStability",
    "SearchTrial",
    "Summary",
    "Trajectory",
    "distance_matrix",
    "distances_to",
    "read_labelings",
]
