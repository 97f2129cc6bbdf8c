"""Information that the clusters of two soft clusterings share, by the table of their shares."""

from __future__ import annotations

import math

from clustervet.external.information import (
    Average,
    mutual_information,
    normalized_mutual_information,
    variation_of_information,
)
from clustervet.registry import measure
from clustervet.soft.pair import SoftPair

TABLE = "p(c,k) = (1/n) sum_i P_ic Q_ik; "
DRAWN = "of an object drawn at random, of which a class and a cluster are drawn by its degrees"
NOT_FIXED = "Equal clusterings must have a fixed value: drawn twice, an object of two clusters is "


@measure(
    title="Soft mutual information",
    symbol="I_S",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, math.inf),
    unit="bits",
    symmetric=True,
    equation=TABLE + "sum p(c,k) log( p(c,k) / (p(c) p(k)) )",
    reference="Dom 2001, App. C.1",
    meaning=f"How many bits the cluster tells about the class, {DRAWN}.",
    use="You want information for soft clusterings as for hard ones, in bits.",
    avoid="Numbers of clusters differ: it has no common ceiling. Or degrees are far from 0 and 1: "
    "they count as doubt, though both clusterings may share it.",
)
def soft_mutual_information(pair: SoftPair, base: float = 2) -> float:
    """Information that class and cluster of an object share.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Notes
    -----
    It is `mutual_information` of `Contingency.from_memberships`, and that of hard clusterings.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.soft_mutual_information(["a", "a", "b", "b"], [[1, 0], [1, 0], [0, 1], [0, 1]])
    1.0
    """
    return float(mutual_information.record.formula(pair.table, base))


@measure(
    title="Soft normalized mutual information",
    symbol="NMI_S",
    family="soft",
    kind="soft",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    equation=TABLE + "I / mean(H(C), H(K)); the mean is geometric unless average= says otherwise",
    reference="Dom 2001, App. C.1; Strehl & Ghosh 2002",
    meaning=f"Shared information as a share of the information in each, {DRAWN}.",
    use="You compare soft clusterings with different numbers of clusters by information.",
    avoid=NOT_FIXED + "not always in the same, so the value is below 1. Take ndc.",
)
def soft_normalized_mutual_information(pair: SoftPair, average: Average = "geometric") -> float:
    """Mutual information divided by a mean of both entropies.

    Parameters
    ----------
    average : {'geometric', 'arithmetic', 'min', 'max', 'joint'}, default 'geometric'
        Mean of both entropies by which the value is normalised.

    Notes
    -----
    It is `normalized_mutual_information` of `Contingency.from_memberships`, and that of hard
    clusterings.

    Examples
    --------
    >>> import clustervet as cv
    >>> P = [[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]]
    >>> round(cv.soft_normalized_mutual_information(P, P), 6)
    0.319923
    """
    if pair.table.identical:
        return 1.0
    return float(normalized_mutual_information.record.formula(pair.table, average))


@measure(
    title="Soft variation of information",
    symbol="VI_S",
    family="soft",
    kind="soft",
    better="lower",
    bounds=(0, math.inf),
    unit="bits",
    symmetric=True,
    equation=TABLE + "H(C|K) + H(K|C)",
    reference="Dom 2001, App. C.1; Meilă 2007, eq. 22",
    meaning=f"How uncertain class and cluster are once the other is known, {DRAWN}.",
    use="You want the variation of information for clusterings that are nearly hard.",
    avoid=NOT_FIXED
    + "not always in the same, so the value is above 0. 1 minus ndc is a distance that "
    "is 0 there.",
)
def soft_variation_of_information(pair: SoftPair, base: float = 2) -> float:
    """Information that class and cluster of an object do not share.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Notes
    -----
    It is `variation_of_information` of `Contingency.from_memberships`, and that of hard
    clusterings. The triangle inequality holds, but equal soft clusterings are not at distance 0.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.soft_variation_of_information(["a", "a", "b", "b"], [[1, 0], [1, 0], [0, 1], [0, 1]])
    0.0
    """
    return float(variation_of_information.record.formula(pair.table, base))
