"""`examine`: every room asked about some clusterings, the answers gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from numpy.typing import ArrayLike

from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.ensemble import Ensemble, Summary
from clustervet.errors import ClustervetError
from clustervet.evidence.dropped import dropped_objects, noise_notes
from clustervet.evidence.given import Given, read_given
from clustervet.evidence.record import Evidence
from clustervet.inference import Chance, Ranking, chance, diagnose, rank_predictions
from clustervet.inference.interval import check_confidence
from clustervet.internal.silhouette import Silhouettes, silhouettes
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.registry import Measure, MeasureFunction, measures
from clustervet.scorecard import ScoreCard, ScoreCards
from clustervet.scorecard.external import score_table
from clustervet.scorecard.internal import internal_scores

# What people ask for first: these are held against chance, and get intervals in any case.
HEADLINES = ("adjusted_rand", "variation_of_information", "purity")
# Objects drawn for what looks at labels again and again.
SAMPLE = 20_000
# Labels (objects × clusterings) and cells of all tables up to which nothing is drawn or left out.
LABELS = 500_000
CELLS = 50_000
# Points × clusterings up to which all points are held against their features.
MEASURED = 5_000_000
# Tables resampled for intervals, and cells in all of them together.
RESAMPLES, FEWER_RESAMPLES = 1_000, 200
RESAMPLED_CELLS = 2_000_000
CHANCE_SAMPLES = 200
# Points whose silhouettes are computed.
POINTS = 10_000
STARTS = 4

Chosen = Iterable[str | Measure | MeasureFunction] | str | None


def examine(
    truth: Any,
    preds: Any,
    *,
    features: Any = None,
    feature_names: Iterable[str] | None = None,
    measures: Chosen = None,
    confidence: float = 0.95,
    weights: ArrayLike | None = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    metric: Any = "euclidean",
    sample: int = SAMPLE,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Evidence:
    """All that can be said about some clusterings, as one record to report or keep.

    `truth` is one labeling (or {name: labels}), and None where only features are known. `preds`
    are {name: labels}, one labeling, or {name: Contingency} of finished tables; what needs
    labels is then left out. `measures` are the external ones to show, and the first of them
    that has a direction ranks the clusterings. `feature_names` are those of the columns of
    `features`, where these do not say it themselves. Where all objects would take long, `sample`
    of them are drawn, and the notes say so.

    >>> found = examine([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    >>> found
    <Evidence on 2 clusterings of 4 objects: scores, ranking, diagnoses, ensemble>
    >>> found.scores["b"]["purity"]
    0.75
    """
    check_confidence(confidence)
    policies: dict[str, Any] = {"noise": noise, "noise_policy": noise_policy, "missing": missing}
    given = read_given(truth, preds, features, policies, feature_names)
    desk = _Desk(given, measures, confidence, weights, metric, sample, random_state, n_jobs)
    return desk.gather()


class _Desk:
    """The questions, and notes on what is left out."""

    def __init__(
        self,
        given: Given,
        chosen: Chosen,
        confidence: float,
        weights: ArrayLike | None,
        metric: Any,
        sample: int,
        random_state: Any,
        n_jobs: int | None,
    ) -> None:
        self.given = given
        self.chosen = measures.select(chosen, kind="external")
        self.confidence = confidence
        self.weights = weights
        self.metric = metric
        self.sample = sample
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.resamples = RESAMPLES
        self.notes: list[str] = []

    def gather(self) -> Evidence:
        """Every question asked, in the order in which a page shows the answers."""
        given = self.given
        external = given.truth is not None or bool(given.tables)
        self.notes += noise_notes(given)
        dropped = dropped_objects(given)
        with ticking(3 * len(given.names) + 2, "evidence") as tick:
            tables = self._tables() if external else {}
            cards, chances, diagnoses = {}, {}, {}
            cells = sum(len(table) for table in tables.values())
            many = cells > CELLS
            self.resamples = min(RESAMPLES, max(FEWER_RESAMPLES, RESAMPLED_CELLS // max(1, cells)))
            for name, table in tables.items():
                cards[name] = self._card(name, table, many)
                chances[name] = self._chances(table, many)
                diagnoses[name] = diagnose(table)
                tick()
            ranking = self._ranking() if external else None
            tick()
            inner, widths = self._against_features(tick)
            summary = self._summary()
            tick()
        return Evidence(
            names=given.names,
            truth=given.truth_name if external else None,
            objects=self._objects(tables),
            tables=tables,
            scores=ScoreCards(cards) if cards else None,
            chances=chances,
            ranking=ranking,
            diagnoses=diagnoses,
            inner=inner,
            silhouettes=widths,
            summary=summary,
            confidence=self.confidence,
            random_state=self.random_state,
            notes=tuple(dict.fromkeys(self.notes)),
            dropped=dropped,
            feature_names=given.feature_names,
        )

    def _objects(self, tables: dict[str, Contingency]) -> int | float:
        """All objects given; of finished tables, or with weights, what the first table holds."""
        whole = self.given.n if self.weights is None else 0
        return whole or (next(iter(tables.values())).n if tables else self.given.n)

    def _tables(self) -> dict[str, Contingency]:
        given = self.given
        if given.tables:
            self.notes.append(
                "The clusterings came as finished tables: what needs labels (a ranking, the space "
                "of clusterings) is left out."
            )
            return given.tables
        return {
            name: Contingency.from_labels(
                given.truth, codes, weights=self.weights, **given.policies
            )
            for name, codes in given.preds.items()
        }

    def _card(self, name: str, table: Contingency, many: bool) -> ScoreCard:
        """All scores; of large tables only the headlines have intervals."""
        sure: dict[str, Any] = {
            "confidence": self.confidence,
            "random_state": self.random_state,
            "n_jobs": self.n_jobs,
            "resamples": self.resamples,
        }
        labelled: dict[str, Any] = {"truth": self.given.truth_name, "pred": name}
        whole = [record.key for record in self.chosen]
        wanted = [key for key in whole if key in HEADLINES] if many else whole
        plain = score_table(table, whole, **labelled)
        found = self._tried(
            "intervals", lambda: score_table(table, wanted, **sure, **labelled) if wanted else plain
        )
        if found is None:
            return plain
        if many:
            self.notes.append(
                f"The tables are large: intervals come from {self.resamples} resampled tables, "
                f"for {', '.join(wanted) or 'no measure'} alone."
            )
        scores = [found.scores.get(key, score) for key, score in plain.scores.items()]
        return ScoreCard(plain.subject, scores)

    def _chances(self, table: Contingency, many: bool) -> dict[str, Chance]:
        keys = [record.key for record in self.chosen if record.key in HEADLINES]
        samples = 0 if many else CHANCE_SAMPLES
        found = {
            key: self._tried(
                "chance",
                lambda key=key: chance(  # type: ignore[misc]  # the key of this turn
                    key, table, samples=samples, random_state=self.random_state
                ),
            )
            for key in keys
        }
        return {key: each for key, each in found.items() if each is not None}

    def _ranking(self) -> Ranking | None:
        """The clusterings from best to worst by the first measure that has a direction."""
        given = self.given
        directed = [record for record in self.chosen if record.better != "neither"]
        if len(given.preds) < 2 or not directed:
            return None
        if self.weights is not None:
            self.notes.append("Weighted objects are not resampled together: there is no ranking.")
            return None
        keys = [record.key for record in directed]
        key = "adjusted_rand" if "adjusted_rand" in keys else keys[0]
        part = self._drawn(len(given.preds), "the ranking")
        found: Ranking | None = self._tried(
            "the ranking",
            lambda: rank_predictions(
                part.truth,
                part.preds,
                key,
                confidence=self.confidence,
                resamples=RESAMPLES,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
                **given.policies,
            ),
        )
        return found

    def _drawn(self, clusterings: int, what: str) -> Given:
        """All objects, or a sample where they are too many."""
        given = self.given
        if given.n * clusterings <= LABELS:
            return given
        most = min(self.sample, max(2_000, LABELS // clusterings))
        if most < given.n:
            self.notes.append(
                f"{most:,} of the {given.n:,} objects were drawn at random for {what}."
            )
        return given.drawn(most, self.random_state)

    def _against_features(
        self, tick: Callable[[], None]
    ) -> tuple[ScoreCards | None, dict[str, Silhouettes]]:
        given = self.given
        if given.features is None:
            return None, {}
        cards = {}
        whole = given
        if given.n * len(given.preds) > MEASURED:
            whole = given.drawn(self.sample, self.random_state)
            self.notes.append(
                f"{whole.n:,} of the {given.n:,} points were drawn at random for the measures of "
                "features."
            )
        for name, codes in whole.preds.items():
            found = internal_scores(
                whole.features,
                {name: codes},
                self.metric,
                random_state=self.random_state,
                **given.policies,
            )
            cards[name] = found[name]
            tick()
        part = given.drawn(min(POINTS, self.sample), self.random_state)
        if part is not given:
            self.notes.append(
                f"Silhouettes of single points are those of {part.n:,} points drawn at random, "
                "each held against the others drawn."
            )
        widths = {}
        for name, codes in part.preds.items():
            each = self._tried(
                f"the silhouettes of {name}",
                lambda codes=codes: silhouettes(  # type: ignore[misc]  # the codes of this turn
                    part.features, codes, self.metric, **given.policies
                ),
            )
            if each is not None:
                widths[name] = each
            tick()
        return ScoreCards(cards), widths

    def _summary(self) -> Summary | None:
        """The clusterings, and the truth among them, as points of a metric space."""
        if len(self.given.preds) < 2:
            return None
        part = self._drawn(len(self.given.labelings()), "the space of clusterings")
        found: Summary | None = self._tried(
            "the space of clusterings",
            lambda: Ensemble(part.labelings(), n_jobs=self.n_jobs, **part.policies).summary(
                starts=STARTS, random_state=self.random_state
            ),
        )
        return found

    def _tried(self, what: str, ask: Callable[[], Any]) -> Any:
        """The answer; where there is none for such data, None and a note."""
        try:
            return ask()
        except ClustervetError as error:
            self.notes.append(f"Left out: {what}; {error}")
            return None
