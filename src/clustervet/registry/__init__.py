"""The record of a measure, the decorator that makes one, and the registry of all of them.

Law: this room knows no formula. What a measure claims about itself here (bounds, symmetry,
direction, metric axioms) is tested from the record, never trusted.
"""

from __future__ import annotations

from clustervet.registry.catalogue import FAMILIES, Registry, measures
from clustervet.registry.decorator import measure
from clustervet.registry.estimate import Estimate, Outcome
from clustervet.registry.fields import FIELDS, Field
from clustervet.registry.record import (
    Better,
    Cost,
    Kind,
    Measure,
    MeasureFunction,
    check_options,
    doors,
    register_batch,
    register_door,
)
from clustervet.registry.subjects import (
    PAIRED,
    Pair,
    refuse_others,
    register_subject,
    subject_kind,
)

__all__ = [
    "FAMILIES",
    "FIELDS",
    "PAIRED",
    "Better",
    "Cost",
    "Estimate",
    "Field",
    "Kind",
    "Measure",
    "MeasureFunction",
    "Outcome",
    "Pair",
    "Registry",
    "check_options",
    "doors",
    "measure",
    "measures",
    "refuse_others",
    "register_batch",
    "register_door",
    "register_subject",
    "subject_kind",
]
