"""The memory limit: where it comes from, and what it refuses."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import clustervet as cv
from clustervet import _memory
from clustervet.errors import ClustervetError, MemoryLimitError, ParameterError


def test_a_limit_holds_inside_its_block_only():
    before = _memory.room()
    with cv.memory_limit("2GB"):
        assert _memory.room() == 2 * 10**9
        with cv.memory_limit(1_000):
            assert _memory.room() == 1_000
        with cv.memory_limit(None):
            assert _memory.room() == 2 * 10**9
    assert _memory.room() == before


def test_a_limit_is_that_of_its_thread():
    seen = []
    with cv.memory_limit(1_000):
        other = threading.Thread(target=lambda: seen.append(_memory.room()))
        other.start()
        other.join()
    assert seen[0] > 1_000


@pytest.mark.parametrize(
    "size", ["", "lots", "0GB", "-1GB", "1e3MB", "5", 0, -1, True, 1.5, b"1GB"]
)
def test_what_is_no_size(size):
    with pytest.raises(ParameterError, match="a memory limit is"), cv.memory_limit(size):
        pass


@pytest.mark.parametrize(
    ("text", "size"),
    [("1KB", 10**3), ("1.5 mb", 1_500_000), ("2GiB", 2**31), ("0.5TB", 5 * 10**11), (7, 7)],
)
def test_sizes(text, size):
    assert _memory.read_size(text) == size


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1 KB"),
        (999_999, "1 MB"),
        (1e15, "1,000 TB"),
        (5e15, "5,000 TB"),
    ],
)
def test_sizes_in_words(size, text):
    assert _memory.show_size(size) == text


@pytest.mark.parametrize(
    ("listing", "files", "expected"),
    [
        ("0::/\n", {"memory.max": "1000\n"}, 1000),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "2000\n"}, 2000),
        ("0::/not/here\n", {"memory.max": "3000\n"}, 3000),
        ("4:memory:/job\n3:cpu:/\n", {"memory/job/memory.limit_in_bytes": "4000\n"}, 4000),
        ("4:cpu,memory:/\n0::/\n", {"memory/memory.limit_in_bytes": "5000\n"}, 5000),
        ("0::/\n", {}, _memory.UNKNOWN),
    ],
)
def test_limits_of_control_groups(tmp_path, listing, files, expected):
    (tmp_path / "listing").write_text(listing)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert _memory._control_group.__wrapped__(tmp_path, tmp_path / "listing") == expected


def test_the_address_space_is_part_of_the_default():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 * 10**9,) * 2)\n"
        "from clustervet import _memory; print(_memory.room())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 10**8 < int(ran.stdout) < 0.8 * 2 * 10**9


def test_the_refusal_names_size_limit_and_parameter():
    with cv.memory_limit("1MB"), pytest.raises(MemoryLimitError) as caught:
        cv.distance_matrix([[0, 0, 1, 1]] * 1_000)
    error = caught.value
    assert isinstance(error, ClustervetError)
    assert isinstance(error, MemoryError)
    assert error.parameter == "memory_limit"
    assert str(error) == (
        "the distances between 1,000 labelings would take 8 MB of memory, more than the limit of "
        "1 MB; compare fewer labelings, or raise the limit with memory_limit."
    )


def test_a_sparse_matrix_is_not_made_dense_beyond_the_limit():
    from scipy import sparse

    points = sparse.random_array((1_000, 2_000), density=0.01, random_state=0, format="csr")
    with cv.memory_limit("10MB"), pytest.raises(MemoryLimitError, match="as an array would take"):
        cv.select(points, np.arange(1_000) % 2, ["ward"], [2], 1)


def test_partitions_into_very_many_clusters():
    truth = np.arange(3_000) // 2
    with cv.memory_limit("1MB"), pytest.raises(MemoryLimitError, match="drawing partitions"):
        cv.chance("purity", truth, truth[::-1], model="number", samples=10)


def test_the_usual_limit_is_four_fifths_of_what_there_is(monkeypatch):
    monkeypatch.setattr(_memory, "_physical", lambda: 10_000)
    monkeypatch.setattr(_memory, "_control_group", lambda: 5_000)
    monkeypatch.setattr(_memory, "_address_space", lambda: 20_000)
    assert _memory.room() == 4_000


def test_an_address_space_that_cannot_be_asked_for_sets_no_limit(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)
    assert _memory._address_space() == _memory.UNKNOWN


def test_an_address_space_whose_use_is_not_known_counts_as_unused(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (5_000, 5_000))
    assert _memory._address_space() == 0
    monkeypatch.setattr(_memory.Path, "read_text", lambda _: "unknown")
    assert _memory._address_space() == 5_000


def test_a_system_that_tells_nothing_sets_no_limit(monkeypatch, tmp_path):
    def unknown(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr("os.sysconf", unknown)
    assert _memory._physical.__wrapped__() == _memory.UNKNOWN == 2**62
    assert _memory._control_group.__wrapped__(tmp_path, tmp_path / "none") == _memory.UNKNOWN
