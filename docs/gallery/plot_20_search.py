"""How to tune a pipeline with scikit-learn's search
=================================================

Every measure of clustervet is a plain function, so scikit-learn can use it as a score. The example
searches over scaling, number of components and number of clusters for wines with known cultivars.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler

import clustervet as cv

X, y = load_wine(return_X_y=True)

# %%
# The record of a measure knows whether higher or lower is better.

record = cv.measures["vi"]
scorer = make_scorer(record, greater_is_better=record.better == "higher")

# %%
# The clusters are made on one part of the wines, and judged on wines that took no part in that.

pipeline = Pipeline(
    [
        ("scale", StandardScaler()),
        ("reduce", PCA(random_state=0)),
        ("cluster", KMeans(n_init=5, random_state=0)),
    ]
)
grid = {
    "scale": ["passthrough", StandardScaler(), RobustScaler()],
    "reduce__n_components": [2, 5],
    "cluster__n_clusters": [2, 3, 4, 5],
}
folds = StratifiedKFold(3, shuffle=True, random_state=0)
search = GridSearchCV(pipeline, grid, scoring=scorer, cv=folds).fit(X, y)
print(search.best_params_)
print(f"{-search.best_score_:.3f} bits from the cultivars")

# %%
# The distance to the cultivars for every number of clusters, with the better number of components.
# Without scaling (passthrough) it only grows with the number of clusters. With scaling, three
# clusters are the best.

results = pd.DataFrame(search.cv_results_)
results["bits"] = -results["mean_test_score"]
results["scaling"] = results["param_scale"].map(lambda one: str(one).removesuffix("()"))
best = results.pivot_table("bits", "param_cluster__n_clusters", "scaling", aggfunc="min")
ax = best.plot(style="o-", figsize=(7, 3.8), xlabel="number of clusters", ylabel="bits")
ax.set_xticks(best.index)
plt.tight_layout()
plt.show()
