"""What every external measure's record claims is so, and the registry finds the measure.

Nothing here names a measure, but for the lists of names that the design promises.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import math
import pickle
import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import ClustervetError, ParameterError, UnknownMeasureError
from clustervet.registry import FIELDS
from clustervet.registry.catalogue import ON_REQUEST

EXTERNAL = cv.measures.select(kind="external")
Table = cv.Contingency


def records(claim: Callable[[cv.Measure], bool] = lambda record: True) -> pytest.MarkDecorator:
    """Run a test once for every external measure that makes the claim."""
    chosen = [record for record in EXTERNAL if claim(record)]
    return pytest.mark.parametrize("record", chosen, ids=lambda record: record.key)


def close(a: float, b: float) -> bool:
    """The same to twelve digits; the floor is for values that are differences of rounded sums."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-13)


def at_least_as_good(record: cv.Measure, a: float, b: float) -> bool:
    return close(a, b) or (a > b if record.better == "higher" else a < b)


def labelings(*, sides: int = 2, most: int = 14) -> st.SearchStrategy:
    """Several labelings of the same objects."""
    label = st.integers(0, 4)
    objects = st.lists(st.tuples(*[label] * sides), min_size=1, max_size=most)
    return objects.map(lambda rows: tuple(list(side) for side in zip(*rows, strict=True)))


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Tables of labels, of larger counts, and of almost identical clusterings of any size."""
    kind = draw(st.sampled_from(["labels", "labels", "counts", "almost identical", "one class"]))
    if kind == "labels":
        return Table.from_labels(*draw(labelings()))
    if kind == "counts":
        shape = draw(st.integers(1, 5)), draw(st.integers(1, 5))
        size = shape[0] * shape[1]
        cells = draw(st.lists(st.integers(0, 1000), min_size=size, max_size=size))
        assume(any(cells))
        return Table.from_counts(np.reshape(cells, shape))
    if kind == "one class":
        table = Table.from_counts([draw(st.lists(st.integers(1, 3), min_size=1, max_size=40))])
        return draw(st.sampled_from([table, table.T]))
    sizes = draw(st.lists(st.integers(1, 10**15), min_size=2, max_size=5))
    return Table.from_counts(np.diag(sizes) + np.eye(len(sizes), k=1, dtype=int))


# The record


@records()
def test_the_record_says_what_a_reader_needs(record: cv.Measure) -> None:
    for field in ("title", "symbol", "family", "reference", "meaning", "equation", "use", "avoid"):
        text = getattr(record, field)
        assert text.strip() == text != "", field
    assert record.bounds[0] < record.bounds[1]
    assert record.perfect is None or record.perfect in record.bounds
    assert all(math.isfinite(bound) for bound in record.bounds) or record.perfect != 1.0


@records()
def test_a_bounded_measure_has_no_unit_and_an_unbounded_one_has(record: cv.Measure) -> None:
    assert (record.unit == "") == all(math.isfinite(bound) for bound in record.bounds)


@records()
def test_the_key_is_made_of_full_words(record: cv.Measure) -> None:
    assert re.fullmatch(r"[a-z]+[a-z0-9]*(_[a-z]+[a-z0-9]*)*(_[12])?", record.key)
    words = record.key.split("_")
    assert words[-1] != "score"
    # A letter stands for itself only where it is the measure's symbol.
    for short in (word for word in words if len(word) < 3 and word != "of"):
        assert short[0].upper() in record.symbol


@records()
def test_perfect_is_the_end_of_the_scale_that_is_better(record: cv.Measure) -> None:
    if record.perfect is not None:
        assert record.perfect == record.bounds[record.better == "higher"]
        assert record.better != "neither"


@records()
def test_the_record_is_found_again_by_pickle_and_as_a_key(record: cv.Measure) -> None:
    assert pickle.loads(pickle.dumps(record)) is record
    assert {record: 1}[cv.measures[record.key]] == 1
    assert record == dataclasses.replace(record)
    assert record != dataclasses.replace(record, title="Another")
    assert not hasattr(record, "__dict__")


# What it claims about values


@records()
@settings(max_examples=40)
@given(table=tables())
@example(table=Table.from_counts([[1] * 3]))
@example(table=Table.from_counts([[1] * 10]))
@example(table=Table.from_counts([[1, 1], [1, 1]]))
def test_values_stay_within_the_declared_bounds(record: cv.Measure, table: Table) -> None:
    value, why = record.evaluate(table)
    if math.isnan(value):
        assert why
    else:
        assert why is None
        assert record.bounds[0] <= value <= record.bounds[1]


@records(lambda record: record.better != "neither")
def test_the_better_bound_is_reached(record: cv.Measure) -> None:
    """By some table of four objects."""
    bound = record.bounds[record.better == "higher"]
    if math.isfinite(bound):
        labelings = [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 2, 3]]
        tables = [Table.from_labels(a, b) for a in labelings for b in labelings]
        assert bound in [record.evaluate(table).value for table in tables]


@records(lambda record: record.symmetric)
@settings(max_examples=25)
@given(table=tables())
def test_truth_and_prediction_may_change_places(record: cv.Measure, table: Table) -> None:
    assert close(record.evaluate(table).value, record.evaluate(table.T).value)


@records(lambda record: not record.symmetric)
def test_truth_and_prediction_may_not_change_places(record: cv.Measure) -> None:
    rng = np.random.default_rng(0)
    found = [Table.from_counts(rng.integers(0, 9, (3, 4)) + 1) for _ in range(20)]
    # One class is found whole and the other in parts; the truth has no pair apart.
    found += [Table.from_counts([[2, 0, 0], [0, 1, 1]]), Table.from_counts([[2, 1]])]
    pairs = [(record.evaluate(table).value, record.evaluate(table.T).value) for table in found]
    assert any(not close(one, other) for one, other in pairs)


@records(lambda record: record.metric)
@settings(max_examples=80)
@given(three=labelings(sides=3))
def test_a_metric_is_a_metric(record: cv.Measure, three: tuple[list[int], ...]) -> None:
    assume(len(three[0]) > 1)
    distance = {
        (i, j): record(three[i], three[j]) for i, j in itertools.product(range(3), repeat=2)
    }
    for (i, j), value in distance.items():
        assert value >= 0
        assert close(value, distance[j, i])
        assert (value == 0) == Table.from_labels(three[i], three[j]).identical
    for i, j, k in itertools.permutations(range(3)):
        assert distance[i, k] <= (distance[i, j] + distance[j, k]) * (1 + 1e-12)


@records(lambda record: record.metric)
def test_a_metric_is_symmetric_and_its_best_value_is_zero(record: cv.Measure) -> None:
    assert record.symmetric
    assert record.better == "lower"
    assert record.perfect == 0.0


@records(lambda record: record.better != "neither")
@settings(max_examples=30)
@given(two=labelings())
def test_no_clustering_beats_the_truth_itself(
    record: cv.Measure, two: tuple[list[int], list[int]]
) -> None:
    truth, pred = two
    best, value = record(truth, truth), record(truth, pred)
    assert math.isnan(value) or at_least_as_good(record, best, value)


@records(lambda record: record.perfect is not None)
@settings(max_examples=15)
@given(truth=st.lists(st.integers(0, 9), min_size=1, max_size=20), shift=st.integers(1, 9))
def test_the_same_partition_is_exactly_perfect(
    record: cv.Measure, truth: list[int], shift: int
) -> None:
    renamed = [str((label + shift) % 10) for label in truth]
    assert record(truth, renamed) == record.perfect


@records(lambda record: record.better != "neither")
def test_moving_more_objects_at_random_makes_it_worse(record: cv.Measure) -> None:
    rng = np.random.default_rng(11)
    truth = np.repeat(np.arange(5), [60, 45, 30, 20, 10])
    means = []
    for share in (0.0, 0.1, 0.2, 0.35, 0.5):
        values = []
        for _ in range(20):
            moved = rng.random(len(truth)) < share
            pred = np.where(moved, rng.integers(0, 5, len(truth)), truth)
            values.append(record(truth, pred))
        means.append(float(np.mean(values)))
    steps = np.diff(means) * (-1 if record.better == "higher" else 1)
    if record.family in FIELDS:  # some count sets that are found whole, which may all be lost
        assert (steps >= 0).all()
        assert steps.sum() > 0
    else:
        assert (steps > 0).all()


def arrangements(sizes: tuple[int, ...]) -> Iterator[list[int]]:
    """Every way to give so many objects of each cluster their places, each once."""
    if not any(sizes):
        yield []
    for k, size in enumerate(sizes):
        if size:
            rest = (*sizes[:k], size - 1, *sizes[k + 1 :])
            yield from ([k, *tail] for tail in arrangements(rest))


MARGINS = [((3, 3), (3, 3)), ((4, 2, 1), (3, 2, 2)), ((2, 2, 2, 1), (5, 2)), ((6, 1), (4, 3))]


@records(lambda record: record.adjusted)
@pytest.mark.parametrize(("classes", "clusters"), MARGINS)
def test_an_adjusted_measure_is_zero_on_average_over_all_arrangements(
    record: cv.Measure, classes: tuple[int, ...], clusters: tuple[int, ...]
) -> None:
    truth = np.repeat(np.arange(len(classes)), classes)
    values = [record(truth, pred) for pred in arrangements(clusters)]
    assert len(values) == math.factorial(sum(clusters)) // math.prod(map(math.factorial, clusters))
    assert abs(math.fsum(values)) / len(values) < 1e-12


@records(lambda record: record.adjusted)
def test_an_adjusted_measure_is_zero_on_average_over_random_predictions(
    record: cv.Measure,
) -> None:
    rng = np.random.default_rng(3)
    truth, pred = np.repeat(np.arange(4), [40, 20, 15, 5]), np.repeat(np.arange(3), [50, 20, 10])
    values = np.array([record(truth, rng.permutation(pred)) for _ in range(1000)])
    assert abs(values.mean()) < 4 * values.std() / math.sqrt(len(values))


@records()
@settings(max_examples=20)
@given(two=labelings(), seed=st.integers(0, 2**32 - 1))
def test_neither_names_nor_the_order_of_objects_matter(
    record: cv.Measure, two: tuple[list[int], list[int]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(two[0]))
    renamed = [rng.permutation(np.array(["ash", "elm", "fir", "oak", "yew"]))[side] for side in two]
    plain = record(*two)
    assert close(plain, record(*(side[order] for side in renamed)))


# Limits

LIMITS = {
    "identical": ([0, 0, 1, 1, 2], ["x", "x", "z", "z", "y"]),
    "one object": ([7], ["a"]),
    "one class and one cluster": ([0, 0, 0], [1, 1, 1]),
    "all singletons": ([0, 1, 2, 3], [3, 2, 1, 0]),
    "two objects apart": ([0, 1], [1, 0]),
    "one class": ([0, 0, 0, 0], [0, 0, 1, 2]),
    "one cluster": ([0, 0, 1, 2], [0, 0, 0, 0]),
    "one class, singleton clusters": ([0, 0, 0, 0], [0, 1, 2, 3]),
    "singleton classes, one cluster": ([0, 1, 2, 3], [0, 0, 0, 0]),
    "singleton classes": ([0, 1, 2, 3], [0, 0, 1, 1]),
    "singleton clusters": ([0, 0, 1, 1], [0, 1, 2, 3]),
}


@records()
@pytest.mark.parametrize("limit", LIMITS)
def test_at_its_limits_a_measure_is_perfect_or_says_why_not(record: cv.Measure, limit: str) -> None:
    table = Table.from_labels(*LIMITS[limit])
    value, why = record.evaluate(table)
    if table.identical and record.perfect is not None:
        assert (value, why) == (record.perfect, None)
    elif math.isnan(value):
        assert why
        # The share of all pairs that are together in both: one object has no pair.
        assert not table.identical or record.key == "russell_rao"
    else:
        assert why is None
        assert math.isfinite(value)
        # A measure that looks one way may be perfect at the far end of that way.
        assert value != record.perfect or not record.symmetric or record.perfect is None


# Where it is found

PROMISED = [
    *("rand", "adjusted_rand", "jaccard", "fowlkes_mallows", "pair_precision", "pair_recall"),
    *("pair_f1", "mirkin", "mirkin_invariant", "hubert_gamma"),
    *("purity", "inverse_purity", "mean_purity", "matching_accuracy", "classification_error"),
    *("larsen_aone", "f_measure", "van_dongen", "van_dongen_invariant", "hamming"),
    *("class_entropy", "cluster_entropy", "conditional_entropy", "mutual_information"),
    *("normalized_mutual_information", "adjusted_mutual_information"),
    *("variation_of_information", "normalized_variation_of_information"),
    *("homogeneity", "completeness", "v_measure", "dom_q0", "dom_q1", "dom_q2", "gini"),
    *("bcubed_precision", "bcubed_recall", "bcubed_f1"),
]
ALIASES = {
    "wallace_1": "pair_recall",
    "wallace_2": "pair_precision",
    "vi": "variation_of_information",
    "ari": "adjusted_rand",
    "ami": "adjusted_mutual_information",
    "nmi": "normalized_mutual_information",
    "max_matching": "matching_accuracy",
    "average_entropy": "conditional_entropy",
    "split_join": "van_dongen",
}


def test_every_promised_measure_is_there() -> None:
    assert set(PROMISED) <= {record.key for record in EXTERNAL}


@pytest.mark.parametrize("alias", ALIASES)
def test_promised_short_names_find_their_measure(alias: str) -> None:
    assert cv.measures[alias].key == ALIASES[alias]


@records()
def test_key_and_aliases_find_the_record_however_they_are_written(record: cv.Measure) -> None:
    for name in (record.key, *record.aliases):
        for written in (name, name.upper(), name.replace("_", "-"), f" {name} "):
            assert cv.measures[written] is record


def test_no_two_measures_share_a_name() -> None:
    names = [name for record in cv.measures.values() for name in (record.key, *record.aliases)]
    assert len(names) == len(set(names))


@records()
def test_the_measure_is_a_function_of_the_package(record: cv.Measure) -> None:
    function = getattr(cv, record.key)
    assert function.record is record
    assert record.key in cv.__all__


@pytest.mark.parametrize("record", cv.measures.values(), ids=lambda record: record.key)
def test_help_tells_what_the_record_knows(record: cv.Measure) -> None:
    function = getattr(cv, record.key)
    text = " ".join(function.__doc__.split())
    for known in (record.meaning, record.equation, record.use, record.avoid, *record.aliases):
        assert known in text
    for work in record.reference.split("; "):
        assert f"{work}." in text
    for name in inspect.signature(function).parameters:
        assert f"\n{name} : " in function.__doc__
    assert "Parameter of the formula." not in text
    direction = {"higher": "Higher is better.", "lower": "Lower is better.", "neither": "Value"}
    assert direction[record.better] in text


def test_a_formula_without_a_docstring_is_described_by_its_record() -> None:
    @cv.measure(title="Number of clusters", family="mine", better="neither", bounds=(1, math.inf))
    def cluster_number(table: Table, offset: int = 0) -> float:
        return float(len(table.cluster_sizes) + offset)

    try:
        assert cluster_number.__doc__.startswith("Number of clusters.\n\nParameters\n-------")
        assert "offset : object, optional\n    Parameter of the formula." in cluster_number.__doc__
        assert "Value, at least 1. NaN where it is undefined." in cluster_number.__doc__
    finally:
        cv.measures.remove("cluster_number")


@records()
@settings(max_examples=10)
@given(two=labelings())
def test_labels_and_their_table_score_alike(
    record: cv.Measure, two: tuple[list[int], list[int]]
) -> None:
    function = getattr(cv, record.key)
    by_labels, by_table = function(*two), function(Table.from_labels(*two))
    assert isinstance(by_labels, float)
    assert by_labels == by_table or (math.isnan(by_labels) and math.isnan(by_table))


def test_the_score_card_shows_every_measure_with_the_value_of_its_function() -> None:
    truth, pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]
    card = cv.external_scores(truth, pred)
    assert list(card) == [record.key for record in EXTERNAL if record.family not in ON_REQUEST]
    for key, value in card.items():
        assert value == cv.measures[key](truth, pred)


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_has_its_own_measures_and_those_it_shares(field: str) -> None:
    truth, pred = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]
    records = cv.measures.select(family=field)
    assert [record.key for record in records] == list(FIELDS[field].names.values())
    own = [record.key for record in cv.measures.values() if record.family == field]
    assert set(own) <= set(FIELDS[field].names.values())
    card = cv.external_scores(truth, pred, family=field)
    assert list(card) == [record.key for record in records if record.kind == "external"]
    spelled = field.replace("_", "-").upper()
    assert cv.measures.select(family=spelled) == records


@pytest.mark.parametrize(
    ("name", "meant"),
    [("rnad", "rand"), ("adjusted_rand_score", "adjusted_rand"), ("purty", "purity")],
)
def test_a_misspelt_name_is_refused_with_a_suggestion(name: str, meant: str) -> None:
    for kind in (UnknownMeasureError, ClustervetError, ValueError, KeyError):
        with pytest.raises(kind, match=rf"no measure '{name}'; did you mean .*\b{meant}\b"):
            cv.measures[name]
    with pytest.raises(UnknownMeasureError, match=meant):
        cv.external_scores([0, 1], [0, 1], measures=[name])


@pytest.mark.parametrize("name", ["qqqqqq", "", 3, None])
def test_a_name_like_no_other_is_refused_too(name: object) -> None:
    with pytest.raises(UnknownMeasureError):
        cv.measures[name]
    assert name not in cv.measures


# A user's own measure


@pytest.fixture
def own() -> Iterator[Callable[..., float]]:
    """A user's measure, and the registry as it was before when the test is done."""
    before = {name: dict(names) for name, names in vars(cv.measures).items()}

    @cv.measure(
        title="Share of clusters that hold one object",
        family="my own",
        better="lower",
        bounds=(0, 1),
        aliases=("loners",),
    )
    def lonely_clusters(table: Table) -> float:
        """Share of clusters with a single object."""
        return float(np.mean(np.asarray(table.cluster_sizes) == 1))

    yield lonely_clusters
    vars(cv.measures).update(before)


TRUTH, PRED = ["a", "a", "b", "b"], [0, 0, 1, 2]


def test_my_own_measure_joins_registry_and_score_card(own: Callable[..., float]) -> None:
    assert own(TRUTH, PRED) == own(Table.from_labels(TRUTH, PRED)) == 2 / 3
    assert cv.measures["loners"] is cv.measures["lonely_clusters"]
    assert cv.measures["lonely_clusters"].meaning == "Share of clusters with a single object."
    assert cv.external_scores(TRUTH, PRED)["lonely_clusters"] == 2 / 3
    assert list(cv.external_scores(TRUTH, PRED, measures=["loners"])) == ["lonely_clusters"]
    assert list(cv.external_scores(TRUTH, PRED, measures=own)) == ["lonely_clusters"]
    assert list(cv.external_scores(TRUTH, PRED, family="my own")) == ["lonely_clusters"]
    assert list(cv.measures)[-1] == "lonely_clusters"


def test_my_own_names_are_found_however_i_wrote_them(own: Callable[..., float]) -> None:
    @cv.measure(
        title="Mine",
        family="my own",
        better="higher",
        bounds=(0, 1),
        key="Own-Measure",
        aliases=("My Favourite",),
    )
    def mine(table: Table) -> float:
        return 1.0

    for name in ("Own-Measure", "own_measure", "My Favourite", "my-favourite"):
        assert cv.measures[name].title == "Mine"


def test_my_own_measure_can_be_forgotten(own: Callable[..., float]) -> None:
    cv.measures.remove("loners")
    for name in ("lonely_clusters", "loners"):
        assert name not in cv.measures
    assert "lonely_clusters" not in cv.external_scores(TRUTH, PRED)
    with pytest.raises(UnknownMeasureError):
        cv.measures.remove("lonely_clusters")


@pytest.mark.parametrize(
    "taken", ["rand", "ari", "Rand", "adjusted-rand", "lonely_clusters", "loners"]
)
@pytest.mark.parametrize("as_alias", [False, True])
def test_a_name_that_is_taken_is_refused(
    own: Callable[..., float], taken: str, as_alias: bool
) -> None:
    before, holder = dict(cv.measures), cv.measures[taken]
    names = {"aliases": (taken,)} if as_alias else {"key": taken}
    with pytest.raises(ParameterError, match=f"already belongs to {holder.key}"):

        @cv.measure(title="A clash", family="my own", better="higher", bounds=(0, 1), **names)
        def clash(table: Table) -> float:
            return 0.0

    assert dict(cv.measures) == before
    assert cv.measures[taken] is holder


def test_my_own_measure_may_say_that_it_is_undefined(own: Callable[..., float]) -> None:
    @cv.measure(title="Nothing", family="my own", better="higher", bounds=(0, 1))
    def nothing(table: Table) -> float:
        return math.nan

    value, why = cv.measures["nothing"].evaluate(Table.from_labels(TRUTH, PRED))
    assert math.isnan(value)
    assert why


def test_a_direction_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="'higher', 'lower' or 'neither', not 'sideways'"):
        cv.measure(title="Sideways", family="my own", better="sideways", bounds=(0, 1))


EXTREME = [
    np.ones((30, 30), int),
    np.ones((1, 40), int),
    np.ones((40, 1), int),
    np.ones((2, 2), int),
    np.ones((2, 400), int),
    np.ones((400, 2), int),
    3 * np.eye(20, dtype=int),
    np.array([[999, 1], [1, 0]]),
    np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0]]),
]
# No table is known whose value is below -0.5, and no proof that there is none.
LOOSE = {"adjusted_fowlkes_mallows", "adjusted_mutual_information", "hubert_gamma"}


@pytest.mark.parametrize("record", EXTERNAL, ids=lambda record: record.key)
def test_values_come_close_to_the_declared_bounds(record: cv.Measure) -> None:
    tables = [cv.Contingency.from_counts(counts) for counts in EXTREME]
    values = [record.evaluate(table).value for table in tables]
    known = [value for value in values if not math.isnan(value)]
    low, high = record.bounds
    low = -0.5 if record.key in LOOSE else low
    assert math.isinf(low) or min(known) <= low + 0.05
    assert math.isinf(high) or max(known) >= high - 0.05


def test_an_estimate_survives_pickling_with_all_that_it_knows() -> None:
    made = cv.Estimate(0.5, standard_error=0.1, sample=20, degrees=7.0)
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is cv.Estimate
    for name in ("standard_error", "sample", "degrees"):
        assert getattr(again, name) == getattr(made, name)
    assert float(again) == 0.5
    assert repr(again) == "0.5 ± 0.1"


def test_a_family_that_is_no_name_is_refused() -> None:
    with pytest.raises(UnknownMeasureError, match="a family is named by a string, not by an int"):
        cv.measures.select(family=3)
