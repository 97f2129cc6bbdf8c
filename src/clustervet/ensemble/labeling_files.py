"""`LabelingFiles`: labelings read from the columns of a table, or from several files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clustervet._checks import whole
from clustervet.ensemble.consensus import read_criterion
from clustervet.ensemble.ensemble import Ensemble
from clustervet.ensemble.groups import Centres
from clustervet.errors import ParameterError, Setting
from clustervet.frames.pairing import check_rows
from clustervet.frames.remarks import header_remark, labelings_remark
from clustervet.frames.row_groups import in_rows, row_groups, rows_of_objects
from clustervet.frames.source import INDEX, Source, open_table
from clustervet.labels import Codes, consecutive, show_label
from clustervet.registry import Measure

# Local searches that `Ensemble.consensus` makes at most.
MOST_STARTS = 100_000


class LabelingFiles:
    r"""Read labelings from the columns of one table, or one from each of several files.

    Parameters
    ----------
    columns : list of str, optional
        The columns of labels; by default all except an index.
    array : str, optional
        The name of the matrix in an NPZ file.
    delimiter : str, optional
        The character between the fields of delimited text.
    header : bool, optional
        Whether the first line names the columns.
    memory_limit : str, optional
        How much memory reading may take, such as ``"4GB"``.
    by_row : bool, optional
        Whether several files are paired row by row whatever their ids say. Otherwise files that
        share a column of ids, as in `read_tables`, must have the same ids in each row.
    by : str, optional
        For one long table with one row per object and run: the column of runs, each of which is a
        labeling.
    id : str, optional
        The column that names the objects, of such a table or of several files. The label of an
        object that a run or a file does not have is missing.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "runs.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("id,a,b\n1,x,0\n2,y,0\n")
    ...     reader = LabelingFiles()
    ...     labelings = reader.read([path])
    ...     list(labelings), reader.remarks()
    (['a', 'b'], ['labelings are a, b; left out: id (an index).'])
    """

    def __init__(
        self,
        columns: Sequence[str] | None = None,
        *,
        array: str | None = None,
        delimiter: str | None = None,
        header: bool | None = None,
        memory_limit: str | None = None,
        by_row: bool = False,
        by: str | None = None,
        id: str | None = None,
    ) -> None:
        if by is not None and id is None:
            raise ParameterError(Setting("by"), " goes with ", Setting("id"), ".")
        self.by, self.id = by, id
        # The names of the objects, where a column of ids has them.
        self.objects: list[Any] | None = None
        self.columns = columns
        self.by_row = by_row
        self.options = {
            "array": array,
            "delimiter": delimiter,
            "header": header,
            "memory_limit": memory_limit,
        }
        self._taken: tuple[Sequence[str], Sequence[str]] | None = None
        self._guessed: list[tuple[str, str]] = []
        self._first: tuple[Source, Sequence[str]] | None = None
        # Files whose headers were looked at, and which are not read yet.
        self._sources: dict[str, Source] = {}

    def remarks(self) -> list[str]:
        """Return what was taken for what where that was a guess.

        Returns
        -------
        list of str
            One sentence per guess.

        Examples
        --------
        >>> import clustervet as cv
        >>> from clustervet.datasets import iris_path
        >>> reader = cv.LabelingFiles(["kmeans", "ward"])
        >>> len(reader.read([iris_path()])), reader.remarks()
        (2, [])
        """
        said = [] if self._taken is None else [labelings_remark(*self._taken)]
        if self._guessed:
            said.append(header_remark(*self._guessed[0], len(self._guessed) - 1))
        return said

    def names(self, files: Sequence[str], query: str | None = None) -> list[str] | None:
        """Return the names of the labelings that `read` gives, by the headers alone.

        Parameters
        ----------
        files : list of str
            One table, or several files.
        query : str, optional
            A file for `one`, whose header is looked at too.

        Returns
        -------
        list of str or None
            The names; None where the rows of a long table have them.

        Raises
        ------
        ParameterError
            If a file holds several columns, or is given twice.
        FileError
            If a file cannot be read.

        Examples
        --------
        >>> import clustervet as cv
        >>> from clustervet.datasets import iris_path
        >>> cv.LabelingFiles(["kmeans", "ward"]).names([iris_path()])
        ['kmeans', 'ward']
        """
        found: dict[str, None] = {}
        several = len(files) > 1
        for path, title in [] if self.by is not None else _titled(files):
            columns = self._columns(self._looked_at(path), several=several)
            found |= dict.fromkeys(_names(title, columns, several=several))
        if query is not None:
            self._only(self._looked_at(query))
        return None if self.by is not None else list(found)

    def _looked_at(self, path: str) -> Source:
        """Return a file that is open, and will be read later."""
        return self._sources.setdefault(path, self._opened(path))

    def _opened(self, path: str) -> Source:
        """Return a file that is open; one that was looked at is not opened again."""
        if path in self._sources:
            return self._sources.pop(path)
        return open_table(path, **self.options)  # type: ignore[arg-type]  # as given

    def _columns(self, source: Source, *, several: bool) -> Sequence[str]:
        """Return the columns of labels of one of the files."""
        if self.columns:
            return list(dict.fromkeys(self.columns))
        others = [name for name in _without_index(source)[0] if name != self.id]
        return self._only(source, others) if several else others

    def _only(self, source: Source, columns: Sequence[str] | None = None) -> Sequence[str]:
        """Return the column of a file that must hold one labeling; refuse several."""
        names = _without_index(source)[0] if columns is None else columns
        if len(names) > 1:
            named = ", ".join(show_label(name) for name in names[:20])
            holds = f"{source.name} holds several columns ({named}) where one labeling "
            if self.columns is None:
                raise ParameterError(
                    f"{holds}per file is wanted; name one with ", Setting("labels"), "."
                )
            raise ParameterError(f"{holds}is wanted.")
        return names

    def read(self, files: Sequence[str]) -> dict[str, Codes]:
        """Return labelings by name: the columns of one table, or one labeling per file.

        Parameters
        ----------
        files : list of str
            One table, or several files.

        Returns
        -------
        dict
            Labels by the name of the column or of the file.

        Raises
        ------
        ParameterError
            If a file holds several columns, or is given twice.
        FileError
            If files share a column of ids that are not the same in each row.

        Examples
        --------
        >>> import clustervet as cv
        >>> from clustervet.datasets import iris_path
        >>> reader = cv.LabelingFiles(["kmeans", "ward"])
        >>> list(reader.read([iris_path()]))
        ['kmeans', 'ward']
        """
        if self.by is not None and self.id is not None:
            return self._runs(files, self.by, self.id)
        if self.id is not None:
            return self._joined(files, self.id)
        if len(files) == 1:
            source = self._opened(files[0])
            if self.columns is not None:
                self._first = source, self.columns
                return source.labels(self.columns)
            taken, index = _without_index(source)
            self._taken = (taken, index) if len(taken) > 1 else None
            self._first = source, taken
            return source.labels(taken)
        found: dict[str, Codes] = {}
        for path, title in _titled(files):
            source = self._opened(path)
            columns = self._labelings(source, self._columns(source, several=True))
            found |= zip(_names(title, list(columns), several=True), columns.values(), strict=True)
        return found

    def _runs(self, files: Sequence[str], by: str, id: str) -> dict[str, Codes]:
        """Return the runs of one long table."""
        columns = self.columns or ()
        if len(files) != 1 or len(columns) != 1:
            raise ParameterError(
                Setting("by"), " goes with one table and one column of ", Setting("labels"), "."
            )
        source = self._opened(files[0])
        self._first = source, [by, id, *columns]
        read = source.labels([by, id, *columns])
        groups = row_groups(read[by], by, source.name)
        self.objects, rows = rows_of_objects(read[id], groups, id, source.name)
        return {name: in_rows(read[columns[0]], held) for name, held in rows.items()}

    def _joined(self, files: Sequence[str], id: str) -> dict[str, Codes]:
        """Return the labelings of tables whose objects a column names."""
        several = len(files) > 1
        read: list[tuple[str, Codes, list[Any]]] = []
        every: dict[Any, int] = {}
        for path, title in _titled(files):
            source = self._opened(path)
            wanted = self._columns(source, several=several)
            held = source.labels([id, *wanted])
            rows = {"": np.arange(len(held[id]))}
            objects, _ = rows_of_objects(held[id], rows, id, source.name)
            numbers, _ = consecutive(held[id])
            order = [objects[k] for k in numbers.tolist()]
            for name in order:
                every.setdefault(name, len(every))
            for name, shown in zip(wanted, _names(title, wanted, several=several), strict=True):
                read.append((shown, held[name], order))
        self.objects = list(every)
        found = {}
        for name, codes, order in read:
            places = np.full(len(every), -1)
            places[[every[key] for key in order]] = np.arange(len(order))
            found[name] = in_rows(codes, places)
        return found

    def one(self, path: str) -> Codes:
        """Return the labeling in a file of its own.

        Parameters
        ----------
        path : str
            The file.

        Returns
        -------
        Codes
            Its labels.

        Examples
        --------
        >>> import os, tempfile
        >>> import clustervet as cv
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "run.txt")
        ...     with open(path, "w") as file:
        ...         print(0, 0, 1, sep=chr(10), file=file)
        ...     len(cv.LabelingFiles().one(path))
        3
        """
        source = self._opened(path)
        return next(iter(self._labelings(source, self._only(source)).values()))

    def _labelings(self, source: Source, names: Sequence[str]) -> dict[str, Codes]:
        """Return columns of one of several files."""
        if source.header_guessed is not None:
            self._guessed.append((source.name, source.header_guessed))
        if self._first is None:
            self._first = source, names
        elif not self.by_row:
            first, used = self._first
            check_rows([first, source], {*used, *names})
        return source.labels(names)


def _without_index(source: Source) -> tuple[list[str], list[str]]:
    """Return the columns that are no index, and those that are; a single column is none."""
    index = [name for name in source.columns if INDEX.fullmatch(name.strip())]
    taken = [name for name in source.columns if name not in index]
    return (taken, index) if taken else (index, [])


def check_comparison(
    names: Sequence[str] | None,
    measure: Measure,
    *,
    weights: Sequence[float] | None,
    groups: int | None,
    centres: Centres,
    starts: int,
    trajectory: bool,
) -> None:
    """Refuse what is wrong whatever the labelings of these names hold, before they are read.

    Without names only what is wrong for any number of labelings is refused.
    """
    alike = [[0, 1]]
    smallest = Ensemble(alike * 2, measure=measure)
    _ = smallest.trajectory() if trajectory else smallest.summary()  # which refuse similarities
    if names is not None:
        Ensemble(alike * len(names), names, weights, measure)
    if groups is not None:
        whole(groups, "groups", 1, None if names is None else len(names))
    if centres == "consensus":
        read_criterion(measure, measure)
    whole(starts, "starts", 1, MOST_STARTS)


def _names(title: str, columns: Sequence[str], *, several: bool) -> list[str]:
    """Return the names of labelings: their columns, their file where it has one, or both."""
    if not several:
        return list(columns)
    return [title] if len(columns) == 1 else [f"{title}:{column}" for column in columns]


def _titled(files: Sequence[str]) -> list[tuple[str, str]]:
    """Return files and their names."""
    if files.count("-") > 1:
        raise ParameterError("only one of the files can be standard input.")
    return list(zip(files, _file_names(files), strict=True))


def _file_names(files: Sequence[str]) -> list[str]:
    """Return names of files without folders and endings, or in full where those are the same."""
    short = [Path(path).name.split(".")[0] or path for path in files]
    names = [
        path if short.count(name) > 1 else name for path, name in zip(files, short, strict=True)
    ]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"{show_label(name, 200)} is given twice.")
    return names
