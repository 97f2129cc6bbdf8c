"""`drift_files`: what became of the clusters in files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, get_args

import numpy as np

from clustervet._checks import one_of, share
from clustervet.ensemble.drift import Objects, drift, nothing_common
from clustervet.ensemble.drift_result import Drift, Drifts, ShareDrift
from clustervet.ensemble.labeling_files import LabelingFiles
from clustervet.errors import ParameterError, Setting
from clustervet.frames import open_table
from clustervet.frames.columns import listed
from clustervet.frames.places import Paths, path_list
from clustervet.geometry.metrics import read_metric


def drift_files(
    paths: Paths,
    labels: Sequence[str] | None = None,
    *,
    features: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    how: Any = None,
    metric: str | None = None,
    standardize: bool = False,
    objects: Objects | None = None,
    id: str | None = None,
    by: str | None = None,
    by_row: bool = False,
    delimiter: str | None = None,
    header: bool | None = None,
    array: str | None = None,
    memory_limit: str | None = None,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> tuple[Drift | ShareDrift | Drifts, list[str]]:
    r"""Say what became of the clusters in files since another time.

    Parameters
    ----------
    paths : path or sequence of paths
        One table with a column of labels per time, or one file per time, in order. With
        `features` two files: the points that were clustered, and new points, which get the
        clusters of the former.
    labels : list of str, optional
        The columns of labels; with `features` the one of the first file.
    features, exclude : list of str, optional
        The columns of features, which both files have, and columns that no pattern stands for.
    how, metric, standardize : optional
        How new points get their clusters, as in `drift`.
    objects : {"same", "new"}, optional
        Whether the objects are the same ones, as in `drift`.
    id, by, by_row : optional
        How the objects of files are paired, as in `LabelingFiles`.
    delimiter, header, array, memory_limit : optional
        How files are read, as in `open_table`.
    confidence : float, optional
        The confidence of the intervals.
    random_state : int or numpy.random.Generator, optional
        The seed of the p-value for other objects.

    Returns
    -------
    Drift, ShareDrift or Drifts
        What changed.
    list of str
        Remarks on how the files were read.

    Raises
    ------
    FileError
        If a file cannot be read, or has no such column.
    ParameterError
        If options do not go together.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [os.path.join(folder, name) for name in ("before.csv", "new.csv")]
    ...     for path, text in zip(paths, ("x,c\n0,low\n1,low\n8,high\n", "x\n2\n7\n9\n")):
    ...         with open(path, "w") as file:
    ...             _ = file.write(text)
    ...     found, _ = drift_files(paths, ["c"], features=["x"])
    >>> found.clusters, found.counts.tolist()
    (['high', 'low'], [[1, 2], [2, 1]])
    """
    share(confidence, "confidence")
    if objects is not None:
        one_of(objects, "objects", get_args(Objects))
    files = path_list(paths)
    reading: dict[str, Any] = {"delimiter": delimiter, "header": header, "array": array}
    reading["memory_limit"] = memory_limit
    pairing: dict[str, Any] = {"by": by, "id": id, "by_row": by_row}
    asked: dict[str, Any] = {"confidence": confidence, "random_state": random_state}
    placing = {"how": how, "metric": metric, "standardize": standardize}
    if features is not None:
        _check(pairing | {"objects": objects if objects == "same" else None}, " does not go with ")
        given = {name: value for name, value in placing.items() if value}
        before, old, new = _points(files, labels, features, exclude, metric, reading)
        return drift(before, X=old, new=new, objects=objects, **given, **asked), []
    _check(placing | {"exclude": exclude}, " goes with ")
    pairing["by_row"] = by_row or objects == "new"
    reader = LabelingFiles(labels, **pairing, **reading)
    read = reader.read(files)
    if id is not None and objects is None:
        labelled = {name: side.missing is None or ~side.missing for name, side in read.items()}
        for one, two in pairwise(labelled):
            if not np.any(labelled[one] & labelled[two]):
                raise nothing_common((one, two))
    return drift(read, objects=objects, **asked), reader.remarks()


def _check(given: dict[str, Any], fault: str) -> None:
    """Refuse what does not go with features, or goes with features alone."""
    for name, value in given.items():
        if value:
            shown = value if name == "objects" else None
            raise ParameterError(Setting(name, shown), fault, Setting("features"), ".")


def _points(
    files: Sequence[str],
    labels: Sequence[str] | None,
    features: Sequence[str],
    exclude: Sequence[str],
    metric: str | None,
    reading: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """Return the labels of the points in a first file, these points, and those in a second one."""
    if len(files) != 2 or files[0] == files[1] == "-":
        raise ParameterError(
            Setting("features"), " goes with two files: points with their clusters, and new points."
        )
    first, second = (open_table(path, **reading) for path in files)
    if labels is None or len(labels) != 1:
        held = listed(list(first.columns))
        raise ParameterError(
            "name one column of clusters with ", Setting("labels"), f"; {first.name} has {held}."
        )
    mixed = metric is not None and read_metric(metric).reads_table
    old = first.features(features, [*labels, *exclude], mixed=mixed)
    return old.labels(labels[0]), old, second.features(old.feature_names, mixed=mixed)
