"""Values of other libraries, and of the examples of papers.

values.json holds what cdlib, CluSim, networkit and bcubed say; record_values.py made it.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clusim import sim
from clusim.clustering import Clustering

import clustervet as cv

CASES = json.loads((Path(__file__).parent / "peers" / "values.json").read_text("utf-8"))
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "clusim omega": ("omega_index", {}),
    "clusim element": ("overlapping_element_centric", {}),
    "clusim element 0.5": ("overlapping_element_centric", {"alpha": 0.5}),
    "cdlib omega": ("omega_index", {}),
    "cdlib lfk": ("overlapping_nmi_lfk", {}),
    "cdlib max": ("overlapping_nmi_max", {}),
    "networkit max": ("overlapping_nmi_max", {}),
    "bcubed precision": ("extended_bcubed_precision", {}),
    "bcubed recall": ("extended_bcubed_recall", {}),
    "networkit f1 truth": ("best_match_f1_truth", {}),
    "networkit f1 pred": ("best_match_f1_pred", {}),
    "networkit f1 truth weighted": ("best_match_f1_truth", {"average": "objects"}),
    "networkit f1 pred weighted": ("best_match_f1_pred", {"average": "objects"}),
}


def test_every_recorded_value_is_compared() -> None:
    assert {name for case in CASES for name in case["values"]} == {*OURS, "clusim onmi"}


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("place", range(len(CASES)))
def test_same_as_the_peer(name: str, place: int) -> None:
    case = CASES[place]
    key, options = OURS[name]
    found = cv.measures[key](case["truth"], case["pred"], objects=case["n"], **options)
    assert found == pytest.approx(case["values"][name], rel=1e-10, abs=1e-10)


def test_clusim_takes_another_cell_for_the_objects_in_neither_group() -> None:
    """CluSim 0.4 takes 1 - |x and y| / n for the share of objects that are in neither group.

    That share is 1 - |x or y| / n, so its values are too high.
    """
    for case in CASES:
        found = cv.overlapping_nmi_lfk(case["truth"], case["pred"], objects=case["n"])
        assert case["values"]["cdlib lfk"] == pytest.approx(found, abs=1e-10)
        assert case["values"]["clusim onmi"] > found + 0.005


def test_clusim_has_the_same_omega_index_now() -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        sides = [
            {k: sorted(set(rng.integers(0, 4, 2).tolist())) for k in range(12)} for _ in range(2)
        ]
        one, two = (Clustering(elm2clu_dict=side) for side in sides)
        ours = cv.omega_index(*(cv.Cover.from_objects(side) for side in sides))
        assert ours == pytest.approx(sim.omega_index(one, two), abs=1e-12)


def test_cdlib_counts_a_group_of_everything_as_lost() -> None:
    """Its entropy is 0, so that the share of it that is left is 0/0; cdlib 0.4.1 takes 1."""
    every, half = [[0, 1, 2, 3], [0, 1]], [[0, 1, 2, 3], [0, 2]]
    value, why = cv.measures["overlapping_nmi_lfk"].evaluate(cv.CoverPair(every, half))
    assert np.isnan(value)
    assert why == "a group of the truth has all objects, so that its entropy is 0"
    assert cv.overlapping_nmi_max(every, half) == 0


# Amigó, Gonzalo, Artiles and Verdejo 2009, figures 16 to 21: seven items, of which two are in two
# categories. Values are fractions by hand from the definition; the paper prints two decimals.
CATEGORIES = ["gb", "gb", "g", "b", "b", "d", "d"]
FIGURES = {
    16: (["AB", "AB", "A", "B", "B", "C", "C"], 1, 1),
    17: (["XAB", "XAB", "XA", "B", "B", "C", "C"], Fraction(181, 210), 1),
    18: (["YXAB", "YXAB", "YXA", "B", "B", "C", "C"], Fraction(17, 21), 1),
    19: (["A", "A", "A", "B", "B", "C", "C"], 1, Fraction(24, 35)),
    20: (["AB", "AB", "A", "D", "D", "C", "C"], 1, Fraction(26, 35)),
    21: (["A", "A", "A", "A", "A", "B", "B"], Fraction(31, 35), Fraction(33, 35)),
}


@pytest.mark.parametrize("figure", FIGURES)
def test_figures_of_amigo_and_colleagues(figure: int) -> None:
    clusters, precision, recall = FIGURES[figure]
    truth, pred = (
        cv.Cover.from_objects(dict(enumerate(map(list, side)))) for side in (CATEGORIES, clusters)
    )
    assert cv.extended_bcubed_precision(truth, pred) == pytest.approx(float(precision), abs=1e-15)
    assert cv.extended_bcubed_recall(truth, pred) == pytest.approx(float(recall), abs=1e-15)


@pytest.mark.parametrize("k", [2, 5, 20])
def test_mcdaids_example_against_the_normalisation_of_lfk(k: int) -> None:
    """One of k equal groups is found: LFK gives (1/k + 1) / 2, the other one 1/k."""
    truth = [range(4 * g, 4 * g + 4) for g in range(k)]
    n = 100 * k
    assert cv.overlapping_nmi_lfk(truth, truth[:1], objects=n) == pytest.approx((1 / k + 1) / 2)
    assert cv.overlapping_nmi_max(truth, truth[:1], objects=n) == pytest.approx(1 / k)


FANO = [{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {1, 3, 5}, {1, 4, 6}, {2, 3, 6}, {2, 4, 5}]


def test_covers_that_differ_may_have_omega_and_bcubed_1() -> None:
    """Two projective planes on seven points: any two points share one line in both."""
    other = [{{0: 1, 1: 0}.get(k, k) for k in line} for line in FANO]
    pair = cv.CoverPair(FANO, other, 8)
    assert not pair.identical
    assert cv.omega_index(pair) == cv.extended_bcubed_f1(pair) == 1
    assert cv.overlapping_nmi_max(pair) < 1
    assert cv.best_match_f1(pair) < 1
