from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import clustervet as cv
from clustervet._kernels.patience import Patience, compiled_always, is_little
from clustervet.contingency.cells import margins

PROGRAM = """
import sys
import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
import clustervet as cv

rng = np.random.default_rng(0)
X = rng.normal(size=(1_500, 4))
y = rng.integers(0, 5, 1_500)
runs = [np.where(rng.random(1_500) < 0.2, rng.integers(0, 5, 1_500), y) for _ in range(3)]
for call in sys.argv[1:]:
    eval(call)
    assert "numba" not in sys.modules, call
"""
CALLS = [
    "cv.external_scores(y, runs[0])",
    "cv.internal_scores(X, y)",
    "cv.internal_scores(X.astype(np.float32), y)",
    "cv.internal_scores(sparse.csr_array(np.maximum(X, 0)), y, metric='cosine')",
    "cv.internal_scores(cdist(X, X), y, metric='precomputed')",
    "cv.silhouettes(X, y, metric='manhattan')",
    "cv.dbcv(X, y, metric='chebyshev')",
    "cv.silhouette(X, y, sample=100)",
    "cv.tune('kmeans', X, values=[2, 3])",
    "cv.distance_matrix(runs)",
    "cv.Ensemble(runs).consensus()",
    "cv.confidence_interval('ari', y, runs[0])",
    "cv.diagnose(y, runs[0])",
    "(cv.Partition(y) | cv.Partition(runs[0])).refines(cv.Partition(y))",
]


def test_little_work_loads_no_compiler():
    subprocess.run([sys.executable, "-c", PROGRAM, *CALLS], check=True)


def test_patience_ends():
    patience = Patience(10)
    assert [patience.allows(4) for _ in range(4)] == [True, True, False, False]


def test_everything_is_compiled_on_request():
    assert is_little(5, 5)
    assert not is_little(6, 5)
    with compiled_always():
        assert not is_little(5, 5)
        assert not Patience(10).allows(1)
    assert is_little(5, 5)


def test_an_error_ends_the_request():
    with pytest.raises(KeyError), compiled_always():
        raise KeyError
    assert is_little(5, 5)


@settings(max_examples=25)
@given(
    st.integers(6, 120),
    st.integers(1, 40),
    st.sampled_from(["euclidean", "sqeuclidean", "cosine", "manhattan", "precomputed"]),
    st.sampled_from([None, 1]),
    st.integers(0, 2**32 - 1),
)
def test_internal_measures_are_the_same_without_a_compiler(n, d, metric, places, seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, d)) + rng.choice([0.0, 1e3])
    points = points if places is None else points.round(places)  # with ties and equal points
    points = cdist(points, points) if metric == "precomputed" else points
    labels = rng.integers(0, 3, n)

    def scores():
        try:
            found = cv.internal_scores(points, labels, metric=metric)
        except cv.ClustervetError as error:
            return {"refused": str(error)}
        return {key: score.value for key, score in found.scores.items()}

    plain = scores()
    with compiled_always():
        compiled = scores()
    assert plain == pytest.approx(compiled, rel=1e-9, abs=1e-9, nan_ok=True)


def test_sums_of_columns_are_the_same_both_ways() -> None:
    rng = np.random.default_rng(0)
    table = cv.Contingency.from_counts(rng.integers(0, 5, (40, 30)))
    plain = margins(table.cells, 30)
    with compiled_always():
        compiled = margins(table.cells, 30)
    for one, other in zip(plain, compiled, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
