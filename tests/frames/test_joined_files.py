from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from clustervet import ClustervetError, Contingency
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
