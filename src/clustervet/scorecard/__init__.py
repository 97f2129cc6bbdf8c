"""Tables and features judged by the measures: score cards, and `judge`, which asks everything.

Law: each table is counted once.
"""

from __future__ import annotations

from clustervet.scorecard.card import Score, ScoreCard, ScoreCards
from clustervet.scorecard.external import external_scores
from clustervet.scorecard.internal import internal_scores
from clustervet.scorecard.judge import answer, judge
from clustervet.scorecard.judgement import Judgement
from clustervet.scorecard.questions import Questions

__all__ = [
    "Judgement",
    "Questions",
    "Score",
    "ScoreCard",
    "ScoreCards",
    "answer",
    "external_scores",
    "internal_scores",
    "judge",
]
