"""The one façade over the measures: labels or features in, a score card out."""

from __future__ import annotations

from clustervet.scorecard.card import Score, ScoreCard, ScoreCards
from clustervet.scorecard.external import external_scores
from clustervet.scorecard.internal import internal_scores

__all__ = ["Score", "ScoreCard", "ScoreCards", "external_scores", "internal_scores"]
