"""Tables of stretches of time, such as who speaks when: seconds are the objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.contingency.cells import group_cells
from clustervet.contingency.table import Contingency
from clustervet.errors import LabelError, Setting
from clustervet.labels import ABSENT, plain_label, read_labels, show_label
from clustervet.labels.arrays import kind_of

Overlap = Literal["raise", "drop"]
Floats = NDArray[np.float64]
NOBODY = -1


def segment_table(truth: Any, pred: Any, overlap: Overlap) -> Contingency:
    """The table of two lists of (start, end, label), in units of time.

    >>> segment_table([(0, 2, "a"), (2, 3, "b")], [(0, 3, 1)], "raise").to_dict()
    {('a', 1): 2, ('b', 1): 1}
    """
    one_of(overlap, "overlap", ("raise", "drop"))
    sides = [_read(truth, "truth"), _read(pred, "pred")]
    edges = np.unique(np.concatenate([np.concatenate(side[:2]) for side in sides]))
    lengths = np.diff(edges)
    spoken = [_spoken(side, edges) for side in sides]
    several = [count > 1 for count, _ in spoken]
    for what, twice in zip(("truth", "pred"), several, strict=True):
        if overlap == "raise" and twice.any():
            raise LabelError(
                f"{what} has {lengths[twice].sum():.6g} of time with more than one label, the "
                f"first at {edges[np.argmax(twice)]:.6g}; leave such times out with ",
                Setting("overlap", "drop"),
                ".",
            )
    kept = ~(several[0] | several[1]) & ((spoken[0][1] >= 0) | (spoken[1][1] >= 0))
    for what, (_, who) in zip(("truth", "pred"), spoken, strict=True):
        if not (who[kept] >= 0).any():
            raise LabelError(
                f"{what} has no time left once times with more than one label are dropped."
            )
    names, codes = [], []
    for (_, who), side in zip(spoken, sides, strict=True):
        used, code = np.unique(who[kept], return_inverse=True)
        names.append([ABSENT if k == NOBODY else side[3][k] for k in used.tolist()])
        codes.append(code)
    values = lengths[kept]
    whole = (values == np.trunc(values)).all() and values.sum() < 2.0**53
    return Contingency(
        group_cells(codes[0], codes[1], values.astype(np.int64) if whole else values), *names
    )


Side = tuple[Floats, Floats, NDArray[np.int64], list[Any]]


def _read(segments: Any, what: str) -> Side:
    """Starts, ends, codes of labels, and labels."""
    if hasattr(segments, "itertracks"):  # an Annotation of pyannote
        tracks = segments.itertracks(yield_label=True)
        rows: Sequence[Any] = [(part.start, part.end, label) for part, _, label in tracks]
    elif hasattr(segments, "columns") and hasattr(segments, "to_numpy"):
        rows = _rows_of_frame(segments, what)
    elif isinstance(segments, Iterable):
        rows = list(segments)
    else:
        raise LabelError(f"{what} must be segments (start, end, label), not {kind_of(segments)}.")
    if not rows:
        raise LabelError(f"{what} has no segments.")
    for at, row in enumerate(rows):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 3:
            raise LabelError(
                f"{what} must be segments (start, end, label); number {at} is "
                f"{show_label(row, 60)!r}."
            )
    try:
        starts, ends = (np.array([float(row[k]) for row in rows]) for k in (0, 1))
    except (TypeError, ValueError):
        raise LabelError(f"{what} must have numbers as starts and ends of segments.") from None
    wrong = ~(np.isfinite(starts) & np.isfinite(ends) & (starts <= ends))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise LabelError(
            f"segments must end after they start; number {at} of {what} is from {starts[at]:g} to "
            f"{ends[at]:g}."
        )
    labels = read_labels([row[2] for row in rows], f"the labels of {what}")
    if labels.missing is not None and labels.missing.any():
        raise LabelError(f"{what} has a segment without a label.")
    used, codes = np.unique(labels.values, return_inverse=True)
    return starts, ends, codes, [plain_label(name) for name in labels.restore(used)]


def _rows_of_frame(frame: Any, what: str) -> list[tuple[Any, ...]]:
    names = [str(name) for name in frame.columns]
    if not {"start", "end", "label"} <= set(names):
        raise LabelError(
            f"{what} must have columns start, end and label; it has {', '.join(names[:20])}."
        )
    columns = [list(frame[name]) for name in ("start", "end", "label")]
    return list(zip(*columns, strict=True))


def _spoken(side: Side, edges: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Between two edges: how many labels there are, and one of them (-1 for none)."""
    starts, ends, labels, _ = side
    found = np.zeros(len(edges), np.int64)
    who = np.zeros(len(edges), np.int64)
    # Segments of one label that touch or overlap are one.
    order = np.lexsort((starts, labels))
    starts, ends, labels = starts[order], ends[order], labels[order]
    reach = np.empty_like(ends)
    bounds = [0, *(np.flatnonzero(np.diff(labels)) + 1).tolist(), len(labels)]
    for low, high in pairwise(bounds):
        reach[low:high] = np.maximum.accumulate(ends[low:high])
    new = np.ones(len(starts), bool)
    new[1:] = (labels[1:] != labels[:-1]) | (starts[1:] > reach[:-1])
    first = np.flatnonzero(new)
    last = np.concatenate([first[1:], [len(starts)]]) - 1
    opens, closes, whose = starts[first], reach[last], labels[first]
    for places, sign in ((np.searchsorted(edges, opens), 1), (np.searchsorted(edges, closes), -1)):
        np.add.at(found, places, sign)
        np.add.at(who, places, sign * (whose + 1))
    counts = np.cumsum(found)[:-1]
    # Where there is one label, the sum of labels is that label.
    return counts, np.where(counts == 1, np.cumsum(who)[:-1] - 1, np.where(counts == 0, NOBODY, 0))
