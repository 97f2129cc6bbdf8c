"""Commands with `--metric gower`: columns of text and dates are features."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import clustervet as cv

RNG = np.random.default_rng(0)
GROUP = RNG.integers(3, size=90)
FRAME = pd.DataFrame(
    {
        "id": np.arange(90),
        "age": np.array([20, 45, 70])[GROUP] + RNG.normal(0, 4, 90).round(1),
        "city": np.array(["Oslo", "Rome", "Bern"])[GROUP],
        "member": RNG.random(90) < 0.5,
        "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 900, 90), "D"),
        "c": GROUP,
    }
)
COLUMNS = ["age", "city", "member", "joined"]
EXPECTED = cv.silhouette(FRAME[COLUMNS], GROUP, metric="gower")
GOWER = ("--metric", "gower")


@pytest.fixture(params=["csv", "parquet", "jsonl"])
def table(request, tmp_path):
    """The table in a file."""
    path = tmp_path / f"table.{request.param}"
    if request.param == "parquet":
        FRAME.to_parquet(path)
    elif request.param == "csv":
        FRAME.to_csv(path, index=False)
    else:
        text = FRAME.assign(joined=FRAME["joined"].dt.strftime("%Y-%m-%d"))
        text.to_json(path, orient="records", lines=True)
    return str(path)


def test_score_reads_text_and_dates(run, table):
    ran = run("score", table, "--pred", "c", *GOWER, "-m", "silhouette,ssq", "-f", "json")
    assert ran.code == 0, ran.err
    assert "features are age, city, member, joined; left out: id (an index)." in ran.err
    data = json.loads(ran.out)
    assert data["metric"] == "gower"
    assert data["features"] == 4
    assert data["scores"][0]["value"] == pytest.approx(EXPECTED, rel=1e-9)
    assert data["scores"][1]["why_undefined"].startswith("it needs numbers")
    assert "dates: joined; categories: city." in data["remarks"][1]


def test_score_takes_the_columns_that_are_named(run, table):
    asked = ("--features", "city,age", "--pred", "c", "-m", "silhouette", "-f", "json")
    ran = run("score", table, *asked, *GOWER, "--memory-limit", "1GB")
    assert ran.code == 0, ran.err
    wanted = cv.silhouette(FRAME[["city", "age"]], GROUP, metric="gower")
    assert json.loads(ran.out)["scores"][0]["value"] == pytest.approx(wanted, rel=1e-9)


def test_files_that_an_id_joins(run, tmp_path):
    FRAME[["id", *COLUMNS]].to_csv(tmp_path / "points.csv", index=False)
    FRAME[["id", "c"]].iloc[::-1].to_csv(tmp_path / "clusters.csv", index=False)
    files = [str(tmp_path / name) for name in ("points.csv", "clusters.csv")]
    asked = ("--id", "id", "--features", ",".join(COLUMNS), "--pred", "c", *GOWER)
    ran = run("score", *files, *asked, "-m", "silhouette", "-f", "json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["scores"][0]["value"] == pytest.approx(EXPECTED, rel=1e-9)


def test_tune_stability_and_tendency_take_gower(run, table):
    asked = (table, "--exclude", "c", *GOWER, "--seed", "0")
    ran = run("tune", *asked, "--k", "2..5", "--references", "0", "-f", "json")
    assert ran.code == 0, ran.err
    wanted = cv.tune("average", FRAME[COLUMNS], values=[2, 3], metric="gower", references=0)
    curve = json.loads(ran.out)["measures"][1]["curve"]
    assert curve[:2] == pytest.approx(list(wanted.curves["silhouette"]))
    ran = run("stability", *asked, "--k", "3", "--samples", "5")
    assert ran.out.startswith("average, n_clusters 3"), ran.err
    ran = run("tendency", *asked)
    assert "90 points, gower distances" in ran.out, ran.err


def test_report_shows_the_shares_of_categories(run, table, tmp_path):
    page = tmp_path / "page.md"
    ran = run("report", table, "--pred", "c", *GOWER, "-o", str(page))
    assert ran.code == 0, ran.err
    shown = page.read_text(encoding="utf-8")
    assert "city = Oslo" in shown
    assert "manhattan" not in shown
    assert "Gower's distance reads numbers: age, member; dates: joined; categories: city." in shown


def test_what_does_not_go_with_gower_ends_with_one_sentence(run, table, tmp_path):
    for command, said in {
        ("score", "--pred", "c", "--standardize"): "--standardize does not go with --metric gower",
        ("score", "--pred", "c", "--engine", "duckdb"): "--metric goes with one file that is read",
        (
            "tune",
            "-e",
            "kmeans",
        ): "kmeans knows no Gower distances; with --metric gower take one of",
    }.items():
        ran = run(command[0], table, *command[1:], *GOWER)
        assert ran.code == 2
        assert said in ran.err
        assert ran.err.count("\n") == 1


def test_a_text_id_is_refused_by_its_name_and_file(run, tmp_path):
    path = tmp_path / "named.csv"
    FRAME.assign(name=[f"n{k}" for k in range(90)]).to_csv(path, index=False)
    ran = run("score", str(path), "--pred", "c", *GOWER)
    assert ran.code == 2
    assert "named.csv has another value in each row" in ran.err
    assert run("score", str(path), "--pred", "c", *GOWER, "--exclude", "name").code == 0


def test_a_missing_text_is_refused(run, tmp_path):
    path = tmp_path / "gap.csv"
    path.write_text("a,b,c\n1,x,0\n2,,0\n3,y,1\n", encoding="utf-8")
    ran = run("score", str(path), "--pred", "c", *GOWER)
    assert ran.code == 2
    assert "gap.csv has no value in row 2; mend it" in ran.err


def test_text_that_looks_like_dates_but_is_none_is_text(run, tmp_path):
    path = tmp_path / "days.csv"
    path.write_text("d,c\n2020-02-30,0\n2020-02-30,0\n2020-03-01,1\n", encoding="utf-8")
    ran = run("score", str(path), "--pred", "c", *GOWER)
    assert ran.code == 0
    assert "categories: d." in ran.out


@pytest.mark.parametrize("command", ["score", "tune", "tendency", "stability"])
def test_text_under_another_metric_names_gower(run, table, command):
    more = {"score": ("--pred", "c"), "stability": ("--k", "2")}.get(command, ())
    ran = run(command, table, "--features", "age,city", *more)
    assert ran.code == 2
    assert "--metric gower" in ran.err
