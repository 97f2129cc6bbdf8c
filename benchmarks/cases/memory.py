"""Peak memory of counting, each library in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from harness import OURS, Row, Scale, limit, size_of
from peers import why_missing

PROBE = Path(__file__).resolve().parent.parent / "probe.py"
SMALL = 1_000_000
PEERS = {"scikit-learn": "sklearn", "genieclust": "genieclust"}
GOAL_ROW = "scikit-learn"  # the goal concerns only clustervet, so it is checked once


def run(scale: Scale) -> Iterator[Row]:
    """100 million int32 labels, 400 MB per array."""
    n = scale(100_000_000)
    for clusters in (10, 1_000):
        if n > SMALL:
            _probe(OURS, SMALL, clusters)  # fills the cache of compiled loops first
        ours = _probe(OURS, n, clusters)
        for name, module in PEERS.items():
            theirs: dict[str, float | int | str] = (
                {"failure": why} if (why := why_missing(module)) else _probe(name, n, clusters)
            )
            yield _row(ours, theirs, name, size_of(n, clusters))


def _row(
    ours: dict[str, float | int | str], theirs: dict[str, float | int | str], name: str, size: str
) -> Row:
    if "failure" in ours:
        note, alarm = f"{OURS} {ours['failure']}", True
    elif "failure" in theirs:
        note, alarm = str(theirs["failure"]), False
    elif ours["squares"] != theirs["squares"]:
        note, alarm = "counts DIFFER", True
    else:
        note = f"same counts; whole process without the inputs: {ours['process']:.0f} MB"
        note, alarm = f"{note}, {name} {theirs['process']:.0f} MB", False
    return Row(
        what="peak memory of a table of int32 labels",
        size=size,
        peer=name,
        ours=_figure(ours),
        theirs=_figure(theirs),
        unit="MB",
        goal=limit(300) if name == GOAL_ROW else None,
        value_ours=ours.get("squares"),
        value_peer=theirs.get("squares"),
        note=note,
        alarm=alarm,
    )


def _figure(answer: dict[str, float | int | str]) -> float | None:
    return float(answer["rise"]) if "rise" in answer else None


def _probe(library: str, n: int, clusters: int) -> dict[str, float | int | str]:
    command = [sys.executable, str(PROBE), library, str(n), str(clusters)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        return {"failure": f"failed: {last[:160]}"}
    answer: dict[str, float | int | str] = json.loads(done.stdout)
    return answer
