"""Trees as codes for the classes, the variant that Dom (2001, footnote 12) planned.

The oracle writes all cuts of a small tree with the bits that name each, and the code length of the
classes from eq. 11 in exact binomials and 40 digits.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import duckdb
import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, linkage
from sklearn.cluster import HDBSCAN, AgglomerativeClustering
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.errors import LabelError, MemoryLimitError, ParameterError
from clustervet.hierarchical.tree import read_tree
from clustervet.plots import figures
from clustervet.trees.score import running_totals

X, Y = load_iris(return_X_y=True)
IRIS = linkage(X, "average")


# The oracle: a tree is a set of objects (a leaf) or a list of trees.


def objects_of(tree):
    return tree if isinstance(tree, frozenset) else frozenset().union(*map(objects_of, tree))


def cuts(tree):
    """Every cut as (clusters, the word that names it): one sign per inner node, root first."""
    if isinstance(tree, frozenset):
        yield [tree], ""
        return
    yield [objects_of(tree)], "0"
    for parts in itertools.product(*(list(cuts(child)) for child in tree)):
        yield [c for clusters, _ in parts for c in clusters], "1" + "".join(w for _, w in parts)


def class_bits(truth, clusters):
    """The bits n Q0 of eq. 11."""
    kinds = len(set(truth))
    total = mpmath.mpf(0)
    with mpmath.workdps(40):
        for cluster in clusters:
            labels = [truth[k] for k in cluster]
            for label in set(labels):
                x = labels.count(label)
                total += x * mpmath.log(mpmath.mpf(len(labels)) / x, 2)
            total += mpmath.log(math.comb(len(labels) + kinds - 1, kinds - 1), 2)
    return total


def shortest(truth, tree):
    """The least code length of all cuts."""
    return min(class_bits(truth, clusters) + len(word) for clusters, word in cuts(tree))


def as_linkage(tree, n):
    """A binary tree over single objects as a linkage matrix, its merges in a valid order."""
    rows = []

    def number(node):
        if isinstance(node, frozenset):
            return next(iter(node)), 1
        (one, a), (other, b) = map(number, node)
        rows.append([one, other, len(rows) + 1.0, a + b])
        return n + len(rows) - 1, a + b

    number(tree)
    return np.array(rows, float)


@st.composite
def binary_trees(draw, most=8):
    """A random binary tree over single objects, and classes."""
    n = draw(st.integers(2, most))
    left = [frozenset({k}) for k in draw(st.permutations(range(n)))]
    while len(left) > 1:
        one = left.pop(draw(st.integers(0, len(left) - 1)))
        other = left.pop(draw(st.integers(0, len(left) - 1)))
        left.append([one, other])
    truth = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    return truth, left[0]


@st.composite
def taxonomies(draw, most=10):
    """Nested labelings from coarse to fine, and classes."""
    n = draw(st.integers(1, most))
    levels = [[0] * n]
    for _ in range(draw(st.integers(1, 3))):
        more = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
        levels.append([10 * above + own for above, own in zip(levels[-1], more, strict=True)])
    truth = draw(st.lists(st.sampled_from("abcd"), min_size=n, max_size=n))
    return truth, levels[1:]


def nested_tree(levels, objects=None, depth=0):
    """Nested labelings as a tree of the oracle; groups that do not fork have no node."""
    objects = range(len(levels[0])) if objects is None else objects
    if depth == len(levels):
        return frozenset(objects)
    groups = {}
    for k in objects:
        groups.setdefault(levels[depth][k], []).append(k)
    below = [nested_tree(levels, group, depth + 1) for group in groups.values()]
    return below[0] if len(below) == 1 else below


@settings(max_examples=50)
@given(binary_trees())
def test_the_words_of_all_cuts_are_a_complete_prefix_code(drawn):
    words = [word for _, word in cuts(drawn[1])]
    assert sum(Fraction(1, 2 ** len(word)) for word in words) == 1
    ordered = sorted(words)
    assert not any(b.startswith(a) for a, b in itertools.pairwise(ordered))


@settings(max_examples=80)
@given(binary_trees())
def test_the_best_cut_of_a_dendrogram_is_the_best_of_all_cuts(drawn):
    truth, tree = drawn
    found = cv.score_tree(truth, as_linkage(tree, len(truth)))
    assert found.cut.bits == pytest.approx(float(shortest(truth, tree)), abs=1e-9)
    # What is reported of the cut is true of the cut that `labels` gives.
    labels = found.labels().tolist()
    clusters = {frozenset(k for k, x in enumerate(labels) if x == c) for c in labels}
    word = next(word for parts, word in cuts(tree) if set(parts) == clusters)
    assert found.cut.cut_bits == len(word)
    assert found.cut.class_bits == pytest.approx(float(class_bits(truth, clusters)), abs=1e-9)
    assert found.cut.class_bits == pytest.approx(len(truth) * cv.dom_q0(truth, labels), abs=1e-9)
    assert found.cut.clusters == len(clusters) == len(found.cut.parts)


@settings(max_examples=80)
@given(taxonomies())
def test_the_best_cut_of_a_taxonomy_is_the_best_of_all_cuts(drawn):
    truth, levels = drawn
    found = cv.score_tree(truth, levels)
    tree = nested_tree(levels)
    assert found.cut.bits == pytest.approx(float(shortest(truth, tree)), abs=1e-9)
    for place, labels in enumerate(levels[::-1], 1):
        clusters = {frozenset(k for k, x in enumerate(labels) if x == c) for c in labels}
        word = next(word for parts, word in cuts(tree) if set(parts) == clusters)
        assert found.cut_bits[-place] == len(word)
        assert found.class_bits[-place] == pytest.approx(float(class_bits(truth, clusters)))
        assert found.clusters[-place] == len(clusters)


@settings(max_examples=40)
@given(binary_trees())
def test_every_level_is_the_cut_after_a_merge(drawn):
    truth, tree = drawn
    matrix = as_linkage(tree, len(truth))
    found = cv.score_tree(truth, matrix, ["ari", "vi", "purity"])
    words = {frozenset(parts): word for parts, word in cuts(tree)}
    assert found.clusters.tolist() == list(range(1, len(truth) + 1))
    for place, k in enumerate(found.clusters.tolist()):
        labels = cut_tree(matrix, k).ravel().tolist()
        clusters = {frozenset(i for i, x in enumerate(labels) if x == c) for c in labels}
        assert found.cut_bits[place] == len(words[frozenset(clusters)])
        assert found.class_bits[place] == pytest.approx(float(class_bits(truth, clusters)))
        assert cv.Partition(found.labels(k)) == cv.Partition(labels)
        for key in found.scores:
            expected = cv.measures[key](truth, labels)
            assert found.scores[key][place] == pytest.approx(expected, nan_ok=True)
    assert found.cut.bits <= found.bits.min() + 1e-9
    assert found.best_level.bits == found.bits.min()


@settings(max_examples=40)
@given(binary_trees(), st.randoms(use_true_random=False))
def test_names_of_classes_and_order_of_leaves_change_nothing(drawn, random):
    truth, tree = drawn
    matrix = as_linkage(tree, len(truth))
    found = cv.score_tree(truth, matrix)
    order = list(range(len(truth)))
    random.shuffle(order)  # object k is now at place order[k]
    moved = matrix.copy()
    leaves = moved[:, :2] < len(truth)
    moved[:, :2][leaves] = np.array(order)[moved[:, :2][leaves].astype(int)]
    moved[:, :2] = moved[:, 1::-1]
    other_truth = [None] * len(truth)
    for k, place in enumerate(order):
        other_truth[place] = f"class {truth[k]}!"
    other = cv.score_tree(other_truth, moved)
    assert other.cut.bits == found.cut.bits
    assert other.class_bits.tolist() == found.class_bits.tolist()
    assert other.cut_bits.tolist() == found.cut_bits.tolist()
    labels = other.labels()
    assert cv.Partition(labels[order]) == cv.Partition(found.labels())


def test_a_tree_with_the_truth_as_a_level_costs_the_truth_and_the_cut():
    kinds = np.array(["setosa", "versicolor", "virginica"])[Y]
    fine = [f"{kind} {k % 5}" for k, kind in enumerate(kinds)]
    found = cv.score_tree(Y, {"kind": kinds, "fine": fine})
    assert found.perfect_bits == pytest.approx(150 * cv.dom_q0(Y, Y))
    # One bit splits the root, one stops at each of the three kinds.
    assert (found.cut.clusters, found.cut.cut_bits) == (3, 4)
    assert found.cut.bits == pytest.approx(found.perfect_bits + 4)
    assert found.q2 == pytest.approx(found.perfect_bits / (found.perfect_bits + 4))
    assert found.facts()[1] == "The best level is kind (3 clusters) and is the same cut."
    # A flat clustering as a tree has one choice: to look at it or not.
    flat = cv.score_tree(Y, [kinds])
    assert flat.cut.bits == pytest.approx(flat.perfect_bits + 1)


def test_the_table_in_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "theory.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (iris|wine) \| (\w+) \| (.*) \|$", page, re.MULTILINE)
    assert len(rows) == 8
    wine, kinds = load_wine(return_X_y=True)
    data = {"iris": (X, Y), "wine": (StandardScaler().fit_transform(wine), kinds)}
    for name, method, shown in rows:
        points, y = data[name]
        found = cv.score_tree(y, linkage(points, method), "ari")
        ari, k = found.best("ari")
        level = found.best_level
        assert shown.split(" | ") == [
            *(str(found.cut.clusters), f"{found.cut.bits:.1f}"),
            *(str(level.clusters), f"{level.bits:.1f}", f"{found.alone_bits:.1f}"),
            *(f"{found.q2:.3f}", f"{ari:.3f}", str(k)),
        ]


def test_the_three_forms_are_those_of_the_flat_measures_with_the_cut_paid_for():
    found = cv.score_tree(Y, IRIS)
    labels, paid = found.labels(), found.cut.cut_bits / 150
    assert found.q0 == pytest.approx(cv.dom_q0(Y, labels) + paid)
    assert found.q1 == pytest.approx(cv.dom_q1(Y, labels) - paid)
    assert found.q2 == pytest.approx(cv.dom_q0(Y, Y) / (cv.dom_q0(Y, labels) + paid))
    assert found.alone_bits == pytest.approx(150 * cv.dom_q0(Y, np.zeros(150)))
    assert (found.cut.clusters, found.best_level.clusters) == (7, 3)


def test_levels_of_a_larger_dendrogram_are_those_of_the_measures():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(1_200, 3)) + 2 * rng.integers(0, 5, (1_200, 1))
    truth = rng.integers(0, 9, 1_200)
    matrix = linkage(points, "ward")
    found = cv.score_tree(truth, matrix, ["ari", "vi"])
    assert not np.isnan(found.scores["adjusted_rand"]).any()
    for k in (1, 2, 9, 77, 640, 1_199, 1_200):
        labels = cut_tree(matrix, k).ravel()
        assert found.class_bits[k - 1] == pytest.approx(1_200 * cv.dom_q0(truth, labels), rel=1e-12)
        expected = adjusted_rand_score(truth, labels)
        assert found.scores["adjusted_rand"][k - 1] == pytest.approx(expected, abs=1e-12)
    value, k = found.best("ari")
    assert value == max(found.scores["adjusted_rand"]) == found.scores["adjusted_rand"][k - 1]


def test_totals_over_many_levels_lose_nothing_to_rounding():
    assert list(running_totals(1e16, [1.0, 1.0, 1.0, -1e16]))[-1] == 3.0


def test_the_best_level_of_every_measure_is_the_true_best():
    found = cv.score_tree(
        Y, IRIS, ["rand", "vi", "nmi", "f_measure", "dom_q2", "class_entropy", "gini"]
    )
    levels = cut_tree(IRIS)  # from single objects to one cluster
    for record in found.measures:
        if record.better == "neither":
            continue
        values = [record(Y, levels[:, -k]) for k in range(1, 151)]
        best = (max if record.better == "higher" else min)(v for v in values if not math.isnan(v))
        value, k = found.best(record)
        assert value == pytest.approx(best)
        assert values[k - 1] == pytest.approx(best)
    assert found.cut.scores["rand"] == pytest.approx(cv.rand(Y, found.labels()))


def test_many_levels_are_thinned_for_measures_but_not_for_the_code():
    n = 3_000
    chain = [[0 if k == 0 else n + k - 1, k + 1, k, k + 2] for k in range(n - 1)]
    truth = np.arange(n) % 3
    found = cv.score_tree(truth, np.array(chain, float), "rand")
    assert len(found.bits) == n
    scored = ~np.isnan(found.scores["rand"])
    assert 1_000 <= scored.sum() <= 2_000
    assert scored[:1_000].all()
    assert scored[-1]
    assert any("of 3,000 levels" in line for line in found.cautions())
    few = cv.score_tree(truth, np.array(chain, float), "rand", clusters=[2, 3_000])
    assert np.flatnonzero(~np.isnan(few.scores["rand"])).tolist() == [1, 2_999]
    assert few.scores["rand"][1] == found.scores["rand"][1]


# What users have.


def test_trees_of_programs():
    n, truth, points = 40, Y[:120:3], X[:120:3]
    average = linkage(points, "average")
    wanted = cv.score_tree(truth, average)
    with_heights = AgglomerativeClustering(
        None, distance_threshold=0, linkage="average", compute_distances=True
    ).fit(points)
    found = cv.score_tree(truth, with_heights)
    assert found.cut.bits == pytest.approx(wanted.cut.bits)
    assert found.heights == pytest.approx(wanted.heights)
    without = AgglomerativeClustering(3, linkage="average").fit(points)
    assert cv.score_tree(truth, without).heights is None
    assert cv.score_tree(truth, without).class_bits == pytest.approx(wanted.class_bits)
    assert cv.score_tree(truth, without.children_).class_bits == pytest.approx(wanted.class_bits)
    assert cv.Partition(cv.score_tree(truth, without).labels(3)) == cv.Partition(without.labels_)
    dense = HDBSCAN(min_cluster_size=3, copy=True).fit(points)
    import hdbscan

    other = hdbscan.HDBSCAN(min_cluster_size=3, min_samples=3).fit(points)
    for tree in (dense, other, other.single_linkage_tree_, dense._single_linkage_tree_):
        found = cv.score_tree(truth, tree)
        assert found.clusters.tolist() == list(range(1, n + 1))
        assert found.class_bits[0] == pytest.approx(found.alone_bits)


def test_a_tree_that_was_not_finished_has_several_roots():
    graph = kneighbors_graph(X, 60, include_self=False)
    fitted = AgglomerativeClustering(4, connectivity=graph, compute_full_tree=False)
    fitted.fit(X)
    found = cv.score_tree(Y, fitted)
    assert found.clusters.tolist() == list(range(4, 151))
    assert cv.Partition(found.labels(4)) == cv.Partition(fitted.labels_)
    # All four roots are visited, and none of them is a leaf.
    assert found.cut_bits[0] == 4
    assert found.cut.bits <= found.bits.min() + 1e-9


def test_nested_labels_in_containers_of_every_library():
    levels = {"group": [1, 1, 1, 1, 2, 2], "part": list("uuvvww")}
    truth = list("aabbcc")
    wanted = cv.score_tree(truth, levels).to_dict()
    assert wanted["levels"]["level"] == ["all objects", "group", "part"]
    for frame in (pd.DataFrame(levels), pl.DataFrame(levels), pa.table(levels)):
        assert cv.score_tree(truth, frame).to_dict() == wanted
    listed = cv.score_tree(pd.Series(truth), [np.array(levels["group"]), pl.Series(list("uuvvww"))])
    assert listed.names == ("all objects", "level 1", "level 2")
    assert listed.cut.bits == wanted["cut"]["bits"]
    assert [part.name for part in cv.score_tree(truth, levels).cut.parts] == ["u", "v", "2"]


def test_objects_without_a_class_are_left_out_but_have_a_cluster():
    gone = np.arange(150) % 7 == 0
    truth = [None if missing else int(y) for y, missing in zip(Y, gone, strict=True)]
    found = cv.score_tree(truth, IRIS, "ari", missing="drop")
    kept = np.flatnonzero(~gone)
    assert (found.objects, found.left_out) == (len(kept), 150 - len(kept))
    assert found.clusters.tolist() == list(range(1, len(kept) + 1))
    labels = found.labels()
    assert len(labels) == 150
    assert labels.min() >= 0
    assert found.cut.class_bits == pytest.approx(len(kept) * cv.dom_q0(Y[kept], labels[kept]))
    for k in (2, 3, 50, len(kept)):
        level = found.labels(k)[kept]
        assert len(set(level.tolist())) == k
        assert found.class_bits[k - 1] == pytest.approx(len(kept) * cv.dom_q0(Y[kept], level))
        assert found.scores["adjusted_rand"][k - 1] == pytest.approx(
            cv.adjusted_rand(Y[kept], level)
        )
    as_noise = np.where(gone, -1, Y)
    assert cv.score_tree(as_noise, IRIS, noise="drop").cut.bits == found.cut.bits


@settings(max_examples=80)
@given(binary_trees(), st.data())
def test_the_best_cut_for_some_of_the_objects_is_the_best_of_all_cuts(drawn, data):
    truth, tree = drawn
    known = data.draw(st.sets(st.integers(0, len(truth) - 1), min_size=1))

    def pruned(node):
        if isinstance(node, frozenset):
            return node if node <= known else None
        below = [one for one in map(pruned, node) if one is not None]
        return below[0] if len(below) == 1 else below or None

    given_truth = [label if k in known else None for k, label in enumerate(truth)]
    found = cv.score_tree(given_truth, as_linkage(tree, len(truth)), missing="drop")
    assert found.cut.bits == pytest.approx(float(shortest(truth_of(truth, known), pruned(tree))))


def truth_of(truth, known):
    """The truth with the classes of the known objects alone, others never looked at."""
    some = truth[next(iter(known))]
    return [label if k in known else some for k, label in enumerate(truth)]


def test_a_ragged_taxonomy():
    levels = {"group": list("xxxxyy"), "part": ["u", "u", None, None, "w", None]}
    with pytest.raises(LabelError, match="part has 3 missing labels, the first at position 2"):
        cv.score_tree(list("aabbcc"), levels)
    found = cv.score_tree(list("aabbcc"), levels, missing="class")
    assert found.clusters.tolist() == [1, 2, 4]  # the missing ones of x and of y are two groups
    assert found.labels("part").tolist() == [0, 0, 1, 1, 2, 3]
    dropped = cv.score_tree(list("aabbcc"), levels, missing="drop")
    assert (dropped.objects, dropped.left_out) == (3, 3)
    assert dropped.labels("part").tolist() == [0, 0, -1, -1, 1, -1]
    fewer = {"group": list("xxxxyy"), "part": ["u", "v", "v", None, "w", "w"]}
    assert cv.score_tree(list("aabbcc"), fewer, missing="drop").objects == 5


def test_ties_are_told():
    ties = np.array([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 1, 4]], float)
    found = cv.score_tree([0, 0, 1, 1], ties)
    assert found.tied.tolist() == [False, True, True, False]
    many = np.repeat([0, 1], 20)
    chains = [[[20 * s if k == 0 else 40 + 19 * s + k - 1, 20 * s + k + 1, 1, k + 2]
               for k in range(19)] for s in (0, 1)]  # fmt: skip
    found = cv.score_tree(many, np.array([*chains[0], *chains[1], [58, 77, 1, 40]], float))
    assert found.best_level.clusters == 2
    assert any("another order of these merges" in line for line in found.cautions())


def test_objects_without_a_class_are_told():
    found = cv.score_tree(["a", None, "b", None], [[0, 0, 1, 1]], missing="drop")
    assert found.cautions() == [
        "2 objects without a class or without a place in the tree: no score counts them."
    ]


def test_a_measure_without_any_value_has_no_best_level():
    @cv.measure(title="Nothing", family="mine", better="higher", bounds=(0, 1))
    def nothing_at_all(table):
        """No value for any table."""
        return math.nan

    try:
        found = cv.score_tree(list("aabc"), [[0, 0, 1, 1]], ["nothing_at_all"])
        value, level = found.best("nothing_at_all")
    finally:
        cv.measures.remove("nothing_at_all")
    assert math.isnan(value)
    assert level == "all objects"


def test_one_class_has_nothing_to_send():
    found = cv.score_tree([0] * 4, [[0, 0, 1, 1]])
    assert found.facts() == ("There is one class, so there is nothing to send.",)
    assert found.cut.class_bits == 0
    assert math.isnan(found.q2)
    assert json.loads(found.to_json())["q2"] is None
    assert "one class" in repr(found)
    assert figures(found)


def test_noise_as_a_class_is_said():
    found = cv.score_tree([0, 0, -1, 1, 1], [[0, 0, 1, 1, 1]])
    assert any("Label -1 is scored as one class of truth" in line for line in found.cautions())
    assert not cv.score_tree([0, 0, -1, 1, 1], [[0, 0, 1, 1, 1]], noise="keep").cautions()


def bad_linkage(**changes):
    rows = linkage(X[:6], "single")
    for place, value in changes.values():
        rows[place] = value
    return rows


@pytest.mark.parametrize(
    ("tree", "fault", "message"),
    [
        (IRIS, LabelError, "truth has 6 labels, and the tree has 150 leaves"),
        ([[0, 0, 1]], LabelError, "truth has 6 labels, and the tree has 3 labels"),
        (np.zeros((5, 3)), ParameterError, r"must have 4 columns .* its shape is \(5, 3\)"),
        (np.zeros((0, 4)), ParameterError, "has no rows"),
        (np.zeros((5, 4), "U3"), ParameterError, "must hold numbers"),
        (bad_linkage(a=((0, 0), np.nan)), ParameterError, "row 0 merges nodes that are no whole"),
        (bad_linkage(a=((0, 0), 1.5)), ParameterError, "row 0 merges nodes that are no whole"),
        (bad_linkage(a=((2, 0), 60)), ParameterError, "only the nodes 0 to 7 by then"),
        (bad_linkage(a=((2, 0), -1)), ParameterError, "row 2 merges node -1"),
        (bad_linkage(a=((4, 0), 0)), ParameterError, "which is merged already"),
        (bad_linkage(a=((1, 2), np.nan)), ParameterError, "the height in row 1 is no number"),
        (bad_linkage(a=((4, 3), 5)), ParameterError, "row 4 says that 5 objects are merged"),
        ([[0, 0, 1, 1, 1, 1], [1, 2, 2, 3, 3, 3]], LabelError, "level 2 is not nested in level 1"),
        ([[1, 2, 3, 3, 3, 4], [1, 1, 3, 3, 3, 3]], LabelError, "must run from coarse to fine"),
        ([[0, 0, 1, 1, 1, 1], [0, 0, 1]], LabelError, "all levels must label the same objects"),
        ([[0, 0, 1, 1, 1, None]], LabelError, "level 1 has 1 missing label"),
        ([], ParameterError, "there are no levels"),
        (duckdb.sql("select 1 as a"), ParameterError, "others have to be collected first"),
        ([0, 0, 0, 1, 1, 1], ParameterError, "one labeling is no tree"),
        ("a tree", ParameterError, "a tree is a linkage matrix, a fitted"),
        (None, ParameterError, "a tree is a linkage matrix, a fitted"),
        (AgglomerativeClustering(), ParameterError, "AgglomerativeClustering holds no tree"),
        (HDBSCAN(copy=True), ParameterError, "HDBSCAN holds no tree"),
        (np.zeros(3, [("a", int)]), ParameterError, "has the fields"),
    ],
)
def test_what_is_no_tree(tree, fault, message):
    with pytest.raises(fault, match=message) as caught:
        cv.score_tree(list("aabbcc"), tree)
    assert str(caught.value).rstrip(".").count("\n") == 0


def test_what_cannot_be_asked():
    with pytest.raises(ParameterError, match="silhouette needs features"):
        cv.score_tree(Y, IRIS, "silhouette")
    with pytest.raises(ParameterError, match="clusters must be between 1 and 150"):
        cv.score_tree(Y, IRIS, "ari", clusters=[151])
    with pytest.raises(ParameterError, match=r"clusters goes with measures\."):
        cv.score_tree(Y, IRIS, clusters=[2])
    with pytest.raises(ParameterError, match=r"^clusters names no number of clusters\.$"):
        cv.score_tree(Y, IRIS, "ari", clusters=[])
    with pytest.raises(ParameterError, match="clusters must be whole numbers"):
        cv.score_tree(Y, IRIS, "ari", clusters="many")
    with pytest.raises(ParameterError, match="clusters is for a dendrogram"):
        cv.score_tree([0, 1], [[0, 1]], "ari", clusters=[2])
    with pytest.raises(ParameterError, match="missing must be"):
        cv.score_tree(Y, IRIS, missing="no")
    found = cv.score_tree(Y, IRIS, "ari")
    with pytest.raises(ParameterError, match="scored by adjusted_rand, not by rand"):
        found.best("rand")
    with pytest.raises(ParameterError, match="has no direction"):
        cv.score_tree(Y, IRIS, "class_entropy").best("class_entropy")
    with pytest.raises(ParameterError, match="between 1 and 150 for this tree, not '0'"):
        found.labels(0)
    with pytest.raises(ParameterError, match=r"no level 'x'; its levels are all objects, level 1"):
        cv.score_tree([0, 1], [[0, 1]]).labels("x")
    with pytest.raises(LabelError, match="no object is left"):
        cv.score_tree([None, None], [[0, 1]], missing="drop")
    with pytest.raises(LabelError, match="no object is left once those with missing labels are"):
        cv.score_tree(["a", "b"], [[None, 0], [1, None]], missing="drop")
    with pytest.raises(ParameterError, match="no object is left that has a class"):
        cv.score_tree([None, "a"], [["x", None]], missing="drop")
    with cv.memory_limit("1KB"), pytest.raises(MemoryLimitError, match="a tree of 150 leaves"):
        cv.score_tree(Y, IRIS)
    one, other = pd.Series([0, 1], [3, 4]), pd.Series([0, 1], [4, 3])
    with pytest.raises(LabelError, match="the same index values in another order"):
        cv.score_tree(one, {"level": other})


def test_every_form_says_the_same():
    found = cv.score_tree(Y, IRIS, ["ari", "vi"])
    data = json.loads(found.to_json())
    assert data["schema"] == "clustervet/tree/1"
    assert data["cut"]["bits"] == found.cut.bits
    assert data["best"]["adjusted_rand"] == {"value": found.best("ari")[0], "level": 3}
    frame = found.to_frame("polars")
    assert frame.shape == (150, 11)
    assert frame["bits"].arg_min() == found.best_place
    text = repr(found)
    assert "The best cut has 7 clusters" in text
    assert "The best level has 3 clusters and takes 84.4012 bits." in text
    (figure,) = figures(found)
    assert figure.layout.meta["figure"] == "tree"
    assert figure.layout.meta["title"] == found.facts()[0]
    report = cv.build_report(found)
    assert "tree-codes" in {table.key for table in report.tables}
    assert [picture.table for picture in report.pictures] == ["tree-levels"]
    assert "Willems" in report.to_markdown()


def test_a_tree_that_is_read_is_taken_as_it_is():
    tree = read_tree(IRIS)
    assert read_tree(tree) is tree
    assert cv.score_tree(Y, tree).cut.bits == cv.score_tree(Y, IRIS).cut.bits
