"""The record of a description language: how many bits a transductive classifier takes.

A language is a code for the labels of the clusters, together with the choices that it pays for:
which run, how many clusters, which algorithm. It must be fixed before any label is seen, and
satisfy Kraft's inequality: the sum of 2^-bits over all descriptions is at most 1. The bound has no
other condition (Banerjee & Langford 2004, §3).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from clustervet.errors import ParameterError
from clustervet.pacmdl.description import CHOICES, Description

LabelCode = Callable[[Description], float]
PAPER = "Banerjee & Langford 2004"


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
