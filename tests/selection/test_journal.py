from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zlib
from contextlib import closing, suppress
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.mixture import GaussianMixture

from clustervet import _process
from clustervet.errors import FileError, ParameterError
from clustervet.fitting.journal import Journal, checksum
from clustervet.selection import select

RNG = np.random.default_rng(0)
ORDER = RNG.permutation(90)
Y = np.repeat(["ham", "news", "spam"], 30)[ORDER]
X = (RNG.normal(size=(90, 2)) + 5 * np.repeat([[0, 0], [1, 0], [0, 1]], 30, axis=0))[ORDER]
PAIR = {"km": KMeans(n_init=1), "gm": GaussianMixture()}


class Counted(ClusterMixin, BaseEstimator):
    """Clusters drawn at random; counts its fits, and fails while it is told to."""

    fits = 0
    fails = False

    def __init__(self, n_clusters=2, random_state=None, factor=1):
        self.n_clusters = n_clusters
        self.random_state = random_state
        self.factor = factor

    def fit(self, points, y=None):
        Counted.fits += 1
        if Counted.fails:
            raise OSError("no licence")
        rng = np.random.default_rng(self.random_state)
        self.labels_ = rng.integers(self.n_clusters, size=len(points)) * self.factor
        return self


@pytest.fixture(autouse=True)
def _from_none():
    Counted.fits, Counted.fails = 0, False


def fits_in(path):
    with closing(sqlite3.connect(path)) as base:
        if not base.execute("SELECT 1 FROM sqlite_master WHERE name = 'fits'").fetchone():
            return 0  # killed before the tables were there
        return base.execute("SELECT count(*) FROM fits WHERE error IS NULL").fetchone()[0]


def change(path, *statements):
    with closing(sqlite3.connect(path)) as base, base:
        for statement in statements:
            base.execute(statement)


@pytest.fixture
def journal(tmp_path):
    """The journal of a finished run of twelve fits."""
    path = tmp_path / "run.db"
    select(X, Y, {"c": Counted()}, [2, 3, 4], 4, journal=path)
    assert Counted.fits == 12
    Counted.fits = 0
    return path


def test_a_journal_changes_nothing_and_is_one_file(tmp_path):
    alone = select(X, Y, PAIR, [2, 3], 2)
    path = tmp_path / "run.db"
    first = select(X, Y, PAIR, [2, 3], 2, journal=path)
    again = select(X, Y, PAIR, [2, 3], 2, journal=str(path), resume=True)
    assert alone.to_json() == first.to_json() == again.to_json()
    assert alone.to_frame().equals(again.to_frame())
    np.testing.assert_array_equal(alone.labels, again.labels)
    np.testing.assert_array_equal(alone.predictions, again.predictions)
    assert again.seconds == pytest.approx(first.seconds)  # of the fits, whenever they were made
    assert [file.name for file in tmp_path.iterdir()] == ["run.db"]


def test_a_finished_run_is_not_fitted_again(journal):
    select(X, Y, {"c": Counted()}, [2, 3, 4], 4, journal=journal)
    assert Counted.fits == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"delta": 0.01},
        {"language": "mixture"},
        {"train": 0.2},
        {"labelled": np.arange(10)},
        {"y": np.roll(Y, 7)},
        {"n_jobs": 2},
        {"clusters": [3]},
        {"runs": 2},
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_fits_are_kept_when_labels_or_their_reading_change(journal, changes):
    options = {"X": X, "y": Y, "algorithms": {"c": Counted()}, "clusters": [2, 3, 4], "runs": 4}
    options |= changes
    kept = select(**options, journal=journal)
    assert Counted.fits == 0
    assert kept.to_json() == select(**options).to_json()


def test_more_numbers_runs_and_algorithms_extend_a_journal(journal):
    asked = {"c": Counted(), "km": KMeans(n_init=1)}, [2, 3, 4, 5], 6
    longer = select(X, Y, *asked, journal=journal)
    assert Counted.fits == 4 * 6 - 12
    assert longer.to_json() == select(X, Y, *asked).to_json()
    assert fits_in(journal) == 2 * 4 * 6


def test_a_seed_that_was_drawn_is_taken_from_the_journal(tmp_path):
    path = tmp_path / "run.db"
    first = select(X, Y, {"c": Counted()}, [2, 3], 2, journal=path, random_state=None)
    again = select(X, Y, {"c": Counted()}, [2, 3], 2, journal=path, random_state=None)
    assert Counted.fits == 4
    assert again.to_json() == first.to_json()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": X[:80], "y": Y[:80]}, "its data has 90 points of 2 features, this one's 80 points"),
        ({"X": X[:, :1]}, "its data has 90 points of 2 features, this one's 90 points of 1"),
        ({"X": X + 1e-12}, "its data has other values"),
        ({"X": X.astype(np.float32)}, "its data is dense float64, this one's dense float32"),
        ({"random_state": 1}, "its seed is 0, this one's 1"),
        ({"algorithms": {"c": Counted(factor=2)}}, "its c has factor=1, this one's 2"),
        ({"algorithms": {"c": KMeans()}}, "its c has algorithm=nothing, this one's 'lloyd'"),
        ({"X": np.abs(X), "random_state": 2}, "other values; its seed is 0, this one's 2"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_a_journal_of_another_run_is_refused_with_what_differs(journal, changes, message):
    before = journal.read_bytes()
    options = {"X": X, "y": Y, "algorithms": {"c": Counted()}, "clusters": [2, 3, 4], "runs": 4}
    with pytest.raises(FileError, match="is the journal of another run") as caught:
        select(**(options | changes), journal=journal)
    assert message in str(caught.value)
    assert journal.read_bytes() == before
    assert Counted.fits == 0


def test_weighting_is_a_setting_of_the_algorithms_that_are_weighted(tmp_path):
    counts = RNG.poisson(2, size=(90, 5))
    path = tmp_path / "run.db"
    select(counts, Y, ["kl"], [2, 3], 1, journal=path)
    select(counts, Y, ["kl"], [2, 3], 1, journal=path, weighting="tfidf")
    select(counts, Y, ["kmeans"], [2, 3], 1, journal=path, weighting="tfidf")
    with pytest.raises(FileError, match="its kmeans has input=tfidf, this one's none"):
        select(counts, Y, ["kmeans"], [2, 3], 1, journal=path)
    with pytest.raises(FileError, match="its kl has input=none, this one's none, smoothed by 4"):
        select(counts, Y, ["kl"], [2, 3], 1, journal=path, weighting="tfidf", neighbours=4)


def test_failed_fits_are_kept_with_their_reason_and_tried_again(tmp_path):
    path = tmp_path / "run.db"
    Counted.fails = True
    pair = {"c": Counted(), "km": KMeans(n_init=1)}
    found = select(X, Y, pair, [2, 3], 1, journal=path)
    assert {c.error for c in found.failed} == {"no licence"}
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("SELECT error FROM fits WHERE labels IS NULL").fetchall() == [
            ("no licence",),
            ("no licence",),
        ]
    Counted.fails = False
    mended = select(X, Y, pair, [2, 3], 1, journal=path)
    assert not mended.failed
    assert Counted.fits == 4
    assert fits_in(path) == 4


def test_resume_insists_and_no_resume_overwrites_nothing(journal, tmp_path):
    with pytest.raises(FileError, match=r"there is no journal .* to resume"):
        select(X, Y, {"c": Counted()}, [2, 3], 1, journal=tmp_path / "new.db", resume=True)
    before = journal.read_bytes()
    with pytest.raises(FileError, match="exists; a new journal needs another name"):
        select(X, Y, {"c": Counted()}, [2, 3], 1, journal=journal, resume=False)
    assert journal.read_bytes() == before
    assert Counted.fits == 0


def test_an_empty_file_is_a_journal_whose_run_ended_before_it_began(tmp_path):
    path = tmp_path / "run.db"
    path.touch()
    select(X, Y, {"c": Counted()}, [2, 3], 1, journal=path, resume=False)
    assert fits_in(path) == 2


def truncated(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 5])


def scrambled(path):
    """Labels of one fit that are not what was written."""
    change(path, "UPDATE fits SET labels = x'00112233' WHERE clusters = 3 AND run = 1")


def pages_lost(path):
    data = bytearray(path.read_bytes())
    data[4096 : 2 * 4096] = bytes(4096)
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: path.write_bytes(b"no database at all, " * 99), "is no journal of cluster"),
        (lambda path: path.write_bytes(b"x"), "is no journal of cluster"),
        (lambda path: path.write_bytes(path.read_bytes()[:60]), "is no journal of cluster|damaged"),
        (truncated, "is damaged"),
        (pages_lost, "is damaged"),
        (scrambled, "is damaged"),
        (lambda path: change(path, "DROP TABLE fits"), "is damaged"),
        (lambda path: change(path, "DELETE FROM run"), "is damaged"),
        (lambda path: change(path, "DELETE FROM run WHERE key = 'digest'"), "is damaged"),
        (lambda path: change(path, "UPDATE run SET value = 'x' WHERE key = 'seed'"), "is damaged"),
        (lambda path: change(path, "UPDATE fits SET kind = '|O8'"), "is damaged"),
        (lambda path: change(path, "UPDATE fits SET kind = '<i2'"), "45 labels for 90 points"),
        (lambda path: change(path, "UPDATE algorithms SET settings = '{'"), "is damaged"),
        (lambda path: change(path, "PRAGMA user_version = 9"), "has version 9 of the journal's"),
        (lambda path: change(path, "PRAGMA application_id = 7"), "is no journal of cluster"),
    ],
)
def test_a_journal_that_cannot_be_trusted_is_refused_as_it_is(journal, harm, message):
    harm(journal)
    before = journal.read_bytes()
    with pytest.raises(FileError, match=message) as caught:
        select(X, Y, {"c": Counted()}, [2, 3, 4], 4, journal=journal)
    assert str(caught.value).endswith(".")
    assert journal.read_bytes() == before
    assert Counted.fits == 0


ONE = "WHERE clusters = 3 AND run = 1"


def reseal(path):
    """Give every row a checksum that fits, as anyone can."""
    with closing(sqlite3.connect(path)) as base, base:
        shared = base.execute("SELECT key, value FROM run").fetchall()
        for key, value in shared:
            base.execute("UPDATE run SET checksum = ? WHERE key = ?", (checksum(key, value), key))
        origin, settings = checksum(*sorted(shared)), {}
        for name, text in base.execute("SELECT name, settings FROM algorithms").fetchall():
            fits = checksum(origin, name, text)
            base.execute("UPDATE algorithms SET checksum = ? WHERE name = ?", (fits, name))
            with suppress(ValueError, RecursionError):
                settings[name] = json.dumps(json.loads(text), sort_keys=True)
        for number, name, *row in base.execute(f"SELECT rowid, {COLUMNS} FROM fits").fetchall():
            fits = checksum(origin, settings.get(name), name, *row)
            base.execute("UPDATE fits SET checksum = ? WHERE rowid = ?", (fits, number))


COLUMNS = "algorithm, clusters, run, seed, kind, labels, found, error, seconds, objective"


def packed(labels, kind="|i1", more=b""):
    return f"x'{zlib.compress(np.asarray(labels, kind).tobytes()).hex()}{more.hex()}'"


def one(column, value):
    return [f"UPDATE fits SET {column} = {value} {ONE}"]


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (one("labels", packed(np.arange(90) % 3)), "run 1: its checksum does not fit"),
        (one("seconds", 7.0), "the row of c, 3 clusters, run 1: its checksum does not fit"),
        (one("run", 77), "the row of c, 3 clusters, run 77: its checksum does not fit"),
        (one("algorithm", "'d'"), "the row of d, 3 clusters, run 1: its checksum does not fit"),
        (
            [
                f"UPDATE fits SET labels = (SELECT labels FROM fits {ONE}), found = "
                f"(SELECT found FROM fits {ONE}) WHERE clusters = 3 AND run = 2"
            ],
            "the row of c, 3 clusters, run 2: its checksum does not fit",
        ),
        (one("checksum", "''"), "the row of c, 3 clusters, run 1: its checksum does not fit"),
        (["UPDATE run SET value = '91' WHERE key = 'points'"], "the row of its points does not"),
        (["UPDATE run SET value = '1' WHERE key = 'seed'"], "the row of its seed does not fit"),
        (["UPDATE algorithms SET settings = '{}'"], "the row of algorithm c does not fit its"),
        (["UPDATE algorithms SET name = 'd'"], "the row of algorithm d does not fit its checksum"),
    ],
)
def test_a_row_that_does_not_fit_its_checksum_is_refused_by_name(journal, statements, message):
    change(journal, *statements)
    before = journal.read_bytes()
    with pytest.raises(FileError, match="is damaged") as caught:
        select(X, Y, {"c": Counted()}, [2, 3, 4], 4, journal=journal)
    assert message in str(caught.value)
    assert journal.read_bytes() == before
    assert Counted.fits == 0


DEEP = "[" * 100_000
FORGED = {
    "seed": (one("seed", "seed + 1"), "run 1: the seed is not the one of this fit"),
    "found": (one("found", 9), "run 1: labels of 3 clusters where it found 9"),
    "no labels": (one("labels", packed([])), "run 1: 0 labels for 90 points"),
    "fewer labels": (one("labels", packed(np.arange(89) % 3)), "run 1: 89 labels for 90 points"),
    "more labels": (one("labels", packed(np.arange(91) % 3)), "run 1: more labels for 90 points"),
    "bomb": (one("labels", packed(np.zeros(10**6))), "run 1: more labels than 90 points have"),
    "small bomb": (one("labels", packed(np.zeros(10**5))), "run 1: more labels for 90 points"),
    "cut": (one("labels", f"substr({packed(np.arange(90) % 3)}, 1, 6)"), "labels for 90 points"),
    "no end": (
        one("labels", f"x'{zlib.compress(bytes(90)).hex()[:-8]}'"),
        "run 1: labels that are cut short or go on",
    ),
    "more": (
        one("labels", packed(np.arange(90) % 3, more=b"more")),
        "run 1: labels that are cut short or go on",
    ),
    "no zlib": (one("labels", "x'00112233'"), "is damaged"),
    "objects": (one("kind", "'|O8'"), "run 1: labels of a kind that it never had"),
    "negative time": (one("seconds", -1.0), "run 1: it took -1.0 seconds"),
    "endless time": (one("seconds", "9e999"), "run 1: it took inf seconds"),
    "endless objective": (one("objective", "-9e999"), "run 1: its objective is -inf"),
    "objective of text": (one("objective", "'x'"), "run 1: values of other types than a fit has"),
    "time of text": (one("seconds", "'long'"), "run 1: values of other types than a fit has"),
    "labels of text": (one("labels", "'abc'"), "run 1: values of other types than a fit has"),
    "no kind": (one("kind", "NULL"), "run 1: values of other types than a fit has"),
    "labels and error": (one("error", "'why'"), "run 1: values of other types than a fit has"),
    "clusters of text": (one("clusters", "'three'"), "three clusters, run 1: values of other"),
    "real run": (one("run", "1.5"), "run 1.5: values of other types than a fit has"),
    "no name": (one("algorithm", "NULL"), "the row of None, 3 clusters, run 1: values of other"),
    "no key": (
        ["UPDATE fits SET algorithm = NULL, run = 0 WHERE clusters = 3"],
        "a fit that is there twice",
    ),
    "negative seed": (["UPDATE run SET value = '-1' WHERE key = 'seed'"], "its number of seed is"),
    "odd seed": (["UPDATE run SET value = ' 0' WHERE key = 'seed'"], "its number of seed is"),
    "long seed": (
        [f"UPDATE run SET value = '{'1' * 5_000}' WHERE key = 'seed'"],
        "is damaged (Exceeds the limit",
    ),
    "points": (["UPDATE run SET value = '9e9' WHERE key = 'points'"], "is damaged"),
    "seed in bytes": (["UPDATE run SET value = x'30' WHERE key = 'seed'"], "row of its seed"),
    "more of a run": (["INSERT INTO run VALUES ('more', '', '')"], "what its run is about"),
    "settings in a list": (["UPDATE algorithms SET settings = '[]'"], "c holds no settings"),
    "settings of numbers": (
        ["UPDATE algorithms SET settings = '{\"factor\": 1}'"],
        "the row of algorithm c holds no settings",
    ),
    "deep settings": ([f"UPDATE algorithms SET settings = '{DEEP}'"], "is damaged"),
    "trigger": (
        ["CREATE TRIGGER t AFTER INSERT ON fits BEGIN DELETE FROM fits; END"],
        "tables that it never had",
    ),
    "one more table": (["CREATE TABLE more (x)"], "tables that it never had"),
    "one more column": (["ALTER TABLE fits ADD COLUMN more"], "tables that it never had"),
    "older": (["PRAGMA user_version = 1"], "has version 1 of the journal's format, and this"),
}


@pytest.mark.parametrize(("statements", "message"), FORGED.values(), ids=FORGED)
def test_a_forged_row_is_refused_though_its_checksum_fits(journal, statements, message):
    change(journal, *statements)
    reseal(journal)
    before = journal.read_bytes()
    with pytest.raises(FileError) as caught:
        select(X, Y, {"c": Counted()}, [2, 3, 4], 4, journal=journal)
    assert message in str(caught.value)
    assert str(caught.value).endswith(".")
    assert str(caught.value).isprintable()
    assert journal.read_bytes() == before
    assert Counted.fits == 0


def test_a_view_that_never_ends_is_not_asked(journal):
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    change(
        journal,
        "DROP TABLE fits",
        f"CREATE VIEW fits AS {endless} SELECT x AS algorithm, x AS clusters, x AS run, "
        "NULL AS labels FROM c",
    )
    code = f"""
import numpy as np
from clustervet import _process
from clustervet.errors import FileError
from clustervet.fitting.journal import Journal
try:
    Journal({str(journal)!r})
except FileError as error:
    print(error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert "tables that it never had" in ran.stdout


def test_a_fit_of_another_journal_is_refused(journal, tmp_path):
    other = tmp_path / "other.db"
    select(X + 1, Y, {"c": Counted()}, [2, 3, 4], 4, journal=other)
    change(
        journal,
        f"ATTACH '{other}' AS other",
        f"DELETE FROM main.fits {ONE}",
        f"INSERT INTO main.fits SELECT * FROM other.fits {ONE}",
    )
    with pytest.raises(FileError, match="3 clusters, run 1: its checksum does not fit"):
        select(X, Y, {"c": Counted()}, [2, 3, 4], 4, journal=journal)


def test_a_journal_of_names_and_labels_that_are_unusual(tmp_path):
    """Labels of every width, noise, more clusters than asked for, and a name of numpy's."""

    class Wide(Counted):
        def fit(self, points, y=None):
            super().fit(points)
            self.labels_ = np.where(self.labels_ == 1, -1, self.labels_ * self.factor)
            self.labels_[:9] = np.arange(9) * self.factor
            return self

    own = {np.str_("ä b"): Wide(), "wide": Wide(factor=2**40), "mid": Wide(factor=300)}
    path = tmp_path / "run.db"
    first = select(X, Y, own, [2, 3], 2, journal=path)
    made = Counted.fits
    again = select(X, Y, own, [2, 3], 2, journal=path)
    assert Counted.fits == made
    assert again.to_json() == first.to_json() == select(X, Y, own, [2, 3], 2).to_json()


def test_changed_bytes_of_a_journal_give_the_same_or_a_refusal(tmp_path):
    path, small = tmp_path / "run.db", (X[:30], Y[:30], {"c": Counted()}, [2, 3], 2)
    whole = select(*small, journal=path).to_json()
    before = path.read_bytes()
    used = [at for at, byte in enumerate(before) if byte]

    @settings(max_examples=50)
    @given(
        st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4),
        st.none() | st.integers(0, 10**6),
    )
    def mutated(changes, end):
        held = bytearray(before)
        for place, byte in changes:
            held[used[place % len(used)] if place % 2 else place % len(held)] = byte
        path.write_bytes(held if end is None else held[: end % len(held)])
        try:
            found = select(*small, journal=path).to_json()
        except FileError as error:
            found = str(error)
        assert found == whole or (found.endswith(".") and found.isprintable())
        Path(f"{path}-journal").unlink(missing_ok=True)

    mutated()


def test_a_commit_that_was_cut_short_is_undone(journal, tmp_path):
    """The state in which a process dies while SQLite writes: a hot rollback journal."""
    torn = tmp_path / "torn.db"
    with closing(sqlite3.connect(journal, isolation_level=None)) as base:
        base.execute("PRAGMA cache_size = 1")
        base.execute("BEGIN")
        base.execute("UPDATE fits SET labels = zeroblob(9000), seconds = 1e9")
        shutil.copy(journal, torn)
        shutil.copy(f"{journal}-journal", f"{torn}-journal")
        base.execute("ROLLBACK")
    assert torn.read_bytes() != journal.read_bytes()
    found = select(X, Y, {"c": Counted()}, [2, 3, 4], 4, journal=torn)
    assert Counted.fits == 0
    assert found.to_json() == select(X, Y, {"c": Counted()}, [2, 3, 4], 4).to_json()
    assert not Path(f"{torn}-journal").exists()


def test_a_journal_that_was_cut_short_while_it_was_made_is_begun_again(tmp_path):
    whole, torn = tmp_path / "whole.db", tmp_path / "torn.db"
    with closing(sqlite3.connect(whole, isolation_level=None)) as base:
        base.execute("PRAGMA cache_size = 1")
        base.execute("BEGIN")
        base.execute("CREATE TABLE run (key)")
        base.execute("INSERT INTO run VALUES (zeroblob(50000))")
        shutil.copy(whole, torn)
        shutil.copy(f"{whole}-journal", f"{torn}-journal")
        base.execute("ROLLBACK")
    assert torn.stat().st_size > 0
    select(X, Y, {"c": Counted()}, [2, 3], 1, journal=torn)
    assert fits_in(torn) == 2


@pytest.mark.parametrize(
    ("path", "kind", "message"),
    [
        ("/proc/run.db", FileError, "cannot be written: its folder does not exist or is read-only"),
        ("nowhere/run.db", FileError, "cannot be written: its folder does not exist"),
        (".", FileError, "is a directory, not a journal"),
        ("", ParameterError, "must be the path of a file"),
        ("a\0b", ParameterError, "must be the path of a file"),
        (b"run.db", ParameterError, "must be the path of a file"),
        (3, ParameterError, "must be the path of a file"),
    ],
)
def test_a_place_where_no_journal_can_be(tmp_path, monkeypatch, path, kind, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=message):
        select(X, Y, {"c": Counted()}, [2, 3], 1, journal=path)
    assert Counted.fits == 0
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_sqlite_gives_a_meaning_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:run.db?mode=ro"):
        select(X, Y, {"c": Counted()}, [2, 3], 1, journal=name)
        assert (tmp_path / name).stat().st_size > 0


@pytest.mark.parametrize("backend", ["sequential", "threading"])
def test_a_full_disk_loses_no_fit(tmp_path, monkeypatch, backend):
    path = tmp_path / "run.db"
    connect = Journal._connect

    def small(self):
        connect(self)
        self._run("PRAGMA max_page_count = 9")  # SQLite then answers as for a full disk

    long = np.resize(X, (6000, 2)), np.resize(Y, 6000), {"c": Counted()}, [4, 9], 6
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "_connect", small)
        with joblib.parallel_config(backend=backend), pytest.raises(FileError) as caught:
            select(*long, journal=path, n_jobs=2)
    kept = fits_in(path)
    assert 0 < kept < 12
    assert f"cannot be written: the disk is full; it keeps the {kept:,} fits" in str(caught.value)
    found = select(*long, journal=path)
    assert fits_in(path) == 12
    assert found.to_json() == select(*long).to_json()
    assert os.listdir(tmp_path) == ["run.db"]


def test_a_file_that_cannot_grow_loses_no_fit(tmp_path):
    code = f"""
import resource
import numpy as np
from clustervet import _process
from clustervet.errors import FileError
from clustervet.fitting.fits import Fit
from clustervet.fitting.journal import Identity, Journal

resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
with Journal({str(tmp_path / "run.db")!r}) as journal:
    journal.begin(Identity(9000, 1, "dense", "x", 0, {{}}))
    labels = np.random.default_rng(0).integers(0, 100, 9000).astype(np.int8)
    try:
        for run in range(100):
            journal.add(Fit(("a", 2, run), 0, labels, 0.0))
    except FileError as error:
        print(run, error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    kept, _, said = ran.stdout.partition(" ")
    assert "the disk reports an error; it keeps the" in said
    assert fits_in(tmp_path / "run.db") == int(kept) > 0


def test_a_journal_that_is_deleted_meanwhile_is_missed(tmp_path):
    path = tmp_path / "run.db"

    class Deleting(Counted):
        def fit(self, points, y=None):
            path.unlink(missing_ok=True)
            return super().fit(points)

    with pytest.raises(FileError, match="was moved, replaced or deleted meanwhile"):
        select(X, Y, {"c": Deleting()}, [2, 3], 2, journal=path)


def test_one_process_at_a_time_has_a_journal(journal):
    code = f"""
from clustervet import _process
from clustervet.errors import FileError
from clustervet.fitting.journal import Journal
try:
    Journal({str(journal)!r})
except FileError as error:
    print(error)
else:
    print("free")
"""

    def other():
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
        )
        return ran.stdout

    with Journal(journal):
        assert "run.db is in use by another process" in other()
        with pytest.raises(FileError, match="in use"):
            Journal(journal)
        assert "in use" in other()  # the refused one has not unlocked it
    assert other() == "free\n"


# Forks a selection for every line on standard input, so that one start pays for all imports.
FORKS = """
import os, sys, time
import joblib, numpy as np, threadpoolctl
from sklearn.cluster import KMeans
from clustervet.selection import select

class Slow(KMeans):
    def fit_predict(self, points, y=None, sample_weight=None):
        time.sleep(0.01)
        return super().fit_predict(points)

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 2)) + 4 * np.repeat([[0, 0], [1, 0], [0, 1]], 40, axis=0)
y = np.repeat(["a", "b", "c"], 40)
for line in sys.stdin:
    journal, jobs, answer = line.split()
    pid = os.fork()
    if not pid:
        found = select(
            X, y, {"one": Slow(n_init=1), "two": Slow(n_init=2)}, range(2, 9), 6,
            journal=None if journal == "-" else journal, n_jobs=int(jobs),
        )
        with open(answer, "w") as file:
            file.write(found.to_json() + found.to_csv())
        os._exit(0)
    print(pid, flush=True)
    print(os.waitpid(pid, 0)[1], flush=True)
"""


def written(path):
    return path.stat().st_mtime_ns if path.exists() else None


def test_a_selection_killed_five_times_ends_as_one_that_was_not(tmp_path):
    journal, alone, killed = (tmp_path / name for name in ("run.db", "alone.txt", "killed.txt"))
    moment = random.SystemRandom().uniform
    with subprocess.Popen(
        [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:

        def start(*words):
            print(*words, file=parent.stdin, flush=True)
            return int(parent.stdout.readline())

        def status():
            return int(parent.stdout.readline())

        start("-", 1, alone)
        assert status() == 0
        held = [0]
        for kill in range(5):
            before = written(journal)
            pid = start(journal, 1 + kill % 2, killed)
            while written(journal) == before:
                time.sleep(0.001)
            time.sleep(moment(0, 0.1))
            os.kill(pid, signal.SIGKILL)
            assert status() == signal.SIGKILL
            if journal.stat().st_size:
                held.append(fits_in(journal))
        assert held == sorted(held)
        assert 0 < held[-1] < 84
        start(journal, 2, killed)
        assert status() == 0
        parent.stdin.close()
    assert killed.read_bytes() == alone.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["alone.txt", "killed.txt", "run.db"]


def test_a_signal_that_ends_the_process_closes_the_journal(tmp_path):
    select(X, Y, algorithms=PAIR, clusters=[2, 3], runs=1, journal=tmp_path / "run.db")
    with Journal(tmp_path / "run.db") as journal:
        journal._run("BEGIN IMMEDIATE")
        journal._run("DELETE FROM fits")
        assert (tmp_path / "run.db-journal").exists()
        leaving = threading.Thread(target=_process._call_each, args=(_process._removals.values(),))
        leaving.start()
        leaving.join()
        assert os.listdir(tmp_path) == ["run.db"]
    with closing(sqlite3.connect(tmp_path / "run.db")) as base:
        assert base.execute("SELECT count(*) FROM fits").fetchall() == [(4,)]
