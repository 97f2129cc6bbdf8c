"""Suites of data sets in folders: points with one or several true labelings beside them."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clustervet._memory import need
from clustervet.errors import ClustervetError, FileError, ParameterError, Setting
from clustervet.frames.columns import is_number
from clustervet.frames.places import FORMATS, files_inside, find_place
from clustervet.frames.source import open_table
from clustervet.frames.text import opened_text
from clustervet.labels import Codes, show_label

PACKINGS = r"(?:\.(?:gz|bz2|xz|zst))?"
DATA = re.compile(rf"(?P<name>.+)\.data{PACKINGS}", re.DOTALL)
TRUTH = re.compile(rf"(?P<name>.+)\.labels(?P<number>\d+){PACKINGS}", re.DOTALL)
RESULT = re.compile(rf"(?P<name>.+)\.result(?P<clusters>\d+){PACKINGS}", re.DOTALL)
TABLE = re.compile(
    rf"(?P<name>.+)(?:{'|'.join(map(re.escape, FORMATS))}){PACKINGS}", re.DOTALL | re.IGNORECASE
)
# Bytes of memory that a letter of numbers takes while it is read, and letters between two looks.
LETTER, LOOK = 8, 2**20


@dataclass(frozen=True)
class SuiteSet:
    """One data set of a suite, in files.

    Attributes
    ----------
    name : str
        The path of its files within the suite, without their endings.
    data : str
        The file of its points, or the table that has labels too.
    truths : tuple of str
        The files of its true labelings, in the order of their numbers, or columns of the table.
    """

    name: str
    data: str
    truths: tuple[str, ...]
    is_table: bool = False

    def read(self) -> tuple[Any, list[Codes]]:
        """Return the points as a matrix, and the true labelings.

        Returns
        -------
        tuple
            A matrix, and one `Codes` per truth.

        Raises
        ------
        FileError
            If a file cannot be read, or its labels are not those of the points.
        """
        if self.is_table:
            table = open_table(self.data).features(None, self.truths)
            return table.matrix, [table.labels(name) for name in self.truths]
        matrix = read_numbers(self.data)
        truths = [_only_column(file) for file in self.truths]
        for file, truth in zip(self.truths, truths, strict=True):
            if len(truth) != len(matrix):
                raise FileError(
                    f"{show_label(file, 200)} has {len(truth):,} labels for the {len(matrix):,} "
                    f"points of {show_label(self.data, 200)}."
                )
        return matrix, truths


def find_suite(folder: str | os.PathLike[str], labels: Sequence[str] = ()) -> list[SuiteSet]:
    """Return the data sets of a folder, at any depth.

    Parameters
    ----------
    folder : path
        A folder of files such as ``wut/x1.data.gz`` with ``wut/x1.labels0.gz``,
        ``wut/x1.labels1.gz`` and so on (Gagolewski 2022), whose other files are passed over; or a
        folder of tables such as ``iris.csv`` or ``iris.parquet``, each of them a data set.
    labels : sequence of str, optional
        The columns of the true labelings, in a folder of tables.

    Returns
    -------
    list of SuiteSet
        In the order of their names.

    Raises
    ------
    FileError
        If the folder has no data sets, or points without labels or labels without points.
    ParameterError
        If `labels` are missing for tables, or given for other files.
    """
    root = Path(os.fspath(folder))
    shown = show_label(str(root), 200)
    if not os.path.isdir(root):
        raise FileError(f"there is no folder {shown}.")
    files = {Path(file).relative_to(root).as_posix(): file for file in files_inside(str(root))}
    points = _matched(DATA, files)
    if not points:
        tables = _matched(TABLE, files)
        if not tables:
            raise FileError(
                f"{shown} has no data sets: neither files NAME.data.gz with NAME.labels0.gz, nor "
                "tables."
            )
        if not labels:
            raise ParameterError(
                f"{shown} has tables; name their column of labels with ", Setting("label"), "."
            )
        return [SuiteSet(name, file, tuple(labels), True) for name, file in tables.items()]
    if labels:
        raise ParameterError(
            Setting("label"), f" is for folders of tables; {shown} has its labels in files."
        )
    truths: dict[str, dict[int, str]] = {}
    for path, file in files.items():
        if found := TRUTH.fullmatch(path):
            truths.setdefault(found["name"], {})[int(found["number"])] = file
    for name, held in truths.items():
        if name not in points:
            file = show_label(next(iter(held.values())), 200)
            raise FileError(f"{file} has no points beside it; there must be a file NAME.data.gz.")
    for name, file in points.items():
        if name not in truths:
            raise FileError(
                f"{show_label(file, 200)} has no labels beside it; there must be a file "
                f"{show_label(Path(name).name, 80)}.labels0.gz."
            )
    return [
        SuiteSet(name, file, tuple(truths[name][k] for k in sorted(truths[name])))
        for name, file in points.items()
    ]


def _matched(pattern: re.Pattern[str], files: dict[str, str]) -> dict[str, str]:
    """Return files by their names without endings; no two may share one."""
    found: dict[str, str] = {}
    for path, file in files.items():
        if match := pattern.fullmatch(path):
            if other := found.get(match["name"]):
                both = " and ".join(show_label(name, 200) for name in (other, file))
                raise FileError(f"{both} would be the same data set.")
            found[match["name"]] = file
    return dict(sorted(found.items()))


def _only_column(file: str) -> Codes:
    """Return the labels of a file that has one label per line."""
    table = open_table(file, header=False)
    names = list(table.columns)
    if len(names) != 1:
        raise FileError(
            f"{table.name} has {len(names)} columns; a file of labels has one label per line."
        )
    return table.labels(names)[names[0]]


def read_numbers(file: str) -> Any:
    """Return the numbers of a text file as a matrix; blanks, tabs or commas are between them."""
    place = find_place(file)
    with opened_text(place) as (lines, _):
        first = next(lines, "")
        delimiter = "," if "," in first else None
        read = [0]
        counted = _counted_lines(first, lines, place.name, read)
        try:
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # of no numbers
                matrix = np.loadtxt(counted, delimiter=delimiter, ndmin=2)
        except ClustervetError:
            raise
        except ValueError as error:
            raise FileError(f"{_faulty(error, place.name, read[0])}.") from None
    if not matrix.size:
        raise FileError(f"{place.name} has no numbers.")
    if not np.isfinite(matrix).all():
        row, column = np.argwhere(~np.isfinite(matrix))[0].tolist()
        raise FileError(
            f"{place.name} has {matrix[row, column]} in row {row + 1}, column {column + 1}; "
            "features must be finite numbers."
        )
    return matrix


def _counted_lines(first: str, lines: Iterator[str], name: str, read: list[int]) -> Iterator[str]:
    """Yield lines, and refuse more of them than fit into memory."""
    letters = looked = 0
    line = first
    while line:
        read[0] += 1
        letters += len(line)
        if letters > looked:
            need(LETTER * letters, f"{name} as numbers")
            looked = letters + LOOK
        yield line
        line = next(lines, "")


def _faulty(error: ValueError, name: str, line: int) -> str:
    """Return what numpy could not read, in a sentence without its end."""
    said = str(error)
    with suppress(IndexError):
        value = said.split("'")[1]
        if "could not convert" in said and not is_number(value):
            return f"line {line} of {name} has {show_label(value)!r}, which is no number"
    return f"line {line} of {name} has another number of fields than the first line"


@dataclass(frozen=True)
class SuiteResult:
    """Clusterings of one data set of a suite that somebody made.

    Attributes
    ----------
    algorithm : str
        The folder that the file lies in.
    name : str
        The data set.
    file : str
        The file, with one column per clustering.
    clusters : int or None
        The number of clusters that was asked for, where the name of the file says it.
    """

    algorithm: str
    name: str
    file: str
    clusters: int | None = None

    def read(self) -> dict[str, list[Codes]]:
        """Return the clusterings by algorithm.

        Returns
        -------
        dict
            Columns are runs of one algorithm. In a file of the kind ``NAME.result3.gz`` they are
            algorithms, if they have names.

        Raises
        ------
        FileError
            If the file cannot be read.
        """
        table = open_table(self.file)
        names = list(table.columns)
        held = table.labels(names)
        if self.clusters is None or names[0].isdigit():
            return {self.algorithm: [held[name] for name in names]}
        return {name: [held[name]] for name in names}


def find_results(folder: str | os.PathLike[str]) -> list[SuiteResult]:
    """Return the files of clusterings in a folder that has one folder per algorithm.

    Parameters
    ----------
    folder : path
        A folder of files such as ``genie/wut/x1.csv``, or ``genie/wut/x1.result3.gz`` for the
        number of clusters 3.

    Returns
    -------
    list of SuiteResult
        In the order of algorithms and data sets.

    Raises
    ------
    FileError
        If there are none.
    """
    root = Path(os.fspath(folder))
    shown = show_label(str(root), 200)
    if not os.path.isdir(root):
        raise FileError(f"there is no folder {shown}.")
    found = []
    for file in files_inside(str(root)):
        algorithm, _, rest = Path(file).relative_to(root).as_posix().partition("/")
        if match := RESULT.fullmatch(rest):
            found.append(SuiteResult(algorithm, match["name"], file, int(match["clusters"])))
        elif match := TABLE.fullmatch(rest):
            found.append(SuiteResult(algorithm, match["name"], file))
    if not found:
        raise FileError(
            f"{shown} has no clusterings; there must be one folder per algorithm with files such "
            "as NAME.csv or NAME.result3.gz."
        )
    return found
