"""Many clusterings of the same objects: their distances, and what these tell.

Law: labels are read once, into small codes; every distance comes from a table of two of them.

- `read_labelings(labelings, *, noise=None, noise_policy=None, missing="raise", shared=False,
  least=2) -> Labelings`: a list, {name: labels}, rows of a 2-D array or columns of a frame as
  codes. `Labelings` has `names`, `n`, `codes` (one array a labeling, 0..k-1, and k where an
  object has no label), `clusters` (the k), `gaps`, `complete`, `sizes(i)`, `labelled(i)`,
  `partition(i)`, and is taken wherever labelings are.
- `distance_matrix(labelings, measure="variation_of_information", *, noise=None,
  noise_policy=None, missing="raise", shared=False, n_jobs=None, **parameters) -> Distances`:
  every pair. `Distances` has `names`, `matrix`, `counts`, `measure`, `parameters`,
  `undefined`, `condensed`.
- `distances_to(query, labelings, measure="variation_of_information", *, which=None,
  **parameters) -> NDArray[np.float64]`: labelings (or those at the positions `which`) against
  one more labeling of the same objects.
"""

from __future__ import annotations

from clustervet.ensemble.consensus import Consensus
from clustervet.ensemble.distances import distance_matrix, distances_to
from clustervet.ensemble.embedding import Embedding
from clustervet.ensemble.ensemble import Ensemble
from clustervet.ensemble.groups import Diverse, Groups, Hierarchy
from clustervet.ensemble.labelings import Labelings, read_labelings
from clustervet.ensemble.members import Medoid
from clustervet.ensemble.nearest import Nearest
from clustervet.ensemble.record import Distances
from clustervet.ensemble.stability import Stability
from clustervet.ensemble.summary import Summary

__all__ = [
    "Consensus",
    "Distances",
    "Diverse",
    "Embedding",
    "Ensemble",
    "Groups",
    "Hierarchy",
    "Labelings",
    "Medoid",
    "Nearest",
    "Stability",
    "Summary",
    "distance_matrix",
    "distances_to",
    "read_labelings",
]
