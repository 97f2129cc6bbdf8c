"""`stability`: whether the clusters of a clusterer come back in samples of the points."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number, jobs, one_of, whole
from clustervet._checks import share as read_share
from clustervet.ensemble import Ensemble
from clustervet.ensemble.cluster_stability import Stability, StabilityCount, clusters_of
from clustervet.ensemble.labelings import Labelings, given_labelings
from clustervet.errors import FeatureError, LabelError, ParameterError, Setting
from clustervet.fitting.algorithms import NUMBERS, Algorithm, read_algorithm, read_seed
from clustervet.fitting.features import read_features
from clustervet.fitting.fits import FitTask, fit_row, progress_bar, run_fits
from clustervet.fitting.given import FunctionOfPoints, read_function_of_points
from clustervet.geometry.gower import gower_table
from clustervet.geometry.metrics import Metric, check_standardize, read_metric
from clustervet.geometry.points import is_sparse, read_distances, standardized
from clustervet.labels import check_index, read_labels, show_label
from clustervet.labels.keyed import ordered_as
from clustervet.view.words import counted

How = Literal["bootstrap", "subset", "jitter"]
HOW = ("subset", "bootstrap", "jitter")
SAMPLES = 100
# Points that half of the clusters keep at least in a subset, and the least and largest share of the
# points. Chance details of the points decide where a cut through one group lies, and large samples
# share them with all points (studies/cluster_stability.py).
KEPT = 10
LEAST, MOST = 0.05, 0.5
# The same for a clusterer that estimates covariances, for each feature.
PER_FEATURE = 3
# Of the gaps between neighbouring points in a principal direction, the quantile that jitter has
# as its standard deviation there (Hennig 2007, §3.4).
JITTER = 0.05
NOISE = -1


def stability(
    clusterer: Any,
    X: Any = None,  # noqa: N803  # the name that everyone gives to features
    labels: Any = None,
    *,
    how: How | None = None,
    samples: int = SAMPLES,
    clusters: int | None = None,
    share: float | None = None,
    metric: Any = "euclidean",
    noise: Any = NOISE,
    standardize: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: bool = True,
) -> Stability:
    """Judge each cluster by how well it comes back when the data change a little.

    Parameters
    ----------
    clusterer : str, class, object, callable, Ensemble, list, mapping or data frame
        The name of an algorithm, such as "kmeans" or "ward"; any scikit-learn clusterer or
        pipeline; or a function that takes points and returns their labels, and gets a seed if it
        has an argument ``random_state`` or ``seed``. It clusters all points, and then samples of
        them. Or labelings of the same objects that were made before, such as runs of one
        algorithm, as in `Ensemble`: sequences, or labels or groups by the names of the objects. An
        object that is not in a run has a missing label there.
    X : array-like, sparse matrix or data frame, optional
        Points by features; with ``metric="precomputed"``, the distances of all pairs of points.
        A clusterer needs it, and labelings go without it.
    labels : array-like, str or int, optional
        The finished clustering that is judged. By default the clusterer makes it from all points;
        among labelings it is the medoid. It may be the name or the position of a labeling. Beside
        labelings by the names of the objects it is by these names too.
    how : {"subset", "bootstrap", "jitter"}, optional
        What is clustered again. "subset" draws a share of the points; "bootstrap" draws as many
        points as there are with replacement and takes each of those drawn once, which are 63% of
        them; "jitter" moves all points a little. By default "subset" for a clusterer that has a
        number of clusters, and "bootstrap" for others, which may look for dense regions.
    samples : int, optional
        How many samples are clustered.
    clusters : int, optional
        The number of clusters, for an algorithm that is given by name; for others, another one.
    share : float, optional
        The share of the points in a subset. By default the one that leaves the median cluster 10
        points, or three per feature if covariances are estimated; from a twentieth to half.
    metric : str or callable, optional
        The distance of two points, for an algorithm that is given by name. "gower" is for data
        frames with columns of any kind and for the clusterers that `tune` takes with it; a function
        gets points whose Manhattan distances are Gower's.
    noise : label, optional
        The label of noise, which is no cluster; None if no label means noise.
    standardize : bool, optional
        Whether every feature gets mean 0 and variance 1 first; sparse features keep their zeros.
    n_jobs : int, optional
        How many fits run at once; -1 uses all cores. The answer is the same for any number.
    random_state : int or numpy.random.Generator, optional
        The seed of the samples and of the fits.
    progress : bool, optional
        Whether a terminal shows a progress bar.

    Returns
    -------
    Stability
        For each cluster its mean Jaccard index, and how often it was dissolved and recovered; for
        each object how often it stayed with its cluster.

    Raises
    ------
    FeatureError
        If the points cannot be read, or there are fewer than three.
    LabelError
        If labels cannot be read, there is not one per object, or there is no cluster.
    ParameterError
        If an option is unknown or out of range, or the clusterer refuses all points or all
        samples.

    Notes
    -----
    In each sample a cluster is compared, among the objects of the sample, with the cluster that
    has the largest Jaccard index with it; the mean over the samples is its stability (Hennig
    2007). From 0.75 on it is called stable, and from 0.85 on highly stable; between 0.6 and 0.75
    there is a pattern, but which objects belong to it is doubtful (Hennig 2008). A sample counts
    as dissolving a cluster if the index is at most 0.5, and as recovering it above 0.75.

    Small subsets tell cuts through one group from clusters best: chance details of the points,
    which decide where such a cut lies, are then different in each sample. A bootstrap sample has
    most of them.

    R's ``fpc::clusterboot`` has the same schemes ("boot", "subset", "jitter") and thresholds. It
    gives a cluster that no object of a sample belongs to the index 0; here such a sample says
    nothing about the cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(c, 1, (60, 2)) for c in ((0, 0), (20, 0), (0, 20))])
    >>> found = stability(KMeans(4, n_init=10), X, samples=20, random_state=0)
    >>> found.verdict
    '2 of 4 clusters are stable; unstable: 1, 3.'
    >>> stability([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 2]]).clusters[0].jaccard
    1.0
    """
    if not _is_clusterer(clusterer):
        if X is not None:
            raise ParameterError(
                "labelings are compared as they are, without X. To judge given labels by samples, "
                "give the clusterer, X and the labels."
            )
        return _of_labelings(clusterer, labels, noise)
    plan = read_plan(clusterer, clusters, how, samples, share, metric)
    if X is None:
        raise FeatureError("a clusterer needs X, the points that it clusters.")
    check_standardize(plan.metric, standardize)
    seed, n_jobs = read_seed(random_state), jobs(n_jobs)
    points: Any
    if plan.metric.reads_table:
        points = gower_table(X).dense
    else:
        points = read_distances(X) if plan.square else read_features(X, clusterer)
    if points.shape[0] < 3:
        raise FeatureError(f"stability needs at least 3 points; X has {points.shape[0]}.")
    if plan.how == "jitter" and is_sparse(points):
        raise ParameterError(Setting("how", "jitter"), " is for dense features.")
    plan.algorithm.check_size(points.shape[0])
    points = standardized(points) if standardize else points
    if labels is None:
        labels = _fitted(plan, points, seed)
    check_index({"X": X, "labels": labels})
    count = StabilityCount(labels, noise)
    if len(count.labels) != points.shape[0]:
        raise LabelError(
            f"labels has {len(count.labels):,} labels, and X has {points.shape[0]:,} points."
        )
    if share is None:
        kept = plan.kept(points.shape[1]) / float(np.median(count.sizes))
        plan = replace(plan, share=min(MOST, max(LEAST, kept)))
    failed: Counter[str] = Counter()
    with progress_bar(plan.samples, "samples", progress) as tick:
        tasks = _tasks(plan, points, seed)
        with closing(run_fits(tasks, n_jobs, ordered=True)) as fits:
            for fit in fits:
                if fit.labels is None:
                    failed[str(fit.error).rstrip(".")] += 1
                else:
                    count.add(clusters_of(fit.labels, noise), fit.key)
                tick()
    if sum(failed.values()) == plan.samples:
        raise ParameterError(f"{plan.algorithm.name} refuses all samples: {next(iter(failed))}.")
    return count.result(plan.words(points.shape[0]), dict(failed), plan.remark)


@dataclass(frozen=True)
class StabilityPlan:
    """What clusters, and which samples it clusters."""

    algorithm: Algorithm
    how: How
    samples: int
    share: float
    metric: Metric
    value: Any

    @property
    def square(self) -> bool:
        """Whether points are known by their distances alone."""
        return self.metric.name == "precomputed"

    def words(self, points: int) -> str:
        """Return what the samples are, in a few words."""
        many = {
            "bootstrap": counted(self.samples, "bootstrap sample"),
            "subset": f"{counted(self.samples, 'sample')} of {self.size(points):,} points",
            "jitter": f"{counted(self.samples, 'sample')} with jitter",
        }[self.how]
        value = f", {self.algorithm.parameter} {self.value}" * bool(self.algorithm.parameter)
        return f"{show_label(self.algorithm.name)}{value}: {many}"

    @property
    def remark(self) -> str:
        """What a reader must know about samples of a clusterer that looks for dense regions."""
        if self.how == "jitter" or not self.algorithm.is_density_based:
            return ""
        return (
            "Samples are less dense than the data, so a clusterer that looks for dense regions may "
            "lose clusters in them; jitter keeps all points."
        )

    def kept(self, features: int) -> int:
        """Return how many points a cluster needs; for covariances, some for each feature."""
        held = {} if isinstance(self.algorithm, FunctionOfPoints) else self._parameters
        covariances = any(name.rpartition("__")[2] == "covariance_type" for name in held)
        return max(KEPT, PER_FEATURE * (features + 1)) if covariances else KEPT

    @property
    def _parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = self.algorithm.template.get_params()
        return found

    def size(self, points: int) -> int:
        """Return the number of points in a subset."""
        return max(2, round(self.share * points))


def _is_clusterer(given: Any) -> bool:
    if isinstance(given, str) or inspect.isclass(given) or hasattr(given, "fit_predict"):
        return True
    return callable(given) and not isinstance(given, Ensemble | Labelings)


def read_plan(
    clusterer: Any, clusters: Any, how: Any, samples: Any, share: Any, metric: Any
) -> StabilityPlan:
    """Return what clusters, and how; refuse what is wrong whatever the points are."""
    if how is not None:
        one_of(how, "how", HOW)
    read = read_metric(metric)
    if how == "jitter" and (read.name == "precomputed" or read.reads_table):
        raise ParameterError(Setting("how", "jitter"), " is for features, not for distances.")
    if share is not None and how in ("jitter", "bootstrap"):
        raise ParameterError(Setting("share"), " goes with ", Setting("how", "subset"), ".")
    wanted = whole(samples, "samples", 2)
    part = MOST if share is None else read_share(share, "share")
    # One cluster of all points is found in every sample.
    number = None if clusters is None else whole(clusters, "clusters", 2)
    if callable(clusterer) and not inspect.isclass(clusterer):
        algorithm: Algorithm = read_function_of_points(clusterer)
        if number is not None:
            raise ParameterError("a function has its number of clusters; leave clusters out.")
    else:
        parameter = None if number is None else NUMBERS[0]
        algorithm = read_algorithm(clusterer, parameter, read.function or read.name)
        if number is None and isinstance(clusterer, str) and _takes_number(algorithm):
            raise ParameterError(
                f"{show_label(clusterer)} needs a number of clusters: give ",
                Setting("clusters"),
                ".",
            )
    way: How = how or ("subset" if _takes_number(algorithm) else "bootstrap")
    return StabilityPlan(algorithm, way, wanted, part, read, number)


def _takes_number(algorithm: Algorithm) -> bool:
    """Return whether a clusterer has a number of clusters."""
    if isinstance(algorithm, FunctionOfPoints):
        return False
    held = algorithm.template.get_params()
    return any(is_number(held[name]) for name in held if name.rpartition("__")[2] in NUMBERS)


def _fitted(plan: StabilityPlan, points: Any, seed: int | None) -> NDArray[Any]:
    """Return the clusters of all points."""
    made = [(plan.algorithm.made(plan.value, seed), None, seed)]
    (fit,) = fit_row(points, made)
    if fit.labels is None:
        raise ParameterError(f"{plan.algorithm.name} fails: {str(fit.error).rstrip('.')}.")
    return np.asarray(fit.labels)


def _tasks(plan: StabilityPlan, points: Any, seed: int | None) -> Iterator[tuple[FitTask, Any]]:
    """Yield the fit of each sample with its points; the key is the places of the points."""
    n = points.shape[0]
    moves = _jitter(points) if plan.how == "jitter" else None
    for stream in np.random.SeedSequence(seed).spawn(plan.samples):
        rng = np.random.default_rng(stream)
        own = None if seed is None and plan.algorithm.has_own_seed else int(rng.integers(2**31))
        if moves is not None:
            task = FitTask(None, plan.algorithm, plan.value, own)
            yield task, points + rng.standard_normal(points.shape) @ moves
            continue
        if plan.how == "bootstrap":
            rows = np.unique(rng.integers(n, size=n))
        else:
            rows = np.sort(rng.choice(n, plan.size(n), replace=False))
        drawn = points[np.ix_(rows, rows)] if plan.square else points[rows]
        yield FitTask(rows, plan.algorithm, plan.value, own), drawn


def _jitter(points: NDArray[Any]) -> NDArray[np.float64]:
    """Return the matrix that turns standard normal noise into noise of the size of small gaps."""
    spread = np.atleast_2d(np.cov(points, rowvar=False))
    axes = np.linalg.eigh(spread)[1]
    gaps = np.diff(np.sort(points @ axes, axis=0), axis=0)
    sizes = [np.quantile(gap[gap > 0], JITTER) if (gap > 0).any() else 0.0 for gap in gaps.T]
    return np.asarray(np.array(sizes)[:, None] * axes.T)


def _of_labelings(labelings: Any, labels: Any, noise: Any) -> Stability:
    """Compare labelings that were made before with one of them, or with other labels."""
    runs, ids = _runs(labelings)
    names, aside = list(runs), None
    if labels is None:
        is_read = isinstance(labelings, Ensemble)
        ensemble = labelings if is_read else Ensemble(runs, shared=True)
        aside = ensemble.medoid.name
    elif isinstance(labels, str):
        aside = one_of(labels, "labels", names)
    elif is_number(labels):
        aside = names[whole(labels, "labels", 0, len(names) - 1)]
    others = [name for name in names if name != aside]
    if not others:
        raise LabelError("one labeling has nothing to be compared with; give at least two.")
    both = "a labeling", "labels"
    judged = ordered_as(ids, labels, both) if aside is None else runs[aside]
    count = StabilityCount(judged, noise, ids)
    for name in others:
        codes = read_labels(runs[name], f"labeling {show_label(name)!r}")
        if len(codes) != len(count.labels):
            raise LabelError(
                f"labeling {show_label(name)!r} has {len(codes):,} labels, and the clustering that "
                f"is judged has {len(count.labels):,}."
            )
        found = clusters_of(codes, noise)
        rows = None if codes.missing is None else np.flatnonzero(~codes.missing)
        count.add(found if rows is None else found[rows], rows)
    beside = "" if aside is None else f" beside {show_label(aside)}"
    return count.result(f"{counted(len(others), 'labeling')}{beside}")


def _runs(labelings: Any) -> tuple[dict[str, Any], tuple[Any, ...] | None]:
    """Return labels by the name of the labeling, and the names of the objects if these have names.

    Labelings that are read already have their codes.
    """
    many = labelings.labelings if isinstance(labelings, Ensemble) else labelings
    if not isinstance(many, Labelings):
        objects, given = given_labelings(many, "drop")
        return {name: labels for name, _, labels in given}, objects
    return {
        name: np.ma.masked_array(codes.astype(np.int64), ~many.labelled(k))
        for k, (name, codes) in enumerate(zip(many.names, many.codes, strict=True))
    }, many.left
