"""Text: a folder of documents, or a column of a table, as counts of words."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clustervet.errors import FileError
from clustervet.frames.places import files_inside
from clustervet.frames.source import open_table
from clustervet.labels import Codes, show_label
from clustervet.labels.codes import from_keys, number

# A word in more than this share of the documents tells little in any language, and one that
# occurs in a single document nothing at all.
COMMON = 0.5
RARE = 2


@dataclass(frozen=True, eq=False)
class Documents:
    """Texts and their labels, which are missing where a document has none, and their files."""

    name: str
    texts: Sequence[str] = field(repr=False)
    labels: Codes = field(repr=False)
    files: Sequence[str] | None = field(repr=False, default=None)


@dataclass(frozen=True, eq=False)
class Words:
    """How often each word occurs in each document: a sparse matrix, and the words."""

    counts: Any = field(repr=False)
    vocabulary: tuple[str, ...] = field(repr=False)


def read_text_column(
    path: str | os.PathLike[str],
    text: str,
    label: str,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
) -> Documents:
    """Documents from two columns of a table; a missing text is a document without words."""
    source = open_table(path, delimiter=delimiter, header=header)
    columns = source.labels([text, label])
    codes = columns[text]
    distinct, places = np.unique(codes.values, return_inverse=True)
    texts = np.array([str(item) for item in codes.restore(distinct)], object)[places]
    if codes.missing is not None:
        texts[codes.missing] = ""
    return Documents(source.name, texts.tolist(), columns[label])


def read_text_folder(path: str | os.PathLike[str]) -> Documents:
    """Documents from a folder that has a folder for each class; the rest has no label.

    A file is a document: of the class whose folder it lies in, at any depth, or of none if it
    lies beside those folders. Names that begin with a dot are passed over. Text is UTF-8, or
    Latin-1 where it cannot be.
    """
    root = Path(os.fspath(path))
    name = show_label(str(root), 200)
    texts: list[str] = []
    labels: list[str | None] = []
    files: list[str] = []
    for file in map(Path, files_inside(str(root), hidden=(".",))):
        inside = file.relative_to(root).parts
        files.append("/".join(inside))
        texts.append(_text(file))
        labels.append(inside[0] if len(inside) > 1 else None)
    known = sorted({label for label in labels if label is not None})
    if not known:
        raise FileError(f"{name} holds no folder with documents; there must be one for each class.")
    missing = np.array([label is None for label in labels])
    codes, keys = number([known[0] if label is None else label for label in labels])
    found = from_keys(codes, keys, missing if missing.any() else None)
    return Documents(name, texts, found, files)


def _text(file: Path) -> str:
    try:
        data = file.read_bytes()
    except OSError as error:
        shown = show_label(str(file), 200)
        raise FileError(f"{shown} cannot be read: {error.strerror or error}.") from None
    if b"\0" in data:
        raise FileError(f"{show_label(str(file), 200)} is a binary file, not a document.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def count_words(documents: Documents) -> Words:
    """Counts of words, capitals aside: those in two documents or more, but not in most.

    >>> from clustervet.labels import read_labels
    >>> texts = ["a red fox", "one red hen", "an old hen", "an old ox"]
    >>> words = count_words(Documents("text", texts, read_labels(["x", "x", "y", "y"])))
    >>> words.vocabulary, words.counts.toarray().astype(int).tolist()
    (('an', 'hen', 'old', 'red'), [[0, 0, 0, 1], [0, 1, 0, 1], [1, 1, 1, 0], [1, 0, 1, 0]])
    """
    from sklearn.feature_extraction.text import CountVectorizer

    for least, most in ((RARE, COMMON), (1, 1.0)):
        counter = CountVectorizer(min_df=least, max_df=most, dtype=np.float64)
        try:
            counts = counter.fit_transform(documents.texts)
        except ValueError:  # no word is left; a few short texts keep all they have
            continue
        return Words(counts, tuple(counter.get_feature_names_out().tolist()))
    raise FileError(f"{documents.name} holds no words.")
