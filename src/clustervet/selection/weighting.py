"""Weights of words; importing this module loads scikit-learn."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfTransformer


class TfIdf(TfidfTransformer):  # type: ignore[misc]  # scikit-learn ships no types
    """(1 + log tf) log(n / df), rows of length one: "ltc" of Salton & Buckley 1988.

    A word in every row weighs nothing, where scikit-learn's own weight keeps it; a stored zero is
    no word, and a word that no row has no weight.
    """

    def __init__(self) -> None:
        super().__init__(sublinear_tf=True, smooth_idf=False)

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  # scikit-learn's name
        """Count the rows that each word is in."""
        with np.errstate(divide="ignore"):
            super().fit(_without_zeros(X), y)
        rarity = np.asarray(self.idf_) - 1  # scikit-learn adds 1
        self.idf_: Any = np.where(np.isfinite(rarity), rarity, 0.0)  # words that no row has
        return self

    def transform(self, X: Any, copy: bool = True) -> Any:  # noqa: N803  # scikit-learn's name
        """The weights of the words of each row."""
        return super().transform(_without_zeros(X), copy=copy)


class Dense(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Rows as an array, for what reads no sparse ones."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803  # scikit-learn's name
        """Nothing is learnt."""
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803  # scikit-learn's name
        """The rows as an array."""
        return X.toarray() if issparse(X) else X

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _without_zeros(matrix: Any) -> Any:
    """The same without zeros that are stored, whose logarithm nobody wants."""
    if not issparse(matrix) or matrix.format != "csr" or matrix.data.all():
        return matrix
    found = matrix.copy()
    found.eliminate_zeros()
    return found
