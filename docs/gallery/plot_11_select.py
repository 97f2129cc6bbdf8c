"""Which algorithm, how many clusters, which run?
==============================================

With some labels, the PAC-MDL bound can choose between clusterings. The example tries three
algorithms, seven numbers of clusters and several runs on wines, and the bound pays for this
choice.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

import clustervet as cv
from clustervet import plots

wine = load_wine()
cultivar = wine.target_names[wine.target]
found = cv.select(
    wine.data,
    cultivar,
    algorithms=["kmeans", "gmm", "ward"],
    clusters=range(2, 9),
    runs=3,
    train=0.5,
    standardize=True,
    random_state=0,
)
print(found)

# %%
# One curve per algorithm shows the best bound over the runs. Two clusters can predict only two of
# the three cultivars, so their bound is high. More than three clusters need more bits to be
# labelled and gain nothing, so their bounds are higher again. The bound in the title pays for the
# choice of the algorithm and of the number of clusters too, so it is higher than the star.

fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
plots.BoundDisplay(found).plot(ax)
plt.show()

# %%
# ``select`` also shows two other ways to predict: a clustering that is checked by labels that were
# held out, and a plain classifier. Their joint bounds hold at once, so you may trust the smallest.

for name, way in found.predictors.items():
    print(f"{name:10} {way.method:30} at most {way.joint_max_errors} wrong")
print("trust:", found.trusted)

# %%
# How many labels are needed? The same fits are judged with more and fewer of them. The bound falls
# quickly at first, and hardly changes from half of the wines to most of them.

several = cv.select(
    wine.data,
    cultivar,
    algorithms=["kmeans", "ward"],
    clusters=range(2, 7),
    runs=2,
    train=[0.1, 0.2, 0.3, 0.5, 0.7],
    standardize=True,
    random_state=0,
)
plots.share_plot(several)
