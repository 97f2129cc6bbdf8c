"""A counterexample made smaller, point by point, for as long as it stays one."""

from __future__ import annotations

from collections.abc import Callable

from clustervet.lab.cases import Case
from clustervet.lab.properties import Property


def shrink(case: Case, kind: Property, fails: Callable[[Case], bool]) -> Case:
    """The smallest failing case that dropping one point at a time leads to.

    A point is dropped from all labelings at once. Where no single point can go, the case is
    the smallest found.
    """
    smaller = _smaller(case, kind, fails)
    while smaller is not None:
        case, smaller = smaller, _smaller(smaller, kind, fails)
    return case


def _smaller(case: Case, kind: Property, fails: Callable[[Case], bool]) -> Case | None:
    points = len(case.seeds[0])
    if not kind.shrinks or points == 1:
        return None
    for k in range(points):
        seeds = tuple((*seed[:k], *seed[k + 1 :]) for seed in case.seeds)
        for found in kind.build(seeds):
            if fails(found):
                return found
    return None
