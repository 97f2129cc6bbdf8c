"""Meet, join and refinement against their definitions, and the laws of a lattice."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lattice_oracle import all_labels, blocks_of, join_of, meet_of, refines_of

from clustervet.partition import Partition

law = settings(max_examples=60)
FIVE = [Partition(labels) for labels in all_labels(5)]


def same_objects(how_many, clusters=6, most=40):
    label = st.integers(0, clusters - 1)
    return st.integers(1, most).flatmap(
        lambda n: st.lists(
            st.lists(label, min_size=n, max_size=n), min_size=how_many, max_size=how_many
        )
    )


def check_against_sets(labels):
    first, second = map(Partition, labels)
    one, other = map(blocks_of, labels)
    assert blocks_of(first.codes.tolist()) == one
    for found, sets in (
        (first & second, meet_of(one, other)),
        (first | second, join_of(one, other)),
    ):
        assert blocks_of(found.codes.tolist()) == sets
        assert found == Partition(found.codes)  # its codes are numbered by first appearance
        assert found.k == len(sets)
    assert first.refines(second) == refines_of(one, other)
    assert [set(block.tolist()) for block in first.blocks()] == sorted(map(set, one), key=min)


@given(same_objects(2))
@law
def test_meet_join_and_refinement_are_those_of_sets(labels):
    check_against_sets(labels)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_they_are_for_every_two_partitions_of_few_objects(n):
    for labels in product(all_labels(n), all_labels(n)):
        check_against_sets(labels)


@pytest.mark.parametrize("dense", [2**24, 0], ids=["counted whole", "counted by rows"])
@given(labels=same_objects(2, clusters=4, most=120))
@law
def test_compiled_loops_give_the_same(dense, labels):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clustervet.partition.codes.FEW", 0)
        patch.setattr("clustervet.partition.codes.GRAIN", 1)
        patch.setattr("clustervet.partition.codes.DENSE_CELLS", dense)
        patch.setattr("clustervet._kernels.threads.cores", lambda: 3)
        check_against_sets(labels)


@pytest.mark.parametrize(("here", "there"), [(5, 7), (700, 900), (40_000, 30_000)])
def test_large_partitions_keep_the_laws(here, there):
    rng = np.random.default_rng(here)
    p = Partition(rng.integers(0, here, 60_000))
    q = Partition(p.codes // 2 + rng.integers(0, there, 60_000) // (there - 1))
    meet, join = p & q, p | q
    keys = p.codes.astype(np.int64) * q.k + q.codes
    assert meet.k == len(np.unique(keys))
    assert meet <= p <= join
    assert meet <= q <= join
    assert p & join == p
    assert p | meet == p
    assert not join < join
    assert (meet | q, join & q) == (q, q)


def test_the_lattice_of_five_objects_keeps_every_law():
    for p, q in product(FIVE, FIVE):
        assert p & q == q & p
        assert p | q == q | p
        assert p & (p | q) == p
        assert p | (p & q) == p
        assert (p <= q) == (p & q == p) == (p | q == q)
        assert (p < q) == (p <= q and p != q)
        assert (p >= q) == (q <= p)
        assert (p > q) == (q < p)
    some = FIVE[::5]
    for p, q, r in product(some, some, some):
        assert (p & q) & r == p & (q & r) == p.meet(q, r)
        assert (p | q) | r == p | (q | r) == p.join(q, r)
        assert not (p <= q <= r) or p <= r


@given(same_objects(3))
@law
def test_association_and_absorption_on_any_partitions(labels):
    p, q, r = map(Partition, labels)
    assert (p & q) & r == p & (q & r)
    assert (p | q) | r == p | (q | r)
    assert p & (p | q) == p == p | (p & q)
    assert (p & q) <= p <= (p | q)


@given(same_objects(1))
@law
def test_top_and_bottom_enclose_every_partition(labels):
    p = Partition(labels[0])
    top, bottom = Partition.top(p.n), Partition.bottom(p.n)
    assert bottom <= p <= top
    assert (p & top, p | top, p & bottom, p | bottom) == (p, top, bottom, p)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_covers_are_next_in_the_order_and_all_of_them(n):
    everything = [Partition(labels) for labels in all_labels(n)]
    for p in everything:
        above = {q for q in everything if p < q and not any(p < r < q for r in everything)}
        below = {q for q in everything if q < p and not any(q < r < p for r in everything)}
        found = [list(p.covers_above()), list(p.covers_below())]
        assert [set(side) for side in found] == [above, below]
        assert [len(side) for side in found] == [len(above), len(below)]


def test_the_hasse_diagram_of_fig_6():
    # Meilă 2007, Fig. 6: 1 + 7 + 6 + 1 partitions of four elements, joined by 31 edges.
    lattice = list(Partition.all(4))
    assert sorted(p.k for p in lattice) == [1, *[2] * 7, *[3] * 6, 4]
    edges = {(p, q) for p in lattice for q in p.covers_above()}
    assert edges == {(p, q) for q in lattice for p in q.covers_below()}
    assert len(edges) == 31


@given(same_objects(1), st.data())
@law
def test_a_restriction_keeps_who_is_together(labels, data):
    p = Partition(labels[0])
    chosen = data.draw(st.lists(st.integers(0, p.n - 1), min_size=1, unique=True))
    inside = p.restrict(chosen)
    assert inside == Partition([labels[0][place] for place in chosen])
    mask = np.zeros(p.n, bool)
    mask[chosen] = True
    assert p.restrict(mask) == p.restrict(sorted(chosen))
    assert p.restrict(slice(None)) == p


@given(same_objects(2))
@law
def test_splitting_every_cluster_leads_to_the_meet(labels):
    p, q = map(Partition, labels)
    found = p
    for block in p.blocks():
        place = int(found.codes[block[0]])
        found = found.split(place, q.codes[block])
    assert found == p & q


@given(same_objects(1, most=15), st.data())
@law
def test_merging_puts_two_clusters_together_and_nothing_else(labels, data):
    p = Partition(labels[0])
    if p.k == 1:
        return
    chosen = data.draw(st.lists(st.integers(0, p.k - 1), min_size=2, max_size=3, unique=True))
    merged = p.merge(*chosen)
    assert merged == Partition([-1 if code in chosen else code for code in p.codes.tolist()])
    assert p < merged
