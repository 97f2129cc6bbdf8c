"""Peak memory of one exact silhouette, measured in this process only; prints JSON, in MB."""

from __future__ import annotations

import json
import sys
import time

import numpy as np

import clustervet as cv
from probe import peak


def main(n: int) -> None:
    rng = np.random.default_rng(0)
    points, codes = rng.normal(size=(n, 10)), rng.integers(0, 10, n)
    cv.silhouette(points[:5_000], codes[:5_000])  # fills the cache of compiled loops
    before, start = peak(), time.perf_counter()
    value = cv.silhouette(points, codes)
    answer = {"rise": peak() - before, "value": value, "seconds": time.perf_counter() - start}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]))
