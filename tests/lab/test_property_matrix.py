"""The property matrix: the papers' claims come out of it, and records and documents agree."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from importlib.resources import files
from itertools import islice, permutations
from pathlib import Path

import numpy as np
import pytest

import clustervet as cv
from clustervet.errors import ParameterError
from clustervet.lab import matrix
from clustervet.lab.advice import NEEDS, advise, vocabulary
from clustervet.lab.axioms import axioms
from clustervet.lab.matrix import (
    PropertyMatrix,
    known_properties,
    packaged_row,
    write_packaged,
)
from clustervet.lab.properties import _two_parts

MATRIX = axioms()
EXTERNAL = cv.measures.select(kind="external")
METRIC = ("identity", "symmetry", "triangle")
# On average over random clusterings these are 1/2 whatever the sizes, so they are not adjusted.
AT_A_HALF = ("blanc_precision", "blanc_recall")
ALIGNED = ("vertical_collinearity", "horizontal_collinearity")
FAILURES = [
    pytest.param(record, name, id=f"{record.key}-{name}")
    for record in EXTERNAL
    for name, verdict in MATRIX[record.key].items()
    if verdict.status == "fails"
]


# The package, the documents and the records


@pytest.fixture(scope="module")
def fresh() -> PropertyMatrix:
    return axioms(fresh=True)


def test_the_matrix_of_the_package_is_what_is_computed(fresh, tmp_path):
    assert all(packaged_row(record) is not None for record in EXTERNAL)
    write_packaged(fresh, tmp_path / "matrix.json")
    computed = json.loads((tmp_path / "matrix.json").read_text(encoding="utf-8"))
    kept = json.loads(files("clustervet.lab").joinpath("matrix.json").read_text(encoding="utf-8"))
    assert kept["properties"] == computed["properties"], "run `make docs`"
    assert list(kept["measures"]) == list(computed["measures"]), "run `make docs`"
    for key, row in computed["measures"].items():
        assert kept["measures"][key]["declared"] == row["declared"], "run `make docs`"
        for name, verdict in row["verdicts"].items():
            held = kept["measures"][key]["verdicts"][name]
            assert _without_digits(held) == _without_digits(verdict), "run `make docs`"


def _without_digits(verdict):
    """The last digits may differ between machines."""
    example = verdict.get("counterexample")
    if example is None:
        return verdict
    plain = {name: x for name, x in example.items() if not name.endswith("_value")}
    near = [float(f"{example[side]:.6g}") for side in ("left_value", "right_value")]
    return {**verdict, "counterexample": plain, "near": near}


def test_the_page_of_measures_shows_the_matrix():
    page = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
    for key, row in MATRIX.items():
        marks = " | ".join(verdict.mark for verdict in row.values())
        assert re.search(rf"\| \[{key}\]\(#\S*-{key}\) \| {re.escape(marks)} \|", page), (
            "run `make docs`"
        )
    for kind in known_properties().values():
        assert f"`{kind.key}` | {kind.claim}" in page


def test_a_record_that_has_changed_is_tested_anew(monkeypatch):
    record = cv.measures["rand"]
    other = cv.registry.Measure(
        **{name: getattr(record, name) for name in record.__slots__} | {"bounds": (0.0, 0.5)}
    )
    assert packaged_row(record) is not None
    assert packaged_row(other) is None
    assert axioms(other, "bounds")["rand"]["bounds"].status == "fails"


def test_without_the_matrix_of_the_package_all_is_tested_anew(monkeypatch):
    monkeypatch.setattr(matrix, "PACKAGED", "not there.json")
    matrix._packaged.cache_clear()
    try:
        assert matrix._packaged() == {}
        assert packaged_row(cv.measures["rand"]) is None
    finally:
        matrix._packaged.cache_clear()


@pytest.mark.parametrize("record", EXTERNAL, ids=lambda record: record.key)
def test_the_matrix_agrees_with_the_record(record):
    row = {name: verdict.status for name, verdict in MATRIX[record.key].items()}
    assert row["relabelling"] == row["bounds"] == "holds"
    assert record.symmetric == (row["symmetry"] == "holds")
    constant = record.adjusted or record.key in AT_A_HALF
    assert constant == (row["constant_baseline"] == "holds")
    # A similarity may be a metric when read as a distance; its record does not say so.
    is_metric = all(row[name] == "holds" for name in METRIC)
    assert is_metric if record.metric else not (is_metric and record.better == "lower")
    if record.better != "neither":
        assert row["identity_best"] == "holds"
    assert not MATRIX.broken()


# Counterexamples, each computed again from its labelings


def value(record, first, second):
    return record(list(first), list(second))


def distance(record, first, second):
    best = record.perfect
    if best is None:
        best = record.bounds[0] if record.better == "lower" else record.bounds[1]
    return abs(value(record, first, second) - best)


def shuffled_mean(record, truth, pred):
    """Over all orders of the points, each as likely."""
    orders = Counter(permutations(pred))
    return math.fsum(value(record, truth, p) * k for p, k in orders.items()) / orders.total()


def within(record, shown):
    a, b, parts = shown["a"], shown["b"], shown["parts"]
    total = 0.0
    for part in set(parts):
        kept = [k for k, own in enumerate(parts) if own == part]
        d = distance(record, [a[k] for k in kept], [b[k] for k in kept])
        total += len(kept) / len(parts) * d
    return distance(record, a, b), total


def copies(record, shown, right):
    times = int(right.split()[-2])
    return value(record, shown["a"], shown["b"]), value(
        record, shown["a"] * times, shown["b"] * times
    )


def squares(record, shown):
    """A3.M, from the paper's formula."""
    a, b = shown["a"], shown["b"]
    total = 0.0
    for part in set(a):
        inside = [y for x, y in zip(a, b, strict=True) if x == part]
        total += (len(inside) / len(a)) ** 2 * distance(record, [0] * len(inside), inside)
    return distance(record, a, b), total


def sides_again(record, name, example):
    """Both sides of a property, from the paper's formula and the public function."""
    s = dict(example.labelings)

    def d(x, y):
        return distance(record, s[x], s[y])

    def m(x, y):
        return value(record, s[x], s[y])

    if name == "locality":
        merged = example.left == "m(a split, a)"
        pairs = [("a", "a split"), ("b", "b split")]
        return tuple(m(*(reversed(pair) if merged else pair)) for pair in pairs)
    return {
        "identity": lambda: (d("a", "b"), 0.0),
        "symmetry": lambda: (m("a", "b"), m("b", "a")),
        "triangle": lambda: (d("a", "c"), d("a", "b") + d("b", "c")),
        "n_invariance": lambda: copies(record, s, example.right),
        "convex_additivity": lambda: within(record, s),
        "vertical_collinearity": lambda: (
            d("one cluster", "a") + d("a", "singletons"),
            d("one cluster", "singletons"),
        ),
        "horizontal_collinearity": lambda: (d("a", "meet") + d("b", "meet"), d("a", "b")),
        "log_scale": lambda: (d("one cluster", "a"), math.log2(len(set(s["a"])))),
        "quadratic_additivity": lambda: squares(record, s),
        "mirkin_scale": lambda: (d("one cluster", "a"), 1 - 1 / len(set(s["a"]))),
        "monotone_scale": lambda: (d("one for a", "a"), d("one for b", "b")),
        "metric": lambda: {
            "0": lambda: (d("a", "b"), 0.0),
            "d(b, a)": lambda: (d("a", "b"), d("b", "a")),
            "d(a, b) + d(b, c)": lambda: (d("a", "c"), d("a", "b") + d("b", "c")),
        }[example.right](),
        "single_split": lambda: (
            d("one cluster", "a"),
            2 * (len(s["a"]) - 1) / len(s["a"]) ** 2,
        ),
        "common_clusters": lambda: (d("a", "b"), d("rest of a", "rest of b")),
        "top_to_bottom": lambda: (d("one cluster", "a"), 1 - 1 / len(s["a"])),
        "constant_baseline": lambda: tuple(
            shuffled_mean(record, s[f"truth {k}"], s[f"pred {k}"]) for k in (1, 2)
        ),
        "size_balance": lambda: (m("truth", "large hurt"), m("truth", "small hurt")),
        **dict.fromkeys(
            ("homogeneity", "completeness", "rag_bag", "size_over_quantity"),
            lambda: (m("truth", "better"), m("truth", "worse")),
        ),
    }[name]()


@pytest.mark.parametrize(("record", "name"), FAILURES)
def test_every_counterexample_is_one(record, name):
    example = MATRIX[record.key][name].counterexample
    left, right = sides_again(record, name, example)
    assert left == pytest.approx(example.left_value, rel=1e-9, abs=1e-9)
    assert right == pytest.approx(example.right_value, rel=1e-9, abs=1e-9)
    sign = -1 if record.better == "lower" else 1
    wanted = {
        "=": math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9),
        "<=": left <= right + 1e-9,
        ">": left > right + 1e-9,
        "better": sign * left > sign * right + 1e-9,
    }
    assert not wanted[example.relation]
    assert example.points <= 7


# Meilă's claims


def test_vi_alone_is_a_metric_n_invariant_convexly_additive_and_aligned():
    assert MATRIX.having(*METRIC, "n_invariance", "convex_additivity", *ALIGNED) == [
        "variation_of_information"
    ]


def test_vi_alone_satisfies_the_axioms():
    # Property 10: A1 to A4.
    assert MATRIX.having(*ALIGNED, "convex_additivity", "log_scale") == ["variation_of_information"]


def test_mirkin_and_van_dongen_are_metrics_and_local():
    found = MATRIX.having(*METRIC, "locality")
    for key in ("mirkin", "mirkin_invariant", "van_dongen", "van_dongen_invariant"):
        assert key in found


def test_rand_and_the_classification_error_are_local_too():
    assert {"rand", "classification_error"} <= set(MATRIX.having("locality"))


@pytest.mark.parametrize("key", ["larsen_aone", "jaccard", "fowlkes_mallows", "adjusted_rand"])
def test_measures_that_are_not_local(key):
    assert MATRIX[key]["locality"].status == "fails"


def test_no_bounded_measure_is_both_aligned_and_convexly_additive():
    # Property 13: whatever is both is VI up to a factor, and that grows like log K. The invariant
    # metrics have one each.
    both = MATRIX.having("convex_additivity", *ALIGNED)
    assert both == ["variation_of_information"]
    assert not any(all(map(math.isfinite, cv.measures[key].bounds)) for key in both)
    assert "mirkin_invariant" in MATRIX.having(*ALIGNED)
    assert MATRIX["mirkin_invariant"]["convex_additivity"].status == "fails"
    assert "van_dongen_invariant" in MATRIX.having("convex_additivity")
    assert MATRIX["van_dongen_invariant"]["vertical_collinearity"].status == "fails"


def test_b_cubed_f_alone_meets_all_four_constraints():
    # Amigó et al. 2009 find the same.
    four = ("homogeneity", "completeness", "rag_bag", "size_over_quantity")
    assert MATRIX.having(*four) == ["bcubed_f1"]


def test_no_metric_is_adjusted_for_chance():
    assert MATRIX.having(*METRIC, "constant_baseline") == []


# Advice


def test_advice_lists_the_measures_that_have_all():
    advice = advise(["metric", "different n", "additive", "lattice"])
    assert advice.measures == ["variation_of_information"]
    assert advice.nearest == ()
    assert "Variation of information" in repr(advice)
    assert advise("chance-adjusted").measures == [r.key for r in EXTERNAL if r.adjusted]
    assert advise(["different k", "chance"]).measures[0] == "adjusted_rand"
    bounded = advise(["bounded", "metric"])
    assert "variation_of_information" not in bounded.measures
    assert "1 - jaccard" in repr(bounded)
    assert "mirkin" not in bounded.measures


def test_advice_shows_the_nearest_where_none_has_all():
    advice = advise(["metric", "chance-adjusted", "different k"])
    assert advice.measures == []
    lacking = {c.record.key: c.missing for c in advice.nearest}
    assert lacking["adjusted_rand"] == ("triangle",)
    assert lacking["variation_of_information"] == ("constant_baseline",)
    assert len({len(missing) for missing in lacking.values()}) == 1
    assert list(advice.to_frame("pandas")["measure"]) == list(lacking)
    assert "should be at most" in advice._repr_html_()


def test_a_measure_that_declares_no_bound_is_not_bounded():
    advice = advise("bounded", axioms(["variation_of_information", "mirkin"], ["bounds"]))
    assert advice.measures == []
    assert [one.lacks for one in advice.nearest] == [
        {"bounds": "it declares no bound on one side at least"}
    ] * 2


def test_needs_are_found_however_they_are_written():
    for name in (
        "Chance-Adjusted",
        "chance_adjusted",
        " chance  adjusted ",
        "corrected for chance",
    ):
        assert advise(name).needs[0].name == "chance-adjusted"
    for need in NEEDS:
        assert need.meaning
        assert set(need.properties) <= set(known_properties())
    assert set(known_properties()) <= {name.replace(" ", "_") for name in vocabulary()}


def test_needs_that_nobody_knows_give_the_list():
    with pytest.raises(ParameterError, match="needs are metric, chance-adjusted, different k"):
        advise("magic")
    with pytest.raises(ParameterError, match="say what is needed"):
        advise([])
    with pytest.raises(ParameterError, match="not made for constant_baseline"):
        advise("chance", axioms("rand", "symmetry"))


def test_clusterings_of_two_parts_keep_the_parts_apart():
    """Convex additivity (Meilă 2007) is about clusterings that refine both parts."""
    for parts, *both in islice(_two_parts(np.random.default_rng(0)), 3_000):
        for labels in both:
            pairs = set(zip(labels, parts, strict=True))
            assert len(pairs) == len(set(labels))


@pytest.mark.parametrize("need", [need.name for need in NEEDS])
def test_similarities_are_turned_for_those_alone_who_need_a_metric(need):
    notes = advise([need]).document().notes
    assert any(note.startswith("As a distance, read 1 - ") for note in notes) == (need == "metric")
