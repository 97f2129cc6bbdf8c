"""`Moments`: what internal measures need of clusters that are too large for memory.

Sums of features are added where the rows are; one row per cluster is returned. Squares of large
numbers that differ little lose their digits, so sums are taken about a shift. The first rows give
one shift for all clusters. Where a cluster still lies so far from it that its squares would
cancel, the engine adds once more, about each cluster's own mean. Moments of shards add.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import need
from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.frames.frame import Frame, whole
from clustervet.frames.places import Paths, path_list
from clustervet.frames.rows import LARGEST, SMALLEST, floats, pick, read_names, weight_sums
from clustervet.labels import consecutive, encode_one, plain_label, read_labels, show_label
from clustervet.labels.pair import Missing, NoisePolicy, missing_error, noise_policies

Floats = NDArray[np.float64]
NOISE = -1
# Rows whose mean is the shift.
FIRST_ROWS = 1_000
# How many times as large as squares about the mean those about the shift may be: engines add
# without compensation, good to about 1e-13, and twelve digits less three are nine.
CANCELLING = 1e3


@dataclass(frozen=True, eq=False)
class Moments:
    """Number of points, mean and sums of squares of each cluster.

    Made by `cluster_moments` or `file_moments`. Moments of disjoint rows add with ``+``.

    Parameters
    ----------
    names : list
        The clusters.
    features : tuple of str
        The columns of numbers.
    sizes : ndarray of int64
        How many points each cluster has.
    anchors, offsets : ndarray
        The mean of a cluster is ``anchors + offsets``, so that a far origin costs no digits.
    scatter : ndarray
        Sums of squared steps from the mean, one row per cluster and one column per feature.
    cross : ndarray or None
        Sums of products of two such steps, where they were asked for.
    distances : ndarray or None
        Sums of distances to the mean, where they were asked for.
    dropped : int
        How many points were dropped as noise or for a missing label.
    noise_cluster : int or None
        The place of the label -1 among the clusters, if it is scored as one.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"c": ["a", "a", "b", "b"], "x": [0.0, 2.0, 10.0, 14.0]})
    >>> first, last = (cluster_moments(part, label="c", features=["x"]) for part in
    ...                (frame[:1], frame[1:]))
    >>> whole = first + last
    >>> whole
    Moments of 4 points: 1 feature, 2 clusters
    >>> whole.centroids.tolist(), whole.scatter.tolist()
    ([[1.0], [12.0]], [[2.0], [8.0]])
    """

    names: list[Any]
    features: tuple[str, ...]
    sizes: NDArray[np.int64]
    anchors: Floats = field(repr=False)
    offsets: Floats = field(repr=False)
    scatter: Floats = field(repr=False)
    cross: Floats | None = field(repr=False, default=None)
    distances: Floats | None = field(repr=False, default=None)
    dropped: int = 0
    noise_cluster: int | None = None

    def __post_init__(self) -> None:
        if not np.isfinite(self.scatter).all():
            raise FeatureError(
                "squares of the features sum to more than a float can hold; divide the features "
                "by a constant first."
            )

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.sizes.sum())

    @property
    def centroids(self) -> Floats:
        """Mean of each cluster: clusters × features."""
        return np.asarray(self.anchors + self.offsets)

    def __repr__(self) -> str:
        d, k = len(self.features), len(self.sizes)
        return (
            f"Moments of {self.n:,} point{'s' if self.n != 1 else ''}: {d:,} "
            f"feature{'s' if d != 1 else ''}, {k:,} cluster{'s' if k != 1 else ''}"
        )

    def __add__(self, other: Moments) -> Moments:
        """The moments of both parts, which have no row in common (Chan et al. 1983, eq. 2.1)."""
        if not isinstance(other, Moments):
            return NotImplemented
        if self.features != other.features:
            raise ParameterError("moments of different features cannot be added.")
        if (self.cross is None) != (other.cross is None):
            raise ParameterError(
                "moments with cross products and moments without cannot be added; ask for "
                "cross=True in both or in neither."
            )
        noisy = self.noise_cluster is not None or other.noise_cluster is not None
        return _gathered(
            [*self.names, *other.names],
            self.features,
            _Part.joined(self, other),
            self.dropped + other.dropped,
            find_noise=noisy,
        )


def cluster_moments(
    frame: Any,
    *,
    label: str,
    features: Sequence[str] | str,
    cross: bool = False,
    spreads: bool = False,
    weights: str | None = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
) -> Moments:
    """Add up the moments of the clusters in a dataframe where the rows are.

    Parameters
    ----------
    frame : dataframe
        A dataframe of pandas, polars, pyarrow, DuckDB, Dask, Spark or Ibis.
    label : str
        The column of clusters.
    features : str or sequence of str
        The columns of numbers.
    cross : bool, default False
        Whether to add up the products of every two features, for covariances.
    spreads : bool, default False
        Whether to add up distances to the centroids, which the Davies-Bouldin index needs.
        That takes a second aggregate, since the centroids come first.
    weights : str, optional
        A column of whole numbers: how many points each row stands for.
    noise : optional
        A policy for the label -1, ``"keep"`` or ``"drop"``, or a mapping {label: policy}.
    noise_policy : str, optional
        The policy for the label given as `noise`.
    missing : {"raise", "drop", "class"}, default "raise"
        What a missing label does.

    Returns
    -------
    Moments
        Sizes, means and sums of squares by cluster.

    Raises
    ------
    LabelError
        If labels are missing, or if no point is left.
    FeatureError
        If a feature holds something else than finite numbers.
    ParameterError
        If an option is none of the above, or if noise is to be singletons.

    Examples
    --------
    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS c, i AS x, -i AS y FROM range(10) AS t(i)")
    >>> cluster_moments(frame, label="c", features=["x", "y"]).centroids.tolist()
    [[4.0, -4.0], [5.0, -5.0]]
    """
    if missing not in ("raise", "drop", "class"):
        raise ParameterError(f"missing must be 'raise', 'drop' or 'class', not {missing!r}.")
    policies = noise_policies(noise, noise_policy)
    names = read_names(features, label, weights)
    sums = group_sums(
        frame, label=label, features=names, cross=cross, spreads=spreads, weights=weights
    )
    return _by_policy(sums, tuple(names), policies, missing)


def file_moments(
    paths: Paths,
    *,
    label: str,
    features: Sequence[str] | str,
    engine: str = "duckdb",
    memory_limit: str | None = None,
    **options: Any,
) -> Moments:
    r"""Add up the moments of the clusters in files that an engine reads.

    Parameters
    ----------
    paths : path or sequence of paths
        Files of one format: Parquet, CSV, TSV or JSON lines.
    label : str
        The column of clusters.
    features : str or sequence of str
        The columns of numbers.
    engine : str, default "duckdb"
        Who reads: ``"duckdb"``, ``"polars"``, ``"spark"``, ``"dask"``, or the address of a
        cluster.
    memory_limit : str, optional
        How much memory DuckDB may take, such as ``"1GB"``.
    **options
        The other parameters of `cluster_moments`.

    Returns
    -------
    Moments
        Sizes, means and sums of squares by cluster.

    Raises
    ------
    FileError
        If a file cannot be read.
    ParameterError
        If the engine is not known.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "points.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("x,c\n0,a\n2,a\n10,b\n12,b\n")
    ...     file_moments(path, label="c", features="x").scatter.tolist()
    [[2.0], [2.0]]
    """
    from clustervet.frames.engines import engine_for

    names = read_names(features, label, options.get("weights"))
    heavy = [options["weights"]] if options.get("weights") is not None else []
    files = path_list(paths)
    with (
        engine_for(engine, memory_limit=memory_limit) as opened,
        opened.reading(files, columns=[label], numbers=[*names, *heavy]) as frame,
    ):
        return cluster_moments(frame, label=label, features=names, **options)


@dataclass(frozen=True)
class _Part:
    """Moments of clusters in some order."""

    sizes: NDArray[np.int64]
    anchors: Floats
    offsets: Floats
    scatter: Floats
    cross: Floats | None
    distances: Floats | None = None

    @classmethod
    def joined(cls, *all_moments: Moments) -> _Part:
        """Clusters of several parts, one after the other; distances to old means are of no use."""
        found: list[Any] = []
        for name in ("sizes", "anchors", "offsets", "scatter", "cross"):
            held = [getattr(one, name) for one in all_moments]
            found.append(None if held[0] is None else np.concatenate(held))
        return cls(*found)

    def take(self, chosen: NDArray[Any]) -> _Part:
        """Some of the clusters, in the order chosen."""
        found: list[Any] = [None if one is None else one[chosen] for one in vars(self).values()]
        return _Part(*found)

    def merged(self, codes: NDArray[np.int32]) -> _Part:
        """The same with clusters of one code made one, in the order of their codes."""
        order = np.argsort(codes, kind="stable")
        ordered, part = codes[order], self.take(order)
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        if len(first) == len(ordered):
            return part
        whole = part.take(first)
        # The second part of every cluster that has one, then the third, and so on.
        turns = np.arange(len(ordered)) - first[ordered]
        for turn in range(1, int(turns.max()) + 1):
            places = np.flatnonzero(turns == turn)
            _absorb(whole, ordered[places], part.take(places))
        return whole


def _absorb(whole: _Part, k: NDArray[np.int32], part: _Part) -> None:
    """Add some clusters to others, no two to the same."""
    more, many = part.sizes[:, None], whole.sizes[k][:, None]
    share = more / (many + more)
    step = (part.anchors - whole.anchors[k]) + (part.offsets - whole.offsets[k])
    whole.offsets[k] += share * step
    whole.scatter[k] += part.scatter + many * share * step**2
    if whole.cross is not None and part.cross is not None:
        products = step[:, :, None] * step[:, None, :]
        whole.cross[k] += part.cross + (many * share)[:, :, None] * products
    whole.sizes[k] += part.sizes


def _by_policy(
    sums: GroupSums, features: tuple[str, ...], policies: dict[Any, Any], missing: Missing
) -> Moments:
    """Groups as clusters, by the policies for labels."""
    more = sums.cross, sums.distances
    part = _Part(sums.sizes, sums.anchors, sums.offsets, sums.scatter, *more)
    side = read_labels(sums.labels, "the label")
    gone = np.zeros(len(side), bool) if side.missing is None else side.missing
    kept = sums.sizes > 0
    for label, policy in policies.items():
        code = side.find(label)
        here = np.zeros(len(side), bool) if code is None else (side.values == code) & ~gone
        if policy == "singletons" and (kept & here).any():
            raise ParameterError(
                "noise as singletons needs every point of it; keep it as one cluster or drop it."
            )
        if policy == "drop":
            kept &= ~here
    absent = int(sums.counts[gone & kept].sum())
    if absent and missing == "raise":
        raise missing_error("the clustering", absent, one="cluster")
    if missing == "drop":
        kept &= ~gone
    if not kept.any():
        raise LabelError("no point is left once missing and noise labels are dropped.")
    dropped = int(sums.sizes.sum() - sums.sizes[kept].sum())
    places = np.concatenate([np.flatnonzero(kept & ~gone), np.flatnonzero(kept & gone)])
    names = [*side.restore(side.values[kept & ~gone]), *[None] * int((kept & gone).sum())]
    return _gathered(names, features, part.take(places), dropped, find_noise=not policies)


def _gathered(
    names: list[Any], features: tuple[str, ...], part: _Part, dropped: int, *, find_noise: bool
) -> Moments:
    """Clusters under their names, each once and in the order that labels have."""
    read, _ = encode_one([plain_label(name) for name in names], missing="class")
    codes, old = consecutive(read)
    part = part.merged(codes)
    code = read.find(NOISE) if find_noise else None
    noise = int(np.searchsorted(old, code)) if code is not None and code in old else None
    return Moments(
        [plain_label(name) for name in read.restore(old)],
        features,
        part.sizes,
        part.anchors,
        part.offsets,
        part.scatter,
        part.cross,
        part.distances,
        dropped,
        noise,
    )


@dataclass(frozen=True)
class GroupSums:
    """What an engine returns of each group of rows with one label.

    A mean is `anchors` + `offsets`; `scatter` sums squares of steps from it, `cross` products of
    such steps, and `distances` their lengths. `sizes` are points, `counts` are rows.
    """

    labels: Any  # whatever `read_labels` takes
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    anchors: Floats
    offsets: Floats
    scatter: Floats
    cross: Floats | None = None
    distances: Floats | None = None


def group_sums(
    frame: Any,
    *,
    label: str,
    features: Sequence[str],
    cross: bool = False,
    spreads: bool = False,
    weights: str | None = None,
) -> GroupSums:
    """Sums of features by label, in one aggregate, or in two where one would lose digits.

    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS c, 1e9 + i AS x FROM range(4) AS t(i)")
    >>> sums = group_sums(frame, label="c", features=["x"])
    >>> sums.counts.tolist(), sums.scatter.tolist()
    ([2, 2], [[2.0], [2.0]])
    """
    query = _SumsQuery.of(frame, label, features, weights)
    shift = query.first_mean()
    query = query.shifted(shift)
    found = _about_shift(query, shift, cross and not spreads)
    if spreads or _cancels(found):
        found = _about_means(query, shift, found, cross=cross, spreads=spreads)
    return found[0]


@dataclass(frozen=True)
class _SumsQuery:
    """The rows in their engine, and the names of what is summed."""

    frame: Frame
    rows: Any
    features: list[str]
    weighs: bool = False

    @classmethod
    def of(cls, frame: Any, label: str, features: Sequence[str], weights: str | None) -> _SumsQuery:
        names = read_names(features, label, weights)
        return cls(*pick(frame, label, names, weights), names, weights is not None)

    @property
    def d(self) -> int:
        return len(self.features)

    def first_mean(self) -> Floats:
        """The mean of the first rows; 0 where they hold no number."""
        import narwhals as nw

        means = [nw.col(f"f{j}").mean() for j in range(self.d)]
        first = self.frame.collect(self.rows.head(FIRST_ROWS).select(*means))
        found = np.array([floats(first[f"f{j}"])[0] for j in range(self.d)])
        # Few digits, so that differences from it are exact.
        with np.errstate(over="ignore"):
            short = found.astype(np.float32).astype(np.float64)
        short = np.where(np.isfinite(short), short, found)
        return np.where(np.abs(short) < LARGEST, short, 0.0)

    def shifted(self, shift: Floats) -> _SumsQuery:
        """The same with features less a shift as y0, y1, ..."""
        import narwhals as nw

        steps = [(nw.col(f"f{j}") - float(shift[j])).alias(f"y{j}") for j in range(self.d)]
        return replace(self, rows=self.rows.with_columns(*steps))

    def weighed(self, value: Any) -> Any:
        """One value per row, times the row's weight."""
        import narwhals as nw

        return value * nw.col("weight") if self.weighs else value

    def products(self, name: str, *, cross: bool) -> dict[str, Any]:
        """Columns to be summed for means and (co)variances of the columns name0, name1, ..."""
        import narwhals as nw

        one = [nw.col(f"{name}{j}") for j in range(self.d)]
        made = {f"s{j}": self.weighed(column) for j, column in enumerate(one)}
        made |= {f"q{j}": self.weighed(column * column) for j, column in enumerate(one)}
        if cross:
            made |= {
                f"p{i}_{j}": self.weighed(one[i] * one[j])
                for i, j in combinations(range(self.d), 2)
            }
        return made

    def sums(self, rows: Any, made: dict[str, Any], *more: Any) -> dict[str, Any]:
        """Sums of made columns by label."""
        import narwhals as nw

        grouped = rows.with_columns(*(column.alias(name) for name, column in made.items()))
        added = [nw.col(name).sum() for name in made]
        if self.weighs:
            weight = nw.col("weight")
            more = (
                *more,
                weight.count().alias("given"),
                weight.min().alias("least"),
                weight.sum().alias("total"),
                nw.col("parts").sum(),
            )
        grouped = grouped.group_by("label", drop_null_keys=False)
        return self.frame.collect(grouped.agg(nw.len().alias("rows"), *added, *more))

    def sizes(self, sent: dict[str, Any]) -> NDArray[np.int64]:
        """How many points each group stands for."""
        return weight_sums(sent) if self.weighs else whole(sent["rows"])


Found = tuple[GroupSums, Floats]  # and the squares about the point the sums were taken about


def _about_shift(query: _SumsQuery, shift: Floats, cross: bool) -> Found:
    import narwhals as nw

    checks = []
    for j in range(query.d):
        column = nw.col(f"f{j}")
        checks += [
            column.count().alias(f"n{j}"),
            column.min().alias(f"l{j}"),
            column.max().alias(f"h{j}"),
        ]
    sent = query.sums(query.rows, query.products("y", cross=cross), *checks)
    counts = whole(sent["rows"])
    if not counts.sum():
        raise LabelError("the frame has no rows to sum; at least one point is needed.")
    _check_features(sent, counts, query.features)
    sizes = query.sizes(sent)
    low, high = (_table(sent, name, query.d) for name in "lh")
    found = _centered(sent, sizes, np.tile(shift, (len(counts), 1)), cross)
    # A feature that is constant in a cluster is known exactly.
    still = low == high
    found[0].anchors[still] = low[still]
    found[0].offsets[still] = 0.0
    found[0].scatter[still] = 0.0
    found[1][still] = 0.0
    if found[0].cross is not None:
        found[0].cross[still[:, :, None] | still[:, None, :]] = 0.0
    return found


def _cancels(found: Found) -> bool:
    sums, squares = found
    return bool((squares > CANCELLING * sums.scatter).any())


def _about_means(
    query: _SumsQuery, shift: Floats, first: Found, *, cross: bool, spreads: bool
) -> Found:
    """The sums about each cluster's own mean, which the engine computes and joins to its rows."""
    import narwhals as nw

    places = range(query.d)
    rows = query.rows.join(_means(query, shift), on="label", how="left")
    # Rows without a label meet no mean in a join.
    absent = _missing_mean(first[0])
    known = [
        nw.when(nw.col(f"c{j}").is_null()).then(float(absent[j])).otherwise(nw.col(f"c{j}"))
        for j in places
    ]
    rows = rows.with_columns(*(column.alias(f"c{j}") for j, column in enumerate(known)))
    rows = rows.with_columns(*((nw.col(f"f{j}") - nw.col(f"c{j}")).alias(f"z{j}") for j in places))
    made = query.products("z", cross=cross)
    if spreads:
        squares = _added([nw.col(f"z{j}") * nw.col(f"z{j}") for j in places])
        made["r"] = query.weighed(squares**0.5)
    more = [nw.col(f"c{j}").min() for j in places]
    sent = query.sums(rows, made, *more)
    found, about_means = _centered(sent, query.sizes(sent), _table(sent, "c", query.d), cross)
    if spreads:
        found = replace(found, distances=floats(sent["r"]))
    return found, about_means


def _means(query: _SumsQuery, shift: Floats) -> Any:
    """The mean of each cluster, in the engine; the value itself where a feature is constant."""
    import narwhals as nw

    places = range(query.d)
    rows = query.rows.with_columns(
        *(query.weighed(nw.col(f"y{j}")).alias(f"s{j}") for j in places),
        query.weighed(nw.lit(1.0)).alias("w"),
    )
    sums = [nw.col("w").sum()]
    for j in places:
        sums += [nw.col(f"s{j}").sum(), nw.col(f"f{j}").min(), nw.col(f"f{j}").max().alias(f"h{j}")]
    grouped = rows.group_by("label", drop_null_keys=False).agg(*sums)
    means = []
    for j in places:
        mean = nw.when(nw.col("w") > 0).then(nw.col(f"s{j}") / nw.col("w") + float(shift[j]))
        still = nw.col(f"f{j}") == nw.col(f"h{j}")
        means.append(nw.when(still).then(nw.col(f"f{j}")).otherwise(mean).alias(f"c{j}"))
    return grouped.select("label", *means)


def _added(columns: list[Any]) -> Any:
    """A sum as a shallow tree of two at a time: engines bound how deep an expression may be."""
    half = len(columns) // 2
    return columns[0] if not half else _added(columns[:half]) + _added(columns[half:])


def _missing_mean(sums: GroupSums) -> Floats:
    gone = read_labels(sums.labels).missing
    at = 0 if gone is None else int(np.argmax(gone))
    return np.asarray(sums.anchors[at] + sums.offsets[at])


def _centered(
    sent: dict[str, Any], sizes: NDArray[np.int64], anchors: Floats, cross: bool
) -> Found:
    """Sums about some point as means, and squares about those."""
    d = anchors.shape[1]
    divisor = np.maximum(sizes, 1)[:, None]
    sums, squares = _table(sent, "s", d), _table(sent, "q", d)
    steps = sums / divisor
    scatter = np.maximum(squares - sums * steps, 0.0)
    products = None
    if cross:
        need(8 * len(sums) * d * d, f"the products of {d:,} features in {len(sums):,} clusters")
        products = np.zeros((len(sums), d, d))
        products[:, np.arange(d), np.arange(d)] = scatter
        for i, j in combinations(range(d), 2):
            products[:, i, j] = floats(sent[f"p{i}_{j}"]) - sums[:, i] * steps[:, j]
            products[:, j, i] = products[:, i, j]
    counts = whole(sent["rows"])
    return GroupSums(sent["label"], counts, sizes, anchors, steps, scatter, products), squares


def _check_features(sent: dict[str, Any], counts: NDArray[np.int64], names: list[str]) -> None:
    peak = 0.0
    for j, name in enumerate(names):
        shown = f"column {show_label(name)!r}"
        absent = int(counts.sum() - whole(sent[f"n{j}"]).sum())
        if absent:
            raise FeatureError(
                f"{shown} has {absent:,} missing or NaN value{'s' if absent > 1 else ''}; drop or "
                "fill such rows first."
            )
        ends = np.abs([floats(sent[f"l{j}"]), floats(sent[f"h{j}"])])
        if np.isinf(ends).any():
            raise FeatureError(f"{shown} must be finite; it holds an infinite value.")
        if ends.max() >= LARGEST:
            raise FeatureError(f"{shown} holds values beyond {LARGEST:g}, too large to square.")
        peak = max(peak, float(ends.max()))
    if 0 < peak < SMALLEST:
        raise FeatureError(
            f"the largest value of the features is {peak:.3g}, too small to square; multiply them "
            "by a constant first."
        )


def _table(sent: dict[str, Any], name: str, width: int) -> Floats:
    return np.stack([floats(sent[f"{name}{j}"]) for j in range(width)], axis=1)
