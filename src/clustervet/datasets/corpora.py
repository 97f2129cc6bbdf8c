"""The text corpora of Banerjee & Langford 2004, from files that the user has.

A folder holds a corpus as an NPZ file or as a folder of text; docs/corpora.md describes both.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clustervet.datasets.sources import SOURCES, read_source
from clustervet.errors import FileError, ParameterError
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
# A word in fewer documents of a set does not help to group them.
LEAST_DOCUMENTS = 3


@dataclass(frozen=True, eq=False)
class Corpus:
    """Word counts of documents and the class of each.

    Parameters
    ----------
    name : str
        Name of the set.
    counts : csr_matrix
        Word counts, documents × words.
    labels : ndarray of int
        Number of the class of each document.
    class_names : tuple of str
        Names of the classes.
    dropped : int
        Number of documents that have no words once rare words are left out.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> Corpus("tiny", csr_matrix([[1, 0], [0, 2]]), np.array([0, 1]), ("a", "b"), dropped=1)
    tiny: 2 documents, 2 words, 2 classes, 1 empty ones dropped
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
    """Load one of the paper's eleven sets from a folder of corpora.

    Parameters
    ----------
    name : str
        Name of the set, one of `CORPORA`.
    folder : str or Path
        Folder of corpora, as docs/corpora.md describes it.
    fetch : bool, default False
        Whether scikit-learn may download the newsgroups into the folder if they are not there.
        These are 18,846 messages; the paper has 19,997.

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
    Words in fewer than three documents of the set are left out, then documents without words. The
    small sets have a hundred documents of each class, drawn with a fixed seed (Banerjee & Langford
    2004, §4.1).

    Examples
    --------
    >>> load_corpus("classic4", ".")
    Traceback (most recent call last):
    clustervet.errors.ParameterError: there is no corpus 'classic4'; did you mean classic3?
    """
    if name not in CORPORA:
        near = difflib.get_close_matches(str(name), CORPORA, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(CORPORA)}."
        raise ParameterError(f"there is no corpus {show_label(name)!r}; {hint}")
    counts, labels, names = read_source(_family(name), Path(folder), fetch)
    rows = _rows(name, labels, names)
    return _pruned(name, counts[rows], labels[rows], names)


def find_corpora(folder: str | Path) -> list[str]:
    """Find the sets whose corpus is in a folder.

    Parameters
    ----------
    folder : str or Path
        Folder of corpora.

    Returns
    -------
    list of str
        Names that `load_corpus` takes.

    Examples
    --------
    >>> find_corpora("/nowhere")
    []
    """
    return [name for name in CORPORA if SOURCES[_family(name)].held(Path(folder))]


def _family(name: str) -> str:
    if name.startswith("cmu"):
        return "newsgroups"
    return "classic" if name.startswith("classic") else name


def _rows(name: str, labels: NDArray[np.int64], names: list[str]) -> NDArray[np.int64]:
    """Positions of the documents of a set; class by class for the small sets."""
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
    counts.sum_duplicates()
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    counts = counts[:, documents >= LEAST_DOCUMENTS]
    kept = np.diff(counts.indptr) > 0
    held, codes = np.unique(labels[kept], return_inverse=True)
    classes = tuple(names[k] for k in held)
    return Corpus(name, counts[kept], codes.astype(np.int64), classes, int((~kept).sum()))
