"""`distance_matrix`: any measure between many labelings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.ensemble.filling import Filling, PairValues
from clustervet.ensemble.labelings import Door, Labelings, check_same_length, read_labelings
from clustervet.ensemble.record import Distances
from clustervet.ensemble.scoring import Scoring
from clustervet.ensemble.sweep import read_jobs
from clustervet.errors import ParameterError
from clustervet.labels.pair import Missing, NoisePolicy
from clustervet.registry import Measure, MeasureFunction


def distance_matrix(
    labelings: Any,
    measure: str | Measure | MeasureFunction = "variation_of_information",
    *,
    noise: Any = None,
    noise_policy: NoisePolicy | None = None,
    missing: Missing = "raise",
    shared: bool = False,
    n_jobs: int | None = None,
    **parameters: Any,
) -> Distances:
    """Any external measure between every two of many labelings of the same objects.

    `labelings` are a list, {name: labels}, the rows of an array or the columns of a frame.
    Entry i, j takes labeling i for the truth and j for the prediction, so a measure that is not
    symmetric gives a matrix that is not. Similarities are given as they are.

    Objects without a label somewhere are refused, unless `missing` drops them from all
    labelings or makes them a class, or `shared=True` compares each pair on what both label;
    `counts` then says on how many objects. `parameters` are those of the measure, such as
    `base`. A progress bar shows on a terminal.

    >>> found = distance_matrix({"a": [0, 0, 1, 1], "b": [0, 0, 1, 2], "c": [0, 0, 0, 0]})
    >>> found
    Variation of information (VI) of 3 labelings of 4 objects, in bits
         a    b    c
    a    0  0.5    1
    b  0.5    0  1.5
    c    1  1.5    0
    >>> found["a", "c"]
    1.0
    """
    scoring = Scoring(measure, parameters)
    jobs = read_jobs(n_jobs)
    many = read_labelings(
        labelings, noise=noise, noise_policy=noise_policy, missing=missing, shared=shared
    )
    filling = Filling(many, scoring)
    filling.run(jobs)
    return filling.result()


def distances_to(
    query: Any,
    labelings: Any,
    measure: str | Measure | MeasureFunction = "variation_of_information",
    *,
    which: Sequence[int] | NDArray[np.int64] | None = None,
    **parameters: Any,
) -> NDArray[np.float64]:
    """Any external measure between each of many labelings, or some of them, and one more.

    The labelings are taken for the truth, the query for the prediction. An object that the query
    does not label is refused unless the labelings were read with `shared`.

    >>> distances_to([0, 0, 0, 0], [[0, 0, 1, 1], [0, 0, 1, 2]])
    array([1. , 1.5])
    """
    scoring = Scoring(measure, parameters)
    many = with_query(read_labelings(labelings, least=1), query)
    last = len(many) - 1
    chosen = np.arange(last) if which is None else np.asarray(which, np.int64)
    if len(chosen) and (chosen.min() < 0 or chosen.max() >= last):
        raise ParameterError(f"which must hold positions between 0 and {last - 1:,}.")
    pair = PairValues(many, scoring, len(chosen))
    return np.array([pair(index, last)[0] for index in chosen.tolist()], np.float64)


def with_query(many: Labelings, query: Any) -> Labelings:
    """The labelings with one more at the end, of the same objects."""
    codes, clusters, gaps = Door(shared=not many.complete).read(query, "the query")
    whole = many.n if many.kept is None else len(many.kept)
    check_same_length("a labeling", whole, "the query", len(codes))
    if many.kept is not None:
        codes = codes[many.kept]
    return Labelings(
        (*many.names, "the query"),
        (*many.codes, codes),
        np.append(many.clusters, clusters),
        np.append(many.gaps, gaps),
    )
