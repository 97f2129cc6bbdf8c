"""Dom's family of distributions over classes and clusters, and grids of its parameters."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clustervet._checks import whole
from clustervet.contingency import Contingency
from clustervet.errors import ParameterError, Setting

# How far shares may be from a sum of one: rounding, not another distribution.
SUM_SLACK = 1e-9
WHOLE_SLACK = 1e-14


def family(
    classes: int,
    useful: int,
    noise: int = 0,
    error_useful: float = 0.0,
    error_noise: float = 0.0,
) -> NDArray[np.float64]:
    """Return a member of Dom's family of distributions p(c,k) over classes and clusters.

    Parameters
    ----------
    classes : int
        Number of classes. All classes are equally likely.
    useful : int
        Number of useful clusters, which belong to classes.
    noise : int, optional
        Number of noise clusters, which belong to no class. They are the last columns, and they
        are empty where `error_noise` is 0.
    error_useful : float, optional
        Probability that an object is in a useful cluster of another class (epsilon_1). It is
        spread evenly over these clusters.
    error_noise : float, optional
        Probability that an object is in a noise cluster (epsilon_2).

    Returns
    -------
    ndarray of shape (classes, useful + noise)
        The probabilities. Rows are classes, columns are clusters.

    Raises
    ------
    ParameterError
        If the parameters do not describe a distribution.

    Notes
    -----
    Dom 2001, §6.1. Useful clusters are dealt out by the ceiling rule: each class in turn takes
    the ceiling of (clusters that are left) / (classes that are left). Where there are more
    classes than clusters, each cluster takes classes in the same way.

    Examples
    --------
    >>> family(2, 3, 1, error_useful=0.1, error_noise=0.2)
    array([[0.175, 0.175, 0.05 , 0.1  ],
           [0.025, 0.025, 0.35 , 0.1  ]])
    """
    classes = whole(classes, "classes", 1)
    useful = whole(useful, "useful", 1)
    noise = whole(noise, "noise", 0)
    error_useful = _probability(error_useful, "error_useful")
    error_noise = _probability(error_noise, "error_noise")
    reason = _no_distribution(classes, useful, noise, error_useful, error_noise)
    if reason:
        raise ParameterError(reason)
    own = _own_clusters(classes, useful)
    count = own.sum(axis=1, keepdims=True)
    hit = (1 - error_useful - error_noise) / (classes * count)
    miss = error_useful / (classes * np.maximum(useful - count, 1))
    blind = np.full((classes, noise), error_noise / (classes * max(noise, 1)))
    return np.hstack([np.where(own, np.maximum(hit, 0.0), miss), blind])


def expected_table(distribution: ArrayLike, n: float) -> Contingency:
    """Return the table of the expected counts n p(c,k).

    Parameters
    ----------
    distribution : array_like of shape (classes, clusters)
        Probabilities that sum to 1, such as those of `family`. Rows are classes.
    n : float
        Number of objects.

    Returns
    -------
    Contingency
        The expected counts, which need not be whole. Clusters of probability 0 are left out.

    Raises
    ------
    ParameterError
        If `distribution` is not a distribution, or `n` is not a positive number.

    Notes
    -----
    The pair counts of the table are the expectations of Dom 2001, eqs. 25-30.

    Examples
    --------
    >>> expected_table(family(2, 2, error_useful=0.2), 10)
    Contingency of 10 objects: 2 classes x 2 clusters, 4 non-empty cells
           0  1  total
        0  4  1      5
        1  1  4      5
    total  5  5     10
    >>> round(expected_table(family(2, 2, error_useful=0.2), 10).pairs.n11, 12)
    15.3
    """
    try:
        shares = np.asarray(distribution, np.float64)
    except (TypeError, ValueError):
        raise ParameterError("a distribution is a matrix of numbers, one row per class.") from None
    if shares.ndim != 2 or 0 in shares.shape:
        raise ParameterError(
            f"a distribution is a matrix, one row per class, not an array of shape {shares.shape}."
        )
    if not (shares >= 0).all() or abs(shares.sum() - 1) > SUM_SLACK:
        raise ParameterError(
            f"a distribution is never negative and sums to 1, not to {shares.sum():.6g} with "
            f"smallest value {shares.min():.6g}."
        )
    counts = check_objects(n) * shares
    whole = np.rint(counts)
    # Counts that are whole but for rounding are made whole, as some measures need whole counts.
    counts = np.where(np.abs(counts - whole) <= WHOLE_SLACK * whole, whole, counts)
    return Contingency.from_counts(counts).as_population()


def check_objects(n: float) -> float:
    """Return a number of objects, which need not be whole."""
    if isinstance(n, bool) or not isinstance(n, int | float | np.number):
        raise ParameterError(Setting("n"), f" is a number of objects, not {n!r}.")
    if not (math.isfinite(n) and n > 0):
        raise ParameterError(Setting("n"), f" is a number of objects above 0, not {n}.")
    return float(n)


class Point(NamedTuple):
    """The parameters of one member of the family."""

    classes: int
    useful: int
    noise: int
    error_useful: float
    error_noise: float

    def __str__(self) -> str:
        return describe(self._asdict())


def describe(parameters: dict[str, Any]) -> str:
    """Return parameters as people read them.

    >>> describe({"useful": 5, "error_noise": 1 / 15})
    'useful=5, error_noise=0.06667'
    """
    return ", ".join(f"{name}={value:.4g}" for name, value in parameters.items())


@dataclass(frozen=True)
class Grid:
    """A grid of members of Dom's family: all combinations of the values given.

    Combinations that are no distribution of their own are left out: noise clusters without
    `error_noise` or the reverse, `error_useful` where no useful cluster is wrong, and errors
    that sum to more than 1.

    Parameters
    ----------
    classes : int or iterable of int, optional
        Numbers of classes.
    useful : int or iterable of int, optional
        Numbers of useful clusters.
    noise : int or iterable of int, optional
        Numbers of noise clusters.
    error_useful : float or iterable of float, optional
        Probabilities of a useful cluster of another class.
    error_noise : float or iterable of float, optional
        Probabilities of a noise cluster.

    Raises
    ------
    ParameterError
        If a field has no value, or a value that is out of range.

    Notes
    -----
    The defaults are the 760 combinations of Dom 2001, §7.2.1.

    Examples
    --------
    >>> len(Grid())
    760
    >>> list(Grid(classes=2, useful=[1, 2], noise=0, error_useful=[0, 0.1]))[1]
    Point(classes=2, useful=2, noise=0, error_useful=0.0, error_noise=0.0)
    """

    classes: Any = (5,)
    useful: Any = tuple(range(2, 12))
    noise: Any = tuple(range(7))
    error_useful: Any = (0.0, 1 / 15, 2 / 15, 1 / 5)
    error_noise: Any = (0.0, 0.1, 0.2, 0.3)

    def __post_init__(self) -> None:
        for name, least in (("classes", 1), ("useful", 1), ("noise", 0)):
            self._settle(name, {whole(value, name, least) for value in self._given(name)})
        for name in ("error_useful", "error_noise"):
            self._settle(name, {_probability(value, name) for value in self._given(name)})

    def _given(self, name: str) -> Iterable[Any]:
        values = getattr(self, name)
        several = isinstance(values, Iterable) and not isinstance(values, str)
        return values if several else [values]

    def _settle(self, name: str, values: set[Any]) -> None:
        if not values:
            raise ParameterError(f"a grid needs at least one value of {name}.")
        object.__setattr__(self, name, tuple(sorted(values)))

    def __iter__(self) -> Iterator[Point]:
        for values in product(*self.to_dict().values()):
            point = Point(*values)
            if (point.noise > 0) == (point.error_noise > 0) and not _no_distribution(*point):
                yield point

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the values of each parameter.

        Returns
        -------
        dict
            One sorted list per field.

        Examples
        --------
        >>> Grid(classes=2, useful=[1, 2], noise=0, error_useful=[0, 0.1], error_noise=0).to_dict()
        {'classes': [2], 'useful': [1, 2], 'noise': [0], 'error_useful': [0.0, 0.1],
         'error_noise': [0.0]}
        """
        return {name: list(getattr(self, name)) for name in self.__dataclass_fields__}


def _own_clusters(classes: int, useful: int) -> NDArray[np.bool_]:
    """Return which useful clusters belong to which class, by the ceiling rule."""
    if classes > useful:
        return _own_clusters(useful, classes).T
    owner = np.repeat(np.arange(classes), _ceiling_shares(useful, classes))
    return np.equal.outer(np.arange(classes), owner)


def _ceiling_shares(things: int, takers: int) -> list[int]:
    """Return how many things each taker gets by the ceiling rule.

    >>> _ceiling_shares(11, 5)
    [3, 2, 2, 2, 2]
    """
    shares = []
    for left in range(takers, 0, -1):
        shares.append(-(-things // left))
        things -= shares[-1]
    return shares


def _no_distribution(
    classes: int, useful: int, noise: int, error_useful: float, error_noise: float
) -> str | None:
    """Return why the family has no such member, if it has none."""
    if error_useful + error_noise > 1 + SUM_SLACK:
        return (
            "error_useful and error_noise are probabilities of different errors and sum to at "
            f"most 1, not to {error_useful + error_noise:.6g}."
        )
    if noise == 0 and error_noise > 0:
        return f"error_noise is {error_noise:.6g}, but there are no noise clusters to err into."
    if error_useful > 0 and (useful == 1 or classes == 1):
        one = "useful cluster" if useful == 1 else "class"
        return f"error_useful is {error_useful:.6g}, but with one {one} no useful cluster is wrong."
    return None


def _probability(value: Any, name: str) -> float:
    if isinstance(value, bool | str | bytes):
        raise ParameterError(Setting(name), f" is a probability, not {value!r}.")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(Setting(name), f" is a probability, not {value!r}.") from None
    if not 0 <= number <= 1:
        raise ParameterError(Setting(name), f" is a probability between 0 and 1, not {number:.6g}.")
    return number
