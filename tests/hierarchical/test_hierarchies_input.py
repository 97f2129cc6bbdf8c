"""What is read as a hierarchy, and what is refused and how."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import hdbscan
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import HDBSCAN, AgglomerativeClustering

import clustervet as cv
from clustervet.errors import LabelError, ParameterError

X = np.random.default_rng(5).normal(size=(30, 2))
TREE = linkage(X, "average")


def same(one: Any, two: Any) -> bool:
    return cv.TreePair.of(one, two).identical


def test_sources_of_the_same_tree() -> None:
    model = AgglomerativeClustering(linkage="average", compute_distances=True, n_clusters=2)
    fitted = model.fit(X)
    assert cv.robinson_foulds(TREE, fitted) == 0
    assert cv.cophenetic_correlation(TREE, fitted) == pytest.approx(1.0)
    assert same(TREE, cv.Hierarchy(TREE))
    assert same(cv.Hierarchy(cv.Hierarchy(TREE).tree), TREE)


def test_merges_without_heights_are_read_in_their_order() -> None:
    hierarchy = cv.Hierarchy(TREE[:, :2].astype(int))
    assert hierarchy.clusters == tuple(range(1, 31))
    assert cv.bakers_gamma(hierarchy, TREE) == pytest.approx(1.0)


def test_hdbscan_is_read() -> None:
    single = HDBSCAN(min_cluster_size=2, min_samples=1, copy=True).fit(X)
    assert cv.robinson_foulds(single, linkage(X, "single")) == 0


LEVELS = {"class": ["bird", "bird", "bird", "fish"], "kind": ["owl", "owl", "duck", "cod"]}


@pytest.mark.parametrize(
    "given",
    [
        LEVELS,
        list(LEVELS.values()),
        pd.DataFrame(LEVELS),
        pl.DataFrame(LEVELS),
        [np.array(labels) for labels in LEVELS.values()],
        "(((0,1),2),3);",
    ],
    ids=["mapping", "list", "pandas", "polars", "arrays", "newick"],
)
def test_nested_labels(given: Any) -> None:
    hierarchy = cv.Hierarchy(given, leaves=range(4))
    assert cv.robinson_foulds(hierarchy, cv.Hierarchy(LEVELS, leaves=range(4))) == 0
    assert hierarchy.cut(2).tolist() == [0, 0, 0, 1]


FLAT = ["a", "b", "a"]


@pytest.mark.parametrize(
    "given",
    [FLAT, tuple(FLAT), np.array(FLAT), pd.Series(FLAT), pl.Series(FLAT), [1, 2, 1]],
    ids=["list", "tuple", "array", "pandas", "polars", "numbers"],
)
def test_flat_labels_are_a_tree_of_one_level(given: Any) -> None:
    hierarchy = cv.Hierarchy(given)
    assert hierarchy.shape.flat
    assert hierarchy.cut(2).tolist() == [0, 1, 0]
    assert hierarchy.clusters == (1, 2)


def test_labels_by_object_are_matched_by_name() -> None:
    truth = {"x": 0, "y": 0, "z": 1}
    assert cv.robinson_foulds(truth, "((y,x),z);") == 0
    assert cv.robinson_foulds([{"z"}, {"x", "y"}], "((y,x),z);") == 0
    assert cv.robinson_foulds(truth, "((z,x),y);") == 2


def test_names_go_before_positions() -> None:
    one = cv.Hierarchy("((a,b),(c,d));")
    two = cv.Hierarchy("((d,c),(b,a));")
    assert cv.TreePair.of(one, two).identical
    renamed = cv.Hierarchy(TREE, leaves=[f"p{k}" for k in range(30)])
    turned = cv.Hierarchy(renamed, leaves=[f"p{k}" for k in range(29, -1, -1)])
    assert turned.names == tuple(f"p{k}" for k in range(29, -1, -1))
    assert cv.TreePair.of(renamed, turned).identical
    pair = cv.TreePair.of("((a,b),(c,d));", [0, 0, 1, 1])
    assert pair.remarks == (
        "The labels of pred go by position: the first is that of leaf 'a'.",
        "truth has ties: 1 merge has the same height as another merge.",
    )
    assert pair.names == ("a", "b", "c", "d")


def test_merges_without_names_are_not_paired_with_leaves_of_newick_text() -> None:
    text, merges = "((a,b),(c,d));", np.array([[0, 1], [2, 3], [4, 5]])
    with pytest.raises(LabelError, match="leaves of pred have names and those of truth have none"):
        cv.robinson_foulds(merges, text)
    with pytest.raises(LabelError, match="leaves of truth have names and those of pred have none"):
        cv.robinson_foulds(text, merges)
    assert cv.robinson_foulds(text, cv.Hierarchy(merges, list("abcd"))) == 0


def test_an_index_of_pandas_names_the_leaves() -> None:
    labels = pd.Series([0, 1, 1], index=["c", "a", "b"])
    assert cv.dendrogram_purity(labels, "((a,b),c);") == 1
    assert cv.Hierarchy(labels).names == ("c", "a", "b")
    assert cv.Hierarchy(labels.reset_index(drop=True)).names is None
    assert cv.Hierarchy(labels.set_axis(["c", "c", "b"])).names is None
    with pytest.raises(LabelError, match="same leaves"):
        cv.dendrogram_purity(labels, "((a,b),x);")


def test_heights_below_every_number_and_masked_ones_are_refused() -> None:
    rows = np.array([[0, 1, -np.inf, 2], [2, 3, 1, 3.0]])
    with pytest.raises(ParameterError, match="the height in row 0 is below every number"):
        cv.Hierarchy(rows)
    rows[0, 2] = 0
    with pytest.raises(ParameterError, match="some are masked"):
        cv.Hierarchy(np.ma.array(rows, mask=rows == 1))
    with pytest.warns(PendingDeprecationWarning):
        old = np.matrix(rows)
    assert cv.Hierarchy(old).n == 3


def test_heights_far_apart_have_a_correlation() -> None:
    """The gap between the heights of the first tree is larger than any float."""
    far = np.array([[0, 1, -1e308, 2], [2, 3, 1e308, 3.0]])
    assert cv.cophenetic_correlation(far, np.array([[0, 1, 1, 2], [2, 3, 2, 3.0]])) == 1
    assert cv.cophenetic_correlation(far, np.array([[0, 2, 1, 2], [1, 3, 2, 3.0]])) == -0.5


def test_independent_levels_share_exactly_nothing() -> None:
    one, other = [k % 7 for k in range(77)], [k // 7 for k in range(77)]
    assert cv.hierarchical_mutual_information(one, other) == 0


def test_different_leaves_are_listed_on_both_sides() -> None:
    with pytest.raises(LabelError) as caught:
        cv.robinson_foulds("((a,b),(c,d));", "((a,b),(e,(f,(g,(h,i)))));")
    assert str(caught.value) == (
        "truth and pred must have the same leaves; truth alone has 2 (c, d) and pred alone has 5 "
        "(e, f, g, ...)."
    )
    with pytest.raises(LabelError, match="truth has 30 and pred has 4"):
        cv.robinson_foulds(TREE, "((a,b),(c,d));")


def test_missing_labels() -> None:
    levels = [["x", "x", None, "y"], ["p", "q", "r", "s"]]
    with pytest.raises(LabelError, match="missing"):
        cv.Hierarchy(levels)
    pair = cv.TreePair.of(levels, [0, 0, 1, 1], missing="drop")
    assert pair.n == 3
    assert "1 object with a missing label left out." in pair.remarks
    assert cv.Hierarchy(levels, missing="class").n == 4
    assert cv.robinson_foulds(levels, [0, 0, 1, 1], missing="drop") == 0


ROWS = [[0, 1, 1.0, 2], [2, 3, 2.0, 2], [4, 5, 3.0, 4]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((0, 0, 9), "merges node 9, and there are only the nodes"),
        ((0, 0, 4), "merges node 4, and there are only the nodes 0 to 3 by then"),
        ((1, 0, 1), "node 1, which is merged already"),
        ((2, 1, 4), "node 4, which is merged already"),
        ((1, 2, math.nan), "the height in row 1 is no number"),
        ((2, 2, 0.5), "has an inversion: node 4 has the height 1, and node 6"),
        ((2, 3, 3), "says that 3 objects are merged"),
    ],
)
def test_what_is_no_linkage_is_refused(change: Any, said: str) -> None:
    rows = np.array(ROWS)
    rows[change[0], change[1]] = change[2]
    with pytest.raises(ParameterError, match=said):
        cv.Hierarchy(rows)


def test_inversions_are_refused_and_can_be_read_by_order() -> None:
    corners = np.array([[0, 0], [1, 0], [0.5, 0.9]])
    rows = linkage(corners, "centroid")
    assert rows[1, 2] < rows[0, 2]
    with pytest.raises(ParameterError, match=r"inversion.*centroid and median linkage may give"):
        cv.Hierarchy(rows)
    assert cv.Hierarchy(rows[:, :2]).clusters == (1, 2, 3)


def test_falls_by_rounding_are_ties() -> None:
    rows = np.array(ROWS)
    rows[:, 2] = [0.1 + 0.2, 0.1 + 0.2, 0.3]
    assert cv.Hierarchy(rows).shape.inner == 1


def test_unfinished_trees_are_refused() -> None:
    model = AgglomerativeClustering(n_clusters=3, compute_full_tree=False).fit(X)
    if len(model.children_) < 29:
        with pytest.raises(ParameterError, match=r"3 roots.*compute_full_tree=True"):
            cv.Hierarchy(model)
    with pytest.raises(ParameterError, match="holds no tree"):
        cv.Hierarchy(AgglomerativeClustering())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (3, "a tree is a linkage matrix"),
        ([[0, 1, 0], [0, 0, 1]], "is not nested"),
        (np.zeros((3, 3)), "must have 4 columns"),
        ([], "there are no levels"),
        (np.array("x"), "a tree is a linkage matrix"),
        (b"(a,b);", "a tree is a linkage matrix"),
    ],
)
def test_other_things_are_refused(given: Any, said: str) -> None:
    with pytest.raises(cv.ClustervetError, match=said):
        cv.Hierarchy(given)


@pytest.mark.parametrize(
    ("leaves", "said"),
    [
        (["a", "b"], "leaves has 2 names, and the tree has 30 objects"),
        (["a"] * 30, "two objects have the name 'a'"),
        ([None] * 30, "the name of object 0 is missing"),
        ([["a"]] * 30, "leaves must be names, not"),
        (np.array("x"), "leaves must be the names of all objects"),
        ("abc", "leaves must be the names of all objects"),
    ],
)
def test_wrong_names_are_refused(leaves: Any, said: str) -> None:
    with pytest.raises(LabelError, match=said):
        cv.Hierarchy(TREE, leaves=leaves)


MALFORMED = [
    ("((a,b);", 7, "the text ends, and a parenthesis is still open"),
    ("(a,b)", 6, "the text ends without a semicolon"),
    ("(a,,b);", 4, "a leaf without a name ends"),
    ("(a b,c);", 4, "'b' is one name too many here"),
    ("(a:x,b);", 4, "the branch length 'x' is no number"),
    ("(a:nan,b);", 4, "the branch length 'nan' is no number"),
    ("(a:,b);", 4, "a branch length is missing after the colon"),
    ("(a:1:2,b);", 5, "a branch has two lengths"),
    ("(a,b));", 6, "a parenthesis is closed outside all parentheses"),
    ("a,b;", 2, "a comma stands outside all parentheses"),
    ("(a,'b);", 4, "a quoted name has no end"),
    ("(a,b);c", 7, "there is more text after the semicolon; give one tree"),
    ("(a[x,b);", 3, "a comment has no end"),
    ("(a]b);", 3, "a comment is closed that was not opened"),
    ("((a:1,b:1):-1,c:1);", 12, "the branch length -1 is negative"),
    ("(a,b)(c);", 6, "a parenthesis opens where none can; a comma may be missing"),
    ("", 1, "the text ends without a semicolon"),
]


@pytest.mark.parametrize(("text", "place", "why"), MALFORMED)
def test_malformed_newick_names_the_position(text: str, place: int, why: str) -> None:
    with pytest.raises(ParameterError) as caught:
        cv.Hierarchy.from_newick(text)
    assert f"malformed at character {place:,}, near" in str(caught.value)
    assert str(caught.value).endswith(f": {why}.")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(a,(b,a));", "two leaves of the name 'a'"),
        ("(a:1,(b:1,c):1);", "1 of 4 branches .* no length, such as that of 'c'"),
    ],
)
def test_newick_that_is_no_hierarchy(text: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        cv.Hierarchy(text)
    with pytest.raises(ParameterError, match="must be a str"):
        cv.Hierarchy.from_newick(3)  # type: ignore[arg-type]


def test_newick_names_comments_and_lengths() -> None:
    text = """[the whole] ( 'it''s (a)' [one [in] another] : 1e0, "b ,c":1.0, under_score:.5e+0
      )'in ner':0.5[&R];"""
    hierarchy = cv.Hierarchy(text)
    assert hierarchy.names == ("it's (a)", "b ,c", "under_score")
    assert hierarchy.shape.heights.tolist() == [1.0]
    assert cv.Hierarchy("((((a))),b);").shape.inner == 1
    assert cv.Hierarchy("a;").n == 1


def test_heights_of_newick_text() -> None:
    """Sums of written digits are exact, so that equal heights are equal."""
    text = "(((a:0.1,b:0.1):0.2,c:0.3):0.4,((d:0.2,e:0.2):0.1,f:0.3):0.4);"
    assert cv.Hierarchy(text).shape.heights.tolist() == [0.1, 0.2, 0.3, 0.3, 0.7]
    assert cv.Hierarchy(text).clusters == (1, 2, 4, 5, 6)
    assert cv.Hierarchy("((a:1,b:2):0,c:3);").shape.inner == 1
    assert cv.Hierarchy("((a,b),(c,(d,e)));").shape.heights.tolist() == [1.0, 1.0, 2.0, 3.0]


@given(st.text(alphabet="(),:;'[] ab1.", max_size=20))
@settings(max_examples=300)
def test_any_text_is_a_tree_or_refused(text: str) -> None:
    with suppress(ParameterError):
        assert cv.Hierarchy(text).n >= 1


def test_deep_trees_do_not_recurse() -> None:
    n = 100_000
    chain = "(" * (n - 1) + "0," + ",".join(f"{k})" for k in range(1, n)) + ";"
    hierarchy = cv.Hierarchy(chain)
    assert hierarchy.n == n
    merges = np.column_stack([np.r_[0, np.arange(n, 2 * n - 2)], np.arange(1, n)])
    pair = cv.TreePair.of(hierarchy, cv.Hierarchy(merges, range(n)))
    assert cv.robinson_foulds(pair) == 0
    assert pair.take(np.arange(0, n, 7)).truth.inner == len(range(0, n, 7)) - 1


def test_the_door_takes_a_pair_or_two_trees() -> None:
    pair = cv.TreePair.of(TREE, TREE)
    with pytest.raises(ParameterError, match="either one TreePair or two trees"):
        cv.robinson_foulds(pair, TREE)
    with pytest.raises(ParameterError, match="needs two trees"):
        cv.robinson_foulds(TREE)
    with pytest.raises(ParameterError, match="knows no option"):
        cv.robinson_foulds(TREE, TREE, weights=[1])
    for places in ([0, 0], [40], [], [0.5]):
        with pytest.raises(ParameterError, match="places of objects"):
            pair.take(np.array(places))
    with pytest.raises(ParameterError, match="must hold all 30 places"):
        pair.shuffled(np.arange(3))


def test_series_with_other_indexes_are_refused() -> None:
    one, two = pd.Series(FLAT), pd.Series(FLAT, index=[5, 6, 7])
    with pytest.raises(LabelError, match="index"):
        cv.robinson_foulds(one, two)


def test_a_measure_of_classes_refuses_a_tree_as_the_truth() -> None:
    with pytest.raises(cv.ClustervetError, match="compares a tree with classes; give labels"):
        cv.dendrogram_purity(TREE, linkage(X, "single"))


def test_parameters_are_checked() -> None:
    labels = np.arange(30) % 3
    for key, options in (
        ("bakers_gamma", {"method": "kendall"}),
        ("robinson_foulds", {"rooted": "yes"}),
        ("hierarchical_mutual_information", {"base": 1}),
        ("normalized_hierarchical_mutual_information", {"average": "mean"}),
        ("hierarchical_element_centric", {"r": "much"}),
        ("hierarchical_element_centric", {"alpha": 1}),
        ("dendrogram_purity", {"average": "classes"}),
    ):
        with pytest.raises(ParameterError, match=f"{next(iter(options))} must be"):
            cv.measures[key](labels, TREE, **options)


def test_undefined_values_have_a_reason() -> None:
    star, other = "(a,b,c);", "((a,b),c);"
    for key in ("cophenetic_correlation", "bakers_gamma"):
        outcome = cv.measures[key].evaluate(cv.TreePair.of(star, other))
        assert math.isnan(outcome.value)
        assert outcome.why
    assert math.isnan(cv.dendrogram_purity(["x", "y", "z"], other))
    rows = np.array(ROWS)
    rows[2, 2] = math.inf
    pair = cv.TreePair.of(rows, np.array(ROWS))
    assert cv.measures["cophenetic_correlation"].evaluate(pair).why == "a height is infinite"
    assert cv.bakers_gamma(pair) == 1.0


def test_b_k_refuses_what_no_tree_has() -> None:
    tied = np.array(ROWS)
    tied[1, 2] = 1.0
    curve = cv.b_k(tied, np.array(ROWS))
    assert curve.ks.tolist() == [2]
    for k, said in (
        (3, "truth has no cut into 3 clusters: merges of equal height"),
        (9, "between 1 and 4"),
        ("2", "between 1 and 4"),
        (4, "the curve has no value for 4 clusters"),
    ):
        with pytest.raises(ParameterError, match=said):
            curve[k]
    with pytest.raises(ParameterError, match="truth has no cut into 3 clusters"):
        cv.b_k(tied, np.array(ROWS), ks=[2, 3])
    with pytest.raises(ParameterError, match="must be whole numbers"):
        cv.b_k(TREE, TREE, ks=[2.5])
    with pytest.raises(ParameterError, match="names no number"):
        cv.b_k(TREE, TREE, ks=[])
    with pytest.raises(ParameterError, match="no number of clusters between 2 and n - 1"):
        cv.b_k([0, 0, 1, 1], [0, 1, 2, 2])
    with pytest.raises(ParameterError, match="either one TreePair or two trees"):
        cv.b_k(cv.TreePair.of(TREE, TREE), TREE)
    with pytest.raises(ParameterError, match="needs two trees"):
        cv.b_k(TREE)
    assert math.isnan(cv.b_k(TREE, TREE, ks=30)[30])
    assert cv.b_k(TREE, TREE, ks=1)[1] == 1


def test_results_have_all_their_forms() -> None:
    hierarchy = cv.Hierarchy(LEVELS, leaves=["p", "q", "r", "s"])
    curve = cv.b_k(TREE, linkage(X, "single"))
    for result in (hierarchy, curve):
        assert result.to_markdown()
        assert result.to_json()
        assert result.to_frame("pandas").shape[0]
        assert repr(result)
        assert "<table" in result._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        curve.values[0] = 3.0
    assert len(curve) == 28
    assert (curve.lower <= curve.expected).all()
    assert (curve.expected <= curve.upper).all()


def test_a_hierarchy_is_scored_as_a_tree() -> None:
    truth = ["x", "x", "y", "y"]
    found = cv.score_tree(truth, cv.Hierarchy("((a,b),(c,d));"), ["ari"])
    assert found.best("ari") == (1.0, 2)
    assert cv.score_tree(truth, cv.Hierarchy("(a,b,c,d);")).clusters.tolist() == [1, 4]


def test_trees_of_hdbscan_are_read_with_and_without_their_estimator() -> None:
    points = np.random.default_rng(3).normal(size=(40, 2))
    fitted = hdbscan.HDBSCAN(min_cluster_size=5).fit(points)
    tree = cv.Hierarchy(fitted.single_linkage_tree_)
    assert cv.robinson_foulds(tree, fitted) == 0
    with pytest.raises(ParameterError, match="an array of records has the fields"):
        cv.Hierarchy(fitted.condensed_tree_)


def test_a_frame_that_holds_a_linkage_is_one() -> None:
    whole = np.array([[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 3, 4]])
    assert cv.robinson_foulds(cv.Hierarchy(pd.DataFrame(whole)), whole) == 0
    levels = pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 2], "c": [0, 1, 2], "d": [0, 1, 2]})
    assert cv.Hierarchy(levels).clusters == (1, 2, 3)


def test_what_is_shown_of_a_large_tree_says_how_much_is_left_out() -> None:
    shown = repr(cv.Hierarchy(linkage(X, "single"), [f"t{k}" for k in range(30)]))
    assert "t0, t1, t2, t3, t4, t5 and 24 more" in shown
    assert "1, 2, 3, 4, 5, 6 and 24 more" in shown
    assert "The highest 20 of 29 nodes" in shown
