"""What do many runs agree on?
===========================

K-means ends in another clustering for every random start. The example finds the consensus of
twenty runs on handwritten digits, and compares it with the runs themselves.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import clustervet as cv

X, truth = load_digits(return_X_y=True)
runs = [KMeans(10, init="random", n_init=1, random_state=s).fit_predict(X) for s in range(20)]
ensemble = cv.Ensemble(runs)

# %%
# The consensus is the partition with the least sum of distances to all runs. It lies nearer to them
# than any single run does, and it did not need the truth.

consensus = ensemble.consensus(random_state=0)
print(f"clusters of the consensus:               {consensus.partition.k}")
print(f"sum of distances to the consensus:       {consensus.objective:.2f} bits")
print(f"sum of distances to the best single run: {consensus.objectives.min():.2f} bits")

# %%
# Is it also nearer to the true digits? Not here: the consensus is about as far from them as the
# runs are on average. It sums up what the runs agree on, and that is not the same as the truth.

distances = cv.variation_of_information.many(truth, runs)
reached = cv.variation_of_information(truth, consensus.labels)
fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.hist(distances, bins=12, color="0.75", label="20 runs of k-means")
ax.axvline(distances.mean(), color="0.4", linestyle="--", label="mean of the runs")
ax.axvline(reached, color="C1", linewidth=2, label="consensus")
ax.set(xlabel="variation of information to the digits (bits)", ylabel="runs")
ax.legend()
plt.show()

# %%
# The share of runs that put two images together shows what is certain. The images are sorted by the
# consensus, so its clusters are squares on the diagonal. Some squares are dark all over: almost
# every run finds these clusters. Others are mottled: there the runs disagree.

order = np.argsort(consensus.labels, kind="stable")[::6]
together = np.mean([run[order][:, None] == run[order] for run in runs], axis=0)
fig, ax = plt.subplots(figsize=(5.5, 4.5), layout="constrained")
image = ax.imshow(together, cmap="Blues", vmin=0, vmax=1)
fig.colorbar(image, label="share of runs that put both images together")
ax.set(xlabel="images", ylabel="images", xticks=[], yticks=[])
plt.show()
