"""Features and a clustering of them: everything that an internal measure reads.

Rule of this room: memory is bounded; no array of the size points × points or points × clusters is
made.
"""

from __future__ import annotations

from clustervet.geometry.from_moments import MomentGeometry
from clustervet.geometry.geometry import Geometry
from clustervet.geometry.profiles import ClusterProfiles, cluster_profiles

__all__ = ["ClusterProfiles", "Geometry", "MomentGeometry", "cluster_profiles"]
