"""The text of a partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clustervet.partition.base import Element

# Up to this many objects are shown one by one; beyond, this many sizes are shown.
OBJECTS = 12
SIZES = 8


def text(partition: Element) -> str:
    """The clusters as sets of positions, or their number and the largest sizes."""
    if partition.n <= OBJECTS:
        blocks = [", ".join(map(str, block)) for block in partition.blocks()]
        return f"Partition({', '.join(f'{{{block}}}' for block in blocks)})"
    sizes = np.sort(partition.sizes)[::-1]
    shown = ", ".join(f"{size:,}" for size in sizes[:SIZES].tolist())
    more = ", ..." if len(sizes) > SIZES else ""
    unit = "cluster" if partition.k == 1 else "clusters"
    return f"Partition of {partition.n:,} objects: {partition.k:,} {unit} of {shown}{more}"
