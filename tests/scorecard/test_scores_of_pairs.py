"""Score cards and judgements of soft, overlapping and hierarchical clusterings."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import clustervet as cv
from clustervet.errors import ParameterError, UnknownMeasureError

TRUTH = cv.Cover({"x": range(12), "y": range(10, 25)}, objects=30)
PRED = cv.Cover({"p": range(11), "q": range(11, 26)}, objects=30)
RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(24, 2))
DEGREES = RNG.dirichlet(np.ones(3), 24)
TREES = [linkage(POINTS, method) for method in ("average", "single")]


@pytest.mark.parametrize(
    ("kind", "sides"),
    [
        ("overlapping", (TRUTH, PRED)),
        ("soft", (cv.Memberships(DEGREES), np.roll(DEGREES, 1, axis=0))),
        ("hierarchical", (cv.Hierarchy(TREES[0]), TREES[1])),
    ],
)
def test_a_card_has_every_measure_of_the_kind(kind, sides):
    card = cv.external_scores(*sides)
    records = cv.measures.select(kind=kind)
    # Two trees have no classes that the purity could be of.
    records = [record for record in records if record.key != "dendrogram_purity"]
    assert list(card) == [record.key for record in records]
    for record in records:
        assert card[record.key] == pytest.approx(record(*sides), nan_ok=True)
    data = json.loads(card.to_json())
    assert data["kind"] == kind
    assert data["objects"] == card.subject.objects
    assert card.to_frame("pandas").shape[0] == len(card)
    assert records[0].key in card.to_markdown()
    assert card._repr_html_().count("<tr") >= len(card)


def test_the_other_side_may_be_labels():
    card = cv.external_scores(TRUTH, [0] * 15 + [1] * 15, measures="omega_index")
    assert card["omega_index"] == cv.omega_index(TRUTH, [0] * 15 + [1] * 15)
    card = cv.external_scores([0] * 12 + [1] * 12, cv.Hierarchy(TREES[0]))
    assert 0 < card["dendrogram_purity"] <= 1


def test_several_predictions_are_ranked_and_held_against_chance():
    other = cv.Cover({"p": range(0, 30, 2), "q": range(1, 30, 2)}, objects=30)
    found = cv.judge(
        TRUTH, {"good": PRED, "poor": other}, confidence=0.9, chance="sizes", random_state=0
    )
    assert found.ranking.line() == "good > poor"
    assert found.scores["good"].score("omega_index").interval.confidence == 0.9
    assert (
        found.chances["good"]["omega_index"].p_value
        < 0.01
        < found.chances["poor"]["omega_index"].p_value
    )
    text = repr(found)
    assert "30 objects, 2 true groups, 2 groups" in text
    assert "random orders of the prediction's objects" in text
    assert "By omega_index, at 0.9 confidence: good > poor" in text
    assert set(found.pairs) == {"good", "poor"}
    assert found.to_dict()["ranking"]["measure"] == "omega_index"


def test_cards_by_family_and_by_name():
    card = cv.external_scores(TRUTH, PRED, measures=["omega_index"])
    assert list(card) == ["omega_index"]
    assert len(cv.external_scores(TRUTH, PRED, family="covers")) > 5
    with pytest.raises(ParameterError, match="ndc needs memberships, not two covers"):
        cv.external_scores(TRUTH, PRED, measures="ndc")
    with pytest.raises(ParameterError, match="rand needs labels, not two covers"):
        cv.external_scores(TRUTH, PRED, measures="rand")
    with pytest.raises(ParameterError, match="omega_index needs covers, not a second labeling"):
        cv.external_scores([0, 1], [0, 1], measures="omega_index")
    with pytest.raises(UnknownMeasureError):
        cv.external_scores(TRUTH, PRED, measures="omega_indx")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"noise": "drop"}, "noise is for labels, not for two covers"),
        ({"weights": [1] * 30}, "weights is for labels"),
        ({"missing": "drop"}, "missing is for labels"),
    ],
)
def test_options_of_labels_are_refused(options, words):
    with pytest.raises(ParameterError, match=words):
        cv.external_scores(TRUTH, PRED, **options)


def test_diagnosis_is_for_labels():
    with pytest.raises(ParameterError, match="diagnose is for labels, not for two covers"):
        cv.judge(TRUTH, PRED, diagnose=True)


def test_different_kinds_do_not_compare():
    with pytest.raises(ParameterError, match="no measure compares a"):
        cv.external_scores(TRUTH, cv.Hierarchy(TREES[0]))


def test_memberships_are_scored_with_and_without_points():
    soft = cv.Memberships(DEGREES)
    card = cv.internal_scores(POINTS, soft)
    assert card["partition_coefficient"] == cv.partition_coefficient(soft)
    assert card["fuzzy_xie_beni"] == pytest.approx(cv.fuzzy_xie_beni(POINTS, soft))
    assert json.loads(card.to_json())["clusters"] == 3
    alone = cv.internal_scores(None, soft)
    assert alone["partition_coefficient"] == card["partition_coefficient"]
    assert np.isnan(alone["fuzzy_xie_beni"])
    assert "needs the features" in alone.score("fuzzy_xie_beni").why
    scaled = cv.internal_scores(POINTS * [1, 1000], soft, standardize=True)
    assert scaled["fuzzy_xie_beni"] == pytest.approx(
        cv.internal_scores(POINTS, soft, standardize=True)["fuzzy_xie_beni"]
    )
    with pytest.raises(ParameterError, match="weights is for labels, not for memberships"):
        cv.internal_scores(POINTS, soft, weights=np.ones(24))
    with pytest.raises(ParameterError, match="silhouette needs features"):
        cv.internal_scores(POINTS, soft, measures="silhouette")
