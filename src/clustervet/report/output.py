"""`write_report`: a report as a file, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from clustervet._checks import one_of
from clustervet.errors import FileError, ParameterError
from clustervet.frames.writing import write_whole
from clustervet.labels import show_label
from clustervet.report.page import to_html
from clustervet.report.report import Report, build_report

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

    The page needs no network. A report that fails leaves a file that was there as it was.

    Parameters
    ----------
    results : Result, list, mapping or Report
        As in `build_report`, or a finished report.
    path : str or path
        The file: .html, .md or .json.
    title : str, optional
        The title of the report.
    command : str, optional
        How to make the report again.
    theme : {"auto", "light", "dark"}, optional
        The colours of the page; "auto" follows the reader's system.
    format : {"html", "markdown", "json"}, optional
        The format, where the name of the file does not say it.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ParameterError
        If the format is unknown, or no report can be made of the results.
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import clustervet as cv, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_report(cv.external_scores([0, 0, 1], [0, 1, 1]), f"{folder}/page.html")
    ...     path.name, path.stat().st_size < 8_000_000
    ('page.html', True)
    """
    target = Path(path)
    chosen = check_target(target, format)
    report = results
    if not isinstance(results, Report):
        report = build_report(results, title=title, command=command)
    write_whole(target, render(report, chosen, theme))
    return target


def check_target(path: str | os.PathLike[str], format: Format | None = None) -> Format:
    """Return the format of a file to write, by its name unless it is given.

    >>> check_target("page.html"), check_target("numbers", "json")
    ('html', 'json')
    """
    if format is not None:
        one_of(format, "format", FORMATS)
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
    """Return the report as text in a format.

    Parameters
    ----------
    report : Report
        The report.
    format : {"html", "markdown", "json"}
        The format.
    theme : {"auto", "light", "dark"}, optional
        The colours of the page.

    Returns
    -------
    str
        The whole file.
    """
    if format == "html":
        return to_html(report, theme)
    return report.to_markdown() if format == "markdown" else report.to_json() + "\n"
