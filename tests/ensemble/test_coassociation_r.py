"""Co-association beside R's ConsensusClusterPlus, on the samples that it drew."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import clustervet as cv

R = json.loads((Path(__file__).parent / "r_consensus.json").read_text())


def partial_labels(fit, n):
    labels = np.full(n, None, object)
    labels[fit["rows"]] = fit["labels"]
    return labels


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_consensus_of_pairs_equals_that_of_consensusclusterplus(k):
    matrix = np.array(R["matrices"][k - 2])
    n = len(matrix)
    runs = [partial_labels(fit, n) for fit in R["fits"] if fit["k"] == k]
    found = cv.Ensemble(runs, shared=True).coassociation(0)
    every = np.arange(n)
    np.testing.assert_allclose(found.block(every, every), matrix, rtol=1e-12)
    pairs = matrix[np.triu_indices(n, 1)]
    assert found.pairs.sum() == len(pairs)
    assert found.pac == pytest.approx(np.mean((pairs > 0.1) & (pairs <= 0.9)), rel=1e-12)
    assert found.area == pytest.approx(1 - pairs.mean(), rel=1e-12)
    for value in (0, 0.25, 0.5, 1):
        assert found.cdf(value) == pytest.approx(np.mean(pairs <= value + 1e-12), rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_clusters_and_objects_nearly_have_its_consensus(k):
    """There it is a mean of shares; here all meetings divided by all that could be."""
    classes = np.array(R["classes"][k - 2])
    n = len(classes)
    runs = {f"run {i}": partial_labels(fit, n) for i, fit in enumerate(
        fit for fit in R["fits"] if fit["k"] == k
    )}  # fmt: skip
    whole = cv.Ensemble({"classes": classes, **runs}, shared=True).coassociation("classes")
    # The classes themselves count as one of 16 labelings, in which all are together.
    held = {int(c): v for kk, c, v in R["clusters"] if kk == k}
    for cluster, value in held.items():
        found = whole.clusters[cluster - 1]
        times = 15 * 0.49  # runs that hold both objects of a pair, on average
        assert found == pytest.approx((times * value + 1) / (times + 1), abs=0.02)
