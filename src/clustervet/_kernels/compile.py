"""The way in which this room compiles."""

from __future__ import annotations

import types
from contextlib import suppress
from typing import Any

import numba

from clustervet import _numeric
from clustervet._kernels.kept_code import KeptCode

# Sums may be reordered and fused, so that loops over distances use vector instructions;
# infinities and NaN keep their meaning.
REORDERED = {"reassoc", "nsz", "contract", "arcp"}


def compiled(function: Any, reordered: Any = False) -> Any:
    """Compile on the first call, keep the code on disk, release the GIL while running."""
    made: Any = numba.njit(nogil=True, error_model="numpy", fastmath=reordered)(function)
    # NUMBA_DISABLE_JIT makes it a plain function; NUMBA_CACHE_LOCATOR_CLASSES may find no place.
    with suppress(RuntimeError):
        made._cache = KeptCode(function)
    return made


def compiled_for_vectors(function: Any) -> Any:
    """Like `compiled`, for loops whose sums may be taken in any order."""
    return compiled(function, REORDERED)


def compiled_source(module: Any, functions: Any) -> dict[str, Any]:
    """Compile functions of a module of plain Python; each calls the compiled form of the others."""
    names = dict(vars(module))
    for name in functions:
        names[name] = compiled(types.FunctionType(names[name].__code__, names, name))
    return names


_compiled = compiled_source(
    _numeric, ("deviance", "stirling_error", "wide_expectation", "expected_deviance")
)
deviance = _compiled["deviance"]
expected_deviance = _compiled["expected_deviance"]
