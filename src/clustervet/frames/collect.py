"""Blocks of rows gathered into a matrix, and blocks of labels into codes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.labels import Codes, read_labels
from clustervet.labels.codes import from_keys

# Rows that a matrix of unknown length starts with.
ROOM = 16_384


class NoNumberError(Exception):
    """The first place where a matrix would hold something else than a finite number."""

    def __init__(self, row: int, column: int) -> None:
        super().__init__(row, column)
        self.row = row
        self.column = column


class Rows:
    """A matrix that grows by blocks of rows; every value must be finite."""

    def __init__(self, width: int, *, single: bool = False, expected: int = ROOM) -> None:
        dtype = np.float32 if single else np.float64
        try:
            self._matrix = np.empty((max(expected, 1), width), dtype)
        except (MemoryError, ValueError):  # a damaged file may claim any number of rows
            self._matrix = np.empty((ROOM, width), dtype)
        self._filled = 0

    def extend(self, columns: Sequence[NDArray[Any]], length: int) -> None:
        """Add rows, given as columns; a masked value is none."""
        end = self._filled + length
        if end > len(self._matrix):
            # No view of it is alive, and a large block moves without being copied.
            size = max(end, len(self._matrix) * 3 // 2)
            self._matrix.resize((size, self._matrix.shape[1]), refcheck=False)
        block = self._matrix[self._filled : end]
        for place, values in enumerate(columns):
            block[:, place] = np.ma.filled(values, np.nan)
        finite = np.isfinite(block)
        if not finite.all():
            row, column = np.argwhere(~finite)[0].tolist()
            raise NoNumberError(self._filled + row, column)
        self._filled = end

    def matrix(self) -> NDArray[Any]:
        """All rows so far; nothing can be added after."""
        self._matrix.resize((self._filled, self._matrix.shape[1]), refcheck=False)
        return self._matrix


class TextLabels:
    """A column of text as codes; a label is kept once, and what is `absent` is missing."""

    def __init__(self, absent: Container[str | None]) -> None:
        self._absent = absent
        self._places = defaultdict[str | None, int](count().__next__)
        self._parts: list[NDArray[np.int32]] = []

    def add(self, texts: Sequence[str | None]) -> None:
        """Add a block of labels."""
        codes = map(self._places.__getitem__, texts)
        self._parts.append(np.fromiter(codes, np.int32, len(texts)))

    def codes(self) -> Codes:
        """All labels so far."""
        keys, codes = list(self._places), np.concatenate(self._parts)
        gone = np.array([key in self._absent for key in keys], dtype=bool)
        if not gone.any():
            return from_keys(codes, keys)
        rank = np.where(gone, 0, np.cumsum(~gone) - 1).astype(np.int32)
        kept = [key for key in keys if key not in self._absent] or [None]
        return from_keys(rank[codes], kept, gone[codes])


class NumberLabels:
    """A column of whole numbers, or of true and false, as codes."""

    def __init__(self, what: str, *, boolean: bool = False) -> None:
        self._what = what
        self._boolean = boolean
        self._parts: list[NDArray[Any]] = []

    def add(self, values: NDArray[Any]) -> None:
        """Add a block of labels; a masked one is missing."""
        self._parts.append(values.astype(bool) if self._boolean else values.copy())

    def codes(self) -> Codes:
        """All labels so far."""
        masked = any(isinstance(part, np.ma.MaskedArray) for part in self._parts)
        join: Any = np.ma.concatenate if masked else np.concatenate
        return read_labels(join(self._parts), self._what)
