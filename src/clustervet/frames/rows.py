"""Rows of a dataframe of any engine, one block at a time, and samples of them.

Blocks pass through this process, whatever the size of the dataframe; an engine that runs
elsewhere must send them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.errors import FeatureError, LabelError, ParameterError
from clustervet.frames.frame import Frame, check_weights, whole
from clustervet.labels import plain_label, read_labels, show_label

Floats = NDArray[np.float64]
# Rows of a block.
ROWS = 100_000
# Squares of coordinates must stay far from the smallest float and from the largest.
SMALLEST, LARGEST = 1e-130, 1e150
# Points per cluster that an interval needs at least.
FEWEST = 10


@dataclass(frozen=True)
class Rows:
    """Rows of a dataframe that can be read as often as needed, one block at a time.

    Parameters
    ----------
    frame : dataframe
        A dataframe of pandas, polars, pyarrow, DuckDB, Dask, Spark or Ibis.
    label : str
        The column of clusters.
    features : str or sequence of str
        The columns of numbers.

    Examples
    --------
    >>> import duckdb
    >>> frame = duckdb.sql("SELECT 'a' AS c, i AS x FROM range(3) AS t(i)")
    >>> [(names, points.tolist()) for names, _, points in Rows(frame, "c", ["x"]).blocks()]
    [(['a'], [[0.0], [1.0], [2.0]])]
    """

    frame: Any = field(repr=False)
    label: str
    features: Sequence[str] | str

    def shown(
        self, number: int, what: str
    ) -> Iterator[tuple[list[Any], NDArray[np.int64], Floats]]:
        """Yield the blocks, with a progress bar on a terminal.

        Parameters
        ----------
        number : int
            How many rows there are.
        what : str
            What the progress bar says.

        Yields
        ------
        names, places, points
            As `blocks` gives them.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"c": ["a", "b", "a"], "x": [0.0, 2.0, 10.0]})
        >>> sum(len(points) for _, _, points in Rows(frame, "c", "x").shown(3, "points"))
        3
        """
        passed = ticks = 0
        with ticking(-(-number // ROWS), what) as tick:
            for block in self.blocks():
                yield block
                passed += len(block[2])
                while ticks < passed // ROWS:
                    ticks += 1
                    tick()

    def blocks(self) -> Iterator[tuple[list[Any], NDArray[np.int64], Floats]]:
        """Yield all rows, in blocks.

        Yields
        ------
        names : list
            The clusters of the block; None stands for a missing label.
        places : ndarray of int64
            For each row the place of its cluster in `names`.
        points : ndarray of float64
            One row per point and one column per feature.

        Raises
        ------
        FeatureError
            If a feature is no number, missing, infinite, or too large to square.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"c": ["a", "b", "a"], "x": [0.0, 2.0, 10.0]})
        >>> names, places, points = next(Rows(frame, "c", "x").blocks())
        >>> [names[place] for place in places], points.tolist()
        (['a', 'b', 'a'], [[0.0], [2.0], [10.0]])
        """
        names = read_names(self.features, self.label, None)
        for block in _blocks(*pick(self.frame, self.label, names, None)):
            points = np.stack([floats(block[f"f{j}"]) for j in range(len(names))], axis=1)
            if not len(points):
                continue
            _check(points, names)
            yield *_named(block["label"]), points


@dataclass(frozen=True)
class Sample:
    """Points drawn without replacement, the same number from each cluster, in random order."""

    names: list[Any]  # the cluster of each point
    points: Floats = field(repr=False)


def sample_rows(
    frame: Any,
    *,
    label: str,
    features: Sequence[str] | str,
    per_cluster: int,
    random_state: Any = 0,
    number: int = 0,
) -> Sample:
    """Draw the same number of points from each cluster, or all points of a smaller one.

    Parameters
    ----------
    frame : dataframe
        A dataframe of pandas, polars, pyarrow, DuckDB, Dask, Spark or Ibis.
    label : str
        The column of clusters. Rows without a label are drawn like a cluster of their own.
    features : str or sequence of str
        The columns of numbers.
    per_cluster : int
        How many points are drawn from each cluster, at least 10.
    random_state : None, int or numpy.random.Generator, default 0
        Where the random numbers come from.
    number : int, default 0
        How many rows there are, for the progress bar.

    Returns
    -------
    Sample
        The cluster of each point drawn, and the points.

    Raises
    ------
    ParameterError
        If `per_cluster` is too small, or `random_state` is none of the above.
    FeatureError
        If there are no rows, or if a feature holds something else than finite numbers.

    Notes
    -----
    Every row is read once, and those with the smallest random numbers are kept. The same seed
    gives the same sample as long as the engine keeps the order of the rows. Spark draws by
    itself, so that no other row is sent.

    Examples
    --------
    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 3 AS c, i AS x FROM range(3000) AS t(i)")
    >>> drawn = sample_rows(frame, label="c", features="x", per_cluster=10)
    >>> drawn.points.shape, sorted(set(drawn.names))
    ((30, 1), [0, 1, 2])
    """
    if isinstance(per_cluster, bool) or not isinstance(per_cluster, int) or per_cluster < FEWEST:
        raise ParameterError(
            f"per_cluster must be a whole number of at least {FEWEST}, not {per_cluster!r}."
        )
    if not (
        random_state is None or isinstance(random_state, int | np.integer | np.random.Generator)
    ):
        raise ParameterError(
            f"random_state must be None, a whole number or a numpy Generator, not {random_state!r}."
        )
    rng = np.random.default_rng(random_state)
    held = Frame.of(frame)
    if "spark" in held.engine.value:
        frame = _drawn_by_spark(held, label, features, per_cluster, int(rng.integers(2**31)))
        label, features = "label", [f"f{j}" for j in range(len(frame.columns) - 1)]
    best: dict[Any, tuple[Floats, Floats]] = {}
    for names, places, points in Rows(frame, label, features).shown(number, "drawing rows"):
        luck = rng.random(len(points))
        for place, name in enumerate(names):
            here = places == place
            keys, rows = luck[here], points[here]
            if name in best:
                keys = np.concatenate([best[name][0], keys])
                rows = np.concatenate([best[name][1], rows])
            lucky = np.argsort(keys)[:per_cluster]
            best[name] = keys[lucky], rows[lucky]
    if not best:
        raise FeatureError("the frame has no rows to draw from; at least one point is needed.")
    drawn = [name for name, (keys, _) in best.items() for _ in keys]
    return Sample(drawn, np.concatenate([rows for _, rows in best.values()]))


def _drawn_by_spark(
    held: Frame, label: str, features: Sequence[str] | str, per_cluster: int, seed: int
) -> Any:
    """The sample as a frame of Spark, so that no other row leaves it."""
    names = read_names(features, label, None)
    named = {"label": label} | {f"f{j}": name for j, name in enumerate(names)}
    ranked = f"row_number() OVER (PARTITION BY label ORDER BY rand({seed})) AS place"
    rows = held.picked(**named).native.to_native().selectExpr("*", ranked)
    return rows.filter(f"place <= {per_cluster}").drop("place")


def _blocks(held: Frame, frame: Any) -> Iterator[Mapping[str, Any]]:
    """Blocks of an engine's own frame as columns."""
    kind, native = held.engine, frame.to_native()
    if kind.is_pandas():
        for first in range(0, len(native), ROWS):
            yield native.iloc[first : first + ROWS]
    elif kind.is_polars():
        if hasattr(native, "collect_batches"):
            yield from native.collect_batches(chunk_size=ROWS, maintain_order=True)
        else:
            yield from native.collect().iter_slices(ROWS)
    elif kind.is_pyarrow() or kind.is_ibis():
        native = native.to_pyarrow() if kind.is_ibis() else native
        for first in range(0, len(native), ROWS):
            yield _columns(native.slice(first, ROWS))
    elif kind.is_dask():
        for place in range(native.npartitions):
            yield native.partitions[place].compute()
    elif kind.is_duckdb() and find_spec("pyarrow") is not None:
        recent = hasattr(native, "to_arrow_reader")
        reader = native.to_arrow_reader if recent else native.fetch_arrow_reader
        yield from map(_columns, reader(ROWS))
    elif kind.is_duckdb():
        found = held.collect(frame)  # without Arrow it gives all or nothing
        for first in range(0, len(found["f0"]), ROWS):
            yield {name: column[first : first + ROWS] for name, column in found.items()}
    else:
        left = native.toLocalIterator()
        while rows := list(islice(left, ROWS)):
            columns = zip(native.columns, zip(*rows, strict=True), strict=True)
            yield {
                name: list(column) if name == "label" else np.array(column, float)
                for name, column in columns
            }


def _columns(block: Any) -> dict[str, Any]:
    """A table or a batch of Arrow as columns."""
    return {name: block.column(place) for place, name in enumerate(block.schema.names)}


def _named(labels: Any) -> tuple[list[Any], NDArray[np.int64]]:
    """Distinct labels of a block and where each row's is among them."""
    side = read_labels(labels, "the label")
    gone = np.zeros(len(side), bool) if side.missing is None else side.missing
    distinct, places = np.unique(side.values[~gone], return_inverse=True)
    names = [plain_label(name) for name in side.restore(distinct)] if len(distinct) else []
    found = np.full(len(side), len(names), np.int64)
    found[~gone] = places
    return ([*names, None] if gone.any() else names), found


def _check(points: Floats, names: Sequence[str]) -> None:
    for j, name in enumerate(names):
        least, most = points[:, j].min(), points[:, j].max()
        if not (least > -LARGEST and most < LARGEST):
            raise FeatureError(
                f"column {show_label(name)!r} must be finite, filled, and small enough to square."
            )


def read_names(features: Any, label: str, weights: str | None) -> list[str]:
    """Names of features, each once, none of them that of the label or the weights."""
    names = [features] if isinstance(features, str) else list(features)
    if not names:
        raise ParameterError("features names no column; at least one is needed.")
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise ParameterError(f"a column is named by a string, not by {show_label(name)!r}.")
        if name in names[:place]:
            raise ParameterError(f"column {show_label(name)!r} is asked for as a feature twice.")
        if name in (label, weights):
            other = "a label" if name == label else "weights"
            raise ParameterError(
                f"column {show_label(name)!r} is asked for both as a feature and as {other}."
            )
    return names


def pick(frame: Any, label: str, features: Sequence[str], weights: str | None) -> tuple[Frame, Any]:
    """The frame and its rows under safe names: label, f0, f1, ..., and weight and parts.

    Features and weights become float64 and their NaN null, as the label's does; `parts` is 1
    where a weight is no whole number.
    """
    import narwhals as nw

    more = {f"f{j}": name for j, name in enumerate(features)}
    if weights is not None:
        more["weight"] = weights
    picked = Frame.of(frame).picked(keys=["label"], label=label, **more)
    schema = picked.native.collect_schema()
    columns = []
    for j, name in enumerate(features):
        kind = schema[f"f{j}"]
        if not (kind.is_numeric() or kind == nw.Boolean):
            raise FeatureError(
                f"column {show_label(name)!r} holds {show_label(kind)}, not numbers; leave it out "
                "or encode it."
            )
        columns.append(_filled(f"f{j}", kind))
    if weights is not None:
        check_weights(schema["weight"])
        weight = nw.col("weight").cast(nw.Float64())
        parts = nw.when(weight.round(0) != weight).then(1).otherwise(0)
        columns += [_filled("weight", schema["weight"]), parts.alias("parts")]
    return picked, picked.native.with_columns(*columns)


def _filled(name: str, kind: Any) -> Any:
    """A column as float64, its NaN null."""
    import narwhals as nw

    column = nw.col(name) if kind == nw.Float64 else nw.col(name).cast(nw.Float64())
    return nw.when(~column.is_nan()).then(column).alias(name) if kind.is_float() else column


def weight_sums(found: dict[str, Any]) -> NDArray[np.int64]:
    """Sums of weights, once they are found to say how many points each row stands for."""
    if whole(found["given"]).sum() < whole(found["rows"]).sum():
        raise LabelError("weights must be finite; some are missing or NaN.")
    least, total = floats(found["least"]).min(), floats(found["total"])
    if least < 0:
        raise LabelError(f"weights must not be negative; the smallest is {show_label(least)}.")
    if not total.sum() < 2.0**53:
        raise LabelError("weights must be finite and sum to less than 2^53.")
    if whole(found["parts"]).any():
        raise LabelError("weights must be whole numbers: how many points each row stands for.")
    if not total.any():
        raise LabelError("weights are all zero; at least one must be positive.")
    return total.astype(np.int64)


def floats(column: Any) -> Floats:
    """A column of an engine as floats, its missing values as NaN."""
    if isinstance(column, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(column.astype(np.float64), np.nan))
    if type(column).__module__.startswith("pandas"):
        return np.asarray(column.to_numpy(np.float64, na_value=np.nan))
    if str(getattr(column, "dtype", "")).endswith("Int128"):
        column = column.cast(float)  # polars has integers that numpy has not
    return np.asarray(column, np.float64)
