"""The registry of languages, and how a user's own joins it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from clustervet._checks import suggestion
from clustervet.errors import ParameterError
from clustervet.pacmdl.codes import BUILT_IN
from clustervet.pacmdl.coding import LabelCode, Language, kraft_sum, mixed
from clustervet.pacmdl.description import CHOICES

# Kraft's inequality is checked over all assignments of so many clusters and labels.
SMALL = ((1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3))


class Languages(Mapping[str, Language]):
    """Every language by key; capitals do not matter."""

    def __init__(self, records: Iterable[Language] = ()) -> None:
        self._records = {record.key: record for record in records}

    def __getitem__(self, key: str) -> Language:
        found = self._records.get(key.strip().lower()) if isinstance(key, str) else None
        if found is not None:
            return found
        name = str(key).strip().lower()
        hint = suggestion(name, self._records, f"there are {', '.join(self)}.")
        raise ParameterError(f"there is no language {key!r}; {hint}")

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.strip().lower() in self._records

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        return f"<{len(self)} languages: {', '.join(self)}>"

    def add(self, record: Language) -> Language:
        """Add a language, unless its key is taken or it breaks Kraft's inequality."""
        if not record.key or record.key != record.key.strip().lower():
            raise ParameterError(f"a language's key is a word in lower case, not {record.key!r}.")
        held = self._records.get(record.key)
        if held is not None and _origin(held) != _origin(record):
            raise ParameterError(f"there is a language {record.key!r} already.")
        for choice in record.choices or ():
            if choice not in CHOICES:
                raise ParameterError(f"choices are among {', '.join(CHOICES)}, not {choice!r}.")
        for clusters, labels in SMALL:
            total = kraft_sum(record, clusters, labels)
            if total > 1 + 1e-9:
                raise ParameterError(
                    f"the language {record.key!r} breaks Kraft's inequality: with {clusters} "
                    f"clusters and {labels} labels its 2^-bits sum to {total:.6g}, which must "
                    "be at most 1."
                )
        self._records[record.key] = record
        return record

    def remove(self, key: str) -> None:
        """Forget a language."""
        del self._records[self[key].key]

    def resolve(self, language: str | Language, choices: Collection[str] = ()) -> Language:
        """A language itself, or the one with that key.

        "auto" is the shortest of the paper's that pays for the choices made.
        """
        if isinstance(language, Language):
            return language
        if language != "auto":
            return self[language]
        paper = {"algorithms": "algo", "number": "cluster", "runs": "init"}
        return self[next((key for choice, key in paper.items() if choice in choices), "simple")]


def _origin(record: Language) -> tuple[str, str]:
    """Where its code is written, so that a cell of a notebook can run again."""
    return record.code.__module__, getattr(record.code, "__qualname__", repr(record.code))


languages = Languages(BUILT_IN)


def language(
    *,
    title: str,
    choices: Iterable[str] | None = None,
    meaning: str = "",
    reference: str = "",
    key: str | None = None,
) -> Callable[[LabelCode], Language]:
    """Turn a function that gives the bits for the labels of the clusters into a language.

    Its lengths may depend on anything known before the labels are: prior shares of classes,
    an order of the clusters. The language adds what the choices of run, number and algorithm
    cost. Kraft's inequality is checked by enumeration over small numbers.

    >>> import math
    >>> from clustervet.pacmdl import Description, language, languages
    >>> @language(title="Half of all mail is spam")
    ... def spam(description):
    ...     others = 1 + math.log2(description.labels - 1)
    ...     return sum(others if label else 1 for label in description.known_assignment)
    >>> spam.bits(Description(clusters=2, labels=5, assignment=(0, 3)))
    4.0
    >>> languages.remove("spam")
    """

    def decorate(code: LabelCode) -> Language:
        return languages.add(
            Language(
                key=key or str(getattr(code, "__name__", "")),
                title=title,
                choices=None if choices is None else tuple(choices),
                meaning=meaning or (inspect.getdoc(code) or title).partition("\n")[0],
                reference=reference,
                code=code,
            )
        )

    return decorate


def mixture_of(
    members: Iterable[str | Language], *, key: str, title: str = "", meaning: str = ""
) -> Language:
    """A language whose label code averages the probabilities 2^-bits of its members' codes.

    With k members it is at most log2 k bits longer than the shortest of them, which is the
    price of not knowing which that is. It pays for the choices made. `languages.add` makes
    it known by name.

    >>> from clustervet.pacmdl import Description
    >>> both = mixture_of(["simple", "adaptive"], key="both")
    >>> round(both.bits(Description(clusters=8, labels=2, assignment=(0,) * 8)), 3)
    3.32
    """
    chosen = [languages.resolve(member) for member in members]
    if not chosen:
        raise ParameterError("a mixture needs at least one language.")
    names = ", ".join(member.key for member in chosen)
    return mixed(
        chosen,
        key=key,
        title=title or f"Mixture of {names}",
        meaning=meaning or f"Within log2 {len(chosen)} bits of the shortest of {names}.",
    )
