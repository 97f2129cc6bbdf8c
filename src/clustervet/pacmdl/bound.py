"""`pac_mdl_bound`: how often a clustering can be wrong about labels that are not known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from clustervet._checks import share, whole
from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.labels import show_label
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.pacmdl.coding import Description, Language
from clustervet.pacmdl.registry import languages
from clustervet.pacmdl.tail import bmax
from clustervet.pacmdl.transduction import Transduction, transduce
from clustervet.view import Result, Section, facts_table, plain, plain_table
from clustervet.view.words import class_note, noise_note


@dataclass(frozen=True, slots=True)
class ConstantLabel:
    """The classifier that always predicts the most common label, for comparison.

    Parameters
    ----------
    label : object
        The most common label among the labelled objects.
    train_errors : int
        Number of labelled objects with another label.
    max_errors : int
        Bound on the errors among the unlabelled objects, for log2 l bits with l labels.
    rate : float
        The same as a share of the unlabelled objects.
    error_rate : float
        Error rate of the best constant answer to all objects whose truth is known, as the paper
        prints it.

    Examples
    --------
    >>> import clustervet as cv
    >>> cv.pac_mdl_bound(["a", "a", "b", None], [0, 0, 1, 1]).constant.label
    'a'
    """

    label: Any
    train_errors: int
    max_errors: int
    rate: float
    error_rate: float


@dataclass(frozen=True, slots=True, repr=False)
class Bound(Result):
    """With probability 1 - delta, at most `max_errors` of `test_size` predictions are wrong.

    Parameters
    ----------
    language : str
        Key of the language.
    delta : float
        Probability with which the bound may fail.
    train_size : int
        Number of labelled objects.
    train_errors : int
        Number of labelled objects whose cluster predicts another label.
    test_size : int
        Number of unlabelled objects.
    test_known : int
        Number of unlabelled objects whose truth was given.
    test_errors : int or None
        Number of wrong predictions among these; None if there are none.
    clusters : int
        Number of clusters.
    labels : int
        Number of possible labels.
    bits : float
        Length of the description under the language.
    costs : dict
        Bits by what they pay for: the labels, and each choice.
    max_errors : int
        Bound on the number of errors among the unlabelled objects.
    assignment : dict
        Label that each cluster predicts.
    tied : int
        Number of clusters whose label was drawn because of a tie.
    without : int
        Number of clusters without labelled objects, whose label was drawn.
    constant : ConstantLabel
        The classifier that always predicts the most common label.
    noise_as_cluster : tuple of int, optional
        Number of objects whose label is -1, and of those whose cluster is -1 where no policy said
        what that means.

    Notes
    -----
    `max_errors` is bmax(m, n, a, 2^-bits delta) of Banerjee & Langford 2004, §2, with m labelled
    and n unlabelled objects and a errors among the labelled ones.

    Examples
    --------
    >>> import clustervet as cv
    >>> bound = cv.pac_mdl_bound(["ham", "spam"] * 40, [0, 1] * 40, labelled=range(0, 40))
    >>> bound.max_errors, bound.test_size, bound.assignment
    (5, 40, {0: 'ham', 1: 'spam'})
    >>> bound.rate, bound.beats_constant, bound.holds
    (0.125, True, True)
    """

    SCHEMA: ClassVar[str] = "clustervet/bound/1"

    language: str
    delta: float
    train_size: int
    train_errors: int
    test_size: int
    test_known: int
    test_errors: int | None
    clusters: int
    labels: int
    bits: float
    costs: Mapping[str, float]
    max_errors: int
    assignment: Mapping[Any, Any]
    tied: int
    without: int
    constant: ConstantLabel
    noise_as_cluster: tuple[int, int] = (0, 0)

    @property
    def rate(self) -> float:
        """Bound on the error rate of the unlabelled objects."""
        return self.max_errors / self.test_size

    @property
    def train_rate(self) -> float:
        """Error rate of the labelled objects."""
        return self.train_errors / self.train_size

    @property
    def test_rate(self) -> float | None:
        """True error rate of the unlabelled objects, where their truth is known."""
        return None if self.test_errors is None else self.test_errors / self.test_known

    @property
    def holds(self) -> bool | None:
        """Whether the bound turned out to be true; None where the truth does not decide it."""
        if self.test_errors is None:
            return None
        if self.test_errors > self.max_errors:
            return False
        unknown = self.test_size - self.test_known
        return True if self.test_errors + unknown <= self.max_errors else None

    @property
    def beats_constant(self) -> bool:
        """Whether the bound is lower than that of always predicting the most common label."""
        return self.max_errors < self.constant.max_errors

    def to_dict(self) -> dict[str, Any]:
        """Return the bound as plain data; labels as text that is safe to show.

        Returns
        -------
        dict
            Numbers, texts, lists and dicts, as JSON holds them.
        """
        noise = dict(zip(("truth", "pred"), self.noise_as_cluster, strict=True))
        return {
            "schema": self.SCHEMA,
            **plain(self._numbers()),
            "costs": plain(self.costs),
            "assignment": [
                {"cluster": show_label(cluster), "label": show_label(label)}
                for cluster, label in self.assignment.items()
            ],
            "verdict": self.verdict,
            **({"noise_as_cluster": noise} if any(noise.values()) else {}),
        }

    def cautions(self) -> list[str]:
        """Return that the label -1 counts as a class, or as a cluster where no policy said so.

        Returns
        -------
        list of str
            One sentence for each.
        """
        truth, pred = self.noise_as_cluster
        total = self.train_size + self.test_size
        return [line for line in (class_note(truth), noise_note({"pred": (pred, total)})) if line]

    def _numbers(self) -> dict[str, Any]:
        return {
            "language": self.language,
            "delta": self.delta,
            "clusters": self.clusters,
            "labels": self.labels,
            "train_size": self.train_size,
            "train_errors": self.train_errors,
            "train_rate": self.train_rate,
            "bits": self.bits if math.isfinite(self.bits) else None,
            "test_size": self.test_size,
            "max_errors": self.max_errors,
            "rate": self.rate,
            "test_known": self.test_known,
            "test_errors": self.test_errors,
            "test_rate": self.test_rate,
            "holds": self.holds,
            "tied": self.tied,
            "without": self.without,
            "constant_label": show_label(self.constant.label),
            "constant_train_errors": self.constant.train_errors,
            "constant_max_errors": self.constant.max_errors,
            "constant_rate": self.constant.rate,
            "constant_error_rate": self.constant.error_rate,
        }

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the numbers of the bound as columns of one row.

        Returns
        -------
        dict
            Lists of length one by the name of the number.
        """
        return {key: [value] for key, value in self._numbers().items()}

    @property
    def verdict(self) -> str:
        """The bound in a sentence."""
        return (
            f"With probability at least {1 - self.delta:.10g}, at most {self.max_errors:,} of "
            f"{self.test_size:,} unlabelled objects ({self.rate:.2%}) are predicted wrongly."
        )

    def document(self) -> Section:
        """Return the bound, what it depends on, and the label that each cluster predicts.

        Returns
        -------
        Section
            The verdict and a list of facts; the numbers and the labels of clusters for pages.
        """
        constant, label = self.constant, show_label(self.constant.label)
        paid = ", ".join(f"{key} {bits:,.2f}" for key, bits in self.costs.items())
        than = "" if self.beats_constant else ", no worse than these clusters"
        facts = {
            "labelled": f"{self.train_errors:,} of {self.train_size:,} wrong "
            f"({self.train_rate:.2%})",
            "language": f"{self.language}: {self.bits:,.2f} bits ({paid})",
            "constant": f"always {label!r}: at most {constant.max_errors:,} wrong "
            f"({constant.rate:.2%}){than}",
            "provided": "that the labelled objects are a random sample of all",
        }
        if self.test_errors is not None:
            word = {True: ", as bounded", False: ", more than bounded", None: ""}[self.holds]
            facts["truth"] = (
                f"{self.test_errors:,} of {self.test_known:,} wrong ({self.test_rate:.2%}){word}"
            )
        numbers = {
            name.replace("_", " "): value
            for name, value in self._numbers().items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        columns: dict[str, list[Any]] = {"what": list(numbers), "value": list(numbers.values())}
        assigned = {
            "cluster": list(self.assignment),
            "label": [show_label(label) for label in self.assignment.values()],
        }
        title = "The label that each cluster predicts"
        return Section(
            "bound",
            "The bound",
            (self.verdict,),
            (
                facts_table("bound-facts", "What the bound depends on", facts),
                plain_table("bound-numbers", "The bound in numbers", columns, detail=True),
                plain_table("bound-labels", title, assigned, detail=True),
            ),
            notes=tuple(self.cautions()),
            lead=(self.verdict,),
            subject=self,
        )


def pac_mdl_bound(
    truth: Any,
    pred: Any,
    labelled: Any = None,
    *,
    language: str | Language = "simple",
    runs: int = 1,
    algorithms: int = 1,
    searched: bool = False,
    clusters: int | None = None,
    delta: float = 0.1,
    labels: Any = None,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    random_state: Any = 0,
) -> Bound:
    """Bound the errors of a clustering as a predictor of labels that nobody has seen.

    Each cluster predicts the label that most of its labelled objects have.

    Parameters
    ----------
    truth : array-like
        The labels of all objects; they may be missing where an object is unlabelled.
    pred : array-like
        The clusters of all objects. Two pandas series must have equal indexes.
    labelled : array-like, optional
        The objects that the bound may learn from: a mask, positions, or a column of yes and no or
        of 1 and 0. By default the objects whose truth is not missing.
    language : str or Language, optional
        What the bits pay for, by key or as a record; see `clustervet.pacmdl.languages`. "auto" is
        the shortest of the paper's that pays for the choices made.
    runs : int, optional
        The number of runs of which this clustering is the best by the labels.
    algorithms : int, optional
        The number of algorithms of which this clustering is the best by the labels.
    searched : bool, optional
        Whether its number of clusters was chosen by the labels too.
    clusters : int, optional
        The number of clusters asked for, where some came out empty.
    delta : float, optional
        The probability that the bound may fail.
    labels : int or list, optional
        The possible labels, or their number, which must not depend on the sample. By default all
        labels in truth, also those of unlabelled objects. That is right if truth is complete or
        if every class occurs in the labelled part, and too few otherwise.
    noise, noise_policy : object, optional
        What happens to objects that the clustering calls noise, as in `Contingency.from_labels`.
    missing : {"raise", "drop", "class"}, optional
        What happens to objects without a cluster.
    random_state : int, Generator or None, optional
        The seed for ties, and for clusters without labelled objects.

    Returns
    -------
    Bound
        The bound, the label of each cluster, and the bound of a constant answer.

    Raises
    ------
    LabelError
        If the labels cannot be read, if there is nothing to predict, or one label only.
    ParameterError
        If an option is unknown or out of range, or the language does not pay for a choice.

    Notes
    -----
    With probability 1 - delta over which objects are labelled, a random sample, no description of
    b bits that errs on `a` of m labelled objects errs on more than bmax(m, n, a, 2^-b delta) of
    the n others (Banerjee & Langford 2004, eqs. 1-4). If the labelled objects were picked and not
    drawn, the bound promises nothing.

    Examples
    --------
    >>> truth = ["ham"] * 40 + ["spam"] * 40
    >>> pred = [0] * 38 + [1] * 42
    >>> pac_mdl_bound(truth, pred, labelled=range(0, 80, 2))
    With probability at least 0.9, at most 7 of 40 unlabelled objects (17.50%) are predicted
    wrongly.
    labelled  1 of 40 wrong (2.50%)
    language  simple: 2.00 bits (labels 2.00)
    constant  always 'ham': at most 28 wrong (70.00%)
    provided  that the labelled objects are a random sample of all
    truth     1 of 40 wrong (2.50%), as bounded
    """
    check_bound(delta, language, runs, algorithms, searched=searched, clusters=clusters)
    found = transduce(
        truth,
        pred,
        labelled,
        labels=labels,
        noise=noise,
        noise_policy=noise_policy,
        missing=missing,
        random_state=random_state,
    )
    _check(found)
    if clusters is not None and clusters < len(found.clusters):
        raise ParameterError(
            Setting("clusters", clusters),
            f" were asked for, but there are {len(found.clusters)}.",
        )
    description = Description(
        clusters=len(found.clusters),
        labels=found.label_count,
        assignment=found.assignment,
        number=clusters,
        runs=runs,
        algorithms=algorithms,
        searched=searched,
    )
    chosen = languages.resolve(language, description.choices)
    costs = chosen.costs(description)
    bits = math.fsum(costs.values())
    return Bound(
        language=chosen.key,
        delta=float(delta),
        train_size=found.train_size,
        train_errors=found.train_errors,
        test_size=found.test_size,
        test_known=found.test_known,
        test_errors=found.test_errors,
        clusters=len(found.clusters),
        labels=found.label_count,
        bits=bits,
        costs=costs,
        max_errors=_most(found, found.train_errors, bits, delta),
        assignment=found.mapping,
        tied=found.tied,
        without=found.without,
        constant=_constant(found, delta),
        noise_as_cluster=found.noise_as_cluster,
    )


def check_bound(
    delta: float,
    language: str | Language = "auto",
    runs: int = 1,
    algorithms: int = 1,
    *,
    searched: bool = False,
    clusters: int | None = None,
) -> None:
    """Refuse what is wrong whatever the labels are, before they are read."""
    share(delta, "delta")
    if clusters is not None:
        whole(clusters, "clusters", 1)
    any_table = Description(
        clusters=2, labels=2, runs=runs, algorithms=algorithms, searched=searched
    )
    languages.resolve(language, any_table.choices)


def _check(found: Transduction) -> None:
    if found.test_size == 0:
        raise LabelError(
            "every object is labelled, so there is nothing to predict; say with ",
            Setting("labelled"),
            " which objects the bound may learn from.",
        )
    if found.label_count < 2:
        raise LabelError(
            f"there is one label only, {show_label(found.labels[0])!r}, so there is nothing to "
            "tell apart; if there are others, name them with ",
            Setting("labels"),
            ".",
        )


def _most(found: Transduction, errors: int, bits: float, delta: float) -> int:
    return bmax(found.train_size, found.test_size, errors, math.log2(delta) - bits)


def _constant(found: Transduction, delta: float) -> ConstantLabel:
    most = _most(found, found.constant_train_errors, math.log2(found.label_count), delta)
    return ConstantLabel(
        label=found.constant,
        train_errors=found.constant_train_errors,
        max_errors=most,
        rate=most / found.test_size,
        error_rate=1 - found.largest_share,
    )
