"""The tool that changes the source: what it changes, which tests it runs, and its list."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import run_mutants
from run_mutants import (
    LEFT_OUT,
    ROOT,
    Reach,
    known_equivalents,
    lines_naming,
    possible_changes,
    sampled,
    stale_equivalents,
)
from source_changes import KINDS, Change, changes_of, still_compiles

SOURCE = '''"""A docstring with 3 numbers > 2."""

from __future__ import annotations

LIMIT = 3
MANY = 20_000
Number = int | None


def walk(steps: int | None = None, width: int = 2, *, loud: bool = False) -> float:
    """Walk at least 1 step."""
    if (steps is None) or not (width > LIMIT and loud):  # é stays é
        raise ValueError(f"{width + 1} is wrong")
    total = 0.5
    total += max(width, steps)
    print("é", total)
    return (
        total
        * steps
    )
'''
CHANGES = changes_of(SOURCE.encode(), "src/clustervet/toy.py")


def made(kind):
    return {(change.before, change.after) for change in CHANGES if change.kind == kind}


def test_every_kind_of_change_is_made():
    assert {change.kind for change in CHANGES} == set(KINDS)
    test = "if (steps is None) or not (width > LIMIT and loud): # é stays é"
    assert made("comparison") == {
        (test, test.replace("is None", "is not None")),
        (test, test.replace(">", ">=")),
        (test, test.replace(">", "<=")),
    }
    assert made("and or") == {
        (test, test.replace(" or ", " and ")),
        (test, test.replace(" and ", " or ")),
    }
    assert made("dropped not") == {(test, test.replace("not (", "("))}
    assert ("return ( total * steps )", "return ( total / steps )") not in made("arithmetic")
    assert made("arithmetic") == {
        ("total += max(width, steps)", "total -= max(width, steps)"),
        ("total * steps", "total / steps"),
    }
    assert {after for _, after in made("constant")} == {
        "LIMIT = 4",
        "LIMIT = 2",
        "total = 1.5",
    }
    assert len(made("default")) == 4  # None, 2 up, 2 down, False
    assert ("total * steps", "None") in made("returned None")
    # Not those of max, which gives the same either way.
    assert {after for _, after in made("swapped arguments")} == {'print(total, "é")'}
    assert len(made("deleted statement")) == 4


def test_every_change_is_python_and_nothing_else_is_touched():
    before = SOURCE.splitlines()
    for change in CHANGES:
        assert still_compiles(change, SOURCE.encode()), change
        after = change.apply(SOURCE.encode()).decode().splitlines()
        assert after[: change.line - 1] == before[: change.line - 1]
        if len(after) == len(before):
            changed = [k for k, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
            assert all(k >= change.line - 1 for k in changed)
            assert len(changed) <= 1
        assert len(after) == len(before) or change.before == "total * steps"


def test_a_change_knows_where_it_takes_part():
    places = {change.kind: change for change in CHANGES}
    assert places["default"].body == range(11, 21)
    assert not places["default"].lines
    assert places["dropped not"].lines == range(12, 13)
    assert {c.lines for c in CHANGES if c.before == "total * steps"} == {range(17, 21)}
    assert next(c for c in CHANGES if c.before == "LIMIT = 3").body == range(1, 21)
    assert {change.function for change in CHANGES} == {"walk", "module"}
    assert {change.room for change in CHANGES} == {"toy"}


def test_changes_of_the_package_can_be_made_in_every_room():
    found = possible_changes()
    rooms = {p.stem for p in (ROOT / "src" / "clustervet").iterdir() if p.stem != "__pycache__"}
    assert rooms - LEFT_OUT - {"py"} == set(found)
    assert sum(map(len, found.values())) > 20_000
    for path in (ROOT / "src" / "clustervet" / "labels").glob("*.py"):
        source = path.read_bytes()
        for change in changes_of(source, f"src/clustervet/labels/{path.name}")[::9]:
            ast.parse(change.apply(source))


def test_a_sample_repeats_and_is_spread_over_rooms_and_kinds():
    one, again, other = sampled(100, 3, None), sampled(100, 3, None), sampled(100, 4, None)
    assert [c.key for c in one] == [c.key for c in again] != [c.key for c in other]
    assert len({c.key for c in one} & {c.key for c in other}) < 30
    rooms = Counter(change.room for change in one)
    assert max(rooms.values()) <= 4
    assert min(rooms.values()) >= 2
    assert len({change.kind for change in one}) == len(KINDS)
    inside = [change.key for change in one if change.room == "inference"]
    assert {c.key for c in sampled(len(inside), 3, "inference")} == set(inside)


def a_change(lines, body=None):
    where = ("src/clustervet/room/a.py", "f", "constant", 5, 0, 1, "x")
    return Change(*where, "before", "after", lines, body)


def test_tests_of_a_line_come_from_its_room_first_and_then_the_quickest():
    def test(seconds, lines, passed=True):
        return {"seconds": seconds, "passed": passed, "lines": {"room/a.py": lines}}

    reach = Reach(
        {
            "tests/other/test_b.py::slow": test(9.0, [5]),
            "tests/other/test_b.py::quick": test(0.1, [5, 9]),
            "tests/room/test_a.py::own": test(2.0, [5]),
            "tests/room/test_a.py::elsewhere": test(0.1, [9]),
            "tests/room/test_a.py::failing": test(0.1, [5], passed=False),
        }
    )
    own, quick, slow = (
        "tests/room/test_a.py::own",
        "tests/other/test_b.py::quick",
        "tests/other/test_b.py::slow",
    )
    assert reach.tests(a_change(range(5, 6)), 60) == [own, quick, slow]
    assert reach.tests(a_change(range(5, 6)), 5) == [own, quick]
    assert reach.tests(a_change(range(7, 8)), 60) == []
    assert len(reach.tests(a_change(range(0), range(1, 20)), 60)) == 4


def test_tests_of_a_constant_are_those_that_name_it_or_reach_its_use_first(monkeypatch):
    def test(seconds, lines):
        return {"seconds": seconds, "passed": True, "lines": {"room/a.py": lines}}

    naming, using, other = (
        "tests/common/test_a.py::naming",
        "tests/other/test_b.py::using",
        "tests/other/test_b.py::other",
    )
    reach = Reach({naming: test(5.0, []), using: test(3.0, [1, 9]), other: test(0.1, [1])})
    places = [("src/clustervet/room/a.py", 9), ("tests/common/test_a.py", 4)]
    monkeypatch.setattr(run_mutants, "lines_naming", {"MOST": places}.__getitem__)
    change = replace(a_change(range(0), range(1, 20)), before="MOST = 5")
    assert reach.tests(change, 60) == [naming, using, other]
    assert ("src/clustervet/_progress.py", 17) in lines_naming("PATIENCE")
    assert any(file == "tests/common/test_progress.py" for file, _ in lines_naming("PATIENCE"))


TOY = {
    "src/clustervet/__init__.py": "",
    "src/clustervet/toy.py": "def sign(x):\n    if x > 0:\n        return 1\n    return 0\n",
    "pytest.ini": "[pytest]\n",
    "test_toy.py": """
import subprocess
import sys
import threading

import pytest
from clustervet.toy import sign


@pytest.fixture(scope="module")
def shared():
    return sign(5)


def test_low():
    assert sign(-1) == 0


def test_high(shared):
    assert shared == 1


def test_high_again(shared):
    assert shared == 1


def test_thread():
    thread = threading.Thread(target=sign, args=(0,))
    thread.start()
    thread.join()


def test_process():
    subprocess.run([sys.executable, "-c", "from clustervet.toy import sign; sign(1)"], check=True)


def test_process_that_ends_at_once():
    program = "import os; from clustervet.toy import sign; sign(0); os._exit(0)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_wrong():
    assert sign(0) == 7
""",
}


@pytest.fixture
def toy(tmp_path):
    for name, text in TOY.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run(*arguments):
        here = os.pathsep.join([str(tmp_path / "src"), str(Path(__file__).parent)])
        plugins = ["-p", "reached_lines", "-p", "no:randomly", "-p", "no:cacheprovider"]
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *plugins, "test_toy.py", *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": here},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def test_lines_are_recorded_for_each_test_its_fixtures_threads_and_processes(toy, tmp_path):
    ran = toy("--record-lines", tmp_path / "lines.json")
    assert ran.returncode == 1, ran.stdout
    found = json.loads((tmp_path / "lines.json").read_text())
    lines = {name.rpartition("::")[2]: test["lines"].get("toy.py") for name, test in found.items()}
    assert lines == {
        "test_low": [1, 2, 4],
        "test_high": [1, 2, 3],
        "test_high_again": [1, 2, 3],
        "test_thread": [1, 2, 4],
        "test_process": [0, 1, 2, 3],  # this process imports the module too
        "test_process_that_ends_at_once": [0, 1, 2, 4],
        "test_wrong": [1, 2, 4],
    }
    assert [name.rpartition("::")[2] for name, t in found.items() if not t["passed"]] == [
        "test_wrong"
    ]


def test_chosen_tests_alone_are_run_in_the_order_given_and_a_change_is_noticed(toy, tmp_path):
    chosen = tmp_path / "chosen"
    chosen.write_text("test_toy.py::test_high\ntest_toy.py::test_low")
    ran = toy("--chosen-tests", chosen, "-vv", "-x")
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.index("test_high") < ran.stdout.index("test_low")
    assert "2 passed" in ran.stdout
    path = tmp_path / "src/clustervet/toy.py"
    source = path.read_bytes()
    (change,) = [c for c in changes_of(source, "src/clustervet/toy.py") if "<=" in c.after]
    path.write_bytes(change.apply(source))
    assert toy("--chosen-tests", chosen, "-x").returncode == 1
    assert (tmp_path / "chosen.failed").read_text() == "test_toy.py::test_high"


def test_what_is_listed_as_equivalent_is_still_in_the_source_and_has_its_reason():
    assert stale_equivalents() == []
    assert all(reason.endswith(".") for reason in known_equivalents().values())
