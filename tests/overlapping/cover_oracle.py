"""Every measure of covers once more, from its definition, in fractions or sixty digits.

Nothing here comes from the package. Objects are 0, ..., n - 1; a cover is a list of sets of them.
A value is None where the definition is 0/0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from mpmath import lu_solve, matrix, mp, mpf

Groups = Sequence[frozenset[int]]
Exact = Fraction | mpf | None
DIGITS = 60


def shared(cover: Groups, i: int, j: int) -> int:
    return sum(i in group and j in group for group in cover)


def omega_unadjusted(n: int, truth: Groups, pred: Groups) -> Exact:
    pairs = list(combinations(range(n), 2))
    alike = sum(shared(truth, *pair) == shared(pred, *pair) for pair in pairs)
    return Fraction(alike, len(pairs)) if pairs else None


def omega_index(n: int, truth: Groups, pred: Groups) -> Exact:
    pairs = list(combinations(range(n), 2))
    observed = omega_unadjusted(n, truth, pred)
    if observed is None:
        return None
    one = Counter(shared(truth, *pair) for pair in pairs)
    two = Counter(shared(pred, *pair) for pair in pairs)
    expected = Fraction(sum(one[j] * two[j] for j in one), len(pairs) ** 2)
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _bcubed(n: int, base: Groups, other: Groups) -> Exact:
    """The mean over objects of the mean over objects that share a group of `base` with it."""
    means = []
    for e in range(n):
        near = [(shared(base, e, o), shared(other, e, o)) for o in range(n)]
        values = [Fraction(min(mine, theirs), mine) for mine, theirs in near if mine]
        if values:
            means.append(sum(values) / len(values))
    return sum(means) / len(means) if means else None


def extended_bcubed_precision(n: int, truth: Groups, pred: Groups) -> Exact:
    found = _bcubed(n, pred, truth), _bcubed(n, truth, pred)
    return None if None in found else found[0]


def extended_bcubed_recall(n: int, truth: Groups, pred: Groups) -> Exact:
    return extended_bcubed_precision(n, pred, truth)


def extended_bcubed_f1(n: int, truth: Groups, pred: Groups, beta: int = 1) -> Exact:
    precision = extended_bcubed_precision(n, truth, pred)
    recall = extended_bcubed_recall(n, truth, pred)
    if precision is None or recall is None:
        return None
    if not precision and not recall:
        return Fraction(0)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def best_match_f1_truth(n: int, truth: Groups, pred: Groups, average: str = "groups") -> Exact:
    weights = [1 if average == "groups" else len(group) for group in truth]
    best = [
        max((Fraction(2 * len(c & k), len(c) + len(k)) for k in pred), default=Fraction(0))
        for c in truth
    ]
    total = sum(weights)
    return sum(w * f for w, f in zip(weights, best, strict=True)) / total if total else None


def best_match_f1_pred(n: int, truth: Groups, pred: Groups, average: str = "groups") -> Exact:
    return best_match_f1_truth(n, pred, truth, average)


def best_match_f1(n: int, truth: Groups, pred: Groups, average: str = "groups") -> Exact:
    one = best_match_f1_truth(n, truth, pred, average)
    two = best_match_f1_pred(n, truth, pred, average)
    return None if one is None or two is None else (one + two) / 2


def _h(count: int, n: int) -> mpf:
    return -mpf(count) / n * mp.log(mpf(count) / n) if count else mpf(0)


def _conditional(n: int, x: frozenset[int], cover: Groups) -> mpf:
    """The least H(X | Y) over groups that agree with x more than they oppose it, else H(X)."""
    own = _h(len(x), n) + _h(n - len(x), n)
    found = [own]
    for y in cover:
        a, b, c, d = n - len(x | y), len(y - x), len(x - y), len(x & y)
        # A tie in exact numbers is one here too: sixty digits are compared up to fifty.
        if _h(a, n) + _h(d, n) - _h(b, n) - _h(c, n) >= -(mpf(10) ** -50):
            joint = _h(a, n) + _h(b, n) + _h(c, n) + _h(d, n)
            found.append(joint - _h(b + d, n) - _h(a + c, n))
    return min(found)


def overlapping_nmi_lfk(n: int, truth: Groups, pred: Groups) -> Exact:
    with mp.workdps(DIGITS):
        total = mpf(0)
        for one, two in ((truth, pred), (pred, truth)):
            if not one or any(len(x) == n for x in one):
                return None
            ratios = [_conditional(n, x, two) / (_h(len(x), n) + _h(n - len(x), n)) for x in one]
            total += sum(ratios) / len(one)
        return 1 - total / 2


def overlapping_nmi_max(n: int, truth: Groups, pred: Groups) -> Exact:
    with mp.workdps(DIGITS):
        own, left = [], []
        for one, two in ((truth, pred), (pred, truth)):
            own.append(sum((_h(len(x), n) + _h(n - len(x), n) for x in one), mpf(0)))
            left.append(sum((_conditional(n, x, two) for x in one), mpf(0)))
        return (sum(own) - sum(left)) / 2 / max(own) if max(own) else None


def _walks(n: int, cover: Groups, alpha: Fraction) -> list[list[mpf]]:
    """For each object the distribution p = (1 - alpha) e_i + alpha p W; W goes through groups."""
    steps = matrix(n, n)
    for i in range(n):
        own = [group for group in cover if i in group] or [frozenset({i})]
        for group in own:
            for j in group:
                steps[i, j] += mpf(1) / len(own) / len(group)
    a = mpf(alpha.numerator) / alpha.denominator
    system = (mp.eye(n) - a * steps).T
    found = []
    for i in range(n):
        start = matrix(n, 1)
        start[i] = 1 - a
        found.append(list(lu_solve(system, start)))
    return found


def overlapping_element_centric(
    n: int, truth: Groups, pred: Groups, alpha: Fraction = Fraction(9, 10)
) -> Exact:
    with mp.workdps(DIGITS):
        one, two = _walks(n, truth, alpha), _walks(n, pred, alpha)
        a = mpf(alpha.numerator) / alpha.denominator
        rows = [zip(x, y, strict=True) for x, y in zip(one, two, strict=True)]
        apart = sum(abs(p - q) for row in rows for p, q in row)
        return 1 - apart / (2 * a * n)


MEASURES = {
    function.__name__: function
    for function in (
        omega_index,
        omega_unadjusted,
        extended_bcubed_precision,
        extended_bcubed_recall,
        extended_bcubed_f1,
        best_match_f1_truth,
        best_match_f1_pred,
        best_match_f1,
        overlapping_nmi_lfk,
        overlapping_nmi_max,
        overlapping_element_centric,
    )
}
