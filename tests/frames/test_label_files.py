from __future__ import annotations

import bz2
import gzip
import lzma
import os
import threading
import time
from contextlib import nullcontext
from datetime import date, datetime
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import read_text_table

from clustervet import ClustervetError, Contingency, memory_limit, read_tables
from clustervet.contingency.grouped import table_of
from clustervet.errors import FileError
from clustervet.frames import duck, open_table

TRUTH = ["a", "a", "b", "b", "b", "c"]
PRED = [0, 0, 0, 1, 1, 2]
# A query of some minutes.
LONG = "SELECT count(*) FROM range(100000000000) t(i) WHERE i % 7 = 3"


def counted(path, truth="y", pred="c", weights=None, **policies):
    """The table of two columns, by the engine."""
    paths = [path] if isinstance(path, str | os.PathLike) else path
    (groups,) = open_table(paths).groups([(truth, pred)], weights)
    return table_of(groups.pair(truth, pred), **policies)


def frame():
    return pl.DataFrame({"y": TRUTH, "c": PRED})


WRITERS = {
    "t.csv": lambda path: frame().write_csv(path),
    "t.tsv": lambda path: frame().write_csv(path, separator="\t"),
    "t.csv.gz": lambda path: path.write_bytes(gzip.compress(frame().write_csv().encode())),
    "t.csv.bz2": lambda path: path.write_bytes(bz2.compress(frame().write_csv().encode())),
    "t.csv.xz": lambda path: path.write_bytes(lzma.compress(frame().write_csv().encode())),
    "t.csv.zst": lambda path: _by_duckdb(path, "CSV, COMPRESSION zstd, HEADER"),
    "t.jsonl": lambda path: frame().write_ndjson(path),
    "t.jsonl.gz": lambda path: path.write_bytes(gzip.compress(frame().write_ndjson().encode())),
    "t.jsonl.bz2": lambda path: path.write_bytes(bz2.compress(frame().write_ndjson().encode())),
    "t.json": lambda path: path.write_text(frame().write_json()),
    "t.parquet": lambda path: frame().write_parquet(path),
    "t.arrow": lambda path: frame().write_ipc(path),
    "t.feather": lambda path: frame().write_ipc(path, compression="lz4"),
    "t.npz": lambda path: np.savez(path, y=np.array(TRUTH), c=np.array(PRED)),
    "t.npy": lambda path: np.save(
        path, np.array(list(zip(TRUTH, PRED, strict=True)), [("y", "U1"), ("c", "i8")])
    ),
}


def _by_duckdb(path, options):
    held = frame()
    with duckdb.connect() as connection:
        connection.register("held", held)
        connection.execute(f"COPY held TO '{path}' (FORMAT {options})").fetchall()


def plain(table):
    """Counts by labels, those of text files as text."""
    return {(str(a), str(b)): n for (a, b), n in table.to_dict().items()}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_and_packing_gives_the_same_table(tmp_path, name):
    WRITERS[name](tmp_path / name)
    expected = plain(Contingency.from_labels(TRUTH, PRED))
    assert plain(counted(tmp_path / name)) == expected
    twice = [tmp_path / name, tmp_path / f"u{name[1:]}"]
    twice[1].write_bytes(twice[0].read_bytes())
    assert plain(counted(tmp_path)) == {cell: 2 * n for cell, n in expected.items()}
    pattern = str(tmp_path / f"?{name[1:]}")
    assert plain(counted(pattern)) == {cell: 2 * n for cell, n in expected.items()}


def test_several_groupings_come_from_one_scan(tmp_path):
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, k, 5_000) for name, k in (("y", 3), ("a", 4), ("b", 50))}
    pl.DataFrame(columns).write_parquet(tmp_path / "t.parquet")
    sets = [("y", "a"), ("y", "b"), ("b", "y"), ("y", "y"), ("y", "a", "b")]
    found = open_table(tmp_path, memory_limit="200MB").groups(sets, most={4: 10})
    assert found.pop() is None
    for groups, (one, two, *_) in zip(found, sets, strict=False):
        expected = Contingency.from_labels(columns[one], columns[two])
        assert table_of(groups.pair(one, two)) == expected


def test_any_number_of_predictions(tmp_path):
    columns = {f"p{k}": [0, k % 3, k % 5] for k in range(90)} | {"y": [0, 1, 1]}
    pl.DataFrame(columns).write_parquet(tmp_path / "t.parquet")
    sets = [("y", f"p{k}") for k in range(90)]
    found = open_table(tmp_path).groups([*sets, [*columns]], most={90: 2})
    assert found.pop() is None
    for groups, (_, name) in zip(found, sets, strict=True):
        assert table_of(groups.pair("y", name)) == Contingency.from_labels([0, 1, 1], columns[name])


TYPES = {
    "small": pa.array([1, 2, None, 1], pa.int8()),
    "unsigned": pa.array([2**64 - 1, 2**63, None, 2**63], pa.uint64()),
    "large": pa.array([2**63 - 1, -(2**63), None, 2**63 - 1], pa.int64()),
    "whole floats": pa.array([1.0, 2.0, float("nan"), 1.0]),
    "single": pa.array([1.0, 2.0, None, 1.0], pa.float32()),
    "booleans": pa.array([True, False, None, True]),
    "text": pa.array(["a'; DROP TABLE g; --", "ä\n\0", None, "x"]),
    "categories": pa.array(["b", "a", None, "b"]).dictionary_encode(),
    "dates": pa.array([date(2020, 1, 1), date(1999, 12, 31), None, date(2020, 1, 1)]),
    "times": pa.array([datetime(2020, 1, 1, 2, 3, 4, 5), datetime(1999, 1, 1), None, None]),
    "nothing": pa.nulls(4),
}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_types_keep_their_meaning(tmp_path, name, form):
    path = tmp_path / f"t.{form}"
    table = pl.from_arrow(pa.table({"y": TYPES[name], "c": [1, 2, 3, 4]}))
    table.write_parquet(path) if form == "parquet" else table.write_ipc(path)
    labels = [None if x != x else x for x in TYPES[name].to_pylist()]
    expected = Contingency.from_labels(labels, [1, 2, 3, 4], missing="class")
    assert counted(path, missing="class") == expected
    kinds = {type(key) for key in counted(path, missing="class").class_names}
    assert kinds == {int if type(key) is float else type(key) for key in expected.class_names}


def test_json_values_are_taken_as_they_stand(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"y":1,"Y":"a","c/~d":true}\n{"y":1.0,"Y":"01"}\n{"Y":null,"c/~d":false}\n')
    assert counted(path, "y", "Y", missing="drop").to_dict() == {(1, "a"): 1, (1, "01"): 1}
    assert counted(path, "c/~d", "y", missing="class").class_names == [False, True, None]


def test_text_among_numbers_is_text(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"y":1,"c":1}\n{"y":"1","c":1}\n{"y":"x","c":1}\n')
    assert counted(path).to_dict() == {("1", 1): 2, ("x", 1): 1}


NASTY = (
    'y,c\n01,1\n1,1\n1.0,"1"\n" 1",1 \n,NA\n"",null\nnan,"N/A"\n"a,b","x\ny"\n"q""t",#\n'
    "\n\nTrue,true\n1e3,1000\n+1,-0\nä,'\n日本,\\N\nx,\n"
)


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_both_readers_of_text_agree_on_a_nasty_file(tmp_path, ends, bom):
    path = tmp_path / "t.csv"
    path.write_bytes((bom + NASTY).replace("\n", ends).encode())
    light = read_text_table(path)
    expected = Contingency.from_labels(light.column("y"), light.column("c"), missing="class")
    assert counted(path, missing="class") == expected
    assert counted(path, missing="drop") == Contingency.from_labels(
        light.column("y"), light.column("c"), missing="drop"
    )


FIELD = st.text(st.sampled_from("ab1 .-\"\t,\né'NA"), max_size=4)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(FIELD, FIELD), min_size=1, max_size=6), st.booleans())
def test_both_readers_of_text_agree_or_both_refuse(tmp_path, rows, quoted):
    quote = (lambda x: '"' + x.replace('"', '""') + '"') if quoted else str
    lines = ["y,c", *(f"{quote(a)},{quote(b)}" for a, b in rows)]
    path = tmp_path / "t.csv"
    path.write_bytes("\n".join(lines).encode())

    def outcome(read):
        try:
            return read()
        except ClustervetError as error:
            return str(error)

    def light():
        table = read_text_table(path)
        return Contingency.from_labels(table.column("y"), table.column("c"), missing="class")

    assert outcome(lambda: counted(path, missing="class")) == outcome(light)


def test_weights(tmp_path):
    path = tmp_path / "t.parquet"
    columns = {"y": TRUTH, "c": PRED, "w": [0.1, 0.2, 0.3, 1.0, 2.0, 0.5], "k": [2**61] * 6}
    pl.DataFrame(columns).write_parquet(path)
    expected = Contingency.from_labels(TRUTH, PRED, weights=columns["w"])
    assert counted(path, weights="w").to_dict() == pytest.approx(expected.to_dict(), rel=1e-15)
    assert counted(path, weights="k") == Contingency.from_labels(TRUTH, PRED, weights=[2**61] * 6)


MIDNIGHT = datetime(2020, 1, 1)
PARTS = {
    "whole": ([pa.int32(), pa.int64()], [1, 2]),
    "large": ([pa.int32(), pa.uint64()], [1, 2]),
    "real": ([pa.float32(), pa.float64()], [1, 2]),
    "numbers": ([pa.int32(), pa.float64()], [1, 2]),
    "moments": ([pa.timestamp("s"), pa.timestamp("ms")], [MIDNIGHT, datetime(2020, 1, 1, 2)]),
    "text": ([pa.string(), pa.binary()], ["a", "b"]),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_of_different_types_are_one_table(tmp_path, name):
    kinds, labels = PARTS[name]
    for kind in kinds:
        column = pa.array(labels, pa.string() if kind == pa.binary() else kind).cast(kind)
        part = pa.table({"y": column, "c": [0, 1]})
        with pa.ipc.new_file(tmp_path / f"{kind}.arrow", part.schema) as writer:
            writer.write_table(part)
    table = counted(tmp_path)
    assert table.to_dict() == {(labels[0], 0): 2, (labels[1], 1): 2}
    assert [type(label) for label in table.class_names] == [type(label) for label in labels]


def test_numbers_beyond_64_bits_in_one_part_alone(tmp_path):
    for name, kind, label in (("a", pa.int32(), 3), ("b", pa.uint64(), 2**64 - 1)):
        part = pa.table({"y": pa.array([label, 3], kind), "c": [0, 0]})
        pq.write_table(part, tmp_path / f"{name}.parquet")
    assert counted(tmp_path).to_dict() == {(3, 0): 3, (2**64 - 1, 0): 1}


def test_a_fraction_in_one_part_is_no_label(tmp_path):
    for name, labels in (("a", [1, 2]), ("b", [2.0, 0.5])):
        pq.write_table(pa.table({"y": labels, "c": [0, 0]}), tmp_path / f"{name}.parquet")
    assert "truth holds 0.5; float labels must be whole numbers" in refusal(tmp_path)


def test_years_that_python_has_not_are_text(tmp_path):
    rows = "(DATE '12345-06-07', TIMESTAMP '12345-06-07 01:02:03', 0), "
    rows += "(DATE '2020-01-01', TIMESTAMP '2020-01-01 00:00:00', 0)"
    path = tmp_path / "t.parquet"
    duckdb.sql(f"COPY (FROM (VALUES {rows}) t(d, m, c)) TO '{path}' (FORMAT parquet)")
    assert set(counted(path, "d").class_names) == {"12345-06-07", date(2020, 1, 1)}
    assert set(counted(path, "m").class_names) == {"12345-06-07 01:02:03", MIDNIGHT}


def test_parts_of_different_widths_are_one_table(tmp_path):
    pl.DataFrame({"y": ["a"], "c": pl.Series([1], dtype=pl.Int8)}).write_parquet(
        tmp_path / "1.parquet"
    )
    pl.DataFrame({"c": [1.0], "more": [0], "y": ["a"]}).write_parquet(tmp_path / "2.parquet")
    pl.DataFrame({"y": ["b"], "c": pl.Series([None])}).write_parquet(tmp_path / "3.parquet")
    table = counted(tmp_path, missing="class")
    assert table.to_dict() == {("a", 1): 2, ("b", None): 1}


def refusal(*paths, **options):
    with pytest.raises(ClustervetError) as caught:
        counted(paths, **options)
    message = str(caught.value)
    assert message.endswith((".", "?"))
    assert "\n" not in message
    return message


class TestRefusals:
    """What cannot be read is said in one sentence, and nothing is left behind."""

    @pytest.fixture(autouse=True)
    def _clean(self, tmp_path, monkeypatch):
        scratch = tmp_path / "scratch"
        scratch.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(scratch))
        yield
        assert list(scratch.iterdir()) == []

    @pytest.fixture
    def good(self, tmp_path):
        path = tmp_path / "good.parquet"
        frame().write_parquet(path)
        return path

    def test_a_missing_column(self, good):
        assert "has no column 'yy'; did you mean y?" in refusal(good, truth="yy")

    def test_a_nested_column(self, tmp_path):
        path = tmp_path / "t.parquet"
        pl.DataFrame({"y": [[1]], "c": [1]}).write_parquet(path)
        assert "column 'y' of" in refusal(path)
        assert "nested" in refusal(path)
        lines = tmp_path / "t.jsonl"
        lines.write_text('{"y":{"a":1},"c":1}\n')
        assert "nested" in refusal(lines)

    def test_an_empty_file(self, tmp_path):
        path = tmp_path / "t.parquet"
        path.write_bytes(b"")
        assert refusal(path).endswith("t.parquet is empty.")
        frame().clear().write_parquet(path)
        assert refusal(path).endswith("t.parquet has no rows.")

    def test_half_a_parquet_file_is_named_among_whole_ones(self, good, tmp_path):
        half = tmp_path / "half.parquet"
        half.write_bytes(good.read_bytes()[:-20])
        assert "half.parquet is not a whole Parquet file" in refusal(good, half)
        half.write_bytes(good.read_bytes()[:40] + bytes(60) + good.read_bytes()[100:])
        assert "half.parquet is not a whole" in refusal(half)

    def test_a_broken_row_has_its_line(self, tmp_path):
        path = tmp_path / "t.csv"
        path.write_text("y,c\n" + "a,0\n" * 3_000 + "a,0,7\n" + "b,1\n")
        assert "line 3002 of" in refusal(path)
        path.write_text("y,c\n" + "a,0\n" * 10 + "a,0,\n")
        assert "line 12 of" in refusal(path)
        path = tmp_path / "t.jsonl"
        path.write_text('{"y":1,"c":1}\n{"y":1\n')
        assert "line 2 of" in refusal(path)
        path.write_text('{"y":1,"c":1}\n' * 20_000 + "[1]\n")
        assert "line 20001 of" in refusal(path)

    def test_mixed_schemas(self, good, tmp_path):
        other = tmp_path / "other.parquet"
        pl.DataFrame({"y": [1], "c": [1]}).write_parquet(other)
        said = refusal(good, other)
        assert "column 'y' is text in" in said
        assert "whole numbers in" in said
        pl.DataFrame({"y": ["a"]}).write_parquet(other)
        assert "other.parquet has no column 'c'" in refusal(good, other)
        other = tmp_path / "other.csv"
        other.write_text("y,c\na,1\n")
        assert "one format" in refusal(good, other)

    def test_no_file(self, tmp_path):
        assert "no file matches" in refusal(tmp_path / "*.parquet")
        (tmp_path / "folder").mkdir()
        assert "holds no files" in refusal(tmp_path / "folder")
        assert "cannot be read" in refusal(tmp_path / "nowhere.parquet")

    def test_nothing_at_all(self):
        assert refusal() == "no file is given."

    def test_a_file_twice(self, good):
        assert "named twice" in refusal(good, good)

    def test_an_unreadable_file(self, good, monkeypatch):
        def denied(*_arguments, **_options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("clustervet.frames.places.open", denied, raising=False)
        assert "good.parquet cannot be read: Permission denied." in refusal(good)

    def test_too_little_memory(self, tmp_path):
        path = tmp_path / "t.parquet"
        pl.DataFrame({"y": range(200_000), "c": range(200_000)}).write_parquet(path)
        with pytest.raises(ClustervetError, match="raise the limit with memory_limit"):
            open_table(path, memory_limit="1MB").groups([("y", "c")])

    @pytest.mark.parametrize("limit", ["much", "-1GB", "0GB", "1", "1GB'; DROP"])
    def test_what_is_no_memory_limit(self, good, limit):
        with pytest.raises(ClustervetError, match="a memory limit is a size"):
            open_table(good, memory_limit=limit).groups([("y", "c")])

    @pytest.mark.parametrize(
        "weights", [[-1.0, 1], [float("nan"), 1], [None, 1], [float("inf"), 1]]
    )
    def test_bad_weights(self, tmp_path, weights):
        path = tmp_path / "t.parquet"
        pl.DataFrame({"y": ["a", "b"], "c": [0, 1], "w": weights}).write_parquet(path)
        assert "weight" in refusal(path, weights="w")
        assert "y" in refusal(path, weights="y")


@pytest.mark.parametrize(
    "name", ["a'b;--.parquet", 'x"y".parquet', "[1]*?.parquet", "ä b\n.parquet", "$(x).parquet"]
)
def test_paths_and_names_are_never_sql(tmp_path, name):
    column = "y') DROP TABLE g; --\""
    path = tmp_path / name
    frame().rename({"y": column}).write_parquet(path)
    assert counted(path, truth=column) == Contingency.from_labels(TRUTH, PRED)
    text = path.with_suffix(".csv")
    frame().rename({"y": column}).write_csv(text)
    assert plain(counted(text, truth=column)) == plain(Contingency.from_labels(TRUTH, PRED))


def test_hidden_files_of_a_folder_are_passed_over(tmp_path):
    inner = tmp_path / "lake" / "year=2020"
    inner.mkdir(parents=True)
    frame().write_parquet(inner / "part.parquet")
    (inner / "_SUCCESS").write_text("")
    (inner / ".part.crc").write_text("x")
    assert counted(tmp_path / "lake") == Contingency.from_labels(TRUTH, PRED)


def test_a_bar_shows_on_a_terminal_and_goes(tmp_path, monkeypatch, capsys):
    frame().write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert counted(tmp_path / "t.parquet") == Contingency.from_labels(TRUTH, PRED)
    assert capsys.readouterr() == ("", "")  # a small file needs no bar
    monkeypatch.setattr("clustervet.frames.duck.SHOW_PROGRESS", 0)
    assert counted(tmp_path / "t.parquet") == Contingency.from_labels(TRUTH, PRED)
    said = capsys.readouterr()
    assert said.out == ""
    assert "grouping" in said.err
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    assert counted(tmp_path / "t.parquet") == Contingency.from_labels(TRUTH, PRED)
    assert capsys.readouterr().err == ""
    (tmp_path / "t.parquet").write_bytes((tmp_path / "t.parquet").read_bytes()[:-9])
    assert "is not a whole" in refusal(tmp_path / "t.parquet")


@pytest.fixture
def bar(monkeypatch):
    """Show a bar for every query, and call a function at each of its steps."""

    def shown(step):
        monkeypatch.setattr("sys.stderr.isatty", lambda: True)
        monkeypatch.setattr(duck, "SHOW_PROGRESS", 0)
        monkeypatch.setattr(duck, "PAUSE", 0.01)
        monkeypatch.setattr(duck, "advancing", lambda *_, **__: nullcontext(step))

    return shown


def test_a_bar_goes_on_to_its_end(bar):
    steps = []
    bar(steps.append)
    with duck.session() as opened:
        opened.run("CREATE TABLE g AS SELECT count(*) FROM range(300000000) t(i)", [], 1)
        assert opened.rows("FROM g") == [(300_000_000,)]
    assert min(steps) >= 0
    assert sum(steps) == pytest.approx(100)


def test_work_under_a_bar_stops_at_once(bar):
    def stop(_):
        raise KeyboardInterrupt

    bar(stop)
    began = time.monotonic()
    with duck.session() as opened, pytest.raises(KeyboardInterrupt):
        opened.run(LONG, [], 1)
    assert time.monotonic() - began < 30


def queried(sql, before=lambda opened: None):
    with duck.session() as opened:
        before(opened)
        opened.rows(sql)


def test_work_that_is_interrupted_is_no_fault_of_a_file():
    def interrupt(opened):
        threading.Timer(0.2, opened.connection.interrupt).start()

    with pytest.raises(KeyboardInterrupt):
        queried(LONG, interrupt)


@pytest.mark.parametrize(
    "fill",
    [
        lambda opened: opened.rows("SET max_temp_directory_size = '1MB'"),
        lambda opened: Path(opened.folder, "spill").write_text(""),
    ],
    ids=["a limit", "a file in its place"],
)
def test_what_exceeds_memory_and_disk_is_refused(monkeypatch, tmp_path, fill):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    message = (
        f"^what exceeds the memory does not fit into the temporary folder {tmp_path}; set TMPDIR "
        r"to a folder with more space\.$"
    )
    with memory_limit("60MB"), pytest.raises(FileError, match=message):
        queried("SELECT count(*) FROM (SELECT i FROM range(8000000) t(i) GROUP BY i)", fill)


def test_a_number_of_too_many_digits_is_refused_where_it_is_a_label(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"y": 1, "c": "a", "z": %s}\n{"y": 2, "c": "b", "z": 1}\n' % ("9" * 5_000))
    assert read_tables(path, "y", "c")["y", "c"].n == 2
    with pytest.raises(
        ClustervetError, match=r"'z' of .* holds a whole number of more than 4,300 digits"
    ):
        _ = read_tables(path, "z", "c")["z", "c"]


def test_a_file_that_is_gone_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y,c\n0,1\n")
    source = open_table(path)
    path.unlink()
    with pytest.raises(FileError, match=r"t\.csv cannot be read: No such file or directory\."):
        source.labels(["y"])
