"""Sheets of workbooks (XLSX, ODS) as tables."""

from __future__ import annotations

import datetime
import io
import json
import string
import subprocess
import sys
import zipfile

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import FileError, MemoryLimitError, MissingPackageError, ParameterError
from clustervet.frames import open_table, places, sheets
from clustervet.frames.columns import MISSING

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
ROWS = [("y", "c", "x"), ("a", 1, 0.5), ("a", 1, 2), ("b", 2, -3.25)]


@pytest.fixture
def book(tmp_path):
    """Write rows into sheets; the first row of a sheet may be another than its first."""

    def write(rows=ROWS, name="labels.xlsx", *, at=(1, 1), more=None, hidden=()):
        made = openpyxl.Workbook()
        for title, held in {"Data": rows, **(more or {})}.items():
            sheet = made.create_sheet(title)
            sheet.sheet_state = "hidden" if title in hidden else "visible"
            for i, row in enumerate(held):
                for j, value in enumerate(row):
                    sheet.cell(at[0] + i, at[1] + j).value = value
        del made["Sheet"]
        made.save(tmp_path / name)
        return tmp_path / name

    return write


@pytest.fixture
def forge(tmp_path):
    """Write a workbook whose only sheet has the given XML."""

    def write(cells, name="forged.xlsx", **members):
        held = {
            "_rels/.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="a" '
            f'Type="{RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="b"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="b" '
            f'Type="{RELATED}/worksheet" Target="worksheets/s.xml"/></Relationships>',
            "xl/worksheets/s.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{cells}</sheetData>'
            "</worksheet>",
        }
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in {**held, **members}.items():
                archive.writestr(member, content)
        return tmp_path / name

    return write


def labels(path, *names, **options):
    """Columns as lists, None where a label is missing."""
    source = open_table(path, **options)
    found = []
    for codes in source.labels(names or list(source.columns)).values():
        gone = [False] * len(codes.values) if codes.missing is None else codes.missing
        values = codes.restore(codes.values)
        found.append([None if m else v for m, v in zip(gone, values, strict=True)])
    return found


def refused(path, **options):
    """The sentence by which a workbook is refused."""
    with pytest.raises((FileError, ParameterError)) as caught:
        open_table(path, **options).columns  # noqa: B018  # asked for
    said = str(caught.value)
    assert "\n" not in said
    return said.replace(str(path), "FILE")


def test_a_sheet_is_read_as_labels_and_features(book):
    path = book()
    assert labels(path) == [["a", "a", "b"], ["1", "1", "2"], ["0.5", "2", "-3.25"]]
    table = open_table(path).features(exclude=["y", "c"])
    assert table.matrix.tolist() == [[0.5], [2.0], [-3.25]]
    tables = cv.read_tables(path, "y", "c")
    assert tables["y", "c"].to_dict() == {("a", "1"): 2, ("b", "2"): 1}


def test_weights_are_summed(book):
    path = book([("y", "c", "w"), ("a", 0, 2), ("a", 0, 0.5)])
    assert cv.read_tables(path, "y", "c", weights="w")["y", "c"].to_dict() == {("a", "0"): 2.5}


def test_a_command_reads_a_sheet(book):
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "clustervet",
            "score",
            book(),
            "-t",
            "y",
            "-p",
            "c",
            "--format=json",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ran.stdout)


def test_it_counts_as_the_same_table_in_text(book, tmp_path):
    text = "\n".join(",".join(map(str, row)) for row in ROWS)
    (tmp_path / "labels.csv").write_text(text + "\n")
    assert labels(book()) == labels(tmp_path / "labels.csv")


def test_parts_in_a_folder_are_one_table(book, tmp_path):
    book(name="1.xlsx")
    book(name="2.xlsm")
    (groups,) = open_table(tmp_path).groups([("y",)])
    assert dict(zip(groups.keys["y"], groups.counts.tolist(), strict=True)) == {"a": 4, "b": 2}


def test_sheets_are_joined_on_an_id(book):
    first = book([("id", "y"), (7, "a"), (8, "b")], "y.xlsx")
    second = book([("id", "c"), (8, 1), (7, 0)], "c.xlsx")
    tables = cv.read_tables([first, second], "y", "c", id="id")
    assert tables["y", "c"].to_dict() == {("a", "0"): 1, ("b", "1"): 1}


@pytest.mark.parametrize("at", [(1, 1), (3, 1), (1, 3), (4, 5)])
def test_empty_rows_and_columns_around_a_table_are_no_part_of_it(book, at):
    rows = [(*row, None, "") for row in ROWS]
    path = book([*rows, (None,) * 5, ("",)], at=at)
    assert labels(path) == labels(book(name="plain.xlsx"))


def test_an_empty_column_between_others_is_left_out(book):
    path = book([("y", None, "c"), ("a", None, 1), ("b", None, 2)])
    assert labels(path) == [["a", "b"], ["1", "2"]]


def test_an_empty_row_between_others_is_skipped(book):
    path = book([("y", "c"), ("a", 1), (None, None), ("b", 2)])
    assert labels(path) == [["a", "b"], ["1", "2"]]


def test_in_a_single_column_an_empty_cell_is_a_missing_label(book):
    path = book([("kind",), ("a",), (None,), ("b",)], at=(3, 2))
    assert labels(path) == [["a", None, "b"]]
    assert open_table(path).header_guessed == "kind"


def test_cells_of_every_kind(book):
    day, time = datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 12, 30)
    cells = [1, 1.0, 0.1, 1e20, -0.0, True, day, time, None, "NA", " a\tb\n", "ß"]
    expected = ["1", "1", "0.1", "1e+20", "0", "TRUE", "2024-02-29", "2024-02-29 12:30:00", None]
    path = book([("v", "n"), *((cell, 1) for cell in cells)])
    assert labels(path, "v") == [[*expected, None, " a\tb\n", "ß"]]


def test_truth_values_are_features(book):
    table = open_table(book([("x", "y"), (True, 1), (False, 2)])).features()
    assert table.matrix.tolist() == [[1, 1], [0, 2]]


def test_errors_are_missing(forge):
    cells = (
        '<row r="1"><c r="A1" t="str"><v>y</v></c><c r="B1" t="str"><v>c</v></c></row>'
        '<row r="2"><c r="A2" t="e"><v>#N/A</v></c><c r="B2"><v>3</v></c></row>'
        '<row r="3"><c r="A3" t="e"><v>#DIV/0!</v></c><c r="B3"><v>nan</v></c></row>'
        '<row r="4"><c r="A4" t="str"><v>a</v></c><c r="B4"><v>5</v></c></row>'
    )
    assert labels(forge(cells)) == [[None, "a"], ["3", "5"]]


def test_a_wrong_value_is_named_by_its_row(book):
    rows = [("x", "two\nlines"), (1, "a\nb"), (None, None), (2, "c"), ("?", "d"), (3, "e")]
    with pytest.raises(FileError, match=r"holds '\?' in row 8, which is no number"):
        open_table(book(rows, at=(4, 2))).features(["x"])


class TestSheets:
    """The only sheet with data is read; `array` chooses another."""

    def test_empty_and_hidden_sheets_are_not_in_the_way(self, book):
        path = book(more={"Empty": [], "Lists": [("z",), ("q",)]}, hidden=["Lists"])
        assert list(open_table(path).columns) == ["y", "c", "x"]
        assert list(open_table(path, array="Lists", header=True).columns) == ["z"]

    def test_several_sheets_are_named(self, book):
        path = book(more={"Notes": [("z", "w"), (1, 2)]})
        assert refused(path) == ("FILE holds several sheets, Data, Notes; name one with array.")
        assert list(open_table(path, array="Notes").columns) == ["z", "w"]
        features = open_table(path, array="Notes").features(array="Data", features=["x"])
        assert features.matrix.tolist() == [[0.5], [2], [-3.25]]

    def test_a_sheet_that_is_not_there(self, book):
        said = refused(book(), array="Dat\x1ba\0")
        assert said == r"FILE has no sheet 'Dat\\x1ba\\x00'; its sheets are Data."

    def test_a_sheet_without_data(self, book):
        assert refused(book([])) == "FILE has no rows."
        assert refused(book(more={"Empty": []}), array="Empty") == "FILE has no rows."


class TestHeader:
    """The first row that is not empty names the columns, as in text."""

    def test_without_names(self, book):
        rows = [("a", 1), ("b", 2)]
        assert labels(book(rows), header=False) == [["a", "b"], ["1", "2"]]

    def test_a_first_row_of_numbers_is_doubtful(self, book):
        with pytest.raises(FileError, match="holds numbers only; say whether it names"):
            open_table(book([(5, 7), (1, 2)])).features()

    def test_an_index_needs_no_name(self, book):
        path = book([(None, "x"), (0, 5), (1, 6)])
        assert open_table(path).features().left_out == {"": "an index"}

    def test_names_that_are_not_unique(self, book):
        said = refused(book([("y", "y"), (1, 2)]))
        assert said == "FILE has 2 columns named 'y'; names must be unique."

    def test_a_name_over_two_columns(self, tmp_path):
        made = openpyxl.Workbook()
        for row in (("kind", None, "x"), ("a", "b", 1)):
            made.active.append(row)
        made.active.merge_cells("A1:B1")
        made.save(tmp_path / "merged.xlsx")
        assert refused(tmp_path / "merged.xlsx") == (
            "column B of FILE has no name in row 1; that row names every column, without merged "
            "cells or a title above it."
        )

    def test_a_title_above_the_table(self, book):
        said = refused(book([("My labels",), *ROWS], at=(2, 3)))
        assert said.startswith("column D of FILE has no name in row 2;")

    def test_a_header_and_no_rows(self, book):
        assert refused(book([("y", "c")])) == "FILE has a header and no rows."

    def test_a_delimiter_is_none_of_its_options(self, book):
        assert refused(book(), delimiter=";") == (
            "a delimiter goes with delimited text, not with FILE."
        )


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return stream.getvalue()


HOSTILE = {
    "text": (b"y,c\na,1\n", "is not a workbook, though its name ends in .xlsx"),
    "a ZIP archive": (zipped(a="x"), "is not a whole workbook: Cannot detect file format."),
    "half of an archive": (zipped(a="x")[:20], "is not a whole workbook: "),
    "a password": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is protected by a password; save it"),
    "nothing": (b"", "is empty."),
}


class TestHostileFiles:
    """What is no workbook, or more than fits into memory, is refused in one sentence."""

    @pytest.mark.parametrize("name", HOSTILE)
    @pytest.mark.parametrize("suffix", [".xlsx", ".ods"])
    def test_what_is_no_workbook(self, tmp_path, name, suffix):
        content, words = HOSTILE[name]
        path = tmp_path / f"book{suffix}"
        path.write_bytes(content)
        assert words.replace(".xlsx", suffix) in refused(path)

    def test_damaged_xml(self, forge):
        assert refused(forge("<row><c>")) == "FILE is not a whole workbook: its XML is damaged."

    def test_a_text_that_is_not_there(self, forge):
        said = refused(forge('<row r="1"><c r="A1" t="s"><v>7</v></c></row>'))
        assert said.startswith("FILE is not a whole workbook: Cell string index not found")

    @pytest.mark.parametrize("cut", range(200, 2000, 450))
    def test_a_workbook_that_is_cut(self, book, cut):
        path = book()
        path.write_bytes(path.read_bytes()[:cut])
        assert refused(path).startswith("FILE is not a whole workbook: ")

    def test_two_cells_that_span_a_sheet_of_billions(self, forge):
        cells = '<row r="1"><c r="A1"><v>1</v></c></row>'
        cells += '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
        with pytest.raises(MemoryLimitError, match=r"the cells of .*forged\.xlsx take more memory"):
            open_table(forge(cells), memory_limit="500MB")

    def test_an_archive_that_unpacks_to_very_much(self, forge):
        row = '<row><c t="str"><v>' + 10**4 * "a" + "</v></c></row>"
        path = forge(20_000 * row)
        assert path.stat().st_size < 10**6
        with pytest.raises(MemoryLimitError, match="take more memory than the limit of 50 MB"):
            open_table(path, memory_limit="50MB")

    def test_a_reader_that_ends_without_a_word(self, book, monkeypatch, tmp_path):
        (tmp_path / "sheets.py").write_text("import os; os.abort()")
        monkeypatch.setattr(places, "__file__", str(tmp_path / "places.py"))
        assert refused(book()) == "FILE is not a whole workbook: its reader has failed."

    def test_no_copy_is_left(self, book, tmp_path, monkeypatch):
        folder = tmp_path / "copies"
        folder.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        source = open_table(book())
        assert len(list(folder.iterdir())) == 1
        del source
        assert not list(folder.iterdir())


def test_without_a_reader_the_extra_is_named(book, monkeypatch):
    monkeypatch.setattr(places, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match="install it with clustervet's extra 'spreadshe"):
        open_table(book())


@pytest.mark.parametrize("name", ["book", "book.data"])
def test_a_workbook_of_excel_needs_no_name(book, name):
    path = book()
    assert list(open_table(path.rename(path.with_name(name))).columns) == ["y", "c", "x"]


def test_a_workbook_by_another_name(book):
    path = book()
    assert refused(path.rename(path.with_suffix(".csv"))) == (
        "FILE is an Excel workbook, though its name does not end in .xlsx; rename it."
    )


def test_an_opendocument_spreadsheet(tmp_path):
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    texts = [
        [f'office:value-type="string"><text:p>{t}</text:p>' for t in row] for row in ("yc", "ab")
    ]
    numbers = [f'office:value-type="float" office:value="{value}">' for value in (1, 2.5)]
    rows = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell {c}</table:table-cell>' for c in row)}"
        "</table:table-row>"
        for row in (texts[0], *zip(texts[1], numbers, strict=True))
    )
    body = (
        f'<office:spreadsheet><table:table table:name="S">{rows}</table:table></office:spreadsheet>'
    )
    with zipfile.ZipFile(tmp_path / "labels.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body>{body}</office:body>"
            "</office:document-content>",
        )
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    assert labels(tmp_path / "labels.ods") == [["a", "b"], ["1", "2.5"]]


# A text of nothing but blanks is taken for an empty cell, and some words are missing labels.
CELLS = st.one_of(
    st.text(string.ascii_letters + ' ",;\t\n', max_size=5).filter(
        lambda text: text.strip() and text not in MISSING
    ),
    st.integers(-(2**50), 2**50),
    st.booleans(),
    st.none(),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=6))
def test_what_openpyxl_writes_is_read_back(tmp_path_factory, rows):
    made = openpyxl.Workbook()
    for row in (["p", "q", "r"], *rows):
        made.active.append(row)
    path = tmp_path_factory.mktemp("book") / "book.xlsx"
    made.save(path)
    out = io.StringIO()
    assert sheets.write_sheet(str(path), None, None, out) == 1
    spelled = {None: "", True: "TRUE", False: "FALSE"}
    wanted = [
        [str(cell) if type(cell) in (str, int) else spelled[cell] for cell in row] for row in rows
    ]
    text = path.with_suffix(".tsv")
    text.write_text(out.getvalue(), newline="")
    filled = [row for row in wanted if any(row)]
    if filled:
        table = open_table(text).read((), ["p", "q", "r"])[1]
        for place, codes in enumerate(table.values()):
            gone = codes.missing if codes.missing is not None else [False] * len(filled)
            values = zip(gone, codes.restore(codes.values), strict=True)
            assert ["" if m else v for m, v in values] == [row[place] for row in filled]
