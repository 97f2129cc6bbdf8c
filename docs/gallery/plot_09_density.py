"""How to judge clusters of any shape, with noise
==============================================

Density-based algorithms find clusters that are not round, and leave points out as noise. The
example shows which measures suit them, and what to do with the noise.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_moons

import clustervet as cv

X, moon = make_moons(400, noise=0.08, random_state=0)
rng = np.random.default_rng(0)
X = np.vstack([X, rng.uniform([-1.5, -1.0], [2.5, 1.5], (40, 2))])
truth = np.append(moon, np.full(40, -1))  # forty points belong to neither moon
clusterings = {
    "kmeans": KMeans(2, n_init=10, random_state=0).fit_predict(X),
    "hdbscan": HDBSCAN(min_cluster_size=20, copy=True).fit_predict(X),
}

# %%
# K-means cuts both moons in two. HDBSCAN finds the moons and calls most of the scattered points
# noise (grey crosses).

fig, axes = plt.subplots(1, 2, figsize=(10, 3.6), sharey=True, layout="constrained")
for ax, (name, labels) in zip(axes, clusterings.items(), strict=True):
    noise = labels == -1
    ax.scatter(*X[~noise].T, c=labels[~noise], cmap="coolwarm", s=15)
    ax.scatter(*X[noise].T, marker="x", color="0.5", s=20)
    ax.set_title(name)
plt.show()

# %%
# The silhouette favours k-means, because it rewards round clusters. DBCV compares the density
# inside clusters with the density between them, and favours HDBSCAN. Neither has seen the truth.

for name, labels in clusterings.items():
    silhouette = cv.silhouette(X, labels, noise="drop")
    print(f"{name:8} silhouette {silhouette:.3f}  dbcv {cv.dbcv(X, labels):.3f}")

# %%
# Against the truth, the answer depends on what noise means. ``keep`` makes it one more cluster,
# ``singletons`` makes each noise point a cluster of its own, and ``drop`` leaves out what is noise
# in the truth or in the clustering. Dropped points cost nothing, so say how many there are.

for policy in ["keep", "singletons", "drop"]:
    table = cv.Contingency.from_labels(truth, clusterings["hdbscan"], noise=policy)
    print(f"{policy:10} {table.n} points, adjusted Rand {cv.adjusted_rand(table):.3f}")
