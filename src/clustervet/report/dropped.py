"""What is said of objects that were left out for a missing label or as noise."""

from __future__ import annotations

from collections.abc import Iterable

from clustervet.evidence import Evidence
from clustervet.plots.text import counted, listed
from clustervet.report.cells import spoken_name

# Clusterings that are named one by one, in the verdict and among the notes.
NAMED, NOTED = 4, 20


def dropped_words(evidence: Evidence) -> str:
    """On how many objects each clustering is scored, and on how many they are compared."""
    if not evidence.dropped:
        return ""
    scored = scored_objects(evidence)
    missing = any(found.missing for found in evidence.dropped.values())
    noise = any(found.noise for found in evidence.dropped.values())
    why = " or ".join(["missing"] * missing + ["noise"] * noise)
    start = f"Objects whose label is {why} were dropped: of {_given(evidence):,} objects"
    if len(scored) <= NAMED:
        each = [f"{n:,} are scored for {spoken_name(name)}" for name, n in scored.items()]
        said = f"{start} {listed(each)}"
    else:
        low, high = min(scored.values()), max(scored.values())
        span = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        said = f"{start} each clustering is scored on {span}"
    if evidence.ranking is not None:
        said += f"; they are compared on {evidence.ranking.objects:,} that all of them label"
    return f"{said}."


def dropped_notes(evidence: Evidence) -> list[str]:
    """How many objects each clustering drops and why, and what the others are compared on."""
    if not evidence.dropped:
        return []
    said = []
    for name, found in list(evidence.dropped.items())[:NOTED]:
        parts = [
            f"{counted(count, 'object')} {why}"
            for count, why in ((found.missing, "with a missing label"), (found.noise, "of noise"))
            if count
        ]
        said.append(f"{spoken_name(name)} drops {listed(parts)} and is scored on {found.kept:,}")
    more = len(evidence.dropped) - NOTED
    tail = f"; {more:,} more drop objects too" if more > 0 else ""
    both = " A label counts as missing or noise in the classes too." if evidence.truth else ""
    notes = [f"Of {counted(_given(evidence), 'object')} given, {'; '.join(said)}{tail}.{both}"]
    common = []
    if evidence.ranking is not None:
        common.append(f"the ranking on {counted(evidence.ranking.objects, 'object')}")
    if evidence.summary is not None:
        common.append(
            f"the distances between them on {counted(evidence.summary.objects, 'object')}"
        )
    if common:
        notes.append(
            f"Clusterings are compared on objects that none of them drops: {listed(common)}. "
            "Values there differ from those of each clustering on its own objects."
        )
    if evidence.inner is not None:
        notes.append(
            "Against the features each clustering is scored on the points that it labels itself."
        )
    return notes


def _given(evidence: Evidence) -> int:
    """How many objects there were before any was dropped; weights are not counted."""
    return next((found.given for found in evidence.dropped.values()), int(evidence.objects))


def scored_objects(evidence: Evidence) -> dict[str, int]:
    """Objects on which each clustering is scored."""
    whole = _given(evidence)
    return {
        name: evidence.dropped[name].kept if name in evidence.dropped else whole
        for name in evidence.names
    }


def differ(counts: Iterable[int | float]) -> bool:
    """Whether numbers of objects are not all the same."""
    return len(set(counts)) > 1
