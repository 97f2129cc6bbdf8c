"""`examine_files`: everything about clusterings in files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from clustervet.contingency.files import read_tables
from clustervet.errors import ParameterError, Setting
from clustervet.evidence.evidence import Evidence
from clustervet.evidence.examine import check_examination, examine
from clustervet.frames import open_table
from clustervet.frames.patterns import spelled_columns
from clustervet.frames.places import Paths, path_list
from clustervet.frames.remarks import header_remark, joined_remarks
from clustervet.geometry.metrics import read_metric
from clustervet.labels import show_label
from clustervet.registry import measures as registry


def examine_files(
    paths: Paths,
    truth: str | None,
    pred: str | Sequence[str],
    *,
    features: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    standardize: bool = False,
    also: Sequence[str] = (),
    id: str | None = None,
    weights: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    array: str | None = None,
    memory_limit: str | None = None,
    by_row: bool = False,
    **options: Any,
) -> tuple[Evidence, list[str]]:
    r"""Gather everything that can be said about clusterings in files.

    Parameters
    ----------
    paths : path or sequence of paths
        One table; or, with `id`, the file of the truth and files of predictions, any of which may
        have features.
    truth : str or None
        The column of classes; without one the clusterings are held against their features.
    pred : str or list of str
        The columns of clusters; they may be separated by commas, and ``leiden_*`` stands for all
        that match.
    features, exclude : list of str, optional
        The columns of features, and numeric columns that are none. Without a truth all numeric
        columns are features.
    standardize : bool, optional
        Give every feature mean 0 and variance 1.
    also : list of str, optional
        Keys of external measures to show beside those that are named.
    id : str, optional
        A column on which the files are joined.
    weights : str, optional
        The column of weights.
    delimiter, header, array, memory_limit : optional
        How files are read, as in `open_table`.
    by_row : bool, optional
        Whether two files are paired row by row whatever their ids say, as in `read_tables`.
    **options
        Further options of `examine`.

    Returns
    -------
    Evidence
        What is known.
    list of str
        Remarks on how the files were read.

    Raises
    ------
    FileError
        If a file cannot be read, or has no such column.
    ParameterError
        If no column of clusters is named, or options do not go together.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "labels.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,a,b\nu,0,0\nu,0,1\nv,1,1\nv,1,1\n")
    ...     found, remarks = examine_files(path, "y", ["a", "b"])
    >>> found.leader, found.scores["b"]["purity"], remarks
    ('a', 0.75, [])
    """
    if options.get("measures") is not None:
        options["measures"] = [*registry.select(options["measures"]), *also]
    asked = options.keys() & {
        *("measures", "family", "confidence", "metric", "chance", "missing", "sample")
    }
    check_examination(**{name: options[name] for name in asked})
    files = path_list(paths)
    parsing: dict[str, Any] = {"delimiter": delimiter, "header": header, "array": array}
    parsing["memory_limit"] = memory_limit
    asked_for = [pred] if isinstance(pred, str) else list(pred)
    preds = spelled_columns(asked_for, files, [*filter(None, (truth, id, weights))], **parsing)
    if not (features or weights) if id is not None else len(files) > 1:
        for name, given in {"features": features, "weights": weights}.items():
            if given:
                told = " goes with one table, or with files that ", Setting("id"), " joins."
                raise ParameterError(Setting(name), *told)
        policies = {name: options[name] for name in options.keys() & {"noise", "missing"}}
        reading: dict[str, Any] = {"id": id, "joint": True, "by_row": by_row, **policies, **parsing}
        tables = read_tables(files, truth, preds, **reading)
        return examine(tables, **options), tables.remarks()
    source = open_table(files, id=id, **parsing)
    if not preds:
        known = ", ".join(show_label(name) for name in islice(source.columns, 20))
        raise ParameterError(
            "name a column of clusters with ", Setting("pred"), f"; {source.name} has {known}."
        )
    columns = [*([] if truth is None else [truth]), *preds]
    beside = [*columns, *([] if weights is None else [weights])]
    if weights is not None and weights not in source.columns:
        raise source.absent(weights)
    remarks, matrix, named = joined_remarks(source), None, None
    if features is None and truth is not None:
        codes = source.labels(columns)
    else:
        other = [*beside, *exclude, *([] if id is None else [id])]
        mixed = read_metric(options.get("metric", "euclidean")).reads_table
        table = source.features(features, [*dict.fromkeys(other)], mixed=mixed)
        codes = {name: table.labels(name) for name in columns}
        matrix, named = table if mixed else table.matrix, table.feature_names
        remarks += [table.remark] if features is None else []
    if source.header_guessed is not None:
        remarks.insert(0, header_remark(source.name, source.header_guessed))
    found = examine(
        None if truth is None else {truth: codes[truth]},
        {name: codes[name] for name in preds},
        features=matrix,
        feature_names=named,
        standardize=standardize,
        weights=None if weights is None else source.read([weights], ())[0][:, 0],
        **options,
    )
    return found, remarks
