"""The study of Dom 2001, §7: sweeps, ranks against Q2, and Q0 beside its asymptotic form."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp
from scipy import stats

import clustervet as cv
from clustervet.errors import ParameterError
from clustervet.lab.dom import dom_study
from clustervet.lab.family import expected_table, family

DRAWN = {"rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming", "dom_q2"}
PAPER = DRAWN | {"dom_q0"}
PARTS = ("table1", "table2", "table3", "figure1", "figure2", "ranks", "limits")
FALLING = pytest.mark.parametrize("key", sorted(DRAWN))


@pytest.fixture(scope="module")
def study():
    """The whole of §7."""
    return dom_study()


def curve(sweep, key):
    return next(c for c in sweep.curves if c.key == key)


# ---------------------------------------------------------------- Figs. 1 and 2


@FALLING
@pytest.mark.parametrize("figure", [0, 1])
def test_all_measures_fall_from_one_along_both_sweeps(study, figure, key):
    # §7.1.
    values = np.array(curve(study.sweeps[figure], key).values)
    assert values[0] == 1
    assert (np.diff(values) < 0).all()
    scaled = curve(study.sweeps[figure], key).scaled
    assert (scaled[0], scaled[-1]) == (1, 0)
    assert scaled[9] == pytest.approx((values[9] - values[-1]) / (1 - values[-1]))


def test_the_sweep_over_errors_has_closed_forms(study):
    sweep = study.sweeps[0]
    assert (sweep.figure, sweep.x[0], sweep.x[-1], len(sweep.x)) == ("Figure 1", 0, 0.8, 41)
    for place in (1, 10, 25, 40):
        error = Fraction(place, 50)
        both = 5 * ((1 - error) / 5) ** 2 + 20 * (error / 20) ** 2  # E{a00} over all pairs
        margin = Fraction(1, 5)
        expected = {
            "rand": 1 + 2 * both - 2 * margin,
            "fowlkes_mallows": both / margin,
            "jaccard": both / (2 * margin - both),
            "hubert_gamma": (both - margin**2) / (margin * (1 - margin)),
            "hamming": max(1 - error, error / 4),
        }
        for key, value in expected.items():
            assert curve(sweep, key).values[place] == pytest.approx(float(value), abs=1e-14)
        left = -sum(p * mp.log(p, 2) for p in (1 - error, *[error / 4] * 4) if p)
        cost = mp.log(mp.binomial(104, 4), 2) / 100
        assert curve(sweep, "dom_q2").values[place] == pytest.approx(float(cost / (left + cost)))


def test_the_sweep_over_useful_clusters(study):
    sweep = study.sweeps[1]
    assert (sweep.figure, sweep.x[0], sweep.x[-1], len(sweep.x)) == ("Figure 2", 6, 60, 55)
    # At 60 each class is split into 10 equal clusters.
    assert curve(sweep, "jaccard").values[-1] == pytest.approx(0.1)
    assert curve(sweep, "fowlkes_mallows").values[-1] == pytest.approx(math.sqrt(0.1))
    assert curve(sweep, "rand").values[-1] == pytest.approx(float(1 - Fraction(9, 10) / 6))
    assert curve(sweep, "hamming").values[-1] == pytest.approx(0.55)


# ---------------------------------------------------------------- Figs. 3 to 7


def test_the_figures_and_their_measures(study):
    assert {s.figure: s.key for s in study.scatters} == {
        "Figure 3": "hubert_gamma",
        "Figure 4": "fowlkes_mallows",
        "Figure 5": "hamming",
        "Figure 6": "jaccard",
        "Figure 7": "rand",
        "": "dom_q0",
    }
    assert [s.figure for s in study.scatters[:5]] == [f"Figure {k}" for k in range(3, 8)]
    assert len(study.points) == 760


@pytest.mark.parametrize("place", range(5))
def test_ranks_and_correlations_are_those_of_a_peer(study, place):
    scatter = study.scatters[place]
    assert len(scatter.x) == len(scatter.y) == len(study.points)
    # Twelve digits are far above rounding and far below any real difference.
    x, y = (np.round(side, 12) for side in (scatter.x, scatter.y))
    assert list(scatter.x_ranks) == stats.rankdata(-x).tolist()
    assert list(scatter.y_ranks) == stats.rankdata(-y).tolist()
    assert scatter.spearman == pytest.approx(stats.spearmanr(x, y).statistic)
    assert scatter.kendall == pytest.approx(stats.kendalltau(x, y).statistic)
    assert study.ranks[scatter.key] == scatter.y_ranks
    assert study.ranks["dom_q2"] == scatter.x_ranks


def test_correlated_with_q2_but_not_the_same(study):
    # §7.2.1: clearly correlated, yet different rankings.
    found = {s.key: (round(s.spearman, 4), round(s.kendall, 4)) for s in study.scatters}
    assert found == {
        "hubert_gamma": (0.9261, 0.7703),
        "fowlkes_mallows": (0.8663, 0.6738),
        "hamming": (0.8353, 0.6412),
        "jaccard": (0.8177, 0.6205),
        "rand": (0.8958, 0.7214),
        "dom_q0": (1.0, 1.0),
    }


def test_values_are_those_of_the_tables(study):
    place = study.points.index((5, 7, 2, 2 / 15, 0.2))
    table = expected_table(family(5, 7, 2, 2 / 15, 0.2), 500)
    for key in PAPER:
        assert study.values[key][place] == cv.measures[key](table)


# ---------------------------------------------------------------- eq. 13


@pytest.mark.parametrize("place", range(3))
def test_the_asymptotic_form_nears_the_exact_one(study, place):
    limit = study.asymptotes[place]
    gaps = [a - e for a, e in zip(limit.asymptotic, limit.exact, strict=True)]
    assert gaps == sorted(gaps, reverse=True)
    assert 0 < gaps[-1] < 1e-6
    clusters = 8 if place == 2 else 5
    for n, value, entropy in zip(limit.n, limit.asymptotic, limit.entropy, strict=True):
        cost = clusters * 4 * mp.log(n, 2) / n
        assert value == pytest.approx(float(entropy + cost))
    assert len(set(np.round(limit.entropy, 12))) == 1


def test_the_entropies_of_the_printed_tables(study):
    def bits(*shares):
        return float(-sum(p * mp.log(p, 2) for p in shares))

    # Table 3: five clusters of .14 with cells .10 and four of .01, three of .10 that say nothing.
    third = 0.7 * bits(10 / 14, *[1 / 14] * 4) + 0.3 * bits(*[0.2] * 5)
    expected = [0, bits(0.8, *[0.05] * 4), third]
    found = [limit.entropy[-1] for limit in study.asymptotes]
    assert found == pytest.approx(expected, abs=1e-12)


def test_the_asymptotic_form_ranks_nearly_as_q0(study):
    near = study.approximation
    assert near.spearman == pytest.approx(stats.spearmanr(near.x, near.y).statistic, abs=1e-6)
    assert 0.9 < near.spearman < 1
    # Q0 ranks as Q2 does: smaller is better.
    assert near.x_ranks == study.ranks["dom_q2"]


# ---------------------------------------------------------------- forms and other measures


def test_forms(study):
    data = json.loads(study.to_json())
    assert data["schema"] == "clustervet/dom-study/1"
    assert [t["table"] for t in data["tables"]] == ["Table 1", "Table 2", "Table 3"]
    assert data["tables"][2]["shares"][0] == pytest.approx([0.1, *[0.01] * 4, *[0.02] * 3])
    assert data["sweeps"][0]["curves"][0]["values"][0] == 1
    assert data["desiderata"]["tried"]["P3"] == 120
    assert data["points"][0] == {
        "classes": 5, "useful": 2, "noise": 0, "error_useful": 0, "error_noise": 0
    }  # fmt: skip
    frame = study.to_frame("polars")
    assert frame.shape == (760, 5 + 2 * 7)
    assert frame["rand rank"].min() == 1
    text = repr(study)
    for part in ("Table 1", "Table 2", "Table 3", "Figure 1", "Figure 2", "eq. 13", "0.9261"):
        assert part in text
    assert "1      0.10  0.01  0.01  0.01  0.01  0.02  0.02  0.02" in text
    assert "the paper prints 29 for rand; its rule gives 28" in text
    tables = {table.key: table for table in study.document().tables}
    assert list(tables) == [f"study-{part}" for part in PARTS]
    row = tables["study-ranks"].rows[0].cells
    texts = ["rand", "0", "12", "120", "0", "28", "0.8958", "0.7214"]
    assert [cell.text for cell in row] == texts
    assert row[-1].value == next(s.kendall for s in study.scatters if s.key == "rand")
    assert tables["study-table3"].rows[0].cells[1].value == pytest.approx(0.1)


def wrong(table):
    raise RuntimeError("no idea")


def constant(table):
    return 0.5


def often_nan(table):
    return math.nan if table.shape[1] % 2 else 1 / table.shape[1]


def first_class(table):
    return float(table.counts.toarray()[0, 0] / table.n)


def test_measures_of_a_users_own_stand_beside_q2():
    study = dom_study(["vi", wrong, constant, often_nan, first_class], n=100)
    data = json.loads(study.to_json())
    assert set(study.desiderata.faults) == {"wrong", "often_nan", "first_class"}
    by_key = {s.key: s for s in study.scatters}
    # What depends on the order of labels has no rank.
    assert set(by_key) == {"variation_of_information", "wrong", "constant", "often_nan"}
    assert 0 < by_key["variation_of_information"].spearman < 1  # small is good
    assert study.values["variation_of_information"][0] > 0
    assert math.isnan(by_key["wrong"].spearman)
    assert math.isnan(by_key["constant"].kendall)
    assert data["scatters"][1]["spearman"] is None
    assert data["values"]["wrong"] == [None] * 760
    assert math.isnan(curve(study.sweeps[0], "constant").scaled[0])
    part = by_key["often_nan"]
    kept = [k for k, y in enumerate(part.y) if not math.isnan(y)]
    expected = stats.spearmanr([part.x[k] for k in kept], [part.y[k] for k in kept]).statistic
    assert part.spearman == pytest.approx(expected)
    assert "wrong raises RuntimeError: no idea; in 760 of 760 tables" in repr(study)
    assert study.n == 100


def test_refusals():
    with pytest.raises(ParameterError, match="n is a number of objects"):
        dom_study(n=-1)
    with pytest.raises(ParameterError, match="reads features"):
        dom_study(["silhouette"])
