"""How do objects flow from one clustering to another?
===================================================

Irises flow from their species into the clusters of two algorithms. The example shows which species
are divided, and how many bits species and clusters share.
"""

import matplotlib.pyplot as plt
import pandas as pd

import clustervet as cv
from clustervet import plots
from clustervet.datasets import iris_path

irises = pd.read_csv(iris_path())
print(irises.head())

# %%
# Each column of the diagram is a labeling of the same 150 flowers. Setosa stays together in every
# column. K-means mixes versicolor and virginica in both directions, and from k-means to the mixture
# many of these flowers change sides.

plots.alluvial({name: irises[name] for name in ["species", "kmeans", "mixture"]})

# %%
# The information diagram shows the same as two overlapping bars. The overlap is what species and
# clusters tell of each other (mutual information). The two ends are what is left: their sum is the
# variation of information, which is a distance.

plots.information_diagram(irises["species"], irises["kmeans"])

# %%
# The three parts of all four clusterings of the file, side by side. A good clustering has a long
# middle part and short ends. DBSCAN mixes species in its clusters, so its first part is long. (Its
# noise counts as one more cluster here.) The mixture has the shortest ends.

names = ["kmeans", "ward", "mixture", "dbscan"]
parts = {
    "only in the species": [cv.conditional_entropy(irises["species"], irises[n]) for n in names],
    "shared": [cv.mutual_information(irises["species"], irises[n]) for n in names],
    "only in the clusters": [cv.conditional_entropy(irises[n], irises["species"]) for n in names],
}
frame = pd.DataFrame(parts, index=names)
print(frame.round(3))
ax = frame.plot.barh(stacked=True, figsize=(8, 3), color=["C1", "C0", "C2"], xlabel="bits")
ax.invert_yaxis()
ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.tight_layout()
plt.show()
