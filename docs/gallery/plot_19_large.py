"""How to score millions of objects
================================

Every external measure is a function of one small table. The example scores ten million objects
from their table, adds up tables of parts, and shows what a large sample is good for.
"""

import matplotlib.pyplot as plt
import numpy as np

import clustervet as cv

shares = np.array([[0.30, 0.02, 0.01], [0.03, 0.25, 0.04], [0.00, 0.05, 0.30]])
counts = np.random.default_rng(0).multinomial(10_000_000, shares.ravel()).reshape(3, 3)
table = cv.Contingency.from_counts(counts, class_names=["cat", "dog", "fox"])
print(table)

# %%
# The numbers of pairs are integers without rounding, however large. The Rand index is a ratio of
# two of them.

pairs = table.pairs
total = table.n * (table.n - 1) // 2
print(f"{pairs.n11 + pairs.n00:,} of {total:,} pairs agree")
print((pairs.n11 + pairs.n00) / total == cv.rand(table))

# %%
# Tables of disjoint parts merge, so that data which arrive day by day, or lie on many machines,
# never have to be in one place.

rng = np.random.default_rng(1)
days = []
for _ in range(10):
    cat_or_dog = rng.integers(0, 2, 100_000)
    wrong = rng.random(100_000) < 0.1
    days.append(cv.Contingency.from_labels(cat_or_dog, cat_or_dog ^ wrong))
together = sum(days[1:], days[0])
print(f"{together.n:,} objects, adjusted Rand {cv.adjusted_rand(together):.4f}")

# %%
# What does size buy? The interval of a score becomes ten times narrower with a hundred times as
# many objects. Here the shares stay the same and only the number of objects grows.

sizes = [10**k for k in range(2, 9)]
widths = []
for n in sizes:
    grown = cv.Contingency.from_counts(np.rint(shares * n).astype(int))
    found = cv.confidence_interval("ari", grown)
    widths.append(found.high - found.low)
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.loglog(sizes, widths, "o-")
ax.set(xlabel="objects", ylabel="width of the 0.95 interval", title="adjusted Rand index")
ax.grid(alpha=0.3)
plt.show()
