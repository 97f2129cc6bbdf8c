"""The attack: all kinds side by side for some minutes, and a summary with counts."""

from __future__ import annotations

import json
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz import disks, engines, files, forged, kills, labels, lines, pages, structures, tables
from fuzz.cases import FAILURES, Case, Kind, Verdict, keep, shrunk
from fuzz.rooms import Room, command_of

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        tables.KIND,
        labels.KIND,
        files.KIND,
        files.KIND_OF_DIALECTS,
        structures.KIND,
        lines.KIND,
        forged.KIND,
        forged.KIND_OF_JOURNALS,
        kills.KIND,
        pages.KIND,
        disks.KIND,
        engines.KIND,
    )
}
# Kinds whose runs are forked; what fails there must fail in a fresh process too.
FORKED = {
    *("files", "dialects", "structures", "lines", "forged tables", "forged journals", "disks"),
    "pages",
}
# Folders that are kept for one and the same failure, and seconds to make the first one smaller.
FOLDERS, SHRINKING = 3, 40.0


@dataclass
class Tally:
    """What came of the cases of one kind."""

    outcomes: Counter[str] = field(default_factory=Counter)
    checks: int = 0
    seconds: float = 0.0
    number: int = 0
    busy: int = 0


@dataclass
class Found:
    """One distinct failure: how often it was seen, and folders that keep it."""

    kind: str
    reason: str
    times: int = 0
    folders: list[str] = field(default_factory=list)


def verdict_on(case: Case, room: Room, known: Container[tuple[str, str]] = ()) -> Verdict:
    """Run a case, and once more in fresh processes where it failed in a forked one.

    Parameters
    ----------
    case : Case
        The case.
    room : Room
        Where to run it.
    known : container
        Kinds and signatures of failures that need no second run.

    Returns
    -------
    Verdict
        What came of it; a failure that a fresh process does not show is skipped, with the reason.
    """
    kind = KINDS[case.kind]
    verdict = _run(kind, case, room)
    alike = (case.kind, verdict.signature) in known
    if not verdict.failed or alike or case.kind not in FORKED or room.fresh_only:
        return verdict
    room.fresh_only = True
    try:
        again = _run(kind, case, room)
    finally:
        room.fresh_only = False
    if again.failed:
        return again
    return Verdict("skipped", f"only in a forked process: {verdict.reason}", verdict.shown)


def _run(kind: Kind, case: Case, room: Room) -> Verdict:
    try:
        return kind.run(case, room)
    except Exception:
        return Verdict("failed", f"the attack itself: {traceback.format_exc(limit=-3)}")


class Attack:
    """Runs cases of all kinds until time is up.

    Parameters
    ----------
    seed : int
        Decides every case together with its kind and number.
    minutes : float
        How long.
    names : iterable of str, optional
        Kinds to run; all by default.
    workers : int
        Cases at a time.
    folder : Path
        Where failures are kept.
    before : str
        Python code that every process of the product runs first, such as a planted fault.
    limit : int, optional
        Most cases of each kind.
    room : Room, optional
        A room to run all cases in, one after another, instead of one room per worker.
    tell : callable, optional
        Is called with a line about every failure.
    """

    def __init__(
        self,
        seed: int,
        minutes: float,
        names: Iterable[str] | None = None,
        *,
        workers: int = 2,
        folder: Path = FAILURES,
        before: str = "",
        limit: int | None = None,
        room: Room | None = None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.seed, self.minutes, self.folder, self.before = seed, minutes, folder, before
        self.kinds = [KINDS[name] for name in (names or KINDS)]
        self.workers, self.limit, self.room, self.tell = workers, limit, room, tell
        self.tallies = {kind.name: Tally() for kind in self.kinds}
        self.found: dict[tuple[str, str], Found] = {}
        self.skipped: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._end = 0.0

    def run(self) -> dict[str, Any]:
        """Run, and return the summary."""
        began = time.monotonic()
        self._end = began + 60 * self.minutes
        if self.room is not None:
            self._work(self.room)
            return self.summary(time.monotonic() - began)
        threads = [threading.Thread(target=self._work_alone) for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self._end = 0.0  # the cases that run are the last ones
            for thread in threads:
                thread.join()
        return self.summary(time.monotonic() - began)

    def _work_alone(self) -> None:
        with Room(self.before) as room:
            self._work(room)

    def _work(self, room: Room) -> None:
        while (chosen := self._next()) is not None:
            kind, number = chosen
            began = time.monotonic()
            try:
                self._one(kind, number, room)
            finally:
                with self._lock:
                    self.tallies[kind.name].busy -= 1
                    self.tallies[kind.name].seconds += time.monotonic() - began

    def _next(self) -> tuple[Kind, int] | None:
        """Return the kind that has had least of its share of the time, and the number of a case."""
        with self._lock:
            if time.monotonic() >= self._end:
                return None
            free = [
                kind
                for kind in self.kinds
                if not (kind.alone and self.tallies[kind.name].busy)
                and (self.limit is None or self.tallies[kind.name].number < self.limit)
            ]
            if not free:
                return None
            # A case that runs counts for a second, so that kinds take turns from the start.
            kind = min(
                free,
                key=lambda k: (self.tallies[k.name].seconds + self.tallies[k.name].busy) / k.share,
            )
            tally = self.tallies[kind.name]
            tally.busy += 1
            tally.number += 1
            return kind, tally.number

    def _one(self, kind: Kind, number: int, room: Room) -> None:
        case = kind.drawn(self.seed, number)
        verdict = verdict_on(case, room, self.found)
        with self._lock:
            tally = self.tallies[kind.name]
            tally.outcomes[verdict.outcome] += 1
            tally.checks += verdict.checks
            if verdict.outcome == "skipped":
                self.skipped[f"{kind.name}: {verdict.reason[:200]}"] += 1
            if not verdict.failed:
                return
            seen = self.found.setdefault(
                (kind.name, verdict.signature), Found(kind.name, verdict.reason)
            )
            seen.times += 1
            first, full = seen.times == 1, len(seen.folders) >= FOLDERS
        if full:
            return
        if first:
            until = time.monotonic() + SHRINKING
            case, verdict = shrunk(
                case,
                verdict,
                kind.smaller,
                lambda tried: _run(kind, tried, room),
                lambda: time.monotonic() < min(until, self._end),
            )
        command = command_of(case.recipe["argv"]) if "argv" in case.recipe else ""
        place = keep(case, verdict, self.folder, command)
        with self._lock:
            seen.folders.append(str(place))
            if first:
                seen.reason = verdict.reason
        if first:
            self.tell(f"{kind.name} {number}: {verdict.reason[:300]}\n    {place}")

    def summary(self, seconds: float) -> dict[str, Any]:
        """Return the counts of every kind, and the distinct failures.

        Parameters
        ----------
        seconds : float
            How long it took.

        Returns
        -------
        dict
            What `python -m fuzz` prints, and writes as JSON.
        """
        kinds = {
            name: {
                "runs": sum(tally.outcomes.values()),
                "checks": tally.checks,
                "right": tally.outcomes["right"],
                "refused": tally.outcomes["refused"],
                "skipped": tally.outcomes["skipped"],
                "failed": tally.outcomes["failed"],
                "seconds": round(tally.seconds, 1),
            }
            for name, tally in self.tallies.items()
        }
        failures = sorted(self.found.values(), key=lambda found: (found.kind, -found.times))
        return {
            "seed": self.seed,
            "seconds": round(seconds, 1),
            "kinds": kinds,
            "failures": [vars(found) for found in failures],
            "skipped": dict(self.skipped),
        }


def shown(summary: dict[str, Any]) -> str:
    """Return a summary as text.

    Parameters
    ----------
    summary : dict
        The summary of an attack.

    Returns
    -------
    str
        One row per kind, then one paragraph per distinct failure.
    """
    columns = ("runs", "checks", "right", "refused", "skipped", "failed", "seconds")
    rows: list[tuple[str, ...]] = [("kind", *columns)]
    rows += [(name, *(f"{row[c]:,}" for c in columns)) for name, row in summary["kinds"].items()]
    whole = (sum(row[c] for row in summary["kinds"].values()) for c in columns)
    rows.append(("all", *(f"{round(x):,}" for x in whole)))
    text = [f"seed {summary['seed']}, {summary['seconds'] / 60:.1f} minutes", ""]
    text += [f"{row[0]:<16}" + "".join(f"{cell:>11}" for cell in row[1:]) for row in rows]
    for found in summary["failures"]:
        text += ["", f"{found['kind']}, {found['times']} times: {found['reason'][:400]}"]
        text += [f"    python -m fuzz replay {folder}" for folder in found["folders"][:1]]
    for reason, times in summary["skipped"].items():
        text += ["", f"skipped {times} times: {reason}"]
    return "\n".join(text)


def write(summary: dict[str, Any], path: Path) -> None:
    """Write a summary as JSON.

    Parameters
    ----------
    summary : dict
        The summary of an attack.
    path : Path
        The file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")


def to_stderr(line: str) -> None:
    """Print a line about a failure as soon as it is found."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
