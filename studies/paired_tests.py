"""How often equally good predictions are told apart: the size of paired tests at the 5% level.

    python studies/paired_tests.py [--half report] [--samples 150] [--jobs 2] [--measures vi,nmi]
        [--write]

Objects are drawn with replacement from the populations of studies/populations.json, which have five
clusterings each. The labels of an object are dealt to the predictions at random, so that all
predictions are equally good in the population, whatever the measure. Prints one row per measure:
how often two predictions are told apart, and how often any two of five are (after Holm's
correction), by the number of objects: the mean over populations, and the largest in brackets. With
--write the table goes into docs/paired_tests.md. Last, the measures are named whose mean share is
above 6% from 30 objects on.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np

import clustervet as cv
from clustervet.inference.compare import Joint, holm, why_no_test
from clustervet.inference.jackknife import jackknife, left_out
from clustervet.labels import read_labels

SIZES = (20, 30, 50, 100, 300, 1_000)
FIVE = (30, 100)
# A share of false alarms that a test at the 5% level may have, from as many objects on.
MOST, FROM = 0.06, 30
PAGE = Path(__file__).resolve().parents[1] / "docs" / "paired_tests.md"


def clusterings(half: str) -> dict[str, np.ndarray]:
    """Rows of class, five clusters and count, by the name of the population."""
    text = Path(__file__).with_name("populations.json").read_text(encoding="utf-8")
    held = json.loads(text)["runs"]
    return {name: np.array(v["rows"]) for name, v in held.items() if half in ("all", v["half"])}


def sample(rows: np.ndarray, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The classes of n objects, and five predictions that are equally good in the population."""
    drawn = rows[rng.choice(len(rows), n, p=rows[:, -1] / rows[:, -1].sum())]
    return drawn[:, 0], rng.permuted(drawn[:, 1:-1], axis=1).T


def told_apart(truth: np.ndarray, preds: np.ndarray, records: list[cv.Measure]) -> dict[str, bool]:
    """Whether any two predictions are told apart by each measure, as `rank_predictions` does."""
    joint = Joint([str(k) for k in range(len(preds))], [read_labels(x) for x in (truth, *preds)])
    changes = [left_out(table, records, {})[cells] for table, cells in joint.pairs]
    found = {}
    for k, record in enumerate(records):
        values = [record.evaluate(table).value for table in joint.tables()]
        raw = [
            jackknife(changes[i][:, k] - changes[j][:, k], joint.counts).p_value(
                values[i] - values[j]
            )
            for i, j in combinations(range(len(preds)), 2)
        ]
        found[record.key] = any(p < 0.05 for p in holm(raw))
    return found


def simulate(job: tuple[str, int, int, int, tuple[str, ...]]) -> dict[str, float]:
    """The share of samples in which some predictions are told apart, by measure."""
    name, n, several, samples, keys = job
    rows = clusterings("all")[name]
    rng = np.random.default_rng([n, several, *name.encode()])
    records = [cv.measures[key] for key in keys]
    counts: dict[str, int] = defaultdict(int)
    for _ in range(samples):
        truth, preds = sample(rows, n, rng)
        if len(np.unique(truth)) > 1:
            for key, apart in told_apart(truth, preds[:several], records).items():
                counts[key] += apart
    return {key: counts[key] / samples for key in keys}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=("choose", "report"), default="report")
    parser.add_argument("--samples", type=int, default=150)
    parser.add_argument("--measures", help="separated by commas; all with a direction by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="into docs/paired_tests.md")
    options = parser.parse_args()
    asked = options.measures.split(",") if options.measures else None
    chosen = cv.measures.select(asked, kind="external")
    keys = tuple(record.key for record in chosen if asked or not why_no_test(record))
    cases = [(n, 2) for n in SIZES] + [(n, 5) for n in FIVE]
    work = [
        (name, n, several, options.samples, keys)
        for n, several in cases
        for name in clusterings(options.half)
    ]
    shares: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    with ProcessPoolExecutor(options.jobs) as pool:
        for job, found in zip(work, pool.map(simulate, work), strict=True):
            for key, value in found.items():
                shares[key, job[1], job[2]].append(value)
    heads = [f"{n:,}" if several == 2 else f"{n:,}, any of five" for n, several in cases]
    lines = ["| measure | " + " | ".join(heads) + " |", "|---" * (len(cases) + 1) + "|"]
    failing = []
    for key in keys:
        means = [np.mean(shares[key, *case]) for case in cases]
        tops = [max(shares[key, *case]) for case in cases]
        cells = [f"{100 * a:.1f} ({100 * b:.1f})" for a, b in zip(means, tops, strict=True)]
        lines.append(f"| {key} | " + " | ".join(cells) + " |")
        if any(mean > MOST and n >= FROM for mean, (n, _) in zip(means, cases, strict=True)):
            failing.append(key)
    print("\n".join(lines))
    print(f"\nabove {MOST:.0%} from {FROM} objects on: {', '.join(failing) or 'none'}")
    if options.write:
        head = PAGE.read_text(encoding="utf-8").partition("\n|")[0].rstrip()
        PAGE.write_text(f"{head}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
