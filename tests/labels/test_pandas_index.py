"""Labels, weights and features of pandas: equal indexes, or a refusal, whatever takes them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clustervet as cv
from clustervet.ensemble import distances_to
from clustervet.errors import LabelError
from clustervet.selection import PacMdlSearch

N = 24
RNG = np.random.default_rng(3)
TRUTH = np.repeat([0, 1, 2], N // 3)
PRED = np.where(RNG.random(N) < 0.2, (TRUTH + 1) % 3, TRUTH)
POINTS = RNG.normal(size=(N, 2)) + 5 * TRUTH[:, None]
INDEX = [f"object {k}" for k in range(N)]


def fit(features, labels):
    search = PacMdlSearch(["kmeans"], clusters=[3], runs=1, train=0.5)
    return search.fit(features, labels).best_bound_.max_errors


def choose(features, labels, **options):
    made = {"algorithms": ["kmeans"], "clusters": [3], "runs": 1, **options}
    return cv.select(features, labels, **made).best.max_errors


# Each takes two things that stand for the same objects, and returns what can be compared.
LABELS = {
    "measure": cv.adjusted_rand,
    "table": lambda a, b: cv.Contingency.from_labels(a, b).to_dict(),
    "scores": lambda a, b: cv.external_scores(a, b, measures=["rand"])["rand"],
    "truths": lambda a, b: cv.external_scores([a, b], PRED)["product"]["rand"],
    "preds": lambda a, b: cv.external_scores(TRUTH, {"a": a, "b": b})["b"]["rand"],
    "judge": lambda a, b: cv.judge(a, {"b": b}).scores["b"]["rand"],
    "comparison": lambda a, b: cv.compare_predictions(a, b, PRED, resamples=20).difference,
    "ranking": lambda a, b: cv.rank_predictions(a, {"b": b, "c": PRED}, resamples=20).values,
    "chance": lambda a, b: cv.chance("rand", a, b).value,
    "interval": lambda a, b: cv.confidence_interval("rand", a, b, resamples=20, random_state=0).low,
    "diagnosis": lambda a, b: cv.diagnose(a, b).pair_errors,
    "distances": lambda a, b: cv.distance_matrix([a, b]).matrix[0, 1],
    "ensemble": lambda a, b: cv.Ensemble({"a": a, "b": b}).distances["a", "b"],
    "query": lambda a, b: cv.Ensemble([a, a]).nearest(b).distances[0],
    "query alone": lambda a, b: distances_to(b, [a])[0],
    "bound": lambda a, b: cv.pac_mdl_bound(a, b, labelled=range(12)).max_errors,
    "evidence": lambda a, b: cv.examine(a, {"b": b}, measures=["rand"]).scores["b"]["rand"],
}
POINTED = {
    "inner measure": cv.silhouette,
    "inner scores": lambda x, b: cv.internal_scores(x, b, measures=["ssq"])["ssq"],
    "several": lambda x, b: cv.internal_scores(x, {"b": b}, measures=["ssq"])["b"]["ssq"],
    "silhouettes": lambda x, b: cv.silhouettes(x, b).clusters,
    "geometry": lambda x, b: cv.Geometry(x, b).within.tolist(),
    "selection": choose,
    "search": fit,
    "evidence": lambda x, b: cv.examine(None, {"b": b}, features=x).inner["b"]["ssq"],
}
WEIGHED = {
    "measure": lambda a, w: cv.adjusted_rand(a, PRED, weights=w),
    "evidence": lambda a, w: cv.examine(a, {"b": PRED}, weights=w, measures=["rand"]).scores["b"][
        "rand"
    ],
    "mask": lambda a, w: cv.pac_mdl_bound(a, PRED, labelled=w > 1).max_errors,
    "choice": lambda a, w: choose(POINTS, a, labelled=w > 1),
}
PAIRS = [
    *((f"labels, {name}", ask, TRUTH, PRED) for name, ask in LABELS.items()),
    *((f"points, {name}", ask, POINTS, TRUTH) for name, ask in POINTED.items()),
    *((f"weights, {name}", ask, TRUTH, 1 + np.arange(N) % 2) for name, ask in WEIGHED.items()),
]
everywhere = pytest.mark.parametrize(
    ("ask", "one", "other"), [pair[1:] for pair in PAIRS], ids=[pair[0] for pair in PAIRS]
)


def indexed(values, index):
    return pd.DataFrame(values, index) if np.ndim(values) == 2 else pd.Series(values, index)


def same(found, wanted):
    """Whether two answers are equal, whatever they are made of."""
    return bool(np.all(np.asarray(found) == np.asarray(wanted))) or found == wanted


@everywhere
def test_another_order_of_the_index_is_refused(ask, one, other):
    order = np.random.default_rng(0).permutation(N)
    with pytest.raises(LabelError, match="the same index values in another order"):
        ask(indexed(one, INDEX), indexed(other, INDEX).iloc[order])
    shifted = pd.RangeIndex(5, N + 5)
    with pytest.raises(LabelError, match="different indexes, with 19 of 24 values in both"):
        ask(indexed(one, None), indexed(other, shifted))


@everywhere
def test_equal_indexes_are_those_of_plain_arrays(ask, one, other):
    wanted = ask(one, other)
    assert same(ask(indexed(one, INDEX), indexed(other, INDEX)), wanted)
    assert same(ask(indexed(one, None), indexed(other, list(range(N)))), wanted)
    assert same(ask(indexed(one, INDEX), other), wanted)
    assert same(ask(one, indexed(other, INDEX)), wanted)


@given(order=st.permutations(range(8)), pred=st.lists(st.integers(0, 2), min_size=8, max_size=8))
def test_a_permuted_index_never_gives_the_value_of_positions(order, pred):
    truth = pd.Series([0, 0, 0, 1, 1, 2, 2, 2])
    moved = pd.Series(pred).iloc[order]
    wanted = cv.adjusted_rand(truth.to_numpy(), np.array(pred))
    if list(order) == sorted(order):
        assert cv.adjusted_rand(truth, moved) == wanted
        return
    with pytest.raises(LabelError, match="the same index values in another order"):
        cv.adjusted_rand(truth, moved)
    assert cv.adjusted_rand(truth, moved.reindex(truth.index)) == wanted


def test_columns_of_a_filtered_frame_share_their_index():
    frame = pd.DataFrame({"y": TRUTH, "c": PRED}).query("c != 1")
    wanted = cv.adjusted_rand(frame["y"].to_numpy(), frame["c"].to_numpy())
    assert cv.adjusted_rand(frame["y"], frame["c"]) == wanted
    assert cv.Contingency.from_frame(frame, truth="y", pred="c") == cv.Contingency.from_labels(
        frame["y"], frame["c"]
    )


@pytest.mark.parametrize(
    "index",
    [
        [0, 0, 1, 1],
        pd.MultiIndex.from_product([["a", "b"], [1, 2]]),
        pd.date_range("2024-01-01", periods=4),
        [None, 1, "x", 2.5],
    ],
    ids=["repeated", "levels", "dates", "mixed"],
)
def test_indexes_of_any_kind(index):
    truth, pred = pd.Series([0, 0, 1, 1], index), pd.Series([0, 1, 1, 1], index)
    assert cv.rand(truth, pred) == cv.rand([0, 0, 1, 1], [0, 1, 1, 1])
    turned = pred.iloc[::-1]
    with pytest.raises(LabelError, match=r"pass \.to_numpy\(\) to pair them by position"):
        cv.rand(truth, turned)
    assert cv.rand(truth.to_numpy(), turned.to_numpy()) == cv.rand([0, 0, 1, 1], [1, 1, 1, 0])


def test_unequal_numbers_are_refused_as_such():
    with pytest.raises(LabelError, match="truth has 24 labels and pred has 20"):
        cv.rand(pd.Series(TRUTH), pd.Series(PRED).iloc[:20])


def test_what_has_no_index_is_positional():
    turned = pd.Series(PRED, INDEX[::-1])
    for plain in (TRUTH, TRUTH.tolist(), pl.Series(TRUTH), pd.Categorical(TRUTH), pd.Index(TRUTH)):
        assert cv.rand(plain, turned) == cv.rand(TRUTH, PRED)


def test_levels_beside_an_index_without_levels_are_refused():
    levels = pd.MultiIndex.from_product([["a", "b"], [1, 2]])
    with pytest.raises(LabelError, match="different indexes, with 0 of 4 values in both"):
        cv.rand(pd.Series([0, 0, 1, 1], levels), pd.Series([0, 1, 1, 1], list("wxyz")))


def test_points_and_labels_of_pictures_and_benchmarks_have_one_index():
    points, turned = pd.DataFrame(POINTS, INDEX), pd.Series(PRED, INDEX).iloc[::-1]
    with pytest.raises(LabelError, match="the same index values in another order"):
        cv.plots.points_plot(points, turned)
    with pytest.raises(LabelError, match="set 's': X and y have the same index values in another"):
        cv.benchmark({"s": (points, turned)}, "kmeans", runs=1)
