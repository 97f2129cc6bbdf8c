"""Is one clustering better than another?
======================================

Four clusterings of the same wines are scored against the cultivars. The example shows which
differences between them are real, and which are smaller than the error of a sample of 178 wines.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.datasets import load_wine
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet import plots

wine = load_wine()
X = StandardScaler().fit_transform(wine.data)
cultivar = wine.target_names[wine.target]
mixture = GaussianMixture(3, covariance_type="diag", n_init=5, random_state=0)
clusterings = {
    "raw": KMeans(3, n_init=10, random_state=0).fit_predict(wine.data),  # not standardised
    "kmeans": KMeans(3, n_init=10, random_state=0).fit_predict(X),
    "ward": AgglomerativeClustering(3).fit_predict(X),
    "mixture": mixture.fit_predict(X),
}

# %%
# Several clusterings are scored side by side. The intervals of the three clusterings of
# standardised data overlap, and that of the raw data lies far from them.

names = ["ari", "ami", "matching_accuracy", "v_measure"]
cards = cv.external_scores(cultivar, clusterings, measures=names, confidence=0.95)
fig, ax = plt.subplots(figsize=(8, 4), layout="constrained")
plots.ScoreDisplay.from_cards(cards).plot(ax)
plt.show()

# %%
# Overlapping intervals do not answer the question, because the clusterings are easy and hard on the
# same wines. A paired comparison leaves each wine out of both clusterings at once. The ranking
# compares every pair in this way and corrects for the number of pairs.

ranking = cv.rank_predictions(cultivar, clusterings, "ari")
print(ranking)
for one in ranking.comparisons:
    print(f"{one.first:8} {one.second:8} difference {one.difference:+.3f}  p = {one.p_value:.3g}")

# %%
# In the figure, a hollow dot is a clustering that these data cannot distinguish from the best one.
# The interval of Ward's method does not reach 0. But it is the interval of one comparison, and the
# p-value, which is corrected for all six, is above 0.05.

plots.ranking_plot(ranking)
