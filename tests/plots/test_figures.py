from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import figure_cases as cases
import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import clustervet as cv
from clustervet import plots
from clustervet.errors import ParameterError, UnknownMeasureError
from clustervet.internal.silhouette import silhouettes
from clustervet.plots import trees
from clustervet.plots.dots import chosen_measures, read_cards
from clustervet.plots.maps import label_places

FIGURES = {
    "contingency": lambda **o: plots.contingency_heatmap(cases.table(4), **o),
    "contingency, hostile": lambda **o: plots.contingency_heatmap(cases.hostile_table(), **o),
    "contingency, large": lambda **o: plots.contingency_heatmap(cases.table(70, 9000), **o),
    "alluvial": lambda **o: plots.alluvial(cases.table(4), **o),
    "alluvial, hostile": lambda **o: plots.alluvial(cases.hostile_table(), **o),
    "scores": lambda **o: plots.score_plot(cases.cards(), **o),
    "ranking": lambda **o: plots.ranking_plot(cases.ranking(), **o),
    "diagnosis": lambda **o: plots.diagnosis_bars(cv.diagnose(cases.hostile_table()), **o),
    "silhouette": lambda **o: plots.silhouette_plot(cases.widths(), **o),
    "silhouette, many": lambda **o: plots.silhouette_plot(cases.widths(50, 300), **o),
    "elbow": lambda **o: plots.elbow_plot(cases.tuning(), **o),
    "cluster tree": lambda **o: plots.cluster_tree(cases.tuning(), **o),
    "cluster tree, hostile": lambda **o: plots.cluster_tree(
        {"<b>": ["<i>", "<i>", "$x$"], "=1+1": ["<i>", "<u>", "$x$"]}, **o
    ),
    "stability": lambda **o: plots.stability_plot(
        cv.stability([[0, 0, 1, 1], [0, 1, 1, 1]], labels=["<b>", "<b>", "$x$", "$x$"]), **o
    ),
    "tendency": lambda **o: plots.tendency_plot(
        cv.tendency(np.random.default_rng(0).normal(size=(40, 2))), **o
    ),
    "drift": lambda **o: plots.figures(
        cv.drift(["<b>", "<b>", "$x$"], ["<i>", "<i>", "<i>"], names=("<p>", "%{x}")), **o
    )[0],
    "bound": lambda **o: plots.bound_plot(cases.selection(), **o),
    "map": lambda **o: plots.map_plot(
        cases.ensemble().embedding(), groups=cases.ensemble().groups(2), **o
    ),
    "dendrogram": lambda **o: plots.dendrogram(cases.ensemble().hierarchy(), **o),
    "distances": lambda **o: plots.distance_heatmap(cases.ensemble().distances, **o),
    "overlaps": lambda **o: plots.overlap_plot(cv.Cover({"<b>": [1, 2, 3], "$x$": [3, 4]}, 6), **o),
    "matches": lambda **o: plots.match_heatmap(
        cv.CoverPair({"<b>": [1, 2, 3], "$x$": [3, 4]}, {"<i>": [1, 2], "%{x}": [3, 4]}), **o
    ),
    "memberships": lambda **o: plots.membership_heatmap(
        cv.Memberships([[0.9, 0.1], [0.2, 0.8]], names=["<b>", "$x$"]), ["<i>", "%{x}"], **o
    ),
    "tanglegram": lambda **o: plots.tanglegram(
        "(('<b>','$x$'),('%{x}',d));", "(('<b>','%{x}'),('$x$',d));", **o
    ),
    "b-k": lambda **o: plots.b_k_plot(cv.b_k("(((a,b),c),(d,e));", "(((a,c),b),(d,e));"), **o),
    "lattice": lambda **o: plots.lattice_plot(4, marks={"<i>": [0, 0, 1, 1]}, **o),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_says_what_is_seen_and_holds_no_live_tag(name, theme):
    figure = FIGURES[name](theme=theme)
    meta = figure.layout.meta
    assert meta["title"].endswith(".")
    assert figure.layout.title.text
    assert figure.layout.height < 3_000
    assert figure.layout.paper_bgcolor is None
    paper = plots.template(theme)["layout"]["paper_bgcolor"]
    assert figure.layout.template.layout.paper_bgcolor == paper
    texts = []
    gather(figure.to_plotly_json(), texts)
    for text in texts:
        bare = text.replace("<br>", "").replace("<extra></extra>", "")
        assert "<" not in bare, text
        assert len(text) < 1_000
    json.loads(figure.to_json())


# Data that plotly never renders: plain text for pages, and ids.
NEVER_SHOWN = ("meta", "customdata", "legendgroup")


def gather(item, texts, key=""):
    """All strings of a figure that plotly may render."""
    if key in NEVER_SHOWN and not isinstance(item, str):
        return
    if isinstance(item, str):
        if key not in NEVER_SHOWN and not key.startswith("bdata"):
            texts.append(item)
    elif isinstance(item, dict):
        for name, value in item.items():
            if name not in ("bdata", "dtype", "shape"):
                gather(value, texts, name)
    elif isinstance(item, list | tuple | np.ndarray):
        for value in item:
            gather(value, texts, key)


def test_hovers_that_come_from_customdata_are_escaped():
    sankey = plots.alluvial(cases.hostile_table()).data[0]
    boxes = [row[1] for row in sankey.node.customdata] + [row[2] for row in sankey.link.customdata]
    assert any("&lt;script" in box for box in boxes)
    assert not any("<" in box.replace("<br>", "") for box in boxes)


@pytest.mark.parametrize("k", [3, 12, 40])
def test_matches_lie_on_the_diagonal(k):
    table = cases.table(k, 40 * k)
    heat = plots.contingency_heatmap(table, shade="count").data[0]
    drawn = np.nan_to_num(np.asarray(heat.z, float))
    assert np.trace(drawn) == table.matched
    largest = drawn.diagonal()
    assert (np.diff(largest) <= 0).all()


def test_a_table_of_unequal_sides_keeps_its_counts():
    table = cv.Contingency.from_counts([[5, 0, 1, 7], [0, 9, 0, 2]])
    heat = plots.contingency_heatmap(table, shade="count").data[0]
    drawn = np.nan_to_num(np.asarray(heat.z, float))
    assert drawn.shape == (2, 4)
    assert drawn.sum() == table.n
    assert drawn[0, 0] + drawn[1, 1] == table.matched == 16


def test_cells_hold_numbers_when_few_and_the_note_says_when_not():
    few, many = plots.contingency_heatmap(cases.table(3)), FIGURES["contingency, large"]()
    assert few.data[0].texttemplate == "%{text}"
    assert many.data[0].texttemplate is None
    assert "too many for numbers" in many.layout.meta["note"]
    assert "too many" not in few.layout.meta["note"]


def test_what_does_not_fit_is_combined_and_said():
    table = cases.table(30, 900)
    figure = plots.contingency_heatmap(table, shade="count", most=10)
    drawn = np.nan_to_num(np.asarray(figure.data[0].z, float))
    assert drawn.shape == (10, 10)
    assert drawn.sum() == table.n
    assert "21 classes and 21 clusters are combined as other" in figure.layout.meta["note"]


def test_a_large_table_stays_small_on_a_page():
    figure = plots.contingency_heatmap(cases.table(300, 30_000))
    assert len(figure.to_json()) < 1_200_000
    assert len(figure.layout.meta["rows"]) == 300


@pytest.mark.parametrize(
    ("count", "kind"), [(7, np.uint16), (2**16, np.uint32), (2**32, np.float64)]
)
def test_many_cells_hold_their_counts_in_as_few_bytes_as_these_need(count, kind):
    table = cv.Contingency.from_counts(np.full((55, 55), count))
    held = plots.contingency_heatmap(table).data[0].customdata
    assert held.dtype == kind
    assert (held == count).all()


def test_huge_counts_are_drawn():
    table = cv.Contingency.from_counts({("a", 0): 10**20, ("b", 0): 1, ("b", 1): 10**19})
    assert plots.contingency_heatmap(table).data[0].text[0][0] == "1e+08T"
    assert plots.alluvial(table).layout.meta["title"].startswith("Class b is spread over 2")


def test_titles_of_a_perfect_and_of_a_split_clustering():
    same = cv.Contingency.from_labels([0, 0, 1], [1, 1, 0])
    assert "the clustering equals the truth" in plots.contingency_heatmap(same).layout.meta["title"]
    split = cv.Contingency.from_labels(["a", "a", "b"], [0, 1, 2])
    title = plots.contingency_heatmap(split).layout.meta["title"]
    assert title == "No cluster mixes classes; class a is split over 2 clusters."
    assert "No cluster is wrong" in plots.diagnosis_bars(cv.diagnose(same)).layout.meta["title"]


def test_flows_conserve_objects():
    truth, pred = cases.labels(30, 900)
    sankey = plots.alluvial({"t": truth, "a": pred, "b": pred // 2}, most=30).data[0]
    assert sum(sankey.link.value) == 2 * len(truth)
    arriving = dict.fromkeys(range(30, 60), 0)
    leaving = dict.fromkeys(range(30, 60), 0)
    for source, target, value in zip(
        sankey.link.source, sankey.link.target, sankey.link.value, strict=True
    ):
        if target in arriving:
            arriving[target] += value
        if source in leaving:
            leaving[source] += value
    assert arriving == leaving


def test_flows_combine_small_clusters_and_say_so():
    figure = plots.alluvial(cases.table(30, 900), most=5)
    assert len(figure.data[0].node.label) == 12
    assert "25 of truth, 25 of clusters" in figure.layout.meta["note"]


def test_flows_must_follow_each_other():
    with pytest.raises(ParameterError, match="clusters of each table"):
        plots.alluvial([cases.table(3), cases.table(4)])
    with pytest.raises(ParameterError, match="two labelings"):
        plots.alluvial({"a": [1, 2]})


@pytest.mark.parametrize("flows", [[], [cases.table(3), "b"]])
def test_flows_are_of_tables(flows):
    with pytest.raises(ParameterError) as caught:
        plots.alluvial(flows)
    assert str(caught.value) == "flows must be a Contingency, several, or {name: labels}."


def test_columns_of_flows_are_all_named():
    named = plots.alluvial(cases.table(3), names=["known", "found"])
    assert [note.text for note in named.layout.annotations] == ["known", "found"]
    with pytest.raises(ParameterError, match=r"^names must be 2, one for each column, not 1\.$"):
        plots.alluvial(cases.table(3), names=["known"])


def test_linked_figures_share_ids():
    table = cases.hostile_table()
    heat = plots.contingency_heatmap(table).data[0]
    bars = plots.diagnosis_bars(cv.diagnose(table)).data[0]
    flows = plots.alluvial(table).data[0]
    clusters = {plots.ident("cluster", name) for name in table.cluster_names}
    assert {cell[0] for row in heat.customdata for cell in row if cell} == clusters
    assert {row[0] for row in bars.customdata} == clusters
    assert clusters <= {row[0] for row in flows.node.customdata}


def test_scores_are_drawn_as_they_are_with_intervals():
    cards = cases.cards()
    figure = plots.score_plot(cards)
    bounded = [trace for trace in figure.data if trace.xaxis == "x"]
    assert [trace.name for trace in bounded] == ["good", "&lt;b&gt;poor&lt;/b&gt;"]
    assert list(bounded[0].x) == [cards["good"][key] for key in ("rand", "adjusted_rand", "purity")]
    found = cards["good"].score("rand").interval
    assert bounded[0].x[0] + bounded[0].error_x.array[0] == pytest.approx(found.high)
    assert bounded[0].x[0] - bounded[0].error_x.arrayminus[0] == pytest.approx(found.low)
    assert "95% intervals" in figure.layout.meta["note"]
    assert figure.layout.meta["title"] == "good has the best value in 5 of 5 measures."


def test_chance_is_drawn_where_it_is_known():
    truth, pred = cases.labels(4, 200)
    level = cv.chance("rand", truth, pred, samples=0)
    figure = plots.score_plot(cases.cards(), chance={"good": {"rand": level}})
    (drawn,) = [trace for trace in figure.data if trace.name == "expected by chance"]
    assert list(drawn.x) == [level.expected]


def test_chance_by_measure_alone_is_that_of_the_only_card():
    truth, pred = [0, 0, 1, 1], [0, 0, 0, 1]
    card = cv.external_scores(truth, pred, measures=["rand"])
    level = cv.chance("rand", truth, pred, samples=0)
    figure = plots.score_plot(card, chance={"rand": level})
    assert figure.layout.meta["title"] == "Rand index is 0.5; 0.5 is expected by chance."
    assert [trace.name for trace in figure.data] == ["pred", "expected by chance"]


def test_chance_finds_its_measure_by_any_name():
    truth, pred = [0, 0, 1, 1], [0, 0, 0, 1]
    card = cv.external_scores(truth, pred, measures=["ari"])
    level = cv.chance("ari", truth, pred, samples=0)
    names = [trace.name for trace in plots.score_plot(card, chance={"ari": level}).data]
    assert names == ["pred", "expected by chance"]
    with pytest.raises(UnknownMeasureError, match="no measure 'nonsense'"):
        plots.score_plot(card, chance={"nonsense": level})


def test_cards_with_the_best_value_in_as_many_measures_are_named_together():
    truth = [0, 0, 1, 1]
    preds = dict.fromkeys("abcd", truth) | {"e": [0, 1, 0, 1]}
    figure = plots.score_plot(cv.external_scores(truth, preds, measures=["rand", "purity"]))
    title = figure.layout.meta["title"]
    assert title == "a, b and c each have the best value in 2 of 2 measures."


def test_what_are_no_cards_or_have_no_value_is_refused():
    for cards in ([], {}, [cases.cards()["good"]]):
        with pytest.raises(ParameterError, match="cards must be a ScoreCard, or several by name"):
            plots.score_plot(cards)
    card = cv.internal_scores([[0.0], [1.0]], [0, 0], measures=["silhouette"])
    with pytest.raises(ParameterError, match="no measure of these cards has a value"):
        plots.score_plot(card)


def test_many_cards_are_led_by_few():
    truth, pred = cases.labels(4, 200)
    many = {f"p{i}": np.roll(pred, i) for i in range(20)}
    figure = plots.score_plot(cv.external_scores(truth, many, measures=["rand", "purity"]))
    legend = [trace.name for trace in figure.data if trace.showlegend]
    assert len(legend) == 4
    assert legend[0] == "p0"
    assert legend[-1] == "17 others"


def test_undefined_scores_are_told_not_drawn():
    card = cv.internal_scores(cases.points()[0], np.zeros(120, int))
    figure = plots.score_plot(card)
    assert "Undefined: " in figure.layout.meta["note"]
    with pytest.raises(ParameterError, match="have no variation_of_information"):
        plots.score_plot(card, measures=["vi"])


def test_a_ranking_shows_how_far_the_best_is_ahead():
    found = cases.ranking()
    figure = plots.ranking_plot(found)
    points = list(figure.data)
    drawn = {
        row[0]: x for trace in points for row, x in zip(trace.customdata, trace.x, strict=True)
    }
    lead = found.values["good"]
    for name, value in found.values.items():
        if name != "good":
            assert drawn[plots.ident("pred", name)] == pytest.approx(lead - value)
    title = figure.layout.meta["title"]
    assert title == "good has the best value, but the data cannot distinguish it from twin."
    assert {trace.name: len(trace.x) for trace in points} == {
        "distinguished": 1,
        "not distinguished": 1,
    }


def test_a_long_ranking_says_what_is_left_out():
    figure = plots.ranking_plot(cases.ranking(), most=1)
    assert "1 more prediction is not drawn" in figure.layout.meta["note"]


def test_shares_of_a_diagnosis_are_its_own():
    found = cv.diagnose(cases.table(40, 900))
    bars = plots.diagnosis_bars(found, most=5)
    assert list(bars.data[0].x) == sorted((part.vi for part in found.clusters), reverse=True)[:5]
    assert "35 clusters with smaller shares" in bars.layout.meta["note"]
    classes = plots.diagnosis_bars(found, of="classes", most=100)
    assert sum(classes.data[0].x) == pytest.approx(found.vi)
    with pytest.raises(ParameterError, match="'clusters' or 'classes'"):
        plots.diagnosis_bars(found, of="rows")


def test_silhouettes_are_sorted_within_clusters():
    found = cases.widths()
    figure = plots.silhouette_plot(found)
    shapes = [trace for trace in figure.data if trace.fill]
    assert [trace.meta["id"] for trace in shapes] == [
        plots.ident("cluster", name)
        for name in sorted(found.clusters, key=lambda c: -found.clusters[c])
    ]
    for trace in shapes:
        assert (np.diff(np.asarray(trace.x)[1:-1]) <= 0).all()
        assert (np.diff(np.asarray(trace.y)) >= 0).all()


def test_the_cluster_of_the_least_mean_is_named_where_only_others_have_points_below_0():
    found = silhouettes([[5], [5], [9], [2], [3], [6]], list("aaabbb"))
    title = plots.silhouette_plot(found).layout.meta["title"]
    assert title == "The mean silhouette is 0.0915; cluster a is worst, at 0.0833."


def test_many_clusters_are_drawn_by_their_spread():
    figure = FIGURES["silhouette, many"]()
    assert "too many to draw all points" in figure.layout.meta["note"]
    assert len(figure.data) == 3


def test_an_elbow_has_its_choice_marked():
    found = cases.tuning()
    figure = plots.elbow_plot(found)
    stars = [trace for trace in figure.data if str(trace.marker.symbol).startswith("star")]
    chosen = [choice for choice in found.choices.values() if choice.index is not None]
    assert [trace.x[0] for trace in stars] == [choice.value for choice in chosen]
    lines = [trace for trace in figure.data if trace.mode == "lines+markers"]
    for trace, record in zip(lines, found.measures, strict=True):
        assert list(trace.y) == list(found.curves[record.key])
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    for trace, record in zip(bands, found.measures, strict=True):
        low, high = found.reference.low[record.key], found.reference.high[record.key]
        assert list(trace.y) == [*high, *low[::-1]]
    assert "Grey bands are curves without clusters" in figure.layout.meta["note"]
    heads = [note.text for note in figure.layout.annotations]
    assert all("(p " in head for head in heads)


def test_values_that_are_no_numbers_are_named_along_the_axis():
    figure = plots.elbow_plot(cases.tuning_by_name())
    assert figure.layout.xaxis.ticktext == ("low", "mean", "high")
    assert figure.layout.xaxis.tickvals == figure.data[0].x == (0.0, 1.0, 2.0)
    assert figure.data[0].mode == "markers"


def test_bounds_are_drawn_by_algorithm_with_constant_truth_and_choice():
    found = cases.selection()
    figure = plots.bound_plot(found)
    by_name = {trace.name: trace for trace in figure.data if trace.showlegend is not False}
    for name, curve in found.curves.items():
        assert list(by_name[name].y) == list(curve.values())
    assert list(by_name["chosen"].x) == [found.best.clusters]
    assert figure.layout.shapes[0].y0 == found.bound.constant.rate
    dotted = [trace for trace in figure.data if trace.line.dash == "dot"]
    assert len(dotted) == 2


def test_of_many_algorithms_those_with_the_lowest_bounds_are_coloured():
    found = cases.selection()
    names = [f"a{k}" for k in range(7)]
    table = [
        replace(one, algorithm=name)
        for name in names
        for one in found.table
        if one.algorithm == found.best.algorithm
    ]
    study = replace(found.study, algorithms=tuple(names))
    many = replace(found, study=study, table=tuple(table), best=replace(found.best, algorithm="a6"))
    figure = plots.bound_plot(many)
    note = figure.layout.meta["note"]
    assert note.endswith(" The 6 algorithms with the lowest bounds are coloured.")
    assert [trace.name for trace in figure.data if trace.showlegend is not False][6:] == [
        "other algorithms",
        "chosen",
    ]
    assert "coloured" not in plots.bound_plot(found).layout.meta["note"]


def test_a_heatmap_of_very_many_sets_shows_an_even_selection():
    points, truth = [[0.0], [0.1], [9.0], [9.1]], [0, 0, 1, 1]
    data = {f"s{k}": (points, truth) for k in range(203)}
    found = cv.benchmark(data, labels={"mine": dict.fromkeys(data, truth)}, runs=1)
    figure = plots.benchmark_heatmap(found)
    assert figure.layout.meta["note"].startswith("200 of 203 data sets. Mean over 1 run.")
    assert figure.layout.meta["note"].endswith("see the names of its data sets.")
    assert figure.layout.yaxis.showticklabels is False
    assert figure.layout.yaxis.title.text == "200 data sets"
    assert figure.layout.xaxis.showticklabels is None
    drawn = figure.data[0].y
    assert (len(drawn), drawn[0], drawn[-1]) == (200, "s0", "s202")
    with pytest.raises(ParameterError, match="mean ranks need two algorithms and two data sets"):
        plots.critical_difference_plot(found)


def test_names_that_have_no_room_are_left_to_the_cells():
    rng = np.random.default_rng(0)
    few, many = (cv.distance_matrix(rng.integers(0, 3, (count, 30))) for count in (44, 45))
    assert "Point at a cell" not in plots.distance_heatmap(few).layout.meta["note"]
    figure = plots.distance_heatmap(many)
    assert figure.layout.meta["note"].endswith(
        "Point at a cell to see the names of its clusterings."
    )
    assert figure.layout.xaxis.title.text == figure.layout.yaxis.title.text == "45 clusterings"
    drawing = plots.svg(figure)
    assert "45 clusterings" in drawing
    assert drawing.count("<text") < 20


def test_of_very_many_levels_some_are_drawn_and_the_best_one(monkeypatch):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 30)
    merges = linkage(rng.normal(size=(90, 1)) + 9 * truth[:, None], "average")
    keys = ["ari", "vi", "nmi", "rand", "purity", "mirkin", "jaccard"]
    found = cv.score_tree(truth, merges, keys)
    assert len(plots.tree_plot(found).data[0].x) == 90
    monkeypatch.setattr(trees, "DRAWN", 4)
    figure = plots.tree_plot(found)
    assert figure.data[0].x == (1, 3, 4, 20, 90)
    assert found.best_place == 2
    note = figure.layout.meta["note"]
    assert note.endswith(" 5 of 90 levels are drawn. 6 of 7 measures are drawn.")


def test_a_map_keeps_places_and_names_do_not_cover_each_other():
    found = cases.ensemble()
    embedding = found.embedding()
    figure = plots.map_plot(embedding, groups=found.groups(2), marked=["run 0"])
    drawn = {
        row[0]: (x, y)
        for trace in figure.data[:2]
        for row, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }
    for name, place in zip(embedding.names, embedding.points, strict=True):
        assert drawn[plots.ident("pred", name)] == pytest.approx(tuple(place))
    stacked = label_places(np.zeros((10, 2)), ["name"] * 10)
    assert sum(map(bool, stacked)) == 4


def test_a_map_says_what_it_leaves_out():
    found = cases.ensemble()
    three = plots.map_plot(found.embedding(dimensions=3)).layout.meta["note"]
    assert three.endswith(" Two of 3 directions are drawn.")
    assert "directions" not in plots.map_plot(found.embedding()).layout.meta["note"]
    assert label_places(np.zeros((61, 2)), ["name"] * 61) == [""] * 61
    with pytest.raises(ParameterError, match="groups must be of the clusterings on the map"):
        plots.map_plot(cases.ensemble(5).embedding(), groups=found.groups(2))


def test_a_group_without_clusterings_is_not_drawn():
    found = cases.ensemble()
    groups = replace(found.groups(2), labels=np.array([0, 0, 0, 2, 2, 2]), medoids=(0, 1, 3))
    figure = plots.map_plot(found.embedding(), groups=groups)
    assert [trace.name for trace in figure.data] == ["group 1 (3)", "group 3 (3)"]


def test_a_dendrogram_merges_at_its_distances():
    tree = cases.ensemble().hierarchy()
    lines, merges, leaves = plots.dendrogram(tree).data
    assert sorted(merges.x) == pytest.approx(sorted(tree.merges[:, 2]))
    assert len(leaves.x) == 6
    assert lines.x.count(None) == 5
    short = plots.dendrogram(tree, most=3)
    assert len(short.data[1].x) == 2
    assert "3 lowest merges" in short.layout.meta["note"]


@pytest.mark.parametrize(("many", "width"), [(60, 2), (61, 1)])
def test_the_lines_of_large_trees_are_thin(many, width):
    assert plots.dendrogram(cases.ensemble(many).hierarchy()).data[0].line.width == width


def test_a_tree_of_many_clusterings_names_some_of_them():
    many = plots.dendrogram(cases.ensemble(70).hierarchy())
    assert many.layout.meta["note"].endswith(
        " merged by average distance. Some names are left out."
    )
    assert len(many.layout.yaxis.ticktext) == 35
    few = plots.dendrogram(cases.ensemble().hierarchy())
    assert "left out" not in few.layout.meta["note"]


def test_distances_follow_the_tree():
    found = cases.ensemble()
    tree = found.hierarchy()
    heat = plots.distance_heatmap(found.distances, hierarchy=tree).data[0]
    assert np.asarray(heat.z) == pytest.approx(
        found.distances.matrix[np.ix_(tree.order, tree.order)]
    )
    assert list(heat.x) == [found.names[k] for k in tree.order]


def test_of_very_many_distances_an_even_selection_is_drawn():
    labelings = {f"r{k}": np.arange(6) // (1 + k % 5) for k in range(305)}
    figure = plots.distance_heatmap(cv.distance_matrix(labelings))
    assert " An even selection of 300 is drawn. Point" in figure.layout.meta["note"]
    drawn = figure.data[0].x
    assert (len(drawn), drawn[0], drawn[-1]) == (300, "r0", "r304")


def test_distances_that_are_undefined_are_counted():
    labelings = {"a": [0, 0, 0], "b": [0, 1, 1], "c": [0, 1, 2]}
    found = plots.distance_heatmap(cv.distance_matrix(labelings, "nmi"))
    assert found.layout.meta["note"].endswith(" between 3 clusterings. 2 entries are undefined.")
    del labelings["c"]
    found = plots.distance_heatmap(cv.distance_matrix(labelings, "nmi"))
    assert found.layout.meta["title"] == (
        "Normalized mutual information has no value between these clusterings."
    )


@pytest.mark.parametrize(("n", "partitions", "lines"), [(1, 1, 0), (3, 5, 6), (4, 15, 31)])
def test_a_lattice_has_all_partitions_and_covers(n, partitions, lines):
    figure = plots.lattice_plot(n)
    assert len(figure.data[1].x) == partitions
    assert figure.data[0].x.count(None) == lines
    assert len(set(zip(figure.data[1].x, figure.data[1].y, strict=True))) == partitions


def test_a_lattice_finds_marks():
    figure = plots.lattice_plot(4, marks={"fine": [0, 1, 2, 2], "coarse": [0, 0, 1, 1]})
    assert figure.layout.meta["title"].startswith("fine refines coarse")
    with pytest.raises(ParameterError, match="between 1 and 5, not 6"):
        plots.lattice_plot(6)
    with pytest.raises(ParameterError, match="must label 4 objects, not 2"):
        plots.lattice_plot(4, marks={"a": [0, 1]})


@pytest.mark.parametrize(
    ("other", "title"),
    [
        ([1, 1, 0], "a and b are the same partition."),
        ([0, 1, 1], "a and b do not refine each other; they meet in 1|2|3."),
    ],
)
def test_a_lattice_says_how_two_marks_lie_to_each_other(other, title):
    figure = plots.lattice_plot(3, marks={"a": [0, 0, 1], "b": other})
    assert figure.layout.meta["title"] == title


def test_a_crowded_lattice_has_slanted_names():
    figure = plots.lattice_plot(5)
    notes = figure.layout.annotations
    assert len(notes) == 52
    assert {note.textangle for note in notes} == {-60}
    assert [(note.x, note.y) for note in notes] == list(
        zip(figure.data[1].x, figure.data[1].y, strict=True)
    )
    assert notes[0].text == "12345"
    assert (figure.data[1].mode, figure.data[1].text) == ("markers", None)


class Answers:
    def columns(self):
        return {
            "measure": ["rand", "rand", "<b>", "<b>"],
            "property": ["symmetry", "locality", "symmetry", "locality"],
            "answer": ["holds", "holds", "holds", "fails"],
            "why": ["", "", "", "because"],
        }


def test_a_property_matrix_has_a_sign_for_each_answer():
    figure = plots.property_matrix_plot(Answers())
    assert {trace.name: len(trace.x) for trace in figure.data} == {"holds": 3, "fails": 1}
    assert figure.layout.meta["title"] == "rand has all 2 properties."
    assert "because" in figure.data[1].hovertext[0]


def test_a_matrix_without_answers_is_refused():
    bare = SimpleNamespace(columns=lambda: {"measure": ["rand"]})
    with pytest.raises(ParameterError, match=r"^the matrix has no column property and answer\.$"):
        plots.property_matrix_plot(bare)


def test_doms_figures_are_drawn_by_name():
    class Record:
        def __init__(self, **fields):
            self.__dict__.update(fields)

    line = Record(key="rand", title="Rand index", symbol="R", values=(1.0, 1.0), scaled=(1.0, 0.0))
    sweep = Record(
        figure="Figure 1", title="a sweep", x_title="error", x=(0.0, 1.0), curves=(line,)
    )
    numbers = tuple(float(k) for k in range(5_000))
    cloud = Record(
        figure="Figure 3",
        key="rand",
        x_title="Q2",
        y_title="Rand index",
        x=numbers,
        y=numbers,
        x_ranks=numbers,
        y_ranks=numbers,
        spearman=1.0,
        kendall=1.0,
    )
    found = plots.dom_figures(Record(sweeps=(sweep,), scatters=(cloud,)))
    assert list(found) == ["Figure 1", "Figure 3"]
    assert found["Figure 1"].layout.meta["title"] == "R does not change as error grows."
    assert len(found["Figure 3"].data[0].x) == 2_000
    assert "2,000 of 5,000 combinations" in found["Figure 3"].layout.meta["note"]


VOID = (math.nan, math.nan)


@pytest.mark.parametrize(
    ("values", "title", "note"),
    [
        ([VOID], "No measure has a value here.", " No value: measure 0."),
        ([(1.0, 0.5), VOID], "measure 0 falls as error grows.", " No value: measure 1."),
        ([(0.5, 1.0)], "measure 0 changes as error grows.", ""),
        (
            [(1.0, 0.5)] * 14,
            "All 14 measures fall as error grows.",
            " 2 more measures are left out.",
        ),
    ],
)
def test_a_sweep_says_what_changes_and_what_has_no_value(values, title, note):
    lines = tuple(
        SimpleNamespace(key=f"m{k}", title=f"measure {k}", symbol="", values=each, scaled=each)
        for k, each in enumerate(values)
    )
    sweep = SimpleNamespace(
        figure="Figure 1", title="a sweep", x_title="error", x=(0.0, 1.0), curves=lines
    )
    (figure,) = plots.dom_figures(SimpleNamespace(sweeps=(sweep,), scatters=())).values()
    assert figure.layout.meta["title"] == title
    assert figure.layout.meta["note"] == f"Figure 1 of Dom 2001: a sweep.{note}"


def test_a_page_can_take_the_title_out():
    figure = plots.lattice_plot(3)
    bare = plots.without_title(figure)
    assert bare.layout.title.text == ""
    assert bare.layout.height < figure.layout.height
    assert bare.layout.meta["title"] == figure.layout.meta["title"]
    assert figure.layout.title.text


def test_the_room_is_light_until_a_figure_is_made():
    code = (
        "import sys, clustervet.plots as p; p.contingency_heatmap; p.template('dark')\n"
        "heavy = ('plotly', 'matplotlib', 'scipy', 'numba', 'pandas')\n"
        "print([m for m in heavy if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_every_public_name_exists():
    assert all(getattr(plots, name) is not None for name in plots.__all__)
    assert set(plots.__all__) <= set(dir(plots))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        plots.nothing  # noqa: B018  # asking for it is the test


def test_what_is_no_table_is_refused():
    with pytest.raises(ParameterError, match="draws a Contingency, not tuple"):
        plots.contingency_heatmap(([0, 1], [0, 1]))


def test_measures_without_a_direction_are_drawn_only_where_there_is_no_other():
    truth, pred = cases.labels(3, 60)

    def drawn(*keys):
        cards = read_cards(cv.external_scores(truth, {"a": pred}, measures=list(keys)))
        return [record.key for record in chosen_measures(cards, None)]

    assert drawn("class_entropy", "rand", "joint_entropy", "purity") == ["rand", "purity"]
    assert drawn("class_entropy", "joint_entropy") == ["class_entropy", "joint_entropy"]


@pytest.mark.parametrize("flows", [3, None, []])
def test_flows_that_are_no_tables_are_refused(flows):
    with pytest.raises(ParameterError, match="flows must be a Contingency"):
        plots.alluvial(flows)


def test_clusterings_without_a_value_are_not_called_the_same():
    alike, other = [0, 0, 0], [0, 1, 1]
    found = cv.distance_matrix({"a": alike, "b": alike, "c": other}, "nmi")
    figure = plots.distance_heatmap(found)
    assert figure.layout.meta["title"] == "Where NMI has a value, all clusterings are the same."
    same = plots.distance_heatmap(cv.distance_matrix({"a": other, "b": other}, "nmi"))
    assert same.layout.meta["title"] == "All clusterings are the same."


def test_a_tree_of_clusters_has_a_disc_per_cluster_and_its_lines():
    sweep = {3: [0, 0, 1, 1, 2, 2], 2: [0, 0, 0, 0, 1, 1], 4: [0, 1, 1, 2, 2, 3]}
    figure = plots.cluster_tree(sweep)
    discs = [trace for trace in figure.data if trace.mode == "markers"]
    assert sum(len(trace.x) for trace in discs) == 2 + 3 + 4
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    # Half of each of the clusters 1 and 2 of the last row comes from each of two above.
    assert sum(y is None for trace in lines for y in trace.y) == 3 + 6
    assert len(discs[1].x) == 2
    assert "2 clusters come from several above, first at 4." in figure.layout.meta["title"]
    sizes = np.concatenate([trace.marker.size for trace in discs])
    assert sizes.max() == 30
    with pytest.raises(ParameterError, match="at least two"):
        plots.cluster_tree({2: [0, 1]})
    with pytest.raises(ParameterError, match="same objects"):
        plots.cluster_tree({2: [0, 1], 3: [0, 1, 2]})
    with pytest.raises(ParameterError, match="least"):
        plots.cluster_tree(sweep, least=2)


def test_a_tree_of_clusters_shows_what_is_unstable_in_samples():
    points = np.random.default_rng(1).normal(size=(60, 2))
    found = cv.tune("kmeans", points, values=[2, 3, 5], bootstrap=5, references=0, random_state=0)
    figure = plots.cluster_tree(found)
    stable = [one.stable for held in found.stability.clusters for one in held.clusters]
    blue, orange = (trace for trace in figure.data if trace.mode == "markers")
    assert (len(blue.x), len(orange.x)) == (sum(stable), len(stable) - sum(stable))
    assert "unstable in samples" in figure.layout.meta["note"]
    wide = {k: np.arange(200) % k for k in range(2, 40)}
    assert "14 clusterings not drawn" in plots.cluster_tree(wide).layout.meta["note"]


def test_labelings_with_growing_numbers_of_clusters_have_a_tree():
    runs = {"two": list("aaabbb"), "three": list("aacbbb"), "mixed": list("abcdab")}
    summary = cv.Ensemble(runs).summary(random_state=0)
    assert [level.name for level in summary.levels] == ["two", "three", "mixed"]
    assert summary.levels[1].shared.tolist() == [[2, 0, 1], [0, 3, 0]]
    *_, figure = plots.figures(summary)
    assert figure.layout.meta["title"] == (
        "From 2 to 4 clusters, 2 clusters come from several above, first at mixed."
    )
    boxes = " ".join(text for trace in figure.data for text in trace.hovertext or ())
    assert "a cluster of 3 objects at three" in boxes
    assert "100% from a cluster of 3 objects above" in boxes
    assert "levels" not in summary.to_dict()
    few = cv.Ensemble({"two": runs["two"], "three": runs["three"]}).summary(random_state=0)
    assert few.levels == ()
    assert all(one.layout.meta["figure"] != "cluster-tree" for one in plots.figures(few))
    with pytest.raises(ParameterError, match="at least 3 different numbers of clusters"):
        plots.cluster_tree(few)


def test_objects_without_a_label_are_in_no_cluster_of_a_tree():
    runs = {"a": [0, 0, 1, 1, None], "b": [0, 0, 1, 2, 2], "c": [0, 3, 1, 2, None]}
    levels = cv.Ensemble(runs, shared=True).summary(random_state=0).levels
    assert [level.sizes.tolist() for level in levels] == [[2, 2], [2, 1, 2], [1, 1, 1, 1]]
    assert levels[1].shared.tolist() == [[2, 0, 0], [0, 1, 1]]


def test_values_that_leave_only_noise_are_not_in_the_tree_of_clusters():
    points = np.concatenate([np.random.default_rng(k).normal(9 * k, 1, (30, 2)) for k in (0, 1)])
    options = {"references": 0, "measures": "silhouette"}
    found = cv.tune("dbscan", points, "eps", [1e-6, 1, 2], **options)
    assert found.counts[0] == 0
    assert len(plots.figures(found)) == 2
    alone = cv.tune("dbscan", points, "eps", [1e-6, 2], **options)
    assert len(plots.figures(alone)) == 1
