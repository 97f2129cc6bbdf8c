"""Measures of image segmentation: segments as sets of pixels."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from clustervet._checks import is_number
from clustervet._exact import Plain
from clustervet.contingency import Contingency
from clustervet.contingency.sums import as_plain
from clustervet.errors import ParameterError
from clustervet.external.common import NO_OBJECTS, at_most_one, pairs_of, share
from clustervet.external.linkage import best_of_classes, overlaps
from clustervet.external.pairs import NO_PAIR
from clustervet.registry import measure

PANOPTIC = "Kirillov et al. 2019"
# Overlaps as close as this to the threshold are compared with it in whole numbers.
CLOSE = 1e-9


@measure(
    title="Adapted Rand error",
    symbol="ARE",
    family="segmentation",
    arrays="pairs",
    better="lower",
    bounds=(0, 1),
    symmetric=True,
    perfect=0.0,
    aliases=("are", "rand_error"),
    equation="1 - N11 / (alpha Q + (1 - alpha) P), P and Q the pairs together in each",
    reference="Arganda-Carreras et al. 2015",
    meaning="One minus the F-measure of pairs of pixels in the same segment: 1 - pair_f1.",
    use="You compare with published figures of the segmentation of neurons.",
    avoid="Small segments matter: pairs of pixels of the largest ones decide it.",
)
def adapted_rand_error(table: Contingency, alpha: float = 0.5) -> float:
    """One minus the F-measure of pairs of pixels in the same segment.

    Parameters
    ----------
    alpha : float, default 0.5
        Weight of the pairs of the prediction, between 0 and 1: 1 gives one minus precision, 0 one
        minus recall.

    Examples
    --------
    >>> adapted_rand_error(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.6
    """
    if not (is_number(alpha) and 0 <= alpha <= 1):
        raise ParameterError(f"alpha must be a number between 0 and 1, not {alpha!r}.")
    pairs = pairs_of(table)
    if alpha == 0.5:
        both = pairs.same_class + pairs.same_cluster
        return share(pairs.n10 + pairs.n01, both, NO_PAIR)
    wrong = alpha * pairs.n01 + (1 - alpha) * pairs.n10
    return share(wrong, wrong + pairs.n11, NO_PAIR)


@measure(
    title="Segmentation covering",
    symbol="covering",
    family="segmentation",
    better="higher",
    bounds=(0, 1),
    perfect=1.0,
    aliases=("covering",),
    equation="(1/n) sum_c h(c) max_k h(c,k) / (h(c) + h(k) - h(c,k))",
    reference="Arbeláez et al. 2011",
    meaning="For a pixel, the overlap of its true segment with the closest found one, by "
    "Jaccard's coefficient (intersection over union); averaged over pixels.",
    use="Segments should be found as regions, and large ones count more.",
    avoid="Spurious small segments matter: it does not look at segments that are closest to none.",
)
def segmentation_covering(table: Contingency) -> float:
    """Mean over pixels of the overlap of their true segment with the closest found one.

    >>> round(segmentation_covering(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.583333333333
    """
    covered = table.class_sizes.astype(np.float64) * best_of_classes(table)
    return at_most_one(share(math.fsum(covered.tolist()), float(table.n), NO_OBJECTS))


def _matched(table: Contingency, iou: float) -> list[float]:
    """The overlaps above the threshold; from a half on, each segment has one at most."""
    if not (is_number(iou) and 0.5 <= iou < 1):
        raise ParameterError(
            "iou must be a number below 1 and of at least 0.5, so that a segment matches one "
            f"at most, not {iou!r}."
        )
    found = overlaps(table)
    above = found > iou
    close = np.flatnonzero(abs(found - iou) < CLOSE)
    if len(close):
        above[close] = _exceed(table.plain or as_plain(table.cells), close.tolist(), Fraction(iou))
    matched: list[float] = found[above].tolist()
    return matched


def _exceed(plain: Plain, cells: list[int], iou: Fraction) -> list[bool]:
    """Whether the overlaps of some cells are above the threshold, without rounding."""
    found = []
    for cell in cells:
        x = plain.values[cell]
        union = plain.class_sizes[plain.rows[cell]] + plain.cluster_sizes[plain.cols[cell]] - x
        found.append(x * iou.denominator > union * iou.numerator)
    return found


@measure(
    title="Panoptic quality",
    symbol="PQ",
    family="segmentation",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("pq",),
    equation="2 (sum of overlaps above the threshold) / (|C| + |K|)",
    reference=PANOPTIC,
    meaning="Overlaps (intersection over union) of matched segments, as a share of the mean "
    "number of segments. Segments match where their overlap is above the threshold.",
    use="Every segment counts the same, and it counts only if more than half of it is right.",
    avoid="Segments are split often: their parts do not match, and nothing is left of them.",
)
def panoptic_quality(table: Contingency, iou: float = 0.5) -> float:
    """Sum of the overlaps of matched segments, as a share of the mean number of segments.

    Parameters
    ----------
    iou : float, default 0.5
        Overlap above which segments match, at least 0.5.

    Examples
    --------
    >>> round(panoptic_quality(["a", "a", "b", "b"], [0, 0, 0, 1]), 12)
    0.333333333333
    """
    return at_most_one(2 * math.fsum(_matched(table, iou)) / sum(table.shape))


@measure(
    title="Recognition quality",
    symbol="RQ",
    family="segmentation",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("rq",),
    equation="2 (number of overlaps above the threshold) / (|C| + |K|)",
    reference=PANOPTIC,
    meaning="The F-measure of finding segments, where one is found if its overlap "
    "(intersection over union) is above the threshold.",
    use="You count the segments that were found. Panoptic quality divided by it is the mean "
    "overlap of those.",
    avoid="How well they were found matters: take panoptic_quality.",
)
def recognition_quality(table: Contingency, iou: float = 0.5) -> float:
    """F-measure of finding segments.

    Parameters
    ----------
    iou : float, default 0.5
        Overlap above which segments match, at least 0.5.

    Examples
    --------
    >>> recognition_quality(["a", "a", "b", "b"], [0, 0, 0, 1])
    0.5
    """
    return 2 * len(_matched(table, iou)) / sum(table.shape)
