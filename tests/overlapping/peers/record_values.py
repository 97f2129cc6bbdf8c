"""Values of other libraries for random covers, recorded in values.json.

It needs cdlib 0.4.1, clusim 0.4, networkit 11.2.2 and bcubed 1.5, which are no dependencies of the
tests but for clusim: `python tests/overlapping/peers/record_values.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np


def covers(seed: int) -> tuple[int, list[list[int]], list[list[int]]]:
    """Two related covers in which every object is in a group, and no group has all objects."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    sides = []
    base = [set(np.flatnonzero(rng.random(n) < 0.35).tolist()) for _ in range(rng.integers(2, 7))]
    for _ in range(2):
        side = [{k for k in group if rng.random() < 0.8} | {int(rng.integers(n))} for group in base]
        side = [group for group in side if len(group) < n][: int(rng.integers(2, 9))]
        side.append(set(range(n)) - set().union(*side) or {0, 1})
        sides.append([sorted(map(int, group)) for group in side])
    return n, *sides


def by_object(groups: list[list[int]]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for k, group in enumerate(groups):
        for item in group:
            found.setdefault(item, set()).add(k)
    return found


def values(n: int, truth: list[list[int]], pred: list[list[int]]) -> dict[str, float]:
    # Here, since pytest imports every file and these are not installed for the tests.
    import bcubed
    import networkit as nk
    import networkx as nx
    from cdlib import NodeClustering, evaluation
    from clusim import sim
    from clusim.clustering import Clustering
    from scipy.sparse import csr_matrix

    # CluSim asks a quotient for lists, which is a sparse matrix in SciPy 1.17 and was a dense one
    # before: without this its similarity of overlapping clusterings ends in an AttributeError.
    csr_matrix.tolist = lambda self: self.toarray().tolist()
    graph = nx.empty_graph(n)
    one, two = (NodeClustering(side, graph, overlap=True) for side in (truth, pred))
    c1, c2 = (
        Clustering(elm2clu_dict={k: sorted(v) for k, v in sorted(by_object(side).items())})
        for side in (truth, pred)
    )
    empty = nk.Graph(n)
    sides = []
    for groups in (truth, pred):
        cover = nk.Cover(n)
        cover.setUpperBound(len(groups))
        for k, group in enumerate(groups):
            for item in group:
                cover.addToSubset(k, item)
        sides.append(cover)
    distance = nk.community.OverlappingNMIDistance()
    found = {
        "clusim omega": sim.omega_index(c1, c2),
        "clusim onmi": sim.onmi(c1, c2),
        "clusim element": sim.element_sim(c1, c2, alpha=0.9),
        "clusim element 0.5": sim.element_sim(c1, c2, alpha=0.5),
        "cdlib omega": evaluation.omega(one, two).score,
        "cdlib lfk": evaluation.overlapping_normalized_mutual_information_LFK(one, two).score,
        "cdlib max": evaluation.overlapping_normalized_mutual_information_MGH(one, two).score,
        "networkit max": 1 - distance.getDissimilarity(empty, *sides),
        "bcubed precision": bcubed.precision(by_object(pred), by_object(truth)),
        "bcubed recall": bcubed.recall(by_object(pred), by_object(truth)),
    }
    for name, (c, reference) in {"truth": sides, "pred": sides[::-1]}.items():
        f1 = nk.community.CoverF1Similarity(empty, c, reference)
        f1.run()
        found[f"networkit f1 {name}"] = f1.getUnweightedAverage()
        found[f"networkit f1 {name} weighted"] = f1.getWeightedAverage()
    return {name: float(value) for name, value in found.items()}


def main() -> None:
    cases = []
    for seed in range(12):
        n, truth, pred = covers(seed)
        cases.append({"n": n, "truth": truth, "pred": pred, "values": values(n, truth, pred)})
    target = Path(__file__).with_name("values.json")
    target.write_text(json.dumps(cases, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
