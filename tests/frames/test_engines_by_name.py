"""Engines by name: files opened there give the table of their labels; what fails says why."""

from __future__ import annotations

import gzip
import importlib.util
import socket
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clustervet import Contingency, memory_limit
from clustervet.contingency.files import read_tables
from clustervet.errors import (
    FileError,
    LabelError,
    MemoryLimitError,
    MissingPackageError,
    ParameterError,
)
from clustervet.frames import clusters, engines, open_table
from clustervet.frames.columns import Kind
from clustervet.frames.dialect import Layout
from clustervet.frames.engines import engine_for
from clustervet.frames.frame import Frame
from clustervet.scorecard.score_files import score_files

# Dask itself calls pandas in a way that pandas will drop.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in:DeprecationWarning")
HERE = ["duckdb", "polars", "dask"]
ROWS = [("007", "x", 1.5), ("7", "NA", 2.0), ("7", "é,y", 0.5), ("7", "é,y", 0.25)]


@pytest.fixture
def files(tmp_path):
    """The same rows in every format, the Parquet ones in two parts."""
    names = ["the.truth", "pred", "w"]
    lines = [f'{a},"{b}",{w}' for a, b, w in ROWS]
    text = "\n".join([",".join(names), *lines, ""])
    (tmp_path / 'it\'s; a "table".csv').write_text(text, encoding="utf-8")
    with gzip.open(tmp_path / "packed.csv.gz", "wt", encoding="utf-8") as packed:
        packed.write(text)
    tabs = ["\t".join(names), *(f"{a}\t{b}\t{w}" for a, b, w in ROWS), ""]
    (tmp_path / "rows.tsv").write_text("\n".join(tabs), encoding="utf-8")
    columns = [list(column) for column in zip(*ROWS, strict=True)]
    columns[1] = [None if x == "NA" else x for x in columns[1]]
    table = pa.table(dict(zip(names, columns, strict=True)))
    (tmp_path / "lake").mkdir()
    for k in range(2):
        pq.write_table(table.slice(2 * k, 2), tmp_path / "lake" / f"part{k}.parquet")
    return {
        "csv": tmp_path / 'it\'s; a "table".csv',
        "gz": tmp_path / "packed.csv.gz",
        "tsv": tmp_path / "rows.tsv",
        "parquet": [str(tmp_path / "lake" / f"part{k}.parquet") for k in range(2)],
    }


@pytest.mark.parametrize("form", ["csv", "gz", "tsv", "parquet"])
@pytest.mark.parametrize("name", HERE)
def test_a_file_is_read_the_same_by_every_engine(files, name, form):
    numbers = () if form == "parquet" else ["w"]
    with engine_for(name) as engine:
        paths = files[form] if form == "parquet" else str(files[form])
        frame = engine.read(paths, numbers=numbers)
        options = {"truth": "the.truth", "pred": "pred", "missing": "class"}
        counts = Contingency.from_frame(frame, **options)
        weighed = Contingency.from_frame(frame, weights="w", **options)
    assert counts.to_dict() == {("007", "x"): 1, ("7", None): 1, ("7", "é,y"): 2}
    assert weighed.to_dict() == {("007", "x"): 1.5, ("7", None): 2.0, ("7", "é,y"): 0.75}


LINES = '{"y": "a", "c": 1}\n{"y": "b", "c": 1}\n{"y": "b", "c": null}\n'


@pytest.mark.parametrize("name", HERE)
def test_json_lines(tmp_path, name):
    (tmp_path / "t.jsonl").write_text(LINES)
    with engine_for(name) as engine:
        table = Contingency.from_frame(
            engine.read(str(tmp_path / "t.jsonl")), truth="y", pred="c", missing="class"
        )
    assert table.to_dict() == {("a", 1): 1, ("b", 1): 1, ("b", None): 1}


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (['"007"', '"7"', '"7"'], ["007", "7", "7"]),
        (["9007199254740993", "9007199254740992", "null"], [2**53 + 1, 2**53, None]),
        (["true", "false", "null"], [True, False, None]),
        (['"1e3"', '"1000"', '"2020-01-01"'], ["1e3", "1000", "2020-01-01"]),
        (["2.0", "3.0", "2.0"], [2, 3, 2]),
    ],
)
@pytest.mark.parametrize("name", HERE)
def test_values_of_json_stay_what_they_are(tmp_path, name, values, labels):
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"y": {one}, "c": "x"}}\n' for one in values))
    with engine_for(name) as engine:
        table = Contingency.from_frame(engine.read(str(path)), truth="y", pred="c", missing="class")
    assert table.to_dict() == {(label, "x"): labels.count(label) for label in labels}


def test_an_empty_file_of_json_has_no_columns(tmp_path):
    (tmp_path / "t.jsonl").write_text("")
    with engine_for("dask") as engine:
        frame = engine.read(str(tmp_path / "t.jsonl"))
        with pytest.raises(FileError, match="has no column 'y'; it has no columns at all"):
            Contingency.from_frame(frame, truth="y", pred="c")


def test_json_of_several_kinds_through_dask(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"y": 7, "c": 1}\n{"y": "7", "c": 1}\n\n{"c": 0.5}\n')
    with engine_for("dask") as engine:
        frame = engine.read(str(path)).compute()
    assert frame["y"].tolist()[:2] == ["7", '"7"']
    assert frame["y"].isna().tolist() == [False, False, True]
    assert frame["c"].tolist() == [1.0, 1.0, 0.5]
    path.write_text(f'{{"y": {2**70}, "c": 1}}\n{{"y": {2**70 + 1}, "c": null}}\n')
    with engine_for("dask") as engine:
        assert engine.read(str(path)).compute()["y"].tolist() == [str(2**70), str(2**70 + 1)]
    path.write_text("[1, 2]\n")
    with pytest.raises(FileError, match="a line is no object"), engine_for("dask") as engine:
        engine.read(str(path)).compute()


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(("form", "between"), [("csv", ","), ("tsv", "\t"), ("csv", ";")])
@pytest.mark.parametrize("name", HERE)
def test_text_that_only_the_engine_can_reach(tmp_path, name, form, between, packed):
    """A file by its URL stands for one in a store; the engine reads its header itself."""
    path = tmp_path / f"t.{form}{packed}"
    text = "y,c,w\na,01,1\nb,1,2\nb,NA,2\n".replace(",", between).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    separator = between if between == ";" else None
    with engine_for(name) as engine:
        assert list(engine.kinds(path.as_uri(), separator)) == ["y", "c", "w"]
        frame = engine.read(path.as_uri(), columns=["y", "c"], separator=separator)
        table = Contingency.from_frame(frame, truth="y", pred="c", missing="class")
        with pytest.raises(FileError, match=rf"^{name} cannot read file:///.*/nowhere\.csv: "):
            engine.kinds((tmp_path / "nowhere.csv").as_uri())
        with pytest.raises(FileError, match="has no column 'z'"):
            engine.read(path.as_uri(), columns=["z"], separator=separator)
    assert table.to_dict() == {("a", "01"): 1, ("b", "1"): 1, ("b", None): 1}


def test_text_without_a_header_that_only_the_engine_can_reach(tmp_path):
    (tmp_path / "t.csv").write_text("a,1\nb,2\n")
    for name in ("polars", "dask"):
        with engine_for(name) as engine:
            path = (tmp_path / "t.csv").as_uri()
            assert (
                len(Frame.of(engine.open_text(Layout([path], ",", named=False))).native.collect())
                == 2
            )


def test_what_columns_hold(tmp_path):
    table = pa.table(
        {
            "single": pa.array([1, 2], pa.float32()),
            "number": pa.array([1, 2], pa.int16()),
            "flag": [True, False],
            "day": pa.array([1, 2], pa.date32()),
            "moment": pa.array([1, 2], pa.timestamp("us")),
            "text": ["a", "b"],
            "list": [[1], [2]],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    found = open_table(tmp_path / "t.parquet", engine="polars").columns
    kinds = [Kind.single, Kind.number, Kind.boolean, Kind.date, Kind.date, Kind.text, Kind.other]
    assert found == dict(zip(table.column_names, kinds, strict=True))
    with pytest.raises(FileError, match=r"t\.xlsx is of no format that every engine reads"):
        open_table(tmp_path / "t.xlsx", engine="polars").columns  # noqa: B018  # asked for


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "has no value in row 2;"), (float("inf"), "holds inf in row 2, which is not finite;")],
)
def test_a_feature_that_is_no_number_has_its_row(tmp_path, value, said):
    pq.write_table(pa.table({"x": [1.0, value, 2.0]}), tmp_path / "t.parquet")
    source = open_table(tmp_path / "t.parquet", engine="polars")
    with pytest.raises(FileError, match=rf"^column 'x' of .*t\.parquet {said}"):
        source.features(["x"])
    with pytest.raises(
        ParameterError, match=r"^only an NPZ file has arrays to choose from, not .*t"
    ):
        source.features(["x"], array="X")
    assert source.unmatched == ()


def test_the_same_seed_draws_the_same_rows_where_the_engine_keeps_their_order(tmp_path):
    rng = np.random.default_rng(0)
    table = pa.table({"x": rng.random(400), "c": rng.integers(0, 2, 400)})
    pq.write_table(table, tmp_path / "t.parquet")
    ask = {"pred": "c", "features": ["x"], "measures": ["silhouette"], "sample": 40}
    path = str(tmp_path / "t.parquet")
    one, two = (score_files([path], engine="polars", **ask).inner["c"] for _ in range(2))
    assert one["silhouette"] == two["silhouette"]


def test_missing_labels_are_said_of_the_labels(tmp_path):
    pq.write_table(pa.table({"y": ["a", None], "c": [0, 1]}), tmp_path / "t.parquet")
    with pytest.raises(LabelError, match=r"^truth has 1 missing label;"):
        read_tables(tmp_path / "t.parquet", "y", "c", engine="polars")


@pytest.mark.parametrize("name", ["polars", "dask"])
def test_packed_text_beyond_memory_is_refused_before_it_is_unpacked(tmp_path, name):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"y,c\n" + b"a,1\n" * 2**20))
    with (
        memory_limit("2MB"),
        pytest.raises(MemoryLimitError, match=r"t\.csv\.gz unpacked would take 2\.1 MB of memory"),
    ):
        read_tables(path, "y", "c", engine=name)
    path.write_bytes(gzip.compress(b"y,c\n" + b"a,1\n" * 2**16))
    with memory_limit("60KB"):
        assert path.stat().st_size * engines.MOST_PACKED > 60_000
        with pytest.raises(MemoryLimitError, match="unpacked would take"):
            read_tables(path, "y", "c", engine=name)


def test_what_fails_while_a_frame_is_used_is_one_sentence(tmp_path):
    pq.write_table(pa.table({"y": [1, 2]}), tmp_path / "t.parquet")
    path = str(tmp_path / "t.parquet")
    with engine_for("polars") as engine:
        with (
            pytest.raises(MemoryLimitError, match=r"^reading and grouping the files takes more"),
            engine.reading(path),
        ):
            raise MemoryError
        with (
            pytest.raises(FileError, match=rf"^polars cannot read {path}: no more\.$"),
            engine.reading(path),
        ):
            raise RuntimeError("no more.\nand more")
    with (
        pytest.raises(FileError, match=r"^duckdb cannot go on: Parser Error: .*[^.]\.$") as caught,
        engine_for("duckdb") as engine,
    ):
        engine.session.sql("SELECT FROM")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", HERE)
def test_a_file_that_cannot_be_read_is_refused(tmp_path, name):
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 and no more")
    with engine_for(name) as engine:
        with pytest.raises(FileError, match=r"broken\.parquet"):
            Contingency.from_frame(engine.read(str(broken)), truth="y", pred="c")
        with pytest.raises(FileError, match="no format"):
            engine.read("table.xlsx")
        with pytest.raises(FileError, match="one format"):
            engine.read(["a.csv", "b.parquet"])
        with pytest.raises(FileError, match="no file"):
            engine.read([])
        (tmp_path / "folder.csv").mkdir()
        with pytest.raises(FileError, match=r"folder\.csv is a directory, not a file\.$"):
            engine.read(str(tmp_path / "folder.csv"))


def test_duckdb_goes_on_in_a_folder_beyond_its_memory():
    with engine_for("duckdb", memory_limit="100MB") as engine:
        settings = "SELECT current_setting('memory_limit'), current_setting('temp_directory')"
        ((held, folder),) = engine.session.sql(settings).fetchall()
        rows = "SELECT i % 3000001 AS y, i % 2 AS c FROM range(6000002) t(i)"
        cells = f"SELECT count(*) FROM (SELECT y, c, count(*) FROM ({rows}) GROUP BY ALL)"
        assert engine.session.sql(cells).fetchall() == [(6000002,)]
        assert held == "95.3 MiB"
        assert Path(folder).exists()
    assert not Path(folder).exists()


def test_a_memory_limit_is_for_duckdb_alone():
    with (
        pytest.raises(ParameterError, match="memory limit is for duckdb"),
        engine_for("polars", memory_limit="1GB"),
    ):
        pass


@pytest.mark.parametrize(
    "name", ["", "duck", "spark://", "sc://host", "http://a:1", "tcp://a:99999", "spark://a:0"]
)
def test_a_name_of_no_engine_is_refused(name):
    with pytest.raises(ParameterError, match="an engine is one of"), engine_for(name):
        pass


@pytest.mark.parametrize("scheme", ["spark", "sc", "tcp"])
def test_a_cluster_that_nobody_runs_is_refused_at_once(scheme):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (
        pytest.raises(ParameterError, match=f"{scheme}://127.0.0.1:{port} cannot be reached: "),
        engine_for(f"{scheme}://127.0.0.1:{port}"),
    ):
        pass
    with (
        pytest.raises(ParameterError, match="cannot be reached"),
        engine_for(f"{scheme}://no-such-host.invalid:7077"),
    ):
        pass


def test_what_does_not_start_is_given_up(monkeypatch):
    monkeypatch.setattr(clusters, "BEGUN", 0.1)
    release = threading.Event()
    began = time.monotonic()
    with pytest.raises(ParameterError, match=r"sc://x:1 does not start: no answer within 0\.1 s"):
        clusters.begun("sc://x:1", release.wait)
    assert time.monotonic() - began < 30
    release.set()


def test_what_fails_on_a_cluster_with_workers_is_raised_as_it_is():
    with pytest.raises(RuntimeError, match=r"^no room$"), clusters.with_workers("x", int, int):
        raise RuntimeError("no room")


def test_what_fails_to_start_says_why():
    def begin():
        raise RuntimeError("no room\nsecond line")

    with pytest.raises(ParameterError, match=r"tcp://x:1 does not start: no room\.$"):
        clusters.begun("tcp://x:1", begin)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("spark", "needs pyspark.*install clustervet.spark"),
        ("sc://localhost:1", "needs pyspark.*install clustervet.spark"),
        ("dask", "needs dask.*install clustervet.dask"),
        ("tcp://localhost:1", "needs distributed.*install clustervet.dask"),
        ("polars", "needs polars.*install polars"),
    ],
)
def test_a_missing_package_is_named_with_what_to_install(monkeypatch, name, hint):
    monkeypatch.setattr(engines, "find_spec", lambda module: None)
    with pytest.raises(MissingPackageError, match=hint), engine_for(name):
        pass


def test_spark_without_java_says_so(monkeypatch):
    assert importlib.util.find_spec("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(engines.shutil, "which", lambda name: None)
    with pytest.raises(MissingPackageError, match="needs Java"), engine_for("spark"):
        pass


def test_spark_reads_the_same_files(files, tmp_path):
    options = {"truth": "the.truth", "pred": "pred", "weights": "w", "missing": "class"}
    with engine_for("spark") as engine:
        for form in ("csv", "gz", "tsv", "parquet"):
            paths = files[form] if form == "parquet" else str(files[form])
            frame = engine.read(paths, numbers=() if form == "parquet" else ["w"])
            table = Contingency.from_frame(frame, **options)
            assert table.to_dict() == {("007", "x"): 1.5, ("7", None): 2.0, ("7", "é,y"): 0.75}
        with pytest.raises(FileError, match="spark cannot read"):
            engine.read("/no/such/file.parquet")
        lines = tmp_path / "t.jsonl"
        lines.write_text(LINES)
        assert sorted(map(tuple, engine.read(str(lines)).select("y").collect())) == [
            ("a",),
            ("b",),
            ("b",),
        ]
        with engine_for("spark") as again:
            assert again.session is engine.session


def test_an_engine_is_not_asked_for_its_columns_once_per_column(tmp_path, monkeypatch):
    """A table of 20,000 columns took minutes."""
    path = tmp_path / "wide.csv"
    names = [f"c{k}" for k in range(300)]
    path.write_text("\n".join([",".join(names), *[",".join("ab"[(k + j) % 2] for k in range(300))
                                                 for j in range(4)]]))  # fmt: skip
    asked = []
    columns = Frame.columns.fget
    monkeypatch.setattr(Frame, "columns", property(lambda self: asked.append(1) or columns(self)))
    (table,) = read_tables(str(path), "c0", ["c1"], engine="polars").values()
    assert table.n == 4
    assert len(asked) < 20


def test_only_the_columns_that_are_needed_are_made_ready(tmp_path, monkeypatch):
    """A table of 20,000 columns took Dask minutes."""
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(",".join(f"{k}{j}" for k in range(300)) for j in range(4)))
    made = []
    column = engines._column
    monkeypatch.setattr(engines, "_column", lambda *given: made.append(1) or column(*given))
    with engine_for("dask") as engine:
        frame = engine.read(str(path), columns=["70", "30"], numbers=["10"])
        assert list(frame.columns) == ["10", "70", "30"]
        assert len(made) == 3
        assert len(engine.kinds(str(path))) == 300
    assert len(made) == 3
    (table,) = read_tables(str(path), "10", ["20"], engine="dask").values()
    assert table.n == 3
    with pytest.raises(FileError, match=r"wide\.csv has no column 'x'"):
        read_tables(str(path), "x", ["20"], engine="dask")
