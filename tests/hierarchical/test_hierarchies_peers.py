"""Values of scipy, and of CluSim, dendropy and R's dendextend as recorded by their scripts."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from tree_cases import random_linkage

import clustervet as cv

PEERS = Path(__file__).parent / "peers"
R = json.loads((PEERS / "dendextend.json").read_text())["pairs"]
DENDROPY = json.loads((PEERS / "dendropy.json").read_text())["pairs"]
CLUSIM = json.loads((PEERS / "clusim.json").read_text())["cases"]
UNTIED = [case for case in R if case["name"] != "tied grid"]


def pair_of(case: Any) -> cv.TreePair:
    return cv.TreePair.of(np.array(case["one"]), np.array(case["two"]))


@pytest.mark.parametrize("method", ["single", "average", "ward"])
@pytest.mark.parametrize("n", [8, 60, 700])
def test_scipy_gives_the_same_cophenetic_correlation(method: str, n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.integers(0, 6, (n, 2)).astype(float)
    one, two = linkage(x, method), linkage(x + rng.random((n, 2)), "complete")
    theirs = np.corrcoef(cophenet(one), cophenet(two))[0, 1]
    assert cv.cophenetic_correlation(one, two) == pytest.approx(theirs, abs=1e-12)


def test_cuts_are_those_of_fcluster_at_each_height() -> None:
    x = np.random.default_rng(3).integers(0, 5, (40, 2)).astype(float)
    tree = linkage(x, "complete")
    hierarchy = cv.Hierarchy(tree)
    for height in np.unique(tree[:, 2]):
        theirs = fcluster(tree, height, "distance")
        ours = hierarchy.cut(len(np.unique(theirs)))
        assert cv.rand(theirs, ours) == 1.0


@pytest.mark.parametrize("case", UNTIED, ids=lambda case: case["name"])
def test_dendextend_gives_the_same_b_k(case: Any) -> None:
    curve = cv.b_k(pair_of(case))
    assert curve.ks.tolist() == case["ks"]
    for name, ours in (
        ("b_k", curve.values),
        ("expected", curve.expected),
        ("variance", curve.variance),
    ):
        assert ours == pytest.approx(case[name], abs=1e-12), name


@pytest.mark.parametrize("case", R, ids=lambda case: case["name"])
def test_dendextend_gives_the_same_correlations(case: Any) -> None:
    pair = pair_of(case)
    assert cv.cophenetic_correlation(pair) == pytest.approx(case["cor_cophenetic"], abs=1e-9)


@pytest.mark.parametrize("case", UNTIED, ids=lambda case: case["name"])
def test_bakers_gamma_of_dendextend_is_spearmans_correlation(case: Any) -> None:
    """Baker (1974) takes Goodman and Kruskal's gamma; dendextend correlates ranks instead."""
    pair = pair_of(case)
    theirs = case["cor_bakers_gamma"]
    assert cv.bakers_gamma(pair, method="spearman") == pytest.approx(theirs, abs=1e-9)
    if theirs < 1:
        assert abs(cv.bakers_gamma(pair) - theirs) > 1e-3


def test_ties_are_cut_by_dendextend_in_the_order_of_rows() -> None:
    """Its values for trees with ties depend on how the program ordered merges of equal height."""
    case = next(case for case in R if case["name"] == "tied grid")
    theirs = dict(zip(case["ks"], case["b_k"], strict=True))
    curve = cv.b_k(pair_of(case))
    assert curve.ks.tolist() == [3]
    assert curve[3] == pytest.approx(theirs[3], abs=1e-12)
    with pytest.raises(cv.ClustervetError, match="no cut into 5 clusters"):
        cv.b_k(pair_of(case), ks=[5])
    assert math.isfinite(theirs[5])
    ours = cv.bakers_gamma(pair_of(case), method="spearman")
    assert abs(ours - case["cor_bakers_gamma"]) > 0.1


@pytest.mark.parametrize("case", DENDROPY)
def test_dendropy_gives_the_same_robinson_foulds(case: Any) -> None:
    assert cv.robinson_foulds(case["one"], case["two"]) == case["rooted"]
    assert cv.robinson_foulds(case["one"], case["two"], rooted=False) == case["unrooted"]


@pytest.mark.parametrize("ties", [0, 1])
def test_large_trees_have_the_values_of_pairs(ties: int) -> None:
    """2,500 leaves take the compiled sums; scipy has the matrix of all pairs."""
    rng = np.random.default_rng(ties)
    one, two = random_linkage(2_500, rng, ties), random_linkage(2_500, rng, ties, chain=True)
    theirs = np.corrcoef(cophenet(one), cophenet(two))[0, 1]
    assert cv.cophenetic_correlation(one, two) == pytest.approx(theirs, abs=1e-10)


@pytest.mark.parametrize("case", CLUSIM, ids=lambda case: f"{len(case['one']) + 1} objects")
def test_clusters_and_levels_of_clusim_give_the_same_element_centric_similarity(case: Any) -> None:
    """CluSim itself fails: scipy no longer returns a matrix there, and it asks for its list."""
    assert case["clusim"] == "AttributeError: 'csr_matrix' object has no attribute 'tolist'"
    pair = pair_of(case)
    for r, theirs in case["values"].items():
        ours = cv.hierarchical_element_centric(pair, r=float(r))
        assert ours == pytest.approx(theirs, abs=1e-12)
