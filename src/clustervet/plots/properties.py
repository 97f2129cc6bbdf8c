"""The property matrix of measures."""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

from clustervet.errors import ParameterError
from clustervet.plots.frame import Figure, finish, graph_objects
from clustervet.plots.text import axis_texts, hover, ident, listed, shown
from clustervet.plots.theme import EITHER, QUIET

# Answers, the sign that each is drawn with, and its colour: signs also tell without colour.
SIGNS: dict[str, tuple[str, str]] = {
    "holds": ("circle", EITHER[0]),
    "fails": ("x-thin-open", EITHER[1]),
    "does not apply": ("line-ew-open", QUIET),
    "broken": ("diamond-open", EITHER[3]),
}
SPREAD = 4
# Pixels for the names of properties.
NAMES = 150


class Matrix(Protocol):
    """Anything with a row a measure and property, as columns."""

    def columns(self) -> dict[str, list[Any]]:
        """Columns `measure`, `property` and `answer`, and perhaps `why` and `counterexample`."""


def property_matrix_plot(matrix: Matrix, *, theme: str = "light") -> Figure:
    """Which measure has which property: a dot where it holds, a cross where it fails.

    `matrix` is that of `clustervet.lab.axioms`, or anything with `columns()`.
    """
    columns = matrix.columns()
    if missing := [key for key in ("measure", "property", "answer") if key not in columns]:
        raise ParameterError(f"the matrix has no column {listed(missing)}.")
    keys = list(dict.fromkeys(map(str, columns["measure"])))
    kinds = list(dict.fromkeys(map(str, columns["property"])))
    rows = {key: k for k, key in enumerate(keys)}
    cols = {kind: k for k, kind in enumerate(kinds)}
    go = graph_objects()
    figure = go.Figure()
    answers = [str(answer) for answer in columns["answer"]]
    for answer in sorted(
        set(answers), key=lambda one: list(SIGNS).index(one) if one in SIGNS else 9
    ):
        figure.add_trace(_answer(go, columns, answers, answer, rows, cols))
    figure.update_xaxes(
        tickvals=list(range(len(kinds))),
        ticktext=axis_texts([kind.replace("_", " ") for kind in kinds]),
        tickangle=-90,
        side="top",
        range=[-0.6, len(kinds) - 0.4],
    )
    figure.update_yaxes(
        tickvals=list(range(len(keys))),
        ticktext=axis_texts([key.replace("_", " ") for key in keys], 36),
        range=[len(keys) - 0.4, -0.6],
    )
    finish(
        figure,
        kind="properties",
        title=_title(columns, kinds),
        note="A dot: the property holds in all cases tried. A cross: it fails.",
        theme=theme,
        height=60 + NAMES + 19 * len(keys),
        legend=True,
    )
    # Names of properties stand upright between the note and the first row.
    return figure.update_layout(margin={"t": figure.layout.margin.t + NAMES})


def _answer(
    go: Any,
    columns: dict[str, list[Any]],
    answers: list[str],
    answer: str,
    rows: dict[str, int],
    cols: dict[str, int],
) -> Any:
    places = [k for k, each in enumerate(answers) if each == answer]
    measures = [str(columns["measure"][k]) for k in places]
    kinds = [str(columns["property"][k]) for k in places]
    symbol, colour = SIGNS.get(answer, ("square-open", QUIET))
    boxes = []
    for k, measure, kind in zip(places, measures, kinds, strict=True):
        more = [
            shown(columns[key][k], 90)
            for key in ("why", "counterexample")
            if key in columns and columns[key][k]
        ]
        boxes.append(hover(f"{shown(measure)}, {shown(kind)}: {answer}", *more))
    return go.Scatter(
        x=[cols[kind] for kind in kinds],
        y=[rows[measure] for measure in measures],
        mode="markers",
        name=shown(answer),
        marker={
            "symbol": symbol,
            "color": colour,
            "size": 9,
            "line": {"width": 2, "color": colour},
        },
        customdata=[
            [ident("measure", measure), ident("property", kind)]
            for measure, kind in zip(measures, kinds, strict=True)
        ],
        hovertext=boxes,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _title(columns: dict[str, list[Any]], kinds: list[str]) -> str:
    held: Counter[str] = Counter()
    for key, answer in zip(columns["measure"], columns["answer"], strict=True):
        held[str(key)] += answer == "holds"
    most = max(held.values())
    best = [shown(key.replace("_", " ")) for key, count in held.items() if count == most]
    if most == len(kinds):
        has = "has" if len(best) == 1 else "have"
        return f"{listed(best[:SPREAD])} {has} all {most} properties."
    who = listed(best) if len(best) <= SPREAD else f"{len(best)} measures"
    verb = "has" if len(best) == 1 else "have"
    return f"No measure has all {len(kinds)} properties; {who} {verb} most, {most}."
