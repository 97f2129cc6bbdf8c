"""Everything asked once, gathered, and each part as its own room gives it."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest

import clustervet as cv
from clustervet.errors import LabelError, ParameterError
from clustervet.evidence import examine
from clustervet.evidence import examine as asked
from clustervet.internal.silhouette import silhouettes

FEW = ["adjusted_rand", "variation_of_information", "purity"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 120)
    points = rng.normal(size=(120, 2)) + 6 * truth[:, None]
    near = np.where(rng.random(120) < 0.9, truth, rng.integers(0, 3, 120))
    far = rng.integers(0, 4, 120)
    return truth, {"near": near, "far": far}, points


@pytest.fixture(scope="module")
def found(data):
    truth, preds, points = data
    return examine(truth, preds, features=points, measures=FEW)


def test_parts_are_those_of_their_own_rooms(data, found):
    truth, preds, points = data
    for name, labels in preds.items():
        table = cv.Contingency.from_labels(truth, labels)
        assert found.scores[name]["adjusted_rand"] == cv.adjusted_rand(table)
        assert found.scores[name].subject.pred == name
        assert found.diagnoses[name].to_dict() == cv.diagnose(table).to_dict()
        assert found.tables[name].n == 120
        assert found.silhouettes[name].overall == silhouettes(points, labels).overall
        assert found.inner[name]["silhouette"] == cv.silhouette(points, labels)
        assert found.chances[name]["purity"].value == cv.purity(table)
    assert found.ranking.groups[0] == ["near"]
    assert found.summary.names == ("near", "far")
    assert found.notes == ()


def test_every_score_has_an_interval_around_it(found):
    for card in found.scores.values():
        for score in card.scores.values():
            assert score.interval.confidence == 0.95
            assert score.interval.low <= score.interval.high


def test_each_cluster_is_described_where_there_are_few_points(found, data, monkeypatch):
    truth, preds, points = data
    assert found.distances["far"].sizes.tolist() == list(found.silhouettes["far"].sizes.values())
    table = found.clustering("near").document().tables[-1]
    assert [column.title for column in table.columns][2:6] == [
        "silhouette",
        "diameter",
        "mean distance",
        "widest gap",
    ]
    monkeypatch.setattr(sys.modules["clustervet.evidence.examine"], "SPANNED", 10)
    assert cv.examine(truth, preds, features=points).distances == {}


def test_the_record_is_plain_data(found):
    plain = json.loads(found.to_json())
    parts = {
        "scores": found.scores.to_dict(),
        "chance": {
            name: {key: level.to_dict() for key, level in levels.items()}
            for name, levels in found.chances.items()
        },
        "ranking": found.ranking.to_dict(),
        "diagnoses": {name: one.to_dict() for name, one in found.diagnoses.items()},
        "internal": found.inner.to_dict(),
        "silhouettes": {name: one.to_dict() for name, one in found.silhouettes.items()},
        "distances": {name: one.to_dict() for name, one in found.distances.items()},
        "tendency": found.tendency.to_dict(),
        "ensemble": found.summary.to_dict(),
        "profiles": found.points.profiles.to_dict(),
    }
    assert plain == {
        "schema": "clustervet/evidence/1",
        "predictions": ["near", "far"],
        "truth": "truth",
        "objects": 120,
        "confidence": 0.95,
        "random_state": 0,
        **json.loads(json.dumps(parts)),
        "dropped": {},
        "features": [],
        "notes": [],
    }
    shown = plain["scores"]["cards"][0]["scores"][0]
    assert shown["value"] == found.scores["near"]["adjusted_rand"]
    assert all(plain[part] for part in parts)
    assert "near, far against truth and their features; 120 objects" in repr(found)


def test_the_same_seed_gives_the_same_evidence(data, found):
    truth, preds, points = data
    again = examine(truth, preds, features=points, measures=FEW)
    assert again.to_json() == found.to_json()


def test_features_alone(data):
    _, preds, points = data
    found = examine(None, preds["near"], features=points)
    assert found.truth is None
    assert found.scores is None
    assert found.names == ("pred",)
    assert found.objects == 120
    assert "silhouette" in found.inner["pred"]
    assert not found.tables


def test_points_without_structure_are_named_on_the_first_screen():
    rng = np.random.default_rng(0)
    uniform = rng.uniform(size=(200, 2))
    found = examine(None, (uniform[:, 0] > 0.5).astype(int), features=uniform)
    assert found.tendency.to_dict() == cv.tendency(uniform).to_dict()
    assert found.tendency.verdict in found.document().lead
    assert "Is there structure at all" in [part.title for part in found.document().sections]


def test_points_with_structure_get_a_section_and_no_caution(found):
    assert found.tendency.answer == "clusters"
    assert found.tendency.verdict not in found.document().lead


def test_too_few_points_for_structure_are_a_note():
    found = examine(None, [0, 0, 1, 1], features=[[0.0], [1], [8], [9]])
    assert found.tendency is None
    assert any("at least 10 points are needed" in note for note in found.notes)


def test_finished_tables_leave_out_what_needs_labels(data):
    truth, preds, _ = data
    tables = {name: cv.Contingency.from_labels(truth, labels) for name, labels in preds.items()}
    found = examine(None, tables, measures=FEW)
    assert found.ranking is None
    assert found.summary is None
    assert found.scores["near"]["purity"] == cv.purity(tables["near"])
    assert "finished tables" in found.notes[0]


def test_weights_leave_out_the_ranking(data):
    truth, preds, _ = data
    found = examine(truth, preds, measures=FEW, weights=np.full(120, 2))
    assert found.ranking is None
    assert found.objects == 240
    assert any("no ranking" in note for note in found.notes)


def test_real_weights_leave_out_intervals_and_say_so(data):
    truth, preds, _ = data
    found = examine(truth, preds["near"], measures=FEW, weights=np.full(120, 0.5))
    assert found.scores["pred"].score("purity").interval is None
    assert any(note.startswith("Left out: intervals") for note in found.notes)


def test_weights_are_not_of_the_features_and_that_is_said(data):
    truth, preds, points = data
    found = examine(truth, preds["near"], features=points, measures=FEW, weights=np.full(120, 2))
    assert found.inner["pred"]["ssq"] == cv.ssq(points, preds["near"])
    assert any("by the features every object counts once" in note for note in found.notes)


def test_a_clustering_may_be_called_truth(data):
    truth, preds, _ = data
    found = examine(truth, {"truth": preds["near"], "b": preds["far"]}, measures=FEW)
    assert found.summary.names == ("truth", "b")
    assert any("the ranking" in note for note in found.notes)


def test_many_objects_are_drawn_and_the_notes_say_so(data, monkeypatch):
    truth, preds, points = data
    home = __import__("sys").modules[asked.__module__]
    monkeypatch.setattr(home, "LABELS", 100)
    monkeypatch.setattr(home, "CELLS", 5)
    monkeypatch.setattr(home, "MEASURED", 100)
    monkeypatch.setattr(home, "RESAMPLED_CELLS", 100)
    found = examine(truth, preds, features=points, measures=FEW, sample=50)
    assert found.ranking.objects == 50
    assert found.summary.objects == 50
    assert len(found.silhouettes["near"].points) == 50
    assert found.inner["near"].subject.objects == 50
    assert found.scores["near"]["purity"] == cv.purity(truth, preds["near"])
    said = " ".join(found.notes)
    assert "50 of the 120 objects were drawn at random for the ranking" in said
    assert "200 resampled tables" in said


def test_a_sample_is_as_large_as_the_number_of_labels_allows(monkeypatch):
    home = __import__("sys").modules[asked.__module__]
    monkeypatch.setattr(home, "LABELS", 4_400)
    truth = np.arange(2_500) % 3
    preds = {"a": truth, "b": truth // 2}
    found = examine(truth, preds, measures=["purity"], sample=2_400)
    assert found.ranking.objects == 2_200  # 4,400 labels of two clusterings
    assert "2,200 of the 2,500 objects were drawn at random for the ranking." in found.notes
    monkeypatch.setattr(home, "LABELS", 100)
    found = examine(truth, preds, measures=["purity"], sample=2_400)
    assert found.ranking.objects == 2_000  # never fewer, unless the sample is smaller


@pytest.mark.parametrize(
    ("measures", "leading"),
    [
        (["purity", "vi", "rand"], "purity"),
        (["class_entropy", "vi", "purity"], "vi"),
        (["purity", "adjusted_rand"], "adjusted_rand"),
    ],
)
def test_the_first_measure_with_a_direction_ranks_unless_adjusted_rand_is_there(measures, leading):
    found = examine([0, 0, 1, 1] * 8, {"a": [0, 1] * 16, "b": [0, 0, 1, 2] * 8}, measures=measures)
    key = cv.measures[leading].key
    assert found.ranking.measure == found.headline == key


def test_one_truth_by_name(data):
    truth, preds, _ = data
    found = examine({"kind": truth}, preds["near"], measures=FEW)
    assert found.truth == "kind"


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: examine(None, {"a": [0, 1]}), ParameterError, "give a truth, or features"),
        (lambda: examine([0, 1], {}), ParameterError, "empty mapping"),
        (lambda: examine([0, 1], None), ParameterError, "give the clusterings, as labels or as"),
        (lambda: examine([0, 1], {"a": [0, 1, 1]}), LabelError, "must label the same objects"),
        (lambda: examine({"x": [0], "y": [1]}, {"a": [0]}), ParameterError, "one truth"),
        (lambda: examine([0, 1], {"a": [0, 1]}, confidence=2), ParameterError, "confidence"),
        (
            lambda: examine([0, 1], {"a": cv.Contingency.from_counts([[1]])}),
            ParameterError,
            "hold the truth already",
        ),
        (
            lambda: examine(None, {"a": cv.Contingency.from_counts([[1]]), "b": [0]}),
            ParameterError,
            "all be labels or all be tables",
        ),
    ],
)
def test_refusals(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_what_each_clustering_drops():
    preds = {"a": [0, 1, None, -1, 0, 1], "b": [0, 0, 0, 1, 1, 1]}
    found = examine([0, None, 0, 1, 1, 1], preds, measures=FEW, noise="drop", missing="drop")
    assert found.objects == 6
    plain = json.loads(found.to_json())["dropped"]
    assert plain["a"] == {"missing": 2, "noise": 1, "kept": 3}
    assert plain["b"] == {"missing": 1, "noise": 0, "kept": 5}
    assert {name: table.n for name, table in found.tables.items()} == {"a": 3, "b": 5}


@pytest.mark.parametrize(("kept", "said"), [(0, "5 to 6"), (-1, "5")])
def test_of_many_clusterings_the_range_of_objects_is_told(kept, said):
    preds = {f"p{k}": [0, 1, 0, -1, 0, 1] for k in range(4)} | {"last": [0, 1, 0, kept, 0, 1]}
    found = examine([0, 0, 0, 1, 1, 1], preds, measures=FEW, noise="drop")
    (ahead,) = [part for part in found.document().sections if part.key == "ahead"]
    assert ahead.tables[0].note.startswith(
        "Objects whose label is noise were dropped: of 6 objects each clustering is scored on "
        f"{said}; they are compared on 5 that all of them label."
    )


def test_one_clustering_is_a_result_of_its_own(data, found):
    one = found.clustering("near")
    assert one.columns() == found.diagnoses["near"].columns()
    assert one.document().paragraphs == (found.diagnoses["near"].verdict,)
    _, preds, points = data
    alone = examine(None, preds, features=points).clustering("near")
    widths = silhouettes(points, preds["near"])
    assert alone.columns() == {
        "cluster": ["0", "1", "2"],
        "size": list(widths.sizes.values()),
        "silhouette": list(widths.clusters.values()),
    }
    document = alone.document()
    assert (document.key, document.title, len(document.tables)) == ("clustering", "near", 1)


def test_where_no_cluster_can_be_looked_at_no_section_is_about_clusters(data):
    points = data[2]
    found = examine(None, {"one": np.zeros(len(points), int)}, features=points)
    assert found.diagnoses == found.silhouettes == {}
    keys = [part.key for part in found.document().sections]
    assert keys == ["points", "features", "tendency", "inner", "method"]


@pytest.mark.parametrize("noisy", [[0, 0, 1, 1, -1], ["0", "0", "1", "1", "-1"]])
def test_a_label_of_noise_that_is_scored_as_a_cluster_is_told(noisy):
    preds = {"a": noisy, "b": [0, 0, 1, 1, 1]}
    found = examine([0, 0, 1, 1, 1], preds, measures=FEW)
    (line,) = found.cautions()
    assert line.startswith("Label -1 is scored as one cluster of a (1 of 5 objects); noise='drop'")
    assert line in repr(found)
    assert line in found.to_dict()["notes"]
    for noise in ("keep", "singletons"):
        other = examine([0, 0, 1, 1, 1], preds, measures=FEW, noise=noise)
        assert other.cautions() == []
        assert "Label -1" not in repr(other)


def test_a_sample_for_measures_of_features_is_named(data, monkeypatch):
    truth, preds, points = data
    module = sys.modules["clustervet.evidence.examine"]
    monkeypatch.setattr(module, "MEASURED", 100)
    found = examine(truth, preds, features=points, measures=FEW, sample=60, random_state=0)
    said = "60 of the 120 points were drawn at random for the measures of features."
    assert said in found.notes


@pytest.mark.parametrize("kind", [list, pd.DataFrame])
def test_a_sample_of_features_of_any_kind_is_the_same(data, monkeypatch, kind):
    _, preds, points = data
    module = sys.modules["clustervet.evidence.examine"]
    monkeypatch.setattr(module, "MEASURED", 100)
    given = points.tolist() if kind is list else kind(points)
    ask = {"sample": 40, "random_state": 0}
    one, other = (examine(None, preds["near"], features=each, **ask) for each in (points, given))
    assert one.inner.to_json() == other.inner.to_json()


def test_files_say_how_they_were_read(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("kind\na\nb\nb\na\n", encoding="utf-8")
    _, remarks = cv.examine_files(str(path), "kind", "kind", measures=["rand"])
    assert remarks == [
        f"the first line of {path}, kind, is taken as a name; with --no-header it is a label."
    ]
    with pytest.raises(ParameterError, match=r"^features goes with one table, or with files that"):
        cv.examine_files([str(path), str(path)], "kind", "kind", features=["x"])


def test_a_single_cluster_has_no_rows_of_clusters():
    points = np.random.default_rng(0).normal(size=(6, 2))
    found = cv.examine(None, {"a": [0] * 6}, features=points)
    assert found.clustering("a").columns() == {"cluster": [], "size": [], "silhouette": []}


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_a_generator_gives_one_seed_for_all(kind):
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 3, (2, 90))
    first, again = (cv.examine(truth, {"a": pred, "b": truth}, random_state=kind(5)) for _ in "12")
    assert isinstance(first.random_state, int)
    assert first.to_dict() == again.to_dict()
    with pytest.raises(cv.ClustervetError, match="random_state must be None, a whole number"):
        cv.examine(truth, pred, random_state="five")


MENTIONS = {
    "key": ["a", "a", "b", "b", None, "c"] * 4,
    "near": [1, 1, None, 2, 2, 3] * 4,
    "far": [1, 2, 1, None, 2, 3] * 4,
}


def test_objects_of_one_clustering_alone():
    truth, near, far = MENTIONS.values()
    found = examine(truth, {"near": near, "far": far}, missing="absent", family="coreference")
    for name, labels in (("near", near), ("far", far)):
        for key in ("conll_f1", "lea_f1"):
            right = cv.measures[key](truth, labels, missing="absent")
            assert found.scores[name][key] == right
    assert found.ranking is None
    assert found.summary is None
    said = "With missing='absent' clusterings have objects of their own: they are not compared"
    assert [note.partition(" with each")[0] for note in found.notes] == [said]
    usual = examine(truth, near, missing="absent").scores["pred"].scores.values()
    assert usual
    assert all(score.measure.partial and not np.isnan(score.value) for score in usual)
    asked = examine(truth, near, missing="absent", measures=["rand"])
    assert np.isnan(asked.scores["pred"]["rand"])


def test_features_are_of_the_points_that_a_clustering_has():
    truth, near, _ = MENTIONS.values()
    points = np.random.default_rng(0).normal(size=(24, 2))
    found = examine(truth, near, features=points, missing="absent")
    kept = [k for k, label in enumerate(near) if label is not None]
    right = cv.silhouette(points[kept], [near[k] for k in kept])
    assert found.inner["pred"]["silhouette"] == pytest.approx(right)


def test_other_models_of_chance(data):
    truth, preds, points = data
    found = examine(truth, preds["far"], measures=["jaccard"], chance="number_one_sided")
    level = found.chances["pred"]["jaccard"]
    right = cv.chance("jaccard", truth, preds["far"], model="number_one_sided", random_state=0)
    assert (level.model, level.value) == (right.model, right.value)
    method = found.document().sections[-1]
    assert any("where the truth is fixed" in note for note in method.notes)
    some = examine(truth, preds["far"], measures=["jaccard", "purity"], chance="all")
    assert list(some.chances["pred"]) == ["jaccard", "purity"]
    plain = examine(truth, preds["far"], measures=["jaccard", "purity"])
    assert list(plain.chances["pred"]) == ["purity"]
    for option in ({"chance": "sizes"}, {"family": "pairs"}):
        with pytest.raises(ParameterError, match="goes with truth"):
            examine(None, preds["far"], features=points, **option)
    with pytest.raises(ParameterError, match="no null model"):
        examine(truth, preds["far"], chance="often")
    with pytest.raises(ParameterError, match="names no measure that compares labels"):
        examine(truth, preds["far"], family="compactness")
