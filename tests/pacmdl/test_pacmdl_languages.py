"""Languages: their lengths from the definitions, and Kraft's inequality by enumeration."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.errors import ParameterError
from clustervet.pacmdl import Description, Language, kraft_sum, language, languages, mixture_of

BUILT_IN = ("simple", "init", "cluster", "algo", "permutation", "adaptive", "mixture")


def described(clusters, labels, **choices):
    for assignment in product(range(labels), repeat=clusters):
        yield Description(clusters=clusters, labels=labels, assignment=assignment, **choices)


def urn_share(assignment, start, step):
    """Probability of the labels in turn from an urn that changes by `step` at each draw."""
    urn, share = list(start), Fraction(1)
    for label in assignment:
        share *= Fraction(urn[label], sum(urn))
        urn[label] += step
    return share


def shares(d):
    """The label code of each language as an exact probability."""
    uniform = Fraction(1, d.labels**d.clusters)
    copies = math.ceil(d.clusters / d.labels)
    distinct = urn_share(d.assignment, [copies] * d.labels, -1)
    urns = {
        "simple": uniform,
        "permutation": (distinct + uniform) / 2,
        "adaptive": urn_share(d.assignment, [Fraction(1, 2)] * d.labels, 1),
    }
    return urns | {"mixture": sum(urns.values()) / 3}


assignments = st.integers(2, 6).flatmap(
    lambda labels: st.tuples(
        st.just(labels), st.lists(st.integers(0, labels - 1), min_size=1, max_size=30)
    )
)


@given(assignments)
@settings(max_examples=200)
def test_label_bits_are_those_of_the_urns(drawn):
    labels, assignment = drawn
    d = Description(clusters=len(assignment), labels=labels, assignment=tuple(assignment))
    for key, share in shares(d).items():
        want = math.log2(share.denominator) - math.log2(share.numerator)
        assert languages[key].bits(d) == pytest.approx(want, rel=1e-12, abs=1e-12), key


@pytest.mark.parametrize("key", BUILT_IN)
@pytest.mark.parametrize(("clusters", "labels"), [*product(range(1, 6), (2, 3)), (3, 5), (7, 2)])
def test_kraft_s_inequality_over_all_assignments(key, clusters, labels):
    # All of them spend the whole sum: none could be shortened everywhere.
    assert kraft_sum(languages[key], clusters, labels) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("key", "runs", "algorithms", "searched"),
    [
        ("init", 4, 1, False),
        *((key, 4, 1, True) for key in ("cluster", "permutation", "adaptive", "mixture")),
        *((key, 4, 3, True) for key in ("algo", "permutation", "adaptive", "mixture")),
    ],
)
def test_kraft_s_inequality_over_all_choices_too(key, runs, algorithms, searched):
    # A description also says which of the runs, which of the algorithms and which number.
    most = 7
    numbers = range(2, most + 1) if searched else [3]
    total = math.fsum(
        runs * algorithms * 2.0 ** -languages[key].bits(d)
        for number in numbers
        for d in described(number, 2, runs=runs, algorithms=algorithms, searched=searched)
    )
    assert total == pytest.approx(1 - 1 / most if searched else 1, abs=1e-12)


def test_empty_clusters_do_not_break_kraft_s_inequality():
    # Asked for 2..5 clusters, an algorithm may find fewer; the number asked for is described.
    total = math.fsum(
        2.0 ** -languages["cluster"].bits(d)
        for number in range(2, 6)
        for d in described(2, 3, number=number)
    )
    assert total == pytest.approx(1 - 1 / 5)


@pytest.mark.parametrize("c", [2, 3, 10])
@pytest.mark.parametrize("labels", [2, 3, 20])
def test_the_paper_s_languages_have_the_lengths_of_equations_1_to_4(c, labels):
    r, s = 10, 6
    base = c * math.log2(labels)
    made = {"clusters": c, "labels": labels}
    runs, number = math.log2(r), math.log2(c * (c - 1))
    assert languages["simple"].bits(Description(**made)) == pytest.approx(base)
    assert languages["init"].bits(Description(**made, runs=r)) == pytest.approx(base + runs)
    cluster = Description(**made, runs=r, searched=True)
    assert languages["cluster"].bits(cluster) == pytest.approx(base + runs + number)
    algo = Description(**made, runs=r, searched=True, algorithms=s)
    assert languages["algo"].bits(algo) == pytest.approx(base + runs + number + math.log2(s))


def test_languages_beyond_the_paper_pay_for_the_choices_made():
    d = Description(
        clusters=3, labels=3, assignment=(0, 1, 2), runs=8, algorithms=4, searched=True, number=4
    )
    costs = languages["permutation"].costs(d)
    assert {key: costs[key] for key in ("runs", "algorithms")} == {"runs": 3, "algorithms": 2}
    assert costs["number"] == pytest.approx(math.log2(12))
    assert set(languages["adaptive"].costs(Description(clusters=1, labels=2, assignment=(1,)))) == {
        "labels"
    }


@pytest.mark.parametrize("size", [3, 5, 20])
def test_a_permutation_costs_at_most_log_of_its_factorial_and_one_bit(size):
    d = Description(clusters=size, labels=size, assignment=tuple(reversed(range(size))))
    assert languages["permutation"].bits(d) <= math.log2(math.factorial(size)) + 1
    assert languages["permutation"].bits(d) < languages["simple"].bits(d)


def test_a_skewed_assignment_is_short_under_the_adaptive_language():
    d = Description(clusters=100, labels=10, assignment=(3,) * 95 + (4,) * 5)
    assert languages["adaptive"].bits(d) < 0.25 * languages["simple"].bits(d)


@given(assignments)
@settings(max_examples=100)
def test_a_mixture_is_within_log_of_its_members_of_the_shortest(drawn):
    labels, assignment = drawn
    d = Description(clusters=len(assignment), labels=labels, assignment=tuple(assignment))
    best = min(languages[key].bits(d) for key in ("simple", "permutation", "adaptive"))
    assert languages["mixture"].bits(d) <= best + math.log2(3) + 1e-9


@pytest.mark.parametrize(
    ("key", "choices", "better"),
    [
        ("simple", {"runs": 2}, "init"),
        ("simple", {"searched": True}, "cluster"),
        ("init", {"runs": 2, "searched": True}, "cluster"),
        ("cluster", {"algorithms": 2}, "algo"),
    ],
)
def test_a_choice_that_is_not_paid_for_is_refused(key, choices, better):
    with pytest.raises(ParameterError, match=f"does not pay .*'{better}' does"):
        languages[key].bits(Description(clusters=3, labels=3, **choices))


@pytest.mark.parametrize("key", ["cluster", "algo"])
def test_the_number_of_clusters_is_coded_from_two_on(key):
    with pytest.raises(ParameterError, match="two clusters"):
        languages[key].bits(Description(clusters=1, labels=3))
    assert languages[key].bits(Description(clusters=1, labels=2, number=2)) == 2


@pytest.mark.parametrize(
    "fields",
    [
        *({"clusters": 0}, {"labels": 1}, {"runs": 0}, {"algorithms": -2}, {"number": 2}),
        *({"runs": 1.5}, {"runs": True}, {"assignment": (0, 1)}, {"assignment": (0, 1, 9)}),
    ],
)
def test_descriptions_that_cannot_be_are_refused(fields):
    with pytest.raises(ParameterError, match="must"):
        Description(**({"clusters": 3, "labels": 3} | fields))


def test_a_code_of_the_assignment_needs_one():
    with pytest.raises(ParameterError, match="needs the assignment"):
        languages["adaptive"].bits(Description(clusters=3, labels=3))


@pytest.fixture
def mine():
    made = []

    def make(**options):
        def decorate(code):
            record = language(**options)(code)
            made.append(record.key)
            return record

        return decorate

    yield make
    for key in made:
        languages.remove(key)


def test_a_user_s_language_joins_and_its_choices_are_paid_for(mine):
    @mine(title="The first label is on half of the clusters")
    def skewed(description):
        """Half the probability for the first label."""
        rest = 1 + math.log2(description.labels - 1)
        return sum(rest if label else 1 for label in description.known_assignment)

    assert "skewed" in languages
    assert languages["Skewed"].meaning == "Half the probability for the first label."
    d = Description(clusters=3, labels=3, assignment=(0, 0, 1), runs=8)
    assert languages["skewed"].costs(d) == {"labels": 4, "runs": 3}
    both = mixture_of(["skewed", "adaptive"], key="both")
    assert kraft_sum(both, 3, 3) == pytest.approx(1)


def test_what_is_no_code_is_refused():
    with pytest.raises(ParameterError, match="Kraft's inequality: with 1 clusters and 2 labels"):
        language(title="One bit less than it takes", key="greedy")(
            lambda d: max(0, d.clusters * math.log2(d.labels) - 1)
        )
    with pytest.raises(ParameterError, match="not a length"):
        language(title="Nothing", key="nothing")(lambda d: math.nan)
    assert "greedy" not in languages
    assert "nothing" not in languages


def test_keys_are_taken_once_and_choices_have_names():
    with pytest.raises(ParameterError, match="already"):
        language(title="Another", key="simple")(lambda d: 1e9)
    with pytest.raises(ParameterError, match="lower case"):
        language(title="Another", key="Simple ")(lambda d: 1e9)
    with pytest.raises(ParameterError, match="choices are among"):
        language(title="Another", key="other", choices=["luck"])(lambda d: 1e9)
    with pytest.raises(ParameterError, match="at least one"):
        mixture_of([], key="none")


def test_an_unknown_language_is_refused_with_a_suggestion():
    with pytest.raises(ParameterError, match="did you mean permutation"):
        languages["permutations"]
    with pytest.raises(ParameterError, match="there are simple, init"):
        languages["xyzzy"]
    with pytest.raises(ParameterError, match="no language 7"):
        languages[7]


def test_the_registry_holds_records_that_say_what_they_pay_for():
    assert [key for key in languages if key in BUILT_IN] == list(BUILT_IN)
    for record in languages.values():
        assert isinstance(record, Language)
        assert record.title
        assert record.meaning.endswith(".")
        assert "pays for" in record.meaning.lower()
        assert record.reference
        assert pickle.loads(pickle.dumps(record)) == record


def test_a_length_without_end_is_a_length(mine):
    @mine(title="Only the first label")
    def stubborn(description):
        """Pays for nothing else."""
        return math.inf if any(description.known_assignment) else 0

    assert kraft_sum(languages["stubborn"], 3, 2) == 1
    mixed = mixture_of(["stubborn", "simple"], key="hopeful")
    assert mixed.bits(Description(clusters=2, labels=2, assignment=(0, 1))) == 3
    only = mixture_of(["stubborn"], key="hopeless")
    assert only.bits(Description(clusters=2, labels=2, assignment=(0, 1))) == math.inf
