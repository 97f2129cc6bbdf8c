"""All that an ensemble tells, as one record."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import whole
from clustervet.ensemble.consensus import Consensus
from clustervet.ensemble.distances import MATRIX, Distances, matrix_table
from clustervet.ensemble.embedding import Embedding, positive_interval
from clustervet.ensemble.groups import Groups, Hierarchy, Medoid
from clustervet.ensemble.levels import Level
from clustervet.ensemble.nearest import Nearest
from clustervet.errors import ParameterError
from clustervet.labels import show_label
from clustervet.registry import Estimate
from clustervet.view import Cell, Column, Result, Row, Section, Table, name_cell, number_cell, plain
from clustervet.view.words import ident, number

CONFIDENCE = 0.95
# Labelings whose matrix of distances is also shown outside pages.
FEW = 7
# Letters of a name.
WIDTH = 24


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Result):
    """Distances, centre, groups, tree, map and consensus of many labelings.

    Parameters
    ----------
    distances : Distances
        The distances between all labelings.
    clusters : ndarray of int
        The number of clusters of each labeling.
    mean_distances : ndarray of float
        The weighted mean distance of each labeling to the others.
    objects : int
        The number of objects.
    kept : ndarray of bool or None
        Which of the objects given are left, where some were dropped.
    medoid : Medoid
        The labeling nearest to the others.
    spread : Estimate
        The mean distance of two labelings.
    groups : Groups
        Groups of labelings.
    hierarchy : Hierarchy
        The tree of labelings.
    embedding : Embedding
        The map of labelings.
    consensus : Consensus
        The partition nearest to all labelings.
    nearest : Nearest, optional
        The labelings nearest to a query.
    levels : tuple of Level, optional
        The labelings in the order of their numbers of clusters, where these differ.
    """

    SCHEMA: ClassVar[str] = "clustervet/ensemble/1"

    distances: Distances
    clusters: NDArray[np.int64]
    mean_distances: NDArray[np.float64]
    objects: int
    kept: NDArray[np.bool_] | None
    medoid: Medoid
    spread: Estimate
    groups: Groups
    hierarchy: Hierarchy
    embedding: Embedding
    consensus: Consensus
    nearest: Nearest | None = None
    levels: tuple[Level, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the labelings."""
        return self.distances.names

    def labels(self, group: int | None = None) -> list[int | None]:
        """Return the cluster of each object in the consensus, in the order of the input.

        Parameters
        ----------
        group : int, optional
            The number of a group, from 0 on, for its consensus instead of that of all labelings.

        Returns
        -------
        list of int or None
            One entry per object that was given, in the order of `Ensemble.objects` if these have
            names; None for an object that was dropped.

        Raises
        ------
        ParameterError
            If there is no such group, or the groups are around medoids.
        """
        partition = self.consensus.partition
        if group is not None:
            if not self.groups.centres:
                raise ParameterError("groups around medoids have no consensus of their own.")
            partition = self.groups.centres[whole(group, "group", 0, self.groups.k - 1)]
        found: list[int | None] = partition.codes.tolist()
        if self.kept is None:
            return found
        rest = iter(found)
        return [next(rest) if kept else None for kept in self.kept.tolist()]

    def columns(self) -> dict[str, Any]:
        """Return one row per labeling: what is known of it, then its distances to all.

        Returns
        -------
        dict
            The columns ``labeling``, ``clusters``, ``group`` (from 1 on), ``mean_distance``,
            ``total`` and ``to_consensus`` (as in `Consensus`), ``x`` and ``y`` (on the map), and
            one column per labeling with the distances to it.
        """
        names = self.names
        x, y = self.embedding.points[:, :2].T.tolist()
        distances = {
            f"distance to {name}": column
            for name, column in zip(names, self.distances.matrix.T.tolist(), strict=True)
        }
        return {
            "labeling": list(names),
            "clusters": self.clusters.tolist(),
            "group": (self.groups.labels + 1).tolist(),
            "mean_distance": self.mean_distances.tolist(),
            "total": self.consensus.objectives.tolist(),
            "to_consensus": self.consensus.distances.tolist(),
            "x": x,
            "y": y,
            **distances,
        }

    def cautions(self) -> list[str]:
        """Return in which labelings the label -1 counts as a cluster, where no policy said so.

        Returns
        -------
        list of str
            One sentence, or none.
        """
        return self.distances.cautions()

    def document(self) -> Section:
        """Return what the ensemble tells: its labelings, their distances, and the findings.

        Returns
        -------
        Section
            The caption, one table of the labelings, one of their distances where they are few,
            and one note per finding.
        """
        record, consensus = self.distances.measure, self.consensus.measure
        key, count = "ensemble", len(self.names)
        blocks = [self._labelings_table(key)]
        if count <= MATRIX:
            blocks.append(matrix_table(key, self.distances, detail=count > FEW))
        return Section(
            key,
            "How the clusterings relate",
            (self._caption(),),
            tuple(blocks),
            notes=(*self._findings(), *self.cautions()),
            subject=self,
            measures=(record,) if record is consensus else (record, consensus),
        )

    def _caption(self) -> str:
        record, counts = self.distances.measure, self.distances.counts
        least, most = int(counts.min()), int(counts.max())
        objects = f"{most:,}"
        if least < most:
            objects = f"{self.objects:,} ({least:,} to {most:,} shared)"
        unit = f", in {record.unit}" if record.unit else ""
        what = f"{record.title.lower()} ({record.key}){unit}"
        return f"{len(self.names):,} labelings of {objects} objects by {what}"

    def _labelings_table(self, key: str) -> Table:
        unit, total = self.distances.measure.unit, self.consensus.measure.unit
        heads = ("clusters", "group", "mean distance", "total", "to consensus", "x", "y")
        units = ("", "", unit, total, total, "", "")
        values = list(self.columns().values())[1:8]
        rows = []
        for k, name in enumerate(self.names):
            named = replace(name_cell("pred", name, width=WIDTH), best=k == self.medoid.index)
            cells = [number_cell(row[k], of) for row, of in zip(values[:5], units, strict=False)]
            points = [Cell(f"{row[k]:.3f}", row[k]) for row in values[5:]]
            rows.append(Row((named, *cells, *points), ident("pred", name)))
        columns = (Column("labeling", "text"), *map(Column, heads))
        return Table(f"{key}-labelings", "The labelings", columns, tuple(rows))

    def _findings(self) -> list[str]:
        """Return centre, spread, groups, map, consensus and nearest labelings, one line each."""
        unit = self.distances.measure.unit
        said = f" {unit}" if unit else ""
        low, high = positive_interval(self.spread, CONFIDENCE)
        ends = f" [{number(low, unit)}, {number(high, unit)}] at {CONFIDENCE:g} confidence"
        lines = [
            f"Medoid: {show_label(self.medoid.name, WIDTH)}, on average "
            f"{number(self.medoid.mean_distance, unit)}{said} from the others.",
            f"Mean distance of two labelings: {number(float(self.spread), unit)}{said}"
            f"{ends if math.isfinite(low) else ''}.",
            self.groups.sentence(),
            f"The map in two dimensions has stress {self.embedding.stress:.3f}.",
            *self.consensus.sentences(),
        ]
        if self.nearest is not None:
            near = ", ".join(
                f"{show_label(name, 40)} ({number(float(gap), unit)})"
                for name, gap in zip(self.nearest.names, self.nearest.distances, strict=True)
            )
            lines.append(f"Nearest to the query: {near}.")
        return [line for line in lines if line]

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain data; a number that is not finite is None.

        Returns
        -------
        dict
            One entry per part; ``nearest`` only where there was a query.
        """
        low, high = positive_interval(self.spread, CONFIDENCE)
        spread = {"mean": float(self.spread), "low": low, "high": high}
        data = {
            "schema": self.SCHEMA,
            "objects": self.objects,
            "distances": self.distances.to_dict(),
            "clusters": dict(zip(self.names, self.clusters.tolist(), strict=True)),
            "medoid": self.medoid.to_dict(),
            "spread": {**plain(spread), "confidence": CONFIDENCE},
            "groups": self.groups.to_dict(),
            "tree": self.hierarchy.to_dict(),
            "map": self.embedding.to_dict(),
            "consensus": self.consensus.to_dict(),
        }
        return data if self.nearest is None else {**data, "nearest": self.nearest.to_dict()}
