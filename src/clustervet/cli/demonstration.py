"""What `demo` shows."""

from __future__ import annotations

import sys
from pathlib import Path

from clustervet.cli.answers import Scores
from clustervet.datasets import iris_path
from clustervet.frames import read_text_table
from clustervet.scorecard import external_scores

MEASURES = ["adjusted_rand", "normalized_mutual_information", "variation_of_information", "purity"]


def irises() -> Scores:
    """The bundled clusterings of the irises, scored."""
    table = read_text_table(iris_path())
    preds = {name: codes for name, codes in table.columns.items() if name != "species"}
    cards = external_scores({"species": table.column("species")}, preds)
    return Scores(
        cards,
        title="Fisher's 150 irises: four clusterings of the flowers against their species "
        "(↑ higher is better, ↓ lower is better).",
    )


def digits(path: str) -> Scores:
    """Handwritten digits clustered in six ways: scored, compared, chosen, and a page about it."""
    from clustervet.datasets.digits import clustered_digits
    from clustervet.evidence import examine
    from clustervet.report import write_report
    from clustervet.report.write import check_target
    from clustervet.selection import select, tune

    check_target(path)
    print("clustervet: clustering 1,797 handwritten digits in six ways ...", file=sys.stderr)
    data = clustered_digits()
    evidence = examine(
        {"digit": data.truth}, data.predictions, features=data.features, random_state=0, n_jobs=-1
    )
    chosen = select(
        data.features,
        data.truth,
        algorithms=["kmeans", "ward", "gmm"],
        clusters=[5, 8, 10, 12, 15, 20, 25],
        runs=3,
        train=0.2,
        random_state=0,
        n_jobs=-1,
    )
    tuned = tune("kmeans", data.features, values=range(2, 21, 2), random_state=0, n_jobs=-1)
    written = write_report(
        {
            "Six clusterings": evidence,
            "The choice": chosen,
            "The number of clusters": tuned,
        },
        path,
        title="Six clusterings of handwritten digits",
        command=f"clustervet demo --report {path}",
    )
    print(f"clustervet: the report is {Path(written).resolve()}", file=sys.stderr)
    return Scores(
        external_scores({"digit": data.truth}, data.predictions, measures=MEASURES),
        title="1,797 handwritten digits: six clusterings of their pixels against the digits meant "
        "(↑ higher is better, ↓ lower is better).",
    )
