"""The picture of degrees: which object is where, and that it can always be drawn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import clustervet as cv
from clustervet.errors import LabelError
from clustervet.plots import figures, svg
from clustervet.plots.memberships import DRAWN, membership_heatmap
from clustervet.scorecard import Judgement, ScoreCards
from clustervet.scorecard.score_files import score_files

DEGREES = [[0.1, 0.9], [0.8, 0.2], [0.3, 0.7], [0.6, 0.4], [1, 0]]


def image_of(figure: object) -> np.ndarray:
    return np.array(figure.data[0].z, float)  # type: ignore[attr-defined]  # a plotly figure


def test_objects_are_sorted_by_main_cluster_and_degree() -> None:
    assert image_of(membership_heatmap(DEGREES)).tolist() == [
        [1, 0.8, 0.6, 0.1, 0.3],
        [0, 0.2, 0.4, 0.9, 0.7],
    ]


def test_a_truth_groups_them_first() -> None:
    figure = membership_heatmap(DEGREES, ["b", "b", "a", "a", "b"])
    assert image_of(figure)[0].tolist() == [0.6, 0.3, 1, 0.8, 0.1]
    assert list(figure.layout.xaxis.ticktext) == ["a", "b"]
    assert list(figure.layout.xaxis.tickvals) == [0.5, 3]
    assert [shape.x0 for shape in figure.layout.shapes] == [1.5]


@pytest.mark.parametrize("sparse", [False, True])
def test_of_many_objects_neighbours_are_averaged(sparse: bool) -> None:
    rng = np.random.default_rng(0)
    degrees = rng.dirichlet([0.3] * 5, 3_001)
    held = cv.Memberships(degrees)
    if sparse:
        from scipy.sparse import csr_array

        held = cv.Memberships(csr_array(degrees))
    figure = membership_heatmap(held)
    image = image_of(figure)
    assert image.shape[0] == 5
    assert 0.9 * DRAWN < image.shape[1] < 1.1 * DRAWN
    assert np.allclose(image.sum(axis=0), 1, atol=0.01)
    assert np.allclose(image.mean(axis=1), held.sums / held.n, atol=0.01)
    assert "A column is the mean of up to" in figure.layout.meta["note"]


def test_a_few_of_many_clusters_are_drawn() -> None:
    figure = membership_heatmap(np.random.default_rng(0).dirichlet([0.05] * 100, 50))
    assert len(image_of(figure)) == 60
    assert "The 40 clusters with the smallest sums" in figure.layout.meta["note"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hostile_names_are_escaped(theme: str) -> None:
    names = ["<script>alert(1)</script>", "%{x}"]
    held = cv.Memberships(DEGREES, names=names)
    figure = membership_heatmap(held, ["<b>", "<b>", "x" * 99, "x" * 99, "$a$"], theme=theme)
    drawn = svg(figure)
    assert drawn.startswith("<svg")
    assert "<script" not in drawn
    assert "<b>" not in figure.to_json()


def test_results_are_drawn_by_figures() -> None:
    held = cv.Memberships(DEGREES)
    assert [figure.layout.meta["figure"] for figure in figures(held)] == ["memberships"]
    pair = cv.measures["ndc"].subject(["b", "b", "a", "a", "b"], held)
    (figure,) = figures(pair, theme="dark")
    assert list(figure.layout.xaxis.ticktext) == ["a", "b"]


def test_titles_say_how_sharp_the_degrees_are() -> None:
    titles = {
        "hard": (["a", "b"], "Every object has all of its degree in one cluster."),
        "one": (
            [[0.5, 0.5], [1, 0]],
            "On average, the main cluster of an object has the degree 0.75; 1 object has no "
            "degree above 0.5.",
        ),
    }
    for given, title in titles.values():
        assert membership_heatmap(given).layout.meta["title"] == title


def test_a_truth_of_other_objects_is_refused() -> None:
    with pytest.raises(LabelError, match="truth has 2 objects and pred has 5"):
        membership_heatmap(DEGREES, ["a", "b"])


def test_a_page_on_memberships_shows_them() -> None:
    held = cv.Memberships(DEGREES)
    alone = Judgement(inner=ScoreCards({"pred": cv.internal_scores(held)}), pairs={"pred": held})
    dots, heat = figures(alone)
    assert (dots.layout.meta["figure"], heat.layout.meta["figure"]) == ("scores", "memberships")
    assert heat.layout.meta["open"]
    assert heat.layout.xaxis.title.text == "objects, by main cluster"
    by_class = figures(cv.judge(["b", "b", "a", "a", "b"], held))[1]
    assert by_class.layout.meta["open"]
    assert list(by_class.layout.xaxis.ticktext) == ["a", "b"]
    several = figures(cv.judge(["b", "b", "a", "a", "b"], {"one": held, "two": held}))[1:]
    said = [figure.layout.meta["title"].partition(": ")[0] for figure in several]
    assert said == ["one", "two"]


def test_memberships_in_a_file_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "soft.csv"
    path.write_text("x,p,q,y\n0,0.9,0.1,a\n1,0.8,0.2,a\n5,0.3,0.7,b\n6,0,1,b\n")
    soft = ["p", "q"]
    alone = score_files(path, memberships=soft, features=["x"])
    assert figures(alone)[1].layout.xaxis.title.text == "objects, by main cluster"
    known = score_files(path, "y", memberships=soft)
    assert list(figures(known)[1].layout.xaxis.ticktext) == ["a", "b"]
    path.write_text(path.read_text().replace("6,0,1,b", "6,0,1,"))
    dropped = score_files(path, "y", memberships=soft, missing="drop")
    assert figures(dropped)[1].layout.xaxis.title.text == "objects, by main cluster"
