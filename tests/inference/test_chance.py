from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

import clustervet as cv
from clustervet.errors import ClustervetError
from clustervet.inference.chance import chance_levels
from clustervet.inference.expectation import ClosedForm
from clustervet.inference.nulls import MODELS, Side, _alone, _draw_backwards, sides
from clustervet.inference.pair_null import PairNull
from clustervet.partition.draw import stirling

TRUTH = [0, 0, 1, 1, 2]
PRED = [0, 1, 1, 1, 2]
TABLE = cv.Contingency.from_labels(TRUTH, PRED)
KEYS = ["rand", "mirkin", "fowlkes_mallows", "pair_f1", "mutual_information", "vi", "nmi", "purity"]


def null_of(class_sizes, cluster_sizes) -> PairNull:
    """The chance distribution of N11 with these sizes."""
    n = sum(map(int, class_sizes))
    return PairNull((Side(n, np.array(class_sizes)), Side(n, np.array(cluster_sizes))))


def pair_variance(class_sizes, cluster_sizes) -> float:
    return float(null_of(class_sizes, cluster_sizes).variance)


def partitions(n: int) -> list[tuple[int, ...]]:
    """All partitions of n objects as restricted growth strings."""
    found = [(0,)]
    for _ in range(n - 1):
        found = [(*p, k) for p in found for k in range(max(p) + 2)]
    return found


def enumerated(key: str, model: str) -> float:
    """The mean of a measure over every clustering that the model allows, one by one."""
    everything = partitions(5)
    lefts = {
        "number": [p for p in everything if max(p) == 2],
        "all": everything,
    }.get(model, [tuple(TRUTH)])
    if model == "sizes":
        rights = list(itertools.permutations(PRED))
    elif model.startswith("number"):
        rights = [p for p in everything if max(p) == 2]
    else:
        rights = everything
    values = [
        cv.measures[key].evaluate(cv.Contingency.from_labels(a, b)).value
        for a in lefts
        for b in rights
    ]
    return float(np.mean(values))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("key", ["rand", "mirkin", "mutual_information"])
def test_expectations_equal_the_mean_over_all_clusterings_of_the_model(key, model):
    found = cv.chance(key, TABLE, model=model, samples=0)
    assert found.exact
    assert found.expected == pytest.approx(enumerated(key, model), rel=1e-10)


@pytest.mark.parametrize("key", [k for k in KEYS if k != "purity"])
def test_with_sizes_fixed_pair_and_information_measures_are_exact(key):
    found = cv.chance(key, TABLE, samples=0)
    assert found.exact
    assert found.expected == pytest.approx(enumerated(key, "sizes"), rel=1e-10)


@pytest.mark.parametrize("model", MODELS)
def test_sampled_expectations_agree_with_enumeration(model):
    found = cv.chance("purity", TABLE, model=model, samples=3_000, random_state=0)
    assert not found.exact
    assert found.expected == pytest.approx(
        enumerated("purity", model), abs=5 * found.spread / math.sqrt(3_000)
    )


def test_adjusted_rand_and_adjusted_information_are_special_cases():
    table = cv.Contingency.from_labels([0, 0, 1, 1, 2, 2, 2, 1, 1], [0, 1, 1, 0, 2, 2, 1, 2, 0])
    assert cv.chance("rand", table, samples=0).adjusted == pytest.approx(
        cv.adjusted_rand(table), rel=1e-12
    )
    for average in ("arithmetic", "geometric", "min", "max"):
        assert cv.chance("nmi", table, samples=0, average=average).adjusted == pytest.approx(
            cv.adjusted_mutual_information(table, average=average), rel=1e-10
        )
    assert cv.chance("fowlkes_mallows", table, samples=0).adjusted == pytest.approx(
        cv.adjusted_fowlkes_mallows(table), rel=1e-12
    )


def test_expected_information_is_scikit_learns():
    from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 6, 200), rng.integers(0, 9, 200)
    peer = expected_mutual_information(contingency_matrix(truth, pred, sparse=True), 200)
    found = cv.chance("mutual_information", truth, pred, samples=0, base=math.e)
    assert found.expected == pytest.approx(peer, rel=1e-10)


def test_the_spread_of_pair_measures_is_exact():
    counts = [cv.Contingency.from_labels(TRUTH, p).pairs.n11 for p in itertools.permutations(PRED)]
    sizes = TABLE.class_sizes.tolist(), TABLE.cluster_sizes.tolist()
    assert pair_variance(*sizes) == pytest.approx(np.var(counts), rel=1e-12)
    found = cv.chance("rand", TABLE, samples=0)
    values = [cv.rand(TRUTH, p) for p in itertools.permutations(PRED)]
    assert found.spread == pytest.approx(np.std(values), rel=1e-10)


def test_a_users_own_pair_measure_has_a_closed_form_too():
    @cv.measure(title="Twice Rand", family="mine", better="higher", bounds=(0, 2))
    def twice_rand(table):
        pairs = table.exact_pairs
        return float(2 * (pairs.n11 + pairs.n00) / pairs.total)

    try:
        found = cv.chance("twice_rand", TABLE, samples=0, model="all")
        assert found.exact
        assert found.expected == pytest.approx(2 * enumerated("rand", "all"), rel=1e-10)
    finally:
        cv.measures.remove("twice_rand")


@pytest.mark.parametrize("key", ["adjusted_rand", "nmi", "matching_accuracy"])
def test_p_values_are_uniform_when_there_is_nothing_to_find(key):
    rng = np.random.default_rng(1)
    found = []
    for _ in range(150):
        truth, pred = rng.integers(0, 4, 120), rng.integers(0, 5, 120)
        found.append(
            cv.chance(key, truth, pred, samples=99, ties="random", random_state=rng).p_value
        )
    assert kstest(found, "uniform").pvalue > 0.001


def test_a_good_clustering_is_no_chance():
    truth = np.repeat([0, 1, 2], 20)
    found = cv.chance("matching_accuracy", truth, truth, samples=200, random_state=0)
    assert found.p_value == pytest.approx(1 / 201)
    assert found.adjusted == 1
    assert found.z > 5
    assert cv.chance("rand", truth, truth, samples=0).p_value < 1e-10


def test_lower_is_better_turns_the_tail():
    truth = np.repeat([0, 1, 2], 20)
    found = cv.chance("vi", truth, truth, samples=200, random_state=0)
    assert found.z < -5
    assert found.p_value < 0.01
    assert found.to_dict()["measure"] == "variation_of_information"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "dice"}, "there is no null model 'dice'; the models are sizes, number"),
        ({"samples": -1}, "samples must be a whole number of at least 0"),
        ({"ties": "maybe"}, "ties must be"),
    ],
)
def test_what_is_no_null_model_is_refused(options, message):
    with pytest.raises(ClustervetError, match=message):
        cv.chance("rand", TABLE, **options)


def test_counting_partitions_has_its_limit():
    table = cv.Contingency.from_counts([[20_000, 1], [1, 20_000]])
    with pytest.raises(ClustervetError, match="Take model='sizes'"):
        cv.chance("rand", table, model="all")


@given(st.integers(2, 40), st.data())
@settings(max_examples=40)
def test_expected_sizes_add_up(n, data):
    clusters = data.draw(st.one_of(st.none(), st.integers(1, n)))
    spectrum = Side(n, clusters=clusters).spectrum()
    assert math.fsum(s * c for s, c in spectrum.items()) == pytest.approx(n, rel=1e-10)
    if clusters is not None:
        assert math.fsum(spectrum.values()) == pytest.approx(clusters, rel=1e-10)


@pytest.mark.parametrize(("n", "clusters"), [(6, None), (6, 2), (6, 5), (5, 5), (4, 1)])
def test_random_partitions_are_uniform(n, clusters):
    rng = np.random.default_rng(0)
    allowed = [p for p in partitions(n) if clusters is None or max(p) + 1 == clusters]
    counts = dict.fromkeys(allowed, 0)
    draws = 60 * len(allowed)
    for _ in range(draws):
        labels = Side(n, clusters=clusters).draw(rng)
        order = {label: k for k, label in enumerate(dict.fromkeys(labels.tolist()))}
        counts[tuple(order[label] for label in labels.tolist())] += 1
    chi = sum((count - 60) ** 2 / 60 for count in counts.values())
    freedom = len(allowed) - 1
    assert chi <= freedom + 5 * math.sqrt(2 * freedom) + 1e-9


@pytest.mark.parametrize("key", ["ari", "nmi", "rand", "purity", "vi"])
@pytest.mark.parametrize("turned", [False, True])
def test_sizes_that_leave_no_choice_give_their_only_value(key, turned):
    truth, pred = [0] * 50, [0] * 25 + [1] * 25
    sides = (pred, truth) if turned else (truth, pred)
    found = cv.chance(key, *sides, samples=50, random_state=0)
    value = cv.measures[key](*sides)
    if math.isnan(value):
        assert math.isnan(found.expected)
    else:
        assert found.expected == pytest.approx(value)
        assert found.p_value == 1


def test_the_best_value_of_very_many_classes_needs_no_square_matrix():
    labels = np.arange(60_000) // 2
    found = cv.chance("mutual_information", labels, labels[::-1], samples=0)
    assert found.adjusted == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize("factor", [1, 10**3, 10**4, 10**7, 10**8, 10**12])
def test_expectation_and_spread_are_exact_at_any_size(factor):
    table = cv.Contingency.from_counts(np.array([[5, 1], [1, 3]]) * factor)
    n = 10 * factor
    total = Fraction(n * (n - 1), 2)
    p = sum(Fraction(x * factor * (x * factor - 1), 2) for x in (6, 4))
    for key in ("rand", "jaccard"):
        found = cv.chance(key, table, samples=0)
        assert found.exact == (key == "rand")
    found = cv.chance("rand", table, samples=0)
    exact = (total - 2 * p + 2 * p * p / total) / total
    assert found.expected == pytest.approx(float(exact), rel=1e-12)
    # Rand's index changes by 2 / total for each pair in both.
    variance = pair_variance([6 * factor, 4 * factor], [6 * factor, 4 * factor])
    assert found.spread == pytest.approx(2 / float(total) * variance**0.5, rel=1e-6)


def test_what_never_varies_has_no_spread():
    found = cv.chance("purity", [0, 0, 0, 1, 1, 2], [0] * 6, random_state=0)
    assert (found.spread, found.p_value) == (0.0, 1.0)
    assert math.isnan(found.z)
    assert math.isnan(cv.chance("joint_entropy", [0, 0, 1, 1], [0, 1, 0, 1]).adjusted)


def test_several_measures_share_their_random_tables():
    truth, pred = [0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 1, 2, 2, 0]
    both = chance_levels(["purity", "vi"], truth, pred, samples=50, random_state=3)
    assert both[0] == cv.chance("purity", truth, pred, samples=50, random_state=3)
    assert both[1] == cv.chance("vi", truth, pred, samples=50, random_state=3)


def test_random_tables_of_too_many_objects_are_refused():
    table = cv.Contingency.from_counts({("cat", 0): 10**11, ("dog", 1): 10**11})
    with pytest.raises(ClustervetError, match="random tables are drawn of up to 2,147,483,648"):
        cv.chance("purity", table)
    assert cv.chance("rand", table, samples=0).exact


def test_measures_of_classes_and_of_features_are_not_mixed():
    with pytest.raises(ClustervetError, match="ssq needs features, not a second labeling"):
        chance_levels(["rand", "ssq"], [0, 1], [0, 1])
    with pytest.raises(ClustervetError, match="X must have two dimensions"):
        cv.chance("ssq", [0, 1], [0, 1])
    with pytest.raises(ClustervetError, match="no measure of classes is asked for"):
        chance_levels([], [0, 1], [0, 1])


def test_an_exact_spread_is_never_taken_for_rounding():
    n = 10**13
    table = cv.Contingency.from_counts({(0, 0): n, (1, 1): n, (1, 0): n // 1000})
    found = cv.chance("rand", table, samples=0)
    sizes = [n, n + n // 1000], [n + n // 1000, n]
    total = sum(sizes[0])
    slope = 2 / float(Fraction(total * (total - 1), 2))
    assert found.spread == pytest.approx(slope * pair_variance(*sizes) ** 0.5, rel=1e-6)


def drawn_counts(draw, n, clusters, count):
    """How often each partition into so many clusters comes up."""
    rng = np.random.default_rng(0)
    wanted = [p for p in partitions(n) if max(p) == clusters - 1]
    counts = dict.fromkeys(wanted, 0)
    for _ in range(count):
        labels = draw(rng).tolist()
        places = {label: k for k, label in enumerate(dict.fromkeys(labels))}
        counts[tuple(places[label] for label in labels)] += 1
    return list(counts.values())


@pytest.mark.parametrize(("n", "clusters"), [(5, 4), (6, 3), (4, 4), (4, 1), (7, 5)])
def test_drawing_backwards_gives_every_partition_equally_often(n, clusters):
    counts = drawn_counts(lambda rng: _draw_backwards(n, clusters, rng), n, clusters, 3_000)
    assert len(counts) == stirling(n, clusters)
    assert len(counts) == 1 or chisquare(counts).pvalue > 0.001


# With many small clusters labels that use all of them are rare, and are not waited for.
@pytest.mark.parametrize(("n", "clusters", "rare"), [(8, 5, False), (11, 10, True)])
def test_a_number_of_clusters_is_drawn_evenly_on_both_ways(n, clusters, rare):
    assert (clusters * math.exp(-n / clusters) >= 3) == rare
    if rare:  # all partitions of 11 objects are too many to list: one pair of objects is together
        rng = np.random.default_rng(1)
        counts = dict.fromkeys(itertools.combinations(range(n), 2), 0)
        for _ in range(5_500):
            labels = Side(n, clusters=clusters).draw(rng)
            (pair,) = (p for p in counts if labels[p[0]] == labels[p[1]])
            counts[pair] += 1
        assert len(set(labels.tolist())) == clusters
        assert chisquare(list(counts.values())).pvalue > 0.001
    else:
        counts = drawn_counts(Side(n, clusters=clusters).draw, n, clusters, 10_500)
        assert chisquare(counts).pvalue > 0.001


def test_the_last_object_is_alone_with_the_share_of_partitions_in_which_it_is():
    found = _alone(7, 5)
    for m, k in itertools.product(range(1, 8), range(1, 6)):
        whole = stirling(m, k)
        share = stirling(m - 1, k - 1) / whole if whole else 0.0
        assert found[m, k] == pytest.approx(share, abs=1e-12), (m, k)


@pytest.mark.parametrize("model", MODELS)
def test_pairs_are_moved_within_what_a_table_can_hold(model):
    truth, pred = np.repeat([0, 1], [97, 3]), np.repeat([0, 1, 0], [50, 2, 48])
    for one, other in ((truth, pred), (pred, truth), (truth // 2, pred), (truth, np.arange(100))):
        table = cv.Contingency.from_labels(one, other)
        form = ClosedForm(cv.measures["rand"], {}, table, sides(table, model), model)
        step = form._step
        assert step >= Fraction(1, 4)
        if step == Fraction(1, 4):  # so little is left to move that it may be too much
            continue
        for more, p, q in ((step, 0, 0), (step, 2 * step, 0), (0, step, 3 * step)):
            n11, p, q = form.n11 + more, form.p + p, form.q + q
            assert min(n11, p - n11, q - n11, form.total - p - q + n11) >= 0
