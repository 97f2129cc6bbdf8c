"""Partitions as sets of sets, by their definitions; nothing here comes from the package."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import prod

Blocks = frozenset


def blocks_of(labels):
    groups = {}
    for place, label in enumerate(labels):
        groups.setdefault(label, set()).add(place)
    return Blocks(frozenset(group) for group in groups.values())


def meet_of(one, other):
    return Blocks(a & b for a in one for b in other if a & b)


def join_of(one, other):
    """Unite what overlaps until nothing does."""
    groups = [set(block) for block in one]
    for block in other:
        touched = [group for group in groups if group & block]
        groups = [group for group in groups if not group & block]
        groups.append(set().union(*touched))
    return Blocks(frozenset(group) for group in groups)


def refines_of(one, other):
    return all(any(a <= b for b in other) for a in one)


def all_labels(n):
    """Every partition of n objects once, as labels."""

    def grow(labels, used):
        if len(labels) == n:
            yield labels
            return
        for label in range(used + 1):
            yield from grow((*labels, label), max(used, label + 1))

    return grow((), 0)


def power(one, other):
    """2^(n VI), a rational number: prod a^a prod b^b / prod x^2x over clusters and cells.

    Sums of distances are products of these, so what Meilă 2007 says of VI can be said exactly.
    """
    sizes = [Counter(labels).values() for labels in (one, other)]
    cells = Counter(zip(one, other, strict=True)).values()
    top = prod(size**size for side in sizes for size in side)
    return Fraction(top, prod(x ** (2 * x) for x in cells))
