"""What every command prints and every result shows, beside what was recorded.

`CLUSTERVET_RECORD=1 pytest tests/snapshots` records again.
"""

from __future__ import annotations

import os
import shutil

import inputs
import pytest
from recorder import RECORDED, difference, record

from cases import CASES

RECORDING = bool(os.environ.get("CLUSTERVET_RECORD"))


@pytest.fixture(scope="session")
def given(tmp_path_factory):
    """The inputs, made once."""
    folder = tmp_path_factory.mktemp("inputs")
    inputs.make(folder)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_what_is_shown_is_what_was_recorded(name, given, tmp_path):
    folder = tmp_path / "here"
    shutil.copytree(given, folder)
    shown = record(CASES[name], folder)
    path = RECORDED / f"{name}.txt"
    if RECORDING:
        path.write_text(shown, encoding="utf-8")
        return
    assert path.is_file(), f"{name} is not recorded; run CLUSTERVET_RECORD=1 pytest tests/snapshots"
    found = difference(path.read_text(encoding="utf-8"), shown, name)
    assert not found, f"\n{found}"


def test_every_recording_has_a_case():
    if RECORDING:
        for path in RECORDED.glob("*.txt"):
            if path.stem not in CASES:
                path.unlink()
    assert {path.stem for path in RECORDED.glob("*.txt")} <= set(CASES)
