"""`build_report`: from results to the record of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from clustervet.ensemble import Distances, Summary
from clustervet.errors import ParameterError
from clustervet.evidence import Evidence
from clustervet.inference import Diagnosis, Ranking
from clustervet.pacmdl import Bound
from clustervet.plots.text import counted
from clustervet.registry import Measure
from clustervet.report.cells import name_text, spoken_name
from clustervet.report.dropped import differ, scored_objects
from clustervet.report.evidence import evidence_sections, records_of
from clustervet.report.keys import prefixed
from clustervet.report.method import measures_section, references, reproduction
from clustervet.report.parts import clustering_section
from clustervet.report.record import Picture, Report, Section
from clustervet.report.results import (
    bound_section,
    distances_section,
    is_plain,
    plain_section,
    selection_section,
    summary_section,
    tuning_section,
    tuning_words,
)
from clustervet.report.scores import pairs_table, score_blocks, scores_section
from clustervet.report.words import cards_words, ranking_words, verdict
from clustervet.scorecard import ScoreCard, ScoreCards
from clustervet.selection import Selection, Tuning

TITLE = "Clusterings examined"
TITLE_WIDTH = 120
# Figures whose titles stand for a verdict.
SEEN = 3


def build_report(
    results: Any,
    *,
    title: str | None = None,
    command: str | None = None,
    time: datetime | None = None,
) -> Report:
    """The record of a page about results.

    `results` are an `Evidence`, or what `external_scores`, `diagnose`, `rank_predictions`,
    `tune`, `select`, `pac_mdl_bound`, an ensemble's `summary` or the laboratory return, or
    several of these as a list or {name: result}. `command` is how to make it again.

    >>> import clustervet as cv
    >>> report = build_report(cv.external_scores([0, 0, 1, 1], [0, 0, 0, 1]))
    >>> [section.title for section in report.sections]
    ['Scores', 'The measures and their formulas']
    """
    named = _named(results)
    if len(named) == 1 and isinstance(found := next(iter(named.values())), Evidence):
        return _on_evidence(found, title, command, time)
    sections, said, used = [], [], []
    for k, (name, result) in enumerate(named.items()):
        made = _sections_of(f"r{k}", name, result)
        if isinstance(result, Evidence):
            made = [prefixed(section, f"r{k}-") for section in made]
        sections += made
        used += list(records_of(result))
        spoken = list(verdict(result)) if isinstance(result, Evidence) else _spoken(result)
        spoken = spoken or _seen(made)
        if len(named) > 1 and spoken:
            spoken[0] = f"{spoken_name(name)}: {spoken[0]}"
        said += spoken
    heading = title if title is not None or len(sections) > 1 else sections[0].title
    return _finished(heading, "", tuple(said), sections, used, command, None, time)


def _named(results: Any) -> dict[str, Any]:
    """Results by name."""
    if _maker(results) is not None or is_plain(results):
        return {"": results}
    if isinstance(results, Mapping):
        named = {str(name): result for name, result in results.items()}
    elif isinstance(results, list | tuple):
        named = {_noun(result, k, results): result for k, result in enumerate(results)}
    else:
        named = {"": results}
    if not named:
        raise ParameterError("there are no results to report.")
    return named


def _noun(result: Any, k: int, results: Any) -> str:
    noun = NOUNS.get(type(result).__name__, type(result).__name__)
    alike = sum(type(other) is type(result) for other in results)
    return f"{noun} {k + 1}" if alike > 1 else noun


NOUNS = {
    "Evidence": "Evidence",
    "ScoreCard": "Scores",
    "ScoreCards": "Scores",
    "Diagnosis": "Where it goes wrong",
    "Ranking": "Ranking",
    "Tuning": "The number of clusters",
    "Selection": "The choice and its bound",
    "Bound": "The bound",
    "Summary": "How the clusterings relate",
    "Distances": "Distances",
    "PropertyMatrix": "Properties of the measures",
    "Desiderata": "Dom's desiderata",
    "DomStudy": "Dom's comparison of measures",
}


def _sections_of(key: str, name: str, result: Any) -> list[Section]:
    """The sections about one result."""
    if isinstance(result, Evidence):
        return evidence_sections(result)
    title = name_text(name) or NOUNS.get(type(result).__name__, "Result")
    maker = _maker(result)
    if maker is None and not is_plain(result):
        raise ParameterError(f"a report cannot be made of {type(result).__name__}.")
    return [(maker or plain_section)(key, title, result)]


def _maker(result: Any) -> Callable[[str, str, Any], Section] | None:
    """What makes the section about a result of a known kind."""
    for kind, maker in _MAKERS:
        if isinstance(result, kind):
            return maker
    return None


def _cards_section(key: str, title: str, result: Any) -> Section:
    cards = {result.subject.pred: result} if isinstance(result, ScoreCard) else dict(result)
    made = scores_section(key, title, cards)
    blocks = [*score_blocks(key, cards, {}), *made.blocks]
    return Section(key, title, (), tuple(blocks), notes=made.notes)


def _diagnosis_section(key: str, title: str, result: Diagnosis) -> Section:
    return clustering_section(key, title, scope="p0", diagnosis=result)


def _ranking_section(key: str, title: str, result: Ranking) -> Section:
    return Section(key, title, (ranking_words(result),), (pairs_table(f"{key}-pairs", result),))


_MAKERS: tuple[tuple[Any, Callable[[str, str, Any], Section]], ...] = (
    ((ScoreCard, ScoreCards), _cards_section),
    (Diagnosis, _diagnosis_section),
    (Ranking, _ranking_section),
    (Tuning, tuning_section),
    (Selection, selection_section),
    (Bound, bound_section),
    (Summary, summary_section),
    (Distances, distances_section),
)


def _spoken(result: Any) -> list[str]:
    """What a result says of itself."""
    if isinstance(result, Ranking):
        return [ranking_words(result)]
    if isinstance(result, ScoreCard | ScoreCards):
        return cards_words(result)
    if isinstance(result, Tuning):
        return tuning_words(result)
    said = getattr(result, "verdict", None)
    return [said] if isinstance(said, str) else []


def _seen(sections: Iterable[Section]) -> list[str]:
    """What the first figures show, where a result says nothing of itself."""
    blocks = [block for section in sections for block in section.blocks]
    return [block.title for block in blocks if isinstance(block, Picture)][:SEEN]


def _on_evidence(
    evidence: Evidence, title: str | None, command: str | None, time: datetime | None
) -> Report:
    names = [spoken_name(name, 24) for name in evidence.names[:3]]
    more = f" and {len(evidence.names) - 3:,} more" if len(evidence.names) > 3 else ""
    against = f" against {spoken_name(evidence.truth)}" if evidence.truth else ""
    whose = "its" if len(evidence.names) == 1 else "their"
    features = f" and {whose} features" if against and evidence.inner is not None else ""
    if not against and evidence.inner is not None:
        features = f" against {whose} features"
    subject = f"{', '.join(names)}{more}{against}{features}; {_sizes(evidence)}"
    return _finished(
        title,
        subject,
        verdict(evidence),
        evidence_sections(evidence),
        records_of(evidence),
        command,
        evidence.random_state,
        time,
    )


def _sizes(evidence: Evidence) -> str:
    """How many objects there are, and how many of them are scored."""
    said = counted(evidence.objects, "object")
    if not evidence.dropped:
        return said
    scored = scored_objects(evidence).values()
    low, high = min(scored), max(scored)
    return f"{said}, {f'{low:,} to {high:,}' if differ(scored) else f'{low:,}'} of them scored"


def _finished(
    title: str | None,
    subject: str,
    said: tuple[str, ...],
    sections: list[Section],
    used: Iterable[Measure],
    command: str | None,
    seed: Any,
    time: datetime | None,
) -> Report:
    records = list({record.key: record for record in used}.values())
    method = measures_section(records)
    cited = [record.reference for record in records]
    cited += [
        note for section in sections if section.key.endswith("method") for note in section.notes
    ]
    return Report(
        name_text(title, TITLE_WIDTH) if title is not None else TITLE,
        subject,
        said,
        tuple(sections if method is None else [*sections, method]),
        references(_citations(cited)),
        reproduction(command, seed, time),
    )


def _citations(texts: Iterable[str]) -> Iterator[str]:
    """The citing part of each text: all of a reference, what stands in brackets of a sentence."""
    for text in texts:
        if text.endswith(".") and "(" in text:
            yield from (part.partition(")")[0] for part in text.split("(")[1:])
        elif not text.endswith("."):
            yield text
