"""Product classes: several truths of the same objects as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clustervet.errors import LabelError
from clustervet.labels.codes import Codes, from_keys
from clustervet.labels.read import read_labels
from clustervet.labels.text import plain_label


def product_labels(truths: Sequence[Any], missing: str = "raise") -> Codes:
    """Make one class of every combination of labels that occurs.

    Parameters
    ----------
    truths : sequence of array_like
        Several labelings of the same objects.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        'class' makes missing labels a class of their own; otherwise an object with a missing label
        has a missing product.

    Returns
    -------
    Codes
        Codes of the combinations; their names are tuples of labels.

    Raises
    ------
    LabelError
        If labels cannot be read, or differ in number.

    Notes
    -----
    See Dom 2001, App. C.2.2.

    Examples
    --------
    >>> product = product_labels([["a", "a", "b"], [0, 1, 1]])
    >>> product.restore(product.values)
    [('a', 0), ('a', 1), ('b', 1)]
    """
    sides = [read_labels(truth, f"truth {k}") for k, truth in enumerate(truths, 1)]
    if missing == "class":
        sides = [s if s.missing is None else s.with_class(s.missing, [None]) for s in sides]
    lengths = {len(side) for side in sides}
    if len(lengths) > 1:
        raise LabelError(
            "all truths must label the same objects; their lengths are "
            f"{', '.join(f'{len(side):,}' for side in sides)}."
        )
    names: list[tuple[Any, ...]] = [()]
    codes = np.zeros(lengths.pop(), np.int64)
    absent = np.zeros(len(codes), np.bool_)
    for side in sides:
        values, part = np.unique(side.values, return_inverse=True)
        labels = list(side.restore(values))
        pairs, codes = np.unique(codes * len(values) + part, return_inverse=True)
        names = [
            (*names[pair // len(values)], plain_label(labels[pair % len(values)]))
            for pair in pairs.tolist()
        ]
        if side.missing is not None:
            absent |= side.missing
    return from_keys(codes, names, absent if absent.any() else None)
