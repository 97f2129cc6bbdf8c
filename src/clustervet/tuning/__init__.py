"""A parameter of a clusterer, chosen by internal measures.

Law: the answer is the same for any number of jobs. Rules read numbers alone; a choice that is not
clear says why.
"""

from __future__ import annotations

from clustervet.tuning.curves import TuningStability
from clustervet.tuning.noise_features import NoiseFeatures, noise_features
from clustervet.tuning.references import TuningReference
from clustervet.tuning.rules import Choice, find_elbow, find_gap, find_hartigan, find_optimum
from clustervet.tuning.stability import stability
from clustervet.tuning.tune import tune
from clustervet.tuning.tuning import Tuning

__all__ = [
    "Choice",
    "NoiseFeatures",
    "Tuning",
    "TuningReference",
    "TuningStability",
    "find_elbow",
    "find_gap",
    "find_hartigan",
    "find_optimum",
    "noise_features",
    "stability",
    "tune",
]
