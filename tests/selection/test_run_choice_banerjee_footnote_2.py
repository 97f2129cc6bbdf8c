"""Runs chosen by what their algorithm optimizes (Banerjee & Langford 2004, footnote 2)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import hypergeom
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet.errors import ParameterError
from clustervet.fitting.fits import seeds_of

RNG = np.random.default_rng(7)
X = np.concatenate([RNG.normal(place, 1.6, (40, 2)) for place in ((0, 0), (5, 0), (0, 5), (5, 5))])
Y = np.repeat(["a", "b", "c", "a"], 40)
LABELLED = RNG.permutation(160) < 80


def most_errors(train, test, errors, level):
    """The paper's bmax: the largest b whose tail is at least the level, by scipy."""
    best = 0
    for b in range(test + 1):
        if hypergeom(train + test, test, errors + b).sf(b - 1) >= level:
            best = b
    return best


def by_hand(k, runs):
    """The run of least inertia, and its errors on labelled points, by scikit-learn and counting."""
    fits = [
        KMeans(k, n_init=1, random_state=seeds_of(0, "km", k, run)[0]).fit(X) for run in range(runs)
    ]
    run = min(range(runs), key=lambda r: (fits[r].inertia_, r))
    wrong = 0
    for cluster in range(k):
        seen = Y[LABELLED & (fits[run].labels_ == cluster)]
        wrong += len(seen) - max(np.unique(seen, return_counts=True)[1], default=0)
    return run, wrong


def test_the_run_of_the_best_objective_is_chosen_and_costs_no_bits():
    numbers = [2, 3, 4, 5]
    found = cv.select(
        X,
        Y,
        {"km": KMeans(n_init=1)},
        numbers,
        6,
        labelled=LABELLED,
        run_choice="objective",
        held_out=0,
    )
    assert found.study.language.key == "cluster"
    rates = {}
    for k in numbers:
        run, wrong = by_hand(k, 6)
        (chosen,) = [one for one in found.table if one.clusters == k and one.competes]
        assert (chosen.run, chosen.train_errors) == (run, wrong)
        bits = k * math.log2(3) + math.log2(k * (k - 1))
        assert chosen.bits == pytest.approx(bits)
        assert chosen.max_errors == most_errors(80, 80, wrong, 0.1 * 2**-bits)
        rates[k] = chosen.rate
    assert found.best.rate == min(rates.values())
    assert found.bound.max_errors == found.best.max_errors
    assert found.curves["km"].keys() == rates.keys()


def test_the_choice_of_runs_does_not_depend_on_labels():
    def competing(y):
        found = cv.select(X, y, ["kmeans", "gmm"], [3, 5], 5, run_choice="objective")
        return [(one.algorithm, one.clusters, one.run) for one in found.table if one.competes]

    assert competing(Y) == competing(RNG.permutation(Y))
    assert len(competing(Y)) == 4


def test_every_algorithm_by_name_that_has_a_seed_tells_its_objective():
    counts = np.random.default_rng(0).poisson(2.0, (60, 8)) + 1.0
    y = np.arange(60) % 2
    names = [
        "kmeans", "spherical", "frequency_sensitive", "hard_movmf", "soft_movmf", "kl",
        "minibatch", "bisecting", "gmm", "ward",
    ]  # fmt: skip
    found = cv.select(counts, y, names, [2, 3], 3, run_choice="objective")
    assert {one.algorithm for one in found.table if one.competes} == set(names)
    assert not found.failed


def test_greater_is_better_whatever_the_algorithm_calls_it():
    """Inertia is a cost; the lower bound of a mixture and our own objectives are gains."""
    mixture = GaussianMixture(4, random_state=0).fit(X)
    piped = make_pipeline(StandardScaler(), KMeans(n_init=1))
    found = cv.select(
        X, Y, {"gm": GaussianMixture(), "piped": piped}, [4], 4, run_choice="objective"
    )
    by_name = {}
    for one in found.table:
        by_name.setdefault(one.algorithm, []).append(one)
    for held in by_name.values():
        best = max(one.objective for one in held)
        assert [one.objective for one in held if one.competes] == [best]
    assert all(one.objective < 0 for one in by_name["piped"])
    assert by_name["gm"][0].objective == pytest.approx(mixture.lower_bound_, abs=1)


class Silent(ClusterMixin, BaseEstimator):
    """A clusterer with a seed that does not say what it optimizes."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X, y=None):  # noqa: N803  # the name that scikit-learn gives it
        self.labels_ = np.random.default_rng(self.random_state).integers(
            self.n_clusters, size=len(X)
        )
        return self


def test_an_algorithm_that_does_not_tell_it_is_refused_but_one_run_is_no_choice():
    with pytest.raises(ParameterError, match=r"run_choice='objective' needs the .* 'silent'"):
        cv.select(X, Y, {"silent": Silent()}, [2], 3, run_choice="objective")
    found = cv.select(X, Y, {"silent": Silent()}, [2, 3], 1, run_choice="objective")
    assert all(one.competes for one in found.table)
    with pytest.raises(ParameterError, match="run_choice"):
        cv.select(X, Y, ["kmeans"], [2], 3, run_choice="luck")


def test_a_journal_keeps_objectives(tmp_path):
    journal = tmp_path / "run.db"
    options = {"algorithms": ["kmeans"], "clusters": [3, 4], "runs": 4}
    first = cv.select(X, Y, **options, journal=journal)
    again = cv.select(X, Y, **options, journal=journal, run_choice="objective", resume=True)
    fresh = cv.select(X, Y, **options, run_choice="objective")
    assert again.to_json() == fresh.to_json()
    assert [one.objective for one in first.table] == [one.objective for one in fresh.table]


def test_what_is_told(capsys):
    found = cv.select(X, Y, ["kmeans"], [2, 3], 3, run_choice="objective")
    assert "3 runs, of which the algorithm's own objective chooses" in repr(found)
    assert list(found.columns())[-2:] == ["objective", "competes"]
    assert found.to_dict()["run_choice"] == "objective"
    assert "objective" not in cv.select(X, Y, ["kmeans"], [2, 3], 3).columns()
