"""Check the docstrings of all public names with numpydoc's own validation.

`make lint` runs it over everything; arguments are prefixes of modules to check, for example
`python docs/check_docstrings.py clustervet.external clustervet.pacmdl`.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Iterator
from importlib import import_module

from numpydoc.validate import validate

import clustervet
from clustervet.view import Result

PACKAGE = "clustervet"
IGNORED = {
    "ES01",  # a summary line may say it all
    "SA01",  # names of related functions stand in the text and in docs/
}
# The example of its class shows a property, and every result answers the methods of `Result`
# (`document`, `columns`, `to_dict`, ...) in the same way: the examples of `Result` show them once.
IGNORED_WITHOUT_EXAMPLE = {"EX01"}
PROPERTIES = (property, functools.cached_property)


def public_objects() -> Iterator[object]:
    """Every public function and class."""
    found = [
        getattr(clustervet, name) for name in clustervet.__all__ if name not in clustervet.ROOMS
    ]
    for room in (*clustervet.ROOMS, "geometry"):
        module = import_module(f"{PACKAGE}.{room}")
        found += [getattr(module, name) for name in module.__all__]
    for item in found:
        yield item if inspect.isclass(item) or inspect.isroutine(item) else type(item)


def with_members(item: object) -> Iterator[tuple[str, bool]]:
    """The full name of a function, or of a class and its members; whether it needs no example."""
    yield f"{item.__module__}.{item.__qualname__}", False
    for owner in inspect.getmro(item) if inspect.isclass(item) else ():
        if not owner.__module__.startswith(PACKAGE):
            continue
        for name, member in vars(owner).items():
            is_property = isinstance(member, PROPERTIES)
            method = isinstance(member, classmethod | staticmethod) or inspect.isroutine(member)
            module = str(getattr(member, "__module__", None))  # some are scikit-learn's
            own = is_property or (method and module.startswith(PACKAGE))
            if own and not name.startswith("_"):
                overrides = (
                    owner is not Result and issubclass(owner, Result) and hasattr(Result, name)
                )
                yield f"{owner.__module__}.{owner.__qualname__}.{name}", is_property or overrides


def main(prefixes: list[str]) -> int:
    """Print one line per fault; the exit code says whether there is any."""
    names = {name: bare for item in public_objects() for name, bare in with_members(item)}
    faults = 0
    for name, without_example in sorted(names.items()):
        if not name.startswith(tuple(prefixes) or f"{PACKAGE}."):
            continue
        ignored = IGNORED | (IGNORED_WITHOUT_EXAMPLE if without_example else set())
        for code, message in validate(name)["errors"]:
            if code not in ignored:
                faults += 1
                print(f"{name}: {code} {message}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
