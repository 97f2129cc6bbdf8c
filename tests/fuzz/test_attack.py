"""A short attack with a fixed seed, kept cases, and faults that the attack must notice."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from fuzz import attack, forged
from fuzz.attack import KINDS, Attack, shown, verdict_on
from fuzz.cases import ROOT, Case, keep, load, right, shrunk
from fuzz.engines import KIND as ENGINES
from fuzz.files import KIND as FILES
from fuzz.forged import KIND_OF_JOURNALS, checksum_of, honest
from fuzz.kills import end_fault
from fuzz.rooms import Job, Room, judged, sentence_fault
from fuzz.structures import KIND as STRUCTURES

SEED = 16
CASES = sorted((ROOT / "tests" / "fuzz" / "cases").glob("*/case.json"))


def attacked(folder, names, limit, room):
    return Attack(SEED, 5, names, folder=folder, limit=limit, room=room).run()


@pytest.fixture(scope="module")
def room():
    with Room() as made:
        yield made


@pytest.fixture(scope="module")
def faulty():
    """A room in which the command `score` does what the name of its file says, and rand is off."""
    with Room(PLANTED) as made:
        yield made


# The short attack


@pytest.mark.parametrize(
    ("names", "limit"),
    [
        (["tables", "labels"], 10),
        (["files", "forged tables"], 20),
        (["lines", "structures"], 20),
        (["dialects", "disks"], 5),
        (["forged journals"], 5),
        (["kills"], 3),
        (["pages"], 1),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_a_short_attack_finds_nothing(tmp_path, room, names, limit):
    found = attacked(tmp_path, names, limit, room)
    assert not found["failures"], shown(found)
    assert all(kind["runs"] == limit for kind in found["kinds"].values())


def test_a_cluster_that_loses_a_worker_answers_rightly_or_says_so(room):
    recipe = {"engine": "dask", "moment": 4.0, "both": False, "form": "parquet"}
    verdict = ENGINES.run(Case("engines", recipe), room)
    assert verdict.outcome in ("right", "refused"), verdict.shown


@pytest.mark.parametrize("place", CASES, ids=lambda place: place.parent.name)
def test_what_was_mended_stays_mended(room, place):
    case = load(place.parent)
    verdict = verdict_on(case, room)
    assert not verdict.failed, f"{verdict.reason}\n{verdict.shown}"


# The attack notices


# By the name of the input file: what the command does before it answers.
FAULTS = {
    "traceback": ("raise RuntimeError('boom')", "exit code 1: RuntimeError: boom"),
    "code": ("raise SystemExit(3)", "exit code 3"),
    "abort": ("os.abort()", "exit code -6"),
    "change": ("open(files[0], 'ab').write(b'x,y')", "was changed"),
    "remove": ("os.remove(files[0])", "was removed"),
    "stray": ("open('stray.txt', 'w').close()", "was left beside the inputs"),
    "temporary": ("tempfile.mkstemp()", "a file was left behind: tmp/"),
    "half": ("print('half'); raise FileError('it is odd.')", "after a part of the answer"),
    "words": ("sys.stderr.write('hello\\n')", "a stray line on stderr"),
    "warning": ("warnings.warn('odd', RuntimeWarning)", "a stray line on stderr"),
    "engine": ("raise FileError('duckdb.IOException: odd.')", "words of another program"),
    "lines": ("sys.stderr.write('x\\n'); raise FileError('it is odd.')", "no whole sentence"),
    "forked": ("assert __spec__ is None, 'forked'", "exit code 1: AssertionError: forked"),
    "sleep": ("time.sleep(600)", "no end within the time limit"),
    "deaf": (
        "signal.set_wakeup_fd(-1); signal.signal(2, signal.SIG_IGN); time.sleep(600)",
        "no end at all after SIGINT",
    ),
}
CODES = {name: code for name, (code, _) in FAULTS.items()}
# The code is run in the process of the product, before the product.
PLANTED = f"""
import os, pathlib, signal, sys, tempfile, time, warnings
import clustervet.scorecard.score_files as place
from clustervet.errors import FileError
from clustervet.registry import Measure

score, value = place.score_files, Measure.evaluate

def score_files(files, *rest, **options):
    __spec__ = sys.modules["__main__"].__spec__
    exec({CODES!r}.get(pathlib.Path(files[0]).stem, ""))
    return score(files, *rest, **options)

def evaluate(self, subject, **parameters):
    found = value(self, subject, **parameters)
    return found._replace(value=found.value * (1 + 1e-9)) if self.key == "rand" else found

place.score_files, Measure.evaluate = score_files, evaluate
"""
CONTENT = b"y,c\na,1\na,2\nb,1\n"


def scored(name, **known):
    """A case in which the command `score` reads a file of this name."""
    argv = ["score", f"{name}.csv", "-t", "y", "-p", "c", "-m", "ari,rand", "-f", "json"]
    recipe = {"argv": argv, "expected": "any", "counts": [], "how": "", "allowed": []}
    return Case("files", recipe | known, {f"{name}.csv": CONTENT})


@pytest.mark.parametrize("name", [name for name in FAULTS if name not in ("sleep", "deaf")])
def test_it_notices_a_command_that_misbehaves(faulty, name):
    verdict = FILES.run(scored(name), faulty)
    assert verdict.failed, verdict.shown
    assert FAULTS[name][1] in verdict.reason


def test_it_notices_nothing_where_there_is_nothing(faulty):
    assert FILES.run(scored("plain"), faulty).outcome == "right"


def test_it_notices_a_measure_that_is_off_by_a_thousand_millionth(tmp_path, faulty, monkeypatch):
    monkeypatch.setattr(attack, "SHRINKING", 5.0)
    (failure,) = attacked(tmp_path, ["tables"], 1, faulty)["failures"]
    assert failure["reason"].startswith("rand is ")
    assert "off by " in failure["reason"]
    case = load(Path(failure["folders"][0]))
    assert len(case.recipe["tables"]) == 1  # it was made smaller
    assert verdict_on(case, faulty).failed


def test_it_notices_a_wrong_answer_about_a_file(faulty):
    verdict = FILES.run(scored("plain", expected="right", counts=[[1, 1], [1, 0]]), faulty)
    assert "wrong answer: rand is " in verdict.reason


def test_it_notices_an_answer_about_a_file_that_is_cut(faulty):
    verdict = FILES.run(scored("plain", expected="refused"), faulty)
    assert verdict.reason.startswith("answered from a file without a whole table")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"wanted": {"omega_index": 0.5}}, "wrong answer: omega_index is 1.0, not 0.5"),
        ({"wanted": {"rand": 1.0}}, "wrong answer: there is no rand"),
        ({"expected": "refused"}, "answered from what is none"),
        ({"argv": ["score", "t.csv", "--cover"]}, "refused what is in order"),
        ({"check": "kept"}, "wrong answer: the answer cannot be read: KeyError"),
    ],
)
def test_it_notices_a_wrong_answer_about_a_cover(room, changed, reason):
    argv = ["score", "t.csv", "p.csv", "--cover", "-f", "json"]
    recipe = {"argv": argv, "expected": "right", "how": "cover", "check": "scores", "counts": []}
    recipe |= {"wanted": {"omega_index": 1.0}, "labels": [], "allowed": []}
    files = {"t.csv": b"object,group\na,x\nb,x\nb,y\n", "p.csv": b"o,g\nb,2\nb,1\na,1\n"}
    case = Case("structures", recipe, files)
    assert STRUCTURES.run(case, room).outcome == "right"
    verdict = STRUCTURES.run(case.having(**changed), room)
    assert verdict.failed, verdict.shown
    assert verdict.reason.startswith(reason)


TIMES = b"a,b,c,x\nu,1,1,0\nu,1,1,1\nv,1,1,2\nv,2,1,3\nv,2,1,4\n"


@pytest.mark.parametrize(
    ("check", "argv", "reason"),
    [
        ("kept", ["drift", "t.csv", "--labels", "a,c"], "clusters are "),
        (
            "shares",
            ["drift", "t.csv", "p.csv", "--labels", "a", "--objects", "new"],
            "the same shares are ",
        ),
        (
            "aligned",
            ["score", "t.csv", "-t", "a", "-p", "b", "--aligned", "../out/aligned.csv"],
            "5 objects are aligned, not 1",
        ),
        (
            "stable",
            ["stability", "t.csv", "--features", "x", "--k", "2", "--samples", "4", "-e", "ward"],
            "two clear clusters have the stability ",
        ),
    ],
)
def test_it_notices_a_wrong_answer_about_times_names_and_points(room, check, argv, reason):
    recipe = {"argv": [*argv, "-f", "json"], "expected": "right", "how": "", "check": check}
    recipe |= {"counts": [], "labels": ["u"], "allowed": ["out/aligned.csv"]}
    verdict = STRUCTURES.run(
        Case("structures", recipe, {"t.csv": TIMES, "p.csv": TIMES[:24]}), room
    )
    assert verdict.reason.startswith(f"wrong answer: {reason}"), verdict.shown


def test_a_failure_that_only_a_forked_process_shows_is_no_failure(faulty):
    verdict = verdict_on(scored("forked"), faulty)
    assert verdict.outcome == "skipped"
    assert verdict.reason.startswith("only in a forked process: exit code 1")


@pytest.mark.parametrize(("name", "signals"), [("sleep", []), ("deaf", [(2.5, signal.SIGINT)])])
def test_it_notices_a_command_that_never_ends(faulty, name, signals):
    case = scored(name)
    faulty.enter(case.files)
    ran = faulty.run(Job(case.recipe["argv"], seconds=4, signals=signals))
    fault = end_fault(ran, "INT") if signals else judged(ran, case.recipe["argv"]).reason
    assert fault == FAULTS[name][1]


def test_it_notices_another_result_of_a_resumed_selection(room, monkeypatch):
    """An honest journal of other data gives another result, or is refused."""
    case = KIND_OF_JOURNALS.drawn(SEED, 1).having(how="nothing", signed=False)
    monkeypatch.setattr(forged, "forge", lambda path, recipe: _other_points(path))
    verdict = KIND_OF_JOURNALS.run(case, room)
    assert verdict.failed
    assert "another result" in verdict.reason


def _other_points(path):
    """Put another table in the place of the one that was selected on, and forget its journal."""
    path.unlink()
    table = path.parent.parent / "in" / "table.csv"
    lines = table.read_text().splitlines()
    table.write_text("\n".join(lines[:30]) + "\n")


def test_it_notices_a_page_whose_labels_run(room):
    from fuzz.pages import opened

    room.enter({})
    page = room.outputs / "page.html"
    page.write_text("<body>x<script>window.hacked = 1; console.log('hello')</script>")
    assert opened(room) == ["it says on the console: hello", "a script of a label has run"]
    page.write_text("<body>x<img src='http://127.0.0.1:1/x.png'>")
    assert opened(room)[0] == "it asks for http://127.0.0.1:1/x.png"
    page.write_text("<body>nothing else</body>")
    assert opened(room) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("clustervet: there is no column 'y' in t.csv.", ""),
        ("", "empty"),
        ("clustervet: IO Error: no such file.", "another program"),
        ("clustervet: <duckdb object at 0x7f3210aa>.", "another program"),
        ("clustervet: one.\nclustervet: two.", "2 lines"),
        ("clustervet: \x1b[31mred.", "cannot be printed"),
        ("clustervet: and then", "no whole sentence"),
    ],
)
def test_what_a_clear_sentence_is(text, fault):
    assert (fault in sentence_fault(text)) if fault else not sentence_fault(text)


# The tools of the attack


def test_a_case_is_the_same_for_the_same_seed_and_number():
    for kind in KINDS.values():
        assert kind.drawn(3, 5) == kind.drawn(3, 5)
        assert kind.drawn(3, 5).recipe != kind.drawn(4, 5).recipe
        assert json.loads(json.dumps(kind.drawn(3, 5).recipe)) == kind.drawn(3, 5).recipe


def test_names_of_files_survive_being_kept(tmp_path):
    files = {"a b\n.csv": b"1", "../x": b"2", "plain.csv": b"3", "\udcff": b"4"}
    case = Case("files", {"argv": []}, files)
    assert load(keep(case, right(), tmp_path)).files == files


def test_a_case_is_made_smaller_as_long_as_it_fails_in_the_same_way():
    from fuzz.cases import Verdict, without_each

    def again(case):
        bad = 7 in case.recipe["items"]
        return Verdict("failed", "seven") if bad else right()

    case = Case("x", {"items": list(range(20))})

    def smaller(case):
        return (case.having(items=rest) for rest in without_each(case.recipe["items"]))

    least, _ = shrunk(case, again(case), smaller, again, lambda: True)
    assert least.recipe["items"] == [7]


def test_the_forger_knows_the_checksum(room):
    document = honest([[5, 1], [2, 7]])
    assert document["checksum"] == checksum_of(document)
    room.enter({"t.json": json.dumps(document).encode()})
    ran = room.run(Job(["score", "t.json", "-m", "ari", "-f", "json"]))
    assert ran.code == 0, ran
    assert json.loads(ran.out)["objects"] == 15


def test_the_forger_can_sign_a_journal(room):
    case = KIND_OF_JOURNALS.drawn(SEED, 1).having(how="vacuumed", signed=True)
    assert KIND_OF_JOURNALS.run(case, room).outcome == "right"
