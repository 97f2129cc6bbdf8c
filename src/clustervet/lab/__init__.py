"""Tests of measures, and the papers' studies run again.

Law: any registered measure takes part, the user's own included; a study prints its figures beside
the paper's, and says what differs.
"""

from __future__ import annotations

from clustervet.lab.advice import Advice, advise
from clustervet.lab.axioms import axioms
from clustervet.lab.desiderata import desiderata
from clustervet.lab.desiderata_result import Desiderata
from clustervet.lab.dom import dom_study
from clustervet.lab.dom_records import DomStudy
from clustervet.lab.family import Grid, expected_table, family
from clustervet.lab.matrix import PropertyMatrix
from clustervet.lab.properties import known_properties
from clustervet.lab.text import TextStudy, text_study

__all__ = [
    "Advice",
    "Desiderata",
    "DomStudy",
    "Grid",
    "PropertyMatrix",
    "TextStudy",
    "advise",
    "axioms",
    "desiderata",
    "dom_study",
    "expected_table",
    "family",
    "known_properties",
    "text_study",
]
