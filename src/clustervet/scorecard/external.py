"""`external_scores`: a clustering judged against what is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from clustervet.contingency import Contingency, EngineTable
from clustervet.contingency.engine_table import with_cells
from clustervet.errors import ParameterError
from clustervet.inference import Interval
from clustervet.inference.bootstrap import intervals
from clustervet.labels import product_labels
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.registry import Measure, MeasureFunction, measures
from clustervet.scorecard.card import Score, ScoreCard, ScoreCards, TableSubject

Chosen = Iterable[str | Measure | MeasureFunction] | str | None
PRODUCT = "product"


def score_table(
    table: Contingency | EngineTable,
    measures_: Chosen = None,
    *,
    family: str | Iterable[str] | None = None,
    truth: str = "truth",
    pred: str = "pred",
    confidence: float | None = None,
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ScoreCard:
    """The score card of one finished table."""
    records = measures.select(measures_, kind="external", family=family)
    for record in records:
        if record.kind != "external":
            raise ParameterError(f"{record.key} needs features, not a second labeling.")
    found: list[Interval | None] = [None] * len(records)
    if confidence is not None:
        found = list(
            intervals(
                with_cells(table, "an interval"),
                records,
                confidence=confidence,
                resamples=resamples,
                random_state=random_state,
                n_jobs=n_jobs,
            )
        )
    scores = [
        Score.of(record, table, interval) for record, interval in zip(records, found, strict=True)
    ]
    return ScoreCard(TableSubject(table.n, *table.shape, truth=truth, pred=pred), scores)


@overload
def external_scores(
    truth: Contingency | EngineTable,
    pred: None = None,
    *,
    measures: Chosen = None,
    family: str | Iterable[str] | None = None,
    confidence: float | None = None,
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ScoreCard: ...


@overload
def external_scores(
    truth: Any,
    pred: Any,
    *,
    measures: Chosen = None,
    family: str | Iterable[str] | None = None,
    weights: ArrayLike | None = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    confidence: float | None = None,
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any: ...


def external_scores(
    truth: Any,
    pred: Any = None,
    *,
    measures: Chosen = None,
    family: str | Iterable[str] | None = None,
    weights: ArrayLike | None = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    confidence: float | None = None,
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ScoreCard | ScoreCards:
    """Score a clustering with every external measure, or with the ones named.

    Give truth and prediction, or one finished table. Several predictions, as a mapping from
    name to labels, are scored side by side. Several truths, as a list or mapping of
    labelings, are scored one by one and as product classes (Dom 2001, App. C.2.2): each
    combination of labels is a class of its own. With `confidence=0.95` every score gets an
    interval, from resampled tables.

    >>> card = external_scores([1, 1, 2, 2], [0, 0, 0, 1], measures="adjusted_rand")
    >>> card["adjusted_rand"]
    0.0
    >>> both = external_scores([1, 1, 2, 2], {"a": [0, 0, 1, 1], "b": [0, 0, 0, 1]})
    >>> both["a"]["purity"], both["b"]["purity"]
    (1.0, 0.75)
    >>> list(external_scores([["x", "x", "y", "y"], ["p", "q", "q", "q"]], [0, 0, 1, 1]))
    ['truth 1', 'truth 2', 'product']
    """
    sure: dict[str, Any] = {
        "confidence": confidence,
        "resamples": resamples,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    if isinstance(truth, Contingency | EngineTable):
        given = (pred, weights, noise, noise_policy)
        if any(option is not None for option in given) or missing != "raise":
            raise ParameterError(
                "external_scores takes either one table or labels, not both (options need labels)."
            )
        return score_table(truth, measures, family=family, **sure)
    if pred is None:
        raise ParameterError("external_scores needs truth and prediction, or one Contingency.")
    truths, preds = _several_truths(truth, missing), _several_predictions(pred)
    policies: dict[str, Any] = {
        "weights": weights,
        "noise": noise,
        "noise_policy": noise_policy,
        "missing": missing,
    }
    tables = (
        (
            (truth_name, pred_name),
            Contingency.from_labels(labels, clusters, names=(truth_name, pred_name), **policies),
        )
        for truth_name, labels in truths.items()
        for pred_name, clusters in preds.items()
    )
    cards = score_tables(tables, measures, family=family, several=(len(truths), len(preds)), **sure)
    single = len(cards) == 1 and not isinstance(pred, Mapping) and not isinstance(truth, Mapping)
    return next(iter(cards.values())) if single else cards


def score_tables(
    tables: Iterable[tuple[tuple[str, str], Contingency]],
    measures_: Chosen = None,
    *,
    family: str | Iterable[str] | None = None,
    several: tuple[int, int] = (1, 2),
    **sure: Any,
) -> ScoreCards:
    """The cards of finished tables, one at a time, by the names of truth and prediction.

    `several` says how many truths and how many predictions there are, which decides what the
    cards are called.
    """
    return ScoreCards(
        {
            _name(truth, pred, *several): score_table(
                table, measures_, family=family, truth=truth, pred=pred, **sure
            )
            for (truth, pred), table in tables
        }
    )


def _name(truth: str, pred: str, truths: int, preds: int) -> str:
    if truths > 1 and preds > 1:
        return f"{pred} | {truth}"
    return truth if truths > 1 else pred


def _several_predictions(pred: Any) -> dict[str, Any]:
    return named_labelings(pred, "pred") if isinstance(pred, Mapping) else {"pred": pred}


def named_labelings(labelings: Mapping[Any, Any], what: str) -> dict[str, Any]:
    """Labelings by name as text; two names that read alike are refused."""
    if not labelings:
        raise ParameterError(f"{what} is an empty mapping; name at least one labeling.")
    named = {str(name): labels for name, labels in labelings.items()}
    if len(named) < len(labelings):
        texts = [str(name) for name in labelings]
        twice = next(text for text in texts if texts.count(text) > 1)
        raise ParameterError(f"two labelings in {what} are called {twice!r}; names must differ.")
    return named


def _several_truths(truth: Any, missing: Missing) -> dict[str, Any]:
    """Truths by name; more than one also gets its product classes."""
    if isinstance(truth, Mapping):
        named = named_labelings(truth, "truth")
    elif isinstance(truth, list | tuple) and truth and all(map(_is_labeling, truth)):
        named = {f"truth {k}": labels for k, labels in enumerate(truth, 1)}
    else:
        named = {"truth": truth}
    if len(named) > 1:
        if PRODUCT in named:
            raise ParameterError(
                f"no truth may be called {PRODUCT!r}: that is the name of the product classes."
            )
        named[PRODUCT] = product_labels(list(named.values()), missing)
    return named


def _is_labeling(item: Any) -> bool:
    """Whether an element of a list is itself a labeling; strings and tuples are labels."""
    if isinstance(item, str | bytes | tuple):
        return False
    return isinstance(item, list | range) or (
        hasattr(item, "__len__") and (isinstance(item, np.ndarray) or hasattr(item, "__array__"))
    )
