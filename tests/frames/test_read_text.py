from __future__ import annotations

import csv
import gzip
import io
import sys
import tracemalloc
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read_text_table

from clustervet import ClustervetError, Contingency, memory_limit
from clustervet.frames.places import find_place
from clustervet.frames.text import open_text, text_lines

MEGABYTE = 2**20


def labels(codes):
    """A column as plain labels, None where missing."""
    names = list(codes.restore(codes.values))
    gone = codes.missing if codes.missing is not None else [False] * len(names)
    return [None if absent else name for name, absent in zip(names, gone, strict=True)]


def columns(table):
    return {name: labels(codes) for name, codes in table.columns.items()}


@pytest.fixture
def file(tmp_path):
    """Write bytes or text to a file and give its path."""

    def write(content, name="labels.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def read(file):
    def read_content(content, name="labels.csv", **options):
        return columns(read_text_table(file(content, name), **options))

    return read_content


def test_a_table_with_a_header(read):
    assert read("y,c\na,0\nb,1\na,0\n") == {"y": ["a", "b", "a"], "c": ["0", "1", "0"]}


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_found_out(read, delimiter):
    text = "y,c,w\na,0,1\nb,1,2\n".replace(",", delimiter)
    assert read(text) == {"y": ["a", "b"], "c": ["0", "1"], "w": ["1", "2"]}


@pytest.mark.parametrize("name", ["x.tsv", "x.tab", "x.tsv.gz"])
def test_a_tsv_is_split_at_tabs_whatever_else_it_holds(file, name):
    content = b"y,1\tc,2\na,b\tc\n"
    path = file(gzip.compress(content) if name.endswith("gz") else content, name)
    assert columns(read_text_table(path)) == {"y,1": ["a,b"], "c,2": ["c"]}


@pytest.mark.parametrize(("given", "text"), [(":", "y:c\na,1:0\n"), ("tab", "y\tc\na,1\t0\n")])
def test_another_delimiter_may_be_named(read, given, text):
    assert read(text, delimiter=given) == {"y": ["a,1"], "c": ["0"]}


def test_a_delimiter_written_as_backslash_t(read):
    assert read("y\tc\na,1\t0\n", delimiter="\\t") == {"y": ["a,1"], "c": ["0"]}


@pytest.mark.parametrize("delimiter", ["", "xx", "\n", '"', "\r"])
def test_what_is_no_delimiter_is_refused(file, delimiter):
    with pytest.raises(ClustervetError, match=r"^a delimiter "):
        read_text_table(file("y,c\na,0\n"), delimiter=delimiter)


def test_quotes_protect_delimiters_quotes_and_newlines(read):
    text = 'y,c\n"a,b","say ""hi"""\n"two\nlines",0\n'
    assert read(text) == {"y": ["a,b", "two\nlines"], "c": ['say "hi"', "0"]}


def test_quotes_around_header_names(read):
    assert read('"my class","a ""b"""\nx,1\n') == {"my class": ["x"], 'a "b"': ["1"]}


def test_windows_and_old_mac_line_ends(read):
    expected = {"y": ["a", "b"], "c": ["0", "1"]}
    assert read("y,c\r\na,0\r\nb,1\r\n") == expected
    assert read("y,c\ra,0\rb,1\r") == expected


def test_no_line_end_at_the_end(read):
    assert read("y,c\na,0") == {"y": ["a"], "c": ["0"]}


def test_a_byte_order_mark_is_no_part_of_the_first_name(read):
    assert list(read(b"\xef\xbb\xbfy,c\na,0\n")) == ["y", "c"]
    assert read(b"\xef\xbb\xbfa\na\nb\n") == {"1": ["a", "a", "b"]}


def test_letters_of_every_script(read):
    assert read("klasse,групa\nKäse,日本\n") == {"klasse": ["Käse"], "групa": ["日本"]}


def test_spaces_belong_to_the_label(read):
    assert read("y,c\n a,a \n") == {"y": [" a"], "c": ["a "]}


def test_a_gzipped_file(file):
    path = file(gzip.compress(b"y,c\na,0\n"), "labels.csv.gz")
    assert columns(read_text_table(path)) == {"y": ["a"], "c": ["0"]}


def test_a_path_may_be_text(file):
    assert columns(read_text_table(str(file("y,c\na,0\n")))) == {"y": ["a"], "c": ["0"]}


@pytest.mark.parametrize("content", [b"y,c\na,0\n", b"\xef\xbb\xbfy,c\r\na,0\r\n"])
def test_standard_input(monkeypatch, content):
    buffer = io.BufferedReader(io.BytesIO(content))
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=buffer))
    assert columns(read_text_table("-")) == {"y": ["a"], "c": ["0"]}
    assert not buffer.closed


def test_a_mistake_in_standard_input_is_said_of_standard_input(monkeypatch):
    buffer = io.BufferedReader(io.BytesIO(b"y,c\na\n"))
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=buffer))
    with pytest.raises(ClustervetError, match=r"^line 2 of standard input has 1 field"):
        read_text_table("-")


class TestHeader:
    """Whether the first line is a name or a label."""

    def test_several_columns_have_names_unless_told_otherwise(self, read):
        text = "a,0\nb,1\n"
        assert read(text) == {"a": ["b"], "0": ["1"]}
        assert read(text, header=True) == {"a": ["b"], "0": ["1"]}
        assert read(text, header=False) == {"1": ["a", "b"], "2": ["0", "1"]}

    def test_a_single_column_of_labels(self, read):
        assert read("a\nb\na\n") == {"1": ["a", "b", "a"]}

    def test_a_single_column_with_a_name(self, file):
        path = file("species\na\nb\na\n")
        table = read_text_table(path)
        assert columns(table) == {"species": ["a", "b", "a"]}
        assert table.header_guessed == "species"

    def test_a_number_is_never_a_name(self, read):
        assert read("7\n1\n2\n1\n") == {"1": ["7", "1", "2", "1"]}
        assert read("-1.0\n1\n2\n") == {"1": ["-1.0", "1", "2"]}

    def test_the_guess_can_be_overruled(self, read):
        assert read("species\na\na\n", header=False) == {"1": ["species", "a", "a"]}
        assert read("a\na\nb\n", header=True) == {"a": ["a", "b"]}

    def test_nothing_is_guessed_when_told(self, file):
        for header in (True, False):
            assert read_text_table(file("species\na\na\n"), header=header).header_guessed is None

    def test_a_single_line_is_a_label(self, read):
        assert read("a\n") == {"1": ["a"]}
        assert read("a") == {"1": ["a"]}

    def test_a_quoted_label_of_two_lines_is_one_label(self, read):
        assert read('"a\nb"\n"a\nb"\nc\n') == {"1": ["a\nb", "a\nb", "c"]}


class TestBlankAndMissing:
    """Empty lines and the spellings of nothing."""

    @pytest.mark.parametrize("text", ["\n\ny,c\na,0\n", "y,c\n\na,0\n\n\n", "y,c\r\n\r\na,0\r\n"])
    def test_blank_lines_of_a_table_are_skipped(self, read, text):
        assert read(text) == {"y": ["a"], "c": ["0"]}

    def test_a_blank_line_within_one_column_is_a_missing_label(self, read):
        assert read("a\n\nb\na\n") == {"1": ["a", None, "b", "a"]}

    def test_blank_lines_after_one_column_are_no_labels(self, read):
        assert read("a\nb\na\n\n\n") == {"1": ["a", "b", "a"]}

    @pytest.mark.parametrize(
        "text", ["", "NA", "N/A", "NaN", "nan", "<NA>", "null", "NULL", "None", '""']
    )
    def test_every_spelling_of_missing(self, read, text):
        assert read(f"y,c\na,0\n{text},1\nb,{text}\n") == {
            "y": ["a", None, "b"],
            "c": ["0", "1", None],
        }

    def test_different_spellings_are_one_kind_of_missing(self, file):
        codes = read_text_table(file("y,c\na,0\nNA,1\nnull,1\n")).columns["y"]
        table = Contingency.from_labels(codes, [0, 1, 1], missing="class")
        assert table.to_dict() == {("a", 0): 1, (None, 1): 2}

    def test_a_column_of_nothing(self, read):
        assert read("y,c\n,0\nNA,1\n") == {"y": [None, None], "c": ["0", "1"]}

    def test_words_that_only_resemble_missing_are_labels(self, read):
        assert read("y,c\nNaNs,none\nna,0\n") == {"y": ["NaNs", "na"], "c": ["none", "0"]}


def test_a_label_of_a_megabyte(file):
    long = "x" * MEGABYTE
    table = read_text_table(file(f"y,c\n{long},0\nb,1\n{long},0\n"))
    assert columns(table)["y"] == [long, "b", long]


def test_a_header_of_a_megabyte(file):
    with pytest.raises(ClustervetError) as caught:
        read_text_table(file("x" * MEGABYTE + ",c\na,0\n")).column("y")
    assert len(str(caught.value)) < 500


def test_reading_leaves_the_limit_of_the_csv_module_alone(read):
    before = csv.field_size_limit()
    read("y,c\na,0\n")
    assert csv.field_size_limit() == before


def test_many_rows_are_read_whole(file):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, (120_001, 2))
    text = "y,c\n" + "\n".join(f"k{a},{b}" for a, b in codes.tolist())
    table = read_text_table(file(text))
    counted = Contingency.from_labels(table.column("y"), table.column("c"))
    expected = Contingency.from_labels(
        [f"k{a}" for a in codes[:, 0]], [str(b) for b in codes[:, 1]]
    )
    assert counted == expected


@settings(max_examples=80)
@given(
    st.lists(
        st.tuples(*[st.text(st.characters(exclude_characters="\0", codec="utf-8"))] * 2),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from([",", "\t", ";", "|"]),
)
def test_what_the_csv_module_writes_is_read_back(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.mktemp("csv") / "labels.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL)
        writer.writerows([("y", "c"), *rows])
    missing = {"", "NA", "N/A", "NaN", "nan", "<NA>", "null", "NULL", "None"}
    expected = [[None if x in missing else x for x in column] for column in zip(*rows, strict=True)]
    assert list(columns(read_text_table(path)).values()) == expected


BAD = {
    "empty": (b"", r"is empty\.$"),
    "blank": (b"\n\n\n", r"is empty\.$"),
    "only a byte order mark": (b"\xef\xbb\xbf", r"is empty\.$"),
    "only a header": (b"y,c\n", r"has a header and no rows\.$"),
    "not UTF-8": (b"y,c\nK\xe4se,0\n", r"is not UTF-8 text \(byte 0xe4\); convert it"),
    "not UTF-8 late": (b"y,c\n" + b"a,0\n" * 40_000 + b"\xff,0\n", r"is not UTF-8 text"),
    "UTF-16": ("y,c\na,0\n".encode("utf-16"), r"binary|UTF-8"),
    "binary": (b"\x7fELF\x02\0\0\0" * 99, r"is a binary file, not delimited text\.$"),
    "a row too short": (b"y,c\na,0\nb\n", r"^line 3 of .* has 1 field where the first line has 2"),
    "a row too long": (b"y,c\na,0\n\nb,1,2\n", r"^line 4 of .* has 3 fields where the first .* 2"),
    "a row too long in one column": (b"a\na\nb,1\n", r"^line 3 of .* has 2 fields where .* 1\."),
    "the same name twice": (b"y,c,y\na,0,1\n", r"has 2 columns named 'y'; names must be unique"),
    "two columns without a name": (b",\na,0\n", r"has 2 columns named ''"),
    "an open quote": (b'y,c\n"a,0\nb,1\n', r"is not well-formed delimited text: "),
    "text after a quote": (b'y,c\n"a"b,0\n', r"is not well-formed delimited text: "),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_table_is_refused_in_one_sentence(file, name):
    content, message = BAD[name]
    path = file(content)
    with pytest.raises(ClustervetError, match=message) as caught:
        read_text_table(path)
    text = str(caught.value)
    assert str(path) in text
    assert text.isprintable()
    assert text.endswith(".")


@pytest.mark.parametrize("name", BAD)
def test_the_same_mistake_in_a_gzipped_file_reads_the_same(file, name):
    content, message = BAD[name]
    with pytest.raises(ClustervetError, match=message.replace(r"\.csv", r"\.csv\.gz")):
        read_text_table(file(gzip.compress(content), "labels.csv.gz"))


def test_a_row_after_quoted_newlines_is_named_by_its_line_in_the_file(file):
    with pytest.raises(ClustervetError, match=r"^line 4 of "):
        read_text_table(file('y,c\n"a\nb",0\nc\n'))


def test_a_missing_file(tmp_path):
    with pytest.raises(ClustervetError, match=r"nowhere\.csv cannot be read: No such file"):
        read_text_table(tmp_path / "nowhere.csv")
    with pytest.raises(ClustervetError, match=r"nowhere\.csv\.gz cannot be read: No such file"):
        read_text_table(tmp_path / "nowhere.csv.gz")


def test_a_file_that_is_gone_when_it_is_read(file):
    path = file("y,c\na,0\n")
    place = find_place(path)
    path.unlink()
    with (
        pytest.raises(
            ClustervetError, match=r"labels\.csv cannot be read: No such file or directory\.$"
        ),
        text_lines(place, ","),
    ):
        pass


def test_a_directory(tmp_path):
    with pytest.raises(ClustervetError, match=r" is a directory, not a file, and it holds no fil"):
        read_text_table(tmp_path)
    (tmp_path / "folder.gz").mkdir()
    with pytest.raises(ClustervetError, match=r" is a directory, not a file, and it holds no fil"):
        read_text_table(tmp_path / "folder.gz")


@pytest.mark.parametrize("path", ["\0", "a\0b.csv", "x" * 5_000, ""])
def test_what_cannot_be_a_path(path):
    with pytest.raises(ClustervetError):
        read_text_table(path)


def test_half_a_gzip_file(file):
    rows = np.random.default_rng(0).integers(0, 10**9, 20_000).astype(str)
    whole = gzip.compress("\n".join(["y,c", *(f"{row},0" for row in rows)]).encode())
    for part in (
        whole[:5],
        whole[:30],
        whole[: len(whole) // 2],
        whole[:-4],
        whole[:-8] + b"\1" * 8,
    ):
        with pytest.raises(ClustervetError, match=r"labels\.csv\.gz is not a whole gzip file: "):
            read_text_table(file(part, "labels.csv.gz"))


def test_text_that_only_claims_to_be_gzipped(file):
    with pytest.raises(ClustervetError, match="is not a whole gzip file"):
        read_text_table(file("y,c\na,0\n", "labels.csv.gz"))


def test_damaged_gzip(file):
    damaged = bytearray(gzip.compress(b"y,c\n" + b"a,0\nb,1\n" * 999))
    damaged[20:30] = b"\xff" * 10
    with pytest.raises(ClustervetError, match="is not a whole gzip file"):
        read_text_table(file(bytes(damaged), "labels.csv.gz"))


def test_a_hostile_file_name_is_spelled_out(tmp_path):
    with pytest.raises(ClustervetError) as caught:
        read_text_table(tmp_path / "evil\x1b[31m\nname.csv")
    assert "\x1b" not in str(caught.value)
    assert r"evil\x1b[31m\nname.csv" in str(caught.value)


class TestColumn:
    """Asking for a column by name."""

    def test_a_misspelt_name_gets_the_nearest_one(self, file):
        table = read_text_table(file("species,kmeans\na,0\n"))
        with pytest.raises(
            ClustervetError, match=r"has no column 'kmaens'; did you mean kmeans\?$"
        ):
            table.column("kmaens")

    def test_a_name_like_no_other_gets_all_of_them(self, file):
        table = read_text_table(file("species,kmeans\na,0\n"))
        with pytest.raises(
            ClustervetError, match=r"has no column 'xyz'; its columns are species, kmeans\.$"
        ):
            table.column("xyz")

    def test_a_hostile_column_name_is_spelled_out(self, file):
        table = read_text_table(file('"a\x1b[31m\nb",c\nx,0\n'))
        with pytest.raises(ClustervetError) as caught:
            table.column("x")
        assert str(caught.value).isprintable()


def test_blank_lines_are_not_held(file):
    path = file("a\n" + "\n" * 60_000 + "b\n", "blank.txt")
    place = find_place(path)
    with text_lines(place, ",") as lines:
        first = next(lines)
        tracemalloc.start()
        numbers = [number for number, _ in lines if number % 20_000 == 0]
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert (first, numbers) == ((1, ["a"]), [20_000, 40_000, 60_000])
    assert peak < MEGABYTE


def test_blank_lines_keep_their_numbers(file):
    path = file('a\n\n\n"b\nc"\n\nd\n', "blank.txt")
    with text_lines(find_place(path), ",") as lines:
        assert list(lines) == [
            (1, ["a"]),
            (2, [""]),
            (3, [""]),
            (5, ["b\nc"]),
            (6, [""]),
            (7, ["d"]),
        ]


def test_rows_are_read_in_chunks_of_bounded_length(file):
    table = open_text(find_place(file("y,c\n" + f"{'x' * 10**5},1\n" * 60)), None, None)
    with memory_limit("32MB"):
        sizes = [len(chunk) for chunk in table._chunks()]
    assert sum(sizes) == 60
    assert max(sizes) <= 11
