"""A user's own measures and clusterers on the command line: `module:name`."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from clustervet.errors import ParameterError
from clustervet.labels import show_label
from clustervet.registry import Measure


def load_object(name: str, what: str, kind: str) -> Any:
    """Import something of the user's by module:name, from the current folder too."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise ParameterError(f"{what} of your own is module:{kind}, not {show_label(name)!r}.")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ParameterError(f"{show_label(name)!r} cannot be loaded: {error}.") from None


def load_measure(name: str) -> str:
    """Import a decorated function; its key in the registry."""
    found = load_object(name, "a measure", "function")
    record = getattr(found, "record", None)
    if not isinstance(record, Measure):
        raise ParameterError(
            f"{show_label(name)!r} is no measure; decorate the function with @clustervet.measure."
        )
    return record.key
