"""Results as one web page, Markdown or JSON.

Law: results in, text out; nothing here computes a measure, and every text is escaped.

- `build_report(results, *, title=None, command=None, time=None) -> Report`
- `write_report(results, path, *, title=None, command=None, theme="auto", format=None) -> Path`
- `render(report, format, theme="auto") -> str`
"""

from __future__ import annotations

from clustervet.report.build import build_report
from clustervet.report.record import Report
from clustervet.report.write import render, write_report

__all__ = ["Report", "build_report", "render", "write_report"]
