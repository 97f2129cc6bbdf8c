"""Every figure beside what was recorded: marks, places, colours, sizes and words.

`CLUSTERVET_RECORD=1 pytest tests/plots/test_drawings.py` records again.
"""

from __future__ import annotations

import base64
import json
import math
import os
from pathlib import Path

import figure_cases as cases
import matplotlib as mpl
import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import clustervet as cv
from clustervet import plots
from clustervet.evidence import examine
from clustervet.plots.canvas import axis_texts, wrapped

mpl.use("Agg")
RECORDED = Path(__file__).parent / "recorded"
RECORDING = bool(os.environ.get("CLUSTERVET_RECORD"))
# Entries of a list from which on only the first ones and a summary are kept.
LONG, KEPT = 40, 6


def evidence():
    truth, pred = cases.labels(4, 120)
    data = np.random.default_rng(0).normal(size=(120, 2)) + 4 * truth[:, None]
    preds = {"good": pred, "poor": np.roll(pred, 5)}
    return examine(truth, preds, features=data, measures=["adjusted_rand", "vi", "purity"])


def benchmark():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    data = {f"s{k}": (rng.normal(size=(60, 2)) + k * y[:, None], y) for k in range(6)}
    made = {"chance": {name: rng.integers(0, 3, 60) for name in data}}
    return cv.benchmark(data, ["kmeans", "ward", "single"], 2, labels=made, measure="ari")


def dendrogram():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    merges = linkage(rng.normal(size=(90, 2)) + 3 * y[:, None], "average")
    return cv.score_tree(y, merges, ["ari", "vi"])


FIGURES = {
    "contingency": lambda: [plots.contingency_heatmap(cases.table(4))],
    "contingency-large": lambda: [
        plots.contingency_heatmap(cases.table(70, 9_000), shade="count", most=30)
    ],
    "alluvial": lambda: [plots.alluvial(cases.table(4), most=3)],
    "alluvial-three": lambda: [
        plots.alluvial({"t": cases.labels(4)[0], "a": cases.labels(4)[1], "b": cases.labels(2)[0]})
    ],
    "scores": lambda: [plots.score_plot(cases.cards())],
    "ranking": lambda: [plots.ranking_plot(cases.ranking())],
    "diagnosis": lambda: [
        plots.diagnosis_bars(cv.diagnose(cases.table(9)), most=4),
        plots.diagnosis_bars(cv.diagnose(cases.table(5)), of="classes"),
    ],
    "silhouette": lambda: [plots.silhouette_plot(cases.widths())],
    "silhouette-many": lambda: [plots.silhouette_plot(cases.widths(50, 300))],
    "elbow": lambda: [plots.elbow_plot(cases.tuning())],
    "cluster-tree": lambda: [plots.cluster_tree(cases.tuning())],
    "stability": lambda: [
        plots.stability_plot(
            cv.stability([[0, 0, 1, 1], [0, 1, 1, 1]], labels=["a", "a", "b", "b"])
        )
    ],
    "bound": lambda: [plots.bound_plot(cases.selection())],
    "benchmark": lambda: plots.figures(benchmark()),
    "tree": lambda: plots.figures(dendrogram()),
    "tree-levels": lambda: [
        plots.tree_plot(
            cv.score_tree(list("aabbbb"), {"l": [0, 0, 0, 1, 1, 1], "m": list("uuvwww")})
        )
    ],
    "summary": lambda: plots.figures(cases.ensemble(9).summary()),
    "memberships": lambda: [
        plots.membership_heatmap([[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]], ["a", "a", "b"])
    ],
    "covers": lambda: plots.figures(cv.CoverPair([[0, 1, 2], [2, 3]], [[0, 1], [1, 2, 3]])),
    "tanglegram": lambda: [plots.tanglegram("((a,b),(c,d));", "((a,c),(b,d));")],
    "b-k": lambda: [plots.b_k_plot(cv.b_k("(((a,b),c),(d,e));", "(((a,c),b),(d,e));"))],
    "properties": lambda: plots.figures(
        cv.lab.axioms(["rand", "vi", "nmi"], ["symmetry", "triangle", "locality"])
    ),
    "dom": lambda: plots.figures(cv.lab.dom_study(["rand", "vi", "dom_q2"])),
    "lattice": lambda: [plots.lattice_plot(4, marks={"mine": [0, 0, 1, 1]})],
    "evidence": lambda: [
        figure
        for part in evidence().document().walk()
        if part.subject is not None
        for figure in plots.figures(part.subject)
    ],
}


def plain(item):
    """A figure as plain data; lists that are long by their first entries and a summary."""
    if isinstance(item, dict):
        if item.keys() >= {"bdata", "dtype"}:
            flat = np.frombuffer(base64.b64decode(item["bdata"]), item["dtype"])
            return plain(flat.tolist())
        return {key: plain(value) for key, value in item.items() if key != "template"}
    if isinstance(item, list):
        found = [plain(value) for value in item]
        if len(found) < LONG:
            return found
        numbers = [x for x in found if isinstance(x, int | float) and math.isfinite(x)]
        said = {"of": len(found), "first": found[:KEPT], "last": found[-1]}
        return said | ({"sum": math.fsum(map(abs, numbers))} if numbers else {})
    return None if isinstance(item, float) and not math.isfinite(item) else item


def differences(old, new, where=""):
    """The places at which two drawings differ by more than rounding."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if key not in old or key not in new:
                yield f"{where}/{key}: {'gone' if key in old else 'new'}"
            else:
                yield from differences(old[key], new[key], f"{where}/{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{where}: {len(old)} entries, now {len(new)}"
        for k, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from differences(one, other, f"{where}/{k}")
    elif isinstance(old, float) and isinstance(new, int | float):
        if not math.isclose(old, new, rel_tol=1e-6, abs_tol=1e-9):
            yield f"{where}: {old}, now {new}"
    elif old != new:
        yield f"{where}: {old!r}, now {new!r}"


def check(name, drawn):
    path = RECORDED / f"{name}.json"
    now = json.loads(json.dumps(drawn))
    if RECORDING:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    found = list(differences(json.loads(path.read_text(encoding="utf-8")), now))
    assert not found, "\n".join(found[:20])


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_what_was_recorded(name):
    check(name, [plain(json.loads(figure.to_json())) for figure in FIGURES[name]()])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_theme_is_what_was_recorded(theme):
    check(f"theme-{theme}", plots.template(theme))


DISPLAYS = {
    "contingency": lambda ax: plots.ContingencyDisplay.from_table(cases.table(4)).plot(ax=ax),
    "scores": lambda ax: plots.ScoreDisplay.from_cards(cases.cards()).plot(ax=ax),
    "elbow": lambda ax: plots.ElbowDisplay.from_tuning(cases.tuning()).plot(ax=ax),
    "bound": lambda ax: plots.BoundDisplay.from_selection(cases.selection()).plot(ax=ax),
    "distances": lambda ax: plots.DistanceDisplay.from_distances(
        cases.ensemble().distances, cases.ensemble().hierarchy()
    ).plot(ax=ax),
    "silhouette": lambda ax: plots.SilhouetteDisplay.from_silhouettes(cases.widths()).plot(ax=ax),
}


def axes_data(ax):
    """What axes of matplotlib show."""
    return {
        "title": [ax.get_title(), ax.get_title(loc="left")],
        "labels": [ax.get_xlabel(), ax.get_ylabel()],
        "limits": [*ax.get_xlim(), *ax.get_ylim()],
        "ticks": [[text.get_text() for text in ax.get_xticklabels()],
                  [text.get_text() for text in ax.get_yticklabels()]],
        "lines": [
            {"x": np.asarray(line.get_xdata(), float).tolist(),
             "y": np.asarray(line.get_ydata(), float).tolist(),
             "style": [line.get_linestyle(), line.get_marker(), line.get_linewidth()],
             "label": str(line.get_label())}
            for line in ax.lines
        ],
        "texts": [text.get_text() for text in ax.texts],
        "images": [np.ma.filled(image.get_array(), -1.0).tolist() for image in ax.images],
        "shapes": [type(shape).__name__ for shape in (*ax.collections, *ax.patches)],
    }  # fmt: skip


@pytest.mark.parametrize("name", DISPLAYS)
def test_a_display_is_what_was_recorded(name):
    from matplotlib import pyplot

    figure, made = pyplot.subplots(figsize=(6, 4))
    try:
        DISPLAYS[name](made)
        check(f"display-{name}", [plain(axes_data(ax)) for ax in figure.axes])
    finally:
        pyplot.close(figure)


def test_every_recording_has_a_case():
    known = {*FIGURES, "theme-light", "theme-dark", *(f"display-{name}" for name in DISPLAYS)}
    assert {path.stem for path in RECORDED.glob("*.json")} == known


def test_texts_beside_marks_are_short_and_differ():
    assert wrapped("a long title that needs two lines", 20) == [
        "a long title that",
        "needs two lines",
    ]
    names = [f"{'x' * 60}{k}" for k in range(3)]
    assert len(set(axis_texts(names))) == 3
