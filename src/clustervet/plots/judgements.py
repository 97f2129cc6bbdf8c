"""Judgements: the leading scores, and the covers, trees or memberships that were scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from clustervet.hierarchical import TreePair
from clustervet.overlapping import CoverPair
from clustervet.plots import figures
from clustervet.plots.canvas import Figure
from clustervet.plots.covers import cover_figures
from clustervet.plots.dots import judgement_figures
from clustervet.plots.hierarchies import tree_figures
from clustervet.plots.memberships import soft_figures
from clustervet.scorecard import Judgement
from clustervet.scorecard.card_document import from_best, headline_key
from clustervet.scorecard.judgement import given_names
from clustervet.soft import Memberships, SoftPair

# Clusterings that are drawn, the best ones.
MOST = 4
# How clusterings of each kind are drawn, by name.
DRAWN: Mapping[type, Callable[..., list[Figure]]] = {
    CoverPair: cover_figures,
    TreePair: tree_figures,
    SoftPair: soft_figures,
    Memberships: soft_figures,
}


@figures.register
def _(judgement: Judgement, *, theme: str = "light") -> list[Figure]:
    cards = judgement.scores or judgement.inner
    found = judgement_figures(cards, judgement.chances, judgement.ranking, theme=theme)
    best = from_best(cards, headline_key(cards))[:MOST]
    return [*found, *pair_figures({name: judgement.pairs.get(name) for name in best}, theme)]


def pair_figures(pairs: Mapping[str, Any], theme: str) -> list[Figure]:
    """Return the figures of clusterings by name, of whose numbers there is no table.

    A page opens the first figure of a single clustering.
    """
    found = {name: pair for name, pair in pairs.items() if type(pair) in DRAWN}
    if not found:
        return []
    draw = DRAWN[type(next(iter(found.values())))]
    drawn = draw(given_names(found), theme=theme)
    for place, figure in enumerate(drawn):
        opened = len(found) == 1 and place == 0
        figure.layout.meta = {**figure.layout.meta, "table": "", "open": opened}
    return drawn
