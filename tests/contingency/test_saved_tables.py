from __future__ import annotations

import errno
import json
import math
import os
import subprocess
import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clustervet import ClustervetError, Contingency
from clustervet.contingency import saved
from clustervet.contingency.saved import is_saved_table, merge_tables
from clustervet.frames.duck import system_error

FORMS = ["json", "parquet"]
LABELS = [
    *(0, -(2**63), 2**80, True, "", "1", "a'b;\n\0", "\ud800", "日本", None, 0.5, math.inf),
    *(date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5, 6), time(1, 2), timedelta(1, 2, 3)),
    *(Decimal("1.50"), UUID(int=7), b"\x00\xff", ("a", 1, None), np.datetime64(1, "ns")),
    *(np.datetime64(7, "10ns"), np.timedelta64(7, "25ps"), ("a", (b"b", 0.5)), Decimal("1E+9999")),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("label", LABELS, ids=repr)
def test_labels_keep_value_and_type(tmp_path, form, label):
    table = Contingency.from_counts({(label, "c"): 2, ("other", 7): 3})
    path = tmp_path / f"t.{form}"
    table.save(path)
    back = Contingency.load(path)
    assert back == table
    assert back.class_names == table.class_names
    assert [type(name) for name in back.class_names] == [type(x) for x in table.class_names]
    assert is_saved_table(str(path))
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "counts", [[1, 2], [2**63, 10**40], [0.1, 1 / 3], [1e-300, 1e100], [2**62, 2**62]]
)
def test_counts_keep_every_digit(tmp_path, form, counts):
    table = Contingency.from_counts([counts])
    table.save(tmp_path / f"t.{form}")
    back = Contingency.load(tmp_path / f"t.{form}")
    assert back.cells.values.tolist() == counts
    assert back.cells.values.dtype == table.cells.values.dtype


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.tuples(st.one_of(st.integers(), st.text(max_size=3)), st.integers(0, 4)),
        st.integers(1, 2**70),
        min_size=1,
    ),
    st.sampled_from(FORMS),
)
def test_any_table_comes_back(tmp_path, counts, form):
    table = Contingency.from_counts(counts)
    table.save(tmp_path / f"t.{form}")
    back = Contingency.load(tmp_path / f"t.{form}")
    assert back == table
    assert (back.class_names, back.cluster_names) == (table.class_names, table.cluster_names)


@pytest.mark.parametrize("form", FORMS)
def test_shards_merge_into_the_table_of_the_whole(tmp_path, form):
    rng = np.random.default_rng(1)
    truth, pred = rng.integers(0, 9, 3_000), rng.choice(["a", "b", None], 3_000)
    whole = Contingency.from_labels(truth, pred, missing="class")
    shards = []
    for k in range(7):
        part = slice(k * 429, (k + 1) * 429)
        path = tmp_path / f"{k}.{form}"
        Contingency.from_labels(truth[part], pred[part], missing="class").save(path)
        shards.append(Contingency.load(path))
    assert merge_tables(shards) == whole
    assert sum(shards) == whole
    with pytest.raises(ClustervetError, match=r"^there is no table to merge\.$"):
        merge_tables([])


@pytest.mark.parametrize("form", FORMS)
def test_singletons_stay_apart(tmp_path, form):
    table = Contingency.from_labels([1, 1, 2], [-1, -1, 0], noise="singletons")
    table.save(tmp_path / f"t.{form}")
    back = Contingency.load(tmp_path / f"t.{form}")
    assert back.shape == table.shape == (2, 3)
    assert (back + Contingency.load(tmp_path / f"t.{form}")).shape == (2, 5)
    assert [repr(name) for name in back.cluster_names] == [
        repr(name) for name in table.cluster_names
    ]


def test_a_saved_table_is_readable_by_others(tmp_path):
    Contingency.from_labels(["a", "b", "b"], [0, 0, 1]).save(tmp_path / "t.parquet")
    frame = pl.read_parquet(tmp_path / "t.parquet")
    assert frame.select("class", "cluster", "count").rows() == [
        ("a", 0, 1),
        ("b", 0, 1),
        ("b", 1, 1),
    ]


class TestRefusals:
    """Files that are no tables, or no longer the ones that were saved."""

    def refusal(self, path):
        with pytest.raises(ClustervetError) as caught:
            Contingency.load(path)
        assert str(caught.value).endswith(".")
        return str(caught.value)

    @pytest.mark.parametrize(
        "change",
        [
            {"version": 2},
            {"version": None},
            {"cells": [[0, 0, 9], [1, 0, 1], [1, 1, 1]]},
            {"classes": ["a", "c"]},
            {"clusters": [0, "1"]},
            {"cells": [[0, 0]]},
            {"cells": 7},
            {"whole": False},
            {"checksum": "sha256:0"},
        ],
        ids=str,
    )
    def test_json_that_was_changed(self, tmp_path, change):
        path = tmp_path / "t.json"
        Contingency.from_labels(["a", "b", "b"], [0, 0, 1]).save(path)
        data = json.loads(path.read_text()) | change
        path.write_text(json.dumps(data))
        said = self.refusal(path)
        assert "version" in said if "version" in change else "changed" in said

    def test_parquet_that_was_changed(self, tmp_path):
        import pyarrow.parquet as pq

        path = tmp_path / "t.parquet"
        Contingency.from_labels(["a", "b", "b"], [0, 0, 1]).save(path)
        table = pq.read_table(path)
        wrong = table.set_column(2, "count", [[1, 1, 2]])
        pq.write_table(wrong.cast(table.schema), path)
        assert "changed since it was saved" in self.refusal(path)
        about = json.loads(table.schema.metadata[b"clustervet"])
        newer = json.dumps(about | {"version": 9}).encode()
        pq.write_table(table.replace_schema_metadata({b"clustervet": newer}), path)
        assert "version 9; this clustervet reads version 1" in self.refusal(path)
        pq.write_table(table.slice(1), path)
        assert "changed" in self.refusal(path)

    def test_what_is_no_saved_table(self, tmp_path):
        pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "t.parquet")
        assert "is not a saved table" in self.refusal(tmp_path / "t.parquet")
        assert not is_saved_table(str(tmp_path / "t.parquet"))
        (tmp_path / "t.json").write_text('{"a": 1}')
        assert "is not a saved table" in self.refusal(tmp_path / "t.json")
        assert "No such file" in self.refusal(tmp_path / "nowhere.json")

    def test_what_cannot_be_read_or_held(self, tmp_path, monkeypatch):
        def exhausted(*_arguments):
            raise MemoryError

        path = tmp_path / "t.json"
        Contingency.from_labels([1], [1]).save(path)
        monkeypatch.setattr(saved, "_table", exhausted)
        assert self.refusal(path) == f"{path} is a saved table that does not fit into memory."
        (tmp_path / "m.json").symlink_to("/proc/self/mem")  # whose first bytes cannot be read
        assert is_saved_table(str(tmp_path / "m.json")) is False

    def test_half_a_file(self, tmp_path):
        table = Contingency.from_labels(["a", "b", "b"], [0, 0, 1])
        for form in FORMS:
            path = tmp_path / f"t.{form}"
            table.save(path)
            path.write_bytes(path.read_bytes()[:-15])
            self.refusal(path)

    def test_a_label_that_no_file_holds(self, tmp_path):
        table = Contingency.from_counts({(frozenset("a"), 0): 1})
        for form in FORMS:
            with pytest.raises(ClustervetError, match="of type frozenset cannot be saved"):
                table.save(tmp_path / f"t.{form}")
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("form", FORMS)
    def test_what_python_cannot_write(self, tmp_path, form):
        deep: tuple = ()
        for _ in range(5_000):
            deep = (deep,)
        for counts in ([[10**5_000]], {(10**5_000, 0): 1}, {(deep, 0): 1}):
            with pytest.raises(ClustervetError, match="such a table cannot be saved"):
                Contingency.from_counts(counts).save(tmp_path / f"t.{form}")
        assert os.listdir(tmp_path) == []

    def test_where_nothing_can_be_saved(self, tmp_path):
        table = Contingency.from_labels([1], [1])
        with pytest.raises(ClustervetError, match=r"to a \.parquet or \.json file, not to"):
            table.save(tmp_path / "t.csv")
        with pytest.raises(ClustervetError, match="cannot be written: No such file"):
            table.save(tmp_path / "nowhere" / "t.json")


FULL = """
import resource, signal, sys
import clustervet as cv

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
table = cv.Contingency.from_labels([f"class {k}" for k in range(30_000)], range(30_000))
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    table.save(sys.argv[1])
except cv.ClustervetError as error:
    print(error)
"""


@pytest.mark.parametrize("form", FORMS)
def test_a_full_disk_is_said_of_the_file_that_was_asked_for(tmp_path, form):
    """The limit of a file's size stands for the limit of a disk; both fail in the same call."""
    path = tmp_path / f"t.{form}"
    path.write_text("what was there")
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout == f"{path} cannot be written: File too large.\n"
    assert os.listdir(tmp_path) == [path.name]
    assert path.read_text() == "what was there"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ('{"exception_type":"IO","exception_message":"Could not","errno":"28"}', errno.ENOSPC),
        ("IO Error: Could not write /tmp/x/table.parquet: Input/output error", errno.EIO),
    ],
)
def test_what_the_system_said_is_found_in_what_the_engine_said(said, reason):
    assert system_error(said) == (reason, os.strerror(reason))


def test_what_only_the_engine_said_is_passed_on():
    said = "IO Error: the disk is upside down.\nmore"
    assert system_error(said) == (errno.EIO, "IO Error: the disk is upside down")
