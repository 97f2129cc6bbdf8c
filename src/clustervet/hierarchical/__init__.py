"""Hierarchical clusterings: dendrograms and taxonomies over the same leaves.

Law: a formula reads a `TreePair` and returns a float; ties in height are honoured.
"""

from __future__ import annotations

from clustervet.hierarchical.curve import BkCurve, b_k
from clustervet.hierarchical.hierarchy import Hierarchy
from clustervet.hierarchical.measures import (
    bakers_gamma,
    cophenetic_correlation,
    dendrogram_purity,
    hierarchical_element_centric,
    hierarchical_mutual_information,
    normalized_hierarchical_mutual_information,
    normalized_robinson_foulds,
    robinson_foulds,
)
from clustervet.hierarchical.pair import TreePair

__all__ = [
    "BkCurve",
    "Hierarchy",
    "TreePair",
    "b_k",
    "bakers_gamma",
    "cophenetic_correlation",
    "dendrogram_purity",
    "hierarchical_element_centric",
    "hierarchical_mutual_information",
    "normalized_hierarchical_mutual_information",
    "normalized_robinson_foulds",
    "robinson_foulds",
]
