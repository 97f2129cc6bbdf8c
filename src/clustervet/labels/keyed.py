"""Labels by the name of the object: mappings, and lists of groups such as communities."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set, ValuesView
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, Setting
from clustervet.labels.text import show_label


def is_keyed(labels: Any) -> bool:
    """Whether labels have the names of their objects: a mapping, groups, or a named partition.

    >>> is_keyed({"x": 0, "y": 1}), is_keyed([{"x"}, {"y"}]), is_keyed([0, 1])
    (True, True, False)
    """
    if isinstance(labels, Mapping):
        values = labels.values()
        return any(value is not None for value in values) and all(map(_is_label, values))
    if isinstance(labels, list | tuple | ValuesView):
        return len(labels) > 0 and all(isinstance(group, Set) for group in labels)
    if isinstance(getattr(labels, "communities", None), list | tuple):  # NodeClustering of cdlib
        return True
    is_partition = hasattr(labels, "by_object")
    return is_partition and getattr(labels, "objects", None) is not None


def _is_label(value: Any) -> bool:
    """Whether the value of a mapping is one label, not a labeling, a table or an estimator."""
    if isinstance(value, str | bytes | np.generic):
        return True
    if isinstance(value, tuple):
        return not is_keyed(value)
    others = ("__len__", "__iter__", "fit", "shape", "communities")
    return not any(hasattr(value, name) for name in others)


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
    objects, held = paired(list(labelings.items()), missing, beside)
    return labelings if objects is None else dict(zip(labelings, held, strict=True))


def paired(
    labelings: Sequence[tuple[str, Any]],
    missing: str = "raise",
    beside: Mapping[str, Any] | None = None,
) -> tuple[tuple[Any, ...] | None, Iterator[Any]]:
    """Return the objects that labelings name, and the labels in their order; see `aligned`.

    The objects have the order in which the labelings first name them. Where labelings are
    sequences there are no names, None, and they are returned as they are. Labels are made when
    they are asked for, one labeling after the other.

    >>> objects, labels = paired([("a", {"x": 0, "y": 1}), ("b", [{"y"}, {"x"}])])
    >>> objects, list(labels)
    (('x', 'y'), [[0, 1], [1, 0]])
    """
    keyed = [name for name, labels in labelings if is_keyed(labels)]
    if not keyed:
        return None, (labels for _, labels in labelings)
    rows = [name for name, given in (beside or {}).items() if given is not None]
    if rows:
        raise LabelError(
            f"{keyed[0]} names its objects, and {rows[0]} go by position; give the labels as "
            "sequences in the same order."
        )
    for name, labels in labelings:
        if not is_keyed(labels):
            raise _unlike(keyed[0], name)
    (first, own), *others = labelings
    one = dict.fromkeys(as_mapping(own, first))
    objects = dict(one)
    for name, labels in others:
        other = as_mapping(labels, name)
        said = differing((first, one), (name, other))
        if said and missing == "raise":
            raise LabelError(said, " Leave them out with ", Setting("missing", "drop"), ".")
        objects.update(dict.fromkeys(other))
    return tuple(objects), (
        list(map(as_mapping(labels, name).get, objects)) for name, labels in labelings
    )


def ordered_as(
    objects: Sequence[Any] | None,
    labels: Any,
    names: tuple[str, str],
    *,
    some: bool = False,
) -> Any:
    """Return labels in the order of objects that are known, by what both are called.

    Objects that go by position (None) take sequences, which are returned as they are. With
    `some`, objects of one side alone are left out or have no label.

    >>> ordered_as(["x", "y"], [{"y"}, {"x"}], ("one", "the other"))
    [1, 0]
    >>> ordered_as(None, [0, 1], ("one", "the other"))
    [0, 1]
    """
    if objects is None and not is_keyed(labels):
        return labels
    known, what = names
    if objects is None:
        raise _unlike(what, known)
    if not is_keyed(labels):
        raise _unlike(known, what)
    found = as_mapping(labels, what)
    said = differing((known, dict.fromkeys(objects)), (what, found))
    if said and not some:
        raise LabelError(said)
    return [found.get(key) for key in objects]


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


def by_name(objects: Sequence[Any] | None, values: NDArray[Any]) -> Any:
    """Return values of objects as {object: value}; as they are where objects have no names.

    >>> by_name(["x", "y"], np.array([0, 1])), by_name(None, np.array([0, 1]))
    ({'x': 0, 'y': 1}, array([0, 1]))
    """
    return values if objects is None else dict(zip(objects, values.tolist(), strict=True))


def as_mapping(labels: Any, what: str) -> dict[Any, Any]:
    """Return labels by object, from a mapping, from groups or from a named partition."""
    if isinstance(labels, Mapping):
        return dict(labels)
    if hasattr(labels, "by_object"):
        return dict(zip(labels.objects, labels.codes.tolist(), strict=True))
    found: dict[Any, Any] = {}
    for place, group in enumerate(getattr(labels, "communities", labels)):
        try:
            members = dict.fromkeys(group, place)
        except TypeError:
            odd = next((key for key in group if not isinstance(key, Hashable)), group)
            raise LabelError(
                f"{what} has an object that is no name: {show_label(odd, 40)}."
            ) from None
        if not found.keys().isdisjoint(members):
            twice = next(key for key in members if key in found)
            raise LabelError(
                f"{what} has {show_object(twice)} in two groups; groups must not overlap here, and "
                "cv.Cover is for groups that do."
            )
        found.update(members)
    return found


def show_object(key: Any) -> str:
    """Return the name of an object on one short line; text stands in quotes.

    >>> show_object("3"), show_object(3)
    ("'3'", '3')
    """
    return repr(show_label(key, 40)) if isinstance(key, str) else show_label(key, 40)


def _unlike(keyed: str, other: str) -> LabelError:
    return LabelError(
        f"{keyed} names its objects and {other} does not; give both as mappings or groups, or "
        "both as sequences in the same order."
    )


def differing(one: tuple[str, Mapping[Any, Any]], two: tuple[str, Mapping[Any, Any]]) -> str:
    """Return which objects only one of two labelings has, in a sentence; nothing if there are none.

    >>> differing(("a", {"x": 0}), ("b", {"x": 0, "y": 0}))
    "a and b must label the same objects; b alone has 1, such as 'y'."
    """
    (first, held), (second, other) = one, two
    if held.keys() == other.keys():
        return ""
    alone = (
        (first, [key for key in held if key not in other]),
        (second, [key for key in other if key not in held]),
    )
    said = [
        f"{which} alone has {len(keys):,}, such as {show_object(keys[0])}"
        for which, keys in alone
        if keys
    ]
    return f"{first} and {second} must label the same objects; {' and '.join(said)}."
