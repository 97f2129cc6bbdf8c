"""Is one algorithm better than another in general?
================================================

One data set cannot tell. The example runs five algorithms on seven data sets with known classes,
and compares their ranks.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA

import clustervet as cv
from clustervet import plots

digits = load_digits()
components = PCA(10, random_state=0).fit_transform(digits.data)
data = {"iris": load_iris(), "wine": load_wine(), "cancer": load_breast_cancer()}
for low, high in [(0, 2), (3, 5), (6, 7), (8, 9)]:
    rows = np.flatnonzero((digits.target >= low) & (digits.target <= high))
    data[f"digits {low} to {high}"] = (components[rows], digits.target[rows])

# %%
# Every algorithm is asked for as many clusters as there are classes. Algorithms that draw random
# numbers run several times.

algorithms = ["kmeans", "gmm", "ward", "average", "single"]
found = cv.benchmark(data, algorithms, runs=5, measure="ari", standardize=True, random_state=0)
print(found.verdict)

# %%
# Some data sets are easy for most algorithms and others are hard, so scores of different data sets
# should not be averaged.

plots.benchmark_heatmap(found)

# %%
# Ranks can be averaged. A bar joins algorithms whose mean ranks do not differ by Nemenyi's test.
# The three best algorithms do not differ from each other. Two of them, Gaussian mixtures and
# k-means, differ from single linkage.

plots.critical_difference_plot(found)
