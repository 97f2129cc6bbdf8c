"""`compare --trajectory` and `compare --query FILE --within RADIUS`."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "runs.csv"
    file.write_text("k1,k2,k3\n0,0,0\n0,0,0\n0,1,1\n0,1,2\n", encoding="utf-8")
    return file


def test_columns_are_steps_in_their_order(run, path, tmp_path):
    ran = run("compare", path, "--trajectory", "-f", "json", "--report", tmp_path / "way.html")
    found = json.loads(ran.out)
    assert found["names"] == ["k1", "k2", "k3"]
    assert found["from_start"] == [0.0, 1.0, 1.5]
    assert found["straightness"] == 1.0
    assert "The steps add up to 1.5000 bits" in (tmp_path / "way.html").read_text(encoding="utf-8")


def test_a_radius_names_all_that_are_near(run, path, tmp_path):
    query = tmp_path / "query.csv"
    query.write_text("label\n0\n0\n1\n1\n", encoding="utf-8")
    ran = run("compare", path, "--query", query, "--within", "0.5", "-f", "json")
    assert json.loads(ran.out)["nearest"]["names"] == ["k2", "k3"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--within", "1"], "--within goes with --query"),
        (["--trajectory", "--groups", "2"], "--trajectory goes without"),
        (["--trajectory", "-m", "rand"], "a trajectory needs a distance, and rand is none"),
    ],
)
def test_what_does_not_fit_is_refused(refused, path, options, words):
    assert words in refused("compare", path, *options)
