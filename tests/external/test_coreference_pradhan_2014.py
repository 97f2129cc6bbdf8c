"""Measures of coreference: the published cases of the reference scorer, and its Python port."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import permutations
from typing import Any

import duckdb
import numpy as np
import pytest
from neleval import coref_metrics as neleval

import clustervet as cv
from clustervet.errors import LabelError, ParameterError, TableError

# Test cases of the reference scorer of the CoNLL shared tasks (Pradhan et al. 2014) and of its
# port with LEA: key, response, and precision and recall by measure as printed there. A letter is a
# mention. Mentions of one side only are twinless. None is 0/0, which the scorers print as 0.
F = Fraction
A = "a bc def"
CASES: dict[str, tuple[str, str, dict[str, tuple[Any, Any]]]] = {
    "A-1": (A, "a bc def", dict.fromkeys(("muc", "bcubed", "ceaf_m", "ceaf_e", "lea"), (1, 1))),
    "A-2": (
        A,
        "a de",
        {
            "bcubed": (1, F(7, 18)),
            "muc": (1, F(1, 3)),
            "ceaf_m": (1, F(1, 2)),
            "ceaf_e": (F(9, 10), F(6, 10)),
            "blanc": ((1 + F(1)) / 2, (F(1, 4) + F(2, 11)) / 2),
            "lea": (1, F(2, 6)),
        },
    ),
    "A-3": (
        A,
        "a bcx defy z",
        {
            "bcubed": (F(55, 108), 1),
            "muc": (F(3, 5), 1),
            "ceaf_m": (F(6, 9), 1),
            "ceaf_e": ((1 + F(4, 5) + F(6, 7)) / 4, (1 + F(4, 5) + F(6, 7)) / 3),
            "blanc": ((F(4, 9) + F(11, 27)) / 2, 1),
            "lea": (F(4, 9), 1),
        },
    ),
    "A-4": (
        A,
        "a bcx dy z",
        {
            "bcubed": (F(17, 42), F(5, 9)),
            "muc": (F(1, 3), F(1, 3)),
            "ceaf_m": (F(4, 7), F(4, 6)),
            "ceaf_e": (F(11, 20), F(11, 15)),
            "blanc": ((F(1, 4) + F(5, 17)) / 2, (F(1, 4) + F(5, 11)) / 2),
            "lea": (F(2, 7), F(1, 2)),
        },
    ),
    "A-5": (
        A,
        "a bcxB dy z",
        {
            "bcubed": (F(5, 16), F(5, 9)),
            "muc": (F(1, 4), F(1, 3)),
            "ceaf_m": (F(4, 8), F(4, 6)),
            "ceaf_e": ((1 + F(4, 6) + F(2, 5)) / 4, (1 + F(4, 6) + F(2, 5)) / 3),
            "blanc": ((F(1, 7) + F(5, 21)) / 2, (F(1, 4) + F(5, 11)) / 2),
            "lea": ((1 + F(4, 6)) / 8, F(1, 2)),
        },
    ),
    "A-6": (
        A,
        "a bcx dy Bz",
        {
            "bcubed": (F(17, 48), F(5, 9)),
            "muc": (F(1, 4), F(1, 3)),
            "ceaf_m": (F(4, 8), F(4, 6)),
            "ceaf_e": (F(11, 20), F(11, 15)),
            "blanc": ((F(1, 5) + F(5, 23)) / 2, (F(1, 4) + F(5, 11)) / 2),
            "lea": (F(1, 4), F(1, 2)),
        },
    ),
    "A-10": (
        A,
        "a b c d e f",
        {
            "bcubed": (1, F(3, 6)),
            "muc": (None, 0),
            "blanc": ((0 + F(11, 15)) / 2, (0 + F(1)) / 2),
            "lea": (F(1, 6), F(1, 6)),
        },
    ),
    "A-11": (
        A,
        "abcdef",
        {
            "bcubed": (F(7, 18), 1),
            "muc": (F(3, 5), 1),
            "blanc": (F(4, 15) / 2, F(1, 2)),
            "lea": (F(4, 15), F(5, 6)),
        },
    ),
    "A-12": (
        A,
        "a x y c d e z",
        {
            "bcubed": (F(4, 7), F(13, 36)),
            "muc": (None, 0),
            "blanc": (F(5, 21) / 2, F(5, 11) / 2),
            "lea": (F(1, 7), F(1, 6)),
        },
    ),
    "A-13": (
        A,
        "axycdez",
        {
            "bcubed": (F(6, 49), F(17, 36)),
            "muc": (F(1, 6), F(1, 3)),
            "blanc": (F(1, 21) / 2, F(1, 4) / 2),
            "lea": (F(1, 21), F(1, 6)),
        },
    ),
    "B-1": ("ab cde", "bcx de", {"blanc": (F(7, 24), F(7, 24)), "lea": (F(2, 5), F(1, 5))}),
    "C-1": (
        "ab cde fg",
        "bcx de fg",
        {"blanc": ((F(2, 5) + F(5, 8)) / 2,) * 2, "lea": (F(4, 7), F(3, 7))},
    ),
    "D-1": (
        "12345 67 89ABC",
        "12345 6789ABC",
        {"bcubed": (F(16, 21), 1), "muc": (F(9, 10), 1), "lea": ((5 + F(11, 3)) / 12, 1)},
    ),
    "E-1": (
        "12345 67 89ABC",
        "1234589ABC 67",
        {"bcubed": (F(7, 12), 1), "muc": (F(9, 10), 1), "lea": ((F(200, 45) + 2) / 12, 1)},
    ),
    "F-1": ("ABCD", "AB CD", {"muc": (1, F(2, 3)), "lea": (1, F(2, 6))}),
    "G-1": ("AB CD", "ABCD", {"muc": (F(2, 3), 1), "lea": (F(2, 6), 1)}),
    "J-1": ("ABC", "AC", {"muc": (1, F(1, 2)), "lea": (1, F(1, 3))}),
    "K-1": ("BCDEGHJ", "ABC DEF GHI", {"muc": (F(3, 6), F(3, 6)), "lea": (F(3, 9), F(3, 21))}),
    "L-1": ("ABC DEFG", "AB CD FGH", {"muc": (F(2, 4), F(2, 5)), "lea": (F(3, 7), F(5, 21))}),
    "M-2": ("abcdef", "a b c d e f", {"muc": (None, 0), "blanc": (0, 0), "lea": (0, 0)}),
    "M-3": ("abcdef", "ab cde f", {"blanc": (1, F(4, 15)), "lea": (F(5, 6), F(4, 15))}),
    "M-4": ("abcdef", "abcxyz", {"blanc": (F(3, 15), F(3, 15)), "lea": (F(1, 5), F(1, 5))}),
    "M-5": ("abcdef", "a b c x y z", {"muc": (None, 0), "blanc": (0, 0), "lea": (0, 0)}),
    "M-6": ("abcdef", "ab cxy z", {"blanc": (F(1, 4), F(1, 15)), "lea": (F(2, 6), F(1, 15))}),
    "N-2": ("a b c d e f", "abcdef", {"blanc": (0, 0), "lea": (0, 0)}),
    "N-3": ("a b c d e f", "ab cde f", {"blanc": (1, F(11, 15)), "lea": (F(1, 6), F(1, 6))}),
    "N-4": ("a b c d e f", "a b c x y z", {"blanc": (F(1, 5), F(1, 5)), "lea": (F(1, 2), F(1, 2))}),
    "N-5": ("a b c d e f", "abcxyz", {"blanc": (0, 0), "lea": (0, 0)}),
    "N-6": ("a b c d e f", "ab cxy z", {"blanc": (F(2, 11), F(2, 15)), "lea": (0, 0)}),
}
# F of BLANC is not that of its precision and recall; the cases print these digits of it.
BLANC = {"A-2": 0.35, "A-3": 0.60, "A-4": 0.30, "A-5": 0.25, "A-6": 0.26, "A-10": 0.42}
BLANC |= {"A-11": 0.21, "A-12": 0.16, "A-13": 0.04, "M-3": 0.42, "M-6": 0.11, "N-3": 0.85}
# Of the scorer's own configuration: CEAF by entities.
CEAF_E = {"A-2": 0.72, "A-3": 0.75918, "A-4": 0.62857, "A-5": 0.59048, "A-6": 0.62857}


def labels(key: str, response: str) -> tuple[list[Any], list[Any]]:
    """The entity of every mention in key and in response; None where it is in none."""
    sides = [{m: group for group in side.split() for m in group} for side in (key, response)]
    mentions = sorted(set(sides[0]) | set(sides[1]))
    return [sides[0].get(m) for m in mentions], [sides[1].get(m) for m in mentions]


def table_of(key: str, response: str) -> cv.Contingency:
    return cv.Contingency.from_labels(*labels(key, response), missing="absent")


def harmonic(precision: Any, recall: Any) -> float:
    if None in (precision, recall) or precision + recall == 0:
        return 0.0
    return float(2 * precision * recall / (precision + recall))


@pytest.mark.parametrize("name", CASES)
def test_published_case(name: str) -> None:
    key, response, expected = CASES[name]
    table = table_of(key, response)
    for measure, (precision, recall) in expected.items():
        for part, wanted in (("precision", precision), ("recall", recall)):
            value = getattr(cv, f"{measure}_{part}")(table)
            if wanted is None:
                assert math.isnan(value)
            else:
                assert value == pytest.approx(float(wanted), rel=1e-12), (measure, part)
        if measure != "blanc":
            found = getattr(cv, f"{measure}_f1")(table)
            assert found == pytest.approx(harmonic(precision, recall), rel=1e-12), measure


@pytest.mark.parametrize("name", BLANC)
def test_published_blanc(name: str) -> None:
    found = cv.blanc_f1(table_of(*CASES[name][:2]))
    assert abs(found - BLANC[name]) < 0.01  # the printed digits are cut or rounded


@pytest.mark.parametrize("name", CEAF_E)
def test_published_ceaf_by_entities(name: str) -> None:
    assert cv.ceaf_e_f1(table_of(*CASES[name][:2])) == pytest.approx(CEAF_E[name], abs=5e-6)


def test_identical_singletons_are_perfect() -> None:
    """Case N-1, in which the scorer prints 0 for MUC: there is no link to find (0/0)."""
    table = table_of("a b c d e f", "a b c d e f")
    for record in cv.measures.select(family="coreference"):
        assert record(table) == 1.0


def test_the_conll_score_is_the_mean_of_three() -> None:
    table = table_of("a bc def", "a bcx dy z")
    assert cv.conll_f1(table) == pytest.approx(
        (cv.muc_f1(table) + cv.bcubed_f1(table) + cv.ceaf_e_f1(table)) / 3
    )


def random_sides(rng: random.Random, twinless: bool) -> tuple[list[Any], list[Any]]:
    n, height, width = rng.randint(2, 60), rng.randint(1, 12), rng.randint(1, 12)
    key = [rng.randrange(height) for _ in range(n)]
    close = rng.random()
    response = [k if rng.random() < close else rng.randrange(width) for k in key]
    if twinless:
        for at in range(n):
            side = rng.choice([key, response, None, None, None])
            if side is not None:
                side[at] = None
    return key, response


NELEVAL = {
    "muc": neleval.muc,
    "bcubed": neleval.b_cubed,
    "ceaf_m": neleval.mention_ceaf,
    "ceaf_e": neleval.entity_ceaf,
}


@pytest.mark.parametrize("twinless", [False, True])
@pytest.mark.parametrize("measure", NELEVAL)
def test_same_as_neleval(measure: str, twinless: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "int", int, raising=False)  # which numpy had when neleval was made
    rng = random.Random(measure + str(twinless))
    for _ in range(120):
        key, response = random_sides(rng, twinless)
        sides = [
            neleval.mapping_to_sets({m: k for m, k in enumerate(side) if k is not None})
            for side in (key, response)
        ]
        if not all(sides):
            continue
        table = cv.Contingency.from_labels(key, response, missing="absent")
        p_num, p_den, r_num, r_den = NELEVAL[measure](*sides)
        for part, num, den in (("precision", p_num, p_den), ("recall", r_num, r_den)):
            value = cv.measures[f"{measure}_{part}"].evaluate(table).value
            if den == 0:
                assert math.isnan(value) or table.identical
            else:
                assert value == pytest.approx(num / den, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("twinless", [False, True])
def test_blanc_by_listing_the_links(twinless: bool) -> None:
    """neleval has the counts of BLANC for pairs together and pairs apart, by listing them."""
    rng = random.Random(17 + twinless)
    for _ in range(60):
        key, response = random_sides(rng, twinless)
        sides = [
            neleval.mapping_to_sets({m: k for m, k in enumerate(side) if k is not None})
            for side in (key, response)
        ]
        if not all(sides) or len([k for k in key if k is not None]) < 2:
            continue
        table = cv.Contingency.from_labels(key, response, missing="absent")
        if table.identical:
            continue
        kinds = [neleval.pairwise(*sides), neleval.pairwise_negative(*sides)]
        kinds = [kind for kind in kinds if kind[3]]
        precision = sum(p / q if q else 0 for p, q, _, _ in kinds) / len(kinds)
        recall = sum(p / q for _, _, p, q in kinds) / len(kinds)
        score = sum(2 * p / (q + r) for p, q, _, r in kinds) / len(kinds)
        assert cv.blanc_precision(table) == pytest.approx(precision)
        assert cv.blanc_recall(table) == pytest.approx(recall)
        assert cv.blanc_f1(table) == pytest.approx(score)


# Objects that only one side has


def test_measures_that_need_both_sides_refuse() -> None:
    key, response = labels("a bc def", "a bcx dy z")
    with pytest.raises(LabelError, match="missing"):
        cv.rand(key, response)
    with pytest.raises(TableError, match=r"rand has no value here: some objects are in one"):
        cv.rand(key, response, missing="absent")
    card = cv.external_scores(key, response, missing="absent", measures=["rand", "muc"])
    assert math.isnan(card["rand"])
    assert "in one of the clusterings alone" in card.scores["rand"].why
    assert card["muc"] == pytest.approx(1 / 3)
    assert (card.subject.classes, card.subject.clusters) == (3, 4)
    assert "truth alone has 2 and pred alone has 3" in " ".join(card.subject.remarks)
    with pytest.raises(TableError, match="chance level"):
        cv.chance("muc", key, response, missing="absent")


def test_all_measures_of_pairs_of_labelings_know_whether_they_are_partial() -> None:
    table = table_of("a bc def", "a bcx dy z")
    for record in cv.measures.values():
        if record.kind == "external":
            assert math.isnan(record.evaluate(table).value) != record.partial, record.key


def test_objects_in_neither_are_left_out() -> None:
    with_none = cv.Contingency.from_labels(["a", "a", None], [0, None, None], missing="absent")
    assert with_none.n == 2
    assert cv.muc_recall(with_none) == 0.0
    with pytest.raises(LabelError, match="pred has no label at all"):
        cv.Contingency.from_labels(["a", "b"], [None, None], missing="absent")


def test_nothing_in_common() -> None:
    table = table_of("ab", "xy")
    assert not table.identical
    assert cv.muc_f1(table) == cv.bcubed_f1(table) == cv.ceaf_e_f1(table) == cv.lea_f1(table) == 0
    assert cv.conll_f1(table) == 0


def test_one_sided_objects_survive_every_road(tmp_path) -> None:
    table = table_of("a bc def", "a bcx dy z")
    wanted = cv.conll_f1(table)
    for kind in ("json", "parquet"):
        path = tmp_path / f"table.{kind}"
        table.save(path)
        assert cv.conll_f1(cv.Contingency.load(path)) == wanted
    assert cv.muc_precision(table.T) == cv.muc_recall(table)
    assert cv.muc_f1(table + table_of("gh", "g h")) == pytest.approx(2 / 7)  # one more link missed
    assert cv.conll_f1(table.with_values(table.cells.values.copy())) == wanted
    key, response = labels("a bc def", "a bcx dy z")
    written = [[f"'{label}'" if label else "NULL" for label in side] for side in (key, response)]
    rows = ", ".join(f"({k}, {r})" for k, r in zip(*written, strict=True))
    frame = duckdb.sql(f"SELECT * FROM (VALUES {rows}) AS t(y, c)")
    grouped = cv.Contingency.from_frame(frame, truth="y", pred="c", missing="absent")
    assert cv.conll_f1(grouped) == wanted


def test_intervals_of_one_sided_objects() -> None:
    """An object left out of a side that alone has it changes the sizes of that side."""
    table = table_of("a bc def", "a bcx dy z")
    for measure in ("muc_f1", "bcubed_f1"):
        interval = cv.confidence_interval(measure, table)
        assert interval.low < getattr(cv, measure)(table) < interval.high


def test_several_predictions_do_not_take_one_sided_objects() -> None:
    with pytest.raises(ParameterError, match="missing='absent' is for one prediction"):
        cv.rank_predictions(
            ["a", "a", "b"], {"x": [0, None, 1], "y": [0, 0, 1]}, measure="muc_f1", missing="absent"
        )


@pytest.mark.parametrize("key", ["blanc_precision", "blanc_recall"])
def test_blanc_of_random_clusterings_is_a_half_on_average(key: str) -> None:
    """Exactly, over all orders of the clusters: a pair is together in both as by its margins."""
    truth = [0, 0, 0, 1, 1, 2]
    for clusters in ([0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 2, 2]):
        orders = list(permutations(clusters))
        mean = math.fsum(cv.measures[key](truth, list(pred)) for pred in orders) / len(orders)
        assert mean == pytest.approx(0.5)
