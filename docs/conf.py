"""How Sphinx builds the site; `make docs` runs it, and a warning is an error."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import drawn_code
import site_pages

import clustervet

project = "clustervet"
author = "the clustervet authors"
project_copyright = author
release = version = clustervet.__version__
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx-mathjax-offline",
]
root_doc = "index"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
default_role = "code"
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\$ |\.\.\. "
copybutton_prompt_is_regexp = True
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "image_scrapers": ("matplotlib", "drawn_code.scrape"),
    "ignore_repr_types": r"plotly.*Figure",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "copyfile_regex": "",
}
exclude_patterns = ["gallery"]
html_static_path = ["static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_title = "clustervet"
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "navigation_depth": 2,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
}


def setup(app: Any) -> None:
    """Write the pages that come from the registry and the public names, before they are read."""
    site_pages.write_all(Path(__file__).parent)
    app.connect("autodoc-process-docstring", _without_foreign_links)
    app.connect("source-read", drawn_code.Guide().add_pictures)


def _without_foreign_links(
    app: Any, what: str, name: str, item: Any, options: Any, lines: list[str]
) -> None:
    """Make plain words of links to the pages of scikit-learn, whose methods are inherited."""
    lines[:] = [re.sub(r":(?:ref|term):`([^<`]+?)(?: <[^>]+>)?`", r"\1", line) for line in lines]
