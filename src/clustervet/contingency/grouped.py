"""From an engine's grouped counts to a table, by the same policies as labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.count import count_labels
from clustervet.contingency.table import Contingency
from clustervet.errors import LabelError
from clustervet.frames.grouping import GroupedCounts
from clustervet.labels import Codes, consecutive, encode_pair, encode_weights, read_labels
from clustervet.labels.pair import MissingInPair, NoisePolicy, missing_error, noise_policies

# How many objects of noise become clusters of their own at most.
SINGLE_LIMIT = 50_000_000


def table_of(
    grouped: GroupedCounts,
    *,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: MissingInPair = "raise",
) -> Contingency:
    """The table of counts grouped by truth and pred, by the policies of `from_labels`.

    >>> keys = {"truth": ["a", "b", "a"], "pred": [0, 0, 0]}
    >>> table_of(GroupedCounts(keys, np.array([2, 1, 3]))).to_dict()
    {('a', 0): 5, ('b', 0): 1}
    """
    counts = np.asarray(grouped.counts, np.int64)
    values = counts if grouped.weights is None else _checked(grouped)
    sides = [codes_of(grouped.keys[name], name) for name in ("truth", "pred")]
    if not counts.all():  # an engine may count categories that do not occur
        kept = counts > 0
        sides, counts, values = [side.keep(kept) for side in sides], counts[kept], values[kept]
    for label in singled(noise, noise_policy):
        sides, counts, values = _expand(sides, counts, values, label)
    places = np.arange(1, len(counts) + 1)
    # The policies are those for objects. The weights that come back say which groups are left;
    # a missing label is refused here, where the number of objects is known.
    truth, pred, left = encode_pair(
        *sides,
        weights=places,
        noise=noise,
        noise_policy=noise_policy,
        missing="class" if missing == "raise" else missing,
    )
    assert left is not None  # since weights were given
    left = left.astype(np.int64) - 1
    if missing == "raise":
        _refuse_missing(sides, counts, left)
    cells, rows, cols = count_labels(truth, pred, values[left])
    table = Contingency(cells, truth.restore(rows), pred.restore(cols))
    if noise is not None or noise_policy is not None:
        table.__dict__["noise_as_cluster"] = (0, 0)
    return table


def singled(noise: Any, noise_policy: NoisePolicy | None) -> Sequence[Any]:
    """The labels whose objects become clusters of their own."""
    policies = noise_policies(noise, noise_policy)
    return [label for label, policy in policies.items() if policy == "singletons"]


def _checked(grouped: GroupedCounts) -> NDArray[Any]:
    """Sums of weights: whole where every weight was whole."""
    weights = encode_weights(grouped.weights, len(grouped.counts))
    return weights.astype(np.float64) if grouped.fractional else weights


def codes_of(labels: Any, what: str) -> Codes:
    """Labels as codes; missing ones get a code of their own, which is never that of noise."""
    try:
        side = read_labels(labels, what)
    except TypeError:  # a column of objects may hold what cannot be told apart
        raise LabelError(f"{what} holds what is no plain value among its labels.") from None
    if side.missing is None or not side.missing.any():
        return side
    known = np.flatnonzero(~side.missing)
    old = side.values[known[:0]]
    values = np.zeros(len(side), np.int32)
    if len(known):
        filled = np.where(side.missing, side.values[known[0]], side.values)
        values, old = consecutive(replace(side, values=filled))
    values[side.missing] = len(old)
    place = {int(code): k for k, code in enumerate(old)}

    def find(label: Any) -> int | None:
        code = side.find(label)
        return None if code is None else place.get(code)

    return Codes(values, lambda codes: side.restore(old[codes]), find, side.missing)


def _expand(
    sides: list[Codes], counts: NDArray[np.int64], values: NDArray[Any], label: Any
) -> tuple[list[Codes], NDArray[np.int64], NDArray[Any]]:
    """Groups that hold a label of noise, split into groups of one object."""
    chosen = np.zeros(len(counts), bool)
    for side in sides:
        code = side.find(label)
        if code is not None:
            chosen |= side.values == code
    many = int(counts[chosen].sum())
    if many > SINGLE_LIMIT:
        raise LabelError(
            f"{many:,} objects of noise would become clusters of one; up to {SINGLE_LIMIT:,} "
            "can, so drop them or keep them as one cluster."
        )
    if (counts[chosen] == 1).all():
        return sides, counts, values
    if values is not counts:
        raise LabelError(
            "noise as singletons needs the weight of every object of noise; its groups hold sums."
        )
    times = np.where(chosen, counts, 1)
    sides = [
        replace(
            side,
            values=np.repeat(side.values, times),
            missing=None if side.missing is None else np.repeat(side.missing, times),
        )
        for side in sides
    ]
    counts = np.repeat(np.where(chosen, 1, counts), times)
    return sides, counts, counts


def _refuse_missing(
    sides: Sequence[Codes], counts: NDArray[np.int64], left: NDArray[np.int64]
) -> None:
    for name, side in zip(("truth", "pred"), sides, strict=True):
        absent = 0 if side.missing is None else int(counts[left][side.missing[left]].sum())
        if absent:
            raise missing_error(name, absent)
