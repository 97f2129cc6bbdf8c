"""The record of one measure, and how arguments of users become what its formula reads."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import suggestion
from clustervet.errors import (
    ClustervetError,
    MemoryLimitError,
    ParameterError,
    TableError,
    UndefinedError,
)
from clustervet.labels.several import named_labels
from clustervet.registry.estimate import Estimate, Outcome
from clustervet.registry.scorer import Scorer
from clustervet.view.model import Section
from clustervet.view.result import Result

Better = Literal["higher", "lower", "neither"]
# What the time of a measure grows with: cells of a table, points, pairs of points, or refits.
Cost = Literal["cells", "points", "pairs", "refits"]
# What a formula reads: a table, a geometry, or two clusterings that are more than labels; that of
# "soft_internal" reads memberships and perhaps features.
Kind = Literal["external", "internal", "soft", "overlapping", "hierarchical", "soft_internal"]
Arrays = Literal["", "pairs", "sums"]
Fault = type[ClustervetError] | None
ONE_SIDED = "some objects are in one of the clusterings alone, and this measure needs both"


class MeasureFunction(Protocol):
    """What the user calls: labels or one finished table in, a float out."""

    record: Measure

    def __call__(self, *data: Any, **options: Any) -> float:
        """Score labels, or one finished table."""

    def many(self, known: Any, labelings: Any, **options: Any) -> NDArray[np.float64]:
        """Score each of many labelings."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Measure(Result):
    """All that is known about one measure.

    `clustervet.measures` holds the records; the decorator `clustervet.measure` makes them. A
    record is shown as the card of the measure, and it is called like the measure itself.

    Parameters
    ----------
    key : str
        The name of the measure in code, such as "adjusted_rand".
    title : str
        Its name in text.
    symbol : str, optional
        Its sign in formulas.
    family : str
        The group of measures that it belongs to.
    kind : {"external", "internal", "soft", "overlapping", "hierarchical", "soft_internal"}
        Whether it compares labels with known classes, labels with the features, two soft,
        overlapping or hierarchical clusterings, or memberships with the features.
    better : {"higher", "lower", "neither"}
        The direction of better values.
    bounds : tuple of float
        The least and the largest value.
    unit : str, optional
        The unit of the values.
    symmetric : bool, optional
        Whether truth and prediction are exchangeable.
    metric : bool, optional
        Whether it is a metric on clusterings.
    adjusted : bool, optional
        Whether it is corrected for chance.
    perfect : float or None, optional
        The value of identical clusterings, if it is always the same.
    reference : str, optional
        Where the measure is defined.
    aliases : tuple of str, optional
        Other names.
    meaning : str, optional
        What a value says, in one sentence.
    equation : str, optional
        The formula as text.
    use : str, optional
        When to use the measure.
    avoid : str, optional
        When not to use it.
    formula : callable
        The function that computes the value from a table or a geometry.
    cost : {"cells", "points", "pairs", "refits"}, optional
        What the time grows with.
    sized : bool, optional
        Whether the value depends on the number of objects, beside their shares in the cells; that
        of an internal measure, whether it grows in proportion to the number of points.
    arrays : {"", "pairs", "sums"}, optional
        Of what the formula takes arrays as well, one item per table: of pair counts, of all sums
        that tables have, or of nothing.
    partial : bool, optional
        Whether it takes tables in which some objects are in one of the clusterings alone.
    weighted : bool, optional
        Whether it takes a geometry whose rows have weights; tables have theirs in their counts.
    no_interval : str, optional
        Why no interval can be made for an internal measure; empty where one can.

    Examples
    --------
    >>> import clustervet as cv
    >>> record = cv.measures["vi"]
    >>> record.key, record.better, record.bounds
    ('variation_of_information', 'lower', (0.0, inf))
    >>> record([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """

    key: str
    title: str
    symbol: str = ""
    family: str
    kind: Kind
    better: Better
    bounds: tuple[float, float]
    unit: str = ""
    symmetric: bool = False
    metric: bool = False
    adjusted: bool = False
    perfect: float | None = None
    reference: str = ""
    aliases: tuple[str, ...] = ()
    meaning: str = ""
    equation: str = ""
    use: str = ""
    avoid: str = ""
    formula: Callable[..., float]
    cost: Cost = "cells"
    sized: bool = False
    arrays: Arrays = ""
    partial: bool = False
    weighted: bool = False
    no_interval: str = ""

    def __call__(self, *data: Any, **options: Any) -> float:
        """Return the value for labels or for one finished table.

        Parameters
        ----------
        *data : labels, Contingency or Geometry
            Truth and prediction, or features and labels, or one finished table or geometry.
        **options : object
            Options of the input, such as ``noise``, and parameters of the formula.

        Returns
        -------
        float
            The value; nan where it is undefined.

        Raises
        ------
        ClustervetError
            If the input cannot be read, or can have no value.
        """
        own = self.parameters if options else {}
        parameters = {name: options.pop(name) for name in own if name in options}
        subject = None
        if self.arrays == "pairs" and len(data) == 2 and not options and self.kind in singles:
            subject = singles[self.kind](*data)
        if subject is None:
            subject = self.subject(*data, **options)
        outcome, fault = self._apply(subject, parameters)
        if fault is not None:
            raise fault(f"{self.key} has no value here: {outcome.why}.")
        return outcome.value

    def many(self, known: Any, labelings: Any, **options: Any) -> NDArray[np.float64]:
        """Return the values of many labelings of the same objects.

        Parameters
        ----------
        known : labels or features
            What the labelings are judged by: the truth, or the features of an internal measure.
        labelings : ndarray, list, mapping or data frame
            One labeling in each row of an array, item of a list, value of a mapping or column of
            a frame. Rows of whole numbers, or a list of arrays of them, are quickest.
        **options : object
            Options of the input, such as ``noise``, and parameters of the formula.

        Returns
        -------
        ndarray of float
            One value per labeling; nan where it is undefined.

        Raises
        ------
        ClustervetError
            If the input cannot be read.

        Examples
        --------
        >>> import numpy as np
        >>> import clustervet as cv
        >>> labelings = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0]])
        >>> cv.adjusted_rand.many(["a", "a", "b", "b"], labelings)
        array([1., 0., 1.])
        >>> cv.purity.many(["a", "a", "b", "b"], {"first": [0, 0, 1, 2], "second": [0, 0, 0, 0]})
        array([1. , 0.5])
        """
        own = self.parameters if options else {}
        parameters = {name: options.pop(name) for name in own if name in options}
        if self.arrays == "pairs" and not options:
            batch = batches[self.kind](known, labelings)
            if batch is not None:
                return self.evaluate_all(batch, **parameters)
        given = [labels for _, _, labels in named_labels(labelings)]
        subjects = (self.subject(known, labels, **options) for labels in given)
        return np.array([self._apply(subject, parameters)[0].value for subject in subjects], float)

    def scorer(self, **options: Any) -> Scorer:
        """Return the measure as a scorer of scikit-learn, for which higher is better.

        Parameters
        ----------
        **options : object
            Parameters of the formula, and options of the input such as ``noise``.

        Returns
        -------
        Scorer
            A function of a fitted estimator, points and, for external measures, classes.

        Raises
        ------
        ParameterError
            If the measure has no better direction, or has no such option.

        Examples
        --------
        >>> import clustervet as cv
        >>> from sklearn.cluster import KMeans
        >>> from sklearn.model_selection import GridSearchCV
        >>> X = [[k % 2 * 9.0 + k / 10] for k in range(20)]
        >>> search = GridSearchCV(
        ...     KMeans(random_state=0),
        ...     {"n_clusters": [2, 4]},
        ...     scoring=cv.measures["silhouette"].scorer(),
        ...     cv=[(range(20), range(20))],
        ... )
        >>> search.fit(X).best_params_
        {'n_clusters': 2}
        """
        if self.better == "neither":
            raise ParameterError(f"{self.key} has no better direction, so it cannot be a score.")
        known = list(inspect.signature(doors[self.kind]).parameters)[3:]
        check_options(options, [*known, *self.parameters], self.key)
        return Scorer(self, options)

    def subject(self, *data: Any, **options: Any) -> Any:
        """Return what the formula reads: a table or a geometry.

        Parameters
        ----------
        *data : labels, Contingency or Geometry
            What the user gave.
        **options : object
            Options of the input, such as ``noise``.

        Returns
        -------
        Contingency or Geometry
            The subject of the formula.

        Raises
        ------
        ClustervetError
            If the input cannot be read, or an option is unknown.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.measures["vi"].subject([0, 0, 1, 1], [0, 0, 1, -1], noise="drop").n
        3
        """
        if options:
            known = list(inspect.signature(doors[self.kind]).parameters)[1:]
            check_options(options, [*known, *self.parameters], self.key)
        return doors[self.kind](self.key, *data, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by key: the measure is in the registry of whoever loads it."""
        return _recall, (self.key,)

    @property
    def parameters(self) -> dict[str, Any]:
        """The formula's own parameters with their defaults."""
        signature = inspect.signature(self.formula)
        return {
            name: parameter.default
            for name, parameter in list(signature.parameters.items())[1:]
            if parameter.default is not inspect.Parameter.empty
        }

    def evaluate(self, subject: Any, **parameters: Any) -> Outcome:
        """Return the value for a finished table or geometry, or the reason for none.

        Parameters
        ----------
        subject : Contingency or Geometry
            What the formula reads.
        **parameters : object
            Parameters of the formula.

        Returns
        -------
        Outcome
            The value, and the reason where it is nan. Identical partitions have the perfect
            value, whatever the formula gives there.

        Raises
        ------
        ParameterError
            If the formula has no such parameter.

        Examples
        --------
        >>> import clustervet as cv
        >>> table = cv.Contingency.from_labels([0, 0, 1, 1], [0, 0, 1, 2])
        >>> cv.measures["vi"].evaluate(table).value
        0.5
        >>> cv.measures["vi"].evaluate(table, base=4).value
        0.25
        """
        return self._apply(subject, parameters)[0]

    def evaluate_all(self, batch: Any, **parameters: Any) -> NDArray[np.float64]:
        """Return the values of many tables, whose sums are arrays.

        Parameters
        ----------
        batch : object
            What the formula reads, with one item per table in each sum.
        **parameters : object
            Parameters of the formula.

        Returns
        -------
        ndarray of float
            One value per table; nan where it is undefined.

        Examples
        --------
        >>> import numpy as np
        >>> import clustervet as cv
        >>> from clustervet.contingency.many import count_many
        >>> batch = count_many([0, 0, 1, 1], np.array([[0, 0, 1, 1], [0, 0, 0, 1]]))
        >>> cv.measures["rand"].evaluate_all(batch)
        array([1. , 0.5])
        """
        values = np.array(self.formula(batch, **parameters), np.float64)
        if self.perfect is not None:
            values[batch.identical] = self.perfect
        return values

    def _apply(self, subject: Any, parameters: Mapping[str, Any]) -> tuple[Outcome, Fault]:
        """Return the outcome, and the error to raise if the input can have no value."""
        unknown = [name for name in parameters if name not in self.parameters]
        if unknown:
            raise ParameterError(
                f"{self.key} has no parameter {unknown[0]!r}; it takes "
                f"{', '.join(self.parameters) or 'none'}."
            )
        if not self.partial and getattr(subject, "partial", False):
            return Outcome(math.nan, ONE_SIDED), TableError
        if not self.weighted and getattr(subject, "weights", None) is not None:
            return Outcome(math.nan, "it takes no weights"), ParameterError
        perfect = self.perfect if getattr(subject, "identical", False) else None
        if perfect is not None and not parameters:
            return Outcome(perfect), None
        try:
            value = self.formula(subject, **parameters)  # checks its parameters too
            value = value if isinstance(value, Estimate) else float(value)
            if perfect is not None:
                return Outcome(perfect), None
        except UndefinedError as undefined:
            if perfect is not None:
                return Outcome(perfect), None
            return Outcome(math.nan, str(undefined)), undefined.fault
        except MemoryLimitError as error:
            return Outcome(math.nan, str(error).partition(";")[0]), MemoryLimitError
        except OverflowError:
            return Outcome(math.inf, "the value is larger than any float"), None
        except Exception as error:
            error.add_note(f"This happened in the measure {self.key}.")
            raise
        why = "the formula gives no number here" if math.isnan(value) else None
        return Outcome(value, why), None

    def document(self) -> Section:
        """Return the card of the measure as a document.

        Returns
        -------
        Section
            What the measure means, which properties it has, and when to use it.
        """
        section: Section = _card(self).document()
        return section

    def columns(self) -> dict[str, Any]:
        """Return the measure as one row of the list of measures.

        Returns
        -------
        dict of str to list
            Measure, direction, bounds, family and title.
        """
        columns: dict[str, Any] = _card(self).columns()
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data.

        Returns
        -------
        dict
            All that is known about the measure, with the answers of the property tests.
        """
        data: dict[str, Any] = _card(self).to_dict()
        return data


def _card(record: Measure) -> Any:
    # The card says which published tests the measure passes, which a higher room knows. It is
    # imported when first needed, by name, as this room may not depend on that one.
    return importlib.import_module("clustervet.lab.cards").MeasureCard(record)


def _recall(key: str) -> Measure:
    from clustervet.registry.catalogue import measures

    return measures[key]


def check_options(options: Mapping[str, Any], known: Iterable[str], who: str) -> None:
    """Raise if an option is unknown, and suggest the most similar known one."""
    for name in options:
        if name not in known:
            hint = suggestion(name, known, f"it knows {', '.join(known)}.")
            raise ParameterError(f"{who} knows no option {name!r}; {hint}")


# A door turns what the user gave into what formulas of that kind read. The rooms of tables and
# geometries register their doors, since this room may not import them.
doors: dict[Kind, Callable[..., Any]] = {}
# A batch turns what is known and many labelings into one subject with arrays; None if it cannot.
batches: dict[Kind, Callable[[Any, Any], Any]] = {}


def register_door(kind: Kind, door: Callable[..., Any]) -> None:
    """Register what turns a measure's name and arguments into the subject of its formula."""
    doors[kind] = door


# The same for one labeling, where pairs are counted more quickly than all that formulas read.
singles: dict[Kind, Callable[[Any, Any], Any]] = {}


def register_batch(
    kind: Kind, batch: Callable[[Any, Any], Any], single: Callable[[Any, Any], Any]
) -> None:
    """Register what counts pairs alone, for many labelings or for one."""
    batches[kind], singles[kind] = batch, single
