"""Names of columns as people write them: separated by commas, or patterns."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from clustervet.errors import FileError
from clustervet.frames.places import is_many
from clustervet.frames.source import INDEX, PATTERN, open_table
from clustervet.labels import show_label


def spelled_columns(
    names: Sequence[str], files: Sequence[str], beside: Sequence[str] = (), **reading: Any
) -> list[str]:
    r"""Return the columns that names stand for.

    Parameters
    ----------
    names : sequence of str
        Names, names separated by commas, or patterns with ``*``, ``?`` or ``[...]``. A column that
        is called so itself comes first.
    files : sequence of str
        The files that may have the columns.
    beside : sequence of str, optional
        Columns that no pattern stands for, such as the truth.
    **reading
        How the files are read; see `open_table`.

    Returns
    -------
    list of str
        The columns in the order of the names, those of a pattern in the order of the file. A name
        that is no pattern is returned even if no file has it.

    Raises
    ------
    FileError
        If a pattern matches no column.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "runs.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,run1,run2,other\na,0,0,0\n")
    ...     spelled_columns(["other", "run*"], [path]), spelled_columns(["y,other"], [path])
    (['other', 'run1', 'run2'], ['y', 'other'])
    """
    if not any("," in name or PATTERN.search(name) for name in names):
        return list(names)
    if "-" in files:  # which can be read but once
        if any(map(PATTERN.search, names)):
            raise FileError("columns of standard input are named in full, without patterns.")
        return [part for name in names for part in map(str.strip, name.split(",")) if part]
    tables = [files] if any(map(is_many, files)) else [[path] for path in files]
    sources = [open_table(table, **reading) for table in tables]
    columns = list(dict.fromkeys(name for source in sources for name in source.columns))
    found: list[str] = []
    for name in names:
        for part in [name] if name in columns else name.split(","):
            plain = part if part in columns else part.strip()
            if plain in columns or not PATTERN.search(plain):
                found += [plain] if plain else []
                continue
            matches = [
                column
                for column in columns
                if fnmatchcase(column, plain)
                and column not in beside
                and not INDEX.fullmatch(column.strip())
            ]
            if not matches:
                held = sources[0].name if len(sources) == 1 else "the files"
                raise FileError(f"no column of {held} matches {show_label(plain)!r}.")
            found += [column for column in matches if column not in found]
    return found
