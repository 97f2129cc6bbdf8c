"""Measures of fields: the same values as the field's own tool, on its data and on random tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import er_evaluation as er
import numpy as np
import pandas as pd
import pytest
from pyannote.core import Annotation, Segment
from pyannote.metrics.diarization import DiarizationCoverage, DiarizationPurity
from skimage import metrics as skimage

import clustervet as cv
from clustervet._kernels.patience import compiled_always
from clustervet.errors import LabelError, ParameterError


def random_labels(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[np.ndarray, ...]:
    truth = rng.integers(0, rng.integers(1, 9), shape)
    pred = np.where(rng.random(shape) < rng.random(), truth, rng.integers(0, 6, shape))
    return truth, pred


# Segmentation: scikit-image


@pytest.mark.parametrize("shape", [(30, 40), (6, 11, 13)])
@pytest.mark.parametrize("ignore", [None, 0, (0, 2)])
def test_same_as_scikit_image(shape: tuple[int, ...], ignore: object) -> None:
    rng = np.random.default_rng([*shape])
    for _ in range(10):
        truth, pred = random_labels(rng, shape)
        truth.flat[:2], pred.flat[:2] = 8, 7  # so that a pair is left
        table = cv.Contingency.from_images(truth, pred, ignore=ignore)
        labels = () if ignore is None else ignore if isinstance(ignore, tuple) else (ignore,)
        # scikit-image 0.26 exchanges precision and recall, against its own documentation (see the
        # test below), and its alpha likewise.
        error, recall, precision = skimage.adapted_rand_error(truth, pred, ignore_labels=labels)
        assert cv.adapted_rand_error(table) == pytest.approx(error, rel=1e-9, abs=1e-12)
        assert cv.pair_precision(table) == pytest.approx(precision, rel=1e-9)
        assert cv.pair_recall(table) == pytest.approx(recall, rel=1e-9)
        for alpha in (0.0, 0.2, 1.0):
            wanted = skimage.adapted_rand_error(truth, pred, ignore_labels=labels, alpha=1 - alpha)[
                0
            ]
            assert cv.adapted_rand_error(table, alpha=alpha) == pytest.approx(wanted, abs=1e-12)
        splits, merges = skimage.variation_of_information(truth, pred, ignore_labels=labels)
        assert cv.inverse_conditional_entropy(table) == pytest.approx(splits, abs=1e-9)
        assert cv.conditional_entropy(table) == pytest.approx(merges, abs=1e-9)
        assert cv.variation_of_information(table) == pytest.approx(splits + merges, abs=1e-9)


def test_scikit_image_exchanges_precision_and_recall() -> None:
    """All pairs of pixels in one found segment are in one true segment: precision is 1."""
    truth, pred = np.ones((2, 4), int), np.array([[1] * 4, [2] * 4])
    table = cv.Contingency.from_images(truth, pred)
    assert cv.pair_precision(table) == 1
    assert cv.pair_recall(table) == pytest.approx(3 / 7)
    _, precision, recall = skimage.adapted_rand_error(truth, pred, ignore_labels=())
    assert (precision, recall) == pytest.approx((3 / 7, 1))  # theirs, the wrong way round
    assert cv.adapted_rand_error(table, alpha=1) == 0
    assert cv.adapted_rand_error(table, alpha=0) == pytest.approx(4 / 7)


def test_blocks_of_a_volume_add_up() -> None:
    truth, pred = random_labels(np.random.default_rng(4), (12, 9, 7))
    whole = cv.Contingency.from_images(truth, pred, ignore=3)
    parts = [
        cv.Contingency.from_images(truth[a:b], pred[a:b], ignore=3)
        for a, b in pairwise((0, 1, 6, 12))
    ]
    assert sum(parts) == whole


@pytest.mark.parametrize("kind", ["wide", "narrow", "wide at first", "one colour"])
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64])
def test_large_images_of_wide_segments_are_read_in_runs(kind: str, dtype: type) -> None:
    rng = np.random.default_rng(3)
    boxes = rng.integers(0, 200, (35, 30))
    truth = np.kron(boxes, np.ones((20, 40), int)).astype(dtype)
    pred = np.roll(truth, 3, axis=1)
    if kind == "narrow":
        pred = rng.integers(0, 5, truth.shape).astype(dtype)
    if kind == "wide at first":
        pred[400:] = rng.integers(0, 5, pred[400:].shape)
    if kind == "one colour":
        truth[:], pred[:] = 7, 9
    kept = truth != 3
    wanted = cv.Contingency.from_labels(truth[kept], pred[kept])
    table = cv.Contingency.from_images(truth, pred, ignore=3)
    assert table == wanted
    assert table.is_whole
    with compiled_always():  # as for volumes of 16 million voxels and more
        assert cv.Contingency.from_images(truth, pred, ignore=3) == wanted


@pytest.mark.parametrize("kinds", [(bool, np.int64), (np.uint64, np.int8), (np.uint64, np.uint64)])
def test_large_images_may_be_of_any_whole_type(kinds: tuple[type, type]) -> None:
    base = np.repeat(np.random.default_rng(1).integers(0, 2, 15_000), 20)
    truth, pred = base.astype(kinds[0]), np.roll(base, 3).astype(kinds[1])
    if kinds[0] is np.uint64:
        truth = truth + np.uint64(2**63)
    with compiled_always():
        table = cv.Contingency.from_images(truth.reshape(100, -1), pred.reshape(100, -1))
    assert table == cv.Contingency.from_labels(truth, pred)
    assert table.class_names == sorted(set(truth.tolist()))


@pytest.mark.parametrize(
    ("truth", "pred", "ignore", "said"),
    [
        ([[0.5, 1]], [[0, 1]], None, "truth must be an image of whole numbers, not of float64"),
        ([[0, 1]], [["a", "b"]], None, "pred must be an image of whole numbers"),
        ([[0, 1]], [[0, 1], [1, 1]], None, r"the same shape, not \(1, 2\) and \(2, 2\)"),
        (np.zeros((0, 3), int), np.zeros((0, 3), int), None, r"no pixels; its shape is \(0, 3\)"),
        ([[1, 1]], [[0, 1]], 1, "no pixel is left"),
        ([[1, 1]], [[0, 1]], "x", "ignore must be a whole number or several, not 'x'"),
    ],
)
def test_images_that_cannot_be_read(truth: object, pred: object, ignore: object, said: str) -> None:
    with pytest.raises((LabelError, ParameterError), match=said):
        cv.Contingency.from_images(truth, pred, ignore=ignore)


def test_panoptic_quality_of_a_drawn_example() -> None:
    """Two of three segments are found: with overlaps 3/4 and 1; one more is invented."""
    truth = [[1, 1, 1, 1, 2, 2, 3, 3, 3]]
    pred = [[7, 7, 7, 8, 5, 5, 4, 6, 9]]
    table = cv.Contingency.from_images(truth, pred)
    assert cv.panoptic_quality(table) == pytest.approx((3 / 4 + 1) / ((3 + 6) / 2))
    assert cv.recognition_quality(table) == pytest.approx(2 / ((3 + 6) / 2))
    assert cv.recognition_quality(table, iou=0.75) == pytest.approx(1 / ((3 + 6) / 2))
    for iou in (0.4, 1, math.nan, "half"):
        with pytest.raises(
            ParameterError, match=r"iou must be a number below 1 and of at least 0\.5"
        ):
            cv.panoptic_quality(table, iou=iou)


# Record linkage: er-evaluation, with the data that comes with it

LINKAGE = {
    "pair_precision": er.metrics.pairwise_precision,
    "pair_recall": er.metrics.pairwise_recall,
    "pair_f1": er.metrics.pairwise_f,
    "cluster_precision": er.metrics.cluster_precision,
    "cluster_recall": er.metrics.cluster_recall,
    "cluster_f1": er.metrics.cluster_f,
}


er_warnings = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:.*inplace")


def assert_same_as_er(truth: pd.Series, pred: pd.Series) -> None:
    table = cv.Contingency.from_labels(truth, pred)
    for key, peer in LINKAGE.items():
        value, theirs = cv.measures[key](table), peer(pred, truth)
        # It gives 1 or 0 where there is no pair to judge; here that has no value.
        if not math.isnan(value):
            assert value == pytest.approx(theirs, rel=1e-9, abs=1e-12), key


@er_warnings
@pytest.mark.parametrize(
    "load", [er.load_rldata500_disambiguations, er.load_rldata10000_disambiguations]
)
def test_same_as_er_evaluation_on_its_own_records(load: Callable[[], tuple]) -> None:
    predictions, truth = load()
    for pred in predictions.values():
        assert_same_as_er(truth, pred)


@er_warnings
def test_er_evaluation_gives_true_entities_equal_weight_in_b_cubed() -> None:
    """Its B-cubed is a mean over true entities; that of Bagga & Baldwin is one over records."""
    truth, pred = pd.Series(list("aaab")), pd.Series([0, 0, 0, 0])
    assert er.metrics.b_cubed_precision(pred, truth) == pytest.approx((3 / 4 + 1 / 4) / 2)
    assert cv.bcubed_precision(truth, pred) == pytest.approx((3 * 3 / 4 + 1 / 4) / 4)


@er_warnings
def test_same_as_er_evaluation_on_random_entities() -> None:
    rng = np.random.default_rng(9)
    for _ in range(30):
        n = int(rng.integers(10, 80))
        truth = rng.integers(0, n // 2, n)
        pred = np.where(rng.random(n) < 0.8, truth, rng.integers(0, n // 2, n))
        assert_same_as_er(pd.Series(truth), pd.Series(pred))


def test_merge_distance_with_costs_that_are_other_measures() -> None:
    """Menestrina et al. 2010, §4: costs of x y count pairs, and those of entropy are VI."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        table = cv.Contingency.from_labels(rng.integers(0, 6, 50), rng.integers(0, 5, 50))
        pairs = table.pairs
        cost = cv.generalized_merge_distance(table, split="pairs", merge="pairs")
        assert cost == pairs.n10 + pairs.n01 == cv.mirkin(table) / 2
        assert cost == cv.generalized_merge_distance(
            table, split=lambda x, y: x * y, merge=lambda x, y: x * y
        )
        bits = cv.generalized_merge_distance(table, split="bits", merge="bits")
        assert bits == pytest.approx(50 * cv.variation_of_information(table))

        def entropy(x: float, y: float) -> float:
            return sum(s * t * math.log2(t) for s, t in ((1, x + y), (-1, x), (-1, y)))

        folded = cv.generalized_merge_distance(table, split=entropy, merge=0)
        assert folded == pytest.approx(50 * cv.conditional_entropy(table))
        dear = cv.generalized_merge_distance(table, split=5, merge=0)
        assert dear == 5 * (len(table) - table.shape[1])


def test_merge_distance_of_the_example_of_its_paper() -> None:
    """Menestrina et al. 2010, fig. 1: from {a b} {c d} {e f g} to {a b d} {c} {e f} {g}."""
    truth = dict(zip("abdcefg", "1112334", strict=True))
    pred = dict(zip("abcdefg", "1122333", strict=True))
    table = cv.Contingency.from_labels([truth[x] for x in "abcdefg"], [pred[x] for x in "abcdefg"])
    assert cv.generalized_merge_distance(table) == 3  # split c from d, split g off, merge d
    assert cv.generalized_merge_distance(table, merge=0) == 2


@pytest.mark.parametrize(
    ("cost", "said"),
    [
        ("weight", "must be a number of at least 0, 'pairs', 'bits' or a function"),
        (-1, "must be a number of at least 0"),
        (None, "must be a number of at least 0"),
        (
            lambda x, y: x + y,
            r"must cost the same in any order of operations: \(1, 1\) then \(2, 2\) costs 6",
        ),
        (lambda x, y: math.nan, "must give a number for two sizes, not nan"),
    ],
)
def test_costs_that_are_none(cost: object, said: str) -> None:
    for name in ("split", "merge"):
        with pytest.raises(ParameterError, match=f"{name} {said}"):
            cv.generalized_merge_distance([0, 0, 1], [0, 1, 1], **{name: cost})


# Diarisation: pyannote.metrics


def random_speech(rng: np.random.Generator, speakers: int, gaps: float) -> list[tuple]:
    edges = np.cumsum(rng.random(40) + 0.05)
    return [
        (float(a), float(b), f"s{rng.integers(speakers)}")
        for a, b in pairwise(edges)
        if rng.random() > gaps
    ]


def annotation(segments: list[tuple]) -> Annotation:
    made = Annotation()
    for track, (start, end, label) in enumerate(segments):
        made[Segment(start, end), track] = label
    return made


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_same_as_pyannote(gaps: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(15):
        truth, pred = random_speech(rng, 4, gaps), random_speech(rng, 5, gaps)
        sides = annotation(truth), annotation(pred)
        for given in ((truth, pred), sides, tuple(map(frame_of, (truth, pred)))):
            table = cv.Contingency.from_segments(*given)
            purity, coverage = DiarizationPurity()(*sides), DiarizationCoverage()(*sides)
            assert cv.purity(table) == pytest.approx(purity)
            assert cv.inverse_purity(table) == pytest.approx(coverage)
            both = 2 * purity * coverage / (purity + coverage)
            assert cv.purity_f1(table) == pytest.approx(both)


def frame_of(segments: list[tuple]) -> pd.DataFrame:
    return pd.DataFrame(segments, columns=["start", "end", "label"])


def test_segments_that_touch_or_overlap() -> None:
    parts = [(0, 2, "a"), (1, 3, "a"), (3, 4, "a"), (6, 7, "b")]
    table = cv.Contingency.from_segments(parts, [(0, 7, 0)])
    assert table.n == 7  # two of them in which only the prediction has a speaker
    assert cv.purity(table) == pytest.approx(4 / 7)
    assert cv.inverse_purity(table) == 1
    twice = [*parts, (3, 5, "b")]
    with pytest.raises(LabelError, match=r"truth has 1 of time .* label, the first at 3;"):
        cv.Contingency.from_segments(twice, [(0, 7, 0)])
    table = cv.Contingency.from_segments(twice, [(0, 7, 0)], overlap="drop")
    assert table.n == 6
    with pytest.raises(LabelError, match="pred has no time left once times with more than one"):
        cv.Contingency.from_segments(twice, [(3, 4, 0)], overlap="drop")


@pytest.mark.parametrize(
    ("segments", "said"),
    [
        ([], "truth has no segments"),
        ([(0, 1)], r"truth must be segments \(start, end, label\); number 0 is"),
        ("abc", r"truth must be segments \(start, end, label\)"),
        ([(0, 1, "a"), (2, 1, "a")], "segments must end after they start; number 1 of truth"),
        ([(0, math.nan, "a")], "segments must end after they start"),
        ([("x", 1, "a")], "truth must have numbers as starts and ends"),
        ([(0, 1, None)], "truth has a segment without a label"),
        ([(0, 1, pd.NA)], "truth has a segment without a label"),
        ([(0, 1, ["a"])], "the labels of truth"),
        (None, r"truth must be segments \(start, end, label\), not None"),
        (7, r"truth must be segments \(start, end, label\), not"),
        (pd.DataFrame({"start": [0], "stop": [1]}), "truth must have columns start, end and label"),
    ],
)
def test_segments_that_cannot_be_read(segments: object, said: str) -> None:
    with pytest.raises(LabelError, match=said):
        cv.Contingency.from_segments(segments, [(0, 1, "a")])


# Single cells


def test_isolated_labels() -> None:
    truth, pred = list("aaabbbcc"), [0, 0, 1, 1, 1, 1, 2, 2]
    assert cv.isolated_label_f1(truth, pred, isolated=["c"]) == 1.0
    assert cv.isolated_label_f1(truth, pred, isolated="a") == pytest.approx(4 / 5)
    assert cv.isolated_label_f1(truth, pred, isolated=["a", "b"]) == pytest.approx(
        (4 / 5 + 6 / 7) / 2
    )
    assert cv.isolated_label_f1(truth, pred) == cv.larsen_aone(truth, pred)
    with pytest.raises(ParameterError, match="isolated must name classes of the truth, not 'z'"):
        cv.isolated_label_f1(truth, pred, isolated=["z"])
    with pytest.raises(ParameterError, match=r"isolated must name classes of the truth, not \[\]"):
        cv.isolated_label_f1(truth, pred, isolated=[])


# Communities: true labels, found labels, and the NF1 of cdlib 0.4.1, which rounds the F of every
# community to two digits.
CDLIB = [
    ("000111222", "001111220", 0.7766666666666667),
    ("000011122222", "000111122233", 0.57),
    ("032210200001322102221333302312", "032240200001432102221334300112", 0.592),
    ("212130022131021321001212202132", "232130122431121441001202432112", 0.4704),
]


@pytest.mark.parametrize(("truth", "pred", "theirs"), CDLIB)
def test_same_as_cdlib_but_for_its_rounding(truth: str, pred: str, theirs: float) -> None:
    assert cv.normalized_f1(list(truth), list(pred)) == pytest.approx(theirs, abs=0.005)


def test_cdlib_gives_more_than_one_where_a_community_overlaps_two_equally() -> None:
    """Two true communities of one node, found as one: cdlib 0.4.1 gives 1.34."""
    assert cv.normalized_f1([0, 1], [0, 0]) == pytest.approx(2 / 3)
