"""Record element-centric similarity from CluSim's clusters and levels, and how CluSim itself fails.

python clusim_values.py > clusim.json, with clusim and scipy installed.
"""

import json
import sys


def main():
    import numpy as np
    import scipy
    from clusim import sim
    from clusim.clustering import Clustering
    from scipy.cluster.hierarchy import linkage

    def read(merges):
        found = Clustering()
        found.from_scipy_linkage(merges, dist_rescaled=False)
        return found

    def visits(tree, r):
        """What CluSim's make_cielg and its PageRank compute, with dense arrays."""
        levels, held = tree.hier_graph.rescale(rescale_path_type="max"), tree.hier_clusdict()
        marks = np.zeros((len(tree.elements), len(held)))
        for k, (cluster, elements) in enumerate(held.items()):
            marks[sorted(elements), k] = np.exp(r * levels[cluster])
        step = (marks / marks.sum(axis=1, keepdims=True)) @ (marks / marks.sum(axis=0)).T
        return 0.1 * np.linalg.inv(np.eye(len(step)) - 0.9 * step)

    rng = np.random.default_rng(1)
    cases = []
    for n in (4, 7, 15):
        x = rng.normal(size=(n, 2))
        one, two = linkage(x, "average"), linkage(x, "single")
        a, b = read(one), read(two)
        try:
            own = sim.element_sim(a, b, alpha=0.9, r=1.0)
        except Exception as error:
            own = f"{type(error).__name__}: {error}"
        values = {
            r: 1 - np.abs(visits(a, r) - visits(b, r)).sum(axis=1).mean() / 1.8
            for r in (1.0, 3.0, -2.0)
        }
        held = {"one": one.tolist(), "two": two.tolist(), "values": values, "clusim": own}
        cases.append(held)
    sys.stdout.write(json.dumps({"clusim": "0.4", "scipy": scipy.__version__, "cases": cases}))


if __name__ == "__main__":
    main()
