"""Labels by the name of the object: mappings, and lists of groups such as communities."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from typing import Any

import numpy as np

from clustervet.errors import LabelError, Setting
from clustervet.labels.text import show_label


def is_keyed(labels: Any) -> bool:
    """Whether labels have the names of their objects: a mapping, or a list of groups.

    >>> is_keyed({"x": 0, "y": 1}), is_keyed([{"x"}, {"y"}]), is_keyed([0, 1])
    (True, True, False)
    """
    if isinstance(labels, Mapping):
        values = labels.values()
        return any(value is not None for value in values) and all(map(_is_label, values))
    if hasattr(labels, "communities"):  # a NodeClustering of cdlib
        return True
    return (
        isinstance(labels, list | tuple)
        and len(labels) > 0
        and all(isinstance(group, Set) for group in labels)
    )


def _is_label(value: Any) -> bool:
    """Whether the value of a mapping is one label, not a labeling, a table or an estimator."""
    if isinstance(value, str | bytes | tuple | np.generic):
        return True
    return not any(hasattr(value, name) for name in ("__len__", "__iter__", "fit", "shape"))


def aligned(
    labelings: Mapping[str, Any], missing: str = "raise", beside: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """Return labelings in the order of the same objects, where they name their objects.

    Parameters
    ----------
    labelings : mapping
        Labels by name: mappings from objects to labels, lists of groups of objects, or sequences.
    missing : str, default 'raise'
        What an object does that not all labelings have: it is an error, or its label is missing
        ('drop', 'class' and 'absent' then say what that means).
    beside : mapping, optional
        What else is given for the objects, by name; it has no names of objects.

    Returns
    -------
    mapping
        Lists of labels; sequences are returned as they are.

    Raises
    ------
    LabelError
        If some labelings name their objects and others do not, if groups overlap, or if the
        labelings have different objects.

    Examples
    --------
    >>> aligned({"truth": {"x": "a", "y": "b"}, "pred": [{"y"}, {"x"}]})
    {'truth': ['a', 'b'], 'pred': [1, 0]}
    """
    keyed = [name for name, labels in labelings.items() if is_keyed(labels)]
    if not keyed:
        return labelings
    others = [name for name in labelings if name not in keyed]
    rows = [name for name, given in (beside or {}).items() if given is not None]
    if rows:
        raise LabelError(
            f"{keyed[0]} names its objects, and {rows[0]} go by position; give the labels as "
            "sequences in the same order."
        )
    if others:
        raise LabelError(
            f"{keyed[0]} names its objects and {others[0]} does not; give both as mappings or "
            "groups, or both as sequences in the same order."
        )
    read = {name: as_mapping(labels, name) for name, labels in labelings.items()}
    objects = dict.fromkeys(key for labels in read.values() for key in labels)
    if missing == "raise":
        _check_same(read)
    return {name: [labels.get(key) for key in objects] for name, labels in read.items()}


def aligned_sides(
    truths: Mapping[str, Any],
    preds: Mapping[str, Any],
    missing: str = "raise",
    beside: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return truths and predictions in the order of the same objects; see `aligned`.

    A truth and a prediction may have the same name.

    >>> aligned_sides({"y": {"p": 0, "q": 1}}, {"y": [{"q"}, {"p"}]})
    ({'y': [0, 1]}, {'y': [1, 0]})
    """
    renamed = {name: f"pred {name}" if name in truths else name for name in preds}
    given = {**truths, **{renamed[name]: labels for name, labels in preds.items()}}
    both = aligned(given, missing, beside)
    return {name: both[name] for name in truths}, {name: both[renamed[name]] for name in preds}


def as_mapping(labels: Any, what: str) -> dict[Any, Any]:
    """Return labels by object, from a mapping or from groups."""
    if isinstance(labels, Mapping):
        return dict(labels)
    found: dict[Any, Any] = {}
    for place, group in enumerate(getattr(labels, "communities", labels)):
        for key in group:
            if not isinstance(key, Hashable):
                raise LabelError(f"{what} has an object that is no name: {show_label(key, 40)}.")
            if key in found and found[key] != place:
                raise LabelError(
                    f"{what} has {show_label(key, 40)!r} in two groups; groups must not overlap."
                )
            found[key] = place
    return found


def _check_same(read: Mapping[str, dict[Any, Any]]) -> None:
    (first, one), *rest = read.items()
    for name, other in rest:
        alone = [key for key in one if key not in other], [key for key in other if key not in one]
        if not any(alone):
            continue
        said = [
            f"{which} alone has {len(keys):,}, such as {show_label(keys[0], 40)!r}"
            for which, keys in zip((first, name), alone, strict=True)
            if keys
        ]
        raise LabelError(
            f"{first} and {name} must label the same objects; {' and '.join(said)}. Leave them out "
            "with ",
            Setting("missing", "drop"),
            ".",
        )
