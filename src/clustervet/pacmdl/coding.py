"""The record of a description language: how many bits a transductive classifier takes.

A language is a code for the labels of the clusters, and the choices it pays for besides: which
run, how many clusters, which algorithm. It must be fixed before any label is seen, and satisfy
Kraft's inequality: the sum of 2^-bits over all descriptions is at most 1. That is the only
condition that the bound makes (Banerjee & Langford 2004, §3).
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
    """A code for the labels of the clusters, and the choices that are paid for besides.

    `choices` names them among "runs", "number" and "algorithms"; None stands for those that
    were really made, which the description tells.
    """

    key: str
    title: str
    choices: tuple[str, ...] | None
    meaning: str
    reference: str
    code: LabelCode

    def bits(self, description: Description) -> float:
        """The length of a description.

        >>> from clustervet.pacmdl import languages
        >>> round(languages["cluster"].bits(Description(clusters=3, labels=3, runs=10)), 3)
        10.662
        """
        return math.fsum(self.costs(description).values())

    def costs(self, description: Description) -> dict[str, float]:
        """The bits by what they pay for: the labels of the clusters, and each choice.

        A choice that was made but is not paid for is refused, since the bound would not hold.
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
        """What the labels of the clusters cost, all choices aside."""
        bits = float(self.code(description))
        if not bits >= 0:
            raise ParameterError(
                f"the language {self.key!r} gives {bits} bits, which is no length."
            )
        return bits


def _payer(made: Sequence[str]) -> str:
    """The shortest of the paper's languages that pays for these choices."""
    return "algo" if "algorithms" in made else "cluster" if "number" in made else "init"


def kraft_sum(language: Language, clusters: int, labels: int) -> float:
    """The sum of 2^-bits over all assignments of labels to clusters, at most 1 for any code.

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
    """The label code that averages the probabilities 2^-bits of other languages' codes."""

    members: tuple[Language, ...]

    def __call__(self, description: Description) -> float:
        """-log2 of the mean probability."""
        return mean_bits(member.label_bits(description) for member in self.members)


def mixed(members: Iterable[Language], *, key: str, title: str, meaning: str) -> Language:
    """The language with the mean code of these; it pays for the choices made."""
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
