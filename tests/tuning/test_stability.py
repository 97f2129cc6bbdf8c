"""Which clusters come back in samples; prediction strength and instability of clusterers."""

from __future__ import annotations

import json
import math
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import csr_matrix
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.ensemble.cluster_stability import best_matches
from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.fitting.algorithms import read_algorithm
from clustervet.geometry.metrics import read_metric
from clustervet.tuning.resampled import (
    RESAMPLED,
    disagreement,
    prediction_strength,
    resampled,
    usual_rule,
)
from clustervet.tuning.rules import find_cutoff

R = json.loads((Path(__file__).parent / "r_stability.json").read_text())
IRIS = np.array(R["points"])
RNG = np.random.default_rng(5)
X = np.concatenate([RNG.normal(c, 1, (40, 2)) for c in ((0, 0), (15, 0), (0, 15))])
Y = np.repeat([0, 1, 2], 40)
QUIET = {"samples": 10, "progress": False, "random_state": 0}


def partial_labels(fit):
    """The labels of a sample as labels of all objects, missing where it has none."""
    labels = np.full(len(IRIS), None, object)
    labels[fit["rows"]] = fit["labels"]
    return labels


@pytest.mark.parametrize("how", ["boot", "subset"])
def test_jaccards_equal_those_of_clusterboot(how):
    held = R["boot"][how]
    first, *samples = held["fits"]
    found = cv.stability([partial_labels(fit) for fit in samples], labels=partial_labels(first))
    value = held["value"]
    # fpc gives 0 to a cluster without objects in a sample; here that sample says nothing.
    jaccards = np.array(value["jaccards"])
    lacking = np.isnan(found.jaccards)
    assert (jaccards[lacking] == 0).all()
    np.testing.assert_allclose(found.jaccards[~lacking], jaccards[~lacking], rtol=1e-14)
    for k, cluster in enumerate(found.clusters):
        if not lacking[k].any():
            assert cluster.jaccard == pytest.approx(value["mean"][k], rel=1e-14)
            assert cluster.dissolved * 12 == pytest.approx(value["dissolved"][k])
            assert cluster.recovered * 12 == pytest.approx(value["recovered"][k])
    assert not lacking.all(axis=1).any()


@pytest.mark.parametrize("rule", ["average", "knn"])
def test_prediction_strength_equals_that_of_fpc(rule):
    held = R["strength"][{"average": "averagedist"}.get(rule, rule)]
    fits = iter(held["fits"])
    for values in held["value"]:
        for value in values:
            one, two = next(fits), next(fits)
            found = []
            for mine, other in ((one, two), (two, one)):
                predicted = cv.assign(
                    IRIS[other["rows"]], other["labels"], IRIS[mine["rows"]], rule, noise=None
                )
                found.append(prediction_strength(np.array(mine["labels"]), predicted))
            assert sum(found) / 2 == pytest.approx(value, rel=1e-12)
    assert next(fits, None) is None


def test_instability_is_that_of_fang_and_wang_which_fpc_halves():
    """fpc counts pairs that are together in the first clustering and apart in the second alone."""
    held = R["instability"]
    fits = iter(held["fits"])
    for column in zip(*held["value"], strict=True):
        for value in column:
            given = []
            for fit in (next(fits), next(fits)):
                # A point counts once, and points of a sample keep its clusters.
                rows, first = np.unique(fit["rows"], return_index=True)
                held_labels = np.array(fit["labels"])[first]
                found = cv.assign(IRIS[rows], held_labels, IRIS, "average", noise=None)
                found[rows] = held_labels
                given.append(found)
            table = cv.Contingency.from_labels(*given).counts
            one_sided = ((table.sum(axis=1) ** 2).sum() - (table**2).sum()) / len(IRIS) ** 2
            other = ((table.sum(axis=0) ** 2).sum() - (table**2).sum()) / len(IRIS) ** 2
            assert disagreement(*given) == pytest.approx(one_sided + other, rel=1e-12)
            assert one_sided == pytest.approx(value, rel=1e-12)


labels = st.lists(st.integers(-1, 4), min_size=1, max_size=30)


@given(st.data())
def test_best_matches_are_those_of_sets(data):
    own = np.array(data.draw(labels))
    others = np.array(data.draw(st.lists(st.integers(-1, 4), min_size=len(own), max_size=len(own))))
    best, index = best_matches(own, others, 5)
    for k in range(5):
        mine = {i for i, label in enumerate(own.tolist()) if label == k}
        theirs = [{i for i, c in enumerate(others.tolist()) if c == j} for j in range(5)]
        if not mine:
            assert math.isnan(index[k])
            continue
        values = [Fraction(len(mine & one), len(mine | one)) for one in theirs]
        assert index[k] == float(max(values))
        assert best[k] == (values.index(max(values)) if max(values) else -1)


@given(st.data())
def test_strength_and_disagreement_are_shares_of_pairs(data):
    n = data.draw(st.integers(2, 12))
    one, two = (
        np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))) for _ in "ab"
    )
    pairs = [(i, j) for i in range(n) for j in range(n)]
    apart = sum((one[i] == one[j]) != (two[i] == two[j]) for i, j in pairs)
    assert disagreement(one, two) == pytest.approx(float(Fraction(apart, n * n)))
    shares = []
    for k in set(one.tolist()):
        held = [(i, j) for i, j in pairs if i != j and one[i] == one[j] == k]
        together = sum(two[i] == two[j] for i, j in held)
        shares.append(Fraction(int(together), len(held)) if held else Fraction(1))
    assert prediction_strength(one, two) == pytest.approx(float(min(shares)))


@given(
    st.permutations(range(6)),
    st.lists(st.lists(st.integers(0, 2), min_size=6, max_size=6), min_size=1, max_size=3),
)
def test_a_clustering_is_fully_stable_beside_itself_under_other_names(order, runs):
    truth = [0, 0, 1, 1, 2, 2]
    renamed = [[order[label] for label in truth] for _ in runs]
    found = cv.stability(renamed, labels=truth)
    assert [cluster.jaccard for cluster in found.clusters] == [1, 1, 1]
    assert (found.objects == 1).all()
    assert found.verdict == "All 3 clusters are stable."
    again = cv.stability(runs, labels=truth)
    assert all(0 < cluster.jaccard <= 1 for cluster in again.clusters)


@pytest.mark.parametrize("how", [None, "subset", "bootstrap", "jitter"])
def test_separate_groups_are_stable(how):
    found = cv.stability(KMeans(3, n_init=3), X, how=how, **QUIET)
    assert all(cluster.stable and cluster.verdict == "highly stable" for cluster in found.clusters)
    assert found.samples == 10
    assert np.nanmin(found.objects) == 1


def test_the_halves_of_a_group_are_unstable():
    found = cv.stability("kmeans", X, clusters=4, samples=60, random_state=1, progress=False)
    owners = [int(Y[found.labels == k][0]) for k in range(4)]
    halves = [owners.count(owner) == 2 for owner in owners]
    assert [not cluster.stable for cluster in found.clusters] == halves
    assert found.verdict.startswith("2 of 4 clusters are stable; unstable: ")
    moved = int((found.objects < 0.5).sum())
    assert ("in more than half of the samples" in repr(found)) == (moved > 0)


def cut(points):
    return fcluster(linkage(points, "average"), 3, "maxclust")


def seeded(points, random_state):
    return [
        f"c{label}" for label in KMeans(3, n_init=1, random_state=random_state).fit_predict(points)
    ]


@pytest.mark.parametrize(
    ("clusterer", "points", "options"),
    [
        (KMeans, X, {"clusters": 3}),
        (AgglomerativeClustering(3), X, {}),
        (make_pipeline(StandardScaler(), KMeans(3, n_init=3)), X, {}),
        (make_pipeline(StandardScaler(), KMeans(8, n_init=3)), X, {"clusters": None, "share": 0.9}),
        ("average", squareform(pdist(X)), {"clusters": 3, "metric": "precomputed"}),
        ("average", X, {"clusters": 3, "metric": "manhattan"}),
        (KMeans(3, n_init=3), csr_matrix(X), {}),
        (KMeans(3, n_init=3), pd.DataFrame(X), {"standardize": True}),
        (DBSCAN(eps=3), X, {}),
        (cut, X, {}),
        (seeded, X, {}),
    ],
)
def test_any_clusterer_and_any_points(clusterer, points, options):
    found = cv.stability(clusterer, points, **QUIET, **options)
    assert found.samples == 10
    assert len(found.clusters) in (3, 8)
    assert pickle.loads(pickle.dumps(found)).verdict == found.verdict


def test_the_same_for_any_number_of_jobs_and_again():
    one = cv.stability(KMeans(4, n_init=1), X, **QUIET)
    two = cv.stability(KMeans(4, n_init=1), X, n_jobs=2, **QUIET)
    np.testing.assert_array_equal(one.jaccards, two.jaccards)
    np.testing.assert_array_equal(one.objects, two.objects)
    other = cv.stability(KMeans(4, n_init=1), X, **{**QUIET, "random_state": 1})
    assert (one.jaccards != other.jaccards).any()


def test_given_labels_are_judged_by_samples():
    names = np.array(["a", "b", "c"])[Y]
    found = cv.stability("ward", X, names, clusters=3, **QUIET)
    assert found["b"].jaccard == 1
    assert found.names == ["a", "b", "c"]
    split = np.where(np.arange(len(Y)) % 2, Y, -Y - 10).astype(str)
    halved = cv.stability("ward", X, split, clusters=3, **QUIET)
    assert all(cluster.jaccard == pytest.approx(0.5, abs=0.1) for cluster in halved.clusters)
    assert halved.verdict == "None of the 6 clusters is stable."


def test_noise_is_no_cluster_and_may_be_named():
    noisy = np.where(np.arange(len(Y)) % 10 == 0, -1, Y)
    found = cv.stability([Y, Y], labels=noisy)
    assert found.names == [0, 1, 2]
    assert np.isnan(found.objects[::10]).all()
    assert all(cluster.jaccard == pytest.approx(0.9) for cluster in found.clusters)
    # Noise in a run is there, but in no cluster.
    other = cv.stability([noisy], labels=Y)
    assert all(cluster.jaccard == pytest.approx(0.9) for cluster in other.clusters)
    assert cv.stability([Y, Y], labels=noisy, noise=None).names == [-1, 0, 1, 2]
    told = f"{int((noisy == -1).sum())} objects are noise, and in no cluster."
    assert told in repr(cv.stability([Y, Y], labels=noisy))
    assert "are noise" not in repr(cv.stability([Y, Y], labels=noisy, noise=None))
    everything = cv.stability([np.full(len(Y), -1)], labels=Y)
    assert [cluster.jaccard for cluster in everything.clusters] == [0, 0, 0]


def test_labelings_beside_the_medoid_or_one_of_them():
    runs = {"first": [0, 0, 1, 1], "second": [1, 1, 0, 0], "third": [0, 0, 0, 1]}
    found = cv.stability(runs)
    assert found.how == "2 labelings beside first"
    assert found.clusters[0].jaccard == pytest.approx((1 + 2 / 3) / 2)
    assert cv.stability(cv.Ensemble(runs)).to_dict() == found.to_dict()
    assert cv.stability(cv.Ensemble(runs).labelings, labels="third").how.endswith("beside third")
    assert cv.stability(pd.DataFrame(runs), labels=2).how.endswith("beside third")
    array = cv.stability(np.array(list(runs.values())), labels=[5, 5, 6, 6])
    assert array.how == "3 labelings"
    assert array.samples == 3


def test_what_is_written(tmp_path):
    found = cv.stability([[0, 0, 1, 1], [0, 0, 1, 2]], labels=["a", "a", "b", "b"])
    assert found.to_dict()["clusters"][1] == {
        **{"cluster": "b", "size": 2, "jaccard": 0.75, "low": 0.525, "high": 0.975},
        **{"dissolved": 0.5, "recovered": 0.5, "samples": 2, "verdict": "stable"},
    }
    assert found.to_frame().shape == (2, 9)
    assert found.listed_objects()["cluster"] == ["a", "a", "b", "b"]
    (figure,) = cv.plots.figures(found)
    assert figure.layout.meta["title"] == found.verdict
    cv.write_report(found, tmp_path / "report.html")
    assert "Hennig" in (tmp_path / "report.html").read_text()


def test_samples_that_fail_are_counted():
    calls = []

    def moody(points):
        calls.append(len(points))
        if len(calls) % 3 == 0:
            raise ValueError("not today")
        return cut(points)

    found = cv.stability(moody, X, **QUIET)
    assert found.failed == {"not today": 3}
    assert found.samples == 7
    assert "3 samples left out: not today." in repr(found)


BAD = {
    "no points": (lambda: cv.stability("kmeans", clusters=3), FeatureError, "needs X"),
    "points beside labelings": (lambda: cv.stability([Y], X), ParameterError, "without X"),
    "no number": (lambda: cv.stability("kmeans", X), ParameterError, "number of clusters"),
    "unknown how": (
        lambda: cv.stability("kmeans", X, how="boot", clusters=2),
        ParameterError,
        "how",
    ),
    "one sample": (
        lambda: cv.stability("kmeans", X, samples=1, clusters=2),
        ParameterError,
        "samples",
    ),
    "no share": (lambda: cv.stability("kmeans", X, share=2, clusters=2), ParameterError, "share"),
    "two points": (lambda: cv.stability("kmeans", X[:2], clusters=2), FeatureError, "at least 3"),
    "sparse jitter": (
        lambda: cv.stability("kmeans", csr_matrix(X), how="jitter", clusters=2),
        ParameterError,
        "dense",
    ),
    "distances moved": (
        lambda: cv.stability(
            "average", squareform(pdist(X)), metric="precomputed", how="jitter", clusters=2
        ),
        ParameterError,
        "features",
    ),
    "function with a number": (
        lambda: cv.stability(cut, X, clusters=2),
        ParameterError,
        "function",
    ),
    "few labels": (lambda: cv.stability(KMeans(2), X, Y[:9]), LabelError, "9 labels"),
    "only noise": (lambda: cv.stability(KMeans(2), X, np.full(120, -1)), LabelError, "no cluster"),
    "one labeling": (lambda: cv.stability([Y]), LabelError, "at least two"),
    "other lengths": (lambda: cv.stability([Y, Y[:3]], labels=Y), LabelError, "3 labels"),
    "no such labeling": (
        lambda: cv.stability({"a": Y, "b": Y}, labels="c"),
        ParameterError,
        "labels",
    ),
    "flat labels": (lambda: cv.stability(Y), LabelError, "matrix"),
    "refused": (
        lambda: cv.stability(lambda points: 1 / 0, X, progress=False),
        ParameterError,
        "division by zero",
    ),
    "samples too small": (
        lambda: cv.stability(KMeans(110, n_init=1), X, how="subset", share=0.1, **QUIET),
        ParameterError,
        "refuses all samples",
    ),
}


@pytest.mark.parametrize(("call", "error", "words"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_sentence(call, error, words):
    with pytest.raises(error, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_tune_by_samples():
    found = cv.tune("kmeans", X, values=range(2, 6), measures=list(RESAMPLED), random_state=0)
    assert [choice.value for choice in found.choices.values()] == [3, 3, 3]
    assert found.suggestion == 3
    assert found.reference.statistics.keys() == {"silhouette"}
    assert "mean over 20 pairs of samples, clustered again" in repr(found)
    assert "ambiguous_pairs: 100 samples of 80% of the points, clustered again" in repr(found)
    assert pickle.loads(pickle.dumps(found)).verdict == found.verdict
    flat = cv.tune(
        "kmeans", RNG.uniform(size=(90, 3)), values=range(2, 5), measures="prediction_strength"
    )
    assert flat.suggestion is None
    assert "one cluster is" in flat.verdict


def test_tune_by_samples_of_distances_and_of_labels_made_before():
    asked = {"prediction_strength": {"splits": 3, "how": "average"}, "silhouette": {}}
    square = squareform(pdist(X))
    found = cv.tune("average", square, values=[2, 3, 4], metric="precomputed", measures=asked)
    assert found.curves["prediction_strength"][1] == 1
    fixed = cv.tune({2: Y > 0, 3: Y}, X, measures=asked)
    assert fixed.reasons["prediction_strength"] == ["labels are given for these points alone"] * 2
    with pytest.raises(ParameterError, match="splitz"):
        cv.tune("kmeans", X, measures={"instability": {"splitz": 3}})
    with pytest.raises(ParameterError, match="how"):
        cv.tune("kmeans", X, measures={"instability": {"how": "near"}})
    with pytest.raises(ParameterError, match="cutoff reads prediction_strength"):
        cv.tune("kmeans", X, rules={"silhouette": "cutoff"})


def test_ambiguous_pairs_are_those_of_the_consensus_matrix():
    made, drawn = [], np.arange(len(X), dtype=float)[:, None]

    def cluster(points):
        rows = points[:, 0].astype(int)
        labels = (rows + len(made)) % 7 // 3  # another clustering in each sample
        labels[rows % 11 == 0] = -1
        made.append((rows, labels))
        return labels

    record, metric = RESAMPLED["ambiguous_pairs"], read_metric("euclidean")
    algorithm = read_algorithm("kmeans", None)
    options = {"samples": 25, "share": 0.6}
    found = resampled(drawn, cluster, algorithm, metric, record, options)
    together, both = np.zeros((2, len(X), len(X)))
    for rows, labels in made:
        held = rows[labels >= 0]
        both[np.ix_(held, held)] += 1
        for k in range(3):
            mine = rows[labels == k]
            together[np.ix_(mine, mine)] += 1
    pairs = np.triu(both, 1) > 0
    consensus = together[pairs] / both[pairs]
    assert len(made) == 25
    assert {len(rows) for rows, _ in made} == {round(0.6 * len(X))}
    assert found.value == pytest.approx(((consensus > 0.1) & (consensus <= 0.9)).mean(), abs=1e-12)
    with pytest.raises(ParameterError, match="share must lie between 0 and 1"):
        cv.tune("kmeans", X, values=[2], measures={"ambiguous_pairs": {"share": 2}})


def test_samples_without_clusters_have_no_value():
    algorithm, metric = read_algorithm("dbscan", None), read_metric("euclidean")
    noise = resampled(
        X, lambda points: np.full(len(points), -1), algorithm, metric, RESAMPLED["instability"], {}
    )
    assert math.isnan(noise.value)
    assert "no cluster" in noise.why
    failed = resampled(X, lambda points: "no", algorithm, metric, RESAMPLED["instability"], {})
    assert failed.why == "a sample of the points: no"


@pytest.mark.parametrize(
    ("name", "metric", "rule"),
    [
        ("kmeans", "euclidean", "centroid"),
        ("ward", "euclidean", "centroid"),
        ("gmm", "euclidean", "centroid"),
        ("single", "euclidean", "knn"),
        ("dbscan", "euclidean", "knn"),
        ("average", "manhattan", "knn"),
    ],
)
def test_the_usual_rule_for_points_left_out(name, metric, rule):
    assert usual_rule(read_algorithm(name, None, metric), read_metric(metric)) == rule


def test_the_cutoff_rule():
    assert find_cutoff([2, 3, 4], [0.9, math.nan, 0.5]).value == 2
    assert (
        find_cutoff([2, 3, 4], [0.9, 0.8, 0.85]).why
        == "the best value lies at the end of the range"
    )
    assert find_cutoff([2, 3], [math.nan, math.nan]).index is None


def test_clusters_of_the_suggestion_in_samples():
    found = cv.tune("kmeans", X, values=range(2, 6), bootstrap=4, random_state=0)
    at = found.stability.clusters[found.values.index(3)]
    assert [cluster.jaccard for cluster in at.clusters] == [1, 1, 1]
    assert "Clusters at 3, the least stable first" in repr(found)


def test_mixtures_get_more_points():
    wide = np.concatenate([RNG.normal(c, 1, (150, 4)) for c in (0, 20)])
    few = cv.stability("kmeans", wide, clusters=2, **QUIET)
    more = cv.stability("gmm", wide, clusters=2, **QUIET)
    assert "samples of 20 points" in few.how
    assert "samples of 30 points" in more.how


def test_samples_of_dense_regions_are_less_dense():
    assert "less dense than the data" in repr(cv.stability(DBSCAN(eps=3), X, **QUIET))
    moved = cv.stability(DBSCAN(eps=3), X, how="jitter", **QUIET)
    assert moved.remark == cv.stability(cut, X, **QUIET).remark == ""


def test_a_name_near_to_that_of_a_measure_is_suggested():
    with pytest.raises(ParameterError, match=r"did you mean prediction_strength\?"):
        cv.tune("kmeans", X, measures=["silhouette", "prediction_strenght"])


def test_stability_of_labelings_by_the_names_of_their_objects():
    runs = [{"x": 0, "y": 0, "z": 1, "w": 1}, [{"w", "z"}, {"y"}, {"x"}], [{"x", "y"}, {"w", "z"}]]
    rows = [[0, 0, 1, 1], [2, 1, 0, 0], [0, 0, 1, 1]]
    truth = {"w": "b", "z": "b", "y": "a", "x": "a"}
    found = cv.stability(runs, labels=truth)
    assert found.columns() == cv.stability(rows, labels=list("aabb")).columns()
    assert found.listed_objects()["object"] == ["x", "y", "z", "w"]
    fewer = cv.stability([runs[0], {"z": 0, "y": 1}], labels=0).listed_objects()
    assert fewer["stayed"] == [None, 1.0, 1.0, None]
    with pytest.raises(LabelError, match="a labeling names its objects and labels does not"):
        cv.stability(runs, labels=list("aabb"))
