"""From clusters to predictions: each cluster gets the label that most of its objects have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import generator
from clustervet.contingency.count import count_labels
from clustervet.labels import plain_label, read_labels
from clustervet.labels.codes import Mask
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.pacmdl.reading import Sample, read_names, read_sample

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Cells:
    """Non-empty cells of labels by clusters, as places in the lists of both."""

    labels: Counts
    clusters: Counts
    counts: Counts

    @property
    def objects(self) -> int:
        """All objects in the table."""
        return int(self.counts.sum())

    def errors(self, assignment: Counts) -> int:
        """Objects whose label is not that of their cluster."""
        return int(self.counts[assignment[self.clusters] != self.labels].sum())


@dataclass(frozen=True, slots=True)
class Transduction:
    """The label of each cluster, and how often it is wrong.

    `clusters` come in an order that the clustering alone fixes, and `assignment` has for each
    the place of its label in `labels`. `label_count` is the number of possible labels.
    `tied` clusters and those `without` a labelled object got theirs at random. `test_known`
    unlabelled objects have a truth, of which `test_errors` differ from the prediction.
    `constant` is the label of most labelled objects.
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

    @property
    def mapping(self) -> dict[Any, Any]:
        """The label of each cluster, by name."""
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
    """Predict the label of every object from its cluster (Banerjee & Langford 2004, §3).

    A cluster gets the label that most of its labelled objects have; a tie is broken at random,
    and a cluster without labelled objects gets any label at random. `labelled` is a mask or
    positions, and by default wherever truth is not missing; the truth of other objects is
    used only to count test errors. `labels` lists the possible labels, or is their number.
    `noise` and `missing` are policies for clusters, as in `Contingency.from_labels`.

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
    return _finished(
        names=names,
        label_count=label_count,
        clusters=[plain_label(name) for name in sample.pred.restore(clusters)],
        assignment=assignment,
        train=train,
        test=test,
        objects=len(sample.labelled),
        chance=(tied, without),
    )


def _counted(sample: Sample, kept: Mask) -> tuple[Any, NDArray[Any], NDArray[Any]]:
    return count_labels(sample.truth.keep(kept), sample.pred.keep(kept), None)


def _aligned(
    counted: tuple[Any, NDArray[Any], NDArray[Any]],
    seen: NDArray[Any],
    to_place: Counts,
    clusters: NDArray[Any],
) -> Cells:
    """The cells of one part, their rows and columns as places in the lists of the whole."""
    cells, rows, cols = counted
    return Cells(
        to_place[np.searchsorted(seen, rows)][cells.rows],
        np.searchsorted(clusters, cols)[cells.cols],
        cells.values,
    )


def _majorities(
    train: Cells, clusters: int, labels: int, rng: np.random.Generator
) -> tuple[Counts, int, int]:
    """The label of each cluster; how many were tied, and how many had no labelled object."""
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


def _finished(
    *,
    names: Sequence[Any],
    label_count: int,
    clusters: Sequence[Any],
    assignment: Counts,
    train: Cells,
    test: Cells | None,
    objects: int,
    chance: tuple[int, int],
) -> Transduction:
    train_sizes = np.bincount(train.labels, train.counts, len(names)).astype(np.int64)
    sizes = train_sizes.copy()
    most = int(train_sizes.argmax())
    if test is not None:
        sizes += np.bincount(test.labels, test.counts, len(names)).astype(np.int64)
    constant = np.full(len(clusters), most)
    return Transduction(
        clusters=tuple(clusters),
        labels=tuple(names),
        label_count=label_count,
        assignment=tuple(assignment.tolist()),
        train_size=train.objects,
        train_errors=train.errors(assignment),
        test_size=objects - train.objects,
        test_known=0 if test is None else test.objects,
        test_errors=None if test is None else test.errors(assignment),
        tied=chance[0],
        without=chance[1],
        constant=names[most],
        constant_train_errors=train.errors(constant),
        constant_test_errors=None if test is None else test.errors(constant),
        largest_share=float(sizes.max() / sizes.sum()),
    )
