"""Memory is bounded: files that claim or unpack to too much get one sentence and exit code 2."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import subprocess
import sys
import textwrap
import zipfile

import duckdb
import numpy as np
import pytest

GIGABYTE = 10**9
LARGE = 10**8  # bytes that a small file unpacks to
# Each command that reads arrays, with the file as {}.
READERS = (
    "score {} -t y -p 1",
    "score {} -p y",
    "score {} {} -t y -p y",
    "score {} --features 1 -p y",
    "compare {}",
    "tune {} --k 2..3",
    "select {} --label y",
    "bound {} -t y -p 1",
    "report {} -p y -o {}.html",
    "table build {} -t y -p 1 -o {}.json",
    "score {} {} --id y",
    "score {} -t y -p 1 --memory-limit 1GB",
)


def guarded(commands, limit=4 * GIGABYTE):
    """Run commands in one process whose memory is limited: code and lines of each."""
    code = textwrap.dedent(f"""
        import contextlib, io, json, resource, sys, traceback
        resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
        from clustervet.cli import main
        found = []
        for words in {[list(map(str, words)) for words in commands]!r}:
            sys.argv, said, code = ["clustervet", *words], io.StringIO(), 0
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
                try:
                    main()
                except SystemExit as end:
                    code = end.code
                except BaseException:
                    traceback.print_exc()
                    code = 1
            found.append((code, said.getvalue().splitlines()))
        print(json.dumps(found))
    """)
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout)


def header(shape, descr="<f8"):
    """The start of an NPY file whatever it claims."""
    stream = io.BytesIO()
    facts = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, facts)
    return stream.getvalue()


def npz(path, **members):
    """An NPZ file of arrays and of bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, held in members.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                if isinstance(held, bytes):
                    stream.write(held)
                else:
                    np.lib.format.write_array(stream, held)
    return path


def words(command, path):
    return [word.replace("{}", str(path)) for word in command.split()]


def test_every_command_refuses_an_array_that_claims_more_than_it_holds(tmp_path):
    small = np.arange(4)
    files = {
        npz(tmp_path / "wide.npz", X=header((1, 10**12)), y=small[:1]): "'X'",
        tmp_path / "long.npy": "long.npy",
    }
    (tmp_path / "long.npy").write_bytes(header((10**12, 1)) + b"12345678")
    calls = [(path, what, command) for path, what in files.items() for command in READERS]
    found = guarded([words(command, path) for path, _, command in calls])
    for (_, what, command), (code, lines) in zip(calls, found, strict=True):
        assert code == 2, (command, lines)
        (line,) = lines
        assert what in line
        assert "claims" in line, (command, line)


@pytest.mark.parametrize(
    ("shape", "descr"),
    [
        ((2**32, 2**32), "<f8"),  # the product overflows
        ((2**40, 2**40, 2**40), "<f8"),
        ((-1, 4), "<f8"),
        ((3, -4), "<f8"),
        ((10**12,), "<U0"),  # values that take no room
        ((10**12,), "|S0"),
        ((10**12, 2), [("a", "<f8"), ("b", "<i4", (10,))]),
        ((5,), "<U1000000"),
    ],
)
def test_claims_of_all_kinds(refused, file, shape, descr):
    path = file(header(shape, descr) + b"0" * 64, "forged.npy")
    assert "claims" in refused("tune", path)
    assert "claims" in refused("compare", npz(path.with_suffix(".npz"), a=path.read_bytes()))


def test_an_array_of_objects_is_refused_before_its_size_matters(refused, file):
    path = file(header((10**12,), "|O") + b"0" * 64, "forged.npy")
    assert "Python objects" in refused("tune", path)


def test_a_sparse_matrix_that_claims_many_columns(tmp_path):
    parts = {"data": np.ones(1), "indices": np.zeros(1, np.int64), "indptr": np.array([0, 1])}
    wide = npz(tmp_path / "wide.npz", **parts, shape=np.array([1, 10**12]), y=np.zeros(1, int))
    rows = {"row": np.zeros(1, int), "col": np.zeros(1, int), "data": np.ones(1)}
    long = npz(tmp_path / "long.npz", **rows, format=np.array(b"coo"), shape=np.array([10**12, 1]))
    found = guarded([words(one, path) for path in (wide, long) for one in READERS[::4]])
    for code, lines in found:
        assert code == 2, lines
        (line,) = lines
        assert "would take" in line
        assert "--memory-limit" in line


def test_many_columns_need_no_list_of_names(tmp_path):
    np.save(tmp_path / "wide.npy", np.ones((1, 10**7), np.uint8))
    command = ["score", tmp_path / "wide.npy", "-t", "z", "-p", "1"]
    ((code, lines),) = guarded([command], limit=2 * GIGABYTE)
    assert (code, len(lines)) == (2, 1)
    assert lines[0].endswith("has no column 'z'; its columns are 1 to 10000000.")


def test_an_archive_that_unpacks_to_more_than_the_limit(refused, tmp_path):
    path = npz(tmp_path / "bomb.npz", X=np.zeros((LARGE // 800, 100)))
    assert path.stat().st_size < LARGE / 500
    line = refused("tune", path, "--memory-limit", "50MB")
    assert "would take 100 MB of memory, more than the limit of 50 MB" in line
    assert line.endswith("raise the limit with --memory-limit.")


def packed(tmp_path, packing, content=b"a,b\n1,2\n", fill=b"x", size=LARGE):
    """A small file that unpacks to some lines and then to one very long line."""
    path = tmp_path / f"line.csv.{packing}"
    opened = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}[packing]
    options = {"preset": 0} if packing == "xz" else {"compresslevel": 1}
    with opened(path, "wb", **options) as stream:
        stream.write(content)
        for _ in range(size // 10**6):
            stream.write(fill * 10**6)
    return path


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz"])
def test_a_packed_line_that_is_longer_than_the_limit_allows(refused, tmp_path, packing):
    path = packed(tmp_path, packing)
    for command in ("compare {}", "score {} -t a -p b"):
        line = refused(*words(command, path), "--memory-limit", "200MB")
        assert "line 3 of" in line
        assert "is longer than 6.25 MB, which is too long for the limit of 200 MB" in line
        assert line.endswith("raise the limit with --memory-limit.")


def test_a_line_packed_by_zstandard(refused, tmp_path):
    path = tmp_path / "line.csv.zst"
    with duckdb.connect() as connection:
        rows = "SELECT repeat('x', 50_000_000) AS a, 1 AS b"
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT csv, COMPRESSION zstd)")
    assert path.stat().st_size < 10**6
    for command in ("compare {}", "tune {}", "score {} -t a -p b"):
        line = refused(*words(command, path))
        assert "line 2 of" in line
        assert "unpack the file first" in line


def test_a_long_line_packed_by_zstandard_is_not_lost(run, tmp_path):
    path = tmp_path / "line.csv.zst"
    with duckdb.connect() as connection:
        rows = "SELECT 'y' AS a, 1 AS b FROM range(2000) UNION ALL SELECT repeat('x', 50000000), 2"
        connection.execute(f"COPY ({rows}) TO '{path}' (FORMAT csv, COMPRESSION zstd)")
    ran = run("score", path, "-t", "a", "-p", "b")
    assert ran.code == 2
    assert "line 2,002 of" in ran.err


def test_a_row_between_quotes_goes_over_many_lines(refused, tmp_path):
    path = packed(tmp_path, "gz", b'a,b\n1,"', b"xxxxxxxx\n", 10**6)
    line = refused("compare", path, "--memory-limit", "50MB")
    assert "is longer than 1.56 MB" in line


def test_a_line_of_a_file_with_a_hole(tmp_path):
    path = tmp_path / "hole.csv"
    with open(path, "wb") as stream:
        stream.write(b"a,b\n1,2\n" * 20_000)
        stream.truncate(8 * GIGABYTE)
    ((code, lines),) = guarded([["compare", path]])
    assert code == 2, lines
    (line,) = lines
    assert "line 40,001 of" in line


def test_json_with_a_very_long_line(refused, tmp_path):
    path = tmp_path / "line.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(b'{"a": 1, "b": 2}\n{"a": "')
        for _ in range(100):
            stream.write(b"x" * 10**6)
        stream.write(b'", "b": 2}\n')
    assert "has a JSON object of more than 16.8 MB" in refused("compare", path)
    assert "--memory-limit" in refused("compare", path, "--memory-limit", "1GB")


def test_a_parquet_file_with_a_very_long_value(refused, tmp_path):
    import polars as pl

    path = tmp_path / "value.parquet"
    rows = {"a": ["x" * 10**8, "y"], "b": [1, 2]}
    pl.DataFrame(rows).write_parquet(path, compression="zstd")
    assert path.stat().st_size < 10**6
    line = refused("compare", path, "--memory-limit", "50MB")
    assert "more" in line
    assert "the limit of 50 MB" in line
    assert line.endswith("raise the limit with --memory-limit.")


@pytest.mark.parametrize("name", ["bomb.arrow", "bomb.feather"])
def test_an_arrow_file_that_unpacks_to_more_than_the_limit(run, refused, tmp_path, name):
    pa = pytest.importorskip("pyarrow")
    path, options = tmp_path / name, pa.ipc.IpcWriteOptions(compression="zstd")
    opened = pa.ipc.new_file if name.endswith("arrow") else pa.ipc.new_stream
    kinds = pa.array(["a", "b"] * 500_000).dictionary_encode()
    table = pa.table({"y": kinds, "c": np.zeros(10**6), "d": np.zeros(10**6)})
    with opened(str(path), table.schema, options=options) as writer:
        writer.write_table(table)
    assert path.stat().st_size < 10**6
    line = refused("score", path, "-t", "y", "-p", "c", "--memory-limit", "10MB")
    assert "unpacked would take 20 MB of memory" in line
    assert run("score", path, "-t", "y", "-p", "c", "-m", "rand").code == 0


@pytest.mark.parametrize(
    ("rows", "said"), [(170_000, "columns would take"), (2_000_000, "takes more memory than")]
)
def test_more_rows_than_the_limit_allows(refused, tmp_path, rows, said):
    path = tmp_path / "rows.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(b"x,y\n")
        stream.write(b"1.5,2\n" * rows)
    line = refused("tune", path, "--memory-limit", "2MB")
    assert said in line
    assert line.endswith("raise the limit with --memory-limit.")


def test_more_labelings_than_distances_fit(tmp_path):
    path = tmp_path / "many.npy"
    np.save(path, np.arange(3)[:, None].repeat(20_000, axis=1))
    ((code, (line,)),) = guarded([["compare", path]])
    assert code == 2
    assert "the distances between 20,000 labelings would take 3.2 GB of memory" in line
    assert line.endswith("; compare fewer labelings, or raise the limit with --memory-limit.")


def test_an_algorithm_that_holds_all_distances(refused, tmp_path):
    np.save(tmp_path / "points.npy", np.random.default_rng(0).normal(size=(5_000, 2)))
    line = refused("tune", tmp_path / "points.npy", "-e", "ward", "--memory-limit", "100MB")
    assert "a fit of 'ward' to 5,000 points would take 200 MB of memory" in line


def test_a_measure_that_takes_too_much_has_no_value(run, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "p.npz", X=rng.normal(size=(6_000, 2)), y=np.arange(6_000) // 2)
    ran = run("score", tmp_path / "p.npz", "-p", "y", "-m", "gdi,ssq", "--memory-limit", "200MB")
    assert ran.code == 0
    assert "more than the limit of 200 MB" in " ".join(ran.out.split())


def test_too_many_resamples(refused, tmp_path):
    path = tmp_path / "wide.csv"
    rows = [f"{k % 61},{k % 59}" for k in range(2_500)]
    path.write_text("\n".join(["y,c", *rows, ""]))
    call = ("score", path, "-t", "y", "-p", "c", "--confidence", "0.95")
    assert "would take" in refused(*call, "--resamples", 10**15)


def test_a_limit_that_is_too_small_for_grouping(refused, tmp_path):
    import polars as pl

    path = tmp_path / "groups.parquet"
    pl.DataFrame({"y": range(500_000), "c": range(500_000)}).write_parquet(path)
    line = refused("score", path, "-t", "y", "-p", "c", "--memory-limit", "1MB")
    assert "takes more memory than the limit of 1 MB" in line
    assert line.endswith("raise the limit with --memory-limit.")


def test_the_limit_goes_with_two_files_of_labels(run, file):
    truth, pred = file("a\na\nb\n", "truth.txt"), file("0\n0\n1\n", "pred.txt")
    with_limit = run("score", truth, pred, "-m", "rand", "--memory-limit", "1GB")
    assert with_limit == run("score", truth, pred, "-m", "rand")


def test_what_still_exhausts_the_memory_gets_one_sentence(monkeypatch, refused, table):
    import clustervet.scorecard.score_files as room

    for error in (MemoryError("Unable to allocate"), RuntimeError("can't start new thread")):

        def fail(*_, raised=error, **__):
            raise raised

        monkeypatch.setattr(room, "score_files", fail)
        assert "not enough memory" in refused("score", table, "-t", "kind", "-p", "kmeans")
