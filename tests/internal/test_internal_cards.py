"""The score card of a geometry: every measure's own value, its reason where there is none."""

from __future__ import annotations

import json
import math

import internal_data as data
import numpy as np

import clustervet as cv

X, Y = data.gaussians([14, 15, 16], 3, seed=70)
QUICK = [record.key for record in cv.measures.select(kind="internal") if record.cost != "refits"]


def test_values_are_those_of_the_measures() -> None:
    card = cv.internal_scores(X, Y)
    assert set(card) < set(QUICK)
    card = cv.internal_scores(X, Y, measures=QUICK)
    for key in QUICK:
        np.testing.assert_equal(float(card[key]), float(getattr(cv, key)(X, Y)), key)
    card = cv.internal_scores(X, Y, metric="manhattan", measures=["silhouette", "dunn"])
    assert card["silhouette"] == cv.silhouette(X, Y, metric="manhattan")
    assert card["dunn"] == cv.dunn(X, Y, metric="manhattan")


def test_card_warns_that_measures_favour_their_own_kind() -> None:
    """Aggarwal 2015, section 6.9.1, and the issue that asked for it."""
    assert "favour" in str(cv.internal_scores(X, Y))


def test_every_undefined_value_has_its_reason() -> None:
    constant = np.column_stack([X, np.ones(len(Y))])
    card = cv.internal_scores(constant, Y)
    assert math.isnan(card["log_likelihood"])
    assert "singular" in str(card)
    card = cv.internal_scores(X, np.zeros(len(Y), dtype=int), measures=QUICK)
    undefined = [key for key in QUICK if math.isnan(card[key])]
    assert "silhouette" in undefined
    assert "ssq" not in undefined
    text = str(card)
    assert all(key in text for key in undefined)


def test_clusterings_side_by_side() -> None:
    cards = cv.internal_scores(X, {"right": Y, "wrong": Y[::-1]}, measures=["silhouette", "ssq"])
    for name, labels in (("right", Y), ("wrong", Y[::-1])):
        assert cards[name]["silhouette"] == cv.silhouette(X, labels)
    assert "right" in str(cards)
    assert "wrong" in str(cards)


def test_sampled_values_carry_their_errors() -> None:
    card = cv.internal_scores(X, Y, measures=["silhouette"], sample=20, random_state=3)
    assert card["silhouette"] == cv.silhouette(X, Y, sample=20, random_state=3)
    assert "0.95 confidence interval of a value that was sampled" in str(card)


def test_card_says_what_became_of_noise() -> None:
    noisy = np.where(np.arange(len(Y)) % 9 == 0, -1, Y)
    said = "Label -1 is scored as one cluster of pred (5 of 45 objects), except by dbcv"
    assert said in str(cv.internal_scores(X, noisy))
    assert "5 more dropped" in str(cv.internal_scores(X, noisy, noise="drop"))


def test_card_as_json() -> None:
    found = json.loads(cv.internal_scores(X, Y, measures=["ssq"]).to_json())
    assert str(cv.ssq(X, Y))[:10] in json.dumps(found)
