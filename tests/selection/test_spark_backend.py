"""Fits on a Spark session through joblib's backend give what threads give."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import joblib, numpy as np
from joblibspark import register_spark
from pyspark.sql import SparkSession

import clustervet as cv

spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .getOrCreate()
)
register_spark()
rng = np.random.default_rng(0)
truth = np.repeat([0, 1, 2], 20)
points = rng.normal(size=(60, 2)) + 8 * truth[:, None]


def chosen():
    return cv.select(
        points, truth, algorithms=["kmeans"], clusters=[2, 3], runs=2, random_state=0, n_jobs=2
    ).to_json()


def tuned():
    return cv.tune("kmeans", points, values=[2, 3, 4], random_state=0, n_jobs=2).to_json()


with joblib.parallel_backend("spark", n_jobs=2):
    there = chosen(), tuned()
assert there == (chosen(), tuned())
spark.stop()
print("the same")
"""


def test_select_and_tune_run_on_spark():
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        capture_output=True,
        text=True,
        env=environment,
        timeout=240,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stdout.strip().endswith("the same")
