"""How sure, how much by chance, better than another, and where it goes wrong.

Law: works for any registered measure, the user's own included, from the table alone: a
billion objects cost what a thousand do.
"""

from __future__ import annotations

from clustervet.inference.chance import Chance, chance
from clustervet.inference.compare import Comparison, Ranking, compare_predictions, rank_predictions
from clustervet.inference.diagnosis import Diagnosis, diagnose
from clustervet.inference.interval import Interval, confidence_interval
from clustervet.inference.power import SampleSize, sample_size
from clustervet.inference.sampled import SampledScore, SampledScores, sampled_scores

__all__ = [
    "Chance",
    "Comparison",
    "Diagnosis",
    "Interval",
    "Ranking",
    "SampleSize",
    "SampledScore",
    "SampledScores",
    "chance",
    "compare_predictions",
    "confidence_interval",
    "diagnose",
    "rank_predictions",
    "sample_size",
    "sampled_scores",
]
