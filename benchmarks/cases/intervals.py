"""Intervals from objects left out beside a loop that resamples labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import clustervet as cv
from harness import Row, Scale, at_least, size_of, timed
from labels import moved

RESAMPLES = 2_000
# Each resample takes the same time in the loop, so a few are timed and scaled up.
TIMED = 5


def run(scale: Scale) -> Iterator[Row]:
    """1 million labels: intervals of all measures beside scikit-learn's for one measure."""
    from sklearn.metrics import adjusted_rand_score

    n, clusters = scale(1_000_000), 10
    truth, pred = moved(n, clusters)
    rng = np.random.default_rng(0)

    def loop() -> list[float]:
        found = []
        for _ in range(TIMED):
            chosen = rng.integers(0, n, n)
            found.append(adjusted_rand_score(truth[chosen], pred[chosen]))
        return found

    def ours() -> cv.ScoreCard:
        card = cv.external_scores(truth, pred, confidence=0.95)
        assert isinstance(card, cv.ScoreCard)
        return card

    timed(ours)
    seconds, card = min((timed(ours) for _ in range(2)), key=lambda run: run[0])
    spent, values = timed(loop)
    interval = card.score("adjusted_rand").interval
    yield Row(
        what=f"intervals of all {len(card)} measures / a loop over labels for adjusted Rand",
        size=f"{size_of(n, clusters)}, {RESAMPLES:,} resamples in the loop",
        peer="scikit-learn",
        ours=seconds,
        theirs=spent * RESAMPLES / TIMED,
        goal=at_least(100) if scale.is_full else None,
        value_ours=interval.standard_error if interval else None,
        value_peer=float(np.std(values, ddof=1)),
        note=f"standard errors; the loop is timed for {TIMED} resamples and scaled up",
    )
