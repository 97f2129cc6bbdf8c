from __future__ import annotations

import json

import jsonschema

from clustervet.datasets import iris_path

IRIS = str(iris_path())
SCHEMA = json.loads(
    (iris_path().parents[3] / "docs" / "scorecard.schema.json").read_text(encoding="utf-8")
)
SURE = ["--confidence", "0.95", "--resamples", "200", "--seed", "1"]


def test_several_predictions_end_with_a_ranking_that_shows_ties(run):
    preds = [x for name in ("kmeans", "ward", "mixture", "dbscan") for x in ("-p", name)]
    done = run("score", IRIS, "-t", "species", *preds, "-m", "ari", *SURE)
    assert done.code == 0
    assert "0.95 confidence intervals, each object left out in turn" in done.out
    assert done.out.splitlines()[-1] == (
        "By adjusted_rand, at 0.95 confidence: mixture > kmeans = ward > dbscan "
        "(= where the data cannot tell)"
    )


def test_the_seed_repeats_the_answer(run):
    call = ("score", IRIS, "-t", "species", "-p", "ward", "-m", "vi", *SURE)
    assert run(*call).out == run(*call).out


def test_json_holds_intervals_ranking_and_diagnoses(run):
    done = run(
        "score",
        IRIS,
        *("-t", "species", "-p", "ward", "-p", "dbscan", "-m", "vi", "-m", "ari"),
        *SURE,
        "--diagnose",
        *("-f", "json"),
    )
    data = json.loads(done.out)
    jsonschema.validate(data, SCHEMA)
    assert [score["measure"] for score in data["cards"][0]["scores"]] == [
        "variation_of_information",
        "adjusted_rand",
    ]
    assert data["ranking"]["measure"] == "variation_of_information"
    assert set(data["diagnoses"]) == {"ward", "dbscan"}
    assert data["diagnoses"]["ward"]["verdict"].startswith("Moderate agreement")


def test_a_ranking_on_fewer_objects_says_so(run):
    done = run(
        *("score", IRIS, "-t", "species", "-p", "ward", "-p", "dbscan", "-m", "ari"),
        *SURE,
        *("--noise", "drop"),
    )
    assert "on the 124 objects that all label" in done.out


def test_a_verdict_follows_the_card(run):
    done = run("score", IRIS, "-t", "species", "-p", "mixture", "-m", "ari", "--diagnose")
    assert "Excellent agreement: adjusted Rand 0.904" in done.out


def test_a_file_is_written_in_the_format_of_its_name(run, tmp_path):
    for name, start in (
        ("a.json", "{"),
        ("a.csv", "truth,"),
        ("a.md", "150 objects"),
        ("a", "150"),
    ):
        path = tmp_path / name
        run("score", IRIS, "-t", "species", "-p", "ward", "-o", str(path))
        assert path.read_text(encoding="utf-8").startswith(start)


def test_what_is_no_confidence_is_refused_in_one_line(run):
    done = run("score", IRIS, "-t", "species", "-p", "ward", "--confidence", "95")
    assert done.code == 2
    assert done.err == "clustervet: --confidence must lie between 0 and 1, not 95.0.\n"


def test_a_measure_of_ones_own_joins_the_card(run, refused, tmp_path, monkeypatch):
    import clustervet as cv

    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_measures.py").write_text(
        "import clustervet as cv\n"
        "@cv.measure(title='Largest', family='mine', better='lower', bounds=(0, 1))\n"
        "def largest_share(table):\n"
        "    return float(table.cluster_sizes.max() / table.n)\n"
        "plain = 3\n",
        encoding="utf-8",
    )
    call = ("score", IRIS, "-t", "species", "-p", "ward", "-m", "ari", "--measure")
    try:
        assert "largest_share" in run(*call, "my_measures:largest_share").out
        assert "is no measure" in refused(*call, "my_measures:plain")
        assert "cannot be loaded" in refused(*call, "my_measures:absent")
        assert "module:function" in refused(*call, "my_measures")
    finally:
        cv.measures.remove("largest_share")
