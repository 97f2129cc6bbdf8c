"""Groups that overlap: which combinations objects are in, and which groups of two covers match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import whole
from clustervet.labels import plain_label
from clustervet.overlapping import Cover, CoverPair
from clustervet.overlapping.rows import Places
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, hover, natural
from clustervet.plots.theme import EITHER, QUIET
from clustervet.registry import doors
from clustervet.view.words import counted, digits, listed, share, spoken

Floats = NDArray[np.float64]
# Pixels of the bars, of a row of dots, and of the gap between both.
BARS, ROW, GAP = 190, 24, 14
# Groups that have a row of dots, and columns that there is room for at least.
ROWS, COLUMNS = 24, 12
# Groups that a sentence names.
NAMED = 3
# Found groups that are looked through at once for the best match of true ones.
STEP = 50_000


def overlap_plot(cover: Any, *, most: int = 24, name: str = "", theme: str = "light") -> Figure:
    """Draw how many objects are in exactly which groups.

    Parameters
    ----------
    cover : Cover or what `Cover` reads
        The groups, such as a list of sets.
    most : int, default 24
        The most combinations of groups, the largest first.
    name : str, optional
        What the cover is called in the title.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One bar per combination of groups, as high as the number of objects in exactly these; the
        dots below say which groups they are.

    Raises
    ------
    LabelError
        If the groups cannot be read.

    Notes
    -----
    This is the figure of Lex, Gehlenborg, Strobelt, Vuillemot and Pfister (2014, UpSet).

    Examples
    --------
    >>> import clustervet as cv
    >>> cover = cv.Cover({"red": [0, 1, 2, 3], "blue": [2, 3, 4]}, objects=6)
    >>> overlap_plot(cover).layout.meta["title"]
    '2 of 6 objects are in several groups, most often in red and blue (2).'
    """
    whole(most, "most", 1)
    cover = cover if isinstance(cover, Cover) else Cover(cover)
    titles = _named(cover, np.arange(cover.k))
    sizes = dict(zip(titles, cover.sizes.tolist(), strict=True))
    drawn, rows = _chosen(cover, most)
    # The largest group is on top.
    order = sorted(rows, key=lambda group: (-sizes[group], natural(group)))
    place = {group: k for k, group in enumerate(order)}
    texts = axis_texts(order)
    figure = canvas.new_figure()
    boxes = [
        hover(f"{counted(count, 'object')} ({share(count / cover.n)})", _exactly(held))
        for held, count in drawn
    ]
    for colour in (QUIET, *EITHER[:2]):
        columns = [x for x, (held, _) in enumerate(drawn) if _colour(held) == colour]
        figure.add_bar(
            x=columns,
            width=0.7,
            y=[drawn[x][1] for x in columns],
            marker={"line": {"width": 0}, "color": colour},
            hovertext=[boxes[x] for x in columns],
            hovertemplate=canvas.BOX,
        )
    figure.add_scatter(
        x=list(range(len(drawn))),
        y=[count for _, count in drawn],
        mode="text",
        text=[f"{count:,}" for _, count in drawn],
        textposition="top center",
        cliponaxis=False,
        hoverinfo="skip",
    )
    every = [(x, y) for x in range(len(drawn)) for y in range(len(order))]
    canvas.add_marks(
        figure,
        [x for x, _ in every],
        [y for _, y in every],
        marker={"size": 9, "color": QUIET, "opacity": 0.22, "line": {"width": 0}},
        yaxis="y2",
    )
    held_places = [sorted(place[group] for group in held) for held, _ in drawn]
    for several in (False, True):
        chosen = [x for x, (held, _) in enumerate(drawn) if (len(held) > 1) == several]
        colour = EITHER[1] if several else EITHER[0]
        if several:
            lines = [[(x, held_places[x][0]), (x, held_places[x][-1])] for x in chosen]
            canvas.add_lines(figure, lines, line={"width": 2.5, "color": colour}, yaxis="y2")
        dots = [(x, y) for x in chosen for y in held_places[x]]
        canvas.add_marks(
            figure,
            [x for x, _ in dots],
            [y for _, y in dots],
            boxes=[boxes[x] for x, _ in dots],
            marker={"size": 11, "color": colour, "line": {"width": 0}},
            yaxis="y2",
        )
    dotted = ROW * max(1, len(order))
    total = BARS + GAP + dotted
    top = max((count for _, count in drawn), default=1)
    figure.update_layout(
        xaxis={"range": [-0.6, max(len(drawn), COLUMNS) - 0.4], "visible": False, "anchor": "y2"},
        yaxis={
            "domain": [1 - BARS / total, 1],
            "title": "objects",
            "range": [0, 1.14 * top],
            "nticks": 5,
        },
        yaxis2={
            "domain": [0, dotted / total],
            "tickvals": list(range(len(order))),
            "ticktext": [
                f"{text} ({sizes[group]:,})" for text, group in zip(texts, order, strict=True)
            ],
            "range": [max(1, len(order)) - 0.5, -0.5],
            "showgrid": False,
            "showline": False,
            "ticks": "",
        },
        barmode="overlay",
    )
    return canvas.finish(
        figure,
        "overlaps",
        theme,
        _titled(cover, drawn, name),
        _note(cover, drawn, len(order)),
        height=total + 24,
        table="combinations",
    )


def _chosen(cover: Cover, most: int) -> tuple[list[tuple[list[Any], int]], dict[Any, None]]:
    """The largest combinations whose groups have room for their dots, and these groups."""
    drawn: list[tuple[list[Any], int]] = []
    rows: dict[Any, None] = {}
    for held, count in cover.combinations(10 * most):
        wanted = rows | dict.fromkeys(held)
        if len(drawn) < most and len(wanted) <= ROWS:
            drawn.append((held, count))
            rows = wanted
    return drawn, rows


def _colour(held: list[Any]) -> str:
    return EITHER[1] if len(held) > 1 else EITHER[0] if held else QUIET


def _exactly(held: list[Any]) -> str:
    names = [spoken(group) for group in held]
    return f"in exactly {listed(names, NAMED)}" if held else "in no group"


def _titled(cover: Cover, drawn: list[tuple[list[Any], int]], name: str) -> str:
    """What the figure shows, in one sentence."""
    of = canvas.named(name)
    several = int((cover.memberships > 1).sum())
    if not several:
        return f"{of}No object is in more than one group."
    are = "is" if several == 1 else "are"
    said = f"{of}{several:,} of {counted(cover.n, 'object')} {are} in several groups"
    first = next(((held, count) for held, count in drawn if len(held) > 1), None)
    if first is None:
        return f"{said}."
    return f"{said}, most often in {listed(list(map(spoken, first[0])), NAMED)} ({first[1]:,})."


def _note(cover: Cover, drawn: list[tuple[list[Any], int]], rows: int) -> str:
    """How the figure was drawn, and what is left out."""
    left = cover.n - sum(count for _, count in drawn)
    said = (
        "Bars count the objects in exactly the groups that have a dot below; orange ones overlap."
    )
    if left:
        said += f" {counted(left, 'object')} in other combinations are not drawn."
    if rows < cover.k:
        said += f" {counted(cover.k - rows, 'group')} without a dot are left out."
    return said


def match_heatmap(
    truth: Any, pred: Any = None, *, most: int = 40, name: str = "", theme: str = "light"
) -> Figure:
    """Draw the F of true groups with found groups.

    Parameters
    ----------
    truth : Cover, CoverPair or what `Cover` reads
        The known groups, such as a list of sets; or one finished pair.
    pred : Cover or what `Cover` reads, optional
        The groups that were found.
    most : int, default 40
        The most groups of either side: the largest true ones, and the best match of each. Where
        these are fewer, the largest other found groups are drawn too.
    name : str, optional
        What the prediction is called in the title.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        One row per true group and one column per found group; best matches lie on the diagonal.

    Raises
    ------
    LabelError
        If the groups of a side cannot be read.
    ParameterError
        If there is only one cover.

    Examples
    --------
    >>> import clustervet as cv
    >>> figure = match_heatmap([{0, 1, 2}, {2, 3}], [{2, 3}, {0, 1}])
    >>> figure.layout.meta["title"]
    '1 of 2 true groups is found exactly; their best matches have an F of 0.9 on average.'
    """
    whole(most, "most", 1)
    pair: CoverPair = doors["overlapping"]("match_heatmap", truth, pred)
    rows = _by_size(pair.truth)[:most]
    columns = _beside(pair, rows, most)
    scores = pair.f_scores(rows, columns)
    order = _diagonal(scores)
    scores, columns = scores[:, order], columns[order]
    titles = [
        axis_texts([cover.group_names[k] for k in places.tolist()])
        for cover, places in ((pair.truth, rows), (pair.pred, columns))
    ]
    figure = canvas.new_figure()
    drawn = np.where(scores > 0, scores, np.nan).round(4)
    boxes = [
        [
            hover(f"true group {spoken(one)}, group {spoken(two)}", f"F {value:.3g}")
            for two, value in zip(_named(pair.pred, columns), line, strict=True)
        ]
        for one, line in zip(_named(pair.truth, rows), scores.tolist(), strict=True)
    ]
    figure.add_heatmap(
        z=drawn,
        x=titles[1],
        y=titles[0],
        coloraxis="coloraxis",
        xgap=1,
        ygap=1,
        hoverongaps=False,
        hovertext=boxes,
        hovertemplate=canvas.BOX,
    )
    figure.update_layout(coloraxis={"cmin": 0, "cmax": 1, "colorbar": {"title": {"text": "F"}}})
    figure.update_xaxes(title="found group")
    figure.update_yaxes(title="true group")
    said = canvas.name_cells(figure, len(rows), len(columns), ("true groups", "found groups"))
    note = "F is the harmonic mean of precision and recall of the objects; empty cells share none."
    return canvas.finish(
        figure,
        "matches",
        theme,
        f"{canvas.named(name)}{_matched(pair)}",
        " ".join(filter(None, [note, _left_out(pair, len(rows), len(columns)), said])),
        height=120 + ROW * max(4, len(rows)),
    )


def _by_size(cover: Cover) -> Places:
    """The places of all groups, the largest first; those of equal size by their names."""
    sizes, titles = cover.sizes.tolist(), _named(cover, np.arange(cover.k))
    order = sorted(range(cover.k), key=lambda k: (-sizes[k], natural(titles[k])))
    return np.array(order, np.int64)


def _beside(pair: CoverPair, rows: Places, most: int) -> Places:
    """The best match of each of some true groups, and then the largest other found groups."""
    by_size = _by_size(pair.pred)
    best = np.zeros(len(rows))
    match = np.full(len(rows), -1)
    for first in range(0, len(by_size) if len(rows) else 0, STEP):
        places = by_size[first : first + STEP]
        scores = pair.f_scores(rows, places)
        at = scores.argmax(axis=1)
        found = scores[np.arange(len(rows)), at]
        better = found > best
        best[better], match[better] = found[better], places[at[better]]
    matches = dict.fromkeys(match[match >= 0].tolist())
    return np.array(list(matches | dict.fromkeys(by_size.tolist()))[:most], np.int64)


def _left_out(pair: CoverPair, rows: int, columns: int) -> str:
    """Which groups are drawn, where these are not all; else nothing."""
    said = []
    if rows < pair.truth.k:
        said.append(f"The {rows:,} largest of {pair.truth.k:,} true groups are drawn.")
    if columns < pair.pred.k:
        said.append(
            f"Of {pair.pred.k:,} found groups {columns:,} are drawn: the best match of each true "
            "group, and then the largest others."
        )
    return " ".join(said)


def _named(cover: Cover, places: Places) -> list[Any]:
    return [plain_label(cover.group_names[k]) for k in places.tolist()]


def _diagonal(scores: Floats) -> Places:
    """An order of columns in which the best match of each row is next, where it is left."""
    left = dict.fromkeys(range(scores.shape[1]))
    order = []
    for line in scores:
        if left:
            best = max(left, key=line.__getitem__)
            if line[best] > 0:
                order.append(best)
                del left[best]
    return np.array([*order, *left], np.int64)


def _matched(pair: CoverPair) -> str:
    """What the figure shows, in one sentence."""
    best = pair.matches[0]
    if not len(best):
        return "The truth has no groups."
    exact, mean = int((best == 1).sum()), digits(round(float(best.mean()), 3))
    return (
        f"{exact:,} of {counted(len(best), 'true group')} {'is' if exact == 1 else 'are'} found "
        f"exactly; their best matches have an F of {mean} on average."
    )


@figures.register
def _(cover: Cover, *, theme: str = "light") -> list[Figure]:
    return [overlap_plot(cover, theme=theme)]


def cover_figures(pairs: Mapping[str, CoverPair], *, theme: str = "light") -> list[Figure]:
    """Return the matches of each prediction, then the overlaps of the truth and of each of them."""
    covers = [("Truth", next(iter(pairs.values())).truth)]
    covers += [(name or "Prediction", pair.pred) for name, pair in pairs.items()]
    return [
        *(
            match_heatmap(pair, name=name, theme=theme)
            for name, pair in pairs.items()
            if pair.truth.k and pair.pred.k
        ),
        *(overlap_plot(cover, name=name, theme=theme) for name, cover in covers),
    ]


@figures.register
def _(pair: CoverPair, *, theme: str = "light") -> list[Figure]:
    return cover_figures({"": pair}, theme=theme)
