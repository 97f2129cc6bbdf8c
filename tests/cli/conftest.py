from __future__ import annotations

import io
import sys
import types
from typing import NamedTuple

import pytest

import clustervet.cli


class Ran(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command line within this process."""

    def command(*arguments, stdin=b""):
        buffer = io.BufferedReader(io.BytesIO(stdin))
        stream = types.SimpleNamespace(buffer=buffer, isatty=lambda: False)
        monkeypatch.setattr(sys, "argv", ["clustervet", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", stream)
        try:
            clustervet.cli.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        return Ran(code, *capsys.readouterr())

    return command


@pytest.fixture
def refused(run):
    """Run a command that must fail with one clear line."""

    def command(*arguments, stdin=b""):
        ran = run(*arguments, stdin=stdin)
        assert ran.code == 2
        assert ran.out == ""
        assert ran.err.endswith("\n")
        (line,) = ran.err.splitlines()
        assert line.startswith("clustervet: ")
        assert line.isprintable()
        assert line.endswith((".", "?"))
        return line

    return command


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def table(file):
    """Two truths, three clusterings and weights of six objects."""
    return file(
        "kind,size,kmeans,hdbscan,same,weight\n"
        "cat,s,0,0,x,1\n"
        "cat,s,0,0,x,2\n"
        "cat,l,1,-1,x,1\n"
        "dog,l,1,-1,y,1\n"
        "dog,l,2,1,y,3\n"
        "dog,s,2,-1,y,1\n"
    )
