"""Random walks from object to group to object, whose ends say where an object belongs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import need
from clustervet._progress import ticking
from clustervet.overlapping.meetings import Sides
from clustervet.overlapping.rows import Rows

Floats = NDArray[np.float64]
# Numbers in a block of rows of ends of walks.
BLOCK = 4_000_000


def walk_similarities(sides: Sides, alpha: float) -> Floats:
    """For the objects of each atom, the overlap of where walks end in both covers.

    A walk from an object goes to one of its groups, then to one of the objects of the group, and
    on with probability alpha. Objects in no group stay where they are. Only objects that groups
    of either cover connect are looked at together.
    """
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    held = [_matrix(own, len(heads) - 1) for own, (heads, _) in _zipped(sides)]
    links = block_array([[None, *held], [held[0].T, None, None], [held[1].T, None, None]])
    atoms = len(sides.atoms.weights)
    count, labels = connected_components(links, directed=False)
    order = np.argsort(labels[:atoms], kind="stable")
    ends = np.cumsum(np.bincount(labels[:atoms], minlength=count))
    found = np.ones(atoms)
    with ticking(count, "groups of connected objects") as tick:
        for rows in np.split(order, ends[:-1]):
            if len(rows):
                weights = sides.atoms.weights[rows]
                found[rows] = _similar([matrix[rows] for matrix in held], weights, alpha)
            tick()
    return found


def _zipped(sides: Sides) -> Any:
    return zip(sides.own, sides.members, strict=True)


def _matrix(own: Rows, width: int) -> Any:
    from scipy.sparse import csr_array

    starts, groups = own
    return csr_array((np.ones(len(groups)), groups, starts), shape=(len(starts) - 1, width))


def _similar(held: list[Any], weights: NDArray[np.int64], alpha: float) -> Floats:
    """The similarities of atoms that groups connect."""
    held = [matrix[:, np.flatnonzero(np.bincount(matrix.indices))] for matrix in held]
    atoms = len(weights)
    groups = sum(matrix.shape[1] for matrix in held)
    need(
        8.0 * groups * (atoms + max(matrix.shape[1] for matrix in held)),
        f"walks between {atoms:,} kinds of objects over {groups:,} connected groups",
    )
    walks = [_Walks(matrix, weights, alpha) for matrix in held]
    found = np.empty(atoms)
    step = max(1, BLOCK // atoms)
    for first in range(0, atoms, step):
        places = np.arange(first, min(first + step, atoms))
        one, two = (walk.ends(places) for walk in walks)
        found[places] = 1 - np.abs(one - two) @ weights / 2
        for walk, other in ((walks[0], two), (walks[1], one)):
            alone = walk.lengths[places] == 0
            own = other[alone, places[alone]]
            found[places[alone]] = own
        neither = (walks[0].lengths[places] == 0) & (walks[1].lengths[places] == 0)
        found[places[neither]] = 1.0
    return found


class _Walks:
    """Where walks in one cover end: with S sizes and D memberships, (1 - α) D⁻¹ Z (1 - α M)⁻¹ Zᵀ.

    Z is the matrix of memberships divided by the roots of sizes, and M = Zᵀ W D⁻¹ Z.
    """

    def __init__(self, matrix: Any, weights: NDArray[np.int64], alpha: float) -> None:
        from scipy.sparse import diags_array

        self.lengths = np.diff(matrix.indptr)
        self.share = (1 - alpha) / np.maximum(self.lengths, 1)
        sizes = matrix.T @ weights
        self.scaled = (matrix @ diags_array(1 / np.sqrt(sizes))).tocsr()
        weighted = self.scaled.T @ diags_array(weights / np.maximum(self.lengths, 1))
        moves = (weighted @ self.scaled).toarray()
        self.solved = np.linalg.solve(np.eye(len(moves)) - alpha * moves, self.scaled.T.toarray())

    def ends(self, places: NDArray[np.int64]) -> Floats:
        """For some atoms, the probability with which a walk ends at an object of each atom."""
        return np.asarray(self.share[places, None] * (self.scaled[places] @ self.solved))
