"""The objects behind the cells of a table, as long as their labels are at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError, ParameterError
from clustervet.labels import Codes, read_labels, show_label
from clustervet.labels.pair import noise_policies, settled

Rows = NDArray[np.int64]
READING = ("noise", "noise_policy", "missing")


class _Every:
    """Stands for all classes, or for all clusters."""

    def __repr__(self) -> str:
        return "EVERY"


EVERY = _Every()


class Members:
    """Which object is in which class and in which cluster; read when it is first asked for.

    Parameters
    ----------
    given : tuple of array-like, or None
        Classes and clusters; None where they are not at hand.
    ids : ndarray, optional
        One id per object; by default objects go by their row numbers, from 0 on.
    options : dict
        How missing labels and noise are read, as in `Contingency.from_labels`.
    """

    def __init__(
        self,
        given: tuple[Any, Any] | None,
        ids: NDArray[Any] | None,
        options: Mapping[str, Any],
    ) -> None:
        self._given = given
        self._options = {name: options[name] for name in READING if name in options}
        self.ids = ids

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what cannot be pickled: labels that were read from files."""
        lost = any(isinstance(side, Codes) for side in self._given or ())
        given = None if lost else self._given
        return {"_given": given, "_options": self._options, "ids": self.ids}

    @cached_property
    def _sides(self) -> tuple[Codes, Codes, Rows]:
        if self._given is None:
            raise ParameterError(
                "a table does not know its objects; they are known where labels are read into "
                "memory, from arrays, small files of text, or two files of labels."
            )
        sides = dict(zip(("truth", "pred"), map(read_labels, self._given), strict=True))
        policies = noise_policies(self._options.get("noise"), self._options.get("noise_policy"))
        (truth, pred), kept = settled(sides, policies, self._options.get("missing", "raise"))
        rows = np.arange(len(truth)) if kept is None else np.flatnonzero(kept)
        return truth, pred, rows

    def rows(self, cluster: Any, cls: Any) -> Rows:
        """Return the row numbers of a cluster, a class, or of both, in order."""
        truth, pred, rows = self._sides
        chosen = np.ones(len(rows), np.bool_)
        for side, name, what in ((pred, cluster, "cluster"), (truth, cls, "class")):
            if name is EVERY:
                continue
            code = _code(side, name)
            if code is None or not (found := side.values == code).any():
                raise ParameterError(f"there is no {what} {show_label(name)!r}.")
            chosen &= found
        return rows[chosen]

    def named(self, rows: Rows) -> NDArray[Any]:
        """Return the ids of rows, or the row numbers where there are no ids."""
        return rows if self.ids is None else self.ids[rows]


def _code(side: Codes, name: Any) -> int | None:
    """Return the code of a label; classes of missing labels and of single objects too."""
    code = side.find(name)
    if code is not None:
        return code
    distinct = np.unique(side.values)
    names = list(side.restore(distinct))
    return next((int(c) for c, held in zip(distinct, names, strict=True) if held is name), None)


def read_ids(ids: Any, truth: Any) -> NDArray[Any]:
    """Return one id per object."""
    listed = ids if isinstance(ids, Sequence | np.ndarray) else list(ids)
    if isinstance(ids, str | bytes) or len(listed) != len(truth):
        raise LabelError(f"ids must have one id for each of the {len(truth):,} objects.")
    if isinstance(listed, np.ndarray) and listed.ndim == 1:
        return listed
    found = np.empty(len(listed), object)
    found[:] = listed
    return found
