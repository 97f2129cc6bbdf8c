"""Tanglegrams with few crossings, and the curve of B_k with its band."""

from __future__ import annotations

from html import unescape
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.cluster.hierarchy import linkage
from tree_cases import pairs

import clustervet as cv
from clustervet.errors import ParameterError
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
    note = figure.layout.meta["note"]
    assert note.startswith("Drawn are 100 of 130 leaves, evenly selected, and the groups of these")
    assert "Lines cross " in note
    assert figure.layout.meta["title"].endswith("; few of the leaves are drawn.")
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
    assert other.layout.meta["note"].startswith("Lines cross 1 time (")


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
    assert curve.layout.meta["title"] == (
        "Two trees of 5 objects, cut into 2 clusters, do not agree beyond chance (B_k = 0.25)."
    )


def test_many_cuts_are_thinned() -> None:
    rng = np.random.default_rng(0)
    large = linkage(rng.normal(size=(2_600, 1)), "average")
    curve = cv.b_k(large, large)
    assert len(curve) <= 2_000
    assert curve.ks[:1_000].tolist() == list(range(2, 1_002))
    assert curve.values == pytest.approx(np.ones(len(curve)))
    full = cv.b_k(large, large, ks=range(2, 2_500))
    assert "are drawn" in b_k_plot(full).layout.meta["note"]


ONE, TWO = "(((a,b),c),(d,e));", "(((a,c),b),(d,e));"
ONE_TREE = cv.Hierarchy(ONE)


def heads(figure: Any) -> list[str]:
    return [note.text for note in figure.layout.annotations]


def test_a_tanglegram_says_which_tree_is_which() -> None:
    assert heads(tanglegram(ONE, TWO)) == ["first tree", "second tree"]
    named = tanglegram(ONE, TWO, names=("ward", "<b>"))
    assert heads(named) == ["ward", "&lt;b&gt;"]
    assert named.layout.meta["title"] == (
        "ward and <b> share 2 groups of leaves below the root, of 3 and 3."
    )
    assert heads(figures(cv.TreePair.of(ONE, TWO))[0]) == ["Truth", "Prediction"]
    for names in ("ab", ("a",), None):
        with pytest.raises(ParameterError, match="names must be two"):
            tanglegram(ONE, TWO, names=names)  # type: ignore[arg-type]  # what is refused


def test_long_names_of_leaves_end_before_the_lines() -> None:
    names = ["a very long name that nobody would read in a figure", "a", "b", "<img src=x onerror>"]
    text = "(('{}',{}),({},'{}'));".format(*names)
    figure = tanglegram(text, text)
    low, high = figure.layout.xaxis.range
    width = 700 - 2 * 16  # a narrow figure without its margins
    lines = next(trace for trace in figure.data if trace.mode == "lines")
    texts = next(trace for trace in figure.data if trace.mode == "text")
    room = (lines.x[0] - texts.x[0]) / (high - low) * width
    longest = max(len(unescape(name)) for name in texts.text)
    assert longest <= 20
    assert 5.5 * longest < room


def test_several_trees_are_drawn_with_their_names() -> None:
    found = cv.judge(ONE_TREE, {"near": cv.Hierarchy(ONE), "far": cv.Hierarchy(TWO)})
    drawn = figures(found)
    assert [heads(figure) for figure in drawn[1:]] == [["Truth", "near"], ["Truth", "far"]]
    assert [bool(figure.layout.meta.get("open")) for figure in drawn] == [False] * 3
    said = [part.subject.headline for part in found.document().sections]
    assert [line.partition(" agree")[0] for line in said] == [
        "near and the truth",
        "far and the truth",
    ]
    single = figures(cv.judge(ONE_TREE, {"far": cv.Hierarchy(TWO)}))
    assert [bool(figure.layout.meta.get("open")) for figure in single] == [False, True]
    assert heads(single[1]) == ["Truth", "far"]


def test_b_k_plot_takes_a_curve_or_two_trees() -> None:
    drawn = b_k_plot(cv.b_k(ONE, TWO)).to_json()
    assert b_k_plot(ONE, TWO).to_json() == drawn
    assert b_k_plot(cv.TreePair.of(ONE, TWO)).to_json() == drawn
    for wrong in (ONE_TREE, ONE, None, 5):
        with pytest.raises(ParameterError, match="b_k_plot needs a BkCurve, or two trees; it got"):
            b_k_plot(wrong)
    with pytest.raises(ParameterError, match="either one BkCurve or two trees, not both"):
        b_k_plot(cv.b_k(ONE, TWO), TWO)
    with pytest.raises(ParameterError, match="tanglegram needs two trees, or one TreePair"):
        tanglegram(ONE_TREE)


def test_the_curve_speaks_english_and_of_truth_and_prediction() -> None:
    curve = cv.b_k(ONE, TWO)
    (table,) = curve.document().tables
    assert [column.title for column in table.columns][:2] == ["k", "B_k"]
    assert "agree beyond chance at 1 of 2 numbers of clusters" in curve.headline
    with pytest.raises(ParameterError, match=r"has no value for 1 cluster; name the number with"):
        curve[1]
    with pytest.raises(ParameterError, match=r"truth has cuts into .*, and pred has cuts into 1 a"):
        cv.b_k(ONE, "(a,b,c,d,e);")
    assert cv.b_k(ONE, ONE, ks=2).headline.startswith("Two trees of 5 objects, cut into 2 clust")
