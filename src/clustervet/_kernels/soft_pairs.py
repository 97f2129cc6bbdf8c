"""Sums over pairs of objects with degrees of membership; no array has one entry per pair.

A side is (columns, starts, places, degrees): `columns` is clusters × objects, or has no rows where
the degrees are sparse, and the other three are those of a CSR matrix of objects × clusters. Row r
of `sums` belongs to object `first` + r and all later ones, so that the order of threads does not
change a value.
"""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled, compiled_for_vectors

# Objects that one is compared with at once: their degrees in some ten clusters fit a cache.
TILE = 2_048


@compiled
def _spread(side, i, row):
    """Write the sparse degrees of object i into a row with one place per cluster."""
    starts, places, degrees = side[1], side[2], side[3]
    for q in range(starts[i], starts[i + 1]):
        row[places[q]] = degrees[q]


@compiled
def _clear(side, i, row):
    """Write zeros where `_spread` has written degrees."""
    starts, places = side[1], side[2]
    for q in range(starts[i], starts[i + 1]):
        row[places[q]] = 0.0


@compiled_for_vectors
def _equivalences(side, row, i, start, stop, found):
    """1 less half the distance of object i to each of the objects start..stop."""
    columns, starts, places, degrees = side
    width = stop - start
    if len(columns):
        found[:width] = 0.0
        for k in range(len(columns)):
            own = columns[k, i]
            line = columns[k, start:stop]
            for j in range(width):
                found[j] += abs(line[j] - own)
        for j in range(width):
            found[j] = max(0.0, 1.0 - 0.5 * found[j])
        return
    for j in range(width):
        total = 0.0  # of rows that sum to 1 the shared part is 1 less half the distance
        for q in range(starts[start + j], starts[start + j + 1]):
            total += min(row[places[q]], degrees[q])
        found[j] = min(1.0, total)


@compiled_for_vectors
def concordances(left, right, rooms, sizes, first, last, sums):
    """Add up, for pairs of objects, how equivalent they are on both sides and on one alone.

    `sums` has for each object: both equivalent, more equivalent on the left, on the right, and
    all of the left, all of the right.
    """
    n = len(sizes)
    one, other = np.empty(TILE), np.empty(TILE)
    for i in range(first, last):
        _spread(left, i, rooms[0])
        _spread(right, i, rooms[1])
        for start in range(i + 1, n, TILE):
            stop = min(n, start + TILE)
            _equivalences(left, rooms[0], i, start, stop, one)
            _equivalences(right, rooms[1], i, start, stop, other)
            heavy = sizes[start:stop]
            both = more = less = whole = full = 0.0
            for j in range(stop - start):
                e, f, w = one[j], other[j], heavy[j]
                gap = e - f
                both += w * (1.0 - abs(gap)) * e * f
                more += w * (gap if gap > 0.0 else 0.0)
                less += w * (-gap if gap < 0.0 else 0.0)
                whole += w * e
                full += w * f
            row = sums[i - first]
            row[0] += sizes[i] * both
            row[1] += sizes[i] * more
            row[2] += sizes[i] * less
            row[3] += sizes[i] * whole
            row[4] += sizes[i] * full
        _clear(left, i, rooms[0])
        _clear(right, i, rooms[1])


@compiled_for_vectors
def _shared(side, row, i, start, stop, product, found):
    """The largest degree to which object i shares one cluster with each of some objects."""
    columns, starts, places, degrees = side
    width = stop - start
    if len(columns):
        found[:width] = 0.0
        for k in range(len(columns)):
            own = columns[k, i]
            line = columns[k, start:stop]
            # Written as choices, which become vector instructions; min and max mind NaN.
            if product:
                for j in range(width):
                    degree = own * line[j]
                    found[j] = degree if degree > found[j] else found[j]
            else:
                for j in range(width):
                    degree = line[j] if line[j] < own else own
                    found[j] = degree if degree > found[j] else found[j]
        return
    for j in range(width):
        most = 0.0
        for q in range(starts[start + j], starts[start + j + 1]):
            own, degree = row[places[q]], degrees[q]
            most = max(most, own * degree if product else min(own, degree))
        found[j] = most


@compiled_for_vectors
def _parted(tops, i, start, stop, product, found):
    """The largest degree to which object i and each of some objects are in two clusters.

    `tops` are the largest and the second largest degree, and the cluster of the largest.
    """
    high, second, place = tops
    most, next_most, main = high[i], second[i], place[i]
    for j in range(start, stop):
        if product:
            apart = most * high[j]
            one, other = most * second[j], next_most * high[j]
        else:
            apart = high[j] if high[j] < most else most
            one = second[j] if second[j] < most else most
            other = high[j] if high[j] < next_most else next_most
        beside = one if one > other else other
        found[j - start] = beside if place[j] == main else apart


@compiled_for_vectors
def overlaps(left, right, left_tops, right_tops, rooms, sizes, first, last, product, sums):
    """Add up the four joint degrees of pairs: together or apart on the left and on the right."""
    n = len(sizes)
    same, apart = np.empty(TILE), np.empty(TILE)
    alike, other = np.empty(TILE), np.empty(TILE)
    for i in range(first, last):
        _spread(left, i, rooms[0])
        _spread(right, i, rooms[1])
        for start in range(i + 1, n, TILE):
            stop = min(n, start + TILE)
            _shared(left, rooms[0], i, start, stop, product, same)
            _shared(right, rooms[1], i, start, stop, product, alike)
            _parted(left_tops, i, start, stop, product, apart)
            _parted(right_tops, i, start, stop, product, other)
            heavy = sizes[start:stop]
            a = b = c = d = 0.0
            if product:
                for j in range(stop - start):
                    w = heavy[j]
                    a += w * same[j] * alike[j]
                    b += w * same[j] * other[j]
                    c += w * apart[j] * alike[j]
                    d += w * apart[j] * other[j]
            else:
                for j in range(stop - start):
                    w = heavy[j]
                    v, x, y, z = same[j], apart[j], alike[j], other[j]
                    a += w * (v if v < y else y)
                    b += w * (v if v < z else z)
                    c += w * (x if x < y else y)
                    d += w * (x if x < z else z)
            row = sums[i - first]
            row[0] += sizes[i] * a
            row[1] += sizes[i] * b
            row[2] += sizes[i] * c
            row[3] += sizes[i] * d
        _clear(left, i, rooms[0])
        _clear(right, i, rooms[1])


@compiled
def between(side, row, sizes, low, high, values, weights):
    """Collect the equivalences of pairs that lie strictly between two values.

    Returns how many there are, or one more than there is room for, and the weight of pairs that
    are exactly at `low`. `weights` is empty where every object counts once.
    """
    n = len(sizes)
    found = np.empty(TILE)
    count, ties = 0, 0.0
    for i in range(n):
        _spread(side, i, row)
        for start in range(i + 1, n, TILE):
            stop = min(n, start + TILE)
            _equivalences(side, row, i, start, stop, found)
            for j in range(stop - start):
                e = found[j]
                if e == low:
                    ties += sizes[i] * sizes[start + j]
                elif low < e < high:
                    if count == len(values):
                        _clear(side, i, row)
                        return count + 1, ties
                    values[count] = e
                    if len(weights):
                        weights[count] = sizes[i] * sizes[start + j]
                    count += 1
        _clear(side, i, row)
    return count, ties


@compiled
def gaps(one, one_weights, other, other_weights, totals, state):
    """Go through two rising lists of values together, and add up the gaps between their shares.

    `state` is the value reached, the weight of each list up to there, and the sum so far; `totals`
    are the weights of both whole lists. Without weights each value weighs 1.
    """
    at, f, g, total = state[0], state[1], state[2], state[3]
    share, other_share = 1.0 / totals[0], 1.0 / totals[1]
    lost = 0.0
    i = j = 0
    while i < len(one) or j < len(other):
        first = j == len(other) or (i < len(one) and one[i] <= other[j])
        value = one[i] if first else other[j]
        below, under = f * share, g * other_share
        term = (value - at) * (below * (1.0 - under) + under * (1.0 - below))
        # What rounding loses of each of many small terms (Neumaier 1974).
        new = total + term
        lost += (total - new) + term if total >= term else (term - new) + total
        total, at = new, value
        if first:
            f += one_weights[i] if len(one_weights) else 1.0
            i += 1
        else:
            g += other_weights[j] if len(other_weights) else 1.0
            j += 1
    state[0], state[1], state[2], state[3] = at, f, g, total + lost
