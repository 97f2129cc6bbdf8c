"""Labels, weights and features of pandas: they name their objects, so these must be the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustervet.errors import LabelError


def check_index(given: Mapping[str, Any]) -> None:
    """Refuse pandas objects whose indexes differ; everything without an index is positional.

    Parameters
    ----------
    given : mapping
        Labels, weights or features of the same objects by name; None is passed over. The number
        of objects is not checked here.

    Raises
    ------
    LabelError
        If two of them have indexes that are not equal.

    Notes
    -----
    Nothing is aligned: where a frame was shuffled and a series of new labels counts from 0 on,
    both indexes hold the same values, and only the position is right. Equal indexes cost one
    comparison, or none where they are one object.

    Examples
    --------
    >>> import pandas as pd
    >>> truth, pred = pd.Series(["a", "b"], [7, 9]), pd.Series([0, 1], [7, 9])
    >>> check_index({"truth": truth, "pred": pred})
    >>> check_index({"truth": truth, "pred": [1, 0]})
    >>> check_index({"truth": truth, "pred": pred.iloc[::-1]})
    Traceback (most recent call last):
        ...
    clustervet.errors.LabelError: truth and pred have the same index values in another order; bring
    both into one order, as with .loc or .reindex, or pass .to_numpy() to pair them by position.
    """
    held = [(name, index_of(item)) for name, item in given.items()]
    known = [(name, index) for name, index in held if index is not None]
    if len(known) < 2:
        return
    (first, own), *others = known
    for name, index in others:
        if len(index) != len(own) or own.equals(index):
            continue
        raise LabelError(
            f"{first} and {name} have {_difference(own, index)}; bring both into one order, as "
            "with .loc or .reindex, or pass .to_numpy() to pair them by position."
        )


def index_of(item: Any) -> Any:
    """Return the index of a series or frame of pandas, or of what is made like one; else None."""
    index = getattr(item, "index", None)
    return index if type(index).__module__.partition(".")[0] == "pandas" else None


def names_of(item: Any) -> list[Any] | None:
    """Return the index of a series or frame of pandas, where it names the objects.

    One that counts the rows does not, nor one with values that are there twice or missing.
    """
    index = index_of(item)
    if index is None or getattr(index, "nlevels", 1) > 1 or not index.is_unique or index.hasnans:
        return None
    found: list[Any] = index.to_list()
    return None if found == list(range(len(found))) else found


def _difference(one: Any, other: Any) -> str:
    """Return how two indexes of equal length differ, in words."""
    held = set(other.to_list())
    shared = sum(value in held for value in one.to_list())
    if shared == len(one):
        return "the same index values in another order"
    return f"different indexes, with {shared:,} of {len(one):,} values in both"
