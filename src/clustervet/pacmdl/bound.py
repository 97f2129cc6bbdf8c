"""`pac_mdl_bound`: how often a clustering can be wrong about labels that are not known."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clustervet.contingency.frame import Backend, to_frame
from clustervet.errors import LabelError, ParameterError
from clustervet.labels import show_label
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.pacmdl.coding import Language
from clustervet.pacmdl.description import Description, whole
from clustervet.pacmdl.registry import languages
from clustervet.pacmdl.tail import bmax, check_delta
from clustervet.pacmdl.transduction import Transduction, transduce

SCHEMA = "clustervet/bound/1"


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
class Bound:
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
        """As plain data; labels as text that is safe to show."""
        return {
            "schema": SCHEMA,
            **self._numbers(),
            "costs": {key: _finite(bits) for key, bits in self.costs.items()},
            "assignment": [
                {"cluster": show_label(cluster), "label": show_label(label)}
                for cluster, label in self.assignment.items()
            ],
            "verdict": self.verdict,
        }

    def _numbers(self) -> dict[str, Any]:
        return {
            "language": self.language,
            "delta": self.delta,
            "clusters": self.clusters,
            "labels": self.labels,
            "train_size": self.train_size,
            "train_errors": self.train_errors,
            "train_rate": self.train_rate,
            "bits": _finite(self.bits),
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

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """One row, in pandas, polars or pyarrow (the first that is installed)."""
        return to_frame({key: [value] for key, value in self._numbers().items()}, backend)

    @property
    def verdict(self) -> str:
        """The bound in a sentence."""
        return (
            f"With probability at least {1 - self.delta:.10g}, at most {self.max_errors:,} of "
            f"{self.test_size:,} unlabelled objects ({self.rate:.2%}) are predicted wrongly."
        )

    def __repr__(self) -> str:
        constant, label = self.constant, show_label(self.constant.label)
        paid = ", ".join(f"{key} {bits:,.2f}" for key, bits in self.costs.items())
        lines = [
            self.verdict,
            f"  labelled    {self.train_errors:,} of {self.train_size:,} wrong "
            f"({self.train_rate:.2%})",
            f"  language    {self.language}: {self.bits:,.2f} bits ({paid})",
            f"  constant    always {label!r}: at most {constant.max_errors:,} wrong "
            f"({constant.rate:.2%})"
            + ("" if self.beats_constant else ", no worse than these clusters"),
            "  provided    that the labelled objects are a random sample of all",
        ]
        if self.test_errors is not None:
            word = {True: ", as bounded", False: ", more than bounded", None: ""}[self.holds]
            lines.append(
                f"  truth       {self.test_errors:,} of {self.test_known:,} wrong "
                f"({self.test_rate:.2%}){word}"
            )
        return "\n".join(lines)


def _finite(bits: float) -> float | None:
    return bits if math.isfinite(bits) else None


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
    """Bound the errors of a clustering as a predictor of unseen labels.

    Each cluster predicts the label that most of its labelled objects have. The labelled objects
    must be a random sample of all; the bound does not hold for objects that were picked.

    Parameters
    ----------
    truth : array_like
        Label of each object; may be missing where an object is unlabelled.
    pred : array_like
        Cluster of each object.
    labelled : array_like, optional
        Mask or positions of the labelled objects; by default those whose truth is not missing.
    language : str or Language, default 'simple'
        What the bits pay for: a key of `clustervet.pacmdl.languages`, or a record. 'auto' is the
        shortest language of the paper that pays for the choices made.
    runs : int, default 1
        Number of runs of which this clustering was chosen by looking at the labels.
    algorithms : int, default 1
        Number of algorithms of which this one was chosen by looking at the labels.
    searched : bool, default False
        Whether the number of clusters was chosen by looking at the labels.
    clusters : int, optional
        Number of clusters that the algorithm was asked for, if some are empty.
    delta : float, default 0.1
        Probability with which the bound may fail.
    labels : int or iterable, optional
        The possible labels, or their number, which must not depend on the sample. By default all
        labels in `truth`, those of unlabelled objects included. That is right if `truth` is
        complete or no class is absent from the labelled part; otherwise it is too few.
    noise : label, str or dict, optional
        Cluster that means noise, a policy for the cluster -1, or a policy per cluster.
    noise_policy : {'keep', 'drop', 'singletons'}, optional
        What to do with noise. By default it is kept as one more cluster.
    missing : {'raise', 'drop', 'class'}, default 'raise'
        What to do with missing clusters.
    random_state : int, Generator or None, default 0
        Seed for ties, and for clusters without labelled objects.

    Returns
    -------
    Bound
        The bound, what it was computed from, and the true errors where they are known.

    Raises
    ------
    LabelError
        If the labels cannot be read, no object or every object is labelled, or there is one label.
    ParameterError
        If a parameter is out of range, or the language does not pay for a choice that was made.

    Notes
    -----
    With probability 1 - delta over the random choice of the labelled objects, no description of b
    bits that errs on a of m labelled objects errs on more than bmax(m, n, a, 2^-b delta) of the n
    others (Banerjee & Langford 2004, §2 and eqs. 1-4).

    Examples
    --------
    >>> truth = ["ham"] * 40 + ["spam"] * 40
    >>> pred = [0] * 38 + [1] * 42
    >>> pac_mdl_bound(truth, pred, labelled=range(0, 80, 2))
    With probability at least 0.9, at most 7 of 40 unlabelled objects (17.50%) are predicted
    wrongly.
      labelled    1 of 40 wrong (2.50%)
      language    simple: 2.00 bits (labels 2.00)
      constant    always 'ham': at most 28 wrong (70.00%)
      provided    that the labelled objects are a random sample of all
      truth       1 of 40 wrong (2.50%), as bounded
    """
    check_delta(delta)
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
    if clusters is not None and whole(clusters, "clusters", 1) < len(found.clusters):
        raise ParameterError(
            f"clusters={clusters} were asked for, but there are {len(found.clusters)}."
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
    )


def _check(found: Transduction) -> None:
    if found.test_size == 0:
        raise LabelError(
            "every object is labelled, so there is nothing to predict; say with labelled= which "
            "objects the bound may learn from."
        )
    if found.label_count < 2:
        raise LabelError(
            f"there is one label only, {show_label(found.labels[0])!r}, so there is nothing to "
            "tell apart; if there are others, name them with labels=."
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
