"""Many labelings with the same number for the same group of objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.ensemble.labelings import Labelings
from clustervet.labels.keyed import by_name

# The Jaccard index above which clusters that the reference lacks are the same: no cluster has
# two such partners in one labeling.
SAME = 0.5


def align_labelings(labelings: Labelings, reference: int) -> dict[str, Any]:
    """Number the clusters of all labelings by those of one of them."""
    codes = labelings.codes[reference]
    order = np.argsort(-labelings.sizes(reference), kind="stable")
    known = len(order)
    numbers = np.empty(known + 1, np.int64)
    numbers[order], numbers[-1] = np.arange(known), -1
    named = numbers[codes]
    # The last number that an object had where the reference has no such cluster.
    other, sizes = np.full(labelings.n, -1), [0] * known
    found = {}
    for place, name in enumerate(labelings.names):
        mine = named
        if place != reference:
            mine = _numbered(labelings, place, named, known, other, sizes)
        if labelings.kept is not None:
            every = np.full(len(labelings.kept), -1)
            every[labelings.kept] = mine
            mine = every
        found[name] = by_name(labelings.objects, mine.copy())
    return found


def _numbered(
    labelings: Labelings,
    place: int,
    named: NDArray[np.int64],
    known: int,
    other: NDArray[np.int64],
    sizes: list[int],
) -> NDArray[np.int64]:
    """Return the numbers of one labeling; `other` and `sizes` learn its new groups."""
    codes, clusters = labelings.codes[place], int(labelings.clusters[place])
    numbers = np.full(clusters + 1, -1)
    both = labelings.labelled(place) & (named >= 0)
    if both.any():
        table = Contingency.from_labels(named[both], codes[both])
        for cluster, number in table.mapping().items():
            numbers[cluster] = number
    own = labelings.sizes(place)
    lone = np.flatnonzero(numbers[:-1] < 0)
    order, ends = np.argsort(codes, kind="stable"), np.cumsum(own)
    taken = set(numbers.tolist())
    for cluster in lone[np.argsort(-own[lone], kind="stable")].tolist():
        members = order[ends[cluster] - own[cluster] : ends[cluster]]
        seen = other[members]
        seen = seen[seen >= 0]
        number, shared = -1, 0
        if len(seen):
            counts = np.bincount(seen)
            number = int(counts.argmax())
            shared = int(counts[number])
        union = len(members) + sizes[number] - shared
        if shared <= SAME * union or number in taken:
            number = len(sizes)
            sizes.append(len(members))
            other[members] = number
        numbers[cluster] = number
        taken.add(number)
    return numbers[codes]
