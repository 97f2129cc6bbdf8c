"""Features and a clustering of them: all that an internal measure may know.

Law: memory stays bounded; nothing of the size points × points or points × clusters is held.
"""

from __future__ import annotations

from clustervet.geometry.from_moments import MomentGeometry
from clustervet.geometry.geometry import Geometry

__all__ = ["Geometry", "MomentGeometry"]
