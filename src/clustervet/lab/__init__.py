"""The papers' studies, run again.

Law: a study prints its figures beside the paper's, and says what differs.
"""

from __future__ import annotations

from clustervet.lab.text import TextStudy, text_study

__all__ = ["TextStudy", "text_study"]
