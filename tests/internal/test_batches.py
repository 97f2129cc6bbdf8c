"""Silhouettes of single-cell biology, by scikit-learn's silhouettes and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics import silhouette_samples

import clustervet as cv
from clustervet.errors import ClustervetError

RNG = np.random.default_rng(0)
TYPES = RNG.choice(["T", "B", "NK", "DC"], 200, p=[0.5, 0.3, 0.15, 0.05])
BATCHES = np.where(TYPES == "DC", 1, RNG.integers(1, 4, 200))
X = RNG.normal(size=(200, 5)) + 2 * (TYPES == "T")[:, None] + 0.5 * BATCHES[:, None]


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_by_cell_type(metric):
    wanted = (silhouette_samples(X, TYPES, metric=metric).mean() + 1) / 2
    assert cv.silhouette_label(X, TYPES, metric) == pytest.approx(wanted)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_by_batch_within_types(metric):
    parts = []
    for kind in ("T", "B", "NK"):  # DC is in one batch
        kept = kind == TYPES
        widths = silhouette_samples(X[kept], BATCHES[kept], metric=metric)
        parts.append((1 - np.abs(widths)).mean())
    assert cv.silhouette_batch(X, TYPES, BATCHES, metric) == pytest.approx(np.mean(parts))
    sparse = cv.silhouette_batch(sp.csr_matrix(X), TYPES, BATCHES, metric)
    assert sparse == pytest.approx(np.mean(parts))


def test_mixed_batches_are_better_than_batches_apart():
    far = X + 20 * BATCHES[:, None]
    assert cv.silhouette_batch(far, TYPES, BATCHES) < cv.silhouette_batch(X, TYPES, BATCHES)


def test_isolated_labels():
    assert cv.isolated_labels(TYPES, BATCHES) == ["DC"]
    assert cv.isolated_labels(TYPES, BATCHES, most=3) == ["B", "DC", "NK", "T"]
    widths = silhouette_samples(X, TYPES)
    wanted = (widths[TYPES == "DC"].mean() + 1) / 2
    assert cv.isolated_label_silhouette(X, TYPES, BATCHES) == pytest.approx(wanted)
    found = cv.isolated_label_f1(TYPES, BATCHES, isolated=cv.isolated_labels(TYPES, BATCHES))
    assert 0 <= found <= 1  # it takes what is named here


def test_like_scib_metrics():
    """The values that scib-metrics 0.5.10 gives, in double precision.

    With a row of zeros its cosine silhouettes are others: such a row has no angle.
    """
    i = np.arange(60)
    cells = np.stack([(i * 7) % 11 + 6 * (i % 3), (i * 5) % 13 + 3 * (i % 2)], axis=1) + 1.0
    types = np.array(["T", "B", "NK"])[i % 3]
    types[57:] = "DC"
    batches = np.where(types == "DC", 1, (i // 3) % 3)
    assert cv.silhouette_label(cells, types) == pytest.approx(0.5336397661559802, rel=1e-12)
    mixed = cv.silhouette_batch(cells, types, batches)
    assert mixed == pytest.approx(0.8030783285032647, rel=1e-12)
    by_angle = cv.silhouette_label(cells, types, "cosine")
    assert by_angle == pytest.approx(0.47745300391978834, rel=1e-12)
    mixed = cv.silhouette_batch(cells, types, batches, "cosine")
    assert mixed == pytest.approx(0.49461271474609303, rel=1e-12)
    alone = cv.isolated_label_silhouette(cells, types, batches)
    assert alone == pytest.approx(0.2609097968630589, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cv.silhouette_batch(X, TYPES, np.ones(200)), "no cell type has several batches"),
        (lambda: cv.silhouette_batch(X[:9], TYPES, BATCHES), "X has 9 rows and types has 200"),
        (
            lambda: cv.silhouette_batch(X, TYPES, BATCHES[:9]),
            "types and batches must label the same",
        ),
        (lambda: cv.isolated_labels(TYPES, BATCHES, most=0), "most must be a whole number"),
        (lambda: cv.isolated_labels([], []), "types is empty"),
    ],
)
def test_bad_input(call, said):
    with pytest.raises(ClustervetError, match=said):
        call()


def test_distances_in_place_of_features():
    wanted = cv.silhouette_batch(X, TYPES, BATCHES)
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert cv.silhouette_batch(distances, TYPES, BATCHES, "precomputed") == pytest.approx(wanted)


def test_more_refusals():
    backwards = pd.DataFrame(X).iloc[::-1]
    with pytest.raises(ClustervetError, match="same index values in another order"):
        cv.silhouette_batch(backwards, pd.Series(TYPES), BATCHES)
    with pytest.raises(ClustervetError, match="no cell type is in at most 1 batches"):
        cv.isolated_label_silhouette(X, TYPES, np.where(TYPES == "DC", np.arange(200), BATCHES), 1)
    with pytest.raises(ClustervetError, match="types has no label for 1 cells"):
        cv.silhouette_batch(X, [None, *TYPES[1:]], BATCHES)
