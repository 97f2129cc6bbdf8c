"""How often 95% intervals hold the population's value, by measure and kind of table.

    python studies/interval_coverage.py [--half report] [--tables 300] [--jobs 2] [--method auto]
        [--measures vi,nmi] [--write]
    python studies/interval_coverage.py --method before --write

Tables are drawn with replacement from the populations of studies/populations.json. Those of the
half "choose" served to choose how intervals are made; those of the half "report" give the figures.
A value that depends on the number of objects, such as Q2, has another population value for each.
Tables are put into groups by the number of objects and by the share of objects that are alone in
their cell. Prints, for each measure, the share of intervals that hold the value: the mean over
populations, and the least in brackets; first for a few measures and kinds of tables, then all.

With --write the figures go into src/clustervet/inference/calibration.json, which intervals quote,
and into docs/coverage.md. With --measures as well, the figures of all other measures are kept.
Those of --method before, the bootstraps that were the default before, go into
studies/coverage_before.json, and stand beside the others on the page.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np

import clustervet as cv
from clustervet.inference.calibration import ALONE, OBJECTS, group_of
from clustervet.inference.interval import intervals
from clustervet.registry import Measure

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / "src" / "clustervet" / "inference" / "calibration.json"
BEFORE = Path(__file__).with_name("coverage_before.json")
SIZES = (20, 30, 50, 100, 200, 500, 1_000, 3_000, 10_000)
# Cells times objects beyond which a population is left out, to save time.
MOST = 1_000_000
# Tables in a group that say something about a population.
ENOUGH = 50
Tallies = dict[tuple[str, str], list[int]]
Found = dict[str, dict[str, tuple[float, float, int]]]
# Kinds of tables in the short table, by the number of objects, the share of them that are alone in
# their cell, and the objects per non-empty cell.
KINDS: dict[str, Callable[[int, float, float], bool]] = {
    "100 or more, and 5 or more per non-empty cell": lambda n, alone, per: n >= 100 and per >= 5,
    "150 or more, at most 2% alone": lambda n, alone, per: n >= 150 and alone < 0.02,
    "80 to 149, at most 2% alone": lambda n, alone, per: 80 <= n < 150 and alone < 0.02,
    "80 or more, 2 to 10% alone": lambda n, alone, per: n >= 80 and 0.02 <= alone < 0.1,
    "fewer than 80, at most 10% alone": lambda n, alone, per: n < 80 and alone < 0.1,
    "any number, more than 10% alone": lambda n, alone, per: alone >= 0.1,
}
SHORT = (
    "adjusted_rand",
    "variation_of_information",
    "normalized_mutual_information",
    "adjusted_mutual_information",
    "purity",
    "matching_accuracy",
    "bcubed_f1",
    "dom_q2",
)


def populations(half: str) -> dict[str, cv.Contingency]:
    """The populations of one half by name, or all of them."""
    text = Path(__file__).with_name("populations.json").read_text(encoding="utf-8")
    found = {}
    for name, held in json.loads(text)["tables"].items():
        if half in ("all", held["half"]):
            cells = np.array(held["cells"])
            table = np.zeros(cells[:, :2].max(axis=0) + 1, np.int64)
            table[cells[:, 0], cells[:, 1]] = cells[:, 2]
            found[name] = cv.Contingency.from_counts(table)
    return found


def population_value(record: Measure, population: cv.Contingency, n: int) -> float:
    """The value of a measure in a population, for samples of n objects."""
    many = population.with_values(population.cells.values * 10**6)
    return record.evaluate(many.as_population(n if record.sized else None)).value


def chosen_method(record: Measure, method: str) -> str:
    """The method of a measure; "before" is what was the default before the jackknife."""
    if method != "before":
        return method
    return "subsample" if record.family == "matching" else "basic"


def simulate(job: tuple[str, int, int, str, tuple[str, ...], int]) -> Tallies:
    """How many tables each measure and group has, and how many intervals hold the value."""
    name, n, tables, method, keys, seed = job
    population = populations("all")[name]
    records = [cv.measures[key] for key in keys]
    truth = {record.key: population_value(record, population, n) for record in records}
    counts = population.cells.values
    rng = np.random.default_rng([seed, n, *name.encode()])
    found: Tallies = defaultdict(lambda: [0, 0])
    for drawn in rng.multinomial(n, counts / counts.sum(), size=tables):
        table = population.with_values(drawn)
        filled = np.count_nonzero(drawn)
        if filled < 2:
            continue
        size, alone = group_of(drawn)
        share, per = float(np.count_nonzero(drawn == 1) / n), n / filled
        groups = [f"{size}/{alone}", *(kind for kind, has in KINDS.items() if has(n, share, per))]
        for kind in {chosen_method(record, method) for record in records}:
            some = [record for record in records if chosen_method(record, method) == kind]
            made = intervals(table, some, method=kind, resamples=300, random_state=rng)
            for record, interval in zip(some, made, strict=True):
                value, slack = truth[record.key], 1e-9 * abs(truth[record.key])
                for group in groups:
                    tally = found[record.key, group]
                    tally[0] += 1
                    tally[1] += bool(interval.low - slack <= value <= interval.high + slack)
    return dict(found)


def study(
    half: str, tables: int, method: str, keys: tuple[str, ...], jobs: int, sizes: tuple[int, ...]
) -> Found:
    """The mean and least coverage over populations, and their number, by measure and group."""
    work = [
        (name, n, tables, method, keys, 17)
        for name, population in populations(half).items()
        for n in sizes
        if n * len(population) <= MOST
    ]
    work.sort(key=lambda job: -job[1])
    sums: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    with ProcessPoolExecutor(jobs) as pool:
        for job, tallies in zip(work, pool.map(simulate, work), strict=True):
            for (key, group), (number, held) in tallies.items():
                tally = sums[key, group, job[0]]
                tally[0] += number
                tally[1] += held
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (key, group, _), (number, held) in sums.items():
        if number >= min(ENOUGH, tables / 2):
            shares[key, group].append(held / number)
    found: Found = {key: {} for key in keys}
    for (key, group), values in sorted(shares.items()):
        mean, least = round(float(np.mean(values)), 3), round(min(values), 3)
        found[key][group] = (mean, least, len(values))
    return found


def shown(held: tuple[float, float, int] | None, before: tuple[float, float, int] | None) -> str:
    """A mean and a least share, after the mean of the method before where that is known."""
    if held is None:
        return ""
    earlier = f"{100 * before[0]:.0f} → " if before else ""
    return f"{earlier}{100 * held[0]:.0f} ({100 * held[1]:.0f})"


def short_table(found: Found, before: Found) -> str:
    """A few measures by kinds of tables."""
    keys = [key for key in SHORT if key in found]
    lines = [f"| objects | {' | '.join(keys)} |", "|---" * (len(keys) + 1) + "|"]
    for kind in KINDS:
        cells = [shown(found[key].get(kind), before.get(key, {}).get(kind)) for key in keys]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def as_markdown(found: Found, before: Found) -> str:
    """One table per measure: rows are numbers of objects, columns shares of objects alone."""
    heads = [f"{low:.1%} to {high:.1%}" for low, high in pairwise(ALONE)]
    heads.append(f"{ALONE[-1]:.0%} or more")
    lines = []
    for key, groups in found.items():
        lines += [f"## {cv.measures[key].title} (`{key}`)", ""]
        lines += [f"| objects | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
        for size, low in enumerate(OBJECTS, 1):
            end = f" to {OBJECTS[size] - 1:,}" if size < len(OBJECTS) else " or more"
            places = [f"{size}/{alone}" for alone in range(1, len(ALONE) + 1)]
            cells = [shown(groups.get(x), before.get(key, {}).get(x)) for x in places]
            lines.append(f"| {low:,}{end} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def written(path: Path, found: Found) -> Found:
    """What a file of figures holds once these are in it, in the order of the measures."""
    held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    every = held | found
    whole = {r.key: every[r.key] for r in cv.measures.select(kind="external") if r.key in every}
    rows = ",\n".join(f" {json.dumps(key)}: {json.dumps(whole[key])}" for key in whole)
    path.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
    return whole


def main() -> None:
    """Run the study, print its tables, and write them where asked."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", choices=("choose", "report"), default="report")
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--method", default="auto", help="as in confidence_interval, or before")
    parser.add_argument("--measures", help="separated by commas; all external ones by default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--write", action="store_true", help="into the package and docs/coverage.md"
    )
    options = parser.parse_args()
    asked = options.measures.split(",") if options.measures else None
    records = cv.measures.select(asked, kind="external")
    keys = tuple(record.key for record in records)
    found = study(options.half, options.tables, options.method, keys, options.jobs, SIZES)
    known = BEFORE.exists() and options.method != "before"
    earlier = json.loads(BEFORE.read_text(encoding="utf-8")) if known else {}
    print(short_table(found, earlier), end="\n\n")
    print(as_markdown(found, earlier), flush=True)
    if options.write:
        path = BEFORE if options.method == "before" else KEPT
        groups = {
            key: {place: held for place, held in each.items() if path == BEFORE or "/" in place}
            for key, each in found.items()
        }
        written(path, groups)
        page = ROOT / "docs" / "coverage.md"
        head = page.read_text(encoding="utf-8").partition("\n## ")[0].rstrip()
        both = [json.loads(each.read_text(encoding="utf-8")) for each in (KEPT, BEFORE)]
        page.write_text(f"{head}\n\n{as_markdown(*both)}", encoding="utf-8")


if __name__ == "__main__":
    main()
