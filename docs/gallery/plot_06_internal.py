"""How good is a clustering if no classes are known?
=================================================

Internal measures judge a clustering by the data alone. The example scores four clusterings of
wines and looks at the silhouette of every wine.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet import plots

wine = load_wine()
X = StandardScaler().fit_transform(wine.data)
clusterings = {
    "raw": KMeans(3, n_init=10, random_state=0).fit_predict(wine.data),  # not standardised
    "kmeans": KMeans(3, n_init=10, random_state=0).fit_predict(X),
    "ward": AgglomerativeClustering(3).fit_predict(X),
    "single": AgglomerativeClustering(3, linkage="single").fit_predict(X),
}

# %%
# All four are judged in the standardised space. By the silhouette, by Calinski and Harabasz and by
# the sum of squares (ssq), k-means and Ward's method are better than the other two. By Davies and
# Bouldin and by Dunn, single linkage is the best of all: these two reward clusters that lie far
# apart, however few points they hold. So one internal measure is not enough.

names = ["silhouette", "davies_bouldin", "calinski_harabasz", "dunn", "ssq"]
print(cv.internal_scores(X, clusterings, measures=names))

# %%
# The silhouette of a point is near 1 if it lies well inside its cluster, and below 0 if it is
# nearer to another cluster. With k-means almost no wine lies below 0. In the clusters of the raw
# values, many do.

fig, axes = plt.subplots(1, 2, figsize=(10, 4), sharex=True, layout="constrained")
for ax, name in zip(axes, ["raw", "kmeans"], strict=True):
    plots.SilhouetteDisplay.from_labels(X, clusterings[name]).plot(ax)
    ax.set_xlabel(f"silhouette of wines, {name}")
plt.show()

# %%
# The sizes show what single linkage does: it splits off a few unusual wines and leaves all others
# in one cluster.

print(cv.silhouettes(X, clusterings["single"]))
