"""Product classes: several truths of the same objects as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clustervet.errors import LabelError
from clustervet.labels.codes import Codes, from_keys
from clustervet.labels.read import read_labels


def product_labels(truths: Sequence[Any]) -> Codes:
    """One class for every combination of labels that occurs (Dom 2001, App. C.2.2).

    >>> product = product_labels([["a", "a", "b"], [0, 1, 1]])
    >>> product.restore(product.values)
    [('a', 0), ('a', 1), ('b', 1)]
    """
    sides = [read_labels(truth, f"truth {k}") for k, truth in enumerate(truths, 1)]
    lengths = {len(side) for side in sides}
    if len(lengths) > 1:
        raise LabelError(
            "all truths must label the same objects; their lengths are "
            f"{', '.join(f'{len(side):,}' for side in sides)}."
        )
    names: list[tuple[Any, ...]] = [()]
    codes = np.zeros(lengths.pop(), np.int64)
    missing = np.zeros(len(codes), np.bool_)
    for side in sides:
        values, part = np.unique(side.values, return_inverse=True)
        labels = list(side.restore(values))
        pairs, codes = np.unique(codes * len(values) + part, return_inverse=True)
        names = [
            (*names[pair // len(values)], _scalar(labels[pair % len(values)]))
            for pair in pairs.tolist()
        ]
        if side.missing is not None:
            missing |= side.missing
    return from_keys(codes, names, missing if missing.any() else None)


def _scalar(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
