"""Meilă 2007, Fig. 2: entropies, mutual information and VI of a table, as bars."""

from __future__ import annotations

import math

import numpy as np
import pytest

import clustervet as cv
from clustervet import plots


def entropy(*labels):
    counts = {}
    for key in zip(*labels, strict=True):
        counts[key] = counts.get(key, 0) + 1
    n = sum(counts.values())
    return -sum(c / n * math.log2(c / n) for c in counts.values())


def bars(figure):
    """Where each bar begins and ends, by row."""
    found = {}
    for trace in figure.data:
        for row, start, size in zip(trace.y, trace.base, trace.x, strict=True):
            found.setdefault(row, []).append((start, start + size))
    return {row: sorted(ends) for row, ends in found.items()}


def test_bars_are_the_entropies_and_overlap_in_the_mutual_information():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 4, 200).tolist(), rng.integers(0, 3, 200).tolist()
    figure = plots.information_diagram(truth, pred)
    classes, clusters, both = entropy(truth), entropy(pred), entropy(truth, pred)
    drawn = bars(figure)
    assert drawn[0][0][0] == 0
    assert drawn[0][-1][1] == pytest.approx(classes)
    assert drawn[1][-1][1] - drawn[1][0][0] == pytest.approx(clusters)
    assert drawn[1][-1][1] == pytest.approx(both)
    overlap = drawn[0][-1][1] - drawn[1][0][0]
    assert overlap == pytest.approx(classes + clusters - both)
    apart = sum(end - start for start, end in drawn[2])
    assert apart == pytest.approx(2 * both - classes - clusters)
    assert f"{apart:.3f} bits apart" in figure.layout.meta["title"]


def test_a_table_gives_the_same_figure():
    truth, pred = ["a", "a", "b", "b"], [0, 0, 0, 1]
    table = cv.Contingency.from_labels(truth, pred)
    assert plots.information_diagram(table) == plots.information_diagram(truth, pred)


@pytest.mark.parametrize(("truth", "pred"), [([0, 0, 1], [5, 5, 6]), ([0, 0], [0, 0]), ([0], [1])])
def test_the_same_partition_twice_is_not_apart(truth, pred):
    figure = plots.information_diagram(truth, pred, theme="dark")
    assert "0.000 bits apart" in figure.layout.meta["title"]
