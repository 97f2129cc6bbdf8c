from __future__ import annotations

import gzip

import pytest

from clustervet.contingency.files import read_tables
from clustervet.frames import places, text
from clustervet.frames.places import LIGHT, find_place

ROWS = b"a,1\n" * (LIGHT // 4)


@pytest.mark.parametrize(
    ("name", "content", "light"),
    [
        ("t.csv", b"y,c\na,1\n", True),
        ("t.csv", b"y,c\n" + ROWS, False),
        ("t.csv.gz", gzip.compress(b"y,c\na,1\n"), True),
        ("t.csv.gz", gzip.compress(ROWS), True),
        ("t.csv.gz", gzip.compress(b"y,c\n" + ROWS), False),
        ("t.csv.gz", gzip.compress(b"y,c\n") + 100 * gzip.compress(ROWS), False),
        ("t.csv.gz", gzip.compress(b"y,c\n" + ROWS)[:-20], True),
        ("t.csv.gz", gzip.compress(b"y,c\na,1\n")[:-5], True),
    ],
    ids=["text", "long", "packed", "edge", "beyond", "many", "cut", "cut short"],
)
def test_packed_text_is_light_by_what_it_holds(tmp_path, name, content, light):
    """A megabyte of gzip with 268 million rows was read by Python, for minutes."""
    path = tmp_path / name
    path.write_bytes(content)
    assert find_place(path).is_light == light


def test_long_packed_text_is_read_by_the_engine(tmp_path, monkeypatch):
    monkeypatch.setattr(places, "LIGHT", 1_000)
    monkeypatch.setattr(text.TextFile, "read", None)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"y,c\n" + b"a,1\nb,2\n" * 1_000))
    (table,) = read_tables(str(path), "y", ["c"]).values()
    assert table.class_sizes.tolist() == [1_000, 1_000]
