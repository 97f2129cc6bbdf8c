"""Where the search for a consensus starts: members, meets, co-association cuts, shaken answers.

A start is a cluster for every atom; atoms at -1 join where they fit best. Nothing here needs
memory of more than `DRAWN` squared numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.search import Atoms, Floats, Integers, find_atoms

# Atoms whose co-association is looked at pair by pair.
DRAWN = 800
# A meet of more clusters is no place to start from: most would only be merged again.
MOST_CLUSTERS = 3_000
CUTS = (0.5, 0.3, 0.7)
# Share of the atoms that lose their cluster when an answer is shaken.
LOOSE = 0.2


class Start(NamedTuple):
    """A name, a cluster for every atom, and whether it is a labeling or comes from one."""

    name: str
    places: Integers
    own: bool = False


def proposals(
    atoms: Atoms,
    weights: Floats,
    names: Sequence[str],
    order: NDArray[np.int64],
    rng: np.random.Generator,
) -> Iterator[Start]:
    """Starts of different kinds, the most promising first; `order` ranks the members."""
    members = [Start(names[k], atoms.labels[:, k], True) for k in order]
    yield members[0]
    yield from _cuts(atoms, weights, rng)
    yield Start("one cluster", np.zeros(atoms.count, np.int32))
    yield members[1]
    for several in (2, 3):
        if len(order) > several:
            meet = find_atoms([atoms.labels[:, k] for k in order[:several]]).places
            if meet.max() < MOST_CLUSTERS:
                yield Start(f"meet of the best {several}", meet)
    if atoms.count <= MOST_CLUSTERS:
        yield Start("meet of all", np.arange(atoms.count, dtype=np.int32))
    yield from members[2:]


def _cuts(atoms: Atoms, weights: Floats, rng: np.random.Generator) -> Iterator[Start]:
    """Atoms joined while at least a share of the labelings puts them together, on average."""
    from scipy.cluster.hierarchy import fcluster, linkage

    rows = np.arange(atoms.count)
    if atoms.count > DRAWN:
        rows = np.sort(rng.choice(rows, DRAWN, replace=False, p=atoms.sizes / atoms.sizes.sum()))
    if len(rows) < 2:
        return
    apart = 1 - co_association(atoms.labels[rows], weights)
    tree = linkage(apart[np.triu_indices(len(rows), 1)], "average")
    for share in CUTS:
        places = np.full(atoms.count, -1, np.int32)
        places[rows] = fcluster(tree, share, "distance") - 1
        yield Start(f"co-association cut at {1 - share:.1f}", places)


def co_association(labels: Integers, weights: Floats) -> Floats:
    """Weighted share of the labelings that put two objects together, of those that label both.

    >>> co_association(np.array([[0, 0], [0, 1], [1, 1]], np.int32), np.ones(2))
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    together = np.zeros((len(labels), len(labels)))
    both = np.zeros_like(together)
    for column, weight in zip(labels.T, weights, strict=True):
        known = column >= 0
        pairs = known[:, None] & known if not known.all() else np.True_
        both += weight * pairs
        together += weight * (pairs & (column[:, None] == column))
    shares: Floats = np.divide(together, both, out=np.zeros_like(both), where=both > 0)
    np.fill_diagonal(shares, 1.0)
    return shares


def shaken(atoms: Atoms, places: Integers, rng: np.random.Generator) -> Start:
    """An answer with two clusters merged, one split by a labeling, or some atoms set loose."""
    moved = places.copy()
    clusters = np.unique(moved)
    kind = rng.integers(3)
    if kind == 0 and len(clusters) > 2:
        into, away = rng.choice(clusters, 2, replace=False)
        moved[moved == away] = into
    elif kind == 1:
        inside = np.flatnonzero(moved == rng.choice(clusters))
        split = atoms.labels[inside, rng.integers(atoms.labels.shape[1])]
        moved[inside] = np.where(split == split[0], moved[inside], moved.max() + 2 + split)
    else:
        moved[rng.random(len(moved)) < LOOSE] = -1
    return Start("best, shaken", moved, True)
