"""`Moments`: what internal measures need of clusters too large to be held, and how shards merge."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, ParameterError
from clustervet.frames.group_sums import GroupSums, group_sums
from clustervet.frames.rows import read_names
from clustervet.labels import consecutive, encode_one, plain_label, read_labels
from clustervet.labels.pair import Missing, NoisePolicy, noise_policies

Floats = NDArray[np.float64]
NOISE = -1


@dataclass(frozen=True, eq=False)
class Moments:
    """Number of points, mean and squares of each cluster, from which many measures follow.

    The mean of a cluster is `anchors` + `offsets`, so that a far origin costs no digits.
    `scatter` sums squared steps from it by feature, `cross` their products, and `distances`
    their lengths, each where asked for. Moments of disjoint rows add:

    >>> import polars as pl
    >>> frame = pl.DataFrame({"c": ["a", "a", "b", "b"], "x": [0.0, 2.0, 10.0, 14.0]})
    >>> first, last = (cluster_moments(part, label="c", features=["x"]) for part in
    ...                (frame[:1], frame[1:]))
    >>> whole = first + last
    >>> whole
    Moments of 4 points: 1 feature, 2 clusters
    >>> whole.centroids.tolist(), whole.scatter.tolist()
    ([[1.0], [12.0]], [[2.0], [8.0]])
    """

    names: list[Any]
    features: tuple[str, ...]
    sizes: NDArray[np.int64]
    anchors: Floats = field(repr=False)
    offsets: Floats = field(repr=False)
    scatter: Floats = field(repr=False)
    cross: Floats | None = field(repr=False, default=None)
    distances: Floats | None = field(repr=False, default=None)
    dropped: int = 0
    noise_cluster: int | None = None

    @property
    def n(self) -> int:
        """Number of points."""
        return int(self.sizes.sum())

    @property
    def centroids(self) -> Floats:
        """Mean of each cluster: clusters × features."""
        return np.asarray(self.anchors + self.offsets)

    def __repr__(self) -> str:
        d, k = len(self.features), len(self.sizes)
        return (
            f"Moments of {self.n:,} point{'s' if self.n != 1 else ''}: {d:,} "
            f"feature{'s' if d != 1 else ''}, {k:,} cluster{'s' if k != 1 else ''}"
        )

    def __add__(self, other: Moments) -> Moments:
        """The moments of both parts, which have no row in common (Chan et al. 1983, eq. 2.1)."""
        if not isinstance(other, Moments):
            return NotImplemented
        if self.features != other.features:
            raise ParameterError("moments of different features cannot be added.")
        if (self.cross is None) != (other.cross is None):
            raise ParameterError(
                "moments with cross products and moments without cannot be added; ask for "
                "cross=True in both or in neither."
            )
        both = [
            _Part(self.sizes, self.anchors, self.offsets, self.scatter, self.cross),
            _Part(other.sizes, other.anchors, other.offsets, other.scatter, other.cross),
        ]
        noisy = self.noise_cluster is not None or other.noise_cluster is not None
        return _gathered(
            [*self.names, *other.names],
            self.features,
            _Part.joined(both),
            self.dropped + other.dropped,
            find_noise=noisy,
        )


def cluster_moments(
    frame: Any,
    *,
    label: str,
    features: Sequence[str] | str,
    cross: bool = False,
    spreads: bool = False,
    weights: str | None = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
) -> Moments:
    """Moments of the clusters in a frame of any engine, added where the rows are.

    With `cross` come the products of every two features, for covariances. With `spreads` come
    mean distances to the centroids, which the Davies-Bouldin index needs and which take a
    second aggregate, since centroids come first. `weights` name a column of whole numbers: how
    many points a row stands for. Noise may be kept or dropped.

    >>> import duckdb
    >>> frame = duckdb.sql("SELECT i % 2 AS c, i AS x, -i AS y FROM range(10) AS t(i)")
    >>> cluster_moments(frame, label="c", features=["x", "y"]).centroids.tolist()
    [[4.0, -4.0], [5.0, -5.0]]
    """
    if missing not in ("raise", "drop", "class"):
        raise ParameterError(f"missing must be 'raise', 'drop' or 'class', not {missing!r}.")
    policies = noise_policies(noise, noise_policy)
    names = read_names(features, label, weights)
    sums = group_sums(
        frame, label=label, features=names, cross=cross, spreads=spreads, weights=weights
    )
    return _by_policy(sums, tuple(names), policies, missing)


def file_moments(
    paths: str | os.PathLike[str] | Sequence[str],
    *,
    label: str,
    features: Sequence[str] | str,
    engine: str = "duckdb",
    memory_limit: str | None = None,
    **options: Any,
) -> Moments:
    r"""Moments of the clusters in files (Parquet, CSV, TSV, JSON lines), read by an engine.

    `options` are those of `cluster_moments`.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "points.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("x,c\n0,a\n2,a\n10,b\n12,b\n")
    ...     file_moments(path, label="c", features="x").scatter.tolist()
    [[2.0], [2.0]]
    """
    from clustervet.frames.engines import engine_for

    names = read_names(features, label, options.get("weights"))
    heavy = [options["weights"]] if options.get("weights") is not None else []
    with engine_for(engine, memory_limit=memory_limit) as opened:
        given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        frame = opened.read([os.fspath(path) for path in given], numbers=[*names, *heavy])
        return cluster_moments(frame, label=label, features=names, **options)


@dataclass(frozen=True)
class _Part:
    """Moments of clusters in some order."""

    sizes: NDArray[np.int64]
    anchors: Floats
    offsets: Floats
    scatter: Floats
    cross: Floats | None
    distances: Floats | None = None

    @classmethod
    def joined(cls, parts: Sequence[_Part]) -> _Part:
        """Clusters of several parts, one after the other; distances to old means are of no use."""
        crosses = [part.cross for part in parts if part.cross is not None]
        return cls(
            np.concatenate([part.sizes for part in parts]),
            np.concatenate([part.anchors for part in parts]),
            np.concatenate([part.offsets for part in parts]),
            np.concatenate([part.scatter for part in parts]),
            np.concatenate(crosses) if crosses else None,
        )

    def take(self, chosen: NDArray[Any]) -> _Part:
        """Some of the clusters, in the order chosen."""
        return _Part(
            self.sizes[chosen],
            self.anchors[chosen],
            self.offsets[chosen],
            self.scatter[chosen],
            None if self.cross is None else self.cross[chosen],
            None if self.distances is None else self.distances[chosen],
        )

    def merged(self, codes: NDArray[np.int32]) -> _Part:
        """The same with clusters of one code made one, in the order of their codes."""
        order = np.argsort(codes, kind="stable")
        ordered, part = codes[order], self.take(order)
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        if len(first) == len(ordered):
            return part
        whole = part.take(first)
        # The second part of every cluster that has one, then the third, and so on.
        turns = np.arange(len(ordered)) - first[ordered]
        for turn in range(1, int(turns.max()) + 1):
            places = np.flatnonzero(turns == turn)
            _absorb(whole, ordered[places], part.take(places))
        return whole


def _absorb(whole: _Part, k: NDArray[np.int32], part: _Part) -> None:
    """Add some clusters to others, no two to the same."""
    more, many = part.sizes[:, None], whole.sizes[k][:, None]
    share = more / (many + more)
    step = (part.anchors - whole.anchors[k]) + (part.offsets - whole.offsets[k])
    whole.offsets[k] += share * step
    whole.scatter[k] += part.scatter + many * share * step**2
    if whole.cross is not None and part.cross is not None:
        products = step[:, :, None] * step[:, None, :]
        whole.cross[k] += part.cross + (many * share)[:, :, None] * products
    whole.sizes[k] += part.sizes


def _by_policy(
    sums: GroupSums, features: tuple[str, ...], policies: dict[Any, Any], missing: Missing
) -> Moments:
    """Groups as clusters, by the policies for labels."""
    more = sums.cross, sums.distances
    part = _Part(sums.sizes, sums.anchors, sums.offsets, sums.scatter, *more)
    side = read_labels(sums.labels, "the label")
    gone = np.zeros(len(side), bool) if side.missing is None else side.missing
    kept = sums.sizes > 0
    for label, policy in policies.items():
        code = side.find(label)
        here = np.zeros(len(side), bool) if code is None else (side.values == code) & ~gone
        if policy == "singletons" and (kept & here).any():
            raise ParameterError(
                "noise as singletons needs every point of it; keep it as one cluster or drop it."
            )
        if policy == "drop":
            kept &= ~here
    absent = int(sums.counts[gone & kept].sum())
    if absent and missing == "raise":
        raise LabelError(
            f"the label is missing in {absent:,} row{'s' if absent > 1 else ''}; drop such points "
            "with missing='drop' or make them a cluster of their own with missing='class'."
        )
    if missing == "drop":
        kept &= ~gone
    if not kept.any():
        raise LabelError("no point is left once missing and noise labels are dropped.")
    dropped = int(sums.sizes.sum() - sums.sizes[kept].sum())
    places = np.concatenate([np.flatnonzero(kept & ~gone), np.flatnonzero(kept & gone)])
    names = [*side.restore(side.values[kept & ~gone]), *[None] * int((kept & gone).sum())]
    return _gathered(names, features, part.take(places), dropped, find_noise=not policies)


def _gathered(
    names: list[Any], features: tuple[str, ...], part: _Part, dropped: int, *, find_noise: bool
) -> Moments:
    """Clusters under their names, each once and in the order that labels have."""
    read, _ = encode_one([plain_label(name) for name in names], missing="class")
    codes, old = consecutive(read)
    part = part.merged(codes)
    code = read.find(NOISE) if find_noise else None
    noise = int(np.searchsorted(old, code)) if code is not None and code in old else None
    return Moments(
        [plain_label(name) for name in read.restore(old)],
        features,
        part.sizes,
        part.anchors,
        part.offsets,
        part.scatter,
        part.cross,
        part.distances,
        dropped,
        noise,
    )
