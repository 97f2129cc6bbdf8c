"""The text corpora of Banerjee & Langford 2004, from files of the user.

A corpus is an NPZ file or a folder of text, or is fetched by scikit-learn; docs/corpora.md
describes the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import suggestion
from clustervet.errors import ClustervetError, FileError, ParameterError
from clustervet.frames.arrays import BROKEN, load_npz
from clustervet.frames.documents import read_text_folder
from clustervet.frames.places import Place
from clustervet.labels import show_label

NEWSGROUPS = {
    "different": ("alt.atheism", "rec.sport.baseball", "sci.space"),
    "similar": ("talk.politics.guns", "talk.politics.mideast", "talk.politics.misc"),
    "same": ("comp.graphics", "comp.os.ms-windows.misc", "comp.windows.x"),
}
# The eleven sets of the paper, §4.1.
CORPORA = (
    "classic2",
    "classic3",
    *(f"cmu-{kind}-{size}" for size in (100, 1000) for kind in NEWSGROUPS),
    "cmu-newsgroup-clean-100",
    "cmu-newsgroup-clean-1000",
    "yahoo",
)
# Documents per class in the small sets, and the seed with which they are drawn.
FEW, SEED = 100, 0
# A word in fewer documents of a set says nothing about how they group.
LEAST_DOCUMENTS = 3
# Words of two or more letters.
WORD = r"(?u)\b[^\W\d_]{2,}\b"


@dataclass(frozen=True)
class CorpusFiles:
    """The file of a corpus, or the folder with one folder per class.

    `mail` says that documents are messages; of their headers only the subject is kept.
    """

    file: str
    folder: str
    mail: bool = False

    def held(self, root: Path) -> bool:
        """Return whether the root has the file or the folder."""
        return (root / self.file).is_file() or (root / self.folder).is_dir()


FILES = {
    "classic": CorpusFiles("classic3.npz", "classic3"),
    "newsgroups": CorpusFiles("20news-19997-subject.npz", "20_newsgroups", mail=True),
    "yahoo": CorpusFiles("yahoo-k1a.npz", "yahoo"),
}
ARRAYS = ("data", "indices", "indptr", "shape", "labels", "class_names")
Counted = tuple[Any, NDArray[np.int64], list[str]]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Word counts of documents, and the class of each document.

    Parameters
    ----------
    name : str
        The name of the set.
    counts : scipy.sparse.csr_matrix
        One row per document and one column per word.
    labels : ndarray of int
        The number of each document's class.
    class_names : tuple of str
        The names of the classes.
    dropped : int
        Number of documents that are left out because all their words are rare.
    """

    name: str
    counts: Any
    labels: NDArray[np.int64]
    class_names: tuple[str, ...]
    dropped: int

    def __repr__(self) -> str:
        rows, words = self.counts.shape
        gone = f", {self.dropped:,} empty ones dropped" if self.dropped else ""
        classes = len(self.class_names)
        return f"{self.name}: {rows:,} documents, {words:,} words, {classes} classes{gone}"


def load_corpus(name: str, folder: str | Path, *, fetch: bool = False) -> Corpus:
    """Load one of the eleven sets of the paper from a folder of corpora.

    Parameters
    ----------
    name : str
        The name of the set, such as "classic3" or "cmu-different-1000".
    folder : str or Path
        The folder of the corpora.
    fetch : bool, optional
        Whether scikit-learn may download newsgroups that are not in the folder. It has 18,846
        messages, where the paper has 19,997.

    Returns
    -------
    Corpus
        Word counts and classes.

    Raises
    ------
    ParameterError
        If there is no such set.
    FileError
        If the corpus is not in the folder, or cannot be read.

    Notes
    -----
    Banerjee & Langford 2004, §4.1. Words in fewer than three documents of the set are left out,
    then documents without words. The small sets have a hundred documents per class, drawn with a
    fixed seed.
    """
    if name not in CORPORA:
        hint = suggestion(str(name), CORPORA, f"there are {', '.join(CORPORA)}.")
        raise ParameterError(f"there is not a corpus {show_label(name)!r}; {hint}")
    counts, labels, names = _read(_family(name), Path(folder), fetch)
    rows = _rows(name, labels, names)
    return _pruned(name, counts[rows], labels[rows], names)


def find_corpora(folder: str | Path) -> list[str]:
    """Return the sets whose corpus is in a folder.

    Parameters
    ----------
    folder : str or Path
        The folder of the corpora.

    Returns
    -------
    list of str
        Names that `load_corpus` takes.
    """
    return [name for name in CORPORA if FILES[_family(name)].held(Path(folder))]


def _family(name: str) -> str:
    if name.startswith("cmu"):
        return "newsgroups"
    return "classic" if name.startswith("classic") else name


def _rows(name: str, labels: NDArray[np.int64], names: list[str]) -> NDArray[np.int64]:
    """Return the rows of a set; those of the small sets are in the order of the classes."""
    if name in ("classic3", "yahoo", "cmu-newsgroup-clean-1000"):
        return np.arange(len(labels))
    if name == "classic2":
        wanted = [k for k, label in enumerate(names) if label.lower()[:4] in ("cisi", "cran")]
        return np.flatnonzero(np.isin(labels, wanted))
    kind, _, size = name.removeprefix("cmu-").rpartition("-")
    groups = NEWSGROUPS.get(kind, tuple(names))
    rng = np.random.default_rng(SEED)
    found = []
    for group in groups:
        if group not in names:
            raise FileError(f"the newsgroups have no group {show_label(group)!r}.")
        members = np.flatnonzero(labels == names.index(group))
        if size == str(FEW):
            members = np.sort(rng.choice(members, min(FEW, len(members)), replace=False))
        found.append(members)
    return np.concatenate(found)


def _pruned(name: str, counts: Any, labels: NDArray[np.int64], names: list[str]) -> Corpus:
    from scipy.sparse import csr_matrix

    counts.sum_duplicates()
    # Words that are in no document take no memory, however many the file claims.
    words, places, documents = np.unique(counts.indices, return_inverse=True, return_counts=True)
    counts = csr_matrix((counts.data, places, counts.indptr), (counts.shape[0], len(words)))
    counts = counts[:, documents >= LEAST_DOCUMENTS]
    kept = np.diff(counts.indptr) > 0
    held, codes = np.unique(labels[kept], return_inverse=True)
    classes = tuple(names[k] for k in held)
    return Corpus(name, counts[kept], codes.astype(np.int64), classes, int((~kept).sum()))


def _read(family: str, root: Path, fetch: bool) -> Counted:
    """Return word counts, the number of each document's class, and the names of the classes."""
    source = FILES[family]
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
        held, _ = load_npz(Place(str(path), shown))
        arrays = {name: held[name] for name in ARRAYS}
        data, labels, class_names = (arrays[name] for name in ("data", "labels", "class_names"))
        fits = labels.ndim == class_names.ndim == 1 and labels.dtype.kind in "iu"
        if data.dtype.kind not in "biuf":
            raise TypeError("counts are no numbers")
        matrix = csr_matrix(
            (data.astype(np.float64), arrays["indices"], arrays["indptr"]),
            tuple(arrays["shape"].tolist()),
        )
        matrix.check_format(full_check=True)  # compiled code would follow a wrong index anywhere
        names = [str(name) for name in class_names.tolist()]
    except ClustervetError:
        raise
    except FileNotFoundError:
        raise FileError(f"{shown} does not exist.") from None
    except KeyError as error:
        raise FileError(f"{shown} is not a corpus: {error.args[0]}.") from None
    except (*BROKEN, OverflowError):
        raise FileError(f"{shown} cannot be read as a corpus in NPZ form.") from None
    if not fits or len(labels) != matrix.shape[0]:
        raise FileError(f"{shown} is not a corpus: its labels do not fit its documents.")
    if len(labels) and not 0 <= int(labels.min()) <= int(labels.max()) < len(names):
        raise FileError(f"{shown} is not a corpus: its labels do not fit its classes.")
    if len(set(names)) < len(names):
        raise FileError(f"{shown} is not a corpus: two of its classes have one name.")
    if not (np.isfinite(matrix.data).all() and (matrix.data >= 0).all()):
        raise FileError(f"{shown} is not a corpus: a count is negative or not finite.")
    return matrix, labels.astype(np.int64), names


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
    """Return the 18,846 messages that scikit-learn fetches once and keeps in its own folder.

    What it keeps is a pickle, which can run anything when it is loaded; one that lies in a folder
    of corpora may come from anyone, and is never loaded.
    """
    from sklearn.datasets import fetch_20newsgroups

    try:
        held = fetch_20newsgroups(subset="all", shuffle=False)
    except OSError as error:  # urllib's errors without a network are of this kind
        raise FileError(
            f"the 20 newsgroups cannot be fetched: {error}. Without a network, put them into "
            f"{show_label(str(root), 200)} as docs/corpora.md describes."
        ) from None
    texts = [subject_and_body(text) for text in held.data]
    labels = np.asarray(held.target, np.int64)
    return _counts(texts, "the 20 newsgroups"), labels, [str(name) for name in held.target_names]


def subject_and_body(message: str) -> str:
    r"""Return the subject and the body of a message, without its other headers.

    >>> subject_and_body("From: someone\nSubject: Orbits\n\nThey decay.\nSlowly.")
    'Orbits\nThey decay.\nSlowly.'
    """
    head, _, body = message.replace("\r\n", "\n").partition("\n\n")
    said = [line[8:].strip() for line in head.split("\n") if line.lower().startswith("subject:")]
    return "\n".join([*said, body])


def _counts(texts: list[str], name: str) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(token_pattern=WORD, stop_words="english", dtype=np.float64)
    try:
        return counter.fit_transform(texts).tocsr()
    except ValueError:
        raise FileError(f"{name} holds no words.") from None
