"""R's packages give the same values, or the comment says what they define otherwise.

r_values.json holds what r_values.R printed for iris, wine, Gaussian blobs, and a set with
one-point clusters.

| R | here |
|---|---|
| cluster::silhouette, fpc avg.silwidth | silhouette, silhouettes |
| fpc within.cluster.ss, ch, dunn | ssq, calinski_harabasz, dunn |
| fpc dunn2 | generalized_dunn(between="average", within="average") |
| fpc min.separation / max.diameter | dunn |
| fpc average.between | the denominator of intra_inter_ratio |
| fpc average.within, wb.ratio | no equal: fpc weighs the mean of each cluster by its number of \
points, Aggarwal's eq. 6.43 by its number of pairs; the same if clusters are of one size |
| genieclust generalised_dunn_index d1-d4, D1, D3 | generalized_dunn |
| genieclust D2 | twice `average`'s quotient: its D2 is half the mean distance |
| genieclust d5 | no equal: it takes the distances to the points' own centroids |
| mclust mstep + estep: VII, VVI, EEE, VVV | log_likelihood spherical, diagonal, tied, full |
| mclust bic | bic with the other sign |
| cluster::clusGap(d.power = 2) | gap_statistic, the reference sets being random |
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import internal_data as data
import internal_oracle as oracle
import numpy as np
import pytest

import clustervet as cv

R = json.loads((Path(__file__).parent / "r_values.json").read_text())["sets"]
MODELS = ["spherical", "diagonal", "tied", "full"]

everywhere = pytest.mark.parametrize("name", data.IN_R)


def same(ours: float, theirs: float) -> bool:
    return math.isclose(ours, theirs, rel_tol=1e-10, abs_tol=1e-12)


@everywhere
def test_silhouettes_of_cluster(name: str) -> None:
    one, r = data.case(name), R[name]["silhouette"]
    s = cv.silhouettes(one.X, one.labels)
    np.testing.assert_allclose(s.points, r["points"], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose([s.clusters[c] for c in sorted(s.clusters)], r["clusters"], 1e-10)
    assert same(s.overall, r["mean"])
    assert same(cv.silhouette(one.X, one.labels), r["mean"])
    assert same(cv.silhouette(one.X, one.labels, metric="manhattan"), r["manhattan"])
    names = sorted(s.clusters)
    assert [names.index(label) + 1 for label in s.nearest] == r["neighbor"]


@everywhere
def test_what_fpc_defines_as_we_do(name: str) -> None:
    one, r = data.case(name), R[name]["fpc"]
    given = one.X, one.labels
    average = {"between": "average", "within": "average"}
    assert same(cv.silhouette(*given), r["avg.silwidth"])
    assert same(cv.ssq(*given), r["within.cluster.ss"])
    assert same(cv.calinski_harabasz(*given), r["ch"])
    assert same(cv.dunn(*given), r["dunn"])
    assert same(cv.dunn(*given), r["min.separation"] / r["max.diameter"])
    assert same(cv.generalized_dunn(*given, **average), r["dunn2"])
    quotient = r["ch"] * (one.k - 1) / (len(one.codes) - one.k)
    assert same(cv.hartigan(*given), math.log(quotient))
    manhattan = R[name]["fpc_manhattan"]
    assert same(cv.dunn(*given, metric="manhattan"), manhattan["dunn"])
    found = cv.generalized_dunn(*given, metric="manhattan", **average)
    assert same(found, manhattan["dunn2"])


@everywhere
@pytest.mark.parametrize(("metric", "part"), [("euclidean", "fpc"), ("manhattan", "fpc_manhattan")])
def test_ratio_from_the_averages_of_fpc(name: str, metric: str, part: str) -> None:
    one, r = data.case(name), R[name][part]
    pairs = [size * (size - 1) // 2 for size in np.bincount(one.codes)]
    terms = [m * a for m, a in zip(pairs, r["average.distance"], strict=True) if m]
    intra = math.fsum(terms) / sum(pairs)
    found = cv.intra_inter_ratio(one.X, one.labels, metric=metric)
    assert same(found, intra / r["average.between"])


def test_ratio_of_fpc_is_ours_only_for_clusters_of_one_size() -> None:
    for name in data.IN_R:
        one = data.case(name)
        ours = cv.intra_inter_ratio(one.X, one.labels)
        equal = len(set(np.bincount(one.codes))) == 1
        assert same(ours, R[name]["fpc"]["wb.ratio"]) == equal


@everywhere
def test_generalized_dunn_of_genieclust(name: str) -> None:
    one, r = data.case(name), R[name]["genieclust"]["generalised_dunn"]
    for row, between in enumerate(["single", "complete", "average", "centroid"]):
        for column, within, factor in ((0, "diameter", 1), (1, "average", 2), (2, "centroid", 1)):
            found = cv.generalized_dunn(one.X, one.labels, between=between, within=within)
            assert same(found * factor, r[row][column]), (between, within)


@everywhere
def test_fifth_distance_of_genieclust_never_leaves_a_cluster(name: str) -> None:
    """Its d5 is small where clusters are tight, however far apart they are: not a distance."""
    one = data.case(name)
    p = oracle.Points(one.X, one.labels)
    own = [[p.to_centroids[i][a] for i in g] for a, g in enumerate(p.groups)]
    theirs = min(oracle.mean(own[a] + own[b]) for a, b in oracle.cluster_pairs(p))
    widest = max(2 * oracle.mean(distances) for distances in own)
    assert same(theirs / widest, R[name]["genieclust"]["generalised_dunn"][4][2])
    ours = cv.generalized_dunn(one.X, one.labels, between="to_centroids", within="centroid")
    assert ours > theirs / widest


@pytest.mark.parametrize("name", ["iris", "wine", "blobs"])
def test_davies_bouldin_of_genieclust(name: str) -> None:
    one = data.case(name)
    assert same(cv.davies_bouldin(one.X, one.labels), R[name]["genieclust"]["davies_bouldin"])


@pytest.mark.parametrize("name", ["iris", "wine", "blobs"])
@pytest.mark.parametrize("covariance", MODELS)
def test_likelihoods_of_mclust(name: str, covariance: str) -> None:
    one, r = data.case(name), R[name]["mclust"][covariance]
    found = cv.log_likelihood(one.X, one.labels, covariance=covariance)
    assert same(found, r["log_likelihood"])
    assert same(cv.bic(one.X, one.labels, covariance=covariance), r["bic"])
    assert same(cv.aic(one.X, one.labels, covariance=covariance), -2 * found + 2 * r["parameters"])


@pytest.mark.parametrize("name", ["iris", "one_point_clusters"])
def test_gap_of_cluster(name: str) -> None:
    """clusGap halves W and clusters the data itself; its reference sets are ours in law."""
    one, r = data.case(name), R[name]["gap"]
    found = cv.gap_statistic(one.X, one.labels, references=20, random_state=1)
    wanted = r["E.logW"] + math.log(2) - math.log(cv.ssq(one.X, one.labels))
    assert abs(found - wanted) < 4 * r["SE.sim"] * math.sqrt(1 / 20 + 1 / 200)
    assert math.isclose(found.standard_error, r["SE.sim"], rel_tol=0.5)
