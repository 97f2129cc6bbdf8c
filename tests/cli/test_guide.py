from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

GUIDE = (Path(__file__).parents[2] / "docs" / "guide.md").read_text(encoding="utf-8")
(SETUP,) = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
SHOWN = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the first block of the guide writes."""
    place = tmp_path_factory.mktemp("guide")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        exec(compile(SETUP, "guide.md", "exec"), {})
    return place


@pytest.mark.parametrize(("command", "answer"), SHOWN, ids=[command for command, _ in SHOWN])
def test_the_guide_shows_what_commands_print(run, folder, monkeypatch, command, answer):
    monkeypatch.chdir(folder)
    name, *arguments = shlex.split(command)
    assert name == "clustervet"
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    assert ran.out.rstrip() == answer.rstrip()


def test_other_commands_in_the_guide_run(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    mentioned = re.findall(r"`clustervet ((?:report|measures) [^`]*)`", GUIDE)
    assert len(mentioned) == 2
    for command in mentioned:
        assert run(*shlex.split(command)).code == 0
    assert (folder / "report.html").stat().st_size > 100_000
    assert run(*shlex.split('lab advise --need metric --need "different n"')).code == 0
