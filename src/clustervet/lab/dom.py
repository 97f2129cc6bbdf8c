"""The study of Dom 2001, §7: measures along and across his family of distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._progress import ticking
from clustervet.lab.desiderata import judged
from clustervet.lab.desiderata_result import PAPER_OBJECTS
from clustervet.lab.desiderata_trial import (
    Case,
    Trial,
    cases_of,
    chosen_measures,
    run_trial,
    values_on,
)
from clustervet.lab.dom_records import (
    Asymptote,
    Curve,
    DomStudy,
    FamilyTable,
    Scatter,
    Series,
    Sweep,
)
from clustervet.lab.family import Grid, Point, check_objects, expected_table, family
from clustervet.registry import Measure
from clustervet.registry import measures as registry

# Members that the paper prints, and with how many decimals.
TABLES = {
    "Table 1": (Point(5, 5, 0, 0.0, 0.0), 1),
    "Table 2": (Point(5, 5, 0, 0.2, 0.0), 2),
    "Table 3": (Point(5, 5, 3, 0.2, 0.3), 2),
}
FIGURES = {
    "hubert_gamma": "Figure 3",
    "fowlkes_mallows": "Figure 4",
    "hamming": "Figure 5",
    "jaccard": "Figure 6",
    "rand": "Figure 7",
}
ERRORS = tuple(k / 50 for k in range(41))  # Fig. 1 sweeps 0 to 0.8
USEFUL = tuple(range(6, 61))  # Fig. 2
OBJECTS = tuple(10.0**power for power in range(1, 10))
REFERENCE = "dom_q2"
TOLERANCE = 1e-12


def dom_study(measures: Any = None, *, n: float = PAPER_OBJECTS) -> DomStudy:
    """The whole of Dom 2001, §7: Tables 1-3 and 5, the data of Figs. 1-7, and eq. 13 beside Q0.

    `measures` are as in `desiderata`, those of the paper by default; Q2, to which all are
    compared, is always among them.

    >>> study = dom_study(["rand"])
    >>> study.sweeps[0].curves[0].values[0]
    1.0
    >>> round(study.scatters[0].spearman, 3)
    0.896
    """
    n = check_objects(n)
    records = chosen_measures(measures)
    if REFERENCE not in {record.key for record in records}:
        records.append(registry[REFERENCE])
    grid = Grid()
    cases = cases_of(grid, n)
    with ticking(len(records) * len(cases), "Dom's study") as tick:
        trials = [run_trial(record, cases, tick) for record in records]
    return DomStudy(
        n=n,
        tables=tuple(
            FamilyTable(name, point, tuple(map(tuple, family(*point).tolist())), digits)
            for name, (point, digits) in TABLES.items()
        ),
        sweeps=_sweeps(records, n),
        scatters=_scatters(trials),
        asymptotes=tuple(_asymptote(name, point) for name, (point, _) in TABLES.items()),
        approximation=_approximation(cases),
        desiderata=judged(trials, cases, grid, n, TOLERANCE),
        points=tuple(case.point for case in cases),
        values={trial.record.key: _own_values(trial) for trial in trials},
        ranks={trial.record.key: tuple(_ranks(trial.values).tolist()) for trial in trials},
    )


def _own_values(trial: Trial) -> Series:
    sign = -1.0 if trial.record.better == "lower" else 1.0
    return tuple((sign * trial.values).tolist())


def _sweeps(records: Sequence[Measure], n: float) -> tuple[Sweep, ...]:
    errors = [Point(5, 5, 0, error, 0.0) for error in ERRORS]
    clusters = [Point(6, useful, 0, 0.0, 0.0) for useful in USEFUL]
    return (
        Sweep(
            "Figure 1",
            "measures as objects err into other useful clusters, 5 classes and 5 clusters",
            "error_useful",
            ERRORS,
            _curves(records, errors, n),
        ),
        Sweep(
            "Figure 2",
            "measures as useful clusters grow in number, 6 classes and no errors",
            "useful",
            tuple(map(float, USEFUL)),
            _curves(records, clusters, n),
        ),
    )


def _curves(records: Sequence[Measure], points: Sequence[Point], n: float) -> tuple[Curve, ...]:
    tables = [expected_table(family(*point), n) for point in points]
    curves = []
    for record in records:
        values = values_on(record, tables)
        scaled = tuple(_stretched(np.array(values)).tolist())
        curves.append(Curve(record.key, record.title, record.symbol, tuple(values), scaled))
    return tuple(curves)


def _stretched(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values moved to range over [0, 1]; nan where there is no range."""
    if np.isnan(values).all():
        return values
    low, high = np.nanmin(values), np.nanmax(values)
    return (values - low) / (high - low) if high > low else np.full(len(values), np.nan)


def _scatters(trials: Sequence[Trial]) -> tuple[Scatter, ...]:
    """Each measure against Q2: the paper's figures in its order, then the others."""
    by_key = {trial.record.key: trial for trial in trials}
    order = [key for key in FIGURES if key in by_key]
    order += [key for key in by_key if key not in FIGURES and key != REFERENCE]
    reference = by_key[REFERENCE]
    return tuple(
        _scatter(
            figure=FIGURES.get(key, ""),
            title=f"{by_key[key].record.title} against Q2",
            key=key,
            titles=(reference.record.title, by_key[key].record.title),
            series=(_own_values(reference), _own_values(by_key[key])),
            merits=(reference.values, by_key[key].values),
        )
        for key in order
        if by_key[key].is_sound
    )


def _scatter(
    *,
    figure: str,
    title: str,
    key: str,
    titles: tuple[str, str],
    series: tuple[Series, Series],
    merits: tuple[NDArray[np.float64], NDArray[np.float64]],
) -> Scatter:
    """Values and ranks, where 1 is the largest merit, over the cases on which both have one."""
    from scipy.stats import kendalltau

    both = ~np.isnan(merits[0]) & ~np.isnan(merits[1])
    placed = [_ranks(np.where(both, merit, np.nan)) for merit in merits]
    ranks = [rank[both] for rank in placed]
    varied = all(len(set(rank.tolist())) > 1 for rank in ranks)
    return Scatter(
        figure=figure,
        title=title,
        key=key,
        x_title=titles[0],
        y_title=titles[1],
        x=series[0],
        y=series[1],
        x_ranks=tuple(placed[0].tolist()),
        y_ranks=tuple(placed[1].tolist()),
        spearman=float(np.corrcoef(ranks[0], ranks[1])[0, 1]) if varied else math.nan,
        kendall=float(kendalltau(ranks[0], ranks[1]).statistic) if varied else math.nan,
    )


def _ranks(merit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks, 1 the best; values that differ by rounding alone share their mean rank."""
    from scipy.stats import rankdata

    order = np.argsort(-merit)  # nan comes last
    ordered = merit[order]
    size = np.maximum(np.abs(ordered[:-1]), np.abs(ordered[1:]))
    fresh = np.concatenate([[True], np.abs(np.diff(ordered)) > TOLERANCE * size])
    level = np.empty(len(merit))
    level[order] = np.cumsum(fresh)
    level[np.isnan(merit)] = np.nan
    return np.asarray(rankdata(level, nan_policy="omit"), np.float64)


def _asymptote(title: str, point: Point) -> Asymptote:
    tables = [expected_table(family(*point), n) for n in OBJECTS]
    entropy = values_on(registry["conditional_entropy"], tables)
    return Asymptote(
        title=title,
        parameters=point,
        n=OBJECTS,
        exact=tuple(values_on(registry["dom_q0"], tables)),
        asymptotic=tuple(
            left + asymptotic_cost(table.shape, n)
            for left, table, n in zip(entropy, tables, OBJECTS, strict=True)
        ),
        entropy=tuple(entropy),
    )


def asymptotic_cost(shape: tuple[int, int], n: float) -> float:
    """Bits an object that a table of so many classes and clusters costs at last (eq. 13).

    >>> asymptotic_cost((5, 8), 2**10)
    0.3125
    """
    classes, clusters = shape
    return clusters * (classes - 1) * math.log2(n) / n


def _approximation(cases: Sequence[Case]) -> Scatter:
    """Eq. 13 against the exact Q0 over all combinations."""
    tables = [case.table for case in cases]
    exact = values_on(registry["dom_q0"], tables)
    entropy = values_on(registry["conditional_entropy"], tables)
    near = [
        left + asymptotic_cost(t.shape, float(t.n)) for left, t in zip(entropy, tables, strict=True)
    ]
    return _scatter(
        figure="",
        title="Asymptotic form of Q0 (eq. 13) against the exact Q0 (eq. 11)",
        key="eq. 13",
        titles=("exact Q0 in bits", "asymptotic Q0 in bits"),
        series=(tuple(exact), tuple(near)),
        merits=(-np.array(exact), -np.array(near)),
    )
