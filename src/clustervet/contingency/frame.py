"""Columns of finished numbers as a frame of whichever library the user has."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from clustervet.errors import MissingPackageError, ParameterError
from clustervet.labels.codes import Names

Backend = Literal["pandas", "polars", "pyarrow"]
BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")


def to_frame(columns: Mapping[str, Names], backend: Backend | None = None) -> Any:
    """A native frame of the backend named, or of the first one that is installed."""
    if backend is None:
        found = [name for name in BACKENDS if importlib.util.find_spec(name)]
        if not found:
            raise MissingPackageError(
                "a frame needs pandas, polars or pyarrow, and none of them is installed."
            )
        backend = found[0]
    if backend not in BACKENDS:
        raise ParameterError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}.")
    if importlib.util.find_spec(backend) is None:
        raise MissingPackageError(f"a {backend} frame needs {backend}, which is not installed.")
    import narwhals as nw

    try:
        ready = {
            name: _held(column) if backend == "pyarrow" else column
            for name, column in columns.items()
        }
        return nw.from_dict(ready, backend=backend).to_native()
    except Exception as error:  # engines differ in what they raise for a value they cannot hold
        reason = str(error).partition("\n")[0]
        raise ParameterError(f"a {backend} frame cannot hold this table: {reason}.") from error


def _held(column: Names) -> Names:
    """Whole numbers beyond 64 bits as decimals, which is how Arrow holds them."""
    large = isinstance(column, list) and any(isinstance(x, int) and x >= 2**63 for x in column)
    return [Decimal(x) for x in column] if large else column
