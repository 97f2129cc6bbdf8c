"""`Evidence`: all that is known about clusterings of the same objects, as one document."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from clustervet.contingency import Contingency
from clustervet.ensemble import Summary
from clustervet.evidence.dropped import Dropped
from clustervet.geometry.clusters import ClusterDistances
from clustervet.geometry.picture import ClusteredPoints
from clustervet.geometry.tendency import Tendency
from clustervet.inference import Chance, Diagnosis, Ranking
from clustervet.inference.chance import tail_note
from clustervet.inference.nulls import MODELS
from clustervet.internal.silhouette import Silhouettes
from clustervet.registry import Measure
from clustervet.scorecard import Judgement, ScoreCard, ScoreCards
from clustervet.scorecard.card import GeometrySubject, TableSubject
from clustervet.scorecard.card_document import (
    best_card,
    card_notes,
    headline_key,
    leaders_table,
    noise_caution,
    scale_caution,
    score_words,
    scores_table,
)
from clustervet.view import Result, Section, plain
from clustervet.view.words import counted, listed, short, spoken

# Clusterings that are shown cluster by cluster, and the rows that these may take together.
DETAILED = 6
DETAILED_ROWS = 1_300
# Features that are named, names in a sentence, and clusterings in a note; the rest is counted.
FEATURES = 20
NAMED, NOTED = 4, 20
INNER = ("silhouette", "simplified_silhouette", "davies_bouldin")
METHODS = {
    "intervals": (
        "Intervals come from the values without each single object: they say where the value of "
        "the population lies that the objects were drawn from (Efron 1982).",
        "Efron 1982",
    ),
    "chance": (
        "Chance is a random clustering with the same sizes of classes and clusters; the p-value "
        "is the share of them that do at least as well (Gates & Ahn 2017).",
        "Gates & Ahn 2017",
    ),
    "ranking": (
        "Clusterings are compared object by object, and p-values are corrected for the number of "
        "pairs (Holm 1979).",
        "Holm 1979",
    ),
    "coding": (
        "Bits of Q0 are code lengths per object (Dom 2001, eqs. 10 and 11).",
        "Dom 2001, eqs. 10 and 11",
    ),
}


@dataclass(frozen=True, repr=False, eq=False)
class ClusteringEvidence(Result):
    """One clustering, cluster by cluster.

    Attributes
    ----------
    name, truth : str
        The clustering, and the classes that it is held against.
    table : Contingency or None
        Its table of classes and clusters.
    diagnosis : Diagnosis or None
        Where it goes wrong.
    silhouettes : Silhouettes or None
        How its clusters keep apart.
    distances : ClusterDistances or None
        How wide its clusters are, and how far from the others.
    """

    name: str
    truth: str
    table: Contingency | None
    diagnosis: Diagnosis | None
    silhouettes: Silhouettes | None
    distances: ClusterDistances | None = None

    def columns(self) -> dict[str, Any]:
        """Return one row per cluster."""
        if self.diagnosis is not None:
            return self.diagnosis.columns()
        widths = self.silhouettes
        if widths is None:  # a single cluster has none
            return {"cluster": [], "size": [], "silhouette": []}
        return {
            "cluster": list(map(str, widths.clusters)),
            "size": list(widths.sizes.values()),
            "silhouette": list(widths.clusters.values()),
        }

    def document(self) -> Section:
        """Return the clusters and classes, the costliest first."""
        return self._section("clustering", "p0")

    def _section(self, key: str, scope: str) -> Section:
        widths = self.silhouettes
        means = None if widths is None else {str(k): w for k, w in widths.clusters.items()}
        said: tuple[str, ...] = ()
        if self.diagnosis is not None:
            said = (self.diagnosis.verdict,)
            tables = [t for t in self.diagnosis.tables(key, scope, means) if t.rows]
            tables.sort(key=lambda table: not table.key.endswith("-repairs"))  # what to do first
        else:
            tables = [] if widths is None else [widths.table(f"{key}-clusters", scope)]
        if self.distances is not None:
            spans = self.distances.table(f"{key}-distances", scope)
            tables = [*tables, spans] if self.diagnosis is not None else [spans]
        return Section(key, short(self.name), said, tuple(tables), subject=self, scope=scope)


@dataclass(frozen=True, repr=False, eq=False)
class Evidence(Result):
    """What is known about some clusterings, each part as its own function gave it.

    What could not be had is None or empty. The `notes` say why, and what was sampled.

    Parameters
    ----------
    names : tuple of str
        The clusterings.
    truth : str or None
        The name of the classes, where there are any.
    objects : int or float
        The number of objects.
    tables : mapping
        By clustering, its table of classes and clusters.
    scores : ScoreCards or None
        The clusterings against the classes.
    chances : mapping
        By clustering and measure, the value beside what random clusterings give.
    ranking : Ranking or None
        The clusterings from best to worst.
    diagnoses : mapping
        By clustering, where it goes wrong.
    inner : ScoreCards or None
        The clusterings against their features.
    silhouettes : mapping
        By clustering, the silhouettes of its points.
    summary : Summary or None
        The clusterings as points of a metric space.
    confidence : float
        The confidence of intervals and ranking.
    random_state : object
        The seed.
    notes : tuple of str
        What was left out or sampled.
    dropped : mapping
        The clusterings that leave out objects whose labels are missing or noise: each is scored
        on the objects that it keeps, ranking and summary on those that all keep.
    feature_names : tuple of str
        The names of the features.
    points : ClusteredPoints or None
        The points of the leading clustering in two dimensions, and the profiles of its clusters.
    distances : mapping
        By clustering, the distances within and between its clusters.
    tendency : Tendency or None
        Whether the points show any structure, whatever the clusterings.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.examine([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    >>> found.names, found.objects, found.leader
    (('a', 'b'), 4, 'a')
    >>> found.diagnoses["b"].pair_errors
    3.0
    """

    SCHEMA: ClassVar[str] = "clustervet/evidence/1"

    names: tuple[str, ...]
    truth: str | None
    objects: int | float
    tables: Mapping[str, Contingency]
    scores: ScoreCards | None
    chances: Mapping[str, Mapping[str, Chance]]
    ranking: Ranking | None
    diagnoses: Mapping[str, Diagnosis]
    inner: ScoreCards | None
    silhouettes: Mapping[str, Silhouettes]
    summary: Summary | None
    confidence: float
    random_state: Any
    notes: tuple[str, ...] = ()
    dropped: Mapping[str, Dropped] = field(default_factory=dict)
    feature_names: tuple[str, ...] = ()
    points: ClusteredPoints | None = None
    distances: Mapping[str, ClusterDistances] = field(default_factory=dict)
    tendency: Tendency | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; a number that is not finite is None.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        return {
            "schema": self.SCHEMA,
            "predictions": list(self.names),
            "truth": self.truth,
            "objects": self.objects,
            "confidence": self.confidence,
            "random_state": self.random_state if isinstance(self.random_state, int) else None,
            "scores": plain(self.scores),
            "chance": plain(self.chances),
            "ranking": plain(self.ranking),
            "diagnoses": plain(self.diagnoses),
            "internal": plain(self.inner),
            "silhouettes": plain(self.silhouettes),
            "distances": plain(self.distances),
            "tendency": plain(self.tendency),
            "ensemble": plain(self.summary),
            "dropped": plain(self.dropped),
            "features": list(self.feature_names),
            "profiles": None if self.points is None else plain(self.points.profiles),
            "notes": [*self.notes, *self.cautions()],
        }

    def columns(self) -> dict[str, Any]:
        """Return one row per measure and clustering.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return Judgement(self.scores or ScoreCards({}), self.inner or ScoreCards({})).columns()

    def cautions(self) -> list[str]:
        """Return what a reader of the scores alone must know.

        Returns
        -------
        list of str
            That noise is scored as a cluster, or that features differ in scale.
        """
        said = noise_caution(self.cards), scale_caution(self.inner or {})
        return [line for line in said if line]

    @property
    def cards(self) -> ScoreCards:
        """The score cards that the verdict is about."""
        found = self.scores if self.scores is not None else self.inner
        return ScoreCards({}) if found is None else found

    @property
    def headline(self) -> str:
        """The measure that the verdict is about; empty where none has a direction."""
        return self.ranking.measure if self.ranking is not None else headline_key(self.cards)

    @property
    def leader(self) -> str:
        """The clustering that is ahead, and shown first."""
        return best_card(self.cards, self.headline)

    def clustering(self, name: str) -> ClusteringEvidence:
        """Return what is known about one clustering, cluster by cluster.

        Parameters
        ----------
        name : str
            The clustering.

        Returns
        -------
        ClusteringEvidence
            Its table, diagnosis, silhouettes and distances.

        Examples
        --------
        >>> import clustervet as cv
        >>> found = cv.examine([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
        >>> found.clustering("b").table.to_dict()
        {(0, 0): 1, (0, 1): 1, (1, 1): 2}
        """
        return ClusteringEvidence(
            name,
            self.truth or "truth",
            self.tables.get(name),
            self.diagnoses.get(name),
            self.silhouettes.get(name),
            self.distances.get(name),
        )

    def _repr_html_(self) -> str:
        # A higher room draws it, so that is imported by name when a notebook asks.
        screen: str = importlib.import_module("clustervet.report").first_screen(self)
        return screen

    def document(self) -> Section:
        """Return who is ahead, where the clusters go wrong, how they relate, and every score.

        Returns
        -------
        Section
            The sentences and tables.
        """
        sections = list(_sections(self))
        return Section(
            "evidence",
            "Clusterings examined",
            sections=tuple(sections),
            lead=tuple(_verdict(self)),
            subtitle=_subtitle(self),
            facts=tuple(_facts(self)),
        )


def _sections(found: Evidence) -> Iterator[Section]:
    scores, inner, ranking = found.scores, found.inner, found.ranking
    heading = "Who is ahead" if len(found.names) > 1 else "How good it is"
    if found.points is not None:
        yield found.points.section("points", f"p{found.names.index(found.leader)}")
    remark = _dropped_words(found)
    if scores is not None:
        tables = [leaders_table("ahead-leaders", scores, found.chances, ranking, remark)]
        tables += [ranking.table("ahead-pairs")] if ranking is not None else []
        judged = Judgement(scores, chances=found.chances)
        yield Section(
            "ahead", heading, (), tuple(tables), subject=judged, measures=_records(scores)
        )
    if inner is not None:
        yield Section(
            "features",
            "What the features say" if scores is not None else heading,
            tuple(_feature_words(found.feature_names)),
            (leaders_table("features-leaders", inner),),
            subject=inner,
            measures=_records(inner),
            folded=scores is not None,
        )
    if found.tendency is not None:
        yield replace(found.tendency.document(), folded=True, detail=True)
    yield from _details(found)
    if found.summary is not None:
        yield replace(found.summary.document(), folded=True, detail=True)
    for cards, key, title in (
        (scores, "scores", "Every score"),
        (inner, "inner", "Every score of the features"),
    ):
        if cards is not None:
            named = len(cards) > 1
            table = scores_table(cards, named, f"{key}-all")
            notes = tuple(card_notes(cards, named)[:12])
            yield Section(key, title, (), (table,), notes=notes, folded=True, detail=True)
    yield from _method(found)


def _records(cards: ScoreCards) -> tuple[Measure, ...]:
    first: ScoreCard = next(iter(cards.values()))
    return tuple(score.measure for score in first.scores.values())


def _feature_words(names: tuple[str, ...]) -> list[str]:
    """Return which features these are, where they have names."""
    if not names:
        return []
    said = listed([spoken(name) for name in names], FEATURES)
    return [f"{counted(len(names), 'feature')}: {said}."]


def _details(found: Evidence) -> Iterator[Section]:
    """Yield the leading clusterings, cluster by cluster."""
    held = [n for n in found.names if n in found.diagnoses or n in found.silhouettes]
    if not held:
        return
    order = [found.leader]
    if found.ranking is not None:
        order += found.ranking.letters
    kept = _within([n for n in dict.fromkeys([*order, *held]) if n in held], found)
    parts = []
    for name in kept:
        place = found.names.index(name)
        part = found.clustering(name)._section(f"c{place}", f"p{place}")
        parts.append(replace(part, folded=name != found.leader))
    said: tuple[str, ...] = ()
    if len(kept) < len(held):
        said = (
            f"The {len(kept):,} leading clusterings of {len(held):,} are shown; all are in the "
            "tables of scores.",
        )
    yield Section(
        "wrong",
        "Where the clusters go wrong" if found.diagnoses else "Cluster by cluster",
        said,
        sections=tuple(parts),
        screen="Choose a cluster or a class, in a figure or a table: it is marked wherever it "
        "occurs.",
        detail=True,
    )


def _within(names: list[str], found: Evidence) -> list[str]:
    """Return as many of the names, the first at least, as a page has room for."""
    kept: list[str] = []
    rows = 0
    for name in names[:DETAILED]:
        part = found.diagnoses.get(name)
        rows += len(part.clusters) + len(part.classes) if part else 1
        if kept and rows > DETAILED_ROWS:
            break
        kept.append(name)
    return kept


def _method(found: Evidence) -> Iterator[Section]:
    """Yield how intervals, rankings and chance levels were made, and what was left out."""
    records = [r for cards in (found.scores, found.inner) if cards for r in _records(cards)]
    used = {
        "intervals": found.scores is not None,
        "chance": bool(found.chances),
        "ranking": found.ranking is not None,
        "coding": any(record.family == "coding" for record in records),
    }
    levels = [level for each in found.chances.values() for level in each.values()]
    known = METHODS | {"chance": _chance_method(levels)}
    methods = [known[name] for name, wanted in used.items() if wanted]
    tails = tail_note(levels)
    texts = [*(text for text, _ in methods), *filter(None, [tails])]
    said = (*_dropped_notes(found), *found.notes, *texts)
    if said:
        cited = tuple(work for _, work in methods)
        title = "How this was computed"
        yield Section("method", title, notes=said, citations=cited, folded=True, detail=True)


def _chance_method(levels: Sequence[Chance]) -> tuple[str, str]:
    """Return what chance is; all levels are of one model."""
    text, work = METHODS["chance"]
    if not levels or levels[0].model == "sizes":
        return text, work
    said = f"Chance is a random clustering where {MODELS[levels[0].model]}"
    return f"{said}; {text.partition('; ')[2]}", work


def _subtitle(found: Evidence) -> str:
    """Return which clusterings these are, what they are held against, and how many objects."""
    names = [spoken(name, 24) for name in found.names[:3]]
    more = f" and {len(found.names) - 3:,} more" if len(found.names) > 3 else ""
    whose = "its" if len(found.names) == 1 else "their"
    against = f" against {spoken(found.truth)}" if found.truth else ""
    if found.inner is not None:
        against += f" {'and' if against else 'against'} {whose} features"
    sizes = counted(found.objects, "object")
    if found.dropped:
        low, high = min(_scored(found).values()), max(_scored(found).values())
        sizes += f", {f'{low:,}' if low == high else f'{low:,} to {high:,}'} of them scored"
    return f"{', '.join(names)}{more}{against}; {sizes}"


def _facts(found: Evidence) -> Iterator[tuple[str, str]]:
    """Yield what was judged: objects, features, classes, clusterings, clusters and noise."""
    card = found.cards.get(found.leader)
    if card is None:
        return
    subject, first = card.subject, found.leader
    shown = f" of {spoken(first, 24)}" if len(found.names) > 1 else ""
    yield "objects", f"{found.objects:,}"
    points = None if found.inner is None else found.inner[first].subject
    if isinstance(points, GeometrySubject) and points.features is not None:
        yield "features", f"{points.features:,}"
    if isinstance(subject, TableSubject):
        yield f"classes of {spoken(found.truth or 'the truth', 24)}", f"{subject.classes:,}"
    if len(found.names) > 1:
        yield "clusterings", f"{len(found.names):,}"
    yield f"clusters{shown}", f"{subject.clusters:,}"
    table, widths = found.tables.get(first), found.silhouettes.get(first)
    sizes = table.cluster_sizes if table is not None else widths.sizes.values() if widths else ()
    if len(sizes):
        low, high = min(sizes), max(sizes)
        yield "their sizes", f"{low:,} each" if low == high else f"{low:,} to {high:,}"
    dropped = found.dropped.get(first)
    if noise := dropped.noise if dropped else subject.noise_as_cluster[1]:
        yield f"noise{shown}", f"{noise:,}"


def _verdict(found: Evidence) -> list[str]:
    """Return who is ahead, whether the data can tell, what goes wrong, and what features say."""
    said = _against_classes(found) if found.scores is not None else []
    said += _against_features(found) if found.inner is not None else []
    if left_out := _dropped_words(found):
        said.insert(1, left_out)
    return [*said, *found.cautions()]


def _against_classes(found: Evidence) -> list[str]:
    cards, key, first = found.cards, found.headline, found.leader
    if not key:
        return ["No measure that was asked for says which clustering is better."]
    shown, truth = spoken(first), spoken(found.truth or "the truth")
    score = score_words(cards[first], key)
    tied = [n for n, card in cards.items() if n != first and card[key] == cards[first][key]]
    if len(found.names) == 1:
        said = [f"Against {truth}, {shown} has {score}."]
    else:
        leading = f"{shown} agrees"
        if tied:
            names = [spoken(name) for name in [first, *tied]]
            all_named = len(names) <= NAMED
            leading = f"{listed(names) if all_named else f'{shown} and {len(tied):,} others'} agree"
        said = [f"Of {len(found.names):,} clusterings {leading} best with {truth}: {score}."]
    if found.ranking is not None:
        said.append(found.ranking.verdict_on(first))
    level = found.chances.get(first, {}).get(key)
    said += [level.verdict] if level is not None else []
    diagnosis = found.diagnoses.get(first)
    if diagnosis is not None:
        said.append(diagnosis.gist or diagnosis.verdict)
    return [line for line in said if line]


def _against_features(found: Evidence) -> list[str]:
    inner = found.inner or ScoreCards({})
    first = next(iter(inner.values()))
    key = next((k for k in INNER if k in first.scores), "")
    if not key:
        return []
    best = best_card(inner, key)
    words = score_words(inner[best], key)
    also = " too" if found.scores is not None and best == found.leader else ""
    said = [f"By the features alone {spoken(best)} is ahead{also}: {words}."]
    if len(inner) == 1:
        said = [f"By its features: {words}."]
    if found.tendency is not None and found.tendency.answer == "none":
        said.append(found.tendency.verdict)
    return said


def _given(found: Evidence) -> int:
    """Return how many objects there were before any was dropped; weights are not counted."""
    return next((each.given for each in found.dropped.values()), int(found.objects))


def _scored(found: Evidence) -> dict[str, int]:
    """Return on how many objects each clustering is scored."""
    return {
        name: found.dropped[name].kept if name in found.dropped else _given(found)
        for name in found.names
    }


def _dropped_words(found: Evidence) -> str:
    """Return on how many objects each clustering is scored, and on how many they are compared."""
    if not found.dropped:
        return ""
    scored = _scored(found)
    missing = any(each.missing for each in found.dropped.values())
    noise = any(each.noise for each in found.dropped.values())
    why = " or ".join(["missing"] * missing + ["noise"] * noise)
    said = f"Objects whose label is {why} were dropped: of {_given(found):,} objects"
    if len(scored) <= NAMED:
        said += f" {listed([f'{n:,} are scored for {spoken(name)}' for name, n in scored.items()])}"
    else:
        low, high = min(scored.values()), max(scored.values())
        span = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        said += f" each clustering is scored on {span}"
    if found.ranking is not None:
        said += f"; they are compared on {found.ranking.objects:,} that all of them label"
    return f"{said}."


def _dropped_notes(found: Evidence) -> list[str]:
    """Return how many objects each clustering drops and why, and what they are compared on."""
    if not found.dropped:
        return []
    said = []
    for name, each in list(found.dropped.items())[:NOTED]:
        reasons = ((each.missing, "with a missing label"), (each.noise, "of noise"))
        parts = [f"{counted(count, 'object')} {why}" for count, why in reasons if count]
        said.append(f"{spoken(name)} drops {listed(parts)} and is scored on {each.kept:,}")
    more = len(found.dropped) - NOTED
    tail = f"; {more:,} more drop objects too" if more > 0 else ""
    both = " A label counts as missing or noise in the classes too." if found.truth else ""
    notes = [f"Of {counted(_given(found), 'object')} given, {'; '.join(said)}{tail}.{both}"]
    common = []
    if found.ranking is not None:
        common.append(f"the ranking on {counted(found.ranking.objects, 'object')}")
    if found.summary is not None:
        common.append(f"the distances between them on {counted(found.summary.objects, 'object')}")
    if common:
        notes.append(
            f"Clusterings are compared on objects that none of them drops: {listed(common)}. "
            "Values there differ from those of each clustering on its own objects."
        )
    if found.inner is not None:
        notes.append(
            "Against the features each clustering is scored on the points that it labels itself."
        )
    return notes
