"""No command overwrites what it reads, or writes two things to one file."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
import typer

from clustervet.cli.app import app
from clustervet.cli.files import READ_CODE, READ_CORPORA, WRITTEN, Commands, file_roles

# Parameters that are text but name no file. A new one is listed here, or says in its annotation
# that it names files.
NO_FILES = {
    *("array", "chance", "classes", "delimiter", "engine", "error_noise", "error_useful"),
    *("exclude", "family", "features", "id", "k", "key", "label", "labelled", "language"),
    *("measures", "memory_limit", "metric", "need", "noise", "parameter", "pred", "property"),
    *("sets", "shares", "text", "title", "train", "truth", "useful", "values", "weight"),
    *("weighting", "weights", "compare labels", "compare measure", "predict_by", "tree labels"),
    *("memberships", "true_memberships", "benchmark measure", "posthoc", "truth_noise", "truths"),
    *("run_choice", "representation", "sample", "sampling", "by", "align_to", "how"),
    *("drift objects", "drift labels", "grid"),
}
# What a command does not go without.
NEEDED = {
    "bound": {"truth": "y", "pred": "c"},
    "estimate": {"pred": "c", "sample": "pairs", "id": "id"},
    "report": {"output": "new.html"},
    "table build": {"output": "new.json"},
    "table merge": {"output": "new.json"},
    "lab text": {"data": "."},
    "lab advise": {"need": "metric"},
}
PRECIOUS = "nobody wants to lose this\n"


def find_commands(group=app, path=()):
    """Every command with its path."""
    for info in group.registered_commands:
        function = inspect.unwrap(info.callback)
        yield " ".join((*path, info.name or function.__name__)), function
    for info in group.registered_groups:
        yield from find_commands(info.typer_instance, (*path, info.typer_instance.info.name))


def hints(function):
    return inspect.get_annotations(function, eval_str=True)


COMMANDS = dict(find_commands())
ROLES = {name: file_roles(function) for name, function in COMMANDS.items()}
OUTPUTS = [(name, key) for name, roles in ROLES.items() for key in roles if roles[key] == WRITTEN]
INPUTS = [
    (name, key)
    for name, roles in ROLES.items()
    for key, role in roles.items()
    if role not in (WRITTEN, READ_CODE, READ_CORPORA)
]
ARGUMENTS = {
    name: key
    for name, function in COMMANDS.items()
    for key in ROLES[name]
    if any(
        isinstance(part, typer.models.ArgumentInfo) for part in hints(function)[key].__metadata__
    )
}


def call(name, **values):
    """The words of a command with some parameters, and with what it does not go without."""
    values = {**NEEDED.get(name, {}), **values}
    words = name.split()
    if name in ARGUMENTS:
        words.append(str(values.pop(ARGUMENTS[name], "other.csv")))
    return [*words, *(word for key, value in values.items() for word in (f"--{key}", str(value)))]


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A file to lose, in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "data.json"
    path.write_text(PRECIOUS)
    return path


def test_the_commands_are_found():
    assert {"score", "compare", "tune", "select", "bound", "report", "demo"} < set(ROLES)
    assert {"table build", "table merge", "lab axioms", "lab text", "measures"} < set(ROLES)
    assert {name for name, _ in OUTPUTS} == set(ROLES) - {"warmup"}
    assert {("compare", "query"), ("report", "files"), ("select", "data")} < set(INPUTS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_that_may_name_a_file_says_so(name):
    for key, hint in hints(COMMANDS[name]).items():
        kind = getattr(hint, "__origin__", hint)
        if key not in ROLES[name] and kind in (str, str | None, list[str], list[str] | None):
            assert {key, f"{name} {key}"} & NO_FILES, f"does --{key} of {name} name a file?"


def test_every_group_checks_its_commands():
    def groups(group):
        return [
            group,
            *(g for info in group.registered_groups for g in groups(info.typer_instance)),
        ]

    assert len(groups(app)) == 3
    assert all(isinstance(group, Commands) for group in groups(app))


@pytest.mark.parametrize(("name", "key"), INPUTS)
def test_no_output_is_an_input(refused, data, name, key):
    for output in (key for at, key in OUTPUTS if at == name):
        line = refused(*call(name, **{key: data, output: data}))
        assert f"--{output} would overwrite {data}, which the command reads" in line
        assert data.read_text() == PRECIOUS
    assert os.listdir() == [data.name]


# One command for each way to name files; the others share these ways.
@pytest.mark.parametrize(("name", "key"), [("score", "files"), ("select", "data")])
def test_no_output_is_an_input_by_another_name(refused, data, name, key):
    output = next(key for at, key in OUTPUTS if at == name)
    lake, elsewhere = Path("lake"), Path("elsewhere")
    (lake / "deep").mkdir(parents=True)
    elsewhere.symlink_to(lake)
    Path("linked.json").symlink_to(data)
    Path("same.json").hardlink_to(data)
    Path("lake/deep/part.json").hardlink_to(data)
    for read, written in [
        ("data.json", data),
        ("./lake/../data.json", "data.json"),
        (data, "linked.json"),
        ("linked.json", "data.json"),
        ("same.json", "data.json"),
        ("lake", "lake/deep/part.json"),
        ("lake", "elsewhere/deep/part.json"),
        ("lake", "data.json"),
        ("lake/**/*.json", "elsewhere/deep/part.json"),
        ("d?ta.json", "data.json"),
    ]:
        line = refused(*call(name, **{key: read, output: written}))
        assert f"--{output} would overwrite" in line, (read, written)
    assert data.read_text() == PRECIOUS


@pytest.mark.parametrize("name", COMMANDS)
def test_no_two_outputs_are_one_file(refused, data, name):
    outputs = [key for at, key in OUTPUTS if at == name]
    for first, second in combinations(outputs, 2):
        line = refused(*call(name, **{first: "new.json", second: "./new.json"}))
        assert f"--{first} and --{second} name the same file, ./new.json; each needs" in line
    assert os.listdir() == [data.name]


def test_no_two_outputs_are_one_file_by_another_name(refused, data):
    Path("linked.json").symlink_to("new.json")
    Path("same.json").hardlink_to(data)
    for one, two in (("new.json", "linked.json"), (data, "same.json"), ("../x.json", "../x.json")):
        line = refused(*call("tune", output=one, report=two))
        assert "--output and --report name the same file" in line
    assert sorted(os.listdir()) == ["data.json", "linked.json", "same.json"]
    assert data.read_text() == PRECIOUS


# A report is never code: its name ends in .html, .md or .json.
@pytest.mark.parametrize(
    ("name", "key"),
    [(n, key) for n, r in ROLES.items() for key in r if r[key] is READ_CODE and n != "report"],
)
def test_no_output_is_code_that_is_run(refused, data, name, key):
    code = data.rename("mine.py")
    line = refused(*call(name, **{key: "mine:thing", "output": "mine.py"}))
    assert "--output would overwrite mine.py" in line
    assert code.read_text() == PRECIOUS


def test_corpora_and_journals_are_kept(refused, run, data):
    corpus = data.rename("classic3.npz")
    assert "overwrite ./classic3.npz" in refused("lab", "text", "--data", ".", "-o", corpus)
    Path("runs").mkdir()
    journal = corpus.rename("runs/classic3.db")
    line = refused("lab", "text", "--data", ".", "--journal", "runs", "-o", "runs/classic3.db")
    assert "overwrite runs/classic3.db" in line
    assert journal.read_text() == PRECIOUS
    Path("old.json").write_text("{}")  # beside the corpora, but none of them
    assert "holds none of the corpora" in refused("lab", "text", "--data", ".", "-o", "old.json")


def test_standard_input_may_be_the_output(data):
    with data.open("rb") as stream:
        ran = subprocess.run(
            [sys.executable, "-m", "clustervet", "score", "-", "-o", "data.json"],
            stdin=stream,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert ran.returncode == 2
    assert "--output would overwrite standard input, which the command reads" in ran.stderr
    assert data.read_text() == PRECIOUS


def test_a_table_is_not_merged_into_itself(run, refused, table):
    for name in ("a.json", "b.json"):
        run("table", "build", table, "-t", "kind", "-p", "kmeans", "-o", name)
    before = Path("a.json").read_bytes()
    assert "--output would overwrite a.json" in refused(
        "table", "merge", "a.json", "b.json", "-o", "a.json"
    )
    assert Path("a.json").read_bytes() == before


def test_files_that_are_no_inputs_are_replaced(run, table):
    for name in ("old.json", "old.md", "old.csv"):
        Path(name).write_text("old")
    ran = run(
        *("compare", table, "--labels", "kmeans,hdbscan", "--missing", "class"),
        *("-o", "old.json", "--report", "old.md", "--consensus", "old.csv"),
    )
    assert ran.code == 0, ran.err
    assert json.loads(Path("old.json").read_text())
    assert "old" not in (Path("old.md").read_text()[:4], Path("old.csv").read_text())
    ran = run("score", "tab*.csv", "-t", "kind", "-p", "kmeans", "-o", "old.csv")
    assert ran.code == 0, ran.err
    assert "rand" in Path("old.csv").read_text()


def test_pipes_and_devices_are_no_files_to_lose(run, table):
    ran = run(
        *("compare", table, "--labels", "kmeans,same", "-o", "/dev/null"),
        *("--consensus", "/dev/null"),
    )
    assert ran.code == 0, ran.err


def test_only_errors_of_standard_output_are_taken_for_its_own(capfd):
    from clustervet.cli.emit import printing

    for error in (BrokenPipeError(32, "of an engine"), ConnectionRefusedError(111, "of Spark")):
        with pytest.raises(type(error)), printing():
            raise error
