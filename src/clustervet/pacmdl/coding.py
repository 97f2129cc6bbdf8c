"""Descriptions of classifiers, and the languages that code them in bits.

A language is a code for the labels of the clusters, together with the choices that it pays for:
which run, how many clusters, which algorithm. It must be fixed before any label is seen, and
satisfy Kraft's inequality: the sum of 2^-bits over all descriptions is at most 1. The bound has no
other condition (Banerjee & Langford 2004, §3).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from clustervet._checks import whole
from clustervet.errors import ParameterError

# The choices that a language may pay for, and their names in messages.
CHOICES = {
    "runs": "the run",
    "number": "the number of clusters",
    "algorithms": "the algorithm",
}
PAPER = "Banerjee & Langford 2004"
LOG_TWO = math.log(2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """One classifier made from clusters.

    Parameters
    ----------
    clusters : int
        Number of clusters.
    labels : int
        Number of possible labels, at least 2.
    assignment : tuple of int, optional
        Code of the label of each cluster, from 0 to labels - 1, in an order that depends on the
        clustering alone.
    number : int, optional
        Number of clusters that the algorithm was asked for, if some are empty.
    runs : int, default 1
        Number of runs of which the best was chosen by looking at the labels.
    algorithms : int, default 1
        Number of algorithms of which the best was chosen by looking at the labels.
    searched : bool, default False
        Whether the number of clusters was chosen by looking at the labels.

    Raises
    ------
    ParameterError
        If a number is out of range, or the assignment does not fit the clusters and labels.

    Examples
    --------
    >>> Description(clusters=3, labels=3, runs=10).choices
    ('runs',)
    """

    clusters: int
    labels: int
    assignment: tuple[int, ...] | None = None
    number: int | None = None
    runs: int = 1
    algorithms: int = 1
    searched: bool = False

    def __post_init__(self) -> None:
        for name, least in (("clusters", 1), ("labels", 2), ("runs", 1), ("algorithms", 1)):
            object.__setattr__(self, name, whole(getattr(self, name), name, least))
        if self.number is not None:
            object.__setattr__(self, "number", whole(self.number, "number", self.clusters))
        if self.assignment is None:
            return
        if len(self.assignment) != self.clusters:
            raise ParameterError(
                f"assignment must have one label per cluster; there are {self.clusters} clusters "
                f"and {len(self.assignment)} labels."
            )
        if not (min(self.assignment) >= 0 and max(self.assignment) < self.labels):
            raise ParameterError(f"assignment must hold codes from 0 to {self.labels - 1}.")

    @property
    def choices(self) -> tuple[str, ...]:
        """Choices that were made by looking at the labels."""
        made = {"runs": self.runs > 1, "number": self.searched, "algorithms": self.algorithms > 1}
        return tuple(choice for choice, was_made in made.items() if was_made)

    @property
    def known_assignment(self) -> tuple[int, ...]:
        """The assignment; raises an error if there is none, for codes that depend on it."""
        if self.assignment is None:
            raise ParameterError("this language needs the assignment of labels to clusters.")
        return self.assignment

    @property
    def uses(self) -> list[int]:
        """How often each label is used, in rising order; labels that are not used are left out."""
        return sorted(Counter(self.known_assignment).values())

    def choice_bits(self, choice: str) -> float:
        """Return the bits that a choice costs.

        Parameters
        ----------
        choice : {'runs', 'number', 'algorithms'}
            Name of the choice.

        Returns
        -------
        float
            Bits: log2 r for runs, log2 c(c - 1) for the number of clusters, log2 s for algorithms.

        Raises
        ------
        ParameterError
            If the number of clusters is coded and there is one cluster.

        Notes
        -----
        See Banerjee & Langford 2004, eqs. 2-4.

        Examples
        --------
        >>> Description(clusters=3, labels=3, runs=8).choice_bits("runs")
        3.0
        """
        if choice == "runs":
            return math.log2(self.runs)
        if choice == "algorithms":
            return math.log2(self.algorithms)
        number = self.number or self.clusters
        if number < 2:
            raise ParameterError(
                "the number of clusters is coded by log c(c - 1) bits, which needs two clusters "
                "or more; there is one."
            )
        return math.log2(number) + math.log2(number - 1)


LabelCode = Callable[[Description], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A code for the labels of the clusters, and the choices that it pays for.

    Parameters
    ----------
    key : str
        Name in the registry, in lower case.
    title : str
        Name for headings.
    choices : tuple of str or None
        Choices that are paid for, among "runs", "number" and "algorithms"; None for those that were
        made, which the description knows.
    meaning : str
        What the language pays for, in a sentence.
    reference : str
        Work that defines it.
    code : callable
        Function that returns the bits for the labels of a `Description`.

    Examples
    --------
    >>> from clustervet.pacmdl import languages
    >>> languages["init"].choices
    ('runs',)
    """

    key: str
    title: str
    choices: tuple[str, ...] | None
    meaning: str
    reference: str
    code: LabelCode

    def bits(self, description: Description) -> float:
        """Return the length of a description.

        Parameters
        ----------
        description : Description
            Labels of the clusters, and how the clustering was chosen.

        Returns
        -------
        float
            Number of bits.

        Raises
        ------
        ParameterError
            If a choice was made that the language does not pay for.

        Notes
        -----
        The length is the sum of `costs` (Banerjee & Langford 2004, eqs. 1-4).

        Examples
        --------
        >>> from clustervet.pacmdl import languages
        >>> round(languages["cluster"].bits(Description(clusters=3, labels=3, runs=10)), 3)
        10.662
        """
        return math.fsum(self.costs(description).values())

    def costs(self, description: Description) -> dict[str, float]:
        """Return the bits by what they pay for: the labels of the clusters, and each choice.

        Parameters
        ----------
        description : Description
            Labels of the clusters, and how the clustering was chosen.

        Returns
        -------
        dict
            Bits by "labels" and the names of the choices.

        Raises
        ------
        ParameterError
            If a choice was made that the language does not pay for, since the bound would not hold.

        Examples
        --------
        >>> from clustervet.pacmdl import languages
        >>> languages["init"].costs(Description(clusters=4, labels=2, runs=8))
        {'labels': 4.0, 'runs': 3.0}
        """
        made = description.choices
        paid = made if self.choices is None else self.choices
        for choice in made:
            if choice not in paid:
                raise ParameterError(
                    f"the language {self.key!r} does not pay for choosing {CHOICES[choice]} by "
                    f"the labels; {_payer(made)!r} does, and 'mixture'."
                )
        return {"labels": self.label_bits(description)} | {
            choice: description.choice_bits(choice) for choice in paid
        }

    def label_bits(self, description: Description) -> float:
        """Return the bits for the labels of the clusters, without choices.

        Parameters
        ----------
        description : Description
            Labels of the clusters.

        Returns
        -------
        float
            Number of bits.

        Raises
        ------
        ParameterError
            If the code returns a negative number or NaN.

        Examples
        --------
        >>> from clustervet.pacmdl import languages
        >>> languages["simple"].label_bits(Description(clusters=4, labels=2))
        4.0
        """
        bits = float(self.code(description))
        if not bits >= 0:
            raise ParameterError(
                f"the language {self.key!r} gives {bits} bits, which is not a length."
            )
        return bits


def _payer(made: Sequence[str]) -> str:
    """The shortest of the paper's languages that pays for these choices."""
    return "algo" if "algorithms" in made else "cluster" if "number" in made else "init"


def kraft_sum(language: Language, clusters: int, labels: int) -> float:
    """Sum 2^-bits over all assignments of labels to clusters.

    Parameters
    ----------
    language : Language
        Language whose label code is summed.
    clusters : int
        Number of clusters.
    labels : int
        Number of labels.

    Returns
    -------
    float
        Sum, at most 1 for a valid code.

    Notes
    -----
    Kraft's inequality is the condition of the bound (Banerjee & Langford 2004, §3). There are
    labels^clusters assignments, so use small numbers.

    Examples
    --------
    >>> from clustervet.pacmdl import languages
    >>> kraft_sum(languages["simple"], clusters=3, labels=2)
    1.0
    """
    return math.fsum(
        2.0
        ** -language.label_bits(
            Description(clusters=clusters, labels=labels, assignment=assignment)
        )
        for assignment in itertools.product(range(labels), repeat=clusters)
    )


@dataclass(frozen=True, slots=True)
class MeanCode:
    """The label code that averages the probabilities 2^-bits of the codes of other languages."""

    members: tuple[Language, ...]

    def __call__(self, description: Description) -> float:
        """-log2 of the mean probability."""
        return mean_bits(member.label_bits(description) for member in self.members)


def mixed(members: Iterable[Language], *, key: str, title: str, meaning: str) -> Language:
    """The language with the mean code of these languages; it pays for the choices made."""
    return Language(
        key=key,
        title=title,
        choices=None,
        meaning=meaning,
        reference=f"{PAPER}, §3.1: any probability gives a code",
        code=MeanCode(tuple(members)),
    )


def mean_bits(lengths: Iterable[float]) -> float:
    """-log2 of the mean of 2^-bits."""
    known = list(lengths)
    least = min(known)
    if math.isinf(least):
        return least
    return least + math.log2(len(known)) - math.log2(math.fsum(2.0 ** (least - x) for x in known))


# All label codes below are urns: the next cluster gets a label with a probability that depends on
# how often each label was used before. The urn of the paper never changes. The others remove a
# drawn label, so that labels differ, or add one more of it, so that labels repeat.


def uniform_bits(description: Description) -> float:
    """Bits if every cluster may get every label: c log2 l (Banerjee & Langford 2004, §3.1).

    >>> uniform_bits(Description(clusters=3, labels=4))
    6.0
    """
    return description.clusters * math.log2(description.labels)


def permutation_bits(description: Description) -> float:
    """Bits if half of the probability is for labels drawn without replacement, half for any labels.

    Up to l clusters the urn holds each label once: all labels differ, and an assignment has
    probability (l - c)!/l!. With more clusters it holds each label as often as is needed.

    >>> three = Description(clusters=3, labels=3, assignment=(2, 0, 1))
    >>> round(permutation_bits(three), 3), round(uniform_bits(three), 3)
    (3.295, 4.755)
    """
    copies = -(-description.clusters // description.labels)
    if description.uses[-1] > copies:
        return uniform_bits(description) + 1
    ways = _log_falling(copies * description.labels, description.clusters)
    alike = math.fsum(_log_falling(copies, used) for used in description.uses)
    return mean_bits([max(0.0, (ways - alike) / LOG_TWO), uniform_bits(description)])


def adaptive_bits(description: Description) -> float:
    """Bits if the next cluster has label j with probability (n_j + 1/2) / (k + l/2).

    n_j is how often label j was used for the k clusters before (Krichevsky & Trofimov 1981).

    >>> ten = Description(clusters=10, labels=4, assignment=(0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    >>> round(adaptive_bits(ten), 3), uniform_bits(ten)
    (10.212, 20.0)
    """
    half = description.labels / 2
    total = math.lgamma(description.clusters + half) - math.lgamma(half)
    parts = math.fsum(math.lgamma(used + 0.5) - math.lgamma(0.5) for used in description.uses)
    return max(0.0, (total - parts) / LOG_TWO)


def _log_falling(n: int, k: int) -> float:
    """Log of n (n - 1) ... (n - k + 1)."""
    return math.lgamma(n + 1) - math.lgamma(n - k + 1)


# The four languages of the paper, eqs. 1 to 4: each pays for one more choice.
PAPERS = tuple(
    Language(
        key=key,
        title=key.capitalize(),
        choices=tuple(CHOICES)[:number],
        meaning=meaning,
        reference=f"{PAPER}, eq. {number + 1}",
        code=uniform_bits,
    )
    for number, (key, meaning) in enumerate(
        {
            "simple": "Pays for the label of each cluster; the clustering was fixed beforehand.",
            "init": "Pays for the labels, and for choosing the run.",
            "cluster": "Pays for the labels, and for choosing the run and the number of clusters.",
            "algo": "Pays for the labels, and for choosing the run, the number and the algorithm.",
        }.items()
    )
)
PERMUTATION = Language(
    key="permutation",
    title="Permutation",
    choices=None,
    meaning="Shorter where clusters have different labels; pays for the choices made.",
    reference=f"{PAPER}, §3.1: any probability gives a code",
    code=permutation_bits,
)
ADAPTIVE = Language(
    key="adaptive",
    title="Adaptive",
    choices=None,
    meaning="Shorter where few labels are used for many clusters; pays for the choices made.",
    reference="Krichevsky & Trofimov 1981",
    code=adaptive_bits,
)
MIXTURE = mixed(
    [PAPERS[0], PERMUTATION, ADAPTIVE],
    key="mixture",
    title="Mixture",
    meaning="Within log2 3 bits of the shortest of simple, permutation and adaptive; pays for "
    "the choices made.",
)
BUILT_IN = (*PAPERS, PERMUTATION, ADAPTIVE, MIXTURE)
