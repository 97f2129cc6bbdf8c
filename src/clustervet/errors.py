"""The exceptions. All of them are `ClustervetError`, which is a `ValueError`."""

from __future__ import annotations


class ClustervetError(ValueError):
    """The input or the call is at fault; the message says how to mend it."""


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


class UnknownMeasureError(ClustervetError, KeyError):
    """A measure's name that the registry does not hold."""

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
