"""Where should a dendrogram be cut?
=================================

A dendrogram holds many clusterings. The example reads the tree of Ward's method as a code for the
cultivars of wines: the cut with the shortest code is the best one.
"""

import matplotlib.pyplot as plt
from scipy.cluster.hierarchy import dendrogram, linkage
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet import plots

wine = load_wine()
cultivar = wine.target_names[wine.target]
merges = linkage(StandardScaler().fit_transform(wine.data), "ward")
found = cv.score_tree(cultivar, merges, ["ari", "vi"])

# %%
# The code names a cut of the tree, and then sends the cultivars to somebody who knows the clusters.
# A cut into too few clusters leaves much to send, and a cut into too many is long to describe.

print(f"without the tree: {found.alone_bits:.1f} bits")
print(f"best cut:         {found.cut.bits:.1f} bits, {found.cut.clusters} clusters")
plots.tree_plot(found)

# %%
# The level of three clusters cuts all branches of the dendrogram at one height (the dashed line).

fig, ax = plt.subplots(figsize=(9, 3.8), layout="constrained")
height = (merges[-3, 2] + merges[-2, 2]) / 2
dendrogram(merges, ax=ax, no_labels=True, color_threshold=height, above_threshold_color="0.5")
ax.axhline(height, linestyle="--", color="0.3")
ax.set(xlabel="178 wines", ylabel="height of the merge")
plt.show()

# %%
# The best cut need not lie at one height. Here it is the level of three clusters with one change: a
# small branch is split off, and half of its wines are of another cultivar. ``labels`` gives the
# clusters of this cut.

for part in found.cut.parts:
    print(f"height {part.height:5.2f}: {part.objects} wines, {part.share:.0%} {part.main_class}")
print(cv.Contingency.from_labels(cultivar, found.labels()))
