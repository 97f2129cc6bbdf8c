from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.errors import ParameterError
from clustervet.tuning import Choice, find_gap, find_optimum

KS = list(range(2, 21))


def peak(at, height=0.8, floor=0.3):
    """A curve that is best at one number of clusters and falls away over a factor of two."""
    return [floor + (height - floor) * max(0.0, 1 - abs(math.log2(k / at))) for k in KS]


@pytest.mark.parametrize("at", [3, 5, 10, 12])
def test_a_peak_is_found_and_clear(at):
    choice = find_optimum(KS, peak(at), clusters=KS)
    assert (choice.value, choice.clear, choice.why) == (at, True, None)


@settings(max_examples=100)
@given(
    st.lists(st.floats(0.01, 10), min_size=19, max_size=19), st.sampled_from(["higher", "lower"])
)
def test_the_strength_is_the_share_by_which_the_best_beats_what_is_no_neighbour(curve, better):
    choice = find_optimum(KS, curve, better, clusters=KS)
    best = max(curve) if better == "higher" else min(curve)
    here = KS[curve.index(best)] if curve.count(best) == 1 else choice.value
    assert choice.value == here
    far = [x for k, x in zip(KS, curve, strict=True) if 2 * k >= 3 * here or 3 * k <= 2 * here]
    rival = max(far) if better == "higher" else min(far)
    share = 1 - rival / best if better == "higher" else 1 - best / rival
    assert choice.strength == pytest.approx(max(0.0, share), abs=1e-12)


def test_lower_is_better_for_some():
    choice = find_optimum(KS, [1 - x for x in peak(6)], "lower", clusters=KS)
    assert choice.value == 6
    assert choice.clear


@pytest.mark.parametrize(("curve", "value"), [(np.linspace(0.1, 0.9, 19), 20)])
def test_the_end_of_the_range_is_not_clear(curve, value):
    choice = find_optimum(KS, curve, clusters=KS)
    assert (choice.value, choice.clear) == (value, False)
    assert choice.why == "the best value lies at the end of the range"


def test_two_clusters_may_win_but_must_stand_out_more():
    falling = [0.8, 0.55, *[0.3] * 17]
    assert find_optimum(KS, falling, clusters=KS).clear
    assert find_optimum(KS, falling).why == "the best value lies at the end of the range"
    gentle = [0.8, 0.65, *[0.3] * 17]
    assert find_optimum(KS, gentle, clusters=KS).why == "no value stands out"
    # The same margin is enough inside the range.
    inside = [0.65, 0.65, 0.8, 0.75, 0.65, *[0.3] * 14]
    assert find_optimum(KS, inside, clusters=KS).clear


def test_a_flat_curve_has_no_value_that_stands_out():
    rng = np.random.default_rng(0)
    choice = find_optimum(KS, 0.5 + 0.02 * rng.random(19), clusters=KS)
    assert not choice.clear


def test_silhouettes_below_zero_choose_nothing():
    choice = find_optimum(KS, np.array(peak(6)) - 1, clusters=KS)
    assert (choice.value, choice.strength, choice.clear) == (6, 0.0, False)


def test_undefined_values_are_skipped_and_counted():
    curve = peak(6)
    curve[0] = curve[10] = math.nan
    choice = find_optimum(KS, curve, clusters=KS)
    assert (choice.value, choice.skipped) == (6, 2)


@pytest.mark.parametrize("curve", [[math.nan] * 3, [0.5, math.nan, math.nan]])
def test_fewer_than_two_defined_values_choose_nothing(curve):
    choice = find_optimum([2, 3, 4], curve)
    assert (choice.value, choice.clear) == (None, False)
    assert "at least two values must have a number" in choice.why


def test_an_infinite_value_beats_all_finite_ones():
    choice = find_optimum(KS, [*peak(6)[:8], math.inf, *peak(6)[9:]], clusters=KS)
    assert (choice.value, choice.strength, choice.clear) == (10, 1.0, True)


def test_values_in_a_row_with_as_many_clusters_are_one_answer():
    eps = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    clusters = [9, 3, 3, 3, 2, 1]
    silhouettes = [0.1, 0.7, 0.7, 0.7, 0.4, math.nan]
    choice = find_optimum(eps, silhouettes, clusters=clusters)
    assert (choice.value, choice.clear) == (0.3, True)  # the middle of the row
    assert choice.strength == pytest.approx(1 - 0.4 / 0.7)


def test_names_have_no_order_and_no_ends():
    choice = find_optimum(["ward", "average", "single"], [0.6, 0.5, 0.2], clusters=[3, 3, 3])
    assert (choice.value, choice.clear) == ("ward", True)
    assert choice.strength == pytest.approx(1 - 0.5 / 0.6)


def test_odds_are_those_of_an_information_criterion():
    curve = [500.0, 480.0, 460.0, 472.0, 490.0]
    choice = find_optimum([2, 3, 4, 5, 6], curve, "lower", scale="odds")
    assert choice.value == 4
    assert choice.strength == pytest.approx(1 - math.exp(-(472 - 460) / 2))
    assert choice.clear
    near = find_optimum([2, 3, 4, 5, 6], [500, 480, 460, 461, 490], "lower", scale="odds")
    assert near.why == "no value stands out"


def test_one_cluster_may_do_better():
    choice = find_optimum([2, 3, 4], [480.0, 460.0, 490.0], "lower", scale="odds", start=450.0)
    assert (choice.clear, choice.strength) == (False, 0.0)
    assert choice.why == "one cluster does better than any value"


def test_a_range_is_the_scale_where_nothing_else_is():
    choice = find_optimum([2, 3, 4, 5, 6, 7], [-9.0, -8, -2, -8, -9, -10], scale="range")
    assert choice.value == 4
    assert choice.strength == pytest.approx(7 / 8)


def test_only_two_directions_exist():
    with pytest.raises(ParameterError, match="better must be"):
        find_optimum([2, 3], [1.0, 2.0], "neither")


# The gap statistic's rule


@settings(max_examples=100)
@given(
    st.lists(st.tuples(st.floats(0, 3), st.floats(0.001, 0.3)), min_size=3, max_size=12),
)
def test_the_gap_rule_is_its_definition(curve):
    gaps, errors = [list(column) for column in zip(*curve, strict=True)]
    ks = list(range(1, len(gaps) + 1))
    holds = [
        k
        for k, here, there, error in zip(ks, gaps, gaps[1:], errors[1:], strict=False)
        if here >= there - error
    ]
    choice = find_gap(ks[1:], gaps[1:], errors[1:], start=(gaps[0], errors[0]))
    if not holds:
        assert choice.why == "the gap still rises at the end of the range"
    elif holds[0] == 1:
        assert choice.why == "the gap statistic prefers one cluster"
    else:
        assert (choice.value, choice.clear) == (holds[0], True)
        assert 0 <= choice.strength <= 1


def test_the_gap_rule_without_one_cluster_and_with_holes():
    first = find_gap([2, 3, 4], [0.9, 0.5, 0.4], [0.1] * 3)
    assert (first.value, first.clear) == (2, False)
    holes = find_gap([2, 3, 4, 5], [0.2, math.nan, 0.9, 0.8], [0.05] * 4, start=(0.1, 0.05))
    assert (holes.value, holes.skipped) == (4, 1)
    assert "two numbers of clusters" in find_gap([2], [0.5], [0.1]).why


def test_a_choice_reads_as_its_value_or_its_reason():
    assert str(Choice(3, 1, 0.8, True, "elbow")) == "3"
    assert str(Choice(3, 1, 0.1, False, "elbow", "no clear elbow")) == "no clear elbow"
    assert Choice(3, 1, 0.8, True, "elbow").to_dict()["strength"] == 0.8
