from __future__ import annotations

import re
import shlex
from pathlib import Path

import plotly.graph_objects as go
import pytest

from clustervet import plots

FOLDER = Path(__file__).parents[2] / "docs" / "guide"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md"))}
WHOLE = "".join(PAGES.values())
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
(SETUP,) = PYTHON.findall(PAGES["index"])
SHOWN = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", WHOLE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """The folder with what the first page of the guide writes, and the names that it leaves."""
    place, names = tmp_path_factory.mktemp("guide"), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        exec(compile(SETUP, "index.md", "exec"), names)
    return place, names


@pytest.mark.parametrize(("command", "answer"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_guide_shows_what_commands_print(run, started, monkeypatch, command, answer):
    monkeypatch.chdir(started[0])
    name, *arguments = shlex.split(command)
    assert name == "clustervet"
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    assert ran.out.rstrip() == answer.rstrip()


@pytest.mark.parametrize("page", sorted(set(PAGES) - {"index"}))
def test_the_code_of_each_page_runs_and_draws(started, monkeypatch, page):
    shown = []
    monkeypatch.chdir(started[0])
    monkeypatch.setattr(go.Figure, "show", lambda figure: shown.append(plots.svg(figure)))
    names = dict(started[1])
    for block in PYTHON.findall(PAGES[page]):
        exec(compile(block, f"{page}.md", "exec"), names)
    assert shown
    assert all(picture.startswith("<svg") for picture in shown)


def test_other_commands_in_the_guide_run(run, started, monkeypatch):
    folder = started[0]
    monkeypatch.chdir(folder)
    mentioned = re.findall(r"`clustervet ((?:report|measures) [^`]*)`", WHOLE)
    assert len(mentioned) == 2
    for command in mentioned:
        assert run(*shlex.split(command)).code == 0
    assert (folder / "report.html").stat().st_size > 100_000
    assert run(*shlex.split('lab advise --need metric --need "different n"')).code == 0
