"""Values that R's fclust and ConsRankClass give, which `peers/r_values.R` has recorded."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clustervet as cv

VALUES = json.loads((Path(__file__).parent / "peers" / "r_values.json").read_text("utf-8"))
CAMPELLO = ("fuzzy_rand", "fuzzy_adjusted_rand", "fuzzy_jaccard")
INNER = ("partition_coefficient", "modified_partition_coefficient")


@pytest.mark.parametrize("case", VALUES["campello"])
def test_campello_is_that_of_fclust(case: dict[str, Any]) -> None:
    for key in CAMPELLO:
        value = cv.measures[key](case["truth"], case["pred"], norm=case["norm"])
        assert math.isclose(value, case[key], rel_tol=1e-12, abs_tol=1e-13)


@pytest.mark.parametrize("case", VALUES["inner"])
def test_measures_of_one_clustering_are_those_of_fclust(case: dict[str, Any]) -> None:
    """fclust takes natural logarithms, and squared distances for the silhouette."""
    points, degrees = np.array(case["X"]), np.array(case["U"])
    values = {key: cv.measures[key](degrees) for key in INNER}
    values["partition_entropy"] = cv.partition_entropy(degrees, base=math.e)
    values["fuzzy_xie_beni"] = cv.fuzzy_xie_beni(points, degrees, m=case["m"])
    for name, alpha in (("fuzzy_silhouette", 1), ("fuzzy_silhouette_2", 2)):
        values[name] = cv.fuzzy_silhouette(points, degrees, metric="sqeuclidean", alpha=alpha)
    for name, value in values.items():
        assert math.isclose(value, case[name], rel_tol=1e-12), name


@pytest.mark.parametrize("case", VALUES["concordance"])
def test_concordance_is_that_of_consrankclass(case: dict[str, Any]) -> None:
    """It draws random orders, where the expectation here is that of all orders."""
    truth, pred = case["truth"], case["pred"]
    assert math.isclose(cv.ndc(truth, pred), case["ndc"], rel_tol=1e-12)
    away = cv.adjusted_concordance(truth, pred) - case["adjusted_concordance"]
    assert abs(away) < 4 * case["standard_error"]
