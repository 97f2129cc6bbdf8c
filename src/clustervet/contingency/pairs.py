"""Pairs of objects, counted from sums of squares."""

from __future__ import annotations

from fractions import Fraction
from operator import floordiv, truediv
from typing import NamedTuple

Number = int | float | Fraction


class Pairs(NamedTuple):
    """Pairs of objects by whether class and cluster put them together (Meilă 2007, §2.1).

    In Dom's (2001, eqs. 2-5) notation n11, n10, n01, n00 are a00, a01, a10, a11.

    Parameters
    ----------
    n11 : int, float or Fraction
        Pairs in the same class and the same cluster.
    n10 : int, float or Fraction
        Pairs in the same class and different clusters.
    n01 : int, float or Fraction
        Pairs in different classes and the same cluster.
    n00 : int, float or Fraction
        Pairs in different classes and different clusters.

    Examples
    --------
    >>> import clustervet as cv
    >>> pairs = cv.Contingency.from_labels(["a", "a", "b", "b"], [0, 0, 0, 1]).pairs
    >>> pairs
    Pairs(n11=1, n10=1, n01=2, n00=2)
    >>> pairs.total, pairs.same_class, pairs.same_cluster
    (6, 2, 3)
    """

    n11: Number  # same class, same cluster
    n10: Number  # same class, different clusters
    n01: Number  # different classes, same cluster
    n00: Number  # different classes, different clusters

    @property
    def total(self) -> Number:
        """All pairs."""
        return self.n11 + self.n10 + self.n01 + self.n00

    @property
    def same_class(self) -> Number:
        """Pairs in one class (Dom 2001, eq. 6)."""
        return self.n11 + self.n10

    @property
    def same_cluster(self) -> Number:
        """Pairs in one cluster (Dom 2001, eq. 7)."""
        return self.n11 + self.n01


def count_pairs(cells: Number, classes: Number, clusters: Number, n: Number) -> Pairs:
    """Pairs from the sums of squares of cells and of both margins, each of x (x - 1) / 2."""
    halve = floordiv if isinstance(n, int) else truediv
    both, in_class, in_cluster, everything = (
        halve(square - n, 2) for square in (cells, classes, clusters, n * n)
    )
    # Rounded sums of very many real weights must not turn a count of pairs negative.
    apart, together = (max(x, 0) for x in (in_class - both, in_cluster - both))
    return Pairs(both, apart, together, everything - both - apart - together)
