"""What `score` was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from clustervet.errors import ParameterError
from clustervet.frames.source import is_light


class MissingChoice(StrEnum):
    """What an empty label does."""

    raise_ = "raise"
    drop = "drop"
    class_ = "class"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What `score` was asked."""

    files: Sequence[str]
    truths: Sequence[str] = ()
    preds: Sequence[str] = ()
    measures: Sequence[str] | None = None
    own_measures: Sequence[str] = ()
    families: Sequence[str] | None = None
    noise: Sequence[str] = ()
    missing: MissingChoice = MissingChoice.raise_
    weights: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    confidence: float | None = None
    resamples: int = 2_000
    seed: int | None = None
    diagnose: bool = False
    chance: str | None = None
    features: Sequence[str] = ()
    metric: str = "euclidean"
    sample: int | None = None
    array: str | None = None
    id: str | None = None
    memory_limit: str | None = None
    engine: str | None = None

    @property
    def wants_engine(self) -> bool:
        """Whether the files are for an engine rather than for Python at once."""
        return (
            self.id is not None
            or self.memory_limit is not None
            or self.engine is not None
            or not all(map(is_light, self.files))
            or (len(self.files) > 2 and bool(self.truths) and bool(self.preds))
        )

    @property
    def wants_features(self) -> bool:
        """Whether clusterings are to be held against their features."""
        return bool(self.features) or (
            len(self.files) == 1 and not self.truths and bool(self.preds) and self.id is None
        )


def listed_measures(keys: Sequence[str]) -> list[str]:
    """Keys of measures, separated by commas or repeated."""
    listed = ",".join(keys).split(",")
    if not all(key.strip() for key in listed):
        raise ParameterError(
            "--measures has an empty name of a measure; leave it out to have them all."
        )
    return listed


def noise_policies(given: Sequence[str]) -> dict[Any, str] | None:
    """`drop` is for the label -1; `outlier=drop` for the label outlier."""
    policies: dict[Any, str] = {}
    for item in given:
        label, equals, policy = item.rpartition("=")
        if equals:
            policies[label] = policy
            if label.isascii() and re.fullmatch(r"0|-?[1-9]\d*", label):
                policies[int(label)] = policy  # typed files hold numbers
        else:
            policies.update({-1: policy, "-1.0": policy})
    return policies or None
