from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import clustervet as cv
from clustervet.errors import ParameterError

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
@settings(max_examples=150)
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


def labels_of(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One label per object, from a table of counts."""
    classes, clusters = np.indices(rows.shape)
    return np.repeat(classes, rows.ravel()), np.repeat(clusters, rows.ravel())


def mended(truth: np.ndarray, pred: np.ndarray, repair: Any) -> np.ndarray:
    """The clusters once the repair is done, object by object."""
    after = pred.copy()
    if repair.kind == "merge":
        i, j = repair.clusters
        after[pred == j] = i
    else:
        left = (pred == repair.clusters[0]) & (truth == repair.split_off)
        after[left] = pred.max() + 1 if repair.kind == "split" else repair.clusters[1]
    return after


def exact_vi(truth: np.ndarray, pred: np.ndarray) -> mpf:
    """Meilă 2007, eq. 15, in bits."""
    both = Counter(zip(truth.tolist(), pred.tolist(), strict=True)).values()
    sides = [Counter(side.tolist()).values() for side in (truth, pred)]
    f = [mp.fsum(x * mp.log(x, 2) for x in counts) for counts in (*sides, both)]
    return (f[0] + f[1] - 2 * f[2]) / len(truth)


def exact_rand(truth: np.ndarray, pred: np.ndarray) -> Fraction:
    """Hubert & Arabie 1985, eq. 5."""
    both = Counter(zip(truth.tolist(), pred.tolist(), strict=True)).values()
    sides = [Counter(side.tolist()).values() for side in (truth, pred)]
    n11, p, q = (sum(math.comb(x, 2) for x in counts) for counts in (both, *sides))
    expected = Fraction(p * q, max(1, math.comb(len(truth), 2)))
    room = Fraction(p + q, 2) - expected
    return (n11 - expected) / room if room else Fraction(1)


def exact_q0(truth: np.ndarray, pred: np.ndarray) -> mpf:
    """Dom 2001, eq. 11, in bits."""
    both, sizes = Counter(zip(truth.tolist(), pred.tolist(), strict=True)), Counter(pred.tolist())
    given = mp.fsum(x * mp.log(mpf(sizes[k]) / x, 2) for (_, k), x in both.items())
    kinds = len(set(truth.tolist())) - 1
    cost = mp.fsum(mp.log(math.comb(size + kinds, kinds), 2) for size in sizes.values())
    return (given + cost) / len(truth)


@given(counts)
@settings(max_examples=150)
def test_predicted_gains_are_what_the_mended_clustering_scores(rows):
    truth, pred = labels_of(np.array(rows))
    found = cv.diagnose(truth, pred, most=1_000, level=1)
    with mp.workdps(40):
        before = exact_vi(truth, pred), exact_q0(truth, pred), exact_rand(truth, pred)
        for repair in found.repairs:
            after = mended(truth, pred, repair)
            scores = exact_vi(truth, after), exact_q0(truth, after), exact_rand(truth, after)
            vi, q0, rand = (float(b - a) for b, a in zip(before, scores, strict=True))
            assert repair.vi_gain == pytest.approx(vi, rel=1e-9, abs=1e-13), repair
            assert repair.q0_gain == pytest.approx(q0, rel=1e-9, abs=1e-13), repair
            assert repair.adjusted_rand_gain == pytest.approx(-rand, rel=1e-9, abs=1e-13), repair
            assert repair.vi_gain_per_object == repair.vi_gain / repair.objects
    assert found.repairs == sorted(found.repairs, key=lambda r: -r.vi_gain)
    assert found.repairs_per_object == sorted(found.repairs, key=lambda r: -r.vi_gain_per_object)


@given(counts)
@settings(max_examples=100)
def test_the_objects_of_a_repair_are_those_that_change_their_cluster(rows):
    truth, pred = labels_of(np.array(rows))
    for repair in cv.diagnose(truth, pred, most=1_000, level=1).repairs:
        changed = int(np.count_nonzero(mended(truth, pred, repair) != pred))
        if repair.kind == "move":
            assert repair.objects == changed
            assert f"move the {repair.objects} object" in repair.action
        else:  # either part may keep the name of the cluster
            sizes = [np.count_nonzero(pred == k) for k in repair.clusters]
            assert repair.objects == min(changed, sum(sizes) - changed)


def every_change(truth: np.ndarray, pred: np.ndarray) -> list[np.ndarray]:
    """What each merge of two clusters, and each move or split of a cell makes of the clusters."""
    found = []
    clusters = np.unique(pred).tolist()
    for i, j in combinations(clusters, 2):
        found.append(np.where(pred == j, i, pred))
    for c, k in set(zip(truth.tolist(), pred.tolist(), strict=True)):
        cell = (truth == c) & (pred == k)
        found += [np.where(cell, to, pred) for to in [*clusters, max(clusters) + 1]]
    return found


@given(counts)
@settings(max_examples=60)
def test_no_merge_split_or_move_gains_more_than_the_best_repair(rows):
    truth, pred = labels_of(np.array(rows))
    found = cv.diagnose(truth, pred, level=1)
    best = found.repairs[0].vi_gain if found.repairs else 0.0
    most = max((r.vi_gain_per_object for r in found.repairs_per_object), default=0.0)
    with mp.workdps(40):
        before = exact_vi(truth, pred)
        for after in every_change(truth, pred):
            gain = float(before - exact_vi(truth, after))
            assert gain <= best + 1e-12
            if len(np.unique(after)) == len(np.unique(pred)):  # a move
                assert gain <= most * np.count_nonzero(after != pred) + 1e-12


@given(counts)
@settings(max_examples=60)
def test_no_repair_is_listed_twice(rows):
    truth, pred = labels_of(np.array(rows))
    repairs = cv.diagnose(truth, pred, most=1_000, level=1).repairs
    made = [tuple(np.unique(mended(truth, pred, r), return_inverse=True)[1]) for r in repairs]
    first_seen = [tuple(dict.fromkeys(labels)) for labels in made]
    canonical = {
        tuple(order.index(label) for label in labels)
        for labels, order in zip(made, first_seen, strict=True)
    }
    assert len(canonical) == len(repairs)


@given(counts, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_repairs_follow_the_names(rows, random):
    truth, pred = labels_of(np.array(rows))
    classes, clusters = list(range(5)), list(range(5))
    random.shuffle(classes)
    random.shuffle(clusters)
    found = cv.diagnose(truth, pred, most=1_000)
    other = cv.diagnose(np.array(classes)[truth], np.array(clusters)[pred], most=1_000)
    assert found.p_value == pytest.approx(other.p_value, abs=0, nan_ok=True)
    assert [r.vi_gain for r in found.repairs] == pytest.approx(
        [r.vi_gain for r in other.repairs], rel=1e-9, abs=1e-13
    )

    def named(repair, by_class, by_cluster):
        ends = [by_cluster[k] for k in repair.clusters]
        if repair.kind == "merge":
            return repair.kind, *sorted(ends)
        # Where two clusters would be as good a target, the order of their names decides; so it does
        # where a cluster holds two classes of one size, of which either may be split off.
        return repair.kind, ends[0], *([] if twins else [by_class[repair.split_off]])

    columns = [[count for count in column if count] for column in zip(*rows, strict=True)]
    twins = any(len(set(column)) < len(column) for column in columns)

    gains = Counter(round(r.vi_gain, 9) for r in found.repairs)
    if all(times == 1 for times in gains.values()):
        same = list(range(5))
        renamed = {named(r, classes, clusters) for r in found.repairs}
        assert renamed == {named(r, same, same) for r in other.repairs}


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


def test_objects_in_the_wrong_cluster_are_to_be_moved():
    truth = np.repeat(["a", "b", "c"], 40)
    pred = np.repeat([1, 2, 3], 40)
    pred[:12] = 3
    found = cv.diagnose(truth, pred)
    best = found.repairs[0]
    assert (best.kind, best.clusters, best.split_off, best.objects) == ("move", (3, 1), "a", 12)
    assert best.vi_gain == pytest.approx(found.vi)
    assert best.adjusted_rand_gain == pytest.approx(1 - found.adjusted_rand)
    assert "move the 12 objects of class a in cluster 3 to cluster 1" in found.verdict
    assert f"{best.vi_gain:.3f} bits, {best.vi_gain / 12:.3g} per object" in found.verdict
    data = json.loads(found.to_json())
    assert data["repairs"][0]["vi_gain_per_object"] == best.vi_gain / 12
    assert "per object" in str(found)
    columns = found.columns()
    place = columns["part"].index("repair")
    assert columns["name"][place] == best.action
    assert columns["size"][place] == 12
    assert columns["vi_gain"][place] == best.vi_gain
    assert columns["vi_gain_per_object"][place] == best.vi_gain_per_object
    assert columns["vi_gain"][0] is None
    assert columns["purity"][place] is None


def test_both_orders_are_listed_where_they_name_different_repairs():
    rows = 40 * np.eye(4, dtype=int)
    rows[0, 1] = rows[1, 2] = 20
    rows[2, 3] = rows[3, 0] = 1
    found = cv.diagnose(cv.Contingency.from_counts(rows), most=2)
    assert {r.objects for r in found.repairs} == {20}
    assert {r.objects for r in found.repairs_per_object} == {1}
    assert "Most per object would be gained if you move the 1 object of class" in found.verdict
    assert [table.key for table in found.tables("k", "p0")][2:] == [
        "k-repairs",
        "k-repairs-per-object",
    ]
    assert found.columns()["part"].count("repair") == 4
    alike = cv.diagnose(cv.Contingency.from_counts(rows), most=100)
    assert [table.key for table in alike.tables("k", "p0")][2:] == ["k-repairs"]


def planted(n: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classes, clusters with a planted move, and the clusters with that move taken back."""
    rng = np.random.default_rng([n, classes, seed])
    shares = 0.3 / classes + 0.7 * rng.dirichlet(np.ones(classes))
    truth = rng.choice(classes, n, p=shares)
    pred = np.where(rng.random(n) < 0.05, rng.integers(0, classes, n), truth)
    a, b = rng.choice(classes, 2, replace=False)
    moved = (truth == a) & (pred == a) & (rng.random(n) < rng.uniform(0.2, 0.5))
    return truth, np.where(moved, b, pred), pred


# `studies/repairs.py` is the large version of the next three tests.
@pytest.mark.parametrize(("n", "classes"), [(60, 3), (200, 2), (200, 6), (2_000, 20)])
def test_moving_planted_objects_back_never_gains_more_than_the_best_repair(n, classes):
    for seed in range(15):
        truth, pred, back = planted(n, classes, seed)
        gain = cv.variation_of_information(truth, pred) - cv.variation_of_information(truth, back)
        repairs = cv.diagnose(truth, pred).repairs
        assert repairs[0].vi_gain >= gain - 1e-12, (n, classes, seed)


def test_random_labels_are_left_alone():
    named = 0
    for seed in range(160):
        rng = np.random.default_rng([7, seed])
        n, k = [(20, 3), (60, 2), (200, 5), (500, 12)][seed % 4]
        found = cv.diagnose(rng.integers(0, k, n), rng.integers(0, k + 1, n))
        assert found.beyond_chance == bool(found.repairs)
        named += found.beyond_chance
    assert named <= 16  # of 160 at 5%: more than this happens once in 350 runs


def test_agreement_is_not_taken_for_chance():
    for seed in range(60):
        rng = np.random.default_rng([8, seed])
        n, k = [(40, 2), (100, 5), (400, 12)][seed % 3]
        truth = rng.integers(0, k, n)
        pred = np.where(rng.random(n) < 0.75, truth, rng.integers(0, k, n))
        assert cv.diagnose(truth, pred).repairs


def test_one_rare_class_that_is_found_is_agreement():
    rng = np.random.default_rng(0)
    truth, pred = (rng.choice(2, 2_000, p=[0.8, 0.2]) for _ in range(2))
    truth[:6] = pred[:6] = 2
    assert cv.chance("ari", truth, pred, samples=0).z < 1
    assert cv.diagnose(truth, pred).p_value == 0.001


def test_why_nothing_is_recommended_is_said():
    rng = np.random.default_rng(3)
    truth, pred = rng.integers(0, 4, 500), rng.integers(0, 4, 500)
    found = cv.diagnose(truth, pred)
    assert found.repairs == found.repairs_per_object == []
    p = f"p = {found.p_value:.2g} by VI"
    said = f"The agreement is not beyond chance ({p}), so no repair is named."
    assert found.verdict.endswith(said)
    assert found.verdict.count("would be gained") == 0
    data = json.loads(found.to_json())
    assert data["beyond_chance"] is False
    assert data["p_value"] == found.p_value
    assert data["repairs"] == data["repairs_per_object"] == []
    assert "repair" not in found.columns()["part"]
    asked = cv.diagnose(truth, pred, level=1)
    assert asked.repairs
    assert asked.beyond_chance
    assert "not beyond chance" not in asked.verdict


@pytest.mark.parametrize("level", [0, 1.01, "5%", float("nan"), True])
def test_a_level_that_is_no_probability_is_refused(level):
    with pytest.raises(ParameterError, match="level must be above 0 and at most 1"):
        cv.diagnose([0, 1], [0, 1], level=level)


def test_the_p_value_is_that_of_all_permutations():
    truth, pred = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 1, 2])
    with mp.workdps(30):
        given = exact_vi(truth, pred)
        drawn = [exact_vi(truth, np.array(p)) for p in set(permutations(pred.tolist()))]
        exact = float(sum(vi <= given + mpf(10) ** -20 for vi in drawn) / len(drawn))
    found = cv.diagnose(truth, pred)
    assert found.p_value_by == "variation_of_information"
    assert abs(found.p_value - exact) <= 4 * math.sqrt(exact * (1 - exact) / 999)


def test_sizes_that_leave_no_choice_are_chance():
    for truth, pred in (([0] * 9, [0, 1, 2] * 3), ([0, 1, 2] * 3, [0] * 9), ([0, 0, 1], range(3))):
        found = cv.diagnose(truth, list(pred))
        assert found.p_value == 1
        assert not found.repairs


def test_large_tables_without_agreement_are_left_alone():
    rng = np.random.default_rng(1)
    for k, by in ((8, "variation_of_information"), (150, "adjusted_rand")):
        truth, pred = rng.integers(0, k, 220_000), rng.integers(0, k, 220_000)
        found = cv.diagnose(truth, pred)
        assert found.p_value_by == by
        assert not found.repairs
        pred[:20_000] = truth[:20_000]
        assert cv.diagnose(truth, pred).repairs


def test_a_planted_move_is_found_where_not_all_pairs_can_be_looked_at():
    rng = np.random.default_rng(0)
    rows = (rng.random((300, 300)) < 0.4) + 200 * np.eye(300, dtype=int)  # four million pairs
    rows[17, 17] -= 80
    rows[17, 99] += 80
    best = cv.diagnose(cv.Contingency.from_counts(rows)).repairs[0]
    assert (best.kind, best.clusters, best.split_off) == ("move", (99, 17), 17)
    assert best.objects == rows[17, 99]


def test_weights_have_no_chance_level_and_that_is_said():
    table = cv.Contingency.from_counts([[9.5, 0.5], [1.25, 8.0]])
    found = cv.diagnose(table)
    assert math.isnan(found.p_value)
    assert json.loads(found.to_json())["p_value"] is None
    assert "move the weight 1.25 of class 1 in cluster 0 to cluster 1" in found.verdict
    assert found.verdict.endswith(
        "Whether the agreement is beyond chance is not known for such weights."
    )


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


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=40),
    st.sampled_from([1, 10**25]),
)
def test_gini_of_each_part_aggarwal_6_50(rows, times):
    counts = Counter(rows)
    found = cv.diagnose(
        cv.Contingency.from_counts({pair: times * count for pair, count in counts.items()})
    )
    for parts, side in ((found.clusters, 1), (found.classes, 0)):
        for part in parts:
            own = [count for pair, count in counts.items() if pair[side] == part.name]
            right = 1 - sum(Fraction(count, sum(own)) ** 2 for count in own)
            assert part.gini == pytest.approx(float(right), rel=1e-12)


def test_a_weak_agreement_of_many_objects_is_held_against_many_tables():
    """Too many objects to be dealt 39 times, and not ten standard deviations beyond chance."""
    table = cv.Contingency.from_counts([[55_400, 54_600], [54_600, 55_400]])
    found = cv.diagnose(table)
    assert (found.p_value, found.p_value_by) == (1 / 200, "variation_of_information")
    assert found.repairs
    assert "not beyond chance" not in found.verdict


def test_agreement_that_has_no_number_is_not_judged():
    """The adjusted Rand index has no value where objects are on one side alone."""
    found = cv.diagnose(list("aabbc"), [0, 0, 1, None, 1], missing="absent")
    assert math.isnan(found.adjusted_rand)
    assert "nan" not in found.verdict
    assert found.verdict.startswith("The clustering is ")
