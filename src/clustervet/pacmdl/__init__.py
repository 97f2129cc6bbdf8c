"""PAC-MDL: a bound on the errors that a clustering makes as a predictor of unseen labels.

Rule of this room: computations are in log space and work for any size. The truth of an unlabelled
object never influences a prediction; it is only compared with the bound afterwards.
"""

from __future__ import annotations

from clustervet.pacmdl.bound import Bound, ConstantLabel, pac_mdl_bound
from clustervet.pacmdl.coding import Description, Language, kraft_sum
from clustervet.pacmdl.registry import Languages, language, languages, mixture_of
from clustervet.pacmdl.tail import bmax, log2_bucket, max_errors
from clustervet.pacmdl.transduction import Transduction, transduce

__all__ = [
    "Bound",
    "ConstantLabel",
    "Description",
    "Language",
    "Languages",
    "Transduction",
    "bmax",
    "kraft_sum",
    "language",
    "languages",
    "log2_bucket",
    "max_errors",
    "mixture_of",
    "pac_mdl_bound",
    "transduce",
]
