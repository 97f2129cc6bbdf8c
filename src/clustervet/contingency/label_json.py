"""Labels as JSON that tells their types, and back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np

from clustervet.errors import TableError
from clustervet.labels import Singleton

# Labels that JSON has no type for, by the name under which they are written.
WRITERS: dict[type, tuple[str, Callable[[Any], str]]] = {
    datetime: ("datetime", datetime.isoformat),
    date: ("date", date.isoformat),
    time: ("time", time.isoformat),
    Decimal: ("decimal", str),
    UUID: ("uuid", str),
    bytes: ("bytes", bytes.hex),
}
READERS: dict[str, Callable[[Any], Any]] = {
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "decimal": Decimal,
    "uuid": UUID,
    "bytes": bytes.fromhex,
    "float": float,
    "timedelta": lambda parts: timedelta(*parts),
    "tuple": lambda items: tuple(map(decoded, items)),
    "noise": lambda label: Singleton(decoded(label)),
    "datetime64": lambda parts: np.datetime64(*parts),
    "timedelta64": lambda parts: np.timedelta64(*parts),
}


def encoded(name: Any) -> Any:
    """A label as JSON that tells its type."""
    if name is None or type(name) in (bool, int, str):
        return name
    if type(name) is float:
        return {"float": repr(name)}
    if type(name) in WRITERS:
        kind, write = WRITERS[type(name)]
        return {kind: write(name)}
    if type(name) is timedelta:
        return {"timedelta": [name.days, name.seconds, name.microseconds]}
    if type(name) is tuple:
        return {"tuple": [encoded(item) for item in name]}
    if isinstance(name, Singleton):
        return {"noise": encoded(name.label)}
    if isinstance(name, np.datetime64 | np.timedelta64):
        kind = "datetime64" if isinstance(name, np.datetime64) else "timedelta64"
        return {kind: [int(name.astype(np.int64)), np.datetime_data(name.dtype)[0]]}
    raise TableError(
        f"a label of type {type(name).__name__} cannot be saved; make it text or a number."
    )


def decoded(name: Any) -> Any:
    """The label that was encoded."""
    if not isinstance(name, dict):
        return name
    ((kind, value),) = name.items()
    return READERS[kind](value)
