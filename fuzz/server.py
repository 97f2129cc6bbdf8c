"""The process that has imported the product and forks a child for every job.

Requests and replies are lines of JSON on two pipes. A child leaves the loop, so that it ends as
a Python process ends: with its handlers, its threads and its last words.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
from typing import Any

from fuzz.child import begin, perform
from fuzz.rooms import watch

# What commands import when they need it. None of these starts a thread by being imported.
WARM = (
    *("clustervet.cli.app", "clustervet.scorecard.score_files", "clustervet.evidence"),
    *("clustervet.report", "clustervet.plots", "clustervet.ensemble.labeling_files"),
    *("clustervet.selection", "clustervet.tuning", "clustervet.frames.documents"),
    *("clustervet.lab", "clustervet.contingency.files", "clustervet._kernels"),
    *("duckdb", "numba", "narwhals", "plotly.graph_objects", "jinja2", "rich.console"),
    *("sklearn.cluster", "sklearn.mixture", "scipy.optimize", "scipy.sparse", "zipfile"),
    *("pandas", "polars", "pyarrow.parquet", "dask.dataframe", "agreement"),
)


def serve(requests: int, replies: int) -> dict[str, Any] | None:
    """Fork a child for every request; the child returns its request, the parent None at the end."""
    with os.fdopen(requests, "r", encoding="utf-8") as asked:
        while line := asked.readline():
            request: dict[str, Any] = json.loads(line)
            pid = os.fork()
            if not pid:
                os.close(replies)
                return request
            ended = watch(pid, request["seconds"], request["signals"])
            os.write(replies, (json.dumps(ended) + "\n").encode())
    return None


def main() -> None:
    """Import everything, and serve."""
    for name in WARM:
        with contextlib.suppress(ImportError):  # a room may be renamed: it is then only slower
            importlib.import_module(name)
    exec(os.environ.get("FUZZ_BEFORE", ""), {})
    # A child takes signals once its folders and limits are set.
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    request = serve(*map(int, sys.argv[1:]))
    if request is not None:
        os.setsid()
        begin(request)
        perform(request)


if __name__ == "__main__":
    main()
