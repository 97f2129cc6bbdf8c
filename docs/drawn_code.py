"""Pictures that the code on the pages draws: in the examples and in the guide.

Figures become SVG without a browser, so the site can be built anywhere.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from sphinx_gallery.scrapers import figure_rst

from clustervet import plots

BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
GUIDE = Path(__file__).parent / "guide"


def scrape(block: Any, names: dict[str, Any], settings: dict[str, Any]) -> str:
    """Save the figure that is the last value of a block of an example."""
    figure = names["example_globals"].get("___")
    if not isinstance(figure, go.Figure):
        return ""
    path = next(names["image_path_iterator"]).removesuffix(".png") + ".svg"
    Path(path).write_text(plots.svg(figure), encoding="utf-8")
    said = figure.layout.meta["title"] if figure.layout.meta else ""
    return str(figure_rst([path], settings["src_dir"], said))


class Guide:
    """The code of the guide, which is run page by page as a reader would."""

    def __init__(self) -> None:
        self.pictures: dict[str, list[str]] = {}

    def run(self) -> None:
        """Run the first page, then each other page with the names that the first one made."""
        shown: list[str] = []
        before, show = Path.cwd(), go.Figure.show
        go.Figure.show = lambda figure: shown.append(plots.svg(figure, theme="auto"))
        try:
            with tempfile.TemporaryDirectory() as place:
                os.chdir(place)
                first = run_blocks(GUIDE / "index.md", {})
                for page in sorted(GUIDE.glob("*.md")):
                    if page.stem != "index":
                        shown.clear()
                        run_blocks(page, dict(first))
                        self.pictures[f"guide/{page.stem}"] = list(shown)
        finally:
            os.chdir(before)
            go.Figure.show = show

    def add_pictures(self, app: Any, name: str, source: list[str]) -> None:
        """Put each picture below the code that shows it."""
        if not name.startswith("guide/"):
            return
        if not self.pictures:
            self.run()
        pictures = iter(self.pictures.get(name, ()))
        source[0] = BLOCK.sub(lambda block: with_pictures(block, pictures), source[0])


def run_blocks(page: Path, names: dict[str, Any]) -> dict[str, Any]:
    """Run the Python of a page and return all names that it leaves."""
    for code in BLOCK.findall(page.read_text(encoding="utf-8")):
        exec(compile(code, page.name, "exec"), names)  # noqa: S102  # our own pages
    return names


def with_pictures(block: re.Match[str], pictures: Iterator[str]) -> str:
    """Return a block of code with the pictures that it shows."""
    found = [next(pictures) for _ in range(block[1].count(".show()"))]
    raw = "".join(f'\n```{{raw}} html\n<div class="drawn">{svg}</div>\n```\n' for svg in found)
    return block[0] + raw
