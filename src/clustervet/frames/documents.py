"""Text: a folder of documents, or a column of a table, as counts of words."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clustervet import _memory
from clustervet.errors import FileError, ParameterError, Setting
from clustervet.frames.places import files_inside
from clustervet.frames.source import open_table
from clustervet.labels import Codes, show_label
from clustervet.labels.codes import from_keys, number

# A word in more than this share of the documents tells little in any language, and one that
# occurs in a single document nothing at all.
COMMON = 0.5
RARE = 2
# Bytes of memory that a byte of a document may take while it is read.
LETTER = 6


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


@dataclass(frozen=True, eq=False)
class LabelledPoints:
    """Points, their labels, and which of these may be looked at.

    Attributes
    ----------
    matrix : array or sparse matrix
        One row per point: features, or counts of words.
    labels : Codes
        One label per point; some may be missing.
    labelled : Codes or None
        A column that says which labels may be looked at.
    remark : str
        What was taken as features.
    names : list of str or None
        The files of documents.
    feature_names : sequence of str
        The columns of features, or the words.
    """

    matrix: Any = field(repr=False)
    labels: Codes = field(repr=False)
    labelled: Codes | None = field(repr=False)
    remark: str
    names: Sequence[str] | None = field(repr=False, default=None)
    feature_names: Sequence[str] = field(repr=False, default=())


def usual_weighting(path: str, text: str | None) -> str:
    """Return how what a path holds is usually weighted: counts of words, or other features."""
    return "none" if text is None and not _is_folder(path) else "tfidf"


def _is_folder(path: str) -> bool:
    """Return whether a path is a folder of text."""
    return path != "-" and os.path.isdir(path)


def read_labelled_points(
    path: str,
    label: str | None = None,
    *,
    text: str | None = None,
    labelled: str | None = None,
    features: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    array: str | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    memory_limit: str | None = None,
) -> LabelledPoints:
    """Read a table of features, a table with a column of text, or a folder of text.

    Parameters
    ----------
    path : str
        The table, or a folder that has a folder of text files for each class.
    label : str, optional
        The column of labels; in a folder the names of folders are the labels.
    text : str, optional
        The column of text, whose words are counted.
    labelled : str, optional
        The column that says which labels may be looked at.
    features, exclude : list of str, optional
        The columns of features, and numeric columns that are none.
    array, delimiter, header, memory_limit : optional
        How the table is read, as in `open_table`.

    Returns
    -------
    LabelledPoints
        The points with their labels.

    Raises
    ------
    ParameterError
        If options do not go together.
    FileError
        If the table or the folder cannot be read.
    """
    if _is_folder(path):
        options = {"label": label, "text": text, "labelled": labelled, "array": array}
        for name, given in {**options, "features": features}.items():
            if given:
                raise ParameterError(
                    Setting(name),
                    " goes with a table; in a folder of text the names of folders are labels.",
                )
        with _memory.memory_limit(memory_limit):
            return _counted(read_text_folder(path), None)
    if label is None:
        raise ParameterError("name the column of labels with ", Setting("label"), ".")
    reading: dict[str, Any] = {"delimiter": delimiter, "header": header}
    source = open_table(path, array=array, memory_limit=memory_limit, **reading)
    if text is None:
        beside = [label] if labelled is None else [label, labelled]
        table = source.features(features, [*beside, *exclude])
        mask = None if labelled is None else table.labels(labelled)
        return LabelledPoints(
            table.matrix,
            table.labels(label),
            mask,
            table.remark,
            feature_names=table.feature_names,
        )
    if features or array:
        raise ParameterError(
            Setting("text"), " goes without ", Setting("features"), " and ", Setting("array"), "."
        )
    columns = source.labels([text, label] if labelled is None else [text, label, labelled])
    documents = Documents(source.name, _texts(columns[text]), columns[label])
    return _counted(documents, columns.get(labelled or ""))


def _texts(codes: Codes) -> list[str]:
    """Return the text of each row; a missing one has no words."""
    distinct, places = np.unique(codes.values, return_inverse=True)
    texts = np.array([str(item) for item in codes.restore(distinct)], object)[places]
    if codes.missing is not None:
        texts[codes.missing] = ""
    found: list[str] = texts.tolist()
    return found


def _counted(documents: Documents, labelled: Codes | None) -> LabelledPoints:
    words = count_words(documents)
    remark = f"{len(documents.texts):,} documents with {len(words.vocabulary):,} different words."
    return LabelledPoints(
        words.counts, documents.labels, labelled, remark, documents.files, words.vocabulary
    )


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
    return Documents(source.name, _texts(columns[text]), columns[label])


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
    held = 0
    for file in map(Path, files_inside(str(root), hidden=(".",))):
        inside = file.relative_to(root).parts
        files.append("/".join(inside))
        texts.append(_text(file, held))
        held += sys.getsizeof(texts[-1])
        labels.append(inside[0] if len(inside) > 1 else None)
    known = sorted({label for label in labels if label is not None})
    if not known:
        raise FileError(f"{name} holds no folder with documents; there must be one for each class.")
    missing = np.array([label is None for label in labels])
    codes, keys = number([known[0] if label is None else label for label in labels])
    found = from_keys(codes, keys, missing if missing.any() else None)
    return Documents(name, texts, found, files)


def _text(file: Path, held: int) -> str:
    try:
        with open(file, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            most = max(_memory.room() - held, 0) // LETTER
            data = b"" if size > most else stream.read(most + 1)
    except OSError as error:
        shown = show_label(str(file), 200)
        raise FileError(f"{shown} cannot be read: {error.strerror or error}.") from None
    if max(size, len(data)) > most:
        raise _memory.refusal("the text of the documents takes more memory than")
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
