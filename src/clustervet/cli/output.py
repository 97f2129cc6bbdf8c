"""Printing an answer, or writing it to a file, whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol

from clustervet.errors import FileError
from clustervet.labels import show_label


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


def write_whole(target: str, text: str) -> None:
    """Write beside the target and move into place, so that no half file is ever seen."""
    path = Path(os.path.realpath(target))
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # a pipe or device is written, not replaced
            return
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise FileError(
            f"{show_label(str(path), 200)} cannot be written: {error.strerror}."
        ) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        os.unlink(name)
        raise FileError(
            f"{show_label(str(path), 200)} cannot be written: {error.strerror}."
        ) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
