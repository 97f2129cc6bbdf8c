"""Hostile files for every command that reads files, and odd dialects through every engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from fuzz.cases import Case, Kind, Verdict, failed
from fuzz.exact import MEASURES, card_fault
from fuzz.grammar import Drawn, columns_of, delimited, hostile_file, odd_dialect
from fuzz.rooms import Job, Room, run_command

ENGINES = ("", "duckdb", "polars", "dask")
SMALL = ("-m", ",".join(MEASURES), "-f", "json")


def _score(rng: random.Random, found: Drawn) -> list[str]:
    engine = rng.choice(("", "", "", *ENGINES))
    more = ["--engine", engine] if engine else []
    return ["score", found.name, "-t", found.truth, "-p", found.pred, *SMALL, *more]


def _other(rng: random.Random, found: Drawn) -> list[str]:
    """Return a command that reads the file for something else."""
    name, labels = found.name, ["-t", found.truth, "-p", found.pred]
    build = ["table", "build", name, *labels, "-o"]
    return rng.choice([
        ["score", name],
        ["score", name, name],
        ["score", name, "other.csv", "--id", "id", *labels],
        ["score", name, "-p", found.pred, "--features", "x*"],
        ["score", name, *labels, "--weights", "x1"],
        ["score", name, *labels, "--missing", "drop", "--noise", "drop", "--diagnose"],
        ["score", name, *labels, "--memory-limit", rng.choice(("1MB", "50MB", "1GB"))],
        ["score", name, *labels, "--aligned", "../out/aligned.csv"],
        ["score", name, "--memberships", "x1,x2", "--normalize", "-t", found.truth],
        ["score", name, "--cover", "--id", found.truth, "-t", found.pred, "-p", "x1"],
        ["score", name, "other.csv", "--cover"],
        ["score", name, name, "--tree"],
        ["score", name, "--tree", "-t", found.truth, "-p", found.pred],
        ["compare", name],
        ["compare", name, "-l", f"{found.truth},{found.pred}", "--aligned", "../out/aligned.csv"],
        ["drift", name, "--labels", f"{found.truth},{found.pred}"],
        ["drift", "other.csv", name, "--labels", found.pred, "--objects", "new"],
        ["drift", "other.csv", name, "--features", "x1,x2", "--labels", "c"],
        ["tendency", name],
        ["tendency", name, "--features", "x1,x2", "--metric", "gower"],
        ["stability", name, "--k", "2", "--samples", "3"],
        ["stability", name, "--k", "2", "--samples", "3", "--features", "x*", "-p", found.pred],
        ["compare", name, "other.csv"],
        ["compare", name, "-l", f"{found.truth},{found.pred}", "--shared"],
        ["compare", "other.csv", "-l", "y,c", "--query", name],
        ["tune", name, "--k", "2..3"],
        ["tune", name, "--features", "x1,x2", "--k", "2,3"],
        ["select", name, "-l", found.truth, "--k", "2", "--runs", "1", "-a", "kmeans"],
        ["select", name, "-l", found.truth, "--text", found.pred, "--k", "2", "--runs", "1",
         "-a", "spherical"],
        ["bound", name, *labels],
        ["estimate", name, *labels, "--sample", rng.choice(("clusters", "objects"))],
        ["estimate", name, *labels, "--sample", "clusters", "--sampling", "size", "--width", "0.1"],
        ["estimate", "other.csv", "-p", "c", "--id", "id", "--pairs", name, "--sample", "pairs"],
        ["report", name, *labels, "-o", "../out/page.md"],
        [*build, "../out/t.json"],
        [*build, "../out/t.parquet"],
        ["table", "merge", name, "-o", "../out/t.json"],
    ])  # fmt: skip


def draw(rng: random.Random) -> Case:
    """Draw a hostile file, and a command that reads it."""
    found = hostile_file(rng)
    scored = rng.random() < 0.5
    argv = _score(rng, found) if scored else _other(rng, found)
    if any("\0" in part for part in argv):  # no argument can hold it
        return draw(rng)
    other = delimited({"id": list(range(9))} | columns_of(rng, "plain", 9, ("y", "c")))
    return Case(
        "files",
        {
            "argv": argv,
            "expected": found.expected if scored else "any",
            "counts": found.counts if scored else [],
            "how": found.how,
            "allowed": [part[3:] for part in argv if part.startswith("../out/")],
        },
        {found.name: found.content, "other.csv": other},
    )


def run(case: Case, room: Room) -> Verdict:
    """Run the command, and hold its answer against what is known about the file."""
    recipe = case.recipe
    verdict, ran = run_command(room, case, Job(recipe["argv"]), recipe["allowed"])
    if verdict.failed:
        return verdict
    if verdict.outcome == "refused":
        if recipe["expected"] == "right":
            return failed(f"refused a plain file: {ran.err.strip()[:200]}", verdict.shown)
        return verdict
    if recipe["expected"] == "refused":
        return failed(f"answered from a file without a whole table: {recipe['how']}", verdict.shown)
    if recipe["expected"] == "any" or not recipe["counts"]:
        return verdict
    fault = card_fault(ran.out, recipe["counts"])
    return failed(f"wrong answer: {fault} ({recipe['how']})", verdict.shown) if fault else verdict


def smaller(case: Case) -> Iterator[Case]:
    """Yield cases with fewer options."""
    argv = case.recipe["argv"]
    for place in range(2, len(argv) - 1):
        if argv[place].startswith("-") and argv[place] not in ("-t", "-p", "-f", "-o", "-m"):
            yield case.having(argv=argv[:place] + argv[place + 2 :])


KIND = Kind("files", 20, draw, run, smaller)


def draw_dialect(rng: random.Random) -> Case:
    """Draw delimited text in an odd dialect."""
    found = odd_dialect(rng)
    argv = ["score", found.name, "-t", found.truth, "-p", found.pred, *SMALL]
    recipe = {"argv": argv, "expected": found.expected, "counts": found.counts, "how": found.how}
    return Case("dialects", recipe, {found.name: found.content})


def run_dialect(case: Case, room: Room) -> Verdict:
    """Read the file by every engine: the same counts, or a refusal by each.

    An engine may refuse alone if its sentence names duckdb, which reads the file.
    """
    recipe = case.recipe
    answers: dict[str, Any] = {}
    shown = [recipe["how"]]
    for engine in ENGINES:
        argv = [*recipe["argv"], "--engine", engine] if engine else recipe["argv"]
        verdict, ran = run_command(room, case, Job(argv))
        shown.append(verdict.shown)
        if verdict.failed:
            return failed(f"{verdict.reason} (engine {engine or 'none'})", "\n".join(shown))
        known = verdict.outcome == "right" and recipe["expected"] == "either"
        if known and (fault := card_fault(ran.out, recipe["counts"])):
            how = f"engine {engine or 'none'}, {recipe['how']}"
            return failed(f"wrong answer: {fault} ({how})", "\n".join(shown))
        if ran.code == 0 or engine in ("", "duckdb") or "duckdb" not in ran.err:
            answers[engine or "none"] = ran.out if ran.code == 0 else "refused"
    if len(set(answers.values())) > 1:
        who = [name for name, answer in answers.items() if answer == "refused"]
        how = f"refused by {', '.join(who)}" if who else "all answer"
        return failed(f"the engines differ: {how}", "\n".join(shown))
    refused = "refused" in answers.values()
    return Verdict("refused" if refused else "right", checks=len(ENGINES))


KIND_OF_DIALECTS = Kind("dialects", 8, draw_dialect, run_dialect)
