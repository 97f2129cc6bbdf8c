"""Where a clustering goes wrong: exact shares of each cluster and class, and repairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet._numeric import log_binomial
from clustervet.contingency import Contingency
from clustervet.contingency.build import REAL_LIMIT
from clustervet.contingency.engine_table import with_cells
from clustervet.errors import ParameterError, TableError
from clustervet.inference.members import EVERY, CellObjects, Members, read_ids
from clustervet.inference.repairs import Repair, agreement, find_repairs
from clustervet.labels import show_label
from clustervet.registry import measures
from clustervet.view import (
    Cell,
    Column,
    Result,
    Row,
    Section,
    Table,
    form_cell,
    name_cell,
    number_cell,
    plain,
    text_cell,
)
from clustervet.view.words import ident, known

Reals = NDArray[np.float64]
LOG_TWO = math.log(2)
# Rows of a table that a terminal shows.
SHOWN = 20
# Clusters or classes that a page shows: the costliest; data have all of them.
HELD = 1_000
# The share of VI that a repair must gain to be named in a sentence.
WORTH = 0.01
GAINS = ("vi_gain", "vi_gain_per_object", "q0_gain", "adjusted_rand_gain")
# Measures by the names that sentences use.
SPOKEN = {"variation_of_information": "VI", "adjusted_rand": "adjusted Rand"}
AGREEMENT = (
    (0.9, "Excellent agreement"),
    (0.65, "Good agreement"),
    (0.35, "Moderate agreement"),
    (0.1, "Poor agreement"),
    (-0.05, "Hardly any agreement"),
    (-math.inf, "Less agreement than by chance"),
)


class Part(NamedTuple):
    """One cluster, or one class: how it fits, and its exact share of what is wrong.

    For a cluster, `majority` is its main class, `purity` the share of the cluster in that
    class and `recall` the share of that class in the cluster; for a class, the other way
    round. `entropy` is in bits; `gini` is the chance that two draws with replacement differ
    (Aggarwal 2015, eq. 6.50). `vi`, `q0` and `pair_errors` are its shares of those totals.
    """

    name: Any
    size: int | float
    majority: Any
    purity: float
    recall: float
    f: float
    entropy: float
    gini: float
    match: Any
    vi: float
    q0: float
    pair_errors: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data; names as text that is safe to show."""
        return {
            **self._asdict(),
            "name": show_label(self.name),
            "majority": show_label(self.majority),
            "match": None if self.match is None else show_label(self.match),
        }


@dataclass(frozen=True, slots=True)
class Spread:
    """A class spread over clusters, or a cluster over classes, and what that costs in VI."""

    name: Any
    parts: list[tuple[Any, int | float]]  # the largest ones
    number: int  # of all parts
    bits: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data; names as text that is safe to show."""
        return {
            "name": show_label(self.name),
            "parts": [[show_label(name), count] for name, count in self.parts],
            "number": self.number,
            "bits": self.bits,
        }


@dataclass(frozen=True, repr=False)
class Diagnosis(Result):
    """Where a clustering goes wrong: every cluster and class, and what repairs would gain.

    Parameters
    ----------
    clusters, classes : list of Part
        How each cluster and each class fits, and its exact share of what is wrong.
    splits, merges : list of Spread
        The classes split over clusters, and the clusters that mix classes, costliest first.
    repairs, repairs_per_object : list of Repair
        Single changes of the clustering: those that lower the variation of information most in
        total, and those that lower it most per object that gets another cluster. Both are empty
        where the agreement is not beyond chance.
    vi, q0, adjusted_rand, pair_errors : float
        The totals: variation of information and Dom's Q0 in bits, the adjusted Rand index, and
        the number of pairs that the clustering gets wrong.
    mixed, scattered : float
        The shares of the variation of information that come from classes mixed within clusters
        and from classes split over clusters.
    n : float
        The number of objects.
    p_value : float
        How likely random clusterings of the same sizes agree as well, or an upper bound of that;
        nan where it is not known.
    p_value_by : str
        The measure that the p-value is of; empty where it is not known.
    level : float
        The p-value up to which the agreement is taken as beyond chance.
    members : Members, optional
        Which object is where, if labels were given.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.diagnose(["a"] * 6 + ["b"] * 6, [0] * 6 + [0] * 2 + [1] * 4)
    >>> round(found.vi, 3), round(found.mixed, 2), round(found.scattered, 2), found.pair_errors
    (1.0, 0.54, 0.46, 20.0)
    >>> found.merges[0].name, found.merges[0].parts
    (0, [('a', 6), ('b', 2)])
    """

    clusters: list[Part]
    classes: list[Part]
    splits: list[Spread]
    merges: list[Spread]
    repairs: list[Repair]
    repairs_per_object: list[Repair]
    vi: float
    q0: float
    adjusted_rand: float
    pair_errors: float
    mixed: float
    scattered: float
    n: float
    p_value: float
    p_value_by: str
    level: float
    members: Members = field(default_factory=lambda: Members(None, None, {}))

    @property
    def beyond_chance(self) -> bool:
        """Whether repairs are named: the agreement is beyond chance, or that is not known."""
        return not self.p_value > self.level

    @property
    def verdict(self) -> str:
        """What is wrong and what would help most, in a few sentences."""
        return " ".join(filter(None, [self._agreement, self.explanation]))

    @property
    def _agreement(self) -> str:
        if self.vi == 0:
            return "The clustering is the truth, cluster for class."
        index = self.adjusted_rand
        most = math.log2(max(2.0, self.n))
        apart = f"{self.vi:.3f} bits apart (at most log2 n = {most:.2f})."
        if math.isnan(index):
            return f"The clustering is {apart}"
        word = next(w for limit, w in AGREEMENT if index >= limit)
        return f"{word}: adjusted Rand {index:.3f}, {apart}"

    @property
    def explanation(self) -> str:
        """The verdict without its first sentence, which gives the scores."""
        if self.vi == 0:
            return ""
        lines = [self._kind]
        if self.merges and self.mixed >= 0.35:
            lines.append(f"The costliest mixture is cluster {_spread_words(self.merges[0], 'of')}.")
        if self.splits and self.scattered >= 0.35:
            lines.append(f"The costliest split is class {_spread_words(self.splits[0], 'in')}.")
        return " ".join([*lines, *self._advice])

    @property
    def gist(self) -> str:
        """What goes wrong and what to do first; empty where nothing goes wrong."""
        return "" if self.vi == 0 else " ".join([self._kind, *self._advice[:1]])

    @property
    def _kind(self) -> str:
        """Whether classes are mixed, split or both."""
        mixed, scattered = self.mixed, self.scattered
        if mixed >= 0.65:
            return f"Mostly classes are mixed within clusters ({mixed:.0%} of the distance)."
        if scattered >= 0.65:
            return f"Mostly classes are split over clusters ({scattered:.0%} of the distance)."
        return f"Classes are both mixed ({mixed:.0%}) and split ({scattered:.0%})."

    @property
    def _advice(self) -> list[str]:
        """What to do first, or why nothing is recommended."""
        if not self.beyond_chance:
            p = f"p = {known(self.p_value, '.2g')} by {SPOKEN[self.p_value_by]}"
            return [f"The agreement is not beyond chance ({p}), so no repair is named."]
        total, per_object = (
            [r for r in found if r.vi_gain >= WORTH * self.vi and r.adjusted_rand_gain > 0]
            for found in (self.repairs, self.repairs_per_object)
        )
        lines = [f"Most would be gained if you {total[0]}."] if total else []
        if per_object and per_object[0] not in total[:1]:
            lines.append(f"Most per object would be gained if you {per_object[0]}.")
        if lines and not self.p_value_by:
            lines.append("Whether the agreement is beyond chance is not known for such weights.")
        return lines

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per cluster, per class and per repair.

        The name of a repair is what to do, and its size the number of objects that get another
        cluster. Only repairs have gains, and only clusters and classes the other numbers.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        rows = [{"part": "cluster", **part.to_dict()} for part in self.clusters]
        rows += [{"part": "class", **part.to_dict()} for part in self.classes]
        rows += [
            {"part": "repair", "name": one.action, "size": one.objects, **one.to_dict()}
            for one in dict.fromkeys([*self.repairs, *self.repairs_per_object])
        ]
        names = ["part", *Part._fields, *GAINS]
        return {name: [row.get(name) for row in rows] for name in names}

    def document(self) -> Section:
        """Return the verdict, the clusters, the classes and the repairs, the costliest first.

        Returns
        -------
        Section
            The sentences and tables.
        """
        return Section(
            "diagnosis",
            "Where it goes wrong",
            (self.verdict,),
            tuple(self.tables("diagnosis", "p0")),
            lead=(self.verdict,),
            subject=self,
            scope="p0",
        )

    def listed_objects(self) -> dict[str, list[Any]]:
        """Return the objects of every split, merge and repair, one row per object.

        Returns
        -------
        dict
            The columns ``part`` (split, merge or repair), ``name`` (the class, the cluster, or what
            to do), ``rank`` (1 for the costliest) and ``object`` (a row number or an id).

        Raises
        ------
        ParameterError
            If a table was diagnosed, which does not know its objects.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.diagnose(["a"] * 6 + ["b"] * 6, [0] * 6 + [0] * 2 + [1] * 4)
        >>> found.listed_objects()["part"], found.listed_objects()["object"]
        (['split', 'split', 'merge', 'merge'], [6, 7, 6, 7])
        """
        found: dict[str, list[Any]] = {"part": [], "name": [], "rank": [], "object": []}
        kinds: tuple[tuple[str, Any], ...] = (
            ("split", self.splits),
            ("merge", self.merges),
            ("repair", self.repairs),
        )
        for kind, entries in kinds:
            for rank, entry in enumerate(entries, 1):
                name = entry.action if isinstance(entry, Repair) else show_label(entry.name)
                for one in self.objects(entry).tolist():
                    for column, value in zip(found, (kind, name, rank, one), strict=True):
                        found[column].append(value)
        return found

    def tables(
        self, key: str, scope: str, silhouettes: Mapping[str, float] | None = None
    ) -> list[Table]:
        """Return the tables of clusters, classes and repairs.

        Parameters
        ----------
        key : str
            What the keys of the tables begin with.
        scope : str
            The id of the clustering, which the ids of its clusters begin with.
        silhouettes : mapping of str to float, optional
            The mean silhouette of each cluster, for one more column.

        Returns
        -------
        list of Table
            The clusters and the classes, the costliest first, and the repairs by their gain in
            total, if there are any. A last table has the repairs by their gain per object, if some
            of them are not among the others.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.diagnose(["a"] * 12 + ["b"] * 12, [0] * 16 + [1] * 8)
        >>> [(table.key, len(table.rows)) for table in found.tables("k", "p0")]
        [('k-clusters', 2), ('k-classes', 2), ('k-repairs', 1)]
        """
        found = [
            _parts_table(f"{key}-clusters", self.clusters, "cluster", scope, silhouettes),
            _parts_table(f"{key}-classes", self.classes, "class", scope),
        ]
        title = "What would improve it most"
        if self.repairs:
            found.append(_repairs_table(f"{key}-repairs", title, self.repairs, scope))
        if not set(self.repairs_per_object) <= set(self.repairs):
            title += " per object"
            listed = self.repairs_per_object
            found.append(_repairs_table(f"{key}-repairs-per-object", title, listed, scope))
        return found

    def objects(self, cluster: Any = EVERY, cls: Any = EVERY) -> NDArray[Any]:
        """Return the objects behind a cell, a cluster, a class, a split, a merge or a repair.

        Parameters
        ----------
        cluster : label, Spread or Repair, optional
            The cluster; by default all. An entry of `merges` or `splits` stands for the objects
            that are not in its largest part, and one of `repairs` for those that get another
            cluster.
        cls : label, optional
            The class; by default all.

        Returns
        -------
        ndarray
            Row numbers from 0 on, or the ids that `diagnose` was given, in the order of the rows.

        Raises
        ------
        ParameterError
            If there is no such cluster or class, or if a table was diagnosed, which does not know
            its objects.

        Notes
        -----
        Dom 2001, §3, calls looking at the objects of large cells "invaluable in diagnosing".

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.diagnose(["a"] * 6 + ["b"] * 6, [0] * 6 + [0] * 2 + [1] * 4)
        >>> found.objects(cluster=0, cls="b")
        array([6, 7])
        >>> found.objects(found.merges[0])
        array([6, 7])
        """
        if isinstance(cluster, Spread):
            mixed = any(cluster is one for one in self.merges)
            rows = _strays(self.members, cluster, mixed)
        elif isinstance(cluster, Repair):
            rows = _moved(self.members, cluster)
        else:
            rows = self.members.rows(cluster, cls)
        return self.members.named(rows)

    def listed_cells(self, classes: Sequence[Any], clusters: Sequence[Any]) -> CellObjects:
        """Return the objects behind the cells of some classes and clusters, for a page.

        Parameters
        ----------
        classes, clusters : sequence
            The labels, in the order of the figure.

        Returns
        -------
        CellObjects
            At most 1,000 objects per cell and 20,000 in all, or why none are known.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.diagnose(["a"] * 6 + ["b"] * 6, [0] * 6 + [0] * 2 + [1] * 4)
        >>> found.listed_cells(["a", "b"], [0, 1]).cells[1]
        (1, 0, 2, ['6', '7'])
        """
        return self.members.listed(classes, clusters, self.n)

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnosis as plain data; names are text that is safe to show.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        return {
            "verdict": self.verdict,
            "variation_of_information": self.vi,
            "dom_q0": self.q0,
            "adjusted_rand": plain(self.adjusted_rand),
            "pair_errors": self.pair_errors,
            "p_value": plain(self.p_value),
            "p_value_by": self.p_value_by or None,
            "level": self.level,
            "beyond_chance": self.beyond_chance,
            "clusters": [part.to_dict() for part in self.clusters],
            "classes": [part.to_dict() for part in self.classes],
            "splits": [spread.to_dict() for spread in self.splits],
            "merges": [spread.to_dict() for spread in self.merges],
            "repairs": [repair.to_dict() for repair in self.repairs],
            "repairs_per_object": [repair.to_dict() for repair in self.repairs_per_object],
        }


def _strays(members: Members, spread: Spread, mixed: bool) -> NDArray[np.int64]:
    """Rows of a cluster that mixes classes, or of a split class, outside its largest part."""
    largest = spread.parts[0][0]
    if mixed:
        every, main = (spread.name, EVERY), (spread.name, largest)
    else:
        every, main = (EVERY, spread.name), (largest, spread.name)
    return np.setdiff1d(members.rows(*every), members.rows(*main))


def _moved(members: Members, repair: Repair) -> NDArray[np.int64]:
    """Rows that get another cluster."""
    if repair.kind == "merge":
        return min((members.rows(name, EVERY) for name in repair.clusters), key=len)
    part = members.rows(repair.clusters[0], repair.split_off)
    if repair.kind == "move":
        return part
    rest = np.setdiff1d(members.rows(repair.clusters[0], EVERY), part)
    return min((part, rest), key=len)


def _parts_table(
    key: str,
    parts: list[Part],
    kind: str,
    scope: str,
    silhouettes: Mapping[str, float] | None = None,
) -> Table:
    """Return one row per cluster, or per class, with the costliest first."""
    of = kind == "cluster"
    other = "class" if of else "cluster"
    columns = [
        Column(kind, "text"),
        Column("objects"),
        Column(f"main {other}", "text", f"The {other} that most of its objects are in"),
        Column(
            "purity" if of else "share there",
            hint=f"Share of the {kind} in its main {other}",
            scale=(0, 1),
        ),
        Column("recall", hint=f"Share of its main {other} in the {kind}", scale=(0, 1)),
        Column("matched to", "text", f"Its {other} in the best one-to-one matching"),
        Column("bits of VI", hint="Its exact share of the variation of information"),
        Column("bits of Q0", hint="Its exact share of Dom's Q0"),
    ]
    if silhouettes is not None:
        columns.append(Column("silhouette", hint="Mean over its points", scale=(-1, 1)))
    rows = []
    for part in sorted(parts, key=lambda part: -part.vi)[:HELD]:
        cells = [
            name_cell(kind, part.name, scope),
            number_cell(part.size),
            name_cell(other, part.majority, scope),
            form_cell(part.purity, ".1%"),
            form_cell(part.recall, ".1%"),
            Cell("none") if part.match is None else name_cell(other, part.match, scope),
            number_cell(part.vi),
            number_cell(part.q0),
        ]
        if silhouettes is not None:
            cells.append(number_cell(silhouettes.get(str(part.name))))
        rows.append(Row(tuple(cells), ident(kind, part.name, scope)))
    title = f"{'Clusters' if of else 'Classes'}, the costliest first"
    more = f"The first {HELD:,} of {len(parts):,}; JSON and data frames have all."
    note = more if len(parts) > HELD else ""
    return Table(key, title, tuple(columns), tuple(rows), note, shown=SHOWN, total=len(parts))


def _repairs_table(key: str, title: str, repairs: list[Repair], scope: str) -> Table:
    """Return one row per single change of the clustering that would gain something."""
    columns = (
        Column("repair", "text"),
        Column("objects", hint="Objects that get another cluster"),
        Column("gain in VI, bits"),
        Column("per object", hint="The gain in VI divided by the objects"),
        Column("gain in Q0, bits"),
        Column("gain in adjusted Rand"),
    )
    rows = tuple(
        Row(
            (
                text_cell(repair.action),
                number_cell(repair.objects),
                number_cell(repair.vi_gain),
                number_cell(repair.vi_gain_per_object),
                number_cell(repair.q0_gain),
                number_cell(repair.adjusted_rand_gain),
            ),
            ident("cluster", repair.clusters[0], scope),
        )
        for repair in repairs
    )
    note = "What one change by itself would gain; positive numbers are improvements."
    return Table(key, title, columns, rows, note)


def diagnose(
    truth: Any,
    pred: Any = None,
    *,
    most: int = 10,
    level: float = 0.05,
    ids: Any = None,
    **options: Any,
) -> Diagnosis:
    """Say where a clustering goes wrong, and what would improve it most.

    Parameters
    ----------
    truth : array-like or Contingency
        The classes, or one finished table.
    pred : array-like, optional
        The clusters, unless `truth` is a table.
    most : int, default 10
        The most entries in each of the lists of splits, merges and repairs.
    level : float, default 0.05
        Repairs are named only if random clusterings of the same sizes agree as well with at most
        this probability; with 1 they are named in any case.
    ids : sequence, optional
        One id per object, which `Diagnosis.objects` then gives instead of row numbers.
    **options
        Options of reading labels (`missing`, `noise`, ...).

    Returns
    -------
    Diagnosis
        Every cluster and class, and the repairs that gain most.

    Raises
    ------
    LabelError
        If the labels cannot be read, or there is not one id for each.
    ParameterError
        If an option is unknown, the level is not above 0 and at most 1, or ids are given for a
        table.
    TableError
        If the cells of the table are not in memory, or its counts sum to 1e150 or more.

    Notes
    -----
    Over the clusters, and again over the classes, the shares of the variation of information
    H(C|K) + H(K|C) (Meilă 2007), of Q0 (Dom 2001) and of the wrong pairs N10 + N01 sum to the
    whole.

    A repair merges two clusters, splits a class off a cluster, or moves the objects of a class in
    one cluster to another cluster. The gain is the exact change of the measure by this repair
    alone. Of each cell only the best move is listed, and a split only if no move of the same
    objects gains more. All pairs of parts of one class are looked at, up to two million; in larger
    tables each part is paired with those that are largest in their clusters.

    Repairs are ordered by their gain in total, since a single stray object often has the largest
    gain per object; `repairs_per_object` has the other order.

    The p-value is the share of random clusterings of the same sizes with at most this VI. If the
    pairs in agreement are ten standard deviations beyond their mean, whose values are exact
    (Fowlkes & Mallows 1983), it is Cantelli's upper bound instead. Beyond 200,000 objects in more
    than 10,000 entries it is that of `chance("adjusted_rand", samples=0)`. Real weights have none.
    The random numbers are always the same, so that a diagnosis is repeatable.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.diagnose(["a"] * 12 + ["b"] * 12, [0] * 16 + [1] * 8)
    >>> found.clusters[0].majority, found.clusters[0].size, found.clusters[0].match
    ('a', 16, 'a')
    >>> print(found.repairs[0])
    move the 4 objects of class b in cluster 0 to cluster 1 (1.000 bits, 0.25 per object)
    """
    if not is_number(level) or not 0 < level <= 1:
        raise ParameterError(f"level must be above 0 and at most 1, not {level!r}.")
    if pred is None and ids is not None:
        raise ParameterError("ids go with labels; a table does not know its objects.")
    if pred is not None:  # labels that can be read only once are kept
        truth, pred = (list(x) if hasattr(x, "__next__") else x for x in (truth, pred))
    named = None if ids is None else read_ids(ids, truth)
    table = with_cells(measures["vi"].subject(truth, pred, **options), "a diagnosis")
    if table.n >= REAL_LIMIT:  # its pairs would exceed any float
        raise TableError(f"a diagnosis needs counts that sum to less than {REAL_LIMIT:g}.")
    turned = table.T
    shares = _cell_shares(table)
    matched = table.match()
    pairs = list(
        zip(table.cells.rows[matched].tolist(), table.cells.cols[matched].tolist(), strict=True)
    )
    class_of = {cluster: c for c, cluster in pairs}
    clusters = _parts(table, shares.by_cluster(table.shape[1]), class_of)
    classes = _parts(turned, shares.by_class(table.shape[0]), dict(pairs))
    merges = _spreads(clusters, turned, most)
    splits = _spreads(classes, table, most)
    p_value, by = agreement(table)
    repairs, per_object = ([], []) if p_value > level else find_repairs(table, most)
    entropies = table.entropies
    vi = 0.0 if table.identical else math.fsum(part.vi for part in clusters)
    lost, gained = (
        x / LOG_TWO / vi if vi else 0.0
        for x in (entropies.classes_given_clusters, entropies.clusters_given_classes)
    )
    return Diagnosis(
        clusters,
        classes,
        splits,
        merges,
        repairs,
        per_object,
        vi=vi,
        q0=math.fsum(part.q0 for part in clusters),
        adjusted_rand=measures["ari"].evaluate(table).value,
        pair_errors=math.fsum(part.pair_errors for part in clusters),
        mixed=lost,
        scattered=gained,
        n=float(table.n),
        p_value=p_value,
        p_value_by=by,
        level=float(level),
        members=Members(None if pred is None else (truth, pred), named, options),
    )


def _parts(table: Contingency, sums: list[Reals], matched: dict[int, int]) -> list[Part]:
    """One entry a cluster of this table (whose roles may be exchanged)."""
    names, others = table.cluster_names, table.class_names
    rows, cols, values = table.cells.rows, table.cells.cols, table.cells.values
    order = np.lexsort((table.class_sizes[rows], -values, cols))
    first = order[np.searchsorted(cols[order], np.arange(len(names)))]
    vi, q0, errors, entropy = sums
    whole = table.cluster_sizes[cols]
    # As a sum of positive terms p (1 - p), which keeps its digits near 0.
    chances = _ratio(values, whole) * _ratio(whole - values, whole)
    gini = np.bincount(cols, weights=chances, minlength=len(names))
    size, other, top = table.cluster_sizes, table.class_sizes[rows[first]], values[first]
    columns = (
        names,
        size.tolist(),
        [others[row] for row in rows[first].tolist()],
        _ratio(top, size).tolist(),
        _ratio(top, other).tolist(),
        _ratio(2 * top, size + other).tolist(),
        entropy.tolist(),
        gini.tolist(),
        [others[matched[k]] if k in matched else None for k in range(len(names))],
        vi.tolist(),
        q0.tolist(),
        errors.tolist(),
    )
    return list(map(Part._make, zip(*columns, strict=True)))


def _spreads(parts: list[Part], table: Contingency, most: int) -> list[Spread]:
    """The costliest rows of a table whose rows are these parts."""
    cost = [float(part.size) / float(table.n) * part.entropy for part in parts]
    order = sorted((k for k in range(len(parts)) if cost[k] > 0), key=lambda k: -cost[k])[:most]
    cells, names = table.cells, table.cluster_names
    found = []
    for k in order:
        span = slice(cells.indptr[k], cells.indptr[k + 1])
        pairs = zip(cells.cols[span].tolist(), cells.values[span].tolist(), strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[1])
        largest = [(names[col], x) for col, x in ranked[:most]]
        found.append(Spread(parts[k].name, largest, len(ranked), cost[k]))
    return found


def _spread_words(spread: Spread, word: str) -> str:
    parts = ", ".join(f"{_count(x)} {word} {show_label(name)}" for name, x in spread.parts[:3])
    rest = spread.number - min(3, len(spread.parts))
    more = f" and {rest:,} more" if rest else ""
    return f"{show_label(spread.name)} ({parts}{more})"


def _count(x: int | float) -> str:
    return f"{x:,}" if isinstance(x, int) else f"{x:,.4g}"


@dataclass(frozen=True)
class _Shares:
    """Contributions of the cells; each array sums to the measure it is named after.

    VI is local (Meilă 2007, Property 5): a cell of x objects, of a class of a and a cluster
    of b, contributes (x/n) [log(b/x) + log(a/x)]. Q0 (Dom 2001, eq. 11) gives a cell
    (x/n) log(b/x) and its part of the cluster's model cost. A pair in error lies in two
    cells, and each gets half of it.
    """

    rows: NDArray[Any]
    cols: NDArray[Any]
    vi: Reals
    q0: Reals
    pair_errors: Reals
    within_column: Reals  # (x/b) log(b/x), which sums to the column's entropy
    within_row: Reals  # (x/a) log(a/x)

    def by_cluster(self, clusters: int) -> list[Reals]:
        """Sums over each cluster: VI, Q0, pair errors, and the cluster's own entropy."""
        return self._sums(self.cols, self.within_column, clusters)

    def by_class(self, classes: int) -> list[Reals]:
        """Sums over each class, likewise."""
        return self._sums(self.rows, self.within_row, classes)

    def _sums(self, places: NDArray[Any], entropies: Reals, size: int) -> list[Reals]:
        return [
            np.bincount(places, weights=values, minlength=size).astype(np.float64)
            for values in (self.vi, self.q0, self.pair_errors, entropies)
        ]


def _cell_shares(table: Contingency) -> _Shares:
    """The contributions of all cells, in bits and in pairs."""
    cells = table.cells
    rows, cols, x = cells.rows, cells.cols, cells.values
    a, b = table.class_sizes[rows], table.cluster_sizes[cols]
    share = _ratio(x, np.full(len(x), table.n, x.dtype))
    by_cluster, by_class = _surprise(x, b), _surprise(x, a)
    kinds = table.shape[0] - 1
    sizes, places = np.unique(table.cluster_sizes, return_inverse=True)
    cost = np.array([log_binomial(float(size), kinds) for size in sizes.tolist()])[places]
    model = _ratio(x, b) * (cost / float(table.n))[cols]
    return _Shares(
        rows=rows,
        cols=cols,
        vi=share * (by_cluster + by_class) / LOG_TWO,
        q0=(share * by_cluster + model) / LOG_TWO,
        pair_errors=(x * (a - x) + x * (b - x)).astype(np.float64) / 2
        if _fits(table)
        else x.astype(np.float64) * ((a - x).astype(np.float64) + (b - x).astype(np.float64)) / 2,
        within_column=_ratio(x, b) * by_cluster / LOG_TWO,
        within_row=_ratio(x, a) * by_class / LOG_TWO,
    )


def _fits(table: Contingency) -> bool:
    """Whether products of counts stay within 64 bits, or are Python ints anyway."""
    return table.cells.values.dtype == object or table.n < 2**31


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Reals:
    return np.asarray(part / whole, np.float64)


def _surprise(part: NDArray[Any], whole: NDArray[Any]) -> Reals:
    """log(whole / part), exact in its last digits also where part is nearly all of whole."""
    rest = _ratio(whole - part, whole)
    ratio = _ratio(part, whole)
    # A weight can be so small beside others that its share is no float any more.
    tiny = np.log(whole.astype(np.float64)) - np.log(part.astype(np.float64))
    large = np.where(ratio > 1e-290, -np.log(np.maximum(ratio, 1e-290)), tiny)
    return np.where(rest < 0.5, -np.log1p(-np.minimum(rest, 0.5)), large)
