from __future__ import annotations

import ast
import csv
import importlib
import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import typer

import clustervet as cv
from clustervet.cli import options
from clustervet.cli.app import command_line
from clustervet.cli.emit import _reader_left
from clustervet.cli.files import _identity
from clustervet.cli.options import spell_option
from clustervet.errors import Setting
from clustervet.inference.nulls import MODELS
from clustervet.pacmdl import languages

COMMAND = [str(Path(sys.executable).parent / "clustervet")]
MODULE = [sys.executable, "-m", "clustervet"]


def shell(*arguments, command=COMMAND, stdin=b"", **environment):
    """Run the installed command in a process of its own."""
    return subprocess.run(
        [*command, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**os.environ, "COLUMNS": "100", **environment},
        timeout=60,
        check=False,
    )


def test_the_list_of_measures(run):
    ran = run("measures")
    assert ran.code == 0
    kinds = {record.kind for record in cv.measures.values()}
    words = [line.split()[0] for line in ran.out.splitlines() if line]
    assert words.count("measure") == len(kinds)
    assert [word for word in words if word in cv.measures] == list(cv.measures)


def test_the_list_of_measures_as_data(run):
    data = json.loads(run("measures", "--format", "json").out)
    assert [record["key"] for record in data] == list(cv.measures)
    assert all(record["meaning"] and record["reference"] for record in data)
    rows = list(csv.DictReader(io.StringIO(run("measures", "--format", "csv").out)))
    assert [row["measure"] for row in rows] == list(cv.measures)
    assert {row["better"] for row in rows} <= {"higher", "lower", "neither"}
    assert [row["title"] for row in rows] == [record.title for record in cv.measures.values()]
    lines = run("measures", "--format", "markdown").out.splitlines()
    rows = [line for line in lines if line.startswith("|")]
    kinds = {record.kind for record in cv.measures.values()}
    assert len(rows) == 2 * len(kinds) + len(cv.measures)
    assert len({line.count("|") for line in rows}) == 1


def test_the_measures_of_a_family(run):
    data = json.loads(run("measures", "--family", "coding", "-f", "json").out)
    assert {record["family"] for record in data} == {"coding"}


@pytest.mark.parametrize(
    "key", ["variation_of_information", "vi", "VI", "Variation-of-Information"]
)
def test_the_card_of_a_measure(run, key):
    out = run("measures", key).out
    record = cv.measures["vi"]
    assert record.title in out
    assert record.reference in out
    assert "lower is better" in out
    assert "a metric" in out


@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown"])
def test_every_measure_has_a_card_in_every_format(run, format):
    for key in cv.measures:
        ran = run("measures", key, "--format", format)
        assert ran.code == 0
        if format == "json":
            assert json.loads(ran.out)["key"] == key
        elif format == "csv":
            (row,) = csv.DictReader(io.StringIO(ran.out))
            assert row["measure"] == key
        else:
            assert cv.measures[key].title in ran.out
            assert key in ran.out


def test_a_list_of_measures_goes_to_a_file(run, tmp_path):
    ran = run("measures", "--output", tmp_path / "list.json", "--format", "json")
    assert (ran.code, ran.out) == (0, "")
    assert len(json.loads((tmp_path / "list.json").read_text())) == len(cv.measures)


@pytest.mark.parametrize("format", ["table", "json", "csv", "markdown"])
def test_the_demonstration(run, format):
    ran = run("demo", "--format", format)
    assert ran.code == 0
    # Data alone is printed as CSV, and the note on noise goes elsewhere.
    assert ("Label -1" in ran.err) is (format == "csv")
    assert ran.err.count("\n") == (format == "csv")
    for word in ("kmeans", "ward", "mixture", "dbscan", "adjusted_rand"):
        assert word in ran.out


def test_the_version(run):
    assert run("--version").out == f"clustervet {cv.__version__}\n"


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(run, option):
    ran = run(option)
    assert ran.code == 0
    for word in ("score", "measures", "demo", "--version"):
        assert word in ran.out
    for command in ("score", "measures", "demo"):
        ran = run(command, option)
        assert ran.code == 0
        assert f"clustervet {command}" in ran.out


def test_no_arguments_show_the_help(run):
    ran = run()
    assert ran.code in (0, 2)
    assert "score" in ran.out + ran.err


def test_the_installed_command(tmp_path):
    (tmp_path / "t.csv").write_text("y,c\na,0\nb,1\n")
    ran = shell("score", tmp_path / "t.csv", "-m", "rand")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "rand     ↑  1.0000" in ran.stdout.decode()


def test_python_m_is_the_same_command():
    ran = shell("score", "-", "-m", "rand", "-f", "json", command=MODULE, stdin=b"y,c\na,0\nb,1\n")
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout)["objects"] == 2
    assert b"Usage: clustervet" in shell("--help", command=MODULE, NO_COLOR="1").stdout


def test_an_error_is_one_line_and_no_traceback():
    ran = shell("score", "nowhere.csv")
    assert ran.returncode == 2
    assert ran.stdout == b""
    assert ran.stderr == b"clustervet: nowhere.csv cannot be read: No such file or directory.\n"


def test_a_path_that_is_no_text():
    ran = shell(os.fsdecode(b"score"), os.fsdecode(b"/nowhere/\xff\xfe.csv"))
    assert ran.returncode == 2
    assert ran.stderr.count(b"\n") == 1
    assert b"Traceback" not in ran.stderr


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_any_locale_can_show_an_answer(locale):
    ran = shell("demo", LC_ALL=locale, LANG=locale, PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert (ran.returncode, ran.stderr) == (0, b"")


def test_a_reader_that_goes_away_ends_the_command_quietly():
    for arguments in (["measures", "--format", "json"], ["demo"]):
        process = subprocess.Popen(
            [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        process.stdout.close()
        error = process.stderr.read()
        process.stderr.close()
        assert process.wait(60) in (0, 141)
        assert error == b""


def test_output_into_head():
    ran = subprocess.run(
        ["bash", "-c", '"$0" measures --format json | head -1; exit "${PIPESTATUS[0]}"', *COMMAND],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (ran.stdout, ran.stderr) == (b"[\n", b"")
    assert ran.returncode in (0, 141)


def test_a_full_disk_is_said_in_one_line():
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [*COMMAND, "demo"], stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert ran.returncode != 0
    assert ran.stderr.count(b"\n") == 1
    assert b"Traceback" not in ran.stderr


@pytest.mark.parametrize("format", ["table", "csv"])
def test_hostile_names_do_not_reach_a_terminal(tmp_path, format):
    path = tmp_path / "t.csv"
    evil = "evil\x1b]0;title\x07\x1b[2J"
    path.write_text(f'y,"{evil}",c\na,0,0\nb,1,0\n')
    ours, theirs = pty.openpty()
    try:
        ran = subprocess.run(
            [*COMMAND, "score", str(path), "-t", "y", "-p", evil, "-p", "c", "-f", format],
            stdout=theirs,
            stderr=subprocess.PIPE,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"},
            timeout=60,
            check=False,
        )
        shown = os.read(ours, 65_536)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert b"rand" in shown
    assert b"\x1b]0;" not in shown
    assert b"\x1b[2J" not in shown
    assert b"\x07" not in shown


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_can_be_installed(name, tmp_path):
    """Whatever shell the tests are run from: the script is that of the shell that asks."""
    (tmp_path / name).symlink_to(shutil.which("bash"))  # named so, it counts as that shell
    ask = f'"{COMMAND[0]}" --show-completion; exit $?'  # a command after it keeps the shell alive
    ran = subprocess.run([tmp_path / name, "-c", ask], capture_output=True, timeout=60, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert f"complete_{name}".encode() in ran.stdout


def test_completion_offers_measures_and_families():
    words = {"_CLUSTERVET_COMPLETE": "complete_bash"}
    ran = shell(COMP_WORDS="clustervet measures adj", COMP_CWORD="2", **words)
    assert set(ran.stdout.decode().split()) == {k for k in cv.measures if k.startswith("adj")}
    ran = shell(COMP_WORDS="clustervet score x -m rand,adjusted_r", COMP_CWORD="4", **words)
    assert ran.stdout.decode().split() == ["rand,adjusted_rand"]
    ran = shell(COMP_WORDS="clustervet score x --family cod", COMP_CWORD="4", **words)
    assert ran.stdout.decode().split() == ["coding"]
    assert ran.stderr == b""


def commands(command=None, path=()):
    """Every command with its path: groups, and what is in them."""
    import typer

    from clustervet.cli.app import app

    command = command or typer.main.get_command(app)
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


COMMANDS = {" ".join(path): command for path, command in commands()}
# Parameters of functions that no command calls.
PYTHON_ONLY = {"n", "overlap"}
OPTION = re.compile(r"(?<![\w-])--[a-z](?:[a-z-]*[a-z])?(?![a-z-])")


def options_of(command):
    found = {"--help"}
    for parameter in command.params:
        found |= {*parameter.opts, *parameter.secondary_opts}
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_that_a_help_names_is_one_of_that_command(name):
    command = COMMANDS[name]
    texts = [command.help or "", *(getattr(one, "help", "") or "" for one in command.params)]
    named = {option for text in texts for option in OPTION.findall(text)}
    assert named <= options_of(command)


def literals(path):
    """The texts in a module, without docstrings of modules, classes and functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and id(node) not in documented:
            yield text


def test_every_option_that_a_message_names_is_one_of_a_command():
    source = Path(cv.__file__).parent
    every = {option for command in COMMANDS.values() for option in options_of(command)}
    of_file = {}
    for name, command in COMMANDS.items():
        of_file.setdefault(name.partition(" ")[0], set()).update(options_of(command))
    for path in sorted(source.rglob("*.py")):
        own = of_file.get(path.stem) if path.parent.name == "cli" else None
        for text in literals(path):
            assert set(OPTION.findall(text)) <= (own or every), (path.name, text)


def test_every_parameter_that_a_message_names_is_an_option():
    every = {option for command in COMMANDS.values() for option in options_of(command)}
    source = "\n".join(p.read_text() for p in sorted(Path(cv.__file__).parent.rglob("*.py")))
    for name in set(re.findall(r'Setting\("(\w+)"', source)) - PYTHON_ONLY:
        assert spell_option(Setting(name)) in every, name


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (["tune", "--no-such-option"], "clustervet tune"),
        (["lab", "axioms", "--no-such-option"], "clustervet lab axioms"),
        (["table", "merge"], "clustervet table merge"),
        (["score", "x.csv", "--format", "xml"], "clustervet score"),
        (["no-such-command"], "clustervet"),
        (["table", "no-such-command"], "clustervet table"),
    ],
)
def test_a_wrong_call_is_sent_to_the_help_of_its_command(refused, arguments, command):
    assert refused(*arguments).endswith(f"See `{command} --help`.")


def test_a_pipe_that_nobody_writes_into_is_waited_for_and_that_is_said(tmp_path):
    pipe = tmp_path / "labels.csv"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [*COMMAND, "score", str(pipe), "-m", "rand"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as waiting:
        told = waiting.stderr.readline()
        assert told == (
            f"clustervet: {pipe} is a pipe; waiting for something to be written into it.\n"
        )
        with pipe.open("w") as writer:
            writer.write("y,c\na,0\nb,1\n")
        out, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, err) == (0, "")
    assert "1.0000" in out


def test_waiting_for_a_pipe_can_be_interrupted(tmp_path):
    pipe = tmp_path / "labels.csv"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [*COMMAND, "score", str(pipe)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Background jobs of a shell ignore the signal.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as waiting:
        waiting.stderr.readline()
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=30)
    assert (waiting.returncode, out, err) == (130, "", "")


def test_settings_are_spelled_as_options():
    assert spell_option(Setting("shared", False)) == "--no-shared"
    assert spell_option(Setting("noise", {-1: "drop", 0: "class"})) == "--noise -1=drop 0=class"


def test_completion_offers_languages_and_models():
    assert [key for key, _ in options._complete_language("const")] == [
        key for key in languages if key.startswith("const")
    ]
    assert dict(options._complete_language("")) == {k: r.meaning for k, r in languages.items()}
    assert options._complete_model("si") == ["sizes"]
    assert options._complete_model("") == [*MODELS]


def test_a_file_of_the_current_folder_may_have_the_name_of_a_package(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("def mine(table):\n    return 0.25\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert options.load_object("json:mine", "a measure", "function")(None) == 0.25
    assert options.load_object("json:loads", "a measure", "function") is json.loads
    assert importlib.import_module("json") is json
    del sys.modules["own json"]


@pytest.mark.parametrize("text", ["1..2..3..4", "1,2..3..4..5"])
def test_a_range_has_at_most_three_parts(text):
    with pytest.raises(cv.ClustervetError, match="--values"):
        options.numbers(text, "--values")


def test_a_path_that_no_file_can_have_is_no_file():
    assert _identity("a\0b") is None
    assert _identity(os.devnull) is None
    assert _identity(__file__) == (os.stat(__file__).st_dev, os.stat(__file__).st_ino)


def test_an_output_without_a_handle_is_read_by_nobody(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert _reader_left()


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (typer.Abort(), 130), (MemoryError(), 2)]
)
def test_what_ends_a_command(run, monkeypatch, error, code):
    def fail(words):
        raise error

    monkeypatch.setattr("clustervet.cli.app.command_line", fail)
    assert run("measures").code == code


def test_a_module_of_ours_that_is_missing_is_our_mistake(run, monkeypatch):
    def fail(words):
        raise ModuleNotFoundError("No module named 'clustervet.no'", name="clustervet.no")

    monkeypatch.setattr("clustervet.cli.app.command_line", fail)
    with pytest.raises(ModuleNotFoundError):
        run("measures")


@pytest.mark.parametrize("words", [["score", "x"], ["lab", "dom"], ["--help"], [], ["nonsense"]])
def test_a_line_is_read_by_the_command_that_it_names_alone(words):
    found = command_line(words)
    known = [name for name in COMMANDS if name and " " not in name]
    assert [*found.commands] == (words[:1] if words[:1] and words[0] in known else known)
    assert found is command_line(words)
