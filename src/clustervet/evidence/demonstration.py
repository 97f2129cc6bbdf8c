"""The data and results that `clustervet demo` shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clustervet.datasets import iris_path
from clustervet.datasets.digits import clustered_digits
from clustervet.evidence.examine import examine
from clustervet.frames import open_table
from clustervet.scorecard import Judgement, judge
from clustervet.selection import select
from clustervet.tuning import tune

MEASURES = ("adjusted_rand", "normalized_mutual_information", "variation_of_information", "purity")
ARROWS = "(↑ higher is better, ↓ lower is better)."


def irises() -> Judgement:
    """Return the bundled clusterings of Fisher's irises, scored against their species."""
    source = open_table(iris_path())
    columns = source.labels(list(source.columns))
    truth = {"species": columns.pop("species")}
    title = "Fisher's 150 irises: four clusterings of the flowers against their species"
    return replace(judge(truth, columns), title=f"{title} {ARROWS}")


def digits() -> tuple[Judgement, dict[str, Any]]:
    """Return six clusterings of handwritten digits: scored, examined, chosen and tuned."""
    data = clustered_digits()
    truth = {"digit": data.truth}
    shared: dict[str, Any] = {"random_state": 0, "n_jobs": -1}
    results = {
        "Six clusterings": examine(truth, data.predictions, features=data.features, **shared),
        "The choice": select(
            data.features,
            data.truth,
            algorithms=["kmeans", "ward", "gmm"],
            clusters=[5, 8, 10, 12, 15, 20, 25],
            runs=3,
            train=0.2,
            **shared,
        ),
        "The number of clusters": tune("kmeans", data.features, values=range(2, 21, 2), **shared),
    }
    title = "1,797 handwritten digits: six clusterings of their pixels against the digits meant"
    judged = judge(truth, data.predictions, measures=MEASURES)
    return replace(judged, title=f"{title} {ARROWS}"), results
