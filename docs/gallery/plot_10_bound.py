"""How often is a clustering wrong on unlabelled objects?
======================================================

Some wines have a known cultivar, and a clustering predicts it for all others. The PAC-MDL bound
says how often these predictions can be wrong, for any data, with probability 0.9.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import clustervet as cv

wine = load_wine()
X = StandardScaler().fit_transform(wine.data)
cultivar = wine.target_names[wine.target]
clusters = KMeans(3, n_init=10, random_state=0).fit_predict(X)

# %%
# We draw 60 wines at random and look up their cultivar. Each cluster predicts the cultivar that
# most of its labelled wines have. The last line is only known because all cultivars are known here.

rng = np.random.default_rng(0)
order = rng.permutation(len(X))
bound = cv.pac_mdl_bound(cultivar, clusters, labelled=order[:60])
print(bound)

# %%
# The bits pay for the labels of the clusters. A description that is longer must be right more often
# to have the same bound.

print(bound.assignment)
print({name: round(bits, 2) for name, bits in bound.costs.items()})

# %%
# With many labels the bound is closer to the true share of errors than with few, and it is always
# above it. The dashed line is the bound for always answering the most common cultivar.

sizes = [10, 20, 30, 45, 60, 80, 100, 120]
bounds = [cv.pac_mdl_bound(cultivar, clusters, labelled=order[:m]) for m in sizes]
fig, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.plot(sizes, [b.constant.rate for b in bounds], "--", color="0.5", label="bound, constant answer")
ax.plot(sizes, [b.rate for b in bounds], "o-", label="bound, k-means")
ax.plot(sizes, [b.test_errors / b.test_size for b in bounds], "s-", label="true errors, k-means")
ax.set(xlabel="labelled wines", ylabel="share of wrong predictions", ylim=(0, 1))
ax.legend()
plt.show()
