"""One canonical, immutable clustering, and the lattice of all clusterings.

Rule of this room: numpy only; compiled loops are used where partitions are large.
"""

from __future__ import annotations

from clustervet.partition.geodesic import Geodesic
from clustervet.partition.neighbours import Neighbour, Neighbours, Placed
from clustervet.partition.partition import Partition

__all__ = ["Geodesic", "Neighbour", "Neighbours", "Partition", "Placed"]
