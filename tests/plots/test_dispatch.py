from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import dataclass

import figure_cases as cases
import numpy as np
import pytest

import clustervet as cv
from clustervet import plots
from clustervet.evidence import ClusteringEvidence
from clustervet.inference import Interval
from clustervet.plots.dots import judgement_figures
from clustervet.registry import Estimate, measures
from clustervet.scorecard import Score


def kinds(result, **options):
    return [figure.layout.meta["figure"] for figure in plots.figures(result, **options)]


RESULTS = {
    "Tuning": (cases.tuning, ["elbow", "cluster-tree"]),
    "Selection": (cases.selection, ["bound"]),
    "ScoreCard": (lambda: cases.cards()["good"], ["scores"]),
    "ScoreCards": (cases.cards, ["scores"]),
    "Diagnosis": (lambda: cv.diagnose(cases.table(4)), ["diagnosis"]),
    "Contingency": (lambda: cases.table(4), ["contingency", "alluvial"]),
    "Silhouettes": (cases.widths, ["silhouette"]),
    "Summary": (lambda: cases.ensemble().summary(), ["map", "dendrogram", "distances"]),
    "Distances": (lambda: cases.ensemble().distances, ["distances"]),
    "Ranking": (cases.ranking, ["ranking"]),
    "PropertyMatrix": (lambda: cv.lab.axioms(["rand"], ["symmetry"]), ["properties"]),
    "BkCurve": (lambda: cv.b_k("(((a,b),c),(d,e));", "(((a,c),b),(d,e));"), ["b-k"]),
    "TreePair": (lambda: cv.TreePair.of("((a,b),c);", "((c,b),a);"), ["tanglegram"]),
    "Memberships": (lambda: cv.Memberships([[0.9, 0.1], [0.4, 0.6]]), ["memberships"]),
    "Cover": (lambda: cv.Cover([[0, 1], [1, 2]]), ["overlaps"]),
    "CoverPair": (
        lambda: cv.CoverPair([[0, 1], [1, 2]], [[0], [1, 2]]),
        ["matches", "overlaps", "overlaps"],
    ),
    "DomStudy": (lambda: cv.lab.dom_study(["rand"]), ["sweep", "sweep", "scatter"]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_each_type_of_result_has_its_figures(name):
    make, expected = RESULTS[name]
    assert type(make()).__name__ == name
    assert kinds(make()) == expected
    dark = plots.template("dark")["layout"]["paper_bgcolor"]
    for figure in plots.figures(make(), theme="dark"):
        assert figure.layout.template.layout.paper_bgcolor == dark


def test_other_types_have_no_figures():
    assert plots.figures(None) == plots.figures({"a": 1}) == plots.figures(object()) == []


@dataclass(frozen=True)
class Toy:
    heights: tuple[float, ...]


def test_a_new_type_of_result_registers_its_figure():
    assert plots.figures(Toy((1.0,))) == []

    @plots.figures.register
    def draw(toy: Toy, *, theme="light"):
        table = cv.Contingency.from_counts(np.diag(np.array(toy.heights, int)))
        return [plots.contingency_heatmap(table, theme=theme)]

    assert kinds(Toy((1.0, 2.0))) == ["contingency"]


def test_figures_are_found_in_a_fresh_process_and_nothing_is_loaded_before():
    code = (
        "import sys, clustervet as cv\nfrom clustervet.plots import figures\n"
        "print([m for m in sys.modules if m.startswith('clustervet.plots.')])\n"
        "print(len(figures(cv.external_scores([0, 0, 1], [0, 1, 1], measures=['rand']))))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[:2] == ["[]", "1"]


def test_a_summary_has_a_tree_from_three_labelings_on_and_rings_what_is_marked():
    two = cv.Ensemble({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}).summary()
    assert kinds(two) == ["map", "distances"]
    heat = plots.figures(two)[-1]
    assert heat.layout.meta["table"] == "matrix"
    assert "marked" not in [trace.name for trace in plots.figures(two)[0].data]


def test_a_page_shows_bounded_scores_the_leading_first():
    truth, pred = cases.labels(4, 200)
    card = cv.external_scores(truth, pred)
    (figure,) = plots.figures(card)
    (trace,) = figure.data
    shown = [row[1] for row in trace.customdata]
    leading = ["adjusted_rand", "adjusted_mutual_information", "matching_accuracy", "purity"]
    assert shown == [plots.ident("measure", key) for key in leading]
    bounded = [r.key for r in measures.values() if all(map(math.isfinite, r.bounds))]
    directed = [key for key in bounded if measures[key].better != "neither"]
    assert set(shown) <= {plots.ident("measure", key) for key in directed}


def test_cards_without_a_bounded_measure_have_no_figure():
    truth, pred = cases.labels(4, 200)
    assert plots.figures(cv.external_scores(truth, pred, measures=["vi", "mirkin"])) == []


def test_a_judgement_is_drawn_with_the_chance_levels_of_the_first_prediction():
    truth, pred = cases.labels(4, 200)
    levels = {"rand": cv.chance("rand", truth, pred, random_state=0)}
    (figure,) = judgement_figures(cases.cards(), {"good": levels, "<b>poor</b>": levels})
    drawn = [trace for trace in figure.data if trace.name == "expected by chance"]
    assert [list(trace.x) for trace in drawn] == [[levels["rand"].expected]]
    assert drawn[0].customdata[0][0] == plots.ident("pred", "good")


def test_what_is_known_about_one_clustering_is_drawn_in_order():
    table = cases.table(3)
    known = ClusteringEvidence("<b>k</b>", "y", table, cv.diagnose(table), cases.widths())
    found = plots.figures(known)
    assert [figure.layout.meta["figure"] for figure in found] == [
        "contingency",
        "alluvial",
        "diagnosis",
        "silhouette",
    ]
    assert [note.text for note in found[1].layout.annotations] == ["y", "&lt;b&gt;k&lt;/b&gt;"]
    assert plots.figures(ClusteringEvidence("k", "", None, None, None)) == []


def test_the_ends_of_a_score_come_from_its_interval_or_its_sample():
    record = measures["rand"]
    interval = cases.cards()["good"].score("rand").interval
    assert Score(record, 0.5, None, interval).ends == (interval.low, interval.high, 0.95)
    assert Score(record, 0.5).ends is None
    exact = Estimate(0.5, standard_error=0.0, sample=9)
    assert Score(record, exact).ends is None
    sampled = Estimate(0.5, standard_error=0.1, sample=9)
    assert Score(record, sampled).ends == (*sampled.interval(0.95), 0.95)
    assert isinstance(interval, Interval)


def test_a_page_shows_the_measures_of_its_table_and_counts_only_these():
    truth = cv.Cover([range(6), range(5, 12)], 12)
    preds = {"a": cv.Cover([range(6), range(6, 12)], 12), "b": cv.Cover([range(3, 9)], 12)}
    found = cv.judge(truth, preds)
    dots = plots.figures(found)[0]
    (leaders,) = [table for table in found.document().tables if table.key == "scores-leaders"]
    heads = [column.title.replace("\u00a0", " ") for column in leaders.columns[2:]]
    assert list(dots.layout.yaxis.ticktext) == heads
    assert f"of the {len(heads)} measures shown" in dots.layout.meta["title"]
    every = plots.score_plot(found.scores).layout.meta["title"]
    assert f"of {len(found.scores['a'].scores)} measures" in every
