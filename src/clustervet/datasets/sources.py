"""Sources of a corpus: an NPZ file, a folder of text, or scikit-learn's download."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.errors import FileError
from clustervet.frames.documents import read_text_folder
from clustervet.labels import show_label

# Lower-case letters, two or more.
TOKEN = r"(?u)\b[^\W\d_]{2,}\b"


@dataclass(frozen=True)
class Source:
    """The file of a corpus, or the folder with one folder per class.

    `mail` means that documents are messages, of whose header only the subject is kept.
    """

    file: str
    folder: str
    mail: bool = False

    def held(self, root: Path) -> bool:
        """Whether the folder holds the corpus in one of the two forms."""
        return (root / self.file).is_file() or (root / self.folder).is_dir()


SOURCES = {
    "classic": Source("classic3.npz", "classic3"),
    "newsgroups": Source("20news-19997-subject.npz", "20_newsgroups", mail=True),
    "yahoo": Source("yahoo-k1a.npz", "yahoo"),
}
Counted = tuple[Any, NDArray[np.int64], list[str]]


def read_source(family: str, root: Path, fetch: bool) -> Counted:
    """Word counts, the number of each document's class, and the names of the classes."""
    source = SOURCES[family]
    if not (root / source.file).is_file():
        if (root / source.folder).is_dir():
            return _read_folder(root / source.folder, source.mail)
        if fetch and family == "newsgroups":
            return _fetch(root)
    return _read_arrays(root / source.file)


def _read_arrays(path: Path) -> Counted:
    from scipy.sparse import csr_matrix

    shown = show_label(str(path), 200)
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as held:
            matrix = csr_matrix(
                (held["data"].astype(np.float64), held["indices"], held["indptr"]),
                tuple(held["shape"]),
            )
            labels = held["labels"].astype(np.int64)
            names = [str(name) for name in held["class_names"]]
    except FileNotFoundError:
        raise FileError(f"{shown} does not exist.") from None
    except KeyError as error:
        raise FileError(f"{shown} is not a corpus: {error.args[0]}.") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        raise FileError(f"{shown} cannot be read as a corpus in NPZ form.") from None
    if len(labels) != matrix.shape[0] or (len(labels) and labels.max() >= len(names)):
        raise FileError(f"{shown} is not a corpus: its labels do not fit its documents.")
    return matrix, labels, names


def _read_folder(path: Path, mail: bool) -> Counted:
    documents = read_text_folder(path)
    codes = documents.labels
    if codes.missing is not None:
        stray = int(np.count_nonzero(codes.missing))
        raise FileError(
            f"{documents.name} holds {stray:,} files beside the folders of its classes; each "
            "document must lie in the folder of its class."
        )
    held, labels = np.unique(codes.values, return_inverse=True)
    names = [str(name) for name in codes.restore(held)]
    texts = map(subject_and_body, documents.texts) if mail else iter(documents.texts)
    return _counts(list(texts), documents.name), labels.astype(np.int64), names


def _fetch(root: Path) -> Counted:
    """The 18,846 messages that scikit-learn downloads once and keeps in the folder."""
    from sklearn.datasets import fetch_20newsgroups

    try:
        held = fetch_20newsgroups(data_home=str(root), subset="all", shuffle=False)
    except OSError as error:  # also what urllib raises without a network
        raise FileError(
            f"the 20 newsgroups cannot be fetched: {error}. Without a network, put them into "
            f"{show_label(str(root), 200)} as docs/corpora.md describes."
        ) from None
    texts = [subject_and_body(text) for text in held.data]
    labels = np.asarray(held.target, np.int64)
    return _counts(texts, "the 20 newsgroups"), labels, [str(name) for name in held.target_names]


def subject_and_body(message: str) -> str:
    r"""A message without its header, except for the subject.

    >>> subject_and_body("From: someone\nSubject: Orbits\n\nThey decay.\nSlowly.")
    'Orbits\nThey decay.\nSlowly.'
    """
    head, _, body = message.replace("\r\n", "\n").partition("\n\n")
    said = [line[8:].strip() for line in head.split("\n") if line.lower().startswith("subject:")]
    return "\n".join([*said, body])


def _counts(texts: list[str], name: str) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(token_pattern=TOKEN, stop_words="english", dtype=np.float64)
    try:
        return counter.fit_transform(texts).tocsr()
    except ValueError:
        raise FileError(f"{name} holds no words.") from None
