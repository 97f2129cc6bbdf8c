"""The cases, in the order in which they run. Each takes a scale and yields rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cases import (
    chance,
    clusterers,
    cold,
    counting,
    everything,
    evidence,
    fields,
    fragments,
    geometry,
    growth,
    hierarchical,
    intervals,
    labelings,
    lake,
    memory,
    overlapping,
    single,
    soft,
    stability,
    startup,
    suites,
    tail,
    trust,
)
from harness import Row, Scale

Case = Callable[[Scale], Iterator[Row]]

CASES: dict[str, tuple[str, Case]] = {
    "table": ("Counting integer labels", counting.integers),
    "strings": ("Counting string labels", counting.strings),
    "all": ("Every external measure from labels", everything.run),
    "ami": ("Adjusted mutual information", chance.run),
    "intervals": ("Confidence intervals", intervals.run),
    "fragments": ("Hundreds of thousands of clusters", fragments.run),
    "fields": ("Measures of other fields beside their tools", fields.run),
    "soft": ("Measures of soft clusterings", soft.soft),
    "covers": ("Groups that overlap", overlapping.run),
    "trees": ("Two trees over the same leaves", hierarchical.run),
    "evidence": ("Everything at once, and its page", evidence.run),
    "startup": ("Starting", startup.run),
    "cold": ("First runs after installation", cold.run),
    "memory": ("Memory beyond the inputs", memory.run),
    "single": ("Single measures from labels", single.run),
    "small": ("Small calls", single.small),
    "growth": ("How the time grows with the size", growth.run),
    "slow": ("Single measures beside peers that need small data", single.slow),
    "silhouette": ("Silhouettes", geometry.silhouettes),
    "centroids": ("Centroids and squares", geometry.centroids),
    "indices": ("Internal indices of genieclust", geometry.genieclust),
    "silhouette-memory": ("Memory of the silhouette", geometry.memory),
    "clusterers": ("Clustering text", clusterers.run),
    "suites": ("Algorithms over data sets", suites.run),
    "labelings": ("Matrices of distances", labelings.matrix),
    "labelings-memory": ("Memory of a matrix of distances", labelings.memory),
    "together": ("How often objects are together", labelings.together),
    "stability": ("Which clusters come back in samples", stability.stability),
    "lattice": ("Meet and join", labelings.lattice),
    "lake": ("Parquet files larger than memory", lake.run),
    "tail": ("The tail of the PAC-MDL bound", tail.run),
    "large": ("Values at large counts", trust.large),
    "digits": ("Values that are hard to compute", trust.digits),
}
