"""Files and dataframes: one `Source` that answers for columns, labels, features and groups.

Law: the only room that reads files or imports an engine, and an engine only if the user brought
it or the file needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clustervet.frames.feature_table import FeatureTable
    from clustervet.frames.source import Source, Unmatched, open_table

__all__ = ["FeatureTable", "Source", "Unmatched", "open_table"]


def __getattr__(name: str) -> Any:
    """What is loaded when first asked for, since dataframes need no reader of files."""
    if name in __all__:
        from clustervet.frames import source

        return getattr(source, name)
    raise AttributeError(f"module 'clustervet.frames' has no attribute {name!r}")
