"""Columns of finished numbers as a frame of whichever library the user has."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
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

    return nw.from_dict(dict(columns), backend=backend).to_native()
