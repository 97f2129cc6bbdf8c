"""A plugin of pytest: records which lines of the package each test runs, or runs chosen tests.

`--record-lines FILE` records. `--chosen-tests FILE` runs only the tests that the file lists, one
per line, in that order, and writes the first one that fails to `FILE.failed`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from line_tracer import FOLDER, PACKAGE, Lines, Tracer

HERE = Path(__file__).parent
SITE = "import line_tracer\n\nline_tracer.trace_process()\n"


class Recorder:
    """Writes the lines, the time and the outcome of each test."""

    def __init__(self, target: Path, root: Path) -> None:
        self.target = target
        self.package = str(root / "src" / "clustervet") + os.sep
        self.tracer = Tracer(self.package)
        self.tests: dict[str, dict[str, Any]] = {}
        self.fixtures: dict[int, Lines] = {}
        self.folder = target.with_suffix(".processes")
        self.folder.mkdir(parents=True, exist_ok=True)
        os.environ[FOLDER] = str(self.folder)
        os.environ[PACKAGE] = self.package
        (self.folder / "sitecustomize.py").write_text(SITE)
        path = [str(self.folder), str(HERE), os.environ.get("PYTHONPATH", "")]
        os.environ["PYTHONPATH"] = os.pathsep.join(part for part in path if part)

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> None:
        self.tracer.take()
        self.test = self.tests[item.nodeid] = {"passed": True, "seconds": 0.0}
        self.item_lines: Lines = defaultdict(set)
        self.tracer.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Any:
        """Keep the lines of a shared fixture: every test that asks for it depends on them."""
        if fixturedef.scope == "function":
            return (yield)
        _merge(self.item_lines, self.tracer.take())
        result = yield
        lines = self.tracer.take()
        self.fixtures[id(fixturedef)] = lines
        _merge(self.item_lines, lines)
        return result

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.test["passed"] &= not report.failed
        self.test["seconds"] += report.duration

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.tracer.stop()
        _merge(self.item_lines, self.tracer.take())
        self.test["lines"] = self.item_lines

    def pytest_runtest_teardown(self, item: Any) -> None:
        for definitions in item._fixtureinfo.name2fixturedefs.values():
            for definition in definitions:
                _merge(self.item_lines, self.fixtures.get(id(definition), {}))

    def pytest_sessionfinish(self) -> None:
        for path in self.folder.glob("*.json"):
            with suppress(ValueError):  # written by a process that was killed meanwhile
                left = json.loads(path.read_text())
                if left["test"] in self.tests:
                    lines = {file: set(found) for file, found in left["lines"].items()}
                    _merge(self.tests[left["test"]].setdefault("lines", defaultdict(set)), lines)
        shutil.rmtree(self.folder)
        start = len(self.package)
        for test in self.tests.values():
            found = test.get("lines", {}).items()
            test["lines"] = {file[start:]: sorted(lines) for file, lines in found}
        self.target.write_text(json.dumps(self.tests))


def _merge(into: Lines, lines: Lines) -> None:
    for file, found in lines.items():
        into[file] |= found


class Chooser:
    """Runs only the listed tests, in the order of the list."""

    def __init__(self, listed: Path) -> None:
        self.failed = listed.with_name(listed.name + ".failed")
        self.order = {test: at for at, test in enumerate(listed.read_text().splitlines())}

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        kept = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(kept, key=lambda item: self.order[item.nodeid])

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.failed.exists():
            self.failed.write_text(report.nodeid)


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--record-lines", type=Path)
    parser.addoption("--chosen-tests", type=Path)


def pytest_configure(config: Any) -> None:
    if target := config.getoption("--record-lines"):
        config.pluginmanager.register(Recorder(target, config.rootpath), "line recorder")
    if listed := config.getoption("--chosen-tests"):
        config.pluginmanager.register(Chooser(listed), "test chooser")
