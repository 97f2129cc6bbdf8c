from __future__ import annotations

import os
import signal
import sys
import threading

import pytest

from clustervet import _process


def test_the_first_signal_interrupts_and_is_remembered(monkeypatch):
    for place, name in ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")):
        monkeypatch.setattr(place, name, getattr(place, name))
    assert not _process._interrupted
    assert not _process._first
    monkeypatch.setattr(_process, "_interrupted", _process._interrupted)
    monkeypatch.setattr(_process, "_first", _process._first)
    usual = sys.excepthook
    with pytest.raises(KeyboardInterrupt):
        _process._interrupt(signal.SIGINT, None)
    _process._interrupt(signal.SIGTERM, None)
    assert _process._first == signal.SIGINT
    assert sys.excepthook is not usual


def test_what_is_called_at_the_end_is_called_once_and_never_again():
    called = []
    with _process.removed_by(lambda: called.append("removed")):
        assert _process._removals
        assert not called
    with _process.stopped_by(lambda: called.append("stopped")):
        _process._call_each(_process._calls.values())
    assert called == ["removed", "stopped"]
    assert not _process._removals
    assert not _process._calls


def test_one_failure_does_not_keep_the_others_from_being_called():
    called = []
    _process._call_each([lambda: 1 / 0, lambda: called.append(1)])
    assert called == [1]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_before_and_after_its_work_a_command_ends_at_once(monkeypatch, number, code):
    monkeypatch.setattr(os, "_exit", sys.exit)
    with pytest.raises(SystemExit) as ended:
        _process._exit_at_once(number, None)
    assert ended.value.code == code


@pytest.mark.parametrize(
    ("given", "original", "is_command"),
    [
        (["/usr/bin/clustervet", "score"], ["python", "/usr/bin/clustervet", "score"], True),
        (["clustervet.exe"], ["clustervet.exe"], True),
        (["clustervet-script.py"], ["python", "clustervet-script.py"], True),
        (["-m", "score"], ["python", "-m", "clustervet", "score"], True),
        (["-m"], ["python", "-mclustervet"], True),
        (["-m", "clustervet"], ["python", "-m", "pytest", "clustervet"], False),
        (["/usr/bin/pytest", "clustervet"], ["python", "/usr/bin/pytest", "clustervet"], False),
        (["/usr/bin/pytest"], ["python", "-m", "clustervet"], False),
        ([], ["python"], False),
    ],
)
def test_which_processes_are_commands(monkeypatch, given, original, is_command):
    monkeypatch.setattr(sys, "argv", given)
    monkeypatch.setattr(sys, "orig_argv", original)
    assert _process._is_command() == is_command
