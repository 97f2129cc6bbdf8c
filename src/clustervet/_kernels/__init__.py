"""Every compiled loop: numpy arrays in, numpy arrays or numbers out; no lock held.

Law: imported only when a table is large enough to pay for loading the compiler. Loops are
compiled once a machine and cached beside the source. Parallel work is done by plain threads
over these functions, which is safe from any number of calling threads.
"""

from __future__ import annotations

from clustervet._kernels.cells import cell_sums, entropy, expected_information, peaks, sum_squares
from clustervet._kernels.counting import (
    count_dense,
    count_sparse,
    gather_dense,
    group,
    hash_codes,
    merge_dense,
    value_range,
)
from clustervet._kernels.matching import augment, settle
from clustervet._kernels.threads import ranges, run

__all__ = [
    "augment",
    "cell_sums",
    "count_dense",
    "count_sparse",
    "entropy",
    "expected_information",
    "gather_dense",
    "group",
    "hash_codes",
    "merge_dense",
    "peaks",
    "ranges",
    "run",
    "settle",
    "sum_squares",
    "value_range",
]
