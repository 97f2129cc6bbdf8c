"""What a report says, before anything is rendered, and how it is written."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from report_cases import FEW, HOSTILE, labels_of

import clustervet as cv
from clustervet import plots
from clustervet.errors import FileError, ParameterError
from clustervet.evidence import examine
from clustervet.lab import axioms
from clustervet.plots.canvas import finish, new_figure
from clustervet.report import build_report, render, write_report
from clustervet.report.page import _prose
from clustervet.view import Result, Section, plain_table

SCHEMA = Path(__file__).parents[2] / "docs" / "report.schema.json"


@pytest.fixture(scope="module")
def evidence():
    truth, near = labels_of(["ash", "oak", "yew"], 150, 0.1, 0)
    _, far = labels_of(["ash", "oak", "yew"], 150, 0.6, 1)
    points = np.random.default_rng(0).normal(size=(150, 2)) + 5 * near[:, None]
    return examine({"tree": truth}, {"near": near, "far": far}, features=points, measures=FEW)


@pytest.fixture(scope="module")
def report(evidence):
    made = datetime(2024, 5, 6, 7, 8, tzinfo=UTC)
    return build_report(evidence, title="Trees", command="clustervet report t.csv", time=made)


def walk(sections: tuple[Section, ...]):
    for section in sections:
        yield section
        yield from walk(section.sections)


def test_the_verdict_says_who_is_ahead_and_whether_the_data_can_tell(evidence, report):
    first, second, *_ = report.verdict
    value = evidence.scores["near"]["adjusted_rand"]
    assert first.startswith("Of 2 clusterings near agrees best with tree")
    shown = float(re.search(r"adjusted Rand index (\S+)", first)[1])
    assert abs(shown - value) < 0.005
    assert second == "The data can tell: near is better than the other, at 0.95 confidence."
    assert any("beyond chance" in line for line in report.verdict)


def test_the_verdict_gives_the_score_once(evidence, report):
    said = " ".join(report.verdict)
    assert len(set(report.verdict)) == len(report.verdict)
    assert said.count("adjusted Rand") == 1
    assert said.count("bits apart") == 0
    assert evidence.diagnoses["near"].gist in report.verdict
    truth, near = labels_of(["ash", "oak", "yew"], 150, 0.1, 0)
    purity = build_report(examine(truth, near, measures=["purity"]))
    assert " ".join(purity.verdict).count("adjusted Rand") == 0
    # A clustering that is the truth has nothing to explain.
    same = build_report(examine(truth, truth, measures=FEW))
    assert "The clustering is the truth, cluster for class." in same.verdict


def every_text(report):
    """Every sentence that a report holds, wherever it stands."""
    yield from report.verdict
    yield from report.references
    yield report.title
    for section in walk(report.sections):
        yield section.title
        yield from (*section.paragraphs, *section.notes, *section.lead, *section.citations)
        for block in section.blocks:
            yield block.title


def test_every_sentence_is_one(report):
    made = [report, *(build_report(RESULTS[kind]()) for kind in RESULTS)]
    made += [build_report(EDGES[case]()) for case in EDGES]
    for one in made:
        for text in every_text(one):
            assert isinstance(text, str)
            assert text.strip()
            assert not re.search(r"\bNone\b", text), text
        assert "None" not in render(one, "markdown").replace("None of", "")


def test_what_was_sampled_is_told_in_the_report(monkeypatch):
    home = __import__("sys").modules[examine.__module__]
    for name, limit in (("LABELS", 100), ("CELLS", 5), ("MEASURED", 100), ("RESAMPLED_CELLS", 100)):
        monkeypatch.setattr(home, name, limit)
    truth, near = labels_of(["ash", "oak", "yew"], 150, 0.1, 0)
    points = np.random.default_rng(0).normal(size=(150, 2)) + 5 * near[:, None]
    found = examine(truth, {"a": near, "b": near[::-1]}, features=points, measures=FEW, sample=50)
    assert len(found.notes) >= 3
    report = build_report(found)
    (method,) = [section for section in report.sections if section.key == "method"]
    assert set(found.notes) <= set(method.notes)
    page, text = render(report, "html"), render(report, "markdown")
    for note in found.notes:
        assert note in text
        assert note in page.replace("&#39;", "'")


def test_equal_clusterings_cannot_be_told_apart(evidence):
    labels = evidence.summary.consensus.labels
    truth, _ = labels_of(["ash", "oak", "yew"], 150, 0.1, 0)
    same = examine(truth, {"a": labels, "b": labels}, measures=FEW)
    assert "The data cannot tell a from b at 0.95 confidence." in build_report(same).verdict


LINE = np.repeat([0, 1, 2], 8)
PLANE = np.random.default_rng(0).normal(size=(24, 2))
EDGES = {
    "one cluster": lambda: examine(LINE, {"a": LINE * 0}, features=PLANE, measures=FEW),
    "one each": lambda: examine(LINE, {"a": np.arange(24)}, features=PLANE, measures=FEW),
    "one object": lambda: examine([0], {"a": [0]}, measures=FEW),
    "real weights": lambda: examine(LINE, LINE, weights=np.full(24, 0.5), measures=FEW),
    "no direction": lambda: examine(LINE, {"a": LINE, "b": LINE}, measures="class_entropy"),
    "features": lambda: examine(None, {"a": LINE * 0, "b": LINE}, features=PLANE),
}


@pytest.mark.parametrize("case", list(EDGES))
def test_edges_make_reports(case):
    made = build_report(EDGES[case]())
    assert made.verdict or case == "one cluster"
    assert all(render(made, kind) for kind in ("html", "markdown", "json"))


def test_equal_values_share_the_lead():
    said = build_report(examine(LINE, {"a": LINE, "b": LINE + 5}, measures=FEW)).verdict
    assert said[0].startswith("Of 2 clusterings a and b agree best with truth: adjusted Rand")


def test_sections_come_in_the_order_of_the_questions(report):
    assert [section.title for section in report.sections] == [
        "The points",
        "Who is ahead",
        "What the features say",
        "Is there structure at all",
        "Where the clusters go wrong",
        "How the clusterings relate",
        "Every score",
        "Every score of the features",
        "How this was computed",
        "The measures and their formulas",
    ]


def test_numbers_are_those_of_the_evidence(evidence, report):
    tables = {table.key: table for table in report.tables}
    leaders = tables["ahead-leaders"]
    heads = [column.title for column in leaders.columns]
    place = heads.index("Adjusted Rand index\u00a0↑")
    score = evidence.scores["near"].score("adjusted_rand")
    cell = leaders.rows[0].cells[place]
    assert (cell.value, cell.low, cell.high) == (
        score.value,
        score.interval.low,
        score.interval.high,
    )
    assert cell.best
    clusters = tables["c0-clusters"]
    total = sum(row.cells[6].value for row in clusters.rows)
    assert total == pytest.approx(evidence.diagnoses["near"].vi)


def test_keys_are_unique_and_links_are_known(report):
    keys = [block.key for block in report.blocks()] + [s.key for s in walk(report.sections)]
    assert len(keys) == len(set(keys))
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", key) for key in keys)
    held = {table.key for table in report.tables}
    assert all(picture.table in held for picture in report.pictures if picture.table)


def test_every_row_is_as_wide_as_its_head(report):
    for table in report.tables:
        assert all(len(row.cells) == len(table.columns) for row in table.rows)


def test_references_and_reproduction(report):
    assert any(work.startswith("Holm, S. (1979).") for work in report.references)
    assert any(work.startswith("Meilă, M. (2007).") for work in report.references)
    made = report.reproduction
    assert made.command == "clustervet report t.csv"
    assert made.time == "2024-05-06 07:08 UTC"
    assert made.seed == "0"
    assert made.versions["numpy"] == np.__version__


def test_a_package_that_is_not_installed_has_the_version_that_it_says(evidence, monkeypatch):
    def unknown(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("clustervet.report.report.version", unknown)
    versions = build_report(evidence).reproduction.versions
    assert versions["numpy"] == np.__version__
    assert versions["clustervet"] == cv.__version__
    assert versions["scikit-learn"] == "unknown"


def test_json_fits_its_schema(report):
    plain = json.loads(report.to_json())
    jsonschema.validate(plain, json.loads(SCHEMA.read_text("utf-8")))
    assert plain["verdict"] == list(report.verdict)


def test_markdown_holds_the_same_verdict_and_tables(report):
    text = render(report, "markdown")
    assert text.startswith("# Trees\n")
    assert all(line in text for line in report.verdict)
    assert all(f"**{table.title}**" in text for table in report.tables)
    assert "clustervet report t.csv" in text


TRUTH, NEAR = labels_of(["ash", "oak", "yew"], 60, 0.2, 0)
FAR = labels_of(["ash", "oak", "yew"], 60, 0.6, 1)[1]
POINTS = np.random.default_rng(0).normal(size=(60, 2)) + 6 * (np.arange(60) % 3)[:, None]
RESULTS = {
    "card": lambda: cv.external_scores(TRUTH, NEAR, measures=FEW),
    "cards": lambda: cv.external_scores(TRUTH, {"a": NEAR, "b": FAR}, measures=FEW),
    "diagnosis": lambda: cv.diagnose(TRUTH, NEAR),
    "ranking": lambda: cv.rank_predictions(TRUTH, {"a": NEAR, "b": FAR}, random_state=0),
    "tuning": lambda: cv.tune("kmeans", POINTS, values=range(2, 5), random_state=0),
    "bound": lambda: cv.pac_mdl_bound(TRUTH, NEAR, labelled=range(0, 60, 2)),
    "summary": lambda: cv.Ensemble([NEAR, FAR, TRUTH]).summary(starts=1),
    "distances": lambda: cv.Ensemble([NEAR, FAR, TRUTH]).distances,
    "selection": lambda: cv.select(
        POINTS, TRUTH, algorithms=["kmeans"], clusters=range(2, 4), runs=1, random_state=0
    ),
}


@pytest.mark.parametrize("kind", list(RESULTS))
def test_any_result_makes_a_report(kind):
    report = build_report(RESULTS[kind]())
    assert report.tables
    assert "<h2" in render(report, "html")
    assert render(report, "markdown")
    jsonschema.validate(json.loads(report.to_json()), json.loads(SCHEMA.read_text("utf-8")))


def test_several_results_by_name_and_in_a_list():
    named = build_report({"first": RESULTS["bound"](), "second": RESULTS["diagnosis"]()})
    assert [section.title for section in named.sections] == ["first", "second"]
    assert named.verdict[0].startswith("With probability")
    assert named.verdict[-1].startswith("second: ")
    assert [section.folded for section in named.sections] == [False, True]
    listed = build_report([RESULTS["card"](), RESULTS["ranking"]()])
    assert [section.title for section in listed.sections][:2] == ["Scores", "Ranking"]


def test_the_laboratory_has_its_figures():
    matrix = axioms(["mirkin", "van_dongen"], ["n_invariance", "locality"])
    report = build_report(matrix)
    assert report.sections[0].title == "Properties of the measures"
    assert len(report.pictures) == 1
    assert report.tables[0].rows


def test_several_pieces_of_evidence_keep_apart(evidence):
    report = build_report({"first": evidence, "second": evidence, "bound": RESULTS["bound"]()})
    keys = [block.key for block in report.blocks()] + [s.key for s in walk(report.sections)]
    assert len(keys) == len(set(keys))
    held = {table.key: table for table in report.tables}
    assert all(picture.table in held for picture in report.pictures if picture.table)
    assert held["r1-c0-clusters"].rows[0].link.startswith("r1-p0|cluster:")
    assert render(report, "html")


@dataclass(frozen=True, repr=False)
class Toy(Result):
    """A result of a kind that the report does not know."""

    failures: dict[str, int]

    def columns(self):
        return {"measure": list(self.failures), "failures": list(self.failures.values())}

    def document(self):
        table = plain_table("toy-all", "Failures", self.columns())
        return Section("toy", "Toys", ("Two toys.",), (table,), notes=("A note.",), subject=self)


def test_a_new_kind_of_result_needs_nothing_but_itself_and_a_figure(tmp_path):
    @plots.figures.register
    def _(toy: Toy):
        figure = new_figure()
        figure.add_bar(y=list(toy.failures.values()))
        return [
            finish(
                figure, kind="toy", title="Jaccard fails least.", note="", theme="light", height=300
            )
        ]

    toy = Toy({"rand": 12, "jaccard": 3})
    report = build_report(toy)
    (table,), (picture,) = report.tables, report.pictures
    assert [column.kind for column in table.columns] == ["text", "number"]
    assert table.rows[0].cells[1].value == 12
    assert report.sections[0].notes == ("A note.",)
    assert picture.table == "toy-all"
    assert report.verdict == ("Jaccard fails least.",)
    assert "Jaccard fails least." in write_report(toy, tmp_path / "toy.html").read_text("utf-8")
    assert (
        repr(toy) == "Two toys.\nmeasure  failures\nrand           12\njaccard         3\nA note."
    )
    assert toy.to_csv() == "measure,failures\nrand,12\njaccard,3\n"
    assert json.loads(toy.to_json()) == {"failures": {"rand": 12, "jaccard": 3}}
    assert "| rand | 12 |" in toy.to_markdown()
    assert r"rand & 12 \\" in toy.to_latex()
    assert "<td>12</td>" in toy._repr_html_()
    assert toy.to_frame("polars").shape == (2, 2)


@pytest.mark.parametrize(
    ("results", "said"), [({}, "no results"), ([], "no results"), (3, "cannot be made of int")]
)
def test_refusals(results, said):
    with pytest.raises(ParameterError, match=said):
        build_report(results)


def test_hostile_names_are_text_in_markdown():
    truth, clusters = labels_of(list(HOSTILE), 80, 0.2, 0)
    named = dict.fromkeys(HOSTILE[:3], clusters)
    report = build_report(cv.external_scores(truth, named, measures=FEW), title=HOSTILE[0])
    text = render(report, "markdown")
    assert "<script" not in text
    assert "<img" not in text
    assert "](javascript" not in text
    assert "\x1b" not in text


def test_written_by_suffix(report, tmp_path):
    for name in ("a.html", "a.md", "a.json"):
        path = write_report(report, tmp_path / name)
        assert path.read_text("utf-8")
        assert stat.S_IMODE(path.stat().st_mode) & 0o400
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["title"] == "Trees"
    assert write_report(report, tmp_path / "plain", format="json").exists()
    assert sorted(os.listdir(tmp_path)) == ["a.html", "a.json", "a.md", "plain"]


def test_wrong_names_and_options(report, tmp_path):
    with pytest.raises(ParameterError, match=r"must end in .html, .md or .json, not in '.pdf'"):
        write_report(report, tmp_path / "a.pdf")
    with pytest.raises(ParameterError, match="format must be"):
        write_report(report, tmp_path / "a.html", format="pdf")
    with pytest.raises(ParameterError, match="theme must be"):
        write_report(report, tmp_path / "a.html", theme="pink")
    with pytest.raises(FileError, match="is no folder"):
        write_report(report, tmp_path / "none" / "a.html")
    assert os.listdir(tmp_path) == []


def test_a_failed_report_leaves_the_old_file(report, tmp_path, monkeypatch):
    path = tmp_path / "a.md"
    path.write_text("old")
    with pytest.raises(ParameterError):
        write_report(3, path)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FileError, match="No space left"):
        write_report(report, path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.md"]


def test_a_full_disk_is_a_clear_error(report):
    with pytest.raises(FileError, match=r"/dev/full cannot be written: No space left on device\."):
        write_report(report, "/dev/full", format="json")


def test_a_folder_that_cannot_be_written_is_a_clear_error(report, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("os.open", refused)
    with pytest.raises(FileError, match=r"a.md cannot be written: Read-only file system\."):
        write_report(report, tmp_path / "a.md")


def text_of(report):
    return render(report, "markdown")


def test_objects_that_were_dropped_are_told():
    truth = ["a", "b"] * 30
    late = [None, None, None, *([0, 1] * 30)[3:]]
    noisy = [*([0, 1] * 30)[:50], *[-1] * 10]
    preds = {"late": late, "noisy": noisy}
    found = examine(truth, preds, measures=FEW, noise="drop", missing="drop")
    report = build_report(found)
    assert report.subject.endswith("60 objects, 50 to 57 of them scored")
    (said,) = [line for line in report.verdict if "dropped" in line]
    assert "of 60 objects 57 are scored for late and 50 are scored for noisy" in said
    assert said.endswith("compared on 47 that all of them label.")
    leaders = report.tables[0]
    place = [column.title for column in leaders.columns].index("objects")
    assert {row.cells[place].value for row in leaders.rows} == {57, 50}
    assert said in leaders.note
    notes = " ".join(next(s for s in report.sections if s.key == "method").notes)
    assert "late drops 3 objects with a missing label and is scored on 57" in notes
    assert "noisy drops 10 objects of noise and is scored on 50" in notes
    assert "the distances between them on 47 objects" in notes


def test_no_column_of_objects_where_none_was_dropped(report):
    assert "objects" not in [column.title for column in report.tables[0].columns]
    assert report.subject.endswith("; 150 objects")


def test_long_names_are_told_apart_by_their_ends():
    truth, labels = labels_of(["ash", "oak"], 40, 0.2, 0)
    names = [f"a clustering with a rather long name, run {k}" for k in range(14)]
    report = build_report(examine(truth, dict.fromkeys(names, labels), measures=["purity"]))
    shown = [row.cells[0].text for row in report.tables[0].rows]
    assert len(set(shown)) == 14
    assert all(any(text.endswith(f"run {k}") for k in range(14)) for text in shown)


def test_names_of_features_and_one_clustering_alone():
    points = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 23)))
    report = build_report(examine(None, {"a": [0, 1, 2] * 10}, features=points))
    assert [section.title for section in report.sections[:2]] == ["The points", "How good it is"]
    assert report.sections[1].paragraphs[0].startswith("23 features: 0, 1, 2")
    assert report.sections[1].paragraphs[0].endswith("19 and 3 more.")
    assert report.subject == "a against its features; 30 objects"


def test_names_from_right_to_left_are_isolated_in_sentences_alone():
    truth, labels = labels_of(["وردي", "أحمر"], 40, 0.2, 0)
    report = build_report(examine(truth, {"عنقود": labels, "b": labels[::-1]}, measures=FEW))
    assert "clusterings \u2068عنقود\u2069 and b agree best" in report.verdict[0]
    assert report.tables[0].rows[0].cells[0].text == "عنقود"
    page = render(report, "html")
    assert "class \u2068" in page or "of \u2068" in page
    assert "\u2068\u2068" not in page


def test_the_ranking_says_what_its_intervals_are(report):
    note = next(table.note for table in report.tables if table.key == "ahead-pairs")
    assert "150 objects left out one by one" in note
    assert "is for its pair alone" in note


def test_only_the_page_says_what_can_be_seen_and_done_there(report):
    for words in ("is marked wherever", "A dot marks", "Brackets hold the interval"):
        assert words not in text_of(report)
        assert words not in report.to_json()
        assert words in render(report, "html")


def test_the_verdict_on_a_tuning_has_its_suggestion():
    report = build_report(RESULTS["tuning"]())
    assert any(re.match(r"(No s|S)uggestion: ", line) for line in report.verdict)


def test_words_from_right_to_left_stay_where_they_are():
    """A mark before and one after such words keeps the order of those around them."""
    start, end = "\u2068", "\u2069"
    assert _prose("plain, and é") == "plain, and é"
    assert _prose("class שלום is 5") == f"class {start}שלום{end} is 5"
    marked = f"class {start}שלום{end} is 5"
    assert _prose(marked) == marked
