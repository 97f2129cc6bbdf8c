"""The files that a release, its services and its readers rely on say what is so."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml

import clustervet

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins(name):
    """The versions that a file of constraints pins, by the names of packages."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return dict(line.lower().split("==") for line in lines if "==" in line)


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", ".github/workflows/*.yml"),
        ("custom.github-workflows-require-timeout", ".github/workflows/*.yml"),
        ("vendor.github-issue-forms", ".github/ISSUE_TEMPLATE/[!c]*.yml"),
        ("vendor.github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ],
)
def test_files_for_services_follow_their_schemas(schema, files):
    found = [str(path) for path in ROOT.glob(files)]
    assert found
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *found]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_workflows_call_targets_that_the_makefile_has():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    for path in ROOT.glob(".github/workflows/*.yml"):
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        for job in jobs.values():
            called = [
                step["run"].split()[1] for step in job["steps"] if "make " in step.get("run", "")
            ]
            if called == ["${{"]:
                called = [row["target"] for row in job["strategy"]["matrix"]["include"]]
            assert set(called) <= targets


def test_supported_versions_of_python_are_tested():
    jobs = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))["jobs"]
    tested = jobs["test"]["strategy"]["matrix"]["python"]
    named = re.findall(r":: Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert tested == named
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_the_citation_has_the_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == clustervet.__version__
    assert cited["license"] == PROJECT["license"]


def test_the_oldest_versions_are_those_that_the_project_allows():
    oldest = pins("constraints-oldest.txt")
    floors = dict(line.split(">=") for line in PROJECT["dependencies"])
    assert {name: ".".join(version.split(".")[:2]) for name, version in oldest.items()} == floors


def test_every_dependency_is_pinned_for_the_tests():
    pinned = {name.replace("_", "-") for name in pins("constraints.txt")}
    needed = chain(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    names = {re.match(r"[\w-]+", line)[0].lower().replace("_", "-") for line in needed}
    assert names <= pinned, sorted(names - pinned)


def test_commits_are_checked_by_what_lint_runs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0][
        "hooks"
    ]
    lint = (ROOT / "Makefile").read_text(encoding="utf-8")
    for hook in hooks:
        program = hook["entry"].split()[0].removeprefix(".venv/bin/")
        assert f"$(BIN)/{program}" in lint
