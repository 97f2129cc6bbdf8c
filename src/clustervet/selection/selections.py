"""`Selections`: the same candidates under several shares of labelled points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from clustervet.labels import show_label
from clustervet.selection.selection import Selection, errors_cell
from clustervet.view import Cell, Column, Result, Row, Section, Table
from clustervet.view.cells import name_cell, number_cell
from clustervet.view.words import counted

COLUMNS = ("algorithm", "clusters", "run", "train_errors", "bits", "max_errors", "rate")


class Selections(Result, Mapping[float | int, Selection]):
    """Selections of the same fits by several shares of labelled points.

    Parameters
    ----------
    selections : mapping
        Selections by the share or the number of labelled points.

    Notes
    -----
    Banerjee & Langford 2004, figs. 4 and 5, have five shares: 0.1, 0.3, 0.5, 0.7 and 0.9. Each
    bound holds alone with probability 1 - delta. More labelled points tell more about the errors,
    and leave fewer points whose errors are bounded, so the bound is lowest somewhere in between.

    Examples
    --------
    >>> import clustervet as cv
    >>> X = [[k + 9.0 * (k > 9)] for k in range(20)]
    >>> y = ["a"] * 10 + ["b"] * 10
    >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2], runs=1, train=[0.3, 0.5])
    >>> [one.best.max_errors for one in found.values()]
    [7, 4]
    """

    SCHEMA: ClassVar[str] = "clustervet/selections/1"

    def __init__(self, selections: Mapping[float | int, Selection]) -> None:
        self._selections = dict(selections)

    def __getitem__(self, train: float | int) -> Selection:
        return self._selections[train]

    def __iter__(self) -> Iterator[float | int]:
        return iter(self._selections)

    def __len__(self) -> int:
        return len(self._selections)

    def to_dict(self) -> dict[str, Any]:
        """Return the data of every selection.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        held = [{"train": train, **one.to_dict()} for train, one in self.items()]
        return {"schema": self.SCHEMA, "selections": held}

    def columns(self) -> dict[str, Any]:
        """Return one row per share of labelled points.

        Returns
        -------
        dict
            The chosen clustering of each, its bound, its true errors where they are known, and the
            bound of always answering the commonest label.
        """
        held = list(self.values())
        chosen = {name: [getattr(one.best, name) for one in held] for name in COLUMNS}
        return {
            "train": list(self),
            "labelled": [one.study.train_size for one in held],
            **chosen,
            "test_errors": [one.best.test_errors for one in held],
            "test_rate": [one.best.test_rate for one in held],
            "constant_rate": [one.bound.constant.rate for one in held],
        }

    def cautions(self) -> list[str]:
        """Return what a reader of the bounds alone must know.

        Returns
        -------
        list of str
            That noise counts as a cluster, or that features differ in scale.
        """
        return next(iter(self.values())).cautions()

    def document(self) -> Section:
        """Return one row per share of labelled points.

        Returns
        -------
        Section
            The lowest bound in a sentence, the table, and what else there is to know.
        """
        heads = (
            Column("labelled", hint="Points that are looked at"),
            Column("algorithm", "text"),
            Column("clusters"),
            Column("run"),
            Column("bound", scale=(0, 1), hint="Unlabelled points that may be predicted wrongly"),
            Column("test errors", scale=(0, 1), hint="Those that are, where the truth is known"),
            Column("constant", scale=(0, 1), hint="Bound of always giving the commonest label"),
        )
        low = min(self, key=lambda train: self[train].best.rate or 0.0)
        rows = tuple(self._row(train, train == low) for train in self)
        study = self[low].study
        delta = f"with probability at least {1 - study.delta:.10g}"
        return Section(
            "selections",
            "The choice by the share of labelled points",
            (self.verdict, f"{counted(len(self), 'split')} of {study.points:,} points"),
            (Table("selections-shares", "Bound by labelled points", heads, rows),),
            notes=(
                f"Each bound holds alone {delta}. Choosing the share with the lowest bound is not "
                "paid for.",
                *self.cautions(),
            ),
            lead=(self.verdict,),
            subject=self,
            citations=("Banerjee & Langford 2004",),
        )

    @property
    def verdict(self) -> str:
        """The range of the bounds, in a sentence."""
        rates = {train: one.best.rate or 0.0 for train, one in self.items()}
        low, high = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
        best = self[low].best
        return (
            f"The bound on the error rate goes from {rates[low]:.2%} with "
            f"{self[low].study.train_size:,} labelled points ({show_label(best.algorithm)}, "
            f"{counted(best.clusters, 'cluster')}) to {rates[high]:.2%} with "
            f"{self[high].study.train_size:,}."
        )

    def _row(self, train: float | int, lowest: bool) -> Row:
        one = self[train]
        best, constant = one.best, one.bound.constant
        share = one.study.train_size / one.study.points
        return Row(
            (
                Cell(f"{one.study.train_size:,} ({share:.0%})", value=share),
                name_cell("algorithm", best.algorithm),
                number_cell(best.clusters),
                number_cell(best.run),
                errors_cell(best.max_errors, best.rate, best=lowest),
                errors_cell(best.test_errors, best.test_rate),
                errors_cell(constant.max_errors, constant.rate),
            )
        )
