"""The dialect of delimited text: what Python reads in it, and what each engine reads alike.

Every byte of a file is looked at before another engine reads it. What the engine would read
otherwise than Python is refused; where Python refuses the file too, its sentence is the one.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.frames.columns import Kind
from clustervet.frames.places import find_place
from clustervet.frames.text import CHUNK, LONGEST, TextFile, open_text

BOM = b"\xef\xbb\xbf"
QUOTE, LINE_END, RETURN = b'"\n\r'
# A row that Spark and pandas take for a blank line: nothing but what Java trims.
WHITE = re.compile(rb"^[\x01-\x09\x0b-\x20]+$", re.MULTILINE)


class Trait(StrEnum):
    """Something in delimited text that not all engines read alike; the value is its name."""

    bom = "a byte order mark"
    leading = "a blank line before its first row"
    blank = "a blank line"
    gap = "a blank line, which is a missing label in a single column,"
    broken = "a line end inside quotes"
    returned = "a carriage return inside quotes"
    mixed = "line ends of two kinds, LF and CRLF, and the second"
    tangled = "a line end inside quotes, while lines end in CRLF,"
    returns = "a line that ends in a carriage return alone"
    odd_quotes = "a quote that neither begins nor ends its field"
    nul = "a NUL character"
    white = "a row of nothing but spaces and tabs"
    delimiter = "a delimiter that is no ASCII character"
    long = "a very long line"
    encoding = "a byte that is not UTF-8"
    ragged = "a row of another width"


# What stops the look at a file, since what follows cannot be told.
FATAL = {Trait.delimiter, Trait.long, Trait.encoding, Trait.ragged, Trait.returns, Trait.odd_quotes}


# Where a row may take several lines.
BROKEN = frozenset({Trait.broken, Trait.returned})


class _FatalTraitError(Exception):
    """A trait after which the rest of a file cannot be told."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Files of delimited text that one call of an engine reads: names, delimiter, traits.

    `names` is None for files that only the engine can reach; then it reads the header itself.
    `needed` has the places of the columns that are asked for, if not all are.
    """

    paths: Sequence[str]
    delimiter: str
    names: Sequence[str] | None = None
    named: bool = True
    traits: frozenset[Trait] = frozenset()
    texts: Sequence[TextFile] = field(default=(), repr=False)
    needed: Sequence[int] | None = None
    # Columns of numbers with a decimal comma.
    commas: frozenset[str] = frozenset()

    @property
    def places(self) -> list[str]:
        """Names of the columns that no engine misreads."""
        return [f"c{place}" for place in range(len(self.names or ()))]

    @property
    def broken(self) -> bool:
        """Whether a row may take several lines."""
        return not BROKEN.isdisjoint(self.traits)

    @property
    def packed(self) -> bool:
        """Whether a file is packed by gzip."""
        return any(path.lower().endswith(".gz") for path in self.paths)


def read_layouts(
    paths: Sequence[str],
    delimiter: str | None,
    header: bool | None,
    engine: str,
    read: frozenset[Trait],
) -> list[Layout]:
    """Files by their layouts; what the engine would read otherwise than Python is refused.

    `read` has the traits that the engine reads as Python does.
    """
    found: dict[tuple[Any, ...], list[tuple[str, TextFile, frozenset[Trait]]]] = {}
    for path in paths:
        file = open_text(find_place(path), delimiter, header)
        traits = look(file)
        for trait, line in traits.items():
            if trait not in read:
                file.check()  # Python may refuse the file too, and names the line
                raise FileError(
                    f"{file.name} has {trait} in line {line:,}, which {engine} reads otherwise "
                    "than other engines do; read it with the engine duckdb."
                )
        # What is read one way by a whole file is read another way by its parts.
        broken = not BROKEN.isdisjoint(traits)
        commas = frozenset(name for name, kind in file.columns.items() if kind is Kind.comma)
        key = file.delimiter, file.named, tuple(file.columns), commas, broken
        found.setdefault(key, []).append((path, file, frozenset(traits)))
    return [
        Layout(
            [path for path, _, _ in same],
            cut,
            names,
            named,
            frozenset().union(*(traits for _, _, traits in same)),
            [file for _, file, _ in same],
            commas=commas,
        )
        for (cut, named, names, commas, _), same in found.items()
    ]


def look(file: TextFile) -> dict[Trait, int]:
    """The traits of a file, each with the first line that has it.

    A trait after which nothing can be told is the last one.
    """
    scan = _Scan(len(file.columns), file.delimiter)
    try:
        if len(scan.mark) != 1:
            scan.add(Trait.delimiter, 1)
        for piece in _pieces(file, scan):
            scan.take(piece)
        scan.end()
    except _FatalTraitError:
        pass
    except (OSError, EOFError, zlib.error) as error:
        said = getattr(error, "strerror", None) or error
        raise FileError(f"{file.name} cannot be read: {said}.") from None
    return scan.found


def _pieces(file: TextFile, scan: _Scan) -> Iterator[bytes]:
    """The bytes of a file in pieces of whole lines; the last line is given its end."""
    opened: Any = gzip.open if file.place.packing == "gzip" else open
    kept = b""
    with opened(file.place.path, "rb") as stream:
        while chunk := stream.read(CHUNK):
            if not scan.started:
                scan.started = True
                if chunk.startswith(BOM):
                    scan.add(Trait.bom, 1)
                    chunk = chunk[len(BOM) :]
            lines, end, kept = (kept + chunk).rpartition(b"\n")
            if end:
                yield lines + end
            elif len(kept) > LONGEST:
                scan.add(Trait.long, scan.lines + 1)
    if kept:
        yield kept if kept.endswith(b"\r") else kept + b"\n"


@dataclass
class _Scan:
    """What is known of a file, piece by piece."""

    width: int
    delimiter: str
    found: dict[Trait, int] = field(default_factory=dict)
    started: bool = False
    lines: int = 0  # before the piece
    inside: int = 0  # whether the piece begins inside quotes
    cells: int = 0  # delimiters of a row that began before the piece
    begun: bool = False  # whether a row began before the piece
    windows: bool | None = None  # whether the first line ends in CRLF

    @property
    def mark(self) -> bytes:
        """The delimiter as it stands in the file."""
        return self.delimiter.encode()

    def add(self, trait: Trait, line: int) -> None:
        """Note a trait; after some nothing more can be told."""
        self.found.setdefault(trait, line)
        if trait in FATAL:
            raise _FatalTraitError

    def take(self, piece: bytes) -> None:
        """Look at some whole lines."""
        data = np.frombuffer(piece, np.uint8)
        quoted = self._quoted(piece, data)
        if b"\0" in piece:
            self._first(Trait.nul, data, [piece.index(b"\0")])
        if not piece.isascii():
            try:
                piece.decode()
            except UnicodeDecodeError as error:
                self._first(Trait.encoding, data, [error.start])
        ends = data == LINE_END
        cuts = data == ord(self.mark)
        if quoted is not None:
            self._first(Trait.broken, data, np.flatnonzero(ends & quoted))
            self._first(Trait.returned, data, np.flatnonzero((data == RETURN) & quoted))
            ends, cuts = ends & ~quoted, cuts & ~quoted
        if b"\r" in piece:
            alone = data == RETURN
            alone[:-1] &= data[1:] != LINE_END
            alone = alone if quoted is None else alone & ~quoted
            self._first(Trait.returns, data, np.flatnonzero(alone))
        if self.delimiter.isspace() or self.width == 1:
            white = WHITE.search(piece)
            if white is not None:
                trait = Trait.gap if self.width == 1 else Trait.white
                self._first(trait, data, [white.start()])
        self._rows(data, np.flatnonzero(ends), np.flatnonzero(cuts))
        self.lines += piece.count(b"\n")

    def end(self) -> None:
        """Look at what only the whole file can tell."""
        if self.inside:
            self.add(Trait.odd_quotes, self.lines)
        lines = [line for trait, line in self.found.items() if trait in BROKEN]
        if lines and (self.windows or Trait.mixed in self.found):
            self.add(Trait.tangled, min(lines))

    def _quoted(self, piece: bytes, data: NDArray[np.uint8]) -> NDArray[np.bool_] | None:
        """Which bytes are inside quotes; None if none are."""
        if QUOTE not in piece:
            return np.ones(len(data), bool) if self.inside else None
        marks = np.flatnonzero(data == QUOTE)
        closing = (np.arange(len(marks)) + self.inside) % 2 == 1
        edges = np.array([ord(self.mark), LINE_END, RETURN, QUOTE])
        # A piece begins a line, and ends one: a quote has a byte beside it on both sides.
        before = np.where(marks == 0, LINE_END, data[marks - 1])
        beside = np.where(closing, data[np.minimum(marks + 1, len(data) - 1)], before)
        self._first(Trait.odd_quotes, data, marks[~np.isin(beside, edges)])
        # The parity of a count survives its overflow.
        counted = np.cumsum(data == QUOTE, dtype=np.uint8)
        inside: NDArray[np.bool_] = (counted + np.uint8(self.inside)) & 1 == 1
        self.inside = int(inside[-1])
        return inside

    def _rows(self, data: NDArray[np.uint8], ends: Any, cuts: Any) -> None:
        """Check that every row has as many fields as the first line, and find blank lines."""
        if not len(ends):
            self.cells, self.begun = self.cells + len(cuts), True
            return
        before = np.searchsorted(cuts, ends)
        counts = np.diff(before, prepend=-self.cells)
        starts = np.concatenate([[0], ends[:-1] + 1])
        lengths = ends - starts
        blank = (lengths == 0) | ((lengths == 1) & (data[starts] == RETURN))
        blank[0] &= not self.begun
        if not self.lines and blank[0]:
            self.add(Trait.leading, 1)
        self._first(Trait.gap if self.width == 1 else Trait.blank, data, starts[blank])
        returned = (data[np.maximum(ends - 1, 0)] == RETURN) & (ends > 0)
        if self.windows is None:
            self.windows = bool(returned[0])
        self._first(Trait.mixed, data, starts[returned != self.windows])
        self._first(Trait.ragged, data, starts[(counts != self.width - 1) & ~blank])
        self.cells = len(cuts) - int(before[-1])
        self.begun = int(ends[-1]) + 1 < len(data)

    def _first(self, trait: Trait, data: NDArray[np.uint8], places: Any) -> None:
        """Note a trait of the first of some places, if there is one."""
        if len(places):
            line = self.lines + 1 + int((data[: int(places[0])] == LINE_END).sum())
            self.add(trait, line)
