"""`python -m fuzz` attacks; `python -m fuzz replay FOLDER` runs a kept failure again."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
from pathlib import Path

from fuzz.attack import KINDS, Attack, shown, to_stderr, verdict_on, write
from fuzz.cases import FAILURES, ROOT, load
from fuzz.rooms import Room


def main() -> int:
    """Run the command, and return its exit code: 1 where something failed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    attack = commands.add_parser("attack", help="attack for some minutes")
    attack.add_argument("--minutes", type=float, default=60.0)
    attack.add_argument("--seed", type=int, help="drawn at random by default, and printed")
    attack.add_argument("--kinds", help=f"separated by commas: {', '.join(KINDS)}")
    attack.add_argument("--workers", type=int, default=os.cpu_count() or 2)
    attack.add_argument("--cases", type=int, help="most cases of each kind")
    attack.add_argument("--summary", type=Path, default=FAILURES / "summary.json")
    replay = commands.add_parser("replay", help="run kept failures again")
    replay.add_argument("folders", type=Path, nargs="+")
    adopt = commands.add_parser("adopt", help="make a mended failure a regression test")
    adopt.add_argument("folder", type=Path)
    adopt.add_argument("name", help="what it is about, as a file name")
    given = parser.parse_args(sys.argv[1:] or ["attack"])
    if given.command == "replay":
        return _replay(given.folders)
    if given.command == "adopt":
        return _adopt(given.folder, given.name)
    seed = random.SystemRandom().randrange(10**6) if given.seed is None else given.seed
    to_stderr(f"seed {seed}")
    names = given.kinds.split(",") if given.kinds else None
    unknown = set(names or ()) - set(KINDS)
    if unknown:
        parser.error(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}.")
    found = Attack(
        seed, given.minutes, names, workers=given.workers, limit=given.cases, tell=to_stderr
    ).run()
    write(found, given.summary)
    print(shown(found))
    return 1 if found["failures"] else 0


def _replay(folders: list[Path]) -> int:
    """Run kept cases again, in fresh processes."""
    failures = 0
    with Room() as room:
        for folder in folders:
            case = load(folder)
            room.fresh_only = case.kind not in ("tables", "labels")
            verdict = verdict_on(case, room)
            failures += verdict.failed
            print(f"{folder}: {verdict.outcome} {verdict.reason}\n{verdict.shown}")
    return 1 if failures else 0


def _adopt(folder: Path, name: str) -> int:
    """Copy a kept failure to the cases that the tests replay."""
    target = ROOT / "tests" / "fuzz" / "cases" / name
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("output.txt"))
    print(f"{target.relative_to(ROOT)} is replayed by tests/fuzz/test_attack.py.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
