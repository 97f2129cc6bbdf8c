"""Checks of parameters: what passes, what is refused, and with which words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clustervet import _checks
from clustervet.errors import (
    ClustervetError,
    LabelError,
    ParameterError,
    Setting,
    UndefinedError,
    UnknownMeasureError,
)


def refusal(check, *arguments):
    with pytest.raises(ParameterError) as refused:
        check(*arguments)
    return str(refused.value)


def test_whole_numbers_within_bounds():
    assert [_checks.whole(value, "k", 1, 3) for value in (1, 2, 3)] == [1, 2, 3]
    found = _checks.whole(np.int8(5), "k")
    assert (found, type(found)) == (5, int)
    assert _checks.whole(0, "k") == 0
    for value in (0, 4):
        assert refusal(_checks.whole, value, "k", 1, 3) == (
            f"k must be a whole number between 1 and 3, not {value}."
        )
    assert refusal(_checks.whole, -1, "k") == "k must be a whole number of at least 0, not -1."
    assert refusal(_checks.whole, 5, "k", 1_000).startswith(
        "k must be a whole number of at least 1,"
    )
    for value in (True, 1.0, "1", None):
        assert refusal(_checks.whole, value, "k", 0, 9).endswith(f"not {value!r}.")


def test_numbers_and_shares():
    for value in (1, 0.5, np.float32(2), np.int64(3), -math.inf):
        assert _checks.is_number(value) is True
    for value in (True, math.nan, np.float64("nan"), "1", None):
        assert not _checks.is_number(value)
    assert _checks.share(np.float64(0.25), "p") == 0.25
    for value in (0, 1, 0.0, 1.0, -0.1, 1.1, math.nan, "0.5", True):
        assert refusal(_checks.share, value, "p") == f"p must lie between 0 and 1, not {value!r}."


def test_one_of_some_values():
    assert _checks.one_of("b", "x", iter("abc")) == "b"
    assert refusal(_checks.one_of, "d", "x", "abc") == "x must be 'a', 'b' or 'c', not 'd'."
    assert refusal(_checks.one_of, "d", "x", ["a"]) == "x must be 'a', not 'd'."


def test_jobs():
    assert [_checks.jobs(n) for n in (None, 1, -1, 4)] == [None, 1, -1, 4]
    assert refusal(_checks.jobs, 0) == "n_jobs must not be 0; -1 means all cores."


def test_generators_and_seeds():
    given = np.random.default_rng(3)
    assert _checks.generator(given) is given
    same = [_checks.generator(7).random(), np.random.default_rng(7).random()]
    assert same[0] == same[1]
    sequence = np.random.SeedSequence(11)
    assert _checks.generator(sequence).random() == np.random.default_rng(11).random()
    assert _checks.generator(None).random() != _checks.generator(None).random()
    assert _checks.entropy(sequence) == 11
    assert _checks.entropy(None) is None
    assert _checks.entropy(np.int64(0)) == 0
    for value in (-1, 1.5, True, "seed"):
        assert f"not {value!r}." in refusal(_checks.entropy, value)


@pytest.mark.parametrize(
    ("make", "bits"), [(np.random.default_rng, 63), (np.random.RandomState, 31)]
)
def test_a_number_drawn_from_a_generator_is_any_number(make, bits):
    drawn = [_checks.entropy(make(seed)) for seed in range(60)]
    assert len(set(drawn)) == 60
    assert drawn == [_checks.entropy(make(seed)) for seed in range(60)]
    assert 2 ** (bits - 2) < max(drawn) < 2**bits
    state = make(1)
    assert _checks.entropy(state) != _checks.entropy(state)


def test_the_nearest_names():
    known = ["rand", "rank", "purity"]
    assert _checks.nearest("ran", known) in (["rand"], ["rank"])
    assert len(_checks.nearest("ran", known)) == 1
    assert set(_checks.nearest("ran", known, 3)) == {"rand", "rank"}
    assert _checks.suggestion("puritee", known, "see the list.") == "did you mean purity?"
    assert _checks.suggestion("zzz", known, "see the list.") == "see the list."


def test_a_message_names_its_parameter_and_may_be_spelled_otherwise():
    error = LabelError("use ", Setting("missing", "drop"), " or ", Setting("noise"), ".")
    assert str(error) == "use missing='drop' or noise."
    assert error.parameter == "missing"
    assert error.parts == ("use ", ("missing", "drop"), " or ", ("noise", None), ".")
    spelled = error.spelled(lambda one: f"--{one.name}" + (f" {one.value}" if one.value else ""))
    assert spelled == "use --missing drop or --noise."
    assert LabelError("plain").parameter is None
    assert LabelError("plain", parameter="x").parameter == "x"
    assert LabelError(Setting("y"), parameter="x").parameter == "x"
    assert str(Setting("noise", 0)) == "noise=0"
    assert str(UnknownMeasureError("no measure")) == "no measure"
    assert isinstance(error, ClustervetError)
    assert isinstance(error, ValueError)
    assert UndefinedError("0/0").fault is None
    assert UndefinedError("0/0", fault=LabelError).fault is LabelError
