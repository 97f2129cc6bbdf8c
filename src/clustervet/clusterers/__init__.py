"""Clusterers for text: the algorithms of Banerjee & Langford 2004, §4.2, for scikit-learn.

Rule of this room: each passes scikit-learn's own checks, takes sparse and dense rows, scales them
itself, and has an objective that never gets worse from one iteration to the next.
"""

from __future__ import annotations

from clustervet.clusterers.balanced import FrequencySensitiveKMeans
from clustervet.clusterers.divergence import KLKMeans
from clustervet.clusterers.mixture import HardMovMF, SoftMovMF
from clustervet.clusterers.smoothing import NeighbourSmoothing
from clustervet.clusterers.spherical import SphericalKMeans

__all__ = [
    "FrequencySensitiveKMeans",
    "HardMovMF",
    "KLKMeans",
    "NeighbourSmoothing",
    "SoftMovMF",
    "SphericalKMeans",
]
