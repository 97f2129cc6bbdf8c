"""Is a score more than chance?
============================

Purity grows with the number of clusters, even if the clusters are random. The example compares a
score with the scores of random clusters, and adjusts it so that 0 means chance.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine

import clustervet as cv

wine = load_wine()
clusters = KMeans(3, n_init=10, random_state=0).fit_predict(wine.data)

# %%
# ``chance`` draws random clusters of the same sizes. The value lies far above all of them, so the
# clusters do say something about the cultivars.

found = cv.chance("purity", wine.target, clusters, random_state=0)
print(f"purity {found.value:.3f}, by chance {found.expected:.3f}, p-value {found.p_value:.4f}")
print(f"adjusted for chance: {found.adjusted:.3f}")

# %%
# The same random clusters can be drawn by shuffling the labels. ``many`` scores all of them in one
# call.

rng = np.random.default_rng(0)
shuffled = np.array([rng.permutation(clusters) for _ in range(2000)])
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.hist(cv.purity.many(wine.target, shuffled), bins=20, color="0.7", label="random clusters")
ax.axvline(found.value, color="C0", linewidth=2, label="k-means")
ax.set(xlabel="purity", ylabel="number of random clusterings")
ax.legend()
plt.show()

# %%
# Now we ask for more and more clusters. The purity of k-means rises, and it looks as if more
# clusters were better. But the purity of random clusters rises as well. After the adjustment, 50
# clusters are hardly better than 3: almost all that they seem to gain is chance.

numbers = [2, 3, 5, 8, 12, 20, 30, 50]
by_number = []
for k in numbers:
    labels = KMeans(k, n_init=10, random_state=0).fit_predict(wine.data)
    by_number.append(cv.chance("purity", wine.target, labels, random_state=0))

fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(numbers, [one.value for one in by_number], "o-", label="k-means")
ax.plot(numbers, [one.expected for one in by_number], "s--", color="0.5", label="random clusters")
ax.plot(numbers, [one.adjusted for one in by_number], "^-", label="k-means, adjusted")
ax.set(xlabel="number of clusters", ylabel="purity", xscale="log", ylim=(0, 1))
ax.set_xticks(numbers, numbers)
ax.minorticks_off()
ax.legend(loc="lower left")
plt.show()
