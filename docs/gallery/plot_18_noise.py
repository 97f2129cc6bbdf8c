"""How do measures react to noise?
===============================

Dom (2001) described a family of clusterings with one parameter for each kind of error. The example
changes two of the parameters and compares several measures.
"""

import matplotlib.pyplot as plt
import numpy as np

import clustervet as cv

keys = ["dom_q2", "adjusted_rand", "nmi", "rand", "jaccard", "bcubed_f1"]


def score(key, **errors):
    """Score the expected table of 500 objects, five classes and five useful clusters."""
    table = cv.lab.expected_table(cv.lab.family(classes=5, useful=5, **errors), 500)
    return cv.measures[key](table)


# %%
# At the left, more and more objects fall into noise clusters, which belong to no class. At the
# right, a fifth of the objects is noise, and it is spread over more and more clusters. This is
# worse each time, so every curve should fall.

shares = np.linspace(0.01, 0.6, 30)
numbers = np.arange(1, 11)
fig, axes = plt.subplots(1, 2, figsize=(9, 4.5), sharey=True, layout="constrained")
for key in keys:
    by_share = [score(key, noise=3, error_noise=share) for share in shares]
    axes[0].plot(shares, by_share, label=cv.measures[key].title)
    by_number = [score(key, noise=int(k), error_noise=0.2) for k in numbers]
    axes[1].plot(numbers, by_number, "o-", markersize=3)
axes[0].set(xlabel="share of noise objects", ylabel="score")
axes[1].set(xlabel="noise clusters, with a fifth of the objects")
fig.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
plt.show()

# %%
# At the left, all curves fall. At the right, the three measures of pairs (Rand, adjusted Rand and
# Jaccard) rise: they count pairs of objects that are wrongly put together, and many small noise
# clusters put fewer pairs together than one large one. The other three fall, as they should.
#
# The rules P1 to P5 say how a measure should react to each parameter. P3 is the rule about the
# number of noise clusters. The table counts how many sequences of his grid break each rule.

print(cv.lab.desiderata(keys))
