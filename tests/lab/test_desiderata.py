"""Dom's desiderata (2001, Table 4) over his 760 combinations (§7.2.2 and Table 5) and others."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import clustervet as cv
from clustervet.errors import ClustervetError, ParameterError, UndefinedError, UnknownMeasureError
from clustervet.lab.desiderata import desiderata
from clustervet.lab.family import Grid

USEFUL, NOISE = range(2, 12), range(7)
WRONG = [Fraction(k, 15) for k in range(4)]
BLIND = [Fraction(k, 10) for k in range(4)]
SMALL = {"useful": [2, 3, 4], "classes": 3, "noise": [0, 1, 2], "error_useful": [0, 0.1]}


@pytest.fixture(scope="module")
def paper():
    """What the paper compares."""
    return desiderata()


def table(result):
    """The heads and rows of the table that people read."""
    (shown,) = result.document().tables
    heads = [column.title for column in shown.columns]
    return [heads, *([cell.text for cell in row.cells] for row in shown.rows)]


# ---------------------------------------------------------------- the paper's counts


def failed(found, rule):
    return {key: len(failures) for key, failures in found.failures[rule].items()}


def test_table_5(paper):
    assert paper.tried["P3"] == 120
    assert failed(paper, "P3") == {
        "rand": 120,
        "fowlkes_mallows": 103,
        "hubert_gamma": 120,
        "jaccard": 80,
        "hamming": 120,
        "dom_q0": 0,
        "dom_q2": 0,
    }


def test_p4_is_broken_by_none(paper):
    assert set(failed(paper, "P4").values()) == {0}
    assert paper.tried["P4"] == 190


def test_p1_and_p2_are_broken_by_12_sequences_of_rand_and_2_of_hamming(paper):
    assert set(failed(paper, "P1").values()) == {0}
    broken = {key: count for key, count in failed(paper, "P2").items() if count}
    assert broken == {"rand": 12, "hamming": 2}
    # The peak of Rand is seen at 6 or 7 clusters, always with large errors.
    for failure in paper.failures["P2"]["rand"]:
        assert failure.steps[0][:2] == (5, 6)
        assert failure.held["error_useful"] == 0.2
        assert failure.held["error_noise"] >= 0.2
    # Hamming stays the same from 10 to 11.
    for failure in paper.failures["P2"]["hamming"]:
        ((start, end, before, after, tie),) = failure.steps
        assert (start, end, tie) == (10, 11, True)
        assert before == pytest.approx(after, rel=1e-14)


def test_p5_is_broken_by_rand_alone_and_the_print_is_one_too_many(paper):
    assert {key for key, count in failed(paper, "P5").items() if count} == {"rand"}
    useful = Counter(failure.held["useful"] for failure in paper.failures["P5"]["rand"])
    assert useful == {2: 24, 3: 4}
    # With 2 useful clusters, 6 numbers of noise clusters and 4 errors, there are 24 sequences.
    (difference,) = paper.differences()
    assert difference == ("P5", "rand", 29, 28)
    assert "the paper prints 29 for rand; its rule gives 28" in repr(paper)
    assert "The paper states 35 of these counts, and 34 come out." in repr(paper)


def test_hamming_hardly_sees_noise_clusters(paper):
    verdict = paper.verdicts["P3"]["hamming"]
    assert verdict.steps == 600
    assert verdict.failed_steps == verdict.tied_steps == 586


def test_only_q0_and_q2_satisfy_all(paper):
    sound = [
        key
        for key in paper.measures
        if not any(paper.failures[rule][key] for rule in paper.failures)
    ]
    assert sound == ["dom_q0", "dom_q2"]


# ---------------------------------------------------------------- every step, in exact fractions


# Their logarithms are no fractions; the test above says that nothing is broken.
CODED = ("dom_q0", "dom_q2")


def share_out(things, takers):
    sizes = []
    for left in range(takers, 0, -1):
        sizes.append(-(-(things - sum(sizes)) // left))
    return sizes


def member(useful, noise, wrong, blind, classes=5):
    """p(c,k) from the text of §6.1, cell by cell."""
    of_class = {c: set() for c in range(classes)}
    if useful >= classes:
        clusters = iter(range(useful))
        for c, size in enumerate(share_out(useful, classes)):
            of_class[c] = set(itertools.islice(clusters, size))
    else:
        rows = iter(range(classes))
        for k, size in enumerate(share_out(classes, useful)):
            for c in itertools.islice(rows, size):
                of_class[c] = {k}

    def given_class(c, k):
        if k >= useful:
            return blind / noise
        mine = of_class[c]
        return (1 - wrong - blind) / len(mine) if k in mine else wrong / (useful - len(mine))

    return [[given_class(c, k) / classes for k in range(useful + noise)] for c in range(classes)]


def exact_values(shares):
    """Measures from §5 as fractions; squares of those with a root, which grow alike."""
    columns = list(zip(*shares, strict=True))
    both = sum(p * p for row in shares for p in row)
    classes, clusters = (sum(sum(part) ** 2 for part in side) for side in (shares, columns))
    excess = both - classes * clusters
    spread = classes * clusters * (1 - classes) * (1 - clusters)
    return {
        "rand": 1 + 2 * both - classes - clusters,
        "jaccard": both / (classes + clusters - both),
        "fowlkes_mallows": both**2 / (classes * clusters),
        "hubert_gamma": excess * abs(excess) / spread,
        "hamming": (sum(map(max, shares)) + sum(map(max, columns))) / 2,
    }


def test_every_broken_step_is_that_of_exact_arithmetic(paper):
    values = {
        point: exact_values(member(*point))
        for point in itertools.product(USEFUL, NOISE, WRONG, BLIND)
        if (point[1] == 0) == (point[3] == 0)
    }
    assert len(values) == 760
    axes = {"P1": 0, "P2": 0, "P3": 1, "P4": 2, "P5": 3}
    names = ("useful", "noise", "error_useful", "error_noise")
    ladders = (list(USEFUL), list(NOISE), WRONG, BLIND)
    for rule, axis in axes.items():
        expected = {key: Counter() for key in paper.measures if key not in CODED}
        for point, found in values.items():
            if point[axis] == ladders[axis][-1]:
                continue
            step = ladders[axis][ladders[axis].index(point[axis]) + 1]
            after = values.get((*point[:axis], step, *point[axis + 1 :]))
            if after is None or (rule == "P1" and step > 5) or (rule == "P2" and point[0] < 5):
                continue
            for key, count in expected.items():
                change = after[key] - found[key]
                if (change <= 0) if rule == "P1" else (change >= 0):
                    count[tuple(round(float(x), 9) for x in point), change == 0] += 1
        for key, count in expected.items():
            got = Counter()
            for failure in paper.failures[rule][key]:
                for step in failure.steps:
                    at = {**failure.held, failure.varied: step.start}
                    got[tuple(round(float(at[name]), 9) for name in names), step.tie] += 1
            assert got == count, (rule, key)


# ---------------------------------------------------------------- other measures and grids


def test_lower_is_better_where_the_record_says_so():
    found = desiderata(["rand", "mirkin", cv.dom_q0, cv.measures["hamming"]], SMALL)
    assert found.measures == ("rand", "mirkin", "dom_q0", "hamming")
    for rule in found.tried:
        mirkin, rand = found.failures[rule]["mirkin"], found.failures[rule]["rand"]
        assert [f.held for f in mirkin] == [f.held for f in rand]
        assert found.failures[rule]["dom_q0"] == ()
    step = found.failures["P3"]["mirkin"][0].steps[0]
    assert step.after < step.before  # its own values, not their negatives
    assert step.before > 0


def test_all_measures_with_a_direction():
    found = desiderata("all", SMALL)
    general = cv.measures.select(kind="external", general=True)
    wanted = {record.key for record in general if record.better != "neither"}
    assert set(found.measures) == wanted
    assert set(found.faults) == {"adjusted_mutual_information"}  # which needs whole counts
    assert found.verdicts["P3"]["rand"].failed > 0
    assert found.verdicts["P3"]["dom_q2"].failed == 0


def test_sequences_of_another_grid():
    found = desiderata(["purity"], {**SMALL, "classes": [2, 3]}, n=60)
    # 2 classes x 2 errors x (no noise, or 2 numbers of noise clusters x 3 shares).
    assert found.tried["P1"] == 2 * (1 + 2 * 3)  # 2 and 3 useful clusters of 3 classes
    assert found.tried["P2"] == 2 * 2 * (1 + 2 * 3)
    assert found.tried["P3"] == 2 * 3 * 2 * 3
    assert found.tried["P4"] == 2 * 3 * (1 + 2 * 3)
    assert found.tried["P5"] == 2 * 3 * 2 * 2
    # Splitting never makes clusters less pure.
    assert found.verdicts["P2"]["purity"].failed == found.tried["P2"]
    assert found.over.classes == (2, 3)
    assert found.differences() == []
    assert "The paper states" not in repr(found)


def test_sequences_span_the_number_of_classes_only_within_a_rule():
    found = desiderata("rand", Grid(useful=[3, 4, 7, 8], noise=0, error_useful=0))
    assert {rule: count for rule, count in found.tried.items() if count} == {"P1": 1, "P2": 1}
    assert found.verdicts["P1"]["rand"].steps == 1


def test_one_useful_cluster_and_no_noise_ask_nothing_of_errors():
    found = desiderata("rand", {"useful": 1, "noise": 0, "error_useful": [0, 0.1]})
    assert set(found.tried.values()) == {0}
    assert table(found)[1] == ["rand", "-", "-", "-", "-", "-"]


def test_tolerance_says_what_a_tie_is():
    loose = desiderata(["dom_q2"], SMALL, tolerance=0.9)
    assert loose.verdicts["P4"]["dom_q2"].tied_steps == loose.verdicts["P4"]["dom_q2"].steps > 0
    with pytest.raises(ParameterError, match="tolerance is a share"):
        desiderata(tolerance=-1)


# ---------------------------------------------------------------- measures of a user's own


def sizes(table):
    """More clusters are worse: a sound measure without a record."""
    return -float(table.shape[1])


def never(table):
    return math.nan


def endless(table):
    return math.inf


def sometimes(table):
    return math.nan if table.shape[1] == 4 else 1 / table.shape[1]


def undefined(table):
    raise UndefinedError("nothing can be said")


def broken(table):
    raise RuntimeError("no\nidea")


def wordless(table):
    assert table.n < 0


def nothing(table):
    return None


def divides(table):
    return np.float64(1) / np.float64(0) - np.float64(1) / np.float64(0)


def trace(table):
    """Takes cluster k for class k."""
    return float(table.counts.diagonal().sum() / table.n)


def first_cluster(table):
    return float(table.cluster_sizes[0] / table.n)


def two_labelings(truth, pred):
    return 1.0


class Fickle:
    """Another value with each call."""

    def __init__(self):
        self.calls = 0

    def __call__(self, table):
        self.calls += 1
        return float(self.calls)


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (never, "undefined", "never is nan"),
        (endless, "undefined", "endless is inf"),
        (divides, "undefined", "divides is nan"),
        (undefined, "undefined", "undefined is nan: nothing can be said"),
        (broken, "raises", r"broken raises RuntimeError: no\nidea; in 42 of 42 tables"),
        (wordless, "raises", "wordless raises AssertionError"),
        (nothing, "raises", "nothing raises TypeError"),
        (two_labelings, "raises", "missing 1 required positional argument: 'pred'"),
    ],
)
def test_a_measure_without_values_is_reported_and_stops_nothing(function, kind, message):
    found = desiderata([function, "dom_q2"], SMALL)
    (fault,) = found.faults[function.__name__]
    assert (fault.kind, fault.tables, fault.tried) == (kind, 42, len(found.over))
    assert fault.first == next(iter(found.over))._asdict()
    assert message in repr(found)
    assert found.verdicts["P3"][function.__name__].sequences == 0
    assert found.failures["P3"][function.__name__] == ()
    assert table(found)[1] == [function.__name__, "-", "-", "-", "-", "-"]
    assert found.verdicts["P3"]["dom_q2"].sequences == found.tried["P3"]
    json.loads(found.to_json())


@pytest.mark.parametrize("function", [trace, first_cluster])
def test_a_measure_that_depends_on_the_order_of_labels_is_not_judged(function):
    found = desiderata([function, "rand"], SMALL)
    (fault,) = found.faults[function.__name__]
    assert fault.kind == "order"
    assert f"{function.__name__} depends on the order of labels" in repr(found)
    assert list(found.failures["P3"]) == ["rand"]
    assert "-" in table(found)[1]
    assert set(found.columns()["measure"]) == {"rand"}


def test_a_measure_that_refuses_another_order_of_labels_is_reported():
    def moody(table):
        if table.counts[0, 0] < table.counts[-1, -1]:
            raise RuntimeError("the small one first")
        return 1.0

    (fault,) = desiderata([moody], SMALL).faults["moody"]
    assert fault.kind == "raises"
    assert fault.what == (
        "raises RuntimeError: the small one first, with the classes in reverse order"
    )


def test_a_square_table_shows_the_order_too():
    found = desiderata(trace, {"classes": 2, "useful": 2, "noise": 0, "error_useful": [0, 0.1]})
    assert found.faults["trace"][0].kind == "order"


def test_a_measure_that_does_not_repeat_itself_is_not_judged():
    found = desiderata([Fickle(), "rand"], SMALL)
    (fault,) = found.faults["Fickle"]
    assert fault.kind == "unsteady"
    assert "Fickle gives the same table different values: 1, then" in str(fault)


def test_a_measure_without_direction_is_not_judged():
    found = desiderata(["joint_entropy", "rand"], SMALL)
    (fault,) = found.faults["joint_entropy"]
    assert fault.kind == "direction"
    assert str(fault).startswith("joint_entropy has no direction")
    assert list(found.failures["P1"]) == ["rand"]


def test_sequences_with_a_value_missing_are_left_out():
    found = desiderata([sometimes], SMALL)
    verdict = found.verdicts["P3"]["sometimes"]
    # From one to two noise clusters: with 2 or 3 useful ones 4 clusters come up.
    assert (verdict.sequences, found.tried["P3"]) == (6, 18)
    assert verdict.failed == 0
    assert table(found)[1][3] == "0 of 6"
    (shown,) = found.document().tables
    assert shown.rows[0].cells[3].value == 0


def test_a_function_without_a_record_is_taken_as_higher_is_better():
    found = desiderata([sizes, lambda table: 1.0], SMALL)
    assert found.measures == ("sizes", "<lambda>")
    assert found.faults == {}
    assert found.verdicts["P3"]["sizes"].failed == 0
    assert found.verdicts["P1"]["sizes"].failed == found.tried["P1"]
    assert found.verdicts["P4"]["<lambda>"].tied_steps == found.verdicts["P4"]["<lambda>"].steps
    assert "Higher is taken as better for sizes, <lambda>" in repr(found)


def test_the_papers_counts_are_not_mentioned_where_it_has_none(paper):
    verdicts = {rule: {"mine": row["dom_q0"]} for rule, row in paper.verdicts.items()}
    other = replace(paper, verdicts=verdicts)
    assert other.is_papers
    assert any("The paper states" in note for note in paper.notes())
    assert not any("The paper states" in note for note in other.notes())


def test_a_decorated_measure_says_its_direction():
    @cv.measure(title="Mine", family="mine", better="lower", bounds=(0, math.inf))
    def my_size(table):
        return float(table.shape[1])

    try:
        found = desiderata(["my_size"], SMALL)
        assert found.verdicts["P3"]["my_size"].failed == 0
        assert "Higher is taken" not in repr(found)
    finally:
        cv.measures.remove("my_size")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"measures": "rnd"}, UnknownMeasureError, "did you mean rand"),
        ({"measures": ["silhouette"]}, ParameterError, "silhouette reads features"),
        ({"measures": []}, ParameterError, "at least one measure"),
        ({"measures": [3]}, UnknownMeasureError, "named by a string"),
        ({"measures": 3}, UnknownMeasureError, "named by a string"),
        ({"measures": [lambda t: 1, lambda t: 2]}, ParameterError, "two measures are named <lam"),
        ({"grid": {"usefull": 2}}, ParameterError, "did you mean useful"),
        ({"grid": [1, 2]}, ParameterError, "a Grid or a mapping of its fields"),
        ({"grid": {"noise": 0, "error_noise": 0.1}}, ParameterError, "holds no combination"),
        ({"n": 0}, ParameterError, "n is a number of objects above 0"),
        ({"tolerance": math.nan}, ParameterError, "tolerance"),
    ],
)
def test_refusals(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        desiderata(**arguments)
    assert isinstance(caught.value, ClustervetError)


# ---------------------------------------------------------------- forms


def test_forms_agree(paper):
    data = json.loads(paper.to_json())
    assert data["combinations"] == 760
    assert data["tried"] == {"P1": 76, "P2": 76, "P3": 120, "P4": 190, "P5": 240}
    assert len(data["failures"]["P3"]["jaccard"]) == 80
    assert data["differences"] == [
        {"desideratum": "P5", "measure": "rand", "printed": 29, "found": 28}
    ]
    frame = paper.to_frame("polars")
    assert frame.shape == (35, 7)
    assert frame["failed"].sum() == 12 + 2 + 120 + 103 + 120 + 80 + 120 + 28
    steps = paper.steps().to_frame("polars")
    assert len(steps) == frame["failed_steps"].sum()
    assert steps.filter(steps["desideratum"] == "P3")["noise"].is_null().all()
    assert table(paper)[1] == ["rand", "0", "12", "120", "0", "28"]
    (shown,) = paper.document().tables
    assert [cell.value for cell in shown.rows[0].cells] == [None, 0, 12, 120, 0, 28]
    head = repr(paper).partition("\n")[0]
    assert " ".join(head.split()) == "measure P1 of 76 P2 of 76 P3 of 120 P4 of 190 P5 of 240"


def test_failures_read_as_sentences(paper):
    failure = paper.failures["P2"]["hamming"][0]
    assert str(failure) == (
        "P2 hamming at classes=5, noise=1, error_useful=0.1333, error_noise=0.3: 0.463333 stays "
        "as useful goes from 10 to 11"
    )
    assert failure.parameters["useful"] == (10, 11)
    assert "becomes" in str(paper.failures["P5"]["rand"][0])


def test_failures_one_by_one(paper):
    listed = paper.steps()
    grid = table(listed)
    assert len(grid) == 1 + sum(v.failed_steps for r in paper.verdicts.values() for v in r.values())
    assert grid[0][:3] == ["measure", "desideratum", "classes"]
    assert {row[-1] for row in grid[1:]} == {"yes", "no"}
    assert listed.document().notes == paper.document().notes
    assert json.loads(listed.to_json())["n"] == 500
