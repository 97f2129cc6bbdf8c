"""The objects behind the cells of a table, as long as their labels are at hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import ClustervetError, LabelError, ParameterError
from clustervet.labels import Codes, consecutive, read_labels, show_label
from clustervet.labels.keyed import aligned
from clustervet.labels.pair import noise_policies, settled

Rows = NDArray[np.int64]
READING = ("noise", "noise_policy", "missing")
# Objects that a page names: of a cell, of all cells, and their letters. Files with more objects
# are not read again for it.
CELL_OBJECTS = 1_000
PAGE_OBJECTS = 20_000
PAGE_LETTERS = 200_000
READ_AGAIN = 1_000_000
HOW = (
    "The command score with --diagnose --objects FILE writes those of every split, merge and "
    "repair. In Python diagnose(truth, pred, ids=ids).objects(cluster, class) gives those of a "
    "cell."
)
NOT_KNOWN = f"The objects behind the cells are not known here: the labels came as counts. {HOW}"
NOT_READ = (
    f"The objects behind the cells are not listed here: there are more than {READ_AGAIN:,} in "
    f"files. {HOW}"
)
# The place of what is not among the names.
NOWHERE = -(2**40)


@dataclass(frozen=True, slots=True)
class CellObjects:
    """Objects behind the cells of a table, as a page shows them.

    `cells` has the place of the class, that of the cluster, the number of objects, and the first
    of them as text. `by_id` says whether these are ids rather than row numbers, and `why` why none
    are known, where that is so.
    """

    cells: tuple[tuple[int, int, int, list[str]], ...]
    by_id: bool
    why: str = ""


def written_id(one: Any) -> str:
    r"""Return an id as text on one line; one with control characters is written as JSON has it.

    >>> written_id("doc 1"), written_id(7), written_id("two\nlines")
    ('doc 1', '7', '"two\\nlines"')
    """
    text = str(one).encode("utf-8", "backslashreplace").decode()
    broken = any(not c.isprintable() and c != " " for c in text)
    return json.dumps(text) if broken else text


class Cell(NamedTuple):
    """A class and a cluster by their places, how many objects they share, and some of the rows."""

    row: int
    column: int
    objects: int
    rows: Rows


class _Every:
    """Stands for all classes, or for all clusters."""

    def __repr__(self) -> str:
        return "EVERY"


EVERY = _Every()


class Members:
    """Which object is in which class and in which cluster; read when it is first asked for.

    Parameters
    ----------
    given : tuple of array-like, callable or None
        Classes and clusters, and the ids of the objects, or None for ids; or a function that reads
        these three from files; None where they are not at hand.
    ids : ndarray, optional
        One id per object; by default objects go by their row numbers, from 0 on.
    options : dict
        How missing labels and noise are read, as in `Contingency.from_labels`.
    """

    def __init__(
        self,
        given: tuple[Any, ...] | Callable[[], tuple[Any, Any, Any]] | None,
        ids: NDArray[Any] | None,
        options: Mapping[str, Any],
    ) -> None:
        self._given = given
        self._options = {name: options[name] for name in READING if name in options}
        self.ids = ids

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what cannot be pickled: labels that were read from files."""
        given = self._given
        if callable(given) or any(isinstance(side, Codes) for side in given or ()):
            given = None
        return {"_given": given, "_options": self._options, "ids": self.ids}

    @property
    def in_files(self) -> bool:
        """Whether labels have to be read from files first."""
        return callable(self._given)

    @cached_property
    def _sides(self) -> tuple[Codes, Codes, Rows]:
        if self._given is None:
            raise ParameterError(
                "a table does not know its objects; they are known where labels come from arrays, "
                "or from files that are not grouped by an engine such as polars or Spark."
            )
        *labels, ids = self._given() if callable(self._given) else (*self._given, None)[:3]
        if ids is not None:
            self.ids = read_ids(ids, labels[0])
        given = dict(zip(("truth", "pred"), labels, strict=True))
        held = aligned(given, self._options.get("missing", "raise"))
        sides = {name: read_labels(side, name) for name, side in held.items()}
        policies = noise_policies(self._options.get("noise"), self._options.get("noise_policy"))
        (truth, pred), kept = settled(
            sides, policies, self._options.get("missing", "raise"), one_sided=True
        )
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

    def listed(
        self, classes: Sequence[Any], clusters: Sequence[Any], objects: float
    ) -> CellObjects:
        """Return the objects behind the cells for a page, or why none of all objects are known."""
        if self.in_files and objects > READ_AGAIN:
            return CellObjects((), False, NOT_READ)
        try:
            cells = self.cells(classes, clusters, CELL_OBJECTS, PAGE_OBJECTS)
        except ClustervetError:
            return CellObjects((), False, NOT_KNOWN)
        texts = [[written_id(one) for one in self.named(cell.rows)] for cell in cells]
        most = CELL_OBJECTS
        while most > 1 and sum(len(text) for held in texts for text in held) > PAGE_LETTERS:
            most //= 2
            texts = [held[:most] for held in texts]
        found, letters = [], 0
        for cell, held in zip(cells, texts, strict=True):
            letters += sum(map(len, held))
            kept = held if letters <= PAGE_LETTERS else []
            found.append((cell.row, cell.column, cell.objects, kept))
        return CellObjects(tuple(found), self.ids is not None)

    def cells(
        self, classes: Sequence[Any], clusters: Sequence[Any], most: int, total: int
    ) -> list[Cell]:
        """Return the cells of some classes and clusters that have objects, with their first rows.

        A cell names `most` rows at most, and all of them `total`: then each names fewer.
        """
        truth, pred, rows = self._sides
        width = len(clusters)
        where = _places(truth, classes) * width + (columns := _places(pred, clusters))
        where[columns < 0] = -1
        order = np.argsort(where, kind="stable")
        order = order[np.searchsorted(where[order], 0) :]
        found, starts, counts = np.unique(where[order], return_index=True, return_counts=True)
        each = _even(counts, most, total)
        return [
            Cell(int(at // width), int(at % width), int(count), rows[order[start : start + share]])
            for at, start, count, share in zip(found, starts, counts, each, strict=True)
        ]

    def named(self, rows: Rows) -> NDArray[Any]:
        """Return the ids of rows, or the row numbers where there are no ids."""
        return rows if self.ids is None else self.ids[rows]


def _places(side: Codes, names: Sequence[Any]) -> Rows:
    """Return the place of each object's label among names; far below 0 for one that is no name."""
    known = {name: k for k, name in enumerate(names)}
    codes, distinct = consecutive(side)
    held = [known.get(name, NOWHERE) for name in side.restore(distinct)]
    return np.array(held, np.int64)[codes]


def _even(counts: Rows, most: int, total: int) -> Rows:
    """Return how many objects each cell names: at most `most` each and `total` in all."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if np.minimum(counts, middle).sum() <= total:
            low = middle
        else:
            high = middle - 1
    found = np.minimum(counts, low)
    if not low:  # more cells than may be named: the largest have one object each
        found[np.argsort(-counts, kind="stable")[:total]] = 1
    return found


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
