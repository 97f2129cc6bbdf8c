from __future__ import annotations

import numpy as np
import pytest
from planted_text import MODELS, purity, text
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer

from clustervet.clusterers import FrequencySensitiveKMeans, KLKMeans, SoftMovMF, SphericalKMeans
from clustervet.clusterers.components import critical_concentration
from clustervet.clusterers.rows import read_rows
from clustervet.clusterers.seeding import spread_rows


@pytest.mark.parametrize("name", sorted(MODELS))
def test_planted_topics_are_found(name):
    counts, topics = text(documents=300, words=200, topics=4, length=60)
    rows = counts if name.startswith("divergence") else TfidfTransformer().fit_transform(counts)
    model = clone(MODELS[name]).set_params(n_clusters=4, n_init=5, random_state=0).fit(rows)
    assert purity(topics, model.labels_) > 0.95


def test_sizes_that_follow_every_move_are_balanced():
    counts, _ = text(documents=300, words=200, topics=3, length=20)
    plain = SphericalKMeans(10, random_state=0).fit(counts)
    sizes = np.bincount(plain.labels_)
    balanced = FrequencySensitiveKMeans(10, random_state=0).fit(counts)
    assert balanced.balance_ > 0.85 > sizes.min() / sizes.mean()


def test_annealing_finds_what_a_bad_start_hides_and_is_the_default():
    counts, topics = text(documents=150, words=600, topics=3, length=25, seed=4)
    rows = TfidfTransformer().fit_transform(counts)
    plain, usual, annealed = (
        np.mean(
            [
                purity(topics, clone(model).set_params(random_state=seed).fit(rows).labels_)
                for seed in range(5)
            ]
        )
        for model in (
            SoftMovMF(3, annealing=None),
            SoftMovMF(3),
            SoftMovMF(3, concentration="shared", annealing=1.2),
        )
    )
    assert usual > plain
    assert annealed > plain + 0.1
    assert annealed > 0.9


def test_below_the_critical_concentration_clusters_fall_together():
    counts, _ = text(documents=300, words=50, topics=2, length=40)
    rows = read_rows(counts, np.ones(300), squared=True, merge=True)
    critical = critical_concentration(rows)
    plain = rows.dense(np.arange(len(rows)))
    mean = plain.mean(axis=0)
    spread = np.linalg.eigvalsh(np.cov(plain.T, bias=True))[-1]
    assert critical == pytest.approx(np.linalg.norm(mean) / spread, rel=0.01)

    def gap_after(kappa, steps=150):
        """How far two centres are apart that started a little apart."""
        centres = mean + 1e-3 * np.array([[1], [-1]]) * plain[:1]
        for _ in range(steps):
            centres /= np.linalg.norm(centres, axis=1, keepdims=True)
            shares = np.exp(kappa * (plain @ centres.T))
            shares /= shares.sum(axis=1, keepdims=True)
            centres = shares.T @ plain
        return np.linalg.norm(centres[0] - centres[1])

    assert gap_after(0.8 * critical) < 1e-6 < gap_after(1.5 * critical)


def test_the_prior_shrinks_to_the_smoothing_asked_for():
    counts, _ = text()
    model = KLKMeans(3, smoothing=0.5, initial_smoothing=4, shrink=0.5, random_state=0).fit(counts)
    assert model.smoothing_ == 0.5
    short = KLKMeans(3, smoothing=0.5, initial_smoothing=4, shrink=0.5, max_iter=3, random_state=0)
    assert short.fit(counts).smoothing_ == pytest.approx(4 * 120 / 3 / 4)


def test_seeds_are_spread_out_and_different():
    # three bundles of directions, one of them a hundred times as heavy
    rng = np.random.default_rng(0)
    bundles = np.repeat(np.eye(3), [300, 3, 3], axis=0) + rng.uniform(0, 1e-3, (306, 3))
    rows = read_rows(bundles, np.ones(306), squared=True, merge=True)
    for seed in range(10):
        chosen = spread_rows(
            rows,
            3,
            np.random.default_rng(seed),
            lambda chosen: np.maximum(0, 1 - rows.products(*rows.pick(chosen))),
        )
        assert set(rows.dense(chosen).argmax(axis=1)) == {0, 1, 2}
        every = spread_rows(
            rows,
            306,
            np.random.default_rng(seed),
            lambda chosen: np.zeros((306, len(chosen))),
        )
        assert sorted(every) == list(range(306))
