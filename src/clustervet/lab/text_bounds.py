"""The study of Banerjee & Langford 2004, §4: bounds on text corpora, ours beside theirs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from clustervet._checks import share
from clustervet.datasets.corpora import CORPORA, Corpus, find_corpora, load_corpus
from clustervet.errors import FileError
from clustervet.fitting.algorithms import read_seed
from clustervet.frames.writing import make_folder
from clustervet.selection import Selection, select
from clustervet.view import Column, Result, Row, Section, Table, form_cell, number_cell, text_cell

# The best bounds the paper prints, in percent of the test set (§4.3, figs. 4 and 5, and yahoo in
# the text): language Algo, half of the documents labelled, delta 0.1. Each of them is one error
# more than bmax as the paper defines it.
PRINTED = {
    "classic2": 1.68,
    "classic3": 2.0,
    "cmu-different-100": 20.6,
    "cmu-different-1000": 6.0,
    "cmu-same-100": 64.0,
    "cmu-same-1000": 28.4,
    "cmu-newsgroup-clean-100": 84.0,
    "cmu-newsgroup-clean-1000": 47.94,
    "yahoo": 73.84,
}
SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)
MANY_CLASSES = 10


@dataclass(frozen=True)
class CorpusBound:
    """One corpus under one split: the best candidate, and the bound under every language.

    `train` is the share of labelled documents, `constant` the error of always guessing the
    largest class, and `paper` the bound that the paper prints, if any.
    """

    corpus: str
    documents: int
    classes: int
    train: float
    algorithm: str
    clusters: int
    train_errors: int
    bound: float
    test_error: float
    constant: float
    paper: float | None
    languages: dict[str, float]
    algorithms: dict[str, float]


@dataclass(frozen=True, repr=False)
class TextStudy(Result):
    """Bounds on text corpora, ours beside the paper's; `text_study` makes it.

    Parameters
    ----------
    neighbours : int
        Number of nearest documents that smoothed each document; 0 for none.
    lines : tuple of CorpusBound
        One record per corpus and split.
    missing : tuple of str
        The corpora that were not found.

    Examples
    --------
    >>> study = TextStudy(neighbours=0, lines=(), missing=("yahoo",))
    >>> study.to_dict()
    {'schema': 'clustervet/text-study/1', 'neighbours': 0, 'lines': [], 'missing': ['yahoo']}
    """

    SCHEMA: ClassVar[str] = "clustervet/text-study/1"

    neighbours: int
    lines: tuple[CorpusBound, ...]
    missing: tuple[str, ...]

    def columns(self) -> dict[str, list[Any]]:
        """Return the bounds as columns, one row per corpus and split.

        Returns
        -------
        dict of str to list
            The fields of `CorpusBound`, and one column per language.
        """
        rows = [
            {
                **{k: v for k, v in vars(line).items() if k not in ("languages", "algorithms")},
                **{f"language {key}": rate for key, rate in line.languages.items()},
            }
            for line in self.lines
        ]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return {name: [row.get(name) for row in rows] for name in names}

    def document(self) -> Section:
        """Return the bounds as a document.

        Returns
        -------
        Section
            Our bound beside the paper's, and the bound under each language.
        """
        keys = list(dict.fromkeys(key for line in self.lines for key in line.languages))
        titles = ("labelled", "best", "k", "bound", "paper", "test error", "constant", *keys)
        numbers = (Column(title, "text" if title == "best" else "number") for title in titles)
        heads = (Column("set", "text"), *numbers)
        rows = tuple(_row(line, keys) for line in self.lines)
        return Section(
            "corpora",
            "Bounds on text corpora",
            blocks=(Table("corpora-bounds", "Bounds on text corpora", heads, rows),),
            notes=self._notes(),
            subject=self,
            citations=("Banerjee & Langford 2004",),
        )

    def _notes(self) -> tuple[str, ...]:
        rows = "KL reads counts, the others tf-idf"
        if self.neighbours:
            rows += f", each document moved towards its {self.neighbours} nearest"
        notes = [
            f"{rows}.",
            "bound: the best over all algorithms, numbers of clusters and runs under Algo; the "
            "languages average over choices they do not pay for (Banerjee & Langford 2004, "
            "fig. 6); the paper prints one error more than bmax.",
        ]
        if self.missing:
            notes.append(f"Not there, and left out: {', '.join(self.missing)}.")
        return tuple(notes)


def _row(line: CorpusBound, languages: Sequence[str]) -> Row:
    paper = "" if line.paper is None else f"{100 * line.paper:.4g}%"
    return Row(
        (
            text_cell(line.corpus),
            form_cell(line.train, ".0%"),
            text_cell(line.algorithm),
            number_cell(line.clusters),
            form_cell(line.bound, ".2%"),
            number_cell(line.paper, text=paper),
            form_cell(line.test_error, ".2%"),
            form_cell(line.constant, ".2%"),
            *(form_cell(line.languages.get(key), ".2%") for key in languages),
        )
    )


def text_study(
    folder: str | Path,
    sets: Iterable[str] | None = None,
    *,
    algorithms: Any = None,
    clusters: Iterable[int] | None = None,
    runs: int = 10,
    neighbours: int = 0,
    shares: Sequence[float] = (0.5,),
    delta: float = 0.1,
    journals: str | Path | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    fetch: bool = False,
) -> TextStudy:
    """Compute bounds on text corpora, beside those that the paper prints.

    Parameters
    ----------
    folder : str or Path
        The folder of the corpora; docs/corpora.md describes the files.
    sets : iterable of str, optional
        Names of corpora. All eleven of the paper by default; those that are not in the folder
        are left out.
    algorithms : optional
        Algorithms as in `select`. The six of the paper by default.
    clusters : iterable of int, optional
        Numbers of clusters. By default 2 to 20, or 2 to 30 for a corpus of twenty classes.
    runs : int, optional
        Runs of each algorithm with each number of clusters.
    neighbours : int, optional
        Number of nearest documents that smooth each document. 0, the protocol of the paper,
        smooths nothing.
    shares : sequence of float, optional
        Shares of labelled documents. The paper's five splits are 0.1, 0.3, 0.5, 0.7 and 0.9.
    delta : float, optional
        Probability that a bound does not hold.
    journals : str or Path, optional
        A folder that keeps every finished fit, one journal per corpus. All splits share it, as
        clusterings never see labels.
    n_jobs : int, optional
        Number of fits at once; -1 means all cores.
    random_state : int, optional
        The seed of fits and splits.
    fetch : bool, optional
        Whether scikit-learn may download newsgroups that are not in the folder.

    Returns
    -------
    TextStudy
        One record per corpus and share of labelled documents.

    Raises
    ------
    FileError
        If the folder has none of the corpora, or a journal cannot be written.
    ParameterError
        If a name is unknown or a parameter is out of range.

    Notes
    -----
    Banerjee & Langford 2004, §4. KL k-means reads word counts, the other algorithms tf-idf; the
    same for all corpora.

    Examples
    --------
    >>> import tempfile
    >>> words = {"cisi": "library index list", "cran": "wing flow shock", "med": "blood cell drug"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in words.items():
    ...         place = Path(folder, "classic3", name)
    ...         place.mkdir(parents=True)
    ...         for k in range(9):
    ...             _ = (place / f"{k}.txt").write_text(text)
    ...     study = text_study(folder, ["classic3"], algorithms=["kmeans"], clusters=[3], runs=1)
    >>> study.lines[0].documents, study.lines[0].train_errors, round(study.lines[0].bound, 3)
    (27, 0, 0.538)
    """
    seed = read_seed(random_state) or 0
    held = find_corpora(folder)
    if fetch:
        held += [name for name in CORPORA if name.startswith("cmu") and name not in held]
    wanted = list(CORPORA if sets is None else sets)
    for name in wanted:
        if name not in CORPORA:
            load_corpus(name, folder)  # raises the error about the name
    found = [name for name in wanted if name in held]
    if not found:
        raise FileError(
            f"{folder} holds none of the corpora asked for; docs/corpora.md describes the files."
        )
    parts = [share(part, "shares") for part in shares]
    asked = None if clusters is None else list(clusters)
    options = {"algorithms": algorithms, "runs": runs, "neighbours": neighbours, "delta": delta}
    lines = []
    for name in found:
        corpus = load_corpus(name, folder, fetch=fetch)
        most = 30 if len(corpus.class_names) > MANY_CLASSES else 20
        for part in parts:
            chosen = _chosen(
                corpus,
                part,
                clusters=range(2, most + 1) if asked is None else asked,
                journal=None if journals is None else Path(journals) / f"{name}.db",
                n_jobs=n_jobs,
                random_state=seed,
                **options,
            )
            lines.append(_line(corpus, part, chosen))
    missing = tuple(name for name in wanted if name not in held)
    return TextStudy(neighbours, tuple(lines), missing)


def _chosen(
    corpus: Corpus, part: float, *, journal: Path | None, random_state: int, **options: Any
) -> Selection:
    """Return the selection under a random split that depends on the seed and the share alone."""
    total = len(corpus.labels)
    rng = np.random.default_rng([random_state, round(part * 1000)])
    labelled = np.zeros(total, np.bool_)
    labelled[rng.permutation(total)[: round(part * total)]] = True
    if journal is not None:
        make_folder(journal.parent)
    return select(
        corpus.counts,
        corpus.labels,
        labelled=labelled,
        language="algo",
        held_out=0.0,
        weighting="tfidf",
        journal=journal,
        random_state=random_state,
        **options,
    )


def _line(corpus: Corpus, part: float, chosen: Selection) -> CorpusBound:
    best, bound = chosen.best, chosen.bound
    largest = float(np.bincount(corpus.labels).max() / len(corpus.labels))
    return CorpusBound(
        corpus=corpus.name,
        documents=len(corpus.labels),
        classes=len(corpus.class_names),
        train=part,
        algorithm=best.algorithm,
        clusters=best.clusters,
        train_errors=bound.train_errors,
        bound=bound.rate,
        test_error=float(bound.test_rate or 0.0),
        constant=1 - largest,
        paper=PRINTED[corpus.name] / 100 if part == 0.5 and corpus.name in PRINTED else None,
        languages=chosen.languages(),
        algorithms={
            name: candidate.rate
            for name, candidate in chosen.by_algorithm.items()
            if candidate.rate is not None
        },
    )
