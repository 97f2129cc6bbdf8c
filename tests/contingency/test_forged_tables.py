"""Saved tables that somebody has changed, most of them with a checksum that fits."""

from __future__ import annotations

import hashlib
import json
import math
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clustervet import ClustervetError, Contingency
from clustervet.frames import duck

TABLE = Contingency.from_labels([*"abbc"], [0, 0, 1, 1])
REAL = Contingency.from_counts([[0.5, 0.0], [1.25, 3.0]], class_names=["a", "b"])
DEEP = 200_000
QUICK = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def checksum(classes, clusters, rows, cols, counts):
    """The checksum of a saved table, computed as anyone can."""
    found = hashlib.sha256()
    for names in (classes, clusters):
        found.update(json.dumps(names, separators=(",", ":")).encode())
    for places in (rows, cols):
        found.update(np.array(places, "<i8").tobytes())
    if any(isinstance(count, float) for count in counts):
        found.update(b"real" + np.array(counts, "<f8").tobytes())
    else:
        found.update(b"whole" + b",".join(str(int(count)).encode() for count in counts))
    return f"sha256:{found.hexdigest()}"


def sealed(data):
    """The same with a checksum that fits, where there can be one."""
    try:
        rows, cols, counts = ([cell[at] for cell in data["cells"]] for at in range(3))
        fits = checksum(data["classes"], data["clusters"], rows, cols, counts)
    except (LookupError, TypeError, ValueError, OverflowError):
        return data
    return data | {"checksum": fits}


def saved(tmp_path, table=TABLE):
    path = tmp_path / "t.json"
    table.save(path)
    return path, json.loads(path.read_text())


def loaded(path):
    """The table of a file, or the one sentence by which it is refused."""
    try:
        return Contingency.load(path)
    except ClustervetError as error:
        return str(error)


def refusal(path):
    said = loaded(path)
    assert said.endswith(".")
    assert said.isprintable()
    return said


def cells(*found):
    return {"cells": [list(cell) for cell in found]}


A, B, C, D = (0, 0, 1), (1, 0, 1), (1, 1, 1), (2, 1, 1)
FORGED = {
    "negative": (cells((0, 0, -1), B, C, D), "must not be negative; one is -1"),
    "zero": (cells(A, (1, 0, 0), C, D), "must be positive; one is 0"),
    "fraction": (cells((0, 0, 1.5), B, C, D), "a count is not a whole number"),
    "whole float": (cells((0, 0, 1.0), B, C, D), "a count is not a whole number"),
    "float beyond all": (cells((0, 0, 1e308), B, C, D), "a count is not a whole number"),
    "boolean": (cells((0, 0, True), B, C, D), "a count is not a whole number"),
    "text": (cells((0, 0, "1"), B, C, D), "a count is not a whole number"),
    "null": (cells((0, 0, None), B, C, D), "a count is not a whole number"),
    "cell twice": (cells(A, B, C, C, D), "cell 4 is listed twice or out of order"),
    "rows unsorted": (cells(A, C, B, D), "cell 3 is listed twice or out of order"),
    "all unsorted": (cells(D, A, B, C), "cell 2 is listed twice or out of order"),
    "row beyond": (cells(A, B, C, (3, 1, 1)), "cell 4 lies in class 3, and there are 3"),
    "column beyond": (cells(A, B, C, (2, 2, 1)), "cell 4 lies in cluster 2, and there are 2"),
    "row below": (cells((-1, 0, 1), A, B, C, D), "cell 1 lies in class -1"),
    "column below": (cells((0, -1, 1), A, B, C, D), "cell 1 lies in cluster -1"),
    "row beyond any": (cells(A, B, C, (2**70, 1, 1)), "it does not hold a whole table"),
    "place of text": (cells(A, B, C, ("2", 1, 1)), "row or column of a cell is not a whole"),
    "place of float": (cells(A, B, C, (2.0, 1, 1)), "row or column of a cell is not a whole"),
    "place of bool": (cells(A, (True, 0, 1), C, D), "row or column of a cell is not a whole"),
    "cell of two": (cells(A, B, C, (2, 1)), "a cell is not a row, a column and a count"),
    "cell of four": (cells(A, B, C, (2, 1, 1, 1)), "a cell is not a row, a column and a count"),
    "cell of text": ({"cells": ["001", "101"]}, "a cell is not a row, a column and a count"),
    "no cells": ({"cells": []}, "the table is empty"),
    "nothing": ({"cells": [], "classes": [], "clusters": []}, "the table is empty"),
    "names alike": ({"classes": [*"aab"]}, "class names must differ; 'a' is there twice"),
    "clusters alike": ({"clusters": [1, True]}, "cluster names must differ; 'True' is there"),
    "NaN twice": ({"clusters": [{"float": "nan"}] * 2}, "cluster names must differ; 'nan'"),
    "a name too many": ({"classes": [*"abcd"]}, "class 3, counted from 0, has no cell"),
    "a name too few": ({"classes": [*"ab"]}, "cell 4 lies in class 2, and there are 2"),
    "names of text": ({"classes": "abc"}, "the value of 'classes' is of another type"),
    "list as name": ({"classes": ["a", "b", ["c"]]}, "is not a label"),
    "float as name": ({"classes": ["a", "b", 1.5]}, "the name '1.5' is not a label"),
    "unknown kind": ({"classes": ["a", "b", {"odd": 1}]}, "it does not hold a whole table"),
    "two kinds": ({"classes": ["a", "b", {"float": "1.0", "x": 0}]}, "not hold a whole table"),
    "spelled oddly": ({"classes": ["a", "b", {"float": "1"}]}, "is not a label"),
    "number for text": ({"classes": ["a", "b", {"float": 1.5}]}, "is not a label"),
    "list in a tuple": ({"classes": ["a", "b", {"tuple": [[1]]}]}, "is not a label"),
    "no hash": ({"classes": ["a", "b", {"decimal": "sNaN"}]}, "must be a sequence of plain"),
    "no decimal": ({"classes": ["a", "b", {"decimal": "x"}]}, "it does not hold a whole table"),
    "no date": ({"classes": ["a", "b", {"date": "2020-02-31"}]}, "not hold a whole table"),
    "no span": ({"classes": ["a", "b", {"timedelta": [10**9, 0, 0]}]}, "not hold a whole table"),
    "no unit": ({"classes": ["a", "b", {"datetime64": [1, "ages"]}]}, "not hold a whole table"),
    "coarse unit": ({"classes": ["a", "b", {"datetime64": [1, "D"]}]}, "is not a label"),
    "whole as text": ({"whole": "yes"}, "the value of 'whole' is of another type"),
    "checksum of none": ({"checksum": None}, "the value of 'checksum' is of another type"),
    "version true": ({"version": True}, "is a table of version True"),
    "version real": ({"version": 1.0}, "is a table of version 1.0"),
    "version text": ({"version": "1"}, "is a table of version '1'; this clustervet reads"),
    "version next": ({"version": 2}, "is a table of version 2"),
    "format": ({"format": "clustervet/tables"}, "is not a saved table"),
    "more keys": ({"note": 1}, "it has the key 'note'"),
    "not whole": ({"whole": False}, "a count is not a real number"),
}


@pytest.mark.parametrize(("change", "message"), FORGED.values(), ids=FORGED)
def test_json_that_no_table_is_saved_as(tmp_path, change, message):
    path, data = saved(tmp_path)
    path.write_text(json.dumps(sealed(data | change) | change))
    assert message in refusal(path)


@pytest.mark.parametrize("key", ["version", "checksum", "whole", "classes", "clusters", "cells"])
def test_json_that_lacks_a_key(tmp_path, key):
    path, data = saved(tmp_path)
    path.write_text(json.dumps({name: held for name, held in data.items() if name != key}))
    assert ("version None" if key == "version" else f"lacks the key '{key}'") in refusal(path)


@pytest.mark.parametrize(
    ("count", "message"),
    [
        (math.nan, "it holds NaN"),
        (math.inf, "it holds Infinity"),
        (-0.5, "must not be negative; one is -0.5"),
        (0.0, "must be positive; one is 0"),
        (1e308, "must sum to less than 1e+150"),
        (1, "a count is not a real number"),
    ],
)
def test_real_weights_that_no_table_has(tmp_path, count, message):
    path, data = saved(tmp_path, REAL)
    data["cells"][0][2] = count
    path.write_text(json.dumps(sealed(data)))
    assert message in refusal(path)
    path.write_text(json.dumps(sealed(data)).replace("NaN", "1e999"))
    refusal(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"whole"', '"cells": [], "whole"', "a key is there twice"),
        ('"a"', "[" * DEEP + "]" * DEEP, "values are nested too deeply"),
        ('"a"', '{"tuple": [' * DEEP + "]}" * DEEP, "values are nested too deeply"),
        ('"a"', '{"noise": ' * 900 + "1" + "}" * 900, "values are nested too deeply"),
        ('"a"', "1" * 5_000, "it does not hold a whole table"),
        ("[0, 0, 1]", f"[0, 0, {'1' * 5_000}]", "it does not hold a whole table"),
        ("[0, 0, 1]", "[0, 0, 1e999]", "a count is not a whole number"),
        ("}", "", "it does not hold a whole table"),
        ("}", "} ]", "it does not hold a whole table"),
    ],
    ids=range(9),
)
def test_text_that_no_table_is_saved_as(tmp_path, old, new, message):
    path, _ = saved(tmp_path)
    path.write_text(path.read_text().replace(old, new, 1))
    assert message in refusal(path)


def test_files_that_are_no_text(tmp_path):
    path, _ = saved(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"a"', b'"\xff"'))
    assert "is not a saved table" in refusal(path)
    path.write_bytes(data[:-40])
    assert "it does not hold a whole table" in refusal(path)
    path.write_text(f'["clustervet/table", {data.decode()}]')
    assert "is not a saved table" in refusal(path)
    os.mkdir(tmp_path / "folder.json")
    assert "is not a saved table" in refusal(tmp_path / "folder.json")
    os.symlink("/dev/zero", tmp_path / "endless.json")
    assert "is not a saved table" in refusal(tmp_path / "endless.json")
    assert "No such file" in refusal(f"{path}\0.parquet")


def test_a_surrogate_on_its_own_is_a_name(tmp_path):
    path, data = saved(tmp_path)
    path.write_text(json.dumps(sealed(data | {"classes": ["a", "b", "\ud800"]})))
    assert Contingency.load(path).class_names == ["a", "b", "\ud800"]


def test_a_checksum_that_does_not_fit(tmp_path):
    path, data = saved(tmp_path)
    data["cells"][0][2] = 2
    path.write_text(json.dumps(data))
    assert "its checksum does not fit its counts" in refusal(path)


# Parquet: columns are changed as Arrow tables, the note beside them as JSON.


def forge(path, change, note=None):
    """Write the table again with other columns, other notes and a checksum that fits."""
    held = pq.read_table(path)
    about = json.loads(held.schema.metadata[b"clustervet"]) | (note or {})
    held = change(held)
    columns = held.to_pydict()
    try:
        names = [
            list(dict(sorted(zip(columns[at], columns[side], strict=True))).values())
            for at, side in (("row", "class"), ("col", "cluster"))
        ]
        places = columns["row"], columns["col"]
        about |= {"checksum": checksum(*names, *places, columns["count"])} | (note or {})
    except (KeyError, TypeError, ValueError, OverflowError):
        pass
    metadata = {b"clustervet": json.dumps(about).encode()}
    pq.write_table(held.replace_schema_metadata(metadata), path)


def put(name, values, kind=None):
    def change(held):
        column = pa.array(values, kind or held.schema.field(name).type)
        return held.set_column(held.schema.get_field_index(name), name, column)

    return change


FORGED_COLUMNS = {
    "negative": (put("count", [-1, 1, 1, 1]), None, "must not be negative; one is -1"),
    "zero": (put("count", [0, 1, 1, 1]), None, "must be positive; one is 0"),
    "fractions": (put("count", [1.5, 1, 1, 1], pa.float64()), None, "in other types"),
    "reals": (
        *(put("count", [1e308, 1e308, 1, 1], pa.float64()), {"count": "real"}),
        "must sum to less than 1e+150",
    ),
    "NaN": (
        *(put("count", [math.nan, 1, 1, 1], pa.float64()), {"count": "real"}),
        "there is a NaN among them",
    ),
    "infinity": (
        *(put("count", [math.inf, 1, 1, 1], pa.float64()), {"count": "real"}),
        "there is an infinity among them",
    ),
    "texts": (put("count", ["1"] * 4, pa.string()), None, "in other types"),
    "odd texts": (
        *(put("count", ["1", "1_0", "1", "1"], pa.string()), {"count": "large"}),
        "the count '1_0' is not a whole number",
    ),
    "no texts": (
        *(put("count", ["1", "x", "1", "1"], pa.string()), {"count": "large"}),
        "it does not hold a whole table",
    ),
    "missing count": (put("count", [None, 1, 1, 1]), None, "has missing values"),
    "missing row": (put("row", [None, 1, 1, 2]), None, "has missing values"),
    "missing name": (put("class", ["a", "b", None, "c"]), None, "has missing values"),
    "row beyond": (put("row", [0, 1, 1, 7]), None, "lies in class 7, and there are 3"),
    "row below": (put("row", [-1, 1, 1, 2]), None, "lies in class -1"),
    "row far beyond": (put("row", [0, 1, 1, 2**62]), None, "lies in class 4,611,"),
    "column beyond": (put("col", [0, 0, 9, 9]), None, "lies in cluster 9"),
    "cell twice": (put("col", [0, 1, 1, 1]), None, "two values of cluster for one col"),
    "other names": (put("class", ["a", "b", "x", "c"]), None, "two values of class for one row"),
    "names alike": (put("class", ["a", "b", "b", "b"]), None, "class names must differ; 'b'"),
    "unsorted": (lambda held: held.take([3, 0, 1, 2]), None, "cell 2 is listed twice or out of"),
    "twice": (lambda held: held.take([0, 0, 1, 2, 3]), None, "cell 2 is listed twice or out of"),
    "none": (lambda held: held.slice(0, 0), {"shape": [0, 0]}, "the table is empty"),
    "one column less": (lambda held: held.drop(["class"]), None, "has other columns than class"),
    "one column more": (
        *(lambda held: held.append_column("note", held["row"]), None),
        "has other columns than class",
    ),
    "narrow rows": (put("row", [0, 1, 1, 2], pa.int32()), None, "in other types"),
    "shape": (lambda held: held, {"shape": [3, 3]}, "its shape does not fit its names"),
    "shape of text": (lambda held: held, {"shape": ["3", 2]}, "its shape does not fit its names"),
    "shape of floats": (lambda held: held, {"shape": [3.0, 2]}, "its shape does not fit"),
    "form": (lambda held: held, {"class": "odd"}, "the value of 'class' is 'odd'"),
    "form of a list": (lambda held: held, {"class": ["text"]}, "of another type"),
    "more keys": (lambda held: held, {"cells": [[0, 0, 1]]}, "it has the key 'cells'"),
    "version": (lambda held: held, {"version": True}, "is a table of version True"),
    "checksum": (lambda held: held, {"checksum": "sha256:0"}, "its checksum does not fit"),
    "names in JSON": (
        *(put("class", ["1", "[", "[", "2"]), {"class": "json"}),
        "it does not hold a whole table",
    ),
}


@pytest.mark.parametrize(("change", "note", "message"), FORGED_COLUMNS.values(), ids=FORGED_COLUMNS)
def test_parquet_that_no_table_is_saved_as(tmp_path, change, note, message):
    path = tmp_path / "t.parquet"
    TABLE.save(path)
    forge(path, change, note)
    assert message in refusal(path)


def test_a_forged_checksum_fits(tmp_path):
    """What the tests above rest on."""
    path, data = saved(tmp_path)
    assert sealed(data) == data
    data["cells"][0][2] = 5
    path.write_text(json.dumps(sealed(data)))
    assert Contingency.load(path).n == 8
    TABLE.save(tmp_path / "t.parquet")
    forge(tmp_path / "t.parquet", put("count", [5, 1, 1, 1]))
    assert Contingency.load(tmp_path / "t.parquet").n == 8


def test_counts_in_parquet_whose_sum_exceeds_64_bits(tmp_path):
    path = tmp_path / "t.parquet"
    TABLE.save(path)
    forge(path, put("count", [2**63 - 1] * 4))
    assert Contingency.load(path).n == 4 * (2**63 - 1)


def test_a_small_file_that_claims_much_is_refused_before_it_is_read(tmp_path, monkeypatch):
    """Columns that repeat one value, or one long text, take next to nothing in a file."""
    path = tmp_path / "t.parquet"
    TABLE.save(path)
    about = pq.read_table(path).schema.metadata
    zeros = pa.array(np.zeros(200_000, np.int64))

    def write(rows, name):
        same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([name]))
        some = zeros.slice(0, rows)
        columns = {"class": same, "cluster": some, "count": some, "row": some, "col": some}
        columns["row"] = pa.array(np.arange(rows)) if rows < 10**4 else some
        pq.write_table(pa.table(columns).replace_schema_metadata(about), path, compression="zstd")

    write(5_000, "x" * 2**20)
    assert path.stat().st_size < 10**5
    assert "claims 5,243,000,000 bytes of rows and texts, which is more than" in refusal(path)
    write(200_000, "a")
    assert path.stat().st_size < 10**5
    monkeypatch.setattr(duck, "LEAST_ROOM", 2**20)
    assert "claims 4,800,000 bytes of rows and texts, which is more" in refusal(path)


def test_forged_statistics_of_a_column_change_nothing(tmp_path):
    """The engine trusts the smallest and largest value that a file claims, and crashed."""
    path = tmp_path / "t.parquet"
    rng = np.random.default_rng(0)
    table = Contingency.from_labels(rng.integers(0, 40, 2_000), rng.integers(0, 50, 2_000))
    table.save(path)
    held = path.read_bytes()
    largest, smallest = (39).to_bytes(8, "little"), bytes(8)
    claim = b"\x18\x08" + largest + b"\x18\x08" + smallest
    assert claim in held
    path.write_bytes(held.replace(claim, claim[:-8] + (4).to_bytes(8, "little")))
    code = "import clustervet, sys; print(clustervet.Contingency.load(sys.argv[1]).n)"
    ran = subprocess.run([sys.executable, "-c", code, path], capture_output=True, timeout=120)
    assert (ran.returncode, ran.stdout) == (0, b"2000\n"), ran.stderr


# Whatever is changed, the answer is the table or one refusal.


def equal_or_refused(path, table):
    found = loaded(path)
    assert (
        (found.endswith(".") and found.isprintable()) if isinstance(found, str) else found == table
    )


@QUICK
@given(st.data(), st.sampled_from(["json", "parquet"]))
def test_changed_bytes_give_the_table_or_a_refusal(tmp_path, data, form):
    path = tmp_path / f"t.{form}"
    TABLE.save(path)
    held = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(held) - 1))
        how = data.draw(st.sampled_from(["change", "insert", "cut", "end"]))
        if how == "change":
            held[at] = data.draw(st.integers(0, 255))
        elif how == "insert":
            held[at:at] = data.draw(st.binary(min_size=1, max_size=9))
        else:
            del held[at : at + 5 if how == "cut" else None]
        if not held:
            break
    path.write_bytes(held)
    equal_or_refused(path, TABLE)


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([2**31, 2**63, 10**400, -(2**64), 1e308, 1e-320, 0.5, math.nan, -math.inf])
    | st.text(max_size=3)
    | st.sampled_from(["a", "1", "\ud800", "sha256:0", "clustervet/table"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=2) | st.sampled_from(["float", "tuple", "noise", "decimal", "bytes"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=6,
)


def places_in(held, place=()):
    """The way to every value within JSON."""
    yield place
    if not isinstance(held, dict | list):
        return
    for key, value in held.items() if isinstance(held, dict) else enumerate(held):
        yield from places_in(value, (*place, key))


@QUICK
@given(st.data(), st.sampled_from([TABLE, REAL]))
def test_changed_json_gives_the_table_or_a_refusal(tmp_path, data, table):
    path, held = saved(tmp_path, table)
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from([at for at in places_in(held) if at]))
        inner = held
        for key in way:
            inner = inner[key]
        how = data.draw(st.sampled_from(["put", "put", "drop", "again"]))
        if how == "drop":
            del inner[last]
        elif how == "again" and isinstance(inner, list):
            inner.insert(last, inner[last])
        else:
            inner[last] = data.draw(ODD)
        if not held:
            break
    path.write_text(json.dumps(held))
    equal_or_refused(path, table)
    path.write_text(json.dumps(sealed(held)))
    found = loaded(path)
    if not isinstance(found, str):  # some table, and exactly the one that the file spells out
        assert found.cells.values.min() > 0
        assert [list(cell) for cell in zip(*listed(found), strict=True)] == held["cells"]


def listed(table):
    return table.cells.rows.tolist(), table.cells.cols.tolist(), table.cells.values.tolist()
