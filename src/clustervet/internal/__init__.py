"""Internal measures: how good a clustering is when only the data is known.

Rule of this room: each measure is a small function that reads a `Geometry` and returns a float.
"""

from __future__ import annotations

from clustervet.internal.batches import (
    isolated_label_silhouette,
    isolated_labels,
    silhouette_batch,
    silhouette_label,
)
from clustervet.internal.centroids import ball_hall, duda_hart, pbm, s_dbw, sd_index
from clustervet.internal.compactness import (
    calinski_harabasz,
    gap_statistic,
    hartigan,
    inter_distance,
    intra_distance,
    intra_inter_ratio,
    ssq,
)
from clustervet.internal.density import dbcv
from clustervet.internal.determinants import marriott, rubin, scott_symons
from clustervet.internal.likelihood import aic, bic, log_likelihood, validated_likelihood
from clustervet.internal.objectives import (
    average_linkage,
    complete_linkage,
    median_distance,
    medoid_distance,
    single_linkage,
    ward_linkage,
)
from clustervet.internal.order import baker_hubert_gamma, c_index, kendall_tau, point_biserial
from clustervet.internal.separation import davies_bouldin, dunn, generalized_dunn, xie_beni
from clustervet.internal.silhouette import (
    Silhouettes,
    macro_silhouette,
    silhouette,
    silhouettes,
    simplified_silhouette,
)

__all__ = [
    "Silhouettes",
    "aic",
    "average_linkage",
    "baker_hubert_gamma",
    "ball_hall",
    "bic",
    "c_index",
    "calinski_harabasz",
    "complete_linkage",
    "davies_bouldin",
    "dbcv",
    "duda_hart",
    "dunn",
    "gap_statistic",
    "generalized_dunn",
    "hartigan",
    "inter_distance",
    "intra_distance",
    "intra_inter_ratio",
    "isolated_label_silhouette",
    "isolated_labels",
    "kendall_tau",
    "log_likelihood",
    "macro_silhouette",
    "marriott",
    "median_distance",
    "medoid_distance",
    "pbm",
    "point_biserial",
    "rubin",
    "s_dbw",
    "scott_symons",
    "sd_index",
    "silhouette",
    "silhouette_batch",
    "silhouette_label",
    "silhouettes",
    "simplified_silhouette",
    "single_linkage",
    "ssq",
    "validated_likelihood",
    "ward_linkage",
    "xie_beni",
]
