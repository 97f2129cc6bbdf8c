"""Tests of measures, cards of measures, and the papers' studies run again.

Law: any registered measure takes part, the user's own included; a study prints its figures beside
the paper's, and says what differs.
"""

from __future__ import annotations

from clustervet.lab.advice import Advice, advise
from clustervet.lab.axioms import axioms
from clustervet.lab.cards import MeasureCard, MeasureList, card, measure_list
from clustervet.lab.desiderata import Desiderata, DesiderataSteps, desiderata
from clustervet.lab.dom import DomStudy, dom_study
from clustervet.lab.family import Grid, expected_table, family
from clustervet.lab.matrix import PropertyMatrix, known_properties
from clustervet.lab.text_bounds import TextStudy, text_study

__all__ = [
    "Advice",
    "Desiderata",
    "DesiderataSteps",
    "DomStudy",
    "Grid",
    "MeasureCard",
    "MeasureList",
    "PropertyMatrix",
    "TextStudy",
    "advise",
    "axioms",
    "card",
    "desiderata",
    "dom_study",
    "expected_table",
    "family",
    "known_properties",
    "measure_list",
    "text_study",
]
