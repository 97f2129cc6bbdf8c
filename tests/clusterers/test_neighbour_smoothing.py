from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from planted_text import text
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from clustervet.clusterers import NeighbourSmoothing, SphericalKMeans, smoothing
from clustervet.clusterers import rows as room
from clustervet.errors import ParameterError


def oracle(held, rows, neighbours, share, terms):
    """Plain loops over fractions; cosines are compared by their signed squares, exactly."""
    held = [[Fraction(float(x)) for x in row] for row in held]
    result = []
    for row in ([Fraction(float(x)) for x in row] for row in rows):
        ranked = []
        for place, other in enumerate(held):
            product = sum(a * b for a, b in zip(row, other, strict=True))
            if product <= 0:
                continue
            square = product**2 / (sum(a * a for a in row) * sum(b * b for b in other))
            if square < 1:
                ranked.append((-square, place))
        ranked = sorted(ranked)[:neighbours]
        cosines = [float(-square) ** 0.5 for square, _ in ranked]
        moved = np.array([float(x) for x in row])
        if ranked:
            others = np.array([[float(x) for x in held[place]] for _, place in ranked])
            mean = np.average(others, axis=0, weights=cosines)
            moved = (1 - share) * moved + share * mean
        if terms is not None:
            order = sorted(range(len(moved)), key=lambda j: (-abs(moved[j]), j))
            moved[order[terms:]] = 0
        result.append(moved)
    return np.array(result)


# Each in its own scale, so that no two cosines are equal but those of equal directions.
small = hnp.arrays(
    np.int64, st.tuples(st.integers(2, 9), st.integers(1, 6)), elements=st.integers(0, 9)
)


@settings(max_examples=150)
@given(small, st.integers(1, 5), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.data())
def test_rows_are_those_of_exact_arithmetic(counts, neighbours, share, data):
    model = NeighbourSmoothing(neighbours, share=share)
    expected = oracle(counts, counts, neighbours, share, None)
    # Cosines that are equal may round apart, and then another of the equals is taken.
    squares = exact_cosines(counts)
    for row in squares:
        kept = sorted((square for square in row if 0 < square < 1), reverse=True)
        if len(kept) > neighbours and kept[neighbours - 1] == kept[neighbours]:
            return
    np.testing.assert_allclose(model.fit_transform(counts), expected, rtol=1e-12, atol=1e-12)
    sparse = model.fit_transform(csr_matrix(counts))
    assert issparse(sparse)
    np.testing.assert_allclose(sparse.toarray(), expected, rtol=1e-12, atol=1e-12)
    order = data.draw(st.permutations(range(len(counts))))
    np.testing.assert_allclose(
        model.fit_transform(counts[order]), expected[order], rtol=1e-12, atol=1e-12
    )


def exact_cosines(counts):
    rows = [[Fraction(int(x)) for x in row] for row in counts]
    return [
        [
            Fraction(sum(a * b for a, b in zip(x, y, strict=True)) ** 2)
            / (sum(a * a for a in x) * sum(b * b for b in y))
            if any(x) and any(y)
            else Fraction(0)
            for y in rows
        ]
        for x in rows
    ]


def test_new_rows_find_their_neighbours_in_the_fit():
    rng = np.random.default_rng(0)
    held, rows = rng.normal(size=(30, 5)), rng.normal(size=(7, 5))
    model = NeighbourSmoothing(4, share=0.25).fit(held)
    np.testing.assert_allclose(model.transform(rows), oracle(held, rows, 4, 0.25, None), rtol=1e-12)
    assert model.weights(rows).shape == (7, 30)


def test_neighbours_are_those_of_scikit_learn():
    counts, _ = text(documents=400, seed=3)
    weighted = TfidfTransformer().fit_transform(csr_matrix(counts))
    weights = NeighbourSmoothing(5).fit(weighted).weights(weighted)
    peer = NearestNeighbors(n_neighbors=6, metric="cosine").fit(weighted)
    distances, places = peer.kneighbors(weighted)
    for i in range(0, 400, 7):
        cosines = {j: 1 - d for d, j in zip(distances[i], places[i], strict=True) if j != i}
        total = sum(sorted(cosines.values())[-5:])
        found = {int(j): float(w) for j, w in zip(weights[i].indices, weights[i].data, strict=True)}
        assert sum(found.values()) == pytest.approx(1)
        assert max(found.values()) == pytest.approx(max(cosines.values()) / total)
        assert sorted(found.values()) == pytest.approx(
            [c / total for c in sorted(cosines.values())[-5:]]
        )


def test_rows_of_one_direction_tell_each_other_nothing():
    rows = np.array([[1.0, 2, 0], [2, 4, 0], [0.1, 0.2, 0], [0, 1, 1]])
    weights = NeighbourSmoothing(2).fit(rows).weights(rows).toarray()
    np.testing.assert_array_equal(weights[:3], [[0, 0, 0, 1]] * 3)
    # The three point the same way from the last, and the earlier ones are taken.
    np.testing.assert_allclose(weights[3], [0.5, 0.5, 0, 0])


def test_rows_without_words_or_neighbours_stay():
    rows = np.array([[0.0, 0, 0], [3, 0, 0], [0, -2, 0], [0, 2, 1]])
    np.testing.assert_array_equal(NeighbourSmoothing(3).fit_transform(rows), rows)
    assert NeighbourSmoothing(3).fit(rows).weights(rows).nnz == 0


def test_a_row_keeps_its_largest_values():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(20, 30))
    for terms in (1, 5, 29, 30, 100):
        kept = NeighbourSmoothing(3, terms=terms).fit_transform(rows)
        np.testing.assert_allclose(kept, oracle(rows, rows, 3, 0.5, terms), rtol=1e-12)
    even = NeighbourSmoothing(1, terms=2).fit_transform(np.array([[1.0, -1, 1], [5, 5, 5]]))
    np.testing.assert_array_equal(even, [[3, 0, 3], [3, 0, 3]])


def test_cosines_may_be_those_of_other_rows():
    counts = csr_matrix(text(documents=60, seed=5)[0])
    by = TfidfTransformer(sublinear_tf=True)
    model = NeighbourSmoothing(4, by=by).fit(counts)
    weights = NeighbourSmoothing(4).fit(by.fit_transform(counts)).weights(by.transform(counts))
    expected = 0.5 * counts.toarray() + 0.5 * weights.toarray() @ counts.toarray()
    np.testing.assert_allclose(model.transform(counts).toarray(), expected, rtol=1e-12)
    assert not hasattr(by, "by_")
    assert model.by_ is not by


def test_blocks_and_threads_change_nothing(monkeypatch):
    counts = csr_matrix(text(documents=90, seed=2)[0])
    model = NeighbourSmoothing(6, terms=20)
    once = model.fit_transform(counts)
    monkeypatch.setattr(room, "GRAIN", 1)
    monkeypatch.setattr(room, "threads", lambda: 7)
    monkeypatch.setattr(smoothing, "BLOCK", 7)
    again = model.fit_transform(counts)
    assert (again != once).nnz == 0
    assert again.indices.dtype == again.indptr.dtype == np.int32
    assert again.has_sorted_indices


def test_types_names_and_huge_values():
    rows = np.array([[1, 1, 0], [0, 1, 1]], np.float32)
    assert NeighbourSmoothing(1).fit_transform(rows).dtype == np.float32
    assert NeighbourSmoothing(1).fit_transform(csr_array(rows)).dtype == np.float32
    model = NeighbourSmoothing(1).set_output(transform="pandas").fit(rows)
    assert list(model.transform(rows).columns) == list(model.get_feature_names_out())
    plain = NeighbourSmoothing(1).fit_transform(rows.astype(float))
    huge = NeighbourSmoothing(1).fit_transform(rows.astype(float) * 1e200)
    np.testing.assert_allclose(huge, plain * 1e200)


def test_smoothing_helps_where_words_tell_little():
    def errors(counts, *before):
        model = make_pipeline(*before, SphericalKMeans(3, n_init=5, random_state=0))
        table = np.zeros((3, 3), int)
        np.add.at(table, (topics, model.fit_predict(counts)), 1)
        return len(topics) - table.max(axis=0).sum()

    topics = np.repeat([0, 1, 2], 200)
    plain, moved = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        words = np.stack([rng.dirichlet(np.full(1000, 0.1)) for _ in range(3)])
        words = 0.3 * words + 0.7 * words.mean(axis=0)
        drawn = np.stack([rng.multinomial(25, words[t]) for t in topics])
        counts = csr_matrix(drawn.astype(float))
        plain.append(errors(counts, TfidfTransformer()))
        moved.append(errors(counts, TfidfTransformer(), NeighbourSmoothing()))
    assert sum(moved) < 0.7 * sum(plain)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"neighbours": 0}, "neighbours must be a whole number of at least 1, not 0."),
        ({"neighbours": 2.5}, "neighbours must be a whole number of at least 1, not 2.5."),
        ({"neighbours": True}, "neighbours must be a whole number of at least 1, not True."),
        ({"terms": 0}, "terms must be a whole number of at least 1, not 0."),
        ({"share": 1.5}, "share must be a number from 0 to 1, not 1.5."),
        ({"share": float("nan")}, "share must be a number from 0 to 1, not nan."),
        ({"share": "half"}, "share must be a number from 0 to 1, not 'half'."),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ParameterError) as caught:
        NeighbourSmoothing(**options).fit(np.eye(3))
    assert str(caught.value) == message


@pytest.mark.parametrize("model", [NeighbourSmoothing(), NeighbourSmoothing(2, terms=3)], ids=repr)
def test_scikit_learns_checks(model):
    results = estimator_checks.check_estimator(model, on_skip=None)
    others = {r["check_name"]: r["status"] for r in results if r["status"] != "passed"}
    assert others == {"check_array_api_input": "skipped"}  # elsewhere, in an environment of its own
