"""Moves of blocks of atoms between the clusters of a consensus.

With f(x) = x log2 x (or x² for Mirkin's metric) the distance to a labeling is, up to a factor, the
sum of f over the consensus' clusters, plus that over the labeling's, minus twice that over the
cells of both (Meilă 2007, eqs. 8 and 22). A move changes one or two terms per cell that it touches.

Cells are kept by column, where a column is a cluster of some labeling: the clusters of the
consensus that meet it, and the number of objects they share. Besides a new cluster, only those can
be worth moving to: where no cell is shared, a new cluster is cheaper, since f is convex.

Rule: plain Python on lists or arrays, nothing imported except `math`. `consensus` compiles the same
source; short searches run it as it is, with the same results to the last bit, without loading a
compiler.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

# Kinds of moves. PLACE puts every atom into the cluster chosen for it, where one is; ATOMS moves
# each chosen atom to its best cluster; CLUSTERS moves whole clusters, which merges them; CELLS
# moves what a cluster shares with each chosen cluster of some labeling.
PLACE, ATOMS, CLUSTERS, CELLS = 0, 1, 2, 3
FUNCTIONS = ("_term", "_gather", "_choose", "_drop", "_put", "_part", "move")


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
    every: Any  # all atoms
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
    weights: Any  # scratch: objects of a block by lead
    gain: Any  # scratch: what is gained by joining each cluster
    seen: Any  # scratch: clusters that a block meets
    mark: Any  # scratch: whether a cluster is among them, or how many atoms of a part it has
    order: Any  # scratch: the atoms of a part by cluster
    edges: Any  # scratch: where each cluster starts there


def _term(table: Any, square: Any, x: Any) -> Any:
    """The function f."""
    if x < len(table):
        return table[x]
    return float(x) * x if square else x * math.log2(x)


def _gather(
    columns: Any, sizes: Any, leads: Any, touched: Any, listed: Any, weights: Any, block: Any
) -> Any:
    """Record the objects of a block by lead, and the columns it touches; return their number."""
    found = 0
    for g in range(len(leads)):
        weights[g] = 0
    for atom in block:
        size = sizes[atom]
        for column in columns[atom]:
            if column >= 0:
                if touched[column] == 0:
                    listed[found] = column
                    found += 1
                touched[column] += size
        for g in range(len(leads)):
            if columns[atom][leads[g]] >= 0:
                weights[g] += size
    return found


def _choose(problem: Any, state: Any, found: Any, old: Any, fresh: Any) -> Any:
    """The best cluster for a gathered block, -1 for a new one, and the change it makes.

    A new cluster is possible only if `fresh`.
    """
    table, square, shares = problem.table, problem.square, problem.shares
    weights, counts, gain = state.weights, state.counts, state.gain
    alone = 0.0
    leave = 0.0
    for g in range(len(shares)):
        alone += shares[g] * _term(table, square, weights[g])
        if old >= 0:
            held = counts[old][g]
            rest = _term(table, square, held - weights[g])
            leave += shares[g] * (rest - _term(table, square, held))
    met = 0
    for i in range(found):
        column = state.listed[i]
        amount = state.touched[column]
        cost = 2 * problem.costs[problem.owner[column]]
        own = _term(table, square, amount)
        alone -= cost * own
        for k in range(state.first[column], state.first[column] + state.used[column]):
            cluster = state.cluster[k]
            held = state.count[k]
            now = _term(table, square, held)
            if cluster == old:
                leave -= cost * (_term(table, square, held - amount) - now)
                continue
            if state.mark[cluster] == 0:
                state.mark[cluster] = 1
                gain[cluster] = 0.0
                state.seen[met] = cluster
                met += 1
            gain[cluster] -= cost * (_term(table, square, held + amount) - now - own)
    best = -1
    change = 0.0 if fresh else math.inf
    for k in range(met):
        cluster = state.seen[k]
        state.mark[cluster] = 0
        total = gain[cluster]
        for g in range(len(shares)):
            held = counts[cluster][g]
            with_it = _term(table, square, held + weights[g]) - _term(table, square, held)
            total += shares[g] * (with_it - _term(table, square, weights[g]))
        if total < change or (total == change and best >= 0 and cluster < best):
            best = cluster
            change = total
    return best, change + alone + leave


def _drop(first: Any, used: Any, clusters: Any, count: Any, column: Any, old: Any, by: Any) -> None:
    """Take objects out of a cell."""
    k = first[column]
    while clusters[k] != old:
        k += 1
    count[k] -= by
    if count[k] == 0:
        used[column] -= 1
        last = first[column] + used[column]
        clusters[k] = clusters[last]
        count[k] = count[last]


def _put(first: Any, used: Any, clusters: Any, count: Any, column: Any, new: Any, by: Any) -> None:
    """Put objects into a cell."""
    k = first[column]
    end = k + used[column]
    while k < end and clusters[k] != new:
        k += 1
    if k == end:
        used[column] += 1
        clusters[k] = new
        count[k] = 0
    count[k] += by


def _part(places: Any, atoms: Any, members: Any, starts: Any, order: Any, edges: Any) -> Any:
    """Sort atoms by cluster into `order`, from `edges` on; return the number of clusters."""
    found = 0
    for atom in atoms:
        place = places[atom]
        if members[place] == 0:
            edges[found] = place
            found += 1
        members[place] += 1
    at = 0
    for k in range(found):
        place = edges[k]
        edges[k] = at
        starts[place] = at
        at += members[place]
    edges[found] = at
    for atom in atoms:
        place = places[atom]
        order[starts[place]] = atom
        starts[place] += 1
        members[place] = 0
    return found


def move(problem: Any, state: Any, what: Any, chosen: Any, least: Any, fixed: Any) -> Any:
    """Make one pass of moves of a kind; return the change and the number of moves.

    A block of one cluster moves if that lowers the objective by more than `least`. If `fixed`, no
    cluster is emptied and none is made.
    """
    touched, listed, weights = state.touched, state.listed, state.weights
    places, members, spare, edges = state.places, state.members, state.spare, state.edges
    cells = state.first, state.used, state.cluster, state.count
    smallest = 2 if what == CELLS else 1
    total = 0.0
    moves = 0
    for run in range(len(chosen)):
        parts = 1
        edges[0] = 0
        edges[1] = 1
        if what == PLACE:
            state.order[0] = run
            parts = 1 if chosen[run] >= 0 else 0
        elif what == ATOMS:
            state.order[0] = chosen[run]
        else:
            atoms = problem.every
            if what == CELLS:
                atoms = problem.atoms[problem.starts[chosen[run]] : problem.starts[chosen[run] + 1]]
            parts = _part(places, atoms, state.mark, state.seen, state.order, edges)
        for part in range(parts):
            block = state.order[edges[part] : edges[part + 1]]
            old = places[block[0]]
            whole = old >= 0 and len(block) == members[old]
            if len(block) < smallest or (fixed and whole):
                continue
            found = _gather(
                problem.columns, problem.sizes, problem.leads, touched, listed, weights, block
            )
            new = chosen[run]
            change = 0.0
            if what != PLACE:
                fresh = spare[-1] > 0 and not whole and not fixed
                new, change = _choose(problem, state, found, old, fresh)
                if old < 0 and change == math.inf:
                    new = 0  # no room for a new cluster, and it meets none: take any
            if old < 0 or change < -least:
                if new < 0:
                    spare[-1] -= 1
                    new = spare[spare[-1]]
                for i in range(found):
                    column = listed[i]
                    if old >= 0:
                        _drop(*cells, column, old, touched[column])
                    _put(*cells, column, new, touched[column])
                for g in range(len(weights)):
                    state.counts[new][g] += weights[g]
                    if old >= 0:
                        state.counts[old][g] -= weights[g]
                for atom in block:
                    places[atom] = new
                members[new] += len(block)
                if old >= 0:
                    members[old] -= len(block)
                    if members[old] == 0:
                        spare[spare[-1]] = old
                        spare[-1] += 1
                total += change
                moves += 1
            for i in range(found):
                touched[listed[i]] = 0
    return total, moves
