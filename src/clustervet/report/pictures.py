"""Figures of the room `plots` as pictures of a report."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from typing import Any

from clustervet.plots.frame import without_title
from clustervet.report.record import Picture


def draw(
    key: str, maker: str, *data: Any, scope: str = "", table: str = "", **options: Any
) -> Picture:
    """The figure that a function of `clustervet.plots` makes.

    `scope` is the clustering whose clusters it shows, `table` the key of the table that holds
    the same numbers.
    """
    figure = getattr(importlib.import_module("clustervet.plots"), maker)(*data, **options)
    return picture(key, figure, {"cluster": scope} if scope else {}, table)


def picture(key: str, figure: Any, scopes: Mapping[str, str], table: str = "") -> Picture:
    """A finished figure; its title and note become text of the page, its theme the page's."""
    meta = figure.layout.meta
    data = json.loads(without_title(figure).to_json())
    data["layout"].pop("template", None)
    return Picture(key, meta["title"], meta["note"], data, scopes, table)
