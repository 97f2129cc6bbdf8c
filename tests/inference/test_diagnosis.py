from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv

counts = (
    st.integers(1, 5)
    .flatmap(
        lambda width: st.lists(
            st.lists(st.integers(0, 20), min_size=width, max_size=width), min_size=1, max_size=5
        )
    )
    .filter(lambda rows: any(map(any, rows)))
)


@given(counts)
@settings(max_examples=150, deadline=None)
def test_shares_sum_to_the_whole_over_clusters_and_over_classes(rows):
    table = cv.Contingency.from_counts(rows)
    found = cv.diagnose(table)
    wholes = {
        "vi": cv.variation_of_information(table),
        "q0": cv.dom_q0(table),
        "pair_errors": table.pairs.n10 + table.pairs.n01,
    }
    for parts in (found.clusters, found.classes):
        for name, whole in wholes.items():
            total = math.fsum(getattr(part, name) for part in parts)
            assert total == pytest.approx(whole, rel=1e-12, abs=1e-15), name
    json.loads(found.to_json())


def mended(rows: np.ndarray, repair: cv.Diagnosis) -> cv.Contingency:
    """The table once the repair is done, from its definition."""
    if repair.kind == "merge":
        i, j = repair.clusters
        merged = np.delete(rows, j, axis=1)
        place = i if i < j else i - 1
        merged[:, place] += rows[:, j]
        return cv.Contingency.from_counts(merged)
    (k,) = repair.clusters
    apart = np.zeros((len(rows), 1), rows.dtype)
    apart[repair.split_off] = rows[repair.split_off, k]
    rest = rows.copy()
    rest[repair.split_off, k] = 0
    return cv.Contingency.from_counts(np.hstack([rest, apart]))


@given(counts)
@settings(max_examples=150, deadline=None)
def test_predicted_gains_are_what_the_mended_clustering_scores(rows):
    matrix = np.array(rows)
    table = cv.Contingency.from_counts(matrix)
    for repair in cv.diagnose(table).repairs:
        after = mended(matrix, repair)
        for key, gain, sign in (
            ("vi", repair.vi_gain, -1),
            ("dom_q0", repair.q0_gain, -1),
            ("ari", repair.adjusted_rand_gain, 1),
        ):
            measure = cv.measures[key]
            change = measure.evaluate(after).value - measure.evaluate(table).value
            assert gain == pytest.approx(sign * change, rel=1e-9, abs=1e-12), (key, repair)


def test_a_cluster_is_described_by_its_majority():
    found = cv.diagnose(["a"] * 6 + ["b"] * 6, [0] * 6 + [0] * 2 + [1] * 4)
    first, second = found.clusters
    assert (first.name, first.size, first.majority, first.match) == (0, 8, "a", "a")
    assert first.purity == 0.75
    assert first.recall == 1
    assert first.f == pytest.approx(6 / 7)
    assert first.entropy == pytest.approx(0.8112781244591328)
    assert second.purity == 1
    assert second.recall == pytest.approx(4 / 6)
    by_class = {part.name: part for part in found.classes}
    assert by_class["b"].majority == 1
    assert by_class["b"].purity == pytest.approx(4 / 6)


def test_splits_and_merges_come_in_order_of_cost():
    table = cv.Contingency.from_counts([[50, 50, 0], [0, 5, 45], [0, 0, 30]])
    found = cv.diagnose(table)
    assert [spread.name for spread in found.splits][:1] == [0]
    assert [spread.bits for spread in found.merges] == sorted(
        (spread.bits for spread in found.merges), reverse=True
    )
    assert math.fsum(s.bits for s in found.splits) == pytest.approx(
        cv.inverse_conditional_entropy(table)
    )
    assert math.fsum(s.bits for s in found.merges) == pytest.approx(cv.conditional_entropy(table))


def test_a_class_torn_in_two_is_to_be_merged():
    found = cv.diagnose(["a"] * 40 + ["b"] * 40, [0] * 20 + [1] * 20 + [2] * 40)
    assert found.repairs[0].kind == "merge"
    assert set(found.repairs[0].clusters) == {0, 1}
    assert found.repairs[0].adjusted_rand_gain > 0
    assert "merge clusters 0 and 1" in found.verdict
    assert "split over clusters" in found.verdict


def test_a_perfect_clustering_has_nothing_to_mend():
    found = cv.diagnose([0, 0, 1], [5, 5, 6])
    assert found.verdict == "The clustering is the truth, cluster for class."
    assert found.repairs == []
    assert found.splits == []


def test_noise_only_is_called_what_it_is():
    rng = np.random.default_rng(0)
    found = cv.diagnose(rng.integers(0, 4, 500), rng.integers(0, 4, 500))
    assert found.verdict.startswith("Hardly any agreement")


def test_what_is_left_out_of_a_split_is_counted():
    found = cv.diagnose(np.repeat(range(10), 50), np.arange(500))
    assert "and 47 more" in found.verdict
    assert found.splits[0].number == 50


def test_a_pure_but_split_clustering_is_not_called_chance():
    found = cv.diagnose(np.repeat(range(10), 500), np.arange(5_000) // 5)
    assert "chance" not in found.verdict
    assert "split over clusters (100%" in found.verdict


def test_hostile_names_are_spelled_out():
    evil = "\x1b[31mred\nline"
    found = cv.diagnose([evil, evil, "b", "b"], ["k", "m", "m", "m"])
    assert "\x1b" not in found.verdict
    assert "\\x1b" in json.dumps(found.to_dict()).replace("\\\\", "\\")


def test_large_and_huge_tables_are_diagnosed():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3_000, 60_000)
    pred = np.where(rng.random(60_000) < 0.1, rng.integers(0, 3_000, 60_000), truth)
    found = cv.diagnose(truth, pred)
    assert math.fsum(part.vi for part in found.clusters) == pytest.approx(
        cv.variation_of_information(truth, pred), rel=1e-12
    )
    huge = cv.Contingency.from_counts([[10**20, 10**3], [1, 10**18]])
    assert math.fsum(p.vi for p in cv.diagnose(huge).classes) == pytest.approx(
        cv.variation_of_information(huge), rel=1e-12
    )


def test_counts_whose_pairs_exceed_any_float_are_refused():
    table = cv.Contingency.from_counts([[10**400, 1], [2, 10**399]])
    with pytest.raises(cv.ClustervetError, match=r"needs counts that sum to less than 1e\+150"):
        cv.diagnose(table)


def test_a_weight_that_vanishes_beside_others_has_a_share():
    table = cv.Contingency.from_counts([[1e-300, 1e100], [1e149, 2.5]])
    found = cv.diagnose(table)
    total = sum(cluster.vi for cluster in found.clusters)
    assert total == pytest.approx(cv.variation_of_information(table), rel=1e-12)
    json.loads(found.to_json())
