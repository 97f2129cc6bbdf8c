"""Entropies of classes and clusters, in bits unless `base` says otherwise."""

from __future__ import annotations

import math

from clustervet.contingency import Contingency
from clustervet.external.common import in_base
from clustervet.registry import measure


@measure(
    title="Entropy of the classes",
    symbol="H(C)",
    family="information",
    better="neither",
    bounds=(0, math.inf),
    unit="bits",
    equation="-sum_c p(c) log p(c)",
    reference="Shannon 1948; Meilă 2007, eq. 14; Dom 2001, §4.1",
    meaning="How uncertain the class of an object is before anything is known.",
    use="As the yardstick for mutual information and conditional entropy.",
    avoid="As a score: it does not look at the clustering.",
)
def class_entropy(table: Contingency, base: float = 2) -> float:
    """Entropy of the classes.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> class_entropy(["a", "a", "b", "b"], [0, 0, 0, 0])
    1.0
    """
    return in_base(table.entropies.classes, base)


@measure(
    title="Entropy of the clusters",
    symbol="H(K)",
    family="information",
    better="neither",
    bounds=(0, math.inf),
    unit="bits",
    equation="-sum_k p(k) log p(k)",
    reference="Shannon 1948; Meilă 2007, eq. 14; Mottin, 'Conditional entropy'",
    meaning="How uncertain the cluster of an object is before anything is known.",
    use="To see how finely and how evenly a clustering divides the data.",
    avoid="As a score: it does not look at the classes.",
)
def cluster_entropy(table: Contingency, base: float = 2) -> float:
    """Entropy of the clusters.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> cluster_entropy(["a", "a", "a", "a"], [0, 1, 2, 3])
    2.0
    """
    return in_base(table.entropies.clusters, base)


@measure(
    title="Joint entropy",
    symbol="H(C,K)",
    family="information",
    better="neither",
    bounds=(0, math.inf),
    unit="bits",
    symmetric=True,
    equation="-sum p(c,k) log p(c,k)",
    reference="Shannon 1948; Meilă 2007, §3",
    meaning="How uncertain class and cluster of an object are together.",
    use="As the yardstick of the joint normalisation of mutual information.",
    avoid="As a score: it grows with the number of clusters on either side.",
)
def joint_entropy(table: Contingency, base: float = 2) -> float:
    """Entropy of class and cluster together.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> joint_entropy(["a", "a", "b", "b"], [0, 1, 0, 1])
    2.0
    """
    return in_base(table.entropies.joint, base)


@measure(
    title="Conditional entropy of the classes",
    symbol="H(C|K)",
    family="information",
    better="lower",
    bounds=(0, math.inf),
    unit="bits",
    perfect=0.0,
    aliases=("average_entropy",),
    equation="-sum p(c,k) log p(c|k)",
    reference="Dom 2001, §4.1; Aggarwal 2015, eqs. 6.52 and 6.53; Mottin, 'Conditional entropy'",
    meaning="How uncertain an object's class still is once its cluster is known.",
    use="All clusterings compared have the same number of clusters.",
    avoid="Numbers of clusters differ: splitting always lowers it. Take dom_q0.",
)
def conditional_entropy(table: Contingency, base: float = 2) -> float:
    """Uncertainty about the class that is left when the cluster is known.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> conditional_entropy(["a", "a", "b", "b"], [0, 0, 0, 0])
    1.0
    """
    return in_base(table.entropies.classes_given_clusters, base)


@measure(
    title="Conditional entropy of the clusters",
    symbol="H(K|C)",
    family="information",
    better="lower",
    bounds=(0, math.inf),
    unit="bits",
    perfect=0.0,
    equation="-sum p(c,k) log p(k|c)",
    reference="Meilă 2007, eq. 21; Aggarwal 2015, §6.9.2 (row-wise)",
    meaning="How uncertain an object's cluster still is once its class is known.",
    use="To see how much classes are scattered over clusters.",
    avoid="Alone: a single cluster makes it perfect.",
)
def inverse_conditional_entropy(table: Contingency, base: float = 2) -> float:
    """Uncertainty about the cluster that is left when the class is known.

    Parameters
    ----------
    base : float, default 2
        Base of the logarithm: 2 for bits, e for nats.

    Examples
    --------
    >>> inverse_conditional_entropy(["a", "a", "b", "b"], [0, 1, 2, 3])
    1.0
    """
    return in_base(table.entropies.clusters_given_classes, base)
