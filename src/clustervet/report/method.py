"""Method notes, references and how to make the report again."""

from __future__ import annotations

import platform
import re
import sys
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from clustervet.registry import Measure
from clustervet.report.cells import text_cell
from clustervet.report.record import Column, Reproduction, Row, Section, Table
from clustervet.report.works import WORKS

PACKAGES = ("clustervet", "numpy", "scipy", "scikit-learn", "numba", "plotly")


def measures_section(records: Iterable[Measure]) -> Section | None:
    """Every measure shown: formula, meaning, when to use it, and where it comes from."""
    found = {record.key: record for record in records}
    if not found:
        return None
    columns = (
        Column("measure", "text"),
        Column("formula", "text"),
        Column("what it says", "text"),
        Column("when to use it, and when not", "text"),
        Column("source", "text"),
    )
    rows = tuple(
        Row(
            tuple(
                text_cell(text)
                for text in (
                    f"{record.title} ({record.key})",
                    record.equation,
                    record.meaning,
                    f"{record.use} Beware: {record.avoid}" if record.avoid else record.use,
                    record.reference,
                )
            )
        )
        for record in found.values()
    )
    note = "h(c,k) is the number of objects of class c in cluster k; n is the number of objects."
    return Section(
        "measures",
        "The measures and their formulas",
        (),
        (Table("measures-all", "Formulas", columns, rows, note),),
        folded=True,
    )


def method_notes(
    records: Iterable[Measure], *, ranked: bool, sure: bool, tested: bool
) -> list[str]:
    """How intervals, rankings and chance levels were made."""
    said = []
    if sure:
        said.append(
            "Intervals come from resampled tables: they say where the value of the population "
            "lies that the objects were drawn from (Efron 1987)."
        )
    if tested:
        said.append(
            "Chance is a random clustering with the same sizes of classes and clusters; the "
            "p-value is the share of them that do at least as well (Gates & Ahn 2017)."
        )
    if ranked:
        said.append(
            "Clusterings are compared on the same resampled objects, and p-values are corrected "
            "for the number of pairs (Holm 1979)."
        )
    if any(record.family == "coding" for record in records):
        said.append("Bits of Q0 are code lengths an object (Dom 2001, eqs. 10 and 11).")
    return said


def references(texts: Iterable[str]) -> tuple[str, ...]:
    """The works that these texts cite, in full where they are known.

    >>> references(["Holm 1979", "Someone 1990, eq. 3"])
    ('Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
      Journal of Statistics 6.', 'Someone 1990')
    """
    cited: set[str] = set()
    for text in texts:
        for part in text.split(";"):
            found = re.match(r"\s*(.*?\b\d{4})", part)
            short = (found[1] if found else part).strip().rstrip(".")
            known = next((work for work in WORKS if _is_cited(work, short)), short)
            cited.update([known] if known else [])
    return tuple(sorted(cited))


def _is_cited(work: str, short: str) -> bool:
    """Whether a citation by author and year is of this work."""
    author = _without_accents(work.split(",")[0])
    year = re.search(r"\((\d{4})\)", work)
    return _without_accents(short).startswith(author) and (year is None or short.endswith(year[1]))


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def reproduction(command: str | None, seed: Any, time: datetime | None = None) -> Reproduction:
    """Command, versions, seed and time."""
    versions = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # run from a folder that is not installed
            module = sys.modules.get(name)
            versions[name] = str(getattr(module, "__version__", "unknown"))
    made = (time or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
    return Reproduction(command or "", versions, "" if seed is None else str(seed), made)
