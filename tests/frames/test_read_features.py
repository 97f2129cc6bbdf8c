from __future__ import annotations

import bz2
import csv
import gc
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read_features, read_text_table

from clustervet import ClustervetError, Contingency
from clustervet.errors import FileError, ParameterError
from clustervet.frames import duck, places, source
from clustervet.frames.text import TextFile

POINTS = "x1,x2,kind\n0.5,1,a\n1.5,-2,b\n2.5,3e2,a\n"
MATRIX = [[0.5, 1.0], [1.5, -2.0], [2.5, 300.0]]


def labels(codes):
    """A column as plain labels, None where missing."""
    names = list(codes.restore(codes.values))
    gone = codes.missing if codes.missing is not None else [False] * len(names)
    return [None if absent else name for name, absent in zip(names, gone, strict=True)]


@pytest.fixture
def file(tmp_path):
    """Write bytes or text to a file and give its path."""

    def write(content, name="points.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture(params=["python", "engine"])
def read(request, file, monkeypatch):
    """Read content by Python's reader, and by the engine's with no way back to Python's."""
    if request.param == "engine":
        monkeypatch.setattr(source, "SMALL", 0)
        monkeypatch.setattr(places, "LIGHT", 0)
        monkeypatch.setattr(TextFile, "read", None)

    def read_content(content, name="points.csv", **options):
        return read_features(file(content, name), **options)

    return read_content


@pytest.fixture(params=["python", "engine first"])
def refused(request, file, monkeypatch):
    """Read content that must be refused in one safe sentence; the same by either reader."""
    if request.param == "engine first":
        monkeypatch.setattr(source, "SMALL", 0)
        monkeypatch.setattr(places, "LIGHT", 0)

    def read_content(content, name="points.csv", **options):
        path = file(content, name)
        with pytest.raises(FileError) as caught:
            read_features(path, **options)
        text = str(caught.value)
        assert text.isprintable()
        assert text.endswith((".", "?"))
        return text.replace(str(path), "FILE")

    return read_content


class TestDelimitedText:
    """What a delimited file says, whoever reads it."""

    def test_numeric_columns_are_the_features(self, read):
        table = read(POINTS)
        assert table.matrix.tolist() == MATRIX
        assert table.matrix.dtype == np.float64
        assert table.matrix.flags.c_contiguous
        assert table.feature_names == ("x1", "x2")
        assert table.columns == ("x1", "x2", "kind")
        assert table.left_out == {"kind": "text"}
        assert labels(table.labels("kind")) == ["a", "b", "a"]

    def test_any_column_can_be_labels(self, read):
        table = read(POINTS, exclude=["kind"])
        assert labels(table.labels("kind")) == ["a", "b", "a"]
        assert labels(table.labels("x2")) == ["1", "-2", "3e2"]
        assert table.left_out == {}

    def test_a_numeric_label_column_is_excluded(self, read):
        table = read("x,y,c\n1,0,5\n2,1,5\n", exclude=["y", "c"])
        assert table.feature_names == ("x",)
        assert labels(table.labels("y")) == ["0", "1"]
        assert labels(table.labels("c")) == ["5", "5"]

    def test_features_are_taken_in_the_order_asked_for(self, read):
        table = read("a,b,c\n1,2,3\n4,5,6\n", features=["c", "a"])
        assert table.feature_names == ("c", "a")
        assert table.matrix.tolist() == [[3, 1], [6, 4]]
        assert table.left_out == {}

    @pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
    def test_the_delimiter_is_found_out(self, read, delimiter):
        assert read(POINTS.replace(",", delimiter)).matrix.tolist() == MATRIX

    @pytest.mark.parametrize("delimiter", [":", " ", "tab", "\\t", "§"])
    def test_a_delimiter_is_named(self, read, delimiter):
        character = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
        text = POINTS.replace(",", character)
        assert read(text, delimiter=delimiter).matrix.tolist() == MATRIX

    def test_a_tsv(self, read):
        assert read(POINTS.replace(",", "\t"), "points.tsv").matrix.tolist() == MATRIX

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends_blank_lines_and_a_byte_order_mark(self, read, end):
        text = "\ufeff" + POINTS.replace("\n", end + end)
        table = read(text)
        assert table.matrix.tolist() == MATRIX
        assert labels(table.labels("kind")) == ["a", "b", "a"]

    def test_a_gzipped_file(self, read):
        table = read(gzip.compress(POINTS.encode()), "points.csv.gz")
        assert table.matrix.tolist() == MATRIX
        assert labels(table.labels("kind")) == ["a", "b", "a"]

    def test_without_a_header_columns_are_numbered(self, read):
        table = read("1,2,a\n3,4,b\n", header=False, exclude=["3"])
        assert table.feature_names == ("1", "2")
        assert table.matrix.tolist() == [[1, 2], [3, 4]]
        assert labels(table.labels("3")) == ["a", "b"]

    def test_true_and_false_are_one_and_zero(self, read):
        table = read("a,b,c,d\nTrue,false,TRUE,yes\nFalse,true,TRUE,no\n")
        assert table.matrix.tolist() == [[1, 0, 1], [0, 1, 1]]
        assert table.left_out == {"d": "text"}

    @pytest.mark.parametrize(
        "text", ["1", "+1", "1.0", " 1", "1 ", "1e0", "1E+00", '"1"', "1_0e-1"]
    )
    def test_spellings_of_a_number(self, read, text):
        assert read(f"x,y\n{text},2\n").matrix.tolist() == [[1, 2]]

    def test_quotes_protect_delimiters_quotes_and_newlines(self, read):
        table = read('"x ""1""",y\n"1.5","a,b\nc ""d"""\n2,b\n')
        assert table.feature_names == ('x "1"',)
        assert labels(table.labels("y")) == ['a,b\nc "d"', "b"]

    @pytest.mark.parametrize("name", ["", "id", "ID", "Index", "Unnamed: 0", "__index_level_0__"])
    def test_an_index_is_left_out_unless_asked_for(self, read, name):
        text = f"{name},x,idea\n0,0.5,7\n1,1.5,8\n"
        table = read(text)
        assert table.feature_names == ("x", "idea")
        assert table.left_out == {name: "an index"}
        assert read(text, features=[name, "x"]).matrix.tolist() == [[0, 0.5], [1, 1.5]]

    def test_columns_that_are_left_out_say_why(self, read):
        text = "id,name,when,empty,x\n1,a,2020-01-01,,5\n2,b,2020-01-02,NA,6\n"
        left = {"id": "an index", "name": "text", "when": "text", "empty": "empty"}
        assert read(text).left_out == left

    def test_a_column_of_mostly_text_is_text(self, read):
        assert read("x,code\n1,12\n2,13A\n3,B4\n").feature_names == ("x",)

    def test_patterns_stand_for_numeric_columns(self, read):
        text = "x1,x2,xa,y1,x3\n1,2,a,3,4\n5,6,b,7,8\n"
        assert read(text, features=["y*", "x*"]).feature_names == ("y1", "x1", "x2", "x3")
        assert read(text, features=["x3", "x?"]).feature_names == ("x3", "x1", "x2")
        assert read(text, features=["x[12]"], exclude=["x1"]).feature_names == ("x2",)
        assert read(text, features="x2").feature_names == ("x2",)

    def test_a_column_whose_name_is_a_pattern_is_meant_itself(self, read):
        assert read("x*,x1\n1,2\n3,4\n", features=["x*"]).feature_names == ("x*",)

    @pytest.mark.parametrize(
        "name",
        [
            "'; DROP TABLE t; --",
            'a"b',
            "a'b",
            'x"; SELECT 1; --',
            "Größe 日本 ∑",
            "c0",
            "$1 ?",
            "%s {} \\",
            "[0]",
            "SELECT",
            "x" * 5_000,
        ],
    )
    def test_hostile_names_of_columns(self, read, name):
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerows([[name, "y"], ["1.5", "a"], ["2", "b"]])
        table = read(stream.getvalue(), features=[name], exclude=["y"], delimiter=",")
        assert table.feature_names == (name,)
        assert table.matrix.tolist() == [[1.5], [2]]
        assert labels(table.labels(name)) == ["1.5", "2"]

    def test_a_line_end_in_a_name_is_read_by_python(self, file, monkeypatch):
        monkeypatch.setattr(places, "LIGHT", 0)
        table = read_features(file('"new\nline",y\n1.5,a\n2,b\n'), exclude=["y"])
        assert table.feature_names == ("new\nline",)
        assert table.matrix.tolist() == [[1.5], [2.0]]

    def test_names_that_differ_in_case_alone(self, read):
        table = read("x,X\n1,2\n3,4\n")
        assert table.feature_names == ("x", "X")
        assert table.matrix.tolist() == [[1, 2], [3, 4]]

    def test_missing_labels_in_the_last_column(self, read):
        table = read("x,y\n1,\n2,a\n3,NA\n4,\n", exclude=["y"])
        assert labels(table.labels("y")) == [None, "a", None, None]


class TestHeader:
    """Whether the first line names the columns."""

    def test_a_first_line_of_numbers_is_asked_about(self, refused):
        assert refused("1.5,2.5\n3.5,4.5\n").startswith(
            "the first line of FILE holds numbers only; say whether it names the columns "
            "(--header, header=True) or is a row"
        )

    @pytest.mark.parametrize("start", [0, 1])
    def test_names_that_count_are_names(self, read, start):
        table = read(f"{start},{start + 1}\n3.5,4.5\n")
        assert table.feature_names == (str(start), str(start + 1))

    def test_told_that_numbers_are_names(self, read):
        assert read("7,8\n3.5,4.5\n", header=True).feature_names == ("7", "8")

    def test_a_single_column(self, file):
        table = read_features(file("1.5\n2.5\n"))
        assert table.feature_names == ("1",)
        assert table.matrix.tolist() == [[1.5], [2.5]]
        assert table.header_guessed is None

    def test_a_single_column_with_a_name(self, file):
        table = read_features(file("height\n1.5\n2.5\n"))
        assert table.feature_names == ("height",)
        assert table.header_guessed == "height"
        assert read_text_table(file("height\n1.5\n2.5\n")).header_guessed == "height"


class TestSameLabels:
    """Labels mean the same as in tables of labels."""

    @settings(max_examples=30)
    @given(
        st.lists(
            st.tuples(
                st.floats(allow_nan=False, allow_infinity=False),
                st.one_of(
                    st.sampled_from(["a", "b", "", "NA", "null", "1", "01", "1.0", " 1", "-1"]),
                    st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=5),
                ),
                st.integers(-3, 3),
            ),
            min_size=1,
            max_size=8,
        ),
        st.sampled_from([",", "\t", ";", "|"]),
        st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        st.booleans(),
    )
    def test_any_table_reads_the_same_by_every_reader(
        self, tmp_path_factory, rows, delimiter, quoting, engine
    ):
        path = tmp_path_factory.mktemp("csv") / "points.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, delimiter=delimiter, quoting=quoting)
            writer.writerows([("x", "y", "c"), *((repr(x), y, c) for x, y, c in rows)])
        expected = read_text_table(path)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(source, "SMALL", 0 if engine else 2**20)
            patch.setattr(places, "LIGHT", 0 if engine else 2**20)
            table = read_features(path, features=["x"], exclude=["y"])
            assert table.matrix.ravel().tolist() == [x for x, _, _ in rows]
            for name in table.columns:
                assert labels(table.labels(name)) == labels(expected.column(name))
                assert Contingency.from_labels(
                    table.labels(name), table.labels("c"), missing="class"
                ) == Contingency.from_labels(
                    expected.column(name), expected.column("c"), missing="class"
                )

    def test_a_large_file_goes_by_the_engine_and_says_the_same(self, file, monkeypatch):
        rng = np.random.default_rng(5)
        points = rng.normal(size=(60_000, 3))
        kinds = rng.choice(["a", "b", "", "NA", 'say "hi"', "two\nlines", "é,ü"], 60_000)
        path = file("")
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["x", "y", "z", "kind"])
            writer.writerows(
                [*point, kind] for point, kind in zip(points.tolist(), kinds, strict=True)
            )
        expected = read_text_table(path).column("kind")
        monkeypatch.setattr(places, "LIGHT", 2**20)
        monkeypatch.setattr(TextFile, "read", None)
        table = read_features(path)
        assert np.array_equal(table.matrix, points)
        codes = table.labels("kind")
        assert np.array_equal(codes.values, expected.values)
        assert np.array_equal(codes.missing, expected.missing)
        assert list(codes.restore(np.arange(5))) == list(expected.restore(np.arange(5)))


BAD = {
    "empty": ("", "FILE is empty."),
    "blank": ("\n\n", "FILE is empty."),
    "only a header": ("x,y\n", "FILE has a header and no rows."),
    "binary": (b"\x7fELF\x02\0\0\0" * 99, "FILE is a binary file, not delimited text."),
    "not UTF-8": (b"x,y\n1,K\xe4se\n", "FILE is not UTF-8 text (byte 0xe4); convert it, for"),
    "a short row": ("x,y\n1,2\n3\n", "line 3 of FILE has 1 field where the first line has 2."),
    "a long row": ("x,y\n1,2\n\n3,4,5\n", "line 4 of FILE has 3 fields where the first line has 2"),
    "a delimiter too many": (
        "x,y\n1,2\n3,4,\n",
        "line 3 of FILE has 3 fields where the first line has 2.",
    ),
    "a delimiter too many after an empty field": (
        "x,y,c\n1,2,\n3,4,,\n",
        "line 3 of FILE has 4 fields where the first line has 3.",
    ),
    "the same name twice": ("x,x\n1,2\n", "FILE has 2 columns named 'x'; names must be unique."),
    "an open quote": ('x,y\n1,"2\n', "FILE is not well-formed delimited text: "),
    "text after a quote": ('x,y\n1,"2"b\n', "FILE is not well-formed delimited text: "),
    "a space after a quote": ('x\ty\n1\t"2" \n', "FILE is not well-formed delimited text: "),
    "no numbers": (
        "id,a,b\n1,x,\n2,y,NA\n",
        "FILE has no numeric column that could be a feature; it has id (an index), a (text), "
        "b (empty).",
    ),
    "a missing value": (
        "x,y\n1,2\n\n3,\n",
        "column 'y' of FILE has no value in line 4; mend it, or leave the column out",
    ),
    "a value spelled missing": ("x,y\n1,2\nNA,3\n", "column 'x' of FILE has no value in line 3;"),
    "not a number": ("x,y\n1,2\n3,NaN\n", "column 'y' of FILE has no value in line 3;"),
    "infinite": ("x,y\n1,2\n-inf,3\n", "column 'x' of FILE holds -inf in line 3, which is not f"),
    "too large": ("x,y\n1,2\n3,1e999\n", "column 'y' of FILE holds 1e999 in line 3, which is not"),
    "text among numbers": (
        'x,y\n1,2\n3,4\n"5\n",2\n6,abc\n',
        "column 'y' of FILE holds 'abc' in line 6, which is no number; mend it, or leave the ",
    ),
    "no truth": ("x,b\n1,true\n2,false\n3,\n", "column 'b' of FILE has no value in line 4;"),
    "control characters": ("x,y\n1,2\n3,4\n5,\x1b[31m\n", r"column 'y' of FILE holds '\\x1b[31m'"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_table_of_points_is_refused_in_one_sentence(refused, name):
    content, message = BAD[name]
    assert refused(content).startswith(message)


@pytest.mark.parametrize("name", BAD)
def test_the_same_mistake_in_a_gzipped_file_reads_the_same(refused, name):
    content, message = BAD[name]
    content = content if isinstance(content, bytes) else content.encode()
    assert refused(gzip.compress(content), "points.csv.gz").startswith(message)


def test_a_fault_far_down_is_named_by_its_line(refused):
    rows = "\n".join(["x,y", *["1,2"] * 60_000])
    assert refused(f"{rows}\n1,oops\n").startswith(
        "column 'y' of FILE holds 'oops' in line 60002, which is no number;"
    )
    assert refused(f"{rows}\n1\n").startswith("line 60002 of FILE has 1 field")
    for surplus in ("1,2,", "1,,"):
        assert refused(f"{rows}\n{surplus}\n").startswith("line 60002 of FILE has 3 fields")


class TestAskedFor:
    """Columns that were named and cannot be had."""

    def test_a_text_column(self, refused):
        message = refused(POINTS, features=["x1", "kind"])
        assert message.startswith("column 'kind' of FILE holds 'a' in line 2, which is no number;")

    def test_an_empty_column(self, refused):
        assert refused("x,y\n1,\n2,\n", features=["y"]).startswith(
            "column 'y' of FILE has no value in line 2;"
        )

    def test_an_unknown_column_gets_the_nearest_one(self, refused):
        text = "weight,height\n1,2\n"
        expected = "FILE has no column 'wieght'; did you mean weight?"
        assert refused(text, features=["wieght"]) == expected
        assert refused(text, exclude=["wieght"]) == expected

    def test_a_column_like_no_other_gets_all_of_them(self, refused):
        message = refused("weight,height\n1,2\n", features=["zzz"])
        assert message == "FILE has no column 'zzz'; its columns are weight, height."

    def test_an_unknown_label(self, file):
        table = read_features(file(POINTS))
        with pytest.raises(FileError, match=r"has no column 'kinds'; did you mean kind\?$"):
            table.labels("kinds")

    def test_a_pattern_that_matches_nothing(self, refused):
        message = refused(POINTS, features=["k*"])
        assert message == "no numeric column of FILE matches 'k*'."

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"features": ["x1", "x1"]}, "column 'x1' is asked for as a feature twice"),
            ({"features": ["x1"], "exclude": ["x1"]}, "as both a feature and a label"),
            ({"features": []}, "features names no column"),
            ({"features": [1]}, "features must be names of columns, not 1"),
            ({"exclude": [None]}, "exclude must be names of columns, not None"),
            ({"array": "X"}, "only an NPZ file has arrays"),
        ],
    )
    def test_what_cannot_be_meant(self, file, options, message):
        with pytest.raises(ParameterError, match=message):
            read_features(file(POINTS), **options)

    @pytest.mark.parametrize("delimiter", ["", "xx", "\n", '"'])
    def test_what_is_no_delimiter(self, file, delimiter):
        with pytest.raises(FileError, match=r"^a delimiter "):
            read_features(file(POINTS), delimiter=delimiter)


class TestPlaces:
    """Where files lie, and where they do not."""

    HOSTILE = (
        "a b.csv",
        "star*.csv",
        "what?.csv",
        "one[1].csv",
        "**.csv",
        "back\\*slash.csv",
        "quote'\".csv",
        "; DROP TABLE t; --.csv",
        "new\nline.csv",
        "日本.csv",
        "y=3.csv",
        "{a,b}.csv",
        "s3:.csv",
        "~.csv",
        os.fsdecode(b"\xff.csv"),
    )

    @pytest.mark.parametrize("name", HOSTILE, ids=ascii)
    def test_hostile_paths(self, file, read, name):
        file("x,x\n", "starfish.csv"), file("x,x\n", "one1.csv")
        assert read(POINTS, name).matrix.tolist() == MATRIX

    @pytest.mark.parametrize("name", HOSTILE, ids=ascii)
    def test_hostile_paths_to_nowhere(self, tmp_path, name):
        with pytest.raises(FileError, match=r"cannot be read: No such|no file matches") as caught:
            read_features(tmp_path / name)
        assert str(caught.value).isprintable()

    @pytest.mark.parametrize("path", ["http://localhost:1/x.csv", "s3://x/y.parquet", "~/no.csv"])
    def test_nothing_is_fetched(self, path):
        with pytest.raises(FileError, match="cannot be read: No such file"):
            read_features(path)

    def test_a_directory(self, tmp_path):
        with pytest.raises(FileError, match=r" is a directory, not a file, and it holds no files"):
            read_features(tmp_path)

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("p.csv.xz", "Input format not supported by decoder"),
            ("p.csv.bz2", "Invalid data stream"),
        ],
    )
    def test_what_cannot_be_unpacked(self, refused, name, said):
        assert refused("x,y\n1,2\n", name) == f"FILE cannot be unpacked: {said}."

    def test_text_that_begins_like_an_archive(self, read, refused):
        text = "PK\x03\x04,x\na,1\n"
        assert read(text).matrix.tolist() == [[1.0]]
        assert refused(text, "p.bin") == "FILE is not a whole NPZ file: File is not a zip file."

    def test_a_copy_that_the_disk_cannot_hold(self, file, monkeypatch, tmp_path):
        folder = tmp_path / "scratch"
        folder.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        monkeypatch.setattr(places, "COPY", 0)
        message = (
            r"^a copy of .*/p\.csv\.bz2 needs more than the 0 bytes that the temporary folder "
            rf"{folder} can give; set TMPDIR to another folder\.$"
        )
        with pytest.raises(FileError, match=message):
            read_features(file(bz2.compress(POINTS.encode()), "p.csv.bz2"))
        gc.collect()
        assert list(folder.iterdir()) == []

    @pytest.mark.parametrize("path", ["\0", "a\0.csv", "x" * 5_000, ""])
    def test_what_cannot_be_a_path(self, path):
        with pytest.raises(ClustervetError, match=r"\.$"):
            read_features(path)

    def test_standard_input_is_read_once_and_its_copy_is_deleted(self, monkeypatch, tmp_path):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        buffer = io.BufferedReader(io.BytesIO(POINTS.encode()))
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=buffer))
        table = read_features("-")
        assert table.name == "standard input"
        assert table.matrix.tolist() == MATRIX
        assert labels(table.labels("kind")) == ["a", "b", "a"]
        assert not buffer.closed
        del table
        gc.collect()
        assert list(tmp_path.iterdir()) == []

    def test_a_mistake_in_standard_input_is_said_of_standard_input(self, monkeypatch):
        buffer = io.BufferedReader(io.BytesIO(b"x,y\n1,2\n3\n"))
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=buffer))
        with pytest.raises(FileError, match=r"^line 3 of standard input has 1 field"):
            read_features("-")

    def test_empty_standard_input(self, monkeypatch):
        buffer = io.BufferedReader(io.BytesIO(b""))
        monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=buffer))
        with pytest.raises(FileError, match=r"^standard input is empty\.$"):
            read_features("-")

    @pytest.mark.parametrize("name", ["pipe.csv", "pipe.csv.gz"])
    def test_a_pipe(self, tmp_path, name):
        path = tmp_path / name
        os.mkfifo(path)
        content = gzip.compress(POINTS.encode()) if name.endswith("gz") else POINTS.encode()
        writer = threading.Thread(target=path.write_bytes, args=(content,))
        writer.start()
        table = read_features(path)
        writer.join()
        assert table.matrix.tolist() == MATRIX
        assert labels(table.labels("kind")) == ["a", "b", "a"]

    def test_nothing_is_left_behind(self, file, monkeypatch, tmp_path):
        folder = tmp_path / "scratch"
        folder.mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        monkeypatch.setattr(source, "SMALL", 0)
        monkeypatch.setattr(places, "LIGHT", 0)
        path = file(POINTS, "a*.csv")
        read_features(path).labels("kind")
        with pytest.raises(FileError):
            read_features(path, features=["kind"])
        assert list(folder.iterdir()) == []

    def test_a_file_that_changes_is_not_mixed(self, file):
        table = read_features(file(POINTS))
        file(POINTS + "9,9,z\n")
        with pytest.raises(FileError, match="has changed while it was read"):
            table.labels("kind")

    def test_half_a_gzip_file(self, refused):
        numbers = np.random.default_rng(0).integers(0, 10**9, 20_000)
        whole = gzip.compress("\n".join(["x,y", *(f"{n},0" for n in numbers)]).encode())
        for part in (whole[:5], whole[: len(whole) // 2], whole[:-4], POINTS):
            assert refused(part, "p.csv.gz").startswith("FILE is not a whole gzip file: ")


def test_parts_of_which_the_engine_misreads_one(file):
    file("x,c\n1,a\n", "1.csv")
    folder = file("x,c\n2,a\n3,b\r4,c\n", "2.csv").parent
    table = read_features(folder, exclude=["c"])
    assert table.matrix.tolist() == [[1], [2], [3], [4]]
    assert labels(table.labels("c")) == ["a", "a", "b", "c"]
    file("x,c\n2,a\nmany,b\n4,c\n", "2.csv")
    with pytest.raises(FileError, match=r"^column 'x' of .*2\.csv holds 'many' in line 3, which"):
        read_features(folder, features=["x"])


def test_a_small_file_loads_no_engine(file):
    code = f"""
import json, sys
from clustervet.frames import open_table
open_table({str(file(POINTS))!r}).features().labels("kind")
heavy = ("duckdb", "scipy", "numba", "pandas", "pyarrow")
print(json.dumps([module for module in heavy if module in sys.modules]))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == []


def test_the_matrix_is_not_shown_with_the_table(file):
    assert "0.5" not in repr(read_features(file(POINTS)))


def test_more_than_fits_into_memory(file, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(source.FileSet, "read", fail)
    with pytest.raises(FileError, match=r"^the 2 features of .* do not fit into memory\.$"):
        read_features(file(POINTS))


def test_a_progress_bar_on_a_terminal_changes_nothing(file, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(source, "SMALL", 0)
    monkeypatch.setattr(places, "LIGHT", 0)
    monkeypatch.setattr(duck, "SHOW_PROGRESS", 0)
    assert read_features(file(POINTS, "[red] [b].csv")).matrix.tolist() == MATRIX
    assert "reading" in terminal.getvalue()
