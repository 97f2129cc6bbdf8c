"""`score --memberships`: degrees of membership in columns (Dom 2001, Appendix C.1)."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "soft.csv"
    file.write_text("y,p0,p1,w\na,1,0,1\na,0.5,0.5,2\nb,0.25,0.75,1\n", encoding="utf-8")
    return file


def test_memberships_are_scored(run, path):
    asked = ["score", path, "-t", "y", "-m", "purity", "-f", "json", "--memberships"]
    # Of weights 1, 2 and 1, cluster p0 has 2 of a and 0.25 of b, and p1 has 1 of a and 0.75 of b.
    (found,) = json.loads(run(*asked, "p*", "--weights", "w").out)["scores"]
    assert found["value"] == 3 / 4
    (found,) = json.loads(run(*asked, "p0,p1").out)["scores"]
    assert found["value"] == 2.25 / 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ["p0"],
            "soft.csv: row 1 of memberships sums to 0.5, not 1. If no column is missing, --normal",
        ),
        (["p0,p1", "-p", "w"], "--pred does not go with --memberships"),
        (["p0,p1", "--features", "w"], "--features does not go with --memberships"),
        (
            ["p0,p1", "--confidence", "0.9"],
            "--confidence with --memberships goes with measures of degrees: add --family soft.",
        ),
        (
            ["p0,p1", "--chance", "sizes"],
            "--chance with --memberships goes with measures of degrees: add --family soft.",
        ),
        (["p0,p1", "--exclude", "w"], "--exclude does not go with --memberships"),
        (["p0,p1", "--standardize"], "--standardize does not go with --memberships"),
        (["p0,p1", "--metric", "cosine"], "--metric does not go with --memberships"),
        (["p0,p1", "--sample", "10"], "--sample does not go with --memberships"),
        (["p0,p1", "--engine", "polars"], "--engine does not go with --memberships"),
        (["p0,p1", "-t", "w"], "--memberships goes with one --truth"),
        (["p0,q"], "'q'"),
    ],
)
def test_what_does_not_fit_is_refused(refused, path, options, words):
    assert words in refused("score", path, "-t", "y", "--memberships", *options)


def test_degrees_themselves_are_compared_by_family(run, path):
    told = run("score", path, "-t", "y", "--memberships", "p*")
    assert "measures of the family soft compare the degrees of each object" in told.err
    ran = run("score", path, "-t", "y", "--memberships", "p*", "--family", "soft", "-f", "json")
    assert {score["measure"] for score in json.loads(ran.out)["scores"]} >= {"ndc", "fuzzy_rand"}
