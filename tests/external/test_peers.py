"""Where scikit-learn has the measure too, it gives the same value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

import clustervet as cv

AVERAGES = ["geometric", "arithmetic", "min", "max"]


def _random_labelings() -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(7)
    found = []
    for _ in range(25):
        n = int(rng.integers(40, 300))
        truth = rng.integers(0, rng.integers(2, 9), n)
        pred = np.where(rng.random(n) < rng.random(), truth, rng.integers(0, rng.integers(2, 9), n))
        if len(np.unique(truth)) > 1 and len(np.unique(pred)) > 1:
            found.append((truth, pred))
    return found


LABELINGS = _random_labelings()

PEERS = {
    "rand": metrics.rand_score,
    "adjusted_rand": metrics.adjusted_rand_score,
    "fowlkes_mallows": metrics.fowlkes_mallows_score,
    "homogeneity": metrics.homogeneity_score,
    "completeness": metrics.completeness_score,
    "v_measure": metrics.v_measure_score,
    "adjusted_mutual_information": metrics.adjusted_mutual_info_score,
}


@pytest.mark.parametrize("key", PEERS)
def test_same_value_as_scikit_learn(key: str) -> None:
    for truth, pred in LABELINGS:
        ours = getattr(cv, key)(truth, pred)
        assert math.isclose(ours, PEERS[key](truth, pred), rel_tol=1e-10, abs_tol=1e-10)


def test_same_mutual_information_in_nats() -> None:
    for truth, pred in LABELINGS:
        ours = cv.mutual_information(truth, pred, base=math.e)
        theirs = metrics.mutual_info_score(truth, pred)
        assert math.isclose(ours, theirs, rel_tol=1e-10, abs_tol=1e-10)


@pytest.mark.parametrize("average", AVERAGES)
def test_same_normalized_and_adjusted_information_for_each_average(average: str) -> None:
    for truth, pred in LABELINGS:
        for ours, theirs in (
            (cv.normalized_mutual_information, metrics.normalized_mutual_info_score),
            (cv.adjusted_mutual_information, metrics.adjusted_mutual_info_score),
        ):
            wanted = theirs(truth, pred, average_method=average)
            assert math.isclose(
                ours(truth, pred, average=average), wanted, rel_tol=1e-10, abs_tol=1e-10
            )


@pytest.mark.parametrize("beta", [0.5, 2.0])
def test_same_weighted_v_measure(beta: float) -> None:
    for truth, pred in LABELINGS:
        theirs = metrics.v_measure_score(truth, pred, beta=beta)
        assert math.isclose(cv.v_measure(truth, pred, beta=beta), theirs, rel_tol=1e-10)
