"""Dom 2001, §7.2.1: "all 7 measures (Q0, Q2, Rand, Fowlkes, Gamma, Jacard and Hamming)"."""

from __future__ import annotations

import pytest
from mpmath import mp

import clustervet as cv
from clustervet.lab import desiderata, dom_study
from clustervet.lab.family import Grid, family

SEVEN = {
    *("dom_q0", "dom_q2", "rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming"),
}


@pytest.fixture(scope="module")
def study():
    return dom_study()


def code_length(shares, n):
    """Eq. 11 of expected counts, in bits per object, with the Gamma function of footnote 11."""
    classes = len(shares)
    total = mp.mpf(0)
    for column in zip(*shares, strict=True):
        size = mp.mpf(sum(column))
        total -= sum(p * mp.log(p / size, 2) for p in map(mp.mpf, column) if p)
        choices = mp.loggamma(n * size + classes) - mp.loggamma(n * size + 1) - mp.loggamma(classes)
        total += choices / mp.log(2) / n
    return total


def test_the_study_and_the_rules_are_about_the_seven_measures(study):
    assert set(study.values) == set(study.ranks) == SEVEN
    assert set(study.desiderata.measures) == SEVEN
    small = Grid(useful=[4, 5, 6], noise=0, error_noise=0)
    assert set(desiderata(None, small).measures) == SEVEN


def test_q0_has_the_value_of_its_formula_in_every_combination(study):
    for place in range(0, 760, 13):
        shares = family(*study.points[place])
        exact = code_length(shares[:, shares.any(axis=0)].tolist(), 500)
        assert study.values["dom_q0"][place] == pytest.approx(float(exact), rel=1e-12)


def test_both_forms_give_the_same_order(study):
    # §7: "Both forms of the measure obviously produce the same ordering".
    assert study.ranks["dom_q0"] == study.ranks["dom_q2"]
    (scatter,) = [scatter for scatter in study.scatters if scatter.key == "dom_q0"]
    assert scatter.figure == ""
    assert scatter.spearman == pytest.approx(1)
    assert scatter.kendall == pytest.approx(1)
    drawn = cv.plots.dom_figures(study)
    assert list(drawn) == [f"Figure {k}" for k in range(1, 8)] + ["dom_q0"]
    assert "exactly like" in drawn["dom_q0"].layout.meta["title"]


def test_q0_breaks_no_rule(study):
    found = {rule: row["dom_q0"].failed for rule, row in study.desiderata.verdicts.items()}
    assert found == dict.fromkeys(("P1", "P2", "P3", "P4", "P5"), 0)


def test_figures_1_and_2_show_q2_for_both_forms_unless_q0_is_asked_for(study):
    for sweep in study.sweeps:
        assert {curve.key for curve in sweep.curves} == SEVEN - {"dom_q0"}
    asked = dom_study(["dom_q0"])
    for sweep in asked.sweeps:
        assert [curve.key for curve in sweep.curves] == ["dom_q0", "dom_q2"]
