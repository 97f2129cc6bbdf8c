"""Loops that move blocks of atoms between the clusters of a consensus.

With f(x) = x log2 x (or x² for Mirkin's metric) the distance to a labeling is, up to a factor, the
sum of f over the consensus' clusters, plus that over the labeling's, minus twice that over the
cells of both (Meilă 2007, eqs. 8 and 22). A move changes one or two terms per cell that it touches.

Cells are kept by column, where a column is a cluster of some labeling: the clusters of the
consensus that meet it, and the number of objects they share. Besides a new cluster, only those can
be worth moving to: where no cell is shared, a new cluster is cheaper, since f is convex.
"""

from __future__ import annotations

import math

import numpy as np

from clustervet._kernels.compile import compiled


@compiled
def _term(problem, x):
    """The function f."""
    if x < len(problem.table):
        return problem.table[x]
    return float(x) * x if problem.square else x * math.log2(x)


@compiled
def _drop(state, column, cluster, amount):
    """Take objects out of a cell."""
    k = state.first[column]
    while state.cluster[k] != cluster:
        k += 1
    state.count[k] -= amount
    if state.count[k] == 0:
        state.used[column] -= 1
        last = state.first[column] + state.used[column]
        state.cluster[k] = state.cluster[last]
        state.count[k] = state.count[last]


@compiled
def _put(state, column, cluster, amount):
    """Put objects into a cell."""
    k = state.first[column]
    end = k + state.used[column]
    while k < end and state.cluster[k] != cluster:
        k += 1
    if k == end:
        state.used[column] += 1
        state.cluster[k] = cluster
        state.count[k] = 0
    state.count[k] += amount


@compiled
def _gather(problem, state, block, weights):
    """Record the objects of a block by lead, and the columns it touches; return their number."""
    found = 0
    weights[:] = 0
    for atom in block:
        size = problem.sizes[atom]
        for column in problem.columns[atom]:
            if column >= 0:
                if state.touched[column] == 0:
                    state.listed[found] = column
                    found += 1
                state.touched[column] += size
        for g in range(len(problem.leads)):
            if problem.columns[atom, problem.leads[g]] >= 0:
                weights[g] += size
    return found


@compiled
def _forget(state, found):
    """Clear what `_gather` recorded."""
    for k in range(found):
        state.touched[state.listed[k]] = 0


@compiled
def _choose(problem, state, found, weights, old, fresh):
    """The best cluster for a gathered block, -1 for a new one, and the change it makes.

    A new cluster is possible only if `fresh`.
    """
    alone = 0.0
    leave = 0.0
    for g in range(len(problem.leads)):
        alone += problem.shares[g] * _term(problem, weights[g])
        if old >= 0:
            held = state.counts[old, g]
            leave += problem.shares[g] * (_term(problem, held - weights[g]) - _term(problem, held))
    met = 0
    for i in range(found):
        column = state.listed[i]
        amount = state.touched[column]
        cost = 2 * problem.costs[problem.owner[column]]
        own = _term(problem, amount)
        alone -= cost * own
        for k in range(state.first[column], state.first[column] + state.used[column]):
            cluster = state.cluster[k]
            held = state.count[k]
            if cluster == old:
                leave -= cost * (_term(problem, held - amount) - _term(problem, held))
                continue
            if not state.mark[cluster]:
                state.mark[cluster] = True
                state.gain[cluster] = 0.0
                state.seen[met] = cluster
                met += 1
            state.gain[cluster] -= cost * (
                _term(problem, held + amount) - _term(problem, held) - own
            )
    best = -1
    change = 0.0 if fresh else math.inf
    for k in range(met):
        cluster = state.seen[k]
        state.mark[cluster] = False
        total = state.gain[cluster]
        for g in range(len(problem.leads)):
            held = state.counts[cluster, g]
            total += problem.shares[g] * (
                _term(problem, held + weights[g])
                - _term(problem, held)
                - _term(problem, weights[g])
            )
        if total < change or (total == change and best >= 0 and cluster < best):
            best = cluster
            change = total
    return best, change + alone + leave


@compiled
def _move(problem, state, block, found, weights, old, new):
    """Move a gathered block; to an empty cluster if `new` is -1."""
    if new < 0:
        state.spare[-1] -= 1
        new = state.spare[state.spare[-1]]
    for i in range(found):
        column = state.listed[i]
        if old >= 0:
            _drop(state, column, old, state.touched[column])
        _put(state, column, new, state.touched[column])
    for g in range(len(weights)):
        state.counts[new, g] += weights[g]
        if old >= 0:
            state.counts[old, g] -= weights[g]
    for atom in block:
        state.places[atom] = new
    state.members[new] += len(block)
    if old >= 0:
        state.members[old] -= len(block)
        if state.members[old] == 0:
            state.spare[state.spare[-1]] = old
            state.spare[-1] += 1


@compiled
def _try(problem, state, block, weights, least, fixed):
    """Move a block of one cluster if that lowers the objective by more than `least`.

    If `fixed`, no cluster is emptied and none is made.
    """
    old = state.places[block[0]]
    if fixed and len(block) == state.members[old]:
        return 0.0, False
    found = _gather(problem, state, block, weights)
    whole = old >= 0 and len(block) == state.members[old]
    fresh = state.spare[-1] > 0 and not whole and not fixed
    new, change = _choose(problem, state, found, weights, old, fresh)
    if old < 0 and change == math.inf:
        new = 0  # no room for a new cluster, and it meets none: take any
    done = old < 0 or change < -least
    if done:
        _move(problem, state, block, found, weights, old, new)
    _forget(state, found)
    return change if done else 0.0, done


@compiled
def place_all(problem, state, wanted):
    """Put every atom into the cluster wanted for it; atoms without one stay out."""
    weights = np.zeros(len(problem.leads), np.int64)
    for atom in range(len(wanted)):
        if wanted[atom] >= 0:
            block = np.array([atom])
            found = _gather(problem, state, block, weights)
            _move(problem, state, block, found, weights, -1, wanted[atom])
            _forget(state, found)


@compiled
def move_atoms(problem, state, order, least, fixed):
    """Move each atom to its best cluster; return the change and the number of moves."""
    weights = np.zeros(len(problem.leads), np.int64)
    block = np.zeros(1, np.int64)
    total = 0.0
    moves = 0
    for atom in order:
        block[0] = atom
        change, done = _try(problem, state, block, weights, least, fixed)
        total += change
        moves += done
    return total, moves


@compiled
def _parted(places, atoms, members, starts, order):
    """Sort atoms by their cluster into `order`; return where each cluster starts."""
    clusters = np.empty(len(atoms), np.int64)
    found = 0
    for atom in atoms:
        place = places[atom]
        if members[place] == 0:
            clusters[found] = place
            found += 1
        members[place] += 1
    at = 0
    for k in range(found):
        starts[clusters[k]] = at
        at += members[clusters[k]]
        members[clusters[k]] = 0
    for atom in atoms:
        place = places[atom]
        order[starts[place] + members[place]] = atom
        members[place] += 1
    edges = np.empty(found + 1, np.int64)
    for k in range(found):
        edges[k] = starts[clusters[k]]
        members[clusters[k]] = 0
    edges[found] = len(atoms)
    return edges


@compiled
def move_blocks(problem, state, least):
    """Move whole clusters, which merges them."""
    every = np.arange(len(state.places))
    whole = np.array([0, len(every)])
    return _move_parts(problem, state, every, whole, np.arange(1), 1, least)


@compiled
def move_cells(problem, state, columns, least):
    """Move whole cells: what a cluster shares with a cluster of some labeling."""
    return _move_parts(problem, state, problem.atoms, problem.starts, columns, 2, least)


@compiled
def _move_parts(problem, state, atoms, starts, chosen, smallest, least):
    """Move, as a block, the part of each chosen run of atoms that each cluster holds."""
    weights = np.zeros(len(problem.leads), np.int64)
    members = np.zeros(len(state.members), np.int64)
    first = np.zeros(len(state.members), np.int64)
    order = np.empty(len(state.places), np.int64)
    total = 0.0
    moves = 0
    for run in chosen:
        inside = atoms[starts[run] : starts[run + 1]]
        edges = _parted(state.places, inside, members, first, order)
        for k in range(len(edges) - 1):
            if edges[k + 1] - edges[k] >= smallest:
                block = order[edges[k] : edges[k + 1]]
                change, done = _try(problem, state, block, weights, least, False)
                total += change
                moves += done
    return total, moves


@compiled
def total_terms(problem, state):
    """The objective minus the terms that depend on the labelings alone."""
    total = 0.0
    lost = 0.0
    for cluster in range(len(state.members)):
        for g in range(len(problem.leads)):
            term = problem.shares[g] * _term(problem, state.counts[cluster, g])
            total, lost = _sum(total, lost, term)
    for column in range(len(problem.owner)):
        cost = -2 * problem.costs[problem.owner[column]]
        for k in range(state.first[column], state.first[column] + state.used[column]):
            total, lost = _sum(total, lost, cost * _term(problem, state.count[k]))
    return total + lost


@compiled
def _sum(total, lost, term):
    """One step of Neumaier's compensated sum."""
    larger = total + term
    if abs(total) >= abs(term):
        return larger, lost + ((total - larger) + term)
    return larger, lost + ((term - larger) + total)
