"""The door: anything label-like becomes integer codes and the names they stand for.

Rule of this room: labels are validated here, once; no later code checks them again.
"""

from __future__ import annotations

from clustervet.labels.codes import ABSENT, Codes, Singleton, consecutive
from clustervet.labels.index import check_index
from clustervet.labels.links import components
from clustervet.labels.pair import (
    encode_all,
    encode_one,
    encode_pair,
    encode_weights,
    noise_count,
    product_labels,
)
from clustervet.labels.read import read_labels
from clustervet.labels.text import plain_label, show_label

__all__ = [
    "ABSENT",
    "Codes",
    "Singleton",
    "check_index",
    "components",
    "consecutive",
    "encode_all",
    "encode_one",
    "encode_pair",
    "encode_weights",
    "noise_count",
    "plain_label",
    "product_labels",
    "read_labels",
    "show_label",
]
