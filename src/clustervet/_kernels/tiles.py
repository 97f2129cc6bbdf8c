"""Tiles of distances: rows `first..` against columns `start..stop`, of points in cluster order."""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled, compiled_for_vectors

EUCLIDEAN, MANHATTAN, CHEBYSHEV = 0, 1, 2


@compiled_for_vectors
def _four_rows(columns, rows, i, start, stop, tile, at):
    """Squared Euclidean distances of four rows at once, two features per pass."""
    features = columns.shape[0]
    a, b, c, d = tile[at], tile[at + 1], tile[at + 2], tile[at + 3]
    width = stop - start
    odd = features % 2
    if odd:
        y = columns[0, start:stop]
        x0, x1, x2, x3 = rows[0, i], rows[0, i + 1], rows[0, i + 2], rows[0, i + 3]
        for j in range(width):
            y0 = y[j]
            a[j] = (x0 - y0) ** 2
            b[j] = (x1 - y0) ** 2
            c[j] = (x2 - y0) ** 2
            d[j] = (x3 - y0) ** 2
    for f in range(odd, features, 2):
        y, z = columns[f, start:stop], columns[f + 1, start:stop]
        x0, x1, x2, x3 = rows[f, i], rows[f, i + 1], rows[f, i + 2], rows[f, i + 3]
        w0, w1, w2, w3 = rows[f + 1, i], rows[f + 1, i + 1], rows[f + 1, i + 2], rows[f + 1, i + 3]
        if f == 0:
            for j in range(width):
                y0, z0 = y[j], z[j]
                a[j] = (x0 - y0) ** 2 + (w0 - z0) ** 2
                b[j] = (x1 - y0) ** 2 + (w1 - z0) ** 2
                c[j] = (x2 - y0) ** 2 + (w2 - z0) ** 2
                d[j] = (x3 - y0) ** 2 + (w3 - z0) ** 2
        else:
            for j in range(width):
                y0, z0 = y[j], z[j]
                a[j] += (x0 - y0) ** 2 + (w0 - z0) ** 2
                b[j] += (x1 - y0) ** 2 + (w1 - z0) ** 2
                c[j] += (x2 - y0) ** 2 + (w2 - z0) ** 2
                d[j] += (x3 - y0) ** 2 + (w3 - z0) ** 2


@compiled_for_vectors
def _one_row(columns, rows, i, start, stop, metric, out):
    """One row's squared Euclidean, Manhattan or Chebyshev distances."""
    width = stop - start
    for j in range(width):
        out[j] = 0
    for f in range(columns.shape[0]):
        x, y = rows[f, i], columns[f, start:stop]
        if metric == EUCLIDEAN:
            for j in range(width):
                out[j] += (x - y[j]) ** 2
        elif metric == MANHATTAN:
            for j in range(width):
                out[j] += abs(x - y[j])
        else:
            for j in range(width):
                out[j] = max(out[j], abs(x - y[j]))


@compiled_for_vectors
def direct_tile(columns, rows, first, last, start, stop, metric, tile):
    """Distances by differences: points are columns, so that loops run along memory."""
    i = first
    if metric == EUCLIDEAN:
        while i + 4 <= last:
            _four_rows(columns, rows, i, start, stop, tile, i - first)
            i += 4
    while i < last:
        _one_row(columns, rows, i, start, stop, metric, tile[i - first])
        i += 1
    if metric == EUCLIDEAN:
        for r in range(last - first):
            out = tile[r]
            for j in range(stop - start):
                out[j] = np.sqrt(out[j])


@compiled_for_vectors
def product_tile(tile, points, others, norms, other_norms, close):
    """Turn inner products into Euclidean distances, in place.

    |x|² + |y|² - 2xy loses digits where points are close compared with their norms; such pairs are
    recomputed by differences.
    """
    height, width = tile.shape
    for r in range(height):
        out, own = tile[r], norms[r]
        doubtful = 0
        for j in range(width):
            scale = own + other_norms[j]
            square = scale - 2 * out[j]
            doubtful += square < close * scale
            out[j] = square
        if doubtful:
            for j in range(width):
                if out[j] < close * (own + other_norms[j]):
                    square = 0.0
                    for f in range(points.shape[1]):
                        square += (points[r, f] - others[j, f]) ** 2
                    out[j] = square
        for j in range(width):
            out[j] = np.sqrt(out[j])


@compiled
def _sparse_square(data, indices, indptr, i, j):
    """The squared distance of two sparse rows by differences; indices are sorted."""
    p, q = indptr[i], indptr[j]
    square = 0.0
    while p < indptr[i + 1] or q < indptr[j + 1]:
        if q == indptr[j + 1] or (p < indptr[i + 1] and indices[p] < indices[q]):
            square += float(data[p]) ** 2
            p += 1
        elif p == indptr[i + 1] or indices[q] < indices[p]:
            square += float(data[q]) ** 2
            q += 1
        else:
            square += (float(data[p]) - float(data[q])) ** 2
            p += 1
            q += 1
    return square


@compiled
def sparse_tile(tile, rows, start, data, indices, indptr, postings, columns, heads, norms, close):
    """Euclidean distances of sparse rows to the points from `start` on, by an inverted index.

    Only pairs that share a feature need a multiplication: `postings, columns, heads` is the matrix
    by feature. Close pairs are recomputed by differences, as in `product_tile`.
    """
    stop = start + tile.shape[1]
    for r in range(tile.shape[0]):
        i, out = rows[r], tile[r]
        out[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            feature, x = indices[p], float(data[p])
            end = heads[feature + 1]
            q = heads[feature] + np.searchsorted(columns[heads[feature] : end], start)
            while q < end and columns[q] < stop:
                out[columns[q] - start] += x * postings[q]
                q += 1
        for j in range(tile.shape[1]):
            scale = norms[i] + norms[start + j]
            square = scale - 2 * out[j]
            if square < close * scale:
                square = _sparse_square(data, indices, indptr, i, start + j)
            out[j] = np.sqrt(square)


@compiled
def precomputed_tile(tile, distances, rows, columns):
    """A tile of a matrix of distances whose points are in another order."""
    for r in range(tile.shape[0]):
        source = distances[rows[r]]
        for j in range(tile.shape[1]):
            tile[r, j] = source[columns[j]] if columns[j] != rows[r] else 0.0
