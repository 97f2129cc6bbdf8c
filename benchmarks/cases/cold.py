"""First runs: the package as it is right after installation, without any compiled code.

Each program runs twice in a new interpreter, on a copy of the package whose compiled code is kept
in an empty folder. The row is how much longer the first run takes. Its lower limit is 0 where
nothing is compiled; numba takes 0.1 s for a loop and 0.2 to 1 s for one with vector instructions.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import clustervet as cv
from harness import OURS, Row, Scale, limit

SMALL, LARGE = 10_000, 100_000
# Seconds that the first run may take longer.
LITTLE, MUCH = 1.5, 4.0
COMMANDS = {
    "score": "score table.csv -t y -p a -p b",
    "score --confidence": "score table.csv -t y -p a -p b --confidence 0.95",
    "score --chance": "score table.csv -t y -p a --chance sizes",
    "score --features": "score table.csv -p a --features x*",
    "tune": "tune table.csv --features x* --k 2..5",
    "select": "select table.csv --label y --features x* --algorithms kmeans --k 2..4 --runs 2",
    "bound": "bound part.csv -t y -p a",
    "compare": "compare table.csv --labels y,a,b",
    "report": "report table.csv -t y -p a -p b --features x* -o page.html",
}
CALLS = {
    "silhouette of 150 points": (LITTLE, "cv.silhouette(X[:150], a[:150])"),
    "consensus of 150 objects": (LITTLE, "cv.Ensemble([y[:150], a[:150], b[:150]]).consensus()"),
    "silhouette": (MUCH, "cv.silhouette(X[:30_000], a[:30_000])"),
    "consensus": (MUCH, "cv.Ensemble([y, a, b]).consensus()"),
    "distance_matrix": (MUCH, "cv.distance_matrix([y, a, b])"),
}
PROGRAM = """
import numpy as np
import clustervet as cv

rng = np.random.default_rng(0)
y, X = rng.integers(0, 5, {n}), rng.normal(size=({n}, 4))
a, b = (np.where(rng.random({n}) < 0.2, rng.integers(0, 5, {n}), y) for _ in range(2))
{call}
"""


def run(scale: Scale) -> Iterator[Row]:
    """Commands of the README on 10,000 objects, and calls on few and on many."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copytree(
            Path(cv.__file__).parent,
            folder / "site" / "clustervet",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        _write(folder, scale(SMALL))
        for name, line in COMMANDS.items():
            command = [sys.executable, "-m", "clustervet", *line.split()]
            yield _row(folder, f"clustervet {name}", command, f"n = {scale(SMALL):,}", LITTLE)
        for name, (most, call) in CALLS.items():
            program = PROGRAM.format(n=scale(LARGE), call=call)
            size = "" if name.endswith(("points", "objects")) else f"n ≤ {scale(LARGE):,}"
            yield _row(folder, name, [sys.executable, "-c", program], size, most)


def _write(folder: Path, n: int) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, n)
    columns = {"y": y}
    for name in "ab":
        columns[name] = np.where(rng.random(n) < 0.2, rng.integers(0, 5, n), y)
    points = rng.normal(size=(5, 4))[y] * 3 + rng.normal(size=(n, 4))
    columns |= {f"x{k}": column for k, column in enumerate(points.T)}
    table = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in table)]
    (folder / "table.csv").write_text("\n".join(lines))
    half = [",".join(line.split(",")[:2]) for line in lines]
    half[1::2] = ["," + line.partition(",")[2] for line in half[1::2]]
    (folder / "part.csv").write_text("\n".join(half))


def _row(folder: Path, what: str, command: list[str], size: str, most: float) -> Row:
    """How much longer the first run takes than the quicker of two later ones."""
    code = folder / "code"
    shutil.rmtree(code, ignore_errors=True)
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "site"),
        "NUMBA_CACHE_DIR": str(code),
        "CLUSTERVET_QUIET": "1",
    }
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        taken.append(time.perf_counter() - start)
    failed = ran.returncode != 0
    later = min(taken[1:])
    return Row(
        what=f"first run of {what}, minus a later one",
        size=size,
        peer=f"{OURS} alone",
        ours=max(0.0, taken[0] - later),
        goal=limit(most),
        note=ran.stderr.strip()[-160:] if failed else f"{taken[0]:.1f} s and {later:.1f} s",
        alarm=failed,
    )
