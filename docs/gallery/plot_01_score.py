"""How good is a clustering against known classes?
===============================================

We cluster the irises of Fisher and score the clusters against the species. The example shows how
to read one score, many scores, and the intervals around them.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import clustervet as cv
from clustervet import plots

iris = load_iris()
species = iris.target_names[iris.target]
clusters = KMeans(3, n_init=10, random_state=0).fit_predict(iris.data)

# %%
# Every measure is a function of classes and clusters, in this order. The numbers that name the
# clusters do not matter, and the labels may be numbers or text.

print(f"adjusted Rand index:       {cv.adjusted_rand(species, clusters):.4f}")
print(f"variation of information:  {cv.variation_of_information(species, clusters):.4f} bits")

# %%
# Several measures make a score card. With ``confidence=0.95`` every score has an interval, because
# the 150 flowers are only a sample of all flowers. The arrow says whether higher or lower is
# better.

names = ["ari", "ami", "v_measure", "matching_accuracy", "bcubed_f1", "jaccard", "vi"]
card = cv.external_scores(species, clusters, measures=names, confidence=0.95)
print(card)

# %%
# A display draws the measures that lie between fixed bounds on one axis. The measures do not agree
# on one number: each counts errors in its own way, so their values can only be compared between
# clusterings, not with each other.

fig, ax = plt.subplots(figsize=(8, 3.5), layout="constrained")
plots.ScoreDisplay.from_cards(card).plot(ax)
plt.show()

# %%
# A plotly figure also has the variation of information, on an axis in bits. The strokes show
# what random clusters of the same sizes would reach. Adjusted measures have it at 0, and the others
# have it at quite different values.

chance = {key: cv.chance(key, species, clusters, random_state=0) for key in card}
plots.score_plot(card, chance=chance)
