"""Many labelings: matrices of distances beside loops over pairs, and large lattice operations.

Lower limits. A pair of labelings needs n increments of a small table at 0.45 ns each on a core of
this kind, so 4,950 pairs of 100,000 objects take 0.22 s. If two labelings are counted with two
others at once (small K), it takes a quarter of that. 2 bytes per object are read from each side:
2 GB, which stays in the caches up to some 20 MB of codes. The memory holds the codes (1 or 2 bytes
per label), the matrix and 64 MB of joint codes. A meet reads 8 bytes per object and writes 4 bytes:
120 MB at 10 million, 0.01 s.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np

from clustervet.ensemble import distance_matrix
from clustervet.partition import Partition
from harness import OURS, Row, Scale, at_least, limit, timed
from labels import SEED
from peers import BY_NAME

HERE = Path(__file__).resolve().parent.parent
# Each pair takes the same time in a loop, so a few are timed and scaled up.
TIMED = 20
INDICES = ("rand", "adjusted_rand", "fowlkes_mallows", "mutual_information", "pair_sets_index")


def runs(many: int, n: int, least: int, most: int) -> list[Any]:
    """Labelings with `least` to `most` clusters that place most objects alike."""
    rng = np.random.default_rng(SEED)
    base = rng.integers(0, most, n)
    found = []
    for _ in range(many):
        clusters = rng.integers(least, most + 1)
        labels = base % clusters
        moved = rng.random(n) < 0.3
        labels[moved] = rng.integers(0, clusters, moved.sum())
        found.append(labels)
    return found


def matrix(scale: Scale) -> Iterator[Row]:
    """100 labelings of 100,000 objects: our matrix beside loops over pairs."""
    many, n = 100, scale(100_000)
    for least, most in ((10, 10), (10, 50)):
        labelings = runs(many, n, least, most)
        seconds, found = _best(lambda labelings=labelings: distance_matrix(labelings, n_jobs=-1))
        size = f"{many} x n = {n:,}, K = {least}-{most}"
        pairs = list(islice(combinations(range(many), 2), TIMED))
        share = many * (many - 1) / 2 / len(pairs)
        yield _sklearn_row(scale, labelings, pairs, share, size, seconds, found)
        yield _genieclust_row(scale, labelings, pairs, share, size, seconds)


def _best(call: Callable[[], Any], runs: int = 5) -> tuple[float, Any]:
    timed(call)
    return min((timed(call) for _ in range(runs)), key=lambda run: run[0])


def _sklearn_row(
    scale: Scale, labelings: Any, pairs: Any, share: float, size: str, seconds: float, found: Any
) -> Row:
    from sklearn.metrics import mutual_info_score

    entropies = {k: mutual_info_score(labelings[k], labelings[k]) for k in {*sum(pairs, ())}}

    def loop() -> list[float]:
        return [
            entropies[i] + entropies[j] - 2 * mutual_info_score(labelings[i], labelings[j])
            for i, j in pairs
        ]

    spent, values = timed(loop)
    ours = np.array([found.matrix[pair] for pair in pairs]) * np.log(2)
    return Row(
        what="matrix of variation of information / a loop of mutual_info_score",
        size=size,
        peer="scikit-learn",
        ours=seconds,
        theirs=spent * share,
        goal=at_least(100) if scale.is_full else None,
        value_ours=float(ours.mean()),
        value_peer=float(np.mean(values)),
        note=f"mean in nats; the loop is timed for {len(pairs)} pairs and scaled up",
        alarm=bool(np.abs(ours - values).max() > 1e-9),
    )


def _genieclust_row(
    scale: Scale, labelings: Any, pairs: Any, share: float, size: str, seconds: float
) -> Row:
    peer = BY_NAME["genieclust"]
    if (why := peer.missing()) is not None:
        return Row(what="matrix / a loop of an index", size=size, peer="genieclust", note=why)
    spent = {}
    for index in INDICES:
        score = peer.load()[index]
        score(labelings[0], labelings[1])
        spent[index] = timed(
            lambda score=score: [score(labelings[i], labelings[j]) for i, j in pairs]
        )[0]
    fastest = min(spent, key=spent.__getitem__)
    return Row(
        what=f"matrix of variation of information / a loop of its fastest index, {fastest}",
        size=size,
        peer="genieclust",
        ours=seconds,
        theirs=spent[fastest] * share,
        goal=at_least(5) if scale.is_full else None,
        note=f"the loop is timed for {len(pairs)} pairs and scaled up",
    )


def memory(scale: Scale) -> Iterator[Row]:
    """1,000 labelings of 10,000 objects, in a separate process."""
    many, n = scale(1_000, 100), 10_000
    code = f"from cases.labelings import probe; probe({many}, {n})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=False
    )
    answer = json.loads(done.stdout) if not done.returncode else {}
    yield Row(
        what="peak memory of a matrix of variation of information",
        size=f"{many:,} x n = {n:,}, K = 10-50",
        peer=f"{OURS} alone",
        ours=answer.get("rise"),
        unit="MB",
        goal=limit(500),
        value_ours=answer.get("mean"),
        note=f"in {answer['seconds']:.1f} s" if answer else done.stderr.strip()[-160:],
        alarm=not answer,
    )


def together(scale: Scale) -> Iterator[Row]:
    """Co-association of 200 labelings of 100,000 objects, in a separate process.

    All pairs of objects are compared in every labeling, 32 labels per instruction: 5 x 10^9 pairs
    take 3 x 10^10 instructions, 5 s on two cores of 3 GHz. The matrix itself would take 40 GB.
    """
    many, n = 200, scale(100_000)
    code = f"from cases.labelings import probe_together; probe_together({many}, {n})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=HERE, capture_output=True, text=True, check=False
    )
    answer = json.loads(done.stdout) if not done.returncode else {}
    size = f"{many} x n = {n:,}, K = 10-50"
    spent, share = _products(many, n)
    yield Row(
        what="distribution of the co-association / products of sparse indicators, in blocks",
        size=size,
        peer="scipy",
        ours=answer.get("seconds"),
        theirs=spent,
        value_ours=answer.get("share"),
        value_peer=share,
        note="share of pairs that are ever together; the products are timed for some rows and "
        "scaled up",
        alarm=not answer or abs(answer["share"] - share) > 0.02,
    )
    yield Row(
        what="peak memory of the same",
        size=size,
        peer=f"{OURS} alone",
        ours=answer.get("rise"),
        unit="MB",
        goal=limit(500),
        note=f"in {answer['seconds']:.1f} s" if answer else done.stderr.strip()[-160:],
        alarm=not answer,
    )


def _products(many: int, n: int, rows: int = 500) -> tuple[float, float]:
    """The time of all products of indicators, from that of some rows, and a share for them."""
    from scipy.sparse import csr_array, hstack

    marks = [
        csr_array((np.ones(n, np.int16), (np.arange(n), labels)))
        for labels in runs(many, n, 10, 50)
    ]
    table = hstack(marks).tocsr()
    drawn = np.random.default_rng(SEED).choice(n, min(rows, n), replace=False)

    def product() -> Any:
        return np.bincount((table[drawn] @ table.T).toarray().ravel(), minlength=many + 1)

    seconds, counts = timed(product)
    pairs = counts.sum() - len(drawn)
    return seconds * n / len(drawn) / 2, float(1 - counts[0] / pairs)


def probe_together(many: int, n: int) -> None:
    """The code that the process of `together` runs."""
    from clustervet import Ensemble
    from probe import peak

    labelings = runs(many, n, 10, 50)
    Ensemble(labelings[:50]).coassociation(0)  # fills the cache of compiled loops
    ensemble = Ensemble(labelings)
    before = peak()
    seconds, found = timed(lambda: ensemble.coassociation(0))
    answer = {"rise": peak() - before, "seconds": seconds, "share": 1 - found.cdf(0)}
    sys.stdout.write(json.dumps(answer))


def probe(many: int, n: int) -> None:
    """The code that the process of `memory` runs."""
    from probe import peak

    labelings = runs(many, n, 10, 50)
    distance_matrix(labelings[:50])  # fills the cache of compiled loops
    before = peak()
    seconds, found = timed(lambda: distance_matrix(labelings, n_jobs=-1))
    answer = {"rise": peak() - before, "seconds": seconds, "mean": float(found.matrix.mean())}
    sys.stdout.write(json.dumps(answer))


def lattice(scale: Scale) -> Iterator[Row]:
    """Meet and join of partitions of 10 million objects, beside numpy and scipy."""
    n = scale(10_000_000)
    rng = np.random.default_rng(SEED)
    for clusters in (100, 100_000):
        base = rng.integers(0, clusters, n)
        one = Partition(base)
        other = Partition(np.where(rng.random(n) < 0.001, rng.integers(0, clusters, n), base // 4))
        size = f"n = {n:,}, K = {one.k:,} and {other.k:,}"
        seconds, meet = _best(lambda one=one, other=other: one & other, 3)
        spent, keys = timed(lambda one=one, other=other: _meet_by_sorting(one, other))
        yield Row(
            what="meet / sorting pairs of codes", size=size, peer="numpy",
            ours=seconds, theirs=spent, value_ours=meet.k, value_peer=keys,
            alarm=meet.k != keys,
        )  # fmt: skip
        seconds, join = _best(lambda one=one, other=other: one | other, 3)
        spent, parts = timed(lambda one=one, other=other: _join_by_components(one, other))
        yield Row(
            what="join / connected components", size=size, peer="scipy",
            ours=seconds, theirs=spent, value_ours=join.k, value_peer=parts,
            alarm=join.k != parts,
        )  # fmt: skip


def _meet_by_sorting(one: Partition, other: Partition) -> int:
    keys, codes = np.unique(one.codes.astype(np.int64) * other.k + other.codes, return_inverse=True)
    return len(keys) if len(codes) == one.n else 0


def _join_by_components(one: Partition, other: Partition) -> int:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = one.k + other.k
    edges = np.ones(one.n, np.int8), (one.codes, one.k + other.codes)
    count, parts = connected_components(coo_array(edges, shape=(nodes, nodes)), directed=False)
    return int(count) if len(parts[one.codes]) == one.n else 0
