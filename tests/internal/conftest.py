"""Tests of internal measures run compiled loops, which users reach with many points.

Those with oracles run a second time without a compiler, as users do with few points.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from clustervet._kernels.patience import compiled_always

BOTH_WAYS = ("oracle", "refusals", "scales", "geometry_inputs", "linkage", "medoids", "weights")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if any(part in metafunc.module.__name__ for part in BOTH_WAYS):
        metafunc.parametrize("way", ["compiled", "plain"], indirect=True, scope="module")


@pytest.fixture(autouse=True, scope="module")
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    plain = getattr(request, "param", "compiled") == "plain"
    with nullcontext() if plain else compiled_always():
        yield
