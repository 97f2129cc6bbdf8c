"""Algorithms ranked over data sets: the Friedman test, tests of pairs, and Bayesian comparisons."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.inference.compare import holm

Floats = NDArray[np.float64]
POSTHOCS = ("nemenyi", "wilcoxon")
# Scores that differ by less than rounding are equal.
DIGITS = 12
# Differences up to which signed ranks are tested exactly.
EXACT = 200
# Draws from the posterior, and the weight of the prior's single difference of zero, as in
# Benavoli et al. 2014.
DRAWS, PRIOR = 20_000, 0.5


@dataclass(frozen=True, slots=True)
class PairOfAlgorithms:
    """Two algorithms over all sets.

    `wins` are the sets on which the first is better by more than the rope, `losses` those on which
    the second is, `ties` the others. `p_value` is that of the test after the Friedman test, for all
    pairs together; it is None for fewer than two sets. `probabilities` are those that the first is
    better, that they are equal in practice, and that the second is better, on another set of the
    same kind.
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    p_value: float | None
    probabilities: tuple[float, float, float] | None


@dataclass(frozen=True, eq=False)
class RankedScores:
    """Scores of algorithms (columns) on sets (rows), larger better, and what follows from them."""

    names: tuple[str, ...]
    scores: Floats
    posthoc: str
    alpha: float
    rope: float
    seed: int

    @property
    def test(self) -> str:
        """The test of pairs; of two algorithms it is that of signed ranks.

        There Nemenyi's test is the sign test by a normal approximation, which errs too often.
        """
        return "wilcoxon" if len(self.names) == 2 else self.posthoc

    @cached_property
    def ranks(self) -> Floats:
        """Rank of each algorithm on each set, 1 for the best; equal scores share a mean rank."""
        from scipy.stats import rankdata

        ranks: Floats = rankdata(-np.round(self.scores, DIGITS), axis=1)
        return ranks

    @cached_property
    def mean_ranks(self) -> Floats:
        """Mean rank of each algorithm over the sets."""
        mean: Floats = self.ranks.mean(axis=0)
        return mean

    @cached_property
    def friedman(self) -> tuple[float, float] | None:
        """Statistic and p-value of the Friedman test, corrected for ties (Friedman 1937).

        None for fewer than three algorithms or two sets. Without any difference of ranks the
        p-value is 1.
        """
        sets, many = self.scores.shape
        if many < 3 or sets < 2:
            return None
        if (self.ranks == self.ranks[0, 0]).all():
            return 0.0, 1.0
        from scipy.stats import friedmanchisquare

        found = friedmanchisquare(*self.ranks.T)
        return float(found.statistic), float(found.pvalue)

    @cached_property
    def critical_difference(self) -> float | None:
        """Difference of mean ranks from which on two algorithms differ by Nemenyi's test."""
        sets, many = self.scores.shape
        if self.test != "nemenyi" or many < 2 or sets < 2:
            return None
        return _range_quantile(self.alpha, many) * math.sqrt(many * (many + 1) / (12 * sets))

    @cached_property
    def p_values(self) -> dict[tuple[int, int], float]:
        """P-value of each pair of algorithms, adjusted for the number of pairs."""
        sets, many = self.scores.shape
        if sets < 2:
            return {}
        pairs = list(combinations(range(many), 2))
        if self.test == "nemenyi":
            return dict(zip(pairs, self._nemenyi(pairs), strict=True))
        return dict(zip(pairs, holm([self._wilcoxon(*pair) for pair in pairs]), strict=True))

    def _nemenyi(self, pairs: list[tuple[int, int]]) -> list[float]:
        """Return p-values by the range of normal variables (Demšar 2006, §3.2.2)."""
        from scipy.stats import studentized_range

        sets, many = self.scores.shape
        error = math.sqrt(many * (many + 1) / (12 * sets))
        gaps = np.array([abs(self.mean_ranks[a] - self.mean_ranks[b]) for a, b in pairs])
        found: list[float] = studentized_range.sf(gaps / error, many, np.inf).tolist()
        return found

    def _wilcoxon(self, first: int, second: int) -> float:
        """Return the p-value of the signed-rank test."""
        gaps = np.round(self.scores[:, first] - self.scores[:, second], DIGITS)
        return signed_rank_p(gaps[gaps != 0])

    def differ(self, first: int, second: int) -> bool:
        """Return whether two algorithms differ: by the Friedman test and by that of the pair."""
        pair = min(first, second), max(first, second)
        overall = self.friedman is None or self.friedman[1] <= self.alpha
        return overall and self.p_values.get(pair, 1.0) <= self.alpha

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """Longest runs of two or more algorithms, by mean rank, of which no two differ."""
        order = np.argsort(self.mean_ranks, kind="stable").tolist()
        found: list[tuple[int, int]] = []
        for start in range(len(order)):
            end = start
            while end + 1 < len(order) and not any(
                self.differ(one, order[end + 1]) for one in order[start : end + 1]
            ):
                end += 1
            if end > start and not (found and found[-1][1] >= end):
                found.append((start, end))
        return tuple(tuple(self.names[k] for k in order[a : b + 1]) for a, b in found)

    @cached_property
    def pairs(self) -> tuple[PairOfAlgorithms, ...]:
        """Every pair of algorithms."""
        rng = np.random.default_rng(self.seed)
        return tuple(self._pair(a, b, rng) for a, b in combinations(range(len(self.names)), 2))

    def _pair(self, a: int, b: int, rng: np.random.Generator) -> PairOfAlgorithms:
        gaps = np.round(self.scores[:, a] - self.scores[:, b], DIGITS)
        wins, losses = int((gaps > self.rope).sum()), int((gaps < -self.rope).sum())
        sets = len(gaps)
        return PairOfAlgorithms(
            first=self.names[a],
            second=self.names[b],
            wins=wins,
            ties=sets - wins - losses,
            losses=losses,
            p_value=self.p_values.get((a, b)),
            probabilities=signed_rank_posterior(gaps, self.rope, rng) if sets > 1 else None,
        )


def signed_rank_p(gaps: Floats) -> float:
    """Return the p-value of the signed-rank test (Wilcoxon 1945) of differences without zeros.

    Up to 200 differences it is exact, also with ties: the share of all signs whose sum of ranks is
    at least as far from the middle. scipy computes it for ties sign by sign, which takes seconds.

    >>> signed_rank_p(np.array([1.0, 2.0, 3.0, 4.0])), signed_rank_p(np.array([]))
    (0.125, 1.0)
    """
    from scipy.stats import rankdata, wilcoxon

    if len(gaps) > EXACT:
        return float(wilcoxon(gaps, method="approx").pvalue)
    doubled = (2 * rankdata(abs(gaps))).astype(np.int64)  # whole, as mean ranks are halves
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled.tolist():
        shares[rank:] = (shares[rank:] + shares[:-rank]) / 2
        shares[:rank] /= 2
    above = int(doubled[gaps > 0].sum())
    least = min(above, len(shares) - 1 - above)
    return min(1.0, 2 * math.fsum(shares[: least + 1].tolist()))


@cache
def _range_quantile(alpha: float, many: int) -> float:
    """Return what the range of normal variables exceeds with a probability; it takes a while."""
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - alpha, many, np.inf))


def signed_rank_posterior(
    gaps: Floats, rope: float, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return the probabilities that the first is better, that both are equal, and the reverse.

    It is the Bayesian signed-rank test (Benavoli et al. 2014): the differences get random weights
    by a Dirichlet distribution, beside one difference of zero as the prior. In each draw the side
    wins on which the most weight of the sums of two differences lies; the middle is the rope.

    >>> signed_rank_posterior(np.array([1.0, 2.0, 3.0, 4.0] * 3), 0.5, np.random.default_rng(0))
    (1.0, 0.0, 0.0)
    """
    held = np.concatenate([[0.0], gaps])
    sums = held[:, None] + held
    weights = rng.dirichlet([PRIOR, *np.ones(len(gaps))], DRAWS)
    above, below = (_weight(weights, side, 2 * rope) for side in (sums, -sums))
    if rope == 0:
        better = float((above > below).mean() + 0.5 * (above == below).mean())
        return better, 0.0, 1.0 - better
    winners = np.argmax(np.stack([above, 1 - above - below, below]), axis=0)
    shares: list[Any] = (np.bincount(winners, minlength=3) / DRAWS).tolist()
    return shares[0], shares[1], shares[2]


def _weight(weights: Floats, sums: Floats, limit: float) -> Floats:
    """Return the weight of sums beyond a limit; those at the limit count by half."""
    beyond = (sums > limit) + 0.5 * (sums == limit)
    found: Floats = ((weights @ beyond) * weights).sum(axis=1)
    return found
