"""`Judgement`: what is known about clusterings, as one result."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from clustervet.contingency import Contingency, EngineTable
from clustervet.contingency.mapping import align
from clustervet.errors import ParameterError
from clustervet.geometry.clusters import ClusterDistances
from clustervet.geometry.picture import ClusteredPoints
from clustervet.hierarchical import BkCurve
from clustervet.inference import Chance, Diagnosis, Ranking
from clustervet.inference.chance import chance_table, tail_note
from clustervet.registry import Pair
from clustervet.scorecard.card import SCHEMA, ScoreCards, card_columns, wide_columns
from clustervet.scorecard.card_document import cards_document
from clustervet.soft import Memberships
from clustervet.view import Backend, Result, Section, flat_numbers, plain, to_frame
from clustervet.view.words import short

Table = Contingency | EngineTable
# What the only clustering is called where nobody named it.
NAMELESS = "pred"
CHANCE_COLUMNS = ("expected", "spread", "z", "p_value", "adjusted")


@dataclass(frozen=True, repr=False, eq=False)
class Judgement(Result):
    """What is known about clusterings: scores, ranking, chance and diagnoses.

    Parameters
    ----------
    scores : ScoreCards
        The clusterings against known classes, by name; empty where none are known.
    inner : ScoreCards
        The clusterings against their own features; empty where those were not asked for.
    ranking : Ranking or None
        The clusterings from best to worst, where several were compared with a confidence.
    chances : mapping
        By clustering and measure, the value beside what random clusterings give.
    diagnoses : mapping
        By clustering, where it goes wrong.
    tables : mapping
        By clustering, its table of classes and clusters.
    unmatched : tuple
        How many ids of joined files have no partner, for each file.
    title : str
        A line above the scores.
    remarks : tuple of str
        How files were read, where that was a guess.
    points : ClusteredPoints or None
        The points of a clustering in two dimensions, and the profiles of its clusters.
    distances : mapping
        By clustering, the distances within and between its clusters.
    _rows : mapping
        By prediction its classes and clusters, object by object, or a function that reads them.
    pairs : mapping
        By clustering, what was scored of soft, overlapping or hierarchical ones: it and the truth,
        or memberships alone.
    curves : mapping
        By tree, how well its cuts agree with those of the truth.

    Examples
    --------
    >>> import clustervet as cv
    >>> truth, pred = ["a"] * 12 + ["b"] * 12, [0] * 16 + [1] * 8
    >>> found = cv.judge(truth, pred, measures=["purity"], diagnose=True)
    >>> round(found.scores["pred"]["purity"], 4), found.diagnoses["pred"].repairs[0].kind
    (0.8333, 'move')
    """

    SCHEMA: ClassVar[str] = SCHEMA

    scores: ScoreCards = field(default_factory=lambda: ScoreCards({}))
    inner: ScoreCards = field(default_factory=lambda: ScoreCards({}))
    ranking: Ranking | None = None
    chances: Mapping[str, Mapping[str, Chance]] = field(default_factory=dict)
    diagnoses: Mapping[str, Diagnosis] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    pairs: Mapping[str, Pair | Memberships] = field(default_factory=dict, kw_only=True)
    curves: Mapping[str, BkCurve] = field(default_factory=dict, kw_only=True)
    unmatched: tuple[Any, ...] | None = None
    title: str = ""
    remarks: tuple[str, ...] = ()
    points: ClusteredPoints | None = None
    distances: Mapping[str, ClusterDistances] = field(default_factory=dict)
    _rows: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out labels that are read from files when they are asked for."""
        known = {name: given for name, given in self._rows.items() if not callable(given)}
        return self.__dict__ | {"_rows": known}

    @property
    def _parts(self) -> list[ScoreCards]:
        return [cards for cards in (self.scores, self.inner) if cards]

    def to_dict(self, *, flat: bool = False) -> dict[str, Any]:
        """Return the cards as plain data, with ranking, diagnoses and chance where asked for.

        Parameters
        ----------
        flat : bool, default False
            Return numbers by dotted name instead: the values of the measures with their intervals
            and chance levels, below the name of the clustering where there are several.

        Returns
        -------
        dict
            Plain data, as JSON holds it.

        Examples
        --------
        >>> import clustervet as cv
        >>> preds = {"a": [0, 0, 1, 1], "b": [0, 0, 0, 1]}
        >>> found = cv.judge([1, 1, 2, 2], preds, measures=["rand"])
        >>> found.to_dict(flat=True)
        {'a.rand': 1.0, 'b.rand': 0.5}
        """
        if flat:
            return self._flat()
        parts = self._parts
        if len(parts) == 1:
            only = parts[0]
            data = (only if len(only) > 1 else next(iter(only.values()))).to_dict()
        else:
            every = [card for cards in parts for card in cards.to_dict()["cards"]]
            data = {"schema": SCHEMA, "cards": every}
        more: dict[str, Any] = {"ranking": self.ranking, "diagnoses": self.diagnoses}
        more |= {"chance": self.chances, "distances": self.distances, "cuts": self.curves}
        data |= {name: plain(value) for name, value in more.items() if value}
        if self.unmatched is not None:
            data["unmatched"] = plain(self.unmatched)
        return data

    def _flat(self) -> dict[str, float]:
        found: dict[str, float] = {}
        for cards in self._parts:
            several = len(cards) > 1
            found |= cards.to_dict(flat=True) if several else {}
            found |= {} if several else next(iter(cards.values())).to_dict(flat=True)
        levels = (
            (f"{name}.{key}" if name else key, {n: getattr(level, n) for n in CHANCE_COLUMNS})
            for name, held in _named(self.chances)
            for key, level in held.items()
        )
        return found | flat_numbers(levels)

    def to_frame(self, backend: Backend | None = None, *, wide: bool = False) -> Any:
        """Return the scores as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library; by default the first one that is installed.
        wide : bool, default False
            Whether there is one row per measure and one column per clustering, with the values
            alone, instead of one row per measure and clustering.

        Returns
        -------
        pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The scores.
        """
        if not wide:
            return Result.to_frame(self, backend)
        every: dict[str, list[Any]] = {}
        for columns in map(wide_columns, self._parts):
            for name, values in columns.items():
                every.setdefault(name, []).extend(values)
        return to_frame(every, backend)

    def columns(self) -> dict[str, Any]:
        """Return one row per measure and clustering, with its chance level where asked for.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        columns: dict[str, Any] = card_columns([c for p in self._parts for c in p.values()])
        if not self.chances:
            return columns
        only = next(iter(self.chances.values())) if len(self.chances) == 1 else {}
        cards = [pair for part in self._parts for pair in part.items()]
        rows = [(name, key) for name, card in cards for key in card.scores]
        levels = [self.chances.get(name, only).get(key) for name, key in rows]
        for name in CHANCE_COLUMNS:
            columns[name] = [math.nan if c is None else getattr(c, name) for c in levels]
        return columns

    def aligned(self) -> dict[str, list[Any]]:
        """Return the clusters of every object by the names of the classes, as `align` gives them.

        Returns
        -------
        dict
            One column per prediction, with one row per object; with a column of ids first where
            files were joined on one. A prediction that does not have an object has None there.

        Raises
        ------
        ParameterError
            If there are several truths, or if the labels of the objects are not known.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.judge(["a", "a", "b", "b"], [7, 7, 5, 8], measures=["rand"]).aligned()
        {'pred': ['a', 'a', 'b', 'new 1']}
        """
        rows: dict[str, Any] = {name: self._rows.get(name) for name in self.scores}
        if not rows or any(given is None for given in rows.values()):
            raise ParameterError(
                "only labels with one truth are aligned: every object needs one class and one "
                "cluster."
            )
        found: dict[str, list[Any]] = {}
        by_id: dict[str, dict[Any, Any]] = {}
        for name, given in rows.items():
            classes, clusters, ids = given() if callable(given) else (*given, None)
            named = align(clusters, classes)
            if ids is None:
                found[name] = list(named.values() if isinstance(named, dict) else named.tolist())
            else:
                by_id[name] = dict(zip(ids, named.tolist(), strict=True))
        if not by_id:
            return found
        every = list(dict.fromkeys(one for held in by_id.values() for one in held))
        columns = {name: [held.get(one) for one in every] for name, held in by_id.items()}
        return {"id": every, **columns}

    @property
    def _called_curves(self) -> dict[str, BkCurve]:
        """The curves with the names of their trees."""
        named = zip(self.curves, given_names(self.curves).items(), strict=True)
        return {key: replace(each, name=name) for key, (name, each) in named}

    def cautions(self) -> list[str]:
        """Return what a reader of the scores alone must know.

        Returns
        -------
        list of str
            That noise is scored as a cluster, or that features differ in scale.
        """
        return [line for cards in self._parts for line in cards.cautions()]

    def document(self) -> Section:
        """Return the cards, then chance levels, ranking and diagnoses.

        Returns
        -------
        Section
            The sentences and tables.
        """
        made, *others = [_cards_section(cards, self.ranking) for cards in self._parts]
        made = replace(made, subject=self)
        if others:
            inner = replace(others[0].prefixed("inner-"), title="Against the features")
            made = Section(
                "judgement",
                "Scores",
                sections=(replace(made, title="Against the classes"), inner),
                lead=made.lead,
            )
        beside = [
            (chance_table(f"chance-{k}", found.values(), name), tail_note(found.values()))
            for k, (name, found) in enumerate(_named(self.chances))
        ]
        return replace(
            made,
            sections=(
                *made.sections,
                *(
                    Section(table.key, table.title, blocks=(table,), notes=(note,) * bool(note))
                    for table, note in beside
                ),
                *(
                    replace(each.section(f"clusters-{k}", f"p{k}"), title=title)
                    for k, (title, each) in enumerate(_titled(self.distances))
                ),
                *(
                    _detailed(each.document().prefixed(f"p{k}-"), name)
                    for k, (name, each) in enumerate(_named(self._called_curves))
                ),
            ),
            paragraphs=(*filter(None, [self.title]), *made.paragraphs),
            notes=(*made.notes, *self._closing()),
            before=() if self.points is None else (self.points.section("points", "p0"),),
        )

    def _closing(self) -> list[str]:
        """Return the ranking and the verdicts, one line each."""
        lines = []
        if self.ranking is not None:
            shared = ""
            if any(card.subject.objects != self.ranking.objects for card in self.scores.values()):
                shared = f" on the {self.ranking.objects:,} objects that all label"
            lines.append(
                f"By {self.ranking.measure}{shared}, at {self.ranking.confidence:.4g} confidence: "
                f"{self.ranking.line(short)}"
            )
        for name, found in _named(self.diagnoses):
            lines.append(f"{name}: {found.verdict}" if name else found.verdict)
        return lines


def given_names(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return parts by the names of clusterings; empty for the only one, if nobody named it.

    >>> given_names({"kmeans": 1}), given_names({"pred": 1}), given_names({"pred": 1, "old": 2})
    ({'kmeans': 1}, {'': 1}, {'pred': 1, 'old': 2})
    """
    return {"": parts[NAMELESS]} if list(parts) == [NAMELESS] else dict(parts)


def _named(parts: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return parts with their names; the only one needs no name."""
    return [(short(name) if len(parts) > 1 else "", part) for name, part in parts.items()]


def _titled(distances: Mapping[str, ClusterDistances]) -> list[tuple[str, ClusterDistances]]:
    """Return distances with titles; the only ones need no name."""
    return [
        (f"The clusters of {name}" if name else "The clusters", each)
        for name, each in _named(distances)
    ]


def _detailed(section: Section, name: str) -> Section:
    """Return a section whose tables are for pages alone."""
    tables = tuple(replace(table, detail=True) for table in section.tables)
    return replace(
        section, title=f"{section.title}: {name}" if name else section.title, blocks=tables
    )


def _cards_section(cards: ScoreCards, ranking: Ranking | None) -> Section:
    """Return the document of several cards, or of the only one, whose values have no name."""
    if len(cards) == 1:
        return next(iter(cards.values())).document()
    ranks = ranking is not None and ranking.measure in next(iter(cards.values())).scores
    return cards_document(cards, named=True, subject=cards, ranking=ranking if ranks else None)
