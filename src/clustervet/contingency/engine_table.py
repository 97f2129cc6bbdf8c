"""A table too large for memory: the engine counts how many cells there are of each size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from clustervet.contingency.derived import Entropies, Pairs, SizedTable, count_pairs
from clustervet.contingency.sums import expected_deviances
from clustervet.contingency.table import Contingency
from clustervet.errors import TableError, UndefinedError
from clustervet.frames.frame import Sizes, table_sizes
from clustervet.labels.pair import Missing

NO_CELLS = "it needs the cells of the table, and those stay in the engine"


class EngineTable(SizedTable):
    """A table whose cells stay in an engine: its sums, for the measures that need no cell.

    Give it to a measure or to `external_scores`, as any other table. Make it by `from_frame`.

    Parameters
    ----------
    sizes : Sizes
        How many cells, classes and clusters there are of each size.

    Attributes
    ----------
    n : int
        Number of objects.
    shape : tuple of int
        Numbers of classes and of clusters.
    identical : bool
        Whether classes and clusters are the same partition.

    Notes
    -----
    Pair counts are exact. Entropies are differences of sums of x log x, good to about 1e-14. A
    measure that needs cells has no value here, and says so.

    Examples
    --------
    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS y, i % 4 AS c FROM range(60) AS t(i)")
    >>> table = EngineTable.from_frame(frame, truth="y", pred="c")
    >>> table.n, table.shape, table.pairs
    (60, (2, 4), Pairs(n11=420, n10=450, n01=0, n00=900))
    """

    is_whole = True
    # The labels stay in the engine, and so does what they mean.
    noise_as_cluster = (0, 0)

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.n = self.exact_n = sum(size * many for size, many in sizes.cells.items())
        self.shape = sum(sizes.classes.values()), sum(sizes.clusters.values())
        self.identical = sum(sizes.cells.values()) == self.shape[0] == self.shape[1]

    @classmethod
    def from_frame(
        cls, frame: Any, *, truth: str, pred: str, missing: Missing = "raise"
    ) -> EngineTable:
        """Let the engine count the sizes of the table of two columns; its cells stay there.

        Parameters
        ----------
        frame : dataframe
            A dataframe of pandas, polars, pyarrow, DuckDB, Dask, Spark or Ibis.
        truth : str
            The column of classes.
        pred : str
            The column of clusters.
        missing : {"raise", "drop", "class"}, default "raise"
            What a missing label does: it is an error, its object is dropped, or it is a class.

        Returns
        -------
        EngineTable
            The sums of the table.

        Raises
        ------
        LabelError
            If labels are missing, or if there are no rows.
        FileError
            If the dataframe has no such column.

        Examples
        --------
        >>> import duckdb
        >>> frame = duckdb.sql("SELECT i % 2 AS y, i % 2 AS c FROM range(10) AS t(i)")
        >>> EngineTable.from_frame(frame, truth="y", pred="c")
        EngineTable of 10 objects: 2 classes x 2 clusters, 2 non-empty cells that stay in the engine
        """
        return cls(table_sizes(frame, truth=truth, pred=pred, missing=missing))

    @cached_property
    def exact_pairs(self) -> Pairs:
        """Pair counts, exactly."""
        cells, classes, clusters = (
            sum(size * size * many for size, many in side.items())
            for side in (self.sizes.cells, self.sizes.classes, self.sizes.clusters)
        )
        return count_pairs(cells, classes, clusters, self.n)

    @property
    def pairs(self) -> Pairs:
        """How many pairs of objects class and cluster put together or apart."""
        return self.exact_pairs

    @cached_property
    def entropies(self) -> Entropies:
        """Entropies and mutual information in nats (Meilă 2007, eqs. 2-10)."""
        if self.identical:
            one = self._entropy(self.sizes.classes)
            return Entropies(one, one, 0.0, 0.0, one)
        classes, clusters, joint = map(
            self._entropy, (self.sizes.classes, self.sizes.clusters, self.sizes.cells)
        )
        mutual = max(0.0, classes + clusters - joint)
        given = max(0.0, joint - clusters), max(0.0, joint - classes)
        return Entropies(classes, clusters, *given, mutual)

    def _entropy(self, sizes: Mapping[int, int]) -> float:
        return math.fsum(x / self.n * many * math.log(self.n / x) for x, many in sizes.items())

    @cached_property
    def expected_mutual_information(self) -> float:
        """Mean mutual information in nats over all tables with these margins."""
        if max(self.shape) == self.n:
            return self.entropies.mutual
        return expected_deviances(self.sizes.classes, self.sizes.clusters, self.n)

    def _counted_sizes(self, of_clusters: bool) -> Mapping[int, int]:
        return self.sizes.clusters if of_clusters else self.sizes.classes

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(Contingency, name):
            raise AttributeError(f"a table in an engine has no {name}.")
        raise UndefinedError(NO_CELLS, fault=TableError)

    def __repr__(self) -> str:
        classes, clusters = self.shape
        cells = sum(self.sizes.cells.values())
        return (
            f"EngineTable of {self.n:,} objects: {classes:,} classes x {clusters:,} clusters, "
            f"{cells:,} non-empty cells that stay in the engine"
        )


def with_cells(table: Any, what: str) -> Contingency:
    """The table, if its cells are in memory; what needs them says so otherwise."""
    if isinstance(table, Contingency):
        return table
    raise TableError(
        f"{what} needs the cells of a table, and those of an EngineTable stay in the engine; make "
        "a Contingency if they fit into memory."
    )
