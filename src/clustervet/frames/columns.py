"""What columns hold, as features and as labels, and how blocks of them are gathered."""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum
from itertools import count, islice
from sys import getsizeof
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import need, room
from clustervet.errors import FileError, Setting
from clustervet.labels import Codes, read_labels, show_label

# What common writers put for a missing value into delimited text.
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "<NA>", "null", "NULL", "None"})
# The type of a column of delimited text, in which these words mean that a value is missing.
DELIMITED = "TEXT"
# The same for a column of numbers with a decimal comma, and what one of them is.
COMMA = "TEXT OF COMMAS"
COMMA_NUMBER = r"[+-]?(?:[0-9]+(?:,[0-9]+)?|,[0-9]+)(?:[eE][+-]?[0-9]+)?"
WHOLE = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?")
NUMBER = re.compile(r"DOUBLE|U?HUGEINT|BIGNUM|DECIMAL.*|" + WHOLE.pattern)
# A decimal of at most 15 digits is exact as a float.
SHORT = re.compile(r"FLOAT|DOUBLE|DECIMAL\(([1-9]|1[0-5]),\d+\)")
LARGE = re.compile(r"UBIGINT|U?HUGEINT|BIGNUM")
DATE = re.compile(r"DATE|TIME.*|INTERVAL")
MOMENT = re.compile(r"TIMESTAMP(_S|_MS)?")
AS_TEXT = re.compile(r"UUID|BLOB|BIT|TIME.*|INTERVAL|DECIMAL.*|BIGNUM")
# A whole float reads as the same number without a point.
PLAIN_NUMBER = (
    "CASE WHEN {} = trunc({}) AND abs({}) < 1e38 THEN CAST(CAST({} AS HUGEINT) AS VARCHAR) "
    "ELSE CAST({} AS VARCHAR) END"
)


# Names that are compared with one that is unknown, at most.
COMPARED = 10_000
# Rows and bytes that a matrix of unknown length starts with, at most.
ROWS, BYTES = 16_384, 2**26
# Bytes that a text held once takes beside its letters, in a dict and in a list.
ENTRY = 200


class Kind(StrEnum):
    """What a column holds as a feature; the value is the reason to leave it out."""

    number = "numbers"
    single = "numbers of single precision"
    comma = "numbers with a decimal comma"
    boolean = "true and false, taken as 1 and 0"
    text = "text"
    date = "dates or times"
    empty = "empty"
    other = "neither numbers nor text"
    beside = "an array beside the matrix"

    @property
    def numeric(self) -> bool:
        """Whether a column of this kind can be a feature without being asked for."""
        return self in (Kind.number, Kind.single, Kind.comma, Kind.boolean)


class Form(StrEnum):
    """What a column holds as labels."""

    whole = "whole numbers"
    real = "real numbers"
    number = "numbers"
    boolean = "true and false"
    text = "text"
    delimited = "text of a delimited file"
    date = "dates"
    moment = "dates with times"
    json = "JSON values"
    empty = "nothing"


def kind_of(declared: str) -> Kind:
    """What a column of a type of DuckDB holds as a feature."""
    if declared == "FLOAT":
        return Kind.single
    if NUMBER.fullmatch(declared):
        return Kind.number
    if declared == "BOOLEAN":
        return Kind.boolean
    if declared in ("VARCHAR", "JSON", "UUID") or declared.startswith("ENUM("):
        return Kind.text
    if DATE.fullmatch(declared):
        return Kind.date
    return Kind.empty if declared == '"NULL"' else Kind.other


def number_of(declared: str, kind: Kind, target: str = "DOUBLE") -> str:
    """A column as a number in SQL, NULL where it is none; `{}` stands for the column."""
    if declared == COMMA:
        text = with_point("{}")
        return f"CASE WHEN {text} IS NOT NULL THEN TRY_CAST({text} AS DOUBLE) END"
    if declared == DELIMITED:
        if kind is Kind.boolean:
            return "CASE lower({}) WHEN 'true' THEN 1.0::DOUBLE WHEN 'false' THEN 0.0 END"
        # A bare TRY_CAST moves into the engine's reader of CSV and fails there.
        return "CASE WHEN {} IS NOT NULL THEN TRY_CAST({} AS DOUBLE) END"
    if declared == "JSON":
        text = "({} ->> '$')"
        inner = f"TRY_CAST({text} AS BOOLEAN)" if kind is Kind.boolean else text
        return f"TRY_CAST({inner} AS {target})"
    return f"TRY_CAST({'{}' if kind.numeric else 'CAST({} AS VARCHAR)'} AS {target})"


def with_point(column: str) -> str:
    """A number with a decimal comma as one with a point in SQL; NULL for another text."""
    number = f"regexp_full_match({column}, '{COMMA_NUMBER}')"
    return f"CASE WHEN {number} THEN replace({column}, ',', '.') END"


@dataclass(frozen=True)
class Column:
    """A column as the parts of a table have it: what to select in each, and what to fetch."""

    name: str
    form: Form
    selected: Sequence[str]
    fetched: str
    table: str

    @property
    def what(self) -> str:
        """The column in the words of messages."""
        return f"column {show_label(self.name)!r} of {self.table}"

    def keys(self, values: Any) -> Any:
        """Fetched values as labels; None and masked ones are missing."""
        if isinstance(values, np.ndarray):
            return values.astype(bool) if self.form is Form.boolean else values
        if self.form is Form.json:
            return _json_keys(values, self.what)
        decode: Callable[[str], Any] | None = {
            Form.whole: _number,
            Form.number: _number,
            Form.delimited: _field,
            Form.date: _date,
            Form.moment: _moment,
        }.get(self.form)
        if decode is None:
            return values
        known = {text: None if text is None else decode(text) for text in set(values)}
        return [known[text] for text in values]

    def codes(self, values: Any) -> Codes:
        """Fetched values, as an array or as (codes, distinct texts), as codes of labels."""
        if isinstance(values, np.ndarray):
            return read_labels(self.keys(values), self.what)
        places, texts = values
        side = read_labels(self.keys(texts), self.what)
        gone = None if side.missing is None else side.missing[places]
        return replace(side, values=side.values[places], missing=gone)

    def as_text(self) -> Column:
        """The same with dates as text."""
        dates = self.form in (Form.date, Form.moment)
        return replace(self, form=Form.text) if dates else self


def column_of(name: str, table: str, parts: Sequence[tuple[str, str]], *, nested: bool) -> Column:
    """A column of a table, whose parts are given by their names and the types that they declare.

    Parts that disagree about the column are refused, as are nested values unless they may be
    read as text.
    """
    declared = [kind for _, kind in parts]
    forms = [_form(kind, name, part, nested) for part, kind in parts]
    known = {form: part for form, (part, _) in zip(forms, parts, strict=True) if form != Form.empty}
    if known.keys() == {Form.whole, Form.real}:
        selected = [_select_number(form, kind) for form, kind in zip(forms, declared, strict=True)]
        return Column(name, Form.number, selected, "{}", table)
    if len(known) > 1:
        (one, here), (two, there) = list(known.items())[:2]
        raise FileError(
            f"column {show_label(name)!r} is {one} in {here} and {two} in {there}; the parts of a "
            "table agree about their columns."
        )
    form = next(iter(known), Form.empty)
    common = declared[0] if len(set(declared)) == 1 else _common(form, declared)
    cast = "{}" if len(set(declared)) == 1 else f"CAST({{}} AS {common})"
    return Column(name, form, [cast] * len(parts), _fetched(form, common), table)


def _form(declared: str, name: str, part: str, nested: bool) -> Form:
    plain = {
        DELIMITED: Form.delimited,
        COMMA: Form.delimited,
        "HUGEINT": Form.whole,
        "UHUGEINT": Form.whole,
        "VARCHAR": Form.text,
        "BOOLEAN": Form.boolean,
        "JSON": Form.json,
        '"NULL"': Form.empty,
        "DATE": Form.date,
    }
    if declared in plain:
        return plain[declared]
    if WHOLE.fullmatch(declared):
        return Form.whole
    if SHORT.fullmatch(declared):
        return Form.real
    if MOMENT.fullmatch(declared):
        return Form.moment
    flat = AS_TEXT.fullmatch(declared) and not declared.endswith("]")
    if nested or flat or declared.startswith("ENUM("):
        return Form.text
    raise FileError(
        f"column {show_label(name)!r} of {part} holds nested values of type "
        f"{show_label(declared, 60)}, which cannot be labels."
    )


def _common(form: Form, declared: Sequence[str]) -> str:
    if form is Form.whole:
        return "HUGEINT" if any(map(LARGE.fullmatch, declared)) else "BIGINT"
    plain = {Form.real: "DOUBLE", Form.boolean: "BOOLEAN", Form.date: "DATE", Form.json: "JSON"}
    return plain.get(form, "TIMESTAMP" if form is Form.moment else "VARCHAR")


def _fetched(form: Form, declared: str) -> str:
    """A column in one of the types that are fetched."""
    if declared == "UBIGINT":
        return "{}"
    if form in (Form.whole, Form.boolean) and not LARGE.fullmatch(declared):
        return "CAST({} AS BIGINT)"
    return "CAST({} AS DOUBLE)" if form is Form.real else "CAST({} AS VARCHAR)"


def _select_number(form: Form, declared: str) -> str:
    if form is not Form.real:
        return "CAST({} AS VARCHAR)"
    long = declared.startswith("DECIMAL")
    return PLAIN_NUMBER.replace("{}", "{}::DOUBLE") if long else PLAIN_NUMBER


def _field(text: str) -> str | None:
    return None if text in MISSING else text


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _date(text: str, read: Callable[[str], Any] = date.fromisoformat) -> Any:
    try:
        return read(text)
    except ValueError:  # a year beyond Python's
        return text


def _moment(text: str) -> Any:
    return _date(text, datetime.fromisoformat)


def _json_keys(values: Sequence[str | None], what: str) -> list[Any]:
    """JSON values as labels; where texts stand among numbers, all are texts."""
    try:
        known = {text: None if text is None else json.loads(text) for text in set(values)}
    except ValueError:  # Python reads no whole number of more than some thousand digits
        raise FileError(
            f"{what} holds a whole number of more than {sys.get_int_max_str_digits():,} digits, "
            "which cannot be a label; write it as text."
        ) from None
    kinds = {type(value) for value in known.values()} - {type(None)}
    if kinds & {list, dict}:
        raise FileError(f"{what} holds nested values, which cannot be labels.")
    if len(kinds) > 1 and kinds != {int, float}:
        known = {
            text: value if value is None or isinstance(value, str) else text
            for text, value in known.items()
        }
    return [known[text] for text in values]


def id_columns(columns: Sequence[Column]) -> list[Column]:
    """Columns of ids in types that compare: all whole numbers, or all text."""
    whole = all(column.form is Form.whole for column in columns)
    return [
        replace(
            column,
            selected=[_id(column.form, one, whole=whole) for one in column.selected],
            fetched="CAST({} AS VARCHAR)",
        )
        for column in columns
    ]


def _id(form: Form, selected: str, *, whole: bool) -> str:
    if whole:
        return f"CAST({selected} AS HUGEINT)"
    if form is Form.json:
        return f"({selected} ->> '$')"
    if form is Form.real:
        return PLAIN_NUMBER.replace("{}", f"({selected})::DOUBLE")
    return f"CAST({selected} AS VARCHAR)"


def check_unique(names: Sequence[str], name: str) -> None:
    """Refuse two columns of one name."""
    for column, times in Counter(names).items():
        if times > 1:
            raise FileError(
                f"{name} has {times} columns named {show_label(column)!r}; names must be unique."
            )


def absent_column(column: str, name: str, known: Iterable[str]) -> FileError:
    """The refusal of a column that is not there; the nearest name is suggested."""
    names = list(known)
    if len(names) == 1 and column in names[0].split(" "):
        parts = f"; its only column is {show_label(names[0])!r}: if blanks are between its fields, "
        return FileError(
            f"{name} has no column {show_label(column)!r}{parts}say so by ",
            Setting("delimiter"),
            " ' '.",
        )
    near = difflib.get_close_matches(column, names[:COMPARED], n=1)
    held = f"its columns are {listed(names)}." if names else "it has no columns at all."
    hint = f"did you mean {show_label(near[0])}?" if near else held
    return FileError(f"{name} has no column {show_label(column)!r}; {hint}")


def refused_value(column: str, name: str, place: str, value: Any, comma: bool = False) -> FileError:
    """The refusal of a value that is no finite number, with the place where it stands.

    `comma` tells that numbers of the column have a decimal comma.
    """
    what = f"column {show_label(column)!r} of {name}"
    hint = "mend it, or leave the column out."
    if value is None or (isinstance(value, str) and value in MISSING) or value != value:
        return FileError(f"{what} has no value in {place}; {hint}")
    shown = show_label(value)
    if comma:
        return FileError(
            f"{what} holds {shown!r} in {place}, which is no number with a decimal comma; {hint}"
        )
    if is_number(value):
        return FileError(f"{what} holds {shown} in {place}, which is not finite; {hint}")
    gower = Setting("metric", "gower")
    more = "Where there is a metric, ", gower, " reads text as it is."
    return FileError(f"{what} holds {shown!r} in {place}, which is no number; {hint} ", *more)


def is_number(value: Any) -> bool:
    """Whether Python reads it as a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def listed(names: Sequence[str]) -> str:
    """Names on one line, at most twenty of them."""
    shown = ", ".join(show_label(name) or "''" for name in names[:20])
    return f"{shown} and {len(names) - 20:,} more" if len(names) > 20 else shown


class NoNumberError(Exception):
    """The first place where a matrix would hold something else than a finite number."""

    def __init__(self, row: int, column: int) -> None:
        super().__init__(row, column)
        self.row = row
        self.column = column


class GrowingMatrix:
    """A matrix that grows by blocks of rows; every value must be finite."""

    def __init__(self, width: int, *, single: bool = False, expected: int | None = None) -> None:
        dtype = np.float32 if single else np.float64
        self._width, self._row = width, width * np.dtype(dtype).itemsize
        if expected is None:
            expected = min(ROWS, BYTES // max(self._row, 1))
        self._check(expected)
        self._matrix = np.empty((max(expected, 1), width), dtype)
        self._filled = 0

    def _check(self, rows: int) -> None:
        what = f"a matrix of {rows:,} rows and {self._width:,} columns"
        need(rows * self._row, what, "take fewer features")

    def extend(self, columns: Sequence[NDArray[Any]], length: int) -> None:
        """Add rows, given as columns; a masked value is none."""
        end = self._filled + length
        if end > len(self._matrix):
            self._check(end)
            # No view of it is alive, and a large block moves without being copied.
            size = max(end, min(len(self._matrix) * 3 // 2, room() // max(self._row, 1)))
            self._matrix.resize((size, self._matrix.shape[1]), refcheck=False)
        block = self._matrix[self._filled : end]
        for place, values in enumerate(columns):
            block[:, place] = np.ma.filled(values, np.nan) if _is_masked(values) else values
        finite = np.isfinite(block)
        if not finite.all():
            row, column = np.argwhere(~finite)[0].tolist()
            raise NoNumberError(self._filled + row, column)
        self._filled = end

    def finished(self) -> NDArray[Any]:
        """All rows so far; nothing can be added after."""
        self._matrix.resize((self._filled, self._matrix.shape[1]), refcheck=False)
        return self._matrix


def _is_masked(values: Any) -> bool:
    # Loading numpy.ma just to ask takes longer than reading a small file.
    return hasattr(values, "mask")


def text_bytes(texts: dict[Any, Any], known: int) -> int:
    """Bytes of the texts in a dict, without the first `known` of them."""
    new = islice(reversed(texts), len(texts) - known)
    return sum(map(getsizeof, new)) + ENTRY * (len(texts) - known)


class LabelCodes:
    """The values of a column as codes; equal texts are held once."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._texts = defaultdict[str | None, int](count().__next__)
        self._parts: list[NDArray[Any]] = []
        self._numbers = False
        self._held = 0

    def add(self, values: Sequence[str | None] | NDArray[Any]) -> None:
        """Add a block: texts, or an array in which a masked value is missing."""
        self._numbers = isinstance(values, np.ndarray)
        known = len(self._texts)
        if isinstance(values, np.ndarray):
            self._parts.append(values.copy())
        else:
            codes = map(self._texts.__getitem__, values)
            self._parts.append(np.fromiter(codes, np.int32, len(values)))
        # The parts are joined at the end.
        self._held += 2 * self._parts[-1].nbytes + text_bytes(self._texts, known)
        need(self._held, f"the labels in {self._column.what}")

    def codes(self) -> Codes:
        """All labels so far."""
        masked = any(map(_is_masked, self._parts))
        join: Any = np.ma.concatenate if masked else np.concatenate
        whole = join(self._parts)
        return self._column.codes(whole if self._numbers else (whole, list(self._texts)))
