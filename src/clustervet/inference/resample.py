"""Tables drawn from a table: the bootstrap, and the leave-one-out of its objects."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import entropy, jobs
from clustervet._kernels.threads import Pool, cores
from clustervet._memory import need
from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError, TableError
from clustervet.inference.batch import scores
from clustervet.inference.jackknife import left_out
from clustervet.registry import Measure

# Counts drawn at once: bounds the memory, and fixes what each random stream draws, so that
# the answer depends on neither cores nor threads.
DRAWN = 2**20
LEFT_OUT = 1_000

Draws = NDArray[np.int64]


def check_whole(table: Contingency, what: str) -> int:
    """The number of objects; resampling needs whole ones, and more than one."""
    if not table.is_whole:
        raise TableError(f"{what} needs whole counts of objects, not real weights.")
    if table.n < 2:
        raise TableError(f"{what} needs at least two objects; there is one.")
    if len(table) < 2:
        raise TableError(
            f"{what} needs at least two non-empty cells: all objects of this table are alike."
        )
    if table.n >= 2**62:
        raise TableError(f"{what} needs fewer than 2^62 objects.")
    return int(table.n)


def check_draws(resamples: int, random_state: Any, n_jobs: int | None) -> None:
    """Refuse what cannot be drawn, even where nothing will be."""
    if resamples < 20:
        raise ParameterError(f"resamples must be at least 20, not {resamples!r}.")
    if not isinstance(random_state, np.random.Generator | np.random.RandomState):
        entropy(random_state)
    jobs(n_jobs)


def draw(
    counts: NDArray[Any], resamples: int, random_state: Any, size: int | None = None
) -> Iterator[tuple[int, Callable[[], Draws]]]:
    """Blocks of resampled counts: where each block starts, and how to draw it.

    Each object of a resample is one of the original ones, so its cell counts are multinomial
    (Dom 2001, eq. 24) with the table's shares.
    """
    total = int(counts.sum()) if size is None else size
    shares = counts.astype(np.float64) / float(counts.sum())
    block = max(1, DRAWN // len(counts))
    starts = range(0, resamples, block)
    seeds = np.random.SeedSequence(entropy(random_state)).spawn(len(starts))
    for start, seed in zip(starts, seeds, strict=True):
        rows = min(block, resamples - start)

        def drawn(rows: int = rows, seed: np.random.SeedSequence = seed) -> Draws:
            return np.random.default_rng(seed).multinomial(total, shares, size=rows)

        yield start, drawn


def evaluate(
    blocks: Iterator[tuple[int, Callable[[], Draws]]],
    score: Callable[[Draws, Callable[[], None]], NDArray[np.float64]],
    resamples: int,
    width: int,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Score every resample: one row each. Blocks are shared out over threads.

    `score` gets a block of draws, and what it is to call after each of them.
    """
    need(8 * resamples * width, f"the values of {resamples:,} resamples", "draw fewer of them")
    values = np.full((resamples, width), np.nan)
    threads = _threads(n_jobs)
    with ticking(resamples, "resampling") as tick, Pool(threads) as pool:

        def done() -> None:
            if pool.stopped.is_set():
                raise CancelledError
            tick()

        def work(start: int, drawn: Callable[[], Draws]) -> None:
            found = score(drawn(), done)
            values[start : start + len(found)] = found

        if threads == 1:
            for start, drawn in blocks:
                work(start, drawn)
            return values
        for part in [pool.submit(work, *block) for block in blocks]:
            part.result()
    return values


def _threads(n_jobs: int | None) -> int:
    asked = jobs(n_jobs)
    if asked is None:
        return 1
    return asked if asked > 0 else max(1, cores() + 1 + asked)


def values_of(
    table: Contingency, records: Sequence[Measure], parameters: dict[str, Any]
) -> list[float]:
    """The measures' values on one table."""
    return [record.evaluate(table, **parameters).value for record in records]


def bootstrap(
    table: Contingency,
    records: Sequence[Measure],
    parameters: dict[str, Any],
    resamples: int,
    random_state: Any,
    n_jobs: int | None,
    size: int | None = None,
) -> NDArray[np.float64]:
    """Values of the measures on resampled tables: one row per resample."""
    check_whole(table, "a bootstrap")

    score = partial(scores, table, [(record, parameters) for record in records])
    blocks = draw(table.cells.values, resamples, random_state, size)
    return evaluate(blocks, score, resamples, len(records), n_jobs)


def subsample_size(n: int) -> int:
    """Objects in a subsample: few enough that near-ties look like ties, yet growing with n."""
    return max(2, round(math.pow(n, 0.7)))


def accelerations(
    table: Contingency, records: Sequence[Measure], parameters: dict[str, Any]
) -> list[float]:
    """The skewness of each measure when one object is left out, over six (Efron 1987).

    Objects of one cell are alike, so one of each cell is left out and weighed by the cell's
    count; of a table with very many cells, evenly spaced ones.
    """
    counts = table.cells.values
    chosen = np.arange(0, len(counts), max(1, len(counts) // LEFT_OUT))
    results = left_out(table, records, parameters, chosen)
    weights = counts[chosen].astype(np.float64)
    return [_skewness(results[:, k], weights) for k in range(len(records))]


def _skewness(left_out: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    good = np.isfinite(left_out)
    if not good.any():
        return 0.0
    values, heavy = left_out[good], weights[good]
    gaps = np.average(values, weights=heavy) - values
    second = float((heavy * gaps**2).sum())
    return float((heavy * gaps**3).sum()) / (6 * second**1.5) if second > 0 else 0.0
