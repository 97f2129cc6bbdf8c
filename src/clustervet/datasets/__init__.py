"""Small bundled data."""

from __future__ import annotations

from pathlib import Path


def iris_path() -> Path:
    """Species of Fisher's 150 irises and four clusterings of the flowers, as CSV."""
    return Path(__file__).parent / "iris.csv"
