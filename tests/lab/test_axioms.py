"""Tests of measures for properties: cases, verdicts, counterexamples, wrong measures."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

import clustervet as cv
from clustervet.errors import ParameterError, UndefinedError, UnknownMeasureError
from clustervet.lab.axioms import MeasureValues, _counterexample, axioms
from clustervet.lab.cases import (
    DRAWN,
    EVERY_PAIR,
    LARGEST,
    SMALLEST,
    Atlas,
    compare,
    drawn,
    meet,
    pairs,
    partitions,
    shapes,
    table_key,
)
from clustervet.lab.family import chosen_measures
from clustervet.lab.matrix import known_properties

PROPERTIES = known_properties()


@pytest.fixture
def own():
    """Register measures of one's own, and forget them when the test is done."""
    made = []

    def register(formula, **said):
        told = {"title": "Mine", "family": "mine", "better": "lower", "bounds": (0, math.inf)}
        made.append(cv.measure(**{**told, **said})(formula).record.key)
        return made[-1]

    yield register
    for key in made:
        cv.measures.remove(key)


def grid(first, second):
    found = np.zeros((max(first) + 1, max(second) + 1), int)
    np.add.at(found, (first, second), 1)
    return found


def least(first, second):
    """The smallest of all orders of a table's rows and columns."""
    found = grid(first, second)
    return min(
        found[np.ix_(rows, columns)].tolist()
        for rows in itertools.permutations(range(found.shape[0]))
        for columns in itertools.permutations(range(found.shape[1]))
    )


# Cases


def test_all_clusterings_are_tried():
    assert [len(partitions(n)) for n in range(1, 8)] == [1, 2, 5, 15, 52, 203, 877]  # Bell numbers
    assert [len(shapes(n)) for n in range(1, 9)] == [1, 2, 3, 5, 7, 11, 15, 22]
    for n in range(1, 5):
        every = {str(least(a, b)) for a in partitions(n) for b in partitions(n)}
        assert {str(least(a, b)) for a, b in pairs(n)} == every
        assert len(every) == [1, 4, 10, 33][n - 1]


def test_larger_clusterings_are_of_every_kind():
    found = list(drawn(np.random.default_rng(0), 3))
    assert len(found) == DRAWN
    assert {len(seeds) for seeds in found} == {3}
    assert {len(seed) for seeds in found for seed in seeds} == set(range(SMALLEST, LARGEST + 1))
    assert {len(set(seeds[0])) for seeds in found} == {2, 3, 4, 5, 6}

    def moved(seeds):
        return np.mean(
            [a != b for other in seeds[1:] for a, b in zip(seeds[0], other, strict=True)]
        )

    near, far = [moved(seeds) for seeds in found[::2]], [moved(seeds) for seeds in found[1::2]]
    assert 0.1 < np.mean(near) < 0.25  # a quarter is drawn anew, and may come out as it was
    assert 0.6 < np.mean(far) < 0.85
    assert max(near) < 0.6


# Properties whose cases are all small, or all made by hand.
BY_HAND = (
    *("log_scale", "mirkin_scale", "monotone_scale", "single_split", "top_to_bottom"),
    *("constant_baseline", "size_balance", "rag_bag", "size_over_quantity"),
)
# Properties that are about one cluster or singletons, which are rare elsewhere.
FROM_THE_TOP = ("vertical_collinearity", "quadratic_additivity")


@pytest.mark.parametrize("key", [key for key in PROPERTIES if key not in BY_HAND])
def test_larger_cases_of_a_property_are_tried_and_say_something(key):
    cases = PROPERTIES[key].cases(np.random.default_rng(0))
    large = [case for case in cases if case.weight[0] > EVERY_PAIR + 2]
    assert len({case.seeds for case in large}) >= 40
    empty = 0
    for case in large:
        for first, second in case.pairs:
            assert len(first) == len(second)
            empty += any(len(set(labels)) in (1, len(labels)) for labels in (first, second))
    limit = 1.0 if key in FROM_THE_TOP else 0.2
    assert empty <= limit * sum(len(case.pairs) for case in large)
    if key == "convex_additivity":
        assert all(len(case.sizes) == 2 and min(case.sizes) >= 1 for case in large)
        assert np.mean([min(case.sizes) > 1 for case in large]) > 0.8
    if key not in ("identity", "relabelling"):  # these are about equal clusterings too
        same = [all(len(set(pair)) == 1 for pair in case.pairs) for case in large]
        assert np.mean(same) < 0.1


def test_tables_with_one_key_are_the_same_up_to_order():
    rng = np.random.default_rng(0)
    for _ in range(50):
        first, second = rng.integers(0, 4, (2, 7))
        renamed = rng.permutation(4)[first], rng.permutation(4)[second]
        key = np.array(table_key(tuple(first.tolist()), tuple(second.tolist())))
        for side in (0, 1):
            sizes = np.bincount((first, second)[side])
            assert sorted(key.sum(axis=1 - side)) == sorted(sizes[sizes > 0])
        other = np.array(table_key(*(tuple(x.tolist()) for x in renamed)))
        assert sorted(key.ravel()) == sorted(other.ravel())


def test_the_meet_is_that_of_the_lattice():
    for first, second in itertools.product(partitions(4), repeat=2):
        found = cv.Partition(first).meet(cv.Partition(second))
        assert cv.Partition(meet(first, second)) == found


# Verdicts that are known beforehand


KNOWN = {
    "variation_of_information": ({"triangle", "n_invariance", "log_scale"}, {"constant_baseline"}),
    "mirkin": ({"triangle", "locality"}, {"n_invariance"}),
    "van_dongen": ({"triangle", "locality"}, {"n_invariance"}),
    "adjusted_rand": ({"constant_baseline", "symmetry"}, {"locality", "triangle"}),
    "larsen_aone": ({"n_invariance"}, {"locality", "symmetry"}),
    "purity": ({"homogeneity"}, {"completeness", "identity"}),
    "bcubed_f1": ({"homogeneity", "completeness", "rag_bag", "size_over_quantity"}, {"triangle"}),
    "rand": ({"homogeneity", "completeness"}, {"rag_bag", "size_over_quantity"}),
    "normalized_clustering_accuracy": ({"size_balance"}, {"symmetry"}),
}


@pytest.mark.parametrize("key", KNOWN)
def test_what_the_papers_say_is_found_anew(key):
    has, lacks = KNOWN[key]
    row = axioms(key, [*has, *lacks], fresh=True)[key]
    assert {name for name, verdict in row.items() if verdict.status == "holds"} == has
    assert {name for name, verdict in row.items() if verdict.status == "fails"} == lacks


def test_a_measure_that_is_always_the_same():
    @cv.measure(title="Nothing", family="mine", better="lower", bounds=(0, 1), perfect=0.0)
    def nothing(table):
        return 0.0

    try:
        row = axioms("nothing")["nothing"]
    finally:
        cv.measures.remove("nothing")
    assert row["identity"].status == "fails"
    assert row["identity"].counterexample.points == 2
    assert row["homogeneity"].status == row["log_scale"].status == "fails"
    assert row["triangle"].status == row["locality"].status == row["size_balance"].status == "holds"


def test_bounds_that_are_declared_wrongly_are_found(own):
    key = own(lambda table: float(table.n), key="points", bounds=(0, 5))
    example = axioms(key, "bounds")[key]["bounds"].counterexample
    assert (example.left_value, example.relation, example.right_value) == (6.0, "<=", 5.0)
    assert example.points == 6


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"better": "neither"}, "neither high nor low is better"),
        ({"better": "higher"}, "no fixed best value"),
    ],
)
def test_properties_of_distances_apply_to_distances_alone(own, said, reason):
    key = own(lambda table: float(table.n), key="count", **said)
    row = axioms(key, ["triangle", "symmetry", "locality"])[key]
    assert row["triangle"].status == "does not apply"
    assert reason in str(row["triangle"])
    assert row["symmetry"].status == row["locality"].status == "holds"


def test_a_similarity_is_read_as_what_is_missing_to_its_best(own):
    key = own(
        lambda table: 1 - cv.mirkin_invariant(table),
        key="agreement",
        better="higher",
        bounds=(0, 1),
        perfect=1.0,
    )
    chosen = [name for name in PROPERTIES if name not in ("bounds", "relabelling")]
    matrix = axioms([key, "mirkin_invariant"], chosen, fresh=True)
    statuses = [{name: v.status for name, v in row.items()} for row in matrix.values()]
    assert statuses[0] == statuses[1]


def test_a_value_that_is_undefined_with_a_reason_is_no_fault(own):
    def picky(table):
        if table.n < 4:
            raise UndefinedError("fewer than four points")
        return 0.0 if table.identical else 1.0

    key = own(picky)
    row = axioms(key, ["symmetry", "triangle"])[key]
    assert row["symmetry"].status == row["triangle"].status == "holds"
    assert row["symmetry"].undefined == sum(len(pairs(n)) for n in (1, 2, 3))

    def never(table):
        raise UndefinedError("no value at all")

    assert "undefined in every case" in str(axioms(own(never), "symmetry")["never"]["symmetry"])


# Counterexamples


def test_a_failure_among_large_cases_alone_is_made_as_small_as_can_be(own):
    def lopsided(table):
        return float(len(table.class_sizes)) if table.n >= 9 else 0.0

    example = axioms(own(lopsided), "symmetry")["lopsided"]["symmetry"].counterexample
    assert example.points == 9
    first, second = (labels for _, labels in example.labelings)
    assert len(set(first)) != len(set(second))


def test_a_counterexample_is_not_made_smaller_than_the_measure_can_read():
    def lopsided(table):
        if table.n < 4:
            raise ValueError("too few")
        return float(len(table.class_sizes))

    (record,) = chosen_measures(lopsided)
    kind = PROPERTIES["symmetry"]
    (case,) = kind.build(((0, 0, 1, 1, 1, 1), (0, 0, 0, 0, 0, 0)))
    example = _counterexample(case, kind, MeasureValues(record, Atlas()))
    assert str(example) == (
        "a = [0, 1, 1, 1], b = [0, 0, 0, 0]: m(a, b) = 2 should equal m(b, a) = 1"
    )


@pytest.mark.parametrize(
    ("left", "relation", "holds"),
    [
        (1, "<=", True),
        (2, "<=", True),
        (3, "<=", False),
        (1, ">=", False),
        (2, ">=", True),
        (3, ">=", True),
        (1, "as good", False),
        (2, "as good", True),
        (3, "as good", True),
    ],
)
def test_relations_hold_within_the_tolerance(left, relation, holds):
    assert compare(left, relation, 2) == holds
    assert compare(2 - 1e-12, relation, 2)
    assert compare(2 + 1e-12, relation, 2)


@pytest.mark.parametrize("relation", ["better", "as good"])
def test_better_follows_the_direction_of_the_measure(relation):
    kind = PROPERTIES["symmetry"]
    (case,) = kind.build(((0, 1), (0, 0)))
    case = replace(case, relation=relation)
    assert kind.holds(case, (2.0, 1.0), cv.measures["rand"])
    assert not kind.holds(case, (1.0, 2.0), cv.measures["rand"])
    assert kind.holds(case, (1.0, 2.0), cv.measures["variation_of_information"])
    assert not kind.holds(case, (2.0, 1.0), cv.measures["variation_of_information"])


def test_the_smallest_counterexample_is_found_first():
    # Every pair of fewer points agrees, so none smaller exists.
    example = axioms("larsen_aone", "symmetry", fresh=True)["larsen_aone"]["symmetry"]
    n = example.counterexample.points
    for first, second in itertools.product(partitions(n - 1), repeat=2):
        one, other = cv.larsen_aone(first, second), cv.larsen_aone(second, first)
        assert one == pytest.approx(other, abs=1e-12)
    first, second = (labels for _, labels in example.counterexample.labelings)
    assert cv.larsen_aone(first, second) == pytest.approx(example.counterexample.left_value)
    assert cv.larsen_aone(second, first) == pytest.approx(example.counterexample.right_value)


def test_a_counterexample_says_what_it_shows():
    text = str(axioms("adjusted_rand", "locality", fresh=True)["adjusted_rand"]["locality"])
    assert text == (
        "fails for a = [0, 0, 1, 2], a split = [0, 1, 2, 3], b = [0, 0, 1, 1], "
        "b split = [0, 1, 2, 2]: m(a, a split) = 0 should equal m(b, b split) = 0.571429"
    )


# Measures that are wrong


def test_wrong_measures_are_named_and_do_not_stop_the_run(own):
    def lost(table):
        return math.nan

    def failing(table):
        if table.n == 3:
            raise ZeroDivisionError("three\x1b[31m is too much")
        return 0.0 if table.identical else 1.0

    def ordered(table):
        return float(np.asarray(table.cluster_sizes)[0])

    def endless(table):
        return 0.0 if table.identical else math.inf

    def wordy(table):
        return "a lot"

    keys = [own(formula) for formula in (lost, failing, ordered, endless, wordy)]
    matrix = axioms([*keys, "variation_of_information"], ["symmetry", "triangle"])
    assert matrix["variation_of_information"]["triangle"].status == "holds"
    faults = matrix.broken()
    assert list(faults) == keys
    assert faults["lost"].startswith("lost returns nan for [0] and [0]")
    assert faults["failing"].startswith("failing raises ZeroDivisionError: three")
    assert faults["failing"].isprintable()
    assert faults["ordered"] == "ordered depends on the names or the order of labels"
    assert faults["endless"].startswith("endless returns inf for")
    assert faults["wordy"].startswith("wordy raises ValueError: could not convert")
    for key in keys:
        assert all(verdict.status == "broken" for verdict in matrix[key].values())
        assert faults[key] in repr(matrix)


def test_dependence_on_label_names_has_its_counterexample(own):
    def ordered(table):
        return float(np.asarray(table.cluster_sizes)[0])

    row = axioms(own(ordered), ["relabelling", "bounds"])["ordered"]
    assert row["relabelling"].status == "fails"
    shown = dict(row["relabelling"].counterexample.labelings)
    values = [
        ordered(cv.Contingency.from_labels(shown[f"a{name}"], shown[f"b{name}"]))
        for name in ("", " renamed")
    ]
    assert values[0] != values[1]
    assert row["bounds"].status == "broken"
    alone = axioms("ordered", "relabelling", n_jobs=1)
    assert alone.broken() == {"ordered": "ordered depends on the names or the order of labels"}


def test_a_measure_that_draws_at_random_is_found_out(own):
    rng = np.random.default_rng(1)
    key = own(lambda table: float(rng.random()), key="dice")
    assert key in axioms(key).broken()


# The call


def test_the_same_answers_for_any_number_of_jobs_and_any_selection():
    names = ["dom_q2", "pair_f1", "gini"]
    alone = axioms(names, fresh=True)
    assert axioms(names, fresh=True, n_jobs=2) == alone
    assert axioms("gini", "locality", fresh=True)["gini"]["locality"] == alone["gini"]["locality"]
    drawn = axioms("gini", "triangle", random_state=np.random.default_rng(5))
    assert drawn["gini"]["triangle"].status == "holds"


def test_what_cannot_be_tested_is_refused():
    with pytest.raises(ParameterError, match="silhouette reads features"):
        axioms("silhouette")
    with pytest.raises(ParameterError, match="no property 'triangel'; did you mean triangle"):
        axioms("rand", "triangel")
    with pytest.raises(ParameterError, match="there are relabelling, identity"):
        axioms("rand", "qqq")
    with pytest.raises(UnknownMeasureError):
        axioms("no such measure")
    with pytest.raises(ParameterError, match="at least one measure"):
        axioms([])
    with pytest.raises(ParameterError, match="at least one property"):
        axioms("rand", [])
    with pytest.raises(ParameterError, match="n_jobs"):
        axioms("rand", n_jobs=0)


def test_the_matrix_as_data_text_and_html(own):
    key = own(lambda table: 1 / 0, key="<b>wild</b>")
    matrix = axioms([key, "rand"], ["symmetry", "n_invariance"])
    data = json.loads(matrix.to_json())
    assert data["measures"]["rand"]["verdicts"]["symmetry"] == {"status": "holds", "cases": 642}
    example = data["measures"]["rand"]["verdicts"]["n_invariance"]["counterexample"]
    assert cv.rand(*example["labelings"].values()) == example["left_value"]
    assert data["properties"]["symmetry"]["reference"]
    frame = matrix.to_frame("pandas")
    assert list(frame["measure"]) == [key, key, "rand", "rand"]
    assert list(frame["answer"]) == ["broken", "broken", "holds", "fails"]
    html = matrix._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;wild" in html
    assert "✗ n_invariance  fails for a = [0, 0], b = [0, 1]" in repr(matrix)
    wild, rand = matrix.document().sections
    assert (wild.title, rand.title) == (key, "rand")
    first = rand.tables[0].rows[0].cells
    assert [cell.text for cell in first] == ["✓ symmetry", "holds in all 642 cases tried"]
    assert matrix.having("symmetry") == ["rand"]
    assert matrix["Rand"] is matrix["rand"]


def test_many_measures_are_a_table_of_marks():
    lines = repr(axioms()).splitlines()
    assert max(map(len, lines)) <= 90
    heads = [line.split()[1:] for line in lines if line.startswith("measure ")]
    assert heads == [list("abcdefghijklm"), list("nopqrstuvwxy")]
    assert lines[0] == "Which measure has which property: a to m"
    assert f"Names of labels do not matter: {len(axioms())} of {len(axioms())}" in repr(axioms())


@pytest.mark.parametrize("kind", PROPERTIES.values(), ids=lambda kind: kind.key)
def test_the_record_of_a_property_says_what_a_reader_needs(kind):
    for field in ("title", "claim", "reference", "tested", "short"):
        text = getattr(kind, field)
        assert text.strip() == text != ""
    assert kind.claim.endswith(".")
    cases = kind.cases(np.random.default_rng(0))
    sizes = [len(case.seeds[0]) for case in cases]
    assert sizes == sorted(sizes)
    assert len(cases) > 20
    assert EVERY_PAIR >= 6


def test_a_measure_that_does_not_repeat_itself_is_named_as_such():
    rng = np.random.default_rng(0)

    def flaky(table):
        return float(rng.random())

    found = axioms([flaky])
    assert {verdict.status for verdict in found["flaky"].values()} == {"broken"}
    assert "gives the same table different values" in found.broken()["flaky"]
    assert repr(found).count("different values") == 1
