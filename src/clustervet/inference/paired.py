"""Two soft, overlapping or hierarchical clusterings: how values vary, and what chance gives.

Every statement is made object by object: groups of objects are left out in turn, and the objects of
the prediction are exchanged at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import entropy
from clustervet._progress import ticking
from clustervet.errors import LabelError, ParameterError
from clustervet.inference.groups import FEWEST, Changes, leave_groups_out
from clustervet.inference.jackknife import Floats, Spread
from clustervet.registry import Measure, Pair

# A measure, and its parameters.
Measured = Sequence[tuple[Measure, dict[str, Any]]]
# Objects of which groups are left out where the time grows with pairs; of more a part is drawn.
MOST_PAIRED = 2_000
# The model of random clusterings: the prediction's objects in a random order.
OBJECTS = "objects"


def pair_changes(
    pairs: Sequence[Pair], measured: Measured, random_state: Any
) -> tuple[Changes, float]:
    """Return how groups of objects change the values of pairs, and the share that was drawn.

    All pairs have the same objects, and lose the same ones. There is a column per pair and measure.
    """
    n = pairs[0].n
    if n < FEWEST:
        raise LabelError(f"an interval needs at least {FEWEST} objects; there are {n:,}.")
    rng = np.random.default_rng(entropy(0 if random_state is None else random_state))
    most = MOST_PAIRED if all(record.cost == "pairs" for record, _ in measured) else n
    parts = list(pairs)
    if n > most:
        drawn = np.sort(rng.choice(n, most, replace=False))
        parts = [pair.take(drawn) for pair in pairs]

    def values(kept: NDArray[np.int64] | None) -> Floats:
        some = parts if kept is None else [part.take(kept) for part in parts]
        found = [r.evaluate(part, **own).value for part in some for r, own in measured]
        return np.array(found, float)

    return leave_groups_out(parts[0].n, values, rng, "objects"), parts[0].n / n


def pair_spreads(pair: Pair, measured: Measured, random_state: Any) -> list[tuple[Spread, int]]:
    """Return the spread of each value, and how many groups were left out for it."""
    found: dict[int, tuple[Spread, int]] = {}
    # Those whose time grows with pairs are taken of a part of the objects, by themselves.
    for slow in (False, True):
        places = [k for k, (record, _) in enumerate(measured) if (record.cost == "pairs") == slow]
        if places:
            made, shrink = pair_changes([pair], [measured[k] for k in places], random_state)
            for place, spread in zip(places, made.spreads(shrink), strict=True):
                found[place] = spread, made.groups
    return [found[place] for place in range(len(measured))]


def shuffled_pairs(
    pair: Pair, measured: Measured, model: str, samples: int, rng: np.random.Generator
) -> Floats:
    """Return the values of measures with the prediction's objects in random orders, one per row."""
    if model not in ("sizes", OBJECTS):
        raise ParameterError(
            "the only model of chance for covers, trees and memberships is 'sizes', which "
            f"exchanges the objects of the prediction; not {model!r}."
        )
    found = np.empty((samples, len(measured)))
    with ticking(samples, "random orders of objects") as tick:
        for row in found:
            other = pair.shuffled(rng.permutation(pair.n))
            row[:] = [record.evaluate(other, **own).value for record, own in measured]
            tick()
    return found
