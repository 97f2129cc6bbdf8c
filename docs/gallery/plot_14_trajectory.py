"""How does a clustering move while k-means runs?
==============================================

Every iteration of k-means is a clustering of its own. The example follows the iterations on
handwritten digits, and shows how far each is from the start and from the end.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import clustervet as cv
from clustervet import plots

X, truth = load_digits(return_X_y=True)
steps = range(1, 14)
fits = [KMeans(10, init="random", n_init=1, max_iter=t, random_state=1).fit(X) for t in steps]
ensemble = cv.Ensemble({f"step {t}": fit.labels_ for t, fit in zip(steps, fits, strict=True)})

# %%
# The variation of information obeys the triangle inequality, so the steps add up to at least the
# distance between the first and the last clustering. The nearer both numbers are, the straighter is
# the way.

trajectory = ensemble.trajectory()
print(trajectory)

# %%
# The first steps are long, and the last steps change almost nothing. Soon the distance from the
# start hardly grows any more, while the distance to the end still falls.

plots.trajectory_plot(trajectory)

# %%
# K-means lowers the sum of squares, and knows nothing of the true digits. In this run the distance
# to the digits falls as well, most of all in the first steps.

fig, axes = plt.subplots(2, 1, figsize=(7, 4.5), sharex=True, layout="constrained")
axes[0].plot(steps, [fit.inertia_ for fit in fits], "o-")
axes[0].set_ylabel("sum of squares")
distances = [cv.variation_of_information(truth, fit.labels_) for fit in fits]
axes[1].plot(steps, distances, "s-", color="C1")
axes[1].set(xlabel="iterations", ylabel="bits to the digits")
plt.show()
