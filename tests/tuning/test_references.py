"""References: data without clusters, p-values against them, and outlying points."""

from __future__ import annotations

import importlib.util
import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import pairwise_distances

from clustervet.errors import ParameterError
from clustervet.geometry.nulls import Falling, Nulls, OneMode
from clustervet.tuning import references, tune
from clustervet.tuning.references import joint_p_values, outlying_points

STUDY = Path(__file__).parents[2] / "studies" / "tuning_accuracy.py"
RNG = np.random.default_rng(5)
BLOBS = np.concatenate([RNG.normal(c, 1, (40, 2)) for c in ((0, 0), (9, 0), (0, 9))])


@pytest.fixture(autouse=True)
def _same_numbers():
    """Give every test the same random numbers, whatever ran before it."""
    RNG.bit_generator.state = np.random.default_rng(6).bit_generator.state


def majorant(values, at):
    """The least concave majorant of the empirical distribution on [0, inf), by brute force."""
    xs = [Fraction(0), *sorted({Fraction(float(x)) for x in values})]
    heights = [Fraction(sum(Fraction(float(v)) <= x for v in values), len(values)) for x in xs]
    if min(values) > 0:
        heights[0] = Fraction(0)
    x = Fraction(float(at))
    chords = [
        ya + (yb - ya) * (x - xa) / (xb - xa)
        for (xa, ya), (xb, yb) in itertools.combinations(zip(xs, heights, strict=True), 2)
        if xa <= x <= xb and xb > xa
    ]
    return float(max(chords))


@pytest.mark.parametrize("zeros", [0, 3])
def test_a_falling_density_is_the_least_concave_majorant(zeros):
    values = np.append(RNG.gamma(2, size=12), np.zeros(zeros))
    fitted = Falling.fit(values)
    for at in [*values, *RNG.uniform(0, values.max(), 10)]:
        assert fitted.below(np.array([at]))[0] == pytest.approx(majorant(values, at), abs=1e-12)


def test_tails_go_further_out_than_the_values_as_heavily_as_they_do():
    shares = np.linspace(0.0005, 0.9995, 1000)
    light = np.sort(RNG.uniform(size=400))
    heavy = np.sort(RNG.pareto(1.5, size=400))
    assert Falling.fit(light).at(shares).max() < 1.5
    found = Falling.fit(heavy).at(shares)
    assert found.max() > 5 * np.quantile(heavy, 0.95)
    assert np.quantile(found, 0.5) == pytest.approx(np.median(heavy), rel=0.3)


def test_two_modes_become_one_without_a_gap():
    values = np.concatenate([RNG.normal(0, 1, 150), RNG.normal(12, 1, 150)])
    found = OneMode.fit(values).at(np.linspace(0.001, 0.999, 999))
    assert (np.diff(found) >= 0).all()
    assert not ((values > 4) & (values < 8)).any()
    assert np.mean((found > 4) & (found < 8)) > 0.1
    assert (found.min(), found.max()) == pytest.approx((values.min(), values.max()), abs=3)


@pytest.mark.parametrize("shape", [(120, 1), (120, 3), (40, 150)])
def test_references_have_the_shape_and_scale_of_the_data(shape):
    points = RNG.normal(size=shape) * np.geomspace(1, 50, shape[1])
    nulls = Nulls(points)
    assert len(nulls.kinds) == (4 if shape[1] == 1 else 5)
    for kind in nulls.kinds:
        drawn = nulls.draw(kind, np.random.default_rng(0))
        assert drawn.shape == shape
        assert np.isfinite(drawn).all()
        assert np.median(drawn.std(axis=0) / points.std(axis=0)) == pytest.approx(1, abs=1)


def test_counts_stay_counts_and_steps_stay_steps():
    counts = RNG.poisson(2, (200, 2)) * 1.0
    tenths = np.round(RNG.normal(5, 0.5, (200, 1)), 1)
    points = np.hstack([counts, tenths])
    for kind in Nulls(points).kinds:
        drawn = Nulls(points).draw(kind, np.random.default_rng(0))
        assert (drawn[:, :2] == np.rint(drawn[:, :2])).all()
        assert drawn[:, :2].min() >= 0
        assert np.allclose(drawn[:, 2] * 10, np.rint(drawn[:, 2] * 10))
    one_mode = Nulls(points).draw("one mode in each feature", np.random.default_rng(0))
    assert one_mode[:, 0].mean() == pytest.approx(2, abs=0.4)
    assert one_mode[:, 0].var() == pytest.approx(2, abs=0.8)


def test_a_feature_that_is_constant_has_no_grid():
    points = np.column_stack([np.full(50, 0.5), RNG.poisson(2, 50)])
    for kind in Nulls(points).kinds:
        drawn = Nulls(points).draw(kind, np.random.default_rng(0))
        assert drawn[:, 0] == pytest.approx(np.full(50, 0.5))
        assert (drawn[:, 1] == np.rint(drawn[:, 1])).all()


def test_references_for_what_reads_counts_are_nowhere_negative():
    points = RNG.exponential(size=(100, 2))
    for kind in Nulls(points).kinds:
        usual = Nulls(points).draw(kind, np.random.default_rng(0))
        drawn = Nulls(points, positive=True).draw(kind, np.random.default_rng(0))
        assert (drawn == np.maximum(usual, 0)).all()
    assert Nulls(points).draw("one Gaussian", np.random.default_rng(0)).min() < 0


def test_references_keep_correlations():
    factor = RNG.normal(size=(300, 1))
    points = np.exp(0.5 * (factor + 0.4 * RNG.normal(size=(300, 3))))
    for kind in ("one Gaussian", "elliptical with the tails of the data"):
        drawn = Nulls(points).draw(kind, np.random.default_rng(0))
        assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(np.corrcoef(points.T)[0, 1], abs=0.15)
    drawn = Nulls(points).draw("one mode in each feature", np.random.default_rng(0))
    ranks = [
        np.corrcoef(np.argsort(np.argsort(x, axis=0), axis=0).T)[0, 1] for x in (drawn, points)
    ]
    assert ranks[0] == pytest.approx(ranks[1], abs=0.15)


def test_joint_p_values_are_exact_where_data_and_sets_are_exchangeable():
    for _ in range(20):
        table = RNG.normal(size=(20, 4)) ** 3
        table[RNG.uniform(size=table.shape) < 0.05] = np.nan
        least = [
            joint_p_values(table[k], np.delete(table, k, axis=0)).min() for k in range(len(table))
        ]
        for j in range(1, 21):
            assert sum(p <= j / 20 + 1e-9 for p in least) <= j


def test_a_suggestion_has_a_p_value_and_says_so():
    found = tune("kmeans", BLOBS, values=range(2, 7), random_state=0)
    assert (found.voted, found.suggestion) == (3, 3)
    assert found.p_value == found.reference.p_value <= 0.05
    assert set(found.reference.p_values) == set(found.curves)
    assert "without clusters: p <" in repr(found)
    assert found.document().lead[1] in found.document().notes
    data = found.to_dict()
    assert data["p_value"] == found.p_value
    assert data["reference"]["level"] == 0.05
    assert data["reference"]["kind"] == found.reference.kind
    assert sum(data["reference"]["sets"].values()) == found.reference.total


def test_measures_that_agree_on_a_square_are_no_reason():
    turned = np.random.default_rng(1).uniform(size=(150, 2)) * [3, 1] @ [[0.8, -0.6], [0.6, 0.8]]
    found = tune("kmeans", turned, values=range(2, 7), random_state=0)
    assert found.voted is not None
    assert found.suggestion is None
    assert found.p_value > 0.05
    assert found.why.startswith("the curves look like those of data without clusters (p = ")
    with pytest.raises(ParameterError, match="look like those of data without clusters"):
        found.best_labels()


def test_without_references_nothing_is_suggested_and_that_is_said():
    found = tune("kmeans", BLOBS, values=range(2, 7), references=0, random_state=0)
    assert (found.voted, found.suggestion, found.reference) == (3, None, None)
    assert found.why.endswith("data without clusters: no references were asked for")
    with pytest.raises(ParameterError, match="references must be 0 or at least 19, not 5"):
        tune("kmeans", BLOBS, references=5)


def test_points_that_are_all_equal_have_no_reference():
    found = tune(KMeans(n_init=1), np.ones((20, 2)), values=[2, 3], random_state=0)
    assert found.suggestion is None


def test_some_points_that_are_all_equal_have_no_reference():
    points = np.zeros((1000, 2))
    points[:2], points[2:4] = (1, 5), (7, 7)
    found = tune("ward", points, values=range(2, 7), measures=["ssq"], random_state=1)
    assert (found.voted, found.suggestion, found.reference) == (3, None, None)
    assert found.unreferenced == "all points are equal"
    assert found.why.endswith("data without clusters: all points are equal")


def test_some_points_that_the_clusterer_refuses_have_no_reference():
    class Large(KMeans):
        def fit_predict(self, points, y=None):
            if len(points) < 350:
                raise ValueError("too few points.")
            return super().fit_predict(points)

    many = np.concatenate([RNG.normal(c, 1, (120, 2)) for c in ((0, 0), (12, 0), (0, 12))])
    found = tune(Large(n_init=1), many, values=range(2, 6), measures=["silhouette"], random_state=0)
    assert (found.voted, found.suggestion) == (3, None)
    assert found.unreferenced == "the measures have no value on the points that are compared"


def test_very_many_features_have_no_reference(monkeypatch):
    monkeypatch.setattr(references, "MOST", 2 * len(BLOBS) - 1)
    found = tune("ward", BLOBS, values=range(2, 6), measures=["silhouette"])
    assert (found.voted, found.suggestion) == (3, None)
    assert found.unreferenced == "there are too many features to draw data without clusters"
    monkeypatch.setattr(references, "MOST", 2 * len(BLOBS))
    assert tune("ward", BLOBS, values=range(2, 6), measures=["silhouette"]).suggestion == 3


def test_a_measure_whose_values_do_not_compare_is_clear_against_nothing():
    found = tune("ward", BLOBS, values=range(2, 6), measures=["silhouette", "single_linkage"])
    assert math.isnan(found.reference.statistics["single_linkage"])
    assert found.reference.p_values["single_linkage"] == 1
    assert found.reference.p_values["silhouette"] <= references.LEVEL


def test_a_measure_that_has_a_value_at_one_cluster_tells_what_it_gains():
    found = tune("ward", BLOBS, values=range(2, 6), measures={"bic": {"covariance": "spherical"}})
    (line,) = found._reference_lines()
    mine, (_, most) = found.reference.statistics["bic"], found.reference.expected["bic"]
    assert mine > most
    assert line.endswith(f"gain of bic over one cluster {mine:.4g}, there at most {most:.4g}).")


def test_distances_are_compared_too():
    options = {"values": range(2, 6), "metric": "precomputed"}
    found = tune("average", pairwise_distances(BLOBS), **options)
    assert found.suggestion == 3
    assert found.p_value <= 0.05


def test_many_points_are_compared_by_some_of_them():
    many = np.concatenate([RNG.normal(c, 1, (200, 2)) for c in ((0, 0), (12, 0))])
    found = tune("ward", many, values=range(2, 6), measures=["silhouette", "ssq"])
    assert found.suggestion == 2
    assert found.reference.points == 300
    assert "sets of 300 points without clusters" in repr(found)


def test_outlying_points_are_no_cluster():
    cloud = np.random.default_rng(0).normal(size=(150, 2))
    far = np.array([[40.0, 0], [55, 2], [48, -12]])
    found = tune("kmeans", np.vstack([cloud, far]), values=range(2, 7), random_state=0)
    assert found.voted == 2
    assert found.suggestion is None
    assert found.why == "n_clusters = 2 separates 3 outlying points from the rest"
    assert "No suggestion: n_clusters = 2 separates 3 outlying points" in repr(found)
    assert found.to_dict()["outlying"] == [3, 1]


def test_a_small_dense_group_is_a_cluster():
    points = np.vstack([RNG.normal(size=(190, 2)), RNG.normal(20, 0.2, (10, 2))])
    labels = np.repeat([0, 1], [190, 10])
    assert outlying_points(points, labels, False) == (0, 0)
    points[190:] *= RNG.uniform(1, 5, (10, 1))
    assert outlying_points(points, labels, False) == (10, 1)
    assert outlying_points(pairwise_distances(points), labels, True) == (10, 1)


def test_a_small_version_of_the_study():
    spec = importlib.util.spec_from_file_location("tuning_accuracy", STUDY)
    study = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(study)
    cases = list(study.suggestion_cases("report", 4))
    nothing = [case for case in cases if case[2] is None and case[1] == 6 and case[3][3] < 300]
    found = [study.suggest(case) for case in nothing[::2]]
    assert len(found) >= 20
    assert sum(one[4] is not None for one in found) <= 2
    apart = [case for case in cases if case[0] == "10 sd apart" and case[1] <= 8][::3]
    assert all(study.suggest(case)[4] == case[2] for case in apart)


def test_columns_that_do_not_vary_and_gaps_are_standardized_without_harm():
    table = np.array([[5.0, 1.0, math.nan], [5.0, math.nan, math.nan], [5.0, 3.0, math.nan]])
    scores = references._standardized(table)
    assert scores[:, 0].tolist() == [0, 0, 0]
    assert scores[:, 2].tolist() == [0, 0, 0]
    # What is undefined lies one range below the smallest value: -1, 1 and 3.
    assert scores[:, 1] == pytest.approx([0, -math.sqrt(1.5), math.sqrt(1.5)])
    flat = references._standardized(np.array([[2.0], [2.0], [-math.inf]]))
    assert flat[:, 0] == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), -math.sqrt(2)])


def test_ranges_leave_out_what_is_undefined():
    class Curve:
        points = 10

        def __init__(self, *values):
            self.values = values

        def curve(self, key):
            return self.values

    sets = [Curve(1.0, math.nan, math.nan), Curve(4.0, 2.0, math.nan), Curve(0.0, 3.0, math.nan)]
    low, high = references._ranges(["silhouette"], sets, 10)
    assert low["silhouette"].tolist() == pytest.approx([0.0, 2.0, math.nan], nan_ok=True)
    assert high["silhouette"].tolist() == pytest.approx([4.0, 3.0, math.nan], nan_ok=True)
