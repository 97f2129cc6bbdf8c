"""Can the measure itself be trusted?
==================================

No measure has every good property. The example shows in one matrix which measure has which, looks
at a smallest case in which a property fails, and finds measures that have the properties one
needs.
"""

import clustervet as cv
from clustervet import plots

names = ["purity", "rand", "adjusted_rand", "jaccard", "f_measure", "matching_accuracy"]
names += ["nmi", "ami", "vi", "dom_q2", "van_dongen", "bcubed_f1"]
matrix = cv.lab.axioms(names)

# %%
# A dot means that the property holds in all cases that were tried, and a cross means that it fails.
# No measure has all properties.

plots.property_matrix_plot(matrix)

# %%
# Purity has no constant baseline: the value that random clusters reach depends on how many and how
# large they are. The counterexample has only four objects.

verdict = matrix["purity"]["constant_baseline"]
print(cv.lab.known_properties()["constant_baseline"].claim)
print(verdict)

# %%
# These are all clusterings of four objects. The two that the counterexample compares are marked.

labelings = dict(verdict.counterexample.labelings)
plots.lattice_plot(4, marks={name: labelings[name] for name in ["pred 1", "pred 2"]})

# %%
# The other way round: say what you need, and get the measures that have it.

print(cv.lab.advise(["metric", "different n", "aligned"]))
