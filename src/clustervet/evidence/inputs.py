"""What `examine` was given, read once: labels as codes, or finished tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.contingency.tables import Tables
from clustervet.errors import LabelError, ParameterError
from clustervet.inference.members import read_ids
from clustervet.labels import Codes, check_index, read_labels
from clustervet.labels.keyed import aligned_sides, is_keyed
from clustervet.labels.several import columns_of, is_frame
from clustervet.scorecard.questions import several_predictions


@dataclass(frozen=True, eq=False)
class Inputs:
    """Truth and clusterings by name, as codes; `tables` are those that came finished.

    `rows` gives the labels of a clustering in the order of the rows, as `answer` wants them.
    """

    truth_name: str
    truth: Codes | None
    preds: dict[str, Codes]
    tables: dict[str, Contingency]
    features: Any
    policies: dict[str, Any]
    feature_names: tuple[str, ...] = ()
    rows: Callable[[str], Any] = lambda _: None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the clusterings."""
        return tuple(self.preds) or tuple(self.tables)

    @property
    def n(self) -> int:
        """Number of objects given, where there are labels."""
        return len(next(iter(self.preds.values()))) if self.preds else 0

    def drawn(self, most: int, random_state: Any) -> Inputs:
        """Return at most `most` of the objects, drawn at random, with labels and features."""
        if most >= self.n:
            return self
        rng = np.random.default_rng(random_state)
        kept = np.zeros(self.n, np.bool_)
        kept[rng.choice(self.n, most, replace=False)] = True
        return Inputs(
            self.truth_name,
            None if self.truth is None else self.truth.keep(kept),
            {name: codes.keep(kept) for name, codes in self.preds.items()},
            {},
            None if self.features is None else _rows(self.features, kept),
            self.policies,
            self.feature_names,
            self.rows,
        )


def _rows(features: Any, kept: NDArray[np.bool_]) -> Any:
    """Some rows of features."""
    if isinstance(features, np.ndarray) or type(features).__module__.startswith("scipy.sparse"):
        return features[kept]
    return np.asarray(features)[kept]


def read_inputs(
    truth: Any,
    preds: Any,
    features: Any,
    policies: dict[str, Any],
    feature_names: Iterable[str] | None = None,
    weights: Any = None,
    ids: Any = None,
) -> Inputs:
    """Return the labels read, or the tables taken as they are."""
    rows = None
    if ids is not None and (preds is None or truth is None):
        raise ParameterError("ids go with labels of a truth and of clusterings.")
    if isinstance(truth, Tables):
        rows = truth.rows
        held = truth.labels()
        tables = {pred: table for (_, pred), table in truth.items()} if held is None else None
        policies.update({k: v for k, v in truth.policies.items() if v not in (None, "raise")})
        name = truth.truths[0]
        truth, preds = (None, tables) if held is None else ({name: held[0]}, held[1])
    if preds is None:
        raise ParameterError("give the clusterings, as labels or as tables.")
    named = several_predictions(preds, "preds")
    finished = [isinstance(each, Contingency) for each in named.values()]
    if any(finished):
        if not all(finished):
            raise ParameterError("preds must all be labels or all be tables, not some of each.")
        if truth is not None or features is not None:
            raise ParameterError(
                "finished tables hold the truth already; give no truth and no features with them."
            )
        return Inputs("truth", None, {}, named, None, policies, rows=rows or (lambda _: None))
    name, labels = _one_truth(truth)
    if labels is None and features is None:
        raise ParameterError("give a truth, or features, or both to hold the clusterings against.")
    beside = {"features": features, "weights": weights, "ids": ids}
    known = {} if labels is None else {name: labels}
    known, named = aligned_sides(known, named, policies.get("missing", "raise"), beside)
    labels = known.get(name)
    check_index({name: labels, **named, "the features": features, "the weights": weights})
    codes = {each: read_labels(found, each) for each, found in named.items()}
    read = None if labels is None else read_labels(labels, name)
    named_features = _feature_names(features, feature_names)
    if rows is None and read is not None:
        objects = None if ids is None else read_ids(ids, read)

        def rows(pred: str) -> Any:
            return read, codes[pred], objects

    given = Inputs(
        name, read, codes, {}, features, policies, named_features, rows or (lambda _: None)
    )
    for each, found in [*([] if read is None else [(name, read)]), *codes.items()]:
        if len(found) != given.n:
            first = next(iter(codes))
            raise LabelError(
                f"all must label the same objects; {first} has {given.n:,} labels and {each} has "
                f"{len(found):,}."
            )
    return given


def _one_truth(truth: Any) -> tuple[str, Any]:
    """The name and labels of the truth."""
    if not isinstance(truth, Mapping) or is_keyed(truth):
        return "truth", truth
    if len(truth) != 1:
        raise ParameterError(f"one truth is examined at a time, not {len(truth)}.")
    name, labels = next(iter(truth.items()))
    return str(name), labels


def _feature_names(features: Any, names: Iterable[str] | None) -> tuple[str, ...]:
    """Names of the features: those given, or the columns of a data frame."""
    if features is None:
        return ()
    if names is None:
        names = [name for name, _ in columns_of(features)] if is_frame(features) else ()
    return tuple(map(str, names))
