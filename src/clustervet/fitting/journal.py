"""The run journal: every finished fit to some points in one SQLite file, committed at once.

Law: whatever ends the process, the file holds every fit that was added. A file that cannot be
trusted is refused; it is never repaired and never overwritten. Every row has a checksum over its
key and content and over the run that it belongs to. Anyone can compute one, so what a row holds is
checked as well: its types, its seed, and its labels against the points and clusters.

A fit depends on the features, the algorithm's settings, the number of clusters, the run and the
seed, and never on labels. So a journal can be resumed with other labels, splits, languages or
deltas, and with more or fewer algorithms, numbers of clusters and runs; it is the journal of
another run where features, seed or settings differ.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from clustervet._process import removed_by
from clustervet.errors import FileError, ParameterError
from clustervet.fitting.fits import Fit, FitTask, run_fits
from clustervet.geometry.points import is_sparse
from clustervet.labels import show_label

Key = tuple[str, int, int]
# "cvJ1" as a number, by which SQLite tells whose file it is, and the format's version.
APPLICATION = 0x63764A31
VERSION = 3
# Bytes of the smallest database; SQLite takes a smaller file for an empty one, and overwrites it.
LEAST = 512
TABLES = {
    "run": "key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum TEXT NOT NULL",
    "algorithms": "name TEXT PRIMARY KEY, settings TEXT NOT NULL, checksum TEXT NOT NULL",
    "fits": "algorithm TEXT, clusters INTEGER, run INTEGER, seed INTEGER NOT NULL, "
    "kind TEXT, labels BLOB, found INTEGER, error TEXT, seconds REAL NOT NULL, objective REAL, "
    "checksum TEXT NOT NULL, PRIMARY KEY (algorithm, clusters, run)",
}
# What a fit holds beside its key, and the types of a fit that was made, of one whose algorithm does
# not tell its objective, and of one that failed.
FIELDS = "seed, kind, labels, found, error, seconds, objective, checksum"
NOTHING = type(None)
MADE = (str, int, int, int, str, bytes, int, NOTHING, float, float, str)
UNTOLD = (*MADE[:-2], NOTHING, str)
FAILED = (str, int, int, int, NOTHING, NOTHING, NOTHING, str, float, NOTHING, str)
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


def checksum(*values: Any) -> str:
    """Return a SHA-256 of some values, of their types and of where each ends."""
    found = hashlib.sha256()
    for value in values:
        data = value if isinstance(value, bytes) else repr(value).encode()
        found.update(f"{type(value).__name__} {len(data)} ".encode() + data)
    return found.hexdigest()


def _data_differs(theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """Return how the features of two runs differ, if they do."""
    size = [
        f"{int(run['points']):,} points of {run['features']} features" for run in (theirs, ours)
    ]
    if size[0] != size[1]:
        return [f"its data has {size[0]}, this one's {size[1]}"]
    if theirs["storage"] != ours["storage"]:
        return [f"its data is {show_label(theirs['storage'])}, this one's {ours['storage']}"]
    return ["its data has other values"] if theirs["digest"] != ours["digest"] else []


def _settings_differ(name: str, theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """Return how the settings of an algorithm differ in two runs."""
    return [
        f"its {show_label(name)} has {show_label(key)}="
        f"{show_label(theirs.get(key, 'nothing'), 60)}, this "
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
        self._open = ExitStack()
        self._file: tuple[int, int] | None = None
        self._points = 0
        self._fits = 0
        # What the checksum of a fit covers beside the fit.
        self._origin = ""
        self._settings: dict[str, str] = {}
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
        # Another thread closes it if a signal ends the process.
        self._base = sqlite3.connect(
            self.path, timeout=0, isolation_level=None, check_same_thread=False
        )
        self._run("PRAGMA locking_mode = EXCLUSIVE")
        self._run("PRAGMA synchronous = FULL")
        self._run("PRAGMA trusted_schema = OFF")
        self._run("PRAGMA cell_size_check = ON")
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
                f"{self.name} has version {version} of the journal's format, and this clustervet "
                f"reads version {VERSION}; begin another journal."
            )
        # A view or a trigger in the place of a table could do anything, or never end.
        if {*self._run("SELECT type, name, tbl_name, sql FROM sqlite_master")} != {
            *(("table", name, name, _made(name)) for name in TABLES),
            *(("index", f"sqlite_autoindex_{name}_1", name, None) for name in TABLES),
        }:
            raise self._damaged("tables that it never had")
        ((found,),) = self._run("PRAGMA quick_check(1)")
        if found != "ok":
            raise self._damaged(found)

    def _shared(self) -> dict[str, str]:
        """Return what all fits of its run share."""
        found = {}
        for key, value, held in self._run("SELECT key, value, checksum FROM run"):
            if held != checksum(key, value) or type(value) is not str:
                raise self._damaged(f"the row of its {show_label(key)} does not fit its checksum")
            found[key] = value
        numbers = ("points", "features", "seed")
        if found.keys() != {*numbers, "storage", "digest"}:
            raise self._damaged("what its run is about is not there")
        for name in numbers:
            if found[name] != str(abs(int(found[name]))):
                raise self._damaged(f"its number of {name} is {show_label(found[name])}")
        return found

    def _held_algorithms(self) -> dict[str, dict[str, str]]:
        """Return the settings of every algorithm that it has fits of."""
        found = {}
        for name, text, held in self._run("SELECT name, settings, checksum FROM algorithms"):
            row = f"the row of algorithm {show_label(name)}"
            if held != checksum(self._origin, name, text) or type(name) is not str:
                raise self._damaged(f"{row} does not fit its checksum")
            settings = json.loads(text)
            if type(settings) is not dict or {*map(type, settings.values())} - {str}:
                raise self._damaged(f"{row} holds no settings")
            found[name] = settings
        return found

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
            self._compare(identity)
            self._run("BEGIN IMMEDIATE")
            for name, settings in identity.algorithms.items():
                text = json.dumps(settings)
                row = (name, text, checksum(self._origin, str(name), text))
                self._run("INSERT OR IGNORE INTO algorithms VALUES (?, ?, ?)", row)
            self._run("COMMIT")
            self._settings = {
                name: json.dumps(settings, sort_keys=True)
                for name, settings in self._held_algorithms().items()
            }

    def _create(self, identity: Identity) -> None:
        """Create all tables in one transaction: a file is a whole journal, or empty."""
        self._run("BEGIN IMMEDIATE")
        self._run(f"PRAGMA application_id = {APPLICATION}")
        self._run(f"PRAGMA user_version = {VERSION}")
        for table in TABLES:
            self._run(_made(table))
        for key, value in identity.shared().items():
            self._run("INSERT INTO run VALUES (?, ?, ?)", (key, value, checksum(key, value)))
        self._run("COMMIT")
        self.seed = identity.seed

    def _compare(self, identity: Identity) -> None:
        theirs, ours = self._shared(), identity.shared()
        self._origin = checksum(*sorted(theirs.items()))
        found = _data_differs(theirs, ours)
        if theirs["seed"] != ours["seed"]:
            found.append(f"its seed is {show_label(theirs['seed'])}, this one's {ours['seed']}")
        for name, settings in self._held_algorithms().items():
            if name in identity.algorithms:
                found += _settings_differ(name, settings, identity.algorithms[name])
        if found:
            raise FileError(
                f"{self.name} is the journal of another run: {'; '.join(found)}. Give it the "
                "same, or another journal."
            )

    def kept(self, wanted: Mapping[Key, FitTask]) -> Iterator[Fit]:
        """Yield the wanted fits that it holds, but not failed ones, which are tried again."""
        with self._spoken():
            rows = self._run("SELECT rowid, algorithm, clusters, run, length(labels) FROM fits")
            self._fits = sum(length is not None for *_, length in rows)
            keys = [tuple(key) for _, *key, _ in rows]
            if len(set(keys)) < len(keys):
                raise self._damaged("a fit that is there twice")
        for number, *key, length in rows:
            with self._spoken():
                fit = self._read(number, (key[0], key[1], key[2]), length or 0, wanted)
            if fit is not None:
                yield fit

    def _read(
        self, number: int, key: Key, length: int, wanted: Mapping[Key, FitTask]
    ) -> Fit | None:
        """Check one row, and return its fit if it is wanted."""
        shown = [show_label(part) for part in key]
        row = f"the row of {shown[0]}, {shown[1]} clusters, run {shown[2]}"
        if length > _most_packed(self._points):
            raise self._damaged(f"{row}: more labels than {self._points:,} points have")
        (held,) = self._run(f"SELECT {FIELDS} FROM fits WHERE rowid = ?", (number,))
        if tuple(map(type, (*key, *held))) not in (MADE, UNTOLD, FAILED):
            raise self._damaged(f"{row}: values of other types than a fit has")
        seed, kind, blob, found, error, seconds, gain, told = held
        fit = None
        if error is None and key in wanted:
            labels = self._labels(row, kind, blob, found)
            fit = Fit(key, seed, labels, seconds, objective=gain)
            if seed != wanted[key].seed:
                raise self._damaged(f"{row}: the seed is not the one of this fit")
        if told != self._checksum(key, *held[:-1]):
            raise self._damaged(f"{row}: its checksum does not fit")
        if not (math.isfinite(seconds) and seconds >= 0):
            raise self._damaged(f"{row}: it took {seconds} seconds")
        if gain is not None and not math.isfinite(gain):
            raise self._damaged(f"{row}: its objective is {gain}")
        return fit

    def _labels(self, row: str, kind: str, blob: bytes, found: int) -> NDArray[Any]:
        """Unpack one label per point; a blob that holds more is never unpacked to its end."""
        if kind not in KINDS:
            raise self._damaged(f"{row}: labels of a kind that it never had")
        dtype = np.dtype(kind)
        size = dtype.itemsize * self._points
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(blob, size + 1)
        if len(data) != size:
            many = f"{len(data) // dtype.itemsize:,}" if len(data) < size else "more"
            raise self._damaged(f"{row}: {many} labels for {self._points:,} points")
        if not unpacker.eof or unpacker.unused_data:
            raise self._damaged(f"{row}: labels that are cut short or go on")
        labels = np.frombuffer(data, dtype)
        if (clusters := len(np.unique(labels))) != found:
            raise self._damaged(f"{row}: labels of {clusters:,} clusters where it found {found:,}")
        return labels.astype(dtype.newbyteorder("="))

    def _checksum(self, key: Key, *content: Any) -> str:
        """Return the checksum of a fit, its algorithm's settings and its run."""
        return checksum(self._origin, self._settings.get(key[0]), *key, *content)

    def add(self, fit: Fit) -> None:
        """Commit one fit; when this returns, no end of the process can lose it."""
        kind = blob = found = None
        if fit.labels is not None:
            little = fit.labels.astype(fit.labels.dtype.newbyteorder("<"))
            kind, blob = little.dtype.str, zlib.compress(little.tobytes(), 6)
            found = len(np.unique(little))
        name, clusters, run = fit.key
        key = str(name), int(clusters), int(run)
        content = (fit.seed, kind, blob, found, fit.error, float(fit.seconds), fit.objective)
        if _file_of(self.path) != self._file:
            raise FileError(f"the journal {self.name} was moved, replaced or deleted meanwhile.")
        with self._spoken():
            self._run(
                f"INSERT OR REPLACE INTO fits VALUES ({', '.join('?' * len(MADE))})",
                (*key, *content, self._checksum(key, *content)),
            )
        self._fits += fit.error is None

    def close(self) -> None:
        """Close and unlock the file."""
        if self._base is not None:
            self._base.close()
            self._base = None

    def __enter__(self) -> Self:
        self._open.enter_context(removed_by(self.close))
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @contextmanager
    def _spoken(self) -> Iterator[None]:
        """Turn errors of SQLite and of the disk into one sentence; the file stays as it is."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorname", "")
            self.close()
            raise self._refusal(code, error) from error
        except (zlib.error, ValueError, LookupError, TypeError, RecursionError) as error:
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


def made_fits(
    tasks: Iterable[FitTask],
    inputs: Mapping[str, Any],
    held: Journal | None,
    n_jobs: int | None,
) -> Generator[Fit, None, None]:
    """Yield fits as they end, each of its algorithm's input; a journal has it before it is given.

    Labels are the smallest integers that hold them.
    """
    pairs = ((task, inputs[task.algorithm.name]) for task in tasks)
    with closing(run_fits(pairs, n_jobs)) as fits:
        for made in fits:
            fit = made if made.labels is None else replace(made, labels=_codes(made.labels))
            if held:
                held.add(fit)
            yield fit


def _codes(labels: Any) -> Any:
    """Return labels as the smallest integers that hold them; noise stays -1."""
    if labels.dtype.kind not in "iu":
        labels = np.unique(labels, return_inverse=True)[1]
    low, high = int(labels.min()), int(labels.max())
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return labels.astype(
        next(k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    )


def _made(table: str) -> str:
    """Return the statement that makes a table."""
    return f"CREATE TABLE {table} ({TABLES[table]})"


def _most_packed(points: int) -> int:
    """Return how many bytes labels can take at most; zlib adds a few to what it cannot pack."""
    return 8 * points + points // 16 + 64


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
