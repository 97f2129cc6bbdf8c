from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet import ClustervetError, Contingency, ScoreCard, ScoreCards, external_scores
from clustervet.errors import ParameterError

TRUTH = ["a", "a", "a", "b", "b", "c"]
PRED = [0, 0, 1, 1, 2, 2]
OTHER = [0, 0, 0, 1, 1, 2]


def same(one, two):
    """Whether two cards hold the same numbers, undefined ones included."""
    return list(one) == list(two) and np.array_equal(
        list(one.values()), list(two.values()), equal_nan=True
    )


def test_a_card_holds_every_external_measure_in_the_order_of_the_registry():
    card = external_scores(TRUTH, PRED)
    assert isinstance(card, ScoreCard)
    general = cv.measures.select(kind="external", general=True)
    assert list(card) == [record.key for record in general]
    assert len(card) == len(list(card))


def test_a_card_says_what_each_measure_says():
    card = external_scores(TRUTH, PRED)
    table = Contingency.from_labels(TRUTH, PRED)
    for key, value in card.items():
        assert type(value) is float
        alone = cv.measures[key](table)
        assert value == alone or (math.isnan(value) and math.isnan(alone))


def test_labels_and_their_table_give_the_same_card():
    card = external_scores(TRUTH, PRED)
    assert same(card, external_scores(Contingency.from_labels(TRUTH, PRED)))
    assert same(card, external_scores(pd.Series(TRUTH), np.array(PRED, np.int8)))
    assert card.to_dict() == external_scores(tuple(TRUTH), pl.Series(PRED)).to_dict()


def test_a_card_answers_to_aliases_and_other_spellings():
    card = external_scores(TRUTH, PRED)
    assert card["vi"] == card["variation_of_information"]
    assert card["Adjusted-Rand"] == card["ari"] == card["adjusted_rand"]
    assert card.score("nmi").measure.key == "normalized_mutual_information"
    assert "vi" in card


def test_a_misspelt_measure_gets_a_hint():
    with pytest.raises(ClustervetError, match=r"^there is no measure 'rnad'; did you mean rand\?$"):
        external_scores(TRUTH, PRED, measures="rnad")
    with pytest.raises(ClustervetError, match="did you mean rand"):
        external_scores(TRUTH, PRED)["rnad"]


def test_a_measure_that_was_not_asked_for_is_not_on_the_card():
    card = external_scores(TRUTH, PRED, measures="rand")
    assert "vi" not in card
    assert card.get("vi") is None
    with pytest.raises(KeyError, match="variation_of_information"):
        card["vi"]


@pytest.mark.parametrize(
    "measures",
    [
        ["vi", "ari"],
        ("variation_of_information", "adjusted_rand"),
        [cv.variation_of_information, cv.adjusted_rand],
        [cv.measures["vi"], cv.measures["ari"]],
        iter(["VI", "Adjusted Rand"]),
        ["vi", "ari", "vi", cv.adjusted_rand],
    ],
    ids=["aliases", "keys", "functions", "records", "iterator", "twice"],
)
def test_measures_are_chosen_by_key_alias_record_or_function(measures):
    card = external_scores(TRUTH, PRED, measures=measures)
    assert list(card) == ["variation_of_information", "adjusted_rand"]


@pytest.mark.parametrize("one", ["vi", cv.variation_of_information, cv.measures["vi"]])
def test_one_measure_needs_no_list(one):
    assert list(external_scores(TRUTH, PRED, measures=one)) == ["variation_of_information"]


@pytest.mark.parametrize("wrong", [[3], [None], [len], 3, len])
def test_what_is_no_measure_is_refused(wrong):
    with pytest.raises(ClustervetError, match="measure"):
        external_scores(TRUTH, PRED, measures=wrong)


def test_a_family_of_measures():
    coding = [key for key, record in cv.measures.items() if record.family == "coding"]
    assert list(external_scores(TRUTH, PRED, family="coding")) == coding
    both = external_scores(TRUTH, PRED, family=["coding", "impurity"])
    assert {cv.measures[key].family for key in both} == {"coding", "impurity"}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("piars", r"did you mean pairs\?"),
        ("xyzzy", r"there are .*linkage.*pairs.*\."),
        (3, r"there are .*pairs.*\."),
    ],
)
def test_an_unknown_family_is_named_beside_what_there_is(name, hint):
    with pytest.raises(ClustervetError, match=f"^there is no family or field '?{name}'?; {hint}$"):
        external_scores(TRUTH, PRED, family=[name])


def test_a_family_narrows_the_measures_named():
    card = external_scores(TRUTH, PRED, measures=["rand", "vi"], family="pairs")
    assert list(card) == ["rand"]


def test_a_users_own_measure_joins_the_card():
    @cv.measure(title="Number of clusters", family="mine", better="neither", bounds=(1, math.inf))
    def number_of_clusters(table):
        """How many clusters there are."""
        return float(table.shape[1])

    try:
        assert external_scores(TRUTH, PRED)["number_of_clusters"] == 3.0
        assert list(external_scores(TRUTH, PRED, family="mine")) == ["number_of_clusters"]
    finally:
        cv.measures.remove("number_of_clusters")
    assert "number_of_clusters" not in external_scores(TRUTH, PRED)


def test_undefined_values_are_nan_and_say_why():
    card = external_scores(["a", "a"], [0, 1])
    undefined = {key: card.score(key).why for key, value in card.items() if math.isnan(value)}
    assert "pair_precision" in undefined
    assert (
        undefined["pair_precision"] == "every cluster has one object, so no pair shares a cluster"
    )
    assert all(undefined.values())
    assert all(card.score(key).why is None for key in card if key not in undefined)


def test_identical_clusterings_are_perfect_however_small():
    for labels in ([1], [1, 1], [1, 2]):
        card = external_scores(labels, labels)
        for key, value in card.items():
            perfect = cv.measures[key].perfect
            assert perfect is None or value == perfect


def test_several_predictions_side_by_side():
    cards = external_scores(TRUTH, {"first": PRED, "second": OTHER})
    assert isinstance(cards, ScoreCards)
    assert list(cards) == ["first", "second"]
    assert same(cards["first"], external_scores(TRUTH, PRED))
    assert same(cards["second"], external_scores(TRUTH, OTHER))
    assert cards["second"].subject.pred == "second"
    assert cards["first"].subject.truth == "truth"


def test_a_mapping_of_one_is_still_several():
    assert list(external_scores(TRUTH, {"only": PRED}, measures="rand")) == ["only"]


def test_predictions_whose_names_read_alike_stay_apart():
    cards = external_scores(TRUTH, {1: PRED, 2: OTHER}, measures="rand")
    assert list(cards) == ["1", "2"]
    with pytest.raises(ClustervetError, match="1"):
        external_scores(TRUTH, {1: PRED, "1": OTHER}, measures="rand")


def tuples(*truths):
    """The combinations of labels as labels of their own."""
    combined = np.empty(len(truths[0]), object)
    combined[:] = list(zip(*truths, strict=True))
    return combined


SEX = ["m", "f", "m", "f", "m", "m"]
AGE = [1, 1, 2, 2, 2, 1]


@pytest.mark.parametrize(
    "wrap", [list, tuple, np.array, pd.Series, pl.Series, pa.array, range], ids=lambda f: f.__name__
)
def test_several_truths_are_scored_one_by_one_and_as_product_classes(wrap):
    if wrap is range:
        first, second = range(6), range(0, 12, 2)
    elif wrap is tuple:
        first, second = SEX, AGE
    else:
        first, second = wrap(SEX), wrap(AGE)
    given = (first, second) if wrap is tuple else [first, second]
    cards = external_scores(given, PRED)
    assert list(cards) == ["truth 1", "truth 2", "product"]
    assert same(cards["truth 1"], external_scores(first, PRED))
    assert same(cards["truth 2"], external_scores(second, PRED))
    plain = [list(side) if wrap is range else [SEX, AGE][k] for k, side in enumerate(given)]
    assert same(cards["product"], external_scores(tuples(*plain), PRED))


def test_truths_by_name():
    cards = external_scores({"sex": SEX, "age": AGE}, PRED, measures=["vi", "dom_q0"])
    assert list(cards) == ["sex", "age", "product"]
    assert cards["product"].subject.classes == len(set(zip(SEX, AGE, strict=True)))
    assert cards["age"].subject.truth == "age"
    assert same(
        cards["product"], external_scores(tuples(SEX, AGE), PRED, measures=["vi", "dom_q0"])
    )


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.integers(-1, 2), st.booleans(), st.integers(0, 2)),
        min_size=1,
        max_size=20,
    )
)
def test_product_classes_are_the_combinations_that_occur(rows):
    *truths, pred = map(list, zip(*rows, strict=True))
    chosen = ["vi", "rand", "purity", "dom_q0"]
    cards = external_scores(truths, pred, measures=chosen)
    assert same(cards["product"], external_scores(tuples(*truths), pred, measures=chosen))


def test_a_single_truth_has_no_product():
    assert same(external_scores([SEX], PRED), external_scores(SEX, PRED))
    assert len(external_scores({"sex": SEX}, PRED, measures="rand")) == 1


def test_a_truth_called_product_is_refused_rather_than_lost():
    with pytest.raises(ClustervetError, match="product"):
        external_scores({"product": SEX, "age": AGE}, PRED, measures="rand")


def test_several_truths_and_several_predictions():
    cards = external_scores([SEX, AGE], {"x": PRED, "y": OTHER}, measures=["rand"])
    assert len(cards) == 6
    assert cards["y | truth 2"]["rand"] == cv.rand(AGE, OTHER)
    assert cards["x | product"]["rand"] == cv.rand(tuples(SEX, AGE), PRED)


def test_truths_of_unequal_length_are_refused():
    with pytest.raises(
        ClustervetError,
        match=r"^all truths must label the same objects; their lengths are 6, 2\.$",
    ):
        external_scores([SEX, [1, 2]], PRED)


def test_a_missing_label_in_one_of_several_truths():
    gapped = ["m", None, "m", None, "m", "f"]
    with pytest.raises(ClustervetError, match="missing label"):
        external_scores([gapped, AGE], PRED)
    dropped = external_scores([gapped, AGE], PRED, missing="drop", measures=["rand"])
    assert dropped["product"].subject.objects == 4
    kept = external_scores([gapped, AGE], PRED, missing="class", measures=["rand"])
    assert kept["product"].subject.classes == len(set(zip(gapped, AGE, strict=True)))


def test_weights_noise_and_missing_reach_the_table():
    truth, pred = ["a", "a", None, "b"], [0, -1, 0, 1]
    options = {"weights": [1, 2, 3, 4], "noise": "drop", "missing": "drop"}
    card = external_scores(truth, pred, **options)
    assert card.subject.objects == 5
    assert same(card, external_scores(Contingency.from_labels(truth, pred, **options)))
    split = external_scores(["a", "b"], [-1, -1], noise=-1, noise_policy="singletons")
    assert split.subject.clusters == 2


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((TRUTH,), {}, r"^scoring needs truth and prediction, or one Contingency\.$"),
        ((Contingency.from_counts([[1]]), PRED), {}, "takes either one table or labels, not both"),
        ((Contingency.from_counts([[1]]),), {"weights": [1]}, "one table"),
        ((Contingency.from_counts([[1]]),), {"missing": "drop"}, "one table"),
        ((Contingency.from_counts([[1]]),), {"noise": "drop"}, "one table"),
        ((Contingency.from_counts([[1]]),), {"noise_policy": "drop"}, "one table"),
        ((TRUTH, {}), {}, r"^pred is an empty mapping; name at least one labeling\.$"),
        (({}, PRED), {}, r"^truth is an empty mapping; name at least one labeling\.$"),
        ((TRUTH, [PRED, OTHER]), {}, "^pred must be one-dimensional"),
        ((TRUTH, {"a": PRED, "b": [1]}), {}, "truth has 6 labels and .* 1"),
        ((np.array([SEX, SEX]), PRED), {}, r"its shape is \(2, 6\)"),
        ((TRUTH, "abcdef"), {}, "^pred must be a sequence"),
    ],
)
def test_calls_that_make_no_sense_are_refused(arguments, options, message):
    with pytest.raises(ClustervetError, match=message):
        external_scores(*arguments, **options)


def test_one_measure_refuses_a_table_with_options_too():
    table = Contingency.from_counts([[1]])
    for options in ({"weights": [1]}, {"noise_policy": "drop"}, {"missing": "drop"}):
        with pytest.raises(ClustervetError, match="rand takes either one table or labels"):
            cv.rand(table, **options)


@pytest.mark.parametrize(
    ("files", "truth", "pred", "message"),
    [
        (
            ["table.csv", "table.csv"],
            "y",
            "c",
            "features with truth goes with one table, or with files that id joins.",
        ),
        (["table.csv", "labels.parquet"], None, None, "name a column of clusters with pred."),
    ],
)
def test_files_with_features_that_make_no_sense_are_refused(tmp_path, files, truth, pred, message):
    (tmp_path / "table.csv").write_text("y,c,x\nu,0,0.5\nv,1,2.5\nv,1,3\n", encoding="utf-8")
    pl.DataFrame({"c": [0, 1, 1]}).write_parquet(tmp_path / "labels.parquet")
    paths = [str(tmp_path / name) for name in files]
    with pytest.raises(ParameterError) as caught:
        cv.score_files(paths, truth, pred, features=["x"])
    assert str(caught.value) == message


def test_points_that_stay_with_an_engine_have_no_picture(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("c,x\n0,0.5\n1,2.5\n1,3\n", encoding="utf-8")
    ask = {"features": ["x"], "measures": ["ssq"], "picture": True}
    held = cv.score_files(str(path), None, "c", **ask)
    left = cv.score_files(str(path), None, "c", engine="duckdb", **ask)
    assert held.points is not None
    assert left.points is None
    assert left.inner["c"]["ssq"] == pytest.approx(held.inner["c"]["ssq"])


def test_a_card_cannot_be_written_to():
    card = external_scores(TRUTH, PRED, measures="rand")
    with pytest.raises(TypeError):
        card["rand"] = 1.0


def test_counts_beyond_all_floats_leave_bounded_measures_bounded():
    table = Contingency.from_counts([[10**400, 1], [1, 10**400]])
    card = external_scores(table)
    for key, value in card.items():
        low, high = cv.measures[key].bounds
        if key == "dom_q2":  # both code lengths an object are below the smallest float
            assert math.isnan(value)
            continue
        assert low <= value <= high, key
        assert math.isfinite(value) or cv.measures[key].unit in ("objects", "ordered pairs"), key


@pytest.mark.parametrize("size", [1e17, 1e100, 1e149])
def test_large_real_weights_leave_measures_within_their_bounds(size):
    for counts in ([[size, 0.5], [0.5, size]], [[size, 0.5]], [[size], [0.5]]):
        for key, value in external_scores(Contingency.from_counts(counts)).items():
            low, high = cv.measures[key].bounds
            assert math.isnan(value) or low <= value <= high, key


def test_weights_whose_sum_is_no_float_are_refused():
    with pytest.raises(ClustervetError, match=r"^(counts|weights|the sum) "):
        external_scores(Contingency.from_counts([[1e308, 1e308]]))
    with pytest.raises(ClustervetError, match=r"^(counts|weights|the sum) "):
        external_scores([1, 2], [0, 0], weights=[1e308, 1e308])


def test_a_fault_names_the_clustering_that_has_it():
    with pytest.raises(ClustervetError, match="ward has 1 missing label"):
        cv.external_scores([0, 1], {"kmeans": [0, 1], "ward": [0, None]})
    with pytest.raises(ClustervetError, match="kind and ward must label the same objects"):
        cv.external_scores({"kind": [0, 1]}, {"ward": [0, 1, 1]})
    with pytest.raises(ClustervetError, match="pred has 1 missing label"):
        cv.external_scores({"y": [0, 1]}, {"y": [0, None]})


def test_a_file_may_be_named_by_a_path(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("y,c\nu,0\nu,0\nv,1\nv,0\n", encoding="utf-8")
    judged = cv.score_files(path, "y", "c", measures=["purity"])
    assert judged.to_dict() == cv.score_files(str(path), "y", "c", measures=["purity"]).to_dict()
    found, _ = cv.examine_files([path], "y", "c", measures=["purity"])
    assert found.scores["c"]["purity"] == 0.75
