from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import clustervet
from clustervet._kernels import compile as compiling
from clustervet._kernels import kept_code

SOURCE = """
def inner(x):
    return x + 1


def outer(values):
    total = 0
    for value in values:
        total += value
    return total
"""


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A folder that can be written, and one beside the source, both empty."""
    mine, beside = tmp_path / "mine", tmp_path / "beside"
    mine.mkdir()
    beside.mkdir()
    monkeypatch.setattr(kept_code, "folder", lambda: mine)
    monkeypatch.setattr(kept_code, "BESIDE_SOURCE", beside)
    return mine, beside


@pytest.fixture
def new(tmp_path, monkeypatch):
    """Compile a function as another process would; count how often code was really made."""
    path = tmp_path / "loops.py"
    path.write_text(SOURCE)

    def function():
        spec = importlib.util.spec_from_file_location("loops", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return compiling.compiled(module.outer)

    return function


def made(function) -> int:
    """How many signatures were compiled, not read."""
    return sum(function.stats.cache_misses.values())


def test_code_is_compiled_once(places, new):
    first, second = new(), new()
    assert first(np.arange(5)) == second(np.arange(5)) == 10
    assert (made(first), made(second)) == (1, 0)
    assert sorted(path.suffix for path in places[0].iterdir()) == [".nbc", ".nbi"]


def test_code_beside_the_source_is_read_where_it_cannot_be_written(places, new, monkeypatch):
    mine, beside = places
    monkeypatch.setattr(kept_code, "folder", lambda: beside)
    assert new()(np.arange(5)) == 10
    monkeypatch.setattr(kept_code, "folder", lambda: mine)
    kept = {path.name: path.read_bytes() for path in beside.iterdir()}
    function = new()
    assert function(np.arange(5)) == 10
    assert made(function) == 0
    assert not list(mine.iterdir())
    assert function(np.arange(5.0)) == 10.0  # a signature that is not there
    assert made(function) == 1
    assert len(list(mine.iterdir())) == 2
    assert kept == {path.name: path.read_bytes() for path in beside.iterdir()}
    again = new()
    assert (again(np.arange(5.0)), again(np.arange(5)), made(again)) == (10.0, 10, 0)


@pytest.mark.parametrize("size", [0, 1, 40])
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_torn_files_are_replaced(places, new, suffix, size):
    new()(np.arange(5))
    (torn,) = places[0].glob(f"*{suffix}")
    torn.write_bytes(torn.read_bytes()[:size])
    function = new()
    assert function(np.arange(5)) == 10
    assert made(function) == 1
    after = new()
    assert (after(np.arange(5)), made(after)) == (10, 0)


def test_a_full_disk_stops_nothing(places, new, monkeypatch):
    def save(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(kept_code.IndexDataCacheFile, "save", save)
    assert new()(np.arange(5)) == 10
    assert not list(places[0].iterdir())


def test_no_folder_at_all_stops_nothing(new, tmp_path, monkeypatch):
    monkeypatch.setattr(kept_code, "folder", lambda: None)
    monkeypatch.setattr(kept_code, "BESIDE_SOURCE", tmp_path / "loops.py" / "__pycache__")
    assert new()(np.arange(5)) == 10


def test_another_source_is_compiled_anew(places, new, monkeypatch):
    new()(np.arange(5))
    monkeypatch.setattr(kept_code, "_sources", lambda: "changed")
    function = new()
    assert (function(np.arange(5)), made(function)) == (10, 1)


def test_the_stamp_follows_every_source_of_the_room(tmp_path, monkeypatch):
    room = tmp_path / "package" / "_kernels"
    room.mkdir(parents=True)
    monkeypatch.setattr(kept_code, "ROOM", room)
    stamps = set()
    for path in (room / "a.py", room / "b.py", room.parent / "_numeric.py"):
        for text in ("x = 1", "x = 2"):
            path.write_text(text)
            stamps.add(kept_code._sources.__wrapped__())
    assert len(stamps) == 6


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders of Windows have an owner already")
@pytest.mark.parametrize("find", [kept_code._temporary, kept_code._of_the_user])
@pytest.mark.parametrize("fault", ["mode", "link", "file", "owner"])
def test_a_folder_that_others_can_write_is_not_used(tmp_path, monkeypatch, find, fault):
    monkeypatch.setattr(kept_code.tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = find().parent
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    if fault == "mode":
        place.chmod(0o722)
    elif fault == "link":
        place.rename(tmp_path / "elsewhere")
        place.symlink_to(tmp_path / "elsewhere")
    elif fault == "file":
        place.rmdir()
        place.write_text("")
    else:
        monkeypatch.setattr(os, "getuid", lambda: place.stat().st_uid + 1)
    with pytest.raises((FileExistsError, PermissionError)):
        find()


def test_installations_do_not_share_a_folder(monkeypatch):
    first = kept_code._own_name()
    monkeypatch.setattr(kept_code, "ROOM", Path("elsewhere"))
    assert kept_code._own_name() != first


def test_long_compiling_is_said_once(places, new, monkeypatch, capfd):
    monkeypatch.setattr(kept_code, "PATIENCE", 0.0)
    monkeypatch.setattr(kept_code, "_clock", kept_code._Clock())
    monkeypatch.delenv("CLUSTERVET_QUIET", raising=False)
    function = new()
    function(np.arange(5))
    function(np.arange(5.0))
    assert capfd.readouterr().err == "clustervet: compiling once for this machine …\n"
    assert kept_code._clock.depth == 0


def test_quiet_says_nothing(places, new, monkeypatch, capfd):
    monkeypatch.setattr(kept_code, "PATIENCE", 0.0)
    monkeypatch.setattr(kept_code, "_clock", kept_code._Clock())
    monkeypatch.setenv("CLUSTERVET_QUIET", "1")
    new()(np.arange(5))
    assert capfd.readouterr() == ("", "")


PROGRAM = """
import numpy as np
import clustervet as cv
from clustervet._kernels import kept_code
from clustervet._kernels.patience import compiled_always

points = np.random.default_rng(0).normal(size=(60, 2))
with compiled_always():
    print(cv.dbcv(points, np.arange(60) % 2))
print(kept_code.folder())
print(kept_code._clock.spent > 0)
"""


def test_a_read_only_install_and_home(tmp_path):
    """Files stand where folders should be, which stops even root from writing there."""
    shutil.copytree(
        Path(clustervet.__file__).parent,
        tmp_path / "site" / "clustervet",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for folder in [tmp_path / "site" / "clustervet", *(tmp_path / "site").rglob("*/")]:
        (folder / "__pycache__").touch()
    (tmp_path / "home").touch()
    (tmp_path / "tmp").mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("NUMBA")},
        "PYTHONPATH": str(tmp_path / "site"),
        "HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "home" / "cache"),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    answers = []
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(ran.stdout.split())
    (first, place, compiled), (second, same_place, again) = answers
    assert first == second
    assert (compiled, again) == ("True", "False")
    assert place == same_place
    assert Path(place).parent == tmp_path / "tmp" / f"clustervet-{os.getuid()}"
    assert stat.S_IMODE(Path(place).parent.stat().st_mode) == 0o700
