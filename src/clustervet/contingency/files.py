"""`read_tables`: the tables of truths and predictions in files, each counted once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.contingency.grouped import table_of
from clustervet.contingency.saved import is_saved_table
from clustervet.contingency.table import Contingency
from clustervet.contingency.tables import PRODUCT, TAKEN, Labels, Pair, Tables
from clustervet.errors import FileError, ParameterError, Setting
from clustervet.frames.columns import absent_column, is_number
from clustervet.frames.grouping import GroupedCounts
from clustervet.frames.pairing import check_rows
from clustervet.frames.places import ARRAY, TEXT, Paths, is_many, path_list
from clustervet.frames.source import FileSet, JoinedFiles, Source, open_table
from clustervet.labels import Codes, product_labels, read_labels, show_label
from clustervet.labels.pair import MissingInPair

# Combinations of all labels, and objects, up to which labels are returned for every object.
COMBINATIONS = 2_000_000
RANKED = 20_000_000
# Why weights do not go with labels in two files.
ONE_TABLE = " names a column of one table and does not go with two files."

TRUTH, PRED = Setting("truth"), Setting("pred")
BOTH = (TRUTH, " and ", PRED)


def read_tables(
    paths: Paths,
    truth: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    *,
    id: str | None = None,
    weights: str | None = None,
    noise: Any = None,
    missing: MissingInPair = "raise",
    engine: str | None = None,
    memory_limit: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    array: str | None = None,
    joint: bool = False,
    parts: bool = False,
    by_row: bool = False,
) -> Tables:
    r"""Count the labels in files: one table for each truth with each prediction.

    Parameters
    ----------
    paths : path or sequence of paths
        One of these: a table in a file, a pattern or a folder; two files of labels, truth and
        prediction, which are paired row by row unless a column of ids says that their rows do not
        match; three or more files, which are the parts of one table; files that `id` joins; or a
        saved table (`Contingency.save`).
    truth : str or sequence of str, optional
        The column of classes, or several. A table of two columns needs no names, and a file
        of labels needs none if it has one column.
    pred : str or sequence of str, optional
        The column of clusters, or several.
    id : str, optional
        A column that names every object. The files are joined on it; the first has the truth.
    weights : str, optional
        A column of weights.
    noise : optional
        The policy for noise, as in `Contingency.from_labels`.
    missing : {"raise", "drop", "class", "absent"}, default "raise"
        What a missing label does, as in `Contingency.from_labels`.
    engine : str, optional
        Who reads, as in `open_table`.
    memory_limit : str, optional
        How much memory reading may take, such as ``"4GB"``; DuckDB then groups small files, too.
    delimiter : str, optional
        The character between the fields of delimited text.
    header : bool, optional
        Whether the first line of delimited text names the columns.
    array : str, optional
        The name of the matrix in an NPZ file.
    joint : bool, default False
        Whether to count the combinations of all columns, too, so that `Tables.labels` has the
        labels of every object.
    parts : bool, default False
        Whether two files are the parts of one table rather than truth and prediction.
    by_row : bool, default False
        Whether two files are paired row by row whatever their ids say.

    Returns
    -------
    Tables
        The tables, and what is to be known about the files.

    Raises
    ------
    FileError
        If a file cannot be read, or has no such column; or if two files share a column of ids
        that are not the same in each row.
    ParameterError
        If a column must be named, or if an option does not go with the files.
    LabelError
        If labels or weights are missing, or cannot be such.

    Notes
    -----
    A column that both files have, beside truth and prediction, holds ids if no two rows of a file
    have the same value in it, and if it is called ``id`` or ``index``, or as pandas calls its
    index, or half of its values are in both files.

    Python reads one table in small text or in arrays, and the labels of two files. DuckDB
    groups everything else, in one scan for all pairs of columns, so that only counts are in
    memory. Other engines group one pair after the other.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "labels.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("y,a,b\nu,0,0\nu,0,1\nv,1,1\n")
    ...     tables = read_tables(path, "y", ["a", "b"])
    ...     {pair: table.to_dict() for pair, table in tables.items()}
    {('y', 'a'): {('u', '0'): 2, ('v', '1'): 1},
     ('y', 'b'): {('u', '0'): 1, ('u', '1'): 1, ('v', '1'): 1}}
    """
    files = path_list(paths)
    truths, preds = _names(truth), _names(pred)
    policies = {"noise": noise, "missing": missing}
    asked = _Asked(files, truths, preds, weights, policies, joint)
    if len(files) == 1 and is_saved_table(files[0]):
        return _saved(asked)
    options: dict[str, Any] = {"delimiter": delimiter, "header": header, "array": array}
    options["memory_limit"] = memory_limit
    if by_row and id is not None:
        raise ParameterError(Setting("by_row"), " does not go with ", Setting("id"), ".")
    plain = id is None and engine is None
    if len(files) > 1 and id is None and not parts:
        if plain and len(files) == 2 and not any(map(is_many, files)):
            return _by_row(asked, options, checked=not by_row)
        if not (truths and preds):
            if len(files) > 2:
                raise ParameterError(
                    f"one table or two label files are wanted, not {len(files)} files."
                )
            raise ParameterError("name the columns of such files with ", *BOTH, ".")
    source = open_table(files, id=id, engine=engine, **options)
    if isinstance(source, JoinedFiles):
        return _joined(asked, source)
    if not isinstance(source, FileSet):
        return _by_engine(asked, source)
    asked = asked.named(source)
    in_memory = source.is_light or (source.format == ARRAY and len(source.files) == 1)
    if plain and in_memory and memory_limit is None:
        return _in_memory(asked, source)
    places = {role: role[1] for one in asked.sets() for role in one}
    return _grouped(asked, source, places, asked.weights)


def _names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    """Columns, each once."""
    names = [] if given is None else [given] if isinstance(given, str) else given
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class _Asked:
    """What `read_tables` was asked for."""

    files: Sequence[str]
    truths: tuple[str, ...]
    preds: tuple[str, ...]
    weights: str | None
    policies: Mapping[str, Any]
    joint: bool = False

    def named(self, source: FileSet) -> _Asked:
        """The same with columns; two columns need no names."""
        truths, preds, names = self.truths, self.preds, source.names
        if not truths and not preds and len(names) == 2 and self.weights is None:
            return _Asked(self.files, (names[0],), (names[1],), None, self.policies, self.joint)
        self.check_product()
        if not truths or not preds:
            lacking = BOTH if not (truths or preds) else [PRED if truths else TRUTH]
            raise ParameterError(
                "name a column with ", *lacking, f"; {source.name} has {_shown(names)}."
            )
        return self

    def check_product(self) -> None:
        """Refuse a truth that is called as the product classes are."""
        if PRODUCT in self.truths and len(self.truths) > 1:
            raise ParameterError(TAKEN)

    def sets(self) -> list[list[Pair]]:
        """Roles and names: truths with each prediction, the product, and all at once."""
        truths = [("truth", name) for name in self.truths]
        preds = [("pred", name) for name in self.preds]
        sets = [[one, pred] for one in truths for pred in preds]
        if len(truths) > 1:
            sets += [[*truths, pred] for pred in preds]
        return [*sets, [*truths, *preds]] if self.joint else sets


def _shown(names: Sequence[str]) -> str:
    return ", ".join(show_label(name) for name in names[:20])


def _saved(asked: _Asked) -> Tables:
    for name, given in (
        ("truth", asked.truths),
        ("pred", asked.preds),
        ("weights", asked.weights),
        ("noise", asked.policies["noise"]),
        ("missing", asked.policies["missing"] != "raise"),
    ):
        if given:
            shown = show_label(asked.files[0], 200)
            raise ParameterError(
                f"{shown} is a saved table, which ", Setting(name), " does not go with."
            )
    return Tables.of(Contingency.load(asked.files[0]))


def _in_memory(asked: _Asked, source: FileSet) -> Tables:
    wanted = dict.fromkeys([*asked.truths, *asked.preds])
    weights = None
    for name in (*wanted, *([] if asked.weights is None else [asked.weights])):
        if name not in source.names:
            raise source.absent(name)
    if asked.weights is None:
        codes = source.read((), [*wanted])[1]
    elif source.format == TEXT:
        codes = source.read((), [*wanted, *({asked.weights} - wanted.keys())])[1]
        weights = _text_weights(codes[asked.weights], asked.weights, source.name)
    else:
        matrix, codes = source.read([asked.weights], [*wanted])
        weights = matrix[:, 0]
    return Tables.of_labels(
        {name: codes[name] for name in asked.truths},
        {name: codes[name] for name in asked.preds},
        weights=weights,
        policies=asked.policies,
        header_guessed=_guessed(source),
    )


def _text_weights(codes: Codes, name: str, table: str) -> NDArray[np.float64]:
    """A column of text as weights."""
    what = f"column {show_label(name)} of {table}"
    if codes.missing is not None:
        raise FileError(f"{what} has an empty weight.")
    texts = codes.restore(np.arange(codes.span[1] if codes.span else 0))
    for text in texts:
        if not is_number(text):
            raise FileError(f"{what} holds {show_label(text)!r}, which is no weight.")
    return np.array([float(text) for text in texts])[codes.values]


def _guessed(*sources: Source) -> dict[str, str]:
    return {one.name: one.header_guessed for one in sources if one.header_guessed is not None}


def _by_row(asked: _Asked, options: Mapping[str, Any], *, checked: bool) -> Tables:
    """Truth and prediction in two files, paired row by row; ids that differ are refused."""
    if asked.weights is not None:
        raise ParameterError(Setting("weights"), ONE_TABLE)
    if asked.files.count("-") == 2:
        raise ParameterError("only one of the two files can be standard input.")
    sources, chosen, whole = [], [], []
    every = {*asked.truths, *asked.preds}
    for path, columns, option in zip(
        asked.files, (asked.truths, asked.preds), (TRUTH, PRED), strict=True
    ):
        source = open_table(path, **options)
        assert isinstance(source, FileSet)
        names = list(columns) or source.names
        if not columns and len(names) > 1:
            raise ParameterError(
                f"name a column of {source.name} with ", option, f"; it has {_shown(names)}."
            )
        for name in names:
            if not source.holds(name):
                raise source.absent(name)
        chosen.append(names)
        sources.append(source)
        whole.append(source.format != TEXT and all(map(source.holds, every)))
    if checked:
        check_rows(sources, {*every, *chosen[0], *chosen[1]}, joins=True)
    sides = [source.read((), names)[1] for source, names in zip(sources, chosen, strict=True)]
    guessed = _guessed(*sources)
    facts: dict[str, Any] = {"header_guessed": guessed, "paired_by_row": all(whole)}
    return Tables.of_labels(sides[0], sides[1], policies=asked.policies, **facts)


def _by_engine(asked: _Asked, source: Any) -> Tables:
    """Tables that another engine groups, where its data are."""
    if len(asked.truths) > 1:
        raise ParameterError("a second ", TRUTH, " goes with the engine duckdb alone.")
    if not asked.truths or not asked.preds:
        raise ParameterError("name columns with ", *BOTH, " for such an engine.")
    truth, weights = asked.truths[0], asked.weights
    with source.frame([truth, *asked.preds], [] if weights is None else [weights]) as frame:
        found: dict[Pair, Any] = {
            (truth, pred): Contingency.from_frame(
                frame, truth=truth, pred=pred, weights=weights, **asked.policies
            )
            for pred in asked.preds
        }
    return Tables(asked.truths, asked.preds, asked.policies, weights is not None, _tables=found)


def _grouped(asked: _Asked, source: Source, places: Mapping[Pair, Any], weights: Any) -> Tables:
    """Tables that DuckDB groups in one scan; `places` has the column of each role and name."""
    sets = asked.sets()
    most = {len(sets) - 1: COMBINATIONS} if asked.joint else {}
    groups = source.groups([[places[role] for role in one] for one in sets], weights, most)
    found: dict[Pair, Any] = {}
    together = groups.pop() if asked.joint else None
    for (*classes, pred), one in zip(sets, groups, strict=False):
        assert one is not None  # since only the joint set is bounded
        name, grouped = classes[0][1], one.pair(places[classes[0]], places[pred])
        if len(classes) > 1:
            sides = [one.keys[places[side]] for side in classes]
            product = product_labels(sides, asked.policies["missing"])
            name, grouped = PRODUCT, replace(grouped, keys={**grouped.keys, "truth": product})
        found[name, pred[1]] = table_of(grouped, **asked.policies)
    return Tables(
        asked.truths,
        asked.preds,
        asked.policies,
        asked.weights is not None,
        unmatched=source.unmatched if isinstance(source, JoinedFiles) else None,
        _tables=found,
        _objects=partial(_repeated, asked, places, together),
        _rows=partial(_read_again, asked, source, places),
    )


def _read_again(
    asked: _Asked, source: Source, places: Mapping[Pair, Any], pred: str
) -> tuple[Codes, Codes, Any]:
    """Classes, clusters and ids, object by object; ids are None where files are not joined."""
    truth, clusters = places["truth", asked.truths[0]], places["pred", pred]
    if isinstance(source, JoinedFiles):
        return source.labelled(truth, clusters)
    codes = source.read((), list(dict.fromkeys([truth, clusters])))[1]
    return codes[truth], codes[clusters], None


def _repeated(asked: _Asked, places: Mapping[Pair, Any], joint: GroupedCounts | None) -> Labels:
    """The labels of every object, from the counts of all combinations."""
    if joint is None or int(joint.counts.sum()) > RANKED:
        return None

    def spread(keys: Any) -> Codes:
        codes = read_labels(keys)
        missing = None if codes.missing is None else np.repeat(codes.missing, joint.counts)
        values = np.repeat(codes.values, joint.counts)
        return Codes(values, codes.restore, codes.find, missing, codes.span)

    truth = spread(joint.keys[places["truth", asked.truths[0]]])
    return truth, {name: spread(joint.keys[places["pred", name]]) for name in asked.preds}


def _joined(asked: _Asked, source: JoinedFiles) -> Tables:
    """Tables of files joined on an id."""
    tables = source.tables
    truths = asked.truths or _own(tables[0], source.id, TRUTH)
    preds = asked.preds or _own(tables[1], source.id, PRED)
    asked = _Asked(asked.files, truths, preds, asked.weights, asked.policies, asked.joint)
    asked.check_product()
    for name in truths:
        if name not in tables[0].names:
            raise absent_column(name, tables[0].name, tables[0].names)
    places: dict[Pair, tuple[int, str]] = {("truth", name): (0, name) for name in truths}
    later = [*range(1, len(tables)), 0]
    places |= {("pred", name): (_holder(name, tables, later), name) for name in preds}
    weights = None
    if asked.weights is not None:
        weights = _holder(asked.weights, tables, [0, *later[:-1]]), asked.weights
    used = {at for at, _ in places.values()} | {0}
    for at, table in enumerate(tables):
        if at not in used:
            raise ParameterError("no ", PRED, f" is a column of {table.name}.")
    return _grouped(asked, source, places, weights)


def _own(table: FileSet, id: str, option: Setting) -> tuple[str, ...]:
    """The only column beside the id."""
    others = [name for name in table.names if name != id]
    if len(others) != 1:
        raise ParameterError(
            f"name a column of {table.name} with ", option, f"; it has {_shown(table.names)}."
        )
    return tuple(others)


def _holder(name: str, tables: Sequence[FileSet], order: Sequence[int]) -> int:
    """The file that has a column; the last one of the order is asked only if no other has it."""
    holders = [at for at in order[:-1] if tables[at].holds(name)]
    if len(holders) > 1:
        raise FileError(
            f"column {show_label(name)!r} is in {tables[holders[0]].name} and in "
            f"{tables[holders[1]].name}; rename one."
        )
    if not holders and not tables[order[-1]].holds(name):
        known = [column for table in tables for column in table.names]
        raise absent_column(name, tables[order[0]].name, known)
    return (holders or [order[-1]])[0]
