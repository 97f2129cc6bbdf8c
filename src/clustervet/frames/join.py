"""Truth and predictions in different files, brought together by an id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from clustervet.errors import FileError
from clustervet.frames.duck import EngineError
from clustervet.frames.forms import Column, id_columns
from clustervet.frames.grouping import WEIGHT, Grouping, Groups, Query
from clustervet.frames.lake import FileTable, Lake
from clustervet.labels import show_label


@dataclass(frozen=True)
class Unmatched:
    """Ids of the truth that a file lacks, and ids of that file that the truth lacks."""

    truth_file: str
    file: str
    only_truth: int
    only_prediction: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Joined:
    """Columns by role, each with the place of its table and its name there."""

    id: str
    columns: Mapping[str, tuple[int, str]]
    weights: tuple[int, str] | None = None


def group_joined(
    lake: Lake,
    tables: Sequence[FileTable],
    joined: Joined,
    sets: Sequence[Sequence[str]],
    most: Mapping[int, int] | None = None,
) -> tuple[list[Groups | None], list[Unmatched]]:
    """Groups of each set of columns over the objects that all its tables have.

    The first table is that of the truth. An id that repeats in a table, or is empty, is refused.
    """
    tables = list(tables)
    for at, table in enumerate(tables):
        tables[at] = _checked_ids(lake, table, joined.id)
    columns = {role: tables[at].column(name) for role, (at, name) in joined.columns.items()}
    weight = None if joined.weights is None else tables[joined.weights[0]].column(joined.weights[1])
    holders = {role: at for role, (at, _) in joined.columns.items()}
    if joined.weights is not None:
        holders[WEIGHT] = joined.weights[0]
    held = tuple(f"h{at}" for at in range(len(tables)))
    grouping = Grouping.of(columns, sets, weight, holders)
    grouping = replace(grouping, sets=[*grouping.sets, held])
    ids = id_columns([table.column(joined.id) for table in tables])
    placed = list(columns.values()) + ([] if weight is None else [weight])
    owners = [holders[role] for role in (*columns, *([WEIGHT] if weight is not None else []))]
    query = _query(tables, ids, placed, owners)
    try:
        with lake.connected(tables) as connection:
            grouping.stage(connection, query, sum(table.size for table in tables))
            unmatched = _unmatched(connection, tables, grouping, held)
            found = [
                grouping.fetch(connection, one, (most or {}).get(at)) for at, one in enumerate(sets)
            ]
    except EngineError as error:
        lake.check_memory(error)
        raise tables[0].fault(error) from None
    return found, unmatched


def _checked_ids(lake: Lake, table: FileTable, name: str) -> FileTable:
    """The table once its ids are known to differ; text that the engine misreads is Python's."""
    (column,) = id_columns([table.column(name)])
    try:
        with lake.connected([table]) as connection:
            sql, given = table.query([column], checked=True)
            connection.register_arrays()
            asked = "SELECT count(*), count(k0), coalesce(sum(z), 0)"
            rows, known, ends = connection.execute(f"{asked} FROM ({sql})", given).fetchall()[0]
            if int(ends) != table.ends:
                raise EngineError("a line ends in a delimiter too many")
            twice = f"SELECT CAST(k0 AS VARCHAR), count(*) AS n FROM ({sql}) GROUP BY k0 "
            twice += "HAVING count(*) > 1 ORDER BY n DESC, 1 LIMIT 1"
            repeated = connection.execute(twice, given).fetchall()
    except EngineError as error:
        lake.check_memory(error)
        again = table.trusted_less()
        if again is None:
            raise table.fault(error) from None
        return _checked_ids(lake, again, name)
    shown = show_label(name)
    if not rows:
        raise FileError(f"{table.name} has no rows.")
    if known < rows:
        raise FileError(f"{table.name} has {rows - known:,} rows without an id in {shown!r}.")
    if repeated:
        text, times = repeated[0]
        raise FileError(
            f"id {show_label(text)!r} stands {times:,} times in column {shown!r} of {table.name}; "
            "an id names one object."
        )
    return table


def _query(
    tables: Sequence[FileTable],
    ids: Sequence[Column],
    placed: Sequence[Column],
    owners: Sequence[int],
) -> Query:
    """All tables side by side: what each has, and whether it has the row at all."""
    chosen = [""] * len(placed)
    sources: list[str] = []
    parameters: list[Any] = []
    for at, table in enumerate(tables):
        mine = [place for place, owner in enumerate(owners) if owner == at]
        sql, given = table.query([ids[at], *(placed[place] for place in mine)])
        for k, place in enumerate(mine, 1):
            chosen[place] = f"s{at}.k{k} AS k{place}"
        parameters += given
        if not at:
            sources.append(f"({sql}) AS s0")
            continue
        before = ", ".join(f"s{k}.k0" for k in range(at))
        known = f"coalesce({before})" if at > 1 else before
        sources.append(f"FULL JOIN ({sql}) AS s{at} ON {known} = s{at}.k0")
    held = [f"s{at}.k0 IS NOT NULL AS h{at}" for at in range(len(tables))]
    return f"SELECT {', '.join([*chosen, *held])} FROM {' '.join(sources)}", parameters


def _unmatched(
    connection: Any, tables: Sequence[FileTable], grouping: Grouping, held: tuple[str, ...]
) -> list[Unmatched]:
    """How many ids the truth and each other table do not share."""
    found = []
    for at, table in enumerate(tables[1:], 1):
        left, right, both = (
            grouping.count(connection, held, where)
            for where in (f"h0 AND NOT h{at}", f"h{at} AND NOT h0", f"h0 AND h{at}")
        )
        if not both:
            raise FileError(f"no id of {table.name} is in {tables[0].name}.")
        found.append(Unmatched(tables[0].name, table.name, left, right))
    return found
