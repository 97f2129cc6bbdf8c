"""How do many clusterings relate?
===============================

The variation of information is a distance, so clusterings are points in a space. The example draws
a map of clusterings of handwritten digits by six algorithms, with the true digits among them.
"""

import matplotlib.pyplot as plt

import clustervet as cv
from clustervet import plots
from clustervet.datasets.digits import clustered_digits

digits = clustered_digits()
ensemble = cv.Ensemble({"truth": digits.truth, **digits.predictions}, noise="keep")
print(ensemble)

# %%
# The matrix has the distance of every two clusterings in bits, in the order of their tree. Similar
# clusterings are side by side.

fig, ax = plt.subplots(figsize=(7.5, 6), layout="constrained")
plots.DistanceDisplay(ensemble.distances, ensemble.hierarchy()).plot(ax)
plt.show()

# %%
# The map shows the same distances in two dimensions, as well as it can. Close points are similar
# clusterings. The ring is around the truth. Spectral clustering and Ward's method lie next to it.

plots.map_plot(ensemble.embedding(), groups=ensemble.groups(), marked=["truth"])

# %%
# Distances to one labeling can be asked for directly.

print(ensemble.nearest(digits.truth, 4))

# %%
# The tree merges clusterings from the most similar to the least similar.

plots.dendrogram(ensemble.hierarchy())
