"""`score_tree_files`: a tree and the classes of its objects, read from files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from clustervet.errors import LabelError, ParameterError, Setting
from clustervet.frames.remarks import header_remark
from clustervet.frames.source import INDEX, open_table
from clustervet.hierarchical.files import linkage_matrix
from clustervet.hierarchical.tree import read_linkage
from clustervet.labels import show_label
from clustervet.labels.pair import Missing
from clustervet.scorecard.questions import Chosen
from clustervet.trees.result import TreeScores
from clustervet.trees.score import check_questions, score_tree
from clustervet.view.words import names


def score_tree_files(
    table: str,
    truth: str | None = None,
    labels: Sequence[str] | None = None,
    *,
    linkage: str | None = None,
    measures: Chosen = None,
    clusters: Iterable[int] | None = None,
    noise: Any = None,
    missing: Missing = "raise",
    array: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    memory_limit: str | None = None,
) -> TreeScores:
    r"""Score a dendrogram or a taxonomy in files against classes.

    Parameters
    ----------
    table : str
        A table with a column of classes, and for a taxonomy with one column per level.
    truth : str, optional
        The column of classes; by default the only column.
    labels : list of str, optional
        Columns of nested labels from coarse to fine; by default all other columns, in their order.
    linkage : str, optional
        A file with a linkage matrix of scipy, as NPY, NPZ or delimited text, instead of nested
        labels. Its leaves are the rows of the table, in their order.
    measures, clusters, noise, missing : optional
        As in `score_tree`.
    array : str, optional
        The name of the matrix in an NPZ file.
    delimiter : str, optional
        The character between the fields of the table.
    header : bool, optional
        Whether the first line of the table names its columns.
    memory_limit : str, optional
        How much memory reading may take, such as ``"4GB"``.

    Returns
    -------
    TreeScores
        What `score_tree` finds; `remarks` say how the files were read.

    Raises
    ------
    FileError
        If a file cannot be read, or has no such column.
    LabelError
        If labels are missing or not nested, or if the files are not about the same objects.
    ParameterError
        If options do not go together, or if a file holds no linkage matrix.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "animals.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,class,kind\nair,bird,owl\nair,bird,duck\nsea,fish,cod\n")
    ...     found = score_tree_files(path, "y")
    >>> found.names, found.remarks
    (('all objects', 'class', 'kind'), ('levels from coarse to fine are class, kind.',))
    """
    measures = check_questions(measures, clusters) or None
    if linkage is not None and labels is not None:
        raise ParameterError(Setting("linkage"), " goes without ", Setting("labels"), ".")
    if linkage == table == "-":
        raise ParameterError("only one of the files can be standard input.")
    reading: dict[str, Any] = {"delimiter": delimiter, "header": header}
    reading |= {"memory_limit": memory_limit, "array": array if linkage is None else None}
    source = open_table(table, **reading)
    others = [name for name in source.columns if not INDEX.fullmatch(name.strip())]
    others = others or list(source.columns)
    if truth is None:
        if len(others) > 1:
            raise ParameterError(
                f"{source.name} has the columns {names(others)}; say which one has the classes "
                "with ",
                Setting("truth"),
                ".",
            )
        truth = others[0]
    remarks = []
    if source.header_guessed is not None:
        remarks.append(header_remark(source.name, source.header_guessed))
    options: dict[str, Any] = {
        "measures": measures, "clusters": clusters, "noise": noise, "missing": missing
    }  # fmt: skip
    if linkage is not None:
        tree = read_linkage(linkage_matrix(linkage, array, memory_limit), show_label(linkage, 200))
        classes = source.labels([truth])[truth]
        if len(classes) != len(tree.leaf):
            raise LabelError(
                f"{source.name} has {len(classes):,} rows, and the tree in "
                f"{show_label(linkage, 200)} has {len(tree.leaf):,} leaves; they must be about the "
                "same objects."
            )
        found = score_tree(classes, tree, **options)
    else:
        levels = list(labels) if labels is not None else [x for x in others if x != truth]
        for name in levels:
            if levels.count(name) > 1:
                raise ParameterError(Setting("labels"), f" names {show_label(name)!r} twice.")
        if not levels:
            raise ParameterError(
                f"{source.name} has no column beside the classes; a tree needs columns of nested "
                "labels, or a linkage matrix with ",
                Setting("linkage"),
                ".",
            )
        if labels is None:
            remarks.append(f"levels from coarse to fine are {names(levels)}.")
        read = source.labels([truth, *(name for name in levels if name != truth)])
        found = score_tree(read[truth], {name: read[name] for name in levels}, **options)
    return replace(found, remarks=tuple(remarks))
