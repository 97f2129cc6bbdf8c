"""The progress bar: when it shows, what it says, and that it goes."""

from __future__ import annotations

import io
import sys
import time

import pytest

from clustervet import _progress as progress
from clustervet._progress import ticking, time_left


@pytest.fixture(autouse=True)
def loud(monkeypatch):
    """Undo what all tests are run with."""
    monkeypatch.delenv("CLUSTERVET_QUIET")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def open_terminal(monkeypatch):
    """A terminal on which bars appear at once.

    This is no fixture: pytest sets the streams again between the fixtures and the test.
    """
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    return stream


def work(total, what, steps):
    with ticking(total, what) as tick:
        for _ in range(steps):
            tick()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s left"),
        (89.4, "89 s left"),
        (90, "2 min left"),
        (59.4 * 60, "59 min left"),
        (60 * 60, "1 h 0 min left"),
        (61 * 60, "1 h 1 min left"),
        (23 * 3600 + 59 * 60, "23 h 59 min left"),
        (24 * 3600, "1 d 0 h left"),
        (49 * 3600, "2 d 1 h left"),
    ],
)
def test_time_in_words(seconds, said):
    assert time_left(seconds) == said


def test_a_bar_says_how_far_the_work_is(monkeypatch):
    terminal = open_terminal(monkeypatch)
    work(3, "counting [red]", 3)
    said = terminal.getvalue()
    assert "counting [red]" in said
    assert "3/3" in said
    assert "0 s left" in said


def test_a_bar_appears_after_a_second_and_moves_five_times_a_second():
    assert (progress.PATIENCE, progress.PAUSE) == (1.0, 0.2)


def test_quick_work_shows_nothing(monkeypatch):
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    work(3, "quick", 3)
    assert terminal.getvalue() == ""
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    work(0, "nothing to do", 0)
    assert terminal.getvalue() == ""


def test_work_in_a_pipe_shows_nothing(monkeypatch):
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    work(3, "piped", 3)
    assert sys.stderr.getvalue() == ""
    monkeypatch.setattr(sys, "stderr", terminal)
    work(3, "later", 3)  # the silent work has kept nothing that a bar needs
    assert "later" in terminal.getvalue()


def test_work_within_work_has_no_bar_of_its_own(monkeypatch):
    terminal = open_terminal(monkeypatch)
    with ticking(2, "outer") as tick:
        work(5, "inner", 5)
        tick()
        tick()
    assert "outer" in terminal.getvalue()
    assert "inner" not in terminal.getvalue()
    work(5, "inner", 5)
    assert "inner" in terminal.getvalue()


def test_a_failure_takes_the_bar_with_it(monkeypatch):
    terminal = open_terminal(monkeypatch)
    with pytest.raises(ZeroDivisionError), ticking(2, "failing"):
        raise ZeroDivisionError
    work(2, "next", 2)
    assert "next" in terminal.getvalue()


def test_a_bar_appears_while_the_first_step_still_runs(monkeypatch):
    terminal = open_terminal(monkeypatch)
    with ticking(2, "slow") as tick:
        end = time.monotonic() + 10
        while "slow" not in terminal.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
        assert "0/2" in terminal.getvalue()
        tick()


def test_between_two_updates_is_a_pause(monkeypatch):
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PAUSE", 1_000.0)
    work(50, "many", 50)
    assert "many" in terminal.getvalue()
    assert "50/50" not in terminal.getvalue()


def test_the_rest_takes_as_long_per_step_as_what_is_done(monkeypatch):
    open_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    bar = progress._Bar(4, "steps")
    bar.start = time.monotonic() - 30
    said = []
    for bar.done in range(4):
        said.append(bar._left())
    bar.close()
    assert said == ["", "2 min left", "30 s left", "10 s left"]
    assert bar.timer.finished.is_set()
    bar.tick()  # after the end: nothing shows
    bar._update()
    assert bar.shown is None


def test_quiet_shows_no_bar(monkeypatch):
    stream = open_terminal(monkeypatch)
    monkeypatch.setenv("CLUSTERVET_QUIET", "1")
    with ticking(3, "steps") as tick:
        tick()
    assert stream.getvalue() == ""
