"""Labels and features by name: frames, and AnnData."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from anndata import AnnData

import clustervet as cv
from clustervet.errors import ClustervetError

RNG = np.random.default_rng(0)
T = RNG.integers(0, 3, 60)
X = RNG.normal(size=(60, 4)) + 5 * T[:, None]
LABELS = {
    "cell_type": np.array(["T", "B", "NK"])[T],
    "leiden_0.5": np.where(np.arange(60) % 10 == 0, 0, T),
    "leiden_1": np.where(np.arange(60) % 3 == 0, 0, T),
}
FRAME = pd.DataFrame({**LABELS, "x1": X[:, 0], "x2": X[:, 1], "w": np.ones(60)})


# anndata sets an option of pandas 2 where a part of the cells is taken.
pytestmark = pytest.mark.filterwarnings("ignore:The 'mode.chained_assignment' option")


def cells(part=slice(None)):
    """All cells, or a view of a part of them."""
    obs = pd.DataFrame({name: pd.Categorical(x) for name, x in LABELS.items()})
    obs.index = [f"cell{k}" for k in range(60)]
    whole = AnnData(sp.csr_matrix(X), obs=obs, obsm={"X_pca": X[:, :2]})
    return whole if part == slice(None) else whole[part]


@pytest.mark.parametrize("part", [slice(None), slice(10, 60)])
def test_annotated_data(part):
    found = cv.examine(
        cells(part), truth="cell_type", preds=["leiden_0.5", "leiden_1"], features="X_pca"
    )
    assert found.names == ("leiden_0.5", "leiden_1")
    assert found.truth == "cell_type"
    for name in found.names:
        assert found.scores[name]["ari"] == cv.adjusted_rand(T[part], LABELS[name][part])
        assert found.inner[name]["silhouette"] == pytest.approx(
            cv.silhouette(X[part, :2], LABELS[name][part])
        )
    objects = found.diagnoses["leiden_1"].objects(cluster=0, cls="B")
    assert all(str(name).startswith("cell") for name in objects)


def test_patterns_and_the_matrix_itself():
    found = cv.examine(cells(), "leiden_*", truth="cell_type", features="X")
    assert found.names == ("leiden_0.5", "leiden_1")
    assert found.inner["leiden_1"]["ssq"] == pytest.approx(cv.ssq(X, LABELS["leiden_1"]))
    alone = cv.examine(cells(), ["leiden_1"], features=X)
    assert alone.scores is None


@pytest.mark.parametrize("made", [FRAME, pl.DataFrame(FRAME), pa.table(FRAME)])
def test_frames(made):
    found = cv.examine(made, ["leiden_1"], truth="cell_type", features=["x1", "x2"], weights="w")
    assert found.scores["leiden_1"]["ari"] == cv.adjusted_rand(T, LABELS["leiden_1"])
    assert found.feature_names == ("x1", "x2")


def test_the_truth_by_its_own_name():
    found = cv.examine(truth=T, preds={"a": LABELS["leiden_1"]})
    assert found.scores["a"]["ari"] == cv.adjusted_rand(T, LABELS["leiden_1"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"preds": ["leiden_2"], "truth": "cell_type"}, "obs has no column 'leiden_2'; did you"),
        ({"preds": ["leiden_1"], "truth": "type"}, "no column 'type'"),
        (
            {"preds": ["leiden_1"], "features": "X_umap"},
            "obsm has no entry 'X_umap'; there is X, X",
        ),
        ({"preds": ["leiden_1"], "truth": T}, "truth must be the name of a column of obs"),
        ({"preds": None, "truth": "cell_type"}, "preds must be names of columns of obs"),
        ({"preds": [T], "truth": "cell_type"}, "preds must be names of columns of obs"),
        ({"preds": ["leiden_1"], "truth": "cell_type", "weights": "w"}, "no column 'w'"),
    ],
)
def test_names_that_are_wrong(options, said):
    with pytest.raises(ClustervetError, match=said):
        cv.examine(cells(), **options)


def test_two_truths():
    with pytest.raises(ClustervetError, match="two truths are given"):
        cv.examine(T, {"a": T}, truth=T)


def test_names_in_an_index_and_in_an_array():
    names = ["leiden_0.5", "leiden_1"]
    for asked in (pd.Index(names), np.array(names), tuple(names), pd.Series(names)):
        assert cv.examine(FRAME, asked, truth="cell_type").names == tuple(names)
    for columns in (pd.Index(["x1", "x2"]), np.array(["x1", "x2"]), ("x1", "x2")):
        found = cv.examine(FRAME, names, truth="cell_type", features=columns)
        assert found.feature_names == ("x1", "x2")
    matrix = cv.examine(FRAME, names, truth="cell_type", features=X)
    assert matrix.inner is not None


def test_cells_without_a_matrix():
    held = cells()
    held.X = None
    with pytest.raises(ClustervetError, match="there is no matrix X"):
        cv.examine(held, ["leiden_1"], truth="cell_type", features="X")
