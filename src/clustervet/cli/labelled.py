"""From the arguments of `select` to points and the labels that some of them have."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from clustervet.cli.plugins import load_object
from clustervet.cli.points import listed, tell_features
from clustervet.errors import FileError, ParameterError
from clustervet.frames import read_features
from clustervet.frames.documents import (
    Documents,
    count_words,
    read_columns,
    read_text_column,
    read_text_folder,
)
from clustervet.labels import Codes, show_label
from clustervet.labels.codes import Mask

YES = frozenset({"true", "t", "yes", "y", "1", "1.0"})
NO = frozenset({"false", "f", "no", "n", "0", "0.0"})


@dataclass(frozen=True)
class Asked:
    """Where points and labels are."""

    path: str
    label: str | None
    text: str | None
    labelled: str | None
    features: Sequence[str]
    array: str | None
    delimiter: str | None
    header: bool | None


@dataclass(frozen=True)
class Points:
    """Features, labels, which of them may be looked at, and how counts are usually weighted.

    `tell` says on standard error what was taken as features; `names` are those of documents.
    """

    matrix: Any
    labels: Codes
    labelled: Mask | None
    weighting: str
    tell: Callable[[], None]
    names: Sequence[str] | None = None


def read_points_and_labels(asked: Asked) -> Points:
    """A table of features, a table with a column of text, or a folder of text."""
    if asked.path != "-" and Path(asked.path).is_dir():
        return _folder(asked)
    if asked.label is None:
        raise ParameterError("name the column of labels with --label.")
    if asked.text is not None:
        return _text_column(asked, asked.text, asked.label)
    beside = [asked.label] if asked.labelled is None else [asked.label, asked.labelled]
    table = read_features(
        asked.path,
        features=listed(asked.features),
        exclude=beside,
        array=asked.array,
        delimiter=asked.delimiter,
        header=asked.header,
    )
    mask = (
        None if asked.labelled is None else read_mask(table.labels(asked.labelled), asked.labelled)
    )
    tell = partial(tell_features, table) if not asked.features else _nothing
    return Points(table.matrix, table.labels(asked.label), mask, "none", tell)


def _nothing() -> None:
    return None


def _folder(asked: Asked) -> Points:
    for option, given in (
        ("--label", asked.label),
        ("--text", asked.text),
        ("--labelled", asked.labelled),
        ("--features", asked.features),
        ("--array", asked.array),
    ):
        if given:
            raise ParameterError(
                f"{option} goes with a table; in a folder of text the names of folders are labels."
            )
    return _counted(read_text_folder(asked.path), None)


def _text_column(asked: Asked, text: str, label: str) -> Points:
    if asked.features or asked.array:
        raise ParameterError("--text goes without --features and --array.")
    options: dict[str, Any] = {"delimiter": asked.delimiter, "header": asked.header}
    if asked.path == "-" and asked.labelled is not None:
        raise ParameterError("--labelled with --text needs a file, not standard input.")
    documents = read_text_column(asked.path, text, label, **options)
    if asked.labelled is None:
        return _counted(documents, None)
    codes = read_columns(asked.path, [asked.labelled], **options)[asked.labelled]
    return _counted(documents, read_mask(codes, asked.labelled))


def _counted(documents: Documents, mask: Mask | None) -> Points:
    words = count_words(documents)
    said = f"{len(documents.texts):,} documents with {len(words.vocabulary):,} different words"
    tell = partial(print, f"clustervet: {said}.", file=sys.stderr)
    return Points(words.counts, documents.labels, mask, "tfidf", tell, documents.files)


def read_mask(codes: Codes, column: str) -> Mask:
    """True where a column says true, yes or 1; false where it says the opposite or nothing."""
    distinct, places = np.unique(codes.values, return_inverse=True)
    absent = np.zeros(len(places), bool) if codes.missing is None else codes.missing
    used = np.bincount(places[~absent], minlength=len(distinct)) > 0
    says = np.zeros(len(distinct), bool)
    for k, name in enumerate(codes.restore(distinct)):
        word = str(name).strip().lower()
        if used[k] and word not in YES | NO:
            raise FileError(
                f"column {show_label(column)!r} says which labels may be looked at, by true and "
                f"false or 1 and 0; {show_label(name)!r} is neither."
            )
        says[k] = word in YES
    mask: Mask = says[places] & ~absent
    return mask


def own_algorithms(given: Sequence[str] | None) -> list[Any] | None:
    """Names of algorithms, and classes of the user's own; None where none were given."""
    if given is None:
        return None
    names = [name.strip() for name in ",".join(given).split(",") if name.strip()]
    if not names:
        raise ParameterError("--algorithms names none; leave it out to have the usual ones.")
    return [load_object(name, "an algorithm", "class") if ":" in name else name for name in names]
