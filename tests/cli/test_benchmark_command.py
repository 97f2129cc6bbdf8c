"""The command `benchmark`."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_iris, make_blobs

import clustervet as cv

DATA = {"iris": load_iris(return_X_y=True), "blobs": make_blobs(60, random_state=1)}


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "suite"
    folder.mkdir()
    for name, (points, y) in DATA.items():
        np.savetxt(folder / f"{name}.data.gz", points)
        np.savetxt(folder / f"{name}.labels0.gz", y + 1, fmt="%d")
    return folder


@pytest.fixture
def tables(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    for name, (points, y) in DATA.items():
        columns = {f"x{k}": points[:, k] for k in range(points.shape[1])}
        pl.DataFrame({**columns, "kind": y}).write_csv(folder / f"{name}.csv")
    return folder


def test_the_command_prints_what_the_function_finds(run, suite, tmp_path):
    asked = ["benchmark", suite, "-a", "ward,kmeans", "--runs", "2", "-m", "ari"]
    ran = run(*asked, "-f", "json", "--journal", tmp_path / "fits")
    assert ran.code == 0, ran.err
    wanted = cv.benchmark(suite, ["ward", "kmeans"], 2, measure="ari")
    assert json.loads(ran.out) == json.loads(wanted.to_json())
    page = tmp_path / "page.html"
    ran = run(*asked, "--journal", tmp_path / "fits", "--report", page)
    assert "best mean rank" in ran.out
    assert "benchmark-ranks" in page.read_text(encoding="utf-8")


def test_the_command_takes_the_options_of_the_function(run, tables):
    ran = run(
        *("benchmark", tables, "--label", "kind", "-a", "ward,dbscan", "--k", "2..3"),
        *("--posthoc", "wilcoxon", "--alpha", "0.1", "--rope", "0.01", "--confidence", "0.9"),
        *("--truths", "mean", "--truth-noise", "0", "--noise", "singletons", "--standardize"),
        *("--jobs", "2", "--seed", "5", "-f", "json"),
    )
    assert ran.code == 0, ran.err
    found = cv.benchmark(
        tables,
        ["ward", "dbscan"],
        label="kind",
        clusters=[2, 3],
        posthoc="wilcoxon",
        alpha=0.1,
        rope=0.01,
        confidence=0.9,
        truths="mean",
        truth_noise=0,
        noise="singletons",
        standardize=True,
        random_state=5,
    )
    assert json.loads(ran.out) == json.loads(found.to_json())
    assert found.sets[0].noise > 0


@pytest.mark.parametrize(
    "asked", [["--k", "x"], ["-a", ""], ["-m", "nothing"], ["--label", "y"], ["--runs", "0"]]
)
def test_the_command_refuses_in_one_sentence(run, suite, asked):
    ran = run("benchmark", suite, *asked)
    assert ran.code == 2
    assert "\n" not in ran.err.strip()


def test_a_folder_of_clusterings_that_is_not_there(run, suite, tmp_path):
    ran = run("benchmark", suite, "--labels", tmp_path / "nowhere")
    assert ran.code == 2
    assert ran.err.strip().endswith(f"there is no folder {tmp_path / 'nowhere'}.")
