"""Every measure of two trees equals brute force over pairs, sets and permutations."""

from __future__ import annotations

import math

import numpy as np
import pytest
import tree_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_cases import GENERAL, linkages, pairs

import clustervet as cv


def agree(ours: float, theirs: float) -> None:
    if math.isnan(theirs):
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(theirs, abs=1e-9)


def check(key: str, one: tuple, two: tuple, **options: object) -> None:
    pair = cv.TreePair.of(one[0], two[0])
    theirs = getattr(tree_oracle, key)(one[1], two[1], **options)
    record = cv.measures[key]
    if pair.identical and record.perfect is not None:
        assert record(pair, **options) == record.perfect
        if not math.isnan(theirs):
            assert theirs == pytest.approx(record.perfect)
        return
    agree(record(pair, **options), theirs)


@pytest.mark.parametrize("key", GENERAL)
@given(pairs())
@settings(max_examples=60)
def test_measures_equal_brute_force(key: str, sides: tuple) -> None:
    check(key, *sides)


@given(pairs(), st.sampled_from([-2.0, 0.0, 3.0]), st.sampled_from([0.3, 0.9]))
@settings(max_examples=40)
def test_element_centric_similarity_with_parameters(sides: tuple, r: float, alpha: float) -> None:
    check("hierarchical_element_centric", *sides, r=r, alpha=alpha)


@given(pairs())
@settings(max_examples=60)
def test_other_forms_of_measures(sides: tuple) -> None:
    check("bakers_gamma", *sides, method="spearman")
    check("robinson_foulds", *sides, rooted=False)
    check("normalized_robinson_foulds", *sides, rooted=False)
    for average in ("arithmetic", "min", "max"):
        check("normalized_hierarchical_mutual_information", *sides, average=average)


@given(pairs(flat=True), st.sampled_from(["objects", "pairs"]))
@settings(max_examples=80)
def test_dendrogram_purity_equals_all_ordered_pairs(sides: tuple, average: str) -> None:
    check("dendrogram_purity", *sides, average=average)


@given(pairs(least=2, most=5))
@settings(max_examples=30)
def test_b_k_and_its_moments_equal_all_permutations(sides: tuple) -> None:
    (one, left), (two, right) = sides
    common = sorted(set(left.cuts) & set(right.cuts))
    curve = cv.b_k(one, two, ks=common)
    assert curve.ks.tolist() == common
    for k in common:
        agree(curve[k], tree_oracle.b_k(left, right, k))
        if k < left.n:
            mean, variance = tree_oracle.b_k_moments(left, right, k)
            place = common.index(k)
            assert curve.expected[place] == pytest.approx(mean, abs=1e-12)
            assert curve.variance[place] == pytest.approx(variance, abs=1e-12)


@given(st.integers(2, 9).flatmap(linkages))
@settings(max_examples=60)
def test_cuts_are_those_of_heights(tree: tuple) -> None:
    rows, plain = tree
    hierarchy = cv.Hierarchy(rows)
    assert set(hierarchy.clusters) == set(plain.cuts)
    for k, groups in plain.cuts.items():
        labels = hierarchy.cut(k)
        made = {frozenset(np.flatnonzero(labels == c).tolist()) for c in range(k)}
        assert made == groups


@given(pairs(least=3), st.data())
@settings(max_examples=60)
def test_restricted_trees_are_those_of_fewer_objects(sides: tuple, data: st.DataObject) -> None:
    (one, left), (two, right) = sides
    places = data.draw(st.permutations(range(left.n)))[: data.draw(st.integers(2, left.n))]
    part = cv.TreePair.of(one, two).take(np.array(places))
    for key in GENERAL:
        theirs = getattr(tree_oracle, key)(
            tree_oracle.restricted(left, places), tree_oracle.restricted(right, places)
        )
        if not part.identical:
            agree(cv.measures[key](part), theirs)
