"""Results that tests of the report share."""

from __future__ import annotations

import numpy as np

HOSTILE = (
    "<script>window.hacked = 1</script>",
    "</script><script>window.hacked = 2</script>",
    '"><img src=x onerror="window.hacked = 3">',
    "javascript:window.hacked = 4",
    "\u202eevil\u2066\u200f",
    "x" * 10_000,
    "{{ 7 * 7 }} ${x} %{y} $z$ `q` | [a](javascript:b)",
    "\ud800 \x00 \x1b[31m\n\u2028",
)
FEW = ["adjusted_rand", "adjusted_mutual_information", "variation_of_information", "purity"]


def labels_of(names, count, share, seed):
    """Classes by name, and a clustering that differs from them in a share of the objects."""
    rng = np.random.default_rng(seed)
    classes = np.arange(count) % len(names)
    clusters = np.where(rng.random(count) < share, rng.integers(0, len(names), count), classes)
    return [names[c] for c in classes], clusters
