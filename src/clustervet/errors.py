"""The exceptions. All of them are `ClustervetError`, which is a `ValueError`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Setting(NamedTuple):
    """A parameter, or a parameter with a value, that a message speaks of.

    In Python it reads ``missing='drop'``; the command line spells it ``--missing drop``.
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class ClustervetError(ValueError):
    """The input or the call is at fault; the message says how to correct it.

    Parameters
    ----------
    *parts : str or Setting
        The message. A part that names a parameter is a `Setting`, so that the command line can
        name its option instead.
    parameter : str, optional
        The parameter that the error is about; by default the first one that the message names.

    Examples
    --------
    >>> error = LabelError("labels are missing; use ", Setting("missing", "drop"), ".")
    >>> str(error), error.parameter
    ("labels are missing; use missing='drop'.", 'missing')
    """

    def __init__(self, *parts: str | Setting, parameter: str | None = None) -> None:
        self.parts = parts
        named = [part.name for part in parts if isinstance(part, Setting)]
        self.parameter = parameter or next(iter(named), None)
        super().__init__("".join(map(str, parts)))

    def spelled(self, spell: Callable[[Setting], str]) -> str:
        """Return the message with its parameters spelled another way.

        Parameters
        ----------
        spell : callable
            A function from a `Setting` to its text.

        Returns
        -------
        str
            The message.

        Examples
        --------
        >>> error = LabelError("labels are missing; use ", Setting("missing", "drop"), ".")
        >>> error.spelled(lambda setting: f"--{setting.name} {setting.value}")
        'labels are missing; use --missing drop.'
        """
        return "".join(spell(part) if isinstance(part, Setting) else part for part in self.parts)


class LabelError(ClustervetError):
    """Labels that cannot be read as a clustering."""


class TableError(ClustervetError):
    """Counts that cannot be read as a contingency table."""


class FeatureError(ClustervetError):
    """Features or distances that cannot be read as points."""


class ParameterError(ClustervetError):
    """An option that does not exist, or a value outside its range."""


class FileError(ClustervetError):
    """A file that cannot be read or written, or does not hold what was asked for."""


class MemoryLimitError(ClustervetError, MemoryError):
    """Something that would take more memory than the limit allows."""


class UnknownMeasureError(ClustervetError, KeyError):
    """A name that no measure in the registry has."""

    # KeyError would print the message between quotes.
    __str__ = ValueError.__str__


class MissingPackageError(ClustervetError, ImportError):
    """An optional package that the call needs is not installed."""


class UndefinedError(ClustervetError):
    """Raised by a formula that has no value here (0/0); its message is the reason.

    It never reaches the user: a measure gives `nan`, and the score card shows the reason.
    With `fault` the input could not have had a value, and a measure that is called by itself
    refuses it by that exception; the score card still shows the reason.
    """

    def __init__(self, reason: str, *, fault: type[ClustervetError] | None = None) -> None:
        super().__init__(reason)
        self.fault = fault
