"""Measures of covers that look at pairs of objects: the omega index."""

from __future__ import annotations

from clustervet.external.common import share
from clustervet.overlapping.pair import CoverPair
from clustervet.registry import measure

ONE_OBJECT = "there are no pairs of objects"


@measure(
    title="Omega index",
    symbol="ω",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(-1, 1),
    symmetric=True,
    adjusted=True,
    perfect=1.0,
    aliases=("omega",),
    equation="(O - E) / (1 - E), O the share of pairs that share as many groups in both, "
    "E = (1/M^2) sum_j N_j N'_j, N_j the pairs that share j groups",
    reference="Collins & Dent 1988; Gregory 2011",
    meaning="Pairs of objects that share the same number of groups in both covers, corrected for "
    "chance. Where nothing overlaps it is the adjusted Rand index.",
    use="Groups overlap, and you want one number that is 0 for unrelated covers.",
    avoid="It matters which groups are found: only their number per pair counts, so that different "
    "covers can have the value 1. Near misses do not count: 2 shared groups instead of 3 are as "
    "wrong as none. Groups of one object do not count either.",
)
def omega_index(pair: CoverPair) -> float:
    """Agreement on how many groups pairs of objects share, corrected for chance.

    >>> round(omega_index([{0, 1, 2}, {2, 3}], [{0, 1, 2}, {3, 4}]), 12)
    0.583333333333
    """
    met = pair.meetings
    chance = sum(a * b for a, b in zip(met.ones, met.twos, strict=False))
    above, room = met.agreed * met.pairs - chance, met.pairs**2 - chance
    return share(above, room, "all pairs of objects share the same number of groups")


@measure(
    title="Omega index without correction",
    symbol="ω_u",
    family="covers",
    kind="overlapping",
    better="higher",
    bounds=(0, 1),
    symmetric=True,
    perfect=1.0,
    aliases=("unadjusted_omega",),
    equation="(1/M) sum_j A_j, A_j the pairs that share j groups in both covers",
    reference="Collins & Dent 1988",
    meaning="The share of pairs of objects that share the same number of groups in both covers. "
    "Where nothing overlaps it is the Rand index.",
    use="You want the plain share of pairs behind the omega index.",
    avoid="Groups are small: nearly all pairs share no group in either cover, and the value is "
    "near 1 for any two covers.",
)
def omega_unadjusted(pair: CoverPair) -> float:
    """Share of pairs of objects that share as many groups in both covers.

    >>> omega_unadjusted([{0, 1, 2}, {2, 3}], [{0, 1, 2}, {3, 4}])
    0.8
    """
    return share(pair.meetings.agreed, pair.meetings.pairs, ONE_OBJECT)
