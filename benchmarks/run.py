"""Compare clustervet with its peers, on the same data in the same run.

    python benchmarks/run.py                 everything, takes some minutes
    python benchmarks/run.py --quick         every case at 1/100 of its size, under a minute
    python benchmarks/run.py --only ami      the cases whose names match a pattern

Prints a table, and writes it as Markdown and JSON, and a picture of how the time grows with the
size. A missed goal is reported, but it is not an
error, because the reason may be a busy machine.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import traceback
import warnings
from pathlib import Path

from cases import CASES
from harness import Row, Scale
from machine import facts
from output import Section, as_json, markdown, page, picture, ratios, text, write_whole

HERE = Path(__file__).resolve().parent


def main() -> None:
    options = parse()
    chosen = [name for name in CASES if re.search(options.only, name)]
    warnings.simplefilter("ignore")  # peers cause warnings about their use of numpy
    scale = Scale(100 if options.quick else 1)
    sections = [section(name, scale) for name in chosen]
    judged = not options.quick
    known = facts()
    print(text(sections, known, judged))
    write_whole(options.json, as_json(sections, known, judged))
    write_whole(options.markdown, markdown(sections, known, judged))
    curves = [row for section in sections for row in section.rows if row.curve]
    if curves:
        write_whole(options.picture, picture(curves))
    if options.page:
        left_out = [CASES[name][0] for name in CASES if name not in chosen]
        write_whole(options.page / "benchmarks.md", page(sections, known, left_out))
        write_whole(options.page / "images" / "ratios.svg", ratios(sections))
        if curves:
            write_whole(options.page / "images" / "growth.svg", picture(curves))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Compare clustervet with its peers.", epilog=f"Cases: {', '.join(CASES)}."
    )
    parser.add_argument(
        "--only", metavar="PATTERN", default="", help="regular expression for case names"
    )
    parser.add_argument("--quick", action="store_true", help="1/100 of the size; no goal is judged")
    parser.add_argument("--json", type=Path, default=HERE / "results.json", metavar="FILE")
    parser.add_argument("--markdown", type=Path, default=HERE / "results.md", metavar="FILE")
    parser.add_argument("--picture", type=Path, default=HERE / "growth.svg", metavar="FILE")
    parser.add_argument("--page", type=Path, metavar="FOLDER", help="also the page of the site")
    options = parser.parse_args()
    if options.page and options.quick:
        parser.error("a quick run has no page; leave out --quick or --page.")
    try:
        matches = any(re.search(options.only, name) for name in CASES)
    except re.error as error:
        parser.error(f"--only {options.only!r} is not a valid regular expression: {error}.")
    if not matches:
        parser.error(f"no case matches {options.only!r}; the cases are {', '.join(CASES)}.")
    return options


def section(name: str, scale: Scale) -> Section:
    """Run one case. If it fails, its rows so far are kept, and a note says why it failed."""
    title, case = CASES[name]
    print(f"{title} ...", end="", flush=True, file=sys.stderr)
    start = time.perf_counter()
    rows: list[Row] = []
    try:
        rows.extend(case(scale))
    except Exception as error:  # the other cases should still run
        traceback.print_exc()
        note = f"the case failed: {type(error).__name__}: {error}"
        rows.append(Row(what=name, size="", peer="", note=note, alarm=True))
    print(f" {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return Section(name, title, rows)


if __name__ == "__main__":
    main()
