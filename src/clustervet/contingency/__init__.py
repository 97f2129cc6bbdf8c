"""The contingency table: all that an external measure may know about two clusterings.

Law: every sum here is exact (whole counts) or compensated (real weights).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustervet.contingency.derived import Pairs
from clustervet.contingency.engine_table import EngineTable
from clustervet.contingency.many import ManyPairs
from clustervet.contingency.table import Contingency
from clustervet.contingency.tables import Tables

if TYPE_CHECKING:
    from clustervet.contingency.files import read_tables

__all__ = ["Contingency", "EngineTable", "ManyPairs", "Pairs", "Tables", "read_tables"]


def __getattr__(name: str) -> Any:
    """Load what reads files when it is first asked for."""
    if name == "read_tables":
        from clustervet.contingency import files

        return getattr(files, name)
    raise AttributeError(f"module 'clustervet.contingency' has no attribute {name!r}")
