"""`score_files`: clusterings in files judged against classes, against features, or both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from clustervet import _memory
from clustervet._checks import share, whole
from clustervet.contingency.files import COMBINATIONS, ONE_TABLE, RANKED, read_tables
from clustervet.contingency.mapping import places_beside
from clustervet.errors import ParameterError, Setting
from clustervet.frames import FeatureTable, open_table
from clustervet.frames.pairing import check_rows
from clustervet.frames.patterns import spelled_columns
from clustervet.frames.places import ARRAY, TEXT, Paths, find_place, is_many, path_list
from clustervet.frames.remarks import features_remark, header_remark, joined_remarks
from clustervet.geometry import Geometry
from clustervet.geometry.clusters import ClusterDistances
from clustervet.geometry.gower import gower_table
from clustervet.geometry.metrics import check_standardize, read_metric
from clustervet.geometry.picture import ClusteredPoints, tried_points
from clustervet.geometry.points import read_points, standardized
from clustervet.inference.resample import check_draws
from clustervet.labels import show_label
from clustervet.labels.pair import MissingInPair, noise_policies
from clustervet.registry import measures as registry
from clustervet.scorecard.card import ScoreCards
from clustervet.scorecard.card_document import best_card, headline_key
from clustervet.scorecard.file_features import FileFeatures, is_for_engines
from clustervet.scorecard.groups import score_groups
from clustervet.scorecard.internal import internal_scores
from clustervet.scorecard.judge import judged
from clustervet.scorecard.judgement import Judgement
from clustervet.scorecard.pair_files import judge_others
from clustervet.scorecard.questions import USUAL, Questions
from clustervet.view.words import spoken

ROWS_ALIKE = "The picture of the points and what sets clusters apart count every row once."
# Points, clusterings and clusters up to which each cluster is described.
SPANNED, SHOWN, CLUSTERS = 5_000, 3, 20


def score_files(
    paths: Paths,
    truth: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    *,
    measures: Sequence[str] | None = None,
    also: Sequence[str] = (),
    family: str | Iterable[str] | None = None,
    memberships: Sequence[str] | None = None,
    true_memberships: Sequence[str] | None = None,
    normalize: bool = False,
    cover: bool = False,
    tree: bool = False,
    features: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    standardize: bool = False,
    metric: str = "euclidean",
    sample: int | None = None,
    confidence: float | None = None,
    resamples: int = 2_000,
    chance: str | None = None,
    diagnose: bool = False,
    picture: bool = False,
    by: str | None = None,
    id: str | None = None,
    weights: str | None = None,
    noise: Any = None,
    missing: MissingInPair = "raise",
    engine: str | None = None,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    array: str | None = None,
    by_row: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Judgement:
    r"""Score clusterings in files against known classes, against features, or both.

    Parameters
    ----------
    paths : path or sequence of paths
        One table, a pattern or a folder; two files of labels; or files that `id` joins, as in
        `read_tables`. With features, one table with everything, files that `id` joins, or points
        and labels.
    truth, pred : str or list of str, optional
        The columns of classes and clusters. Those of clusters may be separated by commas, and
        ``leiden_*`` stands for all that match. Without a truth, one table is scored by its
        features.
    measures : list of str, optional
        The measures, external or internal; all that apply by default.
    also : list of str, optional
        Keys of external measures to show beside those.
    family : str or list of str, optional
        Only measures of this family.
    memberships : list of str, optional
        Columns of degrees of membership, one per cluster, which stand for the prediction. With a
        truth they are scored by the table of shares, or by soft measures that are named; without
        one, by how sharp they are and how they fit the features.
    true_memberships : list of str, optional
        Columns of degrees that stand for the truth; both are then compared by soft measures.
    normalize : bool, optional
        Whether the memberships of every object are divided by their sum, whatever that is.
    cover : bool, optional
        Whether groups may overlap: rows are an object and one of its groups, in two files or more,
        of which the first has the truth, or in one table with `id`, `truth` and `pred`.
    tree : bool, optional
        Whether files hold trees, of which the first is the truth: Newick text, or linkage matrices
        of scipy. In one table, `truth` and `pred` name nested labels from coarse to fine.
    features, exclude : list of str, optional
        The columns of features, and numeric columns that are none.
    standardize : bool, optional
        Give every feature mean 0 and variance 1. Without it, a note says so where one feature has
        100 times the range and the standard deviation of another.
    metric : str, optional
        The distance between points; "gower" reads columns of text and dates too.
    sample : int, optional
        How many points are drawn for measures that take long on all.
    confidence, resamples, chance, diagnose : optional
        As in `judge`.
    picture : bool, optional
        With features that are read into memory, keep the points of the best clustering in two
        dimensions and the profiles of its clusters, for a report.
    by : str, optional
        A column that splits one table into groups of rows, each of which is scored by itself: a
        batch, or a run in a table with one row per object and run. With `id`, which then names the
        objects, the groups are predictions of the same objects and are ranked as such.
    id, weights, noise, missing, engine, memory_limit, delimiter, header, array, by_row : optional
        How files are read, as in `read_tables`.
    random_state : int, Generator or None, optional
        The seed of everything random.
    n_jobs : int, optional
        Threads; -1 uses all cores.

    Returns
    -------
    Judgement
        The scores and what else was asked; `remarks` say how the files were read.

    Raises
    ------
    FileError
        If a file cannot be read, or has no such column.
    ParameterError
        If options do not go together.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "labels.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,a,b\nu,0,0\nu,0,1\nv,1,1\nv,1,1\n")
    ...     found = score_files(path, "y", ["a", "b"], measures=["purity"])
    >>> found.scores["a"]["purity"], found.scores["b"]["purity"]
    (1.0, 0.75)
    """
    check_draws(resamples, random_state, n_jobs)
    check_standardize(read_metric(metric), standardize)
    if sample is not None:
        whole(sample, "sample", 2)
    files = path_list(paths)
    truths = _names(truth)
    reading: dict[str, Any] = {"engine": engine, "memory_limit": memory_limit}
    parsing: dict[str, Any] = {"delimiter": delimiter, "header": header, "array": array}
    beside = [*truths, *filter(None, (id, weights, by))]
    if tree:  # whose levels may be named at once
        truths = spelled_columns(truths, files, **reading, **parsing)
    preds = spelled_columns(_names(pred), files, beside, **reading, **parsing)
    policies: dict[str, Any] = {"noise": noise, "missing": missing}
    asking: dict[str, Any] = {
        "chance": chance,
        "diagnose": diagnose,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    for name, given in {"true_memberships": true_memberships, "normalize": normalize}.items():
        if given and not memberships:
            raise ParameterError(Setting(name), " goes with ", Setting("memberships"), ".")
    if memberships or cover or tree:
        options = asking | {"confidence": confidence, "resamples": resamples}
        more: dict[str, Any] = {
            "truth": truths,
            "pred": preds,
            "id": id,
            "by": by,
            "by_row": by_row,
        }
        more |= {"weights": weights, "sample": sample, "engine": engine, "features": features}
        more |= {"exclude": exclude, "standardize": standardize, "metric": metric}
        more |= {"true_memberships": true_memberships, "memberships": memberships}
        more |= policies | {"normalize": normalize, "measures": measures, "family": family}
        if cover + tree + bool(memberships) > 1:
            raise ParameterError(
                Setting("cover"),
                ", ",
                Setting("tree"),
                " and ",
                Setting("memberships"),
                " exclude each other.",
            )
        what = "cover" if cover else "tree" if tree else "memberships"
        return judge_others(what, files, more, options, also, parsing | reading)
    if by is not None:
        outside: dict[str, Any] = {"features": features, "weights": weights, "engine": engine}
        outside |= {"exclude": exclude, "standardize": standardize, "sample": sample}
        asking |= {"confidence": confidence, "resamples": resamples}
        questions = Questions.of(None if measures is None else [*measures, *also], family, **asking)
        table_given = files, truths, preds, outside, {**parsing, "memory_limit": memory_limit}
        return _grouped(*table_given, by, id, questions, policies)
    featured = bool(features) or (len(files) == 1 and not truths and bool(preds) and id is None)
    if standardize and not featured:
        raise ParameterError(Setting("standardize"), " goes with ", Setting("features"), ".")
    wanted = _by_kind(measures) if featured else {"external": measures, "internal": []}
    found = Judgement()
    if featured:
        if confidence is not None:
            share(confidence, "confidence")
        asked: dict[str, Any] = {
            "chance": chance,
            "diagnose": diagnose or None,
            "measure": also or None,
        }
        _check(1 if id is not None else len(files), truths, wanted["external"], asked)
        if id is not None and engine is not None:
            parts = Setting("features"), " with ", Setting("id"), " does not go with "
            raise ParameterError(*parts, Setting("engine"), ".")
    if (truths or not featured) and wanted["external"] != []:
        named = wanted["external"]
        questions = Questions.of(
            None if named is None else [*named, *also],
            family,
            confidence=confidence,
            resamples=resamples,
            beside_chance=[*USUAL["external"], *also] if named is None and family is None else None,
            **asking,
        )
        questions.check(len(truths))
        ranked = confidence is not None and len(preds) > 1 and len(truths) < 2 and not weights
        tables = read_tables(
            files,
            truths,
            preds,
            id=id,
            weights=weights,
            joint=ranked,
            by_row=by_row,
            **policies,
            **reading,
            **parsing,
        )
        found = judged(tables, questions)
        lost = [NO_RANKING] if ranked and found.ranking is None else []
        found = replace(found, remarks=(*tables.remarks(), *lost))
    if not featured:
        return found
    points = _PointFiles(
        files,
        preds,
        features,
        [*dict.fromkeys([*truths, *preds, *exclude, *filter(None, (id, weights))])],
        metric,
        sample,
        0 if random_state is None else random_state,
        standardize,
        policies,
        reading,
        parsing,
        by_row,
        id,
        weights,
        confidence,
        truths,
    )
    with _memory.memory_limit(memory_limit):
        inner, remarks = points.scores(wanted["internal"], family)
        spans = points.distances() if wanted["internal"] is None else {}
        seen = points.seen(truths, _first(found.scores, inner)) if picture else None
    told = [ROWS_ALIKE] if weights is not None and seen is not None else []
    said = tuple(dict.fromkeys([*found.remarks, *remarks, *told]))
    return replace(found, inner=inner, remarks=said, points=seen, distances=spans)


def _first(scores: ScoreCards, inner: ScoreCards) -> str:
    """Return the clustering that is ahead, by the classes where these are known."""
    cards = scores if scores and set(scores) <= set(inner) else inner
    return best_card(cards, headline_key(cards))


NO_INNER_INTERVALS = (
    "no intervals of measures of features: they need all points in memory, and an engine leaves "
    "them in files."
)
NO_RANKING = (
    "no ranking: it compares all predictions object by object, which the engine duckdb does for "
    f"up to {RANKED:,} objects and {COMBINATIONS:,} combinations of labels."
)


def _grouped(
    files: Sequence[str],
    truths: Sequence[str],
    preds: Sequence[str],
    outside: Mapping[str, Any],
    reading: Mapping[str, Any],
    by: str,
    id: str | None,
    questions: Questions,
    policies: Mapping[str, Any],
) -> Judgement:
    """Return the scores of one table by groups of its rows."""
    for name, value in outside.items():
        if value:
            raise ParameterError(Setting(name), " does not go with ", Setting("by"), ".")
    if len(files) != 1 or len(truths) != 1 or not preds:
        raise ParameterError(
            Setting("by"),
            " goes with one table, one ",
            Setting("truth"),
            " and a ",
            Setting("pred"),
            ".",
        )
    source = open_table(files[0], **reading)
    return score_groups(source, truths[0], preds, by, questions, id=id, **policies)


def _names(given: str | Sequence[str] | None) -> list[str]:
    return [] if given is None else [given] if isinstance(given, str) else list(given)


def _by_kind(keys: Sequence[str] | None) -> dict[str, Sequence[str] | None]:
    """Return the measures asked for, external and internal apart; None where none were named."""
    if keys is None:
        return {"external": None, "internal": None}
    records = registry.select(keys)
    return {k: [r.key for r in records if r.kind == k] for k in ("external", "internal")}


def _check(
    tables: int,
    truths: Sequence[str],
    external: Sequence[str] | None,
    asked: Mapping[str, Any],
) -> None:
    """Refuse what does not go with features."""
    if not truths:
        for name in ("diagnose", "chance"):
            if asked[name] is not None:
                raise ParameterError(Setting(name), " goes with ", Setting("truth"), ".")
        if external:
            raise ParameterError(f"{external[0]} needs ", Setting("truth"), ".")
        return
    if tables > 1:
        parts = Setting("features"), " with ", Setting("truth"), " goes with one table, or with "
        raise ParameterError(*parts, "files that ", Setting("id"), " joins.")
    for name in ("chance", "measure"):
        if external == [] and asked[name] is not None:
            told = " is about classes, and ", Setting("measures"), " names none for them."
            raise ParameterError(Setting(name), *told)


@dataclass(frozen=True)
class _PointFiles:
    """Files with features and clusterings, and how they are read."""

    files: Sequence[str]
    preds: Sequence[str]
    features: Sequence[str] | None
    exclude: Sequence[str]
    metric: str
    sample: int | None
    random_state: Any
    standardize: bool
    policies: dict[str, Any]
    reading: dict[str, Any]
    parsing: dict[str, Any]
    by_row: bool
    id: str | None
    weights: str | None
    confidence: float | None
    truths: Sequence[str]

    def scores(
        self, keys: Sequence[str] | None, family: str | Iterable[str] | None
    ) -> tuple[ScoreCards, list[str]]:
        """Return the clusterings against their features, and what was taken as features."""
        if self._by_engine:
            return self._in_files(keys, family)
        table, labels, remarks, weights = self._read
        cards = internal_scores(
            self._points,
            labels,
            self.metric,
            weights=weights,
            measures=keys,
            family=family,
            standardize=self.standardize,
            sample=self.sample,
            confidence=self.confidence,
            random_state=self.random_state,
            **self.policies,
        )
        return ScoreCards(dict(cards)), [*remarks, *([] if self.features else [table.remark])]

    def distances(self) -> dict[str, ClusterDistances]:
        """Return distances within and between clusters, where there are few enough to be read.

        They count every row once, so there are none with weights.
        """
        if self._by_engine or self.weights is not None:
            return {}
        _, labels, *_ = self._read
        points = self._points
        if points.shape[0] > SPANNED or len(labels) > SHOWN:
            return {}
        points = standardized(read_points(points)) if self.standardize else points
        made = {
            name: Geometry(points, codes, self.metric, **self.policies)
            for name, codes in labels.items()
        }
        return {name: one.clusters() for name, one in made.items() if 1 < one.k <= CLUSTERS}

    def seen(self, truths: Sequence[str], name: str) -> ClusteredPoints | None:
        """Return picture and profiles of a clustering, where the features are in memory."""
        if self._by_engine:
            return None
        table, labels, *_ = self._read
        truth = table.labels(truths[0]) if len(truths) == 1 else None
        scaled = standardized(read_points(table.matrix)) if self.standardize else None
        return tried_points(
            self._points,
            labels[name],
            truth,
            names=table.feature_names,
            noise=list(noise_policies(self.policies["noise"], None)),
            precomputed=self.metric == "precomputed",
            drawn=scaled,
            places=places_beside(truth, labels[name]),
            said=f"Clusters of {spoken(name)}." if len(labels) > 1 else "",
        )

    @cached_property
    def _mixed(self) -> bool:
        """Return whether columns of any kind are read."""
        return read_metric(self.metric).reads_table

    @cached_property
    def _points(self) -> Any:
        """Return the features: a matrix, or a table for Gower's distance."""
        table = self._read[0]
        return gower_table(table) if self._mixed else table.matrix

    @cached_property
    def _by_engine(self) -> bool:
        """Return whether the files are parts of one table, or for an engine outright."""
        if self.id is not None:
            return False
        asked = self.reading["engine"] is not None
        whole = self.standardize or self._mixed
        if self.reading["memory_limit"] is not None and not whole:
            plain = all(option is None for option in self.parsing.values())
            asked |= plain and len(self.files) == 1 and is_for_engines(self.files[0])
        if asked or len(self.files) > 2 or any(map(is_many, self.files)):
            return True
        # Two files are parts of one table if the first has the clusters, or else points and labels.
        first = self.files[0]
        if len(self.files) != 2 or "-" in self.files or not self.preds:
            return False
        if find_place(first).format == ARRAY:
            return False
        source = open_table(first, **self.parsing)
        source.check_header()
        return set(self.preds) <= set(source.columns)

    def _in_files(
        self, keys: Sequence[str] | None, family: str | Iterable[str] | None
    ) -> tuple[ScoreCards, list[str]]:
        """Score files that are left where they are."""
        given = [name for name, value in self.parsing.items() if value is not None]
        given += ["standardize"] if self.standardize else []
        given += [] if self.weights is None else ["weights"]
        given += ["metric"] if self._mixed else []
        for name in given:
            raise ParameterError(Setting(name), " goes with one file that is read into memory.")
        if not self.preds:
            raise ParameterError("name a column of clusters with ", Setting("pred"), ".")
        if self.confidence is not None and not self.truths:
            parts = " needs all points in memory, and an engine leaves them in files."
            raise ParameterError(Setting("confidence"), parts)
        files = FileFeatures(
            self.files,
            self.features,
            exclude=self.exclude,
            engine=self.reading["engine"] or "duckdb",
            memory_limit=self.reading["memory_limit"],
            metric=self.metric,
            sample=self.sample,
            random_state=self.random_state,
            **self.policies,
        )
        cards = files.scores(self.preds, keys, family)
        chosen = files.chosen
        told = [] if self.features else [features_remark(chosen.feature_names, chosen.left_out)]
        return cards, [*told, *([] if self.confidence is None else [NO_INNER_INTERVALS])]

    @cached_property
    def _read(self) -> tuple[FeatureTable, dict[str, Any], list[str], Any]:
        """Return features, clusterings from the same file or from a second one, and weights."""
        text = {name: self.parsing[name] for name in ("delimiter", "header")}
        if len(self.files) == 2 and self.id is None:
            if self.weights is not None:
                raise ParameterError(Setting("weights"), ONE_TABLE)
            first = open_table(self.files[0], array=self.parsing["array"])
            second = open_table(self.files[1], **text)
            if not self.by_row:
                # Features that nobody named may be ids.
                named = first.choose(self.features, mixed=self._mixed)[0] if self.features else []
                check_rows([first, second], {*named, *self.preds}, joins=bool(named))
            table = first.features(self.features, mixed=self._mixed)
            if find_place(self.files[1]).format != TEXT and not self.preds:
                raise ParameterError("name a column of clusters with ", Setting("pred"), ".")
            preds = list(self.preds) or list(second.columns)
            guessed = second.header_guessed
            remarks = [] if guessed is None else [header_remark(second.name, guessed)]
            return table, second.labels(preds), remarks, None
        joining = {"id": self.id, "memory_limit": self.reading["memory_limit"]}
        source = open_table(self.files, **joining, **self.parsing)
        table = source.features(self.features, self.exclude, mixed=self._mixed)
        if not self.preds:
            known = ", ".join(show_label(name) for name in table.columns[:20])
            raise ParameterError(
                "name a column of clusters with ", Setting("pred"), f"; {table.name} has {known}."
            )
        labels = {name: table.labels(name) for name in self.preds}
        held = None if self.weights is None else source.features([self.weights]).matrix[:, 0]
        return table, labels, joined_remarks(source), held
