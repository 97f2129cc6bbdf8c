"""Links between objects as labels: the connected components."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import LabelError
from clustervet.labels.arrays import kind_of
from clustervet.labels.several import columns_of, is_frame
from clustervet.labels.text import show_label


def components(links: Any, objects: Iterable[Any] | None = None) -> dict[Any, int]:
    """Return the groups that links make: objects that a chain of links connects have one label.

    Parameters
    ----------
    links : iterable of pairs, frame, sparse matrix or graph
        Pairs of objects, or triples whose third entry says whether it is a link; a frame of such
        columns; a sparse matrix of links between rows; or a graph of networkx, whose nodes without
        links are groups of their own.
    objects : iterable, optional
        All objects. One without a link is a group of its own, and a link to anything else is an
        error; by default the objects are those that links have.

    Returns
    -------
    dict
        The group of each object, as every function that takes labels by object wants it.

    Raises
    ------
    LabelError
        If something is no pair, an object is missing, or `objects` lacks one.

    Warns
    -----
    UserWarning
        If links are not transitive: a is linked to b and b to c, and a is not linked to c. One
        wrong link then joins two groups, which the groups alone no longer show.

    Examples
    --------
    >>> components([("a", "b"), ("c", "d")], objects="abcde")
    {'a': 0, 'b': 0, 'c': 1, 'd': 1, 'e': 2}
    """
    if objects is not None and not isinstance(objects, Iterable):
        raise LabelError(f"objects must be a sequence of all objects, not {kind_of(objects)}.")
    if hasattr(links, "tocoo"):
        held = links.tocoo()
        objects = range(held.shape[0]) if objects is None else objects
        links = list(zip(*(side.tolist() for side in held.coords), strict=True))
    if hasattr(links, "edges") and hasattr(links, "nodes"):
        objects = links.nodes if objects is None else objects
        links = links.edges
    pairs = _pairs(links)
    if objects is None:
        known = dict.fromkeys(each for pair in pairs for each in pair)
    else:
        known = dict.fromkeys(objects)
    places = {name: k for k, name in enumerate(known)}
    if not places:
        raise LabelError("links has no pairs and no objects.")
    for place, pair in enumerate(pairs, 1):
        for each in pair:
            if each not in places:
                raise LabelError(
                    f"link {place:,} has {show_label(each, 40)!r}, which objects does not have."
                )
    ends = np.array([[places[a], places[b]] for a, b in pairs], np.int64).reshape(-1, 2)
    groups = _connected(ends, len(places))
    _warn_of_gaps(ends, groups, list(places))
    return dict(zip(places, groups.tolist(), strict=True))


def _pairs(links: Any) -> list[tuple[Any, Any]]:
    if is_frame(links):
        columns = [np.asarray(column).tolist() for _, column in columns_of(links)]
        if not 2 <= len(columns) <= 3:
            raise LabelError(
                "a frame of links must have two columns, one per object of a pair, and may have a "
                f"third one that says whether it is a link; it has {len(columns)}."
            )
        links = zip(*columns, strict=True)
    if isinstance(links, str | bytes) or not isinstance(links, Iterable):
        raise LabelError(f"links must be pairs of objects, not {kind_of(links)}.")
    found = []
    for place, link in enumerate(links, 1):
        held = tuple(link) if isinstance(link, tuple | list | np.ndarray | frozenset | set) else ()
        said = held[2:]
        if not 2 <= len(held) <= 3 or not all(isinstance(x, bool | np.bool_) for x in said):
            shown = show_label(link, 40)
            raise LabelError(
                f"link {place:,} must be a pair of objects, or with a third entry that is True or "
                f"False, not {shown}."
            )
        if not all(isinstance(each, Hashable) and not _is_missing(each) for each in held[:2]):
            raise LabelError(f"link {place:,} has an object that is missing or no name.")
        if all(said):
            found.append((held[0], held[1]))
    return found


def _is_missing(name: Any) -> bool:
    return name is None or (isinstance(name, float | np.floating) and name != name)


def _connected(ends: NDArray[np.int64], count: int) -> NDArray[np.int32]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(ends), np.int8), (ends[:, 0], ends[:, 1])), (count, count))
    groups: NDArray[np.int32] = connected_components(graph, directed=False)[1]
    return groups


def _warn_of_gaps(ends: NDArray[np.int64], groups: NDArray[np.int32], names: list[Any]) -> None:
    """Warn where a group lacks links between some of its objects."""
    between = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    sizes = np.bincount(groups)
    linked = np.bincount(groups[between[:, 0]], minlength=len(sizes)) if len(between) else sizes * 0
    gaps = np.flatnonzero(linked < sizes * (sizes - 1) // 2)
    if not len(gaps):
        return
    first = np.flatnonzero(groups == gaps[0])
    held = {tuple(pair) for pair in between.tolist()}
    apart = next(
        (a, b) for k, a in enumerate(first) for b in first[k + 1 :] if (int(a), int(b)) not in held
    )
    one, other = (show_label(names[place], 40) for place in apart)
    which = "1 group" if len(gaps) == 1 else f"{len(gaps):,} groups"
    warnings.warn(
        f"links are not transitive in {which}: {one!r} and {other!r} have no link, and are one "
        "group by the links of others.",
        stacklevel=3,
    )
