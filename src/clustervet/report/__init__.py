"""Results as one web page, Markdown or JSON.

Law: never formats or computes; asks each result for its `document()` and
`plots.figures` for the figures, puts them in order, and adds formulas and references.
"""

from __future__ import annotations

from clustervet.report.output import render, write_report
from clustervet.report.report import Report, build_report
from clustervet.report.screen import first_screen

__all__ = ["Report", "build_report", "first_screen", "render", "write_report"]
