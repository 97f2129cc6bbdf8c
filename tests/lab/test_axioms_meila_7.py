"""Meilă 2007, §7: A3.M, A4.M, A4.H and M1 to M4 as tests of any measure.

The paper's own theorems say what must come out, and every axiom is tried once more on all
clusterings of up to four points, from its printed formula.
"""

from __future__ import annotations

import math
from itertools import product

import pytest

import clustervet as cv
from clustervet.lab import advise, axioms, known_properties

ALIGNED = ("vertical_collinearity", "horizontal_collinearity")
NEW = {
    "quadratic_additivity": "A3.M",
    "mirkin_scale": "A4.M",
    "monotone_scale": "A4.H",
    "metric": "M1",
    "single_split": "M2",
    "common_clusters": "M3",
    "top_to_bottom": "M4",
}
MATRIX = axioms()
FEW = 4


def status(key, name):
    return MATRIX[key][name].status


# The paper's theorems


def test_property_11_nothing_satisfies_a1_to_a3_and_a4_m():
    assert MATRIX.having(*ALIGNED, "convex_additivity", "mirkin_scale") == []


def test_property_12_only_the_invariant_mirkin_metric_satisfies_a1_a2_a3_m_and_a4_m():
    found = MATRIX.having(*ALIGNED, "quadratic_additivity", "mirkin_scale")
    assert found == ["mirkin_invariant"]


def test_property_13_only_vi_satisfies_a1_to_a3_and_a4_h():
    found = MATRIX.having(*ALIGNED, "convex_additivity", "monotone_scale")
    assert found == ["variation_of_information"]


def test_property_9_tells_which_way_the_invariant_metrics_add():
    assert status("van_dongen_invariant", "convex_additivity") == "holds"
    assert status("van_dongen_invariant", "quadratic_additivity") == "fails"
    assert status("mirkin_invariant", "convex_additivity") == "fails"
    assert status("mirkin_invariant", "quadratic_additivity") == "holds"


def test_the_scales_that_the_paper_prints_for_uniform_clusterings():
    # D_inv is half of 1 - 1/K, M_inv is 1 - 1/K, VI is log K.
    example = MATRIX["van_dongen_invariant"]["mirkin_scale"].counterexample
    assert (example.points, example.left_value, example.right_value) == (2, 0.25, 0.5)
    example = MATRIX["variation_of_information"]["mirkin_scale"].counterexample
    assert (example.points, example.left_value, example.right_value) == (2, 1.0, 0.5)
    for key in ("van_dongen_invariant", "mirkin_invariant", "variation_of_information"):
        assert status(key, "monotone_scale") == "holds"
    for key in ("van_dongen", "mirkin", "rand"):  # not invariant of n
        assert status(key, "monotone_scale") == "fails"


def test_the_mirkin_metric_has_m1_m2_and_m4_scaled_and_m3_unscaled():
    # The paper puts all four in terms of M_inv; M3 as printed holds for M alone.
    assert MATRIX.having("metric", "single_split", "top_to_bottom") == [
        "mirkin_invariant",
        "element_centric_similarity",
    ]
    assert status("mirkin_invariant", "common_clusters") == "fails"
    assert MATRIX.having("metric", "common_clusters") == ["mirkin", "van_dongen"]
    assert MATRIX.having("metric", "single_split", "common_clusters", "top_to_bottom") == []


def test_m1_is_the_three_axioms_of_a_metric():
    three = ("identity", "symmetry", "triangle")
    assert MATRIX.having("metric") == MATRIX.having(*three)
    assert advise("metric", MATRIX).measures == MATRIX.having("metric")
    for key, row in MATRIX.items():
        if row["metric"].status == "does not apply":
            assert row["identity"].status == "does not apply", key


# Every axiom once more, on all clusterings of up to four points


def every_clustering(n):
    """All partitions of n points: each point joins a block before it, or opens one."""
    found = [[]]
    for _ in range(n):
        found = [[*one, k] for one in found for k in range(len(set(one)) + 1)]
    return found


SPACES = {n: every_clustering(n) for n in range(1, FEW + 1)}


def close(left, right):
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)


def known(record):
    """The measure as a distance of two label lists, each value computed once."""
    best = (
        record.perfect if record.perfect is not None else record.bounds[record.better == "higher"]
    )
    seen = {}

    def d(first, second):
        place = tuple(first), tuple(second)
        if place not in seen:
            seen[place] = abs(best - record.evaluate(cv.Contingency.from_labels(*place)).value)
        return seen[place]

    return d


def uniform(n):
    return [(k, [p * k // n for p in range(n)]) for k in range(1, n + 1) if n % k == 0]


def a3_m(d, n):
    for coarse, other in product(SPACES[n], repeat=2):
        fine = [f"{a} and {b}" for a, b in zip(coarse, other, strict=True)]
        if len(set(fine)) == len(set(coarse)):
            continue  # equal clusterings: that is identity
        blocks = [[f for f, c in zip(fine, coarse, strict=True) if c == k] for k in set(coarse)]
        right = sum((len(part) / n) ** 2 * d([0] * len(part), part) for part in blocks)
        yield d(coarse, fine), right


def a4_m(d, n):
    for clusters, labels in uniform(n):
        yield d([0] * n, labels), 1 - 1 / clusters


def m2(d, n):
    for lone in range(n):
        yield d([0] * n, [int(p == lone) for p in range(n)]), 2 * (n - 1) / n**2


def m3(d, n):
    for first, second in product(SPACES[n], repeat=2):
        blocks = [{frozenset(p for p in range(n) if x[p] == k) for k in x} for x in (first, second)]
        common = set().union(*(blocks[0] & blocks[1]))
        rest = [p for p in range(n) if p not in common]
        if rest:
            inside = d([first[p] for p in rest], [second[p] for p in rest])
            yield d(first, second), inside


def m4(d, n):
    yield d([0] * n, list(range(n))), (n - 1) / n


EQUATIONS = {
    "quadratic_additivity": a3_m,
    "mirkin_scale": a4_m,
    "single_split": m2,
    "common_clusters": m3,
    "top_to_bottom": m4,
}


def breaks(d, name, n):
    """Whether an axiom fails somewhere among the clusterings of n points."""
    if name in EQUATIONS:
        sides = EQUATIONS[name](d, n)
        return any(not (close(x, y) or math.isnan(x) or math.isnan(y)) for x, y in sides)
    if name == "monotone_scale":
        seen = [(k, d([0] * m, labels)) for m in range(1, n + 1) for k, labels in uniform(m)]
        return any(
            (k == j and not close(x, y)) or (k < j and x > y + 1e-9)
            for (k, x), (j, y) in product(seen, repeat=2)
            if not (math.isnan(x) or math.isnan(y))
        )
    space = SPACES[n]
    for a, b in product(space, repeat=2):
        if not math.isnan(d(a, b)) and close(d(a, b), 0) != (a == b):
            return True
        if not (math.isnan(d(a, b)) or math.isnan(d(b, a)) or close(d(a, b), d(b, a))):
            return True
    return any(d(a, c) > d(a, b) + d(b, c) + 1e-9 for a, b, c in product(space, repeat=3))


DISTANCES = [r for r in cv.measures.select(kind="external") if r.better != "neither"]


@pytest.mark.parametrize("record", DISTANCES, ids=lambda record: record.key)
def test_verdicts_and_the_size_of_counterexamples_agree_with_every_clustering_tried(record):
    row = MATRIX[record.key]
    d = known(record)
    for name in NEW:
        if row[name].status == "does not apply":
            continue
        first = next((n for n in range(1, FEW + 1) if breaks(d, name, n)), None)
        if row[name].status == "holds":
            assert first is None, name
        elif first is not None:
            assert row[name].counterexample.points == first, name


# A user's own measure


@pytest.fixture
def own():
    made = []

    def register(formula, key, **said):
        told = {"title": key, "family": "mine", "better": "lower", "bounds": (0, math.inf)}
        cv.measure(**{**told, **said}, key=key)(formula)
        made.append(key)
        return {name: verdict.status for name, verdict in axioms(key)[key].items()}

    yield register
    for key in made:
        cv.measures.remove(key)


def test_half_of_vi_has_every_axiom_but_the_scale(own):
    row = own(lambda table: cv.variation_of_information(table) / 2, "half_vi")
    held = {*ALIGNED, "convex_additivity", "monotone_scale", "metric"}
    assert {name for name in held if row[name] == "holds"} == held
    assert row["log_scale"] == row["mirkin_scale"] == row["quadratic_additivity"] == "fails"


def test_the_rand_index_scaled_by_pairs_with_replacement_is_the_invariant_mirkin_metric(own):
    # Eq. 9 over n^2.
    row = own(lambda table: (1 - 1 / table.n) * (1 - cv.rand(table)), "scaled_rand")
    mirkin = {name: verdict.status for name, verdict in MATRIX["mirkin_invariant"].items()}
    assert {name: row[name] for name in NEW} == {name: mirkin[name] for name in NEW}


def test_a_scale_that_falls_is_shown_with_the_first_two_numbers_of_clusters(own):
    def falling(table):
        return 0.0 if table.identical else 1 / max(table.shape)

    assert own(falling, "falling")["monotone_scale"] == "fails"
    text = str(axioms("falling", "monotone_scale")["falling"]["monotone_scale"])
    assert text == (
        "fails for a = [0, 1], one for a = [0, 0], b = [0, 1, 2], one for b = [0, 0, 0]: "
        "d(one for a, a) = 0.5 should be at most d(one for b, b) = 0.333333"
    )


def test_a_scale_that_depends_on_the_objects_is_none_of_the_number_of_clusters(own):
    row = own(lambda table: 0.0 if table.identical else float(table.n), "growing")
    assert row["monotone_scale"] == row["common_clusters"] == "fails"
    assert row["metric"] == "holds"


def test_a_number_of_clusters_that_differ_does_not_count_those_in_common(own):
    def differing(table):
        alone = {(a, b) for a, b in zip(table.cells.rows, table.cells.cols, strict=True)}
        whole = sum(
            int(table.class_sizes[a] == table.cluster_sizes[b] == x)
            for (a, b), x in zip(sorted(alone), table.cells.values, strict=True)
        )
        return float(sum(table.shape) - 2 * whole)

    row = own(differing, "differing")
    assert row["common_clusters"] == row["metric"] == "holds"
    assert row["monotone_scale"] == "holds"
    assert row["single_split"] == row["top_to_bottom"] == "fails"


def test_a_plain_function_has_no_best_value_to_measure_from():
    def mine(table):
        return cv.rand(table)

    row = axioms(mine, list(NEW))["mine"]
    assert {verdict.status for verdict in row.values()} == {"does not apply"}


@pytest.mark.parametrize("name", NEW)
def test_a_property_names_its_axiom(name):
    kind = known_properties()[name]
    assert kind.short == NEW[name]
    assert kind.title.endswith(f"({NEW[name]})")
    assert f"axiom {NEW[name]}" in kind.reference
    assert kind.reads == "distances"
