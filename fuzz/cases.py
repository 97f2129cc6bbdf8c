"""What the attack runs, what comes of it, and how a failure is kept.

A case is all that is needed to run something again: a recipe that JSON can hold, and input files.
Its seed and number say how it was drawn; replaying needs neither.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from fuzz.rooms import Room

ROOT = Path(__file__).resolve().parent.parent
FAILURES = ROOT / "fuzz" / "failures"
Outcome = Literal["right", "refused", "skipped", "failed"]


@dataclass(frozen=True)
class Case:
    """One thing to run.

    Attributes
    ----------
    kind : str
        The kind of attack that knows how to run it.
    recipe : dict
        What to run, in values that JSON can hold.
    files : dict
        Input files by name.
    origin : str
        Seed, kind and number by which it was drawn.
    """

    kind: str
    recipe: dict[str, Any]
    files: Mapping[str, bytes] = field(default_factory=dict)
    origin: str = ""

    def having(self, **parts: Any) -> Case:
        """Return the same case with some parts of its recipe changed."""
        return replace(self, recipe=self.recipe | parts)


@dataclass(frozen=True)
class Verdict:
    """What came of a case: a right answer, a refusal, or a failure with its reason.

    `checks` counts what was compared, and `shown` is what the product printed.
    """

    outcome: Outcome
    reason: str = ""
    shown: str = ""
    checks: int = 1

    @property
    def failed(self) -> bool:
        """Return whether the product failed."""
        return self.outcome == "failed"

    @property
    def signature(self) -> str:
        """Return the reason without what differs from case to case."""
        text = re.sub(r"(?:/[\w.~-]+)+/?", "PATH", self.reason)
        text = re.sub(r"'[^']{0,400}'|\"[^\"]{0,400}\"", "'...'", text)
        return re.sub(r"[-+]?\d[\d.,e+-]*", "N", text)[:140]


@dataclass(frozen=True)
class Kind:
    """A kind of attack.

    Attributes
    ----------
    name : str
        Its name in the summary.
    share : float
        Its share of the time, beside the shares of the others.
    draw : callable
        Draws a case.
    run : callable
        Runs a case in a room.
    smaller : callable
        Yields smaller cases that may fail in the same way.
    alone : bool
        Whether only one case of the kind may run at a time.
    """

    name: str
    share: float
    draw: Callable[[random.Random], Case]
    run: Callable[[Case, Room], Verdict]
    smaller: Callable[[Case], Iterable[Case]] = lambda case: ()
    alone: bool = False

    def drawn(self, seed: int, number: int) -> Case:
        """Return the case of a seed and a number, always the same one."""
        origin = f"{seed} {self.name} {number}"
        return replace(self.draw(random.Random(origin)), origin=origin)


def right(checks: int = 1) -> Verdict:
    """Return the verdict on a right answer."""
    return Verdict("right", checks=checks)


def failed(reason: str, shown: str = "") -> Verdict:
    """Return the verdict on a failure."""
    return Verdict("failed", reason, shown)


def keep(case: Case, verdict: Verdict, folder: Path, command: str = "") -> Path:
    """Write a case and what came of it to a folder of its own, and return the folder.

    Parameters
    ----------
    case : Case
        The case.
    verdict : Verdict
        What came of it.
    folder : Path
        Where the folder of the case is made.
    command : str, optional
        The case as a line for a shell, for people to read.

    Returns
    -------
    Path
        The folder, whose name does not depend on when it was made.
    """
    about = {
        "kind": case.kind,
        "origin": case.origin,
        "reason": verdict.reason,
        "command": command,
        "recipe": case.recipe,
        "files": sorted(case.files),
    }
    text = json.dumps(about, indent=1, ensure_ascii=True)
    digest = hashlib.sha256(text.encode())
    for name in sorted(case.files):
        digest.update(case.files[name])
    place = folder / f"{case.kind.replace(' ', '-')}-{digest.hexdigest()[:10]}"
    (place / "files").mkdir(parents=True, exist_ok=True)
    (place / "case.json").write_text(text + "\n", encoding="utf-8")
    for name, content in case.files.items():
        (place / "files" / stored_name(name)).write_bytes(content)
    (place / "output.txt").write_text(verdict.shown, encoding="utf-8", errors="backslashreplace")
    return place


def load(folder: Path) -> Case:
    """Return the case that a folder keeps."""
    about = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    files = {name: (folder / "files" / stored_name(name)).read_bytes() for name in about["files"]}
    return Case(about["kind"], about["recipe"], files, about["origin"])


def stored_name(name: str) -> str:
    """Return the name of a file as any file system takes it."""
    if re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,100}", name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return f"named-{base64.b32encode(digest[:10]).decode().lower()}"


def shrunk(
    case: Case,
    verdict: Verdict,
    smaller: Callable[[Case], Iterable[Case]],
    again: Callable[[Case], Verdict],
    more: Callable[[], bool],
) -> tuple[Case, Verdict]:
    """Return the smallest case found that fails as this one does.

    Parameters
    ----------
    case, verdict : Case, Verdict
        The case, and how it failed.
    smaller : callable
        Yields smaller cases.
    again : callable
        Runs a case.
    more : callable
        Returns whether there is time for one more run.

    Returns
    -------
    tuple
        The case and its verdict.
    """
    found = case, verdict
    progress = True
    while progress and more():
        progress = False
        for candidate in smaller(found[0]):
            if candidate == found[0]:
                continue
            if not more():
                break
            tried = again(candidate)
            if tried.failed and tried.signature == verdict.signature:
                found, progress = (candidate, tried), True
                break
    return found


def without_each(items: list[Any], least: int = 0) -> Iterator[list[Any]]:
    """Yield a list without its halves, its quarters, ..., and each single item."""
    size = len(items) // 2
    while size:
        for first in range(0, len(items), size):
            rest = items[:first] + items[first + size :]
            if least <= len(rest) < len(items):
                yield rest
        size //= 2
