"""Draw the pictures of the README: docs/images/report.png and docs/images/terminal.svg.

`make pictures` runs this script. It needs Chromium, as the tests do.
"""

from __future__ import annotations

import io
import re
import shutil
import tempfile
from pathlib import Path

import clustervet as cv
from clustervet.datasets import iris_path
from clustervet.evidence.demonstration import digits

ASKED = {"measures": ["ari", "ami", "vi", "purity"], "confidence": 0.95}
SHOWN = "score irises.csv -t species -p kmeans -p mixture -m ari,ami,vi,purity --confidence 0.95"
IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1400, "height": 900}


def draw_report(target: Path) -> None:
    """Write the first screen of the demonstration's report as PNG."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "report.html"
        cv.write_report(digits()[1], page, title="Six clusterings of handwritten digits")
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        opened = browser.new_page(viewport=SIZE, color_scheme="light")
        opened.goto(page.as_uri())
        opened.wait_for_selector("#verdict .plot[data-drawn]")
        opened.screenshot(path=str(target))
        browser.close()


def draw_terminal(target: Path) -> None:
    """Write what a command prints as SVG, without the fonts that a reader would fetch."""
    from rich._export_format import CONSOLE_SVG_FORMAT
    from rich.console import Console

    from clustervet.view.terminal import to_rich

    judged = cv.score_files(iris_path(), "species", ["kmeans", "mixture"], **ASKED)
    console = Console(record=True, width=104, file=io.StringIO(), force_terminal=True)
    console.print(f"[bold green]$[/] clustervet {SHOWN}", highlight=False)
    console.print(to_rich(judged.document()))
    own = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    target.write_text(console.export_svg(title="", code_format=own), encoding="utf-8")


def main() -> None:
    """Write both pictures."""
    IMAGES.mkdir(exist_ok=True)
    draw_terminal(IMAGES / "terminal.svg")
    draw_report(IMAGES / "report.png")


if __name__ == "__main__":
    main()
