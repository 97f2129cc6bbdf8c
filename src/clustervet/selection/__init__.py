"""Sweeps over parameters of clusterers, and what internal measures say about them.

Law: rules (`elbow`, `optimum`) read numbers alone; `tune` fits, measures and asks the rules.
"""

from __future__ import annotations

from clustervet.selection.choice import Choice
from clustervet.selection.elbow import find_elbow, find_hartigan
from clustervet.selection.optimum import find_gap, find_optimum
from clustervet.selection.stability import Stability
from clustervet.selection.tune import tune
from clustervet.selection.tuning import Tuning

__all__ = [
    "Choice",
    "Stability",
    "Tuning",
    "find_elbow",
    "find_gap",
    "find_hartigan",
    "find_optimum",
    "tune",
]
