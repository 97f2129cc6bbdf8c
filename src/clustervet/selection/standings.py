"""`Standings`: candidates, and the bounds that each language gives them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from clustervet.errors import ParameterError
from clustervet.labels import show_label
from clustervet.pacmdl import Language, languages
from clustervet.pacmdl.coding import CHOICES
from clustervet.selection.candidates import Candidate, SelectionStudy


@dataclass(frozen=True, repr=False, eq=False)
class Standings:
    """Candidates and what was tried, from which the bounds under any language follow.

    Parameters
    ----------
    study : SelectionStudy
        What was tried, on what data, and which choices the bound pays for.
    table : tuple of Candidate
        All candidates in the order of algorithms, numbers of clusters and runs.

    Examples
    --------
    >>> import clustervet as cv
    >>> X, y = [[0.0], [0.1], [9.0], [9.1]], ["a", None, "b", "b"]
    >>> found = cv.select(X, y, algorithms=["kmeans", "ward"], clusters=[2], runs=1)
    >>> standings = found.among(["ward"])
    >>> standings.lowest.algorithm, standings.lowest.bits < found.best.bits
    ('ward', True)
    """

    study: SelectionStudy
    table: tuple[Candidate, ...]

    @property
    def failed(self) -> tuple[Candidate, ...]:
        """The candidates whose fit failed, each with its reason."""
        return tuple(candidate for candidate in self.table if candidate.error is not None)

    @cached_property
    def curves(self) -> dict[str, dict[int, float]]:
        """By algorithm and number of clusters, the best bound over the runs.

        It pays for the labels and for choosing the run (Banerjee & Langford 2004, eq. 2 and
        fig. 2); nan where every run failed.
        """
        best: dict[str, dict[int, float]] = {
            name: dict.fromkeys(self.study.clusters, math.nan) for name in self.study.algorithms
        }
        for candidate in self._rated(("runs",)):
            held = best[candidate.algorithm]
            held[candidate.clusters] = _least(held[candidate.clusters], candidate.rate)
        return best

    @cached_property
    def by_algorithm(self) -> dict[str, Candidate]:
        """The best candidate of each algorithm, in the order of the algorithms.

        Its bound pays for the labels, the run and the number of clusters (eq. 3 and fig. 3).
        """
        best: dict[str, Candidate] = {}
        for candidate in sorted(self._rated(("runs", "number")), key=self.study.rank):
            best.setdefault(candidate.algorithm, candidate)
        return {name: best[name] for name in self.study.algorithms if name in best}

    @property
    def lowest(self) -> Candidate:
        """The candidate with the lowest bound, which pays for every choice that was made."""
        found = min(self._rated(tuple(CHOICES)), key=self.study.rank, default=None)
        if found is None:
            raise ParameterError("every fit of these algorithms failed.")
        return found

    def among(self, algorithms: Collection[str]) -> Standings:
        """Return the standings if only these algorithms had been tried.

        Parameters
        ----------
        algorithms : collection of str
            Names of algorithms that were tried. Choose them without looking at the labels: their
            bounds pay for the choice among them, and not for having left out the others.

        Returns
        -------
        Standings
            Their candidates.

        Raises
        ------
        ParameterError
            If one of them was not tried, or there is none.

        Examples
        --------
        >>> import clustervet as cv
        >>> X, y = [[0.0], [0.1], [9.0], [9.1]], ["a", None, "b", "b"]
        >>> found = cv.select(X, y, algorithms=["kmeans", "ward"], clusters=[2], runs=1)
        >>> len(found.table), len(found.among(["ward"]).table)
        (2, 1)
        """
        wanted = [algorithms] if isinstance(algorithms, str) else list(algorithms)
        tried = self.study.algorithms
        for name in wanted:
            if name not in tried:
                raise ParameterError(
                    f"this selection did not try {show_label(name)!r}, but {', '.join(tried)}."
                )
        if not wanted:
            raise ParameterError("algorithms is empty; name at least one that was tried.")
        names = tuple(name for name in tried if name in wanted)
        kinds = tuple(self.study.representation(name) for name in names)
        study = replace(
            self.study,
            algorithms=names,
            representations=kinds if self.study.representations else (),
        )
        return Standings(study, tuple(one for one in self.table if one.algorithm in names))

    def runs_under(self, language: str | Language) -> tuple[Candidate, ...]:
        """Return every candidate with its bound under a language.

        Parameters
        ----------
        language : str or Language
            The language. Under "simple" each bound is that of one run that was fixed beforehand
            (Banerjee & Langford 2004, eq. 1 and fig. 1); the lowest of several such bounds is none,
            since nothing pays for choosing it.

        Returns
        -------
        tuple of Candidate
            Those candidates that the language can describe, in the order of `table`, with `bits`,
            `max_errors` and `rate` under it. Runs that do not compete are among them.

        Raises
        ------
        ParameterError
            If there is no such language.

        Examples
        --------
        >>> import clustervet as cv
        >>> X, y = [[0.0], [0.1], [9.0], [9.1]], ["a", None, "b", "b"]
        >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2], runs=3)
        >>> [(one.run, one.bits) for one in found.runs_under("simple")]
        [(0, 2.0), (1, 2.0), (2, 2.0)]
        """
        told = languages.resolve(language)
        paid = tuple(choice for choice in self.study.choices() if choice in _paid(told))
        rated = (self.study.rated(candidate, told, paid) for candidate in self.table)
        return tuple(candidate for candidate in rated if candidate is not None)

    def _rated(self, paid: tuple[str, ...]) -> Iterator[Candidate]:
        """Yield those that compete, under the language's label code with these choices paid."""
        own = self.study.language
        made = tuple(choice for choice in self.study.choices() if choice in paid)
        language = own if own.choices is None else replace(own, choices=made)
        for candidate in self.table:
            rated = self.study.rated(candidate, language, made) if candidate.competes else None
            if rated is not None:
                yield rated

    def languages(self) -> dict[str, float]:
        """Return the bound as a rate under each language.

        Returns
        -------
        dict
            Rates by the key of the language, without those that cannot describe the candidates.

        Notes
        -----
        As in fig. 6 of Banerjee & Langford 2004, a language's bound is the best over the choices
        that it pays for and the average over those that it does not pay for: the best would not
        be a bound.

        Examples
        --------
        >>> import numpy as np
        >>> import clustervet as cv
        >>> rng = np.random.default_rng(0)
        >>> X = np.concatenate([rng.normal(c, 1, (100, 2)) for c in ((0, 0), (9, 0))])
        >>> y = np.repeat(["ham", "spam"], 100)
        >>> found = cv.select(X, y, algorithms=["kmeans"], clusters=[2, 3], runs=1)
        >>> rates = found.languages()
        >>> {key: round(rates[key], 3) for key in ("simple", "cluster", "adaptive")}
        {'simple': 0.055, 'cluster': 0.06, 'adaptive': 0.07}
        """
        rates = {record.key: self._average(record) for record in languages.values()}
        return {key: rate for key, rate in rates.items() if rate is not None}

    def _average(self, language: Language) -> float | None:
        paid = _paid(language)
        groups: dict[tuple[Any, ...], float] = {}
        for rated in self.runs_under(language):
            if rated.competes:
                values = {
                    "runs": rated.run,
                    "number": rated.clusters,
                    "algorithms": rated.algorithm,
                }
                group = tuple(value for choice, value in values.items() if choice not in paid)
                groups[group] = _least(groups.get(group, math.nan), rated.rate)
        return math.fsum(groups.values()) / len(groups) if groups else None


def _paid(language: Language) -> tuple[str, ...]:
    """Return the choices that a language pays for if they are made."""
    return tuple(CHOICES) if language.choices is None else language.choices


def _least(held: float, rate: float | None) -> float:
    found = math.nan if rate is None else rate
    return found if math.isnan(held) else min(held, found)
