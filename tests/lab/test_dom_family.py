"""Dom 2001: the family of distributions (§6.1), expected tables (App. A) and grid (§7.2.1)."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import ClustervetError, ParameterError
from clustervet.lab.family import Grid, Point, expected_table, family

TABLE_1 = """
0.2 0.0 0.0 0.0 0.0
0.0 0.2 0.0 0.0 0.0
0.0 0.0 0.2 0.0 0.0
0.0 0.0 0.0 0.2 0.0
0.0 0.0 0.0 0.0 0.2
"""
TABLE_2 = """
0.16 0.01 0.01 0.01 0.01
0.01 0.16 0.01 0.01 0.01
0.01 0.01 0.16 0.01 0.01
0.01 0.01 0.01 0.16 0.01
0.01 0.01 0.01 0.01 0.16
"""
TABLE_3 = """
0.10 0.01 0.01 0.01 0.01 0.02 0.02 0.02
0.01 0.10 0.01 0.01 0.01 0.02 0.02 0.02
0.01 0.01 0.10 0.01 0.01 0.02 0.02 0.02
0.01 0.01 0.01 0.10 0.01 0.02 0.02 0.02
0.01 0.01 0.01 0.01 0.10 0.02 0.02 0.02
"""


@pytest.mark.parametrize(
    ("printed", "parameters"),
    [
        (TABLE_1, (5, 5, 0, 0, 0)),
        (TABLE_2, (5, 5, 0, 0.2, 0)),
        (TABLE_3, (5, 5, 3, 0.2, 0.3)),
    ],
    ids=["Table 1", "Table 2", "Table 3"],
)
def test_the_printed_tables(printed, parameters):
    rows = [line.split() for line in printed.split("\n") if line]
    digits = len(rows[0][0]) - 2
    found = family(*parameters)
    assert [[f"{p:.{digits}f}" for p in row] for row in found.tolist()] == rows
    assert found == pytest.approx(np.array(rows, float), rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("useful", "sizes"),
    [
        (5, [1, 1, 1, 1, 1]),
        (6, [2, 1, 1, 1, 1]),
        (7, [2, 2, 1, 1, 1]),
        (9, [2, 2, 2, 2, 1]),
        (10, [2, 2, 2, 2, 2]),
        (11, [3, 2, 2, 2, 2]),
        (13, [3, 3, 3, 2, 2]),
    ],
)
def test_classes_take_clusters_by_the_ceiling_rule(useful, sizes):
    owned = family(5, useful) > 0
    assert owned.sum(axis=1).tolist() == sizes
    assert (owned.sum(axis=0) == 1).all()
    owner = np.argmax(owned, axis=0)
    assert owner.tolist() == sorted(owner)
    assert family(5, useful)[owned] == pytest.approx(1 / 5 / np.repeat(sizes, sizes))


@pytest.mark.parametrize(
    ("useful", "sizes"), [(1, [5]), (2, [3, 2]), (3, [2, 2, 1]), (4, [2, 1, 1, 1])]
)
def test_clusters_take_classes_by_the_same_rule(useful, sizes):
    found = family(5, useful)
    assert (found > 0).sum(axis=0).tolist() == sizes
    assert ((found > 0).sum(axis=1) == 1).all()
    assert found[found > 0] == pytest.approx(1 / 5)


@st.composite
def members(draw):
    classes, useful, noise = draw(st.tuples(*[st.integers(1, 9)] * 2, st.integers(0, 4)))
    wrong = draw(st.integers(0, 10)) if classes > 1 and useful > 1 else 0
    blind = draw(st.integers(0, 10)) if noise else 0
    return classes, useful, noise, Fraction(wrong, 20), Fraction(blind, 20)


@given(members())
@settings(max_examples=120)
def test_the_equations_of_the_family(member):
    classes, useful, noise, wrong, blind = member
    found = family(*member)
    own = family(classes, useful) > 0
    right, noisy = found[:, :useful], found[:, useful:]
    assert found.shape == (classes, useful + noise)
    assert found.sum(axis=1) == pytest.approx(1 / classes)
    assert right[own].sum() == pytest.approx(float(1 - wrong - blind), abs=1e-15)
    assert right[~own].sum() == pytest.approx(float(wrong), abs=1e-15)
    assert noisy.sum() == pytest.approx(float(blind), abs=1e-15)
    for row, mine in zip(right, own, strict=True):
        assert row[mine] == pytest.approx(float((1 - wrong - blind) / classes / mine.sum()))
        if not mine.all():
            each = wrong / classes / int((~mine).sum())
            assert row[~mine] == pytest.approx(float(each), abs=1e-16)
    if noise:
        assert noisy == pytest.approx(float(blind / classes / noise), abs=1e-16)


def test_numbers_of_any_kind_are_taken():
    plain = family(4, 5, 1, 0.25, 0.5)
    assert (family(np.int8(4), np.int64(5), 1, Fraction(1, 4), np.float32(0.5)) == plain).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ((0, 2), "classes must be a whole number of at least 1, not 0"),
        ((2.5, 2), "classes must be a whole number of at least 1, not 2.5"),
        ((2, 0), "useful must be a whole number of at least 1"),
        (("2", 2), "classes must be a whole number of at least 1, not '2'"),
        ((True, 2), "classes must be a whole number of at least 1, not True"),
        ((2, 2, -1), "noise must be a whole number of at least 0"),
        ((2, 2, 0, -0.1), "error_useful is a probability between 0 and 1, not -0.1"),
        ((2, 2, 0, math.nan), "error_useful is a probability between 0 and 1, not nan"),
        ((2, 2, 0, "0.1"), "error_useful is a probability, not '0.1'"),
        ((2, 2, 0, None), "error_useful is a probability, not None"),
        ((2, 2, 1, 0, 1.5), "error_noise is a probability between 0 and 1, not 1.5"),
        ((2, 2, 1, 0.6, 0.5), "sum to at most 1, not to 1.1"),
        ((2, 2, 0, 0, 0.1), "no noise clusters to err into"),
        ((2, 1, 0, 0.1), "with one useful cluster no useful cluster is wrong"),
        ((1, 3, 0, 0.1), "with one class no useful cluster is wrong"),
    ],
)
def test_members_that_are_none(parameters, message):
    with pytest.raises(ParameterError, match=message) as caught:
        family(*parameters)
    assert str(caught.value).endswith(".")


def test_errors_may_take_all():
    assert family(2, 2, 1, 0.7, 0.3)[:, :2] == pytest.approx(np.array([[0, 0.35], [0.35, 0]]))
    assert (family(3, 3, 2, 0.1, 0.9) >= 0).all()


# ---------------------------------------------------------------- Appendix A


def draws(n, shares):
    """Every table of n draws with its exact probability."""
    cells = len(shares) * len(shares[0])
    flat = [p for row in shares for p in row]
    for bars in combinations(range(n + cells - 1), cells - 1):
        edges = [-1, *bars, n + cells - 1]
        counts = [b - a - 1 for a, b in pairwise(edges)]
        weight = Fraction(math.factorial(n))
        for count, p in zip(counts, flat, strict=True):
            weight *= p**count / math.factorial(count)
        yield counts, weight


def pairs_of_draws(counts, columns):
    """Pairs by whether they share class and cluster, object by object."""
    objects = [divmod(cell, columns) for cell, count in enumerate(counts) for _ in range(count)]
    found = dict.fromkeys(product((True, False), repeat=2), 0)
    for (c, k), (d, m) in combinations(objects, 2):
        found[c == d, k == m] += 1
    return list(found.values())


@pytest.mark.parametrize(
    "member",
    [(2, 2, 0, Fraction(1, 5), 0), (2, 2, 1, Fraction(1, 4), Fraction(1, 4)), (2, 3, 0, 0, 0)],
    ids=str,
)
@pytest.mark.parametrize("n", [2, 4])
def test_pair_counts_are_exact_expectations_over_all_tables(member, n):
    # Eqs. 24 to 30 by listing all tables; the members' shares are written out by hand.
    half = Fraction(1, 2)
    shares = {
        (2, 2, 0): [[half * 4 / 5, half / 5], [half / 5, half * 4 / 5]],
        (2, 2, 1): [[half / 2, half / 4, half / 4], [half / 4, half / 2, half / 4]],
        (2, 3, 0): [[half / 2, half / 2, Fraction(0)], [Fraction(0), Fraction(0), half]],
    }[member[:3]]
    assert family(*member) == pytest.approx(np.array(shares, float))
    expected = [Fraction(0)] * 4
    for counts, weight in draws(n, shares):
        found = pairs_of_draws(counts, len(shares[0]))
        expected = [e + weight * p for e, p in zip(expected, found, strict=True)]
    table = expected_table(family(*member), n)
    assert list(table.pairs) == pytest.approx([float(e) for e in expected], rel=1e-14, abs=1e-14)
    assert table.pairs.total == pytest.approx(math.comb(n, 2))


def test_sums_of_pairs_for_table_3():
    table = expected_table(family(5, 5, 3, 0.2, 0.3), 500)
    everything = math.comb(500, 2)
    cells = 5 * Fraction(10, 100) ** 2 + 20 * Fraction(1, 100) ** 2 + 15 * Fraction(2, 100) ** 2
    classes, clusters = 5 * Fraction(1, 5) ** 2, 5 * Fraction(14, 100) ** 2 + 3 * Fraction(1, 100)
    assert table.pairs.n11 == pytest.approx(float(everything * cells), rel=1e-14)
    assert table.pairs.same_class == pytest.approx(float(everything * classes), rel=1e-14)
    assert table.pairs.same_cluster == pytest.approx(float(everything * clusters), rel=1e-14)
    assert table.n == 500
    assert table.shape == (5, 8)


def test_whole_expectations_are_whole_counts():
    table = expected_table(family(5, 5, 0, 0.8), 500)
    assert table.is_whole
    assert set(table.counts.data.tolist()) == {20}
    assert cv.adjusted_mutual_information(table) == pytest.approx(0, abs=0.02)
    assert not expected_table(family(5, 5, 0, 0.1), 501).is_whole


def test_clusters_of_no_probability_are_left_out():
    assert family(2, 2, 3).shape == (2, 5)
    assert expected_table(family(2, 2, 3), 10).shape == (2, 2)


@pytest.mark.parametrize(
    ("shares", "n", "message"),
    [
        ([0.5, 0.5], 10, "not an array of shape"),
        ([[]], 10, "not an array of shape"),
        ([["a"]], 10, "a matrix of numbers"),
        ([[0.5, 0.4]], 10, "sums to 1, not to 0.9"),
        ([[1.5, -0.5]], 10, "smallest value -0.5"),
        ([[math.nan, 1]], 10, "sums to 1"),
        ([[0.5, 0.5]], 0, "n is a number of objects above 0, not 0"),
        ([[0.5, 0.5]], math.inf, "above 0, not inf"),
        ([[0.5, 0.5]], "9", "n is a number of objects, not '9'"),
        ([[0.5, 0.5]], True, "n is a number of objects, not True"),
    ],
)
def test_distributions_that_are_none(shares, n, message):
    with pytest.raises(ClustervetError, match=message):
        expected_table(shares, n)


# ---------------------------------------------------------------- the grid


def test_the_papers_760_combinations():
    grid = Grid()
    points = list(grid)
    assert len(grid) == len(points) == len(set(points)) == 760
    assert math.prod(len(values) for values in grid.to_dict().values()) == 1120
    assert all((p.noise == 0) == (p.error_noise == 0) for p in points)
    assert {p.classes for p in points} == {5}
    assert sorted({p.error_useful for p in points}) == pytest.approx([0, 0.0667, 0.1333, 0.2], 1e-3)
    for point in points:
        assert family(*point).sum() == pytest.approx(1)


def test_a_grid_takes_single_values_ranges_and_any_order():
    grid = Grid(classes=3, useful=range(4, 2, -1), noise={0}, error_useful=(0.5, 0, 0.5))
    assert (grid.classes, grid.useful, grid.noise) == ((3,), (3, 4), (0,))
    assert grid.error_useful == (0.0, 0.5)
    assert list(grid)[-1] == Point(3, 4, 0, 0.5, 0.0)
    assert str(list(grid)[-1]) == "classes=3, useful=4, noise=0, error_useful=0.5, error_noise=0"


def test_combinations_that_name_no_distribution_are_left_out():
    grid = Grid(
        classes=(1, 2), useful=(1, 2), noise=(0, 1), error_useful=(0, 0.6), error_noise=(0, 0.6)
    )
    assert {p[:2] for p in grid if p.error_useful} == {(2, 2)}
    assert all(p.error_useful + p.error_noise <= 1 for p in grid)
    assert len(grid) == 9


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"useful": []}, "at least one value of useful"),
        ({"useful": [0, 1]}, "useful must be a whole number of at least 1, not 0"),
        ({"noise": "3"}, "noise must be a whole number of at least 0, not '3'"),
        ({"error_noise": [2]}, "error_noise is a probability between 0 and 1, not 2"),
    ],
)
def test_grids_that_are_none(fields, message):
    with pytest.raises(ParameterError, match=message):
        Grid(**fields)
