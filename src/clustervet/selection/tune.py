"""`tune`: one parameter of a clusterer, chosen by internal measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from clustervet._progress import ticking
from clustervet.errors import FeatureError, ParameterError
from clustervet.geometry.metrics import read_metric
from clustervet.geometry.points import read_distances, read_points
from clustervet.registry import Measure, check_options
from clustervet.registry import measures as registry
from clustervet.scorecard.internal import DRAWN_POINTS, MANY_POINTS
from clustervet.selection.choice import Choice
from clustervet.selection.estimators import (
    DEFAULT_VALUES,
    read_clusterer,
    read_seed,
    read_values,
)
from clustervet.selection.rules import choose, read_rules
from clustervet.selection.stability import draw_samples, gather, read_samples
from clustervet.selection.sweep import Plan, Sweep, sweeps
from clustervet.selection.tuning import Tuning

DISTANCE_MEASURES = (
    "ssq",
    "intra_inter_ratio",
    "silhouette",
    "calinski_harabasz",
    "davies_bouldin",
)
# What is left where only distances are known; and for clusterers that look for dense regions,
# of whose shapes and noise distance-based measures know nothing.
PAIR_MEASURES = ("intra_inter_ratio", "silhouette")
DENSITY_MEASURES = ("dbcv",)
Asked = tuple[tuple[Measure, dict[str, Any]], ...]


def tune(
    estimator: Any,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    parameter: str = "n_clusters",
    values: Iterable[Any] = DEFAULT_VALUES,
    measures: Any = None,
    *,
    metric: Any = "euclidean",
    noise: Any = "drop",
    bootstrap: int = 0,
    sample: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    rules: Mapping[str, str] | None = None,
    progress: bool = True,
) -> Tuning:
    """Cluster at every value of a parameter and read the inflection point of each measure.

    The measures' curves are Aggarwal's (2015, §6.9.1.1): an elbow for those that always get
    better with more clusters, an optimum for the others, each with a strength, so that no
    choice is an answer too. `estimator` is a scikit-learn clusterer (object or class) or a
    name such as "kmeans", "ward", "gmm" or "dbscan"; `parameter` any parameter of it.
    `measures` are names, or a mapping from names to their parameters; `rules` changes a
    measure's rule ("elbow", "optimum", "gap" for gap_statistic, "hartigan" for ssq). Points
    labelled -1 are noise, which `noise` treats as a score card does. `bootstrap=B` repeats
    all of it on B samples of four fifths of the points. `sample` bounds the points, or pairs,
    that measures look at where they can be sampled. With `random_state` every fit gets that
    seed, and the answer is the same for any `n_jobs`. A progress bar shows on a terminal
    unless `progress=False`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1, (50, 2)) for c in ((0, 0), (9, 0), (0, 9))])
    >>> found = tune("kmeans", X, values=range(2, 9), random_state=0)
    >>> found.suggestion
    3
    >>> found.verdict
    '5 of 5 measures choose 3.'
    """
    how = read_metric(metric)
    precomputed = how.is_own and how.name == "precomputed"
    points = read_distances(X) if precomputed else read_points(X)
    total = int(points.shape[0])
    if total < 3:
        raise FeatureError(f"tuning needs at least 3 points; X has {total}.")
    clusterer = read_clusterer(estimator, parameter, how.function or how.name)
    tried = read_values(values, clusterer, total)
    samples, seed = read_samples(bootstrap), read_seed(random_state)
    if n_jobs == 0:
        raise ParameterError("n_jobs must not be 0; -1 means all cores.")
    drawn = _drawn(sample, total)
    if measures is None:
        usual = PAIR_MEASURES if precomputed else DISTANCE_MEASURES
        measures = DENSITY_MEASURES if clusterer.is_dense else usual
    asked = read_measures(measures, drawn, seed or 0)
    records = [record for record, _ in asked]
    ruled = read_rules(rules, records)
    # Without a seed, one is drawn all the same: fits at all values then start alike.
    fresh = None if clusterer.is_seeded else int(np.random.default_rng().integers(2**31))
    plan = Plan(clusterer, asked, how, noise, fresh if seed is None else seed)

    def chosen(sweep: Sweep) -> dict[str, Choice]:
        return {record.key: choose(record, ruled[record.key], sweep) for record in records}

    rows = draw_samples(total, samples, seed)
    work = (1 + samples) * len(tried)
    with ticking(work, "clusterings") if progress else nullcontext(_silent) as tick:
        (whole,) = sweeps(plan, points, [None], tried, n_jobs, tick)
        _check_fits(whole)
        found = sweeps(plan, points, rows, tried, n_jobs, tick)
        stability = gather(whole, rows, found, chosen) if samples else None
    keys = [record.key for record in records]
    return Tuning(
        estimator=clusterer.name,
        parameter=clusterer.parameter,
        values=tried,
        measures=tuple(records),
        curves={key: whole.curve(key) for key in keys},
        choices=chosen(whole),
        counts=np.array(whole.clusters, np.int64),
        noise=whole.noise,
        points=total,
        labels={
            value: fit.labels
            for value, fit in zip(tried, whole.fits, strict=True)
            if fit.labels is not None
        },
        reasons={key: [fit.outcomes[key].why for fit in whole.fits] for key in keys},
        stability=stability,
        drawn=drawn if any({"sample", "pairs"} & options.keys() for _, options in asked) else None,
    )


def _silent() -> None:
    return None


def _drawn(sample: Any, points: int) -> int | None:
    """How many points or pairs are looked at by measures that can be sampled."""
    if sample is None:
        return DRAWN_POINTS if points > MANY_POINTS else None
    whole = isinstance(sample, int | np.integer) and not isinstance(sample, bool)
    if not whole or sample < 4:
        raise ParameterError(f"sample must be a whole number of at least 4, not {sample!r}.")
    return int(sample)


def read_measures(measures: Any, drawn: int | None, seed: int) -> Asked:
    """Records of internal measures, each with the parameters it is called with."""
    named = dict(measures) if isinstance(measures, Mapping) else None
    names = list(named) if named else measures
    records = registry.select(names)
    if not records:
        raise ParameterError("measures is empty; name at least one.")
    given = list(named.values()) if named else [{}] * len(records)
    if len(given) != len(records):
        raise ParameterError("measures names a measure twice.")
    asked = []
    for record, options in zip(records, given, strict=True):
        if record.kind != "internal":
            raise ParameterError(f"{record.key} needs a second labeling, not features.")
        own = dict(options or {})
        check_options(own, list(record.parameters), record.key)
        if "random_state" in record.parameters:
            own.setdefault("random_state", seed)
        for name in ("sample", "pairs"):
            if drawn is not None and name in record.parameters:
                own.setdefault(name, drawn)
        asked.append((record, own))
    return tuple(asked)


def _check_fits(sweep: Sweep) -> None:
    """Refuse a sweep in which nothing could be clustered."""
    if all(fit.labels is None for fit in sweep.fits):
        raise ParameterError(f"{sweep.fits[0].why}.")
