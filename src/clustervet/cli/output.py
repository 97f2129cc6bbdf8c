"""Printing an answer, or writing it to a file, whole or not at all."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from clustervet.errors import FileError
from clustervet.frames.whole import write_whole


class Format(StrEnum):
    """Ways to print an answer."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"


class Answer(Protocol):
    """What a command prints."""

    def to_text(self, format: Format) -> str:
        """The answer as text."""

    def to_rich(self) -> Any:
        """The answer for a terminal."""


SUFFIXES = {
    ".json": Format.json,
    ".csv": Format.csv,
    ".md": Format.markdown,
    ".markdown": Format.markdown,
}


def emit(answer: Answer, format: Format | None, output: str | None) -> None:
    """Print in the format asked for, or that the file's name says; in colour on a terminal."""
    by_name = SUFFIXES.get(Path(output or "").suffix.lower(), Format.table)
    try:
        _print(answer, format or by_name, output)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()  # the reader went away; that is no mistake
    except OSError as error:
        _silence()
        raise FileError(f"standard output cannot be written: {error.strerror}.") from None


def _silence() -> None:
    """Let what is left in the buffer of standard output go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(answer: Answer, format: Format, output: str | None) -> None:
    if output is not None:
        write_whole(output, answer.to_text(format).rstrip("\n") + "\n")
    elif format is Format.table and sys.stdout.isatty():
        from rich.console import Console

        Console(highlight=False).print(answer.to_rich())
    else:
        print(answer.to_text(format).rstrip("\n"))
