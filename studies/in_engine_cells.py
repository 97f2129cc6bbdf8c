"""How much memory a table of 50 million cells takes if its cells stay in the engine.

    python studies/in_engine_cells.py [cells] [memory limit]

Most input rows are separate cells, so a table in Python would need some 20 bytes per cell
in numpy alone. The engine stays within its memory limit and writes the rest to a folder on disk.
Python holds only a few numbers. The study prints measures with known values, the seconds, and the
peak memory of the whole process, including the engine.
"""

from __future__ import annotations

import math
import resource
import sys
import time

from clustervet import EngineTable
from clustervet.frames.engines import engine_for
from clustervet.registry import measures


def main(cells: int = 50_000_000, memory_limit: str = "2GB") -> None:
    """Count the sizes, score, and print."""
    import clustervet.external  # noqa: F401  # fills the registry

    began = time.perf_counter()
    with engine_for("duckdb", memory_limit=memory_limit) as engine:
        # Rows i and i + cells share a cell: class i, cluster i // 5.
        rows = f"(SELECT i % {cells:d} AS y FROM range({cells * 6 // 5:d}) t(i))"
        frame = engine.session.sql(f"SELECT y, y // 5 AS c FROM {rows}")
        table = EngineTable.from_frame(frame, truth="y", pred="c")
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    double = cells // 5
    assert table.shape == (cells, cells // 5)
    assert table.pairs.n11 == double
    assert math.isclose(
        measures["homogeneity"].evaluate(table).value,
        table.entropies.mutual / table.entropies.classes,
    )
    print(f"cells {cells:,}  rows {table.n:,}  sizes {len(table.sizes.cells)}")
    print(f"rand {measures['rand'].evaluate(table).value!r}")
    print(f"variation_of_information {measures['vi'].evaluate(table).value!r}")
    print(f"{seconds:.1f} s, at most {peak:.2f} GB with a limit of {memory_limit} in the engine")


if __name__ == "__main__":
    main(*(int(word) if word.isdigit() else word for word in sys.argv[1:]))
