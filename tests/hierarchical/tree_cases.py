"""Random trees with many ties, as users give them and as the oracle reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import tree_oracle
from hypothesis import strategies as st

KEYS = (
    "cophenetic_correlation",
    "bakers_gamma",
    "robinson_foulds",
    "normalized_robinson_foulds",
    "hierarchical_mutual_information",
    "normalized_hierarchical_mutual_information",
    "hierarchical_element_centric",
    "dendrogram_purity",
)
# Those that take any two trees, and not only a flat truth.
GENERAL = KEYS[:-1]


@st.composite
def linkages(draw: Any, n: int) -> Any:
    """Merges with whole heights, of which many are equal; parents are not below their children."""
    held = [(i, 0, 1) for i in range(n)]
    rows = []
    for k in range(n - 1):
        one = held.pop(draw(st.integers(0, len(held) - 1)))
        two = held.pop(draw(st.integers(0, len(held) - 1)))
        height = max(one[1], two[1]) + draw(st.integers(0, 2))
        rows.append((one[0], two[0], height, one[2] + two[2]))
        held.append((n + k, height, one[2] + two[2]))
    return np.array(rows, float).reshape(-1, 4), tree_oracle.from_linkage(rows)


@st.composite
def taxonomies(draw: Any, n: int, most: int = 3) -> Any:
    """Nested labels from coarse to fine."""
    levels = [draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))]
    for _ in range(draw(st.integers(0, most - 1))):
        more = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
        levels.append([f"{old}.{new}" for old, new in zip(levels[-1], more, strict=True)])
    return levels, tree_oracle.from_levels(levels)


@st.composite
def flats(draw: Any, n: int) -> Any:
    labels = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return labels, tree_oracle.from_levels([labels])


def trees(n: int) -> Any:
    return st.one_of(linkages(n), taxonomies(n), flats(n))


@st.composite
def pairs(draw: Any, least: int = 2, most: int = 8, flat: bool = False) -> Any:
    """Two trees over the same objects; the truth of `flat` is a clustering."""
    n = draw(st.integers(least, most))
    return draw(flats(n) if flat else trees(n)), draw(trees(n))


def random_linkage(n: int, rng: Any, ties: int = 0, chain: bool = False) -> Any:
    """Random merges with rising heights, or those of a chain; with ties many heights are equal."""
    rows, held, sizes = [], list(range(n)), [1] * n
    rng.shuffle(held)
    height = 0.0
    for k in range(n - 1):
        height += int(rng.integers(0, 2)) if ties else float(rng.random())
        i = len(held) - 1 if chain else int(rng.integers(len(held)))
        held[i], held[-1] = held[-1], held[i]
        one = held.pop()
        j = 0 if chain and k == 0 else int(rng.integers(len(held)))
        two = held[j] if not chain else held[len(held) - 1]
        sizes.append(sizes[one] + sizes[two])
        rows.append((one, two, height, sizes[-1]))
        held[j if not chain else len(held) - 1] = n + k
    return np.array(rows, float)
