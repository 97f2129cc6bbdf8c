"""Groups of one cover beside groups of another: best matches, and information given the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.overlapping.cover import Cover
from clustervet.overlapping.rows import Places

Floats = NDArray[np.float64]
# Steps of counting common objects that one block takes: so many numbers are held at most.
STEP = 1_000_000
# What rounding may take from an entropy, so that a tie in exact numbers stays one.
SLACK = 1e-12


class Common(NamedTuple):
    """Pairs of groups with common objects, and how many these are."""

    ones: Places
    twos: Places
    counts: Places


class Entropies(NamedTuple):
    """For each group its entropy, and what is left of it given the best group of the other cover.

    In nats, times the number of objects.
    """

    own: Floats
    left: Floats


def common_objects(one: Cover, two: Cover) -> Iterator[Common]:
    """Yield the common objects of groups of two covers, by blocks of groups of the first."""
    turned, rows = _by_group(one), _by_object(two)
    starts, members = one.by_group
    sums = np.concatenate([[0], np.cumsum(two.memberships[members])])
    work = sums[starts[1:]]
    blocks = max(1, -(-int(sums[-1]) // STEP))
    edges = np.searchsorted(work, np.arange(1, blocks) * STEP, "right").tolist()
    ends = sorted({0, *edges, one.k})
    for first, last in pairwise(ends):
        found = (turned[first:last] @ rows).tocoo()
        left, right = (side.astype(np.int64) for side in found.coords)
        yield Common(left + first, right, found.data)


def best_matches(one: Cover, two: Cover) -> tuple[Floats, Floats]:
    """For each group of either cover, the best F of a group of the other; 0 if all are disjoint."""
    first, second = np.zeros(one.k), np.zeros(two.k)
    for common in common_objects(one, two):
        both = one.sizes[common.ones] + two.sizes[common.twos]
        scores = 2 * common.counts / both
        np.maximum.at(first, common.ones, scores)
        np.maximum.at(second, common.twos, scores)
    return first, second


def f_scores(one: Cover, two: Cover, ones: Places, twos: Places) -> Floats:
    """The F of some groups of the first cover with some of the second, as a dense matrix."""
    common = (_by_group(one)[ones] @ _by_group(two)[twos].T).toarray()
    return np.asarray(2 * common / (one.sizes[ones][:, None] + two.sizes[twos]), np.float64)


def entropies(one: Cover, two: Cover) -> tuple[Entropies, Entropies]:
    """What is left of the information in each group, given the best group of the other cover.

    A group that contradicts more than it agrees says nothing (Lancichinetti, Fortunato and
    Kertész 2009, eq. B.14). Of disjoint groups only those that hold a quarter of all objects can
    say something about another one, or have something said about them.
    """
    n = one.n
    own = [_parted(side.sizes, n - side.sizes) for side in (one, two)]
    left = [values.copy() for values in own]

    def lower(common: Common) -> None:
        x, y = one.sizes[common.ones], two.sizes[common.twos]
        given = _given(n, x, y, common.counts)
        np.minimum.at(left[0], common.ones, given[0])
        np.minimum.at(left[1], common.twos, given[1])

    for common in common_objects(one, two):
        lower(common)
    for common in _disjoint(one, two):
        lower(common)
    for common in _disjoint(two, one):
        lower(Common(common.twos, common.ones, common.counts))
    return Entropies(own[0], left[0]), Entropies(own[1], left[1])


def _disjoint(one: Cover, two: Cover) -> Iterator[Common]:
    """Yield large groups of the first cover with the groups of the second that they do not meet."""
    large = np.flatnonzero(4 * one.sizes >= one.n)
    step = max(1, STEP // max(two.k, 1))
    turned, rows = _by_group(one), _by_object(two)
    for first in range(0, len(large), step):
        chosen = large[first : first + step]
        common = (turned[chosen] @ rows).toarray()
        where, twos = np.nonzero(common == 0)
        yield Common(chosen[where], twos, np.zeros(len(twos), np.int64))


def _given(n: int, x: Places, y: Places, both: Places) -> tuple[Floats, Floats]:
    """The information left in a group of size x given one of size y, and the other way round.

    All terms are positive, so that nothing is lost where little is left.
    """
    only_x, only_y, neither = x - both, y - both, n - x - y + both
    agree = _nats(both, n) + _nats(neither, n)
    oppose = _nats(only_x, n) + _nats(only_y, n)
    says = agree >= oppose * (1 - SLACK)
    left = _parted(both, only_y) + _parted(only_x, neither)
    right = _parted(both, only_x) + _parted(only_y, neither)
    return np.where(says, left, np.inf), np.where(says, right, np.inf)


def _parted(a: Places, b: Places) -> Floats:
    """The entropy of a split into a and b objects, in nats, times a + b."""
    return _terms(a, b) + _terms(b, a)


def _terms(a: Places, b: Places) -> Floats:
    """The sum a log(1 + b / a), which is 0 for a = 0."""
    return np.asarray(a * np.log1p(b / np.maximum(a, 1)), np.float64)


def _nats(a: Places, n: int) -> Floats:
    """The sum a log(n / a), which is 0 for a = 0."""
    return _terms(a, n - a)


def _by_group(cover: Cover) -> Any:
    from scipy.sparse import csr_array

    starts, members = cover.by_group
    ones = np.ones(len(members), np.int64)
    return csr_array((ones, members, starts), shape=(cover.k, cover.n))


def _by_object(cover: Cover) -> Any:
    from scipy.sparse import csr_array

    ones = np.ones(len(cover.indices), np.int64)
    return csr_array((ones, cover.indices, cover.indptr), shape=(cover.n, cover.k))
