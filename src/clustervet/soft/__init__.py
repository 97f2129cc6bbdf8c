"""Soft clusterings: every object belongs to every cluster by a degree.

Law: a formula reads a `SoftPair`, or the memberships of one clustering, and returns a float.
"""

from __future__ import annotations

from clustervet.soft.concordance import (
    adjusted_concordance,
    ndc,
    ndc_dice,
    ndc_fowlkes_mallows,
    ndc_jaccard,
)
from clustervet.soft.features import SoftGeometry
from clustervet.soft.fuzziness import (
    fuzzy_silhouette,
    fuzzy_xie_beni,
    modified_partition_coefficient,
    partition_coefficient,
    partition_entropy,
)
from clustervet.soft.fuzzy_pairs import (
    fuzzy_adjusted_rand,
    fuzzy_fowlkes_mallows,
    fuzzy_jaccard,
    fuzzy_rand,
)
from clustervet.soft.information import (
    soft_mutual_information,
    soft_normalized_mutual_information,
    soft_variation_of_information,
)
from clustervet.soft.memberships import Memberships
from clustervet.soft.pair import SoftPair

__all__ = [
    "Memberships",
    "SoftGeometry",
    "SoftPair",
    "adjusted_concordance",
    "fuzzy_adjusted_rand",
    "fuzzy_fowlkes_mallows",
    "fuzzy_jaccard",
    "fuzzy_rand",
    "fuzzy_silhouette",
    "fuzzy_xie_beni",
    "modified_partition_coefficient",
    "ndc",
    "ndc_dice",
    "ndc_fowlkes_mallows",
    "ndc_jaccard",
    "partition_coefficient",
    "partition_entropy",
    "soft_mutual_information",
    "soft_normalized_mutual_information",
    "soft_variation_of_information",
]
