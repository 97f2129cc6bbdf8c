"""The command `tree`."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy.cluster.hierarchy import linkage
from sklearn.datasets import load_iris

import clustervet as cv

X, Y = load_iris(return_X_y=True)
MERGES = linkage(X, "average")
NESTED = "id,y,class,kind\n0,air,bird,owl\n1,air,bird,duck\n2,sea,fish,cod\n3,sea,fish,cod\n"


@pytest.fixture
def flowers(tmp_path):
    path = tmp_path / "flowers.csv"
    pl.DataFrame({"kind": Y, "x": X[:, 0]}).write_csv(path)
    return path


@pytest.fixture
def animals(tmp_path):
    path = tmp_path / "animals.csv"
    path.write_text(NESTED)
    return path


def test_the_command_prints_what_the_function_finds(run, flowers, tmp_path):
    np.save(tmp_path / "Z.npy", MERGES)
    cut, page = tmp_path / "cut.csv", tmp_path / "page.html"
    asked = ["tree", flowers, "-t", "kind", "--linkage", tmp_path / "Z.npy", "-m", "ari,vi"]
    ran = run(*asked, "-f", "json", "--cut", cut, "--report", page, "--k", "2..5,150")
    assert ran.code == 0, ran.err
    wanted = cv.score_tree(Y.astype(str), MERGES, ["ari", "vi"], clusters=[2, 3, 4, 5, 150])
    assert json.loads(ran.out) == json.loads(wanted.to_json())
    assert pl.read_csv(cut)["cluster"].to_list() == wanted.labels().tolist()
    assert "tree-levels" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["npy", "npz", "csv", "headed.csv", "parquet"])
def test_a_linkage_may_be_in_files_of_many_kinds(run, flowers, tmp_path, form):
    path = tmp_path / f"Z.{form}"
    if form == "npy":
        np.save(path, MERGES)
    elif form == "npz":
        np.savez(path, Z=MERGES, other=np.zeros((3, 2)))
    elif form == "parquet":
        pl.DataFrame(MERGES, schema=["a", "b", "height", "size"]).write_parquet(path)
    else:
        head = "a,b,height,size" if "headed" in form else ""
        np.savetxt(path, MERGES, delimiter=",", header=head, comments="")
    extra = ["--array", "Z"] if form == "npz" else []
    ran = run("tree", flowers, "-t", "kind", "--linkage", path, "-f", "json", *extra)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["cut"]["clusters"] == 7


def test_nested_columns(run, animals):
    ran = run("tree", animals, "-t", "y", "-f", "csv")
    assert ran.code == 0
    assert ran.err == "clustervet: levels from coarse to fine are class, kind.\n"
    assert [line.split(",")[0] for line in ran.out.splitlines()[1:]] == [
        "all objects", "class", "kind",
    ]  # fmt: skip
    ran = run("tree", animals, "-t", "y", "-l", "class,kind")
    assert ran.err == ""
    assert "The best cut has 2 clusters" in ran.out


def test_missing_classes_and_own_measures(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_tree_measure.py").write_text(
        "import clustervet as cv\n"
        "@cv.measure(title='Number of clusters', family='mine', better='lower', bounds=(1, 99))\n"
        "def number_of_clusters(table):\n"
        "    return float(table.shape[1])\n"
    )
    path = tmp_path / "gaps.csv"
    path.write_text("y,class,kind\nair,bird,owl\n,bird,duck\nsea,fish,cod\n-1,fish,cod\n")
    ran = run(
        *("tree", path, "-t", "y", "--missing", "drop", "--noise", "drop", "-f", "json"),
        *("--measure", "own_tree_measure:number_of_clusters", "--cut", "cut.csv"),
    )
    try:
        assert ran.code == 0, ran.err
        found = json.loads(ran.out)
        assert (found["objects"], found["left_out"]) == (2, 2)
        assert found["levels"]["number_of_clusters"] == [1, 2, 2]
        assert len(pl.read_csv("cut.csv")) == 4
    finally:
        cv.measures.remove("number_of_clusters")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("animals.csv", "has the columns y, class, kind; say which one has the classes with --t"),
        ("animals.csv -t z", "has no column"),
        ("animals.csv -t y -l kind,class", "must run from coarse to fine, and kind"),
        ("animals.csv -t y -l kind,kind", "--labels names 'kind' twice"),
        ("crossed.csv -t y", "b is not nested in a: objects with its label '0' lie in '0'"),
        ("truth.csv", "truth.csv has no column beside the classes"),
        ("truth.csv --linkage no.npy", "no.npy cannot be read"),
        ("truth.csv --linkage Z.npy", "truth.csv has 3 rows, and the tree in Z.npy has 150"),
        ("truth.csv --linkage animals.csv", "animals.csv holds no linkage matrix: column"),
        (
            "truth.csv --linkage X.npy",
            "X.npy is not a valid linkage: row 0 merges nodes that are no",
        ),
        ("truth.csv --linkage nan.npy", "nan.npy holds no linkage matrix"),
        ("animals.csv -t y -l kind --linkage Z.npy", "--linkage goes without --l"),
        ("flat.csv -t y --linkage Z.npy --k 2", "--k goes with --measures."),
        ("- --linkage -", "only one of the files can be standard input"),
        ("animals.csv -t y -m ari --k 2", "--k is for a dendrogram"),
        ("flat.csv -t y --linkage Z.npy -m ari --k 0", "--k must be between"),
        ("gaps.csv -t y", "a has 1 missing label, the first at position 1; drop such"),
    ],
)
def test_refusals(refused, animals, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    np.save("Z.npy", MERGES)
    np.save("X.npy", X)
    np.save("nan.npy", np.full((2, 4), np.nan))
    files = {
        "truth.csv": "y\na\nb\na\n",
        "crossed.csv": "y,a,b\nu,0,0\nv,1,0\nv,1,1\n",
        "gaps.csv": "y,a\nu,0\nv,\n",
        "flat.csv": "y\n" + "\n".join(map(str, Y)) + "\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.iterdir())
    assert said in refused("tree", *words.split(), "-o", "answer.json")
    assert sorted(tmp_path.iterdir()) == before
