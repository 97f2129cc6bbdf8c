"""The run journal: every finished fit of a selection in one SQLite file, committed at once.

Law: whatever ends the process, the file holds every fit that was added. A file that cannot be
trusted is refused; it is never repaired and never overwritten.

A fit depends on the features, the algorithm's settings, the number of clusters, the run and the
seed, and never on labels. So a journal can be resumed with other labels, splits, languages or
deltas, and with more or fewer algorithms, numbers of clusters and runs; it is the journal of
another run where features, seed or settings differ.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from clustervet.errors import FileError, ParameterError
from clustervet.fitting.fits import Fit
from clustervet.geometry.points import is_sparse
from clustervet.labels import show_label

Key = tuple[str, int, int]
# "cvJ1" as a number, by which SQLite tells whose file it is, and the format's version.
APPLICATION = 0x63764A31
VERSION = 1
# Bytes of the smallest database; SQLite takes a smaller file for an empty one, and overwrites it.
LEAST = 512
TABLES = (
    "CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE algorithms (name TEXT PRIMARY KEY, settings TEXT NOT NULL)",
    "CREATE TABLE fits (algorithm TEXT, clusters INTEGER, run INTEGER, seed INTEGER NOT NULL, "
    "kind TEXT, labels BLOB, error TEXT, seconds REAL NOT NULL, "
    "PRIMARY KEY (algorithm, clusters, run))",
)
KINDS = frozenset({"<i1", "|i1", "<i2", "<i4", "<i8"})
# What SQLite's codes mean, by their beginnings.
REASONS = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_READONLY": "the file or its folder is read-only",
    "SQLITE_CANTOPEN": "its folder does not exist or is read-only",
    "SQLITE_PERM": "the file may not be opened",
    "SQLITE_IOERR": "the disk reports an error",
}


# Bytes that are digested at a time.
BLOCK = 2**24


@dataclass(frozen=True)
class Identity:
    """What all fits of a run share, and the settings of each algorithm."""

    points: int
    features: int
    storage: str
    digest: str
    seed: int
    algorithms: Mapping[str, Mapping[str, str]]

    @classmethod
    def of(cls, points: Any, seed: int, algorithms: Mapping[str, Mapping[str, str]]) -> Identity:
        """Return the identity of a run on these points."""
        storage = f"{'sparse' if is_sparse(points) else 'dense'} {points.dtype}"
        rows, columns = points.shape
        return cls(rows, columns, storage, digest(points), seed, algorithms)

    def shared(self) -> dict[str, str]:
        """Return what does not depend on the algorithm, as text."""
        return {name: str(value) for name, value in vars(self).items() if name != "algorithms"}


def digest(points: Any) -> str:
    """Return a fingerprint of the features, by which a journal recognizes them."""
    found = hashlib.sha256()
    parts = [points.data, points.indices, points.indptr] if is_sparse(points) else [points]
    for part in parts:
        wide = part.astype(np.int64, copy=False) if part.dtype.kind == "i" else part
        found.update(f"{wide.dtype.str} {wide.shape} ".encode())
        flat = np.ascontiguousarray(wide).reshape(-1).view(np.uint8)
        for first in range(0, len(flat), BLOCK):
            found.update(flat[first : first + BLOCK].data)
    return found.hexdigest()


def _data_differs(theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """Return how the features of two runs differ, if they do."""
    size = [
        f"{int(run['points']):,} points of {run['features']} features" for run in (theirs, ours)
    ]
    if size[0] != size[1]:
        return [f"its data has {size[0]}, this one's {size[1]}"]
    if theirs["storage"] != ours["storage"]:
        return [f"its data is {theirs['storage']}, this one's {ours['storage']}"]
    return ["its data has other values"] if theirs["digest"] != ours["digest"] else []


def _settings_differ(name: str, theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """Return how the settings of an algorithm differ in two runs."""
    return [
        f"its {show_label(name)} has {key}={show_label(theirs.get(key, 'nothing'), 60)}, this "
        f"one's {show_label(ours.get(key, 'nothing'), 60)}"
        for key in sorted({*theirs, *ours})
        if theirs.get(key) != ours.get(key)
    ]


class Journal:
    """A journal file, locked by this process until it is closed.

    `seed` is that of the run it belongs to, None where the file is new. SQLite's rollback journal
    beside it is gone once the file is closed; locks are those of the operating system, which end
    with the process. Neither needs memory shared between processes, as a write-ahead log does, so
    the file may lie on a network disk.
    """

    seed: int | None = None

    def __init__(self, path: str | os.PathLike[str], resume: bool | None = None) -> None:
        self.path = _absolute(path)
        self.name = show_label(os.fspath(path), 200)
        self._base: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._points = 0
        self._fits = 0
        if os.path.isdir(self.path):
            raise FileError(f"{self.name} is a directory, not a journal.")
        size = os.path.getsize(self.path) if os.path.exists(self.path) else 0
        if resume and not os.path.exists(self.path):
            raise FileError(f"there is no journal {self.name} to resume.")
        if size and resume is False:
            raise FileError(
                f"{self.name} exists; a new journal needs another name, or remove that file first."
            )
        if 0 < size < LEAST and not os.path.exists(f"{self.path}-journal"):
            raise FileError(f"{self.name} is no journal of clustervet.")
        if size:
            with self._spoken():
                self._connect()
                if not self._is_empty():  # else its run ended while it was made
                    self._check_format()
                    self.seed = int(self._shared()["seed"])

    def _is_empty(self) -> bool:
        """Return whether it is an empty database, which locking alone can make."""
        held = self._run("SELECT count(*) FROM sqlite_master")
        return held == [(0,)] and self._run("PRAGMA application_id") == [(0,)]

    def _connect(self) -> None:
        """Open and lock the file, so that nobody else reads half of a run or writes into it."""
        self._base = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        self._run("PRAGMA locking_mode = EXCLUSIVE")
        self._run("PRAGMA synchronous = FULL")
        self._run("BEGIN EXCLUSIVE")
        self._run("COMMIT")
        self._file = _file_of(self.path)

    def _run(self, statement: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        if self._base is None:
            raise ParameterError(f"the journal {self.name} is closed.")
        return self._base.execute(statement, values).fetchall()

    def _check_format(self) -> None:
        if self._run("PRAGMA application_id") != [(APPLICATION,)]:
            raise FileError(f"{self.name} is no journal of clustervet.")
        ((version,),) = self._run("PRAGMA user_version")
        if version != VERSION:
            raise FileError(
                f"{self.name} has version {version} of the journal's format; this clustervet "
                f"reads version {VERSION}."
            )
        ((found,),) = self._run("PRAGMA quick_check(1)")
        if found != "ok":
            raise self._damaged(found)

    def _shared(self) -> dict[str, str]:
        return {str(key): str(value) for key, value in self._run("SELECT key, value FROM run")}

    def begin(self, identity: Identity) -> None:
        """Begin a journal of this run, or continue one, which must be of the same run."""
        self._points = identity.points
        with self._spoken():
            if self._base is None:
                self._connect()
            if self._is_empty():
                self._create(identity)
            elif self.seed is None:
                raise self._busy()  # another process was faster to make it
            else:
                self._compare(identity)
            self._run("BEGIN IMMEDIATE")
            for name, settings in identity.algorithms.items():
                self._run(
                    "INSERT OR IGNORE INTO algorithms VALUES (?, ?)", (name, json.dumps(settings))
                )
            self._run("COMMIT")

    def _create(self, identity: Identity) -> None:
        """Create all tables in one transaction: a file is a whole journal, or empty."""
        self._run("BEGIN IMMEDIATE")
        self._run(f"PRAGMA application_id = {APPLICATION}")
        self._run(f"PRAGMA user_version = {VERSION}")
        for table in TABLES:
            self._run(table)
        for key, value in identity.shared().items():
            self._run("INSERT INTO run VALUES (?, ?)", (key, value))
        self._run("COMMIT")
        self.seed = identity.seed

    def _compare(self, identity: Identity) -> None:
        theirs, ours = self._shared(), identity.shared()
        found = _data_differs(theirs, ours)
        if theirs["seed"] != ours["seed"]:
            found.append(f"its seed is {theirs['seed']}, this one's {ours['seed']}")
        for name, text in self._run("SELECT name, settings FROM algorithms"):
            if name in identity.algorithms:
                found += _settings_differ(name, json.loads(text), identity.algorithms[name])
        if found:
            raise FileError(
                f"{self.name} is the journal of another run: {'; '.join(found)}. Give it the "
                "same, or another journal."
            )

    def kept(self, wanted: Container[Key]) -> Iterator[Fit]:
        """Yield the wanted fits that it holds, but not failed ones, which are tried again."""
        with self._spoken():
            rows = self._run("SELECT algorithm, clusters, run FROM fits WHERE error IS NULL")
            self._fits = len(rows)
            keys = [(str(name), int(clusters), int(run)) for name, clusters, run in rows]
        for key in keys:
            if key in wanted:
                with self._spoken():
                    fit = self._read(key)
                yield fit

    def _read(self, key: Key) -> Fit:
        ((seed, kind, blob, seconds),) = self._run(
            "SELECT seed, kind, labels, seconds FROM fits "
            "WHERE algorithm = ? AND clusters = ? AND run = ?",
            key,
        )
        if kind not in KINDS:
            raise self._damaged("labels of a kind that it never had")
        labels = np.frombuffer(zlib.decompress(blob), np.dtype(kind))
        if len(labels) != self._points:
            raise self._damaged(f"{len(labels):,} labels for {self._points:,} points")
        return Fit(key, int(seed), labels.astype(labels.dtype.newbyteorder("=")), float(seconds))

    def add(self, fit: Fit) -> None:
        """Commit one fit; when this returns, no end of the process can lose it."""
        kind = blob = None
        if fit.labels is not None:
            little = fit.labels.astype(fit.labels.dtype.newbyteorder("<"))
            kind, blob = little.dtype.str, zlib.compress(little.tobytes(), 6)
        if _file_of(self.path) != self._file:
            raise FileError(f"the journal {self.name} was moved, replaced or deleted meanwhile.")
        with self._spoken():
            self._run(
                "INSERT OR REPLACE INTO fits VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (*fit.key, fit.seed, kind, blob, fit.error, fit.seconds),
            )
        self._fits += fit.error is None

    def close(self) -> None:
        """Close and unlock the file."""
        if self._base is not None:
            self._base.close()
            self._base = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        """Turn errors of SQLite and of the disk into one sentence; the file stays as it is."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorname", "")
            self.close()
            raise self._refusal(code, error) from error
        except (zlib.error, ValueError, KeyError, TypeError) as error:
            self.close()
            if isinstance(error, FileError | ParameterError):
                raise
            raise self._damaged(str(error)) from error

    def _refusal(self, code: str, error: Exception) -> FileError:
        if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return self._busy()
        if code == "SQLITE_NOTADB":
            return FileError(f"{self.name} is no journal of clustervet.")
        kept = f"; it keeps the {self._fits:,} fits it has, and the run can be resumed"
        for start, reason in REASONS.items():
            if code.startswith(start):
                end = kept if self._fits else ""
                return FileError(f"the journal {self.name} cannot be written: {reason}{end}.")
        return self._damaged(str(error))

    def _busy(self) -> FileError:
        return FileError(
            f"the journal {self.name} is in use by another process; wait for its end, or give "
            "another journal."
        )

    def _damaged(self, how: str) -> FileError:
        return FileError(
            f"the journal {self.name} is damaged ({show_label(how, 120)}); put a whole copy in "
            "its place, or begin another one."
        )


def _file_of(path: str) -> tuple[int, int] | None:
    """Return what identifies a file, whatever its name."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _absolute(path: str | os.PathLike[str]) -> str:
    try:
        text = os.fspath(path)
    except TypeError:
        text = ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise ParameterError(f"journal must be the path of a file, not {show_label(path)!r}.")
    return os.path.abspath(text)
