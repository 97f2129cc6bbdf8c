"""Tanglegrams with few crossings, and the curve of B_k with its band."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.cluster.hierarchy import linkage
from tree_cases import pairs

import clustervet as cv
from clustervet.hierarchical.untangle import crossings, turned, untangle
from clustervet.plots import figures, svg
from clustervet.plots.hierarchies import b_k_plot, tanglegram

X = np.random.default_rng(2).normal(size=(130, 2))
SINGLE, WARD = linkage(X, "single"), linkage(X, "ward")


def orders_of(shape: Any) -> list[tuple[int, ...]]:
    """All orders of the leaves in which those of each node are side by side."""
    groups = []
    for node in range(shape.leaves, shape.nodes):
        low, high = shape.starts[node], shape.ends[node]
        groups.append(set(shape.order[low:high].tolist()))
    return [
        order
        for order in permutations(range(shape.leaves))
        if all(_together(order, group) for group in groups)
    ]


def _together(order: tuple[int, ...], group: set[int]) -> bool:
    places = [k for k, leaf in enumerate(order) if leaf in group]
    return places[-1] - places[0] == len(group) - 1


@given(pairs(least=2, most=6))
@settings(max_examples=60)
def test_a_tree_is_turned_in_the_best_way(sides: Any) -> None:
    pair = cv.TreePair.of(sides[0][0], sides[1][0])
    fixed = pair.pred.order
    ours = crossings(turned(pair.truth, fixed), fixed)
    assert ours == min(crossings(np.array(order), fixed) for order in orders_of(pair.truth))


@given(pairs(least=2, most=8))
@settings(max_examples=60)
def test_untangling_keeps_trees_and_never_adds_crossings(sides: Any) -> None:
    pair = cv.TreePair.of(sides[0][0], sides[1][0])
    found = untangle(pair)
    assert found.crossings == crossings(found.truth, found.pred) <= found.before
    for order, shape in ((found.truth, pair.truth), (found.pred, pair.pred)):
        for node in range(shape.leaves, shape.nodes):
            group = set(shape.order[shape.starts[node] : shape.ends[node]].tolist())
            assert _together(tuple(order.tolist()), group)


def test_equal_trees_do_not_cross() -> None:
    assert untangle(cv.TreePair.of(WARD, WARD[:, [1, 0, 2, 3]])).crossings == 0
    stars = cv.TreePair.of(np.arange(130) % 11, WARD)
    assert untangle(stars).crossings < untangle(stars).before


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_are_drawn_and_registered(theme: str) -> None:
    pair = cv.TreePair.of(SINGLE, WARD)
    (figure,) = figures(pair, theme=theme)
    assert figure.layout.meta["figure"] == "tanglegram"
    assert "100 of 130 leaves are drawn" in figure.layout.meta["note"]
    assert svg(figure)[:4] == "<svg"
    (curve,) = figures(cv.b_k(pair), theme=theme)
    assert curve.layout.meta["figure"] == "b-k"
    assert svg(curve)[:4] == "<svg"


def test_a_tanglegram_names_leaves_and_colours_groups() -> None:
    figure = tanglegram("((<b>x</b>,b),(c,d));", "((d,c),(b,<b>x</b>));")
    texts = [text for trace in figure.data if trace.mode == "text" for text in trace.text]
    assert texts.count("&lt;b&gt;x&lt;/b&gt;") == 2
    assert figure.layout.meta["note"].startswith("Lines cross 0 times")
    assert figure.layout.meta["title"] == "The trees share all 2 groups of leaves below the root."
    other = tanglegram("((a,b),(c,d));", "((a,c),(b,d));")
    assert "share 0 groups of leaves below the root, of 2 and 2" in other.layout.meta["title"]
    assert other.layout.meta["note"].startswith("Lines cross 1 time, ")


def test_selected_leaves_keep_their_numbers() -> None:
    figure = tanglegram(SINGLE, WARD, most=10)
    texts = {text for trace in figure.data if trace.mode == "text" for text in trace.text}
    assert len(texts) == 10
    assert max(map(int, texts)) > 9
    with pytest.raises(cv.ClustervetError, match="most must be"):
        tanglegram(SINGLE, WARD, most=1)


def test_small_and_flat_trees_are_drawn() -> None:
    for one, two in ((["a"], ["b"]), (["a", "a", "b"], [0, 1, 1]), ("(a,b,c);", "(a,b,c);")):
        assert svg(tanglegram(one, two))
    curve = b_k_plot(cv.b_k([0, 0, 1, 1, 1], [0, 1, 1, 0, 0]))
    assert curve.layout.meta["title"].startswith("Two trees of 5 objects agree beyond chance at 0")


def test_many_cuts_are_thinned() -> None:
    rng = np.random.default_rng(0)
    large = linkage(rng.normal(size=(2_600, 1)), "average")
    curve = cv.b_k(large, large)
    assert len(curve) <= 2_000
    assert curve.ks[:1_000].tolist() == list(range(2, 1_002))
    assert curve.values == pytest.approx(np.ones(len(curve)))
    full = cv.b_k(large, large, ks=range(2, 2_500))
    assert "are drawn" in b_k_plot(full).layout.meta["note"]
