"""All that the other rooms say about some clusterings, gathered into one record.

Law: the only room that gathers; it computes nothing itself.
"""

from __future__ import annotations

from clustervet.evidence.evidence import ClusteringEvidence, Evidence
from clustervet.evidence.examine import examine
from clustervet.evidence.examine_files import examine_files

__all__ = ["ClusteringEvidence", "Evidence", "examine", "examine_files"]
