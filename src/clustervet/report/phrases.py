"""Scores and measures within a sentence."""

from __future__ import annotations

from clustervet.registry import Measure
from clustervet.report.cells import interval_of
from clustervet.scorecard import ScoreCard
from clustervet.scorecard.render import number

# First words of titles that are no names.
COMMON = frozenset(
    {
        *(
            "adjusted",
            "average",
            "class",
            "cluster",
            "completeness",
        ),
        *(
            "conditional",
            "density-based",
            "element-centric",
            "homogeneity",
            "inverse",
        ),
        *(
            "log-likelihood",
            "matching",
            "mean",
            "mutual",
            "normalized",
        ),
        *(
            "pairwise",
            "purity",
            "silhouette",
            "simplified",
            "sum",
        ),
        *("variation",),
    }
)


def inner_title(record: Measure) -> str:
    """A measure's title within a sentence: names of people keep their capitals."""
    first = record.title.split()[0]
    plain = first.rstrip(",").lower() in COMMON
    return record.title[:1].lower() + record.title[1:] if plain else record.title


def score_words(card: ScoreCard, key: str) -> str:
    """A score in a sentence, with its interval."""
    score = card.scores[key]
    record = score.measure
    unit = f" {record.unit}" if record.unit else ""
    ends = interval_of(score)
    sure = ""
    if ends is not None:
        low, high = (number(x, record.unit) for x in ends)
        level = score.interval.confidence if score.interval is not None else 0.95
        sure = f" ({level:.4g} interval {low} to {high})"
    return f"{inner_title(record)} {number(score.value, record.unit)}{unit}{sure}"
