"""Printing a result, or writing it to files, each whole or not at all."""

from __future__ import annotations

import errno
import os
import select
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

from clustervet.errors import FileError
from clustervet.frames.writing import write_whole
from clustervet.labels import show_label
from clustervet.view import Result


class Format(StrEnum):
    """Ways to print a result."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


RENDERERS: dict[Format, Callable[[Any], str]] = {
    Format.table: repr,
    Format.json: lambda result: result.to_json(),
    Format.csv: lambda result: result.to_csv(),
    Format.markdown: lambda result: result.to_markdown(),
    Format.latex: lambda result: result.to_latex(),
}
# What a full disk, a broken one or a closed stream says.
UNWRITABLE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
SUFFIXES = {
    ".json": Format.json,
    ".csv": Format.csv,
    ".md": Format.markdown,
    ".markdown": Format.markdown,
    ".tex": Format.latex,
}


def emit(
    result: Result,
    format: Format | None,
    output: str | None,
    *,
    remarks: Iterable[str] = (),
    report: str | None = None,
) -> None:
    """Print in the format asked for, or that the file's name says; in colour on a terminal.

    Remarks on how files were read go to standard error, and so do cautions where the format holds
    numbers alone. `report` is the file of a report.
    """
    tell(*remarks)
    chosen = format or SUFFIXES.get(Path(output or "").suffix.lower(), Format.table)
    if chosen is Format.csv:
        tell(*result.cautions())
    with printing():
        _print(result, chosen, output)
    if report is not None:
        write_page(result, report)


def tell(*lines: str) -> None:
    """Print lines on standard error."""
    for line in lines:
        print(f"clustervet: {line}", file=sys.stderr)


def write_page(results: Any, path: str, **options: Any) -> None:
    """Write a report, which says by which command it was made, and tell where."""
    from clustervet.report import write_report

    command = shlex.join(["clustervet", *sys.argv[1:]])
    written = write_report(results, path, command=command, **options)
    tell(f"wrote {show_label(str(written), 200)}.")


@contextmanager
def resumable(journal: str | None) -> Iterator[None]:
    """Tell who stops work by Ctrl-C that the journal keeps what was done."""
    try:
        yield
    except KeyboardInterrupt:
        if journal is not None:
            kept = f"the fits that had ended are in {show_label(journal, 200)}"
            tell(f"{kept}; the same command goes on from there.")
        raise


@contextmanager
def printing() -> Iterator[None]:
    """Turn what standard output cannot take into one sentence; a reader may go away in silence.

    Errors of other files and of connections to engines pass through.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        if not _reader_left():
            raise
        _silence()
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITABLE:
            raise
        _silence()
        raise FileError(f"standard output cannot be written: {error.strerror}.") from None


def _reader_left() -> bool:
    """Return whether nobody reads standard output any more; so it is taken where it is no pipe."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
    except (AttributeError, OSError, ValueError):
        return True
    return bool(poll.poll(0))


def _silence() -> None:
    """Let what is left in the buffer of standard output go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(result: Result, format: Format, output: str | None) -> None:
    if output is not None:
        write_whole(output, RENDERERS[format](result).rstrip("\n") + "\n")
    elif format is Format.table and sys.stdout.isatty():
        from rich.console import Console

        Console(highlight=False).print(result, crop=False)
    else:
        print(RENDERERS[format](result).rstrip("\n"))
