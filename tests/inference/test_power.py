from __future__ import annotations

import math

import pytest

import clustervet as cv
from clustervet.errors import ClustervetError
from clustervet.inference.power import _Law, _search

P = [[0.4, 0.1], [0.1, 0.4]]


def test_purity_needs_what_a_binomial_share_needs():
    found = cv.sample_size("purity", P, width=0.1, samples=2_000, random_state=0)
    # With classes and clusters clear, purity is a share of 0.8: width 2 * 1.96 sqrt(p q / n).
    textbook = (2 * 1.96) ** 2 * 0.8 * 0.2 / 0.1**2
    assert found.objects == pytest.approx(textbook, rel=0.12)
    assert found.width <= 0.1


def test_half_the_width_needs_four_times_the_objects():
    wide, narrow = (
        cv.sample_size("adjusted_rand", P, width=w, samples=500, random_state=0).objects
        for w in (0.2, 0.1)
    )
    assert narrow / wide == pytest.approx(4, rel=0.25)


def test_a_table_serves_as_population():
    table = cv.Contingency.from_counts([[40, 10], [10, 40]])
    first = cv.sample_size("vi", table, width=0.3, samples=200, random_state=0)
    second = cv.sample_size("vi", P, width=0.3, samples=200, random_state=0)
    assert first == second


def test_a_width_that_a_size_has_is_reached_by_it():
    table = cv.Contingency.from_counts([[40, 10], [10, 40]])
    law = _Law(cv.measures["vi"], {}, table, 0.95, 100, 0)
    for size in (16, 64):
        assert _search(law, law.width(size)) <= size
        assert law.width(_search(law, law.width(size))) <= law.width(size)


def test_a_width_that_no_size_has_is_refused():
    with pytest.raises(ClustervetError, match=r"no sample of up to .* gives an interval of width"):
        cv.sample_size("vi", P, width=1e-12, samples=100, random_state=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "width must be a positive number"),
        ({"width": math.nan}, "width must be a positive number"),
        ({"width": 0.1, "confidence": 2}, "confidence must"),
        ({"width": 0.1, "samples": 5}, "samples must be at least 100"),
    ],
)
def test_what_is_no_plan_is_refused(options, message):
    with pytest.raises(ClustervetError, match=message):
        cv.sample_size("purity", P, **options)


def test_samples_without_a_value_are_too_small():
    """Nearly all samples of two objects are of one class here, half of them in two clusters."""
    table = cv.Contingency.from_counts([[49, 49], [1, 1]])
    law = _Law(cv.measures["nmi"], {}, table, 0.95, 100, 0)
    assert law.width(2) == math.inf
    assert law.width(5_000) < 1
    assert cv.sample_size("nmi", table, width=0.5, samples=100, random_state=0).objects > 2
