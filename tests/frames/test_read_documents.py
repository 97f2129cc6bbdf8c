from __future__ import annotations

import pytest

from clustervet import memory_limit
from clustervet.errors import FileError, MemoryLimitError
from clustervet.frames.documents import (
    count_words,
    read_text_column,
    read_text_folder,
)


def names(codes):
    absent = codes.missing if codes.missing is not None else [False] * len(codes)
    labels = codes.restore(codes.values)
    return [None if gone else str(name) for name, gone in zip(labels, absent, strict=True)]


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    for place, text in {
        "b/2.txt": "second of b",
        "b/10.txt": "first of b",
        "a/x/deep.txt": "deep in a",
        "a/top.txt": "top of a",
        "loose.txt": "of none",
        ".git/config": "not a document",
        "a/.DS_Store": "not a document",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    found = read_text_folder(tmp_path)
    assert list(found.texts) == ["of none", "top of a", "deep in a", "first of b", "second of b"]
    assert names(found.labels) == [None, "a", "a", "b", "b"]


def test_text_in_utf_8_with_or_without_a_mark_and_else_in_latin_1(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1").write_bytes("caf\u00e9".encode())
    (tmp_path / "a" / "2").write_bytes("caf\u00e9".encode("utf-8-sig"))
    (tmp_path / "a" / "3").write_bytes("caf\u00e9".encode("latin-1"))
    assert set(read_text_folder(tmp_path).texts) == {"caf\u00e9"}


def test_columns_of_any_format(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text('body,kind\n"a, b",x\n,y\nhello,\n')
    found = read_text_column(path, "body", "kind")
    assert found.texts == ["a, b", "", "hello"]
    assert names(found.labels) == ["x", "y", None]
    lines = tmp_path / "mails.jsonl"
    lines.write_text('{"body": "a, b", "kind": "x"}\n{"body": null, "kind": "y"}\n')
    assert read_text_column(lines, "body", "kind").texts == ["a, b", ""]
    with pytest.raises(FileError, match="no column 'bdy'; did you mean body"):
        read_text_column(path, "bdy", "kind")


def test_words_that_tell_something_are_counted(tmp_path):
    path = tmp_path / "texts.csv"
    texts = ["the cat cat", "the Cat", "the dog", "the dog once", "the"]
    path.write_text("\n".join(["body,kind", *(f"{text},x" for text in texts)]))
    words = count_words(read_text_column(path, "body", "kind"))
    assert words.vocabulary == ("cat", "dog")  # not `the` in all of them, nor `once` in one
    assert words.counts.toarray().tolist() == [[2, 0], [1, 0], [0, 1], [0, 1], [0, 0]]


def test_a_few_short_texts_keep_all_their_words(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("body,kind\nred,x\nblue,y\n")
    assert count_words(read_text_column(path, "body", "kind")).vocabulary == ("blue", "red")
    path.write_text("body,kind\n?,x\n!,y\n")
    with pytest.raises(FileError, match="holds no words"):
        count_words(read_text_column(path, "body", "kind"))


def test_documents_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1").symlink_to(tmp_path / "gone")
    with pytest.raises(FileError, match=r"/a/1 cannot be read: No such file or directory\.$"):
        read_text_folder(tmp_path)
    with pytest.raises(FileError, match=r"/nowhere cannot be read: No such file or directory\.$"):
        read_text_folder(tmp_path / "nowhere")


def test_documents_beyond_memory_are_refused(tmp_path):
    (tmp_path / "a").mkdir()
    for name in ("1", "2"):
        (tmp_path / "a" / name).write_text("word " * 20_000)
    with memory_limit("1GB"):
        assert len(read_text_folder(tmp_path).texts) == 2
    with (
        memory_limit("500KB"),
        pytest.raises(MemoryLimitError, match=r"^the text of the documents takes more memory"),
    ):
        read_text_folder(tmp_path)
