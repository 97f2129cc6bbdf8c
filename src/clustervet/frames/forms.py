"""What a column of labels holds, how many files agree on it, and how its keys come home."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.frames.scan import Leg
from clustervet.frames.text import MISSING
from clustervet.frames.text_legs import DELIMITED
from clustervet.frames.typed import SHORT, WHOLE
from clustervet.labels import show_label

LARGE = re.compile(r"UBIGINT|U?HUGEINT|BIGNUM")
MOMENT = re.compile(r"TIMESTAMP(_S|_MS)?")
AS_TEXT = re.compile(r"UUID|BLOB|BIT|TIME.*|INTERVAL|DECIMAL.*|BIGNUM")
# A whole float reads as the same number without a point.
NUMBER = (
    "CASE WHEN {} = trunc({}) AND abs({}) < 1e38 THEN CAST(CAST({} AS HUGEINT) AS VARCHAR) "
    "ELSE CAST({} AS VARCHAR) END"
)


class Form(StrEnum):
    """What a column of labels holds."""

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


@dataclass(frozen=True)
class Column:
    """A column as the parts of a table have it: what to select in each, and what to fetch."""

    name: str
    form: Form
    selected: Sequence[str]
    fetched: str
    table: str

    def keys(self, values: Any) -> Any:
        """Values that came home as labels; None and masked ones are missing."""
        if self.form in (Form.whole, Form.real) and isinstance(values, np.ndarray):
            return values
        if self.form is Form.boolean:
            return values.astype(bool)
        decode: Callable[[str], Any] | None = {
            Form.whole: _number,
            Form.number: _number,
            Form.delimited: _field,
            Form.date: _date,
            Form.moment: _moment,
        }.get(self.form)
        if self.form is Form.json:
            return _json_keys(values, f"column {show_label(self.name)!r} of {self.table}")
        if decode is None:
            return values
        known = {text: None if text is None else decode(text) for text in set(values)}
        return [known[text] for text in values]


def column_of(name: str, table: str, legs: Sequence[Leg]) -> Column:
    """A column of a table; parts that disagree about it are refused."""
    declared = [leg.types[name] for leg in legs]
    forms = [_form(kind, name, leg.name) for kind, leg in zip(declared, legs, strict=True)]
    known = {form: leg.name for form, leg in zip(forms, legs, strict=True) if form != Form.empty}
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
    if len(set(declared)) == 1:
        return Column(name, form, ["{}"] * len(legs), _fetched(form, declared[0]), table)
    common = _common(form, declared)
    cast = f"CAST({{}} AS {common})"
    return Column(name, form, [cast] * len(legs), _fetched(form, common), table)


def _form(declared: str, name: str, part: str) -> Form:
    if declared == DELIMITED:
        return Form.delimited
    if WHOLE.fullmatch(declared) or declared in ("HUGEINT", "UHUGEINT"):
        return Form.whole
    if SHORT.fullmatch(declared):
        return Form.real
    if declared == "VARCHAR" or declared.startswith("ENUM("):
        return Form.text
    plain = {"BOOLEAN": Form.boolean, "JSON": Form.json, '"NULL"': Form.empty, "DATE": Form.date}
    if declared in plain:
        return plain[declared]
    if MOMENT.fullmatch(declared):
        return Form.moment
    if AS_TEXT.fullmatch(declared) and not declared.endswith("]"):
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
    """A grouped column in one of the types that come home."""
    if form in (Form.whole, Form.boolean) and not LARGE.fullmatch(declared):
        return "CAST({} AS BIGINT)"
    return "CAST({} AS DOUBLE)" if form is Form.real else "CAST({} AS VARCHAR)"


def _select_number(form: Form, declared: str) -> str:
    if form is not Form.real:
        return "CAST({} AS VARCHAR)"
    return NUMBER.replace("{}", "{}::DOUBLE") if declared.startswith("DECIMAL") else NUMBER


def _field(text: str) -> str | None:
    return None if text in MISSING else text


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _date(text: str) -> date | str:
    try:
        return date.fromisoformat(text)
    except ValueError:  # a year beyond Python's
        return text


def _moment(text: str) -> datetime | str:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return text


def _json_keys(values: Sequence[str | None], what: str) -> list[Any]:
    """JSON values as labels; where texts stand among numbers, all are texts."""
    known = {text: None if text is None else json.loads(text) for text in set(values)}
    kinds = {type(value) for value in known.values()} - {type(None)}
    if kinds & {list, dict}:
        raise FileError(f"{what} holds nested values, which cannot be labels.")
    if len(kinds) > 1 and kinds != {int, float}:
        known = {text: _as_text(text, value) for text, value in known.items()}
    return [known[text] for text in values]


def _as_text(text: str | None, value: Any) -> Any:
    return value if value is None or isinstance(value, str) else text


def as_array(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Batches of numbers as one array, masked where any is."""
    masked = any(isinstance(part, np.ma.MaskedArray) for part in parts)
    if not parts:
        return np.empty(0, np.int64)
    return np.ma.concatenate(parts) if masked else np.concatenate(parts)  # type: ignore[no-untyped-call]  # numpy gives it no types


def id_columns(columns: Sequence[Column]) -> list[Column]:
    """Columns of ids in types that compare: all whole numbers, or all text."""
    whole = all(column.form is Form.whole for column in columns)
    return [
        Column(
            column.name,
            column.form,
            [_id(column.form, one, whole=whole) for one in column.selected],
            "CAST({} AS VARCHAR)",
            column.table,
        )
        for column in columns
    ]


def _id(form: Form, selected: str, *, whole: bool) -> str:
    if whole:
        return f"CAST({selected} AS HUGEINT)"
    if form is Form.json:
        return f"({selected} ->> '$')"
    if form is Form.real:
        return NUMBER.replace("{}", f"({selected})::DOUBLE")
    return f"CAST({selected} AS VARCHAR)"
