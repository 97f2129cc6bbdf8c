"""The bound and its record."""

from __future__ import annotations

import csv
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.datasets import iris_path
from clustervet.errors import ClustervetError, ParameterError
from clustervet.pacmdl import bmax, languages, pac_mdl_bound, transduce

TRUTH = ["ham"] * 40 + ["spam"] * 40
PRED = [0] * 38 + [1] * 42
EVEN = range(0, 80, 2)


def exact_bmax(m, n, a, delta):
    """From the definition, in whole numbers."""
    reached = [
        b
        for b in range(n + 1)
        if sum(math.comb(n, t) * math.comb(m, a + b - t) for t in range(b, min(n, a + b) + 1))
        >= delta * math.comb(m + n, a + b)
    ]
    return max(reached)


def test_the_bound_is_the_paper_s_formula():
    found = pac_mdl_bound(TRUTH, PRED, EVEN, language="init", runs=10, delta=0.05)
    assert (found.train_size, found.test_size, found.train_errors) == (40, 40, 1)
    assert found.bits == pytest.approx(2 + math.log2(10))
    assert found.max_errors == exact_bmax(40, 40, 1, Fraction(5, 100) / 10 / 4)
    assert found.rate == found.max_errors / 40
    assert (found.test_errors, found.test_rate, found.holds) == (1, 1 / 40, True)
    assert found.assignment == {0: "ham", 1: "spam"}
    assert found.costs == {"labels": 2, "runs": pytest.approx(math.log2(10))}
    assert found.train_rate == 1 / 40


def test_the_commonest_label_has_a_bound_of_its_own():
    found = pac_mdl_bound(list("aaab") * 20, [0, 1, 2, 3] * 20, range(40), delta=0.1)
    assert found.constant.label == "a"
    assert found.constant.train_errors == 10
    assert found.constant.error_rate == 0.25
    assert found.constant.max_errors == exact_bmax(40, 40, 10, Fraction(1, 20))
    assert found.beats_constant
    alike = pac_mdl_bound(list("aaab") * 20, [0] * 80, range(40))
    assert alike.max_errors == alike.constant.max_errors
    assert not alike.beats_constant
    assert "no worse than these clusters" in repr(alike)


def test_it_reads_well():
    text = repr(pac_mdl_bound(TRUTH, PRED, EVEN, language="mixture", runs=4))
    assert text.splitlines() == [
        "With probability at least 0.9, at most 9 of 40 unlabelled objects (22.50%) are predicted "
        "wrongly.",
        "labelled  1 of 40 wrong (2.50%)",
        "language  mixture: 4.00 bits (labels 2.00, runs 2.00)",
        "constant  always 'ham': at most 28 wrong (70.00%)",
        "provided  that the labelled objects are a random sample of all",
        "truth     1 of 40 wrong (2.50%), as bounded",
    ]


def test_auto_pays_for_the_choices_made():
    for choices, key in (
        ({}, "simple"),
        ({"runs": 3}, "init"),
        ({"runs": 3, "searched": True}, "cluster"),
        ({"algorithms": 2}, "algo"),
    ):
        assert pac_mdl_bound(TRUTH, PRED, EVEN, language="auto", **choices).language == key


def test_hostile_labels_are_shown_safely():
    found = pac_mdl_bound(["a\x1b[2J\n"] * 20 + ["b"] * 20, [0] * 20 + [1] * 20, range(0, 40, 2))
    for text in (repr(found), found.to_json()):
        assert "\x1b" not in text
    assert "a\n" not in repr(found)


def test_it_goes_out_as_plain_data():
    found = pac_mdl_bound(TRUTH, PRED, EVEN, language="permutation", runs=3)
    data = json.loads(found.to_json())
    assert data == found.to_dict()
    assert data["schema"] == "clustervet/bound/1"
    assert data["max_errors"] == found.max_errors
    assert data["rate"] == found.rate
    assert data["assignment"][1] == {"cluster": "1", "label": "spam"}
    assert data["verdict"] == found.verdict
    assert sum(data["costs"].values()) == pytest.approx(data["bits"])
    for backend in ("pandas", "polars", "pyarrow"):
        assert found.to_frame(backend).shape == (1, 22)
    assert found.to_frame("pandas").loc[0, "bits"] == found.bits
    assert pickle.loads(pickle.dumps(found)) == found


def test_unknown_truth_leaves_open_whether_the_bound_holds():
    truth = [label if k % 2 == 0 else None for k, label in enumerate(TRUTH)]
    found = pac_mdl_bound(truth, PRED)
    assert (found.test_errors, found.test_rate, found.holds) == (None, None, None)
    assert "truth" not in repr(found)
    assert found.max_errors == pac_mdl_bound(TRUTH, PRED, EVEN).max_errors
    partly = [*TRUTH[:60], *truth[60:]]
    some = pac_mdl_bound(partly, PRED, EVEN)
    assert (some.test_known, some.test_errors, some.holds) == (30, 1, None)
    wrong = pac_mdl_bound(
        [*TRUTH[:40], *["ham" if k % 2 else "spam" for k in range(40)]], PRED, EVEN
    )
    assert wrong.holds is False
    assert "more than bounded" in repr(wrong)


def test_more_possible_labels_cost_more_bits():
    assert pac_mdl_bound(TRUTH, PRED, EVEN, labels=4).bits == 4
    assert pac_mdl_bound(TRUTH, PRED, EVEN, labels=["spam", "ham", "scam"]).labels == 3
    one_seen = pac_mdl_bound(["a", "a", None, None], [0, 0, 1, 1], labels=["a", "b"])
    assert one_seen.bits == 2
    assert one_seen.without == 1


def test_empty_clusters_are_paid_for_by_the_number_asked_for():
    found = pac_mdl_bound(TRUTH, PRED, EVEN, language="cluster", clusters=5)
    assert found.bits == pytest.approx(2 + math.log2(20))
    assert found.clusters == 2


def test_a_language_may_be_a_record():
    by_name, by_record = (
        pac_mdl_bound(TRUTH, PRED, EVEN, language=given)
        for given in ("adaptive", languages["adaptive"])
    )
    assert by_name == by_record


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 3), st.booleans()), min_size=8, max_size=40
    ),
    st.sampled_from(["simple", "cluster", "permutation", "adaptive", "mixture"]),
    st.sampled_from([0.01, 0.1, 0.5]),
)
@settings(max_examples=80)
def test_bounds_follow_from_errors_and_bits(drawn, key, delta):
    truth, pred, labelled = map(list, zip(*drawn, strict=True))
    labelled[:2] = [True, False]
    truth[:2], pred[:2] = [0, 1], [0, 1]
    found = pac_mdl_bound(truth, pred, labelled, language=key, delta=delta)
    seen = transduce(truth, pred, labelled)
    assert found.train_errors == seen.train_errors
    assert found.max_errors == bmax(
        found.train_size, found.test_size, seen.train_errors, math.log2(delta) - found.bits
    )
    assert 0 <= found.max_errors <= found.test_size
    assert found.holds == (seen.test_errors <= found.max_errors)


@pytest.mark.parametrize("key", languages)
def test_the_guarantee_holds_for_splits_of_the_irises(key):
    # `studies/bound_holds.py` is the large version of this.
    with iris_path().open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    columns = {name: [row[name] for row in table] for name in table[0]}
    truth = columns.pop("species")
    # Four algorithms, of which a language that pays for it may take the best.
    choosing = key not in ("simple", "init", "cluster")
    candidates = list(columns.values()) if choosing else [columns["kmeans"]]
    rng, broken, splits = np.random.default_rng(0), 0, 100
    for _ in range(splits):
        labelled = rng.permutation(150) < 75
        options = {"language": key, "algorithms": len(candidates), "random_state": rng}
        bounds = [pac_mdl_bound(truth, pred, labelled, **options) for pred in candidates]
        broken += not min(bounds, key=lambda bound: bound.max_errors).holds
    assert broken <= 0.1 * splits


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"delta": 0}, "delta must lie between 0 and 1"),
        ({"delta": 1}, "delta must lie between 0 and 1"),
        ({"delta": -0.1}, "delta must lie between 0 and 1"),
        ({"delta": math.nan}, "delta must lie between 0 and 1"),
        ({"delta": "low"}, "delta must lie between 0 and 1"),
        ({"language": "simpel"}, "did you mean simple"),
        ({"language": None}, "no language None"),
        ({"runs": 0, "language": "init"}, "runs must be a whole number"),
        ({"runs": 2.5, "language": "init"}, "runs must be a whole number"),
        ({"algorithms": 0}, "algorithms must be a whole number"),
        ({"runs": 10}, "'simple' does not pay for choosing the run"),
        ({"clusters": 1}, "clusters=1 were asked for, but there are 2"),
    ],
)
def test_bad_options_get_a_clear_sentence(options, match):
    with pytest.raises(ParameterError, match=match) as caught:
        pac_mdl_bound(TRUTH, PRED, EVEN, **options)
    assert str(caught.value).endswith((".", "?"))


@pytest.mark.parametrize(
    ("truth", "labelled", "match"),
    [
        (TRUTH, None, "every object is labelled"),
        (TRUTH, range(80), "every object is labelled"),
        (TRUTH, [], "no object is labelled"),
        (["ham"] * 80, EVEN, "one label only, 'ham'"),
    ],
)
def test_what_cannot_be_bounded_is_refused(truth, labelled, match):
    with pytest.raises(ClustervetError, match=match):
        pac_mdl_bound(truth, PRED, labelled)


def test_a_column_says_which_objects_are_labelled():
    words = ["yes" if k % 2 == 0 else "no" for k in range(80)]
    ones = [int(k % 2 == 0) for k in range(80)]
    wanted = pac_mdl_bound(TRUTH, PRED, EVEN)
    assert pac_mdl_bound(TRUTH, PRED, words) == pac_mdl_bound(TRUTH, PRED, ones) == wanted
    with pytest.raises(ParameterError, match="'perhaps' is neither") as caught:
        pac_mdl_bound(TRUTH, PRED, ["perhaps", *words[1:]])
    assert caught.value.parameter == "labelled"


def test_the_document_has_facts_for_all_and_numbers_for_pages():
    section = pac_mdl_bound(TRUTH, PRED, EVEN).document()
    facts, numbers, assigned = section.tables
    assert [row.cells[0].text for row in facts.rows] == [
        "labelled",
        "language",
        "constant",
        "provided",
        "truth",
    ]
    assert numbers.detail
    assert ("max errors", 7) in [(row.cells[0].text, row.cells[1].value) for row in numbers.rows]
    assert [[cell.text for cell in row.cells] for row in assigned.rows] == [
        ["0", "ham"],
        ["1", "spam"],
    ]
    assert section.lead == section.paragraphs
    assert "| labelled | 1 of 40 wrong (2.50%) |" in pac_mdl_bound(TRUTH, PRED, EVEN).to_markdown()
