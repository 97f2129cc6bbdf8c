"""What makes two runs the same run, as far as their fits go, and what sets them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clustervet.labels import show_label


@dataclass(frozen=True)
class Identity:
    """What all fits of a run share, and the settings of each algorithm."""

    points: int
    features: int
    storage: str
    digest: str
    seed: int
    algorithms: Mapping[str, Mapping[str, str]]

    def shared(self) -> dict[str, str]:
        """What does not depend on the algorithm, as text."""
        return {
            "points": str(self.points),
            "features": str(self.features),
            "storage": self.storage,
            "digest": self.digest,
            "seed": str(self.seed),
        }


def data_differs(theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """What sets the features of two runs apart, if anything does."""
    size = [
        f"{int(run['points']):,} points of {run['features']} features" for run in (theirs, ours)
    ]
    if size[0] != size[1]:
        return [f"its data has {size[0]}, this one's {size[1]}"]
    if theirs["storage"] != ours["storage"]:
        return [f"its data is {theirs['storage']}, this one's {ours['storage']}"]
    return ["its data has other values"] if theirs["digest"] != ours["digest"] else []


def settings_differ(name: str, theirs: Mapping[str, str], ours: Mapping[str, str]) -> list[str]:
    """What sets the settings of an algorithm apart in two runs."""
    return [
        f"its {show_label(name)} has {key}={show_label(theirs.get(key, 'nothing'), 60)}, this "
        f"one's {show_label(ours.get(key, 'nothing'), 60)}"
        for key in sorted({*theirs, *ours})
        if theirs.get(key) != ours.get(key)
    ]
