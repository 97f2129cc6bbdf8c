"""How many labelled objects an interval of a given width needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import share
from clustervet.contingency import Contingency
from clustervet.contingency.derived import Table
from clustervet.contingency.engine_table import with_cells
from clustervet.errors import ParameterError
from clustervet.inference.batch import scores
from clustervet.inference.resample import draw, evaluate
from clustervet.registry import Measure, MeasureFunction, measures
from clustervet.view import Result, Section, facts_table
from clustervet.view.words import inner_title, number

MOST = 10**9
ROUNDS = 12


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """How many labelled objects an interval of a wanted width needs.

    Parameters
    ----------
    measure : str
        The measure.
    objects : int
        The number of objects needed.
    width, wanted : float
        The width that this number gives, and the width wanted.
    confidence : float
        The confidence of the interval.
    samples : int
        How many samples were drawn for each size tried.

    Examples
    --------
    >>> import clustervet as cv
    >>> plan = cv.sample_size("purity", [[0.4, 0.1], [0.1, 0.4]], width=0.1, random_state=0)
    >>> plan.wanted, plan.width <= plan.wanted, plan.samples
    (0.1, True, 1000)
    """

    measure: str
    objects: int
    width: float
    wanted: float
    confidence: float
    samples: int

    def document(self) -> Section:
        """Return the answer in a sentence, and how it was found.

        Returns
        -------
        Section
            The sentences and tables.
        """
        record = measures.select([self.measure])[0]
        said = (
            f"{self.objects:,} labelled objects give an interval of the "
            f"{inner_title(record.title)} no wider than {number(self.wanted)} at "
            f"{self.confidence:.4g} confidence."
        )
        facts = {"width": number(self.width), "samples": f"{self.samples:,} for each size tried"}
        table = facts_table("sample-size-facts", "How it was found", facts)
        return Section(
            "sample-size",
            "Sample size",
            (said,),
            (table,),
            lead=(said,),
            subject=self,
            measures=(record,),
        )


def sample_size(
    measure: str | Measure | MeasureFunction,
    population: Any,
    width: float,
    *,
    confidence: float = 0.95,
    samples: int = 1_000,
    random_state: Any = None,
    **parameters: Any,
) -> SampleSize:
    """Return how many labelled objects an interval no wider than `width` needs, by simulation.

    Parameters
    ----------
    measure : str, Measure or function
        The measure: its name, its record, or your own measure.
    population : Contingency or array-like
        A table, a matrix of counts, or a distribution over classes and clusters, such as one of
        Dom's (2001, Tables 1-3).
    width : float
        The width wanted.
    confidence : float, default 0.95
        The confidence of the interval, between 0 and 1.
    samples : int, default 1000
        The number of samples drawn for each size tried, at least 100.
    random_state : int, Generator, RandomState, SeedSequence or None, optional
        The seed.
    **parameters
        Parameters of the measure.

    Returns
    -------
    SampleSize
        The number of objects, and the width that it gives.

    Raises
    ------
    ParameterError
        If a parameter is out of range, or no sample of up to a billion objects is enough.
    TableError
        If the population cannot be read as a table.

    Notes
    -----
    Samples of growing size are drawn from the population until the middle share `confidence` of the
    values of the measure is no wider than `width`. The size is then refined until it is at most 2%
    too large.

    Examples
    --------
    >>> import clustervet as cv
    >>> plan = cv.sample_size("purity", [[0.4, 0.1], [0.1, 0.4]], width=0.1, random_state=0)
    >>> 220 < plan.objects < 280
    True
    """
    share(confidence, "confidence")
    if not (width > 0 and math.isfinite(width)):
        raise ParameterError(f"width must be a positive number, not {width!r}.")
    if samples < 100:
        raise ParameterError(f"samples must be at least 100, not {samples!r}.")
    record = measures.select([measure])[0]
    if isinstance(population, Table):
        table = with_cells(population, "a sample size")
    else:
        table = Contingency.from_counts(population)
    law = _Law(record, parameters, table, confidence, samples, random_state)
    objects = _search(law, width)
    return SampleSize(record.key, objects, law.width(objects), width, confidence, samples)


class _Law:
    """The width of the middle share of a measure's values, as a function of sample size."""

    def __init__(
        self,
        record: Measure,
        parameters: dict[str, Any],
        table: Contingency,
        confidence: float,
        samples: int,
        random_state: Any,
    ) -> None:
        self.record, self.parameters = record, parameters
        values = np.asarray(table.cells.values, np.float64)
        self.shares = values / values.sum()
        self.shape = table.with_values(np.ones(len(values), np.int64))
        self.confidence, self.samples, self.random_state = confidence, samples, random_state
        self.known: dict[int, float] = {}

    def width(self, objects: int) -> float:
        """High less low quantile of the measure over samples of this size."""
        if objects not in self.known:
            drawn = self._values(objects)
            defined = drawn[np.isfinite(drawn)]
            if len(defined) < 0.9 * self.samples:
                self.known[objects] = math.inf
            else:
                tail = (1 - self.confidence) / 2
                low, high = np.quantile(defined, [tail, 1 - tail])
                self.known[objects] = float(high - low)
        return self.known[objects]

    def _values(self, objects: int) -> NDArray[np.float64]:
        score = partial(scores, self.shape, [(self.record, self.parameters)])
        blocks = draw(self.shares, self.samples, self.random_state, size=objects)
        return evaluate(blocks, score, self.samples, 1)[:, 0]


def _search(law: _Law, width: float) -> int:
    """The smallest size whose width fits: doubling first, then halving the gap in logs.

    The same random streams serve every size, so widths fall smoothly with size.
    """
    low, high = 1, 16
    while law.width(high) > width:
        if high >= MOST:
            raise ParameterError(
                f"no sample of up to {MOST:,} objects gives an interval of width {width:g}."
            )
        low, high = high, high * 4
    for _ in range(ROUNDS):
        middle = max(low + 1, round(math.sqrt(low * high)))
        if middle >= high or high <= 1.02 * low:
            break
        if law.width(middle) > width:
            low = middle
        else:
            high = middle
    return high
