"""The consensus against sums from its definition, and against all partitions of few objects."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet._kernels.moves import ATOMS, CELLS, CLUSTERS
from clustervet.ensemble import consensus as consensus_module
from clustervet.ensemble import local_search
from clustervet.ensemble.consensus import co_association
from clustervet.ensemble.ensemble import Ensemble
from clustervet.ensemble.local_search import LOOKED_UP, Median, find_atoms
from clustervet.errors import LabelError, ParameterError
from clustervet.partition import Partition

CRITERIA = ("variation_of_information", "mirkin")


def variation(one, other):
    """H(one | other) + H(other | one) in bits, from conditional probabilities (eq. 21)."""
    n = len(one)
    cells, rows, cols = Counter(zip(one, other, strict=True)), Counter(one), Counter(other)
    terms = [
        -(x / n) * (math.log2(x / rows[a]) + math.log2(x / cols[b])) for (a, b), x in cells.items()
    ]
    return math.fsum(terms)


def disagreements(one, other):
    """Ordered pairs of objects that one labeling puts together and the other apart (eq. 9)."""
    n = len(one)
    return sum((one[i] == one[j]) != (other[i] == other[j]) for i in range(n) for j in range(n))


ORACLES = {"variation_of_information": variation, "mirkin": disagreements}


def total(labels, labelings, weights, criterion):
    """The objective from its definition, on the objects that each labeling labels."""
    terms = []
    for weight, labeling in zip(weights, labelings, strict=True):
        known = [i for i, label in enumerate(labeling) if label is not None and label >= 0]
        pair = [labels[i] for i in known], [labeling[i] for i in known]
        terms.append(weight * ORACLES[criterion](*pair))
    return math.fsum(terms)


def all_partitions(n):
    """Every partition of n objects as a restricted growth string."""
    strings = [[0]]
    for _ in range(n - 1):
        strings = [[*s, c] for s in strings for c in range(max(s) + 2)]
    return strings


def perturbed(rng, n, clusters, copies, share):
    """A partition, and copies with a share of the objects moved to a random other cluster."""
    truth = rng.integers(0, clusters, n)
    labelings = []
    for _ in range(copies):
        labels = truth.copy()
        moved = rng.choice(n, round(share * n), replace=False)
        labels[moved] = (labels[moved] + rng.integers(1, clusters, len(moved))) % clusters
        labelings.append(labels)
    return truth, labelings


@st.composite
def ensembles(draw, smallest=1):
    n = draw(st.integers(smallest, 14))
    labelings = draw(
        st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=2, max_size=6)
    )
    weights = draw(st.lists(st.floats(0.1, 5), min_size=len(labelings), max_size=len(labelings)))
    return labelings, weights


@settings(max_examples=60)
@given(ensembles(), st.sampled_from(CRITERIA), st.booleans())
@example(([[0, 1], [0, 0]], [0.5, 1.0]), "variation_of_information", False)
def test_objective_is_the_sum_of_distances_and_at_most_that_of_any_member(
    given_, criterion, collapse
):
    labelings, weights = given_
    found = Ensemble(labelings, weights=weights).consensus(criterion, collapse=collapse)
    labels = found.labels.tolist()
    assert found.objective == pytest.approx(total(labels, labelings, weights, criterion), abs=1e-9)
    for labeling, objective in zip(labelings, found.objectives, strict=True):
        expected = total(labeling, labelings, weights, criterion)
        assert objective == pytest.approx(expected, abs=1e-9)
    assert found.objective <= found.objectives.min()
    single = total([0] * len(labels), labelings, weights, criterion)
    assert found.one_cluster == pytest.approx(single, abs=1e-9)
    for trial in found.trials:
        assert trial.after <= trial.kept + 1e-9
        assert trial.kept <= trial.before + 1e-9
    least = min(trial.after for trial in found.trials)
    if collapse or not found.collapsed:
        assert found.objective == pytest.approx(least, abs=1e-9)
        assert found.objective <= found.one_cluster + 1e-9
    if found.collapsed:
        assert found.one_cluster == pytest.approx(least, abs=1e-9)
        # A member that is one cluster may itself be the best answer.
        assert collapse == (found.partition.k == 1) or min(map(len, map(set, labelings))) < 2


@settings(max_examples=60)
@given(
    ensembles(),
    st.sampled_from(CRITERIA),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_every_pass_changes_the_objective_by_what_it_says(given_, criterion, partial, seed):
    labelings, weights = given_
    rng = np.random.default_rng(seed)
    codes = [np.array(labels, np.int32) for labels in labelings]
    if partial:
        for labels in codes:
            labels[rng.random(len(labels)) < 0.3] = -1
    # Labels without gaps, as they come from the door.
    codes = [np.unique(c, return_inverse=True)[1] - bool((c < 0).any()) for c in codes]
    codes = [c.astype(np.int32) for c in codes]
    atoms = find_atoms(codes)
    median = Median(atoms, np.array(weights), criterion)
    state = median.state(rng.integers(0, 3, atoms.count).astype(np.int32))

    def from_scratch():
        labels = state.places[atoms.places].tolist()
        return total(labels, [c.tolist() for c in codes], weights, criterion)

    value = from_scratch()
    assert median.objective(state) == pytest.approx(value, abs=1e-9)
    passes = {
        ATOMS: rng.permutation(atoms.count),
        CLUSTERS: np.arange(1),
        CELLS: np.arange(len(median.problem.owner)),
    }
    for what, fixed in product(passes, (True, False)):
        clusters = set(state.places.tolist())
        change, moves = median.move(state, what, passes[what], fixed=fixed)
        if fixed:
            assert set(state.places.tolist()) == clusters
        after = from_scratch()
        assert change <= 0
        assert (moves == 0) == (change == 0)
        assert value + change == pytest.approx(after, abs=1e-9)
        assert median.objective(state) == pytest.approx(after, abs=1e-9)
        rebuilt = median.state(state.places.copy())
        assert median.objective(rebuilt) == pytest.approx(after, abs=1e-9)
        value = after


@settings(max_examples=60)
@given(ensembles(), st.sampled_from(CRITERIA), st.integers(0, 2**32 - 1), st.booleans())
def test_plain_and_compiled_moves_are_the_same_to_the_last_bit(given_, criterion, seed, fixed):
    labelings, weights = given_
    rng = np.random.default_rng(seed)
    codes = [np.unique(labels, return_inverse=True)[1].astype(np.int32) for labels in labelings]
    atoms = find_atoms(codes)
    start = rng.integers(-1, 4, atoms.count).astype(np.int32)
    start[0] = 0
    found = []
    for left in (0, 10**9):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(local_search.patience, "left", left)
            median = Median(atoms, np.array(weights, float), criterion)
            state = median.state(start)
            changes = [median.move(state, ATOMS, np.flatnonzero(state.places < 0))]
            changes += [median.move(state, CELLS, np.arange(len(median.problem.owner)))]
            changes += [median.move(state, CLUSTERS, np.arange(1))]
            changes += [median.improve(state, fixed=fixed)]
        found.append((changes, [array.tolist() for array in state], median.objective(state)))
    assert found[0] == found[1]


@settings(max_examples=60)
@given(ensembles(smallest=4), st.sampled_from(CRITERIA))
@example(([[0, 1, 2, 3, 4], [0, 1, 2, 3, 3], [0, 1, 2, 3, 4]], [1, 1, 1]), CRITERIA[0])
@example(([[0, 1, 2, 3, 4], [0, 1, 2, 3, 3], [0, 1, 2, 3, 4]], [1, 1, 1]), CRITERIA[1])
def test_an_object_on_its_own_never_lowers_the_objective(given_, criterion):
    """Where the search starts from one cluster, it has to open every other one itself."""
    labelings, weights = given_
    codes = [np.unique(labels, return_inverse=True)[1].astype(np.int32) for labels in labelings]
    atoms = find_atoms(codes)
    median = Median(atoms, np.array(weights, float), criterion)
    state = median.state(np.zeros(atoms.count, np.int32))
    median.improve(state)
    labels = state.places[atoms.places].tolist()
    least = total(labels, labelings, weights, criterion)
    for place in range(len(labels)):
        alone = [*labels]
        alone[place] = -1
        assert total(alone, labelings, weights, criterion) >= least - 1e-9
    found = Ensemble(labelings, weights=weights).consensus(criterion, collapse=True)
    for place in range(len(labels)):
        alone = found.labels.tolist()
        alone[place] = -1
        assert total(alone, labelings, weights, criterion) >= found.objective - 1e-9


def test_a_search_from_one_cluster_opens_those_that_are_there():
    labels = np.array([0, 1, 2, 0, 1, 2, 3], np.int32)
    atoms = find_atoms([labels, labels])
    median = Median(atoms, np.ones(2), "mirkin")
    state = median.state(np.zeros(atoms.count, np.int32))
    assert median.improve(state) >= 3
    assert Partition(state.places[atoms.places]) == Partition(labels)
    assert median.objective(state) == 0
    kept = median.state(np.zeros(atoms.count, np.int32))
    assert median.improve(kept, fixed=True) == 0
    assert set(kept.places.tolist()) == {0}


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_best_of_all_partitions_of_few_objects_is_reached(criterion):
    rng = np.random.default_rng(7)
    reached = 0
    for _ in range(40):
        n = int(rng.integers(3, 8))
        labelings = [rng.integers(0, rng.integers(1, n + 1), n).tolist() for _ in range(5)]
        weights = rng.uniform(0.5, 2, 5).tolist()
        values = [total(p, labelings, weights, criterion) for p in all_partitions(n)]
        e = Ensemble(labelings, weights=weights)
        found = e.consensus(criterion, collapse=True).objective
        assert found >= min(values) - 1e-9
        reached += found <= min(values) + 1e-9
    assert reached >= 38


@pytest.mark.parametrize("criterion", CRITERIA)
def test_some_best_partition_divides_no_atom(criterion):
    rng = np.random.default_rng(3)
    for _ in range(15):
        labelings = [rng.integers(0, 2, 6).tolist() for _ in range(3)]
        atoms = list(zip(*labelings, strict=True))
        values = {tuple(p): total(p, labelings, [1, 1, 1], criterion) for p in all_partitions(6)}
        whole = [
            value
            for p, value in values.items()
            if all(p[i] == p[j] for i in range(6) for j in range(6) if atoms[i] == atoms[j])
        ]
        assert min(whole) == pytest.approx(min(values.values()), abs=1e-12)


def test_consensus_of_perturbed_copies_is_closer_to_the_original_than_any_copy():
    rng = np.random.default_rng(11)
    closer = 0
    for _ in range(20):
        copies, share = int(rng.integers(10, 21)), float(rng.uniform(0.1, 0.3))
        truth, labelings = perturbed(rng, 200, int(rng.integers(3, 7)), copies, share)
        found = Ensemble(labelings).consensus()
        gaps = [variation(truth.tolist(), labels.tolist()) for labels in labelings]
        closer += variation(truth.tolist(), found.labels.tolist()) < min(gaps)
    assert closer >= 19


@pytest.mark.parametrize("name", ["iris", "wine", "digits", "breast_cancer"])
def test_consensus_of_kmeans_runs_is_at_most_the_best_run(name):
    import sklearn.datasets
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    data = getattr(sklearn.datasets, f"load_{name}")()
    points = StandardScaler().fit_transform(data.data[:600])
    clusters = len(data.target_names)
    with threadpool_limits(1):
        runs = [
            KMeans(clusters, n_init=1, init="random", random_state=seed).fit_predict(points)
            for seed in range(20)
        ]
    for criterion in CRITERIA:
        found = Ensemble(runs).consensus(criterion)
        assert found.objective <= found.objectives.min()


def test_labelings_that_agree_too_little_collapse_and_say_so():
    rng = np.random.default_rng(0)
    labelings = [rng.integers(0, 4, 100) for _ in range(6)]
    e = Ensemble(labelings)
    found = e.consensus(collapse=True)
    assert found.partition.k == 1
    assert found.collapsed
    assert found.objective == pytest.approx(found.one_cluster)
    entropies = [
        math.log2(100) - sum(x * math.log2(x) for x in Counter(c.tolist()).values()) / 100
        for c in labelings
    ]
    assert found.one_cluster == pytest.approx(sum(entropies))
    kept = e.consensus()
    assert kept.collapsed
    assert kept.partition.k >= 4
    assert kept.one_cluster < kept.objective <= kept.objectives.min()
    assert not Ensemble([[0, 0], [0, 0]]).consensus().collapsed


def test_what_noise_hides_from_the_least_total_is_still_found():
    # One cluster has the least total here, and the partition that was perturbed is found.
    truth, labelings = perturbed(np.random.default_rng(0), 300, 4, 15, 0.25)
    found = Ensemble(labelings).consensus()
    assert found.collapsed
    assert variation(truth.tolist(), found.labels.tolist()) < 0.2


def test_a_heavy_labeling_has_its_way_and_weights_count_as_copies():
    labelings = [[0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 1, 1]]
    found = Ensemble(labelings, weights=[1, 1, 50, 1]).consensus()
    assert found.labels.tolist() == labelings[2]
    assert found.distances[2] == 0
    twice = Ensemble([*labelings, labelings[1]]).consensus()
    heavy = Ensemble(labelings, weights=[1, 2, 1, 1]).consensus()
    assert heavy.objective == pytest.approx(twice.objective)


def test_equal_labelings_are_their_own_consensus():
    found = Ensemble([["a", "b", "b"], [1, 0, 0], [5, 3, 3]]).consensus()
    assert found.labels.tolist() == [0, 1, 1]
    assert found.objective == 0
    assert found.atoms == 2


def test_consensus_repeats_and_does_not_depend_on_labels():
    rng = np.random.default_rng(2)
    _, labelings = perturbed(rng, 150, 4, 8, 0.2)
    one = Ensemble(labelings).consensus(random_state=5)
    again = Ensemble(labelings).consensus(random_state=np.random.default_rng(5))
    renamed = Ensemble([[f"c{3 - c}" for c in labels] for labels in labelings]).consensus(
        random_state=5
    )
    assert one.partition == again.partition == renamed.partition
    assert [t.after for t in one.trials] == [t.after for t in again.trials]


def test_objects_without_label_count_where_they_have_one():
    labelings = [
        [0, 0, 1, 1, None, None],
        [0, 0, None, None, 1, 1],
        [None, None, 0, 0, 1, 1],
        [0, 0, 0, 1, 1, 1],
    ]
    found = Ensemble(labelings, shared=True).consensus()
    labels = found.labels.tolist()
    assert found.objective == pytest.approx(
        total(labels, labelings, [1] * 4, "variation_of_information")
    )
    assert found.objective <= found.objectives[3]
    best = min(total(p, labelings, [1] * 4, "variation_of_information") for p in all_partitions(6))
    assert found.objective == pytest.approx(best)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_many_atoms_are_searched_by_some_of_them_first(monkeypatch, criterion):
    monkeypatch.setattr(consensus_module, "MANY_ATOMS", 60)
    rng = np.random.default_rng(4)
    truth, labelings = perturbed(rng, 250, 4, 9, 0.15)
    found = Ensemble(labelings).consensus(criterion)
    assert found.atoms > 60
    assert found.trials[0].start == "best of 60 atoms"
    assert found.objective <= found.objectives.min()
    expected = total(found.labels.tolist(), labelings, [1] * 9, criterion)
    assert found.objective == pytest.approx(expected)
    assert variation(truth.tolist(), found.labels.tolist()) < 0.3


def test_a_pass_that_would_take_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr(consensus_module, "LONGEST_PASS", 10)
    _, labelings = perturbed(np.random.default_rng(0), 60, 3, 5, 0.2)
    found = Ensemble(labelings).consensus()
    assert found.objective <= found.objectives.min()
    assert all(t.moves == 0 for t in found.trials if t.start != "one cluster")


def test_terms_beyond_the_table_are_computed():
    n = LOOKED_UP + 10
    labels = np.zeros(n, np.int64)
    labels[: n // 3] = 1
    other = labels.copy()
    other[:5] = 2
    for criterion in CRITERIA:
        found = Ensemble([labels, other, labels]).consensus(criterion)
        assert found.labels.tolist() == Partition(labels).codes.tolist()
        record = cv.measures[criterion]
        assert found.objective == pytest.approx(record(labels, other))


def test_atoms_are_the_meet():
    atoms = find_atoms([np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1])])
    assert atoms.places.tolist() == [0, 0, 1, 2, 2]
    assert atoms.labels.tolist() == [[0, 0], [1, 0], [1, 1]]
    assert atoms.sizes.tolist() == [2, 1, 2]


def test_co_association_counts_those_who_label_both():
    labels = np.array([[0, -1], [0, 0], [1, 0]], np.int32)
    expected = [[1, 1, 0], [1, 1, 2 / 3], [0, 2 / 3, 1]]
    assert co_association(labels, np.array([1.0, 2.0])) == pytest.approx(np.array(expected))


def test_the_record_as_data():
    found = Ensemble({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 1, 1, 1]}).consensus(starts=5)
    data = found.to_dict()
    assert data["measure"] == "variation_of_information"
    assert data["objectives"].keys() == {"a", "b", "c"}
    assert data["best_input"] in data["objectives"]
    assert len(data["trials"]) == 5
    assert data["moves"] == sum(t["moves"] for t in data["trials"])
    assert sum(data["sizes"]) == 4
    ranked = [t["start"] for t in data["trials"]]
    assert all(isinstance(name, str) for name in ranked)
    assert all(a != b or a == "best, shaken" for a, b in pairwise(ranked))


def test_the_ensembles_own_measure_is_taken_where_it_can_be():
    labelings = [[0, 0, 1, 1], [0, 1, 1, 1]]
    assert Ensemble(labelings, measure="mirkin").consensus().measure.key == "mirkin"
    other = Ensemble(labelings, measure="van_dongen").consensus()
    assert other.measure.key == "variation_of_information"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "rand"}, "by variation_of_information or by mirkin, not by rand"),
        ({"starts": 0}, "starts must be a whole number between 1 and"),
        ({"starts": 2.5}, "starts must be a whole number"),
    ],
)
def test_what_a_consensus_refuses(options, message):
    with pytest.raises(ParameterError, match=message):
        Ensemble([[0, 1], [0, 0]]).consensus(**options)


def test_an_object_that_nobody_labels_has_no_consensus():
    e = Ensemble([[0, 0, 1, None], [0, 1, 1, None]], shared=True)
    with pytest.raises(LabelError, match="no label in any labeling, the first at position 3"):
        e.consensus()


def test_searches_start_from_candidates_of_many_kinds():
    rng = np.random.default_rng(2)
    base = rng.integers(0, 4, 60)
    labelings = {}
    for name in "abcde":
        moved = rng.random(60) < 0.3
        labelings[name] = np.where(moved, rng.integers(0, 5, 60), base)
    found = cv.Ensemble(labelings).consensus(starts=22, random_state=0)
    names = [trial.start for trial in found.trials]
    assert names[1:5] == [
        "co-association cut at 0.5",
        "co-association cut at 0.7",
        "co-association cut at 0.3",
        "one cluster",
    ]
    assert names[6:9] == ["meet of the best 2", "meet of the best 3", "meet of all"]
    assert {names[0], names[5], *names[9:11]} < set(labelings)
    assert len(names) == 22
