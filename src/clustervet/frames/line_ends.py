"""Ends of lines in delimited text, where the engine forgives what Python does not."""

from __future__ import annotations

import gzip
import re
import zlib
from typing import Any

from clustervet.frames.duck import EngineError
from clustervet.frames.source import Place

# Columns up to which the engine counts the empty ones at the end of a row.
MANY = 200
CHUNK = 2**23
LONGEST = 2**26


def empty_at_end(width: int, ends: int) -> str:
    """How many delimiters the line of a row ends in by the engine's reading, in SQL."""
    last = width - 1
    if not ends:
        return f"CAST(c{last} IS NULL AS BIGINT)"
    cases = [f"WHEN c{last - k} IS NOT NULL THEN {k}" for k in range(last)]
    return f"CASE {' '.join(cases)} ELSE {last} END"


def trailing_delimiters(place: Place, cut: str) -> int:
    """How many delimiters end the lines of a file whose quotes have one reading.

    The engine takes one delimiter too many at the end of a line for none, and forgives spaces
    around quotes; Python does not.
    """
    mark = cut.encode()
    edge = rb"(?:[\r\n]|%s)" % re.escape(mark)
    doubt = re.compile(rb'%s +"|" +%s|%s""[\r\n]' % (edge, edge, re.escape(mark)))
    opened: Any = gzip.open if place.gzipped else open
    ends, kept = 0, b"\n"
    try:
        with opened(place.path, "rb") as stream:
            while chunk := stream.read(CHUNK):
                chunk = kept + chunk
                cut_at = chunk.rfind(b"\n", 1)
                if cut_at < 0 and len(chunk) > LONGEST:
                    raise EngineError("a very long line")
                # The newline before a line belongs to it, as an edge.
                kept, lines = (chunk, b"") if cut_at < 0 else (chunk[cut_at:], chunk[: cut_at + 1])
                ends += _ends(lines, mark, doubt)
    except (OSError, EOFError, zlib.error) as error:
        raise EngineError(str(error)) from None
    return ends + _ends(kept + b"\n", mark, doubt)


def _ends(lines: bytes, mark: bytes, doubt: re.Pattern[bytes]) -> int:
    if b'"' in lines and doubt.search(lines):
        raise EngineError("quotes beside spaces, or nothing between quotes")
    ends = 0
    for end in (b"\n", b"\r") if b"\r" in lines else (b"\n",):
        times = 1
        while found := lines.count(mark * times + end):
            ends += found
            times += 1
    return ends
