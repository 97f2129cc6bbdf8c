"""Anything that people keep groups in becomes memberships: one object and one group each."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import is_whole, whole
from clustervet.errors import LabelError
from clustervet.labels import Codes, consecutive, read_labels, show_label
from clustervet.labels.arrays import from_objects, is_missing, kind_of
from clustervet.labels.index import index_of
from clustervet.labels.several import columns_of, is_frame
from clustervet.registry import refuse_others

Places = NDArray[np.int64]
Names = Sequence[Any] | NDArray[Any]
# Engines whose one-dimensional columns are labels.
SERIES = ("pandas", "polars", "pyarrow")
WANTED = (
    "a list of groups, {group: objects}, a matrix with one row per object, a frame with the "
    "columns object and group, or labels"
)


class Edges(NamedTuple):
    """Memberships: places of an object and of a group in the names of all objects and groups."""

    objects: Places
    groups: Places
    names: Names
    group_names: Names


def read_edges(given: Any, objects: Any = None) -> Edges:
    """Read groups, a matrix, a frame or labels."""
    refuse_others("overlapping", given, "a cover")
    if hasattr(given, "nodes") and hasattr(given, "edges"):
        raise LabelError("a cover is the groups of a graph's nodes, not the graph itself.")
    if hasattr(given, "communities"):  # NodeClustering of cdlib, whose graph has the other objects
        nodes = getattr(getattr(given, "graph", None), "nodes", None)
        objects = list(nodes) if objects is None and isinstance(nodes, Iterable) else objects
        given = list(given.communities)
    elif hasattr(given, "membership") and hasattr(given, "graph"):  # VertexCover of igraph
        objects = len(given.membership) if objects is None else objects
        given = list(given)
    if hasattr(given, "blocks"):  # Partition, with the labels that it was made from
        return _from_labels(given.labels, objects)
    if isinstance(given, Mapping) and not hasattr(given, "tocsr"):  # as DOK matrices have
        return _from_members(list(given), list(given.values()), objects)
    if hasattr(given, "tocsr") or (isinstance(given, np.ndarray) and given.ndim == 2):
        return _from_matrix(given, objects)
    if is_frame(given):
        return _from_frame(given, objects)
    items = None if _is_labels(given) else _items(given)
    if items is None:
        return _from_labels(given, objects)
    return _from_members(range(len(items)), items, objects)


def edges_of_objects(given: Mapping[Any, Any], objects: Any = None) -> Edges:
    """Read the groups of each object."""
    if not isinstance(given, Mapping):
        raise LabelError(f"the groups of objects must be {{object: groups}}, not {kind_of(given)}.")
    held = [_groups_of(value) for value in given.values()]
    lengths = np.fromiter(map(len, held), np.int64, len(held))
    names = _names(list(given), objects)
    own = _placed(list(given), names, lambda _: "the mapping")
    groups = _flat(held)
    if not len(groups):
        return Edges(np.empty(0, np.int64), np.empty(0, np.int64), names, [])
    codes = _codes(groups, lambda k: f"object {show_label(list(given)[_line(lengths, k)])!r}")
    places, distinct = consecutive(codes)
    titles = codes.restore(distinct)
    return Edges(np.repeat(own, lengths), places.astype(np.int64), names, titles)


def edges_of_columns(objects: Any, groups: Any, known: Any = None) -> Edges:
    """Read one object and one group per row; a row without a group names an object alone."""
    left, right = read_labels(objects, "objects"), read_labels(groups, "groups")
    if len(left) != len(right):
        raise LabelError(
            f"objects and groups must have one entry per membership; objects has {len(left):,} and "
            f"groups has {len(right):,}."
        )
    if left.missing is not None and left.missing.any():
        raise LabelError(f"row {int(left.missing.argmax())} has a group and no object.")
    own, distinct = consecutive(left)
    found = left.restore(distinct)
    names = _names(found, known)
    places = _placed(found, names, lambda _: "the column of objects")
    held = np.ones(len(right), np.bool_) if right.missing is None else ~right.missing
    rows = places[own[held]]
    if not len(rows):
        return Edges(rows, rows, names, [])
    codes, kinds = consecutive(right.keep(held))
    return Edges(rows, codes.astype(np.int64), names, right.restore(kinds))


def renamed(names: Names, objects: Any) -> tuple[Places, Names]:
    """The place of each name among all objects, and what these are called."""
    every = _names([], objects)
    return _placed(names, every, lambda _: "the cover"), every


def _is_labels(given: Any) -> bool:
    """Whether something is labels by its type: a column, or a fitted estimator."""
    if isinstance(given, np.ndarray):
        return given.dtype.kind != "O" or given.ndim != 1
    last = given.steps[-1][1] if hasattr(given, "steps") else given
    if hasattr(last, "labels_"):
        return True
    return type(given).__module__.partition(".")[0] in SERIES


def _items(given: Any) -> list[Any] | None:
    """The groups in a list; None for a list of labels."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise LabelError(f"a cover is {WANTED}, not {kind_of(given)}.")
    items = list(given)
    sets = [_is_group(item) for item in items]
    if items and not any(sets):
        return None
    if not all(sets):
        wrong = sets.index(False)
        raise LabelError(
            f"a list of groups must hold collections of objects; item {wrong} is "
            f"{kind_of(items[wrong])}."
        )
    return items


def _is_group(item: Any) -> bool:
    return isinstance(item, Collection) and not isinstance(item, str | bytes)


def _groups_of(value: Any) -> Any:
    """The groups of one object: a collection, one group, or none where it is missing."""
    if _is_group(value):
        return value
    return [] if is_missing(value) else [value]


def _from_members(titles: Sequence[Any], members: list[Any], objects: Any) -> Edges:
    """Read the objects of each group."""
    for title, held in zip(titles, members, strict=True):
        if is_missing(title):
            raise LabelError("the name of a group is missing.")
        if not _is_group(held):
            raise LabelError(
                f"group {show_label(title)!r} must be a collection of objects, not "
                f"{kind_of(held)}; if the keys are objects, use Cover.from_objects."
            )
    lengths = np.fromiter(map(len, members), np.int64, len(members))

    def of(k: int) -> str:
        return f"group {show_label(titles[_line(lengths, k)])!r}"

    flat = _flat(members)
    groups = np.repeat(np.arange(len(members)), lengths)
    if objects is None:
        if not len(flat):
            raise LabelError("no group holds an object; say with objects= which there are.")
        codes = _codes(flat, of)
        own, distinct = consecutive(codes)
        return Edges(own.astype(np.int64), groups, codes.restore(distinct), titles)
    names = _names([], objects)
    return Edges(_placed(flat, names, of), groups, names, titles)


def _from_labels(labels: Any, objects: Any) -> Edges:
    """Read labels as a cover: each object is in one group, or in none where it has no label."""
    codes = read_labels(labels, "labels")
    names = _row_names(objects, len(codes), "labels")
    index = index_of(labels)
    if objects is None and index is not None:
        names = _index_names(index)
    here = np.arange(len(codes))
    if codes.missing is not None:
        here = np.flatnonzero(~codes.missing)
        codes = codes.keep(here)
    if not len(here):
        return Edges(here, here, names, [])
    groups, distinct = consecutive(codes)
    return Edges(here, groups.astype(np.int64), names, codes.restore(distinct))


def _from_matrix(matrix: Any, objects: Any, columns: Sequence[Any] | None = None) -> Edges:
    """Read a matrix of 0 and 1 with one row per object and one column per group."""
    if len(matrix.shape) != 2:
        raise LabelError(f"a matrix of groups has two dimensions; its shape is {matrix.shape}.")
    if np.ma.is_masked(matrix):
        raise LabelError("a matrix of groups holds 0 and 1, or booleans; some are masked.")
    if matrix.dtype.kind not in "biuf":
        raise LabelError(f"a matrix of groups holds 0 and 1, or booleans, not {matrix.dtype}.")
    if hasattr(matrix, "tocsr"):
        held = matrix.tocsr(copy=True)
        held.sum_duplicates()
        held.eliminate_zeros()
        rows = np.repeat(np.arange(held.shape[0]), np.diff(held.indptr))
        cols, values = held.indices.astype(np.int64), held.data
    else:
        held = np.asarray(matrix)
        rows, cols = np.nonzero(held)
        values = held[rows, cols]
    if not held.shape[0]:
        raise LabelError(f"a matrix of groups has one row per object; its shape is {held.shape}.")
    wrong = np.flatnonzero(values != 1)
    if len(wrong):
        raise LabelError(
            f"row {rows[wrong[0]]} of the matrix holds {values[wrong[0]]!s}; an object is in a "
            "group (1) or is not (0). For degrees of membership there is cv.Memberships."
        )
    names = _row_names(objects, held.shape[0], "the matrix")
    return Edges(rows, cols, names, range(held.shape[1]) if columns is None else columns)


def _from_frame(frame: Any, objects: Any) -> Edges:
    """Read two columns, object and group; or one column of booleans per group."""
    columns = columns_of(frame)
    arrays = [np.asarray(column) for _, column in columns]
    titles = [name for name, _ in columns]
    if columns and all(map(_is_boolean, arrays)):
        missing = next((k for k, array in enumerate(arrays) if array.dtype.kind != "b"), None)
        if missing is not None:
            raise LabelError(
                f"column {show_label(titles[missing])!r} of the frame has a missing value; an "
                "object is in a group or is not."
            )
        if len(set(titles)) < len(titles):
            raise LabelError("two columns of the frame have the same name; groups must differ.")
        found = _from_matrix(np.column_stack(arrays), objects, titles)
        index = index_of(frame)
        return (
            found
            if objects is not None or index is None
            else found._replace(names=_index_names(index))
        )
    if len(columns) != 2:
        raise LabelError(
            "a frame of groups has two columns, object and group, or one column of booleans per "
            f"group; it has {len(columns)}: {', '.join(show_label(name) for name in titles[:6])}."
        )
    numbers = all(array.dtype.kind in "iu" and len(array) for array in arrays)
    if numbers and all(array.min() >= 0 and array.max() <= 1 for array in arrays):
        raise LabelError(
            "two columns of 0 and 1 may be an object and a group in each row, or one column per "
            "group; pass them to Cover.from_edges, or as booleans."
        )
    if titles == ["group", "object"]:
        columns = columns[::-1]
    return edges_of_columns(columns[0][1], columns[1][1], objects)


def _is_boolean(column: NDArray[Any]) -> bool:
    """Whether a column holds True and False, and nothing else but missing values."""
    if column.dtype.kind != "O":
        return column.dtype.kind == "b"
    held = [value for value in column.tolist() if not is_missing(value)]
    return bool(held) and all(isinstance(value, bool | np.bool_) for value in held)


def _flat(members: Sequence[Any]) -> Any:
    """All members one after another, as an array where all are arrays."""
    if members and all(isinstance(held, np.ndarray) and held.ndim == 1 for held in members):
        return np.concatenate(members)
    return list(chain.from_iterable(members))


def _line(lengths: Places, place: int) -> int:
    """In which collection a member stands."""
    return int(np.searchsorted(np.cumsum(lengths), place, "right"))


def _codes(flat: Any, of: Any) -> Codes:
    """Codes of names; `of` says in which collection a wrong one stands."""
    if isinstance(flat, list):
        kinds = set(map(type, flat))
        for kind in kinds - {int, str}:
            if not issubclass(kind, Hashable):
                k = next(k for k, item in enumerate(flat) if type(item) is kind)
                raise LabelError(f"{of(k)} holds {kind_of(flat[k])}, which cannot be a name.")
        plain = not any(issubclass(kind, tuple | frozenset) for kind in kinds)
        codes = read_labels(flat, "groups") if plain else from_objects(flat, "groups")
    else:
        codes = read_labels(flat, "groups")
    if codes.missing is not None and codes.missing.any():
        raise LabelError(f"{of(int(codes.missing.argmax()))} holds a missing value.")
    return codes


def _names(found: Names, objects: Any) -> Names:
    """The names of all objects: those that are given, or else those that were found."""
    if objects is None:
        return found
    if is_whole(objects):
        return range(whole(objects, "objects", 1))
    flat = getattr(objects, "ndim", 1) == 1
    if isinstance(objects, str | bytes) or not isinstance(objects, Iterable) or not flat:
        raise LabelError(f"objects must be all objects, or their number, not {kind_of(objects)}.")
    names: Names = objects.copy() if isinstance(objects, np.ndarray) else list(objects)
    if isinstance(objects, range):
        names = objects if objects == range(len(objects)) else np.asarray(objects)
    if not len(names):
        raise LabelError("objects is empty; at least one object is needed.")
    if isinstance(names, range):
        return names
    codes = _codes(names, lambda _: "objects")
    first = np.unique(codes.values, return_index=True)[1]
    if len(first) < len(names):
        again = int(np.setdiff1d(np.arange(len(names)), first)[0])
        raise LabelError(f"objects names {show_label(names[again])!r} twice.")
    return names


def _row_names(objects: Any, rows: int, what: str) -> Names:
    """The names of the rows of labels or a matrix."""
    if objects is None:
        return range(rows)
    names = _names([], objects)
    if len(names) != rows:
        raise LabelError(f"objects has {len(names):,} objects and {what} has {rows:,} rows.")
    return names


def _index_names(index: Any) -> Names:
    """The index of pandas as names; its default index counts the rows."""
    if getattr(index, "nlevels", 1) > 1 or index.dtype.kind not in "iu":
        return _names([], list(index))
    numbers = index.to_numpy()
    if np.array_equal(numbers, np.arange(len(numbers))):
        return range(len(numbers))
    return _names([], numbers)


def _placed(flat: Any, names: Names, of: Any) -> Places:
    """The place of each member among all names."""
    count = len(names)
    if flat is names:
        return np.arange(count)
    if not len(flat):
        return np.empty(0, np.int64)
    flat = np.asarray(flat) if isinstance(flat, range) else flat
    if isinstance(names, range):
        codes = _codes(flat, of)
        own, distinct = consecutive(codes)
        found = codes.restore(distinct)
        if not (isinstance(found, np.ndarray) and found.dtype.kind in "iu"):
            found = np.array([name if is_whole(name) and name < count else -1 for name in found])
        places = np.where((found >= 0) & (found < count), found, -1).astype(np.int64)[own]
    else:
        both = [names, flat]
        alike = all(isinstance(part, np.ndarray) and part.dtype.kind == "i" for part in both)
        codes = _codes(
            np.concatenate(both) if alike else [*_list(names), *_list(flat)],
            lambda k: of(max(k - count, 0)),
        )
        own, distinct = consecutive(codes)
        rank = np.full(len(distinct), -1, np.int64)
        rank[own[:count]] = np.arange(count)
        places = rank[own[count:]]
    if (places < 0).any():
        k = int((places < 0).argmax())
        raise LabelError(f"{of(k)} holds {show_label(flat[k])!r}, which objects does not have.")
    return places


def _list(names: Any) -> list[Any]:
    return names.tolist() if isinstance(names, np.ndarray) else list(names)
