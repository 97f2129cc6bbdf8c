"""Small work of every kind, so that all loops are compiled and kept before somebody waits."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist

from clustervet import clusterers
from clustervet._kernels.patience import compiled_always
from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.ensemble import Ensemble, distance_matrix
from clustervet.errors import FileError
from clustervet.external import adjusted_rand
from clustervet.hierarchical import Hierarchy
from clustervet.overlapping import Cover
from clustervet.partition import Partition
from clustervet.scorecard import external_scores, internal_scores, judge
from clustervet.soft import Memberships

# Fewer objects are counted without a compiler, and more are shared among threads.
OBJECTS, MANY_OBJECTS = 30_000, 2_000_000
POINTS, FEATURES, MANY_FEATURES = 150, 3, 40
METRICS = ("euclidean", "sqeuclidean", "manhattan", "chebyshev", "cosine")


@dataclass(frozen=True, slots=True)
class Warmup:
    """What was compiled, how long it took, and the folder in which it is kept."""

    compiled: int
    seconds: float
    folder: str

    def __str__(self) -> str:
        """Return it as a sentence."""
        if not self.compiled:
            return f"Nothing to compile: all code is in {self.folder}."
        return f"Compiled {self.compiled} loops in {self.seconds:.0f} s, kept in {self.folder}."


def warm_up() -> Warmup:
    """Compile everything that clustervet compiles, for the images of containers.

    Returns
    -------
    Warmup
        How much was compiled, and where it is kept.

    Raises
    ------
    FileError
        No folder can be written to keep the code in.

    Examples
    --------
    >>> from clustervet._kernels import kept_code
    >>> kept_code.folder().is_dir()  # where the code will be
    True
    """
    from clustervet._kernels import kept_code

    folder = kept_code.folder()
    if folder is None:
        raise FileError("no folder can be written to keep code in; name one in NUMBA_CACHE_DIR.")
    before = len(list(folder.glob("*.nbc")))
    start = time.monotonic()
    chores = list(_chores())
    with ticking(len(chores), "compiling") as tick, compiled_always():
        for chore in chores:
            chore()
            tick()
    made = len(list(folder.glob("*.nbc"))) - before
    return Warmup(made, time.monotonic() - start, str(folder))


def _chores() -> Iterator[Callable[[], Any]]:
    generator = np.random.default_rng(0)
    few = generator.integers(0, 4, (2, OBJECTS))
    many = generator.integers(0, OBJECTS // 3, (2, OBJECTS))
    for truth, pred in (few, many, (few[0], many[0]), (many[0], few[0])):
        yield partial(_tables, truth, pred)
    yield partial(_lattice, *generator.integers(0, 4, (2, MANY_OBJECTS)))
    for pixel in (np.int32, np.int64, np.uint8, np.uint16):
        image = np.repeat(np.arange(64, dtype=pixel), MANY_OBJECTS // 64)
        yield partial(Contingency.from_images, image, image)
    for labels in (few, many):
        yield partial(_lattice, *labels)
        yield partial(_ensemble, labels)
    points, labels = generator.normal(size=(POINTS, MANY_FEATURES)), few[0, :POINTS]
    for kind in (np.float64, np.float32):
        some = points[:, :FEATURES].astype(kind)
        for metric in METRICS:
            yield partial(_geometry, some, labels, metric)
        yield partial(_geometry, points.astype(kind), labels, "euclidean")
        yield partial(_geometry, cdist(some, some).astype(kind), labels, "precomputed")
        for metric in ("euclidean", "cosine"):
            rows = sparse.csr_array(np.maximum(some, 0), dtype=kind)
            yield partial(_geometry, rows, labels, metric)
        fixed = some.copy()
        fixed.setflags(write=False)
        yield partial(_geometry, fixed, labels, "euclidean")
    words = sparse.csr_array(generator.poisson(0.1, (POINTS, MANY_FEATURES)).astype(np.float64))
    for name in clusterers.__all__:
        yield partial(_texts, getattr(clusterers, name), words)
    for kind in (np.float64, np.float32):
        yield partial(_texts, partial(clusterers.NeighbourSmoothing, terms=5), words.astype(kind))
    degrees = generator.dirichlet(np.ones(FEATURES), (2, POINTS))
    sides = [Memberships(side) for side in degrees]
    sparser = [Memberships(sparse.csr_array(side)) for side in degrees]
    for pair in (sides, sparser, (labels, sides[0]), (sides[0], sparser[1])):
        yield partial(judge, *pair)
    yield partial(judge, *(Cover(side > 0.3) for side in degrees))
    yield partial(judge, *(Hierarchy(linkage(points[:, columns])) for columns in ([0], [1])))


def _tables(truth: Any, pred: Any) -> None:
    """Count labels of several types; compute every measure, with and without weights."""
    for kind in (np.int64, np.int32):
        sides = [labels.astype(kind) for labels in (truth, pred)]
        fixed = [side.copy() for side in sides]
        for side in fixed:
            side.setflags(write=False)
        apart = [np.stack([side, side], axis=1)[:, 0] for side in sides]
        for one, other in (sides, fixed, apart, (sides[0], sides[1].astype(np.int32))):
            Contingency.from_labels(one, other)
            adjusted_rand(one, other)
    table = Contingency.from_labels(truth, pred)
    Contingency.from_labels(2**40 * truth, pred)
    external_scores(table)
    external_scores(Contingency.from_labels(truth, pred, weights=np.linspace(1, 2, len(truth))))
    table + table


def _lattice(labels: Any, others: Any) -> None:
    """Meet, join and order two partitions, and walk from one."""
    p, q = Partition(labels), Partition(others)
    (p & q).refines(p | q)
    p.refines(q)
    Partition(labels[:POINTS]).at_distance(0.5, random_state=0)


def _ensemble(labels: Any) -> None:
    """Compare labelings of few and many clusters, and find their consensus."""
    runs = [labels[0], labels[1].astype(np.int32), np.roll(labels[0], 1), labels[0] // 2]
    distance_matrix(runs)
    for measure in ("rand", "purity"):
        distance_matrix(runs, measure)
    some = [run[:POINTS] for run in runs]
    Ensemble(some).consensus()
    Ensemble(some).coassociation(0)
    gaps = [np.ma.array(some[0], mask=np.arange(POINTS) < 3), some[1]]
    Ensemble(gaps, shared=True).coassociation(0)


def _geometry(points: Any, labels: Any, metric: str) -> None:
    """Compute every internal measure; those that a metric does not have say so."""
    internal_scores(points, labels, metric=metric)
    internal_scores(points, np.arange(points.shape[0]) % 70, metric=metric)


def _texts(algorithm: Any, rows: Any) -> None:
    """Cluster texts, or smooth them."""
    made = algorithm(3)
    made.fit(rows)
    if hasattr(made, "transform"):
        made.transform(rows)
