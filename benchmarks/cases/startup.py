"""New interpreters: the time of imports, and of a whole run of the command."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from compare import judge
from harness import OURS, Row, Scale, at_most, timed
from peers import why_missing

RUNS = 7
OTHER_RUNS = 3  # no goal depends on these peers, and some take seconds
CLOCK = "import time; s = time.perf_counter(); import {module}; print(time.perf_counter() - s)"
MODULES = {
    "scikit-learn": "sklearn.metrics",
    "genieclust": "genieclust",
    "igraph": "igraph",
    "clusim": "clusim.sim",
    "networkit": "networkit",
    "torchmetrics": "torchmetrics.functional.clustering",
}


def run(scale: Scale) -> Iterator[Row]:
    """Imports timed inside the new interpreter; the command timed from start to finish."""
    runs = RUNS if scale.is_full else 1
    yield from _imports(runs)
    yield from _command(runs)


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def _output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _imports(runs: int) -> Iterator[Row]:
    missing = {name: why_missing(module) for name, module in MODULES.items()}
    modules = {OURS: OURS}
    modules |= {name: module for name, module in MODULES.items() if missing[name] is None}
    best = dict.fromkeys(modules, float("inf"))
    for turn in range(runs):
        for name, module in modules.items():
            if turn >= OTHER_RUNS and name not in (OURS, "scikit-learn"):
                continue
            seconds = float(_output(_python(CLOCK.format(module=module))))
            best[name] = min(best[name], seconds)
    for name, module in MODULES.items():
        yield Row(
            what=f"import clustervet / import {module}",
            size="new interpreter",
            peer=name,
            ours=best[OURS],
            theirs=best.get(name),
            goal=at_most(0.3) if name == "scikit-learn" else None,
            note=missing[name] or "",
        )


def _command(runs: int) -> Iterator[Row]:
    """`clustervet score` on 150 rows beside an interpreter that only imports scikit-learn."""
    path = str(files("clustervet") / "datasets" / "iris.csv")
    program = Path(sys.executable).with_name("clustervet")
    start = [str(program)] if program.exists() else [sys.executable, "-m", "clustervet"]
    ours = [*start, "score", path, "--truth", "species", "--pred", "kmeans"]
    peer = _python("import sklearn.metrics")
    best = [float("inf"), float("inf")]
    for _ in range(runs):
        for k, command in enumerate((ours, peer)):
            best[k] = min(best[k], timed(_output, (command,))[0])
    value, reference, note, alarm = _iris(ours, path)
    yield Row(
        what="clustervet score iris.csv / python -c 'import sklearn.metrics'",
        size="n = 150, start to finish",
        peer="scikit-learn",
        ours=best[0],
        theirs=best[1],
        goal=at_most(1),
        value_ours=value,
        value_peer=reference,
        note=note,
        alarm=alarm,
    )


def _iris(command: list[str], path: str) -> tuple[float, float, str, bool]:
    """The adjusted Rand that the command prints, beside scikit-learn's on the same file."""
    from sklearn.metrics import adjusted_rand_score

    scores = json.loads(_output([*command, "--format", "json"]))["scores"]
    value = next(score["value"] for score in scores if score["measure"] == "adjusted_rand")
    with Path(path).open(newline="") as file:
        table = list(csv.DictReader(file))
    reference = float(adjusted_rand_score(*([r[c] for r in table] for c in ("species", "kmeans"))))
    return value, reference, *judge("scikit-learn", value, reference)
