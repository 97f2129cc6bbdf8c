"""From files of any size to tables: grouped by an engine, joined by ids, or saved before."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clustervet.cli.request import Request, noise_policies
from clustervet.contingency import Contingency
from clustervet.contingency.grouped import table_of
from clustervet.errors import FileError, ParameterError
from clustervet.frames.grouped import Grouped
from clustervet.frames.grouping import Groups
from clustervet.frames.join import Joined, Unmatched, group_joined
from clustervet.frames.lake import FileTable, open_lake
from clustervet.frames.scan import find_files
from clustervet.frames.source import absent_column
from clustervet.labels import Codes, product_labels, read_labels, show_label
from clustervet.scorecard.external import PRODUCT

# Combinations of all labels, and objects, up to which predictions are ranked in pairs.
COMBINATIONS = 2_000_000
RANKED = 20_000_000


@dataclass(frozen=True)
class Tables:
    """A table of each truth and prediction, and all labels at once where they were asked for."""

    tables: Mapping[tuple[str, str], Contingency]
    truths: Sequence[str]
    preds: Sequence[str]
    unmatched: Sequence[Unmatched] = ()
    joint: Groups | None = None

    def labels(self) -> tuple[Codes, dict[str, Codes]] | None:
        """The labels of every object, where they are few enough to be compared in pairs."""
        if self.joint is None or len(self.truths) > 1:
            return None
        counts = self.joint.counts
        if int(counts.sum()) > RANKED:
            return None
        keys = self.joint.keys
        truth = _repeated(keys[f"truth {self.truths[0]}"], counts)
        return truth, {name: _repeated(keys[f"pred {name}"], counts) for name in self.preds}


def read_tables(request: Request, *, joint: bool = False) -> Tables:
    """Group the files that a request names; `joint` asks for all labels at once, too."""
    if request.engine not in (None, "duckdb"):
        return _by_engine(request)
    if request.id is not None:
        return _joined_tables(request, joint)
    with open_lake(request.memory_limit) as lake:
        table = lake.table(request.files, **_options(request))
        truths, preds = _sides(request, table)
        columns = {f"truth {name}": name for name in truths}
        columns |= {f"pred {name}": name for name in preds}
        sets = _sets(truths, preds, joint)
        names = [[columns[role] for role in one] for one in sets]
        most = {len(sets) - 1: COMBINATIONS} if joint else {}
        found = lake.group(table, names, weights=request.weights, most=most)
    groups = [
        None if one is None else _by_role(one, dict(zip(roles, named, strict=True)))
        for one, roles, named in zip(found, sets, names, strict=True)
    ]
    return _finished(request, truths, preds, sets, groups, joint)


def _by_engine(request: Request) -> Tables:
    """Tables that another engine groups, where its data are."""
    from clustervet.frames.engines import engine_for

    for option, given in (
        ("--id", request.id is not None),
        ("--delimiter", request.delimiter is not None),
        ("--no-header", request.header is False),
        ("a second --truth", len(request.truths) > 1),
    ):
        if given:
            raise ParameterError(f"{option} goes with the engine duckdb alone.")
    if not request.truths or not request.preds:
        raise ParameterError("name columns with --truth and --pred for such an engine.")
    files = [
        path
        for file in request.files
        for path in ([file] if "://" in file else map(os.path.abspath, find_files([file])))
    ]
    truth, preds = request.truths[0], list(dict.fromkeys(request.preds))
    numbers = [] if request.weights is None else [request.weights]
    tables = {}
    with engine_for(str(request.engine), memory_limit=request.memory_limit) as engine:
        frame = engine.read(files, numbers=numbers)
        for pred in preds:
            tables[truth, pred] = Contingency.from_frame(
                frame,
                truth=truth,
                pred=pred,
                weights=request.weights,
                noise=noise_policies(request.noise),
                missing=request.missing.value,
            )
    return Tables(tables, [truth], preds)


def _options(request: Request) -> dict[str, Any]:
    return {"delimiter": request.delimiter, "header": request.header, "array": request.array}


def _by_role(groups: Groups, columns: Mapping[str, str]) -> Groups:
    keys = {role: groups.keys[name] for role, name in columns.items()}
    return Groups(keys, groups.counts, groups.weights, groups.fractional)


def _sets(truths: Sequence[str], preds: Sequence[str], joint: bool) -> list[list[str]]:
    """Every truth with every prediction, the product of all truths, and all at once."""
    sets = [[f"truth {t}", f"pred {p}"] for t in truths for p in preds]
    every = [f"truth {t}" for t in truths]
    if len(truths) > 1:
        sets += [[*every, f"pred {p}"] for p in preds]
    return [*sets, [*every, *(f"pred {p}" for p in preds)]] if joint else sets


def _finished(
    request: Request,
    truths: Sequence[str],
    preds: Sequence[str],
    sets: Sequence[Sequence[str]],
    groups: Sequence[Groups | None],
    joint: bool,
    unmatched: Sequence[Unmatched] = (),
) -> Tables:
    policies: dict[str, Any] = {
        "noise": noise_policies(request.noise),
        "missing": request.missing.value,
    }
    tables = {}
    pairs = list(zip(sets, groups, strict=True))
    together = pairs.pop()[1] if joint else None
    for roles, found in pairs:
        assert found is not None  # since only the joint set is bounded
        *classes, pred = roles
        name = classes[0].partition(" ")[2] if len(classes) == 1 else PRODUCT
        grouped = found.pair(classes[0], pred)
        if len(classes) > 1:
            truth = product_labels([found.keys[role] for role in classes], request.missing.value)
            grouped = Grouped(truth, grouped.pred, found.counts, found.weights, found.fractional)
        tables[name, pred.partition(" ")[2]] = table_of(grouped, **policies)
    return Tables(tables, truths, preds, unmatched, together)


def _sides(request: Request, table: FileTable) -> tuple[list[str], list[str]]:
    """The columns of truth and prediction; two columns need no names."""
    truths, preds = list(dict.fromkeys(request.truths)), list(dict.fromkeys(request.preds))
    names = table.columns
    if not truths and not preds and len(names) == 2 and request.weights is None:
        return names[:1], names[1:]
    if PRODUCT in truths and len(truths) > 1:
        raise ParameterError(
            f"no truth may be called {PRODUCT!r}: that is the name of the product classes."
        )
    if not truths or not preds:
        lacking = " and ".join(
            option for option, given in (("--truth", truths), ("--pred", preds)) if not given
        )
        known = ", ".join(show_label(name) for name in names[:20])
        raise ParameterError(f"name a column with {lacking}; {table.name} has {known}.")
    return truths, preds


def _joined_tables(request: Request, joint: bool) -> Tables:
    if len(request.files) < 2:
        raise ParameterError(
            "--id brings files together: name the file of the truth, then those of predictions."
        )
    assert request.id is not None
    with open_lake(request.memory_limit) as lake:
        tables = [lake.table([path], **_options(request)) for path in request.files]
        for table in tables:
            table.column(request.id)
        truths = _own(request.truths, tables[0], request.id, "--truth")
        preds = _own(request.preds, tables[1], request.id, "--pred")
        columns = {f"truth {name}": (0, _has(name, tables[:1])[1]) for name in truths}
        later = [*range(1, len(tables)), 0]
        for name in preds:
            columns[f"pred {name}"] = _found(name, tables, later)
        weights = None
        if request.weights is not None:
            weights = _found(request.weights, tables, [0, *later[:-1]])
        used = {at for at, _ in columns.values()} | {0}
        for at, table in enumerate(tables):
            if at not in used:
                raise ParameterError(f"no --pred is a column of {table.name}.")
        sets = _sets(truths, preds, joint)
        most = {len(sets) - 1: COMBINATIONS} if joint else {}
        groups, unmatched = group_joined(
            lake, tables, Joined(request.id, columns, weights), sets, most
        )
    for one in unmatched:
        tell_unmatched(one)
    return _finished(request, truths, preds, sets, groups, joint, unmatched)


def _own(given: Sequence[str], table: FileTable, id: str, option: str) -> list[str]:
    """Columns that are named, or the only one beside the id."""
    if given:
        return list(dict.fromkeys(given))
    others = [name for name in table.columns if name != id]
    if len(others) != 1:
        known = ", ".join(show_label(name) for name in table.columns[:20])
        raise ParameterError(f"name a column of {table.name} with {option}; it has {known}.")
    return others


def _has(name: str, tables: Sequence[FileTable]) -> tuple[int, str]:
    if name not in tables[0].columns:
        raise absent_column(name, tables[0].name, tables[0].columns)
    return 0, name


def _found(name: str, tables: Sequence[FileTable], order: Sequence[int]) -> tuple[int, str]:
    """The table that has a column; the last one of the order is asked only if no other has it."""
    holders = [at for at in order[:-1] if name in tables[at].columns]
    if len(holders) > 1:
        raise FileError(
            f"column {show_label(name)!r} is in {tables[holders[0]].name} and in "
            f"{tables[holders[1]].name}; rename one."
        )
    if not holders and name not in tables[order[-1]].columns:
        known = [column for table in tables for column in table.columns]
        raise absent_column(name, tables[order[0]].name, known)
    return (holders or [order[-1]])[0], name


def tell_unmatched(one: Unmatched) -> None:
    """Say how many ids have no partner."""
    parts = []
    if one.only_truth:
        parts.append(f"{one.only_truth:,} of {one.truth_file} are not in {one.file}")
    if one.only_prediction:
        parts.append(f"{one.only_prediction:,} of {one.file} are not in {one.truth_file}")
    if parts:
        print(
            f"clustervet: ids without a partner are left out: {', '.join(parts)}.", file=sys.stderr
        )


def _repeated(keys: Any, counts: Any) -> Codes:
    codes = read_labels(keys)
    missing = None if codes.missing is None else np.repeat(codes.missing, counts)
    return Codes(np.repeat(codes.values, counts), codes.restore, codes.find, missing, codes.span)
