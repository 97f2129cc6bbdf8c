"""`tune`: one parameter of a clusterer, chosen by internal measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clustervet._checks import is_number, jobs, nearest, whole
from clustervet.errors import FeatureError, ParameterError, Setting
from clustervet.fitting.algorithms import (
    NUMBERS,
    Algorithm,
    read_algorithm,
    read_seed,
    usual_numbers,
)
from clustervet.fitting.features import read_features
from clustervet.fitting.fits import progress_bar
from clustervet.fitting.given import check_values, read_function_at, read_given
from clustervet.fitting.grid import GridAlgorithm, read_grid
from clustervet.geometry.gower import GowerTable, gower_table
from clustervet.geometry.metrics import GOWER, Metric, check_standardize, read_metric
from clustervet.geometry.picture import tried_points
from clustervet.geometry.points import read_distances, read_points, scale_ratio, standardized
from clustervet.geometry.profiles import named_features
from clustervet.geometry.tendency import tendency
from clustervet.labels import plain_label, show_label
from clustervet.labels.pair import noise_policies
from clustervet.registry import Measure, check_options
from clustervet.registry import measures as registry
from clustervet.scorecard.internal import DRAWN_POINTS, MANY_POINTS
from clustervet.tuning.curves import Asked, CurvePlan, fit_curves, read_rules, stability_of
from clustervet.tuning.references import FEW, SETS, compare, outlying_points
from clustervet.tuning.refits import FOLDS, VALIDATED
from clustervet.tuning.resampled import RESAMPLED, check_resampled, repeats
from clustervet.tuning.rules import value_text
from clustervet.tuning.tuning import Tuning

DISTANCE_MEASURES = (
    "ssq",
    "intra_inter_ratio",
    "silhouette",
    "calinski_harabasz",
    "davies_bouldin",
)
# What is left where only distances are known; and for clusterers that look for dense regions,
# since measures of distance know nothing of their shapes and noise.
PAIR_MEASURES = ("intra_inter_ratio", "silhouette")
DENSITY_MEASURES = ("dbcv",)


def tune(
    estimator: Any,
    X: Any = None,  # noqa: N803  # the name that everyone gives to features
    parameter: str | None = None,
    values: Iterable[Any] | None = None,
    measures: Any = None,
    *,
    grid: Mapping[str, Iterable[Any]] | None = None,
    metric: Any = "euclidean",
    noise: Any = "drop",
    standardize: bool = False,
    bootstrap: int = 0,
    references: int = SETS,
    sample: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    rules: Mapping[str, str] | None = None,
    validation: Any = None,
    feature_names: Sequence[Any] | None = None,
    progress: bool = True,
) -> Tuning:
    """Cluster at every value of a parameter and choose a value by internal measures.

    Parameters
    ----------
    estimator : str, class, object, callable, mapping or data frame
        The name of an algorithm, such as "kmeans", "ward", "gmm" or "dbscan", or any
        scikit-learn clusterer or pipeline. Or a function that takes a value of the parameter and
        returns labels of the points of X; it is called once per value, and gets the seed if it has
        an argument ``random_state`` or ``seed``. Or a list of clusterers and functions, of which
        one is chosen. Or labels that were made before, by value: a mapping from values to labels,
        or a data frame with one column per value. See the notes.
    X : array-like, sparse matrix or data frame
        Points by features; with ``metric="precomputed"``, the distances of all pairs of points,
        such as those between the nodes of a graph. It must be given.
    parameter : str, optional
        The parameter of the estimator that varies, "n_clusters" by default. A function has the
        argument of that name vary; if there is none, its first, and then the parameter is only a
        name, as for given labels. By default it is that of the first argument, or "value".
    values : iterable, optional
        The values to try; by default 2 to 20, where the parameter is a number of clusters. Given
        labels have theirs already.
    measures : str, list of str or dict, optional
        Names of internal measures, or a mapping from names to their parameters. By default five
        measures of distance; the two that know only distances for "precomputed" and "gower"; "dbcv"
        for a clusterer that looks for dense regions. Three more names judge the clusterer by
        samples that are clustered again: "prediction_strength", "instability" and
        "ambiguous_pairs"; see the notes.
    grid : dict, optional
        Values of several parameters, all combinations of which are tried, instead of `parameter`
        and `values`. Of several clusterers and functions, each has those of the parameters that it
        knows; a function with ``**`` has all. Functions are given them by name.
    metric : str or callable, optional
        The distance of two points. An algorithm that is given by name uses it too, if it can.
        "gower" is for data frames with columns of any kind; see the notes.
    noise : {"drop", "keep", "singletons"} or dict, optional
        What the measures do with points that are labelled -1, as in `internal_scores`; where there
        are any, a note says so. Measures of density always see them as noise unless they are kept.
    standardize : bool, optional
        Whether every feature gets mean 0 and variance 1 first; sparse features keep their zeros.
        Without it, a note says so where one feature has 100 times the range and the standard
        deviation of another.
    bootstrap : int, optional
        Repeat everything on this many samples of four fifths of the points, to see what is
        stable. Functions and given labels have no clusters of a sample, so it is left out if there
        are any.
    references : int, optional
        How many sets of points without clusters, of each of five kinds, the curves are compared
        with before a value is suggested: 19, the fewest with which p = 0.05 can be reached, or
        more. 0 compares with none, and then nothing is suggested.
    sample : int, optional
        The most points, or pairs of points, that a measure looks at, where it can be sampled.
    n_jobs : int, optional
        How many fits run at once; -1 uses all cores. The answer is the same for any number. A
        function is then called from several threads.
    random_state : int or numpy.random.Generator, optional
        The seed of every fit.
    rules : dict, optional
        Another rule for a measure: "elbow", "optimum", "gap" (for gap_statistic), "hartigan" (for
        ssq) or "cutoff" (for prediction_strength).
    validation : array-like or data frame, optional
        Other points of the same population. "validated_likelihood" is then that of these points
        under the clusters of X, and joins the usual measures. Without them that measure leaves
        each of ten folds of X out in turn, fits the clusterer again, and judges the fold; that
        takes ten more fits per value.
    feature_names : sequence, optional
        Names of the features, for the profiles of the clusters; by default the columns of a data
        frame.
    progress : bool, optional
        Whether a terminal shows a progress bar.

    Returns
    -------
    Tuning
        The curve of each measure, what it chooses, and the suggestion.

    Raises
    ------
    FeatureError
        If the points cannot be read, there are fewer than three, or those of the validation set
        have other features.
    LabelError
        If given labels cannot be read, or there is not one per point.
    ParameterError
        If an option is unknown or out of range, if the clusterer refuses every value, or if the
        labels of a function or those given have two clusters at no value.

    Notes
    -----
    The curves are those of Aggarwal 2015, §6.9.1.1: an elbow for measures that always get better
    with more clusters, an optimum for the others. Each choice has a strength, so that no clear
    choice is an answer too.

    A value that the measures agree on is suggested if the curve of one of them shows more than the
    curves of data without clusters. These have as many points and features, and they are uniform in
    the box of the data, uniform in the box of its principal axes, one Gaussian, elliptical with the
    tails of the data, or have one mode in each feature with the margins and correlations of the
    data. The p-value is the largest over these kinds.

    "prediction_strength" clusters two halves of the points and gives each half the clusters of the
    other: it is the share of pairs that stay together, for the worst cluster (Tibshirani and
    Walther 2005). The largest number of clusters with more than 0.8 is chosen. "instability"
    clusters two bootstrap samples and gives all points the clusters of both: it is the share of
    pairs on which they disagree (Fang and Wang 2012), and the least is chosen. Both are means over
    20 pairs of samples; ``{"prediction_strength": {"splits": 50, "how": "knn"}}`` changes that, and
    how points are given clusters (see `assign`). They take 40 more fits per value.
    "ambiguous_pairs" clusters 100 samples of 80% of the points, and takes the share of pairs that
    are together in more than 10% and at most 90% of the samples that hold both (Şenbabaoğlu,
    Michailidis and Li 2014); the least is chosen; ``{"ambiguous_pairs": {"samples": 50, "share":
    0.9}}`` changes that. Whether there are clusters at all is left to the other measures, or to the
    silhouette if there are none.

    With ``metric="gower"`` the clusterer is one that knows the distance: "average", "complete",
    "single", "dbscan", "hdbscan", "optics", or an estimator with ``metric="precomputed"``. In data
    without clusters each column of categories is in a random order, and the numbers are drawn as
    above.

    A function knows only its parameters, and given labels belong to their points: neither can
    cluster other points. Then "kmeans" ("average" for distances) clusters the points and the sets
    without clusters into the same numbers of clusters, and these are compared, also where the
    function is one of several clusterers. That says whether the points have clusters; the value is
    chosen by the labels alone. Measures that cluster samples are undefined for functions. In the
    results a function has the name that Python gives it; several of one name are numbered, such as
    "lambda 1". Labels may be an array, a
    list, a series, a fitted estimator or a clustering of igraph, in the order of X. A mapping from
    objects to labels, or a list of groups, is taken if the objects are the index of X, or the
    numbers of its rows. A value at which the function fails is undefined, with the reason.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1, (50, 2)) for c in ((0, 0), (9, 0), (0, 9))])
    >>> found = tune("kmeans", X, values=range(2, 9), random_state=0)
    >>> found.suggestion
    3
    >>> found.verdict
    '5 of 5 measures choose 3.'

    Several clusterers with their settings, of which one is chosen:

    >>> from sklearn.cluster import AgglomerativeClustering, KMeans
    >>> found = tune(
    ...     [KMeans(n_init=3), AgglomerativeClustering()],
    ...     X,
    ...     grid={"n_clusters": [2, 3, 4], "linkage": ["ward", "average"]},
    ...     random_state=0,
    ... )
    >>> found.suggestion, found.settings[found.suggestion]["n_clusters"]
    ('KMeans n_clusters=3', 3)

    A function of the parameter, and labels that were made before:

    >>> from scipy.cluster.hierarchy import fcluster, linkage
    >>> tree = linkage(X, "average")
    >>> def cut(height):
    ...     return fcluster(tree, height, "distance")
    >>> found = tune(cut, X, values=[2, 3, 4, 5, 7, 11])
    >>> found.parameter, found.suggestion, found.counts.tolist()
    ('height', 5, [11, 5, 3, 3, 3, 2])
    >>> labels = {height: cut(height) for height in (2, 3, 4, 5, 7, 11)}
    >>> tune(labels, X, parameter="height").suggestion
    5

    A function of several parameters:

    >>> def grown(t, how):
    ...     return fcluster(linkage(X, how), t, "maxclust")
    >>> found = tune(grown, X, grid={"t": [2, 3, 4, 5], "how": ["average", "single"]})
    >>> found.suggestion, found.settings[found.suggestion]["t"]
    ('t=3, how=average', 3)

    Communities of a graph, which are judged by the lengths of shortest paths:

    >>> import networkx as nx
    >>> graph = nx.ring_of_cliques(6, 10)
    >>> def louvain(resolution, seed):
    ...     return nx.community.louvain_communities(graph, resolution=resolution, seed=seed)
    >>> found = tune(
    ...     louvain,
    ...     nx.floyd_warshall_numpy(graph),
    ...     values=[0.05, 0.1, 0.2, 0.5, 1, 2],
    ...     metric="precomputed",
    ...     random_state=0,
    ... )
    >>> len(set(found.best_labels().tolist()))
    6
    """
    if X is None:
        raise FeatureError(
            "tune needs X, by which it judges the clusters: the features; or for a graph, with ",
            Setting("metric", "precomputed"),
            ", a matrix of the distances between its nodes, such as the lengths of shortest paths.",
        )
    # What needs no data is checked before the data, which may take long to read.
    question = read_question(
        estimator,
        X,
        parameter,
        values,
        measures,
        grid=grid,
        metric=metric,
        noise=noise,
        standardize=standardize,
        bootstrap=bootstrap,
        references=references,
        sample=sample,
        n_jobs=n_jobs,
        random_state=random_state,
        rules=rules,
        validation=validation,
    )
    algorithm, tried, how = question.algorithm, question.values, question.metric
    wanted, ruled, seed = question.measures, question.rules, question.seed
    samples, sets, drawn = question.samples, question.sets, question.drawn
    precomputed = question.precomputed
    records = [record for record, _ in wanted]
    table = gower_table(X) if how.reads_table else None
    if table is not None:
        points, how = table.dense, table.metric
    else:
        points = read_distances(X) if precomputed else read_features(X, estimator)
    given: Any = points if table is None else table
    total = int(points.shape[0])
    if total < 3:
        raise FeatureError(f"tuning needs at least 3 points; X has {total}.")
    names = getattr(X, "columns", None) if feature_names is None else feature_names
    if not precomputed and table is None:
        names = named_features(names, points.shape[1])
    tried = _fitting_values(tried or usual_numbers(total), algorithm, total)
    algorithm.check_size(total)
    if drawn is None and total > MANY_POINTS:
        drawn = DRAWN_POINTS
    others = None if validation is None else _read_validation(validation, points)
    if standardize:
        from clustervet.fitting.preparation import Preparation

        if others is not None:
            others = standardized(points, others)
        points = Preparation(standardize=True).scaled(points)
    asked = _with_settings(wanted, drawn, seed or 0, others)
    # Without a seed one is drawn all the same: fits at all values then start alike.
    fresh = None if algorithm.has_own_seed else int(np.random.default_rng().integers(2**31))
    plan = CurvePlan(algorithm, asked, ruled, how, noise, fresh if seed is None else seed)
    samples = 0 if algorithm.fixed else samples
    with progress_bar((1 + samples) * len(tried), "clusterings", progress) as tick:
        (every,) = fit_curves(plan, points, [None], tried, n_jobs, tick)
        if all(fit.labels is None for fit in every.fits):
            raise ParameterError(f"{every.fits[0].why}.")
        if algorithm.fixed and max(every.clusters) < 2:
            span = ", ".join(dict.fromkeys(map(value_text, (tried[0], tried[-1]))))
            raise ParameterError(
                f"no value of {show_label(algorithm.parameter)} ({span}) gives two clusters, so "
                "there is nothing to compare."
            )
        stability = None
        if samples:
            stability = stability_of(plan, points, every, samples, seed, n_jobs, tick)
    keys = [record.key for record in records]
    # Of several clusterers, some may cluster other points.
    again = () if all(algorithm.at(value).fixed for value in tried) else asked
    found = Tuning(
        estimator=algorithm.name,
        parameter=algorithm.parameter,
        values=tried,
        measures=tuple(records),
        curves={key: every.curve(key) for key in keys},
        choices=plan.choices(every),
        counts=np.array(every.clusters, np.int64),
        noise=every.noise,
        points=total,
        labels={
            value: fit.labels
            for value, fit in zip(tried, every.fits, strict=True)
            if fit.labels is not None
        },
        reasons={key: [fit.outcomes[key].why for fit in every.fits] for key in keys},
        stability=stability,
        drawn=drawn if any({"sample", "pairs"} & options.keys() for _, options in asked) else None,
        standardized=bool(standardize),
        warned={
            value: fit.warning
            for value, fit in zip(tried, every.fits, strict=True)
            if fit.warning is not None
        },
        dropped=noise == "drop",
        scale_ratio=0.0 if precomputed else scale_ratio(points, how.name),
        folds=max(
            (
                options.get("folds", FOLDS)
                for r, options in again
                if r.key == VALIDATED and plan.refits(r, options)
            ),
            default=0,
        ),
        samples={r.key: repeats(r, options) for r, options in again if r.key in RESAMPLED},
        validation=0 if others is None else int(others.shape[0]),
        fixed=algorithm.fixed,
        settings={value: algorithm.settings_of(value) for value in tried}
        if isinstance(algorithm, GridAlgorithm)
        else {},
    )
    seen = {"drawn": points, "names": names, "precomputed": precomputed}
    seen = seen if table is None else {}
    if found.voted is None:
        return _pictured(found, given, seen)
    by_gower = {} if table is None else {"metric": how.of_points}
    apart = outlying_points(points, found.labels[found.voted], precomputed, **by_gower)
    found = replace(found, outlying=apart)
    if not sets:
        return _pictured(found, given, seen)
    stand_in = ""
    if algorithm.fixed:
        stand_in = "average" if precomputed or table is not None else "kmeans"
        plan = replace(plan, algorithm=read_algorithm(stand_in, metric=how.function or how.name))
        every = replace(every, values=every.clusters)
    with progress_bar(5 * FEW + 1, "sets without clusters", progress) as tick:
        nominal = None if table is None else table.nominal
        compared = compare(plan, points, every, sets, seed or 0, n_jobs, tick, nominal)
    if isinstance(compared, str):
        return _pictured(replace(found, unreferenced=compared), given, seen)
    compared = replace(compared, clusterer=stand_in)
    return _pictured(replace(found, reference=compared), given, seen)


@dataclass(frozen=True)
class Question:
    """What is asked of `tune`, read as far as that needs no data."""

    algorithm: Algorithm
    values: list[Any] | None
    metric: Metric
    measures: Asked
    rules: dict[str, str]
    samples: int
    sets: int
    drawn: int | None
    seed: int | None

    @property
    def precomputed(self) -> bool:
        """Whether points are known by their distances alone."""
        return self.metric.is_own and self.metric.name == "precomputed"


def read_question(
    estimator: Any,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    parameter: str | None,
    values: Iterable[Any] | None,
    measures: Any,
    *,
    grid: Mapping[str, Iterable[Any]] | None,
    metric: Any,
    noise: Any,
    standardize: bool,
    bootstrap: int,
    references: int,
    sample: int | None,
    n_jobs: int | None,
    random_state: Any,
    rules: Mapping[str, str] | None = None,
    validation: Any,
) -> Question:
    """Read what is asked of `tune`; refuse what is wrong whatever the data are.

    `X` only names the points, for labels that functions give, and of `validation` only matters
    whether there is one.
    """
    noise_policies(noise, None)
    how = read_metric(metric)
    by_distance = (how.is_own and how.name == "precomputed") or how.reads_table
    check_standardize(how, standardize)
    if by_distance and validation is not None:
        raise ParameterError(
            Setting("validation"), " is for features; with distances there are none."
        )
    algorithm, tried = _read_estimator(estimator, X, parameter, values, grid, how)
    if tried is None and not algorithm.varies_number:
        raise ParameterError(f"values of {algorithm.parameter} must be given.")
    samples = whole(bootstrap, "bootstrap")
    if samples == 1:
        raise ParameterError(Setting("bootstrap"), " must be 0 or at least 2, not 1.")
    sets = whole(references, "references")
    if 0 < sets < SETS:
        raise ParameterError(Setting("references"), f" must be 0 or at least {SETS}, not {sets}.")
    seed = read_seed(random_state)
    jobs(n_jobs)
    drawn = None if sample is None else whole(sample, "sample", 4)
    if measures is None:
        usual = PAIR_MEASURES if by_distance else DISTANCE_MEASURES
        measures = DENSITY_MEASURES if algorithm.is_density_based else usual
        if validation is not None:
            measures = (*measures, VALIDATED)
    wanted = _read_measures(measures, validated=validation is not None)
    ruled = read_rules(rules, [record for record, _ in wanted])
    return Question(algorithm, tried, how, wanted, ruled, samples, sets, drawn, seed)


def _pictured(found: Tuning, points: Any, seen: Mapping[str, Any]) -> Tuning:
    """Return the tuning with its points in two dimensions, and the profiles of their clusters."""
    labels, said = None, "There are no clusters to show, since no value has the votes."
    if found.voted is not None:
        labels = found.labels[found.voted]
        why = "is suggested" if found.suggestion is not None else "has the votes, but no more"
        said = (
            f"Clusters at {show_label(found.parameter)} = {value_text(found.voted)}, which {why}."
        )
    found = replace(found, picture=tried_points(points, labels, said=said, **seen))
    if found.suggestion is not None:
        return found
    return replace(found, tendency=_tendency(seen.get("drawn", points), seen))


def _tendency(points: Any, seen: Mapping[str, Any]) -> str:
    """Return why there may be nothing to find, where points show no sign of clusters."""
    metric = "precomputed" if seen.get("precomputed") else "euclidean"
    try:
        look = tendency(points, metric=GOWER if isinstance(points, GowerTable) else metric)
    except FeatureError:  # too few points, or all of them equal
        return ""
    return "" if look.answer == "clusters" else look.verdict


def _read_estimator(
    estimator: Any,
    X: Any,  # noqa: N803  # the name that everyone gives to features
    parameter: str | None,
    values: Any,
    grid: Any,
    metric: Metric,
) -> tuple[Algorithm, list[Any] | None]:
    """Return what clusters, and the values to try if there are any."""
    several = isinstance(estimator, list | tuple)
    if grid is not None or several:
        if values is not None or parameter is not None:
            raise ParameterError(
                "a grid has its parameters and values; leave parameter and values out."
            )
        if several and len(estimator) == 1:
            several, (estimator,) = False, estimator
        if several or not isinstance(grid, Mapping) or len(grid) != 1:
            found_grid = read_grid(estimator, grid, metric.function or metric.name, X)
            return found_grid, list(found_grid.combinations)
        ((parameter, values),) = grid.items()
    of_grid = None if grid is None else read_function_at(estimator, parameter, X)
    found = of_grid or read_given(estimator, parameter, X)
    if found is None:
        named = NUMBERS[0] if parameter is None else parameter
        algorithm = read_algorithm(estimator, named, metric.function or metric.name)
        return algorithm, None if values is None else _read_values(values, algorithm)
    if found.held is not None:
        if values is not None:
            raise ParameterError(
                "given labels have their values; leave ", Setting("values"), " and grid out."
            )
        values = found.held
    tried = None if values is None else _read_values(values, found)
    check_values(tried or [], found.parameter)
    return found, tried


def _read_values(values: Any, algorithm: Algorithm) -> list[Any]:
    """Return the values to try: numbers rising, others in their order; each value once."""
    name = algorithm.parameter
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ParameterError(
            f"values must be several values of {name}, such as range(2, 21), not {values!r}."
        )
    try:
        listed = list(dict.fromkeys(plain_label(value) for value in values))
    except TypeError:
        raise ParameterError("values must be single values, not lists or arrays.") from None
    if not listed:
        raise ParameterError(f"values is empty; give at least one value of {name}.")
    return sorted(listed) if all(is_number(value) for value in listed) else listed


def _fitting_values(tried: Sequence[Any], algorithm: Algorithm, points: int) -> list[Any]:
    """Return the values, unless one asks for more clusters than there are points."""
    most = tried[-1]
    if algorithm.varies_number and is_number(most) and most > points:
        raise ParameterError(
            f"{algorithm.parameter}={most:g} asks for more clusters than the {points:,} points."
        )
    return list(tried)


def _read_validation(validation: Any, points: Any) -> Any:
    """Return the points of a validation set, with the features of the others."""
    others = read_points(validation, "validation")
    if others.shape[1] != points.shape[1]:
        raise FeatureError(
            f"validation has {others.shape[1]:,} features, and X has {points.shape[1]:,}."
        )
    return others


def _read_measures(measures: Any, *, validated: bool) -> Asked:
    """Return the records of internal measures, each with the parameters that the user gave."""
    named = dict(measures) if isinstance(measures, Mapping) else None
    records = _records(list(named) if named else measures)
    if not records:
        raise ParameterError("measures is empty; name at least one.")
    given = list(named.values()) if named else [{}] * len(records)
    if len(given) != len(records):
        raise ParameterError("measures names a measure twice.")
    for record, options in zip(records, given, strict=True):
        if record.key in RESAMPLED:
            check_resampled(record, dict(options or {}))
            continue
        if record.kind != "internal":
            raise ParameterError(f"{record.key} needs a second labeling, not features.")
        check_options(dict(options or {}), list(record.parameters), record.key)
    if validated and all(record.key != VALIDATED for record in records):
        raise ParameterError(Setting("validation"), f" is for {VALIDATED}, which is not asked for.")
    return tuple((record, dict(own or {})) for record, own in zip(records, given, strict=True))


def _records(names: Any) -> list[Measure]:
    """Return measures by name: those of the registry, and those that judge the clusterer."""
    one = isinstance(names, str) or callable(names) or not isinstance(names, Iterable)
    listed = [names] if one else list(names)
    found = []
    for name in listed:
        near = nearest(name, RESAMPLED) if isinstance(name, str) and name not in registry else []
        if near and near[0] != name:
            raise ParameterError(
                f"there is no measure {show_label(name)!r}; did you mean {near[0]}?"
            )
        found.append(RESAMPLED[name] if near else registry.select([name])[0])
    return list({record.key: record for record in found}.values())


def _with_settings(wanted: Asked, drawn: int | None, seed: int, others: Any) -> Asked:
    """Return measures with the parameters that follow from the data, where they take them."""
    defaults = (
        {"random_state": seed}
        | ({} if drawn is None else {"sample": drawn, "pairs": drawn})
        | ({} if others is None else {"validation": others})
    )
    return tuple(
        (record, {name: defaults[name] for name in defaults if name in record.parameters} | own)
        for record, own in wanted
    )
