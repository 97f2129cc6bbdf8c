"""What every measure of soft, overlapping or hierarchical clusterings claims in its record is so.

Nothing here names a measure: a new one of these kinds is tested without being listed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import ClustervetError
from clustervet.registry import PAIRED, doors

RECORDS = [record for record in cv.measures.values() if record.kind in PAIRED]
# Whether one side may be the other one only where both are of the same form.
FLAT_TRUTH = "dendrogram_purity"


def records(claim: Callable[[cv.Measure], bool] = lambda record: True) -> pytest.MarkDecorator:
    """Run a test once for every measure of these kinds that makes the claim."""
    chosen = [record for record in RECORDS if claim(record)]
    return pytest.mark.parametrize("record", chosen, ids=lambda record: record.key)


def memberships(draw: st.DrawFn, n: int) -> cv.Memberships:
    k = draw(st.integers(1, 4))
    rows = draw(
        st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=n, max_size=n)
    )
    weights = np.array(rows, float)
    weights[weights.sum(axis=1) == 0, draw(st.integers(0, k - 1))] = 1
    return cv.Memberships(weights / weights.sum(axis=1, keepdims=True))


def cover(draw: st.DrawFn, n: int) -> cv.Cover:
    groups = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=4))
    return cv.Cover(groups, objects=n)


def hierarchy(draw: st.DrawFn, n: int) -> cv.Hierarchy:
    """Merges of random nodes, of which some are equally high."""
    alive, rows = list(range(n)), []
    height = 0
    for made in range(n, 2 * n - 1):
        first = alive.pop(draw(st.integers(0, len(alive) - 1)))
        second = alive.pop(draw(st.integers(0, len(alive) - 1)))
        height += draw(st.integers(0, 2)) + (not rows)
        rows.append([first, second, height, 0])
        alive.append(made)
    sizes = dict.fromkeys(range(n), 1)
    for place, row in enumerate(rows):
        row[3] = sizes[n + place] = sizes[row[0]] + sizes[row[1]]
    return cv.Hierarchy(np.array(rows, float))


MAKE: dict[str, Callable[[st.DrawFn, int], Any]] = {
    "soft": memberships,
    "overlapping": cover,
    "hierarchical": hierarchy,
}


@st.composite
def several(draw: st.DrawFn, kind: str, sides: int = 2) -> list[Any]:
    """Several clusterings of the same few objects."""
    n = draw(st.integers(3, 8))
    return [MAKE[kind](draw, n) for _ in range(sides)]


def pair_of(kind: Any, truth: Any, pred: Any) -> Any:
    return doors[kind]("a test", truth, pred)


def value(record: cv.Measure, pair: Any) -> float:
    return record.evaluate(pair).value


def close(a: float, b: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


@records()
def test_the_record_says_what_a_reader_needs(record: cv.Measure) -> None:
    for field in ("title", "symbol", "family", "reference", "meaning", "equation", "use", "avoid"):
        text = getattr(record, field)
        assert text.strip() == text != "", field
    assert record.better in ("higher", "lower")
    assert getattr(cv, record.key).record is record


@records()
@settings(max_examples=40)
@given(data=st.data())
def test_values_lie_within_the_bounds(record: cv.Measure, data: st.DataObject) -> None:
    found = value(record, pair_of(record.kind, *data.draw(several(record.kind))))
    low, high = record.bounds
    assert math.isnan(found) or low - 1e-12 <= found <= high + 1e-12


@records(lambda record: record.symmetric)
@settings(max_examples=40)
@given(data=st.data())
def test_symmetric_measures_are(record: cv.Measure, data: st.DataObject) -> None:
    one, other = data.draw(several(record.kind))
    there = value(record, pair_of(record.kind, one, other))
    back = value(record, pair_of(record.kind, other, one))
    assert close(there, back)


@records(lambda record: not record.symmetric and record.key != FLAT_TRUTH)
def test_others_are_not(record: cv.Measure) -> None:
    """Some pair of a few objects tells the sides apart."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(60):
        n = int(rng.integers(4, 8))
        sides = [_random(record.kind, n, rng) for _ in range(2)]
        there = value(record, pair_of(record.kind, *sides))
        back = value(record, pair_of(record.kind, *sides[::-1]))
        found.append(close(there, back))
    assert not all(found)


def _random(kind: str, n: int, rng: np.random.Generator) -> Any:
    if kind == "soft":
        return cv.Memberships(rng.dirichlet(np.ones(3), n))
    if kind == "overlapping":
        return cv.Cover(
            [set(np.flatnonzero(rng.random(n) < 0.5)) | {0} for _ in range(3)], objects=n
        )
    from scipy.cluster.hierarchy import linkage

    return cv.Hierarchy(linkage(rng.normal(size=(n, 2)), "average"))


@records(lambda record: record.perfect is not None and record.key != FLAT_TRUTH)
@settings(max_examples=40)
@given(data=st.data())
def test_identical_clusterings_are_perfect(record: cv.Measure, data: st.DataObject) -> None:
    (one,) = data.draw(several(record.kind, 1))
    pair = pair_of(record.kind, one, one)
    assert pair.identical
    assert value(record, pair) == record.perfect
    order = np.array(data.draw(st.permutations(range(pair.n))), np.int64)
    same = pair.take(order)
    assert same.identical
    assert value(record, same) == record.perfect


@records(lambda record: record.perfect is not None and record.key != FLAT_TRUTH)
@settings(max_examples=40)
@given(data=st.data())
def test_the_formula_gives_the_perfect_value_too(record: cv.Measure, data: st.DataObject) -> None:
    """The value of identical clusterings is no convention, where the formula has a value."""
    (one,) = data.draw(several(record.kind, 1))
    pair = pair_of(record.kind, one, one)
    try:
        found = float(record.formula(pair))
    except ClustervetError:
        return
    assert math.isnan(found) or close(found, record.perfect)


@records()
@settings(max_examples=30)
@given(data=st.data())
def test_the_order_of_objects_does_not_matter(record: cv.Measure, data: st.DataObject) -> None:
    pair = pair_of(record.kind, *data.draw(several(record.kind)))
    order = np.array(data.draw(st.permutations(range(pair.n))), np.int64)
    assert close(value(record, pair), value(record, pair.take(order)))


@records()
@settings(max_examples=20)
@given(data=st.data())
def test_shuffling_there_and_back_is_nothing(record: cv.Measure, data: st.DataObject) -> None:
    pair = pair_of(record.kind, *data.draw(several(record.kind)))
    order = np.array(data.draw(st.permutations(range(pair.n))), np.int64)
    assert pair.shuffled(order).n == pair.n
    back = pair.shuffled(order).shuffled(np.argsort(order))
    assert close(value(record, pair), value(record, back))
    both = pair_of(record.kind, *data.draw(several(record.kind)))
    assert both.sizes == both.shuffled(np.arange(both.n)).sizes


@records(lambda record: record.adjusted)
@settings(max_examples=15)
@given(data=st.data())
def test_adjusted_measures_are_0_on_average_over_all_orders(
    record: cv.Measure, data: st.DataObject
) -> None:
    n = data.draw(st.integers(3, 5))
    sides = [data.draw(st.composite(lambda draw: MAKE[record.kind](draw, n))()) for _ in range(2)]
    pair = pair_of(record.kind, *sides)
    every = [value(record, pair.shuffled(np.array(order))) for order in permutations(range(pair.n))]
    if all(math.isfinite(one) for one in every) and not any(
        pair.shuffled(np.array(order)).identical for order in permutations(range(pair.n))
    ):
        assert abs(math.fsum(every) / len(every)) < 1e-9


def groups_of(tree: cv.Hierarchy) -> set[frozenset[int]]:
    """The groups of a tree, of which heights say nothing."""
    cuts = [tree.cut(clusters) for clusters in tree.clusters]
    return {frozenset(np.flatnonzero(cut == k).tolist()) for cut in cuts for k in set(cut.tolist())}


@records(lambda record: record.metric)
@settings(max_examples=60)
@given(data=st.data())
def test_metrics_obey_the_triangle(record: cv.Measure, data: st.DataObject) -> None:
    a, b, c = data.draw(several(record.kind, 3))
    ab, bc, ac = (value(record, pair_of(record.kind, *two)) for two in ((a, b), (b, c), (a, c)))
    assert ac <= ab + bc + 1e-9
    assert ab >= 0
    assert close(value(record, pair_of(record.kind, a, a)), 0)
    assert (ab == 0) == (groups_of(a) == groups_of(b))


@records(lambda record: record.cost != "refits")
def test_a_pair_and_its_sides_score_alike(record: cv.Measure) -> None:
    rng = np.random.default_rng(1)
    sides = [_random(record.kind, 9, rng) for _ in range(2)]
    if record.key == FLAT_TRUTH:
        sides[0] = [0, 0, 0, 1, 1, 1, 2, 2, 2]
    measure = getattr(cv, record.key)
    pair = pair_of(record.kind, *sides)
    assert close(measure(*sides), measure(pair))
    assert isinstance(measure(pair), float)
    with pytest.raises(ClustervetError):
        measure(pair, sides[1])
    with pytest.raises(ClustervetError):
        measure(sides[0])


OTHERS = {
    "soft": (lambda: cv.Memberships([[1, 0], [0, 1], [0.5, 0.5]]), "memberships or labels"),
    "overlapping": (lambda: cv.Cover([{0, 1}, {1, 2}]), "groups or labels"),
    "hierarchical": (lambda: cv.Hierarchy("((a,b),c);"), "a tree or labels"),
}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.key)
def test_a_clustering_of_another_kind_is_refused_by_name(record: cv.Measure) -> None:
    labels = [0, 0, 1]
    for kind, (make, _) in OTHERS.items():
        if kind != record.kind:
            name = type(make()).__name__
            with pytest.raises(ClustervetError, match=f"must be {OTHERS[record.kind][1]}.* {name}"):
                record(labels, make())
