"""What results show in Python: a function for each class gives its displays by title."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import duckdb
import inputs
import numpy as np
from rich.console import Console
from scipy.cluster.hierarchy import linkage

import clustervet as cv
from clustervet import lab
from clustervet.pacmdl import languages
from clustervet.partition import Partition

PLAIN = (
    "to_dict",
    "to_json",
    "to_markdown",
    "to_text",
    "_repr_html_",
    "_repr_markdown_",
    "_repr_latex_",
    "columns",
    "grid",
    "notes",
    "sections",
    "verdict",
)
MEASURES = ["adjusted_rand", "variation_of_information", "purity"]

Display = Callable[[], dict[str, str]]
DISPLAYS: dict[str, Display] = {}


def shown(thing: Any, name: str = "") -> dict[str, str]:
    """Every way in which a result shows itself."""
    head = f"{name} " if name else ""
    found = {f"{head}repr": repr(thing)}
    if str(thing) != repr(thing):
        found[f"{head}str"] = str(thing)
    for way in PLAIN:
        if not hasattr(thing, way):
            continue
        given = getattr(thing, way)
        given = given() if callable(given) else given
        found[f"{head}{way}"] = given if isinstance(given, str) else _plain(given)
    if hasattr(thing, "to_frame"):
        frame = thing.to_frame("polars")
        found[f"{head}to_frame"] = f"{dict(frame.schema)}\n{frame.write_ndjson()}"
    if hasattr(thing, "__rich__"):
        console = Console(width=100, no_color=True, color_system=None, highlight=False)
        with console.capture() as held:
            console.print(thing)
        found[f"{head}rich"] = "\n".join(line.rstrip() for line in held.get().splitlines())
    return found


def _plain(given: Any) -> str:
    """Data as JSON where it can be, its keys as text."""
    return json.dumps(_safe(given), indent=1, ensure_ascii=False, default=repr)


def _safe(given: Any) -> Any:
    if isinstance(given, dict):
        return {key if isinstance(key, str) else repr(key): _safe(x) for key, x in given.items()}
    if isinstance(given, list | tuple):
        return [_safe(item) for item in given]
    if isinstance(given, np.ndarray):
        return given.tolist()
    return given


def display(function: Callable[[], Any]) -> Callable[[], Any]:
    """Add what a function gives, one result or several by name, to the displays."""

    def parts() -> dict[str, str]:
        given = function()
        if type(given) is not dict:
            return shown(given)
        found: dict[str, str] = {}
        for name, thing in given.items():
            found |= shown(thing, name)
        return found

    DISPLAYS[function.__name__.replace("_", "-")] = parts
    return function


def truth() -> list[str]:
    return inputs.labels()["kind"]


def preds(*names: str) -> dict[str, Any]:
    return {name: inputs.labels()[name] for name in names or ("kmeans", "ward")}


def features() -> np.ndarray:
    return inputs.points().select("x1", "x2", "x3").to_numpy()


def clusters(name: str = "kmeans") -> list[int]:
    return inputs.points()[name].to_list()


def ensemble() -> cv.Ensemble:
    return cv.Ensemble(inputs.labelings())


def grid() -> dict[str, Any]:
    errors = {"error_useful": [0, 0.1], "error_noise": [0, 0.1]}
    return {"classes": 3, "useful": [2, 3, 4], "noise": [0, 1], **errors}


@display
def score_card():
    table = cv.Contingency.from_labels(truth(), preds()["kmeans"])
    external = cv.external_scores(truth(), preds()["kmeans"], measures=MEASURES)
    sure = cv.external_scores(
        table, measures=MEASURES, confidence=0.9, resamples=100, random_state=1
    )
    internal = cv.internal_scores(features(), clusters(), measures=["silhouette", "ssq", "bic"])
    undefined = cv.external_scores([0, 0, 0], [0, 0, 0], measures=[*MEASURES, "nmi"])
    return {"external": external, "sure": sure, "internal": internal, "undefined": undefined}


@display
def score_card_entry():
    card = cv.external_scores(
        truth(), preds()["ward"], measures=MEASURES, confidence=0.9, resamples=100, random_state=1
    )
    sampled = cv.internal_scores(
        features(), clusters(), measures=["silhouette"], sample=20, random_state=1
    )
    return {
        "subject": card.subject,
        "score": card["adjusted_rand"],
        "geometry": sampled.subject,
        "estimate": sampled["silhouette"],
    }


@display
def score_cards():
    several = cv.external_scores(truth(), preds(), measures=MEASURES)
    size = inputs.labels()["size"]
    truths = cv.external_scores([truth(), size], preds()["ward"], measures=["ari", "vi"])
    sure = cv.external_scores(
        truth(), preds(), measures=["ari", "vi"], confidence=0.9, resamples=100, random_state=1
    )
    many = {"kmeans": clusters(), "ward": clusters("ward")}
    internal = cv.internal_scores(features(), many, measures=["silhouette", "ssq"])
    return {"several": several, "truths": truths, "sure": sure, "internal": internal}


@display
def interval():
    return cv.confidence_interval("vi", truth(), preds()["kmeans"], resamples=200, random_state=1)


@display
def chance():
    return {
        "sampled": cv.chance("purity", truth(), preds()["kmeans"], samples=100, random_state=1),
        "exact": cv.chance("rand", truth(), preds()["kmeans"], samples=0, random_state=1),
    }


@display
def comparison():
    one, other = preds().values()
    return cv.compare_predictions(truth(), one, other, "ari", resamples=100, random_state=1)


@display
def ranking():
    return cv.rank_predictions(truth(), preds(), "vi", resamples=100, random_state=1)


@display
def diagnosis():
    found = cv.diagnose(truth(), preds()["ward"])
    hostile, other = zip(*inputs.HOSTILE, strict=True)
    return {
        "ward": found,
        "part": found.clusters[0],
        "split": found.splits[0],
        "repair": found.repairs[0],
        "perfect": cv.diagnose(truth(), truth()),
        "hostile": cv.diagnose(list(hostile), list(other), level=1),
    }


@display
def sampled_scores():
    points = inputs.points()
    kinds, pred = points["kind"].to_list(), points["ward"].to_list()
    known = dict(list(enumerate(kinds))[::2])
    pairs = [(k, k + 1, kinds[k] == kinds[k + 1]) for k in range(0, 30, 2)]
    return {
        "objects": cv.sampled_scores(known, pred, sample="objects", width=0.1),
        "pairs": cv.sampled_scores(pairs, pred, sample="pairs"),
    }


@display
def sample_size():
    table = cv.Contingency.from_labels(truth(), preds()["kmeans"])
    return cv.sample_size("ari", table, width=0.2, samples=100, random_state=1)


@display
def tuning():
    points = features()
    found = cv.tune("kmeans", points, values=range(2, 6), random_state=0)
    sure = cv.tune(
        "kmeans", points, values=[2, 3, 4], measures=["silhouette"], bootstrap=3, random_state=0
    )
    return {
        "kmeans": found,
        "choice": next(iter(found.choices.values())),
        "bootstrap": sure,
    }


@display
def selection():
    found = cv.select(
        features(),
        inputs.points()["kind"].to_list(),
        algorithms=["kmeans", "ward"],
        clusters=[2, 3],
        runs=2,
        random_state=0,
    )
    return {"selection": found, "best": found.best, "bound": found.bound}


@display
def benchmark():
    points, kinds = features(), np.array(inputs.points()["kind"].to_list())
    data = {"all": (points, kinds), "even": (points[::2], kinds[::2])}
    found = cv.benchmark(data, ["kmeans", "ward", "single"], runs=3)
    return {"benchmark": found, "score": found.scores[0], "pair": found.pairs[0]}


@display
def trees():
    found = cv.score_tree(inputs.points()["kind"], linkage(features(), "ward"), ["ari", "vi"])
    nested = {"first": [0, 0, 0, 1, 1, 1], "second": list("uuvwww")}
    named = cv.score_tree(list("aabbbb"), nested)
    return {"dendrogram": found, "taxonomy": named, "cut": named.cut, "best": found.best("vi")}


@display
def bound():
    kinds, seen = inputs.points()["kind"].to_list(), inputs.points()["seen"].to_numpy()
    found = cv.pac_mdl_bound(kinds, clusters("ward"), seen)
    paid = cv.pac_mdl_bound(
        kinds, clusters(), seen, language="mixture", runs=3, algorithms=2, searched=True
    )
    return {"simple": found, "mixture": paid, "constant": found.constant}


@display
def description_languages():
    return {"all": languages, "simple": languages["simple"].meaning}


@display
def distances():
    return {
        "vi": cv.distance_matrix(inputs.labelings()),
        "undefined": cv.distance_matrix([[0, 0, 0], [0, 0, 0], [0, 1, 2]], "nmi"),
    }


@display
def ensemble_itself():
    made = ensemble()
    return {"ensemble": made, "labelings": made.labelings, "spread": made.spread}


@display
def ensemble_parts():
    made = ensemble()
    return {
        "medoid": made.medoid,
        "stability": made.stability(),
        "diverse": made.diverse(3),
        "groups": made.groups(),
        "hierarchy": made.hierarchy(),
        "embedding": made.embedding(),
        "nearest": made.nearest(inputs.labelings()["a"], 2),
    }


@display
def consensus():
    return {
        "all": ensemble().consensus(starts=4),
        "mirkin": ensemble().consensus("mirkin", starts=4),
    }


@display
def ensemble_summary():
    return {
        "found": ensemble().summary(starts=4),
        "three": cv.Ensemble(preds("kmeans", "ward", "hdbscan")).summary(2, starts=4),
    }


@display
def desiderata():
    found = lab.desiderata(["rand", "purity", "dom_q2"], grid(), n=60)
    return {"desiderata": found, "list": found.steps()}


@display
def property_matrix():
    return lab.axioms(["vi", "purity"])


@display
def advice():
    return {
        "met": lab.advise(["metric", "different n"]),
        "lacking": lab.advise(["metric", "chance-adjusted"], lab.axioms(["vi", "ari"])),
    }


@display
def family():
    table = lab.expected_table(lab.family(2, 3, 1, error_useful=0.1, error_noise=0.2), 100)
    few = lab.Grid(**grid())
    return {"table": table, "grid": few, "points": "\n".join(map(str, few))}


@display
def evidence():
    points = inputs.points()
    found = cv.examine(
        {"kind": points["kind"].to_list()},
        {"kmeans": clusters(), "hdbscan": clusters("hdbscan")},
        features=features(),
        measures=["ari", "vi"],
        noise="drop",
        random_state=0,
    )
    return {"evidence": found, "silhouettes": found.silhouettes["kmeans"]}


@display
def report():
    found = cv.external_scores(truth(), preds(), measures=["ari", "vi"])
    results = {
        "Scores": found,
        "Wrong": cv.diagnose(truth(), preds()["ward"]),
        "Ranked": cv.rank_predictions(truth(), preds(), "ari", resamples=100, random_state=1),
        "Bound": cv.pac_mdl_bound(truth(), preds()["kmeans"], inputs.labels()["seen"]),
        "Distances": cv.distance_matrix(inputs.labelings()),
        "Compared": ensemble().summary(starts=4),
        "A number": 0.5,
        "Some": {"a": 1, "b": [1, 2.5]},
    }
    made = {}
    for name, result in results.items():
        try:
            built = cv.build_report({name: result}, title="Snapshot", command="snapshot")
        except cv.ClustervetError as error:
            made[name] = str(error)
        else:
            made[name] = Written(built)
    return made


class Written:
    """A report as JSON and as Markdown."""

    def __init__(self, report: Any) -> None:
        self.report = report

    def __repr__(self) -> str:
        from clustervet.report import render

        return render(self.report, "markdown")

    def to_dict(self) -> Any:
        return self.report.to_dict()


@display
def contingency():
    whole = cv.Contingency.from_labels(truth(), preds()["ward"])
    hostile, other = zip(*inputs.HOSTILE, strict=True)
    return {
        "whole": whole,
        "pairs": whole.pairs,
        "real": cv.Contingency.from_counts([[0.5, 0], [0.25, 7.125]]),
        "huge": cv.Contingency.from_counts({("cat", 0): 10**20, ("dog", 1): 7}),
        "wide": cv.Contingency.from_labels(
            [k % 40 for k in range(400)], [k % 31 for k in range(400)]
        ),
        "hostile": cv.Contingency.from_labels(list(hostile), list(other)),
    }


@display
def engine_table():
    frame = duckdb.sql("SELECT i % 2 AS y, i % 4 AS c FROM range(60) AS t(i)")
    table = cv.EngineTable.from_frame(frame, truth="y", pred="c")
    return {
        "table": repr(table),
        "scores": cv.external_scores(table, measures=["ari", "vi", "purity"]),
    }


@display
def measure_record():
    return {
        "record": dataclasses.replace(cv.measures["vi"], formula=len),
        "function": cv.variation_of_information.__doc__,
    }


@display
def measures_registry():
    return cv.measures


@display
def estimate():
    return {
        "estimate": cv.silhouette(features(), clusters(), sample=20, random_state=1),
        "silhouettes": cv.silhouettes(features(), clusters()),
    }


@display
def geometry():
    moments = cv.cluster_moments(inputs.points(), label="kmeans", features=["x1", "x2"])
    return {
        "geometry": cv.Geometry(features(), clusters()),
        "cosine": cv.Geometry(features(), clusters(), metric="cosine"),
        "moments": moments,
        "known": cv.Geometry.from_moments(moments),
    }


@display
def partition():
    p, q = Partition(preds()["kmeans"]), Partition(preds()["ward"])
    small = Partition(["a", "a", "b", "c"])
    return {
        "p": p,
        "meet": p & q,
        "join": p | q,
        "small": small,
        "geodesic": p.geodesic(q),
        "neighbours": small.nearest_neighbours(),
    }
