"""Representations are paid for like algorithms (Banerjee & Langford 2004, eq. 4)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, KMeans

import clustervet as cv
from clustervet.cli import main
from clustervet.errors import FeatureError, FileError, ParameterError
from clustervet.pacmdl import bmax

RNG = np.random.default_rng(5)
Y = np.repeat(["a", "b", "c"], 40)
# Classes differ in the narrow feature alone, which the wide one hides.
X = np.c_[RNG.normal(0, 1000, 120), np.repeat([0, 5, 10], 40) + RNG.normal(0, 0.7, 120)]
KINDS = {"raw": {}, "standardized": {"standardize": True}}


def test_the_choice_among_all_pairs_is_paid_for():
    found = cv.select(X, Y, ["kmeans", "ward"], [2, 3, 4], 2, representations=KINDS)
    assert found.study.algorithms == (
        "kmeans (raw)", "ward (raw)", "kmeans (standardized)", "ward (standardized)",
    )  # fmt: skip
    assert found.best.representation == "standardized"
    best = found.best
    c = best.clusters
    bits = best.found * math.log2(3) + math.log2(2) + math.log2(c * (c - 1)) + math.log2(2 * 2)
    assert best.bits == pytest.approx(bits)
    assert best.max_errors == bmax(60, 60, best.train_errors, math.log2(0.1) - bits)
    assert found.bound.max_errors == best.max_errors
    assert found.columns()["representation"][0] == "raw"
    assert "4 pairs of algorithm and representation (raw, standardized)" in repr(found)


def test_one_representation_alone_is_the_selection_without_representations():
    """The same seeds, the same bits: what `among` tells is what would have come out."""
    found = cv.select(X, Y, ["kmeans", "ward"], [2, 3, 4], 3, representations=KINDS)
    for kind, standardize in (("raw", False), ("standardized", True)):
        alone = cv.select(X, Y, ["kmeans", "ward"], [2, 3, 4], 3, standardize=standardize)
        held = found.among([f"{name} ({kind})" for name in ("kmeans", "ward")])
        assert held.lowest.max_errors == alone.best.max_errors
        assert held.lowest.bits == pytest.approx(alone.best.bits)
        assert held.languages() == alone.languages()
        assert [one.seed for one in held.table] == [one.seed for one in alone.table]
        assert [one.train_errors for one in held.table] == [one.train_errors for one in alone.table]
    with pytest.raises(ParameterError, match="did not try 'kmeans', but kmeans"):
        found.among(["kmeans"])
    with pytest.raises(ParameterError, match="empty"):
        found.among([])


def test_other_features_of_the_same_points():
    narrow = X[:, 1:]
    found = cv.select(
        X, Y, {"w": AgglomerativeClustering()}, [3], representations={"all": {}, "narrow": narrow}
    )
    wanted = AgglomerativeClustering(3).fit_predict(narrow)
    assert found.best.representation == "narrow"
    assert cv.adjusted_rand(found.labels, wanted) == 1.0


def test_a_journal_knows_what_was_read(tmp_path):
    journal = tmp_path / "run.db"
    options = {"algorithms": ["kmeans"], "clusters": [2, 3], "runs": 2, "journal": journal}
    first = cv.select(X, Y, **options, representations=KINDS | {"own": X[:, 1:]})
    again = cv.select(X, Y, **options, representations=KINDS | {"own": X[:, 1:]}, resume=True)
    assert first.to_json() == again.to_json()
    with pytest.raises(FileError, match=r"journal of another run: its kmeans .own. has input="):
        cv.select(X, Y, **options, representations={"own": X[:, :1]})
    with pytest.raises(FileError, match="journal of another run"):
        cv.select(X, Y, **options, representations={"raw": {"standardize": True}})


def test_the_estimator_predicts_by_the_chosen_representation():
    search = cv.PacMdlSearch(
        {"km": KMeans(n_init=1)}, clusters=[3], runs=2, representations=KINDS
    ).fit(X, Y)
    assert search.best_params_["representation"] == "standardized"
    assert search.predict([[0.0, 0.0], [0.0, 5.0], [0.0, 10.0]]).tolist() == ["a", "b", "c"]
    with pytest.raises(ParameterError, match="mapping of settings here"):
        cv.PacMdlSearch(["kmeans"], representations={"own": X}).fit(X, Y)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "must be a mapping such as"),
        (["raw"], "must be a mapping such as"),
        ({"": {}}, "name must be a word"),
        ({3: {}}, "name must be a word"),
        ({"a": {"neighbors": 3}}, "no setting 'neighbors'; did you mean neighbours?"),
        ({"a": {"neighbours": 3}}, "neighbours smooth counts of words"),
        ({"a": {"weighting": "bm25"}}, "weighting must be"),
        ({"a": {"standardize": "perhaps"}}, "standardize must be yes or no"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(ParameterError) as caught:
        cv.select(X, Y, ["kmeans"], [2], 1, representations=given)
    assert message in str(caught.value)


def test_features_of_other_points_are_refused():
    with pytest.raises(FeatureError, match="'own' has 119 points and X has 120"):
        cv.select(X, Y, ["kmeans"], [2], 1, representations={"own": X[1:]})
    with pytest.raises(FeatureError, match="representations"):
        cv.select(X, Y, ["kmeans"], [2], 1, representations={"own": [[np.nan]] * 120})
    both = {"a": KMeans(), "a (x)": KMeans()}
    with pytest.raises(ParameterError, match="are called"):
        cv.select(X, Y, both, [2], 1, representations={"x) (y": {}, "y": {}, "x": {}})


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    table = tmp_path / "t.csv"
    rows = [f"{a},{b},{c}" for (a, b), c in zip(X.tolist(), Y, strict=True)]
    table.write_text("\n".join(["wide,narrow,y", *rows]))

    def run(*more):
        line = ["clustervet", "select", str(table), "-l", "y", "-a", "kmeans", "--k", "2..3"]
        monkeypatch.setattr("sys.argv", [*line, "--runs", "2", *more])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, *capsys.readouterr()

    kinds = ["--representation", "raw", "--representation", "even,standardize=yes"]
    code, out, _ = run(*kinds, "--train", "0.3,0.5", "--run-choice", "objective", "-f", "json")
    assert code == 0
    assert '"representation": "even"' in out
    for wrong, message in (
        (["--representation", "a,b"], "settings such as neighbours=10, not 'b'"),
        (["--representation", "a", "--representation", "a"], "names 'a' twice"),
        (["--representation", "a,neighbours=" + "9" * 5000], "neighbours"),
        (["--train", "0.3,x"], "--train is a share"),
        (["--train", "0.3,0.5", "--predictions", str(tmp_path / "p.csv")], "--predictions needs"),
        (["--run-choice", "luck"], "--run-choice"),
    ):
        code, _, err = run(*wrong)
        assert (code, message in err) == (2, True), err
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
