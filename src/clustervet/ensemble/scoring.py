"""One measure on the tables of pairs of labelings."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.contingency.cells import Cells
from clustervet.ensemble.tables import needs_cells
from clustervet.errors import ParameterError
from clustervet.external import variation_of_information
from clustervet.external.common import in_base
from clustervet.registry import Measure, MeasureFunction, measures

VI = variation_of_information.record.formula


class Scoring:
    """A measure with its parameters: its values, and why some are undefined.

    `unit` is that of the variation of information, which comes from compiled sums; it is None
    for any other measure. `pairs_alone` says that no more than pair counts are looked at.
    """

    def __init__(
        self, measure: str | Measure | MeasureFunction, parameters: dict[str, Any]
    ) -> None:
        self.record = measures.select([measure])[0]
        self.parameters = parameters
        if self.record.kind != "external":
            raise ParameterError(f"{self.record.key} needs features, not a second labeling.")
        # This also refuses parameters, before any work.
        self.pairs_alone = not needs_cells(lambda table: self.record.evaluate(table, **parameters))
        is_vi = self.record.formula is VI
        self.unit = in_base(1.0, parameters.get("base", 2)) if is_vi else None
        # What a record says of symmetry is said of the default parameters.
        self.symmetric = is_vi or (self.record.symmetric and not parameters)
        self.undefined: Counter[str] = Counter()
        self._lock = threading.Lock()

    def value(self, table: Contingency) -> float:
        """The measure on one table; nan where it is undefined."""
        outcome = self.record.evaluate(table, **self.parameters)
        if outcome.why is not None:
            with self._lock:
                self.undefined[outcome.why] += 1
        return float(outcome.value)

    def both(self, table: Contingency) -> tuple[float, float]:
        """The measure on a table and on its transpose."""
        first = self.value(table)
        return first, (first if self.symmetric else self.value(table.T))

    def itself(self, sizes: NDArray[np.int64]) -> float:
        """The measure of a labeling with these sizes against itself."""
        clusters = np.arange(len(sizes))
        cells = Cells(np.arange(len(sizes) + 1), clusters.astype(np.int32), sizes)
        return self.value(Contingency(cells, clusters, clusters))
