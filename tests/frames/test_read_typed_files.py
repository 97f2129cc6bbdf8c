from __future__ import annotations

import contextlib
import datetime
import decimal
import gzip
import io
import json
import os
import pickle
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from reading import read_features, read_text_table

from clustervet import Contingency, open_table
from clustervet.errors import FileError, LabelError, MissingPackageError, ParameterError
from clustervet.frames import arrow

COLUMNS = {
    "x": [0.5, 1.5, 2.5],
    "n": [1, -2, 3],
    "flag": [True, False, True],
    "kind": ["a", "b", "a"],
    "y": [0, 1, 0],
}


def labels(codes):
    """A column as plain labels, None where missing."""
    names = [n.item() if isinstance(n, np.generic) else n for n in codes.restore(codes.values)]
    gone = codes.missing if codes.missing is not None else [False] * len(names)
    return [None if absent else name for name, absent in zip(names, gone, strict=True)]


def write_parquet(table, path):
    pa.parquet.write_table(table, path)


def write_arrow(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


def write_arrow_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


def write_feather(table, path):
    pa.feather.write_feather(table, path, compression="lz4")


def write_json_lines(table, path):
    path.write_text("".join(json.dumps(row, default=str) + "\n" for row in table.to_pylist()))


def write_json(table, path):
    path.write_text(json.dumps(table.to_pylist()))


def write_gzipped_json_lines(table, path):
    write_json_lines(table, path)
    path.write_bytes(gzip.compress(path.read_bytes()))


WRITERS = {
    "points.parquet": write_parquet,
    "points.pq": write_parquet,
    "parquet-without-a-name": write_parquet,
    "points.arrow": write_arrow,
    "points.ipc": write_arrow_stream,
    "arrow.without-a-name": write_arrow,
    "points.feather": write_feather,
    "points.jsonl": write_json_lines,
    "points.ndjson": write_json_lines,
    "points.json": write_json,
    "lines.json": write_json_lines,
    "points.jsonl.gz": write_gzipped_json_lines,
}
TYPED = ["points.parquet", "points.arrow", "points.feather"]


@pytest.fixture
def write(tmp_path):
    """Write columns to a file in the format of its name."""

    def write_columns(columns, name="points.parquet"):
        table = columns if isinstance(columns, pa.Table) else pa.table(columns)
        path = tmp_path / name
        WRITERS[name](table, path)
        return path

    return write_columns


def refusal(path, **options):
    """The one safe sentence by which a file is refused."""
    with pytest.raises(FileError) as caught:
        read_features(path, **options)
    text = str(caught.value)
    assert text.isprintable()
    assert text.endswith((".", "?"))
    return text.replace(str(path), "FILE")


@pytest.mark.parametrize("name", WRITERS)
def test_points_and_labels(write, name):
    table = read_features(write(COLUMNS, name), exclude=["y"])
    assert table.feature_names == ("x", "n", "flag")
    assert table.columns == tuple(COLUMNS)
    assert table.left_out == {"kind": "text"}
    assert table.matrix.tolist() == [[0.5, 1, 1], [1.5, -2, 0], [2.5, 3, 1]]
    assert table.matrix.dtype == np.float64
    assert table.matrix.flags.c_contiguous
    assert labels(table.labels("y")) == [0, 1, 0]
    assert labels(table.labels("kind")) == ["a", "b", "a"]
    assert labels(table.labels("flag")) == [True, False, True]


@pytest.mark.parametrize("name", ["points.parquet", "points.arrow", "points.jsonl"])
def test_features_are_taken_in_the_order_asked_for(write, name):
    table = read_features(write(COLUMNS, name), features=["n", "x"])
    assert table.matrix.tolist() == [[1, 0.5], [-2, 1.5], [3, 2.5]]


@pytest.mark.parametrize("name", TYPED)
def test_single_precision_stays_single(write, name):
    columns = {"a": pa.array([0.1, 0.2], pa.float32()), "b": pa.array([1, 2], pa.float16())}
    table = read_features(write(columns, name))
    assert table.matrix.dtype == np.float32
    assert table.matrix.tolist() == np.array([[0.1, 1], [0.2, 2]], np.float32).tolist()
    mixed = read_features(write({**columns, "c": [0.5, 1.5]}, name))
    assert mixed.matrix.dtype == np.float64
    assert mixed.matrix.tolist() == [[np.float32(0.1), 1, 0.5], [np.float32(0.2), 2, 1.5]]


@pytest.mark.parametrize("name", TYPED)
def test_every_type_of_column(write, name):
    day = datetime.date(2020, 1, 1)
    columns = {
        "i8": pa.array([1, 2], pa.int8()),
        "u64": pa.array([1, 2**64 - 1], pa.uint64()),
        "money": [decimal.Decimal("1.25"), decimal.Decimal("2.50")],
        "long": pa.array([decimal.Decimal(10**30), decimal.Decimal(10**30 + 1)]),
        "day": [day, day],
        "time": pa.array([0, 1], pa.timestamp("us", "UTC")),
        "nothing": pa.nulls(2),
        "nest": [{"a": 1}, {"a": 2}],
        "list": [[1], [2, 3]],
        "bytes": [b"a", b"\xff"],
        "group": pa.array(["u", "v"]).dictionary_encode(),
    }
    table = read_features(write(columns, name))
    assert table.feature_names == ("i8", "u64", "money", "long")
    assert table.matrix.tolist() == [[1, 1, 1.25, 1e30], [2, 2.0**64, 2.5, 1e30]]
    why = dict(table.left_out)
    assert {why.pop(column) for column in ("day", "time")} == {"dates or times"}
    assert {why.pop(column) for column in ("nest", "list", "bytes")} == {"neither numbers nor text"}
    assert why == {"nothing": "empty", "group": "text"}
    assert labels(table.labels("u64")) == [1, 2**64 - 1]
    assert labels(table.labels("group")) == ["u", "v"]
    assert labels(table.labels("day")) == ["2020-01-01"] * 2
    assert labels(table.labels("nothing")) == [None, None]
    for column in ("long", "time", "nest", "list", "bytes"):
        assert len(set(labels(table.labels(column)))) == 2


@pytest.mark.parametrize("name", ["points.parquet", "points.arrow", "points.jsonl"])
def test_missing_labels(write, name):
    columns = {"x": [1.0, 2, 3], "y": [1, None, 2], "kind": ["a", None, "NA"]}
    table = read_features(write(columns, name), exclude=["y", "kind"])
    assert labels(table.labels("y")) == [1, None, 2]
    assert labels(table.labels("kind")) == ["a", None, "NA"]


def test_whole_floats_are_labels_and_fractions_are_not(write):
    path = write({"x": [1.0, 2], "y": [1.0, 2.0], "f": [1.5, 2.0]})
    table = read_features(path, features=["x"])
    assert labels(table.labels("y")) == [1, 2]
    with pytest.raises(LabelError, match=r"^column 'f' of .* holds 1.5 .* whole numbers"):
        table.labels("f")


@pytest.mark.parametrize("name", ["points.parquet", "points.arrow", "points.jsonl"])
def test_sixty_three_bit_labels_stay_apart(write, name):
    table = read_features(write({"x": [1.0, 2], "y": [2**62, 2**62 + 1]}, name), exclude=["y"])
    assert labels(table.labels("y")) == [2**62, 2**62 + 1]


def test_many_row_groups_are_read_in_order(tmp_path):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(50_000, 4))
    kinds = rng.choice(["a", "b", "ü"], 50_000)
    table = pa.table({**{f"x{k}": points[:, k] for k in range(4)}, "kind": kinds})
    path = tmp_path / "points.parquet"
    pa.parquet.write_table(table, path, row_group_size=3_000)
    read = read_features(path, exclude=["kind"])
    assert np.array_equal(read.matrix, points)
    assert labels(read.labels("kind")) == kinds.tolist()


@pytest.mark.parametrize("name", ["points.parquet", "points.arrow", "points.jsonl"])
def test_labels_make_the_same_table_as_those_of_text(write, tmp_path, name):
    rng = np.random.default_rng(4)
    columns = {"x": rng.normal(size=200), "y": rng.choice(["a", "b", "c"], 200)}
    table = read_features(write(columns, name), exclude=["y"])
    path = tmp_path / "points.csv"
    rows = "".join(f"{x},{y}\n" for x, y in zip(*columns.values(), strict=True))
    path.write_text(f"x,y\n{rows}")
    text = read_text_table(path).column("y")
    other = np.arange(200) % 3
    assert Contingency.from_labels(table.labels("y"), other) == Contingency.from_labels(text, other)


HOSTILE = [
    "'; DROP TABLE t; --",
    'a"b',
    'x") FROM t; --',
    "new\nline",
    "Größe 日本",
    "c0",
    "$1 ?",
    "t.c0",
    "SELECT",
    "filename",
    "x" * 3_000,
]


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("name", ["points.parquet", "points.arrow", "points.jsonl"])
def test_hostile_names_of_columns(write, name, hostile):
    path = write({"first": [1.0, 2], hostile: [3.0, 4], "kind": ["a", "b"]}, name)
    table = read_features(path, features=[hostile], exclude=["kind"])
    assert table.feature_names == (hostile,)
    assert table.matrix.tolist() == [[3], [4]]
    assert labels(table.labels(hostile)) == [3, 4]


@pytest.mark.parametrize("name", TYPED)
def test_names_that_differ_in_case_or_are_empty(write, name):
    data = pa.table([[1.0, 2], [3.0, 4], ["a", "b"], [0, 1]], names=["x", "X", "", "X_1"])
    table = read_features(write(data, name))
    assert table.columns == ("x", "X", "", "X_1")
    assert table.matrix.tolist() == [[1, 3, 0], [2, 4, 1]]
    assert labels(table.labels("")) == ["a", "b"]


def test_keys_that_differ_in_case_are_not_mixed_up(tmp_path):
    path = tmp_path / "points.jsonl"
    path.write_text('{"x": 1, "X": "a", "k": "u"}\n{"x": 2.5, "X": "b", "k": "v"}\n')
    table = read_features(path)
    assert table.matrix.tolist() == [[1], [2.5]]
    assert labels(table.labels(table.columns[1])) == ["a", "b"]
    assert labels(table.labels("k")) == ["u", "v"]


def test_a_key_that_ends_in_a_number_beside_its_stem(tmp_path):
    path = tmp_path / "points.jsonl"
    path.write_text('{"x": 1, "x_1": 3, "k": "u"}\n{"x": 2, "x_1": 4, "k": "v"}\n')
    table = read_features(path)
    assert table.feature_names == ("x", "x_1")
    assert table.matrix.tolist() == [[1, 3], [2, 4]]


def test_nested_columns_do_not_shift_names(write):
    columns = {"nest": [{"a": 1, "b": {"c": 2}}], "x": [1.5], "list": [[1, 2]], "y": [2.5]}
    table = read_features(write(columns))
    assert table.feature_names == ("x", "y")
    assert table.matrix.tolist() == [[1.5, 2.5]]


class TestJsonLines:
    """What JSON alone can hold."""

    @pytest.fixture
    def lines(self, tmp_path):
        def write_lines(*lines, name="points.jsonl"):
            path = tmp_path / name
            path.write_text("\n".join(lines))
            return path

        return write_lines

    def test_whole_numbers_before_fractions(self, lines):
        rows = ['{"x": 1}'] * 30_000 + ['{"x": 2.5}']
        assert read_features(lines(*rows)).matrix[-1].tolist() == [2.5]

    def test_strings_that_look_like_dates_or_times_stay_apart(self, lines):
        path = lines('{"x": 1, "t": "1:00"}', '{"x": 2, "t": "01:00"}')
        assert labels(read_features(path).labels("t")) == ["1:00", "01:00"]

    def test_strings_that_are_numbers_are_features_if_asked_for(self, lines):
        path = lines('{"x": 1, "s": "1.5"}', '{"x": 2, "s": "2"}')
        assert read_features(path).feature_names == ("x",)
        assert read_features(path, features=["s"]).matrix.tolist() == [[1.5], [2]]

    def test_mixed_values_are_text(self, lines):
        path = lines('{"x": 1, "m": 1}', '{"x": 2, "m": "b"}')
        table = read_features(path)
        assert table.left_out == {"m": "text"}
        assert labels(table.labels("m")) == ["1", "b"]
        assert refusal(path, features=["m"]).startswith("column 'm' of FILE holds 'b' in row 2,")

    def test_a_key_that_some_rows_lack(self, lines):
        path = lines('{"x": 1}', '{"x": 2, "y": 3}')
        assert refusal(path).startswith("column 'y' of FILE has no value in row 1;")
        assert labels(read_features(path, exclude=["y"]).labels("y")) == [None, 3]

    def test_blank_lines(self, lines):
        assert read_features(lines('{"x": 1}', "", '{"x": 2}', "")).matrix.tolist() == [[1], [2]]

    @pytest.mark.parametrize("name", ["points.jsonl", "points.ndjson.gz"])
    def test_a_broken_line_is_named(self, lines, name):
        path = lines('{"x": 1}', "", '{"x": ', '{"x": 2}', name=name)
        if name.endswith("gz"):
            path.write_bytes(gzip.compress(path.read_bytes()))
        assert refusal(path) == "line 3 of FILE is not well-formed JSON: Expecting value."

    def test_a_line_that_is_no_object_is_named(self, lines):
        assert refusal(lines('{"x": 1}', "[2]")) == "line 2 of FILE holds no JSON object."

    @pytest.mark.parametrize(("name", "content"), [("p.jsonl", "\n\n"), ("p.json", "[]")])
    def test_no_objects(self, lines, name, content):
        assert refusal(lines(content, name=name)) == "FILE has no rows."

    def test_values_nested_too_deeply(self, lines):
        path = lines('[{"x": 1, "z": ' + "[" * 3_000 + "]" * 3_000 + "}]", name="points.json")
        assert refusal(path) == "FILE is not a whole JSON file: values are nested too deeply."

    def test_an_object_that_is_too_long(self, lines):
        path = lines('{"x": 1, "s": "' + "s" * 2**24 + '"}', name="points.json")
        assert refusal(path) == (
            "FILE has a JSON object of more than 16.8 MB, which is too long to read."
        )

    def test_nested_values_are_neither_numbers_nor_text(self, lines):
        path = lines('{"x": 1, "o": {"a": 1}, "l": [1], "e": null}', '{"x": 2}')
        left_out = {"o": "neither numbers nor text", "l": "neither numbers nor text", "e": "empty"}
        assert read_features(path).left_out == left_out

    def test_a_file_that_is_broken_while_it_is_open(self, lines):
        source = open_table(lines('{"x": 1}'))
        assert source.names == ["x"]
        lines('{"x": ')
        with pytest.raises(FileError, match=r"^line 1 of .* is not well-formed JSON: Expecting"):
            source.columns  # noqa: B018  # read now

    @pytest.mark.parametrize(
        "content", ["[1, 2]", "1", '"text"', "hello", "{}", "\x00\x01\x02", "null", "[" * 9_999]
    )
    @pytest.mark.parametrize("name", ["points.jsonl", "points.json"])
    def test_what_is_no_object(self, lines, content, name):
        refusal(lines(content, content, name=name))


class TestRefusals:
    """What is wrong with a file or a column, in one sentence."""

    @pytest.mark.parametrize("name", ["points.parquet", "points.arrow", "points.jsonl"])
    def test_a_missing_value(self, write, name):
        path = write({"x": [1.0, None, 3], "y": [1, 2, None]}, name)
        assert refusal(path) == (
            "column 'x' of FILE has no value in row 2; mend it, or leave the column out."
        )
        assert refusal(path, features=["y"]).startswith("column 'y' of FILE has no value in row 3;")

    @pytest.mark.parametrize("name", TYPED)
    @pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
    def test_not_a_number_and_infinite(self, write, name, kind):
        path = write({"x": pa.array([1, np.nan], kind)}, name)
        assert refusal(path).startswith("column 'x' of FILE has no value in row 2;")
        path = write({"x": pa.array([1, 2, -np.inf], kind)}, name)
        assert refusal(path).startswith("column 'x' of FILE holds -inf in row 3, which is not fin")

    @pytest.mark.parametrize("name", ["points.parquet", "points.arrow", "points.jsonl"])
    def test_a_text_column_asked_for(self, write, name):
        path = write({"x": [1.0, 2], "s": ["7", "abc"]}, name)
        assert refusal(path, features=["s"]).startswith(
            "column 's' of FILE holds 'abc' in row 2, which is no number;"
        )

    def test_dates_asked_for(self, write):
        path = write({"x": [1.0], "day": [datetime.date(2020, 1, 2)]})
        assert refusal(path, features=["day"]).startswith(
            "column 'day' of FILE holds '2020-01-02' in row 1, which is no number;"
        )

    @pytest.mark.parametrize("name", ["points.parquet", "points.arrow", "points.jsonl"])
    def test_an_unknown_column(self, write, name):
        path = write(COLUMNS, name)
        expected = "FILE has no column 'knid'; did you mean kind?"
        assert refusal(path, features=["knid"]) == expected
        assert refusal(path, exclude=["knid"]) == expected

    @pytest.mark.parametrize("name", TYPED)
    def test_no_numbers(self, write, name):
        assert refusal(write({"a": ["x"], "id": [1]}, name)) == (
            "FILE has no numeric column that could be a feature; it has a (text), id (an index)."
        )

    @pytest.mark.parametrize("name", TYPED)
    def test_no_rows(self, write, name):
        assert refusal(write({"x": pa.array([], pa.float64())}, name)) == "FILE has no rows."

    @pytest.mark.parametrize("name", TYPED)
    def test_the_same_name_twice(self, write, name):
        data = pa.table([[1.0], [2.0]], names=["x", "x"])
        expected = "FILE has 2 columns named 'x'; names must be unique."
        assert refusal(write(data, name)) == expected

    @pytest.mark.parametrize("name", WRITERS)
    def test_an_empty_file(self, tmp_path, name):
        path = tmp_path / name
        path.write_bytes(b"")
        assert refusal(path) == "FILE is empty."

    @pytest.mark.parametrize(
        "name", [name for name in WRITERS if "json" not in name and "without" not in name]
    )
    def test_a_truncated_file(self, write, name):
        path = write({"x": np.random.default_rng(0).normal(size=9_000)}, name)
        whole = path.read_bytes()
        for size in (3, 9, 200, len(whole) // 2, len(whole) - 9):
            path.write_bytes(whole[:size])
            assert refusal(path).startswith("FILE is not a whole ")

    @pytest.mark.parametrize("name", ["p.parquet", "p.arrow", "p.jsonl", "p.json", "p.jsonl.gz"])
    @pytest.mark.parametrize(
        "junk", [b"hello", b"x,y\n1,2\n", b"\xff" * 999, b"PAR1" + b"\xff" * 99 + b"PAR1"]
    )
    def test_junk(self, tmp_path, name, junk):
        path = tmp_path / name
        path.write_bytes(junk)
        refusal(path)

    def test_damage_within_a_file_never_ends_in_anything_else(self, write):
        path = write(COLUMNS)
        whole = path.read_bytes()
        rng = np.random.default_rng(1)
        for _ in range(12):
            damaged = bytearray(whole)
            for place in rng.integers(0, len(whole), 4):
                damaged[place] ^= int(rng.integers(1, 256))
            path.write_bytes(damaged)
            with contextlib.suppress(FileError):
                read_features(path, exclude=["y"])

    def test_damaged_pages(self, write):
        path = write({"x": np.arange(5_000.0), "y": np.arange(5_000)})
        held = path.read_bytes()
        path.write_bytes(held[:200] + b"\xff" * 6_000 + held[6_200:])
        assert refusal(path).startswith("FILE is not a whole Parquet file: ")
        with pytest.raises(FileError, match=r"points\.parquet is not a whole Parquet file: "):
            open_table(path).labels(["x"])

    def test_a_path_with_a_pattern_is_said_as_it_was_given(self, tmp_path):
        path = tmp_path / "one[1]*.parquet"
        path.write_bytes(b"PAR1 and no more PAR1")
        assert refusal(path) == (
            "FILE is not a whole Parquet file: Footer length error in the file."
        )

    def test_half_a_gzipped_file(self, write):
        path = write({"x": np.random.default_rng(0).normal(size=9_000)}, "points.jsonl.gz")
        path.write_bytes(path.read_bytes()[:9_000])
        assert refusal(path).startswith("FILE is not a whole JSON file: ")

    @pytest.mark.parametrize("options", [{"delimiter": ","}, {"header": True}, {"array": "X"}])
    def test_options_of_other_formats(self, write, options):
        with pytest.raises(ParameterError, match=r"points\.parquet"):
            read_features(write(COLUMNS), **options)

    def test_arrow_without_pyarrow(self, write, monkeypatch):
        path = write(COLUMNS, "points.arrow")
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingPackageError, match="the package pyarrow is needed"):
            read_features(path)


class TestPaths:
    """Paths that an engine could take for something else."""

    @pytest.mark.parametrize(
        "name",
        [
            "star*.parquet",
            "**.parquet",
            "what?.parquet",
            "one[1].parquet",
            "back\\*slash.parquet",
            "quote'\"; DROP TABLE t; --.parquet",
            "new\nline.parquet",
            "y=3.parquet",
            os.fsdecode(b"\xff.parquet"),
        ],
        ids=ascii,
    )
    def test_hostile_paths(self, tmp_path, name):
        for decoy in ("starfish.parquet", "one1.parquet", "whats.parquet"):
            write_parquet(pa.table({"x": [7.0]}), tmp_path / decoy)
        path = os.fspath(tmp_path / name)
        with open(path, "wb") as stream:
            write_parquet(pa.table(COLUMNS), stream)
        table = read_features(path, exclude=["y"])
        assert table.matrix.shape == (3, 3)
        assert labels(table.labels("kind")) == ["a", "b", "a"]

    def test_a_folder_named_like_a_partition_adds_no_column(self, tmp_path):
        folder = tmp_path / "z=3"
        folder.mkdir()
        write_parquet(pa.table(COLUMNS), folder / "points.parquet")
        assert read_features(folder / "points.parquet").columns == tuple(COLUMNS)

    def test_a_relative_path(self, write, monkeypatch):
        monkeypatch.chdir(write(COLUMNS).parent)
        assert read_features("points.parquet").matrix.shape == (3, 4)
        assert sorted(os.listdir()) == ["points.parquet"]

    def test_an_engine_is_loaded_and_no_other(self, write):
        code = f"""
import json, sys
from clustervet.frames import open_table
open_table({str(write(COLUMNS))!r}).features().labels("kind")
heavy = ("duckdb", "scipy", "numba", "pandas", "polars", "pyarrow")
print(json.dumps([module for module in heavy if module in sys.modules]))
"""
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
        )
        assert json.loads(ran.stdout) == ["duckdb"]


def zipped(*members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for member in members:
            archive.writestr(member, "x")
    return stream.getvalue()


BOOK = zipped("[Content_Types].xml", "xl/workbook.xml")
FOREIGN = {
    "book.csv": (BOOK, "an Excel workbook, though its name does not end in .xlsx; rename it"),
    "book.xlsb": (zipped("xl/workbook.bin"), "an Excel workbook; export it as CSV or Parquet"),
    "old.xls": (
        b"\xd0\xcf\x11\xe0\xa1\xb1",
        "an old Excel or Word file; export it as CSV or Parquet",
    ),
    "text.docx": (zipped("word/document.xml"), "a text document; export it as CSV or Parquet"),
    "all.zip": (zipped("a.csv"), "a ZIP archive; unpack or rename it"),
    "r.rds": (gzip.compress(b"X\n"), "a file of R; export it as CSV or Parquet"),
    "r.rdata": (b"RDX3\nX\n\0", "a file of R; export it as CSV or Parquet"),
    "spss.sav": (b"$FL2@(#) SPSS", "an SPSS file; export it as CSV or Parquet"),
    "stata.dta": (b"<stata_dta><header>", "a Stata file; export it as CSV or Parquet"),
    "data.h5": (b"\x89HDF\r\n\x1a\n", "an HDF5 file; export it as CSV or Parquet"),
    "data.db": (b"SQLite format 3\0", "an SQLite database; export it as CSV or Parquet"),
    "data.pkl": (pickle.dumps([1]), "a Python pickle; export it as CSV or Parquet"),
    "paper.pdf": (b"%PDF-1.7\n", "a PDF document; export it as CSV or Parquet"),
    "packed.csv": (
        gzip.compress(b"y,c\na,0\n"),
        "packed by gzip, though its name does not end in .gz; unpack or rename it",
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_of_other_programs_are_called_what_they_are(tmp_path, name):
    content, words = FOREIGN[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError) as caught:
        open_table(path)
    assert str(caught.value) == f"{path} is {words}."


def test_arrays_of_numpy_need_no_name(tmp_path):
    with (tmp_path / "arrays").open("wb") as stream:
        np.savez(stream, y=np.array([0, 1]), c=np.array([0, 1]))
    assert list(open_table(tmp_path / "arrays").columns) == ["y", "c"]


class TestArrowFooters:
    """The end of an Arrow file says where its parts lie; a vector begins with its length."""

    @pytest.fixture
    def forge(self, write):
        """Write a file, and bytes over the place of a vector, of a block, or of a field."""

        def forged(where, value):
            path = write(COLUMNS, "points.arrow")
            held = bytearray(path.read_bytes())
            end = len(held) - len(arrow.MAGIC) - 4
            (length,) = struct.unpack_from("<i", held, end)
            start = end - length
            footer = memoryview(bytes(held[start:end]))
            root = arrow._offset(footer, 0)
            vector = arrow._offset(footer, arrow._field(footer, root, arrow.FOOTER_BLOCKS[1]))
            fields = root - struct.unpack_from("<i", footer, root)[0] + 4
            place = {"length": vector, "block": vector + 4}
            place["dictionaries"] = fields + 2 * arrow.FOOTER_BLOCKS[0]
            at = start + place[where]
            held[at : at + len(value)] = value
            path.write_bytes(held)
            return path

        return forged

    def test_a_file_without_a_list_of_dictionaries(self, forge):
        table = read_features(forge("dictionaries", bytes(2)), features=["x"])
        assert table.matrix.ravel().tolist() == COLUMNS["x"]

    @pytest.mark.parametrize("place", [-1, 10**9])
    def test_a_block_outside_the_file(self, forge, place):
        assert refusal(forge("block", struct.pack("<q", place))) == (
            "FILE is not a whole Arrow file: a block lies outside the file."
        )

    def test_a_list_that_is_longer_than_the_file(self, forge):
        assert refusal(forge("length", struct.pack("<I", 10**6))) == (
            "FILE is not a whole Arrow file: a list is longer than the file."
        )
