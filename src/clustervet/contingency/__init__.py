"""The contingency table: all that an external measure may know about two clusterings.

Law: every sum here is exact (whole counts) or compensated (real weights).
"""

from __future__ import annotations

from clustervet.contingency.engine_table import EngineTable
from clustervet.contingency.pairs import Pairs
from clustervet.contingency.table import Contingency

__all__ = ["Contingency", "EngineTable", "Pairs"]
