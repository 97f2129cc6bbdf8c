"""Large tables go through compiled loops, and these give the same digits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from agreement import EXTERNAL, counts_up_to, disagreements, matrices, nearly_independent
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.contingency import cells, count, matching, sums

# The exact expectation of so many pairs of sizes takes long; `test_chance_*` look at it.
WITHOUT_CHANCE = [r.key for r in EXTERNAL if r.key != "adjusted_mutual_information"]
CHANCE = ["adjusted_mutual_information"]
SUMS_OF_POSITIVE_TERMS = [
    *("purity", "inverse_purity", "mean_purity", "hamming", "matching_accuracy", "larsen_aone"),
    *("f_measure", "gini", "inverse_gini", "bcubed_precision", "bcubed_recall", "bcubed_f1"),
    *("element_centric_similarity", "class_entropy", "cluster_entropy", "joint_entropy"),
    *("conditional_entropy", "inverse_conditional_entropy", "variation_of_information"),
    *("dom_q0", "dom_q2"),
]


@contextmanager
def few(most: int) -> Iterator[None]:
    """Move the border between plain Python and compiled loops."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "FEW_CELLS", most)
        patch.setattr(sums, "FEW_CELLS", most)
        patch.setattr(sums.patience, "left", most)
        patch.setattr(matching, "FEW_STEPS", most)
        yield


NONE, ALL = -1, 2**62


@settings(max_examples=80)
@given(matrices(st.integers(0, 30)))
@example([[1]])
@example([[1, 1], [1, 1]])
def test_small_tables_through_compiled_loops(counts: list[list[int]]) -> None:
    with few(NONE):
        assert not disagreements(counts)


@settings(max_examples=25)
@given(matrices(counts_up_to(10**12)))
@example([[10**12, 1], [0, 10**12]])
def test_large_counts_through_compiled_loops(counts: list[list[int]]) -> None:
    with few(NONE):
        assert not disagreements(counts)


@settings(max_examples=25)
@given(nearly_independent(10**5))
def test_next_to_no_information_through_compiled_loops(counts: list[list[int]]) -> None:
    with few(NONE):
        assert not disagreements(counts)


@settings(max_examples=40)
@given(matrices(st.one_of(st.just(0.0), st.floats(0.01, 100.0)), classes=5, clusters=5))
def test_real_weights_through_compiled_loops(counts: list[list[float]]) -> None:
    # Margins of real weights are rounded here, so what measures an excess over chance, or a
    # difference of sums, keeps its digits only to the size of these sums. Pairs are left to the
    # tables below: their squares are rounded only where there are thousands of them.
    with few(NONE):
        assert not disagreements(counts, SUMS_OF_POSITIVE_TERMS)


@pytest.mark.parametrize("most", [30, 10**12])
def test_a_full_table_of_sixty_classes_and_clusters(most: int) -> None:
    counts = np.random.default_rng(most).integers(0, most, (60, 60), endpoint=True)
    assert not disagreements(counts.tolist(), WITHOUT_CHANCE)


@pytest.mark.parametrize("most", [30, 10**12])
def test_chance_with_many_different_sizes(most: int) -> None:
    counts = np.random.default_rng(most).integers(0, most, (22, 23), endpoint=True)
    assert not disagreements(counts.tolist(), CHANCE)


def test_independent_clusterings_into_sixty_share_no_information() -> None:
    rng = np.random.default_rng(1)
    counts = np.outer(rng.integers(1, 10**4, 60), rng.integers(1, 10**4, 60))
    assert cv.mutual_information(cv.Contingency.from_counts(counts)) == 0.0
    counts[3, 4] += 1
    counts[10, 2] += 2
    assert not disagreements(counts.tolist(), WITHOUT_CHANCE)


def _sparse(objects: int) -> Counter[tuple[int, int]]:
    """Two thousand classes and three thousand clusters that mostly go together."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2_000, objects)
    pred = np.where(rng.random(objects) < 0.7, truth, rng.integers(0, 3_000, objects))
    return Counter(zip(truth.tolist(), pred.tolist(), strict=True))


def test_a_sparse_table_of_three_thousand_clusters() -> None:
    assert not disagreements(dict(_sparse(9_000)))


def test_a_sparse_table_with_counts_up_to_a_million_million() -> None:
    rng = np.random.default_rng(3)
    counts = {place: int(rng.integers(1, 10**12)) for place in _sparse(6_000)}
    assert not disagreements(counts, WITHOUT_CHANCE)


def test_one_object_astray_among_thousands_of_large_clusters() -> None:
    counts = {(k, k): 3 * 10**11 for k in range(2_500)} | {(0, 1): 1}
    assert not disagreements(counts)


def test_thousands_of_real_weights() -> None:
    rng = np.random.default_rng(4)
    counts = rng.integers(1, 10**5, (50, 50)) / 1024
    assert not disagreements(counts.tolist())


@pytest.mark.parametrize("shape", [(1, 2_500), (2_500, 1)])
def test_thousands_of_real_weights_in_one_class_or_cluster(shape: tuple[int, int]) -> None:
    counts = np.random.default_rng(5).integers(10, 10**4, shape) / 10
    pairs = [record.key for record in cv.measures.select(family="pairs")]
    assert not disagreements(counts.tolist(), pairs + SUMS_OF_POSITIVE_TERMS)


@pytest.mark.parametrize("most", [3, 30, 10**12])
@pytest.mark.parametrize("shape", [(60, 60), (7, 400)])
def test_plain_and_compiled_loops_agree(most: int, shape: tuple[int, int]) -> None:
    counts = np.random.default_rng(most).integers(0, most, shape, endpoint=True)
    found = []
    for border in (NONE, ALL):
        with few(border):
            table = cv.Contingency.from_counts(counts)
            found.append({record.key: record.evaluate(table).value for record in EXTERNAL})
    for key, value in found[0].items():
        assert math.isclose(value, found[1][key], rel_tol=1e-12, abs_tol=1e-14), key


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(-3, 3), st.sampled_from([-(2**62), -1, 0, 5, 2**40, 2**62])),
        min_size=1,
        max_size=30,
    )
)
def test_labels_counted_by_compiled_loops_score_alike(objects: list[tuple[int, int]]) -> None:
    truth, pred = np.array(objects, np.int64).T.copy()
    plain = cv.Contingency.from_labels(truth, pred)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count, "FEW_OBJECTS", NONE)
        compiled = cv.Contingency.from_labels(truth, pred)
    assert compiled == plain
    for record in EXTERNAL:
        assert repr(record.evaluate(compiled)) == repr(record.evaluate(plain))


@settings(max_examples=100)
@given(
    *(
        st.dictionaries(st.integers(1, 10**6), st.integers(1, 50), min_size=1, max_size=5)
        for _ in range(2)
    ),
    st.sampled_from([1, 10**3, 2**60]),
)
def test_expectations_are_the_same_to_the_last_bit(
    classes: dict[int, float], clusters: dict[int, float], scale: int
) -> None:
    """Plain Python computes the first ones of a process, and compiled loops the others."""
    sides = [{size * scale: count for size, count in side.items()} for side in (classes, clusters)]
    n = max(sum(size * count for size, count in side.items()) for side in sides)
    found = set()
    for most in (NONE, ALL):
        with few(most):
            found.add(sums.expected_deviances(sides[0], sides[1], int(n)))
    assert len(found) == 1
