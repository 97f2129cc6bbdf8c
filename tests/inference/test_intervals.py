from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import ClustervetError
from clustervet.inference.interval import METHODS, Interval, make_interval
from clustervet.inference.resample import _skewness, draw, evaluate

TABLE = cv.Contingency.from_counts([[45, 5, 0], [8, 40, 2], [0, 1, 49]])


@pytest.mark.parametrize("method", ["auto", *METHODS])
def test_an_interval_surrounds_the_value_and_keeps_to_the_bounds(method):
    found = cv.confidence_interval("adjusted_rand", TABLE, method=method, random_state=1)
    assert found.low < cv.adjusted_rand(TABLE) < found.high <= 1
    assert cv.adjusted_rand(TABLE) in found
    assert found.width == found.high - found.low


def test_what_is_taken_where_nothing_is_said():
    plain = cv.confidence_interval("vi", TABLE)
    assert (plain.method, plain.resamples, plain.confidence) == ("jackknife", 0, 0.95)
    assert plain == cv.confidence_interval("vi", TABLE, confidence=0.95, method="auto")
    drawn = cv.confidence_interval("vi", TABLE, method="basic", random_state=1)
    assert (drawn.method, drawn.resamples) == ("basic", 2_000)
    card = cv.external_scores(TABLE, measures="vi", confidence=0.95)
    assert card.score("vi").interval == plain
    truth, preds = [0, 0, 1, 1, 2, 2] * 5, {"a": [0, 0, 1, 1, 1, 2] * 5, "b": [0, 1] * 15}
    found = cv.rank_predictions(truth, preds)
    assert {one.interval.method for one in found.comparisons} == {"jackknife"}
    assert found.comparisons[0] == cv.compare_predictions(truth, *preds.values(), names=("a", "b"))


def test_the_seed_decides_and_threads_do_not():
    options = {"method": "basic", "resamples": 300}
    first, second, third = (
        cv.confidence_interval("vi", TABLE, random_state=7, n_jobs=jobs, **options)
        for jobs in (None, 2, -1)
    )
    assert first == second == third
    assert cv.confidence_interval("vi", TABLE, random_state=8, **options) != first


def left_out_one_by_one(truth, pred, measure):
    """The oracle: every object is left out of the labels, and the rest is scored anew."""
    keep = ~np.eye(len(truth), dtype=bool)
    return np.array([measure(truth[rest], pred[rest]) for rest in keep])


@given(st.integers(0, 2**32), st.sampled_from(["ari", "ami", "v_measure"]))
@settings(max_examples=30)
def test_the_jackknife_is_that_of_single_objects(seed, name):
    from sklearn import metrics

    peers = {
        "ari": metrics.adjusted_rand_score,
        "ami": metrics.adjusted_mutual_info_score,
        "v_measure": metrics.v_measure_score,
    }
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, 25)
    pred = np.where(rng.random(25) < 0.6, truth, rng.integers(0, 4, 25))
    n, value, without = 25, peers[name](truth, pred), left_out_one_by_one(truth, pred, peers[name])
    error = math.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    found = cv.confidence_interval(name, truth, pred)
    assert found.bias == pytest.approx((n - 1) * (without.mean() - value), abs=1e-9)
    assert found.standard_error == pytest.approx(error, abs=1e-9)


def test_the_interval_of_a_share_is_wilsons():
    # Each cluster holds one class and errors of the other, so purity is a share of 100 objects.
    from scipy.stats import binomtest

    table = cv.Contingency.from_counts([[45_000, 5_000], [8_000, 42_000]])
    found = cv.confidence_interval("purity", table)
    peer = binomtest(87_000, 100_000).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high), rel=1e-5)


def test_more_objects_than_doubles_can_count_one_by_one():
    counts = np.array([[450, 50], [80, 420]])
    few = cv.confidence_interval("vi", cv.Contingency.from_counts(counts * 10**6))
    many = cv.confidence_interval("vi", cv.Contingency.from_counts(counts * 10**12))
    assert many.standard_error == pytest.approx(few.standard_error / 1_000, rel=1e-3)
    assert many.bias == 0


# Links hold whole objects together, so that a table of shares has none.
LINKS = {f"{key}_{part}" for key in ("muc", "lea") for part in ("precision", "recall", "f1")}
LINKS |= {"conll_f1"}
EXTERNAL = [m.key for m in cv.measures.values() if m.kind == "external"]


@pytest.mark.parametrize("key", [key for key in EXTERNAL if key not in LINKS])
def test_what_depends_on_the_number_of_objects_is_known(key):
    record = cv.measures[key]
    table = cv.Contingency.from_counts([[40, 3, 0], [5, 30, 9], [1, 2, 60]])
    large = [table.with_values(table.cells.values * times) for times in (8, 64, 8**5, 8**6)]
    values = [record.evaluate(each).value for each in (table, *large)]
    shares = [record.evaluate(table.as_population(times * table.n)).value for times in (1, 8)]
    free = values[1] == pytest.approx(values[0], rel=1e-12)
    free |= shares[1] == pytest.approx(shares[0], rel=1e-12)
    # What is corrected for chance comes to rest as fast as chance vanishes.
    free |= record.adjusted and abs(values[4] - values[3]) < abs(values[2] - values[1]) / 1_000
    assert free != record.sized


def test_tables_of_many_cells_are_resampled():
    table = cv.Contingency.from_counts(np.full((50, 50), 20))
    found = cv.confidence_interval("f_measure", table, resamples=50, random_state=0)
    assert (found.method, found.resamples) == ("jackknife", 50)
    assert cv.f_measure(table) in found
    assert found == cv.confidence_interval("f_measure", table, resamples=50, random_state=0)


@given(
    st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=2, max_size=4),
    st.sampled_from([m.key for m in cv.measures.values() if m.kind == "external"]),
    st.floats(0.5, 0.99),
)
@settings(max_examples=150)
def test_an_interval_holds_its_value_and_keeps_to_the_range(counts, key, confidence):
    table = cv.Contingency.from_counts(counts) if np.sum(counts) > 1 else TABLE
    if len(table) < 2:
        return
    record = cv.measures[key]
    value = record.evaluate(table).value
    found = cv.confidence_interval(key, table, confidence=confidence)
    if math.isnan(found.low):
        assert not math.isfinite(value) or found.undefined
        return
    slack = 1e-9 * max(1, abs(value))
    assert found.low - slack <= value <= found.high + slack
    assert record.bounds[0] <= found.low <= found.high <= record.bounds[1]
    wider = cv.confidence_interval(key, table, confidence=(1 + confidence) / 2)
    assert wider.low <= found.low + slack
    assert found.high - slack <= wider.high


def test_an_interval_tells_how_often_such_intervals_were_right():
    large = cv.Contingency.from_counts(np.array([[450, 50], [80, 420]]))
    found = cv.confidence_interval("ari", large)
    assert found.coverage.least >= 0.9
    assert found.coverage.mean == pytest.approx(0.95, abs=0.03)
    assert not found.is_rough
    assert found.to_dict()["coverage"] == found.coverage._asdict()
    assert "tables like this one" in repr(found)
    rng = np.random.default_rng(0)
    few = cv.Contingency.from_labels(rng.integers(0, 9, 40), rng.integers(0, 9, 40))
    rough = cv.confidence_interval("vi", few)
    assert rough.is_rough
    assert rough.to_dict()["rough"]
    assert "rough guide" in repr(rough)
    card = cv.external_scores(few, measures=["vi", "nmi"], confidence=0.95)
    assert "rough guide" in repr(card)
    tiny = cv.confidence_interval("vi", cv.Contingency.from_counts([[3, 1], [1, 4]]))
    assert tiny.coverage is None
    assert "was not studied" in tiny.caution


def test_a_value_that_no_object_changes_has_no_sure_interval():
    found = cv.confidence_interval("vi", [0, 0, 1, 1] * 20, [5, 5, 6, 6] * 20)
    assert (found.low, found.high) == (0, 0)
    assert found.is_rough
    assert "no width" in found.caution


def test_a_generator_serves_as_random_state():
    first, second = (
        cv.confidence_interval(
            "vi", TABLE, method="basic", resamples=50, random_state=np.random.default_rng(3)
        )
        for _ in range(2)
    )
    assert first == second


def test_resampling_tables_spreads_values_as_resampling_labels_does():
    # The oracle draws objects and counts them anew, through scikit-learn.
    from sklearn.metrics import adjusted_rand_score

    cells = TABLE.to_dict()
    truth = np.repeat([c for c, _ in cells], list(cells.values()))
    pred = np.repeat([k for _, k in cells], list(cells.values()))
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(1_000):
        chosen = rng.integers(0, len(truth), len(truth))
        drawn.append(adjusted_rand_score(truth[chosen], pred[chosen]))
    found = cv.confidence_interval("ari", TABLE, method="basic", resamples=4_000, random_state=0)
    assert found.standard_error == pytest.approx(np.std(drawn), rel=0.1)


def test_a_billion_objects_cost_what_a_thousand_do():
    table = cv.Contingency.from_counts([[450_000_000, 50_000_000], [80_000_000, 420_000_000]])
    found = cv.confidence_interval("purity", table, random_state=0)
    assert found.width < 1e-4


def test_more_confidence_is_a_wider_interval():
    widths = [
        cv.confidence_interval("vi", TABLE, confidence=c, random_state=0).width
        for c in (0.5, 0.9, 0.99)
    ]
    assert widths == sorted(widths)


def test_plug_in_information_reports_its_bias():
    table = cv.Contingency.from_counts(np.full((6, 6), 3))
    found = cv.confidence_interval("mutual_information", table, random_state=0)
    # Miller and Madow's first-order bias of a plug-in estimate, (R-1)(C-1)/2n nats.
    assert found.bias == pytest.approx(25 / (2 * table.n) / math.log(2), rel=0.5)


def test_undefined_resamples_are_counted():
    # A resample without the second class has no class entropy to share.
    table = cv.Contingency.from_counts([[3, 1], [0, 1]])
    found = cv.confidence_interval("homogeneity", table, method="basic", random_state=0)
    assert 0 < found.undefined < found.resamples
    assert "of the resampled tables" in repr(found)
    without = cv.confidence_interval("homogeneity", table)
    assert without.undefined == 1
    card = cv.external_scores(table, measures="homogeneity", confidence=0.95)
    assert "undefined when one particular object is left out" in repr(card)


def test_every_measure_gets_an_interval_and_so_does_a_users_own():
    @cv.measure(title="Largest cluster", family="mine", better="lower", bounds=(0, 1))
    def largest_share(table):
        return float(table.cluster_sizes.max() / table.n)

    try:
        card = cv.external_scores(TABLE, confidence=0.9, resamples=100, random_state=0)
        for score in card.scores.values():
            assert score.interval is not None
            assert score.interval.confidence == 0.9
            assert math.isfinite(score.interval.low), score.measure.key
        assert card["largest_share"] in card.score("largest_share").interval
        assert card.to_dict()["scores"][0]["interval"]["method"] == "jackknife"
        assert card.score("largest_share").interval.coverage is None
        assert {"low", "high"} <= set(card.to_frame("pandas").columns)
        assert "0.9 confidence" in repr(card)
    finally:
        cv.measures.remove("largest_share")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 0}, "confidence must lie between 0 and 1, not 0"),
        ({"confidence": 1}, "confidence must lie between 0 and 1, not 1"),
        ({"confidence": math.nan}, "confidence must lie between 0 and 1, not nan"),
        ({"method": "magic"}, "method must be 'auto', 'jackknife', 'basic'"),
        ({"resamples": 3}, "resamples must be at least 20, not 3"),
        ({"random_state": "seed"}, "random_state must be None, a whole number from 0 on"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_what_makes_no_interval_is_refused(options, message):
    with pytest.raises(ClustervetError, match=message):
        cv.confidence_interval("vi", TABLE, **options)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1]], "at least two objects"),
        ([[7]], "at least two non-empty cells"),
        ([[0.5, 2.25]], "whole counts"),
    ],
)
def test_tables_that_cannot_be_resampled_are_refused(counts, message):
    with pytest.raises(ClustervetError, match=message):
        cv.confidence_interval("vi", cv.Contingency.from_counts(counts))


@given(
    st.lists(st.floats(-1, 1), min_size=30, max_size=60),
    st.floats(-1, 1),
    st.sampled_from(METHODS),
)
@settings(max_examples=60)
def test_ends_come_in_order(values, value, method):
    found = make_interval(value, np.array(values), 0.9, method, bounds=(-1, 1))
    assert -1 <= found.low <= found.high <= 1


def test_an_undefined_value_has_no_interval():
    found = make_interval(math.nan, np.arange(50.0), 0.9, "basic")
    assert math.isnan(found.low)
    assert found.to_dict()["low"] is None


def test_a_bias_beyond_the_standard_error_is_said():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 3, 600), rng.integers(0, 5, 600)
    card = cv.external_scores(truth, pred, measures="vi", confidence=0.9)
    assert "reaches further to the other side" in repr(card)


def test_an_option_that_nothing_knows_is_refused():
    with pytest.raises(ClustervetError, match="knows no option 'seed'"):
        cv.confidence_interval("vi", TABLE, seed=1)
    with pytest.raises(ClustervetError, match="did you mean missing"):
        cv.compare_predictions([0, 0, 1], [0, 0, 1], [0, 1, 1], mising="drop")


def test_cards_and_records_survive_pickling():
    import pickle

    card = cv.external_scores(TABLE, confidence=0.9, resamples=30, random_state=0)
    again = pickle.loads(pickle.dumps(card))
    assert again.to_dict() == card.to_dict()
    assert pickle.loads(pickle.dumps(cv.measures["vi"])) is cv.measures["vi"]
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE


def test_an_error_stops_all_threads_between_two_resamples():
    resamples, scored = 2_000_000, []

    def score(draws, done):
        for _ in draws:
            scored.append(None)
            if len(scored) == 100:
                raise KeyboardInterrupt
            done()
        return np.zeros((len(draws), 1))

    with pytest.raises(KeyboardInterrupt):
        evaluate(draw(np.array([1, 2, 3]), resamples, 0), score, resamples, 1, n_jobs=2)
    assert len(scored) < resamples / 2


def test_long_work_on_a_terminal_shows_how_far_it_is(monkeypatch, capsys):
    from clustervet import _progress as progress

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", 0.0)
    monkeypatch.delenv("CLUSTERVET_QUIET")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    cv.confidence_interval("f_measure", TABLE)
    assert "leaving objects out" in capsys.readouterr().err
    cv.confidence_interval("rand", TABLE, method="basic", resamples=50, random_state=0)
    assert "resampling" in capsys.readouterr().err


def test_work_in_a_pipe_is_silent(monkeypatch, capsys):
    from clustervet import _progress as progress

    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    cv.confidence_interval("rand", TABLE, resamples=50, random_state=0)
    assert capsys.readouterr().err == ""


def test_a_resampled_interval_far_off_its_value_is_a_rough_guide():
    found = Interval(0.1, 0.2, 0.95, "basic", 0.01, 0.05, 100, 0)
    assert found.is_rough
    assert found.caution.startswith("a rough guide, since there are too few objects")
    assert not Interval(0.1, 0.2, 0.95, "basic", 0.01, 0.02, 100, 0).caution
    assert not Interval(math.nan, math.nan, 0.95, "basic", 0.01, 0.05, 100, 0).caution


def test_an_interval_of_nothing_says_so():
    found = Interval(math.nan, math.nan, 0.95, "basic", math.nan, math.nan, 100, 98)
    text = str(found)
    assert "No interval: too few resampled tables have a value." in text
    assert "in 98 of the resampled tables" in text


def test_counts_that_no_integer_of_the_machine_holds_are_not_resampled():
    table = cv.Contingency.from_counts([[2**61, 1], [1, 2**61]])
    with pytest.raises(ClustervetError, match=r"an interval needs fewer than 2\^62 objects"):
        cv.confidence_interval("rand", table, method="basic", random_state=0)


def test_values_that_do_not_exist_have_no_skewness():
    assert _skewness(np.array([math.nan, math.nan]), np.array([1.0, 2.0])) == 0.0
    assert _skewness(np.array([0.5, 0.5]), np.array([1.0, 2.0])) == 0.0
    lower, upper = np.array([0.0, 1.0, 1.0]), np.array([1.0, 0.0, 0.0])
    assert _skewness(lower, np.ones(3)) == pytest.approx(1 / 6**1.5)
    assert _skewness(upper, np.ones(3)) == pytest.approx(-1 / 6**1.5)


@pytest.mark.parametrize("n", [3, 30, 41, 150, 999])
def test_a_perfect_value_is_in_its_interval(n):
    labels = np.arange(n) % 3
    for key in ("adjusted_rand", "purity", "normalized_mutual_information", "classification_error"):
        value = cv.measures[key](labels, labels)
        assert value in cv.confidence_interval(key, labels, labels)
