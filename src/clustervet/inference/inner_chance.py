"""Chance for measures of features: the value beside those of random labels of the same points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.errors import ParameterError
from clustervet.labels import encode_one, read_labels
from clustervet.registry import Measure

# What random labels share with the given ones.
MODEL = "sizes"
# Labelings that are made at once.
BLOCK = 20


def shuffled_values(
    record: Measure,
    features: Any,
    labels: Any,
    model: str,
    samples: int,
    rng: np.random.Generator,
    **options: Any,
) -> tuple[float, NDArray[np.float64]]:
    """Return the value of a measure, and those of the same labels in random orders.

    A point that a policy drops keeps its label.
    """
    if model != MODEL:
        raise ParameterError(
            f"a measure of features has the model {MODEL!r}: labels of the same sizes in a random "
            f"order; not {model!r}."
        )
    if labels is None:
        raise ParameterError(f"{record.key} needs features and labels.")
    value = record(features, labels, **options)
    policies = {
        name: options[name] for name in ("noise", "noise_policy", "missing") if name in options
    }
    side = read_labels(labels)
    kept = encode_one(labels, **policies)[1]
    names = np.empty(len(side), object)
    names[:] = list(side.restore(side.values))
    if side.missing is not None:
        names[side.missing] = None
    places = np.arange(len(side)) if kept is None else np.flatnonzero(kept)
    found = []
    with ticking(samples, "random labels") as tick:
        for first in range(0, samples, BLOCK):
            drawn = []
            for _ in range(min(BLOCK, samples - first)):
                other = names.copy()
                other[places] = names[rng.permutation(places)]
                drawn.append(other)
            found.append(record.many(features, drawn, **options))
            for _ in drawn:
                tick()
    return value, np.concatenate([np.empty(0), *found])
