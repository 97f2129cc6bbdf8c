"""True labels of a sample of the objects that a prediction has: labels, groups, or pairs."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_whole
from clustervet.errors import LabelError, Setting
from clustervet.labels.arrays import kind_of
from clustervet.labels.codes import consecutive
from clustervet.labels.index import index_of
from clustervet.labels.keyed import as_mapping, is_keyed
from clustervet.labels.pair import encode_one, noise_count
from clustervet.labels.read import read_labels
from clustervet.labels.several import columns_of, is_frame
from clustervet.labels.text import show_label

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
YES = frozenset({1, "1", "true", "yes", "y", "match", "same"})
NO = frozenset({0, "0", "false", "no", "n", "distinct", "different", "not the same"})


class Predicted:
    """A prediction of all objects, and the row of each object by the name that it goes by.

    Objects go by their keys in a mapping or in groups, by the index of a pandas series, and by
    their positions from 0 on otherwise.
    """

    def __init__(self, pred: Any, noise: Any = None) -> None:
        self.keyed = is_keyed(pred)
        self.index: Any = None if self.keyed else index_of(pred)
        labels = pred
        if self.keyed:
            mapping = as_mapping(pred, "pred")
            self.names, labels = list(mapping), list(mapping.values())
        codes = read_labels(labels, "pred")
        if codes.missing is not None and codes.missing.any():
            count = int(codes.missing.sum())
            raise LabelError(f"pred has no label for {count:,} of {len(codes):,} objects.")
        codes, kept = encode_one(codes, "pred", noise=noise)
        if kept is not None:
            raise LabelError(
                "objects cannot be left out of a prediction that is judged by a sample; use ",
                Setting("noise", "singletons"),
                " or ",
                Setting("noise", "keep"),
                ".",
            )
        self.noise = noise_count(codes) if noise is None else 0
        self.codes = consecutive(codes)[0]
        self.sizes = np.bincount(self.codes)

    def __len__(self) -> int:
        return len(self.codes)

    def rows(self, objects: Sequence[Any] | NDArray[Any], what: str) -> Rows:
        """Return the row of each of some objects."""
        if self.index is not None:
            return self._indexed(objects, what)
        if self.keyed:
            places = {name: row for row, name in enumerate(self.names)}
            found = [places.get(name) if isinstance(name, Hashable) else None for name in objects]
        else:
            numbers = np.asarray(objects)
            if numbers.dtype.kind in "iu" and numbers.ndim == 1:
                outside = (numbers < 0) | (numbers >= len(self))
                self._refuse(objects, outside, what)
                return numbers.astype(np.int64)
            found = [int(k) if is_whole(k) and 0 <= k < len(self) else None for k in objects]
        self._refuse(objects, np.array([row is None for row in found], bool), what)
        return np.array(found, np.int64)

    def _indexed(self, objects: Sequence[Any] | NDArray[Any], what: str) -> Rows:
        if not self.index.is_unique:
            twice = show_label(self.index[self.index.duplicated()][0], 40)
            raise LabelError(f"pred has two objects with the index {twice!r}.")
        found: Rows = self.index.get_indexer(objects).astype(np.int64)
        self._refuse(objects, found < 0, what)
        return found

    def _refuse(self, objects: Any, unknown: NDArray[np.bool_], what: str) -> None:
        if not unknown.any():
            return
        first = show_label(objects[int(np.flatnonzero(unknown)[0])], 40)
        by_row = not self.keyed and self.index is None
        wanted = f" (its rows count from 0 to {len(self) - 1:,})" if by_row else ""
        count = int(unknown.sum())
        counted = "1 object" if count == 1 else f"{count:,} objects"
        raise LabelError(
            f"{what} has {counted} that pred does not have{wanted}, such as {first!r}."
        )


@dataclass(frozen=True, slots=True)
class SampledLabels:
    """The objects of a sample, as rows of the prediction, with their classes."""

    rows: Rows
    classes: NDArray[np.int32]
    names: Sequence[Any] | NDArray[Any]
    # Objects labelled -1, which is a class like any other.
    noise: int = 0

    def __len__(self) -> int:
        return len(self.rows)


def read_sampled(truth: Any, pred: Predicted) -> SampledLabels:
    """Return the classes of the objects that have one.

    Parameters
    ----------
    truth : array_like, mapping or list of sets
        One label per object of the prediction, missing outside the sample, or the labels of the
        sample by the names of its objects.
    pred : Predicted
        The prediction.

    Returns
    -------
    SampledLabels
        The rows of the sample, their classes from 0 on, and the names of the classes.

    Raises
    ------
    LabelError
        If the labels cannot be read, the prediction lacks some of the objects, or none has a
        label.

    Examples
    --------
    >>> pred = Predicted([0, 0, 1, 1])
    >>> found = read_sampled(["a", None, "b", None], pred)
    >>> found.rows.tolist(), found.classes.tolist(), list(found.names)
    ([0, 2], [0, 1], ['a', 'b'])
    >>> read_sampled([{0, 3}], pred).rows.tolist()
    [0, 3]
    """
    if is_keyed(truth):
        mapping = as_mapping(truth, "truth")
        rows, labels = pred.rows(list(mapping), "truth"), list(mapping.values())
    elif index_of(truth) is not None and pred.index is not None:
        rows, labels = pred.rows(truth.index, "truth"), truth
        if len(np.unique(rows)) < len(rows):
            raise LabelError("truth has an object twice in its index.")
    elif pred.keyed and index_of(truth) is not None:
        rows, labels = pred.rows(list(truth.index), "truth"), truth
    elif pred.keyed:
        raise LabelError(
            "pred names its objects and truth does not; give truth as a mapping or as groups."
        )
    else:
        rows, labels = np.arange(len(pred)), truth
    codes = read_labels(labels, "truth")
    if len(codes) != len(rows):
        raise LabelError(
            f"truth has {len(codes):,} labels and pred has {len(rows):,}; give one label per "
            "object, missing outside the sample, or a mapping from the objects of the sample to "
            "their labels."
        )
    if codes.missing is not None:
        rows, codes = rows[~codes.missing], codes.keep(~codes.missing)
    if not len(rows):
        raise LabelError("truth has no label: no object of the sample has one.")
    classes, firsts = consecutive(codes)
    return SampledLabels(rows, classes, codes.restore(firsts), noise_count(codes))


def read_pairs(pairs: Any, pred: Predicted) -> tuple[Rows, Rows, NDArray[np.bool_]]:
    """Return both rows of each pair, and whether it is a match.

    Parameters
    ----------
    pairs : frame, mapping or sequence
        Triples of two objects and whether they belong together; a frame whose first three columns
        hold these; or a mapping from pairs of objects.
    pred : Predicted
        The prediction.

    Returns
    -------
    first, second : ndarray of int
        The rows of both objects.
    match : ndarray of bool
        Whether they belong together.

    Raises
    ------
    LabelError
        If something is no pair, a pair has the same object twice, or the prediction lacks some of
        the objects.

    Examples
    --------
    >>> first, second, match = read_pairs([(0, 1, True), (0, 2, False)], Predicted([0, 0, 1]))
    >>> first.tolist(), second.tolist(), match.tolist()
    ([0, 0], [1, 2], [True, False])
    """
    one, other, said = _three_columns(pairs)
    first, second = pred.rows(one, "truth"), pred.rows(other, "truth")
    same = np.flatnonzero(first == second)
    if len(same):
        raise LabelError(f"pair {int(same[0]) + 1:,} of truth has the same object twice.")
    match = np.array([_is_match(value, k) for k, value in enumerate(said, 1)], bool)
    return first, second, match


def _three_columns(pairs: Any) -> tuple[Any, Any, Any]:
    if is_frame(pairs):
        columns = [np.asarray(column) for _, column in columns_of(pairs)[:3]]
        triples: Any = list(zip(*columns, strict=True)) if len(columns) == 3 else [()]
    elif isinstance(pairs, Mapping):
        triples = [(*_as_tuple(pair), match) for pair, match in pairs.items()]
    elif isinstance(pairs, Iterable) and not isinstance(pairs, str | bytes):
        triples = [_as_tuple(triple) for triple in pairs]
    else:
        raise LabelError(f"truth must be pairs of objects, not {kind_of(pairs)}.")
    if not triples:
        raise LabelError("truth has no pairs.")
    odd = next((k for k, triple in enumerate(triples, 1) if len(triple) != 3), None)
    if odd is not None:
        raise LabelError(
            f"pair {odd:,} of truth must have two objects and whether they belong together."
        )
    one, other, said = zip(*triples, strict=True)
    return one, other, said


def _as_tuple(pair: Any) -> tuple[Any, ...]:
    return tuple(pair) if isinstance(pair, tuple | list | np.ndarray | frozenset) else (pair,)


def _is_match(value: Any, place: int) -> bool:
    known = value.strip().lower() if isinstance(value, str) else value
    if isinstance(known, Hashable):
        if known in YES:
            return True
        if known in NO:
            return False
    raise LabelError(
        f"pair {place:,} of truth must be a match or not (True or False, 1 or 0, yes or no), not "
        f"{show_label(value, 40)!r}."
    )


def object_chances(chances: Any, pred: Predicted, rows: Rows) -> Floats:
    """Return how likely each object of a sample was to be drawn, from numbers by object.

    Parameters
    ----------
    chances : array_like or mapping
        One number per object of the prediction, or the numbers of the sample by object.
    pred : Predicted
        The prediction.
    rows : ndarray of int
        The objects of the sample.

    Returns
    -------
    ndarray
        One number above 0 per object of the sample.

    Raises
    ------
    LabelError
        If a number is lacking, or is not above 0.

    Examples
    --------
    >>> pred, rows = Predicted([0, 0, 1]), np.array([0, 2])
    >>> object_chances([0.5, 0.1, 0.25], pred, rows).tolist()
    [0.5, 0.25]
    >>> object_chances({2: 0.25, 0: 0.5}, pred, rows).tolist()
    [0.5, 0.25]
    """
    names: Any = None
    if isinstance(chances, Mapping):
        names, chances = list(chances), list(chances.values())
    elif pred.index is not None and index_of(chances) is not None:
        names = chances.index
    numbers = _numbers(chances, len(pred) if names is None else len(names), "object")
    if names is not None:
        known = np.full(len(pred), np.nan)
        known[pred.rows(names, "sampling")] = numbers
        numbers = known
    return check_chances(numbers[rows], "object")


def class_chances(chances: Any, pred: Predicted, sampled: SampledLabels) -> Floats:
    """Return how likely each class of a sample was to be drawn: by its name, or by its objects.

    Parameters
    ----------
    chances : array_like or mapping
        Numbers by the name of the class, or one number per object of the prediction.
    pred : Predicted
        The prediction.
    sampled : SampledLabels
        The classes.

    Returns
    -------
    ndarray
        One number above 0 per class of the sample.

    Raises
    ------
    LabelError
        If a number is lacking, is not above 0, or differs between objects of one class.

    Examples
    --------
    >>> pred = Predicted([0, 0, 1])
    >>> sampled = read_sampled(["a", "a", "b"], pred)
    >>> class_chances({"a": 0.5, "b": 0.1}, pred, sampled).tolist()
    [0.5, 0.1]
    """
    if isinstance(chances, Mapping):
        given = [chances.get(name) for name in sampled.names]
        return check_chances(_numbers(given, len(given), "class"), "class")
    each = object_chances(chances, pred, sampled.rows)
    found = np.zeros(len(sampled.names))
    found[sampled.classes] = each
    odd = np.flatnonzero(found[sampled.classes] != each)
    if len(odd):
        name = show_label(sampled.names[sampled.classes[odd[0]]], 40)
        raise LabelError(
            Setting("sampling"),
            f" must be the same for all objects of a class; it is not in {name!r}.",
        )
    return found


def pair_chances(chances: Any, count: int) -> Floats:
    """Return how likely each pair of a sample was to be drawn.

    >>> pair_chances([0.5, 0.25], 2).tolist()
    [0.5, 0.25]
    """
    return check_chances(_numbers(chances, count, "pair"), "pair")


def _numbers(chances: Any, count: int, what: str) -> Floats:
    try:
        numbers = np.asarray(chances, dtype=np.float64)
    except (TypeError, ValueError):
        raise LabelError(
            Setting("sampling"), f" must be a name or one number per {what}."
        ) from None
    if numbers.shape != (count,):
        raise LabelError(
            Setting("sampling"),
            f" must have one number per {what}, {count:,} in all; its shape is {numbers.shape}.",
        )
    return numbers


def check_chances(numbers: Floats, what: str) -> Floats:
    """Return the chances of a sample; each must be known, and above 0."""
    bad = numbers[~(np.isfinite(numbers) & (numbers > 0))]
    if len(bad):
        raise LabelError(
            Setting("sampling"),
            f" must have a number above 0 for each {what} of the sample; it has "
            f"{'none' if np.isnan(bad[0]) else show_label(float(bad[0]))} for {len(bad):,}.",
        )
    return numbers
