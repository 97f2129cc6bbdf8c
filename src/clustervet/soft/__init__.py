"""Soft clusterings: every object belongs to every cluster by a degree.

Law: a formula reads a `SoftPair`, or the memberships of one clustering, and returns a float.
"""

from __future__ import annotations

__all__: list[str] = []
