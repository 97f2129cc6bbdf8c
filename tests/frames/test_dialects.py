"""The same odd file through every engine: the same counts, or the same refusal.

Where an engine reads a kind of file otherwise and cannot be told to, it refuses, and names DuckDB.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import socket
from collections import Counter
from dataclasses import dataclass

import pytest
from engine_frames import spark_session
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clustervet import Contingency, file_moments, open_table, read_tables
from clustervet.errors import ClustervetError, FileError, ParameterError
from clustervet.frames import dialect
from clustervet.frames.dialect import Trait, look
from clustervet.frames.engines import engine_for
from clustervet.frames.places import find_place
from clustervet.frames.text import open_text

# Dask itself calls pandas in a way that pandas will drop.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in:DeprecationWarning")
READERS = ["memory", "duckdb", "duckdb frame", "polars", "dask", "spark"]
ELSEWHERE = r"which {} reads otherwise than other engines do; read it with the engine duckdb\.$"
PLAIN = {("a", "0"): 2, ("b", "1"): 1}


@dataclass(frozen=True)
class Kind:
    """A kind of file: its bytes, its counts or its refusal, and the engines that cannot read it."""

    content: bytes
    expected: dict | str = None
    refused_by: frozenset = frozenset()
    name: str = "odd.csv"


def kind(content, expected=None, refused_by="", name="odd.csv"):
    data = content.encode() if isinstance(content, str) else content
    return Kind(data, PLAIN if expected is None else expected, frozenset(refused_by.split()), name)


KINDS = {
    "plain": kind("y,c\na,0\na,0\nb,1\n"),
    "quotes": kind('"y","c"\n"a","0"\na,"0"\n"b",1\n'),
    "delimiters inside quotes": kind(
        'y,c\n"a,b",0\n"a,b","0"\n"b;|",1\n', {("a,b", "0"): 2, ("b;|", "1"): 1}
    ),
    "doubled quotes": kind(
        'y,c\n"a ""b""",0\n"""",1\n"a ""b""",0\n', {('a "b"', "0"): 2, ('"', "1"): 1}
    ),
    "quotes in the header": kind('"y","say ""c"", so"\na,0\na,0\nb,1\n'),
    "a quote inside a field": kind(
        'y,c\na"b,0\na"b,0\nb,1\n', {('a"b', "0"): 2, ("b", "1"): 1}, "polars dask spark"
    ),
    "a quote after a space": kind(
        'y,c\na, "0"\na, "0"\nb,1\n', {("a", ' "0"'): 2, ("b", "1"): 1}, "polars dask spark"
    ),
    "text after a closing quote": kind('y,c\n"a"b,0\n', "not well-formed delimited text"),
    "a quote that never closes": kind('y,c\na,0\n"b,1\n', "not well-formed delimited text"),
    "blank lines": kind("y,c\na,0\n\na,0\n\n\nb,1\n", None, "polars"),
    "blank lines first": kind("\n\ny,c\na,0\na,0\nb,1\n", None, "polars dask"),
    "trailing blank lines": kind("y,c\na,0\na,0\nb,1\n\n\n", None, "polars"),
    "a line of spaces": kind("y,c\na,0\n  \nb,1\n", r"^line 3 of .* has 1 field"),
    "a row of tabs": kind(
        "y\tc\na\t0\n\t\nb\t1\n",
        {("a", "0"): 1, (None, None): 1, ("b", "1"): 1},
        "spark",
        "odd.tsv",
    ),
    "spaces before fields": kind("y,c\n a, 0\n a, 0\n ,1\n", {(" a", " 0"): 2, (" ", "1"): 1}),
    "tabs before fields": kind(
        "y,c\n\ta,\t0\n\ta,\t0\n\t,1\n", {("\ta", "\t0"): 2, ("\t", "1"): 1}
    ),
    "spaces and tabs": kind(
        "y\tc\n \t \n \ta\nb\t \n",
        {(" ", " "): 1, (" ", "a"): 1, ("b", " "): 1},
        "spark",
        "odd.tsv",
    ),
    "a row of nothing": kind("y,c\na,0\n,\nb,1\n", {("a", "0"): 1, (None, None): 1, ("b", "1"): 1}),
    "a byte order mark": kind(b"\xef\xbb\xbfy,c\na,0\na,0\nb,1\n"),
    "a byte order mark before quotes": kind(b'\xef\xbb\xbf"y","c"\na,0\na,0\nb,1\n'),
    "semicolons": kind("y;c\na;0\na;0\nb;1\n"),
    "tabs": kind("y\tc\na\t0\na\t0\nb\t1\n", name="odd.tsv"),
    "tabs in a CSV": kind("y\tc\na\t0\na\t0\nb\t1\n"),
    "pipes": kind("y|c\na|0\na|0\nb|1\n"),
    "blanks as R writes them": kind(
        '"y" "c"\n"1" "a" 0\n"2" "a" 0\n"3" "b" 1\n', PLAIN, "polars dask spark"
    ),
    "blanks without quotes": kind("y c\n1 a 0\n2 a 0\n3 b 1\n", PLAIN, "polars dask spark"),
    "decimal commas": kind("y;c\n1,5;0\n1,5;0\n2;1\n", {("1,5", "0"): 2, ("2", "1"): 1}),
    "CRLF": kind("y,c\r\na,0\r\na,0\r\nb,1\r\n"),
    "CRLF after quotes": kind('"y","c"\r\n"a","0"\r\na,"0"\r\n"b","1"\r\n'),
    "CRLF and blank lines": kind("y,c\r\n\r\na,0\r\na,0\r\nb,1\r\n\r\n", None, "polars"),
    "line ends inside quotes": kind(
        'y,c\n"a\nb",0\n"a\nb",0\nb,1\n', {("a\nb", "0"): 2, ("b", "1"): 1}
    ),
    "line ends inside quotes, CRLF outside": kind(
        'y,c\r\n"a\nb",0\r\n"a\nb",0\r\nb,1\r\n', {("a\nb", "0"): 2, ("b", "1"): 1}, "spark"
    ),
    "a line end inside a quoted name, CRLF outside": kind(
        'y,"c\nd"\r\n"a\nb",0\r\n"a\nb",0\r\nb,1\r\n', {("a\nb", "0"): 2, ("b", "1"): 1}, "spark"
    ),
    "mixed line ends and some inside quotes": kind(
        'y,c\n"a\nb",0\r\n"a\nb",0\nb,1\r\n', {("a\nb", "0"): 2, ("b", "1"): 1}, "spark"
    ),
    "CRLF inside quotes": kind(
        'y,c\r\n"a\r\nb",0\r\n"a\r\nb",0\r\nb,1\r\n', {("a\r\nb", "0"): 2, ("b", "1"): 1}, "spark"
    ),
    "CRLF inside quotes, LF outside": kind(
        'y,c\n"a\r\nb",0\n"a\r\nb",0\nb,1\n', {("a\r\nb", "0"): 2, ("b", "1"): 1}, "spark"
    ),
    "a carriage return inside quotes": kind(
        'y,c\n"a\rb",0\n"a\rb",0\nb,1\n', {("a\rb", "0"): 2, ("b", "1"): 1}, "spark"
    ),
    "a line end inside a quoted name": kind('y,"c\nd"\na,0\na,0\nb,1\n'),
    "carriage returns alone": kind("y,c\ra,0\ra,0\rb,1\r", None, "polars dask spark"),
    "mixed line ends": kind("y,c\na,0\r\na,0\nb,1\r\n"),
    "too few fields": kind("y,c,z\na,0,1\nb,1\n", r"^line 3 of .* has 2 fields where"),
    "too many fields": kind("y,c\na,0\nb,1,2\n", r"^line 3 of .* has 3 fields where"),
    "too many fields in every row": kind("y,c\na,0,\nb,1,\n", r"^line 2 of .* has 3 fields"),
    "one empty column more": kind("y,c,\na,0,\na,0,\nb,1,\n"),
    "equal names": kind("y,c,y\na,0,1\n", r"has 2 columns named 'y'; names must be unique\.$"),
    "two empty names": kind("y,c,,\na,0,1,2\n", r"has 2 columns named ''; names must be unique"),
    "names that are patterns": kind("*,^y$\na,0\na,0\nb,1\n"),
    "an empty name": kind("y,,c\na,5,0\na,6,0\nb,7,1\n"),
    "names in two cases": kind("y,c,Y\na,0,1\na,0,2\nb,1,3\n"),
    "spaces after delimiters": kind("y, c\na, 0\na, 0\nb,1\n", {("a", " 0"): 2, ("b", "1"): 1}),
    "missing values": kind(
        'y,c\na,NA\na,N/A\nb,\nb,""\nb,nan\nb,null\nc,None\nc,<NA>\nc,none\n',
        {("a", None): 2, ("b", None): 4, ("c", None): 2, ("c", "none"): 1},
    ),
    "leading zeros": kind(
        "y,c\n007,0\n7,0\n07,1\n", {("007", "0"): 1, ("07", "1"): 1, ("7", "0"): 1}
    ),
    "numbers of many spellings": kind(
        "y,c\n1,1e3\n1.0,1000\n1.00,+1\n", {("1", "1e3"): 1, ("1.0", "1000"): 1, ("1.00", "+1"): 1}
    ),
    "true and false": kind(
        "y,c\ntrue,T\nTrue,1\nTRUE,yes\ntrue,T\n",
        {("true", "T"): 2, ("True", "1"): 1, ("TRUE", "yes"): 1},
    ),
    "quoted numbers": kind('y,c\n"1","0"\n1,0\n"2","1"\n', {("1", "0"): 2, ("2", "1"): 1}),
    "a backslash": kind('y,c\na\\,0\n"a\\",0\n\\N,1\n', {("a\\", "0"): 2, ("\\N", "1"): 1}),
    "a number sign": kind("y,c\n#a,0\n#a,0\nb,1\n", {("#a", "0"): 2, ("b", "1"): 1}),
    "a NUL": kind(b"y,c\na,0\nb\0,1\n", "is a binary file, not delimited text"),
    "a NUL far down": kind(
        b"y,c\n" + b"a,0\n" * 20_000 + b"b\0,1\n",
        {("a", "0"): 20_000, ("b\0", "1"): 1},
    ),
    "no UTF-8": kind(b"y,c\na\xff,0\n", r"is not UTF-8 text \(byte 0xff\)"),
    "no UTF-8 far down": kind(
        b"y,c\n" + b"a,0\n" * 20_000 + b"b\xff,1\n", r"is not UTF-8 text \(byte 0xff\)"
    ),
    "no UTF-8 in the header": kind(b"y,c\xe9\na,0\n", r"is not UTF-8 text \(byte 0xe9\)"),
    "letters of every script": kind(
        "y,c\nKäse,日本\nKäse,日本\n\u2028,\u00a0\n", {("Käse", "日本"): 2, ("\u2028", "\u00a0"): 1}
    ),
    "no line end at the end": kind("y,c\na,0\na,0\nb,1"),
    "a quote at the end": kind('y,c\na,0\na,0\nb,"1"'),
    "a header alone": kind("y,c\n", r"has a header and no rows\.$"),
    "a header without a line end": kind("y,c", r"has a header and no rows\.$"),
    "nothing": kind("", r"is empty\.$"),
    "blank lines alone": kind("\n\n\n", r"is empty\.$"),
    "packed": kind(gzip.compress(b'y;c\n"a";0\na;0\nb;1\n'), name="odd.csv.gz"),
    "packed and cut short": kind(
        gzip.compress(b"y,c\n" + b"a,0\n" * 50)[:-9], "is not a whole gzip file", name="odd.csv.gz"
    ),
}


@pytest.fixture(scope="module")
def spark():
    """One session for all files: the engine takes the one that runs."""
    with spark_session() as session:
        yield session


def columns_of(name):
    return {
        "names that are patterns": ("*", "^y$"),
        "quotes in the header": ("y", 'say "c", so'),
        "a line end inside a quoted name": ("y", "c\nd"),
        "a line end inside a quoted name, CRLF outside": ("y", "c\nd"),
        "spaces after delimiters": ("y", " c"),
    }.get(name, ("y", "c"))


def counts(path, engine, truth, pred):
    """The counts of a file by one of the readers."""
    if engine == "spark":  # rows take a third of the time of groups there
        with engine_for("spark") as opened, opened.reading(str(path)) as frame:
            names = frame.columns
            rows = frame.toDF(*map(str, range(len(names)))).collect()
            return dict(Counter((row[names.index(truth)], row[names.index(pred)]) for row in rows))
    if engine == "duckdb frame":
        with engine_for("duckdb") as opened, opened.reading(str(path)) as frame:
            return Contingency.from_frame(frame, truth=truth, pred=pred, missing="class").to_dict()
    named = None if engine == "memory" else engine
    tables = read_tables(path, truth, pred, engine=named, missing="class")
    return tables[truth, pred].to_dict()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("engine", READERS)
def test_every_engine_counts_the_same_or_refuses(tmp_path, request, engine, name):
    if engine == "spark":
        request.getfixturevalue("spark")
    one = KINDS[name]
    path = tmp_path / one.name
    path.write_bytes(one.content)
    if isinstance(one.expected, str):
        with pytest.raises(FileError, match=one.expected):
            counts(path, engine, *columns_of(name))
    elif engine in one.refused_by:
        with pytest.raises(FileError, match=ELSEWHERE.format(engine)):
            counts(path, engine, *columns_of(name))
    else:
        assert counts(path, engine, *columns_of(name)) == one.expected


def test_one_process_has_one_spark(spark):
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"spark://127.0.0.1:{other.getsockname()[1]}"
        with (
            pytest.raises(
                ParameterError, match=r"^this process already uses the Spark local\[1\]\.$"
            ),
            engine_for(address),
        ):
            pass
    with engine_for("spark") as engine:
        assert engine.session is spark
    assert spark.range(3).count() == 3


def test_the_delimiter_and_the_header_may_be_said(tmp_path, spark):
    path = tmp_path / "odd.csv"
    path.write_text("a:0,0\na:0,0\nb:1,1\n")
    expected = {("a", "0,0"): 2, ("b", "1,1"): 1}
    for engine in (None, "duckdb", "polars", "dask", "spark"):
        options = {"delimiter": ":", "header": False, "engine": engine}
        assert read_tables(path, "1", "2", **options)["1", "2"].to_dict() == expected


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask", "spark"])
def test_parts_with_other_delimiters_and_orders_are_one_table(tmp_path, request, engine):
    if engine == "spark":
        request.getfixturevalue("spark")
    (tmp_path / "0.csv").write_text("y,c\na,0\n")
    (tmp_path / "1.csv").write_text('more;c;y\n"x\ny";0;a\n;1;b\n')
    pattern = str(tmp_path / "[0-9].csv")
    tables = read_tables(pattern, "y", "c", engine=engine)
    assert tables["y", "c"].to_dict() == PLAIN


# Numbers

NUMBERS = {
    "spaces": ("x, w,c\n1, 1.5,a\n2, 0.5,b\n", [1.5, 0.5]),
    "exponents": ("x,w,c\n1,1e3,a\n2,+.5E-1,b\n", [1000.0, 0.05]),
    "quotes": ('x,w,c\n1,"2",a\n2,"3.",b\n', [2.0, 3.0]),
    "a decimal comma": ("x;w;c\n1;1,5;a\n2;0,5;b\n", [1.5, 0.5]),
    "a comma and a point": ("x;w;c\n1;1,5;a\n2;0.5;b\n", "'1,5'"),
    "a suffix of Java": ("x,w,c\n1,1.5d,a\n2,2f,b\n", r"'(1\.5d|2f)'"),
    "a hexadecimal number": ("x,w,c\n1,0x10,a\n2,1,b\n", "'0x10'"),
    "infinity": ("x,w,c\n1,inf,a\n2,1,b\n", "finite"),
    "a word": ("x,w,c\n1,word,a\n2,1,b\n", "'word'"),
    "nothing": ("x,w,c\n1,,a\n2,1,b\n", "empty weight|no value|missing"),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("engine", ["memory", "duckdb", "polars", "dask", "spark"])
def test_weights_are_the_same_numbers_in_every_engine(tmp_path, request, engine, name):
    if engine == "spark":
        request.getfixturevalue("spark")
    text, expected = NUMBERS[name]
    (tmp_path / "odd.csv").write_text(text)
    weights = " w" if name == "spaces" else "w"
    options = {"engine": None if engine == "memory" else engine, "weights": weights}
    if isinstance(expected, str):
        with pytest.raises(ClustervetError, match=expected) as caught:
            _ = read_tables(tmp_path / "odd.csv", "x", "c", **options)["x", "c"]
        assert len(str(caught.value)) < 400
        return
    table = read_tables(tmp_path / "odd.csv", "x", "c", **options)["x", "c"]
    assert table.to_dict() == dict(zip([("1", "a"), ("2", "b")], expected, strict=True))


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask", "spark"])
def test_features_are_the_same_numbers_in_every_engine(tmp_path, request, engine):
    if engine == "spark":
        request.getfixturevalue("spark")
    path = tmp_path / "odd.csv"
    path.write_text('c; x\na; 1.5\n"a\n";1e1\na;"2.5"\n')
    moments = file_moments(path, label="c", features=" x", engine=engine)
    assert dict(zip(moments.names, moments.centroids.ravel().tolist(), strict=True)) == {
        "a": 2.0,
        "a\n": 10.0,
    }
    path.write_text("c;x\na;1,5\nb;2\n")
    moments = file_moments(path, label="c", features="x", engine=engine)
    assert moments.centroids.ravel().tolist() == [1.5, 2.0]
    path.write_text("c;x\na;1,5\nb;2.5\n")
    with pytest.raises(FileError, match=f"^{engine} cannot go on: column 'x' of .* holds '1,5' in"):
        file_moments(path, label="c", features="x", engine=engine)


# Names of files, and patterns


@pytest.mark.parametrize("engine", ["memory", "duckdb", "polars", "dask", "spark"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_pattern_means_the_same_files_in_every_engine(tmp_path, request, engine, form):
    if engine == "spark":
        request.getfixturevalue("spark")
    import polars as pl

    for name, label in {"ga1": "a", "gb22": "b", "gb": "no", "gc3": "no", "{ga1,gb}": "no"}.items():
        frame = pl.DataFrame({"y": [label], "c": ["0"]})
        getattr(frame, f"write_{form}")(tmp_path / f"{name}.{form}")
    pattern = str(tmp_path / f"g[ab]*?.{form}")
    named = None if engine == "memory" else engine
    tables = read_tables(pattern, "y", "c", engine=named)
    assert tables["y", "c"].to_dict() == {("a", "0"): 1, ("b", "0"): 1}
    if named:
        with engine_for(named) as opened:
            frame = opened.read(pattern)
            assert Contingency.from_frame(frame, truth="y", pred="c").n == 2


NAMES = [
    "g[ab]*?",
    "a,b",
    "a:b",
    "a::b",
    "{a,b}",
    "_hidden",
    "back\\slash",
    b"\xff".decode("utf-8", "surrogateescape"),
]


@pytest.mark.parametrize("engine", ["memory", "duckdb", "duckdb frame", "polars", "dask", "spark"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_name_is_no_pattern_where_a_file_has_it(tmp_path, request, engine, form):
    if engine == "spark":
        request.getfixturevalue("spark")
    import polars as pl

    for name in ("gax", "a", "b"):
        decoy = pl.DataFrame({"y": ["no"], "c": ["no"]})
        getattr(decoy, f"write_{form}")(tmp_path / f"{name}.{form}")
    made = io.BytesIO()
    getattr(pl.DataFrame({"y": ["a"], "c": ["0"]}), f"write_{form}")(made)
    for name in NAMES:
        path = tmp_path / f"{name}.{form}"
        path.write_bytes(made.getvalue())
        assert counts(str(path), engine, "y", "c") == {("a", "0"): 1}


def test_a_cluster_cannot_follow_a_link_of_this_machine(tmp_path):
    (tmp_path / "a[1].csv").write_text("y,c\na,0\n")
    with engine_for("polars") as opened:
        far = type(opened)("tcp://somewhere:1")
        with pytest.raises(FileError, match=r"tcp://somewhere:1 cannot open a file of the name"):
            far.read(str(tmp_path / "a[1].csv"))


# What csv writes


def outcome(path, engine):
    """The counts of a file, or why there are none."""
    try:
        return counts(path, engine, "y", "c")
    except FileError as refusal:
        return str(refusal)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(*[st.text(st.sampled_from('ab ",;\t\r\n\0é\u2028NA')) for _ in range(2)]),
        min_size=1,
        max_size=6,
    ),
    ends=st.sampled_from(["\n", "\r\n", "\r"]),
    delimiter=st.sampled_from([",", ";", "\t"]),
)
@pytest.mark.parametrize("engine", ["duckdb frame", "duckdb", "polars", "dask"])
def test_what_the_csv_module_writes_is_counted_alike_or_refused(
    tmp_path, engine, rows, ends, delimiter
):
    path = tmp_path / "odd.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator=ends)
        writer.writerows([("y", "c"), *rows])
    expected, found = outcome(path, "memory"), outcome(path, engine)
    if isinstance(expected, dict) and "read it with the engine duckdb" in found:
        assert not engine.startswith("duckdb")
        return
    assert found == expected


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.sampled_from('ab",\r\n \ufeff'), max_size=24), piece=st.integers(1, 9))
def test_a_look_at_the_bytes_knows_what_python_reads(tmp_path, monkeypatch, text, piece):
    """In pieces of any size; without a fatal trait Python reads the file too."""
    path = tmp_path / "odd.csv"
    path.write_bytes(b"y,c\n" + text.encode())
    monkeypatch.setattr(dialect, "CHUNK", piece)
    try:
        file = open_text(find_place(path), ",", True)
    except FileError:
        return
    found = look(file)
    if not dialect.FATAL & found.keys():
        file.check()
    if not found:
        assert [Trait.blank in found, "\r\r" in text] == [False, False]
        rows = [line.count(",") for line in text.replace("\r\n", "\n").split("\n") if line]
        assert '"' in text or set(rows) <= {1}


def test_traits_are_named_by_their_first_line(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text('y,c\na,0\n\n"b\nc",0\n\n"d\n",1\n')
    assert look(open_text(find_place(path), None, None)) == {Trait.blank: 3, Trait.broken: 4}


def test_columns_of_an_engine_are_those_of_the_file(tmp_path):
    (tmp_path / "odd.csv").write_text('"y ""1""";;z\na;0;1\n')
    for engine in ("polars", "dask", "duckdb"):
        assert list(open_table(tmp_path / "odd.csv", engine=engine).columns) == ['y "1"', "", "z"]
    assert os.listdir(tmp_path) == ["odd.csv"]


@pytest.mark.parametrize(
    ("text", "delimiter", "said"),
    [
        ("y§c\na§0\n", "§", "has a delimiter that is no ASCII character in line 1, which"),
        ("y,c\na,0\n" + "b" * 300 + ",1\n", ",", "has a very long line in line 3, which"),
    ],
)
def test_what_stops_the_look_at_a_file(tmp_path, monkeypatch, text, delimiter, said):
    monkeypatch.setattr(dialect, "CHUNK", 64)
    monkeypatch.setattr(dialect, "LONGEST", 200)
    path = tmp_path / "odd.csv"
    path.write_text(text)
    with pytest.raises(FileError, match=rf"odd\.csv {said} polars reads otherwise"):
        read_tables(path, "y", "c", engine="polars", delimiter=delimiter)
    assert read_tables(path, "y", "c", delimiter=delimiter)["y", "c"].to_dict()["a", "0"] == 1


@pytest.mark.parametrize("row", ['1,"{}"', '"{}",1'])
def test_a_field_may_be_longer_than_what_is_looked_at_at_a_time(tmp_path, monkeypatch, row):
    monkeypatch.setattr(dialect, "CHUNK", 8)
    path, field = tmp_path / "odd.csv", "x,\n" * 20
    path.write_text(f"y,c\na,0\n{row.format(field)}\na,0\n")
    assert look(open_text(find_place(path), ",", True)) == {Trait.broken: 3}
    found = read_tables(path, "y", "c", engine="polars")["y", "c"]
    label = ("1", field) if row.startswith("1") else (field, "1")
    assert found.to_dict() == {("a", "0"): 2, label: 1}
    many = "a,0\n" * 5_000  # more than tell what the columns are
    path.write_text(f"y,c\n{many}7,{row.format(field)}\na,0\n")
    assert list(look(open_text(find_place(path), ",", True))) == [Trait.broken, Trait.ragged]


def test_quotes_that_never_end(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("y,c\n" + "a,0\n" * 5_000 + 'b,"1\n')
    found = look(open_text(find_place(path), ",", True))
    assert found == {Trait.broken: 5_002, Trait.odd_quotes: 5_002}


def test_half_a_gzip_file_is_refused_whoever_reads_it(tmp_path):
    rows = "".join(f"{k * 7919 % 100_003},{k % 7}\n" for k in range(100_000))
    whole = gzip.compress(f"y,c\n{rows}".encode())
    path = tmp_path / "odd.csv.gz"
    path.write_bytes(whole[: len(whole) // 2])
    for engine in ("polars", "dask"):
        with pytest.raises(
            FileError, match=r"odd\.csv\.gz cannot be read: Compressed file ended before the end"
        ):
            read_tables(path, "y", "c", engine=engine)
