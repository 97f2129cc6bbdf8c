"""Which points are labelled: the user's own, or a plain random sample of those with a label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clustervet.errors import LabelError, ParameterError
from clustervet.labels import Codes, plain_label, read_labels
from clustervet.labels.codes import Mask
from clustervet.pacmdl.reading import read_sample
from clustervet.selection.algorithms import sequence_of

OWN = "The bound holds if the labelled points, which were given, are a random sample of all points."
MINUS_ONE = (
    "The label -1 is taken as a class; where it means that there is none, leave the label of such "
    "a point empty (None, NaN)."
)


@dataclass(frozen=True)
class Split:
    """Labels of all points, and the mask of those that a selection may look at."""

    truth: Codes
    labelled: Mask
    remarks: tuple[str, ...] = ()

    @property
    def train_size(self) -> int:
        """Points whose label may be looked at."""
        return int(self.labelled.sum())

    @property
    def test_size(self) -> int:
        """Points whose label is predicted."""
        return len(self.labelled) - self.train_size


def read_split(y: Any, labelled: Any, train: Any, points: int, seed: int) -> Split:
    """The labelled points: as told, or where y is not missing, or drawn by the seed.

    A drawn sample is not stratified: the bound's proof needs every sample of that size to be
    as likely as any other (Banerjee & Langford 2004, theorem 1).
    """
    truth = read_labels(y, "y")
    if len(truth) != points:
        raise LabelError(
            f"y must have a label a point; X has {points:,} points and y has {len(truth):,} labels."
        )
    share = _share(train)
    remarks = [OWN]
    if labelled is None:
        if truth.missing is not None and truth.missing.any():
            labelled = ~truth.missing
        else:
            labelled, remarks = _drawn(share, points, seed), []
    alike = np.zeros(points, np.int8)
    sample = read_sample(truth, alike, labelled, noise=None, noise_policy=None, missing="raise")
    if len(truth.values) and _is_unlabelled(truth):
        remarks.append(MINUS_ONE)
    return Split(truth, sample.labelled, tuple(remarks))


def _is_unlabelled(truth: Codes) -> bool:
    """Whether -1 stands beside two or more other numbers, as scikit-learn marks what is unknown."""
    kinds = np.unique(truth.values)
    if len(kinds) < 3:
        return False
    names = [plain_label(name) for name in truth.restore(kinds)]
    numbers = [name for name in names if isinstance(name, int) and not isinstance(name, bool)]
    return len(numbers) == len(names) and min(numbers) == -1


def _share(train: Any) -> float | int:
    number = isinstance(train, int | float | np.integer | np.floating)
    whole = isinstance(train, int | np.integer)
    if isinstance(train, bool) or not number or not (train >= 1 if whole else 0 < train < 1):
        raise ParameterError(
            "train must be a share of the points between 0 and 1, or a whole number of them, not "
            f"{train!r}."
        )
    return int(train) if whole else float(train)


def _drawn(share: float | int, points: int, seed: int) -> Mask:
    size = share if isinstance(share, int) else min(max(round(share * points), 1), points - 1)
    if not 0 < size < points:
        raise ParameterError(
            f"train={share} of {points:,} points leaves nothing to predict; at most "
            f"{points - 1:,} can be labelled."
        )
    rng = np.random.default_rng(sequence_of(seed, "split"))
    mask = np.zeros(points, bool)
    mask[rng.permutation(points)[:size]] = True
    return mask
