"""Checks of parameters that several rooms share, and suggestions for names that are unknown."""

from __future__ import annotations

import difflib
import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from clustervet.errors import ParameterError, Setting

# Characters of a value that a message names.
LONGEST = 100


def is_whole(value: Any) -> bool:
    """Return whether a value is one whole number."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def shown(value: Any) -> str:
    """Return a value as a message names it: on one line, and not too long.

    >>> shown("x"), shown(np.zeros((3, 3)))
    ("'x'", 'array([[0., 0., 0.], [0., 0., 0.], [0., 0., 0.]])')
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def whole(value: Any, name: str, least: int = 0, most: int | None = None) -> int:
    """Return a whole number within bounds.

    >>> whole(3, "k", 1)
    3
    """
    if is_whole(value) and least <= value and (most is None or value <= most):
        return int(value)
    bounds = f"of at least {least:,}" if most is None else f"between {least:,} and {most:,}"
    raise ParameterError(Setting(name), f" must be a whole number {bounds}, not {shown(value)}.")


def places(given: Any, count: int) -> Any:
    """Return places of objects, from 0 on, as an array."""
    found = np.asarray(given)
    if found.ndim != 1 or not len(found) or found.dtype.kind not in "iu":
        raise ParameterError("places of objects must be whole numbers, one or more.")
    if found.min() < 0 or found.max() >= count:
        raise ParameterError(f"places of objects must be between 0 and {count - 1:,}.")
    return found.astype(np.int64)


def is_number(value: Any) -> bool:
    """Return whether a value is a number that has a place in an order."""
    return isinstance(value, int | float | np.number) and not (
        isinstance(value, bool) or math.isnan(value)
    )


def share(value: Any, name: str) -> float:
    """Return a number strictly between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise ParameterError(Setting(name), f" must lie between 0 and 1, not {shown(value)}.")
    return float(value)


def one_of(value: Any, name: str, known: Iterable[Any]) -> Any:
    """Return a value that is one of those known."""
    names = list(known)
    if isinstance(value, Hashable) and value in names:
        return value
    listed = f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}" if names[1:] else repr(names[0])
    raise ParameterError(Setting(name), f" must be {listed}, not {shown(value)}.")


def jobs(n_jobs: int | None) -> int | None:
    """Return the number of jobs, which is anything but 0."""
    if n_jobs == 0:
        raise ParameterError(Setting("n_jobs"), " must not be 0; -1 means all cores.")
    return n_jobs


def generator(random_state: Any) -> np.random.Generator:
    """Return a random generator from a seed or None; a Generator is returned as it is."""
    if isinstance(random_state, np.random.Generator | np.random.SeedSequence):
        return np.random.default_rng(random_state)
    return np.random.default_rng(entropy(random_state))


def entropy(random_state: Any) -> Any:
    """Return the entropy of a seed; from a Generator or RandomState one number is drawn."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.SeedSequence):
        return random_state.entropy
    if random_state is None:
        return None
    if is_whole(random_state) and random_state >= 0:
        return int(random_state)
    raise ParameterError(
        Setting("random_state"),
        " must be None, a whole number from 0 on, or a numpy Generator, RandomState or "
        f"SeedSequence, not {shown(random_state)}.",
    )


def nearest(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """Return the known names that are most like a name that is unknown.

    >>> nearest("adjusted_rnad", ["adjusted_rand", "fuzzy_adjusted_rand"], 2)
    ['adjusted_rand']
    """
    found = difflib.get_close_matches(name, list(known), n=most)
    likeness = [difflib.SequenceMatcher(None, one, name).ratio() for one in found]
    return [one for one, like in zip(found, likeness, strict=True) if like > likeness[0] - 0.1]


def suggestion(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return "did you mean ...?" with the names that are most alike, or another hint.

    >>> suggestion("rnad", ["rand", "purity"], "see the list.")
    'did you mean rand?'
    """
    near = nearest(name, known)
    return f"did you mean {near[0]}?" if near else otherwise
