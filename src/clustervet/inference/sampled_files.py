"""Scores by a sample of the truth, from files."""

from __future__ import annotations

import os
from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from clustervet._checks import one_of, share
from clustervet.errors import FileError, ParameterError, Setting
from clustervet.frames.source import Source, open_table
from clustervet.inference.sampled import UNITS, WAYS, SampledScores, Unit, sampled_scores
from clustervet.labels import Codes, show_label
from clustervet.registry import measures as registry


def sampled_scores_files(
    table: str | os.PathLike[str],
    *,
    pred: str,
    sample: Unit,
    truth: str | None = None,
    pairs: str | os.PathLike[str] | None = None,
    id: str | None = None,
    sampling: str = "uniform",
    array: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    memory_limit: str | None = None,
    **options: Any,
) -> SampledScores:
    r"""Estimate scores of a whole prediction in a file from the truth of a sample.

    Parameters
    ----------
    table : str or path
        The file with the prediction of all objects.
    pred : str
        The column of predicted clusters.
    sample : {"clusters", "objects", "pairs"}
        What the sample is one of.
    truth : str, optional
        The column of true labels, empty outside the sample; for clusters and objects.
    pairs : str or path, optional
        The file of the pairs: its first three columns hold two objects and whether they belong
        together.
    id : str, optional
        The column of `table` with the names of the objects that `pairs` uses.
    sampling : str, default "uniform"
        "uniform", "size" or "predicted", or the column of probabilities: of `pairs`, or of `table`,
        where all objects of a true cluster have the same. It may be empty outside the sample of a
        text file, and has a number in every row of other files.
    array, delimiter, header, memory_limit : optional
        How the files are read; see `open_table`.
    **options
        Other parameters of `sampled_scores`.

    Returns
    -------
    SampledScores
        The estimates with their intervals, by measure.

    Raises
    ------
    FileError
        If a file cannot be read, or lacks a column.
    ParameterError
        If something that the sample needs is not given, or an option is unknown.

    Examples
    --------
    >>> import os, tempfile
    >>> import clustervet as cv
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "labels.csv")
    ...     with open(path, "w") as file:
    ...         print("y,c", "a,0", "a,0", "b,1", ",1", sep="\n", file=file)
    ...     found = cv.sampled_scores_files(path, truth="y", pred="c", sample="clusters")
    >>> found["pair_recall"], found.sampled
    (1.0, 3)
    """
    one_of(sample, "sample", UNITS)
    share(options.get("confidence", 0.95), "confidence")
    registry.select(options.get("measures"))  # which refuses unknown ones
    read = partial(
        open_table, array=array, delimiter=delimiter, header=header, memory_limit=memory_limit
    )
    if sample == "pairs":
        if pairs is None or id is None or truth is not None:
            raise ParameterError(
                "a sample of pairs needs ",
                Setting("pairs"),
                " for their file and ",
                Setting("id"),
                " for the column of the objects' names, and no ",
                Setting("truth"),
                ".",
            )
        return _from_pairs(read(table), read(pairs), pred, id, sampling, options)
    if truth is None or pairs is not None or id is not None:
        raise ParameterError(
            "a sample of clusters or objects needs ",
            Setting("truth"),
            " for the column of true labels, empty outside the sample, and neither ",
            Setting("pairs"),
            " nor ",
            Setting("id"),
            ".",
        )
    columns, given = _read(read(table), [truth, pred], sampling)
    return sampled_scores(columns[truth], columns[pred], sample=sample, sampling=given, **options)


def _from_pairs(
    table: Source, pairs: Source, pred: str, id: str, sampling: str, options: dict[str, Any]
) -> SampledScores:
    columns = table.labels([pred, id])
    prediction = _by_id(columns[id], columns[pred], id)
    three = _first_three(pairs)
    sides, given = _read(pairs, three, sampling)
    one, other, said = (_values(sides[name], name) for name in three)
    # The names of objects may be text in one file and numbers in the other.
    triples = list(zip(map(str, one), map(str, other), said, strict=True))
    return sampled_scores(triples, prediction, sample="pairs", sampling=given, **options)


def _read(source: Source, names: list[str], sampling: str) -> tuple[dict[str, Codes], Any]:
    """Columns as labels, and the way to draw: its name, or the numbers of its column."""
    if sampling in WAYS:
        return source.labels(names), sampling
    try:
        found = source.features([sampling], exclude=names)
        return {name: found.labels(name) for name in names}, found.matrix[:, 0]
    except FileError:
        # Text may be empty outside the sample; what is no number there is refused as before.
        columns = source.labels([*names, sampling])
        numbers = _numbers(columns[sampling])
        if numbers is None:
            raise
        return {name: columns[name] for name in names}, numbers


def _first_three(source: Source) -> list[str]:
    names = list(source.columns)[:3]
    if len(names) < 3:
        raise FileError(
            "the file of the pairs must have three columns: two objects and whether they belong "
            f"together; it has {len(names)}."
        )
    return names


def _values(codes: Codes, name: str) -> list[Any]:
    if codes.missing is not None and codes.missing.any():
        row = int(np.flatnonzero(codes.missing)[0]) + 1
        raise FileError(f"column {show_label(name)!r} has no value in row {row:,}.")
    distinct, places = np.unique(codes.values, return_inverse=True)
    names = codes.restore(distinct)
    return [names[place] for place in places]


def _numbers(codes: Codes) -> Any:
    """One number per row, nan where there is none; None where something else is written."""
    distinct, places = np.unique(codes.values, return_inverse=True)
    missing = np.zeros(len(codes), bool) if codes.missing is None else codes.missing
    held = set(places[~missing].tolist())
    try:
        names = codes.restore(distinct)
        numbers = [float(name) if k in held else np.nan for k, name in enumerate(names)]
    except (TypeError, ValueError):
        return None
    return np.where(missing, np.nan, np.array(numbers)[places])


def _by_id(ids: Codes, labels: Codes, name: str) -> dict[Any, Any]:
    keys = list(map(str, _values(ids, name)))
    found = dict(zip(keys, _values(labels, "pred"), strict=True))
    if len(found) < len(keys):
        twice = Counter(keys).most_common(1)[0][0]
        raise FileError(f"column {show_label(name)!r} has {show_label(twice)!r} twice.")
    return found
