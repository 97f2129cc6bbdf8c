"""The moves of a consensus, compiled."""

from __future__ import annotations

from clustervet._kernels import moves
from clustervet._kernels.compile import compiled_source

move = compiled_source(moves, moves.FUNCTIONS)["move"]
