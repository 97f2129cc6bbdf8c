"""All compiled loops: numpy arrays in, numpy arrays or numbers out; they release the GIL.

Rule of this room: the compiler is loaded when a loop is first needed, not before. Loops are
compiled once per machine and kept on disk (`kept_code`). Parallel work is done by plain threads
over these functions, which is safe from any number of calling threads.
"""

from __future__ import annotations

import importlib
from typing import Any

from clustervet._kernels.threads import Pool, blas_on_one_core, cores, ranges, run

_ROOMS = {
    "cells": ("cell_sums", "entropy", "expected_terms", "margins", "peaks", "sum_squares"),
    "counting": (
        "band_sizes",
        "column_sizes",
        "count_bands",
        "count_dense",
        "fill_bands",
        "gather_bands",
        "gather_dense",
        "group",
        "hash_codes",
        "merge_dense",
        "pair_bands",
        "value_range",
    ),
    "covers": ("count_shared", "share_of_objects"),
    "density": ("core_distances", "grow_tree", "least_reachability"),
    "given": ("survey",),
    "labelings": ("band", "by_rows", "count_pair", "shrink"),
    "lattice": (
        "bucket",
        "gather",
        "maps_into",
        "number_cells",
        "number_roots",
        "number_sparse",
        "relabel",
        "renumber",
        "unite",
        "unite_forests",
        "walk",
    ),
    "matching": ("augment", "settle"),
    "meetings": ("TILE", "together", "together_shared"),
    "moments": (
        "dense_scatter",
        "dense_sums",
        "dense_to_centroids",
        "first_places",
        "sparse_sums",
        "sparse_to_centroids",
        "sparse_to_own",
    ),
    "pairs": (
        "add_rows",
        "add_tile",
        "close_extremes",
        "close_rows",
        "direct_sums",
        "extreme_rows",
        "settle_pending",
    ),
    "pixels": ("count_pixels",),
    "soft_pairs": ("between", "concordances", "gaps", "overlaps"),
    "tiles": (
        "CHEBYSHEV",
        "EUCLIDEAN",
        "MANHATTAN",
        "direct_tile",
        "precomputed_tile",
        "product_tile",
        "sparse_tile",
    ),
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    """A loop by name, from the module that compiles it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


__all__ = ["Pool", "blas_on_one_core", "cores", "ranges", "run"]
