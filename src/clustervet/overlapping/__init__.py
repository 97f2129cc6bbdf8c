"""Overlapping clusterings: an object may be in several groups, or in none.

Law: a formula reads a `CoverPair` and returns a float; no pairs of objects are kept.
"""

from __future__ import annotations

__all__: list[str] = []
