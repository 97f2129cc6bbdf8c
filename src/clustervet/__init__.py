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

from clustervet import external, hierarchical, internal, overlapping, soft
from clustervet.contingency import Contingency, EngineTable, Pairs
from clustervet.errors import ClustervetError
from clustervet.external import *  # noqa: F403  # the room's __all__ is the one list of measures
from clustervet.geometry import Geometry
from clustervet.hierarchical import *  # noqa: F403  # likewise
from clustervet.inference import (
    Chance,
    Comparison,
    Diagnosis,
    Interval,
    Ranking,
    SampledScores,
    SampleSize,
    chance,
    compare_predictions,
    confidence_interval,
    diagnose,
    rank_predictions,
    sample_size,
    sampled_scores,
)
from clustervet.internal import *  # noqa: F403  # likewise
from clustervet.overlapping import *  # noqa: F403  # likewise
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
from clustervet.soft import *  # noqa: F403  # likewise

__version__ = "0.2.0"

# Names that not every program needs, or that need scikit-learn, and where they are.
LAZY = {
    **dict.fromkeys(("Consensus", "Distances", "Ensemble", "distance_matrix"), "ensemble"),
    **dict.fromkeys(("Bound", "pac_mdl_bound"), "pacmdl"),
    **dict.fromkeys(("Benchmark", "benchmark"), "suites"),
    **dict.fromkeys(("Selection", "Selections", "select"), "selection"),
    **dict.fromkeys(("TreeScores", "score_tree"), "trees"),
    **dict.fromkeys(("Choice", "Tuning", "stability", "tune"), "tuning"),
    **dict.fromkeys(("NoiseFeatures", "noise_features"), "tuning"),
    **dict.fromkeys(("find_elbow", "find_gap", "find_hartigan", "find_optimum"), "tuning"),
    **dict.fromkeys(("ClusterMap", "align"), "contingency.mapping"),
    **dict.fromkeys(("Drift", "Drifts", "ShareDrift"), "ensemble.drift_result"),
    **dict.fromkeys(("Tendency", "tendency"), "geometry.tendency"),
    **dict.fromkeys(("ClusterProfiles", "cluster_profiles"), "geometry.profiles"),
    "Stability": "ensemble.cluster_stability",
    "Evidence": "evidence",
    "LabelingFiles": "ensemble.labeling_files",
    "assign": "geometry.assign",
    "drift": "ensemble.drift",
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
    "sampled_scores_files": "inference.sampled_files",
    "score_files": "scorecard.score_files",
    "score_tree_files": "trees.files",
    "write_report": "report",
}

# Rooms whose own names are public; they are loaded when first asked for.
ROOMS = ("clusterers", "lab", "labels", "pacmdl", "partition", "plots")

# Type checkers and editors see the names of both without loading them.
if TYPE_CHECKING:
    from clustervet import clusterers, lab, labels, pacmdl, partition, plots
    from clustervet._memory import memory_limit
    from clustervet.contingency.files import read_tables
    from clustervet.contingency.mapping import ClusterMap, align
    from clustervet.contingency.tables import Tables
    from clustervet.ensemble import Consensus, Distances, Ensemble, distance_matrix
    from clustervet.ensemble.cluster_stability import Stability
    from clustervet.ensemble.drift import drift
    from clustervet.ensemble.drift_result import Drift, Drifts, ShareDrift
    from clustervet.ensemble.labeling_files import LabelingFiles
    from clustervet.evidence import Evidence
    from clustervet.evidence.examine import examine
    from clustervet.evidence.examine_files import examine_files
    from clustervet.frames.moments import Moments, cluster_moments, file_moments
    from clustervet.frames.rows import Rows, sample_rows
    from clustervet.frames.source import open_table
    from clustervet.geometry.assign import assign
    from clustervet.geometry.profiles import ClusterProfiles, cluster_profiles
    from clustervet.geometry.tendency import Tendency, tendency
    from clustervet.inference.sampled_files import sampled_scores_files
    from clustervet.pacmdl import Bound, pac_mdl_bound
    from clustervet.report import Report, build_report, write_report
    from clustervet.scorecard.score_files import score_files
    from clustervet.selection import Selection, Selections
    from clustervet.selection.search import PacMdlSearch
    from clustervet.selection.select import select
    from clustervet.suites import Benchmark
    from clustervet.suites.benchmark import benchmark
    from clustervet.trees import TreeScores, score_tree
    from clustervet.trees.files import score_tree_files
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
    from clustervet.tuning.stability import stability
    from clustervet.tuning.tune import tune

__all__ = [
    "Benchmark",
    "Bound",
    "Chance",
    "Choice",
    "ClusterMap",
    "ClusterProfiles",
    "ClustervetError",
    "Comparison",
    "Consensus",
    "Contingency",
    "Diagnosis",
    "Distances",
    "EngineTable",
    "Ensemble",
    "Estimate",
    "Evidence",
    "Geometry",
    "Interval",
    "Judgement",
    "LabelingFiles",
    "Measure",
    "Moments",
    "NoiseFeatures",
    "PacMdlSearch",
    "Pairs",
    "Partition",
    "Ranking",
    "Report",
    "Rows",
    "SampleSize",
    "SampledScores",
    "ScoreCard",
    "ScoreCards",
    "Selection",
    "Selections",
    "Tables",
    "Stability",
    "Drift",
    "Drifts",
    "ShareDrift",
    "Tendency",
    "TreeScores",
    "Tuning",
    "__version__",
    "align",
    "assign",
    "benchmark",
    "build_report",
    "chance",
    "cluster_moments",
    "cluster_profiles",
    "clusterers",
    "compare_predictions",
    "confidence_interval",
    "diagnose",
    "distance_matrix",
    "examine",
    "examine_files",
    "external_scores",
    "file_moments",
    "find_elbow",
    "find_gap",
    "find_hartigan",
    "find_optimum",
    "internal_scores",
    "judge",
    "lab",
    "labels",
    "measure",
    "measures",
    "memory_limit",
    "noise_features",
    "open_table",
    "pac_mdl_bound",
    "pacmdl",
    "partition",
    "plots",
    "rank_predictions",
    "read_tables",
    "sample_rows",
    "sample_size",
    "sampled_scores",
    "sampled_scores_files",
    "score_files",
    "score_tree",
    "score_tree_files",
    "select",
    "drift",
    "stability",
    "tendency",
    "tune",
    "write_report",
    *external.__all__,
    *internal.__all__,
    *soft.__all__,
    *overlapping.__all__,
    *hierarchical.__all__,
]


if not TYPE_CHECKING:  # so that a name that does not exist is an error for type checkers

    def __getattr__(name: str) -> Any:
        """What is loaded when first asked for."""
        if name in LAZY:
            return getattr(importlib.import_module(f"clustervet.{LAZY[name]}"), name)
        if name in ROOMS:
            return importlib.import_module(f"clustervet.{name}")
        raise AttributeError(f"module 'clustervet' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(__all__)
