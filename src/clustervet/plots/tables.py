"""A table of classes and clusters: its heatmap, and the flows of objects between its sides."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of, whole
from clustervet.contingency import Contingency
from clustervet.ensemble.drift_result import Drift, Drifts
from clustervet.errors import ParameterError
from clustervet.labels import encode_all
from clustervet.labels.pair import Missing, noise_places
from clustervet.plots import canvas, figures
from clustervet.plots.canvas import Figure, axis_texts, hover, plot_text
from clustervet.plots.theme import EITHER, QUIET
from clustervet.view.words import SHORT, counted, digits, distinct, ident, listed, share, spoken

Places = NDArray[np.int64]
Shade = Literal["class", "cluster", "count"]
SHADES: dict[Shade, str] = {
    "class": "share of the class",
    "cluster": "share of the cluster",
    "count": "objects",
}
# Rows or columns of a table that are drawn.
DRAWN_SIDES = 300
# Rows or columns of a table up to which cells hold their numbers.
NUMBERED = 20
# Share of the axis from which on a bar has room for its number.
LEGIBLE = 0.06


# What objects are called whose label is missing.
NO_LABEL = "no label"


@dataclass(frozen=True)
class Side:
    """Classes or clusters along one side of a figure.

    `names` are those that are shown. Where others are combined in one more place, `rest` is their
    number and the last of `sizes` is theirs.
    """

    kind: str
    names: list[Any]
    sizes: list[Any]
    rest: int
    title: str = ""

    @classmethod
    def of(
        cls,
        kind: str,
        names: list[Any],
        sizes: NDArray[Any],
        order: Places,
        shown: int,
        title: str = "",
    ) -> Side:
        """Return the side that shows the first places of an order and combines the others."""
        kept, rest = order[:shown], order[shown:]
        combined = [sizes[rest].sum()] if len(rest) else []
        return cls(kind, [names[k] for k in kept], [*sizes[kept], *combined], len(rest), title)

    @cached_property
    def labels(self) -> list[Any]:
        """What stands at each place."""
        named = [NO_LABEL if name is None else name for name in self.names]
        return [*named, *[f"other ({self.rest:,})"] * bool(self.rest)]

    @cached_property
    def ids(self) -> list[str]:
        """The id of each place; that of combined ones is empty."""
        return [ident(self.kind, name) for name in self.names] + [""] * bool(self.rest)

    @cached_property
    def words(self) -> list[str]:
        """What each place is called in a hover box."""
        one, many = ("class", "classes") if self.kind == "class" else ("cluster", "clusters")
        named = [NO_LABEL if n is None else f"{one} {spoken(n)}" for n in self.names]
        return named + [f"{self.rest:,} other {many}"] * bool(self.rest)


@dataclass(frozen=True)
class Grid:
    """A table as it is drawn: its two sides, and its counts as a dense matrix."""

    rows: Side
    cols: Side
    counts: NDArray[Any]

    @cached_property
    def shares(self) -> dict[Shade, NDArray[np.float64]]:
        """What the colour of a cell may show."""
        counts = self.counts.astype(np.float64)
        rows, cols = (np.asarray(side.sizes, np.float64) for side in (self.rows, self.cols))
        return {"class": counts / rows[:, None], "cluster": counts / cols, "count": counts}

    @property
    def is_small(self) -> bool:
        """Whether there is room for numbers in the cells."""
        return bool(max(self.counts.shape) <= NUMBERED)


def diagonal_order(table: Contingency) -> tuple[Places, Places]:
    """Return orders of classes and clusters in which matched pairs lie on the diagonal.

    The pairs of the table's best matching come first, the largest cell foremost. Then come the
    classes and clusters without a match, the largest first.

    >>> table = Contingency.from_counts([[0, 9, 1], [5, 0, 0]])
    >>> [order.tolist() for order in diagonal_order(table)]
    [[0, 1], [1, 0, 2]]
    """
    cells = table.cells
    matched = table.match()
    matched = matched[np.argsort(-cells.values[matched].astype(np.float64), kind="stable")]
    rows, cols = (side[matched].astype(np.int64) for side in (cells.rows, cells.cols))
    return _completed(rows, table.class_sizes), _completed(cols, table.cluster_sizes)


def _completed(first: Places, sizes: NDArray[np.generic]) -> Places:
    """Return these places, followed by the others, the largest first."""
    left = np.ones(len(sizes), np.bool_)
    left[first] = False
    others = np.flatnonzero(left)
    falling = np.argsort(-sizes[others].astype(np.float64), kind="stable")
    return np.concatenate([first, others[falling]])


def make_grid(table: Contingency, most: int) -> Grid:
    """Return the table in diagonal order; what is beyond `most` rows or columns is combined."""
    whole(most, "most", 2)
    named = (
        ("class", table.class_names, table.class_sizes),
        ("cluster", table.cluster_names, table.cluster_sizes),
    )
    sides, places = [], []
    for (kind, names, sizes), order in zip(named, diagonal_order(table), strict=True):
        shown = len(order) if len(order) <= most else most - 1
        sides.append(Side.of(kind, names, sizes, order, shown))
        place = np.empty(len(order), np.int64)
        place[order] = np.minimum(np.arange(len(order)), shown)
        places.append(place)
    cells = table.cells
    counts = np.zeros([len(side.sizes) for side in sides], cells.values.dtype)
    np.add.at(counts, (places[0][cells.rows], places[1][cells.cols]), cells.values)
    return Grid(sides[0], sides[1], counts)


def contingency_heatmap(
    table: Contingency, *, shade: Shade = "class", most: int = DRAWN_SIDES, theme: str = "light"
) -> Figure:
    """Draw how classes fall into clusters, with matched pairs on the diagonal.

    Parameters
    ----------
    table : Contingency
        The table. Up to 20 rows and columns the cells hold their numbers.
    shade : {"class", "cluster", "count"}, default "class"
        What the colour shows: the share of the class, the share of the cluster, or the number of
        objects.
    most : int, default 300
        The most rows and columns that are drawn. The smallest classes and clusters beyond are
        combined, and the note says so.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The heatmap.

    Raises
    ------
    ParameterError
        If `table` is not a `Contingency`, or a parameter has a value that is not allowed.

    Examples
    --------
    >>> table = Contingency.from_labels(["a", "a", "b", "b"], [1, 1, 1, 0])
    >>> contingency_heatmap(table).layout.meta["title"]
    'Cluster 1 mixes a and b: 1 of its 3 objects is not a.'
    """
    one_of(shade, "shade", SHADES)
    if not isinstance(table, Contingency):
        raise ParameterError(
            f"contingency_heatmap draws a Contingency, not {type(table).__name__}; make one with "
            "Contingency.from_labels(truth, pred)."
        )
    grid = make_grid(table, most)
    height, width = grid.counts.shape
    figure = canvas.new_figure()
    _add_cells(figure, grid, shade)
    # Names of clusters are upright where they would run into each other.
    longest = max(map(len, distinct(grid.cols.names)))
    angle = 0 if longest * 7.5 + 8 <= 560 / width else -90
    figure.update_xaxes(title="cluster", type="category", showgrid=False, tickangle=angle)
    figure.update_yaxes(title="class", type="category", showgrid=False, autorange="reversed")
    form, top = (",d", None) if shade == "count" else (".0%", 1)
    bar = {"title": {"text": SHADES[shade]}, "tickformat": form}
    figure.update_coloraxes(cmin=0, cmax=top, colorbar=bar)
    ids: dict[str, Any] = {
        "rows": [key for key in grid.rows.ids if key],
        "columns": [key for key in grid.cols.ids if key],
    }
    title, note = heatmap_title(table), _heatmap_note(table, grid)
    tall = min(max((46 if grid.is_small else 15) * height, 170), 620) + 90
    return canvas.finish(figure, "contingency", theme, title, note, height=tall, **ids)


def _add_cells(figure: Figure, grid: Grid, shade: Shade) -> None:
    filled = grid.counts != 0
    largest = max(grid.counts.shape)
    extra: dict[str, Any] = {}
    if grid.is_small:
        extra["text"] = [[_compact(x) if x else "" for x in row] for row in grid.counts.tolist()]
        extra["texttemplate"] = "%{text}"
        extra["textfont"] = {"size": 13 if largest <= 12 else 10}
    if int(filled.sum()) <= canvas.HOVERED:
        extra |= _boxes(grid, filled)
    else:
        shared = "" if shade == "count" else f"<br>%{{z:.2%}} of the {shade}"
        extra["customdata"] = _narrow(grid.counts)
        extra["hovertemplate"] = (
            f"class %{{y}}, cluster %{{x}}<br>%{{customdata:,}} objects{shared}<extra></extra>"
        )
    figure.add_heatmap(
        z=np.where(filled, grid.shares[shade], math.nan).astype(np.float32),
        x=axis_texts(grid.cols.labels),
        y=axis_texts(grid.rows.labels),
        coloraxis="coloraxis",
        hoverongaps=False,
        xgap=int(largest <= 60),
        ygap=int(largest <= 60),
        **extra,
    )


def _narrow(counts: NDArray[Any]) -> NDArray[Any]:
    """Return counts in as few bytes as they need: a page holds all of them."""
    if counts.dtype == np.int64 and counts.max() < 2**32:
        return counts.astype(np.uint16 if counts.max() < 2**16 else np.uint32)
    return counts.astype(np.float64)


def _boxes(grid: Grid, filled: NDArray[np.bool_]) -> dict[str, Any]:
    """Return ids and hover boxes of the cells that are not empty."""
    rows, cols = grid.rows, grid.cols
    ids = np.full(grid.counts.shape, None, object)
    boxes = np.full(grid.counts.shape, "", object)
    of_class, of_cluster = grid.shares["class"], grid.shares["cluster"]
    for r, c in zip(*np.nonzero(filled), strict=True):
        ids[r, c] = [cols.ids[c], rows.ids[r]]
        boxes[r, c] = hover(
            f"{rows.words[r]}, {cols.words[c]}",
            counted(grid.counts[r, c], "object"),
            f"{share(float(of_class[r, c]))} of the class ({digits(rows.sizes[r])})",
            f"{share(float(of_cluster[r, c]))} of the cluster ({digits(cols.sizes[c])})",
        )
    return {"customdata": ids.tolist(), "hovertext": boxes.tolist(), "hovertemplate": canvas.BOX}


def _compact(count: Any) -> str:
    """Return a number that fits a cell."""
    value = float(count)
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if letter == 'k' else size):.3g}{letter}"
    return f"{value:,.3g}" if value < 100 and value % 1 else f"{value:.0f}"


def heatmap_title(table: Contingency) -> str:
    """Return what the table shows, in one sentence."""
    if table.identical:
        return "Each cluster is one class: the clustering equals the truth."
    cells, sizes = table.cells, table.cluster_sizes
    peaks = np.zeros(len(sizes), cells.values.dtype)
    np.maximum.at(peaks, cells.cols, cells.values)
    strays = (sizes - peaks).astype(np.float64)
    mixed = int(np.count_nonzero(strays > 0))
    if mixed == 0:
        parts = np.diff(cells.indptr)
        most = int(np.argmax(parts))
        name = spoken(table.class_names[most])
        return f"No cluster mixes classes; class {name} is split over {parts[most]:,} clusters."
    worst = int(np.argmax(strays))
    inside = np.flatnonzero(cells.cols == worst)
    ranked = inside[np.argsort(-cells.values[inside].astype(np.float64), kind="stable")]
    names = [spoken(table.class_names[k]) for k in cells.rows[ranked[:3]]]
    if len(ranked) > 3:
        names = [names[0], f"{len(ranked) - 1:,} other classes"]
    lost, size = sizes[worst] - peaks[worst], sizes[worst]
    tail = f"{digits(lost)} of its {digits(size)} objects {'is' if lost == 1 else 'are'} not"
    finding = f"{spoken(table.cluster_names[worst])} mixes {listed(names)}: {tail} {names[0]}."
    if mixed == 1 or len(sizes) <= 5:
        return f"Cluster {finding}"
    return f"{mixed:,} of {len(sizes):,} clusters mix classes; cluster {finding}"


def _heatmap_note(table: Contingency, grid: Grid) -> str:
    matched, (height, width) = table.matched, table.shape
    count = digits(matched if isinstance(matched, int) else float(matched))
    said = [
        f"{count} of {digits(table.n)} objects ({share(float(matched / table.exact_n))}) lie "
        "in matched pairs, which come first along the diagonal."
    ]
    if not grid.is_small:
        sizes = f"{counted(height, 'class', 'classes')} × {counted(width, 'cluster')}"
        said.append(f"{sizes}: too many for numbers in the cells.")
    combined = [f"{grid.rows.rest:,} classes"] * bool(grid.rows.rest)
    combined += [f"{grid.cols.rest:,} clusters"] * bool(grid.cols.rest)
    if combined:
        said.append(f"The last {listed(combined)} are combined as other.")
    return " ".join(said)


def alluvial(
    flows: Contingency | Sequence[Contingency] | Mapping[Any, Any],
    *,
    names: Sequence[str] | None = None,
    most: int = 12,
    missing: Missing = "class",
    theme: str = "light",
) -> Figure:
    """Draw the flows of objects from truth to clustering, and on to other clusterings.

    Parameters
    ----------
    flows : Contingency, sequence of Contingency, or mapping
        One table; or several tables, where the clusters of each are the classes of the next; or
        {name: labels}, with the truth first.
    names : sequence of str or None, optional
        The titles of the columns.
    most : int, default 12
        How many of the largest classes or clusters each column shows. The others are combined.
    missing : {"class", "drop", "raise"}, default "class"
        What to do with missing labels, and with objects that only some mappings have: draw them as
        one grey group, leave the object out between the two columns, or refuse them.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        The diagram.

    Raises
    ------
    ParameterError
        If there are fewer than two labelings, the tables do not follow each other, or the number
        of names is not the number of columns.

    Examples
    --------
    >>> figure = alluvial({"truth": ["a", "a", "b"], "first": [0, 0, 1], "second": [0, 0, 0]})
    >>> figure.layout.meta["title"]
    'Each class goes into one cluster; none is split.'
    """
    whole(most, "most", 2)
    tables, titles = _read_flows(flows, names, missing)
    columns = _flow_columns(tables, titles, most)
    # Flows between combined clusters would leave little room for the others.
    hidden = all(column.rest and 2 * column.sizes[-1] > tables[0].n for column in columns)
    figure = canvas.new_figure()
    _add_flows(figure, tables, columns, hidden)
    last = len(titles) - 1
    for k, title in enumerate(titles):
        figure.add_annotation(
            text=plot_text(title, SHORT),
            x=k / last,
            y=1,
            xref="paper",
            yref="paper",
            yanchor="bottom",
            yshift=4,
            xanchor="left" if k == 0 else "right" if k == last else "center",
        )
    title, note = _flow_title(tables[0]), _flow_note(columns, hidden)
    height = 80 + 34 * max(len(column.sizes) for column in columns)
    canvas.finish(figure, "alluvial", theme, title, note, height=height, room=22)
    return figure.update_layout(margin_b=20)


def _read_flows(
    flows: Any, names: Sequence[str] | None, missing: Missing
) -> tuple[list[Contingency], list[str]]:
    """Return the tables between neighbouring columns, and the titles of the columns."""
    if isinstance(flows, Mapping):
        if len(flows) < 2:
            raise ParameterError("flows need two labelings or more.")
        given = {str(name): labels for name, labels in flows.items()}
        sides = encode_all(given, missing=missing)[0]
        tables = [Contingency.from_labels(a, b) for a, b in pairwise(sides)]
        titles = [str(name) for name in flows]
    else:
        several = flows if isinstance(flows, Iterable) else ()
        tables = [flows] if isinstance(flows, Contingency) else list(several)
        if not tables or not all(isinstance(table, Contingency) for table in tables):
            raise ParameterError("flows must be a Contingency, several, or {name: labels}.")
        titles = ["truth", "clusters", *(f"clusters {k}" for k in range(2, len(tables) + 1))]
    for before, after in pairwise(tables):
        if set(before.cluster_names) != set(after.class_names):
            raise ParameterError("the clusters of each table must be the classes of the next.")
    if names is not None:
        if len(names) != len(titles):
            raise ParameterError(
                f"names must be {len(titles)}, one for each column, not {len(names)}."
            )
        titles = [str(name) for name in names]
    return tables, titles


def _flow_columns(tables: list[Contingency], titles: list[str], most: int) -> list[Side]:
    """Return the columns of the diagram, the largest class or cluster of each first."""
    sides = [(tables[0].class_names, tables[0].class_sizes)]
    sides += [(table.cluster_names, table.cluster_sizes) for table in tables]
    columns = []
    for place, (names, sizes) in enumerate(sides):
        order = np.argsort(-sizes.astype(np.float64), kind="stable")
        # A single one beyond the most is shown, as it would take the same room.
        shown = len(order) if len(order) <= most + 1 else most
        kind = ("class", "cluster")[place] if place < 2 else f"cluster of {titles[place]}"
        columns.append(Side.of(kind, names, sizes, order, shown, titles[place]))
    return columns


def _block(table: Contingency, before: Side, after: Side) -> NDArray[Any]:
    """Return the flows between two columns; those of combined clusters are in the last places."""
    block = np.zeros((len(before.sizes), len(after.sizes)), table.cells.values.dtype)
    rows, cols = _places(table.class_names, before), _places(table.cluster_names, after)
    np.add.at(block, (rows[table.cells.rows], cols[table.cells.cols]), table.cells.values)
    return block


def _places(names: list[Any], column: Side) -> NDArray[np.int64]:
    place = {name: k for k, name in enumerate(column.names)}
    return np.array([place.get(name, len(column.names)) for name in names], np.int64)


def _add_flows(
    figure: Figure, tables: list[Contingency], columns: list[Side], hidden: bool
) -> None:
    starts = np.cumsum([0, *(len(column.sizes) for column in columns)])
    plain = cycle(EITHER)
    grey = _grey(tables[0].class_names)
    colours = [QUIET if name in grey else next(plain) for name in columns[0].names]
    colours += [QUIET] * bool(columns[0].rest)
    links: dict[str, list[Any]] = {
        key: [] for key in ("source", "target", "value", "color", "customdata")
    }
    for k, (table, (before, after)) in enumerate(zip(tables, pairwise(columns), strict=True)):
        block = _block(table, before, after)
        here = colours[-len(before.sizes) :]
        largest = block.argmax(axis=0)
        colours += _matched_colours(table, before, after, here)
        outs, ins = block.sum(axis=1), block.sum(axis=0)
        if hidden:
            block[-1, -1] = 0
        for r, c in zip(*np.nonzero(block), strict=True):
            links["source"].append(int(starts[k] + r))
            links["target"].append(int(starts[k + 1] + c))
            links["value"].append(float(block[r, c]))
            main = c == block[r].argmax() or r == largest[c]
            links["color"].append(_faint(here[r], 0.45 if main else 0.2))
            box = hover(
                f"{before.words[r]} → {after.words[c]}",
                counted(block[r, c], "object"),
                f"{share(float(block[r, c] / outs[r]))} of the first, "
                f"{share(float(block[r, c] / ins[c]))} of the second",
            )
            links["customdata"].append([after.ids[c], before.ids[r], box])
    figure.add_sankey(
        # Nodes that can be dragged swallow clicks.
        arrangement="fixed",
        node={
            "label": [text for column in columns for text in axis_texts(column.labels)],
            "color": colours,
            "pad": 12,
            "thickness": 14,
            "line": {"width": 0},
            "customdata": [
                [key, hover(f"{column.title}: {word}", counted(size, "object"))]
                for column in columns
                for key, word, size in zip(column.ids, column.words, column.sizes, strict=True)
            ],
            "hovertemplate": "%{customdata[1]}<extra></extra>",
        },
        link={**links, "hovertemplate": "%{customdata[2]}<extra></extra>"},
    )


def _matched_colours(
    table: Contingency, before: Side, after: Side, colours: Sequence[str]
) -> list[str]:
    """Return the colours of a column: a cluster has that of the one that it is matched with."""
    pairs = zip(before.names, colours, strict=False)
    grey = _grey(table.class_names)
    known = {name: colour for name, colour in pairs if name not in grey}
    free = iter([colour for colour in EITHER if colour not in known.values()])
    mapping, grey = table.mapping(noise=-1), _grey(table.cluster_names)
    found = []
    for name in after.names:
        matched = known.get(mapping.get(name))
        found.append(QUIET if name in grey else matched or next(free, QUIET))
    return found + [QUIET] * bool(after.rest)


def _grey(names: Sequence[Any]) -> set[Any]:
    """Return the names of objects that are in no group: noise, or without a label."""
    return {None, *(names[k] for k in noise_places(names, -1))}


def _faint(colour: str, strength: float) -> str:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red},{green},{blue},{strength})"


def _flow_title(table: Contingency) -> str:
    """Return which class has the most objects outside its largest part."""
    cells, sizes = table.cells, table.class_sizes
    peaks = np.maximum.reduceat(cells.values, cells.indptr[:-1])
    strays = (sizes - peaks).astype(np.float64)
    strays[[name is None for name in table.class_names]] = 0
    if not strays.any():
        return "Each class goes into one cluster; none is split."
    worst = int(np.argmax(strays))
    span = slice(int(cells.indptr[worst]), int(cells.indptr[worst + 1]))
    top = span.start + int(np.argmax(cells.values[span].astype(np.float64)))
    cluster = table.cluster_names[int(cells.cols[top])]
    target = "no cluster" if cluster is None else f"cluster {spoken(cluster)}"
    part = share(float(peaks[worst] / sizes[worst]))
    return (
        f"Class {spoken(table.class_names[worst])} is spread over {span.stop - span.start:,} "
        f"clusters: {part} of its {digits(sizes[worst])} objects are in {target}."
    )


def _flow_note(columns: list[Side], hidden: bool) -> str:
    said = ["Height is the number of objects; matched clusters have the same colour."]
    combined = [f"{column.rest:,} of {spoken(column.title)}" for column in columns if column.rest]
    if combined:
        said.append(f"The smallest are combined as other: {', '.join(combined)}.")
    if hidden:
        said.append("Flows from other to other hold most of the objects and are not drawn.")
    return " ".join(said)


canvas.draws(Contingency, contingency_heatmap, alluvial)


def _drift_flows(found: Drift | Drifts, *, theme: str = "light") -> list[Figure]:
    """Draw the flows of objects from time to time; none where the objects are other ones."""
    if not found.labels:
        return []
    figure = alluvial(found.labels, theme=theme)
    held = figure.layout
    height, room = held.height - held.meta["top"], held.margin.t - held.meta["top"]
    note = held.meta["note"]
    return [canvas.finish(figure, "drift", theme, found.verdict, note, height=height, room=room)]


figures.register(Drift, _drift_flows)
figures.register(Drifts, _drift_flows)


def information_diagram(table: Any, pred: Any = None, *, theme: str = "light") -> Figure:
    """Draw what classes and clusters tell of each other, in bits.

    Parameters
    ----------
    table : Contingency or array-like
        A table, or the classes.
    pred : array-like, optional
        The clusters, where classes were given.
    theme : {"light", "dark"}, default "light"
        The colours of the figure.

    Returns
    -------
    plotly.graph_objects.Figure
        A bar for the entropy of the classes and one for that of the clusters. They overlap in their
        mutual information. What is left of both is the variation of information.

    Notes
    -----
    These are the quantities of Meilă 2007, Fig. 2: H(C) = H(C|K) + I, H(K) = I + H(K|C) and
    VI = H(C|K) + H(K|C).

    Examples
    --------
    >>> figure = information_diagram(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> figure.layout.meta["title"]
    'Classes and clusters share 0.311 bits and are 1.189 bits apart.'
    """
    if pred is not None or not isinstance(table, Contingency):
        table = Contingency.from_labels(table, pred)
    known = table.entropies
    lost, shared, gained = (
        x / math.log(2)
        for x in (known.classes_given_clusters, known.mutual, known.clusters_given_classes)
    )
    parts = (
        ("lost", "H(class | cluster)", "classes that clusters do not tell", EITHER[0]),
        ("shared", "I", "mutual information", QUIET),
        ("gained", "H(cluster | class)", "clusters that classes do not tell", EITHER[1]),
    )
    sizes = {"lost": lost, "shared": shared, "gained": gained}
    starts = {"lost": 0.0, "shared": lost, "gained": lost + shared}
    rows = (
        ("classes", ("lost", "shared")),
        ("clusters", ("shared", "gained")),
        ("VI", ("lost", "gained")),
    )
    whole_width = math.fsum(sizes.values())
    figure = canvas.new_figure()
    for key, symbol, meaning, colour in parts:
        held = [k for k, (_, members) in enumerate(rows) if key in members]
        figure.add_bar(
            x=[sizes[key]] * len(held),
            y=held,
            base=[starts[key]] * len(held),
            orientation="h",
            name=f"{symbol}: {meaning}",
            marker={"color": colour},
            hovertext=[hover(f"{symbol} = {sizes[key]:.4f} bits", meaning)] * len(held),
            hovertemplate=canvas.BOX,
            width=0.6,
            text=[f"{sizes[key]:.3f}" if sizes[key] > LEGIBLE * whole_width else ""] * len(held),
            textposition="inside",
            insidetextanchor="middle",
        )
    names = [f"H({name}) = {_total(sizes, members)}" for name, members in rows[:2]]
    canvas.name_rows(figure, [*names, f"VI = {_total(sizes, rows[2][1])}"])
    figure.update_xaxes(title="bits", rangemode="tozero")
    figure.update_layout(barmode="overlay")
    title = f"Classes and clusters share {shared:.3f} bits and are {lost + gained:.3f} bits apart."
    note = f"{digits(table.n)} objects, {table.shape[0]:,} classes, {table.shape[1]:,} clusters."
    return canvas.finish(figure, "information", theme, title, note, height=240, legend=True)


def _total(sizes: Mapping[str, float], members: Sequence[str]) -> str:
    return f"{math.fsum(sizes[key] for key in members):.3f}"
