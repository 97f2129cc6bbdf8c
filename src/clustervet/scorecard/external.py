"""`external_scores`: a clustering judged against what is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, overload

from numpy.typing import ArrayLike

from clustervet.contingency import Contingency, EngineTable
from clustervet.labels.pair import MissingInPair, NoisePolicy
from clustervet.scorecard.card import ScoreCard, ScoreCards
from clustervet.scorecard.judge import answer, read_sides
from clustervet.scorecard.pairs import judge_pairs
from clustervet.scorecard.questions import Chosen, Questions, is_several, kind_of


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
    missing: MissingInPair = "raise",
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
    missing: MissingInPair = "raise",
    confidence: float | None = None,
    resamples: int = 2_000,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ScoreCard | ScoreCards:
    """Score a clustering with every external measure, or with the ones named.

    Parameters
    ----------
    truth : array-like, list of array-like, mapping, Contingency, EngineTable or Tables
        The classes: one label per object. Several truths, as a list or a mapping of labelings,
        are scored one by one and as product classes (Dom 2001, App. C.2.2), in which each
        combination of labels is a class of its own. A finished table, or the tables that
        `read_tables` makes of files, stand for truth and prediction. Where truth or prediction is a
        `Memberships`, `Cover` or `Hierarchy`, the measures of that kind are computed.
    pred : array-like or mapping, optional
        The clusters: one label per object; a fitted estimator or a clustering of igraph has them.
        Truth and prediction may also name their objects, as {object: label} or as lists of sets of
        objects. Several predictions, as {name: labels} or as columns of a frame, are scored side
        by side.
    measures : str, Measure or list, optional
        The measures to compute, by key or alias; all external ones by default.
    family : str or list of str, optional
        Only measures of this family.
    weights : array-like, optional
        One weight per object.
    noise, noise_policy, missing : optional
        What noise labels and missing labels mean, as in `Contingency.from_labels`.
    confidence : float, optional
        Give every score an interval of this confidence, such as 0.95.
    resamples : int, optional
        How many tables are resampled for intervals, where a table has more than 2,000 cells.
    random_state : int, Generator or None, optional
        The seed of the resampling.
    n_jobs : int, optional
        Threads; -1 uses all cores.

    Returns
    -------
    ScoreCard or ScoreCards
        One card, or several by name where several truths or predictions were given.

    Raises
    ------
    LabelError
        If labels are missing, are no labels, or differ in number.
    ParameterError
        If labels and a table are given together.

    Examples
    --------
    >>> card = external_scores([1, 1, 2, 2], [0, 0, 0, 1], measures="adjusted_rand")
    >>> card["adjusted_rand"]
    0.0
    >>> both = external_scores([1, 1, 2, 2], {"a": [0, 0, 1, 1], "b": [0, 0, 0, 1]})
    >>> both["a"]["purity"], both["b"]["purity"]
    (1.0, 0.75)
    >>> list(external_scores([["x", "x", "y", "y"], ["p", "q", "q", "q"]], [0, 0, 1, 1]))
    ['truth 1', 'truth 2', 'product']
    """
    asked = Questions(
        measures=measures,
        family=family,
        confidence=confidence,
        resamples=resamples,
        random_state=random_state,
        n_jobs=n_jobs,
        kind=kind_of(truth, pred),
    )
    policies = {"noise": noise, "noise_policy": noise_policy, "missing": missing}
    if asked.kind != "external":
        cards = judge_pairs(truth, pred, asked, weights=weights, **policies).scores
        return cards if isinstance(pred, Mapping) else cards["pred"]
    cards = answer(read_sides(truth, pred, weights=weights, **policies), asked).scores
    single = len(cards) == 1 and not (is_several(truth) or is_several(pred))
    return next(iter(cards.values())) if single else cards
