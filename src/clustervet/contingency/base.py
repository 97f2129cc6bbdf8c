"""What a finished table is."""

from __future__ import annotations


class Table:
    """A finished table, which measures read as it is."""
