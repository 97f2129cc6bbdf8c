"""All that the other rooms say about some clusterings, gathered into one record.

Law: the only room that gathers; it computes nothing itself.

- `examine(truth, preds, *, features=None, feature_names=None, measures=None,
  confidence=0.95, weights=None, noise=None, noise_policy=None, missing="raise",
  metric="euclidean", sample=20_000, random_state=0, n_jobs=None) -> Evidence`: scores with
  intervals, chance, ranking, diagnosis, internal scores, silhouettes and the space of the
  clusterings.
- `Evidence`: the finished results; `to_dict()`, `to_json()`.
"""

from __future__ import annotations

from clustervet.evidence.examine import examine
from clustervet.evidence.record import Evidence

__all__ = ["Evidence", "examine"]
