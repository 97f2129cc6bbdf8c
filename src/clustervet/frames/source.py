"""`Source`: a table in files, which answers for its columns, labels, features and groups."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from clustervet import _memory
from clustervet.errors import FileError, ParameterError, Setting
from clustervet.frames.arrays import ArrayFile, Numbered, open_arrays
from clustervet.frames.columns import (
    COMMA,
    DELIMITED,
    Column,
    Form,
    GrowingMatrix,
    Kind,
    LabelCodes,
    NoNumberError,
    absent_column,
    column_of,
    id_columns,
    kind_of,
    listed,
    number_of,
    refused_value,
    with_point,
)
from clustervet.frames.duck import (
    EngineError,
    Session,
    engine_fault,
    session,
    watched,
)
from clustervet.frames.feature_table import FeatureTable
from clustervet.frames.grouping import GroupedCounts, Grouping, Query
from clustervet.frames.parts import (
    FilePart,
    TextPart,
    check_json_lines,
    open_parts,
    python_part,
)
from clustervet.frames.places import (
    ARRAY,
    JSON,
    TEXT,
    WORKBOOK,
    Paths,
    Place,
    find_files,
    find_place,
    path_list,
    sheet_text,
)
from clustervet.frames.text import TextFile, open_text
from clustervet.labels import Codes, show_label

# What pandas calls its index in files, and what people call theirs.
INDEX = re.compile(r"|id|index|unnamed: \d+|__index_level_\d+__", re.IGNORECASE)
PATTERN = re.compile(r"[*?\[]")
# Bytes up to which Python reads features from text faster than an engine is loaded.
SMALL = 2**20
# Columns that one scan tells apart, each by a bit of a number.
MOST_NAMES = 60

# Types that say nothing about what a column holds; its values do.
AS_FILED = (DELIMITED, "JSON")

# What only Gower's distance reads as features.
WORDS = (Kind.text, Kind.date)

ColumnName = str | tuple[int, str]
S = TypeVar("S", bound="Source")
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Unmatched:
    """How many ids of the first file another file lacks, and the other way round.

    Attributes
    ----------
    truth_file, file : str
        The first file, which has the truth, and the other one.
    only_truth, only_prediction : int
        Ids that only the first file has, and ids that only the other file has.
    """

    truth_file: str
    file: str
    only_truth: int
    only_prediction: int

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def _limited(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Run a method of a source within its own memory limit."""

    @wraps(method)
    def within(source: S, /, *given: P.args, **options: P.kwargs) -> R:
        with _memory.memory_limit(source.memory_limit):
            return method(source, *given, **options)

    return within


class Source(ABC):
    """A table in one file or in many, opened by `open_table`.

    It answers four questions: which `columns` there are, which `labels` some of them hold,
    which `features`, and how often each combination of labels occurs (`groups`).

    Attributes
    ----------
    name : str
        The files in words that are safe to show.
    header_guessed : str or None
        The first line of a file with one column, if it was taken as a name by a guess.
    indexed : bool
        Whether a column may be an index, by its name.
    memory_limit : str or None
        How much memory reading may take; None leaves it to `clustervet.memory_limit`.
    """

    name: str
    header_guessed: str | None = None
    indexed: bool = True
    memory_limit: str | None = None

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, Kind]:
        """The names of the columns in the order of the file, and what each holds."""

    @property
    def unmatched(self) -> Sequence[Unmatched]:
        """For files joined by an id: how many ids each file does not share with the first."""
        return ()

    @abstractmethod
    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """Columns as a matrix of numbers, and columns as labels, in one pass over the rows."""

    @abstractmethod
    def groups(
        self,
        sets: Sequence[Sequence[ColumnName]],
        weights: ColumnName | None = None,
        most: Mapping[int, int] | None = None,
    ) -> list[GroupedCounts | None]:
        """Count the combinations of each set of columns, in one scan where DuckDB reads.

        Parameters
        ----------
        sets : sequence of sequences of str
            The columns to group by; several sets are counted at once. In files joined by an
            id a column may also be named by (number of the file, name).
        weights : str, optional
            A column of weights, which are summed in each group.
        most : mapping of int to int, optional
            For some sets, by their place in `sets`, how many groups are returned at most.

        Returns
        -------
        list of GroupedCounts or None
            One item per set; None for a set with more groups than `most` allows.

        Raises
        ------
        FileError
            If a column is missing, or if a file cannot be read.
        LabelError
            If a weight is missing, negative or no number.
        """

    def absent(self, column: str) -> FileError:
        """The error for a column that the table does not have."""
        return absent_column(column, self.name, self.columns)

    def check_header(self) -> None:
        """Refuse a first line that may be names or values."""
        return

    def labels(self, names: Sequence[str]) -> dict[str, Codes]:
        """Some columns as labels.

        Parameters
        ----------
        names : sequence of str
            The columns.

        Returns
        -------
        dict of str to Codes
            The labels of every row, by the name of the column.

        Raises
        ------
        FileError
            If a column is missing, or if a file cannot be read.
        """
        self.check_header()
        return self.read((), self._known(names, "labels"))[1]

    def features(
        self,
        features: Sequence[str] | None = None,
        exclude: Sequence[str] = (),
        array: str | None = None,
        *,
        later: bool = False,
        mixed: bool = False,
    ) -> FeatureTable:
        r"""Columns of numbers as a matrix of points; or columns of any kind.

        Parameters
        ----------
        features : sequence of str, optional
            The columns to take, in order. A name with ``*``, ``?`` or ``[...]`` that no column
            has stands for the numeric columns that match. By default all numeric columns are
            taken, except those in `exclude` and an index: a column without a name, or named
            ``id``, ``index`` or as pandas names its own. True and false are 1 and 0; dates and
            times are not numbers. A column of delimited text is numeric if most of the values
            in its first thousand rows are; then all must be. Where the delimiter is no comma,
            numbers may have a decimal comma, if all of these values are such or whole numbers.
        exclude : sequence of str, optional
            Columns that are no features, such as the labels. They are read in the same pass.
        array : str, optional
            The matrix of an NPZ file or the sheet of a workbook, if it is not the one chosen when
            the file was opened.
        later : bool, default False
            Whether the matrix is read, and checked, only when it is asked for.
        mixed : bool, default False
            Whether columns of text and of dates are taken too, as Gower's distance does.

        Returns
        -------
        FeatureTable
            The matrix with its names; any column can be asked for as labels.

        Raises
        ------
        FileError
            If a column is missing, or holds a value that is missing, infinite or no number.
        ParameterError
            If a column is asked for twice, or if there are no arrays to choose from.

        Notes
        -----
        An NPZ file holds a matrix under the name `array`, or ``X``, ``data`` or ``features``,
        or as its only two-dimensional array; or a sparse matrix as `scipy.sparse.save_npz`
        writes it, or as ``data``, ``indices``, ``indptr`` and ``shape``; or one-dimensional
        arrays of equal length as columns. ``feature_names`` or ``vocab`` in it name the
        columns, ``class_names`` the numbers in ``labels`` or ``y``.

        Examples
        --------
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "points.csv")
        ...     with open(path, "w") as file:
        ...         _ = file.write("id,x,kind,y\n1,0.5,a,3\n2,1.5,b,4\n")
        ...     table = open_table(path).features(exclude=["kind"])
        ...     table.feature_names, table.left_out, table.matrix.tolist()
        (('x', 'y'), {'id': 'an index'}, [[0.5, 3.0], [1.5, 4.0]])
        """
        if array is not None:
            return self._with_array(array).features(features, exclude, later=later, mixed=mixed)
        self.check_header()
        labels = self._known(exclude, "exclude")
        taken, left_out = self.choose(features, labels, mixed=mixed)
        texts = tuple(name for name in taken if mixed and self.columns[name] in WORDS)
        found = FeatureTable(
            self.name, taken, left_out, self.header_guessed, self, tuple(labels), texts
        )
        if not later:
            found.read()
        return found

    def choose(
        self, features: Sequence[str] | None, exclude: Sequence[str] = (), *, mixed: bool = False
    ) -> tuple[Sequence[str], dict[str, str]]:
        """The columns that `features` would take, and why others are left out."""
        labels = self._known(exclude, "exclude")
        if features is None:
            return self._usual(labels, mixed)
        return self._asked(features, labels, mixed), {}

    def _with_array(self, array: str) -> Source:
        raise ParameterError(
            f"only an NPZ file has arrays to choose from, not {self.name}; only a workbook has "
            "sheets."
        )

    def _known(self, given: Sequence[str], option: str) -> list[str]:
        """Columns that the table has, each once."""
        names = list(dict.fromkeys([given] if isinstance(given, str) else given))
        for name in names:
            if not isinstance(name, str):
                raise ParameterError(f"{option} must be names of columns, not {show_label(name)}.")
            if name not in self.columns:
                raise self.absent(name)
        return names

    def _usual(
        self, labels: Sequence[str], mixed: bool = False
    ) -> tuple[Sequence[str], dict[str, str]]:
        """The numeric columns, and of each other column the reason why it is left out."""
        taken: list[str] = []
        left_out: dict[str, str] = {}
        for column, kind in self.columns.items():
            if column in labels:
                continue
            if self.indexed and INDEX.fullmatch(column.strip()):
                left_out[column] = "an index"
            elif kind.numeric or (mixed and kind in WORDS):
                taken.append(column)
            else:
                left_out[column] = str(kind)
        if not taken:
            others = [f"{show_label(name) or repr('')} ({why})" for name, why in left_out.items()]
            found = listed([*others, *(f"{show_label(name)} (excluded)" for name in labels)])
            numeric = "" if mixed else "numeric "
            raise FileError(
                f"{self.name} has no {numeric}column that could be a feature; it has {found}."
            )
        return tuple(taken), left_out

    def _asked(
        self, features: Sequence[str], labels: Sequence[str], mixed: bool = False
    ) -> Sequence[str]:
        """The columns that were asked for, patterns spelled out."""
        taken: dict[str, None] = {}
        for name in [features] if isinstance(features, str) else features:
            if name in self.columns or not PATTERN.search(str(name)):
                found = self._known([name], "features")
            else:
                usual, _ = self._usual(labels, mixed)
                found = [column for column in usual if fnmatchcase(column, name)]
                if not found:
                    raise FileError(
                        f"no numeric column of {self.name} matches {show_label(name)!r}."
                    )
                found = [column for column in found if column not in taken]
            for column in found:
                if column in labels or column in taken:
                    twice = "both a feature and a label" if column in labels else "a feature twice"
                    raise ParameterError(f"column {show_label(column)!r} is asked for as {twice}.")
            taken.update(dict.fromkeys(found))
        if not taken:
            raise ParameterError("features names no column; leave it out to take the numeric ones.")
        return tuple(taken)


def open_table(
    paths: Paths,
    *,
    id: str | None = None,
    engine: str | None = None,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    array: str | None = None,
) -> Source:
    r"""Open a table in files: delimited text, Parquet, JSON lines, Arrow, NPY, NPZ, workbooks.

    Parameters
    ----------
    paths : path or sequence of paths
        One file, a pattern, a folder, or several of them, which are the parts of one table;
        ``"-"`` is standard input. The format follows from the name of the file, or else from
        its first bytes. Text and JSON may be packed by gzip, bz2, xz or Zstandard. A sheet of
        a workbook (XLSX or ODS) is read as the delimited text that it could be saved as.
    id : str, optional
        A column that names every object. Then `paths` are different tables that are joined on
        it; the first one has the truth.
    engine : str, optional
        Who reads: ``"duckdb"``, ``"polars"``, ``"spark"``, ``"dask"``, or the address of a
        cluster such as ``"spark://host:7077"``. By default Python reads small text, and DuckDB
        the rest.
    memory_limit : str, optional
        How much memory reading may take, such as ``"4GB"``; by default that of `memory_limit`.
    delimiter : str, optional
        The character between the fields of delimited text; by default it is found out.
    header : bool, optional
        Whether the first line of delimited text names the columns. By default a file of
        several columns has a header, and a file of one column has one if its first line is no
        number and occurs nowhere else.
    array : str, optional
        The name of the matrix in an NPZ file, or of the sheet in a workbook.

    Returns
    -------
    Source
        The table, which answers for its columns, labels, features and groups.

    Raises
    ------
    FileError
        If a file cannot be read, or if the parts of a table differ.
    MemoryLimitError
        If what is asked for needs more memory than the limit.
    ParameterError
        If an option does not go with the files.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in ("1", "2"):
    ...         with open(os.path.join(folder, f"{part}.csv"), "w") as file:
    ...             _ = file.write("y,c\na,0\na,0\nb,0\n")
    ...     table = open_table(folder)
    ...     (groups,) = table.groups([("y", "c")])
    ...     list(table.columns), sorted(zip(groups.keys["y"], groups.counts.tolist()))
    (['y', 'c'], [('a', 4), ('b', 2)])
    """
    arguments = path_list(paths)
    options = Options(memory_limit, delimiter, header, array)
    if engine not in (None, "duckdb"):
        from clustervet.frames.engines import EngineFiles

        return EngineFiles(arguments, str(engine), options, id)
    if id is None:
        return FileSet(arguments, options)
    if len(arguments) < 2:
        raise ParameterError(
            Setting("id"),
            " brings files together: name the file of the truth, then those of predictions.",
        )
    return JoinedFiles([FileSet([path], options) for path in arguments], id)


@dataclass(frozen=True)
class Options:
    """How files are to be read."""

    memory_limit: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    array: str | None = None


class FileSet(Source):
    """One table in one file or many, read by Python or by DuckDB."""

    def __init__(self, arguments: Sequence[str], options: Options) -> None:
        self._arguments, self.options = arguments, options
        self.memory_limit = options.memory_limit
        self._open(arguments)

    @_limited
    def _open(self, arguments: Sequence[str]) -> None:
        """Find the files, and what their first rows hold."""
        options = self.options
        alone = len(arguments) == 1 and os.path.isfile(arguments[0])
        paths = list(arguments) if alone else find_files(arguments)
        if not paths:
            raise FileError("no file is given.")
        self.places = [find_place(path) for path in paths]
        self.format = self._checked_format()
        self.name = self.places[0].name
        if len(self.places) > 1:
            shown = show_label(arguments[0], 200)
            more = len(arguments) - 1
            self.name = f"{shown} and {more:,} more" if more else shown
        if self.format == WORKBOOK:
            given = options.array, options.header
            self.places = [sheet_text(place, *given) for place in self.places]
            self.format = TEXT
        self.files: list[Place | TextFile | ArrayFile] = list(self.places)
        if self.format == TEXT:
            texts = [open_text(place, options.delimiter, options.header) for place in self.places]
            self.files, self.header_guessed = [*texts], texts[0].header_guessed
        elif self.format == ARRAY:
            arrays = [open_arrays(place, options.array) for place in self.places]
            self.files, self.indexed = [*arrays], arrays[0].indexed

    def _checked_format(self) -> str:
        formats: dict[str, Place] = {}
        for place in self.places:
            formats.setdefault(place.format, place)
        if len(formats) > 1:
            (one, a), (two, b) = list(formats.items())[:2]
            raise FileError(
                f"{a.name} is {one} and {b.name} is {two}; the parts of a table have one format."
            )
        (found,), options, name = formats, self.options, self.places[0].name
        chosen = self.places[0].suffix == ".npz" or found == WORKBOOK
        if options.array is not None and not chosen:
            raise ParameterError(
                f"only an NPZ file has arrays to choose from, not {name}; only a workbook has "
                "sheets."
            )
        if found == WORKBOOK and options.delimiter is not None:
            raise ParameterError(f"a delimiter goes with delimited text, not with {name}.")
        given = not (options.delimiter is None and options.header is None)
        if given and found not in (TEXT, WORKBOOK):
            raise ParameterError(
                f"a delimiter and a header go with delimited text, not with {name}."
            )
        return found

    @property
    def is_light(self) -> bool:
        """Whether Python reads its labels faster than an engine is loaded."""
        if len(self.places) > 1 or not self.places[0].is_light:
            return False
        # Numbers with a decimal comma may be weights, which the engine sums as such.
        return Kind.comma not in self.columns.values()

    @property
    def delimiter(self) -> str | None:
        """The character between fields, if it is delimited text."""
        first = self.files[0]
        return first.delimiter if isinstance(first, TextFile) else None

    @cached_property
    @_limited
    def parts(self) -> Sequence[FilePart]:
        """The files as DuckDB reads them."""
        return open_parts(self.files)

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns, as the first file has them."""
        first = self.files[0]
        if isinstance(first, ArrayFile) and len(first.columns) == len(first.features):
            return first.features
        return list(self._held)

    def holds(self, name: str) -> bool:
        """Whether the first file has a column."""
        return name in self._held

    @property
    def _held(self) -> Mapping[str, Any]:
        first = self.files[0]
        return self.parts[0].types if isinstance(first, Place) else first.columns

    def _usual(
        self, labels: Sequence[str], mixed: bool = False
    ) -> tuple[Sequence[str], dict[str, str]]:
        first = self.files[0]
        if not isinstance(first, ArrayFile) or not isinstance(first.features, Numbered):
            return super()._usual(labels, mixed)
        if not first.features or any(name in first.features for name in labels):
            return super()._usual(labels, mixed)
        beside = [name for name in first.arrays if name not in labels]
        return first.features, dict.fromkeys(beside, str(Kind.beside))

    @cached_property
    @_limited
    def columns(self) -> Mapping[str, Kind]:
        """The names of the columns in the order of the file, and what each holds."""
        first = self.files[0]
        if not isinstance(first, Place):
            return first.columns
        with self.faults():
            return self.parts[0].kinds

    def absent(self, column: str) -> FileError:
        """The error for a column that the table does not have."""
        first = self.files[0]
        return first.absent(column) if isinstance(first, ArrayFile) else super().absent(column)

    def check_header(self) -> None:
        """Refuse a first line of numbers of which nobody has said what it is."""
        for file in self.files:
            if isinstance(file, TextFile):
                file.check_header()

    def _with_array(self, array: str) -> Source:
        return FileSet(self._arguments, replace(self.options, array=array))

    @_limited
    def read(self, features: Sequence[str], labels: Sequence[str]) -> tuple[Any, dict[str, Codes]]:
        """Columns as a matrix of numbers, and columns as labels, in one pass over the rows."""
        first, alone = self.files[0], len(self.files) == 1
        if alone and isinstance(first, ArrayFile):
            return first.read(features, labels)
        if alone and isinstance(first, TextFile):
            small = first.place.holds_at_most(SMALL) if features else first.place.is_light
            # Text that DuckDB may read differently is no part of its own.
            if small or len(first.columns) == 1 or not isinstance(self.parts[0], TextPart):
                return first.read(features, labels)
        try:
            return self._by_engine(self.parts, features, labels)
        except EngineError as error:
            if not isinstance(first, TextFile):
                raise self.fault(error) from None
        except NoNumberError:
            assert isinstance(first, TextFile)  # elsewhere the value has been refused
        if len(self.files) == 1:
            return first.read(features, labels)
        for file in self.files:
            assert isinstance(file, TextFile)
            file.read(features, ())  # one of them may be at fault, and says so by its line
        return self._by_engine(self.distrusted(), features, labels)

    def _by_engine(
        self, parts: Sequence[FilePart], features: Sequence[str], labels: Sequence[str]
    ) -> tuple[Any, dict[str, Codes]]:

        numbers = self.number_columns(features, parts)
        keyed = [self.column(name, parts, nested=True).as_text() for name in labels]
        codes, split = [LabelCodes(column) for column in keyed], len(features)
        rows = sum(part.rows or 0 for part in parts)
        single = bool(numbers) and numbers[0].selected[0].endswith("AS FLOAT)")
        matrix = GrowingMatrix(split, single=single, expected=rows or None)
        done = 0
        with session() as opened:
            for at, part in enumerate(parts):
                query = self.query(opened, [*numbers, *keyed], [part], at, fetched=True)
                ends, start = part.ends, done
                with closing(opened.batches(*query)) as stream:
                    for length, values in watched(stream, self.name, self.size, rows or None):
                        ends -= int(values.pop().sum()) if part.trailing is not None else 0
                        try:
                            matrix.extend(values[:split], length)
                        except NoNumberError as found:
                            if self.format == TEXT:
                                raise
                            wrong = found
                            break
                        for one, block in zip(codes, values[split:], strict=False):
                            one.add(block)
                        done += length
                    else:
                        wrong = None
                if wrong is not None:
                    name = features[wrong.column]
                    value = self._value(opened, part, name, wrong.row - start)
                    raise refused_value(name, self.name, f"row {wrong.row + 1}", value)
                if ends:
                    raise EngineError("a line ends in a delimiter too many")
        if not done:
            raise FileError(f"{self.name} has no rows.")
        return matrix.finished(), dict(zip(labels, (one.codes() for one in codes), strict=True))

    def _value(self, opened: Session, part: FilePart, name: str, row: int) -> str | None:
        """A value as text."""
        shown = "({} ->> '$')" if part.declared(name) == "JSON" else "CAST({} AS VARCHAR)"
        sql, given = part.select(opened, [name], [shown])
        found: str | None = opened.rows(f"{sql} LIMIT 1 OFFSET {row:d}", given)[0][0]
        return found

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(place.size for place in self.places)

    def column(
        self, name: str, parts: Sequence[FilePart] | None = None, *, nested: bool = False
    ) -> Column:
        """A column that every part has, of one kind."""
        held = self.parts if parts is None else parts
        declared = [(part.name, part.declared(name)) for part in held]
        return column_of(name, self.name, declared, nested=nested)

    def _weight(self, name: str, parts: Sequence[FilePart]) -> Column:
        """A column of weights; those with a decimal comma become numbers."""
        column = self.column(name, parts)
        commas = [part.declared(name) == COMMA for part in parts]
        chosen = [
            with_point(one) if comma else one
            for one, comma in zip(column.selected, commas, strict=True)
        ]
        return replace(column, selected=chosen)

    def number_columns(self, names: Sequence[str], parts: Sequence[FilePart]) -> list[Column]:
        """Columns of numbers, of single precision where all of them are."""
        declared = {name: [part.declared(name) for part in parts] for name in names}
        single = all(kind == "FLOAT" for kinds in declared.values() for kind in kinds)
        target, columns = "FLOAT" if single else "DOUBLE", []
        for name, kinds in declared.items():
            known = [self.columns[name] if kind in AS_FILED else kind_of(kind) for kind in kinds]
            chosen = [number_of(a, b, target) for a, b in zip(kinds, known, strict=True)]
            columns.append(Column(name, Form.real, chosen, "{}", self.name))
        return columns

    def query(
        self,
        opened: Session,
        columns: Sequence[Column],
        parts: Sequence[FilePart],
        first: int = 0,
        *,
        fetched: bool = False,
        checked: bool = True,
    ) -> Query:
        """Columns of some parts as k0, k1, ...; checked, z counts delimiters at ends of lines.

        `first` is the place of the first of these parts among all parts.
        """
        texts, parameters = [], []
        trusted = all(part.trailing is None for part in parts)
        for at, part in enumerate(parts, first):
            more = f", CAST({part.trailing or 0} AS BIGINT) AS z"
            chosen = [
                one.fetched.replace("{}", one.selected[at]) if fetched else one.selected[at]
                for one in columns
            ]
            names = [column.name for column in columns]
            sql, given = part.select(opened, names, chosen, more if checked and not trusted else "")
            texts.append(sql)
            parameters += given
        return " UNION ALL ".join(texts), parameters

    def distrusted(self) -> Sequence[FilePart]:
        """The files of delimited text as Python reads them."""
        return [python_part(file) for file in self.files if isinstance(file, TextFile)]

    @_limited
    def groups(
        self,
        sets: Sequence[Sequence[ColumnName]],
        weights: ColumnName | None = None,
        most: Mapping[int, int] | None = None,
    ) -> list[GroupedCounts | None]:
        """Count the combinations of each set of columns, in one scan; see `Source.groups`."""
        bounds = most or {}
        names = dict.fromkeys(name for one in sets for name in one)
        if len(names) > MOST_NAMES and len(sets) > 1:
            middle = len(sets) // 2
            later = {at - middle: bound for at, bound in bounds.items()}
            return [
                *self.groups(sets[:middle], weights, bounds),
                *self.groups(sets[middle:], weights, later),
            ]
        try:
            return self._grouped(self.parts, [*names], sets, weights, bounds)
        except EngineError as error:
            if self.format != TEXT:
                raise self.fault(error) from None
        with self.faults():
            return self._grouped(self.distrusted(), [*names], sets, weights, bounds)

    def _grouped(
        self,
        parts: Sequence[FilePart],
        names: Sequence[Any],
        sets: Sequence[Sequence[Any]],
        weights: Any,
        most: Mapping[int, int],
    ) -> list[GroupedCounts | None]:

        columns = {name: self.column(name, parts) for name in names}
        weight = None if weights is None else self._weight(weights, parts)
        grouping = Grouping(columns, sets, weight)
        checked = any(part.trailing is not None for part in parts)
        with session(ordered=False) as opened:
            chosen = [*columns.values(), *([weight] if weight else [])]
            query = self.query(opened, chosen, parts)
            grouping.stage(opened, query, self.size, checked=checked)
            if grouping.total(opened, "z") != sum(part.ends for part in parts):
                raise EngineError("a line ends in a delimiter too many")
            if self.format == JSON and grouping.total(opened, "n", where=grouping.absent()):
                check_json_lines(self.places)
            if not grouping.total(opened, "n"):
                raise FileError(f"{self.name} has no rows.")
            return [grouping.fetch(opened, one, most.get(at)) for at, one in enumerate(sets)]

    @contextmanager
    def faults(self) -> Iterator[None]:
        """Say what the engine says in one sentence about a file."""
        try:
            yield
        except EngineError as error:
            raise self.fault(error) from None

    def fault(self, error: EngineError) -> FileError:
        """What the engine said about a file, in one sentence."""
        check_json_lines(self.places)
        return engine_fault(error, self.places, self.format)


class JoinedFiles(Source):
    """Tables of the same objects in different files, joined on an id; the first has the truth."""

    def __init__(self, tables: Sequence[FileSet], id: str) -> None:
        self.tables, self.id = tables, id
        self.name, self.memory_limit = tables[0].name, tables[0].memory_limit
        self._unmatched: list[Unmatched] | None = None
        for table in tables:
            table.column(id)

    @cached_property
    def columns(self) -> Mapping[str, Kind]:
        """The columns of all files, and what each holds."""
        found: dict[str, Kind] = {}
        for table in self.tables:
            found = {**table.columns, **found}
        return found

    @property
    def unmatched(self) -> Sequence[Unmatched]:
        """How many ids each file does not share with the first."""
        if self._unmatched is None:
            self.groups([])
        return self._unmatched or ()

    @cached_property
    @_limited
    def _parts(self) -> list[Sequence[FilePart]]:
        """The parts of each file, once its ids are known to differ."""
        return [self._checked(table, table.parts) for table in self.tables]

    def _checked(self, table: FileSet, parts: Sequence[FilePart]) -> Sequence[FilePart]:
        """Parts whose ids differ; text that the engine misreads is read by Python."""
        (column,) = id_columns([table.column(self.id, parts)])
        try:
            with session(ordered=False) as opened:
                sql, given = table.query(opened, [column], parts)
                checked = any(part.trailing is not None for part in parts)
                ends = "coalesce(sum(z), 0)" if checked else "0"
                counted = f"SELECT count(*), count(k0), {ends} FROM ({sql})"
                rows, known, found = opened.rows(counted, given)[0]
                if int(found) != sum(part.ends for part in parts):
                    raise EngineError("a line ends in a delimiter too many")
                twice = f"SELECT CAST(k0 AS VARCHAR), count(*) AS n FROM ({sql}) GROUP BY k0 "
                twice += "HAVING count(*) > 1 ORDER BY n DESC, 1 LIMIT 1"
                repeated = opened.rows(twice, given)
        except EngineError as error:
            if table.format != TEXT or parts is not table.parts:
                raise table.fault(error) from None
            return self._checked(table, table.distrusted())
        shown = show_label(self.id)
        if not rows:
            raise FileError(f"{table.name} has no rows.")
        if known < rows:
            raise FileError(f"{table.name} has {rows - known:,} rows without an id in {shown!r}.")
        if repeated:
            text, times = repeated[0]
            raise FileError(
                f"id {show_label(text)!r} stands {times:,} times in column {shown!r} of "
                f"{table.name}; an id names one object."
            )
        return parts

    def place(self, name: ColumnName) -> tuple[int, str]:
        """The number of the file that has a column, and the name of the column there."""
        if isinstance(name, tuple):
            return name
        holders = [at for at, table in enumerate(self.tables) if table.holds(name)]
        if len(holders) > 1 and name != self.id:
            raise FileError(
                f"column {show_label(name)!r} is in {self.tables[holders[0]].name} and in "
                f"{self.tables[holders[1]].name}; rename one."
            )
        if not holders:
            raise self.absent(name)
        return holders[0], name

    @_limited
    def read(
        self, features: Sequence[str], labels: Sequence[ColumnName]
    ) -> tuple[Any, dict[Any, Codes]]:
        """Columns of the objects that all files have, ordered by id: as numbers or as text."""
        placed = [self.place(name) for name in (*features, *labels)]
        owners = [at for at, _ in placed]
        columns = []
        for at, own in placed[: len(features)]:
            columns += self.tables[at].number_columns([own], self._parts[at])
        for at, own in placed[len(features) :]:
            column = self.tables[at].column(own, self._parts[at], nested=True)
            columns.append(column.as_text())
        with self.tables[0].faults(), session() as opened:
            sql, given = self._query(opened, columns, owners)
            held = " AND ".join(f"h{at}" for at in range(len(self.tables)))
            chosen = [one.fetched.replace("{}", f"k{at}") for at, one in enumerate(columns)]
            asked = f"SELECT {', '.join(chosen)} FROM ({sql}) WHERE {held} ORDER BY i"
            found = opened.gather(asked, len(columns), given)
        codes = [LabelCodes(column) for column in columns[len(features) :]]
        for one, values in zip(codes, found[len(features) :], strict=True):
            one.add(values)
        matrix = GrowingMatrix(len(features), expected=len(found[0]))
        try:
            matrix.extend(found[: len(features)], len(found[0]))
        except NoNumberError as wrong:
            row, owner = f"row {wrong.row + 1} in the order of ids", owners[wrong.column]
            own = placed[wrong.column][1]
            raise refused_value(own, self.tables[owner].name, row, None) from None
        return matrix.finished(), dict(zip(labels, (one.codes() for one in codes), strict=True))

    def labelled(self, truth: ColumnName, pred: ColumnName) -> tuple[Codes, Codes, list[Any]]:
        """Classes, clusters and ids of the objects that the files of two columns have in common."""
        (first, own), (second, other) = self.place(truth), self.place(pred)
        kept = list(dict.fromkeys((first, second)))
        pair = JoinedFiles([self.tables[at] for at in kept], self.id)
        places = [(0, self.id), (0, own), (kept.index(second), other)]
        codes = pair.read((), list(dict.fromkeys(places)))[1]
        named, classes, clusters = (codes[place] for place in places)
        return classes, clusters, list(named.restore(named.values))

    @_limited
    def groups(
        self,
        sets: Sequence[Sequence[ColumnName]],
        weights: ColumnName | None = None,
        most: Mapping[int, int] | None = None,
    ) -> list[GroupedCounts | None]:
        """Count combinations over the objects that the files of a set have in common."""
        names = dict.fromkeys(name for one in sets for name in one)
        placed = {name: self.place(name) for name in names}
        columns = {
            name: self.tables[at].column(own, self._parts[at]) for name, (at, own) in placed.items()
        }
        holders: dict[Any, int] = {name: at for name, (at, _) in placed.items()}
        weight, held = None, tuple(f"h{at}" for at in range(len(self.tables)))
        if weights is not None:
            at, own = self.place(weights)
            weight, holders[None] = self.tables[at]._weight(own, self._parts[at]), at
        grouping = Grouping(columns, sets, weight, holders, [held])
        chosen = [*columns.values(), *([weight] if weight else [])]
        size = sum(one.size for one in self.tables)
        with self.tables[0].faults(), session(ordered=False) as opened:
            query = self._query(opened, chosen, list(holders.values()))
            grouping.stage(opened, query, size)
            self._unmatched = self._find_unmatched(opened, grouping, held)
            bounds = most or {}
            return [grouping.fetch(opened, one, bounds.get(at)) for at, one in enumerate(sets)]

    def _query(self, opened: Session, columns: Sequence[Column], owners: Sequence[int]) -> Query:
        """All tables side by side: their columns, the id, and which of them have the row."""
        tables = list(zip(self.tables, self._parts, strict=True))
        ids = id_columns([table.column(self.id, parts) for table, parts in tables])
        chosen = [""] * len(columns)
        sources: list[str] = []
        parameters: list[Any] = []
        for at, (table, parts) in enumerate(tables):
            mine = [place for place, owner in enumerate(owners) if owner == at]
            asked = [ids[at], *(columns[place] for place in mine)]
            sql, given = table.query(opened, asked, parts, checked=False)
            for k, place in enumerate(mine, 1):
                chosen[place] = f"s{at}.k{k} AS k{place}"
            parameters += given
            before = ", ".join(f"s{k}.k0" for k in range(at))
            known = f"coalesce({before})" if at > 1 else before
            on = f" ON {known} = s{at}.k0" if at else ""
            sources.append(f"{'FULL JOIN ' if at else ''}({sql}) AS s{at}{on}")
        held = [f"s{at}.k0 IS NOT NULL AS h{at}" for at in range(len(tables))]
        every = ", ".join([*chosen, "s0.k0 AS i", *held])
        return f"SELECT {every} FROM {' '.join(sources)}", parameters

    def _find_unmatched(
        self, opened: Session, grouping: Grouping, held: tuple[str, ...]
    ) -> list[Unmatched]:
        """How many ids the first table and each other table do not share."""
        found = []
        first = self.tables[0].name
        for at, table in enumerate(self.tables[1:], 1):
            left, right, both = (
                grouping.total(opened, "n", held, where)
                for where in (f"h0 AND NOT h{at}", f"h{at} AND NOT h0", f"h0 AND h{at}")
            )
            if not both:
                raise FileError(f"no id of {table.name} is in {first}.")
            found.append(Unmatched(first, table.name, left, right))
        return found
