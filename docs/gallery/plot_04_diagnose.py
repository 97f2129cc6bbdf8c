"""Where does a clustering go wrong?
=================================

K-means divides images of handwritten digits into ten clusters. The example finds the clusters that
cost most, the repair that would gain most, and the images behind it.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import clustervet as cv
from clustervet import plots

digits = load_digits()
clusters = KMeans(10, n_init=4, random_state=0).fit_predict(digits.data)

# %%
# The table of digits and clusters has the matched pairs on its diagonal. What lies outside of the
# diagonal is wrong.

fig, ax = plt.subplots(figsize=(7, 5.5), layout="constrained")
plots.ContingencyDisplay.from_labels(digits.target, clusters).plot(ax)
plt.show()

# %%
# ``diagnose`` says the same in numbers. The variation of information is a sum over clusters, so
# each cluster has an exact share of it.

found = cv.diagnose(digits.target, clusters)
print(found.verdict)
plots.diagnosis_bars(found)

# %%
# The repairs are ordered by what they gain. The gain of each is computed exactly.

for repair in found.repairs[:5]:
    print(repair)

# %%
# The diagnosis knows which objects it speaks of. The first row shows images of the main digit of
# the costliest cluster, and the second row images of the digit that it is mixed with. In both rows
# the strokes fill a narrow strip in the middle.

worst = found.merges[0]
print(worst.name, worst.parts)
fig, axes = plt.subplots(2, 10, figsize=(8, 1.8), layout="constrained")
for row, (digit, _) in zip(axes, worst.parts, strict=False):
    for ax, image in zip(row, found.objects(cluster=worst.name, cls=digit), strict=False):
        ax.imshow(digits.images[image], cmap="gray_r")
        ax.set_axis_off()
plt.show()
