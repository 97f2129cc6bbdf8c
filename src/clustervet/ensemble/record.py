"""`Distances`: the finished matrix of a measure between many labelings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.frame import Backend, to_frame
from clustervet.errors import ParameterError
from clustervet.labels import show_label
from clustervet.registry import Measure

SCHEMA = "clustervet/distances/1"
# A corner of so many labelings is shown.
SHOWN = 8


@dataclass(frozen=True, eq=False, repr=False)
class Distances:
    """A measure between every two of many labelings.

    `matrix` holds the values: row i is labeling i taken for the truth, column j labeling j for
    the prediction. `counts` says how many objects each pair shares, `undefined` for how many
    entries there is no value (nan), by the reason.
    """

    names: tuple[str, ...]
    matrix: NDArray[np.float64]
    counts: NDArray[np.int64]
    measure: Measure
    parameters: Mapping[str, Any] = field(default_factory=dict)
    undefined: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.matrix.flags.writeable = False
        self.counts.flags.writeable = False

    def __len__(self) -> int:
        """Number of labelings."""
        return len(self.names)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.matrix, dtype, copy=copy)

    def __getitem__(self, pair: tuple[str | int, str | int]) -> float:
        """The value of two labelings, by name or by position."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterError("a distance is that of two labelings: distances[first, second].")
        return float(self.matrix[self._place(pair[0]), self._place(pair[1])])

    def _place(self, labeling: str | int) -> int:
        if isinstance(labeling, str):
            if labeling in self.names:
                return self.names.index(labeling)
        elif isinstance(labeling, int | np.integer) and -len(self) <= labeling < len(self):
            return int(labeling)
        shown = show_label(labeling)
        raise ParameterError(f"there is no labeling {shown!r} among the {len(self):,} here.")

    @property
    def condensed(self) -> NDArray[np.float64]:
        """The entries above the diagonal, row by row, as scipy's clusterings take distances."""
        return self.matrix[np.triu_indices(len(self), 1)]

    def to_frame(
        self, backend: Backend | None = None, *, layout: Literal["wide", "long"] = "wide"
    ) -> Any:
        """A frame of pandas, polars or pyarrow (the first that is installed).

        "wide" has a row and a column a labeling, "long" a row a pair with its count.
        """
        if layout not in ("wide", "long"):
            raise ParameterError(f"layout must be 'wide' or 'long', not {layout!r}.")
        if layout == "wide":
            columns: dict[str, Any] = {_head(self.names): list(self.names)}
            columns |= {name: self.matrix[:, k] for k, name in enumerate(self.names)}
            return to_frame(columns, backend)
        one, other = np.triu_indices(len(self), 1)
        if not self._is_symmetric:
            one, other = np.nonzero(~np.eye(len(self), dtype=np.bool_))
        names = np.array(self.names, object)
        return to_frame(
            {
                "first": names[one].tolist(),
                "second": names[other].tolist(),
                "value": self.matrix[one, other],
                "objects": self.counts[one, other],
            },
            backend,
        )

    @property
    def _is_symmetric(self) -> bool:
        return bool(np.array_equal(self.matrix, self.matrix.T, equal_nan=True))

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what is not finite is None."""
        return {
            "schema": SCHEMA,
            "measure": self.measure.key,
            "title": self.measure.title,
            "better": self.measure.better,
            "unit": self.measure.unit,
            "metric": self.measure.metric,
            "parameters": dict(self.parameters),
            "names": list(self.names),
            "matrix": [
                [value if np.isfinite(value) else None for value in row]
                for row in self.matrix.tolist()
            ],
            "objects": self.counts.tolist(),
            "undefined": dict(self.undefined),
        }

    def to_json(self, indent: int | None = None) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        return "\n".join([self._headline(), *_corner(self)])

    def _headline(self) -> str:
        least, most = int(self.counts.min()), int(self.counts.max())
        objects = f"{most:,}" if least == most else f"{least:,} to {most:,} shared"
        record = self.measure
        unit = f", in {record.unit}" if record.unit and "base" not in self.parameters else ""
        what = f"{record.title} ({record.symbol})" if record.symbol else record.title
        return f"{what} of {len(self):,} labelings of {objects} objects{unit}"


def _head(names: tuple[str, ...]) -> str:
    """A name for the column of names that is none of them."""
    head = "labeling"
    while head in names:
        head += "'"
    return head


def _corner(distances: Distances) -> list[str]:
    """The values of the first labelings in columns."""
    shown = min(SHOWN, len(distances))
    more = ["…"] if len(distances) > shown else []
    names = [show_label(name, 12) for name in distances.names[:shown]]
    grid = [["", *names, *more]]
    for name, row in zip(names, distances.matrix[:shown, :shown].tolist(), strict=True):
        grid.append([name, *(f"{value:.4g}" for value in row), *more])
    if more:
        grid.append(["…"] * len(grid[0]))
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    return [
        "  ".join(item.rjust(width) for item, width in zip(line, widths, strict=True))
        for line in grid
    ]
