"""What the study of Dom 2001, §7, holds: finished series with their names, ready to be drawn."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from clustervet.contingency.frame import Backend, to_frame
from clustervet.lab.desiderata_result import Desiderata, aligned
from clustervet.lab.family import Point, describe

SCHEMA = "clustervet/dom-study/1"
Series = tuple[float, ...]


class Plain:
    """A record whose fields are plain data, records, or tuples and dicts of them."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data; what is undefined is None."""
        return {name: _plain(value) for name, value in vars(self).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Point):
        return value._asdict()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


@dataclass(frozen=True)
class FamilyTable(Plain):
    """A printed distribution: Table 1, 2 or 3.

    `table` is its name, `parameters` those of `family`, `shares` the rows of p(c,k), `digits`
    how many decimals the paper prints.
    """

    table: str
    parameters: Point
    shares: tuple[Series, ...]
    digits: int

    def grid(self) -> list[list[str]]:
        """The table as printed."""
        head = ["class", *(str(k + 1) for k in range(len(self.shares[0])))]
        rows = (
            [str(c), *(f"{p:.{self.digits}f}" for p in row)] for c, row in enumerate(self.shares, 1)
        )
        return [head, *rows]


@dataclass(frozen=True)
class Curve(Plain):
    """One measure along a sweep.

    `values` are its own, for part (a) of the figure; `scaled` the same stretched over [0, 1]
    along this sweep, for part (b). `key`, `title` and `symbol` name the measure.
    """

    key: str
    title: str
    symbol: str
    values: Series
    scaled: Series


@dataclass(frozen=True)
class Sweep(Plain):
    """Figs. 1 and 2: measures as one parameter of the family grows.

    `x` are the parameter's values, `x_title` its name; each of `curves` has a value for each of
    them. `figure` is the figure's name in the paper.
    """

    figure: str
    title: str
    x_title: str
    x: Series
    curves: tuple[Curve, ...]

    def grid(self, most: int = 9) -> list[list[str]]:
        """Some of the values, a row a value of the parameter."""
        last = len(self.x) - 1
        places = sorted({round(last * k / (most - 1)) for k in range(most)})
        head = [self.x_title, *(curve.key for curve in self.curves)]
        rows = (
            [f"{self.x[k]:.4g}", *(f"{curve.values[k]:.4f}" for curve in self.curves)]
            for k in places
        )
        return [head, *rows]


@dataclass(frozen=True)
class Scatter(Plain):
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
class Asymptote(Plain):
    """Q0 in bits as the number of objects `n` grows, for one member of the family.

    `exact` is eq. 11, `asymptotic` eq. 13, `entropy` their limit, eq. 14, the same for all n.
    """

    title: str
    parameters: Point
    n: Series
    exact: Series
    asymptotic: Series
    entropy: Series


@dataclass(frozen=True)
class DomStudy:
    """The comparison of measures of Dom 2001, §7, whole.

    `tables` are Tables 1 to 3, `sweeps` Figs. 1 and 2, `scatters` Figs. 3 to 7 (and one for each
    other measure), `desiderata` Table 5 and the other rules, `asymptotes` Q0 beside eq. 13 as n
    grows, `approximation` the same over all combinations at `n` objects. `points` are the
    combinations, `values` each measure's own values there and `ranks` their ranks, 1 the best.
    """

    n: float
    tables: tuple[FamilyTable, ...]
    sweeps: tuple[Sweep, ...]
    scatters: tuple[Scatter, ...]
    asymptotes: tuple[Asymptote, ...]
    approximation: Scatter
    desiderata: Desiderata
    points: tuple[Point, ...]
    values: dict[str, Series]
    ranks: dict[str, Series]

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {"schema": SCHEMA, **{name: _plain(value) for name, value in vars(self).items()}}

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """A row a combination."""
        return to_frame(self.columns(), backend)

    def columns(self) -> dict[str, list[Any]]:
        """A row a combination: its parameters, each measure's value and its rank."""
        columns = {name: [p._asdict()[name] for p in self.points] for name in Point._fields}
        for key, series in self.values.items():
            columns[key] = list(series)
            columns[f"{key} rank"] = list(self.ranks[key])
        return columns

    def grid(self) -> list[list[str]]:
        """Failures of each rule, and rank correlations with Q2; a row a measure."""
        correlated = {s.key: [f"{s.spearman:.4f}", f"{s.kendall:.4f}"] for s in self.scatters}
        head, *rows = self.desiderata.grid()
        return [
            [*head, "Spearman with Q2", "Kendall with Q2"],
            *([*row, *correlated.get(row[0], ["-", "-"])] for row in rows),
        ]

    def sections(self) -> list[tuple[str, list[list[str]]]]:
        """Titled tables, in the order of the paper."""
        tables = [
            (f"{table.table}: {describe(table.parameters._asdict())}", table.grid())
            for table in self.tables
        ]
        sweeps = [(f"{sweep.figure}: {sweep.title}", sweep.grid()) for sweep in self.sweeps]
        limits = [("Q0 in bits beside its asymptotic form, eq. 13", self._limits())]
        return [*tables, *sweeps, ("Sequences that fail, and ranks", self.grid()), *limits]

    def _limits(self) -> list[list[str]]:
        head = ["n", *(f"{a.title} {form}" for a in self.asymptotes for form in ("Q0", "eq. 13"))]
        rows = (
            [
                f"{n:g}",
                *(f"{x:.4g}" for a in self.asymptotes for x in (a.exact[k], a.asymptotic[k])),
            ]
            for k, n in enumerate(self.asymptotes[0].n)
        )
        return [head, *rows]

    def notes(self) -> list[str]:
        """What to know when reading the tables."""
        near = self.approximation
        return [
            *self.desiderata.notes(),
            f"Figs. 1 and 2 take {self.n:.6g} objects; the paper does not say how many it took.",
            f"Over the {len(self.points)} combinations eq. 13 ranks as the exact Q0 does with "
            f"Spearman {near.spearman:.4f} and Kendall {near.kendall:.4f}.",
        ]

    def __repr__(self) -> str:
        blocks = [f"{title}\n{aligned(rows)}" for title, rows in self.sections()]
        return "\n\n".join([*blocks, "\n".join(self.notes())])
