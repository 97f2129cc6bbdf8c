"""A table that stays in its engine gives the measures of the same table at home."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from engine_frames import ENGINES

import clustervet as cv
from clustervet import EngineTable
from clustervet.errors import LabelError, ParameterError, TableError

KEYS = [
    *("rand", "adjusted_rand", "jaccard", "fowlkes_mallows", "mirkin", "pair_precision"),
    *("pair_recall", "pair_f1", "hubert_gamma", "mutual_information", "class_entropy"),
    *("conditional_entropy", "variation_of_information", "normalized_mutual_information"),
    *("adjusted_mutual_information", "homogeneity", "completeness", "v_measure"),
    *("dom_q0", "dom_q1", "dom_q2"),
]


def columns(seed, size=3_000):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 12, size)
    pred = np.where(rng.random(size) < 0.6, truth, rng.integers(0, 700, size))
    return truth, pred


@pytest.mark.parametrize("engine", ["polars_lazy", "duckdb", "dask", "ibis", "pandas"])
def test_measures_of_a_table_that_stays_where_it_is(engine):
    truth, pred = columns(3)
    frame = ENGINES[engine](pa.table({"y": truth, "c": pred}))
    there = EngineTable.from_frame(frame, truth="y", pred="c")
    here = cv.Contingency.from_labels(truth, pred)
    assert (there.n, there.shape, there.pairs) == (here.n, here.shape, here.pairs)
    for key in KEYS:
        record = cv.measures[key]
        got, wanted = record.evaluate(there).value, record.evaluate(here).value
        assert got == pytest.approx(wanted, rel=1e-11, abs=1e-13), key


def test_identical_partitions_are_perfect_there_too():
    frame = ENGINES["duckdb"](pa.table({"y": [1, 1, 2, 3], "c": ["b", "b", "a", "c"]}))
    there = EngineTable.from_frame(frame, truth="y", pred="c")
    for key in KEYS:
        perfect = cv.measures[key].perfect
        assert perfect is None or cv.measures[key].evaluate(there).value == perfect
    here = cv.Contingency.from_labels([1, 1, 2, 3], ["b", "b", "a", "c"]).entropies
    assert there.entropies == pytest.approx(here, rel=1e-15)
    assert there.entropies[2:4] == (0.0, 0.0)


def test_clusters_of_one_leave_chance_as_much_information_as_there_is():
    frame = ENGINES["duckdb"](pa.table({"y": [1, 1, 2, 3], "c": [0, 1, 2, 3]}))
    there = EngineTable.from_frame(frame, truth="y", pred="c")
    assert there.expected_mutual_information == there.entropies.mutual
    assert there.entropies.mutual == pytest.approx(1.5 * math.log(2))


def test_a_table_in_an_engine_has_no_other_attributes():
    frame = ENGINES["duckdb"](pa.table({"y": [1, 2]}))
    there = EngineTable.from_frame(frame, truth="y", pred="y")
    with pytest.raises(AttributeError, match=r"^a table in an engine has no colour\.$"):
        there.colour  # noqa: B018  # asked for
    assert not hasattr(there, "_cells")


def test_missing_labels_have_their_policy():
    table = pa.table({"y": [1.0, None, float("nan"), 2.0], "c": ["a", "a", "b", None]})
    frame = ENGINES["duckdb"](table)
    with pytest.raises(LabelError, match="truth has 2 missing labels"):
        EngineTable.from_frame(frame, truth="y", pred="c")
    assert EngineTable.from_frame(frame, truth="y", pred="c", missing="drop").n == 1
    kept = EngineTable.from_frame(frame, truth="y", pred="c", missing="class")
    assert (kept.n, kept.shape, kept.pairs.n10) == (4, (3, 3), 1)
    with pytest.raises(ParameterError, match="missing must be"):
        EngineTable.from_frame(frame, truth="y", pred="c", missing="ignore")


def test_no_rows_are_refused():
    frame = ENGINES["duckdb"](pa.table({"y": pa.array([], pa.int64())}))
    with pytest.raises(LabelError, match="no rows"):
        EngineTable.from_frame(frame, truth="y", pred="y")


def test_a_measure_that_needs_cells_is_refused():
    frame = ENGINES["duckdb"](pa.table({"y": [1, 1, 2], "c": [1, 2, 2]}))
    there = EngineTable.from_frame(frame, truth="y", pred="c")
    for key in ("purity", "matching_accuracy", "bcubed_f1", "van_dongen"):
        with pytest.raises(TableError, match="needs the cells of the table"):
            cv.measures[key](there)
    card = cv.external_scores(there)
    assert card["rand"] == cv.rand([1, 1, 2], [1, 2, 2])
    assert math.isnan(card["purity"])
    assert "it needs the cells of the table" in str(card.to_dict())
    for asked in (
        lambda: cv.external_scores(there, confidence=0.95),
        lambda: cv.confidence_interval("ari", there),
        lambda: cv.chance("ari", there),
        lambda: cv.diagnose(there),
        lambda: cv.sample_size("ari", there, width=0.1),
    ):
        with pytest.raises(TableError, match="needs the cells of a table"):
            asked()
    with pytest.raises(ParameterError, match="either one table or labels"):
        cv.rand(there, [1, 2, 2])
    assert repr(there).startswith("EngineTable of 3 objects: 2 classes x 2 clusters, 3 non-empty")


def test_half_a_million_cells_come_home_as_a_handful_of_sizes():
    import duckdb

    frame = duckdb.sql("SELECT i % 500000 AS y, i // 2 % 250000 AS c FROM range(1500000) t(i)")
    there = EngineTable.from_frame(frame, truth="y", pred="c")
    assert dict(there.sizes.cells) == {3: 500_000}
    assert dict(there.sizes.clusters) == {6: 250_000}
    assert there.pairs.n11 == 3 * 500_000
    assert there.entropies.mutual == pytest.approx(math.log(250_000), rel=1e-13)


def test_information_close_to_chance_has_a_value_there_too():
    rng = np.random.default_rng(282)
    truth, pred = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    frame = ENGINES["duckdb"](pa.table({"y": truth, "c": pred}))
    there = EngineTable.from_frame(frame, truth="y", pred="c")
    here = cv.Contingency.from_labels(truth, pred)
    value = cv.adjusted_mutual_information(here)
    assert abs(value) < 1e-4
    assert cv.adjusted_mutual_information(there) == pytest.approx(value, abs=1e-13)
    assert cv.dom_q1(there) == pytest.approx(cv.dom_q1(here), abs=1e-13)
