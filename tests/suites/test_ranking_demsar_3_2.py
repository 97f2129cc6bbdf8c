"""Ranks over data sets against scipy, scikit-posthocs, baycomp, autorank and printed numbers."""

from __future__ import annotations

import warnings
from fractions import Fraction
from itertools import combinations, product

import baycomp
import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from autorank import autorank
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from clustervet.suites.ranking import RankedScores, signed_rank_p, signed_rank_posterior

# Demšar 2006, table 6: AUC of four variants of C4.5 on 14 data sets.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")


def ranked(scores, posthoc="nemenyi", alpha=0.05, rope=0.0, names=None):
    names = names or tuple(f"a{k}" for k in range(scores.shape[1]))
    return RankedScores(names, np.asarray(scores, float), posthoc, alpha, rope, 0)


def drawn(sets=12, many=4, seed=0):
    return np.random.default_rng(seed).normal(size=(sets, many)) + np.arange(many) / 2


def test_the_example_of_demsar_2006():
    found = ranked(DEMSAR, names=NAMES)
    # Printed: average ranks 3.143, 2.000, 2.893, 1.964 (table 6), chi-square 9.28 without the
    # correction for ties, which makes it larger (§3.2.2), and CD 1.25 at 5%, 1.12 at 10%.
    assert found.mean_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    plain = 12 * 14 / (4 * 5) * ((found.mean_ranks**2).sum() - 4 * 5**2 / 4)
    assert plain == pytest.approx(9.28, abs=5e-3)
    assert found.friedman[0] > plain
    assert found.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert ranked(DEMSAR, alpha=0.1).critical_difference == pytest.approx(1.12, abs=5e-3)


@pytest.mark.parametrize("seed", range(5))
def test_the_friedman_test_is_that_of_scipy_also_with_ties(seed):
    scores = drawn(seed=seed).round(seed % 2)
    wanted = stats.friedmanchisquare(*scores.T)
    assert ranked(scores).friedman == pytest.approx((wanted.statistic, wanted.pvalue), rel=1e-12)


def test_there_is_no_friedman_test_of_two_algorithms_or_one_set():
    assert ranked(drawn(many=2)).friedman is None
    assert ranked(drawn(sets=1)).friedman is None
    assert ranked(drawn(sets=1)).p_values == {}


def test_two_algorithms_are_compared_by_signed_ranks():
    scores = drawn(many=2)
    found = ranked(scores, "nemenyi")
    assert found.critical_difference is None
    assert found.p_values[0, 1] == pytest.approx(stats.wilcoxon(*scores.T).pvalue)


def test_equal_scores_have_no_difference():
    found = ranked(np.ones((5, 3)), "wilcoxon")
    assert found.friedman == (0.0, 1.0)
    assert set(found.p_values.values()) == {1.0}
    assert found.groups == (("a0", "a1", "a2"),)


@pytest.mark.parametrize("seed", range(5))
def test_nemenyi_is_that_of_scikit_posthocs(seed):
    scores = drawn(seed=seed)
    wanted = scikit_posthocs.posthoc_nemenyi_friedman(-scores).to_numpy()
    found = ranked(scores).p_values
    assert [found[pair] for pair in combinations(range(4), 2)] == pytest.approx(
        [wanted[pair] for pair in combinations(range(4), 2)], abs=1e-9
    )


@pytest.mark.parametrize("seed", range(5))
def test_signed_ranks_with_holm_are_those_of_scikit_posthocs(seed):
    scores = drawn(seed=seed)
    long = pd.DataFrame(scores).melt()
    wanted = scikit_posthocs.posthoc_wilcoxon(
        long, val_col="value", group_col="variable", p_adjust="holm"
    ).to_numpy()
    found = ranked(scores, "wilcoxon").p_values
    for pair, p_value in found.items():
        assert p_value == pytest.approx(wanted[pair], abs=1e-12)


@given(st.lists(st.integers(-4, 4).filter(bool), min_size=1, max_size=8))
def test_signed_ranks_with_ties_are_those_of_all_signs(gaps):
    ranks = [Fraction(rank).limit_denominator(2) for rank in stats.rankdata(np.abs(gaps))]
    middle = sum(ranks) / 2
    observed = abs(sum(r for r, gap in zip(ranks, gaps, strict=True) if gap > 0) - middle)
    found = [
        abs(sum(r for r, up in zip(ranks, signs, strict=True) if up) - middle) >= observed
        for signs in product((False, True), repeat=len(gaps))
    ]
    assert signed_rank_p(np.array(gaps, float)) == pytest.approx(sum(found) / len(found), rel=1e-12)


def test_signed_ranks_of_many_differences_are_those_of_scipy():
    gaps = np.random.default_rng(0).normal(0.1, size=500)
    assert signed_rank_p(gaps) == pytest.approx(stats.wilcoxon(gaps).pvalue, rel=1e-9)
    few = gaps[:40]
    assert signed_rank_p(few) == pytest.approx(stats.wilcoxon(few, method="exact").pvalue, rel=1e-9)
    near = gaps[:199]
    assert signed_rank_p(near) == pytest.approx(stats.wilcoxon(near).pvalue, rel=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_ranks_and_critical_difference_are_those_of_autorank(seed):
    scores = drawn(sets=20, many=5, seed=seed)
    with warnings.catch_warnings(action="ignore"):
        wanted = autorank(
            pd.DataFrame(scores, columns=list("abcde")),
            alpha=0.05,
            force_mode="nonparametric",
        )
    found = ranked(scores, names=tuple("abcde"))
    assert wanted.omnibus == "friedman"
    assert dict(zip(found.names, found.mean_ranks, strict=True)) == pytest.approx(
        wanted.rankdf["meanrank"].to_dict()
    )
    assert found.friedman[1] == pytest.approx(wanted.pvalue, rel=1e-9)
    assert found.critical_difference == pytest.approx(wanted.cd, rel=1e-3)


@pytest.mark.parametrize("rope", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_the_bayesian_signed_rank_test_is_that_of_baycomp(rope, seed):
    first, second = drawn(sets=15, many=2, seed=seed).T
    found = signed_rank_posterior(first - second, rope, np.random.default_rng(0))
    sample = baycomp.SignedRankTest.sample(second, first, rope, nsamples=4_000, random_state=seed)
    winners = np.bincount(np.argmax(sample, axis=1), minlength=3) / len(sample)
    # Both draw: five standard errors of the smaller sample.
    assert found == pytest.approx(winners[::-1], abs=5 * 0.5 / np.sqrt(4_000))
    assert sum(found) == pytest.approx(1)


@given(arrays(float, (6, 3), elements=st.floats(-9, 9).map(lambda x: round(x, 2))))
def test_ranks_of_a_set_add_up_and_pairs_are_counted_whole(scores):
    found = ranked(scores)
    assert found.ranks.sum(axis=1) == pytest.approx(np.full(6, 6.0))
    for pair in found.pairs:
        assert pair.wins + pair.ties + pair.losses == 6
    wins = {(p.first, p.second): (p.wins, p.losses) for p in found.pairs}
    back = {
        (p.second, p.first): (p.losses, p.wins)
        for p in ranked(scores[:, ::-1], names=("a2", "a1", "a0")).pairs
    }
    assert wins == back


@given(arrays(float, (5, 4), elements=st.floats(-9, 9)), st.permutations(range(5)))
def test_the_order_of_sets_changes_nothing(scores, order):
    one, other = ranked(scores), ranked(scores[order])
    assert one.mean_ranks == pytest.approx(other.mean_ranks)
    assert list(one.p_values.values()) == pytest.approx(list(other.p_values.values()))


def test_groups_join_neighbours_of_which_no_two_differ():
    # Three levels, each of two algorithms that take turns.
    rng = np.random.default_rng(0)
    scores = np.repeat([[30, 20, 10]], 40, axis=0).repeat(2, axis=1) + rng.normal(size=(40, 6))
    found = ranked(scores, names=tuple("abcdef"))
    assert {frozenset(group) for group in found.groups} == {
        frozenset("ab"),
        frozenset("cd"),
        frozenset("ef"),
    }
