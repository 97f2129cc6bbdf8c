"""Bundled data, and loaders of text corpora."""

from __future__ import annotations

from pathlib import Path


def iris_path() -> Path:
    """Return the path of a CSV file with Fisher's 150 irises.

    Returns
    -------
    Path
        The file: the species, and four clusterings of the flowers.

    Examples
    --------
    >>> iris_path().name
    'iris.csv'
    """
    return Path(__file__).parent / "iris.csv"
