"""Ways to predict the unlabelled points, each with its bound, and which of them to trust.

The labelled points are split at random: some are learnt from, the others are held out. A predictor
that is fixed by the first errs on some number of the remaining points. Those held out are a random
sample of these, so the errors among them have a hypergeometric distribution, and its tail bounds
the errors among the unlabelled points. This is `bmax` without bits, however the predictor was
chosen: the points held out had no part in it. It is the test-set bound (Langford 2005, §3) for
sampling without replacement, and exact for the given points. For new points of the same
distribution the binomial tail would be right (Clopper & Pearson 1934).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number
from clustervet.errors import ParameterError, Setting
from clustervet.geometry.points import is_sparse
from clustervet.labels import Codes, plain_label
from clustervet.labels.codes import Mask
from clustervet.pacmdl import bmax
from clustervet.view.data import record
from clustervet.view.words import counted

if TYPE_CHECKING:
    from clustervet.selection.candidates import Split

# The ways to predict, in the order in which equal bounds are trusted.
PAC_MDL, HELD_OUT, BASELINE = "pac_mdl", "held_out", "baseline"
PREDICTORS = (PAC_MDL, HELD_OUT, BASELINE)
# A classifier learns from at most this many points, drawn at random, so that it stays cheap.
MOST_LEARNT = 10_000
# Linear rules for more classes than this would take long.
MOST_CLASSES = 100
# Points that are classified at a time.
BLOCK = 2**14
# With fewer points to learn from, they are too few to compare classifiers on parts of them.
FEW = 10
NEIGHBOURS, FOLDS = (1, 5), 5


@dataclass(frozen=True, slots=True, eq=False)
class Predictor:
    """One way to predict the unlabelled points, and the bound on its errors.

    Parameters
    ----------
    method : str
        The clustering, or the classifier.
    learn_size : int
        Number of labelled points that it learns from.
    check_size : int
        Number of labelled points whose errors the bound is computed from. For the PAC-MDL bound
        these are the points that it learns from, and the bound pays for that in bits.
    check_errors : int
        Number of these that are predicted wrongly.
    bits : float
        What the bound pays for choices that were made by the points it is computed from.
    max_errors : int
        Bound on the errors among the unlabelled points, with probability 1 - delta.
    rate : float
        The same as a share of the unlabelled points.
    joint_max_errors : int
        Bound at delta divided by the number of predictors. The joint bounds of all predictors
        hold at once with probability 1 - delta, so the smallest may be picked.
    joint_rate : float
        The same as a share of the unlabelled points.
    test_errors, test_rate : int and float, optional
        The true errors among unlabelled points, where they are known.
    predictions : ndarray
        The label of each point.

    Examples
    --------
    >>> import clustervet as cv
    >>> X, y = [[k + 9.0 * (k > 9)] for k in range(20)], ["a"] * 10 + ["b"] * 10
    >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2], runs=1)
    >>> one = found.predictors["held_out"]
    >>> one.method, one.learn_size, one.check_size, one.check_errors, one.max_errors
    ('kmeans, 2 clusters', 5, 5, 0, 4)
    """

    method: str
    learn_size: int
    check_size: int
    check_errors: int
    bits: float
    max_errors: int
    rate: float
    joint_max_errors: int
    joint_rate: float
    test_errors: int | None
    test_rate: float | None
    predictions: NDArray[Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the predictor as plain data, without its predictions.

        Returns
        -------
        dict
            Numbers and texts, as JSON holds them.
        """
        held = record(self)
        del held["predictions"]
        return held


@dataclass(frozen=True)
class Halves:
    """The labelled points in two parts: those to learn from, and those held out."""

    learnt: Mask
    held: Mask


def read_share(held_out: Any) -> float:
    """Return the share of the labelled points that is held out; 0 is none."""
    if not is_number(held_out) or not 0 <= held_out < 1:
        raise ParameterError(
            Setting("held_out"), f" must be a share from 0 to below 1, not {held_out!r}."
        )
    return float(held_out)


def halves_of(labelled: Mask, share: float, rng: np.random.Generator) -> Halves | None:
    """Draw the points held out; None if there are none, or one labelled point only.

    The draw knows no labels. It is not stratified: every sample of that size must be equally
    likely.
    """
    places = np.flatnonzero(labelled)
    if not share or len(places) < 2:
        return None
    size = min(max(round(share * len(places)), 1), len(places) - 1)
    held = np.zeros(len(labelled), bool)
    held[rng.permutation(places)[:size]] = True
    return Halves(labelled & ~held, held)


@dataclass(frozen=True)
class Answer:
    """A label for each point, as a position in a list of names, and how it was found."""

    method: str
    names: Sequence[Any]
    codes: NDArray[np.int64]

    def wrong(self, truth: Codes) -> Mask:
        """Return where the answer is not the truth; of points without truth it says nothing."""
        known = truth.values if truth.missing is None else truth.values[~truth.missing]
        distinct = np.unique(known)
        place = {
            plain_label(name): int(code)
            for name, code in zip(truth.restore(distinct), distinct, strict=True)
        }
        seen = np.array([name in place for name in self.names], bool)
        found = np.array([place.get(name, 0) for name in self.names], np.int64)
        wrong: Mask = ~seen[self.codes] | (found[self.codes] != truth.values)
        return wrong

    def predictor(
        self, split: Split, delta: float, halves: Halves | None = None, bits: float = 0.0
    ) -> Predictor:
        """Return the answer with the bound on its errors, by the points held out or by all."""
        learnt, checked = (
            (halves.learnt, halves.held) if halves else (split.labelled, split.labelled)
        )
        wrong, rest = self.wrong(split.truth), ~split.labelled
        errors, size = int((wrong & checked).sum()), int(rest.sum())
        most = bmax(int(checked.sum()), size, errors, math.log2(delta) - bits)
        known = rest if split.truth.missing is None else rest & ~split.truth.missing
        missed = int((wrong & known).sum()) if known.any() else None
        return Predictor(
            method=self.method,
            learn_size=int(learnt.sum()),
            check_size=int(checked.sum()),
            check_errors=errors,
            bits=bits,
            max_errors=most,
            rate=most / size,
            joint_max_errors=most,
            joint_rate=most / size,
            test_errors=missed,
            test_rate=None if missed is None else missed / int(known.sum()),
            predictions=names_array(self.names)[self.codes],
        )


def jointly(
    predictors: Mapping[str, Predictor], test_size: int, delta: float
) -> dict[str, Predictor]:
    """Return the predictors with bounds that hold at once: each may fail with delta / number."""
    level = math.log2(delta) - math.log2(len(predictors))
    joint = {}
    for key, one in predictors.items():
        most = bmax(one.check_size, test_size, one.check_errors, level - one.bits)
        joint[key] = replace(one, joint_max_errors=most, joint_rate=most / test_size)
    return joint


def names_array(names: Sequence[Any]) -> NDArray[Any]:
    """Return labels as an array of their own type, or of objects where they have several."""
    kinds = {type(name) for name in names}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.array(list(names))
    array = np.empty(len(names), object)
    array[:] = list(names)
    return array


def classified(points: Any, weighting: str, split: Split, halves: Halves, seed: int) -> Answer:
    """Return what a plain classifier says that learns from one part of the labelled points.

    It is the nearest point, the vote of the five nearest or ridge regression on the classes,
    whichever errs least on fifths of the points that it learns from. Features are standardized, or
    weighted as words; that uses no label.
    """
    rng = np.random.default_rng(seed)
    places = rng.permutation(np.flatnonzero(halves.learnt))[:MOST_LEARNT]
    distinct, classes = np.unique(split.truth.values[places], return_inverse=True)
    names = [plain_label(name) for name in split.truth.restore(distinct)]
    if len(distinct) == 1:
        return Answer("one class only", names, np.zeros(points.shape[0], np.int64))
    steps = _preparation(points, weighting)
    rows = steps.fit(points).transform(points[places])
    tried = _classifiers(len(distinct))
    method = min(tried, key=lambda name: _errors(tried[name], rows, classes))
    model = _fitted(tried[method], rows, classes)
    codes = np.concatenate(
        [
            model.predict(steps.transform(points[first : first + BLOCK]))
            for first in range(0, points.shape[0], BLOCK)
        ]
    )
    return Answer(method, names, codes.astype(np.int64))


def _preparation(points: Any, weighting: str) -> Any:
    from sklearn.preprocessing import Normalizer, StandardScaler

    from clustervet.fitting.preparation import TfIdf

    kinds: dict[str, Any] = {"tfidf": TfIdf(), "counts": Normalizer()}
    chosen = kinds.get(weighting) or StandardScaler(with_mean=not is_sparse(points))
    return chosen.set_output(transform="default")


def _classifiers(classes: int) -> dict[str, Any]:
    """Return the classifiers by name; in the order in which ties are broken."""
    from sklearn.linear_model import RidgeClassifier
    from sklearn.neighbors import KNeighborsClassifier

    found: dict[str, Any] = {
        f"{counted(number, 'nearest neighbour')}": KNeighborsClassifier(number)
        for number in NEIGHBOURS
    }
    if classes <= MOST_CLASSES:
        found["ridge regression"] = RidgeClassifier(solver="lsqr", max_iter=100)
    return found


def _fitted(model: Any, rows: Any, classes: NDArray[Any]) -> Any:
    """Return a fitted copy that asks for no more neighbours than there are points."""
    from sklearn.base import clone

    fresh = clone(model)
    if "n_neighbors" in fresh.get_params():
        fresh.set_params(n_neighbors=min(fresh.n_neighbors, len(classes)))
    return fresh.fit(rows, classes)


def _errors(model: Any, rows: Any, classes: NDArray[Any]) -> int:
    """Count errors on fifths of the points, each learnt from the others; 0 where they are few."""
    total = len(classes)
    if total < FEW:
        return 0
    fold, wrong = np.arange(total) % FOLDS, 0
    for part in range(FOLDS):
        rest = fold != part
        if len(np.unique(classes[rest])) < 2:
            return total
        fitted = _fitted(model, rows[rest], classes[rest])
        wrong += int((fitted.predict(rows[~rest]) != classes[~rest]).sum())
    return wrong
