"""Trees in files: Newick text, and linkage matrices of scipy."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import memory_limit as limited
from clustervet.errors import ClustervetError, FileError, ParameterError
from clustervet.frames.places import TEXT, find_place
from clustervet.frames.source import open_table
from clustervet.frames.text import whole_text
from clustervet.hierarchical.hierarchy import Hierarchy
from clustervet.hierarchical.tree import read_linkage
from clustervet.labels import show_label

# Endings of names of files that hold Newick text.
NEWICK = frozenset({".nwk", ".newick", ".nhx", ".tre"})


def read_tree_file(
    path: str, array: str | None = None, memory_limit: str | None = None
) -> Hierarchy:
    """Read a tree in a file.

    Parameters
    ----------
    path : str
        Newick text, or a linkage matrix of scipy as NPY, NPZ or delimited text.
    array : str, optional
        The name of the matrix in an NPZ file.
    memory_limit : str, optional
        How much memory reading may take, such as ``"4GB"``.

    Returns
    -------
    Hierarchy
        The tree.

    Raises
    ------
    FileError
        If the file cannot be read, or holds no tree.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tree.nwk")
    ...     with open(path, "w") as file:
    ...         print("((owl,duck),cod);", file=file)
    ...     read_tree_file(path).names
    ('owl', 'duck', 'cod')
    """
    place = find_place(path)
    named = any(ending in NEWICK for ending in PurePath(path.lower()).suffixes)
    with limited(memory_limit):
        text = whole_text(place).strip() if place.format == TEXT else ""
        try:
            if text.startswith("(") or text.endswith(";") or named:
                return Hierarchy.from_newick(text)
            return Hierarchy(read_linkage(linkage_matrix(path, array, memory_limit)))
        except FileError:
            raise
        except ClustervetError as error:
            raise FileError(f"{place.name}: ", *error.parts) from None


def linkage_matrix(path: str, array: str | None, memory_limit: str | None) -> NDArray[Any]:
    """Return the matrix of a file; the first line of a text may hold numbers already."""
    try:
        source = open_table(path, header=False, memory_limit=memory_limit)
        again = True
    except ParameterError:  # no delimited text
        source = open_table(path, array=array, memory_limit=memory_limit)
        again = False
    try:
        return np.asarray(source.features(list(source.columns)).matrix)
    except FileError as error:
        fault = error
    if again:
        try:
            source = open_table(path, header=True, memory_limit=memory_limit)
            return np.asarray(source.features(list(source.columns)).matrix)
        except FileError as error:
            fault = error
    said = str(fault).partition(";")[0].rstrip(".")
    raise FileError(f"{show_label(path, 200)} holds no linkage matrix: {said}.")
