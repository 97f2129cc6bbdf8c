from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import estimator_checks

from clustervet.clusterers import (
    FrequencySensitiveKMeans,
    HardMovMF,
    KLKMeans,
    SoftMovMF,
    SphericalKMeans,
)

MODELS = [
    SphericalKMeans(),
    SphericalKMeans(init="random", n_init=2),
    FrequencySensitiveKMeans(),
    FrequencySensitiveKMeans(update="batch"),
    HardMovMF(),
    HardMovMF(concentration="shared"),
    SoftMovMF(),
    SoftMovMF(annealing=None),
    SoftMovMF(concentration="shared", annealing=1.2),
    KLKMeans(),
    KLKMeans(weighting="length"),
]
ARRAY_API = "check_array_api_input"  # runs only if SCIPY_ARRAY_API is set before scipy loads


# Some checks have fewer different rows than the default number of clusters.
@pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_scikit_learns_checks(model):
    results = estimator_checks.check_estimator(model, on_skip=None)
    assert len(results) > 50
    others = {r["check_name"]: r["status"] for r in results if r["status"] != "passed"}
    assert others == {ARRAY_API: "skipped"}


def test_the_check_that_needs_another_environment():
    code = f"""
import functools, warnings
from sklearn.utils import estimator_checks as checks
from clustervet import clusterers
for name in clusterers.__all__:
    for model, check in checks.estimator_checks_generator(getattr(clusterers, name)()):
        if check.func.__name__ == {ARRAY_API!r}:
            check(model)
            print(name)
"""
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert len(ran.stdout.split()) == 6


class Shifted(KLKMeans):
    """Counts that begin at zero wherever the numbers began."""

    def fit(self, numbers, y=None, sample_weight=None):
        return super().fit(np.asarray(numbers) - np.min(numbers), y, sample_weight)


def test_divergences_pass_the_clustering_check_on_numbers_from_zero_on():
    estimator_checks.check_clustering("KLKMeans", Shifted())
    estimator_checks.check_clustering("KLKMeans", Shifted(weighting="length"))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_names_of_the_distances(model):
    model = clone(model).set_params(n_clusters=3, random_state=0)
    model.set_output(transform="pandas")
    frame = model.fit_transform(np.eye(6) + 0.1)
    name = type(model).__name__.lower()
    assert list(frame.columns) == [f"{name}{h}" for h in range(3)]
    assert list(frame.columns) == list(model.get_feature_names_out())
