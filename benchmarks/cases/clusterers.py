"""Clusterers of text beside scikit-learn's KMeans: 19,997 documents, 44,040 words, k = 20.

The corpus is 20 newsgroups (`20news-19997-subject.npz`: CSR arrays `data`, `indices`, `indptr`,
`shape`, and `labels`) from the directory named by CLUSTERVET_DATA. If it is missing, random text
of the same size with planted topics is used.

The least work of one pass over the data, for any code: 1.7 million stored words times 20 centres
are 70 MFLOP, about a millisecond. Reading the words means streaming 21 MB, which is another
millisecond at the 24 GB/s of this memory. But every word also reads its row of the table of
centres. These are 160 bytes somewhere in 7 MB, so in the second or third cache: 280 MB per pass.
Reading these cache lines without computing anything takes 9 ms on one core. The assignment with all
its arithmetic takes 12 ms, so it runs at 0.7 of the speed of the caches. Tables of 32 bits were a
fifth faster on one core but lost digits. Bounds by the triangle inequality (Elkan's, on the sphere)
still had to look at half of the rows when 15 of 20,000 moved, because a small cluster turns by more
than the gaps between cosines. The rest of an iteration is small: sums are updated only for moved
rows, and tables only for changed clusters. Seeding looks up only the words of its candidates.

Neighbours are found word by word: each document is multiplied with all documents that share its
words, 1.46 billion products for the newsgroups. The sums take 160 kB, which fits into the second
cache. Each sum is read, increased and written back at an address that cannot be predicted: some
1.5 ns, or 1.1 s on two cores.
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
        ("SoftMovMF", partial(SoftMovMF, annealing=None), rows),
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
    """The ten nearest neighbours of every document, by clustervet and by scikit-learn."""
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
        what=f"the {NEAREST} nearest neighbours of every document by cosine",
        size=f"{rows.shape[0]:,} × {rows.shape[1]:,}, {source}",
        peer=peer.name,
        ours=ours.seconds if ours.runs else None,
        theirs=peer.seconds if peer.runs else None,
        goal=at_least(2),
        note=ours.failure or peer.failure or "",
        alarm=ours.failure is not None,
    )


def _mean_weight(found: Any) -> float:
    """A number that shows that neighbours were found."""
    return float(found.data.max() if hasattr(found, "indptr") else found[0].mean())


def corpus(scale: Scale) -> tuple[Any, Labels, str]:
    """Word counts, classes of the documents, and where they come from."""
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
    # scikit-learn takes no wider indices
    counts.indices, counts.indptr = counts.indices.astype(np.int32), counts.indptr.astype(np.int32)
    return counts, classes[kept], source


def planted(documents: int, words: int, topics: int) -> tuple[Any, Labels]:
    """Random text by Zipf's law; a quarter of each document comes from the words of its topic."""
    rng = np.random.default_rng(SEED)
    classes = rng.integers(0, topics, documents)
    lengths = np.ceil(rng.lognormal(4.5, 0.7, documents)).astype(np.int64)
    document = np.repeat(np.arange(documents), lengths)
    ranks = np.exp(rng.random(len(document)) * np.log(words)).astype(np.int64)
    word = np.minimum(ranks, words) - 1
    own = rng.random(len(document)) < 0.25
    # Each topic owns every twentieth word of the list, so all topics have common and rare words.
    word[own] = word[own] // topics * topics + classes[document[own]]
    word = np.minimum(word, words - 1)
    counts = csr_array((np.ones(len(word)), (document, word)), shape=(documents, words))
    counts.sum_duplicates()
    return counts, classes


def _fit(kind: Callable[..., Any], rows: Any) -> Any:
    return kind(CLUSTERS, max_iter=ITERATIONS, tol=0, random_state=0).fit(rows)


def _agreement(classes: Labels, model: Any) -> tuple[float, int]:
    """Normalised mutual information with the classes, and the number of iterations."""
    return _nmi(classes, model), int(model.n_iter_)


def _nmi(classes: Labels, model: Any) -> float:
    return float(cv.normalized_mutual_information(classes, model.labels_, average="arithmetic"))


def _row(
    what: str, size: str, ours: Result, peer: Result, *, goal: Any, beside: str | None = None
) -> Row:
    failure = ours.failure or peer.failure
    note = failure or (
        f"NMI {ours.value[0]:.3f} and {peer.value[0]:.3f}; "
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
    """How much converged runs differ from the classes, over a few starts."""
    starts = range(STARTS)
    ours = [_nmi(classes, kind(CLUSTERS, random_state=s).fit(rows)) for s in starts]
    theirs = [_nmi(classes, KMeans(CLUSTERS, n_init=1, random_state=s).fit(rows)) for s in starts]
    return Row(
        what=f"1 - NMI of converged SphericalKMeans, mean of {STARTS} starts",
        size=size,
        peer=PEER,
        ours=1 - float(np.mean(ours)),
        theirs=1 - float(np.mean(theirs)),
        unit="error",
        goal=at_most(1),
        value_ours=float(np.mean(ours)),
        value_peer=float(np.mean(theirs)),
    )
