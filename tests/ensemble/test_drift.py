"""What became of clusters: events of the same objects, shares of other objects, chains."""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.stats import binomtest, chi2_contingency

import clustervet as cv
from clustervet.ensemble.drift import jensen_shannon, wilson
from clustervet.errors import FeatureError, LabelError, ParameterError

labels = st.lists(st.integers(0, 3), min_size=1, max_size=25)


def planted(kind, seed):
    """Labels of named objects at two times, and the clusters that the event happened to."""
    rng = np.random.default_rng([seed, len(kind)])
    k = int(rng.integers(3, 8))
    before = {f"o{i}": int(c) for i, c in enumerate(rng.integers(0, k, 60 * k))}
    after = dict(before)
    names = list(before)
    # Some objects move by chance, some leave, some come.
    for name in rng.choice(names, len(names) // 20, replace=False):
        after[name] = int(rng.integers(k))
    for name in rng.choice(names, len(names) // 25, replace=False):
        del after[name]
    for i in range(len(names) // 25):
        after[f"n{i}"] = int(rng.integers(k))
    a, b = (int(c) for c in rng.choice(k, 2, replace=False))
    held = [name for name in before if before[name] == a and name in after]
    if kind == "split":
        for name in held:
            if rng.random() < rng.uniform(0.3, 0.7):
                after[name] = 100
        return before, after, {a}, {a, 100}
    if kind == "merged":
        for name in [name for name, c in after.items() if c == a]:
            after[name] = b
        return before, after, {a, b}, {b}
    if kind == "died":
        dispersed = rng.random() < 0.5 and k > 3
        for name in held:
            if dispersed:
                after[name] = int(rng.choice([c for c in range(k) if c != a]))
            else:
                del after[name]
        for name in [name for name, c in after.items() if c == a]:
            del after[name]
        return before, after, {a}, set()
    if rng.random() < 0.5:
        after |= {f"x{i}": 100 for i in range(50)}
    else:
        for name in rng.choice(list(after), len(names) // 6, replace=False):
            after[str(name)] = 100
    return before, after, set(), {100}


@pytest.mark.parametrize("kind", ["split", "merged", "born", "died"])
def test_planted_events_are_named_in_50_of_50_trials(kind):
    for seed in range(50):
        before, after, old, young = planted(kind, seed)
        found = cv.drift(before, after)
        (event,) = found.of(kind)
        assert (set(event.before), set(event.after)) == (old, young)
        others = [one for one in found.events if one.kind not in (kind, "kept")]
        assert not others
        assert found.moved < 0.3


@given(st.data())
def test_every_cluster_has_its_place_and_every_object_is_counted(data):
    before = data.draw(labels)
    after = data.draw(st.lists(st.integers(0, 3), min_size=len(before), max_size=len(before)))
    found = cv.drift(before, after)
    pairs = Counter(zip(before, after, strict=True))
    sizes, later = Counter(before), Counter(after)
    follows = {(i, j) for (i, j), x in pairs.items() if 2 * x > sizes[i] or 2 * x > later[j]}
    for name in sizes:
        made = {j for i, j in follows if i == name}
        kinds = {event.kind for event in found.events if name in event.before}
        lone = len(made) == 1 and sum(j in made for _, j in follows) == 1
        assert ("died" in kinds) == (not made)
        assert ("split" in kinds) == (len(made) > 1)
        assert ("kept" in kinds) == lone
        assert kinds
    for name in later:
        held = {i for i, j in follows if j == name}
        kinds = {event.kind for event in found.events if name in event.after}
        assert ("born" in kinds) == (not held)
        assert ("merged" in kinds) == (len(held) > 1)
    stayed = sum(pairs[edge] for edge in follows)
    assert found.moved == pytest.approx(1 - stayed / len(before))
    for event in found.events:
        for flow in event.flows:
            if flow.before is None:
                assert math.isnan(flow.share)
                assert flow.share_after == 1
            else:
                assert 0 <= flow.low <= flow.share <= flow.high <= 1
                assert flow.share == flow.objects / sizes[flow.before]


@given(labels, st.permutations(range(4)))
def test_new_names_are_no_change(before, order):
    found = cv.drift(before, [f"c{order[label]}" for label in before])
    assert {event.kind for event in found.events} == {"kept"}
    assert found.moved == 0


@given(st.data())
def test_time_runs_both_ways(data):
    before = data.draw(labels)
    after = data.draw(st.lists(st.integers(0, 3), min_size=len(before), max_size=len(before)))
    turned = {"split": "merged", "merged": "split", "born": "died", "died": "born", "kept": "kept"}

    def facts(found, back=False):
        return {
            (turned[e.kind], frozenset(e.after), frozenset(e.before))
            if back
            else (e.kind, frozenset(e.before), frozenset(e.after))
            for e in found.events
        }

    one, two = cv.drift(before, after), cv.drift(after, before)
    assert facts(one) == facts(two, back=True)
    assert one.moved == two.moved


@given(st.integers(1, 60), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_scipy_s(total, data, confidence):
    hits = data.draw(st.integers(0, total))
    right = binomtest(hits, total).proportion_ci(confidence, method="wilson")
    assert wilson(hits, total, confidence) == pytest.approx((right.low, right.high), abs=1e-9)


@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.integers(0, 30)).filter(any), min_size=1, max_size=5
    ).filter(lambda rows: all(map(sum, zip(*rows, strict=True))))
)
def test_the_divergence_is_scipy_s(rows):
    one, two = (np.array(side)[None] for side in zip(*rows, strict=True))
    right = jensenshannon(one[0], two[0], base=2) ** 2
    assert jensen_shannon(one, two)[0] == pytest.approx(np.nan_to_num(right), abs=1e-9)


def test_shares_of_other_objects():
    before, after = ["a"] * 300 + ["b"] * 100, ["a"] * 150 + ["b"] * 200 + ["c"] * 5
    found = cv.drift(before, after, objects="new")
    assert found.clusters == ["a", "b", "c"]
    assert found.counts.tolist() == [[300, 100, 0], [150, 200, 5]]
    p, q = np.array([300, 100, 0.5]) / 400, np.array([150, 200, 5]) / 355
    assert found.psi == pytest.approx(float(((q - p) * np.log(q / p)).sum()))
    assert found.p_value == 1e-4
    assert found.verdict.startswith("The shares of the clusters have changed")
    # The published interval of 56/70 - 48/80 (Newcombe 1998, Table II, a, method 10).
    one, two = ["x"] * 48 + ["y"] * 32, ["x"] * 56 + ["y"] * 14
    low, high = cv.drift(one, two, objects="new").intervals[0]
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


def test_p_values_of_shares_are_those_of_chance():
    rng = np.random.default_rng(3)
    found = []
    for seed in range(60):
        one, two = rng.integers(0, 3, 80), rng.integers(0, 3, 50)
        mine = cv.drift(one, two, objects="new", random_state=seed).p_value
        table = [np.bincount(one, minlength=3), np.bincount(two, minlength=3)]
        right = chi2_contingency(table, lambda_="log-likelihood").pvalue
        assert mine == pytest.approx(right, abs=0.05)
        found.append(mine)
    assert np.mean(np.array(found) <= 0.05) <= 0.15
    assert cv.drift([0, 1], [0, 1], objects="new").verdict.startswith("No sign")


def test_new_points_get_the_old_clusters():
    rng = np.random.default_rng(1)
    points = np.concatenate([rng.normal(c, 1, (50, 2)) for c in (0, 20)])
    names = ["low"] * 50 + ["high"] * 50
    new = np.concatenate([rng.normal(0, 1, (10, 2)), rng.normal(20, 1, (70, 2))])
    found = cv.drift(names, X=points, new=new)
    assert dict(zip(found.clusters, found.counts[1].tolist(), strict=True)) == {
        "high": 70,
        "low": 10,
    }
    assert found.verdict.endswith(": +37.5%.") or found.verdict.endswith(": -37.5%.")
    assert cv.drift(names, X=points, new=new, how="knn").counts.tolist() == found.counts.tolist()


def test_objects_by_name_in_any_form():
    before = pd.Series([0, 0, 1, 1], index=list("wxyz"))
    after = pd.Series(["a", "a", "b"], index=list("xwv"))
    found = cv.drift(before, after)
    assert (found.gone, found.added) == (2, 1)
    assert found.to_dict() == cv.drift(dict(before), dict(after)).to_dict()
    assert [event.words for event in found.events] == ["1 died", "b was born", "0 is a"]
    groups = cv.drift([{"w", "x"}, {"y", "z"}], [{"w", "x", "y", "z"}])
    assert groups.of("merged")[0].words == "0, 1 merged into 0"


def test_a_cluster_without_an_origin_has_no_share_of_one():
    found = cv.drift({"a": 0, "b": 0, "c": 1}, {"a": 0, "b": 0, "n": "x", "m": "x"})
    ((born,), (died,)) = (found.of(kind)[0].flows for kind in ("born", "died"))
    assert (born.before, born.after, born.objects, born.share_after) == (None, "x", 2, 1)
    assert all(map(math.isnan, (born.share, born.low, born.high)))
    assert (died.before, died.after, died.objects, died.share) == (1, None, 1, 1)
    assert math.isnan(died.share_after)
    rows = [line.split() for line in repr(found).splitlines()]
    assert ["born", "-", "x", "2", "-", "1.0000"] in rows
    assert "a dash means no cluster" in repr(found)
    assert json.loads(found.to_json())["events"][0]["flows"][0]["share"] is None
    part = cv.drift([0, 0, 0, 1, 1, 1], [0, 0, 2, 1, 1, 2]).of("born")[0].flows[0]
    assert (part.objects, part.share, part.share_after) == (1, 1 / 3, 1 / 2)


def test_noise_and_missing_labels_are_no_cluster():
    found = cv.drift([0, 0, 1, -1], [0, 0, -1, 1])
    assert [event.words for event in found.events] == ["1 died", "1 was born", "0 is 0"]
    assert (found.gone, found.added) == (1, 1)
    assert len(cv.drift([0, 0, 1, -1], [0, 0, -1, 1], noise=None).before) == 3
    assert cv.drift([0, None, 1], [0, 0, None]).gone == 1
    apart = cv.drift({"x": 0, "y": None}, {"x": None, "y": 1})
    assert math.isnan(apart.moved)
    assert apart.verdict == "Of 1 cluster, 0 kept; 1 born and 1 died."


def test_several_periods_are_a_chain(tmp_path):
    months = {"jan": [0, 0, 1, 1], "feb": [0, 0, 0, 0], "mar": [5, 5, 6, 6]}
    found = cv.drift(months)
    assert [step.names for step in found.steps] == [("jan", "feb"), ("feb", "mar")]
    assert len(found) == 2
    assert found[1].of("split")
    assert found.to_frame()["from"].tolist() == ["jan", "jan", "feb", "feb"]
    assert json.loads(found.to_json())["steps"][0]["moved"] == 0
    assert cv.drift(pd.DataFrame(months)).to_dict() == found.to_dict()
    assert cv.drift(list(months.values()), names=list(months)).to_dict() == found.to_dict()
    (figure,) = cv.plots.figures(found)
    assert figure.layout.meta["title"] == found.verdict
    assert pickle.loads(pickle.dumps(found)).verdict == found.verdict
    cv.write_report(found, tmp_path / "report.html")
    shares = cv.drift([[0, 1], [0, 1, 1], [1, 1]], objects="new")
    assert not cv.plots.figures(shares)
    assert shares[0].names == ("labeling 1", "labeling 2")
    assert isinstance(cv.drift({"jan": [0, 1], "feb": [0, 1]}), cv.Drift)


def test_what_is_written():
    found = cv.drift(list("aaaabbbccc"), list("xxyyzzzzzz"), names=("then", "now"))
    assert found.columns()["event"] == ["merged", "merged", "split", "split"]
    assert found.to_dict()["events"][0]["before"] == ["b", "c"]
    assert "then to now, 10 objects" in repr(found)
    (figure,) = cv.plots.figures(found)
    assert figure.layout.meta["figure"] == "drift"
    shares = cv.drift([0, 1], [0, 0], objects="new")
    assert shares.to_frame().shape == (2, 8)
    assert json.loads(shares.to_json())["clusters"][1]["objects_after"] == 0


BAD = {
    "one time": (lambda: cv.drift([[0, 1]]), LabelError, "at least two times"),
    "no second time": (lambda: cv.drift({"x": 0}), ParameterError, "two times"),
    "other lengths": (lambda: cv.drift([0, 1], [0, 1, 1]), LabelError, "2 labels and after 3"),
    "no labels": (lambda: cv.drift(5, [0]), LabelError, "labels"),
    "a table of labels": (lambda: cv.drift(np.zeros((2, 2)), [0, 1]), LabelError, "labels"),
    "no object in common": (lambda: cv.drift({"x": 0}, {"y": 0}), LabelError, "in common"),
    "names on one side": (lambda: cv.drift({"x": 0}, [0]), LabelError, "give both alike"),
    "only noise": (lambda: cv.drift([-1, -1], [0, 0]), LabelError, "no cluster"),
    "unknown objects": (lambda: cv.drift([0], [0], objects="old"), ParameterError, "objects"),
    "only X": (lambda: cv.drift([0], X=[[0.0]]), ParameterError, "go together"),
    "new and after": (
        lambda: cv.drift([0], [0], X=[[0.0]], new=[[0.0]]),
        ParameterError,
        "leave after",
    ),
    "how alone": (lambda: cv.drift([0], [0], how="knn"), ParameterError, "go with X and new"),
    "standardize alone": (
        lambda: cv.drift([0], [0], standardize=True),
        ParameterError,
        "go with X and new",
    ),
    "distances": (
        lambda: cv.drift([0], X=[[0.0]], new=[[0.0]], metric="precomputed"),
        ParameterError,
        "by their features",
    ),
    "other features": (
        lambda: cv.drift([0], X=[[0.0]], new=[[0.0, 1.0]], standardize=True),
        FeatureError,
        "has 2, and X has 1",
    ),
    "other objects": (
        lambda: cv.drift(
            pd.Series([0, 1], index=[5, 6]),
            X=pd.DataFrame({"x": [0.0, 1.0]}),
            new=[[0.0]],
            standardize=True,
        ),
        LabelError,
        "index",
    ),
    "confidence": (lambda: cv.drift([0], [0], confidence=2), ParameterError, "confidence"),
    "names": (lambda: cv.drift([0], [0], names=["a"]), ParameterError, "2 different names"),
    "equal names": (lambda: cv.drift([0], [0], names=["a", "a"]), ParameterError, "different"),
    "a name twice": (
        lambda: cv.drift(pd.Series([0, 0], index=["x", "x"]), pd.Series([0], index=["x"])),
        LabelError,
        "twice",
    ),
    "kind": (lambda: cv.drift([0], [0]).of("moved"), ParameterError, "kind"),
}


@pytest.mark.parametrize(("call", "error", "words"), BAD.values(), ids=BAD)
def test_bad_input_gets_one_sentence(call, error, words):
    with pytest.raises(error, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)
