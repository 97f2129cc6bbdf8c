"""How many objects the policies for missing labels and noise leave out of each clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.evidence.inputs import Inputs
from clustervet.labels import Codes
from clustervet.labels.pair import noise_policies


@dataclass(frozen=True, slots=True)
class Dropped:
    """Objects left out for a missing label, objects left out as noise, and those kept.

    An object that is both counts as missing.
    """

    missing: int
    noise: int
    kept: int

    @property
    def given(self) -> int:
        """All objects."""
        return self.missing + self.noise + self.kept

    def to_dict(self) -> dict[str, int]:
        """As plain data."""
        return {"missing": self.missing, "noise": self.noise, "kept": self.kept}


def dropped_objects(given: Inputs) -> dict[str, Dropped]:
    """What each clustering, held against the truth where there is one, leaves out.

    Clusterings that keep every object are not among them.
    """
    labels = [label for label, policy in _policies(given).items() if policy == "drop"]
    found = {}
    for name, codes in given.preds.items():
        sides = [codes] if given.truth is None else [given.truth, codes]
        missing = np.zeros(given.n, np.bool_)
        noise = np.zeros(given.n, np.bool_)
        for side in sides:
            if side.missing is not None and given.policies["missing"] == "drop":
                missing |= side.missing
            for label in labels:
                noise |= labelled(side, label)
        lost = Dropped(
            int(missing.sum()), int((noise & ~missing).sum()), int((~(noise | missing)).sum())
        )
        if lost.kept < given.n:
            found[name] = lost
    return found


def labelled(side: Codes, label: Any) -> NDArray[np.bool_]:
    """Return which objects have a label. Missing labels hold a code too, which is not counted."""
    code = side.find(label)
    if code is None:
        return np.zeros(len(side), np.bool_)
    found: NDArray[np.bool_] = side.values == code
    return found if side.missing is None else found & ~side.missing


def _policies(given: Inputs) -> dict[Any, Any]:
    return noise_policies(given.policies["noise"], given.policies["noise_policy"])
