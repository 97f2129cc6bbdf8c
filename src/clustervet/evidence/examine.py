"""`examine`: every room asked about some clusterings, the answers gathered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from clustervet._checks import entropy, share, whole
from clustervet._progress import ticking
from clustervet.contingency import Contingency
from clustervet.contingency.mapping import places_beside
from clustervet.ensemble import Ensemble, Summary
from clustervet.errors import ClustervetError, ParameterError, Setting
from clustervet.evidence.dropped import dropped_objects
from clustervet.evidence.evidence import Evidence
from clustervet.evidence.holders import is_holder, taken_by_name
from clustervet.evidence.inputs import Inputs, read_inputs
from clustervet.geometry import Geometry
from clustervet.geometry.clusters import ClusterDistances
from clustervet.geometry.gower import gower_table
from clustervet.geometry.metrics import Metric, check_standardize, read_metric
from clustervet.geometry.picture import ClusteredPoints, clustered_points
from clustervet.geometry.points import read_points, standardized
from clustervet.geometry.tendency import Tendency, tendency
from clustervet.inference.compare import why_no_test
from clustervet.inference.nulls import resolve_model
from clustervet.internal.silhouette import Silhouettes, silhouettes
from clustervet.labels.pair import MissingInPair, NoisePolicy, noise_policies
from clustervet.registry import Measure
from clustervet.registry import measures as registry
from clustervet.scorecard import Judgement, Questions, ScoreCards, answer, internal_scores
from clustervet.scorecard.questions import Chosen
from clustervet.view.words import setting, spoken

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
# Points up to which the distances within and between clusters are found.
SPANNED = 5_000
STARTS = 4


def examine(
    data: Any = None,
    /,
    preds: Any = None,
    *,
    truth: Any = None,
    features: Any = None,
    feature_names: Iterable[str] | None = None,
    measures: Chosen = None,
    family: str | Iterable[str] | None = None,
    confidence: float = 0.95,
    chance: str | None = None,
    weights: ArrayLike | None = None,
    ids: Any = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: MissingInPair = "raise",
    metric: Any = "euclidean",
    standardize: bool = False,
    sample: int = SAMPLE,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> Evidence:
    """Gather everything that can be said about some clusterings, to report or to keep.

    Parameters
    ----------
    data : array-like, mapping, Tables, AnnData, data frame or None
        The truth: one labeling, or {name: labels}; None where only features are known. The tables
        that `read_tables` makes of files stand for truth and predictions. Labels and features of
        pandas must have equal indexes. Of AnnData or a data frame, everything else is named.
    preds : mapping, array-like, or list of str, optional
        The clusterings as {name: labels}, one labeling, or {name: Contingency} of finished
        tables; what needs labels is then left out. Of AnnData or a data frame, the columns of
        clusters; ``leiden_*`` stands for all that match.
    truth : str, array-like or mapping, optional
        Of AnnData or a data frame, the column of classes; else the truth by its name.
    features : array-like, sparse matrix, frame, str or list of str, optional
        The features of the objects. Of AnnData an entry of `obsm`, or ``"X"`` for the matrix
        itself; of a data frame the columns.
    feature_names : list of str, optional
        Names of the columns of `features`, where these have none.
    measures : str, Measure or list, optional
        The external measures to show; the first with a direction ranks the clusterings. With
        ``missing="absent"`` by default those that need no object to be on both sides.
    family : str or list of str, optional
        Only measures of this family, or of a field such as "coreference".
    confidence : float, optional
        The confidence of intervals and ranking.
    chance : {"sizes", "number", "all", "number_one_sided", "all_one_sided"}, optional
        The model of random clusterings that the measures named are held against. By default it is
        "sizes", and only adjusted Rand index, variation of information and purity are held
        against it, as they are where no measures are named.
    weights : array-like, optional
        One weight per object.
    ids : sequence, optional
        One id per object, by which a report and `Diagnosis.objects` name objects; by default they
        go by their row numbers, from 0 on.
    noise, noise_policy, missing : optional
        What noise labels and missing labels mean, as in `Contingency.from_labels`. With
        ``missing="absent"`` clusterings are not compared with each other, and features are held
        against the points that a clustering has.
    metric : str or callable, optional
        The distance between features; "gower" for data frames with columns of any kind.
    standardize : bool, optional
        Give every feature mean 0 and variance 1.
    sample : int, optional
        How many objects are drawn for what would take long on all; the notes say where.
    random_state : int, Generator or None, optional
        The seed of everything random.
    n_jobs : int, optional
        Threads; -1 uses all cores.

    Returns
    -------
    Evidence
        Scores with intervals, chance, ranking, diagnoses, internal scores, silhouettes, and the
        space of the clusterings.

    Raises
    ------
    LabelError
        If labels are missing, are no labels, or differ in number, or if there is not one id for
        each object.
    ParameterError
        If there is neither a truth nor features, or options do not go together.

    Examples
    --------
    >>> found = examine([0, 0, 1, 1], {"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    >>> found.scores["b"]["purity"]
    0.75
    >>> found.leader
    'a'

    By name, from AnnData (``examine(adata, ["leiden_*"], truth="cell_type", features="X_pca")``) or
    from a data frame:

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": [0, 0, 1, 1], "a": [0, 0, 1, 1], "b": [0, 1, 1, 1]})
    >>> examine(frame, ["a", "b"], truth="y").leader
    'a'
    """
    if is_holder(data):
        beside = {"weights": weights, "ids": ids}
        taken = taken_by_name(data, truth, preds, features, beside)
        truth, preds, features = taken["truth"], taken["preds"], taken["features"]
        weights, ids = taken["weights"], taken["ids"]
    elif data is not None:
        if truth is not None:
            raise ParameterError(
                "two truths are given; with ",
                Setting("truth"),
                " the first argument is AnnData or a data frame.",
            )
        truth = data
    chosen = check_examination(measures, confidence, metric, family, chance, missing, sample)
    seed = entropy(random_state)
    policies: dict[str, Any] = {"noise": noise, "noise_policy": noise_policy, "missing": missing}
    given = read_inputs(truth, preds, features, policies, feature_names, weights, ids)
    if given.truth is None and not given.tables:
        for name, value in {"family": family, "chance": chance}.items():
            if value is not None:
                raise ParameterError(Setting(name), " goes with ", Setting("truth"), ".")
    all_beside = chance is not None and not (measures is None and family is None)
    how, notes = read_metric(metric), []
    check_standardize(how, standardize)
    if how.reads_table and features is not None:
        features = gower_table(features, "features")
        how, notes = features.metric, [features.remark]
        given = replace(given, features=features.points)
    elif standardize and features is not None:
        given = replace(given, features=standardized(read_points(features)))
    examination = _Examination(
        given,
        features,
        chosen,
        confidence,
        chance,
        all_beside,
        weights,
        how,
        sample,
        seed,
        n_jobs,
        notes,
    )
    return examination.gather()


def check_examination(
    measures: Chosen = None,
    confidence: float = 0.95,
    metric: Any = "euclidean",
    family: str | Iterable[str] | None = None,
    chance: str | None = None,
    missing: MissingInPair = "raise",
    sample: int = SAMPLE,
) -> list[Measure]:
    """Return the measures; refuse what is wrong whatever the data are, before they are read."""
    share(confidence, "confidence")
    whole(sample, "sample", 2)
    read_metric(metric)
    if chance is not None:
        resolve_model(chance)
    found = registry.select(measures, kind="external", family=family, general=True)
    if family is not None and not found:
        raise ParameterError(Setting("family"), " names no measure that compares labels.")
    if missing == "absent" and measures is None and family is None:
        found = [record for record in found if record.partial]
    return found


@dataclass
class _Examination:
    """What is examined and how, and notes on what is left out.

    `raw` are the features before they were standardized. With `all_beside` every measure is held
    against chance.
    """

    given: Inputs
    raw: Any
    chosen: list[Measure]
    confidence: float
    chance: str | None
    all_beside: bool
    weights: ArrayLike | None
    metric: Metric
    sample: int
    random_state: Any
    n_jobs: int | None
    notes: list[str] = field(default_factory=list)

    def gather(self) -> Evidence:
        """Ask every question, in the order in which a page shows the answers."""
        given = self.given
        external = given.truth is not None or bool(given.tables)
        steps = external + 2 * (given.features is not None)
        with ticking(steps * len(given.names) + 2, "evidence") as tick:
            judged = self._judged(tick) if external else Judgement()
            tick()
            inner, widths, spans = self._against_features(tick)
            summary = self._summary()
            tick()
        found = Evidence(
            names=given.names,
            truth=given.truth_name if external else None,
            objects=self._objects(judged),
            tables=judged.tables,  # type: ignore[arg-type]  # made of labels, or given
            scores=judged.scores or None,
            chances=judged.chances,
            ranking=judged.ranking,
            diagnoses=judged.diagnoses,
            inner=inner,
            silhouettes=widths,
            distances=spans,
            tendency=self._tendency(),
            summary=summary,
            confidence=self.confidence,
            random_state=self.random_state,
            notes=tuple(dict.fromkeys(self.notes)),
            dropped=dropped_objects(given),
            feature_names=given.feature_names,
        )
        places = self._places(found.leader)
        points = self._points(found.leader, places)
        coloured = {
            name: replace(each, places=places.get(name, {})) for name, each in widths.items()
        }
        notes = tuple(dict.fromkeys(self.notes))
        return replace(found, points=points, silhouettes=coloured, notes=notes)

    def _places(self, leader: str) -> dict[str, dict[Any, int]]:
        """Return places of colours by clustering: beside the classes, or else the leader."""
        preds = self.given.preds if self.given.features is not None else {}
        if not preds:
            return {}
        reference = preds[leader] if self.given.truth is None else self.given.truth
        return {name: places_beside(reference, codes) for name, codes in preds.items()}

    def _points(self, name: str, places: dict[str, dict[Any, int]]) -> ClusteredPoints | None:
        """Return picture and profiles of the leading clustering, where features are known."""
        given = self.given
        if given.features is None:
            return None
        policies = noise_policies(given.policies["noise"], given.policies["noise_policy"])
        ask = partial(
            clustered_points,
            self.raw,
            given.preds[name],
            given.truth,
            names=given.feature_names,
            noise=list(policies),
            precomputed=self.metric.name == "precomputed",
            drawn=given.features,
            places=places[name],
            said=f"Clusters of {spoken(name)}." if len(given.preds) > 1 else "",
        )
        found: ClusteredPoints | None = self._attempt("the picture of the points", ask)
        return found

    def _objects(self, judged: Judgement) -> int | float:
        """Return all objects given; of finished tables, or with weights, what a table holds."""
        whole = self.given.n if self.weights is None else 0
        return whole or next((table.n for table in judged.tables.values()), self.given.n)

    def _tables(self) -> dict[tuple[str, str], Contingency]:
        given, truth = self.given, self.given.truth_name
        if given.tables:
            self.notes.append(
                "The clusterings came as finished tables: what needs labels (a ranking, the space "
                "of clusterings) is left out."
            )
            return {(truth, name): table for name, table in given.tables.items()}
        return {
            (truth, name): Contingency.from_labels(
                given.truth, codes, weights=self.weights, **given.policies
            )
            for name, codes in given.preds.items()
        }

    def _judged(self, tick: Callable[[], None]) -> Judgement:
        """Return scores, chance, diagnoses and ranking; large tables get fewer intervals."""
        tables = self._tables()
        cells = sum(len(table) for table in tables.values())
        keys = [record.key for record in self.chosen]
        headlines = [key for key in keys if key in HEADLINES]
        beside = keys if self.all_beside else headlines
        many = cells > CELLS
        resamples = min(RESAMPLES, max(FEWER_RESAMPLES, RESAMPLED_CELLS // max(1, cells)))
        asked = Questions(
            measures=keys,
            confidence=self.confidence,
            resamples=resamples,
            sure=frozenset(headlines) if many else None,
            ranked_by=self._ranking_measure(),
            rank_resamples=RESAMPLES,
            chance=self.chance or "sizes" if beside else None,
            beside_chance=beside,
            samples=0 if many else CHANCE_SAMPLES,
            diagnose=True,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        found = answer(
            tables,
            asked,
            labels=self._ranked_labels,
            rows=self.given.rows,
            policies=self.given.policies,
            attempt=self._attempt,
            tick=tick,
            keep=True,
        )
        if many:
            self.notes.append(
                f"The tables are large: intervals come from {resamples} resampled tables, for "
                f"{', '.join(headlines) or 'no measure'} alone."
            )
        return found

    def _ranking_measure(self) -> str | None:
        """Return the measure that ranks the clusterings, where they can be ranked."""
        directed = [record.key for record in self.chosen if not why_no_test(record)]
        if len(self.given.preds) < 2 or not directed:
            return None
        if self._apart:
            self.notes.append(
                f"With {setting('missing', 'absent')} clusterings have objects of their own: they "
                "are not compared with each other."
            )
            return None
        if self.weights is not None:
            self.notes.append("Weighted objects are not compared one by one: there is no ranking.")
            return None
        return "adjusted_rand" if "adjusted_rand" in directed else directed[0]

    @property
    def _apart(self) -> bool:
        """Whether each clustering is of the objects that it labels."""
        return bool(self.given.policies["missing"] == "absent")

    @property
    def _alone(self) -> dict[str, Any]:
        """What labels mean where a clustering is held against features."""
        return self.given.policies | ({"missing": "drop"} if self._apart else {})

    def _ranked_labels(self) -> tuple[Any, Any]:
        part = self._drawn(len(self.given.preds), "the ranking")
        return part.truth, part.preds

    def _drawn(self, clusterings: int, what: str) -> Inputs:
        """Return all objects, or a sample where they are too many."""
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
    ) -> tuple[ScoreCards | None, dict[str, Silhouettes], dict[str, ClusterDistances]]:
        given = self.given
        if given.features is None:
            return None, {}, {}
        if self.weights is not None:
            self.notes.append(
                "Weights are of the classes alone: by the features every object counts once."
            )
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
                **self._alone,
            )
            cards[name] = found[name]
            tick()
        part = given.drawn(min(POINTS, self.sample), self.random_state)
        if part is not given:
            self.notes.append(
                f"Silhouettes of single points are those of {part.n:,} points drawn at random, "
                "each held against the others drawn."
            )
        widths, spans = {}, {}
        for name, codes in part.preds.items():
            geometry = Geometry(part.features, codes, self.metric, **self._alone)
            each = self._attempt(f"the silhouettes of {name}", partial(silhouettes, geometry))
            if each is not None:
                widths[name] = each
                if part is given and geometry.n <= SPANNED:
                    spans[name] = geometry.clusters()
            tick()
        return ScoreCards(cards), widths, spans

    def _tendency(self) -> Tendency | None:
        """Return whether the points show any structure, where features are known."""
        if self.given.features is None:
            return None
        ask = partial(
            tendency, self.given.features, metric=self.metric, random_state=self.random_state
        )
        found: Tendency | None = self._attempt("whether there is structure", ask)
        return found

    def _summary(self) -> Summary | None:
        """Return the clusterings as points of a metric space."""
        if len(self.given.preds) < 2 or self._apart:
            return None
        part = self._drawn(len(self.given.preds), "the space of clusterings")
        found: Summary | None = self._attempt(
            "the space of clusterings",
            lambda: Ensemble(part.preds, n_jobs=self.n_jobs, **part.policies).summary(
                starts=STARTS, random_state=self.random_state
            ),
        )
        return found

    def _attempt(self, what: str, ask: Callable[[], Any]) -> Any:
        """Return the answer; where there is none for such data, None, and a note says why."""
        try:
            return ask()
        except ClustervetError as error:
            why = error.spelled(lambda one: setting(one.name, one.value))
            self.notes.append(f"Left out: {what}; {why}")
            return None
