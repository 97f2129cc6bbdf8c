"""Smoothing of rows by their nearest neighbours, before they are clustered."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, diags, issparse, sparray, vstack
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from clustervet._checks import whole
from clustervet._kernels import neighbours as loops
from clustervet._progress import ticking
from clustervet.clusterers.rows import Rows, read_rows, spread
from clustervet.errors import ParameterError

# Rows with at least this cosine have the same direction, so they add nothing.
SAME = 1 - 1e-9
# Rows per block, so that progress can be shown and the values to be trimmed are never all in
# memory at once.
BLOCK = 4096


class NeighbourSmoothing(
    OneToOneFeatureMixin,  # type: ignore[misc]  # scikit-learn ships no types
    TransformerMixin,  # type: ignore[misc]  # scikit-learn ships no types
    BaseEstimator,  # type: ignore[misc]  # scikit-learn ships no types
):
    """Move every row towards the rows that are most similar to it.

    A short document has few of the words of its topic; its neighbours have others.

    Parameters
    ----------
    neighbours : int, default 10
        Number of neighbours.
    share : float, default 0.5
        Share of the result that comes from the neighbours, from 0 to 1.
    terms : int, optional
        Largest number of values that a row keeps, the largest ones. None keeps all of them, which
        makes text about seven times as dense.
    by : transformer, optional
        The cosines are those of the rows that this transformer returns, as in
        `NeighbourSmoothing(by=TfidfTransformer())` for counts. None uses the rows themselves.

    Attributes
    ----------
    by_ : transformer or None
        The fitted transformer.
    n_features_in_ : int
        Number of features of the fit.
    feature_names_in_ : ndarray of str
        Names of the features, if the rows of the fit had names.

    Notes
    -----
    A row x becomes (1 - share) x + share m, where m is the mean of the rows of the fit with the
    greatest positive cosine to x, weighted by that cosine. This is document expansion (Singhal &
    Pereira 1999; Tao, Wang, Mei & Zhai 2006), with cosines instead of likelihoods. Rows in the same
    direction as x add nothing and are skipped, so a row of the fit is not its own neighbour. A row
    without words, or without neighbours, does not change.

    Examples
    --------
    >>> import numpy as np
    >>> NeighbourSmoothing(1).fit_transform(np.array([[1.0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 2]]))
    array([[0.5, 1. , 0.5, 0. ],
           [0.5, 1. , 0.5, 0. ],
           [0. , 0. , 0. , 2. ]])
    """

    def __init__(
        self, neighbours: int = 10, *, share: float = 0.5, terms: int | None = None, by: Any = None
    ) -> None:
        self.neighbours = neighbours
        self.share = share
        self.terms = terms
        self.by = by

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Keep the rows, to find neighbours among them.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Counts or weights of words, one row per document.
        y : object, optional
            Ignored.

        Returns
        -------
        NeighbourSmoothing
            The fitted transformer.

        Raises
        ------
        ParameterError
            If a parameter is out of range.

        Examples
        --------
        >>> NeighbourSmoothing(1).fit([[1.0, 1], [0, 1]]).n_features_in_
        2
        """
        self._check()
        matrix = self._read(X, reset=True)
        self.by_: Any = None if self.by is None else plain_output(clone(self.by)).fit(matrix)
        directions = self._units(matrix)
        # Rows are sorted by content, so that ties do not depend on the order of rows.
        self._order: NDArray[np.int64] = directions.by_content()
        self._held: Any = csr_matrix(matrix)[self._order]
        self._directions: Rows = self._units(matrix[self._order])
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803 - scikit-learn's name
        """Move each row towards its neighbours among the rows of the fit.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Rows like those of the fit.

        Returns
        -------
        ndarray or sparse matrix
            The smoothed rows, in the form of the input.

        Raises
        ------
        ParameterError
            If a parameter is out of range.

        Examples
        --------
        >>> NeighbourSmoothing(1).fit([[0.0, 1, 1]]).transform([[1.0, 1, 0]]).tolist()
        [[0.5, 1.0, 0.5]]
        """
        check_is_fitted(self)
        self._check()
        matrix = self._read(X, reset=False)
        result = smoothed(matrix, self._held, self._weights(matrix), self.share, self.terms)
        if isinstance(matrix, sparray):
            return csr_array(result)
        return result if issparse(matrix) else result.toarray()

    def weights(self, X: Any) -> Any:  # noqa: N803 - scikit-learn's name
        """Return the weights of the rows of the fit in the mean for each row.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            Rows like those of the fit.

        Returns
        -------
        csr_matrix
            Weights, rows of `X` × rows of the fit. A row sums to one, or to zero without
            neighbours.

        Raises
        ------
        ParameterError
            If a parameter is out of range.

        Examples
        --------
        >>> model = NeighbourSmoothing(1).fit([[0.0, 1, 1], [5, 1, 0]])
        >>> model.weights([[1.0, 1, 0]]).toarray().tolist()
        [[0.0, 1.0]]
        """
        check_is_fitted(self)
        self._check()
        found = self._weights(self._read(X, reset=False))
        found.indices = self._order.astype(found.indices.dtype)[found.indices]
        found.sort_indices()
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _weights(self, matrix: Any) -> Any:
        """Weights of the kept rows, nearest first, which is the order of summation."""
        rows, fitted = self._units(matrix), self._directions
        near, cosines = nearest(rows, fitted, self.neighbours)
        there = near >= 0
        total = cosines.sum(axis=1, keepdims=True)
        shares = cosines / np.where(total > 0, total, 1.0)
        indptr = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        shape = (len(near), len(fitted))
        return csr_matrix((shares[there], near[there], indptr), shape=shape)

    def _units(self, matrix: Any) -> Rows:
        turned = matrix if self.by_ is None else self.by_.transform(matrix)
        return read_rows(turned, np.ones(turned.shape[0]), squared=True, merge=False)

    def _read(self, data: Any, *, reset: bool) -> Any:
        return validate_data(
            self, data, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32]
        )

    def _check(self) -> None:
        whole(self.neighbours, "neighbours", 1)
        if self.terms is not None:
            whole(self.terms, "terms", 1)
        real = isinstance(self.share, Real) and not isinstance(self.share, bool)
        if not real or not 0 <= float(self.share) <= 1:
            raise ParameterError(f"share must be a number from 0 to 1, not {self.share!r}.")


def nearest(
    rows: Rows, fitted: Rows, neighbours: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions and cosines of the nearest fitted rows, greatest cosine first; -1 for no row."""
    width = max(1, min(neighbours, len(fitted)))
    near = np.empty((len(rows), width), np.int64)
    cosines = np.empty((len(rows), width))
    held, holders, starts = fitted.columns
    sought = (held, holders, starts, len(fitted), SAME)
    meetings = np.diff(starts)
    with ticking(-(-len(rows) // BLOCK), "nearest rows") as tick:
        for first in range(0, len(rows), BLOCK):
            part = slice(first, first + BLOCK)
            indptr = rows.indptr[first : first + BLOCK + 1]
            arguments = (rows.data, rows.indices, indptr, *sought, near[part], cosines[part])
            work = int(meetings[rows.indices[indptr[0] : indptr[-1]]].sum())
            spread(loops.nearest_rows, arguments, len(indptr) - 1, work)
            tick()
    return near, cosines


def smoothed(matrix: Any, held: Any, weights: Any, share: float, terms: int | None) -> Any:
    """Rows moved towards the weighted means of kept rows, as a CSR matrix of their type."""
    own = csr_matrix(matrix)
    parts = []
    for first in range(0, own.shape[0], BLOCK):
        part, near = own[first : first + BLOCK], weights[first : first + BLOCK]
        kept = np.where(np.diff(near.indptr) > 0, 1.0 - share, 1.0)
        mixed = (diags(kept) @ part + share * (near @ held)).tocsr()
        parts.append(_trimmed(mixed.astype(own.dtype, copy=False), terms))
    result = vstack(parts, format="csr")
    if max(result.nnz, *result.shape) < 2**31:
        result.indices = result.indices.astype(np.int32, copy=False)
        result.indptr = result.indptr.astype(np.int32, copy=False)
    return result


def _trimmed(matrix: Any, terms: int | None) -> Any:
    """The rows with only their largest values."""
    matrix.eliminate_zeros()
    matrix.sort_indices()
    if terms is None:
        return matrix
    keep = np.empty(matrix.nnz, np.bool_)
    arguments = (matrix.data, matrix.indptr, terms, keep)
    spread(loops.largest_values, arguments, matrix.shape[0], 8 * matrix.nnz)
    matrix.data[~keep] = 0
    matrix.eliminate_zeros()
    return matrix


def plain_output(transformer: Any) -> Any:
    """A transformer that returns arrays, whatever the settings of scikit-learn."""
    able = hasattr(transformer, "set_output")
    return transformer.set_output(transform="default") if able else transformer
