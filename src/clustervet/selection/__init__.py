"""Sweeps over algorithms, numbers of clusters, runs and parameters, and what to choose.

Law: the answer is the same for any number of jobs, and after any number of kills. Rules (`elbow`,
`optimum`) read numbers alone; `tune` asks internal measures, `select` the PAC-MDL bound.
"""

from __future__ import annotations

from clustervet.selection.choice import Choice
from clustervet.selection.elbow import find_elbow, find_hartigan
from clustervet.selection.optimum import find_gap, find_optimum
from clustervet.selection.select import select
from clustervet.selection.selection import Selection
from clustervet.selection.stability import Stability
from clustervet.selection.tune import tune
from clustervet.selection.tuning import Tuning

__all__ = [
    "Choice",
    "Selection",
    "Stability",
    "Tuning",
    "find_elbow",
    "find_gap",
    "find_hartigan",
    "find_optimum",
    "select",
    "tune",
]
