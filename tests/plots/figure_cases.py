"""Finished records that figures are made from, small and fixed."""

from __future__ import annotations

import functools

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin

import clustervet as cv
from clustervet.internal.silhouette import silhouettes

HOSTILE = [
    "<script>alert(1)</script>",
    "x" * 10_000,
    '"onmouseover="alert(1)',
    "javascript:alert(1)",
    "\u202egnirts",
    "$\\frac{1}{2}$",
    "&lt;b&gt;",
    "Z" + "\u0301" * 50,
    "%{x}",
    "a\nb",
]


def labels(k, n=600, seed=0):
    """A truth of k classes and a clustering that errs about a quarter of the time."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    pred = rng.permutation(k)[truth]
    wrong = rng.random(n) < 0.25
    pred[wrong] = rng.integers(0, k, int(wrong.sum()))
    return truth, pred


def table(k, n=600):
    return cv.Contingency.from_labels(*labels(k, n))


def hostile_table():
    truth, pred = labels(len(HOSTILE))
    return cv.Contingency.from_labels([HOSTILE[i] for i in truth], [HOSTILE[i] for i in pred])


def points(k=3, n=120, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % k
    return rng.normal(size=(k, 2))[codes] * 9 + rng.normal(size=(n, 2)), codes


@functools.cache
def cards():
    truth, pred = labels(4, 200)
    both = {"good": pred, "<b>poor</b>": (pred + truth) % 4}
    keys = ["rand", "adjusted_rand", "variation_of_information", "mirkin", "purity"]
    return cv.external_scores(
        truth, both, measures=keys, confidence=0.95, resamples=60, random_state=0
    )


@functools.cache
def ranking():
    truth, pred = labels(4, 200)
    twin = pred.copy()
    twin[:1] = (twin[:1] + 1) % 4
    preds = {"<b>poor</b>": np.roll(pred, 7), "good": pred, "twin": twin}
    return cv.rank_predictions(truth, preds, resamples=200, random_state=0)


@functools.cache
def tuning():
    return cv.tune(
        "ward", points()[0], values=range(2, 7), measures=["silhouette", "ssq"], progress=False
    )


class Cut(ClusterMixin, BaseEstimator):
    """Two clusters, by a place that has a name."""

    def __init__(self, how="mean"):
        self.how = how

    def fit_predict(self, points, y=None):
        return (points[:, 0] > {"low": 1.0, "mean": 5.0, "high": 9.0}[self.how]).astype(int)


@functools.cache
def tuning_by_name():
    data = [[0.0], [0.5], [2.0], [8.0], [9.5], [10.0]]
    return cv.tune(
        Cut(), data, "how", ["low", "mean", "high"], measures=["silhouette"], references=0
    )


@functools.cache
def selection():
    data, codes = points()
    names = np.array(["ham", "spam<i>", "news"])[codes]
    return cv.select(
        data, names, algorithms=["ward", "kmeans"], clusters=range(2, 6), runs=1, progress=False
    )


@functools.cache
def ensemble(count=6, n=40):
    rng = np.random.default_rng(1)
    base = np.arange(n) // 10
    return cv.Ensemble(
        {
            f"run {i}": np.where(rng.random(n) < 0.1 + 0.05 * (i % 5), rng.integers(0, 4, n), base)
            for i in range(count)
        }
    )


@functools.cache
def widths(k=3, n=120):
    data, codes = points(k, n)
    return silhouettes(data, [f"c<{code}>" for code in codes])
