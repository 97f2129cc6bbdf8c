"""Small sets of points with clusterings, each hard in its own way.

`CASES[name]` is a `Case`; `cases(without=...)` selects them by what they are. The sets that R has
scored too are written for it by `python internal_data.py FOLDER` (see r_values.R).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets

# What a set is, where it matters to a test.
FLAGS = {
    "float32": "features are float32",
    "sparse": "features are a CSR matrix",
    "far": "coordinates much larger than the distances",
    "apart": "clusters so far apart that a centroid keeps eight digits of a cluster's width",
    "alone": "some clusters have one point",
    "flat": "some covariance has no inverse",
    "repeated": "some points are equal",
    "wide": "many features",
}


@dataclass(frozen=True)
class Case:
    name: str
    X: Any
    labels: Any
    flags: frozenset[str]

    @property
    def dense(self) -> np.ndarray:
        return self.X.toarray() if sparse.issparse(self.X) else np.asarray(self.X)

    @property
    def codes(self) -> np.ndarray:
        """The labels as whole numbers from 0 on."""
        return np.unique(np.asarray(self.labels), return_inverse=True)[1]

    @property
    def k(self) -> int:
        return len(np.unique(np.asarray(self.labels)))


_makers: dict[str, tuple[Callable[[], tuple[Any, Any]], frozenset[str]]] = {}


def _case(*flags: str) -> Callable[[Callable[[], tuple[Any, Any]]], Callable[[], tuple[Any, Any]]]:
    assert set(flags) <= set(FLAGS)

    def add(maker: Callable[[], tuple[Any, Any]]) -> Callable[[], tuple[Any, Any]]:
        _makers[maker.__name__] = (maker, frozenset(flags))
        return maker

    return add


@cache
def case(name: str) -> Case:
    maker, flags = _makers[name]
    points, labels = maker()
    if isinstance(points, np.ndarray):
        points.flags.writeable = False
    return Case(name, points, labels, flags)


def names(*, without: str = "", only: str = "") -> list[str]:
    """Names of the sets that have all flags of `only` and none of `without`."""
    barred, wanted = set(without.split()), set(only.split())
    return [name for name, (_, flags) in _makers.items() if wanted <= flags and not barred & flags]


def gaussians(
    sizes: list[int], d: int, *, seed: int, apart: float = 5.0, digits: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Unit Gaussian groups of these sizes about random centres."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, apart, (len(sizes), d))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    points = centres[labels] + rng.normal(size=(len(labels), d))
    order = rng.permutation(len(labels))
    points = points if digits is None else np.round(points, digits)
    return points[order], labels[order]


def rings(n: int, *, seed: int = 0, spread: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """A ring inside a ring, a third and two thirds of the points."""
    rng = np.random.default_rng(seed)
    labels = (np.arange(n) >= n // 3).astype(int)
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = np.where(labels == 0, 1.0, 2.5) + rng.normal(0, spread, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), labels


def moons(n: int, *, seed: int = 0, spread: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Two half circles that reach into each other."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    angle = rng.uniform(0, np.pi, n)
    x = np.where(labels == 0, np.cos(angle), 1 - np.cos(angle))
    y = np.where(labels == 0, np.sin(angle), 0.5 - np.sin(angle))
    return np.column_stack([x, y]) + rng.normal(0, spread, (n, 2)), labels


def spirals(n: int, *, seed: int = 0, spread: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    """Two spiral arms wound into each other, points evenly along each arm."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 2
    along = np.sqrt(np.linspace(0.05, 1, n)) * 2.5 * np.pi
    angle = along + labels * np.pi
    points = np.column_stack([along * np.cos(angle), along * np.sin(angle)])
    return points + rng.normal(0, spread, (n, 2)), labels


@_case()
def blobs() -> tuple[Any, Any]:
    return gaussians([12, 25, 40, 43], 2, seed=1, apart=3.0, digits=4)


@_case()
def blobs_in_ten_dimensions() -> tuple[Any, Any]:
    return gaussians([20, 30, 40], 10, seed=2, apart=1.0)


@_case()
def two_moons() -> tuple[Any, Any]:
    return moons(120)


@_case()
def nested_rings() -> tuple[Any, Any]:
    return rings(120)


@_case()
def two_spirals() -> tuple[Any, Any]:
    return spirals(120)


@_case("repeated")
def iris() -> tuple[Any, Any]:
    points, y = datasets.load_iris(return_X_y=True)
    return points, np.array(["setosa", "versicolor", "virginica"])[y]


@_case()
def wine() -> tuple[Any, Any]:
    return datasets.load_wine(return_X_y=True)


@_case("wide", "flat")
def digits() -> tuple[Any, Any]:
    points, y = datasets.load_digits(return_X_y=True)
    return points[:130], y[:130]


@_case("repeated")
def every_point_three_times() -> tuple[Any, Any]:
    points, y = gaussians([9, 12, 14], 3, seed=3)
    return np.repeat(points, 3, axis=0), np.repeat(y, 3)


@_case("repeated", "flat")
def equal_points_in_a_cluster() -> tuple[Any, Any]:
    points, y = gaussians([10, 10, 10], 2, seed=4)
    points[y == 1] = points[y == 1][0]
    return points, y


@_case("flat")
def constant_columns() -> tuple[Any, Any]:
    points, y = gaussians([15, 20, 25], 3, seed=5)
    return np.column_stack([np.full(len(y), 7.25), points, np.zeros(len(y))]), y


@_case("flat")
def collinear() -> tuple[Any, Any]:
    t, y = gaussians([15, 20, 25], 1, seed=6)
    return t * np.array([1.0, -2.0, 0.5]) + np.array([3.0, 0.0, 1.0]), y


@_case("far")
def far_from_the_origin() -> tuple[Any, Any]:
    points, y = gaussians([20, 25, 30], 3, seed=7)
    return points + 1e8, y


@_case("far", "wide", "flat")
def far_and_wide() -> tuple[Any, Any]:
    points, y = gaussians([20, 25, 30], 70, seed=8, apart=0.7)
    return points + 1e8, y


@_case("far", "apart")
def groups_far_apart() -> tuple[Any, Any]:
    points, y = gaussians([20, 25, 30], 3, seed=9, apart=2.0)
    return points + np.where(y == 2, 1e8, 0.0)[:, None], y


@_case("alone", "flat")
def one_point_clusters() -> tuple[Any, Any]:
    points, y = gaussians([1, 20, 1, 25, 1], 2, seed=10, digits=4)
    return points, np.array(list("abcde"))[y]


@_case("wide", "flat")
def sixty_dimensions() -> tuple[Any, Any]:
    return gaussians([15, 20, 30], 60, seed=11, apart=0.6)


@_case("wide", "flat")
def many_dimensions() -> tuple[Any, Any]:
    return gaussians([15, 20, 25], 120, seed=12, apart=0.5)


@_case("wide", "flat")
def more_features_than_points() -> tuple[Any, Any]:
    return gaussians([8, 10, 12], 34, seed=22, apart=0.7)


@_case("float32")
def single_precision() -> tuple[Any, Any]:
    points, y = gaussians([15, 25, 35], 3, seed=13)
    return points.astype(np.float32), y


@_case("float32", "wide", "flat")
def single_precision_wide() -> tuple[Any, Any]:
    points, y = gaussians([15, 20, 30], 64, seed=14, apart=0.6)
    return points.astype(np.float32), y


@_case("sparse", "wide", "flat")
def sparse_counts() -> tuple[Any, Any]:
    rng = np.random.default_rng(15)
    y = rng.integers(0, 3, 60)
    topics = rng.dirichlet(np.full(200, 0.1), 3)
    points = np.array([rng.multinomial(25, topics[label]) for label in y]).astype(float)
    points[[3, 17, 30]] = 0.0  # empty documents have no direction
    return sparse.csr_matrix(points), y


@_case()
def whole_numbers() -> tuple[Any, Any]:
    points, y = gaussians([15, 20, 25], 2, seed=16)
    return np.round(points * 40).astype(np.int64), y


@_case()
def labels_of_text() -> tuple[Any, Any]:
    points, y = gaussians([15, 20, 25], 2, seed=17)
    return points.tolist(), np.array(["new york", "", "O'Brien <b>"], dtype=object)[y].tolist()


@_case("flat")
def one_feature() -> tuple[Any, Any]:
    points, y = gaussians([15, 20, 25], 1, seed=18)
    points[y == 0] = 3.5
    return points, y


@_case()
def mixed_up() -> tuple[Any, Any]:
    """Labels that have nothing to do with the points."""
    points, _ = gaussians([60], 4, seed=19)
    return points, np.random.default_rng(19).integers(0, 4, 60)


# The sets that r_values.R has scored.
IN_R = ["iris", "wine", "blobs", "one_point_clusters"]


def write_for_r(folder: Path) -> None:
    for name in IN_R:
        one = case(name)
        lines = [
            ",".join([*(repr(float(x)) for x in row), str(code + 1)])
            for row, code in zip(one.dense, one.codes, strict=True)
        ]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write_for_r(Path(sys.argv[1]))
