"""An algorithm, a number of clusters and a run, chosen with a bound on the errors of the choice.

Law: the answer is the same for any number of jobs, and after any number of interruptions. A choice
is made by labelled points alone, and its bound pays for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clustervet.selection.predictors import Predictor
from clustervet.selection.select import select
from clustervet.selection.selection import Selection
from clustervet.selection.selections import Selections

if TYPE_CHECKING:
    from clustervet.selection.search import PacMdlSearch

__all__ = ["PacMdlSearch", "Predictor", "Selection", "Selections", "select"]


def __getattr__(name: str) -> Any:
    """Load the estimator, and scikit-learn with it, when it is first asked for."""
    if name == "PacMdlSearch":
        from clustervet.selection.search import PacMdlSearch

        return PacMdlSearch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
