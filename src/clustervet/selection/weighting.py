"""Weights of words; importing this module loads scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer


class TfIdf(TfidfTransformer):  # type: ignore[misc]  # scikit-learn ships no types
    """(1 + log tf) log(n / df), rows of length one: "ltc" of Salton & Buckley 1988.

    A word in every row weighs nothing, where scikit-learn's own weight keeps it.
    """

    def __init__(self) -> None:
        super().__init__(sublinear_tf=True, smooth_idf=False)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  # scikit-learn's name
        """Count the rows that each word is in."""
        super().fit(X, y)
        rarity = np.asarray(self.idf_) - 1  # scikit-learn adds 1
        self.idf_: Any = np.where(np.isfinite(rarity), rarity, 0.0)  # words that no row has
        return self
