"""The peers: which form of labels each of them takes, and which of our measures it has.

Labels are converted to the form that suits a peer best before timing starts. Values follow our
conventions: truth first, similarities rather than dissimilarities, information in nats, and
normalised mutual information by the arithmetic mean, which is what most peers use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from typing import Any

import clustervet as cv
from harness import AbsentError, Contender
from labels import Labels

# Options that make our measures follow the peers' conventions.
OPTIONS: dict[str, dict[str, Any]] = {
    "mutual_information": {"base": math.e},
    "variation_of_information": {"base": math.e},
    "normalized_mutual_information": {"average": "arithmetic"},
}

Score = Callable[[Any, Any], float]


def our_call(measure: str, truth: Labels, pred: Labels) -> Callable[[], float]:
    """Our measure from labels to value; the table is part of the timed call."""
    return partial(getattr(cv, measure), truth, pred, **OPTIONS.get(measure, {}))


@dataclass(frozen=True)
class Peer:
    """A library: the module that it needs, its form of labels, and its measures."""

    name: str
    module: str
    convert: Callable[[Labels], Any]
    load: Callable[[], dict[str, Score]]

    def missing(self) -> str | None:
        """Why the peer cannot take part, or None if it can."""
        return why_missing(self.module)

    def contender(self, measure: str, truth: Any, pred: Any) -> Contender:
        """The peer's version of our measure, on converted labels."""
        return Contender(self.name, partial(self.load()[measure], truth, pred))


@cache
def why_missing(module: str) -> str | None:
    """Why a module cannot be imported, or None if it can."""
    try:
        import_module(module)
    except ModuleNotFoundError:
        return "not installed"
    except Exception as error:  # an import can fail in any way; the table shows how
        return f"cannot be imported: {type(error).__name__}: {error}"
    return None


def present(makers: Mapping[str, Callable[[], Contender]]) -> list[Contender]:
    """One contender per peer; a peer that is not installed gets a row that says so."""
    return [
        make() if (why := BY_NAME[name].missing()) is None else Contender(name, partial(_no, why))
        for name, make in makers.items()
    ]


def _no(why: str) -> None:
    raise AbsentError(why)


def _as_is(labels: Labels) -> Labels:
    return labels


@cache
def _sklearn() -> dict[str, Score]:
    from sklearn import metrics

    return {
        "rand": metrics.rand_score,
        "adjusted_rand": metrics.adjusted_rand_score,
        "fowlkes_mallows": metrics.fowlkes_mallows_score,
        "mutual_information": metrics.mutual_info_score,
        "normalized_mutual_information": metrics.normalized_mutual_info_score,
        "adjusted_mutual_information": metrics.adjusted_mutual_info_score,
        "homogeneity": metrics.homogeneity_score,
        "completeness": metrics.completeness_score,
        "v_measure": metrics.v_measure_score,
    }


@cache
def _genieclust() -> dict[str, Score]:
    from genieclust import compare_partitions as compare

    return {
        "rand": compare.rand_score,
        "adjusted_rand": compare.adjusted_rand_score,
        "fowlkes_mallows": compare.fm_score,
        "adjusted_fowlkes_mallows": compare.adjusted_fm_score,
        "mutual_information": compare.mi_score,
        "normalized_mutual_information": compare.normalized_mi_score,
        "adjusted_mutual_information": compare.adjusted_mi_score,
        "pair_sets_index": compare.pair_sets_index,
        "normalized_clustering_accuracy": compare.normalized_clustering_accuracy,
    }


@cache
def _igraph() -> dict[str, Score]:
    from igraph import compare_communities

    methods = {
        "rand": "rand",
        "adjusted_rand": "adjusted_rand",
        "variation_of_information": "vi",
        "normalized_mutual_information": "nmi",
        "van_dongen": "split-join",
    }
    return {key: partial(compare_communities, method=name) for key, name in methods.items()}


def _partition(labels: Labels) -> Any:
    from networkit import Partition

    partition = Partition(len(labels), labels.tolist())
    partition.setUpperBound(int(labels.max()) + 1)
    return partition


@cache
def _networkit() -> dict[str, Score]:
    from networkit import Graph, community

    def similarity(measure: Any, first: Any, second: Any) -> float:
        graph = Graph(first.numberOfElements())  # required, but its edges are not used
        return 1.0 - float(measure().getDissimilarity(graph, first, second))

    measures = {
        "rand": community.NodeStructuralRandMeasure,
        "adjusted_rand": community.AdjustedRandMeasure,
        "jaccard": community.JaccardMeasure,
        "normalized_mutual_information": community.NMIDistance,
    }
    return {key: partial(similarity, measure) for key, measure in measures.items()}


def _clustering(labels: Labels) -> Any:
    from clusim.clustering import Clustering

    return Clustering().from_membership_list(labels.tolist())


@cache
def _clusim() -> dict[str, Score]:
    from clusim import sim

    def in_nats(bits: Score, first: Any, second: Any) -> float:
        return float(bits(first, second)) * math.log(2)

    return {
        "rand": sim.rand_index,
        "adjusted_rand": sim.adjrand_index,
        "jaccard": sim.jaccard_index,
        "fowlkes_mallows": sim.fowlkes_mallows_index,
        "pair_f1": sim.fmeasure,
        "hubert_gamma": sim.pearson_correlation,
        "purity": sim.purity_index,
        "mutual_information": partial(in_nats, sim.mi),
        "normalized_mutual_information": sim.nmi,
        "adjusted_mutual_information": sim.adj_mi,
        "variation_of_information": partial(in_nats, sim.vi),
        "element_centric_similarity": sim.element_sim,
    }


def _tensor(labels: Labels) -> Any:
    import torch

    return torch.from_numpy(labels)


@cache
def _torchmetrics() -> dict[str, Score]:
    from torchmetrics.functional import clustering

    def turned(score: Any, truth: Any, pred: Any) -> float:
        return float(score(pred, truth))  # it takes the prediction first

    names = {
        "rand": "rand_score",
        "adjusted_rand": "adjusted_rand_score",
        "fowlkes_mallows": "fowlkes_mallows_index",
        "mutual_information": "mutual_info_score",
        "normalized_mutual_information": "normalized_mutual_info_score",
        "adjusted_mutual_information": "adjusted_mutual_info_score",
        "homogeneity": "homogeneity_score",
        "completeness": "completeness_score",
        "v_measure": "v_measure_score",
    }
    return {key: partial(turned, getattr(clustering, name)) for key, name in names.items()}


PEERS = [
    Peer("scikit-learn", "sklearn", _as_is, _sklearn),
    Peer("genieclust", "genieclust", _as_is, _genieclust),
    Peer("igraph", "igraph", lambda labels: labels.tolist(), _igraph),
    Peer("networkit", "networkit", _partition, _networkit),
    Peer("torchmetrics", "torchmetrics", _tensor, _torchmetrics),
    Peer("clusim", "clusim", _clustering, _clusim),
]
BY_NAME = {peer.name: peer for peer in PEERS}
