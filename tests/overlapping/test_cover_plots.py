"""The figures of covers: what they draw, say and leave out."""

from __future__ import annotations

import json

import numpy as np
import pytest

import clustervet as cv
from clustervet import plots
from clustervet.errors import ParameterError
from clustervet.plots.covers import match_heatmap, overlap_plot

NEWS = {"news": range(8), "<b>sport</b>": range(5, 12), "$x$": [0, 5, 6, 11]}


def bars(figure) -> dict[int, int]:
    return {
        int(x): int(y)
        for trace in figure.data
        if trace.type == "bar"
        for x, y in zip(trace.x, trace.y, strict=True)
    }


def test_bars_are_the_combinations_and_dots_their_groups() -> None:
    cover = cv.Cover(NEWS, 15)
    figure = overlap_plot(cover)
    sets = cover.combinations()
    assert bars(figure) == {k: count for k, (_, count) in enumerate(sets)}
    order = sorted(NEWS, key=lambda name: -len(NEWS[name]))
    dots = {
        (int(x), int(y))
        for trace in figure.data
        if trace.type == "scatter" and trace.mode == "markers" and trace.hovertext is not None
        for x, y in zip(trace.x, trace.y, strict=True)
    }
    assert dots == {(k, order.index(g)) for k, (held, _) in enumerate(sets) for g in held}
    assert figure.layout.yaxis2.ticktext[0] == "news (8)"
    assert figure.layout.meta["title"].startswith("5 of 15 objects are in several groups, most ")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_hold_no_live_tags_and_are_drawn_without_a_browser(theme: str) -> None:
    pair = cv.CoverPair(NEWS, {"%{x}": range(7), "<i>": range(6, 12)}, 15)
    drawn = plots.figures(pair, theme=theme)
    assert [figure.layout.meta["figure"] for figure in drawn] == ["matches", "overlaps", "overlaps"]
    for figure in drawn:
        text = json.dumps(json.loads(figure.to_json())["data"])
        assert "<b>" not in text
        assert "<i>" not in text
        assert figure.layout.meta["title"].endswith(".")
        assert plots.svg(figure).startswith("<svg")


def test_a_cover_without_overlaps_says_so() -> None:
    (figure,) = plots.figures(cv.Cover([0, 0, 1, 1, None]))
    assert figure.layout.meta["title"] == "No object is in more than one group."
    assert bars(figure) == {0: 2, 1: 2, 2: 1}


def test_a_cover_without_groups_is_drawn_too() -> None:
    assert bars(overlap_plot(cv.Cover([], 3))) == {0: 3}
    pair = cv.CoverPair([{0, 1}], [], 3)
    kinds = [figure.layout.meta["figure"] for figure in plots.figures(pair)]
    assert kinds == ["overlaps", "overlaps"]
    assert match_heatmap(pair).layout.meta["title"].startswith("0 of 1 true group are found")
    assert match_heatmap(cv.CoverPair([], [{0}], 3)).layout.meta["title"] == (
        "The truth has no groups."
    )


def test_what_is_left_out_is_said() -> None:
    rng = np.random.default_rng(0)
    cover = cv.Cover([rng.choice(300, 30, replace=False) for _ in range(60)], 300)
    figure = overlap_plot(cover, most=10, name="Communities")
    note, title = figure.layout.meta["note"], figure.layout.meta["title"]
    drawn = bars(figure)
    assert len(drawn) <= 10
    assert f"{300 - sum(drawn.values())} objects in other combinations are not drawn" in note
    assert "groups without a dot are left out" in note
    assert title.startswith("Communities: ")
    assert len(figure.layout.yaxis2.ticktext) <= 24
    few = overlap_plot(cv.Cover([[0, 1, 2], [2]]), most=1).layout.meta["title"]
    assert few == "1 of 3 objects is in several groups."
    with pytest.raises(ParameterError, match="most must be a whole number"):
        overlap_plot(cover, most=0)


def test_best_matches_lie_on_the_diagonal() -> None:
    truth = [range(9), range(8, 16), range(16, 22)]
    pair = cv.CoverPair(truth, [truth[2], truth[0], [*truth[1], 21]])
    figure = match_heatmap(pair)
    heat = figure.data[0]
    shown = np.asarray(heat.z, float)
    assert shown.diagonal().tolist() == [1.0, round(16 / 17, 4), 1.0]
    assert list(heat.x) == ["1", "2", "0"]
    assert figure.layout.meta["title"] == (
        "2 of 3 true groups are found exactly; the F of their best matches is 0.98 on average."
    )
    small = match_heatmap(pair, most=2)
    assert (
        "1 smaller true groups and 1 smaller found ones are left out" in small.layout.meta["note"]
    )
    assert np.asarray(small.data[0].z).shape == (2, 2)
