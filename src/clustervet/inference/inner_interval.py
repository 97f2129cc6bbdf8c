"""How values of measures of features vary from sample to sample: points are left out in groups.

All other points stay as they are, with their labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import entropy
from clustervet.errors import FeatureError, ParameterError
from clustervet.geometry import Geometry, MomentGeometry
from clustervet.geometry.geometry import refuse_weights
from clustervet.inference.groups import FEWEST, leave_groups_out
from clustervet.inference.jackknife import Spread
from clustervet.internal.common import drawn_places, strata
from clustervet.internal.separation import MANY_CLUSTERS, centroid_distances
from clustervet.registry import Measure

# Points of which groups are left out where time grows with the points; and with their pairs: so
# many per cluster, within limits. Of more points a part is drawn, by cluster.
MOST_POINTS = 20_000
PER_CLUSTER, LEAST_PAIRED, MOST_PAIRED = 20, 500, 2_000
# Two centroids are told apart whose distance is more than so many times its standard error.
APART = 2.0
# Parameters for drawing points or pairs, which parts are too small to need.
DRAWING = frozenset({"sample", "pairs", "random_state", "draw"})
LABELS_GIVEN = (
    "Intervals take the labels as given: they say where a value lies for all data of the source, "
    "and not how much the clusters would change with other points; stability says that."
)


def check_points(geometry: Geometry) -> None:
    """Refuse a geometry without points, with too few, or with weights."""
    refuse_weights("an interval", geometry)
    if isinstance(geometry, MomentGeometry):
        raise ParameterError(
            "an interval needs all points in memory, and of these only the moments of clusters "
            "are known.",
            parameter="confidence",
        )
    if geometry.rows < FEWEST:
        few = f"there are {geometry.rows:,}"
        raise FeatureError(f"an interval needs at least {FEWEST} points; {few}.")


def check_measure(record: Measure) -> None:
    """Refuse a measure whose values no interval can be made for."""
    if record.no_interval:
        raise ParameterError(f"there is no interval for {record.key}: {record.no_interval}.")


def are_apart(geometry: Geometry) -> bool:
    """Whether the sample tells all centroids apart.

    Where two coincide in the source, those of a sample never do, and no measure of centroids can
    know. Distances alone have no centroids, and neither have columns of any kind.
    """
    if geometry.is_precomputed or geometry.metric.columns:
        return True
    if geometry.k > MANY_CLUSTERS:
        return False
    variances = geometry.within / geometry.sizes.astype(float) ** 2
    return all(
        bool((block > APART * np.sqrt(variances[first:last, None] + variances)).all())
        for first, last, block in centroid_distances(geometry)
    )


def inner_spreads(
    geometry: Geometry,
    records: Sequence[Measure],
    parameters: Mapping[str, Any],
    random_state: Any = 0,
) -> list[tuple[Spread, int]]:
    """How far each value is off and how much it varies, and how many groups were left out."""
    from threadpoolctl import threadpool_limits

    seed = entropy(0 if random_state is None else random_state)
    own = {name: value for name, value in parameters.items() if name not in DRAWING}
    paired = int(np.clip(PER_CLUSTER * geometry.k, LEAST_PAIRED, MOST_PAIRED))
    found: dict[str, tuple[Spread, int]] = {}
    for most in (MOST_POINTS, paired):
        some = [x for x in records if (paired if x.cost == "pairs" else MOST_POINTS) == most]
        with threadpool_limits(1):  # threads for so few points cost more than they save
            spreads = _spreads(geometry, some, own, most, np.random.default_rng(seed))
        found |= {record.key: spread for record, spread in zip(some, spreads, strict=True)}
    return [found[record.key] for record in records]


def _spreads(
    geometry: Geometry,
    records: Sequence[Measure],
    own: dict[str, Any],
    most: int,
    rng: np.random.Generator,
) -> list[tuple[Spread, int]]:
    if not records:
        return []
    part = geometry
    if geometry.rows > most:
        part = geometry.part(np.sort(geometry.order[drawn_places(strata(geometry, most), rng)]))

    def values(kept: NDArray[np.int64] | None) -> NDArray[np.float64]:
        return _values(part if kept is None else part.part(kept), records, own, part.rows)

    found = leave_groups_out(part.rows, values, rng, "points")
    spreads = found.spreads(part.rows / geometry.rows, [record.sized for record in records])
    return [(spread, found.groups) for spread in spreads]


def _values(
    geometry: Geometry, records: Sequence[Measure], own: dict[str, Any], points: int
) -> NDArray[np.float64]:
    """The values; those that grow with the number of points as if there were so many."""
    values = np.array([float(record.evaluate(geometry, **own).value) for record in records])
    values[[record.sized for record in records]] *= points / geometry.rows
    return values
