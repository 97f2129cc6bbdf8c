"""The card of one measure, and the list of all measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from clustervet.lab.matrix import known_properties, packaged_row
from clustervet.registry import FIELDS, Kind, Measure, MeasureFunction
from clustervet.registry import measures as registry
from clustervet.view import Result, Section, Table, facts_table, plain, plain_table, to_json
from clustervet.view.words import ARROWS, DIRECTIONS, bounds

# What the JSON of a card holds, in this order, before the answers of the tests.
WRITTEN = (
    *("key", "title", "symbol", "family", "kind", "better", "bounds", "unit", "symmetric"),
    *("metric", "adjusted", "cost", "perfect", "aliases", "parameters", "meaning", "equation"),
    *("use", "avoid", "reference"),
)
# What the measures of a kind judge.
KINDS: dict[Kind, str] = {
    "external": "Labels against labels",
    "internal": "Labels by the features",
    "soft": "Degrees of membership against others, or against labels",
    "soft_internal": "Degrees of membership alone, or by the features",
    "overlapping": "Groups that overlap against others",
    "hierarchical": "Trees against trees, or against labels",
}
TIME = {
    "cells": "time grows with the table's cells",
    "points": "time grows with the points",
    "pairs": "time grows with the pairs of points",
    "refits": "clusters reference data several times",
}


@dataclass(frozen=True, repr=False)
class MeasureCard(Result):
    """What one measure means, which properties it has, and when to use it; `card` makes it.

    Parameters
    ----------
    record : Measure
        The measure.

    Examples
    --------
    >>> card("rand").record.title
    'Rand index'
    >>> list(card("rand").columns())[:4]
    ['measure', 'better', 'low', 'high']
    """

    record: Measure

    def facts(self) -> dict[str, str]:
        """Return what the card says below the meaning of the measure.

        Returns
        -------
        dict of str to str
            Formula, properties, use, parameters, other names and reference, where known.

        Examples
        --------
        >>> card("rand").facts()["formula"]
        '(N11 + N00) / (n (n - 1) / 2)'
        """
        r = self.record
        said = {
            "formula": r.equation,
            "properties": "; ".join(_traits(r)),
            "has": self._titles("holds"),
            "lacks": self._titles("fails"),
            "use when": r.use,
            "avoid when": r.avoid,
            "parameters": ", ".join(f"{name}={value!r}" for name, value in r.parameters.items()),
            "also called": ", ".join(r.aliases),
            "reference": r.reference,
        }
        return {name: fact for name, fact in said.items() if fact}

    def _titles(self, status: str) -> str:
        """Return the titles of the properties for which the tests gave this answer."""
        known = known_properties()
        found = [key for key, answer in _tested(self.record).items() if answer == status]
        return "; ".join(known[key].title[0].lower() + known[key].title[1:] for key in found)

    def to_dict(self) -> dict[str, Any]:
        """Return the record of the measure as plain data.

        Returns
        -------
        dict
            All that is known about the measure, with the answers of the property tests.
        """
        return _data(self.record)

    def columns(self) -> dict[str, list[Any]]:
        """Return the measure as one row of the list of measures.

        Returns
        -------
        dict of str to list
            Measure, direction, bounds, kind, family and title.
        """
        return _columns([self.record])

    def document(self) -> Section:
        """Return the card as a document.

        Returns
        -------
        Section
            Title and meaning, then a table of facts.
        """
        title = f"{self.record.title} ({self.record.key})"
        return Section(
            "measure",
            title,
            paragraphs=tuple(filter(None, (title, self.record.meaning))),
            blocks=(facts_table("measure-facts", title, self.facts()),),
            subject=self,
            citations=tuple(filter(None, (self.record.reference,))),
        )


@dataclass(frozen=True, repr=False)
class MeasureList(Result):
    """Several measures, one row per measure; `measure_list` makes it.

    Parameters
    ----------
    records : tuple of Measure
        The measures.
    names : tuple of str, optional
        What a field calls them.

    Examples
    --------
    >>> [record.key for record in measure_list("impurity").records]
    ['gini', 'inverse_gini', 'goodman_kruskal_tau']
    """

    records: tuple[Measure, ...]
    names: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the records of the measures as plain data.

        Returns
        -------
        dict
            A list under the key "measures".
        """
        return {"measures": [_data(record) for record in self.records]}

    def to_json(self, indent: int | None = 2) -> str:
        """Return the records of the measures as JSON.

        Parameters
        ----------
        indent : int or None, optional
            Spaces per level; None writes one line.

        Returns
        -------
        str
            The text of a JSON list.
        """
        return to_json(self.to_dict()["measures"], indent)

    def columns(self) -> dict[str, list[Any]]:
        """Return the measures as columns, one row per measure.

        Returns
        -------
        dict of str to list
            Measure, direction, bounds, kind, family and title; for a field its own names first.
        """
        named = {"name in the field": list(self.names)} if self.names else {}
        return named | _columns(self.records)

    def document(self) -> Section:
        """Return the list as a document.

        Returns
        -------
        Section
            One table per kind of measures, in which the families are kept apart.
        """
        kinds = dict.fromkeys(record.kind for record in self.records)
        tables = tuple(self._table(kind) for kind in kinds)
        return Section("measures", "Measures", blocks=tables)

    def _table(self, kind: Kind) -> Table:
        """Return the table of one kind of measures."""
        places = [k for k, record in enumerate(self.records) if record.kind == kind]
        records = [self.records[k] for k in places]
        columns: dict[str, list[str]] = {
            **({"name in the field": [self.names[k] for k in places]} if self.names else {}),
            "measure": [r.key for r in records],
            "": [ARROWS[r.better] for r in records],
            "range": [bounds(r.bounds) for r in records],
            "title": [r.title for r in records],
            "aliases": [", ".join(r.aliases) for r in records],
        }
        table = plain_table(f"measures-{kind}", KINDS[kind], columns)
        families = [*(r.family for r in records), None]
        ends = [one != after for one, after in pairwise(families)]
        rows = tuple(replace(row, last=last) for row, last in zip(table.rows, ends, strict=True))
        return replace(table, rows=rows)


def card(measure: str | Measure | MeasureFunction) -> MeasureCard:
    """Return the card of a measure: what it means and when to use it.

    Parameters
    ----------
    measure : str, Measure or function
        A key or an alias, a record, or the measure itself.

    Returns
    -------
    MeasureCard
        The card.

    Raises
    ------
    UnknownMeasureError
        If there is no such measure.

    Examples
    --------
    >>> print(card("ari").facts()["properties"])
    higher is better; range -0.5 … 1; symmetric; corrected for chance
    """
    return MeasureCard(registry.select([measure])[0])


def measure_list(family: str | Iterable[str] | None = None) -> MeasureList:
    """Return the list of measures.

    Parameters
    ----------
    family : str or iterable of str, optional
        The family or families of measures. All by default. For one field, such as "coreference",
        the list says what the field calls them.

    Returns
    -------
    MeasureList
        One row per measure.

    Raises
    ------
    UnknownMeasureError
        If there is no such family.

    Examples
    --------
    >>> measure_list("impurity")
    measure                 range  title                      aliases
    gini                 ↓  0 … 1  Gini index                 gini_index, average_gini
    inverse_gini         ↓  0 … 1  Inverse Gini index
    goodman_kruskal_tau  ↑  0 … 1  Goodman and Kruskal's tau  gk_tau
    """
    records = tuple(registry.select(family=family))
    keys = [record.key for record in records]
    called = (tuple(one.names) for one in FIELDS.values() if [*one.names.values()] == keys)
    return MeasureList(records, next(called, ()))


def _columns(records: Sequence[Measure]) -> dict[str, list[Any]]:
    rows = [(r.key, r.better, *r.bounds, r.kind, r.family, r.title) for r in records]
    names = ("measure", "better", "low", "high", "kind", "family", "title")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def _data(record: Measure) -> dict[str, Any]:
    data = {name: plain(getattr(record, name)) for name in WRITTEN}
    data["parameters"] = {name: str(default) for name, default in record.parameters.items()}
    return {**data, "tested": _tested(record)}


def _tested(record: Measure) -> dict[str, str]:
    """Return the answers of the property tests that come with the package."""
    return {key: verdict.status for key, verdict in (packaged_row(record) or {}).items()}


COMPARED: dict[str, str] = {
    "soft": "compares memberships",
    "overlapping": "compares covers",
    "hierarchical": "compares trees",
}


def _traits(record: Measure) -> list[str]:
    traits = [DIRECTIONS[record.better], f"range {bounds(record.bounds)}"]
    traits += [f"in {record.unit}"] if record.unit else []
    if record.kind == "internal":
        traits += ["needs features, not classes", TIME[record.cost]]
        return [*traits, *([] if record.weighted else ["takes no weights"])]
    if record.kind == "soft_internal":
        return [*traits, "needs memberships, not classes"]
    traits += [COMPARED[record.kind]] if record.kind in COMPARED else []
    traits += ["symmetric" if record.symmetric else "truth and prediction are not exchangeable"]
    traits += ["a metric"] if record.metric else []
    traits += ["corrected for chance"] if record.adjusted else []
    return traits
