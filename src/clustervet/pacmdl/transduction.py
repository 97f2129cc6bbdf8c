"""From clusters to predictions: each cluster gets the label that most of its objects have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator, whole
from clustervet.contingency.count import count_labels
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.labels import (
    Codes,
    check_index,
    encode_all,
    noise_count,
    plain_label,
    read_labels,
    show_label,
)
from clustervet.labels.codes import Mask
from clustervet.labels.pair import Missing, NoisePolicy

Counts = NDArray[np.int64]
YES = frozenset({"true", "t", "yes", "y", "1", "1.0"})
NO = frozenset({"false", "f", "no", "n", "0", "0.0"})


@dataclass(frozen=True, slots=True)
class Cells:
    """Non-empty cells of labels by clusters, as positions in the lists of both."""

    labels: Counts
    clusters: Counts
    counts: Counts

    @property
    def objects(self) -> int:
        """Number of objects in the table."""
        return int(self.counts.sum())

    def errors(self, assignment: Counts) -> int:
        """Number of objects whose label is not that of their cluster."""
        return int(self.counts[assignment[self.clusters] != self.labels].sum())


@dataclass(frozen=True, slots=True)
class Transduction:
    """The label of each cluster, and how often it is wrong.

    Parameters
    ----------
    clusters : tuple
        Names of the clusters, in an order that depends on the clustering alone.
    labels : tuple
        Names of the labels.
    label_count : int
        Number of possible labels.
    assignment : tuple of int
        For each cluster the position of its label in `labels`.
    train_size : int
        Number of labelled objects.
    train_errors : int
        Number of labelled objects whose label is not that of their cluster.
    test_size : int
        Number of unlabelled objects.
    test_known : int
        Number of unlabelled objects whose truth was given.
    test_errors : int or None
        Number of these whose truth differs from the prediction; None if there are none.
    tied : int
        Number of clusters whose label was drawn because of a tie.
    without : int
        Number of clusters without labelled objects, whose label was drawn.
    constant : object
        The most common label among the labelled objects.
    constant_train_errors : int
        Number of labelled objects with another label than `constant`.
    constant_test_errors : int or None
        The same among the unlabelled objects whose truth was given.
    largest_share : float
        Share of the most common label among all objects whose truth is known.
    noise_as_cluster : tuple of int
        Number of objects whose label is -1, and of those whose cluster is -1 where no policy said
        what that means.
    left_out_errors : float
        Number of labelled objects that are predicted wrongly if each is left out of the vote of
        its own cluster; a tie counts as half an error.

    Examples
    --------
    >>> found = transduce(["a", "a", "b", None], [0, 0, 1, 1])
    >>> found.clusters, found.assignment, found.labels
    ((0, 1), (0, 1), ('a', 'b'))
    """

    clusters: tuple[Any, ...]
    labels: tuple[Any, ...]
    label_count: int
    assignment: tuple[int, ...]
    train_size: int
    train_errors: int
    test_size: int
    test_known: int
    test_errors: int | None
    tied: int
    without: int
    constant: Any
    constant_train_errors: int
    constant_test_errors: int | None
    largest_share: float
    noise_as_cluster: tuple[int, int] = (0, 0)
    left_out_errors: float = 0.0

    @property
    def mapping(self) -> dict[Any, Any]:
        """Label of each cluster, by name."""
        return {
            cluster: self.labels[code]
            for cluster, code in zip(self.clusters, self.assignment, strict=True)
        }


def transduce(
    truth: Any,
    pred: Any,
    labelled: Any = None,
    *,
    labels: Any = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    random_state: Any = 0,
) -> Transduction:
    """Predict the label of every object from its cluster.

    Parameters
    ----------
    truth : array_like
        Label of each object; may be missing where an object is unlabelled.
    pred : array_like
        Cluster of each object. Two pandas series must have equal indexes.
    labelled : array_like, optional
        Mask or positions of the labelled objects; by default those whose truth is not missing. The
        truth of the other objects is used only to count test errors.
    labels : int or iterable, optional
        The possible labels, or their number; by default all labels in `truth`.
    noise : label, str or dict, optional
        Cluster that means noise, a policy for the cluster -1, or a policy per cluster.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise. By default it is kept as one more cluster.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        What to do with missing clusters.
    random_state : int, Generator or None, default 0
        Seed for ties, and for clusters without labelled objects.

    Returns
    -------
    Transduction
        The label of each cluster, and the numbers of errors.

    Raises
    ------
    LabelError
        If the labels cannot be read, no object is labelled, or a labelled object has no truth.
    ParameterError
        If `labelled` or another parameter cannot be read.

    Notes
    -----
    A cluster gets the label that most of its labelled objects have. A tie is broken at random, and
    a cluster without labelled objects gets a random label (Banerjee & Langford 2004, §3).

    Examples
    --------
    >>> found = transduce(["a", "a", "b", None, None], [0, 0, 1, 1, 0])
    >>> found.mapping, found.train_errors, found.test_size
    ({0: 'a', 1: 'b'}, 0, 2)
    """
    sample = read_sample(
        truth, pred, labelled, noise=noise, noise_policy=noise_policy, missing=missing
    )
    rng = generator(random_state)
    apart = sample.known & ~sample.labelled
    train_table = _counted(sample, sample.labelled)
    test_table = _counted(sample, apart) if apart.any() else None
    seen = train_table[1] if test_table is None else np.union1d(train_table[1], test_table[1])
    names, label_count = read_names(labels, list(sample.truth.restore(seen)))
    place = {name: k for k, name in enumerate(names)}
    to_place = np.array([place[plain_label(name)] for name in sample.truth.restore(seen)], np.int64)
    clusters = count_labels(read_labels(sample.labelled), sample.pred, None)[2]
    train = _aligned(train_table, seen, to_place, clusters)
    test = None if test_table is None else _aligned(test_table, seen, to_place, clusters)
    assignment, tied, without = _majorities(train, len(clusters), len(names), rng)
    train_sizes = np.bincount(train.labels, train.counts, len(names)).astype(np.int64)
    sizes = train_sizes.copy()
    most = int(train_sizes.argmax())
    if test is not None:
        sizes += np.bincount(test.labels, test.counts, len(names)).astype(np.int64)
    constant = np.full(len(clusters), most)
    return Transduction(
        clusters=tuple(plain_label(name) for name in sample.pred.restore(clusters)),
        labels=tuple(names),
        label_count=label_count,
        assignment=tuple(assignment.tolist()),
        train_size=train.objects,
        train_errors=train.errors(assignment),
        test_size=len(sample.labelled) - train.objects,
        test_known=0 if test is None else test.objects,
        test_errors=None if test is None else test.errors(assignment),
        tied=tied,
        without=without,
        constant=names[most],
        constant_train_errors=train.errors(constant),
        constant_test_errors=None if test is None else test.errors(constant),
        largest_share=float(sizes.max() / sizes.sum()),
        noise_as_cluster=sample.noise_as_cluster,
        left_out_errors=_left_out(train, len(clusters)),
    )


def _left_out(train: Cells, clusters: int) -> float:
    """Errors if each object is left out of its cluster's vote; a tie is half an error.

    Objects of another label than the first stay wrong. Those of the first label become wrong if
    one vote less makes it second, and tied if it makes both equal.
    """
    order = np.lexsort((-train.counts, train.clusters))
    held, counts = train.clusters[order], train.counts[order]
    sizes = np.bincount(held, minlength=clusters)
    begin = np.cumsum(sizes) - sizes
    first, second = np.zeros(clusters, np.int64), np.zeros(clusters, np.int64)
    first[sizes > 0] = counts[begin[sizes > 0]]
    second[sizes > 1] = counts[begin[sizes > 1] + 1]
    ahead = first - 1 - second
    lost = np.where(ahead < 0, 1.0, np.where(ahead == 0, 0.5, 0.0))
    return float(train.objects - first.sum() + (lost * first).sum())


def _counted(sample: Sample, kept: Mask) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    return count_labels(sample.truth.keep(kept), sample.pred.keep(kept), None)


def _aligned(
    counted: tuple[Any, NDArray[Any], NDArray[Any]],
    seen: NDArray[Any],
    to_place: Counts,
    clusters: NDArray[Any],
) -> Cells:
    """The cells of one part; rows and columns are positions in the lists of the whole."""
    cells, rows, cols = counted
    return Cells(
        to_place[np.searchsorted(seen, rows)][cells.rows],
        np.searchsorted(clusters, cols)[cells.cols],
        cells.values,
    )


def _majorities(
    train: Cells, clusters: int, labels: int, rng: np.random.Generator
) -> tuple[Counts, int, int]:
    """The label of each cluster, the number of ties, and of clusters without labelled objects."""
    peaks = np.zeros(clusters, np.int64)
    np.maximum.at(peaks, train.clusters, train.counts)
    top = np.flatnonzero(train.counts == peaks[train.clusters])
    top = top[np.lexsort((train.labels[top], train.clusters[top]))]
    candidates = np.bincount(train.clusters[top], minlength=clusters)
    ways = np.where(candidates == 0, labels, candidates)
    drawn = np.zeros(clusters, np.int64)
    drawn[ways > 1] = rng.integers(ways[ways > 1])
    first = np.cumsum(candidates) - candidates
    assignment = drawn.copy()
    found = candidates > 0
    assignment[found] = train.labels[top[(first + drawn)[found]]]
    return assignment, int((candidates > 1).sum()), int((candidates == 0).sum())


@dataclass(frozen=True, slots=True)
class Sample:
    """Truth and clusters of the same objects; `known` marks where the truth is not missing."""

    truth: Codes
    pred: Codes
    labelled: Mask
    known: Mask
    noise_as_cluster: tuple[int, int] = (0, 0)


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
    check_index({"truth": truth, "pred": pred})
    unread = noise_count(clusters) if noise is None and noise_policy is None else 0
    places = Codes(np.arange(len(classes)), lambda codes: codes, _finds_nothing)
    known = np.ones(len(classes), bool) if classes.missing is None else ~classes.missing
    train = known
    if labelled is not None:
        train = _mask(labelled, len(classes))
        check_index({"truth": truth, "pred": pred, "labelled": labelled})
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
    return Sample(classes, clusters, train, known, (noise_count(classes), unread))


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
