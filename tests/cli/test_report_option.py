"""Answers of other commands as a report."""

from __future__ import annotations

import json

import numpy as np
import pytest

RNG = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 20)
POINTS = RNG.normal(size=(60, 2)) + 6 * TRUTH[:, None]


@pytest.fixture
def table(file):
    """Points of three classes, and two clusterings of them."""
    rows = [
        f"{x:.3f},{y:.3f},{k},{k % 2},{(k + 1) % 3}"
        for (x, y), k in zip(POINTS, TRUTH, strict=True)
    ]
    return file("\n".join(["x,y,kind,a,b", *rows]), "points.csv")


CALLS = {
    "tune": ["tune", "TABLE", "--features", "x,y", "--k", "2..5"],
    "select": [
        "select",
        "TABLE",
        "--features",
        "x,y",
        "--label",
        "kind",
        "-a",
        "kmeans",
        "--k",
        "3",
    ],
    "compare": ["compare", "TABLE", "--labels", "kind,a,b"],
    "desiderata": ["lab", "desiderata", "-m", "rand", "--classes", "3"],
    "axioms": ["lab", "axioms", "-m", "rand"],
}


@pytest.mark.parametrize("name", CALLS)
def test_a_report_is_written_beside_the_answer(run, table, tmp_path, name):
    target = tmp_path / "page.json"
    call = [str(table) if word == "TABLE" else word for word in CALLS[name]]
    ran = run(*call, "--report", str(target))
    assert ran.code == 0, ran.err
    assert ran.out.strip()
    assert "wrote" in ran.err
    assert json.loads(target.read_text())["sections"]


@pytest.mark.parametrize("name", CALLS)
def test_a_name_that_no_report_can_have_is_refused_first(run, tmp_path, name):
    call = ["nowhere.csv" if word == "TABLE" else word for word in CALLS[name]]
    ran = run(*call, "--report", str(tmp_path / "page.pdf"))
    assert ran.code == 2
    assert "must end in .html, .md or .json" in ran.err
    assert ran.out == ""


def test_the_demonstration_ends_with_a_report(run, tmp_path):
    target = tmp_path / "report.html"
    ran = run("demo", "--report", str(target))
    assert ran.code == 0, ran.err
    assert f"wrote {target}." in ran.err
    assert "spectral" in ran.out
    page = target.read_text(encoding="utf-8")
    assert "handwritten digits" in page
    assert len(page) < 8_000_000
