"""Features and a clustering of them: everything that an internal measure reads.

Rule of this room: memory is bounded; no array of the size points × points or points × clusters is
made.
"""

from __future__ import annotations

from clustervet.geometry.from_moments import MomentGeometry
from clustervet.geometry.geometry import Geometry

__all__ = ["Geometry", "MomentGeometry"]
