"""The data that the loops of a consensus read and write."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clustervet._kernels.compile import compiled


class Problem(NamedTuple):
    """Atoms, and the clusters of the labelings that hold them; a search changes nothing here."""

    columns: Any  # (atoms, labelings): the column of an atom, -1 where it has no label
    sizes: Any  # objects in each atom
    costs: Any  # factor of each labeling's terms
    leads: Any  # of labelings with the same objects, the first
    shares: Any  # sum of the factors of such labelings
    owner: Any  # labeling of each column
    starts: Any  # where the atoms of each column start in `atoms`
    atoms: Any  # atoms by column
    table: Any  # f(0), f(1), ...
    square: Any  # whether f(x) is x²


class State(NamedTuple):
    """A consensus during the search."""

    places: Any  # cluster of each atom, -1 while it has none
    counts: Any  # (clusters, leads): objects in each cluster, by who labels them
    members: Any  # atoms in each cluster
    spare: Any  # empty clusters; the last item is how many there are
    first: Any  # where the cells of each column start
    used: Any  # how many cells each column has
    cluster: Any  # cluster of each cell
    count: Any  # objects in each cell
    touched: Any  # scratch: objects of a block by column
    listed: Any  # scratch: columns that a block touches
    gain: Any  # scratch: what is gained by joining each cluster
    seen: Any  # scratch: clusters that a block meets
    mark: Any  # scratch: whether a cluster is among them


@compiled
def by_column(columns, width):
    """The atoms by column, and where each column starts."""
    starts = np.zeros(width + 1, np.int64)
    for atom in range(columns.shape[0]):
        for column in columns[atom]:
            if column >= 0:
                starts[column + 1] += 1
    for column in range(width):
        starts[column + 1] += starts[column]
    free = starts[:-1].copy()
    atoms = np.empty(starts[-1], np.int32)
    for atom in range(columns.shape[0]):
        for column in columns[atom]:
            if column >= 0:
                atoms[free[column]] = atom
                free[column] += 1
    return starts, atoms
