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
from clustervet.internal.likelihood import aic, bic, log_likelihood, validated_likelihood
from clustervet.internal.objectives import (
    average_linkage,
    complete_linkage,
    median_distance,
    medoid_distance,
    single_linkage,
    ward_linkage,
)
from clustervet.internal.separation import davies_bouldin, dunn, generalized_dunn, xie_beni
from clustervet.internal.silhouette import (
    Silhouettes,
    silhouette,
    silhouettes,
    simplified_silhouette,
)

__all__ = [
    "Silhouettes",
    "aic",
    "average_linkage",
    "bic",
    "calinski_harabasz",
    "complete_linkage",
    "davies_bouldin",
    "dbcv",
    "dunn",
    "gap_statistic",
    "generalized_dunn",
    "hartigan",
    "inter_distance",
    "intra_distance",
    "intra_inter_ratio",
    "isolated_label_silhouette",
    "isolated_labels",
    "log_likelihood",
    "median_distance",
    "medoid_distance",
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
