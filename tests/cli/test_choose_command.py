from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing

import numpy as np
import polars as pl
import pytest

import clustervet as cv
from clustervet.fitting.journal import Journal
from clustervet.selection import candidates, select

RNG = np.random.default_rng(0)
ORDER = RNG.permutation(60)
Y = np.repeat(["ham", "news", "spam"], 20)[ORDER]
X = (RNG.normal(size=(60, 2)) + 6 * np.repeat([[0, 0], [1, 0], [0, 1]], 20, axis=0))[ORDER]
MASK = np.arange(60) % 2 == 0
ASK = ["--label", "kind", "-a", "kmeans,gmm", "--k", "2..4", "--runs", "2"]
OWN = """
from sklearn.cluster import KMeans


class Own(KMeans):
    pass
"""


def saved(tmp_path, form="npz", y=Y):
    path = tmp_path / f"points.{form}"
    columns = {"x1": X[:, 0], "x2": X[:, 1], "kind": y, "seen": MASK}
    if form == "npz":
        np.savez(path, X=X, kind=y, seen=MASK)
    elif form == "csv":
        pl.DataFrame(columns).write_csv(path)
    else:
        pl.DataFrame(columns).write_parquet(path)
    return path


def answer(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


@pytest.mark.parametrize("form", ["npz", "csv", "parquet"])
def test_select_reads_points_and_labels_of_every_format(run, tmp_path, form):
    path = saved(tmp_path, form)
    ran = run("select", path, *ASK, "--features", "*", "--labelled", "seen", "-f", "json")
    found = select(X, Y, ["kmeans", "gmm"], [2, 3, 4], 2, labelled=MASK)
    assert answer(ran) == json.loads(found.to_json())
    assert ran.err == ""


def test_select_takes_the_options_of_the_function(run, tmp_path):
    options = [
        *["--label", "kind", "--algorithms", "kmeans", "-a", "ward", "--k", "2,4..6..2"],
        *["--runs", "3", "--delta", "0.2", "--language", "mixture", "--train", "20"],
        *["--labels", "5", "--noise", "singletons", "--jobs", "2", "--seed", "7"],
        *["--weighting", "none", "-f", "json"],
    ]
    found = select(
        X, Y, ["kmeans", "ward"], [2, 4, 6], 3, delta=0.2, language="mixture", train=20, labels=5,
        noise="singletons", random_state=7,
    )  # fmt: skip
    ran = run("select", saved(tmp_path), *options, "--features", "1,2")
    assert answer(ran) == json.loads(found.to_json())


def test_a_name_that_is_too_long_for_a_file_is_refused(run):
    assert run("select", "x" * 5000, "--label", "y").code == 2


def test_select_says_which_columns_are_features(run, tmp_path):
    ran = run("select", saved(tmp_path, "csv"), *ASK, "-f", "csv")
    assert ran.err == "clustervet: features are x1, x2, seen.\n"


def test_select_in_every_format(run, tmp_path):
    path = saved(tmp_path)
    found = select(X, Y, ["kmeans", "gmm"], [2, 3, 4], 2)
    ask = ["select", path, *ASK, "--features", "*"]
    assert found.verdict in run(*ask).out
    assert "| algorithm | clusters |" in run(*ask, "-f", "markdown").out
    rows = list(csv.DictReader(io.StringIO(run(*ask, "-f", "csv").out)))
    assert [float(row["rate"]) for row in rows] == [c.rate for c in found.table]
    assert [int(row["seed"]) for row in rows] == [c.seed for c in found.table]
    target = tmp_path / "answer.json"
    assert run(*ask, "-o", target).out == ""
    assert json.loads(target.read_text()) == json.loads(found.to_json())


def test_select_writes_predictions(run, tmp_path):
    target = tmp_path / "predictions.csv"
    assert run("select", saved(tmp_path), *ASK, "--predictions", target).code == 0
    found = select(X, Y, ["kmeans", "gmm"], [2, 3, 4], 2)
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert [int(row["cluster"]) for row in rows] == found.labels.tolist()
    assert [row["label"] for row in rows] == found.predictions.tolist()


def test_select_holds_out_trains_and_predicts_as_asked(run, tmp_path):
    path, target = saved(tmp_path), tmp_path / "predictions.csv"
    found = select(X, Y, ["kmeans", "gmm"], [2, 3, 4], 2, held_out=0.4)
    ask = ["select", path, *ASK, "--features", "*", "--held-out", "0.4"]
    ran = run(*ask, "--predictions", target, "--predict-by", "held_out")
    assert found.advice in ran.out
    assert "Ways to predict" in ran.out
    rows = list(csv.DictReader(target.read_text().splitlines()))
    wanted = found.predictors["held_out"].predictions.tolist()
    assert [row["label"] for row in rows] == wanted
    alone = answer(run(*ask, "--no-baseline", "-f", "json"))
    assert list(alone["predictors"]) == ["pac_mdl", "held_out"]
    assert "Ways to predict" not in run(*ask, "--held-out", "0").out
    page = tmp_path / "page.md"
    assert run(*ask, "--report", page).code == 0
    assert found.advice in page.read_text()
    for wrong in (["--held-out", "1"], ["--predictions", target, "--predict-by", "luck"]):
        refused = run(*ask, *wrong)
        assert refused.code == 2
        assert refused.err.count("\n") == 1


def test_labels_with_gaps_are_predicted(run, file):
    lines = [
        f"{x},{y},{label if seen else ''}"
        for (x, y), label, seen in zip(X.tolist(), Y, MASK, strict=True)
    ]
    path = file("\n".join(["x,y,kind", *lines]))
    data = answer(run("select", path, *ASK, "-f", "json"))
    assert (data["train_size"], data["test_size"]) == (30, 30)
    assert data["best"]["test_errors"] is None


def test_a_clusterer_of_ones_own(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_clusterer_of_mine.py").write_text(OWN)
    ask = ["--label", "kind", "-a", "own_clusterer_of_mine:Own", "--k", "3", "--runs", "1"]
    data = answer(run("select", saved(tmp_path), *ask, "-f", "json"))
    assert data["algorithms"] == ["Own"]


def test_a_journal_is_gone_on_with(run, refused, tmp_path):
    path, journal = saved(tmp_path), tmp_path / "run.db"
    ask = ["select", path, *ASK, "--features", "*", "-f", "json", "--journal", journal]
    assert "there is no journal" in refused(*ask, "--resume")
    first = answer(run(*ask, "--no-resume"))
    assert answer(run(*ask, "--resume")) == first == answer(run(*ask))
    assert "exists; a new journal needs another name" in refused(*ask, "--no-resume")
    line = refused(*ask, "--seed", "1")
    assert line.endswith("its seed is 0, this one's 1. Give it the same, or another journal.")
    longer = answer(run(*ask, "--runs", "4"))
    assert len(longer["candidates"]) == 2 * 3 * 4
    with closing(sqlite3.connect(journal)) as base, base:
        base.execute("UPDATE fits SET seconds = seconds + 1 WHERE clusters = 3 AND run = 1")
    assert "3 clusters, run 1: its checksum does not fit" in refused(*ask)
    journal.write_bytes(b"something else " * 100)
    assert refused(*ask).endswith("is no journal of clustervet.")


def test_a_full_disk_is_told_and_loses_nothing(run, refused, tmp_path, monkeypatch):
    path, journal = saved(tmp_path), tmp_path / "run.db"
    ask = ["select", path, *ASK[:4], "--k", "2..12", "--runs", "9", "--journal", journal]
    connect = Journal._connect

    def small(self):
        connect(self)
        self._run("PRAGMA max_page_count = 9")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "_connect", small)
        line = refused(*ask, "--features", "*")
    assert "cannot be written: the disk is full; it keeps the" in line
    with closing(sqlite3.connect(journal)) as base:
        assert base.execute("SELECT count(*) FROM fits").fetchone()[0] > 0
    assert run(*ask).code == 0


def test_an_interrupted_run_says_where_its_fits_are(run, tmp_path, monkeypatch):
    def interrupted(self, fit):
        raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", interrupted)
    ran = run("select", saved(tmp_path), *ASK, "--journal", tmp_path / "run.db")
    assert ran.code == 130
    assert "run.db; the same command goes on from there" in ran.err


TEXTS = {
    "cooking": ["stir the soup", "salt and soup", "stir salt", "soup with salt"],
    "sailing": ["hoist the sail", "wind and sail", "hoist wind", "sail by wind"],
}


@pytest.fixture
def folder(tmp_path):
    """Documents in two folders, and one beside them."""
    root = tmp_path / "texts"
    for name, texts in TEXTS.items():
        (root / name / "deep").mkdir(parents=True)
        (root / name / ".hidden").write_bytes(b"\0")
        for k, text in enumerate(texts * 5):
            place = root / name / ("deep" if k % 2 else ".")
            (place / f"{k}.txt").write_text(text)
    (root / "unknown.txt").write_text("salt in the soup, stir")
    return root


def test_a_folder_of_text_has_a_folder_for_each_class(run, folder):
    ran = run("select", folder, "-a", "spherical,kl", "--k", "2..4", "--runs", "9", "-f", "json")
    data = answer(ran)
    assert ran.err.startswith("clustervet: 41 documents with ")
    assert (data["points"], data["train_size"], data["test_size"]) == (41, 40, 1)
    assert min(fit["train_errors"] for fit in data["candidates"]) == 0
    assert data["remarks"] == [candidates.OWN]
    path = folder.parent / "found.csv"
    ran = run("select", folder, "-a", "spherical", "--k", "2", "--runs", "1", "--predictions", path)
    head, *rows = path.read_text().splitlines()
    assert (head, len(rows)) == ("document,cluster,label", 41)
    files = {str(file.relative_to(folder)) for file in folder.rglob("*.txt")}
    assert {row.split(",")[0] for row in rows} == files
    assert data["bound"]["assignment"]


def test_a_column_of_text(run, file):
    rows = [f"{label},{text}" for label, texts in TEXTS.items() for text in texts * 5]
    path = file("\n".join(["topic,body", *rows]))
    ask = ["--text", "body", "--label", "topic", "-a", "spherical", "--k", "2", "--runs", "5"]
    data = answer(run("select", path, *ask, "-f", "json"))
    assert data["best"]["test_errors"] == 0
    counted = answer(run("select", path, *ask, "--weighting", "counts", "-f", "json"))
    assert counted["points"] == 40
    smoothed = answer(run("select", path, *ask, "--neighbours", "10", "-f", "json"))
    assert (smoothed["neighbours"], data["neighbours"]) == (10, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--k", "2..4"], "name the column of labels with --label"),
        (["--label", "kimd"], "did you mean kind"),
        ([*ASK, "--delta", "1"], "delta must lie between 0 and 1"),
        ([*ASK, "--delta", "x"], "--delta"),
        ([*ASK, "--k", "1..3"], "needs two clusters or more"),
        ([*ASK, "--k", "2..99"], "asks for 99 clusters, which is more than the 60 points"),
        ([*ASK, "--k", "5..2"], "--k 5..2 is empty"),
        ([*ASK, "--k", "two"], "--k 'two' is neither a range"),
        ([*ASK, "--train", "half"], "--train is a share such as 0.5 or a number of points"),
        ([*ASK, "--train", "60"], "at most 59 can be labelled"),
        ([*ASK, "--language", "clutser"], "did you mean cluster"),
        ([*ASK, "--language", "init"], "does not pay for choosing"),
        ([*ASK, "-a", "sphericl"], "did you mean spherical"),
        ([*ASK[:2], "-a", ","], "--algorithms names none"),
        ([*ASK[:2], "-a", "no_such_module:Thing"], "cannot be loaded"),
        ([*ASK[:2], "-a", "kl"], "the algorithm 'kl' reads counts"),
        ([*ASK, "--weighting", "tf"], "weighting must be 'none'"),
        ([*ASK, "--neighbours", "5"], "they go with --weighting tfidf or --weighting counts."),
        ([*ASK, "--jobs", "0"], "--jobs must not be 0"),
        ([*ASK, "--seed", "-1"], "'--seed'"),
        ([*ASK, "--output", "no_folder/x.json"], "no_folder/x.json cannot be written"),
        ([*ASK, "--predictions", "no_folder/x.csv"], "no_folder/x.csv cannot be written"),
        ([*ASK, "--output", "."], "cannot be written: Is a directory"),
        ([*ASK, "--labelled", "kind"], "'ham' is neither"),
        ([*ASK, "--labelled", "x1"], "by true and false or 1 and 0"),
        ([*ASK, "--resume"], "resume goes with a journal"),
        ([*ASK, "--journal", "/proc/run.db"], "cannot be written"),
        ([*ASK, "--text", "kind", "--features", "x1"], "--text goes without --features"),
        ([*ASK, "--text", "nothing"], "no column 'nothing'"),
    ],
)
def test_select_refuses_in_one_line(refused, tmp_path, arguments, message):
    assert message in refused("select", saved(tmp_path, "csv"), *arguments)


def test_folders_and_files_that_hold_no_text(refused, tmp_path, file):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no folder with documents" in refused("select", empty)
    (empty / "a").mkdir()
    (empty / "a" / "one.txt").write_bytes(b"a\0b")
    assert "is a binary file" in refused("select", empty)
    (empty / "a" / "one.txt").write_text("! ?")
    assert "holds no words" in refused("select", empty)
    assert "--label goes with a table" in refused("select", empty, "--label", "y")
    assert "cannot be read" in refused("select", tmp_path / "nowhere", "--label", "y")


@pytest.fixture
def labels(file):
    """Sixty labels, their clusters, and which may be looked at."""
    pred = np.where(np.arange(60) % 10 == 0, "c9", np.char.add("c", Y))
    rows = [
        f"{y},{y if seen else ''},{c},{str(bool(seen)).lower()},{int(seen)}"
        for y, c, seen in zip(Y, pred, MASK, strict=True)
    ]
    return file("\n".join(["y,gaps,c,seen,bit", *rows])), pred


def test_bound_is_that_of_the_function(run, labels):
    path, pred = labels
    wanted = json.loads(cv.pac_mdl_bound(Y, pred, MASK).to_json())
    ask = ["bound", path, "--pred", "c", "-f", "json"]
    for mask in ("seen", "bit"):
        assert answer(run(*ask, "--truth", "y", "--labelled", mask)) == wanted
    gaps = answer(run(*ask, "--truth", "gaps"))
    assert gaps["max_errors"] == wanted["max_errors"]
    assert gaps["test_errors"] is None


def test_bound_takes_the_options_of_the_function(run, labels):
    path, pred = labels
    ask = ["bound", path, "-t", "y", "-p", "c", "--labelled", "seen", "-f", "json"]
    options = {"runs": 10, "algorithms": 6, "searched": True, "clusters": 5, "delta": 0.2}
    wanted = cv.pac_mdl_bound(Y, pred, MASK, language="algo", labels=4, random_state=3, **options)
    given = ["--runs", "10", "--algorithms", "6", "--searched", "--k", "5", "--delta", "0.2"]
    for language in ("algo", "auto"):
        ran = run(*ask, *given, "--labels", "4", "--seed", "3", "--language", language)
        assert answer(ran) == json.loads(wanted.to_json())
    dropped = answer(run(*ask, "--noise", "c9=drop"))
    assert dropped["train_size"] + dropped["test_size"] == 54
    assert answer(run(*ask, "--runs", "10"))["language"] == "init"
    assert answer(run(*ask, "--searched"))["language"] == "cluster"
    assert answer(run(*ask))["language"] == "simple"


def test_bound_in_every_format(run, labels, tmp_path):
    path, pred = labels
    ask = ["bound", path, "-t", "y", "-p", "c", "--labelled", "seen"]
    found = cv.pac_mdl_bound(Y, pred, MASK)
    assert run(*ask).out == f"{found!r}\n"
    (row,) = csv.DictReader(io.StringIO(run(*ask, "-f", "csv").out))
    assert float(row["rate"]) == found.rate
    assert f"at most {found.max_errors} of" in run(*ask, "-f", "markdown").out
    table = pl.read_csv(path)
    table.write_parquet(tmp_path / "labels.parquet")
    again = run("bound", tmp_path / "labels.parquet", *ask[2:])
    assert again.out == f"{found!r}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--truth"),
        (["-t", "y"], "--pred"),
        (["-t", "z", "-p", "c"], "has no column 'z'"),
        (["-t", "y", "-p", "c"], "every object is labelled"),
        (["-t", "gaps", "-p", "c", "--delta", "0"], "delta must lie between 0 and 1"),
        (["-t", "gaps", "-p", "c", "--language", "simple", "--runs", "3"], "choosing the run"),
        (["-t", "gaps", "-p", "c", "--runs", "0"], "runs must be a whole number"),
        (["-t", "gaps", "-p", "c", "--labelled", "seen", "--labels", "2"], "but truth holds 3"),
        (["-t", "y", "-p", "c", "--labelled", "y"], "by true and false or 1 and 0"),
    ],
)
def test_bound_refuses_in_one_line(refused, labels, arguments, message):
    assert message in refused("bound", labels[0], *arguments)
