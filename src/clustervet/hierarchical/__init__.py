"""Hierarchical clusterings: dendrograms and taxonomies over the same leaves.

Law: a formula reads a `TreePair` and returns a float; ties in height are honoured.
"""

from __future__ import annotations

__all__: list[str] = []
