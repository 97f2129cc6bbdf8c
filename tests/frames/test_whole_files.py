from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

import clustervet as cv
from clustervet.errors import FileError
from clustervet.frames.writing import check_writable, make_folder, write_whole


def test_the_mode_of_a_file_is_kept(tmp_path):
    path = tmp_path / "answer.json"
    path.write_text("old")
    path.chmod(0o600)
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["answer.json", "table.json", "table.parquet"])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path, monkeypatch, name):
    def write(path):
        if name.startswith("table"):
            cv.Contingency.from_counts([[1, 2], [3, 4]]).save(path)
        else:
            write_whole(path, "text")

    for mask in (0o022, 0o077, 0o000, 0o027):
        path = tmp_path / f"{mask:o}-{name}"
        before = os.umask(mask)
        try:
            with monkeypatch.context() as patch:
                # The umask belongs to all threads; not even for a moment may it change.
                patch.delattr(os, "umask")
                write(path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
        path.chmod(0o640)
        write(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_standard_output_may_be_a_pipe():
    code = "from clustervet.frames.writing import *; check_writable('/dev/stdout'); "
    code += "write_whole('/dev/stdout', 'through')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "through"


def test_what_cannot_be_written_is_refused_before_and_leaves_nothing(tmp_path):
    with pytest.raises(FileError, match="Is a directory"):
        check_writable(tmp_path)
    with pytest.raises(FileError, match="cannot be written: No such file"):
        check_writable(tmp_path / "absent" / "x.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be written"):
        make_folder(tmp_path / "file" / "folder")
    check_writable(tmp_path / "new.json")
    check_writable(os.devnull)
    make_folder(tmp_path / "a" / "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "file"]
