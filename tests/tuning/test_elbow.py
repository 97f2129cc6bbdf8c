from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kneed import KneeLocator
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from clustervet.errors import ParameterError
from clustervet.tuning import find_elbow, find_hartigan

WIDE = range(2, 21)


def broken_line(k, corner, before, after):
    """A curve that falls like k^-before up to the corner and like k^-after beyond."""
    k = np.asarray(k, float)
    return np.where(k <= corner, k**-before, corner ** (after - before) * k**-after)


def ssq_curve(points, ks, n_init=3):
    with threadpool_limits(1):
        return [KMeans(k, n_init=n_init, random_state=0).fit(points).inertia_ for k in ks]


def total_ssq(points):
    return float(((points - points.mean(axis=0)) ** 2).sum())


@settings(max_examples=100)
@given(
    d=st.floats(1, 50),
    first=st.integers(1, 10),
    length=st.integers(4, 30),
    scale=st.floats(1e-6, 1e9),
)
def test_a_power_of_k_has_no_elbow_whatever_its_range(d, first, length, scale):
    k = np.arange(first, first + length)
    choice = find_elbow(k, scale * k ** (-2.0 / d))
    assert not choice.clear
    assert choice.strength < 1e-6
    assert choice.why == "no clear elbow"


@settings(max_examples=100)
@given(corner=st.integers(2, 14), after=st.floats(0.1, 1), ratio=st.floats(2.5, 15))
def test_the_corner_of_a_broken_line_is_found_with_its_strength(corner, after, ratio):
    curve = broken_line(WIDE, corner, ratio * after, after)
    choice = find_elbow(WIDE, curve, start=1.0)
    assert (choice.value, choice.index, choice.clear) == (corner, corner - 2, True)
    # Half the mean fall is the least that counts as a fall after the elbow.
    mean = (ratio * after * math.log(corner) + after * math.log(20 / corner)) / math.log(20)
    assert choice.strength == pytest.approx(1 - max(after, mean / 2) / (ratio * after))


@pytest.mark.parametrize("last", [9, 14, 20, 40])
def test_the_elbow_stays_when_the_range_grows(last):
    k = range(2, last + 1)
    assert find_elbow(k, broken_line(k, 5, 3.0, 0.5), start=1.0).value == 5


@pytest.mark.parametrize("k", [[2, 4, 6, 8, 10, 12, 14], [2, 3, 5, 6, 10, 15, 20, 30]])
def test_numbers_of_clusters_need_not_be_consecutive(k):
    choice = find_elbow(k, broken_line(k, 6, 3.0, 0.5), start=1.0)
    assert choice.value == 6
    assert choice.clear


def test_two_clusters_are_an_elbow_only_beside_one_cluster():
    curve = broken_line(WIDE, 2, 4.0, 0.5)
    assert find_elbow(WIDE, curve, start=1.0).value == 2
    assert not find_elbow(WIDE, curve).clear


def test_a_step_into_a_poor_local_optimum_is_no_elbow():
    curve = broken_line(WIDE, 100, 1.0, 1.0)
    curve[WIDE.index(9)] = curve[WIDE.index(8)]  # nine clusters no better than eight
    choice = find_elbow(WIDE, curve, start=1.0)
    assert not choice.clear


def test_a_curve_that_rises_counts_as_flat():
    bumpy = [100, 20, 25, 24, 26, 25, 27]
    flat = [100, 20, 20, 20, 20, 20, 20]
    k = range(2, 9)
    assert find_elbow(k, bumpy, start=150) == find_elbow(k, flat, start=150)


def test_a_curve_that_never_falls_has_no_elbow():
    choice = find_elbow(WIDE, np.arange(1.0, 20.0))
    assert (choice.value, choice.strength, choice.clear) == (None, 0.0, False)


def test_undefined_values_are_skipped_and_counted():
    curve = broken_line(WIDE, 6, 3.0, 0.5)
    curve[[1, 8, 12]] = math.nan
    choice = find_elbow(WIDE, curve, start=1.0)
    assert (choice.value, choice.index, choice.skipped) == (6, 4, 3)


def test_points_in_few_places_have_an_elbow_at_their_number():
    curve = [90.0, 40.0, 0.0, 0.0, 0.0, 0.0]
    choice = find_elbow(range(2, 8), curve, start=120.0)
    assert choice.value == 4
    assert choice.clear


def test_no_scatter_at_all_has_no_elbow():
    assert not find_elbow(WIDE, np.zeros(19), start=0.0).clear


@pytest.mark.parametrize("curve", [[5.0, 4.0], [5.0, math.nan, math.nan, 2.0], [math.nan] * 4])
def test_too_few_points_are_said_to_be_too_few(curve):
    choice = find_elbow(range(2, 2 + len(curve)), curve)
    assert not choice.clear
    assert "needs four numbers of clusters" in choice.why


def test_a_fall_at_the_end_of_the_range_is_said_to_be_there():
    curve = broken_line(range(2, 11), 100, 0.5, 0.5)
    curve[-1] /= 10
    choice = find_elbow(range(2, 11), curve, start=1.0)
    assert "falls most steeply at the end of the range" in choice.why


def test_a_gain_below_its_price_counts_as_flat():
    k = np.arange(2, 12)
    gains = np.array([400.0, 300, 9, 8, 9, 8, 9, 8, 9])
    misfit = 1_000 - np.concatenate([[0], np.cumsum(gains)])
    dear, cheap = 10.0 * k, 300.0 * k
    options = {"start": 1_500.0, "logarithm": False}
    assert find_elbow(k, misfit, prices=dear, **options).value == 4
    assert not find_elbow(k, misfit, prices=cheap, **options).clear


@pytest.mark.parametrize(
    ("k", "curve", "message"),
    [
        ([2, 3, 4, 5], [1.0, 2.0], "a curve has a number for each parameter value"),
        ([2, 3, 3, 5], [4.0, 3.0, 2.0, 1.0], "positive and rising"),
        ([0, 1, 2, 3], [4.0, 3.0, 2.0, 1.0], "positive and rising"),
        (["a", "b", "c", "d"], [4.0, 3.0, 2.0, 1.0], "not all values are numbers"),
        ([2, 3, 4, 5], [4.0, 3.0, 2.0, -1.0], "negative values"),
    ],
)
def test_what_is_no_curve_over_clusters_is_refused(k, curve, message):
    with pytest.raises(ParameterError, match=message):
        find_elbow(k, curve)


# Data, clustered by k-means. `studies/tuning_accuracy.py` is the full version.


def structureless():
    rng = np.random.default_rng(5)
    for d in (2, 3, 5, 10, 20):
        yield rng.uniform(size=(150, d))
        yield rng.normal(size=(150, d))


def blobs(k, d, seed):
    rng = np.random.default_rng([k, d, seed])
    centres = rng.uniform(-1, 1, (k, d))
    gaps = np.linalg.norm(centres[:, None] - centres, axis=2)[np.triu_indices(k, 1)]
    return np.concatenate([rng.normal(8 * c / gaps.min(), 1, (30, d)) for c in centres])


def knee(ks, curve):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return KneeLocator(ks, curve, curve="convex", direction="decreasing").knee


def test_structureless_data_has_no_clear_elbow_where_kneed_always_names_one():
    ks = range(2, 13)
    clear = named = 0
    for points in structureless():
        curve = ssq_curve(points, ks)
        clear += find_elbow(ks, curve, start=total_ssq(points)).clear
        named += knee([1, *ks], [total_ssq(points), *curve]) is not None
    assert clear == 0
    assert named == 10


def test_the_number_of_separated_clusters_is_found_where_kneed_errs():
    ks = range(2, 16)
    ours = theirs = 0
    cases = [(k, d) for k in (2, 3, 5, 8) for d in (2, 10)]
    for k, d in cases:
        points = blobs(k, d, 0)
        curve = ssq_curve(points, ks)
        choice = find_elbow(ks, curve, start=total_ssq(points))
        ours += choice.clear and choice.value == k
        theirs += knee([1, *ks], [total_ssq(points), *curve]) == k
    assert ours == len(cases)
    assert theirs < len(cases)


def test_the_knee_of_kneed_moves_with_the_range():
    def curve(last):
        k = np.arange(1, last + 1)
        return k, 600.0 / k

    assert knee(*curve(10)) != knee(*curve(60))
    assert not any(find_elbow(*curve(last)).clear for last in (10, 60))


# Hartigan's rule


def hartigan_by_definition(ks, ssq, n):
    for k, here, there in zip(ks[:-1], ssq[:-1], ssq[1:], strict=True):
        if (here / there - 1) * (n - k - 1) <= 10:
            return k
    return None


@settings(max_examples=100)
@given(drops=st.lists(st.floats(0.3, 1.0), min_size=4, max_size=12), n=st.integers(20, 500))
def test_hartigans_rule_is_its_definition(drops, n):
    ssq = 1_000 * np.cumprod([1.0, *drops])
    ks = list(range(1, len(ssq) + 1))
    expected = hartigan_by_definition(ks, ssq, n)
    choice = find_hartigan(ks[1:], ssq[1:], n, start=float(ssq[0]))
    if expected in (None, 1):
        assert choice.value is None
        assert not choice.clear
    else:
        assert choice.value == expected


def test_hartigans_rule_passes_over_gaps_and_ends():
    assert (
        find_hartigan([2, 4, 6], [9.0, 5.0, 3.0], 100).why == "Hartigan's statistic stays above 10"
    )
    assert "end of the range" in find_hartigan([3, 4, 5], [60.0, 59.0, 58.0], 100).why
    assert find_hartigan([2, 3, 4], [50.0, 0.0, 0.0], 100, start=90.0).value == 3
    found = find_hartigan([2, 3, 4], [100.0, 60.0, 58.0], 50, start=101.0)
    assert found.why == "Hartigan's statistic asks for no second cluster"


def test_a_statistic_that_falls_slowly_passes_10_only_gradually():
    found = find_hartigan([2, 3, 4, 5], [80.0, 72.0, 65.5, 60.0], 100, start=100.0)
    assert (found.value, found.clear) == (3, False)
    assert found.why == "Hartigan's statistic passes 10 only gradually"
    before, here = (80 / 72 - 1) * 97, (72 / 65.5 - 1) * 96
    assert found.strength == pytest.approx(1 - here / before)
