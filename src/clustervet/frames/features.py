"""Feature tables: a matrix of points, and the label columns beside it, from one file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from clustervet.errors import FileError, ParameterError
from clustervet.frames.source import Kind, Source, find_place, listed
from clustervet.labels import Codes, show_label

# What pandas calls its index in files, and what people call theirs.
INDEX = re.compile(r"|id|index|unnamed: \d+|__index_level_\d+__", re.IGNORECASE)
PATTERN = re.compile(r"[*?\[]")
MAGIC = {b"PAR1": ".parquet", b"ARRO": ".arrow", b"\x93NUM": ".npy", b"PK\x03\x04": ".npz"}


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Points and their labels, as one file holds them.

    `matrix` has a row a point and a column a feature: a C-contiguous array of float64, or of
    float32 where the file has that alone, or a sparse `csr_array`. `left_out` says of
    every column that was left out although no features were named why that is.
    """

    name: str
    matrix: Any = field(repr=False)
    feature_names: tuple[str, ...]
    columns: tuple[str, ...]
    left_out: Mapping[str, str]
    header_guessed: str | None
    _source: Source = field(repr=False)
    _labels: dict[str, Codes] = field(repr=False)

    def labels(self, name: str) -> Codes:
        """Any column of the file, or any one-dimensional array of it, as labels."""
        if name not in self._labels:
            if name not in self.columns:
                raise self._source.absent(name)
            self._labels.update(self._source.read((), [name])[1])
        codes = self._labels[name]
        if len(codes) != self.matrix.shape[0]:
            raise FileError(f"{self.name} has changed while it was read.")
        return codes


def read_features(
    path: str | os.PathLike[str],
    *,
    features: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    array: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
) -> FeatureTable:
    r"""Read points from delimited text, Parquet, JSON lines, Arrow, NPY or NPZ.

    The format follows from the name of the file, or else from its first bytes; delimited text
    may be gzipped, and "-" is standard input. `features` names the columns to take, in order; a
    name with `*`, `?` or `[...]` that no column has stands for the numeric columns that match.
    Without it all numeric columns are taken but those in `exclude` (the labels) and an index: a
    column without a name or named `id`, `index` or as pandas names its own. True and false are
    numbers, 1 and 0; dates and times are not. A column of delimited text is numeric if most of
    the values in its first thousand rows are; then all must be.

    An NPZ file holds a matrix under the name `array`, or `X`, `data` or `features`, or as its
    only two-dimensional array; or a sparse matrix as `scipy.sparse.save_npz` writes it or as
    `data`, `indices`, `indptr` and `shape`; or one-dimensional arrays of equal length as
    columns. `feature_names` or `vocab` in it name the columns, `class_names` the numbers in
    `labels` or `y`.

    Labels mean what `read_text_table` makes of the same file. Missing and infinite values in
    features are refused.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "points.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("id,x,kind,y\n1,0.5,a,3\n2,1.5,b,4\n")
    ...     table = read_features(path, exclude=["kind"])
    ...     table.feature_names, table.left_out, table.matrix.tolist()
    (('x', 'y'), {'id': 'an index'}, [[0.5, 3.0], [1.5, 4.0]])
    """
    source = open_table(path, array, delimiter, header)
    labels = _names(exclude, "exclude", source)
    taken, left_out = (
        _usual(source, labels) if features is None else (_asked(source, features, labels), {})
    )
    try:
        matrix, codes = source.read(taken, labels)
    except MemoryError:
        raise FileError(
            f"the {len(taken):,} features of {source.name} do not fit into memory."
        ) from None
    return FeatureTable(
        source.name,
        matrix,
        tuple(taken),
        tuple(source.kinds),
        left_out,
        source.header_guessed,
        source,
        codes,
    )


@dataclass(frozen=True)
class ChosenFeatures:
    """Columns of a file that are features, and why the others were left out."""

    feature_names: tuple[str, ...]
    left_out: Mapping[str, str]
    separator: str | None  # of delimited text


def choose_features(
    path: str | os.PathLike[str], features: Sequence[str] | None, exclude: Sequence[str] = ()
) -> ChosenFeatures:
    """The columns that `read_features` would take, without their values."""
    source = open_table(path, None, None, None)
    labels = _names(exclude, "exclude", source)
    separator = getattr(source, "delimiter", None)
    # An engine reads words of delimited text as they are.
    words = {Kind.boolean} if separator is not None else set()
    if features is None:
        taken, left_out = _usual(source, labels)
        left_out |= {name: "true and false" for name in taken if source.kinds[name] in words}
        kept = tuple(name for name in taken if name not in left_out)
        return ChosenFeatures(kept, left_out, separator)
    taken = _asked(source, features, labels)
    for name in taken:
        kind = source.kinds[name]
        if not kind.numeric or kind in words:
            raise FileError(
                f"column {show_label(name)!r} of {source.name} is {kind.partition(',')[0]}, not "
                "numbers."
            )
    return ChosenFeatures(tuple(taken), {}, separator)


def open_table(
    path: str | os.PathLike[str], array: str | None, delimiter: str | None, header: bool | None
) -> Source:
    """The file as a source of columns, by its format; readers are loaded when needed."""
    place = find_place(path)
    suffix = place.suffix
    typed = (".parquet", ".pq", ".parq", ".jsonl", ".ndjson", ".json", ".arrow", ".feather", ".ipc")
    if suffix not in (*typed, ".npy", ".npz", ".csv", ".tsv", ".tab", ".txt", ".dat"):
        suffix = MAGIC.get(place.start[:4], suffix)
    if array is not None and suffix != ".npz":
        raise ParameterError(f"only an NPZ file has arrays to choose from, not {place.name}.")
    if suffix in (*typed, ".npy", ".npz") and not (delimiter is None and header is None):
        raise ParameterError(
            f"a delimiter and a header go with delimited text, not with {place.name}."
        )
    if suffix in typed:
        from clustervet.frames.typed import FORMATS, open_typed

        return open_typed(place, FORMATS[suffix])
    if suffix in (".npy", ".npz"):
        from clustervet.frames.arrays import open_npy, open_npz

        return open_npy(place) if suffix == ".npy" else open_npz(place, array)
    from clustervet.frames.delimited import open_delimited

    return open_delimited(place, delimiter, header)


def _names(given: Sequence[str], option: str, source: Source) -> list[str]:
    """Columns that the file has, each once."""
    names = list(dict.fromkeys([given] if isinstance(given, str) else given))
    for name in names:
        if not isinstance(name, str):
            raise ParameterError(f"{option} must be names of columns, not {show_label(name)}.")
        if name not in source.kinds:
            raise source.absent(name)
    return names


def _usual(source: Source, labels: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The numeric columns, and of each other column the reason why it is left out."""
    taken: list[str] = []
    left_out: dict[str, str] = {}
    for column, kind in source.kinds.items():
        if column in labels:
            continue
        if source.indexed and INDEX.fullmatch(column.strip()):
            left_out[column] = "an index"
        elif kind.numeric:
            taken.append(column)
        else:
            left_out[column] = str(kind)
    if not taken:
        others = [f"{show_label(column) or repr('')} ({why})" for column, why in left_out.items()]
        found = listed([*others, *(f"{show_label(column)} (excluded)" for column in labels)])
        raise FileError(
            f"{source.name} has no numeric column that could be a feature; it has {found}."
        )
    return taken, left_out


def _asked(source: Source, features: Sequence[str], labels: Sequence[str]) -> list[str]:
    """The columns that were asked for, patterns spelled out."""
    taken: dict[str, None] = {}
    for name in [features] if isinstance(features, str) else features:
        if name in source.kinds or not PATTERN.search(str(name)):
            found = _names([name], "features", source)
        else:
            usual, _ = _usual(source, labels)
            found = [column for column in usual if fnmatchcase(column, name)]
            if not found:
                raise FileError(f"no numeric column of {source.name} matches {show_label(name)!r}.")
            found = [column for column in found if column not in taken]
        for column in found:
            if column in labels or column in taken:
                twice = "both a feature and a label" if column in labels else "a feature twice"
                raise ParameterError(f"column {show_label(column)!r} is asked for as {twice}.")
        taken.update(dict.fromkeys(found))
    if not taken:
        raise ParameterError("features names no column; leave it out to take the numeric ones.")
    return list(taken)
