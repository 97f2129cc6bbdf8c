"""clustervet judges, compares and chooses clusterings.

>>> import clustervet as cv
>>> truth = ["cat", "cat", "dog", "dog"]
>>> pred = [0, 0, 1, 2]
>>> cv.variation_of_information(truth, pred)
0.5
>>> table = cv.Contingency.from_labels(truth, pred)
>>> cv.rand(table) == cv.rand(truth, pred)
True
"""

from __future__ import annotations

# First of all, so that the command can be stopped while everything else is loaded.
from clustervet import _process as _process

# isort: split
import importlib
from typing import TYPE_CHECKING, Any

from clustervet import external, internal
from clustervet.contingency import Contingency, EngineTable, Pairs
from clustervet.errors import ClustervetError
from clustervet.external import *  # noqa: F403  # the room's __all__ is the one list of measures
from clustervet.geometry import Geometry
from clustervet.inference import (
    Chance,
    Comparison,
    Diagnosis,
    Interval,
    Ranking,
    SampleSize,
    chance,
    compare_predictions,
    confidence_interval,
    diagnose,
    rank_predictions,
    sample_size,
)
from clustervet.internal import *  # noqa: F403  # likewise
from clustervet.partition import Partition
from clustervet.registry import Estimate, Measure, measure, measures
from clustervet.scorecard import (
    Judgement,
    ScoreCard,
    ScoreCards,
    external_scores,
    internal_scores,
    judge,
)

# Types see what is loaded when it is first asked for; `LAZY` has the same names.
if TYPE_CHECKING:
    from clustervet.ensemble import Consensus, Distances, Ensemble, distance_matrix
    from clustervet.pacmdl import Bound, pac_mdl_bound
    from clustervet.selection import Selection, Selections
    from clustervet.selection.select import select
    from clustervet.suites import Benchmark
    from clustervet.suites.benchmark import benchmark
    from clustervet.trees import TreeScores, score_tree
    from clustervet.tuning import (
        Choice,
        NoiseFeatures,
        Tuning,
        find_elbow,
        find_gap,
        find_hartigan,
        find_optimum,
    )
    from clustervet.tuning.noise_features import noise_features
    from clustervet.tuning.tune import tune

__version__ = "0.1.0"

__all__ = [
    "Benchmark",
    "Bound",
    "Chance",
    "Choice",
    "ClustervetError",
    "Comparison",
    "Consensus",
    "Contingency",
    "Diagnosis",
    "Distances",
    "EngineTable",
    "Ensemble",
    "Estimate",
    "Geometry",
    "Interval",
    "Judgement",
    "Measure",
    "NoiseFeatures",
    "Pairs",
    "Partition",
    "Ranking",
    "SampleSize",
    "ScoreCard",
    "ScoreCards",
    "Selection",
    "Selections",
    "TreeScores",
    "Tuning",
    "benchmark",
    "chance",
    "compare_predictions",
    "confidence_interval",
    "diagnose",
    "distance_matrix",
    "external_scores",
    "find_elbow",
    "find_gap",
    "find_hartigan",
    "find_optimum",
    "internal_scores",
    "judge",
    "measure",
    "measures",
    "noise_features",
    "pac_mdl_bound",
    "rank_predictions",
    "sample_size",
    "score_tree",
    "select",
    "tune",
    *external.__all__,
    *internal.__all__,
]


# Names that not every program needs, or that need scikit-learn, and where they are.
LAZY = {
    **dict.fromkeys(("Consensus", "Distances", "Ensemble", "distance_matrix"), "ensemble"),
    **dict.fromkeys(("Bound", "pac_mdl_bound"), "pacmdl"),
    **dict.fromkeys(("Benchmark", "benchmark"), "suites"),
    **dict.fromkeys(("Selection", "Selections", "select"), "selection"),
    **dict.fromkeys(("TreeScores", "score_tree"), "trees"),
    **dict.fromkeys(("Choice", "Tuning", "tune"), "tuning"),
    **dict.fromkeys(("NoiseFeatures", "noise_features"), "tuning"),
    **dict.fromkeys(("find_elbow", "find_gap", "find_hartigan", "find_optimum"), "tuning"),
    **dict.fromkeys(("ClusterProfiles", "cluster_profiles"), "geometry.profiles"),
    "Evidence": "evidence",
    "LabelingFiles": "ensemble.labeling_files",
    "Moments": "frames.moments",
    "PacMdlSearch": "selection.search",
    "Report": "report",
    "Rows": "frames.rows",
    "Tables": "contingency.tables",
    "build_report": "report",
    "cluster_moments": "frames.moments",
    "examine": "evidence",
    "examine_files": "evidence",
    "file_moments": "frames.moments",
    "memory_limit": "_memory",
    "open_table": "frames.source",
    "read_tables": "contingency.files",
    "sample_rows": "frames.rows",
    "score_files": "scorecard.score_files",
    "score_tree_files": "trees.files",
    "write_report": "report",
}


ROOMS = ("clusterers", "ensemble", "evidence", "lab", "pacmdl", "plots", "selection", "tuning")


def __getattr__(name: str) -> Any:
    """What is loaded when first asked for."""
    if name in LAZY:
        return getattr(importlib.import_module(f"clustervet.{LAZY[name]}"), name)
    if name in ROOMS:
        return importlib.import_module(f"clustervet.{name}")
    raise AttributeError(f"module 'clustervet' has no attribute {name!r}")


def __dir__() -> list[str]:
    """All names, loaded or not."""
    return sorted({*globals(), *LAZY, *ROOMS})
