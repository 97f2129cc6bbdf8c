"""The measures of other fields beside the tools of these fields, each on what it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import clustervet as cv
from compare import rows
from harness import Contender, Row, Scale, at_least, race, size_of
from labels import Labels, moved

TWENTY = 20


def run(scale: Scale) -> Iterator[Row]:
    """A million mentions or records, a volume of 100 million voxels, an hour of speech."""
    yield from _coreference(scale)
    yield from _linkage(scale)
    yield from _segmentation(scale)
    yield from _diarisation(scale)


def _raced(
    scale: Scale,
    measure: str,
    ours: Callable[[], float],
    peer: str,
    theirs: Callable[[], float],
    size: str,
) -> list[Row]:
    mine, peers = race(scale, ours, [Contender(peer, theirs)])
    return rows(mine, peers, what=measure, size=size, goals={peer: at_least(TWENTY)})


def _coreference(scale: Scale) -> Iterator[Row]:
    """Entities as sets of mentions are at hand for the peer; here labels are counted first."""
    from neleval import coref_metrics

    np.int = int  # type: ignore[attr-defined]  # numpy had it when neleval was made
    peers = {
        "muc_f1": coref_metrics.muc,
        "bcubed_f1": coref_metrics.b_cubed,
        "ceaf_e_f1": coref_metrics.entity_ceaf,
    }
    n, entities = scale(1_000_000), scale(300_000)
    # The peer looks at all pairs of entities: 3,000 of them take it two minutes, and the matrix
    # for 300,000 does not fit into memory.
    few = 6_000, 2_000
    for measure, peer in peers.items():
        sizes = [(n, entities), few] if measure == "ceaf_e_f1" else [(n, entities)]
        for mentions, groups in sizes:
            truth, pred = moved(mentions, groups)
            sets = _sets(truth), _sets(pred)
            yield from _raced(
                scale,
                measure,
                partial(cv.measures[measure], truth, pred),
                "neleval",
                partial(_f1, peer, *sets),
                size_of(mentions, groups),
            )


def _sets(labels: Labels) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for at, label in enumerate(labels.tolist()):
        found[label].add(at)
    return dict(found)


def _f1(measure: Callable[..., Any], truth: Any, pred: Any) -> float:
    p_num, p_den, r_num, r_den = measure(truth, pred)
    precision, recall = p_num / p_den, r_num / r_den
    return 2 * precision * recall / (precision + recall)


def _linkage(scale: Scale) -> Iterator[Row]:
    import er_evaluation as er
    import pandas as pd

    n, entities = scale(1_000_000), scale(300_000)
    truth, pred = moved(n, entities)
    series = pd.Series(pred), pd.Series(truth)
    peers = {
        "pair_precision": er.metrics.pairwise_precision,
        "pair_f1": er.metrics.pairwise_f,
        "cluster_f1": er.metrics.cluster_f,
    }
    for measure, peer in peers.items():
        yield from _raced(
            scale,
            measure,
            partial(cv.measures[measure], truth, pred),
            "er-evaluation",
            partial(peer, *series),
            size_of(n, entities),
        )


def _segmentation(scale: Scale) -> Iterator[Row]:
    from skimage import metrics

    slices = scale(100, least=10)
    # Segments are boxes of two slices; the found ones lie a little to the side.
    boxes = np.arange(slices // 2 * 400, dtype=np.int32).reshape(slices // 2, 20, 20)
    truth = np.kron(boxes, np.ones((2, 50, 50), np.int32))
    images = truth, np.roll(truth, 3, axis=2)
    size = f"{slices} x 1,000 x 1,000 voxels, {boxes.size:,} segments"

    def ours(measure: str) -> float:
        return cv.measures[measure](cv.Contingency.from_images(*images))

    def their_error() -> float:
        return float(metrics.adapted_rand_error(*images, ignore_labels=())[0])

    def their_information() -> float:
        return float(sum(metrics.variation_of_information(*images)))

    peers = {
        "adapted_rand_error": their_error,
        "variation_of_information": their_information,
    }
    for measure, peer in peers.items():
        yield from _raced(scale, measure, partial(ours, measure), "scikit-image", peer, size)


def _diarisation(scale: Scale) -> Iterator[Row]:
    from pyannote.core import Annotation, Segment
    from pyannote.metrics.diarization import DiarizationPurity

    rng = np.random.default_rng(0)
    n = scale(2_000)
    sides, annotations = [], []
    for speakers in (5, 6):
        edges = np.cumsum(rng.random(n + 1) + 0.1).tolist()
        side = [(a, b, int(rng.integers(speakers))) for a, b in pairwise(edges)]
        sides.append(side)
        made = Annotation()
        for track, (start, end, label) in enumerate(side):
            made[Segment(start, end), track] = label
        annotations.append(made)

    def ours() -> float:
        return cv.purity(cv.Contingency.from_segments(*sides))

    yield from _raced(
        scale,
        "purity of speakers",
        ours,
        "pyannote.metrics",
        lambda: float(DiarizationPurity()(*annotations)),
        f"{n:,} stretches of speech",
    )
