"""Run a case within this process and write down all that it left behind."""

from __future__ import annotations

import base64
import contextlib
import difflib
import gzip
import io
import json
import math
import os
import platform
import re
import shlex
import sys
import types
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import clustervet.cli
from clustervet.pacmdl import languages
from clustervet.registry import measures

RECORDED = Path(__file__).parent / "recorded"
ENVIRONMENT = {
    "COLUMNS": "100",
    "LINES": "40",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "CLUSTERVET_SNAPSHOT": "1",
}
UNWANTED = ("FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TERMINAL_WIDTH")
OWN_MODULE = "snapshot_own"
# Digits from which on a number is printed in full, and may differ in the last of them.
FULL = 15
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")
PACKAGES = ("clustervet", "numpy", "scipy", "scikit-learn", "numba", "plotly")
VERSIONS = {"Python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
# Letters from which on long lists of numbers are cut short, and how many of each list stay.
LONG, KEPT = 150_000, 12
LISTED = re.compile(r"\s*-?\d[-+.\de]*,?")


class Case(NamedTuple):
    """What to run: arguments of the command line, or a function that gives texts by title."""

    argv: tuple[str, ...] = ()
    stdin: bytes = b""
    terminal: bool = False
    display: Callable[[], dict[str, str]] | None = None


class Terminal(io.StringIO):
    """A stream that holds text and may say that it is a terminal."""

    encoding = "utf-8"

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


def record(case: Case, folder: Path) -> str:
    """All that a case leaves behind, as text; the folder holds the inputs."""
    before = _listing(folder)
    with _clean_state(folder):
        parts = _run(case) if case.display is None else list(case.display().items())
    for path in sorted(_listing(folder) - before):
        parts += _file(folder, path)
    text = "".join(f"==== {title}\n{_shortened(body).rstrip(chr(10))}\n\n" for title, body in parts)
    return normal(text, folder).rstrip("\n") + "\n"


def _run(case: Case) -> list[tuple[str, str]]:
    out, err = Terminal(case.terminal), Terminal(False)
    buffer = io.BufferedReader(io.BytesIO(case.stdin))
    sys.stdin = types.SimpleNamespace(buffer=buffer, isatty=lambda: False)
    sys.argv = ["clustervet", *case.argv]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            clustervet.cli.main()
            code: Any = 0
        except SystemExit as end:
            code = end.code or 0
    lines = "\n".join(line.rstrip() for line in out.getvalue().splitlines())
    return [
        ("command", shlex.join(sys.argv) + (" # on a terminal" if case.terminal else "")),
        ("exit code", str(code)),
        ("standard output", lines if case.terminal else out.getvalue()),
        ("standard error", err.getvalue()),
    ]


@contextlib.contextmanager
def _clean_state(folder: Path) -> Iterator[None]:
    """The folder as the current one, a fixed environment and only the package's own records."""
    kept = (sys.argv, sys.stdin, list(sys.path), Path.cwd(), dict(os.environ))
    held = (measures._records, measures._names, languages._records)
    own = {key: r for key, r in measures.items() if r.formula.__module__.startswith("clustervet.")}
    measures._records = own
    measures._names = {name: key for name, key in measures._names.items() if key in own}
    known = ("simple", "init", "cluster", "algo", "permutation", "adaptive", "mixture")
    languages._records = {key: r for key, r in languages.items() if key in (*known, "auto")}
    os.environ.update(ENVIRONMENT)
    for name in UNWANTED:
        os.environ.pop(name, None)
    os.chdir(folder)
    np.random.seed(0)
    try:
        yield
    finally:
        sys.argv, sys.stdin, sys.path[:] = kept[0], kept[1], kept[2]
        os.chdir(kept[3])
        os.environ.clear()
        os.environ.update(kept[4])
        measures._records, measures._names, languages._records = held
        sys.modules.pop(OWN_MODULE, None)


def _listing(folder: Path) -> set[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def _file(folder: Path, name: str) -> list[tuple[str, str]]:
    """A file that was written, as text."""
    path = folder / name
    title = f"file {name}"
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        return [(title, f"{dict(frame.schema)}\n{frame.write_csv()}")]
    if path.suffix in (".db", ".npz"):
        return [(title, "(written)")]
    if path.suffix in (".html", ".htm"):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        return [(f"{title}, its words", page.words()), *page.figures(name)]
    return [(title, path.read_text(encoding="utf-8"))]


class Page(HTMLParser):
    """The words that a page shows, a line for each element, and the figures that it embeds."""

    LINES = frozenset({"p", "tr", "h1", "h2", "h3", "h4", "li", "figure", "table", "section"})
    CELLS = frozenset({"td", "th"})
    WORDS = frozenset({"button", "dd", "dt", "input", "span", "summary"})

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.scripts: dict[str, str] = {}
        self.within = ""
        self.script = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "style"):
            given = dict(attrs)
            self.within = tag
            self.script = given.get("id") or ""
        elif tag in self.LINES:
            self.parts.append("\n")
        elif tag in self.CELLS:
            self.parts.append(" ¦ ")
        elif tag in self.WORDS:
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style"):
            self.within = self.script = ""
        elif tag in self.LINES:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.within:
            self.parts.append(data if not data.isspace() else " ")
        elif self.script:
            self.scripts[self.script] = self.scripts.get(self.script, "") + data

    def words(self) -> str:
        lines = (" ".join(line.split()) for line in "".join(self.parts).split("\n"))
        return "\n".join(line for line in lines if line)

    def figures(self, name: str) -> list[tuple[str, str]]:
        """What each figure draws, without the lists of numbers."""
        return [
            (f"file {name}, figure {key}", _outline(json.loads(_unpacked(text))))
            for key, text in self.scripts.items()
            if key.endswith("-data")
        ]


def _unpacked(text: str) -> str:
    """The data of a figure, which is packed where it is large."""
    if text.startswith("{"):
        return text
    return gzip.decompress(base64.b64decode(text)).decode()


def _outline(data: dict[str, Any]) -> str:
    """The traces of a figure and its titles."""
    figure = data["figure"]
    lines = []
    for trace in figure["data"]:
        shown = {
            key: trace[key] for key in ("type", "name", "mode", "hovertemplate") if key in trace
        }
        shown |= {key: len(trace[key]) for key in ("x", "y", "z", "text") if _is_list(trace, key)}
        lines.append(json.dumps(shown, ensure_ascii=False))
    layout = figure.get("layout", {})
    titles = {key: layout[key].get("title") for key in layout if re.fullmatch(r"[xy]axis\d*", key)}
    lines.append(json.dumps({"title": layout.get("title"), **titles}, ensure_ascii=False))
    notes = [note.get("text") for note in layout.get("annotations", [])]
    return "\n".join([*lines, json.dumps(notes, ensure_ascii=False)])


def _is_list(trace: dict[str, Any], key: str) -> bool:
    return isinstance(trace.get(key), list)


def normal(text: str, folder: Path) -> str:
    """The text without what differs from run to run."""
    for place in {str(folder.resolve()), str(folder)}:
        text = text.replace(place, "<folder>")
    text = TIME.sub("<time>", text)
    for name, number in VERSIONS.items():
        found = rf"\b({name})(['\": ]*){re.escape(number)}(?![\d.]*\d)"
        text = re.sub(found, r"\1\2<version>", text)
    return text


def _shortened(text: str) -> str:
    """A very long text with long lists of numbers, a number a line, cut short."""
    if len(text) < LONG:
        return text
    lines: list[str] = []
    run = 0
    for line in text.splitlines():
        run = run + 1 if LISTED.fullmatch(line) else 0
        if run <= KEPT:
            lines.append(line)
        elif run == KEPT + 1:
            lines.append("...")
    return "\n".join(lines)


def difference(old: str, new: str, name: str) -> str:
    """A diff to read, or nothing where only last digits of numbers in full differ."""
    before, after = old.splitlines(), new.splitlines()
    if len(before) == len(after) and all(map(_alike, before, after)):
        return ""
    found = difflib.unified_diff(
        before, after, f"{name}, recorded", f"{name}, now", lineterm="", n=2
    )
    return "\n".join(found)


def _alike(before: str, after: str) -> bool:
    """Whether two lines are the same but for rounding of numbers that are given in full."""
    if before == after:
        return True
    if NUMBER.sub("#", before) != NUMBER.sub("#", after):
        return False
    return all(map(_close, NUMBER.findall(before), NUMBER.findall(after)))


def _close(before: str, after: str) -> bool:
    if before == after:
        return True
    if max(_digits(before), _digits(after)) < FULL:
        return False
    return math.isclose(float(before), float(after), rel_tol=1e-12, abs_tol=1e-15)


def _digits(number: str) -> int:
    whole = number.partition("e")[0]
    return len(whole.lstrip("-0.").replace(".", "")) if "." in whole else 0
