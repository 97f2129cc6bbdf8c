"""`LabelingFiles`: labelings read from the columns of a table, or from several files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clustervet.errors import ParameterError, Setting
from clustervet.frames.pairing import check_rows
from clustervet.frames.remarks import header_remark, labelings_remark
from clustervet.frames.row_groups import in_rows, row_groups, rows_of_objects
from clustervet.frames.source import INDEX, Source, open_table
from clustervet.labels import Codes, consecutive, show_label


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
            source = open_table(files[0], **self.options)  # type: ignore[arg-type]  # as given
            if self.columns is not None:
                self._first = source, self.columns
                return source.labels(self.columns)
            taken, index = _without_index(source)
            self._taken = (taken, index) if len(taken) > 1 else None
            self._first = source, taken
            return source.labels(taken)
        if files.count("-") > 1:
            raise ParameterError("only one of the files can be standard input.")
        found: dict[str, Codes] = {}
        for path, name in zip(files, _file_names(files), strict=True):
            columns = self._labelings(path, self.columns)
            for column, codes in columns.items():
                found[name if len(columns) == 1 else f"{name}:{column}"] = codes
        return found

    def _runs(self, files: Sequence[str], by: str, id: str) -> dict[str, Codes]:
        """Return the runs of one long table."""
        columns = self.columns or ()
        if len(files) != 1 or len(columns) != 1:
            raise ParameterError(
                Setting("by"), " goes with one table and one column of ", Setting("labels"), "."
            )
        source = open_table(files[0], **self.options)  # type: ignore[arg-type]  # as given
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
        for path, title in zip(files, _file_names(files), strict=True):
            source = open_table(path, **self.options)  # type: ignore[arg-type]  # as given
            wanted = self.columns or [name for name in _without_index(source)[0] if name != id]
            if several and len(wanted) > 1 and self.columns is None:
                named = ", ".join(show_label(name) for name in wanted[:20])
                raise ParameterError(
                    f"{source.name} holds several columns ({named}) where one labeling per file "
                    "is wanted; name one with ",
                    Setting("labels"),
                    ".",
                )
            held = source.labels([id, *wanted])
            rows = {"": np.arange(len(held[id]))}
            objects, _ = rows_of_objects(held[id], rows, id, source.name)
            numbers, _ = consecutive(held[id])
            order = [objects[k] for k in numbers.tolist()]
            for name in order:
                every.setdefault(name, len(every))
            for name in wanted:
                shown = name if not several else title if len(wanted) == 1 else f"{title}:{name}"
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
        return next(iter(self._labelings(path, None).values()))

    def _labelings(self, path: str, wanted: Sequence[str] | None) -> dict[str, Codes]:
        """Return the columns wanted, or the labeling of a file that holds no other."""
        source = open_table(path, **self.options)  # type: ignore[arg-type]  # as given
        names = wanted or _without_index(source)[0]
        if wanted is None and len(names) > 1:
            named = ", ".join(show_label(name) for name in names[:20])
            holds = f"{source.name} holds several columns ({named}) where one labeling "
            if self.columns is None:
                raise ParameterError(
                    f"{holds}per file is wanted; name one with ", Setting("labels"), "."
                )
            raise ParameterError(f"{holds}is wanted.")
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
