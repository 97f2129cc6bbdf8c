"""Clusterings of the same objects: equal lengths, and policies for missing labels and noise."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.labels.arrays import kind_of
from clustervet.labels.codes import ABSENT, Codes, Mask, Names, Singleton, consecutive, from_keys
from clustervet.labels.index import check_index
from clustervet.labels.keyed import aligned
from clustervet.labels.read import read_labels
from clustervet.labels.text import plain_label, show_label

Missing = Literal["raise", "drop", "class"]
# Beside these, an object may be in one of two clusterings alone.
MissingInPair = Literal["raise", "drop", "class", "absent"]
POLICIES_FOR_MISSING = ("raise", "drop", "class")
NoisePolicy = Literal["keep", "drop", "singletons"]
# Squares of larger real weights come too near to the largest float.
HEAVY = 1e150
POLICIES = ("keep", "drop", "singletons")
# How programs and files write the label of noise, and the label beside which it is a sign.
NOISE_LABELS = (-1, "-1.0")
OTHER_SIGNS = (1, "1.0", "+1")


def encode_pair(
    truth: Any,
    pred: Any,
    *,
    weights: Any = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: MissingInPair = "raise",
    names: tuple[str, str] = ("truth", "pred"),
) -> tuple[Codes, Codes, NDArray[Any] | None]:
    """Read two clusterings of the same objects as codes.

    Parameters
    ----------
    truth : array_like
        Class of each object.
    pred : array_like
        Cluster of each object.
    weights : array_like, optional
        One number per object, not negative.
    noise : label, str or dict, optional
        Label that means noise, a policy for the label -1, or a policy per label.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise. By default it is kept.
    missing : {'raise', 'drop', 'class', 'absent'}, default 'raise'
        What to do with missing labels. With 'absent' the object is in the other clustering alone.
    names : tuple of str, default ('truth', 'pred')
        Names of the two in messages.

    Returns
    -------
    classes : Codes
        Codes of `truth`.
    clusters : Codes
        Codes of `pred`.
    weights : ndarray or None
        Weights of the objects that are left, if given.

    Raises
    ------
    LabelError
        If labels or weights cannot be read, differ in number, or none is left.
    ParameterError
        If a policy is unknown.

    Examples
    --------
    >>> classes, clusters, _ = encode_pair(["a", None, "b"], [0, 0, 1], missing="drop")
    >>> classes.values.tolist(), clusters.values.tolist()
    ([0, 1], [0, 1])
    """
    first, second = names if names[0] != names[1] else ("truth", "pred")
    sides, heavy = encode_all(
        {show_label(first): truth, show_label(second): pred},
        weights=weights,
        noise=noise,
        noise_policy=noise_policy,
        missing=missing,
        one_sided=True,
    )
    return sides[0], sides[1], heavy


def encode_all(
    labelings: Mapping[str, Any],
    *,
    weights: Any = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: MissingInPair = "raise",
    one_sided: bool = False,
) -> tuple[list[Codes], NDArray[Any] | None]:
    """Read several clusterings of the same objects as codes.

    An object that a policy drops in one clustering is dropped in all.

    Parameters
    ----------
    labelings : dict
        Labels by name; messages use the names.
    weights : array_like, optional
        One number per object, not negative.
    noise : label, str or dict, optional
        Label that means noise, a policy for the label -1, or a policy per label.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise. By default it is kept.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        What to do with missing labels.
    one_sided : bool, default False
        Whether `missing` may be 'absent': the object is in the other clusterings alone.

    Returns
    -------
    sides : list of Codes
        Codes of each clustering.
    weights : ndarray or None
        Weights of the objects that are left, if given.

    Raises
    ------
    LabelError
        If labels or weights cannot be read, differ in number, or none is left.
    ParameterError
        If a policy is unknown.

    Examples
    --------
    >>> sides, _ = encode_all({"a": [0, 0, -1], "b": [1, 2, 2]}, noise="drop")
    >>> [side.values.tolist() for side in sides]
    [[0, 0], [1, 2]]
    """
    policies = noise_policies(noise, noise_policy)
    labelings = aligned(labelings, missing, {"weights": weights})
    sides = {name: read_labels(labels, name) for name, labels in labelings.items()}
    first, length = next((name, len(side)) for name, side in sides.items())
    for name, side in sides.items():
        if len(side) != length:
            raise LabelError(
                f"{first} and {name} must label the same objects; {first} has {length:,} labels "
                f"and {name} has {len(side):,}."
            )
    check_index(labelings if weights is None else {**labelings, "the weights": weights})
    heavy = None if weights is None else encode_weights(weights, length)
    done, kept = settled(sides, policies, missing, one_sided=one_sided)
    return done, heavy if heavy is None or kept is None else heavy[kept]


def encode_one(
    labels: Any,
    what: str = "labels",
    *,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
) -> tuple[Codes, Mask | None]:
    """Read one clustering as codes.

    Parameters
    ----------
    labels : array_like
        Label of each object.
    what : str, default 'labels'
        Name of the labels in messages.
    noise : label, str or dict, optional
        Label that means noise, a policy for the label -1, or a policy per label.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise. By default it is kept.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        What to do with missing labels.

    Returns
    -------
    codes : Codes
        Codes of the objects that are left.
    kept : ndarray of bool or None
        Which objects are left; None if all of them are.

    Raises
    ------
    LabelError
        If the labels cannot be read, or none is left.
    ParameterError
        If a policy is unknown.

    Examples
    --------
    >>> codes, kept = encode_one([0, -1, 1], noise="drop")
    >>> codes.values.tolist(), kept.tolist()
    ([0, 1], [True, False, True])
    """
    policies = noise_policies(noise, noise_policy)
    done, kept = settled({what: read_labels(labels, what)}, policies, missing)
    return done[0], kept


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
    check_index({f"truth {k}": truth for k, truth in enumerate(truths, 1)})
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


def settled(
    sides: Mapping[str, Codes],
    policies: Mapping[Any, Any],
    missing: MissingInPair,
    *,
    one_sided: bool = False,
) -> tuple[list[Codes], Mask | None]:
    """The sides once missing labels and noise are dealt with, and which objects are left."""
    known = (*POLICIES_FOR_MISSING, "absent") if one_sided else POLICIES_FOR_MISSING
    one_of(missing, "missing", known)
    kept = _kept(sides.values(), policies, missing)
    if kept is not None:
        if not kept.any():
            raise LabelError("no object is left once missing and noise labels are dropped.")
        sides = {name: side.keep(kept) for name, side in sides.items()}
    done = [_single_out(_fill(side, name, missing), policies) for name, side in sides.items()]
    return done, kept


def _kept(
    sides: Collection[Codes], policies: Mapping[Any, Any], missing: MissingInPair
) -> Mask | None:
    """The objects that no policy drops; None if that is all of them."""
    gone = [s.missing for s in sides if s.missing is not None]
    dropped = gone if missing == "drop" else []
    if missing == "absent" and len(gone) == len(sides):
        nowhere = np.logical_and.reduce(gone)  # in none of the clusterings
        dropped = [nowhere] if nowhere.any() else []
    for label, policy in policies.items():
        for side in sides:
            code = side.find(label) if policy == "drop" else None
            if code is not None:
                noisy = side.values == code
                # A missing label has a code of no meaning.
                dropped.append(noisy if side.missing is None else noisy & ~side.missing)
    return ~np.logical_or.reduce(dropped) if dropped else None


def noise_policies(noise: Any, policy: NoisePolicy | None) -> dict[Any, Any]:
    """`noise` as {label: policy}; a policy alone is for the label -1."""
    policies: dict[Any, Any]
    if noise is None:
        policies = {} if policy is None else {-1: policy}
    elif isinstance(noise, Mapping):
        policies = dict(noise)
    elif isinstance(noise, str) and policy is None:
        if noise not in POLICIES:
            raise ParameterError(
                f"noise must be one of {', '.join(POLICIES)} for the label -1, or a mapping such "
                f"as {{{noise!r}: 'drop'}}, not {noise!r}."
            )
        policies = {-1: noise}
    else:
        try:
            policies = {noise: policy or "keep"}
        except TypeError:
            raise ParameterError(f"noise must name one label, not {kind_of(noise)}.") from None
    for given in policies.values():
        if given not in POLICIES:
            raise ParameterError(f"a noise policy is one of {', '.join(POLICIES)}, not {given!r}.")
    return policies


def noise_count(side: Codes) -> int:
    """Count the objects with the label -1, which clusterers give to noise.

    Parameters
    ----------
    side : Codes
        One clustering.

    Returns
    -------
    int
        The number of objects; 0 where -1 and 1 are the only labels, which are then signs.

    Examples
    --------
    >>> noise_count(read_labels([0, -1, 1, -1])), noise_count(read_labels([1, -1, 1, -1]))
    (2, 0)
    """
    noisy = _labelled(side, NOISE_LABELS)
    if not noisy.any():
        return 0
    known = len(side) if side.missing is None else int((~side.missing).sum())
    count, signs = int(noisy.sum()), int(_labelled(side, OTHER_SIGNS).sum())
    return 0 if signs and count + signs == known else count


def noise_place(names: Names) -> int | None:
    """The place of the label -1 among distinct names; None where it is a sign or not there.

    >>> noise_place([0, -1, 1]), noise_place(["a", "-1"]), noise_place([-1, 1])
    (1, 1, None)
    """
    if isinstance(names, np.ndarray) and names.dtype.kind in "iu":
        found = np.flatnonzero(names == -1).tolist()
    else:
        found = [k for k, name in enumerate(names) if _text(name) in ("-1", "-1.0")]
    signs = len(names) == 2 and any(_text(name) in ("1", "1.0", "+1") for name in names)
    return found[0] if found and not signs else None


def noise_places(names: Names, noise: Any) -> list[int]:
    """The places of a label that means noise among distinct names; none where `noise` is None.

    >>> noise_places([0, -1, 1], -1), noise_places([-1, 1], -1), noise_places(["a", "out"], "out")
    ([1], [], [1])
    """
    if noise is None:
        return []
    if _text(noise) == "-1":
        place = noise_place(names)
        return [] if place is None else [place]
    return [k for k, name in enumerate(names) if _text(name) == _text(noise)]


def read_clustered(labels: Any, noise: Any = -1) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the number of each object's cluster, -1 where it has none, and the clusters' names.

    Missing labels and noise are no clusters.

    >>> codes, names = read_clustered(["b", None, "a", "b", "-1"])
    >>> codes.tolist(), names
    ([1, -1, 0, 1, -1], ['a', 'b'])
    """
    side = read_labels(labels, "labels")
    numbers, distinct = consecutive(side)
    names = [plain_label(name) for name in side.restore(distinct)]
    held = np.ones(len(side), np.bool_) if side.missing is None else ~side.missing
    used = np.bincount(numbers[held], minlength=len(names)) > 0
    used[noise_places(names, noise)] = False
    if not used.any():
        raise LabelError("there is no cluster: all labels are missing or noise.")
    codes = np.where(held & used[numbers], (np.cumsum(used) - 1)[numbers], -1)
    return codes, [name for name, kept in zip(names, used, strict=True) if kept]


def _text(name: Any) -> str:
    """A number or a text as text; anything else is neither -1 nor 1."""
    return str(name) if isinstance(name, str | int | float | np.number) else ""


def _labelled(side: Codes, labels: Collection[Any]) -> Mask:
    """Which objects have one of the labels. A missing label has a code, which is not counted."""
    found = np.zeros(len(side), np.bool_)
    for code in {side.find(label) for label in labels} - {None}:
        found |= side.values == code
    return found if side.missing is None else found & ~side.missing


def _fill(side: Codes, name: str, missing: MissingInPair) -> Codes:
    if side.missing is None or not side.missing.any():
        return side
    if missing == "class":
        return side.with_class(side.missing, [None])
    if missing == "absent":
        if side.missing.all():
            raise LabelError(f"{name} has no label at all, so there is nothing to compare.")
        return side.with_class(side.missing, [ABSENT])
    where = np.flatnonzero(side.missing)
    raise missing_error(name, len(where), f", the first at position {where[0]}")


def missing_error(name: str, count: int, where: str = "", one: str = "class") -> LabelError:
    """Return the error for missing labels, with what can be done about them."""
    return LabelError(
        f"{name} has {count:,} missing label{'s' if count > 1 else ''}{where}; drop such objects "
        "with ",
        Setting("missing", "drop"),
        f" or make them a {one} of their own with ",
        Setting("missing", "class"),
        ".",
    )


def _single_out(side: Codes, policies: Mapping[Any, NoisePolicy]) -> Codes:
    for label, policy in policies.items():
        code = side.find(label)
        if policy == "singletons" and code is not None:
            mask = side.values == code
            if mask.sum() > 1:
                side = side.with_class(mask, [Singleton(label) for _ in range(int(mask.sum()))])
    return side


def encode_weights(weights: Any, length: int) -> NDArray[Any]:
    """Read weights as int64, float64 or Python ints.

    Parameters
    ----------
    weights : array_like
        One finite number per object, not negative.
    length : int
        Number of objects.

    Returns
    -------
    ndarray
        The weights. Floats that are all whole become integers.

    Raises
    ------
    LabelError
        If weights are not numbers, negative, not finite, all zero, or not as many as objects.

    Examples
    --------
    >>> encode_weights([1.0, 2.0], 2)
    array([1, 2])
    """
    array = _numbers(weights)
    if array.shape != (length,):
        raise LabelError(
            f"weights must be one number per object; there are {length:,} objects and the weights "
            f"have shape {array.shape}."
        )
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise LabelError("weights must be finite; there is a NaN or an infinity among them.")
        with np.errstate(over="ignore"):
            if array.sum() >= HEAVY:
                raise LabelError(f"weights must sum to less than {HEAVY:g}.")
        if (array == np.trunc(array)).all() and np.abs(array).max() < 2.0**53:
            array = array.astype(np.int64)
    if array.min() < 0:
        at = int(np.argmin(array))
        raise LabelError(
            f"weights must not be negative; position {at} has {show_label(array[at])}."
        )
    if not array.any():
        raise LabelError("weights are all zero; at least one must be positive.")
    return array


def heavy_rows(weights: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of the objects that are left count: those with a weight above 0, at least one."""
    found = np.asarray(weights > 0)
    if not found.any():
        raise LabelError("no object that is left has a weight above 0.")
    return found


def _numbers(weights: Any) -> NDArray[Any]:
    """Weights as int64, float64 or Python ints, from any type."""
    if np.ma.is_masked(weights):
        raise LabelError("weights must be numbers, one per object; some are masked.")
    if str(getattr(weights, "dtype", "")).endswith("Int128"):
        weights = weights.to_list()  # polars has integers that numpy has not
    try:
        array = np.asarray(weights)
        if array.dtype.kind == "O":
            items = array.ravel().tolist()
            if any(isinstance(item, str | bytes) for item in items):
                raise LabelError("weights must be numbers, one per object; some are text.")
            whole = all(isinstance(item, int | np.integer) for item in items)
            return array if whole else array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise LabelError("weights must be numbers, one per object.") from None
    if array.dtype.kind not in "biuf":
        raise LabelError(f"weights must be numbers, one per object, not of type {array.dtype}.")
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    big = array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max
    return array.astype(object if big else np.int64)
