"""Clusterers of text beside scikit-learn's KMeans: 19,997 documents, 44,040 words, k = 20.

The corpus is 20 newsgroups (`20news-19997-subject.npz`: CSR arrays `data`, `indices`, `indptr`,
`shape`, and `labels`) from the directory named by CLUSTERVET_DATA; without it, random text of
the same size with planted topics.

What a pass must do at least, whatever the code: 1.7 million stored words times 20 centres are
70 MFLOP, about a millisecond. The words are 21 MB to stream, another millisecond at the 24 GB/s
of this memory. But every word reads its line of the table of centres, 160 bytes somewhere in
7 MB, so in the second or third cache: 280 MB a pass. Touching these cache lines and computing
nothing takes 9 ms on one core; the assignment with all its arithmetic takes 12, so it runs at
0.7 of the speed of the caches. Tables of 32 bits gained a fifth on one core and cost digits.
Bounds by the triangle inequality (Elkan's, on the sphere) still had to look at half of the rows
when 15 of 20,000 moved: a small cluster turns by more than the gaps between cosines. The rest
of an iteration is small, since sums follow moved rows only and tables change for changed
clusters only; seeding looks up only the words of its candidates.

Neighbours are found word by word: each document meets the holders of its words, 1.46 billion
products for the newsgroups. Their sums lie in 160 kB, the second cache, and each is read, added to
and written back at a place that cannot be foreseen: some 1.5 ns, or 1.1 s on two cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, csr_matrix
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors

import clustervet as cv
from harness import Contender, Result, Row, Scale, at_least, at_most, race
from labels import SEED, Labels

FILE = "20news-19997-subject.npz"
DOCUMENTS, WORDS, CLUSTERS = 19_997, 44_040, 20
ITERATIONS = 20
STARTS = 3
NEAREST = 10
PEER = "scikit-learn KMeans"


def run(scale: Scale) -> Iterator[Row]:
    """Speed at the same number of iterations, then agreement with the classes."""
    from clustervet.clusterers import (
        FrequencySensitiveKMeans,
        HardMovMF,
        KLKMeans,
        SoftMovMF,
        SphericalKMeans,
    )

    counts, classes, source = corpus(scale)
    rows = TfidfTransformer().fit_transform(counts)
    size = f"{rows.shape[0]:,} × {rows.shape[1]:,}, k = {CLUSTERS}, {source}"
    theirs = partial(_fit, partial(KMeans, n_init=1, algorithm="lloyd"), rows)
    ours, [peer] = race(
        scale,
        partial(_fit, SphericalKMeans, rows),
        [Contender(PEER, theirs)],
        summary=partial(_agreement, classes),
    )
    yield _row("SphericalKMeans", size, ours, peer, goal=at_least(3))
    for name, kind, matrix in (
        ("SoftMovMF", SoftMovMF, rows),
        ("HardMovMF", HardMovMF, rows),
        ("FrequencySensitiveKMeans", FrequencySensitiveKMeans, rows),
        ("KLKMeans", KLKMeans, counts),
    ):
        other, [] = race(
            scale, partial(_fit, kind, matrix), [], summary=partial(_agreement, classes)
        )
        goal = at_most(3) if name == "SoftMovMF" else None
        yield _row(name, size, other, ours, goal=goal, beside="SphericalKMeans")
    yield _agreement_row(size, rows, classes, SphericalKMeans)
    yield _neighbours_row(scale, rows, source)


def _neighbours_row(scale: Scale, rows: Any, source: str) -> Row:
    """The ten nearest of every document, by us and by scikit-learn."""
    from clustervet.clusterers import NeighbourSmoothing

    plain = csr_matrix(rows)
    search = NearestNeighbors(n_neighbors=NEAREST + 1, metric="cosine", n_jobs=-1).fit(plain)
    ours, [peer] = race(
        scale,
        partial(NeighbourSmoothing(NEAREST).fit(plain).weights, plain),
        [Contender("scikit-learn NearestNeighbors", partial(search.kneighbors, plain))],
        summary=_mean_weight,
    )
    return Row(
        what=f"the {NEAREST} nearest of every document by cosine",
        size=f"{rows.shape[0]:,} × {rows.shape[1]:,}, {source}",
        peer=peer.name,
        ours=ours.seconds if ours.runs else None,
        theirs=peer.seconds if peer.runs else None,
        goal=at_least(2),
        note=ours.failure or peer.failure or "",
        alarm=ours.failure is not None,
    )


def _mean_weight(found: Any) -> float:
    """A number that shows that something was found."""
    return float(found.data.max() if hasattr(found, "indptr") else found[0].mean())


def corpus(scale: Scale) -> tuple[Any, Labels, str]:
    """Counts of words, classes of documents, and where they come from."""
    path = Path(os.environ.get("CLUSTERVET_DATA", "")) / FILE
    if path.is_file():
        with np.load(path, allow_pickle=False) as held:
            arrays = held["data"].astype(np.float64), held["indices"], held["indptr"]
            counts, classes = csr_array(arrays, shape=tuple(held["shape"])), held["labels"]
        source = "20 newsgroups"
    else:
        counts, classes = planted(DOCUMENTS, WORDS, CLUSTERS)
        source = "random text"
    kept = np.arange(0, counts.shape[0], max(1, counts.shape[0] // scale(counts.shape[0])))
    counts = counts[kept]
    # scikit-learn takes no wider ones
    counts.indices, counts.indptr = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
    return counts, classes[kept], source


def planted(documents: int, words: int, topics: int) -> tuple[Any, Labels]:
    """Random text: words by Zipf's law, a quarter of each document from the list of its topic."""
    rng = np.random.default_rng(SEED)
    classes = rng.integers(0, topics, documents)
    lengths = np.ceil(rng.lognormal(4.5, 0.7, documents)).astype(np.int64)
    document = np.repeat(np.arange(documents), lengths)
    ranks = np.exp(rng.random(len(document)) * np.log(words)).astype(np.int64)
    word = np.minimum(ranks, words) - 1
    own = rng.random(len(document)) < 0.25
    # A topic has every twentieth word of the list, so all topics have common and rare words.
    word[own] = word[own] // topics * topics + classes[document[own]]
    word = np.minimum(word, words - 1)
    counts = csr_array((np.ones(len(word)), (document, word)), shape=(documents, words))
    counts.sum_duplicates()
    return counts, classes


def _fit(kind: Callable[..., Any], rows: Any) -> Any:
    return kind(CLUSTERS, max_iter=ITERATIONS, tol=0, random_state=0).fit(rows)


def _agreement(classes: Labels, model: Any) -> tuple[float, int]:
    """Normalised mutual information with the classes, and how many iterations it took."""
    return _nmi(classes, model), int(model.n_iter_)


def _nmi(classes: Labels, model: Any) -> float:
    return float(cv.normalized_mutual_information(classes, model.labels_, average="arithmetic"))


def _row(
    what: str, size: str, ours: Result, peer: Result, *, goal: Any, beside: str | None = None
) -> Row:
    failure = ours.failure or peer.failure
    note = failure or (
        f"NMI {ours.value[0]:.3f} against {peer.value[0]:.3f}; "
        f"{ours.value[1]} and {peer.value[1]} iterations"
    )
    return Row(
        what=f"{what}, {ITERATIONS} iterations",
        size=size,
        peer=beside or peer.name,
        ours=ours.seconds if ours.runs else None,
        theirs=peer.seconds if peer.runs else None,
        goal=goal,
        value_ours=ours.value[0] if ours.value else None,
        value_peer=peer.value[0] if peer.value else None,
        note=note,
        alarm=ours.failure is not None,
    )


def _agreement_row(size: str, rows: Any, classes: Labels, kind: Callable[..., Any]) -> Row:
    """How far runs to the end are from the classes, over a few starts."""
    starts = range(STARTS)
    ours = [_nmi(classes, kind(CLUSTERS, random_state=s).fit(rows)) for s in starts]
    theirs = [_nmi(classes, KMeans(CLUSTERS, n_init=1, random_state=s).fit(rows)) for s in starts]
    return Row(
        what=f"1 - NMI of SphericalKMeans at its end, mean of {STARTS} starts",
        size=size,
        peer=PEER,
        ours=1 - float(np.mean(ours)),
        theirs=1 - float(np.mean(theirs)),
        unit="error",
        goal=at_most(1),
        value_ours=float(np.mean(ours)),
        value_peer=float(np.mean(theirs)),
    )
