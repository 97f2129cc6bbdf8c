"""`judge`: tables and questions in; scores, ranking, chance and diagnosis out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from clustervet._checks import share
from clustervet.contingency import Contingency, EngineTable
from clustervet.contingency.engine_table import with_cells
from clustervet.contingency.mapping import align
from clustervet.contingency.tables import Tables
from clustervet.errors import ParameterError, Setting
from clustervet.geometry.clusters import ClusterDistances
from clustervet.geometry.picture import ClusteredPoints
from clustervet.inference import Chance, Diagnosis, Interval, Ranking, diagnose, rank_predictions
from clustervet.inference.chance import MOST_OBJECTS, chance_levels, chance_table, tail_note
from clustervet.inference.compare import why_no_test
from clustervet.inference.interval import intervals as intervals_of
from clustervet.inference.members import Members
from clustervet.inference.nulls import resolve_model
from clustervet.labels.keyed import is_keyed
from clustervet.labels.pair import MissingInPair, NoisePolicy
from clustervet.labels.several import is_frame, named_labels
from clustervet.registry import Measure, MeasureFunction, measures
from clustervet.scorecard.card import (
    SCHEMA,
    Score,
    ScoreCard,
    ScoreCards,
    TableSubject,
    card_columns,
    wide_columns,
)
from clustervet.scorecard.card_document import Marks, cards_document
from clustervet.view import Backend, Result, Section, flat_numbers, plain, to_frame
from clustervet.view.words import short

Chosen = Iterable[str | Measure | MeasureFunction] | str | None
Table = Contingency | EngineTable
Attempt = Callable[[str, Callable[[], Any]], Any]
# Measures that are held against chance where none are named.
USUAL = ("rand", "purity", "normalized_mutual_information", "variation_of_information")
CHANCE_COLUMNS = ("expected", "spread", "z", "p_value", "adjusted")


@dataclass(frozen=True, kw_only=True)
class Questions:
    """What is asked about tables of classes and clusters; checked before anything is read.

    `sure` are the keys of the measures that get intervals, None for all; `ranked_by` is the
    measure that ranks several predictions; `chance` the null model, `beside_chance` the measures
    that are held against it, with `samples` random tables.
    """

    measures: Chosen = None
    family: str | Iterable[str] | None = None
    confidence: float | None = None
    resamples: int = 2_000
    sure: frozenset[str] | None = None
    ranked_by: str | None = None
    rank_resamples: int | None = None
    chance: str | None = None
    beside_chance: Chosen = None
    samples: int = 1_000
    diagnose: bool = False
    random_state: Any = None
    n_jobs: int | None = None

    @classmethod
    def of(
        cls, chosen: Chosen, family: str | Iterable[str] | None = None, **asked: Any
    ) -> Questions:
        """Return what is asked with the usual measures for chance, and one that ranks."""
        chosen = tuple(chosen) if isinstance(chosen, Iterator) else chosen
        usual = USUAL if chosen is None and family is None else chosen
        asked["beside_chance"] = asked.get("beside_chance") or usual
        ranks = asked.get("confidence") is not None
        ranked_by = ranking_measure(chosen) if ranks else None
        return cls(measures=chosen, family=family, ranked_by=ranked_by, **asked)

    def __post_init__(self) -> None:
        """Refuse what no table can answer."""
        if isinstance(self.measures, Iterator):  # which can be read but once
            object.__setattr__(self, "measures", tuple(self.measures))
        self.records()
        if self.confidence is not None:
            share(self.confidence, "confidence")
        if self.chance is not None:
            resolve_model(self.chance)

    def records(self) -> list[Measure]:
        """Return the external measures asked for."""
        found = measures.select(self.measures, kind="external", family=self.family, general=True)
        for record in found:
            if record.kind != "external":
                raise ParameterError(f"{record.key} needs features, not a second labeling.")
        return found

    def check(self, truths: int) -> None:
        """Refuse what several truths cannot answer."""
        for name, asked in (("chance", self.chance is not None), ("diagnose", self.diagnose)):
            if asked and truths > 1:
                raise ParameterError(Setting(name), " goes with one truth.")


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
        more |= {"chance": self.chances, "distances": self.distances}
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
                "clusters are named by classes where there is one truth and the labels of all "
                "objects are known."
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
        ranking = self.ranking
        marks = {} if ranking is None else {measures[ranking.measure].key: ranking.letters}
        made, *others = [_cards_section(cards, marks) for cards in self._parts]
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


def _named(parts: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return parts with their names; the only one needs no name."""
    return [(short(name) if len(parts) > 1 else "", part) for name, part in parts.items()]


def _titled(distances: Mapping[str, ClusterDistances]) -> list[tuple[str, ClusterDistances]]:
    """Return distances with titles; the only ones need no name."""
    return [
        (f"The clusters of {name}" if name else "The clusters", each)
        for name, each in _named(distances)
    ]


def _cards_section(cards: ScoreCards, marks: Marks) -> Section:
    """Return the document of several cards, or of the only one, whose values have no name."""
    if len(cards) == 1:
        return next(iter(cards.values())).document()
    return cards_document(cards, named=True, subject=cards, marks=marks)


def answer(
    tables: Mapping[tuple[str, str], Table],
    asked: Questions,
    *,
    labels: Callable[[], tuple[Any, Mapping[str, Any]] | None] = lambda: None,
    rows: Callable[[str], Any] = lambda _: None,
    policies: Mapping[str, Any] | None = None,
    attempt: Attempt = lambda _, ask: ask(),
    tick: Callable[[], None] = lambda: None,
    keep: bool = False,
) -> Judgement:
    """Answer questions about tables by (truth, prediction); each table is counted once.

    `labels` gives truth and predictions object by object, which a ranking needs, and `rows` those
    of one prediction in the order of the rows, by which a diagnosis names its objects. `attempt`
    runs what may be impossible for such data, under a name. With `keep` the judgement holds the
    tables.
    """
    truths = list(dict.fromkeys(truth for truth, _ in tables))
    preds = list(dict.fromkeys(pred for _, pred in tables))
    asked.check(len(truths))
    records = asked.records()
    cards: dict[str, ScoreCard] = {}
    chances: dict[str, dict[str, Chance]] = {}
    diagnoses: dict[str, Diagnosis] = {}
    kept: dict[str, Table] = {}
    for (truth, pred), table in tables.items():
        intervals = attempt("intervals", partial(_intervals, table, records, asked)) or {}
        scores = [Score(r, *r.evaluate(table), intervals.get(r.key)) for r in records]
        subject = _subject(table, truth, pred)
        cards[_card_name(truth, pred, len(truths), len(preds))] = ScoreCard(subject, scores)
        if asked.chance is not None:
            chances[pred] = attempt("chance", partial(_levels, table, asked)) or {}
        if asked.diagnose:
            members = Members(rows(pred), None, policies or {})
            diagnoses[pred] = replace(diagnose(table), members=members)
        if keep:
            kept[pred] = table
        tick()
    ranking = None
    if asked.ranked_by is not None and len(preds) > 1 and len(truths) == 1:
        ranking = attempt("the ranking", lambda: _ranking(labels(), asked, policies or {}))
    return Judgement(ScoreCards(cards), ScoreCards({}), ranking, chances, diagnoses, kept)


def _card_name(truth: str, pred: str, truths: int, preds: int) -> str:
    if truths > 1 and preds > 1:
        return f"{pred} | {truth}"
    return truth if truths > 1 else pred


def _intervals(table: Table, records: list[Measure], asked: Questions) -> dict[str, Interval]:
    sure = [r for r in records if asked.sure is None or r.key in asked.sure]
    if asked.confidence is None or not sure:
        return {}
    found = intervals_of(
        with_cells(table, "an interval"),
        sure,
        confidence=asked.confidence,
        resamples=asked.resamples,
        random_state=asked.random_state,
        n_jobs=asked.n_jobs,
    )
    return {record.key: each for record, each in zip(sure, found, strict=True)}


def _subject(table: Table, truth: str, pred: str) -> TableSubject:
    (classes, clusters), (row, column) = table.shape, table.absent
    return TableSubject(
        table.n,
        classes - (row is not None),
        clusters - (column is not None),
        truth,
        pred,
        remarks=(table.one_sided_note(),) if table.partial else (),
        noise_as_cluster=table.noise_as_cluster,
    )


def _levels(table: Table, asked: Questions) -> dict[str, Chance]:
    found = chance_levels(
        measures.select(asked.beside_chance, kind="external", family=asked.family, general=True),
        table,
        model=str(asked.chance),
        samples=asked.samples if table.n <= MOST_OBJECTS else 0,
        random_state=asked.random_state,
    )
    return {level.measure: level for level in found}


def _ranking(
    labels: tuple[Any, Mapping[str, Any]] | None, asked: Questions, policies: Mapping[str, Any]
) -> Ranking | None:
    if labels is None:
        return None
    truth, preds = labels
    return rank_predictions(
        truth,
        preds,
        str(asked.ranked_by),
        confidence=asked.confidence or 0.95,
        resamples=asked.rank_resamples or asked.resamples,
        random_state=asked.random_state,
        n_jobs=asked.n_jobs,
        **policies,
    )


def ranking_measure(chosen: Chosen) -> str | None:
    """Return the measure that ranks: the first of those named that can tell predictions apart."""
    if chosen is None:
        return "adjusted_rand"
    records = [record for record in measures.select(chosen) if record.kind == "external"]
    return next((record.key for record in records if not why_no_test(record)), None)


def judge(
    truth: Any,
    pred: Any = None,
    *,
    measures: Chosen = None,
    family: str | Iterable[str] | None = None,
    confidence: float | None = None,
    resamples: int = 2_000,
    chance: str | None = None,
    beside_chance: Chosen = None,
    diagnose: bool = False,
    weights: Any = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: MissingInPair = "raise",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Judgement:
    """Score clusterings and ask what else is to be known, with each table counted once.

    Parameters
    ----------
    truth, pred : object
        As in `external_scores`: labels, several of them, a finished table, or tables of files.
    measures : str, Measure or list, optional
        The measures to compute; all external ones by default.
    family : str or list of str, optional
        Only measures of this family.
    confidence : float, optional
        Give intervals of this confidence, and rank several predictions of one truth by the first
        measure that has a direction.
    resamples : int, optional
        How many tables are resampled for intervals, where a table has more than 2,000 cells.
    chance : {"sizes", "number", "all", "number_one_sided", "all_one_sided"}, optional
        Hold measures against this model of random clusterings.
    beside_chance : str, Measure or list, optional
        The measures held against chance; by default those named, or some usual ones.
    diagnose : bool, optional
        Say where each clustering goes wrong.
    weights : array-like, optional
        One weight per object.
    noise, noise_policy, missing : optional
        What noise labels and missing labels mean, as in `Contingency.from_labels`.
    random_state : int, Generator or None, optional
        The seed of everything random.
    n_jobs : int, optional
        Threads; -1 uses all cores.

    Returns
    -------
    Judgement
        Scores, ranking, chance levels and diagnoses.

    Examples
    --------
    >>> truth = ["a"] * 12 + ["b"] * 12
    >>> found = judge(truth, [0] * 16 + [1] * 8, measures=["rand"], diagnose=True)
    >>> found.scores["pred"]["rand"] > 0.6, found.diagnoses["pred"].repairs[0].kind
    (True, 'move')
    """
    asked = Questions.of(
        measures,
        family,
        confidence=confidence,
        resamples=resamples,
        chance=chance,
        beside_chance=beside_chance,
        diagnose=diagnose,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    sides = read_sides(
        truth, pred, weights=weights, noise=noise, noise_policy=noise_policy, missing=missing
    )
    return judged(sides, asked)


def judged(tables: Tables, asked: Questions) -> Judgement:
    """Return the answers about tables that know their labels; weighted objects are not ranked."""
    if tables.weighted:
        asked = replace(asked, ranked_by=None)
    found = answer(tables, asked, labels=tables.labels, rows=tables.rows, policies=tables.policies)
    unmatched = None if tables.unmatched is None else tuple(tables.unmatched)
    rows = {name: tables.rows(name) for name in tables.preds}
    return replace(found, unmatched=unmatched, _rows=rows)


def read_sides(truth: Any, pred: Any, *, weights: Any = None, **policies: Any) -> Tables:
    """Return the tables that truth and prediction stand for."""
    if isinstance(truth, Contingency | EngineTable | Tables):
        if any(option not in (None, "raise") for option in (pred, weights, *policies.values())):
            raise ParameterError(
                "scoring takes either one table or labels, not both (options need labels)."
            )
        return truth if isinstance(truth, Tables) else Tables.of(truth)
    if pred is None:
        raise ParameterError("scoring needs truth and prediction, or one Contingency.")
    preds = several_predictions(pred)
    return Tables.of_labels(_several_truths(truth), preds, weights=weights, policies=policies)


def several_predictions(pred: Any, what: str = "pred") -> dict[str, Any]:
    """Labelings by name: those of a mapping, the columns of a frame, or one."""
    if is_frame(pred):
        return {name: labels for name, _, labels in named_labels(pred)}
    return named_labelings(pred, what) if is_several(pred) else {"pred": pred}


def is_several(labels: Any) -> bool:
    """Whether labels are several labelings by name: a mapping of them, or a frame."""
    return is_frame(labels) or (isinstance(labels, Mapping) and not is_keyed(labels))


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


def _several_truths(truth: Any) -> dict[str, Any]:
    if is_several(truth) and not is_frame(truth):
        return named_labelings(truth, "truth")
    if isinstance(truth, list | tuple) and truth and all(map(_is_labeling, truth)):
        return {f"truth {k}": labels for k, labels in enumerate(truth, 1)}
    return {"truth": truth}


def _is_labeling(item: Any) -> bool:
    """Whether an element of a list is itself a labeling; strings and tuples are labels."""
    if isinstance(item, str | bytes | tuple):
        return False
    return isinstance(item, list | range) or (
        hasattr(item, "__len__") and (isinstance(item, np.ndarray) or hasattr(item, "__array__"))
    )
