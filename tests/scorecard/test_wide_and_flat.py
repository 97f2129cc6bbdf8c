"""Scores as a row per measure, as plain numbers by name, and as a table for a paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

import clustervet as cv
from clustervet.errors import UnknownMeasureError

TRUTH = np.arange(60) % 3
PREDS = {
    "same": TRUTH,
    "close": np.where(np.arange(60) % 20 == 0, 1, TRUTH),
    "chance": np.arange(60) // 20,
}


@pytest.fixture(scope="module")
def cards():
    return cv.external_scores(TRUTH, PREDS, measures=["ari", "vi"])


def test_one_measure_over_all_predictions(cards):
    assert cards["ari"] == {name: cv.adjusted_rand(TRUTH, pred) for name, pred in PREDS.items()}
    assert cards["adjusted_rand"] == cards["ari"]
    assert "ari" not in cards
    assert list(cards) == list(PREDS)
    with pytest.raises(KeyError, match="purity is not among the measures"):
        cards["purity"]
    with pytest.raises(UnknownMeasureError, match="no measure 'nothing'"):
        cards["nothing"]
    named = cv.external_scores(TRUTH, {"vi": TRUTH, "b": PREDS["close"]}, measures=["vi"])
    assert named["vi"]["vi"] == 0  # the prediction of that name, not the measure


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_one_row_per_measure(cards, backend):
    frame = cards.to_frame(backend, wide=True)
    names = list(getattr(frame, "column_names", None) or frame.columns)
    assert names == ["measure", *PREDS]
    assert list(map(str, frame["measure"])) == ["adjusted_rand", "variation_of_information"]
    assert (
        float(frame["close"][0].as_py() if backend == "pyarrow" else frame["close"][0])
        == (cards["close"]["ari"])
    )
    judged = cv.judge(TRUTH, PREDS, measures=["ari", "vi"]).to_frame(backend, wide=True)
    assert judged.equals(frame)


def test_a_prediction_called_measure(cards):
    found = cv.external_scores(TRUTH, {"measure": TRUTH, "b": TRUTH}, measures=["rand"])
    assert found.to_frame("pandas", wide=True)["measure"].tolist() == [1.0]


def test_plain_numbers_by_name(cards):
    flat = cards.to_dict(flat=True)
    assert flat["close.adjusted_rand"] == cards["close"]["ari"]
    assert len(flat) == 6
    assert all(type(value) is float and math.isfinite(value) for value in flat.values())
    card = cv.external_scores(TRUTH, TRUTH, measures=["rand", "vi"], confidence=0.9)
    one = card.to_dict(flat=True)
    assert one["rand"] == 1
    assert one["rand.low"] == card.score("rand").interval.low
    undefined = cv.external_scores([0, 1], [0, 1], measures=["pair_f1", "hubert_gamma", "rand"])
    assert all(math.isfinite(value) for value in undefined.to_dict(flat=True).values())


def test_plain_numbers_of_a_judgement():
    one = cv.judge(TRUTH, PREDS["close"], measures=["rand"], chance="sizes").to_dict(flat=True)
    assert one["rand"] == cv.rand(TRUTH, PREDS["close"])
    assert one["rand.expected"] == pytest.approx(cv.chance("rand", TRUTH, PREDS["close"]).expected)
    several = cv.judge(TRUTH, PREDS, measures=["rand"]).to_dict(flat=True)
    assert list(several) == [f"{name}.rand" for name in PREDS]


def test_plain_numbers_of_a_sample():
    found = cv.sampled_scores({0: 0, 3: 0}, TRUTH, sample="objects")
    flat = found.to_dict(flat=True)
    assert flat["pair_recall"] == 1
    assert {"pair_recall.low", "pair_recall.high"} < set(flat)


def test_latex_marks_what_the_data_cannot_tell_apart():
    found = cv.judge(TRUTH, PREDS, measures=["ari", "purity"], confidence=0.95)
    letters = found.ranking.letters
    first, second = (
        line for line in found.to_latex().splitlines() if line.startswith(("Adjusted", "Purity"))
    )
    for name in PREDS:
        assert f"$^{{{letters[name]}}}$" in first
    assert "$^{" not in second  # the ranking is by the first measure
    assert r"\textbf{1.0000" in first
    assert "share a letter" in found.to_latex()
    assert "share a letter" not in cv.external_scores(TRUTH, PREDS, measures=["ari"]).to_latex()
    assert "$^" not in found.to_markdown()
