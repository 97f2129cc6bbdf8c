from __future__ import annotations

import codecs
import pickle
import zlib

import numpy as np
import pytest
from sklearn.utils import Bunch

from clustervet.datasets.corpora import CORPORA, NEWSGROUPS, find_corpora, load_corpus
from clustervet.errors import FileError, ParameterError
from clustervet.labels import show_label


def write(path, labels, class_names, words=30, seed=0):
    """Documents of one to five words; the last document has a word that no other has."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 6, len(labels))
    lengths[-1] = 1
    indices = rng.integers(0, words - 1, lengths.sum())
    indices[-1] = words - 1
    np.savez(
        path,
        data=np.ones(lengths.sum(), np.int32),
        indices=indices,
        indptr=np.concatenate([[0], np.cumsum(lengths)]),
        shape=np.array([len(labels), words]),
        labels=np.asarray(labels),
        class_names=np.array(class_names),
    )


@pytest.fixture
def folder(tmp_path):
    groups = [name for names in NEWSGROUPS.values() for name in names]
    write(tmp_path / "classic3.npz", np.repeat([0, 1, 2], 20), ["cisi", "cran", "med"])
    write(tmp_path / "20news-19997-subject.npz", np.repeat(np.arange(9), 120), groups)
    return tmp_path


def test_the_eleven_sets_of_the_paper_and_those_that_are_there(folder):
    assert len(CORPORA) == 11
    assert find_corpora(folder) == [name for name in CORPORA if name != "yahoo"]
    assert find_corpora(folder / "nothing") == []


def test_rare_words_and_then_empty_documents_are_left_out(folder):
    corpus = load_corpus("classic3", folder)
    assert corpus.dropped >= 1
    assert corpus.counts.shape[0] == 60 - corpus.dropped == len(corpus.labels)
    assert (np.bincount(corpus.counts.indices) >= 3).all()
    assert "3 classes" in repr(corpus)
    assert "dropped" in repr(corpus)


def test_subsets_by_class(folder):
    two = load_corpus("classic2", folder)
    assert two.class_names == ("cisi", "cran")
    assert set(two.labels) == {0, 1}
    small = load_corpus("cmu-same-100", folder)
    assert small.class_names == NEWSGROUPS["same"]
    assert (np.bincount(small.labels) <= 100).all()
    again = load_corpus("cmu-same-100", folder)
    np.testing.assert_array_equal(small.counts.toarray(), again.counts.toarray())
    assert len(load_corpus("cmu-same-1000", folder).labels) > len(small.labels)
    assert len(load_corpus("cmu-newsgroup-clean-100", folder).class_names) == 9


def test_refusals(folder, tmp_path):
    with pytest.raises(ParameterError, match="did you mean classic3"):
        load_corpus("classic4", folder)
    with pytest.raises(FileError, match="does not exist"):
        load_corpus("yahoo", folder)
    (tmp_path / "yahoo-k1a.npz").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(FileError, match="cannot be read as a corpus"):
        load_corpus("yahoo", folder)
    np.savez(tmp_path / "yahoo-k1a.npz", data=np.ones(3))
    with pytest.raises(FileError, match="is not a corpus"):
        load_corpus("yahoo", folder)
    write(tmp_path / "yahoo-k1a.npz", [0, 5], ["a", "b"])
    with pytest.raises(FileError, match="do not fit"):
        load_corpus("yahoo", folder)


def test_a_folder_of_text_is_a_corpus(tmp_path):
    groups = [name for names in NEWSGROUPS.values() for name in names]
    for number, group in enumerate(groups):
        place = tmp_path / "20_newsgroups" / group
        place.mkdir(parents=True)
        for k in range(4):
            text = f"From: orbit@example.org\nSubject: topic{'abcdefghi'[number]}\n\nThe word {k}."
            (place / str(k)).write_text(text)
    assert "cmu-same-1000" in find_corpora(tmp_path)
    corpus = load_corpus("cmu-same-1000", tmp_path)
    # "the" is a stop word, numbers are no words, and of the head the subject alone is read.
    assert corpus.counts.toarray().tolist() == [
        [1.0 * (column == row // 4) for column in range(3)] + [1.0] for row in range(12)
    ]
    assert corpus.class_names == NEWSGROUPS["same"]


def test_a_file_outside_the_folders_of_classes_is_refused(tmp_path):
    (tmp_path / "yahoo" / "news").mkdir(parents=True)
    (tmp_path / "yahoo" / "news" / "one").write_text("some words here")
    (tmp_path / "yahoo" / "stray").write_text("some words here")
    with pytest.raises(FileError, match="1 files beside the folders"):
        load_corpus("yahoo", tmp_path)
    (tmp_path / "yahoo" / "stray").unlink()
    (tmp_path / "yahoo" / "news" / "one").write_text("1 2 3")
    with pytest.raises(FileError, match="holds no words"):
        load_corpus("yahoo", tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.array([0, -1, 1, 1])}, "its labels do not fit its classes"),
        ({"labels": np.array([0.0, 1.9, 1.0, 1.0])}, "its labels do not fit its documents"),
        ({"labels": np.array([[0, 1, 1, 1]])}, "its labels do not fit its documents"),
        ({"class_names": np.array(["a", "a"])}, "two of its classes have one name"),
        ({"data": np.array([1, 1, 1, -1.0])}, "a count is negative or not finite"),
        ({"data": np.array([1, 1, 1, np.nan])}, "a count is negative or not finite"),
        ({"data": np.ones(4, complex)}, "cannot be read as a corpus"),
        ({"data": np.array(["1"] * 4)}, "cannot be read as a corpus"),
        ({"indices": np.array([0, 1, 2, 3])}, "cannot be read as a corpus"),
        ({"indices": np.array([0, 1, -2, 0])}, "cannot be read as a corpus"),
        ({"indptr": np.array([0, 3, 2, 3, 4])}, "cannot be read as a corpus"),
        ({"indptr": np.array([0, 1, 2, 3, 9])}, "cannot be read as a corpus"),
        ({"shape": np.array([2**63, 2**63], np.uint64)}, "cannot be read as a corpus"),
        ({"shape": np.array(4)}, "cannot be read as a corpus"),
    ],
)
def test_a_file_that_holds_no_corpus(tmp_path, change, message):
    arrays = {
        "data": np.ones(4),
        "indices": np.array([0, 1, 2, 0]),
        "indptr": np.arange(5),
        "shape": np.array([4, 3]),
        "labels": np.array([0, 0, 1, 1]),
        "class_names": np.array(["a", "b"]),
    }
    np.savez(tmp_path / "yahoo-k1a.npz", **(arrays | change))
    with pytest.raises(FileError, match=message):
        load_corpus("yahoo", tmp_path)


def test_words_that_are_claimed_and_never_used_take_no_memory(tmp_path):
    path = tmp_path / "yahoo-k1a.npz"
    write(path, [0, 1] * 20, ["a", "b"])
    whole = load_corpus("yahoo", tmp_path)
    with np.load(path) as held:
        arrays = dict(held)
    np.savez(path, **(arrays | {"shape": np.array([40, 10**12])}))
    claimed = load_corpus("yahoo", tmp_path)
    np.testing.assert_array_equal(claimed.counts.toarray(), whole.counts.toarray())


class Touch:
    """Makes a file when it is loaded from a pickle."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


def test_newsgroups_that_scikit_learn_has_fetched(tmp_path, monkeypatch):
    # The file that scikit-learn keeps in its own folder once it has fetched the messages.
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(home))
    groups = sorted(name for names in NEWSGROUPS.values() for name in names)
    text = "From: a\nSubject: lamp\n\nlight bulb"
    kept = {
        part: Bunch(
            data=[text] * len(groups),
            target=np.arange(len(groups)),
            target_names=groups,
            filenames=np.array([f"{part}/{k}" for k in range(len(groups))]),
        )
        for part in ("train", "test")
    }
    held = codecs.encode(pickle.dumps(kept), "zlib_codec")
    assert zlib.decompress(held)
    (home / "20news-bydate_py3.pkz").write_bytes(held)
    # A pickle among the corpora may come from anyone, and is never loaded.
    hostile = codecs.encode(pickle.dumps(Touch(tmp_path / "run")), "zlib_codec")
    (tmp_path / "20news-bydate_py3.pkz").write_bytes(hostile)
    assert find_corpora(tmp_path) == []
    with pytest.raises(FileError, match="does not exist"):
        load_corpus("cmu-same-100", tmp_path)
    corpus = load_corpus("cmu-same-100", tmp_path, fetch=True)
    assert corpus.counts.shape == (6, 3)
    assert corpus.class_names == NEWSGROUPS["same"]
    assert not (tmp_path / "run").exists()


def test_newsgroups_that_cannot_be_fetched(tmp_path, monkeypatch):
    def fail(**options):
        raise OSError("no route to host")

    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", fail)
    with pytest.raises(FileError, match=r"cannot be fetched: no route to host\. Without a network"):
        load_corpus("cmu-same-100", tmp_path, fetch=True)


def test_newsgroups_without_a_group_of_the_paper(tmp_path, monkeypatch):
    mail = "From: a\nSubject: lamp\n\nlight bulb"
    held = Bunch(data=[mail] * 6, target=np.zeros(6, int), target_names=["sci.space"])
    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", lambda **options: held)
    with pytest.raises(FileError, match="the newsgroups have no group 'comp"):
        load_corpus("cmu-same-100", tmp_path, fetch=True)


def test_a_long_path_is_cut_in_the_message(tmp_path):
    folder = tmp_path / ("long" * 50) / ("longer" * 40)
    folder.mkdir(parents=True)
    (folder / "classic3.npz").write_bytes(b"no archive")
    with pytest.raises(FileError) as caught:
        load_corpus("classic3", folder)
    assert str(caught.value).startswith(show_label(str(folder / "classic3.npz"), 200))
    assert "…" in str(caught.value)
