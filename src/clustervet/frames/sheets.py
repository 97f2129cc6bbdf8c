"""A sheet of a workbook as text between tabs, written by a process of its own.

A workbook of some hundred bytes can have a sheet of billions of cells, and its reader ends the
process in which memory runs out. So this module is run as a script, under a limit of memory. It
imports nothing of clustervet, which would take longer than to read a sheet.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from typing import IO, Any

# Whole numbers up to here are exact as floats.
EXACT = 2**53


class SheetFaultError(Exception):
    """What is wrong with a workbook: the kind of fault, and its facts."""

    def __init__(self, fault: str, **facts: Any) -> None:
        super().__init__(fault)
        self.facts = {"fault": fault, **facts}


def limit_memory(size: int) -> None:
    """Let this process take no more than `size` bytes beside those that it has, where it can."""
    try:
        import resource

        with open("/proc/self/statm") as stream:
            held = int(stream.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = held + size if hard == resource.RLIM_INFINITY else min(held + size, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    except (ImportError, OSError, ValueError, OverflowError):
        return


def write_sheet(path: str, chosen: str | None, header: bool | None, out: IO[str]) -> int:
    """Write a sheet without its empty edges; returns its first row that is not empty.

    Columns in which nothing stands are left out. An empty row is a blank line, or an empty field
    where there is one column. `header` is False where the first row holds no names.
    """
    import python_calamine

    with open(path, "rb") as stream:
        try:
            book = python_calamine.CalamineWorkbook.from_filelike(stream)
            sheet = _sheet(book, chosen)
        except python_calamine.PasswordError:
            raise SheetFaultError("password") from None
        except python_calamine.XmlError:
            raise SheetFaultError("broken", said="its XML is damaged") from None
        except python_calamine.CalamineError as error:
            raise SheetFaultError("broken", said=str(error)) from None
    used: set[int] = set()
    first = last = 0
    names: list[str] = []
    for number, row in enumerate(_rows(sheet), 1):
        held = [place for place, text in enumerate(row) if text]
        if held:
            first, names = (first, names) if first else (number, row)
            last = number
            used.update(held)
    places = sorted(used)
    for place in places[1:] if header is not False else ():
        if not names[place]:
            column = _letters(sheet.start[1] + place)
            raise SheetFaultError("unnamed", column=column, row=first)
    written = csv.writer(out, delimiter="\t", lineterminator="\n")
    for number, row in enumerate(_rows(sheet), 1):
        if first <= number <= last:
            texts = [row[place] for place in places]
            written.writerow(texts if len(texts) == 1 or any(texts) else [])
    return first


def _sheet(book: Any, chosen: str | None) -> Any:
    """The sheet of a name, or the only one with data that is not hidden."""
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    known = [one for one in book.sheets_metadata if one.typ == SheetTypeEnum.WorkSheet]
    names = [one.name for one in known]
    if chosen is not None:
        if chosen not in names:
            raise SheetFaultError("absent", sheets=names)
        sheet = book.get_sheet_by_name(chosen)
        if not any(map(any, _rows(sheet))):
            raise SheetFaultError("empty")
        return sheet
    held, found = [], None
    for one in known:
        if one.visible == SheetVisibleEnum.Visible:
            sheet = book.get_sheet_by_name(one.name)
            if any(map(any, _rows(sheet))):
                held.append(one.name)
                found = found or sheet
    if not held:
        raise SheetFaultError("empty")
    if len(held) > 1:
        raise SheetFaultError("several", sheets=held)
    return found


def _rows(sheet: Any) -> Iterator[list[str]]:
    """The rows from the first row of the sheet on, as texts."""
    return (list(map(_text, row)) for row in sheet.iter_rows())


def _text(value: Any) -> str:
    """A cell as it would stand in delimited text; empty where a value is missing."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        if value != value:
            return ""
        return str(int(value)) if abs(value) <= EXACT and value.is_integer() else repr(value)
    return str(value)


def _letters(place: int) -> str:
    """The name of a column in a spreadsheet.

    >>> _letters(0), _letters(25), _letters(26), _letters(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    found = ""
    while place >= 0:
        place, letter = divmod(place, 26)
        found, place = chr(ord("A") + letter) + found, place - 1
    return found


def main() -> None:
    """Read what is asked for, write the text, and then the facts about it to standard error."""
    asked = json.load(sys.stdin)
    out = io.TextIOWrapper(sys.stdout.buffer, "utf-8", newline="")
    try:
        import python_calamine  # noqa: F401  # its code is no part of what is limited

        limit_memory(asked["memory"])
        row = write_sheet(asked["path"], asked["sheet"], asked["header"], out)
        out.flush()
        facts: dict[str, Any] = {"row": row}
    except SheetFaultError as error:
        facts = error.facts
    except MemoryError:
        facts = {"fault": "memory"}
    sys.stderr.write(json.dumps(facts))


if __name__ == "__main__":
    main()
