"""What a command reads and writes: no output may be an input, and no two outputs one file.

Every parameter that names files says so where it is declared, by `WRITTEN` or a `Read` in its
annotation. A group of commands checks them before it calls a command, so that no command has to.
"""

from __future__ import annotations

import functools
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from clustervet.errors import FileError, ParameterError, Setting
from clustervet.frames.places import files_inside, find_files
from clustervet.labels import show_label

WRITTEN = "written"
Identity = str | tuple[int, int]


def _data_files(given: str) -> Iterator[str]:
    """Files by name, pattern or folder; what cannot be found is for the reader to refuse."""
    try:
        yield from find_files([given])
    except FileError:
        return


def _text_files(given: str) -> Iterable[str]:
    """The files of a folder of texts, or of a table."""
    return files_inside(given, (".",)) if os.path.isdir(given) else _data_files(given)


def _corpora(given: str) -> Iterator[str]:
    """The files and folders of the corpora in a folder."""
    from clustervet.datasets.corpora import FILES

    for corpus in FILES.values():
        yield os.path.join(given, corpus.file)
        yield from _text_files(os.path.join(given, corpus.folder))


def own_code(given: str) -> Iterator[str]:
    """Where modules of the current folder lie, out of module:name separated by commas."""
    for name in given.split(","):
        module, colon, _ = name.strip().partition(":")
        if module and colon:
            path = module.replace(".", os.sep)
            yield from (f"{path}.py", os.path.join(path, "__init__.py"))


@dataclass(frozen=True)
class Read:
    """Says that a parameter names files to read; `files` gives them for one value."""

    files: Callable[[str], Iterable[str]] = _data_files


READ = Read()
READ_TEXTS = Read(_text_files)
READ_CORPORA = Read(_corpora)
READ_CODE = Read(own_code)


class Command(TyperCommand):
    """A command that is named by every error about its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; an option without its value does not know its command by itself."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if getattr(error, "ctx", ctx) is None:
                vars(error)["ctx"] = ctx
            raise


class Commands(typer.Typer):
    """Commands that refuse, before any work, to overwrite what they read."""

    def command(self, *given: Any, **options: Any) -> Callable[[Any], Any]:
        """Add a command, as `typer.Typer.command` does."""
        add = super().command(*given, cls=Command, **options)

        def checked(function: Callable[..., Any]) -> Any:
            @functools.wraps(function)
            def run(**values: Any) -> Any:
                _check(file_roles(function), values)
                return function(**values)

            return add(run)

        return checked


def file_roles(function: Callable[..., Any]) -> dict[str, Any]:
    """Return `WRITTEN` or a `Read` for each parameter that names files."""
    hints = get_type_hints(function, include_extras=True)
    return {
        name: role
        for name, hint in hints.items()
        if get_origin(hint) is Annotated
        for role in hint.__metadata__
        if role == WRITTEN or isinstance(role, Read)
    }


def _check(roles: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    given = {name: values[name] for name in roles if values.get(name)}
    written = {name: path for name, path in given.items() if roles[name] == WRITTEN}
    outputs: dict[Identity, str] = {}
    for name, path in written.items():
        place = _identity(path)
        if place in outputs:
            raise ParameterError(
                Setting(outputs[place]), " and ", Setting(name),
                f" name the same file, {show_label(path, 200)}; each needs a file of its own.",
            )  # fmt: skip
        if place is not None:
            outputs[place] = name
    if not any(isinstance(place, tuple) for place in outputs):
        return  # none of them exists, so none is an input
    for path in _inputs(roles, given):
        name = outputs.get(_identity(path) or "", "")
        if name:
            shown = "standard input" if path == "-" else show_label(path, 200)
            raise ParameterError(
                Setting(name),
                f" would overwrite {shown}, which the command reads; name another file.",
            )


def _inputs(roles: Mapping[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    """All files that are read, and those in folders of outputs, such as journals."""
    for name, values in given.items():
        for value in [values] if isinstance(values, str) else values:
            if roles[name] != WRITTEN:
                yield from roles[name].files(value)
            elif os.path.isdir(value):
                yield from files_inside(value)


def _identity(path: str) -> Identity | None:
    """What two names of one file have in common; None for a folder, a pipe or a device."""
    try:
        found = os.stat(0 if path == "-" else path)
    except OSError:
        return os.path.realpath(path)
    except ValueError:  # a path that no file can have, which is refused later
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
