"""The registry of languages, and the decorator that adds a user's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from clustervet._checks import suggestion
from clustervet.errors import ParameterError
from clustervet.pacmdl.coding import BUILT_IN, CHOICES, LabelCode, Language, kraft_sum, mixed

# Kraft's inequality is checked over all assignments of these numbers of clusters and labels.
SMALL = ((1, 2), (2, 2), (3, 2), (4, 2), (1, 3), (2, 3), (3, 3))


class Languages(Mapping[str, Language]):
    """All languages by key; upper and lower case are the same.

    Parameters
    ----------
    records : iterable of Language, optional
        Languages to start with.

    Examples
    --------
    >>> from clustervet.pacmdl import languages
    >>> list(languages)[:4], "SIMPLE" in languages
    (['simple', 'init', 'cluster', 'algo'], True)
    """

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
        """Add a language.

        Parameters
        ----------
        record : Language
            Language to add. One with the same key, made by the same function, is replaced.

        Returns
        -------
        Language
            The language itself.

        Raises
        ------
        ParameterError
            If the key is taken or not in lower case, a choice is unknown, or the code breaks
            Kraft's inequality.

        Notes
        -----
        Kraft's inequality is checked by enumeration for up to four clusters and three labels.

        Examples
        --------
        >>> from clustervet.pacmdl import languages, mixture_of
        >>> languages.add(mixture_of(["simple", "adaptive"], key="both")).title
        'Mixture of simple, adaptive'
        >>> languages.remove("both")
        """
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
        """Remove a language.

        Parameters
        ----------
        key : str
            Key of the language.

        Raises
        ------
        ParameterError
            If there is no such language.

        Examples
        --------
        >>> from clustervet.pacmdl import languages, mixture_of
        >>> _ = languages.add(mixture_of(["simple", "adaptive"], key="both"))
        >>> languages.remove("both")
        >>> "both" in languages
        False
        """
        del self._records[self[key].key]

    def resolve(self, language: str | Language, choices: Collection[str] = ()) -> Language:
        """Return a language by key, or the language itself.

        Parameters
        ----------
        language : str or Language
            A language, its key, or 'auto' for the shortest language of the paper that pays for the
            choices.
        choices : collection of str, optional
            Choices that were made by looking at the labels.

        Returns
        -------
        Language
            The language.

        Raises
        ------
        ParameterError
            If there is no such language.

        Examples
        --------
        >>> from clustervet.pacmdl import languages
        >>> languages.resolve("auto", choices=["runs", "number"]).key
        'cluster'
        """
        if isinstance(language, Language):
            return language
        if language != "auto":
            return self[language]
        paper = {"algorithms": "algo", "number": "cluster", "runs": "init"}
        return self[next((key for choice, key in paper.items() if choice in choices), "simple")]


def _origin(record: Language) -> tuple[str, str]:
    """The place where its code is defined, so that a cell of a notebook can run again."""
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
    """Turn a function that returns the bits for the labels of the clusters into a language.

    Parameters
    ----------
    title : str
        Name for headings.
    choices : iterable of str, optional
        Choices that the language pays for, among "runs", "number" and "algorithms". By default
        those that were made.
    meaning : str, optional
        What the language pays for; by default the first line of the function's docstring.
    reference : str, optional
        Work that defines it.
    key : str, optional
        Name in the registry; by default the name of the function.

    Returns
    -------
    callable
        Decorator that adds the language to `languages` and returns it.

    Raises
    ------
    ParameterError
        If the key is taken or not in lower case, a choice is unknown, or the code breaks Kraft's
        inequality.

    Notes
    -----
    The lengths may depend on anything that is known before the labels: prior shares of classes, an
    order of the clusters. The language adds the bits for the choices of run, number and algorithm.
    Kraft's inequality is checked by enumeration for small numbers.

    Examples
    --------
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
    """Make a language whose label code averages the probabilities 2^-bits of other codes.

    Parameters
    ----------
    members : iterable of str or Language
        Languages, or their keys; at least one.
    key : str
        Key of the mixture. Add it to `languages` to find it by key.
    title : str, optional
        Name for headings; by default made from the members.
    meaning : str, optional
        What the language pays for; by default made from the members.

    Returns
    -------
    Language
        The mixture; it pays for the choices made.

    Raises
    ------
    ParameterError
        If a member is unknown, or there is none.

    Notes
    -----
    With k members it is at most log2 k bits longer than the shortest of them. That is the price of
    not knowing which member is the shortest.

    Examples
    --------
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
