"""Several shares of labelled points (Banerjee & Langford 2004, figs. 4 and 5), and eq. 1."""

from __future__ import annotations

import math

import numpy as np
import pytest

import clustervet as cv
from clustervet import plots
from clustervet.errors import ParameterError
from clustervet.pacmdl import bmax, language, languages

RNG = np.random.default_rng(3)
X = np.concatenate([RNG.normal(place, 1.3, (50, 2)) for place in ((0, 0), (5, 0), (0, 5))])
Y = np.repeat(["a", "b", "c"], 50)
SHARES = [0.1, 0.3, 0.5, 0.7, 0.9]
OPTIONS = {"algorithms": ["kmeans", "ward"], "clusters": [2, 3, 4], "runs": 3}


def test_each_share_is_the_selection_of_that_share_alone():
    several = cv.select(X, Y, **OPTIONS, train=SHARES)
    assert list(several) == SHARES
    for share, one in several.items():
        alone = cv.select(X, Y, **OPTIONS, train=share)
        assert one.to_json() == alone.to_json()
        assert one.study.train_size == round(share * 150)


def test_fits_are_made_once(tmp_path):
    journal = tmp_path / "run.db"
    cv.select(X, Y, **OPTIONS, train=SHARES, journal=journal)
    size = journal.stat().st_size
    again = cv.select(X, Y, **OPTIONS, train=[20, 40], journal=journal)
    assert journal.stat().st_size == size
    assert [one.study.train_size for one in again.values()] == [20, 40]


def test_every_run_under_equation_1():
    found = cv.select(X, Y, **OPTIONS)
    runs = found.runs_under("simple")
    assert len(runs) == len(found.table) == 3 * 3 + 3
    for one in runs:
        bits = one.found * math.log2(3)
        assert one.bits == pytest.approx(bits)
        assert one.max_errors == bmax(75, 75, one.train_errors, math.log2(0.1) - bits)
        assert one.rate == one.max_errors / 75
    assert all(one.rate <= other.rate for one, other in zip(runs, found.table, strict=True))
    # Under the language of the choice they are the table itself.
    assert found.runs_under("algo") == found.table
    with pytest.raises(ParameterError, match="no language"):
        found.runs_under("simpel")


def test_runs_that_a_language_cannot_describe_are_left_out():
    @language(title="For few clusters alone")
    def few_alone(description):
        if description.clusters > 4:
            raise ParameterError("four clusters at most.")
        return description.clusters * math.log2(description.labels)

    try:
        found = cv.select(X, Y, algorithms=["ward"], clusters=[3, 4, 5, 6], runs=1)
        runs = found.runs_under("few_alone")
    finally:
        languages.remove("few_alone")
    assert [one.clusters for one in runs] == [3, 4]
    assert all(one.rate is not None for one in runs)


def test_the_result_reads_and_draws():
    several = cv.select(X, Y, **OPTIONS, train=SHARES)
    low = min(one.best.rate for one in several.values())
    assert f"from {low:.2%} with" in several.verdict
    assert "Choosing the share with the lowest bound is not paid for." in repr(several)
    frame = several.to_frame("pandas")
    assert frame["train"].tolist() == SHARES
    assert frame["rate"].tolist() == [one.best.rate for one in several.values()]
    assert [one["train"] for one in several.to_dict()["selections"]] == SHARES
    (figure,) = plots.figures(several)
    bound, truth, constant = figure.data
    assert list(bound.y) == frame["rate"].tolist()
    assert list(truth.y) == frame["test_rate"].tolist()
    assert list(constant.y) == frame["constant_rate"].tolist()
    assert list(bound.x) == pytest.approx(SHARES, abs=0.01)


def test_refusals():
    some = np.arange(150) < 70
    with pytest.raises(ParameterError, match="draw the labelled points at random"):
        cv.select(X, Y, **OPTIONS, train=SHARES, labelled=some)
    gaps = np.where(some, Y, None)
    with pytest.raises(ParameterError, match="they are given here"):
        cv.select(X, gaps, **OPTIONS, train=SHARES)
    with pytest.raises(ParameterError, match="train is empty"):
        cv.select(X, Y, **OPTIONS, train=[])
    for wrong in ([0.5, 1.5], [0.5, "x"], "0.5", [None], [0.5, 150]):
        with pytest.raises(ParameterError, match="train"):
            cv.select(X, Y, **OPTIONS, train=wrong)
    search = cv.PacMdlSearch(["kmeans"], clusters=[2], train=[0.3, 0.5])
    with pytest.raises(ParameterError, match="one share or number"):
        search.fit(X, Y)
