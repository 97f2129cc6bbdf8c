"""Overlapping clusterings: an object may be in several groups, or in none.

Law: a formula reads a `CoverPair` and returns a float; no pairs of objects are kept.
"""

from __future__ import annotations

from clustervet.overlapping.cover import Cover
from clustervet.overlapping.groups import (
    best_match_f1,
    best_match_f1_pred,
    best_match_f1_truth,
    overlapping_nmi_lfk,
    overlapping_nmi_max,
)
from clustervet.overlapping.objects import (
    extended_bcubed_f1,
    extended_bcubed_precision,
    extended_bcubed_recall,
    overlapping_element_centric,
)
from clustervet.overlapping.pair import CoverPair
from clustervet.overlapping.pairs import omega_index, omega_unadjusted

__all__ = [
    "Cover",
    "CoverPair",
    "best_match_f1",
    "best_match_f1_pred",
    "best_match_f1_truth",
    "extended_bcubed_f1",
    "extended_bcubed_precision",
    "extended_bcubed_recall",
    "omega_index",
    "omega_unadjusted",
    "overlapping_element_centric",
    "overlapping_nmi_lfk",
    "overlapping_nmi_max",
]
