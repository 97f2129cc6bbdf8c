"""What people keep degrees of membership in, read as one matrix with names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.build import is_frame
from clustervet.contingency.memberships import is_matrix, read_memberships
from clustervet.errors import LabelError
from clustervet.labels import check_index, consecutive, plain_label, read_labels, show_label
from clustervet.labels.arrays import kind_of
from clustervet.labels.index import index_of
from clustervet.registry import refuse_others

Floats = NDArray[np.float64]
# The label of noise, and the column that what belongs to no cluster goes to.
NOISE, REST = -1, "noise"


class Parts(NamedTuple):
    """Degrees (dense or CSR), names of the clusters, names of the objects, and a pandas index."""

    shares: Any
    names: Iterable[Any] | None
    objects: Iterable[Any] | None = None
    index: Any = None


def read_parts(given: Any, what: str, normalize: bool) -> Parts:
    """Read degrees of membership, or labels, in any of the forms that `Memberships` takes."""
    refuse_others("soft", given, what)
    if isinstance(given, Mapping) and not hasattr(given, "tocsr"):  # as DOK matrices have
        parts = read_parts(list(given.values()), what, normalize)
        return parts._replace(objects=list(given))
    if hasattr(given, "labels_") and hasattr(given, "probabilities_"):
        return read_labelled(given.labels_, given.probabilities_, what)
    if hasattr(given, "fit") and hasattr(given, "predict_proba"):
        raise LabelError(
            f"{what} must be memberships, not {kind_of(given)}; pass what its predict_proba "
            "returns for the points."
        )
    if _is_dicts(given):
        return Parts(*_of_dicts(given, what, normalize))
    if hasattr(given, "tocsr") or is_frame(given) or is_matrix(given):
        return Parts(*read_memberships(given, what, normalize), index=index_of(given))
    return read_labelled(given, None, what)


def read_labelled(labels: Any, probabilities: Any, what: str) -> Parts:
    """Memberships of labels: 1 each, or its probability and the rest to noise."""
    from scipy.sparse import csr_array

    read = read_labels(labels, what)
    if read.missing is not None and read.missing.any():
        row = int(np.argmax(read.missing))
        raise LabelError(
            f"row {row} of {what} has no label; leave such objects out, or give them a label of "
            "their own."
        )
    codes, distinct = consecutive(read)
    names = [plain_label(name) for name in read.restore(distinct)]
    objects = list(labels) if isinstance(labels, Mapping) else None
    n, index = len(codes), index_of(labels)
    ones, starts = np.ones(n), np.arange(n + 1)
    if probabilities is None:
        return Parts(csr_array((ones, codes, starts), (n, len(names))), names, objects, index)
    degrees = _probabilities(probabilities, n)
    check_index({what: labels, "probabilities": probabilities})
    kept = [k for k, name in enumerate(names) if name != NOISE]
    if REST in names:
        raise LabelError(f"a cluster of {what} is called {REST!r}, which is the name of the rest.")
    place = np.full(len(names), len(kept))
    place[kept] = np.arange(len(kept))
    own = place[codes]
    degrees = np.where(own < len(kept), degrees, 0.0)
    rest = 1 - degrees
    pairs = (
        np.concatenate([degrees, rest]),
        (
            np.tile(np.arange(n), 2),
            np.concatenate([own, np.full(n, len(kept))]),
        ),
    )
    shares = csr_array(pairs, (n, len(kept) + 1))
    shares.sum_duplicates()
    shares.eliminate_zeros()
    known = [names[k] for k in kept]
    if not rest.any():
        return Parts(shares[:, : len(kept)], known, objects, index)
    return Parts(shares, [*known, REST], objects, index)


def _probabilities(given: Any, n: int) -> Floats:
    """One probability per object, from 0 to 1."""
    try:
        found = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise LabelError("probabilities must be one number per object.") from None
    if found.shape != (n,):
        raise LabelError(
            f"probabilities must be one number per object; there are {n:,} labels, and the shape "
            f"of the probabilities is {found.shape}."
        )
    wrong = np.flatnonzero(~((found >= 0) & (found <= 1)))
    if len(wrong):
        value = show_label(float(found[wrong[0]]))
        raise LabelError(f"row {wrong[0]} of probabilities is {value}; it must be from 0 to 1.")
    return found


def _is_dicts(given: Any) -> bool:
    return isinstance(given, list | tuple) and len(given) > 0 and isinstance(given[0], Mapping)


def _of_dicts(
    given: list[Mapping[Any, Any]], what: str, normalize: bool
) -> tuple[Any, list[Any] | None]:
    """Degrees of {cluster: degree} per object; clusters are in the order in which they appear."""
    from scipy.sparse import csr_array

    names: dict[Any, int] = {}
    places, degrees, starts = [], [], [0]
    for row, held in enumerate(given):
        if not isinstance(held, Mapping):
            raise LabelError(
                f"row {row} of {what} must be a dict of degrees by cluster, as the first one is, "
                f"not {kind_of(held)}."
            )
        for name, degree in held.items():
            places.append(names.setdefault(plain_label(name), len(names)))
            try:
                degrees.append(float(degree))
            except (TypeError, ValueError):
                raise LabelError(
                    f"row {row} of {what} gives cluster {show_label(name)!r} "
                    f"{show_label(degree)!r}, which is no number."
                ) from None
        starts.append(len(places))
    cells = np.array(degrees), np.array(places, np.int64), np.array(starts)
    shape = len(given), max(1, len(names))
    shares, _ = read_memberships(csr_array(cells, shape), what, normalize)
    return shares, list(names)
