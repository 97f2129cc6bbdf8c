"""Peak memory of one library that counts one table, measured in this process only.

Run as `python probe.py LIBRARY N CLUSTERS`. Prints JSON, in MB. The peak is read from the
status file of this process, because the value of getrusage starts at the size of the parent.
Memory that a library loads on first use counts; memory that it loads on import does not.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

STATUS = Path("/proc/self/status")
CHUNK = 1_000_000


def peak() -> float:
    """The peak memory of this process, in MB."""
    if STATUS.exists():
        lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) / 1024
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def labels(n: int, clusters: int, seed: int) -> NDArray[np.int32]:
    """Random labels, made in chunks so that this causes no memory peak."""
    rng = np.random.default_rng(seed)
    made = np.empty(n, np.int32)
    for start in range(0, n, CHUNK):
        part = made[start : start + CHUNK]
        part[:] = rng.integers(0, clusters, len(part), np.int32)
    return made


def load(library: str) -> Callable[[Any, Any], Any]:
    """The library's function that counts a table from labels."""
    if library == "clustervet":
        from clustervet import Contingency

        return lambda truth, pred: Contingency.from_labels(truth, pred).counts
    if library == "scikit-learn":
        from sklearn.metrics.cluster import contingency_matrix

        return lambda truth, pred: contingency_matrix(truth, pred, sparse=True)
    from genieclust.compare_partitions import confusion_matrix

    return lambda truth, pred: confusion_matrix(truth, pred)


def main(library: str, n: int, clusters: int) -> None:
    count = load(library)
    truth, pred = labels(n, clusters, 1), labels(n, clusters, 2)
    before = peak()
    table = count(truth, pred)
    after = peak()
    values = table.data if hasattr(table, "tocsr") else table
    squares = int(np.square(np.asarray(values, np.int64)).sum())
    inputs = (truth.nbytes + pred.nbytes) / 1024**2
    answer = {"rise": after - before, "process": after - inputs, "squares": squares}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
