"""`FeatureTable`: the points of a table in files, which may be read when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from clustervet.errors import ClustervetError, FileError
from clustervet.frames.remarks import features_remark
from clustervet.labels import Codes

if TYPE_CHECKING:
    from clustervet.frames.source import Source


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Points and their labels, as one table holds them.

    Attributes
    ----------
    name : str
        The file in words that are safe to show.
    feature_names : sequence of str
        The names of the columns of the matrix; those of a file that has none are numbers.
    left_out : mapping
        Each column that was left out although no features were named, and why.
    header_guessed : str or None
        The first line of a file with one column, if it was taken as a name by a guess.
    texts : tuple of str
        Those of the columns that hold text or dates; without any there is a matrix.
    """

    name: str
    feature_names: Sequence[str]
    left_out: Mapping[str, str]
    header_guessed: str | None
    _source: Source = field(repr=False)
    _excluded: tuple[str, ...] = field(repr=False)
    texts: tuple[str, ...] = ()

    @cached_property
    def _content(self) -> tuple[Any, dict[str, Codes]]:
        """The matrix, and the columns that were excluded from it, read in one pass."""
        try:
            texts = set(self.texts)
            numbers = [name for name in self.feature_names if name not in texts]
            features = numbers if texts else self.feature_names
            return self._source.read(features, (*self._excluded, *self.texts))
        except ClustervetError:
            raise
        except MemoryError:
            raise FileError(
                f"the {len(self.feature_names):,} features of {self.name} do not fit into memory."
            ) from None

    def read(self) -> None:
        """Read the matrix, unless it was read before."""
        _ = self._content

    @property
    def matrix(self) -> Any:
        """One row per point and one column per feature.

        A C-contiguous array of float64, or of float32 where the file has nothing else, or a sparse
        matrix.
        """
        return self._content[0]

    @property
    def mixed(self) -> list[tuple[str, Any]]:
        """Each column with its name: an array of numbers, or text and dates as labels."""
        numbers = iter(self.matrix.T)
        return [
            (name, self.labels(name) if name in self.texts else next(numbers))
            for name in self.feature_names
        ]

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the table."""
        return tuple(self._source.columns)

    @property
    def remark(self) -> str:
        """Which columns are features, and why others were left out, in a sentence."""
        return features_remark(self.feature_names, self.left_out)

    def labels(self, name: str) -> Codes:
        """Any column of the table, or any one-dimensional array of it, as labels.

        Parameters
        ----------
        name : str
            The name of the column.

        Returns
        -------
        Codes
            One code per point.

        Raises
        ------
        FileError
            If there is no such column, or if the file has changed since it was opened.
        """
        matrix, known = self._content
        if name not in known:
            known.update(self._source.labels([name]))
        if len(known[name]) != matrix.shape[0]:
            raise FileError(f"{self.name} has changed while it was read.")
        return known[name]
