"""Text as R and spreadsheets of other languages write it: decimal commas, and names of rows."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.errors import FileError, LabelError
from clustervet.frames import open_table, source
from clustervet.frames.columns import Kind
from clustervet.frames.engines import engine_for

CSV2 = '"";"x";"y";"kind"\n"1";0,5;1;"a"\n"2";-1,25e2;2;"b"\n"3";,5;30;"b"\n'
POINTS = [[0.5, 1], [-125, 2], [0.5, 30]]


@pytest.fixture
def file(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(params=["Python", "DuckDB"])
def reader(request, monkeypatch):
    """Have text read by Python, or by DuckDB."""
    if request.param == "DuckDB":
        monkeypatch.setattr(source, "SMALL", 0)
    return request.param


class TestDecimalCommas:
    """Where the delimiter is no comma, a column of numbers may have decimal commas."""

    def test_what_write_csv2_writes(self, file, reader):
        table = open_table(file(CSV2)).features()
        assert table.feature_names == ("x", "y")
        assert table.left_out == {"": "an index", "kind": "text"}
        assert table.matrix.tolist() == POINTS

    @pytest.mark.parametrize("delimiter", [";", "\t", "|"])
    def test_every_other_delimiter(self, file, reader, delimiter):
        text = CSV2.replace(";", delimiter)
        assert open_table(file(text)).features().matrix.tolist() == POINTS

    def test_packed(self, file, reader):
        path = file(gzip.compress(CSV2.encode()), "table.csv.gz")
        assert open_table(path).features().matrix.tolist() == POINTS

    def test_parts_of_which_one_has_whole_numbers_only(self, file, tmp_path):
        file("x;y\n1;2\n", "1.csv")
        file("x;y\n1,5;2\n", "2.csv")
        assert open_table(tmp_path).features().matrix.tolist() == [[1, 2], [1.5, 2]]

    def test_labels_stand_as_they_are(self, file):
        codes = open_table(file(CSV2)).labels(["x"])["x"]
        assert codes.restore(codes.values) == ["0,5", "-1,25e2", ",5"]

    @pytest.mark.parametrize(
        "column",
        [
            ["1,5", "1.5"],
            ["1,5", "1,5,5"],
            ["1,5", "a"],
            ["1.234,5", "2,5"],
            ["1,", "2,5"],
            ["1,5", " 2"],
        ],
    )
    def test_what_is_ambiguous_is_no_number(self, file, column):
        path = file("x;y\n" + "".join(f"{value};1\n" for value in column))
        assert open_table(path).columns["x"] is not Kind.comma
        assert open_table(path).features(["y"]).matrix.tolist() == [[1]] * len(column)
        with pytest.raises(FileError, match="which is no number"):
            open_table(path).features(["x"])

    def test_between_commas_a_quoted_number_is_text(self, file):
        assert open_table(file('x,y\n"1,5",2\n')).columns["x"] is Kind.text

    def test_a_point_further_down_is_named_by_its_line(self, file, reader):
        text = "x;y\n" + 1500 * "1,5;2\n" + "1.5;2\n"
        said = r"holds '1.5' in line 1502, which is no number with a decimal comma"
        with pytest.raises(FileError, match=said):
            open_table(file(text)).features()

    def test_a_missing_value(self, file, reader):
        with pytest.raises(FileError, match="has no value in line 3"):
            open_table(file("x;y\n1,5;2\nNA;2\n")).features()

    def test_weights(self, file):
        (groups,) = open_table(file("y;w\na;1,5\na;2\nb;,25\n")).groups([("y",)], weights="w")
        assert dict(zip(groups.keys["y"], groups.weights, strict=True)) == {"a": 3.5, "b": 0.25}

    def test_weights_of_joined_files(self, file):
        paths = [file("id;y\n1;a\n2;a\n", "y.csv"), file("id;w\n1;0,5\n2;2\n", "w.csv")]
        (groups,) = open_table(paths, id="id").groups([("y",)], weights="w")
        assert groups.weights.tolist() == [2.5]

    def test_a_weight_that_is_none(self, file):
        text = "y;w\n" + 1500 * "a;1,5\n" + "a;x\n"
        with pytest.raises(LabelError, match=r"column w of .* weight"):
            open_table(file(text)).groups([("y",)], weights="w")

    @pytest.mark.parametrize("engine", ["duckdb", "polars", "dask"])
    def test_engines_by_name(self, file, engine):
        path = str(file(CSV2))
        with engine_for(engine) as opened, opened.reading(path, numbers=["x", "y"]) as frame:
            found = frame.compute() if engine == "dask" else frame
            found = found.collect() if engine == "polars" else found
            held = found.fetchnumpy() if engine == "duckdb" else found
            assert [list(held["x"]), list(held["y"])] == np.transpose(POINTS).tolist()

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=20))
    def test_both_readers_give_the_same_numbers(self, tmp_path_factory, values):
        path = tmp_path_factory.mktemp("text") / "table.csv"
        rows = (f"{value!r};1\n".replace(".", ",") for value in values)
        path.write_text("x;y\n" + "".join(rows))
        with pytest.MonkeyPatch.context() as patch:
            by_python = open_table(path).features().matrix[:, 0].tolist()
            patch.setattr(source, "SMALL", 0)
            by_engine = open_table(path).features().matrix[:, 0].tolist()
        assert by_python == by_engine == values


ROWS = [("1", "0.5", "2"), ("b", "-1", "3"), ("c d", "4", "5")]


def written(delimiter, names=("x", "y"), quote='"', rows=ROWS):
    """A table as R's `write.table` writes it."""
    head = delimiter.join(f"{quote}{name}{quote}" for name in names)
    lines = [delimiter.join([f"{quote}{name}{quote}", *values]) for name, *values in rows]
    return "\n".join([head, *lines, ""])


class TestRowNames:
    """The header of a table of R has no name for the names of the rows."""

    @pytest.mark.parametrize("name", ["table.txt", "table.csv", "table"])
    @pytest.mark.parametrize("delimiter", [" ", "\t"])
    def test_what_write_table_writes(self, file, reader, delimiter, name):
        opened = open_table(file(written(delimiter), name))
        assert list(opened.columns) == ["", "x", "y"]
        assert opened.features().left_out == {"": "an index"}
        assert opened.features().matrix.tolist() == [[0.5, 2], [-1, 3], [4, 5]]
        codes = opened.labels([""])[""]
        assert codes.restore(codes.values) == ["1", "b", "c d"]

    @pytest.mark.parametrize("delimiter", [" ", "\t"])
    def test_a_single_column(self, file, delimiter):
        opened = open_table(file(written(delimiter, "x", rows=[row[:2] for row in ROWS])))
        assert opened.features().matrix.tolist() == [[0.5], [-1], [4]]
        assert opened.header_guessed is None

    def test_without_quotes(self, file):
        rows = ROWS[:2]
        opened = open_table(file(written("\t", quote="", rows=rows)))
        assert opened.features().matrix.tolist() == [[0.5, 2], [-1, 3]]
        between = file(written(" ", quote="", rows=rows))
        for opened in (open_table(between), open_table(between, delimiter=" ")):
            assert list(opened.columns) == ["", "x", "y"]
            assert opened.features().left_out == {"": "an index"}
            assert opened.features().matrix.tolist() == [[0.5, 2], [-1, 3]]

    @pytest.mark.parametrize("packed", [False, True])
    def test_text_without_quotes(self, file, reader, packed):
        content = b"y c x\r\n1 a u 0.5\r\n2 b u NA\r\n"
        path = file(gzip.compress(content) if packed else content, "r.gz" if packed else "r.txt")
        opened = open_table(path)
        codes = opened.labels(["y", "c"])
        assert [codes[name].restore(codes[name].values) for name in "yc"] == [
            ["a", "b"],
            ["u", "u"],
        ]

    def test_many_columns_without_quotes(self, file):
        rows = [(str(k), *["1"] * 3000) for k in range(100)]
        names = [f"x{k}" for k in range(3000)]
        opened = open_table(file(written(" ", names, quote="", rows=rows)))
        assert opened.features().matrix.shape == (100, 3000)

    def test_groups(self, file):
        path = file('"y" "c"\n"1" "a" 0\n"2" "a" 0\n"3" "b" 0\n')
        (groups,) = open_table(path).groups([("y", "c")])
        assert sorted(zip(groups.keys["y"], groups.counts, strict=True)) == [("a", 2), ("b", 1)]

    def test_blanks_between_fields_of_equal_number(self, file):
        opened = open_table(file('"x" "y"\n0.5 2\n-1 3\n'))
        assert opened.features().matrix.tolist() == [[0.5, 2], [-1, 3]]

    def test_two_files_are_paired_by_the_names_of_rows(self, file):
        paths = [file('"y"\n"a" "u"\n"b" "v"\n', "y.txt"), file('"c"\n"b" 1\n"a" 0\n', "c.txt")]
        (groups,) = open_table(paths, id="").groups([("y", "c")])
        assert sorted(zip(groups.keys["y"], groups.keys["c"], strict=True)) == [
            ("u", "0"),
            ("v", "1"),
        ]

    def test_a_later_row_of_another_width(self, file):
        rows = [(str(k), "1", "2") for k in range(1500)]
        path = file(written(" ", rows=[*rows, ("x", "1")]))
        said = r"line 1502 of .* has 2 fields where other rows have 3"
        with pytest.raises(FileError, match=said):
            open_table(path).features()

    @pytest.mark.parametrize(
        "text",
        [
            "x\ty\n1\t2\t3\n4\t5\n",
            "x\ty\n1\t2\n3\t4\t5\n",
            "x\ty\n1\t2\t\n3\t4\t\n",
            "x\ty\na\t2\t3\na\t4\t5\n",
            "x\ty\n1\t2\t3\t4\n",
            "x,y\n1,2,3\n4,5,6\n",
            "x;y\n1;2;3\n4;5;6\n",
        ],
        ids=["one short", "one long", "tabs at ends", "same name", "two more", ",", ";"],
    )
    def test_what_is_ragged_is_refused(self, file, text):
        with pytest.raises(FileError, match=r"has \d fields where the first line has 2"):
            open_table(file(text))

    @pytest.mark.parametrize(
        "text",
        [
            "city\nnew york\nsan jose\n",
            "city\n1 york\n2 jose\n",
            "home town\nnew york city\nsan jose area\n",
            "home town\nnew york\nsan jose\n",
            "home town\n1 york\n2 jose\n",
            "home town\n1 new york\n1 san jose\n",
            "home town\n1 new york\n2 jose\n",
            "home town\n1 new york\n2 san  \n",
            "home town\n1 new york\n\n2 san jose\n",
            'home town\n1 "new york"\n2 san jose\n',
            "topic 1\n1 of 2\n2 of 2\n",
            "home town\n",
        ],
    )
    def test_labels_of_several_words_are_one_column(self, file, text):
        path = file(text)
        assert len(open_table(path, header=False).columns) == 1
        if text.count("\n") > 1:
            assert list(open_table(path).columns) == [text.partition("\n")[0]]

    def test_a_first_line_that_is_no_header_has_no_names_of_rows(self, file):
        opened = open_table(file("y c\n1 a 0\n2 b 0\n"), header=False)
        assert list(opened.columns) == ["1"]

    def test_blanks_that_are_not_found_out_are_named(self, file):
        opened = open_table(file("y c x\na 0 1\nb 0 2\n"))
        said = "its only column is 'y c x': if blanks are between its fields, say so by delimiter"
        with pytest.raises(FileError, match=said):
            opened.labels(["y"])
        with pytest.raises(FileError, match="no column 'z'; its columns are y c x"):
            opened.labels(["z"])

    @settings(max_examples=30, deadline=None)
    @given(
        st.lists(st.tuples(st.floats(-1e9, 1e9), st.integers(-9, 9)), min_size=1, max_size=9),
        st.sampled_from([" ", "\t"]),
    )
    def test_what_is_written_is_read_back(self, tmp_path_factory, rows, delimiter):
        path = tmp_path_factory.mktemp("text") / "table.txt"
        named = [(str(k), *map(repr, row)) for k, row in enumerate(rows, 1)]
        path.write_text(written(delimiter, rows=named))
        assert open_table(path).features().matrix.tolist() == [list(row) for row in rows]
