"""What is in the clusters?
========================

Before any number, look at the points. The example draws wines in two dimensions and lists the
features that set each cluster apart from the others.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

import clustervet as cv
from clustervet import plots

wine = load_wine(as_frame=True)
X = StandardScaler().set_output(transform="pandas").fit_transform(wine.data)
clusters = KMeans(3, n_init=10, random_state=0).fit_predict(X)
cultivar = wine.target_names[wine.target]

# %%
# Thirteen features are drawn by two principal components; the axes say how much of the variance
# they hold. Colours are clusters and shapes are cultivars.

plots.points_plot(X, clusters, cultivar)

# %%
# The profile of a cluster names the features in which its mean differs most from the mean of all
# other wines, in standard deviations (Cohen's d).

profiles = cv.cluster_profiles(X, clusters, most=4)
print(profiles)

# %%
# The same as a picture. The clusters differ in different features, and each can be described in a
# few words: one is rich in proline, one has little alcohol and a light colour, and one is low in
# flavanoids.

fig, axes = plt.subplots(3, 1, figsize=(7, 5.5), sharex=True, layout="constrained")
for ax, profile in zip(axes, profiles.profiles, strict=True):
    names = [one.feature for one in profile.features]
    ax.barh(names, [one.difference for one in profile.features])
    ax.axvline(0, color="black", linewidth=0.8)
    ax.invert_yaxis()
    ax.set_title(f"cluster {profile.shown}, {profile.size} wines", loc="left")
axes[-1].set_xlabel("difference from all other wines (Cohen's d)")
plt.show()
