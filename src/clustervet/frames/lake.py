"""Files of any number and size as grouped counts: one scan, and only the counts come home.

DuckDB reads them with all cores and, beyond its memory, goes on in a folder that is removed at
the end. Several groupings of the same rows are sets of one GROUP BY.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from clustervet.errors import FileError
from clustervet.frames.duck import EngineError, engine
from clustervet.frames.forms import Column, column_of
from clustervet.frames.grouping import Grouping, Groups, Query
from clustervet.frames.legs import JsonLeg, check_json_lines, open_legs
from clustervet.frames.scan import Leg, Part, Workspace, engine_fault, find_files
from clustervet.frames.source import absent_column
from clustervet.frames.text_legs import TextLeg
from clustervet.labels import show_label

# Columns that one scan tells apart, each by a bit of a number.
MOST_NAMES = 60


@dataclass(frozen=True)
class FileTable:
    """One table in one or many files."""

    name: str
    parts: Sequence[Part]
    legs: Sequence[Leg]
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, as the first part has them."""
        return list(self.legs[0].types)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(os.path.getsize(part.place.path) for part in self.parts)

    def column(self, name: str) -> Column:
        """A column that every part has, of one kind."""
        for leg in self.legs:
            if name not in leg.types:
                raise absent_column(name, leg.name, leg.types)
        return column_of(name, self.name, self.legs)

    @property
    def ends(self) -> int:
        """Lines that end in a delimiter, where a part is delimited text."""
        return sum(leg.ends for leg in self.legs if isinstance(leg, TextLeg))

    def query(self, columns: Sequence[Column], *, checked: bool = False) -> Query:
        """The columns of all parts as k0, k1, ...; checked, z tells the engine's empty ends."""
        texts, parameters = [], []
        for at, leg in enumerate(self.legs):
            more = ""
            if checked:
                ended = leg.trailing if isinstance(leg, TextLeg) else "0"
                more = f", CAST({ended} AS BIGINT) AS z"
            names = [column.name for column in columns]
            sql, given = leg.select(names, [column.selected[at] for column in columns], more)
            texts.append(sql)
            parameters += given
        return " UNION ALL ".join(texts), parameters

    def trusted_less(self) -> FileTable | None:
        """The same read by Python, where the engine's reader of text is in doubt."""
        if not self.is_text:
            return None
        return replace(self, legs=open_legs(self.parts, **self.options, by_python=True))

    @property
    def is_text(self) -> bool:
        """Whether the engine reads delimited text, which must be checked."""
        return any(isinstance(leg, TextLeg) for leg in self.legs)

    @property
    def is_json(self) -> bool:
        """Whether a row may be something else than an object."""
        return any(isinstance(leg, JsonLeg) for leg in self.legs)

    def fault(self, error: EngineError) -> FileError:
        """What the engine said about a part, in one sentence."""
        if self.is_json:
            check_json_lines(self.parts)
        return engine_fault(error, self.parts, "data")


class Lake:
    """An engine with a folder of its own, for as long as files are read."""

    def __init__(self, workspace: Workspace, memory_limit: str | None) -> None:
        self.workspace = workspace
        self.memory_limit = memory_limit

    def table(
        self,
        arguments: Sequence[str],
        *,
        delimiter: str | None = None,
        header: bool | None = None,
        array: str | None = None,
    ) -> FileTable:
        """One table in files, in all that match a pattern, or in a folder."""
        parts = [self.workspace.part(path) for path in find_files(arguments)]
        options: dict[str, Any] = {"delimiter": delimiter, "header": header, "array": array}
        shown = show_label(arguments[0], 200)
        name = parts[0].name if len(parts) == 1 else shown
        if len(arguments) > 1:
            name = f"{shown} and {len(arguments) - 1:,} more"
        return FileTable(name, parts, open_legs(parts, **options), options)

    def group(
        self,
        table: FileTable,
        sets: Sequence[Sequence[str]],
        *,
        weights: str | None = None,
        most: Mapping[int, int] | None = None,
    ) -> list[Groups | None]:
        """Groups of each set of columns, from one scan.

        `most` bounds the groups of a set by its place; a set that has more comes as None.
        """
        names = list(dict.fromkeys(name for one in sets for name in one))
        if len(names) > MOST_NAMES and len(sets) > 1:
            return self._in_halves(table, sets, weights, most or {})
        columns = {name: table.column(name) for name in names}
        weight = None if weights is None else table.column(weights)
        try:
            with self.connected([table]) as connection:
                chosen = [*columns.values(), *([weight] if weight else [])]
                query = table.query(chosen, checked=table.is_text)
                grouping = Grouping.of(columns, sets, weight)
                grouping.stage(connection, query, table.size, checked=table.is_text)
                if grouping.total(connection, "z") != table.ends:
                    raise EngineError("a line ends in a delimiter too many")
                if table.is_json and grouping.count(connection, grouping.sets[0], grouping.absent):
                    check_json_lines(table.parts)
                if not grouping.total(connection, "n"):
                    raise FileError(f"{table.name} has no rows.")
                return [
                    grouping.fetch(connection, one, (most or {}).get(at))
                    for at, one in enumerate(sets)
                ]
        except EngineError as error:
            self.check_memory(error)
            again = table.trusted_less()
            if again is None:
                raise table.fault(error) from None
        return self.group(again, sets, weights=weights, most=most)

    def _in_halves(
        self,
        table: FileTable,
        sets: Sequence[Sequence[str]],
        weights: str | None,
        most: Mapping[int, int],
    ) -> list[Groups | None]:
        middle = len(sets) // 2
        later = {at - middle: bound for at, bound in most.items()}
        return [
            *self.group(table, sets[:middle], weights=weights, most=most),
            *self.group(table, sets[middle:], weights=weights, most=later),
        ]

    @contextmanager
    def connected(self, tables: Sequence[FileTable]) -> Iterator[Any]:
        """A connection; what is in memory is known to it once it has been asked for."""
        with engine(self.workspace.spill, self.memory_limit) as connection:
            yield _Registering(connection, [leg for table in tables for leg in table.legs])

    def check_memory(self, error: EngineError) -> None:
        """Refuse for want of memory, which is no fault of a file."""
        if "Out of Memory" in str(error):
            limit = f"the limit of {self.memory_limit}" if self.memory_limit else "the memory"
            raise FileError(
                f"the groups need more memory than {limit} allows; give more with --memory-limit."
            ) from None


class _Registering:
    """A connection that knows the arrays of its tables when a statement runs."""

    def __init__(self, connection: Any, legs: Sequence[Leg]) -> None:
        self._connection = connection
        self._legs = legs

    def register_arrays(self) -> None:
        """Make them known."""
        for leg in self._legs:
            for name, held in leg.tables.items():
                self._connection.register(name, held)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@contextmanager
def open_lake(memory_limit: str | None = None) -> Iterator[Lake]:
    r"""A place to read many or large files from; nothing of it is left behind.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, open_lake() as lake:
    ...     for part in ("1", "2"):
    ...         with open(os.path.join(folder, f"{part}.csv"), "w") as file:
    ...             _ = file.write("y,c\na,0\na,0\nb,0\n")
    ...     (groups,) = lake.group(lake.table([folder]), [("y", "c")])
    ...     sorted(zip(groups.keys["y"], groups.counts.tolist()))
    [('a', 4), ('b', 2)]
    """
    with Workspace() as workspace:
        yield Lake(workspace, memory_limit)
