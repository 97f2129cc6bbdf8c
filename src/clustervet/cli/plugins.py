"""A user's own measures on the command line: `--measure module:function`."""

from __future__ import annotations

import importlib
import sys

from clustervet.errors import ParameterError
from clustervet.labels import show_label
from clustervet.registry import Measure


def load_measure(name: str) -> str:
    """Import a decorated function, from the current folder too; its key in the registry."""
    module, colon, function = name.partition(":")
    if not (module and colon and function):
        raise ParameterError(f"a measure of your own is module:function, not {show_label(name)!r}.")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise ParameterError(f"{show_label(name)!r} cannot be loaded: {error}.") from None
    record = getattr(found, "record", None)
    if not isinstance(record, Measure):
        raise ParameterError(
            f"{show_label(name)!r} is no measure; decorate the function with @clustervet.measure."
        )
    return record.key
