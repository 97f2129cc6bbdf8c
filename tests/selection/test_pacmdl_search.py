from __future__ import annotations

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from clustervet import selection
from clustervet.errors import LabelError, ParameterError
from clustervet.selection import PacMdlSearch, select

RNG = np.random.default_rng(0)
ORDER = RNG.permutation(120)
Y = np.repeat([3, 5, 7], 40)[ORDER]
X = (RNG.normal(size=(120, 2)) + 6 * np.repeat([[0, 0], [1, 0], [0, 1]], 40, axis=0))[ORDER]
KM = {"km": KMeans(n_init=1)}


def hidden():
    return np.where(np.arange(120) % 3 == 0, Y, -1)


def test_scikit_learns_own_checks():
    search = PacMdlSearch(KM, clusters=[2, 3], runs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # checks warn about what they pass over
        check_estimator(
            search,
            expected_failed_checks={
                "check_classifiers_classes": "-1 means that a label is missing",
            },
        )


def test_it_is_a_selection():
    search = PacMdlSearch(KM, clusters=[2, 3, 4], runs=3, delta=0.05, random_state=4)
    search.fit(X, hidden())
    truth = [None if label == -1 else int(label) for label in hidden()]
    found = select(X, truth, KM, [2, 3, 4], 3, delta=0.05, random_state=4)
    assert search.selection_.to_json() == found.to_json()
    assert search.best_bound_ == found.bound
    assert search.best_params_ == {
        "algorithm": "km",
        "clusters": found.best.clusters,
        "run": found.best.run,
        "random_state": found.best.seed,
    }
    np.testing.assert_array_equal(search.labels_, found.labels)
    np.testing.assert_array_equal(search.transduction_, found.predictions)
    np.testing.assert_array_equal(search.best_estimator_.labels_, found.labels)
    assert search.classes_.tolist() == [3, 5, 7]
    assert (search.transduction_ == Y).mean() > 0.95


@pytest.mark.parametrize(
    "y",
    [
        [None if label == -1 else label for label in hidden().tolist()],
        np.where(hidden() == -1, np.nan, hidden()),
        pd.Series(hidden()).where(hidden() != -1),
        pd.array(hidden(), dtype="Int64"),
        hidden().astype(float),
    ],
    ids=["None", "NaN", "series", "Int64", "-1.0"],
)
def test_every_sign_of_a_missing_label_means_the_same(y):
    search = PacMdlSearch(KM, clusters=[3], runs=2)
    assert search.fit(X, y).best_bound_.train_size == 40


def test_words_as_labels():
    words = np.array(["x", "y", "z"])[np.unique(Y, return_inverse=True)[1]].astype(object)
    words[::2] = None
    search = PacMdlSearch(KM, clusters=[3], runs=2).fit(X, words)
    assert search.classes_.tolist() == ["x", "y", "z"]
    assert set(search.predict(X)) == {"x", "y", "z"}
    np.testing.assert_array_equal(search.predict(X), search.transduction_)


def test_labels_of_several_kinds_are_classes_in_their_own_order():
    mixed = np.array(["x", 5, "z"], object)[np.unique(Y, return_inverse=True)[1]]
    search = PacMdlSearch(KM, clusters=[3], runs=1).fit(X, mixed)
    assert search.classes_.dtype == object
    assert sorted(search.classes_.tolist(), key=str) == [5, "x", "z"]


def test_the_room_loads_the_search_when_it_is_asked_for():
    assert (
        selection.__getattr__("PacMdlSearch")
        is sys.modules["clustervet.selection.search"].PacMdlSearch
    )
    with pytest.raises(AttributeError, match="has no attribute 'PacMdlSearc'"):
        selection.PacMdlSearc  # noqa: B018  # asking for it is the test


def test_predictions_are_labels_of_clusters():
    search = PacMdlSearch(KM, clusters=[3], runs=2).fit(X, hidden())
    np.testing.assert_array_equal(search.predict([[0, 0], [6, 0], [0, 6]]), [3, 5, 7])
    assert search.score(X, Y) > 0.95
    assert cross_val_score(search, X, Y, cv=3).mean() > 0.9


def test_no_prediction_where_the_best_estimator_has_none():
    search = PacMdlSearch({"tree": AgglomerativeClustering()}, clusters=[3])
    assert not hasattr(search, "predict")
    search.fit(X, hidden())
    assert not hasattr(search, "predict")
    assert (search.transduction_ == Y).mean() > 0.95


def test_a_weighted_search_predicts_from_counts():
    counts = sparse.csr_matrix(
        RNG.poisson(0.2 + 3.0 * np.repeat(np.kron(np.eye(3), np.ones((1, 4))), 20, axis=0))
    )
    topics = np.repeat([0, 1, 2], 20)
    search = PacMdlSearch(["spherical"], clusters=[3], runs=3, weighting="tfidf")
    search.fit(counts, topics)
    np.testing.assert_array_equal(search.predict(counts), search.transduction_)
    assert [name for name, _ in search.best_estimator_.steps] == [
        "tfidf",
        "sphericalkmeans",
    ]
    for name in ("spherical", "kl"):
        search = PacMdlSearch([name], clusters=[3], runs=3, weighting="tfidf", neighbours=4)
        search.fit(counts, topics)
        np.testing.assert_array_equal(search.predict(counts), search.transduction_)
        assert "neighboursmoothing" in search.best_estimator_.named_steps


def test_a_journal_and_seeds_of_all_kinds(tmp_path):
    options = {"clusters": [2, 3], "runs": 2, "journal": tmp_path / "run.db"}
    first = PacMdlSearch(KM, **options).fit(X, hidden())
    again = clone(first).fit(X, hidden())
    assert again.selection_.to_json() == first.selection_.to_json()
    seeded = PacMdlSearch(KM, clusters=[3], runs=1, random_state=np.random.RandomState(0))
    assert seeded.fit(X, hidden()).selection_.study.seed != 0


def test_refusals():
    with pytest.raises(NotFittedError):
        PacMdlSearch(KM).predict(X)
    with pytest.raises(LabelError, match="X has 120 points and y has 119 labels"):
        PacMdlSearch(KM).fit(X, Y[:-1])
    with pytest.raises(LabelError, match="one class only, '3'"):
        PacMdlSearch(KM).fit(X, np.full(120, 3))
    with pytest.raises(LabelError, match="no object is labelled"):
        PacMdlSearch(KM).fit(X, np.full(120, -1))
    with pytest.raises(LabelError, match="y to be passed"):
        PacMdlSearch(KM).fit(X, None)
    with pytest.raises(ParameterError, match="delta must lie"):
        PacMdlSearch(KM, delta=3).fit(X, Y)


# In scikit-learn's own machinery


def piped(**options):
    return make_pipeline(StandardScaler(), PacMdlSearch(KM, clusters=[2, 3], runs=2, **options))


def test_a_pipeline_fits_and_predicts_in_one_step_or_in_two():
    found = piped().fit_predict(X, hidden())
    np.testing.assert_array_equal(found, piped().fit(X, hidden()).predict(X))
    assert (found == Y).mean() > 0.95


def test_clusterers_without_predictions_still_label_the_points_that_are_fitted():
    pipe = make_pipeline(StandardScaler(), PacMdlSearch(["ward"], clusters=[3]))
    assert not hasattr(pipe, "predict")
    assert (pipe.fit_predict(X, hidden()) == Y).mean() > 0.95


def test_parameters_pass_through_a_pipeline_and_its_copies():
    pipe = piped(random_state=1)
    copy = clone(pipe).set_params(pacmdlsearch__delta=0.05, pacmdlsearch__clusters=[3])
    assert pipe.get_params()["pacmdlsearch__delta"] == 0.1
    assert clone(copy).get_params()["pacmdlsearch__delta"] == 0.05
    search = copy.fit(X, hidden())[-1]
    assert (search.best_params_["clusters"], search.best_bound_.delta) == (3, 0.05)
    assert not hasattr(clone(copy)[-1], "selection_")


def test_a_grid_of_parameters_is_searched_by_the_points_that_have_a_label():
    grid = GridSearchCV(piped(), {"pacmdlsearch__clusters": [[2], [3]]}, cv=3)
    grid.fit(X, hidden())
    assert grid.best_params_ == {"pacmdlsearch__clusters": [3]}
    assert grid.best_score_ == pytest.approx(1.0, abs=0.05)  # unlabelled points are no errors
    assert (grid.predict(X) == Y).mean() > 0.95


def test_the_score_is_over_points_with_a_label_and_takes_weights():
    search = PacMdlSearch(KM, clusters=[2], runs=2).fit(X, hidden())
    known = hidden() != -1
    right = (search.predict(X) == Y)[known]
    assert 0.5 < right.mean() < 0.9
    assert search.score(X, hidden()) == pytest.approx(right.mean())
    weights = np.arange(120.0)
    expected = np.average(right, weights=weights[known])
    assert search.score(X, hidden(), sample_weight=weights) == pytest.approx(expected)
    words = ["abc"[label // 2 - 1] if label > 0 else None for label in hidden().tolist()]
    assert PacMdlSearch(KM, clusters=[3], runs=2).fit(X, words).score(X, words) > 0.95
    with pytest.raises(LabelError, match="no point of y has a label, so there is nothing to score"):
        search.score(X, np.full(120, -1))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        search.score(X, hidden()[:-1])


def test_the_points_that_are_looked_at_can_be_given():
    mask = np.arange(120) % 3 == 0
    search = PacMdlSearch(KM, clusters=[3], runs=2).fit(X, Y, labelled=mask)
    found = select(X, Y, KM, [3], 2, labelled=mask)
    assert search.selection_.to_json() == found.to_json()
    frame, series = pd.DataFrame(X), pd.Series(mask, index=np.arange(120)[::-1])
    with pytest.raises(LabelError, match="X and labelled have the same index values in another"):
        PacMdlSearch(KM, clusters=[3]).fit(frame, Y, labelled=series)


def test_metadata_are_routed_to_a_search_that_asks_for_them():
    mask = np.arange(120) % 3 == 0
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(ValueError, match=r"labelled.* not explicitly set"):
            piped().fit(X, Y, labelled=mask)
        pipe = piped()
        pipe[-1].set_fit_request(labelled=True)
        assert pipe.fit(X, Y, labelled=mask)[-1].best_bound_.train_size == mask.sum()
        assert (pipe.fit_predict(X, Y, labelled=mask) == Y).mean() > 0.95
        grid = GridSearchCV(pipe, {"pacmdlsearch__clusters": [[2], [3]]}, cv=3)
        best = grid.fit(X, Y, labelled=mask).best_estimator_[-1]
        assert (best.best_params_["clusters"], best.best_bound_.train_size) == (3, mask.sum())
