"""`score` of covers, trees and memberships in files."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.cluster.hierarchy import linkage

import clustervet as cv

EDGES = "object,group\na,x\nb,x\nb,y\nc,y\nd,\ne,y\n"
OTHER = "object,group\na,1\nb,1\nc,2\nd,2\ne,2\nb,2\n"
SOFT = (
    "y,p0,p1,q0,q1,x1,x2\na,1,0,0.9,0.1,1,2\na,0.5,0.5,0.8,0.2,2,1\n"
    "b,0.25,0.75,0.1,0.9,5,7\nb,0,1,0,1,5.5,7\n"
)
NEWICK = "((a:1,b:1):2,(c:2,d:2):1);"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a file of each kind, which is the current one."""
    texts = {"t.csv": EDGES, "p.csv": OTHER, "soft.csv": SOFT, "a.nwk": NEWICK}
    texts["b.nwk"] = "((a:1,c:1):2,(b:2,d:2):1);"
    rows = ["o,t,p", "a,x,1", "b,x,1", "b,y,1", "b,,2", "c,y,2", "d,,2", "e,y,2"]
    texts["one.csv"] = "\n".join(rows) + "\n"
    texts["nested.csv"] = "class,order,g\nbird,owl,a\nbird,owl,a\nbird,duck,b\nfish,cod,c\n"
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def values(ran):
    assert ran.code == 0, ran.err
    data = json.loads(ran.out)
    return {score["measure"]: score["value"] for score in data["scores"]}


TRUE = cv.Cover({"x": ["a", "b"], "y": ["b", "c", "e"]}, objects="abcde")
FOUND = cv.Cover({"1": ["a", "b"], "2": ["b", "c", "d", "e"]}, objects="abcde")


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"], ["--engine", "polars"]])
def test_covers_in_two_files(run, folder, engine):
    found = values(run("score", "t.csv", "p.csv", "--cover", "-f", "json", *engine))
    records = cv.measures.select(kind="overlapping")
    assert list(found) == [record.key for record in records]
    for record in records:
        assert found[record.key] == pytest.approx(record(TRUE, FOUND))


def test_covers_in_columns_of_one_table(run, folder):
    asked = ["score", "one.csv", "--cover", "--id", "o", "-t", "t", "-p", "p", "-f", "json"]
    found = values(run(*asked))
    assert found["omega_index"] == pytest.approx(cv.omega_index(TRUE, FOUND))
    ran = run(*asked[:-2])
    assert "1 object is in no group of truth" in ran.out


def test_a_first_row_that_looks_like_data_is_mentioned(run, folder):
    (folder / "bare.csv").write_text(OTHER.partition("\n")[2] + "e,1\n", encoding="utf-8")
    ran = run("score", "t.csv", "bare.csv", "--cover")
    assert "the first line of bare.csv, 1, is taken as a name; with --no-header" in ran.err
    assert run("score", "t.csv", "p.csv", "--cover").err == ""


def test_a_membership_that_is_there_twice_is_refused_as_in_python(refused, folder):
    (folder / "p.csv").write_text(OTHER + "a,1\n", encoding="utf-8")
    line = refused("score", "t.csv", "p.csv", "--cover")
    assert "p.csv has object 'a' more than once in group '1'; a group has an object once." in line


@pytest.mark.parametrize("kind", ["int", "float", "bool", "str"])
@pytest.mark.filterwarnings("ignore:The inplace keyword in:DeprecationWarning")
@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
def test_an_object_without_a_group_is_in_none_whatever_the_type(run, folder, kind, engine):
    values_of = {"int": [1, 2, None], "float": [1.0, 2.0, None], "bool": [True, False, None]}
    held = values_of.get(kind, ["x", "y", None])
    table = pa.table({"o": ["a", "b", "c"], "g": held, "h": held})
    pq.write_table(table, folder / "t.parquet")
    asked = ("score", "t.parquet", "--cover", "--id", "o", "-t", "g", "-p", "h")
    ran = run(*asked, "-f", "json", "--engine", engine)
    assert ran.code == 0, ran.err
    card = json.loads(ran.out)
    assert card["true groups"] == 2
    assert "1 object is in no group of truth" in card["remarks"]


def test_ids_of_files_are_compared_as_they_are_written(run, refused, folder):
    (folder / "i.csv").write_text("o,g\n1,x\n2,y\n3,x\n", encoding="utf-8")
    pq.write_table(pa.table({"o": [1, 2, 3], "g": ["x", "y", "x"]}), folder / "i.parquet")
    found = values(run("score", "i.csv", "i.parquet", "--cover", "-f", "json"))
    assert found["omega_index"] == 1
    (folder / "u.csv").write_text("o,g\nu,x\nv,y\n", encoding="utf-8")
    line = refused("score", "i.csv", "u.csv", "--cover")
    assert "i.csv and u.csv have no object in common: the first has '1', and the second 'u'" in line


def test_the_truth_is_no_prediction(refused, folder):
    (folder / "w.csv").write_text("o,t,p\na,1,2\nb,1,2\n", encoding="utf-8")
    line = refused("score", "w.csv", "--cover", "--id", "o", "-t", "t", "-p", "t,p")
    assert "--pred names t, which is the truth." in line


def test_several_predictions_and_a_report(run, folder):
    (folder / "q.csv").write_text("o,g\na,1\nb,1\nc,1\nd,2\ne,2\n", encoding="utf-8")
    ran = run("score", "t.csv", "p.csv", "q.csv", "--cover", "--report", "r.html")
    assert ran.code == 0, ran.err
    assert "p: 5 objects, 2 true groups, 2 groups" in ran.out
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert "omega_index" in page or "Omega index" in page


def test_trees_in_files(run, folder):
    found = values(run("score", "a.nwk", "b.nwk", "--tree", "-f", "json"))
    one, other = cv.Hierarchy(NEWICK), cv.Hierarchy((folder / "b.nwk").read_text())
    assert found["robinson_foulds"] == cv.robinson_foulds(one, other) == 4
    assert found["cophenetic_correlation"] == pytest.approx(cv.cophenetic_correlation(one, other))


def test_linkage_matrices_in_files(run, folder):
    points = np.random.default_rng(0).normal(size=(12, 2))
    trees = [linkage(points, method) for method in ("average", "single")]
    np.save("one.npy", trees[0])
    np.savetxt("two.csv", trees[1], delimiter=",")
    found = values(run("score", "one.npy", "two.csv", "--tree", "-f", "json", "-m", "bakers_gamma"))
    assert found["bakers_gamma"] == pytest.approx(cv.bakers_gamma(*trees))


def test_nested_labels_in_one_table(run, folder):
    asked = ["score", "nested.csv", "--tree", "-t", "class", "-t", "order", "-p", "g"]
    found = values(run(*asked, "-f", "json", "-m", "robinson_foulds"))
    levels = [["bird"] * 3 + ["fish"], ["owl", "owl", "duck", "cod"]]
    assert found["robinson_foulds"] == cv.robinson_foulds(levels, [["a", "a", "b", "c"]])


def test_levels_may_be_named_at_once(run, folder):
    found = run("score", "nested.csv", "--tree", "-t", "class,order", "-p", "g", "-f", "json")
    assert found.out == run(
        "score", "nested.csv", "--tree", "-t", "class", "-t", "order", "-p", "g", "-f", "json"
    ).out  # fmt: skip
    assert "dendrogram_purity" not in values(found)  # whose truth would be classes
    assert "dendrogram_purity" in values(
        run("score", "nested.csv", "--tree", "-t", "class", "-p", "g", "-f", "json")
    )


def test_merges_and_newick_text_have_no_leaves_to_match(refused, folder):
    np.save("one.npy", [[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 3, 4.0]])
    line = refused("score", "one.npy", "a.nwk", "--tree")
    assert "the leaves of pred have names and those of truth have none" in line


def test_memberships_against_memberships_classes_and_points(run, folder):
    p = [[1, 0], [0.5, 0.5], [0.25, 0.75], [0, 1]]
    q = [[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0, 1]]
    asked = ["score", "soft.csv", "--memberships", "p*", "-f", "json"]
    found = values(run(*asked, "--true-memberships", "q*"))
    assert found["ndc"] == pytest.approx(cv.ndc(q, p))
    assert list(found) == [record.key for record in cv.measures.select(kind="soft")]
    found = values(run(*asked, "-t", "y", "-m", "ndc,fuzzy_rand"))
    assert found["fuzzy_rand"] == pytest.approx(cv.fuzzy_rand(["a", "a", "b", "b"], p))
    assert values(run(*asked, "-t", "y", "--family", "soft"))["ndc"] == found["ndc"]
    found = values(run(*asked, "--features", "x*"))
    points = [[1, 2], [2, 1], [5, 7], [5.5, 7]]
    assert found["fuzzy_xie_beni"] == pytest.approx(cv.fuzzy_xie_beni(points, p))
    found = values(run(*asked))
    assert found["partition_coefficient"] == pytest.approx(cv.partition_coefficient(p))
    assert found["fuzzy_xie_beni"] is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["t.csv", "--cover"], "--cover compares two files of objects and their groups"),
        (["soft.csv", "t.csv", "--cover"], "soft.csv has the columns y, p0"),
        (["t.csv", "p.csv", "--cover", "--tree"], "--cover, --tree and --memberships exclude"),
        (["t.csv", "p.csv", "--cover", "-m", "rand"], "rand needs labels, not two covers."),
        (["t.csv", "p.csv", "--cover", "--weights", "w"], "--weights does not go with --cover."),
        (["t.csv", "p.csv", "--cover", "--noise", "drop"], "--noise does not go with --cover."),
        (["t.csv", "p.csv", "--cover", "--diagnose"], "--diagnose is for labels"),
        (["t.csv", "p.csv", "--cover", "--confidence", "0.9"], "at least 20 objects; there are 5"),
        (["a.nwk", "--tree"], "--tree compares two files with a tree each"),
        (["a.nwk", "t.csv", "--tree"], "t.csv holds no linkage matrix"),
        (["a.nwk", "gone.nwk", "--tree"], "gone.nwk cannot be read: No such file"),
        (["a.nwk", "b.nwk", "--tree", "-t", "y"], "takes one tree from each; name no columns"),
        (
            ["nested.csv", "--tree", "-t", "order", "-t", "class", "-p", "g"],
            "nested.csv: the level",
        ),
        (["soft.csv", "--true-memberships", "q*"], "--true-memberships goes with --memberships."),
        (["soft.csv", "--memberships", "p*,x1"], "soft.csv: row 0 of memberships sums to 2"),
        (["soft.csv", "--memberships", "p*,q*"], "every row of memberships sums to 2, not 1, as"),
        (
            ["soft.csv", "-t", "y", "--memberships", "p*", "--family", "covers"],
            "best_match_f1_truth needs covers, not a second labeling.",
        ),
        (
            ["nested.csv", "-t", "class", "-p", "g", "--family", "soft"],
            "ndc needs memberships, not a second labeling.",
        ),
        (["soft.csv", "--memberships", "p*", "--confidence", "0.9"], "--confidence goes with a"),
        (["soft.csv", "--memberships", "p*", "--sample", "9"], "--sample does not go with"),
    ],
)
def test_what_does_not_fit_is_refused(refused, folder, options, words):
    assert words in refused("score", *options)


def test_a_malformed_tree_is_refused_with_its_place(refused, folder):
    (folder / "bad.nwk").write_text("((a,b),(c", encoding="utf-8")
    said = refused("score", "a.nwk", "bad.nwk", "--tree")
    assert "bad.nwk: the Newick text is malformed at character 10" in said
    (folder / "bad.nwk").write_text("((a,b),(c,e));", encoding="utf-8")
    assert "truth alone has 1 (d) and pred alone has 1 (e)" in refused(
        "score", "a.nwk", "bad.nwk", "--tree"
    )
    (folder / "bad.nwk").write_bytes(b"((a,\xff),b);")
    assert "bad.nwk is not UTF-8 text" in refused("score", "a.nwk", "bad.nwk", "--tree")


def test_an_output_never_replaces_a_tree(refused, folder):
    assert "a.nwk" in refused("score", "a.nwk", "b.nwk", "--tree", "-o", "a.nwk")
    assert (folder / "a.nwk").read_text(encoding="utf-8") == NEWICK


def test_missing_labels_of_nested_levels_follow_the_policy(run, refused, folder):
    (folder / "m.csv").write_text("a,b\nx,p\nx,p\ny,q\n,q\n", encoding="utf-8")
    asked = ("score", "m.csv", "--tree", "-t", "a", "-p", "b")
    assert "--missing drop" in refused(*asked)
    assert values(run(*asked, "--missing", "drop", "-f", "json"))["robinson_foulds"] == 0


def test_a_newick_file_that_is_no_newick_names_the_position(refused, folder):
    (folder / "junk.nwk").write_text("hello world\n", encoding="utf-8")
    line = refused("score", "a.nwk", "junk.nwk", "--tree")
    assert "junk.nwk: the Newick text is malformed at character 7" in line


def test_measures_of_another_family_leave_nothing_to_score(refused, folder):
    line = refused("score", "t.csv", "p.csv", "--cover", "-m", "omega", "--family", "pairs")
    assert "no measure of --family is among those asked for." in line
