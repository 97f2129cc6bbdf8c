"""What each cluster contributes to the distance from the truth."""

from __future__ import annotations

import math
from typing import Any, Literal

from clustervet.errors import ParameterError
from clustervet.inference import Diagnosis
from clustervet.inference.diagnosis import Part
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import axis_texts, counted, hover, ident, number, share, shown

Of = Literal["clusters", "classes"]
NOUNS = {"clusters": ("cluster", "clusters"), "classes": ("class", "classes")}


def diagnosis_bars(
    diagnosis: Diagnosis, *, of: Of = "clusters", most: int = 30, theme: str = "light"
) -> Figure:
    """The share of each cluster, or class, in the variation of information; the worst on top.

    Beyond `most` bars the others are told in the note.

    >>> import clustervet as cv
    >>> found = cv.diagnose(["a"] * 6 + ["b"] * 6, [0] * 6 + [0] * 2 + [1] * 4)
    >>> diagnosis_bars(found).layout.meta["title"]
    'Cluster 0 makes 80.5% of the distance to the truth.'
    """
    if of not in NOUNS:
        raise ParameterError(f"of must be 'clusters' or 'classes', not {of!r}.")
    if most < 1:
        raise ParameterError(f"most must be at least 1, not {most!r}.")
    one, many = NOUNS[of]
    parts = sorted(getattr(diagnosis, of), key=lambda part: -part.vi)
    kept = parts if len(parts) <= most + 1 else parts[:most]
    rest = parts[len(kept) :]
    go = graph_objects()
    figure = go.Figure(_bars(go, kept, diagnosis, one))
    # Room for the text behind the longest bar.
    figure.update_xaxes(
        title="bits of the variation of information",
        range=[0, 1.12 * kept[0].vi] if kept[0].vi else [0, 1],
    )
    figure.update_yaxes(title=one, type="category", autorange="reversed", showgrid=False)
    figure.update_yaxes(tickmode="linear", dtick=1)
    return finish(
        figure,
        kind="diagnosis",
        title=_title(parts, diagnosis, one, many),
        note=_note(rest, diagnosis, many),
        theme=theme,
        height=76 + 22 * max(3, len(kept)),
    )


def _note(rest: list[Part], diagnosis: Diagnosis, many: str) -> str:
    said = f"VI is {number(diagnosis.vi)} bits in all; 0 is the truth itself."
    if not rest:
        return said
    left = math.fsum(part.vi for part in rest)
    part = share(left / diagnosis.vi) if diagnosis.vi else "0%"
    return f"{said} {len(rest):,} {many} with smaller shares, together {part}, are not drawn."


def _bars(go: Any, kept: list[Part], diagnosis: Diagnosis, one: str) -> Any:
    return go.Bar(
        x=[part.vi for part in kept],
        y=axis_texts([part.name for part in kept]),
        orientation="h",
        text=[share(part.vi / diagnosis.vi) if diagnosis.vi else "0%" for part in kept],
        textposition="outside",
        cliponaxis=False,
        marker={"line": {"width": 0}},
        customdata=[[ident(one, part.name), _majority(part, one)] for part in kept],
        hovertext=[_box(part, diagnosis, one) for part in kept],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _majority(part: Part, one: str) -> str:
    return ident("class" if one == "cluster" else "cluster", part.majority)


def _box(part: Part, diagnosis: Diagnosis, one: str) -> str:
    other = "class" if one == "cluster" else "cluster"
    part_share = share(part.vi / diagnosis.vi) if diagnosis.vi else "0%"
    return hover(
        f"{one} {shown(part.name)}, {counted(part.size, 'object')}",
        f"{number(part.vi)} bits, {part_share} of VI",
        f"{share(part.purity)} are of {other} {shown(part.majority)}",
        f"{share(part.recall)} of that {other} are here",
        f"{number(part.pair_errors)} pairs wrong",
    )


def _title(parts: list[Part], diagnosis: Diagnosis, one: str, many: str) -> str:
    if diagnosis.vi == 0:
        return "No cluster is wrong: the clustering is the truth."
    first = share(parts[0].vi / diagnosis.vi)
    finding = f"{one.capitalize()} {shown(parts[0].name)} makes {first} of the distance"
    half, running = 0, 0.0
    for part in parts:
        half, running = half + 1, running + part.vi
        if running >= diagnosis.vi / 2:
            break
    if half == 1 or len(parts) < 5:
        return f"{finding} to the truth."
    return (
        f"Half of the distance to the truth lies in {half:,} of {len(parts):,} {many}; "
        f"{one} {shown(parts[0].name)} alone makes {first}."
    )
