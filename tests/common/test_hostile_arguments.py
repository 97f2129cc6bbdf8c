"""Whatever is given, there is an answer, or one sentence that says what is wrong."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import clustervet as cv
from clustervet.errors import ClustervetError

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 2)), RNG.integers(0, 3, 30)
ODD = {
    "None": None, "a number": 5, "text": "x", "bytes": b"x", "an empty list": [], "a dict": {},
    "a nested empty list": [[]], "NaN": np.nan, "missing labels": [None] * 30,
    "one class": ["a"] * 30, "all different": list(range(30)), "no features": np.zeros((30, 0)),
    "infinite": np.full((30, 2), np.inf), "objects": X.astype(object), "a frame": pd.DataFrame(X),
    "a series": pd.Series(Y), "categories": pd.Series(Y, dtype="category"), "one run": {"a": Y},
    "unequal runs": {"a": Y, "b": Y[:5]}, "two runs": [Y, Y], "an empty run": [Y, [None] * 30],
    "masked": np.ma.masked_array(Y, Y == 1), "an array": pd.array([1, None] * 15, dtype="Int64"),
    "an object": object(), "a function": lambda x: x, "a class": KMeans, "an estimator": KMeans(2),
    "a name": "kmeans", "groups": [{1, 2}, {3}], "keyed": {1: 0, 2: 1}, "a truth value": True,
    "a scalar array": np.array("x"), "a date": np.datetime64("2020-01-01"),
    "tuples": [(1, 2)] * 30, "strange text": ["\x00"] * 15 + ["\ud800"] * 15, "complex": 1 + 2j,
}  # fmt: skip
QUIET = {"samples": 2, "progress": False}
FEW = {"references": 0, "progress": False}
CALLS = {
    "tendency": cv.tendency,
    "tendency, seed": lambda a: cv.tendency(X, random_state=a),
    "stability, points": lambda a: cv.stability("kmeans", a, clusters=2, **QUIET),
    "stability, clusterer": lambda a: cv.stability(a, X, **QUIET),
    "stability, runs": cv.stability,
    "stability, labels": lambda a: cv.stability(KMeans(2, n_init=1), X, a, **QUIET),
    "stability, reference": lambda a: cv.stability([Y, Y], labels=a),
    "stability, samples": lambda a: cv.stability(KMeans(2), X, samples=a, progress=False),
    "stability, clusters": lambda a: cv.stability("kmeans", X, clusters=a, **QUIET),
    "stability, share": lambda a: cv.stability("kmeans", X, clusters=2, share=a, **QUIET),
    "stability, noise": lambda a: cv.stability([Y, Y], labels=Y, noise=a),
    "drift": cv.drift,
    "drift, after": lambda a: cv.drift(Y, a),
    "drift, before": lambda a: cv.drift(a, Y),
    "drift, new objects": lambda a: cv.drift(Y, a, objects="new"),
    "drift, new points": lambda a: cv.drift(Y, X=X, new=a),
    "drift, names": lambda a: cv.drift(Y, Y, names=a),
    "drift, confidence": lambda a: cv.drift(Y, Y, confidence=a),
    "cluster tree": lambda a: cv.plots.cluster_tree(a),
    "cluster tree, labels": lambda a: cv.plots.cluster_tree({1: Y, 2: a}),
    "grid": lambda a: cv.tune("kmeans", X, grid=a, **FEW),
    "grid, values": lambda a: cv.tune("kmeans", X, grid={"n_clusters": [2], "n_init": a}, **FEW),
    "grid, clusterers": lambda a: cv.tune([a, "kmeans"], X, grid={"n_clusters": [2, 3]}, **FEW),
    "memberships": cv.Memberships,
    "memberships, labels": lambda a: cv.Memberships.from_labels(a),
    "memberships, side": lambda a: cv.ndc(a, np.full((30, 2), 0.5)),
    "memberships, points": lambda a: cv.fuzzy_xie_beni(a, np.full((30, 2), 0.5)),
    "cover": cv.Cover,
    "cover, objects": lambda a: cv.Cover([[0, 1]], a),
    "cover, edges": lambda a: cv.Cover.from_edges(a, Y),
    "cover, side": lambda a: cv.omega_index(a, [{0, 1}, {2}]),
    "hierarchy": cv.Hierarchy,
    "hierarchy, leaves": lambda a: cv.Hierarchy("((a,b),c);", a),
    "hierarchy, side": lambda a: cv.robinson_foulds("((a,b),c);", a),
    "cuts": lambda a: cv.b_k("(((a,b),c),(d,e));", "(((a,c),b),(d,e));", ks=a),
    "silhouette, points": lambda a: cv.silhouette(a, Y),
    "assign, new": lambda a: cv.assign(X, Y, a),
    "align": lambda a: cv.align(Y, to=a),
}


@pytest.mark.parametrize("name", CALLS)
def test_there_is_an_answer_or_one_sentence(name):
    for kind, given in ODD.items():
        try:
            repr(CALLS[name](given))
        except ClustervetError as error:
            said = str(error)
            assert "\n" not in said, (kind, said)
            assert len(said) < 700, (kind, said)
        except Exception as error:  # the kind of input that did it
            error.add_note(f"given: {kind}")
            raise
