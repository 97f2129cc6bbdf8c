"""The input of a transduction: truth that may be missing, clusters, and labelled objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import whole
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.labels import Codes, encode_all, plain_label, read_labels, show_label
from clustervet.labels.codes import Mask
from clustervet.labels.pair import Missing, NoisePolicy

YES = frozenset({"true", "t", "yes", "y", "1", "1.0"})
NO = frozenset({"false", "f", "no", "n", "0", "0.0"})


@dataclass(frozen=True, slots=True)
class Sample:
    """Truth and clusters of the same objects; `known` marks where the truth is not missing."""

    truth: Codes
    pred: Codes
    labelled: Mask
    known: Mask


def read_sample(
    truth: Any,
    pred: Any,
    labelled: Any,
    *,
    noise: Any,
    noise_policy: NoisePolicy | None,
    missing: Missing,
) -> Sample:
    """Read both labelings; the policies for noise and missing labels apply to clusters only.

    What they drop then depends on the clustering alone and never on the labels, as the bound
    requires.
    """
    classes, clusters = read_labels(truth, "truth"), read_labels(pred, "pred")
    if len(classes) != len(clusters):
        raise LabelError(
            f"truth and pred must label the same objects; truth has {len(classes):,} labels and "
            f"pred has {len(clusters):,}."
        )
    places = Codes(np.arange(len(classes)), lambda codes: codes, _finds_nothing)
    known = np.ones(len(classes), bool) if classes.missing is None else ~classes.missing
    train = _mask(labelled, len(classes)) if labelled is not None else known
    _check_known(train, known)
    sides, _ = encode_all(
        {"pred": clusters, "places": places},
        noise=noise,
        noise_policy=noise_policy,
        missing=missing,
    )
    clusters, places = sides
    if len(places) < len(classes):
        kept = np.zeros(len(classes), bool)
        kept[places.values] = True
        classes, train, known = classes.keep(kept), train[kept], known[kept]
    if not train.any():
        raise LabelError("no object is labelled; the bound needs the truth of some.")
    return Sample(classes, clusters, train, known)


def _finds_nothing(label: Any) -> None:
    return None


def _mask(labelled: Any, length: int) -> Mask:
    """Return a mask from a mask, from positions, or from a column that says yes and no."""
    if not isinstance(labelled, Codes):
        try:
            array = np.asarray(labelled)
        except ValueError:  # rows of different lengths
            array = np.empty((0, 0), object)
        if array.ndim != 1:
            raise ParameterError(
                Setting("labelled"),
                " must be a mask, positions of objects, or a column of yes and no, not an array "
                f"of {array.dtype} with shape {array.shape}.",
            )
        # Zeros and ones for all objects cannot be positions, which never occur twice.
        flags = len(array) == length > 2 and bool(np.isin(array, (0, 1)).all())
        if not len(array) or (array.dtype.kind in "iu" and not flags):
            return _mask_of_places(array.astype(np.int64), length)
    mask = _said(read_labels(labelled, "labelled"))
    if len(mask) != length:
        raise ParameterError(
            Setting("labelled"),
            f" must have one entry per object; there are {length:,} objects and {len(mask):,} "
            "entries.",
        )
    return mask


def _said(codes: Codes) -> Mask:
    """Return where a column says true, yes or 1; false where it says the opposite or nothing."""
    distinct, places = np.unique(codes.values, return_inverse=True)
    absent = np.zeros(len(places), bool) if codes.missing is None else codes.missing
    used = np.bincount(places[~absent], minlength=len(distinct)) > 0
    says = np.zeros(len(distinct), bool)
    for k, name in enumerate(codes.restore(distinct)):
        word = str(name).strip().lower()
        if used[k] and word not in YES | NO:
            raise ParameterError(
                Setting("labelled"),
                " says which labels may be looked at, by true and false or 1 and 0; "
                f"{show_label(name)!r} is neither.",
            )
        says[k] = word in YES
    mask: Mask = says[places] & ~absent
    return mask


def _mask_of_places(places: NDArray[np.int64], length: int) -> Mask:
    outside = places[(places < 0) | (places >= length)]
    if len(outside):
        raise ParameterError(
            Setting("labelled"),
            f" holds position {outside[0]}; positions run from 0 to {length - 1}.",
        )
    mask = np.zeros(length, bool)
    mask[places] = True
    if mask.sum() < len(places):
        raise ParameterError(Setting("labelled"), " holds a position twice.")
    return mask


def _check_known(train: Mask, known: Mask) -> None:
    unknown = np.flatnonzero(train & ~known)
    if len(unknown):
        raise LabelError(
            f"{len(unknown):,} of the labelled objects {'has' if len(unknown) == 1 else 'have'} "
            f"no truth, the first at position {unknown[0]}."
        )


def read_names(labels: Any, seen: Sequence[Any]) -> tuple[list[Any], int]:
    """The labels that a cluster may get, and the number of possible labels."""
    seen = [plain_label(name) for name in seen]
    if labels is None:
        return seen, len(seen)
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        number = whole(labels, "labels", 1)
        if number < len(seen):
            raise ParameterError(f"labels is {number}, but truth holds {len(seen)} labels.")
        return seen, number
    try:
        names = list(dict.fromkeys(plain_label(name) for name in labels))
    except TypeError:
        raise ParameterError("labels must be a number of labels, or plain values.") from None
    strange = set(seen).difference(names)
    if strange:
        shown = show_label(next(name for name in seen if name in strange))
        raise LabelError(f"truth holds {shown!r}, which is not among labels.")
    return names, len(names)
