"""The sections of a report on `Evidence`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clustervet.ensemble import Distances, Summary
from clustervet.evidence import Evidence
from clustervet.inference import Ranking
from clustervet.plots.text import counted, listed
from clustervet.registry import Measure, measures
from clustervet.report.cells import name_text, spoken_name
from clustervet.report.dropped import dropped_notes, dropped_words
from clustervet.report.method import method_notes
from clustervet.report.parts import clustering_section
from clustervet.report.record import Section
from clustervet.report.results import summary_section
from clustervet.report.scores import pairs_table, score_blocks, scores_section
from clustervet.report.words import leader
from clustervet.scorecard import ScoreCard, ScoreCards
from clustervet.selection import Tuning

# Clusterings that are shown cluster by cluster, and the rows that these may take together.
DETAILED = 6
DETAILED_ROWS = 1_300
# Features that are named.
FEATURES = 20


def evidence_sections(evidence: Evidence) -> list[Section]:
    """Who is ahead, where the clusters go wrong, how they relate, and every score."""
    scores, inner = evidence.scores, evidence.inner
    sections = []
    if scores is not None:
        sections.append(_ahead(evidence))
    if inner is not None:
        blocks = score_blocks("inner", dict(inner), {})
        title = "What the features say" if scores is not None else _heading(evidence)
        named = _features(evidence.feature_names)
        sections.append(Section("features", title, named, tuple(blocks)))
    if details := _details(evidence):
        sections.append(details)
    if evidence.summary is not None:
        name = evidence.summary.names[0] if evidence.truth is not None else None
        sections.append(
            summary_section(
                "space",
                "How the clusterings relate",
                evidence.summary,
                () if name is None else (name,),
            )
        )
    if scores is not None:
        sections.append(scores_section("scores", "Every score", dict(scores), folded=True))
    if inner is not None:
        title = "Every score of the features"
        sections.append(scores_section("inner", title, dict(inner), folded=True))
    said = [
        *dropped_notes(evidence),
        *evidence.notes,
        *method_notes(
            list(records_of(evidence)),
            ranked=evidence.ranking is not None,
            sure=scores is not None,
            tested=bool(evidence.chances),
        ),
    ]
    if said:
        sections.append(Section("method", "How this was computed", notes=tuple(said)))
    return sections


def _ahead(evidence: Evidence) -> Section:
    assert evidence.scores is not None  # asked only then
    ranking = evidence.ranking
    remark = dropped_words(evidence)
    blocks = score_blocks("scores", dict(evidence.scores), evidence.chances, ranking, remark)
    if ranking is not None:
        blocks.append(pairs_table("ahead-pairs", ranking))
    return Section("ahead", _heading(evidence), (), tuple(blocks))


def _heading(evidence: Evidence) -> str:
    return "Who is ahead" if len(evidence.names) > 1 else "How good it is"


def _features(names: tuple[str, ...]) -> tuple[str, ...]:
    """Which features these are, where they have names."""
    if not names:
        return ()
    said = [spoken_name(name) for name in names[:FEATURES]]
    said += [f"{len(names) - FEATURES:,} more"] if len(names) > FEATURES else []
    return (f"{counted(len(names), 'feature')}: {listed(said)}.",)


def _details(evidence: Evidence) -> Section | None:
    """The leading clusterings cluster by cluster."""
    held = [n for n in evidence.names if n in evidence.diagnoses or n in evidence.silhouettes]
    if not held:
        return None
    first = leader(evidence)
    order = [first]
    if evidence.ranking is not None:
        order += [name for group in evidence.ranking.groups for name in group]
    kept = _within([n for n in dict.fromkeys([*order, *held]) if n in held], evidence)
    sections = []
    for name in kept:
        place = evidence.names.index(name)
        sections.append(
            clustering_section(
                f"c{place}",
                name_text(name),
                scope=f"p{place}",
                diagnosis=evidence.diagnoses.get(name),
                table=evidence.tables.get(name),
                widths=evidence.silhouettes.get(name),
                truth=evidence.truth or "truth",
                pred=name,
                folded=name != first,
            )
        )
    title = "Where the clusters go wrong" if evidence.diagnoses else "Cluster by cluster"
    said = []
    screen = "Choose a cluster or a class, in a figure or a table: it lights up wherever it occurs."
    if len(kept) < len(held):
        said.append(
            f"The {len(kept):,} leading clusterings of {len(held):,} are shown; all are in the "
            "tables of scores."
        )
    return Section("wrong", title, tuple(said), (), tuple(sections), screen=screen)


def _within(names: list[str], evidence: Evidence) -> list[str]:
    """As many of the names, the first at least, as the page has room for."""
    kept: list[str] = []
    rows = 0
    for name in names[:DETAILED]:
        found = evidence.diagnoses.get(name)
        rows += len(found.clusters) + len(found.classes) if found else 1
        if kept and rows > DETAILED_ROWS:
            break
        kept.append(name)
    return kept


def records_of(result: Any) -> Iterator[Measure]:
    """The measures that a result holds."""
    if isinstance(result, Evidence):
        for cards in (result.scores, result.inner):
            if cards is not None:
                yield from records_of(cards)
    elif isinstance(result, ScoreCards):
        yield from records_of(next(iter(result.values())))
    elif isinstance(result, ScoreCard):
        yield from (score.measure for score in result.scores.values())
    elif isinstance(result, Ranking):
        yield measures[result.measure]
    elif isinstance(result, Tuning):
        yield from result.measures
    elif isinstance(result, Summary):
        yield result.distances.measure
    elif isinstance(result, Distances):
        yield result.measure
