"""The grammar of hostile files: small tables in every format and dialect, then damaged.

A draw says what is known about the answer: `right` (the counts of the table, and nothing else),
`either` (these counts, or a refusal), `refused` (no answer can be right), or `any` (the damage
may have made another table of it; only the manner of the answer is judged).
"""

from __future__ import annotations

import bz2
import csv
import functools
import gzip
import io
import json
import lzma
import random
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

Expected = Literal["right", "either", "refused", "any"]
Columns = dict[str, list[Any]]

NAMES: dict[str, list[str]] = {
    "plain": ["ash", "oak", "yew", "fir"],
    "numbers": ["0", "1", "2", "3"],
    "noise": ["-1", "0", "1", "2"],
    "wide": ["-9223372036854775808", "9223372036854775807", "18446744073709551616", "7"],
    "codes": ["001", "010", "100", "0x1f"],
    "separators": ["a,b", "c;d", "e\tf", "g|h"],
    "quotes": ['say "a"', "it's", '"', '""'],
    "lines": ["a\nb", "c\r\nd", "e\rf", "g"],
    "spaces": ["a b", " c", "d ", "e  f"],
    "accents": ["é", "ß", "Ω", "日本"],
    "controls": ["a\x1b[31m", "b\x07", "c\u2028", "d\u202e"],
    "markup": ["<b>a</b>", "&lt;", "{{7*7}}", "=1+1"],
    "decimals": ["1,5", "2,5", "3,5", "4,5"],
    "dates": ["2020-01-01", "2020-01-02", "01/02/2020", "2020-01-04"],
    "booleans": ["true", "false", "True", "yes"],
    "long": ["x" * 5_000, "y" * 5_000, "z", "w"],
}
PLAIN = ("plain", "numbers", "accents")
COLUMN_NAMES = (
    *("y", "c"), "class", "a b", "é", "y.1", "x[0]", 'q"q', "a,b", "1", "-1", "SELECT", "a'b",
    "<b>", "\u202ey", "a\nb", " y ", "Y", "*", "{y}", "x" * 300, "NaN", "$y", "%s", "None",
)  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    """A file, and what is known about the table in it.

    `counts` is the table of the columns `truth` and `pred`, as lists of whole numbers.
    """

    name: str
    content: bytes
    truth: str
    pred: str
    counts: list[list[int]]
    expected: Expected
    how: str

    def damaged(self, content: bytes, expected: Expected, how: str) -> Drawn:
        """Return the file with other content."""
        return replace(self, content=content, expected=expected, how=f"{self.how}, {how}")


def counts_of(truth: list[Any], pred: list[Any]) -> list[list[int]]:
    """Return the table of two columns."""
    found = Counter(zip(truth, pred, strict=True))
    columns = dict.fromkeys(pred)
    return [[found[a, b] for b in columns] for a in dict.fromkeys(truth)]


def columns_of(rng: random.Random, alphabet: str, rows: int, names: tuple[str, str]) -> Columns:
    """Draw classes and clusters that agree in part, numbers, and a row number."""
    letters = NAMES[alphabet]
    truth = [rng.randrange(len(letters)) for _ in range(rows)]
    pred = [t if rng.random() < 0.7 else rng.randrange(3) for t in truth]
    return {
        names[0]: [letters[t] for t in truth],
        names[1]: [letters[p] for p in pred],
        "x1": [round(t + rng.gauss(0, 0.3), 6) for t in truth],
        "x2": [round(-t + rng.gauss(0, 0.3), 6) for t in truth],
    }


# Formats


def _rows(columns: Columns) -> list[list[Any]]:
    return [list(row) for row in zip(*columns.values(), strict=True)]


def delimited(
    columns: Columns, separator: str = ",", end: str = "\n", quote: Literal[0, 1, 2] = 0
) -> bytes:
    """Return a table as delimited text."""
    held = io.StringIO(newline="")
    writer = csv.writer(held, delimiter=separator, lineterminator=end, quoting=quote)
    writer.writerow(columns)
    writer.writerows(_rows(columns))
    return held.getvalue().encode("utf-8", "surrogatepass")


def _json_records(columns: Columns) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in _rows(columns)]


def _json(columns: Columns) -> bytes:
    return json.dumps(_json_records(columns)).encode()


def _json_columns(columns: Columns) -> bytes:
    return json.dumps(columns).encode()


def _json_lines(columns: Columns) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in _json_records(columns)).encode()


def _frame(columns: Columns) -> Any:
    import pyarrow

    return pyarrow.table(columns)


def _parquet(columns: Columns) -> bytes:
    import pyarrow.parquet

    held = io.BytesIO()
    pyarrow.parquet.write_table(_frame(columns), held, compression="snappy")
    return held.getvalue()


def _arrow(columns: Columns) -> bytes:
    import pyarrow

    held = io.BytesIO()
    table = _frame(columns)
    with pyarrow.ipc.new_file(held, table.schema) as writer:
        writer.write_table(table)
    return held.getvalue()


def _arrow_stream(columns: Columns) -> bytes:
    import pyarrow

    held = io.BytesIO()
    table = _frame(columns)
    with pyarrow.ipc.new_stream(held, table.schema) as writer:
        writer.write_table(table)
    return held.getvalue()


def _npz(columns: Columns, compressed: bool = True) -> bytes:
    import numpy as np

    held = io.BytesIO()
    save = np.savez_compressed if compressed else np.savez
    save(held, **{name: np.array(column) for name, column in columns.items()})  # type: ignore[arg-type]
    return held.getvalue()


def _npy(columns: Columns) -> bytes:
    import numpy as np

    held = io.BytesIO()
    fields = [(name, np.array(column).dtype) for name, column in columns.items()]
    np.save(held, np.array([tuple(row) for row in _rows(columns)], dtype=fields))
    return held.getvalue()


def matrix_file(rows: Any) -> bytes:
    """Return a matrix of numbers as NPY."""
    import numpy as np

    held = io.BytesIO()
    np.save(held, np.array(rows))
    return held.getvalue()


def _zstd(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(write_checksum=True).compress(content)


WRITERS: dict[str, Callable[[Columns], bytes]] = {
    "csv": delimited,
    "tsv": lambda columns: delimited(columns, "\t"),
    "json": _json,
    "jsonl": _json_lines,
    "ndjson": _json_lines,
    "parquet": _parquet,
    "arrow": _arrow,
    "feather": _arrow,
    "arrows": _arrow_stream,
    "npz": _npz,
    "npy": _npy,
}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": _zstd,
}
# Every file of these kinds says where it ends, so one that is cut is known to be.
BINARY = {"parquet", "arrow", "feather", "npz", "npy"}
TEXT = {"csv", "tsv", "json", "jsonl", "ndjson"}


def good_file(rng: random.Random, *, plain: bool = False) -> Drawn:
    """Draw a whole file of any format, packed or not."""
    form = rng.choice(("csv", "csv", "csv", *WRITERS))
    alphabet = rng.choice(PLAIN) if plain or rng.random() < 0.4 else rng.choice(list(NAMES))
    names = ("y", "c")
    if not plain and rng.random() < 0.3:
        names = tuple(rng.sample(COLUMN_NAMES, 2))  # type: ignore[assignment]
    columns = columns_of(rng, alphabet, rng.choice((3, 8, 40, 200)), names)
    content = WRITERS[form](columns)
    counts = counts_of(columns[names[0]], columns[names[1]])
    name, how = f"table.{form}", f"{form} of {alphabet} labels"
    odd = alphabet not in PLAIN or names != ("y", "c") or form not in ("csv", "parquet", "jsonl")
    if form in TEXT and rng.random() < 0.25:
        packer = rng.choice(list(PACKERS))
        content, name, odd = PACKERS[packer](content), f"{name}.{packer}", odd or packer != "gz"
    return Drawn(name, content, names[0], names[1], counts, "either" if odd else "right", how)


# Dialects of delimited text


def _ragged(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    place = rng.randrange(1, len(lines))
    changed = lines[place] + b",extra" if rng.random() < 0.5 else lines[place].split(b",")[0]
    return [*lines[:place], changed, *lines[place + 1 :]]


def _blank(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    place = rng.randrange(0, len(lines) + 1)
    return [*lines[:place], rng.choice((b"", b" ", b"\t", b",", b",,,")), *lines[place:]]


def _comment(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    place = rng.randrange(0, len(lines) + 1)
    return [*lines[:place], b"# a comment, with a comma", *lines[place:]]


def _quoted_half(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    place = rng.randrange(0, len(lines))
    return [*lines[:place], b'"' + lines[place], *lines[place + 1 :]]


def _quote_inside(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    place = rng.randrange(1, len(lines))
    return [*lines[:place], lines[place].replace(b",", b'"x,', 1), *lines[place + 1 :]]


def _escaped_quote(rng: random.Random, lines: list[bytes]) -> list[bytes]:
    place = rng.randrange(1, len(lines))
    return [*lines[:place], b'"a\\"b",c,1,2', *lines[place + 1 :]]


LINE_TRICKS: tuple[Callable[[random.Random, list[bytes]], list[bytes]], ...] = (
    _ragged, _blank, _comment, _quoted_half, _quote_inside, _escaped_quote,
)  # fmt: skip


def odd_dialect(rng: random.Random) -> Drawn:
    """Draw delimited text in an unusual dialect."""
    alphabet = rng.choice(list(NAMES))
    names = ("y", "c") if rng.random() < 0.7 else tuple(rng.sample(COLUMN_NAMES, 2))
    columns = columns_of(rng, alphabet, rng.choice((3, 8, 40)), names)  # type: ignore[arg-type]
    separator = rng.choice((",", ",", ";", "\t", "|", " "))
    end = rng.choice(("\n", "\r\n", "\r"))
    quotes: tuple[Literal[0, 1, 2], ...] = (0, 1, 2)  # few, all, and all but numbers
    quote = rng.choice(quotes)
    content = delimited(columns, separator, end, quote)
    counts = counts_of(columns[names[0]], columns[names[1]])
    name = "table.tsv" if separator == "\t" and rng.random() < 0.7 else "table.csv"
    how = f"csv of {alphabet} labels, separator {separator!r}, line end {end!r}"
    found = Drawn(name, content, names[0], names[1], counts, "either", how)
    trick = rng.random()
    if trick < 0.12:
        found = found.damaged(b"\xef\xbb\xbf" + content, "either", "BOM")
    elif trick < 0.2:
        form = rng.choice(("utf-16", "utf-16-be", "utf-32", "latin-1", "cp1252"))
        text = content.decode("utf-8").encode(form, "replace")
        found = found.damaged(text, "any", form)
    elif trick < 0.3:
        found = found.damaged(content.rstrip(b"\r\n"), "either", "no last line end")
    elif trick < 0.6:
        lines = content.split(b"\n")
        for _ in range(rng.randint(1, 3)):
            lines = rng.choice(LINE_TRICKS)(rng, lines) if len(lines) > 1 else lines
        found = found.damaged(b"\n".join(lines), "any", "odd lines")
    elif trick < 0.65:
        found = found.damaged(content.replace(b"\n", b"\n" * 3), "any", "blank lines")
    elif trick < 0.7:
        first = content.split(b"\n", 1)[0]
        found = found.damaged(first.replace(b"x1", names[0].encode()) + content[len(first) :],
                              "any", "a column twice")  # fmt: skip
    return found


# Damage


def _cut(rng: random.Random, found: Drawn) -> Drawn:
    content = found.content
    cut = content[: rng.randrange(len(content))]
    packed = found.name.endswith(tuple(PACKERS))
    sure = packed or found.name.rpartition(".")[2] in BINARY
    return found.damaged(cut, "refused" if sure else "any", f"cut to {len(cut)} bytes")


def _flip(rng: random.Random, found: Drawn) -> Drawn:
    content = bytearray(found.content)
    for _ in range(rng.choice((1, 1, 3, 20))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return found.damaged(bytes(content), "any", "bits flipped")


def _overwrite(rng: random.Random, found: Drawn) -> Drawn:
    place = rng.randrange(len(found.content))
    value = rng.choice((b"\x00", b"\xff", b'"', b"\n", b"[", b"{", b",")) * rng.choice((1, 8, 100))
    content = found.content[:place] + value + found.content[place + len(value) :]
    return found.damaged(content, "any", f"{len(value)} bytes {value[:1]!r} at {place}")


def _insert(rng: random.Random, found: Drawn) -> Drawn:
    place = rng.randrange(len(found.content) + 1)
    value = rng.choice((
        b"\x00", b"\x00" * 50, b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\x1a", b"\r", b'"',
        b"NaN", b"Infinity", b"1e999", b"9" * 400, b"9" * 5000, b"x" * 2_000_000, b"[" * 100_000,
        b'{"a":' * 100_000, b"," * 100_000, b"\n" * 100_000, "\u202e\u2066".encode(), b"\\u0000",
    ))  # fmt: skip
    content = found.content[:place] + value + found.content[place:]
    return found.damaged(content, "any", f"{value[:8]!r} of {len(value)} bytes put in at {place}")


def _splice(rng: random.Random, found: Drawn) -> Drawn:
    other = good_file(rng, plain=True).content
    place = rng.randrange(len(found.content) + 1)
    content = rng.choice((found.content + other, found.content[:place] + other, other * 2))
    return found.damaged(content, "any", "spliced with another file")


def _misnamed(rng: random.Random, found: Drawn) -> Drawn:
    suffix = rng.choice((*WRITERS, "csv.gz", "gz", "xlsx", "txt", "", "pkl", "db", "CSV", "zip"))
    return replace(
        found, name=f"table.{suffix}", expected="any", how=f"{found.how}, named .{suffix}"
    )


def _empty(rng: random.Random, found: Drawn) -> Drawn:
    content = rng.choice(
        (
            b"",
            b"\n",
            b"\xef\xbb\xbf",
            b"\x00",
            b" ",
            b"[]",
            b"{}",
            b"null",
            b"y,c\n",
            b"y,c",
            b"PAR1PAR1",
            b"ARROW1",
            b"PK\x05\x06" + bytes(18),
            b"\x93NUMPY",
        )
    )
    return found.damaged(content, "refused", f"only {content[:12]!r}")


DAMAGE: tuple[Callable[[random.Random, Drawn], Drawn], ...] = (
    _cut, _cut, _flip, _flip, _overwrite, _insert, _insert, _splice, _misnamed, _empty,
)  # fmt: skip


# Headers that lie, and bombs


def npy_header(about: str, payload: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """Return an NPY file with any header."""
    padded = about.encode("latin-1", "replace") + b" " * (-(len(about) + 11) % 64) + b"\n"
    size = "<H" if version == b"\x01\x00" else "<I"
    length = min(len(padded), 2**16 - 1) if size == "<H" else len(padded)
    return b"\x93NUMPY" + version + struct.pack(size, length) + padded + payload


def zipped(members: dict[str, bytes], packed: bool = True) -> bytes:
    """Return a ZIP archive, which an NPZ file is."""
    held = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return held.getvalue()


def _forged_npy(rng: random.Random) -> bytes:
    shape = rng.choice((
        "(1, 1000000000000)", "(1000000000000,)", "(1000000000000, 1)", "(0, 10)", "(-1,)", "()",
        "(3, 3, 3)", f"({2**62}, 2)", f"({2**63},)", "(4, 2", "('a',)", "(1.5,)", "(10, 0)",
        "(2,)*40", "(" * 200 + ")" * 200, f"({'9' * 400},)",
    ))  # fmt: skip
    dtype = rng.choice(
        (
            "'<f8'",
            "'<f8'",
            "'<i8'",
            "'|O'",
            "'<U1000000000'",
            "'<c16'",
            "'|V8'",
            "'>f4'",
            "'<M8[ns]'",
            "[('a', '<f8')]",
            "'x'",
            "'|S0'",
            "object",
            "None",
        )
    )
    order = rng.choice(("False", "True", "1", "__import__('os')"))
    about = f"{{'descr': {dtype}, 'fortran_order': {order}, 'shape': {shape}, }}"
    if rng.random() < 0.1:
        about = rng.choice(
            ("", "x", "{", "[1]", "(" * 5000, "{'descr': '<f8'}", "__import__('os')")
        )
    return npy_header(about, bytes(rng.choice((0, 8, 64, 1024))),
                      rng.choice((b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x00")))  # fmt: skip


@functools.cache
def zip_bomb(member: str, head: bytes, megabytes: int) -> bytes:
    """Return a ZIP archive with one member: a head, and then zeros."""
    piece, checksum = bytes(2**20), zlib.crc32(head)
    for _ in range(megabytes):
        checksum = zlib.crc32(piece, checksum)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    flushed = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)  # may be repeated
    stored = b"\x00" + struct.pack("<HH", len(head), len(head) ^ 0xFFFF) + head
    data = stored + flushed * megabytes + zlib.compressobj(9, zlib.DEFLATED, -15).flush()
    name, size = member.encode(), len(head) + megabytes * 2**20
    common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, checksum, len(data), size, len(name), 0)
    local = b"PK\x03\x04" + common + name + data
    central = b"PK\x01\x02\x14\x00" + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
    ends = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\x05\x06" + ends


@functools.cache
def stream_bomb(packer: str, letter: bytes, megabytes: int) -> bytes:
    """Return many packed pieces one after another, which are read as one long stream."""
    return PACKERS[packer](letter * (16 * 2**20)) * (megabytes // 16)


def _bomb(rng: random.Random) -> tuple[str, bytes]:
    kind = rng.choice(("gz", "gz", "xz", "zst", "bz2", "npz", "npz", "rows"))
    if kind == "npz":
        size = 4000
        about = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size * 2**17 // 4}, 4), }}"
        return "table.npz", zip_bomb("x.npy", npy_header(about), size)
    if kind == "rows":
        return "table.csv.gz", gzip.compress(b"y,c\n") + stream_bomb("gz", b"1,2\n" * 4, 64)
    letter = rng.choice((b"x", b"\x00", b",", b'"', b"\n", b"["))
    head = rng.choice((b"y,c\n", b"", b'"'))
    form = rng.choice(("csv", "csv", "jsonl", "json", "tsv"))
    return f"table.{form}.{kind}", PACKERS[kind](head) + stream_bomb(kind, letter, 4096)


def liar(rng: random.Random) -> Drawn:
    """Draw a file whose header claims what is not there, or one that unpacks to gigabytes."""
    kind = rng.choice(("npy", "npz", "npz", "bomb", "parquet", "wide", "deep", "huge field"))
    name, content = f"table.{kind}", b""
    if kind == "npy":
        content = _forged_npy(rng)
    elif kind == "npz":
        members = {f"{name}.npy": _forged_npy(rng) for name in rng.sample(["y", "c", "x"], 2)}
        members |= rng.choice(({}, {"../../evil.npy": _forged_npy(rng)}, {"x.npy": b""}))
        content = zipped(members, rng.random() < 0.5)
    elif kind == "bomb":
        name, content = _bomb(rng)
    elif kind == "parquet":
        whole = good_file(rng, plain=True)
        whole = (
            whole
            if whole.name.endswith("parquet")
            else replace(whole, content=_parquet(columns_of(rng, "plain", 8, ("y", "c"))))
        )
        length = struct.pack("<I", rng.choice((0, 1, 2**31 - 1, 2**32 - 1, len(whole.content))))
        content = whole.content[:-8] + length + whole.content[-4:]
        name = "table.parquet"
    elif kind == "wide":
        many = rng.choice((1_000, 20_000, 100_000))
        content = b",".join(b"c%d" % k for k in range(many)) + b"\n"
        content += (b",".join([b"1"] * many) + b"\n") * 3
        name = "table.csv"
    elif kind == "deep":
        opener, closer = rng.choice(((b"[", b"]"), (b'{"a":', b"}"), (b'[{"y":', b"}]")))
        depth = rng.choice((100, 10_000, 1_000_000))
        content = opener * depth + b"1" + closer * depth
        name = rng.choice(("table.json", "table.jsonl"))
    else:
        size = rng.choice((70_000, 3_000_000, 30_000_000))
        content = b"y,c\n" + b"x" * size + b",1\nb,2\n"
        name = "table.csv"
    return Drawn(name, content, "y", "c", [], "any", f"liar: {kind}")


def hostile_file(rng: random.Random) -> Drawn:
    """Draw a file: whole, in an odd dialect, damaged, or one that lies."""
    what = rng.random()
    if what < 0.25:
        return good_file(rng)
    if what < 0.45:
        return odd_dialect(rng)
    if what < 0.57:
        return liar(rng)
    found = good_file(rng, plain=rng.random() < 0.5)
    found = rng.choice(DAMAGE)(rng, found)
    if found.content and rng.random() < 0.25:
        found = replace(rng.choice(DAMAGE)(rng, found), expected="any")
    return found
