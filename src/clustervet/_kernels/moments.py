"""Per-cluster sums of features: centroids, squared distances to them, squares by feature."""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled, compiled_for_vectors


@compiled
def first_places(codes, clusters):
    """Position of the first point of each cluster."""
    places = np.full(clusters, -1)
    left = clusters
    for i in range(len(codes)):
        if places[codes[i]] < 0:
            places[codes[i]] = i
            left -= 1
            if left == 0:
                break
    return places


@compiled_for_vectors
def dense_sums(points, codes, first, last, anchors, sums):
    """Add points, minus the anchor of their cluster, to the sums of their clusters."""
    features = points.shape[1]
    for i in range(first, last):
        row, anchor, total = points[i], anchors[codes[i]], sums[codes[i]]
        for f in range(features):
            total[f] += row[f] - anchor[f]


@compiled
def dense_scatter(points, codes, first, last, anchors, offsets, squares, distances):
    """Add squared distances to centroids to `squares`, distances themselves to `distances`."""
    features = points.shape[1]
    for i in range(first, last):
        row, anchor, offset = points[i], anchors[codes[i]], offsets[codes[i]]
        square = 0.0
        for f in range(features):
            step = row[f] - anchor[f]
            square += (step - offset[f]) ** 2
        squares[codes[i]] += square
        distances[codes[i]] += np.sqrt(square)


@compiled
def dense_to_centroids(points, first, last, anchors, offsets, squares):
    """Squared distances of points to every centroid, by differences; centroids by feature.

    Compiled without reordering, which could lose the precision that the anchors save.
    """
    features, clusters = anchors.shape
    for i in range(first, last):
        out = squares[i - first]
        out[:] = 0.0
        for f in range(features):
            value, anchor, offset = points[i, f], anchors[f], offsets[f]
            for c in range(clusters):
                step = (value - anchor[c]) - offset[c]
                out[c] += step * step


@compiled
def sparse_sums(data, indices, indptr, codes, first, last, sums):
    """Add sparse rows to the sums of their clusters."""
    for i in range(first, last):
        total = sums[codes[i]]
        for p in range(indptr[i], indptr[i + 1]):
            total[indices[p]] += data[p]


@compiled
def sparse_to_centroids(data, indices, indptr, first, last, centroids, norms, close, squares):
    """Squared distances of sparse rows to every centroid; `centroids` by feature.

    |x|² - 2xc + |c|² loses digits where a point is close to a centroid; such pairs are
    recomputed by differences.
    """
    features, clusters = centroids.shape
    for i in range(first, last):
        out = squares[i - first]
        out[:] = 0.0
        own = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            value, column = float(data[p]), centroids[indices[p]]
            own += value * value
            for c in range(clusters):
                out[c] += value * column[c]
        for c in range(clusters):
            scale = own + norms[c]
            square = scale - 2 * out[c]
            if square < close * scale:
                square, p = 0.0, indptr[i]
                for f in range(features):
                    value = 0.0
                    if p < indptr[i + 1] and indices[p] == f:
                        value = float(data[p])
                        p += 1
                    square += (value - centroids[f, c]) ** 2
            out[c] = square


@compiled
def sparse_to_own(data, indices, indptr, codes, first, last, centroids, norms, close):
    """Squared distances of sparse rows to the centroids of their clusters.

    Close ones are recomputed by differences, as in `sparse_to_centroids`.
    """
    squares = np.zeros(last - first)
    for i in range(first, last):
        centroid = centroids[codes[i]]
        own = product = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            value = float(data[p])
            own += value * value
            product += value * centroid[indices[p]]
        scale = own + norms[codes[i]]
        square = scale - 2 * product
        if square < close * scale:
            square, p = 0.0, indptr[i]
            for f in range(len(centroid)):
                value = 0.0
                if p < indptr[i + 1] and indices[p] == f:
                    value = float(data[p])
                    p += 1
                square += (value - centroid[f]) ** 2
        squares[i - first] = square
    return squares
