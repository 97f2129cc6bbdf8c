"""What the records of the measures claim, for random trees with ties."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tree_cases import GENERAL, KEYS, flats, linkages, pairs, trees

import clustervet as cv
from clustervet.hierarchical.shape import Shape


def near(one: float, other: float) -> bool:
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, abs_tol=1e-9)


def drawn_pair(data: Any, key: str) -> cv.TreePair:
    one, two = data.draw(pairs(flat=key == "dendrogram_purity"))
    return cv.TreePair.of(one[0], two[0])


def test_every_measure_of_trees_is_tested() -> None:
    ours = [
        key
        for key, record in cv.measures.items()
        if record.kind == "hierarchical" and record.formula.__module__.startswith("clustervet.")
    ]
    assert sorted(ours) == sorted(KEYS)
    assert {cv.measures[key].family for key in ours} == {"hierarchies"}


@pytest.mark.parametrize("key", KEYS)
@given(st.data())
@settings(max_examples=40)
def test_values_are_within_bounds(key: str, data: Any) -> None:
    value = cv.measures[key](drawn_pair(data, key))
    low, high = cv.measures[key].bounds
    assert math.isnan(value) or low <= value <= high


@pytest.mark.parametrize("key", GENERAL)
@given(pairs())
@settings(max_examples=40)
def test_symmetric_measures_are(key: str, sides: Any) -> None:
    assert cv.measures[key].symmetric
    one, two = sides[0][0], sides[1][0]
    assert near(cv.measures[key](one, two), cv.measures[key](two, one))


@pytest.mark.parametrize("key", KEYS)
@given(st.data())
@settings(max_examples=40)
def test_objects_in_another_order_have_the_same_values(key: str, data: Any) -> None:
    pair = drawn_pair(data, key)
    order = np.array(data.draw(st.permutations(range(pair.n))))
    assert near(cv.measures[key](pair), cv.measures[key](pair.take(order)))


@pytest.mark.parametrize("key", GENERAL)
@given(st.integers(2, 8).flatmap(lambda n: st.tuples(linkages(n), trees(n))), st.data())
@settings(max_examples=40)
def test_order_of_children_and_of_tied_merges_changes_nothing(
    key: str, sides: Any, data: Any
) -> None:
    rows, other = sides[0][0], sides[1][0]
    moved = _reordered(rows, data)
    ours = cv.measures[key](rows, other)
    assert near(ours, cv.measures[key](moved, other))
    assert cv.TreePair.of(rows, moved).identical


def _reordered(rows: Any, data: Any) -> Any:
    """The same tree with merges in another order that is possible, and their sides exchanged."""
    n = len(rows) + 1
    left, done, found = list(range(len(rows))), {i: i for i in range(n)}, []
    while left:
        ready = [k for k in left if rows[k, 0] in done and rows[k, 1] in done]
        k = data.draw(st.sampled_from(ready))
        sides = [done[int(rows[k, 0])], done[int(rows[k, 1])]]
        if data.draw(st.booleans()):
            sides.reverse()
        done[n + k] = n + len(found)
        found.append([*sides, *rows[k, 2:]])
        left.remove(k)
    return np.array(found)


@given(st.integers(3, 8), st.data())
@settings(max_examples=60)
def test_tied_merges_of_the_same_parts_are_one_step(n: int, data: Any) -> None:
    """Merging at one height gives one node whatever is merged first."""
    stars = []
    for _ in range(2):
        held, rows = list(range(n)), []
        for k in range(n - 1):
            sides = [held.pop(data.draw(st.integers(0, len(held) - 1))) for _ in range(2)]
            rows.append([*sides, 5.0, 0])
            held.append(n + k)
        stars.append(np.array(rows)[:, :3])
    full = [np.column_stack([star, _sizes(star)]) for star in stars]
    pair = cv.TreePair.of(*full)
    assert pair.identical
    assert pair.truth.inner == 1
    assert cv.robinson_foulds(pair) == 0


def _sizes(rows: Any) -> list[int]:
    n, sizes = len(rows) + 1, [1] * (len(rows) + 1)
    for one, two, _ in rows:
        sizes.append(sizes[int(one)] + sizes[int(two)])
    return sizes[n:]


@pytest.mark.parametrize("key", KEYS)
@given(st.data())
@settings(max_examples=40)
def test_identical_trees_are_perfect(key: str, data: Any) -> None:
    n = data.draw(st.integers(1, 8))
    flat = key == "dendrogram_purity"
    tree = data.draw(flats(n) if flat else trees(n) if n > 1 else flats(n))[0]
    pair = cv.TreePair.of(tree, tree)
    record = cv.measures[key]
    assert pair.identical
    if record.perfect is None:
        return
    assert record(pair) == record.perfect
    try:
        value = record.formula(pair)
    except cv.ClustervetError:
        return
    assert math.isclose(value, record.perfect, abs_tol=1e-9)


@given(st.integers(2, 8).flatmap(lambda n: st.tuples(trees(n), trees(n), trees(n))))
@settings(max_examples=80)
def test_robinson_foulds_is_a_metric_on_groups(three: Any) -> None:
    assert [key for key in KEYS if cv.measures[key].metric] == ["robinson_foulds"]
    a, b, c = (tree for tree, _ in three)
    for rooted in (True, False):
        ab, bc, ac = (
            cv.robinson_foulds(one, two, rooted=rooted) for one, two in ((a, b), (b, c), (a, c))
        )
        assert ac <= ab + bc
        assert ab >= 0
    groups = [tree.groups for _, tree in three]
    assert (cv.robinson_foulds(a, b) == 0) == (groups[0] == groups[1])


def test_normalized_robinson_foulds_is_no_metric() -> None:
    """A tree with more groups lies between two that share none."""
    a, b = "((a,b),c,d,e,f);", "((e,f),a,b,c,d);"
    between = "((a,b),(e,f),c,d);"
    apart = cv.normalized_robinson_foulds(a, b)
    way = cv.normalized_robinson_foulds(a, between) + cv.normalized_robinson_foulds(between, b)
    assert apart == 1 > way


@pytest.mark.parametrize("key", ["cophenetic_correlation", "bakers_gamma"])
@given(st.integers(3, 8).flatmap(lambda n: st.tuples(linkages(n), linkages(n))))
@settings(max_examples=40)
def test_scales_of_heights_do_not_matter(key: str, sides: Any) -> None:
    rows, other = sides[0][0], sides[1][0]
    assume(not cv.TreePair.of(rows, other).identical)
    scaled = rows.copy()
    scaled[:, 2] = 3.5 * rows[:, 2] + 1
    assume(not cv.TreePair.of(scaled, other).identical)
    assert near(cv.measures[key](rows, other), cv.measures[key](scaled, other))
    if key == "bakers_gamma":
        scaled[:, 2] = np.exp(rows[:, 2])
        assert near(cv.bakers_gamma(rows, other), cv.bakers_gamma(scaled, other))


@given(st.integers(2, 9).flatmap(lambda n: st.tuples(flats(n), flats(n))))
@settings(max_examples=80)
def test_flat_clusterings_have_the_values_of_partitions(sides: Any) -> None:
    truth, pred = sides[0][0], sides[1][0]
    ours = cv.hierarchical_mutual_information(truth, pred)
    assert near(ours, cv.mutual_information(truth, pred))
    ours = cv.hierarchical_element_centric(truth, pred)
    assert near(ours, cv.element_centric_similarity(truth, pred))
    ours = cv.normalized_hierarchical_mutual_information(truth, pred)
    theirs = cv.normalized_mutual_information(truth, pred)
    assert near(ours, theirs) or cv.TreePair.of(truth, pred).identical
    k = len(set(truth))
    if k == len(set(pred)) and k < len(truth):
        assert near(cv.b_k(truth, pred, ks=k)[k], cv.fowlkes_mallows(truth, pred))


@given(pairs(least=3), st.data())
@settings(max_examples=60)
def test_taking_and_shuffling_go_together(sides: Any, data: Any) -> None:
    pair = cv.TreePair.of(sides[0][0], sides[1][0])
    order = np.array(data.draw(st.permutations(range(pair.n))))
    back = np.argsort(order)
    moved = pair.shuffled(order)
    assert _equal(moved.truth, pair.truth)
    assert _equal(moved.shuffled(back).pred, pair.pred)
    places = np.array(data.draw(st.permutations(range(pair.n)))[: pair.n - 1])
    further = np.arange(len(places) - 1)
    assert _equal(pair.take(places).take(further).pred, pair.take(places[further]).pred)
    part = pair.take(places)
    for shape in (part.truth, part.pred):
        assert (shape.parents[:-1] > np.arange(shape.nodes - 1)).all()
        assert (np.diff(shape.children[0]) > 1).all()
        if shape.inner:
            assert shape.sizes[-1] == len(places)


def _equal(one: Shape, other: Shape) -> bool:
    from clustervet.hierarchical.shape import same

    return same(one, other)


@given(pairs(least=4))
@settings(max_examples=40)
def test_b_k_is_symmetric_and_perfect(sides: Any) -> None:
    (one, left), (two, right) = sides
    common = sorted(k for k in set(left.cuts) & set(right.cuts) if k < left.n)
    assume(common)
    ours, turned = cv.b_k(one, two, ks=common), cv.b_k(two, one, ks=common)
    assert ours.values == pytest.approx(turned.values, abs=1e-12)
    assert ours.variance == pytest.approx(turned.variance, abs=1e-12)
    assert ((ours.values >= 0) & (ours.values <= 1 + 1e-12)).all()
    same = cv.b_k(one, one, ks=[k for k in left.cuts if k < left.n])
    assert same.values == pytest.approx(np.ones(len(same)))
