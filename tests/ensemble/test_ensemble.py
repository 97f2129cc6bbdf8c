"""`Ensemble`: its inputs, centre, spread, groups, tree and what it refuses."""

from __future__ import annotations

import json
import math
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import t as student
from sklearn.metrics import silhouette_samples

import clustervet as cv
from clustervet.ensemble.ensemble import Ensemble
from clustervet.ensemble.groups import (
    _best_swap,
    find_medoids,
    mean_distance,
    mean_silhouette,
    most_diverse,
    nearest_medoid,
)
from clustervet.errors import ClustervetError, LabelError, ParameterError, UnknownMeasureError

LABELINGS = {
    "a": [0, 0, 0, 1, 1, 1, 2, 2],
    "b": [0, 0, 0, 1, 1, 1, 1, 1],
    "c": [0, 1, 2, 0, 1, 2, 0, 1],
    "d": [0, 0, 0, 1, 1, 2, 2, 2],
    "e": [0, 0, 1, 0, 1, 2, 2, 1],
}


@st.composite
def matrices(draw, most=9):
    """Distances of points on a small grid, with ties and points that are equal."""
    points = draw(
        st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=most)
    )
    places = np.array(points, np.float64)
    return abs(places[:, None] - places).sum(axis=2)


def test_labelings_in_every_form_are_the_same():
    expected = Ensemble(LABELINGS).distances.matrix
    lists = list(LABELINGS.values())
    for given_ in (lists, np.array(lists), pd.DataFrame(LABELINGS), pl.DataFrame(LABELINGS)):
        e = Ensemble(given_, names=list(LABELINGS))
        assert e.names == tuple(LABELINGS)
        assert np.array_equal(e.distances.matrix, expected)
    for i, j in combinations(range(5), 2):
        value = cv.variation_of_information(lists[i], lists[j])
        assert expected[i, j] == pytest.approx(value, abs=1e-12)
    assert len(e) == 5
    assert e.n == 8
    assert e.partition("b").k == 2
    assert e.partition(0).sizes.tolist() == [3, 3, 2]


def test_medoid_is_the_labeling_with_the_least_weighted_total():
    weights = [1.0, 2.0, 0.5, 3.0, 1.5]
    e = Ensemble(LABELINGS, weights=weights)
    lists = list(LABELINGS.values())
    totals = [
        sum(w * cv.variation_of_information(x, y) for w, y in zip(weights, lists, strict=True))
        for x in lists
    ]
    best = totals.index(min(totals))
    assert e.medoid.index == best
    assert e.medoid.name == "abcde"[best]
    assert e.medoid.mean_distance == pytest.approx(min(totals) / (sum(weights) - weights[best]))


def test_medoid_of_ties_is_the_first():
    e = Ensemble([[0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 0, 1], [1, 1, 0, 0]])
    assert e.medoid.index == 0


def test_spread_and_its_interval_are_the_jackknife_of_labelings():
    e = Ensemble(LABELINGS)
    matrix = e.distances.matrix
    assert float(e.spread) == pytest.approx(matrix[np.triu_indices(5, 1)].mean())
    without = [
        np.delete(np.delete(matrix, k, 0), k, 1)[np.triu_indices(4, 1)].mean() for k in range(5)
    ]
    error = math.sqrt(4 / 5 * sum((x - np.mean(without)) ** 2 for x in without))
    assert e.spread.standard_error == pytest.approx(error)
    reach = student.ppf(0.95, 4) * error
    low, high = e.spread.interval(0.9)
    assert low == pytest.approx(float(e.spread) - reach)
    assert high == pytest.approx(float(e.spread) + reach)


def test_intervals_hold_the_mean_of_all_runs_about_as_often_as_they_say():
    # A small version of studies/stability_interval.py; pairs taken as independent hold a third.
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 100)
    pool = []
    for _ in range(200):
        labels = truth.copy()
        moved = rng.random(100) < rng.uniform(0, 0.3)
        labels[moved] = rng.integers(0, 4, moved.sum())
        pool.append(labels)
    matrix = Ensemble(pool).distances.matrix
    mean = matrix[np.triu_indices(200, 1)].mean()
    held = 0
    for _ in range(200):
        drawn = rng.choice(200, 12, replace=False)
        low, high = mean_distance(matrix[np.ix_(drawn, drawn)], np.ones(12)).interval(0.95)
        held += low <= mean <= high
    assert held >= 178


def test_weights_of_the_mean_count_as_copies_do_between_different_labelings():
    matrix = Ensemble(LABELINGS).distances.matrix
    mean = mean_distance(matrix, np.array([2.0, 1, 1, 1, 1]))
    heavy = sum((2 if i == 0 else 1) * matrix[i, j] for i, j in combinations(range(5), 2))
    assert float(mean) == pytest.approx(heavy / (2 * 4 + 6))


def test_two_labelings_have_a_spread_without_interval():
    spread = Ensemble([[0, 0, 1], [0, 1, 1]]).spread
    assert spread > 0
    assert math.isnan(spread.standard_error)


def test_stability_does_not_depend_on_the_number_of_objects():
    # Meilă 2007, Property 2: every object taken three times changes no distance.
    once = Ensemble(LABELINGS).stability()
    thrice = Ensemble({k: np.repeat(v, 3) for k, v in LABELINGS.items()}).stability()
    assert thrice.mean == pytest.approx(once.mean)
    assert thrice.share == pytest.approx(once.share)
    assert thrice.standard_error == pytest.approx(once.standard_error)
    assert (once.objects, thrice.objects, once.runs) == (8, 24, 5)


def test_stability_reaches_its_bound_for_independent_uniform_runs():
    # Property 4: n a multiple of K², and clusterings as far apart as can be.
    rows, cols = np.divmod(np.arange(16), 4)
    found = Ensemble([rows, cols]).stability()
    assert found.mean == pytest.approx(2 * math.log2(4))
    assert found.share == pytest.approx(1)
    assert found.attainable
    assert Ensemble([rows, cols]).stability(16).share == pytest.approx(0.5)
    assert not Ensemble([rows, cols]).stability(5).attainable
    assert Ensemble([[0, 0], [1, 1]]).stability().share == 0


def test_stability_is_by_variation_of_information_whatever_the_measure():
    by_mirkin = Ensemble(LABELINGS, measure="mirkin").stability()
    assert by_mirkin == Ensemble(LABELINGS).stability()
    assert by_mirkin.to_dict()["runs"] == 5
    pair = Ensemble([[0, 0, 1], [0, 1, 1]]).stability()
    assert pair.to_dict()["low"] is None


@settings(max_examples=60)
@given(matrices(), st.data())
def test_medoids_are_a_local_best_and_near_the_best_of_all(matrix, data):
    count = len(matrix)
    k = data.draw(st.integers(1, count))
    weights = np.array(
        data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count)), float
    )

    def loss(medoids):
        return float(weights @ matrix[:, list(medoids)].min(axis=1))

    found = find_medoids(matrix, weights, k)
    assert len(set(found.tolist())) == k
    assert found.tolist() == sorted(found.tolist())
    for out in found:
        for into in set(range(count)) - set(found.tolist()):
            swapped = [into if m == out else m for m in found]
            assert loss(swapped) >= loss(found) - 1e-9
    best = min(loss(some) for some in combinations(range(count), k))
    assert best - 1e-9 <= loss(found) <= 1.5 * best + 1e-9


def test_medoids_stay_where_exchanges_and_starts_are_tied():
    corners = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    square = np.linalg.norm(corners[:, None] - corners, axis=2)
    assert find_medoids(square, np.ones(4), 2).tolist() == [0, 1]
    assert find_medoids(square, np.ones(4), 1).tolist() == [0]
    # Equal labelings are at distance 0: nothing is gained, and the search ends.
    for k in (1, 2, 3, 5):
        assert find_medoids(np.zeros((5, 5)), np.ones(5), k).tolist() == list(range(k))


def test_an_exchange_changes_the_sum_by_what_it_says():
    rng = np.random.default_rng(3)
    for _ in range(40):
        places = rng.integers(0, 4, (7, 2)).astype(float)  # on a grid, so that many are tied
        matrix = np.linalg.norm(places[:, None] - places, axis=2)
        weights = rng.integers(1, 4, 7).astype(float)
        medoids = rng.choice(7, int(rng.integers(1, 4)), replace=False)

        def loss(chosen, matrix=matrix, weights=weights):
            return float(weights @ matrix[:, list(chosen)].min(axis=1))

        gain, out, into = _best_swap(matrix, weights, medoids)
        losses = {
            (o, i): loss([*medoids[:o], i, *medoids[o + 1 :]])
            for o in range(len(medoids))
            for i in set(range(7)) - set(medoids.tolist())
        }
        assert gain == pytest.approx(min(losses.values()) - loss(medoids), abs=1e-12)
        assert losses[out, into] == pytest.approx(min(losses.values()), abs=1e-12)


def test_medoids_of_ensembles_are_mostly_the_best_of_all():
    rng = np.random.default_rng(0)
    reached = 0
    for _ in range(30):
        points = rng.normal(size=(9, 2))
        matrix = np.linalg.norm(points[:, None] - points, axis=2)
        losses = {c: matrix[:, list(c)].min(axis=1).sum() for c in combinations(range(9), 3)}
        found = tuple(find_medoids(matrix, np.ones(9), 3).tolist())
        reached += losses[found] <= min(losses.values()) + 1e-12
    assert reached >= 29


@settings(max_examples=60)
@given(matrices(), st.data())
def test_silhouettes_are_those_of_scikit_learn(matrix, data):
    count = len(matrix)
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)))
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    if not 2 <= labels.max() + 1 < count:
        return
    expected = np.nan_to_num(silhouette_samples(matrix, labels, metric="precomputed"))
    assert mean_silhouette(matrix, labels) == pytest.approx(expected.mean())


def test_a_medoid_is_in_its_own_group_even_beside_an_equal_one():
    matrix = np.zeros((4, 4))
    assert nearest_medoid(matrix, np.array([0, 2])).tolist() == [0, 0, 1, 0]


def test_groups_of_families():
    rng = np.random.default_rng(5)
    bases = [rng.integers(0, 3, 60) for _ in range(3)]
    labelings = []
    for k in range(18):
        labels = bases[k % 3].copy()
        labels[rng.integers(0, 60, 3)] = 0
        labelings.append(labels)
    e = Ensemble(labelings)
    found = e.groups()
    assert found.k == 3
    assert cv.rand(found.labels, np.arange(18) % 3) == 1
    assert found.sizes == [6, 6, 6]
    assert found.silhouette > 0.6
    assert e.groups(3).to_dict() == found.to_dict()
    assert found.labels[list(found.medoids)].tolist() == [0, 1, 2]
    inside = e.subset(found.members(1))
    assert len(inside) == 6
    block = np.flatnonzero(found.labels == 1)
    assert inside.distances.matrix == pytest.approx(e.distances.matrix[np.ix_(block, block)])
    assert inside.consensus().objective < 6 * e.spread
    assert math.isnan(e.groups(1).silhouette)
    assert Ensemble([[0, 1], [0, 1], [1, 0]]).groups().k == 1


@pytest.mark.parametrize("method", ["average", "complete", "single"])
def test_hierarchy_is_scipys(method):
    e = Ensemble(LABELINGS)
    found = e.hierarchy(method)
    tree = linkage(squareform(e.distances.matrix, checks=False), method)
    assert found.merges == pytest.approx(tree)
    for k in (1, 2, 3, 5):
        cut = found.cut(k)
        assert len(set(cut.tolist())) == k
        theirs = fcluster(tree, k, "maxclust")
        if theirs.max() == k:  # it has fewer groups where merges are tied
            assert cv.rand(cut, theirs) == 1
    assert sorted(found.order) == list(range(5))
    assert [len(row) for row in found.to_dict()["merges"]] == [4] * 4


def test_a_cut_has_as_many_groups_as_asked_for_despite_ties():
    e = Ensemble([[0, 0, 1], [0, 0, 1], [0, 0, 1], [0, 0, 1]])
    assert e.hierarchy().cut(3).tolist() in ([0, 0, 1, 2], [0, 1, 2, 2], [0, 1, 0, 2], [0, 1, 1, 2])


@settings(max_examples=80)
@given(matrices(), st.data())
def test_diverse_labelings_are_at_least_half_as_far_apart_as_can_be(matrix, data):
    k = data.draw(st.integers(2, len(matrix)))
    found = most_diverse(matrix, k).tolist()
    assert found == sorted(set(found))
    assert len(found) == k

    def least(some):
        return min(matrix[i, j] for i, j in combinations(some, 2))

    best = max(least(some) for some in combinations(range(len(matrix)), k))
    assert best / 2 <= least(found) <= best
    if least(found) == 0:
        return

    # No exchange raises the least distance, or the sum at the same least distance.
    def spread(some):
        return sum(matrix[i, j] for i, j in combinations(some, 2))

    for out in found:
        for into in set(range(len(matrix))) - set(found):
            swapped = [into if place == out else place for place in found]
            assert (least(swapped), spread(swapped)) <= (least(found), spread(found) + 1e-9)


def test_the_most_diverse_labelings():
    e = Ensemble(LABELINGS)
    pair = e.diverse(2)
    assert pair.least == pair.mean == e.distances.matrix.max()
    assert pair == pair
    assert e.diverse(2).indices == pair.indices
    assert e.diverse(1).least == 0
    assert e.diverse(5).names == e.names
    assert set(e.diverse(3).to_dict()) == {"names", "least", "mean"}


def test_summary_as_data_text_and_html():
    hostile = "<i>|\n`"
    e = Ensemble({**LABELINGS, hostile: LABELINGS["a"]})
    found = e.summary(2)
    data = json.loads(found.to_json())
    assert data["schema"] == "clustervet/ensemble/1"
    assert data["groups"]["k"] == 2
    assert data["medoid"]["name"] == e.medoid.name
    assert len(data["tree"]["merges"]) == 5
    assert set(data["map"]["points"]) == set(e.names)
    assert data["consensus"]["objective"] <= min(data["consensus"]["objectives"].values())
    text = repr(found)
    assert all(word in text for word in ("Medoid: ", "groups", "stress", "Consensus by"))
    assert hostile not in text
    assert "<i>" not in found._repr_html_()
    assert "<i>" not in found.to_markdown()
    columns = found.columns()
    assert {len(column) for column in columns.values()} == {6}
    assert columns["distance to b"][0] == e.distances.matrix[0, 1]
    rows = [line for line in text.splitlines() if line.startswith(("a ", "b ", "c "))]
    assert len(rows) == 6  # once in the table and once in the matrix


def test_summary_of_many_labelings_has_no_matrix_in_its_text():
    rng = np.random.default_rng(0)
    found = Ensemble(rng.integers(0, 2, (9, 6))).summary()
    matrix = found.document().tables[1]
    assert matrix.detail
    assert len(matrix.rows) == 9
    assert matrix.title not in repr(found)
    many = Ensemble(rng.integers(0, 2, (13, 6))).summary()
    assert len(many.document().tables) == 1
    assert found.names[0] == "labeling 1"


def test_summary_with_a_query_names_the_nearest_labelings():
    e = Ensemble(LABELINGS)
    alone = e.summary()
    found = Ensemble(LABELINGS).summary(query=LABELINGS["d"], nearest=2)
    assert found.nearest.names[0] == "d"
    assert len(found.nearest.names) == 2
    assert repr(found).splitlines()[-1].startswith("Nearest to the query: d (0), ")
    assert {**alone.to_dict(), "nearest": found.nearest.to_dict()} == found.to_dict()
    assert len(e.summary(query=LABELINGS["d"]).nearest.names) == 5
    for wrong in (0, 9):
        with pytest.raises(ParameterError, match="nearest must be a whole number between 1 and 5"):
            e.summary(query=LABELINGS["d"], nearest=wrong)
    with pytest.raises(ParameterError, match="groups must be a whole number between 1 and 5"):
        e.summary(6)


def test_labels_of_the_consensus_are_in_the_order_of_the_input():
    found = Ensemble([[0, None, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]], missing="drop").summary()
    assert found.labels() == [0, None, 1, 1]
    assert Ensemble([[0, 0, 1], [0, 0, 1]]).summary().labels() == [0, 0, 1]


RESULTS = {
    "distances": lambda e: e.distances,
    "medoid": lambda e: e.medoid,
    "groups": lambda e: e.groups(2),
    "one group": lambda e: e.groups(1),
    "hierarchy": lambda e: e.hierarchy(),
    "embedding": lambda e: e.embedding(4),
    "diverse": lambda e: e.diverse(3),
    "nearest": lambda e: e.nearest(LABELINGS["a"], 2),
    "stability": lambda e: e.stability(),
    "consensus": lambda e: e.consensus(),
    "summary": lambda e: e.summary(),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_shows_itself_in_every_form(name):
    found = RESULTS[name](Ensemble(LABELINGS))
    section = found.document()
    assert section.subject is found
    assert section.tables
    assert all(table.key.startswith(f"{section.key}-") for table in section.tables)
    assert len({len(column) for column in found.columns().values()}) == 1
    assert repr(found) == str(found) != ""
    assert "<table>" in found._repr_html_()
    assert json.loads(found.to_json()) == found.to_dict()
    assert len(found.to_csv().splitlines()) == 1 + len(found.to_frame("pandas"))
    assert found.to_markdown()
    assert found.to_latex()


def test_summary_of_equal_labelings():
    text = repr(Ensemble([[0, 1, 1]] * 3).summary())
    assert "groups" not in text
    assert "stress 0.000" in text


def test_a_terminal_sees_the_same(capsys):
    from rich.console import Console

    found = Ensemble(LABELINGS).summary()
    Console(width=120).print(found)
    out = capsys.readouterr().out
    assert "Medoid: " in out
    assert "mean distance" in out


def test_repr_says_what_is_in_it():
    assert repr(Ensemble(LABELINGS)) == (
        "<Ensemble: 5 labelings of 8 objects, 2 to 3 clusters each, by variation_of_information>"
    )


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Ensemble([[0, 1]]), LabelError, "one labeling has nothing to be compared with"),
        (lambda: Ensemble([]), LabelError, "no labelings"),
        (lambda: Ensemble([[0, 1], [0, 1, 1]]), LabelError, "must label the same objects"),
        (lambda: Ensemble([[0, None], [None, 0]], missing="drop"), LabelError, "no object"),
        (lambda: Ensemble([[0, None], [0, 0]]), LabelError, "no label for 1 of 2 objects"),
        (
            lambda: Ensemble([[0, None], [None, 0]], shared=True).medoid,
            LabelError,
            "no object|in common",
        ),
        (lambda: Ensemble([[0], [0]], measure="nix"), UnknownMeasureError, "no measure 'nix'"),
        (lambda: Ensemble([[0], [0]], measure="silhouette"), ParameterError, "needs features"),
        (lambda: Ensemble([[0], [0]], names=["a", "a"]), ParameterError, "2 different names"),
        (lambda: Ensemble([[0], [0]], names=["a"]), ParameterError, "1 were given"),
        (lambda: Ensemble([[0], [0]], weights=[1]), ParameterError, r"shape \(1,\)"),
        (lambda: Ensemble([[0], [0]], weights=[1, -1]), ParameterError, "not negative"),
        (lambda: Ensemble([[0], [0]], weights=[0, 0]), ParameterError, "not all zero"),
        (lambda: Ensemble([[0], [0]], weights="ab"), ParameterError, "must be numbers"),
        (
            lambda: Ensemble(LABELINGS).groups(6),
            ParameterError,
            "k must be a whole number between 1 and 5",
        ),
        (
            lambda: Ensemble(LABELINGS).diverse(0),
            ParameterError,
            "k must be a whole number between 1 and 5",
        ),
        (lambda: Ensemble(LABELINGS).diverse(True), ParameterError, "not True"),
        (
            lambda: Ensemble(LABELINGS).hierarchy("ward"),
            ParameterError,
            "'average', 'complete' or 'single', not 'ward'",
        ),
        (lambda: Ensemble(LABELINGS).hierarchy().cut(9), ParameterError, "between 1 and 5"),
        (lambda: Ensemble(LABELINGS).subset(["a"]), LabelError, "nothing to be compared with"),
        (lambda: Ensemble(LABELINGS).subset(["a", "z"]), ParameterError, "no labeling 'z'"),
        (lambda: Ensemble(LABELINGS).partition(5), ParameterError, "between 0 and 4"),
        (lambda: Ensemble(LABELINGS).stability(2), ParameterError, "of at least 3, not 2"),
        (lambda: Ensemble(LABELINGS).stability(confidence=1), ParameterError, "between 0 and 1"),
    ],
)
def test_refusals(build, error, message):
    with pytest.raises(error, match=message) as caught:
        build()
    assert isinstance(caught.value, ClustervetError)
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize(
    "use",
    [
        lambda e: e.medoid,
        lambda e: e.spread,
        lambda e: e.diverse(2),
        lambda e: e.groups(2),
        lambda e: e.hierarchy(),
        lambda e: e.embedding(),
        lambda e: e.summary(),
    ],
)
@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        ("adjusted_rand", "adjusted_rand is a similarity"),
        ("conditional_entropy", "the same both ways, and conditional_entropy is not"),
    ],
)
def test_what_needs_a_distance_refuses_other_measures(use, measure, reason):
    e = Ensemble(LABELINGS, measure=measure)
    assert e.distances.matrix.shape == (5, 5)
    with pytest.raises(ParameterError, match=reason):
        use(e)


def test_measures_other_than_the_first_group_and_map_too():
    e = Ensemble(LABELINGS, measure="van_dongen")
    assert e.groups(2).k == 2
    assert e.embedding().stress < 0.5
    assert e.summary().consensus.measure.key == "variation_of_information"


def test_labelings_without_a_common_object_have_no_map():
    holed = {"a": [0, 1, None, None], "b": [None, None, 0, 1], "c": [0, 1, 0, 1]}
    with pytest.raises(LabelError, match="'a' and 'b' have no labelled object in common"):
        Ensemble(holed, shared=True).embedding()


def test_a_distance_without_a_value_gives_no_map():
    @cv.measure(title="Picky", family="own", better="lower", bounds=(0, 1), symmetric=True)
    def picky(table):
        """It has no value for a clustering of one cluster."""
        return math.nan if min(table.shape) == 1 else 0.5

    try:
        e = Ensemble({"a": [0, 1, 1], "b": [0, 0, 1], "c": [0, 0, 0]}, measure="picky")
        with pytest.raises(LabelError, match=r"^picky is undefined between 'a' and 'c'"):
            e.embedding()
    finally:
        cv.measures.remove("picky")
