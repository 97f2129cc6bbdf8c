"""The figures of covers: what they draw, say and leave out."""

from __future__ import annotations

import json

import numpy as np
import pytest

import clustervet as cv
from clustervet import plots
from clustervet.errors import LabelError, ParameterError
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
        "2 of 3 true groups are found exactly; their best matches have an F of 0.98 on average."
    )
    small = match_heatmap(pair, most=2)
    note = small.layout.meta["note"]
    assert "The 2 largest of 3 true groups are drawn." in note
    assert "Of 3 found groups 2 are drawn: the best match of each true group, and then" in note
    assert "are drawn" not in figure.layout.meta["note"]
    assert np.asarray(small.data[0].z).shape == (2, 2)


def test_figures_read_what_covers_are_made_of() -> None:
    sets, labels = [{1, 2}, {2, 3}], [0, 0, 1, 1]
    assert overlap_plot(sets).to_json() == overlap_plot(cv.Cover(sets)).to_json()
    cover = cv.Cover([{0, 1}, {1, 2, 3}])
    drawn = match_heatmap(labels, cover)
    assert drawn.to_json() == match_heatmap(cv.CoverPair(labels, cover)).to_json()
    assert match_heatmap(sets, sets).layout.meta["title"].startswith("2 of 2 true groups are found")


def test_what_is_no_cover_is_refused_in_a_sentence() -> None:
    cover, soft = cv.Cover([{0, 1}, {1, 2}]), cv.Memberships([[0.9, 0.1], [0.2, 0.8]])
    with pytest.raises((LabelError, ParameterError), match="a cover "):
        overlap_plot(soft)
    with pytest.raises(LabelError, match="a cover is a list of groups"):
        overlap_plot(5)
    for one in (cover, soft):
        with pytest.raises(ParameterError, match="match_heatmap needs truth and prediction, or"):
            match_heatmap(one)
    with pytest.raises(ParameterError, match="either one CoverPair or two covers, not both"):
        match_heatmap(cv.CoverPair(cover, cover), cover)
    with pytest.raises((LabelError, ParameterError), match="a cover "):
        match_heatmap(soft, cover)


def test_best_matches_of_the_largest_groups_are_drawn_whatever_their_size() -> None:
    sizes = np.arange(3, 63)
    starts = np.cumsum(sizes) - sizes
    truth = [range(start, start + size) for start, size in zip(starts, sizes, strict=True)]
    # The larger a true group is, the smaller is the part of it that was found.
    pred = [range(start, start + 66 - size) for start, size in zip(starts, sizes, strict=True)]
    pred = [found if len(found) < len(own) else own for own, found in zip(truth, pred, strict=True)]
    heat = match_heatmap(cv.CoverPair(truth, pred), most=20).data[0]
    largest = [str(k) for k in range(59, 39, -1)]
    assert list(heat.y) == list(heat.x) == largest
    assert np.isfinite(np.asarray(heat.z, float).diagonal()).all()


def test_the_largest_other_groups_fill_up() -> None:
    truth = [{0, 1, 2, 3}, {4, 5, 6}]
    pred = {"small": {0}, "mixed": {4, 5}, "beside": {7, 8}, "largest": range(9, 30)}
    figure = match_heatmap(truth, pred, most=3)
    assert list(figure.data[0].x) == ["small", "mixed", "largest"]
    assert "largest of 2 true groups" not in figure.layout.meta["note"]


def test_groups_of_equal_size_are_in_natural_order() -> None:
    caves = {f"cave {k}": [2 * k, 2 * k + 1] for k in (10, 2, 0, 11, 1)} | {"big": range(90, 99)}
    expected = ["big", "cave 0", "cave 1", "cave 2", "cave 10", "cave 11"]
    assert list(match_heatmap(caves, caves).data[0].y) == expected
    rows = overlap_plot(caves).layout.yaxis2.ticktext
    assert [row.rpartition(" (")[0] for row in rows] == expected


def titles(judgement: object) -> list[str]:
    return [figure.layout.meta["title"] for figure in plots.figures(judgement)[1:]]


def test_figures_of_several_predictions_say_whose_they_are() -> None:
    truth = [range(6), range(5, 12)]
    preds = {"far": [range(3, 9)], "near": [range(6), range(6, 12)], "<b>": [[0, 7], [7, 8]]}
    found = cv.judge(cv.Cover(truth, 12), {k: cv.Cover(v, 12) for k, v in preds.items()})
    said = titles(found)
    order = sorted(preds, key=lambda name: -found.scores[name]["omega_index"])
    assert [title.partition(":")[0] for title in said] == [*order, "Truth", *order]
    assert said[0].startswith("near: 1 of 2 true groups is found exactly")
    assert not any(figure.layout.meta.get("open") for figure in plots.figures(found))


def test_few_of_many_predictions_are_drawn() -> None:
    truth = cv.Cover([range(10), range(8, 20)], 20)
    preds = {f"p{k}": cv.Cover([range(k), range(k, 20)], 20) for k in range(4, 12)}
    names = [title.partition(":")[0] for title in titles(cv.judge(truth, preds))]
    best = sorted(preds, key=lambda name: -cv.omega_index(truth, preds[name]))[:4]
    assert names[:4] == best
    assert len(names) == 9


def test_the_matches_of_one_prediction_are_open() -> None:
    truth, pred = cv.Cover([[0, 1], [1, 2]]), cv.Cover([[0, 1], [2]])
    for given, name in ((pred, ""), ({"louvain": pred}, "louvain: ")):
        figures = plots.figures(cv.judge(truth, given))
        assert [bool(each.layout.meta.get("open")) for each in figures] == [
            False,
            True,
            False,
            False,
        ]
        assert figures[1].layout.meta["title"].startswith(f"{name}1 of 2 true groups is found")
        assert figures[3].layout.meta["title"].startswith(name or "Prediction: ")
    # Two predictions are named, whatever their names are.
    both = titles(cv.judge(truth, {"pred": pred, "old": truth}))
    assert {title.partition(":")[0] for title in both} == {"pred", "old", "Truth"}
