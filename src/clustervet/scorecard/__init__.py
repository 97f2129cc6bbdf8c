"""The one façade over the measures: labels in, a score card out."""

from __future__ import annotations

from clustervet.scorecard.card import Score, ScoreCard, ScoreCards
from clustervet.scorecard.external import external_scores

__all__ = ["Score", "ScoreCard", "ScoreCards", "external_scores"]
