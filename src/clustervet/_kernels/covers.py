"""How many groups pairs of objects share in two covers, without keeping the pairs.

Objects with the same groups are one row with a weight. `own` are the groups of each row, and
`members` the rows of each group in ascending order; each comes with where its parts begin. One
number per row counts the groups that it shares with row i: those of the first cover in the lower
`shift` bits, and those of the second above. These numbers are read and written at random, so they
are as narrow as the counts allow.
"""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled


@compiled
def meet(i, beyond, starts, own, heads, members, step, counts, touched, total):
    """Count the groups that rows after `beyond` share with row i, and note which rows these are."""
    for p in range(starts[i], starts[i + 1]):
        g = own[p]
        for q in range(heads[g + 1] - 1, heads[g] - 1, -1):
            j = members[q]
            if j <= beyond:
                break
            if counts[j] == 0:
                touched[total] = j
                total += 1
            counts[j] += step
    return total


@compiled
def count_shared(first, last, weights, one, two, shift, counts, touched, ones, twos):
    """Add pairs of objects in rows first..last and later ones to the numbers of shared groups.

    `ones[s]` gets the pairs that share s groups in the first cover and at least one in either,
    `twos` likewise for the second. The answer is how many of them share as many in both.
    """
    agreed = 0
    low = (1 << shift) - 1
    for i in range(first, last):
        total = meet(i, i, one[0], one[1], one[2], one[3], 1, counts, touched, 0)
        total = meet(i, i, two[0], two[1], two[2], two[3], 1 << shift, counts, touched, total)
        w = weights[i]
        for t in range(total):
            j = touched[t]
            both = np.int64(counts[j])
            a = both & low
            b = both >> shift
            counts[j] = 0
            pairs = w * weights[j]
            ones[a] += pairs
            twos[b] += pairs
            if a == b:
                agreed += pairs
    return agreed


@compiled
def share_of_objects(
    first, last, weights, one, two, shift, counts, touched, sums, precision, recall
):
    """Extended B-cubed precision and recall of the objects in rows first..last.

    `sums[b]` is room for the sum, over objects that share b groups, of how many of these the other
    cover confirms. Whole numbers are added, and divided by b afterwards.
    """
    low = (1 << shift) - 1
    for i in range(first, last):
        total = meet(i, -1, one[0], one[1], one[2], one[3], 1, counts, touched, 0)
        total = meet(i, -1, two[0], two[1], two[2], two[3], 1 << shift, counts, touched, total)
        for side in range(2):
            most = 0
            objects = 0
            for t in range(total):
                j = touched[t]
                both = np.int64(counts[j])
                a = both & low
                b = both >> shift
                mine, other = (b, a) if side == 0 else (a, b)
                if mine == 0:
                    continue
                objects += weights[j]
                sums[mine] += weights[j] * min(mine, other)
                most = max(most, mine)
            value = 0.0
            for s in range(1, most + 1):
                value += sums[s] / s
                sums[s] = 0
            if objects:
                if side == 0:
                    precision[i - first] = value / objects
                else:
                    recall[i - first] = value / objects
        for t in range(total):
            counts[touched[t]] = 0
