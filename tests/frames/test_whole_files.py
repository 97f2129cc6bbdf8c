from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from clustervet.errors import FileError
from clustervet.frames.writing import check_writable, make_folder, write_whole


def test_the_mode_of_a_file_is_kept(tmp_path):
    path = tmp_path / "answer.json"
    path.write_text("old")
    path.chmod(0o600)
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


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
