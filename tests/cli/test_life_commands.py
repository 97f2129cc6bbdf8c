"""The commands before and after a score: tendency, stability and drift."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

import clustervet as cv

RNG = np.random.default_rng(2)
X = np.concatenate([RNG.normal(c, 1, (40, 2)) for c in ((0, 0), (15, 0), (0, 15))])
Y = np.repeat(["a", "b", "c"], 40)
POINTS = pd.DataFrame({"id": range(120), "x": X[:, 0], "y": X[:, 1], "group": Y})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    POINTS.to_csv(tmp_path / "points.csv", index=False)
    before = pd.DataFrame({"who": [f"c{k}" for k in range(120)], "segment": Y})
    after = (
        before.assign(segment=np.where(Y == "a", "b", Y)).iloc[5:].sample(frac=1, random_state=0)
    )
    before.to_csv(tmp_path / "jan.csv", index=False)
    after.to_csv(tmp_path / "feb.csv", index=False)
    after.assign(who=after["who"] + "x").to_csv(tmp_path / "apart.csv", index=False)
    pd.concat([before.assign(month=1), after.assign(month=2)]).to_csv(
        tmp_path / "long.csv", index=False
    )
    pd.DataFrame({"jan": Y, "feb": np.where(Y == "a", "b", Y), "mar": Y}).to_csv(
        tmp_path / "wide.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def data(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_tendency(run, folder):
    found = data(run("tendency", "points.csv", "-f", "json", "--report", "page.html"))
    assert found["answer"] == "clusters"
    assert found == cv.tendency(POINTS[["x", "y"]]).to_dict()
    assert (
        "ordered" in (folder / "page.html").read_text()
        or "iVAT" in (folder / "page.html").read_text()
    )


def test_stability(run, folder):
    words = ("stability", "points.csv", "--k", "3", "--samples", "10", "-f", "json")
    found = data(run(*words, "--objects", "objects.csv"))
    right = cv.stability(
        "kmeans", POINTS[["x", "y"]], clusters=3, samples=10, random_state=0, progress=False
    )
    assert found == right.to_dict()
    with open(folder / "objects.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["cluster"]) for row in rows] == right.listed_objects()["cluster"]
    given = data(run(*words, "--pred", "group", "-e", "ward"))
    assert [row["cluster"] for row in given["clusters"]] == ["a", "b", "c"]
    assert [row["jaccard"] for row in given["clusters"]] == [1, 1, 1]


def test_drift_of_files_that_an_id_joins(run, folder):
    found = data(run("drift", "jan.csv", "feb.csv", "--id", "who", "-f", "json"))
    moved = "0.0% of the 115 objects with a cluster at both times moved"
    assert found["verdict"] == f"Of 3 clusters, 1 kept; 1 merged; {moved}."
    assert (found["gone"], found["names"]) == (5, ["jan", "feb"])
    long = ("drift", "long.csv", "--by", "month", "--id", "who", "-l", "segment", "-f", "json")
    assert data(run(*long))["events"] == found["events"]


def test_drift_of_columns_is_a_chain(run, folder):
    found = data(run("drift", "wide.csv", "--labels", "jan,feb,mar", "-f", "json"))
    kinds = [[event["kind"] for event in step["events"]] for step in found["steps"]]
    assert kinds == [["merged", "kept"], ["split", "kept"]]
    shown = run("drift", "wide.csv", "--labels", "jan,feb,mar")
    assert shown.out.count("What changed") == 2


def test_drift_of_other_objects(run, folder):
    words = ("drift", "jan.csv", "feb.csv", "-l", "segment", "--objects", "new", "-f", "json")
    found = data(run(*words))
    assert [row["objects_after"] for row in found["clusters"]] == [0, 75, 40]
    assert found["p_value"] == 1e-4


@pytest.fixture
def new_points(folder):
    """More points in the clusters a, b and b, and their features by other names."""
    new = pd.DataFrame({"y": X[20:, 1] + 0.5, "x": X[20:, 0], "note": Y[20:]})
    new.to_csv(folder / "new.csv", index=False)
    return new


@pytest.mark.parametrize("label", ["--pred", "--labels", "-p", "-l"])
def test_drift_gives_new_points_the_clusters_of_old_ones(run, new_points, label):
    words = ("drift", "points.csv", "new.csv", "--features", "x,y", label, "group", "-f", "json")
    found = data(run(*words))
    assert found == cv.drift(Y, X=POINTS[["x", "y"]], new=new_points[["x", "y"]]).to_dict()
    assert [row["objects_after"] for row in found["clusters"]] == [20, 40, 40]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("--how knn", {"how": "knn"}),
        ("--how average --metric manhattan", {"how": "average", "metric": "manhattan"}),
        ("--standardize", {"standardize": True}),
        ("--how knn --standardize --metric cosine", {"how": "knn", "metric": "cosine"}),
    ],
)
def test_drift_of_new_points_by_other_rules(run, folder, words, options):
    rng = np.random.default_rng(5)
    points, new = (
        pd.DataFrame(rng.normal(size=(60, 2)) * (1, 1000), columns=["x1", "x2"]) for _ in range(2)
    )
    labels = rng.choice(["a", "b", "c"], 60)
    points.assign(c=labels).to_csv(folder / "before.csv", index=False)
    new.to_csv(folder / "after.csv", index=False)
    ran = run("drift", "before.csv", "after.csv", "--features", "x*", "-p", "c", *words.split(),
              "-f", "json")  # fmt: skip
    found = data(ran)
    if "--standardize" in words:
        mean, spread = points.mean(), points.std(ddof=0)
        points, new = (points - mean) / spread, (new - mean) / spread
        options = options | {"standardize": False}
    assert found["clusters"] == cv.drift(labels, X=points, new=new, **options).to_dict()["clusters"]


def test_drift_of_new_points_of_any_kind(run, new_points):
    new_points.rename(columns={"note": "group"}).to_csv("kinds.csv", index=False)
    POINTS.assign(cluster=Y).to_csv("before.csv", index=False)
    words = ("--features", "x,group", "-p", "cluster", "--metric", "gower", "--how", "average")
    found = data(run("drift", "before.csv", "kinds.csv", *words, "-f", "json"))
    assert [row["objects_after"] for row in found["clusters"]] == [20, 40, 40]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("points.csv new.csv --features x,y", "name one column of clusters with --labels"),
        ("points.csv new.csv --features x,y -p group,id", "name one column of clusters"),
        ("points.csv new.csv --features id -p group", "new.csv has no column 'id'"),
        ("points.csv new.csv --features x,z -p group", "points.csv has no column 'z'"),
        ("new.csv points.csv --features x,y -p group", "new.csv has no column 'group'"),
        ("new.csv new.csv --features x,note -p y", "holds 'a' in line 2, which is no number"),
        ("points.csv --features x,y -p group", "--features goes with two files"),
        ("points.csv new.csv new.csv --features x -p group", "--features goes with two files"),
        ("points.csv new.csv -l group --how knn", "--how goes with --features"),
        ("points.csv new.csv -l group --metric cosine", "--metric goes with --features"),
        ("points.csv new.csv -l group --standardize", "--standardize goes with --features"),
        ("points.csv new.csv -l group --exclude x", "--exclude goes with --features"),
        ("points.csv new.csv --features x -p group --id id", "--id does not go with --features"),
        ("points.csv new.csv --features x -p group --by-row", "--by-row does not go with"),
        ("points.csv new.csv --features x -p group --objects same", "--objects same does not go"),
        ("points.csv new.csv --features x -p group --how near", "--how must be"),
        ("points.csv new.csv --features x -p group --metric precomputed", "by their features"),
        ("points.csv new.csv --features x -p group --metric gower", "centroids are by Euclidean"),
        (
            "points.csv new.csv --features x -p group --metric gower --how knn --standardize",
            "--standardize does not go with --metric gower",
        ),
    ],
)
def test_new_points_that_are_refused(refused, new_points, words, said):
    assert said in refused("drift", *words.split())


def test_compare_joins_files_by_id(run, folder):
    found = data(run("compare", "jan.csv", "feb.csv", "--id", "who", "--shared", "-f", "json"))
    assert {"jan", "feb"} <= {*json.dumps(found).replace('"', " ").split()}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("tendency points.csv --features group", "group"),
        ("tendency none.csv", "none.csv"),
        ("stability points.csv", "--k"),
        ("stability points.csv --k 3 --how often", "--how"),
        ("stability points.csv --k 3 --share 3", "share"),
        ("stability points.csv --k 3 --pred nothing", "nothing"),
        ("stability points.csv --k 1", "--k must be a whole number of at least 2, not 1"),
        ("stability points.csv --k 3 --how jitter --share 0.5", "--share goes with --how subset"),
        ("drift jan.csv apart.csv --id who", "no object in common; for other objects in the same"),
        ("drift wide.csv --labels jan", "two times"),
        ("drift jan.csv feb.csv --id segment", "has 'a' twice in column 'segment'"),
        ("drift jan.csv feb.csv --labels segment", "do not match"),
        ("drift jan.csv feb.csv --id who --objects old", "--objects"),
        ("drift long.csv --by month -l segment", "--by goes with --id"),
        ("drift points.csv points.csv --id id", "is given twice"),
    ],
)
def test_what_is_refused(refused, folder, words, said):
    assert said in refused(*words.split())


def test_tune_takes_several_clusterers_and_grids(run, folder):
    words = ("tune", "points.csv", "--features", "x,y", "--references", "0", "-f", "json")
    found = data(run(*words, "-e", "kmeans,ward", "--k", "2..5"))
    assert len(found["values"]) == 8
    assert found["voted"] == "kmeans n_clusters=3"
    grid = data(run(*words, "-e", "dbscan", "--grid", "eps=1,2", "--grid", "min_samples=3..5"))
    assert grid["settings"][0] == {"estimator": "dbscan", "eps": 1, "min_samples": 3}
    assert len(grid["values"]) == 6
    assert len(data(run(*words, "-e", "kmeans", "-e", "ward"))["values"]) == 38


def test_noise_in_times_is_mentioned(run, folder):
    wide = pd.read_csv("wide.csv").assign(feb=[-1] * 10 + [0] * 30 + [1] * 80)
    wide.to_csv("noisy.csv", index=False)
    ran = run("drift", "noisy.csv", "--labels", "jan,feb")
    assert "Noise counts as no cluster: 10 objects in feb." in ran.out
    assert "of the 110 objects with a cluster at both times moved." in ran.out
    assert data(run("drift", "noisy.csv", "--labels", "jan,feb", "-f", "json"))["noise"] == [0, 10]


def test_bad_grids_are_refused(refused, folder):
    asked = ("tune", "points.csv", "--grid", "n_clusters=2..4")
    assert "--k or --parameter gives values of n_clusters already" in refused(*asked, "--k", "2..5")
    assert "--grid has values of n_clusters already" in refused(*asked, "--grid", "n_clusters=2,3")
    assert "NAME=RANGE" in refused("tune", "points.csv", "-e", "dbscan", "--grid", "eps")
    assert "eps" in refused("tune", "points.csv", "-e", "dbscan", "--grid", "epps=1,2")
