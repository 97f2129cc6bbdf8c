from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clustervet import ClustervetError, Contingency, read_tables
from clustervet.contingency.grouped import table_of
from clustervet.frames import open_table

IDS = np.random.default_rng(0).permutation(500)
TRUTH = [f"class {i % 3}" for i in IDS]
PRED = [int(i) % 5 for i in IDS]
COLUMNS = {"truth": (0, "y"), "pred": (1, "c")}


def write(frame, path):
    kind = path.suffix
    if kind == ".npz":
        np.savez(path, **{name: np.array(frame[name].to_list()) for name in frame.columns})
    elif kind == ".csv":
        frame.write_csv(path)
    elif kind == ".jsonl":
        frame.write_ndjson(path)
    elif kind == ".arrow":
        frame.write_ipc(path)
    else:
        frame.write_parquet(path)
    return path


def joined(*paths, columns=COLUMNS, weights=None, sets=(("truth", "pred"),)):
    source = open_table(paths, id="id", memory_limit="500MB")
    found = source.groups([[columns[role] for role in one] for one in sets], weights)
    roles = {place: role for role, place in columns.items()}
    named = [
        replace(one, keys={roles[place]: keys for place, keys in one.keys.items()}) for one in found
    ]
    return named, source.unmatched


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("csv", "parquet"),
        ("parquet", "csv"),
        ("parquet", "parquet"),
        ("jsonl", "arrow"),
        ("arrow", "npz"),
        ("npz", "jsonl"),
    ],
)
def test_any_formats_are_joined(tmp_path, one, two):
    truth = write(pl.DataFrame({"id": IDS, "y": TRUTH}), tmp_path / f"truth.{one}")
    shuffled = pl.DataFrame({"c": PRED, "id": IDS}).reverse()[3:]
    extra = pl.DataFrame({"c": [9, 9], "id": [10_000, 10_001]})
    pred = write(pl.concat([shuffled, extra]), tmp_path / f"pred.{two}")
    (groups,), (unmatched,) = joined(truth, pred)
    expected = Contingency.from_labels(TRUTH[:-3], [str(c) for c in PRED[:-3]])
    found = table_of(groups.pair("truth", "pred")).to_dict()
    assert {(a, str(b)): n for (a, b), n in found.items()} == expected.to_dict()
    assert (unmatched.only_truth, unmatched.only_prediction) == (3, 2)


@pytest.mark.parametrize("dtype", [pl.Int8, pl.UInt64, pl.Float64, pl.String])
def test_ids_of_different_types_match_by_what_they_say(tmp_path, dtype):
    truth = write(pl.DataFrame({"id": [1, 2, 3], "y": ["a", "b", "b"]}), tmp_path / "t.parquet")
    ids = pl.Series("id", [3, 2, 1]).cast(dtype)
    pred = write(pl.DataFrame({"id": ids, "c": [0, 0, 1]}), tmp_path / "p.parquet")
    (groups,), (unmatched,) = joined(truth, pred)
    assert table_of(groups.pair("truth", "pred")).to_dict() == {("a", 1): 1, ("b", 0): 2}
    assert (unmatched.only_truth, unmatched.only_prediction) == (0, 0)


def test_three_files_and_weights(tmp_path):
    truth = write(pl.DataFrame({"id": IDS, "y": TRUTH, "w": IDS}), tmp_path / "t.parquet")
    first = write(pl.DataFrame({"id": IDS[5:], "c": PRED[5:]}), tmp_path / "a.csv")
    second = write(pl.DataFrame({"id": IDS[:-7], "c": TRUTH[:-7]}), tmp_path / "b.parquet")
    columns = {"truth": (0, "y"), "one": (1, "c"), "two": (2, "c")}
    sets = [("truth", "one"), ("truth", "two"), ("truth", "one", "two")]
    found, unmatched = joined(truth, first, second, columns=columns, sets=sets, weights=(0, "w"))
    one = Contingency.from_labels(TRUTH[5:], [str(c) for c in PRED[5:]], weights=IDS[5:])
    two = Contingency.from_labels(TRUTH[:-7], TRUTH[:-7], weights=IDS[:-7])
    assert table_of(found[0].pair("truth", "one")) == one
    assert table_of(found[1].pair("truth", "two")) == two
    assert int(found[2].counts.sum()) == len(IDS) - 12
    assert [one.only_truth for one in unmatched] == [5, 7]


def test_an_id_that_repeats_is_named(tmp_path):
    truth = write(pl.DataFrame({"id": [1, 2, 3], "y": ["a", "b", "b"]}), tmp_path / "t.parquet")
    pred = write(pl.DataFrame({"id": [7, 7, 7, 2, 2], "c": [0] * 5}), tmp_path / "p.csv")
    with pytest.raises(ClustervetError, match=r"id '7' stands 3 times in column 'id' of .*p\.csv"):
        joined(truth, pred)
    with pytest.raises(ClustervetError, match=r"id '7' stands 3 times"):
        joined(pred, truth, columns={"truth": (0, "c"), "pred": (1, "y")})


def test_an_empty_id_is_refused(tmp_path):
    truth = write(pl.DataFrame({"id": [1, None], "y": ["a", "b"]}), tmp_path / "t.parquet")
    pred = write(pl.DataFrame({"id": [1, 2], "c": [0, 1]}), tmp_path / "p.csv")
    with pytest.raises(ClustervetError, match=r"1 rows? without an id"):
        joined(truth, pred)


def test_files_without_rows_or_without_the_id(tmp_path):
    truth = write(pl.DataFrame({"id": [1, 2], "y": ["a", "b"]}), tmp_path / "t.parquet")
    none = write(pl.DataFrame({"id": [1], "c": [0]}).clear(), tmp_path / "none.parquet")
    with pytest.raises(ClustervetError, match=r"none\.parquet has no rows\.$"):
        joined(truth, none)
    for suffix in ("npz", "parquet"):
        other = write(pl.DataFrame({"ident": [1], "c": [0]}), tmp_path / f"p.{suffix}")
        with pytest.raises(ClustervetError, match=rf"p\.{suffix} has no column 'id'"):
            joined(truth, other)


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        (np.array([1, 2, 2], np.float32), {1: ["b"], 2: ["b", "a"]}),
        (np.array([True, False, False]), {True: ["b"], False: ["b", "a"]}),
        (np.array(["2020-01-01"] * 3, "M8[D]"), {datetime(2020, 1, 1): ["b", "b", "a"]}),
        (np.array(["é".encode(), b"x", b"x"]), {"é": ["b"], "x": ["b", "a"]}),
        (np.array([2**64 - 1, 0, 0], np.uint64), {2**64 - 1: ["b"], 0: ["b", "a"]}),
    ],
    ids=["floats", "booleans", "dates", "bytes", "large"],
)
def test_arrays_of_every_type_are_joined(tmp_path, clusters, expected):
    truth = write(pl.DataFrame({"id": [1, 2, 3], "y": ["a", "b", "b"]}), tmp_path / "t.parquet")
    np.savez(tmp_path / "p.npz", id=np.array([3, 2, 1]), c=clusters)
    (groups,), _ = joined(truth, tmp_path / "p.npz")
    pairs = [(label, name) for name, held in expected.items() for label in held]
    assert table_of(groups.pair("truth", "pred")).to_dict() == dict(Counter(pairs))


def test_columns_of_joined_files(tmp_path):
    truth = write(pl.DataFrame({"id": [1, 2], "y": [0, 1], "x": [1.0, 2.0]}), tmp_path / "t.csv")
    other = {"id": [2, 1], "c": [5, 6], "x": [1.0, 2.0], "gap": [None, 2.0]}
    pred = write(pl.DataFrame(other), tmp_path / "p.parquet")
    source = open_table([truth, pred], id="id")
    assert source.features(["y", "c"]).matrix.tolist() == [[0, 6], [1, 5]]
    with pytest.raises(
        ClustervetError, match=r"^column 'x' is in .*t\.csv and in .*p\.parquet; rename one\.$"
    ):
        source.labels(["x"])
    with pytest.raises(ClustervetError, match="has no column 'cc'; did you mean c"):
        source.groups([["y", "cc"]])
    with pytest.raises(
        ClustervetError,
        match=r"^column 'gap' of .*p\.parquet has no value in row 2 in the order of ids;",
    ):
        source.features(["gap"])
    with pytest.raises(ClustervetError, match=r"^only an NPZ file has arrays to choose from, not"):
        source.features(["c"], array="X")


@pytest.mark.parametrize(
    "text",
    ["id,c\n3,x\n2,y\r1,y\n", 'id,c\n3,x\n2,"y"\n1,y\r\n', 'id,c\n3,x\n2,y\n1,y\n"4,\n",\n'],
    ids=["a return alone", "ends of two kinds", "a delimiter at the end of a quoted line"],
)
def test_text_that_the_engine_misreads_is_joined_by_python(tmp_path, text):
    truth = write(pl.DataFrame({"id": ["1", "2", "3"], "y": [*"abb"]}), tmp_path / "t.parquet")
    (tmp_path / "p.csv").write_text(text, newline="")
    (groups,), _ = joined(truth, tmp_path / "p.csv")
    table = table_of(groups.pair("truth", "pred"))
    assert table.to_dict() == {("a", "y"): 1, ("b", "x"): 1, ("b", "y"): 1}


def test_damaged_pages_of_a_joined_file(tmp_path):
    truth = write(pl.DataFrame({"id": [1, 2], "y": ["a", "b"]}), tmp_path / "t.parquet")
    pages = pa.table({"id": range(5_000), "c": range(5_000)})
    pq.write_table(pages, tmp_path / "p.parquet", use_dictionary=False)
    held = (tmp_path / "p.parquet").read_bytes()
    (tmp_path / "p.parquet").write_bytes(held[:200] + b"\xff" * 6_000 + held[6_200:])
    for read in (joined, lambda *paths: read_tables(paths, "y", "c")):
        with pytest.raises(ClustervetError, match=r"p\.parquet is not a whole Parquet file: "):
            read(truth, tmp_path / "p.parquet")


def test_no_id_in_common(tmp_path):
    truth = write(pl.DataFrame({"id": [1, 2], "y": ["a", "b"]}), tmp_path / "t.parquet")
    pred = write(pl.DataFrame({"id": ["x1", "x2"], "c": [0, 1]}), tmp_path / "p.csv")
    with pytest.raises(ClustervetError, match=r"no id of .*p\.csv is in .*t\.parquet"):
        joined(truth, pred)


def test_a_broken_row_has_its_line(tmp_path):
    truth = write(pl.DataFrame({"id": [1, 2], "y": ["a", "b"]}), tmp_path / "t.parquet")
    pred = tmp_path / "p.csv"
    pred.write_text("id,c\n1,0\n2,1,\n")
    with pytest.raises(ClustervetError, match=r"line 3 of .*p\.csv"):
        joined(truth, pred)
