"""Sizes of a table that stays in its engine: how many cells, classes and clusters have each size.

Pair counts and entropies are sums over sizes alone. Of n objects at most about sqrt(2n) sizes
differ, so that a table of a hundred million cells comes home as a few thousand numbers, and the
sums over them are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clustervet.errors import LabelError, ParameterError
from clustervet.frames.narwhal import Held, group_key, whole


@dataclass(frozen=True)
class Sizes:
    """How many cells, classes and clusters hold so many objects: {objects: how many}."""

    cells: Mapping[int, int]
    classes: Mapping[int, int]
    clusters: Mapping[int, int]


def table_sizes(
    frame: Any, *, truth: str, pred: str, missing: Literal["raise", "drop", "class"] = "raise"
) -> Sizes:
    """The sizes of the table of two columns, counted by the engine in three passes.

    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS y, i % 3 AS c FROM range(60) AS t(i)")
    >>> table_sizes(frame, truth="y", pred="c")
    Sizes(cells={10: 6}, classes={30: 2}, clusters={20: 3})
    """
    import narwhals as nw

    if missing not in ("raise", "drop", "class"):
        raise ParameterError(f"missing must be 'raise', 'drop' or 'class', not {missing!r}.")
    held = Held.of(frame).picked(truth=truth, pred=pred)
    schema = held.frame.collect_schema()
    names = {"truth": truth, "pred": pred}
    rows = held.frame.with_columns(
        *(group_key(held, side, schema[side], names[side]) for side in names)
    )
    if missing == "raise":
        _refuse_missing(held, rows)
    elif missing == "drop":
        rows = rows.filter(~nw.col("truth").is_null(), ~nw.col("pred").is_null())
    sizes = Sizes(*(_histogram(held, rows, keys) for keys in (list(names), ["truth"], ["pred"])))
    if not sizes.cells:
        raise LabelError("the frame has no rows to count; at least one object is needed.")
    return sizes


def _histogram(held: Held, rows: Any, keys: Sequence[str]) -> dict[int, int]:
    import narwhals as nw

    groups = rows.group_by(*keys, drop_null_keys=False).agg(nw.len().alias("size"))
    counted = groups.filter(nw.col("size") > 0).group_by("size").agg(nw.len().alias("groups"))
    home = held.collect(counted)
    pairs = zip(whole(home["size"]).tolist(), whole(home["groups"]).tolist(), strict=True)
    return dict(sorted(pairs))


def _refuse_missing(held: Held, rows: Any) -> None:
    import narwhals as nw

    counts = (nw.col(side).is_null().sum().alias(side) for side in ("truth", "pred"))
    home = held.collect(rows.select(*counts))
    for side in ("truth", "pred"):
        absent = int(whole(home[side]).sum()) if len(home[side]) and home[side][0] else 0
        if absent:
            raise LabelError(
                f"{side} has {absent:,} missing label{'s' if absent > 1 else ''}; drop such "
                "objects with missing='drop' or make them a class of their own with "
                "missing='class'."
            )
