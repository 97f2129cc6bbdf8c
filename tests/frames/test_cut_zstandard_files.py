"""Files packed by Zstandard that are cut: DuckDB reads the rows before the cut and says nothing."""

from __future__ import annotations

import io
import os
import random

import pytest
import zstandard

from clustervet.errors import FileError
from clustervet.frames.places import find_place
from clustervet.scorecard.score_files import score_files

RNG = random.Random(0)
ROWS = "".join(f"{RNG.choice('abc')},{RNG.randrange(4)},{RNG.random()}\n" for _ in range(30_000))
TEXT = ("y,c,x\n" + ROWS).encode()
SKIPPED = b"\x50\x2a\x4d\x18\x05\x00\x00\x00hello"


def packed(data, **options):
    return zstandard.ZstdCompressor(**options).compress(data)


def streamed(data):
    """Many small blocks, and a frame that does not say how long it is."""
    held = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(held, closefd=False) as writer:
        for first in range(0, len(data), 5_000):
            writer.write(data[first : first + 5_000])
            writer.flush()
    return held.getvalue()


WHOLE = {
    "checksum": packed(TEXT, write_checksum=True),
    "no checksum": packed(TEXT, write_checksum=False),
    "no size": packed(TEXT, write_content_size=False),
    "fast": packed(TEXT, level=-5),
    "repeated": packed(b"y,c\n" + b"a,1\n" * 100_000, write_checksum=True),
    "raw blocks": packed(os.urandom(300_000), write_checksum=True),
    "tiny": packed(b"y,c\na,1\nb,2\n"),
    "streamed": streamed(TEXT),
    "two frames": packed(TEXT[:60_000]) + packed(TEXT[60_000:], write_checksum=True),
    "skipped": SKIPPED + packed(TEXT) + SKIPPED,
}


@pytest.mark.parametrize("kind", WHOLE)
def test_every_cut_is_seen_and_no_whole_file_is_refused(tmp_path, kind):
    path, data = tmp_path / "table.csv.zst", WHOLE[kind]
    path.write_bytes(data)
    assert find_place(path).packing == "zstd"
    rng = random.Random(kind)
    ends = {len(data) - 1, len(data) - 4, 5, *(rng.randrange(5, len(data)) for _ in range(40))}
    # Where one of two frames ends, or a frame that is skipped, what is left is whole.
    ends -= {len(packed(TEXT[:60_000])), len(SKIPPED), len(SKIPPED + packed(TEXT))}
    for end in sorted(ends):
        path.write_bytes(data[:end])
        with pytest.raises(FileError, match="is not a whole Zstandard file: its end is missing"):
            find_place(path)


def test_nothing_is_scored_from_the_rows_before_a_cut(tmp_path):
    path = tmp_path / "table.csv.zst"
    path.write_bytes(WHOLE["checksum"])
    card = score_files(str(path), "y", "c", measures=["rand"]).scores["c"]
    assert card.to_dict()["objects"] == 30_000
    path.write_bytes(WHOLE["checksum"][: len(WHOLE["checksum"]) // 2])
    with pytest.raises(FileError, match=r"table\.csv\.zst is not a whole Zstandard file"):
        score_files(str(path), "y", "c")
    path.write_bytes(WHOLE["checksum"] + b"more than that")
    with pytest.raises(FileError, match="bytes there is something else"):
        score_files(str(path), "y", "c")
    path.write_bytes(b"no such file")
    with pytest.raises(FileError):
        score_files(str(path), "y", "c")
