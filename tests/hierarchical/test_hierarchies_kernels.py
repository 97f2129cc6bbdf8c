"""Compiled sums over trees equal the plain ones, and those of all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tree_cases import pairs, random_linkage

import clustervet as cv
from clustervet._kernels.patience import compiled_always
from clustervet.hierarchical.joint import correlation, joint_squares
from clustervet.hierarchical.shape import extremes


@given(pairs(least=2))
@settings(max_examples=60)
def test_small_trees_are_the_same_when_compiled(sides: Any) -> None:
    pair = cv.TreePair.of(sides[0][0], sides[1][0])
    one, two = pair.truth, pair.pred
    cuts = [(one.cuts[k], two.cuts[k]) for k in sorted({*one.cuts} & {*two.cuts}, reverse=True)]
    plain = correlation(one, two, one.heights, two.heights), joint_squares(one, two, cuts)
    with compiled_always():
        found = correlation(one, two, one.heights, two.heights), joint_squares(one, two, cuts)
    assert found[1] == plain[1]
    assert found[0] == (None if plain[0] is None else pytest.approx(plain[0], abs=1e-12))


@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("ties", [0, 1])
def test_all_cuts_of_trees_of_many_leaves(chain: bool, ties: int) -> None:
    """Each table is counted by itself, from labels that the trees give."""
    rng = np.random.default_rng(7)
    one, two = random_linkage(400, rng, ties, chain), random_linkage(400, rng, ties)
    with compiled_always():
        curve = cv.b_k(one, two)
    left, right = cv.Hierarchy(one), cv.Hierarchy(two)
    for k in curve.ks.tolist()[::7]:
        theirs = cv.fowlkes_mallows(left.cut(k), right.cut(k))
        assert curve[k] == pytest.approx(theirs, abs=1e-12)


def test_a_star_and_a_caterpillar() -> None:
    """Nodes of many children take no more steps than others."""
    n = 3_000
    star = "(" + ",".join(f"({2 * k},{2 * k + 1})" for k in range(n // 2)) + ");"
    pair = cv.TreePair.of(
        star, cv.Hierarchy(random_linkage(n, np.random.default_rng(1), chain=True), range(n))
    )
    with compiled_always():
        found = cv.cophenetic_correlation(pair)
    x, y = pair.truth, pair.pred
    small = pair.take(np.arange(1_000))
    with compiled_always():
        part = cv.cophenetic_correlation(small)
    assert part == pytest.approx(cv.cophenetic_correlation(small), abs=1e-12)
    assert -1 <= found <= 1
    assert x.inner == n // 2 + 1
    assert y.depths.max() == n - 1


def test_largest_and_least_of_ranges() -> None:
    rng = np.random.default_rng(0)
    values = rng.permutation(50)
    starts = rng.integers(0, 49, 200)
    ends = np.minimum(50, starts + 1 + rng.integers(0, 50, 200))
    low, high = extremes(values, starts, ends)
    for k in range(200):
        part = values[starts[k] : ends[k]]
        assert (low[k], high[k]) == (part.min(), part.max())


def test_few_thousand_leaves_never_load_a_compiler() -> None:
    import subprocess
    import sys

    code = """
import sys
import numpy as np
import clustervet as cv
rows = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 3.0, 4]])
cv.b_k(rows, rows)
cv.cophenetic_correlation(cv.Hierarchy(rows, list("abcd")), "((a,c),(b,d));")
sys.exit("numba" in sys.modules or "scipy.cluster" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
