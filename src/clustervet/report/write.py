"""`write_report`: a report as a file, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from clustervet.errors import FileError, ParameterError
from clustervet.frames.whole import write_whole
from clustervet.labels import show_label
from clustervet.report.build import build_report
from clustervet.report.markdown import to_markdown
from clustervet.report.page import to_html
from clustervet.report.record import Report

Format = Literal["html", "markdown", "json"]
FORMATS: tuple[Format, ...] = ("html", "markdown", "json")
SUFFIXES: dict[str, Format] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
}


def write_report(
    results: Any,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    command: str | None = None,
    theme: str = "auto",
    format: Format | None = None,
) -> Path:
    """Write a report on results: one web page, Markdown or JSON, by the name of the file.

    `results` are as in `build_report`, or a finished `Report`. The page needs no network. `theme`
    is "light", "dark" or "auto", which follows the reader's system. A report that fails leaves a
    file that was there as it was. Gives the path.

    >>> import clustervet as cv, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(cv.external_scores([0, 0, 1], [0, 1, 1]), f"{folder}/page.html")
    ...     path.name, path.stat().st_size < 8_000_000
    ('page.html', True)
    """
    target = Path(path)
    chosen = check_target(target, format)
    report = results if isinstance(results, Report) else None
    if report is None:
        report = build_report(results, title=title, command=command)
    write_whole(target, render(report, chosen, theme))
    return target


def check_target(path: str | os.PathLike[str], format: Format | None = None) -> Format:
    """The format of a file to write, by its name unless it is given.

    >>> check_target("page.html"), check_target("numbers", "json")
    ('html', 'json')
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(f"format must be one of {', '.join(FORMATS)}, not {format!r}.")
    target = Path(path)
    chosen = format or SUFFIXES.get(target.suffix.lower())
    if chosen is None:
        raise ParameterError(
            "a report's file must end in .html, .md or .json, not in "
            f"{show_label(target.suffix or target.name)!r}."
        )
    folder = target.resolve().parent
    if not folder.is_dir():
        raise FileError(f"{show_label(str(folder), 200)} is no folder to write a report into.")
    return chosen


def render(report: Report, format: Format, theme: str = "auto") -> str:
    """The report as text."""
    if format == "html":
        return to_html(report, theme)
    return to_markdown(report) if format == "markdown" else report.to_json() + "\n"
