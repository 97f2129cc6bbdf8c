"""Forged saved tables and journals, with the checksums that they should have or with others.

The forger writes both formats by himself. A table that is impossible must be refused even where
its checksum fits; one that is possible must be answered by its own counts. A forged journal must
give the result of an honest one, or be refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import sqlite3
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fuzz.cases import Case, Kind, Verdict, failed
from fuzz.exact import MEASURES, card_fault
from fuzz.grammar import columns_of, delimited
from fuzz.rooms import Job, Room, judged, run_command

FORMAT = "clustervet/table"
Document = dict[str, Any]


# Saved tables


def checksum_of(document: Document) -> str:
    """Return the checksum that a table should have; nothing in particular for an impossible one."""
    found = hashlib.sha256()
    try:
        for side in ("classes", "clusters"):
            found.update(json.dumps(document[side], separators=(",", ":")).encode())
        for at in (0, 1):
            found.update(b"".join(struct.pack("<q", int(cell[at])) for cell in document["cells"]))
        counts = [cell[2] for cell in document["cells"]]
        if document["whole"]:
            found.update(b"whole" + b",".join(str(int(x)).encode() for x in counts))
        else:
            found.update(b"real" + b"".join(struct.pack("<d", float(x)) for x in counts))
    except Exception:
        return "sha256:" + "0" * 64
    return f"sha256:{found.hexdigest()}"


def honest(counts: list[list[int]]) -> Document:
    """Return a table as it is saved."""
    cells = [[r, c, x] for r, row in enumerate(counts) for c, x in enumerate(row) if x]
    document: Document = {
        "format": FORMAT,
        "version": 1,
        "checksum": "",
        "whole": True,
        "classes": [f"class {r}" for r in range(len(counts))],
        "clusters": list(range(len(counts[0]))),
        "cells": cells,
    }
    return document | {"checksum": checksum_of(document)}


def _drawn_counts(rng: random.Random) -> list[list[int]]:
    """Draw counts without an empty row or column."""
    rows, columns = rng.randint(2, 4), rng.randint(2, 4)
    return [[rng.randint(1, 9) for _ in range(columns)] for _ in range(rows)]


def _cell(place: int, value: Any) -> Callable[[random.Random, Document], None]:
    """Put a value into a place of one cell."""

    def change(rng: random.Random, document: Document) -> None:
        rng.choice(document["cells"])[place] = value

    return change


def _key(key: str, value: Any) -> Callable[[random.Random, Document], None]:
    def change(rng: random.Random, document: Document) -> None:
        document[key] = value

    return change


def _name(value: Any) -> Callable[[random.Random, Document], None]:
    def change(rng: random.Random, document: Document) -> None:
        document[rng.choice(("classes", "clusters"))][0] = value

    return change


def _real(value: Any) -> Callable[[random.Random, Document], None]:
    """Make all counts real weights, and one of them this."""

    def change(rng: random.Random, document: Document) -> None:
        document["whole"] = False
        for cell in document["cells"]:
            cell[2] = float(cell[2])
        rng.choice(document["cells"])[2] = value

    return change


def _twice(rng: random.Random, document: Document) -> None:
    place = rng.randrange(len(document["cells"]))
    document["cells"].insert(place, list(document["cells"][place]))


def _unsorted(rng: random.Random, document: Document) -> None:
    document["cells"].reverse()


def _same_names(rng: random.Random, document: Document) -> None:
    names = document[rng.choice(("classes", "clusters"))]
    names[0] = names[1]


def _lost_key(rng: random.Random, document: Document) -> None:
    del document[rng.choice([key for key in document if key != "format"])]


def _lost_name(rng: random.Random, document: Document) -> None:
    document[rng.choice(("classes", "clusters"))].pop()


def _short_cell(rng: random.Random, document: Document) -> None:
    rng.choice(document["cells"]).pop()


def _nested(depth: int, kind: str) -> Any:
    name: Any = "x"
    for _ in range(depth):
        name = {kind: [name] if kind == "tuple" else name}
    return name


WEIGHTS: tuple[Any, ...] = (-1.0, float("nan"), float("inf"), 1e308, -0.5, "x", None)
COUNTS: tuple[Any, ...] = (-1, -(2**70), 2.5, "3", "x", None, [], {}, True, 1e308)
PLACES: tuple[Any, ...] = (-1, 99, 2**31, 2**40, 2**63, 2**70, 0.5, "0", None, [0], True)
VERSIONS: tuple[Any, ...] = (0, 2, 99, "1", None, [1], 1.5, 10**30, True)
WHOLES: tuple[Any, ...] = (None, [], {}, "abc", 7, [[]], [None])
IMPOSSIBLE: dict[str, Callable[[random.Random, Document], None]] = {
    **{f"count {value!r}": _cell(2, value) for value in COUNTS},
    **{f"place {value!r}": _cell(at, value) for at in (0, 1) for value in PLACES},
    **{f"weight {value!r}": _real(value) for value in WEIGHTS},
    **{f"version {value!r}": _key("version", value) for value in VERSIONS},
    **{f"{key} {str(value)[:20]!r}": _key(key, value) for key in ("classes", "clusters", "cells")
       for value in WHOLES},
    "format": _key("format", "clustervet/other"),
    "cell twice": _twice,
    "cells unsorted": _unsorted,
    "names the same": _same_names,
    "key lost": _lost_key,
    "name lost": _lost_name,
    "cell cut": _short_cell,
    "name a list": _name([1]),
    "name of no kind": _name({"evil": "x"}),
    "name of two kinds": _name({"float": "1", "bytes": "00"}),
    "name no date": _name({"date": "soon"}),
    "name no bytes": _name({"bytes": "xyz"}),
    "name too long a span": _name({"timedelta": [10**12, 0, 0]}),
    "name no decimal": _name({"decimal": "x"}),
    "name nested": _name(_nested(400, "tuple")),
    "name nested noise": _name(_nested(400, "noise")),
    "name no unit": _name({"datetime64": [1, "light years"]}),
}  # fmt: skip

# A label may be nested; nobody has to read one that is nested so deeply.
UNUSUAL = {"name nested", "name nested noise"}


def _deep(document: Document) -> bytes:
    """Return the file with brackets in the place of its names, deeper than any reader goes."""
    text = json.dumps(document | {"classes": "NAMES"})
    return text.replace('"NAMES"', "[" * 100_000 + "]" * 100_000).encode()


def as_parquet(document: Document, note: dict[str, Any] | None = None) -> bytes:
    """Return a document as the Parquet file of a saved table."""
    import pyarrow
    import pyarrow.parquet

    cells, forms = document["cells"], {"class": "text", "cluster": "whole"}
    columns = {
        "class": [document["classes"][r] for r, _, _ in cells],
        "cluster": [document["clusters"][c] for _, c, _ in cells],
        "count": [x for _, _, x in cells],
        "row": [r for r, _, _ in cells],
        "col": [c for _, c, _ in cells],
    }
    about = {
        "format": FORMAT,
        "version": document["version"],
        "checksum": document["checksum"],
        "shape": [len(document["classes"]), len(document["clusters"])],
        **forms,
        "count": "whole" if document["whole"] else "real",
    } | (note or {})
    table = pyarrow.table(columns).replace_schema_metadata({"clustervet": json.dumps(about)})
    held = io.BytesIO()
    pyarrow.parquet.write_table(table, held)
    return held.getvalue()


NOTES: tuple[dict[str, Any], ...] = (
    {"version": 2}, {"version": "1"}, {"shape": [1, 1]}, {"shape": [10**9, 10**9]}, {"shape": "x"},
    {"shape": [-1, 2]}, {"count": "large"}, {"count": "real"}, {"count": 7}, {"class": "whole"},
    {"class": "json"}, {"class": "evil"}, {"cluster": "text"}, {"format": "x"}, {"checksum": None},
    {"shape": None}, {"class": None}, {"class": []},
)  # fmt: skip


def draw(rng: random.Random) -> Case:
    """Draw a forged table, and a command that reads it."""
    counts = _drawn_counts(rng)
    document = honest(counts)
    how = rng.choice(("impossible", "impossible", "impossible", "possible", "unsigned", "parquet",
                      "parquet", "bytes", "deep", "keys"))  # fmt: skip
    name, expected = "forged.json", "refused"
    if how == "impossible":
        how = rng.choice(list(IMPOSSIBLE))
        IMPOSSIBLE[how](rng, document)
        expected = "either" if how in UNUSUAL else "refused"
        document["checksum"] = checksum_of(document)
        content = json.dumps(document).encode()
    elif how == "possible":
        cell = rng.choice(document["cells"])
        cell[2] = counts[cell[0]][cell[1]] = rng.choice((1, 7, 10**6, 10**20))
        document["checksum"] = checksum_of(document)
        content, expected = json.dumps(document, indent=rng.choice((None, 1))).encode(), "right"
    elif how == "unsigned":
        rng.choice(document["cells"])[2] += 1
        content = json.dumps(document).encode()
    elif how == "parquet":
        name, content = "forged.parquet", as_parquet(document)
        expected = "right"
        if rng.random() < 0.8:
            note = rng.choice(NOTES)
            content, how, expected = as_parquet(document, note), f"parquet with {note}", "any"
    elif how == "deep":
        content = _deep(document)
    elif how == "keys":
        extra: Document = rng.choice(({"more": 1}, {"__class__": "x"}, {"cells2": []}))
        content, expected = json.dumps(document | extra).encode(), "either"
    else:
        whole = rng.choice((json.dumps(document).encode(), as_parquet(document)))
        name = "forged.parquet" if whole.startswith(b"PAR1") else "forged.json"
        content, expected = _spoilt(rng, whole), "same"
    other = json.dumps(honest([[1, 2], [3, 4]])).encode()
    argv = ["score", name, "-m", ",".join(MEASURES), "-f", "json"]
    if rng.random() < 0.3:
        argv = rng.choice((
            ["table", "merge", name, "other.json", "-o", "../out/merged.json"],
            ["score", name, "--diagnose"],
            ["score", name, "--confidence", "0.9", "--resamples", "20"],
            ["score", name, "--chance", "sizes"],
        ))  # fmt: skip
        expected = "either" if expected == "right" else expected
    recipe = {
        "argv": argv, "counts": counts, "expected": expected, "how": how,
        "allowed": ["out/merged.json"] if "merge" in argv else [],
    }  # fmt: skip
    return Case("forged tables", recipe, {name: content, "other.json": other})


def _spoilt(rng: random.Random, content: bytes) -> bytes:
    place = rng.randrange(len(content))
    return rng.choice((
        content[:place],
        content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :],
        content[:place] + b"9" + content[place:],
        content + content,
        content + b"\x00",
    ))  # fmt: skip


def run(case: Case, room: Room) -> Verdict:
    """Run the command, and hold its answer against the counts that the forger knows."""
    recipe = case.recipe
    verdict, ran = run_command(room, case, Job(recipe["argv"]), recipe["allowed"])
    if verdict.failed or verdict.outcome == "refused":
        if verdict.outcome == "refused" and recipe["expected"] == "right":
            return failed(f"refused a table in order: {ran.err.strip()[:200]}", verdict.shown)
        return verdict
    if recipe["expected"] == "refused":
        return failed(f"answered from an impossible table: {recipe['how']}", verdict.shown)
    # Bytes that no checksum covers may be changed; the counts may not.
    if recipe["argv"][-1] != "json" or recipe["argv"][0] != "score":
        return verdict
    fault = card_fault(ran.out, recipe["counts"])
    return failed(f"wrong answer: {fault} ({recipe['how']})", verdict.shown) if fault else verdict


KIND = Kind("forged tables", 8, draw, run)


# Journals


SELECT = ["select", "table.csv", "-l", "y", "--k", "2,3", "--runs", "2", "-a", "kmeans,ward",
          "--seed", "5", "-f", "json", "--journal", "../out/run.db"]  # fmt: skip
Change = Callable[[random.Random, sqlite3.Connection], None]


def _sql(*statements: str) -> Change:
    """Run statements that change the file."""

    def change(rng: random.Random, base: sqlite3.Connection) -> None:
        for statement in statements:
            base.execute(statement)

    return change


def _blob(make: Callable[[bytes], bytes]) -> Change:
    """Change the packed labels of one fit."""

    def change(rng: random.Random, base: sqlite3.Connection) -> None:
        rows = base.execute("SELECT rowid, labels FROM fits WHERE labels NOT NULL").fetchall()
        number, blob = rng.choice(rows)
        base.execute("UPDATE fits SET labels = ? WHERE rowid = ?", (make(blob), number))

    return change


def _labels(make: Callable[[bytes], bytes]) -> Change:
    return _blob(lambda blob: zlib.compress(make(zlib.decompress(blob))))


# With a checksum that fits, labels that are possible cannot be told from honest ones, so these
# are signed only if nothing else could have made them.
CHANGES: dict[str, tuple[Change, bool]] = {
    "labels moved": (_labels(lambda x: x[1:] + x[:1]), False),
    "labels swapped": (
        _sql("UPDATE fits SET labels = (SELECT labels FROM fits ORDER BY labels LIMIT 1)"), False),
    "labels all one": (_labels(lambda x: bytes(len(x))), True),
    "labels out of range": (_labels(lambda x: b"\x7f" + x[1:]), True),
    "labels negative": (_labels(lambda x: b"\x9c" + x[1:]), True),
    "labels cut": (_labels(lambda x: x[:-1]), True),
    "labels twice": (_labels(lambda x: x + x), True),
    "no labels": (_labels(lambda x: b""), True),
    "blob cut": (_blob(lambda x: x[:-3]), True),
    "blob garbage": (_blob(lambda x: b"garbage"), True),
    "blob empty": (_blob(lambda x: b""), True),
    "blob bomb": (_blob(lambda x: zlib.compress(bytes(2**26), 9) * 1), True),
    "blob text": (_sql("UPDATE fits SET labels = 'text'"), True),
    "blob null": (_sql("UPDATE fits SET labels = NULL"), True),
    "kind wider": (_sql("UPDATE fits SET kind = '<i8'"), True),
    "kind object": (_sql("UPDATE fits SET kind = '|O'"), True),
    "kind float": (_sql("UPDATE fits SET kind = '<f8'"), True),
    "kind null": (_sql("UPDATE fits SET kind = NULL"), True),
    "seed other": (_sql("UPDATE fits SET seed = seed + 1"), True),
    "seed text": (_sql("UPDATE fits SET seed = 'x'"), True),
    "seconds text": (_sql("UPDATE fits SET seconds = 'x'"), True),
    "seconds infinite": (_sql("UPDATE fits SET seconds = 9e999"), True),
    "seconds negative": (_sql("UPDATE fits SET seconds = -1"), True),
    "objective text": (_sql("UPDATE fits SET objective = 'x'"), True),
    "objective infinite": (_sql("UPDATE fits SET objective = 9e999"), True),
    "errors": (_sql("UPDATE fits SET error = 'no'"), True),
    "fit lost": (_sql("DELETE FROM fits WHERE rowid = 1"), True),
    "fits lost": (_sql("DELETE FROM fits"), True),
    "fit renamed": (_sql("UPDATE fits SET algorithm = 'other' WHERE rowid = 1"), True),
    "clusters text": (_sql("UPDATE fits SET clusters = 'x' WHERE rowid = 1"), True),
    "run huge": (_sql("UPDATE fits SET run = 9223372036854775807 WHERE rowid = 1"), True),
    "settings other": (_sql("UPDATE algorithms SET settings = '{\"a\": \"b\"}'"), True),
    "settings nested": (_sql(f"UPDATE algorithms SET settings = '{'[' * 90_000}'"), True),
    "settings list": (_sql("UPDATE algorithms SET settings = '[1]'"), True),
    "settings blob": (_sql("UPDATE algorithms SET settings = x'00ff'"), True),
    "settings lost": (_sql("DELETE FROM algorithms"), True),
    "seed of the run": (_sql("UPDATE run SET value = '6' WHERE key = 'seed'"), True),
    "seed no number": (_sql("UPDATE run SET value = 'x' WHERE key = 'seed'"), True),
    "points no number": (_sql("UPDATE run SET value = 'x' WHERE key = 'points'"), True),
    "points many": (_sql("UPDATE run SET value = '99999999999999' WHERE key = 'points'"), True),
    "digest other": (_sql("UPDATE run SET value = 'ff' WHERE key = 'digest'"), True),
    "run lost": (_sql("DELETE FROM run"), True),
    "run more": (_sql("INSERT INTO run (key, value) VALUES ('more', 'x')"), True),
    "version": (_sql("PRAGMA user_version = 99"), True),
    "version negative": (_sql("PRAGMA user_version = -1"), True),
    "application": (_sql("PRAGMA application_id = 7"), True),
    "trigger": (_sql("CREATE TRIGGER t AFTER INSERT ON fits BEGIN DELETE FROM fits; END"), True),
    "table more": (_sql("CREATE TABLE more (x)", "INSERT INTO more VALUES (1)"), True),
    "table lost": (_sql("DROP TABLE fits"), True),
    "column lost": (_sql("ALTER TABLE fits DROP COLUMN seconds"), True),
    "view": (_sql("ALTER TABLE fits RENAME TO f", "CREATE VIEW fits AS SELECT * FROM f"), True),
    # It has no end at which its rows could be signed.
    "endless view": (_sql(
        "ALTER TABLE run RENAME TO r", "CREATE VIEW run AS WITH RECURSIVE n(i) AS (SELECT 1 UNION "
        "ALL SELECT i + 1 FROM n) SELECT i AS key, i AS value FROM n"), False),
    "write-ahead log": (_sql("PRAGMA journal_mode = WAL"), True),
    "vacuumed": (_sql("VACUUM"), True),
}  # fmt: skip


def _journal_checksum(*values: Any) -> str:
    found = hashlib.sha256()
    for value in values:
        data = value if isinstance(value, bytes) else repr(value).encode()
        found.update(f"{type(value).__name__} {len(data)} ".encode() + data)
    return found.hexdigest()


def sign_journal(base: sqlite3.Connection) -> bool:
    """Give every row of a journal the checksum that it should have; False if rows have none."""
    try:
        columns = [row[1] for row in base.execute("PRAGMA table_info(fits)")]
        if "checksum" not in columns:
            return False
        held = dict(base.execute("SELECT key, value FROM run").fetchall())
        for key, value in held.items():
            told = _journal_checksum(key, value)
            base.execute("UPDATE run SET checksum = ? WHERE key = ?", (told, key))
        origin = _journal_checksum(*sorted(held.items()))
        settings: dict[Any, str] = {}
        for name, text in base.execute("SELECT name, settings FROM algorithms").fetchall():
            told = _journal_checksum(origin, name, text)
            base.execute("UPDATE algorithms SET checksum = ? WHERE name = ?", (told, name))
            settings[name] = json.dumps(json.loads(text), sort_keys=True)
        content = ", ".join(name for name in columns if name != "checksum")
        for number, *row in base.execute(f"SELECT rowid, {content} FROM fits").fetchall():
            told = _journal_checksum(origin, settings.get(row[0]), *row)
            base.execute("UPDATE fits SET checksum = ? WHERE rowid = ?", (told, number))
    except (sqlite3.Error, ValueError, RecursionError, TypeError):
        return False  # too broken to be signed
    return True


def draw_journal(rng: random.Random) -> Case:
    """Draw a change of an honest journal, signed or not, or spoilt bytes."""
    how = rng.choice((*CHANGES, *["bytes"] * 8, "hot journal", "nothing"))
    signed = how in CHANGES and CHANGES[how][1] and rng.random() < 0.5
    table = delimited(columns_of(random.Random(rng.randrange(4)), "plain", 40, ("y", "c")))
    recipe = {"how": how, "signed": signed, "seed": rng.getrandbits(32)}
    return Case("forged journals", recipe, {"table.csv": table})


def forge(path: Path, recipe: dict[str, Any]) -> None:
    """Change a journal as a recipe says."""
    rng, how = random.Random(recipe["seed"]), recipe["how"]
    if how == "bytes":
        content = path.read_bytes()
        for _ in range(rng.choice((1, 1, 5))):
            content = _spoilt(rng, content) or b"\x00"
        path.write_bytes(content)
    elif how == "hot journal":
        path.with_name(path.name + "-journal").write_bytes(
            rng.choice((b"", b"garbage", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + bytes(600)))
        )
    elif how != "nothing":
        base = sqlite3.connect(path, isolation_level=None)
        CHANGES[how][0](rng, base)
        if recipe["signed"]:
            sign_journal(base)
        base.close()


def run_journal(case: Case, room: Room) -> Verdict:
    """Resume from the forged journal: the honest result, or a refusal."""
    job = Job(SELECT)
    honest_run, ran = run_command(room, case, job, ["out/run.db"])
    if honest_run.outcome != "right":
        return failed(f"an honest selection: {honest_run.reason}", honest_run.shown)
    wanted, journal = without_times(ran.out), room.outputs / "run.db"
    try:
        forge(journal, case.recipe)
    except sqlite3.Error as error:
        return Verdict("skipped", f"the forger could not change it: {error}")
    (room.base / "log" / "out").unlink()
    (room.base / "log" / "err").unlink()
    ran = room.run(job)
    verdict = judged(ran, SELECT)
    what = f"{case.recipe['how']}{', signed' if case.recipe['signed'] else ''}"
    if verdict.failed:
        return failed(f"{verdict.reason} ({what})", verdict.shown)
    if verdict.outcome == "right" and without_times(ran.out) != wanted:
        return failed(f"another result from a forged journal ({what})", verdict.shown)
    return verdict


def without_times(text: str) -> Any:
    """Return a result without the seconds that fits took."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items() if "second" not in k}
        return [plain(item) for item in value] if isinstance(value, list) else value

    return plain(json.loads(text))


def unsigned(case: Case) -> Iterator[Case]:
    """Yield the same forgery without its signature."""
    if case.recipe["signed"]:
        yield case.having(signed=False)


KIND_OF_JOURNALS = Kind("forged journals", 6, draw_journal, run_journal, unsigned)
