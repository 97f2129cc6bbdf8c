"""The door for files and dataframes.

Law: the only room that reads files or imports an engine, and an engine only if the user
brought it.
"""

from __future__ import annotations

from clustervet.frames.features import FeatureTable, read_features
from clustervet.frames.text import TextTable, read_text_table

__all__ = ["FeatureTable", "TextTable", "read_features", "read_text_table"]
