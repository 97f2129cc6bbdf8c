from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_text import MODELS, text
from scipy.sparse import coo_array, csr_array
from sklearn.base import clone

from clustervet.clusterers import rows as room
from clustervet.clusterers.rows import Sums, read_rows


def dense(rows):
    return csr_array((rows.data, rows.indices, rows.indptr), (len(rows), rows.width)).toarray()


def made(counts, weights=None, *, squared=True, merge=True):
    weights = np.ones(counts.shape[0]) if weights is None else weights
    return read_rows(csr_array(counts), weights, squared=squared, merge=merge)


@pytest.fixture
def many_threads(monkeypatch):
    """As many threads as there are rows to share, however little work they have."""
    monkeypatch.setattr(room, "GRAIN", 1)
    monkeypatch.setattr(room, "threads", lambda: 7)


def test_rows_are_scaled_and_equal_ones_merged():
    counts = np.array([[3.0, 4, 0], [0, 0, 0], [0, 0, 2], [3, 4, 0], [1, 0, 0]])
    rows = made(counts, np.array([1.0, 5, 2, 3, 0]))
    assert len(rows) == 2
    assert rows.places[1] == rows.places[4] == -1
    assert rows.places[0] == rows.places[3] != rows.places[2]
    assert rows.weights[rows.places[0]] == 4
    assert rows.sizes[rows.places[0]] == 5
    np.testing.assert_allclose(dense(rows)[rows.places[[0, 2]]], [[0.6, 0.8, 0], [0, 0, 1]])
    sums = made(counts, squared=False, merge=False)
    np.testing.assert_allclose(dense(sums).sum(axis=1), [1, 0, 1, 1, 1])
    assert sums.sizes.tolist() == [7, 0, 2, 7, 1]


def test_rows_of_any_magnitude_have_a_direction():
    rows = dense(made(np.array([[3e300, 4e300], [3e-300, 4e-300], [5e-324, 0]]), merge=False))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.6, 0.8], [1, 0]])


def test_stored_zeros_and_repeated_places_do_not_matter():
    plain = csr_array(np.array([[0.0, 2, 0], [1, 0, 1]]))
    odd = coo_array(
        (np.array([1.0, 1, 0, 1, 1, -3, 3]), ([0, 0, 0, 1, 1, 1, 1], [1, 1, 2, 2, 0, 1, 1])),
        shape=(2, 3),
    )
    unsorted = csr_array((np.array([1.0, 1, 2]), np.array([2, 0, 1]), np.array([0, 2, 3])))[[1, 0]]
    for other in (csr_array(odd), unsorted):
        assert np.array_equal(dense(made(other, merge=False)), dense(made(plain, merge=False)))


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(1, 9))
def test_products_and_sums_are_numpys(seed, clusters):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.7, (12, 11)).astype(float)
    weights = rng.uniform(0.5, 2, 12)
    rows = made(counts, weights)
    if not len(rows):
        return
    plain = dense(rows)
    table, bias = rng.standard_normal((11, clusters)), rng.standard_normal(clusters)
    scores = plain @ table + bias
    np.testing.assert_allclose(rows.scores(table, bias), scores, atol=1e-13)
    labels, best = rows.nearest(table, bias)
    assert np.array_equal(labels, scores.argmax(axis=1))
    np.testing.assert_allclose(best, scores.max(axis=1), atol=1e-13)
    shares, likeliest, evidence = rows.posteriors(table, bias)
    np.testing.assert_allclose(shares, np.exp(scores - evidence[:, None]), atol=1e-13)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert np.array_equal(likeliest, labels)
    np.testing.assert_allclose(rows.shared_sums(shares), plain.T @ shares, atol=1e-13)
    chosen = rng.integers(0, len(rows), 3)
    np.testing.assert_allclose(
        rows.products(*rows.pick(chosen)), plain @ plain[chosen].T, atol=1e-13
    )
    np.testing.assert_allclose(rows.dense(chosen), plain[chosen])


@pytest.mark.usefixtures("many_threads")
def test_sums_follow_rows_that_move():
    rng = np.random.default_rng(0)
    rows = made(rng.poisson(0.5, (200, 30)).astype(float), rng.uniform(0.5, 2, 200))
    plain = dense(rows) * rows.weights[:, None]
    labels = rng.integers(0, 6, len(rows)).astype(np.int32)
    sums = Sums(rows, labels, 6)
    for step in range(40):
        labels = labels.copy()
        count = len(rows) // 2 if step % 11 == 0 else 5
        labels[rng.integers(0, len(rows), count)] = rng.integers(0, 5 if step > 20 else 6)
        old = sums.labels
        changed = sums.move(labels)
        moved = labels != old
        assert set(np.flatnonzero(changed)) == {*labels[moved], *old[moved]}
        expected = np.array([plain[labels == h].sum(axis=0) for h in range(6)])
        np.testing.assert_allclose(sums.totals, expected, atol=1e-12)
        np.testing.assert_allclose(sums.sizes, np.bincount(labels, rows.weights, 6))
    assert (
        np.array_equal(sums.totals[np.bincount(labels, minlength=6) == 0], np.zeros((0, 30)))
        or (np.bincount(labels, minlength=6) > 0).all()
    )


@pytest.mark.parametrize("name", sorted(MODELS))
def test_threads_change_no_digit(name, monkeypatch):
    counts, _ = text()
    alone = clone(MODELS[name]).set_params(n_clusters=4, random_state=3).fit(counts)
    monkeypatch.setattr(room, "GRAIN", 1)
    monkeypatch.setattr(room, "threads", lambda: 7)
    together = clone(MODELS[name]).set_params(n_clusters=4, random_state=3).fit(counts)
    assert np.array_equal(alone.cluster_centers_, together.cluster_centers_)
    assert np.array_equal(alone.objective_path_, together.objective_path_)
    assert np.array_equal(alone.transform(counts), together.transform(counts))


@pytest.mark.parametrize(("said", "wanted"), [("1", 1), ("", None), ("many", None), ("9999", None)])
def test_threads_keep_to_what_the_environment_allows(said, wanted, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert room.threads() == (wanted or room.cores())


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_order_of_rows_changes_no_digit(name):
    counts, _ = text()
    order = np.random.default_rng(0).permutation(counts.shape[0])
    model = clone(MODELS[name]).set_params(n_clusters=4, random_state=5)
    first = clone(model).fit(counts)
    second = clone(model).fit(counts[order])
    assert np.array_equal(first.labels_[order], second.labels_)
    assert np.array_equal(first.cluster_centers_, second.cluster_centers_)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_dense_and_sparse_rows_are_the_same(name):
    counts, _ = text()
    model = clone(MODELS[name]).set_params(n_clusters=4, random_state=5)
    first, second = clone(model).fit(counts), clone(model).fit(counts.toarray())
    assert np.array_equal(first.cluster_centers_, second.cluster_centers_)
    assert np.array_equal(first.predict(counts), second.predict(counts.toarray()))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_rows_one_by_one_get_what_they_get_together(name):
    counts, _ = text(documents=40)
    model = clone(MODELS[name]).set_params(n_clusters=4, random_state=5).fit(counts)
    each = np.concatenate([model.predict(counts[[i]]) for i in range(40)])
    assert np.array_equal(each, model.predict(counts))
    distances = np.concatenate([model.transform(counts[[i]]) for i in range(40)])
    assert np.array_equal(distances, model.transform(counts))


def test_the_sums_of_a_cluster_that_lost_its_rows_are_nothing():
    counts = np.array([[1.0, 2, 3], [3, 1, 1], [1, 1, 5], *([[1, 1, 1]] * 30)])
    rows = made(csr_array(counts), merge=False)
    labels = np.zeros(len(rows), np.int32)
    labels[:3] = 1
    sums = Sums(rows, labels, 2)
    for k in range(3):  # few rows at a time, so that the sums are not computed again
        labels = labels.copy()
        labels[k] = 0
        assert sums.move(labels).tolist() == [True, True]
    assert not sums.totals[1].any()
    assert sums.counts.tolist() == [33, 0]
