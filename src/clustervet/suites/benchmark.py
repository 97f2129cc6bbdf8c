"""`benchmark`: algorithms over data sets and runs, scored by the truth."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_number, jobs, one_of, share, whole
from clustervet.contingency import Contingency
from clustervet.errors import (
    FeatureError,
    FileError,
    LabelError,
    MemoryLimitError,
    ParameterError,
)
from clustervet.fitting.algorithms import Algorithm, read_algorithms, read_seed
from clustervet.fitting.fits import Fit, FitTask, fit_tasks, progress_bar
from clustervet.fitting.journal import Identity, Journal, made_fits
from clustervet.labels import show_label
from clustervet.registry import Measure, MeasureFunction, measures
from clustervet.suites.ranking import POSTHOCS
from clustervet.suites.result import Benchmark, BenchmarkScore, BenchmarkSet
from clustervet.suites.sets import LoadedSet, Made, SetSource, Truth, read_made, read_sets
from clustervet.view.words import counted

# The algorithms that are run by default.
USUAL = ("kmeans", "gmm", "ward", "average", "complete", "single")
NOISE = -1
NOISES = ("keep", "singletons")
TRUTHS = ("best", "mean")
# The number of clusters of an algorithm that finds it itself, as part of the name of a fit.
OWN = 0
# Bytes of the longest file name, without its ending.
LONGEST = 200


def benchmark(
    sets: Any,
    algorithms: Any = None,
    runs: int = 10,
    *,
    labels: Any = None,
    measure: str | Measure | MeasureFunction = "variation_of_information",
    clusters: str | int | Iterable[int] = "truth",
    truths: str = "best",
    truth_noise: Any = "auto",
    noise: str | None = None,
    label: str | Sequence[str] | None = None,
    standardize: bool = False,
    posthoc: str = "nemenyi",
    alpha: float = 0.05,
    rope: float = 0.0,
    confidence: float = 0.95,
    journal: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    random_state: Any = 0,
    progress: bool = True,
) -> Benchmark:
    """Run algorithms on data sets with known classes, and rank them.

    For each data set and algorithm the mean distance to the truth over the runs is found, with its
    interval. Over data sets, algorithms are compared by their ranks.

    Parameters
    ----------
    sets : mapping or path
        Data sets by name: points with a true labeling, ``(X, y)``, or with several,
        ``(X, y0, y1)``; or a bundle with ``data`` and ``target``, as scikit-learn loads them. Or
        the path of a folder: files ``NAME.data.gz`` with ``NAME.labels0.gz``,
        ``NAME.labels1.gz``, and so on; or tables with `label` columns.
    algorithms : str, list or mapping, optional
        Algorithms by name, or clusterers of scikit-learn's kind, such as
        ``{"kmeans": KMeans()}``. Those given by name start once in each run. By default kmeans,
        gmm, ward, average, complete and single, or none if there are `labels`.
    runs : int, optional
        Fits of each algorithm that has a seed, with different seeds.
    labels : mapping or path, optional
        Clusterings that were made before, such as ``{"mine": {"iris": labels}}``, where labels are
        one labeling or a list of them, one per run; or the path of a folder with one folder per
        algorithm, which has a file ``NAME.csv`` with one column per run, or
        ``NAME.result3.gz`` for the number of clusters 3.
    measure : str, Measure or callable, optional
        The external measure that scores clusterings.
    clusters : {"truth", "own"}, int or iterable of int, optional
        The number of clusters that algorithms are asked for: that of the classes of the truth,
        whatever number they had themselves, or their own. With several numbers all are tried, and
        the one with the best mean counts for each algorithm and data set.
    truths : {"best", "mean"}, optional
        How the scores by several truths of a data set become one.
    truth_noise : label or list of labels, optional
        Labels of the truth that mean noise; such objects count in no score. By default 0 in files
        ``NAME.labels0.gz``, and none elsewhere.
    noise : {"keep", "singletons"}, optional
        What points that an algorithm labels -1 are: one more cluster, or a cluster each.
    label : str or list of str, optional
        The columns of true labelings in a folder of tables.
    standardize : bool, optional
        Whether features get mean 0 and variance 1 first.
    posthoc : {"nemenyi", "wilcoxon"}, optional
        The test of pairs of algorithms: by mean ranks, or by signed ranks with Holm's correction.
        Two algorithms alone are always compared by signed ranks.
    alpha : float, optional
        Largest probability that the tests find any difference where there is none.
    rope : float, optional
        Differences of scores up to which two algorithms are equal in practice: they are ties, and
        have a probability of their own in the Bayesian comparison.
    confidence : float, optional
        Level of the intervals over runs.
    journal : path, optional
        A folder that gets a journal for each data set. Every fit is written there at once, and a
        benchmark that was interrupted goes on from it.
    n_jobs : int, optional
        Fits that run at once.
    random_state : int, Generator or None, optional
        What the seeds of the fits follow from.
    progress : bool, optional
        Whether a bar is shown on a terminal.

    Returns
    -------
    Benchmark
        Scores, ranks and tests.

    Raises
    ------
    ParameterError
        If an option is not one of those above, or the measure has no direction.
    LabelError, FeatureError
        If a data set cannot be read.
    FileError
        If a file is missing or cannot be read.

    Notes
    -----
    Mean ranks are compared by the Friedman test, then pairs by Nemenyi's test (Demšar 2006): two
    algorithms differ if their mean ranks over N data sets differ by

    CD = q sqrt(k (k + 1) / (6 N)),

    where q is the quantile of the studentized range of k algorithms, divided by sqrt(2). Pairs are
    compared by the Bayesian signed-rank test as well (Benavoli et al. 2014). To compare algorithms
    by their distances to a truth over runs is what Meilă 2007, §1, sets out from.

    Examples
    --------
    >>> import clustervet as cv
    >>> from sklearn.datasets import load_iris, load_wine
    >>> data = {"iris": load_iris(), "wine": load_wine()}
    >>> found = cv.benchmark(data, ["kmeans", "ward"], runs=3, standardize=True)
    >>> found.ranks
    {'kmeans': 1.5, 'ward': 1.5}
    """
    record = measures[measure] if isinstance(measure, str) else getattr(measure, "record", measure)
    if not isinstance(record, Measure) or record.kind != "external" or record.better == "neither":
        raise ParameterError(
            "measure must be an external measure with a direction, such as "
            "'variation_of_information' or 'adjusted_rand'."
        )
    numbers = _read_clusters(clusters)
    runs = whole(runs, "runs", 1)
    one_of(truths, "truths", TRUTHS)
    one_of(posthoc, "posthoc", POSTHOCS)
    policy = None if noise is None else one_of(noise, "noise", NOISES)
    if not is_number(rope) or not 0 <= rope < math.inf:
        raise ParameterError(f"rope must be a number from 0 on, not {rope!r}.")
    alpha, confidence = share(alpha, "alpha"), share(confidence, "confidence")
    given, n_jobs = read_seed(random_state), jobs(n_jobs)
    seed = int(np.random.default_rng().integers(2**32)) if given is None else given
    sources = read_sets(sets, label, truth_noise)
    contestants: tuple[Algorithm, ...] = ()
    if algorithms is not None or labels is None:
        contestants = read_algorithms(USUAL if algorithms is None else algorithms, numbered=False)
    if numbers == "own":
        contestants = tuple(replace(one, parameter="") for one in contestants)
    made = read_made(labels, [source.name for source in sources])
    names = [*(one.name for one in contestants), *made]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError(f"{show_label(name)!r} is an algorithm and in labels too.")
    if len(names) == 0:
        raise ParameterError("there is no algorithm; name one, or give labels.")
    study = _Study(record, numbers, truths, policy, tuple(names), runs, confidence)
    # All sets are looked at before anything is fitted, so that nothing is found wrong after hours.
    facts = [study.check(source, contestants, made) for source in sources]
    folder = None if journal is None else _folder(journal)
    total = sum(len(study.tasks(contestants, one.classes, seed)) for one in facts)
    with progress_bar(total, "fits", progress) as tick:
        for source, one in zip(sources, facts, strict=True):
            loaded = source.load()
            tasks = study.tasks(contestants, one.classes, seed)
            path = folder and os.path.join(folder, f"{_file_name(source.name)}.db")
            with closing(
                _fits(loaded, tasks, contestants, standardize, path, n_jobs, seed)
            ) as fits:
                for fit in fits:
                    study.add(source.name, loaded, fit)
                    tick()
            study.add_made(source.name, loaded, made)
    return Benchmark(
        measure=record,
        sets=tuple(facts),
        algorithms=study.names,
        scores=tuple(study.score(one.name, name) for one in facts for name in study.names),
        runs=runs,
        clusters=_described(numbers),
        truths=truths,
        posthoc=posthoc,
        alpha=alpha,
        rope=float(rope),
        confidence=confidence,
        seed=seed,
        remarks=tuple(_remarks(facts, numbers, standardize)),
        noise_as_cluster=study.noise_as_cluster,
        seconds=study.seconds,
    )


def _read_clusters(clusters: Any) -> str | tuple[int, ...]:
    if isinstance(clusters, str):
        return str(one_of(clusters, "clusters", ("truth", "own")))
    several = clusters if isinstance(clusters, Iterable) else [clusters]
    numbers = sorted({whole(number, "clusters", 1) for number in several})
    if not numbers:
        raise ParameterError("clusters is empty; give at least one number of clusters.")
    return tuple(numbers)


def _described(numbers: str | tuple[int, ...]) -> str:
    if isinstance(numbers, str):
        return {"truth": "that of the truth", "own": "as each algorithm is set"}[numbers]
    if len(numbers) == 1:
        return str(numbers[0])
    return f"the best of {len(numbers)} from {numbers[0]} to {numbers[-1]}"


def _remarks(
    facts: Sequence[BenchmarkSet], numbers: str | tuple[int, ...], standardize: bool
) -> Iterator[str]:
    if not isinstance(numbers, str) and len(numbers) > 1:
        yield (
            "The number of clusters was chosen by the truth, so scores are better than a user "
            "without the truth would get."
        )
    if standardize:
        yield "Features are standardized."
    noisy = sum(one.noise > 0 for one in facts)
    if noisy:
        yield (
            f"Objects that the truth calls noise are left out of scores in "
            f"{counted(noisy, 'data set')}."
        )


def _folder(path: str | os.PathLike[str]) -> str:
    text = os.path.abspath(os.fspath(path))
    try:
        os.makedirs(text, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"the folder {show_label(text, 200)} of journals cannot be made: {error.strerror}."
        ) from None
    return text


def _file_name(name: str) -> str:
    """Return a name that every file system takes, and that no other data set has."""
    quoted = quote(name, safe=" ", errors="surrogatepass").replace(".", "%2E")
    if len(quoted) <= LONGEST:
        return quoted
    return f"{quoted[:LONGEST]} {hashlib.sha256(quoted.encode()).hexdigest()[:16]}"


def _fits(
    loaded: LoadedSet,
    tasks: Mapping[Any, FitTask],
    contestants: Sequence[Algorithm],
    standardize: bool,
    path: str | None,
    n_jobs: int | None,
    seed: int,
) -> Generator[Fit, None, None]:
    """Yield the fits of one data set: those of its journal, then the others."""
    if not tasks:
        return
    from clustervet.fitting.preparation import Preparation

    preparation = Preparation.read("none", 0, standardize)
    scaled = preparation.scaled(loaded.points)
    refused = {a.name: text for a in contestants if (text := _refused(a, loaded.objects))}
    for key, task in tasks.items():
        if key[0] in refused:
            yield Fit(key, task.seed, None, 0.0, refused[key[0]])
    wanted = {key: task for key, task in tasks.items() if key[0] not in refused}
    with nullcontext() if path is None else Journal(path) as held:
        kept = set()
        if held:
            settings = {a.name: a.settings(preparation.described(a)) for a in contestants}
            held.begin(Identity.of(loaded.points, seed, settings))
            for fit in held.kept(wanted):
                kept.add(fit.key)
                yield fit
        rest = [task for key, task in wanted.items() if key not in kept]
        inputs = preparation.inputs(scaled, [task.algorithm for task in rest]) if rest else {}
        with closing(made_fits(rest, inputs, held, n_jobs)) as fits:
            yield from fits


def _refused(algorithm: Algorithm, points: int) -> str:
    """Return why an algorithm cannot be fitted to this number of points; empty if it can."""
    try:
        algorithm.check_size(points)
    except MemoryLimitError as error:
        return show_label(str(error), 300)
    return ""


@dataclass
class _Study:
    """How fits become scores, and all values so far."""

    measure: Measure
    numbers: str | tuple[int, ...]
    truths: str
    noise: str | None
    names: tuple[str, ...]
    runs: int
    confidence: float
    # By set and algorithm, then by number of clusters and run: one value per truth, or nan.
    values: dict[tuple[str, str], dict[tuple[int, int], dict[int, float]]] = field(
        default_factory=dict
    )
    errors: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    noise_as_cluster: dict[str, tuple[int, int]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def check(
        self, source: SetSource, contestants: Sequence[Algorithm], made: Made
    ) -> BenchmarkSet:
        """Return what is known about a data set, or refuse it."""
        loaded = source.load()
        shown = show_label(source.name)
        if loaded.points is None and contestants:
            raise FeatureError(f"the set {shown!r} has no points, which algorithms need.")
        for algorithm, by_set in made.items():
            for labelings in by_set.get(source.name, {}).values():
                for labels in labelings:
                    if len(labels) != loaded.objects:
                        raise LabelError(
                            f"labels of {show_label(algorithm)!r} for the set {shown!r} has "
                            f"{len(labels):,} labels for {loaded.objects:,} objects."
                        )
        classes = tuple(truth.classes for truth in loaded.truths)
        for number in self._asked(classes):
            if number > loaded.objects:
                raise ParameterError(
                    f"clusters asks for {number:,} clusters, which is more than the "
                    f"{loaded.objects:,} points of the set {shown!r}."
                )
        width = None if loaded.points is None else int(loaded.points.shape[1])
        return BenchmarkSet(source.name, loaded.objects, width, classes, loaded.noise)

    def _asked(self, classes: Sequence[int]) -> list[int]:
        if self.numbers == "truth":
            return sorted(set(classes))
        return [OWN] if isinstance(self.numbers, str) else list(self.numbers)

    def tasks(
        self, contestants: Sequence[Algorithm], classes: Sequence[int], seed: int
    ) -> dict[Any, FitTask]:
        """Return the fits of a data set whose truths have these numbers of classes."""
        asked = [
            (algorithm, number)
            for algorithm in contestants
            for number in (self._asked(classes) if algorithm.parameter else [OWN])
        ]
        return fit_tasks(asked, self.runs, seed)

    def add(self, name: str, loaded: LoadedSet, fit: Fit) -> None:
        """Score a fit by the truths that it belongs to."""
        algorithm, number, run = fit.key
        self.seconds[algorithm] = self.seconds.get(algorithm, 0.0) + fit.seconds
        if fit.labels is None:
            self.errors.setdefault((name, algorithm), []).append(fit.error or "")
            return
        self._add(name, algorithm, number, run, loaded, fit.labels)

    def add_made(self, name: str, loaded: LoadedSet, made: Made) -> None:
        """Score the clusterings of a data set that were made before."""
        for algorithm, by_set in made.items():
            for number, labelings in by_set.get(name, {}).items():
                for run, labels in enumerate(labelings):
                    self._add(name, algorithm, number or OWN, run, loaded, labels)

    def _add(
        self,
        name: str,
        algorithm: str,
        number: int,
        run: int,
        loaded: LoadedSet,
        labels: NDArray[Any],
    ) -> None:
        held = self.values.setdefault((name, algorithm), {})
        for place, truth in enumerate(loaded.truths):
            if self.numbers == "truth" and number not in (OWN, truth.classes):
                continue
            # By the truth's number, the fits of all truths are one row of scores.
            key = (OWN if self.numbers == "truth" else number), run
            held.setdefault(key, {})[place] = self._value(truth, labels)
        noisy = int((labels == NOISE).sum()) if self.noise is None else 0
        if noisy > self.noise_as_cluster.get(algorithm, (0, 0))[0]:
            self.noise_as_cluster[algorithm] = noisy, loaded.objects

    def _value(self, truth: Truth, labels: NDArray[Any]) -> float:
        pred = labels if truth.kept is None else labels[truth.kept]
        policy = None if self.noise is None else {NOISE: self.noise}
        table = Contingency.from_labels(truth.codes, pred, noise=policy)
        return float(self.measure.evaluate(table).value)

    def score(self, name: str, algorithm: str) -> BenchmarkScore:
        """Return what an algorithm reached on a data set."""
        errors = self.errors.get((name, algorithm), [])
        by_number: dict[int, list[float]] = {}
        for (number, _), found in sorted(self.values.get((name, algorithm), {}).items()):
            by_number.setdefault(number, []).append(self._over_truths(list(found.values())))
        means = {number: math.fsum(held) / len(held) for number, held in by_number.items()}
        sign = 1.0 if self.measure.better == "lower" else -1.0
        defined = [number for number, mean in means.items() if not math.isnan(mean)]
        if not defined:
            values = tuple(next(iter(by_number.values()), ()))
            why = errors[0] if errors else ("the measure is undefined" if values else "no labels")
            return BenchmarkScore(
                name, algorithm, None, values, math.nan, None, None, len(errors), why
            )
        chosen = min(defined, key=lambda number: (sign * means[number], number))
        held = by_number[chosen]
        ends = _student(held, means[chosen], self.confidence)
        least, largest = self.measure.bounds
        low, high = (None if end is None else min(max(end, least), largest) for end in ends)
        several = not isinstance(self.numbers, str) and chosen != OWN
        return BenchmarkScore(
            name,
            algorithm,
            chosen if several else None,
            tuple(held),
            means[chosen],
            low,
            high,
            len(errors),
            errors[0] if errors else None,
        )

    def _over_truths(self, values: list[float]) -> float:
        if self.truths == "mean" or any(map(math.isnan, values)):
            return math.fsum(values) / len(values)
        best: Callable[..., float] = min if self.measure.better == "lower" else max
        return best(values)


def _student(
    values: Sequence[float], mean: float, confidence: float
) -> tuple[float | None, float | None]:
    """Return the interval of a mean by Student's t; none for one value."""
    if len(values) < 2:
        return None, None
    from scipy.special import stdtrit

    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
    reach = float(stdtrit(len(values) - 1, (1 + confidence) / 2)) * spread / math.sqrt(len(values))
    return mean - reach, mean + reach
