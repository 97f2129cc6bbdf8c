"""External measures: one small function of the table each.

Rule of this room: a measure reads a `Contingency` and returns a float; its record stands beside
its formula.
"""

from __future__ import annotations

from clustervet.external.bcubed import (
    bcubed_f1,
    bcubed_precision,
    bcubed_recall,
    element_centric_similarity,
)
from clustervet.external.coding import (
    dom_q0,
    dom_q1,
    dom_q2,
)
from clustervet.external.impurity import (
    gini,
    goodman_kruskal_tau,
    inverse_gini,
)
from clustervet.external.information import (
    adjusted_mutual_information,
    class_entropy,
    cluster_entropy,
    completeness,
    conditional_entropy,
    homogeneity,
    inverse_conditional_entropy,
    joint_entropy,
    mutual_information,
    normalized_mutual_information,
    normalized_variation_of_information,
    v_measure,
    variation_of_information,
)
from clustervet.external.matching import (
    classification_error,
    matching_accuracy,
    normalized_clustering_accuracy,
    pair_sets_index,
)
from clustervet.external.overlap import (
    directional_hamming,
    f_measure,
    goodman_kruskal_lambda,
    hamming,
    inverse_directional_hamming,
    inverse_purity,
    larsen_aone,
    mean_purity,
    purity,
    van_dongen,
    van_dongen_invariant,
)
from clustervet.external.pairs import (
    adjusted_fowlkes_mallows,
    adjusted_rand,
    fowlkes_mallows,
    hubert_gamma,
    jaccard,
    mirkin,
    mirkin_invariant,
    pair_f1,
    pair_precision,
    pair_recall,
    rand,
)

__all__ = [
    "adjusted_fowlkes_mallows",
    "adjusted_mutual_information",
    "adjusted_rand",
    "bcubed_f1",
    "bcubed_precision",
    "bcubed_recall",
    "class_entropy",
    "classification_error",
    "cluster_entropy",
    "completeness",
    "conditional_entropy",
    "directional_hamming",
    "dom_q0",
    "dom_q1",
    "dom_q2",
    "element_centric_similarity",
    "f_measure",
    "fowlkes_mallows",
    "gini",
    "goodman_kruskal_lambda",
    "goodman_kruskal_tau",
    "hamming",
    "homogeneity",
    "hubert_gamma",
    "inverse_conditional_entropy",
    "inverse_directional_hamming",
    "inverse_gini",
    "inverse_purity",
    "jaccard",
    "joint_entropy",
    "larsen_aone",
    "matching_accuracy",
    "mean_purity",
    "mirkin",
    "mirkin_invariant",
    "mutual_information",
    "normalized_clustering_accuracy",
    "normalized_mutual_information",
    "normalized_variation_of_information",
    "pair_f1",
    "pair_precision",
    "pair_recall",
    "pair_sets_index",
    "purity",
    "rand",
    "v_measure",
    "van_dongen",
    "van_dongen_invariant",
    "variation_of_information",
]
