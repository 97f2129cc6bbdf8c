from __future__ import annotations

import io
import json
import math
import pickle
from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from fractions import Fraction

import joblib
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster, get_worker
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib._parallel_backends import ThreadingBackend
from rich.console import Console
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.clusterers import KLKMeans, NeighbourSmoothing, SphericalKMeans
from clustervet.errors import ClustervetError, ParameterError
from clustervet.fitting import fits
from clustervet.fitting.algorithms import read_algorithms
from clustervet.fitting.preparation import TfIdf
from clustervet.selection import select
from clustervet.selection.candidates import OWN, read_split

RNG = np.random.default_rng(0)
ORDER = RNG.permutation(90)
Y = np.repeat(["ham", "news", "spam"], 30)[ORDER]
X = (RNG.normal(size=(90, 2)) + 5 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0))[ORDER]
PAIR = {"km": KMeans(n_init=1), "gm": GaussianMixture()}
WORDS = sparse.csr_matrix(
    RNG.poisson(0.2 + 3.0 * np.repeat(np.kron(np.eye(3), np.ones((1, 4))), 20, axis=0))
)
TOPICS = np.repeat(["a", "b", "c"], 20)


class Threes(ClusterMixin, BaseEstimator):
    """Clusters by position, of which every third is noise; refuses some numbers."""

    def __init__(self, n_clusters=2, refuse=(), noise=False):
        self.n_clusters = n_clusters
        self.refuse = refuse
        self.noise = noise

    def fit(self, points, y=None):
        if self.n_clusters in self.refuse:
            raise RuntimeError(f"not {self.n_clusters}\nof all numbers")
        self.labels_ = np.arange(points.shape[0]) % self.n_clusters
        if self.noise:
            self.labels_[::3] = -1
        return self


def brute_bmax(m, n, a, delta):
    """The largest b whose tail is at least delta, by the definition in whole numbers."""

    def tail(b):
        ways = sum(math.comb(n, t) * math.comb(m, a + b - t) for t in range(b, min(n, a + b) + 1))
        return Fraction(ways, math.comb(m + n, a + b))

    return max(b for b in range(n + 1) if tail(b) >= delta)


def majority_errors(truth, pred):
    return sum(
        len(members) - max(Counter(members).values())
        for cluster in set(pred)
        if (members := [t for t, p in zip(truth, pred, strict=True) if p == cluster])
    )


def test_every_candidate_is_the_fit_and_the_bound_that_the_paper_defines():
    found = select(X, Y, PAIR, clusters=[2, 3, 4], runs=2, train=40, delta=0.25)
    assert [(c.algorithm, c.clusters, c.run) for c in found.table] == [
        (name, k, run) for name in PAIR for k in (2, 3, 4) for run in range(2)
    ]
    assert (found.study.train_size, found.study.test_size) == (40, 50)
    mask = read_split(Y, None, 40, len(Y), 0).labelled
    for candidate in found.table:
        own = (
            KMeans(candidate.clusters, n_init=1, random_state=candidate.seed)
            if candidate.algorithm == "km"
            else GaussianMixture(candidate.clusters, random_state=candidate.seed)
        )
        pred = own.fit_predict(X)
        if candidate == found.best:
            np.testing.assert_array_equal(pred, found.labels)
        assert candidate.found == len(set(pred))
        assert candidate.train_errors == majority_errors(Y[mask], pred[mask])
        bits = candidate.found * math.log2(3) + math.log2(
            2 * candidate.clusters * (candidate.clusters - 1) * 2
        )
        assert candidate.bits == pytest.approx(bits, rel=1e-12)
        delta = Fraction(1, 4) / Fraction(2**bits)
        assert candidate.max_errors == brute_bmax(40, 50, candidate.train_errors, delta)
        assert candidate.rate == candidate.max_errors / 50


def test_a_split_can_be_told_as_a_mask_or_as_positions():
    drawn = select(X, Y, PAIR, [3], 1, train=40)
    mask = read_split(Y, None, 40, len(Y), 0).labelled
    for labelled in (mask, np.flatnonzero(mask)):
        told = select(X, Y, PAIR, [3], 1, labelled=labelled).to_dict()
        assert told.pop("remarks") == [OWN]
        assert told == {key: item for key, item in drawn.to_dict().items() if key != "remarks"}
    assert drawn.to_dict()["remarks"] == []


def test_a_label_that_scikit_learn_takes_for_none_is_a_class_and_that_is_said():
    codes = np.unique(Y, return_inverse=True)[1]
    unknown = np.where(np.arange(90) % 3 == 0, -1, codes)
    found = select(X, unknown, PAIR, [3], 1)
    assert found.study.labels == 4
    said = "is taken as a class; where it means that there is none"
    assert f"The label -1 of 30 objects {said}" in repr(found)
    for usual in (np.where(codes == 0, -1, 1), codes, codes.astype(str), codes - 2):
        assert said not in repr(select(X, usual, PAIR, [3], 1))


def test_text_is_made_dense_for_what_reads_no_sparse_rows():
    for weighting in ("none", "tfidf"):
        found = select(WORDS, TOPICS, ["ward", "gmm"], [3], 1, weighting=weighting, neighbours=0)
        assert not found.failed
    dense = select(WORDS.toarray(), TOPICS, ["ward", "gmm"], [3], 1, weighting="tfidf")
    assert [c.train_errors for c in dense.table] == [c.train_errors for c in found.table]
    reduced = make_pipeline(TruncatedSVD(2, random_state=0), GaussianMixture())
    (algorithm,) = read_algorithms([reduced])
    assert algorithm.reads_sparse  # its first step reads sparse rows
    search = cv.PacMdlSearch(["gmm"], clusters=[3], runs=2, weighting="tfidf").fit(WORDS, TOPICS)
    np.testing.assert_array_equal(search.predict(WORDS), search.transduction_)


def test_rows_are_not_prepared_where_the_journal_has_every_fit(tmp_path, monkeypatch):
    ask = {"weighting": "tfidf", "neighbours": 3, "journal": tmp_path / "run.db"}
    first = select(WORDS, TOPICS, ["spherical"], [3], 2, **ask)
    # The picture of the points weights the words, which is quick; neighbours are not looked for.
    monkeypatch.setattr(NeighbourSmoothing, "fit_transform", None)
    assert select(WORDS, TOPICS, ["spherical"], [3], 2, **ask).to_json() == first.to_json()


def test_stored_zeros_and_words_that_no_row_has_are_no_words():
    stored = WORDS.copy()
    stored.data = stored.data.astype(float)
    wide = sparse.hstack([stored, sparse.csr_matrix((60, 2))]).tocsr()
    wide.data[::5] = 0
    plain = wide.copy()
    plain.eliminate_zeros()
    ask = {"algorithms": ["spherical", "kl"], "clusters": [3], "runs": 2, "weighting": "tfidf"}
    with config_context(transform_output="pandas"):
        found = select(wide, TOPICS, neighbours=4, **ask)
    assert found.table == select(plain, TOPICS, neighbours=4, **ask).table
    search = cv.PacMdlSearch(**ask).fit(plain, TOPICS)
    np.testing.assert_array_equal(search.predict(wide), search.predict(plain))


def test_the_best_is_the_lowest_bound_and_ties_go_to_fewer_clusters_then_order_then_run():
    found = select(X, Y, PAIR, clusters=[2, 3, 4, 9], runs=3)
    order = list(PAIR)
    assert found.best == min(
        found.table, key=lambda c: (c.max_errors, c.clusters, order.index(c.algorithm), c.run)
    )
    alike = {"first": Threes(), "second": Threes()}
    tied = select(np.zeros((30, 1)), Y[:30], alike, clusters=[2], runs=2, delta=1e-9)
    assert (tied.best.algorithm, tied.best.run) == ("first", 0)
    assert [c.run for c in tied.table] == [0, 0]  # without a seed, all runs are the same


def test_the_bound_labels_and_predictions_are_those_of_the_best():
    found = select(X, Y, PAIR, clusters=[3, 4], runs=2)
    for name in ("train_errors", "bits", "max_errors", "rate", "test_errors", "test_rate"):
        assert getattr(found.bound, name) == getattr(found.best, name)
    assert found.bound.clusters == found.best.found
    wanted = [found.bound.assignment[cluster] for cluster in found.labels.tolist()]
    assert found.predictions.tolist() == wanted
    assert (found.predictions == Y).mean() > 0.9
    assert set(found.seconds) == set(PAIR)
    assert all(seconds > 0 for seconds in found.seconds.values())


def test_curves_and_the_best_of_each_algorithm_pay_for_their_own_choices_alone():
    found = select(X, Y, PAIR, clusters=[2, 3, 5], runs=2, delta=0.1)
    study = found.study

    def rate(candidate, extra):
        bits = candidate.found * math.log2(3) + math.log2(extra)
        level = math.log2(0.1) - bits
        most = cv.pacmdl.bmax(study.train_size, study.test_size, candidate.train_errors, level)
        return most / study.test_size

    for name in PAIR:
        own = [c for c in found.table if c.algorithm == name]
        for k in (2, 3, 5):
            init = min(rate(c, 2) for c in own if c.clusters == k)
            assert found.curves[name][k] == init
        cluster = min(rate(c, 2 * c.clusters * (c.clusters - 1)) for c in own)
        assert found.by_algorithm[name].rate == cluster
    algo = min(rate(c, 2 * 2 * c.clusters * (c.clusters - 1)) for c in found.table)
    figure = found.languages()
    assert figure["algo"] == found.best.rate == algo
    assert figure["cluster"] == pytest.approx(
        np.mean([found.by_algorithm[name].rate for name in PAIR])
    )
    assert figure["init"] == pytest.approx(
        np.mean([r for curve in found.curves.values() for r in curve.values()])
    )
    assert figure["simple"] == pytest.approx(np.mean([rate(c, 1) for c in found.table]))
    assert set(figure) == set(cv.pacmdl.languages)


@pytest.mark.parametrize(
    ("algorithms", "clusters", "runs", "key"),
    [
        (PAIR, [2, 3], 2, "algo"),
        (["kmeans"], [2, 3], 2, "cluster"),
        (["kmeans"], [3], 2, "init"),
        (["kmeans"], 3, 1, "simple"),
    ],
)
def test_auto_pays_for_the_choices_made(algorithms, clusters, runs, key):
    found = select(X, Y, algorithms, clusters, runs)
    assert found.study.language.key == found.bound.language == key
    only = next(iter(found.by_algorithm.values()))
    assert only.rate <= found.best.rate  # its own choices are among those paid for


@pytest.mark.parametrize("language", ["permutation", "adaptive", "mixture"])
def test_other_languages_pay_for_the_choices_made(language):
    found = select(X, Y, PAIR, [2, 3], 2, language=language)
    assert found.bound.language == language
    assert {"runs", "number", "algorithms"} <= set(found.bound.costs)
    assert found.languages()[language] == found.best.rate


def test_missing_labels_are_what_is_predicted():
    hidden = Y.astype(object)
    hidden[::2] = None
    found = select(X, hidden, ["kmeans"], [3, 4], 2)
    assert (found.study.train_size, found.study.test_size) == (45, 45)
    assert found.best.test_errors is None
    assert found.best.test_rate is None
    mask = np.arange(90) % 2 == 1
    known = select(X, Y, ["kmeans"], [3, 4], 2, labelled=mask)
    assert known.best.max_errors == found.best.max_errors
    assert known.best.test_errors == int((known.predictions != Y)[~mask].sum())
    numbers = pd.Series(np.unique(Y, return_inverse=True)[1], dtype=float)
    numbers[::2] = np.nan
    assert select(X, numbers, ["kmeans"], [3, 4], 2).best.max_errors == found.best.max_errors


def test_the_truth_of_unlabelled_points_chooses_nothing():
    mask = RNG.random(90) < 0.5
    other = np.where(mask, Y, "spam")
    first, second = (select(X, y, PAIR, [2, 3], 2, labelled=mask) for y in (Y, other))
    assert first.best.seed == second.best.seed
    assert first.best.max_errors == second.best.max_errors


def test_possible_labels_may_be_more_than_there_are():
    few = select(X, Y, ["kmeans"], [3], 1)
    many = select(X, Y, ["kmeans"], [3], 1, labels=20)
    assert many.best.bits == pytest.approx(3 * math.log2(20))
    assert few.best.bits == pytest.approx(3 * math.log2(3))


def test_frames_sparse_and_dense_features_choose_alike():
    frame = pd.DataFrame(X, columns=["a", "b"])
    assert (
        select(frame, Y, ["kmeans"], [3], 2).to_json() == select(X, Y, ["kmeans"], [3], 2).to_json()
    )
    wide = WORDS.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for matrix in (wide, sparse.csr_array(WORDS), WORDS.toarray()):
        found = select(matrix, TOPICS, ["kmeans"], [3], 2)
        assert found.best.test_errors == 0


def test_the_six_algorithms_of_the_paper_are_the_default():
    found = select(WORDS, TOPICS, clusters=[3], runs=2)
    names = ("kmeans", "spherical", "frequency_sensitive", "hard_movmf", "soft_movmf", "kl")
    assert found.study.algorithms == names
    assert not found.failed
    assert found.best.test_errors == 0
    assert list(found.by_algorithm) == list(names)


def test_documents_without_words_are_assigned_and_predicted():
    empty = WORDS.toarray()
    empty[::7] = 0
    found = select(sparse.csr_matrix(empty), TOPICS, clusters=[3, 4], runs=1, weighting="tfidf")
    assert not found.failed
    assert len(found.predictions) == 60
    assert "NaN" not in found.to_json()
    assert all(math.isfinite(candidate.rate) for candidate in found.table)


def test_algorithms_that_read_counts_are_never_weighted():
    weighted = select(WORDS, TOPICS, ["kmeans", "kl"], [3], 2, weighting="tfidf")
    plain = select(WORDS, TOPICS, ["kl"], [3], 2)
    told = [[(c.seed, c.train_errors) for c in found.table] for found in (plain, weighted)]
    assert told[0] == told[1][2:]
    again = select(WORDS, TOPICS, ["kl"], [3], 2, weighting="counts")
    assert again.table == plain.table
    tfidf = TfidfTransformer(sublinear_tf=True).fit_transform(WORDS)
    labels = KMeans(3, n_init=1, random_state=weighted.table[0].seed).fit_predict(tfidf)
    mask = read_split(TOPICS, None, 0.5, len(TOPICS), 0).labelled
    assert weighted.table[0].train_errors == majority_errors(TOPICS[mask], labels[mask])


@pytest.mark.parametrize("weighting", ["tfidf", "counts"])
def test_neighbours_smooth_what_each_algorithm_reads(weighting):
    found = select(WORDS, TOPICS, ["spherical", "kl"], [2], 2, weighting=weighting, neighbours=5)
    assert found.to_dict()["neighbours"] == 5
    tfidf = TfIdf().fit(WORDS) if weighting == "tfidf" else None
    read = WORDS if tfidf is None else tfidf.transform(WORDS)
    inputs = {
        "spherical": NeighbourSmoothing(5, terms=200).fit_transform(read),
        "kl": NeighbourSmoothing(5, terms=200, by=tfidf).fit_transform(WORDS),
    }
    models = {"spherical": SphericalKMeans(2), "kl": KLKMeans(2, weighting="length")}
    mask = read_split(TOPICS, None, 0.5, len(TOPICS), 0).labelled
    for candidate in found.table:
        model = models[candidate.algorithm].set_params(random_state=candidate.seed, n_init=1)
        labels = model.fit(inputs[candidate.algorithm]).labels_
        assert candidate.train_errors == majority_errors(TOPICS[mask], labels[mask])


def test_pipelines_mixtures_and_names_of_all_kinds_join():
    found = select(
        X,
        Y,
        {
            "scaled": make_pipeline(StandardScaler(), KMeans(n_init=1)),
            "mix": GaussianMixture(),
            "tree": "ward",
            "class": KMeans,
        },
        [3],
        2,
    )
    assert not found.failed
    assert len(found.table) == 7
    names = select(X, Y, ["K-Means", "SPKMeans", "Soft movMF", "gmm"], [3], 1).study.algorithms
    assert names == ("kmeans", "spherical", "soft_movmf", "gmm")
    assert select(X, Y, "kmeans", 3, 1).study.algorithms == ("kmeans",)


class AllAtOnce(ThreadingBackend):
    """A backend that can only give back all results together."""

    supports_return_generator = False


@pytest.mark.parametrize("backend", ["threading", "loky", "all_at_once"])
def test_any_backend_and_any_number_of_jobs_give_the_same_answer(backend):
    joblib.register_parallel_backend("all_at_once", AllAtOnce)
    alone = select(X, Y, PAIR, [2, 3], 3)
    with joblib.parallel_config(backend=backend):
        several = select(X, Y, PAIR, [2, 3], 3, n_jobs=2)
    assert several.to_json() == alone.to_json()
    np.testing.assert_array_equal(several.labels, alone.labels)


class OnWorker(KMeans):
    """Fails unless one of Dask's workers fits it."""

    def fit_predict(self, points, y=None, sample_weight=None):
        get_worker()
        return super().fit_predict(points)


def test_the_workers_of_dask_give_the_same_answer(tmp_path):
    asked = X, Y, {"km": KMeans(n_init=1)}, [2, 3], 3
    alone = select(*asked)
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        found = select(X, Y, {"km": OnWorker(n_init=1)}, [2, 3], 3, journal=tmp_path / "run.db")
        again = select(X, Y, {"km": OnWorker(n_init=1)}, [2, 3], 3, journal=tmp_path / "run.db")
    assert found.to_json() == again.to_json() == alone.to_json()


def test_runs_do_not_depend_on_what_is_fitted_beside_them():
    whole = select(X, Y, PAIR, [2, 3, 4], 3, labelled=np.arange(45))
    part = select(X, Y, {"gm": GaussianMixture()}, [3], 2, labelled=np.arange(45))
    kept = [c for c in whole.table if (c.algorithm, c.clusters) == ("gm", 3)][:2]
    assert [(c.seed, c.train_errors) for c in part.table] == [
        (c.seed, c.train_errors) for c in kept
    ]
    seeds = [c.seed for c in whole.table]
    assert len(set(seeds)) == len(seeds)
    other = select(X, Y, PAIR, [2, 3, 4], 3, labelled=np.arange(45), random_state=1)
    assert not set(seeds) & {c.seed for c in other.table}


def test_a_fit_that_fails_is_told_and_stops_nothing():
    found = select(X, Y, {"moody": Threes(refuse=(3, 5)), "km": KMeans(n_init=1)}, [2, 3, 4, 5], 1)
    assert [(c.algorithm, c.clusters, c.error) for c in found.failed] == [
        ("moody", 3, "not 3"),
        ("moody", 5, "not 5"),
    ]
    assert found.failed[0].rate is None
    assert math.isnan(found.curves["moody"][3])
    assert "Failed: moody, 3 clusters, run 0: not 3" in repr(found)
    data = json.loads(found.to_json())
    assert [c["error"] for c in data["candidates"] if c["error"]] == ["not 3", "not 5"]
    assert found.to_frame()["error"].notna().sum() == 2
    with pytest.raises(ParameterError, match="all 2 fits failed; the first, moody with 3 clusters"):
        select(X, Y, {"moody": Threes(refuse=(3, 5))}, [3, 5], 1)


def test_of_many_failures_the_first_are_told_and_the_others_counted():
    numbers = list(range(2, 10))
    ask = {"moody": Threes(refuse=numbers), "km": KMeans(n_init=1)}
    found = select(X, Y, ask, numbers, 1)
    failed = [note for note in found.document().notes if note.startswith("Failed: ")]
    assert failed[-2].startswith("Failed: moody, ")
    assert failed[-1] == f"Failed: {8 - (len(failed) - 1)} more of 16 fits"
    assert 1 < len(failed) < 8
    with pytest.raises(ParameterError, match=r"^every fit of these algorithms failed\.$"):
        found.among(["moody"]).lowest  # noqa: B018  # asking for it is the test


@pytest.mark.parametrize("answer", [[0], [[0]] * 90, [math.nan] * 90])
def test_labels_that_are_none_fail(answer):
    class Odd(Threes):
        def fit_predict(self, points, y=None):
            return answer

    with pytest.raises(ParameterError, match="all 1 fits failed"):
        select(X, Y, {"odd": Odd()}, 2, 1)


def test_a_worker_that_dies_is_told_in_a_sentence(monkeypatch):
    def dying(jobs, n_jobs, *, ordered):
        raise BrokenProcessPool("gone")
        yield

    monkeypatch.setattr(fits, "run_jobs", dying)
    with pytest.raises(ClustervetError, match="a worker process died in the middle of a fit"):
        select(X, Y, ["kmeans"], [3], 1)


def test_a_terminal_sees_how_many_fits_are_done_and_how_long_the_rest_takes(
    monkeypatch, capsys, tmp_path
):
    for name in ("PATIENCE", "PAUSE"):
        monkeypatch.setattr(f"clustervet._progress.{name}", 0.0)
    monkeypatch.delenv("CLUSTERVET_QUIET")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    select(X, Y, ["kmeans"], [3], 4, progress=False)
    assert capsys.readouterr().err == ""
    select(X, Y, ["kmeans"], [3], 4, journal=tmp_path / "run.db")
    said = capsys.readouterr().err
    assert "4/4" in said
    assert "0 s left" in said
    select(X, Y, ["kmeans"], [3], 9, journal=tmp_path / "run.db")
    said = capsys.readouterr().err
    assert "fits (4 in the journal)" in said
    assert "5/5" in said


def test_noise_is_one_more_cluster_or_a_cluster_each():
    kept = select(X, Y, {"a": Threes(noise=True)}, [2], 1)
    assert kept.best.found == 3
    apart = select(X, Y, {"a": Threes(noise=True)}, [2], 1, noise="singletons")
    assert apart.best.found == 2 + 30
    assert len(apart.predictions) == 90
    assert apart.bound.max_errors == apart.best.max_errors
    searched = select(X, Y, {"a": Threes(noise=True)}, [2, 3], 1)
    assert searched.best.bits == pytest.approx(3 * math.log2(3) + math.log2(3 * 2))


def test_a_selection_shows_itself_in_every_form():
    found = select(X, Y, {"<km>": KMeans(n_init=1), "gm": GaussianMixture()}, [2, 3], 2)
    assert repr(found).startswith(found.verdict)
    assert "With probability at least 0.9" in found.verdict
    assert "&lt;km&gt;" in found._repr_html_()
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(found)
    assert "unlabelled points wrongly" in console.export_text()
    for backend in ("pandas", "polars", "pyarrow"):
        frame = found.to_frame(backend)
        assert len(frame) == 8
    again = pickle.loads(pickle.dumps(found))
    assert again.to_json() == found.to_json()
    data = json.loads(found.to_json())
    assert data["schema"] == "clustervet/selection/1"
    assert data["best"]["rate"] == found.best.rate
    assert "seconds" not in found.to_json()


@settings(max_examples=25)
@given(st.data())
def test_the_bound_is_not_below_the_share_of_train_errors(data):
    n = data.draw(st.integers(6, 30))
    y = data.draw(
        st.lists(st.sampled_from("ab"), min_size=n, max_size=n).filter(lambda v: len(set(v)) > 1)
    )
    train = data.draw(st.integers(1, n - 1))
    noise = data.draw(st.booleans())
    found = select(np.zeros((n, 1)), y, {"t": Threes(noise=noise)}, [2, 3], 1, train=train)
    # No tail is below one half before its mean, and delta is.
    assert found.best.max_errors >= found.best.train_errors * (n - train) // train - 1
    assert found.best.max_errors == min(c.max_errors for c in found.table)
    assert (
        found.predictions == np.array(y)
    ).sum() == n - found.best.train_errors - found.best.test_errors


def test_a_seed_is_drawn_where_none_is_given():
    first = select(X, Y, ["kmeans"], [3], 2, random_state=None)
    again = select(X, Y, ["kmeans"], [3], 2, random_state=first.study.seed)
    assert again.to_json() == first.to_json()
    drawn = select(X, Y, ["kmeans"], [3], 2, random_state=np.random.default_rng(3))
    assert drawn.study.seed != first.study.seed


def test_dense_clusterers_cannot_be_asked_for_a_number():
    with pytest.raises(ParameterError, match="dbscan finds its number of clusters itself"):
        select(X, Y, ["dbscan"])
    with pytest.raises(ParameterError, match="DBSCAN has no parameter 'n_clusters'"):
        select(X, Y, {"d": DBSCAN()})


def test_features_can_be_standardized_and_that_is_said():
    wide = X * [1, 1000]
    ask = [["kmeans", "gmm"], [2, 3], 2]
    found = select(wide, Y, *ask, standardize=True)
    plain = select(StandardScaler().fit_transform(wide), Y, *ask)
    assert found.table == plain.table
    assert found.to_dict() == plain.to_dict() | {"standardized": True}
    assert "delta 0.1; standardized\n" in repr(found)
    search = cv.PacMdlSearch(["kmeans"], clusters=[3], runs=2, standardize=True).fit(wide, Y)
    np.testing.assert_array_equal(search.predict(wide), search.transduction_)
    usual = select(np.abs(X), Y, clusters=[3], runs=1, standardize=True)
    assert "kl" not in usual.study.algorithms
    assert "once standardized" in repr(usual)
    with pytest.raises(ParameterError, match="standardize is for measurements"):
        select(WORDS, TOPICS, weighting="tfidf", standardize=True)


def test_standardizing_is_part_of_what_a_journal_knows(tmp_path):
    ask = {"algorithms": ["kmeans"], "clusters": [3], "runs": 1, "journal": tmp_path / "run.db"}
    first = select(X, Y, **ask, standardize=True)
    assert select(X, Y, **ask, standardize=True).to_json() == first.to_json()
    with pytest.raises(ClustervetError, match="kmeans has input=standardized, this one's none"):
        select(X, Y, **ask)


def test_a_column_says_which_points_are_labelled():
    mask = np.arange(90) % 2 == 0
    wanted = select(X, Y, ["kmeans"], [3], 1, labelled=mask).to_json()
    for column in (np.where(mask, "yes", "no"), mask.astype(int), mask.astype(float)):
        assert select(X, Y, ["kmeans"], [3], 1, labelled=column).to_json() == wanted


def test_predictions_are_columns():
    found = select(X, Y, ["kmeans"], [3], 1)
    columns = found.predictions_columns()
    assert list(columns) == ["cluster", "label"]
    assert columns["cluster"] == found.labels.tolist()
    assert columns["label"] == found.predictions.tolist()
    names = [f"{k}.txt" for k in range(90)]
    assert list(found.predictions_columns(names)) == ["document", "cluster", "label"]


def test_the_document_marks_the_chosen_algorithm():
    found = select(X, Y, PAIR, [2, 3], 2)
    best, ways, every = found.document().tables
    marked = [row.cells[0].text for row in best.rows if row.cells[0].best]
    assert marked == [found.best.algorithm]
    assert best.rows[0].cells[5].value == found.by_algorithm["km"].rate
    assert every.detail
    assert len(every.rows) == len(found.table)
    assert found.document().lead == (found.verdict, found.advice)
    assert [row.cells[0].text for row in ways.rows] == list(found.predictors)
    assert [row.cells[0].text for row in ways.rows if row.cells[0].best] == [found.trusted]
    assert "| algorithm | clusters | run | train errors |" in found.to_markdown()


def test_the_error_rate_of_every_fit_is_that_of_the_points_whose_labels_were_held_back():
    labelled = np.arange(len(Y)) % 2 == 0
    found = select(X, Y, ["kmeans"], [2, 3], 2, labelled=labelled, random_state=0)
    rates = [(one.test_errors, one.test_rate) for one in found.table]
    assert any(errors for errors, _ in rates)
    for errors, rate in rates:
        assert rate == errors / np.count_nonzero(~labelled)
