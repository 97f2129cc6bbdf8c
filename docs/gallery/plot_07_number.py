"""How many clusters are there?
============================

``tune`` clusters the data with several numbers of clusters and suggests a number, if the data can
tell. The example asks for wines, which come from three cultivars, and for patients, who form no
clusters.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes, load_wine

import clustervet as cv
from clustervet import plots

wines = cv.tune("kmeans", load_wine().data, values=range(2, 9), standardize=True, random_state=0)
print(wines)

# %%
# Every curve has its own rule: the sum of squares (ssq) has an elbow, and the silhouette has a
# maximum. Both lean to three clusters; the star is hollow because the choice is not a clear one.
# The grey band shows the same curve for data without clusters. From three clusters on, both curves
# of the wines lie on the better side of it.

fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, measure in zip(axes, ["ssq", "silhouette"], strict=True):
    plots.ElbowDisplay(wines).plot(ax, measure=measure)
    ax.set_title(measure, loc="left")  # in place of the sentence, which is the same for both
plt.show()

# %%
# The second data set has the body mass index, the blood pressure and a blood value of 442 patients.
# All five measures lean to two clusters. But k-means divides any data into two halves, and none of
# the p-values is small: data without clusters (grey bands) lead to such choices as well. So nothing
# is suggested, and the title says why.

patients = load_diabetes(as_frame=True).data[["bmi", "bp", "s5"]]
nothing = cv.tune("kmeans", patients, values=range(2, 9), standardize=True, random_state=0)
print("suggestion:", nothing.suggestion)
plots.elbow_plot(nothing)
