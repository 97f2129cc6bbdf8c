"""`Ensemble.aligned`: the same number for the same group of objects."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clustervet as cv
from clustervet.errors import ParameterError

LABELINGS = st.integers(2, 25).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 4), min_size=n, max_size=n), min_size=2, max_size=5)
)


@given(LABELINGS)
def test_every_labeling_stays_and_matches_the_reference_as_well_as_can_be(labelings):
    found = list(cv.Ensemble(labelings).aligned(0).values())
    for given_labels, numbers in zip(labelings, found, strict=True):
        assert cv.adjusted_rand(given_labels, numbers) == 1
        accuracy = cv.matching_accuracy(labelings[0], given_labels)
        assert np.mean(numbers == found[0]) == pytest.approx(accuracy)
    sizes = np.bincount(found[0])
    assert (np.diff(sizes) <= 0).all()  # largest first


def test_groups_that_the_reference_lacks_are_the_same_in_other_labelings():
    base = np.repeat([0, 1], 10)
    split = base.copy()
    split[3:10] = 7  # a part of the first cluster
    nearly = base.copy()
    nearly[4:10] = 3
    other = base.copy()
    other[15:] = 5
    found = cv.Ensemble({"base": base, "split": split, "nearly": nearly, "other": other}).aligned(
        "base"
    )
    assert set(found["split"][:3]) != set(found["split"][3:10])
    # The larger part is matched with the first cluster, and the smaller ones are the same group.
    assert found["split"][0] == found["nearly"][0] == 2
    assert found["other"][19] == 3 or found["other"][10] == 3


def test_the_medoid_gives_the_numbers_unless_another_is_named():
    labelings = {"a": [0, 0, 1, 1, 1], "b": [1, 1, 0, 0, 0], "c": [0, 1, 2, 3, 4]}
    ensemble = cv.Ensemble(labelings)
    medoid = ensemble.medoid.name
    assert ensemble.aligned()[medoid].tolist() == ensemble.aligned(medoid)[medoid].tolist()
    assert ensemble.aligned("c")["c"].tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ParameterError, match="there is no labeling 'd'"):
        ensemble.aligned("d")


def test_objects_without_a_label():
    labelings = {"a": [0, 0, None, 1], "b": [5, 5, 6, None]}
    shared = cv.Ensemble(labelings, shared=True).aligned("a")
    assert shared["a"].tolist() == [0, 0, -1, 1]
    assert shared["b"].tolist() == [0, 0, 2, -1]
    dropped = cv.Ensemble(labelings, missing="drop").aligned("a")
    assert dropped["a"].tolist() == [0, 0, -1, -1]
