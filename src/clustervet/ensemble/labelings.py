"""Many labelings of the same objects, read once: names and small codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.given import listed
from clustervet.errors import LabelError, ParameterError
from clustervet.labels import Codes, consecutive, encode_one, read_labels
from clustervet.labels.codes import from_integers
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.partition import Partition

SmallCodes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.int32]
# Up to this many objects numpy is quicker than loading compiled loops.
FEW = 20_000
# Codes, the number of clusters, and whether some objects have the next code: no label.
Encoded = tuple[SmallCodes, int, bool]


@dataclass(frozen=True, eq=False, repr=False)
class Labelings:
    """Clusterings of the same n objects as codes 0, 1, ...; made by `read_labelings`.

    `clusters` says how many codes of each labeling are clusters. An object that a labeling does
    not label has the next code there; `gaps` says which labelings have such objects. `kept` is
    the mask of the objects that are left, where some were dropped from all labelings.
    """

    names: tuple[str, ...]
    codes: tuple[SmallCodes, ...]
    clusters: NDArray[np.int64]
    gaps: NDArray[np.bool_]
    kept: NDArray[np.bool_] | None = None

    @property
    def n(self) -> int:
        """Number of objects."""
        return len(self.codes[0])

    @property
    def complete(self) -> bool:
        """Whether every labeling labels every object."""
        return not self.gaps.any()

    @property
    def slots(self) -> NDArray[np.int64]:
        """Number of codes of each labeling, the one for no label included."""
        return self.clusters + self.gaps

    def __len__(self) -> int:
        return len(self.codes)

    def labelled(self, index: int) -> NDArray[np.bool_]:
        """Which objects a labeling labels."""
        return np.asarray(self.codes[index] < self.clusters[index])

    def sizes(self, index: int) -> NDArray[np.int64]:
        """Objects in each cluster of a labeling."""
        slots = int(self.slots[index])
        return np.bincount(self.codes[index], minlength=slots)[: self.clusters[index]]

    def partition(self, index: int) -> Partition:
        """A labeling as a partition of the objects that it labels."""
        codes = self.codes[index]
        return Partition(codes[self.labelled(index)] if self.gaps[index] else codes)

    def __repr__(self) -> str:
        least, most = int(self.clusters.min()), int(self.clusters.max())
        clusters = f"{least:,}" if least == most else f"{least:,} to {most:,}"
        return f"{len(self):,} labelings of {self.n:,} objects, {clusters} clusters each"


def read_labelings(
    labelings: Any,
    *,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    shared: bool = False,
    least: int = 2,
) -> Labelings:
    """Several labelings: a list, {name: labels}, rows of an array, or columns of a frame.

    An object that has no label somewhere is refused, dropped from all labelings (`"drop"`), in
    one more cluster there (`"class"`), or, with `shared`, left unlabelled there, so that each
    pair is compared on the objects that both label. `noise` takes the policies of
    `Contingency.from_labels`, and what it drops counts as not labelled.

    >>> many = read_labelings({"first": ["a", "a", "b"], "second": [1, 2, 2]})
    >>> many.names, many.codes[1]
    (('first', 'second'), array([0, 1, 1], dtype=uint8))
    """
    if isinstance(labelings, Labelings):
        if (noise, noise_policy, missing, shared) != (None, None, "raise", False):
            raise ParameterError(
                "missing, noise and shared are for labels, and these labelings are read already."
            )
        return labelings
    door = Door(noise, noise_policy, missing, shared)
    given = listed(labelings)
    if len(given) < least:
        raise LabelError(
            "one labeling has nothing to be compared with; give at least two."
            if given
            else "there are no labelings; give at least two."
        )
    found = []
    for item in given:
        found.append(door.read(item.labels, item.what))
        check_same_length(given[0].what, len(found[0][0]), item.what, len(found[-1][0]))
    many = _gathered([item.name for item in given], found)
    return many if shared or many.complete else _common(many)


@dataclass(frozen=True)
class Door:
    """How labels become codes here: the policies for what is missing and for noise."""

    noise: Any = None
    noise_policy: NoisePolicy | None = None
    missing: Missing = "raise"
    shared: bool = False

    def __post_init__(self) -> None:
        if self.missing not in ("raise", "drop", "class"):
            raise ParameterError(
                f"missing must be 'raise', 'drop' or 'class', not {self.missing!r}."
            )
        if self.shared and self.missing != "raise":
            raise ParameterError(
                "shared=True compares each pair on the objects that both label, which leaves "
                f"nothing for missing={self.missing!r} to do; give one of them."
            )

    def read(self, labels: Any, what: str) -> Encoded:
        """One labeling; an object that a policy drops has no label in it."""
        side = read_labels(labels, what)
        if self.missing == "raise" and not self.shared:
            _refuse_missing(side, what)
        if self.missing != "class" and side.missing is not None and side.missing.all():
            raise LabelError(f"{what} labels no object at all.")
        treated: Missing = "class" if self.missing == "class" else "drop"
        codes, kept = encode_one(
            side, what, noise=self.noise, noise_policy=self.noise_policy, missing=treated
        )
        small, clusters = _small(codes)
        if kept is None or kept.all():
            return small, clusters, False
        full = np.full(len(kept), clusters, _kind(clusters + 1))
        full[kept] = small
        return full, clusters, True


def _refuse_missing(side: Codes, what: str) -> None:
    if side.missing is not None and side.missing.any():
        where = np.flatnonzero(side.missing)
        raise LabelError(
            f"{what} has no label for {len(where):,} of {len(side):,} objects, the first at "
            f"position {where[0]}; compare each pair on what both label with shared=True, drop "
            "such objects everywhere with missing='drop', or make them a class with "
            "missing='class'."
        )


def check_same_length(one: str, length: int, other: str, other_length: int) -> None:
    """Refuse labelings that cannot be of the same objects."""
    if length != other_length:
        raise LabelError(
            f"{one} and {other} must label the same objects; {one} has {length:,} labels and "
            f"{other} has {other_length:,}."
        )


def _gathered(
    names: Sequence[str], found: Sequence[Encoded], kept: NDArray[np.bool_] | None = None
) -> Labelings:
    codes, clusters, gaps = zip(*found, strict=True)
    return Labelings(
        tuple(names), tuple(codes), np.array(clusters, np.int64), np.array(gaps, np.bool_), kept
    )


def _common(many: Labelings) -> Labelings:
    """Only the objects that every labeling labels."""
    kept = np.logical_and.reduce([many.labelled(k) for k in np.flatnonzero(many.gaps).tolist()])
    if not kept.any():
        raise LabelError(
            "no object has a label in every labeling; shared=True compares each pair on what "
            "both label."
        )
    return _gathered(
        many.names,
        [(*_small(from_integers(codes[kept])), False) for codes in many.codes],
        kept,
    )


def _small(codes: Codes) -> tuple[SmallCodes, int]:
    """Codes without gaps in the narrowest type that also has room for no label, never written."""
    numbered, clusters = _shrunk(codes) or _renumbered(codes)
    small = numbered.astype(_kind(clusters + 1), copy=False)
    small.flags.writeable = False
    return small, clusters


def _renumbered(codes: Codes) -> tuple[NDArray[Any], int]:
    numbered, distinct = consecutive(codes)
    return numbered, len(distinct)


def _shrunk(codes: Codes) -> tuple[NDArray[Any], int] | None:
    """The same by compiled loops, where there are many objects in a narrow range of codes."""
    if len(codes) <= FEW:
        return None
    from clustervet import _kernels

    values = np.ascontiguousarray(codes.values)
    if values.dtype not in (np.int32, np.int64):
        values = values.astype(np.int64)
    low, high = _kernels.value_range(values)
    span = int(high) - int(low) + 1
    if span > 2**16:
        return None
    out, counts = np.empty(len(values), _kind(span + 1)), np.zeros(span, np.int64)
    _kernels.shrink(values, low, out, counts)
    present = counts > 0
    if present.all():
        return out, span
    return (np.cumsum(present) - 1).astype(out.dtype)[out], int(present.sum())


def _kind(slots: int) -> Any:
    return np.uint8 if slots <= 2**8 else np.uint16 if slots <= 2**16 else np.int32
