"""Files that are paired row by row, and columns of ids in them that say that rows do not match."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import memory_limit
from clustervet.errors import FileError, Setting
from clustervet.frames.arrays import ArrayFile
from clustervet.frames.columns import Column, id_columns
from clustervet.frames.duck import EngineError, session
from clustervet.frames.parts import FilePart
from clustervet.frames.places import TEXT
from clustervet.frames.source import INDEX, FileSet, Source
from clustervet.labels import show_label

# The share of the ids of the smaller file that the other has, from which a column holds ids though
# it is not called so: other columns that differ in every row seldom have their values there.
SHARED = 0.5
# The share of rows with a value of their own, from which a column that is called so holds ids; a
# few may be there twice by mistake.
NEARLY = 0.9
APART = "no value in common"

Keys = NDArray[np.int64]


def check_rows(sources: Sequence[Source], used: Collection[str], *, joins: bool = False) -> None:
    """Refuse to pair files row by row where a column of ids says that rows do not match.

    A column holds ids if all files have it, no two rows of a file have the same value in it (or
    only a few, if it is called as an index is), and either it is called so, or the other file has
    half of its values. `used` are the
    columns of labels, features and weights, which are no ids. With `joins` the message says that
    the files can be joined.
    """
    files = [source for source in sources if isinstance(source, FileSet)]
    first, *others = files
    for name in first.names:
        if name in used or not all(_holds(source, name) for source in files):
            continue
        light = all(isinstance(one.files[0], ArrayFile) or one.is_light for one in files)
        reader = _PythonKeys(name) if light else _EngineKeys(name, files)
        ours = reader.of(first)
        for source in others:
            said = _difference(name, ours, reader.of(source))
            if said:
                raise _refusal(name, said, first, source, joins=joins)


def _holds(source: FileSet, name: str) -> bool:
    """Whether a file has a column of this name; those of a matrix are features."""
    first = source.files[0]
    return name in (first.arrays if isinstance(first, ArrayFile) else source.names)


def _difference(name: str, ours: Keys, theirs: Keys) -> str:
    """How the ids of two files differ, in words; empty where they are equal, or are no ids."""
    if np.array_equal(ours, theirs):
        return ""
    one, other = np.unique(ours), np.unique(theirs)
    called = INDEX.fullmatch(name.strip()) is not None
    alone = NEARLY if called else 1.0
    if len(one) < alone * len(ours) or len(other) < alone * len(theirs):
        return ""
    shared = len(np.intersect1d(one, other, assume_unique=True))
    if shared == len(one) == len(other):
        return "the same values in another order"
    if not called and shared < SHARED * min(len(one), len(other)):
        return ""
    return f"different values, with {shared:,} of them in both" if shared else APART


def _refusal(name: str, said: str, one: FileSet, other: FileSet, *, joins: bool) -> FileError:
    way: tuple[Any, ...] = ("bring the rows into one order",)
    if joins:
        parts = "for two parts of one table give a pattern or their folder"
        join = "join the files on it with ", Setting("id", name)
        way = (parts,) if said == APART else join
    return FileError(
        f"column {show_label(name)!r} of {one.name} and of {other.name} has {said}, so their rows "
        "do not match; ",
        *way,
        ", or pair them row by row anyway with ",
        Setting("by_row", True),
        ".",
    )


class _PythonKeys:
    """Values of a column as Python reads them, numbered by their place in the first file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._places: dict[str, int] | None = None

    def of(self, source: FileSet) -> Keys:
        """One number per row; equal numbers are equal values."""
        distinct, rows = self._distinct(source)
        if self._places is None:
            self._places = {text: place for place, text in enumerate(distinct)}
        known, beyond = self._places, len(self._places)
        places = [known.get(text, beyond + k) for k, text in enumerate(distinct)]
        keys: Keys = np.array(places, np.int64)[rows]
        return keys

    def _distinct(self, source: FileSet) -> tuple[list[str], NDArray[np.intp]]:
        first = source.files[0]
        if isinstance(first, ArrayFile):
            values, rows = np.unique(first.arrays_of([self.name])[0], return_inverse=True)
            return [str(value) for value in values.tolist()], rows
        codes = source.read((), [self.name])[1][self.name]
        # A missing value has a code of no meaning; two rows without a value are alike.
        filled = codes.values.astype(np.int64)
        if codes.missing is not None:
            filled[codes.missing] = -1
        distinct, rows = np.unique(filled, return_inverse=True)
        blank = [""] if len(distinct) and distinct[0] == -1 else []
        return [*blank, *map(str, codes.restore(distinct[len(blank) :]))], rows


class _EngineKeys:
    """Hashes of the values of a column as DuckDB reads them: eight bytes per row are held."""

    def __init__(self, name: str, sources: Sequence[FileSet]) -> None:
        self.name = name
        columns = id_columns([source.column(name, nested=True) for source in sources])
        self._columns = {id(one): column for one, column in zip(sources, columns, strict=True)}

    def of(self, source: FileSet) -> Keys:
        """One number per row; equal numbers are equal values."""
        try:
            return self._hashed(source, self._columns[id(source)], source.parts)
        except EngineError as error:
            if source.format != TEXT:
                raise source.fault(error) from None
        parts = source.distrusted()  # Python has the last word on what text says
        (column,) = id_columns([source.column(self.name, parts, nested=True)])
        with source.faults():
            return self._hashed(source, column, parts)

    def _hashed(self, source: FileSet, column: Column, parts: Sequence[FilePart]) -> Keys:
        blocks: list[Keys] = [np.empty(0, np.int64)]
        with memory_limit(source.memory_limit), session() as opened:
            for at, part in enumerate(parts):
                sql, given = source.query(opened, [column], [part], at, checked=False)
                hashed = f"SELECT CAST(hash(k0) >> 1 AS BIGINT) FROM ({sql})"
                with closing(opened.batches(hashed, given)) as stream:
                    blocks += [values[0].copy() for _, values in stream]
        return np.concatenate(blocks)
