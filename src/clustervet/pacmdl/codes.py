"""The languages: the paper's four, and three whose codes are shorter for more likely labels.

All label codes here are urns: the next cluster gets a label with a probability that depends on
how often each label was used before. The urn of the paper never changes. The others remove a drawn
label, so that labels differ, or add one more of it, so that labels repeat.
"""

from __future__ import annotations

import math

from clustervet.pacmdl.coding import PAPER, Language, mean_bits, mixed
from clustervet.pacmdl.description import Description

LOG_TWO = math.log(2)


def uniform_bits(description: Description) -> float:
    """Bits if every cluster may get every label: c log2 l (Banerjee & Langford 2004, §3.1).

    >>> uniform_bits(Description(clusters=3, labels=4))
    6.0
    """
    return description.clusters * math.log2(description.labels)


def permutation_bits(description: Description) -> float:
    """Bits if half of the probability is for labels drawn without replacement, half for any labels.

    Up to l clusters the urn holds each label once: all labels differ, and an assignment has
    probability (l - c)!/l!. With more clusters it holds each label as often as is needed.

    >>> three = Description(clusters=3, labels=3, assignment=(2, 0, 1))
    >>> round(permutation_bits(three), 3), round(uniform_bits(three), 3)
    (3.295, 4.755)
    """
    copies = -(-description.clusters // description.labels)
    if description.uses[-1] > copies:
        return uniform_bits(description) + 1
    ways = _log_falling(copies * description.labels, description.clusters)
    alike = math.fsum(_log_falling(copies, used) for used in description.uses)
    return mean_bits([max(0.0, (ways - alike) / LOG_TWO), uniform_bits(description)])


def adaptive_bits(description: Description) -> float:
    """Bits if the next cluster has label j with probability (n_j + 1/2) / (k + l/2).

    n_j is how often label j was used for the k clusters before (Krichevsky & Trofimov 1981).

    >>> ten = Description(clusters=10, labels=4, assignment=(0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
    >>> round(adaptive_bits(ten), 3), uniform_bits(ten)
    (10.212, 20.0)
    """
    half = description.labels / 2
    whole = math.lgamma(description.clusters + half) - math.lgamma(half)
    parts = math.fsum(math.lgamma(used + 0.5) - math.lgamma(0.5) for used in description.uses)
    return max(0.0, (whole - parts) / LOG_TWO)


def _log_falling(n: int, k: int) -> float:
    """Log of n (n - 1) ... (n - k + 1)."""
    return math.lgamma(n + 1) - math.lgamma(n - k + 1)


SIMPLE = Language(
    key="simple",
    title="Simple",
    choices=(),
    meaning="Pays for the label of each cluster; the clustering was fixed beforehand.",
    reference=f"{PAPER}, eq. 1",
    code=uniform_bits,
)
INIT = Language(
    key="init",
    title="Init",
    choices=("runs",),
    meaning="Pays for the labels, and for choosing the run.",
    reference=f"{PAPER}, eq. 2",
    code=uniform_bits,
)
CLUSTER = Language(
    key="cluster",
    title="Cluster",
    choices=("runs", "number"),
    meaning="Pays for the labels, and for choosing the run and the number of clusters.",
    reference=f"{PAPER}, eq. 3",
    code=uniform_bits,
)
ALGO = Language(
    key="algo",
    title="Algo",
    choices=("runs", "number", "algorithms"),
    meaning="Pays for the labels, and for choosing the run, the number and the algorithm.",
    reference=f"{PAPER}, eq. 4",
    code=uniform_bits,
)
PERMUTATION = Language(
    key="permutation",
    title="Permutation",
    choices=None,
    meaning="Shorter where clusters have different labels; pays for the choices made.",
    reference=f"{PAPER}, §3.1: any probability gives a code",
    code=permutation_bits,
)
ADAPTIVE = Language(
    key="adaptive",
    title="Adaptive",
    choices=None,
    meaning="Shorter where few labels are used for many clusters; pays for the choices made.",
    reference="Krichevsky & Trofimov 1981",
    code=adaptive_bits,
)
MIXTURE = mixed(
    [SIMPLE, PERMUTATION, ADAPTIVE],
    key="mixture",
    title="Mixture",
    meaning="Within log2 3 bits of the shortest of simple, permutation and adaptive; pays for "
    "the choices made.",
)
BUILT_IN = (SIMPLE, INIT, CLUSTER, ALGO, PERMUTATION, ADAPTIVE, MIXTURE)
