"""`build_report`: from results to one report, with figures, formulas and references."""

from __future__ import annotations

import importlib
import json
import platform
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

from clustervet.errors import ParameterError
from clustervet.registry import Measure
from clustervet.report.works import WORKS
from clustervet.view import (
    Block,
    Column,
    Picture,
    Result,
    Row,
    Section,
    Table,
    plain,
    section_data,
    text_cell,
)
from clustervet.view.markdown import body_lines, safe
from clustervet.view.result import Exported
from clustervet.view.words import short, spoken

TITLE_WIDTH = 120
# Figures whose titles stand for a verdict.
SEEN = 3
REPRODUCED = "How to reproduce this"
PACKAGES = ("clustervet", "numpy", "scipy", "scikit-learn", "numba", "plotly")


@dataclass(frozen=True)
class Reproduction:
    """How the report was made, and how to make it again."""

    command: str
    versions: Mapping[str, str]
    seed: str
    time: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        command, seed = self.command or None, self.seed or None
        return {
            "command": command,
            "versions": dict(self.versions),
            "seed": seed,
            "time": self.time,
        }


@dataclass(frozen=True, eq=False)
class Report(Exported):
    """A title, a verdict in plain words, the evidence in sections, and how it was made.

    Parameters
    ----------
    title, subject : str
        The title, and what the report is about.
    verdict : tuple of str
        The verdict, one sentence per item.
    sections : tuple of Section
        Tables and figures with their words.
    references : tuple of str
        The works cited.
    reproduction : Reproduction
        Command, versions, seed and time.
    facts : tuple of pairs of str
        What was judged: names and values.

    Examples
    --------
    >>> import clustervet as cv
    >>> report = build_report(cv.external_scores([0, 0, 1, 1], [0, 0, 0, 1]))
    >>> report.title, len(report.tables), len(report.pictures)
    ('Scores', 3, 1)
    """

    SCHEMA: ClassVar[str] = "clustervet/report/1"

    title: str
    subject: str
    verdict: tuple[str, ...]
    sections: tuple[Section, ...]
    references: tuple[str, ...]
    reproduction: Reproduction
    facts: tuple[tuple[str, str], ...] = ()

    def blocks(self) -> Iterator[Block]:
        """Yield all tables and figures, in the order of the page.

        Yields
        ------
        Table or Picture
            The next table or figure.

        Examples
        --------
        >>> import clustervet as cv
        >>> report = build_report(cv.external_scores([0, 0, 1, 1], [0, 0, 0, 1]))
        >>> next(report.blocks()).key
        'scores-scores'
        """
        for section in self.sections:
            for part in section.walk():
                yield from part.blocks

    @property
    def tables(self) -> list[Table]:
        """The tables."""
        return [block for block in self.blocks() if isinstance(block, Table)]

    @property
    def pictures(self) -> list[Picture]:
        """The figures."""
        return [block for block in self.blocks() if isinstance(block, Picture)]

    @property
    def first_picture(self) -> Picture | None:
        """The data by the best clustering, which a page shows beside the verdict."""
        blocks = self.sections[0].blocks if self.sections else ()
        first = next(iter(blocks), None)
        drawn = isinstance(first, Picture) and first.figure["layout"]["meta"]["figure"] == "points"
        return first if isinstance(first, Picture) and drawn else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; `docs/report.schema.json` describes it.

        Returns
        -------
        dict
            Plain data, as JSON holds it.

        Examples
        --------
        >>> import clustervet as cv
        >>> list(build_report(cv.external_scores([0, 0, 1, 1], [0, 0, 0, 1])).to_dict())
        ['schema', 'title', 'subject', 'facts', 'verdict', 'sections', 'references', 'reproduction']
        """
        return {
            "schema": self.SCHEMA,
            "title": self.title,
            "subject": self.subject,
            "facts": dict(self.facts),
            "verdict": list(self.verdict),
            "sections": [section_data(section) for section in self.sections],
            "references": list(self.references),
            "reproduction": plain(self.reproduction),
        }

    def to_markdown(self) -> str:
        """Return Markdown; the sentences that say what figures show stand in their place.

        Returns
        -------
        str
            Title, verdict, sections, references, and how to make the report again.

        Examples
        --------
        >>> import clustervet as cv
        >>> card = cv.external_scores([0, 0, 1, 1], [0, 0, 0, 1])
        >>> report = build_report(card, title="Two labelings")
        >>> report.to_markdown().splitlines()[0]
        '# Two labelings'
        """
        lines = [f"# {safe(self.title)}", ""]
        lines += [safe(self.subject), ""] if self.subject else []
        facts = ", ".join(f"{safe(name)}: {safe(value)}" for name, value in self.facts)
        lines += [facts, ""] if facts else []
        for k, line in enumerate(self.verdict):
            lines += [safe(line) if k else f"**{safe(line)}**", ""]
        for section in self.sections:
            lines += [f"## {safe(section.title)}", "", *body_lines(section, 3, details=True)]
        if self.references:
            lines += ["## References", "", *(f"- {safe(work)}" for work in self.references), ""]
        made = self.reproduction
        lines += [f"## {REPRODUCED}", ""]
        if made.command:
            lines += ["```", " ".join(made.command.split()).replace("```", "'''"), "```", ""]
        versions = ", ".join(f"{name} {safe(number)}" for name, number in made.versions.items())
        seed = f" Seed {safe(made.seed)}." if made.seed else ""
        return "\n".join([*lines, f"{versions}.{seed} Made {made.time}."]) + "\n"


def build_report(
    results: Any,
    *,
    title: str | None = None,
    command: str | None = None,
    time: datetime | None = None,
) -> Report:
    """Make a report of results.

    Parameters
    ----------
    results : Result, list or mapping
        One result of any kind, such as `examine`, `external_scores`, `tune`, `select` or an
        ensemble's `summary` return it; or several of them as a list or as {name: result}.
    title : str, optional
        The title of the report; by default that of the result.
    command : str, optional
        How to make the report again.
    time : datetime, optional
        When it was made; now by default.

    Returns
    -------
    Report
        The report, for `write_report`.

    Raises
    ------
    ParameterError
        If there are no results, or one is none.

    Examples
    --------
    >>> import clustervet as cv
    >>> report = build_report(cv.external_scores([0, 0, 1, 1], [0, 0, 0, 1]))
    >>> [section.title for section in report.sections]
    ['Scores', 'The measures and their formulas']
    """
    named = _named(results)
    sections: list[Section] = []
    verdict: list[str] = []
    documents = []
    for k, (name, result) in enumerate(named.items()):
        document = _drawn(result.document())
        document = document.prefixed(f"r{k}-") if len(named) > 1 else document
        leading, document = document.before, replace(document, before=())
        # A document that is only a frame around its sections gives these to the page.
        framed = document.sections and not document.blocks and not document.notes
        lead, said = document.lead, document.paragraphs
        if k and not framed:  # the verdict has one sentence of it, the rest is folded
            leading = tuple(replace(part, folded=True) for part in leading)
            lead, said = lead[:1], (*lead[1:], *said)
            document = replace(document, lead=lead, folded=True)
        said = tuple(line for line in dict.fromkeys(said) if line not in lead)
        document = replace(document, paragraphs=said)
        documents += [*leading, document]
        sections += [_titled(part, f"{name}: {part.title}" if name else "") for part in leading]
        sections += document.sections if framed else [_titled(document, name)]
        told = list(document.lead) or _seen([*leading, document])[: 1 if k else None]
        if k and told:
            told[0] = f"{spoken(name)}: {told[0]}"
        verdict += told
    parts = [part for document in documents for part in document.walk()]
    records = {record.key: record for part in parts for record in part.measures}
    method = _measures_section(list(records.values()))
    cited = [record.reference for record in records.values()]
    cited += [work for part in parts for work in part.citations]
    only = documents[-1] if len(named) == 1 else None
    heading = title if title is not None else only.title if only else "Clusterings examined"
    seed = getattr(next(iter(named.values())), "random_state", None) if only else None
    return Report(
        short(heading, TITLE_WIDTH),
        only.subtitle if only else "",
        tuple(verdict),
        (*sections, *method),
        references(cited),
        _reproduction(command, seed, time),
        next((document.facts for document in documents if document.facts), ()),
    )


def _named(results: Any) -> dict[str, Result]:
    """Return results by name."""
    if isinstance(results, Result):
        named: dict[str, Any] = {"": results}
    elif isinstance(results, Mapping):
        named = {str(name): result for name, result in results.items()}
    elif isinstance(results, list | tuple):
        titles = [r.document().title if isinstance(r, Result) else "" for r in results]
        named = {
            f"{title} {k + 1}" if titles.count(title) > 1 else title: result
            for k, (title, result) in enumerate(zip(titles, results, strict=True))
        }
    else:
        named = {"": results}
    if not named:
        raise ParameterError("there are no results to report.")
    for result in named.values():
        if not isinstance(result, Result):
            raise ParameterError(f"a report cannot be made of {type(result).__name__}.")
    return named


def _titled(document: Section, name: str) -> Section:
    return replace(document, title=short(name)) if name else document


def _drawn(section: Section) -> Section:
    """Return a section, and those below it, with the figures of what they are about."""
    made = [] if section.subject is None else _figures(section.subject)
    tables = [table.key for table in section.tables]
    pictures: list[Picture] = []
    for figure in made:
        meta = figure.layout.meta
        kind = meta["figure"].replace("_", "-")
        again = sum(picture.key.startswith(f"{section.key}-{kind}") for picture in pictures)
        own = f"{section.key}-{meta.get('table')}"
        first = "" if meta.get("table") == "" else next(iter(tables), "")
        table = own if own in tables else first
        scopes = {"cluster": section.scope} if section.scope else {}
        pictures.append(_picture(f"{section.key}-{kind}{again or ''}", figure, scopes, table))
    sections, before = (
        tuple(_drawn(inner) for inner in inside) for inside in (section.sections, section.before)
    )
    blocks = (*pictures, *section.blocks)
    # The title of a figure stands for the same sentence before it.
    told = {picture.title for picture in pictures}
    said = tuple(line for line in section.paragraphs if line not in told)
    return replace(section, paragraphs=said, blocks=blocks, sections=sections, before=before)


def _figures(subject: Any) -> list[Any]:
    found: list[Any] = importlib.import_module("clustervet.plots").figures(subject)
    return found


def _picture(key: str, figure: Any, scopes: Mapping[str, str], table: str) -> Picture:
    """Return a figure; its title and note become text of the page, its theme the page's."""
    meta = figure.layout.meta
    bare = importlib.import_module("clustervet.plots").without_title(figure)
    data = json.loads(bare.to_json())
    data["layout"].pop("template", None)
    objects = data["layout"]["meta"].pop("objects", {})
    return Picture(key, meta["title"], meta["note"], data, scopes, table, objects)


def _seen(documents: Iterable[Section]) -> list[str]:
    """Return what the first figures show, where a result has no verdict of its own."""
    blocks = [block for document in documents for part in document.walk() for block in part.blocks]
    return [block.title for block in blocks if isinstance(block, Picture)][:SEEN]


def _measures_section(records: list[Measure]) -> Iterator[Section]:
    """Yield every measure shown: formula, meaning, when to use it, and where it comes from."""
    if not records:
        return
    columns = (
        Column("measure", "text"),
        Column("formula", "code"),
        Column("what it says", "text"),
        Column("when to use it, and when not", "text"),
        Column("source", "text"),
    )
    rows = []
    for record in records:
        use = f"{record.use} Beware: {record.avoid}" if record.avoid else record.use
        name = f"{record.title} ({record.key})"
        texts = (name, record.equation, record.meaning, use, record.reference)
        rows.append(Row(tuple(map(text_cell, texts))))
    note = "h(c,k) is the number of objects of class c in cluster k; n is the number of objects."
    table = Table("measures-all", "Formulas", columns, tuple(rows), note)
    title = "The measures and their formulas"
    yield Section("measures", title, blocks=(table,), folded=True)


def references(citations: Iterable[str]) -> tuple[str, ...]:
    """Return the works that are cited by author and year, in full where they are known.

    >>> references(["Holm 1979", "Someone 1990, eq. 3"])
    ('Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
      Journal of Statistics 6.', 'Someone 1990')
    """
    cited: set[str] = set()
    for citation in citations:
        for part in citation.split(";"):
            found = re.match(r"\s*(.*?\b\d{4})", part)
            work = (found[1] if found else part).strip().rstrip(".")
            known = next((each for each in WORKS if _is_cited(each, work)), work)
            cited.update([known] if known else [])
    return tuple(sorted(cited))


def _is_cited(work: str, citation: str) -> bool:
    """Return whether a citation by author and year is of this work."""
    author = _without_accents(work.split(",")[0])
    year = re.search(r"\((\d{4})\)", work)
    begins = _without_accents(citation).startswith(author)
    return begins and (year is None or citation.endswith(year[1]))


def _without_accents(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def _reproduction(command: str | None, seed: Any, time: datetime | None) -> Reproduction:
    versions = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # run from a folder that is not installed
            module = sys.modules.get(name)
            versions[name] = str(getattr(module, "__version__", "unknown"))
    made = (time or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
    return Reproduction(command or "", versions, "" if seed is None else str(seed), made)
