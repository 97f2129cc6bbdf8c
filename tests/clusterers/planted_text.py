"""Small random text with planted topics, as counts of words."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from clustervet.clusterers import (
    FrequencySensitiveKMeans,
    HardMovMF,
    KLKMeans,
    SoftMovMF,
    SphericalKMeans,
)

MODELS = {
    "spherical": SphericalKMeans(),
    "incremental": FrequencySensitiveKMeans(),
    "batch": FrequencySensitiveKMeans(update="batch"),
    "hard": HardMovMF(),
    "hard shared": HardMovMF(concentration="shared"),
    "soft": SoftMovMF(annealing=None),
    "soft shared": SoftMovMF(concentration="shared", annealing=None),
    "annealed": SoftMovMF(annealing=1.3),
    "annealed shared": SoftMovMF(concentration="shared", annealing=1.2),
    "divergence": KLKMeans(),
    "divergence by length": KLKMeans(weighting="length"),
}


def text(documents=120, words=80, topics=3, length=25, seed=0):
    """Counts and topics: half of the words of a document come from the list of its topic."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, topics, documents)
    chance = np.full((topics, words), 0.5 / words)
    for t in range(topics):
        chance[t, t::topics] += 0.5 / len(chance[t, t::topics])
    counts = np.array([rng.multinomial(length, chance[t]) for t in topic])
    return csr_array(counts.astype(np.float64)), topic


def purity(topics, labels):
    """Share of documents whose topic is the commonest of their cluster."""
    return sum(np.bincount(topics[labels == h]).max() for h in np.unique(labels)) / len(topics)
