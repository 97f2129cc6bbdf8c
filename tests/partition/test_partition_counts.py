"""How many partitions there are, all of them in turn, and one at random."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from math import comb

import numpy as np
import pytest

from clustervet.partition import Partition

# The On-Line Encyclopedia of Integer Sequences, A000110 and A008277.
BELL = [1, 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975, 678570, 4213597, 27644437]
STIRLING = {(5, 2): 15, (5, 3): 25, (7, 3): 301, (10, 5): 42525, (15, 7): 408741333}


def bell_by_triangle(n):
    row = [1]
    for _ in range(n):
        row = list(accumulate([row[-1], *row]))
    return row[0]


def stirling_by_recurrence(n, k):
    row = [1, *[0] * k]
    for _ in range(n):
        row = [0, *(j * row[j] + row[j - 1] for j in range(1, k + 1))]
    return row[k]


def test_bell_numbers():
    assert [Partition.count(n) for n in range(14)] == BELL
    for n in (50, 200, 400):
        assert Partition.count(n) == bell_by_triangle(n)


def test_stirling_numbers_of_the_second_kind():
    assert {key: Partition.count(*key) for key in STIRLING} == STIRLING
    for n, k in ((60, 17), (200, 3), (200, 199), (300, 120)):
        assert Partition.count(n, k) == stirling_by_recurrence(n, k)
    assert Partition.count(10**4, 2) == 2 ** (10**4 - 1) - 1
    assert Partition.count(3, 5) == 0
    assert sum(Partition.count(9, k) for k in range(10)) == BELL[9]


@pytest.mark.parametrize("n", range(1, 9))
def test_every_partition_comes_once(n):
    found = list(Partition.all(n))
    assert len(found) == len(set(found)) == BELL[n]
    assert all(p.n == n and p == Partition(p.codes) for p in found)
    assert found[0] == Partition.top(n)
    assert found[-1] == Partition.bottom(n)
    assert [p.codes.tolist() for p in found] == sorted(p.codes.tolist() for p in found)


@pytest.mark.parametrize("k", range(1, 7))
def test_every_partition_into_k_clusters_comes_once(k):
    found = list(Partition.all(6, k))
    assert found == [p for p in Partition.all(6) if p.k == k]


def chi_square(found, categories):
    expected = sum(found.values()) / categories
    return sum((found[key] - expected) ** 2 / expected for key in found) + expected * (
        categories - len(found)
    )


@pytest.mark.parametrize(
    ("n", "k", "bound"),
    # 99.9% quantiles of chi-square with 14, 6 and 24 degrees of freedom.
    [(4, None, 36.12), (4, 2, 22.46), (5, 3, 51.18)],
)
def test_random_partitions_are_equally_likely(n, k, bound):
    rng = np.random.default_rng(1)
    found = Counter(Partition.random(n, rng, k) for _ in range(6_000))
    categories = Partition.count(n, k)
    assert len(found) == categories
    assert chi_square(found, categories) < bound


def test_random_partitions_into_nearly_as_many_clusters_as_objects():
    # Either one cluster of three or two of two; where sizes are drawn until they add up.
    rng = np.random.default_rng(2)
    triples = comb(12, 3)
    pairs = comb(12, 2) * comb(10, 2) // 2
    assert Partition.count(12, 10) == triples + pairs
    drawn = [Partition.random(12, rng, k=10) for _ in range(2_000)]
    assert all(p.k == 10 for p in drawn)
    share = triples / (triples + pairs)
    spread = (share * (1 - share) / len(drawn)) ** 0.5
    assert abs(np.mean([p.sizes.max() == 3 for p in drawn]) - share) < 4 * spread
    assert len(set(drawn)) > 800  # of 1,705
    assert Partition.random(7, rng, k=7) == Partition.bottom(7)


def test_the_mean_number_of_clusters_is_a_ratio_of_bell_numbers():
    # Sums of K and K^2 over all partitions are B(n + 1) - B(n) and B(n + 2) - 2 B(n + 1).
    rng = np.random.default_rng(3)
    n = 60
    mean = Partition.count(n + 1) / Partition.count(n) - 1
    square = (Partition.count(n + 2) - 2 * Partition.count(n + 1)) / Partition.count(n)
    drawn = [Partition.random(n, rng).k for _ in range(2_000)]
    spread = (square - mean**2) ** 0.5
    assert abs(np.mean(drawn) - mean) < 4 * spread / 2_000**0.5


def test_large_random_partitions():
    assert Partition.random(100_000, 0).n == 100_000
    for k in (3, 5_000, 60_000, 99_999):
        assert Partition.random(100_000, 0, k=k).k == k
    assert Partition.random(1_000, 5) == Partition.random(1_000, np.random.default_rng(5))
    assert Partition.random(1_000, 5) != Partition.random(1_000, 6)
