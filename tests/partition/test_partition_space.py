"""Partitions under the variation of information: Meilă 2007, Properties 5 to 7 and Fig. 6."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lattice_oracle import all_labels, power
from mpmath import mp

import clustervet as cv
from clustervet.partition import Partition
from clustervet.partition.codes import variation
from clustervet.partition.neighbours import leap

law = settings(max_examples=60)
vi = cv.variation_of_information


def one_of_each_shape(n):
    """A partition for each multiset of sizes: others differ in the names of the objects alone."""
    found = {}
    for labels in all_labels(n):
        found.setdefault(tuple(sorted(Counter(labels).values())), labels)
    return list(found.values())


def bits(exact, n):
    """VI from 2^(n VI)."""
    return (math.log2(exact.numerator) - math.log2(exact.denominator)) / n


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_properties_6_and_7_hold_exactly_for_all_partitions_of_up_to_seven_objects(n):
    others = [(labels, Partition(labels)) for labels in all_labels(n)]
    for first in one_of_each_shape(n):
        p = Partition(first)
        for second, q in others:
            meet = (p & q).codes.tolist()
            down, up = power(first, meet), power(second, meet)
            assert power(first, second) == down * up  # eq. 29
            assert power(first, second) >= down  # eq. 30
            assert (power(first, second) == down) == (q == p & q)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
def test_the_nearest_neighbours_are_those_found_among_all_partitions(n):
    everything = list(all_labels(n))
    for first in one_of_each_shape(n):
        p = Partition(first)
        found = p.nearest_neighbours()
        away = {labels: power(first, labels) for labels in everything if Partition(labels) != p}
        for side, wanted in (
            (found.finer, {x: away[x] for x in away if max(x) + 1 > p.k}),
            (found.coarser, {x: away[x] for x in away if max(x) + 1 < p.k}),
        ):
            if not wanted:
                assert side is None
                continue
            least = min(wanted.values())
            assert power(first, tuple(side.partition.codes.tolist())) == least
            assert side.vi == pytest.approx(bits(least, n), rel=1e-13)
            assert side.ties == sum(x == least for x in wanted.values()) - 1
        if away:
            assert found.nearest.vi == pytest.approx(bits(min(away.values()), n), rel=1e-13)
    assert Partition.top(1).nearest_neighbours().nearest is None


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_geodesics_are_straight_between_all_partitions(n):
    for first in one_of_each_shape(n):
        for second in all_labels(n):
            check_geodesic(Partition(first), Partition(second))


def check_geodesic(p, q):
    line = p.geodesic(q)
    path = list(line)
    assert (path[0], path[-1], path[line.turn]) == (p, q, p & q)
    assert len(path) == len(line) == len(set(path)) or p == q
    for k, (here, there) in enumerate(pairwise(path)):
        finer, coarser = (there, here) if k < line.turn else (here, there)
        assert finer < coarser
        assert finer.k == coarser.k + 1
        assert line.lengths[k] == pytest.approx(vi(here, there), rel=1e-13)
    assert line.total == pytest.approx(vi(p, q), rel=1e-13, abs=1e-15)


@given(st.integers(1, 30), st.integers(1, 8), st.integers(1, 8), st.integers(0, 10**6))
@law
def test_geodesics_are_straight_between_any_partitions(n, height, width, seed):
    rng = np.random.default_rng(seed)
    check_geodesic(Partition(rng.integers(0, height, n)), Partition(rng.integers(0, width, n)))


def test_a_geodesic_is_a_sequence_that_makes_its_partitions_when_asked():
    rng = np.random.default_rng(0)
    p, q = (Partition(rng.integers(0, 50, 30_000)) for _ in range(2))
    line = p.geodesic(q)
    assert len(line) == 2 * (p & q).k - p.k - q.k + 1
    assert line[-1] == q
    assert [x.k for x in line[1:4]] == [51, 52, 53]
    assert line.total == pytest.approx(vi(p, q), rel=1e-12)
    with pytest.raises(IndexError):
        line[len(line)]
    assert repr(line).startswith("Geodesic of ")


def test_the_straight_lines_of_fig_6():
    a_bcd, a_b_cd, ab_cd, d_abc = map(
        Partition, [(0, 1, 1, 1), (0, 1, 2, 2), (0, 0, 1, 1), (0, 0, 0, 1)]
    )
    top, bottom = Partition.top(4), Partition.bottom(4)
    chain = [top, a_bcd, a_b_cd, bottom]
    for upper, lower in pairwise(chain):
        assert lower in set(upper.covers_below())
    assert is_line(chain)
    assert is_line([a_bcd, a_b_cd, ab_cd])
    assert a_b_cd == a_bcd & ab_cd
    assert list(a_bcd.geodesic(ab_cd)) == [a_bcd, a_b_cd, ab_cd]
    middles = list(d_abc.covers_below())
    assert len(middles) == 3
    assert all(is_line([d_abc, middle, bottom]) for middle in middles)


def is_line(partitions):
    codes = [p.codes.tolist() for p in partitions]
    steps = [power(a, b) for a, b in pairwise(codes)]
    return math.prod(steps) == power(codes[0], codes[-1])


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_every_chain_from_top_to_bottom_is_straight(n):
    # Axiom A1, for VI and for the Mirkin metric.
    top, bottom = Partition.top(n), Partition.bottom(n)
    for labels in all_labels(n):
        p = Partition(labels)
        assert is_line([top, p, bottom])
        assert cv.mirkin(top, p) + cv.mirkin(p, bottom) == cv.mirkin(top, bottom)


@given(
    st.integers(1, 300),
    st.integers(1, 12),
    st.floats(0, 1),
    st.integers(0, 10**6),
)
@law
def test_a_partition_at_a_distance_is_as_near_to_it_as_promised(n, clusters, share, seed):
    start = Partition(np.random.default_rng(seed).integers(0, clusters, n))
    most = max(vi(start, Partition.top(n)), vi(start, Partition.bottom(n)))
    found = start.at_distance(share * most, seed)
    assert found.vi == pytest.approx(vi(start, found.partition), rel=1e-12, abs=1e-14)
    assert abs(found.vi - share * most) <= (math.log2(n) + 1.45) / n + 1e-9
    assert found == start.at_distance(share * most, np.random.default_rng(seed))


def test_near_partitions_keep_the_number_of_clusters_and_differ_by_seed():
    start = Partition.uniform(2_000, 8)
    near = [start.at_distance(1.0, seed) for seed in range(5)]
    assert {found.partition.k for found in near} == {8}
    assert len({found.partition for found in near}) == 5
    assert all(abs(found.vi - 1.0) < 0.0063 for found in near)


def test_far_partitions_are_reached_up_to_log_n():
    start = Partition.uniform(64, 8)
    assert start.at_distance(6.0, 0).vi == pytest.approx(6.0, abs=0.12)
    with pytest.raises(cv.ClustervetError, match="the farthest one tried is 6 bits away"):
        start.at_distance(6.5, 0)
    with pytest.raises(cv.ClustervetError, match="vi must be a number of bits of at least 0"):
        start.at_distance(-1)
    assert start.at_distance(0).partition == start


@pytest.mark.parametrize("a", [2, 3, 11, 500])
def test_a_walk_may_end_half_a_step_away(a):
    """The largest step: a point leaves the larger of two clusters, which were the target's too."""
    target = Partition([0] * a + [1] * (a - 1))
    moved = Partition([0] * (a - 1) + [1] * a)
    step = cv.variation_of_information(target.labels, moved.labels)
    assert step <= 2 * leap(target.n)
    if a > 3:  # and it may not be much nearer
        assert step > 2 * math.log2(target.n) / target.n


@pytest.mark.parametrize("apart", [1, 10, 400_000])
def test_distances_keep_their_digits_where_partitions_are_nearly_equal(apart):
    n = 1_000_000
    together, split = np.zeros(n, np.int32), np.zeros(n, np.int32)
    split[:apart] = 1
    with mp.workdps(40):
        rest = n - apart
        exact = (
            (rest * mp.log(mp.mpf(n) / rest) + apart * mp.log(mp.mpf(n) / apart)) / n / mp.log(2)
        )
        assert abs(variation(together, split, 1, 2) / exact - 1) < 1e-14
        assert abs(variation(split, together, 2, 1) / exact - 1) < 1e-14
