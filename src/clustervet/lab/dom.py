"""The study of Dom 2001, §7: measures along and across his family of distributions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency import Contingency
from clustervet.lab.desiderata import PAPER_OBJECTS, Desiderata, cell_table, judged
from clustervet.lab.family import (
    FamilyCase,
    Grid,
    MeasureTrial,
    Point,
    check_objects,
    chosen_measures,
    expected_table,
    family,
    run_trials,
    values_on,
)
from clustervet.registry import Measure
from clustervet.registry import measures as registry
from clustervet.view import Cell, Result, Section, Table, form_cell

Series = tuple[float, ...]
# Members that the paper prints, and the number of decimals.
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
ERRORS = tuple(k / 50 for k in range(41))  # Fig. 1 goes from 0 to 0.8
USEFUL = tuple(range(6, 61))  # Fig. 2
OBJECTS = tuple(10.0**power for power in range(1, 10))
REFERENCE = "dom_q2"
# The other form of the reference. The paper's Figs. 1 and 2 do not show it.
OTHER_FORM = "dom_q0"
TOLERANCE = 1e-12
# Rows of the table of a sweep.
SWEEP_ROWS = 9


@dataclass(frozen=True)
class FamilyTable:
    """A distribution that the paper prints: Table 1, 2 or 3.

    `table` is its name, `parameters` are those of `family`, `shares` the rows of p(c,k), and
    `digits` the number of decimals that the paper prints.
    """

    table: str
    parameters: Point
    shares: tuple[Series, ...]
    digits: int


@dataclass(frozen=True)
class MeasureCurve:
    """One measure along a sweep.

    `values` are its own values, for part (a) of the figure; `scaled` the same values stretched
    over [0, 1] along this sweep, for part (b). `key`, `title` and `symbol` name the measure.
    """

    key: str
    title: str
    symbol: str
    values: Series
    scaled: Series


@dataclass(frozen=True)
class FamilySweep:
    """Figs. 1 and 2: measures as one parameter of the family grows.

    `x` are the values of the parameter and `x_title` is its name; each of `curves` has one value
    per value of `x`. `figure` is the name of the figure in the paper.
    """

    figure: str
    title: str
    x_title: str
    x: Series
    curves: tuple[MeasureCurve, ...]


@dataclass(frozen=True)
class RankScatter:
    """Figs. 3 to 7: a measure against Q2 over all combinations, in the order of `points`.

    Part (a) draws `y_ranks` over `x_ranks` (1 is the best clustering, ties share their mean
    rank), part (b) `y` over `x`. `spearman` and `kendall` (tau-b) correlate the ranks. `key`
    names the measure; `figure` is empty where the paper has none.
    """

    figure: str
    title: str
    key: str
    x_title: str
    y_title: str
    x: Series
    y: Series
    x_ranks: Series
    y_ranks: Series
    spearman: float
    kendall: float


@dataclass(frozen=True)
class Asymptote:
    """Q0 in bits as the number of objects `n` grows, for one member of the family.

    `exact` is eq. 11, `asymptotic` eq. 13, and `entropy` their limit, eq. 14, the same for all n.
    """

    title: str
    parameters: Point
    n: Series
    exact: Series
    asymptotic: Series
    entropy: Series


@dataclass(frozen=True, repr=False)
class DomStudy(Result):
    """The comparison of measures of Dom 2001, §7; `dom_study` makes it.

    Parameters
    ----------
    n : float
        Number of objects.
    tables : tuple of FamilyTable
        Tables 1 to 3.
    sweeps : tuple of FamilySweep
        The data of Figs. 1 and 2.
    scatters : tuple of RankScatter
        The data of Figs. 3 to 7, and one scatter for each other measure.
    asymptotes : tuple of Asymptote
        Q0 and eq. 13 as the number of objects grows.
    approximation : RankScatter
        Q0 and eq. 13 over all combinations at `n` objects.
    desiderata : Desiderata
        Table 5 and the other rules.
    points : tuple of Point
        The combinations.
    values : dict of str to tuple of float
        The values of each measure on the combinations.
    ranks : dict of str to tuple of float
        Their ranks; 1 is the best.

    Examples
    --------
    >>> study = dom_study(["rand"])
    >>> len(study.points), sorted(study.values)
    (760, ['dom_q2', 'rand'])
    """

    SCHEMA: ClassVar[str] = "clustervet/dom-study/1"

    n: float
    tables: tuple[FamilyTable, ...]
    sweeps: tuple[FamilySweep, ...]
    scatters: tuple[RankScatter, ...]
    asymptotes: tuple[Asymptote, ...]
    approximation: RankScatter
    desiderata: Desiderata
    points: tuple[Point, ...]
    values: dict[str, Series]
    ranks: dict[str, Series]

    def columns(self) -> dict[str, list[Any]]:
        """Return the values as columns, one row per combination.

        Returns
        -------
        dict of str to list
            The parameters, then the value and the rank of each measure.
        """
        columns = {name: [getattr(p, name) for p in self.points] for name in Point._fields}
        for key, series in self.values.items():
            columns[key] = list(series)
            columns[f"{key} rank"] = list(self.ranks[key])
        return columns

    def document(self) -> Section:
        """Return the study as a document.

        Returns
        -------
        Section
            One table per part, in the order of the paper.
        """
        near = self.approximation
        return Section(
            "study",
            "Dom's comparison of measures",
            blocks=(
                *map(_family_table, self.tables),
                *map(_sweep_table, self.sweeps),
                self._rank_table(),
                self._limit_table(),
            ),
            notes=(
                *self.desiderata.notes(),
                f"Figs. 1 and 2 take {self.n:.6g} objects; the paper does not say how many it "
                "took.",
                f"Over the {len(self.points)} combinations eq. 13 ranks as the exact Q0 does with "
                f"Spearman {near.spearman:.4f} and Kendall {near.kendall:.4f}.",
            ),
            subject=self,
            measures=self.desiderata.records,
            citations=("Dom 2001",),
        )

    def _rank_table(self) -> Table:
        """Return the failures of each rule and the rank correlations with Q2."""
        columns = self.desiderata.failed_cells()
        found = {scatter.key: (scatter.spearman, scatter.kendall) for scatter in self.scatters}
        ranks = [found.get(key, (None, None)) for key in self.desiderata.measures]
        columns["Spearman with Q2"] = _numbers((one for one, _ in ranks), ".4f")
        columns["Kendall with Q2"] = _numbers((other for _, other in ranks), ".4f")
        return cell_table("study-ranks", "Sequences that fail, and ranks", columns, ("measure",))

    def _limit_table(self) -> Table:
        columns = {"n": _numbers(OBJECTS, "g")}
        for limit in self.asymptotes:
            columns[f"{limit.title} Q0"] = _numbers(limit.exact, ".4g")
            columns[f"{limit.title} eq. 13"] = _numbers(limit.asymptotic, ".4g")
        return cell_table("study-limits", "Q0 in bits beside its asymptotic form, eq. 13", columns)


def _numbers(values: Iterable[float | None], form: str) -> list[Cell]:
    return [form_cell(value, form) for value in values]


def _family_table(found: FamilyTable) -> Table:
    columns = {"class": [Cell(str(c + 1)) for c in range(len(found.shares))]}
    for k, column in enumerate(zip(*found.shares, strict=True), 1):
        columns[str(k)] = _numbers(column, f".{found.digits}f")
    key = f"study-{found.table.lower().replace(' ', '')}"
    return cell_table(key, f"{found.table}: {found.parameters}", columns, texts=("class",))


def _sweep_table(sweep: FamilySweep) -> Table:
    """Return some of the values of a sweep, evenly spaced."""
    last = len(sweep.x) - 1
    places = sorted({round(last * k / (SWEEP_ROWS - 1)) for k in range(SWEEP_ROWS)})
    columns = {sweep.x_title: _numbers((sweep.x[k] for k in places), ".4g")}
    for curve in sweep.curves:
        columns[curve.key] = _numbers((curve.values[k] for k in places), ".4f")
    key = f"study-{sweep.figure.lower().replace(' ', '')}"
    return cell_table(key, f"{sweep.figure}: {sweep.title}", columns)


def dom_study(measures: Any = None, *, n: float = PAPER_OBJECTS) -> DomStudy:
    """Run the comparison of measures of Dom 2001, §7.

    Parameters
    ----------
    measures : str, Measure, function or iterable of these, optional
        As in `desiderata`; by default those of the paper. Q2, to which all measures are compared,
        is always among them.
    n : float, optional
        Number of objects.

    Returns
    -------
    DomStudy
        Tables 1 to 3 and 5, the data of Figs. 1 to 7, and eq. 13 beside Q0.

    Raises
    ------
    ParameterError
        If a measure needs features, or `n` is not a positive number.
    UnknownMeasureError
        If a measure is unknown.

    Notes
    -----
    Dom 2001, §7. The paper does not say how many objects Figs. 1 and 2 have; they have `n` here.
    Of the paper's seven measures Q0 is left out of these two figures, as it is there: Q2 is the
    form that has the range of the others.

    Examples
    --------
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
    drawn = [r for r in records if measures is not None or r.key != OTHER_FORM]
    grid = Grid()
    cases, trials = run_trials(records, grid, n, "Dom's study")
    return DomStudy(
        n=n,
        tables=tuple(
            FamilyTable(name, point, tuple(map(tuple, family(*point).tolist())), digits)
            for name, (point, digits) in TABLES.items()
        ),
        sweeps=_sweeps(drawn, n),
        scatters=_scatters(trials),
        asymptotes=tuple(_asymptote(name, point) for name, (point, _) in TABLES.items()),
        approximation=_approximation(cases),
        desiderata=judged(trials, cases, grid, n, TOLERANCE),
        points=tuple(case.point for case in cases),
        values={trial.record.key: _own_values(trial) for trial in trials},
        ranks={trial.record.key: tuple(_ranks(trial.values).tolist()) for trial in trials},
    )


def _own_values(trial: MeasureTrial) -> Series:
    sign = -1.0 if trial.record.better == "lower" else 1.0
    return tuple((sign * trial.values).tolist())


def _sweeps(records: Sequence[Measure], n: float) -> tuple[FamilySweep, ...]:
    errors = [Point(5, 5, 0, error, 0.0) for error in ERRORS]
    clusters = [Point(6, useful, 0, 0.0, 0.0) for useful in USEFUL]
    return (
        FamilySweep(
            "Figure 1",
            "measures as objects err into other useful clusters, 5 classes and 5 clusters",
            "error_useful",
            ERRORS,
            _curves(records, errors, n),
        ),
        FamilySweep(
            "Figure 2",
            "measures as useful clusters grow in number, 6 classes and no errors",
            "useful",
            tuple(map(float, USEFUL)),
            _curves(records, clusters, n),
        ),
    )


def _curves(
    records: Sequence[Measure], points: Sequence[Point], n: float
) -> tuple[MeasureCurve, ...]:
    tables = [expected_table(family(*point), n) for point in points]
    curves = []
    for record in records:
        values = values_on(record, tables)
        scaled = tuple(_stretched(np.array(values)).tolist())
        curves.append(MeasureCurve(record.key, record.title, record.symbol, tuple(values), scaled))
    return tuple(curves)


def _stretched(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values stretched over [0, 1]; nan where all are equal."""
    if np.isnan(values).all():
        return values
    low, high = np.nanmin(values), np.nanmax(values)
    return (values - low) / (high - low) if high > low else np.full(len(values), np.nan)


class _Side(NamedTuple):
    """One axis of a scatter; `merit` are the values, signed so that higher is better."""

    title: str
    values: Series
    merit: NDArray[np.float64]


def _scatters(trials: Sequence[MeasureTrial]) -> tuple[RankScatter, ...]:
    """Return each measure against Q2: the paper's figures in its order, then the others."""
    by_key = {trial.record.key: trial for trial in trials}
    order = [key for key in FIGURES if key in by_key]
    order += [key for key in by_key if key not in FIGURES and key != REFERENCE]
    sides = {key: _Side(t.record.title, _own_values(t), t.values) for key, t in by_key.items()}
    return tuple(
        _scatter(
            FIGURES.get(key, ""),
            f"{sides[key].title} against Q2",
            key,
            sides[REFERENCE],
            sides[key],
        )
        for key in order
        if by_key[key].is_sound
    )


def _scatter(figure: str, title: str, key: str, x: _Side, y: _Side) -> RankScatter:
    """Return values and ranks over the cases in which both measures have a value."""
    from scipy.stats import kendalltau

    both = ~np.isnan(x.merit) & ~np.isnan(y.merit)
    placed = [_ranks(np.where(both, side.merit, np.nan)) for side in (x, y)]
    ranks = [rank[both] for rank in placed]
    varied = all(len(set(rank.tolist())) > 1 for rank in ranks)
    return RankScatter(
        figure,
        title,
        key,
        x_title=x.title,
        y_title=y.title,
        x=x.values,
        y=y.values,
        x_ranks=tuple(placed[0].tolist()),
        y_ranks=tuple(placed[1].tolist()),
        spearman=float(np.corrcoef(ranks[0], ranks[1])[0, 1]) if varied else math.nan,
        kendall=float(kendalltau(*ranks).statistic) if varied else math.nan,
    )


def _ranks(merit: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks, 1 for the best; values that differ by rounding share their mean rank."""
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
    return Asymptote(title, point, OBJECTS, *_forms_of_q0(tables, OBJECTS))


def _approximation(cases: Sequence[FamilyCase]) -> RankScatter:
    """Return eq. 13 against the exact Q0 over all combinations."""
    tables = [case.table for case in cases]
    exact, near, _ = _forms_of_q0(tables, [float(table.n) for table in tables])
    return _scatter(
        "",
        "Asymptotic form of Q0 (eq. 13) against the exact Q0 (eq. 11)",
        "eq. 13",
        _Side("exact Q0 in bits", exact, -np.array(exact)),
        _Side("asymptotic Q0 in bits", near, -np.array(near)),
    )


def _forms_of_q0(
    tables: Sequence[Contingency], sizes: Sequence[float]
) -> tuple[Series, Series, Series]:
    """Return Q0 (eq. 11), its asymptotic form (eq. 13), and its limit, the entropy (eq. 14)."""
    entropy = values_on(registry["conditional_entropy"], tables)
    near = (
        left + asymptotic_cost(table.shape, n)
        for left, table, n in zip(entropy, tables, sizes, strict=True)
    )
    return tuple(values_on(registry["dom_q0"], tables)), tuple(near), tuple(entropy)


def asymptotic_cost(shape: tuple[int, int], n: float) -> float:
    """Return the cost of a table in bits per object as n grows (the second term of eq. 13).

    >>> asymptotic_cost((5, 8), 2**10)
    0.3125
    """
    classes, clusters = shape
    return clusters * (classes - 1) * math.log2(n) / n
